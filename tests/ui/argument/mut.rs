use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call(mut body: String) -> std::io::Result<usize> {
    body.push('!');
    Ok(body.len())
}

fn main() {}
// shape 15; mistake 35
