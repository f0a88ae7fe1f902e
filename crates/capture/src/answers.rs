//! Which data were sent after the sender had heard of an ACK.

/// Answers may be faster than the handshake by this part of a round trip. An assumption: hosts take some 0.1 ms for a
/// SYN, and paths vary.
const TOLERANCE: u64 = 16;

/// Data of a sender that pass the monitor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sending {
    pub time: u64,
    pub start: u64,
    pub payload: u64,
    /// The end of the furthest data before.
    pub next: u64,
    /// The segment size that both sides agreed on.
    pub mss: u64,
    /// It repeats data.
    pub repeat: bool,
    /// Some of it was not seen before.
    pub fresh: bool,
    /// The sender's time stamp, and the one that it echoes.
    pub stamp: Option<(u32, u32)>,
    /// All up to here was acknowledged by then.
    pub acked: u64,
    /// The receiver takes data up to here, as far as its window is known.
    pub edge: Option<u64>,
}

impl Sending {
    pub(crate) fn end(&self) -> u64 {
        self.start + self.payload
    }

    /// The stamp that it echoes.
    pub(crate) fn echo(&self) -> Option<u32> {
        self.stamp.map(|(_, echo)| echo)
    }
}

/// The handshake's round trip, and its part between monitor and sender. ns
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trip {
    pub rtt: u64,
    pub half: u64,
}

impl Trip {
    /// The capture was taken so near to the sender that its packets pass as it sends them.
    pub(crate) fn is_near(&self) -> bool {
        self.half <= self.rtt / 8
    }
}

/// An ACK that passes the monitor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heard {
    pub time: u64,
    /// All up to here is acknowledged.
    pub acked: u64,
    /// Some beyond that is.
    pub selective: bool,
    /// The receiver's time stamp.
    pub stamp: Option<u32>,
    /// It reports a congestion mark (RFC 3168).
    pub marked: bool,
}

impl Heard {
    /// Whether data from `first` on have reached the receiver.
    pub(crate) fn confirms(&self, first: u64) -> bool {
        self.acked > first || (self.selective && self.acked == first)
    }
}

/// When a sender has heard of an ACK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// What passes from this time on may answer it. ns
    pub time: u64,
    /// Its stamp, which a sender echoes from then on (RFC 7323, section 4.3): exact even if a queue has delayed the
    /// data. None where earlier data have echoed the same.
    stamp: Option<u32>,
}

impl Answer {
    /// The answer to an ACK, after data that have echoed `echo`.
    pub(crate) fn new(ack: &Heard, trip: &Trip, echo: Option<u32>) -> Self {
        let fastest = trip.half.saturating_sub(trip.rtt / TOLERANCE);
        let stamp = ack.stamp.zip(echo);
        Answer {
            time: ack.time.saturating_add(fastest),
            stamp: stamp.and_then(|(stamp, echo)| is_later(stamp, echo).then_some(stamp)),
        }
    }

    /// Whether data were sent after the ACK was heard.
    pub(crate) fn is_heard(&self, data: &Sending) -> bool {
        match (self.stamp, data.echo()) {
            (Some(stamp), Some(echo)) => !is_later(stamp, echo),
            _ => data.time >= self.time,
        }
    }
}

/// Whether a stamp is later than another (RFC 7323, section 5.2: in the arithmetic of sequence numbers).
fn is_later(stamp: u32, other: u32) -> bool {
    (stamp.wrapping_sub(other) as i32) > 0
}

/// Ticks of the time stamps of stacks in use: Linux 6.7 (`tcp_usec_ts`), Linux and FreeBSD, older kernels by HZ. ns
const TICKS: [u64; 4] = [1_000, 1_000_000, 4_000_000, 10_000_000];

/// The sender's clock by its time stamps, set to the monitor's time.
///
/// Of the ticks in use it has the one that is nearest by the stamps of its SYN and its first data. A time is that at
/// which data would have passed if it had waited in no queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    time: u64,
    value: u32,
    /// ns
    tick: u64,
}

impl Clock {
    /// A clock of two stamps and the times at which they passed; none where its ticks are too coarse for the RTT.
    pub(crate) fn new(syn: (u64, u32), first: (u64, u32), trip: &Trip) -> Option<Self> {
        let ticks = u64::from(first.1.wrapping_sub(syn.1));
        let time = first.0.checked_sub(syn.0)?;
        let off = |tick: &u64| (time / tick).max(ticks) / (time / tick).min(ticks).max(1);
        let tick = TICKS.into_iter().min_by_key(off)?;
        // Near the sender the monitor's own clock is finer.
        (ticks > 0 && tick <= trip.rtt / 4 && !trip.is_near()).then_some(Clock {
            time: first.0,
            value: first.1,
            tick,
        })
    }

    /// When data were sent.
    pub(crate) fn time(&self, value: u32) -> u64 {
        let ticks = i64::from(value.wrapping_sub(self.value) as i32);
        let since = ticks.saturating_mul(i64::try_from(self.tick).unwrap_or(i64::MAX));
        self.time.saturating_add_signed(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const FAR: Trip = Trip {
        rtt: 40 * MS,
        half: 40 * MS,
    };

    fn data(time: u64, echo: u32) -> Sending {
        Sending {
            time,
            stamp: Some((0, echo)),
            ..Sending::default()
        }
    }

    #[test]
    fn echoed_stamps_show_what_the_sender_has_heard_even_if_a_queue_delays_the_data() {
        let ack = Heard {
            stamp: Some(7),
            ..Heard::default()
        };
        let answer = Answer::new(&ack, &FAR, Some(5));
        assert!(!answer.is_heard(&data(900 * MS, 5)));
        assert!(answer.is_heard(&data(41 * MS, 7)));
        // A stamp that was echoed before proves nothing; the time decides.
        let answer = Answer::new(&ack, &FAR, Some(7));
        assert!(answer.is_heard(&data(900 * MS, 7)));
        assert!(!answer.is_heard(&data(MS, 7)));
    }

    #[test]
    fn stamps_are_compared_beyond_the_end_of_their_32_bits() {
        let ack = Heard {
            stamp: Some(3),
            ..Heard::default()
        };
        let answer = Answer::new(&ack, &FAR, Some(u32::MAX));
        assert!(!answer.is_heard(&data(0, u32::MAX)));
        assert!(answer.is_heard(&data(0, 4)));
    }

    #[test]
    fn the_senders_clock_has_the_nearest_tick_in_use() {
        // A queue has delayed the first data by 5 ms.
        let clock = Clock::new((0, 100), (45 * MS, 140), &FAR).map(|clock| clock.time(150));
        assert_eq!(clock, Some(55 * MS));
        let near = Trip { half: 0, ..FAR };
        assert!(Clock::new((0, 100), (45 * MS, 140), &near).is_none());
    }

    #[test]
    fn a_selective_ack_confirms_later_data() {
        let ack = Heard {
            acked: 10,
            selective: true,
            ..Heard::default()
        };
        assert!(ack.confirms(10) && ack.confirms(9) && !ack.confirms(11));
        assert!(
            !Heard {
                selective: false,
                ..ack
            }
            .confirms(10)
        );
    }
}
