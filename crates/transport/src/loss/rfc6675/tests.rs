//! RFC 6675's definitions taken literally, segment by segment.

use super::*;
use crate::connection::AckMeta;
use crate::recovery::Recovery;
use crate::stack::{EcnMode, Stack, Undo};
use flowstart_control::{Convention, catalog};
use flowstart_wire::{Ack, AckOption, ByteAck, UNLIMITED_WINDOW};
use proptest::prelude::*;
use std::sync::Arc;

const MSS: u64 = 10;

/// The walks that the RFC describes.
struct Literal {
    una: u64,
    nxt: u64,
    sacked: Vec<bool>,
    high_rxt: u64,
    /// A timeout has made lost what is below.
    lost_below: u64,
}

impl Literal {
    fn is_lost(&self, segment: u64) -> bool {
        let above = &self.sacked[segment as usize + 1..self.nxt as usize];
        let count = above.iter().filter(|s| **s).count();
        let mut ranges = 0;
        let mut inside = false;
        for s in above {
            ranges += usize::from(*s && !inside);
            inside = *s;
        }
        ranges >= DUP_THRESH as usize || count as u64 * MSS > 2 * MSS || segment < self.lost_below
    }

    fn pipe(&self) -> u64 {
        (self.una..self.nxt)
            .filter(|s| !self.sacked[*s as usize])
            .map(|s| MSS * (u64::from(!self.is_lost(s)) + u64::from(s < self.high_rxt)))
            .sum()
    }

    fn next_hole(&self, lost_only: bool) -> Option<u64> {
        let highest = (self.una..self.nxt)
            .rev()
            .find(|s| self.sacked[*s as usize]);
        let end = highest.unwrap_or(0).max(self.lost_below);
        (self.high_rxt.max(self.una)..end)
            .find(|s| !self.sacked[*s as usize])
            .filter(|s| !lost_only || self.is_lost(*s))
    }
}

/// A connection with so many segments out, and its detector.
struct Bench {
    c: Connection,
    detector: Rfc6675,
}

impl Bench {
    fn new(segments: u64) -> Bench {
        let mut stack = Stack::rfc();
        stack.framing.mss = MSS as u32;
        let controller = catalog::controller("slow-start", "reno", Convention::RFC).unwrap();
        let mut c = Connection::new(Arc::new(stack), 0, controller);
        c.set_queued(1000 * MSS);
        let mut bench = Bench {
            c,
            detector: Rfc6675::default(),
        };
        bench.send(segments);
        bench
    }

    fn send(&mut self, segments: u64) {
        for _ in 0..segments {
            let plan = self.c.next_segment().unwrap();
            self.c.transmit(plan, 0, Instant::ZERO);
        }
    }

    fn take(&mut self, una: u64, block: Option<(u64, u64)>) {
        let blocks = block.into_iter().map(|(a, b)| (a * MSS, b * MSS));
        let newly = self.c.acknowledge(una * MSS, blocks, Instant::ZERO);
        if newly.sacked > 0 {
            self.detector.raise_lost_edge(&mut self.c);
        }
    }

    fn retransmit(&mut self, segment: u64) {
        let plan = self.c.segment_at(segment * MSS);
        self.detector.retransmit(&mut self.c, plan, Instant::ZERO);
        self.c.transmit(plan, 0, Instant::ZERO);
    }

    fn time_out(&mut self) {
        self.detector.on_timeout(&mut self.c, false);
    }

    fn pipe(&self) -> u64 {
        self.detector.pipe(&self.c)
    }

    fn hole(&self, lost_only: bool) -> Option<u64> {
        let hole = match lost_only {
            true => self.detector.first_lost(&self.c),
            false => self.detector.next_hole(&self.c),
        };
        hole.map(|(start, _)| start / MSS)
    }
}

proptest! {
    #[test]
    fn edges_and_the_ledger_agree_with_the_literal_walk(
        steps in prop::collection::vec((0u8..12, 0u64..40, 1u64..4), 1..120)
    ) {
        let mut bench = Bench::new(40);
        let mut literal = Literal { una: 0, nxt: 40, sacked: vec![false; 200], high_rxt: 0, lost_below: 0 };
        for (what, at, len) in steps {
            match what {
                0..=5 => {
                    let start = literal.una + at % (literal.nxt - literal.una).max(1);
                    let end = (start + len).min(literal.nxt);
                    if start > literal.una && start < end {
                        (start..end).for_each(|s| literal.sacked[s as usize] = true);
                        bench.take(literal.una, Some((start, end)));
                    }
                }
                6 => {
                    let mut una = (literal.una + len.min(2)).min(literal.nxt);
                    while una < literal.nxt && literal.sacked[una as usize] { una += 1; }
                    literal.una = una;
                    literal.high_rxt = literal.high_rxt.max(una);
                    bench.take(una, None);
                }
                7 => {
                    literal.high_rxt = literal.una;
                    bench.detector.begin_retransmission(&mut bench.c);
                }
                8 if at == 0 => {
                    literal.high_rxt = literal.una;
                    literal.lost_below = literal.nxt;
                    bench.time_out();
                }
                9 => {
                    literal.nxt += 1;
                    bench.send(1);
                }
                _ => if let Some(s) = literal.next_hole(what == 10) {
                    literal.high_rxt = s + 1;
                    prop_assert_eq!(bench.hole(what == 10), Some(s));
                    bench.retransmit(s);
                },
            }
            prop_assert_eq!(bench.pipe(), literal.pipe());
            prop_assert_eq!(bench.hole(false), literal.next_hole(false));
            prop_assert_eq!(bench.hole(true), literal.next_hole(true));
        }
    }
}

