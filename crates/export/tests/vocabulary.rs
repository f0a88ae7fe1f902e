//! Names and values in exported qlogs are those of the format, as its draft lists them.
//!
//! Data from draft-ietf-quic-qlog-quic-events-02 and draft-ietf-quic-qlog-main-schema-02 (qlog 0.3), by section.

use crate::{log, outcome};
use flowstart_control::{Exit, Instant, Reason};
use flowstart_export::qlog::qlog;
use flowstart_export::qlog::session::{Event, Knowledge, Session};
use serde_json::Value as Json;

/// Events by their section of quic-events-02, with the members of their data.
const EVENTS: [(&str, &str, &[&str]); 8] = [
    (
        "3.3.5",
        "transport:packet_sent",
        &["header", "frames", "raw"],
    ),
    (
        "3.3.6",
        "transport:packet_received",
        &["header", "frames", "raw"],
    ),
    ("3.3.10", "transport:datagrams_sent", &["count", "raw"]),
    ("3.3.11", "transport:datagrams_received", &["count", "raw"]),
    (
        "3.4.1",
        "recovery:parameters_set",
        &["max_datagram_size", "initial_congestion_window"],
    ),
    (
        "3.4.2",
        "recovery:metrics_updated",
        &[
            "min_rtt",
            "smoothed_rtt",
            "latest_rtt",
            "rtt_variance",
            "congestion_window",
            "bytes_in_flight",
            "ssthresh",
            "pacing_rate",
        ],
    ),
    (
        "3.4.3",
        "recovery:congestion_state_updated",
        &["old", "new"],
    ),
    ("3.4.5", "recovery:packet_lost", &["header", "trigger"]),
];

/// Members of data that flowstart adds, which the schema allows (main-schema-02, section 3.4.4).
const ADDED: [&str; 2] = ["startup_exit_reason", "startup_exit_cwnd"];

/// Objects by their name, with their section and members. `record` is a line of the file, the first
/// one or an event; the data of events are in [`EVENTS`], frames in [`FRAMES`].
const OBJECTS: [(&str, &str, &[&str]); 6] = [
    (
        "main schema",
        "record",
        &[
            "qlog_version",
            "qlog_format",
            "title",
            "description",
            "summary",
            "trace",
            "time",
            "name",
            "data",
        ],
    ),
    (
        "main schema",
        "trace",
        &["title", "description", "common_fields", "vantage_point"],
    ),
    ("main schema", "vantage_point", &["name", "type", "flow"]),
    (
        "main schema",
        "common_fields",
        &["time_format", "reference_time", "protocol_type", "group_id"],
    ),
    ("main schema", "raw", &["length", "payload_length", "data"]),
    ("A.7", "header", &["packet_type", "packet_number", "length"]),
];

/// Frames by their type, with the members beside it (A.12).
const FRAMES: [(&str, &[&str]); 6] = [
    ("padding", &["length", "payload_length"]),
    ("ping", &["length", "payload_length"]),
    ("ack", &["ack_delay", "acked_ranges", "ect1", "ect0", "ce"]),
    ("crypto", &["offset", "length"]),
    ("stream", &["stream_id", "offset", "length", "fin"]),
    ("handshake_done", &[]),
];

/// Enumerated members, wherever they are, with their section and their values.
const VALUES: [(&str, &str, &[&str]); 6] = [
    ("3.4.3", "old", STATES),
    ("3.4.3", "new", STATES),
    (
        "3.4.5",
        "trigger",
        &["reordering_threshold", "time_threshold", "pto_expired"],
    ),
    (
        "A.6",
        "packet_type",
        &[
            "initial",
            "handshake",
            "0RTT",
            "1RTT",
            "retry",
            "version_negotiation",
            "stateless_reset",
            "unknown",
        ],
    ),
    (
        "main schema",
        "type",
        &["client", "server", "network", "unknown"],
    ),
    (
        "main schema",
        "time_format",
        &["absolute", "delta", "relative"],
    ),
];
const STATES: &[&str] = &[
    "slow_start",
    "congestion_avoidance",
    "application_limited",
    "recovery",
];

fn records(file: &[u8]) -> Vec<Json> {
    let text = std::str::from_utf8(file).unwrap();
    let records = text.split('\u{1e}').skip(1);
    records.map(|r| serde_json::from_str(r).unwrap()).collect()
}

