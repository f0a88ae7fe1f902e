//! Estimates of the paths from passing packets.
//!
//! Connections are gathered by the pair of networks that they join (/24 of IPv4, /48 of IPv6). Of the two, the local
//! one is the one that takes part in more of the capture's connections; at a tie, the one nearer to the monitor, by the
//! two halves of the handshakes. The other one is the remote network, and its pairs together are a [`Group`].
//!
//! **Rate**: the mode of train rates (`trains`). Data from the remote side have passed the bottleneck when the monitor
//! sees them, so their own spacing shows it. Data towards the remote side have not; the spacing of their
//! acknowledgements does.
//!
//! **Buffer**: the longest wait in the queue (`waits`), in full-size packets at that rate. Towards
//! the remote side the wait is the spread of the times from data to acknowledgement, without the
//! wait of acknowledgements behind the other side's data; from there, the spread of the times from
//! a packet's time stamp to its arrival. Unless something was lost while packets waited about as long,
//! the queue was perhaps never full, and the figure is a lower bound; below a millisecond the hosts'
//! own waits are in it, and it is one too.
//! Another lower bound is the largest flight of a connection that came through whole (`flights`),
//! less what the way itself holds: rate times the connection's round trip. The larger of both
//! counts. A measured buffer is unchanged.
//!
//! Limits. A path whose sender never had a train's worth of data waiting shows no rate. Traffic that the monitor does
//! not see takes its share unnoticed. A monitor in mid-path sees the bottleneck only on the side that the rules above
//! assume. A rate is that of IP packets: a link with framing is faster by its share. A flight's bound belongs to the
//! rate: where that is too low, the buffer gets what the way would hold.

mod flights;
mod trains;
mod waits;

pub(crate) use flights::{Data, Flights};
pub(crate) use waits::{Acknowledgement, Departure, Wait, Waits};

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;

use crate::layers::{Segment, written};
use crate::reading::FarSide;
use crate::results::{Group, Path};
use crate::time::since;
use flights::{Held, Largest};
use trains::{Shows, Trains};

/// A network: /24 of IPv4, /48 of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Network(u128);

impl Network {
    fn of(address: u128) -> Self {
        match written(address).is_ipv4() {
            true => Network(address & !0xff),
            false => Network(address & !((1 << 80) - 1)),
        }
    }

    fn name(self) -> String {
        let address = written(self.0);
        format!("{address}/{}", if address.is_ipv4() { 24 } else { 48 })
    }
}

/// A connection's pair of networks, and whether its client is in the second of them.
pub(crate) type PairId = (usize, bool);

/// All pairs of networks.
#[derive(Default)]
pub(crate) struct Lanes {
    index: HashMap<[Network; 2], usize, RandomState>,
    pairs: Vec<Pair>,
}

struct Pair {
    networks: [Network; 2],
    connections: usize,
    least_rtt: Option<u64>,
    /// Sum of the handshakes' halves on each network's side of the monitor.
    halves: [u64; 2],
    /// Data from the first network, and from the second.
    lanes: [Lane; 2],
}

/// Data from one network to another.
#[derive(Clone, Default)]
pub(crate) struct Lane {
    bytes: u64,
    packets: u64,
    losses: u64,
    /// Payload that was sent and is not yet acknowledged.
    under_way: u64,
    arrivals: Option<Box<Trains>>,
    acknowledgements: Option<Box<Trains>>,
    ack_wait: Longest,
    stamp_wait: Longest,
    flights: Largest,
}

/// The longest waits. ns
#[derive(Clone, Copy, Default)]
struct Longest {
    all: Option<u64>,
    /// Of the shortest ones with which each connection lost something.
    at_loss: Option<u64>,
}

impl Longest {
    fn add(&mut self, all: Option<u64>, at_loss: Option<u64>) {
        self.all = self.all.max(all);
        self.at_loss = self.at_loss.max(at_loss);
    }

    /// Whether the queue was full with the longest wait: that much waited where something was lost. Random losses find
    /// queues of any length.
    fn is_full(&self) -> bool {
        let [Some(all), Some(at_loss)] = [self.all, self.at_loss] else {
            return false;
        };
        at_loss.abs_diff(all) <= all / FULL_WITHIN
    }
}

