//! Slow start: double the window every round trip until something stops it.
//!
//! RFC 5681 §3.1 (M. Allman, V. Paxson, E. Blanton, September 2009), after Jacobson's
//! "Congestion Avoidance and Control" (1988). A sender that knows nothing of its path
//! begins with a small window and adds to it what each acknowledgement reports as
//! delivered: each packet that got through lets two follow. The window doubles per round
//! trip and so finds any capacity in logarithmic time, but the last doubling overshoots
//! by as much as the path and its buffer hold together. Every other start-up here is an
//! answer to that one property or to the rounds it takes.
//!
//! What an ACK adds has been settled in several ways, because receivers delay ACKs and
//! some covered many segments or parts of one: one segment per ACK, the bytes covered up to
//! one segment (eq. 2 of the RFC), up to `L` segments (appropriate byte counting,
//! RFC 3465), every packet (Linux), or every byte (QUIC, RFC 9002 §7.3.1).
//!
//! # Parameters
//!
//! | name | default | meaning |
//! | --- | --- | --- |
//! | `growth` | `abc` (rfc), `per-ack` (ns2), `packets` (linux), `bytes` (quic) | what an ACK adds |
//! | `limit` | 2 segments | `abc` only: the most one ACK may add |
//! | `iw` | the stack's rule | the first window |
//! | `ssthresh` | unlimited; under ns2 the peer's window | the first threshold |
//!
//! # State
//!
//! Whether a timeout came last, and what the last ACK had to spare at the threshold.

use super::{LossResponse, Startup};
use crate::entry::{Certainty, Entry};
use crate::params::{ParamSpec, Params, Unit};
use crate::signals::{Ack, Established, Loss, Timeout};
use crate::{Convention, InitialWindow, Reason, Segments, Window};

/// The catalog entry.
pub const ENTRY: Entry<dyn Startup> = Entry {
    name: "slow-start",
    title: "Slow start",
    source: "RFC 5681 §3.1",
    year: 2009,
    summary: "Doubles the window every round trip until a loss or the threshold.",
    params: &[GROWTH, LIMIT, IW, SSTHRESH],
    needs: &[],
    certainty: Certainty::Text,
    build: |params, convention| {
        Ok(Box::new(SlowStart {
            growth: Growth::read(params, convention),
            opening: Opening::read(params, convention),
        }))
    },
};

/// What an ACK adds.
pub(crate) const GROWTH: ParamSpec = ParamSpec {
    name: "growth",
    unit: Unit::Choice(&["per-ack", "per-byte", "abc", "packets", "bytes"]),
    default: "by stack: abc under rfc, per-ack under ns2, packets under linux, bytes under quic",
    meaning: "what an ACK adds. per-ack: one segment; per-byte: what it covers, at most one \
              segment (RFC 5681 eq. 2); abc: what it covers, at most `limit` segments, and \
              one after a timeout (RFC 3465); packets: every packet that it reports, up to \
              the threshold (Linux); bytes: all that it covers (RFC 9002 section 7.3.1)",
};

/// RFC 3465's L.
pub(crate) const LIMIT: ParamSpec = ParamSpec {
    name: "limit",
    unit: Unit::Segments,
    default: "2",
    meaning: "growth=abc: the most that one ACK may add, RFC 3465's L",
};

/// The first window.
pub(crate) const IW: ParamSpec = ParamSpec {
    name: "iw",
    unit: Unit::InitialWindow,
    default: "by stack: its initial-window rule",
    meaning: "the first window; after a lost SYN at most what the stack's rule allows",
};

/// The first threshold.
pub(crate) const SSTHRESH: ParamSpec = ParamSpec {
    name: "ssthresh",
    unit: Unit::Segments,
    default: "by stack: the peer's window under ns2, otherwise unlimited",
    meaning: "the threshold while nothing is known of the path",
};

