//! SEARCH: leave slow start when what is delivered stops keeping up with what was sent.
//!
//! draft-chung-ccwg-search-09 (J. Chung, M. Kachooei, F. Li, M. Claypool, March 2026, individual),
//! after "Improving TCP Slow Start Performance in Wireless Networks with SEARCH",
//! WoWMoM 2024. While slow start is below capacity, what comes back over some round trips is
//! what was sent over as many, one round trip before. Once the path is full, deliveries stay
//! level while sending had doubled. Delays show the same earlier, but on satellite, cellular and
//! Wi-Fi links they rise and fall by tens of milliseconds for no reason of the flow's;
//! volumes over a window of several round trips average that out. The window is 3.5 round
//! trips because the delays of such links were found to vary with periods of about three.
//! SEARCH decides the exit only, so any growth goes with it.
//!
//! `resume=true` tests an exit with the packets in flight ([resume](../../concepts/resume.md)).
//!
//! # State
//!
//! Bytes sent and acknowledged, and both at the end of each bin of 0.35 initial round trips;
//! where the bin under way ends; the target and the count of a drain.
//!
//! # Variants
//!
//! - `draft09` is -09 by the words of its implementers: THRESH 0.26, a drain after the decision.
//! - `neqo` is Mozilla's, after -09: no drain, since CUBIC's range begins above its target; an
//!   application without data pauses it, and more silent bins than the window has start it anew.
//! - `linux40`, `linux31` and `linux30` are the authors' modules for Linux: THRESH 0.35, bins of whole
//!   microseconds that end with an ACK at their very end (not in 3.0), a decision one bin earlier.
//!   The two of version 3 compare with twice what was delivered a round trip before. 4.0 drains.
//! - `freebsd40` and `freebsd32` are theirs for FreeBSD: 0.26 and a drain, 0.35 and a roll-back.
//! - `initial-rtt` is no implementation's: `neqo` with a look-back by the initial round trip.
//!
//! # Contested
//!
//! - draft-chung-ccwg-search-10 was not found, so nothing is compared with it.
//! - -09's text is reported to lean *forward* between two bins, to what was sent after the moment
//!   that is looked for; Mozilla's implementers, after a question to the authors, call that a slip. Forward takes
//!   more for sent and leaves too soon, so no variant does (`interpolation=forward`).
//! - No implementation limits the time of a drain; `short-drain` ends it after two round trips.
//! - The authors' modules keep totals of 16 bits, of which all are shifted when one overflows. Shares
//!   do not depend on that, and it is left out; so is that Linux leaves out the second after
//!   a recovery, in which this startup is over.
//!
//! # The latest round trip is blind to a queue
//!
//! Text and implementations look back by the latest sample, but the draft's text on the delay
//! of a decision, about two round trips, and of the share that is then missing holds for a
//! constant round trip. Before a queue that drops only what it has no room for, the latest
//! sample points at the very segments that the deliveries answer, and nothing is missing but what
//! the growth of the queue has moved out of the window: a tenth when it has grown to one
//! bandwidth-delay product, and 0.26 at 1.7, with five in flight. A smaller buffer overflows
//! first. By the round trip that the bins come from (`variant=initial-rtt`) the decision comes
//! 1.45 round trips after capacity is reached (2.2 with 0.35), with three products in flight or
//! a little more.
//!
//! # What differs from the authors' links
//!
//! The abstracts of WoWMoM 2024 and of netdev 0x18 report exits after capacity is reached and before a
//! loss, over GEO, LEO and LTE links, and over Wi-Fi. Their programs look back as described above. The Linux modules
//! 2.0 and 4.0 pass `rtt_us` of the present ACK from `cubictcp_acked` (2.0: `bictcp_acked`) to
//! `search_update`. neqo passes `latest_rtt()` from `Search::on_packets_acked` to `evaluate`, and it counts the
//! decisions that a longer round trip has prevented (`Outcome::RttInflated`).
//!
//! - *Buffer.* Nothing is missing until the queue holds about 1.7 products. The buffer of `leo` holds
//!   1.8, that of `wifi` 2 and that of `geo` one. With a larger buffer the decision comes first: under
//!   `quic` (20 MB, five seeds) `leo` ends by loss with 1 MB, by `full-pipe` with 2 MB, and with 4 MB
//!   after 9 losses instead of 3251. `wifi` with 2 MB has 79 instead of 1629. The abstracts give no
//!   buffer sizes.
//! - *Version.* The Linux modules 2.0 to 3.1 compare deliveries with twice the deliveries of a
//!   round trip before, 4.0 and neqo with what was sent. `linux30` leaves in two of five runs on
//!   `leo` alone. The abstracts do not name the version that was measured.

mod bins;
mod rules;

