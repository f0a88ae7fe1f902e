//! s2n-quic's calls, in the order of an adapter's events.
//!
//! For an ACK frame s2n-quic reports the packets that it shows lost, one by one, then of a mark, and
//! then once of all that it acknowledges: the newest packet, and how many bytes. RFC 9002 (A.7) requires
//! the acknowledged first. So losses and marks wait for that call, or for the first question after
//! them where a timer found the loss. Which packets were acknowledged besides the newest follows from
//! the bytes: whatever was overtaken by three is lost by now, so what is still missing is among the
//! newest, and the oldest are those that have arrived.

use flowstart_control::{Duration, Instant};
use flowstart_live::{Adapter, Lost, Shared};
use std::collections::VecDeque;
use std::sync::MutexGuard;

/// Bytes that a full packet may fall short of the largest, where it still carries data.
const SLACK: u32 = 64;

/// A packet that counts and of which nothing is known.
#[derive(Clone, Copy, Debug)]
struct Packet {
    order: u64,
    bytes: u32,
    sent: Instant,
}

/// What s2n-quic has reported of one path.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    adapter: Shared,
    mtu: u16,
    /// In the order of sending, of all packet number spaces.
    out: VecDeque<Packet>,
    next: u64,
    in_flight: u32,
    /// As s2n-quic smooths it.
    srtt: Option<Duration>,
    /// Lost, and not reported yet.
    lost: Vec<Packet>,
    persistent: bool,
    /// Marked, and not reported yet.
    marked: bool,
    /// When the last call came.
    pub now: Instant,
}

impl Calls {
    pub fn new(adapter: Shared, mtu: u16) -> Calls {
        Calls {
            adapter,
            mtu,
            out: VecDeque::new(),
            next: 0,
            in_flight: 0,
            srtt: None,
            lost: Vec::new(),
            persistent: false,
            marked: false,
            now: Instant::ZERO,
        }
    }

    /// A packet has left, of which so many bytes count. Its place in the order.
    pub fn on_sent(&mut self, bytes: u32, app_limited: Option<bool>, now: Instant) -> u64 {
        self.flush();
        self.now = now;
        let order = self.next;
        self.next += 1;
        if bytes == 0 {
            return order;
        }
        let mut adapter = self.adapter.lock();
        let full = bytes + SLACK >= u32::from(self.mtu);
        if full && app_limited.is_some() && !adapter.has_begun() {
            // The application has not said how much there is, and sends.
            adapter.begin(None, now);
        }
        match full {
            true => adapter.on_sent(Some(order), bytes, now),
            false => adapter.on_sent_small(Some(order), bytes, now),
        }
        if app_limited == Some(true) {
            adapter.on_app_limited();
            adapter.on_sent_all();
        }
        drop(adapter);
        self.in_flight += bytes;
        self.out.push_back(Packet {
            order,
            bytes,
            sent: now,
        });
        order
    }

    /// The acknowledgement under way makes this the smoothed round trip.
    pub fn on_rtt(&mut self, srtt: Duration, now: Instant) {
        if let Some(before) = self.srtt.replace(srtt) {
            self.adapter.lock().on_rtt(before, now);
        }
    }

    /// So many bytes are acknowledged, none in a packet after this one.
    pub fn on_ack(&mut self, newest: u64, bytes: u32, now: Instant) {
        self.now = now;
        let acked = self.acknowledged(newest, bytes);
        let latest = acked.last().map(|p| p.sent);
        let mut adapter = self.adapter.lock();
        for packet in acked {
            adapter.on_packet_acked(Some(packet.order), packet.sent, packet.bytes, now);
        }
        drop(adapter);
        self.flush();
        if let (true, Some(sent)) = (std::mem::take(&mut self.marked), latest) {
            self.adapter.lock().on_mark(sent, now);
        }
    }

    /// The packets that these bytes are, in the order of sending.
    fn acknowledged(&mut self, newest: u64, bytes: u32) -> Vec<Packet> {
        let until = self.out.partition_point(|p| p.order <= newest);
        let last = until
            .checked_sub(1)
            .filter(|at| self.out[*at].order == newest);
        let last = last.and_then(|at| self.out.remove(at));
        let mut left = bytes.saturating_sub(last.map_or(0, |p| p.bytes));
        let mut acked = Vec::new();
        let mut at = 0;
        while left > 0 && self.out.get(at).is_some_and(|p| p.order < newest) {
            if self.out[at].bytes > left {
                at += 1;
            } else if let Some(packet) = self.out.remove(at) {
                left -= packet.bytes;
                acked.push(packet);
            }
        }
        acked.extend(last);
        self.in_flight = self.in_flight.saturating_sub(bytes);
        acked
    }

