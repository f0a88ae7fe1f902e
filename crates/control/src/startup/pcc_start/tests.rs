use super::*;
use crate::params::Params;
use crate::signals::{Loss, Timeout};
use crate::testing::{at_ms, ms, opened, with_reno};
use crate::{Controller, Convention};

const MSS: u64 = 1400;

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.005, "{found} for {expected}");
}

/// A path of so many bytes per second and an endless queue, or one of a length, and an ACK for
/// each packet, `rtt` after it has left the queue.
struct Path {
    c: Controller,
    w: Window,
    rate: f64,
    rtt: f64,
    buffer: u64,
    now: f64,
    free: f64,
    next: f64,
    sent: u64,
    arrived: u64,
    /// When an ACK or the news of a loss comes, and the round trip if it is an ACK.
    coming: VecDeque<(f64, Option<f64>)>,
    queued: u64,
    peer_window: u64,
}

impl Path {
    fn new(spec: &str, rtt: f64, rate: f64) -> Path {
        let e = Established {
            initial_window: 10.0,
            rtt: Some(ms(rtt)),
            header: 0,
            ..Established::at(Instant::ZERO)
        };
        let (c, w) = opened(&ENTRY, spec, Convention::QUIC, MSS, &e);
        Path {
            c,
            w,
            rate,
            rtt: rtt / 1e3,
            buffer: u64::MAX,
            now: 0.0,
            free: 0.0,
            next: 0.0,
            sent: 0,
            arrived: 0,
            coming: VecDeque::new(),
            queued: u64::MAX,
            peer_window: u64::MAX,
        }
    }

    fn pace(&self) -> f64 {
        self.w.pacing.map_or(0.0, |rate| rate.bps() as f64 / 8.0)
    }

    fn send(&mut self) {
        self.now = self.next;
        self.sent += 1;
        let sent = Sent {
            now: at_ms(self.now * 1e3),
            bytes: MSS as u32,
            seq: self.sent * MSS,
            retransmission: false,
            flight: self.coming.len() as u64 * MSS,
        };
        self.c.on_sent(&mut self.w, &sent);
        let transmission = MSS as f64 / self.rate;
        let waits = (self.free - self.now).max(0.0);
        if waits / transmission > self.buffer as f64 {
            self.coming.push_back((self.free + self.rtt, None));
        } else {
            self.free = self.now + waits + transmission;
            self.coming
                .push_back((self.free + self.rtt, Some(waits + transmission + self.rtt)));
        }
        self.next = self.now + MSS as f64 / self.pace().max(1.0);
    }

    fn receive(&mut self) {
        let (at, rtt) = self.coming.pop_front().unwrap();
        self.now = at;
        let Some(rtt) = rtt else { return };
        self.arrived += 1;
        let ack = Ack {
            rtt: Some(ms(rtt * 1e3)),
            delivered_total: self.arrived * MSS,
            flight: self.coming.len() as u64 * MSS,
            una: self.arrived * MSS,
            nxt: self.sent * MSS,
            queued: self.queued,
            peer_window: self.peer_window,
            ..Ack::of(at_ms(at * 1e3), MSS)
        };
        self.c.on_ack(&mut self.w, &ack);
    }

    /// The rates that were paced at until the phase was over, or so many packets had left.
    fn paces(&mut self, packets: u64) -> Vec<f64> {
        let mut paces = vec![self.pace()];
        while self.c.exit().is_none() && self.sent < packets {
            if self.coming.front().is_some_and(|(at, _)| *at <= self.next) {
                self.receive();
            } else {
                self.send();
            }
            if (paces[paces.len() - 1] - self.pace()).abs() > 1.0 {
                paces.push(self.pace());
            }
        }
        paces
    }
}

/// V1
#[test]
fn the_first_rate_is_the_first_window_over_100_ms_or_a_shorter_round_trip() {
    for (rtt, rate) in [(40.0, 350_000.0), (120.0, 140_000.0), (100.0, 140_000.0)] {
        assert_eq!(Path::new("", rtt, 1e9).pace(), rate, "{rtt} ms");
    }
    assert_eq!(Path::new("variant=nsdi18", 40.0, 1e9).pace(), 87_500.0);
    assert_eq!(Path::new("rate0=8Mbps", 40.0, 1e9).pace(), 1e6);
}

