//! Reduction of the window during a recovery. The controller decides what the window is to become; a
//! reduction leads it there, at once or by and by, and hands it back.
//!
//! A controller that owns the window sets it at every acknowledgement, in a recovery too; then the
//! transport leaves it alone.

mod instant;
mod prr;

use super::connection::Connection;
use super::loss::outcome::{CongestionEvent, Step};
use super::profile::RecoveryProfile;
use super::stack::Stack;
use crate::narrow::whole;
use flowstart_control::{Instant, Window};
use prr::Prr;

/// How a connection's window comes down.
pub(crate) enum Reduction {
    /// At once, to the controller's value.
    Instant(instant::Instant),
    /// By a share of what is delivered.
    Prr(Box<Prr>),
}

impl Reduction {
    /// Reduction of a stack.
    pub(crate) fn new(stack: &Stack) -> Reduction {
        let profile = RecoveryProfile::new(stack);
        match profile.reduces_gradually {
            true => Reduction::Prr(Box::default()),
            false => Reduction::Instant(instant::Instant {
                least: profile.min_window,
                avoids_burst: profile.avoids_burst,
            }),
        }
    }

    /// A recovery begins.
    pub(crate) fn begin(&mut self, c: &mut Connection, began: CongestionEvent, now: Instant) {
        match began {
            CongestionEvent::Repair => c.begin_repair(),
            CongestionEvent::Repaired => {
                c.on_congestion_event(now, 0);
                c.recovered(now);
            }
            CongestionEvent::Reduction { added, timed } => {
                self.reduce(c, |c| c.on_congestion_event(now, added));
                if timed {
                    c.restart_timer(now);
                }
            }
            CongestionEvent::SlowStart { added } => {
                c.on_congestion_event(now, added);
                c.restart_timer(now);
                c.window_mut().cwnd = 1.0;
            }
        }
    }

    /// A mark has come back: the window comes down, and nothing is to be repaired.
    pub(crate) fn begin_for_mark(&mut self, c: &mut Connection, now: Instant) {
        self.reduce(c, |c| c.answer_mark(now));
    }

    /// All that left over a long time was lost.
    pub(crate) fn on_persistent_congestion(&mut self, c: &mut Connection, now: Instant) {
        c.on_persistent_congestion(now);
        if let Reduction::Instant(instant) = self {
            instant.bound(c.window_mut());
        }
    }

    /// `ask` has the controller set the window that is to be. One that comes down by and by does not
    /// before the first step.
    fn reduce(&mut self, c: &mut Connection, ask: impl FnOnce(&mut Connection)) {
        let prior = c.window().cwnd;
        ask(c);
        match self {
            Reduction::Instant(instant) => instant.bound(c.window_mut()),
            Reduction::Prr(prr) => {
                let target = c.window().cwnd_segments();
                if !c.controller().recovery_is_self_managed() {
                    c.window_mut().cwnd = prior;
                }
                **prr = Prr::new(whole(prior), target, c.window());
            }
        }
    }

    /// Whether the window comes down by and by.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        matches!(self, Reduction::Prr(prr) if prr.is_active())
    }

    /// Takes a step, where the window comes down by and by.
    pub(crate) fn step(&mut self, c: &mut Connection, step: Step) {
        if let Reduction::Prr(prr) = self {
            prr.step(c, step);
        }
    }

    /// A partial acknowledgement takes so many segments from the window.
    pub(crate) fn deflate(&mut self, c: &mut Connection, segments: u64) {
        if let Some(window) = window(c) {
            instant::deflate(window, segments);
        }
    }

    /// The recovery is over, or what a mark has begun.
    pub(crate) fn end(&mut self, c: &mut Connection) {
        let outstanding = c.outstanding();
        match self {
            Reduction::Instant(instant) => instant.end(window(c), outstanding),
            Reduction::Prr(prr) => prr.end(window(c)),
        }
    }

    /// The timer has expired and the controller has set the window, or nothing was lost.
    pub(crate) fn stop(&mut self) {
        if let Reduction::Prr(prr) = self {
            prr.stop();
        }
    }

    /// A segment leaves.
    pub(crate) fn on_sent(&mut self) {
        if let Reduction::Prr(prr) = self {
            prr.on_sent();
        }
    }
}

/// The window, where the controller does not own it.
fn window(c: &mut Connection) -> Option<&mut Window> {
    (!c.controller_owns_cwnd()).then_some(c.window_mut())
}
