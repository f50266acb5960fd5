//! Someone who asks for the products more often than they may.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::{Client, Response, StatusCode};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::shop::Shop;

/// As in the shop.
pub(crate) const QUOTA: u32 = 20;
pub(crate) const WINDOW_SECONDS: u64 = 5;

const PATIENCE: Duration = Duration::from_secs(1);

/// What the shop answered.
#[derive(Debug, Default)]
pub(crate) struct Browsed {
    /// How often the products were shown, by the second in which the window ends.
    pub(crate) shown: BTreeMap<u64, u32>,
    /// How often they were not, because of the quota.
    pub(crate) refused: u32,
    /// How often they were not, because nobody could say what is left of it.
    pub(crate) unavailable: u32,
}

pub(crate) struct Browsers {
    closing: Arc<AtomicBool>,
    task: JoinHandle<Browsed>,
}

impl Browsers {
    pub(crate) fn start(shop: &Shop) -> Self {
        let closing = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(browse(shop.url("/products"), Arc::clone(&closing)));
        Browsers { closing, task }
    }

    pub(crate) async fn end(self) -> Result<Browsed, tokio::task::JoinError> {
        self.closing.store(true, Ordering::Relaxed);
        self.task.await
    }
}

async fn browse(products: String, closing: Arc<AtomicBool>) -> Browsed {
    let http = Client::new();
    let mut browsed = Browsed::default();
    while !closing.load(Ordering::Relaxed) {
        let request = http.get(&products).header("X-User", "browser");
        match request.timeout(PATIENCE).send().await {
            Ok(answer) if answer.status() == StatusCode::OK => {
                // A window that is not told counts as one that ends at the beginning of time.
                let end = window_end(&answer).unwrap_or_default();
                *browsed.shown.entry(end).or_default() += 1;
            }
            Ok(answer) if answer.status() == StatusCode::TOO_MANY_REQUESTS => browsed.refused += 1,
            Ok(_) | Err(_) => browsed.unavailable += 1,
        }
        sleep(Duration::from_millis(30)).await;
    }
    browsed
}

fn window_end(answer: &Response) -> Option<u64> {
    let reset = answer.headers().get("X-RateLimit-Reset")?;
    let reset: u64 = reset.to_str().ok()?.parse().ok()?;
    // Windows end at multiples of their length; what is told is rounded up to the next second.
    Some(reset - reset % WINDOW_SECONDS)
}
