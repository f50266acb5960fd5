use resilient::resilient;

#[resilient(retry)]
const fn call() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(retry)]
const async fn call_later() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// shape 36; case N22
