//! What a scenario says of the endpoints: a preset, and what departs from it.

use crate::request::{out_of_range, quantity, unknown, within, RequestError};
use flowstart_control::RateCodes;
use flowstart_control::{Amount, Bytes, InitialWindow, Time};
use flowstart_transport::handshake::Handshake;
use flowstart_transport::receive_window::ReceiveBuffer;
use flowstart_transport::receiver::AckPolicy;
use flowstart_transport::stack::{Pacing, RecoveryKind, Restart, Sharing, Stack, PRESETS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A preset and what departs from it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StackSpec {
    /// `rfc` (the default), `ns2`, `opnet`, `linux` or `quic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Maximum segment size, payload bytes, such as `1460B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub mss: Option<Bytes>,
    /// Bytes of a data segment beside its payload, such as `40B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub header: Option<Bytes>,
    /// Initial window: `rfc6928`, `rfc5681`, `rfc3390`, `rfc2581`, `rfc9002` or a number
    /// of segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub iw: Option<InitialWindow>,
    /// What is said before data leaves: `1-rtt` (the default), an exchange, TCP's or QUIC's;
    /// `0-rtt`, data right behind the first packet; `tcp+tls13`, two exchanges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake: Option<HandshakeName>,
    /// Bytes of what a server says first, its certificates among it: beyond three times the
    /// client's 1200 bytes, or under `tcp+tls13` the initial window, they take another round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub server_flight: Option<Bytes>,
    /// When the receiver acknowledges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack: Option<AckName>,
    /// How long a delayed acknowledgement may wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub ack_timer: Option<Time>,
    /// Segments per delayed acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_every: Option<u32>,
    /// Under `quic` recovery, by how many packets a missing one may be overtaken until that is
    /// acknowledged at once; `0` for any number. 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_reordering: Option<u32>,
    /// Segments acknowledged at once before delaying begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_quick: Option<u32>,
    /// How loss is repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoveryName>,
    /// NextSeg rule 3 of RFC 6675.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_seg_rule_3: Option<bool>,
    /// NextSeg rule 4 of RFC 6675.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_seg_rule_4: Option<bool>,
    /// Limited transmit (RFC 3042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// NewReno: restart the timer on the first partial acknowledgement only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newreno_impatient: Option<bool>,
    /// NewReno: deflate by what a partial acknowledgement covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newreno_partial_deflation: Option<bool>,
    /// Timeout before the first round-trip sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rto_initial: Option<Time>,
    /// Lower bound of the timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rto_min: Option<Time>,
    /// Upper bound of the timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rto_max: Option<Time>,
    /// Clock granularity; under `ns2` the tick in which round trips are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub tick: Option<Time>,
    /// Where in a tick an ns-2 host's clock starts, as a share of a tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick_phase: Option<f64>,
    /// How packets are spaced out where a start-up does not: `none`, `internal` as Linux does
    /// under its fq discipline, or `rfc9002` by so many windows a round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<PacingName>,
    /// How many windows that are under `rfc9002`: 1.25 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing_gain: Option<f64>,
    /// Whether a timeout may turn out to have been for nothing (F-RTO, RFC 5682), under `rack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frto: Option<bool>,
    /// Whether both ends speak ECN (RFC 3168): queues with `ecn=true` mark instead of dropping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<bool>,
    /// Pace by the round trip in whole ticks, as ns-2 does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coarse_pacing: Option<bool>,
    /// The largest window that the receiver advertises, in bytes or packets; unlimited by
    /// default under `rfc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub window: Option<Amount>,
    /// How the advertised window gets there: `none` has all of it from the beginning, `linux`
    /// grows with what arrives and with the receive buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_growth: Option<GrowthName>,
    /// With growth: the receive buffer at the opening in bytes, headers and bookkeeping included
    /// (`tcp_rmem[1]`): 32 MiB under `linux`, as servers on fast paths have it; 131072B in a stock
    /// kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub receive_buffer: Option<Bytes>,
    /// And what it may grow to (`tcp_rmem[2]`): 128 MiB under `linux`, 32 MiB in a stock kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub receive_buffer_max: Option<Bytes>,
    /// With growth: the share of a full segment's memory that is payload, which the kernel
    /// measures on the first; unless given, that of a device that hands over packets one by one
    /// (160 in 256 of 1448 bytes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_share: Option<f64>,
    /// Whether windows are scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scaling: Option<bool>,
    /// What happens to the window after an idle time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartName>,
    /// Let the window grow although the application limits the flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grow_when_app_limited: Option<bool>,
    /// Timeouts in a row after which a connection is given up; `0` for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_timeouts: Option<u32>,
    /// Hosts see packets only at interrupts, at least so far apart: 60us unless given, where
    /// `interrupt_max` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub interrupt_min: Option<Time>,
    /// And at most so far: 100us unless given, where `interrupt_min` is. With neither every
    /// packet is seen at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub interrupt_max: Option<Time>,
    /// What it takes a host to read one SACK block.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub sack_cost: Option<Time>,
    /// How Quick-Start's rates are coded: `powers` (RFC 4782) or `linear` (ns-2's function 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_codes: Option<RateCodesName>,
    /// What connections between the same hosts leave behind for each other (RFC 9040).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing: Option<SharingName>,
    /// How long a memory stays good.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub sharing_lifetime: Option<Time>,
    /// The largest window that a memory opens, in segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing_cap: Option<u32>,
}

/// Names of acknowledgement policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckName {
    /// Every segment.
    Every,
    /// Every second, or after a timer.
    Delayed,
    /// The first sixteen at once, then delayed.
    QuickThenDelayed,
}

