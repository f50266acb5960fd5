//! The calls in progress on this thread, outermost first.
//!
//! Each future of this crate puts its frame on the stack while it polls what it wraps and takes
//! it off afterwards; between polls the stack is empty. That makes the stack the path from the
//! task's root to the running code, on whatever thread the task is polled.

use std::cell::{Cell, RefCell};

use super::frame::{Frame, Lent, NOBODY};
use super::limit::Limit;
use crate::registry::Registry;
use crate::seam::clock::Moment;

struct Ambient {
    frames: Vec<Lent>,
    registries: Vec<Registry>,
}

thread_local! {
    static AMBIENT: RefCell<Ambient> =
        const { RefCell::new(Ambient { frames: Vec::new(), registries: Vec::new() }) };

    /// How many frames and registries there are. Most calls start with nothing around them, and
    /// need not look at the rest to know.
    static HEIGHT: Cell<usize> = const { Cell::new(0) };
}

/// Whether nothing surrounds the running code.
pub(crate) fn is_empty() -> bool {
    HEIGHT.get() == 0
}

/// What a call needs to know about where it starts.
pub(crate) struct Surroundings {
    /// The registry of the innermost scope.
    pub(crate) registry: Option<Registry>,
    /// When the calls around this one end.
    pub(crate) limit: Moment,
    /// Whether a call around this one retries.
    pub(crate) retried: bool,
}

/// Reads the surroundings of a call that starts now, and starts the clock of the one around it.
pub(crate) fn surroundings() -> Surroundings {
    AMBIENT.with_borrow_mut(|ambient| Surroundings {
        registry: ambient.registries.last().cloned(),
        limit: ambient
            .frames
            .last_mut()
            .map_or(Moment::NEVER, |lent| lent.frame.limit()),
        retried: ambient.frames.iter().any(|lent| lent.frame.max > 1),
    })
}

/// Whether a call around the running code was admitted by this breaker and has not ended.
pub(crate) fn holds_breaker(id: u32) -> bool {
    any(|lent| lent.frame.holds_breaker(id))
}

/// Whether a call around the running code holds a permit of this bulkhead.
pub(crate) fn holds_bulkhead(id: u32) -> bool {
    any(|lent| lent.frame.holds_bulkhead(id))
}

/// Whether this throttle counts the attempt of a call around the running code.
pub(crate) fn holds_throttle(id: u32) -> bool {
    any(|lent| lent.holds_throttle(id))
}

fn any(holds: impl Fn(&Lent) -> bool) -> bool {
    !is_empty() && AMBIENT.with_borrow(|ambient| ambient.frames.iter().any(holds))
}

/// Whether a call around the running code has a limit of its own at `limit` or before: once that
/// has passed, it ends as soon as its body is pending.
pub(crate) fn is_cut_by(limit: Moment) -> bool {
    any(|lent| lent.frame.own_end() <= limit)
}

/// Looks at the innermost frame.
pub(crate) fn with_innermost<R>(look: impl FnOnce(&mut Frame) -> R) -> Option<R> {
    AMBIENT.with_borrow_mut(|ambient| ambient.frames.last_mut().map(|lent| look(&mut lent.frame)))
}

/// The frames and the registry around the running code, for another task to stand on. What is
/// left of the time is fixed now.
pub(crate) fn snapshot() -> (Vec<Lent>, Option<Registry>) {
    AMBIENT.with_borrow_mut(|ambient| {
        let frames = ambient.frames.iter_mut().map(Lent::carried).collect();
        (frames, ambient.registries.last().cloned())
    })
}

/// A frame inside the innermost one, for what is no call: attempt and key stay visible. It may end
/// earlier, by a limit of its own.
pub(crate) fn begin(timeout: Limit) -> Frame {
    let mut frame = Frame::default();
    with_innermost(|outer| {
        frame.attempt = outer.attempt;
        frame.max = outer.max;
        frame.inherited = outer.limit();
        frame.key.clone_from(&outer.key);
    });
    frame.timeout = timeout;
    frame
}

/// A frame that stands on the stack until this is dropped, and then goes back to its owner with
/// the stamps it received meanwhile: on unwinding, too.
pub(crate) struct Entered<'a> {
    owner: &'a mut Frame,
}

pub(crate) fn enter(owner: &mut Frame) -> Entered<'_> {
    push(owner, NOBODY);
    Entered { owner }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        pop(self.owner);
    }
}

/// Puts a frame on the stack, that of an attempt which this throttle counts or [`NOBODY`]. Whoever
/// does so takes it off again with [`pop`], on unwinding, too.
pub(crate) fn push(owner: &mut Frame, throttle: u32) {
    let lent = Lent::new(owner, throttle);
    AMBIENT.with_borrow_mut(|ambient| ambient.frames.push(lent));
    HEIGHT.set(HEIGHT.get() + 1);
}

/// Takes the innermost frame off the stack, back to its owner.
pub(crate) fn pop(owner: &mut Frame) {
    HEIGHT.set(HEIGHT.get() - 1);
    if let Some(lent) = AMBIENT.with_borrow_mut(|ambient| ambient.frames.pop()) {
        owner.take_back(lent.frame);
    }
}

/// Runs `inside` on top of `frames`, which come back with the stamps they received.
pub(crate) fn with_frames<R>(frames: &mut [Lent], inside: impl FnOnce() -> R) -> R {
    let below = AMBIENT.with_borrow(|ambient| ambient.frames.len());
    let guard = Stacked { frames, below };
    AMBIENT.with_borrow_mut(|ambient| {
        ambient
            .frames
            .extend(guard.frames.iter_mut().map(Lent::lend));
    });
    HEIGHT.set(HEIGHT.get() + guard.frames.len());
    inside()
}

struct Stacked<'a> {
    frames: &'a mut [Lent],
    below: usize,
}

impl Drop for Stacked<'_> {
    fn drop(&mut self) {
        HEIGHT.set(HEIGHT.get() - self.frames.len());
        AMBIENT.with_borrow_mut(|ambient| {
            for (owner, lent) in self
                .frames
                .iter_mut()
                .zip(ambient.frames.drain(self.below..))
            {
                owner.frame.take_back(lent.frame);
            }
        });
    }
}

/// A registry that names mean until this is dropped.
pub(crate) struct InScope(());

pub(crate) fn enter_scope(registry: Registry) -> InScope {
    AMBIENT.with_borrow_mut(|ambient| ambient.registries.push(registry));
    HEIGHT.set(HEIGHT.get() + 1);
    InScope(())
}

impl Drop for InScope {
    fn drop(&mut self) {
        HEIGHT.set(HEIGHT.get() - 1);
        let left = AMBIENT.with_borrow_mut(|ambient| ambient.registries.pop());
        // Dropped outside the borrow: the last handle of a registry runs destructors.
        drop(left);
    }
}
