//! What the scripts answer, read.

use std::collections::HashMap;
use std::str::FromStr;
use std::time::Duration;

use redis::{FromRedisValue, ParsingError, Value};
use resilient_core::idempotency::{
    Answer, Claimed, Effects, Fence, Fenced, Fingerprint, Key, Record, RecordId, Resource, Scope,
    State, Won,
};

use super::{Reader, Writer};

/// How an answer is written.
const ANSWER_VERSION: u8 = 1;

/// What a script answered: a word, and what belongs to it.
#[derive(Debug)]
pub(super) struct Reply {
    word: String,
    parts: Vec<Value>,
}

impl FromRedisValue for Reply {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let mut parts: Vec<Value> = Vec::from_redis_value(value)?;
        if parts.is_empty() {
            return Err(ParsingError::from("a script answered nothing"));
        }
        let word = String::from_redis_value(parts.remove(0))?;
        Ok(Reply { word, parts })
    }
}

/// A record among others.
#[derive(Debug)]
pub(super) struct Listed {
    /// What to compare them by: the age of each is from another moment.
    pub(super) claimed_at: u64,
    pub(super) record: Record,
    /// Its answer, if it was asked for and is there.
    frame: Option<Vec<u8>>,
}

/// Why an answer cannot be read.
pub(super) type Unreadable = String;

impl Reply {
    pub(super) fn claimed(self) -> Result<Claimed, Unreadable> {
        if self.word != "won" {
            let record = self.record()?;
            return record
                .map(|record| Claimed::Taken(Box::new(record)))
                .ok_or_else(|| "neither won nor taken".to_owned());
        }
        let [fence, attempts, checkpoint, retried] = <[Value; 4]>::try_from(self.parts)
            .map_err(|parts| format!("won with {} parts", parts.len()))?;
        Ok(Claimed::Won(Won {
            fence: Fence(read(fence, "fence")?),
            attempts: read(attempts, "attempts")?,
            checkpoint: read(checkpoint, "checkpoint")?,
            retried: read::<u8>(retried, "retried")? == 1,
        }))
    }

    pub(super) fn fenced(self) -> Result<Fenced, Unreadable> {
        match self.word.as_str() {
            "done" => Ok(Fenced::Done),
            "lost" => Ok(Fenced::Lost),
            _ => Err(self.unexpected()),
        }
    }

    /// A record with its answer.
    pub(super) fn record(self) -> Result<Option<Record>, Unreadable> {
        let Some(Listed {
            mut record, frame, ..
        }) = self.listed()?
        else {
            return Ok(None);
        };
        if record.state == State::Completed {
            record.answer = frame.map(|frame| answer_of(&frame)).transpose()?;
            // The server may have made room by deleting it.
            if record.answer.is_none() {
                record.state = State::BodyDropped;
                record.answer_left = None;
            }
        }
        Ok(Some(record))
    }

    /// A record among others.
    pub(super) fn listed(self) -> Result<Option<Listed>, Unreadable> {
        match self.word.as_str() {
            "none" => return Ok(None),
            "record" if self.parts.len() >= 2 => {}
            _ => return Err(self.unexpected()),
        }
        let mut parts = self.parts;
        let mut fields = Fields::of(parts.split_off(2))?;
        let frame = read(parts.remove(1), "answer")?;
        let now = read(parts.remove(0), "time")?;
        let claimed_at = fields.number("claimed_at")?;
        Ok(Some(Listed {
            claimed_at,
            record: fields.record(now, claimed_at)?,
            frame,
        }))
    }

    fn unexpected(self) -> Unreadable {
        let first = self.parts.into_iter().next();
        match first.and_then(|part| String::from_redis_value(part).ok()) {
            Some(why) if self.word == "unreadable" => why,
            _ => format!("a script answered `{}`", self.word),
        }
    }
}

/// The hash of a record.
struct Fields {
    fields: HashMap<String, Vec<u8>>,
}

impl Fields {
    fn of(flat: Vec<Value>) -> Result<Self, Unreadable> {
        let fields = read(Value::Array(flat), "fields")?;
        Ok(Fields { fields })
    }

