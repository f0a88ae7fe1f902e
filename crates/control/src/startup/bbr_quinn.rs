//! BBR's Startup as quinn has it; the rules are the model's ([`crate::model::bbr_quinn`]).

use super::{Congestion, Reduction, Response, Startup};
use crate::model::Model;
use crate::model::bbr_quinn::BbrQuinn;
use crate::signals::{Ack, Established};
use crate::slow_start::SlowStart;
use crate::{Reason, Window};

/// Startup, until the bandwidth no longer grows; the model is gone once it has been handed over.
#[derive(Clone)]
pub(super) struct BbrQuinnStartup {
    has_iw: bool,
    model: Option<Box<BbrQuinn>>,
}

impl BbrQuinnStartup {
    /// With quinn's initial window, unless a parameter sets one.
    pub(super) fn new(has_iw: bool) -> BbrQuinnStartup {
        BbrQuinnStartup {
            has_iw,
            model: Some(Box::new(BbrQuinn::new())),
        }
    }
}

impl Startup for BbrQuinnStartup {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        w.ssthresh = f64::INFINITY;
        if let Some(model) = &mut self.model {
            model.on_established(w, e, self.has_iw.then_some(w.cwnd));
            w.cwnd = model.window();
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, _slow_start: &mut SlowStart) -> Option<Reason> {
        let model = self.model.as_mut()?;
        let ended = model.on_ack(w, a);
        w.cwnd = model.window();
        ended
    }

    /// The next ACK counts what was lost.
    fn on_congestion(&mut self, _w: &mut Window, _c: &Congestion) -> Response {
        Response::continues(Reduction::Done)
    }

    fn wants_delivery(&self) -> bool {
        true
    }

    fn owns_cwnd(&self) -> bool {
        self.model.is_some()
    }

    fn export_model(&mut self) -> Option<Box<dyn Model>> {
        self.model.take().map(|model| model as Box<dyn Model>)
    }

    fn in_charge(&self, _w: &Window) -> bool {
        self.model.as_ref().is_some_and(|model| model.is_starting())
    }
}
