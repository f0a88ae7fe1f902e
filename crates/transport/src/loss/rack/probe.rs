//! Tail Loss Probe (RFC 8985 §7): where nothing comes back that would show a loss at the end
//! of a flight, a segment is sent that makes the peer answer, earlier than the timer would.

use super::super::super::connection::Connection;
use super::super::super::segment::ByteRange;
use super::super::super::timer::Timer;
use flowstart_control::Instant;

/// The probe of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// When it is to be sent.
    pub(super) timer: Timer,
    /// When the segments left for which the timer is set, where there are several; `Instant::MAX`
    /// otherwise. More of them do not change it.
    flight: Instant,
    /// TLP.end_seq: where the flight ended when it was sent; `None` where none is out.
    pub(super) out: Option<u64>,
    /// Whether it repeated old data.
    pub(super) repeats: bool,
}

impl Default for Probe {
    fn default() -> Probe {
        Probe {
            timer: Timer::default(),
            flight: Instant::MAX,
            out: None,
            repeats: false,
        }
    }
}

impl Probe {
    /// Stops the timer.
    #[inline]
    pub(super) fn stop(&mut self) {
        self.timer.stop();
        self.flight = Instant::MAX;
    }

    /// Whether the timer is set for other segments that leave now.
    #[inline]
    pub(super) fn is_set_for(&self, now: Instant) -> bool {
        self.flight == now
    }

    /// Something has come back.
    #[inline]
    pub(super) fn end_flight(&mut self) {
        self.flight = Instant::MAX;
    }

    /// Sets the timer after something was sent or acknowledged (§7.2), `advancing` where the
    /// retransmission timer has just been started anew.
    pub(super) fn schedule(&mut self, c: &Connection, now: Instant, advancing: bool) {
        self.stop();
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
        if !advancing && !lone {
            self.flight = now;
        }
    }

    /// It is `plan`, sent while the flight ends at `high`.
    pub(super) fn sent(plan: ByteRange, high: u64) -> Probe {
        Probe {
            out: Some(high.max(plan.end)),
            repeats: plan.start < high,
            ..Probe::default()
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
