//! Tower layers of [`resilient`](https://docs.rs/resilient-async).
