//! The whole configuration of a scenario: every default filled in, as a scenario
//! again. A result that carries it shows what it ran, whatever defaults change later.

use super::checks::LONGEST_RUN;
use super::files::Files;
use super::setting::Setting;
use super::stack_environment::StackEnvironment;
use crate::spec::{
    AckName, DelayAt, GrowthName, Opener, PacingName, PathSpec, RequestError, Scenario, StackSpec,
    WindowSize,
};
use flowstart_control::{Amount, Bytes};
use flowstart_network::chain::Chain;
use flowstart_network::queue::Limit;
use flowstart_transport::RttRule;
use flowstart_transport::receiver::AckPolicy;
use flowstart_transport::stack::{Pacing, Stack};

impl Scenario {
    /// This scenario with every default written out. It runs to the same outcome.
    pub fn resolved(&self) -> Result<Scenario, RequestError> {
        Ok(Setting::of(self, &mut Files::default())?.fill_in(self))
    }
}

impl Setting {
    /// The scenario whose setting this is with every default written out.
    pub(super) fn fill_in(&self, scenario: &Scenario) -> Scenario {
        let (stack, chain) = (&self.ends.stack, &self.chain);
        let mut whole = scenario.clone();
        whole.duration.get_or_insert(LONGEST_RUN);
        whole.path = path(&scenario.path, chain);
        whole.stack = scenario.stack.filled_in(stack, &self.around);
        for (flow, given) in whole.flows.iter_mut().zip(&scenario.flows) {
            flow.fill_in(given);
            flow.cc
                .get_or_insert_with(|| usual_cc(flow.stack.as_ref(), stack).into());
            if given.opener.is_none() && flow.handshake() && has_flight(flow.stack.as_ref(), stack)
            {
                flow.opener = Some(Opener::Receiver);
            }
            let from = flow.from_hop();
            let to = *flow.to_hop.get_or_insert(chain.hops() - 1);
            if from <= to && to < chain.hops() {
                flow.rtt.get_or_insert(chain.rtt(from, to));
            }
        }
        for web in &mut whole.web {
            web.fill_in(&());
            web.cc
                .get_or_insert_with(|| usual_cc(web.stack.as_ref(), stack).into());
            web.to_hop.get_or_insert(chain.hops() - 1);
        }
        whole
    }
}

/// Whether the handshake of flows is made of packets, with these fields of a stack for their own.
fn has_flight(own: Option<&StackSpec>, stack: &Stack) -> bool {
    let others = stack.messages.flight.is_some();
    own.map_or(others, |own| {
        own.flight.is_some() || own.preset.is_none() && others
    })
}

/// The congestion control of flows that name none, with these fields of a stack for their own.
fn usual_cc(own: Option<&StackSpec>, stack: &Stack) -> &'static str {
    let preset = own.and_then(|own| own.preset.as_deref());
    let own = preset.and_then(Stack::preset);
    own.map_or(stack.cc, |own| own.cc)
}

fn path(given: &PathSpec, chain: &Chain) -> PathSpec {
    let mut path = given.clone();
    path.buffer_accounting.get_or_insert(chain.reading);
    path.fill_in(given);
    let first = &chain.hops[0];
    if path.hops.is_empty() {
        path.buffer = amount(first.forward.limit);
        path.queue = Some(first.forward.queue.to_string());
        if path.delay_at != Some(DelayAt::Loopback) {
            path.reverse_buffer = amount(first.reverse.limit);
            path.reverse_queue = Some(first.reverse.queue.to_string());
            if path.reverse_rate_trace.is_none() {
                path.reverse_rate.get_or_insert(first.reverse.rate);
            }
        }
    } else {
        path.buffer = None;
        path.queue = None;
        for (hop, compiled) in path.hops.iter_mut().zip(&chain.hops) {
            hop.buffer = amount(compiled.forward.limit);
            hop.queue = Some(compiled.forward.queue.to_string());
            hop.fill_in(&());
        }
    }
    path
}

fn amount(limit: Limit) -> Option<Amount> {
    match limit {
        Limit::Packets(n) => Some(Amount::Packets(n)),
        Limit::Bytes(n) => Some(Amount::Bytes(n)),
        Limit::Unlimited => None,
    }
}

impl StackSpec {
    /// Every field as `stack` has it, but for those that change nothing in it.
    fn filled_in(&self, stack: &Stack, around: &StackEnvironment) -> StackSpec {
        // A buffer that follows from a window does so for segments of any size.
        let buffer = stack
            .receive_window
            .buffer
            .filter(|_| !self.window_comes_first());
        let (ack, every, timer, quick) = match stack.receiver.ack {
            AckPolicy::Every => (AckName::Every, None, None, None),
            AckPolicy::Delayed { every, timer } => {
                (AckName::Delayed, Some(every), Some(timer), None)
            }
            AckPolicy::QuickThenDelayed {
                quick,
                every,
                timer,
            } => (
                AckName::QuickThenDelayed,
                Some(every),
                Some(timer),
                Some(quick),
            ),
        };
        let mut whole = StackSpec {
            preset: Some(stack.preset.into()),
            ack: Some(ack),
            ack_timer: timer,
            ack_every: every,
            ack_quick: quick,
            tick_phase: match stack.rto.rule {
                RttRule::Ticks { phase } => Some(phase),
                _ => None,
            },
            pacing: Some(match stack.pacing.rule {
                Pacing::None => PacingName::None,
                Pacing::Internal => PacingName::Internal,
                Pacing::Rfc9002(_) => PacingName::Rfc9002,
                Pacing::TokenBucket(_) => PacingName::TokenBucket,
            }),
            pacing_gain: match stack.pacing.rule {
                Pacing::Rfc9002(gain) => Some(gain),
                _ => None,
            },
            window: self.window.or_else(|| usual_window(stack)),
            window_growth: Some(match stack.receive_window.buffer {
                Some(_) => GrowthName::Linux,
                None => GrowthName::None,
            }),
            receive_buffer: buffer.map(|b| Bytes(b.initial)),
            receive_buffer_max: buffer.map(|b| Bytes(b.largest)),
            receive_share: stack.receive_window.buffer.and_then(|b| b.share),
            interrupt_min: around.interrupts.map(|i| i.0),
            interrupt_max: around.interrupts.map(|i| i.1),
            sack_cost: Some(around.sack_cost),
            host: self.host.clone(),
            receiver_host: self.receiver_host.clone(),
            ..StackSpec::default()
        };
        whole.take_from(&mut stack.clone());
        whole.leave_out(&StackSpec::idle(stack));
        whole
    }
}

/// The window where none is given: in packets where those of a flow may be of another size than
/// the stack's. `None` where it follows from a buffer, for segments of any size.
fn usual_window(stack: &Stack) -> Option<WindowSize> {
    let buffered = Stack::preset(stack.preset)?.receive_window.buffer;
    if stack.receive_window.buffer.or(buffered).is_some() {
        return None;
    }
    let whole = |bytes: u32| match bytes % stack.framing.mss {
        0 => Amount::Packets((bytes / stack.framing.mss).into()),
        _ => Amount::Bytes(bytes.into()),
    };
    let limit = stack.receive_window.limit?;
    Some(WindowSize::Size(whole(limit)))
}
