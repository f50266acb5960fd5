//! A package needs a target; this one is all in its tests.
