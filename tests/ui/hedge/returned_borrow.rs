use resilient::resilient;

#[resilient(hedge, idempotent)]
async fn first(values: &mut Vec<u32>) -> std::io::Result<&mut u32> {
    Ok(&mut values[0])
}

fn main() {}
