use super::*;
use crate::params::AlgorithmKind;
use crate::signals::{Delivery, Loss, RateSample, Timeout};
use crate::testing::{at_ms, ms, slow_start, with_reno};

const MSS: u64 = 1460;

fn search(spec: &str) -> Search {
    let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, spec).unwrap();
    Search::new(&params, Convention::RFC).unwrap()
}

fn window(cwnd: f64) -> Window {
    Window {
        cwnd,
        ..Window::new(MSS as u32)
    }
}

fn ack(at: Instant, acked: u64, rtt: f64) -> Ack {
    Ack {
        rtt: Some(ms(rtt)),
        ..Ack::of(at, acked)
    }
}

/// One that had its first ACK at 100 ms, with that round trip.
fn begun(spec: &str) -> Search {
    let mut s = search(spec);
    assert!(!s.update(&ack(at_ms(100.0), MSS, 100.0)));
    s
}

fn sent(s: &mut Search, bytes: u64) {
    let sent = Sent {
        now: Instant::ZERO,
        bytes: bytes as u32,
        seq: 0,
        retransmission: false,
        flight: 0,
    };
    s.on_sent(&mut window(10.0), &sent);
}

/// V1
#[test]
fn a_bin_is_035_of_the_first_round_trip_and_its_end_belongs_to_some() {
    let ended = |variant: &str, after: Duration| {
        let mut s = begun(variant);
        assert_eq!((s.bins.duration, s.bins.end), (ms(35.0), at_ms(135.0)));
        s.update(&ack(at_ms(135.0) + after, MSS, 100.0));
        s.bins.idx
    };
    for (variant, at_the_end) in [
        ("variant=linux40", 1),
        ("variant=linux31", 1),
        ("variant=freebsd40", 1),
        ("variant=freebsd32", 1),
        ("variant=linux30", 0),
        ("variant=neqo", 0),
        ("variant=draft09", 0),
    ] {
        assert_eq!(ended(variant, Duration::ZERO), at_the_end, "{variant}");
        assert_eq!(ended(variant, Duration::from_micros(1)), 1, "{variant}");
    }
}

#[test]
fn bins_that_passed_together_are_alike() {
    let mut s = begun("variant=neqo");
    s.update(&ack(at_ms(170.0) + Duration(1), MSS, 100.0));
    assert_eq!(s.bins.idx, 2);
    assert_eq!(s.bins.at(1), s.bins.at(0));
    assert_eq!(s.bins.at(2).acked, 2 * MSS);
}

/// A kernel counts microseconds.
#[test]
fn the_authors_bins_are_whole_microseconds() {
    let width = |spec: &str, rtt: Duration| {
        let mut s = search(spec);
        s.update(&Ack {
            rtt: Some(rtt),
            ..Ack::of(Instant::ZERO, MSS)
        });
        s.bins.duration
    };
    let rtt = Duration(10_009_000);
    assert_eq!(width("variant=neqo", rtt), Duration(3_503_150));
    assert_eq!(width("variant=linux40", rtt), Duration(3_503_000));
    assert_eq!(width("variant=linux40", Duration(1)), Duration(1_000));
}

/// How many bins it looks back from bin 100 by this round trip, and the fraction.
fn looks_back(variant: &str, rtt: f64) -> Option<(u64, u64)> {
    let mut s = begun(variant);
    s.bins.idx = 100;
    let rules = &s.rules;
    let found = s.bins.look_back(ms(rtt), rules.history, rules.extra_bins);
    found.map(|(p, f)| (100 - p, f))
}

/// V2
#[test]
fn it_looks_back_by_whole_bins_and_hundredths() {
    assert_eq!(looks_back("variant=neqo", 100.0), Some((2, 85)));
    assert_eq!(looks_back("variant=linux40", 70.0), Some((2, 0)));
    let mut s = quadratic("variant=linux30", 0);
    s.rules.against_sent = true;
    assert_eq!(s.rules.expected(&s.bins, 12, 85), 140_000, "no fraction");
}

