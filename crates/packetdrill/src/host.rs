//! The host that a script is run against: a sender, and in front of it what the transport leaves
//! to others, which is sequence numbers, the peer's data, and the FIN at the end.
//!
//! A sender opens its connection itself. Where the script has the host listen, the host's SYN-ACK
//! takes the place of the sender's SYN, and the peer's acknowledgement of it that of the SYN-ACK:
//! the same round trip is measured, and it is in the sender's hands to send either again.

use crate::chronograph::{Activity, Chronograph};
use crate::expression::Variables;
use crate::problem::Problem;
use crate::script::{Flags, Segment};
use crate::settings::Settings;
use flowstart_control::{Duration, Instant, Segments};
use flowstart_transport::receiver::Receiver;
use flowstart_transport::sender::{Preparation, Sender};
use flowstart_wire::{Ack, AckOption, Body, ByteAck, Ecn, Packet, SynAck};
use std::collections::VecDeque;
use std::sync::Arc;

/// TCP_INFINITE_SSTHRESH.
const INFINITE_SSTHRESH: f64 = 0x7fff_ffff as f64;

/// A segment that the host has sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Instant,
    pub(crate) segment: Segment,
}

/// The FIN of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fin {
    /// The application has not closed the connection.
    None,
    /// It leaves behind the last byte.
    Waits,
    Sent,
}

/// A host with one connection.
pub(crate) struct Host {
    sender: Sender,
    receiver: Receiver,
    /// Where the host's SYN answers the peer's.
    listens: bool,
    /// Whether a handshake has begun, and whether it is over.
    began: bool,
    open: bool,
    /// The window scale of the peer.
    scale: u8,
    /// The peer's window, bytes.
    window: u32,
    /// What the application has written.
    written: u64,
    mss: u32,
    fin: Fin,
    /// Whether the peer's FIN has come.
    finished: bool,
    /// Whether the device refuses what is sent: it stays with the sender.
    refused: bool,
    chronograph: Chronograph,
    /// What it has sent that the script has not looked at.
    sent: VecDeque<Sent>,
}

impl Host {
    pub(crate) fn new(settings: &Settings) -> Result<Host, Problem> {
        let stack = Arc::new(settings.stack.clone());
        let receiver = Receiver::new(Arc::new(stack.receiver()), 0);
        Ok(Host {
            mss: stack.framing.mss,
            sender: Sender::new(stack, 0, settings.controller()?, Preparation::default()),
            receiver,
            listens: true,
            began: false,
            open: false,
            scale: 0,
            window: 0,
            written: 0,
            fin: Fin::None,
            finished: false,
            refused: false,
            chronograph: Chronograph::default(),
            sent: VecDeque::new(),
        })
    }

    /// The application opens the connection.
    pub(crate) fn connect(&mut self, now: Instant) {
        self.listens = false;
        self.open_once(now);
        self.transmit(now);
    }

    /// A SYN that comes again, or behind the handshake, opens nothing.
    fn open_once(&mut self, now: Instant) {
        if !std::mem::replace(&mut self.began, true) {
            self.sender.open(now);
        }
    }

    /// The application writes so many bytes.
    pub(crate) fn write(&mut self, bytes: u64, now: Instant) {
        self.written += bytes;
        self.sender.push(bytes, now);
        self.transmit(now);
    }

    /// The application closes the connection.
    pub(crate) fn close(&mut self, now: Instant) {
        if self.fin == Fin::None {
            self.fin = Fin::Waits;
        }
        self.transmit(now);
    }

    /// Whether the device refuses what is sent from now on.
    pub(crate) fn set_refused(&mut self, refused: bool) {
        self.refused = refused;
    }

