//! Reads the fields of the events that the library sends through `tracing`.

use std::collections::HashMap;
use std::fmt::Debug;

use tracing::Event;
use tracing::field::{Field, Visit};

/// The fields of one event, as text.
#[derive(Default)]
pub(crate) struct Fields(HashMap<&'static str, String>);

impl Fields {
    pub(crate) fn of(event: &Event<'_>) -> Self {
        let mut fields = Fields::default();
        event.record(&mut fields);
        fields
    }

    /// The field called `name`, empty if the event has none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name(), format!("{value:.0}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}
