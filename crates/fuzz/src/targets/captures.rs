//! Captures and logs, read from a file as the command line does.

use crate::sentence::assert_sentence;
use flowstart_capture::{Collected, Direction, Options, read as read_files};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Reads the bytes as a file, whose content decides its format.
pub(super) fn read(bytes: &[u8]) {
    let file = Scratch::new(bytes);
    if let Some((reading, rows)) = collected(&file.path) {
        for text in reading.warnings.iter().chain(&reading.notes) {
            assert_sentence(text);
        }
        check(&rows);
    }
}

/// The rows of a file, unless it is refused, in a sentence.
pub(super) fn collected(path: &Path) -> Option<(flowstart_capture::Reading, Collected)> {
    let mut rows = Collected::default();
    let go_on = &mut |_| ControlFlow::Continue(());
    let files = [path.to_path_buf()];
    match read_files(&files, &Options::default(), &mut rows, go_on) {
        Ok(reading) => Some((reading, rows)),
        Err(error) => {
            assert_sentence(&error.to_string());
            None
        }
    }
}

/// What holds of the rows of every file.
fn check(rows: &Collected) {
    for row in &rows.connections {
        let times = [Some(row.start), row.rtt_s, row.server_rtt_s, row.end_s];
        assert!(times.into_iter().flatten().all(f64::is_finite), "{row:?}");
        assert!(row.rtt_s.is_none_or(|rtt| rtt >= 0.0), "{row:?}");
        assert!(row.end_s.is_none_or(|end| end >= 0.0), "{row:?}");
    }
    for row in &rows.transfers {
        assert!(row.start.is_finite() && row.end_s.is_finite(), "{row:?}");
        assert!(row.bytes > 0, "{row:?}");
        let sent = matches!(
            row.direction,
            Direction::ClientToServer | Direction::ServerToClient
        );
        assert!(sent && row.connection < rows.connections.len(), "{row:?}");
    }
}

/// A file for one execution, in memory where the system has a folder that is.
pub(super) struct Scratch {
    pub(super) path: PathBuf,
}

impl Scratch {
    pub(super) fn new(bytes: &[u8]) -> Scratch {
        let memory = Path::new("/dev/shm");
        let folder = match memory.is_dir() {
            true => memory.to_path_buf(),
            false => std::env::temp_dir(),
        };
        let thread = std::thread::current().id();
        let name = format!("flowstart-fuzz-{}-{thread:?}", std::process::id());
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("the scratch folder can be written");
        Scratch { path }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
