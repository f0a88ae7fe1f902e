//! Offers and completion times by the rules of receivers, as sequences of the real libraries and by
//! hand.

use super::*;
use std::collections::BTreeSet;

const MS: u64 = 1_000_000;
const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const RTT: Duration = Duration::from_millis(100);
const HUNDRED_MBPS: u64 = 12_500_000;

/// The limits of a receiver that has measured this round trip; the smallest holds.
struct Levels(Vec<Credit>, Duration);

impl Levels {
    fn limit(&self) -> u64 {
        self.0.iter().map(Credit::limit).min().unwrap()
    }

    fn on_read(&mut self, now: Instant, bytes: u64) -> Option<u64> {
        let before = self.limit();
        for credit in &mut self.0 {
            credit.on_read(now, bytes, self.1);
        }
        Some(self.limit()).filter(|limit| *limit != before)
    }

    fn on_blocked(&mut self, now: Instant) -> Option<u64> {
        self.0[0].on_blocked(now)
    }
}

/// Consumed, the new limit, and when.
type Offer = (u64, u64, Instant);

/// The offers after reads of so many bytes, the n-th at n times their transmission at 100 Mbit/s.
fn offers(options: CreditOptions, read: u64, rtt: Duration, count: usize) -> Vec<(u64, u64)> {
    let mut credit = Credit::new(options, Instant::ZERO);
    let offer = |n: u64| {
        let now = Instant(n * read * 80);
        Some((n * read, credit.on_read(now, read, rtt)?))
    };
    (1..100_000).filter_map(offer).take(count).collect()
}

/// One queue without loss, and a sender that the limit stops, and slow start where it has a window.
struct Path {
    /// Bytes a second.
    rate: u64,
    rtt: Duration,
    /// Payload of a packet, and the unit of reading.
    packet: u64,
    /// The sender reports a limit that stops it.
    reports: bool,
    /// The initial window in bytes, to which each acknowledgement adds what it acknowledges.
    window: u64,
}

/// What reaches an end.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Data(u64),
    Ack(u64),
    Limit(u64),
    Blocked,
}

impl Path {
    const LONG: Path = Path {
        rate: HUNDRED_MBPS,
        rtt: RTT,
        packet: 1200,
        reports: false,
        window: u64::MAX,
    };

    /// When the last of `size` bytes arrives, and the offers.
    fn run(&self, receiver: &mut Levels, size: u64) -> (Instant, Vec<Offer>) {
        let delay = self.rtt.over(2);
        let (mut sent, mut acknowledged, mut consumed) = (0, 0, 0);
        let (mut free, mut limit, mut reported) = (0.0_f64, 0, 0);
        let mut offers = Vec::new();
        let mut events = BTreeSet::from([(Instant::ZERO, 0, Event::Limit(receiver.limit()))]);
        let mut count = 0;
        while let Some((now, _, event)) = events.pop_first() {
            let mut after = |at: Instant, event| {
                count += 1;
                events.insert((at + delay, count, event));
            };
            let offer = match event {
                Event::Data(bytes) => {
                    consumed += bytes;
                    if consumed == size {
                        return (now, offers);
                    }
                    after(now, Event::Ack(bytes));
                    receiver.on_read(now, bytes)
                }
                Event::Blocked => receiver.on_blocked(now),
                Event::Ack(bytes) => {
                    acknowledged += bytes;
                    None
                }
                Event::Limit(new) => {
                    limit = limit.max(new);
                    None
                }
            };
            if let Some(limit) = offer {
                offers.push((consumed, limit, now));
                after(now, Event::Limit(limit));
            }
            let room = self.window.saturating_add(2 * acknowledged);
            while sent < size.min(limit) {
                let bytes = self.packet.min(size - sent).min(limit - sent);
                if sent + bytes > room {
                    break;
                }
                free = free.max(now.nanos() as f64) + bytes as f64 * 1e9 / self.rate as f64;
                sent += bytes;
                after(Instant(free.round() as u64), Event::Data(bytes));
            }
            if self.reports && sent == limit && sent < size && reported != limit {
                reported = limit;
                after(Instant(free as u64), Event::Blocked);
            }
        }
        panic!("a limit stops the transfer for ever");
    }

