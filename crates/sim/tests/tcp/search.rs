//! SEARCH on paths like those that it was made for, without their jitter, and each with a buffer
//! of one bandwidth-delay product.

use super::outcome;
use flowstart_control::Reason;
use flowstart_sim::record::flow::FlowRow;

/// Name, rate, round trip, and full-size packets of a bandwidth-delay product.
const PATHS: [(&str, &str, &str, f64); 3] = [
    ("GEO", "40Mbps", "600ms", 2000.0),
    ("LEO", "100Mbps", "30ms", 250.0),
    ("LTE", "20Mbps", "60ms", 100.0),
];

fn transfer(path: (&str, &str, &str, f64), buffer: &str, stack: &str, startup: &str) -> FlowRow {
    let (_, rate, rtt, bdp) = path;
    let run = outcome(&format!(
        r#"
        path = {{ rate = "{rate}", rtt = "{rtt}", buffer = "{buffer}" }}
        stack = {{ preset = "{stack}" }}
        flows = [{{ startup = "{startup}", cc = "cubic", size = "{}pkt" }}]
        "#,
        20.0 * bdp
    ));
    run.flows.row(0)
}

/// The variant without an implementation.
const BY_INITIAL: &str = "search:variant=initial-rtt";

/// The window at the exit, in bandwidth-delay products.
fn exit(flow: &FlowRow, bdp: f64) -> f64 {
    flow.startup_exit_cwnd_segments.unwrap() / bdp
}

#[test]
fn by_the_initial_round_trip_it_leaves_after_capacity_and_before_a_loss_is_found() {
    for path in PATHS {
        for stack in ["rfc", "linux"] {
            let flow = transfer(path, "1bdp", stack, BY_INITIAL);
            let reason = flow.startup_exit_reason;
            assert_eq!(reason, Some(Reason::FullPipe), "{} {stack}", path.0);
            let products = exit(&flow, path.3);
            assert!((2.5..3.5).contains(&products), "{} {products}", path.0);
        }
    }
}

/// By then three products are out and path and queue hold two: packets have been dropped of
/// which the sender has not heard, though fewer than slow start loses.
#[test]
fn it_loses_what_a_buffer_of_one_product_cannot_hold() {
    for path in PATHS {
        let drops = |buffer, startup| transfer(path, buffer, "rfc", startup).packets_dropped as f64;
        let (search, slow) = (drops("1bdp", BY_INITIAL), drops("1bdp", "slow-start"));
        assert!(0.0 < search && search < 0.5 * slow, "{search} {slow}");
        let drained = drops("2.5bdp", "search:variant=initial-rtt,exit=drain");
        assert_eq!(drained, 0.0, "{}", path.0);
        assert!(drops("2.5bdp", "slow-start") > 0.0);
    }
}

#[test]
fn the_higher_threshold_leaves_no_earlier_and_hardly_before_the_loss() {
    for path in PATHS {
        let at = |startup: &str| {
            transfer(path, "1bdp", "rfc", startup)
                .startup_exit_s
                .unwrap()
        };
        let old = "search:variant=linux31,look_back=initial";
        let [new, old, loss] = [BY_INITIAL, old, "slow-start"].map(at);
        assert!(new <= old && old <= loss, "{new} {old} {loss}");
    }
}

/// The latest sample, by which every published variant looks back, sees past the queue: the loss
/// comes first, unless the buffer holds several products.
#[test]
fn as_published_the_loss_is_found_first() {
    for path in PATHS {
        for variant in ["draft09", "neqo", "linux40", "linux31", "freebsd40"] {
            let startup = format!("search:variant={variant}");
            let flow = transfer(path, "1bdp", "rfc", &startup);
            let reason = flow.startup_exit_reason;
            assert_eq!(reason, Some(Reason::Loss), "{} {variant}", path.0);
            let flow = transfer(path, "6bdp", "rfc", &startup);
            let reason = flow.startup_exit_reason;
            assert_eq!(reason, Some(Reason::FullPipe), "{} {variant}", path.0);
            let products = exit(&flow, path.3);
            assert!((4.5..7.5).contains(&products), "{} {products}", path.0);
            assert_eq!(flow.packets_dropped, 0, "{} {variant}", path.0);
        }
    }
}

/// HyStart++ sees the delay earlier, but its slower rounds end in a loss all the same.
#[test]
fn hystart_plus_plus_ends_in_a_loss_on_these_paths() {
    for path in PATHS {
        let flow = transfer(path, "1bdp", "rfc", "hystart-plus-plus");
        assert_eq!(flow.startup_exit_reason, Some(Reason::Loss), "{}", path.0);
    }
}

/// With Rapid Start's growth either of them ends earlier.
#[test]
fn threefold_growth_ends_sooner_whoever_ends_it() {
    for path in PATHS {
        for (plain, rapid) in [
            (BY_INITIAL, "search:variant=initial-rtt,speed=rapid-start"),
            (
                "hystart-plus-plus:l=unlimited",
                "hystart-plus-plus:l=unlimited,speed=rapid-start",
            ),
        ] {
            let at = |startup| {
                transfer(path, "1bdp", "rfc", startup)
                    .startup_exit_s
                    .unwrap()
            };
            assert!(at(rapid) < 0.9 * at(plain), "{} {rapid}", path.0);
        }
    }
}
