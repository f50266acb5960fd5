//! The connection, which comes back by itself.

use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{Client, FromRedisValue, Pipeline, RedisError, ScriptInvocation};
use tokio::runtime::Handle;

use super::{RedisSettings, RedisSetupError};

/// How long a server may leave what was sent to it unacknowledged.
const SILENCE: Duration = Duration::from_secs(10);

/// One connection for all, which reconnects when it was cut. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    manager: ConnectionManager,
}

impl Connection {
    /// A connection that is made when it is first needed.
    pub(crate) fn lazy(settings: &RedisSettings) -> Result<Self, RedisSetupError> {
        // The client's manager would panic.
        if Handle::try_current().is_err() {
            return Err(RedisSetupError::NoRuntime);
        }
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(settings.connect_timeout))
            .set_response_timeout(Some(settings.response_timeout))
            // Whoever waits is told at once; each call after that tries anew.
            .set_number_of_retries(0);
        let server = settings.server.clone().set_tcp_settings(tcp());
        let manager = Client::open(server)
            .and_then(|client| ConnectionManager::new_lazy_with_config(client, config))
            .map_err(unavailable)?;
        Ok(Connection { manager })
    }

    pub(crate) async fn run<T: FromRedisValue>(
        &self,
        script: &ScriptInvocation<'_>,
    ) -> Result<T, RedisError> {
        let mut manager = self.manager.clone();
        match script.invoke_async(&mut manager).await {
            Err(error) if was_refused(&error) => script.invoke_async(&mut manager).await,
            answered => answered,
        }
    }

    pub(crate) async fn send<T: FromRedisValue>(
        &self,
        commands: &Pipeline,
    ) -> Result<T, RedisError> {
        let mut manager = self.manager.clone();
        match commands.query_async(&mut manager).await {
            Err(error) if was_refused(&error) => commands.query_async(&mut manager).await,
            answered => answered,
        }
    }
}

/// Small requests go out at once, and a server that is gone without a word is noticed in seconds
/// instead of a quarter of an hour: the client keeps a connection on which answers are merely late.
fn tcp() -> TcpSettings {
    let keepalive = TcpKeepalive::new().with_time(SILENCE / 2);
    let settings = TcpSettings::default()
        .set_nodelay(true)
        .set_keepalive(keepalive);
    #[cfg(target_os = "linux")]
    let settings = settings.set_user_timeout(SILENCE);
    settings
}

/// Whether nothing was sent. The manager keeps the refusal of its last attempt for the next call,
/// however long ago it was: only a second one says how things are now.
fn was_refused(error: &RedisError) -> bool {
    error.is_connection_refusal()
}

pub(super) fn unavailable(error: RedisError) -> RedisSetupError {
    RedisSetupError::Unavailable {
        source: error.into(),
    }
}