    fn duration(&self, options: CreditOptions, size: u64) -> f64 {
        self.duration_of(&[options], size)
    }

    fn duration_of(&self, levels: &[CreditOptions], size: u64) -> f64 {
        let mut receiver = self.receiver(levels);
        self.run(&mut receiver, size).0.nanos() as f64 / 1e6
    }

    fn receiver(&self, levels: &[CreditOptions]) -> Levels {
        let open = |options: &CreditOptions| Credit::new(*options, Instant::ZERO);
        Levels(levels.iter().map(open).collect(), self.rtt)
    }

    fn offers(&self, options: CreditOptions, count: usize) -> Vec<Offer> {
        let mut receiver = self.receiver(&[options]);
        let (_, mut offers) = self.run(&mut receiver, 10_000_000);
        offers.truncate(count);
        offers
    }
}

/// Consumed and limit of offers, without times.
fn limits(offers: &[Offer]) -> Vec<(u64, u64)> {
    offers
        .iter()
        .map(|&(consumed, limit, _)| (consumed, limit))
        .collect()
}

fn at(offers: &[Offer], index: usize) -> f64 {
    (offers[index].2.nanos() as f64 / 1e3).round() / 1e3
}

fn close(measured: f64, expected: f64, tolerance: f64) {
    let off = (measured - expected).abs();
    assert!(off <= tolerance, "{measured} is not {expected}");
}

const EIGHTH: Update = Update::Share(1, 8);
const HALF: Update = Update::Share(1, 2);
const OVER_HALF: Update = Update::MoreThanShare(1, 2);
const QUINN: CreditOptions = CreditOptions::fixed(1_250_000, EIGHTH);

const MSQUIC: CreditOptions = CreditOptions::fixed(64 * KIB, Update::Share(1, 4)).growing(
    WindowGrowth::DoubleByRate {
        rtts: 4,
        clock: Clock::Open,
        over_half: false,
    },
    16 * MIB,
);
const DOT_NET: CreditOptions = CreditOptions::fixed(65_535, EIGHTH).growing(
    WindowGrowth::DoubleByRate {
        rtts: 1,
        clock: Clock::Open,
        over_half: false,
    },
    16 * MIB,
);
const GO_YAMUX: CreditOptions = CreditOptions::fixed(256 * KIB, HALF).growing(
    WindowGrowth::Double {
        rtts: 4,
        clock: Clock::Open,
    },
    16 * MIB,
);

const fn doubling(first: u64, max: u64) -> CreditOptions {
    CreditOptions::fixed(first, OVER_HALF).growing(WindowGrowth::double(2), max)
}

/// V1: quinn, noq.
#[test]
fn quinn_offers_each_eighth_of_its_window_rounded_up_to_a_read() {
    let expected = [
        (157_200, 1_407_200),
        (314_400, 1_564_400),
        (471_600, 1_721_600),
    ];
    assert_eq!(offers(QUINN, 1200, RTT, 3), expected);
    let expected = [(156_250, 1_406_250), (312_500, 1_562_500)];
    assert_eq!(offers(QUINN, 1250, RTT, 2), expected);
}

/// V2.
#[test]
fn s2n_offers_each_tenth() {
    let s2n = CreditOptions::fixed(3_750_000, Update::Share(1, 10));
    let expected = [
        (375_600, 4_125_600),
        (751_200, 4_501_200),
        (1_126_800, 4_876_800),
    ];
    assert_eq!(offers(s2n, 1200, RTT, 3), expected);
}

/// V3.
#[test]
fn quiche_doubles_its_window_from_the_second_update_on() {
    let quiche = doubling(1_000_000, 16 * MIB);
    let expected = [
        (500_400, 1_500_400),
        (1_000_800, 3_000_800),
        (2_001_600, 6_001_600),
        (4_002_000, 12_002_000),
        (8_002_800, 16_002_800),
    ];
    assert_eq!(offers(quiche, 1200, RTT, 5), expected);
    assert_eq!(offers(quiche, 1250, RTT, 1), [(501_250, 1_501_250)]);
}

