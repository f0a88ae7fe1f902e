//! What is measured of a flow's startup. It is told what happens and says nothing to anybody.

use crate::flow_plan::{FlowKind, FlowPlan};
use crate::maybe_time::MaybeTime;
use crate::record::startup::StartupRow;
use flowstart_control::{Rate, Time};
use flowstart_network::graph::LinkId;
use flowstart_transport::connection::Counters;
use flowstart_transport::sender::Sender;
use std::collections::VecDeque;

/// The shares of the available rate that are waited for, in percent.
const SHARES: [u64; 2] = [50, 90];
/// A round trip is taken to last no shorter than so many packets at the available rate, so that a
/// packet more or less makes no great difference to a rate.
const LEAST_PACKETS: u64 = 10;
/// So many round trips after its end a startup's overshoot is over.
const ROUNDS_AFTER_EXIT: u64 = 2;

/// What is measured of one flow.
#[derive(Debug)]
pub(super) struct StartupMeasure {
    /// The bottleneck, in the direction of the flow's data.
    pub(super) bottleneck: LinkId,
    /// One round trip of the path.
    round: Time,
    /// The bandwidth-delay product at the available rate, in packets.
    bdp: f64,
    mss: u32,
    opened: MaybeTime,
    ramp: Ramp,
    /// The most in flight, bytes.
    max_flight: u64,
    exit: Option<NotedExit>,
    queue: QueueTime,
    sending: Option<Sending>,
    idle: Option<Time>,
    losses: u64,
}

/// The startup's end.
#[derive(Clone, Copy, Debug)]
struct NotedExit {
    at: Time,
    /// Recoveries and timeouts up to it.
    losses: u64,
}

/// How long packets had waited at the bottleneck.
#[derive(Clone, Copy, Debug, Default)]
struct QueueTime {
    at_opening: Time,
    /// When overshoot was over; none while it may come.
    at_end: Option<Time>,
}

/// Data has been sent.
#[derive(Clone, Copy, Debug)]
struct Sending {
    since: Time,
    /// For how long the bottleneck had transmitted until then.
    transmitted: Time,
}

impl StartupMeasure {
    /// That of a flow for which there is so much of a rate.
    pub(super) fn new(
        plan: &FlowPlan,
        kind: &FlowKind,
        available: Rate,
        bottleneck: [LinkId; 2],
    ) -> StartupMeasure {
        let packet = u64::from(kind.stack.packet());
        let round = kind.rtt.max(available.time_for(LEAST_PACKETS * packet));
        StartupMeasure {
            bottleneck: bottleneck[usize::from(plan.reverse)],
            round,
            bdp: available.bps() as f64 * kind.rtt.secs() / 8.0 / packet as f64,
            mss: kind.stack.mss,
            opened: MaybeTime::NONE,
            ramp: Ramp::to(available.bytes_in(round), round),
            max_flight: 0,
            exit: None,
            queue: QueueTime::default(),
            sending: None,
            idle: None,
            losses: 0,
        }
    }

    /// The flow opens; packets have waited so long at the bottleneck.
    pub(super) fn open(&mut self, now: Time, waited: Time) {
        self.opened = now.into();
        self.queue.at_opening = waited;
    }

    /// Whether nothing has been sent.
    #[inline]
    pub(super) fn is_silent(&self) -> bool {
        self.sending.is_none()
    }

    /// The first data leaves; the bottleneck has transmitted for so long.
    pub(super) fn begin_sending(&mut self, now: Time, transmitted: Time) {
        self.sending = Some(Sending {
            since: now,
            transmitted,
        });
    }

    /// Data of so many bytes on the wire has arrived at its receiver.
    #[inline]
    pub(super) fn arrive(&mut self, now: Time, wire: u32) {
        self.ramp.arrive(now, wire);
    }

    /// The sender has heard or sent something. Whether it is time to [`end`](Self::end) the
    /// overshoot.
    #[inline]
    pub(super) fn look_at(&mut self, sender: &Sender, now: Time) -> bool {
        match (sender.exit(), &self.exit) {
            (None, _) => {}
            (Some(exit), Some(noted)) if noted.at == exit.at => {}
            (Some(exit), _) => self.note_exit(exit.at, sender.counters()),
        }
        if self.queue.at_end.is_some() {
            return false;
        }
        if self
            .exit
            .is_some_and(|exit| now >= self.overshoot_end(exit))
        {
            return true;
        }
        self.max_flight = self.max_flight.max(sender.flight());
        false
    }

    /// The startup has ended, maybe once more, where a loss that had ended it was none.
    #[cold]
    fn note_exit(&mut self, at: Time, counters: &Counters) {
        let losses = losses(counters);
        self.exit = Some(NotedExit { at, losses });
        self.queue.at_end = None;
    }

