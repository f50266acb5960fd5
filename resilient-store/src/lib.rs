//! Where [`resilient`](https://docs.rs/resilient-async) keeps idempotency keys.
