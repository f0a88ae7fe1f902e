//! The receiving endpoint: reassembly, and when and what to acknowledge.

use super::ecn::MarkCounter;
use super::flow_control::{FlowControl, FlowControlOptions, INITIAL_RTT};
use super::numbers::Numbers;
use super::quick_start::respond;
use super::ranges::RangeSet;
use super::receive_window::{Arrival, Growth, ReceiveWindow};
use super::timer::comes_round;
use crate::prefetch::prefetch;
use flowstart_control::{Duration, Instant, Pair};
use flowstart_wire::{
    Ack, AckOption, Body, ByteAck, Data, Ecn, MAX_SACK_BLOCKS, Packet, Syn, SynAck,
    UNLIMITED_WINDOW,
};
use std::sync::Arc;

/// Bytes that a server's pacer earns in a round trip: 1.25 initial windows of ten packets of 1200 bytes
/// (noq).
const PACER_EARNS: u64 = 15_000;

/// When a receiver acknowledges (RFC 5681 §4.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AckPolicy {
    /// Every data segment at once.
    Every,
    /// Every `every`-th full segment, or when `timer` after the first unacknowledged one
    /// has passed.
    Delayed {
        /// Segments per acknowledgement.
        every: u32,
        /// How long the first may wait.
        timer: Duration,
    },
    /// The first `quick` segments at once, then delayed; and at once whatever makes the
    /// advertised window grow: Linux.
    QuickThenDelayed {
        /// How many.
        quick: u32,
        /// Segments per acknowledgement later.
        every: u32,
        /// How long the first may wait.
        timer: Duration,
    },
}

impl AckPolicy {
    /// How many acknowledgements do not wait where data begins.
    fn quick(&self) -> u32 {
        match self {
            AckPolicy::QuickThenDelayed { quick, .. } => *quick,
            _ => 0,
        }
    }

    /// The longest that an acknowledgement may wait: QUIC's max_ack_delay.
    pub fn max_delay(&self) -> Duration {
        match self {
            AckPolicy::Every => Duration::ZERO,
            AckPolicy::Delayed { timer, .. } | AckPolicy::QuickThenDelayed { timer, .. } => *timer,
        }
    }
}

/// How an advertised window travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowField {
    /// As a number that has no bounds: ns-2's receivers advertise nothing.
    Exact,
    /// In sixteen bits, unscaled.
    Unscaled,
    /// In sixteen bits, scaled but for the SYN-ACK's (RFC 7323 §2.2).
    Scaled(u8),
}

impl WindowField {
    /// The window that it reports once the connection is open; [`UNLIMITED_WINDOW`] of one that
    /// never limits.
    pub fn says(self, window: u32) -> u32 {
        match (window, self) {
            (UNLIMITED_WINDOW, _) => UNLIMITED_WINDOW,
            (window, WindowField::Exact) => window,
            (window, WindowField::Unscaled) => window.min(65_535),
            (window, WindowField::Scaled(scale)) => ((window >> scale).min(65_535)) << scale,
        }
    }
}

/// What the receiver acknowledges, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiverOptions {
    /// When the receiver acknowledges.
    pub ack: AckPolicy,
    /// With numbered packets, by how many a missing one may be overtaken until that is
    /// acknowledged at once: the Reordering Threshold of draft-ietf-quic-ack-frequency.
    pub ack_reordering: u32,
    /// Bytes with which a server confirms a handshake in its first acknowledgement.
    pub confirmation: u32,
    /// Bytes with which a server confirms a handshake, where its acknowledgements wait until its pacer
    /// has earned them again (noq); zero where they do not.
    pub ack_pacer: u32,
    /// Whether the receiver reports what arrives twice (RFC 2883).
    pub dsack: bool,
    /// For how long the answer to what comes above a hole may wait for more of it, where the window
    /// grows (Linux's `tcp_comp_sack_delay_ns`); zero for no wait.
    pub comp_sack_delay: Duration,
    /// Whether the receiver discards what left before that which it has heard of last (PAWS, RFC
    /// 7323 §5).
    pub paws: bool,
    /// The acknowledgement of what begins or ends an echo of a mark does not wait.
    pub echo_at_once: bool,
    /// The acknowledgement of the SYN too may wait for the timer that delays others.
    pub delays_syn_ack: bool,
    /// What arrives at one moment is acknowledged once: in order, and with numbered packets all of it.
    pub batches: bool,
}

/// Configuration of a receiver.
#[derive(Clone, Debug)]
pub struct ReceiverConfig {
    /// What it acknowledges, and when.
    pub options: ReceiverOptions,
    /// The delayed-acknowledgement timer waits on a wheel of jiffies this long
    /// ([`timer`](super::timer)).
    pub jiffy: Option<Duration>,
    /// Whether to report what arrived above a hole.
    pub sack: bool,
    /// Whether packets are numbered and acknowledged by number.
    pub numbers: bool,
    /// Header bytes of an acknowledgement, SACK blocks not counted.
    pub header: u32,
    /// Bytes of the answer to a packet that opens a connection.
    pub opening: u32,
    /// How long what opens a connection waits for an answer before it is sent again, where this end
    /// sends it.
    pub syn_timeout: Duration,
    /// Data may come before what opens the connection, and is of no use then.
    pub early_data: bool,
    /// Bytes that each SACK block costs on the wire.
    pub sack_block_bytes: u32,
    /// Bytes that any other option costs.
    pub option_bytes: u32,
    /// Largest window to advertise; [`UNLIMITED_WINDOW`] for one that never limits.
    pub window: u32,
    /// How it grows up to there; `None` where all of it is advertised from the beginning.
    pub growth: Option<Growth>,
    /// Limits of flow control, in the place of a window; `None` for a window.
    pub flow_control: Option<FlowControlOptions>,
    /// Whether the acknowledgement of a repeated last segment may wait: ns-2's sink does
    /// not distinguish it from a first arrival.
    pub delays_repetition_of_last: bool,
    /// Whether the first data of a connection without handshake replaces the SYN: its
    /// acknowledgement waits only where the answer to a SYN does.
    pub first_stands_in: bool,
    /// How a window is written into an acknowledgement.
    pub window_field: WindowField,
    /// Whether data takes its fast path ([`Stack::fast_path`](crate::stack::Stack::fast_path)).
    pub fast_path: bool,
}

/// The receiving endpoint of one flow. What only some flows need is kept cold: where there
/// are a hundred thousand, what counts is how much of each a packet touches.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: Arc<ReceiverConfig>,
    next: u64,
    /// When the timer is due; `Instant::MAX` where it is not set.
    deadline: Instant,
    flow: u32,
    unacknowledged: u32,
    quick_left: u32,
    open: bool,
    /// The first data is acknowledged at once, in place of the SYN.
    answers_first: bool,
    /// Acknowledgements echo a congestion mark.
    echo: bool,
    /// Acknowledgements echo the timestamp of a retransmission (RFC 7323 §4.3).
    answers_repetition: bool,
    /// Data packets that have arrived.
    arrived: u64,
    /// Where the first of what came above a hole begins, so that others need not look there;
    /// `u64::MAX` where there is no hole.
    above_from: u64,
    /// What came above a hole, while there is one.
    above: Option<Box<OutOfOrder>>,
    /// The window, where it grows.
    window: Option<Box<ReceiveWindow>>,
    /// What only some receivers need, once they do.
    extensions: Option<Box<Extensions>>,
}

/// What only some receivers need.
#[derive(Clone, Debug, Default)]
struct Extensions {
    /// What is kept of marked and numbered segments.
    meters: AckPayload,
    /// The answer to a SYN that waits for the timer.
    waiting_answer: Option<Box<Packet>>,
    /// SYNs that were sent, while none is answered.
    connecting: Option<u32>,
    /// The limits of flow control, where there are any.
    flow_control: Option<Box<FlowControl>>,
}