/// V3
#[test]
fn beyond_its_limit_it_is_blind() {
    for (variant, rtt, back) in [
        ("variant=neqo", 600.0, None),
        ("variant=linux40", 600.0, Some(17)),
        ("variant=neqo", 525.0, None),
        ("variant=neqo", 524.0, Some(14)),
        ("variant=linux40", 1365.0, None),
        ("variant=linux40", 1364.0, Some(38)),
        ("variant=linux30", 525.0, Some(15)),
        ("variant=linux30", 560.0, None),
        ("variant=linux31", 490.0, None),
        ("variant=freebsd32", 1190.0, None),
        ("variant=freebsd32", 1189.0, Some(33)),
    ] {
        let found = looks_back(variant, rtt).map(|(back, _)| back);
        assert_eq!(found, back, "{variant} {rtt}");
    }
}

/// The earliest decision is one bin earlier in the authors' modules.
#[test]
fn it_needs_a_window_of_history() {
    let sees = |variant: &str, idx| {
        let mut s = begun(variant);
        s.bins.idx = idx;
        let rules = &s.rules;
        let found = s.bins.look_back(ms(100.0), rules.history, rules.extra_bins);
        found.is_some()
    };
    assert_eq!([12, 13].map(|idx| sees("variant=neqo", idx)), [false, true]);
    assert_eq!(
        [11, 12].map(|idx| sees("variant=linux40", idx)),
        [false, true]
    );
}

/// After fourteen bins, 1000 i² bytes sent by the end of bin i and so many delivered in
/// the last ten.
fn quadratic(spec: &str, delivered: u64) -> Search {
    let mut s = begun(spec);
    for i in 1..=14 {
        let totals = Totals {
            sent: 1000 * i * i,
            acked: if i == 14 { delivered } else { 0 },
        };
        s.bins.ring[0].acked = 0;
        s.bins.close(1, totals);
    }
    s
}

/// V4
#[test]
fn the_share_that_is_missing_decides() {
    for (variant, expected) in [
        ("variant=neqo", 123_000),
        ("variant=linux40", 123_000),
        ("variant=neqo,interpolation=forward", 157_000),
    ] {
        let s = quadratic(variant, 0);
        assert_eq!(s.rules.expected(&s.bins, 12, 85), expected, "{variant}");
    }
    assert!(quadratic("variant=neqo", 91_020).too_little());
    assert!(!quadratic("variant=neqo", 91_021).too_little());
    assert!(!quadratic("variant=linux40", 91_020).too_little());
    assert!(quadratic("variant=linux40", 79_950).too_little());
    assert!(!quadratic("variant=linux40", 79_951).too_little());
    assert!(!quadratic("variant=neqo,thresh=0.35", 91_020).too_little());
}

/// V5
#[test]
fn the_tenth_bin_has_no_neighbour_before_its_window() {
    let s = quadratic("variant=linux40", 0);
    assert_eq!(s.rules.expected(&s.bins, 10, 85), 83_850);
}

#[test]
fn steady_sending_has_nothing_missing() {
    let mut s = begun("variant=neqo,thresh=0.0001");
    for i in 1..=20 {
        sent(&mut s, 1000);
        let at = at_ms(100.0 + 35.0 * f64::from(i)) + Duration(1);
        assert!(!s.update(&ack(at, 1000, 100.0)));
    }
    let expected = s.rules.expected(&s.bins, 18, 0);
    assert_eq!((expected, s.bins.delivered(W)), (10_000, 10_000));
}