/// Panics where an object of this name, or one in it, has a member or an enumerated value that the
/// format does not list.
fn check_object(name: &str, object: &serde_json::Map<String, Json>) {
    let (section, members) = match name {
        "frames" => {
            let kind = object["frame_type"].as_str().unwrap();
            let frame = FRAMES.iter().find(|(frame, _)| *frame == kind);
            let (_, members) = frame.unwrap_or_else(|| panic!("no frame {kind}; see A.12"));
            ("A.12", *members)
        }
        _ => {
            let known = OBJECTS.iter().find(|(_, object, _)| *object == name);
            let (section, _, members) = known.unwrap_or_else(|| panic!("no object {name}"));
            (*section, *members)
        }
    };
    for (member, value) in object {
        let of_frame = name == "frames" && member == "frame_type";
        let listed = of_frame || members.contains(&member.as_str());
        assert!(listed, "{name} has no {member}; see {section}");
        if member != "data" {
            check_value(member, value);
        }
    }
}

/// The same for the value of a member.
fn check_value(member: &str, value: &Json) {
    if let Some((section, _, values)) = VALUES.iter().find(|(_, name, _)| *name == member) {
        let written = value.as_str().unwrap();
        assert!(
            values.contains(&written),
            "{member}: {written}; see {section}"
        );
    }
    let several = value.as_array().into_iter().flatten();
    let objects = several.chain([value]).filter_map(Json::as_object);
    objects.for_each(|object| check_object(member, object));
}

/// Checks a file; returns the names of its events and their new states.
fn check(file: &[u8]) -> Vec<String> {
    let mut words = Vec::new();
    for record in records(file) {
        check_object("record", record.as_object().unwrap());
        let Some(name) = record["name"].as_str() else {
            continue;
        };
        let known = EVENTS.iter().find(|(_, event, _)| *event == name);
        let (section, _, members) = known.unwrap_or_else(|| panic!("no event {name}"));
        for (member, value) in record["data"].as_object().unwrap() {
            check_value(member, value);
            let listed = members.contains(&member.as_str()) || ADDED.contains(&member.as_str());
            assert!(listed, "{name} has no {member}; see {section}");
        }
        words.push(name.to_string());
        words.extend(record["data"]["new"].as_str().map(str::to_string));
    }
    words
}

#[test]
fn simulated_flows_are_logged_in_the_formats_own_words() {
    let mut words = Vec::new();
    for stack in ["linux", "quic", "quinn"] {
        words.extend(check(&qlog(log(&outcome(stack, "startup = 'hystart'")))));
    }
    for word in [
        "transport:packet_sent",
        "transport:packet_received",
        "recovery:parameters_set",
        "recovery:metrics_updated",
        "recovery:congestion_state_updated",
        "recovery:packet_lost",
        "congestion_avoidance",
        "recovery",
    ] {
        assert!(words.iter().any(|w| w == word), "{word} is never written");
    }
}

/// The words of a file whose only event has this data.
fn checked(name: &str, data: &str) -> Vec<String> {
    check(format!("\u{1e}{{\"time\":0,\"name\":\"{name}\",\"data\":{data}}}").as_bytes())
}

#[test]
#[should_panic(expected = "new: congestion_cc; see 3.4.3")]
fn a_state_that_the_format_does_not_list_is_noticed() {
    checked(
        "recovery:congestion_state_updated",
        r#"{"new":"congestion_cc"}"#,
    );
}

#[test]
#[should_panic(expected = "frames has no from; see A.12")]
fn a_member_of_a_frame_that_the_format_does_not_list_is_noticed() {
    let frames = r#"{"frames":[{"frame_type":"stream","from":0}]}"#;
    checked("transport:packet_sent", frames);
}

#[test]
fn sessions_of_real_stacks_are_logged_in_the_formats_own_words() {
    let known = Knowledge {
        cwnd: 10.0,
        ssthresh: 12.0,
        flight: 0,
        srtt: Some(flowstart_control::Duration::ZERO),
    };
    let at = Instant::from_nanos;
    let session = Session {
        title: "hystart",
        stack: "noq",
        clock: "virtual",
        by_server: true,
        mss: 1000,
        exit: Some(Exit {
            reason: Reason::Delay,
            at: at(1),
            cwnd: 12.0,
            flight: 0,
        }),
        events: vec![
            (at(2), Event::Sent(1472)),
            (at(3), Event::Received(40)),
            (at(4), Event::Knows(known)),
        ],
    };
    let words = check(&session.qlog());
    assert_eq!(
        words,
        [
            "recovery:parameters_set",
            "recovery:congestion_state_updated",
            "congestion_avoidance",
            "transport:datagrams_sent",
            "transport:datagrams_received",
            "recovery:metrics_updated"
        ]
    );
}
