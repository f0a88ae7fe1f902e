//! Turns of two queues that share a link by weights, so that neither starves.

/// The credit of the classic queue, and what changes it. What the low-latency queue sends while
/// both have packets lets it grow by the classic queue's weight, and the other way round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit {
    /// Bytes times percent; above zero it is the classic queue's turn.
    credit: i64,
    /// Credit with which a busy period begins.
    initial: i64,
    weight_c: i64,
    weight_l: i64,
}

/// Queue whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    LowLatency,
    Classic,
}

impl Credit {
    /// The classic queue is sure of `percent` of a link whose packets have up to `mtu` bytes.
    pub(super) fn new(percent: u32, mtu: u32) -> Credit {
        let weight_c = i64::from(percent);
        let weight_l = 100 - weight_c;
        let initial = i64::from(mtu) * (weight_c - weight_l);
        Credit {
            credit: initial,
            initial,
            weight_c,
            weight_l,
        }
    }

    /// Nothing waits: what was saved up is forgotten.
    pub(super) fn reset(&mut self) {
        self.credit = self.initial;
    }

    /// Queue to serve where these have packets; `None` where neither has.
    pub(super) fn turn(&self, low_latency: bool, classic: bool) -> Option<Turn> {
        match (low_latency, classic) {
            (true, true) if self.credit > 0 => Some(Turn::Classic),
            (true, _) => Some(Turn::LowLatency),
            (false, true) => Some(Turn::Classic),
            (false, false) => None,
        }
    }

    /// A packet of `wire` bytes leaves, while the other queue has packets as well.
    pub(super) fn charge(&mut self, turn: Turn, wire: u32) {
        self.credit += i64::from(wire)
            * match turn {
                Turn::LowLatency => self.weight_c,
                Turn::Classic => -self.weight_l,
            };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_ten_packets_of_two_busy_queues_one_is_classic() {
        let mut credit = Credit::new(10, 1500);
        assert_eq!(credit.credit, -120_000);
        let mut turns = || {
            let turn = credit.turn(true, true).unwrap();
            credit.charge(turn, 1500);
            turn
        };
        for _ in 0..3 {
            let cycle: Vec<Turn> = (0..10).map(|_| turns()).collect();
            assert_eq!(cycle[..9], [Turn::LowLatency; 9]);
            assert_eq!(cycle[9], Turn::Classic);
        }
    }

    #[test]
    fn a_queue_alone_has_every_turn() {
        let credit = Credit::new(10, 1500);
        assert_eq!(credit.turn(false, true), Some(Turn::Classic));
        assert_eq!(credit.turn(true, false), Some(Turn::LowLatency));
        assert_eq!(credit.turn(false, false), None);
    }
}
