//! A server that is asked under a time limit, and left alone while it is in trouble.

use std::time::Duration;

use redis::RedisError;
use tokio::time::{Instant, timeout};

use super::Connection;
use super::gate::Gate;

/// A connection for those who can do without an answer.
#[derive(Debug)]
pub(crate) struct Guarded {
    connection: Connection,
    timeout: Duration,
    gate: Gate,
    started: Instant,
}

/// There is no answer.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub(crate) struct NoAnswer {
    #[source]
    pub(crate) why: Why,
    /// Whether the server was well until now.
    pub(crate) is_news: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Why {
    #[error("Redis was not asked: it did not answer shortly before")]
    LeftAlone,
    #[error("no answer within {0:?}")]
    Late(Duration),
    #[error(transparent)]
    Failed(RedisError),
}

impl Guarded {
    pub(crate) fn new(connection: Connection, timeout: Duration) -> Self {
        Guarded {
            connection,
            timeout,
            gate: Gate::default(),
            started: Instant::now(),
        }
    }

    /// For those who have to wait for an answer.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Asks, unless the server is left alone. A call that is dropped may have had its effect.
    pub(crate) async fn ask<'a, T, Answer>(
        &'a self,
        call: impl FnOnce(&'a Connection) -> Answer,
    ) -> Result<T, NoAnswer>
    where
        Answer: Future<Output = Result<T, RedisError>>,
    {
        if !self.gate.admits(self.started.elapsed()) {
            return Err(NoAnswer {
                why: Why::LeftAlone,
                is_news: false,
            });
        }
        let why = match timeout(self.timeout, call(&self.connection)).await {
            Ok(Ok(answered)) => {
                self.gate.open();
                return Ok(answered);
            }
            Ok(Err(error)) if is_about_this_key(&error) => {
                return Err(NoAnswer {
                    why: Why::Failed(error),
                    is_news: false,
                });
            }
            Ok(Err(error)) => Why::Failed(error),
            Err(_) => Why::Late(self.timeout),
        };
        let is_news = self.gate.close(self.started.elapsed());
        Err(NoAnswer { why, is_news })
    }
}

/// Whether other hands keep something else under this key: the server is well.
fn is_about_this_key(error: &RedisError) -> bool {
    let errors = error.clone().into_server_errors();
    errors.is_some_and(|errors| errors.iter().all(|(_, error)| error.code() == "WRONGTYPE"))
}
