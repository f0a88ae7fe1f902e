//! Hosts between transports and links: what they do to pacing, ACK trains, packet pairs, round-trip
//! samples and losses.

mod trains;

use flowstart_control::Reason;
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::packets::{Host, What};
use flowstart_sim::{Outcome, Prepared};

/// The outcome of a scenario whose first flow's packets are kept.
fn outcome(text: &str) -> Outcome {
    let scenario = crate::rfc_scenario(text).unwrap_or_else(|e| panic!("{e}"));
    let mut prepared = Prepared::new(&scenario).unwrap_or_else(|e| panic!("{e}"));
    prepared.log_packets(&[0]).unwrap();
    prepared.run()
}

fn row(text: &str) -> FlowRow {
    outcome(text).flows.row(0)
}

/// Times at which the sender hands data packets over, in microseconds.
fn sent(outcome: &Outcome) -> Vec<u64> {
    let entries = outcome.packets[0].entries.iter();
    let sent = entries.filter_map(|(at, what)| match what {
        What::Sent(Host::Sender, packet) if packet.is_data() => Some(at.nanos() / 1000),
        _ => None,
    });
    sent.collect()
}

/// Sizes of groups of packets that leave at one moment.
fn bursts(times: &[u64]) -> Vec<usize> {
    times.chunk_by(|a, b| a == b).map(<[u64]>::len).collect()
}

fn median(mut values: Vec<usize>) -> usize {
    values.sort_unstable();
    values[values.len() / 2]
}

/// What a window of packets of 1200 bytes does that is paced over a round trip of a second, during
/// which no acknowledgement wakes the host: median burst, and Mbit/s from 0.1 to 0.7 s.
fn paced(packets: u64, host: &str) -> (usize, f64) {
    let outcome = outcome(&format!(
        r#"
        path = {{ rate = "10Gbps", rtt = "1s", buffer = "100000pkt" }}
        stack = {{ preset = "quic", mss = "1160B", header = "40B", iw = "{packets}pkt",
                   host = "{host}", window = "unlimited" }}
        flows = [{{ startup = "paced-initial-window", size = "{packets}pkt" }}]
        duration = "2s"
        "#
    ));
    let mut times = sent(&outcome);
    let from = times[0] + 100_000;
    times.retain(|at| (from..from + 600_000).contains(at));
    (
        median(bursts(&times)),
        times.len() as f64 * 9600.0 / 600_000.0,
    )
}

/// Vector V1. 20 833 packets of 1200 bytes a second are 200 Mbit/s, 48 us apart; 2500 are 24.
#[test]
fn a_late_wake_sends_what_the_pacer_has_earned_and_no_more_than_its_credit() {
    for (packets, host, burst, mbps) in [
        (20_833, "ideal", 1, 200.0),
        (20_833, "ideal:timer=1ms,credit=100", 21, 200.0),
        (20_833, "ideal:timer=1ms,credit=10", 10, 96.0),
        (20_833, "ideal:timer=50us,late=95us,credit=10", 4, 200.0),
        (20_833, "ideal:timer=15ms,credit=10", 10, 6.4),
        (2500, "ideal:timer=1ms,credit=10", 3, 24.0),
    ] {
        let (burst_of, mbps_of) = paced(packets, host);
        let whole = (burst_of as f64 - f64::from(burst)).abs() <= 1.0;
        assert!(
            whole && (mbps_of / mbps - 1.0).abs() < 0.03,
            "{host}: {burst_of} {mbps_of}"
        );
    }
}

/// Vector V1: 45 Mbit/s with 2.13 ms from one wake to the next. On a wheel of 1 ms the next wake
/// comes at the first step behind the present one, half a step later in the mean.
#[test]
fn tokio_paces_at_its_bucket_per_wake() {
    let (burst, mbps) = paced(20_833, "tokio:credit=10");
    assert_eq!(burst, 10);
    assert!((45.0..=60.0).contains(&mbps), "{mbps}");
}

