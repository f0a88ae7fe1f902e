//! Signals of a transport to its controller.
//!
//! Plain numbers with units, taken at the moment the thing happened. Sequence positions
//! are byte offsets from the first byte of data, so they start at zero.
//!
//! The definitions of the signals, and of the hooks of a startup that receive them, are macros, so that bindings to other languages take names, fields and texts from here.

use crate::{Duration, Instant, Rate, RateCodes, Segments};

/// Passes the definitions of all signals to the macro of this name.
#[macro_export]
macro_rules! signals {
    ($make:ident) => {
        $make! {
            /// A SYN is about to leave: a startup may request a rate of the routers (RFC 4782).
            #[derive(Clone, Copy, Debug)]
            pub struct Syn {
                /// Bytes the application has queued.
                pub queued: u64,
                /// Maximum segment size, bytes of payload.
                pub mss: u32,
                /// Bytes that a full-size segment has on the wire beyond its payload.
                pub header: u32,
                /// How rates are coded on this network.
                pub codes: RateCodes,
            }

            /// Knowledge of the path from other sources than the handshake. Reported before
            /// [`Established`], by a transport that has any.
            #[derive(Clone, Copy, Debug, Default)]
            pub struct PathInfo {
                /// Rate that the routers approved, headers included; `None` where the request was
                /// refused, not answered, or found not valid.
                pub approved: Option<Rate>,
                /// The round-trip time of the handshake as it was, where [`Established`] has it
                /// rounded.
                pub exact_rtt: Option<Duration>,
                /// The rate of the sender's own interface.
                pub interface_rate: Option<Rate>,
                /// Cached state of an earlier connection.
                pub memory: Option<PathMemory>,
            }

            /// What a connection knew of its path when it was last used (RFC 9040).
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub struct PathMemory {
                /// Its congestion window.
                pub cwnd: Segments,
                /// Its threshold.
                pub ssthresh: Segments,
                /// Its smoothed round-trip time.
                pub srtt: Duration,
                /// The variation of that.
                pub rttvar: Duration,
                /// Its minimum RTT.
                pub min_rtt: Duration,
                /// Bytes of payload that a round trip delivered, the last in which it had enough to
                /// send.
                pub delivered: u64,
                /// How fast these arrived, payload only; zero where no round was measured.
                pub rate: Rate,
                /// Another connection that is still open uses the same cached state.
                pub in_use: bool,
            }

            /// The peer has measured the spacing at which the two segments of a pair arrived. Reported
            /// before the [`Ack`] that carried it.
            #[derive(Clone, Copy, Debug)]
            pub struct PeerGap {
                /// Time now.
                pub now: Instant,
                /// From the arrival of the first segment of the pair to that of the second.
                pub gap: Duration,
                /// The round-trip time of the newest segment that the ACK covers, from when it
                /// was first sent.
                pub rtt: Option<Duration>,
                /// Position of the next new byte (SND.NXT), before anything is sent in answer.
                pub nxt: u64,
                /// The peer's advertised window in bytes.
                pub peer_window: u64,
            }

            /// The congestion headers of data that the peer has received have come back (XCP).
            /// Reported before the [`Ack`] that brought them.
            #[derive(Clone, Copy, Debug)]
            pub struct Feedback {
                /// Time now.
                pub now: Instant,
                /// The change of throughput that the routers request, bytes per second on the
                /// wire; `None` where no router has written into them.
                pub change: Option<f64>,
                /// The round-trip time of the newest segment that the ACK covers, by Karn's rule.
                pub rtt: Option<Duration>,
                /// Bytes that a full-size segment has on the wire, its congestion header included.
                pub wire: u32,
                /// As the [`Ack`] that follows has it.
                pub cwnd_limited: bool,
            }

            /// The handshake is complete; data may be sent.
            #[derive(Clone, Copy, Debug)]
            pub struct Established {
                /// Time now.
                pub now: Instant,
                /// What the initial-window rule of the stack allows, after any lost SYN.
                pub initial_window: Segments,
                /// Round-trip time of the handshake; `None` if a SYN was sent more than once.
                pub rtt: Option<Duration>,
                /// Bytes the application has queued.
                pub queued: u64,
                /// The peer's advertised window in bytes; `u64::MAX` where nothing limits.
                pub peer_window: u64,
                /// Bytes that a full-size segment has on the wire beyond its payload.
                pub header: u32,
                /// The resolution at which the transport measures and paces, if it is coarse
                /// (ns-2's clock ticks). The RTT above has been rounded to it.
                pub clock: Option<Duration>,
                /// The peer counts marks (RFC 9768), and each [`Ack`] has the number of new ones.
                pub counts_marks: bool,
            }

            /// A data segment has left.
            #[derive(Clone, Copy, Debug)]
            pub struct Sent {
                /// Time now.
                pub now: Instant,
                /// Payload bytes of this segment.
                pub bytes: u32,
                /// Position of its first byte.
                pub seq: u64,
                /// Whether it has been sent before.
                pub retransmission: bool,
                /// Bytes sent and not yet cumulatively acknowledged, this segment included.
                pub flight: u64,
            }

            /// An acknowledgement with news has arrived.
            #[derive(Clone, Copy, Debug)]
            pub struct Ack {
                /// Time now.
                pub now: Instant,
                /// Bytes it acknowledges cumulatively for the first time: by which [`una`](Self::una)
                /// moved.
                pub acked: u64,
                /// Bytes it reports as received for the first time, cumulatively or selectively.
                pub delivered: u64,
                /// Bytes by which the stack lets the window grow: those acknowledged (RFC 5681 §3.1),
                /// those delivered (Linux), or those delivered of packets that left since the last
                /// reduction (RFC 9002 §7.3.2).
                pub credit: u64,
                /// All bytes reported as received so far.
                pub delivered_total: u64,
                /// The round-trip time it gives, by Karn's rule, if it gives one.
                pub rtt: Option<Duration>,
                /// The transport's smoothed round-trip time (RFC 6298 §2), this ACK included; zero
                /// before there is any sample.
                pub srtt: Duration,
                /// Position of the first byte not yet acknowledged (SND.UNA), this ACK included.
                pub una: u64,
                /// Position of the next new byte (SND.NXT), before anything is sent in answer.
                pub nxt: u64,
                /// Bytes in flight as the transport estimates them, this ACK included.
                pub flight: u64,
                /// Whether the congestion window, not the application, the peer or the pacer, was
                /// what held the acknowledged data's flight back. Growth is for those only.
                pub cwnd_limited: bool,
                /// Bytes the application has queued and not yet sent.
                pub queued: u64,
                /// The peer's advertised window in bytes.
                pub peer_window: u64,
                /// Data packets that it reports as marked for the first time; zero where the peer
                /// does not count marks ([`Established::counts_marks`]).
                pub marked: u32,
                /// What it reports of delivery, where the controller needs that.
                pub delivery: Option<Delivery>,
            }

            impl Ack {
                /// Departure of the segment whose round-trip time it gives.
                pub fn sent(&self) -> Option<Instant> {
                    self.rtt.map(|rtt| self.now.saturating_sub(rtt))
                }
            }

            /// What an acknowledgement reports of delivery
            /// (draft-cheng-iccrg-delivery-rate-estimation).
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            pub struct Delivery {
                /// Bytes delivered so far (`C.delivered`).
                pub total: u64,
                /// Bytes delivered since the acknowledgement before.
                pub newly: u64,
                /// Bytes found lost since the acknowledgement before.
                pub lost: u64,
                /// Bytes in flight before it.
                pub in_flight_before: u64,
                /// What a timeout took for lost is not all repaired.
                pub repairing: bool,
                /// The sample of the delivery rate, if it gives a fair one.
                pub sample: Option<RateSample>,
            }

            /// A sample of the delivery rate: what was delivered between the sending of a packet
            /// and its acknowledgement. The packet is the one that left last of those newly
            /// acknowledged.
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            pub struct RateSample {
                /// Bytes that had been delivered when the packet left (`P.delivered`).
                pub prior_delivered: u64,
                /// When the packet left.
                pub sent: Instant,
                /// Bytes delivered since.
                pub delivered: u64,
                /// Duration of that: the longer of the next two.
                pub interval: Duration,
                /// Duration of the sending of what was delivered.
                pub send_interval: Duration,
                /// Duration of its acknowledging.
                pub ack_interval: Duration,
                /// The application, not the network, was the limit when the packet left.
                pub app_limited: bool,
                /// Bytes in flight when the packet had left, itself included.
                pub tx_in_flight: u64,
                /// Bytes found lost since the packet left.
                pub lost: u64,
            }

            /// Loss has been found and recovery begins; at most once per window.
            #[derive(Clone, Copy, Debug)]
            pub struct Loss {
                /// Time now.
                pub now: Instant,
                /// FlightSize: bytes outstanding, less what limited transmit added (RFC 5681 §3.2),
                /// and at most the window.
                pub flight: u64,
                /// The usable window, `min(cwnd, peer's)`: what ns-2 halves.
                pub usable: Segments,
            }

            /// The peer echoes that a queue has marked data (RFC 3168 §6.1): congestion, but
            /// nothing is missing. At most once per window, and not after a loss in it.
            /// [`Recovered`] follows, as it does after a loss: at once, or when the window
            /// has come down.
            #[derive(Clone, Copy, Debug)]
            pub struct Marked {
                /// Time now.
                pub now: Instant,
                /// FlightSize, at most the window.
                pub flight: u64,
                /// The usable window, `min(cwnd, peer's)`.
                pub usable: Segments,
            }

            /// Recovery has ended: everything outstanding when it began is acknowledged.
            #[derive(Clone, Copy, Debug)]
            pub struct Recovered {
                /// Time now.
                pub now: Instant,
                /// Distinct bytes that were retransmitted during this recovery.
                pub retransmitted: u64,
                /// Bytes in flight.
                pub flight: u64,
            }

            /// The retransmission timer has expired with data outstanding.
            #[derive(Clone, Copy, Debug)]
            pub struct Timeout {
                /// Time now.
                pub now: Instant,
                /// Bytes in flight as the transport estimates them; at most what is outstanding.
                pub flight: u64,
                /// The usable window, `min(cwnd, peer's)`.
                pub usable: Segments,
                /// Whether the timer had already retransmitted the oldest segment before: then the
                /// threshold is not lowered again (RFC 5681 §3.1).
                pub repeated: bool,
            }

            /// Data is about to be sent after an idle time longer than the retransmission timeout.
            #[derive(Clone, Copy, Debug)]
            pub struct Idle {
                /// Time now.
                pub now: Instant,
                /// How long nothing was sent.
                pub idle: Duration,
                /// The window that the stack's restart rule allows.
                pub restart_window: Segments,
            }
        }
    };
}

