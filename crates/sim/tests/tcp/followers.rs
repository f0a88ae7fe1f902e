//! Flows that open when the startup of another has ended, and runs that end after a flow.

use super::outcome;
use flowstart_sim::Outcome;

const PATH: &str = r#"path = { rate = "10Mbps", rtt = "40ms" }"#;

fn run(rest: &str) -> Outcome {
    outcome(&format!("{PATH}\n{rest}"))
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-8, "{found} for {expected}");
}

/// When the startup of a flow ended.
fn exit(outcome: &Outcome, flow: u32) -> f64 {
    let row = outcome.flows.row(flow);
    row.opened_s.unwrap() + row.startup_exit_s.unwrap()
}

#[test]
fn a_flow_opens_a_pause_after_the_end_of_the_startup_that_it_waits_for() {
    for startup in ["slow-start", "hystart", "jump-start", "bbr-startup"] {
        let outcome = run(&format!(
            r#"
            duration = "9s"
            flows = [
                {{ startup = "{startup}", cc = "bbr", start = "1s" }},
                {{ size = "10kB", start_after = {{ flow = 0, pause = "200ms" }} }},
                {{ size = "10kB", start_after = {{ flow = 0 }} }},
            ]
            "#
        ));
        let opened = |flow: u32| outcome.flows.row(flow).opened_s.unwrap();
        close(opened(1), exit(&outcome, 0) + 0.2);
        close(opened(2), exit(&outcome, 0));
        assert!(outcome.flows.row(1).complete && outcome.flows.row(2).complete);
    }
}

#[test]
fn flows_wait_one_after_the_other() {
    let outcome = run(r#"
        flows = [
            { size = "2MB", start_after = { flow = 2, pause = "1s" } },
            { size = "9kB", count = 2 },
            { size = "2MB" },
            { size = "9kB", start_after = { flow = 0, pause = "3s" } },
        ]
        "#);
    let opened = |flow: u32| outcome.flows.row(flow).opened_s.unwrap();
    close(opened(0), exit(&outcome, 3) + 1.0);
    close(opened(4), exit(&outcome, 0) + 3.0);
}

#[test]
fn writes_count_from_where_their_flow_begins() {
    let outcome = run(r#"
        flows = [
            { size = "2MB" },
            { start_after = { flow = 0, pause = "1s" }, writes = [
                { at = "500ms", size = "9kB" }, { at = "2s", size = "9kB" },
            ] },
        ]
        "#);
    let begins = exit(&outcome, 0) + 1.0;
    let available = |write: usize| outcome.transfers[write].available_s.unwrap();
    close(outcome.flows.row(1).opened_s.unwrap(), begins + 0.5);
    close(available(0), begins + 0.5);
    close(available(1), begins + 2.0);
    assert!(outcome.flows.row(1).complete);
}

#[test]
fn a_flow_whose_turn_never_comes_does_not_open_and_delays_no_other() {
    let outcome = run(
        r#"flows = [{ size = "9kB" }, { size = "9kB", start_after = { flow = 0 }, available_rate = "1Mbps" }]"#,
    );
    let row = outcome.flows.row(1);
    assert_eq!(
        (row.opened_s, row.complete, row.packets_sent),
        (None, false, 0)
    );
    let measured = &outcome.startups[0];
    assert_eq!(
        (measured.overshoot_pkts, measured.queue_pkt_s),
        (None, None)
    );
    assert!(outcome.simulated_s < 1.0);
}

#[test]
fn a_run_ends_a_pause_after_the_flow_that_it_waits_for() {
    let outcome = run(r#"
        duration = "60s"
        end_after = { flow = 1, pause = "500ms" }
        flows = [{}, { size = "100kB", start = "2s" }]
        "#);
    let row = outcome.flows.row(1);
    close(outcome.simulated_s, 2.0 + row.duration_s.unwrap() + 0.5);
    assert!(row.complete);
}

#[test]
fn a_run_ends_earlier_where_its_duration_is_over_or_all_is_done() {
    let seconds = |rest: &str| {
        let flows = r#"flows = [{ size = "100kB" }, { size = "10kB", start = "1s" }]"#;
        run(&format!("{rest}\n{flows}")).simulated_s
    };
    let after = r#"end_after = { flow = 0, pause = "5s" }"#;
    close(seconds(after), seconds(""));
    close(seconds(&format!("duration = \"1s\"\n{after}")), 1.0);
}

#[test]
fn a_run_ends_after_a_flow_that_was_given_up() {
    let outcome = outcome(
        r#"
        duration = "2000s"
        path = { rate = "10Mbps", rtt = "40ms", loss = "100%" }
        end_after = { flow = 0, pause = "1s" }
        flows = [{ size = "9kB" }, {}]
        "#,
    );
    assert!(outcome.flows.row(0).reset);
    assert!(outcome.simulated_s < 500.0);
}
