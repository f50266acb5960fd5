use async_trait::async_trait;
use resilient::resilient;

use super::fallible::{Attempts, Failure, sendable};

struct Client<const N: usize> {
    attempts: Attempts,
    seen: u32,
}

fn failing<const N: usize>(failing: u32) -> Client<N> {
    Client {
        attempts: Attempts::failing(failing),
        seen: 0,
    }
}

#[resilient(retry(max = 3, base = "0s"), idempotent)]
impl<const N: usize> Client<{ N }> {
    const STEP: u32 = 1;

    #[resilient]
    async fn get(&self, path: &str) -> Result<String, Failure> {
        let call = self.attempts.next().await?;
        Ok(format!("{path} {call}"))
    }

    #[resilient::resilient(retry(max = 4), clone(body))]
    async fn put(&mut self, body: String, mut count: u32) -> Result<(String, u32), Failure> {
        self.seen += Self::STEP;
        count += self.seen;
        self.attempts.next().await?;
        Ok((std::convert::identity(body), count))
    }

    /// Drawn in place of what the block says.
    #[resilient(idempotency_key)]
    async fn keyed(&self) -> Result<bool, Failure> {
        self.attempts.next().await?;
        Ok(resilient::context().idempotency_key().is_some())
    }

    async fn unmarked(&self) -> Result<u32, Failure> {
        self.attempts.next().await
    }

    #[cfg_attr(all(), resilient(name = "conditional"))]
    async fn conditional(&self) -> Result<u32, Failure> {
        self.attempts.next().await
    }

    #[cfg_attr(any(), resilient)]
    async fn unconditional(&self) -> Result<u32, Failure> {
        self.attempts.next().await
    }
}

#[tokio::test]
async fn marked_methods_take_the_options_of_their_block() {
    let got = sendable(failing::<1>(2).get("/")).await;
    assert_eq!(got.as_deref(), Ok("/ 3"));
    assert_eq!(failing::<1>(3).get("/").await, Err(Failure::Again));

    let mut client = failing::<1>(3);
    let put = sendable(client.put("body".to_owned(), 10)).await;
    assert_eq!(put, Ok(("body".to_owned(), 14)));

    assert_eq!(failing::<1>(2).keyed().await, Ok(true));
    assert_eq!(failing::<1>(1).unmarked().await, Err(Failure::Again));
}

#[tokio::test]
async fn a_mark_under_a_condition_holds_if_that_does() {
    assert_eq!(failing::<1>(2).conditional().await, Ok(3));
    assert_eq!(failing::<1>(1).unconditional().await, Err(Failure::Again));
}

#[async_trait]
trait Gateway {
    async fn pay(&self, to: &str, amount: u32) -> Result<String, Failure>;
    async fn count(&mut self, step: u32) -> Result<u32, Failure>;
    async fn own(self, parts: Vec<u32>) -> Result<usize, Failure>;
    async fn of(attempts: &Attempts, pair: (u32, String)) -> Result<String, Failure>;
    async fn unmarked(&self) -> Result<u32, Failure>;
}

/// The block's attribute sees `async fn`s.
struct Above(Client<1>);

/// It sees what `#[async_trait]` makes of them.
struct Below(Client<1>);

