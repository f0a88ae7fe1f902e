//! Files of simulated flows, read by others: qlog by Cloudflare's reader of it, pcap by this
//! project's own, which judges as Wireshark does.

use flowstart_capture::{Collected, Connection, Options};
use flowstart_export::{pcap, qlog};
use flowstart_sim::record::packets::{FlowLog, Host};
use flowstart_sim::{Outcome, Prepared, Scenario};
use qlog_reader::events::quic::{CongestionStateUpdated, PacketLost, PacketSent, QuicFrame};
use qlog_reader::events::EventData;
use qlog_reader::reader::{Event, QlogSeqReader};
use std::io::Cursor;
use std::ops::ControlFlow;

/// A flow that loses packets, on a path that it fills.
fn outcome(stack: &str, flow: &str) -> Outcome {
    let text = format!(
        "[path]\nrate = '20Mbps'\nrtt = '40ms'\nbuffer = '40pkt'\n\
         [stack]\npreset = '{stack}'\n[[flows]]\nsize = '2MB'\n{flow}"
    );
    let scenario = Scenario::from_toml(&text).unwrap();
    let mut prepared = Prepared::new(&scenario).unwrap();
    prepared.log_packets(&[0]).unwrap();
    prepared.run()
}

fn log(outcome: &Outcome) -> &FlowLog {
    &outcome.packets[0]
}

fn events(log: &FlowLog) -> Vec<qlog_reader::events::Event> {
    let file = Cursor::new(qlog::qlog(log));
    let reader = QlogSeqReader::new(Box::new(file)).unwrap();
    assert_eq!(reader.qlog.qlog_version, "0.3");
    let known = |event| match event {
        Event::Qlog(event) => event,
        Event::Json(event) => panic!("no event of the schema: {event:?}"),
    };
    reader.map(known).collect()
}

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
fn a_qlog_tells_every_packet_that_was_sent_and_lost() {
    for stack in ["linux", "rfc", "ns2", "quic"] {
        let outcome = outcome(stack, "");
        let row = outcome.flows.row(0);
        let (mut sent, mut lost, mut bytes) = (0, 0, 0);
        for event in events(log(&outcome)) {
            match event.data {
                EventData::PacketSent(PacketSent { frames, .. }) => {
                    for frame in frames.into_iter().flatten() {
                        if let QuicFrame::Stream { length, .. } = frame {
                            sent += 1;
                            bytes += length;
                        }
                    }
                }
                EventData::PacketLost(PacketLost { .. }) => lost += 1,
                _ => {}
            }
        }
        assert_eq!(sent, row.packets_sent, "{stack}");
        assert_eq!(lost, row.packets_dropped, "{stack}");
        assert!(bytes > 2_000_000, "{stack}");
    }
}

#[test]
fn a_qlog_tells_how_the_start_up_ended() {
    let outcome = outcome("linux", "startup = 'hystart'");
    let exit = log(&outcome).exit.unwrap();
    let left = events(log(&outcome)).into_iter().find_map(|event| {
        let EventData::CongestionStateUpdated(CongestionStateUpdated { old, new, .. }) = event.data
        else {
            return None;
        };
        Some((event.time, old, new))
    });
    let (time, old, new) = left.unwrap();
    assert_eq!(f64::from(time), (exit.at.0 as f64 / 1e6) as f32 as f64);
    assert_eq!(
        (old.as_deref(), new.as_str()),
        (Some("slow_start"), "congestion_avoidance")
    );
}

#[test]
fn the_window_in_a_qlog_is_the_senders() {
    let outcome = outcome("rfc", "");
    let windows = events(log(&outcome)).into_iter().filter_map(|event| {
        let EventData::MetricsUpdated(metrics) = event.data else {
            return None;
        };
        metrics.congestion_window
    });
    let widest = outcome.flows.row(0).max_cwnd_pkts * 1460.0;
    assert_eq!(windows.max(), Some(widest as u64));
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
