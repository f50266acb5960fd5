use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call() -> std::io::Result<u32> {
    break;
}

fn main() {}
// shape 54
