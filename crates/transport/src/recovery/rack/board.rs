//! What has become of every byte that is out: SACKed, taken for lost, or on its way.
//!
//! RFC 8985 judges by time, not by position: whatever was sent before something that has
//! arrived, and long enough ago, is lost. What was sent once was sent in the order of
//! positions, so one position, the `judged` edge, separates what has been decided from what
//! has not; what was sent again is kept in the order of its sending. So nothing is looked at
//! twice, whatever the window.

use super::super::super::flight::Flight;
use super::super::super::ranges::RangeSet;
use flowstart_control::Time;
use std::collections::VecDeque;

/// A sending that is known to have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival {
    /// When it left.
    pub(super) sent: Time,
    /// Where the segment ends: of those that left together, the later.
    pub(super) end: u64,
    /// Whether the segment had been sent before.
    pub(super) again: bool,
    /// Which retransmission it was, in the order of their sending.
    order: u64,
}

/// What an acknowledgement says for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    /// Bytes.
    pub(super) delivered: u64,
    /// The sending that left last of those that could be meant.
    pub(super) newest: Option<Arrival>,
    /// When the newest segment that was SACKed and sent only once had left.
    pub(super) sacked_once: Option<Time>,
    /// Data arrived below what had arrived before and was never sent again.
    pub(super) reordered: bool,
    /// Data that was sent only once arrived up to here.
    pub(super) once_up_to: u64,
    /// One past the highest byte that had arrived before.
    forward: u64,
}

/// A retransmission on its way.
#[derive(Clone, Copy, Debug)]
struct Again {
    start: u64,
    end: u64,
    sent: Time,
    order: u64,
    /// It repeats what counts as lost; a probe may repeat what does not.
    lost: bool,
}

impl Again {
    /// Whether it is known to have left before a sending that has arrived. Where both left
    /// together, positions do not tell: new data may have left before what it is ahead of,
    /// at the sight of an earlier one of several acknowledgements that came at once.
    fn left_before(&self, newest: &Arrival) -> bool {
        let together = self.sent == newest.sent;
        self.sent < newest.sent || together && newest.again && self.order < newest.order
    }
}

/// The bytes `[una, high)`.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    una: u64,
    sacked: RangeSet,
    sacked_bytes: u64,
    /// Lost and not yet sent again.
    lost: RangeSet,
    lost_bytes: u64,
    /// In the order in which they left. What has arrived by cumulative acknowledgement stays
    /// until it is met.
    again: VecDeque<Again>,
    /// How many there have been.
    retransmissions: u64,
    /// First sendings below this are judged.
    judged: u64,
    /// Room for what an acknowledgement says for the first time.
    fresh: Vec<(u64, u64)>,
}

impl Board {
    /// Bytes selectively acknowledged.
    pub(super) fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Whether anything of `[start, end)` is selectively acknowledged.
    pub(super) fn has_arrived(&self, start: u64, end: u64) -> bool {
        self.sacked.meets(start, end)
    }

    /// Whether anything that has not arrived counts as lost, sent again since or not (`lost_out`).
    pub(super) fn has_losses(&self) -> bool {
        let repeats = |again: &Again| again.lost && again.end > self.una;
        self.lost_bytes > 0 || self.again.iter().any(repeats)
    }

    /// Bytes taken to be in the network, of those below `high`.
    pub(super) fn in_flight(&self, high: u64) -> u64 {
        high - self.una - self.sacked_bytes - self.lost_bytes
    }

    /// The lowest bytes that wait to be sent again.
    pub(super) fn first_lost(&self) -> Option<(u64, u64)> {
        self.lost.first()
    }

    /// One past the highest byte known to have arrived.
    fn forward(&self) -> u64 {
        self.sacked.end().unwrap_or(self.una)
    }

    /// Takes in SACK blocks and a cumulative acknowledgement up to `una`.
    pub(super) fn take(
        &mut self,
        blocks: impl Iterator<Item = (u64, u64)>,
        una: u64,
        flight: &Flight,
    ) -> News {
        let mut news = News {
            forward: self.forward(),
            ..News::default()
        };
        let mut fresh = std::mem::take(&mut self.fresh);
        for (start, end) in blocks {
            let from = start.max(self.una).max(una);
            self.sacked.insert(from, end, |a, b| fresh.push((a, b)));
        }
        self.sacked_bytes += fresh.iter().map(|(a, b)| b - a).sum::<u64>();
        for (start, end) in fresh.drain(..) {
            let once = self.arrived(start, end, flight, &mut news);
            news.sacked_once = news.sacked_once.max(once);
        }
        if una > self.una {
            self.uncover(una, &mut fresh);
            for (start, end) in fresh.drain(..) {
                self.arrived(start, end, flight, &mut news);
            }
            self.una = una;
            self.judged = self.judged.max(una);
        }
        self.fresh = fresh;
        news
    }

