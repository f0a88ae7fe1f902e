//! Repeats of a scenario with perturbed delays, for results that depend on a coincidence.
//!
//! Whether one more packet fits into a queue, or whether an acknowledgement comes just before or just
//! after a threshold, can decide what a startup does. In repeat number k round trips and delays are up
//! to 1 % shorter or longer, flows and sessions begin up to a millisecond later, and what is random has
//! another seed. Repeat 0 is the scenario.

use crate::goodput;
use flowstart_control::units::{Measure, Quantity};
use serde_json::{Map, Value};

/// By how much of itself a delay differs at most: what a round trip is known to, at best.
pub const DELAY_SHARE: f64 = 0.01;
/// By how many seconds a beginning is later at most.
pub const START_SPREAD: f64 = 0.001;
/// The distance of the seeds of two repeats, so that they meet none that is requested.
const SEEDS_APART: u64 = 1_000_003;

/// Makes a scenario its repeat of a number.
///
/// What differs depends on the number alone, and not on the startup. A value that is no time is kept,
/// for the simulator to refuse.
pub fn perturb(scenario: &mut Value, number: u32) {
    if number == 0 {
        return;
    }
    let mut drawn = MersenneTwister::new(number);
    let factor = 1.0 + DELAY_SHARE * drawn.between(-1.0, 1.0);
    if let Some(path) = scenario.get_mut("path").and_then(Value::as_object_mut) {
        stretch_path(path, factor);
    }
    for kind in ["flows", "web"] {
        let entries = scenario.get_mut(kind).and_then(Value::as_array_mut);
        for entry in entries.into_iter().flatten() {
            let later_s = drawn.between(0.0, START_SPREAD);
            if let Some(entry) = entry.as_object_mut() {
                delay(entry, later_s);
                stretch(entry, "rtt", factor);
            }
        }
    }
    if goodput::is_measured(scenario)
        && let Some(fields) = scenario.as_object_mut()
    {
        // What begins later is measured for as long.
        lengthen(fields, "duration", START_SPREAD);
    }
    let seed = scenario.get("seed").map_or(Some(1), Value::as_u64);
    if let Some(seed) = seed {
        let apart = SEEDS_APART.wrapping_mul(number.into());
        scenario["seed"] = seed.wrapping_add(apart).into();
    }
}

/// Makes the delays of a path longer by a factor; its buffers in BDPs follow its round trip.
fn stretch_path(path: &mut Map<String, Value>, factor: f64) {
    stretch(path, "rtt", factor);
    stretch(path, "access_delay", factor);
    let hops = path.get_mut("hops").and_then(Value::as_array_mut);
    for hop in hops.into_iter().flatten() {
        if let Some(hop) = hop.as_object_mut() {
            stretch(hop, "delay", factor);
        }
    }
}

fn stretch(fields: &mut Map<String, Value>, name: &str, factor: f64) {
    if let Some(time_s) = fields.get(name).and_then(seconds) {
        fields.insert(name.to_owned(), written(time_s * factor));
    }
}

fn lengthen(fields: &mut Map<String, Value>, name: &str, by_s: f64) {
    if let Some(time_s) = fields.get(name).and_then(seconds) {
        fields.insert(name.to_owned(), written(time_s + by_s));
    }
}

/// Has a flow or a web session begin later, unless it waits for an event of another flow.
fn delay(entry: &mut Map<String, Value>, later_s: f64) {
    let begin = entry.get("start").map_or(Some(0.0), seconds);
    let waits = entry.contains_key("start_after") || entry_waits(entry);
    if let (Some(begin_s), false) = (begin, waits) {
        entry.insert("start".to_owned(), written(begin_s + later_s));
    }
}

fn entry_waits(entry: &Map<String, Value>) -> bool {
    let first = entry.get("writes").and_then(|writes| writes.get(0));
    first.is_some_and(|write| write.get("after").is_some())
}

fn seconds(value: &Value) -> Option<f64> {
    let found = Quantity::parse(value.as_str()?)?;
    (found.measure == Measure::Time).then(|| found.number * found.scale / 1e9)
}

fn written(time_s: f64) -> Value {
    format!("{}ns", (time_s * 1e9).round_ties_even()).into()
}

/// The generator MT19937 (Matsumoto and Nishimura 1998), whose first numbers alone are used.
///
/// It is that of Python's `random.Random(number)`, with which published repeats were drawn.
struct MersenneTwister {
    state: [u32; 624],
    next: usize,
}

