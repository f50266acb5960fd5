//! A copy of a final record, as bytes.

use std::time::Duration;

use resilient_core::idempotency::{Effects, Fence, Record, RecordId, State};

use crate::redis::{Reader, Writer};

/// How a copy is written.
const VERSION: u8 = 2;

/// What stands in place of a copy that must not come back.
pub(super) const BARRED: &[u8] = &[0];

/// A record that is final, and how long its copy may be kept.
///
/// Times are counted from when the copy was made: how long ago that is, is known from how much of
/// its time is left, so no process's clock is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Copy {
    pub(super) record: Record,
    pub(super) lifetime: Duration,
}

impl Copy {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let record = &self.record;
        let mut frame = Writer::default();
        frame
            .u8(VERSION)
            .u64(millis(self.lifetime))
            .u8(record.state.code())
            .u64(record.fence.0)
            .u8(record.effects.code())
            .u32(record.attempts)
            .u64(millis(record.age))
            .option(record.answer_left.map(millis), Writer::u64)
            .option(record.expires_in.map(millis), Writer::u64)
            .option(record.fingerprint.as_ref(), Writer::fingerprint)
            .option(record.checkpoint.as_deref(), |frame, text| {
                frame.bytes(text.as_bytes())
            })
            .option(record.resource.as_ref(), Writer::resource)
            .option(record.answer.as_ref(), Writer::answer)
            .take()
    }

    /// The copy in these bytes, which has so much of its time left. `None` for what is no copy, or
    /// one of another version.
    pub(super) fn read(id: &RecordId, bytes: &[u8], left: Duration) -> Option<Record> {
        let mut frame = Reader::new(bytes);
        if frame.u8()? != VERSION {
            return None;
        }
        let lifetime = Duration::from_millis(frame.u64()?);
        let record = Record {
            id: id.clone(),
            state: State::from_code(frame.u8()?),
            fence: Fence(frame.u64()?),
            effects: Effects::from_code(frame.u8()?),
            attempts: frame.u32()?,
            age: Duration::from_millis(frame.u64()?),
            answer_left: frame.option(Reader::u64)?.map(Duration::from_millis),
            expires_in: frame.option(Reader::u64)?.map(Duration::from_millis),
            fingerprint: frame.option(Reader::fingerprint)?,
            checkpoint: frame.option(Reader::text)?,
            resource: frame.option(Reader::resource)?,
            answer: frame.option(Reader::answer)?,
            lease_left: Duration::ZERO,
        };
        let is_whole = frame.is_done() && is_final(&record);
        is_whole.then(|| aged(record, lifetime.saturating_sub(left)))
    }
}

/// Whether nothing but time can change it.
pub(super) fn is_final(record: &Record) -> bool {
    match record.state {
        State::Completed => record.answer.is_some(),
        State::BodyDropped => true,
        State::Running | State::Uncertain => false,
    }
}

/// How long a final record is told as it is: a completed one loses its answer before it ends.
pub(super) fn told_for(record: &Record) -> Duration {
    record.answer_left.or(record.expires_in).unwrap_or_default()
}

/// The record so much later.
pub(super) fn aged(record: Record, by: Duration) -> Record {
    Record {
        age: record.age.saturating_add(by),
        answer_left: record.answer_left.map(|left| left.saturating_sub(by)),
        expires_in: record.expires_in.map(|left| left.saturating_sub(by)),
        ..record
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use resilient_core::idempotency::{Answer, Fingerprint, Key, Resource, Scope};

    use super::*;

    fn full() -> Copy {
        Copy {
            record: Record {
                id: RecordId::new(Scope::of("t"), Key::literal("k").unwrap()),
                state: State::Completed,
                fingerprint: Some(Fingerprint::of_bytes(&[b"payload"]).version(3)),
                fence: Fence(u64::MAX),
                effects: Effects::Unkeyed,
                attempts: 7,
                checkpoint: Some("paid".to_owned()),
                resource: Some(Resource::new("order", 4711)),
                answer: Some(Answer {
                    status: 201,
                    head: vec![0, 255],
                    body: (0..=255).collect(),
                }),
                age: Duration::from_secs(5),
                lease_left: Duration::ZERO,
                answer_left: Some(Duration::from_secs(900)),
                expires_in: Some(Duration::from_secs(1000)),
            },
            lifetime: Duration::from_secs(300),
        }
    }

    fn bare() -> Copy {
        let mut copy = full();
        copy.record = Record {
            state: State::BodyDropped,
            fingerprint: None,
            checkpoint: None,
            resource: None,
            answer: None,
            answer_left: None,
            ..copy.record
        };
        copy
    }

    #[test]
    fn what_is_written_is_read() {
        for copy in [full(), bare()] {
            let id = &copy.record.id;
            let read = Copy::read(id, &copy.bytes(), copy.lifetime);
            assert_eq!(read.as_ref(), Some(&copy.record));
        }
    }

    #[test]
    fn i57_a_copy_grows_old_with_its_time() {
        let copy = full();
        let left = Duration::from_secs(260);
        let read = Copy::read(&copy.record.id, &copy.bytes(), left).unwrap();
        assert_eq!(read.age, Duration::from_secs(45));
        assert_eq!(read.answer_left, Some(Duration::from_secs(860)));
        assert_eq!(read.expires_in, Some(Duration::from_secs(960)));
    }

    #[test]
    fn what_is_no_copy_is_none() {
        let copy = full();
        let id = &copy.record.id;
        let whole = copy.bytes();
        for length in 0..whole.len() {
            assert_eq!(Copy::read(id, &whole[..length], copy.lifetime), None);
        }
        let longer = [&whole[..], &[0]].concat();
        assert_eq!(Copy::read(id, &longer, copy.lifetime), None);
        let later = [&[VERSION + 1], &whole[1..]].concat();
        assert_eq!(Copy::read(id, &later, copy.lifetime), None);
        assert_eq!(Copy::read(id, BARRED, copy.lifetime), None);
    }

    #[test]
    fn only_what_is_final_is_a_copy() {
        for state in [State::Running, State::Uncertain] {
            let mut copy = bare();
            copy.record.state = state;
            let id = &copy.record.id;
            assert_eq!(Copy::read(id, &copy.bytes(), copy.lifetime), None);
        }
    }
}
