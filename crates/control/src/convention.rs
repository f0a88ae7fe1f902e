//! Whose defaults algorithms take.

/// Whose conventions an algorithm follows where its sources leave a choice open.
///
/// It selects defaults only; every choice is also a named parameter of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Convention {
    /// The standards as written today.
    #[default]
    Rfc,
    /// ns-2.35's one-way agents: windows counted in packets, one increment per ACK.
    Ns2,
    /// A current Linux kernel.
    Linux,
    /// QUIC (RFC 9002): windows in bytes, every packet its own acknowledgement.
    Quic,
}
