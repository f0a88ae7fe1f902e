//! Many scenarios on many threads, while the calling thread keeps an eye on Ctrl-C.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use flowstart_sim::{Outcome, Scenario};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// How long Ctrl-C and progress may wait.
const LOOK_UP_EVERY: Duration = Duration::from_millis(50);

/// What one scenario came to: its outcome, or why it failed.
pub type Finished = Result<Outcome, String>;

/// What many scenarios came to.
pub struct Batch {
    /// One entry per scenario, in their order; `None` where Ctrl-C came first.
    pub finished: Vec<Option<Finished>>,
    /// Whether Ctrl-C ended it.
    pub interrupted: bool,
}

/// Runs `scenarios` on up to `workers` threads without the interpreter's lock.
///
/// Ctrl-C returns at once with what is finished. The threads are not waited for: each
/// sees the flag once its present simulation is over, and ends.
pub fn run(
    py: Python<'_>,
    scenarios: Vec<Scenario>,
    workers: usize,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Batch> {
    let total = scenarios.len();
    let stop = Arc::new(AtomicBool::new(false));
    let mut results = start(scenarios, workers.min(total), &stop);
    let mut batch = Batch {
        finished: (0..total).map(|_| None).collect(),
        interrupted: false,
    };
    let mut done = 0;
    while done < total {
        let arrived = py.detach(|| gather(&mut results, total - done));
        done += arrived.len();
        for (index, finished) in arrived {
            batch.finished[index] = Some(finished);
        }
        if let Err(error) = look_up(py, progress.as_ref(), done, total) {
            stop.store(true, Relaxed);
            if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                return Err(error);
            }
            batch.interrupted = done < total;
            break;
        }
    }
    Ok(batch)
}

type Message = (usize, Finished);

/// Starts the threads; their results arrive in no particular order.
fn start(scenarios: Vec<Scenario>, workers: usize, stop: &Arc<AtomicBool>) -> Receiver<Message> {
    let (sender, results) = mpsc::channel();
    let scenarios = Arc::new(scenarios);
    let next = Arc::new(AtomicUsize::new(0));
    for _ in 0..workers {
        let (scenarios, next) = (scenarios.clone(), next.clone());
        let (stop, sender) = (stop.clone(), sender.clone());
        thread::spawn(move || work(&scenarios, &next, &stop, &sender));
    }
    results
}

/// One thread's life: take the next scenario until none is left.
fn work(scenarios: &[Scenario], next: &AtomicUsize, stop: &AtomicBool, sender: &Sender<Message>) {
    while !stop.load(Relaxed) {
        let index = next.fetch_add(1, Relaxed);
        let Some(scenario) = scenarios.get(index) else {
            return;
        };
        if sender.send((index, simulate(scenario))).is_err() {
            return;
        }
    }
}

fn simulate(scenario: &Scenario) -> Finished {
    let run = || flowstart_sim::run(scenario);
    match panic::catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(|e| e.to_string()),
        Err(payload) => Err(describe(payload.as_ref())),
    }
}

/// What arrives of the `missing` results until it is time to look up again.
fn gather(results: &mut Receiver<Message>, missing: usize) -> Vec<Message> {
    let until = Instant::now() + LOOK_UP_EVERY;
    let mut arrived = Vec::new();
    while arrived.len() < missing {
        match results.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message) => arrived.push(message),
            Err(_) => break,
        }
    }
    arrived
}

/// Reports progress and lets Python handle its signals.
fn look_up(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    done: usize,
    total: usize,
) -> PyResult<()> {
    if let Some(progress) = progress {
        progress.call1((done, total))?;
    }
    py.check_signals()
}

thread_local! {
    /// Where the last panic of this thread happened.
    static PANIC_PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps a panic's message for the error it becomes, instead of printing it.
pub fn keep_panics_quiet() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        PANIC_PLACE.with(|cell| *cell.borrow_mut() = place);
    }));
}

fn describe(payload: &(dyn Any + Send)) -> String {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let place = PANIC_PLACE.with(|cell| cell.borrow().clone());
    format!("the simulator failed ({message}, {place}); this is a defect of flowstart")
}
