//! Stateful-TCP: begin at the bandwidth that the last connection measured.
//!
//! L. Guo and J. Lee, "Stateful-TCP: A New Approach to Accelerate TCP Slow-Start", IEEE Access 8,
//! 2020, and draft-lee-tcpm-stateful-tcp-00, May 2026. A server sees the same networks again and
//! again, and what differs least from one connection to the next is the bandwidth. It is kept
//! for each destination, estimated from rounds in which the connection had enough to send. A
//! new connection has no startup: its first window is the cached bandwidth times the round
//! trip, paced at that bandwidth, and when that is acknowledged the congestion control is in
//! charge of it.
//!
//! # State
//!
//! The cached bandwidth; the range of the first window, and what is known to have passed of
//! it.
//!
//! # Deviations
//!
//! - The authors use all of the estimate; half is the default, which is what RFC 9959 allows.
//!   `factor=1` is theirs.
//! - Nothing is known of their response to an estimate that is too large. A loss in the first window is
//!   answered by RFC 9959's safe retreat; `response=standard` leaves it to the avoidance.
//! - Where only a part is used, slow start continues from it to the whole, which is the threshold:
//!   the avoidance would need many round trips for what is cached.
//!
//! # Contested
//!
//! - Only the abstracts of paper and draft were at hand. How their estimate leaves gaps out is
//!   reconstructed: the cache's bandwidth is what a round trip delivered over its duration, less
//!   the time in which the application had nothing to send or the window let nothing out. A pause
//!   of the window counts from a quarter of a round trip on, and where all gaps together are less
//!   than half of it.
//! - The abstracts mention no age at which a memory is not used any more. Here it is the
//!   stack's, `sharing_lifetime`, 10 minutes by default.
//! - Where the handshake gave no round-trip time since its SYN was lost, the path may have
//!   changed, and slow start is used.

use super::careful_resume::{self, Pipe};
use super::{Assisted, Congestion, Maker, Reduction, Repaired, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::params::{Params, Ratio, SpecError};
use crate::signals::{Ack, Established, Idle, PathInfo, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{Duration, Rate, Reason, Segments, Window, params, with_slow_start};

/// Entry of `stateful-tcp` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "stateful-tcp",
    title: "Stateful-TCP",
    source: "Guo, Lee: Stateful-TCP, IEEE Access 8, 2020; draft-lee-tcpm-stateful-tcp-00",
    year: 2020,
    opened: "abstracts of the paper and of draft-lee-tcpm-stateful-tcp-00",
    compared: "cached state, first window and pace, behaviour without cached state",
    summary: "Sends the cached bandwidth times the round trip, paced, and continues with \
              congestion control.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing, Need::Cache],
    certainty: Certainty::Reconstructed,
    build: |params, _| Ok(copies(StatefulTcp::new(params)?)),
};

params! {
    /// Parameters; those of slow start apply without cached state.
    pub struct Settings {
        /// share of the cached bandwidth that is used; the authors use all of it
        factor: Ratio = "0.5",
        /// what a loss in the first window does: RFC 9959's safe retreat, or the avoidance's
        /// reduction
        response: LossRule = "safe-retreat",
        beta: Ratio as careful_resume::Settings,
    }

    pub enum LossRule { SafeRetreat = "safe-retreat", Standard = "standard" }
}

/// The minimum window of a retreat.
const FLOOR: Segments = 2.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The first window is being paced.
    Paced,
    /// ACKs of the first window arrive.
    Watched,
    /// A loss in it is being repaired.
    Retreat,
    Over,
}

/// State of Stateful-TCP on one connection.
#[derive(Clone)]
struct StatefulTcp {
    settings: Settings,
    safe: bool,
    phase: Phase,
    bw: Rate,
    /// The window that all of it makes.
    remembered: Segments,
    pipe: Pipe,
    high: u64,
    retreat: Segments,
}

