//! stub
use crate::invalid::InvalidSetting;
#[derive(Clone, Debug, Default)]
pub struct Budget;
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BudgetSettings;
impl Budget {
    pub fn settings(&self) -> Result<BudgetSettings, Vec<InvalidSetting>> {
        Ok(BudgetSettings)
    }
    pub fn tokens(_: u32) -> Self {
        Budget
    }
    pub fn refill_per_success(self, _: f64) -> Self {
        self
    }
}
#[cfg(feature = "runtime")]
#[derive(Debug)]
pub(crate) struct BudgetHandle;
#[cfg(feature = "runtime")]
impl BudgetHandle {
    pub(crate) fn new(_: BudgetSettings) -> Self {
        BudgetHandle
    }
    pub(crate) fn answered(&self) {}
    pub(crate) fn try_spend(&self, _: crate::seam::clock::Moment) -> bool {
        true
    }
    pub(crate) fn refund(&self, _: crate::seam::clock::Moment) {}
    pub(crate) fn tick(&self, _: crate::seam::clock::Moment) {}
    pub(crate) fn reconfigure(&self, _: BudgetSettings) {}
}
impl Budget {
    pub fn unlimited() -> Self {
        Budget
    }
    pub fn ratio(_: f64) -> Self {
        Budget
    }
    pub fn window(self, _: &str) -> Self {
        self
    }
    pub fn floor(self, _: u32) -> Self {
        self
    }
    pub fn refill_every(self, _: &str) -> Self {
        self
    }
}
