use super::*;
use crate::params::AlgorithmKind;
use crate::signals::{Delivery, Loss, Marked, RateSample, Timeout};
use crate::testing::{ms, opened};
use crate::{Controller, Convention};

/// Packets of a thousand bytes without headers make round numbers.
const MSS: u64 = 1_000;
const RTT: Duration = Duration::from_millis(100);

/// A connection whose handshake ended at zero, with an initial window of ten packets.
struct Flow {
    c: Controller,
    w: Window,
    now: Instant,
    sent: u64,
    arrived: u64,
    rtt: Duration,
    lost: u64,
    /// The window, not the pacer, holds it back.
    limited: bool,
}

/// The delivery rate by a packet's ACK: so much in megabits per second was delivered,
/// and so much had been sent.
#[derive(Clone, Copy)]
struct Rates {
    delivered: f64,
    sent: f64,
}

fn all(mbps: f64) -> Rates {
    Rates {
        delivered: mbps,
        sent: mbps,
    }
}

impl Flow {
    fn with(spec: &str, rtt: Option<Duration>, queued: u64, memory: Option<PathMemory>) -> Flow {
        let e = Established {
            initial_window: 10.0,
            rtt,
            queued,
            header: 0,
            ..Established::at(Instant::ZERO)
        };
        let (mut c, mut w) = opened(&ENTRY, spec, Convention::LINUX, MSS, &e);
        if memory.is_some() {
            c = crate::testing::with_reno(&ENTRY, spec, Convention::LINUX).unwrap();
            w = Window::new(MSS as u32);
            c.on_known(&PathInfo {
                memory,
                ..PathInfo::default()
            });
            c.on_established(&mut w, &e);
        }
        let mut flow = Flow {
            c,
            w,
            now: Instant::ZERO,
            sent: 0,
            arrived: 0,
            rtt: RTT,
            lost: 0,
            limited: false,
        };
        flow.send(10);
        flow
    }

    fn new(spec: &str) -> Flow {
        Flow::with(spec, Some(RTT), u64::MAX, None)
    }

    fn send(&mut self, packets: u64) {
        for _ in 0..packets {
            let seq = self.sent * MSS;
            self.sent += 1;
            let s = Sent {
                now: self.now,
                bytes: MSS as u32,
                seq,
                retransmission: false,
                flight: (self.sent - self.arrived) * MSS,
            };
            self.c.on_sent(&mut self.w, &s);
        }
    }

    /// One more packet has arrived, so long after the ACK before.
    fn ack(&mut self, after: Duration, rates: Rates) -> Option<Reason> {
        self.now += after;
        self.arrived += 1;
        let interval = Duration::from_secs(1);
        let bytes = (rates.delivered * 125_000.0) as u64;
        let sent_in = Duration::from_secs_f64(rates.delivered / rates.sent);
        let a = Ack {
            rtt: Some(self.rtt),
            cwnd_limited: self.limited,
            una: self.arrived * MSS,
            nxt: self.sent * MSS,
            delivered_total: self.arrived * MSS,
            delivery: Some(Delivery {
                total: self.arrived * MSS,
                newly: MSS,
                lost: std::mem::take(&mut self.lost) * MSS,
                sample: Some(RateSample {
                    prior_delivered: (self.arrived - 1) * MSS,
                    delivered: bytes,
                    interval,
                    send_interval: sent_in,
                    ack_interval: interval,
                    ..RateSample::default()
                }),
                ..Delivery::default()
            }),
            ..Ack::of(self.now, MSS)
        };
        self.c.on_ack(&mut self.w, &a);
        self.c.exit().map(|exit| exit.reason)
    }

    /// The initial window comes back, a packet every millisecond: 8 Mbit/s.
    fn measured(spec: &str, rates: Rates) -> Flow {
        let mut flow = Flow::new(spec);
        flow.now = Instant::ZERO + RTT;
        (0..10).for_each(|_| assert_eq!(flow.ack(ms(1.0), rates), None));
        flow
    }

