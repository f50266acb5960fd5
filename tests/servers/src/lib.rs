//! Private servers for tests and drills: each on a free port and in a folder of its own, so that it
//! can be killed, frozen and restarted without anyone else noticing.

mod family;
mod left_out;
mod postgres;
mod process;
mod proxy;
mod redis;
mod resp;

pub use left_out::left_out;
pub use postgres::Postgres;
pub use process::{Server, free_port};
pub use proxy::Proxy;
pub use redis::Redis;
