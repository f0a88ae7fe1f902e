//! The part of a sending endpoint that every kind of loss recovery shares: positions in
//! the byte stream, the window and its controller, round-trip timing and the timer.

mod acknowledge;
mod events;
mod framing;
mod timing;

use super::ecn::EcnSender;
use super::flow_control::{Level, OnBlocked};
use super::profile::RecoveryProfile;
use super::rtt::RttEstimator;
use super::segment::{ByteRange, SegmentRange};
use super::sent::SentPackets;
use super::stack::{EcnMode, Sharing, Stack, Utilization};
use super::throughput::Throughput;
use super::timer::Timer;
use crate::narrow::saturated;
use flowstart_control::session::Session;
use flowstart_control::session::limited::{CwndLimited, is_half_used};
use flowstart_control::{Controller, Instant, Segments, Window};
use flowstart_wire::{AckOption, Ecn, RateReport};
use std::sync::Arc;

/// Counts of what a sender did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Data packets sent, retransmissions and packets without data included: zero-window probes, and
    /// the end of a handshake in a separate packet.
    pub packets_sent: u64,
    /// Data packets sent again.
    pub packets_retransmitted: u64,
    /// Expiries of the retransmission timer, or of the probe timeout, with data outstanding.
    pub timeouts: u64,
    /// Times that recovery began.
    pub fast_retransmits: u64,
    /// SYNs sent again.
    pub syn_retransmits: u64,
    /// The largest window, in segments.
    pub max_cwnd: Segments,
}

/// A segment being timed: its end, zero where there is none, and when it left.
#[derive(Clone, Copy, Debug, Default)]
struct Timed {
    end: u64,
    sent: Instant,
}

impl Timed {
    fn covered_by(self, una: u64) -> bool {
        self.end > 0 && una >= self.end
    }
}

/// What only some connections need.
#[derive(Clone, Copy, Debug, Default)]
struct Extensions {
    /// What the next data packet is to report.
    report: Option<RateReport>,
    /// Where the stack speaks ECN.
    ecn: Option<EcnSender>,
    /// The first data packet replaces the SYN.
    headerless_first: bool,
}

impl Extensions {
    /// A data packet is leaving: its ECN bits, and what it is to report.
    fn mark_ecn(&mut self, again: bool) -> (Ecn, Option<RateReport>) {
        let ecn = match &mut self.ecn {
            Some(ecn) => ecn.bits(again),
            None => Ecn::default(),
        };
        (ecn, self.report.take())
    }
}

/// What an acknowledgement carries besides what it acknowledges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckMeta {
    /// Its option.
    pub option: AckOption,
    /// Whether it echoes a congestion mark, or counts new ones.
    pub ece: bool,
}

/// The state of a sending endpoint, without its recovery.
pub(crate) struct Connection {
    /// The endpoint's behaviours.
    stack: Arc<Stack>,
    /// Which flow this is.
    flow: u32,
    /// The window it obeys, and what sets that.
    session: Session,
    /// What is out.
    sent: SentPackets,
    /// The next position to send: behind `high` while going back.
    nxt: u64,
    /// Where `high` was before the last segment left.
    prev_high: u64,
    /// One past the last byte the application has handed over.
    queued: u64,
    /// The peer's window in bytes.
    peer_window: u64,
    /// The position up to which flow control lets data leave; [`u64::MAX`] without.
    limit: u64,
    /// What sets the limit.
    level: Level,
    /// The last limit that the peer was notified of as stopping the sender; [`u64::MAX`] where it is
    /// never notified.
    blocked_at: u64,
    /// Round-trip estimates and the timeout.
    rtt: RttEstimator,
    /// The retransmission timer.
    timer: Timer,
    /// What it did.
    counters: Counters,
    /// The next segment of new data is the last of a burst.
    pushes: bool,
    /// Data echoes the acknowledgement that was received last.
    echoes: bool,
    /// Samples of the delivery rate are taken whether the startup reads them or not.
    keeps_sampling: bool,
    /// Throughput of its data, where it is shared with other connections.
    throughput: Option<Box<Throughput>>,
    /// What only some connections need.
    extensions: Option<Box<Extensions>>,
    /// The one segment being timed, where only one is.
    timed: Timed,
    delivered_total: u64,
    limited: CwndLimited,
    retransmitted_in_recovery: u64,
    last_sent: Instant,
    last_acked: Instant,
    timeouts_in_a_row: u32,
    /// Segments that the peer has reported as having come twice.
    duplicates: u32,
    /// What a timeout took for lost ends here: until it is repaired nothing that comes back
    /// shows how much more there is room for.
    repairing_until: u64,
}

