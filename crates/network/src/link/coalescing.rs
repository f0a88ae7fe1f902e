//! Interrupt coalescing: an interface gathers frames, and hands them up together when a time since
//! the first is over or when there are enough (`ethtool -C rx-usecs rx-frames`).

use super::common::{Common, LinkImpl, Verdict};
use super::kind::StagePlan;
use crate::moment::Moment;
use crate::queue::Backlog;
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;

/// An interface that gathers frames for `time`, and no more of them than `frames`; zero for any
/// number.
pub fn coalescing(time: Duration, frames: u32) -> StagePlan {
    StagePlan::new("interface", "interface", move |_| Interface {
        time,
        frames,
        due: Instant::ZERO,
        gathered: 0,
        backlog: Backlog::default(),
    })
}

/// The receiving side of an interface.
struct Interface {
    time: Duration,
    frames: u32,
    /// When those that it gathers are handed up.
    due: Instant,
    /// How many there are.
    gathered: u32,
    backlog: Backlog,
}

impl LinkImpl for Interface {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        let now = now.time;
        if self.due <= now {
            (self.due, self.gathered) = (now + self.time, 0);
        }
        self.gathered += 1;
        self.backlog.add(packet.wire);
        link.counters.accept(packet.wire, self.backlog);
        let at = |time| Moment { time, cause: now };
        let verdict = link.depart(at(self.due), packet);
        if self.gathered != self.frames {
            return verdict;
        }
        let gathered = self.frames as usize;
        for packet in link.ring.iter_mut().rev().take(gathered) {
            packet.arrival = at(now);
        }
        self.due = now;
        match gathered == link.ring.len() {
            true => Verdict::First,
            false => verdict,
        }
    }

    fn backlog(&mut self) -> Option<&mut Backlog> {
        Some(&mut self.backlog)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{pass, stage};
    use super::*;

    fn seen(us: u64, frames: u32, packets: &[u64]) -> Vec<u64> {
        pass(
            stage(&coalescing(Duration::from_micros(us), frames)),
            packets,
        )
    }

    #[test]
    fn frames_wait_for_a_time_since_the_first() {
        assert_eq!(seen(50, 0, &[10, 30, 59, 60, 200]), [60, 60, 60, 110, 250]);
    }

    #[test]
    fn enough_frames_do_not_wait() {
        assert_eq!(
            seen(50, 3, &[10, 20, 30, 40, 50, 200]),
            [30, 30, 30, 90, 90, 250]
        );
    }

    /// Vector V4: 50 us are 4.2 frames of 1500 bytes at 1 Gbit/s and 41.7 at 10, 16 us 1.3 and 13. The
    /// first of an interrupt comes on top; times are whole microseconds here.
    #[test]
    fn an_interrupt_has_the_frames_of_its_time_and_the_first() {
        let together = |gap_us: f64, us| {
            let packets: Vec<u64> = (0..1000).map(|n| (f64::from(n) * gap_us) as u64).collect();
            let times = seen(us, 0, &packets);
            times.iter().filter(|time| **time == times[500]).count()
        };
        assert_eq!([together(12.0, 50), together(12.0, 16)], [5, 2]);
        assert_eq!([together(1.2, 50), together(1.2, 16)], [42, 13]);
    }
}
