use super::*;
use crate::catalog;
use crate::signals::{Established, Loss, Timeout};
use crate::testing::{ms, slow_start};

const MSS: u64 = 1460;

fn algorithm(spec: &str) -> HyStartPlusPlus {
    under(Convention::RFC, spec)
}

fn under(convention: Convention, spec: &str) -> HyStartPlusPlus {
    let kind = crate::params::AlgorithmKind::STARTUP;
    let params = Params::parse(kind, ENTRY.name, ENTRY.params, spec).unwrap();
    HyStartPlusPlus::new(&params, convention).unwrap()
}

struct Flow {
    h: HyStartPlusPlus,
    w: Window,
    una: u64,
}

impl Flow {
    fn new(spec: &str) -> Flow {
        let mut w = Window::new(MSS as u32);
        w.cwnd = 10.0;
        Flow {
            h: algorithm(spec),
            w,
            una: 0,
        }
    }

    /// One round in which ACKs of `segments` each bring these RTTs; each ACK finds as
    /// much new data sent as the round has, so that the round ends with its last ACK.
    fn round(&mut self, segments: u64, rtts: &[f64]) -> Option<Reason> {
        let start = self.una;
        let size = segments * MSS * rtts.len() as u64;
        let mut reason = None;
        for rtt in rtts {
            self.una += segments * MSS;
            let nxt = if self.una == start + size {
                self.una + size
            } else {
                start + size
            };
            let ack = Ack {
                una: self.una,
                nxt,
                rtt: Some(ms(*rtt)),
                ..Ack::of(Instant::ZERO, segments * MSS)
            };
            // The harness ends rounds exactly: the next one is as long as its ACKs.
            self.h.window_end = Some(start + size);
            reason = reason.or(self.h.on_ack(&mut self.w, &ack, &mut slow_start()));
        }
        reason
    }
}

#[test]
fn under_quiche_a_round_ends_with_the_first_packet_that_left_in_it() {
    let quiche = Convention {
        judging: Judging::Quiche,
        ..Convention::QUIC
    };
    let mut h = under(quiche, "");
    let mut w = Window::new(MSS as u32);
    let mut ack = |h: &mut HyStartPlusPlus, segments: u64| {
        let ack = Ack {
            una: segments * MSS,
            rtt: Some(ms(50.0)),
            ..Ack::of(Instant::ZERO, MSS)
        };
        h.on_ack(&mut w, &ack, &mut slow_start());
        h.window_end.map(|end| end / MSS)
    };
    // The first acknowledgement ends the round of the handshake.
    assert_eq!(ack(&mut h, 1), None);
    let sent = Sent {
        now: Instant::ZERO,
        bytes: MSS as u32,
        seq: 10 * MSS,
        retransmission: false,
        flight: 10 * MSS,
    };
    h.on_sent(&mut Window::new(MSS as u32), &sent);
    assert_eq!(ack(&mut h, 10), Some(11));
    assert_eq!(ack(&mut h, 11), None);
}

#[test]
fn under_quiche_an_ack_that_is_not_cwnd_limited_gives_no_sample_and_ends_no_round() {
    let quiche = Convention {
        judging: Judging::Quiche,
        ..Convention::QUIC
    };
    let mut h = under(quiche, "");
    let mut w = Window::new(MSS as u32);
    let mut state_after = |cwnd_limited| {
        let ack = Ack {
            una: MSS,
            rtt: Some(ms(50.0)),
            cwnd_limited,
            ..Ack::of(Instant::ZERO, MSS)
        };
        h.on_ack(&mut w, &ack, &mut slow_start());
        (h.rtt_sample_count, h.window_end)
    };
    assert_eq!(state_after(false), (0, Some(0)));
    assert_eq!(state_after(true), (1, None));
}

