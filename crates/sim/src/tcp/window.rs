//! How a Linux receiver's advertised window grows.
//!
//! The kernel offers little at first. Every full segment that arrives in order raises what it
//! offers by two (`tcp_grow_window`), up to the share of the receive buffer that it takes to be
//! payload, and whoever raises it is acknowledged at once. The buffer grows too: once in a
//! round trip as the receiver sees it, what the application has read is measured, and the
//! buffer made large enough for as much more again (dynamic right-sizing, `tcp_rcv_space_adjust`
//! with the formula of kernels since late 2025). Names are the kernel's.
//!
//! The application reads what is in order as it comes. The kernel takes its round trips from
//! timestamps and smooths those of a round; here one acknowledgement at a time is timed, by what
//! the data says its sender had heard.

use flowstart_control::Time;

/// The largest window that a SYN-ACK can offer.
const UNSCALED: u32 = 65_535;
/// Smaller segments do not make the window grow.
const LEAST_SEGMENT: u32 = 128;
/// `TCP_INIT_CWND`: what a round trip is taken to bring before one has been measured, segments.
const INIT_CWND: u64 = 10;
/// `tcp_rcvbuf_low_rtt`: on shorter round trips the buffer grows less.
const LOW_RTT: Time = Time::from_millis(1);

/// A receive buffer, in bytes, headers and bookkeeping included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiveBuffer {
    /// At the opening (`tcp_rmem[1]`).
    pub initial: u64,
    /// What it may grow to (`tcp_rmem[2]`).
    pub largest: u64,
    /// The share of it that is payload.
    pub share: f64,
}

impl ReceiveBuffer {
    /// A stock kernel's, and what it takes to be payload while it does not know better.
    pub const STOCK: ReceiveBuffer = ReceiveBuffer {
        initial: 131_072,
        largest: 32 << 20,
        share: 0.5,
    };

    /// So much payload fits into a buffer of this size.
    pub fn payload(&self, bytes: u64) -> u64 {
        (bytes as f64 * self.share) as u64
    }

    /// The smallest buffer into which so much payload fits.
    pub fn holding(payload: u64, share: f64) -> ReceiveBuffer {
        let initial = (payload as f64 / share).ceil() as u64;
        ReceiveBuffer {
            initial,
            largest: initial,
            share,
        }
    }

    /// What the SYN-ACK offers of a window of at most `window`: before it has seen any data, the
    /// kernel takes half to be payload.
    pub fn first_offer(&self, window: u32) -> u32 {
        let half = u32::try_from(self.initial / 2).unwrap_or(u32::MAX);
        window.min(UNSCALED).min(half)
    }
}

/// What a receiver is told of its window's growth. All in bytes of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// What the SYN-ACK offers.
    pub first: u32,
    /// What the buffer allows at the opening.
    pub clamp: u32,
    /// What it may come to allow.
    pub largest: u32,
    /// A full segment.
    pub mss: u32,
}

/// A receiver's window.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    growth: Growth,
    /// `rcv_ssthresh`: what is offered.
    offered: u32,
    /// `window_clamp`: what the buffer allows.
    clamp: u32,
    /// One past the last byte that was ever allowed: that is not taken back.
    right: u64,
    /// An acknowledgement that is being timed: up to where, and when it left.
    timed: Option<(u64, Time)>,
    rtt: Option<Time>,
    /// `rcvq_space`: where and when the measurement under way began.
    from: u64,
    since: Option<Time>,
    /// The most that a round trip has brought.
    space: u64,
}

/// What a segment of data tells about the window.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its payload.
    pub len: u32,
    /// Whether it came in order.
    pub in_order: bool,
    /// How far its sender had heard that the data had come.
    pub heard: u64,
    /// Everything below has arrived, this segment included.
    pub next: u64,
    /// One past the highest byte that has arrived.
    pub high: u64,
}

