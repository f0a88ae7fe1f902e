//! What a run will use, estimated from its scenario before it runs. Nothing is fitted: counts follow
//! from sizes, rates, the duration and web sessions. The bytes of a packet and of a flow were
//! measured (docs/reference/performance.md).

use crate::compile::Prepared;
use crate::spec::Direction;
use crate::workload::web::WebEntry;
use flowstart_control::Instant;
use flowstart_network::chain::{Chain, Hop, HopDirection};
use flowstart_network::queue::Limit;

/// Bytes that a packet takes while it is in flight, in a link and in its sender's account: what
/// `wide-window` was measured to take, rounded up.
const BYTES_IN_FLIGHT: f64 = 80.0;
/// Bytes of an open connection: what `idle-100000` was measured to take.
const BYTES_OPEN: f64 = 1500.0;
/// Bytes that a trace keeps for each packet: what `bulk-traced` was measured to take.
const BYTES_TRACED: f64 = 140.0;
/// Retransmissions of what is lost at random are counted up to this share of losses.
const MOST_LOSS: f64 = 0.99;

/// What a run will use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Data packets, without retransmissions of what overflowing queues drop.
    pub packets: f64,
    /// Flows; an object of the web is two, its request and its response.
    pub flows: f64,
    /// Bytes of memory at most, while it runs.
    pub bytes: f64,
}

/// Data that takes the same way.
struct Route {
    hops: (u32, u32),
    direction: Direction,
    /// Data packets, with nothing between them and their receivers.
    packets: f64,
    /// When the first of them may leave.
    from: Instant,
}

impl Prepared {
    /// What the run will use.
    pub fn estimate(&self) -> Estimate {
        let packets = self.routes().iter().map(|route| self.carried(route)).sum();
        let flows = self.flow_count() as f64 + 2.0 * self.objects();
        let traced = if self.recording.keeps_every_event() {
            packets * BYTES_TRACED
        } else {
            0.0
        };
        let in_flight = most_in_flight(self.chain()).min(packets);
        Estimate {
            packets,
            flows,
            bytes: in_flight * BYTES_IN_FLIGHT + traced + flows * BYTES_OPEN,
        }
    }

    /// Objects that web sessions are to request.
    fn objects(&self) -> f64 {
        self.web.iter().map(WebEntry::expected_objects).sum()
    }

    fn routes(&self) -> Vec<Route> {
        let mut routes: Vec<Route> = Vec::with_capacity(1);
        let mut add = |hops, direction, packets, from: Instant| {
            let same = |route: &&mut Route| route.hops == hops && route.direction == direction;
            match routes.iter_mut().find(same) {
                Some(route) => {
                    route.packets += packets;
                    route.from = route.from.min(from);
                }
                None => routes.push(Route {
                    hops,
                    direction,
                    packets,
                    from,
                }),
            }
        };
        for entry in &self.flows {
            let kind = &self.kinds[entry.template.kind as usize];
            let mss = u64::from(kind.stack.framing.mss);
            let of_one = |size: u64| size.div_ceil(mss) as f64;
            let packets = entry.template.size().map_or(f64::INFINITY, of_one);
            let hops = (kind.from_hop, kind.to_hop);
            let from = entry.template.start.get().unwrap_or(Instant::ZERO);
            add(hops, entry.direction, packets * entry.count as f64, from);
        }
        for web in &self.web {
            let request = web.request.size().unwrap_or(0).div_ceil(u64::from(web.mss));
            let response = web.size.mean().max(1.0).min(web.max_size as f64);
            let packets = web.expected_objects() * (request as f64 + response);
            add(web.hops, Direction::Alternate, packets, web.start);
        }
        routes
    }

