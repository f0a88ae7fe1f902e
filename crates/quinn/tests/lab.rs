//! Runs in virtual time.

use flowstart_live::lab::Outcome;
use flowstart_quinn::lab;
use flowstart_sim::{Prepared, Scenario};

/// A server acknowledges the packet with which the handshake ends beside its HANDSHAKE_DONE.
const SCENARIO: &str = r#"
path = { rate = "20Mbps", rtt = "60ms", buffer = "1bdp", loss = 0.002 }
stack = { preset = "quic", ack = "quick-then-delayed", ack_quick = 1 }
seed = 7
flows = [{ startup = "hystart-plus-plus", avoidance = "cubic", size = "1MB" }]
"#;

fn run(text: &str) -> (Outcome, f64) {
    let prepared = Prepared::new(&Scenario::from_toml(text).unwrap()).unwrap();
    let simulated = prepared.run().flows.row(0).fct_s.unwrap();
    (lab::run(prepared.lone_flow().unwrap()).unwrap(), simulated)
}

#[test]
fn the_same_scenario_twice_gives_the_same_run() {
    let (first, second) = (run(SCENARIO).0, run(SCENARIO).0);
    assert!(first.packets_lost > 0);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}

#[test]
fn start_ups_of_every_kind_are_as_fast_as_simulated() {
    for name in [
        "slow-start",
        "hystart",
        "careful-resume",
        "rapid-start",
        "suss",
    ] {
        let text = SCENARIO.replace(", loss = 0.002", "");
        let (live, simulated) = run(&text.replace("hystart-plus-plus", name));
        let fct = live.fct.unwrap().nanos() as f64 / 1e9;
        assert!(
            (fct / simulated - 1.0).abs() < 0.01,
            "{name}: {fct} and {simulated}"
        );
    }
}
