use resilient::resilient;

#[resilient(retry)]
async fn call() -> u32 {
    1
}

fn main() {}
// mistake 11
