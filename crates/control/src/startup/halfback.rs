//! Halfback: everything in the first round trip, and half of it once more from the end.
//!
//! Q. Li, M. Dong, P. B. Godfrey, "Halfback: Running Short Flows Quickly and Safely", CoNEXT
//! 2015. Like Jump Start it paces a short flow whole over one round trip. What that loses is
//! mostly its tail, and a lost tail shows itself only by a timeout. So losses are not waited
//! for: as acknowledgements arrive, the last segment is sent once more, then the one before it,
//! and so on, one for each that has arrived (*ROPR*, reverse-ordered proactive retransmission),
//! until the segments sent again meet those acknowledged, half way. They leave no faster
//! than data reaches the receiver, so they go into a path that is draining. A flow that loses
//! nothing is sent one and a half times.
//!
//! # State
//!
//! What is to be paced and what has left of it; how far they are, `ropr_ptr`, is in the
//! window, since the transport sends them.
//!
//! # Contested
//!
//! - Only the abstract was at hand; the rules are as others describe them.
//! - One retransmission for each acknowledgement would be one for every second segment where the
//!   receiver delays them; here it is one for each segment that has arrived.
//! - Recovery's own retransmissions go first, and recovery does not see the proactive ones:
//!   one neither counts as in flight nor is its acknowledgement a sign of loss.
//! - Of a flow larger than the threshold the window becomes what a round trip acknowledges of
//!   the paced part, and slow start continues from there.

use super::{Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::params::Number;
use crate::signals::{Ack, Established, Idle, Sent};
use crate::slow_start::SlowStart;
use crate::{
    Duration, Instant, ProactiveRetransmissions, Reason, Segments, Window, params, with_slow_start,
};

/// Entry of `halfback` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "halfback",
    title: "Halfback",
    source: "Li, Dong, Godfrey: Halfback, CoNEXT 2015",
    year: 2015,
    opened: "abstract of the paper",
    compared: "paced flow, retransmission from the end backwards",
    summary: "Paces a short flow over one round trip and sends its second half once more, from \
              the end backwards, as acknowledgements arrive.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Reconstructed,
    build: |params, _| Ok(copies(Halfback::new(Settings::read(params)?))),
};

