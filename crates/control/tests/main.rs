//! Properties of algorithms through the public interface.

mod pacing;
mod properties;
