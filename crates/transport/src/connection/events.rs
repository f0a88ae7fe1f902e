//! What happens to a connection, as its controller learns of it.

use super::super::ecn::EcnSender;
use super::super::loss::outcome::AckReport;
use super::{AckMeta, Connection};
use flowstart_control::signals::{Ack, Established, Feedback, Idle, PathInfo, PeerGap, Syn};
use flowstart_control::{Duration, Instant, Rate};
use flowstart_wire::AckOption;

impl Connection {
    /// The peer has counted so many marked packets in total. Whether there are new ones.
    #[cold]
    pub fn count_marks(&mut self, total: u64) -> bool {
        self.ecn_mut().is_some_and(|ecn| ecn.count(total))
    }

    /// Marked packets of which the controller is to be notified.
    fn untold_marks(&mut self) -> u32 {
        self.ecn_mut().map_or(0, EcnSender::take_untold)
    }

    /// Notifies the controller that the connection is open, and of what is known of its path.
    pub fn on_established(&mut self, known: &PathInfo, established: &Established) {
        self.session.on_established(known, established);
    }

    /// Notifies the controller that sending resumes after an idle time.
    pub fn on_idle(&mut self, idle: &Idle) {
        let session = &mut self.session;
        session.controller.on_idle(&mut session.window, idle);
    }

    /// Requests a rate of the routers, where the startup does.
    pub fn rate_request(&mut self, syn: &Syn) -> Option<Rate> {
        self.session.controller.rate_request(syn)
    }

    /// Notifies the controller that all that left over a long time was lost. The loss itself has
    /// lowered the threshold.
    pub fn on_persistent_congestion(&mut self, now: Instant) {
        let (flight, peer_window) = (self.sent.in_flight(), self.peer_window);
        self.session.on_timeout(now, flight, peer_window, true);
    }

    /// The window is saved for the case that its reduction turns out to be spurious.
    pub fn save_window(&mut self) {
        self.session.save(self.sent.outstanding());
    }

    /// No reduction can be undone any more.
    pub fn forget_window(&mut self) {
        self.session.forget();
    }

    /// The last reduction was spurious.
    pub fn undo(&mut self) {
        let burst = self.stack.initial_window();
        if self.session.undo(self.outstanding(), burst) {
            self.repairing_until = self.una();
            if let Some(ecn) = self.ecn_mut() {
                ecn.withdraw();
            }
        }
    }

    /// The signal of an acknowledgement for the controller.
    #[inline(always)]
    pub fn ack_signal(&mut self, report: &AckReport, now: Instant) -> Ack {
        self.delivered_total += report.delivered;
        if let Some(throughput) = &mut self.throughput {
            throughput.on_ack(now, self.sent.una(), self.sent.high(), self.delivered_total);
        }
        let marked = self.untold_marks();
        let repairing = self.una() < self.repairing_until;
        let mut ack = Ack {
            now,
            acked: report.acked,
            delivered: report.delivered,
            credit: report.credit,
            delivered_total: self.delivered_total,
            rtt: report.rtt,
            srtt: self.rtt.srtt(),
            una: self.una(),
            nxt: self.high(),
            flight: report.flight,
            cwnd_limited: report.cwnd_limited.unwrap_or_else(|| {
                self.stack.window.grow_when_app_limited || self.limited.covers(self.una())
            }),
            queued: self.queued - self.nxt.min(self.queued),
            peer_window: self.peer_window(),
            marked,
            delivery: None,
        };
        if let Some(rate) = self.sent.delivery() {
            let least = self.rtt.min_rtt();
            ack.delivery = Some(rate.conclude(report.flight, repairing, least));
            let may_stop = !self.keeps_sampling && rate.samples();
            if may_stop && !self.session.controller.reads_samples() {
                rate.stop_sampling();
            }
        }
        ack
    }

    /// The window may grow.
    pub fn grow(&mut self, ack: &Ack, meta: AckMeta) {
        if meta.option != AckOption::None {
            self.on_option(meta.option, ack);
        }
        if meta.ece && self.on_ece(ack) {
            return;
        }
        self.grow_plainly(ack);
    }

