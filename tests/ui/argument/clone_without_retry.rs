use resilient::resilient;

#[resilient(timeout = "1s", clone(body))]
async fn call(body: String) -> std::io::Result<usize> {
    Ok(body.len())
}

fn main() {}
