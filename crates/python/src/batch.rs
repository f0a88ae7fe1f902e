//! Many scenarios on many threads, while the calling thread keeps an eye on Ctrl-C.
//!
//! A scenario with a startup written in Python stays on the calling thread, one after the
//! other: so its objects are never used by two threads, and debuggers and Ctrl-C work within.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use flowstart_sim::{Outcome, Prepared};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::budget::{Account, Budget};
use crate::custom::Failure;

/// How long Ctrl-C and progress may wait.
pub(crate) const LOOK_UP_EVERY: Duration = Duration::from_millis(50);

/// What one scenario came to: its outcome, or why it failed.
pub(crate) type Finished = Result<Outcome, String>;

/// What many scenarios came to.
pub(crate) struct Batch {
    /// One entry per scenario, in their order; `None` where Ctrl-C came first.
    pub finished: Vec<Option<Finished>>,
    /// Whether Ctrl-C or somebody else ended it.
    pub interrupted: bool,
}

/// A scenario that has been compiled.
pub(crate) struct Task {
    /// What is to run.
    pub prepared: Prepared,
    /// Whether a startup written in Python takes part.
    pub calls_python: bool,
}

/// Runs `tasks` on up to `workers` threads without the interpreter's lock, and those that call
/// Python on this one; `failure` is where it is noted that they raised.
///
/// Ctrl-C returns at once with what is finished. The threads are not waited for: each
/// sees that the `budget` is over at the next event of its simulation, and ends. So they do where
/// Python code raises, which is raised here then, where somebody else ends it, and at a limit.
pub(crate) fn run(
    py: Python<'_>,
    tasks: Vec<Task>,
    failure: &Failure,
    (workers, budget): (usize, &Arc<Budget>),
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Batch> {
    let total = tasks.len();
    let (mut here, there): (VecDeque<usize>, VecDeque<usize>) =
        (0..total).partition(|i| tasks[*i].calls_python);
    let tasks = Arc::new(tasks);
    let mut results = start(&tasks, there, workers, budget);
    let mut batch = Batch {
        finished: (0..total).map(|_| None).collect(),
        interrupted: false,
    };
    let mut done = 0;
    while done < total {
        budget.look_at_clock();
        if budget.is_over() {
            batch.interrupted = true;
            break;
        }
        let arrived = match here.pop_front() {
            Some(index) => attend(py, &tasks[index], failure, budget).map(|finished| {
                finished
                    .map(|finished| (index, finished))
                    .into_iter()
                    .collect()
            }),
            None => Ok(py.detach(|| results.gather())),
        };
        let looked = arrived.and_then(|arrived| {
            done += arrived.len();
            for (index, finished) in arrived {
                batch.finished[index] = Some(finished);
            }
            look_up(py, progress.as_ref(), done, total)
        });
        if let Err(error) = looked {
            budget.stop();
            if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                return Err(error);
            }
            batch.interrupted = done < total;
            break;
        }
    }
    if batch.interrupted {
        // What the threads have finished meanwhile, while Python was at work here.
        for (index, finished) in results.take() {
            batch.finished[index] = Some(finished);
        }
    }
    Ok(batch)
}

/// How many events of a simulation Ctrl-C and other threads of Python may wait: a millisecond's.
const LOOK_UP_EVERY_EVENTS: u32 = 1 << 12;

/// Runs a scenario with Python startups on this thread; what they raise is the error.
///
/// The interpreter's lock is kept from hook to hook, since taking it costs more than most hooks
/// do. Other threads have their turn within hooks, as in all Python code, and now and then here.
///
/// `None` where it was stopped.
fn attend(
    py: Python<'_>,
    task: &Task,
    failure: &Failure,
    budget: &Budget,
) -> PyResult<Option<Finished>> {
    let mut events = 0u32;
    let go_on = || {
        events = events.wrapping_add(1);
        if events.is_multiple_of(LOOK_UP_EVERY_EVENTS) {
            failure.look_for_signals(py);
            py.detach(|| ());
        }
        !failure.has_happened() && !budget.is_over()
    };
    let finished = simulate(&task.prepared, budget, go_on);
    match failure.take() {
        Some(error) => Err(error),
        None => Ok((!budget.is_over()).then_some(finished)),
    }
}

/// Where threads put what is finished. No thread is woken for it, which would cost more than a
/// short run: it is looked for from time to time, and when the last thread has ended.
struct Results {
    finished: Arc<Mutex<Vec<(usize, Finished)>>>,
    /// Disconnected when no thread is left.
    threads: Receiver<()>,
}

impl Results {
    /// What has been finished since, when it is time to look up again or nothing is running.
    fn gather(&mut self) -> Vec<(usize, Finished)> {
        let _ = self.threads.recv_timeout(LOOK_UP_EVERY);
        self.take()
    }

    /// What has been finished since.
    fn take(&self) -> Vec<(usize, Finished)> {
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut finished)
    }
}

/// Starts up to `workers` threads on the tasks at `indices`; their results arrive in no
/// particular order.
fn start(
    tasks: &Arc<Vec<Task>>,
    indices: VecDeque<usize>,
    workers: usize,
    budget: &Arc<Budget>,
) -> Results {
    let finished = Arc::new(Mutex::new(Vec::new()));
    let (alive, threads) = mpsc::channel();
    let indices: Arc<[usize]> = indices.into_iter().collect();
    let next = Arc::new(AtomicUsize::new(0));
    for _ in 0..workers.min(indices.len()) {
        let (tasks, indices, next) = (tasks.clone(), indices.clone(), next.clone());
        let (budget, finished, alive) = (budget.clone(), finished.clone(), alive.clone());
        thread::spawn(move || {
            while let Some(index) = indices.get(next.fetch_add(1, Relaxed)) {
                let result = simulate(&tasks[*index].prepared, &budget, || !budget.is_over());
                // What was stopped half-way is no result.
                if budget.is_over() {
                    break;
                }
                let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
                finished.push((*index, result));
            }
            drop(alive);
        });
    }
    Results { finished, threads }
}

fn simulate(prepared: &Prepared, budget: &Budget, go_on: impl FnMut() -> bool) -> Finished {
    let mut account = Account::new(budget);
    let run = AssertUnwindSafe(|| prepared.run_within(go_on, |used| account.allows(used)));
    panic::catch_unwind(run).map_err(|payload| describe(payload.as_ref()))
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
pub(crate) fn keep_panics_quiet() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        PANIC_PLACE.with(|cell| *cell.borrow_mut() = place);
    }));
}

/// What a panic comes to in words.
pub(crate) fn describe(payload: &(dyn Any + Send)) -> String {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let place = PANIC_PLACE.with(|cell| cell.borrow().clone());
    format!("the simulator failed ({message}, {place}); this is a defect of flowstart")
}
