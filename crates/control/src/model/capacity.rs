//! What a startup that ends without a loss takes path and queue to hold, for an avoidance that
//! levels out where the last loss was.

use super::Model;
use crate::{Segments, Window};
use std::any::Any;

/// So many segments: the window at which a loss would have come (`W_max` of RFC 9438 §4.1.2).
pub struct Capacity(pub Segments);

impl Capacity {
    /// The segments, or the model as it came where it is of another kind.
    pub(crate) fn of(model: Box<dyn Model>) -> Result<Segments, Box<dyn Model>> {
        model.downcast::<Capacity>().map(|capacity| capacity.0)
    }
}

impl Model for Capacity {
    /// The window is the startup's, whichever congestion control continues with it.
    fn release_cwnd(&self, _w: &mut Window) {}

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
