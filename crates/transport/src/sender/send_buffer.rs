//! A send buffer of bounded size: what the application has for the connection waits until there is
//! room.

use super::kernel_buffer::KernelBuffer;

/// One connection's send buffer, by what counts against its size.
#[derive(Clone, Debug)]
pub(super) enum SendBuffer {
    /// Payload.
    Payload(PayloadBuffer),
    /// Memory of packets, as in Linux.
    Kernel(KernelBuffer),
}

/// A buffer for so many bytes of payload, and what waits before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PayloadBuffer {
    size: u64,
    waiting: u64,
    /// The application is woken once so much is free: in a kernel a third, in the process of a QUIC
    /// stack any byte.
    wakes_at: u64,
}

impl PayloadBuffer {
    /// A buffer of so many bytes, in a kernel or in the process of the application.
    pub(super) fn new(size: u64, in_process: bool) -> PayloadBuffer {
        PayloadBuffer {
            size,
            waiting: 0,
            wakes_at: if in_process { 1 } else { size.div_ceil(3) },
        }
    }

    /// How many bytes the application hands over, with so many in the buffer.
    pub(super) fn take(&mut self, held: u64) -> u64 {
        let free = self.size.saturating_sub(held);
        let taken = if free < self.wakes_at {
            0
        } else {
            free.min(self.waiting)
        };
        self.waiting -= taken;
        taken
    }
}

impl SendBuffer {
    /// The application has so many bytes more.
    pub(super) fn push(&mut self, bytes: u64) {
        match self {
            SendBuffer::Payload(buffer) => buffer.waiting = buffer.waiting.saturating_add(bytes),
            SendBuffer::Kernel(buffer) => buffer.push(bytes),
        }
    }

    /// Whether the application has more than the buffer has taken.
    pub(super) fn holds_back(&self) -> bool {
        match self {
            SendBuffer::Payload(buffer) => buffer.waiting > 0,
            SendBuffer::Kernel(buffer) => buffer.holds_back(),
        }
    }

    /// Whether it is what limits a sender that has sent all it has; `in_window` where cwnd has room.
    pub(super) fn limits(&self, in_window: bool) -> bool {
        match self {
            SendBuffer::Payload(_) => in_window,
            SendBuffer::Kernel(buffer) => buffer.limits(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quic_stack_fills_what_has_become_free() {
        let mut buffer = PayloadBuffer::new(90, true);
        buffer.waiting = 150;
        assert_eq!(
            [buffer.take(0), buffer.take(90), buffer.take(89)],
            [90, 0, 1]
        );
    }

    #[test]
    fn another_kernels_buffer_is_filled_again_when_a_third_of_it_is_free() {
        let mut buffer = PayloadBuffer::new(90, false);
        buffer.waiting = 150;
        assert_eq!(
            [buffer.take(0), buffer.take(61), buffer.take(60)],
            [90, 0, 30]
        );
    }
}
