//! From the events of a stack to the signals of a controller.
//!
//! The order is RFC 9002's (A.7): an acknowledgement ends a recovery, losses that it shows begin
//! another, and only then may the window grow. Stacks report losses after acknowledgements, so an
//! acknowledgement waits until something else happens, or the window is read.

use crate::pace::{Batch, Pace};
use crate::sent_packets::{News, SentPackets};
use flowstart_control::session::limited::CwndLimited;
use flowstart_control::session::{MINIMUM_WINDOW, Session, UndoRule};
use flowstart_control::signals::{Ack, Established, PathInfo, Sent};
use flowstart_control::{Controller, Duration, Exit, InitialWindow, Instant, Segments, Window};
use flowstart_transport::stack::Stack;
use flowstart_transport::{RtoParams, RttEstimator, RttSample};
use std::fmt;
use std::sync::Arc;

/// Bytes that a full datagram has besides its data: a short header (flags, a connection ID of 8, a
/// packet number of 2), an authentication tag and a STREAM frame, as in the simulator's `quic`.
const OVERHEAD: u32 = 11 + 16 + 6;
/// By no more than one in so many bytes does that err.
const HEADERS_ERR_BY: u64 = 512;
/// What IPv4 and UDP add.
const UDP_IP: u32 = 20 + 8;
/// A smaller datagram carries no data: an acknowledgement, which is not acknowledged.
pub(crate) const SMALLEST: u32 = 64;
/// What a window is where it limits nothing: beyond what stacks pace by a bucket.
pub(crate) const OPEN: u64 = 1 << 40;
/// And where none may leave: stacks take no window of nothing.
const CLOSED: u64 = 1;

/// Bytes of data in a full datagram of so many bytes of UDP payload.
pub(crate) fn payload_of(mtu: u16) -> u32 {
    u32::from(mtu).saturating_sub(OVERHEAD).max(1)
}

/// What a stack has found lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Packets that it has reported one by one.
    Told,
    /// So many bytes of UDP payload, the newest of which left at this time.
    Oldest {
        /// When the newest left.
        newest: Instant,
        /// Bytes.
        bytes: u64,
    },
}

/// A window, as it was when something happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub at: Instant,
    /// The window.
    pub cwnd: Segments,
    /// The threshold; infinite where there is none.
    pub ssthresh: Segments,
    /// Bytes in flight.
    pub flight: u64,
    /// The round trip smoothed; zero before there is any.
    pub srtt: Duration,
}

impl Sample {
    /// The window now.
    pub fn of(w: &Window, flight: u64, srtt: Duration, now: Instant) -> Sample {
        Sample {
            at: now,
            cwnd: w.cwnd,
            ssthresh: w.ssthresh,
            flight,
            srtt,
        }
    }
}

/// Counts of what a connection did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Datagrams that carry data.
    pub sent: u64,
    /// Packets found lost.
    pub lost: u64,
    /// The largest window.
    pub max_cwnd: Segments,
}

/// The sender's side of one connection over one path.
pub struct Adapter {
    session: Session,
    known: PathInfo,
    rtt: RttEstimator,
    pace: Pace,
    /// What the stack has been let through and has not yet reported as sent.
    batch: Option<Batch>,
    sent: SentPackets,
    /// The transfer has begun.
    begun: bool,
    /// Bytes that the application has handed over, if that is known.
    queued: Option<u64>,
    limited: CwndLimited,
    /// The oldest position of which nothing was known at the last acknowledgement that was reported.
    told_una: u64,
    recovering: bool,
    /// Bytes lost when the recovery began, and sent since.
    repaired: [u64; 2],
    /// Bytes found lost since the acknowledgement before.
    lost: u64,
    /// The newest of the packets reported lost one by one.
    told_lost: Option<u64>,
    /// The controller reads samples of the delivery rate.
    samples: bool,
    /// An acknowledgement that is reported in part.
    waiting: Option<(Instant, News)>,
    /// The time, where the stack sets it before each datagram.
    clock: Option<Instant>,
    /// The pacer, not the window, held back what the stack had to send then.
    held: bool,
    counters: Counters,
    trace: Option<Vec<Sample>>,
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Adapter");
        shown.field("window", &self.session.window);
        shown.field("in_flight", &self.sent.in_flight);
        shown.finish_non_exhaustive()
    }
}