/// How a connection opens: the first window and the first threshold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    iw: Option<InitialWindow>,
    ssthresh: Option<Segments>,
    convention: Convention,
}

impl Opening {
    /// By the parameters `iw` and `ssthresh`.
    pub(crate) fn read(params: &Params, convention: Convention) -> Opening {
        let (iw, ssthresh) = (
            params.initial_window_given("iw"),
            params.segments_given("ssthresh"),
        );
        Opening {
            iw,
            ssthresh,
            convention,
        }
    }

    /// With this first window and no threshold.
    pub(crate) fn of(iw: Option<InitialWindow>) -> Opening {
        Opening {
            iw,
            ssthresh: Some(f64::INFINITY),
            convention: Convention::Rfc,
        }
    }

    /// The same with a threshold that the start-up chooses.
    pub(crate) fn with_threshold(self, ssthresh: Segments) -> Opening {
        Opening {
            ssthresh: Some(ssthresh),
            ..self
        }
    }

    /// RFC 5681 §3.1: the initial window; the threshold "arbitrarily high". ns-2 takes
    /// the receiver's window for the latter.
    pub(crate) fn open(&self, w: &mut Window, e: &Established) {
        w.cwnd = match self.iw {
            None => e.initial_window,
            // A lost SYN is the only news of the path, and it is bad: a generous first
            // window does not overrule what the stack makes of it.
            Some(iw) if e.rtt.is_none() => iw.segments(w.mss).min(e.initial_window),
            Some(iw) => iw.segments(w.mss),
        };
        w.ssthresh = match self.ssthresh {
            Some(ssthresh) => ssthresh,
            None if self.convention == Convention::Ns2 => peer_window(w, e.peer_window),
            None => f64::INFINITY,
        };
    }
}

/// The peer's window in segments, at least one, infinite where nothing limits.
pub(crate) fn peer_window(w: &Window, bytes: u64) -> Segments {
    if bytes == u64::MAX {
        f64::INFINITY
    } else {
        w.segments(bytes).max(1.0)
    }
}

/// Slow start's growth rule, which other start-ups call for their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    policy: Policy,
    after_timeout: bool,
    leftover: u64,
}

#[derive(Clone, Copy, Debug)]
enum Policy {
    PerAck,
    Abc(Segments),
    Packets,
    Bytes,
}

impl Growth {
    /// By the parameters `growth` and `limit`.
    pub(crate) fn read(params: &Params, convention: Convention) -> Growth {
        let by_stack = match convention {
            Convention::Rfc => "abc",
            Convention::Ns2 => "per-ack",
            Convention::Linux => "packets",
            Convention::Quic => "bytes",
        };
        let policy = match params.choice_given("growth").unwrap_or(by_stack) {
            "per-ack" => Policy::PerAck,
            "per-byte" => Policy::Abc(1.0),
            "abc" => Policy::Abc(params.segments("limit")),
            "bytes" => Policy::Bytes,
            _ => Policy::Packets,
        };
        Growth {
            policy,
            after_timeout: false,
            leftover: 0,
        }
    }

    /// The segments for which `a` earns growth; none where the window was not what held
    /// the sender back, since an unused window is no evidence of anything (RFC 7661 §4;
    /// ns-2's transport calls every ACK limited).
    pub(crate) fn earned(&mut self, w: &Window, a: &Ack) -> Segments {
        self.leftover = 0;
        if !a.cwnd_limited {
            return 0.0;
        }
        match self.policy {
            Policy::PerAck => 1.0,
            // RFC 3465 §2.3. After a timeout an ACK may cover segments that had arrived
            // long before, so only one segment is credited.
            Policy::Abc(limit) => {
                let limit = if self.after_timeout {
                    limit.min(1.0)
                } else {
                    limit
                };
                w.segments(a.acked).min(limit)
            }
            // Linux counts packets, so a short one counts whole.
            Policy::Packets => w.segments(a.delivered).ceil(),
            Policy::Bytes => w.segments(a.acked),
        }
    }

