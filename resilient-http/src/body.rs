//! Bodies of which the beginning, or all, was read before they are sent on.

use std::fmt;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;

/// A body of which the beginning, or all, was read before it is sent on; what was not read follows
/// as it comes.
pub struct BufferedBody<B: Body> {
    read: Bytes,
    rest: Rest<B>,
}

enum Rest<B: Body> {
    Nothing,
    Trailers(HeaderMap),
    /// It broke off here.
    Broken(B::Error),
    Unread(Pin<Box<B>>),
}

/// What became of reading a body.
pub(crate) enum Collected<B: Body> {
    Whole {
        bytes: Bytes,
        trailers: Option<HeaderMap>,
    },
    /// It is longer than the limit: what was read of it, and the rest.
    TooLarge(BufferedBody<B>),
    /// It broke off: what was read of it, and the error at its end.
    Broken(BufferedBody<B>),
}

/// Reads a body, up to a limit.
pub(crate) async fn collect<B: Body<Data = Bytes>>(body: B, limit: usize) -> Collected<B> {
    let mut body = Box::pin(body);
    let mut chunks = Chunks::default();
    let too_long = |length| usize::try_from(length).map_or(true, |length| length > limit);
    if too_long(body.size_hint().lower()) {
        return Collected::TooLarge(chunks.followed_by(Rest::Unread(body)));
    }
    let mut trailers = None;
    while let Some(frame) = body.frame().await {
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => chunks.push(data),
            Ok(Err(frame)) => trailers = frame.into_trailers().ok(),
            Err(error) => return Collected::Broken(chunks.followed_by(Rest::Broken(error))),
        }
        if chunks.length > limit {
            return Collected::TooLarge(chunks.followed_by(Rest::Unread(body)));
        }
    }
    Collected::Whole {
        bytes: chunks.join(),
        trailers,
    }
}

/// Pieces of a body. Most come in one, which is not copied then.
#[derive(Default)]
struct Chunks {
    pieces: Vec<Bytes>,
    length: usize,
}

impl Chunks {
    fn push(&mut self, piece: Bytes) {
        self.length = self.length.saturating_add(piece.len());
        self.pieces.push(piece);
    }

    fn join(mut self) -> Bytes {
        if self.pieces.len() < 2 {
            return self.pieces.pop().unwrap_or_default();
        }
        let mut joined = BytesMut::with_capacity(self.length);
        self.pieces
            .iter()
            .for_each(|piece| joined.extend_from_slice(piece));
        joined.freeze()
    }

    fn followed_by<B: Body>(self, rest: Rest<B>) -> BufferedBody<B> {
        BufferedBody {
            read: self.join(),
            rest,
        }
    }
}

impl<B: Body> BufferedBody<B> {
    /// A body that was read to its end.
    pub(crate) fn whole(bytes: Bytes, trailers: Option<HeaderMap>) -> Self {
        BufferedBody {
            read: bytes,
            rest: trailers.map_or(Rest::Nothing, Rest::Trailers),
        }
    }

    /// A body that was not read at all.
    pub(crate) fn unread(body: B) -> Self {
        BufferedBody {
            read: Bytes::new(),
            rest: Rest::Unread(Box::pin(body)),
        }
    }

    /// Why it broke off, if it did.
    pub(crate) fn into_error(self) -> Option<B::Error> {
        match self.rest {
            Rest::Broken(error) => Some(error),
            _ => None,
        }
    }
}

/// Nothing in it is pinned but what is boxed.
impl<B: Body> Unpin for BufferedBody<B> {}

impl<B: Body<Data = Bytes>> Body for BufferedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.get_mut();
        if !this.read.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(mem::take(&mut this.read)))));
        }
        if let Rest::Unread(body) = &mut this.rest {
            return body.as_mut().poll_frame(cx);
        }
        Poll::Ready(match mem::replace(&mut this.rest, Rest::Nothing) {
            Rest::Trailers(trailers) => Some(Ok(Frame::trailers(trailers))),
            Rest::Broken(error) => Some(Err(error)),
            Rest::Nothing | Rest::Unread(_) => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.read.is_empty()
            && match &self.rest {
                Rest::Nothing => true,
                Rest::Trailers(_) | Rest::Broken(_) => false,
                Rest::Unread(body) => body.is_end_stream(),
            }
    }

    fn size_hint(&self) -> SizeHint {
        let read = self.read.len() as u64;
        let mut hint = match &self.rest {
            Rest::Nothing | Rest::Trailers(_) => SizeHint::with_exact(0),
            // Whoever reads it must not take what there is for all of it.
            Rest::Broken(_) => SizeHint::new(),
            Rest::Unread(body) => body.size_hint(),
        };
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper.saturating_add(read));
        }
        hint.set_lower(hint.lower().saturating_add(read));
        hint
    }
}

impl<B: Body> Default for BufferedBody<B> {
    /// An empty one.
    fn default() -> Self {
        BufferedBody::whole(Bytes::new(), None)
    }
}

impl<B: Body> From<Bytes> for BufferedBody<B> {
    fn from(bytes: Bytes) -> Self {
        BufferedBody::whole(bytes, None)
    }
}

impl<B: Body> fmt::Debug for BufferedBody<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = match &self.rest {
            Rest::Nothing => "nothing",
            Rest::Trailers(_) => "trailers",
            Rest::Broken(_) => "an error",
            Rest::Unread(_) => "unread",
        };
        f.debug_struct("BufferedBody")
            .field("read", &format_args!("{} bytes", self.read.len()))
            .field("rest", &rest)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of declared length that breaks off after its first piece.
    struct Declared {
        length: u64,
        pieces: Vec<&'static str>,
        polls: usize,
    }

    impl Body for Declared {
        type Data = Bytes;
        type Error = &'static str;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
            self.polls += 1;
            let piece = self.pieces.pop();
            let frame = piece.map(|piece| Frame::data(Bytes::from(piece)));
            Poll::Ready(Some(frame.ok_or("broke off")))
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(self.length)
        }
    }

    fn declared(length: u64) -> Declared {
        Declared {
            length,
            pieces: vec!["cd", "ab"],
            polls: 0,
        }
    }

    #[tokio::test]
    async fn i48_a_body_that_says_it_is_too_long_is_not_read() {
        let Collected::TooLarge(body) = collect(declared(6), 5).await else {
            panic!("it is too large");
        };
        assert_eq!(body.size_hint().exact(), Some(6));
        let Rest::Unread(rest) = &body.rest else {
            panic!("it has a rest");
        };
        assert_eq!(rest.polls, 0);
    }

    /// Else a server would write what there is as a whole answer.
    #[tokio::test]
    async fn what_is_left_of_a_broken_body_does_not_say_how_long_it_is() {
        let Collected::Broken(mut body) = collect(declared(5), 5).await else {
            panic!("it breaks off");
        };
        assert_eq!(
            (body.size_hint().lower(), body.size_hint().exact()),
            (4, None)
        );
        assert!(!body.is_end_stream());
        let frame = body.frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), "abcd");
        assert_eq!(body.frame().await.unwrap().unwrap_err(), "broke off");
        assert!(body.frame().await.is_none() && body.is_end_stream());
    }

    #[tokio::test]
    async fn what_was_read_and_what_was_not_come_in_their_order() {
        let Collected::TooLarge(mut body) = collect(declared(3), 3).await else {
            panic!("it is too large");
        };
        assert_eq!(body.size_hint().lower(), 7);
        let frame = body.frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), "abcd");
        assert_eq!(body.frame().await.unwrap().unwrap_err(), "broke off");
    }
}
