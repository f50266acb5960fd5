use resilient::resilient;

#[resilient(retry(max = 3), clone(to))]
async fn call(to: &str) -> std::io::Result<usize> {
    Ok(to.len())
}

fn main() {}
// mistake 33
