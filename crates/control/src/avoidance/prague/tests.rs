use super::*;
use crate::params::{AlgorithmKind, Params};
use crate::{Controller, Convention, Reason, catalog};

const MSS: u64 = 1448;
/// With a window of forty segments that is all out.
const LOSS: Loss = Loss {
    now: Instant::ZERO,
    flight: 40 * MSS,
    usable: 40.0,
};

fn prague(spec: &str) -> Prague {
    let params = Params::parse(AlgorithmKind::AVOIDANCE, "prague", ENTRY.params, spec);
    let mut prague = Prague::new(Settings::read(&params.unwrap()).unwrap());
    prague.counts_marks = true;
    prague
}

fn window(cwnd: f64, ssthresh: f64) -> Window {
    Window {
        cwnd,
        ssthresh,
        header: 52,
        ..Window::new(MSS as u32)
    }
}

/// An ACK of so many packets, of which so many were marked, in the middle of a round.
fn ack(packets: u64, marked: u32) -> Ack {
    Ack {
        una: 0,
        nxt: u64::MAX,
        marked,
        ..Ack::of(Instant::ZERO, packets * MSS)
    }
}

fn marked() -> Marked {
    Marked {
        now: Instant::ZERO,
        flight: 0,
        usable: 0.0,
    }
}

/// Has averaged over rounds of a hundred packets with these shares of marks.
fn after_rounds(shares: &[f64]) -> Vec<f64> {
    let (mut prague, mut w) = (prague("rtt_target=0s"), window(100.0, 100.0));
    prague.left = w.cwnd;
    prague.frac_cwnd = w.cwnd;
    let after = |share: &f64| {
        let count = (100.0 * share) as u32;
        let a = Ack {
            una: u64::MAX,
            ..ack(100, count)
        };
        prague.on_ack(&mut w, &a);
        prague.alpha
    };
    shares.iter().map(after).collect()
}

fn assert_near(found: &[f64], expected: &[f64], most: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < most, "{found} {expected}");
    }
}

#[test]
fn alpha_averages_the_shares_of_marks_over_rounds() {
    let alphas = after_rounds(&[0.1, 0.1, 0.0, 0.5]);
    assert_near(&alphas, &[0.943_75, 0.891_016, 0.835_327, 0.814_369], 1e-6);
    let cuts: Vec<f64> = alphas.iter().map(|alpha| cut(100.0, *alpha)).collect();
    assert_near(&cuts, &[52.81, 55.45, 58.23, 59.28], 0.005);
}

/// What a mark leaves of a fractional window.
fn cut(frac_cwnd: f64, alpha: f64) -> f64 {
    let mut prague = prague("");
    (prague.frac_cwnd, prague.alpha) = (frac_cwnd, alpha);
    prague.cut(&window(frac_cwnd, 2.0), Instant::ZERO);
    prague.frac_cwnd
}

#[test]
fn alpha_stays_as_it_is_before_the_first_mark() {
    assert_eq!(after_rounds(&[0.0, 0.0]), [1.0, 1.0]);
}

#[test]
fn the_first_mark_ends_slow_start_with_a_cut_of_a_half_by_one_segment_per_ack() {
    let (mut prague, mut w) = (prague(""), window(80.0, f64::INFINITY));
    prague.on_marked(&mut w, &marked());
    prague.on_ack(&mut w, &ack(1, 1));
    assert_eq!((w.cwnd, w.ssthresh, prague.frac_cwnd), (79.0, 79.0, 40.0));
    for _ in 0..38 {
        prague.on_ack(&mut w, &ack(1, 1));
    }
    assert_eq!(w.cwnd, 41.0);
    (0..5).for_each(|_| prague.on_ack(&mut w, &ack(1, 1)));
    assert_eq!((w.cwnd, w.ssthresh), (40.0, 40.0));
}

#[test]
fn the_window_stops_at_the_whole_segment_above_the_fractional_one() {
    let (mut prague, mut w) = (prague(""), window(80.0, f64::INFINITY));
    prague.alpha = 0.953_125;
    prague.on_marked(&mut w, &marked());
    (0..60).for_each(|_| prague.on_ack(&mut w, &ack(1, 1)));
    assert_eq!((w.cwnd, prague.frac_cwnd), (42.0, 41.875));
}

