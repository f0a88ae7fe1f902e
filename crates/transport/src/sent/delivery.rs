//! What is out, for samples of the delivery rate ([`RateSampler`]), where controllers use them;
//! other connections carry none of this.
//!
//! Packets that left at one instant with the same state are one entry, so a flight takes as
//! much memory as it had acknowledgements to send by.

use super::super::segment::ByteRange;
use super::hint::Hint;
use flowstart_control::session::delivery::{RateSampler, Snapshot};
use flowstart_control::signals::{Delivery, RateSample};
use flowstart_control::{Duration, Instant, Rate};
use std::collections::{BTreeMap, VecDeque, btree_map};
use std::ops::Bound;

/// Packets that have not been acknowledged: `[start, end)`.
#[derive(Clone, Copy, Debug)]
struct Packets {
    start: u64,
    end: u64,
    /// In flight when the last of them had left.
    in_flight: u64,
    snapshot: Snapshot,
}

impl Packets {
    /// Whether `next` left right after these with the same state. A duplicate ACK without SACK
    /// takes a segment out of the pipe and delivers nothing that is known: then what was in flight
    /// does not continue where it was.
    fn is_followed_by(&self, next: &Packets) -> bool {
        self.end == next.start
            && self.snapshot == next.snapshot
            && self.in_flight + (next.end - next.start) == next.in_flight
    }

    /// Those that end by `end`.
    fn up_to(self, end: u64) -> Packets {
        let end = end.min(self.end);
        Packets {
            end,
            in_flight: self.in_flight - (self.end - end),
            ..self
        }
    }
}

/// The state of one connection.
#[derive(Debug, Default)]
pub struct DeliveryRate {
    sampler: RateSampler,
    /// As they were first sent, in order of position.
    first: VecDeque<Packets>,
    hint: Hint,
    /// What was sent again, by its end: nothing of it overlaps.
    again: BTreeMap<u64, Packets>,
    /// Nothing above this was sent again.
    again_end: u64,
    /// The newest packet of the acknowledgement under way.
    newest: Option<Packets>,
    /// Bytes delivered of which the controller has not been notified.
    fresh: u64,
    /// What else such packets had in flight.
    fresh_headers: u64,
    /// Bytes that came twice, of which it has not been notified either.
    repeated: u64,
    pipe_before: u64,
    now: Instant,
    /// The rate of the last sample.
    rate: Option<Rate>,
    /// No more samples are taken.
    counts_only: bool,
}

impl DeliveryRate {
    /// Bytes that packets take.
    pub fn bytes_held(&self) -> usize {
        (self.first.len() + self.again.len()) * size_of::<Packets>()
    }

    /// Whether samples are taken, not only counts.
    pub fn samples(&self) -> bool {
        !self.counts_only
    }

    /// From now on only what was delivered and lost is counted.
    pub fn stop_sampling(&mut self) {
        self.counts_only = true;
        self.first.clear();
        self.again.clear();
    }

    /// `plan` is sent, with `pipe` in flight before; `[una, high)` was outstanding.
    pub fn sent(&mut self, plan: ByteRange, una: u64, high: u64, pipe: u64, now: Instant) {
        if self.counts_only {
            return;
        }
        let packets = Packets {
            start: plan.start,
            end: plan.end,
            in_flight: pipe + plan.end - plan.start,
            snapshot: self.sampler.on_sent(una == high, now),
        };
        if plan.start < high {
            self.send_again(packets);
        } else {
            join(&mut self.first, packets);
        }
    }

    /// They replace what was sent again before, perhaps cut up in another way.
    fn send_again(&mut self, packets: Packets) {
        let Packets { start, end, .. } = packets;
        while let Some((_, old)) = self.sent_again(start).next().filter(|p| p.1.start < end) {
            let old = *old;
            self.again.remove(&old.end);
            if old.start < start {
                self.again.insert(start, old.up_to(start));
            }
            if old.end > end {
                self.again.insert(old.end, Packets { start: end, ..old });
            }
        }
        self.again.insert(end, packets);
        self.again_end = self.again_end.max(end);
    }

