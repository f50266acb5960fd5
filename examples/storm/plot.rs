//! A scenario as a picture: calls answered, and requests per call, over time.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::chance::to_float;
use super::record::Second;
use super::scenario::{BEFORE, Scenario};
use super::table::Chapter;

/// The strategies that are drawn; all of them would be a tangle.
const DRAWN: [(&str, RGBColor); 5] = [
    ("no retry", RGBColor(130, 130, 130)),
    ("immediate", RGBColor(214, 39, 40)),
    ("full jitter", RGBColor(255, 150, 30)),
    ("the guide's numbers", RGBColor(31, 119, 180)),
    ("the defaults", RGBColor(20, 130, 60)),
];
const SIZE: (u32, u32) = (860, 560);
/// Seconds before the trouble that are drawn.
const LEAD: usize = 5;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'b, 'a> = ChartContext<'b, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Seconds after the story that leave room for the legend.
const MARGIN: usize = 14;

/// A line with its name and colour.
struct Line {
    name: &'static str,
    colour: RGBColor,
    points: Vec<(f64, f64)>,
}

/// Draws what happened to one of the fleets.
pub(crate) fn draw(chapter: &Chapter, fleet: usize, to: &Path) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(to, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(330);
    let scenario = chapter.scenario;

    let calls = &chapter.rows[0].figures[fleet].seconds;
    let before: u32 = calls[..BEFORE].iter().map(|second| second.calls).sum();
    let percent = 100.0 * to_float(BEFORE) / f64::from(before.max(1));
    let asked = Line {
        name: "asked for",
        colour: BLACK,
        points: points(calls, |second| percent * f64::from(second.calls)),
    };
    let answered = lines(chapter, fleet, |second| {
        percent * f64::from(second.answered)
    });
    let lines_of_upper: Vec<_> = std::iter::once(asked).chain(answered).collect();
    let title = format!(
        "{}: calls answered per second, in % of the usual load",
        scenario.name
    );
    let mut chart = panel(&upper, scenario, &title, &lines_of_upper)?;
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 12))
        .draw()?;

    let requests = lines(chapter, fleet, |second| {
        f64::from(second.attempts) / f64::from(second.calls.max(1))
    });
    panel(&lower, scenario, "requests per call", &requests)?;
    root.present()?;
    Ok(())
}

/// A line for each strategy that is drawn.
fn lines(chapter: &Chapter, fleet: usize, height: impl Fn(&Second) -> f64) -> Vec<Line> {
    let drawn = DRAWN.iter().filter_map(|&(name, colour)| {
        let row = chapter.rows.iter().find(|row| row.strategy.name == name)?;
        let points = points(&row.figures[fleet].seconds, &height);
        Some(Line {
            name,
            colour,
            points,
        })
    });
    drawn.collect()
}

fn points(seconds: &[Second], height: impl Fn(&Second) -> f64) -> Vec<(f64, f64)> {
    let drawn = seconds.iter().enumerate().skip(BEFORE - LEAD);
    drawn
        .map(|(at, second)| (to_float(at) - to_float(BEFORE), height(second)))
        .collect()
}

/// Axes and lines, and the time of the trouble in grey.
fn panel<'a, 'b>(
    area: &'b Area<'a>,
    scenario: &Scenario,
    title: &str,
    lines: &[Line],
) -> Result<Chart<'b, 'a>, Box<dyn Error>>
where
    'a: 'b,
{
    let heights = lines.iter().flat_map(|line| &line.points);
    let top = heights.map(|point| point.1).fold(1.0, f64::max) * 1.08;
    let last = to_float(scenario.measured() - BEFORE + MARGIN);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(24)
        .y_label_area_size(40)
        .build_cartesian_2d(-to_float(LEAD)..last, 0.0..top)?;
    let trouble = [(0.0, 0.0), (to_float(scenario.lasts), top)];
    chart.draw_series([Rectangle::new(trouble, BLACK.mix(0.07).filled())])?;
    let decimals = usize::from(top < 10.0);
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&|at| format!("{at:.0} s"))
        .y_label_formatter(&|height| format!("{height:.decimals$}"))
        .draw()?;
    for Line {
        name,
        colour,
        points,
    } in lines
    {
        let style = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
    }
    Ok(chart)
}
