//! Fast start: begin with the window that was right last time, at others' convenience.
//!
//! V. Padmanabhan and R. Katz, "TCP Fast Start: A Technique for Speeding Up Web Transfers",
//! GLOBECOM 1998; rules after ns-2's `tcp-fs.cc`, written by its first author. Web transfers
//! come in bursts, and each slow start learns the same path anew. Fast start remembers: after
//! an idle period, or on a new connection to the same peer, it sends the last window that is
//! known to have been safe, paced over the last round-trip time. As the memory may be stale,
//! all but the first of these segments are tagged, so that routers drop them before anything
//! else, and the attempt is given up early: by a timer without the usual minimum, or as soon
//! as more than one segment of the flight proves lost. Then slow start begins as if nothing
//! had been sent.
//!
//! # State
//!
//! Whether the flight is out, `fs_mode`, and its range; a round-trip time and its variation
//! without the coarse clock; the threshold as it was before the flight was lost.
//!
//! # Contested
//!
//! - ns-2's agent can send bursts, so far apart that they fill a round trip, but by default
//!   sends the flight at once; here it is paced segment by segment at the same rate.
//! - ns-2's averages never change after their first sample, as its gains round to zero; here
//!   they are those of RFC 6298.
//! - A second loss is known when recovery has ended, one round trip later than ns-2's partial
//!   ACK shows it.
//! - How long a memory stays good is the cache's business; ten minutes are usual.

use super::{Assisted, Congestion, Maker, Reduction, Repaired, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established, Idle, PathInfo, PathMemory, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{Convention, Duration, Family, Reason, Segments, Window, params, with_slow_start};

/// Entry of `fast-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "fast-start",
    title: "Fast start",
    source: "Padmanabhan, Katz: TCP Fast Start, GLOBECOM 1998; ns-2 tcp-fs.cc",
    year: 1998,
    opened: "abstract; code: ns-2.35 tcp-fs.cc, the author's",
    compared: "cached window, pace, tags, reset timer, answer to loss",
    summary: "Sends the cached window of the path, paced and tagged to be dropped first, \
              and gives up early.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing, Need::Cache],
    certainty: Certainty::Code,
    build: |params, convention| Ok(copies(FastStart::new(params, convention)?)),
};