macro_rules! methods {
    ($(#[$attribute:meta])+ $name:ident) => {
        $(#[$attribute])+
        impl Gateway for $name {
            #[resilient(idempotency_key = self.0.attempts.made())]
            async fn pay(&self, to: &str, mut amount: u32) -> Result<String, Failure> {
                amount += 1;
                self.0.attempts.next().await?;
                Ok(format!("{to}: {amount}"))
            }

            #[resilient]
            async fn count(&mut self, step: u32) -> Result<u32, Failure> {
                self.0.seen += step;
                self.0.attempts.next().await?;
                Ok(self.0.seen)
            }

            #[resilient(clone(parts))]
            async fn own(self, parts: Vec<u32>) -> Result<usize, Failure> {
                let parts = std::convert::identity(parts);
                self.0.attempts.next().await?;
                Ok(parts.len())
            }

            #[resilient(clone(name))]
            async fn of(
                attempts: &Attempts,
                (number, name): (u32, String),
            ) -> Result<String, Failure> {
                let name = std::convert::identity(name);
                attempts.next().await?;
                Ok(format!("{name} {number}"))
            }

            async fn unmarked(&self) -> Result<u32, Failure> {
                self.0.attempts.next().await
            }
        }
    };
}

// shape 29
methods! {
    #[resilient(retry(max = 3, base = "0s"))]
    #[async_trait]
    Above
}

methods! {
    #[async_trait]
    #[resilient(retry(max = 3, base = "0s"))]
    Below
}

async fn runs_again<G: Gateway>(gateway: impl Fn(Client<1>) -> G) {
    let pay = gateway(failing(2));
    assert_eq!(sendable(pay.pay("me", 1)).await.as_deref(), Ok("me: 2"));
    let mut count = gateway(failing(2));
    assert_eq!(sendable(count.count(2)).await, Ok(6));
    assert_eq!(sendable(gateway(failing(2)).own(vec![1, 2])).await, Ok(2));
    let attempts = Attempts::failing(2);
    let named = sendable(G::of(&attempts, (1, "one".to_owned()))).await;
    assert_eq!(named.as_deref(), Ok("one 1"));
    assert_eq!(gateway(failing(1)).unmarked().await, Err(Failure::Again));
}

#[tokio::test]
async fn the_order_of_async_trait_does_not_matter() {
    runs_again(Above).await;
    runs_again(Below).await;
}

#[test]
fn each_site_is_listed_at_its_mark() {
    let line = |name: &str| {
        let sites = resilient::sites();
        let site = sites
            .iter()
            .find(|site| site.module.ends_with("impl_blocks") && site.name.ends_with(name));
        site.unwrap().line
    };
    // Five lines of code and an empty one between the two marks.
    assert_eq!(line("::put") - line("::get"), 6);
}

trait Plain {
    #[allow(async_fn_in_trait)]
    async fn call(&self) -> Result<u32, Failure>;
    #[allow(async_fn_in_trait)]
    async fn keyed(&self) -> Result<String, Failure>;
}

#[resilient(retry(max = 3, base = "0s"), idempotency_key = self.attempts.made())]
impl Plain for Client<2> {
    #[resilient]
    async fn call(&self) -> Result<u32, Failure> {
        self.attempts.next().await
    }

    #[resilient]
    async fn keyed(&self) -> Result<String, Failure> {
        self.attempts.next().await?;
        let key = resilient::context()
            .idempotency_key()
            .map(ToString::to_string);
        Ok(key.unwrap_or_default())
    }
}

#[tokio::test]
async fn an_expression_of_the_block_is_one_of_each_method() {
    assert_eq!(Plain::call(&failing::<2>(2)).await, Ok(3));
    let client = failing::<2>(2);
    assert_eq!(Plain::keyed(&client).await.as_deref(), Ok("0"));
}

struct Written;

/// A block, or a body in it, comes out of a macro as one token.
macro_rules! protected {
    (fn $name:ident $body:block) => {
        #[resilient(retry(max = 3, base = "0s"))]
        impl Written {
            #[resilient]
            async fn $name() -> Result<u32, Failure> $body
        }
    };
    ($block:item) => {
        #[resilient(retry(max = 3, base = "0s"))]
        $block
    };
}

protected! {
    impl Written {
        #[resilient]
        pub(crate) async fn whole(attempts: &Attempts) -> Result<u32, Failure> {
            attempts.next().await
        }

        async fn unmarked(attempts: &Attempts) -> Result<u32, Failure> {
            attempts.next().await
        }
    }
}

protected! { fn body { Attempts::failing(0).next().await } }

#[tokio::test]
async fn a_block_may_come_out_of_a_macro() {
    assert_eq!(Written::whole(&Attempts::failing(2)).await, Ok(3));
    let unmarked = Written::unmarked(&Attempts::failing(1)).await;
    assert_eq!(unmarked, Err(Failure::Again));
    assert_eq!(Written::body().await, Ok(1));
}
