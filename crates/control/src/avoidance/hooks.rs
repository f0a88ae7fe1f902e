//! Hooks of a congestion control: growth, and its response to congestion.

use crate::model::Model;
use crate::signals::{Ack, Established, Idle, Loss, Marked, Recovered, Timeout};
use crate::{Duration, Instant, Segments, Window};

/// A congestion control: growth past the threshold, and the decrease on loss.
pub trait Avoidance: Send {
    /// The handshake is complete, and the startup has set the first window.
    fn on_established(&mut self, _w: &Window, _e: &Established) {}

    /// A startup hands over without a loss.
    fn on_start(&mut self, _w: &mut Window, _now: Instant) {}

    /// An ACK that the startup, still in charge, has used: measure, but leave the window
    /// alone.
    fn on_startup_ack(&mut self, _w: &Window, _a: &Ack) {}

    /// An ACK of new data outside recovery: grow.
    fn on_ack(&mut self, w: &mut Window, a: &Ack);

    /// An ACK during recovery.
    fn on_recovery_ack(&mut self, _w: &mut Window, _a: &Ack) {}

    /// Loss was found: set `ssthresh` and `cwnd`.
    fn on_loss(&mut self, w: &mut Window, l: &Loss);

    /// A mark has come back. By default it counts as a loss (RFC 3168 §5).
    fn on_marked(&mut self, w: &mut Window, m: &Marked) {
        self.on_loss(w, &m.into());
    }

    /// Recovery has ended.
    fn on_recovered(&mut self, _w: &mut Window, _r: &Recovered) {}

    /// The timer expired: set `ssthresh` (unless repeated) and `cwnd`.
    fn on_timeout(&mut self, w: &mut Window, t: &Timeout);

    /// Sending resumes after an idle time.
    fn on_idle(&mut self, _w: &mut Window, _i: &Idle) {}

    /// A new segment leaves while nothing else is in flight; the one before left at `last`
    /// (Linux's `CA_EVENT_TX_START`).
    fn on_transmit_start(&mut self, _now: Instant, _last: Instant) {}

    /// Window and round trip by which a stack paces its restarts ([`on_idle`](Self::on_idle));
    /// `None` for the current window and the smoothed round trip.
    fn paced_restart(&self) -> Option<(Segments, Duration)> {
        None
    }

    /// The last reported loss or timeout was spurious: what it took for lost has arrived.
    /// The transport has restored the window and the threshold; this restores what else the reduction
    /// replaced (RFC 9438 §4.9).
    fn on_spurious(&mut self, _w: &mut Window) {}

    /// Whether it needs [`Ack::delivery`]. Read once, at the beginning.
    fn wants_delivery(&self) -> bool {
        false
    }

    /// Whether it sets the window at every ACK, in recovery too, once it is in charge; and stays
    /// in charge then, whatever the threshold.
    fn owns_cwnd(&self) -> bool {
        false
    }

    /// Whether its response to marks is in proportion to their share, so that its packets may be sent
    /// as ECT(1) (RFC 9331 §4.3).
    fn is_scalable(&self) -> bool {
        false
    }

    /// Whether acknowledgements of a recovery let packets leave in proportion to its reduction, where
    /// the stack can do so. Read once, at the beginning.
    fn paces_reduction(&self) -> bool {
        false
    }

    /// Whether [`startup_credit`](Self::startup_credit) is to be called. Read once, at the beginning.
    fn counts_for_startup(&self) -> bool {
        false
    }

    /// Bytes that an ACK lets the window of the startup grow by, instead of those that it covers.
    fn startup_credit(&mut self, _w: &Window, a: &Ack) -> u64 {
        a.credit
    }

    /// Continues with the model of a startup, or returns one of a kind that it does not know.
    fn adopt_model(&mut self, model: Box<dyn Model>) -> Option<Box<dyn Model>> {
        Some(model)
    }
}

/// Maker of avoidances with the same parameters, one for each flow.
pub type Maker = dyn Fn() -> Box<dyn Avoidance> + Send + Sync;

/// Maker of copies of a avoidance.
pub fn copies(prototype: impl Avoidance + Clone + Sync + 'static) -> Box<Maker> {
    Box::new(move || Box::new(prototype.clone()))
}