#[test]
fn what_came_without_a_mark_lets_the_window_grow_beside_one_that_did() {
    let (mut prague, mut w) = (prague(""), window(10.0, f64::INFINITY));
    prague.on_marked(&mut w, &marked());
    prague.on_ack(&mut w, &ack(2, 1));
    // Eleven, half of which is left, and the first step down.
    assert_eq!((prague.frac_cwnd, w.cwnd, w.ssthresh), (5.5, 10.0, 10.0));
}

/// What a window's ACKs add to it at this round trip, after so many rounds.
fn growth(rtt: u64, rounds: u32, cwnd: u32) -> f64 {
    let (mut prague, mut w) = (prague(""), window(cwnd.into(), 2.0));
    (prague.rounds, prague.frac_cwnd, prague.left) = (rounds, w.cwnd, w.cwnd);
    prague.rtts.sample(Some(Duration::from_millis(rtt)));
    prague.round.end = u64::MAX;
    let one = ack(1, 0);
    (0..cwnd).for_each(|_| prague.on_ack(&mut w, &one));
    prague.frac_cwnd - f64::from(cwnd)
}

#[test]
fn shorter_round_trips_grow_as_slowly_as_the_target() {
    let scales = [5, 10, 20, 25, 60].map(|rtt| {
        let mut prague = prague("");
        prague.rounds = 4;
        prague.rtts.sample(Some(Duration::from_millis(rtt)));
        prague.scale()
    });
    assert_near(&scales, &[0.04, 0.16, 0.64, 1.0, 1.0], 1e-12);
    assert_near(&[growth(10, 4, 50)], &[0.16], 0.001);
    assert_near(&[growth(10, 3, 50)], &[1.0], 0.02);
}

#[test]
fn bursts_are_a_quarter_of_a_millisecond_and_one_packet_at_least() {
    let burst = |bytes_per_second: u64| {
        let mut prague = prague("rate_offset=0");
        let mut w = window(100.0, 2.0);
        prague.rtts.sample(Some(Duration::from_millis(100)));
        prague.frac_cwnd = bytes_per_second as f64 / 10.0 / 1500.0;
        prague.pace(&mut w, Instant::ZERO);
        (w.quantum, w.most_together)
    };
    assert_eq!(burst(12_500_000), (2, 2));
    assert_eq!(burst(1_250_000), (1, 1));
}

#[test]
fn slow_start_is_paced_at_twice_the_window_and_avoidance_around_it() {
    let pace = |ssthresh, ms| {
        let (mut prague, mut w) = (prague(""), window(128.0, ssthresh));
        prague.frac_cwnd = 128.0;
        prague.rtts.sample(Some(Duration::from_millis(100)));
        prague.pace(&mut w, Instant::from_millis(ms));
        w.pacing.unwrap().bps()
    };
    assert_eq!(pace(f64::INFINITY, 0), 30_720_000);
    assert_eq!([pace(2.0, 49), pace(2.0, 50)], [15_840_000, 14_880_000]);
}

#[test]
fn a_loss_halves_the_window_and_nothing_grows_until_it_is_repaired() {
    let (mut prague, mut w) = (prague("alpha_init=0"), window(40.0, 20.0));
    prague.on_loss(&mut w, &LOSS);
    (0..30).for_each(|_| prague.on_ack(&mut w, &ack(1, 0)));
    assert_eq!((w.cwnd, prague.frac_cwnd), (20.0, 20.0));
    let recovered = Recovered {
        now: Instant::ZERO,
        retransmitted: MSS,
        flight: 0,
    };
    prague.on_recovered(&mut w, &recovered);
    prague.on_ack(&mut w, &ack(1, 0));
    assert_eq!(prague.frac_cwnd, 20.05);
}

#[test]
fn a_loss_that_was_none_gives_the_window_back() {
    let (mut prague, mut w) = (prague(""), window(40.0, 20.0));
    prague.on_loss(&mut w, &LOSS);
    (0..30).for_each(|_| prague.on_ack(&mut w, &ack(1, 0)));
    prague.on_spurious(&mut w);
    assert_eq!((w.cwnd, prague.frac_cwnd), (40.0, 40.0));
}

