//! Proportional Rate Reduction (RFC 9937): how the window gets from what it was at the loss to
//! the controller's value, by a share of what is delivered.
//!
//! Counted in segments and against the window before the loss, as Linux does; the RFC counts
//! bytes and what was in flight (RecoverFS).

use super::super::connection::Connection;
use super::super::loss::outcome::Step;
use flowstart_control::{Segments, Window};

/// A reduction in progress. All in segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prr {
    active: bool,
    /// The window before.
    prior: u64,
    /// The window to be.
    target: u64,
    /// `prr_delivered`.
    delivered: u64,
    /// `prr_out`: sent since it began.
    out: u64,
    /// Window that it has set last. A reduction is over when another has been set.
    set: Segments,
}

impl Prr {
    /// A reduction of this window, which was one of `prior`, to one of `target`.
    pub(super) fn new(prior: u64, target: u64, window: &Window) -> Prr {
        Prr {
            active: true,
            prior: prior.max(1),
            target,
            set: window.cwnd,
            ..Prr::default()
        }
    }

    /// Whether a reduction is under way.
    pub(super) fn is_active(&self) -> bool {
        self.active
    }

    /// Brings the window down a step, unless the controller has set another meanwhile or does so
    /// all the time.
    pub(super) fn step(&mut self, c: &mut Connection, step: Step) {
        if !self.active || c.controller().recovery_is_self_managed() {
            return;
        }
        let (delivered, in_flight) = (
            step.delivered.div_ceil(c.mss()),
            step.in_flight.div_ceil(c.mss()),
        );
        if c.window().cwnd == self.set {
            self.set = self.window(delivered, in_flight, step.safe) as Segments;
            c.window_mut().cwnd = self.set;
        }
    }

    /// It is over, with the window that was to be unless the controller has set another meanwhile
    /// (`tcp_end_cwnd_reduction`).
    pub(super) fn end(&mut self, window: Option<&mut Window>) {
        self.active = false;
        if let Some(window) = window.filter(|window| window.cwnd == self.set) {
            window.cwnd = self.target as Segments;
        }
    }

    /// It is over, whatever the window: a timeout has set it.
    pub(super) fn stop(&mut self) {
        self.active = false;
    }

    /// The window after an acknowledgement that delivered so many, with `in_flight` out;
    /// `safe` where it moved SND.UNA and no more was found lost (RFC 9937 §6).
    fn window(&mut self, delivered: u64, in_flight: u64, safe: bool) -> u64 {
        self.delivered += delivered;
        let share = if in_flight > self.target {
            (self.delivered * self.target)
                .div_ceil(self.prior)
                .saturating_sub(self.out)
        } else {
            let conserved = self.delivered.saturating_sub(self.out).max(delivered);
            (conserved + u64::from(safe)).min(self.target - in_flight)
        };
        // The fast retransmit leaves whatever the count is.
        in_flight + share.max(u64::from(self.out == 0))
    }

    /// A segment left.
    pub(super) fn on_sent(&mut self) {
        self.out += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduction(prior: u64, target: u64) -> Prr {
        let mut window = Window::new(1448);
        window.cwnd = prior as Segments;
        Prr::new(prior, target, &window)
    }

    /// Twenty in flight, the controller's window is ten; one delivery per acknowledgement, and what
    /// the window allows is sent at once. Returns what each acknowledgement released.
    fn released(lost: u64, acknowledgements: u64) -> Vec<u64> {
        let mut reduction = reduction(20, 10);
        let mut in_flight = 20 - lost - 2;
        (0..acknowledgements)
            .map(|i| {
                in_flight -= 1;
                // The first of them ends disorder: three were delivered together.
                let window = reduction.window(if i == 0 { 3 } else { 1 }, in_flight, false);
                let count = window - in_flight;
                (0..count).for_each(|_| reduction.on_sent());
                in_flight = window;
                count
            })
            .collect()
    }

    #[test]
    fn one_loss_of_twenty_halves_the_rate() {
        let sent = released(1, 17);
        assert_eq!(sent.iter().sum::<u64>(), 10);
        assert!(sent.iter().all(|n| *n <= 2));
    }

    #[test]
    fn below_the_target_what_is_delivered_is_replaced() {
        assert_eq!(released(10, 7)[1..], [1; 6]);
    }

    #[test]
    fn a_safe_acknowledgement_adds_one_until_the_target() {
        let mut reduction = reduction(20, 10);
        assert_eq!(reduction.window(1, 5, true), 7);
        (0..2).for_each(|_| reduction.on_sent());
        assert_eq!(reduction.window(1, 6, true), 8);
        assert_eq!(reduction.window(9, 9, true), 10);
    }

    /// The same against what was in flight, as the RFC has it: RecoverFS is 18, the twenty less
    /// the two that had been SACKed before. What each acknowledgement releases, and the window.
    fn by_the_rfc(lost: u64, acknowledgements: u64) -> (Vec<u64>, Vec<u64>) {
        let mut reduction = reduction(18, 10);
        let mut in_flight = 20 - lost - 2;
        (0..acknowledgements)
            .map(|_| {
                in_flight -= 1;
                let window = reduction.window(1, in_flight, false);
                let count = window - in_flight;
                (0..count).for_each(|_| reduction.on_sent());
                in_flight = window;
                (count, window)
            })
            .unzip()
    }

    #[test]
    fn a_loss_of_one_is_spread_over_the_window() {
        let (sent, windows) = by_the_rfc(1, 17);
        assert_eq!(sent, [1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1]);
        assert_eq!(windows[..4], [17, 17, 16, 16]);
        assert_eq!(windows[15..], [10, 10]);
    }

    #[test]
    fn a_loss_of_five_leaves_less_to_take_away() {
        let (sent, windows) = by_the_rfc(5, 13);
        assert_eq!(sent, [1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!((sent.iter().sum::<u64>(), windows[12]), (10, 10));
    }

    #[test]
    fn a_loss_of_half_leaves_nothing_to_take_away() {
        let (sent, windows) = by_the_rfc(10, 8);
        assert_eq!((sent, windows), (vec![1; 8], vec![8; 8]));
    }
}
