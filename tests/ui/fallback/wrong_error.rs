use resilient::resilient;

struct OtherError;

async fn cached(_error: OtherError) -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "1s", fallback = cached)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 45; case FB-06
