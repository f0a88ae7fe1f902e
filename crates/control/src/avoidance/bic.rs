//! BIC: a binary search for the window that the path holds.
//!
//! L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast
//! Long-Distance Networks", INFOCOM 2004. A loss shows that the window before it, `W_max`, was
//! too large; the window after it, `W_min`, is small enough. The best one is between them, so
//! BIC goes half of the way each round trip, never by more than `s_max` segments nor by less
//! than `s_min`. Near `W_max` its steps become small, which keeps it stable where it matters;
//! past `W_max` it probes for a new maximum with steps that begin at one segment and double.
//! Below `low_window` it is Reno. Linux's default from 2.6.8 to 2.6.18; CUBIC is its
//! simplification.
//!
//! This is a reconstruction: the published description of the algorithm, not its text, was at
//! hand.
//!
//! # State
//!
//! `W_max`, unknown until the first loss; the step of probing and where it doubles.
//!
//! # Contested
//!
//! - `W_min` is the current window, so each ACK goes its share of half of the way rather
//!   than one leap per round trip.
//! - A startup that ends without loss leaves no `W_max`: probing begins at once. The paper
//!   takes a very large one, which means steps of `s_max`.
//! - The kernel leaves 819/1024 of the window and has `s_max` 16.

use super::{Avoidance, Maker, copies, reno};
use crate::entry::{Certainty, Entry};
use crate::model::Model;
use crate::model::capacity::Capacity;
use crate::params::{Params, Ratio, SpecError};
use crate::signals::{Ack, Loss, Timeout};
use crate::{Convention, Family, Instant, Segments, Window, params};

/// Entry of `bic` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "bic",
    title: "BIC",
    source: "Xu, Harfoush, Rhee: Binary Increase Congestion Control (BIC) for Fast Long-Distance \
             Networks, INFOCOM 2004 (a reconstruction)",
    year: 2004,
    opened: "what papers and kernels say of it; code: constants of Linux tcp_bic.c",
    compared: "search, probing, decrease",
    summary: "Searches for the window between the last loss and now, then beyond in doubling \
              steps.",
    params: Settings::PARAMS,
    needs: &[],
    certainty: Certainty::Reconstructed,
    build: |params, convention| Ok(copies(Bic::new(params, convention)?)),
};

params! {
    pub struct Settings {
        /// below this window the rules are Reno's
        low_window: Segments = "14",
        /// the largest step per round trip
        s_max: Segments = "32",
        /// the smallest step per round trip
        #[check(|step| step > 0.0, "above zero")]
        s_min: Segments = "0.01",
        /// what a loss leaves of the window
        #[within(0.05..=0.95)]
        beta: Ratio = "0.875",
        /// whether a loss below the last W_max lowers W_max further, to make room for others
        fast_convergence: bool = "true",
        base: Option<reno::Base> as reno::Settings,
    }
}

/// State of BIC on one connection.
#[derive(Clone)]
struct Bic {
    settings: Settings,
    base: reno::Base,
    decrease: reno::Decrease,
    w_max: Option<Segments>,
    /// Segments per round trip while probing.
    step: Segments,
    /// The window at which the step doubles.
    next_step: Segments,
    /// These three before the last reduction.
    undo: Option<(Option<Segments>, Segments, Segments)>,
    /// The kernel restores none of them: `tcp_bic.c` has `tcp_reno_undo_cwnd`.
    restores: bool,
}

impl Bic {
    fn new(params: &Params, convention: Convention) -> Result<Bic, SpecError> {
        let settings = Settings::read(params)?;
        let least = settings.s_min.max(1.0);
        if !(least..=1e6).contains(&settings.s_max) {
            let expected = format!("a number from {least} to 1000000");
            return Err(SpecError::bad_value(params, &Settings::s_max, &expected));
        }
        let base = reno::Base::given(settings.base, convention);
        Ok(Bic {
            settings,
            base,
            decrease: reno::Decrease::of(base),
            w_max: None,
            step: 1.0,
            next_step: 0.0,
            undo: None,
            restores: convention.family != Family::Linux,
        })
    }

    /// Segments per round trip at this window.
    fn increase(&mut self, cwnd: Segments) -> Segments {
        if cwnd < self.settings.low_window {
            return 1.0;
        }
        match self.w_max {
            Some(w_max) if cwnd < w_max => {
                self.next_step = 0.0;
                ((w_max - cwnd) / 2.0).clamp(self.settings.s_min, self.settings.s_max)
            }
            _ => self.probe(cwnd),
        }
    }

    /// Past `W_max`: one segment, two, four, up to the largest step.
    fn probe(&mut self, cwnd: Segments) -> Segments {
        if self.next_step == 0.0 {
            (self.step, self.next_step) = (1.0, cwnd + 1.0);
        } else if cwnd >= self.next_step {
            self.step = (2.0 * self.step).min(self.settings.s_max);
            self.next_step = cwnd + self.step;
        }
        self.step
    }

    /// A reduction comes, which may prove spurious.
    fn save(&mut self) {
        let state = (self.w_max, self.step, self.next_step);
        self.undo = self.restores.then_some(state);
    }

    /// What a loss leaves of a window.
    fn reduce(&mut self, w: &Window, base: Segments) -> Segments {
        self.next_step = 0.0;
        if w.cwnd < self.settings.low_window {
            self.w_max = Some(w.cwnd);
            return base / 2.0;
        }
        let lower =
            self.settings.fast_convergence && self.w_max.is_some_and(|w_max| w.cwnd < w_max);
        self.w_max = Some(if lower {
            w.cwnd * (1.0 + self.settings.beta) / 2.0
        } else {
            w.cwnd
        });
        base * self.settings.beta
    }
}

