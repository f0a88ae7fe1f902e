//! What a run uses while it runs. An estimate cannot know what queues will drop, nor what a window
//! holds that no path carries; so usage is looked at every few thousand steps.

use crate::flow_plan::Opening;

/// Steps between two looks: some 100 µs.
const STEPS: i64 = 1 << 12;
/// Packets sent between two counts of bytes, for each open flow and each link: counting visits them
/// all, and each visit may miss the cache.
const SENT_PER_VISIT: u64 = 16;
/// A count of bytes is that old at most where there are few: their packets take 1 MB to 2 MB.
const SENT: u64 = 1 << 14;

/// What a run has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Data packets sent, retransmissions included.
    pub packets: u64,
    /// Bytes of state: endpoints, packets on their way, records and what is recorded over time.
    pub bytes: u64,
}

/// Counts a run's steps: each event is one, and each packet that a sender sends.
pub(super) struct Meter<'a> {
    /// Until the next look.
    left: i64,
    /// Up to the next look.
    granted: u64,
    /// Packets of handshakes.
    opening: u64,
    /// What had been used when bytes were counted last.
    counted: Usage,
    allows: &'a mut dyn FnMut(Usage) -> bool,
    refused: bool,
}

impl<'a> Meter<'a> {
    /// A run may continue for as long as `allows` is true of what it has used.
    pub(super) fn new(allows: &'a mut dyn FnMut(Usage) -> bool) -> Meter<'a> {
        Meter {
            left: 0,
            granted: 0,
            opening: 0,
            counted: Usage::default(),
            allows,
            refused: false,
        }
    }

    /// One step more. Whether it is time to look.
    #[inline]
    pub(super) fn step(&mut self) -> bool {
        self.left -= 1;
        self.left <= 0
    }

    /// Has the next step look.
    pub(super) fn look_next(&mut self) {
        self.granted = self.granted.saturating_add_signed(-self.left);
        self.left = 0;
    }

    /// A connection opens.
    pub(super) fn count_opening(&mut self, opening: Opening) {
        self.opening += u64::from(!matches!(opening, Opening::Established(_)));
    }

    /// What `events` leave of the steps: data packets sent so far.
    pub(super) fn packets(&mut self, events: u64) -> u64 {
        self.look_next();
        let sent = self.granted.saturating_sub(events);
        sent.saturating_sub(self.opening)
    }

    /// Whether bytes are to be counted again, of so many flows and links.
    pub(super) fn is_old(&self, packets: u64, visited: usize) -> bool {
        packets >= self.counted.packets + SENT.max(SENT_PER_VISIT * visited as u64)
    }

    /// They were.
    pub(super) fn count(&mut self, usage: Usage) {
        self.counted = usage;
    }

    /// Whether the run may continue that has sent so many packets.
    pub(super) fn allow(&mut self, packets: u64) -> bool {
        let usage = Usage {
            packets,
            ..self.counted
        };
        self.refused = self.refused || !(self.allows)(usage);
        if !self.refused {
            self.left = STEPS;
            self.granted += STEPS as u64;
        }
        !self.refused
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
