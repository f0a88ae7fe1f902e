//! Scenarios in real QUIC stacks and in the kernel's TCP, on a separate thread while the calling
//! thread looks for Ctrl-C.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use flowstart_control::{Duration, Exit};
use flowstart_export::qlog::session::{Event, Knowledge, Session};
#[cfg(any(feature = "quic", feature = "quiche", feature = "s2n"))]
use flowstart_live::lab::Native;
use flowstart_live::links::{Clock, Lateness, Outcome};
use flowstart_live::{Startup, StartupError};
#[cfg(feature = "quic")]
use flowstart_quinn::{noq, quinn};
use flowstart_sim::{ExternalSender, Prepared, RequestError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::array;
use crate::batch::{LOOK_UP_EVERY, describe};
use crate::errors::{self, request};

/// Runs a scenario's only flow in a stack.
#[derive(Clone, Copy)]
enum Run {
    /// In a QUIC stack.
    #[cfg_attr(
        not(any(feature = "quic", feature = "quiche", feature = "s2n")),
        allow(dead_code, reason = "not in this build")
    )]
    Quic(
        fn(ExternalSender, Clock) -> Result<Outcome, RequestError>,
        Option<Own>,
    ),
    /// In the kernel: what runs it, and why it cannot be run here.
    #[cfg_attr(not(feature = "linux"), allow(dead_code, reason = "not in this build"))]
    Kernel(RunKernel, fn(bool) -> Option<String>),
}

/// Runs a scenario in the kernel, under a separate congestion control or by the flow's startup.
type RunKernel = fn(&Prepared, Option<String>, &AtomicBool) -> Result<Outcome, RequestError>;

/// The name of a stack's own congestion control, and its initial window in bytes if that is given.
type NamedControl = (String, Option<u64>);

/// The name of a stack's own congestion control, and the startup and congestion control that simulate
/// it.
type SimulatedControl = (&'static str, &'static str, &'static str);

/// A QUIC stack's own congestion control and pacer.
#[derive(Clone, Copy)]
struct Own {
    /// Its congestion controls, its default first.
    controls: fn() -> Vec<SimulatedControl>,
    /// Runs a flow under one of them, with options such as `cc=cubic,iw=14720`.
    #[cfg_attr(
        not(any(feature = "quic", feature = "quiche", feature = "s2n")),
        allow(dead_code, reason = "not in this build")
    )]
    run: fn(&str, ExternalSender, Clock) -> Result<Outcome, RequestError>,
    /// Reads the options: the control and its initial window in bytes.
    read: fn(&str) -> Result<NamedControl, RequestError>,
}

/// The stacks, and what runs a flow in each that is in this build.
const STACKS: &[(&str, Option<Run>)] = &[
    ("noq", NOQ),
    ("quinn", QUINN),
    ("s2n", S2N),
    ("quiche", QUICHE),
    ("linux", LINUX),
];

#[cfg(any(feature = "quic", feature = "quiche", feature = "s2n"))]
macro_rules! own {
    ($stack:ident) => {
        Own {
            controls: || {
                $stack::lab::NATIVE
                    .map(|c| (c.name, c.startup, c.cc))
                    .to_vec()
            },
            run: |options, flow, clock| {
                let native = Native::parse(options, &$stack::lab::NATIVE)?;
                $stack::lab::run_native(&native, flow, clock)
            },
            read: |options| {
                let native = Native::parse(options, &$stack::lab::NATIVE)?;
                Ok((native.cc, native.initial_window))
            },
        }
    };
}

#[cfg(not(feature = "quic"))]
const NOQ: Option<Run> = None;
#[cfg(feature = "quic")]
const NOQ: Option<Run> = Some(Run::Quic(noq::lab::run, Some(own!(noq))));

#[cfg(not(feature = "quic"))]
const QUINN: Option<Run> = None;
#[cfg(feature = "quic")]
const QUINN: Option<Run> = Some(Run::Quic(quinn::lab::run, Some(own!(quinn))));

#[cfg(not(feature = "linux"))]
const LINUX: Option<Run> = None;
#[cfg(feature = "linux")]
const LINUX: Option<Run> = Some(Run::Kernel(kernel, flowstart_linux::permission::refusal));

#[cfg(not(feature = "s2n"))]
const S2N: Option<Run> = None;
#[cfg(feature = "s2n")]
const S2N: Option<Run> = Some(Run::Quic(
    flowstart_s2n::lab::run,
    Some(own!(flowstart_s2n)),
));

