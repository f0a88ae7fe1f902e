//! Startups written in Python, as the simulator sees them.
//!
//! Every hook takes the interpreter's lock for as long as the Python method lasts. What a
//! method raises is kept, the run is stopped, and the caller of the run raises it again.

mod places;
pub(crate) mod signals;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use flowstart_control::model::Model;
use flowstart_control::model::capacity::Capacity;
use flowstart_control::signals as told;
use flowstart_control::slow_start::SlowStart;
use flowstart_control::startup::{
    Assisted, Columns, Congestion, Reduction, Repaired, Response, Startup,
};
use flowstart_control::{CustomStartups, Instant, Rate, Reason, Segments, Window, nearest};
use flowstart_sim::Scenario;
use flowstart_sim::record::trace::FlowSamples;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as Unknown, StrDeserializer};

use crate::errors::RequestError;
use signals::Signal;

macro_rules! named {
    ($($hook:ident)*) => {
        /// The hooks of a startup.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        enum Hook {
            $($hook,)*
        }

        /// The hooks by name, in the order of `Hook`.
        pub(crate) const HOOKS: &[&str] = &[$(stringify!($hook),)*];
    };
}

macro_rules! hooks {
    ($($(#[doc = $doc:literal])* $hook:ident($signal:ident: $kind:ident) -> $answer:ty;)*) => {
        named! {
            $($hook)* on_peer_gap on_feedback rate_request on_known on_ack cancel on_loss on_marked on_spurious
            on_timeout on_idle unused_acked survives_loss wants_delivery survives_mark owns_cwnd in_charge
            has_resumed exit_estimate trace
        }

    };
}

flowstart_control::startup_events!(hooks);

macro_rules! described {
    ($($(#[doc = $doc:literal])* $hook:ident($signal:ident: $kind:ident) -> $answer:ty;)*) => {
        [$((
            stringify!($hook),
            signals::joined(&[$($doc),*]),
            stringify!($signal),
            stringify!($kind),
            <$answer as Answered>::ANNOTATION,
        )),*]
    };
}

/// Hooks that receive an event: name, what it is, its argument, signal and answer.
pub(crate) fn events() -> Vec<(
    &'static str,
    String,
    &'static str,
    &'static str,
    &'static str,
)> {
    let startup = flowstart_control::startup_events!(described);
    let assisted = flowstart_control::assisted_events!(described);
    startup.into_iter().chain(assisted).collect()
}

/// What was raised first while a run with Python startups went on; it is to stop then.
#[derive(Default)]
pub(crate) struct Failure {
    happened: AtomicBool,
    raised: Mutex<Option<PyErr>>,
    /// The hook that was interrupted.
    interrupted_in: Mutex<Option<String>>,
}

impl Failure {
    /// What was raised, if anything.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.raised.lock().ok()?.take()
    }

    /// The hook that was interrupted, in words.
    pub(crate) fn interrupted_in(&self) -> Option<String> {
        let place = self.interrupted_in.lock().ok()?.clone();
        place.filter(|place| !place.is_empty())
    }

    /// Whether anything was raised.
    pub(crate) fn has_happened(&self) -> bool {
        self.happened.load(Relaxed)
    }

    /// Lets Python handle its signals: Ctrl-C is raised here.
    pub(crate) fn look_for_signals(&self, py: Python<'_>) {
        if let Err(error) = py.check_signals() {
            self.note(py, error, "");
        }
    }

    fn note(&self, py: Python<'_>, error: PyErr, place: &str) {
        let error = ordinary(py, error);
        if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
            // An exception that takes no notes is still the one to be seen.
            let _ = error.value(py).call_method1("add_note", (place,));
        } else {
            if let Ok(mut noted) = self.interrupted_in.lock() {
                noted.get_or_insert_with(|| place.into());
            }
        }
        if let Ok(mut raised) = self.raised.lock() {
            raised.get_or_insert(error);
        }
        self.happened.store(true, Relaxed);
    }
}

/// An error of a hook as one that a program reports. `SystemExit` and other exceptions that Python
/// does not derive from `Exception` would end the process without a word; Ctrl-C stays.
fn ordinary(py: Python<'_>, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyException>(py) || error.is_instance_of::<PyKeyboardInterrupt>(py) {
        return error;
    }
    let shown = error.value(py).repr().map(|text| text.to_string());
    let shown = shown.unwrap_or_else(|_| "an exception".into());
    let raised = PyRuntimeError::new_err(format!("raised {shown}"));
    raised.set_traceback(py, error.traceback(py));
    raised.set_cause(py, Some(error));
    raised
}

/// Startups of Python by name: what makes one, and which hooks it has.
#[derive(Clone, Default)]
pub(crate) struct Callables(Arc<Vec<Callable>>);

struct Callable {
    name: Arc<str>,
    make: Py<PyAny>,
    hooks: Vec<String>,
}

impl Callables {
    /// Reads `{name: (callable, hooks)}`.
    pub(crate) fn read(custom: Option<Bound<'_, PyDict>>) -> PyResult<Callables> {
        let read = |(name, custom): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let (make, hooks) = custom.extract()?;
            Ok(Callable {
                name: name.extract::<String>()?.into(),
                make,
                hooks,
            })
        };
        let found: PyResult<Vec<_>> = custom.iter().flatten().map(read).collect();
        Ok(Callables(Arc::new(found?)))
    }

    /// Whether a connection of `scenario` begins with one of these.
    pub(crate) fn take_part(&self, scenario: &Scenario) -> bool {
        let flows = scenario.flows.iter().map(|flow| &flow.startup);
        let web = scenario.web.iter().map(|web| &web.startup);
        let mut names = flows.chain(web).flatten();
        names.any(|name| self.0.iter().any(|c| *c.name == **name))
    }

    /// The hooks of each by name.
    pub(crate) fn hooks(&self) -> BTreeMap<String, Vec<String>> {
        let hooks = self
            .0
            .iter()
            .map(|one| (one.name.to_string(), one.hooks.clone()));
        hooks.collect()
    }

    /// These for one run, which ends at a `failure`.
    pub(crate) fn custom(&self, failure: &Arc<Failure>) -> CustomStartups {
        let changes: Arc<AtomicU64> = Arc::default();
        (0..self.0.len()).fold(CustomStartups::none(), |custom, i| {
            let (all, failure, changes) = (self.0.clone(), failure.clone(), Arc::clone(&changes));
            custom.with(&*self.0[i].name, move || {
                Box::new(Custom::new(&all[i], failure.clone(), changes.clone()))
            })
        })
    }
}

