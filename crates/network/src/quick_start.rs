//! Quick-Start in routers: how much of a link a router grants to requests.
//!
//! A rate request names a rate. Each router on its way approves that rate, a lower one or
//! none, for the link over which it sends the request on, and remembers for a while what it
//! has approved, since approved data is not on the link yet (RFC 4782 §3.3 and appendix D).
//! Five rules of admission: the RFC's, and the four of ns-2's `QSAgent`.

use super::random::below;
use flowstart_control::{Duration, Instant, Rate};
use flowstart_control::{RateCodes, named};
use flowstart_wire::RateRequest;
use rand_pcg::Pcg64Mcg;
use std::collections::VecDeque;

named! {
    /// How a router decides.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Admission {
        /// It does not know the option and forwards it unchanged.
        Ignorant = "none",
        /// RFC 4782 appendix D: what is left below the threshold, rounded before it is booked.
        Rfc = "rfc",
        /// ns-2's first: a share of what is free, no more than `max_rate`.
        Share = "share",
        /// ns-2's second: all that is requested while the link is below the threshold.
        Minimal = "minimal",
        /// ns-2's third and default: what is left below the share that may be allocated.
        Target = "target",
        /// ns-2's fourth: everything, always.
        Everything = "everything",
    }
}

/// How the routers of a path decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Rule by which requests are decided.
    pub admission: Admission,
    /// Nothing is approved above this utilisation, approvals included.
    pub threshold: f64,
    /// The share of the link that may be allocated.
    pub allocation: f64,
    /// An approval counts for one to two of these; utilisation is measured over as long.
    pub state_delay: Duration,
    /// Maximum for one request under [`Admission::Share`].
    pub max_rate: Rate,
    /// Code of rates on this network.
    pub codes: RateCodes,
}

impl Policy {
    /// RFC 4782 appendix D: intervals of 150 ms.
    pub const RFC: Policy = Policy {
        admission: Admission::Rfc,
        threshold: 0.85,
        allocation: 0.85,
        state_delay: Duration::from_millis(150),
        max_rate: MAX_RATE,
        codes: RateCodes::Powers,
    };

    /// Policy with the defaults of ns-2.35.
    pub const NS2: Policy = Policy {
        admission: Admission::Target,
        state_delay: Duration::from_millis(200),
        ..Policy::RFC
    };
}

/// ns-2's `max_rate_`, 256 kB/s of 1024 bytes.
const MAX_RATE: Rate = Rate(256 * 1024 * 8);

/// The nonce has room for so many steps of the rate, two bits each.
const NONCE_STEPS: u8 = 15;

/// A router, as far as one of its output links goes; or a host, whose own link is subject to
/// the same rule but which forwards nothing.
pub struct Router {
    policy: Policy,
    rate: f64,
    forwards: bool,
    load: Load,
    approvals: Approvals,
    nonces: Pcg64Mcg,
}

impl Router {
    /// The output link has `rate`; `forwards` is false for a host.
    pub fn new(policy: Policy, rate: Rate, forwards: bool, nonces: Pcg64Mcg) -> Router {
        Router {
            policy,
            rate: rate.bps() as f64,
            forwards,
            load: Load::new(policy.state_delay),
            approvals: Approvals::default(),
            nonces,
        }
    }

    /// A packet comes to the output link, which would be busy until then without it.
    pub fn observe(&mut self, now: Instant, busy_until: Instant) {
        self.load.advance(now, busy_until);
    }

    /// Processes a request that is about to leave over the link.
    pub fn on_request(&mut self, request: RateRequest, now: Instant) -> RateRequest {
        let hop = u8::from(self.forwards);
        let ip_ttl = request.ip_ttl.wrapping_sub(hop);
        if self.policy.admission == Admission::Ignorant {
            return RateRequest { ip_ttl, ..request };
        }
        let code = if request.code == 0 {
            0
        } else {
            self.admit(request.code, now)
        };
        if code == 0 {
            // §3.3: so that no router further on takes it for approved.
            return RateRequest {
                code: 0,
                qs_ttl: 0,
                nonce: 0,
                ip_ttl,
            };
        }
        RateRequest {
            code,
            qs_ttl: request.qs_ttl.wrapping_sub(hop),
            ip_ttl,
            nonce: self.scramble(request.nonce, code, request.code),
        }
    }