params! {
    /// Parameters; those of slow start apply after the proactive retransmissions.
    pub struct Settings {
        /// at most so many bytes are paced, the default window in the authors' setting; only flows
        /// that are no larger are sent again
        #[check(|bytes| bytes >= 1.0, "at least 1 byte")]
        threshold: Number = "141000",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The flow, or its beginning, leaves.
    Pacing,
    /// All of the flow is out, and its end is being sent once more.
    Ropr,
    /// There is more: what a round trip acknowledges becomes the window.
    Measuring,
    Over,
}

/// State of Halfback on one connection.
#[derive(Clone)]
struct Halfback {
    threshold: u64,
    phase: Phase,
    /// All of the flow is paced.
    whole: bool,
    initial: Segments,
    rtt: Duration,
    /// The paced part ends before this byte.
    pace_end: u64,
    /// When the first ACK of a larger flow came.
    measured_since: Option<Instant>,
    /// Bytes that have arrived and that earned no retransmission yet.
    delivered: u64,
    lost: bool,
}

impl Halfback {
    fn new(settings: Settings) -> Halfback {
        Halfback {
            threshold: settings.threshold as u64,
            phase: Phase::Over,
            whole: false,
            initial: 1.0,
            rtt: Duration::ZERO,
            pace_end: 0,
            measured_since: None,
            delivered: 0,
            lost: false,
        }
    }

    fn begin(&mut self, w: &mut Window, e: &Established, rtt: Duration) {
        let mss = u64::from(w.mss);
        let limit = self.threshold.min(e.peer_window);
        self.whole = e.queued <= limit;
        // A part of a larger flow ends with a whole segment.
        let segments = if self.whole {
            e.queued.div_ceil(mss)
        } else {
            (limit / mss).max(1)
        };
        let Some(rate) = w.rate_over(segments as Segments, Duration::ZERO + rtt) else {
            return;
        };
        self.phase = Phase::Pacing;
        self.rtt = rtt;
        self.pace_end = (segments * mss).min(e.queued);
        w.cwnd = segments as f64;
        w.pacing = Some(rate);
    }

    /// What has arrived since the last time, in whole segments.
    fn arrived(&mut self, w: &Window, a: &Ack) -> u64 {
        let segments =
            (a.delivered_total.saturating_sub(self.delivered)).div_ceil(u64::from(w.mss));
        self.delivered = self.delivered.max(a.delivered_total);
        segments
    }

    /// One retransmission for each segment that arrived, until they meet what is acknowledged.
    fn reverse(&mut self, w: &mut Window, a: &Ack) {
        let earned = self.arrived(w, a);
        if self.phase != Phase::Ropr {
            return;
        }
        w.proactive.segments += earned;
        if w.proactive.below <= a.una {
            let window = w.segments(self.delivered).max(self.initial);
            self.cancel(w);
            if !self.lost {
                w.cwnd = window.min(w.cwnd.max(1.0));
            }
        }
    }

    /// A larger flow, one round trip after its first ACK.
    fn measure(&mut self, w: &mut Window, a: &Ack) {
        let since = *self.measured_since.get_or_insert(a.now);
        if a.una >= self.pace_end || a.now.since(since) >= self.rtt {
            w.cwnd = w.segments(a.delivered_total).min(w.cwnd).max(1.0);
            self.phase = Phase::Over;
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase == Phase::Pacing {
            w.pacing = None;
        }
        w.proactive = ProactiveRetransmissions::default();
        self.phase = Phase::Over;
    }
}

impl Startup for Halfback {
    /// Without a round-trip time there is nothing to pace over, and the path may be congested.
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.initial = w.cwnd;
        if let Some(rtt) = e.rtt {
            self.begin(w, e, rtt);
        }
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        let end = s.seq + u64::from(s.bytes);
        if self.phase != Phase::Pacing || end < self.pace_end {
            return None;
        }
        w.pacing = None;
        if self.whole {
            self.phase = Phase::Ropr;
            w.proactive.below = self.pace_end;
        } else {
            self.phase = Phase::Measuring;
        }
        Some(Reason::AllSent)
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        match self.phase {
            Phase::Over => slow_start.grow(w, a),
            Phase::Pacing => {
                slow_start.leave_unused(a);
                self.arrived(w, a);
            }
            Phase::Ropr => {
                slow_start.leave_unused(a);
                self.reverse(w, a);
            }
            Phase::Measuring => {
                slow_start.leave_unused(a);
                self.measure(w, a);
            }
        }
        None
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.reverse(w, a);
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        self.lost |= !c.is_timeout();
        if c.is_timeout() || self.phase != Phase::Ropr {
            self.cancel(w);
        }
        Response::STANDARD
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        self.cancel(w);
        false
    }

    /// Until all of it is acknowledged the window is this startup's.
    fn in_charge(&self, w: &Window) -> bool {
        self.phase != Phase::Over || w.in_slow_start()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::Timeout;
    use crate::testing::{RTT, with_reno};
    use crate::{Controller, Convention};

    const MSS: u64 = 1460;

    fn opened(spec: &str, bytes: u64) -> (Controller, Window) {
        let mut c = with_reno(&ENTRY, spec, Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(RTT),
            queued: bytes,
            ..Established::at(Instant::ZERO + RTT)
        };
        c.on_established(&mut w, &e);
        (c, w)
    }

    fn send(c: &mut Controller, w: &mut Window, segments: u64) {
        for number in 0..segments {
            let sent = Sent {
                now: Instant::ZERO + RTT,
                bytes: MSS as u32,
                seq: number * MSS,
                retransmission: false,
                flight: (number + 1) * MSS,
            };
            c.on_sent(w, &sent);
        }
    }

    /// Acknowledges segments one by one, the transport sending what it may; their
    /// numbers from 1.
    fn retransmitted(
        c: &mut Controller,
        w: &mut Window,
        acks: std::ops::RangeInclusive<u64>,
    ) -> Vec<u64> {
        let mut sent = Vec::new();
        for number in acks {
            let ack = Ack {
                una: number * MSS,
                delivered_total: number * MSS,
                ..Ack::of(Instant::ZERO + RTT.times(2), MSS)
            };
            c.on_ack(w, &ack);
            while w.proactive.segments > 0 {
                w.proactive.segments -= 1;
                sent.push(w.proactive.below / MSS);
                w.proactive.below -= MSS;
            }
        }
        sent
    }

    #[test]
    fn ten_segments_without_loss_are_sent_one_and_a_half_times() {
        let (mut c, mut w) = opened("", 10 * MSS);
        assert_eq!(w.pacing.unwrap().time_for(15_000), RTT);
        send(&mut c, &mut w, 10);
        assert_eq!((w.pacing, w.proactive.below), (None, 10 * MSS));
        assert_eq!(retransmitted(&mut c, &mut w, 1..=10), [10, 9, 8, 7, 6]);
        assert_eq!(w.proactive, ProactiveRetransmissions::default());
        assert_eq!(c.exit().unwrap().reason, Reason::AllSent);
    }

    #[test]
    fn a_lost_tail_is_repaired_by_the_first_two_acks() {
        let (mut c, mut w) = opened("", 10 * MSS);
        send(&mut c, &mut w, 10);
        assert_eq!(retransmitted(&mut c, &mut w, 1..=2), [10, 9]);
    }

    #[test]
    fn an_ack_of_two_segments_earns_two_copies() {
        let (mut c, mut w) = opened("", 10 * MSS);
        send(&mut c, &mut w, 10);
        let ack = Ack {
            una: 2 * MSS,
            delivered_total: 2 * MSS,
            ..Ack::of(Instant::ZERO + RTT.times(2), 2 * MSS)
        };
        c.on_ack(&mut w, &ack);
        assert_eq!(w.proactive.segments, 2);
    }

    #[test]
    fn of_a_hundred_segments_ninety_six_are_paced_and_none_is_sent_twice() {
        let (mut c, mut w) = opened("", 100 * MSS);
        assert_eq!(w.cwnd, 96.0);
        send(&mut c, &mut w, 96);
        assert_eq!(
            (w.pacing, w.proactive),
            (None, ProactiveRetransmissions::default())
        );
        assert!(retransmitted(&mut c, &mut w, 1..=90).is_empty());
        assert_eq!(w.cwnd, 96.0);
        // A round trip after the first ACK, 91 of them had come.
        let ack = Ack {
            una: 91 * MSS,
            delivered_total: 91 * MSS,
            ..Ack::of(Instant::ZERO + RTT.times(3), MSS)
        };
        c.on_ack(&mut w, &ack);
        assert_eq!(w.cwnd, 91.0);
    }

    #[test]
    fn a_timeout_ends_the_copies() {
        let (mut c, mut w) = opened("", 10 * MSS);
        send(&mut c, &mut w, 10);
        let timeout = Timeout {
            now: Instant::ZERO + RTT.times(9),
            flight: 10 * MSS,
            usable: 10.0,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        assert_eq!(
            (w.proactive, w.cwnd),
            (ProactiveRetransmissions::default(), 1.0)
        );
    }

    #[test]
    fn a_threshold_of_nothing_is_refused() {
        let error = with_reno(&ENTRY, "threshold=0", Convention::RFC).err();
        assert_eq!(
            error.unwrap().to_string(),
            "startup `halfback`: parameter `threshold`: `0` is not at least 1 byte"
        );
    }
}
