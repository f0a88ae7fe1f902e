//! RACK-TLP (RFC 8985) with Proportional Rate Reduction (RFC 9937) and F-RTO (RFC 5682): how
//! current Linux finds and repairs loss, and answers congestion marks (RFC 3168).
//!
//! A segment is lost when one that left later has arrived, and a little longer has passed
//! than reordering would explain. The names of states and the order in which an acknowledgement
//! is worked through are those of Linux's `tcp_ack`: what arrived, what is lost, the state, the
//! window, the timers.
//!
//! What was sent once was sent in the order of positions, so one position, the `examined` edge,
//! separates what has been decided from what has not; what was sent again the ledger keeps in the
//! order of its sending. So nothing is looked at twice, whatever the window.

mod duplicates;
mod probe;
mod reordering;
#[cfg(test)]
mod tests;
mod usage;

use super::super::connection::Connection;
use super::super::info::{CaState, Info};
use super::super::offload::{Offload, Verdict};
use super::super::rtt::SLACK;
use super::super::segment::{ByteRange, SegmentRange, Why};
use super::super::sent::{Arrivals, Departures, Hint, NewlyAcked, Sending};
use super::super::stack::Undo;
use super::super::timer::Timer;
use super::super::undo::{Frto, UndoState, Verdict as Timeout};
use super::detector::LossDetector;
use super::outcome::{AckOutcome, AckRole, CongestionEvent, Events, Step};
use duplicates::Duplicates;
use flowstart_control::signals::Ack as Signal;
use flowstart_control::{Duration, Instant};
use flowstart_wire::{AckOption, ByteAck};
use probe::Probe;
use reordering::Reordering;
use std::cmp::Ordering;
use usage::Usage;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Linux's Open and Disorder.
    #[default]
    Open,
    /// Linux's CWR: the window slides down for a mark, nothing is to be repaired. Until what was
    /// sent after `high_seq`, which notifies the peer, is acknowledged.
    Cwr,
    /// Fast recovery, until `high_seq` is acknowledged.
    Recovery,
    /// After a timeout, until then.
    Loss,
}

/// The Linux sender's loss recovery.
#[derive(Default)]
pub(crate) struct Rack {
    state: State,
    high_seq: u64,
    /// The sending that left last of those that have arrived (`rack.mstamp`, `rack.end_seq`).
    newest: Option<Sending>,
    /// The round trip of the one that arrived last (`rack.rtt_us`).
    rtt: Duration,
    /// First sendings below this are examined.
    examined: u64,
    /// And were before the last timeout.
    examined_before: u64,
    hint: Hint,
    reordering: Reordering,
    /// When what may be lost is to be looked at again.
    timer: Timer,
    probe: Probe,
    /// A probe that is to be sent whatever the window.
    forced: Option<ByteRange>,
    frto: Frto,
    /// What may turn out to have been for nothing.
    episode: UndoState,
    /// New data leaves before anything is repaired, until the next acknowledgement.
    new_data_first: bool,
    usage: Usage,
    /// Where new data leaves in bursts.
    offload: Offload,
    /// Without SACK.
    duplicates: Duplicates,
    /// Another acknowledgement has overtaken the one that comes.
    overtaken: bool,
    /// An acknowledgement was of something that left before the head last did.
    answers_before_head: bool,
}

/// What an acknowledgement reports besides arrivals.
#[derive(Clone, Copy, Debug)]
struct News {
    /// It moved SND.UNA, from here.
    advanced: Option<u64>,
    /// When what it echoes the timestamp of had left.
    echo: Option<Instant>,
}

impl LossDetector for Rack {
    /// The handshake is over.
    fn on_handshake(&mut self, c: &mut Connection, _lost: bool) -> Option<Events> {
        self.duplicates.on_handshake(c);
        None
    }

