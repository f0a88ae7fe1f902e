//! What is out, in the order of sending.
//!
//! A QUIC packet is sent once: what was lost leaves in another. So each has a separate position, in
//! bytes sent before it, and a position is done with once its packet is acknowledged or lost.
//! In addition, each notes what a sample of the delivery rate takes ([`RateSampler`]).

use flowstart_control::session::delivery::{RateSampler, Snapshot};
use flowstart_control::signals::Delivery;
use flowstart_control::{Duration, Instant};
use std::collections::VecDeque;

/// Packets that a later one must have overtaken by for a packet that is neither acknowledged nor lost
/// to be one that is never acknowledged (kPacketThreshold, RFC 9002 §6.1.1).
const PACKET_THRESHOLD: usize = 3;

/// A packet that has left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// The stack's number for it, where it reports one.
    number: Option<u64>,
    /// Bytes of UDP payload.
    datagram: u32,
    start: u64,
    /// Bytes that count.
    bytes: u32,
    fate: Fate,
    snapshot: Snapshot,
    /// When it had left.
    in_flight: u64,
}

impl Packet {
    /// Whether a packet of so many bytes is most of the datagram.
    fn is_mostly(&self, packet: u32) -> bool {
        packet <= self.datagram && 2 * packet > self.datagram
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Out,
    Acked,
    Lost,
}

/// What an acknowledgement has reported so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct News {
    /// Bytes acknowledged.
    pub delivered: u64,
    /// Those of them that were sent from the beginning of the recovery on.
    pub in_epoch: u64,
    /// When the newest of those packets left.
    pub newest: Option<Instant>,
    /// In flight before.
    pub in_flight_before: u64,
    sample: Option<Packet>,
}

/// The packets of one connection.
#[derive(Debug, Default)]
pub(crate) struct SentPackets {
    packets: VecDeque<Packet>,
    /// So many of the oldest are acknowledged: packets are acknowledged in order but for losses.
    acked_first: usize,
    /// The position of the next packet.
    pub nxt: u64,
    /// Bytes in flight.
    pub in_flight: u64,
    /// What an acknowledgement reports of delivery.
    pub sampler: RateSampler,
    /// Place of the newest acknowledged packet.
    newest_acked: Option<u64>,
    /// Packets from this position on were sent in this recovery, or after the last.
    pub epoch: u64,
}

impl SentPackets {
    /// A packet leaves, `bytes` of which count.
    pub(crate) fn send(&mut self, number: Option<u64>, datagram: u32, bytes: u32, now: Instant) {
        let snapshot = self.sampler.on_sent(self.in_flight == 0, now);
        self.in_flight += u64::from(bytes);
        self.packets.push_back(Packet {
            number,
            datagram,
            start: self.nxt,
            bytes,
            fate: Fate::Out,
            snapshot,
            in_flight: self.in_flight,
        });
        self.nxt += u64::from(bytes);
    }

    /// The position of the oldest packet of which nothing is known.
    pub(crate) fn una(&self) -> u64 {
        self.packets.front().map_or(self.nxt, |p| p.start)
    }

    /// Place of the packet that left at `sent` and of which `datagram` bytes are acknowledged.
    ///
    /// A datagram may have been two packets, of a handshake and of data, and the stack reports each
    /// alone: the larger replaces both.
    fn find(&self, number: Option<u64>, sent: Instant, datagram: u32) -> Option<usize> {
        let is_whole = |p: &Packet| {
            let named = number.is_none() || p.number == number;
            p.fate == Fate::Out && p.snapshot.sent == sent && p.datagram == datagram && named
        };
        if self.packets.get(self.acked_first).is_some_and(is_whole) {
            return Some(self.acked_first);
        }
        let first = self.packets.partition_point(|p| p.snapshot.sent < sent);
        let together = self
            .packets
            .range(first..)
            .take_while(|p| p.snapshot.sent == sent);
        let out = || {
            let all = together.clone().enumerate();
            all.filter(|(_, p)| p.fate == Fate::Out && (number.is_none() || p.number == number))
        };
        let whole = out().find(|(_, p)| p.datagram == datagram);
        let part = || out().find(|(_, p)| p.is_mostly(datagram));
        whole.or_else(part).map(|(at, _)| first + at)
    }

