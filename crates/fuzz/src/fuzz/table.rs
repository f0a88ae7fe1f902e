//! What came of it, as a table.

use serde::{Deserialize, Serialize};

/// What is counted of a target.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) executions: u64,
    pub(crate) seconds: f64,
    /// The slowest execution.
    pub(crate) slowest_s: f64,
    /// Peak allocation of an execution.
    pub(crate) allocated_bytes: u64,
    /// Peak memory of a process.
    pub(crate) resident_bytes: u64,
    pub(crate) crashes: u64,
}

impl Figures {
    /// Adds a further process.
    pub(crate) fn add(&mut self, other: &Figures) {
        self.executions += other.executions;
        self.seconds += other.seconds;
        self.slowest_s = self.slowest_s.max(other.slowest_s);
        self.allocated_bytes = self.allocated_bytes.max(other.allocated_bytes);
        self.resident_bytes = self.resident_bytes.max(other.resident_bytes);
        self.crashes += other.crashes;
    }

    /// A line while it runs.
    pub(crate) fn progress(&self, target: &str) -> String {
        let rate = self.executions as f64 / self.seconds.max(1e-9);
        format!(
            "{target}: {} executions in {:.0} s, {rate:.0} a second",
            self.executions, self.seconds
        )
    }
}

/// A target and its figures.
pub(crate) struct Row {
    pub(crate) target: &'static str,
    pub(crate) figures: Figures,
}

/// All targets and their sum.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut all = Figures::default();
    let mut text = format!(
        "{:<18}{:>14}{:>10}{:>14}{:>14}{:>14}{:>9}\n",
        "target",
        "executions",
        "a second",
        "slowest (ms)",
        "allocated MB",
        "resident MB",
        "crashes"
    );
    for row in rows {
        all.add(&row.figures);
        text += &line(row.target, &row.figures);
    }
    text + &line("all", &all)
}

fn line(name: &str, figures: &Figures) -> String {
    let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    format!(
        "{name:<18}{:>14}{:>10.0}{:>14.1}{:>14.1}{:>14.1}{:>9}\n",
        figures.executions,
        figures.executions as f64 / figures.seconds.max(1e-9),
        figures.slowest_s * 1e3,
        megabytes(figures.allocated_bytes),
        megabytes(figures.resident_bytes),
        figures.crashes,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_sums_executions_and_keeps_the_worst() {
        let row = |target, executions, slowest_s| Row {
            target,
            figures: Figures {
                executions,
                slowest_s,
                seconds: 2.0,
                ..Figures::default()
            },
        };
        let text = table(&[row("one", 10, 0.5), row("two", 30, 0.25)]);
        let last: Vec<_> = text.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(last[..4], ["all", "40", "10", "500.0"]);
    }
}
