//! What is Linux's own in v3 (google/bbr, branch v3, `net/ipv4/tcp_bbr.c`, commit 001a430b):
//! constants in 256ths, and losses judged in whole packets.

use super::constants::Constants;
use super::probing::Limits;
use crate::signals::RateSample;
use crate::{Duration, Rate, Segments};

/// Unit of gains (`BBR_UNIT`).
const UNIT: f64 = 256.0;
/// Pacing gain of Startup (`bbr_startup_pacing_gain`).
const STARTUP_PACING: u32 = 710;

pub(super) const CONSTANTS: Constants = Constants {
    startup_pacing: STARTUP_PACING as f64 / UNIT,
    startup_cwnd: 2.0,
    drain_pacing: 88.0 / UNIT,
    drain_cwnd: 2.0,
    probe_down_pacing: 232.0 / UNIT,
    probe_rtt_cwnd: 0.5,
    drain_rounds: u64::MAX,
    probe_rtt_interval: Duration::from_secs(5),
    margin_at_first: true,
};

/// Shares of the bounds (`bbr_beta` and `bbr_inflight_headroom`).
pub(super) const LIMITS: Limits = Limits {
    beta: 180.0 / UNIT,
    headroom: 38.0 / UNIT,
};

/// What `init_cwnd` has room for.
pub(super) const MOST_INIT_CWND: Segments = 127.0;
/// Tolerated loss rate in 256ths (`bbr_loss_thresh`).
const LOSS_THRESH: u64 = 5;
/// What the round trip adds to a burst at most (`GSO_LEGACY_MAX_SIZE`), bytes.
const MOST_NEAR: u64 = 65_536;
/// `bbr_tso_rtt_shift`: for each so many microseconds, a power of two, half as much.
const TSO_RTT_SHIFT: u32 = 9;

/// Whether losses show too much in flight (`bbr_is_inflight_too_high`).
pub(super) fn is_too_high(s: &RateSample, mss: u64) -> bool {
    let (lost, in_flight) = (s.lost.div_ceil(mss), s.tx_in_flight.div_ceil(mss));
    in_flight > 0 && lost > (in_flight * LOSS_THRESH) >> 8
}

/// What may leave together beyond a millisecond's worth because the peer is near, bytes
/// (`bbr_tso_segs_generic`).
pub(super) fn near(min_rtt: Option<Duration>) -> u64 {
    let halvings = min_rtt.map_or(u64::MAX, |rtt| (rtt.nanos() / 1000) >> TSO_RTT_SHIFT);
    if halvings < 32 {
        MOST_NEAR >> halvings
    } else {
        0
    }
}

/// `bbr_init_pacing_rate_from_rtt`, in the kernel's whole numbers.
pub(super) fn first_rate(cwnd: Segments, mss: u64, rtt: Duration) -> Rate {
    let us = u128::from(rtt.nanos() / 1000).max(1);
    let bw = ((cwnd as u128) << 24) / us;
    let gained = (bw * u128::from(mss) * u128::from(STARTUP_PACING)) >> 8;
    let bytes = ((gained * 990_000) >> 24).max(1);
    Rate(u64::try_from(8 * bytes).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    fn sample(lost: u64, in_flight: u64) -> RateSample {
        RateSample {
            lost: lost * MSS,
            tx_in_flight: in_flight * MSS,
            ..RateSample::default()
        }
    }

    /// V1
    #[test]
    fn gains_are_held_in_256ths() {
        let c = &CONSTANTS;
        let gains = [c.startup_pacing, c.startup_cwnd, c.drain_pacing];
        assert_eq!(gains.map(|gain| gain * UNIT), [710.0, 512.0, 88.0]);
    }

    /// V2
    #[test]
    fn the_first_rate_has_the_margin_and_a_millisecond_stands_for_an_unknown_round_trip() {
        let rate = |ms| first_rate(10.0, MSS, Duration::from_millis(ms));
        assert_eq!(rate(50), Rate(8 * 795_050));
        assert_eq!(rate(1), Rate(8 * 39_757_743));
    }

    /// V3
    #[test]
    fn so_many_losses_are_too_many() {
        for (in_flight, too_many) in [(51, 1), (52, 2), (102, 2), (200, 4), (256, 6), (400, 8)] {
            assert!(
                is_too_high(&sample(too_many, in_flight), MSS),
                "{in_flight}"
            );
            assert!(
                !is_too_high(&sample(too_many - 1, in_flight), MSS),
                "{in_flight}"
            );
        }
        assert!(!is_too_high(&sample(1, 0), MSS));
    }
}
