//! The time below which no transfer can be complete, whatever its startup does: from its path, its
//! size and the receiver's window.
//!
//! Where a rate is drawn at random, it is not known before the run, and there is no bound.

use crate::compile::Prepared;
use crate::flow_plan::FlowKind;
use crate::record::flow::wire_bytes;
use crate::spec::Direction;
use crate::workload::FlowEntry;
use flowstart_control::{Duration, Instant, Rate};
use flowstart_network::chain::{Capacity, HopDirection};
use flowstart_network::variation::{Opportunities, Step, VariationPlan};

/// Rounds of a rate's steps or trace in which a transfer has to end.
const MOST_ROUNDS: u64 = 1_000_000;

impl Prepared {
    /// Size and lower bound of the completion time, in seconds, of each entry of flows. There is no
    /// bound where a flow has no end or several writes, or a rate or a start is not known before.
    pub fn lower_bounds(&self) -> Vec<(Option<u64>, Option<f64>)> {
        let entries = self.flows.iter();
        let bounds = entries.map(|entry| (entry.template.size(), self.lower_bound(entry)));
        bounds.collect()
    }

    fn lower_bound(&self, entry: &FlowEntry) -> Option<f64> {
        let kind = &self.kinds[entry.template.kind as usize];
        let is_one_write = kind.writes.is_empty();
        let size = entry.template.size().filter(|_| is_one_write)?;
        let reverse = entry.direction == Direction::Reverse;
        let opened = match entry.template.handshake {
            true => kind.opening(self.chain(), reverse),
            false => Duration::ZERO,
        };
        let rtt = self.chain().least_rtt(kind.rtt);
        let carried = self.carried_after(entry, kind, size, opened)?;
        let first = opened + self.chain().one_way(kind.rtt, reverse);
        Some(carried.max(of_window(kind, size, rtt, first)))
    }

    /// The seconds until the slowest link has carried `size`, and the rest of the way.
    fn carried_after(
        &self,
        entry: &FlowEntry,
        kind: &FlowKind,
        size: u64,
        opened: Duration,
    ) -> Option<f64> {
        let framing = &kind.stack.framing;
        let spared = match !entry.template.handshake && kind.stack.ns2.headerless_first {
            true => framing.header,
            false => 0,
        };
        let bytes = wire_bytes(size, framing.mss, framing.header) - u64::from(spared);
        let reverse = match entry.direction {
            Direction::Forward => false,
            Direction::Reverse => true,
            // Their rates may differ.
            Direction::Alternate => return None,
        };
        let chain = self.chain();
        let ends = [
            chain.hosts.nic_rate,
            chain.hosts.access.and_then(|access| access.rate),
        ];
        let hosts = ends
            .into_iter()
            .flatten()
            .map(|rate| seconds_of(bytes, rate));
        let one_way = (opened + chain.one_way(kind.rtt, reverse)).secs();
        let mut longest = hosts.fold(one_way, |longest, took| longest.max(one_way + took));
        let access = chain
            .hosts
            .access
            .filter(|access| access.at[usize::from(reverse)]);
        let mut before = opened + access.map_or(Duration::ZERO, |access| access.delay);
        before += chain.delay_before_line(reverse);
        let hops = &chain.hops[kind.from_hop as usize..=kind.to_hop as usize];
        let way: Vec<usize> = match reverse {
            false => (0..hops.len()).collect(),
            true => (0..hops.len()).rev().collect(),
        };
        for hop in way.into_iter().map(|at| &hops[at]) {
            let line = if reverse { &hop.reverse } else { &hop.forward };
            let took = match varies(line) {
                false => Capacity::of(line).secs(bytes),
                true => {
                    // Where starts differ, each finds another rate.
                    let start = entry.template.start.get()?;
                    let is_alone = entry.count == 1 && entry.jitter == Duration::ZERO;
                    carried_by(line, start + before, bytes).filter(|_| is_alone)?
                }
            };
            let took = took.max(Capacity::of(line).bucket_secs(bytes));
            longest = longest.max(one_way + took);
            before += hop.delay;
        }
        Some(longest)
    }
}

/// The seconds until the receiver has `size` if each window waits for the acknowledgement of the one
/// before, at least an `rtt` later, and the first packet arrives after `first`.
fn of_window(kind: &FlowKind, size: u64, rtt: Duration, first: Duration) -> f64 {
    let waits = kind
        .stack
        .largest_window()
        .map_or(0, |window| (size - 1) / window);
    first.secs() + rtt.secs() * waits as f64
}

fn seconds_of(bytes: u64, rate: Rate) -> f64 {
    bytes as f64 * 8.0 / rate.bps() as f64
}

fn varies(line: &HopDirection) -> bool {
    line.variation.is_some()
}

/// The seconds in which a line whose rate varies carries so many bytes from `start` on; `None`
/// where the rate is drawn, or the line takes too long.
fn carried_by(line: &HopDirection, start: Instant, bytes: u64) -> Option<f64> {
    match line.variation.as_ref()? {
        VariationPlan::Drawn(_) => None,
        VariationPlan::Trace(trace) => by_trace(trace, start, bytes),
        VariationPlan::Steps(steps) => by_steps(steps, start, bytes),
    }
}

