#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| resilient_fuzz::check_duration(text));
