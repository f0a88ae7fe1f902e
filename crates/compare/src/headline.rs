//! One line on what was compared, and warnings about what was perhaps not meant.

use crate::{ingredients, text};
use flowstart_control::{Amount, Bytes, InitialWindow};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// What a headline states.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headline {
    /// The scenario of each variant with every default filled in.
    pub resolved: Vec<Value>,
    /// The smallest and the largest bandwidth-delay product of the flows in packets, if there are
    /// flows.
    pub bdp: Option<(u64, u64)>,
    /// Entries of `flows` that the line is about.
    pub entries: Vec<usize>,
    /// Entries of `web` that the line is about.
    pub web: Vec<usize>,
    /// Congestion controls, each once and in order.
    pub controls: Vec<String>,
    /// The first and the last seed.
    pub seeds: (u64, u64),
    /// The bottleneck's buffer in words.
    pub buffer: Option<String>,
    /// Whether the initial window is stated apart from the stack, where all flows have the same.
    pub with_window: bool,
}

impl Headline {
    /// Path, capacity, buffer, endpoints and seeds. Only what all variants have in common is part of
    /// it.
    pub fn written(&self) -> String {
        let resolved = ingredients::common(&self.resolved);
        let path = &resolved["path"];
        let bdp = self.bdp.map(|(low, high)| match low == high {
            true => format!(", BDP {} packets", text::grouped(low as f64)),
            false => {
                let (low, high) = (text::grouped(low as f64), text::grouped(high as f64));
                format!(", BDP {low} to {high} packets")
            }
        });
        let (place, is_chain) = match path["hops"].as_array() {
            Some(hops) if !hops.is_empty() => (ingredients::chain(hops), true),
            _ => {
                let rtt = path["rtt"].as_str().unwrap_or_default();
                (format!("{}, {rtt}", ingredients::line(path)), false)
            }
        };
        let mut parts = vec![place + &bdp.unwrap_or_default()];
        parts.extend(ingredients::of_path(path, &resolved["stack"]));
        let buffer = self.buffer.as_ref().filter(|_| !is_chain);
        parts.extend(buffer.map(|buffer| format!("buffer {buffer}")));
        let stacks = self.bdp.map(|_| self.stacks()).unwrap_or_default();
        parts.extend(ingredients::of_stack(
            &ingredients::common(&stacks),
            !self.with_window,
        ));
        parts.push(self.controls.join(", "));
        parts.extend(self.window(&stacks).map(|iw| format!("IW {iw}")));
        if let [entry] = *self.entries {
            parts.extend(ingredients::of_flow(entry, &resolved));
        }
        parts.push(match self.seeds {
            (first, last) if first == last => format!("seed {first}"),
            (first, last) => format!("seeds {first} to {last}"),
        });
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    /// The stack of each flow that the line is about, under each variant.
    fn stacks(&self) -> Vec<Value> {
        let entries = |resolved: &Value| {
            let flows = self.entries.iter().map(|entry| &resolved["flows"][entry]);
            let web = self.web.iter().map(|entry| &resolved["web"][entry]);
            let entries = flows.chain(web);
            let stack = |entry: &Value| ingredients::stack_of(&entry["stack"], &resolved["stack"]);
            entries.map(stack).collect::<Vec<_>>()
        };
        self.resolved.iter().flat_map(entries).collect()
    }

    /// The initial window in packets, where it is to be stated and all stacks have the same.
    fn window(&self, stacks: &[Value]) -> Option<u64> {
        let windows: BTreeSet<u64> = stacks.iter().map(window_of).collect();
        let mut windows = windows.into_iter().filter(|_| self.with_window);
        windows.next().filter(|_| windows.next().is_none())
    }
}

/// The whole packets of an initial window of segments that carry `mss`; 0 for other texts.
pub fn initial_window(rule: &str, mss: &str) -> u64 {
    let mss = mss.parse().ok();
    let mss = mss.and_then(|Bytes(mss)| u32::try_from(mss).ok());
    let segments = rule
        .parse::<InitialWindow>()
        .map_or(0.0, |rule| rule.segments(mss.unwrap_or(1)));
    let whole = match rule.ends_with('B') {
        true => segments.floor(),
        false => segments.ceil(),
    };
    whole as u64
}

/// The whole packets of a resolved stack's initial window.
pub(crate) fn window_of(stack: &Value) -> u64 {
    let text = |name: &str| stack[name].as_str().unwrap_or_default();
    initial_window(text("iw"), text("mss"))
}

/// A buffer that was given in BDPs and came to less than the initial window.
pub struct SmallBuffer {
    /// Where it is: `buffer`, or `hops[0].reverse_buffer`.
    pub field: String,
    /// What was given.
    pub given: String,
    /// What that is in packets.
    pub packets: u64,
}

impl SmallBuffer {
    /// What to report of it; `place` are further words on where it is.
    pub fn warning(&self, place: &str, window: u64) -> String {
        let count = match self.packets {
            1 => "one packet".to_owned(),
            many => format!("{many} packets"),
        };
        let (than, losses) = match self.field.ends_with("reverse_buffer") {
            true => (
                format!("the acknowledgements of one initial window (up to {window})"),
                "losses of acknowledgements",
            ),
            false => (format!("one initial window of {window}"), "losses"),
        };
        let (field, given) = (&self.field, &self.given);
        format!(
            "{field} `{given}` is {count} here{place}, less than {than}, so {losses} are this \
             buffer's doing; left out, it is 1 BDP but at least 40 packets"
        )
    }
}

/// The small buffers of a path, which was `given` and has every default in `resolved`.
pub fn small_buffers(given: &Value, resolved: &Value, window: u64) -> Vec<SmallBuffer> {
    let hops = |path: &Value| path["hops"].as_array().cloned().unwrap_or_default();
    let hops = hops(given).into_iter().zip(hops(resolved)).enumerate();
    let hops = hops.map(|(at, (given, resolved))| (format!("hops[{at}]."), given, resolved));
    let whole = (String::new(), given.clone(), resolved.clone());
    let mut found: Vec<SmallBuffer> = Vec::new();
    for (prefix, own, resolved) in std::iter::once(whole).chain(hops) {
        for name in ["buffer", "reverse_buffer"] {
            let text = own[name].as_str().or(given["buffer"].as_str());
            let Some(text) = text.filter(|text| text.ends_with("bdp")) else {
                continue;
            };
            let packets = resolved[name].as_str().and_then(|text| text.parse().ok());
            let Some(Amount::Packets(packets)) = packets else {
                continue;
            };
            let mut known = found.iter().map(|one| (&*one.given, one.packets));
            let is_known = own[name].is_null() && known.any(|one| one == (text, packets));
            if packets < window && !is_known {
                found.push(SmallBuffer {
                    field: format!("{prefix}{name}"),
                    given: text.to_owned(),
                    packets,
                });
            }
        }
    }
    found
}
