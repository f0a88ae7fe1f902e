//! CUBIC: the window follows a cubic curve in time through the place of the last loss.
//!
//! RFC 9438 (L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert, August 2023, Standards Track), after Ha,
//! Rhee and Xu, "CUBIC: A New TCP-Friendly High-Speed TCP Variant" (2008). Reno needs
//! thousands of round trips to regain a large window, and the longer the round trip, the
//! slower. CUBIC's window is a function of the *time* since the last loss instead:
//! `W(t) = C (t - K)^3 + W_max`. It rises fast at first, levels out near `W_max` where the
//! last loss was, stays there for a while, and then probes ever faster beyond. Where Reno
//! would be quicker, on short or slow paths, CUBIC keeps step with an estimate of what
//! Reno's window would be. Linux's default since 2.6.19.
//!
//! The variant `linux` is what current kernels do, in whole numbers (`cubic/linux.rs`); `2008`
//! is the CUBIC of Linux 2.6.22 with its constants, for experiments of that year
//! (`cubic/linux_2008.rs`); `quinn`, `noq`, `quiche`, `s2n`, `quicly` and `neqo` are those of these QUIC
//! stacks (`cubic/quinn.rs`, `cubic/quiche.rs`, `cubic/s2n.rs`, `cubic/quicly.rs`, `cubic/neqo.rs`).
//!
//! # State
//!
//! The RFC's: `W_max`, `K`, `cwnd_prior`, `W_est`, the beginning of the epoch, and a
//! smoothed round-trip time.
//!
//! # Contested
//!
//! - In the Reno-friendly region the RFC sets cwnd to `W_est`. Since the cubic region aims one
//!   round trip ahead, the window may already exceed `W_est` when the regions change; here it
//!   is not lowered then.
//! - Growth is counted per acknowledged segment rather than per ACK, and never beyond the
//!   target, so that delayed ACKs do not slow it.
//! - A startup that ends without a loss may leave an estimate of what path and queue hold
//!   (`crate::model::capacity`): it is `W_max` then, and the window of the last loss for `W_est`. The
//!   RFC has no `W_max` there (§4.10).
//! - Where a startup runs again below the threshold after a loss, `W_max` of that loss is
//!   kept. The RFC resets it only after a first slow start and after a timeout.

mod constants;
mod linux;
mod linux_2008;
mod neqo;
mod quiche;
mod quicly;
mod quinn;
mod s2n;

use super::{Avoidance, Maker, copies, reno};
use crate::entry::{Certainty, Entry};
use crate::model::Model;
use crate::model::capacity::Capacity;
use crate::params::{Number, Params, Ratio, SpecError};
use crate::signals::{Ack, Idle, Loss, Marked, Timeout};
use crate::variants::CubicVariant as Variant;
use crate::{Convention, Duration, Instant, Segments, Window, params};
use constants::Constants;

/// Entry of `cubic` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "cubic",
    title: "CUBIC",
    source: "Rhee, Xu: CUBIC, PFLDnet 2005; Ha, Rhee, Xu: CUBIC, 2008; RFC 9438 §4",
    year: 2005,
    opened: "text: RFC 9438; code: Linux tcp_cubic.c, v2.0, v2.1 and recent; cubic.rs of quinn-proto \
             0.11.19, noq-proto 1.4.0, quiche 0.30.0 and s2n-quic-core 0.91.0",
    compared: "curve, Reno-friendly region, fast convergence, decrease",
    summary: "The window is a cubic function of the time since the last loss, at least Reno's.",
    params: Settings::PARAMS,
    needs: &[],
    certainty: Certainty::Text,
    build,
};

params! {
    pub struct Settings {
        /// whose CUBIC: the standard's, a current kernel's, that of Linux 2.6.22 (v2.1), quinn's,
        /// noq's, quiche's, s2n-quic's, quicly's or neqo's
        #[usual("by stack: linux, quinn, noq, quiche, s2n, quicly and neqo under these, otherwise rfc9438")]
        variant: Option<Variant>,
        /// what a loss leaves of the window
        #[usual("by variant: 717/1024 for linux, 819/1024 for 2008, otherwise 0.7")]
        #[within(0.05..=0.95)]
        beta: Option<Ratio>,
        /// the scale of the cubic curve, in segments per second cubed
        #[usual("by variant: 410/1024 for linux and 2008, otherwise 0.4")]
        #[within(1e-6..=1e6)]
        c: Option<Number>,
        /// whether a loss below the last W_max lowers W_max further, to make room for others
        fast_convergence: bool = "true",
        /// whether the window is at least what Reno's would be
        friendly: bool = "true",
        base: Option<reno::Base> as reno::Settings,
    }
}

