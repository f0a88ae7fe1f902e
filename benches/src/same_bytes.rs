//! One hash for all rows of a scenario's outcome and one for its trace, so that builds and
//! machines can be compared.
//!
//! What is hashed is text that does not depend on how numbers are printed: of each table its name,
//! and of each row its fields in the order of their names. A real number stands as its 64 bits.
//! `tests/python/same_bytes.py` makes the same text of the tables that Python gets.

use flowstart_sim::record::run::RunRow;
use flowstart_sim::{Outcome, Scenario};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Hexadecimal digits of a hash that are shown: 64 bits.
const DIGITS: usize = 16;

/// A scenario of the list, and what it is called.
pub struct Case {
    /// Its name.
    pub name: String,
    scenario: Scenario,
}

/// Reads a list: one object `{"name", "scenario"}` a line.
///
/// # Errors
///
/// What is wrong with the first line that is no scenario, in a sentence.
pub fn read(list: &str) -> Result<Vec<Case>, String> {
    list.lines().map(case).collect()
}

fn case(line: &str) -> Result<Case, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let name = value["name"].as_str().ok_or("a line has no name")?;
    let scenario = Scenario::from_json(&value["scenario"].to_string());
    Ok(Case {
        name: name.into(),
        scenario: scenario.map_err(|error| format!("{name}: {error}"))?,
    })
}

/// The lines `rows trace name` of all cases, in their order, run on so many threads.
///
/// # Errors
///
/// Why the first of them cannot be run.
pub fn lines(cases: &[Case], workers: usize) -> Result<Vec<String>, String> {
    let found: Vec<OnceLock<_>> = cases.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Relaxed);
                    let Some((case, place)) = cases.get(at).zip(found.get(at)) else {
                        break;
                    };
                    place.get_or_init(|| line(case));
                }
            });
        }
    });
    let missing = || Err("a thread ended before its time".to_string());
    let lines = found.into_iter().map(OnceLock::into_inner);
    lines.map(|line| line.unwrap_or_else(missing)).collect()
}

/// The line `rows trace name` of one line of a list.
///
/// # Errors
///
/// What is wrong with it, or why it cannot be run.
pub fn hashed(line_of_list: &str) -> Result<String, String> {
    line(&case(line_of_list)?)
}

fn line(case: &Case) -> Result<String, String> {
    let name = &case.name;
    let outcome = flowstart_sim::run(&case.scenario);
    let outcome = outcome.map_err(|error| format!("{name}: {error}"))?;
    let rows = hash(&rows(&outcome));
    let trace = outcome.trace.as_ref().map(|trace| hash(&text_of(trace)));
    let trace = trace.unwrap_or_else(|| "-".repeat(DIGITS));
    Ok(format!("{rows} {trace} {name}"))
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let mut digits = String::new();
    for byte in digest.iter().take(DIGITS / 2) {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// All tables of an outcome.
fn rows(outcome: &Outcome) -> String {
    let mut text = String::new();
    add_table(&mut text, "runs", &[RunRow::of(outcome)]);
    add_table(&mut text, "flows", &outcome.flows);
    add_table(&mut text, "transfers", &outcome.transfers);
    add_table(&mut text, "objects", &outcome.objects);
    add_table(&mut text, "links", &outcome.links);
    add_table(&mut text, "startups", &outcome.startups);
    text
}

fn add_table(text: &mut String, name: &str, table: &(impl Serialize + ?Sized)) {
    let _ = writeln!(text, "[{name}]");
    text.push_str(&text_of(table));
}

fn text_of(what: &(impl Serialize + ?Sized)) -> String {
    let mut text = String::new();
    let value = serde_json::to_value(what).expect("rows and traces have text for keys");
    add(&mut text, &value);
    text
}

/// Adds a value: a list's elements and an object's fields a line each.
fn add(text: &mut String, value: &Value) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|each| add(text, each)),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            for (name, field) in fields {
                let _ = write!(text, "{name}=");
                add(text, field);
            }
        }
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(real) => _ = writeln!(text, "{:016x}", real.to_bits()),
            None => _ = writeln!(text, "{number}"),
        },
        Value::String(word) => _ = writeln!(text, "{word}"),
        Value::Bool(truth) => _ = writeln!(text, "{truth}"),
        Value::Null => text.push_str("-\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_number_is_told_from_the_next_one_and_from_a_whole_one() {
        let one = text_of(&1.0);
        assert_eq!(one, "3ff0000000000000\n");
        assert_ne!(one, text_of(&(1.0 + f64::EPSILON)));
        assert_ne!(one, text_of(&1));
    }

    #[test]
    fn fields_stand_in_the_order_of_their_names() {
        let row: Value = serde_json::from_str(r#"{"b": [true, null], "a": "x"}"#).unwrap();
        assert_eq!(text_of(&row), "a=x\nb=true\n-\n");
    }
}
