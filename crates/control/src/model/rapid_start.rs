//! Rapid Start's rules, for those that grow or recover by them: the signs of a queue,
//! and the first recovery (draft-kazuho-ccwg-rapid-start; h2o/quicly `cc.h`).

use crate::signals::Ack;
use crate::{Duration, Instant, Segments, Window};

/// The rise of the round-trip time that is always a sign of a queue.
const RISE: Duration = Duration::from_millis(4);
/// On paths shorter than this, quicly's clock shows no queue.
const SHORTEST: Duration = Duration::from_millis(4);
/// quicly's unit of time.
const MS: Duration = Duration::from_millis(1);
/// Slots of the last round trip.
const SLOTS: usize = 4;
/// The window never falls below this many segments.
const MINIMUM: Segments = 2.0;

/// The sign of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sense {
    quicly: bool,
    min_rtt: Duration,
    /// The minimum sample of each of the last quarters of a round trip.
    slots: [Duration; SLOTS],
    slot: usize,
    slot_end: Instant,
}

impl Sense {
    /// With the draft's threshold, or quicly's.
    pub(crate) fn new(quicly: bool) -> Sense {
        Sense {
            quicly,
            min_rtt: Duration::MAX,
            slots: [Duration::MAX; SLOTS],
            slot: 0,
            slot_end: Instant::ZERO,
        }
    }

    /// The connection is established: quicly's quarters are counted from here, and its minimum includes
    /// the round trip of the handshake.
    pub(crate) fn begin(&mut self, rtt: Option<Duration>, now: Instant) {
        if self.quicly {
            self.slot_end = whole_ms(now) + MS;
            self.min_rtt = rtt.map_or(Duration::MAX, |rtt| rtt_of_quicly(rtt, now));
        }
    }

    /// A round-trip time was measured.
    pub(crate) fn sample(&mut self, rtt: Duration, now: Instant) {
        if self.quicly {
            return self.sample_of_quicly(rtt_of_quicly(rtt, now), whole_ms(now));
        }
        self.min_rtt = self.min_rtt.min(rtt);
        let quarter = self.min_rtt.over(SLOTS as u64).max(Duration(1));
        for _ in 0..SLOTS {
            if now < self.slot_end {
                break;
            }
            self.slot = (self.slot + 1) % SLOTS;
            self.slots[self.slot] = Duration::MAX;
            self.slot_end += quarter;
        }
        if self.slot_end <= now {
            self.slot_end = now + quarter;
        }
        self.slots[self.slot] = self.slots[self.slot].min(rtt);
    }

    /// quicly's clock has milliseconds (`cc.h`, `quicly_cc_rapid_start_update_rtt`).
    fn sample_of_quicly(&mut self, rtt: Duration, now: Instant) {
        self.min_rtt = self.min_rtt.min(rtt);
        if self.is_off() {
            return;
        }
        if now >= self.slot_end {
            let quarter = self.min_rtt.nanos() / MS.nanos() / SLOTS as u64 * MS.nanos();
            let distance = now.since(self.slot_end).nanos() / quarter + 1;
            for _ in 0..distance.min(SLOTS as u64) {
                self.slot = (self.slot + 1) % SLOTS;
                self.slots[self.slot] = Duration::MAX;
            }
            self.slot_end += Duration(quarter).times(distance);
        }
        self.slots[self.slot] = self.slots[self.slot].min(rtt);
    }

    /// Minimum round trip of the window (`rtt_floor`).
    fn floor(&self) -> Duration {
        self.slots
            .iter()
            .copied()
            .fold(Duration::MAX, Duration::min)
    }

    /// The round-trip time above which there is a queue.
    fn threshold(&self) -> Duration {
        let least = self.min_rtt;
        if self.quicly {
            let share = least.nanos() / MS.nanos() * 35 / 32;
            (least + RISE).max(MS.times(share))
        } else {
            (least + RISE).min(least.times(11).over(10))
        }
    }

    /// Whether the last round trip shows no queue.
    pub(crate) fn no_queue(&self) -> bool {
        let known = self.min_rtt < Duration::MAX && !self.is_off();
        known && self.floor() <= self.threshold()
    }

    /// Whether the path is so short that quicly goes without Rapid Start, for good.
    pub(crate) fn is_off(&self) -> bool {
        self.quicly && self.min_rtt < SHORTEST
    }

