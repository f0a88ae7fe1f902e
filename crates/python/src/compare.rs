//! Comparisons for Python: the plan, its runs, its rows and its table.

use std::collections::BTreeMap;
use std::sync::Arc;

use flowstart_compare::{
    Case, Command, Group, Judged, LIMIT_SHARES, Path, Plan, Row, RunRows, Summary, Variant,
    measure_words, order, rows, rows_from_bytes, rows_to_bytes, summaries,
};
use flowstart_sim::Scenario;
use flowstart_sim::record::delay::DelayRow;
use flowstart_sim::record::goodput::GoodputRow;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};

use crate::batch::Task;
use crate::columns::put;
use crate::errors::{self, RequestError, SimulationError};
use crate::reader::Reader;
use crate::table::{Column, Table};

/// A run: its variant, its size, and its seed.
type NamedCase = (String, Option<String>, u64);

/// What a comparison runs.
#[pyclass(frozen, module = "flowstart._native")]
pub struct ComparisonPlan(Arc<Plan>);

impl ComparisonPlan {
    fn case(&self, (name, size, seed): &NamedCase) -> PyResult<Case> {
        let variant = self.0.variants.iter().position(|one| one.name == *name);
        let size = self.0.sizes.iter().position(|one| one == size);
        let (variant, size) = variant
            .zip(size)
            .ok_or_else(|| PyKeyError::new_err(name.clone()))?;
        Ok(Case {
            size,
            variant,
            seed: *seed,
        })
    }

    fn cases(&self, named: &[NamedCase]) -> PyResult<Vec<Case>> {
        named.iter().map(|named| self.case(named)).collect()
    }
}

#[pymethods]
impl ComparisonPlan {
    /// The plan of a scenario, of whose flows and web sessions those without a startup are under
    /// test. Scenario and variants are JSON.
    #[new]
    fn new(
        base: &str,
        variants: &str,
        baseline: Option<&str>,
        sizes: Option<Vec<String>>,
    ) -> PyResult<ComparisonPlan> {
        let base = serde_json::from_str(base).map_err(refused)?;
        let variants: Vec<Variant> = serde_json::from_str(variants).map_err(refused)?;
        let plan = Plan::of(base, variants, baseline, sizes.as_deref());
        Ok(ComparisonPlan(Arc::new(plan.map_err(errors::request)?)))
    }

    #[getter]
    fn tested(&self) -> Vec<usize> {
        self.0.tested.clone()
    }

    #[getter]
    fn tested_web(&self) -> Vec<usize> {
        self.0.tested_web.clone()
    }

    #[getter]
    fn baseline(&self) -> &str {
        &self.0.baseline
    }

    #[getter]
    fn sizes(&self) -> Vec<Option<String>> {
        self.0.sizes.clone()
    }

    /// The scenarios of runs; of each the repeat with perturbed delays of a number, where these are
    /// given.
    #[pyo3(signature = (cases, repeats=Vec::new()))]
    fn scenarios(&self, cases: Vec<NamedCase>, repeats: Vec<u32>) -> PyResult<Scenarios> {
        Ok(Scenarios {
            plan: self.0.clone(),
            cases: self.cases(&cases)?,
            repeats,
        })
    }

    /// The whole configuration of the first run of each variant, as JSON. Refuses equal sizes, and
    /// variants whose connections different ends open.
    fn resolved(&self, seed: u64, custom: Option<Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
        let mut reader = Reader::new(custom)?;
        let mut resolved = |case| {
            let about = |error| errors::request(self.0.about_variant(case, error));
            let scenario = Scenario::from_value(self.0.scenario(case)).map_err(about)?;
            let prepared = reader.prepare(&scenario).map_err(about)?;
            serde_json::to_string(&prepared.resolved(&scenario)).map_err(refused)
        };
        let found = self.0.first_cases(seed).map(&mut resolved);
        let found = found.collect::<PyResult<Vec<String>>>()?;
        let values = found.iter().map(|one| serde_json::from_str(one));
        let values: Vec<Value> = values.collect::<Result<_, _>>().map_err(refused)?;
        if let Some(first) = values.first() {
            self.0.check_sizes(first).map_err(errors::request)?;
        }
        self.0.check_openers(&values).map_err(errors::request)?;
        Ok(found)
    }

