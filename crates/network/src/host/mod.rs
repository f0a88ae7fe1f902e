//! Hosts: what happens to packets between a transport and the first link, and behind the last.
//!
//! A host wakes late, sends and receives in batches, needs processor time, and loses what does not
//! fit into the buffer of its socket. [`Host`] has these properties in plain values; the stages of a
//! route ([`host_send`](crate::link::host_send), [`coalescing`](crate::link::coalescing),
//! [`socket`](crate::link::socket)) have the effects on packets.

mod params;
mod presets;
mod properties;
mod spec;
mod wake;

pub use properties::{Costs, Host, LateLaw};
pub use spec::{HostSpec, describe};
pub use wake::Wake;
