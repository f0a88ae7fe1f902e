//! HyStart++: leave slow start when delays rise, but slowly, and go back if it was a
//! false alarm.
//!
//! RFC 9406 (P. Balasubramanian, Y. Huang, M. Olson, May 2023, Standards Track). HyStart's delay
//! test finds the moment before the buffer overflows, but jitter also trips it, and then a
//! flow crawls for the rest of its life. HyStart++ therefore inserts a phase: once the
//! minimum RTT of a round exceeds that of the round before, growth continues at a quarter
//! of the speed for up to five rounds, *conservative slow start* (CSS). If the round-trip
//! time falls back meanwhile, it was a false alarm and slow start resumes; if not,
//! congestion control begins. The ACK train of the original is dropped: ACK compression
//! defeats it (§4.1).
//!
//! `variant=linux-cubic` is the patch of SUSS's authors for `tcp_cubic.c` (SUSSdeveloper/HyStartPP,
//! commit 1ba43b6), with which they compared it:
//!
//! | | rfc | linux-cubic |
//! | --- | --- | --- |
//! | a round ends | with the ACK that reaches its end | with the first ACK beyond its end, before that ACK is sampled |
//! | back to slow start | from the eighth sample of a round | from the ninth |
//! | growth | at most `l` segments for an ACK | not limited |
//! | an ACK that is not cwnd-limited | is judged | is sampled and not judged |
//!
//! The first line decides when CSS begins. At the ACK that reaches the end, what this ACK releases has
//! not left yet, so the next end misses it. That shortfall doubles with the window.
//! The first samples of such a round come from the tail of a flight,
//! with the queue of that burst, and raise a false alarm at 298 segments where the patch enters
//! CSS at 1287 ([qualification](../results/published.md)).
//!
//! `resume=true` tests an exit with the packets in flight ([resume](../../concepts/resume.md)).
//!
//! # State
//!
//! The RFC's: the phase, `windowEnd`, `lastRoundMinRTT`, `currentRoundMinRTT`,
//! `rttSampleCount`, `cssBaselineMinRtt` and the rounds of CSS.
//!
//! # Contested
//!
//! - The RFC does not order the steps at a round's end. Here an ACK is first sampled and
//!   judged, then ends the round.
//! - §4.2: a loss sets ssthresh to cwnd. Taken literally that would undo the
//!   reduction which the loss itself causes; here it only ends HyStart++.
//! - `windowEnd` starts as SND.NXT. Taken before any data is sent, the first ACK would end a
//!   round of nothing and spoil `lastRoundMinRTT`; here it is what the first ACK finds sent.
//! - §4.3 allows it to run again after an idle time. Here it does not.

use super::rapid_start::{Speed, SpeedSettings};
use super::resume::{self, ResumeSettings};
use super::{Congestion, Maker, Response, Startup, hystart};
use crate::entry::{Certainty, Entry};
use crate::model::{Model, slower_since::SlowerSince};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Sent};
use crate::slow_start::SlowStart;
use crate::variants::Judging;
use crate::{Convention, Duration, Instant, Reason, Segments, Window, params, with_slow_start};

/// Entry of `hystart-plus-plus` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "hystart-plus-plus",
    title: "HyStart++",
    source: "draft-balasubramanian-tcpm-hystartplusplus-00, 2019; RFC 9406 §4; \
             SUSSdeveloper/HyStartPP, tcp_cubic.patch",
    year: 2019,
    opened: "text: RFC 9406, all of it; code: SUSSdeveloper/HyStartPP at 1ba43b6, tcp_cubic.patch",
    compared: "all constants, rounds, CSS, return from it, exit, loss",
    summary: "Slow start that turns to slower growth when round-trip times rise, back if they \
              fall, and to congestion control after five such rounds.",
    params: with_slow_start!(Settings, SpeedSettings, ResumeSettings),
    needs: &[],
    certainty: Certainty::Text,
    build: |params, convention| resume::maker(HyStartPlusPlus::new(params, convention)?, params),
};

