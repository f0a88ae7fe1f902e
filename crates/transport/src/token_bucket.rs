//! Pacers of QUIC stacks: packets take tokens from a bucket, which is filled at so many windows a
//! round trip. Quinn's and noq's is filled at 1.25, and only once it is too empty for a packet
//! (quinn-proto 0.11.19 and noq-proto 1.4.0, `connection/pacing.rs`). noq fills it at the rate of its
//! congestion control where that sets one. s2n-quic's pacer has the same interface.

use crate::handshake::INITIAL_ACK;
use crate::narrow::narrowed;
use flowstart_control::{Duration, Instant};

/// `BURST_INTERVAL_NANOS`: the capacity is what one window a round trip is in this time.
const BURST_INTERVAL: Duration = Duration::from_millis(2);
/// Minimum of the capacity in packets.
const MIN_BURST_SIZE: u64 = 10;
/// Maximum of the capacity in packets.
const MAX_BURST_SIZE: u64 = 256;
/// The round trip before one is measured (RFC 9002 §6.2.2).
const INITIAL_RTT: Duration = Duration::from_millis(333);

/// Maximum of noq's capacity, in time; one packet if that is more.
const MAX_BURST_INTERVAL: Duration = Duration::from_millis(10);

/// neqo's capacity in packets, and the wait that it does not keep (`rtt.rs`, `GRANULARITY`).
const NEQO_BURST: u64 = 2;
const NEQO_GRANULARITY: Duration = Duration::from_millis(1);

/// tquic's bounds of the capacity in packets, and the time of which it is that of one window a round
/// trip (`MIN_BURST_PACKET_NUM`, `MAX_BURST_PACKET_NUM`, `pacing_granularity`).
const TQUIC_BURST: (u64, u64) = (10, 128);
const TQUIC_GRANULARITY: Duration = Duration::from_millis(1);

/// The stack whose bucket it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// quinn's. Tokens are rounded down, so that a full wait may be a byte short of a full bucket.
    Quinn,
    /// noq's, which rounds to the nearest byte.
    Noq,
    /// neqo's, of two packets and two windows a round trip. A wait of less than a millisecond is not
    /// kept but owed (neqo 0.30.1 at 80ca01e, `pace.rs`; `sender.rs`, `PACING_BURST_SIZE`).
    Neqo,
    /// tquic's, of one window a round trip. A wait lasts until there is a packet, not until it is full
    /// (tquic 1.6.0 at 2a57740, `congestion_control/pacing.rs`; `cubic.rs`, `pacing_rate`).
    Tquic,
    /// s2n-quic's departure times: ten packets leave in each interval, whose length is what they take
    /// at two windows a round trip in slow start, and 1.25 afterwards (s2n-quic-core 0.91.0,
    /// `recovery/pacing.rs`).
    S2n,
    /// picoquic's, which is empty at first, so that the first window is paced as well. It earns 1.25
    /// windows a round trip in slow start and one afterwards, and a wait lasts until there is a packet
    /// (picoquic 1.1.52 at d199d45, `pacing.c`).
    Picoquic,
}

impl Bucket {
    /// Whether it holds nothing before a round trip is measured: then the first packet waits too.
    pub fn begins_empty(self) -> bool {
        self == Bucket::Picoquic
    }

    /// Windows that are earned in a round trip, as a fraction.
    fn rate(self, slow_start: bool) -> (u64, u64) {
        match self {
            Bucket::Quinn | Bucket::Noq | Bucket::S2n => (5, 4),
            Bucket::Neqo => (2, 1),
            Bucket::Tquic => (1, 1),
            Bucket::Picoquic if slow_start => (5, 4),
            Bucket::Picoquic => (1, 1),
        }
    }
}

