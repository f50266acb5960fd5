//! Layers that cannot work as they were set up.

use http::HeaderName;
use resilient_core::idempotency::{MemoryStore, Scope};
use resilient_http::IdempotencyLayer;
use resilient_http::idempotency::StatusRule;

use crate::app::{ledger, rules};

#[test]
fn q06_i44_all_that_is_wrong_is_reported_at_once() {
    let ledger = ledger(MemoryStore::new(1), &rules());
    let header = HeaderName::from_static;
    let error = IdempotencyLayer::builder(ledger, |_: &_| Scope::of("t"))
        .methods([])
        .statuses(StatusRule::new().store([401, 429, 503]).failed([42]))
        .keep_headers([header("set-cookie"), header("x-fine"), header("keep-alive")])
        .build()
        .unwrap_err();
    let found: Vec<_> = error
        .problems
        .iter()
        .map(|problem| (problem.setting, &*problem.value))
        .collect();
    assert_eq!(
        found,
        [
            ("statuses", "42"),
            ("statuses", "401"),
            ("statuses", "429"),
            ("statuses", "503"),
            ("keep_headers", "set-cookie"),
            ("keep_headers", "keep-alive"),
            ("methods", "[]"),
        ]
    );
    assert_eq!(error.to_string().lines().count(), 7);
}
