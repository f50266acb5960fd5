//! Group L, and J08 and J09: whose time it is.

use std::path::Path;
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::{Dependency, Rejection, context, with_deadline};

use crate::script::Step::S;
use crate::script::row::{at_once, bare, retries_left};
use crate::script::{Failure, Script, registered};

// case J08
#[tokio::test(start_paused = true)]
async fn every_policy_moves_on_with_the_one_clock() {
    let dependency = bare(Dependency::named("dep"))
        .retry(at_once(3))
        .breaker(Breaker::consecutive(20).open_for("45s").close_after(1))
        .budget(Budget::ratio(0.0).floor(10).window("60s"));
    let (registry, policy) = registered(dependency, "dep");
    assert_eq!(retries_left(&policy).await, 10);
    assert_eq!(retries_left(&policy).await, 0, "the budget is drained");
    registry
        .breaker("dep")
        .unwrap()
        .force_open_for(Duration::from_secs(60));
    let script = Script::new(&[S]);
    let refused = policy.call(|| script.attempt()).await;
    assert!(
        matches!(
            refused,
            Err(Failure::Rejected(Rejection::BreakerOpen { .. }))
        ),
        "{refused:?}"
    );
    let left = with_deadline(Duration::from_secs(60), async {
        // Looking at it starts its clock, if the first poll has not.
        let before = context().remaining();
        tokio::time::advance(Duration::from_secs(61)).await;
        (before, context().remaining())
    });
    let over = (Some(Duration::from_secs(60)), Some(Duration::ZERO));
    assert_eq!(left.await, over);
    assert_eq!(
        policy.call(|| script.attempt()).await,
        Ok(200),
        "no probe is refused"
    );
    registry.breaker("dep").unwrap().reset();
    assert_eq!(retries_left(&policy).await, 10, "the window has moved on");
}

/// Every file below `folder` whose code says `word`, tests aside.
fn saying(word: &str, folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().unwrap() != "tests" {
                files.extend(saying(word, &path));
            }
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let mut code = source.lines().filter(|line| !line.trim().starts_with("//"));
        if code.any(|line| line.contains(word)) {
            files.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    files.sort_unstable();
    files
}

// case L01
#[test]
fn the_wall_clock_is_read_for_nothing_but_dates() {
    let core = Path::new("resilient-core/src");
    // Dates in answers, and, read once, where fixed windows of a rate limit begin.
    assert_eq!(
        saying("SystemTime", core),
        ["decision.rs", "epoch.rs", "retry_after.rs", "status.rs"]
    );
    assert_eq!(saying("Instant::now", core), ["clock.rs"]);
}
