//! Runs targets for a while and prints the result:
//! `fuzz [--seconds N] [--executions N] [--record FILE] [TARGET]…`, and
//! `fuzz --reproduce TARGET FILE`.
//!
//! Each target runs in a separate process, one after the other, so that one that overflows its
//! stack, never returns or takes too much memory ends that process only. The input is then kept,
//! and the target continues.
#![forbid(unsafe_code)]

#[path = "fuzz/child.rs"]
mod child;
#[path = "fuzz/parent.rs"]
mod parent;
#[path = "fuzz/table.rs"]
mod table;

use flowstart_fuzz::{TARGETS, Target};
use parent::Asked;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = match words[..] {
        ["--child", name, milliseconds, executions] => child::run(name, milliseconds, executions),
        ["--reproduce", name, file] => {
            named(name).and_then(|target| child::reproduce(target, file))
        }
        _ => asked(&words).and_then(|asked| parent::run(&asked)),
    };
    match ran {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("fuzz: {problem}");
            ExitCode::from(2)
        }
    }
}

fn asked(words: &[&str]) -> Result<Asked, String> {
    let mut asked = Asked {
        time: Duration::from_secs(600),
        executions: None,
        record: None,
        targets: Vec::new(),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || {
            words
                .next()
                .ok_or_else(|| format!("{word}: a value is needed"))
        };
        match *word {
            "--seconds" => asked.time = Duration::from_secs(number(word, value()?)?),
            "--executions" => asked.executions = Some(number(word, value()?)?),
            "--record" => asked.record = Some(PathBuf::from(value()?)),
            name => asked.targets.push(named(name)?),
        }
    }
    if asked.targets.is_empty() {
        asked.targets = TARGETS.iter().collect();
    }
    Ok(asked)
}

fn number(option: &str, value: &str) -> Result<u64, String> {
    let problem = |_| format!("{option}: `{value}` is not a whole number");
    value.parse().map_err(problem)
}

fn named(name: &str) -> Result<&'static Target, String> {
    flowstart_fuzz::target(name).ok_or_else(|| {
        let known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        format!("`{name}` is not a target; there are {}", known.join(", "))
    })
}
