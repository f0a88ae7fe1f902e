//! The flow control of today's receivers, as they are shipped: clients that download over one stream.
//!
//! Where an end has another first window as a server, the client's is here. Commits of the sources:
//! quinn 8192ed39, noq 34f75c49, s2n-quic a33d369b9, quiche e97798e1, neqo 80ca01eea, picoquic
//! d199d45b, quicly b11d3634, tquic 2a57740, quic-go 2cfe6ee0b, msquic 4984c210f, mvfst 979f26a93,
//! ngtcp2 f3af8b14, lsquic 1954740, aioquic 6d36838, Go x/net 0ca694d2, curl 5c61e16869,
//! google/quiche f44fa9f33, Firefox 14565d2c.

use super::{Clock, CreditOptions, FlowControlOptions, Multiple, Update, WindowGrowth};
use flowstart_control::named;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

const EIGHTH: Update = Update::Share(1, 8);
const TENTH: Update = Update::Share(1, 10);
const QUARTER: Update = Update::Share(1, 4);
const HALF: Update = Update::Share(1, 2);
const OVER_HALF: Update = Update::MoreThanShare(1, 2);
const OVER_QUARTER: Update = Update::MoreThanShare(1, 4);

/// Faster than a window in four round trips (quic-go, `flowcontrol/base_flow_controller.go`).
const QUIC_GO: WindowGrowth = WindowGrowth::DoubleByRate {
    rtts: 4,
    clock: Clock::FirstData,
    over_half: true,
};
/// Likewise, from the opening on (msquic, `stream_recv.c` 770-880).
const MSQUIC: WindowGrowth = WindowGrowth::DoubleByRate {
    rtts: 4,
    clock: Clock::Open,
    over_half: false,
};

named! {
    /// Whose receiver offers the windows of flow control (RFC 9000 §4).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ReceiverName {
        /// None: no flow control.
        None = "none",
        /// quinn 0.11.19 and noq 1.4.0: 1.25 MB, updated by eighths.
        Quinn = "quinn",
        /// s2n-quic 1.88: 3.75 MB, updated by tenths.
        S2n = "s2n",
        /// quiche's applications since 0.29.3: 1 MB of a stream, 10 MB in total, which double.
        Quiche = "quiche",
        /// quiche's applications up to 0.29.2: 1 MB, then windows from 32 KiB on, which double.
        QuicheBefore0293 = "quiche-0.29.2",
        /// neqo: 1 MiB of a stream, 2 MiB in total, which grow by what exceeds them.
        Neqo = "neqo",
        /// picoquic: 2 MiB of a stream, 1 MiB in total; limits multiply.
        Picoquic = "picoquic",
        /// quicly: 1 MiB of a stream, updated by halves.
        Quicly = "quicly",
        /// tquic: 5 MiB of a stream, 10 MiB in total, which double.
        Tquic = "tquic",
        /// quic-go: 512 KiB of a stream, 768 KiB in total, which double.
        QuicGo = "quic-go",
        /// msquic: 64 KiB of a stream, which doubles.
        Msquic = "msquic",
        /// mvfst: 66,560 bytes of a stream.
        Mvfst = "mvfst",
        /// ngtcp2's client: 16 MiB of a stream, 24 MiB in total.
        Ngtcp2 = "ngtcp2",
        /// lsquic: 6 MiB of a stream, 15 MiB in total.
        Lsquic = "lsquic",
        /// aioquic: 1 MiB; limits double.
        Aioquic = "aioquic",
        /// Go's x/net/quic: 1 MiB, updated by eighths.
        GoQuic = "go-quic",
        /// Chrome: 6 MiB of a stream, 15 MiB in total.
        Chrome = "chrome",
        /// Firefox: 12 MiB of a stream, 24 MiB in total.
        Firefox = "firefox",
        /// curl with ngtcp2: 10 MiB of a stream.
        Curl = "curl",
    }
}