#[test]
fn under_quic_the_first_packet_begins_a_round_that_ends_with_it() {
    let mut h = under(Convention::QUIC, "");
    assert_eq!((h.by_packet, h.window_end), (true, None));
    let first = Sent {
        now: Instant::ZERO,
        bytes: MSS as u32,
        seq: 0,
        retransmission: false,
        flight: 0,
    };
    h.on_sent(&mut Window::new(MSS as u32), &first);
    assert_eq!(h.window_end, Some(MSS));
    assert!(!under(Convention::LINUX, "").by_packet);
}

#[test]
fn under_quic_an_ack_may_add_all_that_it_covers() {
    let mut h = under(Convention::QUIC, "");
    let mut w = Window::new(MSS as u32);
    let ack = Ack::of(Instant::ZERO, 20 * MSS);
    h.on_ack(&mut w, &ack, &mut slow_start());
    assert_eq!(w.cwnd, 21.0);
}

/// V1
#[test]
fn the_rise_that_counts() {
    let mut h = algorithm("");
    for (last, thresh) in [
        (10.0, 4.0),
        (32.0, 4.0),
        (40.0, 5.0),
        (100.0, 12.5),
        (128.0, 16.0),
        (600.0, 16.0),
    ] {
        h.last_round_min_rtt = ms(last);
        assert_eq!(h.rtt_thresh(), ms(thresh), "last round's minimum {last} ms");
    }
}

/// V2
#[test]
fn eight_samples_with_a_risen_minimum_begin_css() {
    let phase_after = |rtts: &[f64]| {
        let mut flow = Flow::new("");
        flow.round(1, &[100.0; 8]);
        flow.round(1, rtts);
        (flow.h.phase, flow.h.css_baseline_min_rtt)
    };
    let mut low = [120.0; 8];
    low[5] = 112.4;
    assert_eq!(phase_after(&low).0, Phase::SlowStart);
    low[5] = 112.5;
    assert_eq!(phase_after(&low), (Phase::Css, ms(112.5)));
    assert_eq!(phase_after(&[150.0; 7]).0, Phase::SlowStart);
}

fn growth(spec: &str, phase: Phase) -> f64 {
    let mut flow = Flow::new(spec);
    flow.h.phase = phase;
    let ack = Ack {
        nxt: 99 * MSS,
        ..Ack::of(Instant::ZERO, 20 * MSS)
    };
    flow.h.on_ack(&mut flow.w, &ack, &mut slow_start());
    (flow.w.cwnd - 10.0) * MSS as f64
}

/// V3
#[test]
fn growth_by_phase_and_limit() {
    assert_eq!(growth("l=unlimited", Phase::SlowStart), 29_200.0);
    assert_eq!(growth("l=unlimited", Phase::Css), 7_300.0);
    assert_eq!(growth("paced=true", Phase::Css), 7_300.0);
    assert_eq!(growth("", Phase::SlowStart), 11_680.0);
    assert_eq!(growth("", Phase::Css), 2_920.0);
}

/// V4
#[test]
fn css_lasts_five_rounds_the_first_one_included() {
    let mut flow = Flow::new("");
    for _ in 1..7 {
        flow.round(1, &[100.0; 8]);
    }
    assert_eq!(flow.round(1, &[130.0; 10]), None);
    assert_eq!((flow.h.phase, flow.h.css_rounds), (Phase::Css, 1));
    flow.w.cwnd = 100.0;
    for round in 8..=11 {
        // Every packet of the window is acknowledged.
        let packets = flow.w.cwnd as usize;
        let reason = flow.round(1, &vec![130.0; packets]);
        assert_eq!(
            reason,
            (round == 11).then_some(Reason::Delay),
            "round {round}"
        );
    }
    // 244 with fractions of packets, which no round carries.
    assert!((243.0..=244.2).contains(&flow.w.cwnd), "{}", flow.w.cwnd);
    assert_eq!(flow.w.ssthresh, flow.w.cwnd);
    assert_eq!(flow.h.phase, Phase::Done);
}