    /// An acknowledgement has come that reports this for the first time.
    fn on_ack(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        ack: &ByteAck,
        signal: &mut Signal,
    ) -> Option<AckOutcome> {
        let now = signal.now;
        self.new_data_first = false;
        // A pacer may have held a probe back until it is not needed.
        let una = c.una();
        self.forced = self.forced.filter(|plan| plan.end > una);
        let duplicates = match ack.option() {
            AckOption::None => 0,
            option => self.record_duplicates(c, ack.una(), option, now),
        };
        let advanced = newly.acked > 0;
        let overtaken = std::mem::take(&mut self.overtaken);
        let counted;
        let newly = if c.stack().recovery.sack {
            newly
        } else {
            counted = self.count_duplicates(c, newly);
            &counted
        };
        let repaired = self.probe.on_ack(una, newly.delivered > 0);
        if newly.delivered == 0 && !advanced && duplicates == 0 {
            return None;
        }
        self.examined = self.examined.max(una);
        // An answer that is too soon for the last retransmission is one to an earlier.
        let least = c.rtt().min_rtt().unwrap_or(Duration::ZERO);
        let echo = newly
            .oldest
            .filter(|_| c.stack().recovery.timestamps)
            .and_then(|(first, again)| match ack.answers_repetition() {
                true => again.filter(|sent| now.since(*sent) >= least),
                false => Some(first),
            });
        let departures = departures_timed(c, newly, echo);
        let rtt = c.take_sample(departures.filter(|_| !overtaken), now);
        let sacked_once = newly.times.sacked_once;
        let sacked_once = sacked_once.filter(|_| !overtaken && !advanced);
        let left = c.sent().oldest_left();
        self.answers_before_head = sacked_once.is_some_and(|sent| sent.oldest < left);
        if c.stack().recovery.sack {
            self.record_arrivals(c, &newly.times, now);
        }
        let news = News {
            advanced: advanced.then_some(una - newly.acked),
            echo,
        };
        let lost = c.sent().lost_bytes();
        let mut events = self.update_state(c, newly, &news, now);
        let lost = c.sent().lost_bytes() > lost;
        if overtaken {
            // It moves no window (`old_ack` in `tcp_ack`).
            return Some(AckOutcome::events(events));
        }
        if repaired && self.state == State::Open {
            events.began = Some(CongestionEvent::Repaired);
        }
        // What was sent for nothing counts as delivered as well.
        signal.delivered = newly.delivered + duplicates;
        // `tcp_cong_control`: the window grows by what is newly delivered. What was SACKed before,
        // the end of a recovery covers once more.
        signal.credit = signal.delivered;
        // `pkts_acked` comes before a reduction is undone.
        signal.rtt = rtt.filter(|_| !events.undone);
        signal.flight = self.pipe(c);
        signal.cwnd_limited = self.usage.limits(c.window());
        events.step = Some(Step {
            delivered: signal.delivered,
            safe: advanced && !lost,
            in_flight: signal.flight,
        });
        Some(AckOutcome {
            role: Some(self.role(advanced, newly.sacked > 0)),
            events: Some(events),
        })
    }

    /// The acknowledgement that comes has been overtaken by another.
    fn on_overtaken_ack(&mut self, c: &Connection) -> bool {
        self.overtaken = true;
        c.stack().recovery.sack
    }

    /// Whether nothing is to be found out or repaired: with an ACK of new data then neither a loss
    /// nor a needless retransmission can be found, and no state is left.
    ///
    /// What arrives next left no earlier than the newest arrival, so that RACK's clock continues.
    #[inline(always)]
    fn is_steady(&self, c: &Connection) -> bool {
        let newest = self.newest.map_or(Instant::ZERO, |newest| newest.sent);
        self.state == State::Open
            && self.probe.out.is_none()
            && self.forced.is_none()
            && !(self.new_data_first | self.overtaken)
            && !self.episode.was_answered()
            && c.stack().recovery.sack
            && newest <= c.sent().oldest_first_sent()
    }

