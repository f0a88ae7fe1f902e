//! The part of a sending endpoint that every kind of loss recovery shares: positions in
//! the byte stream, the window and its controller, round-trip timing and the timer.

use super::ecn::EcnSender;
use super::loss::findings::AckReport;
use super::plan::Plan;
use super::rtt::RttEstimator;
use super::sent::{Detail, Ledger, NewlyAcked, NewlyAckedPackets};
use super::stack::{EcnMode, RecoveryKind, Sharing, Stack};
use super::throughput::Throughput;
use super::timer::Timer;
use super::timestamps::tsval;
use crate::narrow::{length, saturated, wrapped};
use flowstart_control::session::limited::CwndLimited;
use flowstart_control::session::{Session, UndoRule};
use flowstart_control::signals::{Ack, Feedback, PeerGap, Sent};
use flowstart_control::{Controller, Segments, Tags, Time, Window};
use flowstart_wire as wire;
use flowstart_wire::{
    AckOption, Body, CongestionHeader, Data, Ecn, Packet, RateReport, RateRequest, Syn, SynAck,
    UNLIMITED_WINDOW,
};
use std::sync::Arc;

/// Counts of what a sender did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Data packets sent, retransmissions and zero-window probes included.
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
    sent: Time,
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
    /// The first data packet stands in for the SYN.
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

/// What an acknowledgement carries beside what it acknowledges.
#[derive(Clone, Copy, Debug)]
pub struct AckMeta {
    /// Its option.
    pub option: AckOption,
    /// Whether it echoes a congestion mark, or counts new ones.
    pub ece: bool,
}

/// The state of a sending endpoint, without its recovery.
pub struct Connection {
    /// The endpoint's behaviours.
    pub stack: Arc<Stack>,
    /// Which flow this is.
    pub flow: u32,
    /// The window it obeys, and what sets that.
    pub session: Session,
    /// What is out.
    pub sent: Ledger,
    /// The next position to send: behind `high` while going back.
    pub nxt: u64,
    /// Where `high` was before the last segment left.
    pub prev_high: u64,
    /// One past the last byte the application has handed over.
    pub queued: u64,
    /// The peer's window in bytes.
    pub peer_window: u64,
    /// Round-trip estimates and the timeout.
    pub rtt: RttEstimator,
    /// The retransmission timer.
    pub timer: Timer,
    /// What it did.
    pub counters: Counters,
    /// The next segment of new data is the last of a burst.
    pub pushes: bool,
    /// How fast its data arrives, where others are told.
    pub throughput: Option<Box<Throughput>>,
    /// What only some connections need.
    extensions: Option<Box<Extensions>>,
    /// The one segment being timed, where only one is.
    timed: Timed,
    delivered_total: u64,
    limited: CwndLimited,
    retransmitted_in_recovery: u64,
    last_sent: Time,
    last_acked: Time,
    timeouts_in_a_row: u32,
    /// Segments that the peer has reported as having come twice.
    duplicates: u32,
    /// What a timeout took for lost ends here: until it is repaired nothing that comes back
    /// says how much more there is room for.
    repairing_until: u64,
}

impl Connection {
    /// A connection that has sent nothing.
    pub fn new(stack: Arc<Stack>, flow: u32, controller: Controller) -> Connection {
        let ecn = match stack.ecn {
            EcnMode::Off => None,
            EcnMode::Classic => Some(EcnSender::new(false)),
            EcnMode::L4s => Some(EcnSender::new(controller.is_scalable())),
        };
        Connection {
            rtt: RttEstimator::new(&stack.rto),
            sent: ledger(&stack, controller.wants_delivery()),
            session: Session::new(
                controller,
                Window::new(stack.framing.mss),
                undo_rule(&stack),
            ),
            flow,
            nxt: 0,
            prev_high: 0,
            queued: 0,
            peer_window: u64::MAX,
            timer: Timer::default(),
            counters: Counters::default(),
            pushes: false,
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
            last_sent: Time::ZERO,
            last_acked: Time::ZERO,
            timeouts_in_a_row: 0,
            duplicates: 0,
            repairing_until: 0,
            stack,
        }
    }

