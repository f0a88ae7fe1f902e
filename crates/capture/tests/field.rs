//! Small files as they come from the field, with known answers: every one but the QUIC ones holds the connection of
//! `plain.pcap`, with an RTT of 40.1 ms, 100 B to the server and 5000 B to the client.

use crate::support::{Capture, Scratch, capture, data, length_of, try_read};
use flowstart_capture::{Flag, Handshake};

fn field(name: &str) -> Capture {
    capture(&format!("field/{name}.pcap"))
}

fn check(name: &str, read: &Capture) {
    assert_eq!(read.connections.len(), 1, "{name}");
    let row = &read.connections[0];
    assert_eq!(row.handshake, Handshake::Complete, "{name}");
    assert_eq!((row.rtt_s.unwrap() * 1e4).round(), 401.0, "{name}");
    assert_eq!(
        (row.c2s_bytes, row.s2c_bytes),
        (Some(100), Some(5000)),
        "{name}"
    );
}

#[test]
fn a_connection_is_read_through_every_encapsulation_and_this_is_named() {
    let tunnels = [
        ("plain", None),
        ("vxlan", Some("VXLAN")),
        ("geneve", Some("Geneve")),
        ("gre-ip", Some("GRE")),
        ("gtp-u", Some("GTP-U")),
        ("6in4", Some("6in4")),
        ("e-tag-802.1br", Some("802.1BR")),
        ("nflog", None),
    ];
    for (name, tunnel) in tunnels {
        let read = field(name);
        check(name, &read);
        assert_eq!(read.connections[0].s2c_retransmissions, Some(0), "{name}");
        let removed: Vec<&str> = read.tunnels.keys().map(String::as_str).collect();
        assert_eq!(removed, Vec::from_iter(tunnel), "{name}");
    }
    assert_eq!(field("nflog").link_types, ["NFLOG"]);
}

#[test]
fn of_one_direction_the_acknowledgements_show_the_other() {
    let read = field("client-side-only");
    check("client-side-only", &read);
    assert_eq!(read.flagged(Flag::OneDirection), 1);
    assert!(
        read.warnings[0].contains("packets of one side only"),
        "{:?}",
        read.warnings
    );
}

#[test]
fn copies_are_left_out_from_the_start_and_from_mid_connection() {
    let read = field("twice-from-the-start");
    check("twice-from-the-start", &read);
    assert_eq!(read.connections[0].copies, 12);

    let plain = std::fs::read(data("field/plain.pcap")).unwrap();
    let packets: Vec<&[u8]> = (0..12)
        .map(|packet| &plain[length_of(&plain, packet)..length_of(&plain, packet + 1)])
        .collect();
    let mut content = plain[..length_of(&plain, 3)].to_vec();
    for packet in &packets[3..] {
        content.extend(packet.iter().chain(*packet));
    }
    let scratch = Scratch::new("copies.pcap", &content);
    let read = try_read(&scratch.0).unwrap();
    check("copies", &read);
    assert_eq!(
        (read.connections[0].copies, read.flagged(Flag::SeenTwice)),
        (9, 1)
    );
}

#[test]
fn a_clock_that_was_set_back_is_reported() {
    let warnings = field("clock-set-back").reading.warnings;
    assert!(
        warnings[0].contains("the clock went back by 3600 s"),
        "{warnings:?}"
    );
}

#[test]
fn the_round_trip_of_quic_is_that_of_its_handshake() {
    for (name, milliseconds) in [
        ("quic-coalesced-ack", 42.0),
        ("quic-two-initials", 40.5),
        ("quic-bare-ack", 42.0),
    ] {
        let read = field(name);
        let row = &read.quic[0];
        assert_eq!(row.rtt_s.map(|rtt| rtt * 1e3), Some(milliseconds), "{name}");
        assert!(row.complete, "{name}");
    }
}
