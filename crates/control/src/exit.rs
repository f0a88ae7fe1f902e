//! Leaving startup: why, when, and with which window.

use crate::{Instant, Segments};

/// Reason for which a startup ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A round's ACK train grew as long as the path (HyStart).
    AckTrain,
    /// Round-trip times rose above a threshold.
    Delay,
    /// The sender detected a loss.
    Loss,
    /// The retransmission timer expired during startup.
    Timeout,
    /// The window reached the threshold.
    Ssthresh,
    /// The first acknowledgement of data arrived (Jump Start).
    FirstAck,
    /// Everything that was to be sent at start had been sent (Jump Start).
    AllSent,
    /// An estimate of the path was ready.
    Estimate,
    /// A router approved a rate.
    Router,
    /// Delivery stopped growing (SEARCH, BBR).
    FullPipe,
    /// An ACK reported a congestion mark.
    Ecn,
}

/// The record of leaving startup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exit {
    /// Reason for which the startup ended.
    pub reason: Reason,
    /// Time at which the sender detected it.
    pub at: Instant,
    /// The window just before the change.
    pub cwnd: Segments,
    /// Bytes in flight at that moment.
    pub flight: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_written_as_the_tables_have_them() {
        let text = |reason| serde_json::to_string(&reason).unwrap();
        assert_eq!(text(Reason::AckTrain), "\"ack-train\"");
        assert_eq!(text(Reason::FullPipe), "\"full-pipe\"");
        assert_eq!(text(Reason::Ssthresh), "\"ssthresh\"");
    }
}