/// Passes to the macro of this name the hooks of [`Startup`](crate::startup::Startup) that receive
/// one event, may edit the window, and do nothing by default. Bindings to other languages have the same.
#[macro_export]
macro_rules! startup_events {
    ($make:ident) => {
        $make! {
            /// The handshake is complete. Slow start has opened `w`; a startup that begins
            /// otherwise changes it.
            on_established(e: Established) -> ();
            /// A data segment has left, `w` already obeyed.
            on_sent(s: Sent) -> Option<Reason>;
            /// An ACK during recovery.
            on_recovery_ack(a: Ack) -> ();
            /// The recovery that a loss began has ended: a startup that has survived the loss may end
            /// here, and one that has set the window itself may report that of the loss.
            on_recovered(r: Recovered) -> Repaired;
        }
    };
}

/// Passes the same kind of hooks of [`Assisted`](crate::startup::Assisted) to the macro of this name.
#[macro_export]
macro_rules! assisted_events {
    ($make:ident) => {
        $make! {
            /// The peer has measured a pair; the ACK that reports it follows.
            on_peer_gap(g: PeerGap) -> Option<Reason>;
            /// The congestion headers of data that the peer has received have come back; the ACK
            /// that brings them follows. Data carries them where `w.congestion_header` is set.
            on_feedback(f: Feedback) -> ();
        }
    };
}

