//! Spacing out what the window would let go at once.

use flowstart_control::{Rate, Time};

/// The pacer of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    /// The next segment may leave at this time.
    next: Time,
    /// A segment waits for `next`.
    waiting: bool,
}

impl Pacer {
    /// Whether a segment may leave now; if not, [`deadline`](Self::deadline) says when.
    pub fn admits(&mut self, pacing: Option<Rate>, now: Time) -> bool {
        self.waiting = pacing.is_some() && self.next > now;
        !self.waiting
    }

    /// Nothing waits.
    pub fn nothing_to_send(&mut self) {
        self.waiting = false;
    }

    /// A segment of `wire` bytes left: the next waits for as long as it takes at the
    /// pacing rate. Time not used is not saved up.
    pub fn sent(&mut self, pacing: Option<Rate>, wire: u32, now: Time) {
        if let Some(rate) = pacing {
            self.next = now.max(self.next) + rate.time_for(u64::from(wire));
        }
    }

    /// When a waiting segment may leave.
    pub fn deadline(&self) -> Option<Time> {
        self.waiting.then_some(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_leave_at_the_rate_and_the_first_at_once() {
        let mut pacer = Pacer::default();
        let rate = Some(Rate::from_bps(12_000));
        assert!(pacer.admits(rate, Time::ZERO));
        pacer.sent(rate, 1500, Time::ZERO);
        assert!(!pacer.admits(rate, Time::from_millis(999)));
        assert_eq!(pacer.deadline(), Some(Time::from_secs(1)));
        assert!(pacer.admits(rate, Time::from_secs(1)));
    }

    #[test]
    fn without_a_rate_nothing_waits() {
        let mut pacer = Pacer::default();
        pacer.sent(Some(Rate::from_bps(8)), 1500, Time::ZERO);
        assert!(pacer.admits(None, Time::ZERO));
        assert_eq!(pacer.deadline(), None);
    }
}
