use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call<F: FnMut(&str)>(mut callback: F) -> std::io::Result<u32> {
    callback("now");
    Ok(1)
}

fn main() {}
// shape 61
