//! XCP: the routers set the change of each sender's window.
//!
//! D. Katabi, M. Handley, C. Rohrs, "Congestion Control for High Bandwidth-Delay Product
//! Networks", SIGCOMM 2002, §3.3; the rule as ns-2.35's `xcp-end-sys.cc` has it. Every data
//! segment carries a congestion header with the sender's window and round-trip time. Each
//! router on the path reckons how much of its line is to spare, or has been promised twice,
//! and lowers what the header requests to this packet's share of that. The receiver sends the
//! response back, and the sender adds it to its window. The routers divide spare capacity
//! evenly between flows whatever their round trips, so a new flow learns within a few round
//! trips what others find by probing: the limit of what explicit feedback can do for a start.
//! There is no other phase, so this startup stays in charge for good.
//!
//! It begins with the first window of the stack. Nothing is paced, so what a window has grown
//! by leaves in bursts, and a buffer that is small compared with them loses packets. The avoidance
//! responds to a loss; feedback continues from there. A path none of whose routers
//! answers is met with slow start and the avoidance.
//!
//! # State
//!
//! Whether routers answered the last header, and the smoothed round trip.
//!
//! # Contested
//!
//! - Feedback is a change of throughput, bytes per second, as in ns-2 and the later drafts;
//!   the paper's is a change of the window. One is the other times the round trip.
//! - ns-2 divides by the payload of a segment although routers count what is on the wire, so
//!   its windows change by a few percent too much. Here it is what is on the wire.
//! - An increase is not taken where the window was not what held the sender back; nothing is
//!   said of that case.
//! - Feedback that arrives during recovery is not used; the window is recovery's then.
//! - If routers answered once and do so no longer, the window they gave becomes the threshold:
//!   doubling it would be blind.

use super::{Assisted, Congestion, Maker, Reduction, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::signals::{Ack, Established, Feedback};
use crate::slow_start::{self, SlowStart};
use crate::{Duration, Reason, Window};

/// Entry of `xcp` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "xcp",
    title: "XCP",
    source: "Katabi, Handley, Rohrs: Congestion Control for High Bandwidth-Delay Product \
             Networks, SIGCOMM 2002; ns-2.35 xcp/xcp-end-sys.cc",
    year: 2002,
    opened: "code: ns-2.35 xcp-end-sys.cc and xcpq.cc",
    compared: "header, change of the window, routers' two controllers",
    summary: "Changes the window by what the routers write into the congestion header of every \
              data segment, for the whole connection; slow start where none does.",
    params: slow_start::Settings::PARAMS,
    needs: &[Need::Peer, Need::Routers],
    certainty: Certainty::Code,
    build: |_, _| Ok(copies(Xcp::default())),
};

/// RFC 6298's gain for the smoothed round trip, as a divisor.
const SMOOTHING: u64 = 8;

/// State of an XCP sender.
#[derive(Clone, Default)]
struct Xcp {
    /// Routers have answered the newest header that came back.
    controlled: bool,
    /// They have answered at some time.
    answered: bool,
    srtt: Option<Duration>,
}

impl Xcp {
    /// Takes a round-trip sample, which the headers carry from now on.
    fn sample(&mut self, w: &mut Window, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            let smoothed = |srtt: Duration| (srtt.times(SMOOTHING - 1) + rtt).over(SMOOTHING);
            self.srtt = Some(self.srtt.map_or(rtt, smoothed));
        }
        // Zero means that there is none yet: such headers are answered with no change.
        w.congestion_header = Some(self.srtt.unwrap_or(Duration::ZERO));
    }

    /// Leaves the routers' control: none has answered.
    fn lose_control(&mut self, w: &mut Window) {
        if std::mem::take(&mut self.controlled) {
            w.ssthresh = w.ssthresh.min(w.cwnd);
        }
    }
}

impl Startup for Xcp {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.sample(w, e.rtt);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if !self.controlled {
            slow_start.grow(w, a);
        }
        None
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.sample(w, a.rtt);
    }

    /// What a timeout took for lost is repaired in slow start; then routers are heard again.
    fn on_congestion(&mut self, _w: &mut Window, c: &Congestion) -> Response {
        self.controlled &= !c.is_timeout();
        Response {
            reduction: Reduction::Standard,
            ends: !self.answered,
        }
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }

    fn in_charge(&self, w: &Window) -> bool {
        self.controlled || w.in_slow_start()
    }
}

