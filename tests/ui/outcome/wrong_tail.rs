use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call(text: &str) -> std::io::Result<u32> {
    Ok(text)
}

fn main() {}
// case N15
