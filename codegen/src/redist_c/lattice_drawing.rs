//! `redist draw`: lattices of both sides along t, memories in colour, unused copies hatched, transfers as arrows.

use super::case_files::{Failure, cases, write};
use super::plan::Rule;
use clap::Args;
use dvm_redist::plan::choice::Component;
use dvm_redist::{Case, Error, Options, Plan};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

/// The arguments of `redist draw`.
#[derive(Debug, Args)]
pub struct DrawArgs {
    /// The cases (JSON, schema redist-vectors/1)
    file: PathBuf,
    /// The case to draw
    #[arg(long, value_name = "ID")]
    case: String,
    /// The array dimension to draw, counted from 1
    #[arg(long, default_value_t = 1)]
    dimension: usize,
    /// The file for the SVG; standard output unless given
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Which copy serves an element that the source holds several times
    #[arg(long, value_enum, default_value_t = Rule::Exact)]
    strategy: Rule,
    /// Spread the sending over the copies
    #[arg(long)]
    balance: bool,
}

/// Draws one dimension of one case.
pub fn run(arguments: &DrawArgs) -> Result<(), Failure> {
    let options = Options { strategy: arguments.strategy.into(), balance: arguments.balance };
    for case in cases(&arguments.file, Some(&arguments.case))? {
        let drawn = draw(&case, options, arguments.dimension)
            .map_err(|e| Failure::Case(arguments.file.clone(), e.within(&format!("case '{}'", case.id))))?;
        write(arguments.out.as_deref(), &drawn)?;
    }
    Ok(())
}

/// Maximum number of locations in a drawing.
const MOST_CELLS: i128 = 6000;
const CELL: i64 = 18; // pixels per location
const LEFT: i64 = 150; // width of the row labels, in pixels

/// A location in the drawing.
struct Cell {
    /// Its element.
    t: i64,
    /// Its row: a memory, and an index among the copies of the same element in that memory.
    row: usize,
    coordinates: Vec<i64>,
    memory: usize,
}

/// The locations of one side in the drawing.
struct Lattice {
    cells: Vec<Cell>,
    /// The label of each row, and its memory.
    rows: Vec<(String, usize)>,
    /// Cells by memory and code.
    index: BTreeMap<(u32, i64), usize>,
}

/// The SVG of one dimension of a case.
pub fn draw(case: &Case, options: Options, dimension: usize) -> dvm_redist::Result<String> {
    let plan = Plan::new(case, options)?;
    let place = "dimension";
    let Some(k) = plan.tables.iter().position(|c| c.dimensions == [dimension.wrapping_sub(1)]) else {
        let what = format!("dimension {dimension} is not there, or its bounds use other dimensions");
        return Err(Error::new(place, what, "name a dimension that stands alone"));
    };
    let component = &plan.tables[k];
    let cells = component.source_locations + component.owners.totals.target_locations;
    if cells > MOST_CELLS {
        let what = format!("{cells} locations do not fit a drawing of {MOST_CELLS}");
        return Err(Error::new(place, what, "draw a smaller case"));
    }
    let source = lattice(component, true);
    let target = lattice(component, false);
    let arrows = arrows(&plan, k, &source, &target);
    Ok(Picture { case, component, source, target, arrows }.svg())
}

fn lattice(component: &Component, is_source: bool) -> Lattice {
    let side = if is_source { &component.source } else { &component.target };
    let mut found = Lattice { cells: Vec::new(), rows: Vec::new(), index: BTreeMap::new() };
    let mut order: Vec<usize> = (0..side.locations.len()).collect();
    order.sort_by_key(|&i| side.locations[i].memory);
    let mut used: BTreeMap<(u32, i64), usize> = BTreeMap::new();
    let mut rows: BTreeMap<(u32, usize), Vec<usize>> = BTreeMap::new();
    for i in order {
        let l = &side.locations[i];
        let copy = used.entry((l.memory, l.element)).or_insert(0);
        rows.entry((l.memory, *copy)).or_default().push(found.cells.len());
        *copy += 1;
        found.index.insert((l.memory, l.code), found.cells.len());
        let t = component.elements.decode(l.element)[0];
        found.cells.push(Cell { t, row: 0, coordinates: side.coordinates(l), memory: l.memory as usize });
    }
    for (row, ((memory, copy), cells)) in rows.into_iter().enumerate() {
        let names = side.arch.iter().map(|&i| side.domain.names[i].as_str());
        let values = names.zip(&side.memories[memory as usize]).map(|(n, v)| format!("{n}={v}"));
        let label = values.collect::<Vec<_>>().join(" ");
        let label = if copy > 0 {
            String::new()
        } else if label.is_empty() {
            "the memory".to_owned()
        } else {
            label
        };
        found.rows.push((label, memory as usize));
        for c in cells {
            found.cells[c].row = row;
        }
    }
    found
}