/// One flow's startup.
struct Custom {
    methods: Methods,
    /// Arguments of its hooks.
    window: Option<Py<signals::Window>>,
    spares: signals::Spares,
    owns_cwnd: Remembered<()>,
    survives_loss: Remembered<()>,
    survives_mark: Remembered<()>,
    in_charge: Remembered<Option<Window>>,
}

/// The methods of one flow's object.
struct Methods {
    name: Arc<str>,
    /// Bound; empty where the class does not define such a hook.
    own: [Option<Py<PyAny>>; HOOKS.len()],
    failure: Arc<Failure>,
    /// How many hooks of this and other flows have been called that may change an object.
    changes: Arc<AtomicU64>,
}

/// What a hook has answered about `about`, which holds until a hook may have changed an object.
#[derive(Default)]
struct Remembered<T>(Cell<(u64, T, bool)>);

impl<T: Copy + PartialEq> Remembered<T> {
    fn or_ask(
        &self,
        methods: &Methods,
        about: T,
        ask: impl FnOnce() -> Option<bool>,
    ) -> Option<bool> {
        let changes = methods.changes.load(Relaxed);
        let (asked, before, answer) = self.0.get();
        if asked == changes && before == about {
            return Some(answer);
        }
        let answer = ask()?;
        self.0.set((changes, about, answer));
        Some(answer)
    }
}

