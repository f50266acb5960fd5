use super::*;
use crate::context::NOBODY;

fn holding(breaker: u32) -> Holds {
    Holds {
        breaker,
        ..Holds::NOTHING
    }
}

fn limited() -> Frame {
    Frame {
        deadline: Limit::of(1_000_000),
        ..Frame::default()
    }
}

/// Runs `inside` where a call that holds the breaker 7 is the only one.
fn on_the_ground(frame: &mut Frame, inside: impl FnOnce()) -> Credentials {
    let mut credentials = Credentials::default();
    push(frame, holding(7), &mut credentials);
    inside();
    pop(frame, &mut credentials);
    credentials
}

#[test]
fn t1_the_outermost_call_gets_its_stamps_back() {
    let mut frame = limited();
    on_the_ground(&mut frame, || {});
    assert_eq!(frame.deadline.known_end(), None, "nobody has looked");
    let mut seen = None;
    on_the_ground(&mut frame, || {
        seen = with_innermost(|frame, key| {
            assert!(key.is_none());
            frame.limit()
        });
    });
    assert!(seen.is_some() && frame.deadline.known_end() == seen);
}

#[test]
fn n2_what_the_outermost_call_holds_is_seen_and_ends_with_it() {
    let mut frame = Frame::default();
    let mut carried = Vec::new();
    let mut credentials = on_the_ground(&mut frame, || {
        assert!(holds_breaker(7) && !holds_breaker(8) && !holds_bulkhead(7));
        assert!(!holds_bulkhead(NOBODY - 1) && !has_no_frames());
        carried = snapshot().0;
        assert!(holds_breaker(7), "carried away, and still here");
    });
    assert!(is_empty() && !holds_breaker(7));
    with_frames(&mut carried, || assert!(holds_breaker(7)));
    credentials.end_lease();
    with_frames(&mut carried, || assert!(!holds_breaker(7)));
}

/// Frames that a task carries are polled on top of a call, and the whole is carried on from there.
#[test]
fn n1_frames_find_their_owners_when_the_ground_under_them_is_carried_on() {
    let numbered = |attempt| {
        let frame = Frame {
            attempt,
            ..limited()
        };
        Lent::new(frame, None)
    };
    let mut inner = [numbered(2), numbered(3)];
    let mut ground = limited();
    let mut carried = Vec::new();
    on_the_ground(&mut ground, || {
        with_frames(&mut inner, || carried = snapshot().0);
    });
    let attempts = |frames: &[Lent]| {
        let attempts = frames.iter().map(|lent| lent.frame.attempt);
        attempts.collect::<Vec<_>>()
    };
    assert_eq!(attempts(&inner), [2, 3]);
    assert_eq!(attempts(&carried), [1, 2, 3]);
    assert!(is_empty());
    for lent in &inner {
        assert!(lent.frame.deadline.known_end().is_some(), "{lent:?}");
    }
    assert!(ground.deadline.known_end().is_some());
}
