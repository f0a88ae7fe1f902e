//! The receiving endpoint: reassembly, and when and what to acknowledge.

#[cfg(test)]
mod tests;

use super::ecn::MarkCounter;
use super::flow_control::{FlowControl, FlowControlOptions, INITIAL_RTT};
use super::handshake::{Client, ClientConfig};
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
    /// The client's end of a handshake that is made of packets, where there is one.
    pub client: Option<Arc<ClientConfig>>,
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
    /// The client's end of a handshake that is made of packets.
    client: Option<Box<Client>>,
    /// The limits of flow control, where there are any.
    flow_control: Option<Box<FlowControl>>,
}

impl Extensions {
    /// What the next acknowledgement, up to `next`, is to carry. That of packet numbers carries a
    /// limit of flow control in the place of a window.
    fn option(&mut self, next: u64, numbers: bool) -> AckOption {
        let control = self.flow_control.as_mut().filter(|_| !numbers);
        match control.and_then(|control| control.take_unsent()) {
            Some(limit) => AckOption::Limit(limit),
            None => self.meters.take(next),
        }
    }

    /// Those of a receiver with flow control.
    fn of(options: FlowControlOptions) -> Extensions {
        Extensions {
            flow_control: Some(Box::new(FlowControl::new(options, Instant::ZERO))),
            ..Extensions::default()
        }
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
            extensions: config
                .flow_control
                .map(|options| Box::new(Extensions::of(options))),
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
        let Some(config) = self.config.client.clone() else {
            return self.send_syn(0, now);
        };
        self.open = false;
        let mut client = Client::new(config, self.flow, now);
        let first = client.on_timer(now);
        self.extensions.get_or_insert_default().client = Some(Box::new(client));
        first.unwrap_or_else(|| self.acknowledge(0, 0, now))
    }

    /// The client's end of a handshake that is made of packets.
    pub fn client(&self) -> Option<&Client> {
        self.extensions.as_ref()?.client.as_deref()
    }

