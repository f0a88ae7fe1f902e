//! BBR after its Startup as quinn has it; the rules are the model's ([`crate::model::bbr_quinn`]).

use super::Avoidance;
use crate::model::Model;
use crate::model::bbr_quinn::BbrQuinn;
use crate::signals::{Ack, Established, Loss, Timeout};
use crate::{Instant, Window};

/// State of quinn's BBR on one connection. After another startup it drains what that has queued.
#[derive(Clone)]
pub(super) struct BbrQuinnAvoidance {
    model: Box<BbrQuinn>,
}

impl Default for BbrQuinnAvoidance {
    fn default() -> BbrQuinnAvoidance {
        BbrQuinnAvoidance {
            model: Box::new(BbrQuinn::new()),
        }
    }
}

impl Avoidance for BbrQuinnAvoidance {
    fn on_established(&mut self, w: &Window, e: &Established) {
        self.model.on_established(w, e, Some(w.cwnd));
    }

    fn on_start(&mut self, w: &mut Window, _now: Instant) {
        self.model.take_over(w.cwnd);
    }

    fn on_startup_ack(&mut self, w: &Window, a: &Ack) {
        if self.model.is_starting() {
            self.model.observe(w, a);
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        // Startup is over.
        let _ = self.model.on_ack(w, a);
        w.cwnd = self.model.window();
    }

    /// The next ACK counts what was lost.
    fn on_loss(&mut self, w: &mut Window, _l: &Loss) {
        self.model.take_over(w.cwnd);
    }

    fn on_timeout(&mut self, w: &mut Window, _t: &Timeout) {
        self.model.take_over(w.cwnd);
    }

    fn wants_delivery(&self) -> bool {
        true
    }

    fn owns_cwnd(&self) -> bool {
        true
    }

    fn adopt_model(&mut self, model: Box<dyn Model>) -> Option<Box<dyn Model>> {
        match model.downcast() {
            Ok(model) => {
                self.model = model;
                None
            }
            Err(other) => Some(other),
        }
    }
}
