//! What must hold for any text, whoever thinks it up: `cargo fuzz` or `mutate`.

#[path = "../../resilient-macros/src/arguments.rs"]
mod arguments;
#[path = "../../resilient-macros/src/attribute/mod.rs"]
mod attribute;
#[path = "../../resilient-macros/src/derive/mod.rs"]
mod derive;
#[path = "../../resilient-macros/src/diagnostic/mod.rs"]
mod diagnostic;
#[path = "../../resilient-macros/src/duration.rs"]
mod duration;
#[path = "../../resilient-macros/src/name.rs"]
mod name;
#[path = "../../resilient-macros/src/place.rs"]
mod place;
#[path = "../../resilient-macros/src/shape/mod.rs"]
mod shape;
#[path = "../../resilient-macros/src/value/mod.rs"]
mod value;

use std::time::{Duration, SystemTime};

use proc_macro2::TokenStream;
use resilient_core::classify;

/// A check of one text: panics if something is wrong with us, never with the text.
pub type Check = fn(&str);

/// By the name of its target and of the folder of its seeds.
pub const CHECKS: [(&str, Check); 4] = [
    ("attribute", check_attribute),
    ("derive", check_derive),
    ("duration", check_duration),
    ("retry_after", check_retry_after),
];

/// The options in the first line, the function below it: comes out as items, or as an error.
pub fn check_attribute(text: &str) {
    let (options, item) = text.split_once('\n').unwrap_or((text, ""));
    if let (Ok(options), Ok(item)) = (options.parse(), item.parse::<TokenStream>()) {
        let out = attribute::resilient(options, item.clone());
        is_item_or_error("attribute", &item, &out);
    }
}

/// An error type: comes out as an implementation, or as an error.
pub fn check_derive(text: &str) {
    if let Ok(item) = text.parse::<TokenStream>() {
        let out = derive::classify(item.clone());
        is_item_or_error("derive", &item, &out);
    }
}

fn is_item_or_error(what: &str, item: &TokenStream, out: &TokenStream) {
    let text = out.to_string();
    // Bodies are passed on as they were written, for the compiler to say what is wrong in them.
    let is_item = syn::parse2::<syn::File>(item.clone()).is_ok();
    if text.contains("compile_error") || !is_item && !text.is_empty() {
        return;
    }
    let parsed = syn::parse2::<syn::File>(out.clone());
    assert!(
        parsed.is_ok_and(|file| !file.items.is_empty()),
        "the {what} made neither an item nor an error of {item}: {text}"
    );
}

/// Settings and attributes read durations alike, and what is read can be written and read again.
pub fn check_duration(text: &str) {
    let (setting, attribute) = (resilient_core::duration::parse(text), duration::parse(text));
    assert_eq!(
        setting.as_ref().ok(),
        attribute.as_ref().ok(),
        "{text:?}: {setting:?} in a setting, {attribute:?} in an attribute"
    );
    if let Ok(duration) = setting
        && !duration.is_zero()
    {
        let written = humantime::format_duration(duration).to_string();
        assert_eq!(
            resilient_core::duration::parse(&written),
            Ok(duration),
            "{text:?}"
        );
    }
}

/// The header in the first line, the answer's date in the second.
pub fn check_retry_after(text: &str) {
    let mut lines = text.splitn(2, '\n');
    let (value, date) = (lines.next().unwrap_or_default(), lines.next());
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(800_000_000);
    let wait = classify::retry_after(value, date, now);
    let digits = value.trim_matches([' ', '\t']);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && value.len() < 20 {
        let seconds = digits.parse().map(Duration::from_secs);
        assert_eq!(wait, seconds.ok(), "{text:?}");
    }
    if value.contains(['-', '+', 'e', 'x'])
        && value.trim().starts_with(|c: char| c.is_ascii_digit())
    {
        assert_eq!(wait, None, "{text:?}");
    }
    // The same blanks around it change nothing.
    if value.len() < 60 {
        assert_eq!(
            classify::retry_after(&format!(" {value}\t"), date, now),
            wait,
            "{text:?}"
        );
    }
}
