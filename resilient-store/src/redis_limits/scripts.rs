//! The scripts, each one atomic step on the server.

use redis::Script;

macro_rules! script {
    ($name:literal) => {
        Script::new(concat!(
            include_str!("scripts/limits.lua"),
            include_str!(concat!("scripts/", $name, ".lua"))
        ))
    };
}

/// The server knows each by its hash, and is told its text when it does not.
#[derive(Debug)]
pub(super) struct Scripts {
    pub(super) decide: Script,
    pub(super) reserve: Script,
    pub(super) refund: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Scripts {
            decide: script!("decide"),
            reserve: script!("reserve"),
            refund: script!("refund"),
        }
    }
}
