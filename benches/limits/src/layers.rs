//! A limit in front of a handler.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use governor::middleware::StateInformationMiddleware;
use http::request::Parts;
use http::{Request, StatusCode};
use resilient::http::RateLimitLayer;
use resilient::http::rate_limit::RateLimitHeaders;
use resilient_benches::table::Table;
use resilient_benches::target::{Bound::AtMost, Target};
use tower::ServiceExt;
use tower_governor::governor::{GovernorConfig, GovernorConfigBuilder};
use tower_governor::key_extractor::KeyExtractor;
use tower_governor::{GovernorError, GovernorLayer};

use crate::AnyError;
use crate::lane::Lane;
use crate::limiters::ours;
use crate::table::measure as compare;

const ROUNDS: usize = 300;

const ROUTE: &str = "bare handler, axum route";
const THEIRS: &str = "tower_governor, with headers";
const OURS: &str = "RateLimitLayer, as it comes";
const OURS_X: &str = "RateLimitLayer, X-RateLimit-* alone";

pub(crate) fn measure(targets: &mut Vec<Target>) -> Result<Table, AnyError> {
    let bare = Router::new().route("/products", get(async || "tea"));
    let limited = bare.clone().layer(RateLimitLayer::new(ours(false)?, user));
    let governed = bare.clone().layer(GovernorLayer::new(Arc::new(config()?)));
    let x_alone = RateLimitLayer::builder(ours(false)?, user)
        .headers(RateLimitHeaders::XRateLimit)
        .build()?;
    let x_alone = bare.clone().layer(x_alone);
    let lanes = vec![
        (ROUTE, asking(ROUTE, bare)),
        (THEIRS, asking(THEIRS, governed)),
        (THEIRS, asking(OURS, limited)),
        (THEIRS, asking(OURS_X, x_alone)),
    ];
    let (samples, table) = compare("in front of a handler", ("ns", 1.0), ROUNDS, lanes);
    let what = "limits: a request through the layer, to tower_governor";
    targets.push(Target::new(what, samples.ratio(OURS, THEIRS), AtMost(1.0)));
    Ok(table)
}

fn asking(name: &'static str, app: Router) -> Lane {
    Lane::awaited(name, async move |_| {
        let request = Request::get("/products")
            .header("x-user", "user-0000007")
            .body(Body::empty())?;
        let answer = app.clone().oneshot(request).await?;
        if answer.status() == StatusCode::OK {
            return Ok(());
        }
        Err(format!("answered {}", answer.status()).into())
    })
}

fn user(request: &Parts) -> Option<String> {
    let user = request.headers.get("x-user")?;
    user.to_str().ok().map(str::to_owned)
}

#[derive(Clone)]
struct User;

impl KeyExtractor for User {
    type Key = String;

    fn extract<T>(&self, request: &Request<T>) -> Result<String, GovernorError> {
        let user = request.headers().get("x-user");
        let user = user.and_then(|user| user.to_str().ok());
        user.map(str::to_owned)
            .ok_or(GovernorError::UnableToExtractKey)
    }
}

fn config() -> Result<GovernorConfig<User, StateInformationMiddleware>, AnyError> {
    let config = GovernorConfigBuilder::default()
        .per_nanosecond(1_000)
        .burst_size(u32::MAX)
        .key_extractor(User)
        .use_headers()
        .finish();
    config.ok_or_else(|| "tower_governor refuses the quota".into())
}
