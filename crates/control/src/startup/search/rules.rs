//! What SEARCH's texts and implementations do, side by side.

use super::bins::{Bins, Totals, W};
use crate::params::{ParamSpec, Params, SpecError, Unit};
use crate::Convention;

/// What the decision does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExitRule {
    AtOnce,
    /// Until the window is the target.
    Drain,
    /// The same for two round trips at most.
    ShortDrain,
    RollBack,
}

/// By what the window is rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RollBack {
    /// What two of the latest round trips delivered, not two initial ones.
    pub(super) by_latest: bool,
    /// More than the window leaves that as it is; otherwise the initial window is left.
    pub(super) gives_up: bool,
}

/// What a look-back between the ends of two bins is weighed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lean {
    /// The bin before.
    Backward,
    /// The same, each of the terms rounded down.
    BackwardFloored,
    /// The bin after.
    Forward,
    /// Neither.
    Nothing,
}

/// What bins without an ACK do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// Nothing.
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

/// The rules of one reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Deliveries are compared with what was sent a round trip before, not with twice what was
    /// delivered then.
    pub(super) against_sent: bool,
    /// What is acknowledged selectively counts at once; to the modules, which read `bytes_acked`, not
    /// before everything below has arrived.
    pub(super) selectively: bool,
    /// THRESH in ten thousandths.
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

pub(super) const READING: ParamSpec = ParamSpec {
    name: "reading",
    unit: Unit::Choice(&[
        "draft09",
        "neqo",
        "linux40",
        "linux31",
        "linux30",
        "freebsd40",
        "freebsd32",
        "initial-rtt",
    ]),
    default: "by stack: linux40 under linux, neqo under quic, otherwise draft09",
    meaning: "whose rules: the draft's, Mozilla's, the authors' modules for Linux (4.0, 3.1, 3.0) \
              and FreeBSD (4.0, 3.2), or Mozilla's with a look-back by the initial round trip",
};

pub(super) const THRESH: ParamSpec = ParamSpec {
    name: "thresh",
    unit: Unit::Ratio,
    default: "by reading: 0.35 for linux* and freebsd32, otherwise 0.26",
    meaning: "THRESH: it leaves when this share of what should have been delivered is missing",
};

pub(super) const EXTRA_BINS: ParamSpec = ParamSpec {
    name: "extra_bins",
    unit: Unit::Number,
    default: "by reading: 39 for linux40 and freebsd40, 34, 14 and 16 for freebsd32, linux31 and \
              linux30, otherwise 15",
    meaning: "EXTRA_BINS: it looks back by fewer bins than this, so it sees nothing while a \
              round trip is 0.35 times as many initial ones or more",
};

pub(super) const LOOK_BACK: ParamSpec = ParamSpec {
    name: "look_back",
    unit: Unit::Choice(&["latest", "initial"]),
    default: "by reading: initial for initial-rtt, otherwise latest",
    meaning: "the round trip by which it looks back: the latest sample, which sees past a queue \
              that grows, or the one that the bins come from",
};

pub(super) const INTERPOLATION: ParamSpec = ParamSpec {
    name: "interpolation",
    unit: Unit::Choice(&["backward", "forward", "none"]),
    default: "by reading: none for linux30, otherwise backward",
    meaning: "a look-back that falls between the ends of two bins is weighed with the bin \
              before, with the one after as the text of -09 is said to have it, or with neither",
};

pub(super) const RESET: ParamSpec = ParamSpec {
    name: "reset",
    unit: Unit::Bool,
    default: "by reading: true for draft09, neqo, freebsd40 and initial-rtt, otherwise false",
    meaning: "whether bins without an ACK start it anew: more than the window has, for freebsd40 \
              more than two round trips have",
};

pub(super) const EXIT: ParamSpec = ParamSpec {
    name: "exit",
    unit: Unit::Choice(&["at-once", "drain", "short-drain", "roll-back"]),
    default: "by reading: drain for draft09, linux40 and freebsd40, roll-back for freebsd32, \
              otherwise at-once",
    meaning: "what the decision does: the threshold is the window (at-once); one segment leaves \
              for three delivered until the window is what an initial round trip delivered \
              (drain), for two round trips at most (short-drain); the window falls by what two \
              round trips delivered (roll-back)",
};

impl Rules {
    pub(super) fn read(params: &Params, convention: Convention) -> Result<Rules, SpecError> {
        let by_stack = match convention {
            Convention::Linux => "linux40",
            Convention::Quic => "neqo",
            Convention::Rfc | Convention::Ns2 => "draft09",
        };
        let mut rules = match params.choice_given("reading").unwrap_or(by_stack) {
            "neqo" => NEQO,
            "linux40" => LINUX40,
            "linux31" => LINUX31,
            "linux30" => LINUX30,
            "freebsd40" => FREEBSD40,
            "freebsd32" => FREEBSD32,
            "initial-rtt" => INITIAL_RTT,
            _ => DRAFT09,
        };
        rules.depart(params)?;
        Ok(rules)
    }

    /// What is given beside the reading.
    fn depart(&mut self, params: &Params) -> Result<(), SpecError> {
        if let Some(thresh) = params.ratio_given("thresh") {
            self.thresh = (thresh * 10_000.0).round() as u128;
        }
        if params.number_given("extra_bins").is_some() {
            self.extra_bins = params.whole("extra_bins", 1..=1000)?.into();
        }
        if let Some(look_back) = params.choice_given("look_back") {
            self.by_initial = look_back == "initial";
        }
        match params.choice_given("interpolation") {
            Some("forward") => self.lean = Lean::Forward,
            Some("none") => self.lean = Lean::Nothing,
            Some(_) if self.lean == Lean::Nothing => self.lean = Lean::BackwardFloored,
            _ => {}
        }
        match params.bool_given("reset") {
            Some(false) => self.missed = Missed::Copied,
            Some(true) if self.missed == Missed::Copied => self.missed = Missed::Forget,
            _ => {}
        }
        match params.choice_given("exit") {
            Some("at-once") => self.exit = ExitRule::AtOnce,
            Some("drain") => self.exit = ExitRule::Drain,
            Some("short-drain") => self.exit = ExitRule::ShortDrain,
            Some("roll-back") => self.exit = ExitRule::RollBack,
            _ => {}
        }
        Ok(())
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
