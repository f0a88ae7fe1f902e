//! What a sender with segmentation offload (TSO) lets leave together, and what it holds back until
//! there is more: `tcp_write_xmit` of Linux with `tcp_tso_should_defer`.
//!
//! New data leaves in bursts. One that would be smaller than it might be waits for the next
//! acknowledgement where that is near, so that trains are made of a few segments although every
//! acknowledgement makes room for one.
//!
//! What the application writes is in the write queue in packets (`sk_buff`) of many segments.
//! The rest of one that fits into the window waits for nothing, so trains change step where one
//! ends. Their size follows from the peer's window at the time of the write
//! (`tcp_bound_to_half_wnd`), which is that of the SYN-ACK, unscaled, before anything is
//! acknowledged. What leaves in the first flight is filled up by the same write.

use super::connection::Connection;
use super::pacing::rate::burst;
use crate::narrow::saturated;
use flowstart_control::model::pacing::GSO_MAX;
use flowstart_control::{Duration, Instant};

/// `tcp_tso_win_divisor`: so large a share of the window is burst enough.
const TSO_WIN_DIVISOR: u64 = 3;
/// Nothing waits where the last segment left longer ago than this, or the next acknowledgement is
/// further away; nor where that is half a round trip.
const SHORT: Duration = Duration::from_millis(1);
/// Of a window no larger than this (`TCP_MSS_DEFAULT`) a packet may fill more than half.
const SMALL_WINDOW: u64 = 536;

/// The write queue of one connection, as far as it decides what leaves together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offload {
    /// When the burst under way leaves, and how many segments of it still may.
    at: Instant,
    left: u32,
    /// There are more of them than one.
    several: bool,
    /// How large its packets are, in bytes, up to `written`; full-size ones come after that.
    size: u64,
    written: u64,
    /// Where the packet ends whose data leaves next; zero during the first flight.
    end: u64,
}

/// What becomes of the next segment of new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It leaves.
    Leaves {
        /// It is the last of several, which PSH shows to the receiver.
        pushes: bool,
    },
    /// It waits, and the window is what keeps the burst small.
    WaitsForWindow,
    /// It waits for the peer's window.
    WaitsForPeer,
}

impl Offload {
    /// Whether the next segment of new data leaves, with `pipe` bytes in flight. `repairs` where
    /// losses are being repaired.
    #[inline]
    pub(crate) fn examine(
        &mut self,
        c: &Connection,
        pipe: u64,
        repairs: bool,
        now: Instant,
    ) -> Verdict {
        if (self.left == 0 || self.at != now)
            && let Some(waits) = self.begin_burst(c, pipe, repairs, now)
        {
            return waits;
        }
        self.left -= 1;
        let pushes = self.several && self.left == 0;
        Verdict::Leaves { pushes }
    }

    /// What another burst waits for, if it does.
    fn begin_burst(
        &mut self,
        c: &Connection,
        pipe: u64,
        repairs: bool,
        now: Instant,
    ) -> Option<Verdict> {
        let (mss, cwnd) = (c.mss(), c.window().cwnd_segments());
        let room = cwnd.saturating_sub(pipe.div_ceil(mss));
        let burst = u64::from(burst(c));
        let packet = self.rest_of_packet(c);
        let unsent = c.sendable() - c.nxt();
        if !repairs {
            let by_window = room * mss;
            let by_peer = (c.una().saturating_add(c.peer_window())).saturating_sub(c.nxt());
            let limit = by_window.min(by_peer);
            let enough = limit >= burst * mss
                || match packet < unsent {
                    true => limit >= packet,
                    // The application has no more, and reports it.
                    false => limit > unsent || unsent <= mss,
                }
                || limit >= (cwnd * mss).min(c.peer_window()) / TSO_WIN_DIVISOR;
            if !enough && is_near(c, now) {
                return Some(match by_window < by_peer {
                    true => Verdict::WaitsForWindow,
                    false => Verdict::WaitsForPeer,
                });
            }
        }
        // `tcp_cwnd_test`: two bursts at least fit into the window.
        let quota = room.min((cwnd / 2).max(1)).min(burst);
        self.left = saturated(quota.min(unsent.div_ceil(mss)).max(1));
        (self.several, self.at) = (self.left > 1, now);
        None
    }

