//! Interface of the forms of Paced Chirping.

use super::train::{Chirp, Plan, Train};
use crate::model::round_trips::RoundTrips;
use crate::signals::RateSample;
use crate::{Duration, Instant, Reason, Segments, Window};

/// What a form may go by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) now: Instant,
    pub(super) rtts: RoundTrips,
    /// The queueing delay of the newest packet that an acknowledgement covers, nanoseconds.
    pub(super) delay: u64,
    /// Number of segments in flight.
    pub(super) flight: Segments,
    pub(super) mss: u32,
    pub(super) sample: Option<RateSample>,
}

/// What is to leave next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Chirp(Plan),
    /// So many packets at once.
    Unchirped(usize),
    Halt,
}

/// End of chirping and the window left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    /// With this window, as the threshold too where there is a reason; without, slow start
    /// continues.
    Now {
        window: Segments,
        reason: Option<Reason>,
    },
    /// With what is out after more than so many acknowledgements, until which packets are this far
    /// apart, nanoseconds.
    AfterAcks {
        window: Segments,
        gap: u64,
        acks: u64,
    },
}

/// Window after a loss during chirping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Answer {
    /// This window, which is also the threshold.
    Window(Segments),
    /// The avoidance's reduction of this.
    Avoidance(Segments),
}

/// One form of the code.
pub(super) trait Form: Send {
    /// Takes the round trip of the handshake.
    fn open(&mut self, _rtt: Option<Duration>) {}

    fn wants_delivery(&self) -> bool {
        false
    }

    /// Decides what follows when no chirp is being sent.
    fn next(&mut self, m: &Moment, train: &Train, w: &Window) -> Next;

    /// An acknowledgement, before its packets.
    fn on_ack(&mut self, _m: &Moment) -> Option<End> {
        None
    }

    /// The next packet of `chirp` is acknowledged, its delay noted.
    fn on_packet(&mut self, chirp: &Chirp, m: &Moment) -> Option<End>;

    /// All packets up to `una` have been dealt with.
    fn after_packets(&mut self, _una: u64, _train: &Train) {}

    /// A loss, with so many segments out.
    fn on_loss(&mut self, flight: Segments) -> Answer;
}

/// An instant on a path of this round trip, without a queue and with ten segments out.
#[cfg(test)]
pub(super) fn moment(rtt: Duration) -> Moment {
    let mut rtts = RoundTrips::default();
    rtts.sample(Some(rtt));
    Moment {
        now: Instant::ZERO + rtt,
        rtts,
        delay: 0,
        flight: 10.0,
        mss: 1460,
        sample: None,
    }
}