#[cfg(not(feature = "quiche"))]
const QUICHE: Option<Run> = None;
#[cfg(feature = "quiche")]
const QUICHE: Option<Run> = Some(Run::Quic(
    |_, _| {
        let problem = "`quiche`: runs its own congestion control only, as `quiche-native`";
        Err(RequestError::new("stack", problem))
    },
    Some(own!(flowstart_quiche)),
));

/// A stack that is in this build.
#[derive(Clone, Copy)]
pub(crate) struct Stack {
    name: &'static str,
    run: Run,
}

impl Stack {
    /// That of this name.
    pub(crate) fn named(name: &str) -> PyResult<Stack> {
        match STACKS.iter().find(|(known, _)| *known == name) {
            Some((name, Some(run))) => Ok(Stack { name, run: *run }),
            Some(_) => Err(not_built(name)),
            None => {
                let problem = format!("`{name}`: a live run is in one of {}", names().join(", "));
                Err(request(RequestError::new("stack", problem)))
            }
        }
    }

    /// Why the stack cannot run a scenario, if it cannot. An error where no stack could.
    pub(crate) fn refusal(self, prepared: &Prepared) -> PyResult<Option<String>> {
        let flow = prepared.external_sender().map_err(request)?;
        let transport = match self.run {
            Run::Quic(..) => "QUIC",
            Run::Kernel(..) => "the kernel's TCP",
        };
        Ok(Startup::of(flow.recipe).err().map(|refused| match refused {
            StartupError::Needs { what, .. } => {
                format!("it needs {what}, which {transport} lacks")
            }
            StartupError::Spec(e) => e.to_string(),
        }))
    }

    /// Why this machine does not let the stack run, if it does not; `drives` where startups of the
    /// catalog are to set its window.
    pub(crate) fn prohibition(self, drives: bool) -> Option<String> {
        match self.run {
            Run::Quic(..) => None,
            Run::Kernel(_, refusal) => refusal(drives),
        }
    }

    /// Runs a scenario without the interpreter's lock. Ctrl-C returns at once; the thread ends with
    /// its run or with the process, and the kernel's soon. `control` is a congestion control of the
    /// stack's own in place of the scenario's startup.
    pub(crate) fn run(
        self,
        py: Python<'_>,
        prepared: Prepared,
        clock: Clock,
        control: Option<String>,
    ) -> PyResult<Live> {
        interruptible(py, move |stop| {
            self.attempt(&prepared, clock, control, stop)
        })
    }

    fn attempt(
        self,
        prepared: &Prepared,
        clock: Clock,
        control: Option<String>,
        stop: &AtomicBool,
    ) -> Result<Live, RequestError> {
        let flow = prepared.external_sender()?;
        let title = format!("{}, {}, stack {}", flow.startup, flow.cc, self.name);
        Ok(Live {
            title,
            stack: self.name,
            by_server: flow.by_receiver,
            clock,
            size: flow.size,
            outcome: match self.run {
                Run::Quic(run, own) => match own.zip(control) {
                    Some((own, options)) => (own.run)(&options, flow, clock)?,
                    None => run(flow, clock)?,
                },
                Run::Kernel(run, _) => run(prepared, control, stop)?,
            },
        })
    }
}

/// Works on a separate thread, without the interpreter's lock. Ctrl-C returns at once and has the
/// work stop.
fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, RequestError> + Send + 'static,
) -> PyResult<T> {
    let (done, result) = mpsc::channel();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    thread::spawn(move || {
        // Nobody may be there to take it any more.
        let _ = done.send(panic::catch_unwind(AssertUnwindSafe(|| work(&stopped))));
    });
    let result = std::sync::Mutex::new(result);
    loop {
        let arrived = py.detach(|| {
            let result = result.lock().unwrap_or_else(|e| e.into_inner());
            result.recv_timeout(LOOK_UP_EVERY)
        });
        match arrived {
            Ok(Ok(finished)) => return finished.map_err(request),
            Ok(Err(payload)) => return Err(failed(describe(payload.as_ref()))),
            Err(RecvTimeoutError::Timeout) => py
                .check_signals()
                .inspect_err(|_| stop.store(true, Ordering::Relaxed))?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(failed("a live run ended without a result".into()));
            }
        }
    }
}

#[cfg(feature = "linux")]
fn kernel(
    prepared: &Prepared,
    control: Option<String>,
    stop: &AtomicBool,
) -> Result<Outcome, RequestError> {
    use flowstart_linux::{Driver, lab};
    let driver = control.map_or(Driver::Startup, Driver::Kernel);
    lab::run(prepared, &driver, stop)
}

