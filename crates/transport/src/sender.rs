//! The sending endpoint: opens the connection, sends what window, pacer and recovery
//! allow, and repairs loss.
//!
//! Its host drives it: every entry point takes the time, and what it is to
//! send is fetched with [`Sender::poll_transmit`] until nothing is left.

use super::connection::{AckMeta, Connection, Counters};
use super::handshake::{Handshake, INITIAL_ACK, SMALLEST_INITIAL};
use super::info::Info;
use super::pacer::{Pacer, Release, ONE_BY_ONE};
use super::pacing_rate;
use super::persist::{is_stalled, part, probe, Persist};
use super::quick_start::Asked;
use super::recovery::Recovery;
use super::rtt::{RttEstimator, RttSample};
use super::segment::{ByteRange, SegmentRange, Why};
use super::send_buffer::SendBuffer;
use super::stack::{Bucket, Pacing, Restart, Stack};
use super::throughput::Delivered;
use super::token_bucket::TokenBucket;
use crate::narrow::whole;
use crate::prefetch::prefetch;
use flowstart_control::signals::{Established, Idle, PathInfo, PathMemory, Syn};
use flowstart_control::{
    AfterSynLoss, Controller, Duration, Exit, Instant, Rate, Segments, Window,
};
use flowstart_wire::{Ack, AckOption, Body, Ecn, Packet, RateRequest, RateResponse, SynAck};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    SynSent {
        at: Instant,
        tries: u32,
        waiting: bool,
    },
    /// Data leaves although the SYN is not answered.
    Early {
        at: Instant,
        tries: u32,
        waiting: bool,
    },
    Open,
    /// Given up after too many timeouts.
    Failed,
}

/// What a sender is given for opening its connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preparation {
    /// What is known of the path without a measurement.
    pub known: PathInfo,
    /// Bits that no other host can guess.
    pub secret: u64,
}

/// What lasts until the connection is open.
struct OpeningState {
    preparation: Preparation,
    /// A request for a rate that is on its way.
    asked: Option<Asked>,
    /// Exchanges to come, this one included.
    exchanges: u32,
    /// SYNs sent, those sent again, and how many there were before this exchange.
    syns: u32,
    repeats: u32,
    first: u32,
    /// When each left, where packets are numbered.
    sent: Vec<Instant>,
    /// One of them did not arrive.
    lost: bool,
    /// When an unanswered SYN is sent again although data leaves.
    deadline: Option<Instant>,
    /// The data's receiver opens the connection.
    accepts: bool,
}

impl OpeningState {
    fn new(preparation: Preparation, exchanges: u32) -> OpeningState {
        OpeningState {
            preparation,
            asked: None,
            exchanges,
            syns: 0,
            repeats: 0,
            first: 0,
            sent: Vec::new(),
            lost: false,
            deadline: None,
            accepts: false,
        }
    }

    /// Whether `answer` shows that a SYN of this exchange, sent before that which it answers,
    /// has not arrived.
    fn is_missing(&self, answer: &SynAck) -> bool {
        let told = |n: u64| {
            answer
                .numbers()
                .any(|(first, end)| (first..end).contains(&n))
        };
        (self.first..answer.answers).any(|n| !told(n.into()))
    }
}

/// A window that no ACKs clock is spread over a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spreading {
    Nothing,
    /// A cached one, over the cached round trip.
    Memory,
    /// What is left of one after an idle time.
    Restart,
    /// Not a window, but the end of a client's handshake is to leave; or has left, and is not confirmed.
    Handshake {
        waiting: bool,
    },
}

/// The sending endpoint of one flow.
pub struct Sender {
    connection: Connection,
    recovery: Recovery,
    pacer: Pacer,
    /// Where the stack paces by tokens.
    bucket: Option<Box<TokenBucket>>,
    state: State,
    opening: Option<Box<OpeningState>>,
    spreading: Spreading,
    /// What the application has beyond a bounded send buffer.
    send_buffer: Option<Box<SendBuffer>>,
    /// The pacing rate that the stack, not the startup, has set.
    usual_pacing: Option<Rate>,
    persist: Persist,
}

impl Sender {
    /// A sender for `flow` that has not opened its connection.
    pub fn new(
        stack: Arc<Stack>,
        flow: u32,
        controller: Controller,
        preparation: Preparation,
    ) -> Sender {
        let exchanges = stack.exchanges();
        Sender {
            recovery: Recovery::new(&stack),
            send_buffer: stack
                .window
                .send_buffer
                .map(|size| Box::new(SendBuffer::new(size))),
            connection: Connection::new(stack, flow, controller),
            pacer: Pacer::default(),
            bucket: None,
            state: State::Closed,
            opening: Some(Box::new(OpeningState::new(preparation, exchanges))),
            spreading: Spreading::Nothing,
            usual_pacing: None,
            persist: Persist::Off,
        }
    }

