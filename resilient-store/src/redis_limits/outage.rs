//! What becomes of requests while Redis does not answer.

/// When a decision says that it was made, if Redis has not made it: nothing can be given back there.
pub(super) const NOT_IN_REDIS: u64 = 0;

/// What becomes of requests while Redis does not answer.
///
/// Whichever it is, a request waits for no longer than the [timeout](super::RedisLimits::timeout),
/// and after one that did Redis is left alone for a second. What happened is counted:
/// [`RedisLimitCounts`](super::RedisLimitCounts).
///
/// ```no_run
/// use resilient_store::{Outage, RedisConfig, RedisLimits};
///
/// // Ten processes, each of which lets a tenth through on its own.
/// let limits = RedisLimits::over(RedisConfig::at("redis://127.0.0.1:6379"))
///     .outage(Outage::LocalShare(10));
/// # let _ = limits;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outage {
    /// They are let through; their decisions tell of no limit. The default: a limiter must not be
    /// what takes a service down.
    #[default]
    Open,
    /// There is no decision but an error, for a server an answer 503.
    Closed,
    /// They are counted in this process, against quotas and bursts divided by so many processes and
    /// rounded down, but never below 1. Their decisions tell of these limits. What costs more than
    /// that allows at once gets an error.
    ///
    /// What Redis had counted before is not in the shares, and they begin anew with a process: in a
    /// window in which Redis is lost, at most the quota and one share for each process that was there
    /// passes, which is twice the quota if none was started again.
    ///
    /// A share is counted by limiter, key and limit, whatever the numbers of that limit are or become.
    /// There are a million of these counts at most; none is forgotten while it says something, so that
    /// further keys get an error until some are as good as new.
    LocalShare(u32),
}
