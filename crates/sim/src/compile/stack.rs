//! A stack: a preset, and what departs from it, read and checked.

use super::checks::within;
use crate::spec::{
    AckName, GrowthName, PacingName, RequestError, StackSpec, WindowSize, out_of_range, unknown,
};
use flowstart_control::{Amount, Bytes, Duration, InitialWindow, Named};
use flowstart_transport::flow_control::ReceiverName;
use flowstart_transport::receiver::AckPolicy;
use flowstart_transport::stack::{Bucket, DEFAULT, Pacing, Stack, names};
use flowstart_transport::{Handshake, ReceiveBuffer, RttRule};

impl StackSpec {
    /// The preset with every override applied, for flows whose segments are of this
    /// size where that is not the stack's own.
    pub(super) fn resolve(&self, mss: Option<u32>) -> Result<Stack, RequestError> {
        self.check("stack")?;
        let name = self.preset.as_deref().unwrap_or(DEFAULT);
        let mut stack =
            Stack::preset(name).ok_or_else(|| unknown("stack.preset", name, &names()))?;
        self.set_in(&mut stack);
        stack.framing.mss = mss.unwrap_or(stack.framing.mss);
        has_tls(&stack)?;
        self.settle_receiver(&mut stack)?;
        stack.receiver.ack = self.ack_policy(stack.receiver.ack);
        stack.receive_window.limit = match self.window {
            Some(WindowSize::Unlimited) => None,
            Some(WindowSize::Size(window)) => Some(self.window_bytes(window, &stack)?),
            None => stack.usual_window(),
        };
        if self.window == Some(WindowSize::Unlimited) {
            self.lift_window(&mut stack)?;
        }
        self.override_buffer(&mut stack)?;
        self.override_timer(&mut stack)?;
        stack.pacing.rule = self.pacing_rule(stack.pacing.rule);
        self.refuse_what_does_nothing(&stack)?;
        ack_delay_fits(&stack)?;
        window_holds_a_packet(&stack)?;
        Ok(stack)
    }

    /// Whether the server's flight does not fit into one window, and is counted as a round trip.
    pub fn counts_round_trip_of_flight(&self) -> bool {
        self.resolve(None).is_ok_and(|stack| {
            let without = Stack {
                server_flight: None,
                ..stack.clone()
            };
            stack.messages.flight.is_none() && stack.exchanges() > without.exchanges()
        })
    }

    /// The stack of flows that have these fields in place of the scenario's.
    pub(super) fn of_flow(&self, scenario: &StackSpec) -> Result<StackSpec, RequestError> {
        let given = |field: &&str| self.given(field).is_some();
        if let Some(field) = StackSpec::AROUND.into_iter().find(given) {
            let problem = "no flow has its own, as hosts and routers are everybody's; \
                           set it in the scenario's `stack`";
            return Err(RequestError::new(format!("stack.{field}"), problem));
        }
        Ok(match self.preset {
            Some(_) => self.clone(),
            None => self.over(scenario),
        })
    }

    /// Refuses a field that has no effect on `stack`, which these fields have made.
    fn refuse_what_does_nothing(&self, stack: &Stack) -> Result<(), RequestError> {
        let mut idle = StackSpec::idle(stack).into_iter();
        let refused = idle.find_map(|(field, why)| Some((field, self.given(field)?, why)));
        refused.map_or(Ok(()), |(field, value, why)| {
            let value = value.as_str().map_or(value.to_string(), String::from);
            let problem = format!("`{value}` changes nothing: {why}");
            Err(RequestError::new(format!("stack.{field}"), problem))
        })
    }

    /// No window limits the sender, neither by a buffer nor by flow control.
    fn lift_window(&self, stack: &mut Stack) -> Result<(), RequestError> {
        let growth = self.window_growth == Some(GrowthName::Linux);
        let quic = stack.numbers_packets();
        let receiver = self.receiver.is_some_and(|name| name != ReceiverName::None);
        if growth || quic && receiver {
            let field = if growth { "window_growth" } else { "receiver" };
            let problem = format!("`unlimited` leaves no window; leave out stack.{field}");
            return Err(RequestError::new("stack.window", problem));
        }
        stack.receive_window.buffer = None;
        if quic {
            stack.receive_window.receiver = ReceiverName::None;
        }
        Ok(())
    }

