use super::*;
use crate::signals::Loss;
use crate::testing::with_reno;
use crate::{Controller, Convention, Rate};

/// quicly's packets.
const MSS: u32 = 1472;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// 1.25 MB/s over 100 ms.
fn memory() -> PathMemory {
    PathMemory {
        cwnd: 85.0,
        ssthresh: 85.0,
        srtt: ms(100),
        rttvar: Duration::ZERO,
        min_rtt: ms(100),
        delivered: 125_000,
        rate: Rate(10_000_000),
        in_use: false,
    }
}

fn size(half: bool, default: f64, max: f64) -> JumpSize {
    JumpSize { half, default, max }
}

/// V1 and V2
#[test]
fn the_jump_is_the_remembered_rate_for_the_lesser_round_trip() {
    let jump = |half, max, rtt| size(half, 64.0, max).jump(MSS, Some(&memory()), ms(rtt));
    assert_eq!(jump(false, 1000.0, 80), 100_000);
    assert_eq!(jump(false, 64.0, 80), 94_208);
    assert_eq!(jump(false, 1000.0, 120), 125_000);
    assert_eq!(jump(false, 64.0, 120), 94_208);
    assert_eq!(jump(true, 1000.0, 80), 50_000);
}

/// V9
#[test]
fn the_preset_is_taken_without_a_memory_or_where_none_is_to_count() {
    let jump = |default, max, memory: Option<PathMemory>, payload| {
        size(false, default, max).jump(payload, memory.as_ref(), ms(80))
    };
    assert_eq!(jump(64.0, 1000.0, None, MSS), 64 * 1472);
    assert_eq!(jump(100.0, 0.0, Some(memory()), MSS), 147_200);
    assert_eq!(jump(0.0, 64.0, None, MSS), 0);
    assert_eq!(jump(100.0, 64.0, None, 1200), 120_000);
    assert_eq!(jump(100.0, 64.0, None, 9000), 147_200);
    let unmeasured = PathMemory {
        rate: Rate(0),
        ..memory()
    };
    assert_eq!(jump(100.0, 64.0, Some(unmeasured), MSS), 147_200);
}

fn jumped(enter: u64) -> Jump {
    Jump {
        enter,
        ..Jump::NONE
    }
}

/// V5
#[test]
fn a_loss_before_any_acknowledgement_of_the_jump_closes_it_at_what_was_lost() {
    let mut jump = jumped(20);
    assert!(jump.on_first_loss(30));
    assert_eq!((jump.exit, jump.acked), (30, 0));
    assert!(!jump.on_ack(33, 1472));
    assert!(jump.on_ack(25, 1472));
}

/// V6
#[test]
fn a_loss_of_before_the_jump_lets_nothing_of_it_count() {
    let mut jump = jumped(20);
    assert!(!jump.on_ack(15, 1472));
    assert!(jump.on_first_loss(12));
    assert!((20..80).all(|number| !jump.on_ack(number, 1472)));
    assert_eq!(jump.acked, 0);
}

/// V7
#[test]
fn unless_something_of_it_has_been_acknowledged() {
    let mut jump = jumped(20);
    assert!(jump.on_ack(22, 9_000));
    jump.validate(80);
    assert!(jump.on_first_loss(12));
    assert!(jump.on_ack(60, 31_000));
    assert!(!jump.on_ack(80, 1472));
    assert_eq!(jump.acked, 40_000);
}

fn start(spec: &str) -> QuiclyJumpstart {
    let kind = crate::params::AlgorithmKind::STARTUP;
    let params = Params::parse(kind, ENTRY.name, ENTRY.params, spec);
    QuiclyJumpstart::new(&params.unwrap()).unwrap()
}

struct Flow {
    c: Controller,
    w: Window,
    sent: u64,
}

impl Flow {
    /// Ten packets have left, all that the first window allows, and more wait.
    fn new(spec: &str) -> Flow {
        Flow::of(spec, Some(ms(100)), 10.0)
    }

    fn of(spec: &str, rtt: Option<Duration>, initial_window: f64) -> Flow {
        let mut flow = Flow {
            c: with_reno(&ENTRY, spec, Convention::RFC).unwrap(),
            w: Window::new(MSS),
            sent: 0,
        };
        let e = Established {
            initial_window,
            rtt,
            ..Established::at(Instant::ZERO)
        };
        flow.c.on_established(&mut flow.w, &e);
        (0..10).for_each(|_| flow.send(MSS));
        flow
    }

    fn send_again(&mut self, seq: u64) {
        let sent = Sent {
            now: Instant::from_millis(200),
            bytes: 1000,
            seq,
            retransmission: true,
            flight: self.sent,
        };
        self.c.on_sent(&mut self.w, &sent);
    }

    fn send(&mut self, bytes: u32) {
        let sent = Sent {
            now: Instant::ZERO,
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
            flight: self.sent.saturating_sub(delivered),
            rtt: Some(ms(100)),
            ..Ack::of(Instant::from_millis(100), u64::from(MSS))
        };
        if in_recovery {
            self.c.on_recovery_ack(&mut self.w, &ack);
        } else {
            self.c.on_ack(&mut self.w, &ack);
        }
    }

