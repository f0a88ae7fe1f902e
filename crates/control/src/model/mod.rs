//! What several algorithms share of their view of the path; and the model that a startup may hand
//! over with the window.

pub mod bbr;
pub(crate) mod bbr_quinn;
pub mod capacity;
pub mod pacing;
pub(crate) mod plateau;
pub(crate) mod rapid_start;
pub(crate) mod round_trips;
pub(crate) mod rounds;
pub mod slower_since;

use std::any::Any;

use crate::Window;

/// A model of the path that a startup hands to the avoidance: one that supports this kind continues
/// with it.
pub trait Model: Any + Send {
    /// No avoidance continues with it: leaves the window to an avoidance without a model.
    fn release_cwnd(&self, w: &mut Window);

    /// The model itself, for an avoidance that supports its kind.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;

    /// Itself, to be looked at.
    fn as_any(&self) -> &dyn Any;
}

impl dyn Model {
    /// The model as this kind, or as it came.
    pub fn downcast<T: Model>(self: Box<Self>) -> Result<Box<T>, Box<dyn Model>> {
        if !self.as_any().is::<T>() {
            return Err(self);
        }
        Ok(self.into_any().downcast().expect("it is of this kind"))
    }
}
