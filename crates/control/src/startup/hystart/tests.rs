use super::*;
use crate::signals::Timeout;
use crate::testing::{at_ms, ms, slow_start};
use crate::{Controller, catalog};

const MSS: u64 = 1460;

fn hystart(spec: &str) -> HyStart {
    let specs = ENTRY.params;
    let kind = crate::params::AlgorithmKind::STARTUP;
    let params = Params::parse(kind, "hystart", specs, spec).unwrap();
    HyStart::new(&params, Convention::RFC).unwrap()
}

/// A connection in the middle of slow start.
struct Flow {
    c: Controller,
    w: Window,
    una: u64,
    nxt: u64,
}

impl Flow {
    fn new(spec: &str, cwnd: f64) -> Flow {
        let spec = format!("hystart:{spec}");
        let mut c = catalog::controller(&spec, "none", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        c.on_established(&mut w, &Established::at(Instant::ZERO));
        w.cwnd = cwnd;
        Flow {
            c,
            w,
            una: 0,
            nxt: 0,
        }
    }

    /// An ACK of one segment; the window stays, so that the test sees one thing only.
    fn ack(&mut self, now: Instant, rtt: Duration) -> Option<Reason> {
        let cwnd = self.w.cwnd;
        self.una += MSS;
        let (una, nxt) = (self.una, self.nxt);
        let ack = Ack {
            una,
            nxt,
            rtt: Some(rtt),
            ..Ack::of(now, MSS)
        };
        self.c.on_ack(&mut self.w, &ack);
        self.w.cwnd = cwnd;
        self.c.exit().map(|exit| exit.reason)
    }

    /// So many more segments are out, and a round of them begins with the next ACK.
    fn round(&mut self, segments: u64) {
        self.nxt = self.una + segments * MSS;
    }
}

#[test]
fn the_rise_that_counts() {
    let eta = |variant: &str, rtts: [f64; 6]| {
        let h = hystart(&format!("variant={variant}"));
        rtts.map(|rtt| h.eta(ms(rtt)).nanos() as f64 / 1e6)
    };
    let rtts = [10.0, 40.0, 64.0, 100.0, 200.0, 300.0];
    assert_eq!(eta("2008", rtts), [2.0, 3.0, 4.0, 7.0, 13.0, 19.0]);
    assert_eq!(eta("linux-2.6.29", rtts), [2.0, 2.5, 4.0, 6.25, 12.5, 16.0]);
    for variant in ["2011", "linux-3.19", "linux-5.6", "s2n"] {
        assert_eq!(eta(variant, rtts), [4.0, 5.0, 8.0, 12.5, 16.0, 16.0]);
    }
}

/// The ACK with which `s2n` leaves: nine of 50 ms, and then these. Ten packets are out, and each
/// ACK sends another.
fn s2n_leaves(then: [f64; 9]) -> Option<usize> {
    let mut h = hystart("variant=s2n");
    let mut w = Window::new(MSS as u32);
    w.cwnd = 100.0;
    let mut out: std::collections::VecDeque<_> = (0..10).map(|n| 0.1 * f64::from(n)).collect();
    h.last_sent = at_ms(0.9);
    let leaves = |rtt: f64| {
        let now = out.pop_front().unwrap() + rtt;
        let ack = Ack {
            rtt: Some(ms(rtt)),
            ..Ack::of(at_ms(now), MSS)
        };
        let reason = h.s2n(&w, &ack);
        out.push_back(now);
        h.last_sent = at_ms(now);
        reason.is_some()
    };
    [[50.0; 9], then].concat().into_iter().position(leaves)
}

#[test]
fn s2n_tests_the_eighth_sample_of_a_round_only() {
    assert_eq!(s2n_leaves([57.0; 9]), Some(9 + 7));
    let mut rtts = [57.0; 9];
    rtts[7] = 50.0;
    assert_eq!(s2n_leaves(rtts), None);
}

#[test]
fn s2n_has_no_train() {
    let params = |spec| {
        let kind = crate::params::AlgorithmKind::STARTUP;
        Params::parse(kind, "hystart", ENTRY.params, spec).unwrap()
    };
    let s2n = Convention {
        hystart: Variant::S2n,
        ..Convention::QUIC
    };
    let refused = HyStart::new(&params("detect=train"), s2n);
    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("another `variant` than s2n"), "{refused}");
}

#[test]
fn a_coarse_clock_counts_in_ticks() {
    let h = hystart("tick=10ms");
    assert_eq!(h.eta(ms(100.0)), ms(20.0));
    assert_eq!(h.eta(ms(400.0)), ms(30.0));
    assert_eq!(ms(19.9).floor(h.tick), ms(10.0));
}

/// The index of the ACK, counted from 0 at the round's start, that ends a train of
/// ACKs `spacing` apart when the minimum RTT is 100 ms.
fn train(spec: &str, spacing: f64) -> Option<u64> {
    let mut flow = Flow::new(&format!("{spec},detect=train"), 64.0);
    flow.round(1000);
    (0..200).find(|i| {
        let now = at_ms(1000.0 + spacing * *i as f64);
        flow.ack(now, ms(100.0)) == Some(Reason::AckTrain)
    })
}

