//! Rapid Start's first recovery between endpoints: whatever the overshoot, beta of what path and
//! queue hold is left.

use super::{Step, outcome, steps};
use flowstart_control::Reason;
use flowstart_sim::Outcome;

/// A path that holds 250 packets.
fn transfer(startup: &str, stack: &str, buffer: &str) -> Outcome {
    outcome(&format!(
        r#"
        path = {{ rate = "60Mbps", rtt = "50ms", buffer = "{buffer}" }}
        stack = {{ {stack} }}
        trace = true
        flows = [{{ startup = "{startup}", cc = "cubic", size = "5000pkt" }}]
        "#
    ))
}

/// The window when all that was out at the first loss has been acknowledged.
fn after_first_recovery(outcome: &Outcome) -> f64 {
    let steps = steps(outcome);
    let first = steps.iter().position(|(_, s)| matches!(s, Step::Again(_)));
    let (before, after) = steps.split_at(first.expect("it loses"));
    let sent = before.iter().filter_map(|(_, step)| match step {
        Step::Send(number) => Some(*number),
        _ => None,
    });
    let point = sent.max().unwrap();
    let end = after.iter().find_map(|(_, step)| match step {
        Step::Ack(next, cwnd) if *next > point => Some(*cwnd),
        _ => None,
    });
    end.expect("it recovers")
}

#[test]
fn seven_tenths_of_path_and_queue_are_left_whatever_the_overshoot() {
    for stack in ["", "preset = \"linux\""] {
        for (buffer, holds) in [("50pkt", 300.0), ("250pkt", 500.0)] {
            let outcome = transfer("rapid-start", stack, buffer);
            let flow = outcome.flows.row(0);
            assert_eq!(flow.startup_exit_reason, Some(Reason::Loss));
            assert!(flow.startup_exit_cwnd_segments.unwrap() > 2.0 * holds);
            let share = after_first_recovery(&outcome) / holds;
            assert!((0.65..0.75).contains(&share), "{stack} {buffer}: {share}");
        }
    }
}

#[test]
fn with_half_for_beta_half_is_left() {
    let outcome = transfer("rapid-start:beta=0.5", "", "250pkt");
    let share = after_first_recovery(&outcome) / 500.0;
    assert!((0.45..0.55).contains(&share), "{share}");
}

/// In round trips after the handshake, when the window holds what the path does: 85.6 initial
/// windows, which is 6.42 doublings, 4.05 triplings, and 3.42 of twice the initial window.
#[test]
fn it_saves_as_many_rounds_as_the_logarithms_say() {
    let filled = |startup: &str| {
        let outcome = outcome(&format!(
            r#"
            path = {{ rate = "100Mbps", rtt = "102.72ms", buffer = "2bdp" }}
            trace = true
            flows = [{{ startup = "{startup}", size = "3MB" }}]
            "#
        ));
        let full = |(_, step): &(f64, Step)| matches!(step, Step::Ack(_, cwnd) if *cwnd >= 856.0);
        let at = steps(&outcome).into_iter().find(full).unwrap().0;
        at / 0.10272 - 1.0
    };
    let slow = filled("slow-start");
    for (startup, fewer) in [
        ("rapid-start", 6.42 - 4.05),
        ("rapid-start:initial_factor=2", 6.42 - 3.42),
    ] {
        let found = slow - filled(startup);
        assert!((found - fewer).abs() < 0.35, "{startup}: {found}");
    }
}
