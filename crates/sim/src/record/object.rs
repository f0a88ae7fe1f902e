//! One row for each object of web sessions.

use serde::Serialize;

/// What became of an object: a request and the response to it. Times are seconds; `None`
/// where a thing did not happen. Sizes, losses and the response's own duration are in the
/// rows of its flows.
#[derive(Clone, Debug, Serialize)]
pub struct ObjectRow {
    /// Which entry of the scenario's `web`.
    pub web: u32,
    /// Which session of the entry, from 0.
    pub session: u32,
    /// Which page of the session, from 0.
    pub page: u32,
    /// Which object of the page, from 0.
    pub object: u32,
    /// The host that read, among the entry's clients.
    pub client: u32,
    /// The host that answered, among its servers.
    pub server: u32,
    /// Packets of the response.
    pub packets: u64,
    /// Whether it was drawn larger and cut to the entry's `max_size`.
    pub cut: bool,
    /// The request's flow.
    pub request_flow: u32,
    /// The response's flow.
    pub flow: Option<u32>,
    /// When the client sent its first SYN for the request.
    pub requested_s: f64,
    /// From then until the client held the response's last byte in order.
    pub response_s: Option<f64>,
    /// From then until the server had it acknowledged.
    pub done_s: Option<f64>,
    /// Whether everything was acknowledged.
    pub complete: bool,
}