    /// A packet is acknowledged. Whether it is one of these.
    pub(crate) fn acknowledge(
        &mut self,
        number: Option<u64>,
        sent: Instant,
        datagram: u32,
        news: &mut News,
    ) -> bool {
        let Some(at) = self.find(number, sent, datagram) else {
            return false;
        };
        self.acked_first += usize::from(at == self.acked_first);
        let packet = &mut self.packets[at];
        packet.fate = Fate::Acked;
        let (packet, bytes) = (*packet, u64::from(packet.bytes));
        if news.delivered == 0 {
            news.in_flight_before = self.in_flight;
        }
        self.in_flight -= bytes;
        self.sampler.delivered += bytes;
        self.newest_acked = self.newest_acked.max(Some(packet.start));
        news.delivered += bytes;
        if packet.start >= self.epoch {
            news.in_epoch += bytes;
        }
        news.newest = news.newest.max(Some(packet.snapshot.sent));
        if news
            .sample
            .as_ref()
            .is_none_or(|s| (s.snapshot.sent, s.start) <= (packet.snapshot.sent, packet.start))
        {
            news.sample = Some(packet);
        }
        true
    }

    /// This packet is lost. Its position and bytes, if it is one of these.
    pub(crate) fn lose(&mut self, number: u64, datagram: u32) -> Option<(u64, u64)> {
        let lost =
            |p: &Packet| p.fate == Fate::Out && p.number == Some(number) && p.is_mostly(datagram);
        let at = self.packets.iter().position(lost)?;
        Some(self.lose_at(at))
    }

    /// So many bytes of the oldest packets, that left up to `newest`, are lost. The position of the
    /// newest, and the bytes that count.
    pub(crate) fn lose_oldest(
        &mut self,
        newest: Instant,
        mut datagrams: u64,
    ) -> Option<(u64, u64)> {
        let mut found: Option<(u64, u64)> = None;
        for at in 0..self.packets.len() {
            let packet = &self.packets[at];
            if packet.snapshot.sent > newest || datagrams == 0 {
                break;
            }
            if packet.fate != Fate::Out {
                continue;
            }
            datagrams = datagrams.saturating_sub(u64::from(packet.datagram));
            let (start, bytes) = self.lose_at(at);
            found = Some((start, found.map_or(0, |f| f.1) + bytes));
        }
        found
    }

    fn lose_at(&mut self, at: usize) -> (u64, u64) {
        let packet = &mut self.packets[at];
        packet.fate = Fate::Lost;
        let (start, bytes) = (packet.start, u64::from(packet.bytes));
        self.in_flight -= bytes;
        self.sampler.lost += bytes;
        (start, bytes)
    }

    /// All of an acknowledgement has been reported. What is overtaken by now and neither
    /// acknowledged nor lost, will not be reported: packets of a handshake whose keys are gone.
    pub(crate) fn forget(&mut self) {
        self.drop_done();
        let Some(newest) = self.newest_acked.filter(|newest| self.una() < *newest) else {
            return;
        };
        let at = self.packets.partition_point(|p| p.start < newest);
        let overtaken = at.saturating_sub(PACKET_THRESHOLD - 1);
        for packet in self.packets.iter_mut().take(overtaken) {
            if packet.fate == Fate::Out {
                packet.fate = Fate::Lost;
                self.in_flight -= u64::from(packet.bytes);
            }
        }
        self.drop_done();
    }

    fn drop_done(&mut self) {
        self.acked_first = 0;
        while self.packets.front().is_some_and(|p| p.fate != Fate::Out) {
            self.packets.pop_front();
        }
    }

    /// Whether a packet that left then is of this recovery, or left after the last.
    pub(crate) fn is_news(&self, sent: Instant) -> bool {
        let at = self.packets.partition_point(|p| p.snapshot.sent <= sent);
        at.checked_sub(1)
            .is_none_or(|at| self.packets[at].start >= self.epoch)
    }

    /// The application has left room in the window.
    pub(crate) fn application_limits(&mut self) {
        self.sampler.on_app_limited(self.in_flight);
    }

    /// What an acknowledgement reports of delivery, once all of it is known; `lost` since the one
    /// before.
    pub(crate) fn conclude(
        &mut self,
        news: &News,
        lost: u64,
        least_rtt: Option<Duration>,
        now: Instant,
    ) -> Delivery {
        let sampler = &mut self.sampler;
        let sample = |p: Packet| sampler.sample(&p.snapshot, p.in_flight, least_rtt, now);
        let sample = news.sample.and_then(sample);
        sampler.on_acked(news.newest, now);
        Delivery {
            total: sampler.delivered,
            newly: news.delivered,
            lost,
            in_flight_before: news.in_flight_before,
            repairing: false,
            sample,
        }
    }
}
