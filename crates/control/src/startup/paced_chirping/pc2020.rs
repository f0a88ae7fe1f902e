//! The form of 2020, without rounds: chirps are as far apart as keeps the load at `gap_load`, which
//! follows the average gap down; where they meet, the startup is over.

use super::excursion::Online;
use super::form::{Answer, End, Form, Moment, Next};
use super::settings::Settings;
use super::train::{Chirp, Plan, Shape, Train};
use crate::model::round_trips::RoundTrips;
use crate::signals::RateSample;
use crate::{Duration, Instant, Reason, Segments, Window};

/// A geometry of one and of two, in 1024ths (`PC_G_G_SHIFT`).
const ONE: u64 = 1024;
const TWO: u64 = 2 * ONE;
/// That of chirps over a discontinuous link is at most this.
const NARROW: u64 = 1536;
/// The number of the first chirp (`PC_INITIAL_CHIRP_NUMBER`).
const FIRST: u64 = 1;
/// Packets of the first two chirps, of the next two, and of all others.
const PACKETS: (usize, usize) = (5, 8);
const SIZES: (u64, u64) = (16, 64);
/// Average gaps in a round trip at first, and load gaps.
const GAPS: u64 = 64;
const LOAD_GAPS: u64 = 16;
/// Both where the round trip is not known, nanoseconds, and the maximum of the first.
const INITIAL: (u64, u64) = (120_000, 2_400_000);
const WIDEST_INITIAL: u64 = 1_000_000;
/// The first load window, packets.
const LOAD_WINDOW: u64 = 10;
/// Queueing that ends the startup, nanoseconds.
const OVERLOAD: u64 = 30_000_000;
/// The share of the minimum round trip, in 1024ths, above which a chirp's minimum queueing delay
/// indicates a standing queue, and the minimum of such a delay over a discontinuous link,
/// nanoseconds.
const STANDING: u64 = 205;
const STANDING_DISCONTINUOUS: u64 = 10_000_000;
/// An estimate above this is none, nanoseconds.
const WIDEST_ESTIMATE: u64 = 100_000_000;
/// The aggregation estimate is in 64ths (`AGGREGATION_SHIFT`); a link above two is discontinuous.
const AGGREGATION_SHIFT: u32 = 6;
const DISCONTINUOUS: u64 = 2;

/// Moves an average by `1/2^shift` of the way.
fn ewma(average: u64, sample: u64, shift: u32) -> u64 {
    average - (average >> shift) + (sample >> shift)
}

/// The position of a number's highest bit.
fn log2(number: u64) -> u32 {
    number.max(1).ilog2()
}

/// What is known of the chirp whose acknowledgements come.
#[derive(Clone, Copy, Debug)]
struct Current {
    online: Online,
    last_delay: u64,
    least_delay: u64,
    /// Packets that came with or close behind the one before, and those that came late.
    aggregated: u64,
    jumps: u64,
}

impl Default for Current {
    fn default() -> Current {
        Current {
            online: Online::default(),
            last_delay: 0,
            least_delay: u64::MAX,
            aggregated: 0,
            jumps: 0,
        }
    }
}

/// State of the form of 2020.
#[derive(Clone)]
pub(super) struct Pc2020 {
    l: usize,
    /// Minimum gap that can be paced, nanoseconds (`lowest_internal_pacing_gap`).
    lowest_gap: u64,
    maximum_chirps: u64,
    gap_avg: u64,
    gap_load: u64,
    load_window: u64,
    /// Ratio of the first gap to the average, in 1024ths.
    geometry: u64,
    /// Number of packets in a chirp.
    n: u64,
    next: u64,
    /// Average aggregation of ACKs, in 64ths.
    aggregation: u64,
    recv_gap: u64,
    /// When the packet acknowledged last had left, and when that was acknowledged.
    sent_at: Option<Instant>,
    heard_at: Option<Instant>,
    /// What a packet took at the delivery rate, and its sample.
    service: Option<(u64, RateSample)>,
    current: Current,
}