    /// The packets of a route that its links carry until the run ends, and what is lost at random
    /// once more.
    fn carried(&self, route: &Route) -> f64 {
        let chain = self.chain();
        let (from, to) = route.hops;
        let rate = |reverse| chain.bottleneck_rate(from, to, reverse);
        let bits = match route.direction {
            Direction::Forward => rate(false).bps() as f64,
            Direction::Reverse => rate(true).bps() as f64,
            Direction::Alternate => rate(false).bps() as f64 + rate(true).bps() as f64,
        };
        let lasts = self.end.since(route.from).secs();
        let capacity = bits * lasts / 8.0 / f64::from(chain.packet);
        let hops = &chain.hops[from as usize..=to as usize];
        let arrives: f64 = hops
            .iter()
            .map(|hop| 1.0 - loss(hop, route.direction))
            .product();
        (route.packets / arrives.max(1.0 - MOST_LOSS)).min(capacity)
    }
}

/// The share of packets that a hop loses at random.
fn loss(hop: &Hop, direction: Direction) -> f64 {
    match direction {
        Direction::Forward => hop.forward.loss,
        Direction::Reverse => hop.reverse.loss,
        Direction::Alternate => hop.forward.loss.max(hop.reverse.loss),
    }
}

/// How many packets a chain holds when its links and queues are full.
fn most_in_flight(chain: &Chain) -> f64 {
    let packet = f64::from(chain.packet);
    let rtt = chain.rtt(0, chain.hops() - 1);
    let of = |one: &HopDirection| {
        let queued = match one.limit {
            Limit::Packets(packets) => packets as f64,
            Limit::Bytes(bytes) => bytes as f64 / packet,
            Limit::Unlimited => f64::INFINITY,
        };
        one.long_run_rate().bytes_in(rtt) as f64 / packet + queued
    };
    chain
        .hops
        .iter()
        .map(|hop| of(&hop.forward) + of(&hop.reverse))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::Estimate;
    use crate::{Prepared, Scenario};

    fn estimate(text: &str) -> Estimate {
        let scenario = Scenario::from_toml(text).expect("it can be read");
        Prepared::new(&scenario).expect("it is right").estimate()
    }

    const PATH: &str = r#"path = { rate = "12Mbps", rtt = "100ms" }"#;

    #[test]
    fn the_packets_of_flows_are_those_of_their_sizes() {
        let flows = r#"flows = [{ size = "10pkt" }, { size = "20pkt", count = 3 }]"#;
        let found = estimate(&format!("{PATH}\n{flows}"));
        assert_eq!((found.packets, found.flows), (70.0, 4.0));
    }

    #[test]
    fn a_flow_without_a_size_is_what_the_path_carries_until_the_run_ends() {
        let found = estimate(&format!("duration = \"10s\"\nflows = [{{}}, {{}}]\n{PATH}"));
        assert!((found.packets - 10_000.0).abs() < 1.0, "{found:?}");
    }

    #[test]
    fn a_run_that_is_cut_short_is_no_more_than_its_path_carries() {
        let text = format!("duration = \"1s\"\nflows = [{{ size = \"1GB\" }}]\n{PATH}");
        assert!((estimate(&text).packets - 1000.0).abs() < 1.0);
    }

    #[test]
    fn what_is_lost_at_random_is_sent_again() {
        let path = r#"path = { rate = "12Mbps", rtt = "100ms", loss = 0.2 }"#;
        let found = estimate(&format!("{path}\nflows = [{{ size = \"80pkt\" }}]"));
        assert!((found.packets - 100.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_trace_and_a_buffer_without_an_end_take_memory() {
        let flows = r#"flows = [{ size = "1GB" }]"#;
        let plain = estimate(&format!("{flows}\n{PATH}")).bytes;
        let deep = r#"path = { rate = "12Mbps", rtt = "100ms", buffer = "500000pkt" }"#;
        assert!(estimate(&format!("{flows}\n{deep}")).bytes > 30e6 + plain);
        assert!(estimate(&format!("trace = true\n{flows}\n{PATH}")).bytes > 80e6 + plain);
    }
}
