//! `idempotent(..)` at a site: which store, and what of its rules is said here.

use std::time::Duration;

use crate::idempotency::{Effects, Idempotency, IdempotencySettings, InvalidRules, Ledger};
use crate::name::is_valid_name;

/// `idempotent(..)` as a constant, so that a wrong constant is a compile error.
#[derive(Clone, Copy, Debug)]
pub struct ClaimOverrides {
    store: &'static str,
    effects: Option<Effects>,
    ttl: Option<Duration>,
    tombstone: Option<Duration>,
    lease: Option<Duration>,
    max_run: Option<Duration>,
    wait: Option<Duration>,
}

macro_rules! times {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("`", stringify!($name), " = \"..\"`")]
            ///
            /// # Panics
            ///
            /// If it is zero: a compile error, because this runs in a constant.
            #[must_use]
            pub const fn $name(mut self, time: Duration) -> Self {
                assert!(
                    !time.is_zero(),
                    concat!(
                        "`",
                        stringify!($name),
                        "` must be greater than zero; leave it out, or name a longer constant"
                    )
                );
                self.$name = Some(time);
                self
            }
        )*
    };
}

impl ClaimOverrides {
    /// `store = ".."`
    ///
    /// # Panics
    ///
    /// If it is no name: a compile error, because this runs in a constant.
    pub const fn of(store: &'static str) -> Self {
        assert!(
            is_valid_name(store),
            "a name has 1 to 128 letters, digits, `.`, `_` and `-`"
        );
        ClaimOverrides {
            store,
            effects: None,
            ttl: None,
            tombstone: None,
            lease: None,
            max_run: None,
            wait: None,
        }
    }

    /// `effects = ".."`
    #[must_use]
    pub const fn effects(mut self, effects: Effects) -> Self {
        self.effects = Some(effects);
        self
    }

    times!(ttl tombstone lease max_run wait);

    pub(crate) fn store(&self) -> &'static str {
        self.store
    }

    /// The store of `ledger` under its rules, with those of this site over them.
    pub(crate) fn over(&self, ledger: &Ledger) -> Result<Ledger, InvalidRules> {
        ledger.with_rules(&self.rules(ledger.settings()))
    }

    fn rules(&self, registered: &IdempotencySettings) -> Idempotency {
        let mut rules = Idempotency::with(registered);
        if let Some(effects) = self.effects {
            rules = rules.effects(effects);
        }
        if let Some(ttl) = self.ttl {
            rules = rules.ttl(ttl);
        }
        if let Some(tombstone) = self.tombstone {
            rules = rules.tombstone(tombstone);
        }
        if let Some(lease) = self.lease {
            // As a default would be: it must not lapse while the store is asked.
            let store_timeout = registered.store_timeout.min(lease / 2);
            rules = rules.lease(lease).store_timeout(store_timeout);
        }
        if let Some(max_run) = self.max_run {
            rules = rules.max_run(max_run);
        }
        if let Some(wait) = self.wait {
            rules = rules.wait(wait);
        }
        rules
    }
}
