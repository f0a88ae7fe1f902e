//! Gains and limits of BBR's versions.

use crate::{Convention, Duration, Family};

/// Gains and limits of a version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    pub(super) startup_pacing: f64,
    pub(super) startup_cwnd: f64,
    pub(super) drain_pacing: f64,
    pub(super) drain_cwnd: f64,
    pub(super) probe_down_pacing: f64,
    pub(super) probe_rtt_cwnd: f64,
    /// Rounds after which Drain ends whatever is in flight.
    pub(super) drain_rounds: u64,
    /// Interval between measurements of the minimum round trip.
    pub(super) probe_rtt_interval: Duration,
    /// The first rate has the pacing margin too.
    pub(super) margin_at_first: bool,
}

impl Constants {
    /// v1: 2/ln 2 and its inverse, which the kernel holds in 256ths.
    pub(super) fn v1(convention: Convention) -> Constants {
        let (high, drain) = match convention.family {
            Family::Linux => (739.0 / 256.0, 88.0 / 256.0),
            _ => (2.885, 1.0 / 2.885),
        };
        Constants {
            startup_pacing: high,
            startup_cwnd: high,
            drain_pacing: drain,
            drain_cwnd: high,
            probe_down_pacing: 0.75,
            probe_rtt_cwnd: 1.0,
            drain_rounds: u64::MAX,
            probe_rtt_interval: Duration::from_secs(10),
            margin_at_first: convention.family == Family::Linux,
        }
    }

    /// v3, as the draft has it.
    pub(super) fn v3() -> Constants {
        Constants {
            startup_pacing: 2.77,
            startup_cwnd: 2.0,
            drain_pacing: 0.5,
            drain_cwnd: 2.0,
            probe_down_pacing: 0.9,
            probe_rtt_cwnd: 0.5,
            drain_rounds: 3,
            probe_rtt_interval: Duration::from_secs(5),
            margin_at_first: false,
        }
    }
}
