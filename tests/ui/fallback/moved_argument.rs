use resilient::resilient;

async fn cached(_error: std::io::Error, _id: &str) -> std::io::Result<String> {
    Ok(String::new())
}

#[resilient(timeout = "1s", fallback = cached(id))]
async fn call(id: String) -> std::io::Result<String> {
    Ok(id)
}

fn main() {}