    /// What has not been sent of the packet whose data leaves next.
    fn rest_of_packet(&mut self, c: &Connection) -> u64 {
        if c.una() == 0 {
            let size = packet_size(c.peer_window(), c.mss());
            (self.size, self.written) = (size, c.sendable());
            return size;
        }
        if self.end == 0 {
            self.end = c.nxt() + self.size;
        }
        // A burst that began in the last packet may have taken something of this one.
        while self.end <= c.nxt() {
            self.end += match self.end < self.written {
                true => self.size,
                false => packet_size(u64::MAX, c.mss()),
            };
        }
        self.end - c.nxt()
    }
}

/// How many bytes the application writes into a packet: whole segments, of half of the peer's window
/// at most (`tcp_bound_to_half_wnd`).
pub(crate) fn packet_size(window: u64, mss: u64) -> u64 {
    let half = match window > SMALL_WINDOW {
        true => window / 2,
        false => window,
    };
    (GSO_MAX.min(half) / mss).max(1) * mss
}

/// Whether the last segment has just left and the next acknowledgement is about to come.
fn is_near(c: &Connection, now: Instant) -> bool {
    if c.rtt().latest().is_none() || c.outstanding() == 0 {
        return false;
    }
    let srtt = c.rtt().srtt();
    now.since(c.last_sent()) <= SHORT
        && (c.sent().oldest_left() + srtt).since(now) <= SHORT.min(srtt.over(2))
}

#[cfg(test)]
mod tests {
    use super::super::stack::Stack;
    use super::*;
    use crate::rtt::RttSample;
    use Verdict::*;
    use flowstart_control::{Convention, catalog};
    use std::sync::Arc;

    const LEAVES: Verdict = Leaves { pushes: false };

    const RTT: Duration = Duration::from_millis(60);

    /// A connection to a peer that has offered `window` in its SYN-ACK. Ten segments have left at
    /// 0 ms and the first is acknowledged at 60 ms, which has let `then` more leave.
    fn connection(window: u64, cwnd: f64, then: u64, offload: &mut Offload) -> Connection {
        let controller = catalog::controller("slow-start", "reno", Convention::LINUX).unwrap();
        let mut c = Connection::new(Arc::new(Stack::linux()), 0, controller);
        let sample = RttSample::of_handshake(Instant::ZERO);
        c.rtt_mut().sample(&sample, Instant::ZERO + RTT);
        c.set_queued(1000 * c.mss());
        c.set_peer_window(window);
        c.window_mut().cwnd = 10.0;
        send(&mut c, 10, Instant::ZERO, offload);
        c.acknowledge(c.mss(), [].into_iter(), Instant::ZERO + RTT);
        c.set_peer_window(u64::MAX);
        c.window_mut().cwnd = cwnd;
        send(&mut c, then, Instant::ZERO + RTT, offload);
        c
    }

    /// So many segments leave without a check of the window.
    fn send(c: &mut Connection, segments: u64, now: Instant, offload: &mut Offload) {
        for _ in 0..segments {
            offload.left = 0;
            offload.examine(c, 0, true, now);
            let plan = c.next_segment().unwrap();
            c.transmit(plan, 0, now);
        }
        offload.left = 0;
    }

    /// What becomes of the next segment so long after the last has left, where the window has room
    /// for so many.
    fn verdict(c: &Connection, offload: &mut Offload, room: u64, after: Duration) -> Verdict {
        offload.left = 0;
        let pipe = (c.window().cwnd_segments() - room) * c.mss();
        offload.examine(c, pipe, false, Instant::ZERO + RTT + after)
    }

    #[test]
    fn one_segment_waits_for_a_second_while_acknowledgements_are_near() {
        let mut offload = Offload::default();
        let c = connection(65_535, 40.0, 20, &mut offload);
        let soon = Duration::from_micros(600);
        assert_eq!(verdict(&c, &mut offload, 1, soon), WaitsForWindow);
        assert_eq!(verdict(&c, &mut offload, 2, soon), LEAVES);
        // A third of the window is enough, whatever leaves together.
        let c = connection(65_535, 5.0, 0, &mut Offload::default());
        assert_eq!(verdict(&c, &mut offload, 1, soon), LEAVES);
    }

