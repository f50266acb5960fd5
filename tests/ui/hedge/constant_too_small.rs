use resilient::resilient;

const COPIES: u32 = 1;

#[resilient(hedge(max = { COPIES }), idempotent)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