    /// The same with all ACKs at once, from which hardly anything follows.
    fn bunched(rates: Rates) -> Flow {
        let mut flow = Flow::new("");
        flow.now = Instant::ZERO + RTT + ms(1.0);
        (0..10).for_each(|_| assert_eq!(flow.ack(ms(0.0), rates), None));
        flow
    }

    fn pace(&self) -> f64 {
        let pace = self.w.pacing.map_or(0.0, |rate| rate.bps() as f64 / 1e6);
        (pace * 1e3).round() / 1e3
    }
}

/// V1
#[test]
fn a_little_is_paced_behind_the_initial_window() {
    let flow = Flow::new("");
    // 3 Mbit/s over 100 ms are 37.5 packets.
    assert_eq!((flow.w.cwnd, flow.pace()), (47.5, 3.0));
    assert_eq!(flow.w.pacing_from, Instant::from_nanos(2_666_666));
    let near = Flow::with("", Some(ms(8.0)), u64::MAX, None);
    assert_eq!((near.w.cwnd, near.pace()), (16.0, 6.0));
    let unknown = Flow::with("", None, u64::MAX, None);
    assert_eq!((unknown.w.cwnd, unknown.w.pacing), (10.0, None));
    let without = Flow::new("without=blind");
    assert_eq!((without.w.cwnd, without.w.pacing), (10.0, None));
}

#[test]
fn all_that_the_application_has_goes_blind_where_it_is_little() {
    let of = |rest: u64| {
        Flow::with("rest=8", Some(ms(8.0)), (10 + rest) * MSS, None)
            .w
            .cwnd
    };
    assert_eq!((of(8), of(9)), (18.0, 16.0));
}

#[test]
fn half_of_the_remembered_rate_goes_blind_where_the_round_trip_is_like_it() {
    let cwnd = |spec: &str, min_rtt: f64| {
        let memory = PathMemory {
            cwnd: 100.0,
            ssthresh: 100.0,
            srtt: RTT,
            rttvar: Duration::ZERO,
            min_rtt: ms(min_rtt),
            delivered: 100_000,
            rate: Rate(16_000_000),
            in_use: false,
        };
        Flow::with(spec, Some(RTT), u64::MAX, Some(memory)).w.cwnd
    };
    assert_eq!(cwnd("memory=true", 100.0), 110.0);
    assert_eq!(cwnd("memory=true", 201.0), 47.5, "half as long now");
    assert_eq!(cwnd("memory=true", 9.0), 47.5, "ten times as long now");
    assert_eq!(cwnd("", 100.0), 47.5);
}

/// V4
#[test]
fn half_of_the_rate_estimated_is_paced_at() {
    let flow = Flow::measured("", all(0.8));
    assert_eq!(flow.pace(), 4.0);
    // 4 Mbit/s over 105 ms, and four packets.
    assert_eq!(flow.w.cwnd, 56.5);
    assert_eq!(Flow::measured("without=estimate", all(0.8)).pace(), 3.0);
}

#[test]
fn a_rate_is_not_trusted_where_the_windows_own_queue_does_not_drain() {
    let paced = |behind: f64, spec: &str| {
        let mut flow = Flow::new(spec);
        // The window's first packet found no queue, and all behind it one of so many milliseconds.
        (flow.now, flow.rtt) = (Instant::ZERO + RTT - ms(1.0), RTT);
        flow.ack(ms(1.0), all(0.8));
        flow.rtt = ms(100.0 + behind);
        flow.now += ms(behind);
        (0..9).for_each(|_| assert_eq!(flow.ack(ms(1.0), all(0.8)), None));
        flow.pace()
    };
    // The window took 10 ms to come back, 10,000 bytes in 11.5 ms; then 11 ms, of which 2 are more than
    // an eighth.
    assert_eq!(paced(1.0, "trust=0.75"), 5.217);
    assert_eq!(paced(2.0, "trust=0.75"), 3.0);
    assert_eq!(paced(2.0, "trust=0.75,without=drained"), 4.8);
}

#[test]
fn a_leap_is_at_most_so_many_times_what_is_delivered() {
    assert_eq!(Flow::measured("leap=4", all(0.8)).pace(), 3.2);
}

