//! The counts of the Jump Start study's trace computation, steps 1 to 8: which connections are valid, what each of
//! their directions would have needed to go in one round trip, and what the receivers' windows would have allowed.
//! (Liu, Allman, Jin, Wang: "Congestion Control Without a Startup Phase", PFLDnet 2007.)

use serde::Serialize;

use crate::results::{Connection, Demand, Direction, Flag, Handshake, Options};

/// A transfer is large above this: the initial window of RFC 3390 for Ethernet's segment size. Bytes
const LARGE: u64 = 4380;
/// A rate reduction counts as heavy above this. Bytes a second
const HEAVY: f64 = 1e6;
/// 500 kbit/s and 100 Mbit/s in bytes a second: half a percent of the studied link, and the whole.
const POLICY_CAP: f64 = 62_500.0;
const LINK: f64 = 12_500_000.0;

/// The counts over all connections of a capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Connections, valid or not.
    pub tcp_connections: usize,
    /// Connections by their handshake (step 1).
    pub by_handshake: ByHandshake,
    /// Complete ones with a repeated SYN.
    pub complete_with_more_than_one_syn: usize,
    /// Complete ones with a repeated SYN-ACK.
    pub complete_with_more_than_one_syn_ack: usize,
    /// Round trips of the valid ones (step 2).
    pub rtt_s: Spread<f64>,
    /// Directions with payload in valid connections (step 3).
    pub directions_with_data: usize,
    /// Their bytes.
    pub bytes: Sizes,
    /// Directions of more than 4380 bytes (step 5).
    pub over_4380_bytes: usize,
    /// Their share.
    pub over_4380_share: Option<f64>,
    /// Directions above RFC 3390's initial window for their own segment size.
    pub over_rfc3390_initial_window: usize,
    /// Rates of the large directions: bytes / RTT (steps 4 and 6).
    pub over_rate_bytes_per_s: Spread<f64>,
    /// Large directions that need more than 500 kbit/s.
    pub over_above_500_kbit_per_s: usize,
    /// Large directions that need more than 100 Mbit/s.
    pub over_above_100_mbit_per_s: usize,
    /// What the widest window takes from the rates (step 7).
    pub reduction_by_widest_window: Reduction,
    /// What the handshake's window takes from them.
    pub reduction_by_handshake_window: Reduction,
}

/// Connections by their handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByHandshake {
    /// SYN, SYN-ACK and ACK.
    pub complete: usize,
    /// SYN and reset.
    pub refused: usize,
    /// SYN alone.
    #[serde(rename = "syn-only")]
    pub syn_only: usize,
    /// SYN and SYN-ACK.
    #[serde(rename = "half-open")]
    pub half_open: usize,
    /// No SYN.
    #[serde(rename = "not seen")]
    pub not_seen: usize,
}

/// Percentile p of n values is number round(p (n - 1)) of the sorted list, a half going to the even neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread<T> {
    /// The least.
    pub min: Option<T>,
    /// One tenth is not above this.
    pub p10: Option<T>,
    /// One quarter.
    pub p25: Option<T>,
    /// The median.
    pub p50: Option<T>,
    /// Three quarters.
    pub p75: Option<T>,
    /// Nine tenths.
    pub p90: Option<T>,
    /// The most.
    pub max: Option<T>,
}

/// Bytes of directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sizes {
    /// All together.
    pub sum: u64,
    /// How they spread.
    #[serde(flatten)]
    pub spread: Spread<u64>,
}

/// What advertised windows take from the rates of the large directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Reduction {
    /// Directions that fit into the window.
    pub not_reduced: usize,
    /// Their share of the large ones whose window is known.
    pub not_reduced_share_of_over: Option<f64>,
    /// Directions that lose more than 1 MB/s.
    #[serde(rename = "above_1MB_per_s")]
    pub above_1mb_per_s: usize,
    /// Their share of the large ones whose window is known.
    #[serde(rename = "above_1MB_per_s_share_of_over")]
    pub above_1mb_per_s_share_of_over: Option<f64>,
    /// Their share of those that lose anything.
    #[serde(rename = "above_1MB_per_s_share_of_reduced")]
    pub above_1mb_per_s_share_of_reduced: Option<f64>,
    /// Large directions whose window is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub window_unknown: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl<T> Default for Spread<T> {
    fn default() -> Self {
        Spread {
            min: None,
            p10: None,
            p25: None,
            p50: None,
            p75: None,
            p90: None,
            max: None,
        }
    }
}

impl<T: Copy> Spread<T> {
    fn of(sorted: &[T]) -> Self {
        let rank = |p: f64| {
            let last = sorted.len().checked_sub(1)?;
            sorted
                .get((p * last as f64).round_ties_even() as usize)
                .copied()
        };
        Spread {
            min: rank(0.0),
            p10: rank(0.1),
            p25: rank(0.25),
            p50: rank(0.5),
            p75: rank(0.75),
            p90: rank(0.9),
            max: rank(1.0),
        }
    }

    fn map(self, change: impl Fn(T) -> T + Copy) -> Self {
        Spread {
            min: self.min.map(change),
            p10: self.p10.map(change),
            p25: self.p25.map(change),
            p50: self.p50.map(change),
            p75: self.p75.map(change),
            p90: self.p90.map(change),
            max: self.max.map(change),
        }
    }
}

/// One row per direction with data of every valid connection.
pub(crate) fn demands(connections: &[Connection], options: &Options) -> Vec<Demand> {
    let valid = connections
        .iter()
        .filter(|connection| connection.is_valid());
    valid
        .flat_map(|row| {
            Direction::BOTH
                .into_iter()
                .filter_map(|way| demand(row, way, options))
        })
        .collect()
}

