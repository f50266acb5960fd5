use resilient::resilient;

#[resilient(retry)]
async fn call() -> Option<u32> {
    Some(1)
}

fn main() {}
