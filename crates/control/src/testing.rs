//! Situations that the tests of several algorithms share.

use crate::avoidance::reno;
use crate::entry::Entry;
use crate::params::{AlgorithmKind, Params, SpecError};
use crate::signals::{Ack, Established, Loss};
use crate::slow_start::SlowStart;
use crate::startup::Maker;
use crate::{Controller, Convention, Duration, Instant, Window, catalog};

/// The round trip of these situations.
pub(crate) const RTT: Duration = Duration::from_millis(100);

/// A loss from 100 packets of 1000 bytes.
pub(crate) const LOSS: Loss = Loss {
    now: Instant::ZERO,
    flight: 100_000,
    usable: 100.0,
};

/// Point in time this many milliseconds after the beginning.
pub(crate) fn at_ms(x: f64) -> Instant {
    Instant::ZERO + ms(x)
}

/// Span of this many milliseconds.
pub(crate) fn ms(x: f64) -> Duration {
    Duration::from_secs_f64(x / 1_000.0)
}

/// Slow start as RFC 5681 and RFC 3465 have it.
pub(crate) fn slow_start() -> SlowStart {
    SlowStart::by_stack(Convention::RFC)
}

/// Receiver's rule for when it acknowledges.
#[derive(Clone, Copy)]
pub(crate) enum Receiver {
    /// The receiver acknowledges each segment.
    EverySegment,
    /// Each second segment, and the odd one at the end of a round.
    Delayed,
}

/// A controller with Reno after a handshake of [`RTT`], ten segments allowed at first.
pub(crate) fn established(startup: &str, convention: Convention) -> (Controller, Window) {
    let mut controller = catalog::controller(startup, "reno", convention).unwrap();
    let mut window = Window::new(1460);
    let e = Established {
        initial_window: 10.0,
        rtt: Some(RTT),
        ..Established::at(Instant::ZERO + RTT)
    };
    controller.on_established(&mut window, &e);
    (controller, window)
}

/// A controller with Reno for this startup, with its parameters.
pub(crate) fn with_reno(
    entry: &'static Entry<Maker>,
    spec: &str,
    convention: Convention,
) -> Result<Controller, SpecError> {
    let params = Params::parse(AlgorithmKind::STARTUP, entry.name, entry.params, spec)?;
    let reno = Params::parse(
        AlgorithmKind::AVOIDANCE,
        reno::ENTRY.name,
        reno::ENTRY.params,
        "",
    )?;
    Ok(Controller::new(
        (entry.build)(&params, convention)?(),
        SlowStart::read(&params, convention)?,
        (reno::ENTRY.build)(&reno, convention)?(),
    ))
}

/// A controller after a handshake, with segments of `mss` bytes.
pub(crate) fn opened(
    entry: &'static Entry<Maker>,
    spec: &str,
    convention: Convention,
    mss: u64,
    e: &Established,
) -> (Controller, Window) {
    let mut controller = with_reno(entry, spec, convention).unwrap();
    let mut window = Window::new(mss as u32);
    controller.on_established(&mut window, e);
    (controller, window)
}

/// The window at the start of each of `count` rounds in which all of it is used.
pub(crate) fn rounds(
    startup: &str,
    convention: Convention,
    receiver: Receiver,
    count: usize,
) -> Vec<f64> {
    let (mut controller, mut window) = established(startup, convention);
    let mut windows = vec![window.cwnd];
    let mut una = 0;
    while windows.len() < count {
        let nxt = una + window.cwnd_segments() * 1460;
        while una < nxt {
            let step = match receiver {
                Receiver::EverySegment => 1460,
                Receiver::Delayed => 2920.min(nxt - una),
            };
            una += step;
            let now = Instant::ZERO + RTT.times(windows.len() as u64 + 1);
            let ack = Ack {
                una,
                nxt,
                rtt: Some(RTT),
                ..Ack::of(now, step)
            };
            controller.on_ack(&mut window, &ack);
        }
        windows.push(window.cwnd);
    }
    windows
}

/// A path with one bottleneck, an endless queue before it and an ACK for each segment.
#[derive(Clone, Copy)]
pub(crate) struct Bottleneck {
    /// How long a full segment occupies the bottleneck.
    pub(crate) transmission: Duration,
    /// The round trip of a single segment, its transmission included.
    pub(crate) rtt: Duration,
}

/// What an ACK left behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) at: Instant,
    pub(crate) cwnd: f64,
}

impl Bottleneck {
    /// Sends so many segments from time zero on, `adjust` changing the window before the
    /// ACK of each. The handshake ended at zero;
    /// its packets were so small that they took no time to transmit.
    pub(crate) fn run(
        self,
        startup: &str,
        avoidance: &str,
        convention: Convention,
        segments: u64,
        adjust: impl Fn(&mut Window, u64),
    ) -> Vec<Step> {
        self.run_with(
            startup,
            avoidance,
            convention,
            segments,
            adjust,
            |_, _, _| {},
        )
    }

    /// Runs the flow and calls `after` when each ACK has been dealt with.
    pub(crate) fn run_with(
        self,
        startup: &str,
        avoidance: &str,
        convention: Convention,
        segments: u64,
        adjust: impl Fn(&mut Window, u64),
        mut after: impl FnMut(&mut Controller, &mut Window, u64),
    ) -> Vec<Step> {
        const MSS: u64 = 1460;
        let mut controller = catalog::controller(startup, avoidance, convention).unwrap();
        let mut window = Window::new(MSS as u32);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(self.rtt.saturating_sub(self.transmission)),
            ..Established::at(Instant::ZERO)
        };
        controller.on_established(&mut window, &e);
        adjust(&mut window, 0);
        let (mut sent_at, mut ack_at, mut steps) = (vec![], vec![], vec![]);
        let (mut free, mut now) = (Instant::ZERO, Instant::ZERO);
        while steps.len() < segments as usize {
            let una = steps.len() as u64;
            while (sent_at.len() as u64) < segments.min(una + window.cwnd_segments()) {
                free = free.max(now) + self.transmission;
                sent_at.push(now);
                ack_at.push(free + self.rtt.saturating_sub(self.transmission));
            }
            now = ack_at[steps.len()];
            let ack = Ack {
                una: (una + 1) * MSS,
                nxt: sent_at.len() as u64 * MSS,
                delivered_total: (una + 1) * MSS,
                rtt: Some(now.since(sent_at[steps.len()])),
                flight: (sent_at.len() as u64 - una - 1) * MSS,
                ..Ack::of(now, MSS)
            };
            if una > 0 {
                adjust(&mut window, una);
            }
            controller.on_ack(&mut window, &ack);
            after(&mut controller, &mut window, una);
            steps.push(Step {
                at: now,
                cwnd: window.cwnd,
            });
        }
        steps
    }
}