    /// The code of what is approved, which is booked.
    fn admit(&mut self, code: u8, now: Instant) -> u8 {
        let policy = self.policy;
        let codes = policy.codes;
        let wish = codes.decode(code).bps() as f64;
        let booked = self.approvals.sum(now, policy.state_delay);
        let below = |used: f64| policy.threshold * self.rate - used;
        let grant = match policy.admission {
            Admission::Ignorant => 0.0,
            Admission::Everything => wish,
            Admission::Share => {
                let free = self.rate * (1.0 - self.load.average()) - booked;
                let share = free * policy.allocation;
                share.min(wish).min(policy.max_rate.bps() as f64)
            }
            Admission::Minimal if below(self.rate * self.load.average() + booked) > 0.0 => {
                wish.min(policy.allocation * self.rate)
            }
            Admission::Target if below(self.rate * self.load.peak() + booked) > 0.0 => {
                let used = self.rate * self.load.peak() + booked;
                wish.min(policy.allocation * self.rate - used)
            }
            Admission::Minimal | Admission::Target => 0.0,
            Admission::Rfc => wish.min(below(self.rate * self.load.peak() + booked)),
        };
        let code = codes.encode_down(Rate(grant.max(0.0) as u64));
        // ns-2 books what it would grant before rounding, even what rounds to nothing.
        self.approvals.book(match policy.admission {
            Admission::Rfc => codes.decode(code).bps() as f64,
            _ => grant.max(0.0),
        });
        code
    }

    /// §3.4: a router that lowers the rate makes the nonce of each step that it takes away
    /// unknown, so that raising it again does not go unseen.
    fn scramble(&mut self, nonce: u32, to: u8, from: u8) -> u32 {
        let steps = to..from.min(NONCE_STEPS);
        steps.fold(nonce, |nonce, step| {
            let at = 2 * u32::from(step);
            let bits = below(&mut self.nonces, 4) as u32;
            nonce & !(0b11 << at) | bits << at
        })
    }
}

/// What has been approved in this interval and in the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Approvals {
    interval: u64,
    now: f64,
    before: f64,
}

impl Approvals {
    fn sum(&mut self, now: Instant, length: Duration) -> f64 {
        let interval = now.nanos() / length.nanos();
        match interval - self.interval {
            0 => {}
            1 => (self.before, self.now) = (self.now, 0.0),
            _ => (self.before, self.now) = (0.0, 0.0),
        }
        self.interval = interval;
        self.now + self.before
    }

    fn book(&mut self, bps: f64) {
        self.now += bps;
    }
}

/// How busy a link has been: an exponential average, and the busiest of the last windows
/// (ns-2's `queue.cc`).
struct Load {
    at: Instant,
    average: f64,
    window: Duration,
    /// Time busy in the window that is not over.
    busy: Duration,
    /// Shares of the windows that are.
    finished: VecDeque<f64>,
}

/// The weight of the average, per second (`util_weight_`).
const WEIGHT: f64 = 0.8;
/// So many windows make the peak (`util_records_`).
const WINDOWS: usize = 5;

impl Load {
    fn new(window: Duration) -> Load {
        Load {
            at: Instant::ZERO,
            average: 0.0,
            window,
            busy: Duration::ZERO,
            finished: VecDeque::with_capacity(WINDOWS),
        }
    }

    /// Time passes: the link was busy up to `busy_until`, then idle.
    fn advance(&mut self, now: Instant, busy_until: Instant) {
        self.pass(busy_until.min(now), true);
        self.pass(now, false);
    }

    fn pass(&mut self, to: Instant, busy: bool) {
        if to <= self.at {
            return;
        }
        let state = f64::from(u8::from(busy));
        let kept = libm::exp(-WEIGHT * to.since(self.at).secs());
        self.average = state + (self.average - state) * kept;
        let window = self.window.nanos();
        // Longer than all that is kept: the windows are all alike.
        if to.since(self.at).nanos() / window > WINDOWS as u64 {
            self.finished = VecDeque::from([state; WINDOWS]);
            self.at = Instant(to.nanos() / window * window);
            self.busy = Duration::ZERO;
        }
        while self.at < to {
            let end = Instant((self.at.nanos() / window + 1) * window);
            let until = end.min(to);
            if busy {
                self.busy += until.since(self.at);
            }
            self.at = until;
            if until == end {
                self.finish();
            }
        }
    }

    fn finish(&mut self) {
        if self.finished.len() == WINDOWS {
            self.finished.pop_front();
        }
        let share = self.busy.nanos() as f64 / self.window.nanos() as f64;
        self.finished.push_back(share);
        self.busy = Duration::ZERO;
    }

    /// The average, 0 to 1.
    fn average(&self) -> f64 {
        self.average
    }