    /// The time in seconds in which no transfer of this size can be complete; `None` where it is not
    /// known before the runs, and where flows have different routes.
    fn lower_bound(
        &self,
        size_bytes: u64,
        seed: u64,
        custom: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Option<f64>> {
        let mut reader = Reader::new(custom)?;
        let mut least: Option<f64> = None;
        for size in 0..self.0.sizes.len() {
            for case in self.0.first_cases(seed) {
                let case = Case { size, ..case };
                let scenario = self.0.scenario(case);
                let scenario = Scenario::from_value(scenario).map_err(errors::request)?;
                let bounds = reader
                    .prepare(&scenario)
                    .map_err(errors::request)?
                    .lower_bounds();
                let own = self.0.tested.iter().filter_map(|entry| bounds.get(*entry));
                let own = own.filter(|(size, _)| *size == Some(size_bytes));
                let mut own: Vec<Option<f64>> = own.map(|(_, bound)| *bound).collect();
                own.dedup();
                match own.as_slice() {
                    [] => {}
                    [Some(bound)] => least = Some(least.map_or(*bound, |least| least.min(*bound))),
                    _ => return Ok(None),
                }
            }
        }
        Ok(least)
    }

    /// The rows of a batch whose scenarios are these cases.
    fn rows(&self, batch: &Bound<'_, PyDict>, cases: Vec<NamedCase>) -> PyResult<ComparisonRows> {
        let cases = self.cases(&cases)?;
        let mut runs: Vec<RunRows> = cases.iter().map(|_| RunRows::default()).collect();
        table(batch, "flows")?.read(&mut |run, row| runs[run].flows.push(row))?;
        if self.0.has_requests() {
            table(batch, "transfers")?.read(&mut |run, row| runs[run].transfers.push(row))?;
        }
        if self.0.has_web() {
            table(batch, "objects")?.read(&mut |run, row| runs[run].objects.push(row))?;
        }
        table(batch, "startups")?.read(&mut |run, row| runs[run].startups.push(row))?;
        table(batch, "limits")?.read(&mut |run, row| runs[run].limits.push(row))?;
        table(batch, "goodputs")?.read(&mut |run, row| runs[run].goodputs.push(row))?;
        table(batch, "delays")?.read(&mut |run, row| runs[run].delays.push(row))?;
        let runs = runs.into_iter().zip(cases).enumerate();
        let found = runs.flat_map(|(run, (of, case))| rows(&self.0, run, case, of));
        Ok(ComparisonRows {
            rows: found.collect(),
            plan: self.0.clone(),
        })
    }

    /// The rows in the bytes that `ComparisonRows.to_bytes` returns.
    fn rows_from_bytes(&self, bytes: &[u8]) -> PyResult<ComparisonRows> {
        Ok(ComparisonRows {
            rows: rows_from_bytes(bytes).map_err(refused)?,
            plan: self.0.clone(),
        })
    }

    /// The command line that repeats it. Path and options are JSON, lists of names and values.
    #[pyo3(signature = (words, path, options, without, seed, repeat))]
    fn command(
        &self,
        words: Vec<String>,
        path: &str,
        options: &str,
        without: Vec<String>,
        seed: u64,
        repeat: Option<u64>,
    ) -> PyResult<String> {
        let fields = |json| serde_json::from_str::<Vec<(String, Value)>>(json).map_err(refused);
        let command = Command {
            words,
            path: &fields(path)?,
            options: &fields(options)?,
            variants: &self.0.variants,
            without: &without,
            baseline: &self.0.baseline,
            sizes: self.0.sizes.iter().flatten().map(String::as_str).collect(),
            seed,
            repeat,
        };
        Ok(command.written())
    }
}

fn table<'py>(batch: &Bound<'py, PyDict>, name: &str) -> PyResult<PyRef<'py, Table>> {
    let found = batch.get_item(name)?;
    let found = found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    Ok(found.extract()?)
}

