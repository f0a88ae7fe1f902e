//! The packets of a flow, and the files that are made of them.

use flowstart_export::{pcap, qlog};
use flowstart_sim::record::packets::{FlowLog, Host};
use pyo3::prelude::*;

use crate::errors::RequestError;

/// The packets of one flow, as both of its hosts saw them.
#[pyclass(frozen, module = "flowstart._native")]
pub struct FlowPackets {
    log: FlowLog,
}

impl FlowPackets {
    /// Those of `log`.
    pub fn of(log: FlowLog) -> FlowPackets {
        FlowPackets { log }
    }
}

#[pymethods]
impl FlowPackets {
    /// Which flow.
    #[getter]
    fn flow(&self) -> u32 {
        self.log.flow
    }

    /// What its sender did and knew, as qlog.
    fn qlog(&self, py: Python<'_>) -> Vec<u8> {
        py.detach(|| qlog::qlog(&self.log))
    }

    /// Its packets as captured at `side`, `sender` or `receiver`, as pcap.
    fn pcap(&self, py: Python<'_>, side: &str) -> PyResult<Vec<u8>> {
        let host = match side {
            "sender" => Host::Sender,
            "receiver" => Host::Receiver,
            other => {
                let message = format!("side {other:?}: there are sender and receiver");
                return Err(RequestError::new_err(message));
            }
        };
        Ok(py.detach(|| pcap::pcap(&self.log, host)))
    }
}
