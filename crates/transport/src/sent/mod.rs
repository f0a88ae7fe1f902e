//! The ledger of what is out: what was sent when and how often, and what has become of it.
//!
//! A connection has one. It takes in every sending and every acknowledgement once; loss
//! detectors, round-trip timing and samples of the delivery rate read it. Every byte of
//! `[una, high)` has arrived, is lost and waits to be sent again, or is on its way. That it has
//! arrived the ledger hears from the peer; that it is lost, from the loss detector.
//!
//! Three facts keep it small. What was sent once was sent in the order of positions, so first
//! sendings are a queue with one entry for all that left at one instant, not one for each
//! segment. What has arrived and what is lost are few ranges that change at their ends. And most
//! connections lose nothing: what is only needed after a loss or with packets out of order
//! is apart (`Scoreboard`), and until then an acknowledgement moves one position.
//!
//! A record for each transmission in the order of sending, with retransmissions in the same
//! queue, would be simpler. It would take 24 bytes for each segment of a window instead of
//! 16 for each acknowledgement's worth, and an allocation for each idle connection. Only QUIC,
//! whose acknowledgements name packets, keeps such records (`packets`); only a detector by time
//! keeps retransmissions in order (`retransmissions`); only a controller that samples rates has the
//! state of delivery noted with each sending (`delivery`).

mod arrivals;
mod boundaries;
mod delivery;
mod first;
mod hint;
mod packets;
mod retransmissions;
mod scoreboard;
#[cfg(test)]
mod tests;

use super::ranges::RangeSet;
use super::segment::ByteRange;
use crate::prefetch::prefetch;
use boundaries::Boundaries;
use delivery::DeliveryRate;
use first::Transmissions;
use flowstart_control::{Instant, Rate};
use packets::Packets;
use scoreboard::{Scoreboard, bytes};

pub(crate) use arrivals::{Arrivals, Departures, Reception, Sending};
pub(crate) use hint::Hint;
pub(crate) use packets::Packet;
pub(crate) use retransmissions::Retransmission;

/// What a connection's loss detector needs besides positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracking {
    /// Nothing.
    #[default]
    Positions,
    /// When what has arrived was sent, and retransmissions in the order of their sending.
    Times,
    /// What each packet carries, by number.
    Numbers,
}

/// What an acknowledgement of positions reports for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewlyAcked {
    /// By how many bytes it moved SND.UNA.
    pub acked: u64,
    /// Bytes that had not been known to have arrived.
    pub delivered: u64,
    /// Those of them that it acknowledges selectively.
    pub sacked: u64,
    /// When what it covers cumulatively was sent, unless some of that was sent twice:
    /// then a sample would be ambiguous (RFC 6298 §3).
    pub sent: Option<Departures>,
    /// When the oldest that it covers cumulatively was first sent, and when it last left again if
    /// that is on its way; only after a loss or with packets out of order.
    pub oldest: Option<(Instant, Option<Instant>)>,
    /// And with [`Tracking::Times`]:
    pub times: Arrivals,
}

impl NewlyAcked {
    /// Segments of `[before, una)`, sent once.
    fn in_order(before: u64, una: u64, sent: Departures) -> NewlyAcked {
        let last = Some(Sending::first(sent.newest, una));
        NewlyAcked {
            acked: una - before,
            delivered: una - before,
            sent: Some(sent),
            times: Arrivals {
                newest: last,
                last,
                acked_once: Some(sent),
                once_from: Some(before),
                ..Arrivals::default()
            },
            ..NewlyAcked::default()
        }
    }
}

/// What an acknowledgement of packet numbers reports for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewlyAckedPackets {
    /// By how many bytes SND.UNA moved, late packets included.
    pub acked: u64,
    /// Packets.
    pub packets: u64,
    /// Bytes of the stream that had not arrived before.
    pub delivered: u64,
    /// Those of them that came in packets of the present epoch.
    pub in_epoch: u64,
    /// How many such packets arrived.
    pub packets_in_epoch: u64,
    /// When the largest packet acknowledged had left, if it is among the new.
    pub largest: Option<Instant>,
}

