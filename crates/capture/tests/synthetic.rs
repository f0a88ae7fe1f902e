//! Captures written here, whose answers are therefore known, and captures spoilt at random.

use crate::support;

use crate::support::{Capture, Scratch, try_read};
use etherparse::{PacketBuilder, TcpOptionElement};
use flowstart_capture::{Direction, Flag, Handshake};
use proptest::prelude::*;

const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 1], 40000);
const SERVER: ([u8; 4], u16) = ([10, 0, 9, 1], 443);
const MS: u64 = 1_000_000;

/// Writes a conversation as nanosecond pcap.
struct Writer {
    content: Vec<u8>,
    now: u64,
    /// Next sequence numbers of client and server.
    next: [u32; 2],
}

#[derive(Clone, Copy)]
struct Segment<'a> {
    syn: bool,
    fin: bool,
    ack: bool,
    /// Sent at this sequence number rather than the next.
    again: Option<u32>,
    /// Acknowledges this rather than all that the other side has sent.
    heard: Option<u32>,
    payload: usize,
    window: u16,
    options: &'a [TcpOptionElement],
}

const PLAIN: Segment = Segment {
    syn: false,
    fin: false,
    ack: true,
    again: None,
    heard: None,
    payload: 0,
    window: 500,
    options: &[],
};

impl Writer {
    fn new(next: [u32; 2]) -> Self {
        let mut content = Vec::new();
        for word in [0xa1b2_3c4du32, 0x0004_0002, 0, 0, 65535, 1] {
            content.extend(word.to_le_bytes());
        }
        Writer {
            content,
            now: 1_700_000_000_000 * MS,
            next,
        }
    }

    fn send(&mut self, side: usize, segment: Segment) {
        let ends = if side == 0 {
            [CLIENT, SERVER]
        } else {
            [SERVER, CLIENT]
        };
        let number = segment.again.unwrap_or(self.next[side]);
        let mut builder = PacketBuilder::ethernet2([1; 6], [2; 6])
            .ipv4(ends[0].0, ends[1].0, 64)
            .tcp(ends[0].1, ends[1].1, number, segment.window);
        if segment.syn {
            builder = builder.syn();
        }
        if segment.fin {
            builder = builder.fin();
        }
        if segment.ack {
            builder = builder.ack(segment.heard.unwrap_or(self.next[1 - side]));
        }
        let mut data = Vec::new();
        let payload = vec![b'x'; segment.payload];
        builder
            .options(segment.options)
            .unwrap()
            .write(&mut data, &payload)
            .unwrap();
        let kept = data.len().min(96);
        let (seconds, rest) = (self.now / (1000 * MS), self.now % (1000 * MS));
        for word in [seconds as u32, rest as u32, kept as u32, data.len() as u32] {
            self.content.extend(word.to_le_bytes());
        }
        self.content.extend(&data[..kept]);
        let end = number
            .wrapping_add(segment.payload as u32 + u32::from(segment.syn) + u32::from(segment.fin));
        if (end.wrapping_sub(self.next[side]) as i32) > 0 {
            self.next[side] = end;
        }
    }

    fn shake(&mut self, rtt: u64, lost_syns: u32, mss: u16, scales: [u8; 2], windows: [u16; 2]) {
        let options = |scale| {
            [
                TcpOptionElement::MaximumSegmentSize(mss),
                TcpOptionElement::WindowScale(scale),
            ]
        };
        let isn = self.next[0];
        for _ in 0..=lost_syns {
            let again = Some(isn);
            self.send(
                0,
                Segment {
                    syn: true,
                    ack: false,
                    again,
                    options: &options(scales[0]),
                    ..PLAIN
                },
            );
            self.now += 1000 * MS;
        }
        self.now -= 1000 * MS;
        self.now += rtt / 3;
        self.send(
            1,
            Segment {
                syn: true,
                window: windows[1],
                options: &options(scales[1]),
                ..PLAIN
            },
        );
        self.now += rtt - rtt / 3;
        self.send(
            0,
            Segment {
                window: windows[0],
                ..PLAIN
            },
        );
    }

    fn say(&mut self, side: usize, bytes: usize, mss: usize, repeat: bool) {
        let mut left = bytes;
        while left > 0 {
            let payload = left.min(mss);
            let number = self.next[side];
            self.send(side, Segment { payload, ..PLAIN });
            if repeat && left == bytes {
                self.now += 400 * MS;
                self.send(
                    side,
                    Segment {
                        payload,
                        again: Some(number),
                        ..PLAIN
                    },
                );
            }
            self.now += MS / 10;
            left -= payload;
        }
        self.now += 20 * MS;
        self.send(1 - side, PLAIN);
    }

