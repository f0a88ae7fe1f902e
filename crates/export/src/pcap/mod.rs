//! A flow's packets as a capture at one of its hosts (libpcap's file format, times in nanoseconds,
//! raw IPv4).
//!
//! Headers are real, and payloads are zeros that the capture cuts off: a captured length is
//! shorter than the length on the wire, as with `tcpdump -s`. Times count from the start of the
//! run. What the simulator does not simulate is not in it: no FIN, and no acknowledgement that
//! only completes a handshake.

mod frame;
mod identity;
mod ip;
mod ports;

mod tcp;
mod udp;

use flowstart_control::Instant;
use flowstart_sim::record::packets::{FlowLog, Host, What};
use flowstart_wire::Packet;
use frame::Frame;
use identity::Identity;
use std::collections::{HashMap, VecDeque};

/// So many bytes of a packet are kept: more than any header has.
const SNAPLEN: u32 = 128;
/// LINKTYPE_RAW: packets begin with the IP header.
const RAW_IP: u32 = 101;
/// The magic number of captures whose times are in nanoseconds.
const NANOSECONDS: u32 = 0xA1B2_3C4D;

/// The packets of `log` as `side` captures them: what it sends, and what reaches it.
pub fn pcap(log: &FlowLog, side: Host) -> Vec<u8> {
    let mut hosts = Hosts::of(log);
    let mut on_the_way = OnTheWay::default();
    let mut file = file_header();
    for (at, what) in &log.entries {
        match what {
            What::Sent(host, packet) => {
                let frame = hosts.send(*host, packet, *at);
                if *host == side {
                    record(&mut file, *at, &frame, packet);
                }
                on_the_way.put(packet, frame);
            }
            What::Received(host, packet) => {
                let Some(frame) = on_the_way.take(packet) else {
                    continue;
                };
                hosts.receive(*host, packet, &frame);
                if *host == side {
                    record(&mut file, *at, &frame, packet);
                }
            }
            What::Dropped(packet) => drop(on_the_way.take(packet)),
            What::Lost { .. } | What::TimedOut | What::Knows(_) => {}
        }
    }
    file
}

/// Both ends, as they write headers.
enum Hosts {
    Tcp(tcp::Connection),
    Udp(udp::Connection),
}

impl Hosts {
    fn of(log: &FlowLog) -> Hosts {
        match log.stack.numbers_packets() {
            true => Hosts::Udp(udp::Connection::of(log)),
            false => Hosts::Tcp(tcp::Connection::of(log)),
        }
    }

    fn send(&mut self, host: Host, packet: &Packet, now: Instant) -> Frame {
        match self {
            Hosts::Tcp(connection) => connection.send(host, packet, now),
            Hosts::Udp(connection) => connection.send(host, packet),
        }
    }

    fn receive(&mut self, host: Host, packet: &Packet, frame: &Frame) {
        if let Hosts::Tcp(connection) = self {
            connection.receive(host, packet, frame);
        }
    }
}

/// What has left and has not arrived. A host receives the very frame that the other sent.
#[derive(Default)]
struct OnTheWay {
    frames: HashMap<Identity, VecDeque<Frame>>,
}

impl OnTheWay {
    fn put(&mut self, packet: &Packet, frame: Frame) {
        let identity = Identity::of(packet);
        self.frames.entry(identity).or_default().push_back(frame);
    }

    /// The frame of this packet. Of several that are alike, the one that left first.
    fn take(&mut self, packet: &Packet) -> Option<Frame> {
        let identity = Identity::of(packet);
        let alike = self.frames.get_mut(&identity)?;
        let frame = alike.pop_front();
        if alike.is_empty() {
            self.frames.remove(&identity);
        }
        frame
    }
}

fn file_header() -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(NANOSECONDS.to_le_bytes());
    for version in [2u16, 4] {
        header.extend(version.to_le_bytes());
    }
    for field in [0, 0, SNAPLEN, RAW_IP] {
        header.extend(field.to_le_bytes());
    }
    header
}

fn record(file: &mut Vec<u8>, at: Instant, frame: &Frame, packet: &Packet) {
    const SECOND: u64 = 1_000_000_000;
    // Marks are made on the way.
    let bytes = frame.bytes(packet.ecn);
    let on_wire = frame.on_wire();
    let kept = on_wire.min(SNAPLEN);
    for field in [
        (at.0 / SECOND) as u32,
        (at.0 % SECOND) as u32,
        kept,
        on_wire,
    ] {
        file.extend(field.to_le_bytes());
    }
    file.extend(&bytes[..bytes.len().min(kept as usize)]);
    // The payload is zeros.
    file.resize(file.len() + (kept as usize).saturating_sub(bytes.len()), 0);
}
