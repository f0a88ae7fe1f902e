//! One row for each object of web sessions.

use crate::maybe_time::MaybeTime;
use flowstart_control::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::num::NonZeroU32;

/// What became of an object: a request and the response to it. Times are seconds; `None`
/// where a thing did not happen. Sizes, losses and the response's own duration are in the
/// rows of its flows.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
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
    #[schemars(extend("unit" = "packets"))]
    pub packets: u64,
    /// Whether it was drawn larger and cut to the entry's `max_size`.
    pub cut: bool,
    /// The request's flow.
    pub request_flow: u32,
    /// The response's flow.
    #[schemars(extend("null" = "the response had not begun"))]
    pub flow: Option<u32>,
    /// When the client sent its first SYN for the request.
    #[schemars(extend("unit" = "seconds"))]
    pub requested_s: f64,
    /// From then until the client held the response's last byte in order.
    #[schemars(extend("unit" = "seconds", "null" = "the client did not get all of it"))]
    pub response_s: Option<f64>,
    /// From then until the server had it acknowledged.
    #[schemars(extend("unit" = "seconds", "null" = "not all of it was acknowledged"))]
    pub done_s: Option<f64>,
    /// Whether everything was acknowledged.
    pub complete: bool,
}

/// What is kept of an object, of which its row is made when it is requested.
#[derive(Clone, Debug)]
pub struct ObjectRecord {
    /// The entry of `web`.
    pub entry: u32,
    /// The session of that entry, from 0.
    pub session: u32,
    /// The page of the session, from 0.
    pub page: u32,
    /// The object of the page, from 0.
    pub object: u32,
    /// The host that answers.
    pub server: u32,
    /// The host that reads.
    pub client: u32,
    /// Packets of the response.
    pub packets: u64,
    /// It was cut to the entry's `max_size`.
    pub cut: bool,
    /// The request's flow.
    pub request: u32,
    /// The response's flow, once it has begun: not the first, for a request comes before it.
    pub response: Option<NonZeroU32>,
    /// Where its page is kept while it is being read.
    pub(crate) page_key: u32,
    /// When the request began.
    pub(crate) requested: Instant,
    /// When the client held all of the response.
    pub(crate) responded: MaybeTime,
    /// When the server had all of it acknowledged.
    pub(crate) done: MaybeTime,
}

impl ObjectRecord {
    fn row(&self) -> ObjectRow {
        let since = |at: Instant| at.since(self.requested).secs();
        ObjectRow {
            web: self.entry,
            session: self.session,
            page: self.page,
            object: self.object,
            client: self.client,
            server: self.server,
            packets: self.packets,
            cut: self.cut,
            request_flow: self.request,
            flow: self.response.map(NonZeroU32::get),
            requested_s: self.requested.secs(),
            response_s: self.responded.get().map(since),
            done_s: self.done.get().map(since),
            complete: self.done.is_some(),
        }
    }
}

/// The rows of all objects that were requested, in that order.
#[derive(Clone, Debug)]
pub struct ObjectTable {
    pub(crate) records: Vec<ObjectRecord>,
}

impl ObjectTable {
    /// That of these.
    pub(crate) fn new(records: Vec<ObjectRecord>) -> ObjectTable {
        ObjectTable { records }
    }

    /// How many objects there were.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The row of an object. Panics where there is no such object.
    pub fn row(&self, object: u32) -> ObjectRow {
        self.records[object as usize].row()
    }

    /// All rows.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = ObjectRow> + '_ {
        self.records.iter().map(ObjectRecord::row)
    }
}

impl Serialize for ObjectTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
