//! The last attempts that were no success.

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
pub(crate) struct RecentFailures(Lock<Ring>);

#[derive(Debug, Default)]
struct Ring {
    kept: Vec<Recent>,
    /// Where the next one goes: the place of the oldest, once there are ten.
    next: usize,
}

impl RecentFailures {
    pub(crate) fn add(&self, site: &Arc<str>, kind: &'static str, at: Moment) {
        let mut ring = self.0.lock();
        let place = ring.next;
        ring.next = if place + 1 < KEPT { place + 1 } else { 0 };
        let Some(oldest) = ring.kept.get_mut(place) else {
            let site = site.clone();
            return ring.kept.push(Recent { site, kind, at });
        };
        oldest.kind = kind;
        oldest.at = at;
        // Most come from the same few sites: whose name is there need not be counted again.
        if !Arc::ptr_eq(&oldest.site, site) {
            let forgotten = std::mem::replace(&mut oldest.site, site.clone());
            drop(ring);
            // Outside the lock: it may be the last to know its site's name.
            drop(forgotten);
        }
    }

    /// The latest last.
    pub(crate) fn latest(&self) -> impl Iterator<Item = Recent> + use<> {
        let ring = self.0.lock();
        let (newer, older) = ring.kept.split_at(ring.next.min(ring.kept.len()));
        [older, newer].concat().into_iter()
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn the_last_ten_are_kept_the_latest_last() {
        let sites: [Arc<str>; 2] = ["one".into(), "two".into()];
        let recent = RecentFailures::default();
        for count in 0..25 {
            let site = &sites[usize::from(count % 3 == 0)];
            recent.add(site, "network", Moment::at_millis(count));
            let kept: Vec<_> = recent.latest().map(|one| (one.site, one.at)).collect();
            let expected: Vec<_> = (count.saturating_sub(9)..=count)
                .map(|count| {
                    let site = sites[usize::from(count % 3 == 0)].clone();
                    (site, Moment::at_millis(count))
                })
                .collect();
            assert_eq!(kept, expected);
        }
    }
}