impl Adapter {
    /// One that has sent nothing, in datagrams of `mtu` bytes of UDP payload.
    pub(crate) fn new(controller: Controller, known: PathInfo, mtu: u16) -> Adapter {
        let params: Arc<RtoParams> = Stack::quic().rto;
        let mut window = Window::new(payload_of(mtu));
        window.header = OVERHEAD + UDP_IP;
        window.cwnd = InitialWindow::Rfc9002.segments(window.mss);
        Adapter {
            samples: controller.wants_delivery(),
            session: Session::new(controller, window, UndoRule::Quic),
            known,
            rtt: RttEstimator::new(&params),
            pace: Pace::default(),
            batch: None,
            sent: SentPackets::default(),
            begun: false,
            queued: None,
            limited: CwndLimited::default(),
            told_una: 0,
            recovering: false,
            repaired: [0; 2],
            lost: 0,
            told_lost: None,
            waiting: None,
            clock: None,
            held: false,
            counters: Counters::default(),
            trace: None,
        }
    }

    /// From now on what the window does is kept.
    pub fn record(&mut self) {
        self.trace.get_or_insert_default();
    }

    /// The handshake is over and the application hands over so many bytes; `None` where it is unknown
    /// how many: then a startup is notified of an initial window's worth, so that none sends ahead what
    /// may not be there. Later calls add to them.
    pub fn begin(&mut self, bytes: Option<u64>, now: Instant) {
        self.settle();
        if self.begun {
            self.queued = self.queued.zip(bytes).map(|(before, more)| before + more);
            return;
        }
        self.sent = SentPackets::default();
        self.establish(bytes, now);
    }

    fn establish(&mut self, bytes: Option<u64>, now: Instant) {
        self.begun = true;
        self.told_una = self.sent.una();
        self.queued = bytes;
        let rtt = self.rtt.latest();
        self.known.exact_rtt = rtt;
        let established = Established {
            initial_window: InitialWindow::Rfc9002.segments(self.session.window.mss),
            rtt,
            queued: bytes.unwrap_or_else(|| self.session.window.cwnd_bytes()),
            header: self.session.window.header,
            ..Established::at(now)
        };
        self.session.on_established(&self.known, &established);
        self.note(now);
    }

    /// A datagram has left.
    pub fn on_sent(&mut self, number: Option<u64>, datagram: u32, now: Instant) {
        self.leave(number, datagram, 0, now);
    }

    /// A datagram has left, which is smaller than those before: with it goes the last of what the
    /// application has handed over, if no more is left than headers can have been smaller than they
    /// are taken to be.
    pub fn on_sent_small(&mut self, number: Option<u64>, datagram: u32, now: Instant) {
        let left = self.left();
        let last = left <= self.mss() + self.sent.nxt / HEADERS_ERR_BY;
        let least = u32::try_from(left).unwrap_or(0);
        self.leave(number, datagram, if last { least } else { 0 }, now);
    }

    fn leave(&mut self, number: Option<u64>, datagram: u32, least: u32, now: Instant) {
        self.settle();
        self.batch = None;
        if datagram < SMALLEST {
            return;
        }
        let bytes = datagram.saturating_sub(OVERHEAD).max(least).max(1);
        if !self.begun {
            // Of a handshake: its round trip is measured.
            self.sent.send(number, datagram, bytes, now);
            // Somebody sends without a word, as much as the initial window lets through.
            if !self.has_room() && self.rtt.latest().is_some() {
                self.establish(None, now);
            }
            return;
        }
        let seq = self.sent.nxt;
        self.sent.send(number, datagram, bytes, now);
        self.counters.sent += 1;
        self.repaired[1] += u64::from(bytes);
        if let Some(rate) = self.session.window.pacing {
            let quantum = self.session.window.quantum;
            self.pace.on_sent(rate, quantum, datagram + UDP_IP, now);
        }
        let sent = Sent {
            now,
            bytes,
            seq,
            retransmission: false,
            flight: self.outstanding(),
        };
        self.session.on_sent(&sent);
    }

