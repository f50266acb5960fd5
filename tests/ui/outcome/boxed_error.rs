use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call(text: &str) -> Result<u32, Box<dyn std::error::Error + Send + Sync>> {
    Ok(text.parse()?)
}

fn main() {}
