//! Captures of simulated flows, read by this project's own reader, which judges as Wireshark does.

use crate::{log, outcome};
use flowstart_capture::{Collected, Connection, Options};
use flowstart_export::pcap;
use flowstart_sim::record::packets::{FlowLog, Host};
use flowstart_sim::{Prepared, Scenario};
use std::ops::ControlFlow;

/// How many packets a capture has, and its one connection.
fn captured(log: &FlowLog, side: Host) -> (u64, Connection) {
    let file = std::env::temp_dir().join(format!(
        "flowstart-export-{}-{:?}.pcap",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::write(&file, pcap::pcap(log, side)).unwrap();
    let go_on = &mut |_| ControlFlow::Continue(());
    let mut rows = Collected::default();
    let options = Options::default();
    let files = [file];
    let reading = flowstart_capture::read(&files, &options, &mut rows, go_on).unwrap();
    std::fs::remove_file(&files[0]).unwrap();
    assert_eq!(rows.connections.len(), 1);
    (reading.packets, rows.connections.remove(0))
}

#[test]
fn a_capture_at_the_sender_has_the_flows_bytes_round_trip_and_retransmissions() {
    for stack in ["linux", "rfc", "ns2"] {
        let outcome = outcome(stack, "");
        let row = outcome.flows.row(0);
        let (_, connection) = captured(log(&outcome), Host::Sender);
        // ns-2 sends whole segments.
        let bytes = if stack == "ns2" {
            1370 * 1460
        } else {
            2_000_000
        };
        assert_eq!(connection.c2s_seen_bytes, Some(bytes), "{stack}");
        let repeated =
            connection.c2s_retransmissions.unwrap() + connection.c2s_out_of_order.unwrap();
        assert_eq!(u64::from(repeated), row.packets_retransmitted, "{stack}");
        let rtt = connection.rtt_s.unwrap();
        assert!(
            (rtt - row.min_rtt_s.unwrap()).abs() < 1e-6,
            "{stack}: {rtt}"
        );
    }
}

#[test]
fn a_capture_at_the_receiver_lacks_what_was_dropped() {
    let outcome = outcome("linux", "");
    let row = outcome.flows.row(0);
    let packets = |side| captured(log(&outcome), side).0;
    let difference = packets(Host::Sender) - packets(Host::Receiver);
    assert_eq!(difference, row.packets_dropped);
}

#[test]
fn a_flow_that_its_receiver_opens_comes_from_the_server() {
    let outcome = outcome("linux", "opener = 'receiver'");
    let (_, connection) = captured(log(&outcome), Host::Sender);
    assert_eq!(connection.s2c_seen_bytes, Some(2_000_000));
}

#[test]
fn a_flow_that_is_not_there_is_refused() {
    let scenario =
        Scenario::from_toml("path = { rate = '1Mbps', rtt = '1ms' }\n[[flows]]\nsize = '1pkt'");
    let mut prepared = Prepared::new(&scenario.unwrap()).unwrap();
    let refused = prepared.log_packets(&[0, 1]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "flow 1: the run has one flow, number 0"
    );
}
