//! Startups between neighbouring hosts, where jitter may be many times the round trip.

use super::outcome;
use flowstart_control::catalog::STARTUPS;
use flowstart_sim::Outcome;
use proptest::prelude::*;
use proptest::sample::select;

/// The windows of the stacks below.
const INITIAL_WINDOW: f64 = 10.0;

/// Rates and round trips; their BDPs are 8, 16, 41 and 83 packets.
const PATHS: [(&str, &str); 4] = [
    ("2Gbps", "50us"),
    ("1Gbps", "200us"),
    ("1Gbps", "500us"),
    ("10Gbps", "100us"),
];

/// A path of a local network: its jitter, drawn anew after `every`, and its buffer.
#[derive(Clone, Copy, Debug)]
struct Lan {
    path: (&'static str, &'static str),
    jitter: &'static str,
    every: &'static str,
    buffer: &'static str,
}

impl Lan {
    /// A transfer over it.
    fn transfer(self, startup: &str, size: &str, stack: &str, seed: u64) -> Outcome {
        let Lan {
            path: (rate, rtt),
            jitter,
            every,
            buffer,
        } = self;
        outcome(&format!(
            "seed = {seed}\ntrace = true\n[path]\nrate = \"{rate}\"\nrtt = \"{rtt}\"\n\
             buffer = \"{buffer}\"\njitter = \"{jitter}\"\njitter_every = \"{every}\"\n\
             [stack]\npreset = \"{stack}\"\n[[flows]]\nstartup = \"{startup}\"\nsize = \"{size}\"\n"
        ))
    }

    /// The time of 5 MB under gauge over that under slow start.
    fn ratio(self, stack: &str, seed: u64) -> f64 {
        let [gauge, slow_start] = ["gauge", "slow-start"].map(|startup| {
            let outcome = self.transfer(startup, "5MB", stack, seed);
            outcome.flows.row(0).fct_s.unwrap()
        });
        gauge / slow_start
    }
}

/// The geometric mean.
fn mean(ratios: &[f64]) -> f64 {
    libm::exp(ratios.iter().map(|ratio| libm::log(*ratio)).sum::<f64>() / ratios.len() as f64)
}

fn lans() -> impl Strategy<Value = Lan> {
    let jitters = [
        ("exponential:mean=1ms", "1ms"),
        ("exponential:mean=5ms", "5ms"),
        ("uniform:most=4ms", "1ms"),
        ("0s", "1ms"),
    ];
    let buffers = ["1000pkt", "100pkt", "60pkt"];
    (
        select(&PATHS[..]),
        select(jitters.to_vec()),
        select(buffers.to_vec()),
    )
        .prop_map(|(path, (jitter, every), buffer)| Lan {
            path,
            jitter,
            every,
            buffer,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// It ends, or its window is as large as at the beginning.
    #[test]
    fn no_startup_stays_below_the_initial_window_without_a_loss(
        startup in select(STARTUPS.iter().map(|entry| entry.name).collect::<Vec<_>>()),
        stack in select(&["linux", "quinn-adapter", "rfc", "quic"][..]),
        lan in lans(),
        seed in 0u64..1000,
    ) {
        let outcome = lan.transfer(startup, "5MB", stack, seed);
        let flow = outcome.flows.row(0);
        let trace = outcome.trace.as_ref().unwrap();
        let last = *trace.flow_samples.cwnd.last().unwrap();
        let ended = flow.startup_exit_reason.is_some();
        prop_assert!(flow.complete);
        prop_assert!(ended || flow.packets_dropped > 0 || last >= INITIAL_WINDOW, "{last}");
    }

    #[test]
    fn gauge_is_never_below_the_initial_window_without_a_loss(
        stack in select(&["linux", "quinn-adapter", "rfc", "quic"][..]),
        lan in lans(),
        seed in 0u64..1000,
    ) {
        let outcome = lan.transfer("gauge", "5MB", stack, seed);
        let flow = outcome.flows.row(0);
        let cwnd = &outcome.trace.as_ref().unwrap().flow_samples.cwnd;
        // Before the handshake ends, it is one packet.
        let opened = cwnd.iter().skip_while(|cwnd| **cwnd < INITIAL_WINDOW);
        let least = opened.copied().fold(f64::INFINITY, f64::min);
        prop_assert!(flow.complete);
        prop_assert!(flow.packets_dropped > 0 || least >= INITIAL_WINDOW, "{least}");
    }
}

/// 20 MB under stacks that pace and stacks that do not. Slow start loses 9 % of its packets here.
#[test]
fn gauge_ends_where_jitter_is_twenty_times_the_round_trip_and_takes_little_longer_than_slow_start()
{
    let lan = Lan {
        path: PATHS[0],
        jitter: "exponential:mean=1ms",
        every: "1ms",
        buffer: "1000pkt",
    };
    for stack in ["linux", "quinn-adapter", "noq-adapter", "rfc"] {
        let ratio = |seed| {
            let [gauge, slow_start] = ["gauge", "slow-start"]
                .map(|startup| lan.transfer(startup, "20MB", stack, seed).flows.row(0));
            assert!(gauge.startup_exit_reason.is_some(), "{stack} {seed}");
            gauge.fct_s.unwrap() / slow_start.fct_s.unwrap()
        };
        let mean = mean(&(1..=8).map(ratio).collect::<Vec<_>>());
        assert!(mean < 1.3, "{stack}: {mean}");
    }
}

/// A repair with a window for the minimum RTT takes 20 s on the last of these paths, where slow start
/// takes 49 ms for all.
#[test]
fn gauge_repairs_a_buffer_that_overflows_where_jitter_is_far_above_the_round_trip() {
    for path in PATHS {
        let lan = Lan {
            path,
            jitter: "exponential:mean=5ms",
            every: "5ms",
            buffer: "100pkt",
        };
        let ratios: Vec<f64> = (1..=8)
            .map(|seed| lan.ratio("quinn-adapter", seed))
            .collect();
        let mean = mean(&ratios);
        assert!(mean < 1.5, "{path:?}: {mean}");
        assert!(
            ratios.iter().all(|ratio| *ratio < 5.0),
            "{path:?}: {ratios:?}"
        );
    }
}