fn by_trace(trace: &Opportunities, start: Instant, bytes: u64) -> Option<f64> {
    let (round, number) = trace.first_from(start);
    let last = number as u64 + bytes.div_ceil(Opportunities::BYTES) - 1;
    let count = trace.count() as u64;
    let rounds = Some(last / count).filter(|rounds| *rounds < MOST_ROUNDS)?;
    let end = trace.time(round + rounds, (last % count) as usize);
    Some(end.since(start).secs())
}

fn by_steps(steps: &[Step], start: Instant, bytes: u64) -> Option<f64> {
    let mut left = bytes as f64 * 8.0;
    let round: f64 = steps.iter().map(|step| step.lasts.secs()).sum();
    let mut skipped = start.secs() % round;
    let mut took = 0.0;
    for _ in 0..MOST_ROUNDS {
        for step in steps {
            let lasts = step.lasts.secs();
            let usable = (lasts - skipped).max(0.0);
            skipped = (skipped - lasts).max(0.0);
            let rate = step.rate.bps() as f64;
            if rate * usable >= left {
                return Some(took + left / rate);
            }
            left -= rate * usable;
            took += usable;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::{Prepared, Scenario, run};

    /// The bound of the first flow, and its completion time.
    fn bound_and_time(text: &str) -> (Option<f64>, f64) {
        let scenario = Scenario::from_toml(text).unwrap();
        let bound = Prepared::new(&scenario).unwrap().lower_bounds()[0].1;
        let time = run(&scenario).unwrap().flows.row(0).fct_s.unwrap();
        (bound, time)
    }

    #[test]
    fn a_steady_path_bounds_by_handshake_delay_and_rate() {
        let text = "path = { rate = '10Mbps', rtt = '100ms' }\nflows = [{ size = '1448kB' }]";
        let (bound, _) = bound_and_time(text);
        // 1000 packets of 1500 bytes take 1.2 s.
        assert!((bound.unwrap() - 1.35).abs() < 1e-9, "{bound:?}");
    }

    #[test]
    fn behind_a_flight_the_way_of_the_request_counts() {
        for (stack, right) in [
            ("{ handshake = 'tcp+tls13', flight = 'classic' }", 0.3),
            ("{ preset = 'quic', flight = 'classic' }", 0.2),
            (
                "{ preset = 'quic', handshake = '0-rtt', flight = 'resumed' }",
                0.1,
            ),
        ] {
            let text = format!(
                "path = {{ rate = '100Mbps', rtt = '100ms' }}\nstack = {stack}\nflows = [{{ size = '1kB' }}]"
            );
            let (bound, time) = bound_and_time(&text);
            let over = bound.unwrap() - right;
            assert!((0.0..2e-4).contains(&over), "{bound:?}");
            assert!(
                bound.unwrap() <= time && time < bound.unwrap() + 3e-3,
                "{bound:?} {time}"
            );
            let row = run(&Scenario::from_toml(&text).unwrap())
                .unwrap()
                .flows
                .row(0);
            assert_eq!(
                row.ideal_fct_s
                    .map(|ideal| (ideal - bound.unwrap()).abs() < 1e-9),
                Some(true)
            );
        }
    }

    #[test]
    fn a_shaper_bounds_all_but_its_burst() {
        let text = "path = { rate = '1Gbps', rtt = '100ms', shaper_rate = '10Mbps', shaper_burst = '150kB' }\n\
                    flows = [{ size = '1448kB' }]";
        let (bound, time) = bound_and_time(text);
        // 900 of 1000 packets of 1500 bytes take 1.08 s.
        assert!((bound.unwrap() - 1.23).abs() < 1e-9, "{bound:?}");
        assert!(bound.unwrap() <= time);
    }

    #[test]
    fn a_policer_bounds_all_but_its_burst() {
        let text = "path = { rate = '1Gbps', rtt = '100ms', policer_rate = '10Mbps', policer_burst = '150kB' }\n\
                    flows = [{ size = '1448kB' }]";
        let (bound, time) = bound_and_time(text);
        assert!((bound.unwrap() - 1.23).abs() < 1e-9, "{bound:?}");
        assert!(bound.unwrap() <= time);
    }

    #[test]
    fn where_the_rate_varies_a_shaper_bounds_too() {
        let text = "path = { rate_steps = [{ rate = '1Gbps', lasts = '1s' }, { rate = '2Gbps', lasts = '1s' }], \
                    rtt = '100ms', shaper_rate = '10Mbps', shaper_burst = '150kB' }\n\
                    flows = [{ size = '1448kB' }]";
        let (bound, time) = bound_and_time(text);
        assert!((bound.unwrap() - 1.23).abs() < 1e-9, "{bound:?}");
        assert!(bound.unwrap() <= time);
    }

    #[test]
    fn a_delay_that_packets_may_skip_is_no_part_of_the_bound() {
        for (path, right) in [
            ("rate = '10Mbps', rtt = '20ms', delay_skip = '100%'", 1.2),
            ("rate = '1Mbps', rtt = '200ms', delay_skip = '10%'", 12.0),
        ] {
            for at in ["forward", "loopback"] {
                let text = format!(
                    "path = {{ {path}, delay_at = '{at}' }}\nflows = [{{ size = '1448kB' }}]"
                );
                let (bound, time) = bound_and_time(&text);
                assert!((bound.unwrap() - right).abs() < 1e-9, "{bound:?}");
                assert!(bound.unwrap() <= time);
            }
        }
    }

    #[test]
    fn a_rate_that_varies_is_that_of_the_time_after_the_delay_before_the_line() {
        // The line is fast when the first packet comes, at 1.5 s.
        let text = "path = { rate_steps = [{ rate = '1Mbps', lasts = '1400ms' }, \
                    { rate = '100Mbps', lasts = '20s' }], rtt = '500ms', delay_at = 'forward' }\n\
                    flows = [{ size = '14480B', start = '500ms' }]";
        let (bound, time) = bound_and_time(text);
        assert!((bound.unwrap() - 1.0012).abs() < 1e-9, "{bound:?}");
        assert!(bound.unwrap() <= time, "{bound:?} {time}");
    }

    #[test]
    fn a_delay_before_the_line_is_that_of_the_forward_direction() {
        for (direction, one_way) in [("forward", 0.1), ("reverse", 0.0)] {
            let text = format!(
                "path = {{ rate = '10Mbps', rtt = '100ms', delay_at = 'forward' }}\n\
                 flows = [{{ size = '1448kB', direction = '{direction}' }}]"
            );
            let (bound, time) = bound_and_time(&text);
            let right = 0.1 + one_way + 1.2;
            assert!((bound.unwrap() - right).abs() < 1e-9, "{bound:?}");
            assert!(bound.unwrap() <= time);
        }
    }

    #[test]
    fn the_rate_is_that_of_the_time_of_the_transfer() {
        let steps = "{ rate = '100Mbps', lasts = '1s' }, { rate = '10Mbps', lasts = '9s' }";
        let text = |size: &str| {
            format!(
                "path = {{ rate_steps = [{steps}], rtt = '40ms' }}\nflows = [{{ size = '{size}' }}]"
            )
        };
        let (bound, time) = bound_and_time(&text("1MB"));
        assert!(
            bound.unwrap() <= time && bound.unwrap() > 0.14,
            "{bound:?} {time}"
        );
        // 96 % of the first second, and the rest at 10 Mbit/s.
        let (bound, time) = bound_and_time(&text("14480kB"));
        assert!(
            (bound.unwrap() - (0.04 + 0.02 + 0.96 + 2.4)).abs() < 1e-6,
            "{bound:?}"
        );
        assert!(bound.unwrap() <= time);
    }

    #[test]
    fn a_trace_gives_the_time_of_its_opportunities() {
        let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/paths/uneven.trace");
        for size in ["30kB", "1MB"] {
            let text = format!(
                "path = {{ rate_trace = '{trace}', rtt = '40ms' }}\nflows = [{{ size = '{size}' }}]"
            );
            let (bound, time) = bound_and_time(&text);
            let bound = bound.unwrap();
            assert!(bound > 0.06 && bound <= time, "{bound} {time}");
        }
    }

    #[test]
    fn a_window_below_the_bdp_bounds_by_its_round_trips() {
        let text = "path = { rate = '1Gbps', rtt = '100ms' }\n\
                    stack = { window = '100kB' }\nflows = [{ size = '10MB' }]";
        let (bound, time) = bound_and_time(text);
        // 99 round trips between 100 windows, the handshake and the way of the last.
        assert!((bound.unwrap() - 10.05).abs() < 1e-9, "{bound:?}");
        assert!(bound.unwrap() <= time);
    }

    #[test]
    fn of_a_chain_the_slowest_link_bounds() {
        let text = "path = { hops = [{ rate = '1Gbps', delay = '10ms' }, \
                    { rate = '10Mbps', delay = '10ms' }] }\nflows = [{ size = '1448kB' }]";
        let (bound, time) = bound_and_time(text);
        assert!((bound.unwrap() - (1.2 + 0.06)).abs() < 1e-9, "{bound:?}");
        assert!(bound.unwrap() <= time);
    }

    #[test]
    fn where_a_rate_is_drawn_or_a_transfer_has_no_end_there_is_no_bound() {
        for text in [
            "path = { rate = '10Mbps', rtt = '40ms', rate_variation = 'wander' }\nflows = [{ size = '1MB' }]",
            "duration = '1s'\npath = { rate = '10Mbps', rtt = '40ms' }\nflows = [{}]",
        ] {
            let prepared = Prepared::new(&Scenario::from_toml(text).unwrap()).unwrap();
            assert_eq!(prepared.lower_bounds()[0].1, None);
        }
    }
}