    /// Without its answer.
    fn record(mut self, now: u64, claimed_at: u64) -> Result<Record, Unreadable> {
        let since = |time: u64| Duration::from_millis(now.saturating_sub(time));
        let until = |time: u64| Duration::from_millis(time.saturating_sub(now));
        let mut state = State::from_code(self.number("state")?);
        let answer_left = until(self.number("answer_until")?);
        if state == State::Completed && answer_left.is_zero() {
            state = State::BodyDropped;
        }
        let leased_until: u64 = self.number("leased_until")?;
        let expires_at: u64 = self.number("expires_at")?;
        let counts_until = match state {
            // As the scripts reckon: as if it had ended with its lease.
            State::Running => {
                let kept = expires_at.saturating_sub(claimed_at);
                expires_at.max(leased_until.saturating_add(kept))
            }
            _ => expires_at,
        };
        let scope = Scope::stored(&self.text("scope")?);
        let key = Key::literal(&self.text("key")?).map_err(|error| error.to_string())?;
        Ok(Record {
            id: RecordId::new(scope, key),
            state,
            fingerprint: self.fingerprint()?,
            fence: Fence(self.number("fence")?),
            effects: Effects::from_code(self.number("effects")?),
            attempts: self.number("attempts")?,
            checkpoint: self.optional_text("checkpoint")?,
            resource: self.resource()?,
            answer: None,
            age: since(claimed_at),
            lease_left: match state {
                State::Running => until(leased_until),
                _ => Duration::ZERO,
            },
            answer_left: (state == State::Completed).then_some(answer_left),
            expires_in: match state {
                State::Uncertain => None,
                _ => Some(until(counts_until)),
            },
        })
    }

    fn number<T: FromStr>(&mut self, field: &str) -> Result<T, Unreadable> {
        let text = self.text(field)?;
        text.parse()
            .map_err(|_| format!("its field `{field}` is {text:?}"))
    }

    fn text(&mut self, field: &str) -> Result<String, Unreadable> {
        self.optional_text(field)?
            .ok_or_else(|| format!("its field `{field}` is missing"))
    }

    fn optional_text(&mut self, field: &str) -> Result<Option<String>, Unreadable> {
        self.fields
            .remove(field)
            .map(String::from_utf8)
            .transpose()
            .map_err(|_| format!("its field `{field}` is no text"))
    }

    fn fingerprint(&mut self) -> Result<Option<Fingerprint>, Unreadable> {
        let frame = self.fields.remove("fingerprint").unwrap_or_default();
        if frame.is_empty() {
            return Ok(None);
        }
        Reader::new(&frame)
            .fingerprint()
            .map(Some)
            .ok_or_else(|| "its field `fingerprint` is broken".to_owned())
    }

    fn resource(&mut self) -> Result<Option<Resource>, Unreadable> {
        let kind = self.optional_text("resource_kind")?;
        let id = self.optional_text("resource_id")?;
        Ok(kind.zip(id).map(|(kind, id)| Resource { kind, id }))
    }
}

fn read<T: FromRedisValue>(value: Value, what: &str) -> Result<T, Unreadable> {
    T::from_redis_value(value).map_err(|error| format!("its {what}: {error}"))
}

/// A fingerprint as it is stored; nothing if there is none.
pub(super) fn framed_fingerprint(fingerprint: Option<&Fingerprint>) -> Vec<u8> {
    let mut frame = Writer::default();
    if let Some(fingerprint) = fingerprint {
        frame.fingerprint(fingerprint);
    }
    frame.take()
}

/// An answer as it is stored.
pub(super) fn framed_answer(answer: &Answer) -> Vec<u8> {
    Writer::default().u8(ANSWER_VERSION).answer(answer).take()
}

fn answer_of(frame: &[u8]) -> Result<Answer, Unreadable> {
    let mut reader = Reader::new(frame);
    let version = reader.u8();
    if version != Some(ANSWER_VERSION) {
        return Err(format!(
            "the version of its answer is {version:?}, not {ANSWER_VERSION}"
        ));
    }
    reader
        .answer()
        .filter(|_| reader.is_done())
        .ok_or_else(|| "its answer is broken".to_owned())
}
