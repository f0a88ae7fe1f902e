//! Startups that run in the kernel without an agent, next to the simulator.
//! Needs root; skips with a word where that is not given.

use flowstart_linux::startups::{Loaded, STARTUPS};
use flowstart_linux::{Driver, lab, permission};
use flowstart_sim::{Prepared, Scenario};
use std::sync::atomic::AtomicBool;

/// Runs of a transfer; the median counts.
const RUNS: usize = 3;
/// Completion and exit window of the simulator and the kernel differ by so much at most.
const SHARE: f64 = 0.01;
const SEGMENTS: f64 = 1.0;

/// Either end opens the connection: a server has its peer's scaled window when it begins, a client not.
#[test]
fn each_startup_completes_and_exits_as_in_the_simulator() {
    if let Some(why) = permission::refusal(true) {
        eprintln!("skipped: {why}");
        return;
    }
    let mut apart = Vec::new();
    for startup in STARTUPS {
        let _loaded = Loaded::new(*startup).unwrap();
        let driver = Driver::Kernel(startup.control.to_string());
        for opener in ["sender", "receiver"] {
            let prepared = prepared(startup.name, opener);
            let simulated = prepared.run().flows.row(0);
            let mut took = Vec::new();
            for _ in 0..RUNS {
                let found = lab::run(&prepared, &driver, &AtomicBool::new(false)).unwrap();
                let exit = found.exit.unwrap();
                let same = Some(exit.reason) == simulated.startup_exit_reason;
                let window = simulated.startup_exit_cwnd_segments.unwrap();
                if same && (exit.cwnd - window).abs() > SEGMENTS {
                    apart.push(format!(
                        "{} {opener}: {} of {window}",
                        startup.name, exit.cwnd
                    ));
                }
                took.push(found.fct.unwrap().secs());
            }
            took.sort_by(f64::total_cmp);
            let (expected, median) = (simulated.fct_s.unwrap(), took[RUNS / 2]);
            if (median / expected - 1.0).abs() > SHARE {
                apart.push(format!(
                    "{} {opener}: {median} s of {expected} s",
                    startup.name
                ));
            }
        }
    }
    assert!(apart.is_empty(), "{apart:?}");
}

fn prepared(startup: &str, opener: &str) -> Prepared {
    let text = format!(
        "path = {{ rate = \"20Mbps\", rtt = \"60ms\", buffer = \"100pkt\", \
         reverse_buffer = \"100000pkt\" }}\nstack = {{ preset = \"linux\" }}\n\
         flows = [{{ startup = \"{startup}\", cc = \"cubic\", size = \"1MB\", opener = \"{opener}\" }}]\n"
    );
    Prepared::new(&Scenario::from_toml(&text).unwrap()).unwrap()
}