/// Vector V8: the queue behind a batch that leaves at the rate of an interface.
#[test]
fn a_batch_queues_at_the_bottleneck_but_for_what_leaves_meanwhile() {
    for (batch, wire, nic, rate, queue) in [
        (10, 1228, "10Gbps", "100Mbps", 8.9),
        (53, 1228, "10Gbps", "1Gbps", 46.8),
        (16, 1308, "1Gbps", "20Mbps", 14.7),
    ] {
        let row = row(&format!(
            r#"
            path = {{ rate = "{rate}", rtt = "100ms", buffer = "1000pkt", nic_rate = "{nic}" }}
            stack = {{ preset = "quic", mss = "{}B", header = "40B", iw = "{batch}pkt",
                       host = "ideal:send_batch=64", window = "unlimited" }}
            flows = [{{ startup = "slow-start", size = "{batch}pkt" }}]
            "#,
            wire - 40
        ));
        // The packet in transmission counts as its rest in the vector and not here.
        let queued = row.max_queue_pkts as f64;
        assert!((queue - queued).abs() <= 1.0, "{queued} for {queue}");
    }
}

/// Vector V10: a request of one packet over QUIC and 1 ms, with signature and verification.
#[test]
fn signature_and_verification_delay_a_response() {
    for (sign_us, verify_us, ms) in [
        (0, 0, 2.0),
        (58, 76, 2.13),
        (436, 120, 2.56),
        (681, 184, 2.87),
    ] {
        let row = row(&format!(
            r#"
            path = {{ rate = "100Gbps", rtt = "1ms" }}
            stack = {{ preset = "quic", ack = "every",
                       host = "ideal:sign={sign_us}us,verify={verify_us}us" }}
            flows = [{{ startup = "slow-start", size = "1pkt" }}]
            "#
        ));
        let took = row.duration_s.unwrap() * 1e3;
        assert!((took - ms).abs() < 0.006, "{took} for {ms}");
    }
}

