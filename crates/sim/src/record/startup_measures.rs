//! What is measured of startups.

use super::recorder::{ARRIVED, Kinds, PROGRESS, Recorder, RunEvent, Scene, TRANSMITTED};
use super::startup::StartupRow;
use crate::flow_plan::{FlowKind, FlowPlan};
use crate::maybe_time::MaybeTime;
use crate::record::flow_record::FlowRecord;
use flowstart_control::{Duration, Exit, Instant, Rate, Reason};
use flowstart_network::graph::LinkId;
use flowstart_transport::Counters;
use flowstart_transport::sender::Sender;
use std::collections::VecDeque;

/// The shares of the available rate that are waited for, in percent.
const SHARES: [u64; 2] = [50, 90];
/// A round trip is taken to last no shorter than so many packets at the available rate, so that a
/// packet more or less makes no great difference to a rate.
const LEAST_PACKETS: u64 = 10;
/// So many round trips after its end a startup's overshoot is over.
const ROUNDS_AFTER_EXIT: u64 = 2;

/// Measures the startups of flows with a given available rate.
pub(crate) struct StartupMeasures {
    /// By the number of the flow.
    measures: Vec<Option<Box<StartupMeasure>>>,
}

impl StartupMeasures {
    /// Those of a run's flows, if any, with the bottleneck of each kind in both directions.
    pub(crate) fn new(
        kinds: &[FlowKind],
        plans: &[FlowPlan],
        bottleneck: impl Fn(&FlowKind) -> [LinkId; 2],
    ) -> Option<StartupMeasures> {
        if kinds.iter().all(|kind| kind.available_rate.is_none()) {
            return None;
        }
        let measure = |plan: &FlowPlan| {
            let kind = &kinds[plan.kind as usize];
            let available = kind.available_rate?;
            let measure = StartupMeasure::new(plan, kind, available, bottleneck(kind));
            Some(Box::new(measure))
        };
        let measures = plans.iter().map(measure).collect();
        Some(StartupMeasures { measures })
    }

    /// One row for each flow that was measured.
    pub(crate) fn rows(&self) -> Vec<StartupRow> {
        let measured = (0..).zip(&self.measures);
        let row = |(flow, measure): (u32, &Option<Box<StartupMeasure>>)| {
            measure.as_ref().map(|measure| measure.row(flow))
        };
        measured.filter_map(row).collect()
    }
}

impl Recorder for StartupMeasures {
    fn takes(&self) -> Kinds {
        ARRIVED | TRANSMITTED | PROGRESS
    }

    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        let measure = self.measures.get_mut(scene.flow as usize);
        if let Some(measure) = measure.and_then(Option::as_mut) {
            measure.record(scene, event);
        }
    }
}

/// What is measured of one flow.
#[derive(Debug)]
struct StartupMeasure {
    /// The bottleneck, in the direction of the flow's data.
    bottleneck: LinkId,
    /// One round trip of the path.
    round: Duration,
    /// The bandwidth-delay product at the available rate, in packets.
    bdp: f64,
    mss: u32,
    opened: MaybeTime,
    available: Rate,
    ramp: Ramp,
    /// The maximum in flight, bytes.
    max_flight: u64,
    exit: Option<NotedExit>,
    queue: QueueTime,
    sending: Option<Sending>,
    idle: Option<Duration>,
    losses: u64,
    dropped: u64,
    landing: Option<Landing>,
    acked: Acked,
}

/// The startup's end.
#[derive(Clone, Copy, Debug)]
struct NotedExit {
    at: Instant,
    /// Recoveries and timeouts up to it.
    losses: u64,
}

/// What follows the startup's end.
#[derive(Debug)]
struct Landing {
    /// One round trip after it: what is sent from then on meets the window of the landing.
    since: Instant,
    /// The queue at the end, in packets.
    queue: u64,
    /// Packets dropped until `since`; none before that.
    dropped: Option<u64>,
    ramp: Ramp,
    /// Recoveries and timeouts until the first round trip without.
    recoveries: u64,
    /// When the last of them began.
    last: Instant,
    /// Such a round trip has passed.
    settled: bool,
}

