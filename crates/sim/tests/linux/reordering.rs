//! The `linux` preset where packets of stated positions are late, where the application pauses, and
//! where the data's receiver opens the connection, against recordings of Linux 6.18 on 20 Mbit/s ×
//! 60 ms with room for 100 packets: medians of five to seven runs.

use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::trace::Event;
use flowstart_sim::{run, Scenario};

/// Every fiftieth packet is late: by how much, what sends and how much; what the kernel takes for it
/// in milliseconds, and how often it sends something again. Without overshoot it sends once or twice
/// for nothing, takes that back at once, and waits from then on.
const EVERY_FIFTIETH: [(&str, &str, &str, &str, f64, u64); 10] = [
    ("4ms", "", "cubic", "1MB", 662.0, 1),
    ("4ms", "", "cubic", "10MB", 4392.0, 1),
    ("4ms", "", "reno", "10MB", 4393.0, 287),
    ("4ms", "", "bbr", "10MB", 4405.0, 207),
    ("4ms", "dsack = false", "reno", "1MB", 662.0, 147),
    ("10ms", "", "cubic", "10MB", 4404.0, 2),
    ("10ms", "", "reno", "1MB", 684.0, 142),
    ("10ms", "", "bbr", "10MB", 4408.0, 212),
    ("40ms", "", "reno", "1MB", 813.0, 134),
    ("40ms", "dsack = false", "cubic", "10MB", 4496.0, 138),
];

fn flow(stack: &str, avoidance: &str, rest: &str) -> Scenario {
    let startup = match avoidance {
        "cubic" => "hystart",
        "bbr" => "bbr-startup",
        _ => "slow-start",
    };
    let text = format!(
        r#"
        trace = true
        [path]
        rate = "20Mbps"
        rtt = "60ms"
        buffer = "100pkt"
        reverse_buffer = "100000pkt"
        [stack]
        preset = "linux"
        {stack}
        [[flows]]
        startup = "{startup}"
        avoidance = "{avoidance}"
        {rest}
        "#
    );
    Scenario::from_toml(&text).unwrap()
}

fn row(scenario: &Scenario) -> FlowRow {
    run(scenario).unwrap().flows.row(0)
}

#[test]
fn late_packets_cost_what_they_cost_the_kernel() {
    let positions: Vec<u64> = (1..=200).map(|n| 50 * n).collect();
    for (late, stack, avoidance, size, ms, again) in EVERY_FIFTIETH {
        let delays: Vec<String> = positions
            .iter()
            .map(|n| format!("{n} = '{late}'"))
            .collect();
        let rest = format!("size = '{size}'\ndelays = {{ {} }}", delays.join(", "));
        let row = row(&flow(stack, avoidance, &rest));
        let found = row.fct_s.unwrap() * 1e3;
        let sent = row.packets_retransmitted;
        let case = format!("{late} {stack} {avoidance} {size}: {found} ms, {sent} again");
        assert!((found - ms).abs() < 0.02 * ms, "{case}");
        assert!(sent.abs_diff(again) <= (again / 10).max(2), "{case}");
        assert_eq!(row.timeouts, 0, "{case}");
    }
}

/// What leaves at the second write before an acknowledgement of any of it is back.
fn second_flight(avoidance: &str, pause_ms: u64) -> usize {
    let at = 700 + pause_ms;
    let rest =
        format!("writes = [{{ at = '0s', size = '300kB' }}, {{ at = '{at}ms', size = '300kB' }}]");
    let trace = run(&flow("", avoidance, &rest)).unwrap().trace.unwrap();
    let trace = trace.flow_samples;
    let from = trace.time_ns.partition_point(|ns| *ns < at * 1_000_000);
    let events = (from..).map(|i| (trace.event[i], trace.seq[i]));
    let back = |(event, seq): &(u8, u64)| *event == Event::Ack as u8 && *seq > 300_000;
    let until = events.take_while(|event| !back(event));
    until
        .filter(|(event, _)| *event == Event::Send as u8)
        .count()
}

#[test]
fn an_idle_time_halves_the_window_for_every_timeout_that_it_lasts() {
    // The first 300 kB end after 366 ms and more; the recorded pauses are from the last packet on.
    let flights = [0, 300, 850, 2000].map(|pause| second_flight("reno", pause));
    assert!(flights.is_sorted_by(|a, b| a >= b), "{flights:?}");
    assert_eq!(flights[3], 10, "never less than the initial window");
    let halves = flights.windows(2).any(|w| w[0].abs_diff(2 * w[1]) <= 1);
    assert!(halves, "{flights:?}");
}

/// Kernel: 100 at once to large receive buffers, 44 or 45 to those of a stock one.
#[test]
fn a_client_that_has_opened_offers_its_whole_window_at_once() {
    let stock = "receive_buffer = '131072B'\nreceive_buffer_max = '33554432B'";
    for (stack, first) in [("", 100), (stock, 44)] {
        let stack = format!("iw = 100\n{stack}");
        let rest = "size = '1MB'\nopener = 'receiver'";
        let trace = run(&flow(&stack, "reno", rest)).unwrap().trace.unwrap();
        let trace = trace.flow_samples;
        let events = trace.event.iter().zip(&trace.seq);
        let data = events.take_while(|(event, seq)| **event != Event::Ack as u8 || **seq == 0);
        let sent = data
            .filter(|(event, _)| **event == Event::Send as u8)
            .count();
        assert_eq!(sent, first, "{stack}");
    }
    let time = |opener| {
        row(&flow(
            "",
            "reno",
            &format!("size = '1MB'\nopener = '{opener}'"),
        ))
    };
    let [server, client] = ["receiver", "sender"].map(|opener| time(opener).fct_s.unwrap());
    assert!(
        (server - client - 0.03).abs() < 0.001,
        "half a round trip: {server} {client}"
    );
}
