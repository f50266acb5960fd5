use resilient::resilient;

#[resilient]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// mistake 5
