//! XCP as a whole: senders, routers and receivers on a path of 10 Mbit/s and 100 ms.

use super::outcome;
use flowstart_sim::Outcome;
use flowstart_sim::record::trace::Event;

/// What 10 Mbit/s carry in 100 ms, segments of 1460 bytes with their congestion headers.
const LINE: f64 = 10e6 * 0.1 / 8.0 / 1520.0;

fn on_the_path(path: &str, flows: &str, seconds: u32) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        duration = "{seconds}s"
        path = {{ rate = "10Mbps", rtt = "100ms", {path} }}
        flows = [{flows}]
        "#
    ))
}

/// Segments that a flow sends from one time to another, per 100 ms.
fn pace(run: &Outcome, flow: u32, from_s: f64, to_s: f64) -> f64 {
    let t = &run.trace.as_ref().unwrap().flow_samples;
    let within = |i: &usize| {
        let at = t.time_ns[*i] as f64 / 1e9;
        t.flow[*i] == flow && t.event[*i] == Event::Send as u8 && (from_s..to_s).contains(&at)
    };
    let sent = (0..t.time_ns.len()).filter(within).count();
    sent as f64 * 0.1 / (to_s - from_s)
}

fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|x| x * x).sum();
    sum * sum / (shares.len() as f64 * squares)
}

/// The longest queue on the way of the data, from some time on.
fn longest_queue(run: &Outcome, from_s: f64) -> u64 {
    let q = &run.trace.as_ref().unwrap().queue_samples;
    let late = (0..q.time_ns.len())
        .filter(|i| q.direction[*i] == 0 && q.time_ns[*i] as f64 / 1e9 >= from_s);
    late.map(|i| q.packets[i]).max().unwrap()
}

fn dropped(run: &Outcome) -> u64 {
    run.links.iter().map(|link| link.dropped).sum()
}

#[test]
fn a_lone_sender_fills_the_line_in_a_few_round_trips_without_loss_or_queue() {
    let run = on_the_path("", r#"{ startup = "xcp" }"#, 3);
    // The handshake, a flight that tells the router, and three that it answers.
    let early = pace(&run, 0, 0.5, 0.6);
    assert!(early > 0.9 * LINE, "{early} of {LINE}");
    let late = pace(&run, 0, 1.0, 3.0);
    assert!(late > 0.97 * LINE, "{late} of {LINE}");
    assert_eq!(dropped(&run), 0);
    assert!(
        longest_queue(&run, 2.0) <= 4,
        "{}",
        longest_queue(&run, 2.0)
    );
    assert_eq!(run.flows.row(0).startup_exit_reason, None);
}

#[test]
fn slow_start_loses_packets_where_xcp_loses_none() {
    let lost = |startup: &str| {
        let flow = format!(r#"{{ startup = "{startup}", size = "4MB" }}"#);
        let run = on_the_path("", &flow, 20);
        assert!(run.flows.row(0).complete, "{startup}");
        dropped(&run)
    };
    assert!(lost("slow-start") > 50);
    assert_eq!(lost("xcp"), 0);
}

#[test]
fn five_flows_share_the_line_fairly() {
    let run = on_the_path("", r#"{ startup = "xcp", count = 5, stagger = "30ms" }"#, 5);
    for (from, to, least) in [(1.0, 2.0, 0.95), (4.0, 5.0, 0.99)] {
        let shares: Vec<f64> = (0..5).map(|flow| pace(&run, flow, from, to)).collect();
        assert!(jain(&shares) > least, "{from} to {to} s: {shares:?}");
        let all: f64 = shares.iter().sum();
        assert!(all > 0.97 * LINE, "{from} to {to} s: {shares:?}");
    }
    assert_eq!(dropped(&run), 0);
}

#[test]
fn separate_round_trips_do_not_make_shares_unequal() {
    let flows = r#"{ startup = "xcp" }, { startup = "xcp", rtt = "300ms" }"#;
    // The buffer is that of the longer round trip, whose first windows leave in one burst.
    let run = on_the_path(r#"buffer = "250pkt""#, flows, 20);
    let shares = [0, 1].map(|flow| pace(&run, flow, 14.0, 20.0));
    assert!(jain(&shares) > 0.99, "{shares:?}");
    assert_eq!(dropped(&run), 0);
}

#[test]
fn a_late_comer_gets_its_share_without_loss() {
    let flows = r#"{ startup = "xcp" }, { startup = "xcp", start = "2s" }"#;
    let run = on_the_path("", flows, 8);
    assert!(pace(&run, 0, 1.0, 2.0) > 0.97 * LINE);
    let shares = [0, 1].map(|flow| pace(&run, flow, 5.0, 8.0));
    assert!((shares[1] / shares[0] - 1.0).abs() < 0.05, "{shares:?}");
    assert_eq!(dropped(&run), 0);
}

#[test]
fn a_share_is_given_up_when_others_are_done() {
    let flows = r#"{ startup = "xcp" }, { startup = "xcp", size = "2MB" }"#;
    let run = on_the_path("", flows, 8);
    let done = run.flows.row(1).duration_s.unwrap();
    assert!(pace(&run, 0, done + 1.0, 8.0) > 0.95 * LINE);
}

#[test]
fn the_narrowest_of_several_routers_decides() {
    let run = outcome(
        r#"
        duration = "5s"
        path.hops = [
            { rate = "20Mbps", delay = "15ms" },
            { rate = "5Mbps", delay = "20ms" },
            { rate = "10Mbps", delay = "15ms" },
        ]
        flows = [{ startup = "xcp" }]
        "#,
    );
    assert_eq!(dropped(&run), 0);
    let narrowest = run.links.iter().find(|link| link.name == "forward-1");
    let used = narrowest.unwrap().utilisation;
    assert!(used > 0.9, "{used}");
}

#[test]
fn without_a_router_that_answers_it_is_slow_start_with_a_larger_header() {
    let flow = |startup: &str| format!(r#"{{ startup = "{startup}", size = "1MB" }}"#);
    let run = |queue: &str, startup| {
        let path = format!(r#"queue = "{queue}", buffer = "300pkt""#);
        on_the_path(&path, &flow(startup), 20)
    };
    let (xcp, plain) = (run("drop-tail", "xcp"), run("drop-tail", "slow-start"));
    let windows = |run: &Outcome| {
        let t = &run.trace.as_ref().unwrap().flow_samples;
        let ack = |i: &usize| t.event[*i] == Event::Ack as u8;
        let acks = (0..t.time_ns.len()).filter(ack);
        acks.map(|i| (t.seq_bytes[i], t.cwnd[i].to_bits()))
            .collect::<Vec<_>>()
    };
    assert_eq!(windows(&xcp), windows(&plain));
    let bytes = |run: &Outcome| run.links[0].bytes;
    let data = plain.flows.row(0).packets_sent;
    assert_eq!(bytes(&xcp), bytes(&plain) + 20 * data);
    // And the routers of a path where all is given do not answer by themselves.
    assert!(
        run("xcp", "xcp").flows.row(0).max_cwnd_segments < plain.flows.row(0).max_cwnd_segments
    );
}

#[test]
fn it_repairs_what_a_drop_tail_queue_loses_and_what_the_line_does() {
    for path in [
        r#"queue = "drop-tail", buffer = "20pkt""#,
        r#"loss = "2%", reverse_loss = "2%""#,
        r#"buffer = "10pkt""#,
    ] {
        let run = on_the_path(path, r#"{ startup = "xcp", size = "1MB" }"#, 60);
        assert!(run.flows.row(0).complete, "{path}");
        assert!(run.flows.row(0).packets_retransmitted > 0, "{path}");
    }
}