fn build(params: &Params, convention: Convention) -> Result<Box<Maker>, SpecError> {
    let settings = Settings::read(params)?;
    let variant = settings.variant.unwrap_or(convention.cubic);
    let (beta, c) = match variant {
        Variant::V2008 => (819.0 / 1024.0, 410.0 / 1024.0),
        Variant::Linux => (717.0 / 1024.0, 410.0 / 1024.0),
        _ => (0.7, 0.4),
    };
    let constants = Constants {
        beta: settings.beta.unwrap_or(beta),
        c: settings.c.unwrap_or(c),
        fast_convergence: settings.fast_convergence,
        friendly: settings.friendly,
        base: reno::Base::given(settings.base, convention),
    };
    Ok(match variant {
        Variant::V2008 => copies(linux_2008::Cubic2008::new(constants)),
        Variant::Linux => copies(linux::CubicLinux::new(constants)),
        Variant::Quinn => copies(quinn::CubicQuinn::new(constants, false)),
        Variant::Noq => copies(quinn::CubicQuinn::new(constants, true)),
        Variant::Quiche => copies(quiche::CubicQuiche::new(constants)),
        Variant::S2n => copies(s2n::CubicS2n::new(constants)),
        Variant::Neqo => copies(neqo::CubicNeqo::new(constants)),
        Variant::Quicly => copies(quicly::CubicQuicly::new(constants)),
        Variant::Rfc9438 => copies(Cubic::new(constants)),
    })
}

/// A stage of congestion control, RFC 9438's epoch.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Instant,
    k: f64,
    w_max: Segments,
    w_est: Segments,
}

impl Epoch {
    /// §4.2, eq. 1: the curve `t` seconds into the epoch.
    fn w_cubic(&self, c: f64, t: f64) -> Segments {
        let d = t - self.k;
        c * (d * d * d) + self.w_max
    }
}

/// State of RFC 9438's CUBIC on one connection.
#[derive(Clone)]
struct Cubic {
    constants: Constants,
    /// Undefined before the first loss and after a timeout.
    w_max: Option<Segments>,
    cwnd_prior: Segments,
    epoch: Option<Epoch>,
    /// These three before the last reduction (§4.9).
    undo: Option<(Option<Segments>, Segments, Option<Epoch>)>,
    srtt: Option<Duration>,
    last_ack: Instant,
}

impl Cubic {
    fn new(constants: Constants) -> Cubic {
        Cubic {
            constants,
            w_max: None,
            cwnd_prior: 0.0,
            epoch: None,
            undo: None,
            srtt: None,
            last_ack: Instant::ZERO,
        }
    }

    /// §4.2, §4.3: an epoch begins at the current window. §4.8, §4.10: without a W_max, that
    /// window is W_max and K is zero; so too where the window is above W_max already.
    fn begin(&mut self, w: &Window, now: Instant) -> Epoch {
        let w_max = self.w_max.map_or(w.cwnd, |w_max| w_max.max(w.cwnd));
        if self.w_max.is_none() {
            self.cwnd_prior = w.cwnd;
        }
        // §4.2, eq. 2. A root that is the same on every machine.
        let k = libm::cbrt((w_max - w.cwnd) / self.constants.c);
        self.w_max = Some(w_max);
        let epoch = Epoch {
            start: now,
            k,
            w_max,
            w_est: w.cwnd,
        };
        self.epoch = Some(epoch);
        epoch
    }

    /// §4.3: `alpha_cubic`, which makes CUBIC's average equal Reno's; one from the window of
    /// the last loss on.
    fn alpha(&self, w_est: Segments) -> f64 {
        let beta = self.constants.beta;
        if w_est < self.cwnd_prior {
            3.0 * (1.0 - beta) / (1.0 + beta)
        } else {
            1.0
        }
    }

