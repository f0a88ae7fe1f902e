//! The windows of Modified Swift Start as its OPNET study prints them, from packets that
//! cross the path: host - router - line - router - host, with routers that forward 5000
//! packets a second in both directions together.

use super::{MSS, outcome};
use flowstart_sim::Outcome;
use flowstart_sim::record::trace::Event;

const T1: Line = Line {
    rate: "1.544Mbps",
    // From the sender's interface to the first pair's ACK, with neither propagation nor what
    // the study leaves out.
    bare_rtt_ns: 16_716_586,
};
const OC1: Line = Line {
    rate: "51.84Mbps",
    bare_rtt_ns: 1_394_211,
};

#[derive(Clone, Copy)]
struct Line {
    rate: &'static str,
    bare_rtt_ns: u64,
}

/// A transfer over a line of so much one-way delay. What the printed round trip has beyond
/// the packets' own way is on the sender's access line, half each way.
fn transfer(line: Line, delay_us: u64, rtt_us: u64, more: &str) -> Outcome {
    let access_ns = (rtt_us * 1000 - 2000 * delay_us - line.bare_rtt_ns) / 2;
    outcome(&format!(
        r#"
        trace = true
        [path]
        hops = [{{ rate = "{}", delay = "{delay_us}us" }}]
        buffer = "100000pkt"
        router_pps = 5000
        access_rate = "100Mbps"
        access_delay = "{access_ns}ns"
        access_at = "left"
        [stack]
        preset = "opnet"
        {more}
        [[flows]]
        startup = "modified-swift-start"
        size = "40pkt"
        "#,
        line.rate
    ))
}

/// The windows after the first acknowledgements, in bytes.
fn windows(outcome: &Outcome) -> Vec<u64> {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let acks = (0..t.event.len()).filter(|i| t.event[*i] == Event::Ack as u8);
    acks.map(|i| (t.cwnd[i] * MSS as f64 + 1e-6) as u64)
        .collect()
}

/// What the study prints for a delay of the line, in tenths of milliseconds: the round trip
/// in units of 10 us, and the two windows.
type Row = (u64, u64, u64, u64);

/// The rows of 0.1 ms and 0.6 s are outliers of the study, 3.73 and 0.55 ms off its own rule:
/// their printed round trips are taken as input like all others.
const TABLE_2: [Row; 14] = [
    (1, 11_674, 21_929, 24_849),
    (5, 11_381, 21_379, 24_300),
    (10, 11_481, 21_567, 24_488),
    (50, 12_281, 23_070, 25_991),
    (100, 13_281, 24_948, 27_869),
    (500, 21_281, 39_977, 42_898),
    (1_000, 31_281, 58_762, 61_683),
    (2_000, 51_281, 96_333, 99_254),
    (3_000, 71_281, 133_903, 136_824),
    (4_000, 91_281, 171_474, 174_395),
    (5_000, 111_281, 209_045, 211_966),
    (6_000, 131_336, 246_719, 249_638),
    (7_000, 151_281, 284_186, 287_107),
    (8_000, 171_281, 321_757, 324_678),
];

/// The seventh delay is printed as 0.01 s and must be 0.1 s.
const TABLE_3: [Row; 14] = [
    (1, 7_327, 462_128, 539_251),
    (5, 7_407, 467_174, 545_091),
    (10, 7_507, 473_481, 552_391),
    (50, 8_307, 523_939, 610_791),
    (100, 9_307, 587_011, 683_791),
    (500, 17_307, 1_091_587, 1_267_791),
    (1_000, 27_307, 1_722_307, 1_997_791),
    (2_000, 47_307, 2_983_747, 3_457_791),
    (3_000, 67_307, 4_245_187, 4_917_791),
    (4_000, 87_307, 5_506_627, 6_377_791),
    (5_000, 107_307, 6_768_067, 7_837_791),
    (6_000, 127_307, 8_029_507, 9_297_791),
    (7_000, 147_307, 9_290_947, 10_757_791),
    (8_000, 167_307, 10_552_387, 12_217_791),
];

