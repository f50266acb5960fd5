use resilient::resilient;

#[resilient(retry(max = 3))]
async fn call(body: Vec<u8>) -> std::io::Result<usize> {
    let task = tokio::spawn(async move { body.len() });
    task.await.map_err(std::io::Error::other)
}

fn main() {}
// shape 62; mistake 31