    #[test]
    fn nothing_waits_where_the_last_left_long_ago_or_losses_are_repaired() {
        let mut offload = Offload::default();
        let c = connection(65_535, 40.0, 20, &mut offload);
        let after = Duration::from_micros;
        assert_eq!(verdict(&c, &mut offload, 1, after(1000)), WaitsForWindow);
        assert_eq!(verdict(&c, &mut offload, 1, after(1001)), LEAVES);
        let pipe = 39 * c.mss();
        offload.left = 0;
        assert_eq!(offload.examine(&c, pipe, true, Instant::ZERO + RTT), LEAVES);
    }

    #[test]
    fn nothing_waits_for_an_acknowledgement_that_is_far() {
        let mut offload = Offload::default();
        let mut c = connection(65_535, 40.0, 0, &mut offload);
        // All that is out has just left: its acknowledgement is a round trip away.
        c.acknowledge(10 * c.mss(), [].into_iter(), Instant::ZERO + RTT);
        send(&mut c, 20, Instant::ZERO + RTT, &mut offload);
        assert_eq!(verdict(&c, &mut offload, 1, Duration::ZERO), LEAVES);
    }

    #[test]
    fn a_burst_is_half_the_window_or_a_milliseconds_worth() {
        let mut offload = Offload::default();
        // 200 segments in 60 ms, twice as fast: six in 1024 us.
        let c = connection(65_535, 200.0, 22, &mut offload);
        let mut together = |room: u64| {
            let leaves = verdict(&c, &mut offload, room, Duration::ZERO) == LEAVES;
            u32::from(leaves) * (offload.left + 1)
        };
        assert_eq!([together(5), together(6), together(20)], [0, 6, 6]);
    }

    #[test]
    fn a_packet_of_the_write_queue_ends_with_a_separate_burst() {
        let mut offload = Offload::default();
        // Half of 65 535 bytes are 22 segments, and the first flight of ten is filled up.
        let mut c = connection(65_535, 40.0, 0, &mut offload);
        send(&mut c, 20, Instant::ZERO + RTT, &mut offload);
        let mut waits = Vec::new();
        for _ in 30..80 {
            if verdict(&c, &mut offload, 1, Duration::ZERO) == LEAVES {
                waits.push(c.nxt() / c.mss());
            }
            send(&mut c, 1, Instant::ZERO + RTT, &mut offload);
        }
        assert_eq!(waits, [31, 53, 75]);
    }

    #[test]
    fn an_unscaled_window_bounds_the_packets_that_are_written_first_only() {
        let mut offload = Offload::default();
        let mut c = connection(65_535, 40.0, 0, &mut offload);
        offload.written = 40 * c.mss();
        send(&mut c, 44, Instant::ZERO + RTT, &mut offload);
        assert_eq!(
            offload.rest_of_packet(&c),
            (10 + 22 + 22 + 45 - 54) * c.mss()
        );
        let mut scaled = Offload::default();
        let mut c = connection(16 << 20, 40.0, 0, &mut scaled);
        send(&mut c, 1, Instant::ZERO + RTT, &mut scaled);
        assert_eq!(scaled.rest_of_packet(&c), 44 * c.mss());
    }

    #[test]
    fn the_end_of_the_data_does_not_wait() {
        let mut offload = Offload::default();
        let mut c = connection(65_535, 40.0, 20, &mut offload);
        c.set_queued(c.nxt() + c.mss() / 2);
        assert_eq!(verdict(&c, &mut offload, 1, Duration::ZERO), LEAVES);
        c.set_queued(c.nxt() + c.mss() + 1);
        assert_eq!(verdict(&c, &mut offload, 1, Duration::ZERO), WaitsForWindow);
        c.set_peer_window(c.nxt() + c.mss() - c.una() - 1);
        assert_eq!(verdict(&c, &mut offload, 3, Duration::ZERO), WaitsForPeer);
    }
}
