use super::*;
use crate::{Controller, catalog};

const MSS: u64 = 1460;

fn cubic() -> Cubic {
    Cubic::new(Constants {
        base: reno::Base::Flight,
        ..Constants::RFC
    })
}

/// Congestion control that begins at `cwnd` after a loss at `w_max`.
fn after_loss(w_max: f64, cwnd: f64) -> (Cubic, Window, Epoch) {
    let mut cubic = cubic();
    let mut w = Window::new(MSS as u32);
    (w.cwnd, w.ssthresh) = (cwnd, cwnd);
    (cubic.w_max, cubic.cwnd_prior) = (Some(w_max), w_max);
    let epoch = cubic.begin(&w, Instant::ZERO);
    (cubic, w, epoch)
}

#[test]
fn an_estimate_left_by_the_startup_is_the_window_of_the_last_loss() {
    let (_, _, after) = after_loss(100.0, 70.0);
    let (mut cubic, mut w) = (cubic(), Window::new(MSS as u32));
    w.cwnd = 70.0;
    assert!(cubic.adopt_model(Box::new(Capacity(100.0))).is_none());
    cubic.on_start(&mut w, Instant::ZERO);
    let epoch = cubic.epoch.unwrap();
    assert_eq!((epoch.k, epoch.w_max), (after.k, 100.0));
    assert_eq!((cubic.w_max, cubic.cwnd_prior), (Some(100.0), 100.0));
}

#[test]
fn an_estimate_below_the_window_levels_out_at_once() {
    let (mut cubic, mut w) = (cubic(), Window::new(MSS as u32));
    w.cwnd = 70.0;
    cubic.adopt_model(Box::new(Capacity(40.0)));
    cubic.on_start(&mut w, Instant::ZERO);
    let epoch = cubic.epoch.unwrap();
    assert_eq!((epoch.k, epoch.w_max), (0.0, 70.0));
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected}"
    );
}

#[test]
fn the_curve() {
    let (_, _, e) = after_loss(100.0, 70.0);
    assert_near(e.k, 4.217163, 1e-6);
    for (t, w) in [(0.0, 70.0), (0.1, 72.084), (1.0, 86.681), (2.0, 95.640)] {
        assert_near(e.w_cubic(0.4, t), w, 5e-4);
    }
    assert_near(e.w_cubic(0.4, e.k), 100.0, 1e-9);
    assert_near(e.w_cubic(0.4, e.k + 1.0), 100.4, 1e-9);
    assert_near(e.w_cubic(0.4, 2.0 * e.k), 130.0, 1e-9);
    let (_, _, e) = after_loss(1000.0, 700.0);
    assert_near(e.k, 9.085603, 1e-6);
    assert_near(e.w_cubic(0.4, 1.0), 788.555, 5e-4);
    let (_, _, e) = after_loss(100.0, 80.0);
    assert_near(e.k, 3.684031, 1e-6);
    assert_near(e.w_cubic(0.4, 1.0), 92.266, 5e-4);
}

/// One ACK per segment of the window, all at the round's start as the curve sees it.
fn round(cubic: &mut Cubic, w: &mut Window, number: u64) {
    let now = Instant::from_millis(100 * number);
    for _ in 0..w.cwnd_segments() {
        let rtt = Some(Duration::from_millis(100));
        cubic.on_ack(
            w,
            &Ack {
                rtt,
                ..Ack::of(now, MSS)
            },
        );
    }
}

#[test]
fn rounds_after_a_loss() {
    let (mut cubic, mut w, _) = after_loss(100.0, 70.0);
    let expected = [
        (70.0, 70.0),
        (70.5275, 70.5275),
        (72.7423, 71.0436),
        (74.7522, 71.5594),
        (76.6291, 72.0761),
        (78.4002, 72.5943),
    ];
    for (number, (cwnd, w_est)) in expected.into_iter().enumerate() {
        assert_near(w.cwnd, cwnd, 2e-3);
        assert_near(cubic.epoch.unwrap().w_est, w_est, 2e-3);
        round(&mut cubic, &mut w, number as u64);
    }
}

#[test]
fn cubic_overtakes_reno_on_a_small_window_too() {
    let (mut cubic, mut w, epoch) = after_loss(20.0, 14.0);
    assert_near(epoch.k, 2.466, 5e-4);
    assert_near(epoch.w_cubic(0.4, 0.1), 14.701, 5e-4);
    round(&mut cubic, &mut w, 0);
    assert!(epoch.w_cubic(0.4, 0.1) > cubic.epoch.unwrap().w_est);
}

fn flow(cwnd: f64) -> (Controller, Window) {
    let mut c = catalog::controller("slow-start", "cubic", Convention::RFC).unwrap();
    let mut w = Window::new(MSS as u32);
    (w.cwnd, w.ssthresh) = (cwnd, cwnd);
    c.on_ack(
        &mut w,
        &Ack {
            cwnd_limited: false,
            ..Ack::of(Instant::ZERO, MSS)
        },
    );
    (c, w)
}

#[test]
fn a_loss_leaves_beta_and_fast_convergence_less() {
    let mut cubic = cubic();
    let mut w = Window::new(MSS as u32);
    let lose = |cubic: &mut Cubic, w: &mut Window| {
        let flight = w.cwnd as u64 * MSS;
        cubic.on_loss(
            w,
            &Loss {
                now: Instant::ZERO,
                flight,
                usable: w.cwnd,
            },
        );
    };
    w.cwnd = 100.0;
    lose(&mut cubic, &mut w);
    assert_eq!((w.cwnd, w.ssthresh, cubic.w_max), (70.0, 70.0, Some(100.0)));
    w.cwnd = 80.0;
    lose(&mut cubic, &mut w);
    assert_near(w.cwnd, 56.0, 1e-9);
    assert_near(cubic.w_max.unwrap(), 68.0, 1e-9);
    w.cwnd = 2.0;
    lose(&mut cubic, &mut w);
    assert_eq!(w.cwnd, 2.0);
}