impl StatefulTcp {
    fn new(params: &Params) -> Result<StatefulTcp, SpecError> {
        let settings = Settings::read(params)?;
        let safe = settings.response == LossRule::SafeRetreat;
        params.effective(&Settings::beta, safe, "`response=safe-retreat`")?;
        Ok(StatefulTcp {
            settings,
            safe,
            phase: Phase::Over,
            bw: Rate(0),
            remembered: 0.0,
            pipe: Pipe::default(),
            high: 0,
            retreat: FLOOR,
        })
    }

    fn finish_retreat(&mut self, w: &mut Window) {
        self.phase = Phase::Over;
        w.ssthresh = self.pipe.threshold(w, self.settings.beta, false);
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase == Phase::Paced {
            w.pacing = None;
        }
        self.phase = Phase::Over;
    }
}

impl Startup for StatefulTcp {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        let Some(rtt) = e.rtt else { return };
        let bw = self.bw.scaled(self.settings.factor);
        let cwnd = w.segments(bw.bytes_in(rtt));
        let rate = w.rate_over(cwnd, Duration::ZERO + rtt);
        if cwnd > w.cwnd && rate.is_some() {
            w.cwnd = cwnd;
            w.pacing = rate;
            self.remembered = w.segments(self.bw.bytes_in(rtt)).max(cwnd);
            self.pipe = Pipe::new(0, 0);
            self.phase = Phase::Paced;
        }
    }

    fn on_sent(&mut self, _w: &mut Window, s: &Sent) -> Option<Reason> {
        self.high = self.high.max(s.seq + u64::from(s.bytes));
        self.pipe.on_sent(s);
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.pipe.on_ack(a.una);
        if self.phase == Phase::Over {
            slow_start.grow(w, a);
            return None;
        }
        slow_start.leave_unused(a);
        if self.phase == Phase::Paced {
            // ACKs clock what follows.
            w.pacing = None;
            self.pipe.end(self.high);
            self.phase = Phase::Watched;
        }
        if !self.pipe.accounted_for() {
            return None;
        }
        if self.phase == Phase::Retreat {
            self.finish_retreat(w);
            return None;
        }
        self.phase = Phase::Over;
        w.ssthresh = self.remembered;
        Some(Reason::Estimate)
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.pipe.on_ack(a.una);
        if self.phase == Phase::Retreat {
            w.cwnd = self.retreat;
            if self.pipe.accounted_for() {
                self.finish_retreat(w);
            }
        }
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        let first = matches!(self.phase, Phase::Paced | Phase::Watched);
        if self.phase == Phase::Retreat && !c.is_timeout() {
            return Response::ends(Reduction::Done);
        }
        self.cancel(w);
        if !first || !self.safe || c.is_timeout() {
            return Response::STANDARD;
        }
        self.phase = Phase::Retreat;
        self.pipe.end(self.high);
        self.retreat = self.pipe.retreat(w, FLOOR);
        w.cwnd = self.retreat;
        Response::ends(Reduction::Done)
    }

    fn on_recovered(&mut self, w: &mut Window, r: &Recovered) -> Repaired {
        self.pipe.on_ack(self.high.saturating_sub(r.flight));
        if self.phase == Phase::Retreat && self.pipe.accounted_for() {
            self.finish_retreat(w);
        }
        Repaired::Continues
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        self.cancel(w);
        false
    }

    fn in_charge(&self, w: &Window) -> bool {
        self.phase != Phase::Over || w.in_slow_start()
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }
}