/// The ledger of one connection.
#[derive(Debug, Default)]
pub struct SentPackets {
    una: u64,
    high: u64,
    first: Transmissions,
    scoreboard: Option<Box<Scoreboard>>,
    detail: Tracking,
    packets: Option<Box<Packets>>,
    /// Where packets end, where packets are kept.
    boundaries: Option<Box<Boundaries>>,
    delivery: Option<Box<DeliveryRate>>,
}

/// Sendings.
impl SentPackets {
    /// Bytes that what is out takes.
    pub fn bytes_held(&self) -> usize {
        let scoreboard = self.scoreboard.as_ref().map_or(0, |s| s.bytes_held());
        let packets = self.packets.as_ref().map_or(0, |p| p.bytes_held());
        let delivery = self.delivery.as_ref().map_or(0, |d| d.bytes_held());
        self.first.bytes_held() + scoreboard + packets + delivery
    }

    /// The ledger of a connection that has sent nothing; `measured` where its controller needs
    /// samples of the delivery rate.
    pub fn new(detail: Tracking, measured: bool) -> SentPackets {
        SentPackets {
            detail,
            packets: (detail == Tracking::Numbers).then(Box::default),
            delivery: measured.then(Box::default),
            ..SentPackets::default()
        }
    }

    /// The same where what has arrived and what is repeated are whole packets, of no more than
    /// `mss` bytes.
    pub fn of_packets(self, mss: u64) -> SentPackets {
        SentPackets {
            boundaries: Some(Box::new(Boundaries::new(mss))),
            ..self
        }
    }

    /// What is in flight has so many bytes for each packet besides its payload.
    pub fn count_headers(&mut self, bytes: u64) {
        if let Some(packets) = &mut self.packets {
            packets.header = bytes;
        }
    }

    /// `plan` is sent, while `pipe` is in flight. Returns its packet number where packets have
    /// one.
    #[inline(always)]
    pub fn send(&mut self, plan: ByteRange, pipe: u64, now: Instant) -> Option<u64> {
        if let Some(delivery) = &mut self.delivery {
            delivery.sent(plan, self.una, self.high, pipe, now);
        }
        if plan.start < self.high {
            self.send_again(plan);
        } else {
            self.first.push(plan.end, now);
            self.high = plan.end;
            if let Some(boundaries) = &mut self.boundaries {
                boundaries.sent(plan, self.una);
            }
        }
        self.packets.as_mut().map(|packets| packets.send(plan, now))
    }

    /// A packet without data leaves. Returns its number.
    pub fn send_empty(&mut self, now: Instant) -> Option<u64> {
        let plan = ByteRange {
            start: self.high,
            end: self.high,
        };
        self.packets.as_mut().map(|packets| packets.send(plan, now))
    }

    #[inline(never)]
    fn send_again(&mut self, plan: ByteRange) {
        let scoreboard = self.scoreboard.get_or_insert_default();
        scoreboard.repeated.insert(plan.start, plan.end, |_, _| {});
    }

    /// Prefetches the memory of the scoreboard.
    pub(crate) fn prefetch(&self) {
        if let Some(scoreboard) = &self.scoreboard {
            prefetch(&**scoreboard);
        }
    }

    /// `plan`, which was sent before, is about to be sent again: it is lost no longer.
    pub fn repair(&mut self, plan: ByteRange, now: Instant) {
        let ByteRange { start, end } = plan;
        let scoreboard = self.scoreboard.get_or_insert_default();
        let before = scoreboard.lost_bytes;
        scoreboard.unmark_lost(start, end);
        if self.detail == Tracking::Times {
            let of_lost = scoreboard.lost_bytes < before;
            scoreboard.again.push(start, end, now, of_lost);
        }
    }
}