    fn overshoot_end(&self, exit: NotedExit) -> Time {
        exit.at + self.round.times(ROUNDS_AFTER_EXIT)
    }

    /// Overshoot is over, if it has not been before; packets have waited so long at the bottleneck.
    pub(super) fn end(&mut self, waited: Time) {
        self.queue.at_end.get_or_insert(waited);
    }

    /// All data has been delivered; the bottleneck has transmitted for so long.
    pub(super) fn deliver(&mut self, now: Time, transmitted: Time) {
        self.idle = self.sending.map(|sending| {
            let busy = transmitted.since(sending.transmitted);
            now.since(sending.since).since(busy)
        });
    }

    /// The flow, or the run, is over, with these counts.
    pub(super) fn close(&mut self, waited: Time, counters: &Counters) {
        self.end(waited);
        self.losses = losses(counters);
    }

    /// What was measured of this flow.
    pub(super) fn row(&self, flow: u32) -> StartupRow {
        let opened = self.opened.get();
        let since = |at: MaybeTime| Some(at.get()?.since(opened?).secs());
        let flight = self.max_flight as f64 / f64::from(self.mss);
        let queued = self
            .queue
            .at_end
            .map(|end| end.since(self.queue.at_opening));
        StartupRow {
            flow,
            ramp_50_s: since(self.ramp.reached[0]),
            ramp_90_s: since(self.ramp.reached[1]),
            overshoot_pkts: opened.map(|_| (flight - self.bdp).max(0.0)),
            queue_pkt_s: queued.map(Time::secs),
            loss_rounds: self.exit.map(|exit| self.losses - exit.losses),
            idle_s: self.idle.map(Time::secs),
        }
    }
}

/// Recoveries and timeouts.
fn losses(counters: &Counters) -> u64 {
    counters.fast_retransmits + counters.timeouts
}

/// When the rate of arrivals first reached each share of the available one. It is what arrived
/// within one round trip until then, a window that slides from arrival to arrival.
#[derive(Debug)]
struct Ramp {
    span: Time,
    /// What arrives within it at each share.
    due: [u64; SHARES.len()],
    reached: [MaybeTime; SHARES.len()],
    /// The next share.
    next: usize,
    /// Arrivals within the span, and their bytes.
    arrivals: VecDeque<(Time, u32)>,
    bytes: u64,
}

impl Ramp {
    /// To a rate at which so many bytes arrive within a span.
    fn to(bytes: u64, span: Time) -> Ramp {
        Ramp {
            span,
            due: SHARES.map(|share| (bytes * share).div_ceil(100).max(1)),
            reached: [MaybeTime::NONE; SHARES.len()],
            next: 0,
            arrivals: VecDeque::new(),
            bytes: 0,
        }
    }

    #[inline]
    fn arrive(&mut self, now: Time, wire: u32) {
        if self.next == SHARES.len() {
            return;
        }
        self.arrivals.push_back((now, wire));
        self.bytes += u64::from(wire);
        while let Some((at, gone)) = self.arrivals.front().copied() {
            if at + self.span > now {
                break;
            }
            self.bytes -= u64::from(gone);
            self.arrivals.pop_front();
        }
        while self.next < SHARES.len() && self.bytes >= self.due[self.next] {
            self.reached[self.next] = now.into();
            self.next += 1;
        }
        if self.next == SHARES.len() {
            self.arrivals = VecDeque::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When arrivals of 1500 bytes at these milliseconds reach 50 and 90 % of 12 Mbit/s, which is a
    /// packet a millisecond, over 20 ms.
    fn reached(arrivals: impl IntoIterator<Item = u64>) -> [Option<u64>; 2] {
        let span = Time::from_millis(20);
        let mut ramp = Ramp::to(Rate(12_000_000).bytes_in(span), span);
        for ms in arrivals {
            ramp.arrive(Time::from_millis(ms), 1500);
        }
        ramp.reached.map(|at| Some(at.get()?.0 / 1_000_000))
    }

    #[test]
    fn a_rate_is_reached_when_a_round_trips_arrivals_make_it_up() {
        assert_eq!(reached(0..20), [Some(9), Some(17)]);
        assert_eq!(reached((0..100).step_by(2)), [Some(18), None]);
        assert_eq!(reached((0..200).step_by(3)), [None, None]);
    }

    #[test]
    fn what_arrived_a_round_trip_ago_counts_no_more() {
        let early = (0..9).chain(20..29);
        assert_eq!(reached(early.clone()), [None, None]);
        assert_eq!(reached(early.chain([29])), [Some(29), None]);
    }
}
