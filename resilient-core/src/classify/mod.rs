//! Placeholder of a module under construction.
