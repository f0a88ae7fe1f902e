//! The client's end of a handshake that is made of packets: what it sends, in turn with the server,
//! and how it repairs what is lost of that (RFC 6298; RFC 9002 §6). It receives the flow's data, so it
//! is part of the [`Receiver`](crate::receiver::Receiver).

use super::UDP_IP;
use super::dialogue::{Dialogue, HANDSHAKE, INITIAL};
use crate::pacing::bucket::Bucket;
use crate::pacing::token_bucket::{Demand, TokenBucket};
use crate::ranges::RangeSet;
use crate::rtt::{RtoParams, RttEstimator, RttSample};
use flowstart_control::{Duration, Instant};
use flowstart_wire::{Body, Data, Message, Packet, Syn, SynAck};
use std::fmt;
use std::sync::Arc;

/// Packets that overtake one until it is lost (RFC 9002 §6.1.1).
const PACKET_THRESHOLD: u32 = 3;
/// Packets that a probe timeout sends (RFC 9002 §6.2.4).
const PROBES: usize = 2;

/// What a client needs of its stack.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The messages.
    pub(crate) dialogue: Dialogue,
    /// Packets that it keeps until it has keys for them.
    pub(crate) keeps_early: usize,
    /// A probe timeout sends the only packet that is missing twice.
    pub(crate) probes_in_pairs: bool,
    pub(crate) numbers: bool,
    pub(crate) fast_open: bool,
    pub(crate) syn_linear: u32,
    /// Bytes of a packet that opens TCP's connection, or of a QUIC datagram with an Initial packet.
    pub(crate) opening: u32,
    /// Bytes of a full packet, and of its header.
    pub(crate) packet: u32,
    pub(crate) header: u32,
    pub(crate) rto: Arc<RtoParams>,
    /// TCP sends a probe before the retransmission timer expires, if that is later (RFC 8985 §7).
    pub(crate) probes: bool,
    /// The longest timeout of QUIC.
    pub(crate) timeout_max: Duration,
    /// What paces it, and its window in bytes of UDP payload.
    pub(crate) bucket: Option<Bucket>,
    pub(crate) window: u64,
}

/// A packet on its way: bytes `[start, end)`.
#[derive(Clone, Copy, Debug)]
struct Sent {
    number: u32,
    start: u32,
    end: u32,
    at: Instant,
    again: bool,
}

/// What paces a client's last message.
#[derive(Default)]
struct Pacer {
    bucket: Option<Box<dyn TokenBucket>>,
    /// Until when a packet waits.
    until: Instant,
}

/// A receiver is copied once its flow is over, and so is the handshake.
impl Clone for Pacer {
    fn clone(&self) -> Pacer {
        Pacer::default()
    }
}

impl fmt::Debug for Pacer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.until.fmt(f)
    }
}

/// The client's end of a handshake.
#[derive(Clone, Debug)]
pub struct Client {
    config: Arc<ClientConfig>,
    flow: u32,
    /// TCP's connection is open.
    connected: bool,
    /// A SYN is to leave, and how many have; when the last did.
    syn_waits: bool,
    syns: u32,
    syn_at: Instant,
    /// How far it may send, and has.
    allowed: u32,
    next: u32,
    /// What the server has.
    arrived: RangeSet,
    out: Vec<Sent>,
    /// What is to be sent again.
    again: Vec<(u32, u32)>,
    /// A probe without content is to leave.
    probe: bool,
    /// One past the last number, and the largest that was acknowledged.
    numbers: u32,
    largest_acked: Option<u32>,
    rtt: RttEstimator,
    timeouts: u32,
    /// What the timer runs from.
    since: Instant,
    /// How much of the server's stream has come.
    delivered: u64,
    kept: Vec<Packet>,
    pacer: Pacer,
    opened: Instant,
    done: Option<Instant>,
    /// A Retry has given it a token.
    has_token: bool,
    packets: u32,
    bytes: u64,
}

impl Client {
    /// One that opens its connection now.
    pub fn new(config: Arc<ClientConfig>, flow: u32, now: Instant) -> Client {
        let connected = config.numbers;
        Client {
            connected,
            syn_waits: !connected,
            syns: 0,
            syn_at: now,
            allowed: if connected {
                config.dialogue.client_until(0)
            } else {
                0
            },
            next: 0,
            arrived: RangeSet::default(),
            out: Vec::new(),
            again: Vec::new(),
            probe: false,
            numbers: 0,
            largest_acked: None,
            rtt: RttEstimator::new(&config.rto),
            timeouts: 0,
            since: now,
            delivered: 0,
            kept: Vec::new(),
            pacer: Pacer::default(),
            opened: now,
            done: None,
            has_token: false,
            packets: 0,
            bytes: 0,
            config,
            flow,
        }
    }