    /// The same together with a loss that it shows.
    fn lose_by(&mut self, una: u64, delivered: u64) {
        self.lose_at(Instant::from_millis(100));
        self.ack(una, delivered, true);
    }

    fn lose(&mut self) {
        self.lose_at(Instant::from_millis(200));
    }

    fn lose_at(&mut self, now: Instant) {
        let (flight, usable) = (self.sent, self.w.cwnd);
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

/// V3: 40 000 bytes against a window of 29 440.
#[test]
fn the_jump_is_to_be_more_than_the_window_and_what_was_in_flight_before() {
    let jumps = |flight: u64| {
        let mut w = Window::new(MSS);
        w.cwnd = 20.0;
        let mut start = start("default_packets=27.174");
        start.rtts.sample(Some(ms(100)));
        start.queued_until = u64::MAX;
        start.call = Call {
            at: Instant::from_millis(100),
            flight,
        };
        let sent = Sent {
            now: Instant::from_millis(100),
            bytes: MSS,
            seq: 19 * u64::from(MSS),
            retransmission: false,
            flight: 29_440,
        };
        start.on_sent(&mut w, &sent);
        w.cwnd > 20.0
    };
    assert!(!jumps(14_720));
    assert!(jumps(0));
}

#[test]
fn there_is_one_chance() {
    let mut flow = Flow::new("default_packets=10");
    assert_eq!((flow.w.cwnd, flow.w.pacing), (10.0, None));
    flow.send(MSS);
    assert_eq!(flow.w.cwnd, 10.0);
    assert!(!matches!(start("").phase, Phase::Growing));
}

#[test]
fn it_waits_until_a_round_trip_is_known() {
    let mut flow = Flow::of("", None, 10.0);
    assert_eq!(flow.w.cwnd, 10.0);
    let una = u64::from(MSS);
    flow.ack(una, una, false);
    (0..2).for_each(|_| flow.send(MSS));
    assert_eq!(flow.w.cwnd, 64.0);
    let after_syn_loss = Flow::of("", None, 1.0);
    assert_eq!(after_syn_loss.w.cwnd, 1.0);
}

#[test]
fn after_a_loss_there_is_none() {
    let mut flow = Flow::of("", None, 10.0);
    flow.lose();
    let before = flow.w.cwnd;
    flow.ack(14_720, 14_720, false);
    (0..20).for_each(|_| flow.send(MSS));
    assert!(flow.w.cwnd <= before + 1.0);
}

#[test]
fn slow_start_besides_is_paced_at_twice_the_window_a_round_trip() {
    let mut flow = Flow::new("default_packets=0");
    let una = u64::from(MSS);
    flow.ack(una, una, false);
    assert_eq!(flow.w.cwnd, 11.0);
    assert_eq!(flow.w.pacing.unwrap().time_for(22 * 1512), ms(100));
    flow.lose();
    assert_eq!(flow.w.pacing, None);
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
    assert_eq!(flow.w.cwnd, 45.0);
    assert_eq!(flow.w.pacing.unwrap().time_for(90 * 1512), ms(100));
    assert_eq!(flow.c.exit().unwrap().reason, Reason::FirstAck);
}

/// V4
#[test]
fn a_loss_returns_to_what_was_acknowledged_and_later_acks_lift_that() {
    let mut flow = Flow::new("");
    (0..70).for_each(|_| flow.send(1000));
    let una = 14_720 + 40_000;
    flow.ack(14_720, 14_720, false);
    flow.ack(una, una, false);
    flow.lose();
    assert_eq!(flow.window(), 20_000);
    flow.ack(una, una + 10_000, true);
    assert_eq!(flow.window(), 35_000);
    flow.ack(una, una + 20_000, true);
    assert_eq!(flow.window(), 42_000);
}

#[test]
fn the_acknowledgement_that_shows_the_loss_is_counted_before_it() {
    let mut flow = Flow::new("");
    (0..70).for_each(|_| flow.send(1000));
    flow.ack(14_720, 14_720, false);
    flow.lose_by(14_720, 14_720 + 30_000);
    assert_eq!(flow.window(), 15_000);
    flow.ack(14_720, 14_720 + 40_000, true);
    assert_eq!(flow.window(), 28_000);
}

/// V5
#[test]
fn a_loss_before_any_ack_of_it_halves_the_initial_window_and_nothing_lifts_that() {
    let mut flow = Flow::new("");
    (0..70).for_each(|_| flow.send(1000));
    flow.lose();
    assert_eq!((flow.window(), flow.w.pacing), (7_360, None));
    flow.ack(0, 14_720 + 40_000, true);
    assert_eq!(flow.window(), 7_360);
}

/// V6: of ten packets the sixth is lost, which the three after it show.
#[test]
fn a_loss_of_before_the_jump_that_is_found_before_its_first_ack_lets_nothing_lift() {
    let mut flow = Flow::new("");
    (0..70).for_each(|_| flow.send(1000));
    let una = 5 * 1472;
    flow.ack(una, una, false);
    flow.lose_by(una, una + 3 * 1472);
    assert_eq!(flow.window(), 7_360);
    flow.ack(una, 13_248 + 50_000, true);
    assert_eq!(flow.window(), 7_360);
}

/// V7: of ten packets the last is lost, which three of the jump show.
#[test]
fn a_loss_of_before_the_jump_that_its_own_acks_show_is_lifted() {
    let mut flow = Flow::new("");
    (0..70).for_each(|_| flow.send(1000));
    let una = 9 * 1472;
    flow.ack(una, una, false);
    flow.lose_by(una, una + 9_000);
    assert_eq!(flow.window(), 7_360);
    flow.ack(una, una + 40_000, true);
    assert_eq!(flow.window(), 28_000);
}

#[test]
fn what_is_sent_again_is_not_of_the_jump() {
    let mut flow = Flow::new("");
    (0..70).for_each(|_| flow.send(1000));
    flow.ack(14_720, 14_720, false);
    flow.lose_by(14_720, 14_720 + 30_000);
    (0..20).for_each(|index| flow.send_again(14_720 + 1000 * index));
    flow.ack(14_720 + 70_000, 14_720 + 70_000, true);
    assert_eq!(flow.window(), 35_000);
}

/// V8
#[test]
fn with_rapid_start_the_window_of_the_jump_shrinks_by_what_is_delivered_and_lost() {
    let mut flow = Flow::new("rapid_start=true");
    (0..54).for_each(|_| flow.send(MSS));
    assert_eq!(flow.window(), 94_208);
    flow.lose();
    assert_eq!(flow.window(), 83_217);
    assert!(flow.c.recovery_is_self_managed());
    flow.ack(0, 14_720, true);
    let acked = 94_208.0 * 53.0 / 60.0 - 14_720.0 * 11.0 / 60.0;
    assert_eq!(flow.window(), acked as u64);
    let all_lost = Ack {
        nxt: flow.sent,
        delivered_total: 14_720,
        flight: 0,
        ..Ack::of(Instant::from_millis(300), 0)
    };
    flow.c.on_recovery_ack(&mut flow.w, &all_lost);
    assert_eq!(flow.window(), 21_981);
}

#[test]
fn with_rapid_start_half_of_what_was_acknowledged_of_the_jump_is_left() {
    let mut flow = Flow::new("rapid_start=true,default_packets=100");
    (0..90).for_each(|_| flow.send(MSS));
    flow.ack(14_720, 14_720, false);
    let una = 14_720 + 100_000;
    flow.ack(una, una, false);
    flow.w.cwnd = 100.0;
    (0..100).for_each(|_| flow.send(MSS));
    flow.lose();
    let all_lost = Ack {
        nxt: flow.sent,
        delivered_total: una,
        flight: 0,
        ..Ack::of(Instant::from_millis(300), 0)
    };
    flow.c.on_recovery_ack(&mut flow.w, &all_lost);
    assert_eq!(flow.window(), 50_000);
}

#[test]
fn with_rapid_start_the_avoidance_is_told_what_path_and_queue_hold() {
    let told = |una: u64| {
        let mut start = start("rapid_start=true");
        let mut w = Window::new(MSS);
        (start.initial, start.high, w.cwnd) = (10.0, 100_000, 90.0);
        start.jump = Jump {
            enter: 14_720,
            exit: 60_000,
            acked: 29_440,
        };
        (start.phase, start.una) = (Phase::Growing, una);
        let loss = Loss {
            now: Instant::from_millis(200),
            flight: 50_000,
            usable: 90.0,
        };
        start.on_congestion(&mut w, &Congestion::Loss(loss));
        start.lost_at
    };
    assert_eq!(told(30_000), Some(20.0));
    assert_eq!(told(7_360), Some(30.0), "of before the jump");
    assert_eq!(told(70_000), Some(30.0), "of after it");
}

#[test]
fn with_rapid_start_it_grows_and_paces_threefold_where_there_is_no_queue() {
    let grown = |spec: &str| {
        let mut flow = Flow::new(spec);
        let una = u64::from(MSS);
        flow.ack(una, una, false);
        (flow.w.cwnd, flow.w.pacing.unwrap().time_for(100 * 1512))
    };
    let at = |windows: f64| Duration::from_secs_f64(10.0 / windows);
    assert_eq!(grown("default_packets=0").0, 11.0);
    let (cwnd, pace) = grown("default_packets=0,rapid_start=true");
    assert_eq!(cwnd, 12.0);
    assert!(
        pace <= at(36.0) && pace + Duration::from_micros(2) > at(36.0),
        "{pace}"
    );
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
        (
            "beta=0.7,rapid_start=true",
            "parameter `beta` has no effect here; it needs `rapid_start=false`",
        ),
    ] {
        let error = with_reno(&ENTRY, spec, Convention::RFC).err().unwrap();
        let expected = format!("startup `quicly-jumpstart`: {expected}");
        assert_eq!(error.to_string(), expected);
    }
}
