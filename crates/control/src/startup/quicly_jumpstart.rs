//! quicly's jumpstart: one paced round trip at a preset or a remembered window.
//!
//! h2o's QUIC stack, quicly (K. Oku), `cc.h` and `quicly.c` as of April 2026. When the sender
//! first has more to send than the window lets out, the window jumps: to what an earlier
//! connection's rate and round-trip time make together or, where there was none, to a number of
//! packets that the server's operator has chosen. What the jump lets out is paced over a round
//! trip. Its first acknowledgement ends it, with the window that is in flight then; from there
//! slow start goes on. A first loss in it returns to what of the jump had been acknowledged,
//! and the usual reduction follows; acknowledgements of the rest lift the window to seven
//! tenths of what they add up to. Other than Jump Start it jumps once and at most so far; other
//! than Careful Resume it does not wait a round trip, and takes all of what is remembered.
//!
//! # Parameters
//!
//! | name | default | meaning |
//! | --- | --- | --- |
//! | `jump_mode` | `quicly` | how much of what is remembered, all or half |
//! | `default_packets` | 64 | the jump without a memory; 0 for none |
//! | `max_packets` | 1000 | the jump with a memory is at most this; 0 for none |
//! | `beta` | 0.5 | the first reduction |
//! | `growth`, `limit`, `iw`, `ssthresh` | as [`super::slow_start`] | growth besides |
//!
//! # State
//!
//! The jump's first position and the one after its last, `enter_pn` and `exit_pn`; the bytes of
//! it that have been acknowledged; the smoothed round-trip time.
//!
//! # Contested
//!
//! - In the code both numbers of packets are 0, so that nothing jumps: they are the operator's
//!   policy. 64 is the least that is recommended, and 1000 leaves all but the fastest memories
//!   whole.
//! - All of the remembered rate is more than RFC 9959 allows; `jump_mode=rfc9959` takes half.
//! - quicly numbers packets, so that a repaired one has another number and is not counted as
//!   acknowledged of the jump. Here bytes that were sent again are left out instead.
//! - quicly paces at twice the window a round trip outside the jump; that is the stack's here.

