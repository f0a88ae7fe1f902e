//! What a scenario is made of, in words: each field that departs from its default.
//!
//! The fields are those of the schema, so that a new one is part of the line without an entry here.

use crate::words;
use flowstart_sim::{Field, Scenario, parts};
use serde_json::{Value, json};

/// Links of a chain that are listed; more are counted.
const MOST_LINKS: usize = 4;
/// Steps of a rate that are listed; more are counted.
const MOST_STEPS: usize = 6;
/// Fields of a path that begin the line, or that the bottleneck's buffer is.
const AHEAD: [&str; 6] = ["rate", "rtt", "rate_steps", "rate_trace", "hops", "buffer"];
/// Fields of a link that begin its words.
const LINK_AHEAD: [&str; 2] = ["rate", "delay"];
/// Fields of a flow that the rest of the line, the table or its notes show.
const SHOWN: [&str; 7] = [
    "startup",
    "cc",
    "stack",
    "size",
    "cached_cwnd",
    "interface_rate",
    "available_rate",
];
/// The queue where a path names none.
const USUAL_QUEUE: &str = "drop-tail";
/// Fields with other words than their names.
const WORDS: [(&str, &str); 7] = [
    ("nic_rate", "interface"),
    ("access_rate", "line"),
    ("rate_variation", "rate"),
    ("policer_rate", "policer"),
    ("shaper_rate", "shaper"),
    ("aggregation", "bursts every"),
    ("router_pps", "packets/s of a router:"),
];
/// Fields that qualify the one before the words.
const QUALIFIERS: [(&str, &str, &str); 9] = [
    ("policer_burst", "policer_rate", "after"),
    ("shaper_burst", "shaper_rate", "after"),
    ("loss_burst", "loss", "in bursts of"),
    ("reverse_loss_burst", "reverse_loss", "in bursts of"),
    ("ripple_period", "ripple", "in"),
    ("access_delay", "access_rate", "of"),
    ("access_at", "access_rate", "at"),
    ("jitter_every", "jitter", "held for"),
    ("reordering", "jitter", "with"),
];

/// A field of the schema with its value in words.
struct Departure {
    name: &'static str,
    value: String,
}

/// The bottleneck's rate in words.
pub(crate) fn line(path: &Value) -> String {
    if path["rate_trace"].is_string() {
        return format!("trace {}", written(&path["rate_trace"]));
    }
    let steps = path["rate_steps"].as_array();
    let Some(steps) = steps.filter(|steps| !steps.is_empty()) else {
        return written(&path["rate"]);
    };
    if steps.len() > MOST_STEPS {
        return format!("{} steps of the rate", steps.len());
    }
    let of = |step: &Value| format!("{} for {}", written(&step["rate"]), written(&step["lasts"]));
    let steps: Vec<String> = steps.iter().map(of).collect();
    steps.join(" → ")
}

/// The links of a chain in words, equal ones together.
pub(crate) fn chain(hops: &[Value]) -> String {
    let groups: Vec<&[Value]> = hops.chunk_by(|one, other| one == other).collect();
    let count = format!("{} hops", hops.len());
    if groups.len() > MOST_LINKS {
        return count;
    }
    let link = |group: &&[Value]| {
        let hop = &group[0];
        let others = departures("HopSpec", hop, &LINK_AHEAD);
        let ahead = LINK_AHEAD.map(|name| written(&hop[name]));
        let words = ahead.into_iter().chain(others.iter().map(named));
        let words = words.collect::<Vec<_>>().join(", ");
        match group.len() {
            1 => words,
            many => format!("{many} × {words}"),
        }
    };
    let links: Vec<String> = groups.iter().map(link).collect();
    format!("{count} ({})", links.join(" → "))
}

