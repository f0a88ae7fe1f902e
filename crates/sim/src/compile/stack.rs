//! A stack: a preset, and what departs from it, read and checked.

use super::checks::{out_of_range, within};
use crate::spec::{unknown, AckName, GrowthName, PacingName, RequestError, StackSpec};
use flowstart_control::{Amount, Bytes, Time};
use flowstart_transport::receive_window::ReceiveBuffer;
use flowstart_transport::receiver::AckPolicy;
use flowstart_transport::stack::{Pacing, Stack, PRESETS};
use std::sync::Arc;

impl StackSpec {
    /// The preset with every override applied, for flows whose segments are of this
    /// size where that is not the stack's own.
    pub(super) fn resolve(&self, mss: Option<u32>) -> Result<Stack, RequestError> {
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
        set(&mut stack.restart, self.restart.map(Into::into));
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
    pub(super) fn window_comes_first(&self) -> bool {
        let buffer = self.receive_buffer.or(self.receive_buffer_max);
        self.window.is_some() && buffer.is_none()
    }

    fn override_recovery(&self, stack: &mut Stack) {
        set(&mut stack.recovery, self.recovery.map(Into::into));
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
        set(&mut stack.handshake, self.handshake.map(Into::into));
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
pub(super) fn segment_size(field: &str, mss: Bytes) -> Result<u32, RequestError> {
    Ok(within(field, mss.0, 1, 65_000, "a segment of 1 B to 65 kB")? as u32)
}

fn set<T: Clone>(field: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *field = value;
    }
}
