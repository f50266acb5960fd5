use resilient::resilient;

#[resilient(retry)]
async fn call() {}

fn main() {}
// mistake 10
