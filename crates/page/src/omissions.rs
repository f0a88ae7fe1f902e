//! Rules of a stack that its preset leaves out, as far as they concern the flows of a scenario.

use crate::ingredients;
use flowstart_control::Bytes;
use flowstart_transport::stack::{all_presets, Omission, Preset, Touches};
use serde_json::Value;

/// What the presets of a resolved scenario leave out, in a sentence for each rule.
pub fn omissions(resolved: &Value) -> Vec<String> {
    let lines = concerned(resolved).into_iter().flat_map(|(preset, rules)| {
        let line = move |one: &Omission| {
            let Omission { rule, source, .. } = one;
            format!("stack `{}` leaves out: {rule} ({source})", preset.name)
        };
        rules.into_iter().map(line)
    });
    lines.collect()
}

/// Which of these can decide the startup, in a note for each preset.
pub fn decisive_omissions(resolved: &Value) -> Vec<String> {
    let notes = concerned(resolved)
        .into_iter()
        .filter_map(|(preset, rules)| {
            let decides = |one: &&Omission| one.touches == Touches::Startup;
            let rules: Vec<&str> = rules
                .into_iter()
                .filter(decides)
                .map(|one| one.rule)
                .collect();
            let name = preset.name;
            (!rules.is_empty()).then(|| {
                format!(
                "Not simulated of {name}, may decide the startup: {}. All: flowstart stacks {name}",
                rules.join("; ")
            )
            })
        });
    notes.collect()
}

/// The presets of the flows and web sessions with what concerns one of them.
fn concerned(resolved: &Value) -> Vec<(&'static Preset, Vec<&'static Omission>)> {
    let entries = ["flows", "web"].map(|kind| resolved[kind].as_array().cloned());
    let entries: Vec<Value> = entries.into_iter().flatten().flatten().collect();
    let presets = all_presets().filter_map(|preset| {
        let entries = entries.iter().filter(|entry| {
            let stack = ingredients::stack_of(&entry["stack"], &resolved["stack"]);
            stack["preset"] == preset.name
        });
        let entries: Vec<&Value> = entries.collect();
        let rules = preset.omissions.iter();
        let rules = rules.filter(|one| entries.iter().any(|entry| concerns(one, entry)));
        let rules: Vec<&Omission> = rules.collect();
        (!rules.is_empty()).then_some((preset, rules))
    });
    presets.collect()
}

fn concerns(omission: &Omission, entry: &Value) -> bool {
    let cc = entry["cc"].as_str().and_then(|cc| cc.split(':').next());
    let under = omission.cc.is_none_or(|known| cc == Some(known));
    // Sizes of web sessions are drawn.
    let bytes = entry["size"].as_str().and_then(|size| size.parse().ok());
    under && bytes.is_none_or(|Bytes(bytes)| bytes > omission.above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(preset: &str, cc: &str, size: &str) -> Value {
        json!({
            "stack": {"preset": preset},
            "flows": [{"cc": cc, "size": size, "stack": null}],
        })
    }

    #[test]
    fn a_rule_concerns_flows_of_its_congestion_control_and_size() {
        let rules = |cc, size| omissions(&of("picoquic", cc, size)).join("\n");
        assert!(rules("cubic", "10kB").contains("CUBIC keeps 7/8"));
        assert!(!rules("reno", "10kB").contains("CUBIC keeps 7/8"));
        assert!(rules("reno", "2MB").contains("the receiver offers"));
        assert!(!rules("reno", "10kB").contains("the receiver offers"));
    }

    #[test]
    fn a_note_names_what_can_decide_the_startup_and_nothing_else() {
        let notes = decisive_omissions(&of("tquic", "reno", "10kB"));
        let expected = "Not simulated of tquic, may decide the startup: datagrams have 1200 bytes \
                        until the path MTU is found. All: flowstart stacks tquic";
        assert_eq!(notes, [expected]);
        assert_eq!(decisive_omissions(&of("linux", "cubic", "10MB")), [""; 0]);
    }
}
