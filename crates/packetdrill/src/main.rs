//! `packetdrill [--tolerance_usecs=N] SCRIPT...`: runs scripts and prints which pass.

use flowstart_control::Duration;
use flowstart_packetdrill::TOLERANCES;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

const USAGE: &str = "usage: packetdrill [--tolerance_usecs=N] SCRIPT...";

fn main() -> ExitCode {
    let (options, files): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|word| word.starts_with("--"));
    let tolerance = match tolerance(&options) {
        Ok(tolerance) if !files.is_empty() => tolerance,
        Ok(_) => return refuse(USAGE),
        Err(problem) => return refuse(&problem),
    };
    let mut report = String::new();
    let mut passed = 0;
    for file in &files {
        let (lines, passes) = outcome(file, tolerance);
        report += &lines;
        passed += usize::from(passes);
    }
    _ = writeln!(report, "{passed} of {} pass", files.len());
    // A reader that has closed the pipe needs no more.
    _ = std::io::stdout().write_all(report.as_bytes());
    ExitCode::from(u8::from(passed < files.len()))
}

fn refuse(problem: &str) -> ExitCode {
    eprintln!("{problem}");
    ExitCode::from(2)
}

/// The tolerance of times that the options set.
fn tolerance(options: &[String]) -> Result<Option<Duration>, String> {
    let mut tolerance = None;
    for option in options {
        let Some(micros) = option.strip_prefix("--tolerance_usecs=") else {
            return Err(format!("{option} is not an option; {USAGE}"));
        };
        let problem = || format!("{option}: `{micros}` is not {TOLERANCES}");
        tolerance = Some(flowstart_packetdrill::tolerance(micros).ok_or_else(problem)?);
    }
    Ok(tolerance)
}

/// The lines about a script, and whether it passes.
fn outcome(file: &str, tolerance: Option<Duration>) -> (String, bool) {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return (format!("{file}: {error}\n"), false),
    };
    match flowstart_packetdrill::run_within(&text, tolerance) {
        Ok(notes) => {
            let mut lines: Vec<String> =
                notes.iter().map(|note| format!("{file}:{note}")).collect();
            lines.push(format!("{file}: passes\n"));
            (lines.join("\n"), true)
        }
        Err(problem) => (format!("{file}:{problem}\n"), false),
    }
}