/// Names of the ways in which a window grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GrowthName {
    /// Not at all.
    None,
    /// As in Linux.
    Linux,
}

/// Names of recoveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryName {
    /// Timer only.
    GoBackN,
    /// Fast retransmit, then slow start.
    Tahoe,
    /// RFC 2581.
    Reno,
    /// RFC 6582.
    Newreno,
    /// RFC 6675.
    Sack,
    /// ns-2's Sack1.
    Ns2Sack,
    /// RFC 8985 with RFC 9937.
    Rack,
    /// RFC 9002.
    Quic,
}

/// Names of handshakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HandshakeName {
    /// One exchange.
    #[serde(rename = "1-rtt")]
    OneRtt,
    /// Data is sent with the first packet.
    #[serde(rename = "0-rtt")]
    ZeroRtt,
    /// TCP's exchange, then that of TLS 1.3.
    #[serde(rename = "tcp+tls13")]
    TcpTls13,
}

/// Names of pacing rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PacingName {
    /// At once.
    None,
    /// By the window and the round trip.
    Internal,
    /// By RFC 9002.
    Rfc9002,
}

/// Names of restart rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RestartName {
    /// The initial window.
    InitialWindow,
    /// One segment.
    One,
    /// The window is kept.
    Keep,
}

/// Names of codes of rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateCodesName {
    /// 40 kbit/s times a power of two.
    Powers,
    /// Multiples of 10 240 bytes a second.
    Linear,
}

impl From<RateCodesName> for RateCodes {
    fn from(name: RateCodesName) -> RateCodes {
        match name {
            RateCodesName::Powers => RateCodes::Powers,
            RateCodesName::Linear => RateCodes::Linear,
        }
    }
}

/// Names of what connections leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SharingName {
    /// Nothing.
    None,
    /// A memory for start-ups that use one.
    Remember,
    /// New connections open with what closed ones left.
    Temporal,
    /// New connections share the windows of open ones.
    Ensemble,
}

impl From<SharingName> for Sharing {
    fn from(name: SharingName) -> Sharing {
        match name {
            SharingName::None => Sharing::None,
            SharingName::Remember => Sharing::Remember,
            SharingName::Temporal => Sharing::Temporal,
            SharingName::Ensemble => Sharing::Ensemble,
        }
    }
}

