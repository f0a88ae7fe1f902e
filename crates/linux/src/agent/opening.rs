//! The first segments of a window that is to be paced: the kernel's pacing begins behind the tenth
//! (`tcp_update_skb_after_send`), so until then the window opens one by one.

use flowstart_control::{Duration, Instant, Window};
use flowstart_transport::pacing::rate::FREE_SEGMENTS;

/// The first segments of a connection, which leave at a rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// So many may have left.
    allowed: u32,
    /// When the next may.
    next: Instant,
    /// Between two.
    gap: Duration,
}

impl Opening {
    /// The first leaves now, or at the window's time.
    pub(super) fn new(window: &Window, now: Instant) -> Opening {
        let mut opening = Opening {
            allowed: 0,
            next: now.max(window.pacing_from),
            gap: Duration::ZERO,
        };
        opening.set_gap(window);
        opening
    }

    fn set_gap(&mut self, window: &Window) {
        let together = window.quantum.max(1);
        let gap = window
            .pacing
            .map(|rate| rate.time_for(u64::from(window.wire() * together)));
        self.gap = gap.unwrap_or(Duration::ZERO);
    }

    /// So many have left, and this is the rate now. A window that is not paced any more opens at once.
    pub(super) fn on_sent(&mut self, segments: u32, window: &Window, now: Instant) {
        self.set_gap(window);
        if window.pacing.is_none() {
            (self.allowed, self.next) = (FREE_SEGMENTS as u32, now);
        }
        self.allowed = self.allowed.max(segments);
    }

    /// The part of the window that is open now, in segments.
    pub(super) fn allows(&mut self, now: Instant) -> u32 {
        while !self.is_over() && self.next <= now {
            self.allowed += 1;
            self.next += self.gap;
        }
        match self.is_over() {
            true => u32::MAX,
            false => self.allowed.max(1),
        }
    }

    /// When it opens further.
    pub(super) fn due(&self) -> Option<Instant> {
        (!self.is_over()).then_some(self.next)
    }

    /// The kernel paces what leaves from now on.
    pub(super) fn is_over(&self) -> bool {
        self.allowed >= FREE_SEGMENTS as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Rate;

    fn window() -> Window {
        let mut window = Window::new(1448);
        window.header = 52;
        // A segment of 1500 bytes takes a millisecond.
        window.pacing = Some(Rate::from_bps(12_000_000));
        window
    }

    #[test]
    fn the_window_opens_by_a_segment_whenever_one_is_due_until_the_kernel_paces() {
        let mut opening = Opening::new(&window(), Instant::from_millis(100));
        let open: Vec<_> = (0..11)
            .map(|ms| opening.allows(Instant::from_millis(100 + ms)))
            .collect();
        assert_eq!(open[..9], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(open[9..], [u32::MAX; 2]);
        assert!(opening.is_over() && opening.due().is_none());
    }

    #[test]
    fn one_that_comes_late_makes_up_for_it() {
        let mut opening = Opening::new(&window(), Instant::ZERO);
        assert_eq!(opening.allows(Instant::from_micros(4_500)), 5);
        assert_eq!(opening.due(), Some(Instant::from_millis(5)));
    }

    #[test]
    fn a_window_that_is_not_paced_any_more_opens_at_once() {
        let (mut opening, mut window) = (Opening::new(&window(), Instant::ZERO), window());
        window.pacing = None;
        opening.on_sent(1, &window, Instant::from_millis(1));
        assert!(opening.is_over());
    }
}
