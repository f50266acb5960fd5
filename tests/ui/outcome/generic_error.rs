use resilient::{Classify, resilient};

#[resilient(retry)]
async fn call<E: Classify + From<std::num::ParseIntError>>(text: &str) -> Result<u32, E> {
    Ok(text.parse()?)
}

fn main() {}