impl Methods {
    /// What a hook answers; `None` where there is no such hook, or it failed.
    fn ask<T>(
        &self,
        hook: Hook,
        now: Option<Instant>,
        call: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
        read: Reader<T>,
    ) -> Option<T> {
        let method = self.own[hook as usize].as_ref()?;
        if self.failure.has_happened() {
            return None;
        }
        Python::attach(|py| {
            let custom = &self.name;
            let answer = call(method.bind(py)).and_then(|value| {
                let value = &value;
                read(&Answer {
                    hook,
                    custom,
                    value,
                })
            });
            answer
                .map_err(|error| {
                    let at = now.map_or_else(String::new, |now| format!(" at {now}"));
                    let place = format!("in {} of `{custom}`{at}", HOOKS[hook as usize]);
                    self.failure.note(py, error, &place);
                })
                .ok()
        })
    }

    /// Calls a hook that may change its object.
    fn tell<T>(
        &self,
        hook: Hook,
        now: Option<Instant>,
        call: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
        read: Reader<T>,
    ) -> Option<T> {
        let answer = self.ask(hook, now, call, read)?;
        self.changes.fetch_add(1, Relaxed);
        Some(answer)
    }

    /// Whether the class defines this hook.
    fn has(&self, hook: Hook) -> bool {
        self.own[hook as usize].is_some()
    }
}

impl Custom {
    fn new(callable: &Callable, failure: Arc<Failure>, changes: Arc<AtomicU64>) -> Custom {
        let mut custom = Custom {
            methods: Methods {
                name: callable.name.clone(),
                own: Default::default(),
                failure,
                changes,
            },
            window: None,
            spares: Default::default(),
            owns_cwnd: Default::default(),
            survives_loss: Default::default(),
            survives_mark: Default::default(),
            in_charge: Default::default(),
        };
        Python::attach(|py| {
            if let Err(error) = custom.make(py, callable) {
                let place = format!("while a flow's `{}` was made", callable.name);
                custom.methods.failure.note(py, error, &place);
            }
        });
        custom
    }

    fn make(&mut self, py: Python<'_>, callable: &Callable) -> PyResult<()> {
        let object = callable.make.bind(py).call0()?;
        for (place, name) in self.methods.own.iter_mut().zip(HOOKS) {
            if callable.hooks.iter().any(|own| own == name) {
                *place = Some(object.getattr(name)?.unbind());
            }
        }
        self.window = Some(Py::new(py, signals::Window::default())?);
        // Nothing has been asked yet.
        self.methods.changes.fetch_add(1, Relaxed);
        Ok(())
    }

    /// A hook whose only argument is the window.
    fn edit_alone(&mut self, hook: Hook, w: &mut Window) {
        self.methods.tell(
            hook,
            None,
            |method| {
                let window = shown(&self.window, method.py(), w);
                let answer = method.call1((window,))?;
                window.get().write_to(w);
                Ok(answer)
            },
            nothing,
        );
    }

    /// Result of a hook without arguments; false where there is none.
    fn state(&self, remembered: &Remembered<()>, hook: Hook) -> bool {
        let ask = || self.methods.ask(hook, None, |m| m.call0(), truth);
        self.methods.has(hook) && remembered.or_ask(&self.methods, (), ask).unwrap_or(false)
    }

    /// Whether this does not end it at present.
    fn survives(&self, c: &Congestion) -> bool {
        match c {
            Congestion::Mark(_) if self.methods.has(Hook::survives_mark) => {
                self.state(&self.survives_mark, Hook::survives_mark)
            }
            _ => self.state(&self.survives_loss, Hook::survives_loss),
        }
    }

