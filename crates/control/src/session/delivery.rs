//! Samples of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation).
//!
//! Every packet takes along how much had been delivered when it left. When it is acknowledged,
//! what has been delivered since, over the time that this took, is a sample.

use crate::signals::RateSample;
use crate::{Duration, Instant};

/// What a packet takes along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot {
    /// `P.sent_time`.
    pub sent: Instant,
    /// `P.first_send_time`.
    first_sent: Instant,
    /// `P.delivered`.
    delivered: u64,
    /// `P.delivered_time`.
    delivered_at: Instant,
    app_limited: bool,
    lost: u64,
}

/// The sampler of one connection.
#[derive(Debug, Default)]
pub struct RateSampler {
    /// Bytes delivered so far (`C.delivered`), to which the transport adds.
    pub delivered: u64,
    delivered_at: Instant,
    first_sent: Instant,
    /// `C.app_limited`: until so much is delivered, the application is the limit.
    limited_until: Option<u64>,
    /// Bytes found lost so far (`C.lost`), to which the transport adds.
    pub lost: u64,
}

impl RateSampler {
    /// A packet leaves; `idle` where nothing is in flight before it.
    pub fn on_sent(&mut self, idle: bool, now: Instant) -> Snapshot {
        if idle {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        Snapshot {
            sent: now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.limited_until.is_some(),
            lost: self.lost,
        }
    }

    /// The application has left room in the window, with so many bytes in flight.
    pub fn on_app_limited(&mut self, in_flight: u64) {
        self.limited_until = Some((self.delivered + in_flight).max(1));
    }

    /// All that an acknowledgement delivers is counted. `newest` is when the packet left that left
    /// last of what it acknowledges.
    pub fn on_acked(&mut self, newest: Option<Instant>, now: Instant) {
        self.first_sent = newest.unwrap_or(self.first_sent);
        self.delivered_at = now;
        let limited = self.limited_until;
        self.limited_until = limited.filter(|until| self.delivered <= *until);
    }

    /// The sample of a packet that was acknowledged at `now` and had left with `tx_in_flight` bytes
    /// in flight. None where it took less than any round trip: a retransmission that was none.
    pub fn sample(
        &self,
        packet: &Snapshot,
        tx_in_flight: u64,
        least_rtt: Option<Duration>,
        now: Instant,
    ) -> Option<RateSample> {
        let send_interval = packet.sent.since(packet.first_sent);
        let ack_interval = now.since(packet.delivered_at);
        let interval = send_interval.max(ack_interval);
        let fair = interval > Duration::ZERO && least_rtt.is_none_or(|least| interval >= least);
        fair.then(|| RateSample {
            prior_delivered: packet.delivered,
            sent: packet.sent,
            delivered: self.delivered - packet.delivered,
            interval,
            send_interval,
            ack_interval,
            app_limited: packet.app_limited,
            tx_in_flight,
            lost: self.lost - packet.lost,
        })
    }
}
