//! TCP's headers, as both ends would write them.

use super::frame::Frame;
use super::ip;
use super::ports::Ports;
use flowstart_control::Instant;
use flowstart_sim::record::packets::{FlowLog, Host, What};
use flowstart_transport::stack::{EcnMode, Stack};
use flowstart_wire::{Ack, AckOption, Body, ByteAck, Data, Ecn, Packet, UNLIMITED_WINDOW};
use std::sync::Arc;

const TCP: u8 = 6;
/// The port of the side that is opened: one on which no dissector expects a protocol.
const SERVER: u16 = 5001;
/// Bytes of a header without options.
const HEADER: u32 = 20;
/// Bytes that timestamps take with their padding (RFC 7323 appendix A).
const TIMESTAMPS: u32 = 12;

// Flags (RFC 9293 §3.1; AE: RFC 9768 §2.1).
const SYN: u16 = 0x02;
const PSH: u16 = 0x08;
const ACK: u16 = 0x10;
const ECE: u16 = 0x40;
const CWR: u16 = 0x80;
const AE: u16 = 0x100;

/// What an end remembers between segments.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// TS.Recent: what it echoes (RFC 7323 §4.3).
    recent: u32,
    /// Last.ACK.sent, as a position.
    acked: u64,
    /// Bytes of messages of a handshake that it has sent, and that have come.
    said: u32,
    heard: u32,
    /// The identification of its last packet.
    id: u16,
}

/// Both ends of a connection.
pub(super) struct Connection {
    stack: Arc<Stack>,
    ports: Ports,
    /// By how many bits windows are shifted; `None` where they are not scaled.
    scale: Option<u8>,
    has_timestamps: bool,
    sender: End,
    receiver: End,
}

impl Connection {
    /// That of `log`.
    pub(super) fn of(log: &FlowLog) -> Connection {
        let stack = log.stack.clone();
        let windows = log.entries.iter().filter_map(|(_, what)| match what {
            What::Sent(_, packet) => window(packet),
            _ => None,
        });
        Connection {
            scale: stack
                .receive_window
                .scaling
                .then(|| scale(windows.max().unwrap_or(0))),
            // Where simulated headers have no room for them, there are none.
            has_timestamps: stack.framing.header >= ip::HEADER + HEADER + TIMESTAMPS,
            ports: Ports::of(log, SERVER),
            sender: End::default(),
            receiver: End::default(),
            stack,
        }
    }

    /// `host` sends `packet`.
    pub(super) fn send(&mut self, host: Host, packet: &Packet, now: Instant) -> Frame {
        let tsval = self.has_timestamps.then(|| tsval(now));
        let (end, options, payload) = match &packet.body {
            Body::Syn(_) | Body::SynAck(_) => {
                (self.end(host), self.opening_options(host, tsval), 0)
            }
            Body::Data(data) => (
                self.end(host),
                self.data_options(data, packet, tsval),
                data.len(),
            ),
            Body::Ack(ack) => (self.end(host), self.ack_options(ack, tsval), 0),
            Body::Message(message) => {
                let nothing = ByteAck::new(0, UNLIMITED_WINDOW, AckOption::None);
                let options = self.ack_options(&Ack::Bytes(nothing), tsval);
                (self.end(host), options, message.end - message.start)
            }
        };
        end_sends(self.end_mut(host), packet);
        let mut header = self.fixed_header(host, packet);
        header.extend(&options);
        header[12] |= (header.len() as u8 / 4) << 4;
        let length = header.len() as u32 + payload;
        let sum = ip::transport_checksum(host, TCP, length, &header);
        header[16..18].copy_from_slice(&sum.to_be_bytes());
        Frame {
            from: host,
            protocol: TCP,
            id: end.id.wrapping_add(1),
            header,
            payload,
            tsval,
        }
    }

    /// `host` receives `packet` as this frame (RFC 7323 §4.3).
    pub(super) fn receive(&mut self, host: Host, packet: &Packet, frame: &Frame) {
        let end = self.end_mut(host);
        let in_order = match &packet.body {
            Body::Data(data) => data.start() <= end.acked,
            Body::Message(message) => {
                end.heard = end.heard.max(message.end);
                true
            }
            _ => true,
        };
        if let (Some(tsval), true) = (frame.tsval, in_order) {
            end.recent = tsval;
        }
    }

    fn end(&self, host: Host) -> End {
        match host {
            Host::Sender => self.sender,
            Host::Receiver => self.receiver,
        }
    }

    fn end_mut(&mut self, host: Host) -> &mut End {
        match host {
            Host::Sender => &mut self.sender,
            Host::Receiver => &mut self.receiver,
        }
    }