impl Pc2020 {
    pub(super) fn new(settings: &Settings) -> Pc2020 {
        Pc2020 {
            l: settings.l as usize,
            lowest_gap: settings.lowest_gap.nanos(),
            maximum_chirps: u64::from(settings.maximum_chirps),
            gap_avg: INITIAL.0,
            gap_load: INITIAL.1,
            load_window: LOAD_WINDOW,
            geometry: TWO,
            n: SIZES.0,
            next: FIRST,
            aggregation: 1 << AGGREGATION_SHIFT,
            recv_gap: INITIAL.1,
            sent_at: None,
            heard_at: None,
            service: None,
            current: Current::default(),
        }
    }

    fn is_discontinuous(&self) -> bool {
        self.aggregation >> AGGREGATION_SHIFT > DISCONTINUOUS
    }

    fn packets(&self) -> usize {
        match self.next - FIRST {
            0 | 1 => PACKETS.0,
            2 | 3 => PACKETS.1,
            _ => self.n as usize,
        }
    }

    /// The next chirp: gaps about the smaller of both averages, and a guard that brings the load of
    /// the whole to one packet each `gap_load`.
    fn chirp(&mut self) -> Plan {
        let packets = self.packets();
        let (mut gap, mut geometry) = (self.gap_avg.min(self.gap_load), self.geometry);
        if self.is_discontinuous() {
            gap -= gap / 4;
            geometry = geometry.min(NARROW);
        }
        let gaps = packets as u64 - 1;
        let shape = Shape {
            packets,
            first: gap * geometry / ONE,
            step: (gap * 2 * (geometry - ONE)).div_ceil(gaps) / ONE,
        };
        let mean = shape.first - shape.step * (gaps - 1) / 2;
        let guard = match self.gap_load.checked_sub(mean) {
            Some(0) | None => gap,
            Some(spare) => self.gap_load + gaps * spare,
        };
        self.next += 1;
        Plan {
            number: self.next - 1,
            shape,
            guard,
            room: 2 * packets,
        }
    }

    /// How packet `index` of a chirp came: its queueing delay, and the spacing of acknowledgements.
    fn measure(&mut self, index: usize, sent_at: Instant, m: &Moment) {
        let heard_at = self.heard_at.replace(m.now);
        let before = self.sent_at.replace(sent_at);
        let send_gap = before.map_or(0, |before| sent_at.since(before).nanos());
        let current = &mut self.current;
        current.least_delay = current.least_delay.min(m.delay);
        let Some(heard_at) = heard_at else { return };
        let recv_gap = m.now.since(heard_at).nanos();
        if recv_gap < self.gap_avg / 2 {
            current.aggregated += 1;
        }
        if recv_gap > send_gap && recv_gap > 2 * self.gap_avg && index > 0 {
            current.jumps += 1;
        }
        let shift = log2(m.flight as u64 + 2).max(4);
        self.recv_gap = ewma(self.recv_gap, recv_gap, shift);
    }

    /// Keeps the fastest of the samples that the application limited, else the latest.
    fn sample_service(&mut self, m: &Moment) {
        let Some(sample) = m.sample.filter(|sample| sample.delivered > 0) else {
            return;
        };
        let faster = self.service.map(|(_, kept)| kept.rate() <= sample.rate());
        if !sample.app_limited || faster != Some(false) {
            let packets = sample.delivered as f64 / f64::from(m.mss);
            let service = sample.interval.nanos() as f64 / packets;
            self.service = Some((service as u64, sample));
        }
    }

    /// Whether there is a standing queue: then the spacing of acknowledgements shows what the path
    /// carries.
    fn stands(&self, rtts: &RoundTrips) -> bool {
        let share = rtts.least.nanos() * STANDING / 1024;
        let threshold = match self.is_discontinuous() {
            true => share.max(STANDING_DISCONTINUOUS),
            false => share,
        };
        let least = self.current.least_delay;
        least != u64::MAX && least > threshold
    }