    /// RFC 5681 §3.1: the window grows by what the ACK earns. Linux stops at the
    /// threshold and leaves the rest to the avoidance.
    pub(crate) fn grow(&mut self, w: &mut Window, a: &Ack) {
        self.grow_by(w, a, 1.0);
    }

    /// The same at a fraction of the speed, for start-ups that brake.
    pub(crate) fn grow_by(&mut self, w: &mut Window, a: &Ack, share: f64) {
        w.cwnd += share * self.earned(w, a);
        if matches!(self.policy, Policy::Packets) && w.cwnd > w.ssthresh {
            self.leftover = ((w.cwnd - w.ssthresh) / share * f64::from(w.mss)) as u64;
            w.cwnd = w.ssthresh;
        }
    }

    /// Leaves all of `a` to the avoidance: the start-up ended before using it.
    pub(crate) fn spare(&mut self, a: &Ack) {
        self.leftover = match self.policy {
            Policy::Packets => a.delivered,
            _ => a.acked,
        };
    }

    /// What the last ACK had beyond what growth used, in bytes.
    pub(crate) fn leftover(&self) -> u64 {
        self.leftover
    }

    /// The slow start that a timeout began is over.
    pub(crate) fn on_loss(&mut self) {
        self.after_timeout = false;
    }

    /// Growth is limited to one segment per ACK until that slow start is over.
    pub(crate) fn on_timeout(&mut self) {
        self.after_timeout = true;
    }
}

/// Slow start.
struct SlowStart {
    growth: Growth,
    opening: Opening,
}