    /// The stack's acknowledgement under way covers a packet of `datagram` bytes that left at `sent`.
    pub fn on_packet_acked(
        &mut self,
        number: Option<u64>,
        sent: Instant,
        datagram: u32,
        now: Instant,
    ) {
        if self.waiting.as_ref().is_none_or(|(at, _)| *at != now) {
            self.settle();
            self.note_limit();
            self.waiting = Some((now, News::default()));
        }
        if !self.begun {
            self.rtt.sample(&RttSample::of_handshake(sent), now);
        }
        if let Some((_, news)) = &mut self.waiting {
            self.sent.acknowledge(number, sent, datagram, news);
        }
    }

    /// The stack's smoothed round trip, of all acknowledgements before the one under way: a stack is
    /// notified for how long each was held back.
    pub fn on_rtt(&mut self, srtt: Duration, now: Instant) {
        self.settle_before(now);
        if self.waiting.is_none() {
            self.rtt.correct(srtt);
        }
    }

    /// One packet is lost; [`on_congestion`](Self::on_congestion) follows.
    pub fn on_packet_lost(&mut self, number: u64, datagram: u32) {
        let Some((start, bytes)) = self.sent.lose(number, datagram) else {
            return;
        };
        self.note_lost(bytes);
        self.told_lost = self.told_lost.max(Some(start));
    }

    /// What was lost shows congestion, over a `persistent` time or not.
    pub fn on_congestion(&mut self, lost: Lost, persistent: bool, now: Instant) {
        self.settle_before(now);
        let outstanding = self.outstanding();
        let newest = match lost {
            Lost::Told => self.told_lost.take(),
            Lost::Oldest { newest, bytes } => {
                let found = self.sent.lose_oldest(newest, bytes);
                self.note_lost(found.map_or(0, |found| found.1));
                found.map(|found| found.0)
            }
        };
        if !self.begun {
            return;
        }
        let ended = self.end_recovery(now);
        if newest.is_some_and(|start| start >= self.sent.epoch) {
            self.session.save(outstanding);
            self.session.on_loss(now, outstanding, u64::MAX);
            self.begin_recovery();
            self.conclude_held(now);
        } else if ended {
            self.settle();
        }
        if persistent {
            let flight = self.sent.in_flight;
            self.session.on_timeout(now, flight, u64::MAX, true);
            self.bound();
            self.session.forget();
            self.recovering = false;
            self.sent.epoch = 0;
        }
        self.note(now);
    }

    /// A mark has come back for a packet that left at `sent`.
    pub fn on_mark(&mut self, sent: Instant, now: Instant) {
        self.settle_before(now);
        if !self.begun || !self.sent.is_news(sent) {
            return;
        }
        self.end_recovery(now);
        let flight = self.outstanding();
        self.session.on_marked(now, flight, u64::MAX);
        self.session.forget();
        self.begin_recovery();
        self.conclude_held(now);
        self.note(now);
    }

    /// All that counted as lost has arrived after all.
    pub fn on_spurious(&mut self) {
        self.settle();
        if self.session.can_undo() {
            self.recovering = false;
            self.sent.epoch = 0;
            self.session.undo(self.outstanding(), 0.0);
        }
    }

    /// Datagrams have so many bytes of UDP payload from now on.
    pub fn on_mtu(&mut self, mtu: u16) {
        self.settle();
        let bytes = self.session.window.cwnd * f64::from(self.session.window.mss);
        self.session.window.mss = payload_of(mtu);
        self.session.window.cwnd = match self.begun {
            true => bytes / f64::from(self.session.window.mss),
            false => InitialWindow::Rfc9002.segments(self.session.window.mss),
        };
    }

    /// The application has left room in the window.
    pub fn on_app_limited(&mut self) {
        if self.queued.is_none() {
            self.sent.application_limits();
        }
    }

    /// It is so late: from now on [`gate`](Self::gate) holds back what the pacer does.
    pub fn set_clock(&mut self, now: Instant) {
        self.clock = Some(now);
        self.held = false;
    }

    /// A timer wakes the stack so much too late, at most, for a datagram that the pacer held back. Those
    /// behind it leave as if it had been on time.
    pub fn tolerate(&mut self, lateness: Duration) {
        self.pace.tolerance = lateness;
    }

    /// The stack has sent what it could at the time that was set.
    pub fn on_sent_all(&mut self) {
        if !self.held {
            self.pace.nothing_to_send();
        }
    }