/// picoquic's windows, in packets, below which it does not pace; its bounds of the capacity, in packets;
/// and the minimum, in bytes, and the time for which the capacity lasts on round trips above four times
/// that in slow start (`picoquic_update_pacing_window`, `PICOQUIC_MAX_BANDWIDTH_TIME_INTERVAL_MAX`).
const PICOQUIC_UNPACED: u64 = 8;
const PICOQUIC_BURST: (u64, u64) = (2, 16);
const PICOQUIC_LONG_BURST: u64 = 0x8000;
const PICOQUIC_INTERVAL: Duration = Duration::from_millis(15);

/// `MINIMUM_PACING_RTT` of s2n-quic: shorter paths are not paced.
const MIN_PACED_RTT: Duration = Duration::from_millis(2);
/// `K_GRANULARITY` of s2n-quic: what is due within this time is due now.
const GRANULARITY: Duration = Duration::from_millis(1);

/// The bucket of one connection. Sizes are bytes of UDP payload.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    kind: Bucket,
    capacity: u64,
    tokens: u64,
    /// What neqo has sent without having earned it.
    debt: u64,
    /// The window from which the capacity was computed.
    window: u64,
    /// When it was filled; for s2n-quic, the departure time.
    filled: Instant,
    /// s2n-quic: how many bytes may leave until the handshake is confirmed.
    unconfirmed: Option<u64>,
    /// Slow start continues.
    slow_start: bool,
}

impl TokenBucket {
    /// A full bucket, for a first window and full packets of `packet` bytes.
    pub fn new(kind: Bucket, window: u64, packet: u64, now: Instant) -> TokenBucket {
        let mut bucket = TokenBucket {
            kind,
            capacity: 0,
            tokens: 0,
            debt: 0,
            window,
            filled: now,
            unconfirmed: None,
            slow_start: true,
        };
        bucket.capacity = bucket.capacity_for(window, packet, INITIAL_RTT);
        if !kind.begins_empty() {
            bucket.tokens = bucket.capacity;
        }
        bucket
    }

    fn capacity_for(&self, window: u64, packet: u64, srtt: Duration) -> u64 {
        let in_time = |time: Duration| {
            let bytes = u128::from(window) * u128::from(time.nanos());
            narrowed(bytes / u128::from(srtt.nanos().max(1)))
        };
        match self.kind {
            Bucket::Picoquic => self.capacity_of_picoquic(window, packet, srtt, &in_time),
            _ => self.bounded(&in_time, packet),
        }
    }

    fn capacity_of_picoquic(
        &self,
        window: u64,
        packet: u64,
        srtt: Duration,
        in_time: &dyn Fn(Duration) -> u64,
    ) -> u64 {
        let (least, most) = PICOQUIC_BURST;
        let quarter = window / 4;
        if quarter < least * packet {
            return least * packet;
        }
        match self.slow_start && srtt > PICOQUIC_INTERVAL.times(4) {
            true if quarter < PICOQUIC_LONG_BURST => PICOQUIC_LONG_BURST,
            true => quarter.max(in_time(PICOQUIC_INTERVAL)),
            false => quarter.min(most * packet),
        }
    }

    /// The capacity, where so many bytes are sent in a time.
    fn bounded(&self, in_time: &dyn Fn(Duration) -> u64, packet: u64) -> u64 {
        let usual = in_time(BURST_INTERVAL).clamp(MIN_BURST_SIZE * packet, MAX_BURST_SIZE * packet);
        match self.kind {
            Bucket::Quinn => usual,
            Bucket::Noq => usual.min(in_time(MAX_BURST_INTERVAL).max(packet)),
            Bucket::Neqo => NEQO_BURST * packet,
            Bucket::Tquic => {
                let (least, most) = TQUIC_BURST;
                in_time(TQUIC_GRANULARITY).clamp(least * packet, most * packet)
            }
            Bucket::S2n | Bucket::Picoquic => MIN_BURST_SIZE * packet,
        }
    }

