//! ns-2's own validation tests, and sending after an idle time.

use super::{Record, csv, field, ours_of};
use flowstart_sim::{Scenario, run};

const TOLERANCE_US: f64 = 1.5;

/// How ns-2 numbers a test's packets.
#[derive(Clone, Copy)]
struct Numbering {
    /// Payload of each of ns-2's flows.
    mss: &'static [u64],
    /// Which of our flows corresponds to which of ns-2's.
    ours: &'static [u32],
    /// The number of the first data packet.
    first: u64,
}

const ONE_FLOW: Numbering = Numbering {
    mss: &[1000],
    ours: &[0],
    first: 1,
};

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|e| panic!("{e}"))
}

/// Compares what was sent, acknowledged and dropped, kind by kind and in order; ns-2's
/// order within a microsecond is free.
fn check(file: &str, numbering: Numbering, text: &str) {
    let outcome = run(&scenario(text)).unwrap();
    let rows = csv(file);
    let flows: std::collections::BTreeSet<u32> = rows.iter().map(|r| field(r, 2)).collect();
    for (flow, (&ours, &mss)) in flows.iter().zip(numbering.ours.iter().zip(numbering.mss)) {
        for kind in ["send", "ack", "drop"] {
            let theirs: Vec<(f64, u64)> = rows
                .iter()
                .filter(|r| r[0] == kind && field::<u32>(r, 2) == *flow)
                .map(|r| (field::<f64>(r, 1) * 1e6, field(r, 3)))
                .collect();
            let ours: Vec<Record> = ours_of(&outcome, ours, mss, numbering.first)
                .into_iter()
                .filter(|r| r.what == kind)
                .collect();
            compare(file, kind, &theirs, &ours);
        }
    }
}

fn compare(file: &str, kind: &str, theirs: &[(f64, u64)], ours: &[Record]) {
    let mut sorted: Vec<(f64, u64)> = ours.iter().map(|r| (r.time_us, r.number)).collect();
    sorted.sort_by_key(|r| (r.0.round() as u64, r.1));
    let mut theirs = theirs.to_vec();
    theirs.sort_by_key(|r| (r.0.round() as u64, r.1));
    for (i, theirs) in theirs.iter().enumerate() {
        let ours = sorted.get(i);
        let same = ours
            .is_some_and(|ours| (ours.0 - theirs.0).abs() <= TOLERANCE_US && ours.1 == theirs.1);
        assert!(
            same,
            "{file}, {kind} {i}: ns-2 has {theirs:?}, we have {ours:?}"
        );
    }
    // Ours may continue a little longer: ns-2 stopped a test when it had seen enough.
    assert!(
        sorted.len() <= theirs.len() + 40,
        "{file}, {kind}: {} more",
        sorted.len() - theirs.len()
    );
}

#[test]
fn sack_with_two_overflows() {
    check(
        "validation_sack_sack1.csv",
        ONE_FLOW,
        r#"
        trace = true
        duration = "4.9936s"
        path = { rate = "800kbps", rtt = "200ms", buffer = "6pkt", access_rate = "8Mbps", access_delay = "5ms", access_at = "left" }
        stack = { preset = "ns2", mss = "1000B", iw = "2", window = "14pkt", rto_min = "1s" }
        flows = [{ start = "1s" }]
        "#,
    );
}

/// ns-2's packet 0 has no header where it is no SYN: 1460 bytes take 11.68 ms at 1 Mbit/s, the next
/// 1500 take 12, and the acknowledgements 0.32 each.
#[test]
fn without_a_handshake_the_first_packet_has_no_header() {
    let acked_ms = |packets: u64| {
        let flow = run(&scenario(&format!(
            r#"
            path = {{ rate = "1Mbps", rtt = "20ms", buffer = "50pkt" }}
            stack = {{ preset = "ns2", iw = "3" }}
            flows = [{{ size = "{packets}pkt", handshake = false }}]
            "#
        )));
        flow.unwrap().flows.row(0).duration_s.unwrap() * 1e3
    };
    for (packets, ms) in [(1, 32.0), (2, 44.0)] {
        assert!(
            (acked_ms(packets) - ms).abs() < 1e-6,
            "{packets}: {}",
            acked_ms(packets)
        );
    }
}

/// The older tests halve whole packets, do without limited transmit and wait twice as
/// long for the first timeout.
fn variants(stack: &str, flow: &str) -> String {
    format!(
        r#"
        trace = true
        duration = "6s"
        path = {{ rate = "800kbps", rtt = "200ms", buffer = "8pkt", access_rate = "8Mbps", access_at = "left" }}
        stack = {{ preset = "ns2", mss = "1000B", iw = "2", window = "28pkt", rto_min = "1s", rto_initial = "6s", limited_transmit = false, {stack} }}
        flows = [{{ start = "1s", cc = "reno:precise=false", {flow} }}]
        "#
    )
}

#[test]
fn newreno_with_four_losses() {
    let stack =
        r#"recovery = "newreno", newreno_impatient = false, newreno_partial_deflation = false"#;
    let text = variants(stack, "forced_drops = [14, 24, 26, 28]");
    check(
        "validation_tcpVariants_fourdrops_newreno.csv",
        ONE_FLOW,
        &text,
    );
}