params! {
    pub struct Settings {
        /// whether a timeout of srtt + 4 rttvar, without a minimum, holds while the flight is out
        fast_reset_timer: bool = "true",
        /// whether a second loss of the flight leads back to the initial window
        fast_loss_recov: bool = "true",
        /// how much later its separate timeout is, for a receiver that delays the ACK of an odd
        /// last segment
        #[usual("by stack: 0s under ns2, otherwise 200ms")]
        ack_delay: Option<Duration>,
        /// whether the flight is spread over the cached round trip or leaves at once
        #[usual("by stack: false under ns2, otherwise true")]
        paced: Option<bool>,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Off,
    /// `fs_mode`: the flight is out.
    Fast,
    /// A segment of it was lost.
    Lost,
}

/// State of Fast start on one connection.
#[derive(Clone)]
struct FastStart {
    fast_reset_timer: bool,
    fast_loss_recov: bool,
    ns2: bool,
    paced: bool,
    ack_delay: Duration,
    mode: Mode,
    memory: Option<PathMemory>,
    initial: Segments,
    srtt: Duration,
    rttvar: Duration,
    una: u64,
    /// Range of bytes that are tagged.
    fs_start: u64,
    fs_end: u64,
    /// The threshold before a loss of the flight.
    ssthresh: Segments,
}

impl FastStart {
    fn new(params: &Params, convention: Convention) -> Result<FastStart, SpecError> {
        let settings = Settings::read(params)?;
        let timed = settings.fast_reset_timer;
        params.effective(&Settings::ack_delay, timed, "`fast_reset_timer=true`")?;
        Ok(FastStart {
            fast_reset_timer: timed,
            fast_loss_recov: settings.fast_loss_recov,
            ns2: convention.family == Family::Ns2,
            ack_delay: settings.ack_delay.unwrap_or(match convention.family {
                Family::Ns2 => Duration::ZERO,
                _ => Duration::from_millis(200),
            }),
            paced: settings.paced.unwrap_or(convention.family != Family::Ns2),
            mode: Mode::Off,
            memory: None,
            initial: 1.0,
            srtt: Duration::ZERO,
            rttvar: Duration::ZERO,
            una: 0,
            fs_start: 0,
            fs_end: 0,
            ssthresh: f64::INFINITY,
        })
    }

    /// RFC 6298's averages, in whole nanoseconds.
    fn sample(&mut self, rtt: Option<Duration>) {
        let Some(rtt) = rtt else { return };
        if self.srtt == Duration::ZERO {
            (self.srtt, self.rttvar) = (rtt, rtt.over(2));
            return;
        }
        let error = self.srtt.nanos().abs_diff(rtt.nanos());
        self.rttvar = Duration(self.rttvar.nanos() - self.rttvar.nanos() / 4 + error / 4);
        self.srtt = Duration(self.srtt.nanos() - self.srtt.nanos() / 8 + rtt.nanos() / 8);
    }

    /// Sends so many segments over a round trip, all but the first tagged.
    fn begin(&mut self, w: &mut Window, safe: Segments) {
        let mss = u64::from(w.mss);
        w.cwnd = safe;
        self.mode = Mode::Fast;
        self.fs_start = self.una.saturating_add(mss);
        self.fs_end = self.una.saturating_add((safe * mss as f64) as u64);
        w.pacing = w.rate_over(safe, self.srtt).filter(|_| self.paced);
        w.tags.startup_excess = false;
        self.set_timeout(w);
    }

    /// No minimum, and no clock's granularity: to wait too long costs more here than to give up
    /// too early.
    fn set_timeout(&self, w: &mut Window) {
        let soon = self.srtt + self.rttvar.times(4) + self.ack_delay;
        w.timeout = (self.mode == Mode::Fast && self.fast_reset_timer).then_some(soon);
    }

    fn stop(&mut self, w: &mut Window, next: Mode) {
        if self.mode == Mode::Fast {
            w.pacing = None;
            w.timeout = None;
            w.tags.startup_excess = false;
        }
        self.mode = next;
    }

    /// The flight is forgotten, and slow start begins.
    fn reset(&mut self, w: &mut Window) {
        w.cwnd = self.initial;
        w.ssthresh = self.ssthresh;
    }
}

/// The window that is known to have been safe: half of one that was still doubling, one
/// segment less of one that was not.
fn safe(cwnd: Segments, ssthresh: Segments) -> Segments {
    if cwnd < ssthresh {
        (cwnd / 2.0).floor()
    } else {
        cwnd - 1.0
    }
}

impl Startup for FastStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.initial = w.cwnd;
        let Some(memory) = self.memory else {
            return self.sample(e.rtt);
        };
        (self.srtt, self.rttvar) = (memory.srtt, memory.rttvar);
        let safe = safe(memory.cwnd, memory.ssthresh);
        // After a lost SYN the path is no longer that of the cached state.
        if e.rtt.is_some() && safe > self.initial {
            w.ssthresh = memory.ssthresh;
            self.begin(w, safe);
        }
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        if self.mode == Mode::Fast {
            let next = s.seq + u64::from(s.bytes);
            w.tags.startup_excess = (self.fs_start..self.fs_end).contains(&next);
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.sample(a.rtt);
        self.una = a.una;
        // ACKs clock the rest.
        let first = self.mode == Mode::Fast && w.pacing.take().is_some();
        if a.una >= self.fs_end {
            self.stop(w, Mode::Off);
        } else {
            self.set_timeout(w);
        }
        if w.in_slow_start() {
            slow_start.grow(w, a);
        } else {
            w.cwnd += slow_start.earned(w, a) / w.cwnd;
        }
        first.then_some(Reason::FirstAck)
    }

    fn on_recovery_ack(&mut self, _w: &mut Window, a: &Ack) {
        self.sample(a.rtt);
        self.una = a.una;
    }

    /// A timeout by which the tagged segments alone are lost costs nothing but them. If the first
    /// one is lost too, it is a timeout like any other.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        let fast = self.mode == Mode::Fast;
        let repairs = fast && self.fast_loss_recov && !c.is_timeout();
        self.stop(w, if repairs { Mode::Lost } else { Mode::Off });
        self.ssthresh = w.ssthresh;
        if fast && c.is_timeout() && self.una >= self.fs_start {
            self.reset(w);
            return Response::ends(Reduction::Done);
        }
        Response::STANDARD
    }

    /// One loss is ordinary; more mean that the memory was wrong.
    fn on_recovered(&mut self, w: &mut Window, r: &Recovered) -> Repaired {
        let lost = std::mem::replace(&mut self.mode, Mode::Off) == Mode::Lost;
        if lost && r.retransmitted > u64::from(w.mss) {
            self.reset(w);
        }
        Repaired::Continues
    }

    fn on_idle(&mut self, w: &mut Window, before: &Window, _i: &Idle) -> bool {
        self.stop(w, Mode::Off);
        // ns-2 looks at the window after its restart rule.
        let kept = if self.ns2 { *w } else { *before };
        let safe = safe(kept.cwnd, kept.ssthresh);
        if self.srtt == Duration::ZERO || safe <= self.initial.min(w.cwnd) {
            return false;
        }
        self.begin(w, safe);
        true
    }

    /// While the flight is out its ACKs are this startup's, whatever the threshold is.
    fn in_charge(&self, w: &Window) -> bool {
        self.mode == Mode::Fast || w.in_slow_start()
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }
}

