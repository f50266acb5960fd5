use resilient::resilient;

#[resilient(retry)]
async fn call(level: u32) -> std::io::Result<u32> {
    call(level - 1).await
}

fn main() {}
// shape 33
