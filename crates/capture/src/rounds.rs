//! The growth of a window from round trip to round trip, and the end of slow start.
//!
//! A round ends with the first data that the sender sent after it had heard an ACK of the round's first data. Its bytes
//! are the sender's window, if the sender used all of it.

use serde::Serialize;

use crate::answers::{Answer, Heard, Sending, Trip};
use crate::pacing::{Paced, Pacing};
use crate::reduction::{Control, Reduction};

/// Rounds that are kept: a start of 16 round trips grows by a factor of 65 536.
const MOST: usize = 16;
/// A window grows in slow start at least by this factor per round trip: ACKs for every second segment, each of which
/// adds a segment, make it 1.5, and conservative slow start (RFC 9406) 1.25.
const GROWS: f64 = 1.2;
/// Rounds without growth that show the end of slow start.
const FLAT: usize = 2;
/// Linux's CUBIC grows by a twentieth per round trip before it has seen a loss (tcp_cubic.c, `cnt`), and a little more as
/// segments are whole: more than this part is slow start.
const SLOWEST: u64 = 16;
/// Pacers that leave the limit to the window send at 1.25 windows per round trip at least (RFC 9002, section 7.7). A
/// slower one follows a model of the path's rate, and its flights are not its window.
const BY_WINDOW: f64 = 1.2;
/// What is acknowledged enlarges the window by at most as much (RFC 5681, section 3.1): it grows by this factor.
const FASTEST: f64 = 2.0;
/// An ACK adds a segment for each that it acknowledges (RFC 3465, Linux), or one alone, and every second segment is
/// acknowledged (RFC 5681): a window grows by 2 or 1.5, with this tolerance. An assumption.
const OFF: f64 = 0.05;
/// A round grew by this part of the usual factor: the window was filled.
const FILLED: f64 = 0.95;
/// Segments at the beginning that Linux does not pace (`tcp_update_skb_after_send`).
const UNPACED: u64 = 10;
/// Segments that duplicate ACKs release before a loss is detected (RFC 3042).
const LIMITED_TRANSMIT: u64 = 2;

/// What ended slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// Data were repeated.
    Loss,
    /// The receiver reported a congestion mark (RFC 3168).
    EcnMark,
    /// The window went on growing slowly without a loss or a mark: slow start ended by delay, or by a model of the path.
    NoLoss,
    /// The receiver's window was the limit.
    ReceiverWindow,
    /// The data ended before.
    EndOfData,
}

/// The rounds of one side's data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// Bytes of the complete ones of a transfer, up to `count`.
    bytes: [u64; MOST],
    /// Of these, limited by the receiver's window.
    limited: [bool; MOST],
    /// Of these, sent at once after ACKs: the sender waited for nothing else.
    clocked: [bool; MOST],
    count: usize,
    open: Option<Round>,
    /// The transfer's first byte.
    first: u64,
    /// The end of the furthest data.
    highest: u64,
    last: u64,
    /// ACKs without progress since the latest with some.
    duplicates: u32,
    acked: u64,
    /// Bytes of the largest advance of an ACK.
    stretch: u64,
    /// Growth by its rounds, and by those of a transfer that ended before slow start did.
    growth: Option<f64>,
    earlier: Option<f64>,
    ended: Option<(Exit, Option<u64>)>,
    /// Nothing is known of slow start from here on.
    over: bool,
    /// What followed the latest loss, until that is complete.
    reduction: Option<Box<Reduction>>,
    pub pacing: Pacing,
    /// Bytes of the largest round since the latest loss or idle time.
    pub largest: u64,
}

#[derive(Clone, Copy, Debug)]
struct Round {
    first: u64,
    begin: u64,
    bytes: u64,
    /// The latest stamp that its data have echoed.
    echo: Option<u32>,
    answer: Option<Answer>,
    limited: bool,
}

