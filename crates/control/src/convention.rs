//! Defaults of algorithms, by stack.

/// Convention that an algorithm follows where its sources leave a choice open.
///
/// It selects the defaults of the algorithm's parameters. A few details that go with a stack have
/// no parameter: ns-2's first threshold where `ssthresh` is not given, the rounding
/// of Quick-Start's request, what Fast Start remembers when sending resumes, and the gains of
/// BBR v1, which the kernel holds in 256ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Convention {
    /// The standards as written today.
    #[default]
    Rfc,
    /// ns-2.35's one-way agents: windows counted in packets, one increment per ACK.
    Ns2,
    /// Conventions of a current Linux kernel.
    Linux,
    /// QUIC (RFC 9002): windows in bytes, every packet its own acknowledgement.
    Quic,
    /// quinn-proto 0.11.
    Quinn,
    /// noq-proto 1.4.
    Noq,
    /// quiche 0.30.
    Quiche,
    /// s2n-quic 1.91.
    S2n,
    /// quicly at b11d363.
    Quicly,
    /// picoquic 1.1.52.
    Picoquic,
    /// neqo 0.30.
    Neqo,
}

impl Convention {
    /// Whether it is that of a QUIC stack.
    pub fn is_quic(self) -> bool {
        !matches!(self, Convention::Rfc | Convention::Ns2 | Convention::Linux)
    }
}
