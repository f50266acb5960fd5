//! Limits, as clients meet them.

mod addresses;
mod counts;
mod keys;
mod order;
mod outage;
mod refusals;
mod shop;
mod told;