/// V5
#[test]
fn growth_is_a_multiple_of_the_rate_delivered_below_the_ceiling() {
    let mut flow = Flow::measured("", all(0.8));
    flow.ack(ms(1.0), all(3.0));
    assert_eq!(flow.pace(), 8.7);
    flow.ack(ms(1.0), all(6.0));
    assert_eq!(flow.pace(), 9.6, "1.2 times 8");
    flow.ack(ms(1.0), all(8.9));
    assert_eq!(flow.pace(), 25.81, "the estimate is refuted");
    let mut bunched = Flow::bunched(all(3.0));
    // 10,000 bytes in no time, more or less 1.5 ms: at least 53 Mbit/s, and anything above.
    assert_eq!(bunched.pace(), 26.667);
    bunched.ack(ms(1.0), all(15.0));
    assert_eq!(bunched.pace(), 43.5);
}

/// V6
#[test]
fn a_single_loss_is_repaired_and_more_show_a_full_pipe() {
    let mut flow = Flow::measured("", all(6.0));
    flow.lost = 1;
    assert_eq!(flow.ack(ms(1.0), all(6.0)), None);
    flow.lost = 2;
    assert_eq!(flow.ack(ms(1.0), all(6.0)), Some(Reason::Loss));
    assert_eq!(flow.pace(), 6.0);
    let mut strict = Flow::measured("without=tolerance", all(6.0));
    strict.lost = 1;
    assert_eq!(strict.ack(ms(1.0), all(6.0)), Some(Reason::Loss));
}

/// Samples in which `rtt` is late, until the startup ends or so many have come.
fn late(flow: &mut Flow, rates: Rates) -> Option<Reason> {
    flow.send(100);
    flow.now += RTT;
    flow.rtt = ms(120.0);
    (0..100).find_map(|_| flow.ack(ms(1.0), rates))
}

/// Rates while round trips show a queue of the flow's own.
const OWN_QUEUE: Rates = Rates {
    delivered: 8.0,
    sent: 10.1,
};

/// A flow that takes the pipe for full at 8 Mbit/s; the last packet of that time is not acknowledged.
fn in_doubt(spec: &str) -> Flow {
    let mut flow = Flow::measured(spec, all(6.0));
    flow.send(100);
    flow.now += RTT;
    flow.rtt = ms(120.0);
    (0..99).for_each(|_| assert_eq!(flow.ack(ms(1.0), OWN_QUEUE), None));
    assert_eq!(flow.pace(), 8.0);
    flow
}

#[test]
fn an_exit_is_taken_back_where_more_is_delivered_than_a_full_pipe_had() {
    // More than 8 Mbit/s over 0.85, or not; round trips of 101 or of 120 ms.
    for (spec, delivered, rtt, exit, pace) in [
        ("", 9.5, 101.0, None, 27.55),
        ("", 9.5, 120.0, None, 11.875),
        ("test=1.1", 9.5, 120.0, None, 10.45),
        ("", 9.3, 101.0, Some(Reason::Delay), 0.0),
        ("without=doubt", 9.5, 101.0, Some(Reason::Delay), 0.0),
    ] {
        let mut flow = in_doubt(spec);
        flow.send(60);
        flow.rtt = ms(rtt);
        let found = (0..59).find_map(|_| flow.ack(ms(1.0), all(delivered)));
        assert_eq!(
            (found, flow.pace()),
            (exit, pace),
            "{spec} {delivered} {rtt}"
        );
    }
}

#[test]
fn a_refuted_exit_is_final_where_no_more_is_delivered_than_at_its_last_test() {
    let mut flow = in_doubt("");
    flow.send(60);
    flow.rtt = ms(120.0);
    let mut ends_at = |mbps| (0..80).position(|_| flow.ack(ms(1.0), all(mbps)).is_some());
    assert_eq!(
        ends_at(9.5),
        Some(60),
        "with what was sent when it was refuted"
    );
}

#[test]
fn an_estimate_is_refuted_by_round_trips_at_its_ceiling_that_leave_no_queue() {
    let paces = |spec: &str, rtt: f64| {
        let mut flow = Flow::measured(spec, all(6.0));
        flow.rtt = ms(rtt);
        // Each sample of this flow begins a round trip.
        std::array::from_fn(|_| {
            flow.ack(ms(1.0), all(6.0));
            flow.pace()
        })
    };
    assert_eq!(paces("", 100.0), [9.6, 9.6, 9.6, 9.6, 17.4]);
    assert_eq!(
        paces("late=0.27", 100.0),
        [9.6; 5],
        "a queue of 0.26 does not show"
    );
}