/// A queue was full within this part of its longest wait.
const FULL_WITHIN: u64 = 3;

/// Bytes of an IP packet for one of payload, in a full-size segment with time stamps.
const HEADERS: (u64, u64) = (1500, 1448);
/// An acknowledgement of more is the end of a repair, or of many that were lost.
const LEAP: u64 = 65_536;

impl Lane {
    /// A data packet passed, so much later than the fastest of its connection.
    pub(crate) fn arrived(
        &mut self,
        segment: &Segment,
        repeat: bool,
        wait: Option<u64>,
        advanced: u64,
    ) {
        self.under_way = self.under_way.saturating_add(advanced);
        self.bytes = self.bytes.saturating_add(segment.payload.into());
        self.losses += u64::from(repeat);
        if segment.payload > 0 {
            self.packets += 1;
            let trains = self.arrivals.get_or_insert_default();
            // A monitor behind the bottleneck does not see what is under way.
            let under_way = u64::MAX;
            let wait = wait.map(|time| Wait { time, under_way });
            trains.push(segment.time, segment.length.into(), wait);
        }
    }

    /// Payload that was sent and is not yet acknowledged.
    pub(crate) fn under_way(&self) -> u64 {
        self.under_way
    }

    /// Payload that has passed so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// So many bytes passed that were not captured.
    pub(crate) fn unseen(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// A log reports so many bytes.
    pub(crate) fn logged(&mut self, bytes: u64) {
        // A log may say anything.
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// An acknowledgement passed that goes further than any before, so much later than the fastest of its connection.
    /// `repair`: data were sent again until then.
    pub(crate) fn acknowledged(
        &mut self,
        time: u64,
        advanced: u64,
        wait: Option<Wait>,
        repair: bool,
    ) {
        self.under_way = self.under_way.saturating_sub(advanced);
        let trains = self.acknowledgements.get_or_insert_default();
        match repair || advanced > LEAP {
            true => trains.interrupt(),
            false => trains.push(time, advanced * HEADERS.0 / HEADERS.1, wait),
        }
    }

    /// An acknowledgement was repeated: its next advance gives no rate.
    pub(crate) fn repeated(&mut self) {
        if let Some(trains) = &mut self.acknowledgements {
            trains.interrupt();
        }
    }

    /// A connection of some round trip had so much payload under way at once, and all of it arrived.
    pub(crate) fn held(&mut self, payload: u64, rtt: u64) {
        let bytes = payload * HEADERS.0 / HEADERS.1;
        self.flights.add(Held { bytes, rtt });
    }

    fn add(&mut self, other: &Lane) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.packets += other.packets;
        self.losses += other.losses;
        add_trains(&mut self.arrivals, &other.arrivals);
        add_trains(&mut self.acknowledgements, &other.acknowledgements);
        self.ack_wait
            .add(other.ack_wait.all, other.ack_wait.at_loss);
        self.stamp_wait
            .add(other.stamp_wait.all, other.stamp_wait.at_loss);
        self.flights.add_all(&other.flights);
    }
}

fn add_trains(trains: &mut Option<Box<Trains>>, more: &Option<Box<Trains>>) {
    if let Some(more) = more {
        trains.get_or_insert_default().add(more);
    }
}

impl Lanes {
    /// The pair of networks of a new connection.
    pub(crate) fn pair(&mut self, client: u128, server: u128) -> PairId {
        let (client, server) = (Network::of(client), Network::of(server));
        let swapped = client > server;
        let networks = if swapped {
            [server, client]
        } else {
            [client, server]
        };
        let next = self.pairs.len();
        let index = *self.index.entry(networks).or_insert(next);
        if index == next {
            let (least_rtt, halves) = (None, [0; 2]);
            self.pairs.push(Pair {
                networks,
                connections: 0,
                least_rtt,
                halves,
                lanes: Default::default(),
            });
        }
        self.pairs[index].connections += 1;
        (index, swapped)
    }

