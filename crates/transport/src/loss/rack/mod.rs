//! RACK-TLP (RFC 8985) with Proportional Rate Reduction (RFC 9937) and F-RTO (RFC 5682): how
//! current Linux finds and repairs loss, and answers congestion marks (RFC 3168).
//!
//! A segment is lost when one that left later has arrived, and a little longer has passed
//! than reordering would explain. The names of states and the order in which an acknowledgement
//! is worked through are those of Linux's `tcp_ack`: what arrived, what is lost, the state, the
//! window, the timers.
//!
//! What was sent once was sent in the order of positions, so one position, the `examined` edge,
//! separates what has been decided from what has not; what was sent again the ledger keeps in the
//! order of its sending. So nothing is looked at twice, whatever the window.

mod probe;
#[cfg(test)]
mod tests;
mod usage;

use super::super::connection::Connection;
use super::super::plan::Plan;
use super::super::sent::{Arrivals, Hint, NewlyAcked, Sending};
use super::super::undo::Frto;
use super::findings::{AckReport, Audience, Began, Events, Findings, Step};
use flowstart_control::Time;
use probe::Probe;
use std::cmp::Ordering;
use usage::Usage;

/// SACKed segments that stand for a loss where nothing was ever reordered.
const DUP_THRESH: u64 = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Linux's Open and Disorder.
    #[default]
    Open,
    /// Linux's CWR: the window slides down for a mark, nothing is to be repaired. Until what was
    /// sent after `high_seq`, which tells the peer, is acknowledged.
    Cwr,
    /// Fast recovery, until `high_seq` is acknowledged.
    Recovery,
    /// After a timeout, until then.
    Loss,
}

/// The Linux sender's loss recovery.
#[derive(Default)]
pub struct Rack {
    state: State,
    high_seq: u64,
    /// The sending that left last of those that have arrived, and its round trip.
    newest: Option<(Sending, Time)>,
    /// First sendings below this are examined.
    examined: u64,
    hint: Hint,
    reordering_seen: bool,
    /// When what may be lost is to be looked at again.
    due: Option<Time>,
    probe: Probe,
    /// A probe that is to be sent whatever the window.
    forced: Option<Plan>,
    frto: Frto,
    usage: Usage,
}

impl Rack {
    /// An acknowledgement has come that says this for the first time.
    pub fn on_ack(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        now: Time,
    ) -> Option<Findings> {
        self.frto.on_ack();
        // A pacer may have held a probe back until nobody needs it.
        let una = c.una();
        self.forced = self.forced.filter(|plan| plan.end > una);
        let advanced = newly.acked > 0;
        let repaired = self.probe.on_ack(una, newly.delivered > 0);
        if newly.delivered == 0 && !advanced {
            return None;
        }
        self.examined = self.examined.max(una);
        // The sample is of SACKed data where there is no other.
        let rtt = c.take_sample(newly.sent.or(newly.times.sacked_once), now);
        self.note_newest(c, &newly.times, now);
        let lost = self.detect_losses(c, now);
        let flight = self.pipe(c);
        let cwnd_limited = Some(self.usage.limits(&c.window));
        let mut events = self.update_state(c, newly);
        if repaired && self.state == State::Open {
            events.began = Some(Began::Repaired);
        }
        events.open = self.state == State::Open;
        events.step = Some(Step {
            delivered: newly.delivered,
            safe: advanced && !lost,
            in_flight: self.pipe(c),
        });
        Some(Findings {
            report: Some(AckReport {
                // `tcp_cong_control`: the window grows by what is newly delivered. What was SACKed
                // before, the end of a recovery covers once more.
                acked: newly.delivered,
                delivered: newly.delivered,
                rtt,
                flight,
                cwnd_limited,
                audience: self.audience(advanced),
            }),
            events: Some(events),
        })
    }

    /// To whom an acknowledgement is told: while the window comes down, nobody grows it.
    fn audience(&self, advanced: bool) -> Audience {
        match self.state {
            State::Recovery | State::Cwr => Audience::Recovery,
            _ if advanced => Audience::Growth,
            _ => Audience::OwnerGrowth,
        }
    }

    /// RFC 8985 §6.2 steps 1 to 3.
    fn note_newest(&mut self, c: &Connection, arrivals: &Arrivals, now: Time) {
        self.reordering_seen |= arrivals.reordered;
        let Some(arrival) = arrivals.newest else {
            return;
        };
        let rtt = now.since(arrival.sent);
        // What came back sooner than anything can is the answer to the first sending.
        if arrival.again && c.rtt.min_rtt().is_some_and(|least| rtt < least) {
            return;
        }
        if self.newest.is_none_or(|(newest, _)| arrival > newest) {
            self.newest = Some((arrival, rtt));
        }
    }