#[test]
fn without_a_round_trip_master_sends_at_half_of_it() {
    let mut c = with_reno(&ENTRY, "", Convention::QUIC).unwrap();
    let mut w = Window::new(MSS as u32);
    let e = Established {
        initial_window: 10.0,
        header: 0,
        ..Established::at(Instant::ZERO)
    };
    c.on_established(&mut w, &e);
    assert_eq!(w.pacing, Some(Rate(8 * 70_000)));
}

/// When each power of two of the first rate is paced at first, in round trips of 100 ms.
fn doublings(spec: &str) -> Vec<f64> {
    let mut path = Path::new(spec, 100.0, 1e9);
    let first = path.pace();
    let doubling = |power: i32| {
        while path.pace() < 0.999 * first * f64::from(2 << power) {
            let packets = path.sent + 1;
            path.paces(packets);
        }
        path.now / 0.1
    };
    (0..4).map(doubling).collect()
}

/// V2
#[test]
fn master_sends_half_of_the_rate_until_an_interval_is_judged_and_then_doubles() {
    let mut path = Path::new("", 100.0, 1e9);
    let paces = path.paces(1000);
    let of_first: Vec<f64> = paces.iter().map(|rate| rate / 140_000.0).collect();
    assert_eq!(of_first[..7], [1.0, 0.5, 2.0, 1.0, 4.0, 2.0, 8.0]);
    // Two round trips, and what it takes to have four samples.
    let expected = [2.4, 4.7, 6.8, 8.9];
    for (found, expected) in doublings("").into_iter().zip(expected) {
        assert!((found - expected).abs() < 0.2, "{found} for {expected}");
    }
}

/// V2
#[test]
fn nsdi18_doubles_with_every_interval_after_the_first_two() {
    // The first two last as long as ten packets do at 87.5 kB/s, 1.6 round trips.
    let expected = [3.2, 4.2, 5.2, 6.2];
    for (found, expected) in doublings("variant=nsdi18").into_iter().zip(expected) {
        assert!((found - expected).abs() < 0.2, "{found} for {expected}");
    }
}

/// V3
#[test]
fn vivace_weighs_losses_and_rising_round_trips() {
    assert_near(vivace(10.0, 0.0, 0.0), 7.94);
    assert_near(vivace(20.0, 0.0, 0.1), -7.88);
    assert_near(vivace(10.0, 0.01, 0.0), 7.94 - 90.0);
    assert_eq!(vivace(10.0, -0.01, 0.0), vivace(10.0, 0.0, 0.0));
}

/// V3
#[test]
fn a_tenth_lost_at_twice_the_rate_leads_back_to_the_rate_before() {
    // 10 Mbit/s, then 20 into a buffer that a half of what is too much fills.
    let mut path = Path::new("rate0=10Mbps", 100.0, 1.5 * 1.25e6);
    path.buffer = 2;
    path.paces(10_000);
    assert_eq!(path.c.exit().unwrap().reason, Reason::Loss);
    // Two round trips of 10 Mbit/s.
    let least = 0.1 + MSS as f64 / path.rate;
    assert!(path.w.cwnd <= 2.0 * 1.25e6 * least / MSS as f64);
    assert!(path.w.cwnd >= 2.0 * 1.25e6 * 0.1 / MSS as f64);
    assert_eq!((path.w.ssthresh, path.w.pacing), (path.w.cwnd, None));
}

/// V4
#[test]
fn allegro_has_no_use_for_a_rate_of_which_more_than_a_twentieth_is_lost() {
    assert_near(allegro(10.0, 0.0), 9.93);
    assert_near(allegro(10.0, 0.1), -0.94);
    assert_near(allegro(10.0, 0.05), 9.5 / 2.0 - 0.5);
}

#[test]
fn a_growing_queue_ends_vivaces_phase_without_a_loss() {
    let mut path = Path::new("", 100.0, 1e6);
    path.paces(10_000);
    let exit = *path.c.exit().unwrap();
    assert_eq!(exit.reason, Reason::Delay);
    // 560 kB/s were good, 1.12 MB/s were not; of the former two windows.
    let bdp = 1e6 * 0.1 / MSS as f64;
    assert!((1.1..1.2).contains(&(path.w.cwnd / bdp)), "{}", path.w.cwnd);
}

