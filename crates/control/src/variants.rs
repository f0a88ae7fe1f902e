//! Variants of algorithms that stacks have.

use crate::named;

named! {
    /// Whose CUBIC.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CubicVariant {
        /// The standard.
        Rfc9438 = "rfc9438",
        /// A current Linux kernel.
        Linux = "linux",
        /// Linux 2.6.22.
        V2008 = "2008",
        /// quinn-proto 0.11.19.
        Quinn = "quinn",
        /// noq-proto 1.4.0.
        Noq = "noq",
        /// quiche 0.30.0.
        Quiche = "quiche",
        /// s2n-quic-core 0.91.0.
        S2n = "s2n",
        /// quicly at b11d363.
        Quicly = "quicly",
        /// neqo 0.30.1.
        Neqo = "neqo",
    }
}

named! {
    /// Whose HyStart.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HyStartVariant {
        /// The paper.
        Seed2008 = "2008",
        /// Its journal version.
        Seed2011 = "2011",
        /// Linux from 2.6.29 on.
        Linux2629 = "linux-2.6.29",
        /// Linux from 3.19 on.
        Linux319 = "linux-3.19",
        /// Linux from 5.6 on.
        Linux56 = "linux-5.6",
        /// picoquic 1.1.52.
        Picoquic = "picoquic",
        /// s2n-quic-core 0.91.0.
        S2n = "s2n",
    }
}

named! {
    /// The source of a BBR.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BbrSource {
        /// As in Linux since 4.9.
        V1 = "v1",
        /// As in the draft draft-ietf-ccwg-bbr.
        V3 = "v3",
        /// As in google/bbr, branch v3.
        V3Linux = "v3-linux",
        /// As in quinn-proto 0.11: [`BbrQuinn`](super::bbr_quinn::BbrQuinn).
        Quinn = "quinn",
        /// As in cloudflare/quiche.
        Quiche = "quiche",
        /// As in google/quiche.
        GoogleQuiche = "google-quiche",
    }
}

/// What a reduction makes of the segments that count towards the next increase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountAfterLoss {
    /// The count restarts; a spurious reduction restores it.
    #[default]
    Restarts,
    /// It restarts for good: `tcp_init_cwnd_reduction` and `tcp_enter_loss` of Linux reset
    /// `snd_cwnd_cnt`, and `tcp_undo_cwnd_reduction` leaves it.
    StaysReset,
    /// It continues (`bytes_acked` of quinn-proto's and noq-proto's `congestion/new_reno.rs`, `stash`
    /// of quicly's `lib/cc-reno.c`).
    Continues,
    /// Half of the window is counted (`congestion_event` of quiche 0.30.0's
    /// `recovery/congestion/reno.rs`).
    HalfWindow,
}

/// When round-trip times are judged, where implementations differ from RFC 9406.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judging {
    /// As the text has it.
    Text,
    /// As quiche: the first round is that of the handshake's first packet, and every eighth sample of
    /// conservative slow start is judged.
    Quiche,
    /// As neqo (0.30.1 at 80ca01e, `cc/hystart.rs`, `on_packets_acked`): an ACK is judged before the
    /// window grows with it, conservative slow start counts its samples from its beginning on, and a
    /// round begins as the last one ends.
    Neqo,
}