    /// Whether the stack sets the time.
    pub fn is_clocked(&self) -> bool {
        self.clock.is_some()
    }

    /// What the stack takes for the window, in addition to what it has in flight itself: so much that a
    /// datagram may leave, or so little that none may. The window itself where it is full: it may be
    /// full of what is never acknowledged; the stack has the exact count.
    pub fn gate(&mut self) -> u64 {
        if !self.has_room() {
            return self.window_bytes();
        }
        self.held = self.clock.is_some_and(|now| !self.is_due(now));
        if !self.held {
            return OPEN;
        }
        self.pace.hold();
        CLOSED
    }

    /// Is [`gate`](Self::gate) for a stack that assembles several datagrams before it reports them, and reads
    /// the window so many times for each.
    pub fn gate_batch(&mut self, reads: u32) -> u64 {
        let Some(mut batch) = self.batch else {
            let window = self.gate();
            self.batch = (window == OPEN).then(|| self.first_of_batch());
            return window;
        };
        batch.reads += 1;
        if batch.reads % reads == 0 && !self.admits_behind(&mut batch) {
            self.batch = None;
            return CLOSED;
        }
        self.batch = Some(batch);
        OPEN
    }

    fn first_of_batch(&self) -> Batch {
        let mut batch = Batch {
            reads: 0,
            bytes: 0,
            pace: self.pace,
        };
        self.add(&mut batch);
        batch
    }

    /// Whether one more datagram has room and may leave behind these.
    fn admits_behind(&self, batch: &mut Batch) -> bool {
        let (window, in_flight) = (&self.session.window, self.sent.in_flight + batch.bytes);
        let due = |now| batch.pace.admits(window, now);
        let admits = window.has_room(in_flight) && self.clock.is_none_or(due);
        if admits {
            self.add(batch);
        }
        admits
    }

    fn add(&self, batch: &mut Batch) {
        let window = &self.session.window;
        batch.bytes += u64::from(window.mss);
        if let Some((rate, now)) = window.pacing.zip(self.clock) {
            batch.pace.on_sent(rate, window.quantum, window.wire(), now);
        }
    }

    /// The window in bytes of UDP payload, for a stack that has in flight what is in flight here.
    pub fn window_bytes(&mut self) -> u64 {
        self.settle();
        let mtu = f64::from(self.session.window.mss + OVERHEAD);
        (self.session.window.cwnd * mtu) as u64
    }

    /// The threshold in bytes of UDP payload; `None` where there is none.
    pub fn ssthresh_bytes(&mut self) -> Option<u64> {
        self.settle();
        let mtu = f64::from(self.session.window.mss + OVERHEAD);
        let ssthresh = self.session.window.ssthresh;
        ssthresh.is_finite().then_some((ssthresh * mtu) as u64)
    }

    /// Whether a full datagram has room in the window.
    pub fn has_room(&mut self) -> bool {
        self.settle();
        self.session.window.has_room(self.sent.in_flight)
    }

    /// Whether the pacer lets a datagram leave now; if not, [`paced_until`](Self::paced_until) is
    /// when.
    pub fn is_due(&mut self, now: Instant) -> bool {
        self.settle();
        self.pace.admits(&self.session.window, now)
    }

    /// When a datagram may leave that the pacer has held back.
    pub fn paced_until(&self) -> Option<Instant> {
        self.pace.deadline().filter(|_| self.held)
    }

    /// When the next datagram may leave; `None` where it may by `now`.
    pub fn departure(&mut self, now: Instant) -> Option<Instant> {
        match self.is_due(now) {
            true => None,
            false => self.pace.deadline(),
        }
    }

    /// The rate at which datagrams are to leave, bytes a second of UDP payload.
    pub fn pacing(&mut self) -> Option<u64> {
        self.settle();
        let share =
            f64::from(self.session.window.wire() - UDP_IP) / f64::from(self.session.window.wire());
        Some((self.session.window.pacing?.bps() as f64 / 8.0 * share) as u64)
    }

    /// The window.
    pub fn window(&mut self) -> &Window {
        self.settle();
        &self.session.window
    }

    /// How the startup ended; `None` while it lasts.
    pub fn exit(&mut self) -> Option<&Exit> {
        self.settle();
        self.session.controller.exit()
    }