    /// An ACK of new data in the steady state.
    #[inline]
    fn on_plain_ack(&mut self, c: &mut Connection, sent: Instant, signal: &mut Signal) {
        let una = c.una();
        self.examined = self.examined.max(una);
        self.reordering.adapt(sent, signal.now);
        self.newest = Some(Sending::first(sent, una));
        self.rtt = signal.now.since(sent);
        self.timer.stop();
        self.episode.forget_retransmissions();
        signal.cwnd_limited = self.usage.limits(c.window());
    }

    /// A mark has come back (`tcp_enter_cwr`). Whether the window is to come down for it.
    fn on_mark(
        &mut self,
        c: &mut Connection,
        role: &mut Option<AckRole>,
        _signal: &mut Signal,
    ) -> bool {
        if self.state != State::Open || !c.mark_is_news() {
            return false;
        }
        self.state = State::Cwr;
        self.high_seq = c.high();
        *role = role.map(|_| AckRole::Recovery);
        true
    }

    /// The outcome of an acknowledgement has been applied.
    fn after_ack(&mut self, c: &mut Connection, advanced: bool, now: Instant) {
        self.probe.end_flight();
        if advanced || std::mem::take(&mut self.answers_before_head) {
            c.rearm(now);
            self.schedule_probe(c, now, true);
        } else if !self.repairs_nothing() {
            self.probe.stop();
        }
    }

    /// Whether the window has come down for what is out already, so that a timeout lowers no
    /// threshold (`tcp_enter_loss`).
    fn has_reduced(&self, c: &Connection) -> bool {
        matches!(self.state, State::Recovery | State::Cwr) && c.una() < self.high_seq
    }

    /// The timer expired, `again` where nothing has been acknowledged since it did so before.
    fn on_timeout(&mut self, c: &mut Connection, again: bool) {
        let may_be_spurious = c.stack().recovery.frto && c.stack().recovery.undo != Undo::None;
        self.frto
            .begin(may_be_spurious && (again || self.repairs_nothing()));
        if !again && !self.has_reduced(c) {
            self.arm_undo(c);
        }
        if self.repairs_nothing() {
            self.reordering.timed_out(c.sent().arrived_bytes(), c.mss());
        }
        self.state = State::Loss;
        self.high_seq = c.high();
        self.examined_before = self.examined;
        self.timer.stop();
        self.forced = None;
        self.probe = Probe::default();
        self.duplicates.clear();
        c.sent_mut().mark_all_lost();
        self.examined = c.high();
    }

    /// Lost segments first, then new ones, as far as the window goes.
    #[inline(always)]
    fn plan(&self, c: &Connection) -> Option<SegmentRange> {
        if let Some(probe) = self.forced {
            return Some(probe.because(Why::Probe));
        }
        let lost = c.sent().first_lost().filter(|_| !self.new_data_first);
        let next = match lost {
            Some((start, end)) => {
                let end = end.min(c.sent().packet_at(start).end);
                ByteRange { start, end }.because(Why::Lost)
            }
            None => c.next_segment()?.because(Why::New),
        };
        c.within_window(next, self.pipe(c))
    }

    /// Accounts for a segment that leaves.
    #[inline]
    fn on_sent(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) {
        self.forced = None;
        if segment.range.start < c.high() {
            self.on_sent_again(c, segment, now);
        }
    }

    /// Whether `segment` leaves now, where new data waits until there is enough of it for a burst
    /// (`tcp_write_xmit`). Probes do not, nor does what is sent again.
    #[inline(always)]
    fn may_leave(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) -> bool {
        c.set_push(false);
        if segment.why != Why::New {
            return true;
        }
        let (pipe, repairs) = (self.pipe(c), !self.repairs_nothing());
        match self.offload.examine(c, pipe, repairs, now) {
            Verdict::Leaves { pushes } => {
                c.set_push(pushes);
                true
            }
            // The window is used although there is room in it.
            Verdict::WaitsForWindow => {
                self.usage.set(c, true);
                false
            }
            Verdict::WaitsForPeer => false,
        }
    }

    /// A segment has left, the accounts are up to date.
    fn after_sent(&mut self, c: &mut Connection, _range: ByteRange, now: Instant) {
        self.usage.after_sent(c, self.pipe(c));
        if self.repairs_nothing() && !self.probe.is_set_for(now) {
            self.schedule_probe(c, now, false);
        }
    }