impl Avoidance for Bic {
    fn on_start(&mut self, _w: &mut Window, _now: Instant) {
        self.next_step = 0.0;
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        if a.cwnd_limited {
            w.cwnd += w.segments(a.credit) * self.increase(w.cwnd) / w.cwnd;
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        self.save();
        let base = self.base.segments(w, l.flight, l.usable);
        w.ssthresh = self.reduce(w, base).max(2.0);
        w.cwnd = w.ssthresh;
    }

    /// Reno's answer; what was known of the path is forgotten.
    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !t.repeated {
            self.save();
        }
        self.decrease.on_timeout(w, t);
        (self.w_max, self.next_step) = (None, 0.0);
    }

    fn on_spurious(&mut self, _w: &mut Window) {
        if let Some(before) = self.undo.take() {
            (self.w_max, self.step, self.next_step) = before;
        }
    }

    /// An estimate of what path and queue hold is where the search begins.
    fn adopt_model(&mut self, model: Box<dyn Model>) -> Option<Box<dyn Model>> {
        let capacity = match Capacity::of(model) {
            Ok(capacity) => capacity,
            Err(model) => return Some(model),
        };
        self.w_max = Some(capacity);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn an_estimate_left_by_the_startup_is_where_the_search_begins() {
        let (mut bic, _) = bic(70.0, None);
        assert!(bic.adopt_model(Box::new(Capacity(90.0))).is_none());
        assert_eq!(bic.w_max, Some(90.0));
        assert_eq!(bic.increase(70.0), 10.0);
    }

    fn bic(cwnd: f64, w_max: Option<f64>) -> (Bic, Window) {
        let kind = crate::params::AlgorithmKind::AVOIDANCE;
        let params = Params::parse(kind, ENTRY.name, ENTRY.params, "").unwrap();
        let mut bic = Bic::new(&params, Convention::NS2).unwrap();
        bic.w_max = w_max;
        let mut w = Window::new(1460);
        (w.cwnd, w.ssthresh) = (cwnd, 2.0);
        (bic, w)
    }

    #[test]
    fn half_of_the_way_within_bounds() {
        for (cwnd, step) in [
            (10.0, 1.0),
            (20.0, 32.0),
            (136.0, 32.0),
            (180.0, 10.0),
            (199.0, 0.5),
            (199.99, 0.01),
        ] {
            let (mut bic, _) = bic(cwnd, Some(200.0));
            assert!((bic.increase(cwnd) - step).abs() < 1e-12, "at {cwnd}");
        }
    }

    #[test]
    fn beyond_the_maximum_steps_double() {
        let (mut bic, _) = bic(200.0, Some(200.0));
        let mut cwnd = 200.0;
        let mut steps = vec![];
        for _ in 0..8 {
            let step = bic.increase(cwnd);
            steps.push(step);
            cwnd += step;
        }
        assert_eq!(steps, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 32.0, 32.0]);
    }

    #[test]
    fn a_round_goes_its_way() {
        let (mut bic, mut w) = bic(180.0, Some(200.0));
        (0..180).for_each(|_| bic.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460)));
        // Ten segments if all at once, a little less as the way gets shorter.
        assert!((187.0..190.0).contains(&w.cwnd), "{}", w.cwnd);
    }

    #[test]
    fn a_loss_sets_the_maximum() {
        let (mut bic, mut w) = bic(200.0, None);
        let lose = |bic: &mut Bic, w: &mut Window| {
            let loss = Loss {
                now: Instant::ZERO,
                flight: 0,
                usable: w.cwnd,
            };
            bic.on_loss(w, &loss);
            (w.cwnd, bic.w_max.unwrap())
        };
        assert_eq!(lose(&mut bic, &mut w), (175.0, 200.0));
        w.cwnd = 160.0;
        assert_eq!(lose(&mut bic, &mut w), (140.0, 150.0));
        w.cwnd = 10.0;
        assert_eq!(lose(&mut bic, &mut w), (5.0, 10.0));
    }

    #[test]
    fn a_startup_without_loss_leads_to_probing() {
        let mut c = catalog::controller("slow-start", "bic", Convention::RFC).unwrap();
        let mut w = Window::new(1460);
        (w.cwnd, w.ssthresh) = (100.0, 100.0);
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460));
        assert_eq!(w.cwnd, 100.01);
    }

    #[test]
    fn steps_in_the_wrong_order_are_refused() {
        let complaint = |spec: &str| {
            let error = catalog::controller("slow-start", spec, Convention::RFC);
            error.err().unwrap().to_string()
        };
        assert!(complaint("bic:s_max=0").ends_with("`0` is not a number from 1 to 1000000"));
        assert!(complaint("bic:s_min=0").ends_with("`0` is not above zero"));
        assert!(complaint("bic:beta=1").ends_with("`1` is not a number from 0.05 to 0.95"));
    }

    #[test]
    fn a_spurious_loss_leaves_the_search_where_it_was() {
        let (mut bic, mut w) = bic(90.0, Some(100.0));
        let l = Loss {
            now: Instant::ZERO,
            flight: w.cwnd_bytes(),
            usable: 90.0,
        };
        bic.on_loss(&mut w, &l);
        w.cwnd = 90.0;
        bic.on_spurious(&mut w);
        assert_eq!((bic.w_max, bic.increase(90.0)), (Some(100.0), 5.0));
    }
}
