//! The kernel over the emulator: against recordings of a kernel over another emulator, against the
//! simulator, and the emulator's own accuracy. Needs root; skips with a word where that is not given.
//!
//! Runs are in real time: `make live-linux` has them one after another. On a machine that does other
//! things too a single run may be late, so what is judged is the median of several.

use flowstart_linux::{Driver, lab, permission};
use flowstart_live::links::Outcome;
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::{Prepared, Scenario};
use std::sync::atomic::AtomicBool;

/// Runs of a transfer.
const RUNS: usize = 3;
const PATHS: [(&str, &str); 2] = [
    (
        "5M",
        r#"rate = "5Mbps", rtt = "64ms", buffer = "60pkt", reverse_buffer = "100000pkt""#,
    ),
    (
        "100M",
        r#"rate = "100Mbps", rtt = "102ms", buffer = "871pkt", reverse_buffer = "100000pkt""#,
    ),
];
const P20: &str =
    r#"rate = "20Mbps", rtt = "60ms", buffer = "100pkt", reverse_buffer = "100000pkt""#;

/// Why nothing can be run here, said aloud.
fn skips(drives: bool) -> bool {
    let refusal = permission::refusal(drives);
    if let Some(why) = &refusal {
        eprintln!("skipped: {why}");
    }
    refusal.is_some()
}

fn prepared(path: &str, stack: &str, flow: &str) -> Prepared {
    let text = format!(
        "path = {{ {path} }}\nstack = {{ preset = \"linux\"{stack} }}\nflows = [{{ {flow} }}]\n"
    );
    Prepared::new(&Scenario::from_toml(&text).unwrap()).unwrap()
}

/// What a congestion control of the kernel's own is in the simulator.
fn kernel(control: &str) -> (Driver, String) {
    let (startup, cc) = match control {
        "cubic" => ("hystart", "cubic"),
        "bbr" => ("bbr-startup", "bbr"),
        own => ("slow-start", own),
    };
    let flow = format!("startup = \"{startup}\", cc = \"{cc}\"");
    (Driver::Kernel(control.to_string()), flow)
}

fn runs(prepared: &Prepared, driver: &Driver) -> Vec<Outcome> {
    let run = |_| lab::run(prepared, driver, &AtomicBool::new(false)).unwrap();
    let found: Vec<Outcome> = (0..RUNS).map(run).collect();
    for outcome in &found {
        assert_eq!(outcome.failure, None);
    }
    found
}

fn middle(found: &[Outcome], of: impl Fn(&Outcome) -> f64) -> f64 {
    let mut all: Vec<f64> = found.iter().map(of).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn ms(outcome: &Outcome) -> f64 {
    1e3 * outcome.fct.unwrap().secs()
}

fn exit_cwnd(outcome: &Outcome) -> f64 {
    outcome.exit.map_or(0.0, |exit| exit.cwnd)
}

fn reason(outcome: &Outcome) -> String {
    let reason = outcome
        .exit
        .map(|exit| serde_json::to_value(exit.reason).unwrap());
    reason.map_or("none".into(), |reason| reason.as_str().unwrap().to_string())
}

/// A case of `tests/data/linux/summary.csv`.
struct Recorded {
    path: String,
    variant: String,
    bytes: u64,
    /// Completion: median, least, most.
    ms: [f64; 3],
    drops: f64,
    exit_why: String,
    exit_cwnd: f64,
}

fn recorded() -> Vec<Recorded> {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/linux/summary.csv"
    );
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let at = |name: &str| names.iter().position(|known| *known == name).unwrap();
    let number = |cells: &[&str], name: &str| cells[at(name)].parse().unwrap_or(0.0);
    lines
        .map(|cells| Recorded {
            path: cells[at("scenario")].to_string(),
            variant: cells[at("variant")].to_string(),
            bytes: cells[at("bytes")].parse().unwrap(),
            ms: ["fct_ms_median", "fct_ms_min", "fct_ms_max"].map(|name| number(&cells, name)),
            drops: number(&cells, "drops"),
            exit_why: cells[at("exit_why")].to_string(),
            exit_cwnd: number(&cells, "exit_cwnd"),
        })
        .collect()
}

