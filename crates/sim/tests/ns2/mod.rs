//! The `ns2` preset against recordings of ns-2.35, packet for packet.

mod contention;
mod quick_start;
mod random;
mod single;
mod validation;

use flate2::read::GzDecoder;
use flowstart_sim::record::trace::Event;
use flowstart_sim::{Outcome, Scenario, run};
use std::fmt::{Debug, Write};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::str::FromStr;

/// ns-2's traces are rounded to a microsecond.
const TOLERANCE_US: f64 = 1.5;
const MSS: u64 = 1460;

#[derive(Clone, Copy, Debug)]
struct Record {
    what: &'static str,
    time_us: f64,
    number: u64,
    cwnd: f64,
}

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data/ns2")
        .join(name)
}

fn recording(name: &str) -> Vec<Record> {
    let file = File::open(data(&format!("{name}.csv.gz"))).expect("the recording is kept here");
    let lines = BufReader::new(GzDecoder::new(file)).lines().skip(1);
    lines
        .map(|line| {
            let line = line.unwrap();
            let fields: Vec<&str> = line.split(',').collect();
            let what = ["send", "ack", "drop", "timer"]
                .into_iter()
                .find(|w| *w == fields[0])
                .unwrap();
            Record {
                what,
                time_us: fields[1].parse().unwrap(),
                number: fields[2].parse().unwrap_or(0),
                cwnd: fields[3].parse().unwrap_or(f64::NAN),
            }
        })
        .collect()
}

/// The rows of a table kept here, without its heading.
fn csv(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(data(name)).expect("the recording is kept here");
    let row = |line: &str| line.split(',').map(str::to_string).collect();
    text.lines().skip(1).map(row).collect()
}

/// A column of such a row.
fn field<T: FromStr<Err: Debug>>(row: &[String], column: usize) -> T {
    row[column].parse().unwrap()
}

/// What we have for the same things, in ns-2's numbering: the SYN is packet 0.
fn ours(outcome: &Outcome) -> Vec<Record> {
    ours_of(outcome, 0, MSS, 1)
}

/// Our records of one flow with packets of this payload, the first data being `first`.
fn ours_of(outcome: &Outcome, flow: u32, mss: u64, first: u64) -> Vec<Record> {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let what = |event: u8| match event {
        e if e == Event::Send as u8 || e == Event::Retransmit as u8 => Some("send"),
        e if e == Event::Syn as u8 => Some("syn"),
        e if e == Event::Ack as u8 || e == Event::Open as u8 => Some("ack"),
        e if e == Event::Drop as u8 => Some("drop"),
        e if e == Event::SynDrop as u8 => Some("syn-drop"),
        _ => None,
    };
    (0..t.time_ns.len())
        .filter(|i| t.flow[*i] == flow)
        .filter_map(|i| {
            let (what, number) = match what(t.event[i])? {
                "syn" => ("send", 0),
                "syn-drop" => ("drop", 0),
                "ack" => ("ack", (t.seq_bytes[i] / mss + first).saturating_sub(1)),
                what => (what, t.seq_bytes[i] / mss + first),
            };
            Some(Record {
                what,
                time_us: t.time_ns[i] as f64 / 1e3,
                number,
                cwnd: t.cwnd[i],
            })
        })
        .collect()
}

