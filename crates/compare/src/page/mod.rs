//! The explore view of the explorer: from a request in JSON to the answer that the page draws.
//!
//! The same code runs behind `flowstart explore`, where startups in Python may take part, and as
//! WebAssembly in a browser. A request has the state of the page, `given`: options of `flowstart
//! compare` by name. The answer is the table of that command, and what each startup did over time.

mod answer;
mod capture;
mod frame;
mod head;
mod limits;
mod lines;
mod packets;
mod requests;
mod scenario_file;
mod view;

pub use answer::Page;
pub use capture::capture;