impl Connection {
    /// A connection that has sent nothing.
    pub(crate) fn new(stack: Arc<Stack>, flow: u32, controller: Controller) -> Connection {
        let ecn = match stack.ecn {
            EcnMode::Off => None,
            EcnMode::Classic => Some(EcnSender::new(false)),
            EcnMode::L4s => Some(EcnSender::new(controller.is_scalable())),
        };
        let profile = RecoveryProfile::new(&stack);
        let keeps_sampling = controller.samples_after_startup();
        let mut sent = SentPackets::new(profile.detail, controller.wants_delivery());
        if profile.whole_packets {
            sent = sent.of_packets(stack.framing.mss.into());
        }
        let counted = stack.counted_header();
        sent.count_headers(counted.into());
        let control = stack.flow_control();
        let reports = control.is_some_and(|control| control.on_blocked == OnBlocked::Offer);
        Connection {
            rtt: RttEstimator::new(&stack.rto),
            sent,
            session: Session::new(
                controller,
                Window::new(stack.framing.mss + counted),
                profile.undo,
            ),
            flow,
            nxt: 0,
            prev_high: 0,
            queued: 0,
            peer_window: u64::MAX,
            limit: control.map_or(u64::MAX, |control| control.first()),
            level: Level::Stream,
            blocked_at: if reports { 0 } else { u64::MAX },
            timer: Timer::default(),
            counters: Counters::default(),
            pushes: false,
            echoes: stack.receive_window.buffer.is_some()
                || control.is_some_and(|control| control.largest_estimate.is_some()),
            keeps_sampling,
            throughput: (stack.sharing.kind != Sharing::None).then(Box::default),
            extensions: ecn.map(|ecn| {
                Box::new(Extensions {
                    ecn: Some(ecn),
                    ..Extensions::default()
                })
            }),
            timed: Timed::default(),
            delivered_total: 0,
            limited: CwndLimited::default(),
            retransmitted_in_recovery: 0,
            last_sent: Instant::ZERO,
            last_acked: Instant::ZERO,
            timeouts_in_a_row: 0,
            duplicates: 0,
            repairing_until: 0,
            stack,
        }
    }

    /// The endpoint's behaviours.
    #[inline(always)]
    pub(crate) fn stack(&self) -> &Stack {
        &self.stack
    }

    /// Which flow this is.
    pub(crate) fn flow(&self) -> u32 {
        self.flow
    }

    /// The window it obeys.
    #[inline(always)]
    pub(crate) fn window(&self) -> &Window {
        &self.session.window
    }

    /// The window, for pacing, reductions and the application's idle times.
    #[inline(always)]
    pub(crate) fn window_mut(&mut self) -> &mut Window {
        &mut self.session.window
    }

    /// What sets the window.
    #[inline(always)]
    pub(crate) fn controller(&self) -> &Controller {
        &self.session.controller
    }

    /// What is out.
    #[inline(always)]
    pub(crate) fn sent(&self) -> &SentPackets {
        &self.sent
    }

    /// What is out, for loss detection.
    #[inline(always)]
    pub(crate) fn sent_mut(&mut self) -> &mut SentPackets {
        &mut self.sent
    }

    /// Round-trip estimates and the timeout.
    #[inline(always)]
    pub(crate) fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Round-trip estimates, to be corrected.
    pub(crate) fn rtt_mut(&mut self) -> &mut RttEstimator {
        &mut self.rtt
    }

    /// What it did.
    #[inline(always)]
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// A timer has expired, with data outstanding.
    pub(crate) fn count_timeout(&mut self) {
        self.counters.timeouts += 1;
    }

    /// A SYN is sent again.
    pub(crate) fn count_syn_retransmit(&mut self) {
        self.counters.syn_retransmits += 1;
    }

    /// Throughput of its data, where it is shared with other connections.
    pub(crate) fn throughput(&self) -> Option<&Throughput> {
        self.throughput.as_deref()
    }

    /// The next position to send: behind [`high`](Self::high) while going back.
    #[inline(always)]
    pub(crate) fn nxt(&self) -> u64 {
        self.nxt
    }

    /// What follows this position is sent again.
    pub(crate) fn go_back_to(&mut self, position: u64) {
        self.nxt = position;
    }

    /// One past the last byte that the application has handed over.
    #[inline(always)]
    pub(crate) fn queued(&self) -> u64 {
        self.queued
    }

    /// The application hands over so many bytes more.
    pub(crate) fn queue(&mut self, bytes: u64) {
        self.queued = self.queued.saturating_add(bytes);
    }

