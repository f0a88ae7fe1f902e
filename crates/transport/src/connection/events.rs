//! What happens to a connection, as its controller learns of it.

use super::Connection;
use flowstart_control::signals::{Established, Idle, PathInfo, Syn};
use flowstart_control::{Instant, Rate};

impl Connection {
    /// The peer has counted so many marked packets in total. Whether there are new ones.
    #[cold]
    pub(crate) fn count_marks(&mut self, total: u64) -> bool {
        self.ecn_mut().is_some_and(|ecn| ecn.count(total))
    }

    /// Notifies the controller that the connection is open, and of what is known of its path.
    pub(crate) fn on_established(&mut self, known: &PathInfo, established: &Established) {
        self.session.on_established(known, established);
    }

    /// Notifies the controller that sending resumes after an idle time.
    pub(crate) fn on_idle(&mut self, idle: &Idle) {
        let session = &mut self.session;
        session.controller.on_idle(&mut session.window, idle);
    }

    /// Requests a rate of the routers, where the startup does.
    pub(crate) fn rate_request(&mut self, syn: &Syn) -> Option<Rate> {
        self.session.controller.rate_request(syn)
    }

    /// Notifies the controller that all that left over a long time was lost. The loss itself has
    /// lowered the threshold.
    pub(crate) fn on_persistent_congestion(&mut self, now: Instant) {
        let (flight, peer_window) = (self.sent.in_flight(), self.peer_window());
        self.session.on_timeout(now, flight, peer_window, true);
    }

    /// The window is saved for the case that its reduction turns out to be spurious.
    pub(crate) fn save_window(&mut self) {
        self.session.save(self.sent.outstanding());
    }

    /// No reduction can be undone any more.
    pub(crate) fn forget_window(&mut self) {
        self.session.forget();
    }

    /// The last reduction was spurious.
    pub(crate) fn undo(&mut self) {
        let burst = self.stack.initial_window();
        if self.session.undo(self.outstanding(), burst) {
            self.repairing_until = self.una();
            if let Some(ecn) = self.ecn_mut() {
                ecn.withdraw();
            }
        }
    }

    /// Whether an echo that has come now is of a window not yet answered for.
    pub(crate) fn mark_is_news(&self) -> bool {
        self.ecn().is_some_and(|ecn| ecn.is_news(self.una()))
    }

    /// Notifies the controller of a mark.
    pub(crate) fn answer_mark(&mut self, now: Instant) {
        let flight = self.outstanding();
        let window = self.peer_window();
        self.session.on_marked(now, flight, window);
        self.record_reduction();
    }

    /// RFC 3168 §6.1.2: the peer is notified whenever the window has come down, whatever for.
    fn record_reduction(&mut self) {
        let high = self.high();
        if let Some(ecn) = self.ecn_mut() {
            ecn.reduced(high);
        }
    }

    /// Recovery begins without a response of the controller, which has responded in this window.
    pub(crate) fn begin_repair(&mut self) {
        self.counters.fast_retransmits += 1;
        self.retransmitted_in_recovery = 0;
    }

    /// Whether the window has come down for a mark in what is out, so that a loss in it lowers nothing.
    pub(crate) fn has_answered_mark(&self) -> bool {
        // Packet numbers show better than stream positions what belongs to one window.
        let by_number = self.stack.numbers_packets();
        !by_number && self.ecn().is_some_and(|ecn| ecn.has_answered(self.una()))
    }

    /// Notifies the controller that recovery begins, with `added` bytes of the flight due
    /// to limited transmit. A window that a mark has brought down is not brought down again for
    /// what was lost of it (RFC 3168 §6.1.2).
    pub(crate) fn on_congestion_event(&mut self, now: Instant, added: u64) {
        self.begin_repair();
        if self.has_answered_mark() {
            return;
        }
        let flight = self.outstanding() - added;
        let window = self.peer_window();
        self.session.on_loss(now, flight, window);
        self.record_reduction();
    }

    /// Notifies the controller that recovery is over.
    pub(crate) fn recovered(&mut self, now: Instant) {
        let (again, flight) = (self.retransmitted_in_recovery, self.outstanding());
        self.session.on_recovered(now, again, flight);
        self.record_cwnd();
    }

    /// Notifies the controller that the timer expired, and backs the timer off. Returns
    /// false where the connection is to be given up.
    ///
    /// `pipe` is what recovery takes to be in the network. RFC 5681's eq. 4, with all that
    /// is outstanding, is an upper bound ("no more than"); what is SACKed has left, and
    /// behind one hole that stays open it can be many windows. The threshold has been lowered for
    /// what is out where the window is `reduced` already.
    pub(crate) fn time_out(&mut self, now: Instant, pipe: u64, reduced: bool) -> bool {
        self.counters.timeouts += 1;
        self.timeouts_in_a_row += 1;
        self.repairing_until = self.high();
        let flight = pipe.min(self.outstanding());
        let repeated = self.timeouts_in_a_row > 1 || reduced;
        let own = self.session.window.timeout.is_some();
        let window = self.peer_window();
        self.session.on_timeout(now, flight, window, repeated);
        self.record_reduction();
        if !own {
            self.rtt.back_off();
        }
        self.restart_timer(now);
        self.stop_timing();
        self.stack
            .max_timeouts
            .is_none_or(|max| self.timeouts_in_a_row < max)
    }
}
