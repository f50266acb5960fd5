use super::*;

fn name() -> Name {
    Name::new("payment").expect("a valid name")
}

fn open(state: BreakerState, retry_in: Duration) -> Rejection {
    Rejection::BreakerOpen {
        dependency: name(),
        key: None,
        state,
        retry_in,
        reason: None,
    }
}

fn limited(retry_in: Duration) -> Rejection {
    Rejection::RateLimited {
        limiter: name(),
        limit: Name::new("hourly").ok(),
        retry_in,
    }
}

fn forced_open(reason: &str) -> Rejection {
    Rejection::BreakerOpen {
        dependency: name(),
        key: Some(BreakerKey::new("shard-7\n")),
        state: BreakerState::ForcedOpen,
        retry_in: Duration::MAX,
        reason: Reason::new(reason),
    }
}

fn rows() -> Vec<(Rejection, Class, &'static str, io::ErrorKind)> {
    let after = Duration::from_secs(5);
    vec![
        (
            Rejection::TimedOut { after },
            Class::transient(),
            "timeout",
            io::ErrorKind::TimedOut,
        ),
        (
            Rejection::DeadlineExceeded { after },
            Class::Ignored,
            "deadline",
            io::ErrorKind::TimedOut,
        ),
        (
            open(BreakerState::Open, after),
            Class::Ignored,
            "breaker_open",
            io::ErrorKind::ConnectionRefused,
        ),
        (
            Rejection::BulkheadFull {
                dependency: name(),
                limit: 10,
                waited: Duration::ZERO,
            },
            Class::Ignored,
            "bulkhead_full",
            io::ErrorKind::ResourceBusy,
        ),
        (
            Rejection::Shed {
                dependency: name(),
                percent: 40,
            },
            Class::Ignored,
            "shed",
            io::ErrorKind::ResourceBusy,
        ),
        (
            limited(after),
            Class::Ignored,
            "rate_limited",
            io::ErrorKind::ResourceBusy,
        ),
        (
            Rejection::NotRegistered(Box::new(NotRegistered {
                kind: "breaker",
                name: "x".into(),
                near: vec![],
                site: Some("app::f".into()),
            })),
            Class::Ignored,
            "not_registered",
            io::ErrorKind::Other,
        ),
        #[cfg(feature = "idempotency")]
        (
            Rejection::Idempotency(Box::new(Refusal::Uncertain)),
            Class::Ignored,
            "idempotency",
            io::ErrorKind::Other,
        ),
    ]
}

#[test]
fn every_rejection_has_its_class_kind_and_io_form() {
    for (rejection, class, kind, io_kind) in rows() {
        assert_eq!(rejection.class(), class, "{rejection}");
        assert_eq!(rejection.kind(), kind, "{rejection}");
        assert_eq!(Classify::kind(&rejection), kind, "{rejection}");
        let io = io::Error::from(rejection.clone());
        assert_eq!(io.kind(), io_kind, "{rejection}");
        let inside = io.get_ref().and_then(|inner| inner.downcast_ref());
        assert_eq!(inside, Some(&rejection));
    }
}

#[test]
fn messages_name_the_policy_the_value_and_what_to_do() {
    let ms = Duration::from_millis;
    for (rejection, parts) in [
        (
            Rejection::TimedOut { after: ms(250) },
            &["timeout", "250ms", "raise"][..],
        ),
        (
            Rejection::DeadlineExceeded { after: ms(15_000) },
            &["deadline", "15s", "raise"],
        ),
        (
            open(BreakerState::Open, Duration::from_micros(4_200_001)),
            &["breaker `payment`", "is open", "try again in 4.201s"],
        ),
        (
            open(BreakerState::HalfOpen, Duration::ZERO),
            &["is half-open", "try again now"],
        ),
        (
            open(BreakerState::ForcedOpen, Duration::MAX),
            &["is forced open: ", "operator"],
        ),
        (
            forced_open("new database"),
            &[
                "breaker `payment` for `shard-7\\n` is forced open (new database): try again when",
                "an operator",
            ],
        ),
        (
            Rejection::BulkheadFull {
                dependency: name(),
                limit: 10,
                waited: ms(1000),
            },
            &["bulkhead `payment`", "10 running", "1s", "max_concurrent"],
        ),
        (
            Rejection::BulkheadFull {
                dependency: name(),
                limit: 10,
                waited: Duration::ZERO,
            },
            &["no place in the queue"],
        ),
        (
            Rejection::Shed {
                dependency: name(),
                percent: 40,
            },
            &["throttle of `payment`", "40 %", "accepts"],
        ),
        (
            limited(Duration::from_micros(1_500_001)),
            &[
                "rate limiter `payment` (`hourly`): has room for this in 1.501s",
                "max_wait",
            ],
        ),
        (limited(Duration::MAX), &["has no room for this"]),
    ] {
        let message = rejection.to_string();
        for part in parts {
            assert!(message.contains(part), "{message:?} lacks {part:?}");
        }
    }
}

#[test]
fn only_a_known_wait_is_told() {
    let second = Duration::from_secs(1);
    for (rejection, expected) in [
        (open(BreakerState::Open, second), Some(second)),
        (
            open(BreakerState::HalfOpen, Duration::ZERO),
            Some(Duration::ZERO),
        ),
        (open(BreakerState::ForcedOpen, Duration::MAX), None),
        (limited(second), Some(second)),
        (limited(Duration::MAX), None),
        (Rejection::TimedOut { after: second }, None),
        #[cfg(feature = "idempotency")]
        (
            Rejection::Idempotency(Box::new(Refusal::InProgress {
                retry_after: second,
            })),
            Some(second),
        ),
    ] {
        assert_eq!(rejection.retry_in(), expected, "{rejection}");
    }
}

/// It is part of every error type of every annotated function.
#[test]
fn it_stays_small() {
    assert!(
        size_of::<Rejection>() <= 48,
        "{} bytes",
        size_of::<Rejection>()
    );
}
