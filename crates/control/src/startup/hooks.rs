//! What a startup is told and asked.

use crate::model::Model;
use crate::signals::*; // All of them: the macros name what their hooks receive.
use crate::slow_start::SlowStart;
use crate::{Rate, Reason, Segments, Window};

/// Who answers a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossResponse {
    /// The avoidance reduces the window by its own rule.
    Standard,
    /// The startup has set the window itself.
    Done,
    /// The startup has set the window itself and goes on to all through the recovery, so that
    /// the transport is not to reduce it proportionally (RFC 9937).
    SelfManaged,
}

/// What may end a startup. A timeout counts as a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Congestion {
    /// Data was lost.
    Loss,
    /// A queue has marked data.
    Mark,
}

macro_rules! hooks {
    ($($(#[doc = $doc:literal])* $hook:ident($signal:ident: $kind:ty) -> $answer:ty;)*) => {$(
        $(#[doc = $doc])*
        #[allow(unused_variables, clippy::unused_unit)]
        fn $hook(&mut self, w: &mut Window, $signal: &$kind) -> $answer {
            Default::default()
        }
    )*};
}

/// A startup: from the handshake until it knows the path.
///
/// An implementation edits the window and reports, once, that its work is done. It must
/// not assume that it is called for every packet of the path, only for its own flow's.
///
/// Most need [`on_ack`](Self::on_ack), some [`on_established`](Self::on_established) and
/// [`cancel`](Self::cancel) besides; what the others do by default is right for nearly all. What
/// startups have in common is not theirs: the [`Controller`](crate::Controller) opens the window
/// with [`SlowStart`], and remembers for it whether a timeout came last.
pub trait Startup: Send {
    /// An ACK of new data outside recovery, while this startup is in charge: grow, and
    /// say so when the startup is over. A startup that leaves without loss sets
    /// `ssthresh` itself. `slow_start` has the growth rule of this stack and these parameters.
    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason>;

    crate::startup_events!(hooks);

    /// What is known of the path besides, before the handshake is reported.
    fn on_known(&mut self, _k: &Known) {}

    /// A loss, a mark or a timeout has ended what was under way: takes back pacing, tags and
    /// the like. It is what the next three do unless they are written.
    fn cancel(&mut self, _w: &mut Window) {}

    /// Loss was found; `w` is as before the loss.
    fn on_loss(&mut self, w: &mut Window, _l: &Loss) -> LossResponse {
        self.cancel(w);
        LossResponse::Standard
    }

    /// A mark has come back; `w` is as before. It is answered as a loss (RFC 3168 §5) unless a
    /// startup knows better.
    fn on_marked(&mut self, w: &mut Window, m: &Marked) -> LossResponse {
        self.on_loss(w, &m.into())
    }

    /// The last loss or timeout was spurious: what it took for lost has arrived. The transport has
    /// restored the window and the threshold. True where a startup that is in charge grows as
    /// before the loss.
    fn on_spurious(&mut self, _w: &mut Window) -> bool {
        true
    }

    /// After the end of a recovery that this startup answered itself: the window at which the
    /// avoidance is to take the loss to have come, once.
    fn loss_cwnd(&mut self) -> Option<Segments> {
        None
    }

    /// The retransmission timer expired. The avoidance sets the window after this. One that
    /// survives it may end here all the same, with a reason of its own.
    fn on_timeout(&mut self, w: &mut Window, _t: &Timeout) -> Option<Reason> {
        self.cancel(w);
        None
    }

    /// The avoidance has set the window after a timeout. A startup that has an answer of its
    /// own gives it here. True where growth goes on as before the timeout.
    fn after_timeout(&mut self, _w: &mut Window, _t: &Timeout) -> bool {
        false
    }

    /// Sending resumes after an idle time; the stack's restart rule has been applied to `w`,
    /// which was `before`. True where this startup begins anew.
    fn on_idle(&mut self, _w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        false
    }

    /// Whether this does not end it at present. A timeout's hook may change the answer.
    fn survives(&self, _c: Congestion) -> bool {
        self.owns_cwnd()
    }

    /// Whether it wants to be told of delivery ([`Ack::delivery`]). Asked once, at the beginning.
    fn wants_delivery(&self) -> bool {
        false
    }

    /// Whether it sets the window at every ACK, in recovery too. While it does, all ACKs are its
    /// [`on_ack`](Self::on_ack)'s, and it answers losses, timeouts and idle times alone.
    fn owns_cwnd(&self) -> bool {
        false
    }

    /// The model that it leaves to an avoidance that can go on with it, now that it ends without a
    /// loss: its own view of the path, or what path and queue hold
    /// ([`Capacity`](crate::model::capacity::Capacity)).
    fn export_model(&mut self) -> Option<Box<dyn Model>> {
        None
    }

    /// The hooks of a startup that routers or the peer assist.
    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        None
    }

    /// Columns of its own for the trace.
    fn columns(&self) -> Option<&dyn Columns> {
        None
    }

    /// Whether this startup's growth rule applies rather than the avoidance's.
    fn in_charge(&self, w: &Window) -> bool {
        w.in_slow_start()
    }
}

/// A startup that routers or the peer assist.
pub trait Assisted {
    crate::assisted_events!(hooks);

    /// The rate, headers included, for which the routers are to be asked on the SYN.
    fn rate_request(&self, _s: &Syn) -> Option<Rate> {
        None
    }
}

/// A startup with columns of its own for the trace.
pub trait Columns {
    /// Names `column` its numbers, at each of its flow's samples.
    fn trace(&self, column: &mut dyn FnMut(&str, f64));
}