    /// A packet is lost.
    pub fn on_lost(&mut self, order: u64, bytes: u32, persistent: bool, now: Instant) {
        self.now = now;
        self.in_flight = self.in_flight.saturating_sub(bytes);
        self.persistent |= persistent;
        if let Ok(at) = self.out.binary_search_by_key(&order, |p| p.order) {
            self.lost.extend(self.out.remove(at));
        }
    }

    /// The acknowledgement under way shows a mark.
    pub fn on_mark(&mut self, now: Instant) {
        self.now = now;
        self.marked = true;
    }

    /// Packets of so many bytes will not be reported: one that probed for a larger datagram, or those
    /// of a handshake whose keys are gone.
    pub fn on_discarded(&mut self, bytes: u32) {
        self.in_flight = self.in_flight.saturating_sub(bytes);
        let probe = self.out.iter().position(|p| p.bytes == bytes);
        let mut left = bytes;
        if let Some(at) = probe {
            self.out.remove(at);
            return;
        }
        while left > 0 && self.out.front().is_some_and(|p| p.bytes <= left) {
            left -= self.out.pop_front().map_or(0, |p| p.bytes);
        }
    }

    /// Datagrams have so many bytes of UDP payload from now on.
    pub fn on_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.adapter().on_mtu(mtu);
    }

    /// Reports losses: the acknowledgement that showed them is complete.
    fn flush(&mut self) {
        if self.lost.is_empty() {
            return;
        }
        let persistent = std::mem::take(&mut self.persistent);
        let mut adapter = self.adapter.lock();
        for packet in self.lost.drain(..) {
            adapter.on_packet_lost(packet.order, packet.bytes);
        }
        adapter.on_congestion(Lost::Told, persistent, self.now);
    }

    /// The adapter after all events.
    pub fn adapter(&mut self) -> MutexGuard<'_, Adapter> {
        self.flush();
        self.adapter.lock()
    }

    /// Bytes in flight as s2n-quic counts them.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_live::Startup;

    const FULL: u32 = 1472;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    /// Has sent so many full packets of a transfer at once.
    fn sent(packets: u64) -> Calls {
        let startup = Startup::parse("slow-start", "cubic").unwrap();
        let adapter = Shared::new(startup.adapter(FULL as u16), std::time::Instant::now());
        let mut calls = Calls::new(adapter, FULL as u16);
        for order in 0..packets {
            assert_eq!(calls.on_sent(FULL, Some(false), at(0)), order);
        }
        calls
    }

    fn cwnd(calls: &mut Calls) -> f64 {
        calls.adapter().window().cwnd
    }

    #[test]
    fn the_first_full_packet_begins_a_transfer_of_which_nobody_has_told() {
        assert!(!sent(0).adapter().has_begun());
        assert!(sent(1).adapter().has_begun());
    }

    #[test]
    fn what_is_acknowledged_beside_the_newest_are_the_oldest() {
        let mut calls = sent(10);
        let acked = calls.acknowledged(7, 6 * FULL);
        let orders: Vec<u64> = acked.iter().map(|p| p.order).collect();
        assert_eq!(orders, [0, 1, 2, 3, 4, 7]);
        assert_eq!(calls.in_flight(), 4 * FULL);
    }

    #[test]
    fn a_loss_that_an_acknowledgement_shows_lets_it_open_no_window() {
        let mut calls = sent(10);
        calls.on_lost(0, FULL, false, at(60));
        calls.on_ack(9, 9 * FULL, at(60));
        assert!(cwnd(&mut calls) < 10.0);
        assert_eq!(calls.adapter().counters().lost, 1);
        assert_eq!((calls.in_flight(), calls.adapter().in_flight()), (0, 0));
    }

    #[test]
    fn a_loss_that_a_timer_finds_is_told_by_the_next_question() {
        let mut calls = sent(10);
        calls.on_ack(8, 8 * FULL, at(60));
        assert_eq!(cwnd(&mut calls), 18.0);
        calls.on_lost(7, FULL, false, at(70));
        assert!(cwnd(&mut calls) < 18.0);
    }

    #[test]
    fn a_mark_waits_for_the_packet_that_brought_it() {
        let mut calls = sent(10);
        calls.on_mark(at(60));
        calls.on_ack(9, 10 * FULL, at(60));
        assert!(cwnd(&mut calls) < 10.0);
    }

    #[test]
    fn a_probe_that_is_lost_is_no_loss() {
        let mut calls = sent(10);
        calls.on_sent(1500, Some(false), at(1));
        calls.on_discarded(1500);
        assert_eq!((calls.in_flight(), calls.out.len()), (10 * FULL, 10));
    }
}
