//! CircuitStart: double until a queue is felt, and keep what has got through since the last doubling.
//!
//! C. Döpmann and F. Tschorsch, "CircuitStart: A Slow Start For Multi-Hop Anonymity Systems",
//! SIGCOMM 2018 (poster): the abstract was read. The rules are those of the authors' simulator,
//! BackTap in nstor (github.com/cdoepmann/nstor, `src/tor/model/tor-bktap.cc` and `.h`, commit
//! 49df172, 20 September 2018), which was read.
//!
//! In Tor each relay of a circuit runs a window towards the next one, clocked by its word that
//! cells were forwarded; nothing is lost between them, so queues alone indicate congestion. The
//! window doubles at the end of each round, all at once, from two cells. At each feedback the
//! excess that Vegas would see, `diff = cwnd * (currentRtt - baseRtt) / baseRtt`, is compared with
//! `gamma` cells. Once it is greater the window has overshot, and it becomes what the next hop has
//! forwarded since the last doubling. Then Vegas' avoidance is in charge.
//!
//! Here a hop is a connection's path, a segment is a cell and its acknowledgement the feedback.
//!
//! # State
//!
//! `baseRtt`; the samples of the round, in order; where the round ends (`beg_seq`), and what had
//! been acknowledged when the window last doubled (`inc_seq`).
//!
//! # Deviations
//!
//! - The simulator's avoidance adds a cell below an excess of 3 and takes one away above 6.
//!   `avoidance = "vegas:alpha=3,beta=6"` is nearest; Vegas' excess is a share of the round's time
//!   and not of the baseRtt.
//! - The simulator does not reduce the window after three duplicate acknowledgements or a timeout,
//!   since a hop repairs its losses alone. Here the avoidance does; `response=none` is the
//!   simulator's for losses. After a timeout, slow start leads back to the threshold.
//! - A window that the application or the peer left unused does not double (RFC 7661).
//! - A threshold that is given is not exceeded. The simulator has none.
//! - The window after the exit is at least two segments and no more than before it.
//! - The simulator ends at `burst_rate` only where the limit is a whole number of cells.
//! - Feedback is not held back for up to 1 ms, as the simulator's is to be sent together.
//!
//! # Contested
//!
//! - The excess counts the queue of the round's own burst, which is a quarter of the window. So
//!   the startup ends at a window near the root of eight bandwidth-delay products (64 segments
//!   at 20 Mbit/s and 100 ms, where 166 are on the path).
//! - What is kept depends on how early in a round the excess is found: at the third sample it is
//!   three segments. On that path it is seven where each segment is acknowledged. The authors'
//!   figures could not be compared.
//! - A simulator's comment warns of a round's minimum RTT (`sample=least`, its percentile
//!   0) during slow start. The minimum of the round is as great at the third sample as it will
//!   ever be, so the window falls to three segments; and it may rise only after the buffer is full.
//! - Of up to nine samples the simulator's 90th percentile is the second greatest, of ten to
//!   nineteen the third.

use super::{Congestion, Maker, Reduction, Response, Startup, copies};
use crate::entry::{Certainty, Entry};
use crate::params::{Number, Params, SpecError};
use crate::signals::{Ack, Idle};
use crate::slow_start::{self, SlowStart};
use crate::{Duration, Rate, Reason, Segments, Window, joined, params};

/// Entry of `circuit-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "circuit-start",
    title: "CircuitStart",
    source: "Döpmann, Tschorsch: CircuitStart, SIGCOMM 2018 (poster); nstor tor-bktap.cc",
    year: 2018,
    opened: "abstract of the poster; code: github.com/cdoepmann/nstor at 49df172, \
             src/tor/model/tor-bktap.cc and .h",
    compared: "both exit tests, choice of the round-trip time, doubling, window at exit, loss and \
               timeout",
    summary: "Doubles the window round by round until a queue is felt, then keeps what was \
              acknowledged since the last doubling.",
    params: joined![
        Settings::PARAMS,
        &[
            slow_start::Settings::iw.default("2pkt").spec,
            slow_start::Settings::growth.spec,
            slow_start::Settings::limit.spec,
            slow_start::Settings::ssthresh.spec,
            slow_start::Settings::growth_gate.spec
        ]
    ],
    needs: &[],
    certainty: Certainty::Code,
    build: |params, _| Ok(copies(CircuitStart::new(params)?)),
};

