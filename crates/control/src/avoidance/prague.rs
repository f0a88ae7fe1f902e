//! Prague: a window that falls by half the share of packets that come back marked.
//!
//! TCP Prague is the reference congestion control of L4S (RFC 9330): DCTCP's answer to marks made
//! fit for the Internet (RFC 9331 §4). Its packets are ECT(1), so that a queue may mark them as soon
//! as they wait for about a millisecond, and the receiver counts the marks (AccECN, RFC 9768). Once a
//! round the sender averages their share, alpha. When marks come the window falls by half of alpha,
//! once a round, one segment per acknowledgement; what comes back without a mark lets it grow by a
//! segment per round trip all the same. So a window of any size sees about two marks per round trip,
//! and its queue stays short.
//!
//! Its start is slow start, left at the first mark. As alpha begins at 1, the first cut is one half.
//! The startup `slow-start` does this: it ends with the first mark, and the descent is this
//! avoidance's.
//!
//! Below a round trip of 25 ms the window grows as slowly as one of 25 ms would (RTT independence),
//! once some rounds have passed since slow start. Losses halve the window. Where the peer does not
//! count marks it is Reno.
//!
//! # State
//!
//! alpha; the fractional window; what was delivered and marked since the round began; when alpha and
//! the window last changed; the rounds since slow start.
//!
//! # Deviations
//!
//! - In v0.7 the cut that the first mark brings is lost where the same acknowledgement covers
//!   unmarked packets as well: slow start then sets the fractional window anew. Here the first mark
//!   ends slow start in any case.
//! - The window grows, then is cut, then takes its step; the kernel cuts first.
//! - Windows of up to four packets are kept as a rate in v0.7 (`prague_cwnd_mode`), and segments made
//!   smaller so that a window has two. Both are left out: the window is the state at every size, and
//!   no smaller than two segments.
//! - The kernel's congestion control paces from the handshake on. A startup here paces with its own
//!   rate or as the stack does; `stack.pacing = "internal"` spaces slow start out at twice the
//!   window's rate as the kernel does.
//! - Detection of queues that are no L4S queues (off in v0.6, gone in v0.7) is left out.
//! - The round trip is RFC 6298's average of the samples that acknowledgements give.
//!
//! # Contested
//!
//! - What was opened: `net/ipv4/tcp_prague.c`, version 0.7 (github.com/minuscat/l4steam-6.6.y, commit
//!   1c07adc), and version 0.6 (github.com/L4STeam/linux, commit 02573a2). They differ in
//!   `rtt_transition`, and v0.6 has no `rate_offset`. draft-briscoe-iccrg-prague-congestion-control was
//!   not opened.
//! - A loss soon after a mark is answered as well, as in the kernel, since the answer to the mark may
//!   have been next to nothing.

use super::reno::Reno;
use super::{Avoidance, Maker, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::round_trips::RoundTrips;
use crate::params::Ratio;
use crate::signals::{Ack, Established, Loss, Marked, Recovered, Timeout};
use crate::{Duration, Instant, Segments, Window, params};

/// Entry of `prague` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "prague",
    title: "Prague",
    source: "De Schepper, Tilmans, Briscoe: TCP Prague, Linux tcp_prague.c v0.7 (L4S); RFC 9331 §4",
    year: 2019,
    opened: "code: tcp_prague.c v0.7, minuscat/l4steam-6.6.y 1c07adc6; v0.6, L4STeam/linux 02573a21",
    compared: "alpha, cut, growth, RTT independence, pace, bursts, loss, undo",
    summary: "Cuts the window by half the share of packets that come back marked, once a round, \
              for queues of about a millisecond (L4S).",
    params: Settings::PARAMS,
    needs: &[Need::Pacing, Need::L4s],
    certainty: Certainty::Code,
    build: |params, _| Ok(copies(Prague::new(Settings::read(params)?))),
};

params! {
    pub struct Settings {
        /// the share of marks before any has come; the first cut is half of it
        alpha_init: Ratio = "1",
        /// flows of shorter round trips grow as one of this would; 0s for none
        rtt_target: Duration = "25ms",
        /// but only so many rounds after slow start (500 in v0.6)
        #[within(0..=1_000_000)]
        rtt_transition: u32 = "4",
        /// the pace is so much above the window's rate in the first half of the time after an
        /// update of alpha, and below it in the second (0 in v0.6)
        #[within(0.0..=0.5)]
        rate_offset: Ratio = "0.03125",
    }
}

/// Minimum window in segments (`MIN_CWND_RTT`).
const MIN_CWND: Segments = 2.0;
/// `PRAGUE_SHIFT_G`: an update of alpha has this weight.
const G: f64 = 1.0 / 16.0;
/// `MAX_SCALED_RTT`: longer round trips grow as ever.
const MAX_SCALED_RTT: Duration = Duration::from_millis(100);
/// `prague_burst_shift`: so much of a second leaves together, about 250 us.
const BURST_SHIFT: u32 = 12;

