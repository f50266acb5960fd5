//! What the attribute costs the compiler, and the program in code.

mod children;
mod project;
mod variant;

use std::io;
use std::path::Path;

use project::Project;
use variant::Variant;

use crate::rounds::median;
use crate::table::Table;
use crate::target::Bound::AtMost;
use crate::target::Target;

const ROUNDS: usize = 3;
/// Functions in each crate.
const MANY: u32 = 300;
/// What is linked once, and the functions' frame, is not a function's cost.
const FEW: u32 = 20;

/// Checks and builds the same functions plain and under each attribute.
pub(crate) fn measure(directory: &Path, targets: &mut Vec<Target>) -> io::Result<Table> {
    let project = Project::create(directory)?;
    let mut checks = [const { Vec::new() }; Variant::ALL.len()];
    for _ in 0..ROUNDS {
        for (variant, checks) in Variant::ALL.into_iter().zip(&mut checks) {
            project.write(variant, MANY)?;
            checks.push(project.check(variant)?.as_secs_f64());
        }
    }
    let columns = [
        "variant",
        "check, CPU s",
        "ms per function",
        "code, bytes per function",
    ];
    let mut table = Table::new("compile", &columns);
    let [plain, _, _] = checks.clone();
    let mut added = Vec::new();
    let mut code_of_plain = None;
    for (variant, checks) in Variant::ALL.into_iter().zip(checks) {
        let extra = checks.iter().zip(&plain).map(|(own, plain)| own - plain);
        let extra = median(extra.collect()) * 1000.0 / f64::from(MANY);
        let code = code(&project, variant)?;
        let more = code - *code_of_plain.get_or_insert(code);
        added.push((extra, more));
        table.row(
            variant.name(),
            [
                format!("{:.2}", median(checks)),
                format!("{extra:+.2}"),
                format!("{code:.0} ({more:+.0})"),
            ],
        );
    }
    let [_, (annotated, code), (instrumented, _)] = added[..] else {
        return Ok(table);
    };
    targets.push(Target::new(
        "compile time: what a function costs, to what `instrument` costs",
        annotated / instrumented,
        AtMost(0.5),
    ));
    targets.push(Target::new(
        "code: bytes per function",
        code,
        AtMost(1024.0),
    ));
    Ok(table)
}

/// Bytes of code per function.
fn code(project: &Project, variant: Variant) -> io::Result<f64> {
    let mut bytes = [0.0; 2];
    for (functions, bytes) in [FEW, MANY].into_iter().zip(&mut bytes) {
        project.write(variant, functions)?;
        *bytes = project.code(variant)? as f64;
    }
    Ok((bytes[1] - bytes[0]) / f64::from(MANY - FEW))
}