/// Pairs of cells for every moved element; the flag marks the start of a strided copy.
fn arrows(plan: &Plan, k: usize, source: &Lattice, target: &Lattice) -> Vec<(usize, usize, bool)> {
    let mut found: BTreeMap<usize, (usize, bool)> = BTreeMap::new();
    for copy in plan.blocks.iter().flat_map(|b| &b[k]) {
        let mut places = vec![(copy.part.source, copy.part.target)];
        for l in &copy.part.levels {
            let steps = |&(s, t): &(i64, i64)| (0..l.count).map(move |i| (s + i * l.source, t + i * l.target));
            places = places.iter().flat_map(steps).collect();
        }
        for (n, (s, t)) in places.into_iter().enumerate() {
            if let (Some(&s), Some(&t)) = (source.index.get(&(copy.source, s)), target.index.get(&(copy.target, t))) {
                found.entry(t).or_insert((s, n == 0));
            }
        }
    }
    found.into_iter().map(|(t, (s, first))| (s, t, first)).collect()
}

struct Picture<'a> {
    case: &'a Case,
    component: &'a Component,
    source: Lattice,
    target: Lattice,
    arrows: Vec<(usize, usize, bool)>,
}

impl Picture<'_> {
    fn svg(&self) -> String {
        let all = || self.source.cells.iter().chain(&self.target.cells).map(|c| c.t);
        let (low, high) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
        let width = LEFT + (high - low + 2) * CELL;
        let source_top = 70;
        let target_top = source_top + self.source.rows.len() as i64 * CELL + 4 * CELL;
        let plane_top = target_top + self.target.rows.len() as i64 * CELL + 4 * CELL;
        let (planes, plane_size) = self.planes(plane_top);
        let (width, height) = (width.max(plane_size.0).max(520), plane_top + plane_size.1);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
             <defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">\
             <path d=\"M0 5L5 0\" stroke=\"#000\" stroke-width=\"0.7\"/></pattern>\
             <marker id=\"head\" viewBox=\"0 0 6 6\" refX=\"5\" refY=\"3\" markerWidth=\"5\" markerHeight=\"5\" \
             orient=\"auto\"><path d=\"M0 0L6 3L0 6z\" fill=\"#333\"/></marker></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        let title = format!("{}: dimension {}", self.case.id, self.component.dimensions[0] + 1);
        let _ = writeln!(out, "<text x=\"10\" y=\"20\" font-size=\"14\">{}</text>", escape(&title));
        let _ = writeln!(
            out,
            "<text x=\"10\" y=\"38\">Colours: source memories. Hatched: copies that do not serve. Crossed: wanted, \
             but nowhere in the source. Bold arrows begin a strided copy.</text>"
        );
        let x = |t: i64| LEFT + (t - low) * CELL;
        let serving: BTreeSet<usize> = self.arrows.iter().map(|a| a.0).collect();
        axis(&mut out, low, high, source_top - 6);
        rows(&mut out, "source", &self.source, source_top);
        for (i, c) in self.source.cells.iter().enumerate() {
            let y = source_top + c.row as i64 * CELL;
            cell(&mut out, x(c.t), y, &colour(c.memory, self.memories()), !serving.contains(&i), &tooltip(c));
        }
        rows(&mut out, "target", &self.target, target_top);
        let owner: BTreeMap<usize, usize> = self.arrows.iter().map(|a| (a.1, a.0)).collect();
        for (i, c) in self.target.cells.iter().enumerate() {
            let y = target_top + c.row as i64 * CELL;
            if let Some(&s) = owner.get(&i) {
                let fill = colour(self.source.cells[s].memory, self.memories());
                cell(&mut out, x(c.t), y, &fill, false, &tooltip(c));
            } else {
                cell(&mut out, x(c.t), y, "#fff", false, &tooltip(c));
                let (a, b) = (x(c.t) + 3, x(c.t) + CELL - 5);
                let (top, end) = (y + 3, y + CELL - 5);
                let _ = writeln!(out, "<path d=\"M{a} {top}L{b} {end}M{b} {top}L{a} {end}\" stroke=\"#c00\"/>");
            }
        }
        for &(s, t, first) in &self.arrows {
            let (from, to) = (&self.source.cells[s], &self.target.cells[t]);
            let (x1, y1) = (x(from.t) + CELL / 2, source_top + (from.row as i64 + 1) * CELL - 4);
            let (x2, y2) = (x(to.t) + CELL / 2, target_top + to.row as i64 * CELL);
            let (thick, opacity) = if first { (1.4, 0.9) } else { (0.5, 0.35) };
            let _ = writeln!(
                out,
                "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"#333\" stroke-width=\"{thick}\" \
                 stroke-opacity=\"{opacity}\" marker-end=\"url(#head)\"/>"
            );
        }
        out.push_str(&planes);
        out.push_str("</svg>\n");
        out
    }

    fn memories(&self) -> usize {
        self.component.source.memories.len()
    }

    /// The source over its own variables: the first two span a plane, the others number the planes.
    fn planes(&self, top: i64) -> (String, (i64, i64)) {
        let domain = &self.component.source.domain;
        let mut out = String::new();
        if domain.len() < 2 || self.source.cells.is_empty() {
            return (out, (0, 20));
        }
        let serving: BTreeSet<usize> = self.arrows.iter().map(|a| a.0).collect();
        let ((x0, x1), (y0, y1)) = (domain.bounding[0], domain.bounding[1]);
        let (size, gap) = (CELL + 8, 30);
        let mut at: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
        for (i, c) in self.source.cells.iter().enumerate() {
            at.entry(c.coordinates[2..].to_vec()).or_default().push(i);
        }
        let mut left = 40;
        for (rest, cells) in at {
            let values = domain.names[2..].iter().zip(&rest).map(|(n, v)| format!("{n}={v}"));
            let title =
                format!("{} right, {} up {}", domain.names[0], domain.names[1], values.collect::<Vec<_>>().join(" "));
            let _ = writeln!(out, "<text x=\"{left}\" y=\"{}\">{}</text>", top - 8, escape(&title));
            for i in cells {
                let c = &self.source.cells[i];
                let (x, y) = (left + (c.coordinates[0] - x0) * size, top + (y1 - c.coordinates[1]) * CELL);
                let fill = colour(c.memory, self.memories());
                let hatched = !serving.contains(&i);
                sized(&mut out, (x, y), (size - 2, CELL - 2), &fill, hatched, &tooltip(c));
                let middle = x + size / 2 - 1;
                let _ =
                    writeln!(out, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>", y + CELL - 6, c.t);
            }
            left += (x1 - x0 + 1) * size + gap;
        }
        (out, (left, (y1 - y0 + 1) * CELL + 40))
    }
}