impl Tuning {
    /// The window before anything has come.
    pub fn new(growth: Growth) -> Tuning {
        let mss = u64::from(growth.mss);
        let offered = growth.first.min(growth.clamp);
        Tuning {
            growth,
            offered,
            clamp: growth.clamp,
            right: u64::from(growth.first),
            timed: None,
            rtt: None,
            from: 0,
            since: None,
            space: u64::from(offered).min(INIT_CWND * mss),
        }
    }

    /// A SYN has come: what its answer offers.
    pub fn on_syn(&mut self, now: Time) -> u32 {
        self.timed = Some((0, now));
        self.growth.first
    }

    /// Data has come. Whether that made the window grow, so that its sender is to hear of it.
    pub fn on_data(&mut self, arrival: Arrival, now: Time) -> bool {
        if let Some((_, at)) = self.timed.take_if(|(end, _)| arrival.heard >= *end) {
            self.rtt = Some(now.since(at));
        }
        if !arrival.in_order {
            return false;
        }
        self.measure(arrival, now);
        if arrival.len < LEAST_SEGMENT.min(self.growth.mss) {
            return false;
        }
        let room = self.clamp.saturating_sub(self.offered);
        let step = (2 * self.growth.mss).min(room);
        self.offered += step;
        step > 0
    }

    /// `tcp_rcv_space_adjust`.
    fn measure(&mut self, arrival: Arrival, now: Time) {
        let Some(rtt) = self.rtt else { return };
        // The first measurement begins with the connection, which opened just before.
        let since = *self.since.get_or_insert(now);
        if now.since(since) < rtt {
            return;
        }
        let copied = arrival.next - self.from;
        if copied > self.space {
            let missing = arrival.high - arrival.next;
            let window = right_size(copied, self.space, rtt).saturating_add(missing);
            let allowed = window.min(u64::from(self.growth.largest)) as u32;
            self.clamp = self.clamp.max(allowed);
            self.space = copied;
        }
        (self.from, self.since) = (arrival.next, Some(now));
    }

    /// The window of an acknowledgement up to `next`, in a field of this `scale`: rounded up, as
    /// what was allowed once stays allowed (`tcp_select_window`).
    pub fn advertise(&mut self, next: u64, scale: u8, now: Time) -> u32 {
        let unit = 1_u64 << scale;
        let window = u64::from(self.offered).max(self.right.saturating_sub(next));
        let window = window.div_ceil(unit).min(u64::from(UNSCALED)) * unit;
        self.right = self.right.max(next + window);
        self.timed.get_or_insert((next, now));
        window as u32
    }
}

