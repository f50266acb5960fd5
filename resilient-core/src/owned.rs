//! A value that an attempt takes along whole.

/// A copy of an argument for one attempt.
///
/// A block captures what it only looks at by reference, and numbers are only looked at; but copies
/// of a hedged attempt outlive the place where their arguments were copied. Taking one out consumes
/// this, so it is captured by value, whatever it holds.
#[derive(Debug)]
pub struct Owned<T>(T);

impl<T: Clone> Owned<T> {
    /// A clone of `value`.
    pub fn clone_of(value: &T) -> Self {
        Owned(value.clone())
    }
}

impl<T> Owned<T> {
    /// The value.
    pub fn take(self) -> T {
        self.0
    }
}
