use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call(values: &mut Vec<u32>) -> std::io::Result<&mut u32> {
    Ok(&mut values[0])
}

fn main() {}
// shape 22; mistake 37
