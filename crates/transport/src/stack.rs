//! A stack: a whole set of endpoint behaviours, as a plain struct with presets.

mod choices;
mod messages;
mod omission;
mod preset;
mod presets;

pub use choices::{
    EcnMode, Filling, LossResponse, NewRenoOptions, Pacing, RecoveryKind, ReductionKind, Restart,
    Sharing, Undo, Utilization,
};
pub use omission::{Omission, Touches};
pub use preset::Preset;
pub use presets::{DEFAULT, PRESETS, all_presets, names};

use super::flow_control::{FlowControlOptions, ReceiverName};
use super::handshake::{Amplification, Handshake, MessageOptions, SMALLEST_INITIAL, UDP_IP};
pub use super::pacing::bucket::Bucket;
use super::pacing::pacer::Release;
use super::receive_window::{Field, Growth, ReceiveBuffer, ReceiveWindow};
use super::receiver::{AckPolicy, ReceiverConfig, ReceiverOptions, WindowField};
use super::rtt::{RtoParams, RttRule};
use crate::narrow::whole;
use flowstart_control::variants::{
    BbrSource, CountAfterLoss, CubicVariant, HyStartVariant, Judging,
};
use flowstart_control::{
    AfterSynLoss, Convention, Duration, InitialWindow, Rate, RateCodes, Segments,
};
use flowstart_wire::UNLIMITED_WINDOW;
use std::sync::Arc;

/// Sizes of packets, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Framing {
    /// Maximum segment size: payload of a full segment, bytes.
    pub mss: u32,
    /// Header bytes of data segments.
    pub header: u32,
    /// Bytes of an acknowledgement without SACK blocks.
    pub bare: u32,
    /// Bytes of a packet that opens a connection, and of the response.
    pub opening: u32,
    /// Bytes a SACK block adds.
    pub sack_block: u32,
    /// Bytes that any other option of this project's algorithms adds to a segment.
    pub option: u32,
}

/// What the receiver advertises.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiveWindowOptions {
    /// The largest window that the receiver advertises, in bytes; `None` never limits.
    pub limit: Option<u32>,
    /// That of the preset where it is counted in packets, and so follows their size.
    pub limit_packets: Option<u32>,
    /// An advertised window travels as a number without bounds, not in sixteen bits.
    pub unbounded: bool,
    /// The buffer with which that grows; `None` advertises all of it from the beginning.
    pub buffer: Option<ReceiveBuffer>,
    /// Whether windows are scaled (RFC 7323).
    pub scaling: bool,
    /// Whose flow control the receiver has. Where packets are numbered, `limit` is its first window.
    pub receiver: ReceiverName,
}

/// How loss is found and repaired.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveryOptions {
    /// Bytes of a packet without data by which the sender answers the first acknowledgement, unless it
    /// has data to send then; zero for none. QUIC needs none, but an endpoint whose connection ID
    /// the peer retires with the handshake gives another (RFC 9000 §5.1.1). Its acknowledgement shows
    /// what was lost at the end of the first flight.
    pub id_update: u32,
    /// How loss is repaired.
    pub kind: RecoveryKind,
    /// How the window comes down, under `rack`; others reduce it at once.
    pub reduction: ReductionKind,
    /// Whether the receiver reports what has arrived above a hole (RFC 2018), where recovery makes
    /// use of that.
    pub sack: bool,
    /// NextSeg rule 3: retransmit what is not known lost when nothing else may go (RFC 6675 §4).
    pub next_seg_rule_3: bool,
    /// NextSeg rule 4: one rescue retransmission of the highest hole (RFC 6675 §4).
    pub next_seg_rule_4: bool,
    /// New data on the first two duplicate acknowledgements (RFC 3042).
    pub limited_transmit: bool,
    /// NewReno's choices.
    pub newreno: NewRenoOptions,
    /// Whether a timeout may turn out to have been for nothing (RFC 5682).
    pub frto: bool,
    /// What happens where a loss turns out to have been none.
    pub undo: Undo,
    /// Whether `rack` goes by timestamps (RFC 7323): in samples of the round trip, and to find out
    /// that a loss was none (RFC 3522).
    pub timestamps: bool,
    /// Whether losses that span a long time leave the minimum window (RFC 9002 §7.6).
    pub persistent_congestion: bool,
    /// The sender takes an ACK Delay for microseconds, whatever the peer's exponent
    /// (s2n-quic-core 0.91.0, `frame/ack.rs`, `ack_delay`).
    pub ack_delay_without_exponent: bool,
    /// Before its handshake is over a server ignores samples that, less the ACK Delay, are not above
    /// the minimum RTT (RFC 9002 §5.3 permits it below; s2n-quic-core 0.91.0,
    /// `recovery/rtt_estimator.rs`, `update_rtt`).
    pub ignores_shortest_samples: bool,
    /// Whether `rack` probes for a loss at the end of a flight (RFC 8985 §7).
    pub tail_loss_probe: bool,
}