    /// Windows that growth adds for each that is acknowledged, and those that are paced over a
    /// round trip.
    pub(crate) fn gains(&self) -> (f64, f64) {
        if self.no_queue() {
            (2.0, 3.0)
        } else {
            (1.0, 2.0)
        }
    }
}

fn whole_ms(time: Instant) -> Instant {
    Instant(time.nanos() / MS.nanos() * MS.nanos())
}

/// A round trip that ends at `now` as quicly measures it, at least a millisecond.
fn rtt_of_quicly(rtt: Duration, now: Instant) -> Duration {
    let whole = match now.nanos().checked_sub(rtt.nanos()) {
        Some(sent) => whole_ms(now).since(whole_ms(Instant(sent))),
        // Measured before the time of this clock.
        None => whole_ms(Instant(rtt.nanos())).since(Instant::ZERO),
    };
    whole.max(MS)
}

/// The shares of the first recovery.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    pub(crate) beta: f64,
    /// Share of each byte delivered by which the window is reduced.
    acked: f64,
    /// Of each byte lost; and what the window is multiplied by at first.
    pub(crate) lost: f64,
}

impl Shares {
    /// Shares for this beta of the congestion control.
    pub(crate) fn new(beta: f64, k: f64) -> Shares {
        Shares {
            beta,
            acked: k * (1.0 - beta),
            lost: beta + k * (1.0 - beta),
        }
    }

    /// What is left of three full paths of which two were lost.
    fn floor(&self, pre_cwnd: Segments) -> Segments {
        pre_cwnd * self.beta / 3.0
    }
}

/// The first recovery of the draft. All in segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recovery {
    shares: Shares,
    floor: Segments,
    cwnd: Segments,
    /// What of the window at the loss has not been accounted for.
    left: Segments,
}

impl Recovery {
    /// The window was `pre_cwnd`.
    pub(crate) fn new(shares: Shares, pre_cwnd: Segments) -> Recovery {
        Recovery {
            shares,
            floor: shares.floor(pre_cwnd).max(MINIMUM),
            cwnd: pre_cwnd * shares.lost,
            left: pre_cwnd,
        }
    }

    /// So much more of the window at the loss was delivered, and lost.
    pub(crate) fn account(&mut self, acked: Segments, lost: Segments) {
        let lost = lost.min(self.left);
        self.left -= lost;
        let acked = acked.min(self.left);
        self.left -= acked;
        self.cwnd -= self.shares.acked * acked + self.shares.lost * lost;
    }

    /// All of it that is not known to be lost was delivered.
    pub(crate) fn end(&mut self) {
        self.account(self.left, 0.0);
    }

    /// Window that the recovery has left so far.
    pub(crate) fn window(&self) -> Segments {
        self.cwnd.max(self.floor)
    }
}

/// The first recovery of quicly (`cc.h`, `quicly_cc_rapid_start_on_recovery`; `cc-pico.c`,
/// `pico_on_lost`). Each loss sets the threshold to the window. Bytes delivered lower the window
/// alone, and only those that are acknowledged before the recovery ends. So slow start continues from
/// the window to the threshold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuiclyRecovery {
    shares: Shares,
    floor: Segments,
    /// What is still to be lost without a reduction: the packet that began the recovery.
    free: Segments,
}

impl QuiclyRecovery {
    /// Reduces the window, to `floor` at least; `lost` where a loss begins the recovery, not a mark.
    pub(crate) fn begin(
        w: &mut Window,
        shares: Shares,
        floor: Segments,
        lost: bool,
    ) -> QuiclyRecovery {
        let floor = shares.floor(w.cwnd).max(floor.min(w.cwnd)).max(MINIMUM);
        w.cwnd = (w.cwnd * shares.lost).max(floor);
        w.ssthresh = w.cwnd;
        QuiclyRecovery {
            shares,
            floor,
            free: if lost { 1.0 } else { 0.0 },
        }
    }

    /// So many bytes were delivered, and lost.
    pub(crate) fn account(&mut self, w: &mut Window, (acked, lost): (u64, u64)) {
        let lost = w.segments(lost);
        let free = self.free.min(lost);
        self.free -= free;
        let lost = lost - free;
        let less = self.shares.acked * w.segments(acked) + self.shares.lost * lost;
        w.cwnd = (w.cwnd - less).max(self.floor).min(w.cwnd);
        if lost > 0.0 {
            w.ssthresh = w.cwnd;
        }
    }
}

/// The flight as the last ACK left it, to see by the next what was lost. In bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flight {
    expected: u64,
    delivered_total: u64,
    /// What the last ACK has shown to be lost, and when it came.
    lost: (Instant, u64),
}

