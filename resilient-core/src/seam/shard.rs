//! Shared words split so that threads do not fight over a cache line.
//!
//! A contended atomic add costs about thirteen times an uncontended one; a word of one's own
//! costs a thread-local read instead.

use super::sync::{AtomicU32, Ordering};

/// More shards cost memory and slow down whoever must visit them all.
const MOST_SHARDS: usize = 64;

/// One `T` per thread or so, each on cache lines of its own.
#[derive(Debug)]
pub(crate) struct Shards<T> {
    shards: Box<[Padded<T>]>,
}

/// 128 bytes: the prefetcher of current processors pulls cache lines in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Padded<T>(T);

impl<T> Shards<T> {
    /// As many shards as threads can run at once, made by `make` from their index and number.
    pub(crate) fn new(make: impl FnMut(usize, usize) -> T) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Shards::with_count(threads, make)
    }

    /// `count` shards, rounded up to a power of two.
    pub(crate) fn with_count(count: usize, mut make: impl FnMut(usize, usize) -> T) -> Self {
        let count = count.clamp(1, MOST_SHARDS).next_power_of_two();
        Shards {
            shards: (0..count).map(|index| Padded(make(index, count))).collect(),
        }
    }

    /// The shard of this thread.
    #[inline]
    pub(crate) fn own(&self) -> &T {
        &self.shards[self.own_index()].0
    }

    /// The shard that something with this hash belongs to. Tables find their places by the lowest
    /// and the highest bits of a hash, so these are others.
    pub(crate) fn of_hash(&self, hash: u64) -> &T {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a few of its bits are enough"
        )]
        let bits = (hash >> 24) as usize;
        &self.shards[bits & (self.shards.len() - 1)].0
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.shards.len()
    }

    /// One of them; positions beyond the last begin again with the first.
    pub(crate) fn at(&self, index: usize) -> &T {
        &self.shards[index & (self.shards.len() - 1)].0
    }

    /// The position of [`Shards::own`].
    #[inline]
    pub(crate) fn own_index(&self) -> usize {
        thread_index() & (self.shards.len() - 1)
    }

    /// All shards, this thread's own first: where a thread looks when its own is empty.
    pub(crate) fn own_first(&self) -> impl Iterator<Item = &T> {
        let own = self.own_index();
        let mask = self.shards.len() - 1;
        (0..self.shards.len()).map(move |step| &self.shards[(own + step) & mask].0)
    }

    /// All shards.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.shards.iter().map(|padded| &padded.0)
    }
}

#[cfg(not(loom))]
#[inline]
fn thread_index() -> usize {
    use std::cell::Cell;

    static NEXT: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static INDEX: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    INDEX.with(|index| {
        if index.get() == usize::MAX {
            index.set(NEXT.fetch_add(1, Ordering::Relaxed) as usize);
        }
        index.get()
    })
}

#[cfg(loom)]
fn thread_index() -> usize {
    loom::lazy_static! {
        static ref NEXT: AtomicU32 = AtomicU32::new(0);
    }
    loom::thread_local! {
        static INDEX: usize = NEXT.fetch_add(1, Ordering::Relaxed) as usize;
    }
    INDEX.with(|index| *index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shard_is_visited_once_from_any_thread() {
        let shards = Shards::with_count(3, |index, count| (index, count));
        for _ in 0..5 {
            let seen = std::thread::scope(|scope| {
                let thread =
                    scope.spawn(|| shards.own_first().map(|shard| shard.0).collect::<Vec<_>>());
                thread.join().expect("the visit does not panic")
            });
            let mut sorted = seen.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3], "visited {seen:?}");
        }
        assert!(shards.iter().all(|shard| shard.1 == 4));
    }
}
