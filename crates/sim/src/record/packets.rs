//! Packets of chosen flows, as both of their hosts see them, and what their senders knew meanwhile:
//! what qlog and pcap are made of. Only runs for which they are requested keep any.

use super::recorder::{
    ANSWERED, ARRIVED, IN_NETWORK, Kinds, PROGRESS, REPLIED, Recorder, RunEvent, SENT, Scene, TIMER,
};
use crate::flow_plan::FlowKind;
use flowstart_control::{Duration, Exit, Instant, Rate, Segments};
use flowstart_transport::sender::Sender;
use flowstart_transport::stack::Stack;
use flowstart_wire::Packet;
use std::sync::Arc;

/// An end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// That sends the data.
    Sender,
    /// That receives it.
    Receiver,
}

/// What happened to a flow.
#[derive(Clone, Debug)]
pub enum What {
    /// A packet left a host.
    Sent(Host, Packet),
    /// A packet reached a host.
    Received(Host, Packet),
    /// A packet was dropped on its way.
    Dropped(Packet),
    /// The sender has found this part of the stream to be lost.
    Lost {
        /// The position of its first byte.
        start: u64,
        /// One past that of its last.
        end: u64,
    },
    /// The sender's retransmission timer expired, or its probe timeout.
    TimedOut,
    /// The sender's state has changed to this.
    Knows(Knowledge),
}

/// A sender's state at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knowledge {
    /// The window in segments.
    pub cwnd: Segments,
    /// The threshold in segments; infinite until it is set.
    pub ssthresh: Segments,
    /// Bytes in flight.
    pub flight: u64,
    /// The smoothed round-trip time and its variation.
    pub smoothed: Option<(Duration, Duration)>,
    /// The latest sample of the round-trip time.
    pub latest: Option<Duration>,
    /// The smallest.
    pub min_rtt: Option<Duration>,
    /// At which it paces, bits per second.
    pub pacing_bps: Option<u64>,
    /// All data below this position is acknowledged.
    pub una: u64,
    /// One past the highest position sent.
    pub high: u64,
    /// How many recoveries have begun.
    pub recoveries: u64,
}

impl Knowledge {
    /// That of `sender` now.
    pub fn of(sender: &Sender) -> Knowledge {
        let (window, rtt) = (sender.window(), sender.rtt());
        Knowledge {
            cwnd: window.cwnd,
            ssthresh: window.ssthresh,
            flight: sender.flight(),
            smoothed: rtt.smoothed(),
            latest: rtt.latest(),
            min_rtt: rtt.min_rtt(),
            pacing_bps: window.pacing.map(Rate::bps),
            una: sender.acknowledged(),
            high: sender.high(),
            recoveries: sender.counters().fast_retransmits,
        }
    }
}

/// The packets of one flow.
#[derive(Clone, Debug)]
pub struct FlowLog {
    /// Which flow.
    pub flow: u32,
    /// The startup as the scenario names it.
    pub startup: Arc<str>,
    /// The congestion control as the scenario names it.
    pub cc: Arc<str>,
    /// The behaviours of its endpoints.
    pub stack: Arc<Stack>,
    /// The data's receiver opens the connection.
    pub by_receiver: bool,
    /// How its startup ended.
    pub exit: Option<Exit>,
    /// What happened, in order of time.
    pub entries: Vec<(Instant, What)>,
    /// What was lost at the last look.
    lost: Vec<(u64, u64)>,
    known: Option<Knowledge>,
}

impl FlowLog {
    /// That of a flow which has not begun.
    fn new(flow: u32, kind: &FlowKind) -> FlowLog {
        FlowLog {
            flow,
            startup: kind.startup.clone(),
            cc: kind.cc.clone(),
            stack: kind.stack.clone(),
            by_receiver: kind.by_receiver,
            exit: None,
            entries: Vec::new(),
            lost: Vec::new(),
            known: None,
        }
    }

    fn push(&mut self, at: Instant, what: What) {
        self.entries.push((at, what));
    }