#[test]
fn after_a_timeout_the_window_climbs_to_half_of_what_it_was_and_grows_when_all_is_repaired() {
    let (mut prague, mut w) = (prague(""), window(40.0, f64::INFINITY));
    let timeout = Timeout {
        now: Instant::ZERO,
        flight: 40 * MSS,
        usable: 40.0,
        repeated: false,
    };
    prague.on_timeout(&mut w, &timeout);
    assert_eq!((w.cwnd, w.ssthresh), (1.0, 20.0));
    let repairing = |una| Ack {
        una,
        nxt: 100,
        ..ack(1, 0)
    };
    (0..30).for_each(|_| prague.on_ack(&mut w, &repairing(99)));
    assert_eq!(w.cwnd, 20.0);
    prague.on_ack(&mut w, &repairing(100));
    assert_eq!(prague.frac_cwnd, 20.05);
}

#[test]
fn a_window_that_nobody_uses_does_not_grow() {
    let (mut prague, mut w) = (prague(""), window(40.0, 20.0));
    let idle = Ack {
        cwnd_limited: false,
        queued: 0,
        ..ack(1, 0)
    };
    prague.on_ack(&mut w, &idle);
    assert_eq!(prague.frac_cwnd, 40.0);
    // Where the pacer holds data back, the window is in use.
    let paced = Ack {
        queued: MSS,
        ..idle
    };
    prague.on_ack(&mut w, &paced);
    assert!(prague.frac_cwnd > 40.0);
}

fn started(counts_marks: bool) -> (Controller, Window) {
    let mut c = catalog::controller("slow-start", "prague", Convention::LINUX).unwrap();
    let mut w = Window::new(MSS as u32);
    let e = Established {
        initial_window: 10.0,
        rtt: Some(Duration::from_millis(20)),
        counts_marks,
        ..Established::at(Instant::ZERO)
    };
    c.on_established(&mut w, &e);
    (c, w)
}

#[test]
fn a_mark_in_the_first_flight_ends_slow_start_at_half_of_it() {
    let (mut c, mut w) = started(true);
    c.on_marked(&mut w, &marked());
    (0..5).for_each(|_| c.on_ack(&mut w, &ack(2, 2)));
    assert_eq!(w.cwnd, 5.0);
    let exit = c.exit().map(|exit| (exit.reason, exit.cwnd));
    assert_eq!(exit, Some((Reason::Ecn, 10.0)));
}

#[test]
fn where_marks_are_not_counted_it_is_reno() {
    let (mut c, mut w) = started(false);
    assert!(!c.owns_cwnd());
    c.on_ack(&mut w, &ack(10, 0));
    assert_eq!(w.cwnd, 20.0);
    c.on_marked(&mut w, &marked());
    assert_eq!((w.cwnd, w.ssthresh), (10.0, 10.0));
    assert!(!c.owns_cwnd());
    (0..10).for_each(|_| c.on_ack(&mut w, &ack(1, 0)));
    assert_eq!((w.cwnd, w.pacing), (11.0, None));
}

#[test]
fn with_rtt_independence_the_window_is_cut_once_in_the_target() {
    let (mut prague, mut w) = (prague(""), window(100.0, 50.0));
    prague.rounds = 4;
    let cut_at = |prague: &mut Prague, w: &mut Window, ms| {
        prague.on_marked(w, &marked());
        let a = Ack {
            now: Instant::from_millis(ms),
            ..ack(1, 1)
        };
        prague.on_ack(w, &a);
        prague.frac_cwnd
    };
    let left = [100, 124, 125].map(|ms| cut_at(&mut prague, &mut w, ms));
    assert_eq!(left, [50.0, 50.0, 25.0]);
}

#[test]
fn a_rate_beyond_any_burst_leaves_a_burst_of_the_largest_size() {
    let mut prague = prague("");
    let mut w = window(4e18, f64::INFINITY);
    (prague.frac_cwnd, prague.rtts.smoothed) = (w.cwnd, Duration(1 << 10));
    prague.pace(&mut w, Instant::ZERO);
    assert_eq!((w.quantum, w.most_together), (u32::MAX, u32::MAX));
}
