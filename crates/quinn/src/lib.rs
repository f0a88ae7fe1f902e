//! Every start-up of flowstart in quinn.
#![forbid(unsafe_code)]