    /// Prefetches the memory that an acknowledgement will need beyond the sender's own.
    pub fn prefetch(&self) {
        let (startup, cc) = self.connection.session.controller.parts();
        prefetch(startup);
        prefetch(cc);
        self.connection.sent.prefetch();
    }

    /// Takes samples of the delivery rate for as long as the connection lasts, where its controller
    /// needs any.
    pub fn keep_sampling(&mut self) {
        self.connection.keeps_sampling = true;
    }

    /// Names `column` the startup's own numbers, for a trace.
    pub fn trace(&self, column: &mut dyn FnMut(&str, f64)) {
        self.connection.session.controller.trace(column);
    }

    /// Opens the connection.
    pub fn open(&mut self, now: Instant) {
        if self.connection.stack.handshake == Handshake::ZeroRtt {
            return self.open_early(now);
        }
        self.begin_exchange(now);
    }

    /// Waits for the data's receiver to open the connection.
    pub fn listen(&mut self) {
        if let Some(opening) = &mut self.opening {
            opening.accepts = true;
        }
    }

    fn begin_exchange(&mut self, now: Instant) {
        self.state = State::SynSent {
            at: now,
            tries: 1,
            waiting: true,
        };
        self.connection.restart_timer(now);
    }

    /// Data leaves right behind the SYN: its sender has the state of an earlier connection.
    fn open_early(&mut self, now: Instant) {
        self.connection.take_open_window();
        if let Some(opening) = &mut self.opening {
            opening.deadline = Some(now + self.connection.rtt.rto());
            let rtt = opening.preparation.known.memory.map(|m| m.srtt);
            self.establish(now, rtt, 1);
        }
        self.state = State::Early {
            at: now,
            tries: 1,
            waiting: true,
        };
    }

    /// Begins on a connection that is open already and on which a round trip of `rtt`
    /// has been measured, by the peer's request for example.
    pub fn open_established(&mut self, now: Instant, rtt: Duration) {
        self.connection.take_open_window();
        self.connection.skip_handshake();
        self.establish(now, Some(rtt), 1);
        self.confirm(false, now);
    }

    /// The handshake is over.
    fn confirm(&mut self, lost: bool, now: Instant) {
        self.state = State::Open;
        if self.opening.take().is_some_and(|opening| !opening.accepts) {
            self.recovery.on_first_packet_shared(&self.connection);
        }
        let lost =
            lost && self.connection.stack.window.after_syn_loss == AfterSynLoss::CongestionEvent;
        self.recovery.on_handshake(&mut self.connection, lost, now);
    }

    /// The application hands over `bytes` more.
    pub fn push(&mut self, bytes: u64, now: Instant) {
        self.restart_after_idle(now);
        if self.connection.sent.samples_delivery() && self.is_left_idle() {
            let pipe = self.flight();
            if let Some(delivery) = self.connection.sent.delivery() {
                delivery.application_limits(pipe);
            }
        }
        let mss = self.connection.mss();
        let whole = if self.connection.stack.ns2.whole_segments {
            bytes.div_ceil(mss) * mss
        } else {
            bytes
        };
        match &mut self.send_buffer {
            Some(buffer) => {
                buffer.push(whole);
                self.refill();
            }
            None => self.connection.queued = self.connection.queued.saturating_add(whole),
        }
        self.recovery.on_data();
    }

    /// The application hands over what the send buffer has room for.
    #[cold]
    fn refill(&mut self) {
        let c = &mut self.connection;
        if let Some(buffer) = &mut self.send_buffer {
            c.queued += buffer.take(c.queued - c.una());
        }
    }

    /// RFC 5681 §4.1.
    fn restart_after_idle(&mut self, now: Instant) {
        let c = &mut self.connection;
        let Some(idle) = c.idle_for(now) else { return };
        let restart_window = match c.stack.window.restart {
            Restart::InitialWindow => c.stack.initial_window(),
            Restart::One => 1.0,
            Restart::Keep | Restart::Paced => f64::INFINITY,
            Restart::Linux => c.restart_window(idle),
        };
        if c.stack.window.restart == Restart::Linux && !c.controller_owns_cwnd() {
            let window = &mut c.session.window;
            window.ssthresh = window.ssthresh.max((0.75 * window.cwnd).floor());
        }
        let idle = Idle {
            now,
            idle,
            restart_window,
        };
        c.session.controller.on_idle(&mut c.session.window, &idle);
        if c.stack.window.restart == Restart::Paced {
            self.pace_restart();
        }
        self.set_usual_pacing();
    }

