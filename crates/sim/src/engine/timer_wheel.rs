//! A timer wheel: events that are far off, sorted no further than time has come near them.
//!
//! Most timers are never needed: what they wait for happens first, and they are put off or
//! forgotten. To keep them in order among events that are due in microseconds would make every
//! one of those dearer. So time is cut into ticks, and an event is kept by the highest bit in
//! which its tick differs from the present one. Whenever time reaches such a part, the part is
//! dealt out by the lower bits, so that an event is moved a few times until its tick is there,
//! or until it is not needed any more.

use super::event::{Due, EventId};
use flowstart_control::Instant;

/// A tick is 2^20 ns, about a millisecond.
const TICK_BITS: u32 = 20;
/// One for every bit of a tick.
const PARTS: usize = (u64::BITS - TICK_BITS) as usize;

/// So many events a part that is empty keeps room for: through some go the timers of all flows.
const SHORT: usize = 256;

/// Events of later ticks.
pub(super) struct TimerWheel {
    parts: [Vec<Due>; PARTS],
    /// A bit for every part that is not empty: the lowest is the next.
    occupied: u64,
    /// The present tick.
    tick: u64,
    /// Nothing here is due before this.
    from: Instant,
}

impl Default for TimerWheel {
    fn default() -> TimerWheel {
        TimerWheel {
            parts: [const { Vec::new() }; PARTS],
            occupied: 0,
            tick: 0,
            from: Instant::MAX,
        }
    }
}

impl TimerWheel {
    /// Nothing here is due before this; `Instant::MAX` where there is nothing.
    pub(super) fn from(&self) -> Instant {
        self.from
    }

    /// Takes an event, unless it is due in the present tick.
    pub(super) fn put(&mut self, due: Due) -> Result<(), Due> {
        self.keep(due)?;
        self.look_ahead();
        Ok(())
    }

    /// Time advances to the first part, and what `matters` of it is dealt out; `near` gets what is
    /// due in the tick that has become the present one.
    pub(super) fn advance(&mut self, matters: impl Fn(EventId) -> bool, mut near: impl FnMut(Due)) {
        let part = self.occupied.trailing_zeros();
        self.tick = self.beginning(part);
        self.occupied &= !(1 << part);
        let mut dealt = std::mem::take(&mut self.parts[part as usize]);
        for due in dealt.drain(..).filter(|due| matters(due.event)) {
            if let Err(due) = self.keep(due) {
                near(due);
            }
        }
        dealt.shrink_to(SHORT);
        self.parts[part as usize] = dealt;
        self.look_ahead();
    }

    /// Keeps an event by its tick, if that is a later one.
    fn keep(&mut self, due: Due) -> Result<(), Due> {
        let tick = due.moment.time.0 >> TICK_BITS;
        if tick <= self.tick {
            return Err(due);
        }
        let part = (tick ^ self.tick).ilog2();
        self.parts[part as usize].push(due);
        self.occupied |= 1 << part;
        Ok(())
    }

    fn look_ahead(&mut self) {
        self.from = match self.occupied {
            0 => Instant::MAX,
            occupied => Instant(self.beginning(occupied.trailing_zeros()) << TICK_BITS),
        };
    }

    /// The first tick of a part: the present one with that bit set, and zeros below.
    fn beginning(&self, part: u32) -> u64 {
        (self.tick >> part | 1) << part
    }
}
