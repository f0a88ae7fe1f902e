//! What acknowledgements say of delivery, of the kernel's samples
//! (draft-cheng-iccrg-delivery-rate-estimation, `tcp_rate.c`).

use super::records::Event;
use flowstart_control::signals::{Delivery, RateSample};
use flowstart_control::{Duration, Instant};
use std::collections::VecDeque;

/// What was in flight and lost while so much was delivered: the kernel does not note it with a packet.
#[derive(Clone, Copy, Debug)]
struct Then {
    delivered: u32,
    in_flight: u32,
    lost: u32,
}

/// The deliveries of one connection. The kernel's counters are of 32 bits and go round.
#[derive(Clone, Debug)]
pub(super) struct Delivered {
    mss: u64,
    first: u32,
    then: VecDeque<Then>,
}

impl Delivered {
    /// None so far, in segments of so many bytes.
    pub(super) fn new(mss: u32) -> Delivered {
        Delivered {
            mss: mss.into(),
            first: 0,
            then: VecDeque::new(),
        }
    }

    /// The connection opens; the SYN has been delivered.
    pub(super) fn begin(&mut self, delivered: u32) {
        self.first = delivered;
    }

    fn bytes(&self, segments: u32) -> u64 {
        u64::from(segments) * self.mss
    }

    /// Bytes delivered, at this value of the kernel's counter.
    pub(super) fn total(&self, delivered: u32) -> u64 {
        self.bytes(delivered.wrapping_sub(self.first))
    }

    /// So many are in flight, and so many were lost, while so many have been delivered.
    pub(super) fn note_flight(&mut self, delivered: u32, in_flight: u32, lost: u32) {
        let now = Then {
            delivered,
            in_flight,
            lost,
        };
        match self.then.back_mut() {
            Some(last) if last.delivered == delivered => {
                last.in_flight = last.in_flight.max(in_flight);
                last.lost = lost;
            }
            _ => self.then.push_back(now),
        }
    }

    /// The signal of an acknowledgement; `repairing` after a timeout.
    pub(super) fn conclude(&mut self, event: &Event, repairing: bool, now: Instant) -> Delivery {
        let then = self.at(event.rate_prior_delivered);
        Delivery {
            total: self.total(event.delivered),
            newly: self.bytes(event.acked_sacked),
            lost: self.bytes(event.losses),
            in_flight_before: self.bytes(event.prior_in_flight),
            repairing,
            sample: self.sample(event, then, now),
        }
    }

    fn sample(&self, event: &Event, then: Option<Then>, now: Instant) -> Option<RateSample> {
        let us = |us: u32| Duration::from_micros(us.into());
        let interval = u32::try_from(event.rate_interval_us)
            .ok()
            .filter(|us| *us > 0)?;
        let delivered = u32::try_from(event.rate_delivered).ok()?;
        let rtt = u64::try_from(event.rtt_us).map_or(Duration::ZERO, Duration::from_micros);
        let tx_in_flight = then.map_or(event.prior_in_flight, |then| then.in_flight);
        let lost = then.map_or(event.losses, |then| event.lost.wrapping_sub(then.lost));
        Some(RateSample {
            prior_delivered: self.total(event.rate_prior_delivered),
            sent: now.saturating_sub(rtt),
            delivered: self.bytes(delivered),
            interval: us(interval),
            send_interval: us(event.rate_snd_interval_us),
            ack_interval: us(event.rate_rcv_interval_us),
            app_limited: event.rate_is_app_limited != 0,
            tx_in_flight: self.bytes(tx_in_flight),
            lost: self.bytes(lost),
        })
    }

    /// What was noted when so many had been delivered; older ones are forgotten.
    fn at(&mut self, delivered: u32) -> Option<Then> {
        let behind = |then: &Then| (then.delivered.wrapping_sub(delivered) as i32) < 0;
        while self.then.len() > 1 && self.then.front().is_some_and(behind) {
            self.then.pop_front();
        }
        self.then
            .front()
            .copied()
            .filter(|then| then.delivered == delivered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1448;

    #[test]
    fn a_sample_has_the_flight_and_losses_when_its_packet_left() {
        let mut delivered = Delivered::new(MSS);
        delivered.begin(1);
        delivered.note_flight(1, 10, 0);
        delivered.note_flight(3, 12, 1);
        let event = Event {
            delivered: 11,
            acked_sacked: 2,
            lost: 4,
            rtt_us: 60_000,
            rate_prior_delivered: 3,
            rate_delivered: 8,
            rate_interval_us: 60_000,
            rate_snd_interval_us: 50_000,
            rate_rcv_interval_us: 60_000,
            ..Event::default()
        };
        let said = delivered.conclude(&event, false, Instant::from_millis(100));
        assert_eq!((said.total, said.newly), (10 * 1448, 2 * 1448));
        let sample = said.sample.unwrap();
        assert_eq!(sample.prior_delivered, 2 * 1448);
        assert_eq!((sample.tx_in_flight, sample.lost), (12 * 1448, 3 * 1448));
        assert_eq!(sample.sent, Instant::from_millis(40));
        assert_eq!(sample.rate().bps(), 8 * 1448 * 8 * 1000 / 60);
    }

    #[test]
    fn an_acknowledgement_without_a_sample_gives_none() {
        let mut delivered = Delivered::new(MSS);
        let event = Event {
            rate_interval_us: -1,
            ..Event::default()
        };
        assert_eq!(
            delivered.conclude(&event, false, Instant::ZERO).sample,
            None
        );
    }
}
