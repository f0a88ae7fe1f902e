//! Which of a fixed number of links delivers next: a tournament.
//!
//! A link has one next delivery, and every delivery changes it. So there is a place for each link.
//! Few links are looked through where the first has delivered; any other only plays against the
//! first. More are in groups, whose firsts play a separate tournament.

use super::event::{Due, EventId};
use flowstart_network::moment::Moment;

/// So many links are looked through.
const GROUP: usize = 8;

/// The next delivery of every link.
pub(super) struct Tournament {
    /// By the number of a link.
    moments: Vec<Moment>,
    /// What comes first of all.
    first: Due,
    /// The groups of more links than are looked through.
    groups: Option<Box<Groups>>,
}

/// Links in groups.
struct Groups {
    /// The first link of each group.
    firsts: Vec<EventId>,
    /// The tournament of the groups.
    tournament: Tournament,
}

impl Tournament {
    /// That many links, none of which has anything to deliver.
    pub(super) fn new(links: usize) -> Tournament {
        Tournament {
            moments: vec![Moment::NEVER; links],
            first: Due {
                moment: Moment::NEVER,
                event: 0,
            },
            groups: (links > GROUP).then(|| Box::new(Groups::new(links.div_ceil(GROUP)))),
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
        if let Some(groups) = &mut self.groups {
            self.first = groups.first_after(link, &self.moments);
        } else if link == self.first.event {
            self.first = first_of(&self.moments);
        } else {
            let event = link;
            let due = Due { moment, event };
            if due < self.first {
                self.first = due;
            }
        }
    }
}

impl Groups {
    /// That many groups of links none of which has anything to deliver.
    fn new(groups: usize) -> Groups {
        Groups {
            firsts: vec![0; groups],
            tournament: Tournament::new(groups),
        }
    }

    /// The first of all links, one of which has changed.
    #[inline(never)]
    fn first_after(&mut self, link: EventId, moments: &[Moment]) -> Due {
        let group = link as usize / GROUP;
        let begin = group * GROUP;
        let members = &moments[begin..moments.len().min(begin + GROUP)];
        let first = first_of(members);
        self.firsts[group] = begin as EventId + first.event;
        self.tournament.set(group as EventId, first.moment);
        let Due { moment, event } = self.tournament.first();
        let event = self.firsts[event as usize];
        Due { moment, event }
    }
}

/// The first of some links, and of equals the one with the lowest number.
#[inline(always)]
fn first_of(moments: &[Moment]) -> Due {
    // Mostly there are two, one in each direction.
    if let [forward, reverse] = moments {
        let event = EventId::from(reverse < forward);
        let moment = moments[event as usize];
        return Due { moment, event };
    }
    let mut first = Due {
        moment: moments[0],
        event: 0,
    };
    for (event, moment) in (1..).zip(&moments[1..]) {
        // Most differ by their times.
        if moment.time <= first.moment.time && *moment < first.moment {
            let moment = *moment;
            first = Due { moment, event };
        }
    }
    first
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
            links in 1usize..100,
            changes in prop::collection::vec((any::<usize>(), 0u64..9, 0u64..3), 1..300)
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
