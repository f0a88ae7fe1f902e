//! What acknowledgements let leave during a recovery besides what the window has room for (quiche 0.30.0,
//! `recovery/congestion/prr.rs`, after RFC 6937).

/// State of one connection, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    /// prr_delivered.
    delivered: u64,
    /// prr_out.
    out: u64,
    /// RecoverFS.
    flight: u64,
    /// sndcnt.
    allowance: u64,
}

impl Prr {
    /// A recovery begins with so many bytes in flight.
    pub(super) fn begin(&mut self, flight: u64) {
        *self = Prr {
            flight,
            ..Prr::default()
        };
    }

    /// What had left before the recovery is acknowledged, of `pipe` bytes in flight.
    pub(super) fn acked(&mut self, bytes: u64, pipe: u64, ssthresh: u64, mss: u64) {
        self.delivered += bytes;
        self.allowance = if pipe > ssthresh {
            let due = (self.delivered * ssthresh).div_ceil(self.flight.max(1));
            due.saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(bytes) + mss;
            limit.min(ssthresh - pipe)
        };
    }

    /// So many bytes have left.
    pub(super) fn sent(&mut self, bytes: u64) {
        self.out += bytes;
        self.allowance = self.allowance.saturating_sub(bytes);
    }

    /// What may leave above the window.
    pub(super) fn allowance(&self) -> u64 {
        self.allowance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_the_threshold_packets_leave_in_its_proportion_to_the_flight() {
        let mut prr = Prr::default();
        prr.begin(10_000);
        prr.acked(1000, 10_000, 7000, 1000);
        assert_eq!(prr.allowance(), 700);
        prr.sent(700);
        prr.acked(1000, 9000, 7000, 1000);
        assert_eq!(prr.allowance(), 700);
    }

    #[test]
    fn below_it_one_more_leaves_than_arrives() {
        let mut prr = Prr::default();
        prr.begin(10_000);
        prr.acked(1000, 4000, 7000, 1000);
        assert_eq!(prr.allowance(), 2000);
    }
}
