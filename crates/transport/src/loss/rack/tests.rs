//! The Linux sender by hand: what it does at each acknowledgement and each timer.

use super::super::super::sender::{Preparation, Sender};
use super::super::super::stack::{EcnMode, Stack};
use super::*;
use crate::rtt::RttSample;
use flowstart_control::catalog::Recipe;
use flowstart_control::signals::Ack;
use flowstart_control::slow_start::SlowStart;
use flowstart_control::startup::Startup;
use flowstart_control::{Controller, Convention, CustomStartups, Reason, Window, catalog};
use flowstart_wire::{
    Ack as WireAck, AckOption, Body, ByteAck, Ecn, Packet, SynAck, UNLIMITED_WINDOW,
};
use std::sync::Arc;

const MSS: u64 = 1448;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at_ms(n: u64) -> Instant {
    Instant::from_millis(n)
}

/// A Linux sender with these round trips measured and so many segments out since 0.
pub(super) fn connection(rtts: &[Duration], out: u64) -> Connection {
    let controller = catalog::controller("slow-start", "reno", Convention::LINUX).unwrap();
    let mut c = Connection::new(Arc::new(Stack::linux()), 0, controller);
    for rtt in rtts {
        c.rtt_mut().sample(
            &RttSample::of_handshake(Instant::ZERO),
            Instant::ZERO + *rtt,
        );
    }
    c.set_queued(1000 * c.mss());
    for _ in 0..out {
        let plan = c.next_segment().unwrap();
        c.transmit(plan, 0, Instant::ZERO);
    }
    c
}

/// An acknowledgement of so many segments, with those SACKed, counted from 1.
fn ack(segments: u64, sacked: &[(u64, u64)]) -> Packet {
    let mut ack = ByteAck::new(segments * MSS, UNLIMITED_WINDOW, AckOption::None);
    for (first, last) in sacked {
        ack.push_sack((first - 1) * MSS, last * MSS);
    }
    Packet::new(0, 52, Body::Ack(WireAck::Bytes(ack)))
}

/// What the detector makes of an acknowledgement.
fn take(rack: &mut Rack, c: &mut Connection, packet: &Packet, now: Instant) {
    let Body::Ack(WireAck::Bytes(ack)) = &packet.body else {
        panic!("{packet:?} acknowledges no bytes")
    };
    let newly = c.acknowledge(ack.una(), ack.sack_blocks(), now);
    let mut signal = Signal::of(now, newly.acked);
    rack.on_ack(c, &newly, ack, &mut signal);
}

/// The same, as the answer to a retransmission.
fn to_repair(mut packet: Packet) -> Packet {
    if let Body::Ack(WireAck::Bytes(ack)) = &mut packet.body {
        ack.set_answers_repetition();
    }
    packet
}

/// The same, with the report that this segment has come twice.
fn with_duplicate(segments: u64, sacked: &[(u64, u64)], twice: u64) -> Packet {
    let option = AckOption::Duplicate {
        start: ((twice as i64 - 1 - segments as i64) * MSS as i64) as i32,
        len: MSS as u32,
    };
    let mut ack = ByteAck::new(segments * MSS, UNLIMITED_WINDOW, option);
    for (first, last) in sacked {
        ack.push_sack((first - 1) * MSS, last * MSS);
    }
    Packet::new(0, 60, Body::Ack(WireAck::Bytes(ack)))
}

fn echo(mut ack: Packet) -> Packet {
    ack.ecn.set(Ecn::ECE);
    ack
}

/// A sender whose handshake has taken a hundred milliseconds.
struct Flow {
    sender: Sender,
    now: Instant,
}

impl Flow {
    fn open(cc: &str, iw: u32, ecn: bool) -> Flow {
        let controller = catalog::controller("slow-start", cc, Convention::LINUX).unwrap();
        Flow::with(controller, iw, ecn)
    }

