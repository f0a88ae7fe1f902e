//! What is pinned: scenarios by name.

use flowstart_control::catalog::{AVOIDANCES, STARTUPS};
use flowstart_control::entry::Need;
use flowstart_network::queue::QUEUES;
use flowstart_network::variation::VARIATIONS;

/// A scenario with a name.
pub(super) struct Case {
    pub name: String,
    pub scenario: String,
}

const DSL: &str = r#"rate = "5Mbps", rtt = "64ms", buffer = "60pkt""#;
const LONG: &str = r#"rate = "100Mbps", rtt = "100ms""#;
const LOSSY: &str =
    r#"rate = "20Mbps", rtt = "40ms", buffer = "0.5bdp", loss = "1%", reverse_loss = "1%""#;
/// On which routers grant every request, and a memory of one bandwidth-delay product helps.
const HELPFUL: &str = r#"rate = "20Mbps", rtt = "100ms", buffer = "1bdp", nic_rate = "1Gbps", quick_start = { admission = "target" }"#;

const PRESETS: [&str; 5] = ["rfc", "ns2", "opnet", "linux", "quic"];

fn case(name: String, path: &str, stack: &str, rest: &str) -> Case {
    let scenario = format!("path = {{ {path} }}\nstack = {{ {stack} }}\n{rest}");
    Case { name, scenario }
}

fn flow(startup: &str, cc: &str, size: &str) -> String {
    format!(
        r#"flows = [{{ startup = "{startup}", cc = "{cc}", size = "{size}", cached_cwnd = "1bdp" }}]"#
    )
}

/// The congestion control that continues with what a startup has.
fn partner(startup: &str) -> &str {
    match startup {
        "bbr-startup" => "bbr",
        "vegas-slow-start" => "vegas",
        _ => "reno",
    }
}

