//! PIE: the probability of a drop follows the delay of the queue, as a controller's output.
//!
//! RFC 8033. The delay is what waits over the rate of the line, which is known. The
//! probability changes every `T_UPDATE`; these updates need no events. Between two calls
//! nothing enters or leaves the queue, so each call first makes up for the updates that
//! were due since the last, with the queue as it has been since; and once an update changes
//! nothing, neither do those after it, so an idle time of any length costs little.
//!
//! With `ecn=true` a packet whose sender understands it is marked where it would be dropped, as
//! long as the probability is below `mark_ecnth`; above that it is dropped all the same, and so
//! it is where the buffer is full (RFC 8033 §5.1).

use super::codel::ControlLaw;
use super::discipline::{Contents, Discipline, Maker, Port, QueueContext, Queued};
use super::line::Line;
use crate::random::share;
use flowstart_control::entry::{Certainty, Entry};
use flowstart_control::params::{Number, Ratio};
use flowstart_control::{Duration, Instant, params};
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;

/// Entry of `pie` in the catalog of queue disciplines.
pub(super) const ENTRY: Entry<Maker> = Entry {
    name: "pie",
    title: "Proportional Integral controller Enhanced",
    source: "Pan et al.: PIE, HPSR 2013; RFC 8033",
    year: 2013,
    opened: "RFC 8033's rules as programs quote them",
    compared: "probability, its tuning, burst allowance",
    summary: "Drops arriving packets with a probability that is raised while the queue's delay \
              is above its reference or grows.",
    params: Settings::PARAMS,
    needs: &[],
    certainty: Certainty::Derived,
    build: |params, _| {
        let settings = Settings::read(params)?;
        Ok(Box::new(move |port| {
            Some(Box::new(Pie::new(settings, port)))
        }))
    },
};

params! {
    struct Settings {
        /// the delay aimed at (RFC 8033 §4.2)
        qdelay_ref: Duration = "15ms",
        /// how often the probability is updated
        #[check(|time| time >= Duration::from_micros(1), "at least 1us")]
        t_update: Duration = "15ms",
        /// weight of the distance from the reference, per second
        alpha: Number = "0.125",
        /// weight of the change, per second
        beta: Number = "1.25",
        /// for so long after an idle time nothing is dropped (RFC 8033 §4.4)
        max_burst: Duration = "150ms",
        ecn: bool as ControlLaw,
        /// ecn=true: the probability from which on packets are dropped, not marked (RFC 8033 §5.1)
        mark_ecnth: Ratio = "0.1",
    }
}

/// The controller of RFC 8033 §4.2 and §4.4.
#[derive(Clone, Copy, Debug)]
struct Controller {
    settings: Settings,
    state: State,
    next_update: Instant,
}

/// State that an update changes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    drop_prob: f64,
    qdelay_old: Duration,
    burst_allowance: Duration,
}

impl Controller {
    fn new(settings: Settings) -> Controller {
        Controller {
            settings,
            state: State {
                drop_prob: 0.0,
                qdelay_old: Duration::ZERO,
                burst_allowance: settings.max_burst,
            },
            next_update: Instant::ZERO + settings.t_update,
        }
    }

    /// Makes up for the updates up to `now`, for all of which the delay was `qdelay`.
    fn catch_up(&mut self, now: Instant, qdelay: Duration) {
        while self.next_update <= now {
            let before = self.state;
            self.update(qdelay);
            let due = match self.state == before {
                true => {
                    now.since(self.next_update)
                        .over(self.settings.t_update.nanos())
                        .0
                        + 1
                }
                false => 1,
            };
            self.next_update += self.settings.t_update.times(due);
        }
    }

    fn update(&mut self, qdelay: Duration) {
        let Settings {
            qdelay_ref,
            t_update,
            max_burst,
            ..
        } = self.settings;
        let change = self.change(qdelay);
        let state = &mut self.state;
        state.drop_prob = (state.drop_prob + change).clamp(0.0, 1.0);
        let (now, before) = (qdelay, state.qdelay_old);
        if now == Duration::ZERO && before == Duration::ZERO {
            state.drop_prob *= 0.98;
        }
        state.burst_allowance = state.burst_allowance.saturating_sub(t_update);
        let low = qdelay_ref.over(2);
        if state.drop_prob == 0.0 && now < low && before < low {
            state.burst_allowance = max_burst;
        }
        state.qdelay_old = qdelay;
    }

    /// By how much the probability changes; less while it is small (RFC 8033 §4.2).
    fn change(&self, qdelay: Duration) -> f64 {
        let Settings {
            qdelay_ref,
            alpha,
            beta,
            ..
        } = self.settings;
        let distance = qdelay.secs() - qdelay_ref.secs();
        let p = alpha * distance + beta * (qdelay.secs() - self.state.qdelay_old.secs());
        let divisor = match self.state.drop_prob {
            x if x < 0.000_001 => 2048.0,
            x if x < 0.000_01 => 512.0,
            x if x < 0.000_1 => 128.0,
            x if x < 0.001 => 32.0,
            x if x < 0.01 => 8.0,
            x if x < 0.1 => 2.0,
            _ => 1.0,
        };
        let p = p / divisor;
        // §5.5.
        if self.state.drop_prob >= 0.1 {
            p.min(0.02)
        } else {
            p
        }
    }
}

/// State of the discipline on one link.
#[derive(Debug)]
struct Pie {
    line: Line,
    controller: Controller,
    /// The sum of probabilities since the last drop.
    accu_prob: f64,
    /// Rate of the line in bits per second.
    rate: f64,
    mtu: u64,
    random: Pcg64Mcg,
}

/// RFC 8033 §5.4: minimum and maximum distance of drops.
const ACCU_LEAST: f64 = 0.85;
const ACCU_MOST: f64 = 8.5;