/// Scenarios of a comparison's runs.
#[pyclass(frozen, module = "flowstart._native")]
pub struct Scenarios {
    plan: Arc<Plan>,
    cases: Vec<Case>,
    /// The number of each run's repeat; empty for the scenarios themselves.
    repeats: Vec<u32>,
}

impl Scenarios {
    fn scenario(&self, at: usize) -> Value {
        let mut scenario = self.plan.scenario(self.cases[at]);
        let repeat = self.repeats.get(at).copied().unwrap_or(0);
        flowstart_compare::perturb(&mut scenario, repeat);
        scenario
    }

    /// Compiles all of them. Runs that differ in the seed alone are read once.
    fn tasks(&self, reader: &mut Reader) -> PyResult<Vec<Task>> {
        let mut latest: Option<(Case, Scenario)> = None;
        let mut task = |at: usize| {
            let case = self.cases[at];
            let is_same = |known: &Case| {
                Case {
                    seed: case.seed,
                    ..*known
                } == case
            };
            let read = match latest.take() {
                Some((known, scenario)) if is_same(&known) && self.repeats.is_empty() => scenario,
                _ => Scenario::from_value(self.scenario(at)).map_err(errors::request)?,
            };
            let (_, scenario) = latest.insert((case, read));
            if self.repeats.is_empty() {
                scenario.seed = case.seed;
            }
            let mut task = reader.task_of(scenario)?;
            if self.records_limits() {
                task.prepared.record_limits();
            }
            Ok(task)
        };
        (0..self.cases.len()).map(&mut task).collect()
    }
}

#[pymethods]
impl Scenarios {
    /// Whether what limits the transfers is recorded: not of repeats, which serve intervals.
    #[getter]
    fn records_limits(&self) -> bool {
        self.repeats.is_empty()
    }

    fn __len__(&self) -> usize {
        self.cases.len()
    }

    /// A scenario as JSON.
    fn __getitem__(&self, at: usize) -> PyResult<String> {
        match at < self.cases.len() {
            true => Ok(self.scenario(at).to_string()),
            false => Err(PyIndexError::new_err(at)),
        }
    }
}

/// Scenarios in JSON, or those of a comparison.
#[derive(FromPyObject)]
pub(crate) enum Described<'py> {
    /// Those of a comparison.
    Compared(PyRef<'py, Scenarios>),
    /// JSON.
    Texts(Vec<String>),
}

impl Described<'_> {
    /// Checks all of them.
    ///
    /// Those of a comparison decide themselves whether they record `limits`.
    pub(crate) fn tasks(self, reader: &mut Reader, limits: bool) -> PyResult<Vec<Task>> {
        let texts = match self {
            Described::Compared(scenarios) => return scenarios.tasks(reader),
            Described::Texts(texts) => texts,
        };
        let tasks = texts.iter().map(|json| {
            let mut task = reader.task(json)?;
            if limits {
                task.prepared.record_limits();
            }
            Ok(task)
        });
        tasks.collect()
    }
}

/// The rows of a comparison.
#[pyclass(frozen, module = "flowstart._native")]
pub struct ComparisonRows {
    plan: Arc<Plan>,
    rows: Vec<Row>,
}

/// Web sessions or not, bytes, which request, and which measure, with its name, and whether it is a
/// rate.
type NamedGroup = (bool, u64, u32, u32, String, bool);
/// Mean time, slowest time, and packets sent, lost and retransmitted.
type Tally = [f64; 5];

