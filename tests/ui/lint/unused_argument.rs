#![deny(unused_variables, unused_mut)]

use resilient::resilient;

#[resilient(retry(max = 3), clone(owned))]
pub async fn call(
    owned: String,
    shared: &str,
    unique: &mut u8,
    mut changing: u32,
    mut unchanged: u32,
    _silent: u8,
    _silent_unique: &mut u8,
) -> std::io::Result<u32> {
    Ok(unchanged)
}

fn main() {}
// case N09
