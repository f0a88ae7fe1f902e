//! A reduction that was for nothing: the window and the threshold before it, and how they come back.

use crate::{Segments, Window};

/// How much of the window and the threshold is restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoRule {
    /// Both, the threshold at three quarters of the window at least (`tcp_current_ssthresh`).
    Linux,
    /// The threshold at no less than what was out, and a window that sends no burst (RFC 4015 §3).
    Eifel,
    /// Both, where the window has not grown beyond (quinn, neqo).
    Quic,
}

/// The window before the last reduction, if that can be undone.
#[derive(Clone, Copy, Debug)]
pub(super) struct SavedCwnd {
    rule: UndoRule,
    before: Option<(Segments, Segments)>,
}

impl SavedCwnd {
    pub(super) fn new(rule: UndoRule) -> SavedCwnd {
        SavedCwnd { rule, before: None }
    }

    /// The window is about to come down, with so many bytes outstanding.
    pub(super) fn save(&mut self, w: &Window, outstanding: u64) {
        let least = match self.rule {
            UndoRule::Linux => 0.75 * w.cwnd,
            UndoRule::Eifel => w.segments(outstanding),
            UndoRule::Quic => 0.0,
        };
        self.before = Some((w.cwnd, w.ssthresh.max(least)));
    }

    pub(super) fn is_some(&self) -> bool {
        self.before.is_some()
    }

    pub(super) fn forget(&mut self) {
        self.before = None;
    }

    /// Whether anything was to be restored. RFC 4015 lets `burst` leave at once.
    pub(super) fn restore(&mut self, w: &mut Window, outstanding: u64, burst: Segments) -> bool {
        let Some((cwnd, ssthresh)) = self.before.take() else {
            return false;
        };
        let cwnd = match self.rule {
            UndoRule::Quic if w.cwnd >= cwnd => return false,
            UndoRule::Linux | UndoRule::Quic => cwnd,
            UndoRule::Eifel => cwnd.min(w.segments(outstanding) + burst),
        };
        w.cwnd = w.cwnd.max(cwnd);
        w.ssthresh = w.ssthresh.max(ssthresh);
        true
    }
}
