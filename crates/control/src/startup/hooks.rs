//! Hooks of a startup, and its response to congestion.

use crate::model::Model;
use crate::signals::{
    Ack, Established, Feedback, Idle, Loss, Marked, PathInfo, PeerGap, Recovered, Sent, Syn,
    Timeout,
}; // All of them: the macros name what their hooks receive.
use crate::slow_start::SlowStart;
use crate::{Rate, Reason, Segments, Window};

/// Evidence that the path is full.
#[derive(Clone, Copy, Debug)]
pub enum Congestion {
    /// Data was lost.
    Loss(Loss),
    /// A queue has marked data.
    Mark(Marked),
    /// The retransmission timer expired.
    Timeout(Timeout),
}

impl Congestion {
    /// Whether it is a timeout.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Congestion::Timeout(_))
    }
}

/// What sets the window after congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The avoidance, by its own rule.
    Standard,
    /// The startup, which has set it.
    Done,
    /// The startup, which has set it and sets it all through the recovery, so that the transport
    /// does not reduce it proportionally (RFC 9937).
    SelfManaged,
}

/// A startup's response to congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// What sets the window.
    pub reduction: Reduction,
    /// Whether the startup is over.
    pub ends: bool,
}

impl Response {
    /// The startup is over, and the avoidance reduces the window.
    pub const STANDARD: Response = Response::ends(Reduction::Standard);

    /// The startup is over.
    pub const fn ends(reduction: Reduction) -> Response {
        Response {
            reduction,
            ends: true,
        }
    }

    /// The startup continues. With [`Reduction::Done`] for a mark, growth does too.
    pub const fn continues(reduction: Reduction) -> Response {
        Response {
            reduction,
            ends: false,
        }
    }
}

/// The end of a recovery, for a startup.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Repaired {
    /// Nothing changes.
    #[default]
    Continues,
    /// A startup that survived the loss is over.
    Ends(Reason),
    /// A startup that set the window for the loss has found the one at which the path is full: the
    /// avoidance continues as after a loss there.
    LossAt(Segments),
}

impl From<Option<Segments>> for Repaired {
    fn from(window: Option<Segments>) -> Repaired {
        window.map_or(Repaired::Continues, Repaired::LossAt)
    }
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

/// A startup: from the handshake until the path is measured.
///
/// An implementation edits the window and reports, once, that its work is done. It must
/// not assume that it is called for every packet of the path, only for its own flow's.
///
/// Most need [`on_ack`](Self::on_ack), some [`on_established`](Self::on_established) and
/// [`on_congestion`](Self::on_congestion); the defaults of the others are right for nearly all. The
/// [`Controller`](crate::Controller) does what startups have in common: it opens the window
/// with [`SlowStart`], and limits growth after a timeout.
pub trait Startup: Send {
    /// An ACK of new data outside recovery, while this startup is in charge: grow, and
    /// say so when the startup is over. A startup that leaves without loss sets
    /// `ssthresh` itself. `slow_start` has the growth rule of this stack and these parameters.
    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason>;

    crate::startup_events!(hooks);

    /// Congestion: ends what is under way, and takes back pacing and tags. `w` is as before it.
    /// Most treat a mark as a loss (RFC 3168 §5).
    fn on_congestion(&mut self, _w: &mut Window, _c: &Congestion) -> Response {
        Response::STANDARD
    }

    /// The last loss or timeout was spurious: what it took for lost has arrived. The transport has
    /// restored the window and the threshold. True where a startup that is in charge grows as
    /// before the loss.
    fn on_spurious(&mut self, _w: &mut Window) -> bool {
        true
    }

    /// Sending resumes after an idle time; the stack's restart rule has been applied to `w`,
    /// which was `before`. True where this startup begins anew.
    fn on_idle(&mut self, _w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        false
    }

    /// Whether it needs [`Ack::delivery`]. Read once, at the beginning.
    fn wants_delivery(&self) -> bool {
        false
    }

    /// Whether one that needs [`Ack::delivery`] still reads its samples. Once it does not, the
    /// transport may count deliveries and losses alone.
    fn reads_samples(&self) -> bool {
        true
    }

    /// Whether it sets the window at every ACK, in recovery too. While it does, all ACKs are its
    /// [`on_ack`](Self::on_ack)'s, and it alone responds to losses, timeouts and idle times.
    fn owns_cwnd(&self) -> bool {
        false
    }

    /// The model that it leaves to an avoidance that can continue with it, now that it ends without
    /// a loss: its own view of the path, or what path and queue hold
    /// ([`Capacity`](crate::model::capacity::Capacity)).
    fn export_model(&mut self) -> Option<Box<dyn Model>> {
        None
    }

    /// The hooks of a startup that routers, the peer, cached state or its interface assist.
    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        None
    }

    /// Separate columns for the trace.
    fn columns(&self) -> Option<&dyn Columns> {
        None
    }

    /// Whether this startup's growth rule applies rather than the avoidance's.
    fn in_charge(&self, w: &Window) -> bool {
        w.in_slow_start()
    }
}

/// A startup that routers, the peer, cached state or its interface assist.
pub trait Assisted {
    /// Knowledge of the path from other sources than the handshake, which is reported after it.
    fn on_known(&mut self, _k: &PathInfo) {}

    crate::assisted_events!(hooks);

    /// Rate, headers included, that the SYN requests of the routers.
    fn rate_request(&self, _s: &Syn) -> Option<Rate> {
        None
    }
}

/// A startup with separate columns for the trace.
pub trait Columns {
    /// Names `column` its numbers, at each of its flow's samples.
    fn trace(&self, column: &mut dyn FnMut(&str, f64));
}

/// Maker of startups with the same parameters, one for each flow.
pub type Maker = dyn Fn() -> Box<dyn Startup> + Send + Sync;

/// Maker of copies of a startup.
pub fn copies(prototype: impl Startup + Clone + Sync + 'static) -> Box<Maker> {
    Box::new(move || Box::new(prototype.clone()))
}
