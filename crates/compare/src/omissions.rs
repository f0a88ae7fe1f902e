//! Rules of a stack that its preset leaves out, as far as they concern the flows of a scenario.

use crate::ingredients;
use flowstart_transport::stack::{Omission, Preset, Touches, all_presets};
use serde_json::{Value, json};

/// What the presets of some resolved scenarios leave out: a sentence for each rule, and a note for each
/// preset with the rules that can decide the startup.
pub fn omissions(scenarios: &[Value]) -> (Vec<String>, Vec<String>) {
    let concerned = concerned(scenarios);
    let sentences = concerned.iter().flat_map(|(preset, rules)| {
        rules.iter().map(|Omission { rule, source, .. }| {
            format!("stack `{}` leaves out: {rule} ({source})", preset.name)
        })
    });
    let notes = concerned.iter().filter_map(|(preset, rules)| {
        let decisive = rules.iter().filter(|rule| rule.touches == Touches::Startup);
        let rules: Vec<&str> = decisive.map(|omission| omission.rule).collect();
        let listed = match rules.as_slice() {
            [] => return None,
            [rule] => (*rule).to_string(),
            _ => numbered(&rules),
        };
        let name = preset.name;
        Some(format!(
            "Not simulated of {name}, may decide the startup: {listed}. All: flowstart stacks {name}"
        ))
    });
    (sentences.collect(), notes.collect())
}

/// `(1) a; (2) b`.
fn numbered(rules: &[&str]) -> String {
    let rules = rules.iter().zip(1..);
    let rules: Vec<String> = rules.map(|(rule, n)| format!("({n}) {rule}")).collect();
    rules.join("; ")
}

/// The presets of the flows and web sessions with what concerns one of them.
fn concerned(scenarios: &[Value]) -> Vec<(&'static Preset, Vec<&'static Omission>)> {
    let entries = scenarios.iter().flat_map(|scenario| {
        let kinds = ["flows", "web"].map(|kind| scenario[kind].as_array());
        let entries = kinds.into_iter().flatten().flatten();
        entries.map(|entry| {
            let stack = ingredients::stack_of(&entry["stack"], &scenario["stack"]);
            (entry, stack)
        })
    });
    let entries: Vec<(&Value, Value)> = entries.collect();
    let presets = all_presets().filter_map(|preset| {
        let mine = entries
            .iter()
            .filter(|(_, stack)| stack["preset"] == preset.name);
        let mine: Vec<_> = mine.collect();
        if mine.is_empty() || preset.omissions.is_empty() {
            return None;
        }
        let usual = ingredients::stack_of(&json!({ "preset": preset.name }), &Value::Null);
        let concerns = |omission: &&Omission| {
            let mut mine = mine.iter();
            mine.any(|(entry, stack)| concerns(omission, entry, stack, &usual))
        };
        let omissions: Vec<&Omission> = preset.omissions.iter().filter(concerns).collect();
        (!omissions.is_empty()).then_some((preset, omissions))
    });
    presets.collect()
}

fn concerns(omission: &Omission, entry: &Value, stack: &Value, usual: &Value) -> bool {
    let is = |field: &str, known: Option<&str>| {
        let name = entry[field]
            .as_str()
            .and_then(|text| text.split(':').next());
        known.is_none_or(|known| name == Some(known))
    };
    let replaced = omission
        .field
        .is_some_and(|field| stack[field] != usual[field]);
    is("cc", omission.cc) && is("startup", omission.startup) && !replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(scenario: &Value) -> String {
        omissions(std::slice::from_ref(scenario)).0.join("\n")
    }

    fn notes(scenario: &Value) -> Vec<String> {
        omissions(std::slice::from_ref(scenario)).1
    }

    fn of(preset: &str, cc: &str, size: &str) -> Value {
        json!({
            "flows": [{"cc": cc, "size": size, "stack": {"preset": preset}}],
        })
    }

    #[test]
    fn a_rule_concerns_flows_of_its_congestion_control() {
        let rules = |cc| sentences(&of("picoquic", cc, "10kB"));
        assert!(rules("cubic").contains("CUBIC keeps 7/8"));
        assert!(!rules("reno").contains("CUBIC keeps 7/8"));
    }

    #[test]
    fn a_field_that_replaces_a_rule_and_another_startup_end_it() {
        let mut scenario = of("picoquic", "reno", "2MB");
        let probes = |scenario: &Value| sentences(scenario).contains("until a probe has found");
        assert!(probes(&scenario));
        scenario["flows"][0]["stack"]["mss"] = json!("1200B");
        assert!(!probes(&scenario));
        let ends = |startup| {
            let mut scenario = of("picoquic", "reno", "10kB");
            scenario["flows"][0]["startup"] = json!(startup);
            sentences(&scenario).contains("rise by a quarter")
        };
        assert_eq!((ends("slow-start:iw=4"), ends("hystart")), (true, false));
    }

    #[test]
    fn rules_name_fields_that_stacks_have() {
        let stack = ingredients::stack_of(&json!({"preset": "linux"}), &Value::Null);
        for omission in all_presets().flat_map(|preset| preset.omissions) {
            let known = |field| !stack[field].is_null();
            assert!(omission.field.is_none_or(known), "{omission:?}");
            assert!(!omission.rule.contains("receive_window"), "{omission:?}");
        }
    }

    #[test]
    fn a_note_names_what_can_decide_the_startup_and_nothing_else() {
        let found = notes(&of("tquic", "reno", "10kB"));
        let expected = "Not simulated of tquic, may decide the startup: datagrams have 1200 bytes \
                        until the path MTU is found. All: flowstart stacks tquic";
        assert_eq!(found, [expected]);
        assert_eq!(notes(&of("linux", "cubic", "10MB")), [""; 0]);
    }
}
