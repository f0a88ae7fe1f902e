//! Startups that run in the kernel without an agent (`bpf/startups`), for a share of the connections
//! that this host accepts.
//!
//! What is loaded is pinned below [`FOLDER`], and that alone keeps it: [`unload`] removes the folder, and
//! so does the watchdog, a process that waits for the deadline. The program in the kernel has the
//! deadline too, so that no connection gets the startup after it where the watchdog was killed.

mod catalog;
mod program;
mod records;
mod request;
mod watchdog;

pub use catalog::{STARTUPS, Startup};
pub use program::Loaded;
pub use records::{Counts, Network};
pub use request::{Request, Status};

use crate::permission::no_btf;
use crate::sys;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where loaded startups are pinned.
pub const FOLDER: &str = "/sys/fs/bpf/flowstart";
/// The file system that keeps BPF objects.
const BPF_FILES: &str = "/sys/fs/bpf";

/// Loads a startup, which stays when this process ends. Returns an error of one line where kernel,
/// permission or another load prevents it; then nothing is left.
pub fn load(request: &Request) -> io::Result<()> {
    check()?;
    let began = sys::monotonic();
    let top = Path::new(FOLDER);
    fs::create_dir(top).map_err(|e| io::Error::other(format!("{FOLDER} cannot be made ({e})")))?;
    let folder = top.join(format!("{began:x}"));
    let loaded = pin(request, began, &folder);
    if loaded.is_err() {
        let _ = fs::remove_dir_all(top);
    }
    loaded
}

fn pin(request: &Request, began: u64, folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    let settings = request.settings(began);
    if let Some(time) = request.time {
        watchdog::start(time, folder)?;
    }
    let pinned = Loaded::new(request.startup).and_then(|mut loaded| {
        loaded.choose(&settings, request)?;
        loaded.pin(folder)
    });
    if pinned.is_err() {
        watchdog::stop(folder);
    }
    pinned
}

/// What is loaded; `None` where nothing is. A load that was interrupted is an error.
pub fn status() -> io::Result<Option<Status>> {
    let Some(folder) = folder()? else {
        return Ok(None);
    };
    program::pinned(&folder).map(Some).map_err(|e| {
        io::Error::other(format!(
            "a load was interrupted ({e}); `flowstart kernel unload` removes it"
        ))
    })
}

/// Removes what is loaded. Returns whether there was anything.
///
/// Open connections keep the startup until they close; the kernel keeps its program as long.
pub fn unload() -> io::Result<bool> {
    let Some(folder) = folder()? else {
        return Ok(false);
    };
    watchdog::stop(&folder);
    match fs::remove_dir_all(FOLDER) {
        // The watchdog was faster.
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(true),
    }
}

/// The folder of the load; [`FOLDER`] itself where it has none yet.
fn folder() -> io::Result<Option<PathBuf>> {
    let entries = match fs::read_dir(FOLDER) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => {
            entries.map_err(|e| io::Error::other(format!("{FOLDER} cannot be read ({e})")))?
        }
    };
    let first = entries.flatten().next();
    Ok(Some(first.map_or(FOLDER.into(), |entry| entry.path())))
}

/// Returns an error of one line where nothing can be pinned: the kernel lacks something, or a startup is
/// loaded already.
pub fn check() -> io::Result<()> {
    let no_files = || {
        let is_missing = !sys::is_bpf_files(Path::new(BPF_FILES));
        is_missing.then(|| {
            format!(
                "{BPF_FILES} is no BPF file system; `mount -t bpf bpf {BPF_FILES}` makes it one"
            )
        })
    };
    let loaded = || {
        let is_loaded = Path::new(FOLDER).exists();
        is_loaded
            .then(|| "a startup is loaded already; `flowstart kernel unload` removes it".into())
    };
    match no_btf().or_else(no_files).or_else(loaded) {
        Some(why) => Err(io::Error::other(why)),
        None => Ok(()),
    }
}
