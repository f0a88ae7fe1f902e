//! What is in a capture or a Zeek log, which the page reads: networks with estimates of
//! their paths, connections and transfers. `flowstart capture` shows more of it.

use crate::table::Grid;
use crate::{Refusal, command, text};
use flowstart_capture::{
    Collected, Connection, Direction, Options, Path, Reading, Transfer, read_bytes,
};
use serde::Serialize;
use std::ops::ControlFlow;

/// Rows of a table, largest first.
const MOST_ROWS: usize = 100;

/// The JSON of an answer.
#[derive(Serialize)]
struct Contents {
    headline: String,
    tables: Vec<Grid>,
    warnings: Vec<String>,
    notes: Vec<String>,
    /// What replays it.
    command: String,
}

/// The contents of a file with this name, as JSON.
///
/// # Errors
///
/// It is no capture, or damaged at its beginning.
pub fn capture(name: &str, data: Vec<u8>) -> Result<String, Refusal> {
    let mut rows = Collected::default();
    let mut go_on = |_| ControlFlow::Continue(());
    let reading = read_bytes(name, data, &Options::default(), &mut rows, &mut go_on)
        .map_err(|error| Refusal::new(error.to_string()))?;
    rows.sort();
    let contents = Contents {
        headline: headline(name, &reading, &rows),
        tables: vec![networks(&reading), connections(&rows), transfers(&rows)],
        command: format!("flowstart replay {}", command::quoted(name)),
        warnings: reading.warnings,
        notes: reading.notes,
    };
    Ok(serde_json::to_string(&contents).expect("contents have text for keys"))
}

fn headline(name: &str, reading: &Reading, rows: &Collected) -> String {
    let bytes: u64 = rows.transfers.iter().map(|row| row.bytes).sum();
    format!(
        "{name}: {} packets, {} TCP connections, {} QUIC connections, {} transfers of {}",
        text::grouped(reading.packets as f64),
        text::grouped(rows.connections.len() as f64),
        text::grouped(rows.quic.len() as f64),
        text::grouped(rows.transfers.len() as f64),
        text::size(Some(bytes as f64)),
    )
}

/// Two rows for each network: the path to it, and the path from it.
fn networks(reading: &Reading) -> Grid {
    let columns = [
        "network",
        "direction",
        "connections",
        "min RTT",
        "data",
        "rate",
    ];
    let mut rows = Vec::new();
    for group in &reading.groups {
        for (direction, path) in [("to it", &group.to_remote), ("from it", &group.from_remote)] {
            if path.bytes == 0 {
                continue;
            }
            rows.push(vec![
                group.network.clone(),
                direction.into(),
                group.connections.to_string(),
                text::seconds(group.min_rtt_s),
                text::size(Some(path.bytes as f64)),
                rate(path),
                buffer(path),
                retransmitted(path),
            ]);
        }
    }
    let columns = [&columns[..], &["buffer", "retrans."]].concat();
    Grid::of(
        "Networks, and estimates of their paths",
        &columns,
        cut(rows),
    )
}

fn rate(path: &Path) -> String {
    match (path.rate_bps, path.rate_low_bps) {
        (None, Some(bound)) => format!("≥ {}", text::rate(Some(bound))),
        (rate, _) => text::rate(rate),
    }
}

fn buffer(path: &Path) -> String {
    let least = if path.buffer_at_least { "≥ " } else { "" };
    let packets = path
        .buffer_packets
        .map(|packets| format!("{least}{packets} packets"));
    packets.unwrap_or_else(|| text::ABSENT.into())
}

fn retransmitted(path: &Path) -> String {
    if path.data_packets == 0 {
        return text::ABSENT.into();
    }
    let share = path.retransmitted_packets as f64 / path.data_packets as f64;
    format!("{} %", text::general(100.0 * share, 3))
}

fn connections(rows: &Collected) -> Grid {
    let bytes = |row: &Connection| row.c2s_bytes.unwrap_or(0) + row.s2c_bytes.unwrap_or(0);
    let mut found: Vec<&Connection> = rows.connections.iter().collect();
    found.sort_by_key(|row| std::cmp::Reverse(bytes(row)));
    let count = |number: Option<u32>| text::count(number.map(f64::from));
    let cells = |row: &&Connection| {
        vec![
            row.stream.to_string(),
            format!("{}:{}", row.client_ip, row.client_port),
            format!("{}:{}", row.server_ip, row.server_port),
            text::seconds(row.rtt_s),
            text::size(Some(row.c2s_bytes.unwrap_or(0) as f64)),
            text::size(Some(row.s2c_bytes.unwrap_or(0) as f64)),
            count(row.c2s_retransmissions),
            count(row.s2c_retransmissions),
        ]
    };
    let columns = [
        "connection",
        "client",
        "server",
        "RTT",
        "client's data",
        "server's data",
        "client's retrans.",
        "server's retrans.",
    ];
    let cells = found.iter().take(MOST_ROWS).map(cells).collect();
    Grid::of("Largest connections", &columns, cells)
}

fn transfers(rows: &Collected) -> Grid {
    let mut found: Vec<&Transfer> = rows.transfers.iter().collect();
    found.sort_by_key(|row| std::cmp::Reverse(row.bytes));
    let begin = rows.transfers.first().map_or(0.0, |row| row.start);
    let cells = |row: &&Transfer| {
        let sender = match row.direction {
            Direction::ClientToServer => "client",
            Direction::ServerToClient => "server",
        };
        vec![
            row.connection.to_string(),
            sender.into(),
            text::seconds(Some(row.start - begin)),
            text::size(Some(row.bytes as f64)),
            text::seconds(Some(row.end_s)),
            text::seconds(row.acked_s),
        ]
    };
    let columns = [
        "connection",
        "sender",
        "begins",
        "data",
        "last data after",
        "acked after",
    ];
    let cells = found.iter().take(MOST_ROWS).map(cells).collect();
    Grid::of("Largest transfers", &columns, cells)
}

fn cut(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    rows.truncate(MOST_ROWS);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/captures/");

    fn contents(name: &str) -> Value {
        let data = std::fs::read(format!("{FOLDER}{name}")).unwrap();
        serde_json::from_str(&capture(name, data).unwrap()).unwrap()
    }

    #[test]
    fn a_capture_has_networks_connections_and_transfers() {
        let found = contents("small.pcap");
        let expected = std::fs::read_to_string(format!("{FOLDER}small.transfers.csv")).unwrap();
        // A request and a response in each line after the first.
        let transfers = 2 * (expected.lines().count() - 1);
        let headline = found["headline"].as_str().unwrap();
        assert!(
            headline.contains(&format!(" {transfers} transfers of ")),
            "{headline}"
        );
        assert_eq!(found["tables"].as_array().unwrap().len(), 3);
        assert_eq!(
            found["tables"][2]["rows"].as_array().unwrap().len(),
            transfers.min(100)
        );
        assert_eq!(found["command"], "flowstart replay small.pcap");
    }

    #[test]
    fn a_compressed_capture_has_the_same_contents() {
        let (plain, packed) = (contents("small.pcap"), contents("small-nano.pcapng.gz"));
        let rows = |found: &Value| found["tables"][2]["rows"].as_array().unwrap().len();
        assert_eq!(rows(&plain), rows(&packed));
    }

    #[test]
    fn what_is_no_capture_is_refused_by_its_name() {
        let refused = capture("a.txt", b"no capture at all".to_vec())
            .unwrap_err()
            .to_string();
        assert!(
            refused.starts_with("a.txt is not a capture: expected pcap"),
            "{refused}"
        );
    }
}
