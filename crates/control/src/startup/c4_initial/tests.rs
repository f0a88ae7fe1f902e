use super::*;
use crate::params::Params;
use crate::signals::{Marked, PathMemory, Timeout};
use crate::testing::{at_ms, ms, opened};
use crate::{Controller, Convention, Instant};

const MSS: u64 = 1200;

/// A connection whose ACKs each end an era.
struct Flow {
    c: Controller,
    w: Window,
    now: f64,
    total: u64,
}

impl Flow {
    fn new(spec: &str, rtt: f64) -> Flow {
        let e = Established {
            initial_window: 10.0,
            rtt: Some(ms(rtt)),
            header: 0,
            ..Established::at(Instant::ZERO)
        };
        let (c, w) = opened(&ENTRY, spec, Convention::QUIC, MSS, &e);
        Flow {
            c,
            w,
            now: 0.0,
            total: 0,
        }
    }

    /// So many packets in an era of `interval` milliseconds, the last of which took `rtt`.
    fn ack(&mut self, packets: u64, interval: f64, rtt: f64) -> Ack {
        self.now += interval;
        let (prior_delivered, newly) = (self.total, packets * MSS);
        self.total += newly;
        Ack {
            rtt: Some(ms(rtt)),
            delivery: Some(Delivery {
                total: self.total,
                newly,
                sample: Some(RateSample {
                    prior_delivered,
                    delivered: newly,
                    interval: ms(interval),
                    ..RateSample::default()
                }),
                ..Delivery::default()
            }),
            ..Ack::of(at_ms(self.now), newly)
        }
    }

    fn take(&mut self, a: &Ack) -> Option<Reason> {
        self.c.on_ack(&mut self.w, a);
        self.c.exit().map(|exit| exit.reason)
    }

    fn era(&mut self, packets: u64, interval: f64, rtt: f64) -> Option<Reason> {
        let ack = self.ack(packets, interval, rtt);
        self.take(&ack)
    }

    /// An era of 50 ms at so many bytes per second.
    fn at(&mut self, rate: u64) -> Option<Reason> {
        let mut ack = self.ack(0, 50.0, 50.0);
        if let Some(sample) = ack.delivery.as_mut().and_then(|d| d.sample.as_mut()) {
            sample.delivered = rate / 20;
        }
        self.take(&ack)
    }

    fn pace(&self) -> f64 {
        self.w.pacing.map_or(0.0, |rate| rate.bps() as f64 / 8.0)
    }
}

/// A connection with a cached window of 300 packets, 360 kB, and an RTT of 60 ms.
fn resumed(rtt: f64) -> Flow {
    let mut flow = Flow {
        c: crate::testing::with_reno(&ENTRY, "memory=true", Convention::QUIC).unwrap(),
        w: Window::new(MSS as u32),
        now: 0.0,
        total: 0,
    };
    let memory = PathMemory {
        cwnd: 300.0,
        ssthresh: 300.0,
        srtt: ms(60.0),
        rttvar: Duration::ZERO,
        min_rtt: ms(60.0),
        delivered: 300 * MSS,
        rate: Rate(48_000_000),
        in_use: false,
    };
    flow.c.on_known(&PathInfo {
        memory: Some(memory),
        ..PathInfo::default()
    });
    let e = Established {
        initial_window: 10.0,
        rtt: Some(ms(rtt)),
        header: 0,
        ..Established::at(Instant::ZERO)
    };
    flow.c.on_established(&mut flow.w, &e);
    flow
}

#[test]
fn a_cached_window_opens_where_the_round_trip_is_within_a_quarter() {
    for (rtt, cwnd) in [(50.0, 300.0), (80.0, 300.0), (47.0, 10.0), (81.0, 10.0)] {
        assert_eq!(resumed(rtt).w.cwnd, cwnd, "{rtt}");
    }
    // 360 kB in 60 ms.
    assert_eq!(resumed(60.0).pace(), 6_000_000.0);
}

#[test]
fn two_eras_with_the_cached_window_in_flight_validate_it() {
    let mut flow = resumed(60.0);
    let era = |flow: &mut Flow, flight: u64| {
        let mut ack = flow.ack(300, 60.0, 60.0);
        ack.flight = flight * MSS;
        flow.take(&ack)
    };
    assert_eq!(era(&mut flow, 282), None);
    assert_eq!(era(&mut flow, 283), None);
    assert_eq!(era(&mut flow, 300), Some(Reason::Estimate));
    // Recovery at 15/16 of the rate that was measured.
    assert_eq!(flow.pace(), 6_000_000.0 * 15.0 / 16.0);
}

