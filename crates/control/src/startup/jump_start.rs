//! Jump Start: no startup phase; all data leaves in the first round trip.
//!
//! D. Liu, M. Allman, S. Jin, L. Wang, "Congestion Control Without a Startup Phase",
//! PFLDnet 2007. Most transfers are short, and slow start spends their life on probing.
//! Jump Start does not probe: after the handshake it paces everything that the application
//! has queued and the receiver will take evenly over one round-trip time, as it was measured in
//! the handshake. Then ordinary congestion control continues. If the path could not take the
//! flight, the window after the recovery is set to half of what the path did deliver,
//! `(D - R)/2` with `R` the retransmissions (§II): a rule that RFC 7661 §4.4.1 took over.
//!
//! # State
//!
//! The paper's `D`; what has been sent of it; whether it is being sent, watched for
//! loss, or recovered.
//!
//! # Deviations
//!
//! - `max_d`, since an endless source and an unlimited receiver give no `D`.
//! - `(D - R)/2` is garbled in the copies at hand; the sentence around it and RFC 7661 settle it.
//!
//! # What bounds an endless source
//!
//! The paper's D is the lesser of the receiver's window and the data queued. For a source
//! without end and a receiver without limit that is no number, so `max_d` bounds it: by
//! the 10 000 packets that the paper's own receivers advertise.
//!
//! The window of a SYN-ACK is not scaled (RFC 7323 §2.2): a sender that has opened the connection to
//! a receiver with scaled windows has 65 535 bytes of it, and its flight is no larger. On a connection
//! that is open already, as every replayed transfer's is, the whole window is known.

use super::{Congestion, Maker, Repaired, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::signals::{Ack, Established, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{Duration, Rate, Reason, Segments, Window, params, with_slow_start};

/// Entry of `jump-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "jump-start",
    title: "Jump Start",
    source: "Liu, Allman, Jin, Wang: Congestion Control Without a Startup Phase, PFLDnet 2007",
    year: 2007,
    opened: "text: the paper, PFLDnet 2007",
    compared: "first flight, its pace, its end, window after loss, tags for routers",
    summary: "Paces all queued data over the first round trip, then ordinary TCP; after a loss \
              half of what got through.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Text,
    build: |params, _| Ok(copies(JumpStart::new(Settings::read(params)?))),
};

params! {
    /// Parameters; those of slow start apply after the first flight.
    pub struct Settings {
        /// at most so many segments in the first flight, the receiver's window in the paper;
        /// without it the flight of an endless source would have no size
        #[check(
            |max_d| (1.0..=1e9).contains(&max_d),
            "a number from 1 to 1e9; the flight of an endless source needs a bound"
        )]
        max_d: Segments = "10000",
        /// a policy: the first flight leaves at this rate at most, headers included
        #[usual("none")]
        cap_rate: Option<Rate>,
        /// a policy: the first flight carries no more than would deliver the queued data within
        /// this time
        #[usual("none")]
        #[check(|time| time > Duration::ZERO, "a time above zero")]
        target_time: Option<Duration>,
        /// whether a flight that fits the initial window is sent at once, unpaced (the paper's
        /// footnote 3)
        iw_refinement: bool = "false",
        /// which packets of a flight larger than the initial window are tagged for routers to drop
        /// first: all of it (the paper's words), or what exceeds the initial window
        flag: Flag = "all",
        /// the time between packets; only rtt/d gives the paper's Fig. 1
        gap: Gap = "rtt/d",
    }

    pub enum Flag { All = "all", Excess = "excess" }
    pub enum Gap { OverD = "rtt/d", OverLessOne = "rtt/(d-1)" }
}

/// Phases of the first flight in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Js {
    Off,
    /// The first flight is being sent.
    Pacing,
    /// It has left; a loss may still be in it.
    Watch,
    /// A loss in it is being recovered.
    Recovery,
}

/// What else than the receiver and the application limits the flight (§IV.D).
#[derive(Clone, Copy, Debug)]
struct FlightLimits {
    max_d: Segments,
    cap_rate: Option<Rate>,
    target_time: Option<Duration>,
}

/// State of Jump Start on one connection.
#[derive(Clone)]
struct JumpStart {
    limits: FlightLimits,
    iw_refinement: bool,
    flag_all: bool,
    intervals_less_one: bool,
    js: Js,
    /// The paper's D in bytes: the last segment may be short.
    flight: u64,
    sent: u64,
    /// `js_end_seq`: the flight ends before this byte.
    end: u64,
    /// Bytes that the initial window would have let out untagged.
    untagged: u64,
}

