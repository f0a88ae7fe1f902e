//! One connection while its packets pass by.
//!
//! The state is bounded: no list in it grows with the connection's length. When the connection is over it becomes a
//! row ([`Connection`]) and the state is dropped.

use crate::answers::{Heard, Sending, Trip};
use crate::copies::Copies;
use crate::estimate::{Acknowledgement, Data, Departure, Flights, Lanes, PairId, Waits};
use crate::handshake::Shake;
use crate::layers::{ACK, CWR, ECE, Endpoint, FIN, RST, SYN, Segment, written};
use crate::reading::Rows;
use crate::repeats::{Judgement, Placed, Sent};
use crate::results::{Connection, Flag, Handshake, Options};
use crate::sender::{Facts, Sender};
use crate::sequence::{Line, Seen};
use crate::sink::Sink;
use crate::time::{seconds, since};
use crate::turns::Turns;

const CLIENT: usize = 0;
const SERVER: usize = 1;

/// Observers of the packets that pass.
pub(crate) struct Listeners<'a> {
    pub sink: Sink<'a>,
    pub lanes: Lanes,
    /// Packets that came after their connection's row was out.
    pub late: u64,
}

impl<'a> Listeners<'a> {
    pub(crate) fn new(rows: &'a mut dyn Rows, options: &Options) -> Self {
        Listeners {
            sink: Sink::new(rows, options),
            lanes: Lanes::default(),
            late: 0,
        }
    }
}

/// A connection in progress. Index 0 is the client, 1 the server, and of directions: what it sends.
pub(crate) struct Live {
    stream: usize,
    ends: [Endpoint; 2],
    first: u64,
    last: u64,
    shake: Shake,
    sides: [Side; 2],
    copies: [Copies; 2],
    turns: Turns,
    resets: u32,
    flags: Vec<Flag>,
    waits: [Waits; 2],
    flights: [Flights; 2],
    senders: [Sender; 2],
    /// Where the estimation keeps its networks.
    pub pair: PairId,
    /// The network of the first packet, among others with the same addresses.
    pub domain: u32,
    /// The file of the first packet.
    pub file: usize,
}

/// What one side sends.
#[derive(Default)]
struct Side {
    line: Line,
    /// The first byte of payload; the ISN is one before.
    first_byte: Option<u64>,
    /// The end of the furthest payload.
    highest: u64,
    seen: Seen,
    seen_bytes: u64,
    payload_sum: u64,
    packets: u64,
    retransmissions: u32,
    out_of_order: u32,
    sent: Sent,
    fin: Option<u64>,
    offer: Offer,
    window: Window,
}

/// What a side announced in its SYN or SYN-ACK.
#[derive(Clone, Copy, Default)]
struct Offer {
    seen: bool,
    mss: Option<u16>,
    scale: Option<u8>,
    sack: bool,
    stamps: bool,
    /// Its flags ECE and CWR.
    ecn: u8,
    whole: bool,
}

/// What a side advertised as receiver. Windows are as they stand in the header, not yet scaled.
#[derive(Clone, Copy, Default)]
struct Window {
    /// Of a SYN or SYN-ACK, which are never scaled (RFC 7323, section 2.2).
    syn: Option<u16>,
    widest: Option<u16>,
    latest: Option<u16>,
    /// The widest of all, early or late.
    widest_ever: Option<u16>,
    handshake: Option<u16>,
    /// It has acknowledged data: what the peer sends now is no longer the start.
    acknowledged: bool,
    /// The furthest it has acknowledged.
    acked: Option<u64>,
    /// What it acknowledged first.
    first_acked: Option<u64>,
    /// By how much the last acknowledgement that was further was so.
    last_advance: u64,
    zero: u32,
}

