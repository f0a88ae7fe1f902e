//! Linux's send buffer (`sk_sndbuf`): what it takes of the application, packet by packet, and when it
//! limits the sender.
//!
//! The application writes into packets (`sk_buff`) of many segments, as in `tcp_sendmsg_locked`. Memory is
//! checked before a new packet only. Where the last packet of the write queue has room, because a burst was
//! cut off it, it is filled up without a check; and a packet that is first in the queue leaves before the
//! application writes more (`tcp_push_one`). So a sender that neither cwnd nor a pacer holds passes the size.

use crate::connection::Connection;
use crate::offload::packet_size;
use crate::receive_window::{SK_BUFF, SMALL_HEAD, truesize};
use crate::segment::ByteRange;
use std::collections::VecDeque;

/// `TCP_INIT_CWND`, segments.
const INIT_CWND: u64 = 10;

/// A send buffer in a kernel, and the application in front of it.
#[derive(Clone, Debug)]
pub(super) struct KernelBuffer {
    /// `sk_sndbuf`.
    size: u64,
    /// What it grows to (`tcp_wmem[2]`).
    largest: u64,
    /// Bytes that the application has, and the buffer has not taken.
    waiting: u64,
    /// Where packets end that have left and are not acknowledged.
    sent: VecDeque<u64>,
    /// Where packets end that have not left.
    unsent: VecDeque<u64>,
    /// Segments that may still leave in the burst under way.
    burst_left: u32,
    /// The application waits for space (`SOCK_NOSPACE`).
    sleeps: bool,
    /// An acknowledgement has come since space was checked.
    acknowledged: bool,
    /// `TCP_CHRONO_SNDBUF_LIMITED` runs.
    limits: bool,
}

impl KernelBuffer {
    /// A buffer that grows to so many bytes.
    pub(super) fn new(largest: u64) -> KernelBuffer {
        KernelBuffer {
            size: 0,
            largest,
            waiting: 0,
            sent: VecDeque::new(),
            unsent: VecDeque::new(),
            burst_left: 0,
            sleeps: false,
            acknowledged: false,
            limits: false,
        }
    }

    /// The application has so many bytes more.
    pub(super) fn push(&mut self, bytes: u64) {
        self.waiting = self.waiting.saturating_add(bytes);
    }

    /// Whether the application has more than the buffer has taken.
    pub(super) fn holds_back(&self) -> bool {
        self.waiting > 0
    }

    /// Whether it counts as what limits: all has left, the application waits for space, and cwnd was not
    /// the limit when the last segment left (`tcp_cwnd_validate`).
    pub(super) fn limits(&self) -> bool {
        self.limits
    }

    /// What is acknowledged needs no memory.
    pub(super) fn on_ack(&mut self, una: u64) {
        self.acknowledged = true;
        while self.sent.front().is_some_and(|end| *end <= una) {
            self.sent.pop_front();
        }
    }

    /// A segment has left, in a burst of so many; `by_cwnd` where cwnd counts as the limit.
    pub(super) fn on_sent(&mut self, segment: ByteRange, burst: u32, by_cwnd: bool) {
        if self.sent.back().is_some_and(|end| segment.end <= *end) {
            return;
        }
        match self.sent.back_mut() {
            Some(end) if self.burst_left > 0 => *end = segment.end,
            _ => {
                self.sent.push_back(segment.end);
                self.burst_left = burst;
            }
        }
        self.burst_left = self.burst_left.saturating_sub(1);
        while self.unsent.front().is_some_and(|end| *end <= segment.end) {
            self.unsent.pop_front();
            self.burst_left = 0;
        }
        self.limits |= self.unsent.is_empty() && self.sleeps && !by_cwnd;
    }

    /// Whether the last packet of the write queue may be filled up before the next burst.
    pub(super) fn is_between_bursts(&self) -> bool {
        self.burst_left == 0 && !self.sleeps
    }

    /// No more leaves now: the application wakes up if it may.
    pub(super) fn pause(&mut self, c: &Connection, flight: u64) {
        self.burst_left = 0;
        if !self.sleeps || !std::mem::take(&mut self.acknowledged) {
            return;
        }
        if c.window().segments(flight) < c.window().cwnd.trunc() {
            self.grow(c);
        }
        let held = self.memory(c.queued(), c);
        // `sk_stream_write_space`
        if self.size.saturating_sub(held) >= held / 2 {
            (self.sleeps, self.limits) = (false, false);
        }
    }

    /// How many bytes the application writes now. It writes more after the first packet in the queue has had
    /// its chance to leave.
    pub(super) fn write(&mut self, c: &Connection) -> u64 {
        if c.una() == 0 {
            // `tcp_init_buffer_space`: cwnd is the initial window.
            self.grow(c);
        }
        // Before an acknowledgement the window is a SYN-ACK's, which is not scaled.
        let window = match c.una() {
            0 => c.peer_window().min(u16::MAX.into()),
            _ => c.peer_window(),
        };
        let (from, whole) = (c.queued(), packet_size(window, c.mss()));
        let mut end = from;
        while self.waiting > 0 && !self.sleeps {
            let last_begins = || self.unsent.iter().nth_back(1).copied().unwrap_or(c.high());
            let room = match self.unsent.is_empty() {
                true => 0,
                false => whole.saturating_sub(end - last_begins()),
            };
            if room == 0 && self.memory(end, c) >= self.size {
                self.sleeps = true;
                break;
            }
            let taken = self.waiting.min(if room == 0 { whole } else { room });
            (end, self.waiting) = (end + taken, self.waiting - taken);
            match self.unsent.back_mut().filter(|_| room > 0) {
                Some(last) => *last = end,
                None => self.unsent.push_back(end),
            }
            if self.unsent.len() == 1 {
                break;
            }
        }
        end - from
    }

