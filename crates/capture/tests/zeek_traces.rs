//! Zeek's own traces and logs, which are not part of this repository: `FLOWSTART_CAPTURES` names a folder with
//! `NAME.pcap.gz`, `NAME.conn.log` (or `.conn.json.log`) and `NAME.tshark.csv`. Run with `--ignored`.

use std::path::{Path, PathBuf};

use crate::support::{differences, table, try_read, Capture};
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

#[test]
#[ignore = "needs FLOWSTART_CAPTURES"]
fn bytes_of_every_log_are_those_found_in_its_trace() {
    let mut compared = 0;
    for (name, path) in files(".conn.log") {
        let Some(trace) = beside(&path, &name, ".pcap.gz") else {
            continue;
        };
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
    println!("{compared} connections agree");
    assert!(compared > 0);
}

#[test]
#[ignore = "needs FLOWSTART_CAPTURES"]
fn rows_of_every_trace_agree_with_tshark() {
    for (name, path) in files(".tshark.csv") {
        let Some(trace) = beside(&path, &name, ".pcap.gz") else {
            continue;
        };
        for (ours, row) in trace.connections.iter().zip(table(&path)) {
            for wrong in differences(ours, &row) {
                println!("{name}: {wrong}");
            }
        }
    }
}

#[test]
#[ignore = "needs FLOWSTART_CAPTURES"]
fn both_forms_of_a_log_say_the_same() {
    for (name, path) in files(".conn.json.log") {
        let json = try_read(&path).unwrap();
        println!("{name}: {} connections", json.connections.len());
        if name == "zat" {
            continue; // two different logs
        }
        let tabs = beside(&path, &name, ".conn.log").unwrap();
        let rows = |capture: &Capture| serde_json::to_value(&capture.connections).unwrap();
        assert_eq!(rows(&json), rows(&tabs));
    }
}
