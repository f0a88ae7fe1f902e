//! Stages alone, without a path.

use super::{Link, LinkConfig, Losses, Service, Shared, StagePlan, Verdict};
use crate::moment::Moment;
use crate::queue::{BufferAccounting, DropTail, Limit};
use crate::random::stream;
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;

/// A link that is nothing but a stage.
pub(super) fn stage(plan: &StagePlan) -> Link {
    stage_with(plan, stream(1, "test", 0))
}

/// A stage with this random stream.
pub(super) fn stage_with(plan: &StagePlan, random: Pcg64Mcg) -> Link {
    let config = LinkConfig {
        name: "stage".into(),
        service: Service::Instant,
        variation: None,
        delay: Duration::ZERO,
        queue: DropTail {
            limit: Limit::Unlimited,
            reading: BufferAccounting::Linux,
        },
        losses: Losses::default(),
        shaper: None,
        shared: Shared::default(),
    };
    Link::new(config, plan.stage(random))
}

/// When packets of 1500 bytes leave it that come at these times; in microseconds.
pub(super) fn pass(stage: Link, packets: &[u64]) -> Vec<u64> {
    let left = run(stage, packets);
    left.into_iter().map(|(at, _)| at).collect()
}

/// In which order they do, by their places among those that came.
pub(super) fn order(stage: Link, packets: &[u64]) -> Vec<u64> {
    let left = run(stage, packets);
    left.into_iter().map(|(_, number)| number).collect()
}

/// Events as the run keeps them: of one that finds nothing to do, nothing comes.
fn run(mut stage: Link, packets: &[u64]) -> Vec<(u64, u64)> {
    let mut left = Vec::new();
    let mut events: Vec<Moment> = Vec::new();
    let mut deliver = |stage: &mut Link, events: &mut Vec<Moment>, until: Instant| loop {
        events.sort_by(|a, b| b.cmp(a));
        let Some(due) = events.last().copied().filter(|due| due.time <= until) else {
            return;
        };
        events.pop();
        let Some(packet) = stage.deliver(due) else {
            continue;
        };
        left.push((due.time.nanos() / 1000, packet.start()));
        events.extend(stage.next_delivery());
    };
    for (number, us) in packets.iter().enumerate() {
        let time = Instant::from_micros(*us);
        deliver(&mut stage, &mut events, time);
        let packet = Packet::data(0, 1500, number as u64, 0);
        if stage.send(packet, Moment { time, cause: time }) == Verdict::First {
            events.extend(stage.next_delivery());
        }
    }
    deliver(&mut stage, &mut events, Instant::MAX);
    left
}