impl Landing {
    /// That of an exit with so much queued.
    fn new(exit: &Exit, round: Duration, ramp: Ramp, queue: u64) -> Landing {
        let is_recovery = matches!(exit.reason, Reason::Loss | Reason::Timeout);
        Landing {
            since: exit.at + round,
            queue,
            dropped: None,
            ramp,
            recoveries: is_recovery.into(),
            last: exit.at,
            settled: false,
        }
    }

    /// The sender has sent what it may; `later` recoveries and timeouts have begun since the exit.
    /// A recovery lasts a round trip.
    fn look_at(
        &mut self,
        exit: &Exit,
        later: u64,
        round: Duration,
        record: &FlowRecord,
        now: Instant,
    ) {
        if now >= self.since {
            self.dropped.get_or_insert(record.packets_dropped);
        }
        if self.settled {
            return;
        }
        self.settled = now >= self.last + round.times(2);
        let is_recovery = matches!(exit.reason, Reason::Loss | Reason::Timeout);
        let recoveries = u64::from(is_recovery) + later;
        if !self.settled && recoveries > self.recoveries {
            (self.recoveries, self.last) = (recoveries, now);
        }
    }
}

/// When data was acknowledged.
#[derive(Clone, Copy, Debug, Default)]
struct Acked {
    bytes: u64,
    /// The sum over bytes of the time from the opening, in seconds.
    sum: f64,
}

impl Acked {
    fn note(&mut self, bytes: u64, since_opening: Duration) {
        self.sum += bytes.saturating_sub(self.bytes) as f64 * since_opening.secs();
        self.bytes = bytes;
    }

    fn mean(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.sum / self.bytes as f64)
    }
}

/// How long packets had waited at the bottleneck.
#[derive(Clone, Copy, Debug, Default)]
struct QueueTime {
    at_opening: Duration,
    /// When overshoot was over; none while it may come.
    at_end: Option<Duration>,
}

/// Data has been sent.
#[derive(Clone, Copy, Debug)]
struct Sending {
    since: Instant,
    /// For how long the bottleneck had transmitted until then.
    transmitted: Duration,
}

