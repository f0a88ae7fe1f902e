//! Web sessions: what an object costs on an idle path, what pages wait for, and what is the
//! same whatever the startup.

use flowstart_sim::record::object::ObjectRow;
use flowstart_sim::{Outcome, run};
use std::fmt::Write;

/// A segment of 1500 bytes takes 12 µs, a bare header 0.32 µs.
const IDLE: &str = "path = { rate = \"1Gbps\", rtt = \"100ms\" }\n\
                    stack = { preset = \"ns2\", iw = \"3\" }\n";

fn outcome(text: &str) -> Outcome {
    run(&crate::rfc_scenario(text).unwrap()).unwrap()
}

fn idle(web: &str) -> Outcome {
    outcome(&format!("{IDLE}web = [{{ {web} }}]"))
}

/// The paper's web load with fewer sessions: 10 Mbit/s, a queue of 60.
fn load(startup: &str, more: &str) -> Outcome {
    outcome(&format!(
        r#"
        {more}
        path = {{ rate = "10Mbps", rtt = "64ms", buffer = "60pkt" }}
        stack = {{ preset = "ns2", iw = "3" }}
        [[web]]
        startup = "{startup}"
        sessions = 12
        interval = "5ms"
        pages = 3
        page_pause = "exponential:mean=0.5s"
        objects = "pareto2:mean=4,shape=1.5"
        object_pause = "exponential:mean=50ms"
        size = "pareto2:mean=20,shape=1.2"
        "#
    ))
}

#[track_caller]
fn close(got: Option<f64>, expected: f64) {
    let got = got.expect("it has happened");
    assert!((got - expected).abs() < 0.5e-3, "{got} is not {expected}");
}

#[test]
fn an_object_costs_two_handshakes_a_request_and_its_rounds_of_data() {
    // Three packets are one round; nine are two, of three and six.
    for (size, rounds) in [(3, 1), (9, 2), (21, 3)] {
        let run = idle(&format!("size = \"{size}\""));
        let object = run.objects.row(0);
        close(object.done_s, 0.1 * f64::from(3 + rounds));
        close(object.response_s, 0.1 * f64::from(3 + rounds) - 0.05);
        assert_eq!((object.packets, object.complete), (size, true));
        let response = run.flows.row(object.flow.unwrap());
        close(response.duration_s, 0.1 * f64::from(1 + rounds));
        assert_eq!(response.size_bytes, Some(size * 1460));
        assert_eq!(response.direction, "forward");
        let request = run.flows.row(object.request_flow);
        close(request.duration_s, 0.2);
        assert_eq!((request.packets_sent, &*request.direction), (1, "reverse"));
    }
}

#[test]
fn on_one_connection_the_response_leaves_as_soon_as_the_server_has_the_request() {
    let run = idle("size = \"9\", single_connection = true");
    let object = run.objects.row(0);
    close(object.done_s, 0.15 + 0.2);
    close(object.response_s, 0.15 + 0.15);
    let response = run.flows.row(object.flow.unwrap());
    close(response.opened_s, 0.15);
    close(response.min_rtt_s, 0.1);
    assert_eq!(response.syn_retransmits, 0);
}

#[test]
fn on_one_connection_the_sender_has_measured_the_round_trip_of_the_handshake() {
    // 64 packets over the measured round trip: the last but one leaves one gap before its end.
    let run = |rtt: &str| {
        let text = format!(
            "path = {{ rate = \"1Gbps\", rtt = \"{rtt}\", reverse_loss = \"0%\" }}\n\
             web = [{{ startup = \"jump-start\", size = \"64\", single_connection = true }}]"
        );
        outcome(&text).objects.row(0).done_s
    };
    close(run("100ms"), 0.15 + 0.1 + 0.1 * 63.0 / 64.0);
}

#[test]
fn a_pause_between_pages_is_counted_from_the_last_acknowledgement_or_from_the_first_request() {
    let requested = |from: &str| {
        let run = idle(&format!(
            "pages = 3, page_pause = \"1s\", page_pause_from = \"{from}\", size = \"3\""
        ));
        let times = run
            .objects
            .iter()
            .map(|o| (o.requested_s * 1e2).round() / 1e2);
        times.collect::<Vec<_>>()
    };
    assert_eq!(requested("end"), [0.0, 1.4, 2.8]);
    assert_eq!(requested("start"), [0.0, 1.0, 2.0]);
}