/// A loss that is being repaired, during which nothing grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InLoss {
    No,
    /// Until the transport reports that it is over.
    Recovery,
    /// After a timeout, until this position is acknowledged; it is known with the next ACK.
    Timeout(Option<u64>),
}

/// What the round under way has brought so far.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// It is over when this is acknowledged.
    end: u64,
    /// Packets that the round has delivered.
    delivered: Segments,
    /// Packets that came back marked.
    marked: u32,
}

/// State of Prague on one connection.
#[derive(Clone)]
struct Prague {
    settings: Settings,
    /// Where the peer does not count marks.
    reno: Reno,
    counts_marks: bool,
    alpha: f64,
    /// Time of the last change of alpha.
    alpha_at: Instant,
    /// A mark has ever come back; before that alpha is unchanged.
    saw_ce: bool,
    /// A mark has come back that the window is to be cut for.
    cut_due: bool,
    /// When it was last cut for one.
    cut_at: Option<Instant>,
    /// The window with its fraction, to which the window proper goes in steps.
    frac_cwnd: Segments,
    /// The window as it was left here. Any other value was set elsewhere.
    left: Segments,
    round: Round,
    /// Number of rounds since slow start ended.
    rounds: u32,
    in_loss: InLoss,
    /// The window and the fractional one before the last loss.
    before_loss: (Segments, Segments),
    rtts: RoundTrips,
}

impl Prague {
    fn new(settings: Settings) -> Prague {
        Prague {
            settings,
            reno: Reno::linux(),
            counts_marks: false,
            alpha: settings.alpha_init,
            alpha_at: Instant::ZERO,
            saw_ce: false,
            cut_due: false,
            cut_at: None,
            frac_cwnd: MIN_CWND,
            left: 0.0,
            round: Round::default(),
            rounds: 0,
            in_loss: InLoss::No,
            before_loss: (0.0, 0.0),
            rtts: RoundTrips::default(),
        }
    }

    /// Takes over a window that was set elsewhere.
    fn synchronise(&mut self, w: &Window) {
        if w.cwnd != self.left {
            self.frac_cwnd = w.cwnd.max(MIN_CWND);
        }
    }

    /// Whether growth is independent of the round trip (`prague_is_rtt_indep`).
    fn is_rtt_independent(&self, w: &Window) -> bool {
        !w.in_slow_start() && self.rounds >= self.settings.rtt_transition
    }

    /// `prague_ai_ack_increase`: how much of a segment per window the window grows by.
    fn scale(&self) -> f64 {
        let rtt = self.rtts.smoothed;
        let applies = self.rounds >= self.settings.rtt_transition && rtt <= MAX_SCALED_RTT;
        if !applies || rtt >= self.settings.rtt_target || rtt == Duration::ZERO {
            return 1.0;
        }
        let share = rtt.secs() / self.settings.rtt_target.secs();
        share * share
    }

    /// Counts what an ACK brings.
    fn observe(&mut self, w: &Window, a: &Ack) {
        self.rtts.sample(a.rtt);
        self.saw_ce |= a.marked > 0;
        self.round.delivered += w.segments(a.delivered).ceil();
        self.round.marked += a.marked;
        if let InLoss::Timeout(until) = &mut self.in_loss
            && a.una >= *until.get_or_insert(a.nxt)
        {
            self.in_loss = InLoss::No;
        }
    }

    /// The window grows by what came back without a mark (`prague_update_cwnd`).
    fn grow(&mut self, w: &mut Window, a: &Ack) {
        let unmarked = w.segments(a.delivered).ceil() - f64::from(a.marked);
        let app_limited = a.queued == 0 && !a.cwnd_limited;
        let unused = w.cwnd_bytes() > a.peer_window;
        if unmarked <= 0.0 || self.in_loss != InLoss::No || app_limited || unused {
            return;
        }
        let mut rest = unmarked;
        if w.in_slow_start() {
            let grown = (w.cwnd + unmarked).min(w.ssthresh);
            rest -= grown - w.cwnd;
            w.cwnd = grown;
            self.frac_cwnd = grown.max(MIN_CWND);
        }
        self.frac_cwnd += rest * self.scale() / self.frac_cwnd;
    }

    /// Cuts the window for marks (`prague_enter_cwr`).
    fn cut(&mut self, w: &Window, now: Instant) {
        let since = |at: Instant| now.since(at);
        let soon = self
            .cut_at
            .is_some_and(|at| since(at) < self.settings.rtt_target);
        if self.is_rtt_independent(w) && soon {
            return;
        }
        self.cut_at = Some(now);
        self.frac_cwnd = (self.frac_cwnd * (1.0 - self.alpha / 2.0)).max(MIN_CWND);
    }

