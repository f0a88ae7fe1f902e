//! Startup algorithms, one file each. To add one: its file, and here its module and its entry.

use crate::entry::Entry;

pub mod adaptive_start;
mod bbr_quinn;
pub mod bbr_startup;
pub mod c4_initial;
pub mod careful_resume;
pub mod circuit_start;
pub mod copa_slow_start;
pub mod delay_based_slow_start;
pub mod fast_start;
pub mod gauge;
pub mod halfback;
mod hooks;
pub mod hystart;
pub mod hystart_plus_plus;
pub mod jump_start;
pub mod limited_slow_start;
pub mod modified_swift_start;
pub mod paced_chirping;
pub mod paced_gradual;
pub mod paced_initial_window;
pub mod paced_start;
pub mod packet_pair_start;
pub mod pcc_start;
pub mod qs_app;
pub mod quick_start;
pub mod quicly_jumpstart;
pub mod rapid_start;
mod resume;
pub mod search;
pub mod slow_start;
pub mod smooth_start;
pub mod stateful_tcp;
pub mod suss;
pub mod swift_start;
pub mod vegas_slow_start;
pub mod xcp;

pub use hooks::{
    Assisted, Columns, Congestion, Maker, Reduction, Repaired, Response, Startup, copies,
};

/// The catalog's startups, in its order.
pub const ENTRIES: &[Entry<Maker>] = &[
    slow_start::ENTRY,
    limited_slow_start::ENTRY,
    jump_start::ENTRY,
    quick_start::ENTRY,
    qs_app::ENTRY,
    swift_start::ENTRY,
    modified_swift_start::ENTRY,
    fast_start::ENTRY,
    hystart::ENTRY,
    hystart_plus_plus::ENTRY,
    vegas_slow_start::ENTRY,
    packet_pair_start::ENTRY,
    adaptive_start::ENTRY,
    delay_based_slow_start::ENTRY,
    smooth_start::ENTRY,
    xcp::ENTRY,
    search::ENTRY,
    rapid_start::ENTRY,
    suss::ENTRY,
    paced_gradual::ENTRY,
    bbr_startup::ENTRY,
    careful_resume::ENTRY,
    paced_initial_window::ENTRY,
    quicly_jumpstart::ENTRY,
    stateful_tcp::ENTRY,
    circuit_start::ENTRY,
    halfback::ENTRY,
    paced_chirping::ENTRY,
    copa_slow_start::ENTRY,
    pcc_start::ENTRY,
    c4_initial::ENTRY,
    paced_start::ENTRY,
    gauge::ENTRY,
];
