use async_trait::async_trait;
use resilient::resilient;

use super::fallible::{Attempts, Failure, sendable};

#[async_trait]
trait Gateway {
    async fn pay(&self, to: &str, amount: u32) -> Result<String, Failure>;
    async fn count(&mut self, step: u32) -> Result<u32, Failure>;
    async fn own(self, parts: Vec<u32>) -> Result<usize, Failure>;
    async fn once(&mut self, parts: Vec<u32>, sink: &mut Vec<u32>) -> Result<usize, Failure>;
    #[allow(clippy::needless_arbitrary_self_type)]
    async fn typed(self: &mut Self) -> Result<u32, Failure>;
    async fn of(attempts: &Attempts, pair: (u32, String)) -> Result<String, Failure>;

    #[resilient(retry(max = 3, base = "0s"))]
    async fn provided(&self, attempts: &Attempts) -> Result<u32, Failure> {
        attempts.next().await
    }
}

struct Local {
    attempts: Attempts,
    seen: u32,
}

fn consume<T>(value: T) -> T {
    value
}

#[async_trait]
impl Gateway for Local {
    #[resilient(retry(max = 3, base = "0s"), idempotency_key = self.attempts.made())]
    async fn pay(&self, to: &str, mut amount: u32) -> Result<String, Failure> {
        amount += 1;
        self.attempts.next().await?;
        Ok(format!("{to}: {amount}"))
    }

    // shape 28; case N16
    #[resilient(retry(max = 3, base = "0s"))]
    async fn count(&mut self, step: u32) -> Result<u32, Failure> {
        consume(&mut *self).seen += step;
        self.attempts.next().await?;
        Ok(self.seen)
    }

    #[resilient(retry(max = 3, base = "0s"), clone(parts))]
    async fn own(self, parts: Vec<u32>) -> Result<usize, Failure> {
        let parts = consume(parts);
        self.attempts.next().await?;
        Ok(parts.len())
    }

    #[resilient(timeout = "5s")]
    async fn once(&mut self, mut parts: Vec<u32>, sink: &mut Vec<u32>) -> Result<usize, Failure> {
        consume(self).seen += 1;
        parts.push(1);
        consume(sink).append(&mut parts);
        Ok(consume(parts).len())
    }

    #[allow(clippy::needless_arbitrary_self_type)]
    #[resilient(retry(max = 3, base = "0s"))]
    async fn typed(self: &mut Self) -> Result<u32, Failure> {
        let this = consume(self);
        this.seen += 1;
        this.attempts.next().await?;
        Ok(this.seen)
    }

    #[resilient(retry(max = 3, base = "0s"), clone(name))]
    async fn of(attempts: &Attempts, (number, name): (u32, String)) -> Result<String, Failure> {
        let name = consume(name);
        attempts.next().await?;
        Ok(format!("{name} {number}"))
    }
}

fn failing(failing: u32) -> Local {
    Local {
        attempts: Attempts::failing(failing),
        seen: 0,
    }
}

#[tokio::test]
async fn the_body_of_an_async_trait_method_runs_again() {
    let gateway = failing(2);
    assert_eq!(sendable(gateway.pay("me", 1)).await.as_deref(), Ok("me: 2"));
    assert_eq!(gateway.attempts.made(), 3);

    let mut gateway = failing(2);
    assert_eq!(sendable(gateway.count(2)).await, Ok(6));
    assert_eq!(gateway.attempts.made(), 3);

    let mut gateway = failing(2);
    assert_eq!(sendable(gateway.typed()).await, Ok(3));

    assert_eq!(sendable(failing(2).own(vec![1, 2])).await, Ok(2));

    let attempts = Attempts::failing(2);
    let named = sendable(Local::of(&attempts, (1, "one".to_owned()))).await;
    assert_eq!(named.as_deref(), Ok("one 1"));
    assert_eq!(attempts.made(), 3);

    let attempts = Attempts::failing(2);
    assert_eq!(sendable(failing(0).provided(&attempts)).await, Ok(3));
}

#[tokio::test]
async fn an_async_trait_method_run_once_may_consume_its_arguments() {
    let (mut gateway, mut sink) = (failing(0), Vec::new());
    assert_eq!(sendable(gateway.once(vec![7], &mut sink)).await, Ok(0));
    assert_eq!((gateway.seen, sink), (1, vec![7, 1]));
}
