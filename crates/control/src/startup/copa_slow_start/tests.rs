use super::*;
use crate::params::AlgorithmKind;
use crate::signals::{Delivery, Loss, Timeout};
use crate::testing::{self, at_ms, ms, slow_start, with_reno};
use crate::{Controller, Convention, Rate};

/// The vectors' segments.
const MSS: u64 = 1252;

fn copa(spec: &str) -> CopaSlowStart {
    let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, spec).unwrap();
    CopaSlowStart::new(&params).unwrap()
}

fn window(bytes: f64) -> Window {
    Window {
        cwnd: bytes / MSS as f64,
        header: 0,
        ..Window::new(MSS as u32)
    }
}

/// An ACK of so many bytes at `now`, after a round trip of `rtt`, both in milliseconds.
fn ack(now: f64, rtt: f64, bytes: u64) -> Ack {
    Ack {
        rtt: Some(ms(rtt)),
        ..Ack::of(at_ms(now), bytes)
    }
}

/// Where a window of so many packets is after a sample.
fn position(c: &mut CopaSlowStart, cwnd: f64, now: f64, rtt: f64) -> Position {
    let (standing, delay) = c.measure(&ack(now, rtt, MSS)).unwrap();
    c.position(cwnd, standing, delay)
}

fn assert_below(c: &mut CopaSlowStart, acks: &[(f64, f64)]) {
    for &(now, rtt) in acks {
        assert_eq!(position(c, 1.0, now, rtt), Position::Below, "{now} ms");
    }
}

/// After a least round trip of 20 ms and a standing one of 25, the former long ago.
fn delayed(spec: &str) -> CopaSlowStart {
    let mut c = copa(spec);
    assert_below(&mut c, &[(0.0, 20.0), (100.0, 25.0)]);
    c
}

/// V1
#[test]
fn the_rate_may_be_the_target_and_not_a_byte_more() {
    let after = |spec: &str, bytes| {
        let mut w = window(bytes);
        delayed(spec).on_ack(&mut w, &ack(101.0, 25.0, MSS), &mut slow_start())
    };
    assert_eq!(after("delta=0.5", 12_520.0), None);
    assert_eq!(after("delta=0.5", 12_521.0), Some(Reason::Delay));
    assert_eq!(after("delta=0.25", 25_040.0), None);
    assert_eq!(after("delta=0.25", 25_041.0), Some(Reason::Delay));
    // mvfst's own.
    assert_eq!(after("", 125_200.0), None);
    assert_eq!(after("", 125_201.0), Some(Reason::Delay));
}

#[test]
fn the_authors_end_at_the_target_after_the_packet_that_reaches_it() {
    let after = |bytes| {
        let mut c = delayed("variant=generic");
        let mut w = window(bytes);
        let reason = c.on_ack(&mut w, &ack(101.0, 25.0, MSS), &mut slow_start());
        (reason, (w.cwnd * MSS as f64).round())
    };
    assert_eq!(after(11_267.0), (None, 12_519.0));
    assert_eq!(after(11_268.0), (Some(Reason::Delay), 12_520.0));
}

#[test]
fn without_a_queue_no_rate_is_too_high() {
    let position = copa("").position(1e9, ms(20.0), Duration::ZERO);
    assert_eq!(position, Position::Below);
}

/// V2
#[test]
fn the_first_ack_starts_the_clock_and_one_per_round_trip_doubles() {
    let mut c = copa("");
    let mut w = window(12_520.0);
    let mut windows = vec![];
    for now in [50.0, 50.2, 100.0, 100.2, 100.4, 150.2, 150.4] {
        let reason = c.on_ack(&mut w, &ack(now, 50.0, MSS), &mut slow_start());
        assert_eq!(reason, None);
        windows.push(w.cwnd_bytes());
    }
    let doubled = [12_520, 12_520, 12_520, 25_040, 25_040, 25_040, 50_080];
    assert_eq!(windows, doubled);
    // Two windows in 50 ms.
    assert_eq!(w.pacing, Some(Rate::of(2 * 50_080, ms(50.0))));
}

