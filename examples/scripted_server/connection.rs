//! One client's connection, from its first request to its end.

use std::sync::Arc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::answer::answer;
use super::desk::Desk;

/// Answers requests until the client leaves or the script says to hang up.
pub async fn serve(stream: TcpStream, desk: Arc<Desk>) {
    // Boxed, so that the connection can be taken apart after it failed.
    let service = service_fn(|request| Box::pin(answer(&desk, request)));
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);

    if (&mut connection).await.is_err() {
        // Closing without lingering sends a reset instead of a polite goodbye. If the client was
        // gone first there is nothing to reset, and nothing to do about an error here.
        let stream = connection.into_parts().io.into_inner();
        let _ = stream.set_zero_linger();
    }
}
