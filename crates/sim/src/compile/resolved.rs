//! The whole configuration a scenario stands for: every default filled in, as a scenario
//! again. A result that carries it says what it ran, whatever defaults change later.

use super::checks::LONGEST_RUN;
use super::files::Files;
use super::setting::Setting;
use super::surroundings::Surroundings;
use crate::spec::{
    AckName, Direction, GrowthName, PacingName, PathSpec, PauseFrom, Probability, RequestError,
    Scenario, Side, StackSpec, WebSpec,
};
use flowstart_control::{Amount, Bytes, Time};
use flowstart_network::chain::Chain;
use flowstart_network::queue::Limit;
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
        for flow in &mut whole.flows {
            flow.startup.get_or_insert_with(|| "slow-start".into());
            flow.avoidance.get_or_insert_with(|| stack.avoidance.into());
            flow.start.get_or_insert(Time::ZERO);
            flow.count.get_or_insert(1);
            flow.interval.get_or_insert(Time::ZERO);
            flow.jitter.get_or_insert(Time::ZERO);
            flow.direction.get_or_insert(Direction::Forward);
            flow.handshake.get_or_insert(true);
            let from = *flow.from_hop.get_or_insert(0);
            let to = *flow.to_hop.get_or_insert(chain.hops() - 1);
            if from <= to && to < chain.hops() {
                flow.rtt.get_or_insert(chain.rtt(from, to));
            }
        }
        for web in &mut whole.web {
            fill_in(web, stack.avoidance, chain.hops() - 1);
        }
        whole
    }
}

fn fill_in(web: &mut WebSpec, avoidance: &str, last_hop: u32) {
    web.startup.get_or_insert_with(|| "slow-start".into());
    web.avoidance.get_or_insert_with(|| avoidance.into());
    web.sessions.get_or_insert(1);
    web.start.get_or_insert(Time::ZERO);
    web.interval.get_or_insert_with(|| "0s".into());
    web.pages.get_or_insert_with(|| "1".into());
    web.page_pause.get_or_insert_with(|| "0s".into());
    web.page_pause_from.get_or_insert(PauseFrom::End);
    web.objects.get_or_insert_with(|| "1".into());
    web.object_pause.get_or_insert_with(|| "0s".into());
    web.request.get_or_insert(Amount::Packets(1));
    web.single_connection.get_or_insert(false);
    web.direction.get_or_insert(Direction::Forward);
    web.clients.get_or_insert(1);
    web.servers.get_or_insert(1);
    web.from_hop.get_or_insert(0);
    web.to_hop.get_or_insert(last_hop);
}

fn path(given: &PathSpec, chain: &Chain) -> PathSpec {
    let mut path = given.clone();
    path.buffer_reading.get_or_insert(chain.reading.into());
    if path.access_rate.is_some() || path.access_delay.is_some() {
        path.access_delay.get_or_insert(Time::ZERO);
        path.access_at.get_or_insert(Side::default());
    }
    if path.ack_batch.is_some() {
        path.ack_thinning.get_or_insert(false);
    }
    let first = &chain.hops[0];
    if path.hops.is_empty() {
        path.buffer = amount(first.forward.limit);
        path.reverse_buffer = amount(first.reverse.limit);
        path.queue = Some(first.forward.queue.to_string());
        path.reverse_queue = Some(first.reverse.queue.to_string());
        if path.reverse_rate_trace.is_none() {
            path.reverse_rate.get_or_insert(first.reverse.rate);
        }
        if path.jitter.is_some() || path.reverse_jitter.is_some() {
            path.reordering.get_or_insert(false);
        }
        path.loss.get_or_insert(Probability(0.0));
        path.reverse_loss.get_or_insert(Probability(0.0));
    } else {
        path.buffer = None;
        path.queue = None;
        for (hop, compiled) in path.hops.iter_mut().zip(&chain.hops) {
            hop.buffer = amount(compiled.forward.limit);
            hop.queue = Some(compiled.forward.queue.to_string());
            hop.loss.get_or_insert(Probability(0.0));
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
    fn filled_in(&self, stack: &Stack, around: &Surroundings) -> StackSpec {
        let rto = &stack.rto;
        // A buffer that follows from a window does so for segments of any size.
        let buffer = stack.buffer.filter(|_| !self.window_comes_first());
        let (ack, every, timer, quick) = match stack.ack {
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
        let whole = StackSpec {
            preset: Some(stack.preset.into()),
            mss: Some(Bytes(stack.mss.into())),
            header: Some(Bytes(stack.header.into())),
            iw: Some(stack.iw),
            ack: Some(ack),
            ack_timer: timer,
            ack_every: every,
            ack_quick: quick,
            recovery: Some(stack.recovery.into()),
            next_seg_rule_3: Some(stack.next_seg_rule_3),
            next_seg_rule_4: Some(stack.next_seg_rule_4),
            limited_transmit: Some(stack.limited_transmit),
            newreno_impatient: Some(stack.newreno.impatient),
            newreno_partial_deflation: Some(stack.newreno.partial_deflation),
            rto_initial: Some(rto.initial),
            rto_min: Some(rto.min),
            rto_max: Some(rto.max),
            tick: Some(rto.granularity),
            tick_phase: rto.ticks.as_ref().map(|ticks| ticks.phase),
            pacing: Some(match stack.pacing {
                Pacing::None => PacingName::None,
                Pacing::Internal => PacingName::Internal,
                Pacing::Rfc9002(_) => PacingName::Rfc9002,
            }),
            pacing_gain: match stack.pacing {
                Pacing::Rfc9002(gain) => Some(gain),
                _ => None,
            },
            handshake: Some(stack.handshake.into()),
            server_flight: stack.server_flight.map(|bytes| Bytes(bytes.into())),
            ack_reordering: stack.numbers_packets().then_some(stack.ack_reordering),
            frto: Some(stack.frto),
            ecn: Some(stack.ecn),
            coarse_pacing: Some(stack.coarse_pacing),
            window: self.window.or_else(|| usual_window(stack)),
            window_growth: Some(match stack.buffer {
                Some(_) => GrowthName::Linux,
                None => GrowthName::None,
            }),
            receive_buffer: buffer.map(|b| Bytes(b.initial)),
            receive_buffer_max: buffer.map(|b| Bytes(b.largest)),
            receive_share: stack.buffer.and_then(|b| b.share),
            window_scaling: Some(stack.window_scaling),
            restart: Some(stack.restart.into()),
            grow_when_app_limited: Some(stack.grow_when_app_limited),
            max_timeouts: Some(stack.max_timeouts.unwrap_or(0)),
            interrupt_min: around.interrupts.map(|i| i.0),
            interrupt_max: around.interrupts.map(|i| i.1),
            sack_cost: Some(around.sack_cost),
            rate_codes: Some(stack.rate_codes.into()),
            sharing: Some(stack.sharing.into()),
            sharing_lifetime: Some(stack.sharing_lifetime),
            sharing_cap: self.sharing_cap,
        };
        whole.without_what_does_nothing(stack)
    }
}

/// The window where none is given: in packets where those of a flow may be of another
/// size than the stack's.
fn usual_window(stack: &Stack) -> Option<Amount> {
    let whole = |bytes: u32| match bytes % stack.mss {
        0 => Amount::Packets((bytes / stack.mss).into()),
        _ => Amount::Bytes(bytes.into()),
    };
    // One that grows follows from its buffer.
    stack.window.filter(|_| stack.buffer.is_none()).map(whole)
}
