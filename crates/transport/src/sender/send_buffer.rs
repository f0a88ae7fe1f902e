//! A send buffer of bounded size: what the application has for the connection waits until there is
//! room.

/// What waits before one connection's send buffer.
#[derive(Clone, Copy, Debug)]
pub struct SendBuffer {
    size: u64,
    waiting: u64,
    /// How much of it is free when the application is woken.
    wakes_at: u64,
}

impl SendBuffer {
    /// A buffer of so many bytes, before which nothing waits. The kernel wakes the application once a
    /// third is free (`sk_stream_min_wspace`), a QUIC stack in its process with any byte.
    pub fn new(size: u64, of_kernel: bool) -> SendBuffer {
        let wakes_at = if of_kernel { size.div_ceil(3) } else { 1 };
        SendBuffer {
            size,
            waiting: 0,
            wakes_at,
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

    /// How many bytes the application hands over where `held` are not acknowledged yet.
    pub fn take(&mut self, held: u64) -> u64 {
        let free = self.size.saturating_sub(held);
        if free < self.wakes_at {
            return 0;
        }
        let taken = free.min(self.waiting);
        self.waiting -= taken;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffer_is_filled_again_when_a_third_of_it_is_free() {
        let mut buffer = SendBuffer::new(90, true);
        buffer.push(150);
        assert_eq!(buffer.take(0), 90);
        assert_eq!(buffer.take(61), 0);
        assert_eq!(buffer.take(60), 30);
        assert_eq!(buffer.take(20), 30, "all that is left");
        assert_eq!(buffer.take(0), 0);
    }

    #[test]
    fn a_quic_stack_fills_what_has_become_free() {
        let mut buffer = SendBuffer::new(90, false);
        buffer.push(150);
        assert_eq!(buffer.take(0), 90);
        assert_eq!((buffer.take(90), buffer.take(89)), (0, 1));
    }
}
