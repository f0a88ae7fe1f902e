//! Data packets that are out, by number: which of them an acknowledgement covers and which are
//! lost, where the stack itself speaks of positions.

use flowstart_transport::stack::RecoveryKind;
use flowstart_wire::{ByteAck, Data};
use std::collections::BTreeMap;
use std::ops::Range;

/// A packet that is out.
#[derive(Clone, Copy, Debug)]
struct Out {
    number: u64,
    end: u64,
}

/// The data packets of a connection.
pub(super) struct Transmissions {
    recovery: RecoveryKind,
    /// By the position of their first byte, in the order of their sending.
    out: BTreeMap<u64, Vec<Out>>,
    next: u64,
}

impl Transmissions {
    /// None yet.
    pub(super) fn new(recovery: RecoveryKind) -> Transmissions {
        Transmissions {
            recovery,
            out: BTreeMap::new(),
            next: 0,
        }
    }

    /// A packet leaves. Its number, and the numbers of those that this shows to be lost: detectors
    /// without SACK keep no account of what is lost, they repeat it.
    pub(super) fn send(&mut self, data: &Data) -> (u64, Vec<u64>) {
        let lost = match self.recovery {
            RecoveryKind::Sack | RecoveryKind::Rack | RecoveryKind::Quic => Vec::new(),
            _ if data.repeats() => self.lose(data.start(), data.end()),
            _ => Vec::new(),
        };
        let number = match self.recovery {
            RecoveryKind::Quic => data.number().into(),
            _ => self.next,
        };
        self.next += 1;
        let out = Out {
            number,
            end: data.end(),
        };
        self.out.entry(data.start()).or_default().push(out);
        (number, lost)
    }

    /// What is out and has a part in `[start, end)` is lost.
    pub(super) fn lose(&mut self, start: u64, end: u64) -> Vec<u64> {
        const LONGEST: u64 = 1 << 16;
        self.remove(start.saturating_sub(LONGEST)..end, |out| out.end > start)
    }

    /// The retransmission timer has expired. TCP takes all that is out for lost (RFC 5681 §3.1),
    /// QUIC sends a probe (RFC 9002 §6.2).
    pub(super) fn time_out(&mut self) -> Vec<u64> {
        match self.recovery {
            RecoveryKind::Quic => Vec::new(),
            _ => self.remove(0..u64::MAX, |_| true),
        }
    }

    /// The packets that an acknowledgement is the first to cover, as ranges from the first to the
    /// last number, the largest first.
    pub(super) fn acknowledge(&mut self, ack: &ByteAck) -> Vec<(u64, u64)> {
        let una = ack.una();
        let mut numbers = self.remove(0..una, |out| out.end <= una);
        for (start, end) in ack.sack_blocks() {
            numbers.extend(self.remove(start..end, |out| out.end <= end));
        }
        ranges(numbers)
    }

    /// The packets of these numbers, from the first to the last, have arrived.
    pub(super) fn acknowledge_numbers(&mut self, ranges: &[(u64, u64)]) {
        let within = |number: u64| ranges.iter().any(|(a, b)| (*a..=*b).contains(&number));
        self.remove(0..u64::MAX, |out| within(out.number));
    }

    /// Takes those away that are meant, of the ones that begin in `starts`. Their numbers, sorted.
    fn remove(&mut self, starts: Range<u64>, is_meant: impl Fn(&Out) -> bool) -> Vec<u64> {
        let mut numbers = Vec::new();
        let mut empty = Vec::new();
        for (start, outs) in self.out.range_mut(starts) {
            outs.retain(|out| {
                let meant = is_meant(out);
                if meant {
                    numbers.push(out.number);
                }
                !meant
            });
            if outs.is_empty() {
                empty.push(*start);
            }
        }
        for start in empty {
            self.out.remove(&start);
        }
        numbers.sort_unstable();
        numbers
    }
}

/// Numbers as ranges, the largest first.
fn ranges(mut numbers: Vec<u64>) -> Vec<(u64, u64)> {
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let mut ranges: Vec<_> = runs.map(|run| (run[0], run[run.len() - 1])).collect();
    ranges.reverse();
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_wire::AckOption;

    fn sent(recovery: RecoveryKind, positions: &[u64]) -> Transmissions {
        let mut transmissions = Transmissions::new(recovery);
        for position in positions {
            transmissions.send(&Data::new(*position, 10, 0));
        }
        transmissions
    }

    #[test]
    fn an_acknowledgement_names_what_it_is_the_first_to_cover() {
        let mut transmissions = sent(RecoveryKind::Sack, &[0, 10, 20, 30, 40]);
        let mut ack = ByteAck::new(10, 0, AckOption::None);
        ack.push_sack(30, 50);
        assert_eq!(transmissions.acknowledge(&ack), [(3, 4), (0, 0)]);
        let next = ByteAck::new(50, 0, AckOption::None);
        assert_eq!(transmissions.acknowledge(&next), [(1, 2)]);
    }

    #[test]
    fn what_is_lost_is_lost_once_and_its_repetition_anew() {
        let mut transmissions = sent(RecoveryKind::Sack, &[0, 10, 20]);
        assert_eq!(transmissions.lose(10, 20), [1]);
        assert!(transmissions.lose(10, 20).is_empty());
        assert_eq!(transmissions.send(&Data::new(10, 10, 0)).0, 3);
        assert_eq!(transmissions.lose(10, 20), [3]);
    }

    #[test]
    fn a_timeout_loses_all_that_is_out_of_tcp_and_nothing_of_quic() {
        assert_eq!(sent(RecoveryKind::Rack, &[0, 10]).time_out(), [0, 1]);
        assert!(sent(RecoveryKind::Quic, &[0, 10]).time_out().is_empty());
    }

    #[test]
    fn a_repetition_shows_the_loss_where_nothing_else_does() {
        let mut again = Data::new(0, 10, 0);
        again.set_repeats();
        let lost = |recovery| sent(recovery, &[0, 10]).send(&again).1;
        assert_eq!(lost(RecoveryKind::Ns2Sack), [0]);
        assert!(lost(RecoveryKind::Rack).is_empty());
    }
}
