//! The values in force, and where each comes from.

use std::fmt::Display;
use std::time::Duration;

use crate::breaker::{BreakerSettings, Mode, Window};
use crate::budget::BudgetSettings;
use crate::bulkhead::BulkheadSettings;
use crate::dependency::DependencyState;
use crate::hedge::{HedgeAfter, HedgeSettings};
use crate::name::Name;
use crate::retry::RetrySettings;

/// One value in force.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Effective {
    /// Which one, as in `retry.max` or `timeout`.
    pub setting: &'static str,
    /// The value, as it is written: `4`, `800ms`.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a value comes from: what is said nearer to the function wins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum Origin {
    /// The attribute of the function, or of its impl block.
    Site,
    /// What is registered for this dependency or rate limiter, its defaults included.
    Dependency(Name),
    /// The default where there is no dependency.
    Default,
}

/// Values as they are collected.
#[derive(Debug, Default)]
pub(crate) struct Values(Vec<Effective>);

impl Values {
    pub(crate) fn add(&mut self, setting: &'static str, value: impl Display, origin: &Origin) {
        self.0.push(Effective {
            setting,
            value: value.to_string(),
            origin: origin.clone(),
        });
    }

    pub(crate) fn time(&mut self, setting: &'static str, time: Option<Duration>, origin: &Origin) {
        match time {
            Some(time) => self.add(setting, humantime::format_duration(time), origin),
            None => self.add(setting, "none", origin),
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Effective> {
        self.0
    }
}

/// Everything registered for a dependency.
pub(super) fn of_dependency(state: &DependencyState) -> Vec<Effective> {
    let origin = Origin::Dependency(state.name.clone());
    let mut values = Values::default();
    let settings = state.settings();
    values.time("timeout", settings.timeout, &origin);
    values.time("deadline", settings.deadline, &origin);
    retry(&mut values, &settings.retry, |_| origin.clone());
    breaker(&mut values, &settings.breaker, &origin);
    budget(&mut values, settings.budget, &origin);
    bulkhead(&mut values, settings.bulkhead, &origin);
    hedge(&mut values, settings.hedge, |_| origin.clone());
    if let Some(throttle) = settings.throttle {
        values.add("throttle.accepts", throttle.multiplier, &origin);
        values.time("throttle.window", Some(throttle.window), &origin);
        values.add("throttle.max_rejection", throttle.max_rejection, &origin);
    }
    values.into_vec()
}

pub(crate) fn retry(
    values: &mut Values,
    settings: &RetrySettings,
    origin: impl Fn(&'static str) -> Origin,
) {
    values.add("retry.max", settings.max, &origin("max"));
    values.time("retry.base", Some(settings.base), &origin("base"));
    values.time("retry.cap", Some(settings.cap), &origin("cap"));
    values.add("retry.factor", settings.factor, &origin("factor"));
    values.add("retry.jitter", settings.jitter, &origin("jitter"));
    let cap = settings.retry_after_cap;
    values.time("retry.retry_after_cap", cap, &origin("retry_after_cap"));
}

pub(crate) fn hedge(
    values: &mut Values,
    settings: HedgeSettings,
    origin: impl Fn(&'static str) -> Origin,
) {
    match settings.after {
        HedgeAfter::Fixed(after) => values.time("hedge.after", Some(after), &origin("after")),
        HedgeAfter::Quantile { quantile, floor } => {
            values.add(
                "hedge.after",
                format_args!("quantile {quantile}"),
                &origin("after"),
            );
            values.time("hedge.floor", Some(floor), &origin("floor"));
        }
    }
    values.add("hedge.max", settings.max, &origin("max"));
}

fn breaker(values: &mut Values, settings: &BreakerSettings, origin: &Origin) {
    let mode = match settings.mode {
        Mode::Enabled => "enabled",
        Mode::Observing => "observing",
        Mode::Disabled => "disabled",
    };
    values.add("breaker.mode", mode, origin);
    let window = |values: &mut Values, setting, window| match window {
        Window::Time(time) => values.time(setting, Some(time), origin),
        Window::Count(count) => values.add(setting, format_args!("the last {count}"), origin),
    };
    if let Some(rule) = settings.failure_rate {
        values.add("breaker.failure_rate", rule.threshold, origin);
        values.add("breaker.min_attempts", rule.min_attempts, origin);
        window(values, "breaker.window", rule.window);
    }
    if let Some(rule) = settings.slow_calls {
        values.add("breaker.slow_calls", rule.threshold, origin);
        values.time("breaker.longer_than", Some(rule.longer_than), origin);
    }
    if let Some(rule) = settings.consecutive {
        values.add("breaker.consecutive", rule.failures, origin);
        values.time("breaker.within", Some(rule.within), origin);
        values.time("breaker.spanning", Some(rule.spanning), origin);
    }
    values.time("breaker.open_for", Some(settings.open_for), origin);
    values.add("breaker.probes", settings.probes, origin);
    values.add("breaker.close_after", settings.close_after, origin);
}

fn budget(values: &mut Values, settings: BudgetSettings, origin: &Origin) {
    match settings {
        BudgetSettings::Ratio {
            ratio,
            window,
            floor,
        } => {
            values.add("budget.ratio", ratio, origin);
            values.time("budget.window", Some(window), origin);
            values.add("budget.floor", floor, origin);
        }
        BudgetSettings::Tokens {
            max,
            refill_per_success,
            refill_every,
        } => {
            values.add("budget.tokens", max, origin);
            values.add("budget.refill_per_success", refill_per_success, origin);
            values.time("budget.refill_every", Some(refill_every), origin);
        }
        BudgetSettings::Unlimited => values.add("budget", "unlimited", origin),
    }
}

fn bulkhead(values: &mut Values, settings: BulkheadSettings, origin: &Origin) {
    match settings.adaptive {
        Some(adaptive) => values.add(
            "bulkhead.max_concurrent",
            format_args!("{} to {}", adaptive.min, adaptive.max),
            origin,
        ),
        None if settings.max_concurrent == usize::MAX => {
            values.add("bulkhead.max_concurrent", "unlimited", origin);
        }
        None => values.add("bulkhead.max_concurrent", settings.max_concurrent, origin),
    }
    values.add("bulkhead.max_queue", settings.max_queue, origin);
    values.time("bulkhead.max_wait", settings.max_wait, origin);
}
