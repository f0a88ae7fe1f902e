//! `packetdrill SCRIPT...`: runs scripts and prints which pass.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("usage: packetdrill SCRIPT...");
        return ExitCode::from(2);
    }
    let mut report = String::new();
    let mut passed = 0;
    for file in &files {
        let (lines, passes) = outcome(file);
        report += &lines;
        passed += usize::from(passes);
    }
    _ = writeln!(report, "{passed} of {} pass", files.len());
    // A reader that has closed the pipe needs no more.
    _ = std::io::stdout().write_all(report.as_bytes());
    ExitCode::from(u8::from(passed < files.len()))
}

/// The lines about a script, and whether it passes.
fn outcome(file: &str) -> (String, bool) {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return (format!("{file}: {error}\n"), false),
    };
    match flowstart_packetdrill::run(&text) {
        Ok(notes) => {
            let notes: String = notes
                .iter()
                .map(|note| format!("{file}:{note}\n"))
                .collect();
            (format!("{notes}{file}: passes\n"), true)
        }
        Err(problem) => (format!("{file}:{problem}\n"), false),
    }
}
