//! A stack's own congestion control: its options, and what is seen of it from outside.

use crate::adapter::{SMALLEST, payload_of};
use crate::{Sample, ends::MTU, outcome::Outcome};
use flowstart_control::{Duration, Exit, Instant, Reason};
use flowstart_sim::RequestError;

/// The smallest initial window: RFC 9002's minimum of two datagrams (§7.2).
const LEAST: u64 = 2 * MTU as u64;

/// A congestion control of a stack.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// Its name in the stack.
    pub name: &'static str,
    /// The startup that simulates it.
    pub startup: &'static str,
    /// The congestion control of the catalog that simulates it.
    pub cc: &'static str,
}

/// Options of a stack's own congestion control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// Its name in the stack.
    pub cc: String,
    /// The initial window in bytes of UDP payload; `None` for the stack's default.
    pub initial_window: Option<u64>,
}

impl Native {
    /// Reads options such as `cc=cubic,iw=14720`; the stack's default is the first of `known`.
    ///
    /// # Errors
    ///
    /// An option or a congestion control that the stack does not have.
    ///
    /// ```
    /// use flowstart_live::lab::{Control, Native};
    /// let cubic = Control { name: "cubic", startup: "slow-start", cc: "cubic" };
    /// let native = Native::parse("iw=14720", &[cubic]).unwrap();
    /// assert_eq!((native.cc.as_str(), native.initial_window), ("cubic", Some(14_720)));
    /// ```
    pub fn parse(options: &str, known: &[Control]) -> Result<Native, RequestError> {
        let refuse = |problem| Err(RequestError::new("native", problem));
        let mut native = Native {
            cc: known.first().map_or("", |control| control.name).to_string(),
            initial_window: None,
        };
        for option in options.split(',').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("cc", cc)) if known.iter().any(|control| control.name == cc) => {
                    native.cc = cc.to_string();
                }
                Some(("cc", cc)) => {
                    let names: Vec<_> = known.iter().map(|control| control.name).collect();
                    return refuse(format!("cc `{cc}`: one of {}", names.join(", ")));
                }
                Some(("iw", bytes)) => match bytes.parse() {
                    Ok(bytes) if bytes >= LEAST => native.initial_window = Some(bytes),
                    _ => return refuse(format!("iw `{bytes}`: bytes, {LEAST} or more")),
                },
                _ => return refuse(format!("`{option}`: cc=NAME or iw=BYTES")),
            }
        }
        Ok(native)
    }
}

/// What a stack shows of a connection that it controls itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Congestion window in bytes of UDP payload.
    pub window: u64,
    /// Slow start threshold in bytes; `None` where there is none yet.
    pub ssthresh: Option<u64>,
    /// Startup ended because round trips grew longer, not with a loss.
    pub by_delay: bool,
    /// The round trip smoothed.
    pub srtt: Duration,
    /// Packets that the sender found lost.
    pub lost: u64,
    /// All data is acknowledged.
    pub finished: bool,
}

/// A connection that the stack controls, as it was seen over time.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The present state.
    pub state: State,
    sent: u64,
    largest: u64,
    exit: Option<Exit>,
    trace: Vec<Sample>,
}

impl Observed {
    /// Observed from now on.
    pub fn new(state: State, now: Instant) -> Observed {
        Observed {
            state,
            sent: 0,
            largest: state.window,
            exit: None,
            trace: vec![sample(&state, now)],
        }
    }

    /// What it has now.
    pub fn update(&mut self, state: State, now: Instant) {
        if state.ssthresh.is_some() {
            let reason = match state.by_delay {
                true => Reason::Delay,
                false => Reason::Loss,
            };
            self.leave(reason, self.state.window, now);
        }
        if (state.window, state.ssthresh) != (self.state.window, self.state.ssthresh) {
            self.trace.push(sample(&state, now));
        }
        self.largest = self.largest.max(state.window);
        self.state = state;
    }

    /// Slow start has ended with a window of so many bytes. Later ends are not recorded.
    pub fn leave(&mut self, reason: Reason, window: u64, now: Instant) {
        self.exit.get_or_insert(Exit {
            reason,
            at: now,
            cwnd: segments(window),
            flight: 0,
        });
    }

    /// A datagram of so many bytes has left.
    pub fn sent(&mut self, bytes: usize) {
        self.sent += u64::from(bytes > SMALLEST as usize);
    }

    /// Adds what was observed to the results of the path.
    pub fn into_outcome(self, outcome: &mut Outcome) {
        outcome.exit = self.exit;
        outcome.max_cwnd = segments(self.largest);
        outcome.packets_sent = self.sent;
        outcome.packets_lost = self.state.lost;
        outcome.trace = self.trace;
        outcome.mss = payload_of(MTU);
    }
}

/// A window in datagrams.
fn segments(bytes: u64) -> f64 {
    bytes as f64 / f64::from(MTU)
}

fn sample(state: &State, at: Instant) -> Sample {
    Sample {
        at,
        cwnd: segments(state.window),
        ssthresh: state.ssthresh.map_or(f64::INFINITY, segments),
        flight: 0,
        srtt: state.srtt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_a_stack_lacks_are_refused_with_those_that_it_has() {
        let cubic = Control {
            name: "cubic",
            startup: "slow-start",
            cc: "cubic",
        };
        let refused = |options| Native::parse(options, &[cubic]).unwrap_err().to_string();
        assert_eq!(refused("cc=reno"), "native: cc `reno`: one of cubic");
        assert_eq!(refused("iw=10"), "native: iw `10`: bytes, 2944 or more");
        assert_eq!(refused("mtu=1"), "native: `mtu=1`: cc=NAME or iw=BYTES");
    }

    #[test]
    fn startup_ends_with_the_window_before_the_threshold_was_set() {
        let before = State {
            window: 14_720,
            ..State::default()
        };
        let after = State {
            window: 7360,
            ssthresh: Some(7360),
            ..State::default()
        };
        let mut observed = Observed::new(before, Instant::ZERO);
        observed.update(after, Instant::from_millis(1));
        let exit = observed.exit.unwrap();
        assert_eq!((exit.cwnd, exit.at), (10.0, Instant::from_millis(1)));
    }
}