impl Rounds {
    /// Data pass the monitor.
    pub(crate) fn sent(&mut self, data: &Sending, trip: &Trip) {
        if data.repeat {
            self.repeated(data, trip);
            return;
        }
        if self.is_measured() {
            let growth = self.growth.unwrap_or(1.0);
            self.pacing
                .sent(data, trip, self.window(data.acked, growth));
        }
        let end = data.end().max(self.highest);
        let reduction = self.reduction.as_mut();
        if reduction.is_some_and(|reduction| !reduction.is_over(data)) {
            self.highest = end;
            return;
        }
        let answered = |round: &Round| round.answer.filter(|answer| answer.is_heard(data));
        if let Some(answer) = self.open.as_ref().and_then(answered) {
            self.close(data, answer, trip);
        }
        if self.count == 0 && self.open.is_none() {
            self.first = data.next;
        }
        let round = self.open.get_or_insert_with(|| Round::new(data));
        round.bytes += end - self.highest.max(round.first);
        round.echo = data.echo();
        round.limited |= trip.is_near() && data.edge.is_some_and(|edge| end + data.mss > edge);
        self.highest = end;
        self.last = data.time;
    }

    /// The peer acknowledged data.
    pub(crate) fn acknowledged(&mut self, ack: &Heard, trip: &Trip) {
        self.pacing.acknowledged(ack.time);
        if let Some(reduction) = &mut self.reduction {
            reduction.acknowledged(ack, trip);
        }
        if let Some(round) = &mut self.open
            && ack.confirms(round.first)
        {
            round
                .answer
                .get_or_insert_with(|| Answer::new(ack, trip, round.echo));
        }
        self.duplicates = if ack.acked > self.acked {
            0
        } else {
            self.duplicates + 1
        };
        if self.acked > 0 {
            self.stretch = self.stretch.max(ack.acked.saturating_sub(self.acked));
        }
        self.acked = self.acked.max(ack.acked);
        // After duplicates the sender detects a loss first.
        if ack.marked && self.duplicates == 0 && self.starts() {
            let flight = self.highest.saturating_sub(ack.acked);
            self.end(Exit::EcnMark, trip.is_near().then_some(flight));
        }
    }

    /// A round is complete: data pass that answer an ACK of it.
    fn close(&mut self, data: &Sending, answer: Answer, trip: &Trip) {
        let Some(round) = self.open.take() else {
            return;
        };
        // A queue delays data without a pause.
        let late = [answer.time, self.last].map(|before| data.time.saturating_sub(before));
        if data.acked >= self.highest && late.iter().all(|&late| late > trip.rtt / 2) {
            self.begin();
            return;
        }
        let before = self.count.checked_sub(1).map(|last| self.bytes[last]);
        let grown = before.map_or(0.0, |before| factor(&[before, round.bytes]));
        let in_slow_start =
            self.reduction.is_none() && round.first - self.first >= UNPACED * data.mss;
        let filled = self.growth.is_some_and(|growth| grown >= FILLED * growth);
        let clocked = self
            .pacing
            .round(in_slow_start && grown >= GROWS, filled, trip);
        self.largest = self.largest.max(round.bytes);
        if let Some(reduction) = &mut self.reduction {
            reduction.round(round.bytes, data.time);
        }
        if !self.is_measured() {
            return;
        }
        let window = data.edge.map(|edge| edge.saturating_sub(data.acked));
        let fills = window.is_some_and(|window| round.bytes + 2 * data.mss >= window);
        self.bytes[self.count] = round.bytes;
        self.limited[self.count] = round.limited || fills;
        self.clocked[self.count] = clocked;
        self.count += 1;
        self.growth = self.growth_of_rounds();
        self.flat(data.mss, trip);
    }

    /// Ends slow start where the last rounds did not grow, though something before them did.
    fn flat(&mut self, mss: u64, trip: &Trip) {
        let Some(first) = self.count.checked_sub(FLAT + 1) else {
            return;
        };
        let last = &self.bytes[first..self.count];
        if last.windows(2).any(|pair| grows(pair, mss)) {
            return;
        }
        if self.limited[first..self.count]
            .iter()
            .all(|&limited| limited)
        {
            self.end(Exit::ReceiverWindow, Some(last[FLAT]));
        } else if let Some(window) = self.avoided(mss, trip) {
            self.end(Exit::NoLoss, Some(window));
        }
    }