    /// The window may grow, and the acknowledgement reports nothing else.
    #[inline]
    pub fn grow_plainly(&mut self, ack: &Ack) {
        self.session.on_ack(ack);
        self.record_cwnd();
    }

    /// An echo lets no window grow, and brings it down once per window of data (RFC 3168
    /// §6.1.2). Nothing is missing, so the answer is over at once.
    ///
    /// Below the threshold an echo that has been answered for does not stop growth, as Linux
    /// has had it: only new data notifies the peer, and where a timeout finds all data sent
    /// already, the echo lasts to the end.
    #[cold]
    fn on_ece(&mut self, ack: &Ack) -> bool {
        let news = self.mark_is_news();
        if !news && self.session.window.in_slow_start() {
            return false;
        }
        if news {
            self.answer_mark(ack.now);
            self.session.on_recovered(ack.now, 0, self.outstanding());
        }
        self.session.on_recovery_ack(ack);
        self.record_cwnd();
        true
    }

    /// Whether an echo that has come now is of a window not yet answered for.
    pub fn mark_is_news(&self) -> bool {
        self.ecn().is_some_and(|ecn| ecn.is_news(self.una()))
    }

    /// Notifies the controller of a mark.
    pub fn answer_mark(&mut self, now: Instant) {
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

    fn on_option(&mut self, option: AckOption, ack: &Ack) {
        match option {
            AckOption::Gap(gap) => self.take_gap(gap, ack),
            AckOption::Feedback(_) if self.una() < self.repairing_until => {}
            AckOption::Feedback(change) => self.take_feedback(change, option, ack),
            AckOption::None | AckOption::Duplicate { .. } | AckOption::Marks(_) => {}
        }
    }

    fn take_gap(&mut self, gap: Duration, ack: &Ack) {
        // The receiver answers the pair as it was first sent: no mark is sent again.
        let gap = PeerGap {
            now: ack.now,
            gap,
            rtt: Some(ack.now.since(self.sent.newest_first_sent())),
            nxt: ack.nxt,
            peer_window: ack.peer_window,
        };
        self.session
            .controller
            .on_peer_gap(&mut self.session.window, &gap);
    }

    fn take_feedback(&mut self, change: f64, option: AckOption, ack: &Ack) {
        let feedback = Feedback {
            now: ack.now,
            change: Some(change).filter(|change| change.is_finite()),
            rtt: ack.rtt,
            wire: self.stack.packet() + option.wire(self.stack.framing.option),
            cwnd_limited: ack.cwnd_limited,
        };
        self.session
            .controller
            .on_feedback(&mut self.session.window, &feedback);
    }

    /// Notifies the controller of an acknowledgement during recovery.
    pub fn recovery_ack(&mut self, ack: &Ack) {
        self.session.on_recovery_ack(ack);
        if self.controller_owns_cwnd() {
            self.record_cwnd();
        }
    }

    /// Recovery begins without a response of the controller, which has responded in this window.
    pub fn begin_repair(&mut self) {
        self.counters.fast_retransmits += 1;
        self.retransmitted_in_recovery = 0;
    }

    /// Whether the window has come down for a mark in what is out, so that a loss in it lowers nothing.
    pub fn has_answered_mark(&self) -> bool {
        // Packet numbers show better than stream positions what belongs to one window.
        let by_number = self.stack.numbers_packets();
        !by_number && self.ecn().is_some_and(|ecn| ecn.has_answered(self.una()))
    }

    /// Notifies the controller that recovery begins, with `added` bytes of the flight due
    /// to limited transmit. A window that a mark has brought down is not brought down again for
    /// what was lost of it (RFC 3168 §6.1.2).
    pub fn on_congestion_event(&mut self, now: Instant, added: u64) {
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
    pub fn recovered(&mut self, now: Instant) {
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
    pub fn time_out(&mut self, now: Instant, pipe: u64, reduced: bool) -> bool {
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
