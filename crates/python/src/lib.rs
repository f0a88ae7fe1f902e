//! The Python module `flowstart._native`: scenarios go in as JSON text, results come out
//! as columns. It holds no logic: what a scenario means and which are refused is the
//! simulator's business, what to do with the results is Python's.
//!
//! Simulations run on separate threads without the interpreter's lock, while the
//! calling thread looks for Ctrl-C. Startups written in Python come as a dictionary
//! `{name: (callable, hooks)}` next to the scenarios that name them.

mod arrays;
mod batch;
mod budget;
mod capture;
mod capture_columns;
mod collect;
mod columns;
mod compare;
mod custom;
mod errors;
mod kernel;
mod lines;
mod live;
mod outcome;
mod packets;
mod page;
mod reader;
mod table;

use pyo3::prelude::*;

/// The native half of flowstart.
#[pymodule]
mod _native {
    use std::sync::Arc;

    use flowstart_control::Named;
    use flowstart_control::units::{Measure, Quantity};
    use flowstart_control::{Bytes, Rate, one_line};
    use flowstart_sim::{Outcome, Prepared, RequestError as Unmet};
    use flowstart_transport::sender::Limit;
    use pyo3::exceptions::PyKeyboardInterrupt;
    use pyo3::prelude::*;
    use pyo3::types::{IntoPyDict, PyDict};

    use crate::batch::Task;
    use crate::budget::Budget;
    use crate::compare::Described;
    use crate::custom::{self, Failure, HOOKS, signals};
    use crate::errors::{RequestError, SimulationError};
    use crate::reader::Reader;
    use crate::{batch, capture, collect, errors, kernel, lines, live, outcome};

