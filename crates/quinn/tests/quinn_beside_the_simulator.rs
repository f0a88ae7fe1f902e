//! The same startups in quinn and in the simulator, over the same links.

use flowstart_live::lab::{Clock, Outcome};
use flowstart_quinn::quinn::lab;
use flowstart_sim::{Prepared, Scenario};

const PATHS: [&str; 3] = [
    r#"rate = "20Mbps", rtt = "60ms", buffer = "1bdp""#,
    r#"rate = "5Mbps", rtt = "64ms", buffer = "1bdp""#,
    r#"rate = "100Mbps", rtt = "100ms", buffer = "1bdp""#,
];

fn prepared(path: &str, startup: &str, size: &str) -> Prepared {
    let text = format!(
        r#"
        seed = 1
        path = {{ {path} }}
        stack = {{ preset = "quinn-adapter" }}
        flows = [{{ startup = "{startup}", cc = "cubic", size = "{size}" }}]
        "#
    );
    Prepared::new(&Scenario::from_toml(&text).unwrap()).unwrap()
}

fn live(prepared: &Prepared) -> Outcome {
    lab::run(prepared.external_sender().unwrap(), Clock::Virtual).unwrap()
}

#[test]
fn transfers_take_as_long_to_within_a_hundredth_and_leave_with_the_same_window() {
    for startup in [
        "slow-start",
        "hystart",
        "hystart-plus-plus",
        "jump-start",
        "careful-resume",
        "suss",
    ] {
        for path in PATHS {
            for size in ["100kB", "1MB"] {
                let prepared = prepared(path, startup, size);
                let (simulated, live) = (prepared.run().flows.row(0), live(&prepared));
                let seconds = live.fct.unwrap().nanos() as f64 / 1e9;
                let longer = seconds / simulated.fct_s.unwrap() - 1.0;
                assert!(longer.abs() <= 0.01, "{startup}, {path}, {size}: {longer}");
                let left = live.exit.map(|exit| exit.cwnd);
                assert_eq!(
                    left.is_some(),
                    simulated.startup_exit_cwnd_segments.is_some()
                );
                let apart = left.zip(simulated.startup_exit_cwnd_segments);
                let apart = apart.map_or(0.0, |(live, simulated)| live / simulated - 1.0);
                assert!(apart.abs() <= 0.05, "{startup}, {path}, {size}: {apart}");
            }
        }
    }
}

#[test]
fn a_run_repeats_itself_where_packets_are_lost_too() {
    let path = format!("{}, loss = \"0.2%\"", PATHS[0]);
    let run = || live(&prepared(&path, "hystart-plus-plus", "1MB"));
    let (first, second) = (run(), run());
    assert!(first.packets_lost > 0);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}

/// The last 47 packets of the first flight are lost. The sender answers the first acknowledgement with
/// a new connection ID, and the acknowledgement of that shows the losses before any probe timeout.
#[test]
fn the_loss_of_a_flights_end_is_found_as_soon_as_in_quinn() {
    let path = r#"rate = "5Mbps", rtt = "150ms", buffer = "1bdp""#;
    let prepared = prepared(path, "slow-start:iw=110", "158kB");
    let (simulated, live) = (prepared.run().flows.row(0), live(&prepared));
    assert_eq!((simulated.packets_dropped, live.packets_dropped), (47, 47));
    let seconds = live.fct.unwrap().nanos() as f64 / 1e9;
    let longer = seconds / simulated.fct_s.unwrap() - 1.0;
    assert!(longer.abs() <= 0.01, "{longer}");
}