/// Acknowledgements.
impl SentPackets {
    /// Takes in an acknowledgement of all below `una` and of `blocks` above it. One that another
    /// has overtaken may still report blocks.
    pub fn acknowledge(
        &mut self,
        una: u64,
        blocks: impl Iterator<Item = (u64, u64)>,
        reception: impl Into<Reception>,
    ) -> NewlyAcked {
        let una = una.max(self.una);
        let reception = reception.into();
        let mut blocks = blocks.peekable();
        if self.is_clear() && blocks.peek().is_none() {
            if una == self.una {
                return NewlyAcked::default();
            }
            let before = self.una;
            let sent = self.acknowledge_in_order(una, reception.now);
            return NewlyAcked::in_order(before, una, sent);
        }
        self.acknowledge_with_scoreboard(una, blocks, reception)
    }

    /// Whether nothing is missing, and nothing was sent twice.
    #[inline]
    pub fn is_clear(&self) -> bool {
        let scoreboard = self.scoreboard.as_ref();
        scoreboard.is_none_or(|scoreboard| scoreboard.is_clear())
    }

    /// Moves SND.UNA up to `una`, which is above it, while the ledger [is clear](Self::is_clear).
    /// Returns when the segments below were sent.
    #[inline]
    pub fn acknowledge_in_order(&mut self, una: u64, now: Instant) -> Departures {
        if let Some(delivery) = &mut self.delivery {
            delivery.take_in_order(self.una, una, now);
        }
        self.una = una;
        self.first.forget_below(una)
    }

    /// When the oldest outstanding byte was first sent.
    #[inline]
    pub fn oldest_first_sent(&self) -> Instant {
        self.first.oldest()
    }

    #[inline(never)]
    fn acknowledge_with_scoreboard(
        &mut self,
        una: u64,
        blocks: impl Iterator<Item = (u64, u64)>,
        reception: Reception,
    ) -> NewlyAcked {
        let scoreboard = self.scoreboard.get_or_insert_default();
        let advances = una > self.una;
        let oldest = advances.then(|| (self.first.oldest(), scoreboard.again.head_left(self.una)));
        let forward = scoreboard.arrived.end().unwrap_or(self.una);
        let mut fresh = std::mem::take(&mut scoreboard.fresh);
        let boundaries = self.boundaries.as_deref_mut();
        let (above, sacked) = scoreboard.uncover((self.una, una), blocks, boundaries, &mut fresh);
        let mut newly = NewlyAcked::default();
        if scoreboard.lost_bytes > 0 {
            for (start, end) in &fresh {
                scoreboard.unmark_lost(*start, *end);
            }
        }
        if self.detail == Tracking::Times {
            // Linux handles what is SACKed in the order of positions.
            fresh[..above].sort_unstable();
            let (sacked, acked) = fresh.split_at(above);
            let times = &mut newly.times;
            let mut time = |pieces: &[(u64, u64)], until| {
                pieces.iter().fold(None, |all, piece| {
                    let once = scoreboard.time(*piece, forward, &self.first, until, times);
                    once.map(|once| once.and(all)).or(all)
                })
            };
            let sacked_once = time(sacked, reception.repeats_until);
            let acked_once = time(acked, reception.acked_repeats_until);
            (times.sacked_once, times.acked_once) = (sacked_once, acked_once);
        }
        if let Some(delivery) = &mut self.delivery {
            delivery.take(una, &fresh, reception.now);
        }
        newly.acked = una - self.una;
        newly.delivered = sacked + bytes(&fresh[above..]);
        (newly.sacked, newly.oldest) = (sacked, oldest);
        fresh.clear();
        scoreboard.fresh = fresh;
        if advances {
            newly.sent = self.advance(una);
        }
        newly
    }

    /// Moves SND.UNA up to `una`. Returns when what is below it was sent, if nothing below it
    /// was sent twice.
    fn advance(&mut self, una: u64) -> Option<Departures> {
        self.una = una;
        let sent = self.first.forget_below(una);
        let scoreboard = self.scoreboard.as_mut();
        let ambiguous = scoreboard.is_some_and(|scoreboard| scoreboard.forget_repeated(una));
        (!ambiguous).then_some(sent)
    }

