//! Controllers for an endpoint's connections, and how an application finds its own.

use crate::calls::Calls;
use crate::clock::{Clock, Watch};
use crate::controller::Live;
use flowstart_live::{Handle, Shared, Startup};
use s2n_quic::connection;
use s2n_quic::provider::congestion_controller::{Endpoint, PathInfo};
use s2n_quic::provider::event::{ConnectionInfo, ConnectionMeta, Subscriber};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Makes the controllers of one endpoint.
#[derive(Debug)]
pub struct Factory {
    startup: Startup,
    watch: Watch,
    opening: Opening,
}

/// The connection that is being opened. s2n-quic makes a connection's context and then its
/// controller, before it turns to another connection.
#[derive(Clone, Debug, Default)]
struct Opening(Arc<Mutex<Option<Context>>>);

impl Opening {
    fn put(&self, context: Option<Context>) -> Option<Context> {
        let mut opening = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut opening, context)
    }
}

impl Factory {
    pub(crate) fn new(startup: Startup, watch: Watch) -> Factory {
        Factory {
            startup,
            watch,
            opening: Opening::default(),
        }
    }

    /// What the endpoint takes as a subscriber to its events, alone or in a pair with another:
    /// without it no connection has a [`handle`].
    pub fn events(&self) -> Events {
        Events(self.opening.clone())
    }
}

impl Endpoint for Factory {
    type CongestionController = Live;

    fn new_congestion_controller(&mut self, path_info: PathInfo<'_>) -> Live {
        let mtu = path_info.max_datagram_size;
        let adapter = Shared::new(self.startup.adapter(mtu), self.watch.origin());
        if let Some(Context(place)) = self.opening.put(None) {
            // It is empty: each place is given out once.
            let _ = place.set(Handle::new(adapter.clone()));
        }
        Live::new(Calls::new(adapter, mtu), Clock::new(self.watch))
    }
}

/// Gives each connection a place for its handle.
#[derive(Debug)]
pub struct Events(Opening);

/// Where a connection's handle is.
#[derive(Clone, Debug, Default)]
pub struct Context(Arc<OnceLock<Handle>>);

impl Subscriber for Events {
    type ConnectionContext = Context;

    fn create_connection_context(
        &mut self,
        _meta: &ConnectionMeta,
        _info: &ConnectionInfo<'_>,
    ) -> Context {
        let context = Context::default();
        self.0.put(Some(context.clone()));
        context
    }
}

/// The handle of a connection's startup on the path on which it was opened; `None` where the
/// endpoint has no [`Events`] of the factory that made its controller, or the connection is no more.
///
/// A connection that has migrated has a new controller, which the handle does not reach.
pub fn handle(connection: &connection::Handle) -> Option<Handle> {
    let found = connection.query_event_context(|context: &Context| context.0.get().cloned());
    found.ok().flatten()
}
