//! `packetdrill SCRIPT...`: runs scripts and prints which pass.

use std::process::ExitCode;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("usage: packetdrill SCRIPT...");
        return ExitCode::from(2);
    }
    let passed = files.iter().filter(|file| passes(file)).count();
    println!("{passed} of {} pass", files.len());
    ExitCode::from(u8::from(passed < files.len()))
}

fn passes(file: &str) -> bool {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            println!("{file}: {error}");
            return false;
        }
    };
    match flowstart_packetdrill::run(&text) {
        Ok(notes) => {
            notes.iter().for_each(|note| println!("{file}:{note}"));
            println!("{file}: passes");
            true
        }
        Err(problem) => {
            println!("{file}:{problem}");
            false
        }
    }
}
