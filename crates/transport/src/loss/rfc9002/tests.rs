//! RFC 9002's rules on one connection, without a network: packets are sent and acknowledged by
//! number at times of the test's choosing.

use super::super::Detector;
use super::*;
use crate::connection::AckMeta;
use crate::ranges::RangeSet;
use crate::recovery::Recovery;
use crate::rtt::{RttEstimator, RttSample};
use crate::stack::Stack;
use crate::stack::Undo;
use flowstart_control::{Convention, catalog};
use flowstart_wire::{Ack, AckOption, Body, NumberAck, UNLIMITED_WINDOW};
use std::sync::Arc;

const MSS: u64 = 1200;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn at_ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

struct Bench {
    c: Connection,
    recovery: Recovery,
}

impl Bench {
    /// A connection that is open, with a window of so many bytes, and has much to send.
    fn new(cwnd: u64) -> Bench {
        let mut stack = Stack::quic();
        stack.framing.mss = MSS as u32;
        let controller = catalog::controller("slow-start", "reno", Convention::QUIC).unwrap();
        let recovery = Recovery::new(&stack);
        let mut c = Connection::new(Arc::new(stack), 0, controller);
        c.window_mut().cwnd = cwnd as f64 / MSS as f64;
        c.set_queued(1 << 30);
        Bench { c, recovery }
    }

    /// The same after a handshake that took 100 ms.
    fn confirmed(cwnd: u64) -> Bench {
        let mut bench = Bench::new(cwnd);
        bench
            .c
            .rtt_mut()
            .sample(&RttSample::of_handshake(Instant::ZERO), at_ms(100));
        bench.recovery.on_handshake(&mut bench.c, false, at_ms(100));
        bench
    }

    fn quic(&self) -> &Rfc9002 {
        let Detector::Rfc9002(quic) = self.recovery.detector() else {
            panic!("another detector")
        };
        quic
    }

    fn try_send(&mut self, now: Instant) -> Option<ByteRange> {
        let Some(plan) = self.recovery.plan(&self.c) else {
            self.c.record_limit(self.recovery.pipe(&self.c), now);
            return None;
        };
        self.recovery.on_sent(&mut self.c, plan, now);
        let segment = self.c.transmit(plan.range, 0, now);
        self.recovery.after_sent(&mut self.c, plan.range, now);
        let Body::Data(data) = segment.body else {
            panic!("{segment:?}")
        };
        assert_eq!(u64::from(data.number()) + 1, self.c.sent().next_number());
        Some(plan.range)
    }

    fn send(&mut self, count: u64, now: Instant) {
        (0..count).for_each(|_| assert!(self.try_send(now).is_some()));
    }

    /// An acknowledgement of these ranges of numbers, first and last, the largest first.
    fn ack(&mut self, ranges: &[(u64, u64)], now: Instant) {
        let option = AckOption::None;
        let mut ack = NumberAck::new(ranges[0].1 + 1, 0, UNLIMITED_WINDOW, option);
        let mut below = ack.end();
        for (first, last) in ranges {
            let room = ack.push(below - last - 1, last - first);
            assert!(room.is_some());
            below = *first;
        }
        let meta = AckMeta { option, ece: false };
        let ack = Ack::Numbers(ack);
        self.recovery.on_ack(&mut self.c, &ack, meta, now);
    }

    fn lost(&self) -> Vec<u64> {
        let lost = self.c.sent().lost().into_iter().flat_map(RangeSet::iter);
        let starts = lost.flat_map(|(start, end)| (start..end).step_by(MSS as usize));
        starts.map(|start| start / MSS).collect()
    }
}

fn averages(samples: &[(u64, u64)]) -> (f64, f64) {
    let mut rtt = RttEstimator::new(&Stack::quic().rto);
    for (sample, held) in samples {
        rtt.sample_held(Instant::ZERO, at_ms(*sample), ms(*held));
    }
    let (srtt, rttvar) = rtt.smoothed().unwrap();
    (srtt.secs() * 1e3, rttvar.secs() * 1e3)
}