    fn with(controller: Controller, iw: u32, ecn: bool) -> Flow {
        let mut stack = Stack::linux();
        stack.window.initial = flowstart_control::InitialWindow::Segments(iw);
        stack.ecn = if ecn { EcnMode::Classic } else { EcnMode::Off };
        // To the point.
        stack.timer().jiffy = None;
        stack.pacing.tso = false;
        let mut sender = Sender::new(Arc::new(stack), 0, controller, Preparation::default());
        sender.push(10_000_000, Instant::ZERO);
        sender.open(Instant::ZERO);
        let mut flow = Flow {
            sender,
            now: Instant::ZERO,
        };
        assert_eq!(flow.sent().len(), 1, "the SYN");
        flow.now = at_ms(100);
        let answer = SynAck::new(0, UNLIMITED_WINDOW);
        let syn_ack = Packet::new(0, 52, Body::SynAck(answer));
        flow.sender.on_packet(&syn_ack, flow.now);
        assert_eq!(flow.sent().len() as u64, u64::from(iw));
        flow
    }

    /// What leaves now: numbers of segments.
    fn sent(&mut self) -> Vec<u64> {
        let (sender, now) = (&mut self.sender, self.now);
        let segments = std::iter::from_fn(|| sender.poll_transmit(now));
        segments.map(|segment| segment.start() / MSS + 1).collect()
    }

    /// What an acknowledgement makes it send.
    fn hears(&mut self, at: Instant, ack: Packet) -> Vec<u64> {
        self.now = at;
        self.sender.on_packet(&ack, at);
        self.sent()
    }

    /// What the next timer makes it send, and when.
    fn waits(&mut self) -> (Instant, Vec<u64>) {
        self.now = self.sender.deadline().unwrap();
        self.sender.on_timer(self.now);
        (self.now, self.sent())
    }

    fn window(&self) -> &Window {
        self.sender.window()
    }
}

// RFC 8985 §6: what is lost.

#[test]
fn the_first_loss_is_found_at_the_third_segment_sacked() {
    let mut flow = Flow::open("reno", 10, false);
    assert_eq!(flow.hears(at_ms(200), ack(0, &[(2, 2)])), [11]);
    assert_eq!(flow.hears(at_ms(201), ack(0, &[(2, 3)])), [12]);
    assert_eq!(flow.hears(at_ms(202), ack(0, &[(2, 4)])), [1]);
    assert_eq!(flow.window().ssthresh, 5.0);
}

#[test]
fn with_fewer_signs_it_is_found_when_reordering_would_have_shown() {
    let mut flow = Flow::open("reno", 10, false);
    flow.hears(at_ms(200), ack(0, &[(2, 2)]));
    // All left at 100 ms; the round trip is 100 ms, and a quarter of it is waited.
    assert_eq!(flow.waits(), (at_ms(225), vec![1]));
}

#[test]
fn a_retransmission_that_left_before_what_has_arrived_is_lost_again() {
    let mut flow = Flow::open("reno", 20, false);
    assert_eq!(flow.hears(at_ms(200), ack(0, &[(2, 4)])), [1, 21]);
    // What leaves at 230 ms, after the retransmission, arrives by 330.
    let released = flow.hears(at_ms(230), ack(0, &[(2, 14)]));
    assert!(released.contains(&22), "{released:?}");
    let again = flow.hears(at_ms(330), ack(0, &[(2, 20), (22, 22)]));
    assert_eq!(again.first(), Some(&1), "{again:?}");
    assert_eq!(flow.window().ssthresh, 10.0, "the same recovery");
}

// RFC 8985 §7: probes.

#[test]
fn a_probe_leaves_after_two_round_trips_and_a_lone_segments_later() {
    let due = |out: u64, back_off: bool| {
        let mut c = connection(&[ms(50)], out);
        c.stop_timer();
        if back_off {
            c.rtt_mut().back_off();
        }
        let mut probe = Probe::default();
        probe.schedule(&c, Instant::ZERO, true);
        probe.timer.due().unwrap()
    };
    // The kernel adds two milliseconds to the RFC's 100.
    assert_eq!(due(2, false), at_ms(102));
    assert_eq!(due(1, true), at_ms(300));
    // 50 ms and 200 ms make the timeout.
    assert_eq!(due(1, false), at_ms(250), "no later than the timeout");
}