    /// The window from which it went on growing slowly, if the last rounds show congestion control: the buffer of a sender
    /// may limit a window that stays the same. An ACK may move what it acknowledges to another round.
    fn avoided(&self, mss: u64, trip: &Trip) -> Option<u64> {
        let complete = &self.bytes[..self.count];
        let grown = complete.windows(2).rposition(|pair| grows(pair, mss))?;
        let slow = &complete[grown + 1..];
        let clocked = &self.clocked[grown + 2..self.count];
        let before = &complete[..=grown + 1];
        let growth = slow.last()?.saturating_sub(slow[0]);
        (trip.is_near()
            && slow.len() > FLAT
            && slow.is_sorted()
            && growth > 2 * self.stretch.max(mss)
            && clocked.iter().all(|&clocked| clocked)
            && !self.limited[..self.count].contains(&true)
            && before.windows(2).any(|pair| factor(pair) >= GROWS))
        .then_some(slow[0])
    }

    /// Data pass again, or late.
    fn repeated(&mut self, data: &Sending, trip: &Trip) {
        let late = |round: Round| {
            let soon = data.time.saturating_sub(round.begin) < trip.rtt - trip.rtt / 16;
            data.fresh && data.start >= round.first && soon
        };
        if self.open.is_some_and(late) {
            return;
        }
        self.largest = 0;
        let starts = self.starts();
        // A repetition of the end is a probe (RFC 8985, section 7), one of what was acknowledged is spurious.
        let lost = data.end() < self.highest && data.end() > data.acked;
        let released = LIMITED_TRANSMIT * data.mss;
        let flight = self
            .highest
            .saturating_sub(data.start + released)
            .max(data.mss);
        self.reduce(data, flight, lost);
        if !starts || !lost {
            self.over = true;
            return;
        }
        // Had slow start lasted until then, all that was acknowledged would have enlarged the window.
        let by_rate = matches!(self.pacing.verdict(), Some(Paced::At(gain)) if gain < BY_WINDOW);
        let growth = self.growth.unwrap_or(FASTEST);
        let expected = self.window(data.start, growth);
        let grew = self.growth.is_some() || 4 * expected >= 5 * self.window(self.first, growth);
        let smaller = flight + 3 * data.mss < expected / 100 * 97;
        if self.count == 0 || !grew || by_rate || smaller || !self.is_steady(data.mss) {
            self.over = true;
        } else {
            self.end(Exit::Loss, Some(flight));
        }
    }

    /// Whether all rounds grew by a factor of slow start, up to two segments of delayed ACKs. A sender that follows a model
    /// of the path's rate grows unevenly, or by another factor.
    fn is_steady(&self, mss: u64) -> bool {
        let Some(growth) = self.growth else {
            return true;
        };
        let steady = |pair: &[u64]| {
            let expected = growth * pair[0] as f64;
            (pair[1] as f64 - expected).abs() <= 2.0 * mss as f64 + expected / 20.0
        };
        let known = [FASTEST, 1.5].map(|factor| (growth - factor).abs());
        known.iter().any(|&off| off <= OFF) && self.bytes[..self.count].windows(2).all(steady)
    }

    /// A loss begins a recovery, unless it belongs to the one before or that is measured.
    fn reduce(&mut self, data: &Sending, flight: u64, lost: bool) {
        if self
            .reduction
            .as_mut()
            .is_none_or(|reduction| reduction.repeated(data))
        {
            self.ended = self.known_end();
            self.open = None;
            let next = Reduction::new(data, flight, self.highest);
            self.reduction = lost.then(|| Box::new(next));
        }
    }

    /// The window in slow start once all up to `acked` is acknowledged: the first flight and what its growth added.
    fn window(&self, acked: u64, growth: f64) -> u64 {
        let first = if self.count > 0 { self.bytes[0] } else { 0 };
        first + ((growth.min(FASTEST) - 1.0) * acked.saturating_sub(self.first) as f64) as u64
    }

    /// Whether rounds are of interest: slow start may last.
    fn is_measured(&self) -> bool {
        self.ended.is_none() && !self.over && self.count < MOST
    }

    /// Whether slow start lasts, as far as complete rounds show it.
    fn starts(&self) -> bool {
        let complete = &self.bytes[..self.count];
        let grew = complete
            .windows(2)
            .last()
            .is_none_or(|pair| factor(pair) >= GROWS);
        self.ended.is_none() && !self.over && grew
    }