    /// When a full packet may leave; `None` for now.
    pub fn wait(
        &mut self,
        window: u64,
        packet: u64,
        srtt: Option<Duration>,
        slow_start: bool,
        now: Instant,
    ) -> Option<Instant> {
        let srtt = srtt.filter(|srtt| *srtt > Duration::ZERO);
        let srtt = srtt.unwrap_or(INITIAL_RTT);
        if self.kind == Bucket::S2n {
            return self.departure(window, srtt, slow_start, now);
        }
        let picoquic = self.kind == Bucket::Picoquic;
        let unpaced = picoquic && window < PICOQUIC_UNPACED * packet;
        if window != self.window || picoquic {
            self.slow_start = slow_start;
            self.capacity = self.capacity_for(window, packet, srtt);
            self.tokens = self.tokens.min(self.capacity);
            self.window = window;
        }
        if self.kind == Bucket::Neqo {
            return self.wait_of_neqo(packet, srtt, now);
        }
        if self.tokens >= packet || window > u64::from(u32::MAX) || unpaced {
            return None;
        }
        let earned = self.earned(srtt, now);
        self.tokens = self.tokens.saturating_add(earned).min(self.capacity);
        if earned > 0 || self.kind != Bucket::Noq {
            self.filled = now;
        }
        if self.tokens >= packet {
            return None;
        }
        let enough = match self.kind {
            Bucket::Tquic | Bucket::Picoquic => packet,
            _ => packet.max(self.capacity),
        };
        // Not now, or the time of a very fast path would stand still.
        let time = self.time_for(enough - self.tokens, srtt);
        Some(now + time.max(Duration::from_nanos(1)))
    }

    /// Tokens of the time since the bucket was filled last.
    fn earned(&self, srtt: Duration, now: Instant) -> u64 {
        let (windows, rounds) = self.kind.rate(self.slow_start);
        let elapsed = u128::from(now.since(self.filled).nanos());
        let rtts = u128::from(rounds) * u128::from(srtt.nanos());
        let half = match self.kind {
            Bucket::Noq => rtts / 2,
            _ => 0,
        };
        narrowed((u128::from(self.window) * u128::from(windows) * elapsed + half) / rtts)
    }

    /// The time in which so many tokens are earned.
    fn time_for(&self, missing: u64, srtt: Duration) -> Duration {
        let (windows, rounds) = self.kind.rate(self.slow_start);
        let window = u128::from(self.window.max(1));
        let time = u128::from(srtt.nanos()) * u128::from(missing);
        if matches!(self.kind, Bucket::Tquic | Bucket::Picoquic) {
            // Nothing is earned twice: a wait that is a byte short would never end.
            let (windows, rounds) = (u128::from(windows), u128::from(rounds));
            return Duration::from_nanos(narrowed((time * rounds).div_ceil(window * windows)));
        }
        Duration::from_nanos(narrowed(time / window) / windows * rounds)
    }

    /// neqo's wait begins with the last packet, which is when it counts what it has earned.
    fn wait_of_neqo(&mut self, packet: u64, srtt: Duration, now: Instant) -> Option<Instant> {
        if self.tokens < packet {
            let time = self.time_for(packet + self.debt - self.tokens, srtt);
            let due = self.filled + time;
            if time >= NEQO_GRANULARITY && due > now {
                return Some(due);
            }
        }
        let earned = self.earned(srtt, now);
        let owed = self.debt.saturating_sub(earned);
        let left = earned - (self.debt - owed);
        // What a full packet leaves of it is at most the capacity.
        self.tokens = self.tokens.saturating_add(left).min(self.capacity + packet);
        self.debt = owed;
        self.filled = now;
        None
    }

    /// The same where the congestion control sets a rate, in bytes per second: noq's `delay_at_rate`.
    pub fn wait_at_rate(&mut self, rate: u64, packet: u64, now: Instant) -> Option<Instant> {
        let rate = rate.max(1);
        let in_time = |time: Duration| {
            let bytes = u128::from(rate) * u128::from(time.nanos());
            narrowed(bytes / u128::from(Duration::from_secs(1).nanos()))
        };
        self.capacity = self.bounded(&in_time, packet);
        self.tokens = self.tokens.min(self.capacity);
        // Its capacity is no window's.
        self.window = 0;
        let earned = in_time(now.since(self.filled));
        if earned > 0 {
            self.tokens = self.tokens.saturating_add(earned).min(self.capacity);
            self.filled = now;
        }
        let missing = packet.min(self.capacity).saturating_sub(self.tokens);
        let second = u128::from(Duration::from_secs(1).nanos());
        let time = u128::from(missing) * second / u128::from(rate);
        (missing > 0).then(|| now + Duration::from_nanos(narrowed(time).max(1)))
    }

