//! Web sessions: what is given of them, and the sessions themselves.
//!
//! The structure is that of ns-2's generator (PagePool/WebTraf). A session reads page after
//! page. A page begins with the choice of a server and requests its objects one after the
//! other, without waiting for them. An object is a request from the client and a response
//! from the server; the page is done when all its objects are.

mod entry;
mod sessions;

pub use entry::{Hosts, WebEntry};
pub use sessions::{Launch, Sessions};