    fn end(&mut self, exit: Exit, window: Option<u64>) {
        self.ended = Some((exit, window));
    }

    /// A transfer begins after a pause.
    pub(crate) fn begin(&mut self) {
        self.open = None;
        if self.ended.is_none() {
            self.earlier = self.earlier.or(self.growth.take());
            self.count = 0;
        }
    }

    /// Factor by which the window grew per round trip of slow start.
    pub(crate) fn growth(&self) -> Option<f64> {
        self.growth.or(self.earlier)
    }

    /// The median of the rounds' factors until they no longer grow, of two the larger: a round in which slow start ended
    /// grew by less.
    fn growth_of_rounds(&self) -> Option<f64> {
        let complete = &self.bytes[..self.count];
        let unlimited = self.limited[..self.count]
            .iter()
            .position(|&limited| limited);
        let mut factors: Vec<f64> = complete[..unlimited.unwrap_or(self.count)]
            .windows(2)
            .map(factor)
            .take_while(|&factor| factor >= GROWS)
            .collect();
        factors.sort_by(f64::total_cmp);
        factors.get(factors.len() / 2).copied()
    }

    /// What ended slow start, and the window in bytes then. `done`: the connection's data ended and were acknowledged.
    pub(crate) fn exit(&self, done: bool) -> Option<(Exit, Option<u64>)> {
        let grew = self.growth().is_some() && self.starts();
        self.known_end()
            .or((done && grew).then_some((Exit::EndOfData, None)))
    }

    /// The end of slow start, unless it was taken for that of a loss to which the sender did not respond.
    fn known_end(&self) -> Option<(Exit, Option<u64>)> {
        let kept = self
            .reduction
            .as_ref()
            .is_some_and(|reduction| reduction.is_kept());
        self.ended
            .filter(|(exit, _)| !(kept && *exit == Exit::Loss))
    }

    /// The congestion control, where a reduction has shown it.
    pub(crate) fn control(&self, mss: u64) -> Option<Control> {
        self.reduction.as_ref()?.control(mss)
    }

    /// Windows per round trip at which it is paced; zero where it is not.
    pub(crate) fn paced(&self) -> Option<f64> {
        self.pacing.verdict().map(|verdict| match verdict {
            Paced::No => 0.0,
            Paced::At(rate) => rate,
        })
    }
}

impl Round {
    fn new(data: &Sending) -> Self {
        Round {
            first: data.start,
            begin: data.time,
            bytes: 0,
            echo: data.echo(),
            answer: None,
            limited: false,
        }
    }
}

/// Whether a round is larger than the one before by more than the congestion control makes it after slow start.
fn grows(pair: &[u64], mss: u64) -> bool {
    pair[1] > pair[0] + (2 * mss).max(pair[0] / SLOWEST)
}

