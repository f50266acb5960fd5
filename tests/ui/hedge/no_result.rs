use resilient::resilient;

#[resilient(hedge, idempotent)]
async fn call() -> Option<u32> {
    Some(1)
}

fn main() {}
