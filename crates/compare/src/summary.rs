//! Many rows in few numbers: one summary for each size and variant, over flows and seeds.

use crate::plan::Plan;
use crate::rows::Row;
use crate::text;
use flowstart_control::Reason;
use flowstart_sim::record::goodput::GoodputRow;
use flowstart_sim::record::limits::LimitRow;
use flowstart_transport::sender::Limit;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Differences below this share are ties.
const TIE: f64 = 0.001;
/// Means that differ by less than this share are near; then the worst runs decide.
pub(crate) const NEAR: f64 = 0.01;
/// A change above this is a loss.
const NEGLIGIBLE: f64 = 0.0005;
/// With more startups than these, the order in which they were named is no help.
pub(crate) const MANY: usize = 8;

/// What the transfers of several summaries have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group {
    /// Whether they are responses of web sessions.
    pub web: bool,
    /// Their size; zero for responses, whose sizes differ.
    pub size_bytes: u64,
    /// Which request on its connection, from 1; zero where a connection has one transfer.
    pub request: u32,
    /// Which of the flow's measures, from 1: the delays of its writes, then its rates; zero for
    /// completion times.
    pub measure: u32,
}

impl Group {
    /// The group of a row.
    pub fn of(row: &Row) -> Group {
        let web = row.object.is_some();
        Group {
            web,
            size_bytes: if web || row.delays.is_some() {
                0
            } else {
                row.flow.size_bytes.unwrap_or(0)
            },
            request: row.request.unwrap_or(0),
            measure: match &row.goodput {
                Some((place, _)) => *place,
                None => row.delays.is_some().into(),
            },
        }
    }
}

/// What is compared of a row in words: `goodput in 10 s`, the rate of a speed test, or delays of
/// writes. None for completion times.
pub fn measure_words(row: &Row) -> Option<String> {
    let Some((_, goodput)) = &row.goodput else {
        return row.delays.as_ref().map(|_| "delay of writes".to_owned());
    };
    Some(match goodput.measure.as_str() {
        "goodput" => format!("goodput in {}", text::short_seconds(goodput.within_s)),
        test => format!("rate of {test}"),
    })
}