    /// The header without options, its length and checksum still missing.
    fn fixed_header(&self, host: Host, packet: &Packet) -> Vec<u8> {
        let [from, to] = self.ports.sent_by(host);
        let [seq, ack] = numbers(packet, self.end(host));
        let mut header = Vec::with_capacity(60);
        header.extend(from.to_be_bytes());
        header.extend(to.to_be_bytes());
        header.extend(seq.to_be_bytes());
        header.extend(ack.to_be_bytes());
        header.extend(self.flags(packet).to_be_bytes());
        header.extend(self.window_field(packet).to_be_bytes());
        header.extend([0; 4]);
        header
    }

    fn flags(&self, packet: &Packet) -> u16 {
        let classic = |bit, flag| if packet.ecn.has(bit) { flag } else { 0 };
        match (&packet.body, self.stack.ecn) {
            (Body::Syn(_), EcnMode::Off) => SYN,
            (Body::Syn(_), EcnMode::Classic) => SYN | ECE | CWR,
            (Body::Syn(_), EcnMode::L4s) => SYN | AE | ECE | CWR,
            (Body::SynAck(_), EcnMode::Off) => SYN | ACK,
            (Body::SynAck(_), EcnMode::Classic) => SYN | ACK | ECE,
            (Body::SynAck(_), EcnMode::L4s) => SYN | ACK | CWR,
            (Body::Data(data), mode) => {
                let counted = match mode {
                    EcnMode::L4s => accurate(0),
                    _ => classic(Ecn::CWR, CWR),
                };
                ACK | counted | if data.pushes() { PSH } else { 0 }
            }
            (Body::Ack(ack), EcnMode::L4s) => match ack.option() {
                AckOption::Marks(count) => ACK | accurate(count),
                _ => ACK | accurate(0),
            },
            (Body::Ack(_), _) => ACK | classic(Ecn::ECE, ECE),
            (Body::Message(_), _) => ACK | PSH,
        }
    }

    fn window_field(&self, packet: &Packet) -> u16 {
        let window = window(packet).unwrap_or(UNLIMITED_WINDOW);
        // Windows of segments with SYN are not scaled (RFC 7323 §2.2).
        let scale = match packet.body {
            Body::Syn(_) | Body::SynAck(_) => 0,
            _ => self.scale.unwrap_or(0),
        };
        (window >> scale).min(u16::MAX.into()) as u16
    }

    fn opening_options(&self, host: Host, tsval: Option<u32>) -> Vec<u8> {
        const MAXIMUM_SEGMENT_SIZE: u8 = 2;
        const WINDOW_SCALE: u8 = 3;
        const SACK_PERMITTED: u8 = 4;
        let mss = self.stack.framing.mss + if tsval.is_some() { TIMESTAMPS } else { 0 };
        let [high, low] = (mss as u16).to_be_bytes();
        let mut options = vec![MAXIMUM_SEGMENT_SIZE, 4, high, low];
        if self.stack.recovery.sack {
            options.extend([SACK_PERMITTED, 2]);
        }
        if let Some(tsval) = tsval {
            options.extend(timestamps(tsval, self.end(host).recent));
        }
        if let Some(scale) = self.scale {
            options.extend([WINDOW_SCALE, 3, scale]);
        }
        padded(options)
    }

    /// Timestamps, and room for as much as the simulated header has next to them.
    fn data_options(&self, data: &Data, packet: &Packet, tsval: Option<u32>) -> Vec<u8> {
        const MOST: usize = 40;
        let mut options = Vec::new();
        if let Some(tsval) = tsval {
            options = padded(timestamps(tsval, self.sender.recent).to_vec());
        }
        let headers = packet.wire.saturating_sub(data.len());
        let room = headers.saturating_sub(ip::HEADER + HEADER) as usize;
        options.resize(options.len().max(room.min(MOST)), NO_OPERATION);
        padded(options)
    }

    fn ack_options(&self, ack: &Ack, tsval: Option<u32>) -> Vec<u8> {
        const SACK: u8 = 5;
        let mut options = Vec::new();
        if let Some(tsval) = tsval {
            options = padded(timestamps(tsval, self.receiver.recent).to_vec());
        }
        let Ack::Bytes(ack) = ack else {
            return options;
        };
        let blocks = sack_blocks(ack);
        if !blocks.is_empty() {
            options.extend([NO_OPERATION; 2]);
            options.extend([SACK, 2 + 8 * blocks.len() as u8]);
            for edge in blocks.iter().flat_map(|(start, end)| [start, end]) {
                options.extend(sequence(*edge).to_be_bytes());
            }
        }
        options
    }
}

const NO_OPERATION: u8 = 1;