#[pymethods]
impl ComparisonRows {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// The rows as bytes, for another process.
    fn to_bytes(&self) -> Vec<u8> {
        rows_to_bytes(&self.rows)
    }

    /// The rows of runs from one number to before another.
    fn of_runs(&self, begin: usize, end: usize) -> ComparisonRows {
        let rows = self.rows.iter();
        let rows = rows.filter(|row| (begin..end).contains(&row.run));
        ComparisonRows {
            plan: self.plan.clone(),
            rows: rows.cloned().collect(),
        }
    }

    /// All rows of several parts in the order of these cases, whose numbers become those of the runs.
    #[staticmethod]
    fn joined(
        parts: Vec<PyRef<'_, ComparisonRows>>,
        plan: &ComparisonPlan,
        cases: Vec<NamedCase>,
    ) -> PyResult<ComparisonRows> {
        let cases = plan.cases(&cases)?.into_iter().zip(0..);
        let runs: BTreeMap<Case, usize> = cases.collect();
        let rows = parts.iter().flat_map(|part| &part.rows);
        let numbered = rows.filter_map(|row| {
            let run = *runs.get(&row.case)?;
            Some(Row { run, ..row.clone() })
        });
        let mut rows: Vec<Row> = numbered.collect();
        rows.sort_by_key(|row| row.run);
        Ok(ComparisonRows {
            plan: plan.0.clone(),
            rows,
        })
    }

    /// The summaries as JSON, and the order of the variants in tables. `planned` are the seeds of
    /// each size.
    fn summaries(&self, planned: Vec<usize>) -> PyResult<(String, Vec<String>)> {
        let found = summaries(&self.rows, &self.plan, &planned);
        let order = order(&found, &self.plan);
        Ok((serde_json::to_string(&found).map_err(refused)?, order))
    }

