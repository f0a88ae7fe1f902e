//! SUSS between endpoints, against what its authors measured on their testbed.

use super::{Step, outcome, times};
use flowstart_sim::record::flow::FlowRow;

fn transfer(path: &str, stack: &str, startup: &str, size: &str) -> FlowRow {
    let run = outcome(&format!(
        r#"
        path = {{ {path} }}
        stack = {{ preset = "{stack}" }}
        flows = [{{ startup = "{startup}", cc = "cubic", size = "{size}" }}]
        "#
    ));
    run.flows.row(0)
}

const TESTBED: &str = r#"rate = "50Mbps", rtt = "100ms", buffer = "413pkt""#;

/// 5 MB took 1.29 s with HyStart and 1.11 s with SUSS; here the handshake counts too.
#[test]
fn five_megabytes_over_the_testbed() {
    let fct = |startup| transfer(TESTBED, "linux", startup, "5MB").fct_s.unwrap() - 0.1;
    let (hystart, suss) = (fct("hystart"), fct("suss"));
    assert!((hystart / 1.29 - 1.0).abs() < 0.05, "{hystart}");
    assert!((suss / 1.11 - 1.0).abs() < 0.05, "{suss}");
    assert!((hystart - suss - 0.18).abs() < 0.02);
}

/// In 20 MB some 40 packets were lost with HyStart and no more with SUSS.
#[test]
fn it_loses_as_few_as_hystart() {
    let lost = |startup| transfer(TESTBED, "linux", startup, "20MB").packets_dropped;
    let lost = ["hystart", "suss"].map(lost);
    assert!(lost.iter().all(|n| (35..=45).contains(n)), "{lost:?}");
}

/// "More than a fifth" for what is below 5 MB and above 50 ms, where the path takes more than a
/// few rounds to fill.
#[test]
fn it_saves_a_fifth_where_there_are_rounds_to_save() {
    let path = r#"rate = "100Mbps", rtt = "200ms", buffer = "1bdp""#;
    for stack in ["rfc", "linux"] {
        for size in ["500kB", "1MB", "2MB", "5MB"] {
            let fct = |startup| transfer(path, stack, startup, size).fct_s.unwrap();
            let saved = 1.0 - fct("suss") / fct("hystart");
            assert!((0.2..0.35).contains(&saved), "{stack} {size}: {saved}");
        }
    }
}

/// A path of ten milliseconds is too short: then it is HyStart.
#[test]
fn a_short_path_is_not_accelerated() {
    let path = r#"rate = "1Gbps", rtt = "9ms", buffer = "1bdp""#;
    let fct = |startup| transfer(path, "rfc", startup, "300kB").fct_s;
    assert_eq!(fct("suss"), fct("hystart"));
}

/// On a path with room, by the clock and by the pacer: 10, 20 and 20, 40 and 120 packets. The
/// guards are a quarter and an eighth of a round trip, the trains being next to nothing.
/// A window that grew with what arrives would hold back the last train under Linux.
#[test]
fn blue_and_red_take_turns() {
    for stack in ["rfc", "linux"] {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "1Gbps", rtt = "100ms" }}
            stack = {{ preset = "{stack}", window_growth = "none" }}
            trace = true
            flows = [{{ startup = "suss", size = "300kB" }}]
            "#
        ));
        let sent = times(&run, |step| matches!(step, Step::Send(_)));
        let between = |from: u64, to: u64| sent.iter().filter(|t| (from..to).contains(t)).count();
        let parts = [
            between(100, 110),
            between(200, 210),
            between(225, 274),
            between(300, 310),
            between(312, 390),
        ];
        assert_eq!(parts[..4], [10, 20, 20, 40], "{stack}");
        // What is left of the transfer.
        assert_eq!(
            parts[4],
            300_000_usize.div_ceil(if stack == "rfc" { 1460 } else { 1448 }) - 90
        );
        assert_eq!(sent.len(), parts.iter().sum::<usize>());
    }
}

/// After the acceleration the stack's rate follows the window again.
#[test]
fn a_stack_that_paces_goes_on_pacing_when_it_is_over() {
    let fct = |pacing: &str| {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "20Mbps", rtt = "100ms", buffer = "1bdp" }}
            stack = {{ preset = "linux", pacing = "{pacing}" }}
            flows = [{{ startup = "suss", size = "5MB" }}]
            "#
        ));
        run.flows.row(0).fct_s.unwrap()
    };
    let (plain, paced) = (fct("none"), fct("internal"));
    assert!((0.9..1.1).contains(&(paced / plain)), "{plain} {paced}");
}
