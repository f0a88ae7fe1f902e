//! Situations that the tests of several algorithms share.

use crate::signals::{Ack, Established};
use crate::{catalog, Controller, Convention, Time, Window};

/// The round trip of these situations.
pub(crate) const RTT: Time = Time::from_millis(100);

/// When a receiver acknowledges.
#[derive(Clone, Copy)]
pub(crate) enum Receiver {
    /// Each segment.
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
        ..Established::at(RTT)
    };
    controller.on_established(&mut window, &e);
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
            let now = RTT.times(windows.len() as u64 + 1);
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