#[test]
fn a_probe_needs_a_round_trip_and_something_out() {
    let controller = catalog::controller("slow-start", "reno", Convention::LINUX).unwrap();
    let mut unmeasured = Connection::new(Arc::new(Stack::linux()), 0, controller);
    unmeasured.set_queued(MSS);
    let plan = unmeasured.next_segment().unwrap();
    unmeasured.transmit(plan, 0, Instant::ZERO);
    for c in [unmeasured, connection(&[ms(50)], 0)] {
        let mut probe = Probe::default();
        probe.schedule(&c, Instant::ZERO, true);
        assert_eq!(probe.timer.due(), None);
    }
}

#[test]
fn a_probe_of_new_data_costs_nothing_when_it_is_answered() {
    let mut flow = Flow::open("reno", 10, false);
    assert_eq!(flow.waits(), (at_ms(302), vec![11]));
    assert_eq!(flow.sender.counters().packets_retransmitted, 0);
    flow.hears(at_ms(408), ack(11, &[]));
    assert_eq!(flow.window().ssthresh, f64::INFINITY);
    assert_eq!(flow.sender.counters().timeouts, 0);
}

// RFC 5682: whether a timeout was for nothing.

/// Nothing comes back until the timer expires.
fn timed_out() -> Flow {
    let mut flow = Flow::open("reno", 10, false);
    assert_eq!(flow.waits(), (at_ms(302), vec![11]), "a probe");
    assert_eq!(flow.waits(), (at_ms(602), vec![1]), "300 ms after it");
    assert_eq!(flow.sender.counters().timeouts, 1);
    assert_eq!(flow.window().cwnd, 1.0);
    flow
}

#[test]
fn after_a_delay_spike_all_is_as_it_was() {
    let mut flow = timed_out();
    // What was only late comes: first what may also be the answer to the retransmission.
    let first = flow.hears(at_ms(610), to_repair(ack(1, &[])));
    assert_eq!(first, [12, 13], "two new ones");
    let released = flow.hears(at_ms(611), ack(2, &[]));
    assert!(flow.window().cwnd >= 10.0, "{:?}", flow.window());
    assert_eq!(flow.window().ssthresh, f64::INFINITY);
    assert!(released.iter().all(|n| *n > 13), "{released:?}");
    for n in 3..=11 {
        flow.hears(at_ms(612), ack(n, &[]));
    }
    assert_eq!(flow.sender.counters().packets_retransmitted, 1);
}

#[test]
fn a_timestamp_from_before_the_timeout_shows_it_at_once() {
    let mut flow = timed_out();
    let released = flow.hears(at_ms(610), ack(1, &[]));
    assert_eq!(flow.window().ssthresh, f64::INFINITY);
    assert!(flow.window().cwnd >= 10.0, "{:?}", flow.window());
    assert!(released.iter().all(|n| *n > 11), "{released:?}");
}

#[test]
fn after_a_loss_of_everything_the_repair_is_the_conventional_one() {
    let mut flow = timed_out();
    assert_eq!(flow.hears(at_ms(708), to_repair(ack(1, &[]))), [12, 13]);
    // Only what is new arrives: the timeout was right.
    let repairs = flow.hears(at_ms(808), ack(1, &[(12, 12)]));
    assert_eq!(repairs.first(), Some(&2));
    assert!(flow.window().cwnd <= 3.0, "{:?}", flow.window());
    assert!(flow.window().ssthresh < 10.0);
}

#[test]
fn an_acknowledgement_of_everything_needs_no_test() {
    let mut flow = timed_out();
    flow.hears(at_ms(708), to_repair(ack(11, &[])));
    assert_eq!(flow.sender.counters().packets_retransmitted, 1);
    assert_eq!(flow.sender.acknowledged(), 11 * MSS);
}