/// How the congestion window begins, and what happens to it besides what the controller decides.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowOptions {
    /// The initial window.
    pub initial: InitialWindow,
    /// An acknowledgement too may find that the application leaves the window unused
    /// (draft-cheng-iccrg-delivery-rate-estimation §3.4), not only a write.
    pub app_limited_at_acks: bool,
    /// How many bytes of payload the sender holds until they are acknowledged; `None` for any
    /// number.
    pub send_buffer: Option<u64>,
    /// What happens to the window after an idle time.
    pub restart: Restart,
    /// Let the window grow although the application, not the window, limits the flight.
    pub grow_when_app_limited: bool,
    /// How much of the window in flight lets it grow.
    pub used_from: Utilization,
    /// With nothing left to send, the sender is limited by the application, whatever its window had
    /// held back before (quinn-proto 0.11.19 and noq-proto 1.4.0, `app_limited`).
    pub app_limited_when_drained: bool,
    /// What a loss does to the window under `quic`.
    pub on_loss: LossResponse,
    /// Whether what is in flight stays below the window behind the first ACK (quinn-proto 0.11.19,
    /// `connection/mod.rs`, `poll_transmit`), rather than reach it.
    pub stays_below: bool,
    /// The window counts whole datagrams, and a packet of less than full size fills the rest of it.
    /// `None` counts payload, and sends the full-size packets that fit.
    pub filling: Option<Filling>,
    /// Bytes of a client's first data packet in which the handshake ends: they do not let the window
    /// grow.
    pub end_of_handshake: u32,
    /// What a lost SYN does to the initial window.
    pub after_syn_loss: AfterSynLoss,
}

/// How packets are spaced out where a startup does not.
#[derive(Clone, Debug, PartialEq)]
pub struct PacingOptions {
    /// How packets are spaced out where a startup does not.
    pub rule: Pacing,
    /// Upper bound of the rate, where `rule` has a rate (Linux's `sk_max_pacing_rate`).
    pub max: Option<Rate>,
    /// What a controller paces leaves in bursts as segmentation offload takes it (Linux's
    /// `tcp_tso_autosize`), beginning with the second flight.
    pub by_offload: bool,
    /// New data leaves in bursts as segmentation offload takes it: what would be too small a burst
    /// waits for the next acknowledgement (Linux's `tcp_tso_should_defer`), and the last segment of
    /// several carries PSH.
    pub tso: bool,
    /// Such bursts are larger on paths of up to a few milliseconds (Linux's `tcp_tso_rtt_log`: in
    /// 6.1, not in 5.15).
    pub tso_by_rtt: bool,
    /// Datagrams that leave with the first of their batch (UDP_SEGMENT); 1 for none. Linux's pacing has
    /// other bursts.
    pub batch: u32,
    /// Packets that a sender without bucket makes up for after a late wake. Linux's pacing has
    /// another rule.
    pub credit: u32,
}

impl PacingOptions {
    /// A release by the rule of the pacer, as the host changes it.
    pub(crate) fn on_host(&self, release: Release) -> Release {
        match release.makes_up {
            true => release,
            false => Release {
                burst: release.burst.max(self.batch),
                credit: self.credit,
                ..release
            },
        }
    }

    /// The bucket of tokens, where there is one.
    pub fn bucket(&self) -> Option<Bucket> {
        match self.rule {
            Pacing::TokenBucket(bucket) => Some(bucket),
            _ => None,
        }
    }
}

/// What connections leave behind for each other.
#[derive(Clone, Debug, PartialEq)]
pub struct SharingOptions {
    /// What connections leave behind for each other.
    pub kind: Sharing,
    /// How long a memory stays good.
    pub lifetime: Duration,
    /// The largest window in segments that a memory opens.
    pub cap: Segments,
}

