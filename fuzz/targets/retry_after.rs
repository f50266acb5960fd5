#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| resilient_fuzz::check_retry_after(text));
