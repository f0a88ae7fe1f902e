//! Reading a capture off the calling thread, which meanwhile looks for Ctrl-C.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use flowstart_capture::{Error, Options, Progress, Reading, read};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::capture_columns::Columns;
use crate::errors::RequestError;

/// How long Ctrl-C and progress may wait.
const LOOK_UP_EVERY: Duration = Duration::from_millis(50);

/// An error in Python, with the file that it is about.
pub(crate) fn refused(error: Error) -> PyErr {
    // Files that are none of these formats may be of one that is read in Python.
    let others = match error {
        Error::Empty { .. } | Error::Unknown { .. } => {
            ", a qlog, or a server's log as CSV, JSON lines or Parquet"
        }
        _ => "",
    };
    let (location, value): ([&str; 0], Option<&str>) = ([], None);
    let file = error.file().map(PathBuf::from);
    RequestError::new_err((format!("{error}{others}"), location, value, file))
}

/// Messages of the reading thread.
enum Message {
    Progress(Progress),
    Done(Box<Outcome>),
}

type Outcome = Result<(Reading, Columns), Error>;

/// Reads `paths`; `progress(bytes, total)` is called a few times a second.
///
/// Ctrl-C ends the program that writes to a pipe as well: where the standard input is read, the first one lets the
/// reading continue to the end of what that program has left.
pub(crate) fn run(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    progress: Option<Bound<'_, PyAny>>,
    options: Options,
) -> PyResult<Outcome> {
    let mut patient = paths.iter().any(|path| path.as_os_str() == "-");
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut messages) = mpsc::channel();
    let stopped = stop.clone();
    thread::spawn(move || {
        let mut report = |progress| {
            // Nobody listens any more where the caller has gone.
            let gone = sender.send(Message::Progress(progress)).is_err();
            match gone || stopped.load(Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let mut rows = Columns::default();
        let result = read(&paths, &options, &mut rows, &mut report);
        let _ = sender.send(Message::Done(Box::new(result.map(|found| (found, rows)))));
    });
    loop {
        let (latest, done) = py.detach(|| gather(&mut messages));
        if let Some(result) = done {
            return Ok(*result);
        }
        let reported = match (&progress, latest) {
            (Some(progress), Some(at)) => progress.call1((at.bytes_read, at.bytes_total)).map(drop),
            _ => Ok(()),
        };
        if let Err(error) = reported.and_then(|()| py.check_signals()) {
            if error.is_instance_of::<PyKeyboardInterrupt>(py) && std::mem::take(&mut patient) {
                continue;
            }
            stop.store(true, Relaxed);
            return Err(error);
        }
    }
}

type Gathered = (Option<Progress>, Option<Box<Outcome>>);

/// The latest progress until it is time to look up again, or the result.
fn gather(messages: &mut mpsc::Receiver<Message>) -> Gathered {
    let mut latest = None;
    let until = std::time::Instant::now() + LOOK_UP_EVERY;
    loop {
        let left = until.saturating_duration_since(std::time::Instant::now());
        match messages.recv_timeout(left) {
            Ok(Message::Progress(progress)) => latest = Some(progress),
            Ok(Message::Done(result)) => return (latest, Some(result)),
            Err(RecvTimeoutError::Timeout) => return (latest, None),
            // The thread ends only after it has sent its result, or by a defect.
            Err(RecvTimeoutError::Disconnected) => {
                return (latest, Some(Box::new(Err(Error::Stopped))));
            }
        }
    }
}
