//! Chance: thread-local in production, one seeded stream in tests.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::sync::Lock;

/// Where a registry draws its jitter and its idempotency keys from.
#[derive(Clone, Default)]
pub(crate) struct Random {
    seeded: Option<Arc<Lock<StdRng>>>,
}

impl Random {
    /// The same stream for the same seed, whatever thread draws.
    pub(crate) fn seeded(seed: u64) -> Self {
        Random {
            seeded: Some(Arc::new(Lock::new(StdRng::seed_from_u64(seed)))),
        }
    }

    /// A uniform number in `0.0..1.0`.
    pub(crate) fn unit(&self) -> f64 {
        match &self.seeded {
            Some(stream) => stream.lock().random(),
            None => rand::random(),
        }
    }

    /// 128 random bits.
    pub(crate) fn bits(&self) -> u128 {
        match &self.seeded {
            Some(stream) => stream.lock().random(),
            None => rand::random(),
        }
    }
}

impl std::fmt::Debug for Random {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Random")
            .field("seeded", &self.seeded.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_is_one_stream() {
        let (a, b) = (Random::seeded(7), Random::seeded(7));
        assert_eq!(a.bits(), b.bits());
        assert_eq!(a.unit().to_bits(), b.unit().to_bits());
        assert_ne!(a.bits(), Random::seeded(8).bits());
    }
}