#[test]
fn a_window_that_is_not_used_is_not_doubled() {
    let mut c = copa("");
    let mut w = window(12_520.0);
    for now in [50.0, 200.0] {
        let a = Ack {
            cwnd_limited: false,
            ..ack(now, 50.0, MSS)
        };
        c.on_ack(&mut w, &a, &mut slow_start());
    }
    assert_eq!(w.cwnd_bytes(), 12_520);
}

/// V3
#[test]
fn the_ack_that_ends_it_takes_the_ordinary_decrease() {
    let mut c = delayed("delta=0.5");
    let mut w = window(100_160.0);
    let end = c.on_ack(&mut w, &ack(101.0, 25.0, 2_504), &mut slow_start());
    assert_eq!(end, Some(Reason::Delay));
    let taken = 100_160.0 - w.cwnd * MSS as f64;
    assert!((taken - 62.6).abs() < 1e-9, "{taken}");
    assert_eq!((w.ssthresh, w.pacing), (w.cwnd, None));
    assert!(!c.owns_cwnd());
}

fn opened(spec: &str) -> (Controller, Window) {
    let e = Established {
        initial_window: 10.0,
        rtt: Some(ms(50.0)),
        ..Established::at(at_ms(50.0))
    };
    testing::opened(&ENTRY, spec, Convention::RFC, MSS, &e)
}

/// V4
#[test]
fn the_authors_measure_for_two_windows_and_grow_by_a_packet_each() {
    let (mut c, mut w) = opened("variant=generic");
    let mut windows = vec![];
    for number in 1..=21 {
        c.on_ack(&mut w, &ack(100.0 + f64::from(number), 50.0, MSS));
        windows.push(w.cwnd);
    }
    assert_eq!(windows[..19], [10.0; 19]);
    assert_eq!(windows[19..], [11.0, 12.0]);
}

#[test]
fn the_standing_round_trip_is_the_least_of_half_a_smoothed_one() {
    let mut least = Least::default();
    let mut sample = |now, rtt| least.sample(at_ms(now), ms(rtt), ms(20.0));
    assert_eq!(sample(0.0, 40.0), ms(40.0));
    assert_eq!(sample(10.0, 48.0), ms(40.0));
    assert_eq!(sample(15.0, 44.0), ms(40.0));
    assert_eq!(sample(20.0, 60.0), ms(40.0));
    assert_eq!(sample(21.0, 60.0), ms(44.0));
    assert_eq!(sample(50.0, 70.0), ms(70.0));
    // Smoothed 42.5 ms: for 21.25 the standing one is 40, then 60.
    let after = |spec: &str, now| {
        let mut c = copa(spec);
        assert_below(&mut c, &[(0.0, 40.0)]);
        position(&mut c, 10.0, now, 60.0)
    };
    assert_eq!(after("variant=generic", 21.0), Position::Below);
    assert_eq!(after("variant=generic", 22.0), Position::Above);
    assert_eq!(after("variant=generic,standing=1", 22.0), Position::Below);
    // mvfst's is that of a whole one where its delay counts.
    assert_eq!(after("delay=standing,delta=0.5", 42.0), Position::Below);
    assert_eq!(after("delay=standing,delta=0.5", 43.0), Position::Above);
}

#[test]
fn the_least_round_trip_is_forgotten_after_ten_seconds() {
    let after = |now| {
        let mut c = copa("");
        assert_below(&mut c, &[(0.0, 20.0), (5.0, 25.0)]);
        position(&mut c, 101.0, now, 25.0)
    };
    assert_eq!(after(10_000.0), Position::Above);
    assert_eq!(after(10_001.0), Position::Below);
}

#[test]
fn an_ack_without_a_sample_changes_nothing() {
    let mut c = copa("");
    let mut w = window(12_520.0);
    c.on_ack(&mut w, &ack(50.0, 50.0, MSS), &mut slow_start());
    let blind = Ack::of(at_ms(150.0), MSS);
    assert_eq!(c.on_ack(&mut w, &blind, &mut slow_start()), None);
    assert_eq!(w.cwnd_bytes(), 12_520);
}