/// V5
#[test]
fn a_false_alarm_leads_back_to_slow_start() {
    let in_css = || {
        let mut flow = Flow::new("");
        flow.round(1, &[100.0; 8]);
        flow.round(1, &[112.5; 8]);
        assert_eq!((flow.h.phase, flow.h.css_rounds), (Phase::Css, 1));
        flow
    };
    let mut flow = in_css();
    flow.round(1, &[112.4; 8]);
    assert_eq!(
        (flow.h.phase, flow.h.css_baseline_min_rtt),
        (Phase::SlowStart, Duration::MAX)
    );
    flow.round(1, &[140.0; 9]);
    assert_eq!((flow.h.phase, flow.h.css_rounds), (Phase::Css, 1));
    let mut flow = in_css();
    flow.round(1, &[100.0; 7]);
    assert_eq!(flow.h.phase, Phase::Css);
}

/// V6
#[test]
fn the_first_rounds_with_delayed_acks() {
    let third_round = |rtts: &[f64]| {
        let mut flow = Flow::new("");
        flow.round(2, &[50.0; 5]);
        assert_eq!(flow.h.last_round_min_rtt, ms(50.0));
        flow.round(
            2,
            &[50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0],
        );
        assert_eq!(
            (flow.h.phase, flow.h.last_round_min_rtt),
            (Phase::SlowStart, ms(50.0))
        );
        flow.round(2, rtts);
        flow.h.phase
    };
    assert_eq!(third_round(&[57.0; 7]), Phase::SlowStart);
    assert_eq!(third_round(&[57.0; 8]), Phase::Css);
    assert_eq!(third_round(&[56.2; 8]), Phase::SlowStart);
}

#[test]
fn the_first_round_ends_with_what_the_first_ack_finds_sent() {
    let mut c = catalog::controller("hystart-plus-plus", "reno", Convention::RFC).unwrap();
    let mut w = Window::new(MSS as u32);
    let e = Established {
        initial_window: 10.0,
        ..Established::at(Instant::ZERO)
    };
    c.on_established(&mut w, &e);
    let mut h = algorithm("");
    for una in 1..=10 {
        let nxt = 10 + 2 * (una - 1);
        let ack = Ack {
            una: una * MSS,
            nxt: nxt * MSS,
            rtt: Some(ms(50.0)),
            ..Ack::of(Instant::ZERO, MSS)
        };
        h.on_ack(&mut w, &ack, &mut slow_start());
        assert_eq!(
            h.last_round_min_rtt,
            if una < 10 { Duration::MAX } else { ms(50.0) }
        );
    }
    assert_eq!(h.window_end, Some(28 * MSS));
}

#[test]
fn a_low_window_is_not_judged_where_that_is_asked_for() {
    for (low_cwnd, phase) in [(0, Phase::Css), (64, Phase::SlowStart)] {
        let mut flow = Flow::new(&format!("low_cwnd={low_cwnd}"));
        flow.round(1, &[100.0; 8]);
        flow.round(1, &[150.0; 8]);
        assert_eq!(flow.h.phase, phase);
    }
}

#[test]
fn a_loss_or_a_timeout_ends_it() {
    let mut h = algorithm("");
    let loss = Loss {
        now: Instant::ZERO,
        flight: 0,
        usable: 1.0,
    };
    h.on_congestion(&mut Window::new(1460), &Congestion::Loss(loss));
    assert_eq!(h.phase, Phase::Done);
    let mut h = algorithm("");
    let timeout = Timeout {
        now: Instant::ZERO,
        flight: 0,
        usable: 1.0,
        repeated: false,
    };
    h.on_congestion(&mut Window::new(1460), &Congestion::Timeout(timeout));
    assert_eq!(h.phase, Phase::Done);
}