    /// When it had all of the server's messages.
    pub fn done_at(&self) -> Option<Instant> {
        self.done
    }

    /// Whether it has nothing more to send, and the server has all of it.
    pub fn is_over(&self) -> bool {
        self.has_arrived(0, self.config.dialogue.client_end())
    }

    /// The round trip that it has measured.
    pub fn rtt(&self) -> Option<Duration> {
        self.rtt.latest()
    }

    /// Packets that it has sent besides acknowledgements, and their bytes on the wire.
    pub fn sent(&self) -> (u32, u64) {
        (self.packets, self.bytes)
    }

    /// When to call [`on_timer`](Self::on_timer).
    pub fn deadline(&self) -> Instant {
        if self.has_packet() {
            return self.pacer.until;
        }
        if !self.connected {
            return self.syn_at + self.syn_timeout();
        }
        if self.is_over() {
            return Instant::MAX;
        }
        // Without it, a server at its limit would wait for ever (RFC 9002 §6.2.2.1).
        let unblocks = self.config.numbers && self.done.is_none();
        let probe = (unblocks || !self.out.is_empty()).then(|| self.since + self.timeout());
        let due = [self.loss_time(), probe].into_iter().flatten().min();
        due.unwrap_or(Instant::MAX)
    }

    fn has_packet(&self) -> bool {
        self.syn_waits || self.probe || !self.again.is_empty() || self.next < self.allowed
    }

    /// Linux repeats some SYNs before the timer doubles.
    fn syn_timeout(&self) -> Duration {
        let doublings = self.syns.saturating_sub(1 + self.config.syn_linear);
        self.config.rto.initial.times(1 << doublings.min(32))
    }

    fn timeout(&self) -> Duration {
        if !self.config.numbers {
            return self.tail_probe().unwrap_or_else(|| self.rtt.rto());
        }
        let granularity = self.config.rto.granularity;
        let smoothed = self.rtt.smoothed();
        let base = smoothed.map_or(self.config.rto.initial, |(srtt, rttvar)| {
            srtt + rttvar.times(4).max(granularity)
        });
        base.times(1 << self.timeouts.min(32))
            .min(self.config.timeout_max)
    }

    /// How long TCP waits for a probe of its last message, if that is due before a retransmission.
    fn tail_probe(&self) -> Option<Duration> {
        let may = self.config.probes && self.timeouts == 0;
        let wait = self.rtt.probe_wait(self.out.len() == 1).filter(|_| may)?;
        (wait < self.rtt.rto()).then_some(wait)
    }

    /// When the first packet counts as lost that another has overtaken.
    fn loss_time(&self) -> Option<Instant> {
        let (largest, delay) = (self.largest_acked?, self.loss_delay()?);
        let overtaken = self.out.iter().filter(|sent| sent.number < largest);
        overtaken.map(|sent| sent.at + delay).min()
    }

    /// How long such a packet may be missing: by RACK's window of a quarter of a round trip (RFC 8985
    /// §6.2), with QUIC an eighth (RFC 9002 §6.1.2).
    fn loss_delay(&self) -> Option<Duration> {
        let (srtt, _) = self.rtt.smoothed()?;
        let rtt = srtt.max(self.rtt.latest()?);
        Some(rtt + rtt.over(if self.config.numbers { 8 } else { 4 }))
    }

    /// Its deadline has passed, or a packet is to leave.
    pub fn on_timer(&mut self, now: Instant) -> Option<Packet> {
        if self.deadline() > now {
            return None;
        }
        if !self.has_packet() {
            self.expire(now);
        }
        self.poll(now)
    }

    fn expire(&mut self, now: Instant) {
        if !self.connected {
            self.syn_waits = true;
            return;
        }
        if self.loss_time().is_some_and(|due| due <= now) {
            return self.find_lost(now);
        }
        let tail_probe = self.tail_probe();
        self.timeouts += 1;
        self.since = now;
        if !self.config.numbers {
            let packets = self.out.iter();
            let again = if tail_probe.is_some() {
                packets.max_by_key(|sent| sent.start)
            } else {
                self.rtt.back_off();
                packets.min_by_key(|sent| sent.start)
            };
            self.again.extend(again.map(|sent| (sent.start, sent.end)));
            return;
        }
        let mut missing: Vec<(u32, u32)> = self.out.iter().map(|s| (s.start, s.end)).collect();
        missing.sort_unstable();
        missing.dedup();
        if self.config.probes_in_pairs && missing.len() == 1 {
            missing.push(missing[0]);
        }
        missing.truncate(PROBES);
        self.probe = missing.is_empty();
        self.again = missing;
    }