    /// The peer's window in bytes: that of TCP, or what QUIC's flow control leaves.
    #[inline(always)]
    pub(crate) fn peer_window(&self) -> u64 {
        match self.takes_limits() {
            true => self.limit.saturating_sub(self.una()),
            false => self.peer_window,
        }
    }

    /// Whether the peer has flow control of QUIC, whose limits stand in the place of windows.
    #[inline(always)]
    fn takes_limits(&self) -> bool {
        self.limit != u64::MAX && self.stack.numbers_packets()
    }

    /// One past the last byte that the application has handed over and flow control lets leave.
    #[inline(always)]
    pub(crate) fn sendable(&self) -> u64 {
        self.queued.min(self.limit)
    }

    /// The level of flow control that stops the sender, which has data beyond its limit.
    pub(crate) fn blocked_by(&self) -> Option<Level> {
        (self.nxt >= self.limit && self.nxt < self.queued).then_some(self.level)
    }

    /// Whether the peer is to be notified that its limit stops the sender: once for each limit.
    #[inline(always)]
    pub(crate) fn owes_blocked(&self) -> bool {
        self.nxt >= self.limit && self.nxt < self.queued && self.blocked_at < self.limit
    }

    /// Where [`high`](Self::high) was before the last segment left.
    pub(crate) fn prev_high(&self) -> u64 {
        self.prev_high
    }

    /// The next segment of new data is the last of a burst, or is not.
    pub(crate) fn set_push(&mut self, pushes: bool) {
        self.pushes = pushes;
    }

    /// Samples of the delivery rate are taken whether the startup reads them or not.
    pub(crate) fn keep_sampling(&mut self) {
        self.keeps_sampling = true;
    }

    /// Maximum segment size in bytes.
    pub(crate) fn mss(&self) -> u64 {
        u64::from(self.stack.framing.mss)
    }

    /// When the last segment left.
    pub(crate) fn last_sent(&self) -> Instant {
        self.last_sent
    }

    /// SND.UNA.
    #[inline]
    pub(crate) fn una(&self) -> u64 {
        self.sent.una()
    }

    /// One past the highest byte ever sent.
    #[inline]
    pub(crate) fn high(&self) -> u64 {
        self.sent.high()
    }

    /// Bytes sent and not cumulatively acknowledged.
    #[inline]
    pub(crate) fn outstanding(&self) -> u64 {
        self.sent.outstanding()
    }

    /// `min(cwnd, peer's window)` in segments: what ns-2 calls `windowd()`.
    pub(crate) fn usable(&self) -> Segments {
        self.session.usable(self.peer_window())
    }

    /// The segment at `nxt`, if the application has data there and the peer room for it.
    #[inline]
    pub(crate) fn next_segment(&self) -> Option<ByteRange> {
        if self.nxt >= self.sendable() {
            return None;
        }
        let plan = self.segment_at(self.nxt);
        (plan.end <= self.una().saturating_add(self.peer_window)).then_some(plan)
    }

    /// `segment`, if the window has room for it with `pipe` bytes in flight.
    #[inline]
    pub(crate) fn within_window(&self, segment: SegmentRange, pipe: u64) -> Option<SegmentRange> {
        let fits = self.session.window.holds(pipe + segment.range.bytes());
        fits.then_some(segment)
    }

    /// The segment that starts at `start`.
    pub(crate) fn segment_at(&self, start: u64) -> ByteRange {
        ByteRange {
            start,
            end: self.segment_end(start),
        }
    }

    /// Where a segment that starts at `start` ends. Old and new data do not share one.
    pub(crate) fn segment_end(&self, start: u64) -> u64 {
        let end = if start < self.high() {
            self.high()
        } else {
            self.sendable()
        };
        (start + self.mss()).min(end)
    }

    /// Remembers whether the window is what stops sending, with `pipe` bytes in flight:
    /// only then may it grow (RFC 7661 §1).
    pub(crate) fn record_limit(&mut self, pipe: u64, now: Instant) {
        if self.stack.window.app_limited_when_drained && self.has_nothing_to_send() {
            self.limited = CwndLimited::default();
        } else if self.uses_window(pipe) {
            return self.record_limited();
        }
        if let Some(throughput) = self.throughput.as_mut().filter(|_| self.nxt >= self.queued) {
            throughput.starve(now);
        }
    }