/// How one variant did with one size. Counts and windows are means for each flow.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The variant.
    pub startup: String,
    /// The size of its transfers; of web sessions their mean.
    pub size_bytes: u64,
    /// Which request on its connection, from 1.
    pub request: Option<u32>,
    /// With how many seeds its runs are finished.
    pub seeds: usize,
    /// With how many they were to be run.
    pub planned_seeds: usize,
    /// How many flows there were.
    pub flows: usize,
    /// How many of the flows were done; times are means over these.
    pub complete: usize,
    /// How many were given up.
    pub reset: usize,
    /// Mean completion time.
    pub fct_s: Option<f64>,
    /// Mean time until the sender had everything acknowledged.
    pub duration_s: Option<f64>,
    /// The fastest completion.
    pub least_fct_s: Option<f64>,
    /// The slowest completion.
    pub worst_fct_s: Option<f64>,
    /// The time of the slowest flow, as a mean over seeds; none if one was not done.
    pub slowest_flow_s: Option<f64>,
    /// Jain's index of the flows' rates, as a mean over seeds; none if one was not done.
    pub fairness: Option<f64>,
    /// Mean multiple of the ideal time.
    pub slowdown: Option<f64>,
    /// The share of packets that were dropped.
    pub loss: f64,
    /// Packets dropped.
    pub dropped: f64,
    /// Packets sent again.
    pub retransmitted: f64,
    /// Timeouts.
    pub timeouts: f64,
    /// Why most flows left startup; none where most did not.
    pub exit_reason: Option<Reason>,
    /// The share of the flows that left startup for this reason.
    pub exit_share: f64,
    /// The smallest window with which a flow left startup for this reason.
    pub min_exit_cwnd_segments: Option<f64>,
    /// The largest one.
    pub max_exit_cwnd_segments: Option<f64>,
    /// The smallest such window as a multiple of the flow's bandwidth-delay product.
    pub min_exit_bdp: Option<f64>,
    /// The largest multiple.
    pub max_exit_bdp: Option<f64>,
    /// The reason that kept flows from sending for the largest share of their time.
    pub limited_by: Option<Limit>,
    /// That share, as a mean over flows.
    pub limited_share: f64,
    /// The share of the receiver's windows: that of TCP, and those of streams and connections.
    pub window_share: f64,
    /// The largest queue.
    pub max_queue_pkts: u64,
    /// The completion time against the baseline's: −0.1 is 10 % faster.
    pub change: Option<f64>,
    /// The change of the time until the sender had everything acknowledged.
    pub duration_change: Option<f64>,
    /// The change of the completion times of background flows, where there are any.
    pub background_change: Option<f64>,
    /// Whether the row is marked.
    pub best: bool,
    /// Whether these are responses of web sessions.
    pub web: bool,
    /// Which of the flows' measures this is, from 1, instead of completion times; zero for these.
    pub place: u32,
    /// That measure in words.
    pub measure: Option<String>,
    /// Whether it is a rate, of which more is better. Of delays of writes `fct_s` is the mean of the
    /// 95th percentiles.
    pub is_rate: bool,
    /// The mean rate in bits per second, over the flows of which it is known.
    pub goodput_bps: Option<f64>,
    /// The smallest.
    pub least_goodput_bps: Option<f64>,
    /// The mean share of the narrowest link.
    pub goodput_share: Option<f64>,
    /// Mean time until the first 100 kB, 1 MB and 10 MB were delivered; none where one flow did not
    /// deliver so much.
    pub to_100kb_s: Option<f64>,
    /// Of 1 MB.
    pub to_1mb_s: Option<f64>,
    /// Of 10 MB.
    pub to_10mb_s: Option<f64>,
    /// Median delay of writes, as a mean over flows.
    pub delay_p50_s: Option<f64>,
    /// 99th percentile.
    pub delay_p99_s: Option<f64>,
    /// The longest delay of a write.
    pub delay_max_s: Option<f64>,
    /// Mean share of writes that miss the deadline.
    pub late_share: Option<f64>,
}

impl Summary {
    /// The section of a table that it belongs to.
    pub fn group(&self) -> Group {
        Group {
            web: self.web,
            size_bytes: if self.web { 0 } else { self.size_bytes },
            request: self.request.unwrap_or(0),
            measure: self.place,
        }
    }

    /// Whether each run has several flows of it.
    pub(crate) fn has_flows(&self) -> bool {
        self.flows > self.seeds && !self.web
    }

    /// What its transfers have in common, in words.
    pub fn group_name(&self) -> String {
        let size = text::size(Some(self.size_bytes as f64));
        if let Some(measure) = &self.measure {
            return match self.size_bytes {
                0 => measure.clone(),
                _ => format!("{size}, {measure}"),
            };
        }
        match (self.web, self.request) {
            (true, _) => format!("objects of web sessions, {size} on average"),
            (false, Some(request)) => format!("{size}, request {request}"),
            (false, None) => size,
        }
    }
}

type Rows<'a> = Vec<&'a Row>;

