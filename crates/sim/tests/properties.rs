//! What holds in every run, over random paths, stacks and flows.
//!
//! `PROPTEST_CASES=50000 PROPTEST_MAX_GLOBAL_REJECTS=50000` looks longer. A failing scenario is printed as TOML.
//! `PROPTEST_CASES=100000 cargo test --profile fuzz -p flowstart-sim --test runs -- under_any_preset --nocapture` runs
//! scenarios of every preset and prints how many.

#[path = "properties/catalog.rs"]
mod catalog;
#[path = "properties/conservation.rs"]
mod conservation;
#[path = "properties/fast_path.rs"]
mod fast_path;
#[path = "properties/lines.rs"]
mod lines;

use catalog::{listed, listed_fields, names, presets};
use flowstart_control::catalog::{AVOIDANCES, STARTUPS};
use flowstart_control::{Named, Rate};
use flowstart_network::queue::QUEUES;
use flowstart_network::quick_start::Admission;
use flowstart_network::variation::VARIATIONS;
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::trace::Trace;
use flowstart_sim::{Outcome, Prepared, Scenario, run};
use proptest::prelude::*;
use proptest::sample::select;

/// A line of a table, or nothing.
fn perhaps(line: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    prop_oneof![2 => Just(String::new()), 1 => line].boxed()
}

/// A line of one of many fields that contradict each other, or nothing.
fn seldom(line: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    prop_oneof![7 => Just(String::new()), 1 => line].boxed()
}

fn lines(parts: Vec<BoxedStrategy<String>>) -> impl Strategy<Value = String> {
    let join = |parts: Vec<String>| {
        let given: Vec<String> = parts.into_iter().filter(|p| !p.is_empty()).collect();
        given.join("\n")
    };
    parts.prop_map(join)
}