/// V6
#[test]
fn silence_starts_some_anew() {
    let after = |bins: f64, spec: &str| {
        let mut s = begun(spec);
        s.update(&ack(at_ms(100.0 + 35.0 * bins) + Duration(1), MSS, 200.0));
        s
    };
    assert_eq!(after(10.0, "variant=neqo").bins.idx, 10);
    let mut s = after(11.0, "variant=neqo");
    assert_eq!((s.phase, s.totals), (Phase::Waiting, Totals::default()));
    s.update(&ack(at_ms(700.0), MSS, 200.0));
    assert_eq!((s.bins.idx, s.bins.duration), (0, ms(70.0)));
    assert_eq!(after(4.0, "variant=freebsd40").bins.idx, 4);
    for (bins, width) in [(5.0, 35.0), (10.0, 35.0), (11.0, 70.0)] {
        let s = after(bins, "variant=freebsd40");
        let now = at_ms(100.0 + 35.0 * bins) + Duration(1);
        assert_eq!((s.phase, s.bins.idx), (Phase::Watching, 0), "{bins}");
        assert_eq!((s.bins.duration, s.bins.end), (ms(width), now + ms(width)));
        assert_eq!(s.bins.at(0).acked, 2 * MSS);
    }
    for spec in ["variant=linux40", "variant=neqo,reset=false"] {
        assert_eq!(after(11.0, spec).bins.idx, 11);
        assert_eq!(after(1e6, spec).bins.idx, 1_000_000);
    }
    assert_eq!(
        after(11.0, "variant=linux40,reset=true").phase,
        Phase::Waiting
    );
}

#[test]
fn an_application_without_data_is_no_full_path() {
    let idle = |spec: &str, cwnd_limited: bool, app_limited: bool| {
        let mut s = begun(spec);
        let delivery = Delivery {
            sample: Some(RateSample {
                app_limited,
                ..RateSample::default()
            }),
            ..Delivery::default()
        };
        s.update(&Ack {
            cwnd_limited,
            delivery: Some(delivery),
            ..ack(at_ms(150.0), MSS, 200.0)
        });
        (s.bins.idx, s.bins.end == at_ms(185.0), s.totals.acked)
    };
    let (counted, passed, anew) = ((0, false, 2 * MSS), (1, false, 2 * MSS), (0, true, 2 * MSS));
    assert_eq!(idle("variant=neqo", false, true), counted);
    assert_eq!(idle("variant=neqo", true, true), passed);
    assert_eq!(idle("variant=linux40", true, true), anew);
    assert_eq!(idle("variant=linux40", false, false), passed);
    assert_eq!(idle("variant=linux31", false, false), anew);
    for variant in ["variant=linux30", "variant=freebsd40", "variant=freebsd32"] {
        assert_eq!(idle(variant, false, true), passed, "{variant}");
    }
}

#[test]
fn the_kernels_hook_leaves_acks_without_a_sample_out() {
    let idx = |spec: &str| {
        let mut s = begun(spec);
        s.update(&Ack::of(at_ms(150.0), MSS));
        (s.bins.idx, s.totals.acked)
    };
    assert_eq!(idx("variant=linux40"), (0, 2 * MSS));
    assert_eq!(idx("variant=freebsd40"), (1, 2 * MSS));
}

/// The windows of a drain from 100 to 60 segments whose ACKs are for so many.
fn drained(step: u64) -> (Vec<f64>, Window) {
    let mut s = search("variant=linux40");
    let mut w = window(100.0);
    s.phase = Phase::Draining(Drain {
        target: 60.0,
        delivered: 0,
        until: Instant::MAX,
    });
    let mut windows = vec![];
    let mut flight = 100;
    while matches!(s.phase, Phase::Draining(_)) {
        flight -= step;
        let a = Ack {
            flight: flight * MSS,
            ..ack(Instant::ZERO, step * MSS, 100.0)
        };
        s.on_ack(&mut w, &a, &mut slow_start());
        windows.push(w.cwnd);
        flight = flight.max(w.cwnd_segments());
    }
    (windows, w)
}

/// V7
#[test]
fn a_drain_lets_one_segment_leave_for_three_delivered() {
    let (windows, w) = drained(1);
    assert_eq!(windows[..6], [99.0, 98.0, 98.0, 97.0, 96.0, 96.0]);
    assert_eq!((w.cwnd, w.ssthresh), (60.0, 60.0));
    let (windows, w) = drained(2);
    assert_eq!(windows[..3], [98.0, 97.0, 96.0]);
    assert_eq!((w.cwnd, w.ssthresh), (60.0, 60.0));
}