/// Summaries by group and, within a group, in the order of the variants. `planned` are the seeds of
/// each size; a variant of which runs are missing has fewer.
pub fn summaries(rows: &[Row], plan: &Plan, planned: &[usize]) -> Vec<Summary> {
    let mut groups: BTreeMap<Group, BTreeMap<usize, Rows<'_>>> = BTreeMap::new();
    let mut background: BTreeMap<usize, BTreeMap<usize, Rows<'_>>> = BTreeMap::new();
    for row in rows {
        let (size, variant) = (row.case.size, row.case.variant);
        let own = match row.tested {
            true => groups.entry(Group::of(row)).or_default().entry(variant),
            false => background.entry(size).or_default().entry(variant),
        };
        own.or_default().push(row);
    }
    let base = plan
        .variants
        .iter()
        .position(|one| one.name == plan.baseline);
    let mean_size = mean_object_size(rows);
    let summarised = groups.iter().flat_map(|(group, variants)| {
        let size = variants.values().next().map_or(0, |rows| rows[0].case.size);
        let others = background.get(&size);
        let others = |variant| of_variant(others, variant);
        let (base_rows, base_others) = (of_variant(Some(variants), base), others(base));
        let summary = |(variant, rows): (&usize, &Rows<'_>)| Summary {
            size_bytes: if group.web {
                mean_size
            } else {
                group.size_bytes
            },
            web: group.web,
            planned_seeds: planned.get(size).copied().unwrap_or(1),
            change: match rows[0].goodput {
                None => change(rows, base_rows, Row::seconds),
                Some(_) => change(rows, base_rows, rate),
            },
            duration_change: change(rows, base_rows, |row| row.flow.duration_s),
            background_change: change(others(Some(*variant)), base_others, |row| row.flow.fct_s),
            ..summary(&plan.variants[*variant].name, rows)
        };
        let mut found: Vec<Summary> = variants.iter().map(summary).collect();
        let is_whole = |one: &Summary| one.seeds >= one.planned_seeds;
        if found.len() == plan.variants.len() && found.iter().all(is_whole) {
            mark_fastest(&mut found);
        }
        found
    });
    summarised.collect()
}

/// The rows of a variant.
fn of_variant<'a>(
    variants: Option<&'a BTreeMap<usize, Rows<'a>>>,
    variant: Option<usize>,
) -> &'a [&'a Row] {
    let rows = variants.zip(variant).and_then(|(known, at)| known.get(&at));
    rows.map_or(&[], Vec::as_slice)
}

/// The mean size of responses of web sessions.
fn mean_object_size(rows: &[Row]) -> u64 {
    let objects = rows.iter().filter(|row| row.tested && row.object.is_some());
    let sizes = objects.map(|row| row.flow.size_bytes.map(|size| size as f64));
    mean(sizes).map_or(0, |mean| mean.round_ties_even() as u64)
}

