use resilient::resilient;

#[resilient(timeout = "5s", fallback = cached().await)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

async fn cached(_: std::io::Error) -> std::io::Result<u32> {
    Ok(0)
}

fn main() {}
