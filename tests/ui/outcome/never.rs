use resilient::resilient;

#[resilient(retry)]
async fn call() -> std::io::Result<!> {
    Err(std::io::ErrorKind::Other.into())
}

fn main() {}
// shape 47
