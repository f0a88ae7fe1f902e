use super::*;
use crate::params::{AlgorithmKind, Params};
use crate::{Convention, catalog};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const MSS: u64 = 1460;

fn slow_start(ssthresh: f64) -> (Controller, Window) {
    let c = catalog::controller("slow-start", "reno", Convention::RFC).unwrap();
    let mut w = Window::new(MSS as u32);
    (w.cwnd, w.ssthresh) = (10.0, ssthresh);
    (c, w)
}

fn ack(ms: u64) -> Ack {
    Ack {
        flight: 9 * MSS,
        ..Ack::of(Instant::from_millis(ms), MSS)
    }
}

fn loss(ms: u64, w: &Window) -> Loss {
    let flight = w.cwnd as u64 * MSS;
    Loss {
        now: Instant::from_millis(ms),
        flight,
        usable: w.cwnd,
    }
}

fn timeout(ms: u64, w: &Window) -> Timeout {
    let Loss {
        now,
        flight,
        usable,
    } = loss(ms, w);
    Timeout {
        now,
        flight,
        usable,
        repeated: false,
    }
}

#[test]
fn reaching_the_threshold_hands_over() {
    let (mut c, mut w) = slow_start(12.0);
    c.on_ack(&mut w, &ack(1));
    assert_eq!((w.cwnd, c.exit()), (11.0, None));
    c.on_ack(&mut w, &ack(2));
    let exit = Exit {
        reason: Reason::Ssthresh,
        at: Instant::from_millis(2),
        cwnd: 11.0,
        flight: 9 * MSS,
    };
    assert_eq!((w.cwnd, c.exit()), (12.0, Some(&exit)));
    // Twelve segments more make thirteen: the avoidance counts.
    (0..11).for_each(|_| c.on_ack(&mut w, &ack(3)));
    assert_eq!(w.cwnd, 12.0);
    c.on_ack(&mut w, &ack(3));
    assert_eq!(w.cwnd, 13.0);
}

#[test]
fn only_the_first_exit_is_recorded() {
    let (mut c, mut w) = slow_start(f64::INFINITY);
    let before = loss(5, &w);
    c.on_loss(&mut w, &before);
    let exit = *c.exit().unwrap();
    assert_eq!(
        (exit.reason, exit.cwnd, exit.flight),
        (Reason::Loss, 10.0, 10 * MSS)
    );
    let after = timeout(6, &w);
    c.on_timeout(&mut w, &after);
    let again = loss(7, &w);
    c.on_loss(&mut w, &again);
    (0..100).for_each(|_| c.on_ack(&mut w, &ack(8)));
    assert_eq!(c.exit(), Some(&exit));
}

#[test]
fn a_mark_ends_the_startup_and_halves_as_a_loss_does() {
    let (mut c, mut w) = slow_start(f64::INFINITY);
    let m = Marked {
        now: Instant::from_millis(5),
        flight: 10 * MSS,
        usable: 10.0,
    };
    c.on_marked(&mut w, &m);
    assert_eq!(c.exit().map(|exit| exit.reason), Some(Reason::Ecn));
    assert_eq!((w.cwnd, w.ssthresh), (5.0, 5.0));
    c.on_ack(&mut w, &ack(6));
    assert_eq!(w.cwnd, 5.0, "the avoidance counts");
}

#[test]
fn a_timeout_leads_back_to_the_startups_growth() {
    let (mut c, mut w) = slow_start(10.0);
    c.on_ack(&mut w, &ack(1));
    assert_eq!(w.cwnd, 10.0);
    let t = timeout(2, &w);
    c.on_timeout(&mut w, &t);
    assert_eq!((w.cwnd, w.ssthresh), (1.0, 5.0));
    (0..4).for_each(|_| c.on_ack(&mut w, &ack(3)));
    assert_eq!(w.cwnd, 5.0);
    (0..4).for_each(|_| c.on_ack(&mut w, &ack(4)));
    assert_eq!(w.cwnd, 5.0);
    c.on_ack(&mut w, &ack(5));
    assert_eq!(w.cwnd, 6.0);
}

#[test]
fn recovery_does_not_grow_the_window() {
    let (mut c, mut w) = slow_start(f64::INFINITY);
    let l = loss(1, &w);
    c.on_loss(&mut w, &l);
    c.on_recovery_ack(&mut w, &ack(2));
    let r = Recovered {
        now: Instant::from_millis(3),
        retransmitted: MSS,
        flight: 0,
    };
    c.on_recovered(&mut w, &r);
    assert_eq!((w.cwnd, w.ssthresh), (5.0, 5.0));
}

