//! What lets a window grow that is not used: the rules for a sender that the application or the
//! peer's window holds back.
//!
//! A stack has a rule, which the transport applies ([`Ack::cwnd_limited`]): RFC 9002
//! §7.8 under `rfc` and `quic`, the kernel's under `linux`, none under `ns2`. The parameter
//! `growth_gate` puts another in its place, for the startup and for the avoidance after it. A
//! startup that owns the window ([`Startup::owns_cwnd`](crate::startup::Startup::owns_cwnd)) is
//! exempt.
//!
//! Rate-limited increase is draft-ietf-ccwg-ratelimited-increase, the editor's copy of 21 August
//! 2026 (235b6eb in its repository, after -10). Its `maxFS` is the largest FlightSize since the
//! window last came down, and the window of a rate-limited sender may grow to what the growth rule
//! would make of `maxFS` in a round trip.
//!
//! # Deviations
//!
//! - FlightSize is taken as an ACK arrives, before the ACK takes its bytes off: sending only raises it
//!   until then, so that is the largest since the ACK before. A flight of which nothing is
//!   acknowledged before the window comes down is not seen.
//! - A sender is rate-limited where its flight leaves room for a segment and nothing waits that the
//!   peer has room for; the draft requires `FlightSize < cwnd` alone. A pacer that holds data back is
//!   not the application, and a window of a fraction of a segment more is used.
//! - `limit(maxFS)` of an avoidance is one segment more than `maxFS`, which is the draft's for
//!   RFC 5681; CUBIC's own target for a window of `maxFS` is not computed. That of a startup is
//!   `maxFS` and what it earns for so much at the rate of the ACK under way, `maxFS` at least: twice
//!   in slow start and its slower variations, three times at Rapid Start's speed.
//! - The draft's rule for senders that are governed by a rate alone is not here.

use crate::signals::Ack;
use crate::{Segments, Window, named};

/// What was sent until the window was last what held data back: a window may grow only with the
/// acknowledgements of that (RFC 7661 §1, RFC 9002 §7.8).
#[derive(Clone, Copy, Debug, Default)]
pub struct CwndLimited {
    until: u64,
}

impl CwndLimited {
    /// The window holds data back with all below `high` sent.
    pub fn note(&mut self, high: u64) {
        self.until = high;
    }

    /// Whether an acknowledgement up to `una` is of such data.
    pub fn covers(self, una: u64) -> bool {
        una <= self.until
    }
}

/// Bytes in flight before an ACK, without those that it shows to be lost.
pub(crate) fn flight_before(a: &Ack) -> u64 {
    a.flight + a.delivered
}

/// Whether half of the window or more was in use in slow start, where `most` bytes were out
/// (Linux's `tcp_is_cwnd_limited`).
pub fn is_half_used(w: &Window, most: u64) -> bool {
    w.in_slow_start() && !w.holds(2 * most)
}

named! {
    /// Which rule.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum GateRule {
        /// The window grows with every ACK.
        None = "none",
        /// ACKs of data whose flight used it (RFC 9002 §7.8).
        CwndLimited = "cwnd-limited",
        /// In slow start also where more than half of it was out (Linux's `tcp_is_cwnd_limited`).
        Linux = "linux",
        /// To what was in flight since it last came down, and a round trip's growth.
        RateLimited = "ratelimited",
    }
}

/// A gate in the place of the stack's, with what it remembers of the flight.
#[derive(Clone, Debug)]
pub(crate) struct GrowthGate {
    rule: GateRule,
    /// `maxFS`, in bytes.
    max_flight: u64,
    /// The window as it was left: where it is less now, it has come down.
    cwnd: Segments,
    /// Linux's `is_cwnd_limited` lasts so long.
    limited: CwndLimited,
    /// Linux: the maximum flight in the window that ends at `most_until`.
    most: u64,
    most_until: u64,
}

impl GrowthGate {
    pub(crate) fn of(rule: GateRule) -> GrowthGate {
        GrowthGate {
            rule,
            max_flight: 0,
            cwnd: 0.0,
            limited: CwndLimited::default(),
            most: 0,
            most_until: 0,
        }
    }

    /// The first window is set: "maxFS parameter to initcwnd".
    pub(crate) fn open(&mut self, w: &Window) {
        self.max_flight = w.cwnd_bytes();
        self.cwnd = w.cwnd;
    }

