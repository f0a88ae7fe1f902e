//! Random streams, one for each purpose.
//!
//! Each stream is seeded by the run's seed and the name of its purpose, so that drawing
//! more in one place changes nothing in another: all algorithms under comparison see
//! the same arrivals, and the n-th packet of a link has the same fate.

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The stream of `purpose` in a run with `seed`; `index` distinguishes several of a kind.
pub fn stream(seed: u64, purpose: &str, index: u64) -> Pcg64Mcg {
    let mut state = seed;
    for byte in purpose.bytes() {
        state = mix(state ^ u64::from(byte));
    }
    Pcg64Mcg::seed_from_u64(mix(state ^ mix(index)))
}

/// The finaliser of SplitMix64: every bit of the input changes half of the output.
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A uniform draw from `[0, bound)`.
pub fn below(rng: &mut Pcg64Mcg, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// A uniform draw from `[0, 1)`.
pub fn share(rng: &mut Pcg64Mcg) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A uniform draw from `(0, 1)`, for functions that are infinite at an end.
pub fn open_share(rng: &mut Pcg64Mcg) -> f64 {
    ((rng.next_u64() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// An event that happens independently with a fixed probability.
#[derive(Clone, Debug)]
pub struct Chance {
    threshold: u64,
    rng: Pcg64Mcg,
}

impl Chance {
    /// Happens with `probability`, drawn from `rng`.
    pub fn new(probability: f64, rng: Pcg64Mcg) -> Chance {
        Chance {
            threshold: (probability.clamp(0.0, 1.0) * u64::MAX as f64) as u64,
            rng,
        }
    }

    /// Whether it happens this time.
    pub fn strikes(&mut self) -> bool {
        self.rng.next_u64() < self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_purpose_or_index_differ_and_repeat() {
        let draw = |purpose, index| stream(1, purpose, index).next_u64();
        assert_eq!(draw("loss", 0), draw("loss", 0));
        assert_ne!(draw("loss", 0), draw("loss", 1));
        assert_ne!(draw("loss", 0), draw("arrivals", 0));
    }

    #[test]
    fn a_chance_strikes_as_often_as_it_should() {
        let mut chance = Chance::new(0.1, stream(7, "test", 0));
        let strikes = (0..100_000).filter(|_| chance.strikes()).count();
        assert!((9_500..10_500).contains(&strikes), "{strikes}");
    }
}
