//! Bodies that come in pieces.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::mpsc;

/// A body of unknown length whose pieces are sent by hand.
pub(crate) struct ByHand(pub(crate) mpsc::UnboundedReceiver<&'static str>);

impl Body for ByHand {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.0.poll_recv(cx);
        piece.map(|piece| Some(Ok(Frame::data(Bytes::from_static(piece?.as_bytes())))))
    }
}

/// A body of unknown length in these pieces.
pub(crate) fn pieces(pieces: &[&'static str]) -> ByHand {
    let (sender, receiver) = mpsc::unbounded_channel();
    for piece in pieces {
        sender.send(*piece).unwrap();
    }
    ByHand(receiver)
}

/// A body that says how long it is, and breaks off before.
pub(crate) struct BreaksOff {
    pub(crate) first: Option<&'static str>,
}

impl Body for BreaksOff {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let piece = self.first.take().map(|piece| Frame::data(piece.into()));
        Poll::Ready(Some(piece.ok_or(io::ErrorKind::ConnectionReset.into())))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        http_body::SizeHint::with_exact(100)
    }
}
