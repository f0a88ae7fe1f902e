//! Whole runs against the budgets: packets, events, CPU time and peak memory of each.
//!
//! `cargo run --release -p flowstart-benches --bin workloads` prints one table;
//! `--json` one JSON document instead. Each workload runs in a separate process, so
//! that its memory is its own. `of bare` is the speed as a share of the bare loop's, measured in
//! the same sitting.

use flowstart_benches::bare_loop::{self, BareFlow};
use flowstart_benches::figures::{self, Counts, Figures};
use flowstart_benches::random_paths;
use flowstart_sim::{Scenario, run};
use std::hint::black_box;
use std::process::{Command, ExitCode};

/// A workload: how often a scenario is run.
struct Workload {
    name: &'static str,
    what: &'static str,
    runs: u32,
    scenario: &'static str,
}

const WORKLOADS: &[Workload] = &[
    Workload {
        name: "bulk",
        what: "1 GB over 1 Gbit/s and 180 ms, a buffer of one BDP",
        runs: 1,
        scenario: r#"
            path = { rate = "1Gbps", rtt = "180ms", buffer = "1bdp" }
            stack = { preset = "rfc" }
            flows = [{ size = "1GB" }]
        "#,
    },
    Workload {
        name: "bulk-lossless",
        what: "the same with a buffer that never overflows",
        runs: 1,
        scenario: r#"
            path = { rate = "1Gbps", rtt = "180ms", buffer = "1000000pkt" }
            stack = { preset = "rfc" }
            flows = [{ size = "1GB" }]
        "#,
    },
    Workload {
        name: "contention",
        what: "200 flows of 200 packets over 5 Mbit/s, ten times",
        runs: 10,
        scenario: r#"
            path = { rate = "5Mbps", rtt = "64ms", buffer = "60pkt" }
            stack = { preset = "rfc" }
            flows = [{ size = "200pkt", count = 200, stagger = "250ms", direction = "alternate" }]
        "#,
    },
    Workload {
        name: "flows-100",
        what: "100 flows of 100 packets, one every 1 ms, a hundred times",
        runs: 100,
        scenario: r#"
            path = { rate = "1300Mbps", rtt = "50ms" }
            stack = { preset = "rfc" }
            flows = [{ size = "100pkt", count = 100, stagger = "1ms" }]
        "#,
    },
    Workload {
        name: "flows-10000",
        what: "10 000 of them",
        runs: 1,
        scenario: r#"
            path = { rate = "1300Mbps", rtt = "50ms" }
            stack = { preset = "rfc" }
            flows = [{ size = "100pkt", count = 10000, stagger = "1ms" }]
        "#,
    },
    Workload {
        name: "flows-100000",
        what: "100 000 of them",
        runs: 1,
        scenario: r#"
            path = { rate = "1300Mbps", rtt = "50ms" }
            stack = { preset = "rfc" }
            flows = [{ size = "100pkt", count = 100000, stagger = "1ms" }]
        "#,
    },
    Workload {
        name: "at-once-10000",
        what: "10 000 flows of 100 packets within 0.1 s over 10 Gbit/s",
        runs: 1,
        scenario: r#"
            path = { rate = "10Gbps", rtt = "100ms" }
            stack = { preset = "rfc" }
            flows = [{ size = "100pkt", count = 10000, stagger = "10us" }]
        "#,
    },
    Workload {
        name: "at-once-100000",
        what: "100 000 of them within 1 s",
        runs: 1,
        scenario: r#"
            path = { rate = "10Gbps", rtt = "100ms" }
            stack = { preset = "rfc" }
            flows = [{ size = "100pkt", count = 100000, stagger = "10us" }]
        "#,
    },
    Workload {
        name: "wide-window",
        what: "30 GB over 100 Gbit/s and 200 ms: 1.7 million packets in flight",
        runs: 1,
        scenario: r#"
            path = { rate = "100Gbps", rtt = "200ms", buffer = "2000000pkt" }
            stack = { preset = "rfc", window = "1700000pkt" }
            flows = [{ size = "30GB" }]
        "#,
    },
    Workload {
        name: "web",
        what: "1000 web sessions of 25 pages over 100 Mbit/s, access links of 1 Gbit/s",
        runs: 1,
        scenario: r#"
            path = { rate = "100Mbps", rtt = "64ms", buffer = "600pkt", access_rate = "1Gbps" }
            stack = { preset = "rfc" }
            [[web]]
            sessions = 1000
            interval = "exponential:mean=1s"
            pages = 25
            page_pause = "exponential:mean=0.5s"
            objects = "pareto2:mean=4,shape=1.5"
            object_pause = "exponential:mean=50ms"
            size = "pareto2:mean=4,shape=1.2"
        "#,
    },
    Workload {
        name: "web-default",
        what: "the same sessions without access links",
        runs: 1,
        scenario: r#"
            path = { rate = "100Mbps", rtt = "64ms", buffer = "600pkt" }
            stack = { preset = "rfc" }
            [[web]]
            sessions = 1000
            interval = "exponential:mean=1s"
            pages = 25
            page_pause = "exponential:mean=0.5s"
            objects = "pareto2:mean=4,shape=1.5"
            object_pause = "exponential:mean=50ms"
            size = "pareto2:mean=4,shape=1.2"
        "#,
    },
    Workload {
        name: "narrow-window",
        what: "1 GB with ten packets in flight",
        runs: 1,
        scenario: r#"
            path = { rate = "1Gbps", rtt = "120us", buffer = "100pkt" }
            stack = { preset = "rfc", window = "10pkt" }
            flows = [{ size = "1GB" }]
        "#,
    },
    Workload {
        name: "idle-100000",
        what: "100 000 connections open at once, two packets each with a pause between",
        runs: 1,
        scenario: r#"
            path = { rate = "10Gbps", rtt = "100ms" }
            stack = { preset = "rfc" }
            flows = [{ count = 100000, stagger = "10us", writes = [
                { at = "0s", size = "1pkt" },
                { at = "1000s", size = "1pkt" },
            ] }]
        "#,
    },
    Workload {
        name: "bulk-traced",
        what: "bulk with its trace",
        runs: 1,
        scenario: r#"
            trace = true
            path = { rate = "1Gbps", rtt = "180ms", buffer = "1bdp" }
            stack = { preset = "rfc" }
            flows = [{ size = "1GB" }]
        "#,
    },
    Workload {
        name: "bulk-access",
        what: "bulk-lossless with access links on both sides",
        runs: 1,
        scenario: r#"
            path = { rate = "1Gbps", rtt = "180ms", buffer = "1000000pkt", access_rate = "10Gbps" }
            stack = { preset = "rfc" }
            flows = [{ size = "1GB" }]
        "#,
    },
    Workload {
        name: "bulk-queued",
        what: "bulk-lossless on a link that decides at departure, with drop-tail's rule",
        runs: 1,
        scenario: r#"
            path = { rate = "1Gbps", rtt = "180ms", buffer = "1000000pkt", queue = "marked-first" }
            stack = { preset = "rfc" }
            flows = [{ size = "1GB" }]
        "#,
    },
    Workload {
        name: "bulk-linux",
        what: "bulk under the linux stack, its window as large as need be",
        runs: 1,
        scenario: r#"
            path = { rate = "1Gbps", rtt = "180ms", buffer = "1bdp" }
            stack = { preset = "linux", window = "1000000pkt" }
            flows = [{ size = "1GB", startup = "slow-start" }]
        "#,
    },
    Workload {
        name: "bulk-quic",
        what: "bulk under the quic stack, its window as large as need be",
        runs: 1,
        scenario: r#"
            path = { rate = "1Gbps", rtt = "180ms", buffer = "1bdp" }
            stack = { preset = "quic", window = "1000000pkt" }
            flows = [{ size = "1GB", startup = "slow-start" }]
        "#,
    },
    Workload {
        name: "bulk-bbr",
        what: "BBR under the linux stack with a buffer of a tenth of a BDP and 2 % of random loss",
        runs: 1,
        scenario: r#"
            path = { rate = "1Gbps", rtt = "180ms", buffer = "0.1bdp", loss = "2%" }
            stack = { preset = "linux", window = "1000000pkt" }
            flows = [{ size = "1GB", startup = "bbr-startup", cc = "bbr" }]
        "#,
    },
    Workload {
        name: "bulk-codel",
        what: "the same under a CoDel that never finds the queue too long",
        runs: 1,
        scenario: r#"
            path = { rate = "1Gbps", rtt = "180ms", buffer = "1000000pkt", queue = "codel:target=500s" }
            stack = { preset = "rfc" }
            flows = [{ size = "1GB" }]
        "#,
    },
    Workload {
        name: "short-runs",
        what: "10 000 runs of 100 packets",
        runs: 10_000,
        scenario: r#"
            path = { rate = "100Mbps", rtt = "50ms" }
            stack = { preset = "rfc" }
            flows = [{ size = "100pkt" }]
        "#,
    },
];

