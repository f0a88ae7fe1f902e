#![doc = include_str!("../README.md")]
//!
//! The main items: [`catalog::controller`], [`Controller`], [`Window`], [`mod@signals`].

pub mod avoidance;
pub mod catalog;
mod controller;
mod convention;
pub mod custom;
pub mod entry;
mod exit;
mod initial_window;
mod landing;
pub mod model;
pub mod named;
mod near_units;
mod nearest;
mod one_line;
pub mod params;
mod raised_window;
mod rate_codes;
pub mod session;
pub mod signals;
pub mod slow_start;
pub mod startup;
#[cfg(test)]
mod testing;
pub mod units;
pub mod variants;
mod window;

pub use controller::Controller;
pub use convention::{Convention, Family};
pub use custom::CustomStartups;
pub use exit::{Exit, Reason};
pub use initial_window::{AfterSynLoss, InitialWindow};
pub use landing::LandingRule;
pub use named::Named;
pub use nearest::{hint, nearest};
pub use one_line::one_line;
pub use rate_codes::RateCodes;
pub use units::{Amount, Bytes, Duration, Instant, Rate, Segments};
pub use window::{Pair, ProactiveRetransmissions, Tags, Window};

#[doc(hidden)]
pub use serde; // For `named!` where it is used.