fn scenario(path: &str, stack: &str, startup: &str, packets: u64) -> Scenario {
    let text = format!(
        "trace = true\npath = {{ {path}, reverse_buffer = \"1000000pkt\" }}\n\
         stack = {{ preset = \"ns2\", iw = \"3\", {stack} }}\n\
         flows = [{{ startup = \"{startup}\", size = \"{packets}pkt\" }}]"
    );
    Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// Compares the records of one kind in order; `Err` has the first that differs.
fn compare(kind: &str, ours: &[Record], theirs: &[Record]) -> Result<usize, String> {
    let of = |records: &[Record]| {
        let mut of_kind: Vec<Record> = records.iter().copied().filter(|r| r.what == kind).collect();
        of_kind.sort_by_key(|r| (r.time_us.round() as u64, r.number));
        of_kind
    };
    let (ours, theirs) = (of(ours), of(theirs));
    for (i, theirs) in theirs.iter().enumerate() {
        let Some(ours) = ours.get(i) else {
            return Err(format!("{kind} {i}: ns-2 has {theirs:?}, we have no more"));
        };
        let late = (ours.time_us - theirs.time_us).abs() > TOLERANCE_US;
        // The recordings hold three decimals, and ours is the window after everything
        // that the acknowledgement set off.
        let window = kind == "ack" && (ours.cwnd - theirs.cwnd).abs() > 0.002;
        if late || ours.number != theirs.number || window {
            return Err(format!("{kind} {i}: ns-2 has {theirs:?}, we have {ours:?}"));
        }
    }
    Ok(theirs.len())
}

fn check(name: &str, path: &str, packets: u64) -> Result<(), String> {
    let flavour = name.rsplit('_').nth(1).unwrap();
    let (recovery, startup) = match flavour {
        "sack1" => ("ns2-sack", "slow-start"),
        "sack1lss100" => ("ns2-sack", "limited-slow-start:max_ssthresh=100"),
        other => (other, "slow-start"),
    };
    let ack = if name.ends_with("delack") {
        "delayed"
    } else {
        "every"
    };
    let stack = format!("recovery = \"{recovery}\", ack = \"{ack}\"");
    let outcome = run(&scenario(path, &stack, startup, packets)).unwrap();
    let (ours, theirs) = (ours(&outcome), recording(name));
    let mut failures = String::new();
    for kind in ["send", "ack", "drop"] {
        if let Err(difference) = compare(kind, &ours, &theirs) {
            writeln!(failures, "{name}: {difference}").unwrap();
        }
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures)
    }
}

fn check_all(names: &[&str], path: &str, packets: u64) {
    let failures: Vec<String> = names
        .iter()
        .filter_map(|name| check(name, path, packets).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join(""));
}

#[test]
fn single_flows_on_the_jump_start_path_agree_packet_for_packet() {
    let names = [
        "js_5M_64ms_q60_tahoe_ack1",
        "js_5M_64ms_q60_tahoe_delack",
        "js_5M_64ms_q60_reno_ack1",
        "js_5M_64ms_q60_reno_delack",
        "js_5M_64ms_q60_newreno_ack1",
        "js_5M_64ms_q60_newreno_delack",
        "js_5M_64ms_q60_sack1_ack1",
        "js_5M_64ms_q60_sack1_delack",
        "js_5M_64ms_q60_sack1lss100_ack1",
        "js_5M_64ms_q60_sack1lss100_delack",
    ];
    let path = "rate = \"5Mbps\", rtt = \"60ms\", buffer = \"60pkt\", access_rate = \"50Mbps\", access_delay = \"1ms\"";
    check_all(&names, path, 2000);
}

/// ns-2's Vegas has no handshake, numbers its packets from 0 and gives them no header. Its sink
/// takes the first for a SYN and does not delay its acknowledgement.
#[test]
fn vegas_on_the_jump_start_path_agrees_packet_for_packet() {
    for (name, ack) in [
        ("js_5M_64ms_q60_vegas_ack1", "every"),
        ("js_5M_64ms_q60_vegas_delack", "delayed"),
    ] {
        let text = format!(
            r#"
            trace = true
            path = {{ rate = "5Mbps", rtt = "60ms", buffer = "60pkt", access_rate = "50Mbps", access_delay = "1ms" }}
            stack = {{ preset = "ns2", iw = "3", header = "0B", recovery = "newreno", ack = "{ack}" }}
            flows = [{{ startup = "vegas-slow-start:first=one-by-one", cc = "vegas", size = "2000pkt", handshake = false }}]
            "#
        );
        let outcome = run(&Scenario::from_toml(&text).unwrap()).unwrap();
        let (ours, theirs) = (ours_of(&outcome, 0, MSS, 0), recording(name));
        for kind in ["send", "ack", "drop"] {
            compare(kind, &ours, &theirs).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

#[test]
fn single_flows_on_the_hystart_path_agree_packet_for_packet() {
    let names = [
        "hy_100M_102ms_q871_newreno_ack1",
        "hy_100M_102ms_q871_sack1_ack1",
        "hy_100M_102ms_q871_sack1_delack",
    ];
    let path = "rate = \"100Mbps\", rtt = \"98ms\", buffer = \"871pkt\", access_rate = \"1Gbps\", access_delay = \"1ms\"";
    check_all(&names, path, 60_000);
}