    fn read(self, name: &str) -> Capture {
        try_read(&Scratch::new(name, &self.content).0).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_written_conversation_is_read_back_exactly(
        next: [u32; 2], near_the_end: bool,
        rtt in 200_000u64..500 * MS, lost_syns in 0u32..3,
        mss in 536u16..1461, scales in (0u8..15, 0u8..15), windows: [u16; 2],
        talk in prop::collection::vec((1usize..20_000, 1usize..20_000, any::<bool>()), 1..5),
        bye: bool,
    ) {
        let next = if near_the_end { next.map(|number| number | 0xffff_f000) } else { next };
        let mut writer = Writer::new(next);
        let start = writer.now;
        writer.shake(rtt, lost_syns, mss, [scales.0, scales.1], windows);
        for &(request, response, repeat) in &talk {
            writer.say(0, request, mss.into(), false);
            writer.say(1, response, mss.into(), repeat);
        }
        if bye {
            writer.send(0, Segment { fin: true, ..PLAIN });
            writer.send(1, Segment { fin: true, ..PLAIN });
        }
        let end = writer.now;
        let capture = writer.read("written.pcap");

        prop_assert_eq!(capture.connections.len(), 1);
        let row = &capture.connections[0];
        let sums = talk.iter().fold((0, 0), |sum, turn| (sum.0 + turn.0 as u64, sum.1 + turn.1 as u64));
        let repeated = talk.iter().filter(|turn| turn.2).map(|turn| turn.1.min(mss.into()) as u64);
        prop_assert_eq!((row.c2s_bytes, row.s2c_bytes), (Some(sums.0), Some(sums.1)));
        prop_assert_eq!((row.c2s_seen_bytes, row.s2c_seen_bytes), (Some(sums.0), Some(sums.1)));
        prop_assert_eq!(row.s2c_payload_sum, Some(sums.1 + repeated.clone().sum::<u64>()));
        let again = row.s2c_retransmissions.unwrap() + row.s2c_out_of_order.unwrap();
        // One byte repeated is a keep-alive.
        prop_assert_eq!(again as usize, repeated.filter(|&bytes| bytes > 1).count());
        prop_assert_eq!((row.handshake, row.rtt_s), (Handshake::Complete, Some(rtt as f64 / 1e9)));
        prop_assert_eq!((row.syns, row.fins), (Some(lost_syns + 1), Some(if bye { 2 } else { 0 })));
        prop_assert_eq!(row.flags.contains(&Flag::SynRetransmitted), lost_syns > 0);
        prop_assert_eq!(row.c2s_handshake_window, Some(windows[1].into()));
        prop_assert_eq!(row.s2c_handshake_window, Some(u64::from(windows[0]) << scales.0));
        prop_assert_eq!((row.client_mss, row.server_wscale), (Some(mss), Some(scales.1)));
        prop_assert_eq!(row.end_s, Some((end - start) as f64 / 1e9));
        let sizes: Vec<_> = capture.transfers.iter().map(|transfer| (transfer.direction, transfer.bytes)).collect();
        let said = talk.iter().flat_map(|turn| {
            [(Direction::ClientToServer, turn.0 as u64), (Direction::ServerToClient, turn.1 as u64)]
        });
        prop_assert_eq!(sizes, said.collect::<Vec<_>>());
    }

    #[test]
    fn a_spoilt_capture_never_makes_the_reader_panic(
        changes in prop::collection::vec((24usize..90_000, any::<u8>()), 1..400),
        length in 30usize..94_000,
    ) {
        let mut content = std::fs::read(support::data("small.pcap")).unwrap();
        for (at, value) in changes {
            content[at] = value;
        }
        content.truncate(length);
        let _ = try_read(&Scratch::new("spoilt.pcap", &content).0);
    }

    #[test]
    fn spoilt_headers_in_sound_records_never_make_it_panic(
        changes in prop::collection::vec((0usize..833, 14usize..90, any::<u8>()), 1..600),
    ) {
        let mut content = std::fs::read(support::data("small.pcap")).unwrap();
        let starts: Vec<usize> = (0..834).scan(24, |at, _| {
            let own = *at;
            let length = content.get(own + 8..own + 12).map_or(0, |b| u32::from_le_bytes(b.try_into().unwrap()));
            *at += 16 + length as usize;
            Some(own)
        }).collect();
        for (packet, at, value) in changes {
            let place = (starts[packet] + 16 + at).min(starts[packet + 1] - 1);
            content[place] = value;
        }
        let capture = try_read(&Scratch::new("headers.pcap", &content).0).unwrap();
        prop_assert_eq!(capture.packets, 833);
    }
}

#[test]
fn the_same_ports_again_are_a_new_connection() {
    let mut writer = Writer::new([1000, 2000]);
    writer.shake(50 * MS, 0, 1460, [7, 7], [500, 500]);
    writer.say(0, 100, 1460, false);
    writer.next = [900_000, 77];
    writer.shake(60 * MS, 0, 1460, [7, 7], [500, 500]);
    writer.say(0, 200, 1460, false);
    let capture = writer.read("reused.pcap");
    let bytes: Vec<_> = capture
        .connections
        .iter()
        .map(|row| row.c2s_bytes.unwrap())
        .collect();
    assert_eq!(bytes, [100, 200]);
    assert_eq!(capture.connections[1].flags, [Flag::PortsReused]);
}

#[test]
fn a_round_trip_below_the_floor_is_flagged() {
    let mut writer = Writer::new([1, 2]);
    writer.shake(40_000, 0, 1460, [7, 7], [500, 500]);
    writer.say(0, 10_000, 1460, false);
    let capture = writer.read("floor.pcap");
    assert_eq!(capture.connections[0].flags, [Flag::RttFloor]);
}

#[test]
fn a_closed_connection_is_laid_aside_and_its_stragglers_are_counted() {
    let mut writer = Writer::new([1, 2]);
    writer.shake(50 * MS, 0, 1460, [7, 7], [500, 500]);
    writer.send(0, Segment { fin: true, ..PLAIN });
    writer.send(1, Segment { fin: true, ..PLAIN });
    writer.now += 3_600_000 * MS;
    writer.send(0, PLAIN);
    let capture = writer.read("straggler.pcap");
    assert_eq!(capture.connections.len(), 1);
    let said = "1 packets came long after their connections had ended";
    assert!(
        capture.warnings[0].starts_with(said),
        "{:?}",
        capture.warnings
    );
}

/// What passes a monitor next to a server that sends bursts of twenty packets down a line of 20 Mbit/s and 10 ms, to a
/// client that has `upload` packets on their way up a line of 1 Mbit/s. Each packet takes 0.6 ms down and 12 ms up, and
/// an acknowledgement of every other packet waits behind those of the upload.
fn asymmetric(stamps: bool, upload: u64) -> Capture {
    const BURSTS: u64 = 40;
    const PAYLOAD: u32 = 1448;
    let mut writer = Writer::new([1000, 2000]);
    for (side, syn, pause) in [(0, true, 30_000), (1, true, 20 * MS), (0, false, 0)] {
        let ack = side == 1 || !syn;
        writer.send(side, Segment { syn, ack, ..PLAIN });
        writer.now += pause;
    }
    let start = writer.now;
    // (when it passes, whose it is, first byte, payload, acknowledged, clock of its sender)
    let mut passing: Vec<(u64, usize, u32, usize, u32, u32)> = Vec::new();
    let mut sent = 0;
    for burst in 0..BURSTS {
        let begins = start + 100 * MS * (burst + 1);
        for packet in 0..20 {
            let at = begins + packet * 10_000;
            let first = 2001 + PAYLOAD * sent;
            passing.push((at, 1, first, PAYLOAD as usize, 1001, clock(at)));
            sent += 1;
            if sent % 2 == 0 {
                let arrives = begins + (packet + 1) * 600_000 + 10 * MS;
                let behind = upload.min(burst) * 12 * MS;
                let heard = 2001 + PAYLOAD * sent;
                passing.push((
                    arrives + behind + 10 * MS,
                    0,
                    1001,
                    0,
                    heard,
                    clock(arrives),
                ));
            }
        }
        // One is sent again, so that the queue counts as having been full.
        if burst == BURSTS - 1 {
            passing.push((
                begins + 900 * MS,
                1,
                2001 + PAYLOAD,
                PAYLOAD as usize,
                1001,
                0,
            ));
        }
    }
    // It continues for as long as anything waits behind it.
    let (first, last) = (start + 100 * MS, start + 100 * MS * (BURSTS + 4));
    for packet in 0..if upload > 0 {
        (last - first) / (12 * MS)
    } else {
        0
    } {
        let at = first + packet * 12 * MS;
        let number = 1001 + PAYLOAD * packet as u32;
        passing.push((at, 0, number, PAYLOAD as usize, 2001, clock(at - 10 * MS)));
    }
    passing.sort_unstable();
    for (at, side, number, payload, heard, stamp) in passing {
        let option = [TcpOptionElement::Timestamp(stamp, 0)];
        writer.now = at;
        writer.send(
            side,
            Segment {
                again: Some(number),
                heard: Some(heard),
                payload,
                options: if stamps && stamp > 0 { &option } else { &[] },
                ..PLAIN
            },
        );
    }
    writer.read("asymmetric.pcap")
}

/// A clock of milliseconds.
fn clock(time: u64) -> u32 {
    (time / MS) as u32
}

#[test]
fn a_queue_of_twenty_packets_is_found() {
    for stamps in [true, false] {
        let path = asymmetric(stamps, 0).groups[0].to_remote.clone();
        assert!(
            (19..=22).contains(&path.buffer_packets.unwrap()),
            "{path:?}"
        );
        assert!(!path.buffer_at_least);
    }
}

#[test]
fn the_wait_of_acknowledgements_behind_an_upload_is_not_the_download_s_queue() {
    let path = asymmetric(true, 25).groups[0].to_remote.clone();
    assert!(
        (17..=24).contains(&path.buffer_packets.unwrap()),
        "{path:?}"
    );
}

#[test]
fn without_time_stamps_no_queue_is_reported_next_to_an_upload() {
    let path = asymmetric(false, 25).groups[0].to_remote.clone();
    assert_eq!(path.buffer_packets, None, "{path:?}");
    assert!(path.buffer_method.starts_with("not estimated"), "{path:?}");
}

/// Data of a server in 690 packets over 1 Gbit/s, 60 us from the client, whose acknowledgement the monitor sees `after` so
/// many packets more, of which the first leave at once; the `repeated` one passes twice. Nothing waits that bears a time stamp.
fn neighbours(after: usize, repeated: Option<usize>) -> flowstart_capture::Path {
    const PACKETS: usize = 690;
    const PAYLOAD: usize = 1448;
    const GAP: u64 = 12_000;
    const AT_ONCE: u64 = 100;
    let mut writer = Writer::new([1000, 2000]);
    writer.shake(60_000, 0, 1460, [7, 7], [500, 500]);
    let first = writer.next[1];
    let end = |packets: usize| Some(first + (packets * PAYLOAD) as u32);
    for packet in 0..PACKETS + after {
        let at_once = packet < PACKETS.min(after);
        writer.now += if at_once { AT_ONCE } else { GAP };
        if packet < PACKETS {
            let payload = PAYLOAD;
            writer.send(1, Segment { payload, ..PLAIN });
            if repeated == Some(packet) {
                let again = end(packet);
                writer.send(
                    1,
                    Segment {
                        again,
                        payload,
                        ..PLAIN
                    },
                );
            }
        }
        if let Some(heard) = (packet + 1).checked_sub(after).filter(|heard| *heard > 0) {
            let heard = end(heard);
            writer.send(0, Segment { heard, ..PLAIN });
        }
    }
    let name = format!("neighbours-{after}-{}.pcap", repeated.is_some());
    writer.read(&name).groups[0].to_remote.clone()
}

#[test]
fn a_flight_that_came_through_whole_was_held_by_the_path() {
    let path = neighbours(690, None);
    // 690 packets, of which 5 are what the way itself holds.
    assert!(
        (path.rate_bps.unwrap() / 1e9 - 1.0).abs() < 0.05,
        "{path:?}"
    );
    assert!(
        (684..=685).contains(&path.buffer_packets.unwrap()),
        "{path:?}"
    );
    assert!(path.buffer_at_least);
    assert!(
        path.buffer_method
            .starts_with("at least the largest flight")
    );
    assert_eq!((path.data_packets, path.retransmitted_packets), (690, 0));
}

#[test]
fn a_flight_of_which_something_was_sent_again_bounds_no_buffer() {
    let path = neighbours(690, Some(300));
    assert_eq!(path.buffer_packets, None, "{path:?}");
    assert_eq!((path.data_packets, path.retransmitted_packets), (691, 1));
}

#[test]
fn next_to_the_receiver_no_flight_bounds_the_buffer() {
    let path = neighbours(1, None);
    assert_eq!(path.buffer_packets, None, "{path:?}");
    assert!(path.buffer_method.starts_with("not estimated"), "{path:?}");
}
