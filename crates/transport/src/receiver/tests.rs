//! What a receiver acknowledges, and when: segment by segment.

use super::*;
use crate::receive_window::{Field, ReceiveBuffer};
use flowstart_wire::CongestionHeader;
use proptest::prelude::*;

const MSS: u64 = 10;

fn receiver(ack: AckPolicy) -> Receiver {
    let config = ReceiverConfig {
        options: ReceiverOptions {
            ack,
            ack_reordering: 1,
            confirmation: 0,
            ack_pacer: 0,
            dsack: false,
            comp_sack_delay: Duration::ZERO,
            paws: false,
            echo_at_once: false,
            delays_syn_ack: false,
            batches: false,
        },
        jiffy: None,
        sack: true,
        numbers: false,
        header: 40,
        opening: 40,
        syn_timeout: Duration::from_secs(1),
        client: None,
        early_data: false,
        sack_block_bytes: 8,
        option_bytes: 8,
        window: UNLIMITED_WINDOW,
        growth: None,
        flow_control: None,
        first_stands_in: false,
        delays_repetition_of_last: false,
        window_field: WindowField::Unscaled,
        fast_path: true,
    };
    Receiver::new(Arc::new(config), 0)
}

/// The same that acknowledges what comes at one moment once.
fn in_batches(receiver: Receiver, numbers: bool) -> Receiver {
    let mut config = ReceiverConfig::clone(&receiver.config);
    (config.options.batches, config.numbers) = (true, numbers);
    Receiver::new(Arc::new(config), 0)
}

#[test]
fn what_comes_at_one_moment_is_acknowledged_once() {
    for numbers in [false, true] {
        let mut r = in_batches(receiver(AckPolicy::Every), numbers);
        r.open(Instant::ZERO, Duration::ZERO);
        for n in 0..5 {
            assert!(data(&mut r, n, 7).is_none());
            assert_eq!(r.deadline(), Some(Instant(7)));
        }
        let answer = r.on_timer(Instant(7)).unwrap();
        assert!(matches!(answer.body, Body::Ack(_)));
        assert_eq!((r.delivered(), r.deadline()), (5 * MSS, None));
    }
}

#[test]
fn a_batch_below_the_count_of_delayed_acknowledgements_waits_for_the_timer() {
    let timer = Duration(100);
    let mut r = in_batches(receiver(AckPolicy::Delayed { every: 3, timer }), false);
    r.open(Instant::ZERO, Duration::ZERO);
    data(&mut r, 0, 7);
    data(&mut r, 1, 7);
    assert_eq!(r.deadline(), Some(Instant(107)));
    data(&mut r, 2, 50);
    assert_eq!(r.deadline(), Some(Instant(50)));
}

#[test]
fn without_numbers_a_hole_is_reported_although_a_batch_is_not_over() {
    let mut r = in_batches(receiver(AckPolicy::Every), false);
    r.open(Instant::ZERO, Duration::ZERO);
    assert!(data(&mut r, 0, 7).is_none());
    assert!(data(&mut r, 2, 7).is_some());
}

#[test]
fn a_segment_without_data_above_a_hole_delivers_nothing() {
    let mut r = receiver(AckPolicy::Every);
    r.open(Instant::ZERO, Duration::ZERO);
    data(&mut r, 5, 1);
    let empty = Packet::data(0, 40, 2 * MSS, 0);
    r.on_packet(&empty, Instant(2));
    data(&mut r, 0, 3);
    data(&mut r, 1, 4);
    assert_eq!(r.delivered(), 2 * MSS);
}

proptest! {
    #[test]
    fn all_up_to_the_first_missing_byte_is_delivered_however_segments_overlap(
        segments in prop::collection::vec((0usize..60, 1usize..20), 0..60),
    ) {
        let mut r = receiver(AckPolicy::Every);
        r.open(Instant::ZERO, Duration::ZERO);
        let mut came = [false; 100];
        for (start, length) in segments {
            let packet = Packet::data(0, 50, start as u64, length as u32);
            r.on_packet(&packet, Instant(1));
            came[start..start + length].fill(true);
            let missing = came.iter().position(|came| !came);
            prop_assert_eq!(Some(r.delivered()), missing.map(|at| at as u64));
        }
    }
}

