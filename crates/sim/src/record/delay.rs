//! How long the writes of sources took.

use crate::maybe_time::MaybeTime;
use flowstart_control::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The delays of a flow's writes: from a write until the receiver held its last byte in order.
///
/// A percentile is the delay of a write, by the nearest rank; one that was not delivered took longer
/// than any other.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
pub struct DelayRow {
    /// Which flow.
    pub flow: u32,
    /// Writes that were handed over before the run ended.
    pub writes: u64,
    /// Those that had not been delivered then.
    pub undelivered: u64,
    /// Median delay.
    #[schemars(extend("unit" = "seconds", "null" = "that write was not delivered"))]
    pub delay_p50_s: Option<f64>,
    /// 95th percentile.
    #[schemars(extend("unit" = "seconds", "null" = "that write was not delivered"))]
    pub delay_p95_s: Option<f64>,
    /// 99th percentile.
    #[schemars(extend("unit" = "seconds", "null" = "that write was not delivered"))]
    pub delay_p99_s: Option<f64>,
    /// Longest delay.
    #[schemars(extend("unit" = "seconds", "null" = "that write was not delivered"))]
    pub delay_max_s: Option<f64>,
    /// Share of writes with a delay above the source's `deadline`.
    #[schemars(extend("unit" = "ratio", "null" = "the source has no deadline"))]
    pub late_share: Option<f64>,
    /// Opened until the first write from which on all met the deadline.
    #[schemars(extend("unit" = "seconds", "null" = "the source has no deadline, or the last write was late"))]
    pub recovered_s: Option<f64>,
}

/// When a write was handed over and delivered.
pub(crate) struct WriteTimes {
    pub(crate) available: Instant,
    pub(crate) delivered: MaybeTime,
}

impl DelayRow {
    /// The row of a flow that opened then, with writes and a deadline, in a run that ended at `end`.
    pub(crate) fn of(
        flow: u32,
        opened: Instant,
        writes: impl Iterator<Item = WriteTimes>,
        deadline: Option<Duration>,
        end: Instant,
    ) -> DelayRow {
        let writes: Vec<WriteTimes> = writes.filter(|write| write.available <= end).collect();
        // Ranked above all others; whether it meets a deadline may be unknown at the end.
        let delay = |write: &WriteTimes| {
            let delivered = write.delivered.get();
            delivered.map_or(Duration::MAX, |at| at.since(write.available))
        };
        let mut delays: Vec<Duration> = writes.iter().map(delay).collect();
        let is_late = |write: &WriteTimes| deadline.is_some_and(|most| delay(write) > most);
        let late = writes.iter().filter(|write| is_late(write)).count();
        let recovered = writes.iter().rposition(is_late).map_or(0, |last| last + 1);
        let recovered = writes.get(recovered).filter(|_| deadline.is_some());
        delays.sort_unstable();
        let ranked = |share: f64| {
            let rank = (share * delays.len() as f64).ceil().max(1.0) as usize;
            let delay = delays.get(rank - 1).filter(|delay| **delay < Duration::MAX);
            delay.map(|delay| delay.secs())
        };
        DelayRow {
            flow,
            writes: writes.len() as u64,
            undelivered: delays
                .iter()
                .filter(|delay| **delay == Duration::MAX)
                .count() as u64,
            delay_p50_s: ranked(0.5),
            delay_p95_s: ranked(0.95),
            delay_p99_s: ranked(0.99),
            delay_max_s: ranked(1.0),
            late_share: deadline.map(|_| late as f64 / writes.len().max(1) as f64),
            recovered_s: recovered.map(|write| write.available.since(opened).secs()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(delays_ms: &[Option<u64>], deadline_ms: u64) -> DelayRow {
        let ms = |ms: u64| Instant::ZERO + Duration::from_millis(ms);
        let write = |(number, delay): (u64, &Option<u64>)| WriteTimes {
            available: ms(100 * number),
            delivered: delay.map_or(MaybeTime::NONE, |delay| ms(100 * number + delay).into()),
        };
        let writes = (0..).zip(delays_ms).map(write);
        let deadline = (deadline_ms > 0).then(|| Duration::from_millis(deadline_ms));
        DelayRow::of(0, Instant::ZERO, writes, deadline, ms(100_000))
    }

    #[test]
    fn percentiles_are_of_ranked_delays() {
        let delays: Vec<Option<u64>> = (1..=100).rev().map(Some).collect();
        let found = row(&delays, 0);
        assert_eq!(found.delay_p50_s, Some(0.050));
        assert_eq!(found.delay_p95_s, Some(0.095));
        assert_eq!(
            (found.delay_p99_s, found.delay_max_s),
            (Some(0.099), Some(0.1))
        );
        assert_eq!((found.late_share, found.recovered_s), (None, None));
    }

    #[test]
    fn a_write_that_was_not_delivered_is_the_slowest_and_late() {
        let found = row(&[Some(10), None, Some(20), Some(70), Some(30)], 60);
        assert_eq!((found.writes, found.undelivered), (5, 1));
        assert_eq!((found.delay_p50_s, found.delay_max_s), (Some(0.030), None));
        assert_eq!(
            (found.late_share, found.recovered_s),
            (Some(0.4), Some(0.4))
        );
        assert_eq!(row(&[Some(10), Some(70)], 60).recovered_s, None);
    }
}