    /// Maximum segment size in bytes.
    pub fn mss(&self) -> u64 {
        u64::from(self.stack.framing.mss)
    }

    /// When the last segment left.
    pub fn last_sent(&self) -> Time {
        self.last_sent
    }

    /// SND.UNA.
    #[inline]
    pub fn una(&self) -> u64 {
        self.sent.una()
    }

    /// One past the highest byte ever sent.
    #[inline]
    pub fn high(&self) -> u64 {
        self.sent.high()
    }

    /// Bytes sent and not cumulatively acknowledged.
    #[inline]
    pub fn outstanding(&self) -> u64 {
        self.sent.outstanding()
    }

    /// `min(cwnd, peer's window)` in segments: what ns-2 calls `windowd()`.
    pub fn usable(&self) -> Segments {
        self.session.usable(self.peer_window)
    }

    /// The segment at `nxt`, if the application has data there and the peer room for it.
    pub fn next_segment(&self) -> Option<Plan> {
        if self.nxt >= self.queued {
            return None;
        }
        let plan = self.segment_at(self.nxt);
        (plan.end <= self.una().saturating_add(self.peer_window)).then_some(plan)
    }

    /// The segment that starts at `start`.
    pub fn segment_at(&self, start: u64) -> Plan {
        Plan {
            start,
            end: self.segment_end(start),
        }
    }

    /// Where a segment that starts at `start` ends. Old and new data do not share one.
    pub fn segment_end(&self, start: u64) -> u64 {
        let end = if start < self.high() {
            self.high()
        } else {
            self.queued
        };
        (start + self.mss()).min(end)
    }

    /// Remembers whether the window is what stops sending, with `pipe` bytes in flight:
    /// only then may it grow (RFC 7661 §1).
    pub fn note_limit(&mut self, pipe: u64, now: Time) {
        if !self.session.window.has_room(pipe) {
            self.note_limited();
        } else if let Some(throughput) =
            self.throughput.as_mut().filter(|_| self.nxt >= self.queued)
        {
            throughput.starve(now);
        }
    }

    /// What has been sent so far used the window, or would have but for the pacer (RFC 9002 §7.8).
    pub fn note_limited(&mut self) {
        // While going back, an acknowledgement may pass `nxt` by far.
        self.limited.note(self.high());
    }

    /// Sends `plan`: the segment for the wire, with every account updated. `pipe` is what was in
    /// flight before, where the delivery rate is measured.
    #[inline(always)]
    pub fn transmit(&mut self, plan: Plan, pipe: u64, now: Time) -> Packet {
        self.prev_high = self.high();
        if let Some(throughput) = &mut self.throughput {
            throughput.feed(now);
        }
        let again = plan.start < self.high();
        let timed = !self.stack.numbers_packets();
        if timed && (self.timer.due().is_none() || self.una() == self.high()) {
            self.restart_timer(now);
        }
        let number = self.sent.send(plan, pipe, now);
        if again {
            self.counters.packets_retransmitted += 1;
            self.retransmitted_in_recovery += plan.end - plan.start;
        } else if self.rtt.times_one_segment() && self.timed.end == 0 {
            self.timed = Timed {
                end: plan.end,
                sent: now,
            };
        }
        self.nxt = self.nxt.max(plan.end);
        self.counters.packets_sent += 1;
        self.last_sent = now;
        let len = length(plan.end - plan.start);
        // A tag is about the first flight of a segment.
        let tags = if again {
            Tags::default()
        } else {
            self.session.window.tags
        };
        let mut data = Data::new(plan.start, len, number.map_or(0, wrapped));
        if again {
            data.set_repeats();
        }
        let mut packet = Packet {
            flow: self.flow,
            wire: len + self.stack.framing.header,
            hop: 0,
            ecn: Ecn::default(),
            tags,
            body: Body::Data(data),
        };
        let ordinary = self.extensions.is_none() && self.session.window.congestion_header.is_none();
        if !ordinary || self.stack.receive_window.buffer.is_some() {
            packet = self.carry(packet, again, now);
        }
        let sent = Sent {
            now,
            bytes: len,
            seq: plan.start,
            retransmission: again,
            flight: self.outstanding(),
        };
        self.session.on_sent(&sent);
        packet
    }

