//! Since when a startup grew slower before it ended without a loss, for an avoidance whose curve counts
//! its time from there.

use super::Model;
use crate::{Instant, Window};
use std::any::Any;

/// The beginning of conservative slow start (RFC 9406 §4.2).
pub struct SlowerSince(pub Instant);

impl Model for SlowerSince {
    /// The window is the startup's, whichever congestion control continues with it.
    fn release_cwnd(&self, _w: &mut Window) {}

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
