//! The command line that repeats a comparison.

use crate::variants::{Variant, baseline};
use crate::words;
use serde_json::Value;

/// What a command line gives of a comparison.
pub struct Command<'a> {
    /// Its first words, such as `flowstart compare` and a file.
    pub words: Vec<String>,
    /// The fields of the path, in order.
    pub path: &'a [(String, Value)],
    /// Further options by name, in order.
    pub options: &'a [(String, Value)],
    /// What is compared.
    pub variants: &'a [Variant],
    /// Variants that an option gives.
    pub without: &'a [String],
    /// The variant that the others are measured against.
    pub baseline: &'a str,
    /// The sizes, of flows that have none.
    pub sizes: Vec<&'a str>,
    /// The first seed.
    pub seed: u64,
    /// The number of seeds, where it was requested.
    pub repeat: Option<u64>,
}

impl Command<'_> {
    /// The words, quoted for a shell where they have to be.
    pub fn written(&self) -> String {
        let mut found = Words(self.words.iter().map(|word| quoted(word)).collect());
        for (name, value) in self.path.iter().chain(self.options) {
            found.add(name, &option_value(name, value));
        }
        let variants = self.variants.iter();
        let variants = variants.filter(|variant| !self.without.contains(&variant.name));
        let (startups, named): (Vec<&Variant>, Vec<&Variant>) =
            variants.partition(|variant| variant.is_startup());
        for variant in named {
            found.add("variant", &variant.written().into());
        }
        let startups: Vec<&str> = startups.iter().map(|one| one.name.as_str()).collect();
        found.add("startup", &startups.join(",").into());
        found.add("baseline", &self.named_baseline().into());
        found.add("size", &self.sizes.join(",").into());
        found.add("seed", &self.seed.into());
        found.add("repeat", &self.repeat.into());
        found.0.join(" ")
    }

    /// The baseline where it is not the one that is taken unasked.
    fn named_baseline(&self) -> Option<&str> {
        let names: Vec<&str> = self.variants.iter().map(|one| one.name.as_str()).collect();
        let is_usual = baseline(None, &names).is_ok_and(|usual| usual == self.baseline);
        (!is_usual && self.without.is_empty()).then_some(self.baseline)
    }
}

/// The value of an option as the command line takes it.
fn option_value(name: &str, value: &Value) -> Value {
    match (name, value) {
        ("rate_steps", Value::Array(steps)) => {
            let part = |step: &Value, name: &str| words::text(&step[name]);
            let step = |step: &Value| format!("{}:{}", part(step, "rate"), part(step, "lasts"));
            let steps: Vec<String> = steps.iter().map(step).collect();
            steps.join(",").into()
        }
        ("quick_start", Value::Object(fields)) => {
            let first = fields.get("admission").map(words::text).unwrap_or_default();
            let rest = fields.iter().filter(|(name, _)| *name != "admission");
            let rest: Vec<_> = rest
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            words::word(&first, &rest).into()
        }
        _ => value.clone(),
    }
}

/// The same as text.
pub fn option(name: &str, value: &Value) -> String {
    words::text(&option_value(name, value))
}

/// The words of a command line.
struct Words(Vec<String>);

impl Words {
    /// Adds an option with its value, or with each of several. One that is empty or false is left
    /// out.
    fn add(&mut self, name: &str, value: &Value) {
        let value = match value {
            Value::Null | Value::Bool(false) => return,
            Value::String(text) if text.is_empty() => return,
            Value::Array(values) => return values.iter().for_each(|value| self.add(name, value)),
            Value::Bool(true) => None,
            other => Some(words::text(other)),
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
