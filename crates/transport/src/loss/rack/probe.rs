//! Tail Loss Probe (RFC 8985 §7): where nothing comes back that would show a loss at the end
//! of a flight, a segment is sent that makes the peer answer, earlier than the timer would.

use super::super::super::connection::Connection;
use super::super::super::segment::ByteRange;
use super::super::super::timer::Timer;
use flowstart_control::Instant;

/// The probe of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    /// When it is to be sent.
    pub(super) timer: Timer,
    /// TLP.end_seq: where the flight ended when it was sent; `None` where none is out.
    pub(super) out: Option<u64>,
    /// Whether it repeated old data.
    pub(super) repeats: bool,
}

impl Probe {
    /// Sets the timer after something was sent or acknowledged (§7.2), `advancing` where the
    /// retransmission timer has just been started anew.
    pub(super) fn schedule(&mut self, c: &Connection, now: Instant, advancing: bool) {
        self.timer.stop();
        if c.outstanding() == 0 || self.out.is_some() {
            return;
        }
        let lone = c.outstanding() <= c.mss();
        let Some(wait) = c.rtt().probe_wait(lone) else {
            return;
        };
        let timeout = match c.timer_due() {
            Some(deadline) if !advancing => deadline,
            _ => now + c.rtt().rto(),
        };
        self.timer.set((now + wait).min(timeout), now);
    }

    /// It is `plan`, sent while the flight ends at `high`.
    pub(super) fn sent(plan: ByteRange, high: u64) -> Probe {
        Probe {
            timer: Timer::default(),
            out: Some(high.max(plan.end)),
            repeats: plan.start < high,
        }
    }

    /// Data up to `end` has come twice. Whether that answers the probe, so that nothing was lost.
    pub(super) fn is_duplicated(&mut self, end: u64) -> bool {
        let answered = self.out == Some(end) && self.repeats;
        if answered {
            self.out = None;
        }
        answered
    }

    /// An acknowledgement up to `una` has come. Returns whether it shows that the probe has
    /// repaired a loss (§7.4.2).
    pub(super) fn on_ack(&mut self, una: u64, newly: bool) -> bool {
        let Some(end) = self.out.filter(|end| una >= *end) else {
            return false;
        };
        if !self.repeats {
            self.out = None;
            return false;
        }
        // Without DSACK, a second acknowledgement of the same end shows that both arrived.
        let repaired = una > end;
        if repaired || !newly {
            self.out = None;
        }
        repaired
    }
}