    /// Calls the hook for this congestion. One that is not written is `cancel`; marks are losses then.
    fn reduce(&mut self, w: &mut Window, c: &Congestion) -> Reduction {
        let read: Reader<Reduction> = reduction;
        let answer = match c {
            Congestion::Mark(m) if self.methods.has(Hook::on_marked) => {
                self.edit::<signals::Marked, _>(Hook::on_marked, w, m.now, m, read)
            }
            Congestion::Mark(m) => return self.reduce(w, &Congestion::Loss(m.into())),
            Congestion::Loss(l) if self.methods.has(Hook::on_loss) => {
                self.edit::<signals::Loss, _>(Hook::on_loss, w, l.now, l, read)
            }
            Congestion::Timeout(t) if self.methods.has(Hook::on_timeout) => {
                self.edit::<signals::Timeout, _>(Hook::on_timeout, w, t.now, t, read)
            }
            _ => {
                self.edit_alone(Hook::cancel, w);
                None
            }
        };
        answer.unwrap_or(Reduction::Standard)
    }

    /// Bytes of the ACK that just ended the startup which are the congestion control's.
    fn unused_acked(&mut self) -> u64 {
        let read = |answer: &Answer<'_>| whole(answer, "a number of bytes");
        self.methods
            .tell(Hook::unused_acked, None, |m| m.call0(), read)
            .unwrap_or(0)
    }

    /// What a hook answers that edits the window.
    #[inline]
    fn edit<S: Signal, T>(
        &mut self,
        hook: Hook,
        w: &mut Window,
        now: Instant,
        signal: &S::Told,
        read: Reader<T>,
    ) -> Option<T> {
        self.methods.tell(
            hook,
            Some(now),
            |method| {
                let window = shown(&self.window, method.py(), w);
                let signal = S::object(&mut self.spares, method.py(), signal)?;
                let answer = method.call1((window, signal))?;
                window.get().write_to(w);
                Ok(answer)
            },
            read,
        )
    }
}

/// The window as an object, with the values of `w`.
fn shown<'a, 'py>(
    window: &'a Option<Py<signals::Window>>,
    py: Python<'py>,
    w: &Window,
) -> &'a Bound<'py, signals::Window> {
    let window = window.as_ref().expect("made with the methods").bind(py);
    window.get().show(w);
    window
}

type Reader<T> = fn(&Answer<'_>) -> PyResult<T>;

/// What an event may be answered.
trait Answered: Sized {
    const ANNOTATION: &'static str;
    fn read(answer: &Answer<'_>) -> PyResult<Self>;
}

impl Answered for () {
    const ANNOTATION: &'static str = "None";
    fn read(answer: &Answer<'_>) -> PyResult<()> {
        nothing(answer)
    }
}

impl Answered for Option<Reason> {
    const ANNOTATION: &'static str = "Reason | None";
    fn read(answer: &Answer<'_>) -> PyResult<Option<Reason>> {
        reason(answer)
    }
}

impl Answered for Repaired {
    const ANNOTATION: &'static str = "Reason | float | None";
    fn read(answer: &Answer<'_>) -> PyResult<Repaired> {
        match answer.value.extract::<f64>() {
            Ok(_) => Ok(window_or_nothing(answer)?.into()),
            Err(_) => Ok(reason(answer)?.map_or(Repaired::Continues, Repaired::Ends)),
        }
    }
}

/// What a method returned.
struct Answer<'a> {
    hook: Hook,
    custom: &'a str,
    value: &'a Bound<'a, PyAny>,
}

impl Answer<'_> {
    fn is_none(&self) -> bool {
        self.value.is_none()
    }

    fn text(&self) -> Option<String> {
        let text = self.value.cast::<PyString>().ok()?;
        Some(text.to_string_lossy().into_owned())
    }

    /// An error with what the hook should have returned.
    fn refused(&self, right: &str) -> PyErr {
        let (name, hook) = (self.custom, HOOKS[self.hook as usize]);
        let value = self.value.repr().map(|r| r.to_string());
        let value = value.unwrap_or_else(|_| "something".into());
        RequestError::new_err(format!(
            "startup `{name}`: {hook} returned {value}; {right}"
        ))
    }
}

