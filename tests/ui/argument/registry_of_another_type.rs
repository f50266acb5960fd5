use resilient::resilient;

#[resilient(retry, registry = names.first())]
async fn call(names: &[String]) -> std::io::Result<usize> {
    Ok(names.len())
}

fn main() {}
