//! When the attempts of one site get further copies.

use std::time::Duration;

use crate::dependency::DependencyState;
use crate::hedge::{HedgeAfter, HedgeOverrides, HedgeSettings, Latencies};
use crate::seam::sync::Arc;

/// The hedges of one site in one registry.
#[derive(Debug)]
pub(crate) struct Hedging {
    dependency: Option<Arc<DependencyState>>,
    site: HedgeOverrides,
    latencies: Latencies,
}

impl Hedging {
    /// With the numbers of `dependency`, where there is one, under the site's own.
    pub(crate) fn new(site: HedgeOverrides, dependency: Option<Arc<DependencyState>>) -> Self {
        Hedging {
            dependency,
            site,
            latencies: Latencies::new(),
        }
    }

    pub(crate) fn settings(&self) -> HedgeSettings {
        self.site.over(match &self.dependency {
            Some(state) => state.live().settings.hedge,
            None => HedgeSettings::default(),
        })
    }

    /// The numbers a site sets itself.
    pub(crate) fn overrides(&self) -> HedgeOverrides {
        self.site
    }

    /// How long an attempt runs before it gets a copy; `None` while that is not known.
    pub(crate) fn after(&self, settings: HedgeSettings) -> Option<Duration> {
        match settings.after {
            HedgeAfter::Fixed(after) => Some(after),
            HedgeAfter::Quantile { quantile, floor } => {
                let after = self.latencies.quantile(quantile)?;
                Some(after.max(floor))
            }
        }
    }

    /// The first copy of an attempt succeeded after so long, or lost after so long against one
    /// that did.
    pub(crate) fn learn(&self, latency: impl FnOnce() -> Duration) {
        if matches!(self.settings().after, HedgeAfter::Quantile { .. }) {
            self.latencies.add(latency());
        }
    }
}
