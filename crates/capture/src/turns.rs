//! Transfers: one direction's data between turns of a conversation.
//!
//! A side's transfer continues until there was a turn and a turn back: the other side sent data
//! having heard all of it (its acknowledgement covers every byte), and then this side sends data
//! having heard all of the answer. Both sides' acknowledgements decide, because a monitor near one
//! end sees that end always up to date: by one of them alone, two streams that flow both ways at
//! once would fall into a transfer per packet. With both, such streams are two transfers that
//! overlap, and requests sent before the last answer has arrived (pipelining, HTTP/2) belong to the
//! transfer before.
//!
//! Bytes count by sequence numbers, so the transfers of a direction add up to its bytes, captured or not.

use crate::results::{Direction, Transfer};
use crate::time::{seconds, since};

#[derive(Clone, Copy, Debug)]
struct Open {
    start: u64,
    bytes: u64,
    end: u64,
    acked: Option<u64>,
    answered: bool,
}

/// The open transfers of one connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns {
    open: [Option<Open>; 2],
}

impl Turns {
    /// Bytes not seen before came from `side`: `advanced` of them further than ever, the rest filling a hole. The
    /// packet may acknowledge all that the other side has sent. What ends with this is handed back.
    pub(crate) fn data(
        &mut self,
        side: usize,
        time: u64,
        advanced: u64,
        hears_all: bool,
    ) -> [Option<Finished>; 2] {
        let answered = self.open[side].is_some_and(|open| open.answered);
        let finished = match advanced > 0 && hears_all && answered {
            true => self.finish(),
            false => [None, None],
        };
        match &mut self.open[side] {
            Some(open) => {
                open.bytes += advanced;
                open.end = open.end.max(time);
                if advanced > 0 {
                    (open.acked, open.answered) = (None, false);
                }
            }
            None if advanced > 0 => {
                let open = Open {
                    start: time,
                    bytes: advanced,
                    end: time,
                    acked: None,
                    answered: false,
                };
                self.open[side] = Some(open);
            }
            None => {}
        }
        if let Some(theirs) = &mut self.open[1 - side] {
            theirs.answered |= hears_all && advanced > 0;
        }
        finished
    }

    /// All that `side` has sent was acknowledged.
    pub(crate) fn acknowledged(&mut self, side: usize, time: u64) {
        if let Some(open) = &mut self.open[side] {
            open.acked.get_or_insert(time);
        }
    }

    /// Ends what is open.
    pub(crate) fn finish(&mut self) -> [Option<Finished>; 2] {
        [0, 1].map(|side| self.open[side].take().map(|open| Finished { side, open }))
    }
}

/// A transfer that has ended.
pub(crate) struct Finished {
    side: usize,
    open: Open,
}

impl Finished {
    /// The transfer as a row of its connection.
    pub(crate) fn row(self, connection: usize) -> Transfer {
        let Finished { side, open } = self;
        Transfer {
            connection,
            direction: Direction::BOTH[side],
            start: seconds(open.start),
            bytes: open.bytes,
            end_s: since(open.start, open.end),
            acked_s: open.acked.map(|time| since(open.start, time)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: usize = 0;
    const SERVER: usize = 1;

    fn sizes(talk: &[(usize, u64, bool)]) -> Vec<(Direction, u64)> {
        let mut turns = Turns::default();
        let mut found = Vec::new();
        for (time, &(side, bytes, hears_all)) in talk.iter().enumerate() {
            found.extend(turns.data(side, time as u64, bytes, hears_all));
        }
        found.extend(turns.finish());
        found
            .into_iter()
            .flatten()
            .map(|finished| finished.row(0))
            .map(|transfer| (transfer.direction, transfer.bytes))
            .collect()
    }

    use Direction::{ClientToServer as Up, ServerToClient as Down};

    #[test]
    fn requests_and_responses_are_a_transfer_each() {
        let talk = [
            (CLIENT, 100, true),
            (CLIENT, 50, true),
            (SERVER, 1000, true),
            (SERVER, 500, true),
            (CLIENT, 120, true),
            (SERVER, 700, true),
        ];
        assert_eq!(
            sizes(&talk),
            [(Up, 150), (Down, 1500), (Up, 120), (Down, 700)]
        );
    }

    #[test]
    fn a_server_may_speak_first() {
        let talk = [(SERVER, 20, true), (CLIENT, 30, true), (SERVER, 40, true)];
        assert_eq!(sizes(&talk), [(Up, 30), (Down, 20), (Down, 40)]);
    }

    #[test]
    fn streams_both_ways_at_once_are_two_transfers_at_any_monitor() {
        let near_server: Vec<_> = (0..20)
            .map(|n| {
                if n % 2 == 0 {
                    (CLIENT, 10, n == 0)
                } else {
                    (SERVER, 10, true)
                }
            })
            .collect();
        let near_client: Vec<_> = (0..20)
            .map(|n| {
                if n % 2 == 0 {
                    (CLIENT, 10, true)
                } else {
                    (SERVER, 10, false)
                }
            })
            .collect();
        assert_eq!(sizes(&near_server), [(Up, 100), (Down, 100)]);
        assert_eq!(sizes(&near_client), [(Up, 100), (Down, 100)]);
    }

    #[test]
    fn a_request_sent_before_the_answer_has_arrived_belongs_to_the_one_before() {
        let talk = [
            (CLIENT, 10, true),
            (SERVER, 1000, true),
            (CLIENT, 10, false),
            (SERVER, 1000, true),
        ];
        assert_eq!(sizes(&talk), [(Up, 20), (Down, 2000)]);
    }
}