    /// What is left of the window after an idle time has no ACKs to clock it: it is paced over the
    /// round trip (ns-2's `tcp-rbp.cc`).
    fn pace_restart(&mut self) {
        /// `rbp_scale_`.
        const SHARE: f64 = 0.75;
        /// `RBP_MIN_SEGMENTS`.
        const LEAST: Segments = 2.0;
        let c = &mut self.connection;
        let cwnd = c.session.window.cwnd;
        let usual = c.rtt.smoothed().map(|(srtt, _)| (cwnd, srtt));
        let Some((cwnd, rtt)) = c.session.controller.paced_restart().or(usual) else {
            return;
        };
        let share = (cwnd * SHARE + 0.5).floor();
        c.session.window.cwnd = c.session.window.cwnd.min(share.max(LEAST));
        c.session.window.pacing = c.session.window.rate_over(c.usable().floor(), rtt);
        if c.session.window.pacing.is_some() {
            self.spreading = Spreading::Restart;
        }
    }

    /// A SYN-ACK or an acknowledgement has arrived.
    pub fn on_packet(&mut self, packet: &Packet, now: Instant) {
        match (self.state, &packet.body) {
            (
                State::SynSent { at, tries, .. } | State::Early { at, tries, .. },
                Body::SynAck(answer),
            ) => self.on_syn_ack(answer, at, tries, now),
            (State::Closed, Body::Syn(_)) if self.accepts() => self.begin_exchange(now),
            // Its answer was lost.
            (State::SynSent { at, tries, .. }, Body::Syn(_)) => {
                let waiting = true;
                self.state = State::SynSent { at, tries, waiting };
            }
            (State::SynSent { at, tries, .. }, Body::Ack(ack)) if self.accepts() => {
                self.on_third_ack(ack, at, tries, now);
            }
            (State::Open, Body::Ack(ack)) => {
                let option = ack.option();
                let ece = match option {
                    AckOption::Marks(total) => self.connection.count_marks(total),
                    _ => packet.ecn.has(Ecn::ECE),
                };
                let meta = AckMeta { option, ece };
                self.on_ack(ack, meta, now);
            }
            _ => {}
        }
    }

    fn accepts(&self) -> bool {
        self.opening.as_ref().is_some_and(|opening| opening.accepts)
    }

    /// The data's receiver, which opens the connection, has heard the answer that left at `at`, the
    /// latest of so many.
    #[cold]
    fn on_third_ack(&mut self, ack: &Ack, at: Instant, tries: u32, now: Instant) {
        let c = &mut self.connection;
        c.take_window(ack.window());
        let fair = tries == 1;
        match fair {
            true => c.rtt.sample(&RttSample::of_handshake(at), now),
            false => c.rtt.after_syn_loss(),
        }
        self.end_exchange(now, fair.then(|| now.since(at)));
    }

    fn on_ack(&mut self, ack: &Ack, meta: AckMeta, now: Instant) {
        if !self.connection.has_sent(ack) {
            return;
        }
        self.connection.take_window(ack.window());
        if self.persist != Persist::Off {
            self.on_probe_answered(now);
        }
        // Before the startup hears of it, which may pace for reasons of its own.
        if self.spreading != Spreading::Nothing && self.acknowledges_data(ack) {
            self.on_first_ack();
        }
        if self.connection.sent.measures_delivery() {
            self.note_pipe();
        }
        self.recovery.on_ack(&mut self.connection, ack, meta, now);
        if self.send_buffer.is_some() {
            self.refill();
        }
        self.set_usual_pacing();
    }

    fn acknowledges_data(&self, ack: &Ack) -> bool {
        match ack {
            Ack::Bytes(ack) => ack.una() > self.connection.una(),
            Ack::Numbers(_) => true,
        }
    }

    /// For samples of the delivery rate.
    fn note_pipe(&mut self) {
        let pipe = self.flight();
        let c = &self.connection;
        let samples = c.stack.window.app_limited_at_acks && c.sent.samples_delivery();
        let idle = samples && self.is_left_idle();
        if let Some(delivery) = self.connection.sent.delivery() {
            if idle {
                delivery.application_limits(pipe);
            }
            delivery.note_pipe(pipe);
        }
    }

    /// Whether all that the application has handed over is on its way, with room for more
    /// (draft-cheng-iccrg-delivery-rate-estimation §3.4).
    #[inline(never)]
    fn is_left_idle(&self) -> bool {
        let c = &self.connection;
        let room = c.session.window.has_room(self.flight());
        c.is_drained() && room && self.recovery.plan(c).is_none()
    }