#[test]
fn without_f_rto_a_late_acknowledgement_brings_everything_again() {
    let mut c = connection(&[ms(100)], 10);
    c.stack_mut().recovery.frto = false;
    let mut rack = Rack::default();
    c.time_out(at_ms(300), rack.pipe(&c), false);
    rack.on_timeout(&mut c, false);
    let head = c.segment_at(0);
    rack.on_sent(&mut c, head.because(Why::Lost), at_ms(300));
    c.transmit(head, 0, at_ms(300));
    take(&mut rack, &mut c, &to_repair(ack(1, &[])), at_ms(410));
    assert_eq!(rack.plan(&c), Some(c.segment_at(MSS).because(Why::Lost)));
}

// The ends of recoveries.

/// Leaves at the second acknowledgement within a recovery, with a separate window.
#[derive(Default)]
struct LeavesInRecovery {
    report: u32,
}

impl Startup for LeavesInRecovery {
    fn on_ack(&mut self, w: &mut Window, _: &Ack, _: &mut SlowStart) -> Option<Reason> {
        w.cwnd += 1.0;
        None
    }

    fn on_recovery_ack(&mut self, w: &mut Window, _: &Ack) {
        self.report += 1;
        if self.report == 2 {
            (w.cwnd, w.ssthresh) = (4.0, 4.0);
        }
    }
}

#[test]
fn whoever_sets_the_window_in_a_recovery_last_has_set_it_for_its_end() {
    let custom = CustomStartups::none().with("leaves", || Box::<LeavesInRecovery>::default());
    let recipe = Recipe::among(&custom, "leaves", "reno", Convention::LINUX).unwrap();
    let mut flow = Flow::with(recipe.build(), 40, false);
    assert!(flow.hears(at_ms(200), ack(0, &[(2, 4)])).contains(&1));
    assert!(flow.window().cwnd > 20.0, "it slides from 40 to 20");
    flow.hears(at_ms(201), ack(0, &[(2, 6)]));
    assert_eq!(flow.window().cwnd, 4.0);
    flow.hears(at_ms(202), ack(0, &[(2, 10)]));
    assert_eq!(flow.window().cwnd, 4.0);
    flow.hears(at_ms(300), to_repair(ack(40, &[])));
    assert!(flow.window().cwnd <= 5.0, "{:?}", flow.window());
}

#[test]
fn the_end_of_a_recovery_grows_the_window_by_what_is_newly_delivered() {
    let mut flow = Flow::open("reno", 20, false);
    flow.hears(at_ms(200), ack(0, &[(2, 20)]));
    assert_eq!(flow.window().ssthresh, 10.0);
    // Twenty are covered and only the first of them is newly: a tenth of a window of ten.
    flow.hears(at_ms(300), to_repair(ack(20, &[])));
    assert_eq!(flow.window().cwnd, 10.0);
    assert_eq!(flow.window().ssthresh, 10.0);
}

#[test]
fn a_repair_beyond_the_end_of_a_recovery_begins_the_next_at_once() {
    let mut flow = Flow::open("reno", 20, false);
    let mut new: Vec<u64> = flow.hears(at_ms(200), ack(0, &[(2, 4)]));
    for n in 5..=20 {
        new.extend(flow.hears(at_ms(200 + n), ack(0, &[(2, n)])));
    }
    new.retain(|n| *n > 20);
    assert!(new.len() >= 4, "new data left during the recovery: {new:?}");
    // The first of the new ones is lost, which the others show before the first recovery ends.
    let repair = flow.hears(at_ms(290), ack(0, &[(2, 20), (22, *new.last().unwrap())]));
    assert!(repair.contains(&21), "{repair:?}");
    assert_eq!(flow.window().ssthresh, 10.0);
    flow.hears(
        at_ms(300),
        to_repair(ack(20, &[(22, *new.last().unwrap())])),
    );
    assert_eq!(flow.window().ssthresh, 5.0, "reduced once more");
    assert_eq!(flow.sender.counters().fast_retransmits, 2);
}

// When a recovery was for nothing.

/// Three of twenty have overtaken the first, which is sent again.
fn overtaken() -> Flow {
    let mut flow = Flow::open("reno", 20, false);
    assert!(flow.hears(at_ms(200), ack(0, &[(2, 4)])).contains(&1));
    assert_eq!(flow.window().ssthresh, 10.0);
    flow
}

