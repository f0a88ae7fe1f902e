//! A gate that opens at fixed intervals: what came since leaves together.
//!
//! So acknowledgements are compressed (RFC 3449 §2.2: a shared return channel lets a host
//! send once a cycle) and, with thinning, filtered (§5.2.1: a newer cumulative
//! acknowledgement makes an older one redundant). An acknowledgement that says more than
//! its number is never filtered.

use super::{Common, InFlight, Verdict};
use crate::engine::Moment;
use crate::network::queue::{Backlog, ThrownOut};
use crate::tcp::segment::Segment;
use flowstart_control::Time;
use std::collections::VecDeque;

/// The gate.
pub(super) struct Gather {
    period: Time,
    thinning: bool,
    backlog: Backlog,
    thrown_out: VecDeque<ThrownOut>,
}

impl Gather {
    /// A gate behind which nothing waits.
    pub(super) fn new(period: Time, thinning: bool) -> Gather {
        Gather {
            period,
            thinning,
            backlog: Backlog::default(),
            thrown_out: VecDeque::new(),
        }
    }

    /// A packet comes to the gate.
    pub(super) fn send(&mut self, segment: Segment, now: Moment, link: &mut Common) -> Verdict {
        // Whoever comes as the gate opens is too late: it opened at its last turn's behest.
        let turns = now.time.0 / self.period.0;
        let arrival = Moment {
            time: self.period.times(turns + 1),
            cause: self.period.times(turns),
        };
        // Even if the only one that waits makes room for this one.
        let scheduled = !link.ring.is_empty();
        if self.thinning && segment.is_plain_ack() {
            self.thin(&segment, arrival, now.time, link);
        }
        self.backlog.add(segment.wire);
        link.counters.accept(segment.wire, self.backlog);
        let next = link.depart(arrival, segment);
        Verdict::Accepted(next.filter(|_| !scheduled))
    }

    /// Throws out the acknowledgement before it of the same flow, if it says more. One
    /// that repeats its predecessor reports a segment out of order and is left alone.
    fn thin(&mut self, newer: &Segment, arrival: Moment, now: Time, link: &mut Common) {
        let redundant = |p: &InFlight| {
            let older = &p.segment;
            p.arrival == arrival
                && older.flow == newer.flow
                && older.is_plain_ack()
                && older.seq < newer.seq
        };
        let older = link.ring.iter().rposition(redundant);
        let Some(older) = older.and_then(|at| link.ring.remove(at)) else {
            return;
        };
        self.backlog.take(older.segment.wire);
        link.counters.throw_out(older.segment.wire);
        self.thrown_out.push_back(ThrownOut {
            segment: older.segment,
            at: now,
        });
    }

    /// The first of those that wait is about to leave.
    pub(super) fn release(&mut self, link: &Common) {
        if let Some(first) = link.ring.front() {
            self.backlog.take(first.segment.wire);
        }
    }

    /// Whether there are packets thrown out that nobody has taken.
    pub(super) fn has_thrown_out(&self) -> bool {
        !self.thrown_out.is_empty()
    }

    /// Takes the first of them.
    pub(super) fn take_thrown_out(&mut self) -> Option<ThrownOut> {
        self.thrown_out.pop_front()
    }

    /// What waits.
    pub(super) fn held(&self) -> Backlog {
        self.backlog
    }

    /// When nothing waits any more.
    pub(super) fn empty_at(&self, link: &Common) -> Time {
        link.ring
            .back()
            .map_or(Time::ZERO, |last| last.arrival.time)
    }
}
