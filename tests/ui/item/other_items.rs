use resilient::resilient;

#[resilient(retry)]
enum Failure {}

#[resilient(retry)]
mod client {}

#[resilient(retry)]
trait Client {}

#[resilient(retry)]
pub static CLIENT: u32 = 1;

#[resilient(retry)]
const LIMIT: u32 = 1;

#[resilient(retry)]
type Answer = std::io::Result<u32>;

#[resilient(retry)]
use std::io;

fn main() {}
// mistake 6; case N22
