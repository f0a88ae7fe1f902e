//! The ledger does what the literal one does, step by step, whatever is sent, acknowledged and
//! lost in whatever order: also what no peer that keeps to RFC 2018 would report.

use super::super::*;
use super::literal::Literal;
use flowstart_control::Duration;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// Bytes of a full segment.
const MSS: u64 = 4;

/// What a step is made of: which, where, how much, how much later, and something to choose by.
type Step = (u8, u64, u64, u64, u64);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0u8..20, 0u64..40, 1u64..9, 0u64..3, 0u64..30);
    prop::collection::vec(step, 1..120)
}

/// Both of them.
struct Pair {
    sent: SentPackets,
    literal: Literal,
    detail: Tracking,
}

impl Pair {
    fn new(detail: Tracking, of_packets: bool) -> Pair {
        let sent = SentPackets::new(detail, true);
        let literal = Literal {
            of_packets,
            ..Literal::default()
        };
        Pair {
            sent: match of_packets {
                true => sent.of_packets(MSS),
                false => sent,
            },
            literal,
            detail,
        }
    }

    fn step(&mut self, (what, at, len, later, choice): Step) -> Result<(), TestCaseError> {
        self.literal.now += Duration(later);
        let Literal { una, high, .. } = self.literal;
        let somewhere = una + at % (high - una + 1);
        match what {
            0..=5 => self.send(ByteRange {
                start: high,
                end: high + len.min(MSS),
            }),
            6 => self.send_again(somewhere, len.min(MSS)),
            7 | 8 => {
                let first = self.literal.first_lost();
                if let Some((start, _)) = first {
                    self.send_again(start, len.min(MSS));
                }
            }
            9..=11 => {
                let blocks = self.blocks(at, len, choice);
                self.acknowledge(una, &blocks, choice)?;
            }
            12 => {
                let blocks = self.blocks(at, len, choice);
                self.acknowledge(somewhere, &blocks, choice)?;
            }
            13 => self.acknowledge(self.contiguous(una + len), &[], choice)?,
            // One that another has overtaken.
            14 => {
                let blocks = self.blocks(at, len, choice);
                self.acknowledge(una.saturating_sub(len), &blocks, choice)?;
            }
            15 | 16 => {
                let end = (somewhere + 2 * len).min(high);
                self.sent.mark_lost(somewhere, end);
                self.literal.lose(somewhere, end);
            }
            17 => {
                self.sent.mark_oldest_retransmission_lost();
                if self.detail == Tracking::Times {
                    self.literal.lose_oldest_retransmission();
                }
            }
            18 if choice < 15 => {
                self.sent.mark_all_lost();
                self.literal.lose_all();
            }
            18 => {
                self.sent.unmark_all_lost();
                self.literal.find_all();
            }
            _ => {
                let pipe = self.literal.in_flight();
                self.literal.rate.application_limits(pipe);
                let rate = self.sent.delivery();
                rate.unwrap().application_limits(pipe);
            }
        }
        self.compare()
    }

    fn send(&mut self, plan: ByteRange) {
        let now = self.literal.now;
        if plan.start < self.literal.high {
            self.sent.repair(plan, now);
        }
        self.sent.send(plan, self.literal.in_flight(), now);
        self.literal.send(plan);
    }

    /// Sends again what holds the byte at `position`: its packet, or so many bytes.
    fn send_again(&mut self, position: u64, len: u64) {
        let high = self.literal.high;
        if position >= high {
            return;
        }
        let plan = match self.literal.of_packets {
            true => self.sent.packet_at(position),
            false => ByteRange {
                start: position,
                end: high.min(position + len),
            },
        };
        self.send(plan);
    }

    /// Up to three blocks, which may overlap, be empty, be below SND.UNA or report the same again.
    fn blocks(&self, at: u64, len: u64, choice: u64) -> Vec<(u64, u64)> {
        let Literal { una, high, .. } = self.literal;
        let block = |start: u64, len: u64| (start.min(high), (start + len).min(high));
        let below = (una + at).saturating_sub(choice % 4);
        let second = below + choice % 11;
        let blocks = [
            block(below, len * (1 + choice % 3)),
            block(second, len),
            block(una + choice, at % 7),
        ];
        blocks.into_iter().take(1 + (choice % 3) as usize).collect()
    }

    /// Where SND.UNA goes when all below `from` has arrived.
    fn contiguous(&self, from: u64) -> u64 {
        let Literal { high, arrived, .. } = &self.literal;
        let missing = (from..*high).find(|b| !arrived.contains(b));
        missing.unwrap_or(*high)
    }