params! {
    /// §4.3's tuning; slow start's parameters apply after a timeout.
    pub struct Settings {
        /// whose order of steps: the RFC's, or that of a patch for Linux's CUBIC
        variant: Variant = "rfc",
        /// no smaller rise of the round-trip time counts
        min_rtt_thresh: Duration = "4ms",
        /// a rise of the round-trip time by this much always counts
        max_rtt_thresh: Duration = "16ms",
        /// the rise that counts is the last round's least RTT divided by this, between the two
        /// bounds
        #[within(1..=1_000_000)]
        min_rtt_divisor: u32 = "8",
        /// samples in a round before it is judged
        #[within(1..=1_000_000)]
        n_rtt_sample: u32 = "8",
        /// how many times slower conservative slow start grows; at least 2
        #[within(2..=1_000_000)]
        css_growth_divisor: u32 = "4",
        /// rounds of conservative slow start before congestion control, the one in which it began
        /// included
        #[within(1..=1_000_000)]
        css_rounds: u32 = "5",
        /// maximum that one ACK may add
        #[usual("by stack and window: unlimited under QUIC or if paced, otherwise 8")]
        #[check(|l| l > 0.0, "above zero")]
        l: Option<Segments>,
        paced: Option<bool> as hystart::Settings,
        /// round-trip times are not judged below this window (16 in drafts up to -04)
        low_cwnd: Segments = "0",
        /// what ends a round. flight: all that was out when the last one ended is acknowledged (RFC 9406);
        /// next-packet: so is the first packet that left after that (neqo, cc/hystart.rs; quiche 0.30.0,
        /// recovery/congestion/hystart.rs)
        #[usual("by stack: next-packet under QUIC, otherwise flight")]
        round: Option<Round>,
    }

    pub enum Variant { Rfc = "rfc", LinuxCubic = "linux-cubic" }
    pub enum Round { Flight = "flight", NextPacket = "next-packet" }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    SlowStart,
    Css,
    Done,
}

/// State of HyStart++ on one connection.
#[derive(Clone)]
struct HyStartPlusPlus {
    settings: Settings,
    /// Stacks that pace by whatever means (RFC 9002 §7.7).
    quic: bool,
    /// A round begins with a packet that leaves.
    by_packet: bool,
    judging: Judging,
    /// Slow start after the end of HyStart++.
    speed: Speed,
    phase: Phase,
    /// `windowEnd`, once there has been an ACK.
    window_end: Option<u64>,
    last_round_min_rtt: Duration,
    current_round_min_rtt: Duration,
    rtt_sample_count: u32,
    css_baseline_min_rtt: Duration,
    css_rounds: u32,
    /// When conservative slow start began.
    css_start: Option<Instant>,
}

impl HyStartPlusPlus {
    fn new(params: &Params, convention: Convention) -> Result<HyStartPlusPlus, SpecError> {
        let settings = Settings::read(params)?;
        let by_stack = match convention.is_quic() {
            true => Round::NextPacket,
            false => Round::Flight,
        };
        let quiche = convention.judging == Judging::Quiche;
        let by_packet = settings.round.unwrap_or(by_stack) == Round::NextPacket;
        let Settings {
            min_rtt_thresh,
            max_rtt_thresh,
            ..
        } = settings;
        if max_rtt_thresh < min_rtt_thresh {
            let expected = format!("at least `min_rtt_thresh`, {min_rtt_thresh}");
            return Err(SpecError::bad_value(
                params,
                &Settings::max_rtt_thresh,
                &expected,
            ));
        }
        params.effective(
            &Settings::paced,
            settings.l.is_none(),
            "`l` not to be given",
        )?;
        let limited = settings.variant == Variant::Rfc;
        params.effective(&Settings::l, limited, "`variant=rfc`")?;
        params.effective(&Settings::paced, limited, "`variant=rfc`")?;
        Ok(HyStartPlusPlus {
            settings,
            quic: convention.is_quic(),
            by_packet,
            judging: convention.judging,
            speed: Speed::read(params)?,
            phase: Phase::SlowStart,
            // quiche's first round is that of the handshake's first packet.
            window_end: (by_packet && quiche).then_some(0),
            last_round_min_rtt: Duration::MAX,
            current_round_min_rtt: Duration::MAX,
            rtt_sample_count: 0,
            css_baseline_min_rtt: Duration::MAX,
            css_rounds: 0,
            css_start: None,
        })
    }

