//! A resolved scenario: what it fills in, and that it runs to the same outcome.

use flowstart_sim::{Scenario, run};

const SCENARIOS: [&str; 12] = [
    "path = { rate = \"5Mbps\", rtt = \"64ms\" }\nflows = [{ size = \"300kB\" }]",
    "path = { rate = \"5Mbps\", rtt = \"64ms\", access_rate = \"50Mbps\", buffer = \"0.5bdp\" }\n\
     stack = { preset = \"ns2\", ack = \"delayed\", recovery = \"newreno\" }\n\
     flows = [{ size = \"200pkt\", count = 3, stagger = \"20ms\" }]",
    "path.hops = [{ rate = \"10Mbps\", delay = \"5ms\" }, { rate = \"4Mbps\", delay = \"9ms\" }]\n\
     flows = [{ size = \"1MB\", startup = \"hystart\" }, { size = \"50kB\", from_hop = 1 }]",
    "path.hops = [{ rate = \"10Mbps\", delay = \"5ms\" }, { rate = \"4Mbps\", delay = \"9ms\" }]\n\
     flows = [{ size = \"1MB\", startup = \"xcp\" }]",
    "path = { rate = \"5Mbps\", rtt = \"64ms\" }\nflows = [{ size = \"300kB\" }]\n\
     web = [{ sessions = 3, pages = 2, size = \"pareto2:mean=9,shape=1.2\" }, { size = \"3\" }]",
    "path = { rate = \"5Mbps\", rtt = \"64ms\" }\nstack = { preset = \"linux\", ecn = true }\n\
     flows = [{ size = \"300kB\" }]",
    "path = { rate = \"5Mbps\", rtt = \"64ms\" }\nflows = [{ size = \"300kB\" }]\n\
     stack = { preset = \"linux\", window = \"100001B\", receive_share = 0.3 }",
    "path = { rate = \"5Mbps\", rtt = \"64ms\" }\nflows = [{ size = \"300kB\" }]\n\
     stack = { window_growth = \"linux\", receive_buffer = \"50000B\" }",
    "path = { rate = \"500Mbps\", rtt = \"640ms\" }\nstack = { preset = \"linux\", window_growth = \"none\" }\n\
     flows = [{ size = \"20MB\", mss = \"536B\", startup = \"jump-start\" }]",
    "path = { rate = \"5Mbps\", rtt = \"64ms\" }\nstack = { preset = \"linux\" }\n\
     flows = [{ size = \"300kB\", stack = { iw = 30 } }, { size = \"300kB\", stack = { preset = \"quic\" } }]",
    "path = { rate = \"5Mbps\", rtt = \"64ms\" }\nend_after = { flow = 1, pause = \"1s\" }\n\
     flows = [{ size = \"3MB\" }, { size = \"30kB\", start_after = { flow = 0 }, available_rate = \"1Mbps\" }]",
    "path = { rate = \"5Mbps\", rtt = \"64ms\" }\nflows = [{ writes = [{ at = \"0s\", size = \"1kB\" }] },\
     { direction = \"reverse\", writes = [{ after = { flow = 0 }, size = \"1kB\" }] }]",
];

#[test]
fn routers_speak_xcp_where_a_flow_does_and_no_queue_is_given() {
    let queues = |path: &str, startup: &str| {
        let path = format!("rate = \"5Mbps\", rtt = \"64ms\", {path}");
        let flows = format!("{{ size = \"1kB\" }}, {{ size = \"1kB\", startup = \"{startup}\" }}");
        let text = format!("path = {{ {path} }}\nflows = [{flows}]");
        let whole = Scenario::from_toml(&text).unwrap().resolved().unwrap();
        [whole.path.queue, whole.path.reverse_queue].map(Option::unwrap)
    };
    assert_eq!(queues("", "hystart"), ["drop-tail", "drop-tail"]);
    assert_eq!(queues("", "xcp"), ["xcp", "xcp"]);
    assert_eq!(queues("", " xcp : iw=4"), ["xcp", "xcp"]);
    let given = "queue = \"drop-tail\"";
    assert_eq!(queues(given, "xcp"), ["drop-tail", "drop-tail"]);
    let given = "reverse_queue = \"drop-tail\"";
    assert_eq!(queues(given, "xcp"), ["xcp", "drop-tail"]);
}

#[test]
fn a_buffer_that_nobody_gave_is_1_bdp_but_no_handful() {
    let buffers = |path: &str| {
        let text = format!("path = {{ {path} }}\nflows = [{{ size = \"1kB\" }}]");
        let path = Scenario::from_toml(&text).unwrap().resolved().unwrap().path;
        [path.buffer, path.reverse_buffer].map(|buffer| buffer.unwrap().to_string())
    };
    let wide = r#"rate = "50Mbps", rtt = "80ms""#;
    assert_eq!(buffers(wide), ["333pkt", "333pkt"]);
    let up = format!(r#"{wide}, reverse_rate = "1Mbps""#);
    assert_eq!(buffers(&up), ["333pkt", "40pkt"]);
    let beside = r#"rate = "1Gbps", rtt = "60us""#;
    assert_eq!(buffers(beside), ["40pkt", "40pkt"]);
    let exact = format!(r#"{beside}, buffer = "1bdp""#);
    assert_eq!(buffers(&exact), ["5pkt", "5pkt"]);
}

#[test]
fn a_preset_defines_how_many_segments_an_acknowledgement_waits_for() {
    for (stack, every) in [("quic", 2), ("s2n", 10)] {
        let text = format!(
            "path = {{ rate = \"1Mbps\", rtt = \"100ms\" }}\nstack = {{ preset = \"{stack}\" }}\n\
             flows = [{{ size = \"1kB\" }}]"
        );
        let whole = Scenario::from_toml(&text).unwrap().resolved().unwrap();
        assert_eq!(whole.stack.ack_every, Some(every));
    }
}

#[test]
fn a_resolved_scenario_runs_to_the_same_outcome_and_is_resolved() {
    for text in SCENARIOS {
        let scenario = Scenario::from_toml(text).unwrap();
        let whole = scenario.resolved().unwrap();
        let text = |s: &Scenario| serde_json::to_string(s).unwrap();
        assert_eq!(text(&whole.resolved().unwrap()), text(&whole));
        let again = Scenario::from_json(&text(&whole)).unwrap();
        let rows = |s: &Scenario| {
            let mut flows: Vec<_> = run(s).unwrap().flows.iter().collect();
            flows.iter_mut().for_each(|f| f.cc = "".into());
            serde_json::to_string(&flows).unwrap()
        };
        assert_eq!(rows(&again), rows(&scenario));
    }
}