    /// An ACK has arrived: takes in the flight that it found. True where the sender was
    /// rate-limited.
    pub(crate) fn measure(&mut self, w: &Window, a: &Ack) -> bool {
        self.note(w);
        let flight = a.nxt - a.una + a.acked;
        self.max_flight = self.max_flight.max(flight);
        let used = !w.has_room(flight);
        let waits = a.queued > 0 && flight.saturating_add(w.mss.into()) <= a.peer_window;
        if used || waits {
            self.limited.note(a.nxt);
        }
        if a.una - a.acked >= self.most_until || flight > self.most {
            (self.most, self.most_until) = (flight, a.nxt);
        }
        !(used || waits)
    }

    /// Whether the window may grow with this ACK, which has been measured.
    pub(crate) fn admits(&self, w: &Window, a: &Ack) -> bool {
        let limited = self.limited.covers(a.una);
        match self.rule {
            GateRule::None | GateRule::RateLimited => true,
            GateRule::CwndLimited => limited,
            GateRule::Linux => limited || is_half_used(w, self.most),
        }
    }

    /// The window has grown from `before` with an ACK that found the sender rate-limited, by slow
    /// start's rule or the avoidance's: takes back what is above the limit.
    pub(crate) fn cap(&self, w: &mut Window, before: Segments, slow_start: bool, a: &Ack) {
        if self.rule != GateRule::RateLimited {
            return;
        }
        let max_flight = w.segments(self.max_flight);
        let limit = if slow_start {
            let earned = (w.cwnd - before) / w.segments(a.credit).ceil().max(1.0);
            max_flight * (1.0 + earned.max(1.0))
        } else {
            max_flight + 1.0
        };
        w.cwnd = w.cwnd.min(limit.max(before));
    }

    /// Whatever comes after is compared with this window.
    pub(crate) fn note(&mut self, w: &Window) {
        if w.cwnd < self.cwnd {
            self.max_flight = 0;
        }
        self.cwnd = w.cwnd;
    }
}

#[cfg(test)]
mod tests {
    use crate::signals::{Ack, Established, Loss};
    use crate::testing::RTT;
    use crate::{Controller, Convention, Instant, Window, catalog};

    const MSS: u64 = 1000;

    /// A sender of segments of 1000 bytes, every one of which is acknowledged.
    struct Sender {
        c: Controller,
        w: Window,
        una: u64,
        queued: u64,
        peer_window: u64,
    }

    impl Sender {
        fn new(startup: &str) -> Sender {
            Sender::under(startup, Convention::RFC)
        }

        fn under(startup: &str, convention: Convention) -> Sender {
            let mut c = catalog::controller(startup, "reno", convention).unwrap();
            let mut w = Window::new(MSS as u32);
            let e = Established {
                initial_window: 10.0,
                rtt: Some(RTT),
                ..Established::at(Instant::ZERO + RTT)
            };
            c.on_established(&mut w, &e);
            Sender {
                c,
                w,
                una: 0,
                queued: 0,
                peer_window: u64::MAX,
            }
        }

        /// What the transport would report of this, where the flight does not use the window.
        fn ack(&mut self, nxt: u64) -> Ack {
            self.una += MSS;
            Ack {
                una: self.una,
                nxt,
                flight: nxt - self.una,
                cwnd_limited: false,
                rtt: Some(RTT),
                queued: self.queued,
                peer_window: self.peer_window,
                ..Ack::of(Instant::ZERO, MSS)
            }
        }

        /// So many segments at once, and all their acknowledgements; the window after each.
        fn round(&mut self, segments: u64) -> Vec<u64> {
            let nxt = self.una + segments * MSS;
            let mut windows = vec![];
            while self.una < nxt {
                let ack = self.ack(nxt);
                self.c.on_ack(&mut self.w, &ack);
                windows.push(self.w.cwnd_bytes());
            }
            windows
        }

        fn window_after(&mut self, segments: u64) -> u64 {
            self.round(segments).last().copied().unwrap()
        }

        fn lose(&mut self, flight: u64) {
            let loss = Loss {
                now: Instant::ZERO,
                flight,
                usable: self.w.cwnd,
            };
            self.c.on_loss(&mut self.w, &loss);
        }
    }

    /// V1
    #[test]
    fn slow_start_grows_to_twice_the_largest_flight_and_the_first_window_counts_as_one() {
        let mut sender = Sender::new("slow-start:growth_gate=ratelimited");
        assert_eq!(sender.window_after(4), 14_000);
        let windows = [
            15_000, 16_000, 17_000, 18_000, 19_000, 20_000, 20_000, 20_000,
        ];
        assert_eq!(sender.round(8), windows);
        assert_eq!(sender.window_after(4), 20_000);
    }

    /// V2
    #[test]
    fn a_flight_that_uses_the_window_raises_the_limit() {
        let mut sender = Sender::new("slow-start:growth_gate=ratelimited");
        for segments in [4, 8, 4] {
            sender.round(segments);
        }
        assert_eq!(sender.window_after(20), 40_000);
    }