fn summary(name: &str, rows: &[&Row]) -> Summary {
    let done: Rows<'_> = rows.iter().copied().filter(|row| row.is_done()).collect();
    let (exit_reason, times) = most_frequent(rows.iter().map(|row| row.flow.startup_exit_reason));
    let each =
        |of: fn(&Row) -> u64| mean(rows.iter().map(|row| Some(of(row) as f64))).unwrap_or(0.0);
    let sum = |of: fn(&Row) -> u64| rows.iter().map(|row| of(row)).sum::<u64>();
    let same_exit = rows
        .iter()
        .filter(|row| row.flow.startup_exit_reason == exit_reason);
    let exits = same_exit.filter_map(|row| {
        let window = row.flow.startup_exit_cwnd_segments?;
        Some((window, row.flow.bdp_pkts as f64))
    });
    let windows = ends(exits.clone().map(|(window, _)| window));
    let bdps = exits.filter(|(_, bdp)| *bdp > 0.0);
    let bdps = ends(bdps.map(|(window, bdp)| window / bdp));
    let fct = ends(done.iter().filter_map(|row| row.seconds()));
    let limits = mean_limits(rows);
    let limit = limits.iter().copied();
    let limit = limit.reduce(|best, next| if next.1 > best.1 { next } else { best });
    let of_windows = limits
        .iter()
        .filter(|(limit, _)| Limit::WINDOWS.contains(limit));
    let by_seed = times_by_seed(rows);
    let goodput = rows.first().and_then(|row| row.goodput.as_ref());
    let is_object = rows.first().is_some_and(|row| row.object.is_some());
    Summary {
        startup: name.to_owned(),
        request: rows.first().and_then(|row| row.request),
        seeds: by_seed.len(),
        flows: rows.len(),
        complete: done.len(),
        reset: rows.iter().filter(|row| row.flow.reset).count(),
        fct_s: mean(done.iter().map(|row| row.seconds())),
        duration_s: mean(done.iter().map(|row| row.flow.duration_s)),
        least_fct_s: fct.map(|(least, _)| least),
        worst_fct_s: fct.map(|(_, worst)| worst),
        slowest_flow_s: over_seeds(&by_seed, |times| {
            times.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        })
        .filter(|_| goodput.is_none()),
        place: rows.first().map_or(0, |row| Group::of(row).measure),
        measure: rows.first().and_then(|row| measure_words(row)),
        is_rate: goodput.is_some(),
        goodput_bps: mean(done.iter().map(|row| rate(row))),
        least_goodput_bps: ends(done.iter().filter_map(|row| rate(row))).map(|(least, _)| least),
        goodput_share: mean(done.iter().map(|row| row.goodput.as_ref()?.1.goodput_share)),
        to_100kb_s: time_to(rows, |goodput| goodput.to_100kb_s),
        to_1mb_s: time_to(rows, |goodput| goodput.to_1mb_s),
        to_10mb_s: time_to(rows, |goodput| goodput.to_10mb_s),
        delay_p50_s: mean(done.iter().map(|row| row.delays.as_ref()?.delay_p50_s)),
        delay_p99_s: mean(done.iter().map(|row| row.delays.as_ref()?.delay_p99_s)),
        delay_max_s: longest_delay(rows),
        late_share: mean(rows.iter().map(|row| row.delays.as_ref()?.late_share)),
        fairness: over_seeds(&by_seed, jain).filter(|_| !is_object),
        slowdown: mean(done.iter().map(|row| row.flow.slowdown)),
        loss: sum(|row| row.flow.packets_dropped) as f64
            / sum(|row| row.flow.packets_sent).max(1) as f64,
        dropped: each(|row| row.flow.packets_dropped),
        retransmitted: each(|row| row.flow.packets_retransmitted),
        timeouts: each(|row| row.flow.timeouts),
        exit_reason,
        exit_share: times as f64 / rows.len() as f64,
        min_exit_cwnd_segments: windows.map(|(low, _)| low),
        max_exit_cwnd_segments: windows.map(|(_, high)| high),
        min_exit_bdp: bdps.map(|(low, _)| low),
        max_exit_bdp: bdps.map(|(_, high)| high),
        limited_by: limit.map(|(limit, _)| limit),
        limited_share: limit.map_or(0.0, |(_, share)| share),
        window_share: of_windows.map(|(_, share)| share).sum(),
        max_queue_pkts: rows
            .iter()
            .map(|row| row.flow.max_queue_pkts)
            .max()
            .unwrap_or(0),
        ..Summary::default()
    }
}

/// The rate of a row that has one.
fn rate(row: &Row) -> Option<f64> {
    row.goodput.as_ref()?.1.goodput_bps
}

/// The longest delay of a write; none where one was not delivered.
fn longest_delay(rows: &[&Row]) -> Option<f64> {
    let longest = rows.iter().map(|row| row.delays.as_ref()?.delay_max_s);
    let longest: Vec<f64> = longest.collect::<Option<_>>()?;
    ends(longest.into_iter()).map(|(_, longest)| longest)
}

/// The mean time until all flows have delivered so much.
fn time_to(rows: &[&Row], time: fn(&GoodputRow) -> Option<f64>) -> Option<f64> {
    let times = rows.iter().map(|row| time(&row.goodput.as_ref()?.1));
    let times: Vec<f64> = times.collect::<Option<_>>()?;
    mean(times.into_iter().map(Some))
}

/// The mean share of each reason, where shares were recorded.
fn mean_limits(rows: &[&Row]) -> Vec<(Limit, f64)> {
    let recorded = rows.iter().filter_map(|row| row.limits.as_ref());
    let shares: Vec<_> = recorded.map(LimitRow::shares).collect();
    let mean_at = |at: usize| mean(shares.iter().map(|shares| Some(shares[at].1)));
    let reasons = shares.first().into_iter().flatten().enumerate();
    let means = reasons.filter_map(|(at, (limit, _))| Some((*limit, mean_at(at)?)));
    means.collect()
}

