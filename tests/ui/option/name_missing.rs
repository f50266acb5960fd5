use resilient::resilient;

#[resilient(dependency, bulkhead)]
async fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