impl StackSpec {
    /// The preset with every override applied, for flows whose segments are of this
    /// size where that is not the stack's own.
    pub(crate) fn resolve(&self, mss: Option<u32>) -> Result<Stack, RequestError> {
        let name = self.preset.as_deref().unwrap_or("rfc");
        let mut stack =
            Stack::preset(name).ok_or_else(|| unknown("stack.preset", name, &PRESETS))?;
        if let Some(mss) = self.mss {
            stack.mss = segment_size("stack.mss", mss)?;
        }
        set(&mut stack.mss, mss);
        if let Some(header) = self.header {
            let right = "a header of 0 B to 1 kB";
            stack.header = within("stack.header", header.0, 0, 1000, right)? as u32;
        }
        stack.ack = self.ack_policy(stack.ack)?;
        stack.window = match self.window {
            Some(window) => Some(self.window_bytes(window, &stack)?),
            None => stack.usual_window(),
        };
        self.override_buffer(&mut stack)?;
        self.override_recovery(&mut stack);
        self.override_timer(&mut stack)?;
        set(&mut stack.iw, self.iw);
        set(&mut stack.coarse_pacing, self.coarse_pacing);
        set(&mut stack.frto, self.frto);
        set(&mut stack.ecn, self.ecn);
        stack.pacing = self.pacing_rule(stack.pacing)?;
        self.override_handshake(&mut stack)?;
        self.override_numbers(&mut stack)?;
        set(&mut stack.window_scaling, self.window_scaling);
        set(&mut stack.grow_when_app_limited, self.grow_when_app_limited);
        if let Some(max) = self.max_timeouts {
            stack.max_timeouts = (max > 0).then_some(max);
        }
        set(&mut stack.rate_codes, self.rate_codes.map(Into::into));
        self.override_sharing(&mut stack)?;
        if let Some(restart) = self.restart {
            stack.restart = match restart {
                RestartName::InitialWindow => Restart::InitialWindow,
                RestartName::One => Restart::One,
                RestartName::Keep => Restart::Keep,
            };
        }
        self.refuse_what_does_nothing(&stack)?;
        Ok(stack)
    }

    /// The receive buffer. One that nobody gave follows a window that needs a larger one.
    fn override_buffer(&self, stack: &mut Stack) -> Result<(), RequestError> {
        if self.window_growth == Some(GrowthName::Linux) {
            stack.buffer.get_or_insert(ReceiveBuffer::STOCK);
        }
        if stack.buffer.is_some() && self.window.is_none() {
            // Only the buffer bounds it, not what the preset would offer from the beginning.
            stack.window = None;
        }
        let (Some(usual), Some(mut growth)) = (stack.buffer, stack.growth()) else {
            return Ok(());
        };
        if self.window_growth == Some(GrowthName::None) {
            let whole = growth.payload(usual.initial) as u32;
            stack.window.get_or_insert(whole);
            stack.buffer = None;
            return Ok(());
        }
        let share = self.receive_share;
        if let Some(share) = share.filter(|share| !(0.01..=1.0).contains(share)) {
            let problem = format!("`{share}` is not a share of the buffer, from 0.01 to 1");
            return Err(RequestError::new("stack.receive_share", problem));
        }
        growth.buffer.share = share.or(usual.share);
        let needs = stack.window.map(|window| growth.buffer_for(window.into()));
        let buffer = self.receive_buffer_of(growth.buffer, needs);
        let least = growth.buffer_for(stack.mss.into());
        // Of a buffer as little as a hundredth may be payload.
        let right = "what holds a segment, to 400 GB";
        let most = 400_000_000_000;
        within("stack.receive_buffer", buffer.initial, least, most, right)?;
        within(
            "stack.receive_buffer_max",
            buffer.largest,
            least,
            most,
            right,
        )?;
        if buffer.initial > buffer.largest {
            let (initial, largest) = (Bytes(buffer.initial), Bytes(buffer.largest));
            let problem = format!("`{initial}` is above stack.receive_buffer_max, `{largest}`");
            return Err(RequestError::new("stack.receive_buffer", problem));
        }
        stack.buffer = Some(buffer);
        Ok(())
    }

    /// The sizes that are given, in place of the usual ones; a window that is given `needs` so
    /// large a buffer.
    fn receive_buffer_of(&self, usual: ReceiveBuffer, needs: Option<u64>) -> ReceiveBuffer {
        let (initial, largest) = match (self.receive_buffer, self.receive_buffer_max) {
            (Some(initial), Some(largest)) => (initial.0, largest.0),
            (Some(initial), None) => (initial.0, usual.largest.max(initial.0)),
            (None, Some(largest)) => (usual.initial.min(largest.0), largest.0),
            (None, None) => {
                let needs = needs.filter(|needs| *needs > usual.largest);
                (
                    needs.unwrap_or(usual.initial),
                    needs.unwrap_or(usual.largest),
                )
            }
        };
        ReceiveBuffer {
            initial,
            largest,
            ..usual
        }
    }

