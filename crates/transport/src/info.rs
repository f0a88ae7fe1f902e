//! The sender's state in segments, as in Linux's `tcp_info`.

/// The state of a sender's recovery (Linux's `tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaState {
    /// Nothing is wrong.
    Open = 0,
    /// Something is missing that may yet come.
    Disorder = 1,
    /// The window comes down for a mark.
    Cwr = 2,
    /// Something is lost and is being repaired.
    Recovery = 3,
    /// The retransmission timer has expired.
    Loss = 4,
}

/// What is out, and what has become of it. All in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The state of recovery.
    pub ca_state: CaState,
    /// Sent and not cumulatively acknowledged.
    pub unacked: u64,
    /// Of these, SACKed; without SACK, as many as duplicate acknowledgements stand for.
    pub sacked: u64,
    /// Of these, lost, whether sent again since or not.
    pub lost: u64,
    /// Of these, sent again and still on their way.
    pub retrans: u64,
    /// By how many segments the path is known to reorder; three where it never has.
    pub reordering: u64,
    /// How often it has reordered.
    pub reordering_seen: u64,
}