    /// RFC 6298's smoothing, in whole nanoseconds.
    fn sample(&mut self, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.srtt = Some(match self.srtt {
                None => rtt,
                Some(srtt) => Duration(srtt.nanos() - srtt.nanos() / 8 + rtt.nanos() / 8),
            });
        }
    }

    /// §4.6 and §4.7: what a congestion event leaves.
    fn reduce(&mut self, w: &Window, flight: u64, usable: Segments) -> Segments {
        let beta = self.constants.beta;
        self.undo = Some((self.w_max, self.cwnd_prior, self.epoch));
        self.cwnd_prior = w.cwnd;
        self.w_max = Some(self.constants.w_max(w.cwnd, self.w_max.unwrap_or(0.0)));
        self.epoch = None;
        self.constants.base.segments(w, flight, usable) * beta
    }

    /// §5.8: time in which the window was not used does not count.
    fn pause(&mut self, span: Duration) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += span;
        }
    }
}

impl Avoidance for Cubic {
    /// §4.10: a startup that ends without loss leaves no W_max.
    fn on_start(&mut self, w: &mut Window, now: Instant) {
        self.begin(w, now);
        self.last_ack = now;
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        self.sample(a.rtt);
        let since_last = a.now.since(self.last_ack);
        self.last_ack = a.now;
        if !a.cwnd_limited {
            return self.pause(since_last);
        }
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin(w, a.now),
        };
        let acked = w.segments(a.credit);
        let c = self.constants.c;
        let t = a.now.since(epoch.start).secs();
        // §4.3, eq. 4.
        epoch.w_est += self.alpha(epoch.w_est) * acked / w.cwnd;
        self.epoch = Some(epoch);
        if self.constants.friendly && epoch.w_cubic(c, t) < epoch.w_est {
            w.cwnd = w.cwnd.max(epoch.w_est);
            return;
        }
        // §4.2, §4.4, §4.5: towards where the curve will be one round trip from now, at
        // most half a window further.
        let ahead = t + self.srtt.unwrap_or(Duration::ZERO).secs();
        let target = epoch.w_cubic(c, ahead).clamp(w.cwnd, 1.5 * w.cwnd);
        w.cwnd = target.min(w.cwnd + acked * (target - w.cwnd) / w.cwnd);
    }

    fn on_recovery_ack(&mut self, _w: &mut Window, a: &Ack) {
        self.sample(a.rtt);
        self.last_ack = a.now;
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        w.ssthresh = self.reduce(w, l.flight, l.usable).max(2.0);
        w.cwnd = w.ssthresh;
    }

    /// §4.6: a mark may leave a window of one segment, where a loss leaves two.
    fn on_marked(&mut self, w: &mut Window, m: &Marked) {
        let left = self.reduce(w, m.flight, m.usable);
        w.ssthresh = left.max(2.0);
        w.cwnd = left.max(1.0);
    }

    /// §4.8: as Reno, with beta_cubic; the next epoch begins without a W_max.
    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !t.repeated {
            w.ssthresh = self.reduce(w, t.flight, t.usable).max(2.0);
        }
        w.cwnd = 1.0;
        self.w_max = None;
        self.epoch = None;
    }

    /// §4.9: the curve continues where it was, which counts the time of the reduction.
    fn on_spurious(&mut self, _w: &mut Window) {
        if let Some(before) = self.undo.take() {
            (self.w_max, self.cwnd_prior, self.epoch) = before;
        }
    }

    fn on_idle(&mut self, _w: &mut Window, i: &Idle) {
        self.pause(i.idle);
        self.last_ack = i.now;
    }

    /// An estimate of what path and queue hold replaces the window of a loss there.
    fn adopt_model(&mut self, model: Box<dyn Model>) -> Option<Box<dyn Model>> {
        let capacity = match Capacity::of(model) {
            Ok(capacity) => capacity,
            Err(model) => return Some(model),
        };
        (self.w_max, self.cwnd_prior) = (Some(capacity), capacity);
        None
    }
}

#[cfg(test)]
mod tests;
