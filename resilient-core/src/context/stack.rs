//! The calls in progress on this thread, outermost first.
//!
//! Each future of this crate puts its frame on the stack while it polls what it wraps and takes
//! it off afterwards; between polls the stack is empty. That makes the stack the path from the
//! task's root to the running code, on whatever thread the task is polled.

use std::cell::{Cell, RefCell};

use super::frame::Frame;
use super::ground::Ground;
use super::lent::{Credentials, Holds, Lent};
use super::limit::Limit;
use crate::key::IdempotencyKey;
use crate::registry::Registry;
use crate::seam::clock::Moment;

struct Ambient {
    frames: Vec<Lent>,
    registries: Vec<Registry>,
}

thread_local! {
    static AMBIENT: RefCell<Ambient> =
        const { RefCell::new(Ambient { frames: Vec::new(), registries: Vec::new() }) };

    /// The outermost frame, below those in [`AMBIENT`], as long as it is plain data: most calls are
    /// the only one on their thread and have no more than that.
    static GROUND: Ground = const { Ground::vacant() };

    /// How many frames there are. Most calls start with nothing around them, and need not look at
    /// the rest to know.
    static FRAMES: Cell<usize> = const { Cell::new(0) };

    /// How many registries.
    static REGISTRIES: Cell<usize> = const { Cell::new(0) };
}

/// Whether nothing surrounds the running code.
#[inline]
pub(crate) fn is_empty() -> bool {
    has_no_frames() && REGISTRIES.get() == 0
}

/// Whether no call surrounds the running code.
#[inline]
pub(crate) fn has_no_frames() -> bool {
    FRAMES.get() == 0
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
    Surroundings {
        registry: AMBIENT.with_borrow(|ambient| ambient.registries.last().cloned()),
        limit: with_innermost(|frame, _| frame.limit()).unwrap_or(Moment::NEVER),
        retried: any_frame(|frame| frame.max > 1),
    }
}

/// Whether a call around the running code was admitted by this breaker and has not ended.
pub(crate) fn holds_breaker(id: u32) -> bool {
    any_holds(|holds| holds.breaker == id)
}

/// Whether a call around the running code holds a permit of this bulkhead.
pub(crate) fn holds_bulkhead(id: u32) -> bool {
    any_holds(|holds| holds.bulkhead == id)
}

/// Whether this throttle counts the attempt of a call around the running code.
pub(crate) fn holds_throttle(id: u32) -> bool {
    any_holds(|holds| holds.throttle == id)
}

fn any_holds(asked: impl Fn(&Holds) -> bool) -> bool {
    GROUND
        .with(Ground::get)
        .is_some_and(|(_, holds)| asked(&holds))
        || any_lent(|lent| lent.holds(&asked))
}

/// Whether a call around the running code has a limit of its own at `limit` or before: once that
/// has passed, it ends as soon as its body is pending.
pub(crate) fn is_cut_by(limit: Moment) -> bool {
    any_frame(|frame| frame.own_end() <= limit)
}

fn any_frame(is_it: impl Fn(&Frame) -> bool) -> bool {
    GROUND
        .with(Ground::get)
        .is_some_and(|(frame, _)| is_it(&frame))
        || any_lent(|lent| is_it(&lent.frame))
}

fn any_lent(is_it: impl Fn(&Lent) -> bool) -> bool {
    !has_no_frames() && AMBIENT.with_borrow(|ambient| ambient.frames.iter().any(is_it))
}

/// Looks at the innermost frame, and the key of its call.
pub(crate) fn with_innermost<R>(
    look: impl FnOnce(&mut Frame, Option<&IdempotencyKey>) -> R,
) -> Option<R> {
    AMBIENT.with_borrow_mut(|ambient| match ambient.frames.last_mut() {
        Some(lent) => Some(look(&mut lent.frame, lent.credentials.key.as_ref())),
        None => GROUND.with(|ground| {
            let (mut frame, holds) = ground.get()?;
            let seen = look(&mut frame, None);
            ground.stamp(&frame, holds);
            Some(seen)
        }),
    })
}

/// The frames and the registry around the running code, for another task to stand on. What is
/// left of the time is fixed now.
pub(crate) fn snapshot() -> (Vec<Lent>, Option<Registry>) {
    AMBIENT.with_borrow_mut(|ambient| {
        // What is carried shares more with its copies than plain data.
        if let Some((frame, holds)) = GROUND.with(Ground::take) {
            let credentials = Credentials::default();
            let lent = Lent {
                frame,
                holds,
                credentials,
            };
            ambient.frames.insert(0, lent);
        }
        let frames = ambient.frames.iter_mut().map(Lent::carried).collect();
        (frames, ambient.registries.last().cloned())
    })
}

