//! The attribute and derive macros of `resilient`.
