use resilient::resilient;

#[resilient(hedge(max_hedges = 1), idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