use self::bins::{Bins, Totals, W, width};
use self::rules::{AppLimited, ExitRule, Missed, Rules, Settings};
use super::rapid_start::{Speed, SpeedSettings};
use super::resume::{self, ResumeSettings};
use super::{Congestion, Maker, Response, Startup};
use crate::entry::{Certainty, Entry};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established, Idle, Sent};
use crate::slow_start::SlowStart;
use crate::{Convention, Duration, Instant, Reason, Segments, Window, with_slow_start};

/// Entry of `search` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "search",
    title: "SEARCH",
    source: "draft-chung-ccwg-search-09; its authors' modules for Linux and FreeBSD; neqo",
    year: 2026,
    opened: "code: Linux modules 4.0 (087a48d), 3.1 and 3.0, FreeBSD 14.2 modules 3.2 and 4.0, neqo cc/search.rs of 21 August 2026; text: the draft of June 2024",
    compared: "bins, window of 3.5 round trips, threshold, drain, resets; seven programs side by side",
    summary: "Slow start that ends when deliveries over 3.5 round trips fall behind what was \
              sent a round trip before.",
    params: with_slow_start!(Settings, SpeedSettings, ResumeSettings),
    needs: &[],
    certainty: Certainty::Code,
    build: |params, convention| resume::maker(Search::new(params, convention)?, params),
};

/// The bins that an initial round trip takes.
const BINS_OF_A_RTT: u64 = 3;
/// SEARCH_DRAIN_ACKEDSEG_THRESH: segments delivered for one that leaves.
const DRAIN_ACKEDSEG_THRESH: u64 = 3;
/// A short drain ends after so many round trips.
const DRAIN_RTTS: u64 = 2;
/// FreeBSD 3.2 keeps no more deliveries than these bins have.
const LONGEST_ROLL_BACK: u64 = 39;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Before the first ACK with a round trip.
    Waiting,
    Watching,
    Draining(Drain),
    Done,
}

/// The queue is being emptied.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drain {
    target: Segments,
    /// Bytes delivered during the drain (`drain_acc`).
    delivered: u64,
    until: Instant,
}

impl Drain {
    /// One segment leaves for three delivered; false once the window is the target.
    fn goes_on(&mut self, w: &mut Window, a: &Ack) -> bool {
        self.delivered += a.delivered;
        let price = DRAIN_ACKEDSEG_THRESH * u64::from(w.mss);
        let leaving = (self.delivered / price) as f64;
        self.delivered %= price;
        w.cwnd = (w.segments(a.flight) + leaving)
            .max(self.target)
            .min(w.cwnd);
        w.cwnd > self.target && a.now < self.until
    }
}

/// State of SEARCH on one connection.
#[derive(Clone)]
struct Search {
    rules: Rules,
    speed: Speed,
    phase: Phase,
    totals: Totals,
    bins: Bins,
    latest_rtt: Duration,
    iw: Segments,
}

impl Search {
    fn new(params: &Params, convention: Convention) -> Result<Search, SpecError> {
        let rules = Rules::new(&Settings::read(params)?, convention);
        Ok(Search {
            rules,
            speed: Speed::read(params)?,
            phase: Phase::Waiting,
            totals: Totals::default(),
            bins: Bins::new(rules.extra_bins),
            latest_rtt: Duration::ZERO,
            iw: 0.0,
        })
    }

    /// Everything is forgotten; the next ACK begins anew.
    fn reset(&mut self) {
        self.phase = Phase::Waiting;
        self.totals = Totals::default();
    }

    /// The bins come from this round trip.
    fn begin(&mut self, rtt: Duration, now: Instant) {
        self.bins.initial_rtt = rtt;
        let duration = width(rtt, self.rules.whole_micros);
        self.bins.restart(duration, now, self.totals);
        self.phase = Phase::Watching;
    }

    /// `SEARCH_UPDATE`: whether it is time to leave.
    fn update(&mut self, a: &Ack) -> bool {
        self.totals.acked += match self.rules.selectively {
            true => a.delivered,
            false => a.acked,
        };
        self.latest_rtt = a.rtt.unwrap_or(self.latest_rtt);
        let paused = self.rules.app_limited == AppLimited::Counted && !a.cwnd_limited;
        if paused || self.rules.needs_sample && a.rtt.is_none() {
            return false;
        }
        if self.phase == Phase::Waiting {
            if let Some(rtt) = a.rtt {
                self.begin(rtt, a.now);
            }
            return false;
        }
        let passed = self.bins.passed(a.now, self.rules.inclusive);
        if passed == 0 || self.starts_anew(passed, a) {
            return false;
        }
        self.bins.close(passed, self.totals);
        self.too_little()
    }

