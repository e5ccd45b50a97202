//! A plot as SVG that takes its colours and fonts from the page's style.

use super::{
    scale::Scale,
    table::printable,
    units::{UNKNOWN, Unit, percentile},
};
use maud::{Markup, html};
use std::fmt::Write;

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 250.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 42.0;
const RIGHT: f64 = 18.0;
/// About the width of a letter of the marks.
const LETTER: f64 = 7.0;
/// How many colours the style has.
const COLOURS: usize = 6;
/// Lines with more points have no dots to point at.
const MOST_DOTS: usize = 130;

/// Some lines over the same two axes.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) lines: Vec<Line>,
}

/// What is told along one side.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) label: String,
    pub(super) scale: Scale,
    pub(super) unit: Unit,
}

/// One line, with gaps where a point is absent.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) paint: Paint,
    pub(super) points: Vec<Option<(f64, f64)>>,
}

/// What tells a line from others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    pub(super) colour: usize,
    pub(super) dash: usize,
}

impl Paint {
    fn class(self) -> String {
        format!("c{} d{}", self.colour % COLOURS, self.dash % 3)
    }
}

impl Axis {
    /// The label, with the unit that the marks leave out.
    fn title(&self) -> String {
        let unit = match self.scale {
            Scale::Linear { high } => self.unit.scale(high).1,
            Scale::Logarithmic { .. } => "logarithmic",
            Scale::Nines { .. } => "",
        };
        if unit.is_empty() {
            self.label.clone()
        } else {
            format!("{} ({unit})", self.label)
        }
    }

    fn point(&self, value: f64) -> String {
        match self.scale {
            Scale::Nines { .. } => format!("p{}", percentile(value)),
            _ => self.unit.mark(value),
        }
    }
}

impl Plot {
    /// A figure with its legend.
    pub(super) fn draw(&self) -> Markup {
        let frame = Frame::around(&self.y);
        let title = printable(&self.title);
        html! {
            figure {
                figcaption { (title) }
                @if self.lines.len() > 1 { (self.legend()) }
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(title) {
                    (self.grid(&frame))
                    @for line in &self.lines {
                        (self.line(line, &frame))
                    }
                }
            }
        }
    }

    fn legend(&self) -> Markup {
        html! {
            ul.legend {
                @for line in &self.lines {
                    li { (swatch(line.paint)) (printable(&line.name)) }
                }
            }
        }
    }

    fn grid(&self, frame: &Frame) -> Markup {
        let (right, bottom) = (pixel(WIDTH - RIGHT), HEIGHT - BOTTOM);
        html! {
            g.grid {
                @for mark in self.y.scale.marks(self.y.unit) {
                    @let y = frame.y(mark.at);
                    line x1=(pixel(frame.left)) x2=(right) y1=(pixel(y)) y2=(pixel(y)) {}
                    text.y x=(pixel(frame.left - 6.0)) y=(pixel(y + 4.0)) { (mark.text) }
                }
                @for (at, text) in frame.columns(&self.x) {
                    @let x = frame.x(at);
                    line x1=(pixel(x)) x2=(pixel(x)) y1=(pixel(TOP)) y2=(pixel(bottom)) {}
                    @if let Some(text) = text {
                        text.x x=(pixel(x)) y=(pixel(bottom + 18.0)) { (text) }
                    }
                }
                text.label x="4" y="14" { (self.y.title()) }
                text.label.x x=(pixel(frame.x(0.5))) y=(pixel(HEIGHT - 6.0)) { (self.x.title()) }
            }
        }
    }

