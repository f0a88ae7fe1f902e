//! The simulator's links between two endpoints that are not the simulator's.

use crate::ends::{self, Datagram, Side};
use flowstart_control::Instant;
use flowstart_network::graph::{LinkId, Route};
use flowstart_network::link::{Link, Verdict};
use flowstart_network::moment::Moment;
use flowstart_network::queue::QueueEventKind;
use flowstart_sim::ExternalSender;
use flowstart_wire::{
    Ack, AckOption, Answers, Body, Data, Ecn, Message, NumberAck, Packet, Syn, SynAck,
    UNLIMITED_WINDOW,
};
use std::collections::HashMap;

/// What UDP and IPv4 add to a datagram.
const UDP_IP: u32 = 8 + 20;

/// What links distinguish: positions of forced drops and delays are those of what opens a
/// connection and of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It opens a connection.
    Syn,
    /// It answers that.
    SynAck,
    /// It carries data, or may.
    Data,
    /// It only acknowledges.
    Ack,
}

/// What links read of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// The number of its connection.
    pub flow: u32,
    /// What it is.
    pub kind: Kind,
    /// What it has on the wire besides its payload, bytes.
    pub header: u32,
}

/// A datagram that left the sender of the data, or reached it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// When, from the beginning of the run.
    pub at: Instant,
    /// Bytes of UDP payload.
    pub bytes: u32,
    /// It left.
    pub sent: bool,
}

/// A flow's links, and the datagrams that are on them.
pub struct Wire {
    links: Vec<Link>,
    route: Route,
    ecn: bool,
    /// Links see datagrams as packets of a handshake, of which they may lose some.
    opens: bool,
    sender: Side,
    payloads: HashMap<u64, (Side, Datagram)>,
    next_id: u64,
    dropped: u64,
    passages: Vec<Passage>,
}

impl Wire {
    /// The links of this flow, which are its own from now on.
    pub fn of(flow: &mut ExternalSender) -> Wire {
        let links = std::mem::take(&mut flow.links);
        Wire {
            opens: flow.stack.messages.flight.is_some(),
            ..Wire::new(links, flow.route.clone(), flow.ecn, ends::sender(flow))
        }
    }

    /// Links that all datagrams between two sides pass by one route. Those that `sender` sends may
    /// be marked under `ecn`, and so may the answers.
    pub fn new(links: Vec<Link>, route: Route, ecn: bool, sender: Side) -> Wire {
        Wire {
            links,
            route,
            ecn,
            opens: false,
            sender,
            payloads: HashMap::new(),
            next_id: 0,
            dropped: 0,
            passages: Vec::new(),
        }
    }

    /// When a link may deliver a packet.
    pub fn next(&self) -> Option<Moment> {
        self.links.iter().filter_map(Link::next_delivery).min()
    }

    /// Packets that were lost or refused on the way of the data.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The datagrams that the sender sent and received, in order of time.
    pub fn passages(&self) -> &[Passage] {
        &self.passages
    }

    /// A side sends a datagram of UDP.
    pub fn send(&mut self, side: Side, datagram: Datagram, now: Moment) {
        let kind = match side == self.sender {
            true => Kind::Data,
            false => Kind::Ack,
        };
        let sort = Sort {
            flow: 0,
            kind,
            header: UDP_IP,
        };
        self.send_sort(side, datagram, sort, now);
    }

    /// Sends a datagram of this sort.
    pub fn send_sort(&mut self, side: Side, datagram: Datagram, sort: Sort, now: Moment) {
        let Sort { flow, kind, header } = sort;
        let (number, wire) = (self.next_id, datagram.payload.len() as u32 + header);
        self.next_id += 1;
        if side == self.sender {
            self.note(&datagram, now, true);
        }
        let mut body = body(kind, side == self.sender, number, wire - header);
        if self.opens {
            body = of_handshake(body);
        }
        let mut packet = Packet::new(flow, wire, body);
        if datagram.ect && self.ecn {
            packet.ecn.set(Ecn::ECT);
        }
        self.payloads.insert(number, (side, datagram));
        if let Some(first) = self.way(side).first() {
            self.enter(*first, &mut packet, now);
        }
    }

    /// The link whose turn it is delivers: whose the datagram is, where it has arrived.
    pub fn deliver(&mut self, now: Moment) -> Option<(Side, Datagram)> {
        let due = |link: &Link| link.next_delivery() == Some(now);
        let link = self.links.iter().position(due)?;
        let mut packet = self.links[link].deliver(now)?;
        let (from, _) = self.payloads.get(&id(&packet))?;
        if let Some(next) = self.way(*from).get(usize::from(packet.hop)) {
            self.enter(*next, &mut packet, now);
            return None;
        }
        let (from, mut datagram) = self.payloads.remove(&id(&packet))?;
        datagram.ce = packet.ecn.has(Ecn::CE);
        let to = from.other();
        if to == self.sender {
            self.note(&datagram, now, false);
        }
        Some((to, datagram))
    }

    fn note(&mut self, datagram: &Datagram, now: Moment, sent: bool) {
        self.passages.push(Passage {
            at: now.time,
            bytes: datagram.payload.len() as u32,
            sent,
        });
    }

    fn way(&self, from: Side) -> &[LinkId] {
        match from == self.sender {
            true => &self.route.data,
            false => &self.route.acks,
        }
    }

    fn enter(&mut self, link: LinkId, packet: &mut Packet, now: Moment) {
        let link = &mut self.links[link as usize];
        let data = packet.is_data();
        let mut gone = u64::from(link.send(packet, now) == Verdict::Dropped);
        if gone > 0 {
            self.payloads.remove(&id(packet));
        }
        while let Some(event) = link.take_queue_event() {
            if event.kind == QueueEventKind::Evicted {
                self.payloads.remove(&id(&event.packet));
                gone += 1;
            }
        }
        self.dropped += if data { gone } else { 0 };
    }
}

/// What a packet is to links, `forward` being the way of the data.
fn body(kind: Kind, forward: bool, number: u64, len: u32) -> Body {
    match (kind, forward) {
        (Kind::Syn, true) => Body::Syn(Syn {
            number: number as u32,
            request: None,
            by_receiver: false,
            message: 0,
        }),
        (Kind::SynAck, true) => {
            let mut answer = SynAck::new(number as u32, UNLIMITED_WINDOW);
            answer.to = Answers::Receiver;
            Body::SynAck(answer)
        }
        (Kind::Data, true) => Body::Data(Data::new(number, len, 0)),
        _ => {
            let ack = NumberAck::new(number, 0, UNLIMITED_WINDOW, AckOption::None);
            Body::Ack(Ack::Numbers(ack))
        }
    }
}

/// What carries data or acknowledges, as a packet of the server's flight or of the client's hello.
fn of_handshake(mut body: Body) -> Body {
    match &mut body {
        Body::Data(data) => data.set_opening(true),
        Body::Ack(Ack::Numbers(ack)) => {
            return Body::Message(Message {
                number: ack.end() as u32,
                start: 0,
                end: 0,
                is_hello: true,
                validates: false,
                has_token: false,
            });
        }
        _ => {}
    }
    body
}

/// The datagram of a packet.
fn id(packet: &Packet) -> u64 {
    match &packet.body {
        Body::Data(data) => data.start(),
        Body::Ack(Ack::Numbers(ack)) => ack.end(),
        Body::Syn(syn) => syn.number.into(),
        Body::SynAck(answer) => answer.answers.into(),
        Body::Message(message) => message.number.into(),
        Body::Ack(Ack::Bytes(_)) => u64::MAX,
    }
}
