//! Slow start's rules, of which every startup is a variation: how a connection opens, and what
//! an ACK adds to the window below the threshold.
//!
//! A [`Controller`](crate::Controller) keeps one [`SlowStart`] next to its startup: it opens the
//! window, hands the rules to the startup with each ACK, and reports losses and timeouts to them.

use crate::params::{Params, SpecError};
use crate::session::limited::{GateRule, flight_before};
use crate::signals::{Ack, Established};
use crate::{Convention, Family, InitialWindow, Segments, Window, params};

params! {
    /// Parameters of slow start, which other startups have too.
    pub struct Settings {
        /// what an ACK adds. per-ack: one segment; per-byte: what it covers, at most one segment
        /// (RFC 5681 eq. 2); abc: what it covers, at most `limit` segments, and one after a timeout
        /// (RFC 3465); packets: every packet that it reports, up to the threshold (Linux); bytes:
        /// all that it covers (RFC 9002 section 7.3.1)
        #[usual(
            "by stack: abc under rfc, per-ack under ns2, packets under linux, bytes under quic"
        )]
        growth: Option<Growth>,
        /// growth=abc: maximum that one ACK may add, RFC 3465's L
        limit: Segments = "2",
        /// the first window; after a lost SYN at most what the stack's rule allows
        #[usual("by stack: its initial-window rule")]
        iw: Option<InitialWindow>,
        /// the threshold while nothing is known of the path
        #[usual("by stack: the peer's window under ns2, otherwise unlimited")]
        ssthresh: Option<Segments>,
        /// which ACKs the window grows with, in slow start and after it. none: all; cwnd-limited:
        /// those of data that used the window (RFC 9002 section 7.8); linux: in slow start also
        /// where more than half of it was out; ratelimited: all, up to twice what was in flight
        /// since the window last came down, after slow start up to a segment more than that
        /// (draft-ietf-ccwg-ratelimited-increase)
        #[usual(
            "by stack: none under ns2 or with grow_when_app_limited, linux under linux, else \
             cwnd-limited"
        )]
        growth_gate: Option<GateRule>,
    }

    /// Rule for what an ACK adds to the window.
    pub enum Growth {
        /// One segment.
        PerAck = "per-ack",
        /// What it covers, at most one segment.
        PerByte = "per-byte",
        /// What it covers, at most `limit` segments.
        Abc = "abc",
        /// Every packet that it reports.
        Packets = "packets",
        /// Every byte that it covers.
        Bytes = "bytes",
    }
}

/// The parameters of a startup: those of these structs, and then those of slow start.
#[macro_export]
macro_rules! with_slow_start {
    ($($own:ty),+) => {
        $crate::joined![$(<$own>::PARAMS,)+ $crate::slow_start::Settings::PARAMS]
    };
}

/// Slow start with the parameters of one connection.
#[derive(Clone, Copy, Debug)]
pub struct SlowStart {
    iw: Option<InitialWindow>,
    ssthresh: Option<Segments>,
    convention: Convention,
    growth: GrowthRule,
    growth_gate: Option<GateRule>,
    after_timeout: bool,
    unused_acked: u64,
}

#[derive(Clone, Copy, Debug)]
enum GrowthRule {
    PerAck,
    Abc(Segments),
    Packets,
    Bytes,
    /// Those, up to twice the largest flight, in bytes (s2n-quic-core 0.91.0, `recovery/cubic.rs`,
    /// `SLOW_START_MAX_CWND_MULTIPLIER`).
    BytesOfFlight(u64),
}

impl GrowthRule {
    fn by_stack(convention: Convention) -> GrowthRule {
        GrowthRule::of(None, 2.0, convention)
    }

    fn of(growth: Option<Growth>, limit: Segments, convention: Convention) -> GrowthRule {
        if growth.is_none() && convention.grows_to_twice_the_flight {
            return GrowthRule::BytesOfFlight(0);
        }
        let by_stack = match convention.family {
            Family::Ns2 => Growth::PerAck,
            Family::Linux => Growth::Packets,
            Family::Quic => Growth::Bytes,
            Family::Rfc => Growth::Abc,
        };
        match growth.unwrap_or(by_stack) {
            Growth::PerAck => GrowthRule::PerAck,
            Growth::PerByte => GrowthRule::Abc(1.0),
            Growth::Abc => GrowthRule::Abc(limit),
            Growth::Packets => GrowthRule::Packets,
            Growth::Bytes => GrowthRule::Bytes,
        }
    }
}

impl SlowStart {
    /// As the stack has it.
    pub fn by_stack(convention: Convention) -> SlowStart {
        SlowStart {
            iw: None,
            ssthresh: None,
            convention,
            growth: GrowthRule::by_stack(convention),
            growth_gate: None,
            after_timeout: false,
            unused_acked: 0,
        }
    }