/// What else a path is made of; `stack` is the scenario's.
pub(crate) fn of_path(path: &Value, stack: &Value) -> Vec<String> {
    let mut others = departures("PathSpec", path, &AHEAD);
    let usual = &usual(stack)["path"]["buffer_accounting"];
    others.retain(|one| one.name != "buffer_accounting" || path[one.name] != *usual);
    let ahead = |name: &str| others.iter().any(|one| one.name == name);
    let qualified = |one: &Departure| {
        let mut words = named(one);
        for (name, of, link) in QUALIFIERS {
            if of == one.name {
                let own = others.iter().find(|other| other.name == name);
                words.extend(own.map(|own| match own.value.as_str() {
                    "true" => format!(" {link} {}", own.name),
                    value => format!(" {link} {value}"),
                }));
            }
        }
        words
    };
    let qualifies = |one: &&Departure| {
        let mut known = QUALIFIERS.iter();
        known.any(|(name, of, _)| *name == one.name && ahead(of))
    };
    let shown = others.iter().filter(|one| !qualifies(one));
    shown.map(qualified).collect()
}

/// What values have in common: fields with different values are null.
pub(crate) fn common(values: &[Value]) -> Value {
    let fold = |known: Value, next: &Value| match (known, next) {
        (known, next) if known == *next => known,
        (Value::Object(fields), Value::Object(others)) => {
            let shared = |(name, value): (String, Value)| {
                let other = others.get(&name).cloned().unwrap_or_default();
                let value = common(&[value, other]);
                (name, value)
            };
            fields.into_iter().map(shared).collect()
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            let pairs = items.into_iter().zip(others);
            pairs
                .map(|(one, other)| common(&[one, other.clone()]))
                .collect()
        }
        _ => Value::Null,
    };
    match values {
        [] => Value::Null,
        [first, others @ ..] => others.iter().fold(first.clone(), fold),
    }
}

/// The whole stack of a flow with fields of its `own`, under the scenario's.
pub(crate) fn stack_of(own: &Value, scenario: &Value) -> Value {
    let mut stack = match &own["preset"] {
        Value::Null => scenario.clone(),
        _ => usual(own)["stack"].take(),
    };
    for (name, value) in own.as_object().into_iter().flatten() {
        stack[name.as_str()] = value.clone();
    }
    stack
}

/// A stack as its option has it: the preset, and the fields in which it departs from that. None
/// where flows differ in the preset.
pub(crate) fn of_stack(stack: &Value, with_window: bool) -> Option<String> {
    stack["preset"].as_str()?;
    let usual = usual_stack(stack);
    let fields = stack.as_object().into_iter().flatten();
    let fields = fields.filter(|(name, value)| {
        !value.is_null()
            && usual[name.as_str()] != **value
            && (with_window || name.as_str() != "iw")
    });
    let fields: Vec<_> = fields
        .map(|(name, value)| (name.clone(), written(value).into()))
        .collect();
    let word = words::word(&written(&stack["preset"]), &fields);
    Some(format!("stack {word}"))
}

/// What the flows of an entry have besides startup, congestion control, size and stack.
pub(crate) fn of_flow(entry: usize, resolved: &Value) -> Vec<String> {
    let (path, flow) = (&resolved["path"], &resolved["flows"][entry]);
    let hops = path["hops"].as_array().map_or(1, Vec::len);
    let client = client(flow, resolved);
    let others = departures("FlowSpec", flow, &SHOWN).into_iter();
    let others = others.filter(|one| match one.name {
        // That of a path with access links includes their delay.
        "rtt" => {
            let is_same = path["rtt"] == flow["rtt"] || !path["access_at"].is_null();
            !path["rtt"].is_null() && !is_same
        }
        "to_hop" => flow["to_hop"] != hops - 1,
        // The client's flow opens the connection.
        "handshake" => client.is_none_or(|client| client["handshake"] == false),
        _ => true,
    });
    others
        .map(|one| match (one.name, client) {
            ("count", _) => format!("{} flows", one.value),
            ("writes", Some(client)) => requests(&one.value, client),
            ("writes", None) => format!("{} writes", one.value),
            _ => named(&one),
        })
        .collect()
}

/// The flow with the requests for which a flow waits, if it does.
fn client<'a>(flow: &Value, resolved: &'a Value) -> Option<&'a Value> {
    let entry = flow["writes"][0]["after"]["flow"].as_u64()?;
    resolved["flows"].get(usize::try_from(entry).ok()?)
}

