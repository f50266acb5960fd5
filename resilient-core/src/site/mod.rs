//! Annotated functions: what each one asks for, and the list of all of them.

pub mod checked;
#[cfg(feature = "idempotency")]
mod claims;
mod counters;
mod hedging;
mod limiting;
mod options;
mod plan;
mod said;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "idempotency")]
pub use claims::ClaimOverrides;
pub(crate) use counters::{Counted, Counters};
pub(crate) use hedging::Hedging;
pub(crate) use limiting::Limiting;
pub(crate) use options::{Options, Safety};
pub(crate) use plan::Plan;
pub use said::Said;

use crate::rejection::NotRegistered;

/// One annotated function, as a static in its body.
#[derive(Debug)]
pub struct Site {
    function: &'static str,
    module: &'static str,
    file: &'static str,
    line: u32,
    said: &'static [Said],
    /// The plan in the process-wide registry, once every name was found.
    plan: OnceLock<Plan>,
    warned_of_nesting: AtomicBool,
}

impl Site {
    /// The `function` in `module`, whose attribute stands in `line` of `file` and says all this.
    pub const fn new(
        function: &'static str,
        module: &'static str,
        file: &'static str,
        line: u32,
        said: &'static [Said],
    ) -> Self {
        Site {
            function,
            module,
            file,
            line,
            said,
            plan: OnceLock::new(),
            warned_of_nesting: AtomicBool::new(false),
        }
    }

    /// What its attribute says.
    pub(crate) fn options(&self) -> Options {
        Options::of(self.said)
    }

    /// Its `name`, or else its path.
    pub(crate) fn full_name(&self) -> String {
        match self.options().given_name() {
            Some(name) => name.to_owned(),
            None => format!("{}::{}", self.module, self.function),
        }
    }

    /// The site's plan in the process-wide registry, if a call has needed it before.
    pub(crate) fn known_plan(&'static self) -> Option<&'static Plan> {
        self.plan.get()
    }

    /// The site's plan in the process-wide registry, resolved at the first call that finds every
    /// name. A miss is not remembered: the name may be registered later.
    pub(crate) fn global_plan(
        &'static self,
        resolve: impl FnOnce(&'static Site) -> Result<Plan, NotRegistered>,
    ) -> Result<&'static Plan, NotRegistered> {
        if let Some(plan) = self.plan.get() {
            return Ok(plan);
        }
        let resolved = resolve(self)?;
        Ok(self.plan.get_or_init(|| resolved))
    }

    /// True the first time it is asked.
    pub(crate) fn first_nesting(&self) -> bool {
        !self.warned_of_nesting.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn info(&self) -> SiteInfo {
        SiteInfo {
            name: self.full_name(),
            module: self.module,
            file: self.file,
            line: self.line,
            uses: self.options().uses(),
        }
    }
}

// The list holds references: an entry needs no constructor that the compiler had to run for it.
inventory::collect!(&'static Site);

/// Every annotated function of the program, by name and place.
pub(crate) fn listed() -> Vec<&'static Site> {
    let mut sites: Vec<_> = inventory::iter::<&'static Site>().copied().collect();
    sites.sort_by_cached_key(|site| (site.full_name(), site.file, site.line));
    sites
}

/// An annotated function, as [`sites`] lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SiteInfo {
    /// Its `name`, or else its path.
    pub name: String,
    /// The module it stands in.
    pub module: &'static str,
    /// Its source file.
    pub file: &'static str,
    /// Its line there.
    pub line: u32,
    /// The options that name dependencies, a store or a rate limiter, with the names.
    pub uses: Vec<(&'static str, &'static str)>,
}

impl SiteInfo {
    /// The crate it stands in.
    pub fn crate_name(&self) -> &'static str {
        self.module.split("::").next().unwrap_or(self.module)
    }
}

/// Every annotated function that is linked into the program, sorted by name.
///
/// ```
/// # use resilient_core as resilient;
/// for site in resilient::sites() {
///     println!("{} at {}:{} uses {:?}", site.name, site.file, site.line, site.uses);
/// }
/// ```
pub fn sites() -> Vec<SiteInfo> {
    listed().into_iter().map(Site::info).collect()
}
