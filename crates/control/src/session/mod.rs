//! One host for a startup and a congestion control, whatever transport they drive.
//!
//! A transport reports what happens. The session makes signals of that, hands them to the
//! [`Controller`] with the window, and takes back a reduction that was for nothing.

pub mod delivery;
pub mod limited;

use crate::signals::{Ack, Established, Loss, Marked, PathInfo, Recovered, Sent, Timeout};
use crate::{Controller, Instant, Segments, Window};

/// kMinimumWindow (RFC 9002 §7.2).
pub const MINIMUM_WINDOW: Segments = 2.0;

/// How much of the window and the threshold is restored where a reduction was for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoRule {
    /// Both, the threshold at three quarters of the window at least (`tcp_current_ssthresh`).
    Linux,
    /// The threshold at no less than what was out, and a window that sends no burst (RFC 4015 §3).
    Eifel,
    /// Both, where the window has not grown beyond (quinn, neqo).
    Quic,
}

/// A controller, and the window that it sets.
pub struct Session {
    /// The startup and the congestion control.
    pub controller: Controller,
    /// The window. The transport obeys it, and leads it to the controller's value.
    pub window: Window,
    undo_rule: UndoRule,
    /// Window and threshold before the last reduction, where that can be undone.
    saved: Option<(Segments, Segments)>,
    /// When the latest segment left.
    last_sent: Instant,
}

impl Session {
    /// A session before the handshake.
    pub fn new(controller: Controller, window: Window, undo_rule: UndoRule) -> Session {
        Session {
            controller,
            window,
            undo_rule,
            saved: None,
            last_sent: Instant::ZERO,
        }
    }

    /// `min(cwnd, peer's window)` in segments: what ns-2 calls `windowd()`.
    pub fn usable(&self, peer_window: u64) -> Segments {
        let peer = self.window.segments(peer_window);
        self.window.cwnd.min(peer)
    }

    /// Opens the window when the handshake is complete.
    pub fn on_established(&mut self, known: &PathInfo, e: &Established) {
        self.controller.on_known(known);
        self.controller.on_established(&mut self.window, e);
    }

    /// Reports a segment that has left.
    #[inline]
    pub fn on_sent(&mut self, s: &Sent) {
        if s.flight == u64::from(s.bytes) && !s.retransmission {
            self.controller.on_transmit_start(s.now, self.last_sent);
        }
        self.last_sent = s.now;
        self.controller.on_sent(&mut self.window, s);
    }

    /// Lets the window grow.
    #[inline]
    pub fn on_ack(&mut self, a: &Ack) {
        self.controller.on_ack(&mut self.window, a);
    }

    /// Reports an acknowledgement during a recovery.
    pub fn on_recovery_ack(&mut self, a: &Ack) {
        self.controller.on_recovery_ack(&mut self.window, a);
    }

    /// Reduces the window for a loss, with a flight of so many bytes.
    ///
    /// Right after a recovery what is outstanding may be twice the window. RFC 5681's eq. 4 is "no
    /// more than", and a loss raises no window.
    pub fn on_loss(&mut self, now: Instant, flight: u64, peer_window: u64) {
        let loss = Loss {
            now,
            flight: flight.min(self.window.cwnd_bytes()),
            usable: self.usable(peer_window),
        };
        self.controller.on_loss(&mut self.window, &loss);
    }

    /// Reports a mark, with a flight of so many bytes.
    pub fn on_marked(&mut self, now: Instant, flight: u64, peer_window: u64) {
        let marked = Marked {
            now,
            flight: flight.min(self.window.cwnd_bytes()),
            usable: self.usable(peer_window),
        };
        self.controller.on_marked(&mut self.window, &marked);
    }

    /// Ends a recovery in which so many bytes were sent again, with a flight of so many.
    pub fn on_recovered(&mut self, now: Instant, retransmitted: u64, flight: u64) {
        let recovered = Recovered {
            now,
            retransmitted,
            flight,
        };
        self.controller.on_recovered(&mut self.window, &recovered);
    }

    /// Reduces the window to what a timeout leaves; `repeated` where the threshold has come down
    /// already.
    pub fn on_timeout(&mut self, now: Instant, flight: u64, peer_window: u64, repeated: bool) {
        let timeout = Timeout {
            now,
            flight,
            usable: self.usable(peer_window),
            repeated,
        };
        self.controller.on_timeout(&mut self.window, &timeout);
    }

    /// Saves the window before a reduction, with so many bytes outstanding.
    pub fn save(&mut self, outstanding: u64) {
        let w = &self.window;
        let least = match self.undo_rule {
            UndoRule::Linux => 0.75 * w.cwnd,
            UndoRule::Eifel => w.segments(outstanding),
            UndoRule::Quic => 0.0,
        };
        self.saved = Some((w.cwnd, w.ssthresh.max(least)));
    }

    /// Forgets the saved window: nothing takes the reduction back.
    pub fn forget(&mut self) {
        self.saved = None;
    }

    /// Whether the last reduction can be taken back.
    pub fn can_undo(&self) -> bool {
        self.saved.is_some()
    }

    /// Restores the window after a spurious reduction. Returns whether there was anything to restore.
    /// RFC 4015 lets `burst` leave at once.
    pub fn undo(&mut self, outstanding: u64, burst: Segments) -> bool {
        let Some((cwnd, ssthresh)) = self.saved.take() else {
            return false;
        };
        let w = &mut self.window;
        let cwnd = match self.undo_rule {
            UndoRule::Quic if w.cwnd >= cwnd => return false,
            UndoRule::Linux | UndoRule::Quic => cwnd,
            UndoRule::Eifel => cwnd.min(w.segments(outstanding) + burst),
        };
        w.cwnd = w.cwnd.max(cwnd);
        w.ssthresh = w.ssthresh.max(ssthresh);
        self.controller.on_spurious(w);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Convention, Duration, catalog};