/// A frame inside the innermost one, for what is no call: attempt and key stay visible. It may end
/// earlier, by a limit of its own.
pub(crate) fn begin(timeout: Limit) -> Lent {
    let begun = with_innermost(|outer, key| {
        let frame = Frame {
            attempt: outer.attempt,
            max: outer.max,
            inherited: outer.limit(),
            ..Frame::default()
        };
        Lent::new(frame, key.cloned())
    });
    let mut lent = begun.unwrap_or_else(|| Lent::new(Frame::default(), None));
    lent.frame.timeout = timeout;
    lent
}

/// A frame that stands on the stack until this is dropped, and then goes back to its owner with
/// the stamps it received meanwhile: on unwinding, too.
pub(crate) struct Entered<'a> {
    owner: &'a mut Lent,
}

pub(crate) fn enter(owner: &mut Lent) -> Entered<'_> {
    push(&owner.frame, owner.holds, &mut owner.credentials);
    Entered { owner }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        pop(&mut self.owner.frame, &mut self.owner.credentials);
    }
}

/// Puts a frame on the stack. Whoever does so takes it off again with [`pop`], on unwinding, too.
#[expect(
    clippy::inline_always,
    reason = "what is passed through memory the processor has to wait for"
)]
#[inline(always)]
pub(crate) fn push(frame: &Frame, holds: Holds, credentials: &mut Credentials) {
    if has_no_frames() && credentials.is_empty() {
        GROUND.with(|ground| ground.lend(frame, holds));
    } else {
        stack(frame, holds, credentials);
    }
    FRAMES.set(FRAMES.get() + 1);
}

#[inline(never)]
fn stack(frame: &Frame, holds: Holds, credentials: &mut Credentials) {
    let lent = Lent {
        frame: *frame,
        holds,
        credentials: std::mem::take(credentials),
    };
    AMBIENT.with_borrow_mut(|ambient| ambient.frames.push(lent));
}

/// Takes the innermost frame off the stack, back to its owner.
#[inline]
pub(crate) fn pop(frame: &mut Frame, credentials: &mut Credentials) {
    let below = FRAMES.get() - 1;
    FRAMES.set(below);
    if below > 0 {
        return unstack(frame, credentials);
    }
    if !GROUND.with(|ground| ground.give_back(frame)) {
        unstack(frame, credentials);
    }
}

#[inline(never)]
fn unstack(frame: &mut Frame, credentials: &mut Credentials) {
    if let Some(lent) = AMBIENT.with_borrow_mut(|ambient| ambient.frames.pop()) {
        frame.take_back(lent.frame);
        *credentials = lent.credentials;
    }
}

/// Runs `inside` on top of `frames`, which come back with the stamps they received.
pub(crate) fn with_frames<R>(frames: &mut [Lent], inside: impl FnOnce() -> R) -> R {
    let guard = Stacked { frames };
    AMBIENT.with_borrow_mut(|ambient| {
        ambient
            .frames
            .extend(guard.frames.iter_mut().map(Lent::lend));
    });
    FRAMES.set(FRAMES.get() + guard.frames.len());
    inside()
}

struct Stacked<'a> {
    frames: &'a mut [Lent],
}

impl Drop for Stacked<'_> {
    fn drop(&mut self) {
        FRAMES.set(FRAMES.get() - self.frames.len());
        AMBIENT.with_borrow_mut(|ambient| {
            let below = ambient.frames.len() - self.frames.len();
            for (owner, lent) in self.frames.iter_mut().zip(ambient.frames.drain(below..)) {
                owner.take_back(lent);
            }
        });
    }
}

/// A registry that names mean until this is dropped.
pub(crate) struct InScope(());

pub(crate) fn enter_scope(registry: Registry) -> InScope {
    AMBIENT.with_borrow_mut(|ambient| ambient.registries.push(registry));
    REGISTRIES.set(REGISTRIES.get() + 1);
    InScope(())
}

impl Drop for InScope {
    fn drop(&mut self) {
        REGISTRIES.set(REGISTRIES.get() - 1);
        let left = AMBIENT.with_borrow_mut(|ambient| ambient.registries.pop());
        // Dropped outside the borrow: the last handle of a registry runs destructors.
        drop(left);
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests;
