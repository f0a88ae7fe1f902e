//! Startups between neighbouring hosts, where jitter may be many times the round trip.

use super::outcome;
use flowstart_control::catalog::STARTUPS;
use flowstart_sim::Outcome;
use proptest::prelude::*;
use proptest::sample::select;

/// The windows of the stacks below.
const INITIAL_WINDOW: f64 = 10.0;

/// A transfer over 2 Gbit/s and 50 us, a BDP of 8 packets.
fn transfer(
    startup: &str,
    size: &str,
    stack: &str,
    jitter: &str,
    buffer: &str,
    seed: u64,
) -> Outcome {
    outcome(&format!(
        "seed = {seed}\ntrace = true\n[path]\nrate = \"2Gbps\"\nrtt = \"50us\"\n\
         buffer = \"{buffer}\"\njitter = \"{jitter}\"\njitter_every = \"1ms\"\n\
         [stack]\npreset = \"{stack}\"\n[[flows]]\nstartup = \"{startup}\"\nsize = \"{size}\"\n"
    ))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// It ends, or its window is as large as at the beginning.
    #[test]
    fn no_startup_stays_below_the_initial_window_without_a_loss(
        startup in select(STARTUPS.iter().map(|entry| entry.name).collect::<Vec<_>>()),
        stack in select(&["linux", "quinn-adapter", "rfc", "quic"][..]),
        jitter in select(&["exponential:mean=1ms", "uniform:most=4ms", "0s"][..]),
        buffer in select(&["1000pkt", "60pkt"][..]),
        seed in 0u64..1000,
    ) {
        let outcome = transfer(startup, "5MB", stack, jitter, buffer, seed);
        let flow = outcome.flows.row(0);
        let trace = outcome.trace.as_ref().unwrap();
        let last = *trace.flow_samples.cwnd.last().unwrap();
        let ended = flow.startup_exit_reason.is_some();
        prop_assert!(flow.complete);
        prop_assert!(ended || flow.packets_dropped > 0 || last >= INITIAL_WINDOW, "{last}");
    }
}

/// 20 MB under stacks that pace and stacks that do not. Slow start loses 9 % of its packets here.
#[test]
fn gauge_ends_where_jitter_is_twenty_times_the_round_trip_and_takes_little_longer_than_slow_start()
{
    for stack in ["linux", "quinn-adapter", "noq-adapter", "rfc"] {
        let ratio = |seed| {
            let [gauge, slow_start] = ["gauge", "slow-start"].map(|startup| {
                let jitter = "exponential:mean=1ms";
                transfer(startup, "20MB", stack, jitter, "1000pkt", seed)
                    .flows
                    .row(0)
            });
            assert!(gauge.startup_exit_reason.is_some(), "{stack} {seed}");
            gauge.fct_s.unwrap() / slow_start.fct_s.unwrap()
        };
        let logs: f64 = (1..=8).map(|seed| libm::log(ratio(seed))).sum();
        let mean = libm::exp(logs / 8.0);
        assert!(mean < 1.3, "{stack}: {mean}");
    }
}
