use resilient::resilient;
use std::rc::Rc;

#[resilient(retry(max = 3))]
async fn call() -> std::io::Result<u32> {
    let count = Rc::new(1);
    std::future::ready(()).await;
    Ok(*count)
}

fn sendable(_: impl Send) {}

fn main() {
    sendable(call());
}
// mistake 38