    fn line(&self, line: &Line, frame: &Frame) -> Markup {
        let points = line.points.iter().flatten().count();
        let name = printable(&line.name);
        let few = if points < 3 { " few" } else { "" };
        let class = line.paint.class() + few;
        let place = |(x, y)| {
            let at = (self.x.scale.place(x), self.y.scale.place(y));
            (frame.x(at.0), frame.y(at.1))
        };
        let dots = line.points.len() <= MOST_DOTS;
        html! {
            g class=(class) {
                path d=(path(line.points.iter().map(|point| point.map(place)))) {}
                @for &(x, y) in line.points.iter().flatten().filter(|_| dots) {
                    @let (left, top) = place((x, y));
                    circle cx=(pixel(left)) cy=(pixel(top)) r="3" {
                        title { (name) ": " (self.y.unit.show(y)) " at " (self.x.point(x)) }
                    }
                }
            }
        }
    }
}

/// Where the axes are in the picture.
struct Frame {
    left: f64,
}

impl Frame {
    /// With room for the marks of `y`.
    fn around(y: &Axis) -> Self {
        let marks = y.scale.marks(y.unit);
        let letters = marks.iter().map(|it| it.text.chars().count()).max();
        Self {
            left: LETTER * letters.unwrap_or(0) as f64 + 14.0,
        }
    }

    fn x(&self, at: f64) -> f64 {
        self.left + at * (WIDTH - RIGHT - self.left)
    }

    fn y(&self, at: f64) -> f64 {
        let bottom = HEIGHT - BOTTOM;
        bottom - at * (bottom - TOP)
    }

    /// The marks of `x`; those without room have no text.
    fn columns(&self, x: &Axis) -> Vec<(f64, Option<String>)> {
        let mut free = f64::NEG_INFINITY;
        let marks = x.scale.marks(x.unit).into_iter();
        marks
            .map(|mark| {
                let half = LETTER * mark.text.chars().count() as f64 / 2.0;
                let middle = self.x(mark.at);
                let fits = middle - half >= free && middle + half <= WIDTH;
                if fits {
                    free = middle + half + LETTER / 2.0;
                }
                (mark.at, fits.then_some(mark.text))
            })
            .collect()
    }
}

fn swatch(paint: Paint) -> Markup {
    html! {
        svg class={ "swatch " (paint.class()) } viewBox="0 0 28 10" aria-hidden="true" {
            path d="M2 5H26" {}
        }
    }
}

/// A path through `points`; one that stands alone is a line of no length, which is a dot.
fn path(points: impl Iterator<Item = Option<(f64, f64)>>) -> String {
    let mut path = String::new();
    let mut command = 'M';
    let mut alone = None;
    for point in points.chain([None]) {
        if let Some((x, y)) = point {
            // Writing to a string cannot fail.
            let _ = write!(path, "{command}{} {}", pixel(x), pixel(y));
            alone = (command == 'M').then_some(x);
            command = 'L';
        } else {
            if let Some(x) = alone.take() {
                let _ = write!(path, "H{}", pixel(x));
            }
            command = 'M';
        }
    }
    path
}

/// To a tenth.
fn pixel(value: f64) -> String {
    if value.is_finite() {
        format!("{}", (value * 10.0).round() / 10.0)
    } else {
        UNKNOWN.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_gaps_and_single_dots() {
        let points = [
            Some((1.0, 2.0)),
            Some((3.0, 4.25)),
            None,
            Some((5.0, 6.0)),
            None,
            None,
        ];
        assert_eq!(path(points.into_iter()), "M1 2L3 4.3M5 6H5");
        assert_eq!(path(std::iter::empty()), "");
    }

    #[test]
    fn marks_do_not_run_into_each_other() {
        let axis = Axis {
            label: "percentile".into(),
            scale: Scale::nines(100_000_000),
            unit: Unit::Share,
        };
        let frame = Frame { left: 60.0 };
        let columns = frame.columns(&axis);
        let mut end = 0.0;
        for (at, text) in columns {
            let Some(text) = text else { continue };
            let half = LETTER * text.chars().count() as f64 / 2.0;
            assert!(frame.x(at) - half >= end, "{text}");
            end = frame.x(at) + half;
        }
        assert!(end > 300.0);
    }
}