#[test]
fn before_a_sample_the_timer_is_that_of_333_milliseconds_and_doubles() {
    let mut rtt = RttEstimator::new(&Stack::quic().rto);
    assert_eq!(rtt.rto(), ms(999));
    rtt.back_off();
    assert_eq!(rtt.rto(), ms(1998));
    // Data's waits for max_ack_delay too.
    assert_eq!(probe_timeout(&Bench::new(12_000).c), ms(999 + 25));
}

#[test]
fn a_first_sample_of_100_milliseconds_gives_a_probe_timeout_of_325() {
    assert_eq!(averages(&[(100, 0)]), (100.0, 50.0));
    assert_eq!(probe_timeout(&Bench::confirmed(12_000).c), ms(325));
}

#[test]
fn what_the_peer_held_back_is_not_the_paths() {
    assert_eq!(averages(&[(100, 0), (120, 10)]), (101.25, 40.0));
}

#[test]
fn what_would_be_less_than_the_least_is_not_believed() {
    // 105 - 10 is below 100: 105 counts.
    assert_eq!(averages(&[(100, 0), (105, 10)]), (100.625, 38.75));
}

#[test]
fn the_minimum_and_the_latest_round_trip_are_raw() {
    let mut rtt = RttEstimator::new(&Stack::quic().rto);
    rtt.sample_held(Instant::ZERO, at_ms(100), ms(0));
    rtt.sample_held(Instant::ZERO, at_ms(120), ms(15));
    assert_eq!(
        (rtt.min_rtt(), rtt.latest()),
        (Some(ms(100)), Some(ms(120)))
    );
}

#[test]
fn three_later_arrivals_or_nine_eighths_of_a_round_trip_make_a_loss() {
    let mut bench = Bench::confirmed(40 * MSS);
    let now = at_ms(1000);
    let ago = |t| now - ms(t);
    bench.send(18, ago(150));
    bench.send(1, ago(140));
    bench.send(1, ago(130));
    bench.send(1, ago(120));
    bench.ack(&[(20, 20)], now);
    // 135 ms is nine eighths of the latest round trip, 120 ms.
    assert_eq!(bench.quic().loss_delay(&bench.c), ms(135));
    assert_eq!(bench.lost(), (0..=18).collect::<Vec<_>>());
    assert_eq!(bench.recovery.deadline(), Some(ago(130) + ms(135)));
    assert!(bench.recovery.on_timer(&mut bench.c, at_ms(1005)));
    assert_eq!(bench.lost(), (0..=19).collect::<Vec<_>>());
    assert_eq!(
        (bench.c.counters().timeouts, bench.recovery.pipe(&bench.c)),
        (0, 0)
    );
}

#[test]
fn a_congestion_event_halves_the_window_once_for_all_that_had_left() {
    let mut bench = Bench::confirmed(12_000);
    bench.send(10, at_ms(100));
    bench.ack(&[(3, 3)], at_ms(200));
    assert_eq!(bench.lost(), [0]);
    let halved = |b: &Bench| {
        (
            b.c.window().cwnd_bytes(),
            b.c.window().ssthresh * MSS as f64,
        )
    };
    assert_eq!(halved(&bench), (6000, 6000.0));
    // Packet 5 left before recovery began: the window is as it was, and nothing grows it.
    bench.ack(&[(6, 9), (4, 4), (1, 2)], at_ms(210));
    bench.recovery.on_timer(&mut bench.c, at_ms(300));
    assert!(bench.lost().contains(&5));
    assert_eq!(halved(&bench), (6000, 6000.0));
    assert_eq!(bench.c.counters().fast_retransmits, 1);
}

#[test]
fn recovery_ends_with_the_first_packet_that_left_in_it() {
    let mut bench = Bench::confirmed(12_000);
    bench.send(10, at_ms(100));
    bench.ack(&[(3, 3)], at_ms(200));
    assert_eq!(bench.c.sent().in_flight(), 8 * MSS);
    // One leaves at once, though more is out than the window allows, and no other.
    assert_eq!(bench.try_send(at_ms(200)).map(|plan| plan.start), Some(0));
    assert_eq!(bench.try_send(at_ms(200)), None);
    bench.ack(&[(4, 9), (1, 2)], at_ms(201));
    assert!(bench.quic().recovering);
    bench.ack(&[(10, 10)], at_ms(300));
    assert!(!bench.quic().recovering);
    assert_eq!(bench.c.una(), 10 * MSS);
    assert_eq!(
        bench.c.window().cwnd_bytes(),
        6000,
        "a fifth of a window was acknowledged"
    );
}