/// The window for a round trip that brought `new` bytes where the most so far was `old`: room
/// for twice as much, and for the growth to go on twice.
fn right_size(new: u64, old: u64, rtt: Time) -> u64 {
    let window = 2 * u128::from(new);
    let grow = if rtt < LOW_RTT {
        window * u128::from(rtt.nanos()) / u128::from(LOW_RTT.nanos())
    } else {
        2 * window * u128::from(new - old) / u128::from(old.max(1))
    };
    u64::try_from(window + grow).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MSS: u32 = 1448;
    const RTT: Time = Time::from_millis(100);

    fn growth(clamp: u32, largest: u32) -> Growth {
        Growth {
            first: 65_535,
            clamp,
            largest,
            mss: MSS,
        }
    }

    fn in_order(next: u64) -> Arrival {
        Arrival {
            len: MSS,
            in_order: true,
            heard: 0,
            next,
            high: next,
        }
    }

    #[test]
    fn a_round_trip_that_brings_more_makes_room_for_twice_the_growth() {
        for (old, new, window) in [
            (100_000, 200_000, 1_200_000),
            (200_000, 210_000, 462_000),
            (65_000, 650_000, 24_700_000),
        ] {
            assert_eq!(right_size(new, old, RTT), window, "{old} {new}");
        }
    }

    #[test]
    fn on_short_round_trips_the_growth_does_not_matter() {
        let short = Time::from_micros(500);
        assert_eq!(right_size(650_000, 65_000, short), 1_300_000 + 650_000);
    }

    #[test]
    fn every_segment_in_order_opens_the_window_by_two_until_the_buffer_is_used() {
        let mut tuning = Tuning::new(growth(38 << 17, 38 << 17));
        assert_eq!(tuning.on_syn(Time::ZERO), 65_535);
        let mut grown = 0;
        for n in 1..=3000 {
            let next = n * u64::from(MSS);
            grown += u64::from(tuning.on_data(in_order(next), RTT));
            let window = tuning.advertise(next, 7, RTT);
            let rule = (65_535 + 2 * MSS * n as u32).min(38 << 17);
            assert_eq!(window, rule.div_ceil(128) * 128);
        }
        // (4 980 736 - 65 535) / 2896.
        assert_eq!(grown, 1698);
    }

    #[test]
    fn what_comes_out_of_order_and_crumbs_do_not() {
        let mut tuning = Tuning::new(growth(1 << 20, 1 << 20));
        let ahead = Arrival {
            in_order: false,
            ..in_order(0)
        };
        assert!(!tuning.on_data(ahead, RTT));
        let crumb = Arrival {
            len: 127,
            ..in_order(127)
        };
        assert!(!tuning.on_data(crumb, RTT));
        assert!(tuning.on_data(in_order(2000), RTT));
    }

    #[test]
    fn a_stock_buffer_grows_once_in_a_round_trip() {
        // 131 072 bytes, half of them payload.
        let mut tuning = Tuning::new(growth(65_536, 16 << 20));
        tuning.on_syn(Time::ZERO);
        let mss = u64::from(MSS);
        // Flights of 10, 20 and 40 segments, each at once, a round trip apart.
        let mut next = 0;
        let mut clamps = Vec::new();
        for (round, flight) in [(1, 10), (2, 20), (3, 40), (4, 80)] {
            let heard = next;
            for _ in 0..flight {
                next += mss;
                let arrival = Arrival {
                    heard,
                    ..in_order(next)
                };
                tuning.on_data(arrival, RTT.times(round));
                tuning.advertise(next, 8, RTT.times(round));
            }
            clamps.push(tuning.clamp);
        }
        // A round trip ends with the first segment of the next: eleven came in the first, one
        // more than it counts on, and the buffer is large enough; then twenty, and forty.
        let of = |new: u64, old: u64| right_size(new * mss, old * mss, RTT) as u32;
        assert_eq!(clamps, [65_536, 65_536, of(20, 11), of(40, 20)]);
    }

    proptest! {
        #[test]
        fn the_right_edge_never_moves_back(
            clamp in 1_000_u32..10_000_000,
            more in 0_u32..50_000_000,
            scale in 0_u8..14,
            arrivals in prop::collection::vec((1_u32..1449, any::<bool>(), 0_u64..300_000_000), 1..300),
        ) {
            let growth = Growth { first: clamp.min(65_535), ..growth(clamp, clamp + more) };
            let mut tuning = Tuning::new(growth);
            let (mut now, mut next) = (Time::ZERO, 0);
            let mut edge = u64::from(tuning.on_syn(now));
            for (len, in_order, gap) in arrivals {
                now += Time(gap);
                next += if in_order { u64::from(len) } else { 0 };
                let high = next + u64::from(len);
                tuning.on_data(Arrival { len, in_order, heard: next, next, high }, now);
                let window = tuning.advertise(next, scale, now);
                // What a field can say bounds it, where the scale is too small.
                if u64::from(window) < (65_535 << scale) {
                    prop_assert!(next + u64::from(window) >= edge);
                }
                edge = edge.max(next + u64::from(window));
                prop_assert!(tuning.offered <= growth.largest);
            }
        }
    }
}
