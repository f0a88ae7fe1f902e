//! `same_bytes [WORKERS]`: one line `rows trace name` for each scenario of
//! `tests/data/same-bytes/scenarios.jsonl`, to be run in the repository's folder.

use flowstart_benches::same_bytes::{lines, read};
use std::process::ExitCode;

const SCENARIOS: &str = "tests/data/same-bytes/scenarios.jsonl";

fn main() -> ExitCode {
    match found() {
        Ok(lines) => {
            lines.iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn found() -> Result<Vec<String>, String> {
    let workers = std::env::args().nth(1).unwrap_or_else(|| "1".into());
    let workers = workers.parse::<usize>().ok().filter(|workers| *workers > 0);
    let workers = workers.ok_or("WORKERS is a whole number of 1 or more")?;
    let list = std::fs::read_to_string(SCENARIOS);
    let list = list.map_err(|error| format!("{SCENARIOS} cannot be read: {error}"))?;
    lines(&read(&list)?, workers)
}
