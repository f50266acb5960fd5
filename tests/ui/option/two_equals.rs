use resilient::resilient;

#[resilient(retry(max == 4, factor => 2.0))]
async fn call0() -> std::io::Result<u32> {
    Ok(1)
}

#[resilient(timeout: "5s", deadline == "15s")]
async fn call1() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
