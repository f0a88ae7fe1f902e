//! Packet-pair start: the spacing of the first ACKs shows where slow start should stop.
//!
//! J. C. Hoe, "Improving the Start-up Behavior of a Congestion Control Scheme for TCP",
//! SIGCOMM 1996. Slow start overshoots because its threshold is arbitrary. Packets that leave
//! back to back are spread out by the slowest link, by the time that it needs for each; their
//! ACKs keep that distance. So the first ACKs give the rate of the bottleneck, the handshake
//! the round-trip time, and their product is the window that fills the path: the threshold at
//! which doubling should end. In a clean network the estimate is exact. On a real one,
//! interrupts, delayed ACKs and queues on the reverse path squeeze ACKs together, and the
//! estimate comes out two or three times too large.
//!
//! `robust` divides by the segments that the ACKs cover and discards ACKs that do not belong
//! to one flight; `closest` continues for as long as slow start does and believes the two ACKs
//! that were closest together, which is right where queues only ever widen gaps and far too
//! large where hosts narrow them; `ns2` is what ns-2's NewReno agent does with `newreno_changes_`: the first
//! two ACKs of data, whatever they cover.
//!
//! # State
//!
//! The round-trip time of the handshake; when the first ACK of a flight came and what it
//! acknowledged; whether the estimate is made.
//!
//! # Contested
//!
//! - The paper's text was not at hand. It fits a line through three ACKs; here the first and
//!   the last count, which agree where ACKs are evenly spaced.
//! - How far an estimate is off depends on the hosts. With interrupts every 60 to 100 us and
//!   packets 120 us apart, `robust` and `ns2` come out between half and twice the rate, a
//!   different one each time; `closest` comes out at 1.6 to 3.2 times, as flows did that were
//!   measured on such hosts.
//! - The threshold is only ever lowered, and before any loss. `robust` keeps it at two
//!   segments or more, `ns2` at one, below which no window falls.
//! - The paper's other change, new segments on duplicate ACKs, is a matter of loss recovery.

use super::{Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established};
use crate::slow_start::SlowStart;
use crate::{
    Convention, Duration, Family, Instant, Reason, Segments, Window, params, with_slow_start,
};

/// Entry of `packet-pair-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "packet-pair-start",
    title: "Packet-pair start (Hoe)",
    source: "Hoe: Improving the Start-up Behavior of a Congestion Control Scheme for TCP, \
             SIGCOMM 1996; ns-2 NewRenoTcpAgent, newreno_changes_",
    year: 1996,
    opened: "code: ns-2.35 NewRenoTcpAgent; what two papers say of the rule",
    compared: "estimate from three ACKs, threshold",
    summary: "Slow start with a threshold that the spacing of the first ACKs and the round-trip \
              time give.",
    params: with_slow_start!(Settings),
    needs: &[],
    certainty: Certainty::Derived,
    build: |params, convention| Ok(copies(PacketPairStart::new(params, convention)?)),
};

params! {
    pub struct Settings {
        /// how ACKs become a window: robust, by the segments they cover, within one flight;
        /// closest, by the two consecutive ACKs that were closest together for what they cover;
        /// ns2, the time between the first two ACKs, whatever they cover
        #[usual("by stack: ns2 under ns2, otherwise robust")]
        variant: Option<Variant>,
        /// variant=robust: so many ACKs of one flight make an estimate, fewer if it is shorter
        #[within(2..=1_000_000)]
        acks: u32 = "3",
    }

    pub enum Variant { Robust = "robust", Closest = "closest", Ns2 = "ns2" }
}

/// The first ACK of a flight.
#[derive(Clone, Copy, Debug)]
struct First {
    at: Instant,
    una: u64,
    flight_end: u64,
    /// ACKs of this flight so far.
    acks: u32,
}

/// When ACKs came and what had been acknowledged by then: at the last instant and at the one
/// before. ACKs that come at one instant are one.
#[derive(Clone, Copy, Debug, Default)]
struct Instants {
    before: Option<(Instant, u64)>,
    last: Option<(Instant, u64)>,
    flight_end: u64,
}

/// State of Packet-pair start on one connection.
#[derive(Clone)]
struct PacketPairStart {
    variant: Variant,
    acks: u32,
    base_rtt: Option<Duration>,
    first: Option<First>,
    /// The last two instants of the flight at which ACKs came.
    instants: Instants,
    /// The largest estimate so far.
    best: Segments,
    done: bool,
}