macro_rules! define {
    ($($definitions:item)*) => {
        $($definitions)*
    };
}

signals!(define);

impl Established {
    /// A handshake completed at `now` about which nothing else is known.
    pub fn at(now: Instant) -> Established {
        Established {
            now,
            initial_window: 1.0,
            rtt: None,
            queued: u64::MAX,
            peer_window: u64::MAX,
            header: 40,
            clock: None,
            counts_marks: false,
        }
    }
}

impl RateSample {
    /// The delivery rate, payload only.
    pub fn rate(&self) -> Rate {
        Rate::of(self.delivered, self.interval)
    }

    /// The rate at which what it covers was sent, payload only.
    pub fn sent_rate(&self) -> Rate {
        Rate::of(self.delivered, self.send_interval)
    }
}

impl Ack {
    /// An ACK of `acked` bytes at `now` in a flight that fills the window, for tests and
    /// transports that know no more.
    pub fn of(now: Instant, acked: u64) -> Ack {
        Ack {
            now,
            acked,
            delivered: acked,
            credit: acked,
            delivered_total: acked,
            rtt: None,
            srtt: Duration::ZERO,
            una: acked,
            nxt: acked,
            flight: 0,
            cwnd_limited: true,
            queued: u64::MAX,
            peer_window: u64::MAX,
            marked: 0,
            delivery: None,
        }
    }
}

impl From<&Marked> for Loss {
    /// Loss in place of a mark, for algorithms that treat both alike.
    fn from(m: &Marked) -> Loss {
        Loss {
            now: m.now,
            flight: m.flight,
            usable: m.usable,
        }
    }
}