/// ns-2's sink takes packet 0 for a SYN, whenever it comes.
#[test]
fn what_stands_in_for_the_syn_is_acknowledged_at_once_where_that_is() {
    let timer = Duration::from_millis(100);
    let answers = |delays_syn_ack: bool, without_handshake: bool| {
        let mut r = receiver(AckPolicy::Delayed { every: 3, timer });
        let config = Arc::get_mut(&mut r.config).unwrap();
        (config.first_stands_in, config.options.delays_syn_ack) = (true, delays_syn_ack);
        if without_handshake {
            r.open(Instant::ZERO, Duration::ZERO);
        }
        [0, 1].map(|number| data(&mut r, number, number).is_some())
    };
    assert_eq!(answers(false, true), [true, false]);
    assert_eq!(answers(true, true), [false, false]);
    assert_eq!(answers(false, false), [false, false], "the SYN has been");
}

fn data(r: &mut Receiver, number: u64, now: u64) -> Option<Packet> {
    let packet = Packet::data(0, 50, number * MSS, MSS as u32);
    r.on_packet(&packet, Instant(now))
}

fn ack(packet: &Packet) -> &Ack {
    match &packet.body {
        Body::Ack(ack) => ack,
        body => panic!("{body:?} is not an acknowledgement"),
    }
}

fn una(packet: &Packet) -> u64 {
    match ack(packet) {
        Ack::Bytes(ack) => ack.una(),
        Ack::Numbers(ack) => panic!("{ack:?}"),
    }
}

fn blocks(packet: &Packet) -> Vec<(u64, u64)> {
    match ack(packet) {
        Ack::Bytes(ack) => ack.sack_blocks().map(|(a, b)| (a / MSS, b / MSS)).collect(),
        Ack::Numbers(ack) => ack.numbers().collect(),
    }
}

fn option(packet: &Packet) -> AckOption {
    ack(packet).option()
}

fn syn(number: u32) -> Packet {
    let request = None;
    let by_receiver = false;
    let syn = Syn {
        number,
        request,
        by_receiver,
        message: 0,
    };
    Packet::new(0, 40, Body::Syn(syn))
}

fn answer(r: &mut Receiver, number: u32) -> (SynAck, u32) {
    let packet = r.on_packet(&syn(number), Instant::ZERO).unwrap();
    match packet.body {
        Body::SynAck(answer) => (answer, packet.wire),
        body => panic!("{body:?} answers no SYN"),
    }
}

#[test]
fn a_server_confirms_the_handshake_in_its_first_acknowledgement_only() {
    let sizes = |opens: bool| {
        let mut r = receiver(AckPolicy::Every);
        let config = Arc::get_mut(&mut r.config).unwrap();
        (config.numbers, config.options.confirmation) = (true, 169);
        if opens {
            r.on_packet(&syn(0), Instant::ZERO).unwrap();
        }
        let mut wire = |number: u32| {
            let data = Data::new(u64::from(number) * MSS, MSS as u32, number);
            let packet = Packet::new(0, 50, Body::Data(data));
            r.on_packet(&packet, Instant(1)).unwrap().wire
        };
        [wire(0), wire(1)]
    };
    assert_eq!(sizes(true), [40 + 169, 40]);
    assert_eq!(sizes(false), [40, 40]);
}

#[test]
fn blocks_are_reported_newest_first_and_at_most_three() {
    let mut r = receiver(AckPolicy::Every);
    data(&mut r, 0, 0);
    for n in [2, 4, 6, 8] {
        data(&mut r, n, 0);
    }
    let ack = data(&mut r, 10, 0).unwrap();
    assert_eq!(blocks(&ack), [(10, 11), (8, 9), (6, 7)]);
    assert_eq!(ack.wire, 40 + 3 * 8);
    let ack = data(&mut r, 9, 0).unwrap();
    assert_eq!(blocks(&ack), [(8, 11), (6, 7)]);
}

#[test]
fn filling_the_lowest_hole_keeps_the_older_blocks() {
    let mut r = receiver(AckPolicy::Every);
    for n in [1, 3, 5] {
        data(&mut r, n, 0);
    }
    let ack = data(&mut r, 0, 0).unwrap();
    assert_eq!(una(&ack), 2 * MSS);
    assert_eq!(blocks(&ack), [(5, 6), (3, 4)]);
}