/// V4.
#[test]
fn quiche_before_0_29_3_falls_back_to_32_kib_behind_its_first_limit() {
    let old = CreditOptions {
        window: 32 * KIB,
        ..doubling(1_000_000, 16 * MIB)
    };
    let expected = [
        (984_000, 1_016_768),
        (1_000_800, 1_066_336),
        (1_034_400, 1_165_472),
        (1_100_400, 1_362_544),
        (1_232_400, 1_756_688),
        (1_495_200, 2_543_776),
        (2_019_600, 4_116_752),
        (3_068_400, 7_262_704),
    ];
    assert_eq!(offers(old, 1200, RTT, 8), expected);
}

/// V5.
#[test]
fn tquic_doubles_up_to_six_mib() {
    let expected = [
        (1_048_800, 3_145_952),
        (2_097_600, 6_291_904),
        (4_195_200, 10_486_656),
        (7_341_600, 13_633_056),
    ];
    assert_eq!(offers(doubling(2 * MIB, 6 * MIB), 1200, RTT, 4), expected);
}

fn quic_go(first: u64, max: u64) -> CreditOptions {
    CreditOptions::fixed(first, Update::Share(1, 4)).growing(
        WindowGrowth::DoubleByRate {
            rtts: 4,
            clock: Clock::FirstData,
            over_half: true,
        },
        max,
    )
}

/// V6.
#[test]
fn quic_go_grows_at_every_second_update_and_lifts_the_connection_at_the_next_read() {
    let options = FlowControlOptions {
        stream: quic_go(512 * KIB, 6 * MIB),
        connection: quic_go(768 * KIB, 15 * MIB),
        lifts_connection: true,
        ..FlowControlOptions::of_stream(CreditOptions::UNLIMITED)
    };
    let opened = Instant(1);
    let mut receiver = FlowControl::new(options, opened);
    let (mut stream, mut connection) = (Vec::new(), Vec::new());
    for n in 1..=3300 {
        let (s, c) = (receiver.stream.limit(), receiver.connection.limit());
        receiver.on_data(
            n * 1200,
            n * 1200,
            opened + RTT + Duration((n - 1) * 96_000),
        );
        let now = (receiver.stream.limit(), receiver.connection.limit());
        stream.extend((now.0 != s).then_some((n * 1200, now.0)));
        connection.extend((now.1 != c).then_some((n * 1200, now.1)));
    }
    let expected = [
        (132_000, 656_288),
        (264_000, 1_312_576),
        (526_800, 1_575_376),
        (789_600, 2_886_752),
        (1_314_000, 3_411_152),
        (1_838_400, 6_032_704),
        (2_887_200, 7_081_504),
        (3_936_000, 10_227_456),
    ];
    assert_eq!(stream, expected);
    let expected = [
        (196_800, 983_232),
        (265_200, 1_838_064),
        (658_800, 2_231_664),
        (790_800, 3_936_528),
    ];
    assert_eq!(connection[..4], expected);
}

/// V8.
#[test]
fn an_update_of_half_a_window_is_a_whole_number_of_reads() {
    let yamux = CreditOptions::fixed(256 * KIB, HALF);
    for (read, update) in [(16_384, 131_072), (12_288, 135_168), (16_380, 147_420)] {
        assert_eq!(offers(yamux, read, RTT, 1), [(update, update + 256 * KIB)]);
    }
}

/// V9.
#[test]
fn neqo_ends_at_four_thirds_of_the_bdp() {
    let neqo = CreditOptions::fixed(MIB, Update::MoreThanShare(1, 4))
        .growing(WindowGrowth::Excess, 10 * MIB);
    let offers = Path::LONG.offers(neqo, 100);
    let expected = [
        (262_800, 1_311_376),
        (525_600, 1_964_020),
        (885_600, 2_521_228),
        (1_294_576, 2_930_204),
        (1_703_776, 3_369_888),
    ];
    assert_eq!(limits(&offers[..5]), expected);
    close(at(&offers, 0), 71.024, 0.0015);
    close(at(&offers, 4), 223.440, 0.0015);
    let last = offers.last().unwrap();
    assert!((1_666_644..=1_666_672).contains(&(last.1 - last.0)));
}