impl Assisted for Xcp {
    fn on_feedback(&mut self, w: &mut Window, f: &Feedback) {
        self.sample(w, f.rtt);
        let Some(change) = f.change else {
            return self.lose_control(w);
        };
        (self.controlled, self.answered) = (true, true);
        if change > 0.0 && !f.cwnd_limited {
            return;
        }
        let srtt = self.srtt.unwrap_or(Duration::ZERO);
        let segments = change * srtt.secs() / f64::from(f.wire);
        w.cwnd = (w.cwnd + segments).max(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::{Loss, Timeout};
    use crate::testing::{RTT, established, ms};
    use crate::{Controller, Convention, Instant, catalog};

    const MSS: u64 = 1460;

    /// After a handshake of 100 ms, ten segments allowed.
    fn opened() -> (Controller, Window) {
        established("xcp", Convention::RFC)
    }

    /// An ACK of one segment that carries this change of throughput, bytes per second.
    fn told(change: Option<f64>) -> Feedback {
        Feedback {
            now: Instant::ZERO + RTT.times(2),
            change,
            rtt: Some(RTT),
            wire: 1520,
            cwnd_limited: true,
        }
    }

    fn answer(c: &mut Controller, w: &mut Window, change: Option<f64>) {
        c.on_feedback(w, &told(change));
        c.on_ack(w, &Ack::of(Instant::ZERO + RTT.times(2), MSS));
    }

    #[test]
    fn feedback_times_the_round_trip_is_the_change_of_the_window() {
        let (mut c, mut w) = opened();
        // 15 200 B/s for 100 ms are one segment on the wire.
        answer(&mut c, &mut w, Some(15_200.0));
        assert!((w.cwnd - 11.0).abs() < 1e-12, "{}", w.cwnd);
        answer(&mut c, &mut w, Some(-45_600.0));
        assert!((w.cwnd - 8.0).abs() < 1e-12, "{}", w.cwnd);
        answer(&mut c, &mut w, Some(0.0));
        assert!((w.cwnd - 8.0).abs() < 1e-12, "{}", w.cwnd);
        assert_eq!(c.exit(), None);
    }

    #[test]
    fn the_window_never_falls_below_one_segment() {
        let (mut c, mut w) = opened();
        answer(&mut c, &mut w, Some(-1e12));
        assert_eq!(w.cwnd, 1.0);
    }

    #[test]
    fn the_round_trip_is_smoothed_before_it_is_used_and_told() {
        let (mut c, mut w) = opened();
        assert_eq!(w.congestion_header, Some(RTT));
        let longer = Feedback {
            rtt: Some(ms(180.0)),
            ..told(Some(15_200.0))
        };
        c.on_feedback(&mut w, &longer);
        assert_eq!(w.congestion_header, Some(ms(110.0)));
        assert!((w.cwnd - 11.1).abs() < 1e-12, "{}", w.cwnd);
    }

    #[test]
    fn an_unmeasured_round_trip_is_told_as_zero() {
        let mut c = catalog::controller("xcp", "reno", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        assert_eq!(w.congestion_header, None);
        c.on_established(&mut w, &Established::at(Instant::ZERO + RTT));
        assert_eq!((w.cwnd, w.congestion_header), (1.0, Some(Duration::ZERO)));
    }

    #[test]
    fn an_increase_is_left_where_the_window_was_not_used_a_decrease_is_not() {
        let (mut c, mut w) = opened();
        let with = |change| Feedback {
            cwnd_limited: false,
            ..told(Some(change))
        };
        c.on_feedback(&mut w, &with(15_200.0));
        assert_eq!(w.cwnd, 10.0);
        c.on_feedback(&mut w, &with(-15_200.0));
        assert!((w.cwnd - 9.0).abs() < 1e-12, "{}", w.cwnd);
    }

    #[test]
    fn a_loss_is_the_avoidances_and_feedback_goes_on_from_there() {
        let (mut c, mut w) = opened();
        answer(&mut c, &mut w, Some(0.0));
        let loss = Loss {
            now: Instant::ZERO + RTT.times(3),
            flight: 10 * MSS,
            usable: 10.0,
        };
        c.on_loss(&mut w, &loss);
        assert_eq!((w.cwnd, w.ssthresh), (5.0, 5.0));
        // Above the threshold the routers still decide.
        answer(&mut c, &mut w, Some(152_000.0));
        assert!((w.cwnd - 15.0).abs() < 1e-12, "{}", w.cwnd);
        answer(&mut c, &mut w, Some(0.0));
        assert!((w.cwnd - 15.0).abs() < 1e-12, "{}", w.cwnd);
    }

    #[test]
    fn after_a_timeout_slow_start_repairs_and_no_loss_is_an_exit() {
        let (mut c, mut w) = opened();
        answer(&mut c, &mut w, Some(1_520_000.0));
        let timeout = Timeout {
            now: Instant::ZERO + RTT.times(4),
            flight: 110 * MSS,
            usable: 110.0,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        assert_eq!((w.cwnd, c.exit()), (1.0, None));
        c.on_ack(&mut w, &Ack::of(Instant::ZERO + RTT.times(5), MSS));
        assert_eq!(w.cwnd, 2.0);
    }

    #[test]
    fn unanswered_headers_leave_slow_start_and_the_avoidance() {
        let (mut c, mut w) = opened();
        let (mut plain, mut v) = established("slow-start", Convention::RFC);
        for i in 0..100 {
            if i == 30 {
                for (c, w) in [(&mut c, &mut w), (&mut plain, &mut v)] {
                    let loss = Loss {
                        now: Instant::ZERO + RTT.times(3),
                        flight: 40 * MSS,
                        usable: 40.0,
                    };
                    c.on_loss(w, &loss);
                }
            }
            answer(&mut c, &mut w, None);
            plain.on_ack(&mut v, &Ack::of(Instant::ZERO + RTT.times(2), MSS));
            assert_eq!((w.cwnd, w.ssthresh), (v.cwnd, v.ssthresh));
        }
    }

    #[test]
    fn when_routers_fall_silent_the_window_they_gave_is_not_doubled() {
        let (mut c, mut w) = opened();
        answer(&mut c, &mut w, Some(152_000.0));
        for _ in 0..20 {
            answer(&mut c, &mut w, None);
        }
        // Twenty ACKs at a window of twenty: one segment more.
        assert!((w.cwnd - 21.0).abs() < 1e-9, "{}", w.cwnd);
    }
}