#[test]
fn every_second_segment_is_acknowledged_and_a_lone_one_after_the_timer() {
    let mut r = receiver(AckPolicy::Delayed {
        every: 2,
        timer: Duration(100),
    });
    assert!(data(&mut r, 0, 0).is_none());
    assert_eq!(una(&data(&mut r, 1, 10).unwrap()), 2 * MSS);
    assert!(data(&mut r, 2, 20).is_none());
    assert_eq!(r.deadline(), Some(Instant(120)));
    assert!(r.on_timer(Instant(119)).is_none());
    assert_eq!(una(&r.on_timer(Instant(120)).unwrap()), 3 * MSS);
    assert_eq!(r.deadline(), None);
}

#[test]
fn on_a_wheel_an_acknowledgement_waits_until_that_comes_round() {
    let (at_ms, ms) = (Instant::from_millis, Duration::from_millis);
    let mut r = receiver(AckPolicy::Delayed {
        every: 2,
        timer: ms(40),
    });
    Arc::get_mut(&mut r.config).unwrap().jiffy = Some(ms(4));
    assert!(data(&mut r, 0, ms(9).0).is_none());
    assert_eq!(r.deadline(), Some(at_ms(52)));
}

#[test]
fn nothing_out_of_order_and_no_gap_filled_waits() {
    let mut r = receiver(AckPolicy::Delayed {
        every: 2,
        timer: Duration(100),
    });
    assert!(data(&mut r, 1, 0).is_some(), "above a hole");
    assert!(data(&mut r, 1, 0).is_some(), "a duplicate");
    assert!(data(&mut r, 3, 0).is_some(), "above a second hole");
    assert!(data(&mut r, 0, 0).is_some(), "fills a gap");
    assert!(data(&mut r, 2, 0).is_some(), "fills the last gap");
    assert!(data(&mut r, 4, 0).is_none(), "in order again");
}

/// A receiver of numbered packets that acknowledges every second.
fn numbered(early_data: bool) -> Receiver {
    let mut r = receiver(AckPolicy::Delayed {
        every: 2,
        timer: Duration(100),
    });
    let config = Arc::make_mut(&mut r.config);
    config.numbers = true;
    config.early_data = early_data;
    Receiver::new(r.config, 0)
}

fn packet(r: &mut Receiver, number: u32, position: u64) -> Option<Packet> {
    let data = Data::new(position * MSS, MSS as u32, number);
    r.on_packet(&Packet::new(0, 50, Body::Data(data)), Instant::ZERO)
}

#[test]
fn a_hole_in_the_stream_makes_no_haste_where_packets_are_numbered() {
    let mut r = numbered(false);
    assert!(packet(&mut r, 1, 1).is_some(), "the first is missing");
    assert!(packet(&mut r, 2, 2).is_none(), "the hole is known");
    let ack = packet(&mut r, 3, 3).unwrap();
    assert_eq!(blocks(&ack), [(1, 4)]);
    assert_eq!(r.delivered(), 0);
    assert!(
        packet(&mut r, 4, 0).is_none(),
        "it fills the hole in a new packet"
    );
    assert_eq!(r.delivered(), 4 * MSS);
}

#[test]
fn the_end_of_a_handshake_is_confirmed_at_once_and_is_no_packet_of_data() {
    let mut r = numbered(false);
    let end = Packet::data(0, 50, 0, 0);
    assert!(r.on_packet(&end, Instant::ZERO).is_some());
    assert!(packet(&mut r, 0, 0).is_none());
    assert_eq!(blocks(&packet(&mut r, 1, 1).unwrap()), [(0, 2)]);
}

#[test]
fn packets_that_open_a_connection_are_numbered_apart() {
    let mut r = numbered(true);
    assert!(packet(&mut r, 0, 0).is_none());
    assert_eq!(
        (r.arrived(), r.delivered()),
        (1, 0),
        "nobody can read it yet"
    );
    let mut told = |number| {
        let (answer, wire) = answer(&mut r, number);
        let ranges: Vec<_> = answer.numbers().collect();
        (answer.answers, wire, ranges)
    };
    assert_eq!(told(0), (0, 40, vec![(0, 1)]));
    assert_eq!(
        told(1),
        (1, 40, vec![(0, 2)]),
        "its answer was lost, not the first"
    );
    assert_eq!(told(3), (3, 40, vec![(3, 4), (0, 2)]));
    assert!(
        packet(&mut r, 1, 0).is_some(),
        "data's own numbers begin at zero"
    );
    assert_eq!(r.delivered(), MSS);
}