    /// A preset's flow control of QUIC goes where the scenario has TCP's recovery or window in its
    /// place. Refuses a receiver that does not speak over this transport, and both kinds of window.
    fn settle_receiver(&self, stack: &mut Stack) -> Result<(), RequestError> {
        let of_quic = stack.numbers_packets();
        let tcp_window = of_quic && self.window_growth == Some(GrowthName::Linux);
        if self.receiver.is_none() && (tcp_window || stack.flow_control().is_none()) {
            stack.receive_window.receiver = ReceiverName::None;
        }
        let receiver = stack.receive_window.receiver;
        if receiver == ReceiverName::None {
            return Ok(());
        }
        if tcp_window {
            let problem =
                "`linux` is TCP's window in place of flow control; leave out stack.receiver";
            return Err(RequestError::new("stack.window_growth", problem));
        }
        if of_quic {
            // Flow control in place of the window of a TCP preset.
            (stack.receive_window.buffer, stack.receive_window.limit) = (None, None);
        }
        if stack.flow_control().is_some() {
            return Ok(());
        }
        let fits = |receiver: ReceiverName| match of_quic {
            true => receiver.of_quic().is_some(),
            false => receiver.above_tcp().is_some(),
        };
        let receivers = ReceiverName::VALUES.iter().filter(|value| fits(value.0));
        let names: Vec<&str> = receivers.map(|value| value.1).collect();
        let transport = if of_quic { "QUIC" } else { "TCP" };
        let right = format!("over {transport} {} or none", names.join(", "));
        Err(out_of_range("stack.receiver", receiver.name(), &right))
    }

    /// The receive buffer. One that is not given follows a window that needs a larger one.
    fn override_buffer(&self, stack: &mut Stack) -> Result<(), RequestError> {
        if self.window_growth == Some(GrowthName::Linux) {
            stack
                .receive_window
                .buffer
                .get_or_insert(ReceiveBuffer::STOCK);
        }
        if stack.receive_window.buffer.is_some() && self.window.is_none() {
            // Only the buffer bounds it, not what the preset would offer from the beginning.
            stack.receive_window.limit = None;
        }
        let (Some(usual), Some(mut growth)) = (stack.receive_window.buffer, stack.growth()) else {
            return Ok(());
        };
        if self.window_growth == Some(GrowthName::None) {
            let whole = growth.payload(usual.initial) as u32;
            stack.receive_window.limit.get_or_insert(whole);
            stack.receive_window.buffer = None;
            return Ok(());
        }
        growth.buffer.share = self.receive_share.or(usual.share);
        let needs = stack
            .receive_window
            .limit
            .map(|window| growth.buffer_for(window.into()));
        let buffer = self.receive_buffer_of(growth.buffer, needs);
        let least = growth.buffer_for(stack.framing.mss.into());
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
        stack.receive_window.buffer = Some(buffer);
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
        matches!(self.window, Some(WindowSize::Size(_))) && buffer.is_none()
    }

    fn pacing_rule(&self, preset: Pacing) -> Pacing {
        const USUAL: f64 = 1.25;
        let pacing = match self.pacing {
            None => preset,
            Some(PacingName::None) => Pacing::None,
            Some(PacingName::Internal) => Pacing::Internal,
            Some(PacingName::Rfc9002) => Pacing::Rfc9002(USUAL),
            Some(PacingName::TokenBucket) => match preset {
                Pacing::TokenBucket(_) => preset,
                _ => Pacing::TokenBucket(Bucket::Quinn),
            },
        };
        match pacing {
            Pacing::Rfc9002(usual) => Pacing::Rfc9002(self.pacing_gain.unwrap_or(usual)),
            pacing => pacing,
        }
    }

    fn override_timer(&self, stack: &mut Stack) -> Result<(), RequestError> {
        let rto = stack.timer();
        if rto.min > rto.max {
            let problem = format!(
                "`{}` is above the upper bound `{}` (stack.rto_max)",
                rto.min, rto.max
            );
            return Err(RequestError::new("stack.rto_min", problem));
        }
        if let (Some(phase), RttRule::Ticks { phase: present }) = (self.tick_phase, &mut rto.rule) {
            *present = phase;
        }
        Ok(())
    }

