//! noq's own congestion control and pacer, and the preset that simulates them.

use flowstart_quinn::noq::lab;

const STACK: &str = "noq";
const RECEIVER: &str = "quinn";
const TRACED: usize = 0;

include!("../../live/tests/shared/native.rs");
