//! Careful Resume: jump to half of what the path carried last time, once its first round trip
//! is back.
//!
//! RFC 9959, "Careful Resume: Convergence of Congestion Control from Retained State", May 2026.
//! A sender that has met this receiver before remembers how much a round trip carried then, and
//! the minimum RTT. It opens as ever. When its initial window is acknowledged without
//! a loss, the round-trip time resembles the old one, and there is more to send than the window
//! lets out, it jumps, once: up to half of the cached window leaves, paced over a round
//! trip (*Unvalidated*). What the acknowledgements then confirm becomes the window, and slow
//! start continues from there (*Validating*). A loss on the way shows that the cached state was
//! wrong, and the answer is harder than to an ordinary one: the window falls to half of what is
//! known to have passed and stays there until the whole jump has been accounted for (*Safe
//! Retreat*); that sum gives the threshold. Half is less than Jump Start or Fast start dare, and
//! waiting a round trip costs more, but a wrong memory does harm for no longer than one.
//!
//! # State
//!
//! The phase; the saved window and round-trip time; the PipeSize with the range of unvalidated
//! data; the round-trip time, smoothed, least and latest.
//!
//! # Two programs
//!
//! Public programs from before the RFC. The rules that differ:
//!
//! | | here | quiche (ana-cc/quiche, branch resume_latest, 1f578fe, module `congestion::resume`) | picoquic (hfstco/picoquic, branch careful-resume, 67d2be8, `careful_resume.c`) |
//! | --- | --- | --- | --- |
//! | jumps | when the initial window is acknowledged and data waits | the same | when ten packets are acknowledged and the window is full |
//! | refuses an RTT | below half the saved one, above ten times it | the same, both limits included | not in this file |
//! | PipeSize begins as | the flight | the window | the flight |
//! | it grows by | the jump that is acknowledged | all that is acknowledged | all that is acknowledged |
//! | Unvalidated ends | with the first ACK of the jump, or after a round trip | with the first ACK of the jump | with the last packet of the jump, or after the minimum RTT |
//! | threshold after a retreat | `beta` of the PipeSize, 0.5 | all of the PipeSize | half of the PipeSize |
//! | least window of a retreat | two segments | none | two packets |
//!
//! # Contested
//!
//! - PipeSize begins as what is in flight and grows by what is newly acknowledged. Taken
//!   literally that counts the flight twice; the RFC's example counts only acknowledgements of
//!   unvalidated data, and so does this.
//! - At the end of the RFC's lossy example PipeSize is 121 - 1 = 120, what was acknowledged of
//!   the jump; its own rule gives 149, the flight at its start besides. `pipesize` is the rule's
//!   unless the example's is requested.
//! - A retreat's window must not exceed half the PipeSize, and the example does not let it fall
//!   below the initial window; where the two contradict each other, the rule is followed.
//! - What is retransmitted was lost, and is no part of the PipeSize.
//! - "More than one round trip" is the smoothed one at the jump. That a round trip above ten
//!   times the old one is another path is advice in the RFC and a rule here.
//! - How long a memory stays good is the cache's business, and the RFC gives no number.
//! - Data that waits decides whether to jump, which the RFC allows: without it the jump's round
//!   trip would pass unused.

use super::{Assisted, Congestion, Maker, Reduction, Repaired, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::round_trips::RoundTrips;
use crate::params::Ratio;
use crate::signals::{Ack, Established, Idle, PathInfo, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{Duration, Instant, Reason, Segments, Window, params, with_slow_start};

/// Entry of `careful-resume` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "careful-resume",
    title: "Careful Resume",
    source: "RFC 9959",
    year: 2026,
    opened: "text: draft-ietf-tsvwg-careful-resume-24, all of it, and the examples of RFC 9959; \
             code: ana-cc/quiche at 1f578fe, hfstco/picoquic at 67d2be8",
    compared: "phases, jump, validation, retreat, saved values; two programs side by side",
    summary: "Jumps, after one round trip, to half of the saved congestion \
              window, and retreats to half of what is confirmed if that was too much.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing, Need::Cache],
    certainty: Certainty::Text,
    build: |params, _| Ok(copies(CarefulResume::new(Settings::read(params)?))),
};

params! {
    /// Parameters; those of slow start apply before and after the jump.
    pub struct Settings {
        /// the window that the jump opens is at most this
        max_jump: Segments = "unlimited",
        /// the threshold after a retreat is this share of the PipeSize; 0.5 to 1, CUBIC may use 0.7
        #[check(|beta| beta >= 0.5, "a share from 0.5 to 1")]
        beta: Ratio = "0.5",
        /// minimum window of a retreat: two segments, so that it is half the PipeSize as the rule
        /// has it; or the initial window, as the example has it
        floor: Floor = "two-segments",
        /// what a retreat's PipeSize comes to: what was in flight at the jump and what was
        /// acknowledged of the jump; or, as in the RFC's example, only the latter
        pipesize: Pipesize = "rule",
    }

    pub enum Floor { TwoSegments = "two-segments", Iw = "iw" }
    pub enum Pipesize { Rule = "rule", Example = "example" }
}

/// β from the parameters: RFC 9959 lets it be from a half to one.
/// Whether the path may still be the one on which `saved` was the minimum round trip: neither half
/// of it nor more than ten times as much.
fn resemble(rtts: &RoundTrips, saved: Duration) -> bool {
    rtts.least.times(2) > saved && rtts.latest <= saved.times(10)
}

/// PipeSize, and the retreat from a jump that was too far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pipe {
    /// What was in flight at the jump.
    base: u64,
    /// The unvalidated data: from here
    first: u64,
    /// to here, once all of it has left.
    last: u64,
    una: u64,
    /// What had to be sent again of it.
    retransmitted: u64,
}