impl PacketPairStart {
    fn new(params: &Params, convention: Convention) -> Result<PacketPairStart, SpecError> {
        let settings = Settings::read(params)?;
        let variant = settings.variant.unwrap_or(match convention.family {
            Family::Ns2 => Variant::Ns2,
            _ => Variant::Robust,
        });
        let robust = matches!(variant, Variant::Robust);
        params.effective(&Settings::acks, robust, "`variant=robust`")?;
        Ok(PacketPairStart {
            variant,
            acks: settings.acks,
            base_rtt: None,
            first: None,
            instants: Instants::default(),
            best: 0.0,
            done: false,
        })
    }

    /// The window that fills the path, once enough ACKs are in.
    fn estimate(&mut self, w: &Window, a: &Ack) -> Option<Segments> {
        let base = self.base_rtt?;
        match self.variant {
            Variant::Closest => self.closest(base, w, a),
            Variant::Robust | Variant::Ns2 => self.first_flight(base, w, a),
        }
    }

    fn first_flight(&mut self, base: Duration, w: &Window, a: &Ack) -> Option<Segments> {
        let ns2 = self.variant == Variant::Ns2;
        let first = match &mut self.first {
            Some(first) if ns2 || a.una <= first.flight_end => first,
            first => {
                let (at, una, flight_end) = (a.now, a.una, a.nxt);
                *first = Some(First {
                    at,
                    una,
                    flight_end,
                    acks: 1,
                });
                return None;
            }
        };
        first.acks += 1;
        let span = a.now.since(first.at);
        if ns2 {
            self.done = true;
            return window(base, span, 1).map(|w| w.max(1.0));
        }
        let enough = first.acks >= self.acks || a.una == first.flight_end;
        self.done = enough && together(span, base);
        if !self.done {
            return None;
        }
        let covered = (a.una - first.una).div_ceil(u64::from(w.mss));
        window(base, span, covered).map(|w| w.max(2.0))
    }

    fn closest(&mut self, base: Duration, w: &Window, a: &Ack) -> Option<Segments> {
        let i = &mut self.instants;
        if a.una > i.flight_end {
            *i = Instants {
                flight_end: a.nxt,
                ..Instants::default()
            };
        } else if i.last.is_some_and(|(at, _)| at < a.now) {
            i.before = i.last;
        }
        i.last = Some((a.now, a.una));
        let (at, una) = i.before?;
        let span = a.now.since(at);
        if !together(span, base) {
            return None;
        }
        let covered = (a.una - una).div_ceil(u64::from(w.mss));
        self.best = self.best.max(window(base, span, covered)?.max(2.0));
        Some(self.best)
    }

    fn cancel(&mut self, _w: &mut Window) {
        self.done = true;
    }
}

/// ACKs farther apart are not those of packets that left together.
fn together(span: Duration, base: Duration) -> bool {
    span > Duration::ZERO && span < base.over(2)
}

/// Whole segments that pass in `base` where so many take `span`.
fn window(base: Duration, span: Duration, segments: u64) -> Option<Segments> {
    let passed = u128::from(base.nanos()) * u128::from(segments);
    let whole = passed.checked_div(u128::from(span.nanos()))?;
    Some(whole as f64)
}

