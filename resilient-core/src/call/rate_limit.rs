//! An attempt's turn with the rate limiter.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::Call;
use super::own::Request;
use super::phase::Phase;
use crate::key::{RateLimitCost, RateLimitKeyText};
use crate::rate_limit::{Begun, RateLimitError};
use crate::seam::clock;
use crate::seam::timer::Timer;

impl Call {
    /// The rate limiter counts every attempt under the text of `key`.
    pub fn set_rate_limit_key<K: RateLimitKeyText + ?Sized>(&mut self, key: &K) {
        if self.is_rate_limited() {
            let key = key.text();
            self.change_request(|request| request.key = key);
        }
    }

    /// Every attempt costs so much.
    pub fn set_rate_limit_cost<C: RateLimitCost + ?Sized>(&mut self, cost: &C) {
        if self.is_rate_limited() {
            let cost = cost.cost();
            self.change_request(|request| request.cost = Some(cost));
        }
    }

    #[inline]
    fn is_rate_limited(&self) -> bool {
        self.plan.get().is_some_and(|plan| plan.limiting.is_some())
    }

    fn change_request(&mut self, change: impl FnOnce(&mut Request)) {
        if let Some(own) = self.plan.make_own() {
            change(&mut own.request);
        }
    }

    /// Whether the attempt has its turn; else the phase tells whether it waits for it.
    #[inline]
    pub(super) fn pass_rate_limit(&mut self, timer: Pin<&mut Timer>) -> bool {
        !self.is_rate_limited() || self.ask_rate_limiter(timer)
    }

    #[inline(never)]
    fn ask_rate_limiter(&mut self, timer: Pin<&mut Timer>) -> bool {
        let Some(limiting) = self.plan.get().and_then(|plan| plan.limiting.as_ref()) else {
            return true;
        };
        let request = self.plan.own().map(|own| &own.request);
        let key = request.map_or("", |request| &request.key);
        let cost = request.and_then(|request| request.cost);
        let max_wait = limiting.max_wait();
        let begun = self.inside_span(|| {
            let cost = cost.unwrap_or(limiting.cost);
            limiting.limiter.begin(key, cost, max_wait)
        });
        match begun {
            Begun::Done(Ok(())) => return true,
            Begun::Done(Err(error)) => self.end_rate_limited(error),
            Begun::NotYet(later) => {
                let now = clock::now();
                let (end, _) = self.frame.end(now);
                // What comes too late for the call need not be waited for.
                let turn = later.within(max_wait.min(end.since(now)));
                self.change_request(|request| request.turn = Some(turn));
                self.phase = Phase::Waiting;
                timer.arm(end);
            }
        }
        false
    }

    /// Waits for the turn, as long as the call has time.
    #[inline(never)]
    pub(super) fn wait_for_turn(
        &mut self,
        mut timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        match self.poll_turn(cx) {
            Poll::Ready(Err(error)) => {
                self.end_rate_limited(error);
                return Poll::Ready(());
            }
            // Or polled late.
            Poll::Ready(Ok(())) if self.frame.is_over() => {}
            Poll::Ready(Ok(())) => {
                self.phase = self.still_admitted();
                if self.is_running() {
                    self.enter_bulkhead(timer, cx);
                }
                return Poll::Ready(());
            }
            Poll::Pending => ready!(timer.as_mut().poll(cx)),
        }
        ready!(self.end_too_late(timer, cx));
        self.leave_line();
        Poll::Ready(())
    }

    /// Ready at once where the turn has come before.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), RateLimitError>> {
        let own = self.plan.make_own();
        let Some(mut turn) = own.and_then(|own| own.request.turn.take()) else {
            return Poll::Ready(Ok(()));
        };
        let polled = self.inside_span(|| turn.poll(cx));
        if polled.is_pending() {
            self.change_request(|request| request.turn = Some(turn));
        }
        polled
    }

    fn end_rate_limited(&mut self, error: RateLimitError) {
        self.phase = Phase::RateLimited;
        self.change_request(|request| request.refusal = Some(error.into()));
    }

    /// Nothing was taken, as far as the limiter's store knows.
    pub(super) fn leave_line(&mut self) {
        self.change_request(|request| request.turn = None);
    }
}