#[test]
fn a_short_drain_ends_after_two_round_trips() {
    let until = |exit: &str| {
        let mut s = quadratic(&format!("variant=neqo,exit={exit}"), 60 * MSS);
        s.latest_rtt = ms(100.0);
        s.leave(
            &mut window(100.0),
            &ack(at_ms(100.0), MSS, 100.0),
            &mut slow_start(),
        );
        match s.phase {
            Phase::Draining(drain) => drain.until,
            _ => Instant::ZERO,
        }
    };
    let ends = ["drain", "short-drain", "at-once"].map(until);
    assert_eq!(ends, [Instant::MAX, at_ms(300.0), Instant::ZERO]);
    let mut s = search("exit=drain");
    let mut w = window(100.0);
    s.phase = Phase::Draining(Drain {
        target: 60.0,
        delivered: 0,
        until: at_ms(300.0),
    });
    let a = Ack {
        flight: 90 * MSS,
        ..ack(at_ms(300.0), MSS, 100.0)
    };
    s.on_ack(&mut w, &a, &mut slow_start());
    assert_eq!((s.phase, w.cwnd, w.ssthresh), (Phase::Done, 90.0, 90.0));
}

/// When a sender leaves that doubles per round trip until it fills a path: in round trips
/// after capacity is reached. Each ACK lets two segments leave; `rtt` gives the round trip
/// is measured then.
fn left_at(spec: &str, rtt: fn(f64) -> f64) -> f64 {
    const STEPS: i32 = 200;
    const CAPACITY: f64 = 1e8;
    let mut s = search(spec);
    let mut w = window(10.0);
    for step in -10 * STEPS.. {
        let x = f64::from(step) / f64::from(STEPS);
        let delivered = (CAPACITY * libm::exp2(x.min(0.0))) as u64 / STEPS as u64;
        let at = Instant::from_secs_f64(10.0 + x);
        if s.on_ack(
            &mut w,
            &ack(at, delivered, 1000.0 * rtt(x)),
            &mut slow_start(),
        )
        .is_some()
        {
            return x;
        }
        sent(&mut s, 2 * delivered);
    }
    unreachable!("it leaves at some time")
}

/// The thresholds are crossed 1.45 and 2.20 round trips after capacity; a bin is 0.35.
#[test]
fn it_leaves_about_two_round_trips_after_capacity() {
    for (spec, crossed) in [
        ("variant=draft09", 1.45),
        ("variant=neqo", 1.45),
        ("variant=linux40", 2.20),
        ("variant=freebsd40", 1.45),
        ("variant=freebsd32", 2.20),
        ("variant=linux31", 2.20),
        ("variant=linux31,thresh=0.26", 1.45),
        ("variant=initial-rtt", 1.45),
    ] {
        let x = left_at(spec, |_| 1.0);
        assert!((crossed - 0.02..crossed + 0.37).contains(&x), "{spec}: {x}");
    }
}

/// The round trip through a queue without end: since when what is delivered now was sent.
fn round_trip(x: f64) -> f64 {
    let volume = |x: f64| libm::exp2(x.min(0.0)) / std::f64::consts::LN_2 + x.max(0.0);
    let delivered = volume(x) / 2.0;
    let left = if delivered < volume(0.0) {
        libm::log2(delivered * std::f64::consts::LN_2)
    } else {
        delivered - volume(0.0)
    };
    x - left
}

/// With the latest sample 1.7 bandwidth-delay products wait before it sees anything.
#[test]
fn the_latest_sample_looks_past_a_growing_queue() {
    for variant in ["variant=draft09", "variant=neqo", "variant=freebsd40"] {
        let x = left_at(variant, round_trip);
        assert!((3.86..4.25).contains(&x), "{variant}: {x}");
    }
    assert!((round_trip(3.88) - 2.66).abs() < 0.01);
    for spec in ["variant=initial-rtt", "variant=neqo,look_back=initial"] {
        let x = left_at(spec, round_trip);
        assert!((1.43..1.82).contains(&x), "{spec}: {x}");
    }
}