impl JumpStart {
    fn new(settings: Settings) -> JumpStart {
        JumpStart {
            limits: FlightLimits {
                max_d: settings.max_d,
                cap_rate: settings.cap_rate,
                target_time: settings.target_time,
            },
            iw_refinement: settings.iw_refinement,
            flag_all: settings.flag == Flag::All,
            intervals_less_one: settings.gap == Gap::OverLessOne,
            js: Js::Off,
            flight: 0,
            sent: 0,
            end: 0,
            untagged: 0,
        }
    }

    /// What has been sent of the flight, the paper's D once it is out, in segments.
    fn d_sent(&self, w: &Window) -> Segments {
        self.sent.div_ceil(u64::from(w.mss)) as f64
    }

    fn begin(&mut self, w: &mut Window, e: &Established, rtt: Duration) {
        let d = self.limits.flight(w.mss, e, rtt);
        let initial = e.initial_window;
        if self.iw_refinement && d <= initial {
            return;
        }
        self.js = Js::Pacing;
        self.flight = ((d * f64::from(w.mss)) as u64).min(e.queued);
        // §IV.E: tags show that the flight is larger than an initial window.
        let mss = f64::from(w.mss);
        self.untagged = if self.flag_all {
            0
        } else {
            (initial * mss) as u64
        };
        w.tags.startup_excess = d > initial && self.untagged == 0;
        w.cwnd = d;
        let intervals = if self.intervals_less_one { d - 1.0 } else { d };
        // One packet per gap, so as many as there are gaps in one RTT. Computed at once, so
        // that no rounding of a gap adds up.
        w.pacing = w.rate_over(intervals.floor(), Duration::ZERO + rtt);
    }

    fn stop(&mut self, w: &mut Window, next: Js) {
        self.js = next;
        w.pacing = None;
        w.tags.startup_excess = false;
    }

    /// The flight is out as far as it goes: the window becomes what the network was given.
    fn hand_over(&mut self, w: &mut Window) {
        w.cwnd = self.d_sent(w).min(w.cwnd).max(1.0);
        self.stop(w, Js::Watch);
    }
}

impl FlightLimits {
    /// D: the minimum of the data queued, the receiver's window and the policies; at least
    /// one segment, since a policy must not silence a connection.
    fn flight(&self, mss: u32, e: &Established, rtt: Duration) -> Segments {
        // The last segment of the data may be short; one cut short by the receiver's window
        // would wait for it to open.
        let segment = u64::from(mss);
        let available = e.queued.div_ceil(segment).min(e.peer_window / segment);
        let mut d = (available as f64).min(self.max_d.floor());
        if let Some(rate) = self.cap_rate {
            let packets = rate.bytes_in(rtt) / u64::from(mss + e.header);
            d = d.min(packets as f64);
        }
        if let (Some(target), true) = (self.target_time, e.queued < u64::MAX) {
            let queued = u128::from(e.queued.div_ceil(segment));
            let share = (queued * u128::from(rtt.nanos())).div_ceil(u128::from(target.nanos()));
            d = d.min(share as f64);
        }
        d.max(1.0)
    }
}