use super::{LossResponse, Startup};
use crate::entry::{Certainty, Entry, Need};
use crate::model::round_trips::RoundTrips;
use crate::params::{ParamSpec, Params, SpecError, Unit};
use crate::signals::{Ack, Established, Idle, Known, Loss, PathMemory, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{with_slow_start, Reason, Segments, Time, Window};

/// The catalog entry.
pub const ENTRY: Entry<dyn Startup> = Entry {
    name: "quicly-jumpstart",
    title: "quicly's jumpstart",
    source: "h2o/quicly, cc.h and quicly.c, April 2026",
    year: 2026,
    opened: "code: h2o/quicly b11d3634, quicly.c, cc.h, cc-reno.c, cc-pico.c, cc-cubic.c, pacer.h",
    compared: "entry, size, pace, validation, loss, lift",
    summary: "Paces one round trip at a preset or remembered window as soon as the window is \
              what holds it back, and keeps what gets through.",
    params: with_slow_start![JUMP_MODE, DEFAULT_PACKETS, MAX_PACKETS, BETA],
    needs: &[Need::Pacing, Need::Cache],
    certainty: Certainty::Code,
    build: |params, _| Ok(Box::new(QuiclyJumpstart::new(params)?)),
};

const JUMP_MODE: ParamSpec = ParamSpec {
    name: "jump_mode",
    unit: Unit::Choice(&["quicly", "rfc9959"]),
    default: "quicly",
    meaning: "how much of what is remembered the jump takes: all of it as quicly does, or half",
};

const DEFAULT_PACKETS: ParamSpec = ParamSpec {
    name: "default_packets",
    unit: Unit::Segments,
    default: "64",
    meaning: "the window of the jump where nothing is remembered; 0 for no jump",
};

const MAX_PACKETS: ParamSpec = ParamSpec {
    name: "max_packets",
    unit: Unit::Segments,
    default: "1000",
    meaning: "the window of the jump from a memory is at most this; 0 for no jump",
};

const BETA: ParamSpec = ParamSpec {
    name: "beta",
    unit: Unit::Ratio,
    default: "0.5",
    meaning: "the first reduction leaves this share of the window",
};

/// The largest payload that a packet of the cap may stand for.
const LARGEST_PAYLOAD: u32 = 1472;
/// The share of what is acknowledged of the jump that its recovery may open again
/// (`QUICLY_RENO_BETA`).
const LIFT: f64 = 0.7;

/// What may be jumped to.
#[derive(Clone, Copy, Debug)]
struct JumpSize {
    half: bool,
    default: Segments,
    max: Segments,
}

impl JumpSize {
    /// The jump's window in bytes; zero for none.
    fn jump(&self, w: &Window, memory: Option<&PathMemory>, rtt: Time) -> u64 {
        let bytes = |packets: Segments, payload: u32| (packets * f64::from(payload)) as u64;
        let Some(memory) = memory.filter(|memory| memory.rate.bps() > 0) else {
            return bytes(self.default, w.mss);
        };
        // The rate times the lesser of the two round trips.
        let remembered = memory.rate.bytes_in(memory.min_rtt.min(rtt));
        let share = if self.half {
            remembered / 2
        } else {
            remembered
        };
        share.min(bytes(self.max, w.mss.min(LARGEST_PAYLOAD)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not yet held back.
    Before,
    /// The jump leaves; none of it is acknowledged.
    Jumping,
    /// What was in flight at its first acknowledgement became the window.
    Validating,
    /// A loss in the jump is being repaired.
    Recovery,
    /// There is no jump to come, and none to be seen to.
    Over,
}

/// quicly's jumpstart.
struct QuiclyJumpstart {
    jump_size: JumpSize,
    beta: f64,
    phase: Phase,
    memory: Option<PathMemory>,
    initial: Segments,
    rtts: RoundTrips,
    /// One past what the application has handed over, as far as that is known.
    queued_until: u64,
    una: u64,
    high: u64,
    delivered: u64,
    enter: u64,
    exit: u64,
    retransmitted: u64,
}

impl QuiclyJumpstart {
    fn new(params: &Params) -> Result<QuiclyJumpstart, SpecError> {
        let beta = params.ratio("beta");
        if beta < 0.1 {
            return Err(SpecError::bad_value(
                params,
                "beta",
                "a share from 0.1 to 1",
            ));
        }
        for name in ["default_packets", "max_packets"] {
            if params.segments(name).is_infinite() {
                let expected = "a number of packets; quicly's jump has a bound";
                return Err(SpecError::bad_value(params, name, expected));
            }
        }
        Ok(QuiclyJumpstart {
            jump_size: JumpSize {
                half: params.choice("jump_mode") == "rfc9959",
                default: params.segments("default_packets"),
                max: params.segments("max_packets"),
            },
            beta,
            phase: Phase::Before,
            memory: None,
            initial: 1.0,
            rtts: RoundTrips::default(),
            queued_until: 0,
            una: 0,
            high: 0,
            delivered: 0,
            enter: 0,
            exit: u64::MAX,
            retransmitted: 0,
        })
    }

    /// The send buffer is full for the first time.
    fn jump(&mut self, w: &mut Window, flight: u64) {
        self.phase = Phase::Over;
        let jump = self
            .jump_size
            .jump(w, self.memory.as_ref(), self.rtts.smoothed);
        if jump <= w.cwnd_bytes() + flight {
            return;
        }
        self.phase = Phase::Jumping;
        self.enter = self.high;
        w.cwnd = w.segments(jump);
        w.pacing = w.rate_over(w.cwnd, self.rtts.smoothed);
    }

    /// `bytes_acked`: what has arrived of the jump as it was first sent.
    fn acknowledged(&self) -> u64 {
        let jumped = self.exit.min(self.high) - self.enter;
        let arrived = self.delivered.max(self.una).saturating_sub(self.enter);
        arrived.min(jumped.saturating_sub(self.retransmitted))
    }

    /// Acknowledgements of the jump lift the window that its loss left.
    fn lift(&mut self, w: &mut Window) {
        let lifted = w.segments(self.acknowledged()) * LIFT;
        w.cwnd = w.cwnd.max(lifted);
        w.ssthresh = w.ssthresh.max(w.cwnd);
    }
}

impl Startup for QuiclyJumpstart {
    fn on_known(&mut self, k: &Known) {
        self.memory = k.memory;
    }

    /// A lost SYN is a loss, after which there is no jump.
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.initial = w.cwnd;
        self.queued_until = e.queued;
        self.rtts.sample(e.rtt);
        if e.rtt.is_none() {
            self.phase = Phase::Over;
        }
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        let end = s.seq + u64::from(s.bytes);
        self.high = self.high.max(end);
        if s.retransmission && (self.enter..self.exit).contains(&s.seq) {
            self.retransmitted += u64::from(s.bytes);
        }
        let full = s.flight + u64::from(w.mss) > w.cwnd_bytes() && end < self.queued_until;
        if full && self.phase == Phase::Before {
            self.jump(w, s.flight);
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.rtts.sample(a.rtt);
        self.queued_until = a.nxt.saturating_add(a.queued);
        (self.una, self.delivered) = (a.una, a.delivered_total);
        let mut reason = None;
        if self.phase == Phase::Jumping && a.una > self.enter {
            // What was in flight before this ACK.
            w.cwnd = w.segments(a.flight + a.delivered).clamp(1.0, w.cwnd);
            w.pacing = None;
            self.exit = a.nxt;
            self.phase = Phase::Validating;
            reason = Some(Reason::FirstAck);
        }
        if self.phase == Phase::Validating && a.una >= self.exit {
            self.phase = Phase::Over;
        }
        slow_start.grow(w, a);
        reason
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.rtts.sample(a.rtt);
        (self.una, self.delivered) = (a.una, a.delivered_total);
        if self.phase == Phase::Recovery {
            self.lift(w);
        }
    }

    fn on_loss(&mut self, w: &mut Window, _l: &Loss) -> LossResponse {
        let jumped = match self.phase {
            Phase::Jumping | Phase::Validating => self.una < self.exit,
            Phase::Before | Phase::Recovery | Phase::Over => false,
        };
        if !jumped {
            self.cancel(w);
            return LossResponse::Standard;
        }
        if self.phase == Phase::Jumping {
            w.pacing = None;
            // The oldest that is out is lost. If it is of the jump, those that showed it are too,
            // and the first of them has ended it; if not, nothing of the jump counts.
            self.exit = if self.una < self.enter {
                self.enter
            } else {
                self.high
            };
        }
        self.phase = Phase::Recovery;
        let kept = w.segments(self.acknowledged()).max(self.initial);
        w.cwnd = (kept * self.beta).min(w.cwnd).max(1.0);
        w.ssthresh = w.cwnd.max(2.0);
        LossResponse::Done
    }

    fn on_recovered(&mut self, w: &mut Window, _r: &Recovered) {
        if self.phase == Phase::Recovery {
            self.lift(w);
            self.phase = Phase::Over;
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase == Phase::Jumping {
            w.pacing = None;
        }
        self.phase = Phase::Over;
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        if self.phase != Phase::Before {
            self.cancel(w);
        }
        false
    }

    /// While the jump is out it is this start-up's, whatever the threshold says.
    fn in_charge(&self, w: &Window) -> bool {
        self.phase == Phase::Jumping || w.in_slow_start()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::with_reno;
    use crate::{Controller, Convention, Rate};

    /// quicly's packets.
    const MSS: u32 = 1472;

    fn ms(n: u64) -> Time {
        Time::from_millis(n)
    }

    /// 1.25 MB/s over 100 ms.
    fn memory() -> PathMemory {
        PathMemory {
            cwnd: 85.0,
            ssthresh: 85.0,
            srtt: ms(100),
            rttvar: Time::ZERO,
            min_rtt: ms(100),
            delivered: 125_000,
            rate: Rate(10_000_000),
            in_use: false,
        }
    }

    fn jump_size(half: bool, max: f64) -> JumpSize {
        JumpSize {
            half,
            default: 64.0,
            max,
        }
    }

    #[test]
    fn the_jump_is_the_remembered_rate_for_the_lesser_round_trip() {
        let w = Window::new(MSS);
        let jump = |half, max, rtt| jump_size(half, max).jump(&w, Some(&memory()), ms(rtt));
        assert_eq!(jump(false, 1000.0, 80), 100_000);
        assert_eq!(jump(false, 64.0, 80), 94_208);
        assert_eq!(jump(false, 1000.0, 120), 125_000);
        assert_eq!(jump(true, 1000.0, 80), 50_000);
        assert_eq!(jump_size(false, 1000.0).jump(&w, None, ms(80)), 64 * 1472);
    }

    struct Flow {
        c: Controller,
        w: Window,
        sent: u64,
    }

    impl Flow {
        /// Ten packets have left, all that the first window allows, and more wait.
        fn new(spec: &str) -> Flow {
            let mut flow = Flow {
                c: with_reno(&ENTRY, spec, Convention::Rfc).unwrap(),
                w: Window::new(MSS),
                sent: 0,
            };
            let e = Established {
                initial_window: 10.0,
                rtt: Some(ms(100)),
                ..Established::at(Time::ZERO)
            };
            flow.c.on_established(&mut flow.w, &e);
            (0..10).for_each(|_| flow.send(MSS));
            flow
        }

        fn send(&mut self, bytes: u32) {
            let sent = Sent {
                now: Time::ZERO,
                bytes,
                seq: self.sent,
                retransmission: false,
                flight: self.sent + u64::from(bytes),
            };
            self.sent += u64::from(bytes);
            self.c.on_sent(&mut self.w, &sent);
        }

        /// So much is acknowledged, and so much has arrived in all.
        fn ack(&mut self, una: u64, delivered: u64, in_recovery: bool) {
            let ack = Ack {
                una,
                nxt: self.sent,
                delivered_total: delivered,
                flight: self.sent - delivered,
                ..Ack::of(ms(100), u64::from(MSS))
            };
            if in_recovery {
                self.c.on_recovery_ack(&mut self.w, &ack);
            } else {
                self.c.on_ack(&mut self.w, &ack);
            }
        }

        fn lose(&mut self) {
            let (flight, usable) = (self.sent, self.w.cwnd);
            let now = ms(200);
            self.c.on_loss(
                &mut self.w,
                &Loss {
                    now,
                    flight,
                    usable,
                },
            );
        }

        fn window(&self) -> u64 {
            self.w.cwnd_bytes()
        }
    }

    #[test]
    fn a_window_that_holds_the_sender_back_jumps_and_is_paced_over_a_round_trip() {
        let flow = Flow::new("");
        assert_eq!(flow.w.cwnd, 64.0);
        assert_eq!(flow.w.pacing.unwrap().time_for(64 * 1512), ms(100));
    }

    #[test]
    fn a_jump_that_is_no_more_than_window_and_flight_is_none() {
        let mut flow = Flow::new("default_packets=20");
        assert_eq!((flow.w.cwnd, flow.w.pacing), (10.0, None));
        // 40 000 bytes against a window of 29 440 and 14 720 in flight.
        let mut w = Window::new(MSS);
        w.cwnd = 20.0;
        let params = Params::parse(
            crate::params::AlgorithmKind::STARTUP,
            "",
            ENTRY.params,
            "default_packets=27.174",
        );
        let mut start = QuiclyJumpstart::new(&params.unwrap()).unwrap();
        start.rtts.sample(Some(ms(100)));
        start.jump(&mut w, 14_720);
        assert_eq!((w.cwnd, start.phase), (20.0, Phase::Over));
        flow.send(MSS);
        assert_eq!(flow.w.cwnd, 10.0, "there is one chance");
    }

    #[test]
    fn its_first_ack_leaves_what_is_in_flight() {
        let mut flow = Flow::new("");
        (10..54).for_each(|_| flow.send(MSS));
        let una = 10 * u64::from(MSS);
        flow.ack(una, una, false);
        assert_eq!(flow.w.cwnd, 65.0, "an ACK of what had left before");
        let una = 11 * u64::from(MSS);
        flow.ack(una, una, false);
        // 44 of the jump were out, and slow start adds what the ACK covers.
        assert_eq!((flow.w.cwnd, flow.w.pacing), (45.0, None));
        assert_eq!(flow.c.exit().unwrap().reason, Reason::FirstAck);
    }

    #[test]
    fn a_loss_returns_to_what_was_acknowledged_and_later_acks_lift_that() {
        let mut flow = Flow::new("");
        (0..70).for_each(|_| flow.send(1000));
        let una = 14_720 + 40_000;
        flow.ack(una, una, false);
        flow.lose();
        assert_eq!(flow.window(), 20_000);
        flow.ack(una, una + 10_000, true);
        assert_eq!(flow.window(), 35_000);
        flow.ack(una, una + 20_000, true);
        assert_eq!(flow.window(), 42_000);
    }

    #[test]
    fn a_loss_before_any_ack_of_it_halves_the_initial_window() {
        let mut flow = Flow::new("");
        (0..70).for_each(|_| flow.send(1000));
        flow.lose();
        assert_eq!((flow.window(), flow.w.pacing), (7_360, None));
    }

    #[test]
    fn a_jump_that_loses_its_first_packet_counts_the_others() {
        let mut flow = Flow::new("");
        (0..70).for_each(|_| flow.send(1000));
        flow.ack(14_720, 14_720, false);
        flow.lose();
        assert_eq!(flow.window(), 7_360);
        flow.ack(14_720, 14_720 + 30_000, true);
        assert_eq!(flow.window(), 21_000);
    }

    #[test]
    fn a_jump_without_bound_is_refused() {
        for (spec, expected) in [
            (
                "max_packets=unlimited",
                "parameter `max_packets`: `unlimited` is not a number of packets; quicly's jump \
                 has a bound",
            ),
            (
                "beta=0",
                "parameter `beta`: `0` is not a share from 0.1 to 1",
            ),
        ] {
            let error = with_reno(&ENTRY, spec, Convention::Rfc).err().unwrap();
            let expected = format!("startup `quicly-jumpstart`: {expected}");
            assert_eq!(error.to_string(), expected);
        }
    }
}
