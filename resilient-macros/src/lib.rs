//! The attribute and derive macros of `resilient`.
//!
//! Use them through the facade crate: what they write calls the half of the library that is
//! pinned to this very version.

mod arguments;
mod attribute;
mod derive;
mod diagnostic;
mod duration;
mod name;
mod place;
mod shape;
mod value;

use proc_macro::TokenStream;

/// Runs an `async fn` under the policies of the dependencies it calls.
///
/// The function returns `Result<T, E>`. Transient failures are retried with backoff under a budget,
/// a broken dependency is failed fast, a slow one is cut off and a saturated one fenced in; whatever
/// the policies refuse comes back as `E`, made from a `Rejection`.
///
/// # Options
///
/// A name is always that of a registered dependency (a limiter's and a store's are their own): `breaker = "payment"` uses the breaker of
/// `payment`. What is left out is taken from the dependency, else from the defaults.
///
/// | option | meaning |
/// |---|---|
/// | `dependency = "payment"` | everything registered under that name |
/// | `retry`, `retry(..)`, `retry = "payment"` | more than one attempt, see below |
/// | `breaker = "payment"` | fails fast while the dependency is broken |
/// | `breaker(name = "payment", per = "call")` | one verdict per call instead of per `"attempt"` |
/// | `breaker(name = "orders", key = shard.id)` | another breaker for each key, all with the settings of `orders`: for a dependency that is really many |
/// | `budget = "payment"` | whose budget the retries are taken from |
/// | `bulkhead = "payment"` | limits how many attempts run at once |
/// | `rate_limit = "api"`, `rate_limit(..)` | each attempt takes its turn with a rate limiter, see below |
/// | `hedge`, `hedge(..)` | another copy of an attempt that takes long, the first success wins, see below |
/// | `timeout = "5s"` | cuts off one attempt |
/// | `deadline = "15s"` | cuts off the whole call, with its queues and sleeps |
/// | `idempotency_key = expr` | one key for all attempts of a call; without `expr` a random one |
/// | `idempotent`, `idempotent = false` | repeating is harmless; or only what was never sent is repeated |
/// | `idempotent(..)` | runs once under the key of its caller, see below |
/// | `classify = path` | `fn(&Result<T, E>) -> Class` in place of `E: Classify` |
/// | `reject = path` | `fn(Rejection) -> E` in place of `E: From<Rejection>` |
/// | `fallback = path(a, b)` | `async fn(E, &A, &B) -> Result<T, E>` in place of every final error but a permanent one, outside the deadline |
/// | `fallback(call = path(a, b), timeout = "200ms")` | the same for so long: then it is dropped, and the call ends in a `Rejection::TimedOut` |
/// | `clone(a, b)` | owned arguments that the body moves: each attempt gets a clone |
/// | `name = "charge"` | the name in events, by default `module::function`, or `module::Type::method` in an annotated impl block |
/// | `registry = expr` | a registry other than the process-wide one |
/// | `crate = ::path` | where this library is found, if not at `::resilient` |
///
/// In `retry(..)`, all optional:
///
/// | option | meaning |
/// |---|---|
/// | `max = 4` | attempts in all, the first included: from 1 |
/// | `base = "100ms"`, `factor = 2.0`, `cap = "20s"` | the delay before attempt n + 1 is `base * factor^(n - 1)`, at most `cap` |
/// | `jitter = "full"` | how the delay is spread: `none`, `full`, `equal`, `decorrelated`, `proportional` |
/// | `retry_after_cap = "60s"` | the longest wait a dependency may ask for |
/// | `when = path` | `fn(&E) -> bool` in place of `E: Classify`; it is not asked about our own timeouts, which are retried without ever having been an `E` |
/// | `nested = "suppress"` | one attempt only when called inside the retries of another call |
///
/// In `rate_limit(..)`:
///
/// | option | meaning |
/// |---|---|
/// | `limiter = "api"` | a limiter, as `RateLimit::named` names it and `register_limiter` registers it |
/// | `key = expr` | who is counted; without a key all calls share one count |
/// | `cost = 5`, `cost = expr` | what an attempt takes, a `u32`: 1 unless written. A cost of 0 is refused, unless it was worked out: then nothing is taken |
/// | `max_wait = "200ms"` | how long an attempt waits for its turn, in place of what is registered with the limiter: without either it is refused at once |
///
/// Every attempt counts, retries too; the copies of a hedged one count once. An attempt that is refused is not made
/// and not retried: the call ends with its last outcome, or without one in a `Rejection::RateLimited`. The wait
/// counts into the deadline, and a turn that comes after it is not waited for. What is dropped while it waits has
/// taken nothing from a limiter in memory; a store outside of the process may have been quicker.
///
/// In `hedge(..)`, all optional; what is left out is taken from `dependency`, else from the default, a
/// second copy after the `p95`:
///
/// | option | meaning |
/// |---|---|
/// | `after = "50ms"` | how long an attempt runs before it gets another copy, and that before the next |
/// | `after = "p95"` | the same, by what share of the recent successes here were faster |
/// | `floor = "10ms"` | the shortest time that a quantile may come to |
/// | `max = 2` | copies of an attempt in all, the first included: from 2 |
///
/// Copies run side by side and all of them may be carried out, so that `hedge` asks for `idempotent` or an
/// `idempotency_key`. Each takes a permit of the bulkhead and a token of the budget.
///
/// In `idempotent(..)`, which needs the feature `idempotency`:
///
/// | option | meaning |
/// |---|---|
/// | `store = "orders"` | where keys are claimed and answers kept, as `register_store` names it |
/// | `key = expr` | the key that the caller sent |
/// | `scope = expr`, `scope = shared` | whose key it is; or one scope for all callers |
/// | `effects = "none"`, `"keyed"`, `"unkeyed"` | if nobody knows how a run ended: it may run again, because it has no effects, or because whoever has them recognises the repeat; or it must not |
/// | `tx = tx` | in place of `effects`: the `&mut` argument whose transaction the record is a part of |
/// | `fingerprint = expr` | what was asked for: another payload under the key is refused |
/// | `ttl`, `tombstone`, `lease`, `max_run`, `wait` | times in place of those of the store |
/// | `store_errors` | permanent errors are kept like values |
/// | `not_executed = path` | `fn(&E) -> bool`: the error says that nothing was done |
/// | `resolve = path(a, b)` | `async fn(&Record, &A, &B) -> Resolution<T>`: finds out how an uncertain run ended |
/// | `resource = path` | `fn(&T) -> Resource`: what was made |
///
/// The first four must be written. The value is kept as JSON. A repeat is given it, or a
/// `Rejection::Idempotency`, without the function being run; no fallback is called for that.
/// [What `idempotent(..)` does][claim] says what is kept, and what an end without an answer leaves behind.
///
/// [claim]: https://github.com/resilient-rs/resilient/blob/main/docs/idempotent.md
///
/// Names, durations and numbers are literals, or constants in braces: `timeout = { TIMEOUT }`.
/// Durations are written with units: `"200ms"`, `"1m 30s"`.
///
/// The expressions of `idempotency_key`, of a breaker's `key`, of `rate_limit(..)` and of `idempotent(..)` are looked at before the first attempt and
/// never move an argument; anything with a text (`Display`) will do. The key of a breaker is a name, and
/// shows in rejections and events: no place for a secret.
///
/// # Impl blocks
///
/// On an impl block the attribute gives defaults to the methods in it that are marked `#[resilient]`,
/// bare or with options of their own. What a method says goes before what its block says, option by
/// option and also inside `retry(..)`, `rate_limit(..)`, `hedge(..)`, `breaker(..)`, `fallback(..)` and `idempotent(..)`; the block's go before the dependency's values.
///
/// - `idempotent` and `idempotency_key` replace each other, `classify` and `retry(when = ..)` too. A
///   method's `retry = "name"` replaces all numbers of the block.
/// - `name` and `clone(..)` belong to one function and are refused on a block.
/// - A mark may have a path in front, `#[resilient::resilient]`, or stand in a `cfg_attr`; its last name
///   must be `resilient`.
/// - Methods without a mark stay as they are.
///
/// # Documentation
///
/// What the options say a call may do is appended to the function's documentation, under the heading
/// "Effective policy". A function without documentation gets none: `missing_docs` would no longer miss
/// it, and a method would lose what its trait says.
///
/// # The body
///
/// It is run once per attempt. Where there may be more than one (`retry`, `dependency`, `hedge`), each sees
/// the same arguments:
///
/// - Arguments are borrowed by the attempts. One that the body moves must be named in `clone(..)`.
/// - `&mut` arguments and `&mut self` are lent to one attempt after the other: what a failed attempt
///   changed stays changed. Copies of a hedged attempt cannot share them.
/// - `mut n: u32` starts afresh in each attempt.
/// - `?` and `return` leave the attempt, not the call.
/// - The future is `Send` if the body's is, and if the error is: a failed attempt's error is kept
///   while the next one waits. An owned argument that the body only looks at must be `Sync`.
/// - A borrow of a `&mut` argument cannot be returned.
///
/// An argument that the body moves is gone after the first attempt. The compiler says so in words of
/// its own, where the loop is the one over the attempts:
///
/// ```text
/// error[E0382]: use of moved value: `body`
///   |
///   | #[resilient(retry(max = 3))]
///   |             ----- inside of this loop
///   | async fn call(body: String) -> io::Result<u32> {
///   | ^^^^^         ---- move occurs because `body` has type `String`, which does not implement
///   | |                  the `Copy` trait
///   | value moved here, in previous iteration of loop
///   |     send(body).await
///   |          ---- use occurs due to use in coroutine
/// ```
///
/// With `#[resilient(retry(max = 3), clone(body))]` each attempt moves a clone. Where a reference is
/// enough, `send(&body)` needs none.
///
/// [What the macro does to your function][macro] has the rest: what is dropped when, what each argument
/// costs, and the other errors.
///
/// [macro]: https://github.com/resilient-rs/resilient/blob/main/docs/macro.md
///
/// # Other attributes
///
/// `#[async_trait]` goes on the trait or impl as usual, this attribute on its methods, and on the impl
/// above or below `#[async_trait]` if methods share options. Above is the safer place: nothing has
/// rewritten the methods there. Other attributes that rewrite the function go below this one: `#[tracing::instrument]` then opens one span for all
/// attempts of a call, and `#[tokio::main]` finds the `async` it needs. Above this one, `instrument`
/// opens a span for each attempt; its `async move` takes the arguments, so that owned ones must be
/// named in `clone(..)` and `&mut self` does not work. In a block with this attribute the order does not
/// matter: the block's attribute comes first, so that `instrument` opens one span for all attempts.
#[proc_macro_attribute]
pub fn resilient(arguments: TokenStream, item: TokenStream) -> TokenStream {
    attribute::resilient(arguments.into(), item.into()).into()
}

