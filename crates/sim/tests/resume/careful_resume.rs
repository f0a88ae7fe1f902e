//! RFC 9959: what is published of satellite paths, and its phases.

use super::{Moment, acknowledgements, departures, one, outcome};
use flowstart_sim::Outcome;

/// A transfer over a geostationary satellite, the path known from an earlier one.
fn satellite(startup: &str, size: &str) -> f64 {
    let flow = one(&format!(
        r#"
        path = {{ rate = "50Mbps", rtt = "600ms" }}
        flows = [{{ startup = "{startup}", size = "{size}", cached_cwnd = "1bdp" }}]
        "#
    ));
    assert_eq!((flow.packets_dropped, flow.timeouts), (0, 0));
    flow.fct_s.unwrap()
}

/// 5.3 MB take four seconds instead of nine, and a megabyte 62 % less time.
#[test]
fn satellite_transfers_take_as_much_less_time_as_published() {
    let share = |size| satellite("careful-resume", size) / satellite("slow-start", size);
    let (large, small) = (share("5300kB"), share("1MB"));
    assert!((large - 4.0 / 9.0).abs() < 0.02, "{large}");
    assert!((small - 0.38).abs() < 0.03, "{small}");
}

/// An endless flow that remembers so many packets.
fn resumed(path: &str, cached_cwnd: u32) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        duration = "2s"
        path = {{ {path} }}
        stack = {{ ack = "every" }}
        flows = [{{ startup = "careful-resume", cached_cwnd = "{cached_cwnd}pkt" }}]
        "#
    ))
}

#[test]
fn half_of_it_leaves_paced_over_a_round_trip_once_the_initial_window_is_back() {
    let run = resumed(r#"rate = "100Mbps", rtt = "100ms", buffer = "400pkt""#, 300);
    let acks = acknowledgements(&run);
    let jump = acks.iter().position(|m| m.cwnd > 30.0).unwrap();
    assert_eq!((jump, acks[jump].cwnd), (9, 150.0));
    // A second round trip after the handshake's.
    let at = acks[jump].ms;
    assert!((200.0..205.0).contains(&at), "{at}");
    // 131 of the 150, 0.67 ms apart: nineteen were out already.
    let sent: Vec<f64> = departures(&run).into_iter().filter(|t| *t > at).collect();
    for pair in sent[..131].windows(2) {
        assert!((0.66..0.68).contains(&(pair[1] - pair[0])), "{pair:?}");
    }
    assert!(sent[131] - sent[130] > 1.0, "the jump is out");
    // What it opened is validated, and slow start continues from there.
    let after = |ms: f64| acks.iter().rfind(|m| m.ms < ms).unwrap().cwnd;
    assert_eq!(after(300.0), 150.0);
    assert!(after(420.0) > 250.0);
}

/// The retreat of a flow whose memory was right of a path five times as fast.
fn retreat() -> (Vec<Moment>, Outcome) {
    let run = resumed(r#"rate = "10Mbps", rtt = "100ms", buffer = "40pkt""#, 400);
    (acknowledgements(&run), run)
}

#[test]
fn a_loss_leads_to_half_of_what_passed_and_stays_there_until_all_is_known() {
    let (acks, run) = retreat();
    let flow = run.flows.row(0);
    assert_eq!(flow.timeouts, 0);
    let lost = acks
        .windows(2)
        .position(|m| m[1].cwnd < m[0].cwnd / 2.0)
        .unwrap()
        + 1;
    let over = acks.iter().position(|m| m.ssthresh.is_finite()).unwrap();
    let window = acks[lost].cwnd;
    assert!(
        acks[lost..=over].iter().all(|m| m.cwnd == window),
        "{window}"
    );
    // The path holds 83 packets and a buffer of 40, and what was in flight at the jump passed.
    let size = 2.0 * acks[over].ssthresh;
    assert!((120.0..170.0).contains(&size), "{size}");
    assert!(window <= size / 2.0, "{window} of {size}");
    // Slow start up to the threshold.
    let later = acks.iter().find(|m| m.ms > acks[over].ms + 300.0).unwrap();
    assert!(later.cwnd > window, "{later:?}");
}

#[test]
fn a_wrong_memory_costs_far_less_than_where_all_of_it_is_sent_at_once() {
    let drops = |startup: &str| {
        let flow = one(&format!(
            r#"
            path = {{ rate = "10Mbps", rtt = "100ms", buffer = "40pkt" }}
            flows = [{{ startup = "{startup}", size = "2MB", cached_cwnd = "400pkt" }}]
            "#
        ));
        assert!(flow.complete);
        flow.packets_dropped
    };
    let careful = drops("careful-resume");
    for bold in [
        "quicly-jumpstart",
        "stateful-tcp:factor=1",
        "jump-start:max_d=400",
    ] {
        assert!(
            2 * careful < 3 * drops(bold) && careful < drops(bold),
            "{bold}"
        );
    }
}

#[test]
fn without_a_memory_it_is_slow_start() {
    let transfer = |startup: &str| {
        one(&format!(
            r#"
            path = {{ rate = "20Mbps", rtt = "100ms" }}
            flows = [{{ startup = "{startup}", size = "1MB" }}]
            "#
        ))
        .fct_s
    };
    assert_eq!(transfer("careful-resume"), transfer("slow-start"));
}

/// Linux paces without the startup before the jump and after it, where the peer's window lets it
/// jump.
#[test]
fn the_stacks_own_pacing_goes_on_after_the_jump() {
    let run = outcome(
        r#"
        trace = true
        path = { rate = "100Mbps", rtt = "100ms", buffer = "400pkt" }
        stack = { preset = "linux", pacing = "internal", window = "8MB", window_growth = "none" }
        flows = [{ startup = "careful-resume", size = "3MB", cached_cwnd = "300pkt" }]
        "#,
    );
    assert_eq!(run.flows.row(0).packets_dropped, 0);
    // In slow start two round trips' worth would leave in one; nothing leaves all at once.
    let sent = departures(&run);
    let late: Vec<f64> = sent.into_iter().filter(|t| *t > 420.0).collect();
    let together = late.windows(40).filter(|burst| burst[39] - burst[0] < 0.1);
    assert_eq!(together.count(), 0);
}

/// RFC 9959 §4.1: another round trip is another path. Less than half of the cached one, or more than
/// ten times as much.
#[test]
fn no_jump_follows_where_the_cached_rtt_is_of_another_path() {
    let fct = |cached_rtt: &str| {
        one(&format!(
            r#"
            path = {{ rate = "20Mbps", rtt = "100ms" }}
            flows = [{{ startup = "careful-resume", size = "1MB", cached_cwnd = "1bdp", cached_rtt = "{cached_rtt}" }}]
            "#
        ))
        .fct_s
        .unwrap()
    };
    assert!(fct("150ms") < fct("210ms"));
    assert!(fct("11ms") < fct("9ms"));
    assert_eq!(fct("210ms"), fct("9ms"));
}