    /// Sends a packet without data, which has so many bytes on the wire.
    #[cold]
    pub fn transmit_empty(&mut self, wire: u32, now: Time) -> Option<Packet> {
        let number = self.sent.send_empty(now)?;
        self.counters.packets_sent += 1;
        self.last_sent = now;
        Some(Packet {
            flow: self.flow,
            wire,
            hop: 0,
            ecn: Ecn::default(),
            tags: Tags::default(),
            body: Body::Data(Data::new(self.high(), 0, wrapped(number))),
        })
    }

    /// Adds what a packet carries beside its data.
    #[inline(never)]
    fn carry(&mut self, mut packet: Packet, again: bool, now: Time) -> Packet {
        let Body::Data(data) = &mut packet.body else {
            return packet;
        };
        let option_bytes = self.stack.framing.option;
        let mut report = None;
        if let Some(extensions) = &mut self.extensions {
            (packet.ecn, report) = extensions.mark_ecn(again);
            if extensions.headerless_first && data.start() == 0 {
                packet.wire -= self.stack.framing.header;
            }
        }
        if let Some(report) = report {
            packet.wire += data.set_report(report, option_bytes);
        } else if let Some(rtt) = self.session.window.congestion_header {
            data.set_congestion(self.congestion_header(rtt));
            packet.wire += Data::congestion_bytes(option_bytes);
        }
        if self.stack.receive_window.buffer.is_some() {
            data.set_echo(self.sent.una());
            data.set_timestamp(tsval(now));
            if self.pushes {
                data.set_push();
            }
        }
        packet
    }

    /// The connection is open without a handshake.
    pub fn skip_handshake(&mut self) {
        if self.stack.ns2.headerless_first {
            self.extensions.get_or_insert_default().headerless_first = true;
        }
    }

    /// Whether three duplicate acknowledgements may begin a recovery: more is acknowledged than had
    /// been sent when the window was last reduced, or no data is. Where packet 0 is the first data
    /// packet instead of the SYN, ns-2 has it that packet 0 alone is (`highest_ack_ == 0`).
    pub fn is_beyond(&self, recover: u64) -> bool {
        let stands_in = |extensions: &Extensions| extensions.headerless_first;
        let stands_in = self.extensions.as_deref().is_some_and(stands_in);
        let packet_0 = if stands_in { self.mss() } else { 0 };
        self.una() > recover || self.una() == packet_0
    }

    /// The next data packet is to carry this.
    pub fn report(&mut self, report: RateReport) {
        self.extensions.get_or_insert_default().report = Some(report);
    }

    fn ecn_mut(&mut self) -> Option<&mut EcnSender> {
        self.extensions.as_mut()?.ecn.as_mut()
    }

    fn ecn(&self) -> Option<&EcnSender> {
        self.extensions.as_ref()?.ecn.as_ref()
    }

    /// Whether data is sent as ECT(1), and the peer counts marks.
    pub fn is_scalable(&self) -> bool {
        self.ecn().is_some_and(EcnSender::is_scalable)
    }

    /// The peer has counted so many marked packets, all told. Whether there are new ones.
    #[cold]
    pub fn count_marks(&mut self, total: u64) -> bool {
        self.ecn_mut().is_some_and(|ecn| ecn.count(total))
    }

    /// Marked packets that the controller is to be told of.
    fn untold_marks(&mut self) -> u32 {
        self.ecn_mut().map_or(0, EcnSender::take_untold)
    }

    /// The `number`-th SYN, which carries this request.
    pub fn syn(&self, number: u32, request: Option<RateRequest>) -> Packet {
        let option = request.map_or(0, |_| self.stack.framing.option);
        let syn = Syn {
            number,
            request,
            by_receiver: false,
        };
        Packet::new(
            self.flow,
            self.stack.framing.opening + option,
            Body::Syn(syn),
        )
    }

    /// The answer to a SYN of the data's receiver. What it offers is of no use: no data comes.
    pub fn syn_ack(&self) -> Packet {
        let mut answer = SynAck::new(0, UNLIMITED_WINDOW);
        answer.to_receiver = true;
        Packet::new(self.flow, self.stack.framing.opening, Body::SynAck(answer))
    }

