//! What one side's data show of their sender.

use serde::Serialize;

use crate::answers::{Heard, Sending, Trip};
use crate::initial::Initial;
use crate::reduction::Control;
use crate::rounds::{Exit, Rounds};

/// A pause is idle time if it is longer than this, or than four RTTs: longer than the RTO of stacks in use (RFC 6298,
/// section 2.4). ns
const IDLE: u64 = 1_000_000_000;

/// What one side's data show of their sender. `None`: they do not show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Facts {
    /// Segments of the initial window: the first flight, where more data waited for the first ACK.
    pub initial_window: Option<u32>,
    /// Factor by which the window grew per round trip of slow start.
    pub growth: Option<f64>,
    /// What ended slow start.
    pub exit: Option<Exit>,
    /// Bytes of the window then.
    pub exit_window: Option<u64>,
    /// Rate of pacing in slow start, in windows per round trip; 0: it does not pace.
    pub pacing: Option<f64>,
    /// What idle time did to the window.
    pub idle_restart: Option<IdleRestart>,
    /// The congestion control.
    pub control: Option<Control>,
}

/// What idle time longer than the RTO did to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdleRestart {
    /// It was the initial window again (RFC 5681, section 4.1).
    InitialWindow,
    /// It was between the initial window and the one before (RFC 2861).
    Decayed,
    /// It was at least as large as before.
    Kept,
}

/// The measurements of one side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sender {
    pub initial: Initial,
    pub rounds: Rounds,
    /// The stamp of its SYN, and when that passed.
    pub syn: Option<(u64, u32)>,
    last: u64,
    highest: u64,
    after_idle: Option<Box<AfterIdle>>,
    restart: Option<Restart>,
}

/// The first flight after idle time.
#[derive(Clone, Copy, Debug)]
struct AfterIdle {
    flight: Initial,
    before: u64,
}

/// A window after idle time, and the largest one before, in bytes.
#[derive(Clone, Copy, Debug)]
struct Restart {
    segments: u32,
    bytes: u64,
    before: u64,
}

impl Sender {
    /// Data pass the monitor.
    pub(crate) fn sent(&mut self, data: &Sending, trip: &Trip) {
        self.initial.sent(data, trip, self.syn);
        if self.is_idle(data, trip) {
            let before = std::mem::take(&mut self.rounds.largest);
            let flight = Initial::default();
            self.after_idle = (before > 0).then(|| Box::new(AfterIdle { flight, before }));
            self.rounds.begin();
        }
        self.rounds.sent(data, trip);
        if let Some(after) = &mut self.after_idle {
            after.flight.sent(data, trip, self.syn);
            if let Some(window) = after.flight.measured() {
                self.restart = self.restart.or(Some(Restart {
                    segments: window.segments,
                    bytes: window.bytes,
                    before: after.before,
                }));
                self.after_idle = None;
            }
        }
        self.last = data.time;
        self.highest = self.highest.max(data.end());
    }

    /// Whether data follow idle time: all before was acknowledged.
    fn is_idle(&self, data: &Sending, trip: &Trip) -> bool {
        let pause = data.time.saturating_sub(self.last);
        let acknowledged = self.highest > 0 && data.acked >= self.highest;
        pause > IDLE.max(4 * trip.rtt) && acknowledged && !data.repeat
    }

    /// The peer acknowledged data.
    pub(crate) fn acknowledged(&mut self, ack: &Heard, trip: &Trip) {
        self.initial.acknowledged(ack, trip);
        self.rounds.acknowledged(ack, trip);
        if let Some(after) = &mut self.after_idle {
            after.flight.acknowledged(ack, trip);
        }
    }

    /// The peer sent data: the next flight answers a request.
    pub(crate) fn turn(&mut self) {
        self.initial.turn();
        if let Some(after) = &mut self.after_idle {
            after.flight.turn();
        }
    }

    /// What was measured. `done`: the connection's data ended and were acknowledged.
    pub(crate) fn facts(&self, mss: u64, done: bool) -> Facts {
        let exit = self.rounds.exit(done);
        Facts {
            initial_window: self.initial.measured().map(|window| window.segments),
            growth: self.rounds.growth(),
            exit: exit.map(|(exit, _)| exit),
            exit_window: exit.and_then(|(_, window)| window),
            pacing: self.rounds.paced(),
            idle_restart: self.idle_restart(mss),
            control: self.rounds.control(mss),
        }
    }

    /// The window after idle time shows a rule only if the one before was clearly larger than the initial one.
    fn idle_restart(&self, mss: u64) -> Option<IdleRestart> {
        let restart = self.restart?;
        let initial = self.initial.measured()?;
        if restart.before < 2 * initial.bytes {
            return None;
        }
        Some(if restart.segments <= initial.segments {
            IdleRestart::InitialWindow
        } else if restart.bytes + mss >= restart.before {
            IdleRestart::Kept
        } else {
            IdleRestart::Decayed
        })
    }
}