#[test]
fn a_train_as_long_as_half_the_path() {
    assert_eq!(train("variant=2008", 1.2), Some(42));
    assert_eq!(train("variant=linux-3.19,tick=0s", 1.2), Some(42));
    assert_eq!(train("variant=2008", 2.0), Some(25));
    for variant in ["linux-2.6.29", "linux-3.19", "linux-5.6"] {
        assert_eq!(train(&format!("variant={variant}"), 2.0), Some(26));
    }
    // In whole milliseconds 50.4 is not above 50; and current kernels add ack_delay.
    assert_eq!(train("variant=linux-3.19", 1.2), Some(43));
    assert_eq!(train("variant=linux-5.6", 1.2), Some(43));
}

#[test]
fn acks_too_far_apart_are_no_train() {
    for variant in ["2008", "linux-3.19", "linux-5.6"] {
        assert_eq!(train(&format!("variant={variant},tick=0s"), 2.1), None);
    }
}

#[test]
fn one_gap_ends_the_train_for_its_round() {
    for variant in ["2008", "linux-3.19", "linux-5.6"] {
        let mut flow = Flow::new(&format!("variant={variant},detect=train"), 64.0);
        flow.round(1000);
        for i in (0..4).chain(10..200) {
            assert_eq!(flow.ack(at_ms(1000.0 + f64::from(i)), ms(100.0)), None);
        }
    }
}

/// Rounds of RTTs, in ms, with ACKs too far apart for a train; the last one's verdict.
fn delay(spec: &str, cwnd: f64, rounds: &[&[f64]]) -> Option<Reason> {
    let mut flow = Flow::new(spec, cwnd);
    let mut now = 1000.0;
    let mut verdict = None;
    for rtts in rounds {
        flow.round(rtts.len() as u64);
        for rtt in *rtts {
            now += 5.0;
            verdict = flow.ack(at_ms(now), ms(*rtt));
        }
    }
    verdict
}

#[test]
fn the_first_round_trips_of_a_round_have_risen() {
    let before = [100.0; 8];
    let risen = [107.0, 108.0, 109.0, 107.0, 110.0, 111.0, 107.0, 108.0];
    let exit = delay("variant=2008", 64.0, &[&before, &risen]);
    assert_eq!(exit, Some(Reason::Delay));
    assert_eq!(delay("variant=2008", 64.0, &[&before, &risen[..7]]), None);
    let mut less = risen;
    less[3] = 106.0;
    assert_eq!(delay("variant=2008", 64.0, &[&before, &less]), None);
    assert_eq!(
        delay("variant=2008,detect=train", 64.0, &[&before, &risen]),
        None
    );
}

#[test]
fn linux_compares_with_the_least_ever_seen_from_the_ninth_ack_on() {
    for variant in ["linux-3.19", "linux-5.6"] {
        let spec = format!("variant={variant}");
        // The older variants notice the new round with its first ACK, which they have
        // tested already: one ACK more.
        let more = usize::from(variant == "linux-3.19");
        let enough = vec![113.0; 9 + more];
        let first = [100.0; 8];
        assert_eq!(delay(&spec, 64.0, &[&first, &enough]), Some(Reason::Delay));
        assert_eq!(delay(&spec, 64.0, &[&first, &enough[1..]]), None);
        assert_eq!(delay(&spec, 64.0, &[&first, &[112.0; 30]]), None);
    }
}

#[test]
fn current_kernels_keep_looking_for_a_lower_round_trip_time() {
    let mut rtts = [113.0; 12];
    rtts[8..].fill(101.0);
    let first = [100.0; 8];
    assert_eq!(delay("variant=linux-5.6", 64.0, &[&first, &rtts]), None);
    rtts[8] = 113.0;
    assert_eq!(
        delay("variant=linux-5.6", 64.0, &[&first, &rtts]),
        Some(Reason::Delay)
    );
}

#[test]
fn no_exit_below_sixteen_segments() {
    let rounds: [&[f64]; 2] = [&[100.0; 8], &[120.0; 12]];
    for variant in ["2008", "2011", "linux-2.6.29", "linux-5.6"] {
        let spec = format!("variant={variant}");
        assert_eq!(delay(&spec, 12.0, &rounds), None);
        assert_eq!(delay(&spec, 16.0, &rounds), Some(Reason::Delay));
    }
    assert_eq!(delay("low_window=8", 12.0, &rounds), Some(Reason::Delay));
}

#[test]
fn an_exit_sets_the_threshold_to_the_window() {
    let mut flow = Flow::new("", 16.0);
    for (base, rtt) in [(0.0, 100.0), (100.0, 120.0)] {
        flow.round(8);
        for i in 0..8 {
            flow.ack(at_ms(1000.0 + base + 5.0 * f64::from(i)), ms(rtt));
        }
    }
    assert_eq!((flow.w.cwnd, flow.w.ssthresh), (16.0, 16.0));
    assert_eq!(flow.c.exit().unwrap().cwnd, 16.0);
}