/// Runs the transfers that clients ask a server for in the kernel, several at a time, and returns what
/// came of them as a dictionary; `requests` has a column for each thing that is known of a request.
#[cfg(feature = "linux")]
pub(crate) fn load<'py>(
    py: Python<'py>,
    prepared: Prepared,
    control: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    use flowstart_linux::{Driver, load};
    let driver = control.map_or(Driver::Startup, Driver::Kernel);
    let outcome = interruptible(py, move |stop| load::run(&prepared, &driver, stop))?;
    let dict = PyDict::new(py);
    dict.set_item("requests", requests(py, &outcome.requests)?)?;
    dict.set_item("packets_dropped", outcome.packets_dropped)?;
    dict.set_item("failure", outcome.failure.as_deref())?;
    dict.set_item("lateness", lateness(py, &outcome.lateness)?)?;
    let answered = outcome.answered.map(|late| lateness(py, &late));
    dict.set_item("answered", answered.transpose()?)?;
    dict.set_item("stalls", outcome.stalls)?;
    let objects = outcome.objects.iter().flat_map(|objects| objects.iter());
    let places = objects.map(|o| (o.web, o.session, o.page, o.object));
    dict.set_item("objects", places.collect::<Vec<_>>())?;
    Ok(dict)
}

/// Always an error: this build has no kernel's TCP.
#[cfg(not(feature = "linux"))]
pub(crate) fn load<'py>(
    _: Python<'py>,
    _: Prepared,
    _: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    Err(not_built("linux"))
}

/// Columns of these.
#[cfg(feature = "linux")]
fn requests<'py>(
    py: Python<'py>,
    of: &[flowstart_linux::load::Answered],
) -> PyResult<Bound<'py, PyDict>> {
    macro_rules! columns {
        ($($name:ident: $of:expr),* $(,)?) => {{
            let dict = PyDict::new(py);
            $(dict.set_item(stringify!($name), of.iter().map($of).collect::<Vec<_>>())?;)*
            Ok(dict)
        }};
    }
    columns! {
        number: |r| r.number,
        size_bytes: |r| r.size,
        asked_s: |r| r.asked.secs(),
        fct_s: |r| r.completed.map(|at| at.since(r.asked).secs()),
        packets_retransmitted: |r| r.sent.retransmitted,
        startup_exit_reason: |r| r.sent.exit.map(|e| reason(&e)),
        startup_exit_s: |r| r.sent.exit.map(|e| e.at.since(r.asked).secs()),
        startup_exit_cwnd_segments: |r| r.sent.exit.map(|e| e.cwnd),
        max_cwnd_segments: |r| r.sent.max_cwnd,
        failure: |r| r.failure.clone(),
    }
}

/// A live run that is over.
pub(crate) struct Live {
    title: String,
    stack: &'static str,
    by_server: bool,
    clock: Clock,
    size: u64,
    outcome: Outcome,
}

impl Live {
    /// Its numbers, and columns of what the window did; with `qlog` that file as well.
    pub(crate) fn into_dict(self, py: Python<'_>, qlog: bool) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        let outcome = &self.outcome;
        let file = qlog.then(|| py.detach(|| self.qlog()));
        dict.set_item("qlog", file.map(|file| PyBytes::new(py, &file)))?;
        dict.set_item("size_bytes", self.size)?;
        dict.set_item("fct_s", outcome.fct.map(Duration::secs))?;
        dict.set_item("exit", outcome.exit.map(|e| exit(py, &e)).transpose()?)?;
        dict.set_item("max_cwnd_segments", outcome.max_cwnd)?;
        dict.set_item("packets_sent", outcome.packets_sent)?;
        dict.set_item("packets_dropped", outcome.packets_dropped)?;
        dict.set_item("packets_lost", outcome.packets_lost)?;
        dict.set_item("failure", outcome.failure.as_deref())?;
        let late = outcome.lateness.map(|late| lateness(py, &late));
        dict.set_item("lateness", late.transpose()?)?;
        let answered = outcome.answered.map(|late| lateness(py, &late));
        dict.set_item("answered", answered.transpose()?)?;
        dict.set_item("stalls", outcome.stalls)?;
        dict.set_item("trace", self.trace(py)?)?;
        Ok(dict)
    }

    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        macro_rules! columns {
            ($($name:ident: $of:expr_2021),* $(,)?) => {{
                let dict = PyDict::new(py);
                $({
                    let cells: Vec<_> = self.outcome.trace.iter().map($of).collect();
                    dict.set_item(stringify!($name), array(py, cells)?)?;
                })*
                Ok(dict)
            }};
        }
        columns! {
            time_ns: |s| s.at.nanos(),
            cwnd: |s| s.cwnd,
            ssthresh: |s| s.ssthresh,
            flight: |s| s.flight,
            srtt_s: |s| s.srtt.secs(),
        }
    }

    /// What its sender did and knew, as qlog.
    fn qlog(&self) -> Vec<u8> {
        let datagrams = self.outcome.datagrams.iter().map(|passed| {
            let event = match passed.sent {
                true => Event::Sent(passed.bytes),
                false => Event::Received(passed.bytes),
            };
            (passed.at, event)
        });
        let known = self.outcome.trace.iter().map(|sample| {
            let known = Knowledge {
                cwnd: sample.cwnd,
                ssthresh: sample.ssthresh,
                flight: sample.flight,
                srtt: Some(sample.srtt).filter(|srtt| *srtt > Duration::ZERO),
            };
            (sample.at, Event::Knows(known))
        });
        let mut events: Vec<_> = datagrams.chain(known).collect();
        events.sort_by_key(|(at, _)| *at);
        let session = Session {
            title: &self.title,
            stack: self.stack,
            clock: match self.clock {
                Clock::Virtual => "virtual",
                Clock::Real => "real",
            },
            by_server: self.by_server,
            mss: self.outcome.mss,
            exit: self.outcome.exit,
            events,
        };
        session.qlog()
    }
}

