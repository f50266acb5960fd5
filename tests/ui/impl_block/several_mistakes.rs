use resilient::resilient;

#[resilient(retri(max = 3), timeout = 5)]
impl Client {
    #[resilient(nam = "call")]
    async fn call(&self) -> std::io::Result<u32> {
        Ok(1)
    }

    #[resilient]
    fn sync(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

struct Client;

async fn used(client: &Client) -> std::io::Result<u32> {
    client.call().await?;
    client.sync()
}

fn main() {
    drop(used(&Client));
}
