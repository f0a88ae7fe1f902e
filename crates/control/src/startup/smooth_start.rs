//! Smooth start: growth slows down step by step towards the threshold.
//!
//! H. Wang, H. Xin, D. Reeves, K. Shin, "A Simple Refinement of Slow-Start of TCP Congestion
//! Control", ISCC 2000. Where slow start meets its threshold, growth falls from a window per
//! round trip to a segment per round trip at once; the last doubling arrives as a burst and
//! may be lost. Smooth start makes the passage gradual. Below a part of the threshold the
//! window doubles as ever, the *filling* phase; from there on, *probing*, each of `depth`
//! equal steps halves what an ACK adds. It is of use only where the threshold means
//! something: after a loss, or with [`super::packet_pair_start`]'s estimate.
//!
//! The rule is a reconstruction: of the paper its idea and the names of its phases and
//! parameters were known, not its text. No comparison should rest on its numbers.
//!
//! # State
//!
//! None. The paper's *grain*, how many ACKs an increment takes, is two to the
//! power of the step.
//!
//! # Deviations
//!
//! - Unknown: where probing begins, how many steps it has and by how much each slows are this
//!   project's reading of the names *grain number* and *depth*.

use super::{Maker, Startup, copies};
use crate::entry::{Certainty, Entry};
use crate::params::Ratio;
use crate::signals::Ack;
use crate::slow_start::SlowStart;
use crate::{Reason, Segments, Window, params, with_slow_start};

/// Entry of `smooth-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "smooth-start",
    title: "Smooth start",
    source: "Wang, Xin, Reeves, Shin: A Simple Refinement of Slow-Start of TCP Congestion \
             Control, ISCC 2000 (the rule is a reconstruction)",
    year: 2000,
    opened: "one sentence of the HyStart paper",
    compared: "slower growth near the threshold",
    summary: "Slow start that halves its speed step by step as it nears the threshold.",
    params: with_slow_start!(Settings),
    needs: &[],
    certainty: Certainty::Reconstructed,
    build: |params, _| Ok(copies(SmoothStart::new(Settings::read(params)?))),
};

params! {
    pub struct Settings {
        /// slowing down begins at this part of the threshold
        #[check(|part| part < 1.0, "below 1")]
        start_frac: Ratio = "0.5",
        /// so many steps from there to the threshold, each at half the speed of the one before
        #[within(1..=16)]
        depth: u32 = "2",
    }
}

/// Thresholds below this are too small for steps.
const LEAST_SSTHRESH: Segments = 8.0;

/// State of Smooth start on one connection.
#[derive(Clone)]
struct SmoothStart {
    start_frac: f64,
    depth: u32,
}

impl SmoothStart {
    fn new(settings: Settings) -> SmoothStart {
        SmoothStart {
            start_frac: settings.start_frac,
            depth: settings.depth,
        }
    }

    /// What an ACK adds, as a share of what slow start would.
    fn share(&self, w: &Window) -> f64 {
        let from = self.start_frac * w.ssthresh;
        if w.ssthresh < LEAST_SSTHRESH || w.cwnd < from {
            return 1.0;
        }
        let step = (w.ssthresh - from) / f64::from(self.depth);
        let i = (((w.cwnd - from) / step) as u32).saturating_add(1);
        1.0 / f64::from(1u32 << i.min(self.depth))
    }
}

impl Startup for SmoothStart {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        let share = self.share(w);
        slow_start.grow_by(w, a, share);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Receiver, established, rounds};
    use crate::{Convention, Instant, catalog};

    /// ACKs until the window reaches each of these.
    fn acks_to(spec: &str, from: f64, windows: &[f64]) -> Vec<u32> {
        let (mut c, mut w) = established(&format!("smooth-start:{spec}"), Convention::RFC);
        w.cwnd = from;
        let count = |target: &f64| {
            let mut acks = 0;
            while w.cwnd < *target {
                c.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460));
                acks += 1;
            }
            acks
        };
        windows.iter().map(count).collect()
    }

    #[test]
    fn two_steps_below_the_threshold() {
        assert_eq!(
            acks_to("ssthresh=64", 31.0, &[32.0, 48.0, 64.0]),
            [1, 32, 64]
        );
        assert_eq!(acks_to("ssthresh=8", 3.0, &[4.0, 6.0, 8.0]), [1, 4, 8]);
        // Too small for steps.
        assert_eq!(acks_to("ssthresh=7", 3.0, &[7.0]), [4]);
        assert_eq!(acks_to("ssthresh=64,depth=1", 32.0, &[64.0]), [64]);
        assert_eq!(
            acks_to("ssthresh=64,start_frac=0.75", 32.0, &[48.0, 56.0, 64.0]),
            [16, 16, 32]
        );
    }

    #[test]
    fn the_window_by_rounds() {
        let spec = "smooth-start:ssthresh=64,iw=16";
        let windows = rounds(spec, Convention::RFC, Receiver::EverySegment, 4);
        assert_eq!(windows, [16.0, 32.0, 48.0, 60.0]);
        assert_eq!(acks_to("ssthresh=64", 60.0, &[64.0]), [16]);
    }

    #[test]
    fn without_a_threshold_it_is_slow_start() {
        let smooth = rounds("smooth-start", Convention::RFC, Receiver::Delayed, 6);
        assert_eq!(
            smooth,
            rounds("slow-start", Convention::RFC, Receiver::Delayed, 6)
        );
    }

    #[test]
    fn linux_leaves_the_rest_to_the_avoidance() {
        let (mut c, mut w) = established("smooth-start:ssthresh=16", Convention::LINUX);
        // From 10 at half the speed: twelve packets to the threshold, four to spare; those
        // and twelve more are a window.
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 16 * 1460));
        assert_eq!(w.cwnd, 16.0);
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 11 * 1460));
        assert_eq!(w.cwnd, 16.0);
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460));
        assert_eq!(w.cwnd, 17.0);
    }

    #[test]
    fn steps_must_fit_below_the_threshold() {
        let complaint = |spec: &str| {
            let spec = format!("smooth-start:{spec}");
            let error = catalog::controller(&spec, "reno", Convention::RFC);
            error.err().unwrap().to_string()
        };
        assert!(complaint("start_frac=1").ends_with("parameter `start_frac`: `1` is not below 1"));
        assert!(complaint("depth=0").ends_with("`0` is not a whole number from 1 to 16"));
    }
}
