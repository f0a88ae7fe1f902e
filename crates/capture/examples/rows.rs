//! Reads captures and writes all that was found as one JSON document: `rows FILE...`. With `--speed` it writes packets
//! per second instead.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use flowstart_capture::{read, Collected, Options};

fn main() -> ExitCode {
    let mut arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let speed = arguments
        .iter()
        .position(|argument| argument.as_os_str() == "--speed")
        .map(|at| arguments.remove(at))
        .is_some();
    let start = Instant::now();
    let mut rows = Collected::default();
    let mut progress = |_| ControlFlow::Continue(());
    let reading = match read(&arguments, &Options::default(), &mut rows, &mut progress) {
        Ok(reading) => reading,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    if speed {
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{} packets in {seconds:.3} s: {:.0} a second",
            reading.packets,
            reading.packets as f64 / seconds
        );
        return ExitCode::SUCCESS;
    }
    rows.sort();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = serde_json::to_writer(&mut out, &(reading, rows))
        .map_err(io::Error::from)
        .and_then(|()| writeln!(out));
    ExitCode::from(u8::from(written.is_err()))
}
