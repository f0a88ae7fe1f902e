//! quinn's own congestion control and pacer, and the preset that simulates them.

use flowstart_quinn::lab;

const STACK: &str = "quinn";

include!("../../live/tests/shared/native.rs");