    fn find_lost(&mut self, now: Instant) {
        let (Some(largest), Some(delay)) = (self.largest_acked, self.loss_delay()) else {
            return;
        };
        let late = |sent: &Sent| {
            let overtaken = sent.number + PACKET_THRESHOLD <= largest;
            sent.number < largest && (overtaken || sent.at + delay <= now)
        };
        let lost = self.out.iter().filter(|sent| late(sent));
        self.again.extend(lost.map(|sent| (sent.start, sent.end)));
        self.out.retain(|sent| !late(sent));
    }

    /// The next packet, where one is to leave.
    fn poll(&mut self, now: Instant) -> Option<Packet> {
        if std::mem::take(&mut self.syn_waits) {
            return Some(self.syn(now));
        }
        if self.next >= self.config.dialogue.hello && !self.has_tokens(now) {
            return None;
        }
        let packet = if let Some((start, end)) = self.next_repetition() {
            self.message(start, end, true, now)
        } else if self.next < self.allowed {
            let start = self.next;
            let end = self.allowed.min(start + self.room(start));
            self.next = end;
            self.message(start, end, false, now)
        } else if std::mem::take(&mut self.probe) {
            self.message(self.next, self.next, true, now)
        } else {
            return None;
        };
        Some(packet)
    }

    /// Whether the pacer lets a packet leave now, of the flight that ends the handshake.
    fn has_tokens(&mut self, now: Instant) -> bool {
        let Some(kind) = self.config.bucket.filter(|_| self.config.numbers) else {
            return true;
        };
        let (window, packet) = (self.config.window, u64::from(self.config.packet - UDP_IP));
        let bucket = (self.pacer.bucket).get_or_insert_with(|| kind.of(window, packet, now));
        let srtt = self.rtt.smoothed().map(|(srtt, _)| srtt);
        let due = bucket.wait(&Demand::new(window, packet, srtt, true), now);
        self.pacer.until = due.unwrap_or(Instant::ZERO);
        due.is_none()
    }

    /// What is to be sent again and has not arrived meanwhile.
    fn next_repetition(&mut self) -> Option<(u32, u32)> {
        while !self.again.is_empty() {
            let (start, end) = self.again.remove(0);
            if !self.has_arrived(start, end) {
                return Some((start, end));
            }
        }
        None
    }

    fn has_arrived(&self, start: u32, end: u32) -> bool {
        let (start, end) = (u64::from(start), u64::from(end));
        start == end || self.arrived.bytes_within(start, end) == end - start
    }

    fn syn(&mut self, now: Instant) -> Packet {
        // Linux repeats a SYN without its data.
        let fast = self.config.fast_open && self.syns == 0;
        let message = match fast {
            true => self.config.dialogue.client_until(0).min(self.room(0)),
            false => 0,
        };
        self.next = self.next.max(message);
        let syn = Syn {
            number: self.syns,
            request: None,
            by_receiver: true,
            message,
        };
        self.syns += 1;
        self.syn_at = now;
        self.count(Packet::new(
            self.flow,
            self.config.opening + message,
            Body::Syn(syn),
        ))
    }

    fn message(&mut self, start: u32, end: u32, again: bool, now: Instant) -> Packet {
        let number = self.numbers;
        self.numbers += 1;
        let is_hello = match start == end {
            true => self.delivered < self.config.dialogue.keys,
            false => start < self.config.dialogue.hello,
        };
        if start < end {
            self.out.push(Sent {
                number,
                start,
                end,
                at: now,
                again,
            });
        }
        self.since = now;
        if let Some(bucket) = &mut self.pacer.bucket {
            bucket.sent(u64::from(HANDSHAKE + end - start));
        }
        let message = Message {
            number,
            start,
            end,
            is_hello,
            validates: self.config.numbers && !is_hello,
            has_token: self.has_token,
        };
        let wire = match (self.config.numbers, is_hello) {
            (true, true) => self.config.opening,
            (true, false) => UDP_IP + HANDSHAKE + (end - start) + self.request_header(end),
            (false, _) => self.config.header + (end - start),
        };
        self.count(Packet::new(self.flow, wire, Body::Message(message)))
    }

    fn count(&mut self, packet: Packet) -> Packet {
        self.packets += 1;
        self.bytes += u64::from(packet.wire);
        packet
    }

    /// Bytes of a packet for its content that begins at `start`.
    fn room(&self, start: u32) -> u32 {
        let config = &self.config;
        if !config.numbers {
            return config.packet - config.header;
        }
        match start < config.dialogue.hello {
            true => config.opening - UDP_IP - INITIAL,
            false => config.packet - UDP_IP - HANDSHAKE - self.request_header(u32::MAX),
        }
    }

    /// A request is in a separate packet, in the same datagram.
    fn request_header(&self, end: u32) -> u32 {
        match end >= self.config.dialogue.client_end() {
            true => self.config.header - UDP_IP,
            false => 0,
        }
    }