    /// An answer to a SYN that left at `at`, the latest of so many tries.
    #[cold]
    fn on_syn_ack(&mut self, answer: &SynAck, at: Instant, tries: u32, now: Instant) {
        let Some(opening) = &mut self.opening else {
            return;
        };
        // It may answer one of an earlier exchange.
        let answered = answer.answers;
        if answered < opening.first {
            return;
        }
        let c = &mut self.connection;
        c.take_window(answer.window);
        // Where packets are numbered there is no doubt which it answers.
        let exact = opening.sent.get(answered as usize).copied();
        opening.lost |= exact.is_some() && opening.is_missing(answer);
        if tries == 1 || exact.is_some() {
            let sample = RttSample::of_handshake(exact.unwrap_or(at));
            c.rtt.sample(&sample, now);
        } else if !c.stack.ns2.syn_backoff_lasts {
            c.rtt.after_syn_loss();
        }
        let fair = tries == 1 || exact.is_some() || c.stack.ns2.trusts_repeated_syn;
        let rtt = fair.then(|| now.since(exact.unwrap_or(at)));
        self.hear_routers(answer.response(), tries);
        self.end_exchange(now, rtt);
    }

    fn end_exchange(&mut self, now: Instant, rtt: Option<Duration>) {
        let Some(opening) = &mut self.opening else {
            return;
        };
        opening.exchanges -= 1;
        opening.first = opening.syns;
        let (left, repeats, lost) = (opening.exchanges, opening.repeats, opening.lost);
        if left > 0 {
            return self.begin_exchange(now);
        }
        if !matches!(self.state, State::Early { .. }) {
            self.establish(now, rtt, repeats + 1);
        }
        self.confirm(lost, now);
        self.set_usual_pacing();
    }

    /// The SYN-ACK carries the rate that the routers approved. A repeated SYN had no request.
    fn hear_routers(&mut self, response: Option<RateResponse>, tries: u32) {
        let Some(opening) = self.opening.as_mut() else {
            return;
        };
        let Some(asked) = opening.asked.take().filter(|_| tries == 1) else {
            return;
        };
        let answer = asked.validate(response);
        opening.preparation.known.approved = answer.approved;
        self.connection.report(answer.report);
    }

    fn establish(&mut self, now: Instant, rtt: Option<Duration>, tries: u32) {
        let opening = self.opening.as_ref();
        let mut known = opening.map_or(PathInfo::default(), |o| o.preparation.known);
        known.exact_rtt = rtt;
        let c = &mut self.connection;
        c.timer.stop();
        let stack = &c.stack;
        let usual = stack.initial_window();
        let memory = known.memory.filter(|_| stack.sharing.kind.opens_windows());
        // RFC 9040 §6: the new connection begins where the old one was.
        let allowed = memory.map_or(usual, |m| m.cwnd.min(stack.sharing.cap).max(usual));
        let initial_window = stack.window.after_syn_loss.apply(allowed, tries - 1);
        let coarse = stack.ns2.coarse_pacing.then_some(stack.rto.granularity);
        let established = Established {
            now,
            initial_window,
            rtt: match coarse {
                Some(tick) => rtt.map(|_| c.rtt.latest().unwrap_or(tick)),
                None => rtt,
            },
            queued: c.queued,
            peer_window: c.peer_window,
            header: stack.framing.header - stack.counted_header(),
            clock: coarse,
            counts_marks: c.is_scalable(),
        };
        c.session.on_established(&known, &established);
        if tries > 1 && c.stack.ns2.syn_loss_lowers_ssthresh {
            c.session.window.ssthresh = c.session.window.ssthresh.min(2.0);
        }
        if let Some(memory) = memory {
            c.session.window.ssthresh = c.session.window.ssthresh.min(memory.ssthresh);
            self.spread(usual, memory.srtt);
        }
        if let Pacing::TokenBucket(kind) = self.connection.stack.pacing.rule {
            let packet = self.connection.stack.datagram();
            let window = whole(initial_window * packet as f64);
            // It was full when the first packet left, and is filled again when data needs it.
            let measured = rtt.filter(|_| self.connection.rtt.smoothed().is_some());
            let filling = measured.filter(|_| !kind.begins_empty());
            let created = now.saturating_sub(filling.unwrap_or(Duration::ZERO));
            let mut bucket = TokenBucket::new(kind, window, packet, created);
            let ends = kind == Bucket::S2n && measured.is_some() && !self.accepts();
            if ends && self.spreading == Spreading::Nothing {
                bucket.end_handshake(packet);
                self.spreading = Spreading::Handshake { waiting: true };
            } else {
                bucket.sent((SMALLEST_INITIAL - INITIAL_ACK).into());
            }
            self.bucket = Some(Box::new(bucket));
        }
        self.connection.note_cwnd();
        self.set_usual_pacing();
        self.recovery.on_data();
    }

