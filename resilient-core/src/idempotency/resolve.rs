//! Finding out how an uncertain run ended.

use std::pin::Pin;

use super::{Answer, Record, Resource};

/// How an uncertain run turned out to have ended.
///
/// The answer is what is kept of it; at an annotated function (`resolve = path`) it is the value that
/// the function would have returned.
#[derive(Clone, Debug)]
pub enum Resolution<A = Answer> {
    /// It was done; this is its answer.
    Completed {
        /// The answer.
        answer: A,
        /// What was made.
        resource: Option<Resource>,
    },
    /// It was done, but what it answered is not known.
    Done {
        /// What was made.
        resource: Option<Resource>,
    },
    /// It did nothing: it may run.
    NotExecuted,
    /// It cannot be told yet; the record stays as it is.
    Unknown,
}

/// Finds out how an uncertain run ended, by asking whoever had its effects.
pub trait Resolve: Send + Sync {
    /// Looks for what the run of this record would have done.
    fn resolve<'a>(
        &'a self,
        record: &'a Record,
    ) -> Pin<Box<dyn Future<Output = Resolution> + Send + 'a>>;
}

impl<F, R> Resolve for F
where
    F: Fn(&Record) -> R + Send + Sync,
    R: Future<Output = Resolution> + Send + 'static,
{
    fn resolve<'a>(
        &'a self,
        record: &'a Record,
    ) -> Pin<Box<dyn Future<Output = Resolution> + Send + 'a>> {
        Box::pin(self(record))
    }
}
