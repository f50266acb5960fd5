//! A payment client that charges every order once, whatever fails.
//!
//! ```text
//! cargo run --example charge_order
//! ```
//!
//! The provider loses answers after charging, falls silent, is overloaded, asks for patience and
//! dies. Its books decide in the end: an order charged twice, or one that was paid and not charged,
//! makes this program fail.

mod scripted_server;

use std::collections::HashSet;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, StatusCode};
use resilient::breaker::{Breaker, Per};
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::classify::reqwest_0_13_response;
use resilient::retry::{Jitter, Retry};
use resilient::{Class, Classify, Dependency, Rejection, resilient};
use tokio::task::JoinSet;
use tokio::time::sleep;

use scripted_server::{Phase, ScriptedServer};

#[derive(Clone)]
struct Order {
    id: String,
    total: u32,
}

/// Proof of a charge, as the provider wrote it.
struct Receipt(String);

impl Receipt {
    fn text(&self) -> &str {
        &self.0
    }
}

struct Payments {
    http: Client,
    charges: String,
}

impl Payments {
    /// All attempts carry the same key, so the provider recognises a repeat. The key is the
    /// order's own, so it also recognises a second call for the order: after a crash, or by an
    /// impatient customer.
    #[resilient(dependency = "payment", idempotency_key = order.id)]
    async fn charge(&self, order: &Order) -> Result<Receipt, ChargeError> {
        let mut request = self
            .http
            .post(format!("{}/{}", self.charges, order.id))
            .body(order.total.to_string());
        if let Some(key) = resilient::context().idempotency_key() {
            request = request.header("Idempotency-Key", key.to_string());
        }
        let answer = request.send().await?;
        match reqwest_0_13_response(&answer) {
            Class::Success => Ok(Receipt(answer.text().await?)),
            Class::Throttled { retry_after } => Err(ChargeError::Throttled { retry_after }),
            Class::Permanent => Err(ChargeError::Declined(answer.status())),
            _ => Err(ChargeError::Server(answer.status())),
        }
    }
}

/// A failure is a classified value: whether it is worth a retry is decided here and nowhere else.
#[derive(Debug, thiserror::Error, Classify)]
enum ChargeError {
    #[error("the payment provider does not answer")]
    #[classify(source)]
    Network(#[from] reqwest::Error),
    #[error("the payment provider answers {0}")]
    #[classify(source)]
    Server(StatusCode),
    #[error("the payment provider asks for patience")]
    #[throttled(retry_after = retry_after)]
    Throttled { retry_after: Option<Duration> },
    #[error("the payment provider declines: {0}")]
    #[permanent(kind = "business")]
    Declined(StatusCode),
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

fn register() -> Result<(), Box<dyn Error>> {
    resilient::register(
        Dependency::named("payment")
            .breaker(
                Breaker::consecutive(5)
                    .within("10s")
                    .open_for("30s")
                    .close_after(2)
                    .per(Per::Call),
            )
            .budget(Budget::tokens(100).refill_per_success(0.1))
            .bulkhead(Bulkhead::max_concurrent(10).max_queue(100))
            .retry(Retry::max(4).base("100ms").cap("20s").jitter(Jitter::Full))
            .timeout("5s")
            .deadline("15s"),
    )?;
    resilient::check()?;
    Ok(())
}

/// Troubles that are over before the calls have used up their attempts.
const PASSING: [(Phase, Duration); 6] = [
    (Phase::Healthy, Duration::ZERO),
    (Phase::LosingAnswers, Duration::from_millis(30)),
    (Phase::Resetting, Duration::from_millis(30)),
    (Phase::Unavailable, Duration::from_millis(30)),
    (
        Phase::Throttling { retry_after: 1 },
        Duration::from_millis(500),
    ),
    (Phase::KeepingSilent, Duration::from_millis(500)),
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    register()?;
    let provider = ScriptedServer::start().await?;
    let payments = Arc::new(Payments {
        http: Client::new(),
        charges: provider.url("/charges"),
    });
    let mut orders = Orders::default();

    for (trouble, lasts) in PASSING {
        provider.enter(trouble).await?;
        let calls = charge_all(&payments, orders.take(12));
        sleep(lasts).await;
        provider.enter(Phase::Healthy).await?;
        report(&format!("the provider {trouble}"), &calls.join_all().await);
    }

    provider.enter(Phase::Dead).await?;
    let calls = charge_all(&payments, orders.take(12));
    report("the provider is dead", &calls.join_all().await);
    let calls = charge_all(&payments, orders.take(12));
    report("it is still dead", &calls.join_all().await);

    // The breaker would try again by itself after half a minute; the operator knows better.
    provider.enter(Phase::Healthy).await?;
    resilient::breaker("payment")?.reset();
    let calls = charge_all(&payments, orders.all.clone());
    let outcomes = calls.join_all().await;
    report("every order again", &outcomes);

    let ledger = provider.ledger();
    let receipts: HashSet<&str> = outcomes.iter().flatten().map(Receipt::text).collect();
    let (orders, charges) = (orders.all, ledger.charges());
    println!();
    println!(
        "{} orders, {charges} charges, {} receipts",
        orders.len(),
        receipts.len()
    );
    println!("{} repeats were answered from their key", ledger.repeats());
    for order in &orders {
        let times = ledger.times_charged(&order.id);
        if times != 1 {
            return Err(format!("{} was charged {times} times", order.id).into());
        }
    }
    println!("every order was charged exactly once");
    Ok(())
}

#[derive(Default)]
struct Orders {
    all: Vec<Order>,
}

impl Orders {
    fn take(&mut self, count: usize) -> Vec<Order> {
        let first = self.all.len() + 1;
        let new = (first..first + count).map(|number| Order {
            id: format!("order-{number}"),
            total: 1200,
        });
        self.all.extend(new);
        self.all[first - 1..].to_vec()
    }
}

type Outcome = Result<Receipt, ChargeError>;

fn charge_all(payments: &Arc<Payments>, orders: Vec<Order>) -> JoinSet<Outcome> {
    let charge = |order| {
        let payments = Arc::clone(payments);
        async move { payments.charge(&order).await }
    };
    orders.into_iter().map(charge).collect()
}

fn report(what: &str, outcomes: &[Outcome]) {
    let paid = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    print!("{what:<28} {paid:>2} of {} paid", outcomes.len());
    match outcomes.iter().find_map(|outcome| outcome.as_ref().err()) {
        Some(error) => println!(", the others not yet: {error}"),
        None => println!(),
    }
}
