//! The flow control of today's receivers, as they are shipped, for one stream: clients that download,
//! and servers that take an upload where their name contains `server`.
//!
//! Where a QUIC stack has another first window as a server, the client's is here. Commits of the sources:
//! quinn 8192ed39, noq 34f75c49, s2n-quic a33d369b9, quiche e97798e1, neqo 80ca01eea, picoquic
//! d199d45b, quicly b11d3634, tquic 2a57740, quic-go 2cfe6ee0b, msquic 4984c210f, mvfst 979f26a93,
//! ngtcp2 f3af8b14, lsquic 1954740, aioquic 6d36838, Go x/net 0ca694d2, curl 5c61e16869,
//! google/quiche f44fa9f33, Firefox 14565d2c, golang/net 0ca694d2, grpc-go 4793ad047, hyper 8fcaf1a6,
//! hyperium/h2 3850acd, nginx 3f6f7824d, h2o edd7a120b, go-yamux 78c3484, rust-yamux 9837f54.

use super::{Clock, CreditOptions, FlowControlOptions, MOST_AHEAD, Multiple, Update, WindowGrowth};
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

/// By the rate of a window in a round trip (.NET's HTTP/2).
const DOT_NET: WindowGrowth = WindowGrowth::DoubleByRate {
    rtts: 1,
    clock: Clock::FirstData,
    over_half: false,
};
/// The largest DATA frame of HTTP/2 by default (RFC 9113 §6.5.2), and record of TLS (RFC 8446 §5.1).
const FRAME: u64 = 16 * KIB;
/// The first windows of HTTP/2 until a peer reports others (RFC 9113 §6.9.2).
const HTTP_2: u64 = 65_535;

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
        /// Chrome: 6 MiB of a stream, 15 MiB in total, over QUIC and HTTP/2.
        Chrome = "chrome",
        /// Firefox: 12 MiB of a stream, 24 MiB in total; over HTTP/2 12 MiB.
        Firefox = "firefox",
        /// curl: 10 MiB of a stream, over QUIC (ngtcp2) and HTTP/2.
        Curl = "curl",
        /// nginx as a server: 64 KiB over QUIC; over HTTP/2 no limit once it reads the upload.
        Nginx = "nginx",
        /// Go's client of HTTP/2: 4 MiB of a stream.
        Go = "go",
        /// Go's server of HTTP/2: 1 MiB of an upload.
        GoServer = "go-server",
        /// grpc-go: 64 KiB, then twice what a round trip brings, up to 16 MiB.
        GrpcGo = "grpc-go",
        /// grpc-go up to 1.16: likewise, up to 4 MiB.
        GrpcGo116 = "grpc-go-1.16",
        /// hyper's client: 2 MiB of a stream, 5 MiB in total.
        Hyper = "hyper",
        /// .NET's client: 64 KiB of a stream, which doubles.
        DotNet = "dotnet",
        /// Node.js and nghttp2's defaults: 64 KiB.
        Node = "node",
        /// h2o as a server: 16 MiB of an upload.
        H2o = "h2o",
        /// go-yamux: 256 KiB of a stream, which doubles.
        GoYamux = "go-yamux",
        /// rust-yamux: 256 KiB of a stream, which doubles.
        RustYamux = "rust-yamux",
        /// rust-yamux up to 0.12: 256 KiB of a stream.
        RustYamux012 = "rust-yamux-0.12",
    }
}

impl ReceiverName {
    /// Its flow control over TCP, of HTTP/2 or yamux; `None` where it has none.
    pub fn above_tcp(self) -> Option<FlowControlOptions> {
        let fixed = CreditOptions::fixed;
        let stream = |credit| FlowControlOptions::of_stream(credit).in_frames(FRAME);
        let yamux = |rtts, max| {
            let clock = Clock::Open;
            stream(fixed(256 * KIB, HALF).growing(WindowGrowth::Double { rtts, clock }, max))
        };
        Some(match self {
            ReceiverName::Chrome => {
                stream(fixed(6 * MIB, OVER_HALF)).under(fixed(15 * MIB, OVER_HALF))
            }
            // 128 KiB by SETTINGS, and 12 MiB with the request.
            ReceiverName::Firefox => stream(fixed(12 * MIB + 128 * KIB, Update::Bytes(4 * MIB))),
            // lib/http2.c 60-86, 300-345 and 2478.
            ReceiverName::Curl => stream(fixed(10 * MIB, HALF)).under(fixed(1000 * MIB, HALF)),
            // ngx_http_v2.c 280, 979, 1023 and 4070: 2^31 - 1, as far as this simulator counts ahead.
            ReceiverName::Nginx => stream(upload(MOST_AHEAD)).under(upload(MOST_AHEAD)),
            // http2/flow.go; http2/transport.go: 1 GiB in total.
            ReceiverName::Go => stream(fixed(4 * MIB, Update::Bytes(4 * KIB))),
            // http2/config.go 105-112.
            ReceiverName::GoServer => stream(upload(MIB)).under(upload(MIB)),
            // internal/transport/flowcontrol.go and bdp_estimator.go.
            ReceiverName::GrpcGo => grpc_go(16 * MIB),
            // The cap before #2455.
            ReceiverName::GrpcGo116 => grpc_go(4 * MIB),
            // hyper: proto/h2/client.rs; h2: proto/streams/flow_control.rs.
            ReceiverName::Hyper => {
                stream(fixed(2 * MIB, Update::HalfOfRest)).under(fixed(5 * MIB, Update::HalfOfRest))
            }
            ReceiverName::DotNet => stream(fixed(HTTP_2, EIGHTH).growing(DOT_NET, 16 * MIB))
                .under(fixed(64 * MIB, EIGHTH)),
            ReceiverName::Node => stream(fixed(HTTP_2, HALF)).under(fixed(HTTP_2, HALF)),
            // http2.h 35-36; connection.c 180, 600 and 986.
            ReceiverName::H2o => stream(upload(16 * MIB)).under(upload(16 * MIB)),
            ReceiverName::GoYamux => yamux(4, 16 * MIB),
            ReceiverName::RustYamux => yamux(2, MOST_AHEAD),
            ReceiverName::RustYamux012 => stream(fixed(256 * KIB, HALF)),
            _ => return None,
        })
    }

    /// Its flow control of QUIC; `None` where it has none.
    pub fn of_quic(self) -> Option<FlowControlOptions> {
        let fixed = CreditOptions::fixed;
        let doubling =
            |first, max, update| fixed(first, update).growing(WindowGrowth::double(2), max);
        let stream = FlowControlOptions::of_stream;
        Some(match self {
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
            // ngx_event_quic_streams.c 974, 1377-1403 and 1739-1778.
            ReceiverName::Nginx => stream(fixed(64 * KIB, HALF)).answering_blocked(),
            _ => return None,
        })
    }
}

/// grpc-go's, with the largest estimate in bytes. A transfer is one message, and the stream of one
/// that is longer than its window gets the whole size at once.
const fn grpc_go(largest: u64) -> FlowControlOptions {
    FlowControlOptions::of_stream(CreditOptions::UNLIMITED)
        .under(CreditOptions::fixed(HTTP_2, QUARTER))
        .in_frames(FRAME)
        .estimating(largest)
}

/// A server's window for an upload, in bytes. The client begins before the server's SETTINGS have
/// come, which answer its first data.
const fn upload(window: u64) -> CreditOptions {
    CreditOptions::fixed(HTTP_2, HALF).growing(WindowGrowth::Jump, window)
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
