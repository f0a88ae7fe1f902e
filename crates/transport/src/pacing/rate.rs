//! The rate at which a sender without another rate spaces its packets out: Linux's internal
//! pacing, and how many leave together (`tcp_update_pacing_rate`, `tcp_tso_autosize`), and that
//! of RFC 9002.

use super::pacer::Release;
use crate::connection::Connection;
use crate::narrow::{whole, whole_part};
use flowstart_control::model::pacing::GSO_MAX;
use flowstart_control::{Duration, Rate, Window};

/// Data segments of a connection that are never paced.
pub const FREE_SEGMENTS: u64 = 10;
/// `tcp_pacing_ss_ratio`, percent.
const SLOW_START_RATIO: f64 = 200.0;
/// `tcp_pacing_ca_ratio`, percent.
const AVOIDANCE_RATIO: f64 = 120.0;
/// `sk_pacing_shift`: about a millisecond's worth leaves together.
const PACING_SHIFT: u32 = 10;
/// `tcp_tso_rtt_log`: on paths of less than a millisecond or so, more leaves together.
const TSO_RTT_LOG: u32 = 9;
/// `tcp_min_tso_segs`.
pub const MIN_TSO_SEGMENTS: u32 = 2;

/// The rate for a window or, where that is more, what is out. `packet` is what a full segment
/// takes on the wire: the kernel counts payload only, so the waits are the same.
pub fn rate(window: &Window, outstanding: u64, packet: u32, srtt: Duration) -> Rate {
    let ratio = if window.cwnd < window.ssthresh / 2.0 {
        SLOW_START_RATIO
    } else {
        AVOIDANCE_RATIO
    };
    let segments = whole_part(window.cwnd).max(window.segments(outstanding));
    let bytes = segments * f64::from(packet) * ratio / 100.0;
    Rate::of(whole(bytes), srtt)
}

/// RFC 9002 §7.7: so many windows of packets a round trip.
pub(crate) fn windows(gain: f64, window: &Window, packet: u32, srtt: Duration) -> Rate {
    Rate::of(whole(gain * window.cwnd * f64::from(packet)), srtt)
}

/// How many segments leave together at this rate, `least` or more.
pub(crate) fn release(
    rate: Rate,
    least: u32,
    mss: u32,
    packet: u32,
    min_rtt: Option<Duration>,
) -> Release {
    let bytes = rate.bps() / 8;
    let payload = match packet == mss {
        true => bytes,
        false => bytes.saturating_mul(mss.into()) / u64::from(packet),
    };
    let shift = min_rtt.map_or(32, |rtt| (rtt.nanos() / 1000) >> TSO_RTT_LOG);
    let near = if shift < 32 { GSO_MAX >> shift } else { 0 };
    let bytes = ((payload >> PACING_SHIFT) + near).min(GSO_MAX);
    Release {
        burst: ((bytes / u64::from(mss)) as u32).max(least),
        makes_up: true,
        credit: 0,
    }
}

/// The round-trip time that the size of bursts depends on, where it does.
pub(crate) fn tso_rtt(c: &Connection) -> Option<Duration> {
    c.rtt().min_rtt().filter(|_| c.stack().pacing.tso_by_rtt)
}

/// How many segments leave together by the rate that Linux keeps, whether it paces or not.
#[inline(always)]
pub(crate) fn burst(c: &Connection) -> u32 {
    if c.rtt().latest().is_none() {
        return u32::MAX;
    }
    let srtt = c.rtt().srtt();
    let (mss, least) = (c.stack().framing.mss, tso_rtt(c));
    let release = match c.window().pacing {
        Some(rate) => release(rate, c.window().quantum, mss, c.stack().packet(), least),
        None => {
            let rate = rate(c.window(), c.outstanding(), mss, srtt);
            release(rate, MIN_TSO_SEGMENTS, mss, mss, least)
        }
    };
    release.at_most(c.window().most_together).burst
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1448;
    const RTT: Duration = Duration::from_millis(50);

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window {
            cwnd,
            ssthresh,
            ..Window::new(MSS)
        }
    }

    fn payload_rate(cwnd: f64, ssthresh: f64) -> u64 {
        rate(&window(cwnd, ssthresh), 0, MSS, RTT).bps() / 8
    }

    #[test]
    fn slow_start_is_paced_at_twice_the_window_a_round_trip() {
        assert_eq!(payload_rate(10.0, f64::INFINITY), 579_200);
        assert_eq!(payload_rate(1000.0, f64::INFINITY), 57_920_000);
    }

    #[test]
    fn rfc_9002_spreads_a_window_over_four_fifths_of_a_round_trip() {
        let rate = windows(1.25, &window(10.0, 20.0), 1500, RTT);
        assert_eq!(rate.time_for(10 * 1500), Duration::from_millis(40));
    }

    #[test]
    fn above_half_the_threshold_it_is_six_fifths() {
        assert_eq!(payload_rate(49.0, 100.0), 49 * 1448 * 2 * 20);
        assert_eq!(payload_rate(50.0, 100.0), 50 * 1448 * 6 * 4);
    }

    #[test]
    fn a_millisecond_leaves_together() {
        let burst = |cwnd| {
            let rate = rate(&window(cwnd, f64::INFINITY), 0, MSS, RTT);
            release(rate, MIN_TSO_SEGMENTS, MSS, MSS, Some(RTT)).burst
        };
        assert_eq!([burst(10.0), burst(100.0), burst(1000.0)], [2, 3, 39]);
    }

    #[test]
    fn bursts_are_about_a_millisecond_apart_once_there_is_enough_to_send() {
        let apart = |cwnd| {
            let rate = rate(&window(cwnd, f64::INFINITY), 0, MSS, RTT);
            let burst = release(rate, MIN_TSO_SEGMENTS, MSS, MSS, Some(RTT)).burst;
            rate.time_for(u64::from(burst * MSS))
        };
        let us = Duration::from_micros;
        assert_eq!(
            [apart(10.0), apart(100.0), apart(1000.0)],
            [us(5000), us(750), us(975)]
        );
    }

    #[test]
    fn more_leaves_together_where_the_peer_is_near() {
        let slow = Rate::from_bps(8);
        let burst = |us| release(slow, 2, MSS, MSS, Some(Duration::from_micros(us))).burst;
        assert_eq!([burst(600), burst(20_000)], [22, 2]);
    }
}