#[test]
fn quick_acknowledgements_come_first() {
    let mut r = receiver(AckPolicy::QuickThenDelayed {
        quick: 2,
        every: 2,
        timer: Duration(100),
    });
    let answered: Vec<bool> = (0..6).map(|n| data(&mut r, n, 0).is_some()).collect();
    assert_eq!(answered, [true, true, false, true, false, true]);
}

fn marked(r: &mut Receiver, number: u64, pair: Pair, at: Instant) -> Option<Packet> {
    let mut packet = Packet::data(0, 50, number * MSS, MSS as u32);
    packet.tags.pair = pair;
    r.on_packet(&packet, at)
}

const DELAYED: AckPolicy = AckPolicy::Delayed {
    every: 4,
    timer: Duration::from_millis(200),
};

#[test]
fn an_acknowledgement_carries_the_gap_of_a_pair_once() {
    let mut r = receiver(AckPolicy::Every);
    marked(&mut r, 0, Pair::First, Instant::from_micros(10_000));
    let ack = marked(&mut r, 1, Pair::Second, Instant::from_micros(17_772)).unwrap();
    assert_eq!(option(&ack), AckOption::Gap(Duration::from_micros(7_772)));
    assert_eq!(ack.wire, 40 + 8);
    let next = data(&mut r, 2, 20_000_000).unwrap();
    assert_eq!((option(&next), next.wire), (AckOption::None, 40));
}

#[test]
fn a_second_segment_without_its_first_measures_nothing() {
    let mut r = receiver(AckPolicy::Every);
    marked(&mut r, 0, Pair::First, Instant::from_micros(10_000));
    let ack = marked(&mut r, 3, Pair::Second, Instant::from_micros(17_772)).unwrap();
    assert_eq!(option(&ack), AckOption::None);
}

#[test]
fn a_delayed_acknowledgement_carries_the_latest_gap() {
    let mut r = receiver(DELAYED);
    let (at_us, us) = (Instant::from_micros, Duration::from_micros);
    assert!(marked(&mut r, 0, Pair::First, at_us(0)).is_none());
    assert!(marked(&mut r, 1, Pair::Second, at_us(1_300)).is_none());
    assert!(marked(&mut r, 2, Pair::First, at_us(2_400)).is_none());
    let ack = marked(&mut r, 3, Pair::Second, at_us(3_600)).unwrap();
    assert_eq!(option(&ack), AckOption::Gap(us(1_200)));
}

#[test]
fn congestion_headers_come_back_added_up_however_acknowledgements_are_delayed() {
    let mut r = receiver(AckPolicy::Delayed {
        every: 3,
        timer: Duration(100),
    });
    let mut arrive = |number: u64, feedback: f64| {
        let mut data = Data::new(number * MSS, MSS as u32, 0);
        data.set_congestion(CongestionHeader {
            cwnd: 3.0,
            rtt: Duration(100),
            feedback,
        });
        r.on_packet(&Packet::new(0, 70, Body::Data(data)), Instant(0))
    };
    assert!(arrive(0, 500.0).is_none() && arrive(1, -200.0).is_none());
    let ack = arrive(2, 1000.0).unwrap();
    assert_eq!(option(&ack), AckOption::Feedback(1300.0));
    assert_eq!(ack.wire, 60);
    // Each is brought back once. One that no router has written into shows.
    assert!(arrive(3, 5.0).is_none() && arrive(4, 0.0).is_none());
    let ack = arrive(5, f64::INFINITY).unwrap();
    assert_eq!(option(&ack), AckOption::Feedback(f64::INFINITY));
}

#[test]
fn a_syn_is_answered_with_an_unscaled_window() {
    let mut r = receiver(AckPolicy::Every);
    Arc::make_mut(&mut r.config).window = 1_000_000;
    Arc::make_mut(&mut r.config).window_field = WindowField::Scaled(7);
    assert_eq!(answer(&mut r, 0).0.window, 65_535);
    assert_eq!(ack(&data(&mut r, 0, 0).unwrap()).window(), 999_936);
    Arc::make_mut(&mut r.config).window_field = WindowField::Unscaled;
    assert_eq!(ack(&data(&mut r, 1, 0).unwrap()).window(), 65_535);
}

