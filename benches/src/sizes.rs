//! How much larger the attribute makes a future.

use crate::annotated::{breaker, full, plain, retry, timeout};
use crate::body::Failures;
use crate::failure::Failure;
use crate::table::Table;
use crate::target::Bound::AtMost;
use crate::target::Target;

/// What a future may grow by, beside the error that is kept between attempts.
const ROOM: f64 = 256.0;

/// The futures of plain and annotated functions.
pub(crate) fn measure(targets: &mut Vec<Target>) -> Table {
    let failures = Failures::new(0);
    let pending = size_of_val(&plain::pending(1));
    let annotated = size_of_val(&full::pending(1));
    let around_annotated = async |number| full::pending(number).await;
    let sizes = [
        (
            "ready, full stack",
            size_of_val(&plain::ready(1)),
            size_of_val(&full::ready(1)),
        ),
        ("pending, full stack", pending, annotated),
        (
            "flaky, full stack",
            size_of_val(&plain::flaky(&failures, 1)),
            size_of_val(&full::flaky(&failures, 1)),
        ),
        (
            "pending, retry alone",
            pending,
            size_of_val(&retry::pending(1)),
        ),
        (
            "pending, breaker alone",
            pending,
            size_of_val(&breaker::pending(1)),
        ),
        (
            "pending, timeout alone",
            pending,
            size_of_val(&timeout::pending(1)),
        ),
        (
            "annotated in annotated",
            size_of_val(&around_annotated(1)),
            size_of_val(&full::nested(1)),
        ),
    ];
    let mut table = Table::new("sizes", &["future", "plain", "annotated", "adds"]);
    for (name, plain, annotated) in sizes {
        table.row(
            name,
            [plain, annotated, annotated - plain].map(|size| size.to_string()),
        );
    }
    targets.push(Target::new(
        "size: bytes added to a future beside its error",
        (annotated - pending) as f64 - size_of::<Failure>() as f64,
        AtMost(ROOM),
    ));
    table
}