/// V10.
#[test]
fn msquic_doubles_at_a_rate_of_a_window_in_four_round_trips() {
    let offers = Path::LONG.offers(MSQUIC, 7);
    let expected = [
        (16_800, 147_872),
        (50_400, 312_544),
        (115_936, 378_080),
        (181_472, 705_760),
        (312_544, 1_361_120),
        (574_880, 1_623_456),
        (837_760, 2_934_912),
    ];
    assert_eq!(limits(&offers), expected);
    for (index, time) in [51.344, 54.032, 155.376, 160.619, 171.105]
        .into_iter()
        .enumerate()
    {
        close(at(&offers, index), time, 0.0015);
    }
    close(at(&offers, 6), 297.393, 0.0015);
}

/// V11.
#[test]
fn ngtcp2_offers_each_quarter_and_doubles() {
    let ngtcp2 = CreditOptions::fixed(256 * KIB, Update::MoreThanShare(1, 4))
        .growing(WindowGrowth::double(2), 6 * MIB);
    let offers = Path::LONG.offers(ngtcp2, 6);
    let expected = [
        (66_000, 328_144),
        (132_000, 656_288),
        (263_344, 1_311_920),
        (526_144, 2_623_296),
        (1_051_088, 5_245_392),
        (2_100_320, 8_391_776),
    ];
    assert_eq!(limits(&offers), expected);
    close(at(&offers, 1), 60.560, 0.0015);
    close(at(&offers, 5), 370.899, 0.0015);
}

/// V12.
#[test]
fn googles_server_doubles_with_its_first_update() {
    let google = CreditOptions::fixed(16 * KIB, OVER_HALF).growing(
        WindowGrowth::Double {
            rtts: 2,
            clock: Clock::FirstData,
        },
        16 * MIB,
    );
    let offers = Path::LONG.offers(google, 5);
    let expected = [
        (8_400, 41_168),
        (25_984, 91_520),
        (59_168, 190_240),
        (125_120, 387_264),
        (256_240, 780_528),
    ];
    assert_eq!(limits(&offers), expected);
    close(at(&offers, 0), 50.672, 0.0015);
    close(at(&offers, 4), 460.848, 0.0015);
}

const FRAMES: Path = Path {
    packet: 16_384,
    ..Path::LONG
};

/// V13.
#[test]
fn dot_net_and_yamux_in_go_double_from_the_opening_on() {
    let offers = FRAMES.offers(DOT_NET, 5);
    let expected = [
        (16_384, 81_919),
        (32_768, 163_838),
        (49_152, 311_292),
        (81_919, 344_059),
        (114_687, 638_967),
    ];
    assert_eq!(limits(&offers), expected);
    close(at(&offers, 0), 51.311, 0.0015);
    close(at(&offers, 3), 152.621, 0.0015);

    let offers = FRAMES.offers(GO_YAMUX, 3);
    let expected = [
        (131_072, 655_360),
        (393_216, 1_441_792),
        (917_504, 3_014_656),
    ];
    assert_eq!(limits(&offers), expected);
    close(at(&offers, 0), 60.486, 0.0015);
}

const fn multiplied(first: u64, multiple: Multiple) -> CreditOptions {
    CreditOptions::fixed(first, Update::HalfOfLimit)
        .growing(WindowGrowth::LimitMultiple(multiple), u64::MAX)
}

/// V14.
#[test]
fn aioquic_doubles_its_limit_and_picoquic_triples_it() {
    let expected = [
        (524_400, 2_097_152),
        (1_049_776, 4_194_304),
        (2_098_352, 8_388_608),
    ];
    let aioquic = Path::LONG.offers(multiplied(MIB, Multiple::Two), 3);
    assert_eq!(limits(&aioquic), expected);
    let picoquic = Path::LONG.offers(multiplied(2 * MIB, Multiple::ByRtt), 2);
    assert_eq!(
        limits(&picoquic),
        [(1_048_800, 6_291_456), (3_145_952, 18_874_368)]
    );
    let far = Path {
        rtt: Duration::from_millis(600),
        ..Path::LONG
    };
    let picoquic = far.offers(multiplied(2 * MIB, Multiple::ByRtt), 1);
    assert_eq!(limits(&picoquic), [(1_048_800, 14_680_064)]);
    let upload = Path::LONG.offers(multiplied(65_635, Multiple::ByRtt), 3);
    let expected = [(33_600, 196_905), (99_235, 590_715), (296_505, 1_772_145)];
    assert_eq!(limits(&upload), expected);
}

