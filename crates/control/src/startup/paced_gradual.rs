//! Slow start with pacing and gradual exit: the more of a queue there is, the slower it grows.
//!
//! No text under this name was found; this is the plainest rule that fits the name, for
//! comparison with the exits that are published. Slow start ends at once, from doubling to
//! hardly growing; an exit by delay must choose between too soon and too late. Here the
//! factor of a round falls linearly as its queueing delay rises,
//! from 2 below 4 ms to 1 at 16 ms, the bounds of HyStart's threshold, and
//! congestion control begins where it is 1. Everything is paced, so that a queue is what the
//! window makes and not a burst.
//!
//! Gradual exits that are published belong to their algorithms: [`super::limited_slow_start`]
//! bounds what a round adds; [`super::hystart_plus_plus`] grows at a quarter of the speed for up
//! to five rounds; [`super::search`] drains (`exit=drain`); [`super::rapid_start`] shrinks byte by
//! byte after a loss; and the `linux` stack paces at 120 % instead of 200 % from half the
//! threshold on.
//!
//! # State
//!
//! The minimum RTT, that of the round and its samples, the round's end, the factor.
//!
//! # Contested
//!
//! - There is no text: of a startup of that name only the name was found, and the rules are this
//!   project's.
//! - A round is judged by its first eight samples, as in HyStart++. By all of them it could be only
//!   when it is over, a whole round of doubling later, which mostly ends in a loss.

use super::{Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::pacing::Pacing;
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established, Sent};
use crate::slow_start::SlowStart;
use crate::{Duration, Reason, Window, params, with_slow_start};

/// Entry of `paced-gradual` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "paced-gradual",
    title: "Slow start with pacing and gradual exit",
    source: "no text was found; defined by this project",
    year: 2026,
    opened: "none exists",
    compared: "-",
    summary: "Paced slow start whose factor falls from 2 to 1 as the queueing delay of a round \
              rises from 4 to 16 ms.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Reconstructed,
    build: |params, _| Ok(copies(PacedGradual::new(params)?)),
};

params! {
    pub struct Settings {
        /// up to this queueing delay of a round, its minimum round-trip time above the minimum
        /// ever, the window doubles
        low: Duration = "4ms",
        /// from this queueing delay on congestion control begins
        high: Duration = "16ms",
        /// whether it paces, at the factor times the window per round trip
        pacing: bool = "true",
    }
}

/// Samples of a round that are looked at, HyStart++'s `N_RTT_SAMPLE`.
const N_RTT_SAMPLE: u32 = 8;

/// Slow start with pacing and gradual exit.
#[derive(Clone)]
struct PacedGradual {
    settings: Settings,
    pacing: Pacing,
    least_rtt: Duration,
    round_rtt: Duration,
    samples: u32,
    round_end: Option<u64>,
    factor: f64,
    done: bool,
}

impl PacedGradual {
    fn new(params: &Params) -> Result<PacedGradual, SpecError> {
        let settings = Settings::read(params)?;
        if settings.high <= settings.low {
            let expected = format!("above `low`, {}", settings.low);
            return Err(SpecError::bad_value(params, &Settings::high, &expected));
        }
        Ok(PacedGradual {
            settings,
            pacing: Pacing::new(settings.pacing),
            least_rtt: Duration::MAX,
            round_rtt: Duration::MAX,
            samples: 0,
            round_end: None,
            factor: 2.0,
            done: false,
        })
    }

    /// The growth of a round with this queueing delay.
    fn factor_at(&self, queueing: Duration) -> f64 {
        let over = queueing.saturating_sub(self.settings.low).nanos() as f64;
        let range = self.settings.high.saturating_sub(self.settings.low).nanos() as f64;
        (2.0 - over / range).max(1.0)
    }

    /// Takes a sample; the eighth of a round settles its growth.
    fn sample(&mut self, rtt: Duration) {
        self.least_rtt = self.least_rtt.min(rtt);
        if self.samples >= N_RTT_SAMPLE {
            return;
        }
        self.round_rtt = self.round_rtt.min(rtt);
        self.samples += 1;
        if self.samples == N_RTT_SAMPLE {
            self.factor = self.factor_at(self.round_rtt.saturating_sub(self.least_rtt));
        }
    }

