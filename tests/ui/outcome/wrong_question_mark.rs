use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call(text: &str) -> std::io::Result<u32> {
    let number: u32 = text.parse()?;
    Ok(number)
}

fn main() {}
