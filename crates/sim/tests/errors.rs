//! Every complaint about a request, word for word: one line that names the field, the
//! value, and what would be right.

use flowstart_sim::{Scenario, run};

const PATH: &str = "rate = \"5Mbps\", rtt = \"64ms\"";

fn complaint(text: &str) -> String {
    match crate::rfc_scenario(text).and_then(|scenario| run(&scenario)) {
        Ok(_) => format!("accepted:\n{text}"),
        Err(e) => e.to_string(),
    }
}

/// Each case is what to add to a sound scenario, and the complaint.
fn check(scenario: impl Fn(&str) -> String, cases: &[(&str, &str)]) {
    for (given, expected) in cases {
        let got = complaint(&scenario(given));
        assert_eq!(&got, expected, "{given}");
        assert!(!got.contains('\n'));
    }
}

#[test]
fn quantities_need_units() {
    let rate = "is not a rate with a unit, such as `5Mbps`, `384kbps` or `1Gbps`";
    let time = "is not a time with a unit, such as `64ms`, `1.5s`, `200us` or `0s`";
    let amount = "is not a size with a unit, such as `60pkt`, `1bdp`, `100kB` or `1.5MiB`";
    let size = "is not a size with a unit, such as `100kB`, `1.5MiB` or `1460B`";
    let cases = [
        ("path = { rate = 5, rtt = \"64ms\" }", format!("path.rate: `5` {rate}")),
        ("path = { rate = \"5\", rtt = \"64ms\" }", format!("path.rate: `5` {rate}")),
        ("path = { rate = true, rtt = \"64ms\" }", format!("path.rate: `true` {rate}")),
        ("path = { rate = {}, rtt = \"64ms\" }", format!("path.rate: a table {rate}")),
        ("path = { rate = \"5Mbps\", rtt = 0.5 }", format!("path.rtt: `0.5` {time}")),
        ("path = { buffer = 60 }", format!("path.buffer: `60` {amount}")),
        ("duration = -5", format!("duration: `-5` {time}")),
        ("stack = { mss = 1460 }", format!("stack.mss: `1460` {size}")),
        ("path = { hops = [{ rate = 5, delay = \"1ms\" }] }", format!("path.hops[0].rate: `5` {rate}")),
        ("flows = [{ size = 100000 }]", format!("flows[0].size: `100000` {amount}")),
        ("flows = [{}, { start = \"soon\" }]", format!("flows[1].start: `soon` {time}")),
        ("flows = [{ writes = [{ at = 3, size = \"1kB\" }] }]", format!("flows[0].writes[0].at: `3` {time}")),
        (
            "path = { loss = \"150%\" }",
            "path.loss: `150%` is not a probability, such as `1%` or `0.01`".into(),
        ),
        (
            "stack = { iw = \"many\" }",
            "stack.iw: `many` is not an initial window: a number of segments from 1 to 1000000, such as \
             `10` or `10pkt`, bytes such as `12kB`, or one of `rfc2581`, `rfc3390`, `rfc5681`, `rfc6928`, \
             `rfc9002`"
                .into(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(complaint(text), expected, "{text}");
        let json: toml::Table = text.parse().unwrap();
        let json = serde_json::to_string(&json).unwrap();
        let error = Scenario::from_json(&json).unwrap_err();
        assert_eq!(error.to_string(), expected, "{json}");
    }
}

#[test]
fn numbers_are_read_where_no_unit_is_needed() {
    let text = format!(
        "path = {{ {PATH}, loss = 0.01 }}\nstack = {{ iw = 3 }}\nflows = [{{ size = \"1kB\" }}]"
    );
    assert!(crate::rfc_scenario(&text).is_ok());
    let null = r#"{ "path": { "rate": "5Mbps", "rtt": "64ms", "buffer": null }, "flows": [] }"#;
    assert!(Scenario::from_json(null).is_ok());
}

#[test]
fn what_only_numbered_packets_and_their_handshakes_have() {
    let stack = |given: &str| {
        format!("path = {{ {PATH} }}\nflows = [{{ size = \"1kB\" }}]\n[stack]\n{given}")
    };
    check(
        stack,
        &[
            (
                "ack_reordering = 3",
                "stack.ack_reordering: `3` changes nothing: only `quic` numbers its packets (stack.recovery)",
            ),
            (
                "preset = \"quic\"\nack_reordering = 1001",
                "stack.ack_reordering: `1001` is out of range; 0 to 1000 packets is needed",
            ),
            (
                "preset = \"quic\"\nack_timer = \"17s\"",
                "stack.ack_timer: `17s` is out of range; at most `16.383s` under `quic` \
                 (stack.recovery) is needed",
            ),
            (
                "handshake = \"2-rtt\"",
                "stack.handshake: `2-rtt` is unknown; did you mean `1-rtt`?",
            ),
            (
                "handshake = \"dtls\"",
                "stack.handshake: `dtls` is unknown; known are 1-rtt, 0-rtt, tcp+tls13, tcp+tls12, \
                 tcp+0-rtt, tcp+tfo+tls13, tcp+tfo+0-rtt",
            ),
            (
                "preset = \"quic\"\nflight = \"classic\"\nhandshake = \"tcp+tls13\"",
                "stack.handshake: `tcp+tls13` contradicts stack.flight, `classic`; give `1-rtt` or \
                 `0-rtt`",
            ),
            (
                "preset = \"quic\"\nflight = \"classic\"\nmss = \"500B\"",
                "stack.flight: `classic` needs datagrams of 1200 bytes or more, headers included (RFC \
                 9000 §14.1); those of this stack have 533",
            ),
            (
                "client_hello = \"1kB\"",
                "stack.client_hello: `1kB` changes nothing: the handshake is counted in round trips; \
                 give `stack.flight`",
            ),
            (
                "preset = \"quic\"\nflight = \"chain\"\ntoken = true\nretry = true",
                "stack.retry: `true` changes nothing: the client has a token (stack.token)",
            ),
            (
                "server_flight = \"2MB\"",
                "stack.server_flight: `2MB` is out of range; 1B to 1MB is needed",
            ),
            (
                "handshake = \"0-rtt\"\nserver_flight = \"4kB\"",
                "stack.server_flight: `4kB` changes nothing: data does not wait for it under `0-rtt` \
                 (stack.handshake)",
            ),
            (
                "pacing_gain = 1.5",
                "stack.pacing_gain: `1.5` changes nothing: only `rfc9002` has one (stack.pacing)",
            ),
            (
                "pacing_max = \"9Mbps\"",
                "stack.pacing_max: `9Mbps` changes nothing: nothing is paced by a rate; give \
                 `stack.pacing = \"internal\"` or `\"rfc9002\"`",
            ),
            (
                "pacing = \"rfc9002\"\npacing_gain = 0.9",
                "stack.pacing_gain: `0.9` is out of range; 1 to 100 is needed",
            ),
        ],
    );
}

#[test]
fn names_are_known_or_the_nearest_is_offered() {
    let top = |given: &str| format!("path = {{ {PATH} }}\nflows = [{{ size = \"1kB\" }}]\n{given}");
    check(
        top,
        &[
            ("pth = {}", "pth: `pth` is unknown; did you mean `path`?"),
            (
                "[stack]\npreset = \"rfx\"",
                "stack.preset: `rfx` is unknown; did you mean `rfc`?",
            ),
            (
                "[stack]\npreset = \"opnet-2000\"",
                "stack.preset: `opnet-2000` is unknown; known are rfc, ns2, opnet, linux, quic, quinn, noq, s2n, quiche, neqo, picoquic, quicly, tquic, linux-5.15, freebsd-14",
            ),
            (
                "[stack]\nrecovery = \"newrino\"",
                "stack.recovery: `newrino` is unknown; did you mean `newreno`?",
            ),
            (
                "[stack]\nack = \"evry\"",
                "stack.ack: `evry` is unknown; did you mean `every`?",
            ),
            ("[stack]\nack = 2", "stack.ack: `2` is not a name in quotes"),
            (
                "[stack]\necn = \"dctcp\"",
                "stack.ecn: `dctcp` is unknown; known are off, classic, l4s",
            ),
            (
                "[stack]\necn = 2",
                "stack.ecn: `2` is not `off`, `classic` or `l4s`",
            ),
            (
                "[stack]\nrestart = \"never\"",
                "stack.restart: `never` is unknown; known are initial-window, one, keep, paced, linux",
            ),
        ],
    );
    let path =
        |given: &str| format!("path = {{ {PATH}, {given} }}\nflows = [{{ size = \"1kB\" }}]");
    check(
        path,
        &[
            (
                "ratte = \"1Mbps\"",
                "path.ratte: `ratte` is unknown; did you mean `rate`?",
            ),
            (
                "queue = \"droptail\"",
                "path.queue: queue `droptail`: unknown; did you mean `drop-tail`?",
            ),
            (
                "queue = \"sfq\"",
                "path.queue: queue `sfq`: unknown; known are `drop-tail`, `marked-first`, `red`, \
                 `choke`, `codel`, `fq-codel`, `pie`, `xcp`, `dualpi2`",
            ),
            (
                "queue = \"codel:targt=5ms\"",
                "path.queue: queue `codel`: parameter `targt` is unknown; did you mean `target`?",
            ),
            (
                "reverse_queue = \"codel:target=5\"",
                "path.reverse_queue: queue `codel`: parameter `target`: `5` is not a time with a \
                 unit, such as `64ms`, `1.5s`, `200us` or `0s`",
            ),
            (
                "queue = \"red:th_min=9,th_max=3\"",
                "path.queue: queue `red`: parameter `th_max`: `3` is not above `th_min`",
            ),
            ("queue = 5", "path.queue: `5` is not text in quotes"),
            (
                "access_at = \"middle\"",
                "path.access_at: `middle` is unknown; known are both, left, right",
            ),
            (
                "buffer_accounting = \"freebsd\"",
                "path.buffer_accounting: `freebsd` is unknown; known are ns2, linux",
            ),
        ],
    );
    let flow =
        |given: &str| format!("path = {{ {PATH} }}\nflows = [{{ size = \"1kB\", {given} }}]");
    check(
        flow,
        &[
            (
                "siz = \"1kB\"",
                "flows[0].siz: `siz` is unknown; did you mean `size`?",
            ),
            (
                "direction = \"forwards\"",
                "flows[0].direction: `forwards` is unknown; did you mean `forward`?",
            ),
            (
                "startup = \"jmp-start\"",
                "flows[0]: startup `jmp-start`: unknown; did you mean `jump-start`?",
            ),
            (
                "tick_phase = 0.5",
                "flows[0].tick_phase: `0.5` changes nothing: only the `ns2` stack counts in ticks",
            ),
            (
                "tick_phase = 1.5",
                "flows[0].tick_phase: `1.5` is not a share of a tick, from 0 to below 1",
            ),
            (
                "cc = \"prague\"",
                "flows[0].cc: `prague` needs marks that are counted; give `stack.ecn = \"l4s\"`, which is `off` here",
            ),
            (
                "stack = { preset = \"linus\" }",
                "flows[0].stack.preset: `linus` is unknown; did you mean `linux`?",
            ),
            (
                "stack = { frto = true }",
                "flows[0].stack.frto: `true` changes nothing: only `rack` does (stack.recovery)",
            ),
            (
                "stack = { interrupt_max = \"1ms\" }",
                "flows[0].stack.interrupt_max: no flow has its own, as hosts and routers are everybody's; \
             set it in the scenario's `stack`",
            ),
            (
                "stack = { preset = \"linux\", host = \"tokio:receive_buffer=92\" }",
                "flows[0].stack.host: `receive_buffer` changes nothing: only datagrams are lost at a socket, \
             those of stacks that number packets (stack.recovery)",
            ),
            (
                "cc = \"cubik\"",
                "flows[0]: cc `cubik`: unknown; did you mean `cubic`?",
            ),
            (
                "startup = \"search:exit=slowly\"",
                "flows[0]: startup `search`: parameter `exit`: `slowly` is not one of `at-once`, `drain`, `short-drain`, `roll-back`",
            ),
            (
                "startup = \"rapid-start:beta=1\"",
                "flows[0]: startup `rapid-start`: parameter `beta`: `1` is not a number from 0.1 to below 1",
            ),
            (
                "startup = \"suss:suss_max=0.5\"",
                "flows[0]: startup `suss`: parameter `suss_max`: `0.5` is not a whole number from 0 to 10",
            ),
            (
                "startup = \"hystart-plus-plus:speed=suss\"",
                "flows[0]: startup `hystart-plus-plus`: parameter `speed`: `suss` is not one of `slow-start`, `rapid-start`",
            ),
            (
                "startup = \"paced-gradual:high=1ms\"",
                "flows[0]: startup `paced-gradual`: parameter `high`: `1ms` is not above `low`, 4ms",
            ),
            (
                "startup = \"careful-resume:beta=0.3\"",
                "flows[0]: startup `careful-resume`: parameter `beta`: `0.3` is not a share from 0.5 to 1",
            ),
            (
                "startup = \"stateful-tcp:factor=2\"",
                "flows[0]: startup `stateful-tcp`: parameter `factor`: `2` is not a number from 0 to 1",
            ),
            (
                "startup = \"quicly-jumpstart:default_packets=unlimited\"",
                "flows[0]: startup `quicly-jumpstart`: parameter `default_packets`: `unlimited` is not a \
             number of packets; quicly's jump has a bound",
            ),
            (
                "startup = \"paced-initial-window:spread=0\"",
                "flows[0]: startup `paced-initial-window`: parameter `spread`: `0` is not a share from \
             0.01 to 1",
            ),
            (
                "startup = \"halfback:threshold=0.5\"",
                "flows[0]: startup `halfback`: parameter `threshold`: `0.5` is not at least 1 byte",
            ),
            (
                "startup = \"paced-chirping:form=pc2018,gap=1s\"",
                "flows[0]: startup `paced-chirping`: parameter `gap`: `1s` is not a time from 1us to 5ms",
            ),
            (
                "startup = \"circuit-start:sample=mean\"",
                "flows[0]: startup `circuit-start`: parameter `sample`: `mean` is not one of \
             `percentile`, `least`, `latest`",
            ),
            (
                "startup = \"limited-slow-start:max_sthresh=3\"",
                "flows[0]: startup `limited-slow-start`: parameter `max_sthresh` is unknown; did you mean `max_ssthresh`?",
            ),
            (
                "startup = \"bbr-startup:version=v2\"",
                "flows[0]: startup `bbr-startup`: parameter `version`: `v2` is not one of `v1`, `v3`, `v3-linux`, `quinn`, `quiche`, `google-quiche`",
            ),
            (
                "startup = \"bbr-startup:plateau=min\"",
                "flows[0]: startup `bbr-startup`: parameter `plateau`: `min` is not one of `max`, `sample`, `every-sample`",
            ),
            (
                "cc = \"bbr:version=3\"",
                "flows[0]: cc `bbr`: parameter `version`: `3` is not one of `v1`, `v3`, `v3-linux`, `quinn`, `quiche`, `google-quiche`",
            ),
        ],
    );
}

#[test]
fn values_of_the_wrong_kind() {
    check(
        ToString::to_string,
        &[
            ("path = 3", "path: `3` is not a table, such as `{ ... }`"),
            (
                "flows = { size = \"1kB\" }",
                "flows: a table is not a list, such as `[...]`",
            ),
            ("trace = 5", "trace: `5` is not `true` or `false`"),
            ("seed = -1", "seed: `-1` is not a whole number from 0 on"),
            ("name = 5", "name: `5` is not text in quotes"),
            (
                "flows = [{ count = \"x\" }]",
                "flows[0].count: `x` is not a whole number from 0 on",
            ),
            (
                "flows = [{ count = 1.5 }]",
                "flows[0].count: `1.5` is not a whole number from 0 on",
            ),
            (
                "flows = [{ forced_drops = \"x\" }]",
                "flows[0].forced_drops: `x` is not a list, such as `[...]`",
            ),
            (
                "stack = { tick_phase = \"x\" }",
                "stack.tick_phase: `x` is not a number",
            ),
            (
                "path = { rate = \"5Mbps\"",
                "line 1: unclosed inline table, expected `}`",
            ),
        ],
    );
    let json = |text| Scenario::from_json(text).unwrap_err().to_string();
    assert_eq!(json("[]"), "a scenario is a table with `path` and `flows`");
    assert_eq!(json("{ \"path\": }"), "line 1, column 11: expected value");
}

#[test]
fn what_is_missing() {
    check(
        ToString::to_string,
        &[
            (
                "flows = []",
                "path: missing; needed, such as `path = { rate = \"5Mbps\", rtt = \"64ms\" }`",
            ),
            (
                "path = {}",
                "flows: missing; needed, such as `flows = [{ size = \"100kB\" }]`",
            ),
            (
                "path = {}\nflows = [{}]",
                "path.rate: missing; a path needs one, such as `5Mbps`",
            ),
            (
                "path = { rate = \"1Mbps\" }\nflows = [{}]",
                "path.rtt: missing; a path needs one, such as `64ms`",
            ),
            (
                "path = { hops = [{ rate = \"1Mbps\" }] }\nflows = [{}]",
                "path.hops[0].delay: missing; needed, such as `delay = \"30ms\"`",
            ),
            (
                "flows = [{ writes = [{ at = \"0s\" }] }]",
                "flows[0].writes[0].size: missing; needed, such as `size = \"100kB\"`",
            ),
        ],
    );
    let flows = |given: &str| format!("path = {{ {PATH} }}\nflows = {given}");
    check(
        flows,
        &[
            ("[]", "flows: empty; at least one flow is needed"),
            (
                "[{}]",
                "duration: missing; a flow without `size` ends only with the run's `duration`",
            ),
        ],
    );
}

#[test]
fn what_no_flow_can_wait_for() {
    const AFTER: &str = "start_after = { flow = 0 }";
    let waits = |given: &str| {
        format!(
            "path = {{ {PATH} }}\nflows = [{{ size = \"1MB\" }}, {{ size = \"1kB\", {given} }}, {{ size = \"1kB\", count = 3 }}]"
        )
    };
    let twice = |given: &str| format!("{AFTER}, {given}");
    check(
        waits,
        &[
            (
                "start_after = {}",
                "flows[1].start_after.flow: missing; needed, such as `flow = 0`",
            ),
            (
                "start_after = { flow = 3 }",
                "flows[1].start_after.flow: `3` is out of range; flow 0 to 2 is needed",
            ),
            (
                "start_after = { flow = 2 }",
                "flows[1].start_after.flow: `2` is 3 flows; give a single one",
            ),
            (
                "start_after = { flow = 1 }",
                "flows[1].start_after.flow: `1` is the flow itself; give another",
            ),
            (
                "start_after = { flow = 0, pause = \"601s\" }",
                "flows[1].start_after.pause: `601s` is out of range; 0s to 600s is needed",
            ),
            (
                &twice("count = 2"),
                "flows[1].count: `2` flows would open at once; give 1 with `start_after`",
            ),
            (
                &twice("start = \"1s\""),
                "flows[1].start: `1s` changes nothing: `start_after` says when it opens",
            ),
            (
                &twice("stagger = \"1s\""),
                "flows[1].stagger: `1s` changes nothing: `start_after` says when it opens",
            ),
            (
                &twice("jitter = \"1s\""),
                "flows[1].jitter: `1s` changes nothing: `start_after` says when it opens",
            ),
            (
                "available_rate = \"0bps\"",
                "flows[1].available_rate: `0bps` is out of range; 1bps to 100Tbps is needed",
            ),
        ],
    );
    let writes = |given: &str| {
        let asks = "writes = [{ at = \"0s\", size = \"1kB\" }]";
        format!(
            "path = {{ {PATH} }}\nflows = [{{ {asks} }}, {{ direction = \"reverse\", {AFTER}, {given} }}]"
        )
    };
    check(
        writes,
        &[(
            "writes = [{ after = { flow = 0 }, size = \"1kB\" }]",
            "flows[1].start_after: contradicts `writes[0].after`; give one of the two",
        )],
    );
    let circle = |given: &str| {
        format!(
            "path = {{ {PATH} }}\nflows = [{{ size = \"1kB\", start_after = {{ flow = 1 }} }}, {{ size = \"1kB\", {given} }}]"
        )
    };
    check(
        circle,
        &[(
            AFTER,
            "flows[0].start_after.flow: waits for a flow that waits for it, by way of flows[1]",
        )],
    );
}

#[test]
fn after_what_no_run_ends() {
    let ends = |given: &str| {
        format!(
            "path = {{ {PATH} }}\nend_after = {{ {given} }}\nduration = \"9s\"\nflows = [{{}}, {{ size = \"1kB\", count = 2 }}]"
        )
    };
    check(
        ends,
        &[
            (
                "flow = 5",
                "end_after.flow: `5` is out of range; flow 0 to 1 is needed",
            ),
            (
                "flow = 1",
                "end_after.flow: `1` is 2 flows; give a single one",
            ),
            (
                "flow = 0",
                "end_after.flow: `0` has no end; give it a `size`",
            ),
            (
                "flow = 0, pause = 5",
                "end_after.pause: `5` is not a time with a unit, such as `64ms`, `1.5s`, `200us` or `0s`",
            ),
        ],
    );
    let endless = |given: &str| {
        format!(
            "path = {{ {PATH} }}\nend_after = {{ flow = 1 }}\nflows = [{{}}, {{ size = \"1kB\", {given} }}]"
        )
    };
    check(
        endless,
        &[(
            "",
            "duration: missing; a flow without `size` needs it with `end_after` too, for that event \
             may never come",
        )],
    );
    let web = |given: &str| {
        format!("path = {{ {PATH} }}\nend_after = {{ flow = 0 }}\nweb = [{{ size = 3, {given} }}]")
    };
    check(
        web,
        &[("", "end_after.flow: `0` is unknown; `flows` is empty")],
    );
}

#[test]
fn what_contradicts() {
    let hops = "hops = [{ rate = \"1Mbps\", delay = \"1ms\" }]";
    let path = |given: &str| format!("path = {{ {given} }}\nflows = [{{ size = \"1kB\" }}]");
    check(
        path,
        &[
            (
                &format!("{hops}, rate = \"1Mbps\""),
                "path.rate: contradicts `path.hops`; give it for each hop",
            ),
            (
                &format!("{hops}, reverse_queue = \"pie\""),
                "path.reverse_queue: contradicts `path.hops`; give it for each hop",
            ),
            (
                "hops = [{ rate = \"1Mbps\", delay = \"1ms\", queue = \"pi\" }]",
                "path.hops[0].queue: queue `pi`: unknown; did you mean `pie`?",
            ),
            (
                &format!("{PATH}, ack_thinning = true"),
                "path.ack_thinning: there are no batches to thin out; give `path.ack_batch`",
            ),
            (
                &format!("{PATH}, ack_batch = \"0s\""),
                "path.ack_batch: `0s` is out of range; above 0s to 600s is needed",
            ),
            (
                &format!("{PATH}, ack_batch = 5"),
                "path.ack_batch: `5` is not a time with a unit, such as `64ms`, `1.5s`, `200us` or `0s`",
            ),
            (
                &format!("{PATH}, router_pps = 0"),
                "path.router_pps: `0` is out of range; 1 to 1 000 000 000 packets per second is needed",
            ),
            (
                &format!("{PATH}, router_pps = \"5k\""),
                "path.router_pps: `5k` is not a whole number from 0 on",
            ),
            (
                &format!("{hops}, loss = \"1%\""),
                "path.loss: contradicts `path.hops`; give it for each hop",
            ),
            (
                &format!("{PATH}, access_at = \"left\""),
                "path.access_at: there are no access links; give `path.access_rate` or `path.access_delay`",
            ),
        ],
    );
    let flow = |given: &str| format!("path = {{ {PATH} }}\nflows = [{{ {given} }}]");
    check(
        flow,
        &[
            (
                "size = \"1kB\", writes = [{ at = \"0s\", size = \"1kB\" }]",
                "flows[0].size: contradicts `writes`; give one of the two",
            ),
            (
                "writes = [{ at = \"2s\", size = \"1kB\" }, { at = \"1s\", size = \"1kB\" }]",
                "flows[0].writes[1].at: `1s` is before the write that precedes it",
            ),
            (
                "writes = [{ at = \"0s\", size = \"1kB\" }, { size = \"1kB\" }]",
                "flows[0].writes[1].at: missing; give it, or `after`",
            ),
            (
                "writes = [{ at = \"0s\", after = { flow = 0 }, size = \"1kB\" }]",
                "flows[0].writes[0].after: contradicts `at`; give one of the two",
            ),
            (
                "size = \"1kB\", rtt = \"10ms\"",
                "flows[0].rtt: `10ms` is below the path's own 64ms",
            ),
            (
                "size = \"1kB\", to_hop = 1",
                "flows[0].to_hop: `1` is out of range; hop 0 to 0 is needed",
            ),
        ],
    );
    let stack = |given: &str| {
        format!("path = {{ {PATH} }}\nflows = [{{ size = \"1kB\" }}]\nstack = {{ {given} }}")
    };
    check(
        stack,
        &[
            (
                "rto_min = \"90s\"",
                "stack.rto_min: `90s` is above the upper bound `60s` (stack.rto_max)",
            ),
            (
                "tick_phase = 0.5",
                "stack.tick_phase: `0.5` changes nothing: only the `ns2` stack counts in ticks",
            ),
            (
                "window = \"1bdp\"",
                "stack.window: `1bdp` depends on the path; give bytes or packets",
            ),
            (
                "receive_buffer = \"131072B\"",
                "stack.receive_buffer: `131072B` changes nothing: the window does not grow; give `stack.window_growth = \"linux\"`",
            ),
            (
                "preset = \"linux\", window_growth = \"none\", receive_share = 0.5",
                "stack.receive_share: `0.5` changes nothing: the window does not grow; give `stack.window_growth = \"linux\"`",
            ),
            (
                "preset = \"linux\", receive_buffer = \"6MB\", receive_buffer_max = \"1MB\"",
                "stack.receive_buffer: `6MB` is above stack.receive_buffer_max, `1MB`",
            ),
            (
                "preset = \"linux\", receive_share = 1.5",
                "stack.receive_share: `1.5` is not a share of the buffer, from 0.01 to 1",
            ),
            (
                "preset = \"linux\", receive_buffer = \"3kB\"",
                "stack.receive_buffer: `3000` is out of range; what holds a segment, to 400 GB is needed",
            ),
            (
                "window_growth = \"dynamic\"",
                "stack.window_growth: `dynamic` is unknown; known are none, linux",
            ),
        ],
    );
}

#[test]
fn what_cannot_be() {
    let path = |given: &str| format!("path = {{ {given} }}\nflows = [{{ size = \"1kB\" }}]");
    let hops = vec!["{ rate = \"1Mbps\", delay = \"1ms\" }"; 101].join(", ");
    check(
        path,
        &[
            (
                "rate = \"0bps\", rtt = \"1ms\"",
                "path.rate: `0bps` is out of range; 1bps to 100Tbps is needed",
            ),
            (
                "rate = \"101Tbps\", rtt = \"1ms\"",
                "path.rate: `101000Gbps` is out of range; 1bps to 100Tbps is needed",
            ),
            (
                "rate = \"1Mbps\", rtt = \"1h\"",
                "path.rtt: `3600s` is out of range; 0s to 600s is needed",
            ),
            (
                &format!("{PATH}, buffer = \"0pkt\""),
                "path.buffer: `0pkt` is out of range; at least `1pkt` is needed",
            ),
            (
                &format!("{PATH}, buffer = \"1pkt\", buffer_accounting = \"ns2\""),
                "path.buffer: `1pkt` is out of range; at least `2pkt`, one of which is the packet in transmission, is needed",
            ),
            (
                &format!("{PATH}, buffer = \"1kB\""),
                "path.buffer: `1kB` is out of range; at least one packet, `1500B`, is needed",
            ),
            (
                &format!("{PATH}, reverse_buffer = \"0bdp\""),
                "path.reverse_buffer: `0bdp` is out of range; above 0 to `1000000bdp` is needed",
            ),
            (
                &format!("{PATH}, hosts = 0"),
                "path.hosts: `0` is not a pair of hosts; at least 1 is needed",
            ),
            (
                &format!("hops = [{hops}]"),
                "path.hops: `101` is out of range; a chain of at most 100 hops is needed",
            ),
        ],
    );
    let flow =
        |given: &str| format!("path = {{ {PATH} }}\nflows = [{{ size = \"1kB\", {given} }}]");
    check(
        flow,
        &[
            (
                "count = 0",
                "flows[0].count: `0` is out of range; 1 to 1 000 000 flows is needed",
            ),
            (
                "mss = \"0B\"",
                "flows[0].mss: `0` is out of range; a segment of 1 B to 65 kB is needed",
            ),
            (
                "rtt = \"1h\"",
                "flows[0].rtt: `3600s` is out of range; 0s to 600s is needed",
            ),
            (
                "start = \"1000h\"",
                "flows[0]: the last of these begins at 3600000s; nothing runs longer than 2592000s",
            ),
            (
                "count = 1000, stagger = \"1h\"",
                "flows[0]: the last of these begins at 3596400s; nothing runs longer than 2592000s",
            ),
        ],
    );
    check(
        |given| format!("path = {{ {PATH} }}\n{given}"),
        &[
            (
                "flows = [{ size = \"0B\" }]",
                "flows[0].size: `0B` is out of range; 1 B to 1 PB is needed",
            ),
            (
                "flows = [{ size = \"1B\", count = 600000 }, { size = \"1B\", count = 600000 }]",
                "flows[1].count: `1200000` is out of range; at most 1 000 000 flows in all is needed",
            ),
            (
                "duration = \"0s\"\nflows = [{}]",
                "duration: `0s` is out of range; above 0s to 2592000s is needed",
            ),
        ],
    );
    let stack = |given: &str| {
        format!("path = {{ {PATH} }}\nflows = [{{ size = \"1kB\" }}]\nstack = {{ {given} }}")
    };
    check(
        stack,
        &[
            (
                "mss = \"100kB\"",
                "stack.mss: `100000` is out of range; a segment of 1 B to 65 kB is needed",
            ),
            (
                "header = \"2kB\"",
                "stack.header: `2000` is out of range; a header of 0 B to 1 kB is needed",
            ),
            (
                "ack_every = 0",
                "stack.ack_every: `0` is out of range; 1 to 1000 segments is needed",
            ),
            (
                "tick = \"0s\"",
                "stack.tick: `0s` is not a clock; a positive time is needed",
            ),
            (
                "rto_initial = \"0s\"",
                "stack.rto_initial: `0s` is out of range; at least 1ms is needed",
            ),
            (
                "rto_max = \"10us\"",
                "stack.rto_max: `10us` is out of range; at least 1ms is needed",
            ),
            (
                "preset = \"ns2\", tick_phase = 1.5",
                "stack.tick_phase: `1.5` is not a share of a tick, from 0 to below 1",
            ),
            (
                "window = \"100B\"",
                "stack.window: `100` is out of range; a window of one segment to 4 GB is needed",
            ),
        ],
    );
}

#[test]
fn what_routers_hosts_and_memories_cannot_be() {
    let path =
        |given: &str| format!("path = {{ {PATH}, {given} }}\nflows = [{{ size = \"1kB\" }}]");
    check(
        path,
        &[
            (
                "quick_start = { admission = \"often\" }",
                "path.quick_start.admission: `often` is unknown; known are none, rfc, share, minimal, target, everything",
            ),
            (
                "quick_start = { threshold = \"0%\" }",
                "path.quick_start.threshold: `0` is out of range; a share of the link, above 0 to 1 is needed",
            ),
            (
                "quick_start = { threshold = \"150%\" }",
                "path.quick_start.threshold: `150%` is not a probability, such as `1%` or `0.01`",
            ),
            (
                "quick_start = { state_delay = \"0s\" }",
                "path.quick_start.state_delay: `0s` is out of range; at least 1ms is needed",
            ),
            (
                "quick_start = { treshold = \"90%\" }",
                "path.quick_start.treshold: `treshold` is unknown; did you mean `threshold`?",
            ),
        ],
    );
    let stack = |given: &str| {
        format!("path = {{ {PATH} }}\nflows = [{{ size = \"1kB\" }}]\nstack = {{ {given} }}")
    };
    check(
        stack,
        &[
            (
                "interrupt_min = \"90us\", interrupt_max = \"80us\"",
                "stack.interrupt_max: `80us` is out of range; at least `90us` (stack.interrupt_min) is needed",
            ),
            (
                "host = \"tokyo\"",
                "stack.host: host `tokyo`: unknown; did you mean `tokio`?",
            ),
            (
                "receiver_host = \"tokio:frames=-1\"",
                "stack.receiver_host: host `tokio`: parameter `frames`: `-1` is not a plain number from \
             0 to 1e12",
            ),
            (
                "preset = \"linux\", host = \"ideal:receive_buffer=92\"",
                "stack.host: `receive_buffer` changes nothing: only datagrams are lost at a socket, those \
             of stacks that number packets (stack.recovery)",
            ),
            (
                "sack_cost = \"1h\"",
                "stack.sack_cost: `3600s` is out of range; 0s to 600s is needed",
            ),
            (
                "sharing = \"always\"",
                "stack.sharing: `always` is unknown; known are none, remember, temporal, ensemble",
            ),
            (
                "sharing_cap = 0",
                "stack.sharing_cap: `0` is out of range; at least 1 segment is needed",
            ),
            (
                "max_timeouts = -1",
                "stack.max_timeouts: `-1` is not a whole number from 0 on",
            ),
        ],
    );
    let flow =
        |given: &str| format!("path = {{ {PATH} }}\nflows = [{{ size = \"1kB\", {given} }}]");
    check(
        flow,
        &[
            (
                "cached_cwnd = \"0pkt\"",
                "flows[0].cached_cwnd: `0pkt` is out of range; 1 B to 1 PB is needed",
            ),
            (
                "cached_cwnd = \"1bdp\", cached_rtt = \"0s\"",
                "flows[0].cached_rtt: `0s` is out of range; above 0s to 600s is needed",
            ),
            (
                "cached_rtt = \"10ms\"",
                "flows[0].cached_rtt: `10ms` changes nothing: nothing is cached; give `cached_cwnd`",
            ),
            (
                "interface_rate = \"0bps\"",
                "flows[0].interface_rate: `0bps` is out of range; 1bps to 100Tbps is needed",
            ),
            (
                "landing = 1.5",
                "flows[0].landing: `1.5` is not `startup`, `half-then-recovery` or a factor above 0 to 1 of `cwnd`, `delivered` or `bdp`, such as `0.5`, `delivered`, `0.7delivered` or `bdp`",
            ),
            (
                "stack = { reduction = \"prr\" }",
                "flows[0].stack.reduction: `prr` changes nothing: only `rack` does (stack.recovery)",
            ),
            (
                "cached_cwnd = 40",
                "flows[0].cached_cwnd: `40` is not a size with a unit, such as `60pkt`, `1bdp`, `100kB` or `1.5MiB`",
            ),
        ],
    );
}

#[test]
fn what_web_sessions_cannot_be() {
    let web = |given: &str| format!("path = {{ {PATH} }}\nweb = [{{ size = 4, {given} }}]");
    check(
        web,
        &[
            (
                "max_size = 0",
                "web[0].max_size: `0` is out of range; 1 packet to 1 PB is needed",
            ),
            (
                "sessions = 0",
                "web[0].sessions: `0` is out of range; 1 to 1 000 000 sessions is needed",
            ),
            (
                "sessions = \"many\"",
                "web[0].sessions: `many` is not a whole number from 0 on",
            ),
            (
                "session = 5",
                "web[0].session: `session` is unknown; did you mean `sessions`?",
            ),
            (
                "pages = \"parreto2:mean=4,shape=1.5\"",
                "web[0].pages: `parreto2` is unknown; did you mean `pareto2`?",
            ),
            (
                "pages = \"pareto:scale=4,shape=0.9\"",
                "web[0].pages: `pareto:scale=4,shape=0.9` has no mean; a `shape` above 1 is needed",
            ),
            (
                "pages = 1000000, objects = 20",
                "web: `20000000` is out of range; at most 10 000 000 objects on average, over all \
                 sessions and pages, is needed",
            ),
            (
                "page_pause = 1",
                "web[0].page_pause: `1` is not a time with a unit, such as `64ms`, or a \
                 distribution, such as `exponential:mean=0.5s`",
            ),
            (
                "page_pause = \"exponential:mean=-1s\"",
                "web[0].page_pause: exponential.mean: `-1s` is not a time with a unit, such as \
                 `64ms`, or a distribution, such as `exponential:mean=0.5s`",
            ),
            (
                "page_pause_from = \"middle\"",
                "web[0].page_pause_from: `middle` is unknown; known are end, start",
            ),
            (
                "object_pause = true",
                "web[0].object_pause: `true` is not a quantity",
            ),
            (
                "startup = \"slowstart\"",
                "web[0]: startup `slowstart`: unknown; did you mean `slow-start`?",
            ),
            (
                "request = \"0B\"",
                "web[0].request: `0B` is out of range; 1 B to 1 PB is needed",
            ),
            (
                "clients = 1001",
                "web[0].clients: `1001` is out of range; 1 to 1000 hosts is needed",
            ),
            (
                "clients = 1000, servers = 101",
                "web[0]: `101000` is out of range; at most 100000 pairs of client and server is \
                 needed",
            ),
            (
                "start = \"4000000s\"",
                "web[0].start: `4000000s` is out of range; 0s to 2592000s is needed",
            ),
            (
                "to_hop = 1",
                "web[0].to_hop: `1` is out of range; hop 0 to 0 is needed",
            ),
        ],
    );
    let top = |given: &str| format!("path = {{ {PATH}, hosts = 2 }}\n{given}");
    check(
        top,
        &[
            ("web = []", "flows: empty; at least one flow is needed"),
            (
                "web = [{ sessions = 3 }]",
                "web[0].size: missing; needed, such as `size = \"pareto2:mean=4,shape=1.2\"`",
            ),
            (
                "web = [{ size = 4, servers = 3 }]",
                "web[0].servers: `3` is out of range; 1 to `path.hosts`, 2, is needed",
            ),
            (
                "web = [{ size = 4 }]\nflows = [{}]",
                "duration: missing; a flow without `size` ends only with the run's `duration`",
            ),
        ],
    );
}

#[test]
fn ingredients_of_paths() {
    let hops = "hops = [{ rate = \"1Mbps\", delay = \"1ms\" }]";
    let path = |given: &str| format!("path = {{ {given} }}\nflows = [{{ size = \"1kB\" }}]");
    let only = "contradicts `path.hops`; only a path of one bottleneck has it";
    for (field, value) in [
        ("rate_trace", "\"a\""),
        ("reverse_rate_trace", "\"a\""),
        ("rate_steps", "[{ rate = \"1Mbps\", lasts = \"1s\" }]"),
        ("rate_variation", "\"steps\""),
        ("policer_rate", "\"1Mbps\""),
        ("policer_burst", "\"9kB\""),
        ("shaper_rate", "\"1Mbps\""),
        ("shaper_burst", "\"9kB\""),
        ("delay_at", "\"forward\""),
        ("delay_limit", "5"),
        ("delay_limit_with_queue", "true"),
        ("delay_skip", "\"1%\""),
        ("delay_skip_gap", "5"),
        ("delay_skip_correlation", "\"1%\""),
        ("loss_burst", "5"),
        ("reverse_loss_burst", "5"),
        ("aggregation", "\"4ms\""),
        ("jitter", "\"4ms\""),
        ("reverse_jitter", "\"4ms\""),
        ("jitter_every", "\"4ms\""),
        ("reordering", "true"),
        ("ripple", "\"4ms\""),
        ("ripple_period", "\"2s\""),
    ] {
        let got = complaint(&path(&format!("{hops}, {field} = {value}")));
        assert_eq!(got, format!("path.{field}: {only}"));
    }
    let path = |given: &str| path(&format!("rtt = \"64ms\", {given}"));
    check(
        path,
        &[
            (
                "rate = \"1Mbps\", rate_trace = \"a\"",
                "path.rate_trace: contradicts `path.rate`; leave one of the two out",
            ),
            (
                "rate_trace = \"a\", rate_steps = [{ rate = \"1Mbps\", lasts = \"1s\" }]",
                "path.rate_steps: contradicts `path.rate_trace`; leave one of the two out",
            ),
            (
                "rate_trace = \"a\", rate_variation = \"steps\"",
                "path.rate_variation: contradicts `path.rate_trace`; leave one of the two out",
            ),
            (
                "rate = \"1Mbps\", reverse_rate = \"1Mbps\", reverse_rate_trace = \"a\"",
                "path.reverse_rate_trace: contradicts `path.reverse_rate`; leave one of the two out",
            ),
            (
                "rate_trace = \"tests/paths/none.trace\"",
                "path.rate_trace: `tests/paths/none.trace` does not exist",
            ),
            (
                "rate_trace = \"tests/errors.rs\"",
                "path.rate_trace: `tests/errors.rs` line 1 is not a time in whole milliseconds, \
                 such as `20`",
            ),
            (
                "rate_trace = \"tests/paths\"",
                "path.rate_trace: `tests/paths` is not a regular file",
            ),
            (
                "rate_trace = 5",
                "path.rate_trace: `5` is not text in quotes",
            ),
            (
                "rate_steps = \"5Mbps\"",
                "path.rate_steps: `5Mbps` is not a list, such as `[...]`",
            ),
            (
                "rate_steps = [{ rate = \"5Mbps\" }]",
                "path.rate_steps[0].lasts: missing; needed, such as `lasts = \"15s\"`",
            ),
            (
                "rate_steps = [{ rate = \"5Mbps\", lasts = \"0s\" }]",
                "path.rate_steps[0].lasts: `0s` is out of range; 1ms to 600s is needed",
            ),
            (
                "rate_steps = [{ rate = \"5Mbps\", lasts = \"1h\" }]",
                "path.rate_steps[0].lasts: `3600s` is out of range; 0s to 600s is needed",
            ),
            (
                "rate_steps = [{ rate = \"0bps\", lasts = \"1s\" }]",
                "path.rate_steps: no rate is above `0bps`; one at least is needed",
            ),
            (
                "rate_steps = [{ rate = \"5Mbps\", for = \"1s\" }]",
                "path.rate_steps[0].for: `for` is unknown; known are rate, lasts",
            ),
        ],
    );
    let path = |given: &str| path(&format!("rate = \"5Mbps\", {given}"));
    check(
        path,
        &[
            (
                "rate_variation = \"step\"",
                "path.rate_variation: variation `step`: unknown; did you mean `steps`?",
            ),
            (
                "rate_variation = \"steps:every=5\"",
                "path.rate_variation: variation `steps`: parameter `every`: `5` is not a time with \
                 a unit, such as `64ms`, `1.5s`, `200us` or `0s`",
            ),
            (
                "rate_variation = \"steps:every=10us\"",
                "path.rate_variation: variation `steps`: parameter `every`: `10us` is not at least \
                 1ms",
            ),
            (
                "rate_variation = \"steps:spread=1.5\"",
                "path.rate_variation: variation `steps`: parameter `spread`: `1.5` is not a number \
                 from 0 to 1",
            ),
            (
                "rate_variation = \"steps:every=1s,outage=1s\"",
                "path.rate_variation: variation `steps`: parameter `outage`: `1s` is not below \
                 `every`",
            ),
            (
                "rate_variation = \"wander:sigma=4\"",
                "path.rate_variation: variation `wander`: parameter `sigma`: `4` is not from 0 to 3",
            ),
            (
                "rate_variation = \"wander:most=0.5\"",
                "path.rate_variation: variation `wander`: parameter `most`: `0.5` is not from 1 to \
                 1000",
            ),
            (
                "policer_rate = \"1Mbps\"",
                "path.policer_burst: missing; a policer needs one, such as `100kB`",
            ),
            (
                "policer_burst = \"100kB\"",
                "path.policer_burst: there is no policer; give `path.policer_rate`",
            ),
            (
                "policer_rate = \"1Mbps\", policer_burst = \"1kB\"",
                "path.policer_burst: `1kB` is out of range; at least one packet, `1500B`, is needed",
            ),
            (
                "policer_rate = \"0bps\", policer_burst = \"9kB\"",
                "path.policer_rate: `0bps` is out of range; 1bps to 100Tbps is needed",
            ),
            (
                "shaper_rate = \"1Mbps\"",
                "path.shaper_burst: missing; a shaper needs one, such as `100kB`",
            ),
            (
                "shaper_burst = \"100kB\"",
                "path.shaper_burst: there is no shaper; give `path.shaper_rate`",
            ),
            (
                "shaper_rate = \"1Mbps\", shaper_burst = \"1kB\"",
                "path.shaper_burst: `1kB` is out of range; at least one packet, `1500B`, is needed",
            ),
            (
                "delay_limit = 5",
                "path.delay_limit: the delay is behind the line; give `path.delay_at`",
            ),
            (
                "delay_at = \"forward\", delay_limit = 0",
                "path.delay_limit: `0` is out of range; 1 to 1 000 000 000 packets is needed",
            ),
            (
                "delay_at = \"forward\", delay_limit_with_queue = true",
                "path.delay_limit_with_queue: the delay has no limit; give `path.delay_limit`",
            ),
            (
                "delay_at = \"forward\", delay_skip = \"0%\"",
                "path.delay_skip: `0` is out of range; a share of packets, above 0 to 1 is needed",
            ),
            (
                "delay_at = \"forward\", delay_skip_gap = 5",
                "path.delay_skip_gap: no packet skips the delay; give `path.delay_skip`",
            ),
            (
                "delay_at = \"lo\"",
                "path.delay_at: `lo` is unknown; known are forward, loopback",
            ),
            (
                "delay_at = \"loopback\", reverse_rate = \"1Mbps\"",
                "path.reverse_rate: contradicts `path.delay_at`; on `loopback` both directions \
                 have one line",
            ),
            (
                "loss_burst = 5",
                "path.loss_burst: there is no loss to come in bursts; give `path.loss`",
            ),
            (
                "loss = \"1%\", reverse_loss_burst = 5",
                "path.reverse_loss_burst: there is no loss to come in bursts; give \
                 `path.reverse_loss`",
            ),
            (
                "loss = \"1%\", loss_burst = \"5ms\"",
                "path.loss_burst: `5ms` is not a mean number of packets from 1 on, such as `5`",
            ),
            (
                "loss = \"1%\", loss_burst = 0.5",
                "path.loss_burst: `0.5` is not a mean number of packets from 1 on, such as `5`",
            ),
            (
                "loss = \"90%\", loss_burst = 5",
                "path.loss: `0.9` is out of range; at most 0.833 in bursts of 5 packets is needed",
            ),
            (
                "aggregation = \"0s\"",
                "path.aggregation: `0s` is out of range; a mean of at least 100us is needed",
            ),
            (
                "aggregation = \"often\"",
                "path.aggregation: `often` is unknown; known are constant, uniform, exponential, \
                 pareto, pareto2, weibull, lognormal, normal",
            ),
            (
                "jitter = \"5\"",
                "path.jitter: `5` is not a time with a unit, such as `64ms`, or a distribution, such \
                 as `exponential:mean=0.5s`",
            ),
            (
                "reverse_jitter = \"uniform\"",
                "path.reverse_jitter: uniform: `mean` or `most` is missing; needed, such as \
                 `uniform:mean=0.5s`",
            ),
            (
                "jitter_every = \"5ms\"",
                "path.jitter_every: there is no jitter; give `path.jitter` or `path.reverse_jitter`",
            ),
            (
                "jitter = \"5ms\", jitter_every = \"0s\"",
                "path.jitter_every: `0s` is out of range; 1ms to 600s is needed",
            ),
            (
                "reordering = true",
                "path.reordering: there is no jitter; give `path.jitter` or `path.reverse_jitter`",
            ),
            (
                "jitter = \"5ms\", reordering = \"yes\"",
                "path.reordering: `yes` is not `true` or `false`",
            ),
            (
                "ripple = \"5ms\"",
                "path.ripple_period: missing; a ripple needs one, such as `2s`",
            ),
            (
                "ripple_period = \"2s\"",
                "path.ripple_period: there is no ripple; give `path.ripple`",
            ),
            (
                "ripple = \"5ms\", ripple_period = \"0s\"",
                "path.ripple_period: `0s` is out of range; above 0s to 600s is needed",
            ),
            (
                "ripple = \"700s\", ripple_period = \"2s\"",
                "path.ripple: `700s` is out of range; 0s to 600s is needed",
            ),
        ],
    );
}

#[test]
fn fields_of_the_stack_that_would_do_nothing() {
    let stack = |given: &str| {
        format!("path = {{ {PATH} }}\nflows = [{{ size = \"1kB\" }}]\nstack = {{ {given} }}")
    };
    let of = |names: &str| format!("changes nothing: only {names} (stack.recovery)");
    let cases = [
        (
            "frto = true",
            format!("stack.frto: `true` {}", of("`rack` does")),
        ),
        (
            "dsack = true",
            format!("stack.dsack: `true` {}", of("`rack` does")),
        ),
        (
            "tso = true",
            format!("stack.tso: `true` {}", of("`rack` does")),
        ),
        (
            "preset = \"linux\", newreno_impatient = false",
            format!(
                "stack.newreno_impatient: `false` {}",
                of("`newreno` has this choice")
            ),
        ),
        (
            "recovery = \"rack\", next_seg_rule_3 = false",
            format!(
                "stack.next_seg_rule_3: `false` {}",
                of("`sack` has this rule")
            ),
        ),
        (
            "recovery = \"go-back-n\", limited_transmit = true",
            format!(
                "stack.limited_transmit: `true` {}",
                of("`tahoe`, `reno`, `newreno`, `sack` and `ns2-sack` have it")
            ),
        ),
        (
            "recovery = \"reno\", sack_cost = \"1us\"",
            format!(
                "stack.sack_cost: `1us` {}, unless `stack.sack` is false",
                of("`sack`, `ns2-sack`, `rack` and `quic` send blocks")
            ),
        ),
        (
            "sack = false",
            format!(
                "stack.sack: `false` {}",
                of("`rack` does with SACK and without")
            ),
        ),
        (
            "ack_quick = 5",
            "stack.ack_quick: `5` changes nothing: only `quick-then-delayed` has such a beginning \
             (stack.ack)"
                .into(),
        ),
        (
            "ack = \"every\", ack_timer = \"40ms\"",
            "stack.ack_timer: `40ms` changes nothing: every segment is acknowledged at once; give \
             `stack.ack = \"delayed\"`"
                .into(),
        ),
        (
            "coarse_pacing = true",
            "stack.coarse_pacing: `true` changes nothing: only the `ns2` stack counts in ticks"
                .into(),
        ),
        (
            "window_scaling = false",
            "stack.window_scaling: `false` changes nothing: only a window that is given or grows is scaled \
             (stack.window), under `ns2` and `quic` none"
                .into(),
        ),
        (
            "sharing_lifetime = \"1s\"",
            "stack.sharing_lifetime: `1s` changes nothing: connections leave nothing behind; give \
             `stack.sharing = \"remember\"`"
                .into(),
        ),
        (
            "sharing = \"remember\", sharing_cap = 3",
            "stack.sharing_cap: `3` changes nothing: only `temporal` and `ensemble` open windows \
             from a memory (stack.sharing)"
                .into(),
        ),
    ];
    for (given, expected) in cases {
        check(stack, &[(given, &expected)]);
    }
}

#[test]
fn what_no_write_can_wait_for() {
    const ASKS: &str = "{ writes = [{ at = \"0s\", size = \"1kB\" }] }";
    let answers = |given: &str| {
        format!(
            "path = {{ {PATH} }}\nflows = [{ASKS}, {{ direction = \"reverse\", {given} }}, \
             {{ size = \"1kB\" }}, {{ writes = [{{ at = \"0s\", size = \"1kB\" }}], count = 3 }}]"
        )
    };
    let after = "flows[1].writes[0].after";
    let expected = |field: &str, problem: &str| format!("{after}.{field}: {problem}");
    let waits = |after: &str| format!("writes = [{{ after = {{ {after} }}, size = \"1kB\" }}]");
    check(
        answers,
        &[
            (
                &waits("flow = 7"),
                &expected("flow", "`7` is out of range; flow 0 to 3 is needed"),
            ),
            (
                &waits("flow = 0, write = 1"),
                &expected("write", "`1` is out of range; write 0 to 0 is needed"),
            ),
            (
                &waits("flow = 2"),
                &expected("flow", "`2` has no `writes`; give its data as one"),
            ),
            (
                &waits("flow = 3"),
                &expected("flow", "`3` is 3 flows; give a single one"),
            ),
            (
                &waits("flow = 1"),
                &expected(
                    "flow",
                    "the data of `1` does not reach the end that sends this; give a flow of the other \
                     direction over the same hops",
                ),
            ),
            (
                &waits("flow = 0, pause = \"601s\""),
                &expected("pause", "`601s` is out of range; 0s to 600s is needed"),
            ),
            (
                &format!("count = 2, {}", waits("flow = 0")),
                "flows[1].count: `2` flows would wait for the same write; give 1",
            ),
            (
                &format!("start = \"1s\", {}", waits("flow = 0")),
                "flows[1].start: `1s` changes nothing: the first write waits for another flow",
            ),
            (
                "writes = [{ after = { flow = 0 }, size = \"1kB\" }, { at = \"9s\", size = \"1kB\" }]",
                "flows[1].writes[1].at: `9s` is behind a write that waits; give `after`",
            ),
        ],
    );
    let circle = |given: &str| {
        let write = |flow| format!("writes = [{{ after = {{ flow = {flow} }}, size = \"1kB\" }}]");
        format!(
            "path = {{ {PATH} }}\nflows = [{ASKS}, {{ {} }}, {{ direction = \"reverse\", {} }}]{given}",
            write(2),
            write(1)
        )
    };
    check(
        circle,
        &[(
            "",
            "flows[2].writes[0].after: waits for a write that waits for it, by way of flows[1].writes[0]",
        )],
    );
}

#[test]
fn a_handshake_of_packets_is_the_clients_that_receives_the_data() {
    let flow = |given: &str| {
        format!(
            "path = {{ {PATH} }}\nstack = {{ preset = \"quic\", flight = \"chain\" }}\n\
             flows = [{{ size = \"1kB\", {given} }}]"
        )
    };
    check(
        flow,
        &[
            (
                "opener = \"sender\"",
                "flows[0].opener: `sender` contradicts stack.flight, `chain`, whose client receives \
                 the data; give one of the two",
            ),
            (
                "handshake_drops = [\"hi\"]",
                "flows[0].handshake_drops[0]: `hi` is not one of syn, synack, ack, hello, flight, \
                 finished",
            ),
            (
                "handshake_drops = [\"hello\", \"flight:0\"]",
                "flows[0].handshake_drops[1]: `flight:0` has no number from 1, such as `flight:2`",
            ),
            (
                "handshake = false, handshake_drops = [\"hello\"]",
                "flows[0].handshake_drops[0]: `hello` changes nothing: the handshake is counted in \
                 round trips; give `stack.flight`",
            ),
        ],
    );
}

#[test]
fn a_connection_that_its_receiver_opens_takes_one_exchange() {
    let flow = |given: &str| {
        format!(
            "path = {{ {PATH} }}\nstack = {{ {given} }}\n\
             flows = [{{ size = \"1kB\", opener = \"receiver\" }}]"
        )
    };
    check(
        flow,
        &[
            (
                "handshake = \"0-rtt\"",
                "flows[0].opener: `receiver` opens TCP's connections only, with \
                 `stack.handshake = \"1-rtt\"`",
            ),
            (
                "server_flight = \"5kB\"",
                "flows[0].opener: `receiver` contradicts a `stack.server_flight` that takes another \
                 round trip; give one of the two",
            ),
        ],
    );
}