impl Pie {
    fn new(settings: Settings, port: &Port) -> Pie {
        Pie {
            line: Line::default(),
            controller: Controller::new(settings),
            accu_prob: 0.0,
            rate: port.rate.map_or(f64::INFINITY, |rate| rate.bps() as f64),
            mtu: u64::from(port.packet),
            random: port.random.clone(),
        }
    }

    fn catch_up(&mut self, now: Instant) {
        let bits = self.line.backlog().bytes as f64 * 8.0;
        let qdelay = Duration((bits / self.rate * 1e9) as u64);
        self.controller.catch_up(now, qdelay);
    }

    /// RFC 8033 §4.1, with what §5.4 adds.
    fn drops_early(&mut self) -> bool {
        let c = &self.controller.state;
        let reference = self.controller.settings.qdelay_ref;
        let low = c.qdelay_old < reference.over(2) && c.drop_prob < 0.2;
        if c.burst_allowance > Duration::ZERO || low || self.line.backlog().bytes <= 2 * self.mtu {
            return false;
        }
        if c.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += c.drop_prob;
        if self.accu_prob < ACCU_LEAST {
            return false;
        }
        self.accu_prob >= ACCU_MOST || share(&mut self.random) < c.drop_prob
    }
}

impl Pie {
    /// Whether a packet may be marked (RFC 8033 §5.1).
    fn may_mark(&self) -> bool {
        let Settings {
            ecn, mark_ecnth, ..
        } = self.controller.settings;
        ecn && self.controller.state.drop_prob < mark_ecnth
    }
}

impl Discipline for Pie {
    fn enqueue(&mut self, mut packet: Packet, context: &mut QueueContext<'_>) -> bool {
        self.catch_up(context.now);
        let room = context.has_room(self.line.backlog(), packet.wire);
        if !room || self.drops_early() {
            self.accu_prob = 0.0;
            if !room || !self.may_mark() || !context.mark(&mut packet) {
                return false;
            }
        }
        self.line.push(packet, context.now);
        true
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        self.catch_up(context.now);
        self.line.pop()
    }

    fn contents(&self) -> &dyn Contents {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Limit;
    use crate::queue::testing::{Bench, capable, packet};
    use flowstart_control::params::Params;

    fn controller() -> Controller {
        let params = Params::parse(super::super::discipline::KIND, "pie", ENTRY.params, "");
        Controller::new(Settings::read(&params.unwrap()).unwrap())
    }

    #[test]
    fn the_probability_moves_more_the_larger_it_is() {
        let change = |drop_prob, qdelay, old| {
            let mut controller = controller();
            controller.state.drop_prob = drop_prob;
            controller.state.qdelay_old = Duration::from_millis(old);
            controller.change(Duration::from_millis(qdelay))
        };
        for (prob, qdelay, old, expected) in [
            (0.0, 20, 15, 3.357e-6),
            (0.005, 30, 20, 0.001_796_9),
            (0.2, 30, 20, 0.014_375),
        ] {
            let found = change(prob, qdelay, old);
            assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
        }
        assert_eq!(change(0.2, 200, 20), 0.02, "at most so much at once");
    }

    #[test]
    fn an_idle_time_is_made_up_for_at_once() {
        let mut busy = controller();
        (0..100).for_each(|_| busy.update(Duration::from_millis(40)));
        assert!(busy.state.drop_prob > 0.0 && busy.state.burst_allowance == Duration::ZERO);
        let mut one_by_one = busy;
        (0..100_000).for_each(|_| one_by_one.update(Duration::ZERO));
        let mut at_once = busy;
        let later = busy.next_update + busy.settings.t_update.times(99_999);
        at_once.catch_up(later, Duration::ZERO);
        assert_eq!(at_once.state, one_by_one.state);
        assert_eq!(at_once.next_update, later + busy.settings.t_update);
    }

    #[test]
    fn a_burst_after_an_idle_time_passes() {
        let mut bench = Bench::new("pie", Limit::Unlimited);
        bench.now = Instant::from_secs(10);
        assert!((0..500).all(|n| bench.enqueue(packet(n))));
    }

    #[test]
    fn a_queue_far_above_the_reference_loses_packets_and_one_below_it_none() {
        // One packet leaves and one comes every millisecond, which is one's delay.
        let losses = |held: u64| {
            let mut bench = Bench::new("pie", Limit::Unlimited);
            let mut lost = 0;
            for n in 0..20_000 {
                bench.now += Duration::from_millis(1);
                bench.dequeue();
                while bench.backlog().packets < held && bench.enqueue(packet(n)) {}
                lost += u64::from(bench.backlog().packets < held);
            }
            lost
        };
        assert_eq!(losses(7), 0);
        assert!(losses(60) > 100);
    }

    #[test]
    fn packets_are_marked_while_the_probability_is_small_and_dropped_above() {
        let deeds = |spec: &str| {
            let mut bench = Bench::new(spec, Limit::Unlimited);
            let mut refused = 0;
            for n in 0..20_000 {
                bench.now += Duration::from_millis(1);
                bench.dequeue();
                while bench.backlog().packets < 30 && bench.enqueue(capable(n)) {}
                refused += u64::from(bench.backlog().packets < 30);
            }
            (refused, bench.marked().len())
        };
        // Marks without a response let the probability rise until packets are dropped.
        let (refused, marked) = deeds("pie:ecn=true");
        assert!(refused > 100 && marked > 10, "{refused} {marked}");
        let later = deeds("pie:ecn=true,mark_ecnth=0.5");
        assert!(later.0 < refused && later.1 > marked, "{later:?}");
        assert_eq!(deeds("pie").1, 0);
    }
}
