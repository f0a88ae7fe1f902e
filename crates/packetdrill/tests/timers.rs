//! The timers of the stack `linux` are the kernel's at round trips of 1 to 600 ms. The scripts in
//! `timers` end with a segment that a timer sends; `timers.csv` has the kernel's wait for it
//! (`tools/docs/kernel_scripts.py`).

use flowstart_packetdrill::run;
use std::fs;
use std::path::PathBuf;

/// A recorded wait, in milliseconds.
struct Recorded {
    script: String,
    rtt: f64,
    wait: f64,
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn recorded() -> Vec<Recorded> {
    let text = fs::read_to_string(folder("../../tests/data/linux/timers.csv")).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let mut cells = line.split(',');
        let mut next = || cells.next().unwrap();
        Recorded {
            script: next().to_owned(),
            rtt: next().parse().unwrap(),
            wait: 1000.0 * next().parse::<f64>().unwrap(),
        }
    });
    rows.collect()
}

/// How late a timer of the kernel may be: a jiffy of 4 ms, a slot of its wheel, which is eight times
/// as wide for eight times the wait (kernel/time/timer.c), and 2 ms for the programs.
fn lateness(wait: f64) -> f64 {
    let slot = match wait {
        ..252.0 => 4.0,
        ..2016.0 => 32.0,
        _ => 256.0,
    };
    4.0 + slot + 2.0
}

/// The script with this round trip, whose last segment is to come within these times.
fn script(row: &Recorded) -> String {
    let template = fs::read_to_string(folder("tests/timers").join(format!("{}.pkt", row.script)));
    let seconds = |ms: f64| format!("{:.6}", ms.max(0.0) / 1000.0);
    let earliest = seconds(row.wait - lateness(row.wait));
    let due = format!("{earliest}~+{}", seconds(row.wait + 1.0));
    template
        .unwrap()
        .replace("{rtt}", &seconds(row.rtt))
        .replace("{half}", &seconds(row.rtt / 2.0))
        .replace("{twice}", &seconds(row.rtt * 2.0))
        .replace("{due}", &due)
}

#[test]
fn timers_are_the_kernels_at_every_round_trip() {
    let rows = recorded();
    assert!(rows.len() >= 72, "{} rows", rows.len());
    let problems: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let problem = run(&script(row)).err()?;
            Some(format!("{} at {} ms: {problem}", row.script, row.rtt))
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
