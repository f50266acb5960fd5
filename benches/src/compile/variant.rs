//! The same functions, plain and under an attribute.

use std::fmt::Write as _;

/// What stands above each function.
#[derive(Clone, Copy)]
pub(crate) enum Variant {
    /// Nothing.
    Plain,
    /// This library's attribute, with a dependency.
    Resilient,
    /// The attribute that most async code has.
    Instrument,
}

impl Variant {
    /// The plain one first: the others are compared with it.
    pub(crate) const ALL: [Variant; 3] = [Variant::Plain, Variant::Resilient, Variant::Instrument];

    /// The name of its crate.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Variant::Plain => "plain",
            Variant::Resilient => "resilient",
            Variant::Instrument => "instrument",
        }
    }

    fn attribute(self) -> &'static str {
        match self {
            Variant::Plain => "",
            Variant::Resilient => "#[resilient::resilient(dependency = \"shop\", idempotent)]",
            Variant::Instrument => "#[tracing::instrument]",
        }
    }

    /// Its crate's manifest, given the root of this repository.
    pub(crate) fn manifest(self, root: &str) -> String {
        let name = self.name();
        format!(
            r#"[package]
name = "{name}-functions"
version = "0.0.0"
edition = "2024"

[dependencies]
resilient-async = {{ path = {root:?} }}
thiserror = "2"
tracing = "0.1"
tokio = {{ version = "1", features = ["rt", "time"] }}
"#
        )
    }

    /// Its crate's program, with so many functions.
    pub(crate) fn program(self, functions: u32) -> String {
        let attribute = self.attribute();
        let mut program = String::from(COMMON);
        for number in 0..functions {
            let _ = write!(
                program,
                r"
{attribute}
async fn order_{number}(shop: &Shop, order: &Order) -> Result<Receipt, OrderError> {{
    let quote = shop.quote(order.article + {number}).await?;
    if quote > order.limit {{
        return Err(OrderError::TooExpensive);
    }}
    shop.pay(order.customer, quote).await
}}
"
            );
        }
        program.push_str("\nasync fn all(shop: &Shop, order: &Order) {\n");
        for number in 0..functions {
            let _ = writeln!(program, "    show(order_{number}(shop, order)).await;");
        }
        program.push_str("}\n");
        program
    }
}

/// What the functions use.
const COMMON: &str = r#"
use std::future::Future;
use std::pin::Pin;

use resilient::{Classify, Class, Rejection};

#[derive(Debug)]
struct Shop {
    price: u64,
}

#[derive(Debug)]
struct Order {
    article: u64,
    customer: u64,
    limit: u64,
}

#[derive(Debug)]
struct Receipt {
    _customer: u64,
    _amount: u64,
}

#[derive(Debug, thiserror::Error)]
enum OrderError {
    #[error("no connection")]
    Connection,
    #[error("more than the customer wants to pay")]
    TooExpensive,
    #[error(transparent)]
    Rejected(#[from] Rejection),
}

impl Classify for OrderError {
    fn class(&self) -> Class {
        match self {
            OrderError::Connection => Class::transient(),
            OrderError::TooExpensive => Class::Permanent,
            OrderError::Rejected(rejection) => rejection.class(),
        }
    }
}

impl Shop {
    #[inline(never)]
    async fn quote(&self, article: u64) -> Result<u64, OrderError> {
        tokio::task::yield_now().await;
        article.checked_mul(self.price).ok_or(OrderError::Connection)
    }

    #[inline(never)]
    async fn pay(&self, customer: u64, amount: u64) -> Result<Receipt, OrderError> {
        tokio::task::yield_now().await;
        Ok(Receipt { _customer: customer, _amount: amount })
    }
}

type Boxed<'a> = Pin<Box<dyn Future<Output = Result<Receipt, OrderError>> + Send + 'a>>;

#[inline(never)]
fn show<'a>(call: impl Future<Output = Result<Receipt, OrderError>> + Send + 'a) -> Boxed<'a> {
    Box::pin(call)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let shop = Shop { price: std::env::args().count() as u64 };
    runtime.block_on(all(&shop, &Order { article: 1, customer: 2, limit: 3 }));
}
"#;