    /// What the flows of each repeat came to, by group and variant; not a number where a variant has
    /// none. The number of each run's repeat is given, or repeats are the seeds.
    #[pyo3(signature = (repeats=None))]
    fn tallies(&self, repeats: Option<Vec<u64>>) -> Vec<(NamedGroup, Vec<Vec<Tally>>)> {
        let mut groups: BTreeMap<Group, BTreeMap<u64, Vec<Vec<&Row>>>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.tested) {
            let repeat = match &repeats {
                Some(numbers) => numbers.get(row.run).copied().unwrap_or(0),
                None => row.case.seed,
            };
            let own = groups.entry(Group::of(row)).or_default();
            let variants = own.entry(repeat).or_default();
            variants.resize(self.plan.variants.len(), Vec::new());
            variants[row.case.variant].push(row);
        }
        let named = |group: Group, repeats: &BTreeMap<u64, Vec<Vec<&Row>>>| {
            let first = repeats.values().flatten().flatten().next();
            let measure = first.and_then(|row| measure_words(row)).unwrap_or_default();
            let is_rate = first.is_some_and(|row| row.goodput.is_some());
            let Group {
                web,
                size_bytes,
                request,
                measure: place,
            } = group;
            (web, size_bytes, request, place, measure, is_rate)
        };
        let tallied = |variants: Vec<Vec<&Row>>| variants.iter().map(|rows| tally(rows)).collect();
        groups
            .into_iter()
            .map(|(group, repeats)| {
                let named = named(group, &repeats);
                (named, repeats.into_values().map(tallied).collect())
            })
            .collect()
    }

    /// Packets that its flows sent.
    #[getter]
    fn packets_sent(&self) -> u64 {
        self.rows.iter().map(|row| row.flow.packets_sent).sum()
    }

    /// Of the rows under test: congestion controls, each once and in order, and the smallest and the
    /// largest bandwidth-delay product in packets.
    fn tested(&self) -> (Vec<&str>, Option<(u64, u64)>) {
        let tested = self.rows.iter().filter(|row| row.tested);
        let mut controls: Vec<&str> = tested.clone().map(|row| &*row.flow.cc).collect();
        controls.sort_unstable();
        controls.dedup();
        let bdps = tested.map(|row| row.flow.bdp_pkts);
        (controls, bdps.clone().min().zip(bdps.max()))
    }

    /// Whether endpoints of a preset took part.
    fn has_stack(&self, preset: &str) -> bool {
        self.rows.iter().any(|row| row.flow.stack == preset)
    }

    /// Whether no flow under test was done, nor under way where the runs were `cut` short.
    fn all_failed(&self, cut: bool) -> bool {
        let mut tested = self.rows.iter().filter(|row| row.tested).peekable();
        let has_failed = |row: &Row| {
            let is_under_way =
                cut && row.goodput.is_none() && !row.flow.reset && row.flow.bytes_delivered > 0;
            !row.is_done() && !is_under_way
        };
        tested.peek().is_some() && tested.all(has_failed)
    }

    /// The rows as a table.
    fn table(&self) -> PyResult<Table> {
        let rows = &self.rows;
        let mut table = Table::new("flows")?;
        for row in rows {
            table.extend(row.run, [&row.flow])?;
        }
        let columns = &mut table.columns;
        columns.push(column("request", rows, |row| row.request)?);
        if rows.iter().any(|row| row.goodput.is_some()) {
            columns.extend(goodputs(rows)?);
        }
        if rows.iter().any(|row| row.delays.is_some()) {
            columns.extend(delays(rows)?);
        }
        if self.plan.has_web() {
            columns.extend([
                column("web", rows, |row| Some(row.object.as_ref()?.web))?,
                column("session", rows, |row| Some(row.object.as_ref()?.session))?,
                column("page", rows, |row| Some(row.object.as_ref()?.page))?,
                column("object", rows, |row| Some(row.object.as_ref()?.object))?,
                column("requested_s", rows, |row| {
                    Some(row.object.as_ref()?.requested_s)
                })?,
                column("response_s", rows, |row| row.object.as_ref()?.response_s)?,
                column("done_s", rows, |row| row.object.as_ref()?.done_s)?,
            ]);
        }
        if rows.iter().any(|row| row.measures.is_some()) {
            columns.extend([
                column("exit_dropped_pkts", rows, |row| {
                    row.measures.as_ref()?.exit_dropped_pkts
                })?,
                column("later_dropped_pkts", rows, |row| {
                    row.measures.as_ref()?.later_dropped_pkts
                })?,
                column("exit_recoveries", rows, |row| {
                    row.measures.as_ref()?.exit_recoveries
                })?,
                column("exit_to_90_s", rows, |row| {
                    row.measures.as_ref()?.exit_to_90_s
                })?,
                column("exit_queue_pkts", rows, |row| {
                    row.measures.as_ref()?.exit_queue_pkts
                })?,
                column("mean_acked_s", rows, |row| {
                    row.measures.as_ref()?.mean_acked_s
                })?,
            ]);
        }
        if rows.iter().any(|row| row.limits.is_some()) {
            columns.extend(limits(rows)?);
        }
        let plan = &self.plan;
        columns.extend([
            column("tested", rows, |row| Some(row.tested))?,
            column("variant", rows, |row| {
                Some(&plan.variants[row.case.variant].name)
            })?,
            column("size", rows, |row| plan.sizes[row.case.size].as_ref())?,
        ]);
        Ok(table)
    }
}

/// The rates of the flows, and when their first bytes were delivered.
fn goodputs(rows: &[Row]) -> PyResult<Vec<Column>> {
    fn of(row: &Row) -> Option<&GoodputRow> {
        row.goodput.as_ref().map(|(_, goodput)| goodput)
    }
    Ok(vec![
        column("measure", rows, |row| Some(&of(row)?.measure))?,
        column("within_s", rows, |row| Some(of(row)?.within_s))?,
        column("within_bytes", rows, |row| of(row)?.within_bytes)?,
        column("goodput_bps", rows, |row| of(row)?.goodput_bps)?,
        column("goodput_share", rows, |row| of(row)?.goodput_share)?,
        column("to_100kb_s", rows, |row| of(row)?.to_100kb_s)?,
        column("to_1mb_s", rows, |row| of(row)?.to_1mb_s)?,
        column("to_10mb_s", rows, |row| of(row)?.to_10mb_s)?,
    ])
}