    /// By those of its parameters that the startup has.
    pub fn read(params: &Params, convention: Convention) -> Result<SlowStart, SpecError> {
        let settings = Settings::read(params)?;
        let growth = GrowthRule::of(settings.growth, settings.limit, convention);
        let counts = matches!(growth, GrowthRule::Abc(_));
        let counts = counts && settings.growth != Some(Growth::PerByte);
        params.effective(&Settings::limit, counts, "`growth=abc`")?;
        Ok(SlowStart {
            iw: settings.iw,
            ssthresh: settings.ssthresh,
            growth,
            growth_gate: settings.growth_gate,
            ..SlowStart::by_stack(convention)
        })
    }

    /// The convention of its stack.
    pub(crate) fn convention(&self) -> Convention {
        self.convention
    }

    /// What lets an unused window grow, where that is not the stack's rule.
    pub(crate) fn growth_gate(&self) -> Option<GateRule> {
        self.growth_gate
    }

    /// RFC 5681 §3.1: the initial window; the threshold "arbitrarily high". ns-2 takes
    /// the receiver's window for the latter.
    pub fn open(&self, w: &mut Window, e: &Established) {
        w.cwnd = match self.iw {
            None => e.initial_window,
            // A lost SYN is the only news of the path, and it is bad: a generous first
            // window does not overrule what the stack makes of it.
            Some(iw) if e.rtt.is_none() => iw.segments(w.mss).min(e.initial_window),
            Some(iw) => iw.segments(w.mss),
        };
        w.ssthresh = match self.ssthresh {
            Some(ssthresh) => ssthresh,
            None if self.convention.family == Family::Ns2 => peer_window(w, e.peer_window),
            None => f64::INFINITY,
        };
    }

    /// The segments for which `a` earns growth; none where the window was not what held
    /// the sender back, since an unused window is no evidence of anything (RFC 7661 §4;
    /// ns-2's transport calls every ACK limited).
    pub fn earned(&mut self, w: &Window, a: &Ack) -> Segments {
        self.unused_acked = 0;
        if !a.cwnd_limited {
            return 0.0;
        }
        match &mut self.growth {
            GrowthRule::PerAck => 1.0,
            // RFC 3465 §2.3. After a timeout an ACK may cover segments that had arrived
            // long before, so only one segment is credited.
            GrowthRule::Abc(limit) => {
                let limit = if self.after_timeout {
                    limit.min(1.0)
                } else {
                    *limit
                };
                w.segments(a.credit).min(limit)
            }
            // Linux counts packets, so a short one counts whole.
            GrowthRule::Packets => w.segments(a.delivered).ceil(),
            GrowthRule::Bytes => w.segments(a.credit),
            GrowthRule::BytesOfFlight(largest) => {
                *largest = flight_before(a).max(*largest);
                let room = 2.0 * w.segments(*largest) - w.cwnd;
                w.segments(a.credit).min(room.max(0.0))
            }
        }
    }

    /// RFC 5681 §3.1: the window grows by what the ACK earns. Linux stops at the
    /// threshold and leaves the rest to the avoidance.
    pub fn grow(&mut self, w: &mut Window, a: &Ack) {
        self.grow_by(w, a, 1.0);
    }

    /// Grows at a fraction of the speed, for startups that brake.
    pub fn grow_by(&mut self, w: &mut Window, a: &Ack, share: f64) {
        w.cwnd += share * self.earned(w, a);
        if matches!(self.growth, GrowthRule::Packets) && w.cwnd > w.ssthresh {
            self.unused_acked = ((w.cwnd - w.ssthresh) / share * f64::from(w.mss)) as u64;
            w.cwnd = w.ssthresh;
        }
    }

    /// Uses nothing of `a`: where the startup ends here, all of it is the avoidance's.
    pub fn leave_unused(&mut self, a: &Ack) {
        self.unused_acked = match self.growth {
            GrowthRule::Packets => a.delivered,
            _ => a.credit,
        };
    }

    /// Sets how many bytes of this ACK the avoidance is to grow by if the startup ends here.
    pub fn set_unused_acked(&mut self, bytes: u64) {
        self.unused_acked = bytes;
    }

    /// Bytes of the last ACK beyond what growth used.
    pub(crate) fn unused_acked(&self) -> u64 {
        self.unused_acked
    }

    /// The slow start that a timeout began is over.
    pub(crate) fn on_loss(&mut self) {
        self.after_timeout = false;
    }

    /// Nothing was lost: growth is as before the timeout.
    pub(crate) fn on_spurious(&mut self) {
        self.after_timeout = false;
    }

    /// Growth is limited to one segment per ACK until that slow start is over.
    pub(crate) fn on_timeout(&mut self) {
        self.after_timeout = true;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instant;

    #[test]
    fn under_s2n_the_window_grows_to_twice_the_largest_flight() {
        let mut slow_start = SlowStart::by_stack(Convention {
            grows_to_twice_the_flight: true,
            ..Convention::QUIC
        });
        let mut w = Window::new(1000);
        w.cwnd = 18.0;
        let mut ack = |flight| {
            let ack = Ack {
                flight,
                cwnd_limited: true,
                ..Ack::of(Instant::ZERO, 5000)
            };
            slow_start.grow(&mut w, &ack);
            w.cwnd
        };
        assert_eq!([ack(5000), ack(1000), ack(10_000)], [20.0, 20.0, 25.0]);
    }
}
