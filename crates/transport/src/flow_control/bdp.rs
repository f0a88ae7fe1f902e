//! A window by the bandwidth-delay product, as grpc-go has it (`internal/transport/bdp_estimator.go`,
//! 4793ad047): what arrives between a PING and its answer is the sample of a round trip.

use flowstart_control::Instant;

/// What a window grows by: the samples of a connection.
#[derive(Clone, Debug)]
pub(super) struct BdpEstimator {
    /// The present estimate, in bytes.
    estimate: u64,
    /// The largest, in bytes. No PING leaves once it is reached.
    largest: u64,
    /// The highest bandwidth of a sample, in bytes a second.
    bandwidth: f64,
    /// The mean round trip, in seconds.
    rtt: f64,
    samples: u32,
    ping: Option<Ping>,
}

/// A PING that waits for its answer.
#[derive(Clone, Copy, Debug)]
struct Ping {
    sent: Instant,
    /// What had arrived when it left.
    position: u64,
    /// Bytes that have arrived since, with those that it left behind.
    sample: u64,
}

impl BdpEstimator {
    /// An estimate that begins with a window of so many bytes.
    pub(super) fn new(window: u64, largest: u64) -> BdpEstimator {
        BdpEstimator {
            estimate: window,
            largest,
            bandwidth: 0.0,
            rtt: 0.0,
            samples: 0,
            ping: None,
        }
    }

    /// So many bytes more are read, with all below `position`. Whether a PING leaves with that.
    pub(super) fn on_read(&mut self, bytes: u64, position: u64, now: Instant) -> bool {
        if let Some(ping) = &mut self.ping {
            ping.sample += bytes;
            return false;
        }
        if bytes == 0 || self.estimate == self.largest {
            return false;
        }
        self.ping = Some(Ping {
            sent: now,
            position,
            sample: bytes,
        });
        self.samples += 1;
        true
    }

    /// Data comes from a sender which had received the acknowledgement of all below `echo`: the
    /// answer to a PING that left with that is before it. The new estimate, where there is one.
    pub(super) fn on_echo(&mut self, echo: u64, now: Instant) -> Option<u64> {
        let ping = self.ping.take_if(|ping| ping.position <= echo)?;
        self.take_sample(ping.sample, now.since(ping.sent).secs())
    }

    /// So many bytes came in a round trip of so many seconds.
    fn take_sample(&mut self, sample: u64, rtt: f64) -> Option<u64> {
        /// The mean of so many round trips begins; later ones have a fixed weight.
        const FIRST: u32 = 10;
        const WEIGHT: f64 = 0.9;
        /// Which share of the estimate a sample must reach, and what follows from it.
        const LEAST: f64 = 0.66;
        const GROWTH: u64 = 2;
        let weight = match self.samples < FIRST {
            true => 1.0 / f64::from(self.samples),
            false => WEIGHT,
        };
        self.rtt += (rtt - self.rtt) * weight;
        let bandwidth = sample as f64 / (1.5 * self.rtt);
        let is_best = bandwidth >= self.bandwidth;
        self.bandwidth = self.bandwidth.max(bandwidth);
        if !is_best || (sample as f64) < LEAST * self.estimate as f64 {
            return None;
        }
        self.estimate = (GROWTH * sample).min(self.largest);
        Some(self.estimate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: u64 = 100_000_000;

    /// The sequence of the real package (grpc-go 4793ad047) with answers after 100 ms.
    #[test]
    fn the_window_is_twice_a_sample_that_is_two_thirds_of_it_and_the_fastest() {
        let mut estimator = BdpEstimator::new(65_535, 16 << 20);
        let mut position = 0;
        for (n, (sample, window)) in (0..).zip([
            (65_535, Some(131_070)),
            (65_535, None),
            (98_303, Some(196_606)),
            (131_070, Some(262_140)),
            (196_605, Some(393_210)),
            (262_140, Some(524_280)),
            (8_388_480, Some(16_776_960)),
            (16_777_216, Some(16_777_216)),
        ]) {
            position += sample;
            assert!(estimator.on_read(sample, position, Instant(n * RTT)));
            assert_eq!(estimator.on_echo(position - 1, Instant(n * RTT + 1)), None);
            let now = Instant((n + 1) * RTT);
            assert_eq!(estimator.on_echo(position, now), window, "{sample}");
        }
        assert!(!estimator.on_read(20_000_000, position + 20_000_000, Instant(9 * RTT)));
    }
}