// What the answers mean.

fn nothing(answer: &Answer<'_>) -> PyResult<()> {
    match answer.is_none() {
        true => Ok(()),
        false => Err(answer.refused("it should return nothing")),
    }
}

fn reason(answer: &Answer<'_>) -> PyResult<Option<Reason>> {
    if answer.is_none() {
        return Ok(None);
    }
    let text = answer.text().unwrap_or_default();
    let reader: StrDeserializer<'_, Unknown> = text.as_str().into_deserializer();
    Reason::deserialize(reader).map(Some).map_err(|unknown| {
        let message = unknown.to_string();
        let known: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
        match nearest(&text, known.iter().copied()) {
            Some(near) => answer.refused(&format!("did you mean \"{near}\"?")),
            None => answer.refused(&format!("None or a reason is needed: {}", known.join(", "))),
        }
    })
}

fn reduction(answer: &Answer<'_>) -> PyResult<Reduction> {
    match answer.text().as_deref() {
        Some("done") => Ok(Reduction::Done),
        Some("self-managed") => Ok(Reduction::SelfManaged),
        Some("standard") => Ok(Reduction::Standard),
        _ if answer.is_none() => Ok(Reduction::Standard),
        _ => Err(answer.refused("\"standard\" (or None), \"done\" or \"self-managed\" is needed")),
    }
}

fn truth(answer: &Answer<'_>) -> PyResult<bool> {
    let truth = answer.value.extract();
    truth.map_err(|_| answer.refused("True or False is needed"))
}

fn truth_or_nothing(answer: &Answer<'_>) -> PyResult<bool> {
    Ok(!answer.is_none() && truth(answer)?)
}

fn window_or_nothing(answer: &Answer<'_>) -> PyResult<Option<Segments>> {
    let refused = || answer.refused("a number of segments from 1 to 1e9 is needed, or None");
    let window: Option<f64> = answer.value.extract().map_err(|_| refused())?;
    match window {
        Some(window) if !(1.0..=1e9).contains(&window) => Err(refused()),
        window => Ok(window),
    }
}

/// Numbers by the names of their columns.
fn columns(answer: &Answer<'_>) -> PyResult<Vec<(String, f64)>> {
    let columns: Vec<(String, f64)> = answer
        .value
        .cast::<PyDict>()
        .ok()
        .and_then(|columns| {
            columns
                .iter()
                .map(|(name, value)| Some((name.extract().ok()?, value.extract().ok()?)))
                .collect()
        })
        .ok_or_else(|| answer.refused("a dictionary of numbers by name is needed"))?;
    let taken = |name: &str| name.is_empty() || FlowSamples::COLUMNS.contains(&name);
    match columns.iter().find(|(name, _)| taken(name)) {
        None => Ok(columns),
        Some((name, _)) => {
            let there = FlowSamples::COLUMNS.join(", ");
            Err(answer.refused(&format!(
                "{name:?} is not a name for a separate column next to {there}"
            )))
        }
    }
}

fn whole(answer: &Answer<'_>, what: &str) -> PyResult<u64> {
    let number = answer.value.extract();
    number.map_err(|_| answer.refused(&format!("{what} is needed, a whole number")))
}

fn positive(answer: &Answer<'_>, what: &str) -> PyResult<Option<u64>> {
    if answer.is_none() {
        return Ok(None);
    }
    match whole(answer, what)? {
        0 => Err(answer.refused(&format!("{what} above 0 is needed, or None"))),
        number => Ok(Some(number)),
    }
}