    /// Whether `pipe` bytes in flight are use enough of the window for it to grow.
    #[inline]
    fn uses_window(&self, pipe: u64) -> bool {
        let window = &self.session.window;
        match self.stack.window.used_from {
            Utilization::Full => !window.has_room(pipe),
            Utilization::Half => !window.holds(2 * pipe),
            Utilization::HalfInSlowStart => {
                let burst = 2 * u64::from(window.mss);
                is_half_used(window, pipe) || !window.holds(pipe + burst)
            }
        }
    }

    /// Whether all data has left and none of it waits to be sent again.
    #[cold]
    pub(crate) fn has_nothing_to_send(&self) -> bool {
        self.is_drained() && self.sent.first_lost().is_none()
    }

    /// The pacer holds data back with `pipe` bytes in flight. It would have used the window (RFC 9002
    /// §7.8), but where a share in flight decides, which no pacer changes.
    #[cold]
    pub(crate) fn record_paced(&mut self, pipe: u64) {
        if self.stack.window.used_from == Utilization::Full || self.uses_window(pipe) {
            self.record_limited();
        }
    }

    /// Something other than the window stops sending.
    #[cold]
    pub(crate) fn record_underused(&mut self) {
        self.limited = CwndLimited::default();
    }

    /// What has been sent so far used the window.
    fn record_limited(&mut self) {
        // While going back, an acknowledgement may pass `nxt` by far.
        self.limited.note(self.high());
    }

    /// The connection is open without a handshake.
    pub(crate) fn skip_handshake(&mut self) {
        if self.stack.ns2.headerless_first {
            self.extensions.get_or_insert_default().headerless_first = true;
        }
    }

    /// Whether three duplicate acknowledgements may begin a recovery: more is acknowledged than had
    /// been sent when the window was last reduced, or no data is. Where packet 0 is the first data
    /// packet instead of the SYN, ns-2 has it that packet 0 alone is (`highest_ack_ == 0`).
    pub(crate) fn is_beyond(&self, recover: u64) -> bool {
        let stands_in = |extensions: &Extensions| extensions.headerless_first;
        let stands_in = self.extensions.as_deref().is_some_and(stands_in);
        let packet_0 = if stands_in { self.mss() } else { 0 };
        self.una() > recover || self.una() == packet_0
    }

    /// The next data packet is to carry this.
    pub(crate) fn report(&mut self, report: RateReport) {
        self.extensions.get_or_insert_default().report = Some(report);
    }

    fn ecn_mut(&mut self) -> Option<&mut EcnSender> {
        self.extensions.as_mut()?.ecn.as_mut()
    }

    fn ecn(&self) -> Option<&EcnSender> {
        self.extensions.as_ref()?.ecn.as_ref()
    }

    /// Whether data is sent as ECT(1), and the peer counts marks.
    pub(crate) fn is_scalable(&self) -> bool {
        self.ecn().is_some_and(EcnSender::is_scalable)
    }

    /// No handshake carries the window: it is the one that the peer offered earlier. Limits of flow
    /// control hold from the beginning.
    pub(crate) fn take_open_window(&mut self) {
        self.take_syn_window(self.stack.open_window());
    }

    /// Whether there is nothing more to send, or flow control lets nothing more leave.
    pub(crate) fn is_drained(&self) -> bool {
        self.high() >= self.sendable()
    }

    /// Whether the timer has expired since something was last acknowledged.
    pub(crate) fn has_timed_out(&self) -> bool {
        self.timeouts_in_a_row > 0
    }

    /// The peer reports so many segments that have come twice. Whether that is possible: no more
    /// can than were sent twice.
    pub(crate) fn record_duplicates(&mut self, segments: u64) -> bool {
        self.duplicates = self.duplicates.saturating_add(saturated(segments));
        u64::from(self.duplicates) <= self.counters.packets_retransmitted
    }

    /// Whether the controller sets the window at every acknowledgement, in a recovery too.
    pub(crate) fn controller_owns_cwnd(&self) -> bool {
        self.session.controller.owns_cwnd()
    }

    /// Keeps the largest window.
    pub(crate) fn record_cwnd(&mut self) {
        let cwnd = self.session.window.cwnd;
        if cwnd > self.counters.max_cwnd {
            self.counters.max_cwnd = cwnd;
        }
    }
}

/// What tests set of a connection.
#[cfg(test)]
impl Connection {
    pub(crate) fn set_queued(&mut self, position: u64) {
        self.queued = position;
    }

    pub(crate) fn set_peer_window(&mut self, bytes: u64) {
        self.peer_window = bytes;
    }

    pub(crate) fn stack_mut(&mut self) -> &mut Stack {
        Arc::make_mut(&mut self.stack)
    }
}
