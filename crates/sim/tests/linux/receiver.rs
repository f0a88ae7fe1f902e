//! The advertised window of the `linux` preset and the acknowledgements that its growth brings.

use flowstart_sim::record::trace::Event;
use flowstart_sim::{Outcome, Scenario, run};

const MSS: u64 = 1448;
/// Next to a stock kernel's buffers, as they were in the recordings.
const STOCK: &str = r#"receive_buffer = "131072B""#;

fn transfer(path: &str, stack: &str, size: &str) -> Outcome {
    flow(path, stack, "hystart", "cubic", size)
}

fn flow(path: &str, stack: &str, startup: &str, cc: &str, size: &str) -> Outcome {
    let scenario = Scenario::from_toml(&format!(
        r#"
        trace = true
        path = {{ {path} }}
        stack = {{ preset = "linux", {stack} }}
        flows = [{{ startup = "{startup}", cc = "{cc}", size = "{size}" }}]
        "#
    ));
    run(&scenario.unwrap()).unwrap()
}

/// How far each acknowledgement got, in the order in which they came.
fn acknowledged(outcome: &Outcome) -> Vec<u64> {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let acks = (0..t.time_ns.len()).filter(|i| t.event[*i] == Event::Ack as u8);
    acks.map(|i| t.seq_bytes[i]).collect()
}

/// Acknowledgements for each segment up to `end`: one where each is acknowledged at once, half
/// where every second is.
fn per_segment(outcome: &Outcome, end: u64) -> f64 {
    let acks = acknowledged(outcome)
        .iter()
        .filter(|ack| **ack <= end)
        .count();
    acks as f64 * MSS as f64 / end as f64
}

const FAST: &str = r#"rate = "100Mbps", rtt = "102ms", buffer = "871pkt""#;

#[test]
fn segments_are_acknowledged_at_once_while_the_window_grows_and_in_pairs_afterwards() {
    let acks = acknowledged(&transfer(FAST, "", "10MB"));
    let pair = acks
        .windows(2)
        .position(|w| w[1] - w[0] == 2 * MSS)
        .unwrap();
    // The window grows for 1449 segments; sixteen quick acknowledgements are left then. In the
    // recording the next segment ended a burst, and was acknowledged as it was read.
    assert_eq!(acks[pair], (1449 + 16) * MSS);
    let later: Vec<u64> = acks[pair..].windows(2).map(|w| w[1] - w[0]).collect();
    let pairs = later.iter().filter(|n| **n == 2 * MSS).count();
    assert!(pairs * 10 > later.len() * 9, "{pairs} of {}", later.len());
}

#[test]
fn with_stock_buffers_most_of_the_first_megabyte_is() {
    // Of 691 segments, those of `reno` in one recording: 632 to 646 acknowledgements.
    let path = r#"rate = "20Mbps", rtt = "60ms", buffer = "10000pkt""#;
    let share = per_segment(&flow(path, STOCK, "slow-start", "reno", "1MB"), 1_000_000);
    assert!((632.0..647.0).contains(&(share * 691.0)), "{share}");
    // And of `cubic` 507 to 509: ours are 1 % fewer.
    let share = per_segment(&flow(path, STOCK, "hystart", "cubic", "1MB"), 1_000_000);
    assert!((share * 691.0 / 508.0 - 1.0).abs() < 0.02, "{share}");
    assert!(per_segment(&transfer(FAST, "", "1MB"), 1_000_000) > 0.99);
}

#[test]
fn a_stock_buffer_grows_with_the_path_and_hardly_holds_a_slow_start_back() {
    let time = |stack: &str| transfer(FAST, stack, "10MB").flows.row(0).fct_s.unwrap();
    let (stock, large) = (time(STOCK), time(""));
    assert!(stock >= large && stock < 1.15 * large, "{stock} {large}");
    // Where it may not grow, a window a round trip is all there is: 160 in 256 of the buffer
    // beside the packet in hand.
    let small = time(r#"receive_buffer = "107162B", receive_buffer_max = "107162B""#);
    let window = 65_536.0;
    assert!(
        (small / (10e6 / window * 0.102) - 1.0).abs() < 0.05,
        "{small}"
    );
}

#[test]
fn the_syn_acks_window_holds_a_jump_back() {
    let flight = |stack: &str| {
        let outcome = transfer(FAST, &format!("iw = \"400\", {stack}"), "1MB");
        let t = outcome.trace.unwrap().flow_samples;
        let first = t.event.iter().position(|e| *e == Event::Ack as u8).unwrap();
        let sent = t.event[..first].iter().filter(|e| **e == Event::Send as u8);
        sent.count()
    };
    assert_eq!(flight(""), 45);
    assert_eq!(
        flight("window_growth = \"none\""),
        45,
        "the field has sixteen bits"
    );
}

/// The flight of such a path is ten times what a window of 5 MB would allow.
#[test]
fn the_receiver_does_not_hold_a_fast_path_back() {
    let path = r#"rate = "1Gbps", rtt = "100ms""#;
    let flow = transfer(path, "", "300MB").flows.row(0);
    let reason = flow.startup_exit_reason.unwrap();
    assert_eq!(serde_json::to_value(reason).unwrap(), "ack-train");
    assert!(
        flow.max_cwnd_segments > 10_000.0,
        "{}",
        flow.max_cwnd_segments
    );
    assert!(flow.fct_s.unwrap() < 3.6, "{:?}", flow.fct_s);
}
