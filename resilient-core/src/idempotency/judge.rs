//! What a record means for someone who came second.

use std::time::Duration;

use super::{Answer, Fingerprint, Record, Refusal, State};

/// Answers a request under a key that was claimed before: with what is kept, or with why not.
///
/// Another payload is told first, whatever the state: that the first one is still running says
/// nothing about this one.
pub(super) fn judge(
    record: Record,
    asked: Option<&Fingerprint>,
    retry_after: Duration,
) -> Result<Answer, Refusal> {
    if is_of_another(&record, asked) {
        return Err(Refusal::KeyReused);
    }
    match (record.state, record.answer) {
        (State::Running, _) => Err(Refusal::InProgress { retry_after }),
        (State::Uncertain, _) => Err(Refusal::Uncertain),
        (State::Completed, Some(answer)) => Ok(answer),
        (State::Completed | State::BodyDropped, _) => Err(Refusal::AnswerGone {
            resource: record.resource,
        }),
    }
}

/// Whether the record is known to be that of another payload.
pub(super) fn is_of_another(record: &Record, asked: Option<&Fingerprint>) -> bool {
    let known = record.fingerprint.as_ref();
    known
        .zip(asked)
        .is_some_and(|(known, asked)| known.contradicts(asked))
}

#[cfg(test)]
mod tests {
    use super::super::{Effects, Fence, Key, RecordId, Resource, Scope};
    use super::*;

    fn record(state: State, answer: Option<Answer>) -> Record {
        Record {
            id: RecordId::new(Scope::of("t"), Key::literal("k").unwrap()),
            state,
            fingerprint: Some(Fingerprint::of_bytes(&[b"one"])),
            fence: Fence(1),
            effects: Effects::Keyed,
            attempts: 1,
            checkpoint: None,
            resource: Some(Resource::new("order", 7)),
            answer,
            age: Duration::ZERO,
            lease_left: Duration::ZERO,
            answer_left: None,
            expires_in: None,
        }
    }

    #[test]
    fn q03_i11_i21_another_payload_is_told_in_every_state() {
        let other = Fingerprint::of_bytes(&[b"two"]);
        for state in [
            State::Running,
            State::Completed,
            State::BodyDropped,
            State::Uncertain,
        ] {
            let refusal = judge(record(state, None), Some(&other), Duration::ZERO).unwrap_err();
            assert_eq!(refusal.code(), "IDEMPOTENCY_KEY_REUSED", "{state:?}");
        }
    }

    #[test]
    fn each_state_has_its_answer() {
        let kept = Answer {
            status: 201,
            head: Vec::new(),
            body: b"x".to_vec(),
        };
        let asked = Fingerprint::of_bytes(&[b"one"]);
        let rows = [
            (State::Running, None, Err("IDEMPOTENCY_IN_PROGRESS")),
            (State::Completed, Some(kept.clone()), Ok(kept.clone())),
            (State::Completed, None, Err("IDEMPOTENCY_ANSWER_GONE")),
            (State::BodyDropped, None, Err("IDEMPOTENCY_ANSWER_GONE")),
            (State::Uncertain, None, Err("IDEMPOTENCY_UNCERTAIN")),
        ];
        for (state, answer, expected) in rows {
            let found = judge(record(state, answer), Some(&asked), Duration::ZERO);
            assert_eq!(
                found.map_err(|refusal| refusal.code()),
                expected,
                "{state:?}"
            );
        }
    }

    #[test]
    fn an_answer_that_is_gone_names_what_was_made() {
        let refusal = judge(record(State::BodyDropped, None), None, Duration::ZERO).unwrap_err();
        assert!(refusal.to_string().contains("made order 7"), "{refusal}");
    }
}