impl ReceiverName {
    /// Its flow control; `None` where it has none.
    pub fn options(self) -> Option<FlowControlOptions> {
        let fixed = CreditOptions::fixed;
        let doubling =
            |first, max, update| fixed(first, update).growing(WindowGrowth::double(2), max);
        let stream = FlowControlOptions::of_stream;
        Some(match self {
            ReceiverName::None => return None,
            // config/transport.rs 366-379; streams/state.rs 976-996.
            ReceiverName::Quinn => stream(fixed(1_250_000, EIGHTH)),
            // s2n-quic-core transport/parameters/mod.rs 619-692; stream/receive_stream.rs 191-215.
            ReceiverName::S2n => stream(fixed(3_750_000, TENTH)).under(fixed(3_750_000, TENTH)),
            // apps/src/args.rs 233-235; flowcontrol.rs 95-133; lib.rs 485-489.
            ReceiverName::Quiche => stream(doubling(1_000_000, 16 * MIB, OVER_HALF))
                .under(doubling(10_000_000, 24 * MIB, OVER_HALF))
                .lifting_connection(),
            ReceiverName::QuicheBefore0293 => stream(CreditOptions {
                window: 32 * KIB,
                ..doubling(1_000_000, 16 * MIB, OVER_HALF)
            })
            .under(CreditOptions {
                window: 48 * KIB,
                ..doubling(10_000_000, 24 * MIB, OVER_HALF)
            })
            .lifting_connection(),
            // fc.rs 38-46 and 354-450; params.rs 51-87.
            ReceiverName::Neqo => stream(excess(MIB, 10 * MIB))
                .under(excess(2 * MIB, 20 * MIB))
                .answering_blocked(),
            // quicctx.c 1386-1392; cc_common.c 291-304; frames.c 1519, 4535-4560.
            ReceiverName::Picoquic => stream(multiple(2 * MIB, Multiple::ByRtt))
                .under(multiple(MIB, Multiple::ByRtt).counting_arrivals()),
            // defaults.c 38-45; quicly.c 1032-1063; maxsender.h 85-97.
            ReceiverName::Quicly => stream(fixed(MIB, HALF))
                .under(fixed(16 * MIB, HALF).counting_arrivals())
                .answering_blocked(),
            // lib.rs 378-394; flowcontrol.rs; connection.rs 2264-2320.
            ReceiverName::Tquic => stream(doubling(5 * MIB, 6 * MIB, OVER_HALF))
                .under(doubling(10 * MIB, 15 * MIB, OVER_HALF))
                .lifting_connection(),
            // internal/protocol/params.go 20-37.
            ReceiverName::QuicGo => stream(fixed(512 * KIB, QUARTER).growing(QUIC_GO, 6 * MIB))
                .under(fixed(768 * KIB, QUARTER).growing(QUIC_GO, 15 * MIB))
                .lifting_connection(),
            // quicdef.h 243-253 and 355. Its offers with each ACK are left out.
            ReceiverName::Msquic => stream(fixed(64 * KIB, QUARTER).growing(MSQUIC, 16 * MIB))
                .under(fixed(16 * MIB, QUARTER)),
            // QuicConstants.h 596-597; QuicFlowController.cpp 23-60.
            ReceiverName::Mvfst => stream(fixed(66_560, OVER_HALF))
                .under(fixed(MIB, OVER_HALF))
                .answering_blocked(),
            // examples/client.cc; ngtcp2_conn.c 3263-3282 and 3673-3700.
            ReceiverName::Ngtcp2 => {
                stream(fixed(16 * MIB, OVER_QUARTER)).under(fixed(24 * MIB, OVER_QUARTER))
            }
            // lsquic.h 283-301 and 520-558. Chrome: quic_session.cc 176-186.
            ReceiverName::Lsquic | ReceiverName::Chrome => {
                stream(fixed(6 * MIB, OVER_HALF)).under(fixed(15 * MIB, OVER_HALF))
            }
            // connection.py 3285-3315 and 3575-3603.
            ReceiverName::Aioquic => stream(multiple(MIB, Multiple::Two).counting_arrivals())
                .under(multiple(MIB, Multiple::Two).counting_arrivals()),
            // config.go 36-52; stream.go 363.
            ReceiverName::GoQuic => stream(fixed(MIB, EIGHTH)).under(fixed(MIB, EIGHTH)),
            // StaticPrefList.yaml, above neqo's maximum; fc.rs.
            ReceiverName::Firefox => stream(fixed(12 * MIB, OVER_QUARTER))
                .under(fixed(24 * MIB, OVER_QUARTER))
                .answering_blocked(),
            // cf-ngtcp2-cmn.h 76-80; cf-ngtcp2.c 163-232: the stream's at its request.
            ReceiverName::Curl => stream(fixed(10 * MIB, Update::Bytes(8 * KIB + 1))),
        })
    }
}

/// neqo's growth.
const fn excess(first: u64, max: u64) -> CreditOptions {
    CreditOptions::fixed(first, OVER_QUARTER).growing(WindowGrowth::Excess, max)
}

/// A limit that is multiplied.
const fn multiple(first: u64, multiple: Multiple) -> CreditOptions {
    CreditOptions::fixed(first, Update::HalfOfLimit)
        .growing(WindowGrowth::LimitMultiple(multiple), u64::MAX)
}
