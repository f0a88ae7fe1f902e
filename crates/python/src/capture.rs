//! Reading a capture off the calling thread, which meanwhile looks for Ctrl-C.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use flowstart_capture::{read, Capture, Error, Options, Progress};
use pyo3::prelude::*;

/// How long Ctrl-C and progress may wait.
const LOOK_UP_EVERY: Duration = Duration::from_millis(50);

/// What the reading thread says.
enum Message {
    Progress(Progress),
    Done(Box<Result<Capture, Error>>),
}

/// Reads `path`; `progress(bytes, total)` is called a few times a second.
pub fn run(
    py: Python<'_>,
    path: PathBuf,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Result<Capture, Error>> {
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
        let result = read(&path, &Options::default(), &mut report);
        let _ = sender.send(Message::Done(Box::new(result)));
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
            stop.store(true, Relaxed);
            return Err(error);
        }
    }
}

type Gathered = (Option<Progress>, Option<Box<Result<Capture, Error>>>);

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
                return (latest, Some(Box::new(Err(Error::Stopped))))
            }
        }
    }
}
