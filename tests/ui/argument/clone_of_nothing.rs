use resilient::resilient;

#[resilient(retry(max = 3), clone(bdy))]
async fn call(body: String, to: &str) -> std::io::Result<usize> {
    Ok(body.len() + to.len())
}

fn main() {}
// mistake 32