    const MSS: u64 = 1000;

    fn session(cc: &str, convention: Convention, undo_rule: UndoRule) -> Session {
        let controller = catalog::controller("slow-start", cc, convention).unwrap();
        let mut window = Window::new(MSS as u32);
        (window.cwnd, window.ssthresh) = (40.0, 30.0);
        Session::new(controller, window, undo_rule)
    }

    /// The window after a loss and its undo, with 40 segments out and then so many.
    fn undone(undo_rule: UndoRule, grown: f64, out: u64) -> (f64, f64) {
        let mut session = session("reno", Convention::RFC, undo_rule);
        session.save(40 * MSS);
        session.on_loss(Instant::ZERO, 40 * MSS, u64::MAX);
        assert_eq!((session.window.cwnd, session.window.ssthresh), (20.0, 20.0));
        session.window.cwnd += grown;
        let undone = session.undo(out * MSS, 10.0);
        assert!(!session.can_undo() && undone == (session.window.ssthresh > 20.0));
        (session.window.cwnd, session.window.ssthresh)
    }

    /// What a window of 40 grows by in 20 ACKs after 10 s, where so much was in flight when the first
    /// segment left after them.
    fn growth_after_a_pause(flight: u64) -> f64 {
        let mut session = session("cubic", Convention::LINUX, UndoRule::Linux);
        let sent = |now: Instant, flight: u64| Sent {
            now,
            bytes: MSS as u32,
            seq: 0,
            retransmission: false,
            flight,
        };
        let (begin, resumed) = (Instant::from_secs(1), Instant::from_secs(11));
        session.on_sent(&sent(begin, 20 * MSS));
        session.on_ack(&Ack::of(begin, MSS));
        session.on_sent(&sent(resumed, flight));
        (0..20).for_each(|_| session.on_ack(&Ack::of(resumed, MSS)));
        session.window.cwnd - 40.0
    }

    /// `CA_EVENT_TX_START`: 10 s later W(t) is 0.4 * 10^3 segments larger, and `cnt` 2.
    #[test]
    fn time_without_a_packet_in_flight_is_none_of_the_cubic_epoch() {
        assert_eq!(growth_after_a_pause(2 * MSS), 10.0);
        assert_eq!(growth_after_a_pause(MSS), 1.0);
    }

    #[test]
    fn linux_restores_the_window_and_a_threshold_of_three_quarters_of_it() {
        assert_eq!(undone(UndoRule::Linux, 0.0, 5), (40.0, 30.0));
        assert_eq!(undone(UndoRule::Linux, 30.0, 5), (50.0, 30.0));
    }

    #[test]
    fn eifel_restores_what_was_out_as_the_threshold_and_a_window_that_sends_no_burst() {
        assert_eq!(undone(UndoRule::Eifel, 0.0, 5), (20.0, 40.0));
        assert_eq!(undone(UndoRule::Eifel, 0.0, 15), (25.0, 40.0));
        assert_eq!(undone(UndoRule::Eifel, 0.0, 35), (40.0, 40.0));
    }

    #[test]
    fn a_quic_stack_restores_no_window_that_has_grown_beyond() {
        assert_eq!(undone(UndoRule::Quic, 0.0, 5), (40.0, 30.0));
        assert_eq!(undone(UndoRule::Quic, 20.0, 5), (40.0, 20.0));
    }

    #[test]
    fn what_is_forgotten_is_not_restored() {
        let mut session = session("reno", Convention::RFC, UndoRule::Linux);
        session.save(40 * MSS);
        session.on_loss(Instant::ZERO, 40 * MSS, u64::MAX);
        session.forget();
        assert!(!session.undo(40 * MSS, 10.0));
        assert_eq!(session.window.cwnd, 20.0);
    }

    /// The window after 50 round trips of 40 ms, with a spurious loss after 20 or without.
    fn after_50_rounds(cc: &str, convention: Convention, spurious: bool) -> f64 {
        let mut session = session(cc, convention, UndoRule::Linux);
        let mut una = 0;
        for round in 0..50 {
            let now = Instant::from_millis(40 * (round + 1));
            let flight = session.window.cwnd_bytes();
            if spurious && round == 20 {
                session.save(flight);
                session.on_loss(now, flight, u64::MAX);
                session.on_recovery_ack(&Ack::of(now, 0));
                assert!(session.undo(flight, 10.0));
            }
            for _ in 0..flight / MSS {
                una += MSS;
                let ack = Ack {
                    una,
                    rtt: Some(Duration::from_millis(40)),
                    srtt: Duration::from_millis(40),
                    flight,
                    nxt: una + flight,
                    ..Ack::of(now, MSS)
                };
                session.on_ack(&ack);
            }
        }
        session.window.cwnd
    }

    /// Linux's CUBIC and BIC keep the window of the loss that was none (`bictcp_recalc_ssthresh`).
    #[test]
    fn a_window_grows_after_an_undone_loss_as_if_there_had_been_none() {
        for convention in [
            Convention::NS2,
            Convention::RFC,
            Convention::LINUX,
            Convention::QUIC,
        ] {
            for cc in catalog::AVOIDANCES.iter().map(|entry| entry.name) {
                let grown = |spurious| after_50_rounds(cc, convention, spurious);
                let keeps = convention == Convention::LINUX && ["cubic", "bic"].contains(&cc);
                assert_eq!(grown(true) != grown(false), keeps, "{cc}, {convention:?}");
            }
        }
    }
}
