//! Work that counts how often it is done.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Answer, Failure};

/// Answers what it was told to, one after the other, and counts.
#[derive(Debug)]
pub(crate) struct Work {
    done: AtomicU32,
    answers: Mutex<Vec<Answer>>,
}

impl Work {
    pub(crate) fn of(answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        Work {
            done: AtomicU32::new(0),
            answers: Mutex::new(answers),
        }
    }

    /// The next answer; without one, the number of the run.
    pub(crate) fn run(&self) -> Answer {
        let number = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let answer = self.answers.lock().unwrap().pop();
        answer.unwrap_or_else(|| crate::receipt(number))
    }

    pub(crate) fn runs(&self) -> u32 {
        self.done.load(Ordering::Relaxed)
    }
}

/// An error that says that nothing was done.
pub(crate) fn broken(failure: &Failure) -> bool {
    *failure == Failure::Broken
}
