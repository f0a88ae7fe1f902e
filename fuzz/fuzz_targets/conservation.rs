#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| flowstart_fuzz::run("conservation", bytes));