    /// Where the data of one side go: 0 the client's, 1 the server's.
    pub(crate) fn lane(&mut self, pair: PairId, from: usize) -> &mut Lane {
        &mut self.pairs[pair.0].lanes[from ^ usize::from(pair.1)]
    }

    /// A connection is over. `halves`: its handshake on the server's side of the monitor, and on the client's.
    pub(crate) fn over(
        &mut self,
        id: PairId,
        rtt: Option<u64>,
        halves: Option<[u64; 2]>,
        waits: &[Waits; 2],
    ) {
        let pair = &mut self.pairs[id.0];
        pair.least_rtt = pair.least_rtt.into_iter().chain(rtt).min();
        if let Some([server, client]) = halves {
            let [first, second] = if id.1 {
                [server, client]
            } else {
                [client, server]
            };
            pair.halves[0] = pair.halves[0].saturating_add(first);
            pair.halves[1] = pair.halves[1].saturating_add(second);
        }
        for (from, own) in waits.iter().enumerate() {
            let lane = self.lane(id, from);
            let [at_loss, at_gap] = own.at_losses();
            let until_acknowledged = own.until_acknowledged(&waits[1 - from]);
            lane.ack_wait.add(until_acknowledged, at_loss);
            lane.stamp_wait.add(own.until_arrived(), at_gap);
        }
    }

    /// The remote networks and their paths, by decreasing amount of data; and the far side of each
    /// pair.
    pub(crate) fn groups(&self) -> (Vec<Group>, Vec<FarSide>) {
        let mut popularity: HashMap<Network, usize, RandomState> = HashMap::default();
        for pair in &self.pairs {
            for network in pair.networks {
                *popularity.entry(network).or_default() += pair.connections;
            }
        }
        let mut remotes: BTreeMap<Network, Vec<(usize, usize)>> = BTreeMap::new();
        for (number, pair) in self.pairs.iter().enumerate() {
            let weight = |side: usize| {
                (
                    popularity[&pair.networks[side]],
                    u64::MAX - pair.halves[side],
                )
            };
            let remote = usize::from(weight(0) >= weight(1));
            let pairs = remotes.entry(pair.networks[remote]).or_default();
            pairs.push((number, remote));
        }
        // One network after the other: what the paths to it came to takes more memory than what is said of them.
        let mut found: Vec<(Group, Vec<(usize, usize)>)> = Vec::with_capacity(remotes.len());
        for (network, pairs) in remotes {
            let mut remote = Remote::default();
            for &(number, side) in &pairs {
                remote.add(&self.pairs[number], side);
            }
            found.push((remote.group(network), pairs));
        }
        found.sort_by_key(|(group, _)| {
            Reverse(
                group
                    .to_remote
                    .bytes
                    .saturating_add(group.from_remote.bytes),
            )
        });
        let nowhere = FarSide {
            group: 0,
            is_second: false,
        };
        let mut far_sides = vec![nowhere; self.pairs.len()];
        for (group, (_, pairs)) in found.iter().enumerate() {
            for &(number, side) in pairs {
                let is_second = side == 1;
                far_sides[number] = FarSide { group, is_second };
            }
        }
        (
            found.into_iter().map(|(group, _)| group).collect(),
            far_sides,
        )
    }
}

/// What all pairs with a remote network came to.
#[derive(Default)]
struct Remote {
    connections: usize,
    least_rtt: Option<u64>,
    to: Lane,
    from: Lane,
}

impl Remote {
    fn add(&mut self, pair: &Pair, remote: usize) {
        self.connections += pair.connections;
        self.least_rtt = self.least_rtt.into_iter().chain(pair.least_rtt).min();
        self.from.add(&pair.lanes[remote]);
        self.to.add(&pair.lanes[1 - remote]);
    }