    /// What a data segment tells XCP's routers: the window that is used, since their shares
    /// go by the throughput.
    fn congestion_header(&self, rtt: Time) -> CongestionHeader {
        CongestionHeader {
            cwnd: self.usable().max(1.0),
            rtt,
            feedback: f64::INFINITY,
        }
    }

    /// Takes over the window that a segment advertises.
    pub fn take_window(&mut self, advertised: u32) {
        self.peer_window = if advertised == UNLIMITED_WINDOW {
            u64::MAX
        } else {
            u64::from(advertised)
        };
    }

    /// No handshake tells the window: it is what an earlier answer of the peer's has offered.
    pub fn take_open_window(&mut self) {
        self.take_window(self.stack.open_window());
    }

    /// Whether there is nothing more to send.
    pub fn is_drained(&self) -> bool {
        self.high() >= self.queued
    }

    /// Whether the timer has expired since something was last acknowledged.
    pub fn has_timed_out(&self) -> bool {
        self.timeouts_in_a_row > 0
    }

    /// The peer reports so many segments that have come twice. Whether that is possible: no more
    /// can than were sent twice.
    pub fn note_duplicates(&mut self, segments: u64) -> bool {
        self.duplicates = self.duplicates.saturating_add(saturated(segments));
        u64::from(self.duplicates) <= self.counters.packets_retransmitted
    }

    /// The last reduction was spurious.
    pub fn undo(&mut self) {
        let burst = self.stack.window.initial.segments(self.stack.framing.mss);
        if self.session.undo(self.outstanding(), burst) {
            self.repairing_until = self.una();
            if let Some(ecn) = self.ecn_mut() {
                ecn.withdraw();
            }
        }
    }

    /// Takes in an acknowledgement of all below `una` and of `blocks` above it.
    #[inline]
    pub fn acknowledge(
        &mut self,
        una: u64,
        blocks: impl Iterator<Item = (u64, u64)>,
        now: Time,
    ) -> NewlyAcked {
        let newly = self.sent.acknowledge(una, blocks, now);
        if newly.acked > 0 {
            self.note_advance(now);
        }
        newly
    }

    /// Whether an acknowledgement is only of what was sent. Any other is dropped (RFC 9293 §3.10.7.4;
    /// RFC 9000 §13.1 would close the connection).
    #[inline]
    pub fn has_sent(&self, ack: &wire::Ack) -> bool {
        let (high, numbers) = (self.high(), self.stack.numbers_packets());
        match ack {
            wire::Ack::Bytes(ack) if !numbers => {
                ack.una() <= high
                    && (ack.blocks() == 0
                        || ack
                            .sack_blocks()
                            .all(|(start, end)| start < end && end <= high))
            }
            wire::Ack::Numbers(ack) if numbers => ack.end() <= self.sent.next_number(),
            _ => false,
        }
    }

    /// Takes in an acknowledgement of these packet numbers, `[first, end)`, the largest first.
    pub fn acknowledge_packets(
        &mut self,
        ranges: impl Iterator<Item = (u64, u64)>,
        now: Time,
    ) -> NewlyAckedPackets {
        let before = self.una();
        let newly = self.sent.acknowledge_packets(ranges, now);
        if self.una() > before {
            self.note_advance(now);
        }
        newly
    }

    /// What `plan` says has arrived with a packet that counted as lost.
    pub fn acknowledge_late(&mut self, plan: Plan, now: Time) {
        let una = self.una();
        self.delivered_total += self.sent.acknowledge_late(plan);
        if self.una() > una {
            self.note_advance(now);
        }
    }

    /// SND.UNA has moved.
    fn note_advance(&mut self, now: Time) {
        self.nxt = self.nxt.max(self.una());
        self.last_acked = now;
        self.timeouts_in_a_row = 0;
    }

    /// Takes the round-trip sample that an acknowledgement up to `una` gives, and
    /// returns it exact. `sent` is when what it
    /// answers was sent, if that is known ([`NewlyAcked::sent`]).
    pub fn take_sample(&mut self, sent: Option<Time>, now: Time) -> Option<Time> {
        if self.rtt.times_one_segment() {
            if self.timed.covered_by(self.una()) {
                self.rtt.sample(self.timed.sent, now);
                self.stop_timing();
            }
        } else if let Some(at) = sent {
            self.rtt.sample(at, now);
        }
        sent.map(|at| now.since(at))
    }