#[test]
fn idling_restarts_from_the_restart_window() {
    let (mut c, mut w) = slow_start(20.0);
    w.cwnd = 15.0;
    let i = Idle {
        now: Instant::from_secs(9),
        idle: Duration::from_secs(3),
        restart_window: 4.0,
    };
    c.on_idle(&mut w, &i);
    assert_eq!((w.cwnd, w.ssthresh), (4.0, 20.0));
    c.on_ack(&mut w, &ack(9_100));
    assert_eq!(w.cwnd, 5.0);
}

#[test]
fn what_a_startup_has_no_use_for_changes_nothing() {
    let (mut c, mut w) = slow_start(f64::INFINITY);
    let syn = Syn {
        queued: u64::MAX,
        mss: MSS as u32,
        header: 40,
        codes: crate::RateCodes::default(),
    };
    assert_eq!(c.rate_request(&syn), None);
    let known = PathInfo {
        approved: Some(Rate(1_000_000_000)),
        interface_rate: Some(Rate(1_000_000_000)),
        ..PathInfo::default()
    };
    c.on_known(&known);
    let established = Established {
        initial_window: 10.0,
        rtt: Some(Duration::from_millis(100)),
        ..Established::at(Instant::ZERO)
    };
    c.on_established(&mut w, &established);
    let gap = PeerGap {
        now: Instant::ZERO,
        gap: Duration::from_micros(1),
        rtt: Some(Duration::from_millis(100)),
        nxt: 0,
        peer_window: u64::MAX,
    };
    c.on_peer_gap(&mut w, &gap);
    let feedback = Feedback {
        now: Instant::ZERO,
        change: Some(1e6),
        rtt: Some(Duration::from_millis(100)),
        wire: 1500,
        cwnd_limited: true,
    };
    c.on_feedback(&mut w, &feedback);
    assert_eq!((w.cwnd, w.pacing, c.exit()), (10.0, None, None));
    assert_eq!(w.congestion_header, None);
}

/// A startup that takes no notice of marks and counts ACKs.
struct Unmarked(Arc<AtomicU32>);

impl Startup for Unmarked {
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &mut SlowStart) -> Option<Reason> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }
    fn on_congestion(&mut self, _: &mut Window, c: &Congestion) -> Response {
        match c {
            Congestion::Mark(_) => Response::continues(Reduction::Done),
            _ => Response::STANDARD,
        }
    }
}

#[test]
fn a_startup_that_takes_no_notice_of_marks_hears_of_all_acks_meanwhile() {
    let heard = Arc::new(AtomicU32::new(0));
    let slow_start = SlowStart::by_stack(Convention::RFC);
    // The one that owns the window from the first mark on.
    let entry = catalog::AVOIDANCES
        .iter()
        .find(|e| e.name == "prague")
        .unwrap();
    let params = Params::parse(AlgorithmKind::AVOIDANCE, entry.name, entry.params, "").unwrap();
    let avoidance = (entry.build)(&params, Convention::RFC).unwrap()();
    let mut c = Controller::new(Box::new(Unmarked(heard.clone())), slow_start, avoidance);
    let mut w = Window::new(MSS as u32);
    w.cwnd = 10.0;
    let m = Marked {
        now: Instant::from_millis(5),
        flight: 10 * MSS,
        usable: 10.0,
    };
    c.on_marked(&mut w, &m);
    c.on_recovery_ack(&mut w, &ack(6));
    c.on_ack(&mut w, &ack(7));
    assert_eq!((heard.load(Ordering::Relaxed), c.exit()), (2, None));
    // A loss ends what goes on.
    let l = loss(8, &w);
    c.on_loss(&mut w, &l);
    c.on_recovery_ack(&mut w, &ack(9));
    assert_eq!(heard.load(Ordering::Relaxed), 2);
}

