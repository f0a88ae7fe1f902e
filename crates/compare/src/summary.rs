//! Many rows in few numbers: one summary for each startup. `flowstart/comparison/summary.py` has them
//! for comparisons of several sizes and seeds.

use crate::plan::Plan;
use crate::rows::Row;
use flowstart_control::Reason;
use std::cmp::Ordering;

/// Differences below this share are ties.
const TIE: f64 = 0.001;
/// Means that differ by less than this share are near; then the worst runs decide.
pub(crate) const NEAR: f64 = 0.01;
/// A change above this is a loss.
const NEGLIGIBLE: f64 = 0.0005;
/// With more startups than these, the order in which they were named is no help.
pub(crate) const MANY: usize = 8;

/// How one startup did. Counts and windows are means per flow.
pub(crate) struct Summary {
    pub(crate) startup: String,
    pub(crate) size_bytes: u64,
    pub(crate) flows: usize,
    /// How many of the flows were done; times are means over these.
    pub(crate) complete: usize,
    /// How many were given up.
    pub(crate) reset: usize,
    pub(crate) fct_s: Option<f64>,
    pub(crate) duration_s: Option<f64>,
    pub(crate) worst_fct_s: Option<f64>,
    /// Jain's index of the flows' mean rates; none if one was not done.
    pub(crate) fairness: Option<f64>,
    pub(crate) slowdown: Option<f64>,
    pub(crate) dropped: f64,
    pub(crate) retransmitted: f64,
    pub(crate) timeouts: f64,
    /// Why most flows left startup; none where most did not.
    pub(crate) exit_reason: Option<Reason>,
    /// The share of the flows that left startup for this reason.
    pub(crate) exit_share: f64,
    /// The smallest and the largest window with which a flow left startup for this reason.
    pub(crate) exit_cwnd_segments: Option<(f64, f64)>,
    pub(crate) bdp_pkts: u64,
    pub(crate) max_queue_pkts: u64,
    /// The mean completion time against the baseline's.
    pub(crate) change: Option<f64>,
    /// The change of the time until the sender had everything acknowledged.
    pub(crate) duration_change: Option<f64>,
    /// Whether it is among the fastest.
    pub(crate) best: bool,
}

/// The summaries of the startups that have rows, in the order of the plan.
pub(crate) fn summaries(rows: &[Row], plan: &Plan) -> Vec<Summary> {
    let of = |run: usize| -> Vec<&Row> { rows.iter().filter(|row| row.run == run).collect() };
    let parts: Vec<(usize, Vec<&Row>)> = (0..plan.variants.len())
        .map(|run| (run, of(run)))
        .filter(|(_, rows)| !rows.is_empty())
        .collect();
    let mut found: Vec<Summary> = parts
        .iter()
        .map(|(run, rows)| summary(&plan.variants[*run].name, rows))
        .collect();
    let base = found.iter().find(|one| one.startup == plan.baseline);
    let base = base.map(|one| (one.fct_s, one.duration_s));
    for one in &mut found {
        let (fct_s, duration_s) = base.unwrap_or_default();
        one.change = change(one.fct_s, fct_s);
        one.duration_change = change(one.duration_s, duration_s);
    }
    if found.len() == plan.variants.len() {
        mark_fastest(&mut found);
    }
    found
}

fn summary(startup: &str, rows: &[&Row]) -> Summary {
    let done: Vec<&&Row> = rows.iter().filter(|row| row.flow.complete).collect();
    let (reason, times) = most_frequent(rows.iter().map(|row| row.flow.startup_exit_reason));
    let each =
        |of: fn(&Row) -> u64| mean(rows.iter().map(|row| Some(of(row) as f64))).unwrap_or(0.0);
    let first = rows.first();
    let same_exit = rows
        .iter()
        .filter(|row| row.flow.startup_exit_reason == reason);
    Summary {
        startup: startup.to_owned(),
        size_bytes: first.and_then(|row| row.flow.size_bytes).unwrap_or(0),
        flows: rows.len(),
        complete: done.len(),
        reset: rows.iter().filter(|row| row.flow.reset).count(),
        fct_s: mean(done.iter().map(|row| row.flow.fct_s)),
        duration_s: mean(done.iter().map(|row| row.flow.duration_s)),
        worst_fct_s: done
            .iter()
            .filter_map(|row| row.flow.fct_s)
            .max_by(f64::total_cmp),
        fairness: jain(rows),
        slowdown: mean(done.iter().map(|row| row.flow.slowdown)),
        dropped: each(|row| row.flow.packets_dropped),
        retransmitted: each(|row| row.flow.packets_retransmitted),
        timeouts: each(|row| row.flow.timeouts),
        exit_reason: reason,
        exit_share: times as f64 / rows.len() as f64,
        exit_cwnd_segments: ends(same_exit.filter_map(|row| row.flow.startup_exit_cwnd_segments)),
        bdp_pkts: first.map_or(0, |row| row.flow.bdp_pkts),
        max_queue_pkts: rows
            .iter()
            .map(|row| row.flow.max_queue_pkts)
            .max()
            .unwrap_or(0),
        change: None,
        duration_change: None,
        best: false,
    }
}

/// The smallest and the largest of some values.
fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |known, value| {
        let (low, high) = known.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

/// Jain's index of the mean rates with which flows of one size were done (Jain 1984).
fn jain(rows: &[&Row]) -> Option<f64> {
    let done = rows
        .iter()
        .map(|row| row.flow.fct_s.filter(|_| row.flow.complete));
    let rates: Vec<f64> = done.map(|time| Some(1.0 / time?)).collect::<Option<_>>()?;
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(sum, squares), rate| {
        (sum + rate, squares + rate * rate)
    });
    Some(sum * sum / (rates.len() as f64 * squares))
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

fn change(mean: Option<f64>, base: Option<f64>) -> Option<f64> {
    let (mean, base) = (mean?, base.filter(|base| *base != 0.0)?);
    Some(mean / base - 1.0)
}

/// Marks the fastest.
fn mark_fastest(found: &mut [Summary]) {
    let times = found
        .iter()
        .map(|one| one.fct_s.filter(|_| one.complete == one.flows));
    let rows: Vec<[Option<f64>; 3]> = times
        .zip(found.iter())
        .map(|(time, one)| [time, one.change, one.worst_fct_s])
        .collect();
    for (one, best) in found.iter_mut().zip(fastest(&rows)) {
        one.best = best;
    }
}

/// Which rows have the lowest mean time and are not slower than the baseline. A row has its mean
/// time, which is none where it did not finish, its change, and the time of its slowest run.
pub fn fastest(rows: &[[Option<f64>; 3]]) -> Vec<bool> {
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

/// The startups in the order of the table: as they were named, many of them by their slowdown. One
/// that did not finish everything comes after those that did.
pub(crate) fn order(found: &[Summary], plan: &Plan) -> Vec<String> {
    let mut names: Vec<String> = plan
        .variants
        .iter()
        .map(|variant| variant.name.clone())
        .collect();
    if names.len() > MANY {
        let rank = |name: &String| {
            let mine = found.iter().find(|one| one.startup == *name);
            let is_done = mine.is_some_and(|one| one.complete == one.flows);
            (
                !is_done,
                mine.and_then(|one| one.slowdown).unwrap_or(f64::INFINITY),
            )
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
}
