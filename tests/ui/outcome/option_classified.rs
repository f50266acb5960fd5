use resilient::{Class, resilient};

fn of(outcome: &Option<u32>) -> Class {
    outcome.map_or(Class::transient(), |_| Class::Success)
}

#[resilient(retry, classify = of)]
async fn call() -> Option<u32> {
    Some(1)
}

fn main() {}