#[test]
fn after_an_idle_time_a_startup_does_not_grow_in_the_recovery_of_an_earlier_mark() {
    let mut c = catalog::controller("paced-chirping", "reno", Convention::LINUX).unwrap();
    let mut w = Window::new(MSS as u32);
    c.on_established(&mut w, &Established::at(Instant::ZERO));
    let m = Marked {
        now: Instant::from_millis(5),
        flight: MSS,
        usable: w.cwnd,
    };
    c.on_marked(&mut w, &m);
    let idle = Idle {
        now: Instant::from_secs(9),
        idle: Duration::from_secs(8),
        restart_window: 1.0,
    };
    c.on_idle(&mut w, &idle);
    let before = w.cwnd;
    c.on_recovery_ack(&mut w, &ack(9_100));
    assert_eq!(w.cwnd, before);
}

/// A startup that continues after losses, until a recovery ends.
struct Enduring;

impl Startup for Enduring {
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &mut SlowStart) -> Option<Reason> {
        None
    }
    fn on_congestion(&mut self, _: &mut Window, _: &Congestion) -> Response {
        Response::continues(Reduction::Done)
    }
    fn on_recovered(&mut self, _: &mut Window, _: &Recovered) -> Repaired {
        Repaired::Ends(Reason::Estimate)
    }
}

fn enduring() -> (Controller, Window) {
    let (_, w) = slow_start(f64::INFINITY);
    let slow_start = SlowStart::by_stack(Convention::RFC);
    let avoidance = Box::new(Counting(Arc::default()));
    (
        Controller::new(Box::new(Enduring), slow_start, avoidance),
        w,
    )
}

#[test]
fn a_startup_that_survives_a_loss_may_end_with_the_recovery() {
    let (mut c, mut w) = enduring();
    let l = loss(1, &w);
    c.on_loss(&mut w, &l);
    assert_eq!(c.exit(), None);
    let r = Recovered {
        now: Instant::from_millis(3),
        retransmitted: MSS,
        flight: 4 * MSS,
    };
    c.on_recovered(&mut w, &r);
    let exit = Exit {
        reason: Reason::Estimate,
        at: Instant::from_millis(3),
        cwnd: 10.0,
        flight: 4 * MSS,
    };
    assert_eq!(c.exit(), Some(&exit));
}

/// ACKs that the avoidance only measured, and those it grew by.
#[derive(Default)]
struct Counts {
    measured: AtomicU32,
    used: AtomicU32,
}

struct Counting(Arc<Counts>);

impl Avoidance for Counting {
    fn on_startup_ack(&mut self, _w: &Window, _a: &Ack) {
        self.0.measured.fetch_add(1, Ordering::Relaxed);
    }
    fn on_ack(&mut self, _w: &mut Window, _a: &Ack) {
        self.0.used.fetch_add(1, Ordering::Relaxed);
    }
    fn on_loss(&mut self, _w: &mut Window, _l: &Loss) {}
    fn on_timeout(&mut self, _w: &mut Window, _t: &Timeout) {}
}

/// An avoidance that measures does so from the first ACK on.
#[test]
fn the_avoidance_sees_each_ack_once() {
    let entry = &catalog::STARTUPS[0];
    for (convention, packets, expected) in [
        // Two segments to the threshold: both ACKs are the startup's.
        (Convention::RFC, [1, 1, 1], (2, 1)),
        // The second ACK has some to spare, which are the avoidance's.
        (Convention::LINUX, [1, 4, 1], (1, 2)),
    ] {
        let counts = Arc::new(Counts::default());
        let params = Params::parse(AlgorithmKind::STARTUP, entry.name, entry.params, "").unwrap();
        let startup = (entry.build)(&params, convention).unwrap()();
        let slow_start = SlowStart::read(&params, convention).unwrap();
        let mut c = Controller::new(startup, slow_start, Box::new(Counting(counts.clone())));
        let mut w = Window::new(MSS as u32);
        (w.cwnd, w.ssthresh) = (10.0, 12.0);
        for count in packets {
            c.on_ack(&mut w, &Ack::of(Instant::ZERO, count * MSS));
        }
        let found = [&counts.measured, &counts.used].map(|n| n.load(Ordering::Relaxed));
        assert_eq!((found[0], found[1]), expected);
    }
}

/// RFC 3465 §2.3 limits growth after a timeout only.
#[test]
fn after_a_spurious_timeout_slow_start_grows_as_before_it() {
    let (mut c, mut w) = slow_start(f64::INFINITY);
    let before = w;
    let t = timeout(1, &w);
    c.on_timeout(&mut w, &t);
    w = before;
    c.on_spurious(&mut w);
    c.on_ack(&mut w, &Ack::of(Instant::from_millis(2), 2 * MSS));
    assert_eq!(w.cwnd, 12.0);
}
