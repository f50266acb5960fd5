use resilient::resilient;
use std::pin::Pin;

#[resilient(retry)]
fn call<'a>(to: &'a str) -> Pin<Box<dyn Future<Output = std::io::Result<usize>> + Send + 'a>> {
    Box::pin(async move { Ok(to.len()) })
}

fn main() {}
// shape 31; case N28