    fn group(&self, network: Network) -> Group {
        let (to, from) = (&self.to, &self.from);
        Group {
            network: network.name(),
            connections: self.connections,
            min_rtt_s: self.least_rtt.map(|rtt| since(0, rtt)),
            to_remote: to.path(
                &to.acknowledgements,
                "acknowledgements",
                to.ack_wait,
                &UNTIL_ACKNOWLEDGED,
            ),
            from_remote: from.path(
                &from.arrivals,
                "data packets",
                from.stamp_wait,
                &UNTIL_ARRIVED,
            ),
        }
    }
}

/// A full-size packet. Bytes
const FULL: f64 = 1500.0;
/// A wait that is shorter may be a host's own: its scheduler, its interrupts, its clock's tick. ns
const TELLING: u64 = 1_000_000;

/// What shows the wait in a queue.
struct Interval {
    name: &'static str,
    /// Why none does.
    without: &'static str,
}

const UNTIL_ACKNOWLEDGED: Interval = Interval {
    name: "data to acknowledgement",
    without: "acknowledgements were of single segments, which may be delayed, or waited behind \
              other data",
};
const UNTIL_ARRIVED: Interval = Interval {
    name: "time stamp to arrival",
    without: "there are no time stamps in milliseconds, or for too short a time",
};

impl Lane {
    fn path(
        &self,
        trains: &Option<Box<Trains>>,
        events: &str,
        longest: Longest,
        interval: &Interval,
    ) -> Path {
        let wait = longest.all;
        let mode = trains
            .as_ref()
            .map_or(Err(trains::NOTHING), |trains| trains.mode());
        let (rate, bound, rate_method) = match mode {
            Ok(mode) => {
                let share = 100.0 * mode.share;
                let trains = format!("the rates of trains of {} {events}", trains::LENGTH);
                match mode.shows {
                    Shows::Bottleneck => (
                        Some(mode.rate),
                        None,
                        format!("mode of {trains} in a queue; {share:.0} % of their bytes"),
                    ),
                    Shows::Mean => (
                        None,
                        Some(mode.rate),
                        format!(
                            "at least the mean, or the slowest frequent one, of {trains} in a queue, \
                             which differ; {share:.0} % of their bytes"
                        ),
                    ),
                    Shows::Passed => (
                        None,
                        Some(mode.rate),
                        format!(
                            "at least the mode of {trains}; {share:.0} % of their bytes; no queue"
                        ),
                    ),
                }
            }
            Err(why) => (None, None, format!("not estimated: {why}")),
        };
        let buffer = match rate {
            Some(rate) => Some(self.buffer(rate, longest, interval)),
            // Waits that are not the path's show no buffer; a replay at the bound has to hold the
            // flight.
            None => bound.and_then(|bound| self.flown(bound)),
        };
        let unknown = || Buffer::unknown("not estimated: the rate is not known".into());
        let buffer = buffer.unwrap_or_else(unknown);
        Path {
            bytes: self.bytes,
            data_packets: self.packets,
            retransmitted_packets: self.losses,
            rate_bps: rate,
            rate_low_bps: bound,
            rate_method,
            queueing_s: wait.map(|wait| since(0, wait)),
            buffer_packets: buffer.packets,
            buffer_at_least: buffer.at_least,
            buffer_method: buffer.method,
        }
    }

    fn buffer(&self, rate: f64, longest: Longest, interval: &Interval) -> Buffer {
        let waited = longest.all.map(|wait| {
            let packets = (since(0, wait) * rate / (8.0 * FULL)).round() as u64;
            self.waited(wait, packets, longest.is_full(), interval.name)
        });
        let flown = self.flown(rate);
        match (waited, flown) {
            (Some(waited), Some(flown)) if waited.at_least && flown.packets > waited.packets => {
                flown
            }
            (Some(waited), _) => waited,
            (None, Some(flown)) => flown,
            (None, None) => Buffer::unknown(format!("not estimated: {}", interval.without)),
        }
    }

    /// The estimate from the longest wait.
    fn waited(&self, wait: u64, packets: u64, full: bool, interval: &str) -> Buffer {
        let losses = self.losses;
        let how = format!("spread of {interval}, times rate");
        let (at_least, method) = match losses {
            0 => (
                true,
                format!("at least the longest wait seen, no packet was lost; {how}"),
            ),
            _ if wait < TELLING || packets < 2 => (
                true,
                format!("at least the longest wait seen, so short that hosts may add it; {how}"),
            ),
            _ if !full => (
                true,
                format!("at least the longest wait seen, which no loss shows to be full; {how}"),
            ),
            _ => (
                false,
                format!("longest wait seen, {losses} packets were sent again; {how}"),
            ),
        };
        Buffer {
            packets: Some(packets),
            at_least,
            method,
        }
    }