    /// §4.2: `min(N, L*SMSS)` in slow start, a `CSS_GROWTH_DIVISOR`th of it in CSS. The
    /// window is a real number, so no remainder is lost.
    fn grow(&mut self, w: &mut Window, a: &Ack) {
        let factor = self.speed.factor(a);
        if !a.cwnd_limited {
            return;
        }
        let by_stack = self.quic || w.pacing.is_some();
        let paced = self.settings.paced.unwrap_or(by_stack);
        let unlimited = paced || self.settings.variant == Variant::LinuxCubic;
        let l = self
            .settings
            .l
            .unwrap_or(if unlimited { f64::INFINITY } else { 8.0 });
        let increase = w.segments(a.credit).min(l);
        w.cwnd += match self.phase {
            Phase::Css => increase / f64::from(self.settings.css_growth_divisor),
            _ => factor * increase,
        };
    }

    /// §4.2: `max(MIN_RTT_THRESH, min(lastRoundMinRTT / MIN_RTT_DIVISOR, MAX_RTT_THRESH))`.
    fn rtt_thresh(&self) -> Duration {
        let share = self
            .last_round_min_rtt
            .over(self.settings.min_rtt_divisor.into());
        share
            .min(self.settings.max_rtt_thresh)
            .max(self.settings.min_rtt_thresh)
    }

    /// §4.2, on each sample: into CSS if the RTT has risen, out of it if it has fallen back.
    /// Both need `N_RTT_SAMPLE` samples in the round.
    fn check_delay(&mut self, w: &Window, now: Instant) {
        if self.rtt_sample_count < self.settings.n_rtt_sample || w.cwnd < self.settings.low_cwnd {
            return;
        }
        let current = self.current_round_min_rtt;
        match self.phase {
            Phase::SlowStart => {
                // Without a last round its minimum is infinite and so is the sum.
                let risen = current >= self.last_round_min_rtt + self.rtt_thresh();
                if risen && current < Duration::MAX {
                    self.css_baseline_min_rtt = current;
                    self.css_rounds = 0;
                    self.css_start = Some(now);
                    self.phase = Phase::Css;
                    if self.judging == Judging::Neqo {
                        self.rtt_sample_count = 0;
                    }
                }
            }
            Phase::Css => {
                if self.judging == Judging::Quiche {
                    self.rtt_sample_count = 0;
                }
                if current < self.css_baseline_min_rtt {
                    self.css_baseline_min_rtt = Duration::MAX;
                    self.phase = Phase::SlowStart;
                }
            }
            Phase::Done => {}
        }
    }

    /// An ACK under `linux-cubic`: `hystartpp_adjust_params`, then `hystartpp_adjust_cwnd`.
    fn on_linux_ack(
        &mut self,
        w: &mut Window,
        a: &Ack,
        slow_start: &mut SlowStart,
    ) -> Option<Reason> {
        if let Some(rtt) = a.rtt {
            if self.window_end.is_none_or(|end| a.una > end) {
                let ended = self.end_round(w, a);
                if ended.is_some() {
                    slow_start.leave_unused(a);
                    return ended;
                }
            }
            self.current_round_min_rtt = self.current_round_min_rtt.min(rtt);
            if self.rtt_sample_count < self.settings.n_rtt_sample {
                self.rtt_sample_count += 1;
            } else if self.phase == Phase::Css {
                self.check_delay(w, a.now);
            }
        }
        if a.cwnd_limited && self.phase == Phase::SlowStart {
            self.check_delay(w, a.now);
        }
        self.grow(w, a);
        None
    }