    /// Whether the buffer follows from the window that is given.
    pub(crate) fn window_comes_first(&self) -> bool {
        let buffer = self.receive_buffer.or(self.receive_buffer_max);
        self.window.is_some() && buffer.is_none()
    }

    fn override_recovery(&self, stack: &mut Stack) {
        if let Some(recovery) = self.recovery {
            stack.recovery = match recovery {
                RecoveryName::GoBackN => RecoveryKind::GoBackN,
                RecoveryName::Tahoe => RecoveryKind::Tahoe,
                RecoveryName::Reno => RecoveryKind::Reno,
                RecoveryName::Newreno => RecoveryKind::NewReno,
                RecoveryName::Sack => RecoveryKind::Sack,
                RecoveryName::Ns2Sack => RecoveryKind::Ns2Sack,
                RecoveryName::Rack => RecoveryKind::Rack,
                RecoveryName::Quic => RecoveryKind::Quic,
            };
        }
        set(&mut stack.next_seg_rule_3, self.next_seg_rule_3);
        set(&mut stack.next_seg_rule_4, self.next_seg_rule_4);
        set(&mut stack.limited_transmit, self.limited_transmit);
        set(&mut stack.newreno.impatient, self.newreno_impatient);
        set(
            &mut stack.newreno.partial_deflation,
            self.newreno_partial_deflation,
        );
    }

    fn pacing_rule(&self, preset: Pacing) -> Result<Pacing, RequestError> {
        const USUAL: f64 = 1.25;
        let pacing = match self.pacing {
            None => preset,
            Some(PacingName::None) => Pacing::None,
            Some(PacingName::Internal) => Pacing::Internal,
            Some(PacingName::Rfc9002) => Pacing::Rfc9002(USUAL),
        };
        match (pacing, self.pacing_gain) {
            (Pacing::Rfc9002(_), Some(gain)) if (1.0..=100.0).contains(&gain) => {
                Ok(Pacing::Rfc9002(gain))
            }
            (Pacing::Rfc9002(_), Some(gain)) => {
                Err(out_of_range("stack.pacing_gain", gain, "1 to 100"))
            }
            (pacing, _) => Ok(pacing),
        }
    }

    fn override_handshake(&self, stack: &mut Stack) -> Result<(), RequestError> {
        if let Some(handshake) = self.handshake {
            stack.handshake = match handshake {
                HandshakeName::OneRtt => Handshake::OneRtt,
                HandshakeName::ZeroRtt => Handshake::ZeroRtt,
                HandshakeName::TcpTls13 => Handshake::TcpTls13,
            };
        }
        let Some(flight) = self.server_flight else {
            return Ok(());
        };
        if !(1..=1_000_000).contains(&flight.0) {
            return Err(out_of_range("stack.server_flight", flight, "1B to 1MB"));
        }
        stack.server_flight = Some(flight.0 as u32);
        Ok(())
    }

    /// What only a stack that numbers its packets has.
    fn override_numbers(&self, stack: &mut Stack) -> Result<(), RequestError> {
        /// RFC 9000 §18.2.
        const LONGEST_ACK_DELAY: Time = Time::from_millis((1 << 14) - 1);
        if !stack.numbers_packets() {
            return Ok(());
        }
        let delay = stack.ack.max_delay();
        if delay > LONGEST_ACK_DELAY {
            let right = format!("at most `{LONGEST_ACK_DELAY}` under `quic` (stack.recovery)");
            return Err(out_of_range("stack.ack_timer", delay, &right));
        }
        if let Some(packets) = self.ack_reordering {
            let right = "0 to 1000 packets";
            within("stack.ack_reordering", packets.into(), 0, 1000, right)?;
            stack.ack_reordering = packets;
        }
        Ok(())
    }

