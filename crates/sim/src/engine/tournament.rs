//! Which of a fixed number of links delivers next: a tournament tree.
//!
//! A link has one next delivery, and every delivery changes it. So there is a place for each link,
//! and a change is one comparison for every doubling of their number.

use super::event::{Due, EventId};
use flowstart_network::moment::Moment;

/// The next delivery of every link.
pub(super) struct Tournament {
    /// By the number of a link; a power of two of them.
    moments: Vec<Moment>,
    /// The root is at 1, and what is under `n` at `2 n` and `2 n + 1`: the link that delivers first of
    /// all below, and at the end the links themselves.
    winners: Vec<EventId>,
    /// What comes first of all.
    first: Due,
}

impl Tournament {
    /// That many links, none of which has anything to deliver.
    pub(super) fn new(links: usize) -> Tournament {
        let places = links.next_power_of_two();
        let mut winners = vec![0; 2 * places];
        for node in (1..2 * places).rev() {
            winners[node] = match node.checked_sub(places) {
                Some(link) => link as EventId,
                None => winners[2 * node],
            };
        }
        Tournament {
            moments: vec![Moment::NEVER; places],
            first: Due {
                moment: Moment::NEVER,
                event: winners[1],
            },
            winners,
        }
    }

    /// What comes first of all, at [`Moment::NEVER`] where no link delivers anything.
    #[inline]
    pub(super) fn first(&self) -> Due {
        self.first
    }

    /// A link delivers next at `moment`.
    #[inline(always)]
    pub(super) fn set(&mut self, link: EventId, moment: Moment) {
        self.moments[link as usize] = moment;
        let (mut winner, mut first) = (link, moment);
        let mut at = self.moments.len() + link as usize;
        while at > 1 {
            let other = self.winners[at ^ 1];
            let moment = self.moments[other as usize];
            if moment < first || moment == first && other < winner {
                (winner, first) = (other, moment);
            }
            at /= 2;
            self.winners[at] = winner;
        }
        self.first = Due {
            moment: first,
            event: winner,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Instant;
    use proptest::prelude::*;

    #[test]
    fn with_a_single_link_its_delivery_is_the_first() {
        let mut one = Tournament::new(1);
        assert_eq!(one.first().moment, Moment::NEVER);
        let moment = Moment {
            time: Instant(3),
            cause: Instant(1),
        };
        one.set(0, moment);
        assert_eq!(one.first(), Due { moment, event: 0 });
    }

    proptest! {
        #[test]
        fn the_first_is_the_least_of_all(
            links in 1usize..20,
            changes in prop::collection::vec((any::<usize>(), 0u64..9, 0u64..3), 1..100)
        ) {
            let mut tree = Tournament::new(links);
            let mut all = vec![Moment::NEVER; links];
            for (link, time, cause) in changes {
                let link = link % links;
                all[link] = match time {
                    0 => Moment::NEVER,
                    _ => Moment { time: Instant(time), cause: Instant(cause) },
                };
                tree.set(link as EventId, all[link]);
                let least = *all.iter().min().unwrap();
                prop_assert_eq!(tree.first().moment, least);
                if least != Moment::NEVER {
                    let event = all.iter().position(|moment| *moment == least).unwrap();
                    prop_assert_eq!(tree.first().event as usize, event, "the lowest of equals");
                }
            }
        }
    }
}
