//! s2n-quic's own congestion control, as its events show it.

use super::notes::{Found, Notes};
use crate::clock::now;
use flowstart_control::{Duration, Reason};
use s2n_quic::provider::event::events::{
    PacketLost, PacketSent, RecoveryMetrics, SlowStartExitCause, SlowStartExited,
};
use s2n_quic::provider::event::{ConnectionInfo, ConnectionMeta, Subscriber};

/// Records the events of the side that sends.
pub(super) struct Watcher {
    notes: Notes,
    is_sender: bool,
    /// Bytes that are not the controller's in the window of its events.
    shift: u32,
}

impl Watcher {
    pub fn new(notes: Notes, is_sender: bool, shift: u32) -> Watcher {
        Watcher {
            notes,
            is_sender,
            shift,
        }
    }

    fn note(&self, change: impl FnOnce(&mut Found)) {
        if self.is_sender {
            change(&mut self.notes.open());
        }
    }
}

impl Subscriber for Watcher {
    type ConnectionContext = ();

    fn create_connection_context(&mut self, _: &ConnectionMeta, _: &ConnectionInfo<'_>) {}

    fn on_packet_sent(&mut self, (): &mut (), _: &ConnectionMeta, event: &PacketSent) {
        self.note(|found| {
            if let Some(observed) = &mut found.observed {
                observed.sent(event.packet_len);
            }
        });
    }

    fn on_packet_lost(&mut self, (): &mut (), _: &ConnectionMeta, _: &PacketLost<'_>) {
        self.note(|found| found.state.lost += 1);
    }

    fn on_slow_start_exited(&mut self, (): &mut (), _: &ConnectionMeta, event: &SlowStartExited) {
        let reason = match event.cause {
            SlowStartExitCause::PacketLoss { .. } => Reason::Loss,
            SlowStartExitCause::Ecn { .. } => Reason::Ecn,
            SlowStartExitCause::Rtt { .. } => Reason::Delay,
            _ => Reason::Ssthresh,
        };
        self.note(|found| {
            if let Some(observed) = &mut found.observed {
                observed.leave(reason, event.congestion_window.into(), now());
            }
        });
    }

    fn on_recovery_metrics(
        &mut self,
        (): &mut (),
        _: &ConnectionMeta,
        event: &RecoveryMetrics<'_>,
    ) {
        self.note(|found| {
            found.state.window = event.congestion_window.saturating_sub(self.shift).into();
            found.state.srtt = Duration::from_nanos(event.smoothed_rtt.as_nanos() as u64);
            let state = found.state;
            if let Some(observed) = &mut found.observed {
                observed.update(state, now());
            }
        });
    }
}