#[test]
fn a_late_segment_takes_the_reduction_back_by_its_timestamp() {
    let mut flow = overtaken();
    flow.hears(at_ms(204), ack(4, &[]));
    assert_eq!(flow.window().ssthresh, f64::INFINITY);
    assert!(flow.window().cwnd >= 20.0, "{:?}", flow.window());
    // From now on a quarter of the round trip is waited, whatever has arrived.
    assert!(!flow.hears(at_ms(205), ack(4, &[(6, 10)])).contains(&5));
}

#[test]
fn the_answer_to_the_retransmission_takes_nothing_back() {
    let mut flow = overtaken();
    flow.hears(at_ms(300), to_repair(ack(4, &[])));
    assert_eq!(flow.window().ssthresh, 10.0);
}

#[test]
fn duplicates_of_all_that_was_sent_again_take_the_reduction_back() {
    let mut flow = overtaken();
    flow.hears(at_ms(201), ack(0, &[(2, 20)]));
    flow.hears(at_ms(300), to_repair(ack(20, &[])));
    assert_eq!(flow.window().ssthresh, 10.0, "it has ended");
    flow.hears(at_ms(301), with_duplicate(20, &[], 1));
    assert_eq!(flow.window().ssthresh, f64::INFINITY);
    assert!(flow.window().cwnd >= 20.0, "{:?}", flow.window());
}

#[test]
fn more_duplicates_than_retransmissions_are_not_believed() {
    let mut flow = Flow::open("reno", 20, false);
    flow.hears(at_ms(200), with_duplicate(1, &[], 1));
    flow.hears(at_ms(201), ack(1, &[(3, 5)]));
    flow.hears(at_ms(202), with_duplicate(1, &[(3, 5)], 1));
    assert_eq!(
        flow.window().ssthresh,
        10.0,
        "the only retransmission is not answered"
    );
}

#[test]
fn without_undo_a_late_segment_changes_nothing() {
    let mut c = connection(&[ms(100)], 20);
    c.stack_mut().recovery.undo = Undo::None;
    let mut rack = Rack::default();
    take(&mut rack, &mut c, &ack(0, &[(2, 4)]), at_ms(100));
    assert_eq!(rack.state, State::Recovery);
    take(&mut rack, &mut c, &ack(4, &[]), at_ms(104));
    assert_eq!(rack.state, State::Recovery);
}

// RFC 3168 as Linux answers it.

#[test]
fn a_mark_brings_the_window_down_by_a_share_of_what_is_delivered() {
    let mut flow = Flow::open("reno", 20, true);
    let mut sent = 0;
    let mut windows = Vec::new();
    for n in 1..=20 {
        sent += flow.hears(at_ms(200 + n), echo(ack(n, &[]))).len();
        windows.push(flow.window().cwnd);
    }
    assert_eq!(flow.window().ssthresh, 10.0);
    assert_eq!(sent, 10, "one for two");
    assert!(
        windows
            .windows(2)
            .all(|w| w[1] <= w[0] && w[0] - w[1] <= 1.0)
    );
    assert_eq!(flow.window().cwnd, 10.0);
    // The peer has been notified by the first of them, 21; until that is acknowledged an echo is of
    // the old window, and afterwards of a new one.
    assert_eq!(flow.window().ssthresh, 10.0);
    flow.hears(at_ms(301), ack(21, &[]));
    flow.hears(at_ms(302), echo(ack(22, &[])));
    assert_eq!(flow.window().ssthresh, 5.0);
}

#[test]
fn a_loss_after_a_mark_is_repaired_within_the_same_reduction() {
    let mut flow = Flow::open("reno", 20, true);
    flow.hears(at_ms(200), echo(ack(1, &[])));
    assert_eq!(flow.window().ssthresh, 10.0);
    let repair = flow.hears(at_ms(201), echo(ack(1, &[(3, 5)])));
    assert!(repair.contains(&2), "{repair:?}");
    assert_eq!(flow.window().ssthresh, 10.0);
    assert_eq!(flow.sender.counters().fast_retransmits, 1);
    assert!(flow.window().cwnd > 10.0, "it goes on coming down");
}