impl Extensions {
    /// Those of a receiver with flow control.
    fn of(options: FlowControlOptions) -> Box<Extensions> {
        Box::new(Extensions {
            flow_control: Some(Box::new(FlowControl::new(options, Instant::ZERO))),
            ..Extensions::default()
        })
    }
}

/// What has arrived above a hole.
#[derive(Clone, Debug, Default)]
struct OutOfOrder {
    ranges: RangeSet,
    /// How many bytes they hold.
    bytes: u64,
    /// The blocks last reported, newest first (RFC 2018 §4).
    recent: [(u64, u64); MAX_SACK_BLOCKS],
    recent_len: usize,
}

/// What a receiver measures for its sender.
#[derive(Clone, Debug, Default)]
struct AckPayload {
    numbers: Option<Box<Spaces>>,
    pair: PairMeter,
    /// What has come again and is to be reported, `[start, end)`.
    duplicate: Option<(u64, u64)>,
    /// The sum of the congestion headers that the next acknowledgement is to bring back.
    feedback: Option<f64>,
    /// The marks, where the sender scales.
    marks: Option<MarkCounter>,
}

/// Packet number spaces (RFC 9000 §12.3): a handshake's packets are counted apart from data's.
#[derive(Clone, Debug, Default)]
struct Spaces {
    opening: Numbers,
    data: Numbers,
    /// When the last packet of the handshake was answered.
    answered: Option<Instant>,
    /// When the first data came.
    first: Instant,
}

/// Measures how far apart the segments of a pair arrive.
#[derive(Clone, Copy, Debug, Default)]
struct PairMeter {
    /// Where the first segment ended, and when it came.
    first: Option<(u64, Instant)>,
    /// A measurement that the next acknowledgement is to carry.
    gap: Option<Duration>,
}

impl PairMeter {
    /// A marked segment has arrived. The second of a pair counts only right behind its first.
    fn on_data(&mut self, data: &Data, pair: Pair, now: Instant) {
        match pair {
            Pair::None => {}
            Pair::First => self.first = Some((data.end(), now)),
            Pair::Second => {
                let first = self.first.take().filter(|(end, _)| *end == data.start());
                self.gap = first.map(|(_, at)| now.since(at)).or(self.gap);
            }
        }
    }
}

impl AckPayload {
    /// What the next acknowledgement, up to `next`, is to carry.
    fn take(&mut self, next: u64) -> AckOption {
        if let Some(range) = self.duplicate.take()
            && let Some(option) = Self::duplicate(range, next)
        {
            return option;
        }
        let gap = self.pair.gap.take().map(AckOption::Gap);
        let feedback = || self.feedback.take().map(AckOption::Feedback);
        let marks = self.marks.as_mut();
        let marks = || marks.map(|marks| AckOption::Marks(marks.report()));
        gap.or_else(feedback).or_else(marks).unwrap_or_default()
    }

    /// The report of what has come twice (RFC 2883). None where that is further from `next` than a
    /// sequence number can carry: no window is so large (RFC 7323 §2.3).
    #[cold]
    fn duplicate((start, end): (u64, u64), next: u64) -> Option<AckOption> {
        let start_from_next = i128::from(start) - i128::from(next);
        Some(AckOption::Duplicate {
            start: i32::try_from(start_from_next).ok()?,
            len: u32::try_from(end - start).ok()?,
        })
    }

    /// The bits of an acknowledgement: those of the data, where its sender scales.
    fn bits(&self) -> Ecn {
        match self.marks {
            None => Ecn::default(),
            Some(_) => Ecn::ECT1,
        }
    }
}

impl OutOfOrder {
    /// The block that holds what has just arrived comes first, then those that came before it, newest
    /// first, as far as they are not part of it (RFC 2018 §4). `next` is what is expected.
    #[inline]
    fn note(&mut self, next: u64, start: u64, end: u64) {
        let newest = (start >= next && end > start)
            .then(|| self.ranges.containing(start))
            .flatten();
        let mut blocks = [(0, 0); MAX_SACK_BLOCKS];
        let mut len = 0;
        if let Some(block) = newest {
            blocks[0] = block;
            len = 1;
        }
        for &old in &self.recent[..self.recent_len] {
            let covered = old.1 <= next || newest.is_some_and(|n| n.0 <= old.0 && old.1 <= n.1);
            if len < MAX_SACK_BLOCKS && !covered {
                blocks[len] = old;
                len += 1;
            }
        }
        (self.recent, self.recent_len) = (blocks, len);
    }

    /// Fills in SACK blocks, after what has just arrived.
    fn report(&mut self, ack: &mut ByteAck, start: u64, end: u64) {
        let next = ack.una();
        self.note(next, start, end);
        for block in &self.recent[..self.recent_len] {
            ack.push_sack(block.0.max(next), block.1);
        }
    }

    /// Whether what has arrived at `start` belongs to one of the first two blocks
    /// (`TCP_SACK_BLOCKS_EXPECTED`).
    fn is_expected(&self, start: u64) -> bool {
        let block = self.ranges.containing(start);
        let recent = &self.recent[..self.recent_len];
        let known = |(from, to)| recent.iter().position(|old| from <= old.0 && old.1 <= to);
        block.and_then(known).unwrap_or(self.recent_len) < 2
    }
}

impl Receiver {
    /// Bytes that what came above a hole takes.
    pub fn bytes_held(&self) -> usize {
        self.above.as_ref().map_or(0, |a| a.ranges.bytes_held())
    }

    /// A receiver for `flow` that waits for a SYN.
    pub fn new(config: Arc<ReceiverConfig>, flow: u32) -> Receiver {
        let quick_left = config.options.ack.quick();
        Receiver {
            open: !config.early_data,
            answers_first: false,
            window: config
                .growth
                .map(|growth| Box::new(ReceiveWindow::new(growth))),
            extensions: config.flow_control.map(Extensions::of),
            config,
            next: 0,
            deadline: Instant::MAX,
            flow,
            unacknowledged: 0,
            quick_left,
            echo: false,
            answers_repetition: false,
            arrived: 0,
            above_from: u64::MAX,
            above: None,
        }
    }

    /// Opens the connection, over which its peer will send data: the SYN.
    pub fn connect(&mut self, now: Instant) -> Packet {
        if let Some(window) = &mut self.window {
            window.open_actively();
            window.on_syn(now);
        }
        if let Some(control) = self.flow_control() {
            control.open(now, None);
        }
        self.send_syn(0, now)
    }

    /// The SYN that follows so many others.
    fn send_syn(&mut self, before: u32, now: Instant) -> Packet {
        let timeout = self.config.syn_timeout;
        self.deadline = now + timeout.times(1 << before.min(32));
        self.extensions.get_or_insert_default().connecting = Some(before + 1);
        let syn = Syn {
            number: before,
            request: None,
            by_receiver: true,
        };
        Packet::new(self.flow, self.config.opening, Body::Syn(syn))
    }

    /// The connection is open without a handshake, and this round trip known.
    pub fn open(&mut self, now: Instant, rtt: Duration) {
        self.open = true;
        if let Some(control) = self.flow_control() {
            control.open(now, Some(rtt));
        }
        self.answers_first = self.config.first_stands_in && !self.config.options.delays_syn_ack;
    }

    /// Everything below this position has arrived, in order.
    pub fn delivered(&self) -> u64 {
        self.next
    }

    /// Prefetches the memory that a data packet will need beyond the receiver's own.
    pub fn prefetch(&self) {
        if let Some(above) = &self.above {
            prefetch(&**above);
        }
    }

