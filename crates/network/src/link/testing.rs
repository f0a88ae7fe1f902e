//! Stages alone, without a path.

use super::{Link, LinkConfig, LinkKind, Losses, Service, Shared, StagePlan, Verdict};
use crate::moment::Moment;
use crate::queue::{BufferAccounting, DropTail, Limit, Port, QueueSpec};
use crate::random::stream;
use flowstart_control::{Duration, Instant, Rate};
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;

/// A link that is nothing but a stage.
pub(super) fn stage(plan: &StagePlan) -> Link {
    stage_with(plan, stream(1, "test", 0))
}

/// A stage with this random stream.
pub(super) fn stage_with(plan: &StagePlan, random: Pcg64Mcg) -> Link {
    Link::new(stage_config(), plan.stage(random))
}

pub(super) fn stage_config() -> LinkConfig {
    LinkConfig {
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
    }
}

/// Whether packets of 1500 bytes pass a token bucket at these times, of which a second has so many
/// units, as its rate and burst allow: in no time more than a burst and what the rate gives.
pub(super) fn is_within_bucket(passed: &[u64], second: u64, rate: u64, burst: u64) -> bool {
    let second = u128::from(second);
    passed.iter().enumerate().all(|(i, first)| {
        passed.iter().enumerate().skip(i).all(|(j, last)| {
            let bits = (j - i + 1) as u128 * 12_000;
            let may = u128::from(burst) * 8 * second + u128::from(last - first) * u128::from(rate);
            bits * second <= may
        })
    })
}

/// A line with a buffer.
pub(super) fn line(rate: Rate, limit: Limit) -> LinkConfig {
    let stage = stage_config();
    LinkConfig {
        service: Service::Line(rate),
        queue: DropTail {
            limit,
            ..stage.queue
        },
        ..stage
    }
}

/// A link whose queue has this discipline.
pub(super) fn managed(queue: &str) -> LinkKind {
    let port = Port {
        rate: None,
        delay: Duration::ZERO,
        packet: 1500,
        random: stream(1, "queue", 0),
    };
    LinkKind::Managed(QueueSpec::parse(queue).unwrap(), Box::new(port))
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
        if stage.send(&packet, Moment { time, cause: time }) == Verdict::First {
            events.extend(stage.next_delivery());
        }
    }
    deliver(&mut stage, &mut events, Instant::MAX);
    left
}
