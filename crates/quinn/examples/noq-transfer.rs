//! A server sends a megabyte over the loopback in noq, under the startup named on the command line.
//!
//! ```text
//! cargo run -p flowstart-quinn --features noq-runtime --example noq-transfer careful-resume
//! ```

use flowstart_quinn::noq as adapter;
use noq as stack;

include!("shared/transfer.rs");
