//! What a kind of loss recovery needs of the rest of a sender.

use super::sent::Tracking;
use super::stack::{RecoveryKind, ReductionKind, Stack};
use flowstart_control::Segments;
use flowstart_control::session::{MINIMUM_WINDOW, UndoRule};

/// The parts of a sender that differ with the kind of recovery.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecoveryProfile {
    /// What the ledger keeps of each packet.
    pub detail: Tracking,
    /// Whether what has arrived and what is repeated are whole packets.
    pub whole_packets: bool,
    /// Whether the window comes down by a share of what is delivered, or at once.
    pub reduces_gradually: bool,
    /// The smallest window that a reduction leaves.
    pub min_window: Segments,
    /// Whether a recovery leaves no more window than avoids a burst (RFC 6582 §3.2 step 3).
    pub avoids_burst: bool,
    /// What a reduction that was for nothing gives back.
    pub undo: UndoRule,
}

impl RecoveryProfile {
    /// Reads the profile of a stack.
    pub(crate) fn new(stack: &Stack) -> RecoveryProfile {
        let kind = stack.recovery.kind;
        let positions = RecoveryProfile {
            detail: Tracking::Positions,
            whole_packets: false,
            reduces_gradually: false,
            min_window: 0.0,
            avoids_burst: kind == RecoveryKind::NewReno && stack.recovery.newreno.avoids_burst,
            undo: UndoRule::Eifel,
        };
        match kind {
            RecoveryKind::Rack => RecoveryProfile {
                detail: Tracking::Times,
                whole_packets: true,
                reduces_gradually: stack.recovery.reduction == ReductionKind::Prr,
                undo: UndoRule::Linux,
                ..positions
            },
            RecoveryKind::Quic => RecoveryProfile {
                detail: Tracking::Numbers,
                min_window: MINIMUM_WINDOW,
                undo: UndoRule::Quic,
                ..positions
            },
            _ => positions,
        }
    }
}
