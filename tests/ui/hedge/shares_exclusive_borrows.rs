use resilient::resilient;

struct Client;

impl Client {
    #[resilient(hedge, idempotent)]
    async fn call(&mut self, sink: &mut Vec<u8>, owned: &str) -> std::io::Result<usize> {
        sink.push(1);
        Ok(owned.len())
    }
}

fn main() {}
