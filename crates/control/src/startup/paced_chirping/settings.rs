//! Parameters of Paced Chirping.

use crate::params::Number;
use crate::{Duration, params};

/// The gap at which the startup ends is at most this, nanoseconds.
pub(super) const WIDEST: u64 = 5_000_000;

params! {
    /// Parameters; those of slow start apply after chirping without an estimate.
    pub struct Settings {
        /// which form of the code: that of 2020, that of 2018, or the one split from DCTCP
        form: FormName = "pc2020",
        /// form=pc2018 and pc-split: the first average gap between packets
        #[within(Duration::from_micros(1)..=Duration(WIDEST))]
        gap: Duration = "200us",
        /// form=pc2018 and pc-split: chirps in each of the first round trips, the code's M
        #[within(1.0..=100.0)]
        chirps: Number = "2",
        /// form=pc2018 and pc-split: by how much M is multiplied each round trip, once six chirps
        /// have been sent
        #[within(1.0..=10.0)]
        gain: Number = "2",
        /// form=pc2018 and pc-split: a chirp's first gap as a multiple of the average one, 1 to 3
        #[within(1.0..=3.0)]
        geometry: Number = "2",
        /// form=pc2020: a load gap below this cannot be paced, and slow start continues; 20us with
        /// Linux's fq
        lowest_gap: Duration = "40us",
        /// form=pc2020: with the chirp of this number it gives up, and slow start continues
        #[within(1..=65_535)]
        maximum_chirps: u32 = "200",
        /// how many packets a rise of the delay must last to be a sign of the path, the code's L
        #[check(|l| (1.0..=16.0).contains(&l), "a number of packets from 1 to 16")]
        l: Number = "5",
        /// what an acknowledgement of several packets does: they share its delay, or chirping is
        /// given up
        delayed_acks: DelayedAcks = "share",
    }

    pub enum FormName { Pc2020 = "pc2020", Pc2018 = "pc2018", PcSplit = "pc-split" }
    pub enum DelayedAcks { Share = "share", Leave = "leave" }
}

/// Reads the parameters for a test of one form.
#[cfg(test)]
pub(super) fn settings_of(spec: &str) -> Settings {
    use crate::params::{AlgorithmKind, Params};
    let own = Settings::PARAMS;
    let params = Params::parse(AlgorithmKind::STARTUP, "paced-chirping", own, spec);
    Settings::read(&params.unwrap()).unwrap()
}