/// Behaviours of ns-2; the preset `opnet` has one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Ns2Quirks {
    /// The acknowledgement that ends a recovery opens the window too.
    pub grows_leaving_recovery: bool,
    /// Duplicates that came before a timeout still count: they can start no second fast
    /// retransmit.
    pub counts_duplicates_on: bool,
    /// A sender that goes back after a timeout continues behind what fast retransmit has sent since. ns-2's
    /// `output` leaves `t_seqno_` where it is, so that a packet may leave twice.
    pub fast_retransmit_counts: bool,
    /// A window is as many whole segments as it has, not so many bytes.
    pub whole_window: bool,
    /// The acknowledgement of a repeated last segment may wait: the receiver does not distinguish it
    /// from a first arrival.
    pub delays_repetition_of_last: bool,
    /// On a connection without handshake the first data packet replaces the SYN: it has no
    /// header, nothing but the timer finds that it was lost, and its acknowledgement waits only where
    /// the SYN's does.
    pub headerless_first: bool,
    /// Pace by the round trip in whole clock ticks, as ns-2 does, rather than exactly.
    pub coarse_pacing: bool,
    /// Send whole segments only: a transfer is rounded up to them.
    pub whole_segments: bool,
    /// A lost SYN lowers the threshold to two segments, as any timeout at a window of one does.
    pub syn_loss_lowers_ssthresh: bool,
    /// What lost SYNs have made of the timeout holds until a valid sample ends the back-off,
    /// rather than a separate timeout for data ([`RtoParams::after_syn_loss`]).
    pub syn_backoff_lasts: bool,
    /// A repeated SYN, which gives no fair sample, does not keep a startup from pacing by
    /// the round trip: ns-2's take it for the one tick that an unmeasured one counts as.
    pub trusts_repeated_syn: bool,
    /// What arrives when the flow has finished is still acknowledged.
    pub acks_when_over: bool,
}

/// Everything about an endpoint that is not its controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// The preset's name.
    pub preset: &'static str,
    /// Convention for the defaults of algorithms. The stack itself does not use it.
    pub convention: Convention,
    /// Sizes of packets, in bytes.
    pub framing: Framing,
    /// The exchange before data leaves.
    pub handshake: Handshake,
    /// Bytes that a server sends first, its certificates among it, where they could be too
    /// many for one round trip.
    pub server_flight: Option<u32>,
    /// The messages of a handshake that is made of packets.
    pub messages: MessageOptions,
    /// How the congestion window begins, and what happens to it besides loss.
    pub window: WindowOptions,
    /// What the receiver acknowledges, and when.
    pub receiver: ReceiverOptions,
    /// How loss is found and repaired.
    pub recovery: RecoveryOptions,
    /// Behaviours of ns-2.
    pub ns2: Ns2Quirks,
    /// What both ends make of congestion marks.
    pub ecn: EcnMode,
    /// Retransmission timeout.
    pub rto: Arc<RtoParams>,
    /// How packets are spaced out where a startup does not.
    pub pacing: PacingOptions,
    /// What the receiver advertises.
    pub receive_window: ReceiveWindowOptions,
    /// What connections leave behind for each other.
    pub sharing: SharingOptions,
    /// How Quick-Start's rates are coded.
    pub rate_codes: RateCodes,
    /// Consecutive timeouts after which a connection is given up; `None` for never.
    pub max_timeouts: Option<u32>,
    /// The congestion control where a flow names none.
    pub cc: &'static str,
    /// Whether what most ACKs and segments do takes its fast path. The results are the same without,
    /// as a test shows.
    pub fast_path: bool,
}

impl Stack {
    /// The retransmission timer, to be changed.
    pub fn timer(&mut self) -> &mut RtoParams {
        Arc::make_mut(&mut self.rto)
    }

    /// The receiver's window where a scenario does not give one.
    pub fn usual_window(&self) -> Option<u32> {
        let counted = self
            .receive_window
            .limit_packets
            .map(|n| n.saturating_mul(self.framing.mss));
        counted.map_or(self.receive_window.limit, |window| {
            Some(window.min(UNLIMITED_WINDOW - 1))
        })
    }

    /// Exchanges of packets that a connection begins with.
    pub fn exchanges(&self) -> u32 {
        let window = whole((self.initial_window() * f64::from(self.framing.mss)).round());
        self.handshake.exchanges(self.server_flight, window)
    }

    /// How many of them end before data leaves.
    pub fn round_trips(&self) -> u32 {
        if let Some(dialogue) = self.dialogue() {
            let opens = !self.numbers_packets() && !self.handshake.opens_in_syn();
            return dialogue.round_trips() + u32::from(opens);
        }
        match self.handshake.opens_with_data() {
            true => 0,
            false => self.exchanges(),
        }
    }

    /// Whether packets are numbered and acknowledged by number, rather than the bytes in them.
    #[inline(always)]
    pub fn numbers_packets(&self) -> bool {
        self.recovery.kind == RecoveryKind::Quic
    }

    /// The initial window in segments. Bytes of one are UDP payload in QUIC.
    pub fn initial_window(&self) -> Segments {
        match self.window.initial {
            InitialWindow::Bytes(bytes) if self.numbers_packets() => {
                bytes as f64 / self.datagram() as f64
            }
            initial => initial.segments(self.framing.mss),
        }
    }

    /// Bytes of UDP payload in a full-size data packet.
    pub fn datagram(&self) -> u64 {
        u64::from(self.packet().saturating_sub(UDP_IP).max(1))
    }