/// V7
#[test]
fn a_queue_of_ones_own_ends_it_and_one_of_others_does_not() {
    let own = OWN_QUEUE;
    let mut flow = Flow::measured("", all(6.0));
    assert_eq!(late(&mut flow, own), Some(Reason::Delay));
    // 8 Mbit/s over 120 ms, the round trips before two intervals had shown the queue.
    assert_eq!((flow.w.cwnd, flow.w.ssthresh), (120.0, 120.0));
    let mut flow = Flow::measured("", all(6.0));
    assert_eq!(late(&mut flow, all(8.0)), None);
    let mut deaf = Flow::measured("without=delay", all(6.0));
    assert_eq!(late(&mut deaf, own), None);
}

/// Windows, or the reason of the end, in round trips of one ACK of 10 ms, 100 times the minimum RTT.
/// What is delivered is the window of such a round trip, up to `most` Mbit/s.
fn jittered(spec: &str, most: f64, count: usize) -> Vec<Result<f64, Reason>> {
    let mut flow = Flow::with(spec, Some(ms(0.1)), u64::MAX, None);
    flow.limited = true;
    (flow.now, flow.rtt) = (Instant::ZERO + ms(0.1), ms(0.1));
    let rates = |flow: &Flow| all((flow.w.cwnd * 0.8).min(most));
    (0..10).for_each(|_| assert_eq!(flow.ack(ms(0.0), rates(&flow)), None));
    flow.rtt = ms(10.0);
    let mut rounds = Vec::new();
    while rounds.len() < count {
        flow.send(2);
        // One of five is as short as the minimum, so that no queue shows.
        flow.rtt = if rounds.len() % 5 == 0 {
            ms(0.1)
        } else {
            ms(10.0)
        };
        match flow.ack(ms(10.0), rates(&flow)) {
            Some(reason) => {
                rounds.push(Err(reason));
                break;
            }
            None => rounds.push(Ok(flow.w.cwnd)),
        }
    }
    rounds
}

/// A flow between neighbouring hosts, 0.1 ms apart, whose next round trips take 5 ms.
fn late_neighbour(rates: Rates) -> Flow {
    let mut flow = Flow::with("", Some(ms(0.1)), u64::MAX, None);
    (flow.now, flow.rtt) = (Instant::ZERO + ms(0.1), ms(0.1));
    (0..10).for_each(|_| assert_eq!(flow.ack(ms(0.0), rates), None));
    flow.rtt = ms(5.0);
    flow
}

#[test]
fn a_repair_far_above_the_minimum_rtt_keeps_a_window_for_the_mean_one_and_ends() {
    let mut flow = late_neighbour(all(1_000.0));
    flow.send(5_000);
    (0..90).for_each(|_| assert_eq!(flow.ack(ms(0.0), all(1_000.0)), None));
    flow.lost = 50;
    let exit = flow.ack(ms(0.0), all(1_000.0));
    // 1000 Mbit/s over 5 ms are 625 packets, and over 0.1 ms 13.
    assert_eq!((exit, flow.w.cwnd), (Some(Reason::Loss), 660.25));
    // Each ACK ends a round trip of this flow: twice four for what is sent again, and one.
    for round in 1..=9 {
        flow.ack(ms(5.0), all(1.0));
        assert!(flow.w.cwnd >= 10.0, "{round}: {}", flow.w.cwnd);
        assert!(flow.w.pacing.is_some(), "{round}");
    }
    flow.ack(ms(5.0), all(1.0));
    assert_eq!((flow.w.cwnd, flow.w.pacing), (10.0, None));
}

#[test]
fn a_repair_leaves_half_of_a_window_that_was_hardly_larger_than_the_initial_one() {
    let mut flow = late_neighbour(all(4.0));
    assert_eq!(flow.w.cwnd, 10.3);
    flow.lost = 5;
    assert_eq!(flow.ack(ms(1.0), all(4.0)), Some(Reason::Loss));
    assert_eq!(flow.w.cwnd, 5.15);
}

