//! What SEARCH's texts and implementations do, side by side.

use super::bins::{Bins, Totals, W};
use crate::params::Ratio;
use crate::{Convention, Family, params};

/// By what the window is rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RollBack {
    /// What two of the latest round trips delivered, not two initial ones.
    pub(super) by_latest: bool,
    /// More than the window leaves the window unchanged; otherwise the initial window is left.
    pub(super) gives_up: bool,
}

/// What a look-back between the ends of two bins is weighed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lean {
    /// Weighed with the bin before.
    Backward,
    /// Weighed with the bin before, each of the terms rounded down.
    BackwardFloored,
    /// Weighed with the bin after.
    Forward,
    /// Not weighed with another bin.
    Nothing,
}

/// What bins without an ACK do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// Bins without an ACK have no effect.
    Copied,
    /// More than the window has: all is forgotten, and the next ACK begins anew.
    Forget,
    /// More than two round trips have: this ACK begins anew.
    Restart,
}

/// What an application does that has too little to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AppLimited {
    Nothing,
    /// Its ACKs are only counted.
    Counted,
    /// An ACK begins anew where the application limits the flight now.
    RestartsNow,
    /// Or did when what it acknowledges left.
    RestartsThen,
}

/// The rules of one variant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Deliveries are compared with what was sent a round trip before, not with twice what was
    /// delivered then.
    pub(super) against_sent: bool,
    /// What is acknowledged selectively counts at once; to the modules, which read `bytes_acked`, not
    /// before everything below has arrived.
    pub(super) selectively: bool,
    /// Threshold of the missing share in ten thousandths (THRESH).
    pub(super) thresh: u128,
    /// EXTRA_BINS: it looks back by fewer.
    pub(super) extra_bins: u64,
    /// The first bin that it may look back to.
    pub(super) history: u64,
    /// An ACK at the very end of a bin ends it.
    pub(super) inclusive: bool,
    /// Bins are whole microseconds long.
    pub(super) whole_micros: bool,
    /// It looks back by the round trip that the bins come from, not by the latest.
    pub(super) by_initial: bool,
    /// ACKs without a round-trip sample are only counted.
    pub(super) needs_sample: bool,
    pub(super) lean: Lean,
    pub(super) missed: Missed,
    pub(super) app_limited: AppLimited,
    pub(super) exit: ExitRule,
    pub(super) roll_back: RollBack,
}

const NEQO: Rules = Rules {
    against_sent: true,
    selectively: true,
    thresh: 2600,
    extra_bins: 15,
    history: W + 1,
    inclusive: false,
    whole_micros: false,
    by_initial: false,
    needs_sample: false,
    lean: Lean::Backward,
    missed: Missed::Forget,
    app_limited: AppLimited::Counted,
    exit: ExitRule::AtOnce,
    roll_back: RollBack {
        by_latest: false,
        gives_up: false,
    },
};
const DRAFT09: Rules = Rules {
    exit: ExitRule::Drain,
    ..NEQO
};
const INITIAL_RTT: Rules = Rules {
    by_initial: true,
    ..NEQO
};
const LINUX40: Rules = Rules {
    selectively: false,
    thresh: 3500,
    extra_bins: 39,
    history: W,
    inclusive: true,
    whole_micros: true,
    needs_sample: true,
    lean: Lean::BackwardFloored,
    missed: Missed::Copied,
    app_limited: AppLimited::RestartsThen,
    exit: ExitRule::Drain,
    ..NEQO
};
const FREEBSD40: Rules = Rules {
    thresh: 2600,
    needs_sample: false,
    missed: Missed::Restart,
    app_limited: AppLimited::Nothing,
    ..LINUX40
};
const FREEBSD32: Rules = Rules {
    thresh: 3500,
    extra_bins: 34,
    missed: Missed::Copied,
    exit: ExitRule::RollBack,
    roll_back: RollBack {
        by_latest: true,
        gives_up: false,
    },
    ..FREEBSD40
};
const LINUX31: Rules = Rules {
    against_sent: false,
    extra_bins: 14,
    app_limited: AppLimited::RestartsNow,
    exit: ExitRule::AtOnce,
    ..LINUX40
};
const LINUX30: Rules = Rules {
    extra_bins: 16,
    inclusive: false,
    lean: Lean::Nothing,
    app_limited: AppLimited::Nothing,
    roll_back: RollBack {
        by_latest: false,
        gives_up: true,
    },
    ..LINUX31
};