fn key(name: &'static str, values: &'static [&'static str]) -> BoxedStrategy<String> {
    select(values)
        .prop_map(move |v| format!("{name} = {v}"))
        .boxed()
}

const RATES: &[&str] = &[
    "\"64kbps\"",
    "\"1Mbps\"",
    "\"5Mbps\"",
    "\"77777777bps\"",
    "\"1Gbps\"",
    "\"7Gbps\"",
];
const DELAYS: &[&str] = &[
    "\"0s\"",
    "\"1us\"",
    "\"333333ns\"",
    "\"5ms\"",
    "\"30ms\"",
    "\"300ms\"",
];
const BUFFERS: &[&str] = &[
    "\"2pkt\"",
    "\"3pkt\"",
    "\"10pkt\"",
    "\"60pkt\"",
    "\"1bdp\"",
    "\"0.1bdp\"",
    "\"30kB\"",
];
const LOSSES: &[&str] = &["\"0.1%\"", "\"1%\"", "\"5%\"", "\"40%\""];

/// A line of a fixed rate, or of one that varies.
fn rate() -> BoxedStrategy<String> {
    const PARAMETERS: &[&str] = &[
        "\"steps:every=50ms,spread=0.9,outage=10ms\"",
        "\"wander:every=2ms,memory=20ms,sigma=1\"",
    ];
    const STEPS: &[&str] = &[
        "[{ rate = \"5Mbps\", lasts = \"10ms\" }, { rate = \"0bps\", lasts = \"7ms\" }]",
        "[{ rate = \"64kbps\", lasts = \"1s\" }, { rate = \"1Gbps\", lasts = \"1ms\" }]",
    ];
    let variation = prop_oneof![
        key("rate_variation", PARAMETERS),
        names("rate_variation", VARIATIONS),
    ];
    let about_its_mean = lines(vec![key("rate", RATES), variation.boxed()]);
    prop_oneof![
        5 => key("rate", RATES),
        1 => about_its_mean,
        1 => key("rate_steps", STEPS),
        1 => key("rate_trace", &["\"tests/paths/uneven.trace\""]),
    ]
    .boxed()
}

/// A queue before the line that delays packets.
fn delay_queue(at: &'static str) -> impl Strategy<Value = String> {
    let limit = lines(vec![
        key("delay_limit", &["1", "20", "1000"]),
        perhaps(listed("PathSpec", "delay_limit_with_queue")),
    ]);
    let skip = lines(vec![
        key("delay_skip", &["\"25%\"", "\"100%\""]),
        perhaps(key("delay_skip_gap", &["1", "5"])),
        perhaps(key("delay_skip_correlation", &["\"50%\""])),
    ]);
    let at = Just(format!("delay_at = {at}")).boxed();
    lines(vec![at, perhaps(limit), perhaps(skip)])
}

/// Stages that a path of one bottleneck may have.
fn stages() -> impl Strategy<Value = String> {
    const JITTER: &[&str] = &["\"uniform:most=7ms\"", "\"pareto2:mean=1ms,shape=1.3\""];
    let policer = lines(vec![
        key("policer_rate", RATES),
        key("policer_burst", &["\"20kB\"", "\"7pkt\""]),
    ]);
    let shaper = lines(vec![
        key("shaper_rate", RATES),
        key("shaper_burst", &["\"1500B\"", "\"9pkt\"", "\"2MB\""]),
    ]);
    let bursts = lines(vec![key("loss", LOSSES), key("loss_burst", &["1", "5"])]);
    let jitter = lines(vec![
        key("jitter", JITTER),
        perhaps(key("reverse_jitter", JITTER)),
        perhaps(key("jitter_every", &["\"3ms\"", "\"1s\""])),
        perhaps(listed("PathSpec", "reordering")),
    ]);
    let ripple = lines(vec![
        key("ripple", &["\"10ms\""]),
        key("ripple_period", &["\"100ms\"", "\"2s\""]),
    ]);
    lines(vec![
        perhaps(policer),
        perhaps(shaper),
        perhaps(delay_queue("\"forward\"")),
        prop_oneof![2 => perhaps(key("loss", LOSSES)), 1 => bursts].boxed(),
        perhaps(key("aggregation", &["\"4ms\"", "\"exponential:mean=4ms\""])),
        perhaps(jitter),
        perhaps(ripple),
    ])
}

fn path() -> impl Strategy<Value = String> {
    let plain = || perhaps(key("loss", LOSSES));
    let single = lines(vec![
        rate(),
        key("rtt", DELAYS),
        prop_oneof![2 => plain(), 1 => stages().boxed()].boxed(),
        perhaps(key("reverse_rate", RATES)),
        perhaps(key("reverse_buffer", BUFFERS)),
        perhaps(key("reverse_loss", LOSSES)),
        perhaps(names("reverse_queue", QUEUES)),
    ]);
    let loopback = lines(vec![
        rate(),
        key("rtt", DELAYS),
        plain(),
        delay_queue("\"loopback\"").boxed(),
    ]);
    let hop = || {
        let queue = perhaps(names("queue", QUEUES).prop_map(|q| format!(", {q}")));
        let parts = (select(RATES), select(DELAYS), select(BUFFERS), queue);
        parts.prop_map(|(r, d, b, q)| format!("{{ rate = {r}, delay = {d}, buffer = {b}{q} }}"))
    };
    let chain = prop::collection::vec(hop(), 3).prop_map(|h| format!("hops = [{}]", h.join(", ")));
    let access = lines(vec![
        key("access_rate", RATES),
        perhaps(key("access_delay", DELAYS)),
        perhaps(listed("PathSpec", "access_at")),
    ]);
    let admission = select(Admission::NAMES)
        .prop_map(|rule| format!("quick_start = {{ admission = \"{rule}\" }}"));
    let gathering = lines(vec![
        key("ack_batch", &["\"2ms\"", "\"333us\""]),
        perhaps(listed("PathSpec", "ack_thinning")),
    ]);
    lines(vec![
        prop_oneof![4 => single.boxed(), 1 => loopback.boxed(), 1 => chain.boxed()].boxed(),
        perhaps(key("buffer", BUFFERS)),
        perhaps(access),
        perhaps(key("nic_rate", RATES)),
        perhaps(listed("PathSpec", "buffer_accounting")),
        perhaps(key("hosts", &["1", "2"])),
        perhaps(names("queue", QUEUES)),
        perhaps(key("router_pps", &["1000", "77777"])),
        perhaps(gathering),
        perhaps(admission),
    ])
}

/// A preset, all fields with listed values, and some of those with others.
fn stack(preset: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    const WINDOWS: &[&str] = &["\"4pkt\"", "\"20kB\"", "\"100kB\"", "\"1MB\""];
    const INITIAL_WINDOWS: &[&str] = &["\"1\"", "\"3\"", "\"10\"", "\"40\"", "\"rfc3390\""];
    let listed = listed_fields("StackSpec")
        .into_iter()
        .map(|field| seldom(listed("StackSpec", field)));
    let others = [
        key("ack_every", &["1", "3", "20"]),
        key("ack_reordering", &["3"]),
        key("ack_pacer", &["\"195B\""]),
        key("id_update", &["\"90B\""]),
        key("receive_buffer", &["\"131072B\"", "\"1MB\""]),
        key("receive_share", &["0.5", "1"]),
        key("mss", &["\"536B\"", "\"1000B\"", "\"8960B\""]),
        key("iw", INITIAL_WINDOWS),
        key("server_flight", &["\"5kB\""]),
        key("pacing_gain", &["2"]),
        key("rto_min", &["\"0s\"", "\"200ms\""]),
        key("window", WINDOWS),
        key("sharing_lifetime", &["\"1s\""]),
        key("sharing_cap", &["1", "20"]),
        key("interrupt_max", &["\"10us\"", "\"100us\"", "\"2ms\""]),
        key("sack_cost", &["\"1us\"", "\"100us\""]),
        key("host", HOSTS),
        key("receiver_host", HOSTS),
    ];
    let others = others.into_iter().map(perhaps);
    lines([preset].into_iter().chain(listed).chain(others).collect())
}

/// Hosts of every preset, and one of every mechanism.
const HOSTS: &[&str] = &[
    "\"linux-server\"",
    "\"tokio:cpu_packet=3us,cpu_batch=5us,cpu_ack=1us\"",
    "\"windows\"",
    "\"fast-nic:cpu_kb=1us,sign=60us,verify=80us\"",
    "\"ideal:send_batch=4,paced_batch=true,cpu_packet=20us,per_wake=3,coalesce=1ms,frames=5\"",
];

/// A line that names one of these presets.
fn preset(names: Vec<&'static str>) -> BoxedStrategy<String> {
    select(names)
        .prop_map(|name| format!("preset = \"{name}\""))
        .boxed()
}

fn flow() -> impl Strategy<Value = String> {
    const LANDINGS: &[&str] = &[
        "0.4",
        "\"delivered\"",
        "\"0.8bdp\"",
        "\"half-then-recovery\"",
    ];
    let size = prop_oneof![
        Just("1B".to_string()),
        (1u64..200).prop_map(|n| format!("{n}pkt")),
        (1u64..200_000).prop_map(|n| format!("{n}B")),
    ];
    let write = (0u64..3000, 1u64..60_000);
    let writes = prop::collection::vec(write, 1..5).prop_map(|mut writes| {
        writes.sort_unstable();
        let write = |(at, size)| format!("{{ at = \"{at}ms\", size = \"{size}B\" }}");
        let writes: Vec<String> = writes.into_iter().map(write).collect();
        format!("writes = [{}]", writes.join(", "))
    });
    let drops = prop::collection::vec(0u64..40, 1..6);
    let listed = listed_fields("FlowSpec")
        .into_iter()
        .map(|field| seldom(listed("FlowSpec", field)));
    let others = [
        names("startup", STARTUPS),
        perhaps(names("cc", AVOIDANCES)),
        prop_oneof![3 => size.prop_map(|s| format!("size = \"{s}\"")).boxed(), 1 => writes.boxed()]
            .boxed(),
        perhaps((0u64..3_000_000).prop_map(|us| format!("start = \"{us}us\""))),
        perhaps(key("count", &["2", "3"])),
        perhaps(key("stagger", &["\"0s\"", "\"10ms\""])),
        perhaps(key("jitter", &["\"10ms\""])),
        perhaps(key("rtt", &["\"5s\""])),
        perhaps(key("landing", LANDINGS)),
        seldom(preset(presets()).prop_map(|preset| format!("stack = {{ {preset} }}"))),
        perhaps(key("cached_cwnd", &["\"1bdp\"", "\"40pkt\"", "\"1B\""])),
        perhaps(key("mss", &["\"536B\"", "\"1460B\""])),
        perhaps(drops.prop_map(|d| format!("forced_drops = {d:?}"))),
    ];
    lines(others.into_iter().chain(listed).collect())
}

/// Entries of web sessions, small ones: nothing that is drawn here is heavy.
fn web() -> impl Strategy<Value = String> {
    const PAUSES: &[&str] = &[
        "\"0s\"",
        "\"20ms\"",
        "\"exponential:mean=50ms\"",
        "\"lognormal:median=10ms,sigma=1\"",
    ];
    const COUNTS: &[&str] = &["1", "3", "\"exponential:mean=1.5\""];
    let listed = listed_fields("WebSpec")
        .into_iter()
        .map(|field| perhaps(listed("WebSpec", field)));
    let others = [
        names("startup", STARTUPS),
        perhaps(names("cc", AVOIDANCES)),
        key(
            "size",
            &[
                "5",
                "\"pareto2:mean=4,shape=3\"",
                "\"weibull:mean=9,shape=0.7\"",
            ],
        ),
        perhaps(key("sessions", &["2", "4"])),
        perhaps(key("start", &["\"10ms\"", "\"3s\""])),
        perhaps(key("interval", PAUSES)),
        perhaps(key("pages", COUNTS)),
        perhaps(key("page_pause", PAUSES)),
        perhaps(key("objects", COUNTS)),
        perhaps(key("object_pause", PAUSES)),
        perhaps(key("max_size", &["3", "20"])),
        perhaps(key("request", &["\"1B\"", "\"2pkt\""])),
        perhaps(key("clients", &["1", "2"])),
        perhaps(key("servers", &["1", "3"])),
    ];
    lines(others.into_iter().chain(listed).collect())
}

fn tables(name: &'static str, entries: Vec<String>) -> String {
    let tables: Vec<String> = entries
        .iter()
        .map(|entry| format!("[[{name}]]\n{entry}"))
        .collect();
    tables.join("\n")
}

fn scenario() -> impl Strategy<Value = String> {
    scenario_under(perhaps(preset(presets())))
}

/// A scenario whose stack has the preset of this line.
fn scenario_under(preset: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let flows = || prop::collection::vec(flow(), 1..5).prop_map(|flows| tables("flows", flows));
    let web = || prop::collection::vec(web(), 1..3).prop_map(|web| tables("web", web));
    let traffic = prop_oneof![
        4 => flows().boxed(),
        1 => web().boxed(),
        1 => (flows(), web()).prop_map(|(flows, web)| format!("{flows}\n{web}")).boxed(),
    ];
    (0u64..1000, path(), stack(preset), traffic).prop_map(|(seed, path, stack, traffic)| {
        let stack = without_what_does_nothing(stack);
        let stack = match traffic.contains("cc = \"prague\"") {
            true => counting_marks(&stack),
            false => stack,
        };
        format!("seed = {seed}\ntrace = true\n[path]\n{path}\n[stack]\n{stack}\n{traffic}\n")
    })
}

/// With marks counted, as a scalable congestion control needs them.
fn counting_marks(stack: &str) -> String {
    let others = stack.lines().filter(|line| !line.starts_with("ecn ="));
    let lines: Vec<&str> = others.chain(["ecn = \"l4s\""]).collect();
    lines.join("\n")
}

/// Without the fields that are refused because others leave them nothing to do.
fn without_what_does_nothing(mut stack: String) -> String {
    loop {
        let text =
            format!("path = {{ rate = \"5Mbps\", rtt = \"64ms\" }}\nflows = []\n[stack]\n{stack}");
        let refused = match Scenario::from_toml(&text).and_then(|scenario| scenario.stack()) {
            Err(e) if e.to_string().contains("changes nothing") => e.to_string(),
            _ => return stack,
        };
        let field = refused
            .trim_start_matches("stack.")
            .split(':')
            .next()
            .unwrap();
        let others = stack
            .lines()
            .filter(|line| !line.starts_with(&format!("{field} =")));
        stack = others.collect::<Vec<_>>().join("\n");
    }
}

/// The record of the packets of the first flow, as text; `None` where there is no such flow.
fn packets_of_the_first_flow(scenario: &Scenario) -> Option<String> {
    let mut prepared = Prepared::new(scenario).unwrap();
    prepared.log_packets(&[0]).ok()?;
    let outcome = prepared.run_within(|| true, |used| used.packets < conservation::MOST_PACKETS);
    Some(format!("{:?}", outcome.packets.first()?.entries))
}

fn json(outcome: &Outcome) -> String {
    serde_json::to_string(outcome).unwrap()
}

/// One flow's accounts.
fn audit(flow: &FlowRow, cut_short: bool) -> Result<(), TestCaseError> {
    // A connection is given up after so many timeouts, or SYNs; ns-2's never are.
    let gives_up = flow.stack != "ns2";
    prop_assert!(!flow.reset || gives_up && (flow.timeouts >= 15 || flow.syn_retransmits >= 6));
    prop_assert!(
        flow.complete || flow.reset || cut_short,
        "flow {} did not end",
        flow.flow
    );
    prop_assert!(flow.packets_arrived * 8960 >= flow.bytes_delivered);
    Ok(())
}

/// Objects against the flows that they were.
fn audit_objects(outcome: &Outcome, cut_short: bool) -> Result<(), TestCaseError> {
    for object in outcome.objects.iter() {
        let request = outcome.flows.row(object.request_flow);
        prop_assert_eq!(request.opened_s, Some(object.requested_s));
        let Some(response) = object.flow.map(|flow| outcome.flows.row(flow)) else {
            prop_assert!(request.reset || cut_short, "a request was not answered");
            continue;
        };
        // At the same time only where a trace lets packets pass at once and nothing delays them.
        prop_assert!(response.opened_s >= Some(object.requested_s));
        prop_assert_eq!(response.complete, object.complete);
        let from_response = |after: Option<f64>| Some(response.opened_s? + after?);
        for (object_s, flow_s) in [
            (object.response_s, response.fct_s),
            (object.done_s, response.duration_s),
        ] {
            let (object_s, flow_s) = (
                object_s.map(|s| object.requested_s + s),
                from_response(flow_s),
            );
            prop_assert_eq!(object_s.is_some(), flow_s.is_some());
            let apart = object_s.zip(flow_s).map_or(0.0, |(a, b)| (a - b).abs());
            prop_assert!(apart < 1e-8, "{} apart", apart);
        }
    }
    Ok(())
}

fn audit_trace(outcome: &Outcome) -> Result<(), TestCaseError> {
    let trace = outcome.trace.as_ref().unwrap();
    let windows = trace.flow_samples.cwnd.iter().filter(|w| !w.is_nan());
    let least = windows.copied().fold(f64::INFINITY, f64::min);
    prop_assert!(least >= 1.0, "a window of {}", least);
    for times in [&trace.flow_samples.time_ns, &trace.queue_samples.time_ns] {
        prop_assert!(times.windows(2).all(|t| t[0] <= t[1]), "time went back");
    }
    let hops = trace
        .queue_samples
        .hop
        .iter()
        .max()
        .map_or(0, |last| last + 1);
    (0..hops).try_for_each(|hop| {
        audit_queue(trace, hop, 0)?;
        audit_queue(trace, hop, 1)
    })
}

/// What a queue holds is what it has accepted less what has left it.
fn audit_queue(trace: &Trace, hop: u8, direction: u8) -> Result<(), TestCaseError> {
    let (offers, departures) = (&trace.queue_samples, &trace.queue_departures);
    let left: Vec<u64> = (0..departures.time_ns.len())
        .filter(|i| departures.direction[*i] == direction && departures.hop[*i] == hop)
        .map(|i| departures.time_ns[i])
        .collect();
    prop_assert!(left.is_sorted(), "departures are out of order");
    let mut accepted = 0;
    let mine = |i: &usize| offers.direction[*i] == direction && offers.hop[*i] == hop;
    for i in (0..offers.time_ns.len()).filter(mine) {
        accepted += u64::from(!offers.dropped[i]);
        let gone = accepted - offers.packets[i];
        let now = offers.time_ns[i];
        let surely = left.partition_point(|time| *time < now) as u64;
        let perhaps = left.partition_point(|time| *time <= now) as u64;
        prop_assert!(
            (surely..=perhaps).contains(&gone),
            "{} left by {} ns, {} to {} recorded",
            gone,
            now,
            surely,
            perhaps
        );
    }
    Ok(())
}

fn audit_links(outcome: &Outcome, scenario: &Scenario) -> Result<(), TestCaseError> {
    for link in &outcome.links {
        prop_assert!(
            link.utilisation <= 1.0 + 1e-9,
            "{}: {}",
            link.name,
            link.utilisation
        );
        if let Some(limit) = link.limit_pkts {
            prop_assert!(
                link.max_queue_pkts <= limit,
                "{}: {} > {}",
                link.name,
                link.max_queue_pkts,
                limit
            );
        }
        if let Some(limit) = link.limit_bytes {
            prop_assert!(link.max_queue_bytes <= limit, "{}", link.name);
        }
    }
    let dropped: u64 = outcome.flows.iter().map(|f| f.packets_dropped).sum();
    let refused: u64 = outcome.links.iter().map(|l| l.dropped).sum();
    prop_assert!(
        dropped <= refused,
        "{} dropped, links say {}",
        dropped,
        refused
    );
    prop_assert!(scenario.flows.len() <= outcome.flows.len());
    Ok(())
}

/// Drop-tail on a link that queues, against the link that computes departures on acceptance.
fn compare_kinds_of_link(text: &str) -> Result<(), TestCaseError> {
    let Ok(mut scenario) = Scenario::from_toml(text) else {
        return Err(TestCaseError::reject("no scenario"));
    };
    // Without marked packets `marked-first` is drop-tail, on a link that queues.
    let marks = |name: &String| name == "jump-start" || name == "fast-start";
    for flow in &mut scenario.flows {
        flow.startup = flow.startup.take().filter(|name| !marks(name));
    }
    for web in &mut scenario.web {
        web.startup = web.startup.take().filter(|name| !marks(name));
    }
    // How long a queue behind a shaper takes to empty depends on the sizes of all packets in it, of
    // which a discipline reports number and bytes.
    scenario.trace &= scenario.path.shaper_rate.is_none();
    let mut with = |queue: &str| {
        scenario.path.queue = Some(queue.into());
        scenario.path.reverse_queue = None;
        scenario
            .path
            .hops
            .iter_mut()
            .for_each(|hop| hop.queue = None);
        run(&scenario)
    };
    let Ok(one) = with("drop-tail") else {
        return Err(TestCaseError::reject("refused"));
    };
    prop_assert_eq!(json(&one), json(&with("marked-first").unwrap()));
    Ok(())
}

#[test]
fn a_transmission_that_begins_when_the_run_ends_is_the_same_on_either_kind_of_link() {
    let scenario = r#"
        trace = true
        path = { rate_trace = "tests/paths/uneven.trace", rtt = "0s", ack_batch = "2ms" }
        stack = { rto_min = "0s" }
        web = [{ size = 5, sessions = 2, start = "3s", request = "1B" }]
    "#;
    compare_kinds_of_link(scenario).unwrap();
}

/// Both directions pass one line, whose departures are in the trace once.
#[test]
fn the_trace_of_a_loopback_has_each_departure_once() {
    let text = r#"
        seed = 425
        trace = true
        path = { rate_trace = "tests/paths/uneven.trace", rtt = "0s", delay_at = "loopback", queue = "drop-tail" }
        stack = { sack = false, mss = "536B", server_flight = "5kB", interrupt_max = "100us" }
        flows = [{ startup = "xcp", size = "126565B", jitter = "10ms" }]
    "#;
    let outcome = run(&Scenario::from_toml(text).unwrap()).unwrap();
    audit_trace(&outcome).unwrap();
}

proptest! {
    #[test]
    fn runs_keep_their_accounts(text in scenario()) {
        // Some combinations contradict each other; errors.rs is about those.
        let Ok(mut scenario) = Scenario::from_toml(&text) else {
            return Err(TestCaseError::reject("no scenario"));
        };
        let Ok(outcome) = run(&scenario) else {
            return Err(TestCaseError::reject("refused"));
        };
        outcome.audit(&scenario).map_err(TestCaseError::fail)?;
        for flow in outcome.flows.iter() {
            audit(&flow, false)?;
        }
        audit_objects(&outcome, false)?;
        audit_trace(&outcome)?;
        audit_links(&outcome, &scenario)?;
        let again = run(&scenario).unwrap();
        prop_assert_eq!(json(&again), json(&outcome), "a rerun differs");
        scenario.trace = false;
        let untraced = run(&scenario).unwrap();
        prop_assert_eq!(json(&untraced), json(&Outcome { trace: None, ..outcome }), "the trace interferes");
        let packets = packets_of_the_first_flow(&scenario);
        let flows = scenario.flows.iter_mut();
        flows.for_each(|flow| flow.available_rate = Some(Rate(5_000_000)));
        prop_assert_eq!(packets, packets_of_the_first_flow(&scenario), "measuring changes the packets' record");
        let measured = Outcome { startups: Vec::new(), ..run(&scenario).unwrap() };
        prop_assert_eq!(json(&measured), json(&untraced), "measuring interferes");
    }

    #[test]
    fn drop_tail_is_the_same_on_either_kind_of_link(text in scenario()) {
        compare_kinds_of_link(&text)?;
    }

    #[test]
    fn a_scenario_with_its_defaults_written_out_is_the_same_run(text in scenario()) {
        let Ok(scenario) = Scenario::from_toml(&text) else {
            return Err(TestCaseError::reject("no scenario"));
        };
        let Ok(outcome) = run(&scenario) else {
            return Err(TestCaseError::reject("refused"));
        };
        let whole = serde_json::to_string(&scenario.resolved().unwrap()).unwrap();
        let again = run(&Scenario::from_json(&whole).unwrap()).unwrap();
        prop_assert_eq!(json(&again), json(&outcome), "{}", whole);
    }

    #[test]
    fn a_run_cut_short_keeps_its_accounts(text in scenario(), ms in 1u64..5000) {
        let text = format!("duration = \"{ms}ms\"\n{text}");
        let Ok(scenario) = Scenario::from_toml(&text) else {
            return Err(TestCaseError::reject("no scenario"));
        };
        let Ok(outcome) = run(&scenario) else {
            return Err(TestCaseError::reject("refused"));
        };
        outcome.audit(&scenario).map_err(TestCaseError::fail)?;
        for flow in outcome.flows.iter() {
            audit(&flow, true)?;
        }
        audit_objects(&outcome, true)?;
        for link in &outcome.links {
            prop_assert!(link.utilisation <= 1.0 + 1e-9, "{}: {}", link.name, link.utilisation);
        }
    }
}
