use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call(body: Vec<u8>) -> std::io::Result<u8> {
    let first = move || body[0];
    Ok(first())
}

fn main() {}
// shape 59; mistake 31
