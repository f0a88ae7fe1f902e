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
    ring: VecDeque<InFlight>,
    backlog: Backlog,
    thrown_out: VecDeque<ThrownOut>,
}

impl Gather {
    /// A gate behind which nothing waits.
    pub(super) fn new(period: Time, thinning: bool) -> Gather {
        Gather {
            period,
            thinning,
            ring: VecDeque::new(),
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
        let idle = self.ring.is_empty();
        if self.thinning && segment.is_plain_ack() {
            self.thin(&segment, arrival, now.time, link);
        }
        self.backlog.add(segment.wire);
        link.counters.accept(segment.wire, self.backlog);
        self.ring.push_back(InFlight { arrival, segment });
        Verdict::Accepted(idle.then_some(arrival))
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
        let older = self.ring.iter().rposition(redundant);
        let Some(older) = older.and_then(|at| self.ring.remove(at)) else {
            return;
        };
        self.backlog.take(older.segment.wire);
        link.counters.throw_out(older.segment.wire);
        self.thrown_out.push_back(ThrownOut {
            segment: older.segment,
            at: now,
        });
    }

    /// Hands over the packet that leaves now, and says when the next one does.
    pub(super) fn deliver(&mut self) -> Option<(Segment, Option<Moment>)> {
        let head = self.ring.pop_front()?;
        self.backlog.take(head.segment.wire);
        Some((head.segment, self.ring.front().map(|next| next.arrival)))
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
    pub(super) fn empty_at(&self) -> Time {
        self.ring
            .back()
            .map_or(Time::ZERO, |last| last.arrival.time)
    }

    /// Packets that wait.
    pub(super) fn in_network(&self) -> impl Iterator<Item = &Segment> {
        self.ring.iter().map(|p| &p.segment)
    }
}