    /// §4.2: rounds end when `windowEnd` is acknowledged. The round in which CSS began
    /// counts as its first.
    fn end_round(&mut self, w: &mut Window, a: &Ack) -> Option<Reason> {
        if self.phase == Phase::Css {
            self.css_rounds += 1;
            if self.css_rounds >= self.settings.css_rounds {
                w.ssthresh = w.cwnd;
                self.phase = Phase::Done;
                return Some(Reason::Delay);
            }
        }
        match self.by_packet {
            true => self.window_end = None,
            false => self.begin_round(a.nxt),
        }
        if self.judging == Judging::Neqo {
            self.begin_samples();
        }
        None
    }

    /// A round begins, which ends when all below `end` is acknowledged.
    fn begin_round(&mut self, end: u64) {
        if self.judging != Judging::Neqo {
            self.begin_samples();
        }
        self.window_end = Some(end);
    }

    fn begin_samples(&mut self) {
        self.last_round_min_rtt = self.current_round_min_rtt;
        self.current_round_min_rtt = Duration::MAX;
        self.rtt_sample_count = 0;
    }
}

impl HyStartPlusPlus {
    /// An ACK under neqo: one of an unused window counts for nothing, and the ACK that ends slow start
    /// is the congestion control's.
    fn on_neqo_ack(
        &mut self,
        w: &mut Window,
        a: &Ack,
        slow_start: &mut SlowStart,
    ) -> Option<Reason> {
        if !a.cwnd_limited {
            return None;
        }
        let ended = self.judge(w, a);
        match ended {
            Some(_) => slow_start.leave_unused(a),
            None => self.grow(w, a),
        }
        ended
    }

    /// Takes in the sample of an ACK, and ends the round that it ends.
    fn judge(&mut self, w: &mut Window, a: &Ack) -> Option<Reason> {
        if let Some(rtt) = a.rtt {
            self.current_round_min_rtt = self.current_round_min_rtt.min(rtt);
            self.rtt_sample_count += 1;
            self.check_delay(w, a.now);
        }
        let end = match self.by_packet {
            true => self.window_end,
            false => Some(*self.window_end.get_or_insert(a.nxt)),
        };
        match end.is_some_and(|end| a.una >= end) {
            true => self.end_round(w, a),
            false => None,
        }
    }
}

impl Startup for HyStartPlusPlus {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if self.phase == Phase::Done {
            slow_start.grow(w, a);
            return None;
        }
        if self.settings.variant == Variant::LinuxCubic {
            return self.on_linux_ack(w, a, slow_start);
        }
        if self.judging == Judging::Neqo {
            return self.on_neqo_ack(w, a, slow_start);
        }
        // quiche takes no samples and ends no round while it is application-limited, or limited by flow control
        // (recovery/congestion/cubic.rs and reno.rs, `on_packet_acked`).
        if self.judging == Judging::Quiche && !a.cwnd_limited {
            return None;
        }
        self.grow(w, a);
        self.judge(w, a)
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        if self.by_packet && self.window_end.is_none() && w.in_slow_start() {
            self.begin_round(s.seq + u64::from(s.bytes));
        }
        None
    }

    fn export_model(&mut self) -> Option<Box<dyn Model>> {
        Some(Box::new(SlowerSince(self.css_start?)))
    }

    /// §4.2: any congestion signal ends it for good.
    fn on_congestion(&mut self, _w: &mut Window, _c: &Congestion) -> Response {
        self.phase = Phase::Done;
        self.css_start = None;
        Response::STANDARD
    }
}

#[cfg(test)]
mod tests;