/// The kernel's own congestion controls do over this emulator what they did over the one of the
/// recordings: the median is among the recorded runs, or as far from their median as these are apart,
/// 0.3 % or 2 ms, whichever is most.
#[test]
fn the_kernels_own_controls_do_what_was_recorded_of_them() {
    if skips(false) {
        return;
    }
    let mut apart = Vec::new();
    for case in recorded() {
        let own = ["cubic", "reno", "bbr"].contains(&case.variant.as_str());
        let path = PATHS.iter().find(|(name, _)| *name == case.path).unwrap().1;
        // The longer ones take a quarter of a minute each.
        if !own || case.ms[0] > 5_000.0 {
            continue;
        }
        let (driver, flow) = kernel(&case.variant);
        let prepared = prepared(path, "", &format!("{flow}, size = \"{}B\"", case.bytes));
        let found = runs(&prepared, &driver);
        let (took, [median, least, most]) = (middle(&found, ms), case.ms);
        let spare = (most - least).max(0.003 * median).max(2.0);
        let dropped = middle(&found, |outcome| outcome.packets_dropped as f64);
        let cwnd = middle(&found, exit_cwnd);
        let of = format!("{} {} {} B", case.path, case.variant, case.bytes);
        eprintln!(
            "{of}: {took:.1} ms ({least:.1} to {most:.1}), {dropped} dropped ({}), exit {} {cwnd} \
             ({} {})",
            case.drops,
            reason(&found[0]),
            case.exit_why,
            case.exit_cwnd
        );
        if (took - median).abs() > spare {
            apart.push(format!("{of}: {took:.1} ms, recorded {median:.1}"));
        }
        if (dropped - case.drops).abs() > (0.02 * case.drops).max(3.0) {
            apart.push(format!("{of}: {dropped} dropped, recorded {}", case.drops));
        }
        if case.variant != "bbr" && (cwnd - case.exit_cwnd).abs() > (0.01 * cwnd).max(2.0) {
            apart.push(format!("{of}: exit at {cwnd}, recorded {}", case.exit_cwnd));
        }
    }
    assert!(apart.is_empty(), "{apart:#?}");
}

/// A startup on the kernel next to the simulator.
fn beside(path: &str, startup: &str, size: &str) -> (FlowRow, Vec<Outcome>) {
    let flow = format!("startup = \"{startup}\", cc = \"cubic\", size = \"{size}\"");
    let prepared = prepared(path, "", &flow);
    let simulated = prepared.run().flows.row(0);
    (simulated, runs(&prepared, &Driver::Startup))
}

/// Completion within 5 %, the window at the end of the startup within 10 %.
#[test]
fn startups_drive_the_kernel_as_they_do_the_simulator() {
    if skips(true) {
        return;
    }
    let mut apart = Vec::new();
    let paths = [("20M", P20), PATHS[0], PATHS[1]];
    for (name, path) in paths {
        for startup in [
            "hystart",
            "limited-slow-start",
            "jump-start",
            "search",
            "gauge",
        ] {
            for size in ["100kB", "1MB"] {
                let (simulated, found) = beside(path, startup, size);
                let (ours, took) = (1e3 * simulated.fct_s.unwrap(), middle(&found, ms));
                let left = simulated.startup_exit_cwnd_segments.unwrap_or(0.0);
                let cwnd = middle(&found, exit_cwnd);
                let of = format!("{name} {startup} {size}");
                eprintln!(
                    "{of}: {ours:.1}, {took:.1} ms ({:+.2} %); exit {left:.0}, {cwnd:.0}; answered {}",
                    100.0 * (took / ours - 1.0),
                    found[0].answered.unwrap().median,
                );
                if (took / ours - 1.0).abs() > 0.05 {
                    apart.push(format!("{of}: {took:.1} ms, simulated {ours:.1}"));
                }
                if (cwnd - left).abs() > 0.1 * left.max(1.0) {
                    apart.push(format!("{of}: exit at {cwnd:.0}, simulated {left:.0}"));
                }
            }
        }
    }
    assert!(apart.is_empty(), "{apart:#?}");
}

#[test]
fn positions_that_are_to_be_lost_are_lost_and_repaired_as_in_the_simulator() {
    if skips(false) {
        return;
    }
    let (driver, flow) = kernel("cubic");
    let flow = format!("{flow}, size = \"300kB\", forced_drops = [20, 21, 50]");
    let prepared = prepared(P20, "", &flow);
    let (simulated, found) = (prepared.run().flows.row(0), runs(&prepared, &driver));
    for outcome in &found {
        assert_eq!((outcome.packets_dropped, outcome.packets_lost), (3, 3));
    }
    let apart = middle(&found, ms) / (1e3 * simulated.fct_s.unwrap()) - 1.0;
    assert!(apart.abs() < 0.02, "{apart}");
}

#[test]
fn positions_that_are_late_overtake_nobody_and_are_sent_again_as_in_the_simulator() {
    if skips(false) {
        return;
    }
    let (driver, flow) = kernel("reno");
    let late: Vec<String> = (1..=14).map(|n| format!("{} = \"10ms\"", 50 * n)).collect();
    let flow = format!("{flow}, size = \"1MB\", delays = {{ {} }}", late.join(", "));
    let prepared = prepared(P20, "", &flow);
    let (simulated, found) = (prepared.run().flows.row(0), runs(&prepared, &driver));
    let apart = middle(&found, ms) / (1e3 * simulated.fct_s.unwrap()) - 1.0;
    assert!(apart.abs() < 0.03, "{apart}");
}

