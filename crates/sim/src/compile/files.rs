//! The files that scenarios name, each of which is read once.

use crate::spec::RequestError;
use flowstart_network::variation::Opportunities;
use std::collections::HashMap;
use std::sync::Arc;

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
        let text = std::fs::read_to_string(file).map_err(|error| {
            wrong(match error.kind() {
                std::io::ErrorKind::NotFound => "does not exist".into(),
                std::io::ErrorKind::InvalidData => "is not a text file".into(),
                _ => format!("cannot be read: {error}"),
            })
        })?;
        let trace = Arc::new(Opportunities::parse(&text).map_err(wrong)?);
        self.traces.insert(file.into(), trace.clone());
        Ok(trace)
    }
}