    /// Stops timing the segment that is being timed (ns-2: whenever its timer is reset).
    pub fn stop_timing(&mut self) {
        self.timed = Timed::default();
    }

    /// A partial acknowledgement passed the timed segment: ns-2 drops the measurement
    /// but ends a back-off.
    pub fn drop_passed_timing(&mut self) {
        if self.timed.covered_by(self.una()) {
            self.stop_timing();
            self.rtt.end_backoff();
        }
    }

    /// Starts the retransmission timer anew.
    pub fn restart_timer(&mut self, now: Time) {
        let own = self.session.window.timeout;
        let timeout = own.unwrap_or_else(|| self.rtt.rto());
        self.timer.set(now + timeout, now);
    }

    /// Whether the retransmission timer fires.
    pub fn timer_fires(&mut self, now: Time) -> bool {
        self.timer.fires(now, self.stack.rto.jiffy)
    }

    /// After new data was acknowledged: run on while something is outstanding
    /// (RFC 6298 §5.2 and 5.3).
    pub fn rearm(&mut self, now: Time) {
        if self.outstanding() > 0 {
            self.restart_timer(now);
        } else {
            self.timer.stop();
        }
    }

    /// What an acknowledgement tells the controller.
    #[inline]
    pub fn ack_signal(&mut self, report: &AckReport, now: Time) -> Ack {
        self.delivered_total += report.delivered;
        if let Some(throughput) = &mut self.throughput {
            throughput.on_ack(now, self.sent.una(), self.sent.high(), self.delivered_total);
        }
        let marked = self.untold_marks();
        let repairing = self.una() < self.repairing_until;
        let least = self.rtt.min_rtt();
        let delivery = self.sent.delivery();
        let delivery = delivery.map(|rate| rate.conclude(report.flight, repairing, least));
        Ack {
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
            peer_window: self.peer_window,
            marked,
            delivery,
        }
    }

    /// The window may grow.
    pub fn grow(&mut self, ack: &Ack, meta: AckMeta) {
        if meta.option != AckOption::None {
            self.on_option(meta.option, ack);
        }
        if meta.ece && self.on_ece(ack) {
            return;
        }
        self.session.on_ack(ack);
        self.note_cwnd();
    }

