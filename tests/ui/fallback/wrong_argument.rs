use resilient::resilient;

async fn cached(_error: std::io::Error, _id: &str) -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout = "1s", fallback = cached(id))]
async fn call(id: u32) -> std::io::Result<u32> {
    Ok(id)
}

fn main() {}
// mistake 45; case FB-06
