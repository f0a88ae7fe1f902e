//! How the rate requests of Quick-Start name rates (RFC 4782 §3.1): a word that senders, receivers
//! and routers share.

use crate::{Rate, named};

named! {
    /// How a code names a rate.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum RateCodes {
        /// §3.1: 40 kbit/s times two to the power of the code, which has four bits.
        #[default]
        Powers = "powers",
        /// Multiples of 10 240 bytes a second (ns-2's `rate_function_` 1).
        Linear = "linear",
    }
}

impl RateCodes {
    fn largest(self) -> u8 {
        match self {
            RateCodes::Powers => 15,
            RateCodes::Linear => u8::MAX,
        }
    }

    /// The rate of a code; zero is a refusal.
    pub fn decode(self, code: u8) -> Rate {
        match (self, code.min(self.largest())) {
            (_, 0) => Rate(0),
            (RateCodes::Powers, n) => Rate(40_000 << n),
            (RateCodes::Linear, n) => Rate(10_240 * 8 * u64::from(n)),
        }
    }

    /// The largest code whose rate is at most this: what routers do.
    pub fn encode_down(self, rate: Rate) -> u8 {
        let mut codes = (0..=self.largest()).rev();
        codes.find(|code| self.decode(*code) <= rate).unwrap_or(0)
    }

    /// The smallest code whose rate is at least this: what a request may do.
    pub fn encode_up(self, rate: Rate) -> u8 {
        let mut codes = 0..=self.largest();
        codes
            .find(|code| self.decode(*code) >= rate)
            .unwrap_or(self.largest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: RateCodes = RateCodes::Powers;
    /// 5000 bytes per second.
    const UNIT: u64 = 8;

    #[test]
    fn codes_of_rates() {
        for (bytes_per_second, code) in [
            (9_999, 0),
            (10_000, 1),
            (19_999, 1),
            (20_000, 2),
            (40_800, 3),
            (102_400, 4),
            (1_024_000, 7),
            (10_000_000, 10),
            (125_000_000, 14),
            (200_000_000, 15),
        ] {
            assert_eq!(CODES.encode_down(Rate(bytes_per_second * UNIT)), code);
        }
        for code in 1..=15 {
            assert_eq!(CODES.encode_down(CODES.decode(code)), code);
            assert_eq!(CODES.encode_up(CODES.decode(code)), code);
        }
        assert_eq!(CODES.decode(7), Rate(640_000 * UNIT));
        assert_eq!(
            (
                CODES.encode_up(Rate(0)),
                CODES.encode_up(Rate(1)),
                CODES.encode_up(Rate(u64::MAX))
            ),
            (0, 1, 15)
        );
    }
}
