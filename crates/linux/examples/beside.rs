//! Startups in the kernel next to the simulator:
//! `beside PATH SIZE RUNS NAME...`, where NAME is a startup, `loaded:STARTUP` for one that runs in the
//! kernel without an agent, or `kernel:cubic`, `kernel:reno`, `kernel:bbr`.

use flowstart_linux::startups::{Loaded, Startup};
use flowstart_linux::{Driver, lab};
use flowstart_sim::{Prepared, Scenario};
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, size, runs, names @ ..] = arguments.as_slice() else {
        return Err("beside PATH SIZE RUNS NAME...".into());
    };
    for name in names {
        let (driver, startup, cc) = match name.strip_prefix("kernel:") {
            Some("cubic") => (Driver::Kernel("cubic".into()), "hystart", "cubic"),
            Some("bbr") => (Driver::Kernel("bbr".into()), "bbr-startup", "bbr"),
            Some(own) => (Driver::Kernel(own.into()), "slow-start", own),
            None => (Driver::Startup, name.as_str(), "cubic"),
        };
        let (driver, startup, cc, _loaded) = match name.strip_prefix("loaded:") {
            Some(name) => {
                let startup =
                    Startup::named(name).ok_or("no startup of this name can be loaded")?;
                let driver = Driver::Kernel(startup.control.into());
                (driver, name, "cubic", Some(Loaded::new(startup)?))
            }
            None => (driver, startup, cc, None),
        };
        let text = format!(
            "path = {{ {path} }}\nstack = {{ preset = \"linux\" }}\n\
             flows = [{{ startup = \"{startup}\", cc = \"{cc}\", size = \"{size}\" }}]"
        );
        let prepared = Prepared::new(&Scenario::from_toml(&text)?)?;
        let simulated = prepared.run().flows.row(0);
        println!(
            "{name:22} simulated {:9.1} ms  dropped {:5}  exit {:?} {:?}",
            1e3 * simulated.fct_s.unwrap_or(f64::NAN),
            simulated.packets_dropped,
            simulated.startup_exit_reason,
            simulated.startup_exit_cwnd_segments,
        );
        for _ in 0..runs.parse()? {
            let outcome = lab::run(&prepared, &driver, &AtomicBool::new(false))?;
            let late = outcome.lateness.unwrap_or_default();
            println!(
                "{:22} kernel    {:9.1} ms  dropped {:5}  exit {:?}  late {} {} {}  answered {:?} {:?}",
                "",
                outcome.fct.map_or(f64::NAN, |t| 1e3 * t.secs()),
                outcome.packets_dropped,
                outcome.exit.map(|e| (e.reason, e.cwnd)),
                late.median,
                late.p99,
                late.most,
                outcome.answered.map(|a| (a.median, a.p99, a.most)),
                outcome.failure,
            );
            if std::env::var("TRACE").is_ok() {
                for s in &outcome.trace {
                    println!(
                        "{:9.3} cwnd {:8.2} ssthresh {:8.2} flight {:4}",
                        1e3 * s.at.secs(),
                        s.cwnd,
                        s.ssthresh,
                        s.flight / 1448
                    );
                }
            }
        }
    }
    Ok(())
}