impl Assisted for StatefulTcp {
    fn on_known(&mut self, k: &PathInfo) {
        let memory = k.memory.filter(|memory| !memory.in_use);
        self.bw = memory.map_or(Rate(0), |memory| memory.rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::{Loss, PathMemory};
    use crate::testing::with_reno;
    use crate::{Controller, Convention, Duration, Instant};

    /// So that a megabyte is a whole number of segments.
    const MSS: u32 = 1000;
    const RTT: Duration = Duration::from_millis(40);

    /// A cached rate of ten megabytes a second.
    fn opened(spec: &str) -> (Controller, Window) {
        let mut c = with_reno(&ENTRY, spec, Convention::RFC).unwrap();
        let mut w = Window::new(MSS);
        let memory = PathMemory {
            cwnd: 400.0,
            ssthresh: 400.0,
            srtt: RTT,
            rttvar: Duration::ZERO,
            min_rtt: RTT,
            delivered: 400_000,
            rate: Rate(80_000_000),
            in_use: false,
        };
        c.on_known(&PathInfo {
            memory: Some(memory),
            ..PathInfo::default()
        });
        let e = Established {
            initial_window: 10.0,
            rtt: Some(RTT),
            header: 0,
            ..Established::at(Instant::ZERO + RTT)
        };
        c.on_established(&mut w, &e);
        (c, w)
    }

    fn send(c: &mut Controller, w: &mut Window, seq: u64, again: bool) {
        let sent = Sent {
            now: Instant::ZERO + RTT,
            bytes: MSS,
            seq: seq * 1000,
            retransmission: again,
            flight: (seq + 1) * 1000,
        };
        c.on_sent(w, &sent);
    }

    fn ack(una: u64) -> Ack {
        Ack {
            una: una * 1000,
            nxt: 400_000,
            rtt: Some(RTT),
            ..Ack::of(Instant::ZERO + RTT.times(2), 1000)
        }
    }

    #[test]
    fn ten_megabytes_a_second_for_forty_milliseconds_are_four_hundred_kilobytes() {
        let (_, w) = opened("factor=1");
        assert_eq!(
            (w.cwnd_bytes(), w.pacing),
            (400_000, Some(Rate(80_000_000)))
        );
        let (_, w) = opened("");
        assert_eq!(
            (w.cwnd_bytes(), w.pacing),
            (200_000, Some(Rate(40_000_000)))
        );
    }

    #[test]
    fn when_its_window_is_acknowledged_slow_start_goes_on_to_the_whole() {
        for (spec, window, grown) in [("", 200.0, 201.0), ("factor=1", 400.0, 400.0)] {
            let (mut c, mut w) = opened(spec);
            (0..window as u64).for_each(|seq| send(&mut c, &mut w, seq, false));
            c.on_ack(&mut w, &ack(1));
            assert_eq!((w.cwnd, w.pacing, c.exit()), (window, None, None));
            c.on_ack(&mut w, &ack(window as u64));
            assert_eq!(c.exit().unwrap().reason, Reason::Estimate);
            assert_eq!((w.cwnd, w.ssthresh), (window, 400.0));
            c.on_ack(&mut w, &ack(window as u64 + 1));
            assert_eq!(w.cwnd.floor(), grown);
        }
    }

    #[test]
    fn a_loss_in_it_is_retreated_from_or_answered_as_ever() {
        for (spec, during, after) in [
            ("", 25.0, (25.0, 99.0)),
            ("response=standard", 100.0, (100.0, 100.0)),
        ] {
            let (mut c, mut w) = opened(spec);
            (0..200).for_each(|seq| send(&mut c, &mut w, seq, false));
            c.on_ack(&mut w, &ack(50));
            let loss = Loss {
                now: Instant::ZERO + RTT.times(2),
                flight: 200_000,
                usable: 200.0,
            };
            c.on_loss(&mut w, &loss);
            assert_eq!(w.cwnd, during);
            (50..52).for_each(|seq| send(&mut c, &mut w, seq, true));
            c.on_recovered(
                &mut w,
                &Recovered {
                    now: Instant::ZERO + RTT.times(3),
                    retransmitted: 2000,
                    flight: 0,
                },
            );
            assert_eq!((w.cwnd, w.ssthresh), after);
        }
    }
}
