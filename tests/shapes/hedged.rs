//! Functions whose attempts have copies.

use async_trait::async_trait;
use resilient::resilient;

use super::fallible::{Attempts, Failure, sendable};

#[async_trait]
trait Search {
    async fn find(&self, attempts: &Attempts, words: Vec<String>) -> Result<String, Failure>;
    async fn whole(self, attempts: &Attempts) -> Result<u32, Failure>;
}

struct Index {
    name: String,
}

#[resilient(hedge(after = "0s", max = 3), retry(max = 4, base = "0s"), idempotent)]
#[async_trait]
impl Search for Index {
    #[resilient(clone(words))]
    async fn find(&self, attempts: &Attempts, words: Vec<String>) -> Result<String, Failure> {
        let words = words.into_iter().collect::<String>();
        let attempt = attempts.next().await?;
        Ok(format!("{} {words} {attempt}", self.name))
    }

    #[resilient(idempotency_key = self.name)]
    async fn whole(self, attempts: &Attempts) -> Result<u32, Failure> {
        attempts
            .next()
            .await
            .map(|attempt| attempt + u32::from(self.name.is_empty()))
    }
}

#[resilient(
    hedge(after = "0s"),
    idempotent,
    retry(max = 3, base = "0s"),
    clone(pair, step)
)]
async fn generic<T, const N: usize>(
    attempts: &Attempts,
    pair: (T, [u8; N]),
    mut step: u8,
) -> Result<(T, usize, u8), Failure>
where
    T: Clone + Send + Sync + 'static,
{
    step += 1;
    let (first, second) = pair;
    attempts.next().await?;
    Ok((first, second.len(), step))
}

#[resilient(hedge(after = "0s"), idempotent, retry(max = 2, nested = "suppress"))]
async fn down(level: u32) -> Result<u32, Failure> {
    tokio::task::yield_now().await;
    match level {
        0 => Ok(0),
        _ => Ok(1 + Box::pin(down(level - 1)).await?),
    }
}

macro_rules! hedged {
    ($name:ident, $answer:expr) => {
        #[resilient(hedge(after = "p95", floor = "1ms"), timeout = "1s", idempotent)]
        async fn $name() -> std::io::Result<u32> {
            $answer
        }
    };
}
hedged!(fragment, Ok(7));

/// Each attempt has up to three copies, all started in the same instant.
#[tokio::test(start_paused = true)]
async fn methods_of_a_trait() {
    let index = Index {
        name: "books".to_owned(),
    };
    let attempts = Attempts::failing(1);
    let words = vec!["a".to_owned(), "b".to_owned()];
    let found = sendable(index.find(&attempts, words)).await.unwrap();
    assert!(found.starts_with("books ab "), "{}", found);
    assert!(attempts.made() > 1);
    assert!(sendable(index.whole(&attempts)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn generics_and_copies_of_numbers() {
    let attempts = Attempts::failing(2);
    let call = sendable(generic(&attempts, ("x".to_owned(), [0; 3]), 1));
    assert_eq!(call.await, Ok(("x".to_owned(), 3, 2)));
}

#[tokio::test(start_paused = true)]
async fn recursion_in_a_box() {
    assert_eq!(down(3).await, Ok(3));
}

#[tokio::test]
async fn a_function_made_by_a_macro() {
    assert_eq!(fragment().await.ok(), Some(7));
}