#[test]
fn pages_overlap_where_the_pause_from_their_start_is_short_and_the_session_waits_for_all() {
    let run = idle("pages = 3, page_pause = \"10ms\", page_pause_from = \"start\", size = \"3\"");
    let times: Vec<f64> = run.objects.iter().map(|o| o.requested_s).collect();
    assert_eq!(times, [0.0, 0.01, 0.02]);
    assert!(run.objects.iter().all(|object| object.complete));
}

#[test]
fn objects_of_a_page_do_not_wait_for_each_other() {
    let run = idle("objects = 3, object_pause = \"20ms\", size = \"3\"");
    let times: Vec<f64> = run.objects.iter().map(|o| o.requested_s).collect();
    assert_eq!(times, [0.0, 0.02, 0.04]);
    close(run.objects.row(2).done_s, 0.4);
}

#[test]
fn sessions_begin_one_interval_after_the_other_and_the_run_ends_with_the_last() {
    let run = idle("sessions = 3, start = \"2s\", interval = \"5s\", size = \"3\"");
    let times: Vec<f64> = run.objects.iter().map(|o| o.requested_s).collect();
    assert_eq!(times, [2.0, 7.0, 12.0]);
    close(Some(run.simulated_s), 12.4);
}

#[test]
fn sessions_that_do_not_begin_within_the_run_cost_nothing() {
    let text = format!(
        "duration = \"1s\"\n{IDLE}web = [{{ sessions = 1000000, interval = \"10s\", size = \"3\" }}]"
    );
    let run = outcome(&text);
    assert_eq!((run.objects.len(), run.flows.len()), (1, 2));
    assert!(run.events < 50, "{}", run.events);
}

/// What was drawn: everything of an object but what became of it.
fn draws(run: &Outcome) -> Vec<(u32, u32, u32, u64)> {
    let key = |o: ObjectRow| (o.session, o.page, o.object, o.packets);
    let mut draws: Vec<_> = run.objects.iter().map(key).collect();
    draws.sort_unstable();
    draws
}

#[test]
fn draws_are_the_same_under_every_startup_whatever_the_timing() {
    let one = load("slow-start", "");
    let other = load("jump-start", "");
    assert_eq!(draws(&one), draws(&other));
    let order = |run: &Outcome| run.objects.iter().map(|o| o.session).collect::<Vec<_>>();
    assert_ne!(
        order(&one),
        order(&other),
        "a load that startups do not change shows nothing"
    );
    assert_ne!(draws(&one), draws(&load("slow-start", "seed = 2")));
}

#[test]
fn a_longer_session_begins_like_a_shorter_one() {
    let draws = |pages: u32| {
        let web = "objects = \"pareto2:mean=4,shape=1.5\", size = \"pareto2:mean=4,shape=1.2\"";
        draws(&idle(&format!("pages = {pages}, {web}")))
    };
    let (short, long) = (draws(2), draws(4));
    assert!(long.len() > short.len());
    assert_eq!(long[..short.len()], short);
}

#[test]
fn what_is_not_done_at_the_end_of_the_run_is_reported_as_incomplete() {
    let run = load("slow-start", "duration = \"600ms\"");
    let incomplete = run.objects.iter().filter(|o| !o.complete).count();
    assert!(incomplete > 0 && incomplete < run.objects.len());
    for object in run.objects.iter() {
        assert_eq!(object.complete, object.done_s.is_some());
        let Some(flow) = object.flow else {
            assert!(!object.complete && object.response_s.is_none());
            continue;
        };
        assert_eq!(run.flows.row(flow).complete, object.complete);
    }
    assert_eq!(run.simulated_s, 0.6);
}

#[test]
fn a_page_continues_where_a_request_or_a_response_is_given_up() {
    let text = "path = { rate = \"1Gbps\", rtt = \"10ms\", loss = \"40%\" }\n\
                stack = { max_timeouts = 1, rto_initial = \"100ms\" }\n\
                web = [{ sessions = 5, pages = 4, objects = 3, size = \"3\" }]";
    let run = outcome(text);
    assert_eq!(run.objects.len(), 5 * 4 * 3);
    let unanswered = run.objects.iter().filter(|o| o.flow.is_none()).count();
    let complete = run.objects.iter().filter(|o| o.complete).count();
    let given_up = run.objects.len() - unanswered - complete;
    assert!(unanswered > 0 && complete > 0 && given_up > 0);
    assert!(run.flows.iter().all(|flow| flow.complete || flow.reset));
}