    /// A SYN-ACK has come, an acknowledgement of numbered packets, or a Retry.
    pub fn on_syn_ack(&mut self, answer: &SynAck, now: Instant) {
        if answer.is_retry() {
            return self.begin_again(now);
        }
        if self.connected {
            let mut newest = None;
            for (first, end) in answer.numbers() {
                let acked = |sent: &&Sent| (first..end).contains(&u64::from(sent.number));
                for sent in self.out.iter().filter(acked) {
                    self.arrived
                        .insert(sent.start.into(), sent.end.into(), |_, _| {});
                    newest = newest.max(Some((sent.number, sent.at, sent.again)));
                }
            }
            return self.on_arrival(newest, now);
        }
        self.connected = true;
        match self.syns {
            1 => self.rtt.sample(&RttSample::of_handshake(self.syn_at), now),
            _ => self.rtt.after_syn_loss(),
        }
        self.allowed = self.config.dialogue.client_until(0);
        // Data leaves again unless the only SYN, which had it, is answered.
        match self.syns == 1 {
            true => self.arrived.insert(0, self.next.into(), |_, _| {}),
            false => self.next = 0,
        }
        self.since = now;
    }

    /// The first Retry: what was sent does not count, and nothing was lost (RFC 9002 §6.3).
    fn begin_again(&mut self, now: Instant) {
        // At most one is of use (RFC 9000 §17.2.5.2).
        if std::mem::replace(&mut self.has_token, true) {
            return;
        }
        self.rtt.sample(&RttSample::of_handshake(self.opened), now);
        self.out.clear();
        self.again.clear();
        (self.next, self.timeouts, self.since) = (0, 0, now);
    }

    /// Data has come, all of which below `delivered` is there now.
    pub fn on_data(&mut self, data: &Data, delivered: u64, now: Instant) {
        let dialogue = &self.config.dialogue;
        self.delivered = delivered;
        self.allowed = self.allowed.max(dialogue.client_until(delivered));
        if self.done.is_none() && delivered >= dialogue.response_from() {
            self.done = Some(now);
        }
        let has = match data.is_opening() {
            // A packet without data may leave before what its position stands for.
            true => dialogue.implied_by(data.end().saturating_sub(1)),
            false => self.next,
        };
        self.arrived.insert(0, has.into(), |_, _| {});
        let below = data
            .timestamp()
            .filter(|_| self.config.numbers && data.is_opening());
        let newest = self.out.iter().filter(|sent| match below {
            Some(below) => sent.number < below,
            None => sent.end <= has,
        });
        let newest = newest.map(|sent| (sent.number, sent.at, sent.again)).max();
        if self.out.is_empty() {
            self.since = now;
        }
        self.on_arrival(newest, now);
    }

    /// The server has more than before, the packet `newest` of it last.
    fn on_arrival(&mut self, newest: Option<(u32, Instant, bool)>, now: Instant) {
        let before = self.out.len();
        let arrived = std::mem::take(&mut self.out);
        self.out = arrived
            .into_iter()
            .filter(|sent| !self.has_arrived(sent.start, sent.end))
            .collect();
        if let Some((number, at, again)) = newest {
            self.largest_acked = self.largest_acked.max(Some(number));
            // Karn's rule, where nothing tells a repetition from the first sending.
            if self.config.numbers || !again {
                self.rtt.sample(&RttSample::of_handshake(at), now);
            }
        }
        if self.out.len() < before {
            self.timeouts = 0;
            if !self.config.numbers {
                self.since = now;
            }
        }
    }

    /// Bytes on the wire of the datagram that acknowledges a packet of data, at least: a client's
    /// datagrams with Initial packets are padded (RFC 9000 §14.1).
    pub fn padded_answer(&self, data: &Data) -> u32 {
        match data.start() < self.config.dialogue.keys {
            true => self.config.opening,
            false => 0,
        }
    }

    /// Whether a packet of data is of no use: it came before the connection was open.
    pub fn ignores_data(&self) -> bool {
        !self.connected
    }

    /// Whether it has no keys for a packet of data (RFC 9001 §5.7).
    pub fn cannot_read(&self, data: &Data) -> bool {
        let dialogue = &self.config.dialogue;
        let needs = |from: u64| data.start() >= from && self.delivered < from;
        self.config.numbers && (needs(dialogue.keys) || needs(dialogue.response_from()))
    }

    /// Keeps a packet that it cannot read, if there is room for it.
    pub fn keep(&mut self, packet: &Packet) {
        if self.kept.len() < self.config.keeps_early {
            self.kept.push(*packet);
        }
    }

    /// A packet that it has kept and can read now.
    pub fn take_kept(&mut self) -> Option<Packet> {
        let readable = |packet: &Packet| match &packet.body {
            Body::Data(data) => !self.cannot_read(data),
            _ => true,
        };
        let at = self.kept.iter().position(readable)?;
        Some(self.kept.remove(at))
    }
}
