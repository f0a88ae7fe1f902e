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
mod tests {
    use super::*;
    use crate::params::{AlgorithmKind, Params};
    use crate::{Controller, Convention, Reason, catalog};

    const MSS: u64 = 1448;
    /// With a window of forty segments that is all out.
    const LOSS: Loss = Loss {
        now: Instant::ZERO,
        flight: 40 * MSS,
        usable: 40.0,
    };

    fn prague(spec: &str) -> Prague {
        let params = Params::parse(AlgorithmKind::AVOIDANCE, "prague", ENTRY.params, spec);
        let mut prague = Prague::new(Settings::read(&params.unwrap()).unwrap());
        prague.counts_marks = true;
        prague
    }

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window {
            cwnd,
            ssthresh,
            header: 52,
            ..Window::new(MSS as u32)
        }
    }

    /// An ACK of so many packets, of which so many were marked, in the middle of a round.
    fn ack(packets: u64, marked: u32) -> Ack {
        Ack {
            una: 0,
            nxt: u64::MAX,
            marked,
            ..Ack::of(Instant::ZERO, packets * MSS)
        }
    }

    fn marked() -> Marked {
        Marked {
            now: Instant::ZERO,
            flight: 0,
            usable: 0.0,
        }
    }

    /// Has averaged over rounds of a hundred packets with these shares of marks.
    fn after_rounds(shares: &[f64]) -> Vec<f64> {
        let (mut prague, mut w) = (prague("rtt_target=0s"), window(100.0, 100.0));
        prague.left = w.cwnd;
        prague.frac_cwnd = w.cwnd;
        let after = |share: &f64| {
            let count = (100.0 * share) as u32;
            let a = Ack {
                una: u64::MAX,
                ..ack(100, count)
            };
            prague.on_ack(&mut w, &a);
            prague.alpha
        };
        shares.iter().map(after).collect()
    }

    fn assert_near(found: &[f64], expected: &[f64], most: f64) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < most, "{found} {expected}");
        }
    }

    #[test]
    fn alpha_averages_the_shares_of_marks_over_rounds() {
        let alphas = after_rounds(&[0.1, 0.1, 0.0, 0.5]);
        assert_near(&alphas, &[0.943_75, 0.891_016, 0.835_327, 0.814_369], 1e-6);
        let cuts: Vec<f64> = alphas.iter().map(|alpha| cut(100.0, *alpha)).collect();
        assert_near(&cuts, &[52.81, 55.45, 58.23, 59.28], 0.005);
    }

    /// What a mark leaves of a fractional window.
    fn cut(frac_cwnd: f64, alpha: f64) -> f64 {
        let mut prague = prague("");
        (prague.frac_cwnd, prague.alpha) = (frac_cwnd, alpha);
        prague.cut(&window(frac_cwnd, 2.0), Instant::ZERO);
        prague.frac_cwnd
    }

    #[test]
    fn alpha_stays_as_it_is_before_the_first_mark() {
        assert_eq!(after_rounds(&[0.0, 0.0]), [1.0, 1.0]);
    }

    #[test]
    fn the_first_mark_ends_slow_start_with_a_cut_of_a_half_by_one_segment_per_ack() {
        let (mut prague, mut w) = (prague(""), window(80.0, f64::INFINITY));
        prague.on_marked(&mut w, &marked());
        prague.on_ack(&mut w, &ack(1, 1));
        assert_eq!((w.cwnd, w.ssthresh, prague.frac_cwnd), (79.0, 79.0, 40.0));
        for _ in 0..38 {
            prague.on_ack(&mut w, &ack(1, 1));
        }
        assert_eq!(w.cwnd, 41.0);
        (0..5).for_each(|_| prague.on_ack(&mut w, &ack(1, 1)));
        assert_eq!((w.cwnd, w.ssthresh), (40.0, 40.0));
    }

    #[test]
    fn the_window_stops_at_the_whole_segment_above_the_fractional_one() {
        let (mut prague, mut w) = (prague(""), window(80.0, f64::INFINITY));
        prague.alpha = 0.953_125;
        prague.on_marked(&mut w, &marked());
        (0..60).for_each(|_| prague.on_ack(&mut w, &ack(1, 1)));
        assert_eq!((w.cwnd, prague.frac_cwnd), (42.0, 41.875));
    }

    #[test]
    fn what_came_without_a_mark_lets_the_window_grow_beside_one_that_did() {
        let (mut prague, mut w) = (prague(""), window(10.0, f64::INFINITY));
        prague.on_marked(&mut w, &marked());
        prague.on_ack(&mut w, &ack(2, 1));
        // Eleven, half of which is left, and the first step down.
        assert_eq!((prague.frac_cwnd, w.cwnd, w.ssthresh), (5.5, 10.0, 10.0));
    }

    /// What a window's ACKs add to it at this round trip, after so many rounds.
    fn growth(rtt: u64, rounds: u32, cwnd: u32) -> f64 {
        let (mut prague, mut w) = (prague(""), window(cwnd.into(), 2.0));
        (prague.rounds, prague.frac_cwnd, prague.left) = (rounds, w.cwnd, w.cwnd);
        prague.rtts.sample(Some(Duration::from_millis(rtt)));
        prague.round.end = u64::MAX;
        let one = ack(1, 0);
        (0..cwnd).for_each(|_| prague.on_ack(&mut w, &one));
        prague.frac_cwnd - f64::from(cwnd)
    }

    #[test]
    fn shorter_round_trips_grow_as_slowly_as_the_target() {
        let scales = [5, 10, 20, 25, 60].map(|rtt| {
            let mut prague = prague("");
            prague.rounds = 4;
            prague.rtts.sample(Some(Duration::from_millis(rtt)));
            prague.scale()
        });
        assert_near(&scales, &[0.04, 0.16, 0.64, 1.0, 1.0], 1e-12);
        assert_near(&[growth(10, 4, 50)], &[0.16], 0.001);
        assert_near(&[growth(10, 3, 50)], &[1.0], 0.02);
    }

    #[test]
    fn bursts_are_a_quarter_of_a_millisecond_and_one_packet_at_least() {
        let burst = |bytes_per_second: u64| {
            let mut prague = prague("rate_offset=0");
            let mut w = window(100.0, 2.0);
            prague.rtts.sample(Some(Duration::from_millis(100)));
            prague.frac_cwnd = bytes_per_second as f64 / 10.0 / 1500.0;
            prague.pace(&mut w, Instant::ZERO);
            (w.quantum, w.most_together)
        };
        assert_eq!(burst(12_500_000), (2, 2));
        assert_eq!(burst(1_250_000), (1, 1));
    }

    #[test]
    fn slow_start_is_paced_at_twice_the_window_and_avoidance_around_it() {
        let pace = |ssthresh, ms| {
            let (mut prague, mut w) = (prague(""), window(128.0, ssthresh));
            prague.frac_cwnd = 128.0;
            prague.rtts.sample(Some(Duration::from_millis(100)));
            prague.pace(&mut w, Instant::from_millis(ms));
            w.pacing.unwrap().bps()
        };
        assert_eq!(pace(f64::INFINITY, 0), 30_720_000);
        assert_eq!([pace(2.0, 49), pace(2.0, 50)], [15_840_000, 14_880_000]);
    }

    #[test]
    fn a_loss_halves_the_window_and_nothing_grows_until_it_is_repaired() {
        let (mut prague, mut w) = (prague("alpha_init=0"), window(40.0, 20.0));
        prague.on_loss(&mut w, &LOSS);
        (0..30).for_each(|_| prague.on_ack(&mut w, &ack(1, 0)));
        assert_eq!((w.cwnd, prague.frac_cwnd), (20.0, 20.0));
        let recovered = Recovered {
            now: Instant::ZERO,
            retransmitted: MSS,
            flight: 0,
        };
        prague.on_recovered(&mut w, &recovered);
        prague.on_ack(&mut w, &ack(1, 0));
        assert_eq!(prague.frac_cwnd, 20.05);
    }

    #[test]
    fn a_loss_that_was_none_gives_the_window_back() {
        let (mut prague, mut w) = (prague(""), window(40.0, 20.0));
        prague.on_loss(&mut w, &LOSS);
        (0..30).for_each(|_| prague.on_ack(&mut w, &ack(1, 0)));
        prague.on_spurious(&mut w);
        assert_eq!((w.cwnd, prague.frac_cwnd), (40.0, 40.0));
    }

    #[test]
    fn after_a_timeout_the_window_climbs_to_half_of_what_it_was_and_grows_when_all_is_repaired() {
        let (mut prague, mut w) = (prague(""), window(40.0, f64::INFINITY));
        let timeout = Timeout {
            now: Instant::ZERO,
            flight: 40 * MSS,
            usable: 40.0,
            repeated: false,
        };
        prague.on_timeout(&mut w, &timeout);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 20.0));
        let repairing = |una| Ack {
            una,
            nxt: 100,
            ..ack(1, 0)
        };
        (0..30).for_each(|_| prague.on_ack(&mut w, &repairing(99)));
        assert_eq!(w.cwnd, 20.0);
        prague.on_ack(&mut w, &repairing(100));
        assert_eq!(prague.frac_cwnd, 20.05);
    }

    #[test]
    fn a_window_that_nobody_uses_does_not_grow() {
        let (mut prague, mut w) = (prague(""), window(40.0, 20.0));
        let idle = Ack {
            cwnd_limited: false,
            queued: 0,
            ..ack(1, 0)
        };
        prague.on_ack(&mut w, &idle);
        assert_eq!(prague.frac_cwnd, 40.0);
        // Where the pacer holds data back, the window is in use.
        let paced = Ack {
            queued: MSS,
            ..idle
        };
        prague.on_ack(&mut w, &paced);
        assert!(prague.frac_cwnd > 40.0);
    }

    fn started(counts_marks: bool) -> (Controller, Window) {
        let mut c = catalog::controller("slow-start", "prague", Convention::LINUX).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(Duration::from_millis(20)),
            counts_marks,
            ..Established::at(Instant::ZERO)
        };
        c.on_established(&mut w, &e);
        (c, w)
    }

    #[test]
    fn a_mark_in_the_first_flight_ends_slow_start_at_half_of_it() {
        let (mut c, mut w) = started(true);
        c.on_marked(&mut w, &marked());
        (0..5).for_each(|_| c.on_ack(&mut w, &ack(2, 2)));
        assert_eq!(w.cwnd, 5.0);
        let exit = c.exit().map(|exit| (exit.reason, exit.cwnd));
        assert_eq!(exit, Some((Reason::Ecn, 10.0)));
    }

    #[test]
    fn where_marks_are_not_counted_it_is_reno() {
        let (mut c, mut w) = started(false);
        assert!(!c.owns_cwnd());
        c.on_ack(&mut w, &ack(10, 0));
        assert_eq!(w.cwnd, 20.0);
        c.on_marked(&mut w, &marked());
        assert_eq!((w.cwnd, w.ssthresh), (10.0, 10.0));
        assert!(!c.owns_cwnd());
        (0..10).for_each(|_| c.on_ack(&mut w, &ack(1, 0)));
        assert_eq!((w.cwnd, w.pacing), (11.0, None));
    }

    #[test]
    fn with_rtt_independence_the_window_is_cut_once_in_the_target() {
        let (mut prague, mut w) = (prague(""), window(100.0, 50.0));
        prague.rounds = 4;
        let cut_at = |prague: &mut Prague, w: &mut Window, ms| {
            prague.on_marked(w, &marked());
            let a = Ack {
                now: Instant::from_millis(ms),
                ..ack(1, 1)
            };
            prague.on_ack(w, &a);
            prague.frac_cwnd
        };
        let left = [100, 124, 125].map(|ms| cut_at(&mut prague, &mut w, ms));
        assert_eq!(left, [50.0, 50.0, 25.0]);
    }

    #[test]
    fn a_rate_beyond_any_burst_leaves_a_burst_of_the_largest_size() {
        let mut prague = prague("");
        let mut w = window(4e18, f64::INFINITY);
        (prague.frac_cwnd, prague.rtts.smoothed) = (w.cwnd, Duration(1 << 10));
        prague.pace(&mut w, Instant::ZERO);
        assert_eq!((w.quantum, w.most_together), (u32::MAX, u32::MAX));
    }
}