#[test]
fn allegro_ends_where_an_interval_waits_in_a_queue_or_loses_too_much() {
    let exits = |buffer: u64| {
        let mut path = Path::new("variant=nsdi18,loss_allowance=0", 100.0, 1e6);
        path.buffer = buffer;
        path.paces(100_000);
        let (exit, bdp) = (*path.c.exit().unwrap(), 1e5 / MSS as f64);
        let windows = [exit.cwnd, path.w.cwnd].map(|cwnd| (10.0 * cwnd / bdp).round() / 10.0);
        (exit.reason, windows)
    };
    // Of 1.4 MB/s 40 ms of queue come in an interval, of 2.8 MB/s more than the 80 ms there are;
    // meanwhile twice that is sent.
    assert_eq!(exits(10_000), (Reason::Delay, [11.2, 2.8]));
    // Of 1.4 MB/s more than a quarter is lost where there is no room.
    assert_eq!(exits(2), (Reason::Loss, [5.6, 1.4]));
}

#[test]
fn losses_within_the_allowance_do_not_count_and_use_it_up() {
    let judged = |allowance: Segments, lost: u64| {
        let params = Params::parse(
            crate::params::AlgorithmKind::STARTUP,
            ENTRY.name,
            ENTRY.params,
            "variant=nsdi18",
        );
        let mut pcc = PccStart::new(Settings::read(&params.unwrap()).unwrap());
        let w = Window::new(MSS as u32);
        pcc.loss_allowance = allowance;
        pcc.last_utility = 0.5;
        pcc.lost = lost * MSS;
        let interval = Interval {
            first: Some(at_ms(0.0)),
            last: at_ms(100.0),
            to: 100 * MSS,
            lost_before: Some(0),
            sampled: 10.0,
            ..Interval::new(1e6, true, 0)
        };
        let next = Interval::new(1e6, true, 100 * MSS);
        pcc.intervals.extend([interval, next]);
        (pcc.judge(&w, 100 * MSS, at_ms(200.0)), pcc.loss_allowance)
    };
    assert_eq!(judged(50.0, 40), (None, 10.0));
    assert_eq!(judged(10.0, 40), (Some(Reason::Loss), 0.0));
}

#[test]
fn an_interval_that_something_else_limits_is_not_judged() {
    let mut path = Path::new("", 100.0, 1e9);
    path.queued = 0;
    path.paces(300);
    assert_eq!(path.pace(), 140_000.0);
    let mut path = Path::new("", 100.0, 1e9);
    path.peer_window = 10 * MSS;
    path.paces(300);
    assert_eq!(path.pace(), 140_000.0);
}

#[test]
fn a_timeout_ends_it_and_slow_start_follows() {
    let mut path = Path::new("", 100.0, 1e9);
    path.paces(5);
    let timeout = Timeout {
        now: at_ms(400.0),
        flight: 5 * MSS,
        usable: path.w.cwnd,
        repeated: false,
    };
    path.c.on_timeout(&mut path.w, &timeout);
    assert_eq!(path.c.exit().unwrap().reason, Reason::Timeout);
    assert_eq!((path.w.cwnd, path.w.pacing), (1.0, None));
    path.c.on_ack(&mut path.w, &Ack::of(at_ms(500.0), MSS));
    assert_eq!(path.w.cwnd, 2.0);
}

#[test]
fn a_loss_by_itself_changes_nothing() {
    let mut path = Path::new("", 100.0, 1e9);
    path.paces(5);
    let before = path.w;
    let loss = Loss {
        now: at_ms(50.0),
        flight: 5 * MSS,
        usable: path.w.cwnd,
    };
    path.c.on_loss(&mut path.w, &loss);
    assert_eq!((path.w.cwnd, path.w.pacing), (before.cwnd, before.pacing));
    assert!(path.c.exit().is_none() && path.c.owns_cwnd());
}

#[test]
fn a_first_rate_that_hardly_sends_is_refused() {
    let refused = with_reno(&ENTRY, "rate0=99kbps", Convention::QUIC);
    assert_eq!(
        refused.err().unwrap().to_string(),
        "startup `pcc-start`: parameter `rate0`: `99kbps` is not 100kbps or more"
    );
}
