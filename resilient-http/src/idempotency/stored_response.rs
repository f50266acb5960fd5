//! An answer as bytes, and back.
//!
//! The head of an [`Answer`] is one byte for the version of the format, then the headers, then the
//! trailers. Each of both is the number of its fields (two bytes, the most significant first), and
//! each field its name and its value, both after their length (two and four bytes).

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{StatusCode, response};
use resilient_core::idempotency::{Answer, Refusal};

const VERSION: u8 = 1;

/// What is kept of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StoredResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) trailers: Option<HeaderMap>,
}

impl StoredResponse {
    pub(super) fn into_answer(self) -> Answer {
        let mut head = vec![VERSION];
        write_fields(&mut head, &self.headers);
        write_fields(&mut head, &self.trailers.unwrap_or_default());
        Answer {
            status: self.status.as_u16(),
            head,
            body: self.body.into(),
        }
    }

    /// # Errors
    ///
    /// [`Refusal::Unreadable`] if the bytes were written by another version, or by other hands.
    pub(super) fn from_answer(answer: Answer) -> Result<Self, Refusal> {
        let unreadable = |why: &str| Refusal::Unreadable {
            why: why.to_owned(),
        };
        let status =
            StatusCode::from_u16(answer.status).map_err(|_| unreadable("its status is none"))?;
        let (version, fields) = answer
            .head
            .split_first()
            .ok_or_else(|| unreadable("its head is empty"))?;
        if *version != VERSION {
            return Err(unreadable("its head is of another version"));
        }
        let mut reader = Reader { left: fields };
        let (headers, trailers) = reader
            .fields()
            .zip(reader.fields())
            .filter(|_| reader.left.is_empty())
            .ok_or_else(|| unreadable("its head is damaged"))?;
        Ok(StoredResponse {
            status,
            headers,
            body: answer.body.into(),
            trailers: Some(trailers).filter(|trailers| !trailers.is_empty()),
        })
    }

    pub(super) fn into_parts(self) -> (response::Parts, Bytes, Option<HeaderMap>) {
        let (mut parts, ()) = http::Response::new(()).into_parts();
        parts.status = self.status;
        parts.headers = self.headers;
        (parts, self.body, self.trailers)
    }
}

/// Lengths are those of an HTTP head, which servers limit far below what two and four bytes hold;
/// a longer field is left out.
fn write_fields(out: &mut Vec<u8>, fields: &HeaderMap) {
    let fitting: Vec<(u16, u32, &HeaderName, &HeaderValue)> = fields
        .iter()
        .filter_map(|(name, value)| {
            let name_length = u16::try_from(name.as_str().len()).ok()?;
            let value_length = u32::try_from(value.len()).ok()?;
            Some((name_length, value_length, name, value))
        })
        .take(usize::from(u16::MAX))
        .collect();
    let count = u16::try_from(fitting.len()).unwrap_or(u16::MAX);
    out.extend(count.to_be_bytes());
    for (name_length, value_length, name, value) in fitting {
        out.extend(name_length.to_be_bytes());
        out.extend(name.as_str().as_bytes());
        out.extend(value_length.to_be_bytes());
        out.extend(value.as_bytes());
    }
}

struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    fn fields(&mut self) -> Option<HeaderMap> {
        let count = self.short()?;
        let mut fields = HeaderMap::new();
        for _ in 0..count {
            let length = usize::from(self.short()?);
            let name = HeaderName::from_bytes(self.take(length)?).ok()?;
            let length = usize::try_from(self.long()?).ok()?;
            let value = HeaderValue::from_bytes(self.take(length)?).ok()?;
            // A map has room for fewer than two bytes can count.
            fields.try_append(name, value).ok()?;
        }
        Some(fields)
    }

    fn short(&mut self) -> Option<u16> {
        self.take(2)?.try_into().map(u16::from_be_bytes).ok()
    }

    fn long(&mut self) -> Option<u32> {
        self.take(4)?.try_into().map(u32::from_be_bytes).ok()
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.left.split_at_checked(length)?;
        self.left = left;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response() -> StoredResponse {
        let mut headers = HeaderMap::new();
        headers.append("link", HeaderValue::from_static("<a>; rel=\"next\", <b>"));
        headers.append("link", HeaderValue::from_static("<c>"));
        headers.append("etag", HeaderValue::from_bytes(b"\"\xff\"").unwrap());
        let mut trailers = HeaderMap::new();
        trailers.append("grpc-status", HeaderValue::from_static("0"));
        StoredResponse {
            status: StatusCode::CREATED,
            headers,
            body: Bytes::from_static(b"\x1f\x8b\0\xff"),
            trailers: Some(trailers),
        }
    }

    #[test]
    fn q13_i45_an_answer_is_the_same_afterwards() {
        let read = StoredResponse::from_answer(response().into_answer()).unwrap();
        assert_eq!(read, response());
        let links: Vec<_> = read.headers.get_all("link").iter().collect();
        assert_eq!(links, ["<a>; rel=\"next\", <b>", "<c>"]);
    }

    #[test]
    fn i54_every_head_that_is_cut_or_longer_is_refused() {
        let whole = response().into_answer();
        for length in 0..whole.head.len() {
            let mut cut = whole.clone();
            cut.head.truncate(length);
            let refusal = StoredResponse::from_answer(cut).unwrap_err();
            assert_eq!(refusal.code(), "IDEMPOTENCY_ANSWER_UNREADABLE", "{length}");
        }
        let mut longer = whole.clone();
        longer.head.push(0);
        assert!(StoredResponse::from_answer(longer).is_err());
        let names = (0..u16::MAX).map(|number| format!("x{number}"));
        let fields = names.flat_map(|name| {
            let length = u16::try_from(name.len()).unwrap();
            [&length.to_be_bytes()[..], name.as_bytes(), &[0; 4]].concat()
        });
        let crowd = [VERSION].into_iter().chain(u16::MAX.to_be_bytes());
        let crowded = Answer {
            head: crowd.chain(fields).chain([0, 0]).collect(),
            ..whole.clone()
        };
        assert!(StoredResponse::from_answer(crowded).is_err());
        let mut newer = whole.clone();
        newer.head[0] = VERSION + 1;
        assert!(StoredResponse::from_answer(newer).is_err());
        let no_status = Answer { status: 0, ..whole };
        assert!(StoredResponse::from_answer(no_status).is_err());
    }
}