    /// Forgets what was SACKed below `una` and finds what was not.
    fn uncover(&mut self, una: u64, holes: &mut Vec<(u64, u64)>) {
        let mut from = self.una;
        let mut known = 0;
        self.sacked.remove_below(una, |start, end| {
            if from < start {
                holes.push((from, start));
            }
            known += end - start;
            from = end;
        });
        if from < una {
            holes.push((from, una));
        }
        self.sacked_bytes -= known;
    }

    /// `[start, end)` has arrived. Returns when its last byte left, if it left only once.
    fn arrived(&mut self, start: u64, end: u64, flight: &Flight, news: &mut News) -> Option<Time> {
        news.delivered += end - start;
        let lost_bytes = &mut self.lost_bytes;
        self.lost.remove(start, end, |a, b| *lost_bytes -= b - a);
        // The search for a retransmission is a walk, short where there is one.
        let repeated = flight.was_sent_again(start, end);
        if repeated {
            self.forget_again(start, end, news);
        }
        if repeated && flight.was_sent_again(end - 1, end) {
            return None;
        }
        let sent = flight.first_sent(end - 1);
        let arrival = Arrival {
            sent,
            end,
            again: false,
            order: 0,
        };
        news.newest = news.newest.max(Some(arrival));
        news.reordered |= start < news.forward && !repeated;
        news.once_up_to = news.once_up_to.max(end);
        Some(sent)
    }

    /// Retransmissions within `[start, end)` have arrived, or what they repeated has.
    fn forget_again(&mut self, start: u64, end: u64, news: &mut News) {
        while let Some(at) = self
            .again
            .iter()
            .position(|a| a.start < end && start < a.end)
        {
            let Some(a) = self.again.remove(at) else {
                break;
            };
            news.newest = news.newest.max(Some(Arrival {
                sent: a.sent,
                end: a.end,
                again: true,
                order: a.order,
            }));
        }
    }

    /// `[start, end)` was sent again.
    pub(super) fn sent_again(&mut self, start: u64, end: u64, now: Time) {
        let before = self.lost_bytes;
        let lost_bytes = &mut self.lost_bytes;
        self.lost.remove(start, end, |a, b| *lost_bytes -= b - a);
        self.retransmissions += 1;
        self.again.push_back(Again {
            start,
            end,
            sent: now,
            order: self.retransmissions,
            lost: self.lost_bytes < before,
        });
    }

    /// Takes for lost what left before `newest` did and `patience` ago (RFC 8985 §6.2 step 5).
    /// Returns whether anything was, and when the next is to be looked at.
    pub(super) fn judge(
        &mut self,
        newest: Arrival,
        patience: Time,
        flight: &Flight,
        now: Time,
    ) -> (bool, Option<Time>) {
        let before = self.lost_bytes;
        let first = self.judge_first_sendings(newest, patience, flight, now);
        let again = self.judge_retransmissions(newest, patience, now);
        let due = match (first, again) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        (self.lost_bytes > before, due)
    }

    fn judge_first_sendings(
        &mut self,
        newest: Arrival,
        patience: Time,
        flight: &Flight,
        now: Time,
    ) -> Option<Time> {
        while let Some((sent, end)) = flight.burst_at(self.judged) {
            let limit = match sent.cmp(&newest.sent) {
                std::cmp::Ordering::Less => end,
                std::cmp::Ordering::Equal => end.min(newest.end),
                std::cmp::Ordering::Greater => return None,
            };
            if limit <= self.judged {
                return None;
            }
            if sent + patience > now {
                return Some(sent + patience);
            }
            self.lose(self.judged, limit);
            self.judged = limit;
        }
        None
    }

    fn judge_retransmissions(
        &mut self,
        newest: Arrival,
        patience: Time,
        now: Time,
    ) -> Option<Time> {
        while let Some(&again) = self.again.front() {
            if again.end > self.una {
                if !again.left_before(&newest) {
                    return None;
                }
                if again.sent + patience > now {
                    return Some(again.sent + patience);
                }
                self.lose(again.start.max(self.una), again.end);
            }
            self.again.pop_front();
        }
        None
    }

    /// What of `[start, end)` has not arrived is lost.
    fn lose(&mut self, start: u64, end: u64) {
        let Board {
            sacked,
            lost,
            lost_bytes,
            ..
        } = self;
        let mut from = start;
        while from < end {
            let (hole, hole_end) = sacked.hole_at_or_after(from).unwrap_or_else(|| {
                let from = from.max(sacked.end().unwrap_or(0));
                (from, end.max(from))
            });
            if hole >= end {
                break;
            }
            let to = hole_end.min(end);
            lost.insert(hole, to, |a, b| *lost_bytes += b - a);
            from = to;
        }
    }

    /// The timer expired: all that has not arrived is lost.
    pub(super) fn lose_everything(&mut self, high: u64) {
        self.again.clear();
        self.lose(self.una, high);
        self.judged = high;
    }

    /// The timer had expired for nothing: what counted as lost is on its way after all.
    pub(super) fn lose_nothing(&mut self) {
        self.lost.clear();
        self.lost_bytes = 0;
        self.judged = self.una;
    }
}
