//! Flows with separate fields of their endpoints.

use super::outcome;

const PATH: &str = "path = { rate = \"20Mbps\", rtt = \"60ms\", buffer = \"100pkt\" }\n";

#[test]
fn a_flow_with_a_separate_stack_fares_as_in_a_scenario_with_that_stack() {
    for stack in [
        "iw = 30",
        "preset = \"linux\", iw = 30, pacing = \"internal\"",
        "preset = \"linux\", window = \"20kB\"",
        "preset = \"quic\"",
    ] {
        let flows = "flows = [{ size = \"500kB\"";
        let own = outcome(&format!("{PATH}{flows}, stack = {{ {stack} }} }}]"));
        let all = outcome(&format!("{PATH}stack = {{ {stack} }}\n{flows} }}]"));
        let row = |outcome: &flowstart_sim::Outcome| format!("{:?}", outcome.flows.row(0));
        assert_eq!(row(&own), row(&all), "{stack}");
    }
}

#[test]
fn fields_of_a_flow_stand_in_place_of_the_scenarios_and_the_others_hold() {
    let row = |scenario: &str, own: &str| {
        let text = format!(
            "{PATH}stack = {{ preset = \"linux\", {scenario} }}\n\
             flows = [{{ size = \"500kB\" }}, {{ size = \"500kB\", start = \"9s\"{own} }}]"
        );
        outcome(&text).flows.row(1)
    };
    let own = row("ack = \"every\"", ", stack = { iw = 30 }");
    let both = row("ack = \"every\", iw = 30", "");
    assert_eq!(own.fct_s, both.fct_s);
    assert_ne!(own.fct_s, row("ack = \"every\"", "").fct_s);
}

#[test]
fn responses_of_web_sessions_may_have_a_separate_stack() {
    let fct = |own: &str| {
        let text = format!("{PATH}web = [{{ size = \"60\", pages = 3{own} }}]");
        let run = outcome(&text);
        let objects = run.flows.iter().filter(|row| row.size_bytes > Some(9000));
        objects.map(|row| row.fct_s.unwrap()).collect::<Vec<_>>()
    };
    let (usual, own) = (fct(""), fct(", stack = { iw = 60 }"));
    assert_eq!((usual.len(), own.len()), (3, 3));
    assert!(own.iter().zip(&usual).all(|(own, usual)| own < usual));
}