/// Says what each variant of an error (or an error struct) means to the policies around a call.
///
/// | mark | meaning |
/// |---|---|
/// | `#[transient]` | may pass: worth another attempt |
/// | `#[transient(unsent)]` | the same, and the request certainly never left |
/// | `#[throttled]`, `#[throttled(retry_after = field)]` | asked to come back later; the field is a `Duration` or an `Option` of one |
/// | `#[fault]` | the dependency is broken, retrying now will not help |
/// | `#[permanent]` | an answer, if an unwelcome one |
/// | `#[ignored]` | our own side failed, which says nothing about the dependency |
/// | `#[classify(source)]` | what the error inside means: the field marked `#[from]` or `#[source]`, the one called `source`, or the only one |
/// | `#[classify(with = path)]` | what a `fn(&Self) -> Class` says |
///
/// `anyhow::Error` and boxed errors have no `Classify` for `source` to ask; in a `#[source]` (not
/// behind `#[error(transparent)]`, which hides it) `#[classify(with = resilient::classify::chain)]`
/// finds out what is inside them.
///
/// Every variant needs a mark. `kind = ".."` in any of them is the word for events and metrics where
/// the usual one of the class does not fit: `network`, `timeout`, `server`, `throttled`, `client`,
/// `business`, `other`.
///
/// `#[classify(crate = ::resilient_core)]` on the type says where the library is found, if not at
/// `::resilient`.
#[proc_macro_derive(
    Classify,
    attributes(transient, throttled, fault, permanent, ignored, classify)
)]
pub fn classify(input: TokenStream) -> TokenStream {
    derive::classify(input.into()).into()
}