/// Why a startup ended, in a word.
fn reason(exit: &Exit) -> Option<String> {
    let reason = serde_json::to_value(exit.reason).unwrap_or_default();
    reason.as_str().map(str::to_string)
}

fn exit<'py>(py: Python<'py>, exit: &Exit) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("reason", reason(exit))?;
    dict.set_item("at_s", exit.at.secs())?;
    dict.set_item("cwnd_segments", exit.cwnd)?;
    dict.set_item("flight", exit.flight)?;
    Ok(dict)
}

fn lateness<'py>(py: Python<'py>, late: &Lateness) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("median_s", late.median.secs())?;
    dict.set_item("p99_s", late.p99.secs())?;
    dict.set_item("most_s", late.most.secs())?;
    Ok(dict)
}

/// The own congestion controls of each stack in this build.
pub(crate) fn native_controls() -> BTreeMap<&'static str, Vec<SimulatedControl>> {
    let own = STACKS.iter().filter_map(|(name, run)| match run {
        Some(Run::Quic(_, Some(own))) => Some((*name, (own.controls)())),
        _ => None,
    });
    own.collect()
}

/// Reads the options of a stack's own congestion control: its name and initial window in bytes.
pub(crate) fn native_control(stack: &str, options: &str) -> PyResult<NamedControl> {
    match Stack::named(stack)?.run {
        Run::Quic(_, Some(own)) => (own.read)(options).map_err(request),
        _ => {
            let having: Vec<_> = native_controls().into_keys().collect();
            let having = match having.is_empty() {
                true => "no stack".into(),
                false => having.join(", "),
            };
            let problem = format!(
                "`{stack}`: its own congestion control does not run here; that of {having} does"
            );
            Err(request(RequestError::new("native", problem)))
        }
    }
}

/// The clocks by name.
pub(crate) const CLOCKS: &[(&str, Clock)] = &[("virtual", Clock::Virtual), ("real", Clock::Real)];

/// The clock of this name.
pub(crate) fn clock(name: &str) -> PyResult<Clock> {
    let found = CLOCKS.iter().find(|(known, _)| *known == name);
    found.map(|(_, clock)| *clock).ok_or_else(|| {
        let known: Vec<_> = CLOCKS.iter().map(|(name, _)| *name).collect();
        let problem = format!("`{name}`: a live run is in one of {}", known.join(", "));
        request(RequestError::new("clock", problem))
    })
}

/// The names of the stacks.
pub(crate) fn names() -> Vec<&'static str> {
    STACKS.iter().map(|(name, _)| *name).collect()
}

/// The names of those that are in this build.
pub(crate) fn built() -> Vec<&'static str> {
    let built = STACKS.iter().filter(|(_, run)| run.is_some());
    built.map(|(name, _)| *name).collect()
}

fn not_built(name: &str) -> PyErr {
    let command = match name {
        "noq" | "quinn" => "make live",
        "linux" => "make live-linux",
        "quiche" => "make live-quiche",
        _ => "make live-s2n",
    };
    let problem = format!("`{name}`: is not in this build; `{command}` in a checkout adds it");
    request(RequestError::new("stack", problem))
}

fn failed(message: String) -> PyErr {
    errors::SimulationError::new_err(message)
}
