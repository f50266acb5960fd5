use resilient::resilient;
use std::cell::Cell;

#[resilient(retry(max = 3))]
async fn call(count: Cell<u32>) -> std::io::Result<u32> {
    Ok(count.get())
}

fn sendable(_: impl Send) {}

fn main() {
    sendable(call(Cell::new(1)));
}
// shape 19; mistake 38