fn with_bits(r: &mut Receiver, number: u64, bits: &[Ecn]) -> Option<bool> {
    let mut packet = Packet::data(0, 50, number * MSS, MSS as u32);
    bits.iter().for_each(|bit| packet.ecn.set(*bit));
    let ack = r.on_packet(&packet, Instant(0));
    ack.map(|ack| ack.ecn.has(Ecn::ECE))
}

#[test]
fn a_mark_is_echoed_until_the_sender_reports_a_smaller_window() {
    let mut r = receiver(AckPolicy::Every);
    let (ect, ce, cwr) = (Ecn::ECT, Ecn::CE, Ecn::CWR);
    assert_eq!(with_bits(&mut r, 0, &[ect]), Some(false));
    assert_eq!(with_bits(&mut r, 1, &[ect, ce]), Some(true));
    assert_eq!(with_bits(&mut r, 2, &[ect]), Some(true));
    // What comes out of order is acknowledged with the echo too.
    assert_eq!(with_bits(&mut r, 4, &[ect]), Some(true));
    assert_eq!(with_bits(&mut r, 3, &[ect]), Some(true));
    assert_eq!(with_bits(&mut r, 5, &[ect, cwr]), Some(false));
    // A mark on that segment belongs to the new window.
    assert_eq!(with_bits(&mut r, 6, &[ect, ce]), Some(true));
    assert_eq!(with_bits(&mut r, 7, &[ect, ce, cwr]), Some(true));
    assert_eq!(with_bits(&mut r, 8, &[ect, cwr]), Some(false));
}

#[test]
fn linux_lets_no_beginning_and_no_end_of_an_echo_wait() {
    let answers = |at_once: bool| {
        let mut r = receiver(DELAYED);
        Arc::make_mut(&mut r.config).options.echo_at_once = at_once;
        let bits = [&[][..], &[Ecn::CE], &[], &[Ecn::CWR], &[], &[], &[]];
        let answers = (0..).zip(bits).map(|(n, bits)| with_bits(&mut r, n, bits));
        answers.collect::<Vec<_>>()
    };
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(answers(true), [None, yes, None, no, None, None, None]);
    assert_eq!(answers(false), [None, None, None, no, None, None, None]);
}

#[test]
fn what_opens_the_window_is_acknowledged_at_once_and_the_quick_ones_come_after() {
    let mut r = growing(Duration::ZERO);
    assert_eq!(answer(&mut r, 0).0.window, 65_160);
    let mut arrive = |number: u64| {
        let packet = Packet::data(0, 1500, number * u64::from(SEGMENT), SEGMENT);
        let answer = r.on_packet(&packet, Instant(0));
        answer.map(|answer| ack(&answer).window())
    };
    let windows: Vec<_> = (0..11).map(&mut arrive).collect();
    let full = Some(80_896);
    let growing = [68_608, 71_680, 74_752, 76_800, 79_872, 80_896].map(Some);
    assert_eq!(windows[..6], growing);
    assert_eq!(windows[6..], [full, full, None, full, None]);
}

const SEGMENT: u32 = 1448;

/// A receiver with a stock kernel's buffers and two quick acknowledgements at most.
fn growing(comp_sack_delay: Duration) -> Receiver {
    let ack = AckPolicy::QuickThenDelayed {
        quick: 2,
        every: 2,
        timer: Duration::from_millis(40),
    };
    let mut config = (*receiver(ack).config).clone();
    config.options.comp_sack_delay = comp_sack_delay;
    let config = ReceiverConfig {
        growth: Some(Growth {
            buffer: ReceiveBuffer::STOCK,
            most: None,
            mss: SEGMENT,
            header: 52,
            field: Field::Scaled,
        }),
        ..config
    };
    Receiver::new(Arc::new(config), 0)
}

/// The same that has had a SYN.
fn stock(comp_sack_delay: Duration) -> Receiver {
    let mut r = growing(comp_sack_delay);
    r.on_packet(&syn(0), Instant::ZERO);
    r
}

