//! A limit on the packets in several links together: Linux counts those that netem delays and those
//! that wait for its rate, or for tokens of a filter above it, in one queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The packets in links that have one limit. Links of one run share it, in one thread.
#[derive(Clone, Debug)]
pub struct Held {
    most: u64,
    packets: Arc<AtomicU64>,
}

impl Held {
    /// No packet yet, and at most so many.
    pub fn new(most: u64) -> Held {
        Held {
            most,
            packets: Arc::default(),
        }
    }

    /// A packet comes: whether there is room for it.
    pub(super) fn enter(&self) -> bool {
        let enters = self.packets.load(Ordering::Relaxed) < self.most;
        self.packets.fetch_add(u64::from(enters), Ordering::Relaxed);
        enters
    }

    /// A packet that entered leaves, or is dropped.
    pub(super) fn leave(&self) {
        let packets = self.packets.fetch_sub(1, Ordering::Relaxed);
        debug_assert!(packets > 0, "a packet leaves that did not enter");
    }
}

/// What a link does with a limit that it shares.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Packets enter with this link, which is a stage.
    pub enter: Option<Held>,
    /// Packets leave with this link.
    pub leave: Option<Held>,
}

#[cfg(test)]
mod tests {
    use super::super::testing::{line, stage_config};
    use super::super::*;
    use super::*;
    use crate::distribution::{Distribution, Measure};
    use crate::moment::Moment;
    use crate::queue::Limit;
    use crate::random::{Chance, stream};
    use flowstart_control::{Duration, Instant, Rate};
    use flowstart_wire::Packet;
    use proptest::prelude::*;

    const MOST: u64 = 20;

    fn losses(share: f64, forced: &[u64]) -> Losses {
        let drop = |position: &u64| ForcedDrop {
            part: None,
            flow: 0,
            position: *position,
        };
        let mut losses = Losses::default();
        losses.random = RandomLoss::Single(Chance::new(share, stream(1, "loss", 0)));
        losses.forced = forced.iter().map(drop).collect();
        losses
    }

    /// A policer, a delay that varies and a line, which lose packets; the limit is that of the delay,
    /// or of the delay and the line.
    fn links(held: &Held, loss: f64, with_queue: bool, queue: &str) -> [Link; 3] {
        let delay = varying_delay(DelayConfig {
            base: Duration::from_millis(2),
            jitter: Some(Distribution::parse(Measure::Time, "exponential:mean=1ms").unwrap()),
            holds: None,
            reordering: true,
            ripple: None,
            skip: None,
        });
        let (mut enters, mut line) = (stage_config(), line(Rate(50_000_000), Limit::Packets(10)));
        enters.losses = losses(loss, &[3]);
        line.losses = losses(loss, &[5, 6]);
        enters.shared.enter = Some(held.clone());
        let leaves = if with_queue { &mut line } else { &mut enters };
        leaves.shared.leave = Some(held.clone());
        let random = || stream(1, "test", 0);
        let policer = policer(Rate(100_000_000), 30_000);
        [
            Link::new(stage_config(), policer.stage(random())),
            Link::new(enters, delay.stage(random())),
            Link::new(line, testing::managed(queue)),
        ]
    }

    /// Sends packets, which come at these times in microseconds, through links one behind the other.
    fn pass(links: &mut [Link], packets: &[u64], mut check: impl FnMut()) {
        let at = |time| Moment { time, cause: time };
        let mut packets = packets
            .iter()
            .map(|us| at(Instant::from_micros(*us)))
            .peekable();
        loop {
            let next = links
                .iter()
                .enumerate()
                .filter_map(|(n, link)| Some((link.next_delivery()?, n)));
            let (packet, to, now) = match (next.min(), packets.peek()) {
                (Some((due, n)), came) if came.is_none_or(|came| due <= *came) => {
                    (links[n].deliver(due), n + 1, due)
                }
                (_, Some(_)) => (
                    Some(Packet::data(0, 1500, 0, 0)),
                    0,
                    packets.next().unwrap(),
                ),
                (_, None) => return,
            };
            if let Some((packet, link)) = packet.zip(links.get_mut(to)) {
                link.send(&packet, now);
            }
            check();
        }
    }

    proptest! {
        #[test]
        fn a_limit_holds_no_more_than_it_may_and_nothing_when_the_links_are_empty(
            loss in 0.0..0.5f64,
            gaps in prop::collection::vec(0u64..400, 1..400),
            with_queue in any::<bool>(),
            queue in prop::sample::select(vec!["drop-tail", "codel", "fq-codel", "red"]),
        ) {
            let held = Held::new(MOST);
            let packets = || held.packets.load(Ordering::Relaxed);
            let mut now = 0;
            let came: Vec<u64> = gaps.iter().map(|gap| { now += gap; now }).collect();
            let mut most = 0;
            pass(&mut links(&held, loss, with_queue, queue), &came, || most = most.max(packets()));
            prop_assert!(most <= MOST);
            prop_assert_eq!(packets(), 0);
        }
    }
}