    /// The stack's own rate, where no startup has set another.
    fn set_usual_pacing(&mut self) {
        let c = &mut self.connection;
        if matches!(c.stack.pacing.rule, Pacing::None | Pacing::TokenBucket(_)) {
            return;
        }
        let at_most = |rate: Rate| c.stack.pacing.max.map_or(rate, |max| rate.min(max));
        // A startup that no longer paces, or an idle time, leaves none.
        if c.session.window.pacing.is_some() && c.session.window.pacing != self.usual_pacing {
            c.session.window.pacing = c.session.window.pacing.map(at_most);
            return;
        }
        let Some((srtt, _)) = c.rtt.smoothed() else {
            return;
        };
        let packet = c.stack.packet();
        let rate = match c.stack.pacing.rule {
            Pacing::Rfc9002(gain) => pacing_rate::windows(gain, &c.session.window, packet, srtt),
            _ => pacing_rate::rate(&c.session.window, c.outstanding(), packet, srtt),
        };
        self.usual_pacing = Some(at_most(rate)).filter(|rate| rate.bps() > 0);
        c.session.window.pacing = self.usual_pacing;
    }

    /// How the next segments are to leave; `None` for at once.
    fn release(&self) -> Option<(Rate, Release)> {
        let c = &self.connection;
        let rate = c.session.window.pacing?;
        let usual = c.stack.pacing.rule != Pacing::None && self.usual_pacing == Some(rate);
        let quantum = c.session.window.quantum;
        let by_offload = c.stack.pacing.by_offload && c.controller_owns_cwnd();
        if !usual && !by_offload {
            let burst = quantum.max(1);
            return Some((
                rate,
                Release {
                    burst,
                    ..ONE_BY_ONE
                },
            ));
        }
        let (mss, packet) = (c.stack.framing.mss, c.stack.packet());
        let least = if usual {
            pacing_rate::MIN_TSO_SEGMENTS
        } else {
            quantum
        };
        let (free, release) = match c.stack.pacing.rule {
            // RFC 9002 §7.7: the initial window may leave at once.
            Pacing::Rfc9002(_) => (whole(c.stack.initial_window()), ONE_BY_ONE),
            // The last of the free ones begins the spacing.
            _ => (
                pacing_rate::FREE_SEGMENTS - 1,
                pacing_rate::release(rate, least, mss, packet, pacing_rate::tso_rtt(c)),
            ),
        };
        let release = release.at_most(c.session.window.most_together);
        (c.counters.packets_sent >= free).then_some((rate, release))
    }

    /// A window that is larger than the `usual` one only because it is cached has no ACKs
    /// to clock it: it is spread over the cached round trip.
    fn spread(&mut self, usual: Segments, srtt: Duration) {
        let c = &mut self.connection;
        let window = &mut c.session.window;
        if window.cwnd <= usual || window.pacing.is_some() {
            return;
        }
        window.pacing = window.rate_over(window.cwnd, srtt);
        if window.pacing.is_some() {
            self.spreading = Spreading::Memory;
        }
    }

    /// The ACK clock runs again. A restarted window becomes what was sent of it, or what was not
    /// would leave at once.
    #[cold]
    fn on_first_ack(&mut self) {
        if self.spreading == Spreading::Restart {
            let c = &mut self.connection;
            c.session.window.cwnd = c.session.window.segments(c.outstanding());
        }
        self.stop_spreading();
    }

    fn stop_spreading(&mut self) {
        let before = std::mem::replace(&mut self.spreading, Spreading::Nothing);
        if let (Spreading::Handshake { .. }, Some(bucket)) = (before, &mut self.bucket) {
            return bucket.confirm();
        }
        self.connection.session.window.pacing = None;
    }

    /// The rate request of the SYN: only the first one has it, since an option may be
    /// why it was lost (RFC 4782 §4.7.1), and none whose answer would come late.
    fn request(&mut self, tries: u32) -> Option<RateRequest> {
        let c = &mut self.connection;
        let syn = Syn {
            queued: c.queued,
            mss: c.stack.framing.mss,
            header: c.stack.framing.header,
            codes: c.stack.rate_codes,
        };
        let early = matches!(self.state, State::Early { .. });
        let first = |opening: &&mut Box<OpeningState>| tries == 1 && opening.syns == 0 && !early;
        let opening = self.opening.as_mut().filter(first)?;
        let rate = c.session.controller.rate_request(&syn)?;
        let (asked, request) = Asked::new(syn.codes, rate, opening.preparation.secret);
        opening.asked = Some(asked);
        Some(request)
    }

    /// The pacer holds back what the window allows (RFC 9002 §7.8).
    #[cold]
    fn note_paced(&mut self) {
        let rule = self.connection.stack.pacing.rule;
        if matches!(rule, Pacing::Rfc9002(_) | Pacing::TokenBucket(_)) {
            self.connection.note_limited();
        }
    }

