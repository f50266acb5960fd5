//! What an attempt tells the policies that follow the load: the throttle.

use super::Call;
use super::phase::Phase;
use crate::class::Class;
use crate::context::Cut;
use crate::seam::clock;

impl Call {
    /// The attempt came back with an outcome of this class.
    #[inline]
    pub(super) fn heard(&self, class: Class) {
        let Some(plan) = self.plan.get() else { return };
        if let Some(throttle) = &plan.throttle {
            throttle.heard(class);
        }
    }

    /// The attempt was not admitted or was cut: only that its own time was not enough says
    /// something about the dependency.
    pub(super) fn heard_nothing(&self) {
        if let Phase::Cut {
            cut: Cut::Timeout | Cut::Deadline,
            late: false,
            ..
        } = self.phase
        {
            self.ran_out();
        }
    }

    /// The attempt took so long that it was given up.
    #[cold]
    pub(super) fn ran_out(&self) {
        let Some(plan) = self.plan.get() else { return };
        if let Some(throttle) = &plan.throttle
            && throttle.is_on()
        {
            throttle.missed(clock::now());
        }
    }
}