    /// A chirp is known whole, and its sum of gaps gives an estimate if it has any.
    fn conclude(&mut self, packets: usize, m: &Moment) -> Option<End> {
        let sum = self.current.online.sum();
        let mut estimate = (sum > 0).then(|| sum / (packets as u64 - 1));
        let share = log2(m.flight as u64 + 1).saturating_sub(log2(packets as u64 + 1));
        let mut shift = share.max(1);
        if self.stands(&m.rtts) {
            let service = self.service.map_or(u64::MAX, |(service, _)| service);
            estimate = Some(service.min(self.recv_gap));
            shift = 1;
        }
        let estimate = estimate.filter(|estimate| *estimate <= WIDEST_ESTIMATE);
        self.update(estimate.unwrap_or(self.gap_avg), shift, m.rtts.smoothed);
        if self.gap_load <= self.gap_avg {
            return Some(self.end(m, Some(Reason::Estimate)));
        }
        (self.gap_load < self.lowest_gap).then(|| self.end(m, None))
    }

    fn update(&mut self, estimate: u64, shift: u32, srtt: Duration) {
        self.gap_avg = ewma(self.gap_avg, estimate, shift);
        if self.gap_avg < self.gap_load {
            self.gap_load = ewma(self.gap_load, self.gap_avg, shift + 1);
        }
        let Current {
            jumps, aggregated, ..
        } = self.current;
        let size = match jumps > 0 && aggregated > 0 {
            true => (aggregated + jumps) / jumps,
            false => 1,
        };
        self.aggregation = ewma(self.aggregation, size << AGGREGATION_SHIFT, shift);
        // A chirp is to cover four aggregates.
        self.n = ((4 * self.aggregation) >> AGGREGATION_SHIFT).clamp(SIZES.0, SIZES.1);
        self.geometry = self.geometry();
        self.load_window = srtt.nanos() / self.gap_load.max(1);
    }

    /// As wide as from the load to the average, at most two, and so that gaps differ by a microsecond
    /// or two.
    fn geometry(&self) -> u64 {
        let narrowest = ONE + ((self.n - 1) * ONE * ONE) / (self.gap_avg + 1);
        let wide = self.gap_load * ONE / (self.gap_avg + 1);
        wide.max(narrowest).min(TWO)
    }

    /// What is out, and no more than the round trip holds at the average gap.
    fn exit_window(&self, flight: Segments, least: Duration) -> Segments {
        let holds = (least.nanos() / self.gap_avg.max(1)) as f64;
        let window = match self.is_discontinuous() {
            true => flight,
            false => flight.min(holds),
        };
        window.floor().max(2.0)
    }

    fn end(&self, m: &Moment, reason: Option<Reason>) -> End {
        End::Now {
            window: self.exit_window(m.flight, m.rtts.least),
            reason,
        }
    }
}