impl Pipe {
    /// A jump begins with `base` bytes in flight, and `first` is the next to be sent.
    pub(super) fn new(base: u64, first: u64) -> Pipe {
        Pipe {
            base,
            first,
            last: u64::MAX,
            una: 0,
            retransmitted: 0,
        }
    }

    /// All of it has left.
    pub(super) fn end(&mut self, last: u64) {
        self.last = self.last.min(last);
    }

    pub(super) fn on_ack(&mut self, una: u64) {
        self.una = una;
    }

    pub(super) fn on_sent(&mut self, s: &Sent) {
        if s.retransmission && s.seq < self.last {
            self.retransmitted += u64::from(s.bytes);
        }
    }

    /// Whether something of the jump has arrived.
    fn confirmed(&self) -> bool {
        self.una > self.first
    }

    /// Whether all of it has, or was repaired.
    pub(super) fn accounted_for(&self) -> bool {
        self.una >= self.last
    }

    fn acknowledged(&self) -> u64 {
        let passed = self.una.min(self.last).saturating_sub(self.first);
        passed.saturating_sub(self.retransmitted)
    }

    /// Returns the PipeSize in bytes.
    fn size(&self) -> u64 {
        self.base + self.acknowledged()
    }

    /// The window of a retreat that begins now: half of what is known to have passed.
    pub(super) fn retreat(&self, w: &Window, floor: Segments) -> Segments {
        let half = (w.segments(self.size()) / 2.0).floor();
        half.max(floor).min(w.cwnd).max(1.0)
    }

    /// The threshold when the retreat is over; without `base` as the example has it.
    pub(super) fn threshold(&self, w: &Window, beta: f64, example: bool) -> Segments {
        let bytes = if example {
            self.acknowledged()
        } else {
            self.size()
        };
        (w.segments(bytes) * beta).floor().max(2.0)
    }
}

/// Phases of RFC 9959.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Reconnaissance,
    Unvalidated,
    Validating,
    SafeRetreat,
    Normal,
}

/// State of Careful Resume on one connection.
#[derive(Clone)]
struct CarefulResume {
    settings: Settings,
    floor_iw: bool,
    example: bool,
    phase: Phase,
    /// Saved window in bytes and saved round trip (`saved_cwnd`, `saved_rtt`).
    saved: Option<(u64, Duration)>,
    initial: Segments,
    rtts: RoundTrips,
    pipe: Pipe,
    /// One past the highest byte sent.
    high: u64,
    /// When the jump must be over.
    deadline: Instant,
    /// The window of the retreat.
    retreat: Segments,
}

impl CarefulResume {
    fn new(settings: Settings) -> CarefulResume {
        CarefulResume {
            settings,
            floor_iw: settings.floor == Floor::Iw,
            example: settings.pipesize == Pipesize::Example,
            phase: Phase::Normal,
            saved: None,
            initial: 1.0,
            rtts: RoundTrips::default(),
            pipe: Pipe::default(),
            high: 0,
            deadline: Instant::ZERO,
            retreat: 1.0,
        }
    }

    fn initial_bytes(&self, w: &Window) -> u64 {
        (self.initial * f64::from(w.mss)) as u64
    }

    /// Reconnaissance is over when all of the initial window has been acknowledged; the jump
    /// waits until more data does than the window would let out.
    fn reconnoitre(&mut self, w: &mut Window, a: &Ack) {
        let room = w.cwnd_bytes().saturating_sub(a.flight);
        let waits = a.cwnd_limited && a.queued > room;
        if a.una < self.initial_bytes(w) || !waits {
            return;
        }
        self.phase = Phase::Normal;
        let Some((saved, rtt)) = self.saved.take() else {
            return;
        };
        let jump = (w.segments(saved) / 2.0)
            .floor()
            .min(self.settings.max_jump);
        if resemble(&self.rtts, rtt) && jump > w.cwnd {
            self.jump(w, a, jump);
        }
    }

    /// Enters the phase Unvalidated with a jump.
    fn jump(&mut self, w: &mut Window, a: &Ack, jump: Segments) {
        self.phase = Phase::Unvalidated;
        self.pipe = Pipe::new(a.flight, a.nxt);
        self.deadline = a.now + self.rtts.smoothed;
        w.cwnd = jump;
        w.pacing = w.rate_over(jump, self.rtts.smoothed);
    }