params! {
    /// Parameters; those of slow start apply after a timeout.
    pub struct Settings {
        /// the startup ends when more segments than these wait in queues
        gamma: Segments = "2",
        /// which round-trip time of a round is its currentRtt
        sample: SampleRule = "percentile",
        /// sample=percentile: the percentile of the round's samples, 1 to 100
        #[within(1.0..=100.0)]
        percentile: Number = "90",
        /// the window is at most this payload rate times the baseRtt, and reaching that ends the
        /// startup
        #[usual("none")]
        burst_rate: Option<Rate>,
        /// what a loss during the startup does: standard, the avoidance's reduction; none, it ends
        /// the startup and leaves the window unchanged
        response: LossRule = "standard",
    }

    pub enum SampleRule { Percentile = "percentile", Least = "least", Latest = "latest" }
    pub enum LossRule { Standard = "standard", None = "none" }
}

/// A round with fewer samples than these continues.
const ENOUGH: usize = 3;
/// The minimum window after the exit.
const FLOOR: Segments = 2.0;

/// Segments in excess: what Vegas takes to wait in queues.
fn diff(cwnd: Segments, current: Duration, base: Duration) -> Segments {
    cwnd * current.saturating_sub(base).nanos() as f64 / base.nanos().max(1) as f64
}

/// Which of a round's samples is its currentRtt.
#[derive(Clone, Copy, Debug)]
enum Sample {
    Percentile(f64),
    Least,
    Latest,
}

/// Round-trip times of a round, in rising order.
#[derive(Clone, Debug, Default)]
struct Samples {
    sorted: Vec<Duration>,
    latest: Duration,
}

impl Samples {
    fn add(&mut self, rtt: Duration) {
        let at = self.sorted.partition_point(|sample| *sample <= rtt);
        self.sorted.insert(at, rtt);
        self.latest = rtt;
    }

    fn clear(&mut self) {
        self.sorted.clear();
    }

    /// The round's currentRtt, if it has enough samples to have one.
    fn current(&self, sample: Sample) -> Option<Duration> {
        let count = self.sorted.len();
        if count < ENOUGH {
            return None;
        }
        Some(match sample {
            Sample::Least => self.sorted[0],
            Sample::Latest => self.latest,
            Sample::Percentile(percentile) => {
                let greater = (count as f64 * (100.0 - percentile) / 100.0 + 1.0) as usize;
                self.sorted[count - 1 - greater.min(count - 1)]
            }
        })
    }
}

/// State of CircuitStart on one connection.
#[derive(Clone)]
struct CircuitStart {
    gamma: Segments,
    sample: Sample,
    burst_rate: Option<Rate>,
    reduces: bool,
    base: Option<Duration>,
    samples: Samples,
    /// The round is over when this byte is acknowledged.
    beg_seq: u64,
    /// What was acknowledged when the window last doubled.
    inc_seq: Option<u64>,
    /// A loss or a timeout has ended it.
    over: bool,
}

impl CircuitStart {
    fn new(params: &Params) -> Result<CircuitStart, SpecError> {
        let settings = Settings::read(params)?;
        let percentile = settings.sample == SampleRule::Percentile;
        params.effective(&Settings::percentile, percentile, "`sample=percentile`")?;
        Ok(CircuitStart {
            gamma: settings.gamma,
            sample: match settings.sample {
                SampleRule::Least => Sample::Least,
                SampleRule::Latest => Sample::Latest,
                SampleRule::Percentile => Sample::Percentile(settings.percentile),
            },
            burst_rate: settings.burst_rate,
            reduces: settings.response == LossRule::Standard,
            base: None,
            samples: Samples::default(),
            beg_seq: 0,
            inc_seq: None,
            over: false,
        })
    }