    /// RFC 8985 §6.2 steps 4 and 5: takes for lost what left before the newest arrival did and
    /// long enough ago. Whether anything was.
    fn detect_losses(&mut self, c: &mut Connection, now: Time) -> bool {
        let Some((newest, rtt)) = self.newest else {
            return false;
        };
        let patience = rtt + self.reordering_window(c);
        let before = c.sent.lost_bytes();
        let first = self.detect_among_first_sendings(c, newest, patience, now);
        let again = detect_among_retransmissions(c, newest, patience, now);
        self.due = match (first, again) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        c.sent.lost_bytes() > before
    }

    /// Returns when the next is to be looked at.
    fn detect_among_first_sendings(
        &mut self,
        c: &mut Connection,
        newest: Sending,
        patience: Time,
        now: Time,
    ) -> Option<Time> {
        while let Some((sent, end)) = c.sent.first_sent(self.examined, &mut self.hint) {
            let limit = match sent.cmp(&newest.sent) {
                Ordering::Less => end,
                Ordering::Equal => end.min(newest.end),
                Ordering::Greater => return None,
            };
            if limit <= self.examined {
                return None;
            }
            if sent + patience > now {
                return Some(sent + patience);
            }
            c.sent.mark_lost(self.examined, limit);
            self.examined = limit;
        }
        None
    }

    /// RACK.reo_wnd: nothing while there was no reordering and there are enough signs.
    fn reordering_window(&self, c: &Connection) -> Time {
        let signs = c.sent.arrived_bytes() >= DUP_THRESH * c.mss();
        if !self.reordering_seen && (!self.repairs_nothing() || signs) {
            return Time::ZERO;
        }
        let least = c.rtt.min_rtt().unwrap_or(Time::ZERO);
        let smoothed = c.rtt.smoothed().map_or(Time::ZERO, |(srtt, _)| srtt);
        least.over(4).min(smoothed)
    }

    /// Whether nothing is wrong.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Whether nothing is being repaired.
    fn repairs_nothing(&self) -> bool {
        matches!(self.state, State::Open | State::Cwr)
    }

    /// Leaves and enters states.
    fn update_state(&mut self, c: &mut Connection, newly: &NewlyAcked) -> Events {
        let mut events = Events::default();
        match self.state {
            State::Recovery if c.una() >= self.high_seq => events.ended = true,
            State::Cwr if c.una() > self.high_seq => events.ended = true,
            State::Loss => events.undone = self.update_loss_state(c, newly),
            _ => {}
        }
        if events.ended {
            self.state = State::Open;
        }
        // `tcp_time_to_recover`: what has been sent again beyond the end of a recovery begins the
        // next one, in the acknowledgement that ends the first.
        if self.repairs_nothing() && c.sent.has_losses() {
            events.began = Some(self.enter_recovery(c));
        }
        events
    }

    /// What a mark has begun to take from the window stays all that is taken: `tcp_enter_recovery`
    /// begins no reduction where one is in progress.
    fn enter_recovery(&mut self, c: &Connection) -> Began {
        let began = match self.state {
            State::Cwr => Began::Repair,
            _ => Began::Reduction {
                added: 0,
                timed: false,
            },
        };
        self.state = State::Recovery;
        self.high_seq = c.high();
        self.probe = Probe::default();
        began
    }

    /// A mark has come back (`tcp_enter_cwr`). Whether the window is to come down for it.
    pub fn on_mark(&mut self, c: &Connection, found: &mut Findings) -> bool {
        if self.state != State::Open || !c.mark_is_news() {
            return false;
        }
        self.state = State::Cwr;
        self.high_seq = c.high();
        if let Some(events) = &mut found.events {
            events.open = false;
        }
        if let Some(report) = &mut found.report {
            report.audience = Audience::Recovery;
        }
        true
    }

    /// The end of what a timeout began. Whether it was for nothing.
    fn update_loss_state(&mut self, c: &mut Connection, newly: &NewlyAcked) -> bool {
        let recovered = c.una() >= self.high_seq;
        if self.frto.examine(c, newly, &mut self.high_seq) {
            self.state = State::Open;
            c.sent.unmark_all_lost();
            self.examined = c.una();
            return true;
        }
        if recovered {
            self.state = State::Open;
            self.frto.end();
        }
        false
    }

