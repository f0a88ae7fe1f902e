//! Runs the cases of `tests/data/linux/limits.csv` in this machine's kernel, so many times each, and
//! prints the file anew: `limits RUNS`. Shares are medians, of runs in which the emulator did not
//! stall. The simulator's are printed to standard error.

#[path = "../../sim/tests/linux/limit_cases.rs"]
mod limit_cases;

use flowstart_linux::{Driver, lab};
use limit_cases::{LimitCase, limit_cases};
use std::error::Error;
use std::sync::atomic::AtomicBool;

/// Attempts for each run.
const MOST_TRIES: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let runs: usize = std::env::args().nth(1).ok_or("limits RUNS")?.parse()?;
    println!("rate_mbps,rtt_ms,bytes,receive_buffer,send_buffer,rwnd_share,sndbuf_share,runs");
    for case in limit_cases() {
        let [window, buffer] = recorded(&case, runs)?;
        println!("{},{window:.3},{buffer:.3},{runs}", case.setting.join(","));
        let simulated = case.simulated().map(|share| format!("{share:.3}"));
        eprintln!(
            "{}: simulated {}",
            case.setting.join(","),
            simulated.join(" ")
        );
    }
    Ok(())
}

/// The medians of the kernel's shares.
fn recorded(case: &LimitCase, runs: usize) -> Result<[f64; 2], Box<dyn Error>> {
    let (prepared, driver) = (case.prepared(), Driver::Kernel("cubic".into()));
    let mut shares: [Vec<f64>; 2] = Default::default();
    for _ in 0..MOST_TRIES * runs {
        let outcome = lab::run(&prepared, &driver, &AtomicBool::new(false))?;
        if let Some(failure) = outcome.failure {
            return Err(failure.into());
        }
        if outcome.lateness.unwrap_or_default().most > lab::STALL {
            continue;
        }
        let times = outcome.busy_times.ok_or("the kernel counts no busy time")?;
        for (shares, time) in shares
            .iter_mut()
            .zip([times.rwnd_limited, times.sndbuf_limited])
        {
            shares.push(time.secs() / times.busy.secs());
        }
        if shares[0].len() == runs {
            break;
        }
    }
    let median = |mut of: Vec<f64>| {
        of.sort_by(f64::total_cmp);
        of.get(of.len() / 2).copied()
    };
    let [window, buffer] = shares.map(median);
    let medians = window.zip(buffer).map(|(window, buffer)| [window, buffer]);
    Ok(medians.ok_or("the emulator stalled in all runs")?)
}
