//! A send buffer of bounded size: what the application has for the connection waits until there is
//! room.

/// What waits before one connection's send buffer.
#[derive(Clone, Copy, Debug)]
pub struct SendBuffer {
    size: u64,
    waiting: u64,
}

impl SendBuffer {
    /// A buffer of so many bytes, before which nothing waits.
    pub fn new(size: u64) -> SendBuffer {
        SendBuffer { size, waiting: 0 }
    }

    /// The application has so many bytes more.
    pub fn push(&mut self, bytes: u64) {
        self.waiting = self.waiting.saturating_add(bytes);
    }

    /// Whether the application has more than the buffer has taken.
    pub fn holds_back(&self) -> bool {
        self.waiting > 0
    }

    /// How many bytes the application hands over, of which `held` are not acknowledged yet. It is
    /// woken once a third of the buffer is free (`sk_stream_min_wspace`).
    pub fn take(&mut self, held: u64) -> u64 {
        let free = self.size.saturating_sub(held);
        if 3 * free < self.size {
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
        let mut buffer = SendBuffer::new(90);
        buffer.push(150);
        assert_eq!(buffer.take(0), 90);
        assert_eq!(buffer.take(61), 0);
        assert_eq!(buffer.take(60), 30);
        assert_eq!(buffer.take(20), 30, "all that is left");
        assert_eq!(buffer.take(0), 0);
    }
}
