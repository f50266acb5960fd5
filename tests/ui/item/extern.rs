use resilient::resilient;

#[resilient(retry)]
extern "C" fn call() -> std::io::Result<u32> {
    Ok(1)
}

fn main() {}
// case N22
