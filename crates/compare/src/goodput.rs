//! Comparisons of rates: of flows without an end, within times and in speed tests.

use flowstart_control::Duration;
use flowstart_sim::SpeedTest;
use serde_json::{Map, Value, json};

/// A speed test begins with the first data: a handshake that is not lost takes less.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// Whether a scenario has rates measured.
pub(crate) fn is_measured(scenario: &Value) -> bool {
    let has_some = |name: &str| {
        scenario[name]
            .as_array()
            .is_some_and(|some| !some.is_empty())
    };
    has_some("within") || has_some("speed_tests")
}

/// Has the rates of flows without an end measured: within the scenario's times and speed tests, or
/// from the latest opening until its `duration`. False where it has none of them, or the last flow
/// opens at its end.
///
/// Its runs last until all is measured, and no longer than their `duration`.
pub(crate) fn measure_endless(base: &mut Map<String, Value>) -> bool {
    let opening = latest_opening(base);
    let duration = base.get("duration").and_then(time);
    let Some(longest) = longest(base) else {
        let left = duration.map(|duration| duration.saturating_sub(opening));
        let Some(left) = left.filter(|left| *left > Duration::ZERO) else {
            return false;
        };
        base.insert("within".to_owned(), json!([left.to_string()]));
        return true;
    };
    // What is lost later is no cost of the rate.
    let end = duration.map_or(opening + longest, |duration| {
        duration.min(opening + longest)
    });
    base.insert("duration".to_owned(), end.to_string().into());
    true
}

/// When the last flow opens, as far as that is known.
fn latest_opening(base: &Map<String, Value>) -> Duration {
    let flows = base.get("flows").and_then(Value::as_array);
    let latest = |flow: &Value| {
        let field = |name: &str| flow.get(name).and_then(time).unwrap_or(Duration::ZERO);
        let others = flow["count"].as_u64().unwrap_or(1).saturating_sub(1);
        field("start") + field("stagger").times(others) + field("jitter")
    };
    let flows = flows.into_iter().flatten().map(latest);
    flows.max().unwrap_or(Duration::ZERO)
}

/// The longest time for which a flow is measured; none where none is.
fn longest(base: &Map<String, Value>) -> Option<Duration> {
    let list = |name: &str| {
        base.get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let times = list("within").map(|text| time(text).unwrap_or(Duration::ZERO));
    let tests = list("speed_tests").map(|text| {
        let test = text
            .as_str()
            .and_then(|text| text.parse::<SpeedTest>().ok());
        test.map_or(Duration::ZERO, |test| test.lasts() + HANDSHAKE)
    });
    times.chain(tests).max()
}

fn time(value: &Value) -> Option<Duration> {
    value.as_str()?.parse().ok()
}