    /// The jump is out, confirmed in part, or late: the window becomes what is in flight.
    fn leave_unvalidated(&mut self, w: &mut Window, flight: u64) {
        self.pipe.end(self.high);
        w.pacing = None;
        let size = self.pipe.size();
        let used = if flight < self.initial_bytes(w) || flight <= size {
            self.phase = Phase::Normal;
            w.segments(size).max(self.initial)
        } else {
            self.phase = Phase::Validating;
            w.segments(flight)
        };
        w.cwnd = used.min(w.cwnd);
    }

    fn finish_retreat(&mut self, w: &mut Window) {
        self.phase = Phase::Normal;
        w.ssthresh = self.pipe.threshold(w, self.settings.beta, self.example);
    }

    /// While the retreat lasts the window does not grow. A recovery that begins anew from one
    /// segment (Tahoe) may come back to it.
    fn stand_still(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) {
        if w.cwnd < self.retreat {
            slow_start.grow(w, a);
            w.cwnd = w.cwnd.min(self.retreat);
        }
        slow_start.leave_unused(a);
        if self.pipe.accounted_for() {
            self.finish_retreat(w);
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase == Phase::Unvalidated {
            w.pacing = None;
        }
        self.phase = Phase::Normal;
    }
}

/// Below the threshold; above it the ACK is the avoidance's.
fn grow(w: &mut Window, a: &Ack, slow_start: &mut SlowStart) {
    if w.in_slow_start() {
        slow_start.grow(w, a);
    } else {
        slow_start.leave_unused(a);
    }
}

impl Startup for CarefulResume {
    /// A lost SYN is a loss in Reconnaissance.
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.initial = w.cwnd;
        self.rtts.sample(e.rtt);
        if e.rtt.is_some() && self.saved.is_some() {
            self.phase = Phase::Reconnaissance;
        }
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        self.high = self.high.max(s.seq + u64::from(s.bytes));
        self.pipe.on_sent(s);
        // No room for another segment.
        if self.phase == Phase::Unvalidated && s.flight + u64::from(w.mss) > w.cwnd_bytes() {
            self.leave_unvalidated(w, s.flight);
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.rtts.sample(a.rtt);
        self.pipe.on_ack(a.una);
        match self.phase {
            Phase::Normal => grow(w, a, slow_start),
            Phase::Reconnaissance => {
                grow(w, a, slow_start);
                self.reconnoitre(w, a);
            }
            Phase::Unvalidated => {
                slow_start.leave_unused(a);
                if self.pipe.confirmed() || a.now > self.deadline {
                    self.leave_unvalidated(w, a.flight);
                }
            }
            Phase::Validating => {
                grow(w, a, slow_start);
                if self.pipe.accounted_for() {
                    self.phase = Phase::Normal;
                }
            }
            Phase::SafeRetreat => self.stand_still(w, a, slow_start),
        }
        None
    }

    /// Proportional rate reduction is not used in a retreat.
    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.rtts.sample(a.rtt);
        self.pipe.on_ack(a.una);
        if self.phase == Phase::SafeRetreat {
            w.cwnd = self.retreat;
            if self.pipe.accounted_for() {
                self.finish_retreat(w);
            }
        }
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        match self.phase {
            _ if c.is_timeout() => {
                self.cancel(w);
                return Response::STANDARD;
            }
            Phase::Unvalidated | Phase::Validating => {}
            // One more of the same flight.
            Phase::SafeRetreat => return Response::ends(Reduction::Done),
            Phase::Reconnaissance | Phase::Normal => {
                self.phase = Phase::Normal;
                return Response::STANDARD;
            }
        }
        self.cancel(w);
        self.phase = Phase::SafeRetreat;
        self.pipe.end(self.high);
        let floor = if self.floor_iw { self.initial } else { 2.0 };
        self.retreat = self.pipe.retreat(w, floor);
        w.cwnd = self.retreat;
        Response::ends(Reduction::Done)
    }

    fn on_recovered(&mut self, w: &mut Window, r: &Recovered) -> Repaired {
        self.pipe.on_ack(self.high.saturating_sub(r.flight));
        if self.phase == Phase::SafeRetreat && self.pipe.accounted_for() {
            self.finish_retreat(w);
        }
        Repaired::Continues
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        self.cancel(w);
        false
    }

    /// From the jump to its end the window is this startup's, whatever the threshold is.
    fn in_charge(&self, w: &Window) -> bool {
        let jumped = !matches!(self.phase, Phase::Reconnaissance | Phase::Normal);
        jumped || w.in_slow_start()
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }
}

impl Assisted for CarefulResume {
    /// One connection at a time may use what is saved.
    fn on_known(&mut self, k: &PathInfo) {
        let memory = k.memory.filter(|memory| !memory.in_use);
        self.saved = memory.map(|memory| (memory.delivered, memory.min_rtt));
    }
}

#[cfg(test)]
mod tests;
