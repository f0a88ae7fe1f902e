//! Drop-tail: first in, first out, and refused when full.

use super::discipline::Maker;
use flowstart_control::entry::{Certainty, Entry};

/// Entry of `drop-tail` in the catalog of queue disciplines. A link without another discipline
/// does this alone.
pub(super) const ENTRY: Entry<Maker> = Entry {
    name: "drop-tail",
    title: "Drop-tail",
    source: "ns-2 queue/drop-tail.cc; Linux pfifo",
    year: 1995,
    opened: "code: ns-2.35 drop-tail.cc; Linux pfifo",
    compared: "limit, order",
    summary: "First in, first out, and refused when full.",
    params: &[],
    needs: &[],
    certainty: Certainty::Code,
    build: |_, _| Ok(Box::new(|_| None)),
};
