//! One line on what was compared, and warnings about what was perhaps not meant.

use crate::plan::Plan;
use crate::rows::Row;
use crate::text;
use flowstart_control::{Amount, Bytes, InitialWindow};
use serde_json::Value;

/// Path, capacity, buffer, endpoints and seed.
pub(crate) fn headline(
    plan: &Plan,
    resolved: &Value,
    rows: &[Row],
    buffer: Option<&str>,
) -> String {
    let path = &resolved["path"];
    let word = |name: &str| path[name].as_str().map(str::to_owned);
    let flow = rows.first().map(|row| &row.flow);
    let bdp = flow.map(|flow| format!(", BDP {} packets", text::count(Some(flow.bdp_pkts as f64))));
    let place = format!("{}, {}", line(path), word("rtt").unwrap_or_default());
    let mut controls: Vec<&str> = rows.iter().map(|row| &*row.flow.cc).collect();
    controls.sort_unstable();
    controls.dedup();
    let mut parts = vec![place + &bdp.unwrap_or_default()];
    parts.extend(word("nic_rate").map(|rate| format!("interface {rate}")));
    parts.extend(word("access_rate").map(|rate| format!("line {rate}")));
    parts.extend(
        path["router_pps"]
            .as_u64()
            .map(|rate| format!("routers {rate} packets/s")),
    );
    parts.extend(ingredients(path));
    parts.extend(buffer.map(|buffer| format!("buffer {buffer}")));
    parts.extend(flow.map(|flow| format!("stack {}", flow.stack)));
    parts.push(controls.join(", "));
    parts.extend(flow.map(|_| format!("IW {}", initial_window(&resolved["stack"]))));
    parts.push(format!("seed {}", plan.seed));
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// The bottleneck's rate in words.
fn line(path: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if path["rate_trace"].is_string() {
        return format!("trace {}", text(&path["rate_trace"]));
    }
    match path["rate_steps"].as_array() {
        Some(steps) => {
            let steps: Vec<String> = steps.iter().map(|step| text(&step["rate"])).collect();
            steps.join(" → ")
        }
        None => text(&path["rate"]),
    }
}

/// What else a path is made of, in words.
fn ingredients(path: &Value) -> Vec<String> {
    let word = |name: &str| path[name].as_str();
    let other = |name: &str| word(name).unwrap_or("None").to_owned();
    let reordering = if path["reordering"] == true {
        " with reordering"
    } else {
        ""
    };
    let loss = word("loss").unwrap_or("0");
    [
        word("rate_variation").map(|it| format!("rate {it}")),
        word("policer_rate").map(|it| format!("policer {it} after {}", other("policer_burst"))),
        word("loss_burst").map(|it| format!("loss {loss} in bursts of {it}")),
        word("aggregation").map(|it| format!("bursts every {it}")),
        word("jitter").map(|it| format!("jitter {it}{reordering}")),
        word("ripple").map(|it| format!("ripple {it} in {}", other("ripple_period"))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The packets of a resolved stack's initial window.
fn initial_window(stack: &Value) -> f64 {
    let iw = stack["iw"].as_str().unwrap_or_default();
    let mss = stack["mss"].as_str().and_then(|mss| mss.parse().ok());
    let mss = mss
        .and_then(|Bytes(mss)| u32::try_from(mss).ok())
        .unwrap_or(1);
    let window = iw
        .parse::<InitialWindow>()
        .map_or(0.0, |rule| rule.segments(mss));
    match iw.ends_with('B') {
        true => window.floor(),
        false => window.ceil(),
    }
}

/// Buffers that were given in BDPs and came to less than the initial window.
pub(crate) fn warnings(plan: &Plan, resolved: &Value) -> Vec<String> {
    let window = initial_window(&resolved["stack"]);
    let mut found: Vec<(String, u64)> = Vec::new();
    let mut lines = Vec::new();
    for field in ["buffer", "reverse_buffer"] {
        let own = plan.path.get(field);
        let given = own
            .or_else(|| plan.path.get("buffer"))
            .and_then(Value::as_str);
        let Some(given) = given.filter(|text| text.ends_with("bdp")) else {
            continue;
        };
        let packets = resolved["path"][field]
            .as_str()
            .and_then(|text| text.parse().ok());
        let Some(Amount::Packets(packets)) = packets else {
            continue;
        };
        let of = (given.to_owned(), packets);
        if (packets as f64) < window && (own.is_some() || !found.contains(&of)) {
            lines.push(warning(field, given, packets, window));
            found.push(of);
        }
    }
    lines
}

fn warning(field: &str, given: &str, packets: u64, window: f64) -> String {
    let count = match packets {
        1 => "one packet".to_owned(),
        many => format!("{many} packets"),
    };
    let (than, losses) = match field {
        "reverse_buffer" => (
            format!("the acknowledgements of one initial window (up to {window})"),
            "losses of acknowledgements",
        ),
        _ => (format!("one initial window of {window}"), "losses"),
    };
    format!(
        "{field} `{given}` is {count} here, less than {than}, so {losses} are this buffer's doing; \
         left out, it is 1 BDP but at least 40 packets"
    )
}