    /// Data packets that have arrived, whether new or not.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// When to call [`on_timer`](Self::on_timer).
    pub fn deadline(&self) -> Option<Instant> {
        let due = match self.config.flow_control {
            None => self.deadline,
            Some(_) => self.deadline.min(self.repetition()),
        };
        (due != Instant::MAX).then_some(due)
    }

    /// A packet has arrived; the answer, if there is one now.
    #[inline]
    pub fn on_packet(&mut self, packet: &Packet, now: Instant) -> Option<Packet> {
        match &packet.body {
            Body::Data(data) if self.is_plain(packet, data) => match &self.window {
                None => self.on_plain_data(data, now),
                Some(_) => self.on_plain_data_of_growing(packet, data, now),
            },
            _ => self.on_any_packet(packet, now),
        }
    }

    /// Whether data comes in order and reports nothing else, while nothing is missing.
    #[inline]
    fn is_plain(&self, packet: &Packet, data: &Data) -> bool {
        self.open
            && self.config.fast_path
            && data.start() == self.next
            && self.above_from == u64::MAX
            && !self.answers_repetition
            && data.is_bare()
            && packet.ecn.is_empty()
            && packet.tags.pair == Pair::None
    }

    /// The fast path of data. Both paths have the same results.
    #[inline]
    fn on_plain_data(&mut self, data: &Data, now: Instant) -> Option<Packet> {
        self.arrived += 1;
        let (start, end) = (data.start(), data.end());
        let threshold = self.config.options.ack_reordering;
        let orderly = !self.config.numbers || self.takes_number_in_order(data, threshold, now);
        self.next = end;
        self.answer((start, end), orderly, now)
    }

    /// The fast path where the window grows, of full segments without numbers.
    #[inline(never)]
    fn on_plain_data_of_growing(
        &mut self,
        packet: &Packet,
        data: &Data,
        now: Instant,
    ) -> Option<Packet> {
        let options = &self.config.options;
        let (quick, paws) = (options.ack.quick(), options.paws);
        let numbers = self.config.numbers;
        let window = self.window.as_mut().filter(|_| !numbers);
        if !window.is_some_and(|window| window.takes_steady_data(data, quick, paws, now)) {
            return self.on_any_packet(packet, now);
        }
        self.arrived += 1;
        let (start, end) = (data.start(), data.end());
        self.next = end;
        let waits = self.may_delay(start, now);
        self.answer_and_read(waits, (start, end), None, now)
    }

    /// Answers what has come last, in this range, unless the answer `may_wait` and does, or the pacer
    /// holds it back.
    #[inline]
    fn answer(&mut self, (start, end): (u64, u64), may_wait: bool, now: Instant) -> Option<Packet> {
        let moves = self.config.flow_control.is_some() && self.moves_limit(now);
        if may_wait && !moves && self.may_delay(start, now) {
            return None;
        }
        if self.config.numbers && self.waits_for_batch(now) {
            return None;
        }
        if self.config.options.ack_pacer > 0 && self.waits_for_pacer(now) {
            return None;
        }
        Some(self.acknowledge(start, end, now))
    }

    /// The limits of flow control, where there are any.
    #[inline]
    fn flow_control(&mut self) -> Option<&mut FlowControl> {
        self.config.flow_control?;
        self.extensions.as_mut()?.flow_control.as_deref_mut()
    }

    /// When the limit is sent again; `Instant::MAX` for never.
    fn repetition(&self) -> Instant {
        let control = self
            .extensions
            .as_ref()
            .and_then(|e| e.flow_control.as_ref());
        let due = control.and_then(|control| control.deadline());
        due.unwrap_or(Instant::MAX)
    }

    /// What has come in order is read at once. Whether that moves a limit of flow control.
    #[inline(never)]
    fn moves_limit(&mut self, now: Instant) -> bool {
        let read = self.next;
        let received = read + self.above.as_ref().map_or(0, |above| above.bytes);
        let control = self.flow_control();
        control.is_some_and(|control| control.on_data(read, received, now))
    }

    /// The sender is stopped by a limit. Whether that moves it.
    #[cold]
    fn answers_blocked(&mut self, now: Instant) -> bool {
        let control = self.flow_control();
        control.is_some_and(|control| control.on_blocked(now))
    }

    /// Any packet has arrived.
    #[inline(never)]
    fn on_any_packet(&mut self, packet: &Packet, now: Instant) -> Option<Packet> {
        let data = match &packet.body {
            Body::Data(data) => data,
            Body::Syn(syn) => {
                self.open = true;
                let answer = self.syn_ack(syn, now);
                return match self.config.options.delays_syn_ack {
                    false => Some(answer),
                    true => self.delay_answer(answer, now),
                };
            }
            Body::SynAck(_) => {
                self.extensions.get_or_insert_default().connecting = None;
                if let Some(control) = self.flow_control() {
                    control.measure(now);
                }
                return Some(self.acknowledge(self.next, self.next, now));
            }
            Body::Ack(_) => return None,
        };
        self.arrived += 1;
        if !self.open {
            return None;
        }
        if packet.tags.pair != Pair::None {
            self.meters().pair.on_data(data, packet.tags.pair, now);
        }
        if let Some(header) = data.congestion() {
            let feedback = &mut self.meters().feedback;
            *feedback = Some(feedback.unwrap_or(0.0) + header.feedback);
        }
        if self.config.options.paws && !self.takes_timestamp(data) {
            return Some(self.discard(data, now));
        }
        let urgent = !packet.ecn.is_empty() && self.note_marks(packet.ecn);
        let threshold = self.config.options.ack_reordering;
        let orderly = match self.config.numbers {
            true if data.end() == 0 => return Some(self.confirm_handshake(now)),
            true => self.takes_number_in_order(data, threshold, now),
            false => self.is_in_order(data),
        };
        if data.repeats() || self.answers_repetition {
            self.note_repetition(data);
        }
        let urgent = urgent || data.is_blocked() && self.answers_blocked(now);
        if self.window.is_some() {
            return self.on_growing(data, orderly, urgent, now);
        }
        let (start, end) = (data.start(), data.end());
        self.accept(start, end);
        self.answer((start, end), orderly && !urgent, now)
    }

    /// Whether the pacer holds the acknowledgement back, behind what has confirmed the handshake.
    #[cold]
    fn waits_for_pacer(&mut self, now: Instant) -> bool {
        let bytes = u64::from(self.config.options.ack_pacer);
        let spaces = self.numbers();
        let (Some(answered), first) = (spaces.answered, spaces.first) else {
            return false;
        };
        let earned = first.since(answered).times(bytes).over(PACER_EARNS);
        let until = first + earned;
        if until > now {
            self.deadline = until;
        }
        until > now
    }

    /// Whether no later timestamp has been heard of. Only what has a window that grows sends any.
    fn takes_timestamp(&mut self, data: &Data) -> bool {
        let window = self.window.as_mut();
        window.is_none_or(|window| window.takes_timestamp(data))
    }

    /// Data is not taken. The answer reports that, and that it has come before where that is so
    /// (`tcp_send_dupack`).
    #[cold]
    fn discard(&mut self, data: &Data, now: Instant) -> Packet {
        let (start, end) = (data.start(), data.end().min(self.next));
        if start < end {
            self.note_duplicate(start, end);
            let quick = self.config.options.ack.quick();
            if let Some(window) = &mut self.window {
                window.quicken(quick);
            }
        }
        self.acknowledge(start, end, now)
    }

    /// Only what comes in order, while nothing is missing, may wait (RFC 5681 §4.2).
    #[inline]
    fn is_in_order(&self, data: &Data) -> bool {
        let (start, end) = (data.start(), data.end());
        let in_order = start <= self.next && end > self.next
            || self.config.delays_repetition_of_last && end == self.next;
        in_order && self.above.is_none()
    }

