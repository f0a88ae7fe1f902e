//! How much an answer may cost: what would keep the machine busy for long is refused beforehand.

use crate::text::grouped;
use crate::{Refusal, Run};
use flowstart_control::units::{Measure, Quantity};
use flowstart_control::{Amount, Bytes, Rate};
use serde_json::Value;

const MOST_FLOWS: u64 = 64;
/// Data packets of all runs of an answer: some seconds of work.
const MOST_PACKETS: f64 = 4_000_000.0;

/// Refuses `count` runs, of which some are here, of so many flows of a `size` that are too much for
/// an answer at once.
pub(crate) fn check(size: &str, flows: u64, count: usize, runs: &[Run]) -> Result<(), Refusal> {
    if flows > MOST_FLOWS {
        return Err(Refusal::new(format!(
            "--flows: {flows} are too many for the explorer, at most {MOST_FLOWS} are; \
             `flowstart compare` takes more"
        )));
    }
    let each = runs.first().map_or(0.0, |run| packets_of_a_flow(size, run));
    let packets = each * flows as f64 * count as f64;
    if packets > MOST_PACKETS {
        let (packets, most) = (grouped(packets), grouped(MOST_PACKETS));
        return Err(Refusal::new(format!(
            "--size: `{size}` is some {packets} packets in {count} runs of {flows} each, at most {most} \
             are simulated at once; choose a smaller size, fewer startups or fewer flows, or use \
             `flowstart compare`"
        )));
    }
    Ok(())
}

/// How many data packets a transfer has; 0 where that is unknown before it is run.
fn packets_of_a_flow(size: &str, run: &Run) -> f64 {
    let resolved = resolved(run);
    let flow = &resolved["flows"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mss = match &flow["mss"] {
        Value::Null => text(&resolved["stack"]["mss"]),
        own => text(own),
    };
    let segment = mss.parse().map_or(1, |Bytes(bytes)| bytes).max(1);
    let bytes = match size.parse() {
        Ok(Amount::Bytes(bytes)) => bytes as f64,
        Ok(Amount::Packets(packets)) => packets as f64 * segment as f64,
        Ok(Amount::Bdp(bdps)) => {
            bdps * highest_rate(&resolved["path"]) * seconds(&text(&flow["rtt"])) / 8.0
        }
        Err(_) => 0.0,
    };
    (bytes / segment as f64).ceil()
}

/// A run's scenario with every default filled in.
pub(crate) fn resolved(run: &Run) -> Value {
    let resolved = run.prepared.resolved(&run.scenario);
    serde_json::to_value(resolved).unwrap_or_default()
}

/// The seconds of a time as text.
pub(crate) fn seconds(time: &str) -> f64 {
    let found = Quantity::parse(time).filter(|found| found.measure == Measure::Time);
    found.map_or(0.0, |found| found.number * found.scale / 1e9)
}

fn highest_rate(path: &Value) -> f64 {
    let bps = |rate: &Value| {
        let rate: Option<Rate> = rate.as_str().and_then(|rate| rate.parse().ok());
        rate.map_or(0.0, |rate| rate.bps() as f64)
    };
    let steps = path["rate_steps"].as_array().into_iter().flatten();
    let steps = steps.map(|step| bps(&step["rate"]));
    steps.chain([bps(&path["rate"])]).fold(0.0, f64::max)
}
