//! Several transfers at a time in the kernel, against the simulator. Needs root; skips with a word where
//! that is not given.

use flowstart_linux::load::{self, Outcome};
use flowstart_linux::{Driver, permission};
use flowstart_sim::{Prepared, Scenario};
use std::sync::atomic::AtomicBool;

const FLOWS: &str = r#"
    path = { rate = "20Mbps", rtt = "40ms", buffer = "1000pkt" }
    stack = { preset = "linux" }
    flows = [{ startup = "slow-start", cc = "reno", size = "200kB", count = 4,
               stagger = "50ms", opener = "receiver" }]
"#;
const WEB: &str = r#"
    path = { rate = "20Mbps", rtt = "40ms", hosts = 1 }
    stack = { preset = "linux" }
    web = [{ startup = "slow-start", cc = "reno", sessions = 2, pages = 2, objects = 3, size = 30,
             request = "300B", single_connection = true }]
"#;

fn prepared(text: &str) -> Prepared {
    Prepared::new(&Scenario::from_toml(text).unwrap()).unwrap()
}

/// `None`, said aloud, where nothing can be run.
fn run(text: &str, driver: &Driver) -> Option<Outcome> {
    if let Some(why) = permission::refusal(*driver == Driver::Startup) {
        eprintln!("skipped: {why}");
        return None;
    }
    let outcome = load::run(&prepared(text), driver, &AtomicBool::new(false)).unwrap();
    assert_eq!(outcome.failure, None);
    for answered in &outcome.requests {
        assert_eq!(answered.failure, None);
        assert!(answered.completed.is_some());
    }
    Some(outcome)
}

#[test]
fn flows_that_share_a_path_take_as_long_as_in_the_simulator() {
    let simulated: Vec<f64> = {
        let flows = prepared(FLOWS).run().flows;
        flows.iter().map(|flow| flow.fct_s.unwrap()).collect()
    };
    for driver in [Driver::Kernel("reno".into()), Driver::Startup] {
        let Some(outcome) = run(FLOWS, &driver) else {
            return;
        };
        assert_eq!(outcome.requests.len(), simulated.len());
        assert_eq!(outcome.answered.is_some(), driver == Driver::Startup);
        for answered in &outcome.requests {
            let took = answered.completed.unwrap().since(answered.asked).secs();
            let expected = simulated[answered.number as usize];
            assert!((took / expected - 1.0).abs() < 0.2, "{took} for {expected}");
        }
    }
}

#[test]
fn sessions_ask_for_the_next_page_when_they_have_the_one_before() {
    let Some(outcome) = run(WEB, &Driver::Kernel("reno".into())) else {
        return;
    };
    assert_eq!(outcome.requests.len(), 2 * 2 * 3);
    let objects = outcome.objects.unwrap();
    for answered in &outcome.requests {
        let object = objects.row(answered.number);
        let before = outcome.requests.iter().filter(|other| {
            let other = objects.row(other.number);
            other.session == object.session && other.page + 1 == object.page
        });
        for other in before {
            assert!(other.completed.unwrap() <= answered.asked);
        }
    }
}

#[test]
fn a_load_that_is_stopped_ends_soon_and_reports_it() {
    if permission::refusal(false).is_some() {
        return;
    }
    let stop = AtomicBool::new(true);
    let driver = Driver::Kernel("reno".into());
    let outcome = load::run(&prepared(FLOWS), &driver, &stop).unwrap();
    assert!(outcome.failure.is_some());
    assert_eq!(outcome.stalls, 0);
}

#[test]
fn flows_whose_kernels_would_differ_are_refused() {
    let text = FLOWS.replace("opener =", "stack = { sack = false }, opener =");
    let text = text.replace(
        "flows = [",
        r#"flows = [{ size = "1kB", opener = "receiver" },"#,
    );
    let driver = Driver::Kernel("reno".into());
    let refused = load::run(&prepared(&text), &driver, &AtomicBool::new(false));
    assert!(refused.err().unwrap().to_string().starts_with("stack: "));
}
