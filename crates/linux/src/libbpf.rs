//! Errors of libbpf in one line: its log goes into them, and nothing to the terminal.

use libbpf_rs::PrintLevel;
use std::io;
use std::sync::Mutex;

/// The first line that libbpf has written: others repeat the error.
static LOG: Mutex<String> = Mutex::new(String::new());

/// Keeps what libbpf writes from now on for errors.
pub(crate) fn keep_log() {
    if let Ok(mut log) = LOG.lock() {
        log.clear();
    }
    libbpf_rs::set_print(Some((PrintLevel::Warn, |_, line| log(&line))));
}

fn log(line: &str) {
    if let Ok(mut log) = LOG.lock()
        && log.is_empty()
    {
        *log = line.trim().replace('\n', "; ");
    }
}

/// An error of libbpf: what failed, why, and the first line of the log.
pub(crate) fn failed(what: &str, e: &libbpf_rs::Error) -> io::Error {
    let line = LOG.lock().map(|log| log.clone()).unwrap_or_default();
    let logged = if line.is_empty() {
        line
    } else {
        format!(" ({line})")
    };
    io::Error::other(format!("{what}: {e:#}{logged}"))
}