    /// Bytes of a packet besides its payload that the window counts.
    pub fn counted_header(&self) -> u32 {
        match self.window.filling {
            Some(_) => self.framing.header.saturating_sub(UDP_IP),
            None => 0,
        }
    }

    /// Bytes of a full-size data packet on the wire.
    pub fn packet(&self) -> u32 {
        self.framing.mss + self.framing.header
    }

    /// What the receiving end needs of this.
    pub fn receiver(&self) -> ReceiverConfig {
        let options = ReceiverOptions {
            dsack: self.receiver.dsack && self.recovery.sack,
            paws: self.receiver.paws && self.receive_window.buffer.is_some(),
            delays_syn_ack: self.receiver.delays_syn_ack && self.receiver.ack != AckPolicy::Every,
            ..self.receiver.clone()
        };
        ReceiverConfig {
            options,
            jiffy: self.rto.jiffy,
            sack: self.recovery.sack
                && matches!(
                    self.recovery.kind,
                    RecoveryKind::Sack | RecoveryKind::Ns2Sack | RecoveryKind::Rack
                ),
            numbers: self.numbers_packets(),
            header: self.framing.bare,
            opening: self.framing.opening,
            syn_timeout: self.rto.initial,
            early_data: self.handshake.opens_with_data(),
            client: self.client().map(Arc::new),
            sack_block_bytes: self.framing.sack_block,
            option_bytes: self.framing.option,
            window: match self.flow_control() {
                Some(_) if self.numbers_packets() => UNLIMITED_WINDOW,
                _ => self.receive_window.limit.unwrap_or(UNLIMITED_WINDOW),
            },
            flow_control: self.flow_control(),
            growth: self.growth(),
            delays_repetition_of_last: self.ns2.delays_repetition_of_last,
            first_stands_in: self.ns2.headerless_first,
            window_field: self.window_field(),
            fast_path: self.fast_path,
        }
    }

    /// The flow control of the receiver, where it has any: QUIC's, or that of HTTP/2 or yamux above
    /// TCP's window.
    pub fn flow_control(&self) -> Option<FlowControlOptions> {
        let before = self.dialogue().map_or(0, |d| d.response_from());
        let receiver = self.receive_window.receiver;
        if !self.numbers_packets() {
            return Some(receiver.above_tcp()?.behind(before));
        }
        let options = receiver.of_quic()?;
        let options = match self.receive_window.limit {
            Some(first) => options.beginning_with(first.into()),
            None => options,
        };
        Some(options.behind(before))
    }

    /// How the advertised window grows, where it does.
    pub fn growth(&self) -> Option<Growth> {
        Some(Growth {
            buffer: self.receive_window.buffer?,
            most: self.receive_window.limit,
            mss: self.framing.mss,
            header: self.framing.header,
            field: self.field(),
        })
    }

    /// Bytes that the receiver's window never exceeds; `None` where nothing limits it.
    pub fn largest_window(&self) -> Option<u64> {
        let window = &self.receive_window;
        let unscaled = (self.field() == Field::Unscaled).then_some(u64::from(u16::MAX));
        let control = self.flow_control().map(|control| control.largest());
        if control.is_some() && self.numbers_packets() {
            return control;
        }
        let limits = [
            control,
            window.limit.map(u64::from),
            window.buffer.map(|buffer| buffer.largest),
        ];
        limits.into_iter().chain([unscaled]).flatten().min()
    }

    /// How a window that is advertised travels.
    fn field(&self) -> Field {
        match (self.receive_window.unbounded, self.receive_window.scaling) {
            (true, _) => Field::Exact,
            (_, true) => Field::Scaled,
            (_, false) => Field::Unscaled,
        }
    }

    /// What a peer on a connection that is open already has offered.
    pub fn open_window(&self) -> u32 {
        match self.growth() {
            Some(growth) => ReceiveWindow::new(growth).opened(),
            None => self
                .window_field()
                .says(self.receive_window.limit.unwrap_or(UNLIMITED_WINDOW)),
        }
    }

    fn window_field(&self) -> WindowField {
        match (self.field(), self.receive_window.limit) {
            (Field::Exact, _) => WindowField::Exact,
            // The smallest scale that can express the window (RFC 7323 §2.3: at most 14).
            (Field::Scaled, Some(window)) => {
                WindowField::Scaled((0..14).find(|s| window >> s <= 65_535).unwrap_or(14))
            }
            _ => WindowField::Unscaled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_data_waits_for_nothing() {
        let stack = Stack {
            handshake: Handshake::ZeroRtt,
            ..Stack::quic()
        };
        assert_eq!((stack.exchanges(), stack.round_trips()), (1, 0));
        assert_eq!(Stack::quic().round_trips(), 1);
    }
}