impl Form for Pc2020 {
    fn open(&mut self, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.gap_avg = (rtt.nanos() / GAPS).max(1);
            self.gap_load = (rtt.nanos() / LOAD_GAPS).max(1);
        }
        self.gap_avg = self.gap_avg.min(WIDEST_INITIAL);
        self.recv_gap = self.gap_load;
    }

    fn wants_delivery(&self) -> bool {
        true
    }

    fn next(&mut self, m: &Moment, train: &Train, w: &Window) -> Next {
        if m.flight >= self.load_window as f64 {
            return Next::Halt;
        }
        let packets = self.packets();
        if !train.has(packets, w) {
            return Next::Unchirped(packets);
        }
        Next::Chirp(self.chirp())
    }

    fn on_ack(&mut self, m: &Moment) -> Option<End> {
        self.sample_service(m);
        None
    }

    fn on_packet(&mut self, chirp: &Chirp, m: &Moment) -> Option<End> {
        let index = chirp.delays.len() - 1;
        if index == 0 {
            self.current = Current::default();
        }
        if chirp.number >= self.maximum_chirps {
            return Some(self.end(m, None));
        }
        if m.rtts.smoothed.saturating_sub(m.rtts.least).nanos() >= OVERLOAD {
            return Some(self.end(m, Some(Reason::Delay)));
        }
        self.measure(index, chirp.sent_at[index], m);
        if index > 0 {
            let gap = chirp.sent_at[index].since(chirp.sent_at[index - 1]);
            let (last, current) = (chirp.is_known(), &mut self.current);
            let before = current.last_delay;
            current
                .online
                .step(before, m.delay, gap.nanos(), self.l, last);
        }
        self.current.last_delay = m.delay;
        if chirp.is_known() {
            return self.conclude(chirp.packets, m);
        }
        None
    }

    fn on_loss(&mut self, flight: Segments) -> Answer {
        Answer::Window((flight.floor().max(2.0) / 2.0).floor())
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::moment;
    use super::super::rounds::tests::{RTT, US};
    use super::super::settings::settings_of;
    use super::*;

    fn opened(rtt: Option<Duration>) -> Pc2020 {
        let mut form = Pc2020::new(&settings_of(""));
        form.open(rtt);
        form
    }

    #[test]
    fn both_gaps_begin_as_shares_of_the_round_trip() {
        let form = opened(Some(RTT));
        assert_eq!((form.gap_avg, form.gap_load), (312_500, 1_250_000));
        let far = opened(Some(Duration::from_millis(100)));
        assert_eq!((far.gap_avg, far.gap_load), (1_000_000, 6_250_000));
        let unknown = opened(None);
        assert_eq!((unknown.gap_avg, unknown.gap_load), (120_000, 2_400_000));
    }

    #[test]
    fn five_packets_in_twenty_milliseconds_leave_with_a_guard_that_makes_up_for_the_load() {
        let plan = opened(Some(RTT)).chirp();
        assert_eq!((plan.number, plan.shape.packets, plan.room), (1, 5, 10));
        assert_eq!((plan.shape.first, plan.shape.step), (625_000, 156_250));
        assert_eq!(plan.guard, 4_687_500);
    }

    #[test]
    fn sixteen_packets_at_a_hundred_microseconds_keep_a_load_of_four_hundred() {
        let mut form = opened(Some(RTT));
        (form.gap_avg, form.gap_load, form.next) = (100 * US, 400 * US, 5);
        let plan = form.chirp();
        assert_eq!((plan.shape.first, plan.shape.step), (200 * US, 13_333));
        // The code rounds the step down by less than a nanosecond.
        assert_eq!(plan.guard, 400 * US + 15 * (400 * US - 106_669));
    }

    #[test]
    fn where_the_load_is_no_wider_than_the_chirp_the_guard_is_one_gap() {
        let mut form = opened(Some(RTT));
        (form.gap_avg, form.gap_load) = (100 * US, 90 * US);
        assert_eq!(form.chirp().guard, 90 * US);
    }

    #[test]
    fn a_chirp_moves_the_average_by_its_share_of_what_is_out_and_the_load_by_half_of_that() {
        let mut form = opened(Some(RTT));
        form.current.online.step(0, 0, 4 * 200 * US, 5, true);
        let m = Moment {
            flight: 15.0,
            ..moment(RTT)
        };
        assert_eq!(form.conclude(5, &m), None);
        assert_eq!((form.gap_avg, form.gap_load), (284_375, 1_129_296));
        assert_eq!(form.load_window, 17);
    }

    #[test]
    fn it_halts_where_the_load_window_is_out_and_sends_unchirped_what_makes_no_chirp() {
        let mut form = opened(Some(RTT));
        let (mut train, w) = (Train::default(), Window::new(1460));
        let m = |flight: f64| Moment {
            flight,
            ..moment(RTT)
        };
        assert_eq!(form.next(&m(10.0), &train, &w), Next::Halt);
        assert_eq!(form.next(&m(9.0), &train, &w), Next::Unchirped(5));
        train.queue(5 * 1460);
        assert!(matches!(form.next(&m(9.0), &train, &w), Next::Chirp(_)));
    }

    #[test]
    fn it_ends_with_what_is_out_where_the_load_meets_the_average() {
        let mut form = opened(Some(RTT));
        (form.gap_avg, form.gap_load) = (100 * US, 101 * US);
        form.current.online.step(0, 0, 15 * 110 * US, 5, true);
        let end = |form: &mut Pc2020, flight: f64| {
            let m = Moment {
                flight,
                ..moment(RTT)
            };
            form.conclude(16, &m)
        };
        let now = |window: f64| {
            Some(End::Now {
                window,
                reason: Some(Reason::Estimate),
            })
        };
        assert_eq!(end(&mut form, 150.0), now(150.0));
        // At 101.797 us a round trip of 20 ms holds so many.
        assert_eq!(end(&mut form, 400.0), now(196.0));
    }

    #[test]
    fn a_gap_that_cannot_be_paced_leaves_the_threshold_alone() {
        let mut form = opened(Some(RTT));
        (form.gap_avg, form.gap_load) = (20 * US, 39 * US);
        form.current.online.step(0, 0, 15 * 20 * US, 5, true);
        let end = form.conclude(16, &moment(RTT));
        assert!(matches!(end, Some(End::Now { reason: None, .. })));
    }

    #[test]
    fn a_standing_queue_lets_the_delivery_rate_speak() {
        let mut form = opened(Some(RTT));
        form.current.least_delay = 5_000 * US;
        form.recv_gap = 300 * US;
        form.sample_service(&Moment {
            sample: Some(RateSample {
                delivered: 14_600,
                interval: Duration::from_micros(2_400),
                ..RateSample::default()
            }),
            ..moment(RTT)
        });
        form.conclude(5, &moment(RTT));
        // Half way from 312.5 us to the 240 us that a packet took.
        assert_eq!(form.gap_avg, 276_250);
    }

    #[test]
    fn aggregates_make_chirps_longer_and_their_gaps_shorter() {
        let mut form = opened(Some(RTT));
        form.aggregation = 8 << AGGREGATION_SHIFT;
        (form.current.aggregated, form.current.jumps) = (14, 2);
        form.update(312_500, 1, RTT);
        assert_eq!(form.n, 32);
        form.next = 9;
        let plan = form.chirp();
        assert_eq!(plan.shape.packets, 32);
        // Three quarters of 312.5 us, half as wide again.
        assert_eq!(plan.shape.first, 351_562);
    }

    #[test]
    fn with_the_two_hundredth_chirp_it_gives_up_and_leaves_the_threshold_alone() {
        let mut form = opened(Some(RTT));
        let chirp = |number| Chirp {
            number,
            packets: 16,
            start: 0,
            sent_at: vec![Instant::ZERO],
            delays: vec![0],
        };
        assert_eq!(form.on_packet(&chirp(199), &moment(RTT)), None);
        let end = form.on_packet(&chirp(200), &moment(RTT));
        assert!(matches!(end, Some(End::Now { reason: None, .. })));
    }

    #[test]
    fn thirty_milliseconds_of_queueing_end_it() {
        let mut form = opened(Some(RTT));
        let mut m = moment(RTT);
        m.rtts.smoothed = Duration::from_millis(50);
        let chirp = Chirp {
            number: 3,
            packets: 8,
            start: 0,
            sent_at: vec![Instant::ZERO],
            delays: vec![0],
        };
        let end = form.on_packet(&chirp, &m);
        assert!(matches!(
            end,
            Some(End::Now {
                reason: Some(Reason::Delay),
                ..
            })
        ));
    }
}
