use std::pin::Pin;
use std::sync::Arc;

use resilient::resilient;

use super::fallible::{Attempts, Failure, sendable};

struct Client {
    attempts: Attempts,
    name: String,
    seen: u32,
}

impl Client {
    fn failing(failing: u32) -> Self {
        Client {
            attempts: Attempts::failing(failing),
            name: "client".to_owned(),
            seen: 0,
        }
    }

    // shape 2, 21
    #[resilient(retry(max = 3, base = "0s"))]
    async fn shared(&self) -> Result<&str, Failure> {
        self.attempts.next().await?;
        Ok(&self.name)
    }

    // shape 3
    #[resilient(retry(max = 3, base = "0s"))]
    async fn exclusive(&mut self) -> Result<u32, Failure> {
        self.seen += 1;
        self.attempts.next().await?;
        Ok(self.seen)
    }

    // shape 7
    #[resilient(retry(max = 3, base = "0s"))]
    async fn by_value(self) -> Result<u32, Failure> {
        self.attempts.next().await
    }

    // shape 76; case N12
    #[resilient(retry(max = 3, base = "0s"))]
    async fn counted(self: Arc<Self>, (first, mut second): (u8, u8)) -> Result<u8, Failure> {
        second += first;
        self.attempts.next().await?;
        Ok(second)
    }

    #[resilient(retry(max = 3, base = "0s"))]
    async fn counted_reference(self: &Arc<Self>) -> Result<u32, Failure> {
        self.attempts.next().await
    }

    #[resilient(retry(max = 3, base = "0s"))]
    async fn pinned(self: Pin<&mut Self>, &step: &u32) -> Result<u32, Failure> {
        let _ = step;
        self.attempts.next().await?;
        Ok(self.seen)
    }

    #[resilient(timeout = "1s")]
    async fn changed_once(mut self) -> Result<Self, Failure> {
        self.seen += 1;
        self.attempts.next().await?;
        Ok(self)
    }

    #[resilient(timeout = "1s")]
    async fn lent_once(&mut self) -> Result<&mut u32, Failure> {
        self.attempts.next().await?;
        Ok(&mut self.seen)
    }

    // case N14
    #[resilient(retry(max = 3, base = "0s"))]
    async fn without_receiver(attempts: Attempts) -> Result<Self, Failure> {
        attempts.next().await?;
        let client = Self::failing(0);
        Ok(Self { seen: 5, ..client })
    }
}

struct Sized<const N: usize>(Attempts);

impl<const N: usize> Sized<N> {
    // shape 24
    #[resilient(retry(max = 3, base = "0s"))]
    async fn size(&self) -> Result<usize, Failure> {
        self.0.next().await?;
        Ok(N)
    }
}

trait Provided {
    fn attempts(&self) -> &Attempts;

    // shape 25
    #[allow(async_fn_in_trait)]
    #[resilient(retry(max = 3, base = "0s"))]
    async fn provided(&mut self) -> Result<u32, Failure> {
        self.attempts().next().await
    }

    #[allow(async_fn_in_trait)]
    async fn required(&self) -> Result<u32, Failure>;
}

// shape 27
impl Provided for Client {
    fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    #[resilient(retry(max = 3, base = "0s"))]
    async fn required(&self) -> Result<u32, Failure> {
        self.attempts.next().await
    }
}

#[tokio::test]
async fn the_receiver_is_lent_to_each_attempt() {
    let client = Client::failing(2);
    assert_eq!(sendable(client.shared()).await, Ok("client"));
    assert_eq!(client.attempts.made(), 3);

    let mut client = Client::failing(2);
    assert_eq!(sendable(client.exclusive()).await, Ok(3));
    assert_eq!(client.attempts.made(), 3);

    assert_eq!(sendable(Client::failing(2).by_value()).await, Ok(3));

    let client = Arc::new(Client::failing(2));
    assert_eq!(sendable(Arc::clone(&client).counted((1, 2))).await, Ok(3));
    assert_eq!(client.attempts.made(), 3);
    assert_eq!(sendable(client.counted_reference()).await, Ok(4));

    let mut client = Client::failing(1);
    assert_eq!(sendable(Pin::new(&mut client).pinned(&2)).await, Ok(0));
}

#[tokio::test]
async fn a_receiver_used_once_may_be_changed_and_lent_out() {
    let mut client = sendable(Client::failing(0).changed_once()).await.unwrap();
    *sendable(client.lent_once()).await.unwrap() += 1;
    assert_eq!(client.seen, 2);
}

#[tokio::test]
async fn impls_and_traits() {
    let made = sendable(Client::without_receiver(Attempts::failing(2))).await;
    assert_eq!(made.unwrap().seen, 5);

    assert_eq!(
        sendable(Sized::<7>(Attempts::failing(2)).size()).await,
        Ok(7)
    );

    let mut client = Client::failing(2);
    assert_eq!(client.provided().await, Ok(3));
    assert_eq!(sendable(Provided::required(&client)).await, Ok(4));
}
