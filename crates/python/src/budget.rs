//! What all runs of a request may use together, while they run, and the flag that ends them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use flowstart_sim::Usage;

/// Shared by the threads of a batch, and by what may end it.
pub struct Budget {
    most_packets: f64,
    most_bytes: f64,
    /// `None` where there is no end.
    until: Option<Instant>,
    packets: AtomicU64,
    bytes: AtomicU64,
    over: AtomicBool,
    exceeded: OnceLock<&'static str>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(f64::INFINITY, f64::INFINITY, f64::INFINITY)
    }
}

impl Budget {
    /// So many data packets, bytes of state at once, and seconds from now on.
    pub fn new(packets: f64, bytes: f64, seconds: f64) -> Budget {
        let lasts = Duration::try_from_secs_f64(seconds.max(0.0)).ok();
        Budget {
            most_packets: packets,
            most_bytes: bytes,
            until: lasts.and_then(|lasts| Instant::now().checked_add(lasts)),
            packets: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            over: AtomicBool::new(false),
            exceeded: OnceLock::new(),
        }
    }

    /// Ends the runs at their next event.
    pub fn stop(&self) {
        self.over.store(true, Relaxed);
    }

    /// Whether they are to end.
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Ends them where their time has passed.
    pub fn look_at_clock(&self) {
        if self.until.is_some_and(|until| Instant::now() > until) {
            self.exceed("time");
        }
    }

    /// The limit that has ended them: `packets`, `memory` or `time`.
    pub fn exceeded(&self) -> Option<&'static str> {
        self.exceeded.get().copied()
    }

    /// Data packets of all runs.
    pub fn packets(&self) -> u64 {
        self.packets.load(Relaxed)
    }

    fn exceed(&self, limit: &'static str) {
        let _ = self.exceeded.set(limit); // the first is reported
        self.stop();
    }
}

/// What one run has used of a budget. Its state is given back when it is over.
pub(crate) struct Account<'a> {
    budget: &'a Budget,
    used: Usage,
}

impl<'a> Account<'a> {
    /// Of a run that has not begun.
    pub(crate) fn new(budget: &'a Budget) -> Account<'a> {
        Account {
            budget,
            used: Usage::default(),
        }
    }

    /// Takes in what the run has used so far. Whether all runs may continue.
    pub(crate) fn allows(&mut self, now: Usage) -> bool {
        let add = |sum: &AtomicU64, before: u64, now: u64| {
            let more = now.wrapping_sub(before);
            sum.fetch_add(more, Relaxed).wrapping_add(more) as f64
        };
        let budget = self.budget;
        let packets = add(&budget.packets, self.used.packets, now.packets);
        let bytes = add(&budget.bytes, self.used.bytes, now.bytes);
        self.used = now;
        if packets > budget.most_packets {
            budget.exceed("packets");
        } else if bytes > budget.most_bytes {
            budget.exceed("memory");
        }
        budget.look_at_clock();
        !budget.is_over()
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        self.budget.bytes.fetch_sub(self.used.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(packets: u64, bytes: u64) -> Usage {
        Usage { packets, bytes }
    }

    #[test]
    fn runs_share_a_budget_and_give_their_state_back() {
        let budget = Budget::new(100.0, 1000.0, f64::INFINITY);
        let mut first = Account::new(&budget);
        assert!(first.allows(usage(40, 900)) && first.allows(usage(50, 600)));
        drop(first);
        let mut second = Account::new(&budget);
        assert!(second.allows(usage(50, 1000)));
        assert!(!second.allows(usage(51, 10)));
        assert_eq!(budget.exceeded(), Some("packets"));
    }

    #[test]
    fn state_is_that_of_runs_at_the_same_time() {
        let budget = Budget::new(f64::INFINITY, 1000.0, f64::INFINITY);
        let (mut first, mut second) = (Account::new(&budget), Account::new(&budget));
        assert!(first.allows(usage(0, 600)));
        assert!(!second.allows(usage(0, 600)));
        assert_eq!(budget.exceeded(), Some("memory"));
    }

    #[test]
    fn time_that_has_passed_ends_all_runs() {
        let budget = Budget::new(f64::INFINITY, f64::INFINITY, 0.0);
        std::thread::sleep(Duration::from_millis(1));
        assert!(!Account::new(&budget).allows(Usage::default()));
        assert_eq!(budget.exceeded(), Some("time"));
    }
}