    /// When to call [`on_timer`](Self::on_timer).
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let deadlines = [self.sender.deadline(), self.receiver.deadline()];
        deadlines.into_iter().flatten().min()
    }

    /// A deadline has passed.
    pub(crate) fn on_timer(&mut self, now: Instant) {
        if let Some(answer) = self.receiver.on_timer(now) {
            self.answer(&answer, now);
        }
        if self.sender.deadline().is_some_and(|due| due <= now) {
            self.sender.on_timer(now);
        }
        self.transmit(now);
    }

    /// A segment arrives.
    pub(crate) fn receive(&mut self, segment: &Segment, now: Instant) -> Result<(), String> {
        if segment.flags.rst {
            return Err("RST is not interpreted".into());
        }
        if segment.flags.syn {
            self.scale = segment.options.scale.unwrap_or(0);
            if self.listens {
                self.open_once(now);
            }
        }
        if let (true, Some(_)) = (segment.flags.ack, segment.ack) {
            self.acknowledge(segment, now)?;
        }
        self.take_data(segment, now);
        self.transmit(now);
        Ok(())
    }

    fn acknowledge(&mut self, segment: &Segment, now: Instant) -> Result<(), String> {
        let sent = self.sent_up_to();
        let blocks = segment.options.sack.iter().map(|block| block.1);
        if let Some(number) = blocks.chain(segment.ack).find(|number| *number > sent) {
            return Err(format!(
                "it acknowledges {number}, but only up to {sent} was sent"
            ));
        }
        let scale = if segment.flags.syn { 0 } else { self.scale };
        // RFC 7323 §2.3.
        let window = segment
            .window
            .unwrap_or(0)
            .checked_shl(scale.min(14).into());
        let window = window.unwrap_or(0);
        self.window = window;
        let mut answer = if self.open {
            Packet::new(0, 0, self.ack(segment, window))
        } else {
            self.open = true;
            Packet::new(0, 0, Body::SynAck(SynAck::new(0, window)))
        };
        if segment.flags.ece && !segment.flags.syn {
            answer.ecn.set(Ecn::ECE);
        }
        self.sender.on_packet(&answer, now);
        if segment.flags.syn {
            self.send_bare(false, now);
        }
        Ok(())
    }

    /// One past the highest sequence number that has been sent.
    fn sent_up_to(&self) -> u64 {
        self.written - self.sender.unsent() + 1 + u64::from(self.fin == Fin::Sent)
    }

    /// What the segment acknowledges, as positions in the stream.
    fn ack(&self, segment: &Segment, window: u32) -> Body {
        // Behind the last byte lies the FIN.
        let position = |number: u64| number.saturating_sub(1).min(self.written);
        let una = position(segment.ack.unwrap_or(0));
        let blocks = segment.options.sack.iter();
        let mut blocks: VecDeque<_> = blocks.map(|(a, b)| (position(*a), position(*b))).collect();
        let option = match blocks.front() {
            Some(&(start, end)) if is_duplicate(&blocks, una) => {
                blocks.pop_front();
                AckOption::Duplicate {
                    start: start.wrapping_sub(una) as i32,
                    len: (end - start) as u32,
                }
            }
            _ => AckOption::None,
        };
        let mut ack = ByteAck::new(una, window, option);
        // What is acknowledged already says nothing more.
        for (start, end) in blocks.into_iter().filter(|(_, end)| *end > una) {
            ack.push_sack(start.max(una), end);
        }
        Body::Ack(Ack::Bytes(ack))
    }

    fn take_data(&mut self, segment: &Segment, now: Instant) {
        let length = segment.end - segment.start;
        // The number of the SYN is none of a byte.
        let start = segment.start.checked_sub(1);
        if let (1.., false, Some(start)) = (length, segment.flags.syn, start) {
            let data = Packet::data(0, 0, start, length as u32);
            if let Some(answer) = self.receiver.on_packet(&data, now) {
                self.answer(&answer, now);
            }
        }
        if segment.flags.fin && segment.end == self.receiver.delivered() + 1 {
            self.finished = true;
            self.send_bare(false, now);
        }
    }

    /// Sends whatever may leave now.
    fn transmit(&mut self, now: Instant) {
        if self.refused {
            return;
        }
        while let Some(packet) = self.sender.poll_transmit(now) {
            let segment = self.segment(&packet);
            self.sent.push_back(Sent { at: now, segment });
        }
        if self.fin == Fin::Waits && self.sender.unsent() == 0 {
            self.send_bare(true, now);
            self.fin = Fin::Sent;
        }
        self.chronograph.set(self.activity(), now);
    }

    /// What the connection does, as `tcp_write_xmit` sees it.
    fn activity(&self) -> Activity {
        let (una, unsent) = (self.sender.acknowledged(), self.sender.unsent());
        let next_end = self.written - unsent + unsent.min(self.mss.into());
        if una == self.written {
            Activity::Idle
        } else if unsent > 0 && next_end > una + u64::from(self.window) {
            Activity::RwndLimited
        } else {
            Activity::Busy
        }
    }

    /// A packet of the sender's as a segment.
    fn segment(&mut self, packet: &Packet) -> Segment {
        let Body::Data(data) = &packet.body else {
            return self.syn();
        };
        let (start, end) = (data.start() + 1, data.end() + 1);
        let fin = self.fin != Fin::None && !data.is_empty() && data.end() == self.written;
        if fin {
            self.fin = Fin::Sent;
        }
        Segment {
            flags: Flags {
                ack: true,
                fin,
                cwr: packet.ecn.has(Ecn::CWR),
                ..Flags::default()
            },
            capable: Some(packet.ecn.has(Ecn::ECT)),
            start,
            end,
            ack: Some(self.next_expected()),
            ..Segment::default()
        }
    }

    fn syn(&self) -> Segment {
        Segment {
            flags: Flags {
                syn: true,
                ack: self.listens,
                ..Flags::default()
            },
            capable: Some(false),
            ack: self.listens.then_some(1),
            ..Segment::default()
        }
    }

    /// A segment without data.
    fn send_bare(&mut self, fin: bool, now: Instant) {
        if self.refused {
            return;
        }
        let number = self.sent_up_to();
        let segment = Segment {
            flags: Flags {
                ack: true,
                fin,
                ..Flags::default()
            },
            capable: Some(false),
            start: number,
            end: number,
            ack: Some(self.next_expected()),
            ..Segment::default()
        };
        self.sent.push_back(Sent { at: now, segment });
    }

    /// The receiver acknowledges the peer's data.
    fn answer(&mut self, answer: &Packet, now: Instant) {
        let Body::Ack(Ack::Bytes(ack)) = &answer.body else {
            return;
        };
        let blocks = ack.sack_blocks().map(|(start, end)| (start + 1, end + 1));
        let blocks = blocks.collect();
        self.send_bare(false, now);
        if let Some(last) = self.sent.back_mut() {
            last.segment.options.sack = blocks;
        }
    }

    /// The acknowledgement number of what the host sends.
    fn next_expected(&self) -> u64 {
        self.receiver.delivered() + 1 + u64::from(self.finished)
    }

    /// The next segment that the script has not looked at.
    pub(crate) fn next_sent(&self) -> Option<&Sent> {
        self.sent.front()
    }

    /// It has looked at it.
    pub(crate) fn take_sent(&mut self) -> Option<Sent> {
        self.sent.pop_front()
    }

    /// `tcp_info`, with the constants that belong to it.
    pub(crate) fn describe(&self, variables: &mut Variables, now: Instant) {
        let window = self.sender.window();
        let counters = self.sender.counters();
        let micros = |time: Duration| (time.nanos() / 1000) as f64;
        let (srtt, rttvar) = self.sender.rtt().smoothed().unwrap_or_default();
        let ssthresh = window.ssthresh;
        let [busy, limited] = self.chronograph.times(now);
        let fields: [(&str, f64); 12] = [
            ("tcpi_snd_cwnd", window.cwnd_segments() as Segments),
            ("tcpi_snd_ssthresh", ssthresh.floor().min(INFINITE_SSTHRESH)),
            ("tcpi_snd_mss", self.mss.into()),
            ("tcpi_rto", micros(self.sender.rtt().rto())),
            ("tcpi_rtt", micros(srtt)),
            ("tcpi_rttvar", micros(rttvar)),
            (
                "tcpi_min_rtt",
                micros(self.sender.min_rtt().unwrap_or_default()),
            ),
            ("tcpi_data_segs_out", counters.packets_sent as f64),
            ("tcpi_total_retrans", counters.packets_retransmitted as f64),
            ("tcpi_notsent_bytes", self.sender.unsent() as f64),
            ("tcpi_busy_time", micros(busy)),
            ("tcpi_rwnd_limited", micros(limited)),
        ];
        set(variables, &fields);
        if let Some(info) = self.sender.info() {
            let fields = [
                ("tcpi_ca_state", f64::from(info.ca_state as u8)),
                ("tcpi_unacked", info.unacked as f64),
                ("tcpi_sacked", info.sacked as f64),
                ("tcpi_lost", info.lost as f64),
                ("tcpi_retrans", info.retrans as f64),
                ("tcpi_reordering", info.reordering as f64),
                ("tcpi_reord_seen", info.reordering_seen as f64),
            ];
            set(variables, &fields);
        }
        let constants = [
            ("TCP_CA_Open", 0.0),
            ("TCP_CA_Disorder", 1.0),
            ("TCP_CA_CWR", 2.0),
            ("TCP_CA_Recovery", 3.0),
            ("TCP_CA_Loss", 4.0),
        ];
        set(variables, &constants);
    }
}

/// Whether the first block reports a repetition: it is below `una`, or in the second
/// (RFC 2883 §4).
fn is_duplicate(blocks: &VecDeque<(u64, u64)>, una: u64) -> bool {
    let mut blocks = blocks.iter();
    let first = blocks.next();
    let second = blocks.next();
    first.is_some_and(|(start, end)| {
        *end <= una || second.is_some_and(|(from, to)| from <= start && end <= to)
    })
}

fn set(variables: &mut Variables, values: &[(&str, f64)]) {
    for (name, value) in values {
        variables.insert(name.to_string(), *value);
    }
}
