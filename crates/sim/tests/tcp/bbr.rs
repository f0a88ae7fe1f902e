//! BBR on whole paths: what the draft's list of test cases requires of Startup and Drain, and what
//! was published of BBR next to loss-based senders.

use super::outcome;
use flowstart_control::Reason;
use flowstart_sim::Outcome;
use flowstart_sim::record::flow::FlowRow;

/// A lone transfer on a path whose buffer holds three times what the path does.
fn transfer(version: &str, (mbps, rtt_ms): (u64, u64), bdps: f64) -> Outcome {
    let bytes = bdps * mbps as f64 * rtt_ms as f64 * 125.0;
    outcome(&format!(
        r#"
        path = {{ rate = "{mbps}Mbps", rtt = "{rtt_ms}ms", buffer = "3bdp" }}
        flows = [{{ startup = "bbr-startup:version={version}", cc = "bbr", size = "{}B" }}]
        trace = true
        "#,
        bytes as u64
    ))
}

/// Megabits per second and milliseconds. On none does Startup last five seconds, after which v3
/// would interrupt it to look for the minimum RTT.
const PATHS: [(u64, u64); 5] = [(2, 200), (10, 50), (50, 150), (100, 20), (1000, 10)];

/// The bytes in flight after the last event by this time.
fn flight_at(outcome: &Outcome, seconds: f64) -> f64 {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let by = t.time_ns.partition_point(|ns| *ns as f64 <= seconds * 1e9);
    t.flight_bytes[by - 1] as f64
}

fn bdp_bytes((mbps, rtt_ms): (u64, u64)) -> f64 {
    mbps as f64 * rtt_ms as f64 * 125.0
}

#[test]
fn startup_ends_at_the_plateau_with_the_windows_gain_in_flight() {
    for (version, gain) in [("v1", 2.885), ("v3", 2.0), ("v3-linux", 2.0)] {
        for path in PATHS {
            let flow = transfer(version, path, 40.0).flows.row(0);
            let case = format!("{version} {path:?}: {flow:?}");
            assert_eq!(flow.startup_exit_reason, Some(Reason::FullPipe), "{case}");
            assert_eq!(flow.packets_dropped, 0, "{case}");
            // Room for what hosts collect: three quanta of 1 ms, or of two segments.
            let quantum = (path.0 as f64 * 2.885 * 125.0).max(2.0 * 1460.0);
            let flight = flow.startup_exit_flight_bytes.unwrap() as f64;
            let most = gain * bdp_bytes(path) + 4.0 * quantum.min(65_536.0) + 4.0 * 1460.0;
            assert!(flight <= 1.15 * most, "{case}");
            assert!(flight >= 0.85 * gain * bdp_bytes(path), "{case}");
        }
    }
}

#[test]
fn doubling_takes_as_many_rounds_as_the_path_has_doublings() {
    for version in ["v1", "v3", "v3-linux"] {
        for path in PATHS {
            let flow = transfer(version, path, 40.0).flows.row(0);
            let rtt = path.1 as f64 / 1e3;
            let doublings = libm::log2(bdp_bytes(path) / (10.0 * 1460.0)).max(0.0);
            let rounds = flow.startup_exit_s.unwrap() / rtt;
            // The handshake, the first flight, the doublings, and three rounds of plateau, each
            // as much longer than the path's round trip as the queue is long.
            let most = 2.0 + doublings + 4.0 * 3.0 + 1.0;
            assert!(rounds <= most, "{version} {path:?}: {rounds} of {most}");
            assert!(rounds >= 4.0 + doublings, "{version} {path:?}: {rounds}");
        }
    }
}

