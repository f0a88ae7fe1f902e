//! One traffic in many clothes: the same answers from every format, link layer and vantage point.

use crate::support;

use crate::support::{
    Capture, Scratch, capture, data, differences, find, length_of, number, table, unpacked,
};
use flowstart_capture::{Connection, Flag, Handshake};

/// The same packets, so the same rows to the last column.
const SAME: [&str; 10] = [
    "small.pcap",
    "small-nano.pcap.gz",
    "small-nano-big-endian.pcap.gz",
    "small-big-endian.pcap.gz",
    "small-nano.pcapng.gz",
    "small-big-endian.pcapng.gz",
    "small-sll.pcap.gz",
    "small-sll2.pcap.gz",
    "small-time-backwards.pcap.gz",
    "small-vlan.pcap.gz",
];

#[test]
fn every_format_gives_the_same_rows() {
    let rows = table(&data("small.tshark.csv"));
    for name in SAME {
        let capture = capture(name);
        assert_eq!(
            (capture.packets, capture.connections.len()),
            (833, 11),
            "{name}"
        );
        // The mirror port has a clock of its own.
        let elsewhere = name.contains("vlan");
        for (ours, row) in capture.connections.iter().zip(&rows) {
            let mut wrong = differences(ours, row);
            wrong.retain(|text| {
                !elsewhere
                    || !["start", "rtt_s", "end_s"]
                        .iter()
                        .any(|time| text.starts_with(time))
            });
            assert!(wrong.is_empty(), "{name}: {wrong:?}");
        }
    }
}

fn check_elsewhere(name: &str) -> Capture {
    let capture = capture(name);
    let rows = table(&data("small.tshark.csv"));
    assert_eq!(capture.connections.len(), rows.len(), "{name}");
    let plain = support::capture("small.pcap");
    let same = |a: &&Connection, b: &Connection| {
        a.client_port == b.client_port && a.client_ip == b.client_ip
    };
    for ours in &capture.connections {
        let theirs = plain
            .connections
            .iter()
            .find(|row| same(row, ours))
            .unwrap();
        let bytes = |row: &Connection| {
            (
                row.c2s_bytes,
                row.s2c_bytes,
                row.c2s_seen_bytes,
                row.s2c_seen_bytes,
            )
        };
        let windows = |row: &Connection| {
            (
                row.c2s_window,
                row.s2c_window,
                row.c2s_handshake_window,
                row.s2c_handshake_window,
            )
        };
        assert_eq!(
            (bytes(ours), windows(ours)),
            (bytes(theirs), windows(theirs)),
            "{name}"
        );
        assert_eq!(ours.handshake, theirs.handshake, "{name}");
        let apart = ours.rtt_s.unwrap_or(0.0) - theirs.rtt_s.unwrap_or(0.0);
        assert!(apart.abs() < 0.25e-3, "{name}: {apart}");
    }
    capture
}

#[test]
fn other_places_see_the_same_bytes_and_windows_and_nearly_the_same_round_trips() {
    for name in [
        "small-client-raw.pcap.gz",
        "small-two-interfaces.pcapng.gz",
        "small-vlan.pcap.gz",
    ] {
        assert!(!check_elsewhere(name).is_flagged());
    }
}

#[test]
fn where_every_packet_is_captured_twice_retransmissions_are_not_reported() {
    let capture = check_elsewhere("small-router-any.pcap.gz");
    assert_eq!(capture.flagged(Flag::SeenTwice), 11);
    assert!(
        capture
            .warnings
            .iter()
            .any(|warning| warning.contains("captured twice"))
    );
    for row in &capture.connections {
        assert_eq!(
            (row.s2c_retransmissions, row.c2s_out_of_order),
            (None, None)
        );
        assert_eq!(
            (row.syns, row.c2s_payload_sum, row.s2c_payload_sum),
            (Some(1), row.c2s_bytes, row.s2c_bytes)
        );
    }
}

#[test]
fn transfers_do_not_depend_on_the_place_of_the_monitor() {
    let sizes = |name| {
        let capture = capture(name);
        let mut sizes: Vec<_> = capture
            .transfers
            .iter()
            .map(|t| {
                (
                    capture.connections[t.connection].client_port,
                    t.direction as u8,
                    t.bytes,
                )
            })
            .collect();
        sizes.sort_unstable();
        sizes
    };
    let mut programs = Vec::new();
    let truth = table(&data("small.truth.csv"));
    for round in table(&data("small.transfers.csv")) {
        let port = &truth.iter().find(|row| row["id"] == round["id"]).unwrap()["client_port"];
        programs.push((
            port.parse().unwrap(),
            0,
            number(&round, "request_bytes").unwrap(),
        ));
        programs.push((
            port.parse().unwrap(),
            1,
            number(&round, "response_bytes").unwrap(),
        ));
    }
    programs.sort_unstable();
    for name in [
        "small.pcap",
        "small-client-raw.pcap.gz",
        "small-router-any.pcap.gz",
    ] {
        assert_eq!(sizes(name), programs, "{name}");
    }
}