#[test]
fn a_startup_without_loss_hands_over_at_the_bottom_of_the_convex_part() {
    let mut cubic = cubic();
    let mut w = Window::new(MSS as u32);
    (w.cwnd, w.ssthresh) = (870.0, 870.0);
    cubic.on_start(&mut w, Instant::from_secs(5));
    let epoch = cubic.epoch.unwrap();
    assert_eq!((epoch.w_max, epoch.k, epoch.w_est), (870.0, 0.0, 870.0));
    assert_eq!(epoch.start, Instant::from_secs(5));
    assert_eq!(cubic.cwnd_prior, 870.0);
}

#[test]
fn time_without_full_use_of_the_window_does_not_count() {
    let (mut cubic, mut w, _) = after_loss(100.0, 70.0);
    let idle = Ack {
        cwnd_limited: false,
        ..Ack::of(Instant::from_secs(3), MSS)
    };
    cubic.on_ack(&mut w, &idle);
    assert_eq!(
        (w.cwnd, cubic.epoch.unwrap().start),
        (70.0, Instant::from_secs(3))
    );
    let now = Instant::from_secs(5);
    cubic.on_idle(
        &mut w,
        &Idle {
            now,
            idle: Duration::from_secs(2),
            restart_window: 10.0,
        },
    );
    assert_eq!(cubic.epoch.unwrap().start, now);
}

#[test]
fn growth_is_at_most_half_a_window_per_window() {
    let (mut cubic, mut w, _) = after_loss(70.0, 70.0);
    let late = Ack {
        credit: 7 * MSS,
        ..Ack::of(Instant::from_secs(100), MSS)
    };
    cubic.on_ack(&mut w, &late);
    assert_near(w.cwnd, 73.5, 1e-9);
}

#[test]
fn a_timeout_restarts_without_a_w_max() {
    let (mut c, mut w) = flow(100.0);
    let timeout = Timeout {
        now: Instant::ZERO,
        flight: 100 * MSS,
        usable: 100.0,
        repeated: false,
    };
    c.on_timeout(&mut w, &timeout);
    assert_eq!((w.cwnd, w.ssthresh), (1.0, 70.0));
    c.on_timeout(
        &mut w,
        &Timeout {
            repeated: true,
            ..timeout
        },
    );
    assert_eq!(w.ssthresh, 70.0);
}

#[test]
fn constants_out_of_range_are_refused() {
    for (spec, expected) in [
        (
            "beta=1",
            "parameter `beta`: `1` is not a number from 0.05 to 0.95",
        ),
        (
            "c=0",
            "parameter `c`: `0` is not a number from 0.000001 to 1000000",
        ),
    ] {
        let spec = format!("cubic:{spec}");
        let error = catalog::controller("slow-start", &spec, Convention::RFC)
            .err()
            .unwrap();
        assert_eq!(error.to_string(), format!("cc `cubic`: {expected}"));
    }
}

#[test]
fn a_mark_may_leave_one_segment_where_a_loss_leaves_two() {
    let answer = |marked: bool| {
        let (mut cubic, mut w, _) = after_loss(2.0, 2.0);
        w.cwnd = 1.0;
        let m = Marked {
            now: Instant::from_secs(9),
            flight: MSS,
            usable: 1.0,
        };
        match marked {
            true => cubic.on_marked(&mut w, &m),
            false => cubic.on_loss(&mut w, &(&m).into()),
        }
        (w.cwnd, w.ssthresh)
    };
    assert_eq!([answer(true), answer(false)], [(1.0, 2.0), (2.0, 2.0)]);
}

/// What a loss or a timeout at the window of `w` leaves.
fn reduce(cubic: &mut Cubic, w: &mut Window, by_timeout: bool) {
    let (now, flight, usable) = (Instant::from_millis(450), w.cwnd_bytes(), w.cwnd);
    match by_timeout {
        true => cubic.on_timeout(
            w,
            &Timeout {
                now,
                flight,
                usable,
                repeated: false,
            },
        ),
        false => cubic.on_loss(
            w,
            &Loss {
                now,
                flight,
                usable,
            },
        ),
    }
}

/// §4.9.
#[test]
fn after_a_spurious_reduction_the_window_follows_the_curve_that_it_was_on() {
    for by_timeout in [false, true] {
        let [expected, found] = [false, true].map(|reduced| {
            let (mut cubic, mut w, _) = after_loss(100.0, 70.0);
            (0..5).for_each(|number| round(&mut cubic, &mut w, number));
            if reduced {
                let before = w;
                reduce(&mut cubic, &mut w, by_timeout);
                assert!(w.cwnd < before.cwnd);
                w = before;
                cubic.on_spurious(&mut w);
            }
            (5..9).for_each(|number| round(&mut cubic, &mut w, number));
            (w.cwnd, cubic.w_max, cubic.cwnd_prior)
        });
        assert_eq!(found, expected);
    }
}

#[test]
fn a_spurious_first_loss_leaves_no_w_max() {
    let (mut cubic, mut w) = (cubic(), Window::new(MSS as u32));
    w.cwnd = 40.0;
    reduce(&mut cubic, &mut w, false);
    assert_eq!(cubic.w_max, Some(40.0));
    cubic.on_spurious(&mut w);
    assert_eq!((cubic.w_max, cubic.cwnd_prior), (None, 0.0));
}