#[test]
fn objects_above_the_cap_are_cut_and_say_so() {
    let web = "pages = 40, objects = 5, size = \"pareto2:mean=4,shape=1.2\"";
    let (free, capped) = (idle(web), idle(&format!("{web}, max_size = 10")));
    for (free, capped) in free.objects.iter().zip(capped.objects.iter()) {
        assert_eq!(capped.packets, free.packets.min(10));
        assert_eq!((free.cut, capped.cut), (false, free.packets > 10));
    }
    assert!(capped.objects.iter().any(|object| object.cut));
}

#[test]
fn hosts_are_drawn_and_servers_stand_on_the_side_that_is_asked_for() {
    let text = "path = { rate = \"1Gbps\", rtt = \"10ms\", access_rate = \"1Gbps\" }\n\
                flows = [{ size = \"1kB\" }]\n\
                web = [{ sessions = 40, pages = 5, size = \"3\", clients = 3, servers = 2, \
                         direction = \"alternate\" }]";
    let run = outcome(text);
    for object in run.objects.iter() {
        let flow = run.flows.row(object.flow.unwrap());
        let expected = if object.session % 2 == 0 {
            "forward"
        } else {
            "reverse"
        };
        assert_eq!(flow.direction, expected);
        let first = run
            .objects
            .iter()
            .find(|o| o.session == object.session)
            .unwrap();
        assert_eq!(object.client, first.client, "a session stays at its host");
    }
    let drawn = |host: fn(&ObjectRow) -> u32, n: u32| {
        (0..n).all(|i| run.objects.iter().any(|o| host(&o) == i))
    };
    assert!(drawn(|o| o.client, 3) && drawn(|o| o.server, 2));
    // The flow's hosts come first.
    let used = |name: &str| run.links.iter().any(|l| l.name == name && l.packets > 0);
    for name in [
        "up-left-0",
        "up-left-1",
        "up-left-3",
        "up-right-1",
        "up-right-3",
    ] {
        assert!(used(name), "{name}");
    }
    assert!(!used("up-left-4"));
}

#[test]
fn sessions_share_the_flows_hosts_where_their_number_is_given() {
    let text = "path = { rate = \"1Gbps\", rtt = \"10ms\", access_rate = \"1Gbps\", hosts = 2 }\n\
                flows = [{ size = \"1kB\", count = 4 }]\n\
                web = [{ sessions = 20, size = \"3\", clients = 2, servers = 2 }]";
    let run = outcome(text);
    assert!(run.links.iter().all(|l| !l.name.ends_with("-2")));
}

/// A small run under two startups, object by object. `UPDATE=1` writes it anew.
#[test]
fn objects_are_as_recorded() {
    let mut text = String::from(
        "web session page object packets | requested_s response_s done_s | sent dropped again\n",
    );
    for (startup, more) in [
        ("slow-start", ""),
        ("jump-start", ""),
        ("jump-start", "single_connection = true"),
    ] {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "2Mbps", rtt = "64ms", buffer = "20pkt" }}
            [[web]]
            startup = "{startup}"
            sessions = 3
            interval = "exponential:mean=50ms"
            pages = "exponential:mean=2"
            page_pause = "weibull:mean=0.5s,shape=0.7"
            objects = "pareto:mean=3,shape=1.5"
            object_pause = "exponential:mean=50ms"
            size = "lognormal:median=8,sigma=1.3"
            {more}
            "#
        ));
        writeln!(text, "# {startup} {more}").unwrap();
        for o in run.objects.iter() {
            let flow = run.flows.row(o.flow.unwrap());
            let times = [Some(o.requested_s), o.response_s, o.done_s].map(Option::unwrap);
            let [requested, response, done] = times.map(|t| format!("{t:.9}"));
            writeln!(
                text,
                "{} {} {} {} {} | {requested} {response} {done} | {} {} {}",
                o.web,
                o.session,
                o.page,
                o.object,
                o.packets,
                flow.packets_sent,
                flow.packets_dropped,
                flow.packets_retransmitted,
            )
            .unwrap();
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/web/objects.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(file).expect("the record");
    for (now, then) in text.lines().zip(kept.lines()) {
        assert_eq!(now, then, "(now, then)");
    }
    assert_eq!(text.len(), kept.len());
}