fn demand(row: &Connection, direction: Direction, options: &Options) -> Option<Demand> {
    let bytes = row.bytes(direction).filter(|&bytes| bytes > 0)?;
    let (window, handshake_window) = row.windows(direction);
    let rtt = row.rtt_s.map(|rtt| rtt.max(options.rtt_floor_s));
    let reduction = |window: Option<u64>| Some(bytes.saturating_sub(window?) as f64 / rtt?);
    Some(Demand {
        connection: row.stream,
        direction,
        start: row.start,
        bytes,
        rtt_s: row.rtt_s,
        rate_bytes_per_s: rtt.map(|rtt| bytes as f64 / rtt),
        over: bytes > LARGE,
        over_rfc3390: bytes > initial_window(row.mss()),
        wscale: match direction {
            Direction::ClientToServer => row.server_wscale,
            Direction::ServerToClient => row.client_wscale,
        },
        window,
        handshake_window,
        reduction_bytes_per_s: reduction(window),
        handshake_reduction_bytes_per_s: reduction(handshake_window),
        flags: row.flags.clone(),
    })
}

/// RFC 3390, equation (1).
fn initial_window(mss: u64) -> u64 {
    (4 * mss).min((2 * mss).max(4380))
}

impl Summary {
    pub(crate) fn of(connections: &[Connection], demands: &[Demand]) -> Self {
        let complete = || connections.iter().filter(|row| row.is_valid());
        let over: Vec<&Demand> = demands.iter().filter(|demand| demand.over).collect();
        let rates = sorted(over.iter().filter_map(|demand| demand.rate_bytes_per_s));
        let mut bytes: Vec<u64> = demands.iter().map(|demand| demand.bytes).collect();
        bytes.sort_unstable();
        let above = |limit: f64| rates.iter().filter(|&&rate| rate > limit).count();
        Summary {
            tcp_connections: connections.len(),
            by_handshake: by_handshake(connections),
            complete_with_more_than_one_syn: complete().filter(|row| row.syns > Some(1)).count(),
            complete_with_more_than_one_syn_ack: complete()
                .filter(|row| row.syn_acks > Some(1))
                .count(),
            rtt_s: Spread::of(&sorted(complete().filter_map(|row| row.rtt_s))),
            directions_with_data: demands.len(),
            bytes: Sizes {
                sum: bytes.iter().sum(),
                spread: Spread::of(&bytes),
            },
            over_4380_bytes: over.len(),
            over_4380_share: share(over.len(), demands.len()),
            over_rfc3390_initial_window: demands
                .iter()
                .filter(|demand| demand.over_rfc3390)
                .count(),
            over_rate_bytes_per_s: Spread::of(&rates).map(|rate| rounded(rate, 1)),
            over_above_500_kbit_per_s: above(POLICY_CAP),
            over_above_100_mbit_per_s: above(LINK),
            reduction_by_widest_window: Reduction::of(&over, |demand| demand.reduction_bytes_per_s),
            reduction_by_handshake_window: Reduction::of(&over, |demand| {
                demand.handshake_reduction_bytes_per_s
            }),
        }
    }
}

impl Reduction {
    fn of(over: &[&Demand], reduction: impl Fn(&Demand) -> Option<f64>) -> Self {
        let known: Vec<f64> = over.iter().filter_map(|demand| reduction(demand)).collect();
        let not_reduced = known.iter().filter(|&&loss| loss == 0.0).count();
        let heavy = known.iter().filter(|&&loss| loss > HEAVY).count();
        Reduction {
            not_reduced,
            not_reduced_share_of_over: share(not_reduced, known.len()),
            above_1mb_per_s: heavy,
            above_1mb_per_s_share_of_over: share(heavy, known.len()),
            above_1mb_per_s_share_of_reduced: share(heavy, known.len() - not_reduced),
            window_unknown: over.len() - known.len(),
        }
    }
}

fn by_handshake(connections: &[Connection]) -> ByHandshake {
    let count = |class| {
        connections
            .iter()
            .filter(|row| row.handshake == class)
            .count()
    };
    ByHandshake {
        complete: count(Handshake::Complete),
        refused: count(Handshake::Refused),
        syn_only: count(Handshake::SynOnly),
        half_open: count(Handshake::HalfOpen),
        not_seen: count(Handshake::NotSeen),
    }
}

/// Flags the connections whose round trip lies below the floor.
pub(crate) fn flag_floor(connections: &mut [Connection], options: &Options) {
    for row in connections {
        if row.rtt_s.is_some_and(|rtt| rtt < options.rtt_floor_s) {
            row.flags.push(Flag::RttFloor);
            row.flags.sort();
        }
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| rounded(part as f64 / whole as f64, 6))
}

fn rounded(value: f64, digits: i32) -> f64 {
    let unit = 10f64.powi(digits);
    (value * unit).round_ties_even() / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_of_the_list_and_a_half_rank_goes_to_the_even_one() {
        let spread = Spread::of(&[1, 2, 3, 4]);
        assert_eq!(
            (spread.min, spread.p25, spread.p50, spread.max),
            (Some(1), Some(2), Some(3), Some(4))
        );
        let spread = Spread::of(&[1, 2]);
        assert_eq!(spread.p50, Some(1));
        assert_eq!(Spread::<u64>::of(&[]).p50, None);
    }

    #[test]
    fn the_initial_window_is_that_of_rfc_3390() {
        assert_eq!(
            [536, 1095, 1460, 2190, 9000].map(initial_window),
            [2144, 4380, 4380, 4380, 18000]
        );
    }
}
