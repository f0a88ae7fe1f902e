use super::*;
use crate::params::Params;
use crate::signals::Timeout;
use crate::signals::{Loss, PathMemory};
use crate::testing::{RTT, ms, with_reno};
use crate::{Controller, Convention, Rate};

const MSS: u64 = 1460;

/// Three hundred packets are saved.
fn known(in_use: bool) -> PathInfo {
    let memory = PathMemory {
        cwnd: 300.0,
        ssthresh: 300.0,
        srtt: RTT,
        rttvar: Duration::ZERO,
        min_rtt: RTT,
        delivered: 300 * MSS,
        rate: Rate::of(300 * MSS, RTT),
        in_use,
    };
    PathInfo {
        memory: Some(memory),
        ..PathInfo::default()
    }
}

/// A connection in the RFC's worked example, its packets counted from 1 with the first of
/// those that are in flight when the initial window is confirmed.
struct Example {
    c: Controller,
    w: Window,
    sent: u64,
    acked: u64,
    now: Instant,
}

const BEFORE: u64 = 10;

impl Example {
    /// Ten packets have been acknowledged, and 29 are in flight.
    fn new(spec: &str) -> Example {
        Example::with(spec, RTT, RTT)
    }

    fn with(spec: &str, least: Duration, latest: Duration) -> Example {
        let mut c = with_reno(&ENTRY, spec, Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        c.on_known(&known(false));
        let e = Established {
            initial_window: 10.0,
            rtt: Some(least),
            ..Established::at(Instant::ZERO)
        };
        c.on_established(&mut w, &e);
        let mut example = Example {
            c,
            w,
            sent: 0,
            acked: 0,
            now: Instant::ZERO + RTT,
        };
        (0..BEFORE + 29).for_each(|_| example.send_one());
        example.acked = BEFORE;
        example.ack_signal(BEFORE, latest);
        example
    }

    fn send_one(&mut self) {
        let sent = Sent {
            now: self.now,
            bytes: MSS as u32,
            seq: self.sent * MSS,
            retransmission: false,
            flight: (self.sent + 1 - self.acked) * MSS,
        };
        self.sent += 1;
        self.c.on_sent(&mut self.w, &sent);
    }

    fn send_up_to(&mut self, packet: u64) {
        while self.sent < packet + BEFORE {
            self.send_one();
        }
    }

    fn signal(&self, count: u64, rtt: Duration) -> Ack {
        Ack {
            una: self.acked * MSS,
            nxt: self.sent * MSS,
            flight: (self.sent - self.acked) * MSS,
            rtt: Some(rtt),
            ..Ack::of(self.now, count * MSS)
        }
    }

    fn ack_signal(&mut self, count: u64, rtt: Duration) {
        let ack = self.signal(count, rtt);
        self.c.on_ack(&mut self.w, &ack);
    }

    fn ack_up_to(&mut self, packet: u64) {
        while self.acked < packet + BEFORE {
            self.acked += 1;
            self.ack_signal(1, RTT);
        }
    }

    fn lose(&mut self) {
        let flight = (self.sent - self.acked) * MSS;
        let usable = self.w.cwnd;
        let loss = Loss {
            now: self.now,
            flight,
            usable,
        };
        self.c.on_loss(&mut self.w, &loss);
    }

    /// The lost packet is repaired, and all else arrives.
    fn recover(&mut self) {
        let sent = Sent {
            now: self.now,
            bytes: MSS as u32,
            seq: self.acked * MSS,
            retransmission: true,
            flight: (self.sent - self.acked) * MSS,
        };
        self.c.on_sent(&mut self.w, &sent);
        let ack = self.signal(0, RTT);
        self.c.on_recovery_ack(&mut self.w, &ack);
        self.acked = self.sent;
        let recovered = Recovered {
            now: self.now,
            retransmitted: MSS,
            flight: 0,
        };
        self.c.on_recovered(&mut self.w, &recovered);
    }

    /// Whether it is in a slow start like any other.
    fn grows(&mut self) -> bool {
        let before = self.w.cwnd;
        self.send_one();
        self.acked += 1;
        self.ack_signal(1, RTT);
        self.w.cwnd == before + 1.0
    }
}

#[test]
fn half_of_what_is_saved_leaves_paced_over_a_round_trip() {
    let example = Example::new("");
    assert_eq!(example.w.cwnd, 150.0);
    let gap = example.w.pacing.unwrap().time_for(1500);
    assert_eq!(gap.nanos() / 1_000, 666);
}

#[test]
fn a_jump_that_leaves_whole_is_validated_by_the_ack_of_its_last_packet() {
    let mut example = Example::new("");
    example.send_up_to(149);
    assert!(example.w.pacing.is_some());
    example.send_up_to(150);
    assert_eq!((example.w.cwnd, example.w.pacing), (150.0, None));
    // Validating: slow start.
    example.ack_up_to(150);
    assert_eq!(example.w.cwnd, 300.0);
    assert!(example.grows());
}

#[test]
fn an_ack_of_the_jump_ends_it_with_the_window_that_is_in_flight() {
    let mut example = Example::new("");
    example.ack_up_to(29);
    assert_eq!(example.w.cwnd, 150.0);
    // Paced, so that the first ACK of the jump meets its last packet.
    example.send_up_to(150);
    assert!(example.w.pacing.is_some(), "121 of 150 are out");
    example.ack_up_to(30);
    assert_eq!((example.w.cwnd, example.w.pacing), (120.0, None));
    example.ack_up_to(31);
    assert_eq!(example.w.cwnd, 121.0);
}

/// The window when so many unvalidated packets were sent and a round trip is over.
fn limited_by_the_application(sent: u64) -> f64 {
    let mut example = Example::new("");
    example.send_up_to(29 + sent);
    example.ack_up_to(28);
    example.now = Instant::ZERO + RTT.times(2) + Duration::from_micros(1);
    example.acked += 1;
    example.ack_signal(1, RTT);
    assert_eq!(example.w.pacing, None);
    example.w.cwnd
}

#[test]
fn a_jump_that_the_application_does_not_fill_opens_no_more_than_it_used() {
    assert_eq!(limited_by_the_application(50), 50.0);
    assert_eq!(limited_by_the_application(20), 29.0);
}

fn lost_64(spec: &str) -> Example {
    let mut example = Example::new(spec);
    example.ack_up_to(29);
    example.send_up_to(150);
    example.ack_up_to(63);
    example.lose();
    example
}

#[test]
fn a_loss_leads_to_half_of_the_pipesize_and_the_whole_of_it_gives_the_threshold() {
    for (spec, ssthresh) in [
        ("", 74.0),
        ("beta=0.7", 104.0),
        ("pipesize=example", 60.0),
        ("floor=iw", 74.0),
    ] {
        let mut example = lost_64(spec);
        assert_eq!(example.w.cwnd, 31.0);
        example.recover();
        assert_eq!((example.w.cwnd, example.w.ssthresh), (31.0, ssthresh));
        assert!(example.grows(), "{spec}: slow start below the threshold");
    }
}

#[test]
fn a_retreat_keeps_its_window_whatever_recovery_makes_of_it() {
    let mut example = lost_64("");
    example.w.cwnd = 50.0;
    let ack = example.signal(0, RTT);
    example.c.on_recovery_ack(&mut example.w, &ack);
    assert_eq!(example.w.cwnd, 31.0);
}

#[test]
fn the_initial_window_is_the_examples_least_and_not_the_rules() {
    let mut w = Window::new(MSS as u32);
    w.cwnd = 150.0;
    let pipe = Pipe::new(15 * MSS, 100 * MSS);
    assert_eq!(
        [2.0, 10.0].map(|floor| pipe.retreat(&w, floor)),
        [7.0, 10.0]
    );
}

#[test]
fn a_loss_in_reconnaissance_is_answered_as_ever_and_ends_it() {
    let mut c = with_reno(&ENTRY, "", Convention::RFC).unwrap();
    let mut w = Window::new(MSS as u32);
    c.on_known(&known(false));
    let e = Established {
        initial_window: 10.0,
        rtt: Some(RTT),
        ..Established::at(Instant::ZERO)
    };
    c.on_established(&mut w, &e);
    let (flight, usable) = (10 * MSS, 10.0);
    let now = Instant::ZERO + RTT;
    c.on_loss(
        &mut w,
        &Loss {
            now,
            flight,
            usable,
        },
    );
    assert_eq!((w.cwnd, w.ssthresh), (5.0, 5.0));
    c.on_recovered(
        &mut w,
        &Recovered {
            now,
            retransmitted: MSS,
            flight: 0,
        },
    );
    c.on_ack(
        &mut w,
        &Ack {
            una: 20 * MSS,
            rtt: Some(RTT),
            ..Ack::of(now, MSS)
        },
    );
    assert!(w.cwnd < 10.0 && w.pacing.is_none());
}

#[test]
fn a_round_trip_of_half_or_of_more_than_ten_times_is_another_path() {
    let jumps = |least: f64, latest: f64| Example::with("", ms(least), ms(latest)).w.cwnd == 150.0;
    assert!(!jumps(50.0, 50.0) && jumps(50.1, 50.1));
    assert!(jumps(100.0, 1000.0) && !jumps(100.0, 1000.1));
}

#[test]
fn the_jump_is_capped_and_left_out_where_it_would_be_no_jump() {
    assert_eq!(Example::new("max_jump=100").w.cwnd, 100.0);
    let none = Example::new("max_jump=12");
    assert_eq!((none.w.cwnd, none.w.pacing), (12.0, None));
}

#[test]
fn a_memory_that_another_connection_uses_is_no_memory() {
    let params =
        Params::parse(crate::params::AlgorithmKind::STARTUP, "", ENTRY.params, "").unwrap();
    let mut start = CarefulResume::new(Settings::read(&params).unwrap());
    for in_use in [true, false] {
        start.on_known(&known(in_use));
        assert_eq!(start.saved.is_none(), in_use);
    }
}

#[test]
fn a_timeout_ends_it() {
    let mut example = Example::new("");
    let timeout = Timeout {
        now: Instant::ZERO + RTT.times(3),
        flight: 29 * MSS,
        usable: 150.0,
        repeated: false,
    };
    example.c.on_timeout(&mut example.w, &timeout);
    assert_eq!((example.w.cwnd, example.w.pacing), (1.0, None));
    assert_eq!(example.c.exit().unwrap().reason, Reason::Timeout);
}
