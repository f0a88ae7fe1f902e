//! The process that removes what was loaded when its time is over: a shell that sleeps.

use crate::sys;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// It ends by itself where the folder is another load's. A signal ends its sleep too.
const SCRIPT: &str = r#"
trap '' HUP INT
{ trap 'kill $!; exit' TERM; sleep "$1" & wait $!; rm -r -- "$2" && rmdir -- "${2%/*}"; } \
    </dev/null >/dev/null 2>&1 &
echo $!
"#;

/// Starts one that removes this folder after this time; returns its process number.
pub(super) fn start(time: Duration, folder: &Path) -> io::Result<u32> {
    let shell = Command::new("sh")
        .args(["-c", SCRIPT, "flowstart-watchdog"])
        .arg(time.as_secs_f64().to_string())
        .arg(folder)
        .current_dir("/")
        .process_group(0)
        .stderr(Stdio::null())
        .output();
    let failed = |why: String| io::Error::other(format!("no watchdog can be started ({why})"));
    let said = shell.map_err(|e| failed(e.to_string()))?.stdout;
    let number = String::from_utf8_lossy(&said).trim().parse();
    number.map_err(|_| failed("sh printed no process number".into()))
}

/// Ends it, unless the process of this number is another.
pub(super) fn stop(process: u32, folder: &Path) {
    if is_running(process, folder) {
        sys::terminate(process);
    }
}

/// Whether it waits.
pub(super) fn is_running(process: u32, folder: &Path) -> bool {
    let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let folder = folder.as_os_str().as_encoded_bytes();
    process > 0 && words.split(|byte| *byte == 0).any(|word| word == folder)
}