    /// A client of s2n-quic sends its Initial and the end of its handshake, both padded to a datagram.
    /// Until the handshake is confirmed the latter is in flight, in the first window.
    pub fn end_handshake(&mut self, packet: u64) {
        self.sent((2 * packet).saturating_sub(INITIAL_ACK.into()));
        self.unconfirmed = Some(self.window.saturating_sub(packet));
    }

    /// The handshake is confirmed.
    pub fn confirm(&mut self) {
        self.unconfirmed = None;
    }

    /// Whether a packet has to wait until the handshake is confirmed.
    pub fn holds(&self, packet: u64) -> bool {
        self.unconfirmed.is_some_and(|left| left < packet)
    }

    /// As `wait`, for s2n-quic. The packet that begins an interval sets the departure time of
    /// those behind it.
    fn departure(
        &mut self,
        window: u64,
        srtt: Duration,
        slow_start: bool,
        now: Instant,
    ) -> Option<Instant> {
        if srtt < MIN_PACED_RTT {
            return None;
        }
        if self.filled >= now + GRANULARITY {
            return Some(self.filled);
        }
        if self.tokens == 0 {
            let (times, of) = if slow_start { (2, 1) } else { (5, 4) };
            let time = u128::from(self.capacity) * u128::from(srtt.nanos()) * of;
            let time = time / (u128::from(window.max(1)) * times);
            self.filled = (self.filled + Duration::from_nanos(narrowed(time))).max(now);
            self.tokens = self.capacity;
        }
        None
    }

