//! The scripts, each one atomic step on the server.

use redis::Script;

macro_rules! script {
    ($name:literal) => {
        Script::new(concat!(
            include_str!("scripts/record.lua"),
            include_str!(concat!("scripts/", $name, ".lua"))
        ))
    };
}

/// The scripts; the server knows each by its hash, and is told its text when it does not.
#[derive(Debug)]
pub(super) struct Scripts {
    pub(super) claim: Script,
    pub(super) renew: Script,
    pub(super) complete: Script,
    pub(super) lapse: Script,
    pub(super) withdraw: Script,
    pub(super) release: Script,
    pub(super) settle: Script,
    pub(super) find: Script,
    pub(super) list: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Scripts {
            claim: script!("claim"),
            renew: script!("renew"),
            complete: script!("complete"),
            lapse: script!("lapse"),
            withdraw: script!("withdraw"),
            release: script!("release"),
            settle: script!("settle"),
            find: script!("find"),
            list: script!("list"),
        }
    }
}
