//! The measurements without other libraries.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    resilient_benches::run(None)
}
