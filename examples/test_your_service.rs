//! How to test a service whose calls are annotated: without a network, without waiting, and without
//! chance.
//!
//! ```text
//! cargo test --example test_your_service
//! ```
//!
//! The service comes first, as it would stand in production; its tests follow.

use std::error::Error;
use std::future::Future;

use resilient::{Classify, Dependency, Rejection, resilient};

/// Where prices come from: an HTTP client in production, a list of answers in tests.
trait Source {
    fn price(&self, product: &str) -> impl Future<Output = Result<u32, PriceError>> + Send;
}

#[derive(Clone, Debug, PartialEq, thiserror::Error, Classify)]
enum PriceError {
    #[error("the price service does not answer")]
    #[transient]
    NoAnswer,
    #[error("there is no such product")]
    #[permanent]
    NoSuchProduct,
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

struct Shop<S> {
    source: S,
}

impl<S: Source> Shop<S> {
    /// What a customer pays for the product, tax included.
    #[resilient(dependency = "prices", idempotent)]
    async fn price(&self, product: &str) -> Result<u32, PriceError> {
        let net = self.source.price(product).await?;
        Ok(net + net / 5)
    }
}

/// The policies, apart from `main` so that tests run under the same ones.
fn prices() -> Dependency {
    Dependency::named("prices").timeout("1s").deadline("10s")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    resilient::register(prices())?;
    resilient::check()?;

    let shop = Shop { source: Catalogue };
    for product in ["teapot", "samovar", "unicorn"] {
        match shop.price(product).await {
            Ok(price) => println!("{product}: {price}"),
            Err(error) => println!("{product}: {error}"),
        }
    }
    println!("\nnow run: cargo test --example test_your_service");
    Ok(())
}

/// Stands in for the HTTP client.
struct Catalogue;

impl Source for Catalogue {
    async fn price(&self, product: &str) -> Result<u32, PriceError> {
        match product {
            "teapot" => Ok(1000),
            "samovar" => Err(PriceError::NoAnswer),
            _ => Err(PriceError::NoSuchProduct),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use resilient::breaker::Breaker;
    use resilient::{Registry, scope, testing};
    use tokio::time::{Instant, advance};

    use super::*;

    /// What the source does when it is asked.
    #[derive(Clone, Copy)]
    enum Step {
        Price(u32),
        NoAnswer,
        Hang,
    }
    use Step::{Hang, NoAnswer, Price};

    /// Takes these steps in turn, the last one for ever.
    struct Script {
        steps: &'static [Step],
        asked: AtomicUsize,
    }

    impl Source for Script {
        async fn price(&self, _product: &str) -> Result<u32, PriceError> {
            let asked = self.asked.fetch_add(1, Ordering::Relaxed);
            match self.steps[asked.min(self.steps.len() - 1)] {
                Price(net) => Ok(net),
                NoAnswer => Err(PriceError::NoAnswer),
                Hang => pending().await,
            }
        }
    }

    fn shop(steps: &'static [Step]) -> Shop<Script> {
        let asked = AtomicUsize::new(0);
        Shop {
            source: Script { steps, asked },
        }
    }

    impl Shop<Script> {
        fn asked(&self) -> usize {
            self.source.asked.load(Ordering::Relaxed)
        }
    }

    /// A registry of the test's own: no other test sees its breakers, and its jitter is the same in
    /// every run.
    fn registry(prices: Dependency) -> Result<Registry, Box<dyn Error>> {
        let registry = Registry::seeded(7);
        registry.register(prices)?;
        Ok(registry)
    }

    type Outcome = Result<(), Box<dyn Error>>;

    // The function by itself: `passthrough` takes the policies away, and nothing is registered.

    #[tokio::test]
    async fn a_price_includes_tax() {
        let shop = shop(&[Price(1000)]);
        let price = scope(&testing::passthrough(), shop.price("teapot")).await;
        assert_eq!(price, Ok(1200));
    }

    #[tokio::test]
    async fn bare_it_asks_once() {
        let shop = shop(&[NoAnswer, Price(1000)]);
        let price = scope(&testing::passthrough(), shop.price("teapot")).await;
        assert_eq!((price, shop.asked()), (Err(PriceError::NoAnswer), 1));
    }

    // The function under its policies: `start_paused` makes every wait take no time at all.

    #[tokio::test(start_paused = true)]
    async fn a_short_outage_is_not_noticed() -> Outcome {
        let shop = shop(&[NoAnswer, NoAnswer, Price(1000)]);
        let price = scope(&registry(prices())?, shop.price("teapot")).await;
        assert_eq!((price, shop.asked()), (Ok(1200), 3));
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_final_even_if_unwelcome() -> Outcome {
        let shop = Shop { source: Catalogue };
        let started = Instant::now();
        let price = scope(&registry(prices())?, shop.price("unicorn")).await;
        assert_eq!(price, Err(PriceError::NoSuchProduct));
        assert_eq!(started.elapsed(), Duration::ZERO, "no retry, no wait");
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_hanging_source_is_given_up_in_time() -> Outcome {
        let shop = shop(&[Hang]);
        let started = Instant::now();
        let price = scope(&registry(prices())?, shop.price("teapot")).await;
        let cut = Rejection::TimedOut {
            after: Duration::from_secs(1),
        };
        assert_eq!(price, Err(cut.into()));
        assert!(started.elapsed() < Duration::from_secs(10));
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn the_same_seed_waits_the_same_time() -> Outcome {
        let mut waits = Vec::new();
        for _ in 0..2 {
            let shop = shop(&[NoAnswer]);
            let started = Instant::now();
            let _ = scope(&registry(prices())?, shop.price("teapot")).await;
            waits.push(started.elapsed());
        }
        assert_eq!(waits[0], waits[1]);
        assert!(waits[0] > Duration::ZERO);
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_broken_source_is_left_alone_until_it_recovers() -> Outcome {
        let breaker = Breaker::consecutive(2).open_for("5s").close_after(1);
        let registry = registry(prices().breaker(breaker))?;
        let shop = shop(&[NoAnswer, NoAnswer, Price(1000)]);
        scope(&registry, async {
            let price = shop.price("teapot").await;
            assert_eq!(price, Err(PriceError::NoAnswer));
            let price = shop.price("teapot").await;
            assert!(
                matches!(
                    price,
                    Err(PriceError::Rejected(Rejection::BreakerOpen { .. }))
                ),
                "{price:?}"
            );
            assert_eq!(shop.asked(), 2, "failed fast, without asking");

            advance(Duration::from_secs(10)).await;
            assert_eq!(shop.price("teapot").await, Ok(1200));
        })
        .await;
        Ok(())
    }

    // All annotated functions of the program, against what `main` registers.

    #[test]
    fn every_name_is_registered() -> Outcome {
        registry(prices())?.check()?;
        Ok(())
    }
}