#[test]
fn the_window_is_never_below_two_packets() {
    let mut bench = Bench::confirmed(4000);
    bench.send(2, at_ms(100));
    bench.send(1, at_ms(140));
    // The third shows by time that the others are lost.
    bench.ack(&[(2, 2)], at_ms(240));
    assert_eq!(bench.c.window().cwnd_bytes(), 2400);
}

#[test]
fn three_probe_timeouts_make_a_long_time() {
    let timeout = latest_answer(ms(100), ms(10), ms(1)) + ms(25);
    assert_eq!(timeout.times(PERSISTENT_CONGESTION_THRESHOLD), ms(495));
}

/// The window after all packets between two that left so far apart were lost.
fn after_losses_over(span: impl Fn(&Connection) -> Duration, one_arrives: bool) -> u64 {
    let mut bench = Bench::confirmed(40 * MSS);
    bench.c.window_mut().ssthresh = 40.0;
    // So that the round trip does not change with the acknowledgement.
    let span = span(&bench.c);
    bench.send(1, at_ms(200));
    bench.send(4, at_ms(201));
    bench.send(1, at_ms(200) + span);
    bench.send(3, at_ms(201) + span);
    let ranges: &[(u64, u64)] = if one_arrives {
        &[(8, 8), (2, 2)]
    } else {
        &[(8, 8)]
    };
    bench.ack(ranges, at_ms(301) + span);
    bench.c.window().cwnd_bytes()
}

#[test]
fn losing_all_of_a_long_time_leaves_the_minimum_window() {
    // The sample that comes with the acknowledgement has narrowed the variation to 37.5 ms.
    let long =
        |_: &Connection| latest_answer(ms(100), Duration::from_micros(37_500), ms(1)) + ms(25);
    let long = |c: &Connection| long(c).times(3);
    assert_eq!(after_losses_over(long, false), 20 * MSS);
    let longer = |c: &Connection| long(c) + Duration(1);
    assert_eq!(after_losses_over(longer, false), 2400);
    assert_eq!(
        after_losses_over(longer, true),
        20 * MSS,
        "one in between arrived"
    );
}

#[test]
fn what_left_before_the_first_sample_proves_no_persistent_congestion() {
    let mut bench = Bench::new(40 * MSS);
    bench.send(1, Instant::ZERO);
    bench.recovery.on_handshake(&mut bench.c, false, at_ms(50));
    bench.send(4, at_ms(9000));
    bench.ack(&[(4, 4)], at_ms(9100));
    assert_eq!(bench.c.window().cwnd_bytes(), 20 * MSS);
}

#[test]
fn a_probe_timeout_sends_two_probes_and_marks_nothing_lost() {
    let mut bench = Bench::confirmed(2 * MSS);
    bench.c.set_queued(3 * MSS);
    bench.send(2, at_ms(100));
    assert_eq!(bench.try_send(at_ms(100)), None, "the window is full");
    assert_eq!(bench.recovery.deadline(), Some(at_ms(100 + 325)));
    bench.recovery.on_timer(&mut bench.c, at_ms(425));
    // New data first, whatever the window, then the oldest that is out.
    let starts: Vec<_> = (0..3)
        .filter_map(|_| bench.try_send(at_ms(425)))
        .map(|plan| plan.start / MSS)
        .collect();
    assert_eq!(starts, [2, 0]);
    assert!(bench.lost().is_empty());
    assert_eq!(
        (bench.c.window().cwnd, bench.recovery.pipe(&bench.c)),
        (2.0, 4 * MSS)
    );
    assert_eq!(
        bench.recovery.deadline(),
        Some(at_ms(425 + 650)),
        "backed off"
    );
    // Any acknowledgement ends the back-off.
    bench.ack(&[(2, 2)], at_ms(525));
    assert_eq!(bench.quic().pto_count, 0);
}

#[test]
fn a_repeated_packet_gives_its_own_round_trip() {
    let mut bench = Bench::confirmed(12_000);
    bench.c.set_queued(MSS);
    bench.send(1, at_ms(100));
    bench.recovery.on_timer(&mut bench.c, at_ms(425));
    bench.send(1, at_ms(425));
    bench.ack(&[(1, 1)], at_ms(525));
    assert_eq!(bench.c.rtt().latest(), Some(ms(100)));
    assert_eq!(bench.c.una(), MSS);
}

