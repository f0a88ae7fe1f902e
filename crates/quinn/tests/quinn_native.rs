//! quinn's own congestion control and pacer, and the preset that simulates them.

use flowstart_quinn::quinn::lab;

const STACK: &str = "quinn";
const RECEIVER: &str = "quinn";
const TRACED: usize = 1;

include!("../../live/tests/shared/native.rs");
