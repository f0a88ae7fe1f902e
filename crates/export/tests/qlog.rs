//! qlog files of simulated flows, read by Cloudflare's reader.

use crate::{log, outcome};
use flowstart_export::qlog;
use flowstart_sim::record::packets::FlowLog;
use qlog_reader::events::EventData;
use qlog_reader::events::quic::{
    CongestionStateUpdated, PacketLost, PacketSent, PacketType, QuicFrame,
};
use qlog_reader::reader::{Event, QlogSeqReader};
use std::io::Cursor;

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

#[test]
fn a_qlog_has_every_packet_that_was_sent_and_lost() {
    for stack in ["linux", "rfc", "ns2", "quic", "s2n"] {
        let outcome = outcome(stack, "");
        let row = outcome.flows.row(0);
        let (mut sent, mut lost, mut bytes) = (0, 0, 0);
        for event in events(log(&outcome)) {
            match event.data {
                EventData::PacketSent(PacketSent { header, frames, .. }) => {
                    // The end of the handshake, which s2n's data sender sends, has no stream.
                    sent += u64::from(header.packet_type == PacketType::Handshake);
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
fn a_qlog_has_the_end_of_the_startup() {
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
    let widest = outcome.flows.row(0).max_cwnd_segments * 1460.0;
    assert_eq!(windows.max(), Some(widest as u64));
}