#[test]
fn data_has_no_timer_before_the_handshake_is_confirmed() {
    let mut bench = Bench::new(12_000);
    bench.send(3, Instant::ZERO);
    assert_eq!(bench.recovery.deadline(), None);
    bench
        .c
        .rtt_mut()
        .sample(&RttSample::of_handshake(Instant::ZERO), at_ms(100));
    bench.recovery.on_handshake(&mut bench.c, false, at_ms(100));
    assert_eq!(bench.recovery.deadline(), Some(at_ms(325)));
}

#[test]
fn an_acknowledgement_that_repeats_what_is_known_changes_nothing() {
    let mut bench = Bench::confirmed(12_000);
    bench.send(10, at_ms(100));
    assert_eq!(bench.try_send(at_ms(100)), None);
    bench.ack(&[(0, 1)], at_ms(200));
    let before = (
        bench.c.window().cwnd,
        bench.c.una(),
        bench.recovery.deadline(),
    );
    bench.ack(&[(0, 1)], at_ms(210));
    let after = (
        bench.c.window().cwnd,
        bench.c.una(),
        bench.recovery.deadline(),
    );
    assert_eq!(before, after);
    assert_eq!(bench.c.window().cwnd, 12.0);
}

#[test]
fn consecutive_timers_end_a_connection() {
    let mut bench = Bench::confirmed(12_000);
    bench.send(1, at_ms(100));
    let mut expiries = 1;
    while let Some(due) = bench.recovery.deadline() {
        if !bench.recovery.on_timer(&mut bench.c, due) {
            break;
        }
        while bench.quic().probing.left > 0 {
            bench.send(1, due);
        }
        expiries += 1;
    }
    assert_eq!((expiries, bench.c.counters().timeouts), (15, 15));
}

// What counts as lost and is acknowledged after all.

/// A window of twenty packets, of which the first two count as lost.
fn overtaken(undo: Undo) -> Bench {
    let mut bench = Bench::confirmed(20 * MSS);
    bench.c.stack_mut().recovery.undo = undo;
    bench.send(20, at_ms(100));
    bench.ack(&[(5, 6)], at_ms(200));
    assert!(bench.lost().contains(&0) && bench.lost().contains(&1));
    assert!(bench.c.window().ssthresh <= 10.0, "{:?}", bench.c.window());
    bench
}

#[test]
fn once_all_that_counted_as_lost_has_arrived_the_window_comes_back() {
    for undo in [Undo::SetEmpties, Undo::Full] {
        let mut bench = overtaken(undo);
        bench.ack(&[(5, 6), (1, 3)], at_ms(203));
        assert!(bench.c.window().ssthresh <= 10.0, "one is missing yet");
        bench.ack(&[(0, 6)], at_ms(204));
        assert_eq!(bench.c.window().ssthresh, f64::INFINITY);
        assert!(bench.c.window().cwnd >= 20.0, "{:?}", bench.c.window());
        assert_eq!((bench.c.una(), bench.lost()), (7 * MSS, vec![]));
    }
}

#[test]
fn what_comes_after_two_probe_timeouts_takes_nothing_back() {
    let mut bench = overtaken(Undo::Full);
    bench.ack(&[(0, 6)], at_ms(200 + 2 * 325 + 100));
    assert!(bench.c.window().ssthresh <= 10.0, "{:?}", bench.c.window());
}

#[test]
fn without_undo_the_window_stays_down() {
    let mut bench = overtaken(Undo::None);
    bench.ack(&[(0, 6)], at_ms(204));
    assert!(bench.c.window().ssthresh <= 10.0, "{:?}", bench.c.window());
}

#[test]
fn with_thresholds_that_adapt_no_number_of_later_packets_means_a_loss() {
    let lost = |undo| {
        let mut bench = overtaken(undo);
        bench.ack(&[(0, 6)], at_ms(204));
        bench.ack(&[(12, 12), (0, 6)], at_ms(205));
        bench.lost()
    };
    assert!(lost(Undo::SetEmpties).contains(&7));
    assert_eq!(lost(Undo::Full), []);
}