    /// Takes in an acknowledgement of these packet numbers, `[first, end)`, the largest first.
    pub fn acknowledge_packets(
        &mut self,
        ranges: impl Iterator<Item = (u64, u64)>,
        now: Instant,
    ) -> NewlyAckedPackets {
        let mut newly = NewlyAckedPackets::default();
        let Some(mut packets) = self.packets.take() else {
            return newly;
        };
        let mut reach = self.una;
        let mut fresh = std::mem::take(&mut packets.fresh);
        let mut largest = None;
        for (first, end) in ranges {
            let largest = *largest.get_or_insert(end);
            // The largest come first, and those below are repeated in every acknowledgement.
            if end <= packets.first() {
                break;
            }
            let is_last = first <= packets.first();
            packets.acknowledge(first, end, |arrival| {
                let delivered = self.deliver(arrival.packet.plan(), &mut reach, &mut fresh);
                newly.packets += 1;
                newly.delivered += delivered;
                if arrival.in_epoch {
                    newly.in_epoch += delivered;
                    newly.packets_in_epoch += 1;
                }
                if arrival.number + 1 == largest {
                    newly.largest = Some(arrival.packet.sent);
                }
            });
            if is_last {
                break;
            }
        }
        if reach > self.una {
            self.advance(reach);
        }
        if let (Some(delivery), true) = (&mut self.delivery, newly.packets > 0) {
            delivery.take_headers(newly.packets * packets.header);
            delivery.take(reach, &fresh, now);
        }
        fresh.clear();
        packets.fresh = fresh;
        self.packets = Some(packets);
        newly
    }

    /// The range `plan` has arrived with a packet that counted as lost. Returns how many of its
    /// bytes had not.
    pub fn acknowledge_late(&mut self, plan: ByteRange) -> u64 {
        let mut reach = self.una;
        let delivered = self.deliver(plan, &mut reach, &mut Vec::new());
        if reach > self.una {
            self.advance(reach);
        }
        delivered
    }

    /// A packet with `plan` has arrived, and all below `reach`. Returns how many of its bytes
    /// had not; notes them in `fresh`.
    #[inline(always)]
    fn deliver(&mut self, plan: ByteRange, reach: &mut u64, fresh: &mut Vec<(u64, u64)>) -> u64 {
        let ByteRange { start, end } = plan;
        if self.is_clear() && start <= *reach {
            let from = std::mem::replace(reach, end.max(*reach));
            match fresh.last_mut() {
                Some(last) if last.1 == from => last.1 = *reach,
                _ if from < end => fresh.push((from, end)),
                _ => {}
            }
            return end.saturating_sub(from);
        }
        self.deliver_out_of_order(plan, reach, fresh)
    }

    /// The same while something is missing.
    #[inline(never)]
    fn deliver_out_of_order(
        &mut self,
        plan: ByteRange,
        reach: &mut u64,
        fresh: &mut Vec<(u64, u64)>,
    ) -> u64 {
        let ByteRange { start, end } = plan;
        let scoreboard = &mut **self.scoreboard.get_or_insert_default();
        scoreboard.unmark_lost(start, end);
        let before = fresh.len();
        scoreboard
            .arrived
            .insert(start.max(*reach), end, |a, b| fresh.push((a, b)));
        let delivered = bytes(&fresh[before..]);
        scoreboard.arrived_bytes += delivered;
        let joined = scoreboard.arrived.first().filter(|range| range.0 <= *reach);
        if let Some((from, to)) = joined {
            scoreboard.arrived.remove_below(to, |_, _| {});
            scoreboard.arrived_bytes -= to - from;
            *reach = to;
        }
        delivered
    }
}

/// Losses.
impl SentPackets {
    /// What of `[start, end)` has not arrived is lost.
    pub fn mark_lost(&mut self, start: u64, end: u64) {
        let Scoreboard {
            arrived,
            lost,
            lost_bytes,
            ..
        } = &mut **self.scoreboard.get_or_insert_default();
        arrived.holes_within(start, end, |from, to| {
            lost.insert(from, to, |a, b| *lost_bytes += b - a);
        });
    }

