//! Results pinned to the last bit: every start-up and recovery at three sizes on three
//! paths. A change of behaviour shows in review as a change of `results.txt`, which
//! `UPDATE=1 cargo test -p flowstart-sim --test snapshot` writes anew.

use flowstart_control::catalog::STARTUPS;
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::{run, Scenario};
use std::path::PathBuf;

const PATHS: [(&str, &str); 3] = [
    ("dsl", r#"rate = "5Mbps", rtt = "64ms", buffer = "60pkt""#),
    ("long", r#"rate = "100Mbps", rtt = "100ms""#),
    (
        "lossy",
        r#"rate = "20Mbps", rtt = "40ms", buffer = "0.5bdp", loss = "1%", reverse_loss = "1%""#,
    ),
];
const RECOVERIES: [&str; 6] = ["go-back-n", "tahoe", "reno", "newreno", "sack", "ns2-sack"];
const SIZES: [&str; 3] = ["10kB", "100kB", "1MB"];

const HEADING: &str =
    "path startup recovery size | fct_s duration_s | sent dropped again timeouts | exit at_s cwnd | max_cwnd";

fn result(flow: &FlowRow) -> String {
    let seconds = |t: Option<f64>| t.map_or("-".to_string(), |t| format!("{t:.9}"));
    let reason = flow.startup_exit_reason;
    format!(
        "{} {} | {} {} {} {} | {} {} {} | {}",
        seconds(flow.fct_s),
        seconds(flow.duration_s),
        flow.packets_sent,
        flow.packets_dropped,
        flow.packets_retransmitted,
        flow.timeouts,
        reason.map_or("-".to_string(), |r| format!("{r:?}")),
        seconds(flow.startup_exit_s),
        flow.startup_exit_cwnd_pkts
            .map_or("-".to_string(), |w| w.to_string()),
        flow.max_cwnd_pkts,
    )
}

/// One line for each combination that involves `startup`.
fn lines_of(startup: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, path) in PATHS {
        for recovery in RECOVERIES {
            for size in SIZES {
                let scenario = Scenario::from_toml(&format!(
                    r#"
                    path = {{ {path} }}
                    stack = {{ recovery = "{recovery}" }}
                    flows = [{{ startup = "{startup}", size = "{size}" }}]
                    "#
                ));
                let outcome = run(&scenario.unwrap()).unwrap();
                let result = result(&outcome.flows[0]);
                lines.push(format!("{name} {startup} {recovery} {size} | {result}"));
            }
        }
    }
    lines
}

#[test]
fn results_are_as_they_were() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshot/results.txt");
    if std::env::var_os("UPDATE").is_some() {
        let lines: Vec<String> = STARTUPS.iter().flat_map(|s| lines_of(s.name)).collect();
        std::fs::write(&file, format!("{HEADING}\n{}\n", lines.join("\n"))).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap();
    // A start-up that is new to the catalog is pinned at the next update.
    let known = |name: &&str| kept.contains(&format!(" {name} "));
    let lines: Vec<String> = STARTUPS
        .iter()
        .map(|s| s.name)
        .filter(known)
        .flat_map(lines_of)
        .collect();
    let kept: Vec<&str> = kept.lines().skip(1).collect();
    assert_eq!(lines.len(), kept.len(), "lines");
    for (now, then) in lines.iter().zip(kept) {
        assert_eq!(now, then, "(now, then)");
    }
}
