//! Refusals: one sentence that names the option, its value and what would be right.

use flowstart_control::{nearest, one_line};
use flowstart_sim::RequestError;
use std::fmt;

/// A request that cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    /// A refusal with this sentence.
    pub fn new(sentence: impl Into<String>) -> Refusal {
        Refusal(one_line(&sentence.into()))
    }

    /// A refusal of an option's value.
    pub(crate) fn of(flag: &str, value: impl fmt::Display, right: impl fmt::Display) -> Refusal {
        Refusal::new(format!("--{flag}: `{value}`: {right}"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl From<RequestError> for Refusal {
    fn from(error: RequestError) -> Refusal {
        Refusal::in_options(&error, |_| false)
    }
}

impl Refusal {
    /// The simulator's refusal of a field, about the option that sets it: a stack's own option, such as
    /// `--window`, where it is `written`.
    pub(crate) fn in_options(error: &RequestError, written: impl Fn(&str) -> bool) -> Refusal {
        let parts: Vec<&str> = error
            .field
            .split(['.', '[', ']'])
            .filter(|part| !part.is_empty())
            .collect();
        let problem = in_options(&error.problem);
        let (place, problem) = match parts.as_slice() {
            ["stack", "preset"] => ("--stack".into(), problem),
            ["path", "quick_start", name] => ("--quick-start".into(), format!("{name}: {problem}")),
            ["stack", name, ..] if !written(name) => {
                let field = error.field.trim_start_matches("stack.");
                ("--stack".into(), format!("{field}: {problem}"))
            }
            ["flows", "0", "count"] => ("--flows".into(), problem),
            ["flows", _] => (String::new(), problem),
            ["flows", _, name, rest @ ..] | ["path" | "stack", name, rest @ ..] => {
                (dotted(&option(name), rest), problem)
            }
            [name] if is_name(name) => (option(name), problem),
            _ => (error.field.clone(), problem),
        };
        match place.as_str() {
            "" => Refusal::new(problem),
            place => Refusal::new(format!("{place}: {problem}")),
        }
    }
}

/// An option for the field of this name.
fn option(field: &str) -> String {
    format!("--{}", field.replace('_', "-"))
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn dotted(first: &str, rest: &[&str]) -> String {
    rest.iter().fold(first.to_owned(), |text, part| {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("{text}[{part}]")
        } else {
            format!("{text}.{part}")
        }
    })
}

/// A message with options in the place of a path's fields: `path.rate` becomes `--rate`.
fn in_options(problem: &str) -> String {
    let mut pieces = problem.split('`');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push('`');
        match piece.strip_prefix("path.").filter(|name| is_name(name)) {
            Some(name) => text.push_str(&option(name)),
            None => text.push_str(piece),
        }
    }
    text
}

/// More known names than these are not listed.
const MOST_SUGGESTED: usize = 3;

/// Known names that an unknown one may mean: those that contain it, or the nearest.
pub fn near<'a>(name: &str, known: &[&'a str]) -> Vec<&'a str> {
    let has = |one: &&&str| !name.is_empty() && one.split('-').any(|word| word == name);
    let mut near: Vec<&str> = known.iter().filter(has).copied().collect();
    near.truncate(MOST_SUGGESTED);
    if near.is_empty() {
        near.extend(nearest(name, known.iter().copied()));
    }
    near
}

/// The end of a message about an unknown name: the names that it may mean, or all.
pub(crate) fn suggest(name: &str, known: &[&str]) -> String {
    let near: Vec<String> = near(name, known)
        .iter()
        .map(|one| format!("`{one}`"))
        .collect();
    match near.is_empty() {
        true => format!("; there are {}", known.join(", ")),
        false => format!("; did you mean {}?", near.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(field: &str, problem: &str) -> String {
        Refusal::from(RequestError::new(field, problem)).to_string()
    }

    #[test]
    fn a_field_is_named_by_its_option() {
        assert_eq!(about("path.rate", "`5`: no unit"), "--rate: `5`: no unit");
        assert_eq!(about("flows[0].count", "0"), "--flows: 0");
        assert_eq!(about("flows[0]", "both"), "both");
        assert_eq!(about("stack.preset", "x"), "--stack: x");
        assert_eq!(about("stack.mss", "x"), "--stack: mss: x");
        assert_eq!(about("stack.iw", "x"), "--stack: iw: x");
        assert_eq!(
            about("path.rate_steps[1].rate", "x"),
            "--rate-steps[1].rate: x"
        );
        assert_eq!(about("seed", "needs `path.loss`"), "--seed: needs `--loss`");
    }

    #[test]
    fn a_stacks_field_is_named_by_its_own_option_where_that_is_written() {
        let error = RequestError::new("stack.window", "x");
        let refusal = Refusal::in_options(&error, |name| name == "window");
        assert_eq!(refusal.to_string(), "--window: x");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        assert_eq!(suggest("rat", &["rate", "rtt"]), "; did you mean `rate`?");
        assert_eq!(suggest("zzzzzz", &["rate", "rtt"]), "; there are rate, rtt");
    }
}