fn segment(number: u64, len: u32, push: bool) -> Packet {
    let mut data = Data::new(number * u64::from(SEGMENT), len, 0);
    if push {
        data.set_push();
    }
    Packet::new(0, 1500, Body::Data(data))
}

#[test]
fn what_nothing_follows_is_acknowledged_when_it_is_read() {
    let mut r = stock(Duration::ZERO);
    let mut arrive = |number: u64, len: u32, push: bool| {
        r.on_packet(&segment(number, len, push), Instant(0))
            .is_some()
    };
    assert!((0..8).all(|n| arrive(n, SEGMENT, false)), "the quick ones");
    assert!(!arrive(8, SEGMENT, false));
    assert!(arrive(9, SEGMENT, false), "every second");
    assert!(arrive(10, SEGMENT, true), "the last of a burst");
    assert!(!arrive(11, SEGMENT, false));
    assert!(arrive(12, SEGMENT, false));
    assert!(arrive(13, 1000, false), "a short one");
}

#[test]
fn what_a_retransmission_has_overtaken_is_not_taken() {
    let mut r = stock(Duration::ZERO);
    let config = Arc::make_mut(&mut r.config);
    (config.options.paws, config.options.dsack) = (true, true);
    let full = u64::from(SEGMENT);
    let mut arrive = |number: u64, sent: u32| {
        let mut packet = segment(number, SEGMENT, false);
        if let Body::Data(data) = &mut packet.body {
            data.set_timestamp(sent);
        }
        let answer = r.on_packet(&packet, Instant::ZERO).unwrap();
        let duplicate = option(&answer) != AckOption::None;
        (una(&answer) / full, blocks(&answer).len(), duplicate)
    };
    assert_eq!(arrive(0, 10), (1, 0, false));
    assert_eq!(arrive(2, 12), (1, 1, false));
    // The second again; the fourth left before it and comes late.
    assert_eq!(arrive(1, 80), (3, 0, false));
    assert_eq!(arrive(3, 78), (3, 0, false));
    // Nor does what has come before, as the answer reports.
    assert_eq!(arrive(1, 11), (3, 0, true));
    assert_eq!(arrive(3, 140), (4, 0, false));
}

#[test]
fn from_the_fourth_answer_on_data_above_a_hole_is_reported_together() {
    let mut r = stock(Duration::from_millis(1));
    let at = |us: u64| Instant::from_millis(100) + Duration::from_micros(us);
    let full = |number: u64| segment(number, SEGMENT, false);
    for n in 0..8 {
        assert!(r.on_packet(&full(n), at(0)).is_some());
    }
    // The ninth is missing.
    for n in 9..12 {
        assert!(r.on_packet(&full(n), at(n)).is_some(), "{n}");
    }
    assert!(r.on_packet(&full(12), at(600)).is_none());
    assert!(r.on_packet(&full(13), at(1200)).is_none());
    // No round trip has been measured here but the handshake's: 100 ms, so a millisecond.
    assert_eq!(r.deadline(), Some(at(1600)));
    let told = r.on_timer(at(1600)).unwrap();
    let edge = |n: u64| n * u64::from(SEGMENT) / MSS;
    assert_eq!(blocks(&told), [(edge(9), edge(14))]);
    assert_eq!(r.deadline(), None);
    // The hole is filled: that waits for nothing.
    assert!(r.on_packet(&full(14), at(2000)).is_none());
    let filled = r.on_packet(&full(8), at(2100)).unwrap();
    assert_eq!(una(&filled), 15 * u64::from(SEGMENT));
    assert_eq!(r.deadline(), None);
}

#[test]
fn those_who_need_none_of_it_pay_for_none_of_it() {
    assert!(std::mem::size_of::<Receiver>() <= 80);
}

#[test]
fn a_packet_that_is_later_than_two_gib_is_not_reported_as_a_duplicate() {
    let report = |next| AckPayload::duplicate((0, 1000), next);
    let nearest = AckOption::Duplicate {
        start: i32::MIN,
        len: 1000,
    };
    assert_eq!(report(1 << 31), Some(nearest));
    assert_eq!(report((1 << 31) + 1), None);
    assert_eq!(report(1 << 33), None);
}