    fn measure(&mut self, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
            self.samples.add(rtt);
        }
    }

    /// Whether more than gamma segments wait in queues.
    fn is_full(&self, w: &Window) -> bool {
        let current = self.samples.current(self.sample);
        let excess = current
            .zip(self.base)
            .map(|(rtt, base)| diff(w.cwnd, rtt, base));
        excess.is_some_and(|excess| excess > self.gamma)
    }

    /// The window has overshot: back to what has got through since it last doubled.
    fn compensate(&self, w: &mut Window, una: u64) {
        if let Some(inc_seq) = self.inc_seq {
            let passed = w.segments(una.saturating_sub(inc_seq));
            w.cwnd = passed.max(FLOOR).min(w.cwnd);
        }
        w.ssthresh = w.cwnd;
    }

    /// The end of a round; true where the window is as large as the rate limit lets it be.
    fn double(&mut self, w: &mut Window, una: u64) -> bool {
        let bytes = self
            .burst_rate
            .zip(self.base)
            .map(|(rate, base)| rate.bytes_in(base));
        let limit = bytes.map_or(f64::INFINITY, |bytes| w.segments(bytes).floor());
        let doubled = (2.0 * w.cwnd).min(limit).min(w.ssthresh);
        w.cwnd = doubled.max(w.cwnd);
        self.inc_seq = Some(una);
        w.cwnd >= limit
    }

    fn restart_round(&mut self) {
        self.samples.clear();
        self.inc_seq = None;
    }
}

