//! A server sends a megabyte over the loopback in quinn, under the startup named on the command line.
//!
//! ```text
//! cargo run -p flowstart-quinn --features quinn-runtime --example quinn-transfer careful-resume
//! ```

use flowstart_quinn::quinn as adapter;
use quinn as stack;

include!("shared/transfer.rs");