/// V15.
#[test]
fn a_read_that_does_not_divide_the_update_costs_a_part_of_the_window() {
    let path = Path {
        packet: 1250,
        ..Path::LONG
    };
    let size = 10_000_000;
    for (options, expected) in [
        (CreditOptions::UNLIMITED, 850.0),
        (QUINN, 937.5),
        (CreditOptions::fixed(1_250_000, HALF), 1200.0),
        (CreditOptions::fixed(1_250_000, OVER_HALF), 1551.4),
    ] {
        close(path.duration(options, size), expected, 0.001);
    }
    for (update, expected) in [(EIGHTH, 950.576), (HALF, 1550.672), (OVER_HALF, 1550.672)] {
        let options = CreditOptions::fixed(1_250_000, update);
        close(Path::LONG.duration(options, size), expected, 0.001);
    }
}

/// V16, the part without a congestion window, and V17.
#[test]
fn quinns_window_gives_seven_eighths_of_itself_in_a_round_trip() {
    let path = |packet| Path {
        rate: 125_000_000,
        rtt: Duration::from_millis(150),
        packet,
        ..Path::LONG
    };
    close(path(1250).duration(QUINN, 100_000_000), 12_033.75, 0.001);
    close(path(1200).duration(QUINN, 100_000_000), 13_588.1, 0.1);
    // Payloads of about the size of the real library's, which takes 13 728.98 ms.
    close(path(1167).duration(QUINN, 100_000_000), 13_728.98, 0.2);
}

/// V18 and V19.
#[test]
fn windows_of_http_2_and_yamux_give_published_rates() {
    let path = |mbps: u64, rtt| Path {
        rate: mbps * 125_000,
        rtt: Duration::from_millis(rtt),
        packet: 16_384,
        ..Path::LONG
    };
    let size = 10_000_000;
    let http2 = CreditOptions::fixed(65_535, HALF);
    close(path(1000, 80).duration(http2, size), 12_240.155, 0.01);
    let yamux = CreditOptions::fixed(256 * KIB, HALF);
    close(path(10_000, 60).duration(yamux, size), 2_314.0, 0.1);
    let over_half = CreditOptions::fixed(256 * KIB, OVER_HALF);
    close(path(1000, 100).duration(over_half, size), 6_768.5, 0.1);
    let go = CreditOptions::fixed(4 * MIB, Update::Bytes(4096));
    close(path(10_000, 100).duration(go, 400_000_000), 9_552.0, 1.0);
}

/// V20.
#[test]
fn a_receiver_that_answers_a_stopped_sender_gives_back_half_a_window() {
    let quicly = CreditOptions::fixed(MIB, HALF);
    let mvfst = CreditOptions::fixed(66_560, OVER_HALF);
    for (options, ignored, answered) in [(quicly, 1_895.9, 1_372.6), (mvfst, 29_481.0, 15_454.0)] {
        close(Path::LONG.duration(options, 10_000_000), ignored, 0.6);
        let reporting = Path {
            reports: true,
            ..Path::LONG
        };
        close(reporting.duration(options, 10_000_000), answered, 0.6);
    }
}

