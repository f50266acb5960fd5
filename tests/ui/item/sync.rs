use resilient::resilient;

#[resilient(retry)]
fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// shape 71; mistake 8
