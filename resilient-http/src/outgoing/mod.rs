//! What a call says about itself in its request.

mod key_form;

use std::time::Duration;

use http::header::{Entry, HeaderMap};
use resilient_core::idempotency::{InvalidKey, Key};

use crate::deadline::{GRPC_TIMEOUT, REQUEST_TIMEOUT_MS, grpc_value, millis_value};
use crate::idempotency::IDEMPOTENCY_KEY;

/// Key and time left of a call, as headers of its request.
///
/// | header | |
/// |---|---|
/// | `Idempotency-Key` | the same in every attempt of a call, so that the server does once what is sent twice |
/// | `Request-Timeout-Ms` | the milliseconds that are left of the attempt, so that the server does not work for nobody |
///
/// Made anew in each attempt, because less time is left then.
///
/// A server of this library answers a repeat that comes too early with 409 and `Retry-After`, which is
/// [throttled](resilient_core::classify::StatusClasses): it is waited for and asked again.
///
/// ```
/// use resilient_http::Outgoing;
/// # use std::time::Duration;
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let headers = resilient_core::with_deadline(Duration::from_secs(2), async {
/// // Inside an annotated function:
/// let headers = Outgoing::current()?.headers();
/// // client.post(CHARGES).headers(headers).json(&order).send().await?
/// # Ok::<_, resilient_core::idempotency::InvalidKey>(headers) }).await?;
/// assert_eq!(headers["request-timeout-ms"], "2000");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Outgoing {
    key: Option<Key>,
    time_left: Option<Duration>,
    quoted: bool,
    grpc: bool,
}

impl Outgoing {
    /// Nothing yet.
    pub fn new() -> Self {
        Outgoing::default()
    }

    /// What the running attempt knows: its call's key and the time it has left. Outside any, there
    /// is neither.
    ///
    /// # Errors
    ///
    /// [`InvalidKey`] if the text of the key cannot stand in a header. It is not left out: the call
    /// would be retried without what makes that safe.
    pub fn current() -> Result<Self, InvalidKey> {
        let context = resilient_core::context();
        let key = context.idempotency_key().map(ToString::to_string);
        Ok(Outgoing {
            key: key.as_deref().map(Key::literal).transpose()?,
            time_left: context.remaining(),
            ..Outgoing::default()
        })
    }

    /// Another key: one derived from the key of the request that is being served, for example
    /// ([`Execution::derived_key`](resilient_core::idempotency::Execution::derived_key)).
    pub fn key(mut self, key: Key) -> Self {
        self.key = Some(key);
        self
    }

    /// Another time.
    pub fn time_left(mut self, time: Duration) -> Self {
        self.time_left = Some(time);
        self
    }

    /// Writes the key as a Structured Field String, `"abc"`, as the IETF draft has it.
    ///
    /// Unless this is called it is written bare, `abc`, as most services document it; those of this
    /// library take both for the same. A key that would be read as something else is always quoted.
    pub fn quoted(mut self) -> Self {
        self.quoted = true;
        self
    }

    /// Writes the time as `grpc-timeout`, for clients of gRPC that do not do so themselves.
    pub fn grpc(mut self) -> Self {
        self.grpc = true;
        self
    }

    /// The headers, for a client that takes a map of them, such as `reqwest`:
    /// `request.headers(outgoing.headers())`.
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        self.put_into(&mut headers);
        headers
    }

    /// Adds the headers to those of a request. A header that is there already stays as it is: a
    /// key that was chosen by hand is not replaced.
    ///
    /// ```
    /// use resilient_core::idempotency::Key;
    /// use resilient_http::Outgoing;
    ///
    /// let mut request = http::Request::post("/charges").body(())?;
    /// Outgoing::new().key(Key::parse("order-4711")?).put_into(request.headers_mut());
    /// assert_eq!(request.headers()["idempotency-key"], "order-4711");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn put_into(&self, headers: &mut HeaderMap) {
        let key = self.key.as_ref();
        let key = key.and_then(|key| key_form::value(key, self.quoted));
        let time = self.time_left.and_then(|time| {
            if self.grpc {
                Some((GRPC_TIMEOUT, grpc_value(time)?))
            } else {
                Some((REQUEST_TIMEOUT_MS, millis_value(time)))
            }
        });
        let key = key.map(|key| (IDEMPOTENCY_KEY, key));
        for (name, value) in key.into_iter().chain(time) {
            if let Entry::Vacant(entry) = headers.entry(name) {
                entry.insert(value);
            }
        }
    }
}