#[test]
fn delay_without_a_loss_leaves_the_initial_window_at_least() {
    let mut flow = late_neighbour(all(4.0));
    let rates = Rates {
        delivered: 4.0,
        sent: 10.0,
    };
    let exit = (0..200).find_map(|_| {
        flow.send(1);
        assert!(flow.w.cwnd >= 10.0, "{}", flow.w.cwnd);
        flow.ack(ms(0.5), rates)
    });
    assert_eq!(exit, Some(Reason::Delay));
    // 4 Mbit/s over at most 5 ms are 2.5 packets.
    assert_eq!((flow.w.cwnd, flow.w.ssthresh), (10.0, 10.0));
}

/// V10
#[test]
fn a_window_for_the_minimum_rtt_is_none_for_jitter_and_growth_resumes_with_the_mean_one() {
    let rounds = jittered("", 1_000.0, 60);
    let windows: Vec<f64> = rounds.iter().filter_map(|round| round.ok()).collect();
    assert!(windows.iter().all(|cwnd| *cwnd >= 10.0), "{windows:?}");
    assert!(
        windows[2] < 20.0,
        "0.105 ms hold next to nothing: {windows:?}"
    );
    assert!(windows.iter().any(|cwnd| *cwnd > 1_000.0), "{windows:?}");
    // 1000 Mbit/s, and three round trips in which no more is delivered.
    assert_eq!(rounds.last(), Some(&Err(Reason::FullPipe)));
}

#[test]
fn growth_that_the_window_ends_twice_is_over_with_no_less_than_the_initial_window() {
    let mut flow = Flow::with("", Some(ms(0.1)), u64::MAX, None);
    flow.limited = true;
    (flow.now, flow.rtt) = (Instant::ZERO + ms(0.1), ms(0.1));
    let mut ends_after = |count: usize| {
        (0..count).find_map(|_| {
            flow.send(2);
            flow.ack(ms(1.0), all(4.0))
        })
    };
    // Three round trips of any length, and three of 3 ms.
    assert_eq!(ends_after(10 + 3 + 8), None);
    assert_eq!(ends_after(2), Some(Reason::FullPipe));
    // 4 Mbit/s over 0.1 ms are less than a packet.
    assert_eq!((flow.w.cwnd, flow.w.ssthresh), (10.0, 10.0));
    assert_eq!(flow.w.pacing, None);
}

#[test]
fn growth_that_pacer_or_application_limit_has_not_ended() {
    let mut flow = Flow::measured("", all(6.0));
    let end = (0..30).find_map(|_| {
        flow.send(2);
        flow.ack(ms(1.0), all(6.0))
    });
    assert_eq!(end, None);
}

/// V8
#[test]
fn the_window_left_is_what_the_path_holds_or_the_share_that_was_got() {
    let left = |spec: &str, delivered: f64| {
        let mut flow = Flow::measured(spec, all(6.0));
        flow.send(10);
        flow.lost = 5;
        flow.ack(ms(1.0), all(delivered));
        for _ in 0..9 {
            flow.ack(ms(8.0 / delivered), all(delivered));
        }
        assert_eq!(flow.w.pacing, None);
        assert_eq!(flow.w.cwnd, flow.w.ssthresh);
        flow.w.cwnd
    };
    assert_eq!(left("", 8.0), 100.0);
    // 6.4 of 8 Mbit/s: four fifths of 80 packets.
    assert_eq!(left("", 6.4), 64.0);
    assert_eq!(left("", 4.0), 40.0, "eight tenths of 50 packets");
    assert_eq!(left("without=yield", 4.0), 50.0);
}

