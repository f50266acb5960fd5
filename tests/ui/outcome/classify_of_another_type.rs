use resilient::{Class, resilient};

fn of(error: &std::io::Error) -> Class {
    let _ = error;
    Class::transient()
}

#[resilient(retry, classify = of)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
