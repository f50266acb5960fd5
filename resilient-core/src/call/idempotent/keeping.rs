//! Values as they are kept, and as they come back.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::left::Left;
use crate::idempotency::{Answer, Refusal, Resolution, Resource};

/// What is kept of an `Ok`, and of an `Err`.
const OK: u16 = 0;
const ERR: u16 = 1;

/// What can be kept of an answer.
#[diagnostic::on_unimplemented(
    message = "the answer of an idempotent function is kept for its repeats, but `{Self}` cannot be written and read again",
    label = "needs `Serialize` and `DeserializeOwned`",
    note = "derive `serde::Serialize` and `serde::Deserialize` for it, without borrowed fields"
)]
pub trait KeptAnswer: Sized {
    /// Written and read again as JSON.
    const CODEC: Codec<Self>;
}

#[diagnostic::do_not_recommend]
impl<V: Serialize + DeserializeOwned> KeptAnswer for V {
    const CODEC: Codec<Self> = Codec::json();
}

/// What can be kept of an error.
#[diagnostic::on_unimplemented(
    message = "`store_errors` keeps errors for repeats, but `{Self}` cannot be written and read again",
    label = "needs `Serialize` and `DeserializeOwned`",
    note = "derive `serde::Serialize` and `serde::Deserialize` for it, with `#[serde(skip)]` on variants that are never kept, such as `Rejected(Rejection)`; or drop `store_errors`, so that a repeat runs anew"
)]
pub trait KeptFailure: Sized {
    /// Written and read again as JSON.
    const CODEC: Codec<Self>;
}

#[diagnostic::do_not_recommend]
impl<V: Serialize + DeserializeOwned> KeptFailure for V {
    const CODEC: Codec<Self> = Codec::json();
}

/// How values are written and read again.
///
/// Pointers, so that nothing but [`kept`] asks anything of the type, and what it lacks is told once.
pub struct Codec<V> {
    write: fn(&V) -> serde_json::Result<Vec<u8>>,
    read: fn(&[u8]) -> serde_json::Result<V>,
}

impl<V: Serialize + DeserializeOwned> Codec<V> {
    const fn json() -> Self {
        Codec {
            write: |value| serde_json::to_vec(value),
            read: |bytes| serde_json::from_slice(bytes),
        }
    }
}

impl<V> fmt::Debug for Codec<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Codec")
    }
}

/// How answers of this type are kept.
pub fn kept<V: KeptAnswer>() -> Codec<V> {
    V::CODEC
}

/// How errors of this type are kept.
pub fn kept_failure<V: KeptFailure>() -> Codec<V> {
    V::CODEC
}

/// How a function keeps what it came to.
pub struct Keeping<T, E> {
    /// How an `Ok` is written.
    pub answer: Codec<T>,
    /// How an `Err` is written, if it is kept at all.
    pub failure: Option<Codec<E>>,
    /// What an `Ok` has made.
    pub resource: Option<fn(&T) -> Resource>,
}

impl<T, E> fmt::Debug for Keeping<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keeping")
    }
}

impl<T, E> Keeping<T, E> {
    /// What an answer leaves behind.
    pub(super) fn write(&self, outcome: Result<&T, &E>) -> Left {
        let (status, body, resource) = match (outcome, &self.failure) {
            (Ok(value), _) => {
                let resource = self.resource.map(|resource| resource(value));
                (OK, (self.answer.write)(value), resource)
            }
            (Err(failure), Some(codec)) => (ERR, (codec.write)(failure), None),
            (Err(_), None) => return Left::Failed,
        };
        match body {
            Ok(body) => Left::Answer(answer(status, body), resource),
            // A variant that is skipped is one that is not kept.
            Err(_) if status == ERR => Left::Failed,
            Err(error) => {
                tracing::error!(target: "resilient", %error, "idempotency.not_written");
                Left::Done(resource)
            }
        }
    }

    pub(super) fn read(&self, answer: &Answer) -> Result<Result<T, E>, Refusal> {
        let read = match (answer.status, &self.failure) {
            (OK, _) => (self.answer.read)(&answer.body).map(Ok),
            (ERR, Some(codec)) => (codec.read)(&answer.body).map(Err),
            (ERR, None) => {
                return Err(unreadable(
                    "it is an error, and this function keeps none (`store_errors`)",
                ));
            }
            (status, _) => {
                return Err(unreadable(format!(
                    "its status is {status}, not one of a function"
                )));
            }
        };
        read.map_err(|error| unreadable(error.to_string()))
    }

    /// What was found out, as it is kept.
    pub fn resolution(&self, resolution: Resolution<T>) -> Resolution {
        match resolution {
            Resolution::Completed {
                answer: value,
                resource,
            } => match (self.answer.write)(&value) {
                Ok(body) => Resolution::Completed {
                    answer: answer(OK, body),
                    resource,
                },
                Err(error) => {
                    tracing::error!(target: "resilient", %error, "idempotency.not_written");
                    Resolution::Done { resource }
                }
            },
            Resolution::Done { resource } => Resolution::Done { resource },
            Resolution::NotExecuted => Resolution::NotExecuted,
            Resolution::Unknown => Resolution::Unknown,
        }
    }
}

fn answer(status: u16, body: Vec<u8>) -> Answer {
    Answer {
        status,
        head: Vec::new(),
        body,
    }
}

fn unreadable(why: impl Into<String>) -> Refusal {
    Refusal::Unreadable { why: why.into() }
}
