//! What BBR's rules and its parts share.

use crate::{Instant, Segments};

/// Minimum window in segments (`MinPipeCwnd`).
pub(super) const MIN_PIPE_CWND: Segments = 4.0;

/// State of the state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// An unpredictable number below `n`, the same in every run of the same scenario: an
/// algorithm draws no random numbers, and flows do not do the same thing at the same nanosecond.
pub(super) fn scatter(now: Instant, n: u64) -> u64 {
    let mut x = now.nanos().wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) % n
}
