//! What a run has used, counted where all of it is known.

use super::meter::Usage;
use super::simulation::Simulation;
use crate::record::flow_record::FlowRecord;

impl Simulation<'_> {
    /// Whether the run is allowed to use more than it has.
    #[cold]
    #[inline(never)]
    pub(super) fn may_use_more(&mut self) -> bool {
        let packets = self.meter.packets(self.events);
        let visited = self.flows.open_count() + self.links.len();
        if self.meter.is_old(packets, visited) {
            let bytes = self.bytes_held();
            self.meter.count(Usage { packets, bytes });
        }
        self.meter.allow(packets)
    }

    /// Bytes of state, without what does not grow while the run continues.
    fn bytes_held(&mut self) -> u64 {
        let records = self.records.len() * size_of::<FlowRecord>();
        let links: usize = self.links.iter().map(|link| link.bytes_held()).sum();
        (records + links + self.recorders.bytes_held() + self.flows.bytes_held()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Usage;
    use crate::{Outcome, Prepared, Scenario};

    fn prepared(text: &str) -> Prepared {
        Prepared::new(&Scenario::from_toml(text).expect("it can be read")).expect("it is right")
    }

    /// The run within `most`, and what it had used at the last check.
    fn within(text: &str, most: Usage) -> (Outcome, Usage) {
        let mut last = Usage::default();
        let outcome = prepared(text).run_within(
            || true,
            |usage| {
                last = usage;
                usage.packets <= most.packets && usage.bytes <= most.bytes
            },
        );
        (outcome, last)
    }

    const NO_LIMIT: Usage = Usage {
        packets: u64::MAX,
        bytes: u64::MAX,
    };
    /// Each of its first flights is more than is ever carried.
    const FLIGHTS: &str = r#"
        path = { rate = "10Mbps", rtt = "500ms", buffer = "20pkt" }
        stack = { preset = "quic", iw = 1000000, window = "2000000pkt" }
        flows = [{ count = 4000, handshake = false, size = "1000000pkt" }]
    "#;
    const REMEMBERED: &str = r#"
        path = { rate = "10Mbps", rtt = "500ms", buffer = "20pkt" }
        stack = { preset = "quic", window = "2000000pkt" }
        flows = [{ count = 40, startup = "stateful-tcp", cached_cwnd = "1000000pkt", size = "1000000pkt" }]
    "#;

    #[test]
    fn a_flight_that_no_path_carries_ends_at_the_limit_of_packets() {
        for text in [FLIGHTS, REMEMBERED] {
            let packets = 100_000;
            let (outcome, _) = within(
                text,
                Usage {
                    packets,
                    ..NO_LIMIT
                },
            );
            let sent: u64 = outcome.flows.iter().map(|flow| flow.packets_sent).sum();
            assert!((100_000..110_000).contains(&sent), "{sent}");
        }
    }

    #[test]
    fn a_flight_that_no_path_carries_ends_at_the_limit_of_bytes() {
        for text in [FLIGHTS, REMEMBERED] {
            let bytes = 20_000_000;
            let (_, last) = within(text, Usage { bytes, ..NO_LIMIT });
            assert!((20_000_000..22_000_000).contains(&last.bytes), "{last:?}");
        }
    }

    #[test]
    fn data_packets_are_counted_as_the_rows_have_them() {
        let text = r#"
            path = { rate = "100Mbps", rtt = "20ms", buffer = "20pkt" }
            flows = [{ size = "5MB", count = 3 }, { size = "2MB", opener = "receiver" }]
        "#;
        let (outcome, last) = within(text, NO_LIMIT);
        let sent: u64 = outcome.flows.iter().map(|flow| flow.packets_sent).sum();
        assert!(
            last.packets <= sent && last.packets + 4096 > sent,
            "{last:?} {sent}"
        );
    }
}