impl Flight {
    /// Counts the bytes of a segment sent.
    pub(crate) fn on_sent(&mut self, bytes: u32) {
        self.expected += u64::from(bytes);
    }

    /// Takes in an ACK; returns what it shows to be delivered and lost since the last.
    pub(crate) fn on_ack(&mut self, a: &Ack) -> (u64, u64) {
        let delivered = a.delivered_total.saturating_sub(self.delivered_total);
        let lost = self.expected.saturating_sub(delivered + a.flight);
        *self = Flight {
            expected: a.flight,
            delivered_total: a.delivered_total,
            lost: (a.now, lost),
        };
        (delivered, lost)
    }

    /// What the ACK that came at `now` has shown to be lost, where it let the window grow before.
    pub(crate) fn lost_at(&self, now: Instant) -> u64 {
        if self.lost.0 == now { self.lost.1 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_ms, ms};

    const MSS: u64 = 1460;
    /// draft-02's K, and draft-00's.
    const DRAFT_02: f64 = 2.0 / 3.0;
    const DRAFT_00: f64 = 11.0 / 18.0;

    fn recovery(beta: f64, k: f64, pre: f64) -> Recovery {
        Recovery::new(Shares::new(beta, k), pre)
    }

    /// The window after so much was delivered and lost of `pre`.
    fn after(beta: f64, k: f64, pre: f64, (acked, lost): (f64, f64)) -> f64 {
        let mut recovery = recovery(beta, k, pre);
        recovery.account(acked, lost);
        recovery.window()
    }

    fn assert_near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-9, "{got}, not {expected}");
    }

    /// V1, V2 and V3
    #[test]
    fn what_is_left_is_beta_of_what_was_delivered_however_far_it_overshot() {
        assert_near(after(0.7, DRAFT_02, 300.0, (100.0, 200.0)), 70.0);
        assert_near(after(0.7, DRAFT_02, 200.0, (100.0, 100.0)), 70.0);
        assert_near(after(0.7, DRAFT_02, 110.0, (100.0, 10.0)), 70.0);
        assert_near(recovery(0.7, DRAFT_02, 300.0).floor, 70.0);
    }

    /// V4
    #[test]
    fn without_losses_beta_of_the_whole_window_is_left() {
        assert_near(after(0.7, DRAFT_02, 150.0, (150.0, 0.0)), 105.0);
    }

    /// V5
    #[test]
    fn with_half_for_beta() {
        assert_near(after(0.5, DRAFT_02, 300.0, (100.0, 200.0)), 50.0);
        for (beta, silence, acked) in [
            (0.5, 5.0 / 6.0, 1.0 / 3.0),
            (0.7, 9.0 / 10.0, 1.0 / 5.0),
            (0.8, 14.0 / 15.0, 2.0 / 15.0),
        ] {
            let shares = Shares::new(beta, DRAFT_02);
            assert_near(shares.lost, silence);
            assert_near(shares.acked, acked);
        }
    }

    /// V9
    #[test]
    fn draft_00_takes_another_way_to_the_same_end() {
        for (beta, silence, acked) in [
            (0.7, 53.0 / 60.0, 11.0 / 60.0),
            (0.5, 29.0 / 36.0, 11.0 / 36.0),
        ] {
            let shares = Shares::new(beta, DRAFT_00);
            assert_near(shares.lost, silence);
            assert_near(shares.acked, acked);
        }
        assert_near(recovery(0.7, DRAFT_00, 300.0).window(), 265.0);
        assert_near(
            after(0.7, DRAFT_00, 300.0, (100.0, 0.0)),
            265.0 - 55.0 / 3.0,
        );
        assert_near(after(0.7, DRAFT_00, 300.0, (100.0, 200.0)), 70.0);
        assert_near(after(0.5, DRAFT_00, 300.0, (100.0, 200.0)), 50.0);
    }

    /// V6 and V9
    #[test]
    fn the_silence_lasts_three_tenths_of_a_full_path_at_the_worst_loss_and_a_third_in_draft_00() {
        let silent = |k: f64| {
            let mut recovery = recovery(0.7, k, 3000.0);
            let (mut flight, mut acked) = (3000.0, 0.0);
            while flight > recovery.window() {
                recovery.account(1.0, 2.0);
                flight -= 3.0;
                acked += 1.0;
            }
            acked
        };
        for (k, of_a_thousand) in [(DRAFT_02, 300.0), (DRAFT_00, 1000.0 / 3.0)] {
            let acked = silent(k);
            assert!(
                (of_a_thousand..of_a_thousand + 1.5).contains(&acked),
                "{acked}"
            );
        }
    }

    /// V10: draft-00 writes its floor as what is left of three full paths of which two were lost.
    #[test]
    fn the_floor_of_draft_00_is_that_of_draft_02() {
        let shares = Shares::new(0.7, DRAFT_00);
        let written = 300.0 * (shares.lost - shares.acked / 3.0 - shares.lost * 2.0 / 3.0);
        assert_near(recovery(0.7, DRAFT_00, 300.0).floor, written);
        assert_near(written, 70.0);
    }

    /// V7
    #[test]
    fn the_round_trip_that_says_that_there_is_a_queue() {
        for (least, draft, quicly) in [
            (20.0, 22.0, 24.0),
            (40.0, 44.0, 44.0),
            (100.0, 104.0, 109.0),
        ] {
            for (variant, expected) in [(false, draft), (true, quicly)] {
                let mut sense = Sense::new(variant);
                sense.sample(ms(least), at_ms(1000.0));
                assert_eq!(sense.threshold(), ms(expected), "{least}");
                assert!(sense.no_queue());
            }
        }
    }

    #[test]
    fn quicly_goes_without_on_paths_below_four_milliseconds_for_good() {
        let mut short = Sense::new(true);
        short.sample(ms(2.9), at_ms(1000.0));
        assert!(!short.no_queue());
        short.sample(ms(5.0), at_ms(2000.0));
        assert!(short.is_off());
    }

    /// One low sample in the last round trip is enough, and no older one.
    #[test]
    fn the_floor_is_the_least_of_the_last_round_trip() {
        let mut sense = Sense::new(false);
        sense.sample(ms(100.0), at_ms(1000.0));
        for at in 1..=18 {
            sense.sample(ms(150.0), at_ms(1000.0 + 5.0 * f64::from(at)));
            assert!(sense.no_queue(), "{at}");
        }
        sense.sample(ms(150.0), at_ms(1100.0));
        assert_eq!((sense.floor(), sense.no_queue()), (ms(150.0), false));
        sense.sample(ms(103.0), at_ms(5000.0));
        assert!(sense.no_queue());
    }

    /// As `quicly_cc_type_pico` with the same calls (h2o/quicly at b11d3634): 265 000 bytes, then
    /// 220 840, since it drops what is less than a byte.
    #[test]
    fn after_one_loss_quicly_leaves_a_threshold_above_the_window() {
        let mut w = Window::new(1000);
        w.cwnd = 300.0;
        let shares = Shares::new(0.7, DRAFT_00);
        let mut recovery = QuiclyRecovery::begin(&mut w, shares, 5.0, true);
        assert_near(w.ssthresh, 265.0);
        recovery.account(&mut w, (0, 1000));
        assert_near(w.cwnd, 265.0);
        recovery.account(&mut w, (240_000, 0));
        assert_near(w.cwnd, 221.0);
        assert_near(w.ssthresh, 265.0);
    }

    /// Likewise: 245 160 bytes, then 70 000.
    #[test]
    fn in_quicly_further_losses_lower_window_and_threshold_to_the_floor() {
        let mut w = Window::new(1000);
        w.cwnd = 300.0;
        let shares = Shares::new(0.7, DRAFT_00);
        let mut recovery = QuiclyRecovery::begin(&mut w, shares, 5.0, true);
        recovery.account(&mut w, (60_000, 11_000));
        assert_near(w.cwnd, 265.0 - 11.0 - 530.0 / 60.0);
        assert_near(w.ssthresh, w.cwnd);
        recovery.account(&mut w, (0, 250_000));
        assert_near(w.cwnd, 70.0);
        assert_near(w.ssthresh, 70.0);
    }

    #[test]
    fn what_left_the_flight_without_being_delivered_was_lost() {
        let mut flight = Flight {
            expected: 10 * MSS,
            ..Flight::default()
        };
        let a = Ack {
            delivered_total: 3 * MSS,
            flight: 5 * MSS,
            ..Ack::of(Instant::ZERO, 0)
        };
        assert_eq!(flight.on_ack(&a), (3 * MSS, 2 * MSS));
        assert_eq!(flight.lost_at(a.now), 2 * MSS);
        assert_eq!(flight.lost_at(at_ms(1.0)), 0);
        assert_eq!(flight.on_ack(&a), (0, 0));
    }
}