impl Startup for CircuitStart {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if self.over {
            slow_start.grow(w, a);
            return None;
        }
        slow_start.leave_unused(a);
        self.measure(a.rtt);
        if self.is_full(w) {
            self.compensate(w, a.una);
            return Some(Reason::Delay);
        }
        if a.una <= self.beg_seq || self.samples.sorted.len() < ENOUGH {
            return None;
        }
        self.beg_seq = a.nxt;
        self.samples.clear();
        if a.cwnd_limited && self.double(w, a.una) {
            w.ssthresh = w.cwnd;
            return Some(Reason::Estimate);
        }
        None
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        let keeps_window = !self.over && !self.reduces && !c.is_timeout();
        self.over = true;
        self.restart_round();
        if !keeps_window {
            return Response::STANDARD;
        }
        w.ssthresh = w.cwnd;
        Response::ends(Reduction::Done)
    }

    /// The loss or timeout that ended it was none.
    fn on_spurious(&mut self, _w: &mut Window) -> bool {
        self.over = false;
        true
    }

    fn on_idle(&mut self, _w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        self.restart_round();
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::AlgorithmKind;
    use crate::signals::{Established, Loss, Timeout};
    use crate::testing::{at_ms, ms, slow_start, with_reno};
    use crate::{Convention, Instant};

    const MSS: u64 = 1460;

    fn start(spec: &str) -> CircuitStart {
        let params = Params::parse(AlgorithmKind::STARTUP, "", ENTRY.params, spec).unwrap();
        let mut start = CircuitStart::new(&params).unwrap();
        start.base = Some(ms(50.0));
        start
    }

    /// The window after the round that a window of so many segments fills has been acknowledged one
    /// by one at this round-trip time, and why the startup ended, if it did.
    fn after_round(start: &mut CircuitStart, window: f64, rtt: f64) -> (f64, Option<Reason>) {
        let mut w = Window::new(MSS as u32);
        w.cwnd = window;
        let (from, nxt) = (start.beg_seq, start.beg_seq + window as u64 * MSS);
        let mut una = from;
        while una < nxt {
            una += MSS;
            let ack = Ack {
                una,
                nxt,
                rtt: Some(ms(rtt)),
                ..Ack::of(at_ms(60.0), MSS)
            };
            let reason = start.on_ack(&mut w, &ack, &mut slow_start());
            if reason.is_some() || w.cwnd != window {
                return (w.cwnd, reason);
            }
        }
        (w.cwnd, None)
    }

    #[test]
    fn a_sixth_of_a_window_of_sixteen_above_the_base_lets_it_double() {
        assert!((diff(16.0, ms(55.0), ms(50.0)) - 1.6).abs() < 1e-9);
        assert_eq!(after_round(&mut start(""), 16.0, 55.0), (32.0, None));
    }

    #[test]
    fn the_same_delay_ends_it_at_a_window_of_thirty_two() {
        assert!((diff(32.0, ms(55.0), ms(50.0)) - 3.2).abs() < 1e-9);
        assert_eq!(
            after_round(&mut start(""), 32.0, 55.0).1,
            Some(Reason::Delay)
        );
        let mut patient = start("gamma=4");
        assert_eq!(after_round(&mut patient, 32.0, 55.0), (64.0, None));
    }

    #[test]
    fn an_excess_of_gamma_is_not_more_than_gamma() {
        assert_eq!(diff(20.0, ms(55.0), ms(50.0)), 2.0);
        assert_eq!(after_round(&mut start(""), 20.0, 55.0), (40.0, None));
    }

    #[test]
    fn it_keeps_what_was_acknowledged_since_the_last_doubling() {
        let mut start = start("");
        start.inc_seq = Some(30 * MSS);
        let mut w = Window::new(MSS as u32);
        w.cwnd = 64.0;
        start.compensate(&mut w, 50 * MSS);
        assert_eq!((w.cwnd, w.ssthresh), (20.0, 20.0));
        start.compensate(&mut w, 31 * MSS);
        assert_eq!(w.cwnd, 2.0);
    }

    #[test]
    fn before_the_first_doubling_the_window_stays_where_it_is() {
        assert_eq!(
            after_round(&mut start(""), 32.0, 55.0),
            (32.0, Some(Reason::Delay))
        );
    }

    #[test]
    fn two_samples_say_nothing() {
        let mut start = start("gamma=0");
        assert_eq!(after_round(&mut start, 2.0, 90.0), (2.0, None));
        start.measure(Some(ms(90.0)));
        assert!(start.is_full(&Window::new(MSS as u32)));
    }

    #[test]
    fn a_percentile_is_the_second_greatest_of_few_samples_and_the_third_of_ten() {
        let mut samples = Samples::default();
        (1..=9).for_each(|n| samples.add(Duration::from_millis(n)));
        let ninety = Sample::Percentile(90.0);
        assert_eq!(samples.current(ninety), Some(Duration::from_millis(8)));
        samples.add(Duration::from_millis(5));
        assert_eq!(samples.current(ninety), Some(Duration::from_millis(7)));
        assert_eq!(
            samples.current(Sample::Least),
            Some(Duration::from_millis(1))
        );
        assert_eq!(
            samples.current(Sample::Latest),
            Some(Duration::from_millis(5))
        );
        let first = Sample::Percentile(1.0);
        assert_eq!(samples.current(first), Some(Duration::from_millis(1)));
    }

    #[test]
    fn a_window_at_the_rate_limit_ends_it() {
        // 4 Mbit/s for 50 ms are 25 000 bytes, 17 whole segments.
        let mut limited = start("burst_rate=4Mbps");
        assert_eq!(
            after_round(&mut limited, 10.0, 50.0),
            (17.0, Some(Reason::Estimate))
        );
    }

    #[test]
    fn a_loss_ends_it_and_reduces_the_window_unless_hops_are_to_repair_alone() {
        for (spec, expected) in [("", 10.0), ("response=none", 20.0)] {
            let mut c = with_reno(&ENTRY, spec, Convention::RFC).unwrap();
            let mut w = Window::new(MSS as u32);
            c.on_established(&mut w, &Established::at(Instant::ZERO));
            w.cwnd = 20.0;
            let loss = Loss {
                now: at_ms(60.0),
                flight: 20 * MSS,
                usable: 20.0,
            };
            c.on_loss(&mut w, &loss);
            assert_eq!((w.cwnd, w.ssthresh), (expected, expected));
            assert_eq!(c.exit().unwrap().reason, Reason::Loss);
        }
    }

    #[test]
    fn after_a_timeout_slow_start_leads_back() {
        let mut start = start("");
        let mut w = Window::new(MSS as u32);
        let timeout = Timeout {
            now: at_ms(60.0),
            flight: 20 * MSS,
            usable: 20.0,
            repeated: false,
        };
        start.on_congestion(&mut w, &Congestion::Timeout(timeout));
        start.on_ack(&mut w, &Ack::of(at_ms(70.0), MSS), &mut slow_start());
        assert_eq!(w.cwnd, 2.0);
    }

    #[test]
    fn it_opens_with_two_cells() {
        let mut c = with_reno(&ENTRY, "", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(ms(50.0)),
            ..Established::at(Instant::ZERO)
        };
        c.on_established(&mut w, &e);
        assert_eq!(w.cwnd, 2.0);
    }

    #[test]
    fn a_percentile_without_effect_is_refused() {
        let error = with_reno(&ENTRY, "sample=least,percentile=50", Convention::RFC);
        assert!(
            error.err().unwrap().to_string().ends_with(
                "parameter `percentile` has no effect here; it needs `sample=percentile`"
            )
        );
    }
}
