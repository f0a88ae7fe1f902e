//! A gradual exit between endpoints: it leaves by delay, and loses a fraction of what slow start
//! loses.

use super::outcome;
use flowstart_control::Reason;
use flowstart_sim::record::flow::FlowRow;

fn transfer(path: &str, startup: &str) -> FlowRow {
    let run = outcome(&format!(
        r#"
        path = {{ {path} }}
        flows = [{{ startup = "{startup}", cc = "cubic", size = "5MB" }}]
        "#
    ));
    run.flows.row(0)
}

#[test]
fn it_leaves_by_delay_and_loses_little() {
    for path in [
        r#"rate = "50Mbps", rtt = "100ms", buffer = "1bdp""#,
        r#"rate = "20Mbps", rtt = "60ms", buffer = "1bdp""#,
        r#"rate = "5Mbps", rtt = "64ms", buffer = "60pkt""#,
    ] {
        let gradual = transfer(path, "paced-gradual");
        assert_eq!(gradual.startup_exit_reason, Some(Reason::Delay), "{path}");
        let slow = transfer(path, "slow-start");
        assert!(
            10 * gradual.packets_dropped < slow.packets_dropped,
            "{path}"
        );
    }
}

/// Bursts make queues that the window does not: unpaced, it takes them for its own.
#[test]
fn without_pacing_it_leaves_earlier() {
    let path = r#"rate = "50Mbps", rtt = "100ms", buffer = "1bdp""#;
    let at = |startup| transfer(path, startup).startup_exit_s.unwrap();
    assert!(at("paced-gradual:pacing=false") < at("paced-gradual"));
}