    /// The estimate from the largest flight without a loss.
    fn flown(&self, rate: f64) -> Option<Buffer> {
        let (held, beyond) = self.flights.beyond(rate / 8.0)?;
        let packets = (beyond / FULL) as u64;
        let (kilobytes, rtt) = (held.bytes as f64 / 1e3, since(0, held.rtt) * 1e3);
        let method = format!(
            "at least the largest flight of which nothing was lost, {kilobytes:.0} kB, less rate times its round trip \
             of {rtt:.3} ms"
        );
        (packets > 0).then_some(Buffer {
            packets: Some(packets),
            at_least: true,
            method,
        })
    }
}

/// A buffer, and how it was found.
struct Buffer {
    packets: Option<u64>,
    at_least: bool,
    method: String,
}

impl Buffer {
    fn unknown(method: String) -> Self {
        Buffer {
            packets: None,
            at_least: false,
            method,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> u128 {
        crate::layers::mapped(text.parse().unwrap())
    }

    fn remotes(connections: &[(&str, &str, [u64; 2])]) -> Vec<String> {
        let mut lanes = Lanes::default();
        for (client, server, halves) in connections {
            let id = lanes.pair(address(client), address(server));
            lanes.over(
                id,
                Some(halves[0] + halves[1]),
                Some(*halves),
                &Default::default(),
            );
        }
        let mut names: Vec<String> = lanes
            .groups()
            .0
            .into_iter()
            .map(|group| group.network)
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_local_network_is_the_one_that_most_connections_share() {
        let at_server = [
            ("10.0.1.7", "10.0.9.1", [0, 9]),
            ("10.0.2.7", "10.0.9.1", [0, 9]),
        ];
        assert_eq!(remotes(&at_server), ["10.0.1.0/24", "10.0.2.0/24"]);
        let at_client = [
            ("10.0.1.7", "10.0.9.1", [9, 0]),
            ("10.0.1.8", "2001:db8:1::1", [9, 0]),
        ];
        assert_eq!(remotes(&at_client), ["10.0.9.0/24", "2001:db8:1::/48"]);
    }

    #[test]
    fn at_a_tie_the_local_network_is_the_nearer_one() {
        assert_eq!(
            remotes(&[("10.0.1.7", "10.0.9.1", [1, 99])]),
            ["10.0.1.0/24"]
        );
        assert_eq!(
            remotes(&[("10.0.1.7", "10.0.9.1", [99, 1])]),
            ["10.0.9.0/24"]
        );
    }

    #[test]
    fn a_measured_buffer_stays_and_of_two_bounds_the_larger_one_counts() {
        const MS: u64 = 1_000_000;
        let lane = |losses, payload| {
            let mut lane = Lane {
                losses,
                ..Lane::default()
            };
            lane.held(payload, 10 * MS);
            lane
        };
        // One packet a millisecond: of a flight of 110 packets 10 are on the way.
        let found = |losses, wait, at_loss| {
            let longest = Longest { all: wait, at_loss };
            let buffer = lane(losses, 110 * 1448).buffer(12e6, longest, &UNTIL_ARRIVED);
            (buffer.packets, buffer.at_least)
        };
        assert_eq!(found(1, Some(50 * MS), Some(45 * MS)), (Some(50), false));
        assert_eq!(found(1, Some(150 * MS), Some(9 * MS)), (Some(150), true));
        assert_eq!(found(0, Some(50 * MS), None), (Some(100), true));
        assert_eq!(found(0, Some(150 * MS), None), (Some(150), true));
        assert_eq!(found(1, Some(MS / 2), None), (Some(100), true));
        assert_eq!(found(1, None, None), (Some(100), true));
        assert_eq!(
            lane(0, 10 * 1448)
                .buffer(12e6, Longest::default(), &UNTIL_ARRIVED)
                .packets,
            None
        );
    }
}