    /// The findings of an acknowledgement have been answered.
    pub fn set_timers(&mut self, c: &mut Connection, advanced: bool, now: Time) {
        if advanced {
            c.rearm(now);
            self.schedule_probe(c, now, true);
        } else if !self.repairs_nothing() {
            self.probe.due = None;
        }
    }

    fn schedule_probe(&mut self, c: &Connection, now: Time, advancing: bool) {
        if self.repairs_nothing() && c.sent.arrived_bytes() == 0 {
            self.probe.schedule(c, now, advancing);
        } else {
            self.probe.due = None;
        }
    }

    /// When [`on_timer`](Self::on_timer) wants to be called.
    pub fn deadline(&self) -> Option<Time> {
        match (self.due, self.probe.due) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// A deadline of this may have passed.
    pub fn on_timer(&mut self, c: &mut Connection, now: Time) -> Option<Findings> {
        let mut found = None;
        if self.due.is_some_and(|due| due <= now) {
            found = Some(self.on_reordering_timer(c, now));
        }
        if self.probe.due.is_some_and(|due| due <= now) {
            self.send_probe(c, now);
        }
        found
    }

    /// What may have been reordered has had its time (RFC 8985 §6.3).
    fn on_reordering_timer(&mut self, c: &mut Connection, now: Time) -> Findings {
        self.due = None;
        let began = self.detect_losses(c, now) && self.repairs_nothing();
        let events = Events {
            began: began.then(|| self.enter_recovery(c)),
            step: (self.state == State::Recovery).then(|| Step {
                delivered: 0,
                safe: false,
                in_flight: self.pipe(c),
            }),
            ..Events::default()
        };
        Findings {
            report: None,
            events: Some(events),
        }
    }

    /// New data if there is any, else the last segment once more (§7.3).
    fn send_probe(&mut self, c: &mut Connection, now: Time) {
        let last = c.high().saturating_sub(c.mss()).max(c.una());
        let plan = c.next_segment().unwrap_or(Plan {
            start: last,
            end: c.high(),
        });
        self.probe = Probe {
            due: None,
            out: Some(c.high().max(plan.end)),
            repeats: plan.start < c.high(),
        };
        self.forced = Some(plan);
        c.restart_timer(now);
    }

    /// The timer expired.
    pub fn on_timeout(&mut self, c: &mut Connection) {
        let first = self.state != State::Loss;
        self.frto.begin(c.stack.frto && first);
        self.state = State::Loss;
        self.high_seq = c.high();
        self.due = None;
        self.forced = None;
        self.probe = Probe::default();
        c.sent.mark_all_lost();
        self.examined = c.high();
    }

    /// Lost segments first, then new ones, as far as the window goes.
    pub fn plan(&self, c: &Connection) -> Option<Plan> {
        if self.forced.is_some() {
            return self.forced;
        }
        let lost = c.sent.first_lost().filter(|_| !self.frto.new_data_first());
        let plan = match lost {
            Some((start, end)) => Plan {
                start,
                end: end.min(c.segment_end(start)),
            },
            None => c.next_segment()?,
        };
        let room = c.window.cwnd_bytes().saturating_sub(self.pipe(c));
        (plan.end - plan.start <= room).then_some(plan)
    }

    /// Accounts for a segment that leaves.
    pub fn on_sent(&mut self, c: &mut Connection, plan: Plan, now: Time) {
        self.forced = None;
        if plan.start < c.high() {
            c.sent.repair(plan, now);
        }
    }

    /// A segment has left, the accounts are up to date.
    pub fn after_sent(&mut self, c: &Connection, now: Time) {
        self.usage.after_sent(c, self.pipe(c));
        if self.repairs_nothing() {
            self.schedule_probe(c, now, false);
        }
    }

    /// Bytes in flight: what is neither SACKed nor lost, and what was sent again.
    pub fn pipe(&self, c: &Connection) -> u64 {
        c.sent.in_flight()
    }
}

/// The same of retransmissions, in the order of their sending.
fn detect_among_retransmissions(
    c: &mut Connection,
    newest: Sending,
    patience: Time,
    now: Time,
) -> Option<Time> {
    while let Some(again) = c.sent.oldest_retransmission() {
        if again.end > c.una() {
            if !again.left_before(&newest) {
                return None;
            }
            if again.sent + patience > now {
                return Some(again.sent + patience);
            }
        }
        c.sent.mark_oldest_retransmission_lost();
    }
    None
}
