//! SACK compression (`__tcp_ack_snd_check`): once a hole has been reported often enough for its
//! sender to repair it, a receiver answers what comes above it together.

/// So many acknowledgements report a hole at once (`TCP_FASTRETRANS_THRESH`).
const AT_ONCE: u32 = 3;
/// No more wait than these (`tcp_comp_sack_nr`).
const MOST: u32 = 44;

/// What is to be reported of a hole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compression {
    /// Where the hole begins (`compressed_ack_rcv_nxt`).
    hole: u64,
    /// How often it has been reported (`dup_ack_counter`).
    told: u32,
    /// Arrivals that wait (`compressed_ack`).
    waiting: u32,
}

impl Compression {
    /// Something has come above a hole that begins at `hole`. Whether its answer waits.
    pub(super) fn holds(&mut self, hole: u64) -> bool {
        if self.waiting >= MOST {
            return false;
        }
        if self.hole != hole {
            (self.hole, self.told) = (hole, 0);
        }
        if self.told < AT_ONCE {
            self.told += 1;
            return false;
        }
        self.waiting += 1;
        true
    }

    /// An acknowledgement has left.
    pub(super) fn acknowledged(&mut self) {
        self.waiting = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_answers_leave_at_once_and_forty_four_wait_at_most() {
        let mut compression = Compression::default();
        assert_eq!(
            [10; 5].map(|hole| compression.holds(hole)),
            [false, false, false, true, true]
        );
        assert!((0..42).all(|_| compression.holds(10)));
        assert!(!compression.holds(10));
        compression.acknowledged();
        assert!(compression.holds(10));
        assert!(!compression.holds(20), "another hole");
    }
}