impl StartupMeasure {
    /// That of a flow for which there is so much of a rate.
    fn new(
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
            mss: kind.stack.framing.mss,
            opened: MaybeTime::NONE,
            available,
            ramp: Ramp::to(available.bytes_in(round), round),
            max_flight: 0,
            exit: None,
            queue: QueueTime::default(),
            sending: None,
            idle: None,
            losses: 0,
            dropped: 0,
            landing: None,
            acked: Acked::default(),
        }
    }

    /// An event of this flow.
    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        let now = scene.now.time;
        match *event {
            RunEvent::Opened => {
                self.opened = now.into();
                self.queue.at_opening = scene.waited(self.bottleneck);
            }
            RunEvent::Received(packet) if packet.is_data() => {
                self.ramp.arrive(now, packet.wire);
                if let Some(landing) = self.landing.as_mut().filter(|l| now >= l.since) {
                    landing.ramp.arrive(now, packet.wire);
                }
            }
            RunEvent::Delivered => self.deliver(now, scene.transmitted(self.bottleneck)),
            RunEvent::Closed => {
                self.end(scene.waited(self.bottleneck));
                self.dropped = scene.records[scene.flow as usize].packets_dropped;
                if let Some(sender) = scene.sender {
                    self.follow(sender, scene);
                }
                self.losses = scene.sender.map_or(0, |sender| losses(sender.counters()));
            }
            RunEvent::Transmitted => {
                if let Some(sender) = scene.sender {
                    self.look_at(sender, scene);
                }
            }
            _ => {}
        }
    }

    /// The sender has received something or a timer of it was due, and it has sent what it may.
    fn look_at(&mut self, sender: &Sender, scene: &mut Scene<'_>) {
        if self.sending.is_none() && sender.flight() > 0 {
            self.sending = Some(Sending {
                since: scene.now.time,
                transmitted: scene.transmitted(self.bottleneck),
            });
        }
        match (sender.exit(), &self.exit) {
            (None, _) => {}
            (Some(exit), Some(noted)) if noted.at == exit.at => {}
            (Some(exit), _) => self.record_exit(exit, sender.counters(), scene),
        }
        self.follow(sender, scene);
        if self.queue.at_end.is_some() {
            return;
        }
        let now = scene.now.time;
        if self
            .exit
            .is_some_and(|exit| now >= self.overshoot_end(exit))
        {
            self.end(scene.waited(self.bottleneck));
        } else {
            self.max_flight = self.max_flight.max(sender.flight());
        }
    }

    /// The startup has ended, maybe once more, where a loss that had ended it was none.
    #[cold]
    fn record_exit(&mut self, exit: &Exit, counters: &Counters, scene: &mut Scene<'_>) {
        let (at, losses) = (exit.at, losses(counters));
        self.exit = Some(NotedExit { at, losses });
        self.queue.at_end = None;
        let queue = scene.links[self.bottleneck as usize].held(scene.now);
        let ramp = Ramp::to(self.available.bytes_in(self.round), self.round);
        self.landing = Some(Landing::new(exit, self.round, ramp, queue.packets));
    }

    /// What has come of data, and of the landing where the startup has ended.
    fn follow(&mut self, sender: &Sender, scene: &Scene<'_>) {
        let now = scene.now.time;
        if let Some(opened) = self.opened.get() {
            self.acked.note(sender.acknowledged(), now.since(opened));
        }
        let (Some(landing), Some(noted), Some(exit)) =
            (&mut self.landing, &self.exit, sender.exit())
        else {
            return;
        };
        let later = losses(sender.counters()) - noted.losses;
        let round = self.round.max(sender.rtt().srtt());
        let record = &scene.records[scene.flow as usize];
        landing.look_at(exit, later, round, record, now);
    }

    fn overshoot_end(&self, exit: NotedExit) -> Instant {
        exit.at + self.round.times(ROUNDS_AFTER_EXIT)
    }

    /// Overshoot is over, if it has not been before; packets have waited so long at the bottleneck.
    fn end(&mut self, waited: Duration) {
        self.queue.at_end.get_or_insert(waited);
    }

    /// All data has been delivered; the bottleneck has transmitted for so long.
    fn deliver(&mut self, now: Instant, transmitted: Duration) {
        self.idle = self.sending.map(|sending| {
            let busy = transmitted.saturating_sub(sending.transmitted);
            now.since(sending.since).saturating_sub(busy)
        });
    }

    /// What was measured of this flow.
    fn row(&self, flow: u32) -> StartupRow {
        let opened = self.opened.get();
        let since = |at: MaybeTime| Some(at.get()?.since(opened?).secs());
        let flight = self.max_flight as f64 / f64::from(self.mss);
        let queued = self
            .queue
            .at_end
            .map(|end| end.saturating_sub(self.queue.at_opening));
        let landing = self.landing.as_ref();
        StartupRow {
            flow,
            ramp_50_s: since(self.ramp.reached[0]),
            ramp_90_s: since(self.ramp.reached[1]),
            overshoot_pkts: opened.map(|_| (flight - self.bdp).max(0.0)),
            queue_pkt_s: queued.map(Duration::secs),
            loss_rounds: self.exit.map(|exit| self.losses - exit.losses),
            idle_s: self.idle.map(Duration::secs),
            exit_dropped_pkts: landing.map(|l| l.dropped.unwrap_or(self.dropped)),
            later_dropped_pkts: landing.map(|l| self.dropped - l.dropped.unwrap_or(self.dropped)),
            exit_recoveries: landing.map(|l| l.recoveries),
            exit_to_90_s: landing
                .zip(self.exit)
                .and_then(|(l, exit)| Some(l.ramp.reached[1].get()?.since(exit.at).secs())),
            exit_queue_pkts: landing.map(|l| l.queue),
            mean_acked_s: self.acked.mean(),
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
    span: Duration,
    /// What arrives within it at each share.
    due: [u64; SHARES.len()],
    reached: [MaybeTime; SHARES.len()],
    /// The next share.
    next: usize,
    /// Arrivals within the span, and their bytes.
    arrivals: VecDeque<(Instant, u32)>,
    bytes: u64,
}

impl Ramp {
    /// To a rate at which so many bytes arrive within a span.
    fn to(bytes: u64, span: Duration) -> Ramp {
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
    fn arrive(&mut self, now: Instant, wire: u32) {
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
        let span = Duration::from_millis(20);
        let mut ramp = Ramp::to(Rate(12_000_000).bytes_in(span), span);
        for ms in arrivals {
            ramp.arrive(Instant::from_millis(ms), 1500);
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