params! {
    pub struct Settings {
        /// whose rules: the draft's, Mozilla's, the authors' modules for Linux (4.0, 3.1, 3.0) and
        /// FreeBSD (4.0, 3.2), or Mozilla's with a look-back by the initial round trip
        #[usual("by stack: linux40 under linux, neqo under quic, otherwise draft09")]
        variant: Option<Variant>,
        /// THRESH: it leaves when this share of what should have been delivered is missing
        #[usual("by variant: 0.35 for linux* and freebsd32, otherwise 0.26")]
        thresh: Option<Ratio>,
        /// EXTRA_BINS: it looks back by fewer bins than this, so it sees nothing while a round trip
        /// is 0.35 times as many initial ones or more
        #[usual(
            "by variant: 39 for linux40 and freebsd40, 34, 14 and 16 for freebsd32, linux31 and \
             linux30, otherwise 15"
        )]
        #[within(1..=1000)]
        extra_bins: Option<u32>,
        /// the round trip by which it looks back: the latest sample, which sees past a queue that
        /// grows, or the one that the bins come from
        #[usual("by variant: initial for initial-rtt, otherwise latest")]
        look_back: Option<LookBack>,
        /// a look-back that falls between the ends of two bins is weighed with the bin before, with
        /// the one after as reported of the text of -09, or with neither
        #[usual("by variant: none for linux30, otherwise backward")]
        interpolation: Option<Interpolation>,
        /// whether bins without an ACK start it anew: more than the window has, for freebsd40 more
        /// than two round trips have
        #[usual("by variant: true for draft09, neqo, freebsd40 and initial-rtt, otherwise false")]
        reset: Option<bool>,
        /// what the decision does: the threshold is the window (at-once); one segment leaves for
        /// three delivered until the window is what an initial round trip delivered (drain), for
        /// two round trips at most (short-drain); the window falls by what two round trips
        /// delivered (roll-back)
        #[usual(
            "by variant: drain for draft09, linux40 and freebsd40, roll-back for freebsd32, \
             otherwise at-once"
        )]
        exit: Option<ExitRule>,
    }

    pub enum Variant {
        Draft09 = "draft09",
        Neqo = "neqo",
        Linux40 = "linux40",
        Linux31 = "linux31",
        Linux30 = "linux30",
        Freebsd40 = "freebsd40",
        Freebsd32 = "freebsd32",
        InitialRtt = "initial-rtt",
    }
    pub enum LookBack { Latest = "latest", Initial = "initial" }
    pub enum Interpolation { Backward = "backward", Forward = "forward", None = "none" }
    pub enum ExitRule {
        AtOnce = "at-once",
        Drain = "drain",
        ShortDrain = "short-drain",
        RollBack = "roll-back",
    }
}

impl Rules {
    pub(super) fn new(settings: &Settings, convention: Convention) -> Rules {
        let by_stack = match convention.family {
            Family::Linux => Variant::Linux40,
            Family::Quic => Variant::Neqo,
            _ => Variant::Draft09,
        };
        let mut rules = match settings.variant.unwrap_or(by_stack) {
            Variant::Draft09 => DRAFT09,
            Variant::Neqo => NEQO,
            Variant::Linux40 => LINUX40,
            Variant::Linux31 => LINUX31,
            Variant::Linux30 => LINUX30,
            Variant::Freebsd40 => FREEBSD40,
            Variant::Freebsd32 => FREEBSD32,
            Variant::InitialRtt => INITIAL_RTT,
        };
        rules.depart(settings);
        rules
    }

    /// Applies the parameters that depart from the variant.
    fn depart(&mut self, settings: &Settings) {
        if let Some(thresh) = settings.thresh {
            self.thresh = (thresh * 10_000.0).round() as u128;
        }
        if let Some(extra_bins) = settings.extra_bins {
            self.extra_bins = extra_bins.into();
        }
        if let Some(look_back) = settings.look_back {
            self.by_initial = look_back == LookBack::Initial;
        }
        match settings.interpolation {
            Some(Interpolation::Forward) => self.lean = Lean::Forward,
            Some(Interpolation::None) => self.lean = Lean::Nothing,
            Some(Interpolation::Backward) if self.lean == Lean::Nothing => {
                self.lean = Lean::BackwardFloored;
            }
            Some(Interpolation::Backward) | None => {}
        }
        match settings.reset {
            Some(false) => self.missed = Missed::Copied,
            Some(true) if self.missed == Missed::Copied => self.missed = Missed::Forget,
            _ => {}
        }
        self.exit = settings.exit.unwrap_or(self.exit);
    }

    /// What the last window should have delivered, with the look-back at `f` hundredths of a bin
    /// before the end of bin `p`.
    pub(super) fn expected(&self, bins: &Bins, p: u64, f: u64) -> u64 {
        let (times, of): (u64, fn(&Totals) -> u64) = match self.against_sent {
            true => (1, |t| t.sent),
            false => (2, |t| t.acked),
        };
        // Before the first bin is nothing.
        let total = |bin: u64, back: u64| bin.checked_sub(back).map_or(0, |b| of(bins.at(b)));
        let window = |bin: u64| total(bin, 0) - total(bin, W);
        let before = match self.lean {
            Lean::Backward => (window(p - 1) * f + window(p) * (100 - f)) / 100,
            Lean::BackwardFloored => {
                let (whole, oldest) = (total(p, 1) - total(p, W), total(p, W) - total(p, W + 1));
                let newest = total(p, 0) - total(p, 1);
                whole + oldest * f / 100 + newest * (100 - f) / 100
            }
            Lean::Forward => {
                let after = window((p + 1).min(bins.idx));
                (after * f + window(p) * (100 - f)) / 100
            }
            Lean::Nothing => window(p),
        };
        times * before
    }
}