/// V8: two initial round trips are five bins.
#[test]
fn rolling_back_takes_what_two_round_trips_delivered() {
    let rolled = |spec: &str, cwnd, delivered: u64, rtt| {
        let mut s = begun(spec);
        s.iw = 10.0;
        s.latest_rtt = ms(rtt);
        for i in 1..=20 {
            let totals = Totals {
                acked: MSS * i * delivered / 5,
                sent: 0,
            };
            s.bins.close(1, totals);
        }
        let mut w = window(cwnd);
        s.leave(&mut w, &ack(at_ms(900.0), MSS, rtt), &mut slow_start());
        assert_eq!(w.ssthresh, w.cwnd);
        w.cwnd
    };
    let (v30, v31) = (
        "variant=linux30,exit=roll-back",
        "variant=linux31,exit=roll-back",
    );
    let freebsd = "variant=freebsd32";
    for spec in [v30, v31, freebsd] {
        assert_eq!(rolled(spec, 120.0, 70, 100.0), 50.0, "{spec}");
    }
    let beyond = [v30, v31, freebsd].map(|spec| rolled(spec, 120.0, 130, 100.0));
    assert_eq!(beyond, [120.0, 10.0, 10.0]);
    // FreeBSD's takes the latest round trip: eleven bins of the same, and none beyond 39.
    assert_eq!(
        [v31, freebsd].map(|spec| rolled(spec, 200.0, 70, 200.0)),
        [130.0, 46.0]
    );
    assert_eq!(rolled(freebsd, 120.0, 70, 701.0), 120.0);
    assert_eq!(rolled("variant=linux31", 120.0, 70, 100.0), 120.0, "off");
}

#[test]
fn every_stack_has_the_reading_that_runs_there() {
    let by_stack = |convention| {
        let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, "").unwrap();
        let rules = Search::new(&params, convention).unwrap().rules;
        (rules.thresh, rules.extra_bins, rules.exit)
    };
    assert_eq!(by_stack(Convention::LINUX), (3500, 39, ExitRule::Drain));
    assert_eq!(by_stack(Convention::QUIC), (2600, 15, ExitRule::AtOnce));
    for convention in [Convention::RFC, Convention::NS2] {
        assert_eq!(by_stack(convention), (2600, 15, ExitRule::Drain));
    }
}

#[test]
fn a_loss_ends_it_and_a_timeout_begins_it_anew() {
    let mut s = begun("");
    let loss = Loss {
        now: Instant::ZERO,
        flight: 0,
        usable: 1.0,
    };
    assert_eq!(
        s.on_congestion(&mut window(10.0), &Congestion::Loss(loss)),
        Response::STANDARD
    );
    assert_eq!(s.phase, Phase::Done);
    let timeout = Timeout {
        now: Instant::ZERO,
        flight: 0,
        usable: 1.0,
        repeated: false,
    };
    s.on_congestion(&mut window(10.0), &Congestion::Timeout(timeout));
    assert_eq!(s.phase, Phase::Waiting);
}

#[test]
fn it_grows_threefold_at_rapid_starts_speed() {
    let grown = |spec: &str| {
        let mut s = search(spec);
        let mut w = window(10.0);
        for _ in 0..10 {
            s.on_ack(&mut w, &ack(at_ms(100.0), MSS, 100.0), &mut slow_start());
        }
        w.cwnd
    };
    assert_eq!([grown(""), grown("speed=rapid-start")], [20.0, 30.0]);
}

#[test]
fn constants_that_make_no_sense_are_refused() {
    let complaint = |spec| {
        let refused = with_reno(&ENTRY, spec, Convention::RFC);
        refused.err().unwrap().to_string()
    };
    assert_eq!(
        complaint("extra_bins=2.5"),
        "startup `search`: parameter `extra_bins`: `2.5` is not a whole number from 1 to 1000"
    );
    assert!(complaint("variant=linux50").contains("`linux50` is not one of `draft09`, `neqo`"));
    assert!(complaint("thresh=26").ends_with("`26` is not a number from 0 to 1"));
}