impl Assisted for FastStart {
    fn on_known(&mut self, k: &PathInfo) {
        self.memory = k.memory;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::{Loss, Timeout};
    use crate::testing::with_reno;
    use crate::{Controller, Instant, Rate};

    const MSS: u64 = 1460;
    const RTT: Duration = Duration::from_millis(100);

    #[test]
    fn the_window_that_was_safe() {
        assert_eq!(safe(32.0, 64.0), 16.0);
        assert_eq!(safe(32.0, 20.0), 31.0);
        assert_eq!(safe(1.0, 64.0), 0.0);
    }

    fn remembered(cwnd: f64) -> (Controller, Window) {
        let mut c = with_reno(&ENTRY, "", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        let memory = PathMemory {
            cwnd,
            ssthresh: 64.0,
            srtt: RTT,
            rttvar: Duration::from_millis(10),
            min_rtt: RTT,
            delivered: cwnd as u64 * MSS,
            rate: Rate::of(cwnd as u64 * MSS, RTT),
            in_use: false,
        };
        let known = PathInfo {
            memory: Some(memory),
            ..PathInfo::default()
        };
        c.on_known(&known);
        let e = Established {
            initial_window: 3.0,
            rtt: Some(RTT),
            ..Established::at(Instant::ZERO + RTT)
        };
        c.on_established(&mut w, &e);
        (c, w)
    }

    /// Sends whole segments from `from` on; which of them are tagged.
    fn send(c: &mut Controller, w: &mut Window, from: u64, count: u64) -> Vec<bool> {
        let one = |number: u64| {
            let tag = w.tags.startup_excess;
            let sent = Sent {
                now: Instant::ZERO + RTT,
                bytes: MSS as u32,
                seq: number * MSS,
                retransmission: false,
                flight: (number - from + 1) * MSS,
            };
            c.on_sent(w, &sent);
            tag
        };
        (from..from + count).map(one).collect()
    }

    fn ack(una: u64) -> Ack {
        Ack {
            una: una * MSS,
            nxt: 100 * MSS,
            rtt: Some(RTT),
            ..Ack::of(Instant::ZERO + RTT.times(2), MSS)
        }
    }

    #[test]
    fn a_memory_is_sent_at_once_all_but_its_first_marked() {
        let (mut c, mut w) = remembered(32.0);
        assert_eq!((w.cwnd, w.ssthresh), (16.0, 64.0));
        // Four segments each 25 ms.
        assert_eq!(
            w.pacing.unwrap().time_for(4 * 1_500),
            Duration::from_millis(25)
        );
        assert_eq!(w.timeout, Some(Duration::from_millis(140 + 200)));
        let tags = send(&mut c, &mut w, 0, 18);
        assert_eq!(tags.iter().filter(|tag| **tag).count(), 15);
        assert!(!tags[0] && tags[1] && tags[15] && !tags[16]);
        c.on_ack(&mut w, &ack(1));
        assert_eq!((w.cwnd, w.pacing), (17.0, None));
        assert_eq!(c.exit().unwrap().reason, Reason::FirstAck);
        assert!(w.timeout.is_some());
        c.on_ack(&mut w, &ack(16));
        assert_eq!((w.cwnd, w.timeout), (18.0, None));
    }

    #[test]
    fn a_small_memory_is_no_better_than_none() {
        let (_, w) = remembered(6.0);
        assert_eq!((w.cwnd, w.pacing, w.timeout), (3.0, None, None));
    }

    fn timed_out(una: u64) -> (f64, f64) {
        let (mut c, mut w) = remembered(32.0);
        send(&mut c, &mut w, 0, 16);
        if una > 0 {
            c.on_ack(&mut w, &ack(una));
            assert_eq!(w.cwnd, 17.0);
        }
        let timeout = Timeout {
            now: Instant::ZERO + RTT.times(3),
            flight: 16 * MSS,
            usable: 16.0,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        assert_eq!((w.pacing, w.timeout), (None, None));
        (w.cwnd, w.ssthresh)
    }

    #[test]
    fn the_timer_gives_up_the_marked_segments_alone() {
        assert_eq!(timed_out(1), (3.0, 64.0));
        assert_eq!(timed_out(0), (1.0, 8.0));
    }

    fn recovered(segments: u64) -> (f64, f64) {
        let (mut c, mut w) = remembered(32.0);
        send(&mut c, &mut w, 0, 16);
        c.on_ack(&mut w, &ack(1));
        let (now, flight) = (Instant::ZERO + RTT.times(2), 15 * MSS);
        let usable = w.cwnd;
        c.on_loss(
            &mut w,
            &Loss {
                now,
                flight,
                usable,
            },
        );
        assert_eq!((w.cwnd, w.ssthresh), (7.5, 7.5));
        let retransmitted = segments * MSS;
        let recovered = Recovered {
            now,
            retransmitted,
            flight: 0,
        };
        c.on_recovered(&mut w, &recovered);
        (w.cwnd, w.ssthresh)
    }

    #[test]
    fn a_second_loss_gives_it_up() {
        assert_eq!(recovered(1), (7.5, 7.5));
        assert_eq!(recovered(2), (3.0, 64.0));
    }

    fn idled(cwnd: f64, ssthresh: f64) -> (f64, bool, Vec<bool>) {
        let mut c = with_reno(&ENTRY, "", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 3.0,
            rtt: Some(RTT),
            ..Established::at(Instant::ZERO + RTT)
        };
        c.on_established(&mut w, &e);
        c.on_ack(&mut w, &ack(100));
        (w.cwnd, w.ssthresh) = (cwnd, ssthresh);
        let idle = Idle {
            now: Instant::from_secs(9),
            idle: Duration::from_secs(8),
            restart_window: 3.0,
        };
        c.on_idle(&mut w, &idle);
        let (cwnd, paced) = (w.cwnd, w.pacing.is_some());
        (cwnd, paced, send(&mut c, &mut w, 100, 17))
    }

    #[test]
    fn an_idle_connection_remembers_itself() {
        let (cwnd, paced, tags) = idled(32.0, 64.0);
        assert_eq!((cwnd, paced), (16.0, true));
        assert_eq!(tags.iter().filter(|tag| **tag).count(), 15);
        assert!(!tags[0] && tags[1] && tags[15] && !tags[16]);
        assert_eq!(idled(32.0, 20.0).0, 31.0);
        assert_eq!(idled(1.0, 64.0).0, 1.0);
        assert!(!idled(1.0, 64.0).1);
    }
}
