//! CoDel: a queue that has not been short for a while loses packets, at growing frequency.
//!
//! RFC 8289. What counts is the time for which the packet that leaves has waited. The buffer's
//! own limit refuses packets as drop-tail does.
//!
//! With `ecn=true` a packet whose sender understands it is marked where it would be dropped, and
//! leaves (RFC 3168 §5; RFC 8290 §4.2). One mark takes the place of one drop, so the frequency
//! grows as it would. Nothing bounds the marks: what does not heed them fills the buffer, and
//! that drops.

use super::discipline::{Contents, Discipline, Maker, QueueContext, Queued};
use super::line::Line;
use flowstart_control::entry::{Certainty, Entry};
use flowstart_control::{Duration, Instant, params};
use flowstart_wire::Packet;

/// Entry of `codel` in the catalog of queue disciplines.
pub(super) const ENTRY: Entry<Maker> = Entry {
    name: "codel",
    title: "Controlled Delay",
    source: "Nichols, Jacobson: Controlling Queue Delay, 2012; RFC 8289",
    year: 2012,
    opened: "code: a port to ns-2; RFC 8289's rules as it quotes them",
    compared: "target, interval, control law, return to dropping",
    summary: "Drops or marks from the front, ever more often, once packets have waited longer than the \
              target for an interval.",
    params: ControlLaw::PARAMS,
    needs: &[],
    certainty: Certainty::Derived,
    build: |params, _| {
        let law = ControlLaw::read(params)?;
        Ok(Box::new(move |port| {
            Some(Box::new(CoDel {
                line: Line::default(),
                state: State::default(),
                law,
                mtu: u64::from(port.packet),
            }))
        }))
    },
};

params! {
    /// Parameters of the control law.
    pub(super) struct ControlLaw {
        /// the standing queue that is tolerated (RFC 8289 §4.4)
        target: Duration = "5ms",
        /// how long the queue may stay above it, about a long round trip (RFC 8289 §4.3)
        #[check(|interval| interval > Duration::ZERO, "above 0s")]
        interval: Duration = "100ms",
        /// whether packets of senders that speak ECN are marked where others are dropped early
        ecn: bool = "false",
    }
}

impl ControlLaw {
    /// Marks a packet that is due, where that may be done instead of dropping it.
    fn marks(self, next: &mut Option<Queued>, context: &mut QueueContext<'_>) -> bool {
        let due = next.as_mut().filter(|_| self.ecn);
        due.is_some_and(|queued| context.mark(&mut queued.packet))
    }

    /// Time of the next drop (RFC 8289 §5.6 `control_law`).
    fn next(self, time: Instant, count: u64) -> Instant {
        time + Duration((self.interval.0 as f64 / (count as f64).sqrt()) as u64)
    }
}

/// The state of RFC 8289 §5.2.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    first_above_time: Option<Instant>,
    drop_next: Instant,
    count: u64,
    lastcount: u64,
    dropping: bool,
}

impl State {
    /// The next packet of the line, after what is dropped before it (RFC 8289 §5.5).
    pub(super) fn dequeue(
        &mut self,
        line: &mut Line,
        law: ControlLaw,
        mtu: u64,
        context: &mut QueueContext<'_>,
    ) -> Option<Queued> {
        let now = context.now;
        let (mut next, mut ok_to_drop) = self.dodequeue(line, law, mtu, now);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if law.marks(&mut next, context) {
                    self.drop_next = law.next(self.drop_next, self.count);
                    break;
                }
                context.evict(next?.packet);
                (next, ok_to_drop) = self.dodequeue(line, law, mtu, now);
                if ok_to_drop {
                    self.drop_next = law.next(self.drop_next, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            if !law.marks(&mut next, context) {
                context.evict(next?.packet);
                (next, _) = self.dodequeue(line, law, mtu, now);
            }
            self.begin_dropping(law, now);
        }
        next
    }

    /// Where dropping ended not long ago, it continues with the frequency that had been
    /// reached (RFC 8289 §5.5).
    fn begin_dropping(&mut self, law: ControlLaw, now: Instant) {
        self.dropping = true;
        let delta = self.count - self.lastcount;
        let recent = now.since(self.drop_next) < law.interval.times(16);
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.drop_next = law.next(now, self.count);
        self.lastcount = self.count;
    }

    /// Takes a packet, and returns whether it may be dropped (RFC 8289 §5.6).
    fn dodequeue(
        &mut self,
        line: &mut Line,
        law: ControlLaw,
        mtu: u64,
        now: Instant,
    ) -> (Option<Queued>, bool) {
        let Some(packet) = line.pop() else {
            self.first_above_time = None;
            return (None, false);
        };
        let sojourn = now.since(packet.since);
        if sojourn < law.target || line.backlog().bytes <= mtu {
            self.first_above_time = None;
            return (Some(packet), false);
        }
        let due = *self.first_above_time.get_or_insert(now + law.interval);
        (Some(packet), now >= due)
    }
}

/// State of the discipline on one link.
#[derive(Debug)]
struct CoDel {
    line: Line,
    state: State,
    law: ControlLaw,
    mtu: u64,
}

impl Discipline for CoDel {
    fn enqueue(&mut self, packet: Packet, context: &mut QueueContext<'_>) -> bool {
        let room = context.has_room(self.line.backlog(), packet.wire);
        if room {
            self.line.push(packet, context.now);
        }
        room
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        self.state
            .dequeue(&mut self.line, self.law, self.mtu, context)
    }

