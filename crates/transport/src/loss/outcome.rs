//! What a loss detector finds out, in terms that do not depend on the detector.

/// What a detector has found out from an acknowledgement, besides what is in its signal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckOutcome {
    /// What the acknowledgement is to the controller; `None` for nothing.
    pub role: Option<AckRole>,
    /// Further events, mostly none.
    pub events: Option<Events>,
}

/// What happens to a recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Events {
    /// The last reduction was for nothing.
    pub undone: bool,
    /// A recovery is over, or a reduction for a mark.
    pub ended: bool,
    /// Something is to be repaired.
    pub began: Option<CongestionEvent>,
    /// All that left over a long time was lost (RFC 9002 §7.6).
    pub persistent: bool,
    /// Segments that a partial acknowledgement takes from the window (RFC 6582 §3.2 step 5).
    pub deflation: Option<u64>,
    /// How far a window that comes down by and by may come now.
    pub step: Option<Step>,
}

impl AckOutcome {
    /// The controller is notified of the events, and not of the acknowledgement.
    pub(super) fn events(events: Events) -> AckOutcome {
        AckOutcome {
            role: None,
            events: Some(events),
        }
    }
}

impl Events {
    /// A recovery begins.
    pub(super) fn begin(began: CongestionEvent) -> Events {
        Events {
            began: Some(began),
            ..Events::default()
        }
    }

    /// What comes before the loss, where ACKs let the window grow in between.
    pub(crate) fn before_loss(&self) -> Events {
        Events {
            began: None,
            persistent: false,
            ..*self
        }
    }

    /// The loss alone.
    pub(crate) fn of_loss(&self) -> Events {
        Events {
            began: self.began,
            persistent: self.persistent,
            ..Events::default()
        }
    }

    /// Whether anything happens at once.
    pub(super) fn any(&self) -> bool {
        self.undone | self.ended | self.persistent | self.began.is_some()
    }

    /// A recovery is over.
    pub(super) fn end() -> Events {
        Events {
            ended: true,
            ..Events::default()
        }
    }
}

/// How a recovery begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CongestionEvent {
    /// With a reduction.
    Reduction {
        /// Bytes of the flight that are due to limited transmit.
        added: u64,
        /// The retransmission timer starts anew.
        timed: bool,
    },
    /// With slow start, from one segment (Tahoe).
    SlowStart {
        /// Bytes of the flight that are due to limited transmit.
        added: u64,
    },
    /// The window comes down already, for a mark: there is only something to repair.
    Repair,
    /// And is over: a probe has repaired what was lost.
    Repaired,
}

/// A step of a reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Bytes newly delivered.
    pub delivered: u64,
    /// SND.UNA moved and no more was found lost (RFC 9937 §6).
    pub safe: bool,
    /// Bytes in flight.
    pub in_flight: u64,
}

/// The parts that are notified of an acknowledgement, and as what. A controller may own the window:
/// then the transport's rules of growth and recovery are not for it, and it hears more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AckRole {
    /// To every controller, as one that lets the window grow.
    Growth,
    /// To every controller, as one during a recovery.
    Recovery,
    /// To one that owns the window as growth, to others as one during a recovery.
    Held,
    /// To one that owns the window only, as growth.
    OwnerGrowth,
    /// To one that owns the window only, as one during a recovery.
    OwnerRecovery,
    /// The same, and others do not count what was delivered either.
    OwnerOnly,
}
