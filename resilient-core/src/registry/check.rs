//! The startup check: every annotated function against what is registered.

use std::collections::HashMap;
use std::fmt::{self, Write as _};

use super::Registry;
use crate::rejection::NotRegistered;
use crate::site::{self, Safety, Site, SiteInfo};

/// What [`Registry::check`] found.
///
/// Its `Debug` is its message, because a `main` that returns it prints that.
#[derive(thiserror::Error)]
#[error(
    "{} of the annotated functions cannot work as written:{}",
    affected(problems),
    list(problems)
)]
pub struct CheckError {
    /// Every problem, in the order of the functions' names.
    pub problems: Vec<Problem>,
}

impl fmt::Debug for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One annotated function and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It names a dependency, a store or a rate limiter that is not registered.
    NotRegistered {
        /// The function.
        site: SiteInfo,
        /// The name, and registered names that are near.
        missing: NotRegistered,
    },
    /// Two functions were given the same `name`.
    DuplicateName {
        /// One of them.
        site: SiteInfo,
        /// The one before it.
        first: SiteInfo,
    },
    /// It retries without saying whether that is safe.
    UnsaidIdempotency {
        /// The function.
        site: SiteInfo,
    },
    /// Its limits contradict each other.
    DoesNotFit {
        /// The function.
        site: SiteInfo,
        /// Which limits, with their values.
        why: String,
    },
}

impl Problem {
    /// The function it is about.
    pub fn site(&self) -> &SiteInfo {
        match self {
            Problem::NotRegistered { site, .. }
            | Problem::DuplicateName { site, .. }
            | Problem::UnsaidIdempotency { site }
            | Problem::DoesNotFit { site, .. } => site,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let site = self.site();
        write!(f, "{}:{}: `{}`: ", site.file, site.line, site.name)?;
        match self {
            Problem::NotRegistered { missing, .. } => missing.fmt(f),
            Problem::DuplicateName { first, .. } => write!(
                f,
                "its name is taken by {}:{}; give one of them another `name`",
                first.file, first.line
            ),
            Problem::UnsaidIdempotency { .. } => f.write_str(
                "retries, but does not say whether repeating is safe; add `idempotent`, an \
                 `idempotency_key`, or `idempotent = false` to repeat only what was certainly \
                 not sent",
            ),
            Problem::DoesNotFit { why, .. } => f.write_str(why),
        }
    }
}

impl Registry {
    /// Checks every annotated function of the program against this registry.
    ///
    /// To be called once at startup, after everything is registered. It finds names that are not
    /// registered, names given twice, functions that retry without saying whether that is safe,
    /// and limits that contradict each other.
    ///
    /// # Errors
    ///
    /// [`CheckError`] with every problem of every function.
    pub fn check(&self) -> Result<(), CheckError> {
        self.check_where(|_| true)
    }

    /// Like [`Registry::check`], but fails only for functions of `crates` (package names as in
    /// paths, with `_`); problems elsewhere are told as warnings through `tracing`.
    pub fn check_crates(&self, crates: &[&str]) -> Result<(), CheckError> {
        self.check_where(|site| crates.contains(&site.crate_name()))
    }

    fn check_where(&self, asked: impl Fn(&SiteInfo) -> bool) -> Result<(), CheckError> {
        let (problems, elsewhere): (Vec<_>, Vec<_>) = self
            .problems()
            .into_iter()
            .partition(|problem| asked(problem.site()));
        for problem in &elsewhere {
            tracing::warn!(target: "resilient", %problem, "check.note");
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(CheckError { problems })
        }
    }

    /// What a site names and nobody registered.
    fn missing(&self, site: &Site) -> Vec<NotRegistered> {
        let options = site.options();
        let dependencies = options
            .names()
            .filter_map(|(kind, name)| self.require(kind, name, || None).err());
        let limiter = options
            .named_limiter()
            .and_then(|(_, name)| self.limiter(name).err());
        dependencies.chain(limiter).collect()
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut named: HashMap<&'static str, SiteInfo> = HashMap::new();
        for site in site::listed() {
            let info = site.info();
            for missing in self.missing(site) {
                problems.push(Problem::NotRegistered {
                    site: info.clone(),
                    missing,
                });
            }
            #[cfg(feature = "idempotency")]
            if let Some(claims) = site.options().claims()
                && let Err(missing) = self.ledger(claims.store())
            {
                problems.push(Problem::NotRegistered {
                    site: info.clone(),
                    missing,
                });
            }
            if let Some(name) = site.options().given_name() {
                if let Some(first) = named.get(name) {
                    problems.push(Problem::DuplicateName {
                        site: info.clone(),
                        first: first.clone(),
                    });
                } else {
                    named.insert(name, info.clone());
                }
            }
            let Ok(plan) = self.resolve(site) else {
                continue;
            };
            if plan.max_attempts() > 1 && site.options().safety() == Safety::Unsaid {
                problems.push(Problem::UnsaidIdempotency { site: info.clone() });
            }
            if let Some(why) = plan.contradiction() {
                problems.push(Problem::DoesNotFit { site: info, why });
            }
        }
        problems
    }
}

fn affected(problems: &[Problem]) -> usize {
    let mut sites: Vec<_> = problems.iter().map(Problem::site).collect();
    sites.dedup();
    sites.len()
}

fn list(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |mut text, problem| {
        let _ = write!(text, "\n  - {problem}");
        text
    })
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::rate_limit::{Limit, RateLimit, RateLimiter};
    use crate::registry::RegisterError;
    use crate::site::Said;

    static SITE: Site = Site::new(
        "search",
        "limited_site",
        "limited_site.rs",
        7,
        &[
            Said::Timeout(std::time::Duration::from_secs(1)),
            Said::Limiter("api"),
        ],
    );

    inventory::submit! { &SITE }

    fn limiter(name: &str) -> RateLimiter {
        let limit = RateLimit::named(name).limit(Limit::fixed("l", 1, "1s"));
        RateLimiter::in_memory(limit).expect("the numbers are good")
    }

    fn said(registry: &Registry) -> Vec<String> {
        let found = registry.check_crates(&["limited_site"]).err();
        let problems = found.map_or_else(Vec::new, |error| error.problems);
        problems.iter().map(ToString::to_string).collect()
    }

    /// Rule X2, for limiters: a name that nobody registered is found at startup, with near ones.
    #[test]
    fn x2_limiters_are_checked_by_name() {
        let registry = Registry::new();
        let place = "limited_site.rs:7: `limited_site::search`: limiter `api` is not registered: ";
        let first = "register `RateLimit::named(\"api\")` before it is first used";
        assert_eq!(said(&registry), [format!("{place}{first}")]);
        registry
            .register_limiter(limiter("aip"))
            .expect("it is new");
        assert_eq!(said(&registry), [format!("{place}did you mean `aip`?")]);
        registry
            .register_limiter(limiter("api"))
            .expect("it is new");
        assert!(said(&registry).is_empty());
        assert_eq!(SITE.info().uses, [("limiter", "api")]);
        assert!(registry.limiter("api").is_ok());
        let near = registry.limiter("apj").expect_err("nobody has it").near;
        assert_eq!(near, ["api"]);
        let again = registry.register_limiter(limiter("api"));
        assert!(matches!(
            again,
            Err(RegisterError::LimiterAlreadyRegistered { .. })
        ));
        let names: Vec<_> = registry
            .snapshot()
            .limiters
            .iter()
            .map(|one| one.name.to_string())
            .collect();
        assert_eq!(names, ["aip", "api"]);
    }
}
