//! Start-up and congestion-avoidance algorithms, and nothing else.
//!
//! A transport owns a [`Window`] and a [`Controller`]. It reports what happens in
//! [`mod@signals`] and obeys the window: how much may be in flight, how fast it may leave,
//! how packets are tagged. An algorithm neither sends, logs, reads a clock nor draws a
//! random number; loss recovery, retransmission and timers are the transport's.
//!
//! ```
//! use flowstart_control::{catalog, signals::Established, Convention, Time, Window};
//!
//! let mut controller = catalog::controller("slow-start", "reno", Convention::Rfc).unwrap();
//! let mut window = Window::new(1460);
//! controller.on_established(&mut window, &Established {
//!     initial_window: 10.0,
//!     rtt: Some(Time::from_millis(50)),
//!     ..Established::at(Time::from_millis(50))
//! });
//! assert_eq!(window.cwnd_bytes(), 14_600);
//! ```
#![forbid(unsafe_code)]

pub mod avoidance;
pub mod catalog;
mod controller;
mod convention;
pub mod custom;
pub mod entry;
mod exit;
pub mod growth_gate;
mod initial_window;
pub mod model;
pub mod named;
mod near_units;
mod nearest;
mod one_line;
pub mod params;
mod rate_codes;
pub mod signals;
pub mod slow_start;
pub mod startup;
#[cfg(test)]
mod testing;
pub mod units;
mod window;

pub use controller::Controller;
pub use convention::Convention;
pub use custom::CustomStartups;
pub use exit::{Exit, Reason};
pub use initial_window::{AfterSynLoss, InitialWindow};
pub use named::Named;
pub use nearest::nearest;
pub use one_line::one_line;
pub use rate_codes::RateCodes;
pub use units::{Amount, Bytes, Rate, Segments, Time};
pub use window::{Pair, ProactiveRetransmissions, Tags, Window};

#[doc(hidden)]
pub use serde; // For `named!` where it is used.
