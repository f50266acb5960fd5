//! Whose options hold: those of the dependency, of an impl block, or of its method.

use resilient::budget::Budget;
use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, resilient, scope};

use crate::script::Step::{F, Hang, S};
use crate::script::{Answer, Failure, Script, registered};

struct Client;

#[resilient(retry = "dep", idempotent, timeout = "50ms")]
impl Client {
    #[resilient]
    async fn block(script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient(retry(max = 2), timeout = "70ms")]
    async fn method(script: &Script) -> Answer {
        script.attempt().await
    }
}

#[tokio::test(start_paused = true)]
async fn each_level_goes_before_the_one_outside() {
    let retry = Retry::max(4).base("100ms").jitter(Jitter::None);
    let dependency = Dependency::named("dep").retry(retry);
    let (registry, _) = registered(dependency.budget(Budget::unlimited()), "dep");

    let script = Script::new(&[F, Hang, F, S]);
    assert_eq!(scope(&registry, Client::block(&script)).await, Ok(200));
    // The dependency's four attempts and delays, the block's timeout.
    assert_eq!(script.starts(), [0, 100, 350, 750]);

    let script = Script::new(&[Hang, F]);
    let outcome = scope(&registry, Client::method(&script)).await;
    assert_eq!(outcome, Err(Failure::Transient));
    // The dependency's delay, the method's two attempts and its timeout.
    assert_eq!(script.starts(), [0, 170]);
}