/// Startups × recoveries × sizes × paths, under the `rfc` preset.
pub(super) fn recoveries() -> Vec<Case> {
    const RECOVERIES: [&str; 8] = [
        "go-back-n",
        "tahoe",
        "reno",
        "newreno",
        "sack",
        "ns2-sack",
        "rack",
        "quic",
    ];
    let mut cases = Vec::new();
    for startup in STARTUPS.iter().map(|entry| entry.name) {
        for (place, path) in [("dsl", DSL), ("long", LONG), ("lossy", LOSSY)] {
            for recovery in RECOVERIES {
                for size in ["10kB", "100kB", "1MB"] {
                    cases.push(case(
                        format!("{place} {startup} {recovery} {size}"),
                        path,
                        &format!(r#"preset = "rfc", recovery = "{recovery}""#),
                        &format!(r#"flows = [{{ startup = "{startup}", size = "{size}" }}]"#),
                    ));
                }
            }
        }
    }
    cases
}

/// Startups × presets, with whatever they need beyond an ordinary sender.
pub(super) fn presets() -> Vec<Case> {
    let mut cases = Vec::new();
    for startup in STARTUPS.iter().map(|entry| entry.name) {
        for preset in PRESETS {
            for (place, path) in [("helpful", HELPFUL), ("lossy", LOSSY)] {
                cases.push(case(
                    format!("{place} {startup} {preset}"),
                    path,
                    &format!(r#"preset = "{preset}""#),
                    &flow(startup, partner(startup), "2MB"),
                ));
            }
        }
    }
    cases
}

/// Avoidances × presets, long enough for several losses.
pub(super) fn avoidances() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in AVOIDANCES {
        let cc = entry.name;
        let ecn = match entry.needs.contains(&Need::L4s) {
            true => r#", ecn = "l4s""#,
            false => "",
        };
        for preset in PRESETS {
            for (place, path) in [("dsl", DSL), ("long", LONG), ("lossy", LOSSY)] {
                cases.push(case(
                    format!("{place} {cc} {preset}"),
                    path,
                    &format!(r#"preset = "{preset}"{ecn}"#),
                    &flow("slow-start", cc, "5MB"),
                ));
            }
        }
    }
    cases
}

/// Queue disciplines × presets × ECN, two flows sharing a queue.
pub(super) fn queues() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in QUEUES {
        let queue = entry.name;
        let marks = entry.params.iter().any(|param| param.name == "ecn");
        for preset in ["rfc", "linux", "quic", "ns2"] {
            for ecn in [false, true] {
                if ecn && (!marks || preset == "ns2") {
                    continue;
                }
                let parameters = if marks {
                    format!(":ecn={ecn}")
                } else {
                    String::new()
                };
                cases.push(case(
                    format!("{queue} {preset} ecn={ecn}"),
                    &format!(r#"rate = "20Mbps", rtt = "50ms", buffer = "2bdp", queue = "{queue}{parameters}""#),
                    &format!(r#"preset = "{preset}", ecn = {ecn}"#),
                    r#"flows = [
                        { startup = "slow-start", size = "3MB" },
                        { startup = "hystart", size = "1MB", start = "300ms" },
                    ]"#,
                ));
            }
        }
    }
    cases
}

/// A scalable flow and a classic one through queues that mark, under each preset.
pub(super) fn l4s() -> Vec<Case> {
    const QUEUES: [&str; 4] = [
        "dualpi2",
        "dualpi2:preset=rfc9332",
        "fq-codel",
        "codel:ecn=true",
    ];
    let mut cases = Vec::new();
    for queue in QUEUES {
        for preset in PRESETS {
            for (name, more) in [("clean", ""), ("lossy", r#", loss = "0.5%""#)] {
                cases.push(case(
                    format!("{queue} {preset} {name}"),
                    &format!(r#"rate = "20Mbps", rtt = "20ms", buffer = "400pkt", queue = "{queue}"{more}"#),
                    &format!(r#"preset = "{preset}", ecn = "l4s""#),
                    r#"flows = [
                        { startup = "slow-start", cc = "prague", size = "3MB" },
                        { startup = "hystart", cc = "cubic", size = "3MB" },
                        { startup = "rapid-start", cc = "prague", size = "200kB", start = "700ms" },
                    ]"#,
                ));
            }
        }
    }
    cases
}

/// What a path may be made of, each under four presets and by two kinds of senders.
pub(super) fn ingredients() -> Vec<Case> {
    const PLAIN: &str = r#"rtt = "40ms", buffer = "1bdp""#;
    let mut paths: Vec<(&str, String)> = [
        ("access", r#"rate = "20Mbps", access_rate = "100Mbps", access_delay = "2ms""#),
        ("asymmetric", r#"rate = "20Mbps", reverse_rate = "200kbps", reverse_buffer = "20pkt""#),
        ("ns2-reading", r#"rate = "20Mbps", buffer_accounting = "ns2""#),
        ("nic", r#"rate = "20Mbps", nic_rate = "50Mbps""#),
        ("router", r#"rate = "20Mbps", router_pps = 1500"#),
        ("outages", r#"rate_steps = [{ rate = "20Mbps", lasts = "300ms" }, { rate = "0bps", lasts = "30ms" }]"#),
        ("trace", r#"rate_trace = "tests/paths/uneven.trace""#),
        ("policer", r#"rate = "50Mbps", policer_rate = "10Mbps", policer_burst = "50kB""#),
        ("bursts", r#"rate = "20Mbps", loss = "1%", loss_burst = 5"#),
        ("aggregation", r#"rate = "20Mbps", aggregation = "exponential:mean=4ms""#),
        ("jitter", r#"rate = "20Mbps", jitter = "uniform:most=5ms""#),
        ("reordering", r#"rate = "20Mbps", jitter = "uniform:most=5ms", reordering = true"#),
        ("slow-jitter", r#"rate = "20Mbps", jitter = "exponential:mean=2ms", jitter_every = "10ms""#),
        ("ripple", r#"rate = "20Mbps", ripple = "10ms", ripple_period = "300ms""#),
        ("ack-batch", r#"rate = "20Mbps", ack_batch = "5ms""#),
        ("ack-thinning", r#"rate = "20Mbps", ack_batch = "5ms", ack_thinning = true"#),
    ]
    .map(|(name, fields)| (name, format!("{fields}, {PLAIN}")))
    .into();
    for model in VARIATIONS.iter().map(|entry| entry.name) {
        paths.push((
            model,
            format!(r#"rate = "20Mbps", rate_variation = "{model}:every=50ms", {PLAIN}"#),
        ));
    }
    paths.push(("hops", r#"hops = [{ rate = "50Mbps", delay = "5ms" }, { rate = "20Mbps", delay = "15ms", buffer = "50pkt" }]"#.into()));
    let mut cases = Vec::new();
    for (name, path) in &paths {
        for preset in ["rfc", "linux", "quic", "ns2"] {
            for (startup, cc) in [("hystart", "cubic"), ("bbr-startup", "bbr")] {
                cases.push(case(
                    format!("{name} {preset} {startup}"),
                    path,
                    &format!(r#"preset = "{preset}""#),
                    &flow(startup, cc, "2MB"),
                ));
            }
        }
    }
    cases
}

/// What endpoints may do otherwise than their preset.
pub(super) fn endpoints() -> Vec<Case> {
    const WAYS: &[(&str, &str)] = &[
        ("rfc", r#"pacing = "internal""#),
        ("linux", r#"pacing = "internal""#),
        ("quic", r#"pacing = "rfc9002""#),
        ("quic", r#"pacing = "rfc9002", pacing_gain = 2"#),
        ("quic", r#"handshake = "0-rtt""#),
        ("quic", r#"handshake = "tcp+tls13", server_flight = "5kB""#),
        ("quic", r"ack_reordering = 3"),
        ("quic", r#"window_growth = "linux""#),
        (
            "rfc",
            r#"window_growth = "linux", receive_buffer = "131072B""#,
        ),
        (
            "linux",
            r#"receive_buffer = "131072B", receive_buffer_max = "6MB""#,
        ),
        ("linux", r#"window = "200kB""#),
        ("rfc", r#"window = "100kB", window_scaling = false"#),
        ("rfc", r#"restart = "keep""#),
        ("rfc", r#"restart = "one""#),
        ("linux", r#"restart = "initial-window""#),
        ("rfc", r#"ack = "every""#),
        (
            "rfc",
            r#"ack = "delayed", ack_every = 4, ack_timer = "20ms""#,
        ),
        ("rfc", r#"ack = "quick-then-delayed""#),
        (
            "rfc",
            r"limited_transmit = false, next_seg_rule_3 = false, next_seg_rule_4 = false",
        ),
        (
            "rfc",
            r#"recovery = "newreno", newreno_impatient = false, newreno_partial_deflation = false"#,
        ),
        ("linux", r"frto = false"),
        ("linux", r"sack = false"),
        ("linux", r"tso = false"),
        ("linux", r"paws = false"),
        ("linux", r#"comp_sack_delay = "0s""#),
        ("rfc", r"grow_when_app_limited = true"),
        (
            "ns2",
            r#"recovery = "newreno", ack = "delayed", coarse_pacing = true"#,
        ),
        ("ns2", r#"tick = "100ms""#),
        ("rfc", r#"rto_min = "200ms", rto_initial = "3s""#),
        ("rfc", r#"interrupt_min = "60us", sack_cost = "10us""#),
        ("rfc", r#"iw = "40""#),
        ("rfc", r#"mss = "536B""#),
        ("rfc", r#"sharing = "temporal""#),
        ("rfc", r#"sharing = "ensemble""#),
    ];
    const FLOWS: &str = r#"flows = [
        { startup = "slow-start", writes = [
            { at = "0s", size = "300kB" }, { at = "1s", size = "20kB" }, { at = "4s", size = "600kB" },
        ] },
        { startup = "hystart", size = "400kB", start = "6s" },
    ]"#;
    let mut cases = Vec::new();
    for (place, path) in [("long", LONG), ("lossy", LOSSY)] {
        for (preset, way) in WAYS {
            let stack = format!(r#"preset = "{preset}", {way}"#);
            cases.push(case(format!("{place} {preset} {way}"), path, &stack, FLOWS));
        }
        let web = r#"web = [{ sessions = 8, pages = 3, objects = "3", size = "pareto2:mean=20,shape=1.2" }]"#;
        for preset in PRESETS {
            let stack = format!(r#"preset = "{preset}""#);
            cases.push(case(format!("{place} {preset} web"), path, &stack, web));
        }
    }
    for (name, drops) in [
        ("head", "[1]"),
        ("syn", "[0]"),
        ("twice", "[5, 12]"),
        ("many", "[20, 21, 22, 30, 45, 46]"),
    ] {
        for preset in PRESETS {
            let flows = format!(
                r#"flows = [{{ startup = "slow-start", size = "100pkt", forced_drops = {drops} }}]"#
            );
            let stack = format!(r#"preset = "{preset}""#);
            cases.push(case(format!("{name} lost {preset}"), LONG, &stack, &flows));
        }
    }
    cases
}