    /// A packet of so many bytes has left.
    pub fn sent(&mut self, bytes: u64) {
        if self.kind == Bucket::Neqo {
            self.debt += bytes.saturating_sub(self.tokens);
        }
        self.unconfirmed = self.unconfirmed.map(|left| left.saturating_sub(bytes));
        self.tokens = self.tokens.saturating_sub(bytes).min(self.capacity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: u64 = 1472;
    const WINDOW: u64 = 100 * PACKET;
    const RTT: Duration = Duration::from_millis(100);

    /// How many packets leave at once.
    fn burst(bucket: &mut TokenBucket, now: Instant) -> (u64, Instant) {
        for sent in 0.. {
            if let Some(due) = bucket.wait(WINDOW, PACKET, Some(RTT), false, now) {
                return (sent, due);
            }
            bucket.sent(PACKET);
        }
        unreachable!("the bucket is finite")
    }

    #[test]
    fn ten_packets_leave_together_every_eight_milliseconds() {
        let mut bucket = TokenBucket::new(Bucket::Quinn, WINDOW, PACKET, Instant::ZERO);
        let (sent, due) = burst(&mut bucket, Instant::ZERO);
        assert_eq!((sent, due), (10, Instant::from_millis(8)));
        assert_eq!(burst(&mut bucket, due), (10, Instant::from_millis(16)));
    }

    #[test]
    fn neqo_sends_two_packets_and_then_two_windows_a_round_trip() {
        let mut bucket = TokenBucket::new(Bucket::Neqo, 10 * PACKET, PACKET, Instant::ZERO);
        let mut times = Vec::new();
        let mut now = Instant::ZERO;
        while times.len() < 5 {
            match bucket.wait(10 * PACKET, PACKET, Some(RTT), false, now) {
                None => {
                    bucket.sent(PACKET);
                    times.push(now.nanos() / 1_000_000);
                }
                Some(due) => now = due,
            }
        }
        assert_eq!(times, [0, 0, 5, 10, 15]);
    }

    #[test]
    fn neqo_owes_waits_of_less_than_a_millisecond() {
        // A packet takes half a millisecond.
        let mut bucket = TokenBucket::new(Bucket::Neqo, WINDOW, PACKET, Instant::ZERO);
        let (sent, due) = burst(&mut bucket, Instant::ZERO);
        assert_eq!((sent, due), (3, Instant::from_millis(1)));
        assert_eq!(burst(&mut bucket, due), (2, Instant::from_millis(2)));
    }

    #[test]
    fn tquic_waits_for_one_packet_at_one_window_a_round_trip() {
        let mut bucket = TokenBucket::new(Bucket::Tquic, WINDOW, PACKET, Instant::ZERO);
        let (sent, due) = burst(&mut bucket, Instant::ZERO);
        assert_eq!((sent, due), (10, Instant::from_millis(1)));
        assert_eq!(burst(&mut bucket, due), (1, Instant::from_millis(2)));
    }

    #[test]
    fn what_tquic_waits_for_is_there_after_the_wait() {
        let rtt = Duration::from_nanos(60_000_007);
        let window = 12_347;
        let mut bucket = TokenBucket::new(Bucket::Tquic, window, PACKET, Instant::ZERO);
        let mut now = Instant::ZERO;
        for _ in 0..100 {
            if let Some(due) = bucket.wait(window, PACKET, Some(rtt), false, now) {
                now = due;
                assert_eq!(bucket.wait(window, PACKET, Some(rtt), false, now), None);
            }
            bucket.sent(PACKET);
        }
    }

    #[test]
    fn a_fast_path_has_two_milliseconds_in_a_burst() {
        let mut bucket = TokenBucket::new(Bucket::Quinn, WINDOW, PACKET, Instant::ZERO);
        let fast = |bucket: &mut TokenBucket| {
            bucket.wait(
                10_000 * PACKET,
                PACKET,
                Some(RTT),
                false,
                Instant::from_secs(1),
            );
            bucket.capacity / PACKET
        };
        assert_eq!(fast(&mut bucket), 200);
    }

    #[test]
    fn on_a_slow_path_noq_sends_packets_one_by_one_until_the_window_changes() {
        let mut bucket = TokenBucket::new(Bucket::Noq, 10 * PACKET, PACKET, Instant::ZERO);
        assert_eq!(bucket.capacity, PACKET);
        bucket.wait(11 * PACKET, PACKET, Some(RTT), false, Instant::ZERO);
        assert_eq!(bucket.capacity, 11 * PACKET / 10);
    }

    #[test]
    fn at_a_rate_noq_sends_up_to_ten_milliseconds_together_and_then_one_by_one() {
        let mut bucket = TokenBucket::new(Bucket::Noq, 100 * PACKET, PACKET, Instant::ZERO);
        let now = Instant::from_millis(100);
        let rate = 400 * PACKET;
        let mut sent = 0;
        let due = loop {
            if let Some(due) = bucket.wait_at_rate(rate, PACKET, now) {
                break due;
            }
            bucket.sent(PACKET);
            sent += 1;
        };
        assert_eq!((sent, due), (4, now + Duration::from_micros(2500)));
    }

    #[test]
    fn before_a_round_trip_is_measured_it_counts_as_a_third_of_a_second() {
        let mut bucket = TokenBucket::new(Bucket::Noq, 10 * PACKET, PACKET, Instant::ZERO);
        bucket.sent(PACKET);
        let due = bucket.wait(10 * PACKET, PACKET, None, false, Instant::ZERO);
        assert_eq!(due.unwrap().nanos() / 1_000_000, 26);
    }

    #[test]
    fn s2n_sends_ten_packets_in_an_interval_and_twice_as_often_in_slow_start() {
        for (slow_start, interval) in [(true, 5), (false, 8)] {
            let mut bucket = TokenBucket::new(Bucket::S2n, WINDOW, PACKET, Instant::ZERO);
            let mut departures = Vec::new();
            let mut now = Instant::ZERO;
            while departures.len() < 30 {
                match bucket.wait(WINDOW, PACKET, Some(RTT), slow_start, now) {
                    Some(due) => now = due,
                    None => {
                        bucket.sent(PACKET);
                        departures.push(now);
                    }
                }
            }
            let at = |of: usize| departures[of].nanos() / 1_000_000;
            assert_eq!((at(10), at(11), at(20)), (0, interval, interval));
            assert_eq!(at(21), 2 * interval);
        }
    }

    #[test]
    fn a_client_of_s2n_holds_its_tenth_packet_until_the_handshake_is_confirmed() {
        let mut bucket = TokenBucket::new(Bucket::S2n, 10 * PACKET, PACKET, Instant::ZERO);
        bucket.end_handshake(PACKET);
        for _ in 0..9 {
            assert!(!bucket.holds(PACKET));
            bucket.sent(PACKET);
        }
        assert!(bucket.holds(PACKET));
        bucket.confirm();
        assert!(!bucket.holds(PACKET));
    }

    #[test]
    fn a_wait_is_never_empty_on_a_very_short_path() {
        let rtt = Some(Duration::from_micros(20));
        let mut bucket = TokenBucket::new(Bucket::Noq, 10 * PACKET, PACKET, Instant::ZERO);
        let mut now = Instant::ZERO;
        for _ in 0..1000 {
            match bucket.wait(10 * PACKET, PACKET, rtt, false, now) {
                None => bucket.sent(PACKET),
                Some(due) => {
                    assert!(due > now);
                    now = due;
                }
            }
        }
    }

    /// How many packets leave at once after an idle round trip.
    fn burst_of_picoquic(window: u64, srtt: Duration, slow_start: bool) -> u64 {
        let mut bucket = TokenBucket::new(Bucket::Picoquic, window, PACKET, Instant::ZERO);
        let now = Instant::ZERO + srtt;
        for sent in 0.. {
            let due = bucket.wait(window, PACKET, Some(srtt), slow_start, now);
            if due.is_some() || sent == 1000 {
                return sent;
            }
            bucket.sent(PACKET);
        }
        unreachable!("it ends after a thousand")
    }

    /// As `picoquic_update_pacing_window` computes `quantum`.
    #[test]
    fn picoquic_lets_a_quarter_of_the_window_leave_together_within_bounds() {
        let ms = Duration::from_millis;
        assert_eq!(burst_of_picoquic(20 * PACKET, ms(50), true), 5);
        assert_eq!(burst_of_picoquic(100 * PACKET, ms(50), true), 16);
        assert_eq!(burst_of_picoquic(20 * PACKET, ms(100), true), 22);
        assert_eq!(burst_of_picoquic(20 * PACKET, ms(100), false), 5);
        assert_eq!(burst_of_picoquic(200 * PACKET, ms(600), true), 50);
        assert_eq!(burst_of_picoquic(7 * PACKET, ms(100), true), 1000);
    }

    #[test]
    fn picoquic_paces_the_first_packet() {
        let mut bucket = TokenBucket::new(Bucket::Picoquic, WINDOW, PACKET, Instant::ZERO);
        let due = bucket.wait(WINDOW, PACKET, Some(RTT), true, Instant::ZERO);
        assert_eq!(due, Some(Instant::from_micros(800)));
    }

    /// At 1.25 windows a round trip a wait is no whole number of nanoseconds.
    #[test]
    fn a_wait_of_picoquic_ends_with_a_packet() {
        let window = 1_000_000_007;
        let mut bucket = TokenBucket::new(Bucket::Picoquic, window, PACKET, Instant::ZERO);
        let mut now = Instant::ZERO;
        for sent in 0..1000 {
            if let Some(due) = bucket.wait(window, PACKET, Some(RTT), true, now) {
                now = due;
                let again = bucket.wait(window, PACKET, Some(RTT), true, now);
                assert_eq!(again, None, "{sent}");
            }
            bucket.sent(PACKET);
        }
    }
}