#[test]
fn reno_with_one_loss() {
    let text = variants(r#"recovery = "reno""#, "forced_drops = [14]");
    check("validation_tcpVariants_onedrop_reno.csv", ONE_FLOW, &text);
}

#[test]
fn sack_with_delayed_acknowledgements_and_no_handshake() {
    check(
        "validation_rfc2581_immediateAckSack.csv",
        Numbering {
            first: 0,
            ..ONE_FLOW
        },
        r#"
        trace = true
        path = { rate = "800kbps", rtt = "20ms", buffer = "8pkt", access_rate = "8Mbps", access_at = "left" }
        stack = { preset = "ns2", mss = "1000B", header = "0B", iw = "1", window = "28pkt", ack = "delayed", ack_timer = "200ms", delays_syn_ack = true, tick = "100ms", rto_min = "0s", rto_initial = "6s", limited_transmit = false }
        flows = [{ start = "1s", size = "10pkt", handshake = false, cc = "reno:precise=false", forced_drops = [3, 4] }]
        "#,
    );
}

#[test]
fn initial_windows_by_the_size_of_packets() {
    // ns-2's flows 1 and 2 share a host. Flow 1 opens first.
    check(
        "validation_tcp_init_win_sack1.csv",
        Numbering {
            mss: &[1000, 1500, 2500],
            ours: &[1, 0, 2],
            first: 1,
        },
        r#"
        trace = true
        duration = "0.8865s"
        path = { rate = "10Mbps", rtt = "200ms", buffer = "25pkt", access_rate = "100Mbps", access_delay = "5ms", access_at = "left", hosts = 2 }
        stack = { preset = "ns2", mss = "1000B", iw = "rfc5681", window = "20pkt" }
        flows = [{ mss = "1500B" }, { mss = "1000B" }, { mss = "2500B" }]
        "#,
    );
}

#[test]
fn quick_start_with_a_rate_that_all_routers_grant() {
    check(
        "validation_quickstart_routers1.csv",
        ONE_FLOW,
        r#"
        trace = true
        [path]
        hops = [
            { rate = "1Gbps", delay = "2ms", buffer = "50pkt" },
            { rate = "100Mbps", delay = "500ms", buffer = "100pkt" },
            { rate = "1Gbps", delay = "4ms", buffer = "50pkt" },
        ]
        quick_start = { admission = "target", threshold = "90%", allocation = "90%", state_delay = "350ms" }
        [stack]
        preset = "ns2"
        mss = "1000B"
        iw = "2"
        window = "10000pkt"
        recovery = "newreno"
        rate_codes = "linear"
        coarse_pacing = true
        [[flows]]
        startup = "quick-start:request=819.2kbps"
        start = "1s"
        size = "100pkt"
        "#,
    );
}

/// Sends after four seconds of 60 packets at 0 and 60 more at 4 s; `first` is the number of
/// the first data packet.
fn sends_after_an_idle_time(stack: &str, flow: &str, first: u64) -> Vec<Record> {
    let text = format!(
        r#"
        trace = true
        path = {{ hops = [
            {{ rate = "50Mbps", delay = "1ms", buffer = "50pkt" }},
            {{ rate = "5Mbps", delay = "30ms", buffer = "60pkt" }},
            {{ rate = "50Mbps", delay = "1ms", buffer = "50pkt" }},
        ] }}
        stack = {{ preset = "ns2", iw = "3", window = "10000pkt", {stack} }}
        flows = [{{ writes = [{{ at = "0s", size = "60pkt" }}, {{ at = "4s", size = "60pkt" }}], {flow} }}]
        "#
    );
    ours_of(&run(&scenario(&text)).unwrap(), 0, 1460, first)
        .into_iter()
        .filter(|r| r.what == "send" && r.time_us > 3.9e6)
        .collect()
}

#[test]
fn sending_again_after_an_idle_time() {
    // With the window kept, the burst overflows the queue of the sender's own link.
    for restart in ["one", "keep", "paced"] {
        let stack = format!(r#"recovery = "reno", restart = "{restart}""#);
        let theirs: Vec<(f64, u64)> = csv("restart.csv")
            .iter()
            .filter(|r| r[0] == restart)
            .map(|r| (field::<f64>(r, 1) * 1e6, field(r, 2)))
            .collect();
        let ours = sends_after_an_idle_time(&stack, "", 1);
        compare("restart.csv", restart, &theirs, &ours);
    }
}

#[test]
fn fast_start_and_vegas_after_an_idle_time() {
    let vegas = r#"startup = "vegas-slow-start:first=one-by-one", cc = "vegas", handshake = false"#;
    for (name, recovery, header, flow, first) in [
        ("fast-start", "reno", 40, r#"startup = "fast-start""#, 1),
        (
            "newreno-fast-start",
            "newreno",
            40,
            r#"startup = "fast-start""#,
            1,
        ),
        ("vegas", "newreno", 0, vegas, 0),
    ] {
        // `Vegas/RBP` paces what its last round had of rate; there is no Fast Start that paces so.
        let restarts: &[&str] = match name {
            "vegas" => &["one", "keep", "paced"],
            _ => &["one", "keep"],
        };
        for restart in restarts {
            let stack =
                format!(r#"recovery = "{recovery}", header = "{header}B", restart = "{restart}""#);
            let theirs: Vec<(f64, u64)> = csv("restart_startups.csv")
                .iter()
                .filter(|r| r[0] == name && r[1] == *restart)
                .map(|r| (field::<f64>(r, 2) * 1e6, field(r, 3)))
                .collect();
            let ours = sends_after_an_idle_time(&stack, flow, first);
            compare(
                "restart_startups.csv",
                &format!("{name}, {restart}"),
                &theirs,
                &ours,
            );
        }
    }
}
