//! The `linux` preset where packets of stated positions are lost: how recoveries follow one
//! another, and what each takes from the window.

use flowstart_sim::{run, Scenario};
use std::path::PathBuf;

/// Transfers whose window differs by a segment somewhere in a chain of recoveries. Their completion
/// differs by 3 to 6 %.
const OTHERWISE: [&str; 2] = [
    "loss-20M-60-3pct-s102-cubic-1MB",
    "loss-20M-60-3pct-s102-reno-1MB",
];

/// A recorded figure: the median of several runs, the least and the most.
#[derive(Clone, Copy, Debug)]
struct Figure {
    median: f64,
    least: f64,
    most: f64,
}

impl Figure {
    fn of(cells: &[&str]) -> Figure {
        let number = |i: usize| cells[i].parse().unwrap();
        Figure {
            median: number(0),
            least: number(1),
            most: number(2),
        }
    }

    /// Within a share of the median or so much, or among the kernel's own runs.
    fn agrees(&self, found: f64, share: f64, floor: f64) -> bool {
        let spare = (share * self.median).max(floor);
        (found - self.median).abs() <= spare || (self.least..=self.most).contains(&found)
    }
}

/// Why a case of the recording does not agree; nothing where it does.
fn difference(line: &str) -> Option<String> {
    let cells: Vec<&str> = line.split(',').collect();
    let (case, avoidance, bytes) = (cells[0], cells[1], cells[2]);
    let startup = match avoidance {
        "cubic" => "hystart",
        "bbr" => "bbr-startup",
        _ => "slow-start",
    };
    let positions: Vec<&str> = cells[13].split(' ').collect();
    let scenario = Scenario::from_toml(&format!(
        r#"
        path = {{ rate = "20Mbps", rtt = "60ms", buffer = "100pkt", reverse_buffer = "100000pkt" }}
        stack = {{ preset = "linux" }}
        [[flows]]
        startup = "{startup}"
        avoidance = "{avoidance}"
        size = "{bytes}B"
        forced_drops = [{}]
        "#,
        positions.join(", ")
    ));
    let flow = run(&scenario.unwrap()).unwrap().flows.row(0);
    let ms = flow.fct_s.map_or(f64::INFINITY, |s| s * 1e3);
    let fct = Figure::of(&cells[3..6]).agrees(ms, 0.03, 3.0);
    let sent = flow.packets_retransmitted as f64;
    let retransmitted = Figure::of(&cells[6..9]).agrees(sent, 0.1, 2.0);
    let timeouts = flow.timeouts as f64 == cells[12].parse::<f64>().unwrap();
    let agrees = fct && retransmitted && timeouts;
    (!agrees).then(|| format!("{case}: {flow:?}"))
}

#[test]
fn chains_of_recoveries_are_the_kernels() {
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/linux/forced-losses.csv");
    let text = std::fs::read_to_string(file).expect("the recording is kept here");
    let judged: Vec<(&str, Option<String>)> = text
        .lines()
        .skip(1)
        .map(|line| (line.split(',').next().unwrap(), difference(line)))
        .collect();
    assert_eq!(judged.len(), 36);
    let wrong: Vec<&String> = judged
        .iter()
        .filter(|(case, _)| !OTHERWISE.contains(case))
        .filter_map(|(_, difference)| difference.as_ref())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for case in OTHERWISE {
        let known = judged.iter().find(|(name, _)| *name == case);
        assert!(known.unwrap().1.is_some(), "{case} agrees now: say so");
    }
}
