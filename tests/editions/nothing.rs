//! A package needs a target; this one is all in its tests.

// shape 67; case N29
