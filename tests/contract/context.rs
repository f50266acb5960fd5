//! N1: what an attempt knows about its call.

use std::time::Duration;

use resilient::{Registry, context, propagate, resilient, scope, testing};

use crate::script::Failure;

#[resilient(retry(max = 3, base = "0s"), timeout = "1s", idempotent)]
async fn counting(seen: &mut Vec<(u32, u32)>) -> Result<(), Failure> {
    let context = context();
    seen.push((context.attempt(), context.max_attempts()));
    Err(Failure::Transient)
}

#[tokio::test(start_paused = true)]
async fn n1_attempts_are_numbered_from_one() {
    let mut seen = Vec::new();
    // A registry of its own, because retries of a site share a budget.
    let _ = scope(&Registry::new(), counting(&mut seen)).await;
    assert_eq!(seen, [(1, 3), (2, 3), (3, 3)]);
    assert_eq!(
        (context().attempt(), context().remaining()),
        (1, None),
        "nothing stays behind"
    );
}

#[tokio::test(start_paused = true)]
async fn n1_the_context_follows_the_innermost_call_and_comes_back() {
    #[resilient(timeout = "10s", idempotency_key = key)]
    async fn outer(key: &str) -> Result<(), Failure> {
        let mut seen = Vec::new();
        let _ = counting(&mut seen).await;
        assert_eq!(context().max_attempts(), 1);
        assert_eq!(
            context()
                .idempotency_key()
                .map(ToString::to_string)
                .as_deref(),
            Some(key)
        );
        assert_eq!(context().remaining(), Some(Duration::from_secs(10)));
        Ok(())
    }
    outer("outer").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn n1_propagate_carries_key_and_registry_into_a_task() {
    const KEY: &str = "k";
    #[resilient(idempotency_key = KEY)]
    async fn spawns() -> Result<(Option<String>, Option<String>), Failure> {
        let key = || context().idempotency_key().map(ToString::to_string);
        let bare = tokio::spawn(async move { key() }).await.unwrap();
        let carried = tokio::spawn(propagate(async move { key() })).await.unwrap();
        Ok((bare, carried))
    }
    assert_eq!(spawns().await, Ok((None, Some(KEY.to_owned()))));
}

#[tokio::test(start_paused = true)]
async fn x2_passthrough_runs_the_body_bare() {
    #[resilient(dependency = "nobody-registered-this", idempotent)]
    async fn annotated(attempts: &mut u32) -> Result<(), Failure> {
        *attempts += 1;
        tokio::time::sleep(Duration::from_secs(3600)).await;
        Err(Failure::Transient)
    }
    let mut attempts = 0;
    let outcome = scope(&testing::passthrough(), annotated(&mut attempts)).await;
    assert_eq!((outcome, attempts), (Err(Failure::Transient), 1));
}

#[tokio::test(start_paused = true)]
async fn x2_passthrough_wins_over_a_registry_of_the_sites_own() {
    #[resilient(retry(max = 3, base = "0s"), idempotent, registry = registry)]
    async fn annotated(registry: &Registry, attempts: &mut u32) -> Result<(), Failure> {
        *attempts += 1;
        Err(Failure::Transient)
    }
    let registry = Registry::new();
    let (mut bare, mut guarded) = (0, 0);
    let _ = scope(&testing::passthrough(), annotated(&registry, &mut bare)).await;
    let _ = annotated(&registry, &mut guarded).await;
    assert_eq!((bare, guarded), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn scopes_nest_and_end() {
    #[resilient(dependency = "scoped-only", idempotent)]
    async fn annotated() -> Result<(), Failure> {
        Ok(())
    }
    let registry = Registry::new();
    registry
        .register(resilient::Dependency::named("scoped-only"))
        .unwrap();
    scope(&registry, async {
        assert!(annotated().await.is_ok());
        assert!(
            scope(&Registry::new(), annotated()).await.is_err(),
            "the inner scope decides"
        );
        assert!(annotated().await.is_ok());
    })
    .await;
    assert!(annotated().await.is_err());
}