    /// V3
    #[test]
    fn ten_segments_and_then_four_leave_twenty_and_without_a_rule_twenty_four() {
        for (gate, window) in [("none", 24_000), ("ratelimited", 20_000)] {
            let mut sender = Sender::new(&format!("slow-start:growth_gate={gate}"));
            sender.round(10);
            assert_eq!(sender.window_after(4), window, "{gate}");
        }
    }

    /// In avoidance since a loss has left 20 segments, with whole windows acknowledged twice.
    fn after_a_loss(flights: u64) -> Sender {
        let mut sender = Sender::new("slow-start:growth_gate=ratelimited");
        sender.round(10);
        sender.round(20);
        sender.lose(40_000);
        assert_eq!(sender.w.cwnd_bytes(), 20_000);
        sender.round(flights);
        sender
    }

    /// V4
    #[test]
    fn after_slow_start_the_limit_is_a_segment_above_the_largest_flight_since_the_cut() {
        let mut sender = after_a_loss(8);
        (0..9).for_each(|_| assert_eq!(sender.window_after(8), 20_000));
        // 19 500 bytes give 20 500: half a segment of what the next whole one would add.
        let mut sender = after_a_loss(8);
        let nxt = sender.una + 19_500;
        while sender.una + MSS <= nxt {
            let ack = sender.ack(nxt);
            sender.c.on_ack(&mut sender.w, &ack);
        }
        assert_eq!(sender.w.cwnd_bytes(), 20_500);
    }

    /// V5
    #[test]
    fn what_is_in_flight_at_a_cut_counts_from_the_next_ack_on() {
        let mut sender = after_a_loss(30);
        // Limit 31 000: a window of 20 has grown by a segment and will by others.
        assert_eq!(sender.w.cwnd_bytes(), 21_000);
        assert_eq!(sender.window_after(10), 21_000);
        assert_eq!(sender.window_after(11), 22_000);
    }

    #[test]
    fn a_smaller_limit_cuts_nothing() {
        let mut sender = after_a_loss(3);
        assert_eq!(sender.window_after(3), 20_000);
    }

    #[test]
    fn only_a_used_window_grows_under_rfc_9002() {
        let mut sender = Sender::new("slow-start:growth_gate=cwnd-limited");
        assert_eq!(sender.window_after(9), 10_000);
        assert_eq!(sender.window_after(10), 20_000);
        assert_eq!(sender.window_after(19), 20_000);
    }

    #[test]
    fn under_linux_more_than_half_of_it_is_enough_in_slow_start() {
        let mut sender = Sender::new("slow-start:growth_gate=linux");
        assert_eq!(sender.window_after(5), 10_000);
        // Till the window is twice the six that were out.
        assert_eq!(sender.window_after(6), 12_000);
        assert_eq!(sender.window_after(6), 12_000);
        sender.lose(24_000);
        assert_eq!(sender.w.cwnd_bytes(), 12_000);
        (0..9).for_each(|_| assert_eq!(sender.window_after(11), 12_000));
    }

    #[test]
    fn rapid_start_grows_to_three_times_the_largest_flight() {
        for (speed, window) in [("slow-start", 20_000), ("rapid-start", 30_000)] {
            let spec = format!("search:speed={speed},growth_gate=ratelimited");
            let mut sender = Sender::new(&spec);
            (0..4).for_each(|_| {
                sender.round(6);
            });
            assert_eq!(sender.w.cwnd_bytes(), window, "{speed}");
        }
    }

    #[test]
    fn data_that_a_pacer_holds_back_is_no_limit_of_the_application() {
        let mut sender = Sender::new("slow-start:growth_gate=cwnd-limited");
        sender.queued = 100_000;
        assert_eq!(sender.window_after(4), 14_000);
        // The peer's window is one.
        sender.peer_window = 4_000;
        assert_eq!(sender.round(4)[0], 14_000);
    }

    #[test]
    fn without_a_gate_the_stack_decides() {
        for convention in [Convention::RFC, Convention::LINUX, Convention::QUIC] {
            let mut sender = Sender::under("slow-start", convention);
            assert_eq!(sender.window_after(10), 10_000);
        }
    }

    #[test]
    fn an_unknown_rule_is_refused_with_those_there_are() {
        let refused = catalog::controller("hystart:growth_gate=cwv", "reno", Convention::RFC);
        assert_eq!(
            refused.err().unwrap().to_string(),
            "startup `hystart`: parameter `growth_gate`: `cwv` is not one of `none`, \
             `cwnd-limited`, `linux`, `ratelimited`"
        );
    }
}