/// Vector V10 with the handshake's packets: the response is complete behind the request and both.
#[test]
fn signature_and_verification_delay_a_flight_of_packets() {
    for (stack, ms) in [
        (r#"preset = "quic", mss = "1167B", flight = "classic""#, 2.0),
        (
            r#"preset = "quic", mss = "1167B", flight = "post-quantum""#,
            3.0,
        ),
        (r#"handshake = "tcp+tls13", flight = "classic""#, 3.0),
        (r#"handshake = "tcp+tls12", flight = "classic""#, 4.0),
        (r#"handshake = "tcp+tls13", flight = "resumed""#, 3.0),
    ] {
        for (sign_us, verify_us) in [(0, 0), (436, 120), (681, 184)] {
            let row = row(&format!(
                r#"
                path = {{ rate = "100Gbps", rtt = "1ms" }}
                stack = {{ {stack}, host = "ideal:sign={sign_us}us,verify={verify_us}us" }}
                flows = [{{ startup = "slow-start", size = "1pkt" }}]
                "#
            ));
            let own = match stack.contains("resumed") {
                true => 0.0,
                false => f64::from(sign_us + verify_us) / 1e3,
            };
            let took = row.fct_s.unwrap() * 1e3;
            assert!(
                (took - ms - own).abs() < 0.006,
                "{stack}: {took} for {}",
                ms + own
            );
        }
    }
}

/// Vector V11: acknowledgements of every second packet at 1 Gbit/s that are read each 500 us are 21,
/// and each lets slow start release 4 packets.
#[test]
fn acknowledgements_that_are_read_together_release_a_burst() {
    let run = |host: &str| {
        outcome(&format!(
            r#"
            path = {{ rate = "1Gbps", rtt = "50ms", buffer = "100000pkt" }}
            stack = {{ preset = "quic", mss = "1460B", header = "40B", ack = "delayed", pacing = "none",
                       host = "{host}", receiver_host = "ideal", window = "unlimited" }}
            flows = [{{ startup = "slow-start", size = "20MB" }}]
            "#
        ))
    };
    let largest = |host| *bursts(&sent(&run(host))).iter().max().unwrap();
    assert_eq!(largest("ideal:coalesce=500us"), 84);
    // The initial window.
    assert_eq!(largest("ideal"), 10);
}

/// Vector V12: 50 us at both ends make 100.1 ms of 100, and 0.3 ms of 0.2.
#[test]
fn coalescing_lengthens_the_round_trip() {
    for (rtt, ms) in [("100ms", 100.1), ("200us", 0.3)] {
        let row = row(&format!(
            r#"
            path = {{ rate = "100Gbps", rtt = "{rtt}" }}
            stack = {{ host = "ideal:coalesce=50us" }}
            flows = [{{ startup = "slow-start", size = "1pkt" }}]
            "#
        ));
        let min_rtt = row.min_rtt_s.unwrap() * 1e3;
        assert!((min_rtt - ms).abs() < 0.001, "{min_rtt}");
    }
}

/// HyStart over a paced QUIC stack, 1 Gbit/s and 40 ms.
fn hystart(host: &str) -> FlowRow {
    row(&format!(
        r#"
        path = {{ rate = "1Gbps", rtt = "40ms", buffer = "100000pkt" }}
        stack = {{ preset = "quic", mss = "1460B", header = "40B", pacing = "rfc9002", ack = "every",
                   host = "{host}", window = "unlimited" }}
        flows = [{{ startup = "hystart:variant=linux-3.19", size = "60MB" }}]
        "#
    ))
}

/// Section 4 and vector V2: the period of paced batches of 10 packets of 1500 bytes is 2 ms at 60
/// Mbit/s. Below, the ACKs of batches are more than 2 ms apart, and there is no train.
#[test]
fn paced_batches_cut_the_train_of_acknowledgements_until_60_mbps() {
    let (paced, batches) = (hystart("ideal"), hystart("ideal:send_batch=10"));
    for row in [&paced, &batches] {
        assert_eq!(row.startup_exit_reason, Some(Reason::AckTrain));
    }
    let mbps = |row: &FlowRow| row.startup_exit_cwnd_segments.unwrap() * 1.25 * 12e3 / 40e-3 / 1e6;
    assert!(mbps(&paced) < 60.0, "{}", mbps(&paced));
    assert!(mbps(&batches) > 60.0, "{}", mbps(&batches));
}

/// Section 4: a reader of 15 us a datagram loses the bursts of slow start at its socket; the queue
/// of the path stays short.
#[test]
fn slow_start_ends_at_the_socket_of_a_slow_reader() {
    let run = |receiver: &str| {
        row(&format!(
            r#"
            path = {{ rate = "1Gbps", rtt = "20ms", buffer = "2000pkt" }}
            stack = {{ preset = "quic", mss = "1188B", header = "40B", pacing = "none",
                       receiver_host = "{receiver}", window = "unlimited" }}
            flows = [{{ startup = "slow-start", size = "20MB" }}]
            "#
        ))
    };
    let slow = run("ideal:receive_buffer=92,cpu_packet=15us");
    assert_eq!(slow.packets_dropped_at_socket, Some(slow.packets_dropped));
    assert!(slow.packets_dropped > 50);
    assert!(slow.startup_exit_cwnd_segments.unwrap() < 0.7 * slow.bdp_pkts as f64);
    let fast = run("ideal:receive_buffer=92,cpu_packet=1us");
    assert_eq!(fast.packets_dropped_at_socket, Some(0));
    assert!(run("ideal").packets_dropped_at_socket.is_none());
}

/// Section 4: packets of a pair that an interface hands up together have no gap, and so no estimate.
#[test]
fn a_pair_is_useless_where_frames_are_gathered() {
    let exit = |host: &str| {
        let row = row(&format!(
            r#"
            path = {{ rate = "100Mbps", rtt = "20ms", buffer = "1000pkt" }}
            stack = {{ ack = "every", host = "{host}" }}
            flows = [{{ startup = "packet-pair-start:variant=ns2", size = "3MB" }}]
            "#
        ));
        row.max_cwnd_segments / row.bdp_pkts as f64
    };
    let (ideal, gathered) = (exit("ideal"), exit("ideal:coalesce=500us"));
    assert!((ideal - 1.0).abs() < 0.3, "{ideal}");
    assert!((gathered / ideal - 1.0).abs() > 0.5, "{gathered}");
}

/// Receiver of batches: one acknowledgement for what is read together.
#[test]
fn a_batch_has_one_acknowledgement() {
    let acks = |preset: &str, receiver: &str| {
        let outcome = outcome(&format!(
            r#"
            path = {{ rate = "1Gbps", rtt = "20ms", buffer = "2000pkt" }}
            stack = {{ preset = "{preset}", receiver_host = "{receiver}" }}
            flows = [{{ startup = "slow-start", size = "500kB" }}]
            "#
        ));
        let entries = outcome.packets[0].entries.iter();
        let is_ack = |what: &What| matches!(what, What::Sent(Host::Receiver, _));
        entries.filter(|(_, what)| is_ack(what)).count()
    };
    for preset in ["linux", "quic"] {
        let one_by_one = acks(preset, "ideal:coalesce=50us");
        let in_batches = acks(preset, "ideal:coalesce=50us,receive_batch=32");
        assert!(
            in_batches * 2 < one_by_one,
            "{preset}: {in_batches} {one_by_one}"
        );
    }
}

/// With processor time, a sender that hands over everything at once reads the ACKs behind it.
#[test]
fn turns_let_acknowledgements_be_read_between_packets() {
    let run = |per_wake: u32| {
        let outcome = outcome(&format!(
            r#"
            path = {{ rate = "10Gbps", rtt = "2ms", buffer = "10000pkt" }}
            stack = {{ preset = "quic", pacing = "none", iw = "200pkt", window = "unlimited",
                       host = "ideal:cpu_packet=10us,per_wake={per_wake}" , receiver_host = "ideal" }}
            flows = [{{ startup = "slow-start", size = "200pkt" }}]
            "#
        ));
        bursts(&sent(&outcome))
    };
    assert_eq!(run(0), [200]);
    assert_eq!(run(20), [20; 10]);
}

/// A flow's hosts are its own; what it does not name is the scenario's.
#[test]
fn flows_may_have_hosts_of_their_own() {
    let outcome = outcome(
        r#"
        path = { rate = "1Gbps", rtt = "20ms", buffer = "1000pkt" }
        stack = { preset = "quic", host = "ideal:coalesce=1ms" }
        [[flows]]
        startup = "slow-start"
        size = "100kB"
        [[flows]]
        startup = "slow-start"
        size = "100kB"
        stack = { host = "ideal", receiver_host = "ideal:receive_buffer=9,cpu_packet=1us" }
        "#,
    );
    let [gathers, ideal] = [0, 1].map(|flow| outcome.flows.row(flow));
    let min_rtt = |row: &FlowRow| (row.min_rtt_s.unwrap() * 1e3).round();
    assert_eq!((min_rtt(&gathers), min_rtt(&ideal)), (22.0, 20.0));
    assert!(gathers.packets_dropped_at_socket.is_none());
    assert!(ideal.packets_dropped_at_socket.is_some());
}

#[test]
fn lateness_is_the_same_for_the_same_seed() {
    let fct = |seed: u32| {
        row(&format!(
            r#"
            seed = {seed}
            path = {{ rate = "50Mbps", rtt = "40ms", buffer = "50pkt" }}
            stack = {{ preset = "quinn", host = "tokio" }}
            flows = [{{ startup = "slow-start", size = "2MB" }}]
            "#
        ))
        .fct_s
    };
    assert_eq!(fct(1), fct(1));
    assert_ne!(fct(1), fct(2));
}

/// All presets in a whole run of each kind of stack: everything arrives and is accounted for.
#[test]
fn every_host_carries_a_transfer_of_every_kind_of_stack() {
    for host in ["ideal", "linux-server", "tokio", "windows", "fast-nic"] {
        for preset in [
            "linux", "quinn", "noq", "s2n", "picoquic", "neqo", "tquic", "ns2",
        ] {
            let row = row(&format!(
                r#"
                path = {{ rate = "20Mbps", rtt = "40ms", buffer = "50pkt", loss = "0.5%" }}
                stack = {{ preset = "{preset}", host = "{host}:cpu_packet=2us,cpu_ack=1us,cpu_batch=3us" }}
                flows = [{{ startup = "slow-start", size = "1MB" }}]
                duration = "60s"
                "#
            ));
            assert!(row.complete, "{preset} on {host}");
            assert_eq!(
                row.packets_sent,
                row.packets_arrived + row.packets_dropped + row.packets_in_network,
                "{preset} on {host}"
            );
        }
    }
}