    fn window_bytes(&self, window: Amount, stack: &Stack) -> Result<u32, RequestError> {
        let bytes = match window {
            Amount::Bytes(n) => n,
            Amount::Packets(n) => n.saturating_mul(u64::from(stack.framing.mss)),
            Amount::Bdp(_) => {
                let problem = format!("`{window}` depends on the path; give bytes or packets");
                return Err(RequestError::new("stack.window", problem));
            }
        };
        let least = u64::from(stack.framing.mss);
        let right = "a window of one segment to 4 GB";
        Ok(within("stack.window", bytes, least, u64::from(u32::MAX) - 1, right)? as u32)
    }

    fn ack_policy(&self, preset: AckPolicy) -> AckPolicy {
        const QUICK: u32 = 16;
        const EVERY: u32 = 2;
        let name = self.ack.unwrap_or(match preset {
            AckPolicy::Every => AckName::Every,
            AckPolicy::Delayed { .. } => AckName::Delayed,
            AckPolicy::QuickThenDelayed { .. } => AckName::QuickThenDelayed,
        });
        let (usual_quick, usual_every, usual_timer) = match preset {
            AckPolicy::QuickThenDelayed {
                quick,
                every,
                timer,
            } => (quick, every, timer),
            AckPolicy::Delayed { every, timer } => (QUICK, every, timer),
            // ns-2's DelAck sink waits 100 ms.
            AckPolicy::Every => (QUICK, EVERY, Duration::from_millis(100)),
        };
        let timer = self.ack_timer.unwrap_or(usual_timer);
        let every = self.ack_every.unwrap_or(usual_every);
        match name {
            AckName::Every => AckPolicy::Every,
            AckName::Delayed => AckPolicy::Delayed { every, timer },
            AckName::QuickThenDelayed => AckPolicy::QuickThenDelayed {
                quick: self.ack_quick.unwrap_or(usual_quick),
                every,
                timer,
            },
        }
    }
}

/// An initial window in bytes lets a packet leave.
fn window_holds_a_packet(stack: &Stack) -> Result<(), RequestError> {
    const LEAST: f64 = 2.0;
    let initial = stack.window.initial;
    if matches!(initial, InitialWindow::Bytes(_)) && stack.initial_window() < LEAST {
        let right = format!("two packets or more, of {} bytes", stack.datagram());
        return Err(out_of_range("stack.iw", initial, &right));
    }
    Ok(())
}

/// A handshake that is made of packets is that of QUIC, or of TLS over TCP.
fn has_tls(stack: &Stack) -> Result<(), RequestError> {
    /// Bytes of UDP payload that any path carries.
    const SMALLEST: u64 = 1200;
    let Some(flight) = stack.messages.flight else {
        return Ok(());
    };
    let is_quics = matches!(stack.handshake, Handshake::OneRtt | Handshake::ZeroRtt);
    let least = SMALLEST.max(stack.framing.mss.into());
    if stack.numbers_packets() && stack.datagram() < least {
        let problem = format!(
            "`{}` needs datagrams of {least} bytes or more, headers included (RFC 9000 §14.1); those \
             of this stack have {}",
            flight.name(),
            stack.datagram()
        );
        return Err(RequestError::new("stack.flight", problem));
    }
    let right = match (stack.numbers_packets(), is_quics) {
        (true, false) => "`1-rtt` or `0-rtt`",
        (false, true) => "one with TLS, such as `tcp+tls13`",
        _ => return Ok(()),
    };
    let (handshake, flight) = (stack.handshake.name(), flight.name());
    let problem = format!("`{handshake}` contradicts stack.flight, `{flight}`; give {right}");
    Err(RequestError::new("stack.handshake", problem))
}

/// With numbered packets the delay of an acknowledgement travels (RFC 9000 §18.2).
fn ack_delay_fits(stack: &Stack) -> Result<(), RequestError> {
    const LONGEST: Duration = Duration::from_millis((1 << 14) - 1);
    let delay = stack.receiver.ack.max_delay();
    if stack.numbers_packets() && delay > LONGEST {
        let right = format!("at most `{LONGEST}` under `quic` (stack.recovery)");
        return Err(out_of_range("stack.ack_timer", delay, &right));
    }
    Ok(())
}