impl Live {
    /// A connection whose first packet is about to be [taken](Live::take).
    pub(crate) fn new(
        stream: usize,
        client: Endpoint,
        server: Endpoint,
        time: u64,
        flags: Vec<Flag>,
    ) -> Self {
        Live {
            stream,
            ends: [client, server],
            first: time,
            last: time,
            shake: Shake::default(),
            sides: Default::default(),
            copies: Default::default(),
            turns: Turns::default(),
            resets: 0,
            flags,
            waits: Default::default(),
            flights: Default::default(),
            senders: Default::default(),
            pair: (0, false),
            domain: 0,
            file: 0,
        }
    }

    pub(crate) fn stream(&self) -> usize {
        self.stream
    }

    pub(crate) fn ends(&self) -> [Endpoint; 2] {
        self.ends
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Both sides have said goodbye, or one has hung up.
    pub(crate) fn is_over(&self) -> bool {
        self.resets > 0 || self.sides.iter().all(|side| side.fin.is_some())
    }

    /// How long it is kept without a packet: a closed one for stragglers, an unanswered one for its next SYN.
    pub(crate) fn patience(&self) -> u64 {
        const SECOND: u64 = 1_000_000_000;
        match (
            self.is_over(),
            self.shake.is_complete() || self.shake.syns == 0,
        ) {
            (true, _) => 60 * SECOND,
            (false, false) => 600 * SECOND,
            (false, true) => 7200 * SECOND,
        }
    }

    /// Whether a SYN opens a new connection on the same ports rather than repeating this one's.
    pub(crate) fn is_reused_by(&self, syn: &Segment) -> bool {
        let from = usize::from(syn.source != self.ends[CLIENT]);
        let first = self.sides[from].first_byte;
        let repeated = first.is_some_and(|first| first as u32 == syn.sequence.wrapping_add(1));
        // Both sides may open at once (RFC 9293, section 3.5): the server's SYN belongs to the same connection.
        let simultaneous = from == SERVER && first.is_none() && !self.is_over();
        !repeated && !simultaneous
    }

    /// Whether a segment between the same ends in another network (VLAN, tunnel) is of this connection: a copy, or the
    /// other direction. Numbers of two connections are rarely near.
    pub(crate) fn fits(&self, segment: &Segment) -> bool {
        const NEAR: u32 = 1 << 26;
        let from = usize::from(segment.source != self.ends[CLIENT]);
        let (own, peer) = (&self.sides[from], &self.sides[1 - from]);
        let is_near = |side: &Side, number| side.line.distance(number).is_none_or(|d| d <= NEAR);
        let begins = || {
            let first = segment.sequence.wrapping_add(1);
            !self.is_over() && own.first_byte.is_none_or(|own| own as u32 == first)
        };
        is_near(own, segment.sequence)
            && (!segment.has(ACK) || is_near(peer, segment.acknowledgement))
            && (!segment.has(SYN) || begins())
    }

    /// Takes one packet of the connection into account.
    pub(crate) fn take(&mut self, segment: &Segment, listeners: &mut Listeners) {
        let from = usize::from(segment.source != self.ends[CLIENT]);
        self.last = self.last.max(segment.time);
        if self.is_copy(segment, from) {
            return;
        }
        self.sides[from].packets += 1;
        if segment.has(SYN) {
            self.open(segment, from);
        }
        if segment.has(RST) {
            self.reset(from);
            return;
        }
        let placed = self.place(segment, from);
        self.handshake(&placed, from);
        if let Some(acked) = placed.acknowledgement {
            self.acknowledge(segment, acked, from, listeners);
        }
        self.data(&placed, from, listeners);
        self.advertise(segment, from);
        self.waits[from].stamp(segment);
    }

    fn is_copy(&mut self, segment: &Segment, from: usize) -> bool {
        let copy = self.copies[from].is_copy(segment);
        if self.copies[from].started() && !self.copies[1 - from].started() {
            self.copies[1 - from].start();
            self.flags.push(Flag::SeenTwice);
        }
        copy || self.is_split_copy(segment, from)
    }

    /// Where copies are, one of the two may be the other one split by a card: equal bytes, other packets.
    fn is_split_copy(&mut self, segment: &Segment, from: usize) -> bool {
        let side = &self.sides[from];
        if !self.copies[from].started() || segment.payload == 0 || segment.has(SYN) {
            return false;
        }
        let start = side.line.place(segment.sequence);
        let copy = side.seen.holds(start, start + u64::from(segment.payload));
        self.copies[from].count += u64::from(copy);
        copy
    }

    fn open(&mut self, segment: &Segment, from: usize) {
        let side = &mut self.sides[from];
        let place = side.line.advance(segment.sequence);
        if !side.offer.seen {
            side.begin(place + 1);
        }
        let Segment { options, .. } = segment;
        side.offer = Offer {
            seen: true,
            mss: options.mss,
            scale: options.scale,
            sack: options.sack,
            stamps: options.stamp.is_some(),
            ecn: segment.flags & (ECE | CWR),
            whole: options.whole,
        };
        side.window.syn = Some(segment.window);
        let stamp = options.stamp.map(|(value, _)| (segment.time, value));
        self.senders[from].syn = stamp;
        if segment.payload > 0 && from == CLIENT && !self.flags.contains(&Flag::FastOpenData) {
            self.flags.push(Flag::FastOpenData);
        }
        if !segment.has(ACK) {
            self.shake.syn(segment.time);
        } else if from == SERVER {
            self.shake.syn_ack(segment.time);
            let client = &mut self.sides[CLIENT];
            if client.first_byte.is_none() {
                let place = client.line.advance(segment.acknowledgement);
                client.begin(place);
            }
        }
    }

    fn reset(&mut self, from: usize) {
        self.resets += 1;
        if from == SERVER {
            self.shake.reset();
        }
    }

    fn place<'a>(&mut self, segment: &'a Segment, from: usize) -> Placed<'a> {
        let sequence = self.sides[from].line.advance(segment.sequence);
        let acknowledgement = segment
            .has(ACK)
            .then(|| self.sides[1 - from].line.advance(segment.acknowledgement));
        if self.sides[from].first_byte.is_none() {
            self.sides[from].begin(sequence);
        }
        Placed {
            segment,
            sequence,
            acknowledgement,
        }
    }

    fn handshake(&mut self, placed: &Placed, from: usize) {
        let Some(acked) = placed.acknowledgement else {
            return;
        };
        if from != CLIENT || placed.segment.has(SYN) {
            return;
        }
        let Some(first) = self.sides[SERVER].first_byte else {
            self.shake.ack_unanswered(placed.segment.time);
            return;
        };
        if acked >= first && self.shake.ack(placed.segment.time) {
            self.sides[CLIENT].window.handshake = Some(placed.segment.window);
            self.sides[SERVER].window.handshake = self.sides[SERVER].window.syn;
            if let Some(halves) = self.shake.halves() {
                // Data of the client meet the server's side of the path, and the other way round.
                for (waits, half) in self.waits.iter_mut().zip(halves) {
                    waits.handshake(half);
                }
            }
        }
    }

    fn data(&mut self, placed: &Placed, from: usize, listeners: &mut Listeners) {
        let repeat = self.judge(placed, from);
        let segment = placed.segment;
        let payload = u64::from(segment.payload);
        let start = placed.sequence + u64::from(segment.has(SYN));
        let end = start + payload;
        let heard = self.sides[1 - from].highest;
        let side = &mut self.sides[from];
        if segment.has(FIN) {
            side.fin = Some(end);
        } else if payload == 0 {
            return;
        }
        let next = side.highest;
        let advanced = end.saturating_sub(next);
        let fresh = side.seen.add(start, end);
        side.highest = side.highest.max(end);
        side.payload_sum += payload;
        side.seen_bytes += fresh;
        if fresh > 0 || advanced > 0 {
            let hears_all = placed.acknowledgement.is_some_and(|acked| acked >= heard);
            let finished = self.turns.data(from, segment.time, advanced, hears_all);
            listeners.sink.keep(self.stream, finished);
        }
        let wait = self.waits[from].wait_of(segment);
        if start > next {
            self.waits[from].gap(wait);
        }
        listeners
            .lanes
            .lane(self.pair, from)
            .arrived(segment, repeat, wait, advanced);
        self.measure(placed, from, next, repeat, fresh > 0);
        let heard = listeners.lanes.lane(self.pair, 1 - from).bytes();
        let under_way = listeners.lanes.lane(self.pair, from).under_way();
        self.waits[from].sent(&Departure {
            time: segment.time,
            end,
            advanced,
            repeat,
            heard,
            under_way,
        });
        if let Some(acked) = self.sides[1 - from].window.acked {
            self.flights[from].sent(&Data {
                start,
                end,
                repeat,
                acked,
                heard,
            });
        }
    }

    /// Shows data to the measurements of their sender.
    fn measure(&mut self, placed: &Placed, from: usize, next: u64, repeat: bool, fresh: bool) {
        if placed.segment.payload == 0 {
            return;
        }
        let (Some(mss), Some(trip)) = (self.mss(), self.trip(from)) else {
            // Also TCP Fast Open (RFC 7413): the first flight precedes the handshake's end, so the RTT is not known.
            self.senders[from].initial.pass();
            return;
        };
        let window = self.sides[1 - from].window;
        let data = Sending {
            time: placed.segment.time,
            start: placed.sequence,
            payload: u64::from(placed.segment.payload),
            mss,
            next,
            repeat,
            fresh,
            stamp: placed.segment.options.stamp,
            acked: window.acked.unwrap_or(0),
            edge: self.edge(1 - from),
        };
        self.senders[from].sent(&data, &trip);
        if !repeat {
            self.senders[1 - from].turn();
        }
    }

    /// The round trip as a side's data are concerned.
    fn trip(&self, from: usize) -> Option<Trip> {
        let (rtt, halves) = (self.shake.rtt()?, self.shake.halves()?);
        // The server's side of the monitor is the first.
        let half = halves[1 - from];
        Some(Trip { rtt, half })
    }

    /// The end of the window that a receiver has advertised last.
    fn edge(&self, receiver: usize) -> Option<u64> {
        let window = self.sides[receiver].window;
        Some(window.acked? + (u64::from(window.latest?) << self.scale(receiver)?))
    }

    /// Both sides take part in ECN as RFC 3168 has it; more accurate feedback counts with the same flags (RFC 9768).
    fn is_marking(&self) -> bool {
        let [client, server] = self.sides.each_ref().map(|side| side.offer.ecn);
        client == ECE | CWR && server == ECE
    }

    /// Payload of a full segment, where both sides have announced a size (RFC 6691, section 2: without options).
    fn mss(&self) -> Option<u64> {
        const STAMPS: u64 = 12;
        let offers = self.sides.each_ref().map(|side| side.offer);
        let mss = offers[0].mss?.min(offers[1].mss?);
        let stamps = offers.iter().all(|offer| offer.stamps);
        u64::from(mss)
            .checked_sub(if stamps { STAMPS } else { 0 })
            .filter(|&mss| mss > 0)
    }

    /// What a side's data show of their sender. The receiver's window may have limited its first flight.
    fn facts(&self, sender: usize, handshake_window: Option<u64>) -> Option<Facts> {
        let mss = self.mss()?;
        let side = &self.sides[sender];
        let acked = self.sides[1 - sender].window.acked;
        let done = acked.is_some_and(|acked| acked >= side.highest);
        let mut facts = self.senders[sender].facts(mss, done);
        let window = self.senders[sender].initial.measured();
        let limit = window.map_or(0, |window| window.bytes + mss);
        if handshake_window.is_none_or(|window| limit > window) {
            facts.initial_window = None;
        }
        Some(facts)
    }

    /// Whether a packet repeats data; counts it.
    fn judge(&mut self, placed: &Placed, from: usize) -> bool {
        let (rtt, peer) = (self.shake.rtt(), self.sides[1 - from].sent);
        let side = &mut self.sides[from];
        match side.sent.judge(&peer, placed, rtt) {
            Judgement::Fresh => return false,
            Judgement::Retransmission => side.retransmissions += 1,
            Judgement::OutOfOrder => side.out_of_order += 1,
        }
        true
    }

    fn acknowledge(
        &mut self,
        segment: &Segment,
        acked: u64,
        from: usize,
        listeners: &mut Listeners,
    ) {
        let (window, other) = (&mut self.sides[from].window, 1 - from);
        window.first_acked.get_or_insert(acked);
        let before = window
            .acked
            .replace(window.acked.map_or(acked, |before| before.max(acked)));
        if before.is_some_and(|before| acked <= before) {
            if segment.payload == 0 && segment.flags & (SYN | FIN) == 0 {
                listeners.lanes.lane(self.pair, other).repeated();
                if segment.options.blocks {
                    self.hear(segment, acked, other);
                }
            }
            return;
        }
        window.last_advance = before.map_or(0, |before| acked - before);
        let peer = &self.sides[other];
        if acked >= peer.highest {
            self.turns.acknowledged(other, segment.time);
        }
        let beyond = peer.fin.is_none()
            && acked > peer.highest + 1
            && peer.first_byte.is_some_and(|at| acked > at + 1);
        if beyond && !self.flags.contains(&Flag::EndNotCaptured) {
            self.flags.push(Flag::EndNotCaptured);
        }
        if let Some(before) = before {
            let advanced = acked - before;
            let ack = Acknowledgement {
                time: segment.time,
                end: acked,
                advanced,
                stamp: segment.options.stamp.map(|(value, _)| value),
                heard: listeners.lanes.lane(self.pair, from).bytes(),
            };
            self.waits[other].acknowledged(&ack);
            let wait = self.waits[other].wait(&ack);
            let repair = self.waits[other].is_repair(&ack);
            listeners.lanes.lane(self.pair, other).acknowledged(
                segment.time,
                advanced,
                wait,
                repair,
            );
            self.flights[other].acknowledged(&ack);
            self.hear(segment, acked, other);
        }
    }

    /// Shows an ACK to the measurements of the sender whose data it acknowledges.
    fn hear(&mut self, segment: &Segment, acked: u64, sender: usize) {
        if let Some(trip) = self.trip(sender) {
            let heard = Heard {
                time: segment.time,
                acked,
                selective: segment.options.blocks,
                stamp: segment.options.stamp.map(|(value, _)| value),
                marked: segment.has(ECE) && self.is_marking(),
            };
            self.senders[sender].acknowledged(&heard, &trip);
        }
    }

    fn advertise(&mut self, segment: &Segment, from: usize) {
        let first = self.sides[1 - from].first_byte;
        let window = &mut self.sides[from].window;
        if segment.has(SYN) {
            return;
        }
        window.acknowledged |= first
            .zip(window.acked)
            .is_some_and(|(first, acked)| acked > first);
        window.latest = Some(segment.window);
        window.widest_ever = window.widest_ever.max(Some(segment.window));
        if !window.acknowledged {
            window.widest = window.widest.max(Some(segment.window));
        }
        window.zero += u32::from(segment.window == 0 && !segment.has(FIN));
    }

    /// Ends the connection: its row.
    pub(crate) fn row(mut self, listeners: &mut Listeners) -> Connection {
        listeners.sink.keep(self.stream, self.turns.finish());
        if self.sides[SERVER].packets == 0 {
            self.shake.one_sided();
        }
        let shake = self.shake;
        // Which of several SYN-ACKs was answered is not known, so neither is the least round trip.
        let answers = [shake.syn_acks, shake.syns][usize::from(shake.syn_acks == 0)];
        let certain = shake.rtt().filter(|_| answers == 1);
        listeners
            .lanes
            .over(self.pair, certain, shake.halves(), &self.waits);
        self.held(certain, &mut listeners.lanes);
        let known = shake.class() == Handshake::Complete;
        let windows = [SERVER, CLIENT].map(|receiver| {
            if known {
                self.windows(receiver)
            } else {
                (None, None)
            }
        });
        self.flag(&windows);
        let credible = |count: u32| (!self.flags.contains(&Flag::SeenTwice)).then_some(count);
        let [client, server] = &self.sides;
        let [sent, answered] = [client.bytes(server), server.bytes(client)];
        for (side, bytes) in [(CLIENT, sent), (SERVER, answered)] {
            if self.sides[side].packets == 0 {
                listeners.lanes.lane(self.pair, side).unseen(bytes);
            }
        }
        Connection {
            stream: self.stream,
            file: self.file,
            pair: self.pair,
            start: seconds(self.first),
            client_ip: written(self.ends[CLIENT].address),
            client_port: self.ends[CLIENT].port,
            server_ip: written(self.ends[SERVER].address),
            server_port: self.ends[SERVER].port,
            handshake: shake.class(),
            rtt_s: shake.rtt().map(|rtt| since(0, rtt)),
            server_rtt_s: shake.halves().map(|halves| since(0, halves[0])),
            syns: Some(shake.syns),
            syn_acks: Some(shake.syn_acks),
            c2s_bytes: Some(sent),
            s2c_bytes: Some(answered),
            c2s_seen_bytes: Some(client.seen_bytes),
            s2c_seen_bytes: Some(server.seen_bytes),
            c2s_payload_sum: Some(client.payload_sum),
            s2c_payload_sum: Some(server.payload_sum),
            c2s_window: windows[0].0,
            s2c_window: windows[1].0,
            c2s_handshake_window: windows[0].1,
            s2c_handshake_window: windows[1].1,
            c2s_widest_window: self.widest_window(SERVER).filter(|_| known),
            s2c_widest_window: self.widest_window(CLIENT).filter(|_| known),
            c2s_facts: self.facts(CLIENT, windows[0].1).unwrap_or_default(),
            s2c_facts: self.facts(SERVER, windows[1].1).unwrap_or_default(),
            client_wscale: client.offer.scale,
            server_wscale: server.offer.scale,
            client_mss: client.offer.mss,
            server_mss: server.offer.mss,
            timestamps: self.offered(|offer| offer.stamps),
            sack: self.offered(|offer| offer.sack),
            c2s_retransmissions: credible(client.retransmissions),
            s2c_retransmissions: credible(server.retransmissions),
            c2s_out_of_order: credible(client.out_of_order),
            s2c_out_of_order: credible(server.out_of_order),
            c2s_packets: Some(client.packets),
            s2c_packets: Some(server.packets),
            c2s_zero_windows: Some(server.window.zero),
            s2c_zero_windows: Some(client.window.zero),
            fins: Some(self.sides.iter().filter(|side| side.fin.is_some()).count() as u32),
            resets: Some(self.resets),
            end_s: Some(since(self.first, self.last)),
            copies: self.copies.iter().map(|copies| copies.count).sum(),
            flags: self.flags,
            ..Connection::unknown()
        }
    }

    /// Reports what the path held, unless copies passed: a repetition may have been taken for one.
    fn held(&self, rtt: Option<u64>, lanes: &mut Lanes) {
        if let Some(rtt) = rtt.filter(|_| !self.flags.contains(&Flag::SeenTwice)) {
            for (from, flights) in self.flights.iter().enumerate() {
                lanes.lane(self.pair, from).held(flights.whole(), rtt);
            }
        }
    }

    /// The widest window before data were acknowledged, and the handshake's, of one side as receiver.
    fn windows(&self, receiver: usize) -> (Option<u64>, Option<u64>) {
        let window = self.sides[receiver].window;
        let syn = window.syn.map(u64::from);
        let scaled = |value: u16| self.scale(receiver).map(|scale| u64::from(value) << scale);
        let widest = match window.widest {
            None => syn,
            Some(value) => scaled(value).map(|value| {
                value.max(if receiver == SERVER {
                    syn.unwrap_or(0)
                } else {
                    0
                })
            }),
        };
        let handshake = match receiver {
            SERVER => window.handshake.map(u64::from),
            _ => window.handshake.and_then(scaled),
        };
        (widest, handshake)
    }

    /// The widest window that a side has advertised, early or late.
    fn widest_window(&self, receiver: usize) -> Option<u64> {
        let scale = self.scale(receiver)?;
        let widest = self.sides[receiver].window.widest_ever?;
        Some(u64::from(widest) << scale)
    }

    /// Whether both sides have offered something in their SYNs, if what they offered is known.
    fn offered(&self, what: impl Fn(&Offer) -> bool) -> Option<bool> {
        let offers = self.sides.each_ref().map(|side| side.offer);
        let known = offers.iter().all(|offer| offer.seen && offer.whole);
        known.then(|| offers.iter().all(what))
    }

    /// What a side's windows are to be multiplied with, as a shift. Both must have announced a scale for either to
    /// use it (RFC 7323, section 2.2); when options were cut off that is unknown.
    fn scale(&self, side: usize) -> Option<u8> {
        let (own, other) = (self.sides[side].offer, self.sides[1 - side].offer);
        match (own.scale, other.scale) {
            (Some(scale), Some(_)) => Some(scale),
            (None, _) if own.whole && own.seen => Some(0),
            (_, None) if other.whole && other.seen => Some(0),
            _ => None,
        }
    }

    /// Whether one side was captured, as far as a few packets show it.
    fn is_one_direction(&self) -> bool {
        const FEW: u64 = 3;
        let packets = self.sides.each_ref().map(|side| side.packets);
        packets.contains(&0) && packets.iter().sum::<u64>() >= FEW && !self.shake.is_unanswered()
    }

    fn flag(&mut self, windows: &[(Option<u64>, Option<u64>); 2]) {
        let shake = &self.shake;
        let complete = shake.class() == Handshake::Complete;
        let unknown = windows
            .iter()
            .any(|(widest, handshake)| widest.is_none() || handshake.is_none());
        let partly = self
            .sides
            .iter()
            .any(|side| side.captured() > side.seen_bytes && !side.seen.approximate);
        let found = [
            (Flag::SynRetransmitted, shake.syns > 1),
            (Flag::SynAckRetransmitted, shake.syn_acks > 1),
            (Flag::RttNotPositive, complete && shake.rtt().is_none()),
            (Flag::WindowScaleUnknown, complete && unknown),
            (Flag::PartlyCaptured, partly),
            (Flag::OneDirection, self.is_one_direction()),
            (
                Flag::SeenApproximate,
                self.sides.iter().any(|side| side.seen.approximate),
            ),
        ];
        self.flags.extend(
            found
                .into_iter()
                .filter(|(_, set)| *set)
                .map(|(flag, _)| flag),
        );
        self.flags.sort();
    }
}

impl Window {
    /// Bytes that were acknowledged. A single byte at the end is a FIN.
    fn acked_bytes(&self) -> u64 {
        let first = self.first_acked.unwrap_or(0);
        self.acked.map_or(0, |last| last - first) - u64::from(self.last_advance == 1)
    }
}

impl Side {
    fn begin(&mut self, first_byte: u64) {
        self.first_byte = Some(first_byte);
        self.highest = first_byte;
        self.seen = Seen::starting(first_byte);
    }

    /// What it sent; where none of its packets was captured, what its peer acknowledged.
    fn bytes(&self, peer: &Side) -> u64 {
        match self.packets {
            0 => peer.window.acked_bytes(),
            _ => self.captured(),
        }
    }

    /// What it sent up to the last byte that was captured.
    fn captured(&self) -> u64 {
        self.first_byte.map_or(0, |first| self.highest - first)
    }
}
