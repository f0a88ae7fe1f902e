//! The transfers of a scenario in the kernel next to the simulator: `load SCENARIO.toml [CONTROL]`,
//! where CONTROL is one of the kernel's own; without it the scenario's startups drive the kernel.

use flowstart_linux::{Driver, load};
use flowstart_sim::{Prepared, Scenario};
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("load SCENARIO.toml [CONTROL]")?;
    let driver = arguments.next().map_or(Driver::Startup, Driver::Kernel);
    let prepared = Prepared::new(&Scenario::from_toml(&std::fs::read_to_string(file)?)?)?;
    for row in prepared.run().flows.iter() {
        println!("simulated {:?} bytes: {:?} s", row.size_bytes, row.fct_s);
    }
    let outcome = load::run(&prepared, &driver, &AtomicBool::new(false))?;
    for answered in &outcome.requests {
        let took = answered.completed.map(|at| at.since(answered.asked).secs());
        println!(
            "kernel {:3} {:9} bytes from {:7.3}: {took:?} s, {:?} {:?}",
            answered.number,
            answered.size,
            answered.asked.secs(),
            answered.sent,
            answered.failure,
        );
    }
    println!(
        "dropped {}, late {:?}, answered {:?}, stalls {}, {:?}",
        outcome.packets_dropped,
        outcome.lateness,
        outcome.answered,
        outcome.stalls,
        outcome.failure
    );
    Ok(())
}
