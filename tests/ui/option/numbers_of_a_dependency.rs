use resilient::resilient;

#[resilient(bulkhead(max_concurrent = 10), budget(ratio = 0.1), breaker(failure_rate = 0.5), retry)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