    fn may_send_data(&self) -> bool {
        matches!(self.state, State::Open | State::Early { .. })
    }

    /// Data leaves behind a SYN that is not answered.
    #[cold]
    fn sends_early_data(&self) -> bool {
        matches!(self.state, State::Early { waiting: false, .. })
    }

    /// The SYN that waits, if one does.
    #[cold]
    #[inline(never)]
    fn poll_syn(&mut self, now: Instant) -> Option<Packet> {
        let (State::SynSent { waiting, at, tries } | State::Early { waiting, at, tries }) =
            &mut self.state
        else {
            return None;
        };
        if !std::mem::take(waiting) {
            return None;
        }
        *at = now;
        let tries = *tries;
        if self.accepts() {
            return Some(self.connection.syn_ack());
        }
        let request = self.request(tries);
        let number = self.opening.as_mut().map_or(0, |opening| {
            if self.connection.stack.numbers_packets() {
                opening.sent.push(now);
            }
            opening.syns += 1;
            opening.syns - 1
        });
        Some(self.connection.syn(number, request))
    }

    /// The next segment to leave at `now`, until there is none.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Packet> {
        if self.state != State::Open && !self.sends_early_data() {
            return self.poll_syn(now);
        }
        let c = &mut self.connection;
        let Some(segment) = self.recovery.plan(c) else {
            if c.stack.recovery.id_update > 0 {
                if let Some(packet) = self.recovery.answer_first_ack(c, now) {
                    return Some(packet);
                }
            }
            if c.session.window.proactive.segments > 0 {
                if let Some(packet) = self.send_proactive(now) {
                    return Some(packet);
                }
            }
            let c = &mut self.connection;
            self.pacer.nothing_to_send();
            c.note_limit(self.recovery.pipe(c), now);
            if is_stalled(c) || self.persist == Persist::Due {
                return self.poll_probe(now);
            }
            return None;
        };
        let window = &c.session.window;
        let by_tokens = self.bucket.is_some()
            && (window.pacing.is_none() || c.stack.pacing.rule == Pacing::TokenBucket(Bucket::Noq));
        if c.stack.pacing.tso && window.pacing.is_some() {
            self.pacer.begin_packet(segment);
        }
        let admitted = match by_tokens {
            false => self.pacer.admits(window.pacing, window.pacing_from, now),
            true => {
                if self.ends_handshake() {
                    return Some(self.connection.end_of_handshake());
                }
                self.takes_tokens(segment, now)
            }
        };
        if !admitted {
            self.note_paced();
            return None;
        }
        let c = &mut self.connection;
        if c.stack.pacing.tso && !self.recovery.may_leave(c, segment, now) {
            self.pacer.nothing_to_send();
            return None;
        }
        let release = if by_tokens { None } else { self.release() };
        let pipe = self.measured_pipe();
        let c = &mut self.connection;
        self.recovery.on_sent(c, segment, now);
        let packet = c.transmit(segment.range, pipe, now);
        self.recovery.after_sent(c, segment.range, now);
        if let Some((rate, release)) = release {
            self.pacer.sent(rate, release, packet.wire, now);
        }
        Some(packet)
    }

    /// Whether the end of the handshake is to leave now.
    #[cold]
    fn ends_handshake(&mut self) -> bool {
        let Spreading::Handshake { waiting } = &mut self.spreading else {
            return false;
        };
        std::mem::take(waiting)
    }

    /// Whether the bucket has tokens for a segment; probes of quinn and neqo need none.
    #[cold]
    fn takes_tokens(&mut self, segment: SegmentRange, now: Instant) -> bool {
        let c = &self.connection;
        let packet = c.stack.datagram();
        let window = whole(c.session.window.cwnd * packet as f64);
        let srtt = c.rtt.smoothed().map(|(srtt, _)| srtt);
        let is_exempt = segment.why == Why::Probe
            && matches!(
                c.stack.pacing.rule,
                Pacing::TokenBucket(Bucket::Quinn | Bucket::Neqo)
            );
        let slow_start = c.session.window.ssthresh.is_infinite();
        let Some(bucket) = &mut self.bucket else {
            return true;
        };
        if bucket.holds(packet) {
            self.pacer.nothing_to_send();
            return false;
        }
        let rate = c.session.window.pacing;
        let due = match rate {
            _ if is_exempt => None,
            None => bucket.wait(window, packet, srtt, slow_start, now),
            // Of UDP payload, not of what is on the wire.
            Some(Rate(rate)) => {
                let share = rate / 8 * packet / u64::from(c.stack.packet());
                bucket.wait_at_rate(share, packet, now)
            }
        };
        let admitted = self.pacer.admits_at(due);
        if admitted {
            let less = c.mss() - segment.range.bytes();
            bucket.sent(packet.saturating_sub(less));
        }
        admitted
    }

    /// What is in flight, where samples of the delivery rate need it.
    fn measured_pipe(&self) -> u64 {
        match self.connection.sent.samples_delivery() {
            true => self.recovery.pipe(&self.connection),
            false => 0,
        }
    }

    /// Sends a proactive retransmission, where one is left. Out of the way of every other segment.
    #[cold]
    #[inline(never)]
    fn send_proactive(&mut self, now: Instant) -> Option<Packet> {
        let segment = self.next_proactive()?;
        let pipe = self.measured_pipe();
        if self.connection.stack.numbers_packets() {
            // A packet of its own, which is acknowledged by its number.
            let again = segment.because(Why::Probe);
            self.recovery.on_sent(&mut self.connection, again, now);
        }
        Some(self.connection.transmit(segment, pipe, now))
    }

    /// The peer's window is closed: a probe, once the timer has expired that is started here.
    #[cold]
    #[inline(never)]
    fn poll_probe(&mut self, now: Instant) -> Option<Packet> {
        let due = self.persist == Persist::Due;
        self.persist = Persist::Waits;
        let c = &mut self.connection;
        if !due {
            c.restart_timer(now);
            return None;
        }
        let Some(plan) = part(c) else {
            return Some(probe(c));
        };
        self.end_persist();
        let segment = plan.by_position(self.connection.high());
        self.recovery.on_sent(&mut self.connection, segment, now);
        Some(self.connection.transmit(plan, 0, now))
    }

    /// The peer has answered, maybe a probe (Linux's `tcp_ack_probe`).
    #[cold]
    fn on_probe_answered(&mut self, now: Instant) {
        if self.connection.next_segment().is_some() {
            self.end_persist();
        } else {
            self.connection.restart_timer(now);
        }
    }

    fn end_persist(&mut self) {
        self.persist = Persist::Off;
        self.connection.rtt.end_backoff();
        self.connection.timer.stop();
    }

    /// The next segment that the startup sends a second time. Recovery has nothing to
    /// send, and is not notified: it is no sign of loss.
    fn next_proactive(&mut self) -> Option<ByteRange> {
        let c = &mut self.connection;
        while c.session.window.proactive.segments > 0 {
            let end = c.session.window.proactive.below.min(c.high());
            if end <= c.una() {
                c.session.window.proactive.segments = 0;
                break;
            }
            let start = ((end - 1) / c.mss() * c.mss()).max(c.una());
            c.session.window.proactive.segments -= 1;
            c.session.window.proactive.below = start;
            if !self.recovery.has_arrived(c, start, end) {
                return Some(ByteRange { start, end });
            }
        }
        None
    }

    /// When to call [`on_timer`](Self::on_timer).
    pub fn deadline(&self) -> Option<Instant> {
        let due = earlier(self.connection.timer.due(), self.pacer.deadline());
        let due = earlier(due, self.recovery.deadline());
        match &self.opening {
            None => due,
            Some(opening) => earlier(due, opening.deadline),
        }
    }

    /// Whether nothing is due, and a poll before then would spend tokens that a bucket saves up.
    pub fn saves_tokens(&self, now: Instant) -> bool {
        self.bucket.is_some() && self.deadline().is_some_and(|due| due > now)
    }

    /// A deadline has passed: the pacer's, recovery's own, or the retransmission timer's.
    pub fn on_timer(&mut self, now: Instant) {
        if self.may_send_data() && !self.recovery.on_timer(&mut self.connection, now) {
            return self.fail();
        }
        let early = self.opening.as_ref().and_then(|opening| opening.deadline);
        if let (State::Early { tries, .. }, Some(_)) = (self.state, early.filter(|d| *d <= now)) {
            self.on_syn_timeout(now, tries);
        }
        if !self.connection.timer_fires(now) {
            return;
        }
        match self.state {
            State::SynSent { tries, .. } => self.on_syn_timeout(now, tries),
            State::Open | State::Early { .. } if self.persist != Persist::Off => {
                self.persist = Persist::Due;
                self.connection.rtt.back_off();
                self.connection.restart_timer(now);
            }
            State::Open | State::Early { .. } => {
                self.pacer = Pacer::default();
                if self.spreading != Spreading::Nothing {
                    self.stop_spreading();
                }
                if !self.recovery.on_timeout(&mut self.connection, now) {
                    self.fail();
                }
            }
            State::Closed | State::Failed => self.connection.timer.stop(),
        }
    }

    fn on_syn_timeout(&mut self, now: Instant, tries: u32) {
        /// SYNs sent again before giving up, as common systems have it.
        const SYN_RETRIES: u32 = 6;
        let c = &mut self.connection;
        if c.stack.max_timeouts.is_some() && tries > SYN_RETRIES {
            return self.fail();
        }
        c.counters.syn_retransmits += 1;
        c.rtt.back_off();
        let (at, tries, waiting) = (now, tries + 1, true);
        let opening = self.opening.as_mut();
        let deadline = opening.map(|opening| {
            opening.repeats += 1;
            &mut opening.deadline
        });
        self.state = match (self.state, deadline) {
            (State::Early { .. }, Some(deadline)) => {
                *deadline = Some(now + c.rtt.rto());
                State::Early { at, tries, waiting }
            }
            _ => {
                c.restart_timer(now);
                State::SynSent { at, tries, waiting }
            }
        };
    }

    fn fail(&mut self) {
        self.state = State::Failed;
        self.stop();
    }

    /// Stops all timers: the flow is over.
    pub fn stop(&mut self) {
        self.opening = None;
        self.connection.timer.stop();
        self.pacer = Pacer::default();
    }

    /// Whether the connection was given up.
    pub fn failed(&self) -> bool {
        self.state == State::Failed
    }

    /// Everything below this position is acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.connection.una()
    }

    /// Bytes of which the peer has reported the arrival, in order or above a hole (SACK).
    pub fn delivered(&self) -> u64 {
        self.connection.una() + self.connection.sent.arrived_bytes()
    }

    /// Up to where an answer acknowledges data: its own word, unless it speaks of packets.
    pub fn position_of(&self, answer: &Packet) -> u64 {
        match answer.body {
            Body::Ack(Ack::Bytes(ack)) => ack.una(),
            Body::Ack(Ack::Numbers(_)) => self.connection.una(),
            _ => 0,
        }
    }

    /// The window.
    pub fn window(&self) -> &Window {
        &self.connection.session.window
    }

    /// Bytes in flight as recovery estimates them.
    pub fn flight(&self) -> u64 {
        self.recovery.pipe(&self.connection)
    }

    /// Bytes that what is out takes.
    pub fn bytes_held(&self) -> usize {
        self.connection.sent.bytes_held()
    }

    /// What this connection has measured of its path; nothing before a round trip was measured.
    pub fn memory(&self) -> Option<PathMemory> {
        let (srtt, rttvar) = self.connection.rtt.smoothed()?;
        let c = &self.connection;
        let delivered = c
            .throughput
            .as_ref()
            .map_or(Delivered::default(), |d| d.last());
        Some(PathMemory {
            cwnd: c.session.window.cwnd,
            ssthresh: c.session.window.ssthresh,
            srtt,
            rttvar,
            min_rtt: c.rtt.min_rtt().unwrap_or(srtt),
            delivered: delivered.bytes,
            rate: delivered.rate,
            in_use: false,
        })
    }

    /// Gives up a part of the window to a connection that has just opened, `others` having
    /// shared it so far (RFC 9040 §7).
    pub fn make_room(&mut self, others: usize) {
        let n = others as f64;
        let window = &mut self.connection.session.window;
        window.cwnd = (window.cwnd * n / (n + 1.0)).max(1.0);
        window.ssthresh = (window.ssthresh * n / (n + 1.0)).max(2.0);
    }

    /// How the startup ended.
    pub fn exit(&self) -> Option<&Exit> {
        self.connection.session.controller.exit()
    }

    /// Whether `segment`, just sent, had been sent before.
    pub fn is_retransmission(&self, segment: &Packet) -> bool {
        segment.start() < self.connection.prev_high
    }

    /// What it did.
    pub fn counters(&self) -> &Counters {
        &self.connection.counters
    }

    /// What is out, and what has become of it, where recovery is Linux's.
    pub fn info(&self) -> Option<Info> {
        self.recovery.info(&self.connection)
    }

    /// The latest sample of the delivery rate, where its controller uses them.
    pub fn delivery_rate(&self) -> Option<Rate> {
        self.connection.sent.delivery_rate()
    }

    /// What is lost and was not sent again since, as `[start, end)` in order.
    pub fn lost(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.connection
            .sent
            .lost()
            .into_iter()
            .flat_map(|lost| lost.iter())
    }

    /// One past the highest byte ever sent.
    pub fn high(&self) -> u64 {
        self.connection.high()
    }

    /// Round-trip estimates and the retransmission timeout.
    pub fn rtt(&self) -> &RttEstimator {
        &self.connection.rtt
    }

    /// Bytes that the application has handed over and that were never sent.
    pub fn unsent(&self) -> u64 {
        self.connection.queued - self.connection.high()
    }

    /// The smallest round-trip time seen.
    pub fn min_rtt(&self) -> Option<Duration> {
        self.connection.rtt.min_rtt()
    }
}

/// The earlier of two deadlines, either of which may not be set.
fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