/// Sweeps: short transfers over random paths, under each of these startups.
const SWEEPS: &[(&str, &str, &str)] = &[
    (
        "sweep-linux",
        "linux",
        "1 MB over 400 random paths with nine startups, under the linux stack",
    ),
    ("sweep-quic", "quic", "the same under the quic stack"),
];
const SWEEP_PATHS: usize = 400;
const SWEEP_STARTUPS: &[&str] = &[
    "slow-start",
    "hystart",
    "hystart++",
    "limited-slow-start",
    "jump-start",
    "suss",
    "search",
    "gauge",
    "bbr-startup",
];
/// Paths of the count of instructions per packet (`benches/instructions.py`).
const COUNTED_PATHS: usize = 6;

/// The loop that every workload is measured against: as many packets as `bulk`, on its path.
const BARE_LOOP: &str = "bare-loop";
const BARE_LOOP_WHAT: &str = "the events of one flow and nothing else, ten times";
const BARE_LOOP_RUNS: u32 = 10;
const BARE_FLOW: BareFlow = BareFlow {
    packets: 684_932,
    window: 16_000,
    serialization: 12_000,
    delay: 90_000_000,
};

fn measure(workload: &Workload) -> Figures {
    figures::measure(workload.name, workload.runs, || run_one(workload.scenario))
}