/// The delays of writes.
fn delays(rows: &[Row]) -> PyResult<Vec<Column>> {
    fn of(row: &Row) -> Option<&DelayRow> {
        row.delays.as_ref()
    }
    Ok(vec![
        column("writes", rows, |row| Some(of(row)?.writes))?,
        column("undelivered", rows, |row| Some(of(row)?.undelivered))?,
        column("delay_p50_s", rows, |row| of(row)?.delay_p50_s)?,
        column("delay_p95_s", rows, |row| of(row)?.delay_p95_s)?,
        column("delay_p99_s", rows, |row| of(row)?.delay_p99_s)?,
        column("delay_max_s", rows, |row| of(row)?.delay_max_s)?,
        column("late_share", rows, |row| of(row)?.late_share)?,
        column("recovered_s", rows, |row| of(row)?.recovered_s)?,
    ])
}

/// What limited the flows: the largest reason, and the share of each.
fn limits(rows: &[Row]) -> PyResult<Vec<Column>> {
    let share = |(at, name): (usize, &&'static str)| {
        column(name, rows, |row| Some(row.limits.as_ref()?.shares()[at].1))
    };
    let mut columns: Vec<Column> = (LIMIT_SHARES.iter().enumerate())
        .map(share)
        .collect::<PyResult<_>>()?;
    columns.extend([
        column("limited_by", rows, |row| {
            Some(&row.limits.as_ref()?.limited_by)
        })?,
        column("limited_from_s", rows, |row| {
            Some(row.limits.as_ref()?.limited_from_s)
        })?,
    ]);
    Ok(columns)
}

/// A kind of cells.
trait Kind {
    /// What definitions call it.
    const KIND: &'static str;
}

macro_rules! kinds {
    ($($kind:ty: $name:literal),*) => {
        $(impl Kind for $kind {
            const KIND: &'static str = $name;
        })*
    };
}

kinds!(u32: "integer", u64: "integer", f64: "number", bool: "boolean", &String: "string");

/// A column of the rows' values.
fn column<'a, T: Kind + serde::Serialize>(
    name: &'static str,
    rows: &'a [Row],
    value: impl Fn(&'a Row) -> Option<T>,
) -> PyResult<Column> {
    let mut column = Column::new(name, T::KIND);
    for row in rows {
        let added = put(Some(&mut column), name, &value(row));
        added.map_err(|error| SimulationError::new_err(error.to_string()))?;
    }
    Ok(column)
}

fn tally(rows: &[&Row]) -> Tally {
    let times = rows.iter().map(|row| row.time_s().unwrap_or(f64::INFINITY));
    let sum = |of: fn(&Row) -> u64| rows.iter().map(|row| of(row)).sum::<u64>() as f64;
    match rows.len() {
        0 => [f64::NAN; 5],
        count => [
            times.clone().sum::<f64>() / count as f64,
            times.fold(f64::NEG_INFINITY, f64::max),
            sum(|row| row.flow.packets_sent),
            sum(|row| row.flow.packets_dropped),
            sum(|row| row.flow.packets_retransmitted),
        ],
    }
}

fn refused(error: impl std::fmt::Display) -> PyErr {
    RequestError::new_err(error.to_string())
}

/// A variant by its name, with its startup or its congestion control.
type NamedVariant = (String, Option<String>, Option<String>);