/// V22: without a window and in slow start over two paths, in milliseconds.
#[test]
fn ten_megabytes_take_so_long_from_each_receiver() {
    let quiche = doubling(1_000_000, 16 * MIB);
    let old = CreditOptions {
        window: 32 * KIB,
        ..quiche
    };
    let neqo = CreditOptions::fixed(MIB, Update::MoreThanShare(1, 4))
        .growing(WindowGrowth::Excess, 10 * MIB);
    let ngtcp2 = CreditOptions::fixed(256 * KIB, Update::MoreThanShare(1, 4))
        .growing(WindowGrowth::double(2), 6 * MIB);
    let picoquic = [2 * MIB, MIB].map(|first| multiplied(first, Multiple::ByRtt));
    let rows: [(&[CreditOptions], [f64; 4]); 15] = [
        (
            &[CreditOptions::fixed(1 << 50, HALF)],
            [850.0, 1428.8, 155.0, 1456.0],
        ),
        (&[QUINN], [950.6, 1516.8, 1285.1, 2181.7]),
        (
            &[CreditOptions::fixed(3_750_000, Update::Share(1, 10))],
            [850.0, 1428.8, 401.0, 1579.0],
        ),
        (&[quiche], [990.2, 1470.2, 723.0, 1471.0]),
        (&[old], [1482.6, 2022.7, 1471.5, 2365.5]),
        (&[neqo], [889.3, 1430.9, 425.0, 1456.9]),
        (&picoquic, [924.3, 1428.8, 571.5, 1456.0]),
        (
            &[CreditOptions::fixed(MIB, HALF)],
            [1895.9, 2377.9, 2779.6, 3527.8],
        ),
        (
            &[doubling(5 * MIB, 6 * MIB)],
            [850.0, 1428.8, 413.1, 1459.6],
        ),
        (
            &[quic_go(512 * KIB, 6 * MIB)],
            [955.8, 1428.8, 707.8, 1456.0],
        ),
        (&[MSQUIC], [1067.5, 1428.9, 734.2, 1456.0]),
        (
            &[CreditOptions::fixed(66_560, OVER_HALF)],
            [29481.0, 29581.0, 44178.0, 44328.0],
        ),
        (&[ngtcp2], [1002.9, 1428.8, 700.0, 1456.0]),
        (
            &[CreditOptions::fixed(6 * MIB, OVER_HALF)],
            [850.0, 1428.8, 404.7, 1580.9],
        ),
        (
            &[CreditOptions::fixed(MIB, EIGHTH)],
            [1116.7, 1668.8, 1581.7, 2476.9],
        ),
    ];
    for (levels, expected) in rows {
        of_both_paths(1200, 12_000, levels, expected);
    }
    of_both_paths(
        1200,
        12_000,
        &[multiplied(MIB, Multiple::Two)],
        [924.3, 1428.8, 692.1, 1456.0],
    );
}

/// V22, receivers of HTTP/2 and yamux.
#[test]
fn ten_megabytes_in_frames_take_so_long_from_each_receiver() {
    let rust_yamux = CreditOptions::fixed(256 * KIB, HALF).growing(
        WindowGrowth::Double {
            rtts: 2,
            clock: Clock::Open,
        },
        1 << 30,
    );
    let rows = [
        (
            CreditOptions::fixed(65_535, HALF),
            [15651.6, 15850.2, 22915.2, 23215.0],
        ),
        (DOT_NET, [1027.7, 1412.4, 679.5, 1447.5]),
        (
            CreditOptions::fixed(4 * MIB, Update::Bytes(4096)),
            [850.0, 1392.7, 388.2, 1439.2],
        ),
        (
            CreditOptions::fixed(2 * MIB, Update::HalfOfRest),
            [850.0, 1392.7, 988.2, 1883.6],
        ),
        (rust_yamux, [1092.7, 1478.3, 872.5, 1471.1]),
        (GO_YAMUX, [1092.7, 1392.7, 872.5, 1439.2]),
        (
            CreditOptions::fixed(256 * KIB, HALF),
            [4251.5, 4547.6, 5815.2, 6264.8],
        ),
    ];
    for (options, expected) in rows {
        of_both_paths(16_384, 16_384, &[options], expected);
    }
}

/// 10 MB over 100 Mbit/s × 100 ms and over 1 Gbit/s × 150 ms, each without a window and with this one.
fn of_both_paths(packet: u64, window: u64, levels: &[CreditOptions], expected: [f64; 4]) {
    let far = (125_000_000, Duration::from_millis(150));
    let paths = [(HUNDRED_MBPS, RTT), far].into_iter();
    let paths = paths.flat_map(|path| [u64::MAX, window].map(|window| (path, window)));
    for (((rate, rtt), window), expected) in paths.zip(expected) {
        let path = Path {
            rate,
            rtt,
            packet,
            window,
            ..Path::LONG
        };
        // The large ones are rounded to milliseconds.
        let tolerance = if expected > 25_000.0 { 0.5 } else { 0.06 };
        close(path.duration_of(levels, 10_000_000), expected, tolerance);
    }
}

