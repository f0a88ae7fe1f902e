//! The command line that prints the same table.

use crate::plan::Plan;
use crate::startups::usual_baseline;
use crate::words;
use serde_json::Value;

/// The command of a plan.
pub(crate) fn command(plan: &Plan) -> String {
    let mut found = Words(vec!["flowstart".into(), "compare".into()]);
    for (name, value) in plan.path.fields() {
        found.add(name, Some(field(name, value)));
    }
    let given = |name| plan.given.value(name);
    found.add("stack", plan.stack.word().map(Value::from));
    for name in [
        "cc",
        "flows",
        "stagger",
        "cached_cwnd",
        "landing",
        "available_rate",
    ] {
        found.add(name, given(name));
    }
    let (named, startups): (Vec<_>, Vec<_>) = plan
        .variants
        .iter()
        .partition(|variant| variant.name != variant.startup);
    for variant in named {
        let cc = variant.cc.as_deref().unwrap_or_default();
        found.add("variant", Some(format!("{}: cc={cc}", variant.name).into()));
    }
    let startups: Vec<&str> = startups
        .iter()
        .map(|variant| variant.name.as_str())
        .collect();
    found.add("startup", Some(startups.join(",").into()));
    let is_usual = plan.baseline == usual_baseline(&plan.variants);
    found.add(
        "baseline",
        (!is_usual).then(|| plan.baseline.as_str().into()),
    );
    found.add("size", Some(plan.size.as_str().into()));
    found.add("seed", Some(plan.seed.into()));
    found.0.join(" ")
}

/// A field of a path as one word.
fn field(name: &str, value: &Value) -> Value {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    match (name, value) {
        ("rate_steps", Value::Array(steps)) => {
            let step = |step: &Value| format!("{}:{}", text(&step["rate"]), text(&step["lasts"]));
            let steps: Vec<String> = steps.iter().map(step).collect();
            steps.join(",").into()
        }
        ("quick_start", Value::Object(fields)) => {
            let first = fields.get("admission").map(text).unwrap_or_default();
            let rest = fields.iter().filter(|(name, _)| *name != "admission");
            let rest: Vec<_> = rest
                .map(|(name, value)| (name.clone(), text(value)))
                .collect();
            words::word(&first, &rest).into()
        }
        _ => value.clone(),
    }
}

/// The words of a command line, quoted for a shell where they have to be.
struct Words(Vec<String>);

impl Words {
    /// Adds an option with its value. One that is empty or false is left out.
    fn add(&mut self, name: &str, value: Option<Value>) {
        let value = match value {
            None | Some(Value::Null | Value::Bool(false)) => return,
            Some(Value::String(text)) if text.is_empty() => return,
            Some(Value::Bool(true)) => None,
            Some(Value::String(text)) => Some(text),
            Some(other) => Some(other.to_string()),
        };
        self.0.push(format!("--{}", name.replace('_', "-")));
        self.0.extend(value.map(|text| quoted(&text)));
    }
}

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    match !word.is_empty() && word.chars().all(is_safe) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\"'\"'")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_word_is_quoted_where_a_shell_would_read_it_otherwise() {
        assert_eq!(super::quoted("a:b=1,c"), "a:b=1,c");
        assert_eq!(super::quoted("it's"), "'it'\"'\"'s'");
    }
}