    /// An echo lets no window grow, and brings it down once per window of data (RFC 3168
    /// §6.1.2). Nothing is missing, so the answer is over at once.
    ///
    /// Below the threshold an echo that has been answered for does not stop growth, as Linux
    /// has had it: only new data tells the peer, and where a timeout finds all data sent
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
        self.note_cwnd();
        true
    }

    /// Whether an echo that has come now is of a window not yet answered for.
    pub fn mark_is_news(&self) -> bool {
        self.ecn().is_some_and(|ecn| ecn.is_news(self.una()))
    }

    /// Tells the controller of a mark.
    pub fn answer_mark(&mut self, now: Time) {
        let flight = self.outstanding();
        self.session.on_marked(now, flight, self.peer_window);
        self.note_reduction();
    }

    /// RFC 3168 §6.1.2: the peer is told whenever the window has come down, whatever for.
    fn note_reduction(&mut self) {
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

    fn take_gap(&mut self, gap: Time, ack: &Ack) {
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

    /// Tells the controller of an acknowledgement during recovery.
    pub fn recovery_ack(&mut self, ack: &Ack) {
        self.session.on_recovery_ack(ack);
        if self.controller_owns_cwnd() {
            self.note_cwnd();
        }
    }

    /// Whether the controller sets the window at every acknowledgement, in a recovery too.
    pub fn controller_owns_cwnd(&self) -> bool {
        self.session.controller.owns_cwnd()
    }

    /// Recovery begins without an answer of the controller's, who has given one to this window.
    pub fn begin_repair(&mut self) {
        self.counters.fast_retransmits += 1;
        self.retransmitted_in_recovery = 0;
    }

    /// Whether the window has come down for a mark in what is out, so that a loss in it lowers nothing.
    pub fn has_answered_mark(&self) -> bool {
        // Packet numbers say better what is of one window than positions in the stream.
        let by_number = self.stack.numbers_packets();
        !by_number && self.ecn().is_some_and(|ecn| ecn.has_answered(self.una()))
    }

    /// Tells the controller that recovery begins, with `added` bytes of the flight due
    /// to limited transmit. A window that a mark has brought down is not brought down again for
    /// what was lost of it (RFC 3168 §6.1.2).
    pub fn on_congestion_event(&mut self, now: Time, added: u64) {
        self.begin_repair();
        if self.has_answered_mark() {
            return;
        }
        let flight = self.outstanding() - added;
        self.session.on_loss(now, flight, self.peer_window);
        self.note_reduction();
    }

    /// Tells the controller that recovery is over.
    pub fn recovered(&mut self, now: Time) {
        let (again, flight) = (self.retransmitted_in_recovery, self.outstanding());
        self.session.on_recovered(now, again, flight);
        self.note_cwnd();
    }

    /// Tells the controller that the timer expired, and backs the timer off. Returns
    /// false where the connection is to be given up.
    ///
    /// `pipe` is what recovery takes to be in the network. RFC 5681's eq. 4, with all that
    /// is outstanding, is an upper bound ("no more than"); what is SACKed has left, and
    /// behind one hole that stays open it can be many windows. The threshold has been lowered for
    /// what is out where the window is `reduced` already.
    pub fn time_out(&mut self, now: Time, pipe: u64, reduced: bool) -> bool {
        self.counters.timeouts += 1;
        self.timeouts_in_a_row += 1;
        self.repairing_until = self.high();
        let flight = pipe.min(self.outstanding());
        let repeated = self.timeouts_in_a_row > 1 || reduced;
        let own = self.session.window.timeout.is_some();
        self.session
            .on_timeout(now, flight, self.peer_window, repeated);
        self.note_reduction();
        if !own {
            self.rtt.back_off();
        }
        self.restart_timer(now);
        self.stop_timing();
        self.stack
            .max_timeouts
            .is_none_or(|max| self.timeouts_in_a_row < max)
    }

    /// How long nothing was sent, where that is longer than the timeout and nothing is
    /// outstanding. ns-2 counts from the last acknowledgement, since its timer runs on.
    pub fn idle_for(&self, now: Time) -> Option<Time> {
        if self.high() == 0 || self.outstanding() > 0 {
            return None;
        }
        let since = if self.stack.rto.ticks.is_some() {
            self.last_acked
        } else {
            self.last_sent
        };
        Some(now.since(since)).filter(|idle| *idle >= self.rtt.rto())
    }

    /// What an idle time leaves of the window under Linux: half for each timeout that it lasted,
    /// but no less than the initial window (`tcp_cwnd_restart`).
    pub fn restart_window(&self, idle: Time) -> Segments {
        let (least, rto) = (
            self.stack.window.initial.segments(self.stack.framing.mss),
            self.rtt.rto(),
        );
        let (mut cwnd, mut left) = (self.session.window.cwnd, idle.since(rto));
        while left > Time::ZERO && cwnd > least {
            cwnd = (cwnd / 2.0).floor();
            left = left.since(rto);
        }
        cwnd.max(least)
    }

    /// Keeps the largest window.
    pub fn note_cwnd(&mut self) {
        self.counters.max_cwnd = self.counters.max_cwnd.max(self.session.window.cwnd);
    }
}

/// The ledger that the loss detector of a stack needs.
fn ledger(stack: &Stack, measured: bool) -> Ledger {
    match stack.recovery.kind {
        RecoveryKind::Rack => {
            Ledger::new(Detail::Times, measured).of_packets(stack.framing.mss.into())
        }
        RecoveryKind::Quic => Ledger::new(Detail::Numbers, measured),
        _ => Ledger::new(Detail::Positions, measured),
    }
}

/// How a stack's reductions are undone.
fn undo_rule(stack: &Stack) -> UndoRule {
    match stack.recovery.kind {
        RecoveryKind::Rack => UndoRule::Linux,
        RecoveryKind::Quic => UndoRule::Quic,
        _ => UndoRule::Eifel,
    }
}
