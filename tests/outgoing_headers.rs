//! What an annotated call says in its requests.

use std::cell::RefCell;
use std::error::Error;
use std::io;

use resilient::http::Outgoing;
use resilient::idempotency::InvalidKey;
use resilient::retry::Retry;
use resilient::{Budget, Classify, Dependency, Registry, Rejection, resilient, scope};

#[derive(Debug, thiserror::Error, Classify)]
enum PayError {
    #[error(transparent)]
    #[classify(source)]
    Io(#[from] io::Error),
    #[error(transparent)]
    #[ignored]
    Key(#[from] InvalidKey),
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

/// Key and time left of every request.
type Sent = RefCell<Vec<(String, u64)>>;

#[resilient(dependency = "payment", idempotency_key)]
async fn pay(sent: &Sent) -> Result<(), PayError> {
    note(sent)
}

#[resilient(dependency = "payment", idempotency_key = order)]
async fn pay_for(sent: &Sent, order: &str) -> Result<(), PayError> {
    note(sent)
}

/// Notes what a request would carry, and loses the connection.
fn note(sent: &Sent) -> Result<(), PayError> {
    let headers = Outgoing::current()?.headers();
    let text = |name| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let left = text("request-timeout-ms").parse().unwrap_or_default();
    sent.borrow_mut().push((text("idempotency-key"), left));
    Err(io::Error::from(io::ErrorKind::ConnectionReset).into())
}

fn registry() -> Result<Registry, Box<dyn Error>> {
    let registry = Registry::seeded(1);
    let payment = Dependency::named("payment")
        .retry(Retry::max(3).base("100ms").jitter(resilient::Jitter::None))
        .budget(Budget::tokens(100))
        .timeout("2s")
        .deadline("2100ms");
    registry.register(payment)?;
    Ok(registry)
}

#[tokio::test(start_paused = true)]
async fn i55_p01_one_key_per_call_and_less_time_with_each_attempt() -> Result<(), Box<dyn Error>> {
    scope(&registry()?, async {
        let sent = Sent::default();
        assert!(pay(&sent).await.is_err());
        assert!(pay(&sent).await.is_err());
        let sent = sent.into_inner();
        let keys: Vec<&str> = sent.iter().map(|(key, _)| &**key).collect();
        assert_eq!(keys.len(), 6);
        assert_eq!(keys[0].len(), 32);
        assert!(keys[..3].iter().all(|key| *key == keys[0]));
        assert!(keys[3..].iter().all(|key| *key == keys[3]));
        assert_ne!(keys[0], keys[3]);
        let left: Vec<u64> = sent[..3].iter().map(|(_, left)| *left).collect();
        // The attempt's limit at first, and what is left of the call's later: pauses of 100 and 200 ms.
        assert_eq!(left, [2000, 2000, 1800]);
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn p02_a_key_of_the_caller_is_sent_as_it_is() -> Result<(), Box<dyn Error>> {
    scope(&registry()?, async {
        let sent = Sent::default();
        assert!(pay_for(&sent, "order 4711").await.is_err());
        let keys: Vec<String> = sent.into_inner().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["order 4711"; 3]);
        Ok(())
    })
    .await
}

/// It is not left out: the call would be repeated without what makes that safe.
#[tokio::test(start_paused = true)]
async fn a_key_that_cannot_stand_in_a_header_is_an_error() -> Result<(), Box<dyn Error>> {
    scope(&registry()?, async {
        for key in ["na\u{ef}ve", "two\nlines", "", " "] {
            let sent = Sent::default();
            let error = pay_for(&sent, key).await.unwrap_err();
            assert!(matches!(error, PayError::Key(_)), "{key:?}: {error}");
            assert!(sent.into_inner().is_empty(), "{key:?}");
        }
        Ok(())
    })
    .await
}