    /// The window follows its fractional one by a segment per ACK. A step down ends slow start.
    fn step(&mut self, w: &mut Window) {
        let target = self.frac_cwnd.ceil();
        if w.cwnd > target {
            w.cwnd = (w.cwnd - 1.0).max(target);
            w.ssthresh = w.cwnd;
        } else if w.cwnd < target {
            w.cwnd = (w.cwnd + 1.0).min(target);
        }
        self.left = w.cwnd;
    }

    /// `prague_update_alpha`, once the round is over and, with RTT independence, the target has
    /// passed.
    fn end_round(&mut self, w: &Window, a: &Ack) {
        let since = a.now.since(self.alpha_at);
        let soon = self.is_rtt_independent(w) && since < self.settings.rtt_target;
        if a.una < self.round.end || soon {
            return;
        }
        if self.saw_ce {
            let share = f64::from(self.round.marked) / self.round.delivered.max(1.0);
            self.alpha += G * (share.min(1.0) - self.alpha);
            self.alpha_at = a.now;
        }
        self.round = Round {
            end: a.nxt,
            ..Round::default()
        };
        self.rounds += u32::from(!w.in_slow_start() && self.rounds < u32::MAX);
    }

    /// Updates the pacing rate (`prague_update_pacing_rate`).
    fn pace(&self, w: &mut Window, now: Instant) {
        let rtt = self.rtts.smoothed;
        if rtt == Duration::ZERO {
            return;
        }
        let first_half = now.since(self.alpha_at) < self.settings.rtt_target.max(rtt).over(2);
        let gain = match first_half {
            _ if w.cwnd < w.ssthresh / 2.0 => 2.0,
            true => 1.0 + self.settings.rate_offset,
            false => 1.0 - self.settings.rate_offset,
        };
        w.pacing = w.rate_over(gain * self.frac_cwnd, Duration::ZERO + rtt);
        let packets = w.pacing.map_or(0, |rate| rate.bps() / 8) / u64::from(w.wire());
        let burst = u32::try_from(packets >> BURST_SHIFT).unwrap_or(u32::MAX);
        let burst = burst.max(1);
        (w.quantum, w.most_together) = (burst, burst);
    }

    /// Half of the window is to be left.
    fn halve(&mut self, w: &mut Window) {
        self.synchronise(w);
        self.before_loss = (w.cwnd, self.frac_cwnd);
        self.frac_cwnd = (self.frac_cwnd / 2.0).max(MIN_CWND);
        w.ssthresh = w.ssthresh.min(self.frac_cwnd.ceil());
        self.cut_due = false;
        self.left = w.cwnd;
    }
}

impl Avoidance for Prague {
    fn on_established(&mut self, w: &Window, e: &Established) {
        self.counts_marks = e.counts_marks;
        self.rtts.sample(e.rtt);
        self.alpha_at = e.now;
        self.synchronise(w);
    }

    fn on_start(&mut self, w: &mut Window, now: Instant) {
        match self.counts_marks {
            true => self.synchronise(w),
            false => self.reno.on_start(w, now),
        }
    }

    fn on_startup_ack(&mut self, w: &Window, a: &Ack) {
        self.observe(w, a);
        self.end_round(w, a);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        if !self.counts_marks {
            return self.reno.on_ack(w, a);
        }
        self.synchronise(w);
        self.observe(w, a);
        self.grow(w, a);
        if std::mem::take(&mut self.cut_due) {
            self.cut(w, a.now);
        }
        self.step(w);
        self.end_round(w, a);
        self.pace(w, a.now);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        if !self.counts_marks {
            return self.reno.on_loss(w, l);
        }
        self.halve(w);
        self.in_loss = InLoss::Recovery;
    }

    fn on_marked(&mut self, w: &mut Window, m: &Marked) {
        match self.counts_marks {
            // With the ACK that brought it.
            true => self.cut_due = true,
            false => self.reno.on_loss(w, &m.into()),
        }
    }

    fn on_recovered(&mut self, _w: &mut Window, _r: &Recovered) {
        if self.in_loss == InLoss::Recovery {
            self.in_loss = InLoss::No;
        }
    }

    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !self.counts_marks {
            return self.reno.on_timeout(w, t);
        }
        if !t.repeated {
            self.halve(w);
        }
        self.in_loss = InLoss::Timeout(None);
        w.cwnd = 1.0;
        self.left = w.cwnd;
    }

    fn on_spurious(&mut self, w: &mut Window) {
        if !self.counts_marks {
            return;
        }
        let (cwnd, frac_cwnd) = self.before_loss;
        w.cwnd = w.cwnd.max(cwnd);
        self.frac_cwnd = self.frac_cwnd.max(frac_cwnd);
        self.left = w.cwnd;
        self.in_loss = InLoss::No;
    }

    fn owns_cwnd(&self) -> bool {
        self.counts_marks
    }

    fn is_scalable(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