#[test]
fn link_layers_are_named() {
    assert_eq!(
        capture("small-sll2.pcap.gz").link_types,
        ["Linux cooked v2"]
    );
    assert_eq!(
        capture("small-two-interfaces.pcapng.gz").link_types,
        ["Ethernet", "raw IP"]
    );
}

#[test]
fn cut_options_leave_the_scale_of_windows_unknown_and_cut_headers_are_counted() {
    let capture = capture("small-snap68.pcap.gz");
    assert_eq!((capture.connections.len(), capture.unreadable), (6, 589));
    for truth in table(&data("small.truth.csv"))
        .iter()
        .filter(|row| row["ip_version"] == "4")
    {
        let row = find(&capture, truth).unwrap();
        assert_eq!(
            (row.c2s_bytes, row.s2c_bytes),
            (number(truth, "c2s_bytes"), number(truth, "s2c_bytes"))
        );
        assert_eq!(
            (row.s2c_window, row.s2c_handshake_window, row.client_wscale),
            (None, None, None)
        );
        // The SYN-ACK's window is never scaled.
        assert_eq!(row.c2s_handshake_window, Some(65160));
        assert!(row.flags.contains(&Flag::WindowScaleUnknown));
    }
}

#[test]
fn a_capture_that_missed_packets_gives_the_bytes_all_the_same() {
    let capture = capture("small-drops.pcap.gz");
    let incomplete = capture
        .connections
        .iter()
        .filter(|row| row.handshake == Handshake::SynOnly)
        .count();
    assert_eq!(incomplete, 2);
    for truth in table(&data("small.truth.csv")) {
        let row = find(&capture, &truth).unwrap();
        assert_eq!(row.s2c_bytes, number(&truth, "s2c_bytes"));
        if truth["id"] == "c005" {
            assert!(
                row.c2s_bytes < number(&truth, "c2s_bytes")
                    && row.flags.contains(&Flag::EndNotCaptured)
            );
        } else {
            assert_eq!(row.c2s_bytes, number(&truth, "c2s_bytes"));
        }
    }
}

#[test]
fn one_direction_alone_gives_no_valid_connection() {
    let capture = capture("small-one-way.pcap.gz");
    let not_seen = |row: &&Connection| row.handshake == Handshake::NotSeen && !row.is_valid();
    assert_eq!(capture.connections.len(), 11);
    assert_eq!(capture.connections.iter().filter(not_seen).count(), 11);
}

/// The packets of `web-mix` in pieces of equal length, the last piece first.
fn backwards(pieces: usize) -> Scratch {
    let content = unpacked("web-mix.pcap.gz");
    let cuts: Vec<usize> = (0..=pieces)
        .map(|piece| length_of(&content, 42_886 * piece / pieces))
        .collect();
    let mut turned = content[..24].to_vec();
    for piece in cuts.windows(2).rev() {
        turned.extend(&content[piece[0]..piece[1]]);
    }
    Scratch::new(&format!("backwards-{pieces}.pcap"), &turned)
}

#[test]
fn time_that_runs_backwards_is_sorted_and_said() {
    for pieces in [2, 7] {
        let file = backwards(pieces);
        let capture = support::try_read(&file.0).unwrap();
        let said = format!("its {pieces} pieces were merged");
        assert!(
            capture.warnings[0].contains(&said),
            "{:?}",
            capture.warnings
        );
        let straight = support::capture("web-mix.pcap.gz");
        let json = |row: &Connection| serde_json::to_value(row).unwrap();
        for (sorted, straight) in capture.connections.iter().zip(&straight.connections) {
            assert_eq!(json(sorted), json(straight));
        }
        assert_eq!(capture.transfers, straight.transfers);
    }
}

#[test]
fn a_file_in_more_pieces_than_can_be_merged_is_read_with_a_warning() {
    let file = backwards(35);
    let capture = support::try_read(&file.0).unwrap();
    assert_eq!(capture.packets, 42_886);
    assert!(
        capture.warnings[0].contains("uncertain"),
        "{:?}",
        capture.warnings
    );
}