    /// All that has not arrived is lost.
    pub fn mark_all_lost(&mut self) {
        if let Some(scoreboard) = &mut self.scoreboard {
            scoreboard.again.clear();
        }
        self.mark_lost(self.una, self.high);
    }

    /// What counted as lost is on its way after all.
    pub fn unmark_all_lost(&mut self) {
        if let Some(scoreboard) = &mut self.scoreboard {
            scoreboard.lost.clear();
            scoreboard.lost_bytes = 0;
            scoreboard.again.repeat_no_losses();
        }
    }

    /// The retransmission that left first of those on their way, with [`Tracking::Times`].
    pub fn oldest_retransmission(&self) -> Option<Retransmission> {
        let scoreboard = self.scoreboard.as_ref()?;
        scoreboard.again.oldest().copied()
    }

    /// It is lost.
    pub fn mark_oldest_retransmission_lost(&mut self) {
        let scoreboard = self.scoreboard.as_mut();
        if let Some(again) = scoreboard.and_then(|scoreboard| scoreboard.again.remove_oldest()) {
            self.mark_lost(again.start.max(self.una), again.end);
        }
    }

    /// The oldest packet that is on its way, with its number.
    pub fn oldest_packet(&self) -> Option<(u64, Packet)> {
        self.packets.as_ref()?.oldest()
    }

    /// It is lost, and what it carried where that has not arrived with another.
    pub fn mark_oldest_packet_lost(&mut self) {
        let packets = self.packets.as_mut();
        if let Some(packet) = packets.and_then(|packets| packets.lose_oldest()) {
            let ByteRange { start, end } = packet.plan();
            self.mark_lost(start.max(self.una), end);
        }
    }

    /// Packets that leave from now on belong to a new epoch.
    pub fn begin_epoch(&mut self) {
        if let Some(packets) = &mut self.packets {
            packets.epoch = packets.next();
        }
    }

    /// All packets belong to one epoch again.
    pub fn end_epoch(&mut self) {
        if let Some(packets) = &mut self.packets {
            packets.epoch = 0;
        }
    }
}

/// What is known.
impl SentPackets {
    /// SND.UNA: all below has arrived.
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// One past the highest byte ever sent.
    #[inline]
    pub fn high(&self) -> u64 {
        self.high
    }

    /// Bytes sent and not cumulatively acknowledged.
    #[inline]
    pub fn outstanding(&self) -> u64 {
        self.high - self.una
    }

