//! What is wrong with a layer.

use resilient_core::invalid::InvalidSetting;

/// A layer that cannot work as it was set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(problems))]
pub struct InvalidLayer {
    /// Everything that is wrong with it.
    pub problems: Vec<InvalidSetting>,
}

fn listed(problems: &[InvalidSetting]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