    /// A round ends when what the first ACK found sent is acknowledged.
    fn end_round(&mut self, a: &Ack) {
        if a.una >= *self.round_end.get_or_insert(a.nxt) {
            self.round_end = Some(a.nxt);
            self.round_rtt = Duration::MAX;
            self.samples = 0;
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        self.pacing.end(w);
        self.done = true;
    }
}

impl Startup for PacedGradual {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.pacing.open(w, e.rtt, self.factor);
    }

    fn on_sent(&mut self, w: &mut Window, _s: &Sent) -> Option<Reason> {
        self.pacing.on_sent(w);
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if self.done {
            slow_start.grow(w, a);
            return None;
        }
        if let Some(rtt) = a.rtt {
            self.sample(rtt);
        }
        if self.factor <= 1.0 {
            w.ssthresh = w.cwnd;
            self.cancel(w);
            slow_start.leave_unused(a);
            return Some(Reason::Delay);
        }
        slow_start.grow_by(w, a, self.factor - 1.0);
        self.end_round(a);
        self.pacing.update(w, a.rtt, self.factor);
        if !w.in_slow_start() {
            self.cancel(w);
        }
        None
    }

    fn on_congestion(&mut self, w: &mut Window, _c: &Congestion) -> Response {
        self.cancel(w);
        Response::STANDARD
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::AlgorithmKind;
    use crate::testing::{ms, slow_start, with_reno};
    use crate::{Convention, Instant, Rate};

    const MSS: u64 = 1460;

    fn gradual(spec: &str) -> PacedGradual {
        let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, spec).unwrap();
        PacedGradual::new(&params).unwrap()
    }

    /// The definition's values.
    #[test]
    fn the_factor_falls_as_the_queue_grows() {
        let g = gradual("");
        for (queueing, factor) in [
            (0.0, 2.0),
            (4.0, 2.0),
            (10.0, 1.5),
            (16.0, 1.0),
            (99.0, 1.0),
        ] {
            assert_eq!(g.factor_at(ms(queueing)), factor, "{queueing} ms");
        }
        assert_eq!(gradual("low=0s,high=20ms").factor_at(ms(5.0)), 1.75);
    }

    #[test]
    fn the_eighth_sample_of_a_round_decides_its_growth() {
        let mut g = gradual("");
        let mut w = Window {
            header: 0,
            ..Window::new(MSS as u32)
        };
        let e = Established {
            initial_window: 10.0,
            rtt: Some(ms(100.0)),
            ..Established::at(Instant::ZERO)
        };
        slow_start().open(&mut w, &e);
        g.on_established(&mut w, &e);
        assert_eq!(w.pacing, Some(Rate::of(20 * MSS, ms(100.0))));
        let (mut una, mut windows) = (0, vec![]);
        for rtt in [100.0, 104.0, 110.0, 113.0] {
            let nxt = una + w.cwnd_segments() * MSS;
            g.round_end = Some(nxt);
            while una < nxt {
                una += MSS;
                let a = Ack {
                    una,
                    nxt,
                    rtt: Some(ms(rtt)),
                    ..Ack::of(Instant::ZERO, MSS)
                };
                assert_eq!(g.on_ack(&mut w, &a, &mut slow_start()), None);
            }
            windows.push(w.cwnd);
        }
        // Seven segments of a round grow by the factor of the round before.
        assert_eq!(windows, [20.0, 40.0, 63.5, 81.0]);
        let late = Ack {
            nxt: una + 99 * MSS,
            rtt: Some(ms(116.0)),
            ..Ack::of(Instant::ZERO, MSS)
        };
        for _ in 1..8 {
            assert_eq!(g.on_ack(&mut w, &late, &mut slow_start()), None);
        }
        assert_eq!(
            g.on_ack(&mut w, &late, &mut slow_start()),
            Some(Reason::Delay)
        );
        assert_eq!((w.ssthresh, w.pacing), (w.cwnd, None));
    }

    #[test]
    fn constants_that_make_no_sense_are_refused() {
        let refused = with_reno(&ENTRY, "low=20ms", Convention::RFC);
        assert_eq!(
            refused.err().unwrap().to_string(),
            "startup `paced-gradual`: parameter `high`: `16ms` is not above `low`, 20ms"
        );
    }
}
