//! Zeek's own traces and logs, which are not part of this repository: `FLOWSTART_CAPTURES` names a folder with
//! `NAME.pcap.gz`, `NAME.conn.log` (or `.conn.json.log`) and `NAME.tshark.csv`. Run with `--ignored`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::support::{Capture, differences, table, try_read};
use flowstart_capture::Connection;

fn files(end: &str) -> Vec<(String, PathBuf)> {
    let folder = std::env::var("FLOWSTART_CAPTURES").expect("FLOWSTART_CAPTURES names a folder");
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(end)?.to_string();
        Some((name, path))
    };
    entries.filter_map(named).collect()
}

fn beside(path: &Path, name: &str, end: &str) -> Option<Capture> {
    let path = path.with_file_name(format!("{name}{end}"));
    path.exists().then(|| try_read(&path).unwrap())
}

/// Columns in which a trace's row and tshark's differ.
const DIFFERENCES: [(&str, &[&str]); 3] = [
    // tshark's relative sequence numbers wrap at 4 GiB.
    ("ftp-bigtransfer", &["s2c_bytes", "s2c_seen_bytes"]),
    // The answers are in MPLS, whose connections tshark and Zeek keep apart.
    (
        "mixed-vlan-mpls",
        &["handshake", "rtt_s", "s2c_bytes", "s2c_window"],
    ),
    // Of a segment that fills a gap no trace shows whether it was sent before.
    (
        "pppoe-over-qinq",
        &["s2c_out_of_order", "s2c_retransmissions"],
    ),
];

#[test]
#[ignore = "needs FLOWSTART_CAPTURES"]
fn bytes_of_every_log_are_those_found_in_its_trace() {
    let mut compared = 0;
    for (name, path) in files(".conn.log") {
        let Some(trace) = beside(&path, &name, ".pcap.gz") else {
            continue;
        };
        if name == "mixed-vlan-mpls" {
            continue; // see `DIFFERENCES`
        }
        for logged in try_read(&path).unwrap().connections {
            let same = |row: &&Connection| {
                (
                    row.client_ip,
                    row.client_port,
                    row.server_ip,
                    row.server_port,
                ) == (
                    logged.client_ip,
                    logged.client_port,
                    logged.server_ip,
                    logged.server_port,
                ) && (row.start - logged.start).abs() < 1e-3
            };
            let found = trace
                .connections
                .iter()
                .find(same)
                .unwrap_or_else(|| panic!("{name}: {logged:?}"));
            let bytes = |row: &Connection| (row.c2s_bytes.unwrap_or(0), row.s2c_bytes.unwrap_or(0));
            assert_eq!(bytes(found), bytes(&logged), "{name}: {logged:?}");
            compared += 1;
        }
    }
    assert!(compared > 0);
}

#[test]
#[ignore = "needs FLOWSTART_CAPTURES"]
fn rows_of_every_trace_agree_with_tshark() {
    let mut different = BTreeMap::<String, BTreeSet<String>>::new();
    for (name, path) in files(".tshark.csv") {
        let Some(trace) = beside(&path, &name, ".pcap.gz") else {
            continue;
        };
        for (ours, row) in trace.connections.iter().zip(table(&path)) {
            for difference in differences(ours, &row) {
                let column = difference.split(' ').next().unwrap().to_string();
                different.entry(name.clone()).or_default().insert(column);
            }
        }
    }
    let columns = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let expected = DIFFERENCES.map(|(name, names)| (name.to_string(), columns(names)));
    assert_eq!(different, BTreeMap::from(expected));
}

#[test]
#[ignore = "needs FLOWSTART_CAPTURES"]
fn both_forms_of_a_log_say_the_same() {
    for (name, path) in files(".conn.json.log") {
        let json = try_read(&path).unwrap();
        if name == "zat" {
            continue; // two different logs
        }
        let tabs = beside(&path, &name, ".conn.log").unwrap();
        let rows = |capture: &Capture| serde_json::to_value(&capture.connections).unwrap();
        assert_eq!(rows(&json), rows(&tabs));
    }
}
