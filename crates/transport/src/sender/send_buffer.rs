//! A send buffer of bounded size: what the application has for the connection waits until there is
//! room.

use crate::receive_window::truesize;
use flowstart_control::model::pacing::GSO_MAX;

/// What waits before one connection's send buffer.
#[derive(Clone, Copy, Debug)]
pub struct SendBuffer {
    size: u64,
    waiting: u64,
    accounting: Accounting,
}

/// What counts against the size, and when the application is woken.
#[derive(Clone, Copy, Debug)]
enum Accounting {
    /// Payload. The application is woken once so much is free: in a kernel a third, in the process of a
    /// QUIC stack any byte.
    Payload(u64),
    /// Memory of packets that the application fills with so many bytes. The last one may begin below the
    /// size and end above it (`sk_stream_memory_free`). The kernel wakes the application once what is
    /// free is half of what is not (`sk_stream_min_wspace`).
    Packets(u64),
}

/// What a buffer holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// Bytes that have left and are not acknowledged.
    pub sent: u64,
    /// Bytes of each packet of these: the kernel cuts a burst off what the application has filled
    /// (`tso_fragment`).
    pub burst: u64,
    /// Bytes that have not left.
    pub unsent: u64,
}

impl SendBuffer {
    /// Linux's buffer of so many bytes (`sk_sndbuf`), for segments of so many.
    pub fn of_linux(size: u64, mss: u64) -> SendBuffer {
        let packet = (GSO_MAX / mss).max(1) * mss;
        SendBuffer {
            size,
            waiting: 0,
            accounting: Accounting::Packets(packet),
        }
    }

    /// A buffer of so many bytes of payload, in a kernel or in the process of the application.
    pub fn of_payload(size: u64, in_process: bool) -> SendBuffer {
        let wakes_at = if in_process { 1 } else { size.div_ceil(3) };
        SendBuffer {
            size,
            waiting: 0,
            accounting: Accounting::Payload(wakes_at),
        }
    }

    /// The application has so many bytes more.
    pub fn push(&mut self, bytes: u64) {
        self.waiting = self.waiting.saturating_add(bytes);
    }

    /// Whether the application has more than the buffer has taken.
    pub fn holds_back(&self) -> bool {
        self.waiting > 0
    }

    /// How many bytes the application hands over.
    pub fn take(&mut self, held: Held) -> u64 {
        let free = match self.accounting {
            Accounting::Payload(wakes_at) => {
                let free = self.size.saturating_sub(held.sent + held.unsent);
                if free < wakes_at { 0 } else { free }
            }
            Accounting::Packets(packet) => self.free_in_packets(held, packet),
        };
        let taken = free.min(self.waiting);
        self.waiting -= taken;
        taken
    }

    /// How much of the buffer is free, in whole packets.
    fn free_in_packets(&self, held: Held, packet: u64) -> u64 {
        let empty = truesize(0, 0);
        let packets = held.sent.div_ceil(held.burst.max(1)) + held.unsent.div_ceil(packet);
        let queued = held.sent + held.unsent + packets * empty;
        let is_woken = self.size.saturating_sub(queued) >= queued / 2;
        let packets = match is_woken {
            true => (self.size - queued).div_ceil(packet + empty),
            false => 0,
        };
        packets * packet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 45 segments of 1448 bytes.
    const PACKET: u64 = 65_160;
    /// What an empty packet takes.
    const EMPTY: u64 = 832;

    fn unsent(unsent: u64) -> Held {
        Held {
            unsent,
            ..Held::default()
        }
    }

    #[test]
    fn the_kernels_buffer_takes_packets_until_their_memory_is_its_size() {
        let free = |size| {
            let mut buffer = SendBuffer::of_linux(size, 1448);
            buffer.push(1 << 40);
            buffer.take(Held::default())
        };
        assert_eq!(free(PACKET + EMPTY), PACKET);
        assert_eq!(free(PACKET + EMPTY + 1), 2 * PACKET);
    }

    #[test]
    fn the_kernel_wakes_a_writer_once_half_of_what_is_held_is_free() {
        let mut buffer = SendBuffer::of_linux(90_000, 1448);
        buffer.push(200_000);
        assert_eq!(buffer.take(Held::default()), 2 * PACKET);
        assert_eq!(buffer.take(unsent(60_001 - EMPTY)), 0);
        assert_eq!(buffer.take(unsent(60_000 - EMPTY)), PACKET);
        assert_eq!(
            buffer.take(unsent(0)),
            200_000 - 3 * PACKET,
            "all that is left"
        );
    }

    #[test]
    fn each_burst_that_has_left_is_a_packet() {
        let mut buffer = SendBuffer::of_linux(60_000 + 9 * EMPTY, 1448);
        buffer.push(200_000);
        let of = |burst| Held {
            sent: 40_000,
            burst,
            unsent: 0,
        };
        assert_eq!(buffer.take(of(2_896)), 0);
        assert_eq!(buffer.take(of(40_000)), PACKET);
    }

    #[test]
    fn a_quic_stack_fills_what_has_become_free() {
        let mut buffer = SendBuffer::of_payload(90, true);
        buffer.push(150);
        assert_eq!(buffer.take(unsent(0)), 90);
        assert_eq!((buffer.take(unsent(90)), buffer.take(unsent(89))), (0, 1));
    }

    #[test]
    fn another_kernels_buffer_is_filled_again_when_a_third_of_it_is_free() {
        let mut buffer = SendBuffer::of_payload(90, false);
        buffer.push(150);
        assert_eq!(buffer.take(unsent(0)), 90);
        assert_eq!(buffer.take(unsent(61)), 0);
        assert_eq!(buffer.take(unsent(60)), 30);
    }
}
