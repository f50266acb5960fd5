//! The last attempts that were no success.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::seam::clock::Moment;
use crate::seam::sync::Lock;

const KEPT: usize = 10;

/// An attempt that was no success.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    pub(crate) site: Arc<str>,
    pub(crate) kind: &'static str,
    pub(crate) at: Moment,
}

/// The last ten of them.
#[derive(Debug, Default)]
pub(crate) struct RecentFailures(Lock<VecDeque<Recent>>);

impl RecentFailures {
    pub(crate) fn add(&self, site: &Arc<str>, kind: &'static str, at: Moment) {
        let mut kept = self.0.lock();
        let mut oldest = if kept.len() < KEPT {
            None
        } else {
            kept.pop_front()
        };
        // Most come from the same few sites: whose name is there need not be counted again.
        let known = oldest.take_if(|oldest| Arc::ptr_eq(&oldest.site, site));
        let site = known.map_or_else(|| site.clone(), |oldest| oldest.site);
        kept.push_back(Recent { site, kind, at });
        drop(kept);
        // Outside the lock: it may be the last to know its site's name.
        drop(oldest);
    }

    /// The latest last.
    pub(crate) fn latest(&self) -> impl Iterator<Item = Recent> + use<> {
        self.0.lock().clone().into_iter()
    }
}