#[test]
fn drain_leaves_little_more_than_the_path_holds() {
    for version in ["v1", "v3", "v3-linux"] {
        for path in PATHS {
            let run = transfer(version, path, 40.0);
            let flow = run.flows.row(0);
            let rtt = path.1 as f64 / 1e3;
            let exit = flow.startup_exit_s.unwrap();
            let least = (0..60)
                .map(|step| flight_at(&run, exit + 0.1 * f64::from(step) * rtt))
                .fold(f64::INFINITY, f64::min);
            let room =
                bdp_bytes(path) + 4.0 * 65_536.0_f64.min(path.0 as f64 * 125.0) + 12.0 * 1460.0;
            assert!(least <= room, "{version} {path:?}: {least} of {room}");
        }
    }
}

#[test]
fn after_the_start_the_rate_is_the_paths() {
    for version in ["v1", "v3", "v3-linux"] {
        for path in PATHS {
            let flow = transfer(version, path, 200.0).flows.row(0);
            // Two in a hundred for the margin and the headers, and the start.
            let ideal = flow.ideal_fct_s.unwrap();
            let start = flow.startup_exit_s.unwrap();
            let fct = flow.fct_s.unwrap();
            assert!(
                fct <= 1.08 * ideal + start,
                "{version} {path:?}: {fct} {ideal}"
            );
        }
    }
}

fn lossy(startup: &str, cc: &str, stack: &str) -> FlowRow {
    let text = format!(
        r#"
        path = {{ rate = "20Mbps", rtt = "40ms", loss = "1%" }}
        stack = {{ preset = "{stack}" }}
        flows = [{{ startup = "{startup}", cc = "{cc}", size = "10MB" }}]
        "#
    );
    outcome(&text).flows.row(0)
}

/// ACM Queue 14(5), figure 8: with one packet in a hundred lost BBR fills the path, where a
/// sender that halves does not reach a tenth.
#[test]
fn random_loss_does_not_slow_bbr_down() {
    for stack in ["rfc", "linux"] {
        let bbr = lossy("bbr-startup", "bbr", stack);
        let reno = lossy("slow-start", "reno", stack);
        let [fast, slow] = [bbr, reno].map(|flow| flow.slowdown.unwrap());
        assert!(fast < 1.25, "{stack}: {fast}");
        assert!(slow > 4.0 * fast, "{stack}: {slow}");
    }
}

/// Two of them come to share a path. In deep buffers v3, where nothing is lost that would bound
/// the first, takes far longer.
#[test]
fn a_second_flow_gets_a_share() {
    for version in ["v1", "v3", "v3-linux"] {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "50Mbps", rtt = "40ms", buffer = "1bdp" }}
            flows = [
                {{ startup = "bbr-startup:version={version}", cc = "bbr", size = "100MB" }},
                {{ startup = "bbr-startup:version={version}", cc = "bbr", size = "20MB", start = "3s" }},
            ]
            "#
        ));
        let second = run.flows.row(1).fct_s.unwrap();
        // Alone it takes 3.4 s, with half the path 6.7 s.
        assert!((4.5..14.0).contains(&second), "{version}: {second}");
    }
}

/// The first retransmission of a recovery leaves whatever the pipe, but not whatever the pacer;
/// what it was to repair may have been acknowledged meanwhile.
#[test]
fn a_retransmission_that_was_held_back_until_it_is_useless_is_not_sent() {
    for recovery in ["sack", "ns2-sack", "newreno", "reno", "rack"] {
        let cost = match recovery {
            "newreno" | "reno" => "",
            _ => "sack_cost = \"1us\",",
        };
        let run = outcome(&format!(
            r#"
            seed = 395
            path = {{ rate = "1Gbps", rtt = "30ms", buffer = "2pkt" }}
            stack = {{ {cost} recovery = "{recovery}" }}
            [[flows]]
            cc = "bbr"
            writes = [{{ at = "106ms", size = "34055B" }}, {{ at = "141ms", size = "5303B" }}]
            jitter = "10ms"
            forced_drops = [20, 0, 25, 15]
            "#
        ));
        let flow = run.flows.row(0);
        assert!(flow.complete, "{recovery}");
        let lost = flow.packets_dropped + 2;
        assert!(
            flow.packets_retransmitted <= 2 * lost,
            "{recovery}: {flow:?}"
        );
    }
}