impl Startup for JumpStart {
    /// §II. Without an RTT there is nothing to pace over: a SYN was sent more than once,
    /// so the handshake gives no unambiguous sample (Karn), and the path may already be
    /// congested. The ordinary initial window is used then.
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        if let Some(rtt) = e.rtt {
            self.begin(w, e, rtt);
        }
    }

    /// §II: over when all D packets are out, or with the first ACK.
    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        if self.js != Js::Pacing || s.retransmission {
            return None;
        }
        self.sent += u64::from(s.bytes);
        self.end = self.end.max(s.seq + u64::from(s.bytes));
        if self.untagged > 0 {
            w.tags.startup_excess = self.sent >= self.untagged && self.flight > self.untagged;
        }
        if self.sent < self.flight {
            return None;
        }
        self.hand_over(w);
        Some(Reason::AllSent)
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        let first = self.js == Js::Pacing;
        if first {
            self.hand_over(w);
        }
        if self.js == Js::Watch && a.una >= self.end {
            self.js = Js::Off;
        }
        slow_start.grow(w, a);
        first.then_some(Reason::FirstAck)
    }

    /// §II: the usual reduction now, a second one when the recovery shows how much was
    /// lost. §IV.F: a timeout is answered as ever.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        match self.js {
            _ if c.is_timeout() => self.stop(w, Js::Off),
            Js::Pacing | Js::Watch => self.stop(w, Js::Recovery),
            Js::Recovery | Js::Off => self.js = Js::Off,
        }
        Response::STANDARD
    }

    /// §II: half of what the network delivered. R counts distinct segments; one sent three
    /// times was still lost once from the flight. (The formula is garbled in the copies at
    /// hand; the sentence around it and RFC 7661 settle it.)
    fn on_recovered(&mut self, w: &mut Window, r: &Recovered) -> Repaired {
        if self.js != Js::Recovery {
            return Repaired::Continues;
        }
        self.js = Js::Off;
        let delivered = self.d_sent(w) - w.segments(r.retransmitted);
        w.cwnd = (delivered / 2.0).max(1.0);
        w.ssthresh = w.cwnd.max(2.0);
        Repaired::Continues
    }

    /// While the flight leaves it is this startup's, whatever the threshold is.
    fn in_charge(&self, w: &Window) -> bool {
        self.js == Js::Pacing || w.in_slow_start()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::{Loss, Timeout};
    use crate::{Controller, Convention, Instant, catalog};

    const MSS: u64 = 1460;
    const RTT: Duration = Duration::from_millis(64);

    fn established(spec: &str, queued: u64) -> (Controller, Window) {
        let mut c = catalog::controller(spec, "reno", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 3.0,
            rtt: Some(RTT),
            queued,
            peer_window: 10_000 * MSS,
            ..Established::at(Instant::ZERO + RTT)
        };
        c.on_established(&mut w, &e);
        (c, w)
    }

    fn sent(number: u64, bytes: u32) -> Sent {
        let (seq, flight) = ((number - 1) * MSS, number * MSS);
        Sent {
            now: Instant::ZERO + RTT,
            bytes,
            seq,
            retransmission: false,
            flight,
        }
    }

    fn send(c: &mut Controller, w: &mut Window, packets: std::ops::RangeInclusive<u64>) {
        for number in packets {
            c.on_sent(w, &sent(number, MSS as u32));
        }
    }

    /// The flight of D packets loses R of them.
    fn after_recovery(d: u64, r: u64) -> (f64, f64) {
        let (mut c, mut w) = established("jump-start", d * MSS);
        send(&mut c, &mut w, 1..=d);
        c.on_loss(
            &mut w,
            &Loss {
                now: Instant::ZERO + RTT,
                flight: d * MSS,
                usable: d as f64,
            },
        );
        assert_eq!(
            (w.cwnd, w.ssthresh),
            ((d as f64 / 2.0).max(2.0), (d as f64 / 2.0).max(2.0))
        );
        c.on_recovered(
            &mut w,
            &Recovered {
                now: Instant::ZERO + RTT,
                retransmitted: r * MSS,
                flight: 0,
            },
        );
        (w.cwnd, w.ssthresh)
    }

    #[test]
    fn the_window_after_recovery_is_half_of_what_got_through() {
        assert_eq!(after_recovery(100, 50), (25.0, 25.0));
        assert_eq!(after_recovery(128, 42), (43.0, 43.0));
        assert_eq!(after_recovery(10, 10), (1.0, 2.0));
        assert_eq!(after_recovery(87, 1), (43.0, 43.0));
    }

    fn gap(spec: &str, d: u64) -> Duration {
        let (_, w) = established(spec, d * MSS);
        assert_eq!(w.cwnd, d as f64);
        w.pacing.unwrap().time_for(MSS + 40)
    }

    #[test]
    fn the_flight_is_spread_over_one_round_trip() {
        assert_eq!(gap("jump-start", 2), Duration::from_millis(32));
        assert_eq!(gap("jump-start", 64), Duration::from_millis(1));
        assert_eq!(
            gap("jump-start:gap=rtt/(d-1)", 2),
            Duration::from_millis(64)
        );
        assert_eq!(
            gap("jump-start:gap=rtt/(d-1)", 65),
            Duration::from_millis(1)
        );
        // A single packet has no gap.
        let (_, w) = established("jump-start:gap=rtt/(d-1)", MSS);
        assert_eq!((w.cwnd, w.pacing), (1.0, None));
    }

    fn d(spec: &str, packets: u64) -> f64 {
        established(spec, packets * MSS).1.cwnd
    }

    #[test]
    fn policies_cap_the_flight() {
        assert_eq!(d("jump-start:cap_rate=500kbps", 200), 2.0);
        assert_eq!(d("jump-start:cap_rate=1kbps", 200), 1.0);
        assert_eq!(d("jump-start:target_time=500ms", 200), 26.0);
        assert_eq!(d("jump-start:max_d=50", 200), 50.0);
        assert_eq!(d("jump-start", 20_000), 10_000.0);
    }

    #[test]
    fn an_endless_source_needs_the_bound() {
        let (_, w) = established("jump-start:max_d=77", u64::MAX);
        assert_eq!(w.cwnd, 77.0);
        for max_d in ["unlimited", "0"] {
            let error = catalog::controller(
                &format!("jump-start:max_d={max_d}"),
                "reno",
                Convention::RFC,
            );
            let text = error.err().unwrap().to_string();
            assert!(text.starts_with(&format!(
                "startup `jump-start`: parameter `max_d`: `{max_d}`"
            )));
        }
    }

    #[test]
    fn the_refinement_sends_small_flights_at_once() {
        let (_, w) = established("jump-start:iw_refinement=true", 3 * MSS);
        assert_eq!((w.cwnd, w.pacing), (3.0, None));
        let (_, w) = established("jump-start:iw_refinement=true", 4 * MSS);
        assert_eq!(w.cwnd, 4.0);
        assert!(w.pacing.is_some());
    }

    #[test]
    fn pacing_ends_when_all_is_sent() {
        // Three segments and a short one.
        let (mut c, mut w) = established("jump-start", 3 * MSS + 100);
        assert_eq!(w.cwnd, 4.0);
        send(&mut c, &mut w, 1..=3);
        assert!(w.pacing.is_some() && c.exit().is_none());
        c.on_sent(&mut w, &sent(4, 100));
        assert_eq!((w.pacing, w.cwnd, w.ssthresh), (None, 4.0, f64::INFINITY));
        let exit = c.exit().unwrap();
        assert_eq!((exit.reason, exit.cwnd), (Reason::AllSent, 4.0));
        // Ordinary slow start from here.
        c.on_ack(&mut w, &Ack::of(Instant::ZERO + RTT, MSS));
        assert_eq!(w.cwnd, 5.0);
    }

    #[test]
    fn pacing_ends_with_the_first_ack() {
        let (mut c, mut w) = established("jump-start", 100 * MSS);
        send(&mut c, &mut w, 1..=40);
        c.on_ack(&mut w, &Ack::of(Instant::ZERO + RTT.times(2), MSS));
        // What was sent, and one for the ACK.
        assert_eq!((w.pacing, w.cwnd), (None, 41.0));
        let exit = c.exit().unwrap();
        assert_eq!((exit.reason, exit.cwnd), (Reason::FirstAck, 100.0));
    }

    #[test]
    fn marks_cover_the_flight_or_its_excess() {
        let tags = |spec: &str, packets: u64| -> Vec<bool> {
            let (mut c, mut w) = established(spec, packets * MSS);
            (1..=packets)
                .map(|number| {
                    let tag = w.tags.startup_excess;
                    send(&mut c, &mut w, number..=number);
                    tag
                })
                .chain(std::iter::once_with(|| false))
                .collect()
        };
        assert_eq!(tags("jump-start", 5), [true, true, true, true, true, false]);
        assert_eq!(tags("jump-start", 3), [false; 4]);
        let excess = tags("jump-start:flag=excess", 5);
        assert_eq!(excess, [false, false, false, true, true, false]);
        assert_eq!(tags("jump-start:flag=excess", 3), [false; 4]);
        let (mut c, mut w) = established("jump-start", 5 * MSS);
        send(&mut c, &mut w, 1..=5);
        assert!(!w.tags.startup_excess);
    }

    #[test]
    fn without_a_round_trip_time_it_is_slow_start() {
        let mut c = catalog::controller("jump-start", "reno", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 1.0,
            ..Established::at(Instant::ZERO + RTT)
        };
        c.on_established(&mut w, &e);
        assert_eq!((w.cwnd, w.pacing), (1.0, None));
    }

    #[test]
    fn a_timeout_ends_it() {
        let (mut c, mut w) = established("jump-start", 100 * MSS);
        send(&mut c, &mut w, 1..=40);
        let timeout = Timeout {
            now: Instant::ZERO + RTT,
            flight: 40 * MSS,
            usable: 40.0,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        assert_eq!((w.cwnd, w.ssthresh, w.pacing), (1.0, 20.0, None));
        assert!(!w.tags.startup_excess);
        c.on_recovered(
            &mut w,
            &Recovered {
                now: Instant::ZERO + RTT,
                retransmitted: 0,
                flight: 0,
            },
        );
        assert_eq!(w.cwnd, 1.0);
    }

    #[test]
    fn a_loss_after_the_flight_is_acknowledged_is_plain_tcp() {
        let (mut c, mut w) = established("jump-start", 4 * MSS);
        send(&mut c, &mut w, 1..=4);
        c.on_ack(&mut w, &Ack::of(Instant::ZERO + RTT, 4 * MSS));
        c.on_loss(
            &mut w,
            &Loss {
                now: Instant::ZERO + RTT,
                flight: 20 * MSS,
                usable: 20.0,
            },
        );
        c.on_recovered(
            &mut w,
            &Recovered {
                now: Instant::ZERO + RTT,
                retransmitted: MSS,
                flight: 0,
            },
        );
        assert_eq!(w.cwnd, 10.0);
    }
}
