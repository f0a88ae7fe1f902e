//! The delivery rate, literally: draft-cheng-iccrg-delivery-rate-estimation §3 for each sending
//! alone.

use super::super::*;
use flowstart_control::Duration;
use flowstart_control::signals::{Delivery, RateSample};

/// What a sending takes along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) sent: Instant,
    first_sent: Instant,
    delivered: u64,
    delivered_at: Instant,
    app_limited: bool,
    lost: u64,
    /// In flight when it had left.
    in_flight: u64,
    /// One past its last byte.
    end: u64,
}

/// The variables of a connection, as the draft calls them.
#[derive(Default)]
pub(super) struct LiteralRate {
    delivered: u64,
    delivered_at: Instant,
    first_sent: Instant,
    app_limited: u64,
    lost: u64,
    /// The sending that the acknowledgement answers: of those it answers, the one that left last;
    /// of those, the one up to the highest byte, which is noted with it.
    answered: Option<(Taken, u64)>,
    newly: u64,
    pipe_before: u64,
    now: Instant,
}

impl LiteralRate {
    /// §3.2, `SendPacket`.
    pub(super) fn send(&mut self, plan: ByteRange, idle: bool, pipe: u64, now: Instant) -> Taken {
        if idle {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        Taken {
            sent: now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.app_limited > 0,
            lost: self.lost,
            in_flight: pipe + plan.end - plan.start,
            end: plan.end,
        }
    }

    /// §3.4, `OnApplicationWrite`.
    pub(super) fn application_limits(&mut self, pipe: u64) {
        self.app_limited = (self.delivered + pipe).max(1);
    }

    pub(super) fn record_pipe(&mut self, pipe: u64) {
        self.pipe_before = pipe;
    }

    /// §3.3, `UpdateRateSample` for each byte that has arrived, with what last held it.
    pub(super) fn take(&mut self, bytes: &[(u64, Taken)], now: Instant) {
        let key = |(position, taken): &(u64, Taken)| (taken.sent, *position);
        let answered = bytes.iter().max_by_key(|byte| key(byte));
        self.answered = answered.map(|(position, taken)| (*taken, position + 1));
        if let Some((taken, _)) = self.answered {
            self.delivered += bytes.len() as u64;
            self.newly += bytes.len() as u64;
            (self.first_sent, self.delivered_at) = (taken.sent, now);
        }
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        self.now = now;
    }

    /// §3.3, `GenerateRateSample`, where `pipe` is in flight after the acknowledgement.
    pub(super) fn conclude(&mut self, pipe: u64, least_rtt: Option<Duration>) -> Delivery {
        let newly = std::mem::take(&mut self.newly);
        let lost = self.pipe_before.saturating_sub(pipe + newly);
        self.lost += lost;
        let sample = self.answered.take().map(|(taken, up_to)| RateSample {
            prior_delivered: taken.delivered,
            sent: taken.sent,
            delivered: self.delivered - taken.delivered,
            interval: Duration::ZERO,
            send_interval: taken.sent.since(taken.first_sent),
            ack_interval: self.now.since(taken.delivered_at),
            app_limited: taken.app_limited,
            tx_in_flight: taken.in_flight - (taken.end - up_to),
            lost: self.lost - taken.lost,
        });
        let sample = sample.map(|sample| RateSample {
            interval: sample.send_interval.max(sample.ack_interval),
            ..sample
        });
        let least = least_rtt.unwrap_or(Duration(1)).max(Duration(1));
        Delivery {
            total: self.delivered,
            newly,
            lost,
            in_flight_before: self.pipe_before,
            repairing: false,
            sample: sample.filter(|sample| sample.interval >= least),
        }
    }
}