/// How many requests a connection has, and how long it is idle before each but the first, where
/// that is the same time.
fn requests(count: &str, client: &Value) -> String {
    let writes = client["writes"].as_array().map_or(&[][..], Vec::as_slice);
    let pauses: Vec<Value> = writes
        .iter()
        .skip(1)
        .map(|write| write["after"]["pause"].clone())
        .collect();
    match common(&pauses).as_str() {
        Some(idle) => format!("{count} requests, idle {idle}"),
        None => format!("{count} requests"),
    }
}

/// The fields of a part of a scenario that are not as usual, but for those `ahead`.
fn departures(part: &str, fields: &Value, ahead: &[&str]) -> Vec<Departure> {
    let known = parts().into_iter().filter(|known| known.name == part);
    let known = known.flat_map(|known| known.fields);
    let known = known.filter(|field| !ahead.contains(&field.name));
    known
        .filter_map(|field| departure(&field, fields))
        .collect()
}

fn departure(field: &Field, fields: &Value) -> Option<Departure> {
    let value = Some(&fields[field.name]).filter(|value| !value.is_null())?;
    let forward = field.name.strip_prefix("reverse_");
    let is_usual = match field.usual {
        // Of a chain's link; the path names none.
        Some("the path's") => *value == USUAL_QUEUE,
        Some("as forward") => forward.is_some_and(|name| fields[name] == *value),
        Some(usual) => value.as_str() == usual.split(';').next(),
        None => field.default.as_ref() == Some(value),
    };
    let is_empty = value.as_array().is_some_and(Vec::is_empty);
    let share = value.as_str().and_then(|share| share.parse::<f64>().ok());
    let share = share.filter(|_| field.kind.contains("Probability"));
    let value = match (share, value) {
        // Without the digits that a factor of 100 adds.
        (Some(share), _) => format!("{}%", (share * 1e8).round() / 1e6),
        (None, Value::Array(values)) => values.len().to_string(),
        (None, value) => written(value),
    };
    let name = field.name;
    (!is_usual && !is_empty).then_some(Departure { name, value })
}

/// A field and its value; one that is true is only named.
fn named(one: &Departure) -> String {
    let words = WORDS.iter().find(|(name, _)| *name == one.name);
    let words = words.map_or_else(|| one.name.replace('_', " "), |(_, words)| (*words).into());
    match one.value.as_str() {
        "true" => words,
        "false" => format!("no {words}"),
        value => format!("{words} {value}"),
    }
}

/// A value as text; that of a table as fields.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            let fields = fields.map(|(name, value)| format!("{name}={}", written(value)));
            fields.collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// The fields of a preset, and those that it has only with the messages of a handshake, where this
/// stack has them. Variants may differ in the kind of messages and in the handshake.
fn usual_stack(stack: &Value) -> Value {
    let mut fields = usual(stack)["stack"].take();
    if stack["request"].is_null() {
        return fields;
    }
    let or = |value: &Value, usual: &str| match value {
        Value::Null => usual.into(),
        value => value.clone(),
    };
    let (preset, flight) = (&stack["preset"], or(&stack["flight"], "classic"));
    let handshakes = ["tcp+tls13", "1-rtt"].map(|usual| or(&stack["handshake"], usual));
    let with = |handshake: Value| {
        let own = json!({"preset": preset, "handshake": handshake, "flight": flight});
        Some(resolved_stack(&own)["stack"].take()).filter(|stack| !stack.is_null())
    };
    let with_messages = handshakes.into_iter().find_map(with).unwrap_or_default();
    for (name, value) in with_messages.as_object().into_iter().flatten() {
        if fields[name.as_str()].is_null() && name != "flight" {
            fields[name.as_str()] = value.clone();
        }
    }
    fields
}

/// A scenario of the same preset, with all else as usual.
fn usual(stack: &Value) -> Value {
    resolved_stack(&json!({"preset": stack["preset"]}))
}

