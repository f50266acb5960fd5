use resilient::resilient;

struct Body;

#[resilient(retry(max = 3), clone(body))]
async fn call(body: Body) -> std::io::Result<u32> {
    drop(body);
    Ok(1)
}

fn main() {}
// shape 13
