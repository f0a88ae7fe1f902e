//! One target after the other, each in a separate process.

use crate::child::{kept_input, save};
use crate::table::{Figures, Row, table};
use flowstart_fuzz::Target;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// What is requested.
pub(crate) struct Asked {
    pub(crate) time: Duration,
    pub(crate) executions: Option<u64>,
    pub(crate) record: Option<PathBuf>,
    pub(crate) targets: Vec<&'static Target>,
}

/// A target that fails as often is given up.
const MOST_CRASHES: u64 = 10;

/// Runs what is requested. Whether nothing failed.
pub(crate) fn run(asked: &Asked) -> Result<bool, String> {
    let mut rows = Vec::new();
    for target in &asked.targets {
        let figures = one(target, asked)?;
        let row = Row {
            target: target.name,
            figures,
        };
        record(&row, asked)?;
        rows.push(row);
    }
    print!("{}", table(&rows));
    Ok(rows.iter().all(|row| row.figures.crashes == 0))
}

/// A target, with as many processes as it takes.
fn one(target: &Target, asked: &Asked) -> Result<Figures, String> {
    let begin = Instant::now();
    let mut all = Figures::default();
    while all.crashes < MOST_CRASHES {
        let left = asked.time.saturating_sub(begin.elapsed());
        let executions = asked.executions.unwrap_or(u64::MAX);
        let most = executions.saturating_sub(all.executions);
        if left < Duration::from_millis(100) || most == 0 {
            break;
        }
        let (figures, survived) = process(target, left, most)?;
        all.add(&figures);
        if survived {
            break;
        }
        all.crashes += 1;
    }
    Ok(all)
}

/// One process to its end. Whether it came to it.
fn process(target: &Target, time: Duration, most: u64) -> Result<(Figures, bool), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .args(["--child", target.name])
        .args([time.as_millis().to_string(), most.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut figures = Figures::default();
    let lines = child.stdout.take().map(BufReader::new);
    for line in lines
        .into_iter()
        .flat_map(BufRead::lines)
        .map_while(Result::ok)
    {
        if let Ok(told) = serde_json::from_str(&line) {
            figures = told;
            eprintln!("{}", figures.progress(target.name));
        }
    }
    let ended = child.wait().map_err(|error| error.to_string())?;
    let kept = kept_input(child.id());
    if !ended.success() {
        eprintln!("{}: {ended}", target.name);
        if let Some(input) = kept.filter(|input| !input.is_empty()) {
            let path = save(&format!("{}-{}-last", target.name, child.id()), &input);
            eprintln!("its last input is {}", path.display());
        }
    }
    Ok((figures, ended.success()))
}

/// Appends a row to the record, where one is kept.
fn record(row: &Row, asked: &Asked) -> Result<(), String> {
    let Some(path) = &asked.record else {
        return Ok(());
    };
    let problem = |error| format!("{}: {error}", path.display());
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let at = since.map_or(0, |since| since.as_secs());
    let line = serde_json::json!({ "at": at, "target": row.target, "figures": row.figures });
    let file = OpenOptions::new().create(true).append(true).open(path);
    let mut file = file.map_err(problem)?;
    writeln!(file, "{line}").map_err(problem)
}