fn axis(out: &mut String, low: i64, high: i64, y: i64) {
    let step = ((high - low) / 40 + 1).max(1);
    for t in (low..=high).filter(|t| (t - low) % step == 0) {
        let x = LEFT + (t - low) * CELL + CELL / 2;
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" fill=\"#555\">{t}</text>");
    }
}

fn rows(out: &mut String, side: &str, lattice: &Lattice, top: i64) {
    let _ = writeln!(out, "<text x=\"10\" y=\"{}\" font-weight=\"bold\">{side}</text>", top - 6);
    for (k, (label, _)) in lattice.rows.iter().enumerate() {
        let y = top + k as i64 * CELL + CELL - 6;
        let _ = writeln!(out, "<text x=\"20\" y=\"{y}\">{}</text>", escape(label));
    }
}

fn tooltip(c: &Cell) -> String {
    let place: Vec<String> = c.coordinates.iter().map(i64::to_string).collect();
    format!("t = {} at ({})", c.t, place.join(", "))
}

fn cell(out: &mut String, x: i64, y: i64, fill: &str, hatched: bool, title: &str) {
    sized(out, (x, y), (CELL - 2, CELL - 2), fill, hatched, title);
}

fn sized(out: &mut String, (x, y): (i64, i64), (w, h): (i64, i64), fill: &str, hatched: bool, title: &str) {
    let place = format!("x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"");
    let _ = writeln!(out, "<rect {place} fill=\"{fill}\" stroke=\"#555\"><title>{title}</title></rect>");
    if hatched {
        let _ = writeln!(out, "<rect {place} class=\"copy\" fill=\"url(#hatch)\"/>");
    }
}

/// A hue per memory, spread evenly.
fn colour(memory: usize, memories: usize) -> String {
    let hue = memory * 360 / memories.max(1);
    let light = if memory.is_multiple_of(2) { 78 } else { 68 };
    format!("hsl({hue},70%,{light}%)")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