#[test]
fn the_pipe_of_the_worked_example() {
    // Ten segments out, 2, 3 and 4 SACKed: segment 1 is lost, pipe is 5 to 10.
    let mut bench = Bench::new(10);
    bench.take(0, Some((1, 4)));
    assert_eq!((bench.hole(true), bench.pipe()), (Some(0), 60));
    bench.retransmit(0);
    assert_eq!(bench.pipe(), 70);
}

#[test]
fn a_timeout_makes_all_that_is_not_sacked_eligible_again() {
    let mut bench = Bench::new(5);
    bench.take(0, Some((1, 2)));
    bench.time_out();
    assert_eq!(bench.pipe(), 0);
    assert_eq!(bench.detector.first_lost(&bench.c), Some((0, 10)));
    bench.retransmit(0);
    assert_eq!(bench.detector.first_lost(&bench.c), Some((20, 50)));
    bench.retransmit(2);
    assert_eq!(bench.pipe(), 20);
}

/// Twenty segments are out, three have overtaken the first, and that is sent again.
fn overtaken(undo: Undo) -> (Connection, Recovery) {
    overtaken_after(|_| {}, undo)
}

/// The same, with something else happening before they do.
fn overtaken_after(event: impl Fn(&mut Connection), undo: Undo) -> (Connection, Recovery) {
    let mut stack = Stack::rfc();
    stack.framing.mss = MSS as u32;
    stack.ecn = EcnMode::Classic;
    stack.recovery.undo = undo;
    let controller = catalog::controller("slow-start", "reno", Convention::RFC).unwrap();
    let mut recovery = Recovery::new(&stack);
    let mut c = Connection::new(Arc::new(stack), 0, controller);
    c.window_mut().cwnd = 20.0;
    c.set_queued(1000 * MSS);
    while let Some(plan) = recovery.plan(&c) {
        recovery.on_sent(&mut c, plan, Instant::ZERO);
        c.transmit(plan.range, 0, Instant::ZERO);
    }
    event(&mut c);
    for n in 2..=4 {
        hear(&mut c, &mut recovery, 0, &[(1, n)], false);
    }
    let plan = recovery.plan(&c).unwrap();
    assert_eq!((plan.range.start, c.window().cwnd), (0, 10.0));
    recovery.on_sent(&mut c, plan, Instant::ZERO);
    c.transmit(plan.range, 0, Instant::ZERO);
    (c, recovery)
}

/// An acknowledgement of so many segments and of those in these ranges.
fn hear(
    c: &mut Connection,
    recovery: &mut Recovery,
    una: u64,
    sacked: &[(u64, u64)],
    repetition: bool,
) {
    let option = AckOption::None;
    let mut ack = ByteAck::new(una * MSS, UNLIMITED_WINDOW, option);
    for (start, end) in sacked {
        ack.push_sack(start * MSS, end * MSS);
    }
    if repetition {
        ack.set_answers_repetition();
    }
    let meta = AckMeta { option, ece: false };
    recovery.on_ack(c, &Ack::Bytes(ack), meta, Instant::from_millis(100));
}

#[test]
fn where_the_first_sending_was_only_late_the_window_comes_back_and_more_is_waited_for() {
    let (mut c, mut recovery) = overtaken(Undo::Full);
    hear(&mut c, &mut recovery, 4, &[], false);
    assert_eq!(
        (c.window().cwnd, c.window().ssthresh),
        (20.0, f64::INFINITY)
    );
    // Three segments have overtaken the fifth, no more than the first.
    for n in 6..=8 {
        hear(&mut c, &mut recovery, 4, &[(5, n)], false);
    }
    assert_eq!(c.window().ssthresh, f64::INFINITY);
    // Four have.
    hear(&mut c, &mut recovery, 4, &[(5, 10)], false);
    assert!(c.window().ssthresh < 20.0);
}

/// The window came down for a mark, which was one (RFC 3168 §6.1.2).
#[test]
fn a_spurious_loss_in_a_window_that_a_mark_has_reduced_restores_nothing() {
    let marked = |c: &mut Connection| c.answer_mark(Instant::ZERO);
    let (mut c, mut recovery) = overtaken_after(marked, Undo::Full);
    hear(&mut c, &mut recovery, 4, &[], false);
    assert_eq!((c.window().cwnd, c.window().ssthresh), (10.0, 10.0));
}

#[test]
fn the_answer_to_the_retransmission_takes_nothing_back_nor_does_anything_without_undo() {
    for (undo, repetition) in [(Undo::Full, true), (Undo::None, false)] {
        let (mut c, mut recovery) = overtaken(undo);
        hear(&mut c, &mut recovery, 4, &[], repetition);
        assert_eq!(c.window().ssthresh, 10.0, "{undo:?}");
    }
}

/// RFC 9293 §3.10.7.4: it is dropped. Blocks above what was sent are, too.
#[test]
fn an_acknowledgement_of_what_was_never_sent_is_ignored() {
    let (mut c, mut recovery) = overtaken(Undo::Full);
    let before = (c.una(), c.sent().arrived_bytes(), c.window().cwnd);
    let beyond = c.high() / MSS + 1;
    hear(&mut c, &mut recovery, beyond, &[], false);
    hear(&mut c, &mut recovery, 0, &[(6, beyond)], false);
    assert_eq!((c.una(), c.sent().arrived_bytes(), c.window().cwnd), before);
}
