//! What one annotated function changes in the numbers of a hedge.

use std::time::Duration;

use super::config::{FLOOR, HedgeAfter, HedgeSettings, QUANTILE, is_valid_quantile};

/// The fields that `hedge(..)` at one function sets, merged over its dependency's.
///
/// Its builder functions are `const`, so that a site is a `static` and a wrong constant is a
/// compile error there.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::hedge::{HedgeAfter, HedgeOverrides, HedgeSettings};
/// use std::time::Duration;
///
/// static SITE: HedgeOverrides = HedgeOverrides::new().after(Duration::from_millis(50));
///
/// let merged = SITE.over(HedgeSettings::default());
/// assert_eq!(merged.after, HedgeAfter::Fixed(Duration::from_millis(50)));
/// assert_eq!(merged.max, 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use]
pub struct HedgeOverrides {
    /// A fixed time before another copy.
    pub after: Option<Duration>,
    /// The share of recent successes that were faster than an attempt with another copy.
    pub quantile: Option<f64>,
    /// The shortest time before a copy, if a quantile decides.
    pub floor: Option<Duration>,
    /// How many copies an attempt may have, the first one included.
    pub max: Option<u32>,
}

impl HedgeOverrides {
    /// Nothing changed.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::{HedgeOverrides, HedgeSettings};
    ///
    /// let settings = HedgeSettings::default();
    /// assert_eq!(HedgeOverrides::new().over(settings), settings);
    /// ```
    pub const fn new() -> Self {
        HedgeOverrides {
            after: None,
            quantile: None,
            floor: None,
            max: None,
        }
    }

    /// A fixed time before another copy.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::HedgeOverrides;
    /// use std::time::Duration;
    ///
    /// const AFTER: Duration = Duration::from_millis(50);
    /// assert_eq!(HedgeOverrides::new().after(AFTER).after, Some(AFTER));
    /// ```
    pub const fn after(mut self, after: Duration) -> Self {
        self.after = Some(after);
        self
    }

    /// The share of recent successes that were faster than an attempt with another copy.
    ///
    /// # Panics
    ///
    /// Unless between 0 and 1; a compile error in a `static` or `const`.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::HedgeOverrides;
    ///
    /// assert_eq!(HedgeOverrides::new().quantile(0.99).quantile, Some(0.99));
    /// ```
    pub const fn quantile(mut self, quantile: f64) -> Self {
        assert!(
            is_valid_quantile(quantile),
            "a quantile lies between 0 and 1"
        );
        self.quantile = Some(quantile);
        self
    }

    /// The shortest time before a copy, if a quantile decides.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::HedgeOverrides;
    /// use std::time::Duration;
    ///
    /// const FLOOR: Duration = Duration::from_millis(5);
    /// assert_eq!(HedgeOverrides::new().floor(FLOOR).floor, Some(FLOOR));
    /// ```
    pub const fn floor(mut self, floor: Duration) -> Self {
        self.floor = Some(floor);
        self
    }

    /// How many copies an attempt may have, the first one included.
    ///
    /// # Panics
    ///
    /// Below 2; a compile error in a `static` or `const`.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::HedgeOverrides;
    ///
    /// assert_eq!(HedgeOverrides::new().max(3).max, Some(3));
    /// ```
    pub const fn max(mut self, max: u32) -> Self {
        assert!(
            max >= 2,
            "`max` of a hedge counts the first copy: write 2 or more"
        );
        self.max = Some(max);
        self
    }

    /// Whether the field of this name is set here.
    #[cfg(feature = "runtime")]
    pub(crate) fn sets(self, field: &str) -> bool {
        match field {
            "after" => self.after.is_some() || self.quantile.is_some(),
            "floor" => self.floor.is_some(),
            "max" => self.max.is_some(),
            _ => false,
        }
    }

    /// `settings` with what is set here instead of its own. A time of either kind replaces one of
    /// the other.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::{HedgeOverrides, HedgeSettings};
    ///
    /// assert_eq!(HedgeOverrides::new().max(3).over(HedgeSettings::default()).max, 3);
    /// ```
    pub fn over(self, settings: HedgeSettings) -> HedgeSettings {
        let after = match (self.after, self.quantile, settings.after) {
            (Some(after), ..) | (None, None, HedgeAfter::Fixed(after)) => HedgeAfter::Fixed(after),
            (None, own, theirs) => {
                let (quantile, floor) = match theirs {
                    HedgeAfter::Quantile { quantile, floor } => (quantile, floor),
                    HedgeAfter::Fixed(_) => (QUANTILE, FLOOR),
                };
                HedgeAfter::Quantile {
                    quantile: own.unwrap_or(quantile),
                    floor: self.floor.unwrap_or(floor),
                }
            }
        };
        HedgeSettings {
            after,
            max: self.max.unwrap_or(settings.max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_function_says_wins_over_its_dependency() {
        let ms = Duration::from_millis;
        let fixed = HedgeSettings {
            after: HedgeAfter::Fixed(ms(50)),
            max: 2,
        };
        let quantile = |quantile, floor| HedgeSettings {
            after: HedgeAfter::Quantile { quantile, floor },
            max: 2,
        };
        let new = HedgeOverrides::new();
        for (overrides, settings, expected) in [
            (new, fixed, fixed),
            (new.max(5), fixed, HedgeSettings { max: 5, ..fixed }),
            (new.floor(ms(1)), fixed, fixed),
            (new.quantile(0.5), fixed, quantile(0.5, ms(10))),
            (new.quantile(0.5).floor(ms(1)), fixed, quantile(0.5, ms(1))),
            (new.after(ms(50)), quantile(0.9, ms(3)), fixed),
            (
                new.quantile(0.5),
                quantile(0.9, ms(3)),
                quantile(0.5, ms(3)),
            ),
            (new.floor(ms(1)), quantile(0.9, ms(3)), quantile(0.9, ms(1))),
        ] {
            assert_eq!(overrides.over(settings), expected, "{overrides:?}");
        }
    }
}
