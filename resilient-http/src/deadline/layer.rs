//! The layer in front of handlers, and how it is set up.

use std::time::Duration;

use resilient_core::duration::{GivenDuration, IntoDuration};
use resilient_core::invalid::InvalidSetting;
use tower_layer::Layer;

use super::DeadlineService;
use crate::InvalidLayer;

const DEFAULT_MAX: Duration = Duration::from_secs(60);

/// Ends the calls of a request when its client no longer waits. See the [module](super) for the
/// headers.
///
/// The request itself is not cut: what it does outside annotated calls takes as long as it takes.
///
/// ```
/// use axum::{Router, routing::get};
/// use http::{Request, StatusCode};
/// use resilient_http::DeadlineLayer;
/// use tower::ServiceExt;
///
/// async fn stock() -> String {
///     // Annotated functions called here end in time, and see the same.
///     format!("{:?}", resilient_core::context().remaining())
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let layer = DeadlineLayer::builder().max("30s").otherwise("10s").build()?;
/// let app = Router::new().route("/stock", get(stock)).layer(layer);
///
/// let request = Request::get("/stock").header("request-timeout-ms", "1500");
/// let response = app.oneshot(request.body(axum::body::Body::empty())?).await?;
/// let body = axum::body::to_bytes(response.into_body(), 100).await?;
/// assert_eq!(&body[..], b"Some(1.5s)");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct DeadlineLayer {
    limits: Limits,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) max: Duration,
    pub(super) otherwise: Option<Duration>,
}

impl Default for DeadlineLayer {
    fn default() -> Self {
        DeadlineLayer::new()
    }
}

impl DeadlineLayer {
    /// Takes what clients say, up to 60 s.
    pub fn new() -> Self {
        DeadlineLayer {
            limits: Limits {
                max: DEFAULT_MAX,
                otherwise: None,
            },
        }
    }

    /// A layer with other limits.
    pub fn builder() -> DeadlineLayerBuilder {
        DeadlineLayerBuilder::default()
    }
}

impl<S> Layer<S> for DeadlineLayer {
    type Service = DeadlineService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        DeadlineService {
            inner,
            limits: self.limits,
        }
    }
}

/// Sets up a [`DeadlineLayer`]. Setters never fail; what cannot work is reported by
/// [`build`](DeadlineLayerBuilder::build), all at once.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct DeadlineLayerBuilder {
    max: Option<GivenDuration>,
    otherwise: Option<GivenDuration>,
}

impl DeadlineLayerBuilder {
    /// The longest time a client is given, longer than zero; default 60 s.
    pub fn max(mut self, max: impl IntoDuration) -> Self {
        self.max = Some(max.into_duration());
        self
    }

    /// The time of a client that says nothing, longer than zero and at most the maximum; default
    /// none, so that the handler's own limits hold.
    pub fn otherwise(mut self, time: impl IntoDuration) -> Self {
        self.otherwise = Some(time.into_duration());
        self
    }

    /// The layer.
    ///
    /// # Errors
    ///
    /// Everything that cannot work: text that is no duration, a time of zero, a time for silent
    /// clients beyond the maximum.
    pub fn build(self) -> Result<DeadlineLayer, InvalidLayer> {
        let mut problems = Vec::new();
        let max = time("max", self.max.as_ref(), &mut problems);
        let otherwise = time("otherwise", self.otherwise.as_ref(), &mut problems);
        let limits = Limits {
            max: max.unwrap_or(DEFAULT_MAX),
            otherwise,
        };
        if limits.otherwise.is_some_and(|time| time > limits.max) {
            problems.push(InvalidSetting {
                policy: "deadline",
                setting: "otherwise",
                value: format!("{:?}", limits.otherwise.unwrap_or_default()),
                reason: format!("write at most the maximum, {:?}", limits.max),
            });
        }
        if problems.is_empty() {
            Ok(DeadlineLayer { limits })
        } else {
            Err(InvalidLayer { problems })
        }
    }
}

fn time(
    setting: &'static str,
    given: Option<&GivenDuration>,
    problems: &mut Vec<InvalidSetting>,
) -> Option<Duration> {
    let given = given?;
    let reason = match given.get() {
        Ok(time) if !time.is_zero() => return Some(time),
        Ok(_) => "write a time longer than zero".to_owned(),
        Err(error) => error.to_string(),
    };
    problems.push(InvalidSetting {
        policy: "deadline",
        setting,
        value: given.to_string(),
        reason,
    });
    None
}
