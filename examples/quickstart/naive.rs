//! What many services write by hand: try again at once, whatever happened.

use std::error::Error;

use reqwest::Client;
use tokio::time::timeout;

use super::{ATTEMPTS, TIMEOUT};

/// The same call with as many attempts and the same timeout, and no other protection.
pub(crate) async fn in_stock(
    client: &Client,
    url: &str,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let mut attempt = 1;
    loop {
        match timeout(TIMEOUT, ask(client, url)).await {
            Ok(Ok(answer)) => return Ok(answer),
            _ if attempt < ATTEMPTS => attempt += 1,
            Ok(Err(error)) => return Err(error.into()),
            Err(too_late) => return Err(too_late.into()),
        }
    }
}

async fn ask(client: &Client, url: &str) -> reqwest::Result<String> {
    let answer = client.get(url).send().await?;
    answer.error_for_status()?.text().await
}
