//! Packets that a link loses before its queue: at random, and on purpose.

use crate::random::Chance;
use flowstart_control::{Duration, Instant};
use flowstart_wire::{Packet, Part};
use rand_pcg::Pcg64Mcg;

/// The `position`-th packet of `flow` that comes to a link is lost; the SYN is number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedDrop {
    /// Flow of the packet to drop.
    pub flow: u32,
    /// The packets that are counted: those of a kind, in a handshake that is made of packets; `None`
    /// for all in the direction of data.
    pub part: Option<Part>,
    /// Position of the packet among those.
    pub position: u64,
}

impl ForcedDrop {
    fn counts(&self, packet: &Packet) -> bool {
        self.flow == packet.flow
            && match self.part {
                None => packet.is_forward(),
                part => packet.part() == part,
            }
    }
}

/// What a link loses by chance.
#[derive(Clone, Debug, Default)]
pub enum RandomLoss {
    /// No packet is lost by chance.
    #[default]
    None,
    /// Each packet is lost independently.
    Single(Chance),
    /// Consecutive packets are lost in bursts.
    Bursts(Bursts),
}

impl RandomLoss {
    #[inline]
    fn strikes(&mut self, now: Instant) -> bool {
        match self {
            RandomLoss::None => false,
            RandomLoss::Single(chance) => chance.strikes(),
            RandomLoss::Bursts(bursts) => bursts.strikes(now),
        }
    }
}

/// Gilbert's model (1960), which is Elliott's (1963) with nothing lost in the good state and
/// everything in the bad one: a chain of two states that takes a step with every packet. A
/// channel is bad for a time, though, not for a number of packets: a burst does not outlast a
/// pause, or a retransmission timer that backs off would hit one for minutes.
#[derive(Clone, Debug)]
pub struct Bursts {
    begins: Chance,
    ends: Chance,
    bad: bool,
    last: Instant,
}

impl Bursts {
    /// A pause that no burst outlasts: shorter than any retransmission timer.
    const PAUSE: Duration = Duration::from_millis(100);

    /// A share `loss` of packets is lost, in bursts of `length` packets on average; `loss` is
    /// at most [`Bursts::most`].
    pub fn new(loss: f64, length: f64, begins: Pcg64Mcg, ends: Pcg64Mcg) -> Bursts {
        let leave = 1.0 / length;
        Bursts {
            begins: Chance::new(loss * leave / (1.0 - loss), begins),
            ends: Chance::new(leave, ends),
            bad: false,
            last: Instant::ZERO,
        }
    }

    /// The largest share that can be lost in bursts of this length: there is at least one
    /// packet between two bursts.
    pub fn most(length: f64) -> f64 {
        length / (1.0 + length)
    }

    fn strikes(&mut self, now: Instant) -> bool {
        let paused = now.since(self.last) > Bursts::PAUSE;
        self.last = now;
        self.bad = match self.bad && !paused {
            true => !self.ends.strikes(),
            false => self.begins.strikes(),
        };
        self.bad
    }
}

/// Losses of a link, by chance and forced.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// Losses by chance.
    pub random: RandomLoss,
    /// Packets that are dropped in any case.
    pub forced: Vec<ForcedDrop>,
    /// Packets seen so far of the flow of each forced drop.
    seen: Vec<u64>,
}

impl Losses {
    /// Whether this packet is lost.
    #[inline]
    pub(super) fn strike(&mut self, packet: &Packet, now: Instant) -> bool {
        let random = !matches!(self.random, RandomLoss::None);
        (random | !self.forced.is_empty()) && self.judge(packet, now)
    }

    #[inline(never)]
    fn judge(&mut self, packet: &Packet, now: Instant) -> bool {
        let forced = !self.forced.is_empty() && self.forced(packet);
        forced || self.random.strikes(now)
    }

    fn forced(&mut self, packet: &Packet) -> bool {
        self.seen.resize(self.forced.len(), 0);
        let mut lost = false;
        for (drop, seen) in self.forced.iter().zip(&mut self.seen) {
            if drop.counts(packet) {
                lost |= *seen == drop.position;
                *seen += 1;
            }
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bursts_have_the_mean_loss_and_the_mean_length_asked_for(
            seed in any::<u64>(),
            loss in 0.01..0.3f64,
            length in 1.0..20.0f64,
        ) {
            let random = |index| stream(seed, "test", index);
            let mut bursts = Bursts::new(loss, length, random(0), random(1));
            const PACKETS: usize = 1_000_000;
            let (mut lost, mut begun, mut before) = (0, 0, false);
            for _ in 0..PACKETS {
                let strikes = bursts.strikes(Instant::ZERO);
                lost += usize::from(strikes);
                begun += usize::from(strikes && !before);
                before = strikes;
            }
            // Five standard deviations of as many independent bursts.
            let slack = 5.0 * (2.0 / begun as f64).sqrt();
            let mean = lost as f64 / PACKETS as f64;
            prop_assert!((mean / loss - 1.0).abs() < slack, "{mean} {loss}");
            let found = lost as f64 / begun as f64;
            prop_assert!((found / length - 1.0).abs() < slack, "{found} {length}");
        }
    }

    #[test]
    fn at_the_largest_share_one_packet_passes_between_bursts() {
        let random = |index| stream(1, "test", index);
        let mut bursts = Bursts::new(Bursts::most(3.0), 3.0, random(0), random(1));
        let struck: Vec<bool> = (0..1000).map(|_| bursts.strikes(Instant::ZERO)).collect();
        assert!(struck.windows(2).all(|pair| pair[0] || pair[1]));
    }

    #[test]
    fn a_burst_does_not_outlast_a_pause() {
        let random = |index| stream(1, "test", index);
        let mut bursts = Bursts::new(0.2, 1000.0, random(0), random(1));
        while !bursts.strikes(bursts.last) {}
        assert!(bursts.strikes(bursts.last + Duration::from_millis(100)));
        assert!(!bursts.strikes(bursts.last + Duration::from_millis(101)));
    }
}