    /// `sk_wmem_queued`, with data up to `end` written.
    fn memory(&self, end: u64, c: &Connection) -> u64 {
        let packets = self.sent.len() + self.unsent.len();
        end - c.una() + packets as u64 * truesize(0, 0)
    }

    /// `tcp_sndbuf_expand`: twice what cwnd needs, each segment in a head of a power of two. BBR's three
    /// times is not here.
    fn grow(&mut self, c: &Connection) {
        let head = (c.mss() + SMALL_HEAD).next_power_of_two();
        let segments = c.window().cwnd_segments().max(INIT_CWND);
        let needed = 2 * segments * (head + SK_BUFF);
        self.size = self.size.max(needed.min(self.largest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::Stack;
    use flowstart_control::{Convention, Instant, catalog};
    use std::sync::Arc;

    /// 22 segments of 1448 bytes: half of a SYN-ACK's window.
    const FIRST: u64 = 31_856;
    /// What a packet takes besides data.
    const EMPTY: u64 = 832;

    /// A connection of ten segments, and the buffer of an application with as much as it takes.
    fn opened(largest: u64) -> (Connection, KernelBuffer) {
        let controller = catalog::controller("slow-start", "reno", Convention::LINUX).unwrap();
        let mut c = Connection::new(Arc::new(Stack::linux()), 0, controller);
        c.window_mut().cwnd = 10.0;
        let mut buffer = KernelBuffer::new(largest);
        buffer.push(1 << 40);
        (c, buffer)
    }

    fn write(c: &mut Connection, buffer: &mut KernelBuffer) -> u64 {
        let bytes = buffer.write(c);
        c.queue(bytes);
        bytes
    }

    /// So many segments leave in bursts of two, and the application writes after each.
    fn send(c: &mut Connection, buffer: &mut KernelBuffer, segments: usize, by_cwnd: bool) {
        for _ in 0..segments {
            let segment = c.next_segment().unwrap();
            c.transmit(segment, 0, Instant::ZERO);
            buffer.on_sent(segment, 2, by_cwnd);
            if buffer.is_between_bursts() {
                write(c, buffer);
            }
        }
    }

    #[test]
    fn the_first_packet_is_filled_up_until_cwnd_is_full() {
        let (mut c, mut buffer) = opened(65_536);
        assert_eq!(write(&mut c, &mut buffer), FIRST);
        send(&mut c, &mut buffer, 10, false);
        assert_eq!(c.queued(), 14_480 + FIRST);
        assert_eq!(buffer.memory(c.queued(), &c), 14_480 + FIRST + 6 * EMPTY);
        // `sk_sndbuf` is 46,080: 20 segments in 2,304 bytes each.
        assert_eq!((write(&mut c, &mut buffer), buffer.sleeps), (0, true));
    }

    #[test]
    fn a_sender_that_nothing_holds_passes_the_size() {
        let (mut c, mut buffer) = opened(65_536);
        write(&mut c, &mut buffer);
        send(&mut c, &mut buffer, 100, false);
        assert_eq!(c.queued(), 100 * 1448 + FIRST);
    }

    /// A sender with nothing left, whose application waits, with so many packets of two segments out.
    fn drained(by_cwnd: bool) -> (Connection, KernelBuffer) {
        let (mut c, mut buffer) = opened(65_536);
        write(&mut c, &mut buffer);
        send(&mut c, &mut buffer, 10, by_cwnd);
        write(&mut c, &mut buffer);
        send(&mut c, &mut buffer, 22, by_cwnd);
        (c, buffer)
    }

    #[test]
    fn it_limits_where_cwnd_is_not_the_limit() {
        assert!(drained(false).1.limits());
        assert!(!drained(true).1.limits());
    }

    #[test]
    fn an_acknowledgement_wakes_the_application_once_half_of_what_is_held_is_free() {
        let (mut c, mut buffer) = drained(false);
        let mut acknowledge = |segments: u64, flight: u64| {
            c.acknowledge(segments * 1448, [].into_iter(), Instant::ZERO);
            buffer.on_ack(c.una());
            buffer.pause(&c, flight);
            buffer.sleeps
        };
        // The window is full, so the size stays 46,080: two thirds of it are 30,720.
        assert!(acknowledge(15, 10 * 1448));
        assert!(!acknowledge(16, 10 * 1448));
        assert_eq!(write(&mut c, &mut buffer), 65_160, "no SYN-ACK's window");
    }

    #[test]
    fn it_grows_with_cwnd_while_the_flight_leaves_room() {
        for (flight, size) in [(29 * 1448, 65_536), (30 * 1448, 46_080)] {
            let (mut c, mut buffer) = drained(false);
            c.window_mut().cwnd = 30.0;
            buffer.on_ack(0);
            buffer.pause(&c, flight);
            assert_eq!(buffer.size, size);
        }
    }
}