/// Published: h2o #582, grpc-go #2400, rust-yamux #176, kubo #6049, go-libp2p-quic #79, neqo #1820,
/// skywire #4929.
#[test]
fn published_rates_follow_from_the_windows() {
    let rate = |window: u64, update, rtt, size: u64| {
        let path = Path {
            rate: 1_250_000_000,
            rtt: Duration::from_millis(rtt),
            packet: 16_384,
            ..Path::LONG
        };
        size as f64 / path.duration(CreditOptions::fixed(window, update), size) / 1e3
    };
    let fine = Update::Bytes(4096);
    let mib = MIB as f64 / 1e6;
    for (published, measured) in [
        // h2o #582: half of 256 KB in a round trip of 100 ms, MB/s.
        (1.25, rate(256_000, OVER_HALF, 100, 50_000_000)),
        (40.0, rate(4 * MIB, fine, 100, 2_000_000_000)),
        (33.0 / 8.0, rate(256 * KIB, HALF, 60, 100_000_000)),
        (2.5 * mib, rate(512 * KIB, fine, 200, 100_000_000)),
        (40.0 * mib, rate(8 * MIB, fine, 200, 4_000_000_000)),
        (30.0 * mib, rate(9 * MIB / 2, fine, 150, 2_000_000_000)),
        (160.0 / 8.0, rate(MIB, fine, 50, 1_000_000_000)),
        (5.07, rate(768 * KIB, fine, 150, 100_000_000)),
    ] {
        let off = measured / published - 1.0;
        assert!(off.abs() < 0.1, "{published} MB/s, {measured} here");
    }
}

fn opened(options: FlowControlOptions) -> FlowControl {
    FlowControl::new(options, Instant(MS))
}

#[test]
fn the_smaller_limit_holds_and_reports_its_level() {
    let options = FlowControlOptions {
        connection: CreditOptions::fixed(500_000, HALF),
        ..FlowControlOptions::of_stream(QUINN)
    };
    assert_eq!(
        decode(opened(options).field(), 0),
        Some((500_000, Level::Connection))
    );
    let alone = opened(FlowControlOptions::of_stream(QUINN));
    assert_eq!(decode(alone.field(), 0), Some((1_250_000, Level::Stream)));
}

#[test]
fn a_connection_that_counts_arrivals_is_credited_for_what_is_above_a_hole() {
    let by_arrival = CreditOptions::fixed(100_000, HALF).counting_arrivals();
    for (connection, moves) in [
        (CreditOptions::fixed(100_000, HALF), false),
        (by_arrival, true),
    ] {
        let options = FlowControlOptions {
            connection,
            ..FlowControlOptions::of_stream(QUINN)
        };
        let mut receiver = opened(options);
        assert_eq!(receiver.on_data(0, 50_000, Instant(200 * MS)), moves);
    }
}

#[test]
fn a_limit_that_may_be_lost_is_sent_again_until_it_is_used() {
    let mut receiver = opened(FlowControlOptions::of_stream(CreditOptions::fixed(
        100_000, HALF,
    )));
    let mut now = Instant(101 * MS);
    assert!(!receiver.on_data(40_000, 40_000, now));
    assert!(receiver.on_data(60_000, 60_000, now));
    assert_eq!(receiver.deadline(), Some(now + Duration::from_millis(325)));
    receiver.on_data(100_000, 100_000, now);
    for wait in [325, 650, 1300] {
        now += Duration::from_millis(wait);
        assert_eq!(receiver.deadline(), Some(now));
        assert!(receiver.on_timer(now));
    }
    receiver.on_data(101_000, 101_000, now);
    assert_eq!(receiver.deadline(), None);
}

#[test]
fn a_limit_is_not_sent_again_to_a_sender_that_has_stopped_below_it() {
    let mut receiver = opened(FlowControlOptions::of_stream(CreditOptions::fixed(
        100_000, HALF,
    )));
    let now = Instant(101 * MS);
    receiver.on_data(1_000, 1_000, now);
    assert!(receiver.on_data(60_000, 60_000, now));
    assert!(!receiver.on_timer(now + Duration::from_millis(325)));
    assert_eq!(receiver.deadline(), None);
}
