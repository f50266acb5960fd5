use std::rc::Rc;

use resilient::resilient;

#[resilient(hedge, idempotent)]
async fn call() -> std::io::Result<Rc<u32>> {
    Ok(Rc::new(1))
}

fn main() {
    fn spawnable(_: impl Send) {}
    spawnable(call());
}