    /// What was sent again and ends after `position`.
    fn sent_again(&self, position: u64) -> btree_map::Range<'_, u64, Packets> {
        self.again
            .range((Bound::Excluded(position), Bound::Unbounded))
    }

    /// The application has left room in the window.
    pub fn application_limits(&mut self, pipe: u64) {
        self.sampler.on_app_limited(pipe);
    }

    /// An acknowledgement has come while `pipe` was in flight.
    pub fn record_pipe(&mut self, pipe: u64) {
        if self.fresh == 0 {
            self.pipe_before = pipe;
        }
    }

    /// So many bytes besides payload are in flight no longer.
    pub(super) fn take_headers(&mut self, bytes: u64) {
        self.fresh_headers += bytes;
    }

    /// It reports so many bytes that came twice, which count as delivered too (`tcp_dsack_seen`).
    pub fn take_repeated(&mut self, bytes: u64, now: Instant) {
        self.repeated += bytes;
        self.sampler.delivered += bytes;
        self.sampler.on_acked(None, now);
    }

    /// The acknowledgement reports for the first time that these have arrived, of which all below
    /// `una` is done with.
    pub(super) fn take(&mut self, una: u64, fresh: &[(u64, u64)], now: Instant) {
        (self.newest, self.now) = (None, now);
        for (start, end) in fresh {
            self.arrived(*start, *end);
        }
        self.forget_below(una);
        if !fresh.is_empty() {
            let newest = self.newest.map(|newest| newest.snapshot.sent);
            self.sampler.on_acked(newest, now);
        }
    }

    /// All below `una` has arrived in order, from `start` on. The newest of it is its last packet.
    pub(super) fn take_in_order(&mut self, start: u64, una: u64, now: Instant) {
        if start < self.again_end {
            return self.take(una, &[(start, una)], now);
        }
        (self.newest, self.now) = (None, now);
        self.fresh += una - start;
        self.sampler.delivered += una - start;
        while let Some(packets) = self.first.front().filter(|p| p.end <= una) {
            self.newest = Some(*packets);
            self.first.pop_front();
        }
        if let Some(packets) = self.first.front().filter(|p| p.start < una) {
            self.newest = Some(packets.up_to(una));
        }
        let newest = self.newest.map(|newest| newest.snapshot.sent);
        self.sampler.on_acked(newest, now);
    }

    /// `[start, end)` has arrived. Of what it may have been, the newest counts.
    fn arrived(&mut self, start: u64, end: u64) {
        self.fresh += end - start;
        self.sampler.delivered += end - start;
        if self.counts_only || start < self.again_end && self.arrived_again(start, end) {
            return;
        }
        let at = self.hint.search(&self.first, |p| p.end < end);
        if let Some(packets) = self.first.get(at) {
            keep_later(&mut self.newest, packets, end);
        }
    }

    /// Looks for `[start, end)` in what was sent again. Whether its last byte was.
    fn arrived_again(&mut self, start: u64, end: u64) -> bool {
        let mut newest = self.newest;
        let mut last = start;
        for packets in self.sent_again(start).map(|(_, packets)| packets) {
            if packets.start >= end {
                break;
            }
            last = packets.end;
            keep_later(&mut newest, packets, end);
        }
        self.newest = newest;
        last >= end
    }

    fn forget_below(&mut self, una: u64) {
        while self.first.front().is_some_and(|p| p.end <= una) {
            self.first.pop_front();
        }
        while let Some(first) = self.again.first_entry().filter(|p| *p.key() <= una) {
            first.remove();
        }
    }

    /// The rate of the last sample.
    pub fn rate(&self) -> Option<Rate> {
        self.rate
    }

    /// The sample of the acknowledgement, now that recovery has judged it: `pipe` is in flight.
    pub fn conclude(
        &mut self,
        pipe: u64,
        repairing: bool,
        least_rtt: Option<Duration>,
    ) -> Delivery {
        // What neither arrived nor is in flight any more has been found lost.
        let fresh = std::mem::take(&mut self.fresh);
        let headers = std::mem::take(&mut self.fresh_headers);
        let lost = self.pipe_before.saturating_sub(pipe + fresh + headers);
        self.sampler.lost += lost;
        Delivery {
            total: self.sampler.delivered,
            newly: fresh + std::mem::take(&mut self.repeated),
            lost,
            in_flight_before: self.pipe_before,
            repairing,
            sample: self.sample(least_rtt),
        }
    }

    fn sample(&mut self, least_rtt: Option<Duration>) -> Option<RateSample> {
        let newest = self.newest.take()?;
        let (sampler, packet) = (&self.sampler, &newest.snapshot);
        let sample = sampler.sample(packet, newest.in_flight, least_rtt, self.now)?;
        self.rate = Some(sample.rate());
        Some(sample)
    }
}

