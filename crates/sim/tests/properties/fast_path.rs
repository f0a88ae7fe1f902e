//! The fast paths of ACKs and of data leave out what has nothing to do: a run without them has the
//! same rows, the same trace and the same events.

use super::catalog::{listed, names, presets};
use super::conservation::{MORE, MOST_PACKETS, with};
use super::{perhaps, scenario};
use flowstart_control::catalog::STARTUPS;
use flowstart_network::queue::QUEUES;
use flowstart_sim::{Prepared, Scenario};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// All that a run leaves behind, as text.
fn outcome(prepared: &Prepared) -> String {
    let outcome = prepared.run_within(|| true, |used| used.packets < MOST_PACKETS);
    serde_json::to_string(&outcome).unwrap()
}

/// Compares a run with the same without fast paths.
fn compare(text: &str) -> Result<(), TestCaseError> {
    let scenario = Scenario::from_toml(text).ok();
    let Some(mut prepared) = scenario.and_then(|scenario| Prepared::new(&scenario).ok()) else {
        return Err(TestCaseError::reject("no scenario"));
    };
    let fast = outcome(&prepared);
    prepared.without_fast_path();
    prop_assert_eq!(fast, outcome(&prepared), "{}", text);
    Ok(())
}

proptest! {
    #[test]
    fn fast_paths_change_no_result(
        text in scenario(),
        few in subsequence(MORE.to_vec(), 0..4),
        seconds in select(vec![1, 20, 300]),
    ) {
        compare(&format!("duration = \"{seconds}s\"\n{}", with(&text, &few)))?;
    }

    /// Every detector, startup and kind of loss meets the fast path here.
    #[test]
    fn fast_paths_change_no_result_of_a_lone_transfer(
        preset in select(presets()),
        recovery in perhaps(listed("StackSpec", "recovery")),
        startup in names("startup", STARTUPS),
        rate in select(vec!["1Mbps", "20Mbps", "300Mbps"]),
        impairment in select(vec![
            "", "loss = 0.002", "loss = 0.02", "reverse_loss = 0.05",
            "jitter = \"exponential:mean=3ms\"\nreordering = true",
            "jitter = \"exponential:mean=40ms\"\nreordering = true",
            "loss = 0.01\njitter = \"exponential:mean=20ms\"\nreordering = true\nreverse_loss = 0.1",
        ]),
        ecn in select(vec!["", "ecn = true"]),
        queue in perhaps(names("queue", QUEUES)),
        buffer in select(vec!["0.2bdp", "1bdp", "4bdp"]),
        seed in 0u64..1000,
    ) {
        compare(&format!(
            "seed = {seed}\ntrace = true\n[path]\nrate = \"{rate}\"\nrtt = \"60ms\"\n\
             buffer = \"{buffer}\"\n{impairment}\n{queue}\n[stack]\npreset = \"{preset}\"\n{recovery}\n{ecn}\n\
             [[flows]]\nsize = \"700kB\"\n{startup}\n"
        ))?;
    }
}
