//! No congestion control: past the threshold the window is constant.
//!
//! Ours, for experiments that look at a startup alone: what happens after it must not
//! blur what it achieved. The window does not grow, yet it is still halved on loss and
//! falls to one segment on a timeout, by the rules of RFC 5681; a sender that answered a
//! loss with an unchanged window would have no room to recover in, and its retransmissions
//! would be lost in the same full queue. It is no model of any deployed sender.

use super::{Avoidance, Maker, copies, reno};
use crate::Window;
use crate::entry::{Certainty, Entry};
use crate::signals::{Ack, Loss, Timeout};

/// Entry of `none` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "none",
    title: "No growth",
    source: "flowstart (decrease: RFC 5681 §3.2)",
    year: 2009,
    opened: "text: RFC 5681 §3.2",
    compared: "decrease",
    summary: "Holds the window where the startup left it; halves it on loss.",
    params: &[reno::Settings::base.spec, reno::Settings::precise.spec],
    needs: &[],
    certainty: Certainty::Text,
    build: |params, convention| {
        let settings = reno::Settings::read(params)?;
        Ok(copies(None {
            decrease: reno::Decrease::read(params, &settings, convention)?,
        }))
    },
};

/// A window that does not grow.
#[derive(Clone)]
struct None {
    decrease: reno::Decrease,
}

impl Avoidance for None {
    fn on_ack(&mut self, _w: &mut Window, _a: &Ack) {}

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        self.decrease.on_loss(w, l);
    }

    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        self.decrease.on_timeout(w, t);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Convention, Instant, catalog};

    #[test]
    fn holds_and_halves() {
        let mut c = catalog::controller("slow-start", "none", Convention::RFC).unwrap();
        let mut w = Window::new(1460);
        (w.cwnd, w.ssthresh) = (20.0, 20.0);
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460));
        assert_eq!(w.cwnd, 20.0);
        c.on_loss(
            &mut w,
            &Loss {
                now: Instant::ZERO,
                flight: 20 * 1460,
                usable: 20.0,
            },
        );
        assert_eq!((w.cwnd, w.ssthresh), (10.0, 10.0));
    }
}