    /// With packet numbers, gaps among those count and not holes in the stream (RFC 9000 §13.2.1).
    #[inline]
    fn takes_number_in_order(&mut self, data: &Data, threshold: u32, now: Instant) -> bool {
        let spaces = self.numbers();
        if spaces.first == Instant::ZERO {
            spaces.first = now;
        }
        !spaces.data.receive(data.number(), threshold, now)
    }

    /// The delayed-acknowledgement timer may have expired.
    pub fn on_timer(&mut self, now: Instant) -> Option<Packet> {
        if let Some(control) = self.flow_control()
            && control.on_timer(now)
        {
            return Some(self.acknowledge(self.next, self.next, now));
        }
        if self.deadline > now {
            return None;
        }
        if let Some(extensions) = &mut self.extensions {
            if let Some(answer) = extensions.waiting_answer.take() {
                self.deadline = Instant::MAX;
                return Some(*answer);
            }
            if let Some(before) = extensions.connecting {
                return Some(self.send_syn(before, now));
            }
        }
        Some(self.acknowledge(self.next, self.next, now))
    }

    #[inline]
    fn numbers(&mut self) -> &mut Spaces {
        self.meters().numbers.get_or_insert_default()
    }

    #[inline]
    fn meters(&mut self) -> &mut AckPayload {
        &mut self.extensions.get_or_insert_default().meters
    }

    /// Data has come to a window that grows: its effect on the window, the answer to it, and then
    /// the application's read, which may make an answer due where there is none.
    fn on_growing(
        &mut self,
        data: &Data,
        orderly: bool,
        urgent: bool,
        now: Instant,
    ) -> Option<Packet> {
        let (start, end) = (data.start(), data.end());
        if data.is_empty() {
            // A zero-window probe.
            return Some(self.acknowledge(start, end, now));
        }
        let arrival = self.accept_growing(data);
        let quick = self.config.options.ack.quick();
        self.window.as_mut()?.on_data(&arrival, quick, now);
        let waits = !urgent
            && match orderly {
                true => self.may_delay(start, now),
                false => self.may_compress(&arrival, (start, end), now),
            };
        self.answer_and_read(waits, (start, end), Some(&arrival), now)
    }

    /// Answers what has come last, in this range, unless the answer waits. Then the application
    /// reads, which may make an answer due where there is none. `arrival` is none for steady data.
    #[inline]
    fn answer_and_read(
        &mut self,
        waits: bool,
        (start, end): (u64, u64),
        arrival: Option<&Arrival>,
        now: Instant,
    ) -> Option<Packet> {
        let answer = (!waits).then(|| self.acknowledge(start, end, now));
        let (next, window) = (self.next, self.window.as_mut()?);
        match arrival {
            None => window.on_steady_read(next, now),
            Some(arrival) => window.on_read(arrival, now),
        }
        if answer.is_some() || !window.answers_read(next) {
            return answer;
        }
        Some(self.acknowledge(next, next, now))
    }

    /// Something has come while data is missing. Whether the answer waits for more: not where that
    /// is all there was to come, and where a third block would make two of them.
    fn may_compress(&mut self, arrival: &Arrival, (start, end): (u64, u64), now: Instant) -> bool {
        let most = self.config.options.comp_sack_delay;
        let compresses = most > Duration::ZERO && self.config.sack;
        let above = self.above.as_ref().filter(|_| compresses);
        if !above.is_some_and(|above| above.is_expected(start)) {
            return false;
        }
        let window = self.window.as_mut();
        let held = window.and_then(|window| window.compresses(arrival, most));
        let Some(wait) = held else { return false };
        if let Some(above) = &mut self.above {
            above.note(arrival.next, start, end);
        }
        let due = now + wait;
        self.deadline = self.deadline.min(due);
        true
    }

    /// Takes in what a packet holds; the effect on the window.
    fn accept_growing(&mut self, data: &Data) -> Arrival {
        let before = self.next;
        let held_before = self.above.as_ref().map_or(0, |above| above.bytes);
        self.accept(data.start(), data.end());
        let (above, high) = match &self.above {
            None => (0, self.next),
            Some(above) => (above.bytes, above.ranges.end().unwrap_or(self.next)),
        };
        Arrival {
            len: data.len(),
            before,
            next: self.next,
            high,
            above,
            pushes: data.pushes(),
            news_above: above > held_before,
            echoed: data.echo(),
        }
    }

    /// Marks are echoed until the sender's answer; one that comes with the answer is of a new
    /// window (RFC 3168 §6.1.3). Whether the sender should hear of it at once.
    fn note_marks(&mut self, bits: Ecn) -> bool {
        if bits.has(Ecn::ECT1) {
            return self.count_marks(bits);
        }
        let before = self.echo;
        self.echo = bits.has(Ecn::CE) || before && !bits.has(Ecn::CWR);
        self.config.options.echo_at_once && (self.echo != before || bits.has(Ecn::CWR))
    }

    /// The sender scales: the marks are counted. Whether it should hear of this one at once.
    fn count_marks(&mut self, bits: Ecn) -> bool {
        let numbered = self.config.numbers;
        let marks = self.meters().marks.get_or_insert_default();
        marks.on_data(bits.has(Ecn::CE), numbered)
    }

    /// What an acknowledgement echoes is the timestamp of the segment that was the first to move it
    /// since the last, or of a later one that moved nothing (RFC 7323 §4.3).
    #[cold]
    fn note_repetition(&mut self, data: &Data) {
        if data.end() <= self.next {
            self.answers_repetition |= data.repeats();
        } else if data.start() <= self.next && self.unacknowledged == 0 {
            self.answers_repetition = data.repeats();
        }
    }

    #[inline(always)]
    fn accept(&mut self, start: u64, end: u64) {
        if start > self.next {
            // Of a segment without data nothing is held.
            if start >= end {
                return;
            }
            let above = self.above.get_or_insert_default();
            let bytes = &mut above.bytes;
            let before = *bytes;
            above
                .ranges
                .insert(start, end, |from, to| *bytes += to - from);
            self.above_from = self.above_from.min(start);
            if *bytes == before {
                self.note_duplicate(start, end);
            }
        } else if end > self.next {
            self.next = end;
            if end >= self.above_from {
                self.fill_hole();
            }
        } else {
            self.note_duplicate(start, end);
        }
    }

    #[cold]
    fn note_duplicate(&mut self, start: u64, end: u64) {
        if self.config.options.dsack {
            self.meters().duplicate = Some((start, end));
        }
    }

    /// What arrived in order has reached what came above a hole. It may cover whole ranges, and end
    /// where the next one begins.
    fn fill_hole(&mut self) {
        let Some(above) = &mut self.above else { return };
        let bytes = &mut above.bytes;
        let mut gone = |from, to| *bytes -= to - from;
        above.ranges.remove_below(self.next, &mut gone);
        if let Some((start, high)) = above.ranges.first()
            && start == self.next
        {
            self.next = high;
            above.ranges.remove_below(high, gone);
        }
        match above.ranges.first() {
            Some((start, _)) => self.above_from = start,
            None => (self.above, self.above_from) = (None, u64::MAX),
        }
    }

    /// Counts a segment that arrived in order; whether its acknowledgement may wait.
    #[inline(always)]
    fn may_delay(&mut self, start: u64, now: Instant) -> bool {
        if start == 0 && self.answers_first {
            return false;
        }
        let (every, timer) = match self.config.options.ack {
            AckPolicy::Every => return self.waits_for_batch(now),
            AckPolicy::Delayed { every, timer } => (every, timer),
            AckPolicy::QuickThenDelayed { every, timer, .. } => {
                if self.is_quick() {
                    return self.waits_for_batch(now);
                }
                (every, timer)
            }
        };
        self.unacknowledged += 1;
        if self.unacknowledged >= every {
            return self.waits_for_batch(now);
        }
        if self.deadline == Instant::MAX {
            self.deadline = match self.config.jiffy {
                Some(jiffy) => comes_round(now, timer, jiffy),
                None => now + timer,
            };
        }
        true
    }