    /// Bytes on their way: what is neither lost nor has arrived. Of packets with numbers, what
    /// those carry that are neither acknowledged nor lost.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        if let Some(packets) = &self.packets {
            return packets.in_flight();
        }
        let scoreboard = self.scoreboard.as_ref();
        let known = scoreboard.map_or(0, |scoreboard| {
            scoreboard.arrived_bytes + scoreboard.lost_bytes
        });
        self.outstanding() - known
    }

    /// Bytes that have arrived above SND.UNA.
    pub fn arrived_bytes(&self) -> u64 {
        let scoreboard = self.scoreboard.as_ref();
        scoreboard.map_or(0, |scoreboard| scoreboard.arrived_bytes)
    }

    /// What has arrived above SND.UNA.
    #[inline]
    pub fn arrived(&self) -> Option<&RangeSet> {
        self.scoreboard
            .as_ref()
            .map(|scoreboard| &scoreboard.arrived)
    }

    /// Whether anything of `[start, end)`, above SND.UNA, has arrived.
    pub fn has_arrived(&self, start: u64, end: u64) -> bool {
        self.arrived()
            .is_some_and(|arrived| arrived.meets(start, end))
    }

    /// Bytes that are lost and were not sent again since.
    pub fn lost_bytes(&self) -> u64 {
        let scoreboard = self.scoreboard.as_ref();
        scoreboard.map_or(0, |scoreboard| scoreboard.lost_bytes)
    }

    /// What is lost and was not sent again since.
    pub fn lost(&self) -> Option<&RangeSet> {
        self.scoreboard.as_ref().map(|scoreboard| &scoreboard.lost)
    }

    /// The lowest bytes that are lost and were not sent again since.
    pub fn first_lost(&self) -> Option<(u64, u64)> {
        self.lost()?.first()
    }

    /// Whether anything that has not arrived was lost, sent again since or not: with
    /// [`Tracking::Times`].
    pub fn has_losses(&self) -> bool {
        let scoreboard = self.scoreboard.as_ref();
        scoreboard
            .is_some_and(|scoreboard| scoreboard.lost_bytes > 0 || scoreboard.again.repeat_losses())
    }

    /// Retransmissions on their way, and how many of them repeat what counts as lost: with
    /// [`Tracking::Times`].
    pub fn retransmissions(&self) -> (usize, usize) {
        let scoreboard = self.scoreboard.as_ref();
        scoreboard.map_or((0, 0), |scoreboard| scoreboard.again.count())
    }

    /// How many retransmissions of what counts as lost are on their way.
    pub fn repairs_out(&self) -> u64 {
        self.retransmissions().1 as u64
    }

    /// Whether the byte at `position` was sent more than once.
    pub fn is_repeated(&self, position: u64) -> bool {
        let scoreboard = self.scoreboard.as_ref();
        scoreboard.is_some_and(|scoreboard| scoreboard.repeated.meets(position, position + 1))
    }

    /// When the oldest outstanding byte last left, as far as that is on its way.
    pub fn oldest_left(&self) -> Instant {
        let scoreboard = self.scoreboard.as_ref();
        let again = scoreboard.and_then(|scoreboard| scoreboard.again.head_left(self.una));
        again.unwrap_or_else(|| self.first.oldest())
    }

    /// The packet that holds the byte at `position`, which has been sent, as it was first sent.
    /// Only a record [of packets](Self::of_packets) has them.
    pub fn packet_at(&self, position: u64) -> ByteRange {
        let boundaries = self.boundaries.as_ref();
        let (start, end) = boundaries.map_or((0, u64::MAX), |b| b.packet(position));
        ByteRange {
            start: start.max(self.una),
            end: end.min(self.high),
        }
    }

    /// When what is out from `position` on was first sent, and where that ends.
    pub fn first_sent(&self, position: u64, hint: &mut Hint) -> Option<(Instant, u64)> {
        self.first.burst_at(position, hint)
    }

    /// When the newest segment of the last cumulative acknowledgement was first sent: a sample
    /// only where something besides the acknowledgement shows that it answers this.
    pub fn newest_first_sent(&self) -> Instant {
        self.first.newest()
    }

    /// The number of the next packet.
    pub fn next_number(&self) -> u64 {
        self.packets.as_ref().map_or(0, |packets| packets.next())
    }

    /// One past the largest number acknowledged.
    pub fn acknowledged(&self) -> u64 {
        let packets = self.packets.as_ref();
        packets.map_or(0, |packets| packets.acknowledged)
    }

    /// Whether the packet of this number belongs to the present epoch.
    pub fn is_in_epoch(&self, number: u64) -> bool {
        let packets = self.packets.as_ref();
        packets.is_some_and(|packets| number >= packets.epoch)
    }

    /// The oldest packet on its way of those numbered `[first, end)`.
    pub fn oldest_packet_within(&self, first: u64, end: u64) -> Option<(u64, Packet)> {
        self.packets.as_ref()?.oldest_within(first, end)
    }

    /// The sampler of the delivery rate, where the controller uses one.
    pub fn delivery(&mut self) -> Option<&mut DeliveryRate> {
        self.delivery.as_deref_mut()
    }

    /// The latest sample of the delivery rate, where the controller uses them.
    pub fn delivery_rate(&self) -> Option<Rate> {
        self.delivery.as_ref()?.rate()
    }

    /// Whether samples of the delivery rate are taken.
    pub fn samples_delivery(&self) -> bool {
        self.delivery
            .as_ref()
            .is_some_and(|delivery| delivery.samples())
    }

    /// Whether what was delivered and lost is counted.
    pub fn measures_delivery(&self) -> bool {
        self.delivery.is_some()
    }
}