/// A scenario with this stack, with all else as usual.
fn resolved_stack(stack: &Value) -> Value {
    let scenario = json!({
        "path": {"rate": "1Mbps", "rtt": "100ms"},
        "stack": stack,
        "flows": [{"size": "1kB"}],
    });
    let resolved = Scenario::from_value(scenario).and_then(|scenario| scenario.resolved());
    resolved.map_or(Value::Null, |resolved| {
        serde_json::to_value(resolved).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Headline;

    /// The line on a resolved scenario.
    fn line_on(resolved: &Value) -> String {
        line_of(std::slice::from_ref(resolved), 0)
    }

    /// The line on an entry of `flows` of resolved scenarios.
    fn line_of(resolved: &[Value], entry: usize) -> String {
        let headline = Headline {
            resolved: resolved.to_vec(),
            bdp: Some((1, 1)),
            entries: vec![entry],
            web: Vec::new(),
            controls: Vec::new(),
            seeds: (1, 1),
            buffer: None,
            with_window: true,
        };
        headline.written()
    }

    fn resolved(path: &Value) -> Value {
        whole(json!({"path": path, "flows": [{"size": "1MB"}]}))
    }

    fn whole(scenario: Value) -> Value {
        let scenario = Scenario::from_value(scenario).unwrap();
        serde_json::to_value(scenario.resolved().unwrap()).unwrap()
    }

    /// A scenario whose flow overrides fields of the stack.
    fn with_stack(stack: &Value) -> Value {
        let path = json!({"rate": "10Mbps", "rtt": "40ms"});
        whole(json!({"path": path, "flows": [{"size": "1MB", "stack": stack}]}))
    }

    /// The fields of a part that leave no trace in the line when they change.
    fn silent(part: &str, whole: &Value, at: &str) -> Vec<&'static str> {
        let known = parts().into_iter().filter(|known| known.name == part);
        let names = known.flat_map(|known| known.fields).map(|field| field.name);
        let is_silent = |name: &&str| {
            let mut other = whole.clone();
            other.pointer_mut(at).unwrap()[*name] = match *name {
                "rate_steps" => json!([{"rate": "1Mbps", "lasts": "9s"}]),
                "hops" => json!([{"rate": "1Mbps", "delay": "9s"}]),
                _ => json!("another"),
            };
            line_on(&other) == line_on(whole)
        };
        names.filter(is_silent).collect()
    }

    #[test]
    fn each_field_of_the_schema_leaves_a_trace_or_is_shown_elsewhere() {
        let plain = resolved(&json!({"rate": "10Mbps", "rtt": "40ms"}));
        let chain = resolved(&json!({"hops": [{"rate": "10Mbps", "delay": "20ms"}]}));
        assert_eq!(silent("PathSpec", &plain, "/path"), [""; 0]);
        assert_eq!(silent("HopSpec", &chain, "/path/hops/0"), [""; 0]);
        assert_eq!(silent("StackSpec", &plain, "/stack"), [""; 0]);
        let mut shown = SHOWN;
        let mut quiet = silent("FlowSpec", &plain, "/flows/0");
        shown.sort_unstable();
        quiet.sort_unstable();
        assert_eq!(quiet, shown);
    }

    #[test]
    fn a_plain_path_has_no_ingredients() {
        let plain = resolved(&json!({"rate": "10Mbps", "rtt": "40ms"}));
        let expected = "10Mbps, 40ms, BDP 1 packets, stack linux, IW 10, seed 1";
        assert_eq!(line_on(&plain), expected);
    }

    #[test]
    fn only_what_the_variants_have_in_common_is_in_the_line() {
        let line = |stacks: [Value; 2]| line_of(&stacks.map(|stack| with_stack(&stack)), 0);
        let windows = line([json!({"iw": "10pkt"}), json!({"iw": "30pkt"})]);
        assert_eq!(windows, "10Mbps, 40ms, BDP 1 packets, stack linux, seed 1");
        let presets = line([json!({"iw": "30pkt"}), json!({"preset": "quic"})]);
        assert_eq!(presets, "10Mbps, 40ms, BDP 1 packets, seed 1");
        let same = line([
            json!({"iw": "30pkt"}),
            json!({"iw": "30pkt", "pacing": "rfc9002"}),
        ]);
        assert_eq!(
            same,
            "10Mbps, 40ms, BDP 1 packets, stack linux, IW 30, seed 1"
        );
        let quic = line([json!({"preset": "quic"}), json!({"preset": "quic"})]);
        assert_eq!(
            quic,
            "10Mbps, 40ms, BDP 1 packets, stack quic, IW 10, seed 1"
        );
    }

    #[test]
    fn of_a_handshake_of_packets_only_what_differs_from_its_kind_is_in_the_line() {
        let line = |more: &str| {
            let mut stack = json!({"preset": "quic", "flight": "chain"});
            if !more.is_empty() {
                stack["request"] = more.into();
            }
            line_on(&with_stack(&stack))
        };
        assert!(
            line("").contains("stack quic:flight=chain, IW 10"),
            "{}",
            line("")
        );
        assert!(line("1kB").contains("stack quic:flight=chain,request=1kB, IW"));
        for (preset, handshake, differs) in [
            ("quic", "1-rtt", "flight"),
            ("linux", "tcp+tls12", "flight"),
            ("linux", "tcp+tls12", "handshake"),
        ] {
            let of = |variant: &str| {
                let mut stack =
                    json!({"preset": preset, "handshake": handshake, "flight": "chain"});
                stack[differs] = variant.into();
                with_stack(&stack)
            };
            let variants = match differs {
                "flight" => ["chain", "post-quantum"],
                _ => ["tcp+tls12", "tcp+tls13"],
            };
            let line = line_of(&variants.map(of), 0);
            assert!(
                !line.contains("amplification") && !line.contains("request"),
                "{line}"
            );
        }
    }

    #[test]
    fn a_connection_of_several_requests_has_their_number_and_its_idle_time() {
        let requests = |pauses: [&str; 2]| {
            let again = pauses.iter().enumerate();
            let again = again.map(|(write, pause)| {
                json!({"size": "500B", "after": {"flow": 1, "write": write, "pause": pause}})
            });
            let asking = std::iter::once(json!({"size": "500B", "at": "0s"})).chain(again);
            let answers =
                (0..3).map(|write| json!({"size": "1MB", "after": {"flow": 0, "write": write}}));
            let flows = [
                json!({"direction": "reverse", "writes": asking.collect::<Vec<_>>()}),
                json!({"handshake": false, "writes": answers.collect::<Vec<_>>()}),
            ];
            let path = json!({"rate": "10Mbps", "rtt": "40ms"});
            line_of(&[whole(json!({"path": path, "flows": flows}))], 1)
        };
        let same = requests(["1s", "1s"]);
        assert!(
            same.ends_with("IW 10, 3 requests, idle 1s, seed 1"),
            "{same}"
        );
        let others = requests(["1s", "2s"]);
        assert!(others.ends_with("IW 10, 3 requests, seed 1"), "{others}");
    }

    #[test]
    fn what_belongs_together_is_written_together() {
        let path = json!({
            "rate": "10Mbps", "rtt": "40ms", "loss": "1%", "loss_burst": "5",
            "reverse_loss": "2%", "jitter": "4ms", "reordering": true,
            "policer_rate": "5Mbps", "policer_burst": "50kB", "ack_batch": "5ms",
            "ack_thinning": true, "reverse_rate": "1Mbps", "queue": "codel",
        });
        let whole = resolved(&path);
        let found = of_path(&whole["path"], &whole["stack"]).join(", ");
        assert_eq!(
            found,
            "queue codel, loss 1% in bursts of 5, reverse rate 1Mbps, reverse loss 2%, policer \
             5Mbps after 50kB, jitter 4ms with reordering, ack batch 5ms, ack thinning"
        );
    }

    #[test]
    fn equal_links_of_a_chain_are_counted() {
        let link = |rate: &str| json!({"rate": rate, "delay": "5ms", "buffer": "50pkt"});
        let hops = [link("1Gbps"), link("9Mbps"), link("9Mbps")];
        let whole = resolved(&json!({"hops": hops}));
        assert_eq!(
            chain(whole["path"]["hops"].as_array().unwrap()),
            "3 hops (1Gbps, 5ms, buffer 50pkt → 2 × 9Mbps, 5ms, buffer 50pkt)"
        );
    }
}