impl Startup for SlowStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.opening.open(w, e);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) -> Option<Reason> {
        self.growth.grow(w, a);
        None
    }

    fn on_loss(&mut self, _w: &mut Window, _l: &Loss) -> LossResponse {
        self.growth.on_loss();
        LossResponse::Standard
    }

    fn on_timeout(&mut self, _w: &mut Window, _t: &Timeout) {
        self.growth.on_timeout();
    }

    fn leftover(&self) -> u64 {
        self.growth.leftover()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{established, rounds, Receiver};
    use crate::Time;

    const NS2: Convention = Convention::Ns2;

    #[test]
    fn windows_at_round_boundaries_with_every_segment_acked() {
        let windows = rounds("slow-start:iw=3", NS2, Receiver::EverySegment, 11);
        let expected = [3, 6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072].map(f64::from);
        assert_eq!(windows, expected);
    }

    #[test]
    fn windows_at_round_boundaries_with_delayed_acks() {
        let per_ack = rounds("slow-start:iw=3", NS2, Receiver::Delayed, 11);
        assert_eq!(
            per_ack,
            [3, 5, 8, 12, 18, 27, 41, 62, 93, 140, 210].map(f64::from)
        );
        let abc = rounds("slow-start:iw=10", Convention::Rfc, Receiver::Delayed, 6);
        assert_eq!(abc, [10, 20, 40, 80, 160, 320].map(f64::from));
        let wide = rounds("slow-start:iw=10", NS2, Receiver::Delayed, 7);
        assert_eq!(wide, [10, 15, 23, 35, 53, 80, 120].map(f64::from));
        let per_byte = rounds(
            "slow-start:iw=10,growth=per-byte",
            NS2,
            Receiver::Delayed,
            7,
        );
        assert_eq!(per_byte, wide);
        let packets = rounds("slow-start:iw=10", Convention::Linux, Receiver::Delayed, 6);
        assert_eq!(packets, abc);
        let bytes = rounds("slow-start:iw=10", Convention::Quic, Receiver::Delayed, 6);
        assert_eq!(bytes, abc);
    }

    #[test]
    fn quic_counts_every_byte_however_many_an_ack_covers() {
        let c = crate::catalog::controller("slow-start", "reno", Convention::Quic);
        let mut c = c.unwrap();
        let mut w = Window::new(1460);
        w.cwnd = 40.0;
        c.on_ack(&mut w, &Ack::of(Time::ZERO, 20 * 1460));
        assert_eq!(w.cwnd, 60.0);
    }

    /// Rounds after which `segments` have been sent.
    fn rounds_to_deliver(iw: u32, segments: u64) -> usize {
        let windows = rounds(
            &format!("slow-start:iw={iw}"),
            NS2,
            Receiver::EverySegment,
            14,
        );
        let mut left = segments as f64;
        1 + windows
            .iter()
            .position(|w| {
                left -= w;
                left <= 0.0
            })
            .unwrap()
    }

    #[test]
    fn rounds_that_a_transfer_takes() {
        let expected = [
            (64, [7, 6, 5, 5, 3]),
            (120, [7, 6, 6, 5, 4]),
            (200, [8, 7, 7, 6, 5]),
            (685, [10, 9, 8, 8, 7]),
        ];
        for (segments, by_iw) in expected {
            let found = [1, 2, 3, 4, 10].map(|iw| rounds_to_deliver(iw, segments));
            assert_eq!(found, by_iw, "{segments} segments");
        }
        for (segments, iw10, iw32) in [
            (11, 2, 1),
            (69, 3, 2),
            (206, 5, 3),
            (685, 7, 5),
            (1713, 8, 6),
            (3425, 9, 7),
        ] {
            assert_eq!(
                rounds_to_deliver(10, segments),
                iw10,
                "{segments} segments, IW 10"
            );
            assert_eq!(
                rounds_to_deliver(32, segments),
                iw32,
                "{segments} segments, IW 32"
            );
        }
    }

    #[test]
    fn byte_counting_credits_one_segment_in_the_slow_start_after_a_timeout() {
        let (mut c, mut w) = established("slow-start", Convention::Rfc);
        let two = Ack::of(Time::ZERO, 2 * 1460);
        c.on_ack(&mut w, &two);
        assert_eq!(w.cwnd, 12.0);
        let timeout = Timeout {
            now: Time::ZERO,
            flight: 12 * 1460,
            usable: 12.0,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 6.0));
        c.on_ack(&mut w, &two);
        assert_eq!(w.cwnd, 2.0);
    }

    #[test]
    fn linux_stops_at_the_threshold_and_leaves_the_rest_to_the_avoidance() {
        let (mut c, mut w) = established("slow-start:ssthresh=12", Convention::Linux);
        c.on_ack(&mut w, &Ack::of(Time::ZERO, 8 * 1460));
        assert_eq!(w.cwnd, 12.0);
        // Six of the eight packets count towards the next window of twelve.
        c.on_ack(&mut w, &Ack::of(Time::ZERO, 6 * 1460));
        assert_eq!(w.cwnd, 13.0);
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let (mut c, mut w) = established("slow-start", Convention::Rfc);
        let ack = Ack {
            cwnd_limited: false,
            ..Ack::of(Time::ZERO, 1460)
        };
        c.on_ack(&mut w, &ack);
        assert_eq!(w.cwnd, 10.0);
    }

    #[test]
    fn a_lost_syn_outweighs_a_generous_first_window() {
        let mut c =
            crate::catalog::controller("slow-start:iw=32", "reno", Convention::Rfc).unwrap();
        let mut w = Window::new(1460);
        c.on_established(&mut w, &Established::at(Time::from_secs(1)));
        assert_eq!(w.cwnd, 1.0);
    }

    #[test]
    fn under_ns2_the_first_threshold_is_the_peers_window() {
        let mut c = crate::catalog::controller("slow-start", "reno", NS2).unwrap();
        let mut w = Window::new(1460);
        let e = Established {
            peer_window: 10_000 * 1460,
            ..Established::at(Time::ZERO)
        };
        c.on_established(&mut w, &e);
        assert_eq!(w.ssthresh, 10_000.0);
    }
}
