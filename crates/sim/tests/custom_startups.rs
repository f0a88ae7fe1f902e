//! Start-ups from outside the catalog, and runs that are stopped from outside.

use flowstart_control::catalog::STARTUPS;
use flowstart_control::params::{AlgorithmKind, Params};
use flowstart_control::{Convention, CustomStartups};
use flowstart_sim::{Outcome, Prepared, Scenario};

fn scenario(startup: &str) -> Scenario {
    Scenario::from_toml(&format!(
        r#"
        path = {{ rate = "10Mbps", rtt = "40ms", loss = "1%" }}
        flows = [{{ startup = "{startup}", size = "500kB", count = 2 }}]
        trace = true
        "#
    ))
    .unwrap()
}

/// The catalog's own slow start under another name.
fn custom() -> CustomStartups {
    CustomStartups::none().with("some/where.py:Mine:x=1", || {
        let entry = &STARTUPS[0];
        let params = Params::parse(AlgorithmKind::STARTUP, entry.name, entry.params, "").unwrap();
        (entry.build)(&params, Convention::Rfc).unwrap()
    })
}

fn run(startup: &str) -> Outcome {
    Prepared::among(&scenario(startup), &custom())
        .unwrap()
        .run()
}

#[test]
fn a_custom_startup_sends_what_its_twin_in_the_catalog_sends() {
    let (custom, listed) = (run("some/where.py:Mine:x=1"), run("slow-start"));
    assert_eq!(&*custom.flows.row(1).startup, "some/where.py:Mine:x=1");
    let (custom, listed) = (custom.trace.unwrap(), listed.trace.unwrap());
    assert_eq!(custom.flow_samples.time_ns, listed.flow_samples.time_ns);
    assert_eq!(custom.flow_samples.seq, listed.flow_samples.seq);
}

#[test]
fn an_unknown_custom_startup_is_an_unknown_startup() {
    let refused = Prepared::among(&scenario("some/where.py:Other"), &custom()).err();
    let message = refused.unwrap().to_string();
    assert!(
        message.starts_with("flows[0]: startup `some/where.py`: unknown"),
        "{message}"
    );
}

#[test]
fn a_run_that_is_stopped_says_how_far_it_came() {
    let whole = run("slow-start");
    let mut left = 1000;
    let stopped = Prepared::new(&scenario("slow-start"))
        .unwrap()
        .run_while(|| {
            left -= 1;
            left > 0
        });
    assert!((1000..1010).contains(&stopped.events), "{}", stopped.events);
    assert!(stopped.simulated_s < whole.simulated_s);
    assert!(!stopped.flows.row(0).complete);
}