impl MersenneTwister {
    /// As `init_by_array` of the authors' code does with an array of one number.
    fn new(key: u32) -> MersenneTwister {
        let mut state = [0_u32; 624];
        state[0] = 19_650_218;
        for at in 1..624 {
            state[at] = mixed(state[at - 1], 1_812_433_253).wrapping_add(at as u32);
        }
        let mut at = 1;
        for _ in 0..624 {
            state[at] = (state[at] ^ mixed(state[at - 1], 1_664_525)).wrapping_add(key);
            at = wrapped(&mut state, at);
        }
        for _ in 0..623 {
            state[at] = (state[at] ^ mixed(state[at - 1], 1_566_083_941)).wrapping_sub(at as u32);
            at = wrapped(&mut state, at);
        }
        state[0] = 0x8000_0000;
        MersenneTwister { state, next: 624 }
    }

    fn twist(&mut self) {
        for at in 0..624 {
            let (next, far) = (self.state[(at + 1) % 624], self.state[(at + 397) % 624]);
            let bits = (self.state[at] & 0x8000_0000) | (next & 0x7fff_ffff);
            let odd = if bits & 1 == 0 { 0 } else { 0x9908_b0df };
            self.state[at] = far ^ (bits >> 1) ^ odd;
        }
        self.next = 0;
    }

    fn word(&mut self) -> u32 {
        if self.next == 624 {
            self.twist();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// A number from `low` to `high`, with 53 random bits.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let (a, b) = (self.word() >> 5, self.word() >> 6);
        let share = (f64::from(a) * 67_108_864.0 + f64::from(b)) / 9_007_199_254_740_992.0;
        low + (high - low) * share
    }
}

fn mixed(word: u32, factor: u32) -> u32 {
    (word ^ (word >> 30)).wrapping_mul(factor)
}

/// The place after one; at the end the state begins anew with its last word.
fn wrapped(state: &mut [u32; 624], at: usize) -> usize {
    if at + 1 < 624 {
        return at + 1;
    }
    state[0] = state[623];
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn scenario() -> Value {
        json!({
            "path": {"rate": "10Mbps", "rtt": "80ms", "access_delay": "1ms", "buffer": "1bdp"},
            "flows": [{"size": "1MB"}, {"start": "2s", "rtt": "0.1s", "size": "1MB"}],
            "seed": 7,
        })
    }

    fn repeat(mut scenario: Value, number: u32) -> Value {
        perturb(&mut scenario, number);
        scenario
    }

    fn ns(value: &Value) -> f64 {
        seconds(value).unwrap() * 1e9
    }

    #[test]
    fn numbers_are_those_of_python() {
        let mut drawn = MersenneTwister::new(1);
        let numbers = [0; 3].map(|_| drawn.between(0.0, 1.0));
        assert_eq!(
            numbers,
            [0.13436424411240122, 0.8474337369372327, 0.763774618976614]
        );
    }

    #[test]
    fn repeat_0_is_the_scenario() {
        assert_eq!(repeat(scenario(), 0), scenario());
    }

    #[test]
    fn a_repeat_is_the_same_every_time_and_unlike_the_others() {
        assert_eq!(repeat(scenario(), 3), repeat(scenario(), 3));
        assert_ne!(repeat(scenario(), 3), repeat(scenario(), 4));
    }

    #[test]
    fn delays_keep_their_proportion_and_starts_come_a_little_later() {
        for number in 1..50 {
            let found = repeat(scenario(), number);
            let factor = ns(&found["path"]["rtt"]) / 80e6;
            assert!((factor - 1.0).abs() <= DELAY_SHARE);
            assert!((ns(&found["path"]["access_delay"]) - 1e6 * factor).abs() <= 1.0);
            assert!((ns(&found["flows"][1]["rtt"]) - 1e8 * factor).abs() <= 2.0);
            for (flow, start) in [0.0, 2e9].into_iter().enumerate() {
                let later = ns(&found["flows"][flow]["start"]) - start;
                assert!((0.0..=START_SPREAD * 1e9).contains(&later));
            }
            assert_eq!(found["path"]["buffer"], "1bdp");
            assert_ne!(found["seed"], 7);
        }
    }

    #[test]
    fn a_time_that_is_none_is_left_for_the_simulator_to_refuse() {
        let wrong =
            json!({"path": {"rate": "10Mbps", "rtt": "80"}, "flows": [{"start": 3}], "seed": "x"});
        assert_eq!(repeat(wrong.clone(), 1), wrong);
    }

    #[test]
    fn the_hops_of_a_chain_share_the_factor() {
        let hops = json!({"path": {"hops": [{"rate": "1Mbps", "delay": "10ms"}, {"rate": "1Mbps"}]},
            "flows": [{"writes": [{"after": {"flow": 0}}]}]});
        let found = repeat(hops, 1);
        assert_ne!(ns(&found["path"]["hops"][0]["delay"]), 10e6);
        assert_eq!(found["path"]["hops"][1], json!({"rate": "1Mbps"}));
        assert!(found["flows"][0].get("start").is_none(), "it waits");
    }
}