#[test]
fn marks_end_slow_start_as_in_the_simulator() {
    if skips(false) {
        return;
    }
    let (driver, flow) = kernel("cubic");
    let path = P20.replace("100pkt", "300pkt")
        + r#", queue = "red:ecn=true,q_w=1,th_min=20,th_max=20.5,gentle=false,wait=false,mark_p=1,max_p=1", reverse_queue = "drop-tail""#;
    let prepared = prepared(&path, ", ecn = true", &format!("{flow}, size = \"1MB\""));
    let (simulated, found) = (prepared.run().flows.row(0), runs(&prepared, &driver));
    assert_eq!(reason(&found[0]), "ecn");
    let (left, cwnd) = (
        simulated.startup_exit_cwnd_segments.unwrap(),
        middle(&found, exit_cwnd),
    );
    assert!((cwnd / left - 1.0).abs() < 0.05, "{cwnd}, simulated {left}");
    let apart = middle(&found, ms) / (1e3 * simulated.fct_s.unwrap()) - 1.0;
    assert!(apart.abs() < 0.03, "{apart}");
}

#[test]
fn the_end_that_accepts_may_send() {
    if skips(true) {
        return;
    }
    for (driver, control) in [kernel("cubic"), (Driver::Startup, kernel("cubic").1)] {
        let flow = format!("{control}, size = \"300kB\", opener = \"receiver\"");
        let prepared = prepared(P20, "", &flow);
        let (simulated, found) = (prepared.run().flows.row(0), runs(&prepared, &driver));
        let apart = middle(&found, ms) / (1e3 * simulated.fct_s.unwrap()) - 1.0;
        assert!(apart.abs() < 0.02, "{driver:?}: {apart}");
    }
}

/// 200 Mbit/s are 17 packets a millisecond.
#[test]
fn the_emulator_is_clean_to_200_mbit_a_second() {
    if skips(false) {
        return;
    }
    let (driver, flow) = kernel("cubic");
    let path = r#"rate = "200Mbps", rtt = "20ms", buffer = "1bdp""#;
    let prepared = prepared(path, "", &format!("{flow}, size = \"50MB\""));
    let (simulated, found) = (prepared.run().flows.row(0), runs(&prepared, &driver));
    let apart = middle(&found, ms) / (1e3 * simulated.fct_s.unwrap()) - 1.0;
    let late = middle(&found, |outcome| 1e6 * outcome.lateness.unwrap().p99.secs());
    eprintln!(
        "200 Mbit/s: {:+.2} % of {:.1} ms; p99 {late:.0} us late",
        100.0 * apart,
        1e3 * simulated.fct_s.unwrap()
    );
    assert!(apart.abs() < 0.02, "{apart}");
    assert!(late < 1_000.0, "{late} us");
}

#[test]
fn a_run_that_is_stopped_ends_soon_and_reports_it() {
    if skips(true) {
        return;
    }
    for (driver, control) in [kernel("cubic"), (Driver::Startup, kernel("cubic").1)] {
        let prepared = prepared(PATHS[0].1, "", &format!("{control}, size = \"100MB\""));
        let stop = AtomicBool::new(false);
        let started = std::time::Instant::now();
        let outcome = std::thread::scope(|scope| {
            let run = scope.spawn(|| lab::run(&prepared, &driver, &stop).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(500));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            run.join().unwrap()
        });
        assert!(started.elapsed().as_secs() < 5);
        assert!(outcome.fct.is_none() && outcome.failure.is_some());
    }
}

/// A SYN is sent again until the run is over.
#[test]
fn a_connection_that_cannot_open_is_given_up_when_the_run_ends() {
    if skips(true) {
        return;
    }
    for (driver, control) in [kernel("cubic"), (Driver::Startup, kernel("cubic").1)] {
        let text = format!(
            "duration = \"2s\"\npath = {{ {P20}, loss = \"99.9%\" }}\nstack = {{ preset = \"linux\" }}\n\
             flows = [{{ {control}, size = \"10kB\" }}]\n"
        );
        let prepared = Prepared::new(&Scenario::from_toml(&text).unwrap()).unwrap();
        let outcome = lab::run(&prepared, &driver, &AtomicBool::new(false)).unwrap();
        assert!(
            outcome.fct.is_none() && outcome.failure.is_some(),
            "{outcome:?}"
        );
    }
}