/// A flight of ten that is acknowledged one by one, each ACK releasing two segments, and the
/// first ACK of the next flight; the end of the round after every ACK, in segments.
fn ends_of_rounds(spec: &str) -> Vec<u64> {
    let mut flow = Flow::new(spec);
    let ends = (1..=11).map(|una| {
        let ack = Ack {
            una: una * MSS,
            nxt: (10 + 2 * (una - 1)) * MSS,
            rtt: Some(ms(50.0)),
            ..Ack::of(Instant::ZERO, MSS)
        };
        flow.h.on_ack(&mut flow.w, &ack, &mut slow_start());
        flow.h.window_end.unwrap() / MSS
    });
    ends.collect()
}

#[test]
fn linux_cubic_ends_a_round_where_the_next_flight_begins_and_rfc_within_it() {
    let rfc = ends_of_rounds("");
    assert_eq!((rfc[8], rfc[9], rfc[10]), (10, 28, 28));
    let linux = ends_of_rounds("variant=linux-cubic");
    assert_eq!((linux[8], linux[9], linux[10]), (10, 10, 30));
}

/// Phases after the eighth and the ninth ACK of a round in CSS whose RTTs have fallen back.
fn phases_of_a_false_alarm(spec: &str) -> [Phase; 2] {
    let mut flow = Flow::new(spec);
    (flow.h.phase, flow.h.css_baseline_min_rtt) = (Phase::Css, ms(120.0));
    flow.h.window_end = Some(u64::MAX);
    let mut ack = |count| {
        for _ in 0..count {
            let ack = Ack {
                rtt: Some(ms(100.0)),
                ..Ack::of(Instant::ZERO, MSS)
            };
            flow.h.on_ack(&mut flow.w, &ack, &mut slow_start());
        }
        flow.h.phase
    };
    [ack(8), ack(1)]
}

#[test]
fn linux_cubic_goes_back_to_slow_start_a_sample_later() {
    let (css, slow) = (Phase::Css, Phase::SlowStart);
    assert_eq!(phases_of_a_false_alarm(""), [slow, slow]);
    assert_eq!(phases_of_a_false_alarm("variant=linux-cubic"), [css, slow]);
}

#[test]
fn linux_cubic_does_not_limit_what_an_ack_adds() {
    assert_eq!(growth("variant=linux-cubic", Phase::SlowStart), 29_200.0);
    assert_eq!(growth("variant=linux-cubic", Phase::Css), 7_300.0);
}

#[test]
fn linux_cubic_samples_an_ack_of_an_unused_window_and_does_not_judge_it() {
    let phase = |cwnd_limited| {
        let mut h = algorithm("variant=linux-cubic");
        (h.last_round_min_rtt, h.window_end) = (ms(100.0), Some(u64::MAX));
        for _ in 0..8 {
            let ack = Ack {
                rtt: Some(ms(130.0)),
                cwnd_limited,
                ..Ack::of(Instant::ZERO, MSS)
            };
            h.on_ack(&mut Window::new(MSS as u32), &ack, &mut slow_start());
        }
        (h.phase, h.rtt_sample_count)
    };
    assert_eq!(phase(false), (Phase::SlowStart, 8));
    assert_eq!(phase(true), (Phase::Css, 8));
}

#[test]
fn constants_that_make_no_sense_are_refused() {
    let complaint = |spec: &str| {
        let spec = format!("hystart-plus-plus:{spec}");
        catalog::controller(&spec, "reno", Convention::RFC)
            .err()
            .unwrap()
            .to_string()
    };
    assert_eq!(
        complaint("css_growth_divisor=1"),
        "startup `hystart-plus-plus`: parameter `css_growth_divisor`: `1` is not a whole \
         number from 2 to 1000000"
    );
    assert!(complaint("n_rtt_sample=2.5").contains("`2.5` is not a whole number from 1"));
    assert!(
        complaint("max_rtt_thresh=1ms").ends_with("`1ms` is not at least `min_rtt_thresh`, 4ms")
    );
    assert!(complaint("variant=linux-cubic,l=8").contains("`variant=rfc`"));
    assert!(complaint("l=0").ends_with("parameter `l`: `0` is not above zero"));
}
