//! The files that scenarios name, each of which is read once.

use crate::spec::RequestError;
use flowstart_network::variation::Opportunities;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::sync::Arc;

/// Bytes of a file at most: a trace of two bytes a line takes eight times as much in memory.
const LARGEST: u64 = 48 << 20;

/// The text of a regular file; others may have no end, or wait for a writer.
pub(super) fn read(file: &str) -> Result<String, String> {
    let failed = |error: Error| match error.kind() {
        ErrorKind::NotFound => "does not exist".into(),
        ErrorKind::InvalidData => "is not a text file".into(),
        _ => format!("cannot be read: {error}"),
    };
    if !std::fs::metadata(file).map_err(failed)?.is_file() {
        return Err("is not a regular file".into());
    }
    let mut text = String::new();
    let mut opened = File::open(file).map_err(failed)?.take(LARGEST + 1);
    opened.read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > LARGEST {
        return Err(format!("is larger than {} MiB", LARGEST >> 20));
    }
    Ok(text)
}

/// What has been read, by the name that a scenario gives it.
#[derive(Default)]
pub(super) struct Files {
    traces: HashMap<String, Arc<Opportunities>>,
}

impl Files {
    /// A trace of delivery opportunities, which `field` names.
    pub(super) fn trace(
        &mut self,
        field: &str,
        file: &str,
    ) -> Result<Arc<Opportunities>, RequestError> {
        if let Some(trace) = self.traces.get(file) {
            return Ok(trace.clone());
        }
        let wrong = |problem: String| RequestError::new(field, format!("`{file}` {problem}"));
        let text = read(file).map_err(wrong)?;
        let trace = Arc::new(Opportunities::parse(&text).map_err(wrong)?);
        self.traces.insert(file.into(), trace.clone());
        Ok(trace)
    }
}