    /// The busiest of the last windows, 0 to 1.
    fn peak(&self) -> f64 {
        self.finished.iter().copied().fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    /// 640 000 bytes a second.
    const CODE_7: u8 = 7;
    const LINK: Rate = Rate(10_000_000);

    fn router(policy: Policy) -> Router {
        Router::new(policy, LINK, true, stream(1, "test", 0))
    }

    fn request(code: u8) -> RateRequest {
        RateRequest {
            code,
            qs_ttl: 91,
            ip_ttl: 63,
            nonce: 0x2AAA_AAAA,
        }
    }

    /// What five requests, 10 ms apart, are granted, in bytes a second.
    fn grants(mut router: Router, from: Instant) -> Vec<u64> {
        (0..5)
            .map(|i| {
                let now = from + Duration::from_millis(10 * i);
                let code = router.on_request(request(CODE_7), now).code;
                RateCodes::Powers.decode(code).bps() / 8
            })
            .collect()
    }

    #[test]
    fn every_rule_grants_an_idle_link_as_its_source_does() {
        let with = |admission| {
            let policy = Policy {
                admission,
                ..Policy::NS2
            };
            grants(router(policy), Instant::ZERO)
        };
        assert_eq!(with(Admission::Rfc), [640_000, 320_000, 80_000, 20_000, 0]);
        assert_eq!(with(Admission::Target), [640_000, 320_000, 0, 0, 0]);
        assert_eq!(with(Admission::Share)[..4], [160_000; 4]);
        assert_eq!(with(Admission::Minimal), [640_000, 640_000, 0, 0, 0]);
        assert_eq!(with(Admission::Everything), [640_000; 5]);
    }

    #[test]
    fn the_largest_linear_rate_is_approved_with_its_nonce() {
        let policy = Policy {
            admission: Admission::Everything,
            codes: RateCodes::Linear,
            ..Policy::RFC
        };
        let answer = router(policy).on_request(request(u8::MAX), Instant::ZERO);
        assert_eq!((answer.code, answer.nonce), (u8::MAX, request(0).nonce));
    }

    #[test]
    fn a_loaded_link_has_less_to_give() {
        let policy = Policy {
            threshold: 0.95,
            ..Policy::RFC
        };
        let mut router = router(policy);
        // Every window was busy for three tenths of its length.
        for window in 0..10 {
            let begin = Instant::from_millis(150 * window);
            let end = begin + Duration::from_millis(45);
            router.observe(begin, Instant::ZERO);
            router.observe(end, end);
        }
        let now = Instant::from_millis(1500);
        router.observe(now, Instant::ZERO);
        assert_eq!(grants(router, now), [640_000, 160_000, 10_000, 0, 0]);
    }

    #[test]
    fn an_approval_counts_for_one_to_two_intervals() {
        let mut router = router(Policy::NS2);
        let mut at = |ms| {
            router
                .on_request(request(CODE_7), Instant::from_millis(ms))
                .code
        };
        assert_eq!((at(150), at(160), at(170)), (7, 6, 0));
        assert_eq!((at(399), at(400)), (0, 7));
    }

    #[test]
    fn a_refusal_wipes_what_could_be_taken_for_an_approval() {
        let policy = Policy {
            threshold: 0.001,
            ..Policy::RFC
        };
        let refused = router(policy).on_request(request(CODE_7), Instant::ZERO);
        let wiped = RateRequest {
            code: 0,
            qs_ttl: 0,
            ip_ttl: 62,
            nonce: 0,
        };
        assert_eq!(refused, wiped);
    }

    #[test]
    fn a_router_that_does_not_know_the_option_only_counts_the_ip_ttl_down() {
        let policy = Policy {
            admission: Admission::Ignorant,
            ..Policy::RFC
        };
        let passed = router(policy).on_request(request(CODE_7), Instant::ZERO);
        let expected = RateRequest {
            ip_ttl: 62,
            ..request(CODE_7)
        };
        assert_eq!(passed, expected);
    }

    #[test]
    fn a_lowered_rate_changes_only_the_steps_taken_away() {
        let mut changed = 0;
        for seed in 0..64 {
            let mut router = Router::new(Policy::RFC, Rate(12_100_000), true, stream(seed, "t", 0));
            let lowered = router.on_request(request(11), Instant::ZERO);
            assert_eq!((lowered.code, lowered.qs_ttl, lowered.ip_ttl), (8, 90, 62));
            changed |= lowered.nonce ^ request(11).nonce;
        }
        assert_eq!(changed, 0b11_1111 << 16);
    }

    #[test]
    fn the_average_follows_how_busy_the_link_is() {
        let mut load = Load::new(Duration::from_millis(200));
        load.advance(Instant::from_secs(1), Instant::from_secs(1));
        assert!((load.average() - (1.0 - libm::exp(-0.8))).abs() < 1e-12);
        load.advance(Instant::from_secs(2), Instant::from_secs(1));
        let expected = (1.0 - libm::exp(-0.8)) * libm::exp(-0.8);
        assert!((load.average() - expected).abs() < 1e-12);
    }

    #[test]
    fn the_peak_forgets_all_but_the_last_windows() {
        let mut load = Load::new(Duration::from_millis(200));
        load.advance(Instant::from_millis(100), Instant::from_millis(100));
        load.advance(Instant::from_millis(200), Instant::from_millis(100));
        assert_eq!(load.peak(), 0.5);
        load.advance(Instant::from_millis(1199), Instant::ZERO);
        assert_eq!(load.peak(), 0.5);
        load.advance(Instant::from_millis(1200), Instant::ZERO);
        assert_eq!(load.peak(), 0.0);
    }
}
