//! The `linux` preset against recordings of a Linux kernel: completion, drops,
//! retransmissions, and the end of the startup.

mod cases;
mod judge;
mod limit_cases;
mod limits;
mod phenomena;
mod receiver;

use cases::text;
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::trace::Event;
use flowstart_sim::{Scenario, run};
use judge::{Tolerance, assert_listed};

/// The median of several runs of a case.
struct Recorded {
    case: String,
    path: &'static str,
    variant: String,
    bytes: u64,
    fct_ms: f64,
    drops: f64,
    retransmitted: f64,
    exit_reason: Option<&'static str>,
    exit_cwnd: Option<f64>,
}

const SLOW: &str = r#"{ rate = "5Mbps", rtt = "64ms", buffer = "60pkt" }"#;
const FAST: &str = r#"{ rate = "100Mbps", rtt = "102ms", buffer = "871pkt" }"#;

fn recordings() -> Vec<Recorded> {
    let text = text("summary.csv");
    let mut lines = text.lines();
    let heading: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let cell = |name: &str| cells[heading.iter().position(|h| *h == name).unwrap()];
            let number = |name: &str| cell(name).parse::<f64>().unwrap();
            let path = if cell("scenario") == "5M" { SLOW } else { FAST };
            let exit_reason = match cell("exit_why") {
                "hystart-train" => Some("ack-train"),
                "hystart-delay" => Some("delay"),
                "bbr-full-pipe" => Some("full-pipe"),
                "loss" => Some("loss"),
                _ => None,
            };
            Recorded {
                case: cells[..3].join(" "),
                path,
                variant: cell("variant").into(),
                bytes: number("bytes") as u64,
                fct_ms: number("fct_ms_median"),
                drops: number("drops"),
                retransmitted: number("retrans"),
                exit_reason,
                exit_cwnd: cell("exit_cwnd").parse().ok(),
            }
        })
        .collect()
}

