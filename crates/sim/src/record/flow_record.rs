//! What is kept of a flow while it lasts and after, until its row is made.

use crate::flow_plan::FlowPlan;
use crate::maybe_time::MaybeTime;
use flowstart_control::{Duration, Exit, Instant, Segments};
use flowstart_transport::Counters;
use std::num::NonZeroU32;

/// What a flow's row is made of, but for what all flows of its kind and of its run share. Rows
/// are made on request, so this is what lasts of a flow: every byte of it is a
/// megabyte of a run with a million connections.
#[derive(Clone, Debug)]
pub(crate) struct FlowRecord {
    /// What the flow is like.
    pub plan: FlowPlan,
    /// When the last byte was held in order.
    pub delivered_at: MaybeTime,
    /// When the last byte was acknowledged.
    pub acked_at: MaybeTime,
    /// Bytes held in order.
    pub bytes_delivered: u64,
    /// Data packets sent, retransmissions included.
    pub packets_sent: u64,
    /// Data packets that arrived.
    pub packets_arrived: u64,
    /// Data packets dropped.
    pub packets_dropped: u64,
    /// Data packets sent again.
    pub packets_retransmitted: u64,
    /// Data packets marked by a queue.
    pub packets_marked: u32,
    /// Expiries of the retransmission timer or the probe timeout.
    pub timeouts: u32,
    /// Times that fast recovery began.
    pub fast_retransmits: u32,
    /// SYNs sent again.
    pub syn_retransmits: u32,
    /// The largest window, in segments.
    pub max_cwnd: Segments,
    /// Which of the run's exits is how its startup ended, counted from 1: short flows have none.
    pub exit: Option<NonZeroU32>,
    /// The smallest round-trip time.
    pub min_rtt: Duration,
    /// Whether the sender gave up.
    pub reset: bool,
}

impl FlowRecord {
    /// That of a flow which has not begun.
    pub(crate) fn new(plan: FlowPlan) -> FlowRecord {
        FlowRecord {
            plan,
            delivered_at: MaybeTime::NONE,
            acked_at: MaybeTime::NONE,
            bytes_delivered: 0,
            packets_sent: 0,
            packets_arrived: 0,
            packets_dropped: 0,
            packets_retransmitted: 0,
            packets_marked: 0,
            timeouts: 0,
            fast_retransmits: 0,
            syn_retransmits: 0,
            max_cwnd: 0.0,
            exit: None,
            min_rtt: Duration::MAX,
            reset: false,
        }
    }

    /// Keeps how the startup ended among those of all flows.
    pub(crate) fn keep_exit(&mut self, exit: Option<&Exit>, exits: &mut Vec<Exit>) {
        exits.extend(exit);
        self.exit = exit.and_then(|_| NonZeroU32::new(exits.len() as u32));
    }

    /// How the startup ended.
    pub(crate) fn exit(&self, exits: &[Exit]) -> Option<Exit> {
        self.exit.map(|number| exits[number.get() as usize - 1])
    }

    /// Takes over what the sender has counted.
    pub(crate) fn count(&mut self, counters: &Counters) {
        self.packets_sent = counters.packets_sent;
        self.packets_retransmitted = counters.packets_retransmitted;
        self.timeouts = small(counters.timeouts);
        self.fast_retransmits = small(counters.fast_retransmits);
        self.syn_retransmits = small(counters.syn_retransmits);
        self.max_cwnd = counters.max_cwnd;
    }

    /// A time counted from the flow's opening, in seconds.
    pub(crate) fn since_opened(&self, at: Instant) -> f64 {
        at.since(self.plan.start.get().unwrap_or(Instant::ZERO))
            .secs()
    }
}

/// What happens at most once in a round trip or a timeout: a run in which that is four
/// thousand million times does not end.
fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_takes_two_lines_of_a_cache() {
        assert_eq!(size_of::<FlowRecord>(), 128);
    }
}