fn factor(pair: &[u64]) -> f64 {
    pair[1] as f64 / pair[0].max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const MSS: u64 = 1000;
    const TRIP: Trip = Trip {
        rtt: 40 * MS,
        half: 0,
    };

    /// A sender near the monitor, with windows of so many segments, one per round trip.
    struct Flow {
        rounds: Rounds,
        time: u64,
        next: u64,
        acked: u64,
        receiver: Option<u64>,
    }

    impl Flow {
        fn of(windows: &[u64], receiver: Option<u64>) -> Self {
            let mut flow = Flow {
                rounds: Rounds::default(),
                time: 0,
                next: 0,
                acked: 0,
                receiver,
            };
            windows.iter().for_each(|&window| flow.send(window));
            flow
        }

        fn data(&self, segment: u64, repeat: bool) -> Sending {
            Sending {
                time: self.time,
                start: segment * MSS,
                payload: MSS,
                next: self.next * MSS,
                mss: MSS,
                repeat,
                acked: self.acked * MSS,
                edge: self.receiver.map(|window| (self.acked + window) * MSS),
                ..Sending::default()
            }
        }

        /// Each ACK of the round before releases its share of the window at once.
        fn send(&mut self, window: u64) {
            let (acked, outstanding) = (self.acked, self.next - self.acked);
            for number in 0..window {
                let share =
                    (acked + (number + 1) * outstanding / window).max(acked + outstanding.min(1));
                if share > self.acked {
                    self.acked = share;
                    self.hear(false);
                }
                self.rounds.sent(&self.data(self.next, false), &TRIP);
                self.next += 1;
            }
            self.time += TRIP.rtt;
        }

        fn hear(&mut self, marked: bool) {
            let heard = Heard {
                time: self.time,
                acked: self.acked * MSS,
                marked,
                ..Heard::default()
            };
            self.rounds.acknowledged(&heard, &TRIP);
        }

        /// The first segment in flight is repeated.
        fn lose(&mut self) {
            self.rounds.sent(&self.data(self.acked, true), &TRIP);
        }

        fn exit(&self) -> Option<(Exit, Option<u64>)> {
            let exit = self.rounds.exit(true);
            exit.map(|(exit, window)| (exit, window.map(|bytes| bytes / MSS)))
        }
    }

    #[test]
    fn the_growth_is_the_factor_from_round_to_round() {
        assert_eq!(Flow::of(&[10, 20, 40, 80], None).rounds.growth(), Some(2.0));
        assert_eq!(Flow::of(&[8, 12, 18, 27], None).rounds.growth(), Some(1.5));
        assert_eq!(Flow::of(&[10, 20], None).rounds.growth(), None);
    }

    #[test]
    fn a_loss_ends_slow_start_if_all_acknowledged_data_had_enlarged_the_window() {
        let mut flow = Flow::of(&[10, 20, 40, 80], None);
        flow.lose();
        // Two of 80 are taken for limited transmit's.
        assert_eq!(flow.exit(), Some((Exit::Loss, Some(78))));
        let mut flow = Flow::of(&[10, 20, 40, 60], None);
        flow.lose();
        assert_eq!(flow.exit(), None, "the window had stopped growing");
    }

    #[test]
    fn a_loss_ends_slow_start_only_if_the_window_grew_by_its_factors() {
        // BBR paces by a model of the path's rate.
        let mut flow = Flow::of(&[32, 59, 109, 202], None);
        flow.lose();
        assert_eq!(flow.exit(), None);
    }

    #[test]
    fn windows_that_stop_growing_without_a_loss_end_slow_start() {
        let flow = Flow::of(&[10, 20, 40, 80, 82, 84, 86, 88], None);
        assert_eq!(flow.exit(), Some((Exit::NoLoss, Some(80))));
    }

    #[test]
    fn windows_that_stay_the_same_may_be_those_of_a_send_buffer() {
        assert_eq!(Flow::of(&[10, 20, 40, 40, 40, 40], None).exit(), None);
    }

    #[test]
    fn windows_that_a_single_ack_changes_show_no_end() {
        let mut flow = Flow::of(&[10, 20, 40], None);
        flow.rounds.stretch = 8 * MSS;
        [80, 82, 84, 86, 88]
            .iter()
            .for_each(|&window| flow.send(window));
        assert_eq!(flow.exit(), None);
    }

    #[test]
    fn a_loss_before_a_round_is_complete_shows_no_window() {
        let mut flow = Flow::of(&[10], None);
        flow.time += TRIP.rtt;
        flow.lose();
        assert_eq!(flow.exit(), None);
    }

    #[test]
    fn a_receivers_window_is_the_limit_where_it_is_full() {
        let flow = Flow::of(&[10, 20, 40, 40, 40, 40], Some(40));
        assert_eq!(flow.exit(), Some((Exit::ReceiverWindow, Some(40))));
    }

    #[test]
    fn a_mark_ends_slow_start_unless_a_loss_is_on_its_way() {
        let mut flow = Flow::of(&[10, 20, 40], None);
        flow.acked += 1;
        flow.hear(true);
        assert_eq!(flow.exit(), Some((Exit::EcnMark, Some(39))));
        let mut flow = Flow::of(&[10, 20, 40], None);
        flow.hear(true);
        assert_eq!(flow.exit().map(|(exit, _)| exit), Some(Exit::EndOfData));
    }

    #[test]
    fn a_repetition_of_the_last_segment_is_a_probe_and_shows_nothing() {
        let mut flow = Flow::of(&[10, 20, 40, 80], None);
        flow.acked = flow.next - 1;
        flow.lose();
        assert_eq!(flow.exit(), None);
    }
}