fn transfer(recorded: &Recorded) -> FlowRow {
    let (startup, cc, stack) = match recorded.variant.as_str() {
        "cubic" => ("hystart", "cubic", ""),
        "cubic-paced" => ("hystart", "cubic", r#", pacing = "internal""#),
        "cubic-nohs" => ("slow-start", "cubic", ""),
        "reno" => ("slow-start", "reno", ""),
        "bbr" => ("bbr-startup", "bbr", ""),
        other => panic!("no sender is like `{other}`"),
    };
    let scenario = Scenario::from_toml(&format!(
        r#"
        path = {}
        stack = {{ preset = "linux"{stack} }}
        flows = [{{ startup = "{startup}", cc = "{cc}", size = "{}B" }}]
        "#,
        recorded.path, recorded.bytes
    ));
    run(&scenario.unwrap()).unwrap().flows.row(0)
}

/// How far a figure may be off: a share of it, or so many packets or milliseconds.
fn tolerance(figure: &str) -> Tolerance {
    let (share, floor) = match figure {
        "completion" => (0.01, 4.0),
        "exit cwnd" => (0.005, 2.0),
        _ => (0.02, 3.0),
    };
    Tolerance { share, floor }
}

/// The figures of a transfer that do not agree.
fn misses(recorded: &Recorded) -> Vec<String> {
    let flow = transfer(recorded);
    let reason = flow
        .startup_exit_reason
        .map(|r| serde_json::to_value(r).unwrap());
    let reason = reason.as_ref().and_then(|r| r.as_str());
    let ms = 1e3 * flow.fct_s.unwrap_or(f64::INFINITY);
    let dropped = flow.packets_dropped as f64;
    let retransmitted = flow.packets_retransmitted as f64;
    let mut figures = vec![
        ("completion", ms, recorded.fct_ms),
        ("dropped", dropped, recorded.drops),
        ("retransmitted", retransmitted, recorded.retransmitted),
    ];
    if let (Some(found), Some(cwnd)) = (flow.startup_exit_cwnd_segments, recorded.exit_cwnd) {
        figures.push(("exit cwnd", found, cwnd));
    }
    let case = &recorded.case;
    let mut misses: Vec<String> = figures
        .into_iter()
        .filter(|(figure, found, theirs)| !tolerance(figure).allows(*found, *theirs))
        .map(|(figure, found, theirs)| format!("{case}: {figure} = {found}, {theirs}"))
        .collect();
    let same_reason = reason == recorded.exit_reason;
    if !same_reason || flow.startup_exit_cwnd_segments.is_some() != recorded.exit_cwnd.is_some() {
        misses.push(format!(
            "{case}: exit reason = {reason:?}, {:?}",
            recorded.exit_reason
        ));
    }
    misses
}

fn assert_alike(variant: &str) {
    let recordings = recordings();
    let cases: Vec<&Recorded> = recordings.iter().filter(|r| r.variant == variant).collect();
    let names: Vec<&str> = cases.iter().map(|r| r.case.as_str()).collect();
    assert!(!cases.is_empty());
    let found: Vec<String> = cases.into_iter().flat_map(misses).collect();
    assert_listed(&names, &found);
}

#[test]
fn cubic_with_hystart_is_the_kernels() {
    assert_alike("cubic");
}

#[test]
fn cubic_without_hystart_is_the_kernels() {
    assert_alike("cubic-nohs");
}

#[test]
fn reno_is_the_kernels() {
    assert_alike("reno");
}

#[test]
fn bbr_is_the_kernels() {
    assert_alike("bbr");
}

/// From the recorded series of one run: milliseconds, and the window then. Startup, both
/// recoveries with packets conserved in their first round, what is restored after them, Drain
/// and the beginning of ProbeBW; at 5 Mbit/s ProbeRTT and what follows it.
#[test]
fn bbrs_window_is_the_kernels_at_every_stage() {
    let fast = [
        (500, 72.0),
        (700, 240.0),
        (900, 901.0),
        (1100, 2518.0),
        (1220, 2474.0),
        (1300, 1811.0),
        (1400, 1721.0),
        (1500, 2391.0),
        (1600, 2533.0),
        (1700, 1913.0),
        (1800, 1716.0),
        (1900, 2277.0),
        (2000, 1772.0),
        (3000, 1736.0),
        (4000, 1744.0),
    ];
    let slow = [
        (1000, 94.0),
        (2000, 62.0),
        (9000, 64.0),
        (10_100, 4.0),
        (10_500, 68.0),
        (14_000, 68.0),
    ];
    for (path, bytes, windows) in [(FAST, 50_000_000, &fast[..]), (SLOW, 10_000_000, &slow[..])] {
        let scenario = Scenario::from_toml(&format!(
            r#"
            path = {path}
            stack = {{ preset = "linux" }}
            flows = [{{ startup = "bbr-startup", cc = "bbr", size = "{bytes}B" }}]
            trace = true
            "#
        ));
        let trace = run(&scenario.unwrap()).unwrap().trace.unwrap().flow_samples;
        for (ms, recorded) in windows {
            let after = trace.time_ns.partition_point(|ns| *ns < ms * 1_000_000);
            let found = trace.cwnd[after];
            let close = (found - recorded).abs() <= (0.04 * recorded).max(2.0);
            assert!(close, "{bytes} B, {ms} ms: {found}, recorded {recorded}");
        }
    }
}

#[test]
fn internal_pacing_is_the_kernels() {
    assert_alike("cubic-paced");
}

/// The restart window after an idle time does not leave at one instant either.
#[test]
fn internal_pacing_continues_after_an_idle_time() {
    let scenario = Scenario::from_toml(
        r#"
        trace = true
        path = { rate = "100Mbps", rtt = "100ms" }
        stack = { preset = "linux", pacing = "internal" }
        flows = [{ startup = "hystart", writes = [
            { at = "0s", size = "100kB" },
            { at = "5s", size = "100kB" },
        ] }]
        "#,
    );
    let outcome = run(&scenario.unwrap()).unwrap();
    let trace = outcome.trace.unwrap().flow_samples;
    let mut leaving: Vec<u64> = (0..trace.time_ns.len())
        .filter(|i| trace.event[*i] == Event::Send as u8 && trace.time_ns[*i] >= 5_000_000_000)
        .map(|i| trace.time_ns[i])
        .take(10)
        .collect();
    leaving.dedup();
    assert!(leaving.len() >= 4, "{leaving:?}");
}
