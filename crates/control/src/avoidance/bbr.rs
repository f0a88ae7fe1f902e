//! BBR after its start: ProbeBW and ProbeRTT.
//!
//! BBR (ACM Queue 14(5), 2016; Linux `tcp_bbr.c`; draft-ietf-ccwg-bbr-06) keeps to the delivery
//! rate of its model, and looks from time to time whether there is more. v1 does so in cycles of
//! eight round trips: one at five quarters of the rate, one at three quarters to drain what that
//! has queued, six at the rate. v3 waits two to three seconds (or as many rounds as Reno would need
//! to grow as far), fills the path, then sends at five quarters until losses or a plateau show that
//! this is all. Losses of more than two percent bound what may be in flight, and the next probe is
//! broken off when it reaches the bound. The minimum RTT is looked for with four segments in flight
//! (v3: half of what the path holds) for 200 ms, if it has not been seen for ten seconds (v3:
//! five).
//!
//! After [`crate::startup::bbr_startup`] it continues with that startup's model. After
//! any other it has measured meanwhile; when that startup is over, for whatever reason, it
//! drains what the startup has queued, and is in charge for good.
//!
//! `version=quinn` is the BBR of quinn-proto 0.11.19 (`model/bbr_quinn.rs`), which sets a window only.
//!
//! # State
//!
//! The model ([`crate::model::bbr`]); v1: where in the cycle, and a policer's rate if one is taken to
//! be in the path; v3: the phase and the bounds.
//!
//! # Deviations
//!
//! - v3-linux has Linux's constants (0.91, 180/256 and 38/256 where the draft has 0.9, 0.7 and 0.15)
//!   and its test of losses in whole packets; otherwise its ProbeBW is the draft's. Left out are its
//!   answers to ECN, and what it does where a tail loss probe has repaired a loss.
//! - quiche and google-quiche are the draft's v3 with their gains, and with ten seconds between
//!   measurements of the minimum RTT. Their end of a probe by a standing queue, and their loss
//!   thresholds outside of Startup, are not compared.
//!
//! # Contested
//!
//! - v1's cycle begins at a random phase, v3 waits a random time. Here both are made from the
//!   nanosecond at which they are needed, so that a run repeats exactly.
//! - Linux reckons what is in flight at the moment the next packet may leave; here it is what is
//!   in flight now, a millisecond's worth apart.
//! - draft-06 judges each packet that is found lost by what was in flight when it left; here an
//!   ACK is judged by what was in flight when the newest packet that it covers left. Its answers
//!   to a peer without SACK are left out.
//! - Linux takes a connection for idle when nothing is in flight; here it is when nothing has
//!   been sent for a retransmission timeout.

use super::bbr_quinn::BbrQuinnAvoidance;
use super::{Avoidance, Maker, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::Model;
use crate::model::bbr::{Bbr, Source};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established, Idle, Loss, Recovered, Timeout};
use crate::{Convention, Instant, Window, params};

/// Entry of `bbr` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "bbr",
    title: "BBR",
    source: "Cardwell, Cheng, Gunn, Hassas Yeganeh, Jacobson: BBR: Congestion-Based Congestion \
             Control, ACM Queue 14(5), 2016; Linux tcp_bbr.c; draft-ietf-ccwg-bbr-06; google/bbr, \
             branch v3",
    year: 2016,
    opened: "text: draft-ietf-ccwg-bbr, editor's copy of 3 August 2026; code: google/bbr branch \
             v3, tcp_bbr.c 001a430b; quinn-proto 0.11.19, congestion/bbr",
    compared: "states, cycle, bounds, round-trip probing",
    summary: "Paces at the rate that is delivered, probes for more from time to time, and for the \
              minimum round-trip time with an almost empty path.",
    params: Settings::PARAMS,
    needs: &[Need::Pacing],
    certainty: Certainty::Code,
    build,
};

params! {
    pub struct Settings {
        /// v1: as in Linux since 4.9; v3: draft-ietf-ccwg-bbr-06; v3-linux: as in google/bbr,
        /// branch v3; quinn: quinn-proto 0.11.19, which sets a window only; quiche, google-quiche:
        /// cloudflare/quiche at e97798e, google/quiche at f44fa9f
        #[usual("by stack: quinn under quinn, v3 under noq, otherwise that of bbr-startup, or v1")]
        version: Option<Source>,
    }
}

fn build(params: &Params, convention: Convention) -> Result<Box<Maker>, SpecError> {
    let given = Settings::read(params)?.version;
    let source = given.unwrap_or(convention.bbr);
    Ok(match Bbr::of(source, convention, None, None) {
        Some(model) => copies(BbrAvoidance {
            source: given,
            model: Box::new(model),
            in_charge: false,
        }),
        None => copies(BbrQuinnAvoidance::default()),
    })
}

/// State of ProbeBW and ProbeRTT on one connection.
#[derive(Clone)]
struct BbrAvoidance {
    source: Option<Source>,
    model: Box<Bbr>,
    in_charge: bool,
}

impl BbrAvoidance {
    /// From whatever startup it was.
    fn take_over(&mut self) {
        if !self.in_charge {
            self.in_charge = true;
            self.model.take_over();
        }
    }
}

impl Avoidance for BbrAvoidance {
    fn on_established(&mut self, w: &Window, e: &Established) {
        self.model.on_established(w, e);
    }

    fn on_start(&mut self, _w: &mut Window, now: Instant) {
        self.take_over();
        if let Some(source) = self.source {
            self.model.turn_into(source, now);
        }
    }

    fn on_startup_ack(&mut self, w: &Window, a: &Ack) {
        if !self.in_charge {
            self.model.observe(w, a);
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        // The startup decides where Startup ends, and it is over.
        let _ = self.model.on_ack(w, a);
    }

    fn on_loss(&mut self, w: &mut Window, _l: &Loss) {
        self.take_over();
        self.model.on_loss(w);
    }

    fn on_recovered(&mut self, _w: &mut Window, _r: &Recovered) {
        self.model.on_recovered();
    }

    fn on_timeout(&mut self, w: &mut Window, _t: &Timeout) {
        self.take_over();
        self.model.on_timeout(w);
    }

    fn on_spurious(&mut self, w: &mut Window) {
        self.model.on_spurious(w);
    }

    fn on_idle(&mut self, w: &mut Window, i: &Idle) {
        if self.in_charge {
            self.model.on_idle(w, i.now);
        }
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
                self.in_charge = true;
                None
            }
            Err(other) => Some(other),
        }
    }
}
