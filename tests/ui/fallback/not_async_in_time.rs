use resilient::resilient;

fn cached(_error: std::io::Error) -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "1s", fallback(call = cached, timeout = "200ms"))]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