macro_rules! tell {
    ($($(#[doc = $doc:literal])* $hook:ident($signal:ident: $kind:ident) -> $answer:ty;)*) => {$(
        fn $hook(&mut self, w: &mut Window, $signal: &told::$kind) -> $answer {
            let (hook, now) = (Hook::$hook, $signal.now);
            let answer = self.edit::<signals::$kind, _>(hook, w, now, $signal, Answered::read);
            answer.unwrap_or_default()
        }
    )*};
}

impl Startup for Custom {
    flowstart_control::startup_events!(tell);

    fn on_ack(
        &mut self,
        w: &mut Window,
        a: &told::Ack,
        slow_start: &mut SlowStart,
    ) -> Option<Reason> {
        let reason = self.edit::<signals::Ack, _>(Hook::on_ack, w, a.now, a, reason)?;
        if self.methods.has(Hook::unused_acked) && !self.in_charge(w) {
            slow_start.set_unused_acked(self.unused_acked());
        }
        reason
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        let survives = self.survives(c);
        let reduction = self.reduce(w, c);
        // A timeout's hook may change the answer.
        let ends = !survives || c.is_timeout() && !self.survives(c);
        Response { reduction, ends }
    }

    fn on_spurious(&mut self, w: &mut Window) -> bool {
        self.edit_alone(Hook::on_spurious, w);
        self.methods
            .ask(Hook::has_resumed, None, |m| m.call0(), truth)
            .unwrap_or(true)
    }

    fn on_idle(&mut self, w: &mut Window, before: &Window, i: &told::Idle) -> bool {
        let answer = self.methods.tell(
            Hook::on_idle,
            Some(i.now),
            |method| {
                let py = method.py();
                let window = shown(&self.window, py, w);
                let earlier = signals::Window::default();
                earlier.show(before);
                let idle = signals::Idle::object(&mut self.spares, py, i)?;
                let answer = method.call1((window, earlier, idle))?;
                window.get().write_to(w);
                Ok(answer)
            },
            truth_or_nothing,
        );
        answer.unwrap_or(false)
    }

    fn export_model(&mut self) -> Option<Box<dyn Model>> {
        let hook = Hook::exit_estimate;
        let estimate = self
            .methods
            .tell(hook, None, |m| m.call0(), window_or_nothing)?;
        estimate.map(|segments| Box::new(Capacity(segments)) as Box<dyn Model>)
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }

    fn columns(&self) -> Option<&dyn Columns> {
        self.methods.has(Hook::trace).then_some(self)
    }

    fn wants_delivery(&self) -> bool {
        self.methods
            .ask(Hook::wants_delivery, None, |m| m.call0(), truth)
            .unwrap_or(false)
    }

    fn owns_cwnd(&self) -> bool {
        self.state(&self.owns_cwnd, Hook::owns_cwnd)
    }

    fn in_charge(&self, w: &Window) -> bool {
        if !self.methods.has(Hook::in_charge) {
            return w.in_slow_start();
        }
        let ask = || {
            let (hook, window) = (Hook::in_charge, &self.window);
            self.methods
                .ask(hook, None, |m| m.call1((shown(window, m.py(), w),)), truth)
        };
        let answer = self.in_charge.or_ask(&self.methods, Some(*w), ask);
        answer.unwrap_or_else(|| w.in_slow_start())
    }
}

impl Assisted for Custom {
    flowstart_control::assisted_events!(tell);

    fn on_known(&mut self, k: &told::PathInfo) {
        let known = || signals::PathInfo::saying(k);
        let hook = Hook::on_known;
        self.methods
            .tell(hook, None, |m| m.call1((known(),)), nothing);
    }

    fn rate_request(&self, s: &told::Syn) -> Option<Rate> {
        let read = |answer: &Answer<'_>| positive(answer, "a rate in bits per second");
        let syn = || signals::Syn::saying(s);
        let hook = Hook::rate_request;
        let rate = self.methods.tell(hook, None, |m| m.call1((syn(),)), read);
        rate?.map(Rate::from_bps)
    }
}

impl Columns for Custom {
    fn trace(&self, column: &mut dyn FnMut(&str, f64)) {
        let own = self.methods.ask(Hook::trace, None, |m| m.call0(), columns);
        for (name, value) in own.into_iter().flatten() {
            column(&name, value);
        }
    }
}
