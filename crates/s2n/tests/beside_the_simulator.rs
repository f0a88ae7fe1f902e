//! The same startups in s2n-quic and in the simulator, over the same links.
//!
//! s2n-quic acknowledges every tenth packet, or 25 ms after the first. What else differs: the
//! client pads what ends its handshake to a whole datagram, whose time on the link comes before the
//! data's, and what is paced leaves in groups of a millisecond.
#![cfg(feature = "lab")]

use flowstart_live::lab::{Clock, Outcome};
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::{Prepared, Scenario};

const PATH: &str = r#"rate = "20Mbps", rtt = "60ms", buffer = "1bdp""#;
/// These pace nothing.
const UNPACED: [&str; 4] = ["slow-start", "hystart", "hystart-plus-plus", "search"];
/// And these do.
const PACED: [&str; 2] = ["careful-resume", "suss"];

fn prepared(path: &str, startup: &str, size: &str) -> Prepared {
    let text = format!(
        r#"
        path = {{ {path} }}
        stack = {{ preset = "quic", ack_every = 10 }}
        flows = [{{ startup = "{startup}", cc = "cubic", size = "{size}", cached_cwnd = "100pkt" }}]
        "#
    );
    Prepared::new(&Scenario::from_toml(&text).unwrap()).unwrap()
}

fn live(prepared: &Prepared) -> Outcome {
    let outcome =
        flowstart_s2n::lab::run(prepared.external_sender().unwrap(), Clock::Virtual).unwrap();
    assert_eq!(outcome.failure, None);
    outcome
}

fn seconds(live: &Outcome) -> f64 {
    live.fct.unwrap().nanos() as f64 / 1e9
}

/// How far the live window at the exit is from the simulated, as a share; none if neither left.
fn exits_apart(simulated: &FlowRow, live: &Outcome) -> f64 {
    match (simulated.startup_exit_cwnd_segments, live.exit) {
        (None, None) => 0.0,
        (Some(simulated), Some(live)) => (live.cwnd / simulated - 1.0).abs(),
        _ => f64::INFINITY,
    }
}

#[test]
fn transfers_take_as_long_to_within_a_hundredth_and_leave_with_the_same_window() {
    for startup in UNPACED.into_iter().chain(PACED) {
        for size in ["100kB", "1MB"] {
            let prepared = prepared(PATH, startup, size);
            let (simulated, live) = (prepared.run().flows.row(0), live(&prepared));
            let longer = seconds(&live) / simulated.fct_s.unwrap() - 1.0;
            assert!(longer.abs() <= 0.005, "{startup}, {size}: {longer}");
            let most = if UNPACED.contains(&startup) {
                0.001
            } else {
                0.05
            };
            let apart = exits_apart(&simulated, &live);
            assert!(apart <= most, "{startup}, {size}: exit {apart}");
        }
    }
}

#[test]
fn as_many_packets_are_found_lost_as_the_path_drops() {
    let live = live(&prepared(PATH, "slow-start", "1MB"));
    assert!(live.packets_dropped > 100);
    assert_eq!(live.packets_lost, live.packets_dropped);
}

#[test]
fn a_server_sends_as_a_client_does() {
    for startup in ["slow-start", "hystart", "careful-resume"] {
        let prepared = prepared(PATH, startup, "1MB");
        let client = live(&prepared);
        let mut flow = prepared.external_sender().unwrap();
        flow.by_receiver = true;
        let server = flowstart_s2n::lab::run(flow, Clock::Virtual).unwrap();
        // From when either may send.
        let data = |o: &Outcome| seconds(o) - o.opened.unwrap().nanos() as f64 / 1e9;
        let longer = data(&server) / data(&client) - 1.0;
        assert!(longer.abs() <= 0.01, "{startup}: {longer}");
    }
}

#[test]
fn a_run_repeats_itself() {
    let path = r#"rate = "20Mbps", rtt = "60ms", buffer = "20pkt", loss = "1%""#;
    let prepared = prepared(path, "careful-resume", "1MB");
    let text = || format!("{:?}", live(&prepared));
    assert_eq!(text(), text());
}

#[test]
fn what_s2n_cannot_give_is_refused_by_name() {
    let flow = prepared(PATH, "quick-start", "1MB")
        .external_sender()
        .unwrap();
    let refused = flowstart_s2n::lab::run(flow, Clock::Virtual)
        .unwrap_err()
        .to_string();
    assert_eq!(
        refused,
        "flows[0].startup: startup `quick-start`: needs routers that take part, which QUIC lacks"
    );
}
