//! 294 connections of a real kernel, against what the kernel, the programs and tshark say of them.

use crate::support::{Capture, Row, capture, data, differences, find, number, table};
use flowstart_capture::{Connection, Direction, Flag, Group, Handshake};

fn truth() -> Vec<Row> {
    table(&data("web-mix.truth.csv"))
}

fn joined(capture: &Capture) -> Vec<(Row, &Connection)> {
    truth()
        .into_iter()
        .map(|row| (find(capture, &row).unwrap(), row))
        .map(|(found, row)| (row, found))
        .collect()
}

#[test]
fn every_connection_is_found_once() {
    let capture = capture("web-mix.pcap.gz");
    let mut streams: Vec<usize> = joined(&capture)
        .iter()
        .map(|(_, found)| found.stream)
        .collect();
    streams.sort_unstable();
    streams.dedup();
    assert_eq!((streams.len(), capture.connections.len()), (294, 294));
}

#[test]
fn every_column_agrees_with_tshark() {
    let capture = capture("web-mix.pcap.gz");
    let rows = table(&data("web-mix.tshark.csv"));
    assert_eq!(rows.len(), capture.connections.len());
    let wrong: Vec<_> = capture
        .connections
        .iter()
        .zip(&rows)
        .flat_map(|(ours, row)| differences(ours, row))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn bytes_are_those_of_the_programs() {
    let capture = capture("web-mix.pcap.gz");
    let exact: Vec<_> = joined(&capture)
        .into_iter()
        .filter(|(row, _)| row["exact"] == "1")
        .collect();
    assert_eq!(exact.len(), 290);
    for (row, found) in exact {
        assert_eq!(
            (found.c2s_bytes, found.s2c_bytes),
            (number(&row, "c2s_bytes"), number(&row, "s2c_bytes")),
            "{row:?}"
        );
    }
}

#[test]
fn round_trips_are_those_of_the_kernel_where_it_has_them() {
    let capture = capture("web-mix.pcap.gz");
    let mut compared = 0;
    for (row, found) in joined(&capture) {
        let Some(rtt) = found.rtt_s else { continue };
        assert!(
            rtt * 1e3 >= number(&row, "rtt_ms").unwrap()
                || found.flags.contains(&Flag::SynAckRetransmitted)
        );
        let kernel: f64 = number(&row, "server_rtt_us").unwrap();
        if kernel > 0.0 && !found.flags.contains(&Flag::SynAckRetransmitted) {
            assert!((rtt * 1e6 - kernel).abs() < 500.0, "{rtt} {row:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, 278 - 3 - 1);
}

#[test]
fn doubtful_round_trips_are_flagged() {
    let capture = capture("web-mix.pcap.gz");
    for (row, found) in joined(&capture) {
        let retransmitted = |name| number::<u32>(&row, name).unwrap_or(0) > 0;
        assert_eq!(
            found.flags.contains(&Flag::SynAckRetransmitted),
            found.syn_acks > Some(1)
        );
        if found.handshake == Handshake::Complete {
            assert_eq!(
                found.flags.contains(&Flag::SynAckRetransmitted),
                retransmitted("syn_ack_retrans"),
                "{row:?}"
            );
            assert_eq!(
                found.flags.contains(&Flag::SynRetransmitted),
                retransmitted("syn_retrans"),
                "{row:?}"
            );
        }
        match row["id"].as_str() {
            "c165" => assert_eq!(found.rtt_s, Some(0.086133)),
            "c062" => {
                assert!(found.rtt_s == Some(0.040338) && found.flags.contains(&Flag::FastOpenData));
            }
            _ => assert!(!found.flags.contains(&Flag::FastOpenData)),
        }
    }
}

#[test]
fn handshake_windows_are_those_of_the_kernel() {
    let capture = capture("web-mix.pcap.gz");
    let complete = joined(&capture)
        .into_iter()
        .filter(|(_, found)| found.handshake == Handshake::Complete);
    // In c062 the server had accepted before the ACK came.
    for (row, found) in complete.filter(|(row, _)| row["id"] != "c062") {
        let kernel = (
            number(&row, "window_to_client_data"),
            number(&row, "window_to_server_data"),
        );
        assert_eq!(
            (found.c2s_handshake_window, found.s2c_handshake_window),
            kernel,
            "{row:?}"
        );
    }
}

#[test]
fn what_the_server_sent_again_is_what_its_kernel_counted() {
    let capture = capture("web-mix.pcap.gz");
    let mut all = 0;
    for (row, found) in joined(&capture) {
        let Some(kernel) = number::<u32>(&row, "s2c_retrans") else {
            continue;
        };
        assert_eq!(
            found.s2c_retransmissions.unwrap() + found.s2c_out_of_order.unwrap(),
            kernel,
            "{row:?}"
        );
        all += kernel;
    }
    assert_eq!(all, 97);
}

#[test]
fn destination_options_are_not_payload() {
    let capture = capture("web-mix.pcap.gz");
    let c175 = joined(&capture)
        .into_iter()
        .find(|(row, _)| row["id"] == "c175")
        .unwrap()
        .1;
    assert_eq!(
        (c175.c2s_bytes, c175.c2s_payload_sum),
        (Some(1302), Some(1302))
    );
}

#[test]
fn transfers_are_the_requests_and_responses_of_the_programs() {
    let capture = capture("web-mix.pcap.gz");
    let requests = table(&data("web-mix.transfers.csv"));
    let mut compared = 0;
    for (row, found) in joined(&capture) {
        let rounds: Vec<&Row> = requests
            .iter()
            .filter(|round| round["id"] == row["id"])
            .collect();
        let whole = row["exact"] == "1" && rounds.iter().all(|round| round["complete"] == "1");
        if rounds.is_empty() || !whole {
            continue;
        }
        let up = |round: &&Row| {
            (
                Direction::ClientToServer,
                number(round, "request_bytes").unwrap(),
            )
        };
        let down = |round: &&Row| {
            (
                Direction::ServerToClient,
                number(round, "response_bytes").unwrap(),
            )
        };
        let banner = (row["kind"] == "banner").then_some((Direction::ServerToClient, 1200));
        let talk: Vec<(Direction, u64)> = banner
            .into_iter()
            .chain(rounds.iter().flat_map(|round| [up(round), down(round)]))
            .collect();
        let transfers: Vec<_> = capture
            .transfers
            .iter()
            .filter(|transfer| transfer.connection == found.stream)
            .collect();
        let ours: Vec<_> = transfers
            .iter()
            .map(|transfer| (transfer.direction, transfer.bytes))
            .collect();
        assert_eq!(ours, talk, "{row:?}");
        for (round, pair) in rounds.iter().zip(
            transfers
                .iter()
                .skip(usize::from(banner.is_some()))
                .collect::<Vec<_>>()
                .chunks(2),
        ) {
            let read: f64 = number(round, "t_request_read").unwrap();
            assert!(
                (pair[0].start + pair[0].end_s - read).abs() < 0.05,
                "{round:?} {pair:?}"
            );
            assert!(
                pair[1].start + pair[1].end_s
                    <= number::<f64>(round, "t_last_byte").unwrap() + 1e-3
            );
            assert!(
                pair[0].acked_s >= Some(pair[0].end_s) && pair[1].acked_s >= Some(pair[1].end_s)
            );
        }
        compared += 1;
    }
    assert!(compared > 250, "{compared}");
}

#[test]
fn a_direction_s_transfers_add_up_to_its_bytes() {
    let capture = capture("web-mix.pcap.gz");
    for row in &capture.connections {
        for direction in [Direction::ClientToServer, Direction::ServerToClient] {
            let own = capture
                .transfers
                .iter()
                .filter(|t| t.connection == row.stream && t.direction == direction);
            assert_eq!(
                Some(own.map(|transfer| transfer.bytes).sum()),
                row.bytes(direction)
            );
        }
    }
}

/// (network, rate, queue in packets)
const PATHS: [(&str, f64, u64); 5] = [
    ("1", 5e6, 40),
    ("2", 20e6, 167),
    ("3", 100e6, 90),
    ("4", 50e6, 400),
    ("5", 10e6, 50),
];

fn configured(group: &Group) -> (f64, u64) {
    let own = |&(number, ..): &(&str, f64, u64)| {
        group.network == format!("10.9.{number}.0/24")
            || group.network == format!("fd09:{number}::/48")
    };
    let (_, rate, queue) = PATHS.into_iter().find(own).unwrap();
    (rate, queue)
}

#[test]
fn rates_of_the_paths_are_found_to_two_percent_or_not_found() {
    let capture = capture("web-mix.pcap.gz");
    let mut found = [0; 2];
    for group in &capture.groups {
        let (rate, _) = configured(group);
        for path in [&group.to_remote, &group.from_remote] {
            match (path.rate_bps, path.rate_low_bps) {
                (Some(bps), _) => assert!((bps / rate - 1.0).abs() < 0.02, "{group:?}"),
                // An upload at 100 Mbit/s queues for less than the tick of time stamps.
                (None, Some(bps)) => assert!((bps / rate - 1.0).abs() < 0.02, "{group:?}"),
                (None, None) => assert!(
                    path.rate_method.starts_with("not estimated") && path.bytes < 100_000,
                    "{group:?}"
                ),
            }
            found[0] += usize::from(path.rate_bps.is_some());
            found[1] += usize::from(path.rate_low_bps.is_some());
        }
    }
    assert_eq!((capture.groups.len(), found), (10, [16, 1]));
}

#[test]
fn buffers_that_overflowed_are_found_and_others_bounded_from_below() {
    let capture = capture("web-mix.pcap.gz");
    let mut overflowed = 0;
    for group in &capture.groups {
        let (_, queue) = configured(group);
        for path in [&group.to_remote, &group.from_remote] {
            let Some(packets) = path.buffer_packets else {
                continue;
            };
            assert!(packets <= queue + queue / 20 + 1, "{group:?}");
            if !path.buffer_at_least {
                assert!(packets as f64 > 0.8 * queue as f64, "{group:?}");
                overflowed += 1;
            }
        }
    }
    assert_eq!(overflowed, 6);
}