#[test]
fn losses_end_resuming_at_the_rate_that_was_measured() {
    let mut flow = resumed(60.0);
    flow.era(100, 60.0, 60.0);
    let mut ack = flow.ack(10, 60.0, 60.0);
    if let Some(d) = &mut ack.delivery {
        d.lost = 20 * MSS;
    }
    assert_eq!(flow.take(&ack), Some(Reason::Loss));
    assert_eq!(flow.pace(), 2_000_000.0 * 15.0 / 16.0);
}

/// V1
#[test]
fn the_first_window_in_a_round_trip_is_the_first_rate_and_twice_that_is_sent() {
    let mut flow = Flow::new("", 50.0);
    assert_eq!((flow.w.cwnd, flow.w.pacing), (10.0, None));
    flow.era(10, 50.0, 50.0);
    assert_eq!(flow.pace(), 480_000.0);
    assert_eq!((flow.w.cwnd_bytes(), flow.w.quantum), (24_000, 5));
}

/// V2
#[test]
fn sensitivity_rises_to_92_percent_at_a_megabyte_per_second_and_slowly_above() {
    let rates = [49_999.0, 50_000.0, 525_000.0, 1e6, 5.5e6, 1e7, 1e9];
    let expected = [0.0, 0.0, 0.46, 0.92, 0.96, 1.0, 1.0];
    for (rate, expected) in rates.into_iter().zip(expected) {
        let found = sensitivity(rate);
        assert!((found - expected).abs() < 1e-12, "{found} at {rate}");
    }
}

/// V3
#[test]
fn a_round_trip_may_be_longer_by_a_quarter_to_a_sixteenth_and_25_ms_at_most() {
    assert_eq!(delay_limit(ms(100.0), 0.0), ms(125.0));
    assert_eq!(delay_limit(ms(100.0), 1.0), ms(106.25));
    assert_eq!(delay_limit(ms(400.0), 1.0), ms(425.0));
    assert_eq!(delay_limit(ms(40.0), 0.46), ms(46.55));
}

/// V4
#[test]
fn a_fast_flow_heeds_a_single_loss_and_a_slow_one_hardly_any() {
    for (s, expected) in [(0.0, 0.52), (0.92, 0.06), (1.0, 0.02)] {
        assert!((loss_limit(s) - expected).abs() < 1e-12);
    }
    let needed = |rate: f64| {
        let mut c4 = C4Initial::new(settings(""));
        (c4.nominal_rate, c4.received) = (rate, 21.0);
        1 + (0..99).take_while(|_| !c4.take_losses(1.0)).count()
    };
    assert_eq!([1e6, 1e7, 40_000.0].map(needed), [1, 1, 12]);
    let mut c4 = C4Initial::new(settings(""));
    (c4.nominal_rate, c4.received) = (1e6, 20.0);
    assert!(!c4.take_losses(5.0), "twenty packets are too few");
}

fn settings(spec: &str) -> Settings {
    let kind = crate::params::AlgorithmKind::STARTUP;
    let params = Params::parse(kind, ENTRY.name, ENTRY.params, spec);
    Settings::read(&params.unwrap()).unwrap()
}

#[test]
fn losses_are_smoothed_over_packets() {
    let mut c4 = C4Initial::new(settings(""));
    c4.take_losses(2.0);
    assert!((c4.smoothed_loss - (1.0 - 0.9375 * 0.9375)).abs() < 1e-12);
    c4.take_arrivals(1.0);
    assert!((c4.smoothed_loss - 0.9375 * (1.0 - 0.9375 * 0.9375)).abs() < 1e-12);
}

/// V5
#[test]
fn three_eras_without_increase_end_it() {
    let mut flow = Flow::new("", 50.0);
    for rate in [240_000, 480_000, 960_000, 1_000_000, 1_000_000, 1_000_000] {
        assert_eq!(flow.at(rate), None, "{rate}");
    }
    assert_eq!(flow.at(1_000_000), Some(Reason::FullPipe));
    // Neither value is reduced; Recovery paces at 15/16 and is over after an era.
    assert_eq!(flow.pace(), 937_500.0);
    assert!(flow.c.owns_cwnd());
    flow.at(2_000_000);
    assert_eq!((flow.w.pacing, flow.w.quantum), (None, 1));
    assert!((flow.w.cwnd * MSS as f64 - 50_000.0).abs() < 1e-6);
    assert_eq!(flow.w.ssthresh, flow.w.cwnd);
    assert!(!flow.c.owns_cwnd());
}

