//! Reads a capture and writes all that was found as one JSON document: `rows FILE`. With `--speed` it writes
//! packets per second instead.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

use flowstart_capture::{read, Options};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let speed = arguments
        .iter()
        .position(|argument| argument == "--speed")
        .map(|at| arguments.remove(at))
        .is_some();
    let [file] = &arguments[..] else {
        eprintln!("one file is needed");
        return ExitCode::from(2);
    };
    let start = Instant::now();
    let capture = match read(file.as_ref(), &Options::default(), &mut |_| {
        ControlFlow::Continue(())
    }) {
        Ok(capture) => capture,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    if speed {
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{} packets in {seconds:.3} s: {:.0} a second",
            capture.packets,
            capture.packets as f64 / seconds
        );
        return ExitCode::SUCCESS;
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = serde_json::to_writer(&mut out, &capture)
        .map_err(io::Error::from)
        .and_then(|()| writeln!(out));
    ExitCode::from(u8::from(written.is_err()))
}