    #[pymodule_export]
    use crate::compare::{
        ComparisonPlan, ComparisonRows, Scenarios, baseline, comparison_flows, comparison_table,
        given_path, given_stack, option_text, perturbed, stack_word, superseded, variant_text,
        variants,
    };
    #[pymodule_export]
    use crate::custom::signals::Window;
    #[pymodule_export]
    use crate::lines::Cancel;
    #[pymodule_export]
    use crate::packets::FlowPackets;
    #[pymodule_export]
    use crate::page::{
        Explorer, buffer_warning, check_options, count, drawn, headline, initial_window, legend,
        marked, near, notes, omissions, percent, preset_omissions, rate, ratio, receiver_window,
        request_fields, seconds, size, small_buffers, split, stack_fields, stack_value,
        without_effect,
    };
    #[pymodule_export]
    use crate::table::Table;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        batch::keep_panics_quiet();
        // Where they were imported later, Ctrl-C meanwhile would be a panic.
        module.py().import("flowstart.errors")?;
        module.py().get_type::<RequestError>();
        module.py().get_type::<SimulationError>();
        module.add("HOOKS", HOOKS)?;
        module.add("EVENTS", custom::events())?;
        module.add("SIGNALS", signals::described())?;
        signals::add_to(module)?;
        collect::add_to(module)?;
        let stacks = flowstart_transport::stack::PRESETS.iter();
        let stacks = stacks.map(|stack| (stack.name, stack.about));
        module.add("STACKS", stacks.into_py_dict(module.py())?)?;
        module.add("DEFAULT_STACK", flowstart_transport::stack::DEFAULT)?;
        let clocks: Vec<_> = live::CLOCKS.iter().map(|(name, _)| *name).collect();
        module.add("LIVE_CLOCKS", clocks)?;
        module.add("NATIVE_CONTROLS", live::native_controls())?;
        module.add("LIVE_STACKS", live::names())?;
        module.add("BUILT_LIVE_STACKS", live::built())?;
        module.add(
            "KERNEL_STARTUPS",
            kernel::startups().into_py_dict(module.py())?,
        )?;
        module.add("USUAL_STARTUPS", flowstart_compare::USUAL)?;
        module.add("USUAL_SIZES", flowstart_compare::USUAL_SIZES)?;
        module.add(
            "STARTUP_OF",
            flowstart_compare::STARTUP_OF.into_py_dict(module.py())?,
        )?;
        module.add("CACHED_CWND", flowstart_compare::CACHED)?;
        module.add("LANDING_MEASURES", flowstart_compare::MEASURES)?;
        let limits: Vec<_> = Limit::VALUES
            .iter()
            .map(|(limit, ..)| limit.name())
            .collect();
        module.add("LIMITS", limits)?;
        module.add("WINDOWS", Limit::WINDOWS.map(Named::name))?;
        module.add("LIMITS_OF_ENDS", Limit::OF_ENDS.map(Named::name))?;
        module.add("INTERFACE", flowstart_compare::INTERFACE)?;
        module.add("DELAY_SHARE", flowstart_compare::DELAY_SHARE)?;
        module.add("START_SPREAD", flowstart_compare::START_SPREAD)?;
        module.add("ALIASES", flowstart_control::entry::ALIASES.to_vec())?;
        module.add("DISTRIBUTIONS", flowstart_network::distribution::NAMES)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Runs one scenario and returns its tables as a dictionary of columns, and the packets of
    /// the flows with the numbers `packets_of`.
    #[pyfunction]
    #[pyo3(signature = (scenario, custom=None, packets_of=Vec::new(), bounds=(None, None)))]
    fn run<'py>(
        py: Python<'py>,
        scenario: &str,
        custom: Option<Bound<'py, PyDict>>,
        packets_of: Vec<u32>,
        bounds: Bounds<'py>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let record = |prepared: &mut Prepared| {
            prepared.record_limits();
            prepared.log_packets(&packets_of)
        };
        outcome::one(py, simulate(py, scenario, custom, record, bounds)?)
    }

    /// Runs one scenario and hands its rows to `take(table)`, some thousand of a table
    /// at a time and in their order: `runs`, `flows`, `transfers`, `objects`, `links`.
    #[pyfunction]
    #[pyo3(signature = (scenario, take, custom=None, bounds=(None, None)))]
    fn run_in_parts<'py>(
        py: Python<'py>,
        scenario: &str,
        take: Bound<'py, PyAny>,
        custom: Option<Bound<'py, PyDict>>,
        bounds: Bounds<'py>,
    ) -> PyResult<()> {
        let outcome = simulate(py, scenario, custom, |_| Ok(()), bounds)?;
        outcome::hand_over(&outcome, &take)
    }

    /// Settings of runs besides their scenarios: `approve(estimate)`, which is called once before
    /// the first of them and may raise, and what ends them, from whichever thread.
    type Bounds<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, Cancel>>);

    /// Notifies what may end runs that they are over.
    fn ended(cancel: Option<Bound<'_, Cancel>>, failure: &Failure) {
        if let Some(cancel) = cancel {
            cancel.get().end(failure.interrupted_in());
        }
    }

    /// Has what `tasks` are estimated to use approved.
    fn approved(py: Python<'_>, tasks: &[Task], approve: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(approve) = approve else {
            return Ok(());
        };
        let (mut packets, mut flows, mut largest, mut in_python) = (0.0, 0.0, 0.0_f64, 0.0);
        for task in tasks {
            let one = task.prepared.estimate();
            packets += one.packets;
            flows += one.flows;
            largest = largest.max(one.bytes);
            in_python += if task.calls_python { one.packets } else { 0.0 };
        }
        let estimate = PyDict::new(py);
        estimate.set_item("runs", tasks.len())?;
        estimate.set_item("packets", packets)?;
        estimate.set_item("python_packets", in_python)?;
        estimate.set_item("flows", flows)?;
        estimate.set_item("largest_bytes", largest)?;
        approve.call1((estimate,)).map(|_| ())
    }

    /// The outcome of one scenario; `record` requests records besides its rows.
    fn simulate<'py>(
        py: Python<'py>,
        scenario: &str,
        custom: Option<Bound<'py, PyDict>>,
        record: impl FnOnce(&mut Prepared) -> Result<(), Unmet>,
        (approve, cancel): Bounds<'py>,
    ) -> PyResult<Outcome> {
        let mut reader = Reader::new(custom)?;
        let mut task = reader.task(scenario)?;
        record(&mut task.prepared).map_err(errors::request)?;
        approved(py, std::slice::from_ref(&task), approve)?;
        let budget = cancel
            .as_ref()
            .map_or_else(Arc::default, |cancel| cancel.get().budget());
        let outcome = single(py, task, &reader.failure, &budget);
        ended(cancel, &reader.failure);
        outcome
    }

    /// What one scenario comes to.
    fn single(
        py: Python<'_>,
        task: Task,
        failure: &Failure,
        budget: &Arc<Budget>,
    ) -> PyResult<Outcome> {
        let batch = batch::run(py, vec![task], failure, (1, budget), None)?;
        match batch.finished.into_iter().next().flatten() {
            Some(Ok(outcome)) => Ok(outcome),
            Some(Err(message)) => Err(SimulationError::new_err(message)),
            None => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// Runs many scenarios on `workers` threads (all cores where `None`) and returns their
    /// tables joined, in the order of the scenarios whatever the number of threads.
    ///
    /// Every scenario is checked before the first one runs. `progress(done, total)` is
    /// called a few times a second. Ctrl-C keeps what is finished and sets `interrupted`, and so
    /// does what ends runs among their `bounds`. `limits` are recorded of scenarios that are text; a
    /// comparison's decide themselves.
    #[pyfunction]
    #[pyo3(signature = (scenarios, workers=None, progress=None, custom=None, bounds=(None, None), limits=false))]
    fn run_many<'py>(
        py: Python<'py>,
        scenarios: Described<'py>,
        workers: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
        custom: Option<Bound<'py, PyDict>>,
        bounds: Bounds<'py>,
        limits: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let workers = threads(workers)?;
        let mut reader = Reader::new(custom)?;
        let tasks = scenarios.tasks(&mut reader, limits)?;
        let (approve, cancel) = bounds;
        approved(py, &tasks, approve)?;
        let budget = cancel
            .as_ref()
            .map_or_else(Arc::default, |cancel| cancel.get().budget());
        let batch = batch::run(py, tasks, &reader.failure, (workers, &budget), progress);
        ended(cancel, &reader.failure);
        outcome::many(py, &batch?)
    }

    /// Runs many scenarios as `run_many` does, and records what flows do over time: of the scenario
    /// at each place those whose numbers stand at the same place of `flows`, in bins for so many
    /// columns of pixels from one time to another (`window`: columns, seconds, seconds or `None`
    /// for the end). Adds `from_s`, `bin_s` and `found` to the tables.
    ///
    /// With `cancel`, which another thread may use meanwhile, it returns soon and reports that it was
    /// `interrupted`.
    #[pyfunction]
    #[pyo3(signature = (scenarios, flows, window, workers=None, custom=None, cancel=None))]
    fn run_lines<'py>(
        py: Python<'py>,
        scenarios: Vec<String>,
        flows: Vec<Vec<u32>>,
        window: (i64, f64, Option<f64>),
        workers: Option<i64>,
        custom: Option<Bound<'py, PyDict>>,
        cancel: Option<Bound<'py, Cancel>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let workers = threads(workers)?;
        let budget = cancel.map_or_else(Arc::default, |cancel| cancel.get().budget());
        let mut reader = Reader::new(custom)?;
        let requests = lines::requests(flows, window, scenarios.len())?;
        let tasks = scenarios.iter().zip(requests).map(|(json, wanted)| {
            let mut task = reader.task(json)?;
            task.prepared
                .record_lines(wanted)
                .map_err(errors::request)?;
            Ok(task)
        });
        let tasks = tasks.collect::<PyResult<_>>()?;
        let batch = batch::run(py, tasks, &reader.failure, (workers, &budget), None)?;
        lines::found(py, batch)
    }

    /// On how many threads runs go that are requested with this number.
    fn threads(workers: Option<i64>) -> PyResult<usize> {
        match workers {
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
            Some(n) if n >= 1 => Ok(n as usize),
            Some(n) => {
                let message = format!("workers = {n}: at least one is needed");
                Err(RequestError::new_err(message))
            }
        }
    }

    /// Runs one scenario in a real stack and returns what came of it as a dictionary: `fct_s`,
    /// `exit`, counts, `failure`, what the window did as columns (`trace`), and in real time
    /// how late the relay was. `control` is a congestion control of the kernel's own in place of the
    /// scenario's startup.
    #[pyfunction]
    #[pyo3(signature = (stack, scenario, clock="virtual", qlog=false, control=None))]
    fn run_live<'py>(
        py: Python<'py>,
        stack: &str,
        scenario: &str,
        clock: &str,
        qlog: bool,
        control: Option<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (stack, clock) = (live::Stack::named(stack)?, live::clock(clock)?);
        let (_, prepared) = Reader::new(None)?.compile(scenario)?;
        stack.run(py, prepared, clock, control)?.into_dict(py, qlog)
    }

    /// Reads options of a stack's own congestion control, such as `cc=cubic,iw=14720`: its name, and its
    /// initial window in bytes or `None`.
    #[pyfunction]
    fn native_control(stack: &str, options: &str) -> PyResult<(String, Option<u64>)> {
        live::native_control(stack, options)
    }

    /// Runs the transfers of a scenario that clients ask a server for in this machine's kernel, several
    /// at a time: flows whose receiver opens, and web sessions. Returns a dictionary with columns of
    /// the `requests`, the places of `objects` of sessions, and how late the path was. `control` is as
    /// for `run_live`.
    #[pyfunction]
    #[pyo3(signature = (scenario, control=None))]
    fn run_live_load<'py>(
        py: Python<'py>,
        scenario: &str,
        control: Option<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (_, prepared) = Reader::new(None)?.compile(scenario)?;
        live::load(py, prepared, control)
    }

    /// Why this machine does not let a real stack run, if it does not; `drives` where startups of the
    /// catalog are to set its window.
    #[pyfunction]
    fn live_prohibition(py: Python<'_>, stack: &str, drives: bool) -> PyResult<Option<String>> {
        let stack = live::Stack::named(stack)?;
        Ok(py.detach(|| stack.prohibition(drives)))
    }

    /// Loads a startup into the kernel and removes it again, before any connection has it.
    #[pyfunction]
    fn kernel_try(py: Python<'_>, startup: &str) -> PyResult<()> {
        kernel::try_out(py, startup)
    }

    /// Loads a startup into the kernel, where it stays.
    #[pyfunction]
    fn kernel_load(py: Python<'_>, load: kernel::Load) -> PyResult<()> {
        kernel::load(py, load)
    }

    /// The startup in the kernel; `None` where there is none.
    #[pyfunction]
    fn kernel_status(py: Python<'_>) -> PyResult<Option<Bound<'_, PyDict>>> {
        kernel::status(py)
    }

    /// Removes the startup from the kernel; whether there was one.
    #[pyfunction]
    fn kernel_unload(py: Python<'_>) -> PyResult<bool> {
        kernel::unload(py)
    }

    /// For each of these scenarios, why a real stack cannot do what its startup needs; `None`
    /// where it can. An error where a scenario could be run in no stack.
    #[pyfunction]
    fn live_refusals(stack: &str, scenarios: Vec<String>) -> PyResult<Vec<Option<String>>> {
        let stack = live::Stack::named(stack)?;
        let mut reader = Reader::new(None)?;
        let mut refusal = |json: &String| stack.refusal(&reader.compile(json)?.1);
        scenarios.iter().map(&mut refusal).collect()
    }

    /// Which of these scenarios have a startup written in Python; all of them are checked, and
    /// what they are estimated to use is approved.
    #[pyfunction]
    #[pyo3(signature = (scenarios, custom=None, approve=None))]
    fn calls_python(
        py: Python<'_>,
        scenarios: Described<'_>,
        custom: Option<Bound<'_, PyDict>>,
        approve: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<bool>> {
        let mut reader = Reader::new(custom)?;
        let tasks = scenarios.tasks(&mut reader, false)?;
        approved(py, &tasks, approve)?;
        Ok(tasks.iter().map(|task| task.calls_python).collect())
    }

    /// The whole configuration of a scenario, every default filled in, as JSON.
    #[pyfunction]
    #[pyo3(signature = (scenario, custom=None))]
    fn resolve(scenario: &str, custom: Option<Bound<'_, PyDict>>) -> PyResult<String> {
        let (scenario, prepared) = Reader::new(custom)?.compile(scenario)?;
        serde_json::to_string(&prepared.resolved(&scenario)).map_err(request)
    }

    /// Every startup, cc, queue discipline and rate variation with source, parameters
    /// and needs, as JSON.
    #[pyfunction]
    fn catalog() -> PyResult<String> {
        let mut all = flowstart_control::catalog::describe();
        all.extend(flowstart_network::queue::describe());
        all.extend(flowstart_network::variation::describe());
        serde_json::to_string(&all).map_err(request)
    }

    /// The parts of a scenario and the definitions of their fields, as JSON.
    #[pyfunction]
    fn fields() -> PyResult<String> {
        serde_json::to_string(&flowstart_sim::parts()).map_err(request)
    }

    /// The tables of a run and the definitions of their columns, as JSON.
    #[pyfunction]
    fn columns() -> PyResult<String> {
        serde_json::to_string(&flowstart_sim::record::columns::tables()).map_err(request)
    }

    /// Reads packet captures and Zeek `conn.log`s as one and returns what holds for all of it as JSON, and the rows of
    /// `connections` and `transfers` as columns.
    ///
    /// `progress(bytes, total)` is called a few times a second. Memory does not grow with
    /// the files, only with their rows. `stdin_start` has the bytes of the standard input that were read already.
    #[pyfunction]
    #[pyo3(signature = (paths, progress=None, stdin_start=Vec::new()))]
    fn read_capture<'py>(
        py: Python<'py>,
        paths: Vec<std::path::PathBuf>,
        progress: Option<Bound<'py, PyAny>>,
        stdin_start: Vec<u8>,
    ) -> PyResult<(String, Bound<'py, PyDict>)> {
        let options = flowstart_capture::Options {
            stdin_start,
            ..Default::default()
        };
        let outcome = capture::run(py, paths, progress, options)?;
        let (reading, rows) = outcome.map_err(capture::refused)?;
        let about = serde_json::to_string(&reading).map_err(request)?;
        Ok((about, rows.into_dict(py, &reading)?))
    }

    /// The name of the log of Zeek's that a file is, by its first bytes; empty for another log without a name.
    #[pyfunction]
    fn zeek_log(start: &[u8]) -> Option<String> {
        flowstart_capture::zeek_log(start)
    }

    /// The JSON Schema of a scenario's file.
    #[pyfunction]
    fn schema() -> PyResult<String> {
        serde_json::to_string(&flowstart_sim::schema()).map_err(request)
    }

    /// The bytes of `size`, whose packets carry `mss`; `None` where it is no size.
    #[pyfunction]
    fn size_bytes(size: &str, mss: &str) -> PyResult<Option<u64>> {
        let Bytes(mss) = mss.parse().map_err(request)?;
        Ok(flowstart_compare::size_bytes(size, mss))
    }

    /// What a text with a known unit measures, its number, its unit, and the unit's nanoseconds,
    /// bits per second or bytes; `None` for other texts.
    #[pyfunction]
    fn quantity(text: &str) -> Option<(&'static str, f64, &str, f64)> {
        let found = Quantity::parse(text)?;
        let measure = match found.measure {
            Measure::Number => "number",
            Measure::Time => "time",
            Measure::Rate => "rate",
            Measure::Size | Measure::Amount => "size",
        };
        Some((measure, found.number, found.unit, found.scale))
    }

    /// The fields of a path, as JSON, that words of `tc` describe; `None` for other texts.
    #[pyfunction]
    fn netem(text: &str) -> PyResult<Option<String>> {
        if !flowstart_compare::is_netem(text) {
            return Ok(None);
        }
        let fields = flowstart_compare::netem_fields(text)
            .map_err(|problem| RequestError::new_err((one_line(&problem), ("path",))))?;
        Ok(Some(serde_json::Value::from(fields).to_string()))
    }

    /// The bits a second of a rate.
    #[pyfunction]
    fn rate_bps(rate: &str) -> PyResult<u64> {
        let rate: Rate = rate.parse().map_err(request)?;
        Ok(rate.bps())
    }

    /// The version of the simulator.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// How this module was built: `commit` (where it was known), `rust`, `profile`, `target`, and
    /// whether it is of the `stable_abi`.
    #[pyfunction]
    fn build_facts(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let facts = PyDict::new(py);
        facts.set_item("commit", option_env!("FLOWSTART_COMMIT"))?;
        facts.set_item("rust", env!("FLOWSTART_RUST"))?;
        facts.set_item("profile", env!("FLOWSTART_PROFILE"))?;
        facts.set_item("target", env!("FLOWSTART_TARGET"))?;
        facts.set_item("stable_abi", cfg!(feature = "abi3"))?;
        Ok(facts)
    }

    fn request(error: impl std::fmt::Display) -> PyErr {
        RequestError::new_err(error.to_string())
    }
}