    fn override_sharing(&self, stack: &mut Stack) -> Result<(), RequestError> {
        set(&mut stack.sharing, self.sharing.map(Into::into));
        set(&mut stack.sharing_lifetime, self.sharing_lifetime);
        if let Some(cap) = self.sharing_cap {
            let right = "at least 1 segment";
            within("stack.sharing_cap", u64::from(cap), 1, u64::MAX, right)?;
            stack.sharing_cap = f64::from(cap);
        }
        Ok(())
    }

    fn override_timer(&self, stack: &mut Stack) -> Result<(), RequestError> {
        let rto = Arc::make_mut(&mut stack.rto);
        set(&mut rto.initial, self.rto_initial);
        set(&mut rto.min, self.rto_min);
        set(&mut rto.max, self.rto_max);
        set(&mut rto.granularity, self.tick);
        if rto.granularity == Time::ZERO {
            return Err(RequestError::new(
                "stack.tick",
                "`0s` is no clock; a positive time is needed",
            ));
        }
        for (field, bound) in [
            ("stack.rto_initial", rto.initial),
            ("stack.rto_max", rto.max),
        ] {
            // Backing off from nothing gets nowhere.
            if bound < Time::from_millis(1) {
                return Err(out_of_range(field, bound, "at least 1ms"));
            }
        }
        if rto.min > rto.max {
            let problem = format!(
                "`{}` is above the upper bound `{}` (stack.rto_max)",
                rto.min, rto.max
            );
            return Err(RequestError::new("stack.rto_min", problem));
        }
        let (Some(phase), Some(ticks)) = (self.tick_phase, &mut rto.ticks) else {
            return Ok(());
        };
        if !(0.0..1.0).contains(&phase) {
            let problem = format!("`{phase}` is not a share of a tick, from 0 to below 1");
            return Err(RequestError::new("stack.tick_phase", problem));
        }
        ticks.phase = phase;
        Ok(())
    }

    fn window_bytes(&self, window: Amount, stack: &Stack) -> Result<u32, RequestError> {
        let bytes = match window {
            Amount::Bytes(n) => n,
            Amount::Packets(n) => n.saturating_mul(u64::from(stack.mss)),
            Amount::Bdp(_) => {
                let problem = format!("`{window}` depends on the path; give bytes or packets");
                return Err(RequestError::new("stack.window", problem));
            }
        };
        let least = u64::from(stack.mss);
        let right = "a window of one segment to 4 GB";
        Ok(within("stack.window", bytes, least, u64::from(u32::MAX) - 1, right)? as u32)
    }

    fn ack_policy(&self, preset: AckPolicy) -> Result<AckPolicy, RequestError> {
        const QUICK: u32 = 16;
        let name = self.ack.unwrap_or(match preset {
            AckPolicy::Every => AckName::Every,
            AckPolicy::Delayed { .. } => AckName::Delayed,
            AckPolicy::QuickThenDelayed { .. } => AckName::QuickThenDelayed,
        });
        let (usual_quick, usual_timer) = match preset {
            AckPolicy::QuickThenDelayed { quick, timer, .. } => (quick, timer),
            AckPolicy::Delayed { timer, .. } => (QUICK, timer),
            // ns-2's DelAck sink waits 100 ms.
            AckPolicy::Every => (QUICK, Time::from_millis(100)),
        };
        let timer = self.ack_timer.unwrap_or(usual_timer);
        let every = self.ack_every.unwrap_or(2);
        within(
            "stack.ack_every",
            u64::from(every),
            1,
            1000,
            "1 to 1000 segments",
        )?;
        Ok(match name {
            AckName::Every => AckPolicy::Every,
            AckName::Delayed => AckPolicy::Delayed { every, timer },
            AckName::QuickThenDelayed => AckPolicy::QuickThenDelayed {
                quick: self.ack_quick.unwrap_or(usual_quick),
                every,
                timer,
            },
        })
    }
}

/// A segment size that can be.
pub(crate) fn segment_size(field: &str, mss: Bytes) -> Result<u32, RequestError> {
    Ok(within(field, mss.0, 1, 65_000, "a segment of 1 B to 65 kB")? as u32)
}

fn set<T: Clone>(field: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *field = value;
    }
}
