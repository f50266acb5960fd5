//! What a rate limit costs: in memory beside governor and `tower_governor`, in Redis beside bare
//! commands. Prints lines for `scripts/bench limits`.

mod lane;
mod layers;
mod limiters;
mod memory;
mod redis;
mod table;
mod threads;

use resilient_benches::wire;

type AnyError = Box<dyn std::error::Error>;

fn main() -> Result<(), AnyError> {
    let mut targets = Vec::new();
    let mut tables = vec![
        limiters::measure(&mut targets)?,
        threads::measure(&mut targets)?,
        layers::measure(&mut targets)?,
        memory::measure(&mut targets)?,
    ];
    tables.extend(redis::measure(&mut targets)?);
    print!("{}", wire::write(&tables, &targets));
    Ok(())
}
