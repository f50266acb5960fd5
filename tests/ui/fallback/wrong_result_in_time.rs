use resilient::resilient;

async fn cached(_error: std::io::Error) -> u32 {
    1
}

#[resilient(timeout = "1s", fallback(call = cached, timeout = "200ms"))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
