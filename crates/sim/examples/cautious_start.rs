//! Cautious start: slow start that ends when round-trip times have risen by a share.
//!
//! An example and no published algorithm. A round-trip time above the minimum means
//! that a queue has begun to grow, so the path is full; growth stops before the queue is. A
//! single late packet is enough to end it, which is why the published startups look at
//! whole rounds.
//!
//! # State
//!
//! The minimum RTT.

use flowstart_control::entry::{Certainty, Entry};
use flowstart_control::params::{AlgorithmKind, Params, Ratio};
use flowstart_control::signals::{Ack, Established};
use flowstart_control::slow_start::SlowStart;
use flowstart_control::startup::{Maker, Startup, copies};
use flowstart_control::{
    Convention, CustomStartups, Duration, Reason, Window, params, with_slow_start,
};
use flowstart_sim::{Outcome, Prepared, Scenario};

/// The catalog entry.
pub const ENTRY: Entry<Maker> = Entry {
    name: "cautious-start",
    title: "Cautious start",
    source: "flowstart, an example",
    year: 2026,
    opened: "none: it is an example",
    compared: "none",
    summary: "Slow start that ends when a round-trip time exceeds the least one by a share.",
    params: with_slow_start!(Settings),
    needs: &[],
    certainty: Certainty::Text,
    build: |params, _convention| Ok(copies(CautiousStart::new(Settings::read(params)?))),
};

params! {
    struct Settings {
        /// the share by which a round-trip time may exceed the minimum
        rise: Ratio = "0.25",
    }
}

#[derive(Clone)]
struct CautiousStart {
    settings: Settings,
    least: Option<Duration>,
}

impl CautiousStart {
    fn new(settings: Settings) -> CautiousStart {
        CautiousStart {
            settings,
            least: None,
        }
    }

    /// Whether `rtt` shows that a queue has grown.
    fn is_late(&mut self, rtt: Duration) -> bool {
        let least = self.least.map_or(rtt, |least| least.min(rtt));
        self.least = Some(least);
        rtt.nanos() as f64 > (1.0 + self.settings.rise) * least.nanos() as f64
    }
}

impl Startup for CautiousStart {
    fn on_established(&mut self, _w: &mut Window, e: &Established) {
        self.least = e.rtt;
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if a.rtt.is_some_and(|rtt| self.is_late(rtt)) {
            // At the threshold the congestion control is in charge.
            w.ssthresh = w.cwnd;
            return Some(Reason::Delay);
        }
        slow_start.grow(w, a);
        None
    }
}

/// One transfer under this startup, which need not be in the catalog for that.
fn transfer(parameters: &str) -> Outcome {
    let scenario = Scenario::from_toml(
        r#"
        path = { rate = "20Mbps", rtt = "100ms" }
        stack = { preset = "rfc" }
        flows = [{ startup = "cautious-start", size = "3MB" }]
        "#,
    );
    let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, parameters)
        .expect("the parameters are this example's own");
    let make = (ENTRY.build)(&params, Convention::RFC).expect("every value goes with every other");
    let custom = CustomStartups::none().with(ENTRY.name, make);
    let scenario = scenario.expect("the scenario is this example's own");
    Prepared::among(&scenario, &custom)
        .expect("the scenario is this example's own")
        .run()
}

fn main() {
    for parameters in ["rise=0.1", "rise=0.25", "rise=0.5"] {
        let flow = transfer(parameters).flows.row(0);
        let (time, window) = (flow.fct_s, flow.startup_exit_cwnd_segments);
        println!("{parameters}: {time:?} s, left at {window:?} packets");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Instant;

    fn ack(ms: u64) -> Ack {
        Ack {
            rtt: Some(Duration::from_millis(ms)),
            ..Ack::of(Instant::ZERO, 1460)
        }
    }

    #[test]
    fn it_grows_until_a_round_trip_is_a_quarter_above_the_minimum() {
        let mut slow_start = SlowStart::by_stack(Convention::RFC);
        let params = Params::parse(AlgorithmKind::STARTUP, "", Settings::PARAMS, "");
        let mut start = CautiousStart::new(Settings::read(&params.unwrap()).unwrap());
        let mut w = Window::new(1460);
        w.cwnd = 10.0;
        assert_eq!(start.on_ack(&mut w, &ack(100), &mut slow_start), None);
        assert_eq!(start.on_ack(&mut w, &ack(125), &mut slow_start), None);
        assert_eq!(w.cwnd, 12.0);
        assert_eq!(
            start.on_ack(&mut w, &ack(126), &mut slow_start),
            Some(Reason::Delay)
        );
        assert_eq!((w.cwnd, w.ssthresh), (12.0, 12.0));
    }

    #[test]
    fn on_a_path_it_leaves_before_the_queue_is_full() {
        let flow = transfer("").flows.row(0);
        assert_eq!(flow.startup_exit_reason, Some(Reason::Delay));
        assert_eq!(flow.startup_exit_cwnd_segments, Some(158.0));
        assert_eq!(flow.packets_dropped, 0);
    }

    #[test]
    fn with_more_patience_it_leaves_later() {
        let [early, late] =
            ["rise=0.1", "rise=0.5"].map(|p| transfer(p).flows.row(0).max_cwnd_segments);
        assert!(early < late);
    }
}