    fn contents(&self) -> &dyn Contents {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use crate::queue::Limit;
    use crate::queue::testing::{Bench, capable, packet};
    use flowstart_control::{Duration, Instant};
    use flowstart_wire::Packet;

    /// Keeps so many packets waiting, of which one leaves every `step`; the times at
    /// which packets are evicted.
    fn drops(held: u64, step: Duration, steps: u64) -> Vec<Instant> {
        deeds("codel", packet, held, step, steps).0
    }

    /// Keeps `held` packets of any kind waiting; the times of evictions and of marks.
    fn deeds(
        spec: &str,
        packet: fn(u64) -> Packet,
        held: u64,
        step: Duration,
        steps: u64,
    ) -> (Vec<Instant>, Vec<Instant>) {
        let mut bench = Bench::new(spec, Limit::Unlimited);
        (0..held).for_each(|n| {
            bench.enqueue(packet(n));
        });
        let (mut dropped, mut marked) = (Vec::new(), Vec::new());
        for n in 0..steps {
            bench.now += step;
            bench.dequeue();
            while bench.backlog().packets < held {
                bench.enqueue(packet(held + n));
            }
            dropped.extend(bench.evicted().iter().map(|_| bench.now));
            marked.extend(bench.marked().iter().map(|_| bench.now));
        }
        (dropped, marked)
    }

    #[test]
    fn a_persistent_queue_is_thinned_out_by_the_control_law() {
        let step = Duration::from_micros(10);
        let times = drops(1000, step, 60_000);
        let since: Vec<f64> = times
            .iter()
            .map(|t| t.since(times[0]).secs() * 1e3)
            .collect();
        let law = [
            100.0, 170.71, 228.45, 278.45, 323.17, 363.99, 401.79, 437.14,
        ];
        for (found, expected) in since[1..].iter().zip(law) {
            // Packets leave every 0.01 ms.
            assert!(
                (0.0..0.02).contains(&(found - expected + 0.005)),
                "{found} {expected}"
            );
        }
        assert!(since.len() > law.len());
    }

    #[test]
    fn the_first_drop_comes_an_interval_after_the_queue_has_become_long() {
        // 1000 packets, one every 0.01 ms: a packet waits 5 ms from the 500th on.
        let times = drops(1000, Duration::from_micros(10), 60_000);
        assert_eq!(times[0], Instant::from_millis(105));
    }

    #[test]
    fn a_short_queue_and_the_last_packet_are_left_alone() {
        assert!(drops(4, Duration::from_millis(1), 2000).is_empty(), "4 ms");
        assert!(
            drops(2, Duration::from_millis(50), 2000).is_empty(),
            "one packet behind"
        );
        assert!(!drops(3, Duration::from_millis(50), 2000).is_empty());
    }

    #[test]
    fn marks_come_when_drops_would() {
        let step = Duration::from_micros(10);
        let (dropped, marked) = deeds("codel:ecn=true", capable, 1000, step, 60_000);
        assert!(dropped.is_empty());
        let drops = drops(1000, step, 60_000);
        assert_eq!(marked.len(), drops.len());
        let apart = |(a, b): (&Instant, &Instant)| a.nanos().abs_diff(b.nanos());
        assert!(marked.iter().zip(&drops).map(apart).max() <= Some(step.nanos()));
    }

    #[test]
    fn nothing_is_marked_unless_both_sides_speak_ecn() {
        let of = |spec, packet| {
            let (dropped, marked) = deeds(spec, packet, 1000, Duration::from_micros(10), 20_000);
            (!dropped.is_empty(), !marked.is_empty())
        };
        assert_eq!(of("codel", capable), (true, false));
        assert_eq!(of("codel:ecn=true", packet), (true, false));
        // RFC 8290 §5.2.6: on unless turned off.
        assert_eq!(of("fq-codel", capable), (false, true));
        assert_eq!(of("fq-codel:ecn=false", capable), (true, false));
    }
}