/// Puts `packets` at the end, as one entry with those of the same state.
fn join(queue: &mut VecDeque<Packets>, packets: Packets) {
    match queue.back_mut() {
        Some(last) if last.is_followed_by(&packets) => {
            (last.end, last.in_flight) = (packets.end, packets.in_flight);
        }
        _ => queue.push_back(packets),
    }
}

/// Takes those of `packets` that end by `end`, if they left later than the newest so far.
fn keep_later(newest: &mut Option<Packets>, packets: &Packets, end: u64) {
    let end = end.min(packets.end);
    let key = (packets.snapshot.sent, end);
    if newest.is_none_or(|newest| (newest.snapshot.sent, newest.end) < key) {
        *newest = Some(packets.up_to(end));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SentPackets, Tracking};
    use super::*;

    const SIZE: u64 = 1000;

    /// A connection that is measured, and what is in flight on it.
    struct Measured {
        sent: SentPackets,
        pipe: u64,
    }

    impl Measured {
        fn new() -> Measured {
            Measured {
                sent: SentPackets::new(Tracking::Positions, true),
                pipe: 0,
            }
        }

        fn rate(&mut self) -> &mut DeliveryRate {
            self.sent.delivery().unwrap()
        }

        /// Sends packet number `n`, for the first time or again.
        fn send(&mut self, n: u64, ms: u64) {
            let plan = ByteRange {
                start: n * SIZE,
                end: (n + 1) * SIZE,
            };
            self.sent.send(plan, self.pipe, Instant::from_millis(ms));
            self.pipe += SIZE;
        }

        /// All below number `n` are acknowledged, and those of `sacked`; `gone` more are lost.
        fn ack(&mut self, n: u64, sacked: &[(u64, u64)], gone: u64, ms: u64) -> Delivery {
            let blocks = sacked.iter().map(|(a, b)| (a * SIZE, b * SIZE));
            let pipe = self.pipe;
            self.rate().record_pipe(pipe);
            let newly = self
                .sent
                .acknowledge(n * SIZE, blocks, Instant::from_millis(ms));
            self.pipe -= newly.delivered + gone * SIZE;
            let pipe = self.pipe;
            self.rate().conclude(pipe, false, None)
        }
    }

    fn sample(d: Delivery) -> (u64, u64, u64) {
        let s = d.sample.unwrap();
        let ms = s.interval.nanos() / 1_000_000;
        (s.prior_delivered / SIZE, s.delivered / SIZE, ms)
    }

    #[test]
    fn what_was_delivered_since_the_packet_left_over_the_time_it_took() {
        let mut s = Measured::new();
        (0..4).for_each(|n| s.send(n, 0));
        assert_eq!(sample(s.ack(1, &[], 0, 100)), (0, 1, 100));
        assert_eq!(sample(s.ack(2, &[], 0, 110)), (0, 2, 110));
        s.send(4, 110);
        assert_eq!(sample(s.ack(4, &[], 0, 130)), (0, 4, 130));
        // Two had been delivered when it left. It came back in 100 ms, but it had taken 110 ms
        // to send it and what was delivered with it.
        assert_eq!(sample(s.ack(5, &[], 0, 210)), (2, 3, 110));
    }

    /// What is in flight when it stops is acknowledged later, as is what is sent afterwards.
    #[test]
    fn without_samples_deliveries_and_losses_are_counted_as_with_them() {
        let counted = |stops: bool| {
            let mut s = Measured::new();
            (0..6).for_each(|n| s.send(n, 0));
            s.ack(1, &[], 0, 100);
            if stops {
                s.rate().stop_sampling();
            }
            s.send(6, 100);
            let first = s.ack(2, &[(3, 5)], 1, 110);
            s.send(2, 120);
            let acks = [first, s.ack(7, &[], 0, 220)];
            assert_eq!(acks.map(|ack| ack.sample.is_none()), [stops; 2]);
            acks.map(|d| (d.total, d.newly, d.lost, d.in_flight_before))
        };
        assert_eq!(counted(true), counted(false));
    }

    #[test]
    fn the_sending_and_the_acknowledging_of_a_sample_are_distinct() {
        let mut s = Measured::new();
        (0..3).for_each(|n| s.send(n, 10 * n));
        s.ack(1, &[], 0, 100);
        let sample = s.ack(3, &[], 0, 150).sample.unwrap();
        let ms = |nanos| nanos / 1_000_000;
        // The second and the third: 20 ms after the first, and 150 ms after the beginning.
        assert_eq!(
            (ms(sample.sent.nanos()), ms(sample.send_interval.nanos())),
            (20, 20)
        );
        assert_eq!(
            (ms(sample.ack_interval.nanos()), ms(sample.interval.nanos())),
            (150, 150)
        );
    }

    #[test]
    fn acknowledgements_that_come_together_do_not_make_the_path_faster() {
        let mut s = Measured::new();
        (0..10).for_each(|n| s.send(n, 10 * n));
        // All at once: as fast as they were sent, not as fast as they came back.
        assert_eq!(sample(s.ack(1, &[], 0, 100)), (0, 1, 100));
        let d = s.ack(10, &[], 0, 100);
        assert_eq!(sample(d), (0, 10, 100));
        (10..20).for_each(|n| s.send(n, 200 + 10 * n));
        assert_eq!(sample(s.ack(20, &[], 0, 405)), (10, 10, 105));
    }

    #[test]
    fn of_several_the_one_that_left_last_counts_also_where_it_was_sent_again() {
        let mut s = Measured::new();
        (0..4).for_each(|n| s.send(n, n));
        let d = s.ack(0, &[(1, 4)], 1, 50);
        assert_eq!((sample(d), d.lost), ((0, 3, 50), SIZE));
        s.send(0, 60);
        s.send(4, 61);
        // Number 0 left again after three were delivered.
        assert_eq!(sample(s.ack(4, &[], 0, 110)), (3, 1, 60));
        assert_eq!(sample(s.ack(5, &[], 0, 112)), (3, 2, 62));
    }

    #[test]
    fn what_came_twice_is_delivered_too_and_was_not_lost() {
        let mut s = Measured::new();
        (0..3).for_each(|n| s.send(n, 0));
        s.ack(1, &[], 0, 100);
        let pipe = s.pipe;
        s.rate().record_pipe(pipe);
        s.rate().take_repeated(SIZE, Instant::from_millis(110));
        let d = s.rate().conclude(pipe, false, None);
        assert_eq!((d.newly, d.total, d.lost), (SIZE, 2 * SIZE, 0));
        assert!(d.sample.is_none());
        // The next packet leaves after the two.
        s.send(3, 120);
        assert_eq!(sample(s.ack(4, &[], 0, 240)), (2, 3, 130));
    }

    #[test]
    fn what_is_repeated_in_other_pieces_is_found_all_the_same() {
        let mut s = Measured::new();
        (0..6).for_each(|n| s.send(n, n));
        s.ack(0, &[(5, 6)], 5, 50);
        (0..5).for_each(|n| s.send(n, 60));
        s.pipe -= SIZE;
        s.send(2, 70);
        assert_eq!(s.rate().again.len(), 5);
        assert_eq!(sample(s.ack(2, &[], 0, 110)), (1, 2, 60));
        let d = s.ack(5, &[], 0, 120);
        assert_eq!(d.sample.unwrap().prior_delivered, SIZE);
        assert!(s.rate().again.is_empty());
    }

    #[test]
    fn what_was_in_flight_is_each_packets_own_where_duplicate_acks_came_between() {
        let mut s = Measured::new();
        (0..3).for_each(|n| s.send(n, 0));
        s.pipe = 0;
        s.send(3, 0);
        let in_flight = |d: Delivery| d.sample.unwrap().tx_in_flight / SIZE;
        assert_eq!(in_flight(s.ack(1, &[], 0, 100)), 1);
        s.pipe = 3 * SIZE;
        assert_eq!(in_flight(s.ack(3, &[], 0, 101)), 3);
        s.pipe = SIZE;
        assert_eq!(in_flight(s.ack(4, &[], 0, 102)), 1);
    }

    #[test]
    fn the_application_is_the_limit_until_all_that_was_out_is_delivered() {
        let mut s = Measured::new();
        s.rate().application_limits(0);
        s.send(0, 0);
        let limited = |d: Delivery| d.sample.unwrap().app_limited;
        assert!(limited(s.ack(1, &[], 0, 100)));
        s.send(1, 100);
        assert!(!limited(s.ack(2, &[], 0, 200)));
    }

    #[test]
    fn what_came_back_sooner_than_any_round_trip_is_no_sample() {
        let mut s = Measured::new();
        s.send(0, 0);
        s.rate().record_pipe(SIZE);
        let none = std::iter::empty();
        s.sent.acknowledge(SIZE, none, Instant::from_millis(20));
        let least = Some(Duration::from_millis(50));
        let d = s.rate().conclude(0, false, least);
        assert_eq!((d.sample, d.total), (None, SIZE));
    }
}
