use resilient::resilient;

#[resilient(retry(max = 3), clone(body, body))]
async fn call(body: String) -> std::io::Result<usize> {
    Ok(body.len())
}

fn main() {}
// mistake 34
