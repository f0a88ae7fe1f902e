//! The hosts of a flow's endpoints, where they are not ideal: timers that are late, and senders that
//! hand over packets in turns.

use super::timer::LateTimer;
use flowstart_network::host::{Host, Wake};
use flowstart_network::random::stream;

/// The hosts of both endpoints.
pub(super) struct EndHosts {
    pub(super) sender: LateTimer,
    pub(super) receiver: LateTimer,
    /// Packets that the sender hands over in a turn.
    pub(super) per_turn: u32,
    /// The sender has more to send in its next turn.
    yields: bool,
}

impl EndHosts {
    /// Those of a flow, unless they change nothing.
    pub(super) fn of(
        [sender, receiver]: &[Host; 2],
        seed: u64,
        flow: u32,
    ) -> Option<Box<EndHosts>> {
        let timer = |host: &Host, end| {
            let random = stream(seed, "wakes", 2 * u64::from(flow) + end);
            LateTimer::new(Wake::new(host, random))
        };
        let turns = sender.per_wake > 0 && sender.takes_time();
        (turns || sender.wakes_late() || receiver.wakes_late()).then(|| {
            Box::new(EndHosts {
                sender: timer(sender, 0),
                receiver: timer(receiver, 1),
                per_turn: if turns { sender.per_wake } else { u32::MAX },
                yields: false,
            })
        })
    }

    /// Whether a turn is over in which so many packets have been handed over.
    #[cold]
    #[inline(never)]
    pub(super) fn ends_turn(&mut self, packets: u32) -> bool {
        self.yields = packets >= self.per_turn;
        self.yields
    }

    /// Whether the sender's timer has come for its next turn.
    #[cold]
    #[inline(never)]
    pub(super) fn continues(&mut self) -> bool {
        std::mem::take(&mut self.yields)
    }
}