#[test]
fn after_04_counts_an_increase_of_a_quarter_and_2025_11_of_a_byte_per_second() {
    let exits = |spec: &str| {
        let mut flow = Flow::new(spec, 50.0);
        [1000, 1249, 1300, 1320].map(|rate| flow.at(1000 * rate))
    };
    assert_eq!(exits(""), [None; 4]);
    let full = Some(Reason::FullPipe);
    assert_eq!(exits("increase=0.25"), [None, None, None, full]);
    assert_eq!(exits("variant=after-04"), [None, None, None, full]);
    assert_eq!(exits("variant=after-04,increase=0"), [None; 4]);
}

#[test]
fn eras_in_which_the_application_was_the_limit_do_not_count() {
    let mut flow = Flow::new("", 50.0);
    flow.at(1_000_000);
    for _ in 0..9 {
        let mut ack = flow.ack(1, 50.0, 50.0);
        if let Some(sample) = ack.delivery.as_mut().and_then(|d| d.sample.as_mut()) {
            sample.app_limited = true;
        }
        assert_eq!(flow.take(&ack), None);
    }
}

#[test]
fn long_round_trips_end_it_after_two_eras_without_increase() {
    let mut flow = Flow::new("", 50.0);
    assert_eq!(flow.era(100, 50.0, 50.0), None);
    assert_eq!(flow.era(50, 50.0, 90.0), None);
    // 2.4 MB/s: a sixteenth and a little.
    assert_eq!(flow.era(50, 50.0, 53.0), None);
    let mut flow = Flow::new("", 50.0);
    flow.era(100, 50.0, 50.0);
    flow.era(50, 50.0, 90.0);
    assert_eq!(flow.era(50, 50.0, 54.0), Some(Reason::Delay));
}

fn mark(flow: &mut Flow) {
    let marked = Marked {
        now: at_ms(flow.now),
        flight: 0,
        usable: flow.w.cwnd,
    };
    flow.c.on_marked(&mut flow.w, &marked);
}

#[test]
fn a_mark_ends_it_after_two_eras_without_increase() {
    let mut flow = Flow::new("", 50.0);
    flow.at(1_000_000);
    mark(&mut flow);
    assert_eq!(flow.at(1_000_000), None);
    assert_eq!(flow.at(1_000_000), Some(Reason::Ecn));
}

#[test]
fn losses_end_it_and_reduce_nothing() {
    let mut flow = Flow::new("", 50.0);
    flow.era(100, 50.0, 50.0);
    let mut ack = flow.ack(10, 50.0, 50.0);
    if let Some(d) = &mut ack.delivery {
        d.lost = 2 * MSS;
    }
    assert_eq!(flow.take(&ack), Some(Reason::Loss));
    assert_eq!(flow.pace(), 2_400_000.0 * 15.0 / 16.0);
}

#[test]
fn after_04_grows_as_slow_start_and_paces_at_a_least_rate() {
    let mut flow = Flow::new("variant=after-04", 500.0);
    flow.era(1, 500.0, 500.0);
    assert_eq!((flow.w.cwnd, flow.pace()), (11.0, 131_072.0));
    flow.era(10, 500.0, 500.0);
    assert_eq!(flow.w.cwnd, 21.0);
    // Twice 48 kB/s are less; four milliseconds are less than two packets.
    assert_eq!((flow.pace(), flow.w.quantum), (131_072.0, 2));
    // An era without increase: an eighth.
    flow.era(8, 500.0, 500.0);
    assert_eq!(flow.w.cwnd, 22.0);
}

#[test]
fn after_04_takes_the_nominal_round_trip_from_the_window_at_the_end() {
    let mut flow = Flow::new("variant=after-04", 50.0);
    flow.era(100, 50.0, 50.0);
    assert_eq!(flow.w.cwnd, 200.0);
    (0..3).for_each(|_| {
        flow.era(8, 50.0, 50.0);
    });
    // Of 200 packets half, at 2.4 MB/s 50 ms.
    assert_eq!(flow.c.exit().unwrap().reason, Reason::FullPipe);
    flow.era(8, 50.0, 50.0);
    assert!((flow.w.cwnd - 100.0).abs() < 1e-6, "{}", flow.w.cwnd);
}

#[test]
fn a_timeout_ends_it_and_slow_start_follows() {
    let mut flow = Flow::new("", 50.0);
    flow.at(1_000_000);
    let timeout = Timeout {
        now: at_ms(400.0),
        flight: 5 * MSS,
        usable: flow.w.cwnd,
        repeated: false,
    };
    flow.c.on_timeout(&mut flow.w, &timeout);
    assert_eq!(flow.c.exit().unwrap().reason, Reason::Timeout);
    assert_eq!((flow.w.cwnd, flow.w.pacing), (1.0, None));
    flow.era(1, 50.0, 50.0);
    assert_eq!(flow.w.cwnd, 2.0);
}
