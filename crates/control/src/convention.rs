//! Defaults of algorithms, by stack.

use crate::variants::{BbrSource, CountAfterLoss, CubicVariant, HyStartVariant, Judging};

/// Family of stacks with the same defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The standards as written today.
    Rfc,
    /// ns-2.35's one-way agents: windows counted in packets, one increment per ACK.
    Ns2,
    /// A current Linux kernel.
    Linux,
    /// QUIC (RFC 9002): windows in bytes, every packet its own acknowledgement.
    Quic,
}

/// Convention that an algorithm follows where its sources leave a choice open: that of a family, and
/// the variants that a stack has besides.
///
/// It selects the defaults of the algorithm's parameters. A few details that go with a family have
/// no parameter: ns-2's first threshold where `ssthresh` is not given, the rounding
/// of Quick-Start's request, what Fast Start remembers when sending resumes, and the gains of
/// BBR v1, which the kernel holds in 256ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convention {
    /// Its family.
    pub family: Family,
    /// CUBIC's variant.
    pub cubic: CubicVariant,
    /// The count of acknowledged segments after a loss, under Reno.
    pub count_after_loss: CountAfterLoss,
    /// The share of the window that a loss leaves under Reno is that of quicly's congestion controls
    /// (`lib/cc-reno.c`).
    pub reduces_as_quicly: bool,
    /// BBR's source.
    pub bbr: BbrSource,
    /// BBR keeps the rate of the nominal round trip (noq-proto 1.4.0, `congestion/bbr3/mod.rs`, `new`).
    pub bbr_keeps_nominal_rtt: bool,
    /// HyStart's variant.
    pub hystart: HyStartVariant,
    /// When HyStart++ judges a round.
    pub judging: Judging,
    /// Slow start grows up to twice the largest flight (s2n-quic-core 0.91.0, `recovery/cubic.rs`,
    /// `SLOW_START_MAX_CWND_MULTIPLIER`).
    pub grows_to_twice_the_flight: bool,
    /// Long round trips and measured bandwidth raise the window (picoquic 1.1.52, `cc_common.c`).
    pub raises_window: bool,
}

impl Convention {
    /// The standards as written today.
    pub const RFC: Convention = Convention {
        family: Family::Rfc,
        cubic: CubicVariant::Rfc9438,
        count_after_loss: CountAfterLoss::Restarts,
        reduces_as_quicly: false,
        bbr: BbrSource::V1,
        bbr_keeps_nominal_rtt: false,
        hystart: HyStartVariant::Seed2008,
        judging: Judging::Text,
        grows_to_twice_the_flight: false,
        raises_window: false,
    };
    /// ns-2.35's one-way agents.
    pub const NS2: Convention = Convention {
        family: Family::Ns2,
        ..Convention::RFC
    };
    /// A current Linux kernel.
    pub const LINUX: Convention = Convention {
        family: Family::Linux,
        cubic: CubicVariant::Linux,
        count_after_loss: CountAfterLoss::StaysReset,
        hystart: HyStartVariant::Linux56,
        ..Convention::RFC
    };
    /// QUIC by RFC 9002.
    pub const QUIC: Convention = Convention {
        family: Family::Quic,
        ..Convention::RFC
    };

    /// Whether it is that of a QUIC stack.
    pub fn is_quic(self) -> bool {
        self.family == Family::Quic
    }
}
