//! What is on offer, and how often someone may ask for it.

use std::error::Error;
use std::sync::Arc;

use axum::Json;
use axum::http::request::Parts;
use resilient::http::RateLimitLayer;
use resilient::rate_limit::{Limit, RateLimit, RateLimiter};
use resilient::store::{Outage, RedisConfig, RedisLimitStore, RedisLimits};

use crate::arguments::Arguments;

/// Per user, in every window that begins at a multiple of its length.
const QUOTA: u32 = 20;
const WINDOW: &str = "5s";

pub(crate) async fn list() -> Json<[&'static str; 3]> {
    Json(["tea", "coffee", "slow"])
}

/// Counted in Redis for all processes of the shop, or in this one. While Redis is away nobody is let
/// in, as in a shop whose quota must be kept then, too; or each process lets its share in.
pub(crate) fn limits(arguments: &Arguments) -> Result<RateLimitLayer, Box<dyn Error>> {
    let products = RateLimit::named("products").limit(Limit::fixed("browsing", QUOTA, WINDOW));
    let limiter = match &arguments.redis {
        None => RateLimiter::in_memory(products)?,
        Some(url) => {
            let outage = arguments.share.map_or(Outage::Closed, Outage::LocalShare);
            let counted = RedisLimits::over(RedisConfig::at(url)).outage(outage);
            let counted = match arguments.reserve {
                Some(batch) => counted.reserve(batch),
                None => counted,
            };
            let store = RedisLimitStore::over(&counted)?;
            RateLimiter::over(Arc::new(store), products)?
        }
    };
    Ok(RateLimitLayer::new(limiter, customer))
}

fn customer(request: &Parts) -> Option<String> {
    crate::user(&request.headers).map(|user| format!("user:{user}"))
}