/// The variants of startups and congestion controls by name, or of the usual startups; groups of the
/// catalog lack those in `without`.
#[pyfunction]
#[pyo3(signature = (startups=None, without=Vec::new()))]
pub(crate) fn variants(
    startups: Option<Vec<String>>,
    without: Vec<String>,
) -> PyResult<Vec<NamedVariant>> {
    let found = flowstart_compare::variants(startups.as_deref(), &without).map_err(refused)?;
    let found = found.into_iter();
    Ok(found.map(|one| (one.name, one.startup, one.cc)).collect())
}

/// The name that others are measured against: the given one, slow start, or the first.
#[pyfunction]
pub(crate) fn baseline(given: Option<&str>, names: Vec<String>) -> PyResult<String> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    flowstart_compare::baseline(given, &names).map_err(errors::request)
}

/// The fields of the path that options give, as JSON; `None` where they give nothing of one. Options
/// and the paths that are known by name are JSON.
#[pyfunction]
pub(crate) fn given_path(given: &str, paths: &str) -> PyResult<Option<String>> {
    let (given, paths) = (read(given)?, serde_json::from_str(paths).map_err(refused)?);
    let path = Path::of(&given, &paths).map_err(errors::request)?;
    path.map(|path| serde_json::to_string(path.fields()).map_err(refused))
        .transpose()
}

/// The fields of the stack that options give, which are JSON, as JSON.
#[pyfunction]
pub(crate) fn given_stack(given: &str) -> PyResult<String> {
    let stack = flowstart_compare::given_stack(&read(given)?).map_err(errors::request)?;
    serde_json::to_string(&stack).map_err(refused)
}

fn read(given: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(given).map_err(refused)
}

/// The fields of a path that these take the place of.
#[pyfunction]
pub(crate) fn superseded(given: Vec<String>) -> Vec<&'static str> {
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    flowstart_compare::superseded(&given)
}

/// The flows of a comparison on a path, as JSON: of each its names and values, in order. `options`
/// are those of `flowstart compare`, as JSON.
#[pyfunction]
pub(crate) fn comparison_flows(options: &str) -> PyResult<String> {
    let options = serde_json::from_str(options).map_err(refused)?;
    serde_json::to_string(&flowstart_compare::flows(&options)).map_err(refused)
}

/// The table of summaries as JSON, with variants in this order and what repeats add.
#[pyfunction]
pub(crate) fn comparison_table(
    summaries: &str,
    order: Vec<String>,
    acked: bool,
    judged: Option<&str>,
) -> PyResult<String> {
    let found: Vec<Summary> = serde_json::from_str(summaries).map_err(refused)?;
    let judged: Option<Judged> = judged
        .map(serde_json::from_str)
        .transpose()
        .map_err(refused)?;
    let table = flowstart_compare::table(&found, &order, acked, judged.as_ref());
    serde_json::to_string(&table).map_err(refused)
}

/// The text that `--variant` reads of a variant, which is JSON.
#[pyfunction]
pub(crate) fn variant_text(variant: &str) -> PyResult<String> {
    let variant: Variant = serde_json::from_str(variant).map_err(refused)?;
    Ok(variant.written())
}

/// The value of a path's field, which is JSON, as its option takes it.
#[pyfunction]
pub(crate) fn option_text(name: &str, value: &str) -> PyResult<String> {
    let value: Value = serde_json::from_str(value).map_err(refused)?;
    Ok(flowstart_compare::option(name, &value))
}

/// A stack as one word of a command line. Its names and values are JSON.
#[pyfunction]
pub(crate) fn stack_word(fields: &str) -> PyResult<String> {
    let fields: Vec<(String, Value)> = serde_json::from_str(fields).map_err(refused)?;
    Ok(flowstart_compare::stack_word(&fields))
}

/// The repeat of a number of a scenario, which is JSON.
#[pyfunction]
pub(crate) fn perturbed(scenario: &str, number: u32) -> PyResult<String> {
    let mut scenario = serde_json::from_str(scenario).map_err(refused)?;
    flowstart_compare::perturb(&mut scenario, number);
    Ok(scenario.to_string())
}