    /// What it did.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// What the window did since [`record`](Self::record).
    pub fn trace(&self) -> &[Sample] {
        self.trace.as_deref().unwrap_or_default()
    }

    /// Bytes in flight.
    pub fn in_flight(&mut self) -> u64 {
        self.settle();
        self.sent.in_flight
    }

    /// Whether the transfer has begun.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    fn mss(&self) -> u64 {
        u64::from(self.session.window.mss)
    }

    /// FlightSize: what was sent since the oldest packet of which nothing is known.
    fn outstanding(&self) -> u64 {
        self.sent.nxt - self.sent.una()
    }

    /// Bytes that the application has handed over and that wait to be sent.
    fn left(&self) -> u64 {
        let sent = self.sent.nxt - self.sent.sampler.lost;
        self.queued
            .map_or(u64::MAX, |queued| queued.saturating_sub(sent))
    }

    /// Whether the window is what stops sending (RFC 7661 §1).
    fn note_limit(&mut self) {
        if !self.session.window.has_room(self.sent.in_flight) {
            self.limited.note(self.sent.nxt);
        } else if self.queued.is_some() && self.left() == 0 {
            self.sent.application_limits();
        }
    }

    /// An acknowledgement of an earlier time is reported.
    fn settle_before(&mut self, now: Instant) {
        if self.waiting.as_ref().is_some_and(|(at, _)| *at != now) {
            self.settle();
        }
    }

    /// Reports the acknowledgement that waits: it is complete.
    fn settle(&mut self) {
        let Some((now, _)) = &self.waiting else {
            return;
        };
        let now = *now;
        if !self.begun {
            self.waiting = None;
            return self.sent.forget();
        }
        self.end_recovery(now);
        let Some((_, news)) = self.waiting.take() else {
            return;
        };
        self.tell(&news, news.in_epoch > 0, now);
    }

    /// The same where it lets no window grow: a recovery has begun with it.
    fn conclude_held(&mut self, now: Instant) {
        match self.waiting.take() {
            Some((_, news)) => self.tell(&news, false, now),
            None => self.sent.forget(),
        }
    }

    /// What was sent since the recovery began is acknowledged, so it is over.
    fn end_recovery(&mut self, now: Instant) -> bool {
        let has_news = |(_, news): &(Instant, News)| news.in_epoch > 0;
        let ends = self.recovering && self.waiting.as_ref().is_some_and(has_news);
        if ends {
            self.recovering = false;
            let [lost, sent] = self.repaired;
            let (again, flight) = (lost.min(sent), self.outstanding());
            self.session.on_recovered(now, again, flight);
        }
        ends
    }

    fn note_lost(&mut self, bytes: u64) {
        self.lost += bytes;
        self.repaired[0] += bytes;
        self.counters.lost += bytes.div_ceil(self.mss());
    }

    fn begin_recovery(&mut self) {
        self.sent.epoch = self.sent.nxt;
        self.recovering = true;
        self.repaired = [self.lost, 0];
        self.bound();
    }

    fn bound(&mut self) {
        if !self.session.controller.owns_cwnd() {
            self.session.window.cwnd = self.session.window.cwnd.max(MINIMUM_WINDOW);
        }
    }

    fn tell(&mut self, news: &News, grows: bool, now: Instant) {
        self.sent.forget();
        if let Some(sent) = news.newest {
            self.rtt.sample(&RttSample::of_handshake(sent), now);
        }
        if news.delivered == 0 {
            return;
        }
        let ack = self.signal(news, grows, now);
        match grows || self.session.controller.owns_cwnd() {
            true => self.session.on_ack(&ack),
            false => self.session.on_recovery_ack(&ack),
        }
        self.note(now);
    }

    fn signal(&mut self, news: &News, grows: bool, now: Instant) -> Ack {
        let lost = std::mem::take(&mut self.lost);
        let least = self.rtt.min_rtt();
        let una = self.sent.una();
        let before = std::mem::replace(&mut self.told_una, una);
        Ack {
            now,
            acked: una.saturating_sub(before),
            delivered: news.delivered,
            credit: if grows { news.in_epoch } else { 0 },
            delivered_total: self.sent.sampler.delivered,
            rtt: news.newest.map(|sent| now.since(sent)),
            srtt: self.rtt.srtt(),
            una,
            nxt: self.sent.nxt,
            flight: self.sent.in_flight,
            cwnd_limited: self.limited.covers(una),
            queued: self.left(),
            peer_window: u64::MAX,
            marked: 0,
            delivery: self
                .samples
                .then(|| self.sent.conclude(news, lost, least, now)),
        }
    }

    fn note(&mut self, now: Instant) {
        self.counters.max_cwnd = self.counters.max_cwnd.max(self.session.window.cwnd);
        let (flight, srtt) = (self.sent.in_flight, self.rtt.srtt());
        if let Some(trace) = &mut self.trace {
            trace.push(Sample::of(&self.session.window, flight, srtt, now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Startup;

    const MTU: u16 = 1472;

    fn adapter(startup: &str) -> Adapter {
        let startup = Startup::parse(startup, "cubic").unwrap();
        startup.adapter(MTU)
    }

    fn at_ms(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A round trip of 100 ms, and a transfer that begins at once.
    fn begun(startup: &str) -> Adapter {
        let mut adapter = adapter(startup);
        adapter.on_sent(None, 1200, at_ms(0));
        adapter.on_packet_acked(None, at_ms(0), 1200, at_ms(100));
        adapter.begin(Some(1_000_000), at_ms(100));
        adapter
    }

    #[test]
    fn a_connection_that_nobody_begins_begins_where_the_initial_window_is_full() {
        let mut adapter = adapter("slow-start");
        adapter.on_sent(None, 1200, at_ms(0));
        adapter.on_packet_acked(None, at_ms(0), 1200, at_ms(100));
        for sent in 0..10 {
            assert!(!adapter.has_begun(), "after {sent} datagrams");
            assert!(adapter.has_room());
            adapter.on_sent(None, MTU.into(), at_ms(100));
        }
        assert!(adapter.has_begun() && !adapter.has_room());
        adapter.on_packet_acked(None, at_ms(100), MTU.into(), at_ms(200));
        assert_eq!(adapter.window().cwnd, 11.0);
    }

    #[test]
    fn a_paced_window_shuts_until_a_datagram_is_due_and_opens_then() {
        let mut adapter = begun("paced-initial-window");
        adapter.set_clock(at_ms(100));
        assert_eq!(adapter.gate(), OPEN);
        adapter.on_sent(None, MTU.into(), at_ms(100));
        adapter.set_clock(at_ms(100));
        assert_eq!(adapter.gate(), CLOSED);
        let due = adapter.paced_until().unwrap();
        assert!(due > at_ms(105) && due < at_ms(115), "{due}");
        adapter.set_clock(due);
        assert_eq!(adapter.gate(), OPEN);
    }

    #[test]
    fn a_window_that_is_full_is_told_as_it_is() {
        let mut adapter = begun("slow-start");
        adapter.set_clock(at_ms(100));
        (0..10).for_each(|_| adapter.on_sent(None, MTU.into(), at_ms(100)));
        assert_eq!(adapter.gate(), 10 * u64::from(MTU));
        assert_eq!(adapter.paced_until(), None);
    }

    #[test]
    fn what_a_timer_is_late_by_is_made_up_for_as_far_as_it_is_tolerated() {
        let third_after = |tolerance, late| {
            let mut adapter = begun("paced-initial-window");
            adapter.tolerate(tolerance);
            adapter.set_clock(at_ms(100));
            adapter.on_sent(None, MTU.into(), at_ms(100));
            assert_eq!(adapter.gate(), CLOSED);
            let due = adapter.paced_until().unwrap();
            adapter.set_clock(due + late);
            assert_eq!(adapter.gate(), OPEN);
            adapter.on_sent(None, MTU.into(), due + late);
            let gap = due.since(at_ms(100));
            (adapter.pace.due().since(at_ms(100)).nanos() as f64 / gap.nanos() as f64 * 10.0)
                .round()
        };
        let late = ms(2);
        assert_eq!(third_after(Duration::ZERO, Duration::ZERO), 20.0);
        assert_eq!(third_after(Duration::ZERO, late), 22.0);
        assert_eq!(third_after(ms(4), late), 20.0);
        assert_eq!(third_after(ms(1), late), 21.0);
    }
}
