//! Slow start: double the window every round trip until something stops it.
//!
//! RFC 5681 §3.1 (M. Allman, V. Paxson, E. Blanton, September 2009), after Jacobson's
//! "Congestion Avoidance and Control" (1988). A sender without information about its path
//! begins with a small window and adds to it what each acknowledgement reports as
//! delivered: each packet that got through lets two follow. The window doubles per round
//! trip and so finds any capacity in logarithmic time, but the last doubling overshoots
//! by as much as the path and its buffer hold together. Every other startup here is an
//! answer to that one property or to the rounds it takes.
//!
//! What an ACK adds has been settled in several ways, because receivers delay ACKs and
//! some covered many segments or parts of one: one segment per ACK, the bytes covered up to
//! one segment (eq. 2 of the RFC), up to `L` segments (appropriate byte counting,
//! RFC 3465), every packet (Linux), or every byte (QUIC, RFC 9002 §7.3.1).
//!
//! # State
//!
//! Whether a timeout came last, and what the last ACK had to spare at the threshold
//! ([`crate::slow_start`]).
//!
//! # Deviations
//!
//! - None from the RFC. Which of its allowed forms holds (`growth`, the first window, whether the
//!   threshold itself counts as below it) is the stack's, so that each stack is as its own.

use super::{Maker, Startup, copies};
use crate::entry::{Certainty, Entry};
use crate::signals::Ack;
use crate::slow_start::{self, SlowStart};
use crate::{Reason, Window};

/// Entry of `slow-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "slow-start",
    title: "Slow start",
    source: "Jacobson, SIGCOMM 1988; RFC 5681 §3.1",
    year: 1988,
    opened: "text: RFC 5681, RFC 6928 and RFC 3465; code: ns-2.35 tcp.cc, Linux tcp_slow_start",
    compared: "first window, growth, threshold, restart, timeout",
    summary: "Doubles the window every round trip until a loss or the threshold.",
    params: slow_start::Settings::PARAMS,
    needs: &[],
    certainty: Certainty::Text,
    build: |_, _| Ok(copies(Plain)),
};

/// Nothing but the rules that all share.
#[derive(Clone)]
struct Plain;

impl Startup for Plain {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        slow_start.grow(w, a);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::{Established, Timeout};
    use crate::testing::{Receiver, established, rounds};
    use crate::{Convention, Instant};

    const NS2: Convention = Convention::NS2;

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
        let abc = rounds("slow-start:iw=10", Convention::RFC, Receiver::Delayed, 6);
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
        let packets = rounds("slow-start:iw=10", Convention::LINUX, Receiver::Delayed, 6);
        assert_eq!(packets, abc);
        let bytes = rounds("slow-start:iw=10", Convention::QUIC, Receiver::Delayed, 6);
        assert_eq!(bytes, abc);
    }

    #[test]
    fn quic_counts_every_byte_however_many_an_ack_covers() {
        let c = crate::catalog::controller("slow-start", "reno", Convention::QUIC);
        let mut c = c.unwrap();
        let mut w = Window::new(1460);
        w.cwnd = 40.0;
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 20 * 1460));
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
        let (mut c, mut w) = established("slow-start", Convention::RFC);
        let two = Ack::of(Instant::ZERO, 2 * 1460);
        c.on_ack(&mut w, &two);
        assert_eq!(w.cwnd, 12.0);
        let timeout = Timeout {
            now: Instant::ZERO,
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
        let (mut c, mut w) = established("slow-start:ssthresh=12", Convention::LINUX);
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 8 * 1460));
        assert_eq!(w.cwnd, 12.0);
        // Six of the eight packets count towards the next window of twelve.
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 6 * 1460));
        assert_eq!(w.cwnd, 13.0);
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let (mut c, mut w) = established("slow-start", Convention::RFC);
        let ack = Ack {
            cwnd_limited: false,
            ..Ack::of(Instant::ZERO, 1460)
        };
        c.on_ack(&mut w, &ack);
        assert_eq!(w.cwnd, 10.0);
    }

    #[test]
    fn a_lost_syn_outweighs_a_generous_first_window() {
        let mut c =
            crate::catalog::controller("slow-start:iw=32", "reno", Convention::RFC).unwrap();
        let mut w = Window::new(1460);
        c.on_established(&mut w, &Established::at(Instant::from_secs(1)));
        assert_eq!(w.cwnd, 1.0);
    }

    #[test]
    fn under_ns2_the_first_threshold_is_the_peers_window() {
        let mut c = crate::catalog::controller("slow-start", "reno", NS2).unwrap();
        let mut w = Window::new(1460);
        let e = Established {
            peer_window: 10_000 * 1460,
            ..Established::at(Instant::ZERO)
        };
        c.on_established(&mut w, &e);
        assert_eq!(w.ssthresh, 10_000.0);
    }
}