#[test]
fn the_end_of_a_handshake_in_the_first_packet_does_not_let_the_window_grow() {
    let grown = |shared: bool| {
        let mut bench = Bench::confirmed(12_000);
        let stack = Stack {
            window: Stack::quinn().window,
            ..(*bench.c.stack()).clone()
        };
        *bench.c.stack_mut() = stack;
        if shared {
            bench.recovery.on_first_packet_shared(&bench.c);
        }
        bench.send(10, at_ms(100));
        assert!(bench.try_send(at_ms(100)).is_none());
        let before = bench.c.window().cwnd;
        bench.ack(&[(0, 1)], at_ms(200));
        let datagram = bench.c.stack().datagram() as f64;
        ((bench.c.window().cwnd - before) * datagram).round()
    };
    assert!((155.0..=156.0).contains(&(grown(false) - grown(true))));
}

/// Of ten packets the first is lost, and the last, which is found after that recovery. The window then,
/// to that before.
fn window_after_a_late_loss(response: LossResponse) -> f64 {
    let mut bench = Bench::confirmed(100 * MSS);
    let mut stack = Stack::clone(bench.c.stack());
    stack.window.on_loss = response;
    *bench.c.stack_mut() = stack;
    bench.send(9, at_ms(100));
    bench.send(1, at_ms(199));
    bench.ack(&[(1, 4)], at_ms(200));
    assert_eq!(bench.lost(), [0]);
    bench.send(3, at_ms(201));
    bench.ack(&[(10, 10), (5, 8)], at_ms(301));
    assert_eq!(bench.lost(), []);
    let before = bench.c.window().cwnd;
    bench.ack(&[(12, 12)], at_ms(303));
    assert_eq!(bench.lost(), [9]);
    bench.c.window().cwnd / before
}

#[test]
fn a_packet_from_before_the_last_reduction_may_reduce_the_window_again() {
    assert!(window_after_a_late_loss(LossResponse::Rfc9002) > 0.9);
    assert!(window_after_a_late_loss(LossResponse::OutsideRecovery) < 0.8);
}

/// A client of quiche that has so many bytes to send, on an open connection.
fn quiche(cc: &str) -> Bench {
    let stack = Stack::quiche();
    let controller = catalog::controller("slow-start", cc, stack.convention).unwrap();
    let mut recovery = Recovery::new(&stack);
    let mut c = Connection::new(Arc::new(stack), 0, controller);
    c.window_mut().cwnd = 10.0;
    c.set_queued(1 << 30);
    recovery.on_first_packet_shared(&c);
    recovery.on_handshake(&mut c, false, Instant::ZERO);
    Bench { c, recovery }
}

/// Datagrams that leave until the window is full, and how many bytes they have.
fn fill(bench: &mut Bench, now: Instant) -> Vec<u64> {
    let header = u64::from(bench.c.stack().counted_header());
    let sent = std::iter::from_fn(|| bench.try_send(now));
    sent.map(|plan| plan.bytes() + header).collect()
}

/// As the first flight of quiche 0.30.0 is.
#[test]
fn under_quiche_a_short_packet_fills_the_window_that_counts_datagrams() {
    let mut bench = quiche("cubic");
    let sent = fill(&mut bench, Instant::ZERO);
    assert_eq!(sent, [vec![1424], vec![1472; 9], vec![48]].concat());
    assert_eq!(bench.recovery.pipe(&bench.c), 14_720);
}

#[test]
fn under_quiche_the_end_of_the_handshake_lets_no_window_grow() {
    let mut bench = quiche("cubic");
    fill(&mut bench, Instant::ZERO);
    (0..10).for_each(|n| bench.ack(&[(0, n)], at_ms(50)));
    assert_eq!(bench.c.window().cwnd, 19.0);
    bench.ack(&[(0, 10)], at_ms(50));
    // 14 633 bytes are nine packets, and not ten.
    assert_eq!(bench.c.window().cwnd, 19.0);
}

#[test]
fn quiches_reno_has_no_proportional_rate_reduction() {
    for (cc, paces) in [("cubic", true), ("reno", false)] {
        assert_eq!(quiche(cc).quic().paces_reduction, paces);
    }
}
