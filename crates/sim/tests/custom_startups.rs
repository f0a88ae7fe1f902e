//! Startups from outside the catalog, and runs that are stopped from outside.

use flowstart_control::catalog::STARTUPS;
use flowstart_control::params::{AlgorithmKind, Params};
use flowstart_control::signals::Ack;
use flowstart_control::slow_start::SlowStart;
use flowstart_control::startup::{Congestion, Reduction, Response, Startup};
use flowstart_control::{Convention, CustomStartups, Reason, Window};
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
        (entry.build)(&params, Convention::RFC).unwrap()()
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
    assert_eq!(custom.flow_samples.seq_bytes, listed.flow_samples.seq_bytes);
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
fn a_run_that_is_stopped_reports_how_far_it_came() {
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

/// A separate window, which receives every acknowledgement; and what the last was of.
#[derive(Default)]
struct Accountant {
    una: u64,
    delivered: u64,
}

impl Startup for Accountant {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        // What comes with packets that had counted as lost is told of with the next.
        assert!(a.una - a.acked >= self.una, "{a:?}");
        assert!(a.delivered_total - a.delivered >= self.delivered, "{a:?}");
        assert!(a.una <= a.delivered_total, "{a:?}");
        (self.una, self.delivered) = (a.una, a.delivered_total);
        slow_start.grow(w, a);
        None
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.on_ack(w, a, &mut SlowStart::by_stack(Convention::RFC));
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        if !c.is_timeout() {
            w.cwnd = (w.cwnd / 2.0).max(2.0);
        }
        Response::continues(Reduction::Done)
    }

    fn owns_cwnd(&self) -> bool {
        true
    }
}

/// `acked` is by how much SND.UNA moved and `delivered` what had not arrived before, whatever finds
/// the losses.
#[test]
fn acknowledgements_add_up_under_every_recovery() {
    let startups =
        CustomStartups::none().with("some/where.py:Accountant", || Box::<Accountant>::default());
    for recovery in ["reno", "newreno", "sack", "ns2-sack", "rack", "quic"] {
        let scenario = Scenario::from_toml(&format!(
            r#"
            path = {{ rate = "10Mbps", rtt = "40ms", loss = "1%", jitter = "uniform:most=9ms", reordering = true }}
            stack = {{ recovery = "{recovery}" }}
            flows = [{{ startup = "some/where.py:Accountant", size = "1MB" }}]
            "#
        ));
        let prepared = Prepared::among(&scenario.unwrap(), &startups).unwrap();
        assert!(prepared.run().flows.row(0).complete, "{recovery}");
    }
}