fn run_one(scenario: &str) -> Counts {
    let scenario = Scenario::from_toml(scenario).expect("a sound scenario");
    let outcome = run(&scenario).expect("a sound scenario");
    Counts {
        flows: outcome.flows.len() as u64,
        data_packets: outcome.flows.iter().map(|f| f.packets_arrived).sum(),
        packets_dropped: outcome.flows.iter().map(|f| f.packets_dropped).sum(),
        events: outcome.events,
    }
}

/// Measures a transfer of `size` over each of so many random paths, with each startup.
fn measure_paths(name: &str, stack: &str, size: &str, paths: usize, startups: &[&str]) -> Figures {
    figures::measure(name, 1, || {
        let scenarios = random_paths::scenarios(paths, stack, size, startups);
        scenarios.map(|scenario| run_one(&scenario)).sum()
    })
}

fn measure_bare_loop() -> Figures {
    figures::measure(BARE_LOOP, BARE_LOOP_RUNS, || {
        let counts = bare_loop::run(black_box(BARE_FLOW));
        Counts {
            flows: 1,
            data_packets: counts.arrived,
            packets_dropped: 0,
            events: counts.events,
        }
    })
}

/// The same in a separate process.
fn measure_apart(name: &str) -> Figures {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program).args(["--only", name]).output();
    let output = output.expect("another of this program");
    serde_json::from_slice(&output.stdout).expect("its figures")
}

/// All workloads, each in a separate process.
fn measure_all() -> Vec<Figures> {
    named().map(|(name, _)| measure_apart(name)).collect()
}

/// Every workload's name, and what it is.
fn named() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sweeps = SWEEPS.iter().map(|(name, _, what)| (*name, *what));
    WORKLOADS.iter().map(|w| (w.name, w.what)).chain(sweeps)
}

/// In Markdown, as `docs/reference/performance.md` has it.
fn table(bare: &Figures, figures: &[Figures]) {
    println!(
        "| workload | what | packets | dropped | CPU s | million packets per CPU s | of bare | events per packet | peak MiB |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    line(bare, bare, BARE_LOOP_WHAT);
    for (f, (_, what)) in figures.iter().zip(named()) {
        line(bare, f, what);
    }
}

fn line(bare: &Figures, f: &Figures, what: &str) {
    println!(
        "| `{}` | {what} | {} | {} | {:.3} | {:.2} | {:.3} | {:.2} | {:.0} |",
        f.workload,
        f.data_packets,
        f.packets_dropped,
        f.cpu_s,
        f.packets_per_cpu_s / 1e6,
        f.packets_per_cpu_s / bare.packets_per_cpu_s,
        f.events_per_packet,
        f.peak_memory_bytes as f64 / f64::from(1 << 20),
    );
}

/// What the workload of this name took in this process.
fn measure_named(name: &str) -> Option<Figures> {
    if name == BARE_LOOP {
        return Some(measure_bare_loop());
    }
    if let Some((name, stack, _)) = SWEEPS.iter().find(|sweep| sweep.0 == name) {
        return Some(measure_paths(
            name,
            stack,
            "1MB",
            SWEEP_PATHS,
            SWEEP_STARTUPS,
        ));
    }
    WORKLOADS.iter().find(|w| w.name == name).map(measure)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["--only", name] => {
            let Some(figures) = measure_named(name) else {
                eprintln!("no workload `{name}`");
                return ExitCode::from(2);
            };
            println!("{}", serde_json::json!(figures));
        }
        ["--names"] => {
            println!("{BARE_LOOP}");
            named().for_each(|(name, _)| println!("{name}"));
        }
        ["--counted", stack, size, startup] => {
            let figures = measure_paths(stack, stack, size, COUNTED_PATHS, &[startup]);
            println!("{}", serde_json::json!(figures));
        }
        ["--json"] => {
            let (bare, workloads) = (measure_apart(BARE_LOOP), measure_all());
            let all = serde_json::json!({ "bare_loop": bare, "workloads": workloads });
            println!("{all}");
        }
        [] => table(&measure_apart(BARE_LOOP), &measure_all()),
        _ => {
            eprintln!(
                "usage: workloads [--json | --names | --only NAME | --counted STACK SIZE STARTUP]"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