fn end_sends(end: &mut End, packet: &Packet) {
    end.id = end.id.wrapping_add(1);
    match &packet.body {
        Body::Ack(Ack::Bytes(ack)) => end.acked = end.acked.max(ack.una()),
        Body::Message(message) => end.said = end.said.max(message.end),
        _ => {}
    }
}

/// The blocks of an acknowledgement; what came twice is first (RFC 2883 §4).
fn sack_blocks(ack: &ByteAck) -> Vec<(u64, u64)> {
    let twice = match ack.option() {
        AckOption::Duplicate { start, len } => {
            let start = ack.una().wrapping_add_signed(start.into());
            Some((start, start.wrapping_add(len.into())))
        }
        _ => None,
    };
    twice.into_iter().chain(ack.sack_blocks()).collect()
}

/// The number of the data's byte at `position`: the SYN has number 0.
fn sequence(position: u64) -> u32 {
    (position as u32).wrapping_add(1)
}

/// SEG.SEQ and SEG.ACK. The data's receiver sends nothing but its SYN, which has number 0 too, and
/// messages of a handshake.
fn numbers(packet: &Packet, end: End) -> [u32; 2] {
    let (said, heard) = (sequence(end.said.into()), sequence(end.heard.into()));
    match &packet.body {
        Body::Syn(_) => [0, 0],
        // What only acknowledges messages has ranges.
        Body::SynAck(answer) if answer.end > 0 => [1, heard],
        Body::SynAck(_) => [0, 1],
        Body::Data(data) => [sequence(data.start()), heard],
        Body::Ack(Ack::Bytes(ack)) => [said, sequence(ack.una())],
        Body::Ack(Ack::Numbers(_)) => [1, 1],
        Body::Message(message) => [sequence(message.start.into()), sequence(end.acked)],
    }
}

/// The advertised window, where the packet has a meaningful one.
fn window(packet: &Packet) -> Option<u32> {
    match &packet.body {
        Body::Ack(ack) => Some(ack.window()),
        Body::SynAck(answer) => Some(answer.window),
        Body::Syn(_) | Body::Data(_) | Body::Message(_) => None,
    }
}

/// The smallest scale that can express the window (RFC 7323 §2.3: at most 14).
fn scale(window: u32) -> u8 {
    const MOST: u8 = 14;
    let fits = |scale: &u8| window >> scale <= u16::MAX.into();
    (0..MOST).find(fits).unwrap_or(MOST)
}

/// ACE, a counter of three bits in the place of flags that begins with 5 (RFC 9768 §3.2.2).
fn accurate(marks: u64) -> u16 {
    let counter = marks.wrapping_add(5);
    let bit = |mask: u64, flag: u16| if counter & mask != 0 { flag } else { 0 };
    bit(4, AE) | bit(2, CWR) | bit(1, ECE)
}

/// TSval: a clock of milliseconds that does not begin with 0, which has no meaning.
fn tsval(now: Instant) -> u32 {
    const MILLISECOND: u64 = 1_000_000;
    (now.0 / MILLISECOND) as u32 + 1
}

fn timestamps(tsval: u32, tsecr: u32) -> [u8; 10] {
    const TIMESTAMPS: u8 = 8;
    let mut option = [0; 10];
    (option[0], option[1]) = (TIMESTAMPS, 10);
    option[2..6].copy_from_slice(&tsval.to_be_bytes());
    option[6..].copy_from_slice(&tsecr.to_be_bytes());
    option
}

/// Options begin with what fills their last word.
fn padded(options: Vec<u8>) -> Vec<u8> {
    let missing = options.len().next_multiple_of(4) - options.len();
    let mut padded = vec![NO_OPERATION; missing];
    padded.extend(options);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_the_smallest_that_expresses_the_window() {
        assert_eq!(
            (scale(65_535), scale(65_536), scale(UNLIMITED_WINDOW)),
            (0, 1, 14)
        );
    }

    #[test]
    fn the_counter_of_marks_begins_with_five() {
        assert_eq!(accurate(0), AE | ECE);
        assert_eq!(accurate(1), AE | CWR);
        assert_eq!(accurate(3), 0);
    }

    #[test]
    fn what_came_twice_precedes_what_is_above_a_hole() {
        let option = AckOption::Duplicate {
            start: -1448,
            len: 1448,
        };
        let mut ack = ByteAck::new(2896, 0, option);
        ack.push_sack(5792, 7240);
        assert_eq!(sack_blocks(&ack), [(1448, 2896), (5792, 7240)]);
    }

    #[test]
    fn options_fill_whole_words() {
        assert_eq!(padded(timestamps(1, 0).to_vec()).len(), 12);
        assert_eq!(padded(vec![2; 4]).len(), 4);
    }
}