    /// When to call [`on_timer`](Self::on_timer).
    fn deadline(&self) -> Option<Instant> {
        match (self.timer.due(), self.probe.timer.due()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// A deadline of this may have passed.
    fn on_timer(&mut self, c: &mut Connection, now: Instant) -> Option<Events> {
        let mut events = None;
        if self.timer.fires(now, c.stack().rto.jiffy) {
            events = Some(self.on_reordering_timer(c, now));
        }
        if self.probe.timer.fires(now, c.stack().rto.jiffy) {
            self.send_probe(c, now);
        }
        events
    }

    fn is_cwnd_limited(&self, c: &Connection) -> bool {
        self.usage.limits(c.window())
    }

    fn info(&self, c: &Connection) -> Option<Info> {
        let segments = |bytes: u64| bytes.div_ceil(c.mss());
        let (retrans, of_lost) = c.sent().retransmissions();
        let sacked = segments(c.sent().arrived_bytes() + self.duplicates.bytes());
        Some(Info {
            ca_state: match self.state {
                State::Open if sacked == 0 => CaState::Open,
                State::Open => CaState::Disorder,
                State::Cwr => CaState::Cwr,
                State::Recovery => CaState::Recovery,
                State::Loss => CaState::Loss,
            },
            unacked: segments(c.outstanding()),
            sacked,
            lost: segments(c.sent().lost_bytes()) + of_lost as u64,
            retrans: retrans as u64,
            reordering: self.reordering.degree(),
            reordering_seen: self.reordering.events(),
        })
    }

    /// Bytes in flight: what is neither SACKed nor lost, and what was sent again.
    fn pipe(&self, c: &Connection) -> u64 {
        c.sent().in_flight().saturating_sub(self.duplicates.bytes())
    }
}

impl Rack {
    /// The same acknowledgement with what it delivered as far as duplicates show.
    #[inline(never)]
    fn count_duplicates(&mut self, c: &Connection, newly: &NewlyAcked) -> NewlyAcked {
        let over = self.repairs_nothing() || self.is_over(c);
        let segments = self.duplicates.on_ack(c, newly, over, &mut self.reordering);
        let mut newly = *newly;
        // The last segment may be short.
        let most = if newly.acked > 0 {
            newly.acked
        } else {
            c.mss()
        };
        newly.delivered = (segments * c.mss()).min(most);
        if newly.sent.is_none() {
            // Some of it was sent twice, so it does not show that the first transmissions arrived.
            newly.times.once_from = None;
        }
        newly
    }

    /// Without SACK the oldest segment is taken for lost: after three duplicates, and in a
    /// recovery whenever an acknowledgement does not end it (`tcp_newreno_mark_lost`).
    #[inline(never)]
    fn infer_loss(&mut self, c: &mut Connection, advanced: bool) {
        let missing = match self.state {
            State::Recovery => advanced && !self.is_over(c),
            State::Loss => false,
            State::Open | State::Cwr => {
                self.duplicates.bytes() >= self.reordering.degree() * c.mss()
            }
        };
        let una = c.una();
        if missing && !c.sent().is_repeated(una) {
            let end = c.sent().packet_at(una).end;
            c.sent_mut().mark_lost(una, end);
        }
    }

    /// Whether a recovery, or what a timeout began, is over. Without SACK it lasts until something
    /// beyond is acknowledged: the answers to what was sent needlessly are duplicates
    /// (RFC 6582 §3.2 step 2).
    fn is_over(&self, c: &Connection) -> bool {
        c.una() > self.high_seq || c.stack().recovery.sack && c.una() == self.high_seq
    }

    /// The parts that are notified of an acknowledgement: while the window comes down, nothing
    /// grows it (`tcp_may_raise_cwnd`).
    fn role(&self, advanced: bool, sacked: bool) -> AckRole {
        match self.state {
            State::Recovery | State::Cwr => AckRole::Recovery,
            _ if advanced || sacked && self.reordering.is_high() => AckRole::Growth,
            _ => AckRole::OwnerGrowth,
        }
    }

    /// Data has come twice (`tcp_dsack_seen`, `tcp_check_dsack`). Returns how many bytes of it were
    /// sent twice.
    #[cold]
    fn record_duplicates(
        &mut self,
        c: &mut Connection,
        una: u64,
        option: AckOption,
        now: Instant,
    ) -> u64 {
        let AckOption::Duplicate { start, len } = option else {
            return 0;
        };
        let end = una.saturating_add_signed(i64::from(start)) + u64::from(len);
        let segments = u64::from(len).div_ceil(c.mss());
        if !c.record_duplicates(segments) {
            return 0;
        }
        if !self.probe.is_duplicated(end) {
            self.reordering.record_duplicate();
        }
        self.episode.duplicated(segments, end);
        if let Some(delivery) = c.sent_mut().delivery() {
            delivery.take_repeated(len.into(), now);
        }
        u64::from(len)
    }

    /// RFC 8985 §6.2 steps 1 to 3.
    fn record_arrivals(&mut self, c: &Connection, arrivals: &Arrivals, now: Instant) {
        if let Some(low) = arrivals.reordered {
            self.reordering.note(c, low);
        }
        let Some(arrival) = arrivals.newest else {
            return;
        };
        self.reordering.adapt(arrival.sent, now);
        // `tcp_rack_advance`: every segment sets the round trip, only a newer one the sending.
        self.newest = self.newest.max(Some(arrival));
        if let Some(last) = arrivals.last {
            self.rtt = now.since(last.sent);
        }
    }

    /// RFC 8985 §6.2 steps 4 and 5: takes for lost what left before the newest arrival did and
    /// long enough ago. Whether anything was.
    fn detect_losses(&mut self, c: &mut Connection, now: Instant) -> bool {
        let Some(newest) = self.newest else {
            return false;
        };
        let loss_delay = self.rtt + self.reordering.window(c, !self.repairs_nothing());
        let before = c.sent().lost_bytes();
        let first = self.detect_among_first_sendings(c, newest, loss_delay, now);
        let again = detect_among_retransmissions(c, newest, loss_delay, now);
        let last = match (first, again) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        match last {
            Some(due) => {
                let slack = c.stack().rto.jiffy.map_or(Duration::ZERO, |_| SLACK);
                self.timer.set(due + slack, now);
            }
            None => self.timer.stop(),
        }
        c.sent().lost_bytes() > before
    }

    /// Returns when the next is to be looked at.
    fn detect_among_first_sendings(
        &mut self,
        c: &mut Connection,
        newest: Sending,
        loss_delay: Duration,
        now: Instant,
    ) -> Option<Instant> {
        while let Some((sent, end)) = c.sent().first_sent(self.examined, &mut self.hint) {
            let limit = match sent.cmp(&newest.sent) {
                Ordering::Less => end,
                Ordering::Equal => end.min(newest.end),
                Ordering::Greater => return None,
            };
            if limit <= self.examined {
                return None;
            }
            if sent + loss_delay > now {
                let last = last_sent_below_arrivals(c).unwrap_or(sent);
                return Some(last.min(newest.sent).max(sent) + loss_delay);
            }
            c.sent_mut().mark_lost(self.examined, limit);
            self.examined = limit;
        }
        None
    }

    /// Whether nothing is being repaired.
    fn repairs_nothing(&self) -> bool {
        matches!(self.state, State::Open | State::Cwr)
    }

    /// Leaves and enters states, in the order of `tcp_fastretrans_alert`.
    fn update_state(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        news: &News,
        now: Instant,
    ) -> Events {
        let mut events = Events::default();
        match self.state {
            State::Recovery if self.is_over(c) => self.end_recovery(c, news, &mut events),
            State::Cwr if c.una() > self.high_seq => {
                events.ended = true;
                self.state = State::Open;
            }
            _ => {}
        }
        if self.state == State::Recovery && self.undo_recovery(c, news, &mut events) {
            return events;
        }
        match self.state {
            State::Loss => self.update_loss_state(c, newly, news, &mut events),
            State::Open if self.episode.was_answered() => {
                self.reordering.was_needless();
                self.undo(c, false, &mut events);
            }
            _ => {}
        }
        if self.state == State::Open && !c.sent().is_repeated(c.una()) {
            self.episode.forget_retransmissions();
        }
        let out = c.sent().repairs_out();
        match c.stack().recovery.sack {
            true => _ = self.detect_losses(c, now),
            false => self.infer_loss(c, news.advanced.is_some()),
        }
        // A retransmission that is lost ends what a timeout began.
        let repairs = match self.state {
            State::Recovery => true,
            State::Loss => c.sent().repairs_out() >= out,
            State::Open | State::Cwr => false,
        };
        // `tcp_time_to_recover`: what has been sent again beyond the end of a recovery begins the
        // next one, in the acknowledgement that ends the first.
        if !repairs && c.sent().has_losses() {
            events.began = Some(self.enter_recovery(c));
        }
        events
    }

    /// Everything that was out at its beginning has arrived (`tcp_try_undo_recovery`).
    fn end_recovery(&mut self, c: &mut Connection, news: &News, events: &mut Events) {
        self.state = State::Open;
        if self.episode.may_undo(news.echo) {
            self.undo(c, false, events);
        } else {
            self.reordering.recovered();
            events.ended = true;
        }
    }

    /// Whether the recovery was for nothing (`tcp_try_undo_partial`, `tcp_try_undo_dsack`). True
    /// where this acknowledgement is to begin nothing else.
    fn undo_recovery(&mut self, c: &mut Connection, news: &News, events: &mut Events) -> bool {
        if let Some(before) = news.advanced.filter(|_| self.episode.is_delayed(news.echo)) {
            // The hole was filled by what was late, not by what was sent again.
            self.reordering.note(c, before);
            if c.sent().repairs_out() > 0 {
                self.new_data_first = true;
                return true;
            }
            self.state = State::Open;
            self.undo(c, true, events);
        } else if self.episode.was_answered() {
            self.reordering.was_needless();
            self.state = State::Open;
            self.undo(c, false, events);
        }
        false
    }

    /// What was taken from the window comes back; with `unmark`, what counts as lost is on its way
    /// after all (`tcp_undo_cwnd_reduction`).
    fn undo(&mut self, c: &mut Connection, unmark: bool, events: &mut Events) {
        events.undone = true;
        self.episode.end();
        if unmark {
            c.sent_mut().unmark_all_lost();
        }
    }

    /// What a mark has begun to take from the window stays all that is taken: `tcp_enter_recovery`
    /// begins no reduction where one is in progress. A scalable controller's answer to a mark may
    /// be next to nothing, and it hears of the loss too.
    fn enter_recovery(&mut self, c: &Connection) -> CongestionEvent {
        let began = match self.state {
            State::Cwr if !c.is_scalable() => CongestionEvent::Repair,
            _ => {
                self.high_seq = c.high();
                CongestionEvent::Reduction {
                    added: 0,
                    timed: false,
                }
            }
        };
        self.arm_undo(c);
        self.state = State::Recovery;
        self.probe = Probe::default();
        began
    }

    /// What begins now may turn out to have been for nothing.
    fn arm_undo(&mut self, c: &Connection) {
        if c.stack().recovery.undo == Undo::None {
            return;
        }
        let probes = u64::from(self.probe.out.is_some() && self.probe.repeats);
        self.episode.begin(c.una(), c.sent().repairs_out() + probes);
    }

    /// What a timeout began continues, ends, or was for nothing (`tcp_process_loss`).
    fn update_loss_state(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        news: &News,
        events: &mut Events,
    ) {
        let recovered = self.is_over(c);
        let late = news.advanced.is_some() && self.episode.may_undo(news.echo);
        let verdict = match late {
            true => Timeout::Spurious,
            false => self.frto.examine(c, newly, &mut self.high_seq),
        };
        match verdict {
            Timeout::Spurious => {
                self.undo(c, true, events);
                self.examined = self.examined_before.max(c.una());
            }
            Timeout::NewDataFirst => self.new_data_first = true,
            Timeout::Open if recovered => self.reordering.recovered(),
            Timeout::Open => return,
        }
        if verdict != Timeout::NewDataFirst {
            self.state = State::Open;
            self.frto.end();
        }
    }

    #[inline(always)]
    fn schedule_probe(&mut self, c: &Connection, now: Instant, advancing: bool) {
        let probes = c.stack().recovery.sack && c.stack().recovery.tail_loss_probe;
        if probes && self.repairs_nothing() && c.sent().arrived_bytes() == 0 {
            self.probe.schedule(c, now, advancing);
        } else {
            self.probe.stop();
        }
    }

    /// What may have been reordered has had its time (RFC 8985 §6.3).
    fn on_reordering_timer(&mut self, c: &mut Connection, now: Instant) -> Events {
        self.timer.stop();
        let began = self.detect_losses(c, now) && self.state != State::Recovery;
        Events {
            began: began.then(|| self.enter_recovery(c)),
            // `tcp_rack_reo_timeout` takes a step of one segment.
            step: began.then(|| Step {
                delivered: c.mss(),
                safe: false,
                in_flight: self.pipe(c),
            }),
            ..Events::default()
        }
    }

    /// New data if there is any, else the last segment once more (§7.3).
    fn send_probe(&mut self, c: &mut Connection, now: Instant) {
        let last = c.sent().packet_at(c.high() - 1);
        let plan = c.next_segment().unwrap_or(last);
        self.probe = Probe::sent(plan, c.high());
        self.forced = Some(plan);
        c.restart_timer(now);
    }

    #[inline(never)]
    fn on_sent_again(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) {
        let range = segment.range;
        c.sent_mut().repair(range, now);
        if segment.why == Why::Probe {
            return;
        }
        self.episode.retransmitted(now);
        // `tcp_xmit_retransmit_queue` begins the timer anew with the head.
        if range.start == c.una() {
            c.restart_timer(now);
        }
    }
}

/// When the segments left that the round trip is measured with (`tcp_clean_rtx_queue`,
/// `tcp_ack_update_rtt`): those acknowledged cumulatively if none of them was sent twice, else
/// those SACKed, else what the timestamp echoes. The newest is rather of those SACKed.
fn departures_timed(
    c: &Connection,
    newly: &NewlyAcked,
    echo: Option<Instant>,
) -> Option<Departures> {
    let sacked = newly.times.sacked_once;
    let acked = match c.stack().recovery.sack {
        true => newly.times.acked_once.filter(|_| newly.sent.is_some()),
        false => newly.sent,
    };
    match (acked.or(sacked), sacked.or(acked)) {
        (Some(first), Some(last)) => Some(Departures {
            oldest: first.oldest,
            newest: last.newest,
        }),
        _ => echo.map(Departures::at),
    }
}

/// When the highest data left that something has arrived above and that has not itself.
fn last_sent_below_arrivals(c: &Connection) -> Option<Instant> {
    let (top, _) = c.sent().arrived()?.nth_from_top(0)?;
    let last = top.checked_sub(1).filter(|last| *last >= c.una())?;
    let (sent, _) = c.sent().first_sent(last, &mut Hint::default())?;
    Some(sent)
}

/// Detects lost retransmissions, in the order of their sending.
fn detect_among_retransmissions(
    c: &mut Connection,
    newest: Sending,
    loss_delay: Duration,
    now: Instant,
) -> Option<Instant> {
    while let Some(again) = c.sent().oldest_retransmission() {
        if again.end > c.una() {
            if !again.left_before(&newest) {
                return None;
            }
            if again.sent + loss_delay > now {
                return Some(again.sent + loss_delay);
            }
        }
        c.sent_mut().mark_oldest_retransmission_lost();
    }
    None
}