/// What a loss leaves of the window of 120 packets that was handed over, after a recovery with
/// these round trips and so many lost packets.
fn left_by_loss(spec: &str, rtt: f64, lost: u64) -> f64 {
    let mut flow = Flow::measured(spec, all(6.0));
    assert_eq!(late(&mut flow, OWN_QUEUE), Some(Reason::Delay));
    let loss = Loss {
        now: flow.now,
        flight: 120 * MSS,
        usable: 120.0,
    };
    flow.c.on_loss(&mut flow.w, &loss);
    flow.w.cwnd = flow.w.ssthresh;
    flow.arrived += 10;
    let ack = Ack {
        rtt: Some(ms(rtt)),
        delivery: Some(Delivery {
            total: flow.arrived * MSS,
            lost: lost * MSS,
            ..Delivery::default()
        }),
        ..Ack::of(flow.now, 10 * MSS)
    };
    flow.c.on_recovery_ack(&mut flow.w, &ack);
    let recovered = Recovered {
        now: flow.now,
        retransmitted: lost * MSS,
        flight: 60 * MSS,
    };
    flow.c.on_recovered(&mut flow.w, &recovered);
    flow.w.cwnd
}

#[test]
fn a_loss_without_a_queue_leaves_the_window_that_was_handed_over() {
    assert_eq!(left_by_loss("", 110.0, 5), 120.0);
    assert_eq!(left_by_loss("", 113.0, 5), 60.0, "a queue");
    assert_eq!(
        left_by_loss("", 110.0, 6),
        60.0,
        "6 of 126 are more than 4 %"
    );
    assert_eq!(left_by_loss("without=guard", 110.0, 5), 60.0);
}

#[test]
fn without_its_repair_the_avoidance_answers_the_first_loss() {
    let loss = Loss {
        now: Instant::ZERO + RTT,
        flight: 40 * MSS,
        usable: 40.0,
    };
    let mut flow = Flow::measured("without=repair", all(6.0));
    flow.c.on_loss(&mut flow.w, &loss);
    assert_eq!((flow.w.cwnd, flow.w.pacing), (28.0, None));
    let mut flow = Flow::measured("", all(6.0));
    let before = flow.w;
    flow.c.on_loss(&mut flow.w, &loss);
    assert_eq!(flow.w, before);
}

#[test]
fn a_mark_shows_a_full_pipe_unless_the_first_flight_has_it_and_marks_are_counted() {
    let mark = Marked {
        now: Instant::ZERO + RTT,
        flight: 10 * MSS,
        usable: 40.0,
    };
    let mut flow = Flow::measured("", all(6.0));
    flow.c.on_marked(&mut flow.w, &mark);
    assert_eq!(flow.c.exit().map(|exit| exit.reason), Some(Reason::Ecn));
    for (counts_marks, expected) in [(true, None), (false, Some(Reason::Ecn))] {
        let e = Established {
            initial_window: 10.0,
            rtt: Some(RTT),
            counts_marks,
            ..Established::at(Instant::ZERO)
        };
        let (mut c, mut w) = opened(&ENTRY, "", Convention::LINUX, MSS, &e);
        c.on_marked(&mut w, &mark);
        assert_eq!(c.exit().map(|exit| exit.reason), expected);
    }
}

const TIMEOUT: Timeout = Timeout {
    now: Instant(RTT.0),
    flight: 40 * MSS,
    usable: 40.0,
    repeated: false,
};

#[test]
fn samples_are_read_until_it_ends() {
    let mut flow = Flow::measured("", all(6.0));
    assert!(flow.c.reads_samples());
    flow.c.on_timeout(&mut flow.w, &TIMEOUT);
    assert!(!flow.c.reads_samples());
}

#[test]
fn a_timeout_ends_it() {
    let mut flow = Flow::measured("", all(6.0));
    flow.c.on_timeout(&mut flow.w, &TIMEOUT);
    let reason = flow.c.exit().map(|exit| exit.reason);
    assert_eq!((reason, flow.w.pacing), (Some(Reason::Timeout), None));
    assert_eq!(flow.w.cwnd, 1.0);
}

#[test]
fn factors_below_one_are_refused() {
    let wrong = |spec| {
        let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, spec);
        Gauge::new(&params.unwrap())
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let text = wrong("ceiling=0.9");
    assert!(
        text.starts_with("startup `gauge`: parameter `ceiling`: `0.9` is not"),
        "{text}"
    );
    assert!(wrong("gain=1").contains("`gain`: `1` is not"));
}