impl Startup for PacketPairStart {
    fn on_established(&mut self, _w: &mut Window, e: &Established) {
        self.base_rtt = e.rtt;
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if !self.done
            && let Some(estimate) = self.estimate(w, a)
        {
            w.ssthresh = if self.variant == Variant::Closest {
                estimate
            } else {
                w.ssthresh.min(estimate)
            };
            if !w.in_slow_start() {
                slow_start.leave_unused(a);
                return Some(Reason::Estimate);
            }
        }
        slow_start.grow(w, a);
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
    use crate::catalog;
    use crate::signals::Loss;
    use crate::testing::{Bottleneck, established};

    const MSS: u64 = 1460;

    /// The threshold after ACKs of so many segments each, so far apart, in a first flight of
    /// ten; the handshake took 100 ms.
    fn threshold(spec: &str, covered: u64, spacing: Duration, count: u64) -> f64 {
        let spec = format!("packet-pair-start:{spec}");
        let (mut c, mut w) = established(&spec, Convention::RFC);
        for number in 1..=count {
            let ack = Ack {
                una: number * covered * MSS,
                nxt: 10 * MSS,
                ..Ack::of(
                    Instant::from_millis(200) + spacing.times(number),
                    covered * MSS,
                )
            };
            c.on_ack(&mut w, &ack);
        }
        w.ssthresh
    }

    #[test]
    fn spacing_becomes_a_window() {
        let us = Duration::from_micros;
        for (spacing, window) in [(1_200, 83.0), (120, 833.0)] {
            assert_eq!(threshold("variant=ns2", 1, us(spacing), 2), window);
            assert_eq!(threshold("", 1, us(spacing), 3), window);
        }
        assert_eq!(threshold("variant=ns2", 2, us(2_400), 2), 41.0);
        assert_eq!(threshold("", 2, us(2_400), 3), 83.0);
        assert_eq!(threshold("variant=ns2", 1, us(100_000), 2), 1.0);
        assert_eq!(threshold("", 1, us(100_000), 10), f64::INFINITY);
        assert_eq!(threshold("acks=2", 1, us(60_000), 10), f64::INFINITY);
    }

    #[test]
    fn the_closest_acks_count_and_raise_the_estimate() {
        let (mut c, mut w) = established("packet-pair-start:variant=closest", Convention::RFC);
        let mut at = |us: u64, number: u64| {
            let ack = Ack {
                una: number * MSS,
                nxt: 10 * MSS,
                ..Ack::of(Instant::from_micros(200_000 + us), MSS)
            };
            c.on_ack(&mut w, &ack);
            w.ssthresh
        };
        assert_eq!(at(0, 1), f64::INFINITY);
        assert_eq!(at(1_200, 2), 83.0);
        assert_eq!(at(2_900, 3), 83.0);
        assert_eq!(at(3_400, 4), 200.0);
        assert_eq!(at(4_600, 6), 200.0);
    }

    #[test]
    fn a_short_flight_gives_what_it_has() {
        assert_eq!(threshold("", 5, Duration::from_millis(6), 2), 83.0);
        assert_eq!(
            threshold("acks=4", 2, Duration::from_micros(2_400), 3),
            f64::INFINITY
        );
    }

    #[test]
    fn acks_at_one_instant_tell_nothing() {
        assert_eq!(threshold("", 1, Duration::ZERO, 9), f64::INFINITY);
        assert_eq!(
            threshold("variant=ns2", 1, Duration::ZERO, 9),
            f64::INFINITY
        );
    }

    #[test]
    fn an_estimate_below_the_window_ends_it() {
        let (mut c, mut w) = established("packet-pair-start", Convention::RFC);
        for number in 1..=3 {
            let ack = Ack {
                una: number * MSS,
                nxt: 10 * MSS,
                ..Ack::of(Instant::from_millis(200 + 20 * number), MSS)
            };
            c.on_ack(&mut w, &ack);
        }
        assert_eq!((w.cwnd, w.ssthresh), (12.0, 5.0));
        assert_eq!(c.exit().unwrap().reason, Reason::Estimate);
    }

    /// ns-2 with a first window of three: the same windows a handshake later.
    #[test]
    fn ns2_over_10_mbps_and_100_ms() {
        let path = Bottleneck {
            transmission: Duration::from_micros(1_200),
            rtt: Duration::from_nanos(101_234_464),
        };
        let spec = "packet-pair-start:iw=3";
        let steps = path.run(spec, "reno", Convention::NS2, 3_000, |_, _| {});
        let handshake = Duration::from_nanos(100_035_200);
        let expected = [3.0, 6.0, 12.0, 24.0, 48.0, 83.16, 84.09, 85.06, 86.02];
        for (number, cwnd) in expected.into_iter().enumerate() {
            let t = Instant::from_millis(100 * (number as u64 + 2)).saturating_sub(handshake);
            let last = steps.iter().take_while(|s| s.at <= t).last();
            let found = last.map_or(3.0, |s| s.cwnd);
            assert!((found - cwnd).abs() < 0.02, "{found} is not {cwnd} at {t}");
        }
        let end = steps[2_999].at + handshake;
        assert!((end.secs() - 4.1967).abs() < 1e-3, "{end}");
    }

    #[test]
    fn after_a_loss_nothing_is_estimated() {
        let (mut c, mut w) = established("packet-pair-start", Convention::RFC);
        let loss = Loss {
            now: Instant::ZERO,
            flight: 10 * MSS,
            usable: 10.0,
        };
        c.on_loss(&mut w, &loss);
        w.ssthresh = 100.0;
        for number in 1..=3 {
            let ack = Ack {
                una: number * MSS,
                nxt: 10 * MSS,
                ..Ack::of(Instant::from_millis(200 + number), MSS)
            };
            c.on_ack(&mut w, &ack);
        }
        assert_eq!(w.ssthresh, 100.0);
    }

    #[test]
    fn one_ack_is_no_pair() {
        let error = catalog::controller("packet-pair-start:acks=1", "reno", Convention::RFC);
        assert_eq!(
            error.err().unwrap().to_string(),
            "startup `packet-pair-start`: parameter `acks`: `1` is not a whole number from 2 to \
             1000000"
        );
    }
}