    /// An acknowledgement is due: whether it waits for what else arrives at this moment.
    #[inline]
    fn waits_for_batch(&mut self, now: Instant) -> bool {
        let options = &self.config.options;
        let (waits, paced) = (options.batches, options.ack_pacer > 0);
        if waits && !(paced && self.waits_for_pacer(now)) {
            self.deadline = now;
        }
        waits
    }

    /// Whether the next acknowledgement is one of those at once: of a window that grows by its
    /// own count, else of the first so many.
    fn is_quick(&mut self) -> bool {
        if let Some(window) = &self.window {
            return window.is_quick();
        }
        let quick = self.quick_left > 0;
        self.quick_left -= u32::from(quick);
        quick
    }

    /// The end of a handshake is confirmed at once.
    #[cold]
    #[inline(never)]
    fn confirm_handshake(&mut self, now: Instant) -> Packet {
        self.acknowledge(0, 0, now)
    }

    #[inline]
    fn acknowledge(&mut self, start: u64, end: u64, now: Instant) -> Packet {
        self.unacknowledged = 0;
        self.deadline = Instant::MAX;
        let window = self.advertised(now);
        let silent = self.extensions.is_none() && self.above.is_none();
        let mut packet = if silent && !self.config.numbers {
            let mut ack = ByteAck::new(self.next, window, AckOption::None);
            if self.answers_repetition {
                ack.set_answers_repetition();
            }
            Packet::new(self.flow, self.config.header, Body::Ack(Ack::Bytes(ack)))
        } else {
            self.build_ack(window, (start, end), now)
        };
        if self.echo {
            packet.ecn.set(Ecn::ECE);
        }
        packet
    }

    /// An acknowledgement that reports more than how far the data has come. What is in `arrived`
    /// has come last.
    #[inline(never)]
    fn build_ack(&mut self, window: u32, arrived: (u64, u64), now: Instant) -> Packet {
        let (option, ecn) = match &mut self.extensions {
            None => (AckOption::None, Ecn::default()),
            Some(extensions) => (extensions.meters.take(self.next), extensions.meters.bits()),
        };
        let wire = self.config.header + option.wire(self.config.option_bytes);
        if self.config.numbers {
            let confirmation = self.config.options.confirmation;
            let spaces = self.numbers();
            let confirms =
                confirmation > 0 && spaces.answered.is_some() && !spaces.data.has_reported();
            let more = if confirms { confirmation } else { 0 };
            let (ack, bytes) = spaces.data.acknowledge(window, option, now);
            let packet = Packet::new(self.flow, wire + bytes + more, Body::Ack(Ack::Numbers(ack)));
            return Packet { ecn, ..packet };
        }
        let mut ack = ByteAck::new(self.next, window, option);
        if self.answers_repetition {
            ack.set_answers_repetition();
        }
        if let Some(above) = self.above.as_mut().filter(|_| self.config.sack) {
            above.report(&mut ack, arrived.0, arrived.1);
        }
        let blocks = u32::from(ack.blocks()) * self.config.sack_block_bytes;
        let packet = Packet::new(self.flow, wire + blocks, Body::Ack(Ack::Bytes(ack)));
        Packet { ecn, ..packet }
    }

    fn syn_ack(&mut self, syn: &Syn, now: Instant) -> Packet {
        let first = self.window.as_mut().map(|window| window.on_syn(now));
        let fixed = match (self.config.window, self.config.window_field) {
            (UNLIMITED_WINDOW, _) => UNLIMITED_WINDOW,
            (window, WindowField::Exact) => window,
            (window, _) => window.min(65_535),
        };
        // Data that comes with the first packet shows no round trip.
        let early = self.config.early_data.then_some(INITIAL_RTT);
        if let Some(control) = self.flow_control() {
            control.open(now, early);
        }
        let mut answer = SynAck::new(syn.number, first.unwrap_or(fixed));
        if self.config.numbers {
            let numbers = &mut self.numbers().opening;
            numbers.receive(syn.number, 1, now);
            numbers.answer(&mut answer);
            self.numbers().answered = Some(now);
        }
        let mut wire = self.config.opening;
        if let Some(response) = syn.request.and_then(respond) {
            answer.set_response(response);
            wire += self.config.option_bytes;
        }
        Packet::new(self.flow, wire, Body::SynAck(answer))
    }

    /// The answer to a SYN waits for the timer, unless the SYN comes again meanwhile.
    #[cold]
    fn delay_answer(&mut self, answer: Packet, now: Instant) -> Option<Packet> {
        let waiting = &mut self.extensions.get_or_insert_default().waiting_answer;
        if waiting.take().is_some() {
            self.deadline = Instant::MAX;
            return Some(answer);
        }
        *waiting = Some(Box::new(answer));
        self.deadline = now + self.config.options.ack.max_delay();
        None
    }

