//! What the library tells, as lines of text.

use std::cell::RefCell;
use std::fmt::Write;
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::span::{Id, Record};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

thread_local! {
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static RECORDS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Writes every event as one line, its span first, into the lines of its thread, and what is added
/// to a span into the records: whether an event is wanted is cached for the whole process, so that
/// tests side by side need one subscriber.
struct Lines;

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_event(&self, event: &tracing::Event<'_>, cx: Context<'_, S>) {
        let span = cx.lookup_current().map_or("-", |span| span.name());
        let mut text = Text(span.to_owned());
        event.record(&mut text);
        LINES.with_borrow_mut(|lines| lines.push(text.0));
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut text = Text(String::new());
        values.record(&mut text);
        RECORDS.with_borrow_mut(|records| records.push(text.0));
    }
}

/// From now on everything told on this thread is kept.
pub(crate) fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        let subscriber = tracing_subscriber::registry().with(Lines);
        tracing::subscriber::set_global_default(subscriber).expect("nobody else listens");
    });
    take();
    take_records();
}

/// The events told since, each with the name of its span first.
pub(crate) fn take() -> Vec<String> {
    LINES.take()
}

/// What was added to spans since.
pub(crate) fn take_records() -> Vec<String> {
    RECORDS.take()
}