    /// After silence, or an application without data.
    fn starts_anew(&mut self, passed: u64, a: &Ack) -> bool {
        let bins_of_a_rtt = self.bins.initial_rtt.nanos() / self.bins.duration.nanos();
        let restarts = match self.rules.missed {
            Missed::Forget if passed > W => {
                self.reset();
                return true;
            }
            Missed::Restart if passed > W => {
                self.begin(self.latest_rtt, a.now);
                return true;
            }
            Missed::Restart => passed > 2 * bins_of_a_rtt,
            Missed::Forget | Missed::Copied => false,
        };
        if restarts || self.lacks_data(a) {
            let duration = self.bins.duration;
            self.bins.restart(duration, a.now, self.totals);
            return true;
        }
        false
    }

    fn lacks_data(&self, a: &Ack) -> bool {
        let sample = a.delivery.as_ref().and_then(|d| d.sample);
        match self.rules.app_limited {
            AppLimited::RestartsNow => !a.cwnd_limited,
            AppLimited::RestartsThen => sample.is_some_and(|s| s.app_limited),
            AppLimited::Nothing | AppLimited::Counted => false,
        }
    }

    /// Whether THRESH of what should have been delivered is missing.
    fn too_little(&self) -> bool {
        let (rules, bins) = (&self.rules, &self.bins);
        let rtt = match rules.by_initial {
            true => bins.initial_rtt,
            false => self.latest_rtt,
        };
        let Some((p, f)) = bins.look_back(rtt, rules.history, rules.extra_bins) else {
            return false;
        };
        let expected = rules.expected(bins, p, f);
        let missing = u128::from(expected.saturating_sub(bins.delivered(W)));
        expected > 0 && missing * 10_000 >= rules.thresh * u128::from(expected)
    }

    /// Ends slow start (`SEARCH_EXIT_SLOW_START`).
    fn leave(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) {
        let target = w.segments(self.bins.delivered(BINS_OF_A_RTT)).max(self.iw);
        self.phase = Phase::Done;
        match self.rules.exit {
            ExitRule::Drain | ExitRule::ShortDrain if target < w.cwnd => {
                let short = self.rules.exit == ExitRule::ShortDrain;
                let latest = a.now + self.latest_rtt.times(DRAIN_RTTS);
                self.phase = Phase::Draining(Drain {
                    target,
                    delivered: 0,
                    until: if short { latest } else { Instant::MAX },
                });
                return;
            }
            ExitRule::RollBack => self.roll_back(w),
            ExitRule::AtOnce | ExitRule::Drain | ExitRule::ShortDrain => {}
        }
        w.ssthresh = w.cwnd;
        slow_start.leave_unused(a);
    }

    /// Up to version 3.2: what two round trips delivered was too much.
    fn roll_back(&self, w: &mut Window) {
        let (rules, bins) = (self.rules.roll_back, &self.bins);
        let rtt = match rules.by_latest {
            true => self.latest_rtt,
            false => bins.initial_rtt,
        };
        let back = rtt.times(2).nanos() / bins.duration.nanos();
        let over = w.segments(bins.delivered(back));
        let remembered = LONGEST_ROLL_BACK.min(bins.ring.len() as u64 - 1);
        if back > remembered || over >= w.cwnd && rules.gives_up {
            return;
        }
        w.cwnd = (w.cwnd - over).max(self.iw).min(w.cwnd);
    }
}

impl Startup for Search {
    fn on_established(&mut self, w: &mut Window, _e: &Established) {
        self.iw = w.cwnd;
    }

    fn on_sent(&mut self, _w: &mut Window, s: &Sent) -> Option<Reason> {
        self.totals.sent += u64::from(s.bytes);
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        let factor = self.speed.factor(a);
        if let Phase::Draining(drain) = &mut self.phase {
            let counts = a.rtt.is_some() || !self.rules.needs_sample;
            if counts && !drain.goes_on(w, a) {
                w.ssthresh = w.cwnd;
                self.phase = Phase::Done;
            }
            return None;
        }
        if self.phase != Phase::Done && self.update(a) {
            self.leave(w, a, slow_start);
            return Some(Reason::FullPipe);
        }
        slow_start.grow_by(w, a, factor);
        None
    }

    /// A congestion signal ends it. The slow start after a timeout is watched like the first.
    fn on_congestion(&mut self, _w: &mut Window, c: &Congestion) -> Response {
        if c.is_timeout() {
            self.reset();
        } else {
            self.phase = Phase::Done;
        }
        Response::STANDARD
    }

    fn on_idle(&mut self, _w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        self.reset();
        false
    }

    fn wants_delivery(&self) -> bool {
        self.rules.app_limited == AppLimited::RestartsThen
    }
}

#[cfg(test)]
mod tests;
