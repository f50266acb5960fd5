//! Limits, as clients meet them.

mod counts;
mod keys;
mod order;
mod outage;
mod refusals;
mod shop;
mod told;