    fn acknowledge(
        &mut self,
        una: u64,
        blocks: &[(u64, u64)],
        choice: u64,
    ) -> Result<(), TestCaseError> {
        let pipe = self.literal.in_flight();
        if let Some(rate) = self.sent.delivery() {
            rate.record_pipe(pipe);
        }
        self.literal.rate.record_pipe(pipe);
        let now = self.literal.now;
        let reception = Reception {
            now,
            repeats_until: now.saturating_sub(Duration(choice % 4)),
            acked_repeats_until: now.saturating_sub(Duration(choice % 5)),
        };
        let expected = self.literal.take(una, blocks, reception);
        let blocks = blocks.iter().copied();
        let newly = self.sent.acknowledge(una, blocks, reception);
        prop_assert_eq!(self.visible(newly), self.visible(expected));
        if newly.acked > 0 {
            let newest = self.sent.newest_first_sent();
            prop_assert_eq!(newest, self.literal.newest_first_sent);
        }
        let pipe = self.literal.in_flight();
        let least = (choice < 10).then_some(Duration(choice));
        let rate = self.sent.delivery();
        let told = rate.unwrap().conclude(pipe, false, least);
        prop_assert_eq!(told, self.literal.rate.conclude(pipe, least));
        Ok(())
    }

    /// What of it a ledger of this detail answers for.
    fn visible(&self, newly: NewlyAcked) -> String {
        let told = match self.detail {
            Tracking::Times => newly,
            _ => NewlyAcked {
                oldest: newly.oldest.map(|(first, _)| (first, None)),
                times: Arrivals::default(),
                ..newly
            },
        };
        format!("{told:?}")
    }

    /// Every query has the same answer.
    fn compare(&self) -> Result<(), TestCaseError> {
        let (sent, literal) = (&self.sent, &self.literal);
        prop_assert_eq!((sent.una(), sent.high()), (literal.una, literal.high));
        prop_assert_eq!(sent.in_flight(), literal.in_flight());
        prop_assert_eq!(sent.arrived_bytes(), literal.arrived.len() as u64);
        prop_assert_eq!(sent.lost_bytes(), literal.lost.len() as u64);
        prop_assert_eq!(sent.first_lost(), literal.first_lost());
        if self.detail == Tracking::Times {
            prop_assert_eq!(sent.has_losses(), literal.has_losses());
            prop_assert_eq!(sent.retransmissions(), literal.retransmissions());
            let oldest = sent.oldest_retransmission();
            let oldest = oldest.map(|again| (again.start, again.end, again.sent));
            let expected = literal.out().next().map(|s| (s.start, s.end, s.sent));
            prop_assert_eq!(oldest, expected);
            if literal.una < literal.high {
                prop_assert_eq!(sent.oldest_left(), literal.oldest_left());
            }
        }
        (literal.una..literal.high).try_for_each(|position| self.compare_at(position))
    }

    fn compare_at(&self, position: u64) -> Result<(), TestCaseError> {
        let (sent, literal) = (&self.sent, &self.literal);
        let first = literal.first(position);
        let burst = sent.first_sent(position, &mut Hint::default());
        prop_assert_eq!(burst.map(|burst| burst.0), Some(first.sent));
        let arrived = literal.arrived.contains(&position);
        prop_assert_eq!(sent.has_arrived(position, position + 1), arrived);
        let lost = sent.lost().is_some_and(|l| l.meets(position, position + 1));
        prop_assert_eq!(lost, literal.lost.contains(&position));
        prop_assert_eq!(sent.is_repeated(position), literal.is_repeated(position));
        if literal.of_packets {
            let packet = sent.packet_at(position);
            prop_assert_eq!(
                (packet.start, packet.end),
                (first.start.max(literal.una), first.end)
            );
        }
        Ok(())
    }
}

fn agree(detail: Tracking, of_packets: bool, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut pair = Pair::new(detail, of_packets);
    steps.into_iter().try_for_each(|step| pair.step(step))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(1000),
        ..ProptestConfig::default()
    })]

    #[test]
    fn positions_agree_with_the_literal_ledger(steps in steps()) {
        agree(Tracking::Positions, false, steps)?;
    }

    #[test]
    fn times_agree_with_the_literal_ledger(steps in steps()) {
        agree(Tracking::Times, false, steps)?;
    }

    #[test]
    fn whole_packets_agree_with_the_literal_ledger(steps in steps()) {
        agree(Tracking::Times, true, steps)?;
    }
}
