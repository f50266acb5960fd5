use resilient::resilient;

#[resilient(timeout = "1s")]
async fn call() -> Option<u32> {
    Some(1)
}

fn main() {}