    fn client_mut(&mut self) -> Option<&mut Client> {
        self.extensions.as_mut()?.client.as_deref_mut()
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
            message: 0,
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
        let due = match self.extensions {
            None => self.deadline,
            Some(_) if self.open && self.config.flow_control.is_none() => self.deadline,
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
        let threshold = self.config.options.ack_reordering;
        let orderly = !self.config.numbers || self.takes_number_in_order(data, threshold, now);
        self.next = data.end();
        self.answer(data, orderly, now)
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
        self.next = data.end();
        let waits = self.may_delay(data.start(), now);
        self.answer_and_read(waits, data, None, now)
    }

    /// Answers the data that has come last, unless the answer `may_wait` and does, or the pacer holds
    /// it back.
    #[inline]
    fn answer(&mut self, data: &Data, may_wait: bool, now: Instant) -> Option<Packet> {
        let (start, end) = (data.start(), data.end());
        let moves = self.config.flow_control.is_some() && self.moves_limit(data.echo(), now);
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

    /// When the limit, or something of a handshake, is sent again; `Instant::MAX` for never.
    fn repetition(&self) -> Instant {
        let control = self
            .extensions
            .as_ref()
            .and_then(|e| e.flow_control.as_ref());
        let due = control.and_then(|control| control.deadline());
        let client = self.client().map(Client::deadline);
        due.unwrap_or(Instant::MAX)
            .min(client.unwrap_or(Instant::MAX))
    }

    /// What has come in order is read at once, from a sender which had received the acknowledgement
    /// of all below `echo`. Whether that moves a limit of flow control.
    #[inline(never)]
    fn moves_limit(&mut self, echo: u64, now: Instant) -> bool {
        let read = self.next;
        let received = read + self.above.as_ref().map_or(0, |above| above.bytes);
        self.flow_control().is_some_and(|control| {
            let answered = control.on_echo(echo, now);
            control.on_data(read, received, now) || answered
        })
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
            Body::SynAck(answer) if self.config.client.is_some() => {
                return self.on_answer_to_client(answer, now);
            }
            Body::SynAck(_) => {
                self.extensions.get_or_insert_default().connecting = None;
                if let Some(control) = self.flow_control() {
                    control.measure(now);
                }
                return Some(self.acknowledge(self.next, self.next, now));
            }
            Body::Ack(_) | Body::Message(_) => return None,
        };
        self.arrived += 1;
        if !self.open {
            return self.on_data_in_handshake(packet, data, now);
        }
        self.on_any_data(packet, data, now)
    }

    /// Data has come that does not take the fast path.
    fn on_any_data(&mut self, packet: &Packet, data: &Data, now: Instant) -> Option<Packet> {
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
        self.accept(data.start(), data.end());
        self.answer(data, orderly && !urgent, now)
    }

    /// The server's answer to the client has come: a SYN-ACK is acknowledged.
    #[cold]
    fn on_answer_to_client(&mut self, answer: &SynAck, now: Instant) -> Option<Packet> {
        if let Some(client) = self.client_mut() {
            client.on_syn_ack(answer, now);
        }
        let opens = !self.config.numbers && answer.ranges.is_empty();
        opens.then(|| self.acknowledge(self.next, self.next, now))
    }

    /// Data has come while a handshake is under way: part of the server's flight, or data before its
    /// time. Without a client's end it is of no use.
    #[cold]
    fn on_data_in_handshake(
        &mut self,
        packet: &Packet,
        data: &Data,
        now: Instant,
    ) -> Option<Packet> {
        let client = self.client_mut()?;
        if client.ignores_data() {
            return None;
        }
        if client.cannot_read(data) {
            client.keep(packet);
            return None;
        }
        let mut answer = self.on_readable_data(packet, data, now);
        while let Some(kept) = self.client_mut().and_then(Client::take_kept) {
            if let Body::Data(data) = &kept.body {
                answer = self.on_readable_data(&kept, data, now).or(answer);
            }
        }
        answer
    }

    fn on_readable_data(&mut self, packet: &Packet, data: &Data, now: Instant) -> Option<Packet> {
        let answer = self.on_any_data(packet, data, now);
        let delivered = self.next;
        let client = self.client_mut()?;
        client.on_data(data, delivered, now);
        let (is_over, padded) = (client.is_over(), client.padded_answer(data));
        self.open = is_over;
        // Initial and Handshake packets are acknowledged at once (RFC 9000 §13.2.1).
        let at_once = self.config.numbers && data.is_flight();
        let answer =
            answer.or_else(|| at_once.then(|| self.acknowledge(data.start(), data.end(), now)));
        answer.map(|mut packet| {
            packet.wire = packet.wire.max(padded);
            packet
        })
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
        if !self.open
            && let Some(packet) = self.client_mut().and_then(|client| client.on_timer(now))
        {
            return Some(packet);
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
        self.answer_and_read(waits, data, Some(&arrival), now)
    }

    /// Answers the data that has come last, unless the answer waits. Then the application reads,
    /// which may make an answer due where there is none. `arrival` is none for steady data.
    ///
    /// An application with flow control writes a limit that has moved at once. That write and the answer
    /// are one packet.
    #[inline(always)]
    fn answer_and_read(
        &mut self,
        waits: bool,
        data: &Data,
        arrival: Option<&Arrival>,
        now: Instant,
    ) -> Option<Packet> {
        let moves = self.config.flow_control.is_some() && self.moves_limit(data.echo(), now);
        let answers = moves || !waits;
        let answer = answers.then(|| self.acknowledge(data.start(), data.end(), now));
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
            Some(extensions) => (
                extensions.option(self.next, self.config.numbers),
                extensions.meters.bits(),
            ),
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

    #[inline]
    fn advertised(&mut self, now: Instant) -> u32 {
        if let Some(window) = &mut self.window {
            return window.advertise(self.next, now);
        }
        if self.config.numbers
            && let Some(control) = self.flow_control()
        {
            return control.field();
        }
        self.config.window_field.says(self.config.window)
    }
}
