//! When packets leave: the stack's own pacing rate, tokens, and windows that no ACKs clock.

use super::{Sender, Spreading};
use crate::narrow::whole;
use crate::pacing::bucket::Bucket;
use crate::pacing::pacer::{ONE_BY_ONE, Release};
use crate::pacing::rate;
use crate::pacing::token_bucket::Demand;
use crate::segment::{SegmentRange, Why};
use crate::stack::Pacing;
use flowstart_control::{Duration, Instant, Rate, Segments};
use flowstart_wire::Packet;

impl Sender {
    /// The stack's own rate, where it has one and no startup has set another.
    #[inline]
    pub(super) fn set_usual_pacing(&mut self) {
        let rule = self.connection.stack().pacing.rule;
        if !matches!(rule, Pacing::None | Pacing::TokenBucket(_)) {
            self.follow_window();
        }
    }

    /// The stack's own rate follows the window.
    fn follow_window(&mut self) {
        let c = &mut self.connection;
        let at_most = |rate: Rate| c.stack().pacing.max.map_or(rate, |max| rate.min(max));
        // A startup that no longer paces, or an idle time, leaves none.
        if c.window().pacing.is_some() && c.window().pacing != self.usual_pacing {
            c.window_mut().pacing = c.window().pacing.map(at_most);
            return;
        }
        let Some((srtt, _)) = c.rtt().smoothed() else {
            return;
        };
        let packet = c.stack().packet();
        let rate = match c.stack().pacing.rule {
            Pacing::Rfc9002(gain) => rate::windows(gain, c.window(), packet, srtt),
            _ => rate::rate(c.window(), c.outstanding(), packet, srtt),
        };
        self.usual_pacing = Some(at_most(rate)).filter(|rate| rate.bps() > 0);
        c.window_mut().pacing = self.usual_pacing;
    }

    /// How the next segments are to leave; `None` for at once.
    #[inline(always)]
    pub(super) fn release(&self) -> Option<(Rate, Release)> {
        let c = &self.connection;
        let rate = c.window().pacing?;
        let usual = c.stack().pacing.rule != Pacing::None && self.usual_pacing == Some(rate);
        let quantum = c.window().quantum;
        let by_offload = c.stack().pacing.by_offload && c.controller_owns_cwnd();
        if !usual && !by_offload {
            let burst = quantum.max(1);
            let release = Release {
                burst,
                ..ONE_BY_ONE
            };
            return Some((rate, c.stack().pacing.on_host(release)));
        }
        let (mss, packet) = (c.stack().framing.mss, c.stack().packet());
        let least = if usual {
            rate::MIN_TSO_SEGMENTS
        } else {
            quantum
        };
        let (free, release) = match c.stack().pacing.rule {
            // RFC 9002 §7.7: the initial window may leave at once.
            Pacing::Rfc9002(_) => (whole(c.stack().initial_window()), ONE_BY_ONE),
            // The last of the free ones begins the spacing.
            _ => (
                rate::FREE_SEGMENTS - 1,
                rate::release(rate, least, mss, packet, rate::tso_rtt(c)),
            ),
        };
        let release = c.stack().pacing.on_host(release);
        let release = release.at_most(c.window().most_together);
        (c.counters().packets_sent >= free).then_some((rate, release))
    }

    /// Whether the bucket has tokens for a segment; probes of quinn and neqo need none.
    #[cold]
    pub(super) fn takes_tokens(&mut self, segment: SegmentRange, now: Instant) -> bool {
        let c = &self.connection;
        let packet = c.stack().datagram();
        let window = whole(c.window().cwnd * packet as f64);
        let srtt = c.rtt().smoothed().map(|(srtt, _)| srtt);
        let exempt = |kind: Bucket| kind.exempts_probes() && segment.why == Why::Probe;
        let is_exempt = c.stack().pacing.bucket().is_some_and(exempt);
        let slow_start = c.window().ssthresh.is_infinite();
        let Some(bucket) = &mut self.bucket else {
            return true;
        };
        if bucket.holds(packet) && segment.why != Why::Probe {
            self.pacer.nothing_to_send();
            return false;
        }
        let rate = c.window().pacing;
        let due = match rate {
            _ if is_exempt => None,
            None => bucket.wait(&Demand::new(window, packet, srtt, slow_start), now),
            // Of UDP payload, not of what is on the wire.
            Some(Rate(rate)) => {
                let share = rate / 8 * packet / u64::from(c.stack().packet());
                bucket.wait_at_rate(share, packet, now)
            }
        };
        let admitted = self.pacer.admits_at(due);
        if admitted {
            let less = c.mss() - segment.range.bytes();
            bucket.sent(packet.saturating_sub(less));
        }
        admitted
    }

    /// The end of the handshake, where it is to leave now.
    #[cold]
    pub(super) fn end_of_handshake(&mut self, now: Instant) -> Option<Packet> {
        let Spreading::Handshake { waiting } = &mut self.spreading else {
            return None;
        };
        if !std::mem::take(waiting) {
            return None;
        }
        self.recovery.on_end_of_handshake(&self.connection, now);
        Some(self.connection.end_of_handshake())
    }

    /// A window that is larger than the `usual` one only because it is cached has no ACKs
    /// to clock it: it is spread over the cached round trip.
    pub(super) fn spread(&mut self, usual: Segments, srtt: Duration) {
        let c = &mut self.connection;
        let window = c.window_mut();
        if window.cwnd <= usual || window.pacing.is_some() {
            return;
        }
        window.pacing = window.rate_over(window.cwnd, srtt);
        if window.pacing.is_some() {
            self.spreading = Spreading::Memory;
        }
    }

    /// The ACK clock runs again. A restarted window becomes what was sent of it, or what was not
    /// would leave at once.
    #[cold]
    pub(super) fn on_first_ack(&mut self) {
        if self.spreading == Spreading::Restart {
            let c = &mut self.connection;
            c.window_mut().cwnd = c.window().segments(c.outstanding());
        }
        self.stop_spreading();
    }

    pub(super) fn stop_spreading(&mut self) {
        let before = std::mem::replace(&mut self.spreading, Spreading::Nothing);
        if let (Spreading::Handshake { .. }, Some(bucket)) = (before, &mut self.bucket) {
            return bucket.confirm();
        }
        self.connection.window_mut().pacing = None;
    }
}