#[test]
fn a_single_late_ack_ends_it_only_where_the_latest_counts() {
    let after = |spec: &str| {
        let mut c = copa(spec);
        assert_below(&mut c, &[(0.0, 20.0)]);
        let mut w = window(51.0 * MSS as f64);
        c.on_ack(&mut w, &ack(1.0, 30.0, MSS), &mut slow_start())
    };
    assert_eq!(after(""), Some(Reason::Delay));
    assert_eq!(after("delay=standing"), None);
}

#[test]
fn a_threshold_ends_it() {
    let (mut c, mut w) = opened("ssthresh=15");
    c.on_ack(&mut w, &ack(100.0, 50.0, MSS));
    c.on_ack(&mut w, &ack(150.2, 50.0, MSS));
    assert_eq!((w.cwnd, w.pacing, c.owns_cwnd()), (15.0, None, false));
    assert_eq!(c.exit().unwrap().reason, Reason::Ssthresh);
    let (c, w) = opened("ssthresh=5");
    assert_eq!((w.cwnd, w.pacing, c.owns_cwnd()), (10.0, None, false));
}

fn lose(c: &mut Controller, w: &mut Window) {
    let loss = Loss {
        now: at_ms(120.0),
        flight: w.cwnd_bytes(),
        usable: w.cwnd,
    };
    c.on_loss(w, &loss);
}

#[test]
fn a_loss_does_not_end_it() {
    for (spec, left) in [
        ("", 10.0),
        ("variant=generic", 10.0),
        ("variant=generic,loss_rate=0", 7.0),
        ("variant=generic,loss_rate=0,beta=1", 10.0),
    ] {
        let (mut c, mut w) = opened(spec);
        c.on_ack(&mut w, &ack(100.0, 50.0, MSS));
        lose(&mut c, &mut w);
        assert_eq!((w.cwnd, c.exit()), (left, None), "{spec}");
        assert!(c.recovery_is_self_managed());
    }
    // It doubles while what was lost is repaired.
    let (mut c, mut w) = opened("");
    c.on_ack(&mut w, &ack(100.0, 50.0, MSS));
    lose(&mut c, &mut w);
    c.on_recovery_ack(&mut w, &ack(150.2, 50.0, MSS));
    assert_eq!(w.cwnd, 20.0);
}

#[test]
fn the_authors_answer_losses_of_more_than_three_in_ten_every_two_round_trips() {
    let after = |lost: u64, now| {
        let (mut c, mut w) = opened("variant=generic");
        let delivery = Some(Delivery {
            lost: lost * MSS,
            ..Delivery::default()
        });
        let a = Ack {
            delivery,
            ..ack(now, 50.0, 14 * MSS)
        };
        c.on_ack(&mut w, &a);
        (w.cwnd, c.exit().copied())
    };
    // A period is more than two round trips, from 50 ms on, and more than twenty packets.
    assert_eq!(after(7, 150.0), (10.0, None));
    assert_eq!(after(7, 150.1), (7.0, None));
    assert_eq!(after(6, 150.1), (10.0, None));
}

#[test]
fn a_timeout_ends_it_and_slow_start_follows() {
    let (mut c, mut w) = opened("");
    assert!(w.pacing.is_some());
    let timeout = Timeout {
        now: at_ms(300.0),
        flight: w.cwnd_bytes(),
        usable: w.cwnd,
        repeated: false,
    };
    c.on_timeout(&mut w, &timeout);
    let exit = c.exit().unwrap();
    assert_eq!((exit.reason, exit.cwnd), (Reason::Timeout, 10.0));
    assert_eq!((w.cwnd, w.ssthresh, w.pacing), (1.0, 5.0, None));
    c.on_ack(&mut w, &ack(350.0, 50.0, MSS));
    assert_eq!(w.cwnd, 2.0);
}

#[test]
fn what_a_loss_leaves_is_the_authors() {
    let refused = with_reno(&ENTRY, "beta=0.5", Convention::RFC);
    assert!(
        refused
            .err()
            .unwrap()
            .to_string()
            .ends_with("parameter `beta` has no effect here; it needs `variant=generic`")
    );
    assert!(with_reno(&ENTRY, "loss_rate=0", Convention::RFC).is_err());
}
