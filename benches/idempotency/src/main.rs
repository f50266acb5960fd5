//! What it costs that a request runs once, beside the same work without a key: in memory, and over
//! private servers. Prints lines for `scripts/bench idempotency`.

mod lane;
mod memory;
mod postgres;
mod redis;
mod request;
mod section;

use resilient_benches::wire;

type AnyError = Box<dyn std::error::Error>;

fn main() -> Result<(), AnyError> {
    let mut targets = Vec::new();
    let mut tables = vec![memory::measure()?];
    tables.extend(redis::measure(&mut targets)?);
    tables.extend(postgres::measure(&mut targets)?);
    print!("{}", wire::write(&tables, &targets));
    Ok(())
}