#[test]
fn a_paced_sender_has_the_whole_round_trip_in_current_kernels() {
    let mut h = hystart("variant=linux-5.6");
    h.d_min = ms(100.0);
    let mut w = Window::new(MSS as u32);
    w.cwnd = 64.0;
    assert_eq!(h.train_limit(&w, ms(100.0)), ms(50.5));
    w.pacing = Some(Rate::from_bps(800_000_000));
    assert_eq!(h.train_limit(&w, ms(100.0)), ms(101.0));
    w.pacing = Some(Rate::from_bps(8_000_000_000));
    assert_eq!(h.train_limit(&w, ms(100.0)), ms(100.26086));
    let h = HyStart {
        paced: Some(false),
        ..h
    };
    assert_eq!(h.train_limit(&w, ms(100.0)), ms(50.13043));
}

/// A lone flow on an empty path: the window at the exit. ACKs of a round come back
/// `spacing` apart, one per packet, `rtt` after the packets left.
fn exit_window(spec: &str, iw: f64, spacing: f64, rtt: f64) -> f64 {
    let mut flow = Flow::new(spec, iw);
    let mut start = 0.0;
    loop {
        start += rtt;
        let round = flow.w.cwnd;
        flow.round(round as u64);
        for i in 0..round as u64 {
            let now = at_ms(start + spacing * i as f64);
            if flow.ack(now, ms(rtt)).is_some() {
                return flow.w.cwnd;
            }
            flow.w.cwnd += 1.0;
        }
    }
}

#[test]
fn the_papers_paths_end_within_one_and_a_half_of_their_capacity() {
    for (spacing, rtt, iw, expected) in [
        (0.12, 106.0, 2.0, 954.0),
        (0.12, 106.0, 3.0, 1210.0),
        (0.12, 106.0, 10.0, 1082.0),
        (0.03, 160.0, 3.0, 5739.0),
        (1.2, 100.0, 3.0, 90.0),
    ] {
        let found = exit_window("tick=0s,detect=train", iw, spacing, rtt);
        // The ACK at the round's start is number zero.
        assert!((found - expected).abs() <= 1.0, "{found} is not {expected}");
    }
}

#[test]
fn a_recorded_kernel_leaves_at_80_plus_8_by_delay() {
    // 5 Mbit/s, 64 ms: ACKs 2.4 ms apart are no train. The round that sends 80 packets
    // meets a queue from its first one on.
    let mut flow = Flow::new("variant=linux-5.6", 10.0);
    let mut start = 0.0;
    let mut rtt = 64.0;
    for packets in [10, 20, 40, 80] {
        start += 200.0;
        flow.round(packets);
        for i in 0..packets {
            let now = at_ms(start + 2.4 * i as f64);
            if flow.ack(now, ms(rtt)).is_some() {
                break;
            }
            flow.w.cwnd += 1.0;
        }
        rtt = if packets == 40 { 100.0 } else { 64.0 };
    }
    assert_eq!(flow.w.ssthresh, 88.0);
}

#[test]
fn a_recorded_kernel_leaves_at_1071_by_train() {
    // 100 Mbit/s, 102 ms: half of it and ack_delay are 430 ACKs in the round of 640.
    let found = exit_window("variant=linux-5.6,detect=train", 10.0, 0.12, 102.0);
    assert!((1069.0..=1072.0).contains(&found), "{found}");
}

#[test]
fn picoquic_leaves_at_any_window_and_once() {
    let rounds: [&[f64]; 2] = [&[100.0; 7], &[126.0; 13]];
    assert_eq!(delay("variant=picoquic", 4.0, &rounds), Some(Reason::Delay));
    let mut h = hystart("variant=picoquic");
    let timeout = Timeout {
        now: at_ms(1.0),
        flight: MSS,
        usable: 64.0,
        repeated: false,
    };
    h.on_congestion(&mut Window::new(MSS as u32), &Congestion::Timeout(timeout));
    assert!(h.found);
}

#[test]
fn a_timeout_forgets_the_path() {
    for variant in ["2008", "linux-5.6"] {
        let mut h = hystart(&format!("variant={variant}"));
        (h.d_min, h.found) = (ms(10.0), true);
        let timeout = Timeout {
            now: at_ms(1.0),
            flight: MSS,
            usable: 64.0,
            repeated: false,
        };
        h.on_congestion(&mut Window::new(MSS as u32), &Congestion::Timeout(timeout));
        assert_eq!((h.d_min, h.found), (Duration::MAX, false));
    }
}

#[test]
fn linux_ignores_samples_for_a_second_after_recovery() {
    let mut h = hystart("variant=linux-5.6");
    let mut w = Window::new(MSS as u32);
    h.on_recovered(
        &mut w,
        &Recovered {
            now: at_ms(500.0),
            retransmitted: 0,
            flight: 0,
        },
    );
    let ack = |now| Ack {
        rtt: Some(ms(50.0)),
        ..Ack::of(at_ms(now), MSS)
    };
    h.on_ack(&mut w, &ack(1499.0), &mut slow_start());
    assert_eq!(h.d_min, Duration::MAX);
    h.on_ack(&mut w, &ack(1500.0), &mut slow_start());
    assert_eq!(h.d_min, ms(50.0));
}