    fn advertised(&mut self, now: Instant) -> u32 {
        if let Some(window) = &mut self.window {
            return window.advertise(self.next, now);
        }
        if let Some(control) = self.flow_control() {
            return control.field();
        }
        self.config.window_field.says(self.config.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receive_window::{Field, ReceiveBuffer};
    use flowstart_wire::CongestionHeader;
    use proptest::prelude::*;

    const MSS: u64 = 10;

    fn receiver(ack: AckPolicy) -> Receiver {
        let config = ReceiverConfig {
            options: ReceiverOptions {
                ack,
                ack_reordering: 1,
                confirmation: 0,
                ack_pacer: 0,
                dsack: false,
                comp_sack_delay: Duration::ZERO,
                paws: false,
                echo_at_once: false,
                delays_syn_ack: false,
                batches: false,
            },
            jiffy: None,
            sack: true,
            numbers: false,
            header: 40,
            opening: 40,
            syn_timeout: Duration::from_secs(1),
            early_data: false,
            sack_block_bytes: 8,
            option_bytes: 8,
            window: UNLIMITED_WINDOW,
            growth: None,
            flow_control: None,
            first_stands_in: false,
            delays_repetition_of_last: false,
            window_field: WindowField::Unscaled,
            fast_path: true,
        };
        Receiver::new(Arc::new(config), 0)
    }

    /// The same that acknowledges what comes at one moment once.
    fn in_batches(receiver: Receiver, numbers: bool) -> Receiver {
        let mut config = ReceiverConfig::clone(&receiver.config);
        (config.options.batches, config.numbers) = (true, numbers);
        Receiver::new(Arc::new(config), 0)
    }

    #[test]
    fn what_comes_at_one_moment_is_acknowledged_once() {
        for numbers in [false, true] {
            let mut r = in_batches(receiver(AckPolicy::Every), numbers);
            r.open(Instant::ZERO, Duration::ZERO);
            for n in 0..5 {
                assert!(data(&mut r, n, 7).is_none());
                assert_eq!(r.deadline(), Some(Instant(7)));
            }
            let answer = r.on_timer(Instant(7)).unwrap();
            assert!(matches!(answer.body, Body::Ack(_)));
            assert_eq!((r.delivered(), r.deadline()), (5 * MSS, None));
        }
    }

    #[test]
    fn a_batch_below_the_count_of_delayed_acknowledgements_waits_for_the_timer() {
        let timer = Duration(100);
        let mut r = in_batches(receiver(AckPolicy::Delayed { every: 3, timer }), false);
        r.open(Instant::ZERO, Duration::ZERO);
        data(&mut r, 0, 7);
        data(&mut r, 1, 7);
        assert_eq!(r.deadline(), Some(Instant(107)));
        data(&mut r, 2, 50);
        assert_eq!(r.deadline(), Some(Instant(50)));
    }

    #[test]
    fn without_numbers_a_hole_is_reported_although_a_batch_is_not_over() {
        let mut r = in_batches(receiver(AckPolicy::Every), false);
        r.open(Instant::ZERO, Duration::ZERO);
        assert!(data(&mut r, 0, 7).is_none());
        assert!(data(&mut r, 2, 7).is_some());
    }

    #[test]
    fn a_segment_without_data_above_a_hole_delivers_nothing() {
        let mut r = receiver(AckPolicy::Every);
        r.open(Instant::ZERO, Duration::ZERO);
        data(&mut r, 5, 1);
        let empty = Packet::data(0, 40, 2 * MSS, 0);
        r.on_packet(&empty, Instant(2));
        data(&mut r, 0, 3);
        data(&mut r, 1, 4);
        assert_eq!(r.delivered(), 2 * MSS);
    }

    proptest! {
        #[test]
        fn all_up_to_the_first_missing_byte_is_delivered_however_segments_overlap(
            segments in prop::collection::vec((0usize..60, 1usize..20), 0..60),
        ) {
            let mut r = receiver(AckPolicy::Every);
            r.open(Instant::ZERO, Duration::ZERO);
            let mut came = [false; 100];
            for (start, length) in segments {
                let packet = Packet::data(0, 50, start as u64, length as u32);
                r.on_packet(&packet, Instant(1));
                came[start..start + length].fill(true);
                let missing = came.iter().position(|came| !came);
                prop_assert_eq!(Some(r.delivered()), missing.map(|at| at as u64));
            }
        }
    }

    /// ns-2's sink takes packet 0 for a SYN, whenever it comes.
    #[test]
    fn what_stands_in_for_the_syn_is_acknowledged_at_once_where_that_is() {
        let timer = Duration::from_millis(100);
        let answers = |delays_syn_ack: bool, without_handshake: bool| {
            let mut r = receiver(AckPolicy::Delayed { every: 3, timer });
            let config = Arc::get_mut(&mut r.config).unwrap();
            (config.first_stands_in, config.options.delays_syn_ack) = (true, delays_syn_ack);
            if without_handshake {
                r.open(Instant::ZERO, Duration::ZERO);
            }
            [0, 1].map(|number| data(&mut r, number, number).is_some())
        };
        assert_eq!(answers(false, true), [true, false]);
        assert_eq!(answers(true, true), [false, false]);
        assert_eq!(answers(false, false), [false, false], "the SYN has been");
    }

    fn data(r: &mut Receiver, number: u64, now: u64) -> Option<Packet> {
        let packet = Packet::data(0, 50, number * MSS, MSS as u32);
        r.on_packet(&packet, Instant(now))
    }

    fn ack(packet: &Packet) -> &Ack {
        match &packet.body {
            Body::Ack(ack) => ack,
            body => panic!("{body:?} is no acknowledgement"),
        }
    }

    fn una(packet: &Packet) -> u64 {
        match ack(packet) {
            Ack::Bytes(ack) => ack.una(),
            Ack::Numbers(ack) => panic!("{ack:?}"),
        }
    }

    fn blocks(packet: &Packet) -> Vec<(u64, u64)> {
        match ack(packet) {
            Ack::Bytes(ack) => ack.sack_blocks().map(|(a, b)| (a / MSS, b / MSS)).collect(),
            Ack::Numbers(ack) => ack.numbers().collect(),
        }
    }

    fn option(packet: &Packet) -> AckOption {
        ack(packet).option()
    }

    fn syn(number: u32) -> Packet {
        let request = None;
        let by_receiver = false;
        let syn = Syn {
            number,
            request,
            by_receiver,
        };
        Packet::new(0, 40, Body::Syn(syn))
    }

    fn answer(r: &mut Receiver, number: u32) -> (SynAck, u32) {
        let packet = r.on_packet(&syn(number), Instant::ZERO).unwrap();
        match packet.body {
            Body::SynAck(answer) => (answer, packet.wire),
            body => panic!("{body:?} answers no SYN"),
        }
    }

    #[test]
    fn a_server_confirms_the_handshake_in_its_first_acknowledgement_only() {
        let sizes = |opens: bool| {
            let mut r = receiver(AckPolicy::Every);
            let config = Arc::get_mut(&mut r.config).unwrap();
            (config.numbers, config.options.confirmation) = (true, 169);
            if opens {
                r.on_packet(&syn(0), Instant::ZERO).unwrap();
            }
            let mut wire = |number: u32| {
                let data = Data::new(u64::from(number) * MSS, MSS as u32, number);
                let packet = Packet::new(0, 50, Body::Data(data));
                r.on_packet(&packet, Instant(1)).unwrap().wire
            };
            [wire(0), wire(1)]
        };
        assert_eq!(sizes(true), [40 + 169, 40]);
        assert_eq!(sizes(false), [40, 40]);
    }

    #[test]
    fn blocks_are_reported_newest_first_and_at_most_three() {
        let mut r = receiver(AckPolicy::Every);
        data(&mut r, 0, 0);
        for n in [2, 4, 6, 8] {
            data(&mut r, n, 0);
        }
        let ack = data(&mut r, 10, 0).unwrap();
        assert_eq!(blocks(&ack), [(10, 11), (8, 9), (6, 7)]);
        assert_eq!(ack.wire, 40 + 3 * 8);
        let ack = data(&mut r, 9, 0).unwrap();
        assert_eq!(blocks(&ack), [(8, 11), (6, 7)]);
    }

    #[test]
    fn filling_the_lowest_hole_keeps_the_older_blocks() {
        let mut r = receiver(AckPolicy::Every);
        for n in [1, 3, 5] {
            data(&mut r, n, 0);
        }
        let ack = data(&mut r, 0, 0).unwrap();
        assert_eq!(una(&ack), 2 * MSS);
        assert_eq!(blocks(&ack), [(5, 6), (3, 4)]);
    }

    #[test]
    fn every_second_segment_is_acknowledged_and_a_lone_one_after_the_timer() {
        let mut r = receiver(AckPolicy::Delayed {
            every: 2,
            timer: Duration(100),
        });
        assert!(data(&mut r, 0, 0).is_none());
        assert_eq!(una(&data(&mut r, 1, 10).unwrap()), 2 * MSS);
        assert!(data(&mut r, 2, 20).is_none());
        assert_eq!(r.deadline(), Some(Instant(120)));
        assert!(r.on_timer(Instant(119)).is_none());
        assert_eq!(una(&r.on_timer(Instant(120)).unwrap()), 3 * MSS);
        assert_eq!(r.deadline(), None);
    }

    #[test]
    fn on_a_wheel_an_acknowledgement_waits_until_that_comes_round() {
        let (at_ms, ms) = (Instant::from_millis, Duration::from_millis);
        let mut r = receiver(AckPolicy::Delayed {
            every: 2,
            timer: ms(40),
        });
        Arc::get_mut(&mut r.config).unwrap().jiffy = Some(ms(4));
        assert!(data(&mut r, 0, ms(9).0).is_none());
        assert_eq!(r.deadline(), Some(at_ms(52)));
    }

    #[test]
    fn nothing_out_of_order_and_no_gap_filled_waits() {
        let mut r = receiver(AckPolicy::Delayed {
            every: 2,
            timer: Duration(100),
        });
        assert!(data(&mut r, 1, 0).is_some(), "above a hole");
        assert!(data(&mut r, 1, 0).is_some(), "a duplicate");
        assert!(data(&mut r, 3, 0).is_some(), "above a second hole");
        assert!(data(&mut r, 0, 0).is_some(), "fills a gap");
        assert!(data(&mut r, 2, 0).is_some(), "fills the last gap");
        assert!(data(&mut r, 4, 0).is_none(), "in order again");
    }

    /// A receiver of numbered packets that acknowledges every second.
    fn numbered(early_data: bool) -> Receiver {
        let mut r = receiver(AckPolicy::Delayed {
            every: 2,
            timer: Duration(100),
        });
        let config = Arc::make_mut(&mut r.config);
        config.numbers = true;
        config.early_data = early_data;
        Receiver::new(r.config, 0)
    }

    fn packet(r: &mut Receiver, number: u32, position: u64) -> Option<Packet> {
        let data = Data::new(position * MSS, MSS as u32, number);
        r.on_packet(&Packet::new(0, 50, Body::Data(data)), Instant::ZERO)
    }

    #[test]
    fn a_hole_in_the_stream_makes_no_haste_where_packets_are_numbered() {
        let mut r = numbered(false);
        assert!(packet(&mut r, 1, 1).is_some(), "the first is missing");
        assert!(packet(&mut r, 2, 2).is_none(), "the hole is known");
        let ack = packet(&mut r, 3, 3).unwrap();
        assert_eq!(blocks(&ack), [(1, 4)]);
        assert_eq!(r.delivered(), 0);
        assert!(
            packet(&mut r, 4, 0).is_none(),
            "it fills the hole in a new packet"
        );
        assert_eq!(r.delivered(), 4 * MSS);
    }

    #[test]
    fn the_end_of_a_handshake_is_confirmed_at_once_and_is_no_packet_of_data() {
        let mut r = numbered(false);
        let end = Packet::data(0, 50, 0, 0);
        assert!(r.on_packet(&end, Instant::ZERO).is_some());
        assert!(packet(&mut r, 0, 0).is_none());
        assert_eq!(blocks(&packet(&mut r, 1, 1).unwrap()), [(0, 2)]);
    }

    #[test]
    fn packets_that_open_a_connection_are_numbered_apart() {
        let mut r = numbered(true);
        assert!(packet(&mut r, 0, 0).is_none());
        assert_eq!(
            (r.arrived(), r.delivered()),
            (1, 0),
            "nobody can read it yet"
        );
        let mut told = |number| {
            let (answer, wire) = answer(&mut r, number);
            let ranges: Vec<_> = answer.numbers().collect();
            (answer.answers, wire, ranges)
        };
        assert_eq!(told(0), (0, 40, vec![(0, 1)]));
        assert_eq!(
            told(1),
            (1, 40, vec![(0, 2)]),
            "its answer was lost, not the first"
        );
        assert_eq!(told(3), (3, 40, vec![(3, 4), (0, 2)]));
        assert!(
            packet(&mut r, 1, 0).is_some(),
            "data's own numbers begin at zero"
        );
        assert_eq!(r.delivered(), MSS);
    }

    #[test]
    fn quick_acknowledgements_come_first() {
        let mut r = receiver(AckPolicy::QuickThenDelayed {
            quick: 2,
            every: 2,
            timer: Duration(100),
        });
        let answered: Vec<bool> = (0..6).map(|n| data(&mut r, n, 0).is_some()).collect();
        assert_eq!(answered, [true, true, false, true, false, true]);
    }

    fn marked(r: &mut Receiver, number: u64, pair: Pair, at: Instant) -> Option<Packet> {
        let mut packet = Packet::data(0, 50, number * MSS, MSS as u32);
        packet.tags.pair = pair;
        r.on_packet(&packet, at)
    }

    const DELAYED: AckPolicy = AckPolicy::Delayed {
        every: 4,
        timer: Duration::from_millis(200),
    };

    #[test]
    fn an_acknowledgement_carries_the_gap_of_a_pair_once() {
        let mut r = receiver(AckPolicy::Every);
        marked(&mut r, 0, Pair::First, Instant::from_micros(10_000));
        let ack = marked(&mut r, 1, Pair::Second, Instant::from_micros(17_772)).unwrap();
        assert_eq!(option(&ack), AckOption::Gap(Duration::from_micros(7_772)));
        assert_eq!(ack.wire, 40 + 8);
        let next = data(&mut r, 2, 20_000_000).unwrap();
        assert_eq!((option(&next), next.wire), (AckOption::None, 40));
    }

    #[test]
    fn a_second_segment_without_its_first_measures_nothing() {
        let mut r = receiver(AckPolicy::Every);
        marked(&mut r, 0, Pair::First, Instant::from_micros(10_000));
        let ack = marked(&mut r, 3, Pair::Second, Instant::from_micros(17_772)).unwrap();
        assert_eq!(option(&ack), AckOption::None);
    }

    #[test]
    fn a_delayed_acknowledgement_carries_the_latest_gap() {
        let mut r = receiver(DELAYED);
        let (at_us, us) = (Instant::from_micros, Duration::from_micros);
        assert!(marked(&mut r, 0, Pair::First, at_us(0)).is_none());
        assert!(marked(&mut r, 1, Pair::Second, at_us(1_300)).is_none());
        assert!(marked(&mut r, 2, Pair::First, at_us(2_400)).is_none());
        let ack = marked(&mut r, 3, Pair::Second, at_us(3_600)).unwrap();
        assert_eq!(option(&ack), AckOption::Gap(us(1_200)));
    }

    #[test]
    fn congestion_headers_come_back_added_up_however_acknowledgements_are_delayed() {
        let mut r = receiver(AckPolicy::Delayed {
            every: 3,
            timer: Duration(100),
        });
        let mut arrive = |number: u64, feedback: f64| {
            let mut data = Data::new(number * MSS, MSS as u32, 0);
            data.set_congestion(CongestionHeader {
                cwnd: 3.0,
                rtt: Duration(100),
                feedback,
            });
            r.on_packet(&Packet::new(0, 70, Body::Data(data)), Instant(0))
        };
        assert!(arrive(0, 500.0).is_none() && arrive(1, -200.0).is_none());
        let ack = arrive(2, 1000.0).unwrap();
        assert_eq!(option(&ack), AckOption::Feedback(1300.0));
        assert_eq!(ack.wire, 60);
        // Each is brought back once. One that no router has written into shows.
        assert!(arrive(3, 5.0).is_none() && arrive(4, 0.0).is_none());
        let ack = arrive(5, f64::INFINITY).unwrap();
        assert_eq!(option(&ack), AckOption::Feedback(f64::INFINITY));
    }

    #[test]
    fn a_syn_is_answered_with_an_unscaled_window() {
        let mut r = receiver(AckPolicy::Every);
        Arc::make_mut(&mut r.config).window = 1_000_000;
        Arc::make_mut(&mut r.config).window_field = WindowField::Scaled(7);
        assert_eq!(answer(&mut r, 0).0.window, 65_535);
        assert_eq!(ack(&data(&mut r, 0, 0).unwrap()).window(), 999_936);
        Arc::make_mut(&mut r.config).window_field = WindowField::Unscaled;
        assert_eq!(ack(&data(&mut r, 1, 0).unwrap()).window(), 65_535);
    }

    fn with_bits(r: &mut Receiver, number: u64, bits: &[Ecn]) -> Option<bool> {
        let mut packet = Packet::data(0, 50, number * MSS, MSS as u32);
        bits.iter().for_each(|bit| packet.ecn.set(*bit));
        let ack = r.on_packet(&packet, Instant(0));
        ack.map(|ack| ack.ecn.has(Ecn::ECE))
    }

    #[test]
    fn a_mark_is_echoed_until_the_sender_reports_a_smaller_window() {
        let mut r = receiver(AckPolicy::Every);
        let (ect, ce, cwr) = (Ecn::ECT, Ecn::CE, Ecn::CWR);
        assert_eq!(with_bits(&mut r, 0, &[ect]), Some(false));
        assert_eq!(with_bits(&mut r, 1, &[ect, ce]), Some(true));
        assert_eq!(with_bits(&mut r, 2, &[ect]), Some(true));
        // What comes out of order is acknowledged with the echo too.
        assert_eq!(with_bits(&mut r, 4, &[ect]), Some(true));
        assert_eq!(with_bits(&mut r, 3, &[ect]), Some(true));
        assert_eq!(with_bits(&mut r, 5, &[ect, cwr]), Some(false));
        // A mark on that segment belongs to the new window.
        assert_eq!(with_bits(&mut r, 6, &[ect, ce]), Some(true));
        assert_eq!(with_bits(&mut r, 7, &[ect, ce, cwr]), Some(true));
        assert_eq!(with_bits(&mut r, 8, &[ect, cwr]), Some(false));
    }

    #[test]
    fn linux_lets_no_beginning_and_no_end_of_an_echo_wait() {
        let answers = |at_once: bool| {
            let mut r = receiver(DELAYED);
            Arc::make_mut(&mut r.config).options.echo_at_once = at_once;
            let bits = [&[][..], &[Ecn::CE], &[], &[Ecn::CWR], &[], &[], &[]];
            let answers = (0..).zip(bits).map(|(n, bits)| with_bits(&mut r, n, bits));
            answers.collect::<Vec<_>>()
        };
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(answers(true), [None, yes, None, no, None, None, None]);
        assert_eq!(answers(false), [None, None, None, no, None, None, None]);
    }

    #[test]
    fn what_opens_the_window_is_acknowledged_at_once_and_the_quick_ones_come_after() {
        let mut r = growing(Duration::ZERO);
        assert_eq!(answer(&mut r, 0).0.window, 65_160);
        let mut arrive = |number: u64| {
            let packet = Packet::data(0, 1500, number * u64::from(SEGMENT), SEGMENT);
            let answer = r.on_packet(&packet, Instant(0));
            answer.map(|answer| ack(&answer).window())
        };
        let windows: Vec<_> = (0..11).map(&mut arrive).collect();
        let full = Some(80_896);
        let growing = [68_608, 71_680, 74_752, 76_800, 79_872, 80_896].map(Some);
        assert_eq!(windows[..6], growing);
        assert_eq!(windows[6..], [full, full, None, full, None]);
    }

    const SEGMENT: u32 = 1448;

    /// A receiver with a stock kernel's buffers and two quick acknowledgements at most.
    fn growing(comp_sack_delay: Duration) -> Receiver {
        let ack = AckPolicy::QuickThenDelayed {
            quick: 2,
            every: 2,
            timer: Duration::from_millis(40),
        };
        let mut config = (*receiver(ack).config).clone();
        config.options.comp_sack_delay = comp_sack_delay;
        let config = ReceiverConfig {
            growth: Some(Growth {
                buffer: ReceiveBuffer::STOCK,
                most: None,
                mss: SEGMENT,
                header: 52,
                field: Field::Scaled,
            }),
            ..config
        };
        Receiver::new(Arc::new(config), 0)
    }

    /// The same that has had a SYN.
    fn stock(comp_sack_delay: Duration) -> Receiver {
        let mut r = growing(comp_sack_delay);
        r.on_packet(&syn(0), Instant::ZERO);
        r
    }

    fn segment(number: u64, len: u32, push: bool) -> Packet {
        let mut data = Data::new(number * u64::from(SEGMENT), len, 0);
        if push {
            data.set_push();
        }
        Packet::new(0, 1500, Body::Data(data))
    }

    #[test]
    fn what_nothing_follows_is_acknowledged_when_it_is_read() {
        let mut r = stock(Duration::ZERO);
        let mut arrive = |number: u64, len: u32, push: bool| {
            r.on_packet(&segment(number, len, push), Instant(0))
                .is_some()
        };
        assert!((0..8).all(|n| arrive(n, SEGMENT, false)), "the quick ones");
        assert!(!arrive(8, SEGMENT, false));
        assert!(arrive(9, SEGMENT, false), "every second");
        assert!(arrive(10, SEGMENT, true), "the last of a burst");
        assert!(!arrive(11, SEGMENT, false));
        assert!(arrive(12, SEGMENT, false));
        assert!(arrive(13, 1000, false), "a short one");
    }

    #[test]
    fn what_a_retransmission_has_overtaken_is_not_taken() {
        let mut r = stock(Duration::ZERO);
        let config = Arc::make_mut(&mut r.config);
        (config.options.paws, config.options.dsack) = (true, true);
        let full = u64::from(SEGMENT);
        let mut arrive = |number: u64, sent: u32| {
            let mut packet = segment(number, SEGMENT, false);
            if let Body::Data(data) = &mut packet.body {
                data.set_timestamp(sent);
            }
            let answer = r.on_packet(&packet, Instant::ZERO).unwrap();
            let duplicate = option(&answer) != AckOption::None;
            (una(&answer) / full, blocks(&answer).len(), duplicate)
        };
        assert_eq!(arrive(0, 10), (1, 0, false));
        assert_eq!(arrive(2, 12), (1, 1, false));
        // The second again; the fourth left before it and comes late.
        assert_eq!(arrive(1, 80), (3, 0, false));
        assert_eq!(arrive(3, 78), (3, 0, false));
        // Nor does what has come before, as the answer reports.
        assert_eq!(arrive(1, 11), (3, 0, true));
        assert_eq!(arrive(3, 140), (4, 0, false));
    }

    #[test]
    fn from_the_fourth_answer_on_data_above_a_hole_is_reported_together() {
        let mut r = stock(Duration::from_millis(1));
        let at = |us: u64| Instant::from_millis(100) + Duration::from_micros(us);
        let full = |number: u64| segment(number, SEGMENT, false);
        for n in 0..8 {
            assert!(r.on_packet(&full(n), at(0)).is_some());
        }
        // The ninth is missing.
        for n in 9..12 {
            assert!(r.on_packet(&full(n), at(n)).is_some(), "{n}");
        }
        assert!(r.on_packet(&full(12), at(600)).is_none());
        assert!(r.on_packet(&full(13), at(1200)).is_none());
        // No round trip has been measured here but the handshake's: 100 ms, so a millisecond.
        assert_eq!(r.deadline(), Some(at(1600)));
        let told = r.on_timer(at(1600)).unwrap();
        let edge = |n: u64| n * u64::from(SEGMENT) / MSS;
        assert_eq!(blocks(&told), [(edge(9), edge(14))]);
        assert_eq!(r.deadline(), None);
        // The hole is filled: that waits for nothing.
        assert!(r.on_packet(&full(14), at(2000)).is_none());
        let filled = r.on_packet(&full(8), at(2100)).unwrap();
        assert_eq!(una(&filled), 15 * u64::from(SEGMENT));
        assert_eq!(r.deadline(), None);
    }

    #[test]
    fn those_who_need_none_of_it_pay_for_none_of_it() {
        assert!(std::mem::size_of::<Receiver>() <= 80);
    }

    #[test]
    fn a_packet_that_is_later_than_two_gib_is_not_reported_as_a_duplicate() {
        let report = |next| AckPayload::duplicate((0, 1000), next);
        let nearest = AckOption::Duplicate {
            start: i32::MIN,
            len: 1000,
        };
        assert_eq!(report(1 << 31), Some(nearest));
        assert_eq!(report((1 << 31) + 1), None);
        assert_eq!(report(1 << 33), None);
    }
}