/// The first two windows of each row, against the printed ones.
fn check(line: Line, table: [Row; 14], allowed: impl Fn(u64) -> f64) {
    for (delay, rtt, first, second) in table {
        let found = transfer(line, 100 * delay, 10 * rtt, "");
        let found = windows(&found);
        assert!(found.len() > 2, "delay {delay}: {found:?}");
        for (ours, printed) in found.iter().zip([first, second]) {
            let off = ours.abs_diff(printed) as f64;
            assert!(
                off <= allowed(printed),
                "delay {delay}: {found:?}, printed {printed}"
            );
        }
    }
}

#[test]
fn table_2_over_a_t1_line() {
    check(T1, TABLE_2, |_| 1.0);
}

/// The second pair meets the ACK of the first in the second router's processor: its segments
/// leave 200 us apart, closer than the line could have sent them.
#[test]
fn table_3_over_an_oc1_line() {
    check(OC1, TABLE_3, |printed| (5e-6 * printed as f64).max(1.0));
}

/// How far apart the second pair arrived, from the window that it made.
fn second_gap_us(access_at: &str) -> f64 {
    let run = outcome(&format!(
        r#"
        trace = true
        [path]
        hops = [{{ rate = "51.84Mbps", delay = "35ms" }}]
        buffer = "100000pkt"
        router_pps = 5000
        access_rate = "100Mbps"
        access_at = "{access_at}"
        [stack]
        preset = "opnet"
        [[flows]]
        startup = "modified-swift-start"
        size = "40pkt"
        "#
    ));
    let t = &run.trace.as_ref().unwrap().flow_samples;
    let time = |event: Event, n: usize| {
        let of_kind = (0..t.event.len()).filter(|i| t.event[*i] == event as u8);
        of_kind.map(|i| t.time_ns[i]).nth(n).unwrap()
    };
    let rtt = (time(Event::Ack, 1) - time(Event::Send, 3)) as f64;
    rtt * MSS as f64 / windows(&run)[1] as f64 / 1e3
}

/// The study prints 100 Mbit/s for the receiver's own line. There the ACK of the first pair
/// would come back to the router later, in time to part the second pair by two of its turns:
/// the printed 200 us need a receiver right behind the router.
#[test]
fn the_receivers_printed_access_rate_would_part_the_second_pair_by_two_turns() {
    let right_behind = second_gap_us("left");
    assert!((right_behind - 200.0).abs() < 0.1, "{right_behind}");
    let printed = second_gap_us("both");
    assert!((printed - 400.0).abs() < 0.1, "{printed}");
}

fn first_estimate(startup: &str, more_path: &str, ack: &str) -> Option<f64> {
    let run = outcome(&format!(
        r#"
        path = {{ rate = "10Mbps", rtt = "100ms", {more_path} }}
        stack = {{ ack = "{ack}", iw = "4" }}
        flows = [{{ startup = "{startup}", size = "400pkt" }}]
        "#
    ));
    let flow = run.flows.row(0);
    let estimate = flow.startup_exit_reason == Some(flowstart_control::Reason::Estimate);
    estimate.then(|| flow.startup_exit_s.unwrap())
}

/// One ACK for a pair shows Swift Start no spacing; the receiver that measures does.
#[test]
fn delayed_and_thinned_acknowledgements_leave_modified_swift_start_standing() {
    let thinned = r#"ack_batch = "20ms", ack_thinning = true"#;
    for (path, ack) in [("", "delayed"), (thinned, "every")] {
        assert_eq!(
            first_estimate("swift-start", path, ack),
            None,
            "{path} {ack}"
        );
        let modified = first_estimate("modified-swift-start", path, ack);
        assert!(modified.is_some(), "{path} {ack}");
    }
    assert!(first_estimate("swift-start", "", "every").is_some());
    let per_segment = "swift-start:ack_spacing=per-segment";
    assert!(first_estimate(per_segment, "", "delayed").is_some());
}
