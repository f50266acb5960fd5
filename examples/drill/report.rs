//! What came of it.

use std::fmt;

use crate::books::Books;
use crate::browsers::{Browsed, QUOTA, WINDOW_SECONDS};
use crate::customers::Placed;
use crate::shop::Mode;
use crate::trouble::Troubles;

/// What came of one mode.
pub(crate) struct Report {
    mode: Mode,
    placed: Placed,
    books: Books,
    browsed: Browsed,
    /// What was taken of the quota in the fullest window whose counters nobody deleted.
    fullest: u32,
    troubles: Troubles,
    faults: Vec<String>,
}

impl Report {
    pub(crate) fn new(
        mode: Mode,
        placed: Placed,
        books: Books,
        browsed: Browsed,
        troubles: Troubles,
    ) -> Self {
        let mut faults = placed.refused.clone();
        for placed in &placed.acknowledged {
            match books.orders.get(&placed.reference).map(Vec::as_slice) {
                None | Some([]) => faults.push(format!("{} is lost", placed.reference)),
                Some([order]) if *order != placed.order => faults.push(format!(
                    "{} is {order}, but the customer was told {}",
                    placed.reference, placed.order
                )),
                Some([order]) => match books.times_charged(order) {
                    1 => {}
                    times => faults.push(format!("{order} was charged {times} times")),
                },
                Some(_) => {}
            }
        }
        for (reference, orders) in &books.orders {
            if orders.len() > 1 {
                faults.push(format!("{reference} is there {} times", orders.len()));
            }
        }
        let begin = |end: u64| end.saturating_sub(WINDOW_SECONDS);
        let kept = |end: &u64| !troubles.flushed_between(begin(*end), *end);
        let counted: Vec<_> = browsed.shown.iter().filter(|(end, _)| kept(end)).collect();
        let fullest = counted.iter().map(|(_, shown)| **shown).max().unwrap_or(0);
        for (end, shown) in counted {
            // What Redis counts, and the share of each shop that was there meanwhile.
            let shops = 1 + troubles.shops_started_between(begin(*end), *end);
            let most = QUOTA + shops * mode.share_of(QUOTA);
            if *shown > most {
                faults.push(format!("a window of {most} took {shown}"));
            }
        }
        if browsed.refused == 0 {
            faults.push("the quota refused nobody".to_owned());
        }
        if placed.acknowledged.is_empty() {
            faults.push("no order was placed at all".to_owned());
        }
        Report {
            mode,
            placed,
            books,
            browsed,
            fullest,
            troubles,
            faults,
        }
    }

    /// Whether every acknowledged order is there once and was charged once.
    pub(crate) fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Placed {
            acknowledged,
            requests,
            replays,
            conflicts,
            calls_repeated,
            ..
        } = &self.placed;
        writeln!(f, "mode {}", self.mode)?;
        writeln!(
            f,
            "  troubles            {:>6}  {}",
            self.troubles.total(),
            self.troubles.lines().join(", ")
        )?;
        writeln!(f, "  orders acknowledged {:>6}", acknowledged.len())?;
        writeln!(f, "  orders in the books {:>6}", self.books.orders.len())?;
        writeln!(f, "  requests            {requests:>6}")?;
        writeln!(f, "  replays             {replays:>6}")?;
        writeln!(f, "  conflicts           {conflicts:>6}")?;
        writeln!(f, "  calls made again    {calls_repeated:>6}")?;
        writeln!(
            f,
            "  charges recognised  {:>6}",
            self.books.charges_repeated
        )?;
        let Browsed {
            shown,
            refused,
            unavailable,
        } = &self.browsed;
        let (windows, fullest) = (shown.len(), self.fullest);
        let share = self.mode.share_of(QUOTA);
        writeln!(
            f,
            "  windows of a quota  {windows:>6}, {fullest} at most, of {QUOTA} and a share of {share}"
        )?;
        writeln!(f, "  refused, no answer  {refused:>6}, {unavailable}")?;
        writeln!(f, "  faults              {:>6}", self.faults.len())?;
        for fault in &self.faults {
            writeln!(f, "    {fault}")?;
        }
        Ok(())
    }
}