/// The smallest and the largest of some values.
fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |known, value| {
        let (low, high) = known.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

/// The times of the flows of each seed; none of one that was not done.
fn times_by_seed(rows: &[&Row]) -> BTreeMap<u64, Vec<Option<f64>>> {
    let mut found: BTreeMap<u64, Vec<Option<f64>>> = BTreeMap::new();
    for row in rows {
        found.entry(row.flow.seed).or_default().push(row.time_s());
    }
    found
}

/// The mean over seeds of a measure of all flows' times; none if one was not done.
fn over_seeds(
    by_seed: &BTreeMap<u64, Vec<Option<f64>>>,
    measure: impl Fn(&[f64]) -> f64,
) -> Option<f64> {
    let known = by_seed
        .values()
        .map(|times| times.iter().copied().collect());
    let known: Vec<Vec<f64>> = known.collect::<Option<_>>()?;
    mean(known.iter().map(|times| Some(measure(times))))
}

/// Jain's index of the mean rates with which flows of one size were done (Jain 1984).
fn jain(times: &[f64]) -> f64 {
    let rates = times.iter().map(|time| 1.0 / time);
    let (sum, squares) = rates.fold((0.0, 0.0), |(sum, squares), rate| {
        (sum + rate, squares + rate * rate)
    });
    sum * sum / (times.len() as f64 * squares)
}

/// The value that is there most often, the first of several, and how often.
fn most_frequent<T: PartialEq + Copy>(
    values: impl Iterator<Item = Option<T>>,
) -> (Option<T>, usize) {
    let mut counts: Vec<(Option<T>, usize)> = Vec::new();
    for value in values {
        match counts.iter_mut().find(|(known, _)| *known == value) {
            Some((_, times)) => *times += 1,
            None => counts.push((value, 1)),
        }
    }
    let more = |best: (Option<T>, usize), next: (Option<T>, usize)| match next.1.cmp(&best.1) {
        Ordering::Greater => next,
        _ => best,
    };
    counts.into_iter().reduce(more).unwrap_or((None, 0))
}

/// The change of a mean time, or of a mean rate, over the seeds that both have.
fn change(rows: &[&Row], base: &[&Row], time: fn(&Row) -> Option<f64>) -> Option<f64> {
    let seeds = |rows: &[&Row]| -> BTreeSet<u64> { rows.iter().map(|row| row.flow.seed).collect() };
    let (own, others) = (seeds(rows), seeds(base));
    let mean_of = |rows: &[&Row]| {
        let is_common = |row: &&&Row| {
            let seed = &row.flow.seed;
            row.is_done() && own.contains(seed) && others.contains(seed)
        };
        mean(rows.iter().filter(is_common).map(|row| time(row)))
    };
    let (mean, before) = (mean_of(rows)?, mean_of(base)?);
    (before != 0.0).then(|| mean / before - 1.0)
}

/// Marks the fastest.
fn mark_fastest(found: &mut [Summary]) {
    let of_times = |one: &Summary| {
        let time = one.fct_s.filter(|_| one.complete == one.flows);
        [time, one.change, one.worst_fct_s]
    };
    // Of rates the largest is the fastest: the times of a bit are compared.
    let of_rates = |one: &Summary| {
        let rate = one.goodput_bps.filter(|_| one.complete == one.flows);
        let slower = one.change.map(|change| -change / (1.0 + change));
        let inverse = |rate: f64| 1.0 / rate;
        [
            rate.map(inverse),
            slower,
            one.least_goodput_bps.map(inverse),
        ]
    };
    let row = |one: &Summary| match one.is_rate {
        false => of_times(one),
        true => of_rates(one),
    };
    let rows: Vec<[Option<f64>; 3]> = found.iter().map(row).collect();
    for (one, best) in found.iter_mut().zip(fastest(&rows)) {
        one.best = best;
    }
}

/// Which rows have the lowest mean time and are not slower than the baseline. A row has its mean
/// time, which is none where it did not finish, its change, and the time of its slowest run.
fn fastest(rows: &[[Option<f64>; 3]]) -> Vec<bool> {
    let times = rows.iter().filter_map(|[time, ..]| *time);
    let least = times.clone().fold(f64::INFINITY, f64::min);
    if times.fold(0.0, f64::max) <= (1.0 + TIE) * least {
        return vec![false; rows.len()];
    }
    let is_near = |time: Option<f64>| time.is_some_and(|time| time <= (1.0 + NEAR) * least);
    let near = rows.iter().filter(|[time, ..]| is_near(*time));
    let worst = near.filter_map(|[.., worst]| *worst);
    let limit = (1.0 + TIE) * worst.fold(f64::INFINITY, f64::min);
    let is_best = |[time, change, worst]: &[Option<f64>; 3]| {
        is_near(*time)
            && worst.is_some_and(|worst| worst <= limit)
            && change.is_none_or(|change| change <= NEGLIGIBLE)
    };
    rows.iter().map(is_best).collect()
}

/// The startups in the order of the table: as they were named, many of them by the geometric mean of
/// their slowdowns. One that did not finish everything comes after those that did.
pub fn order(found: &[Summary], plan: &Plan) -> Vec<String> {
    let mut names: Vec<String> = plan.names().into_iter().map(str::to_owned).collect();
    if names.len() > MANY {
        let rank = |name: &String| {
            let own = found.iter().filter(|one| one.startup == *name);
            let is_done = own.clone().all(|one| one.complete == one.flows);
            let is_done = is_done && own.clone().next().is_some();
            let logs = own
                .filter_map(|one| one.slowdown)
                .map(|one| Some(libm::log(one)));
            (!is_done, mean(logs).unwrap_or(f64::INFINITY))
        };
        names.sort_by(|one, other| {
            let ((one, slow), (other, slower)) = (rank(one), rank(other));
            one.cmp(&other).then(slow.total_cmp(&slower))
        });
    }
    names
}

/// The mean of the values that are known, with one rounding: the sum's error is carried along.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (mut sum, mut error, mut count) = (0.0_f64, 0.0, 0_u32);
    for value in values.flatten() {
        let next = sum + value;
        error += match sum.abs() >= value.abs() {
            true => (sum - next) + value,
            false => (value - next) + sum,
        };
        sum = next;
        count += 1;
    }
    (count > 0).then(|| (sum + error) / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Case;
    use crate::variants::Variant;
    use serde_json::Value;

    #[test]
    fn a_mean_is_of_what_is_known() {
        assert_eq!(mean([Some(1.0), None, Some(2.0)].into_iter()), Some(1.5));
        assert_eq!(
            mean([1e16, 1.0, -1e16].map(Some).into_iter()),
            Some(1.0 / 3.0)
        );
        assert_eq!(mean([None].into_iter()), None);
    }

    #[test]
    fn of_what_is_there_equally_often_the_first_counts() {
        assert_eq!(
            most_frequent([Some(1), None, Some(2)].into_iter()),
            (Some(1), 1)
        );
        assert_eq!(most_frequent([Some(1), None, None].into_iter()), (None, 2));
    }

    /// The same rows as times, changes and slowest runs.
    fn marks<const N: usize>(times: [f64; N], changes: [f64; N], worst: [f64; N]) -> Vec<bool> {
        let rows = times.iter().zip(&changes).zip(&worst);
        let rows = rows.map(|((time, change), worst)| [*time, *change, *worst].map(Some));
        fastest(&rows.collect::<Vec<_>>())
    }

    #[test]
    fn the_fastest_is_marked_and_what_ties_with_it() {
        let times = [2.0, 1.0, 1.0005];
        assert_eq!(
            marks(times, [0.0, -0.5, -0.49975], times),
            [false, true, true]
        );
        assert_eq!(marks([1.0, 2.0], [0.0, 1.0], [1.0, 2.0]), [true, false]);
        let times = [1.0, 1.0004, 2.0];
        assert_eq!(marks(times, [0.0, 0.0004, 1.0], times), [true, true, false]);
        assert_eq!(
            marks([1.0, 0.998], [0.0, -0.002], [1.0, 0.998]),
            [false, true]
        );
    }

    #[test]
    fn a_mean_that_is_hardly_lower_does_not_outweigh_a_far_slower_worst_run() {
        let found = marks([0.2, 0.199], [0.0, -0.005], [0.320, 0.578]);
        assert_eq!(found, [true, false]);
        let found = marks([0.2, 0.180], [0.0, -0.1], [0.320, 0.578]);
        assert_eq!(found, [false, true]);
    }

    #[test]
    fn what_loses_by_its_change_is_not_marked_however_fast_it_is() {
        assert_eq!(marks([2.0, 1.0], [0.0, 0.034], [2.0, 1.0]), [false, false]);
    }

    #[test]
    fn without_a_difference_or_an_end_nothing_is_marked() {
        assert_eq!(
            marks([1.0, 1.0005], [0.0, 0.0005], [1.0, 1.0005]),
            [false, false]
        );
        assert_eq!(fastest(&[[None; 3]; 2]), [false, false]);
    }

    /// A plan of these variants, and rows of these variants, seeds and times; without a time a flow is
    /// not done.
    fn summarised(
        names: &[&str],
        baseline: Option<&str>,
        rows: &[(usize, u64, Option<f64>)],
        seeds: usize,
    ) -> Vec<Summary> {
        let rows: Vec<Row> = rows
            .iter()
            .map(|(at, seed, fct_s)| row(*at, *seed, *fct_s))
            .collect();
        summaries(&rows, &plan(names, baseline), &[seeds])
    }

    fn plan(names: &[&str], baseline: Option<&str>) -> Plan {
        let variant = |name: &&str| Variant {
            name: (*name).to_owned(),
            ..Variant::default()
        };
        let base = serde_json::json!({"flows": [{}]});
        let Value::Object(base) = base else {
            unreachable!()
        };
        let variants = names.iter().map(variant).collect();
        Plan::of(base, variants, baseline, Some(&["1kB".to_owned()])).unwrap()
    }

    fn row(variant: usize, seed: u64, fct_s: Option<f64>) -> Row {
        let flow = serde_json::json!({
            "startup": "", "cc": "cubic", "stack": "linux", "size_bytes": 1000, "seed": seed, "flow": 0,
            "direction": "forward", "opened_s": 0.0, "fct_s": fct_s, "duration_s": fct_s,
            "ideal_fct_s": 0.5, "slowdown": fct_s.map(|time| time / 0.5), "bytes_delivered": 1000,
            "packets_sent": 10, "packets_arrived": 10, "packets_dropped": 0, "packets_marked": 0,
            "packets_in_network": 0, "packets_retransmitted": 0, "timeouts": 0,
            "fast_retransmits": 0, "syn_retransmits": 0, "startup_exit_s": null,
            "startup_exit_cwnd_segments": null, "startup_exit_flight_bytes": null,
            "startup_exit_reason": null, "max_cwnd_segments": 10.0, "max_queue_pkts": 3,
            "bdp_pkts": 10, "min_rtt_s": 0.04, "buffer_accounting": "", "complete": fct_s.is_some(),
            "reset": false,
        });
        let case = Case {
            size: 0,
            variant,
            seed,
        };
        Row {
            run: 0,
            case,
            flow: serde_json::from_value(flow).unwrap(),
            request: None,
            object: None,
            measures: None,
            limits: None,
            goodput: None,
            delays: None,
            tested: true,
        }
    }

    const TWO: [&str; 2] = ["slow-start", "other"];

    fn best(found: &[Summary]) -> Vec<bool> {
        found.iter().map(|one| one.best).collect()
    }

    #[test]
    fn a_summary_is_a_mean_over_flows() {
        let mut rows: Vec<Row> = [1.0, 3.0, 2.0].map(|time| row(0, 1, Some(time))).into();
        rows[0].flow.packets_dropped = 4;
        rows[1].flow.max_queue_pkts = 9;
        for (at, window) in [(0, 8.0), (2, 12.0)] {
            rows[at].flow.startup_exit_reason = Some(Reason::Loss);
            rows[at].flow.startup_exit_cwnd_segments = Some(window);
        }
        let found = summaries(&rows, &plan(&["slow-start"], None), &[1]).remove(0);
        assert_eq!(
            (found.fct_s, found.worst_fct_s, found.flows),
            (Some(2.0), Some(3.0), 3)
        );
        assert_eq!((found.slowest_flow_s, found.max_queue_pkts), (Some(3.0), 9));
        assert_eq!(found.dropped, 4.0 / 3.0);
        assert_eq!(
            (found.exit_reason, found.exit_share),
            (Some(Reason::Loss), 2.0 / 3.0)
        );
        let windows = (found.min_exit_cwnd_segments, found.max_exit_cwnd_segments);
        assert_eq!(windows, (Some(8.0), Some(12.0)));
        assert_eq!(
            (found.min_exit_bdp, found.max_exit_bdp),
            (Some(0.8), Some(1.2))
        );
        assert!(!found.best, "it is alone");
    }

    #[test]
    fn changes_are_against_the_baseline_wherever_it_is() {
        let rows = [(0, 1, Some(0.5)), (1, 1, Some(1.0))];
        let found = summarised(&["other", "slow-start"], None, &rows, 1);
        assert_eq!((found[0].change, found[1].change), (Some(-0.5), Some(0.0)));
        assert_eq!(best(&found), [true, false]);
        let found = summarised(&["other", "slow-start"], Some("other"), &rows, 1);
        assert_eq!((found[0].change, found[1].change), (Some(0.0), Some(1.0)));
    }

    #[test]
    fn without_its_baseline_a_row_has_no_change() {
        let found = summarised(&TWO, None, &[(1, 1, Some(1.0))], 1);
        assert_eq!((found.len(), found[0].change), (1, None));
    }

    #[test]
    fn a_change_counts_only_seeds_that_both_have() {
        let slow = [(0, 1, Some(1.0)), (0, 2, Some(1.0)), (0, 3, Some(7.0))];
        let other = [(1, 1, Some(0.5)), (1, 2, Some(0.5))];
        let found = summarised(&TWO, None, &[&slow[..], &other[..]].concat(), 3);
        assert_eq!((found[0].change, found[1].change), (Some(0.0), Some(-0.5)));
        assert_eq!(
            (found[0].seeds, found[1].seeds, found[1].planned_seeds),
            (3, 2, 3)
        );
        assert_eq!(
            best(&found),
            [false; 2],
            "the third seed may have made it slower"
        );
    }

    #[test]
    fn none_is_marked_of_a_size_that_lacks_a_startup() {
        let rows = [(0, 1, Some(2.0)), (1, 1, Some(1.0))];
        assert_eq!(best(&summarised(&TWO, None, &rows, 1)), [false, true]);
        let three = ["slow-start", "other", "missing"];
        assert_eq!(best(&summarised(&three, None, &rows, 1)), [false; 2]);
    }

    #[test]
    fn flows_that_are_not_done_are_counted_and_never_marked() {
        let rows = [(1, 1, None), (0, 1, Some(1.0)), (0, 1, Some(2.0))];
        let found = summarised(&TWO, None, &rows, 1);
        assert_eq!((found[1].flows, found[1].complete), (1, 0));
        assert_eq!(
            (found[1].fct_s, found[1].change, found[1].best),
            (None, None, false)
        );
        assert_eq!((found[0].complete, found[0].fairness), (2, Some(0.9)));
    }

    #[test]
    fn many_startups_are_in_the_order_of_their_slowdowns() {
        let names: Vec<String> = (0..=MANY).map(|at| format!("s{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let plan = plan(&names, None);
        let time = |at: usize| (at != 3).then_some(10.0 - at as f64);
        let rows: Vec<Row> = (0..=MANY).map(|at| row(at, 1, time(at))).collect();
        let found = order(&summaries(&rows, &plan, &[1]), &plan);
        assert_eq!((found[0].as_str(), found[MANY].as_str()), ("s8", "s3"));
    }
}