    /// Records what the sender has found out since, if anything.
    fn look_at(&mut self, sender: &Sender, now: Instant) {
        let lost: Vec<(u64, u64)> = sender.lost().collect();
        if lost != self.lost {
            for (start, end) in newly_lost(&self.lost, &lost) {
                self.push(now, What::Lost { start, end });
            }
            self.lost = lost;
        }
        let known = Knowledge::of(sender);
        if self.known != Some(known) {
            self.known = Some(known);
            self.push(now, What::Knows(known));
        }
    }

    fn record(&mut self, scene: &Scene<'_>, event: &RunEvent<'_>) {
        let host = match event.is_at_sender() {
            true => Host::Sender,
            false => Host::Receiver,
        };
        let at = scene.at;
        match *event {
            RunEvent::Sent { packet, .. } => self.push(at, What::Sent(host, *packet)),
            RunEvent::Received(packet) => self.push(at, What::Received(host, *packet)),
            RunEvent::Timer { expired: true } => self.push(at, What::TimedOut),
            RunEvent::Dropped(packet) => self.push(at, What::Dropped(*packet)),
            RunEvent::Closed => {
                self.exit = scene.sender.and_then(Sender::exit).copied();
                return;
            }
            _ => {}
        }
        if let Some(sender) = scene.sender {
            self.look_at(sender, at);
        }
    }

    /// Puts entries in order of time: what a queue evicted is known when its link is next looked
    /// at. Entries of the same time stay in order.
    fn put_in_order(&mut self) {
        self.entries.sort_by_key(|entry| entry.0);
    }
}

/// Records the packets of the flows of these numbers.
pub(crate) struct PacketRecorder<'a> {
    flows: &'a [u32],
    kinds: &'a [FlowKind],
    /// Those of flows that have opened.
    logs: Vec<FlowLog>,
}

impl<'a> PacketRecorder<'a> {
    /// One for these flows, if there are any.
    pub(crate) fn new(flows: &'a [u32], kinds: &'a [FlowKind]) -> Option<PacketRecorder<'a>> {
        (!flows.is_empty()).then_some(PacketRecorder {
            flows,
            kinds,
            logs: Vec::new(),
        })
    }

    /// The logs of a run that is over, in the order of flows.
    pub(crate) fn finish(mut self) -> Vec<FlowLog> {
        self.logs.iter_mut().for_each(FlowLog::put_in_order);
        self.logs.sort_by_key(|log| log.flow);
        self.logs
    }
}

impl Recorder for PacketRecorder<'_> {
    fn takes(&self) -> Kinds {
        SENT | ANSWERED | TIMER | ARRIVED | REPLIED | IN_NETWORK | PROGRESS
    }

    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        if matches!(event, RunEvent::Opened) && self.flows.contains(&scene.flow) {
            let kind = &self.kinds[scene.kind() as usize];
            self.logs.push(FlowLog::new(scene.flow, kind));
        }
        let log = self.logs.iter_mut().find(|log| log.flow == scene.flow);
        if let Some(log) = log {
            log.record(scene, event);
        }
    }

    fn bytes_held(&self) -> usize {
        let entries = self.logs.iter().map(|log| size_of_val(&log.entries[..]));
        entries.sum()
    }
}

/// What is in `now` and not in `before`; both are in order and disjoint.
fn newly_lost(before: &[(u64, u64)], now: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut before = before.iter().copied().peekable();
    for (start, end) in now.iter().copied() {
        let mut from = start;
        while let Some((known_from, known_to)) = before.peek().copied() {
            if known_from >= end {
                break;
            }
            if known_from > from {
                found.push((from, known_from));
            }
            from = from.max(known_to);
            if known_to > end {
                break;
            }
            before.next();
        }
        if from < end {
            found.push((from, end));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_not_lost_before_is_newly_lost() {
        let before = [(0, 10), (20, 30), (40, 60)];
        assert_eq!(newly_lost(&before, &before), []);
        assert_eq!(newly_lost(&[], &before), before);
        assert_eq!(newly_lost(&before, &[(5, 25)]), [(10, 20)]);
        assert_eq!(newly_lost(&before, &[(45, 50), (55, 70)]), [(60, 70)]);
        assert_eq!(
            newly_lost(&before, &[(0, 100)]),
            [(10, 20), (30, 40), (60, 100)]
        );
    }
}
