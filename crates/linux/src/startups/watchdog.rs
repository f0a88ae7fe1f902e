//! The process that removes what was loaded when its time is over: a shell that sleeps.

use crate::sys;
use std::fmt::Display;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Its name among its words, by which it is found.
const NAME: &str = "flowstart-watchdog";
/// It leaves another load's folder alone. A signal ends its sleep too.
const SCRIPT: &str = r#"
trap '' HUP INT
{ trap 'kill $!; exit' TERM; sleep "$1" & wait $!; rm -r -- "$2" && rmdir -- "${2%/*}"; } \
    </dev/null >/dev/null 2>&1 &
"#;

/// Starts one that removes this folder after this time.
pub(super) fn start(time: Duration, folder: &Path) -> io::Result<()> {
    let shell = Command::new("sh")
        .args(["-c", SCRIPT, NAME])
        .arg(time.as_secs_f64().to_string())
        .arg(folder)
        .current_dir("/")
        .process_group(0)
        .stderr(Stdio::null())
        .status();
    match shell {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(&status)),
        Err(error) => Err(failed(&error)),
    }
}

fn failed(why: &dyn Display) -> io::Error {
    io::Error::other(format!("no watchdog can be started ({why})"))
}

/// Ends those of a folder, also of a load that was interrupted before anything was pinned.
pub(super) fn stop(folder: &Path) {
    of(folder).into_iter().for_each(sys::terminate);
}

/// Whether one waits.
pub(super) fn is_running(folder: &Path) -> bool {
    !of(folder).is_empty()
}

/// Processes that are watchdogs of a folder.
fn of(folder: &Path) -> Vec<u32> {
    let folder = folder.as_os_str().as_encoded_bytes();
    let is_one = |words: &[u8]| {
        let has = |wanted: &[u8]| words.split(|byte| *byte == 0).any(|word| word == wanted);
        has(NAME.as_bytes()) && has(folder)
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let matching = processes.filter(|process| {
        fs::read(process.path().join("cmdline")).is_ok_and(|words| is_one(&words))
    });
    matching
        .filter_map(|process| process.file_name().to_str()?.parse().ok())
        .collect()
}
