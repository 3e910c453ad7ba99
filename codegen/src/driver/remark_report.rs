//! `--dvm-remarks`: what became of each region, as text or as lines of JSON, and how many of a program's regions were tiled.

use super::remark_record::RegionCount;
use super::{IN_OWN_PROCESS, Outcome, output_file};
use crate::diagnostics::{Diagnostic, Severity};
use crate::refusal::Code;
use crate::remarks::PhaseRemark;
use crate::source::Source;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// What became of the regions of a file: a line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRemark {
    /// The file, as an absolute path.
    pub file: String,
    /// Its regions, in the order of the text.
    pub regions: Vec<RegionRemark>,
}

/// What became of a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionRemark {
    /// Its name, or an empty text if it has none.
    pub name: String,
    /// Where the pragma, or what was refused, stands.
    pub line: u32,
    /// The column there.
    pub column: u32,
    /// It runs as tiles.
    pub tiled: bool,
    /// Why not, or why it runs in its own process only: code, reason and remedy of each obstacle.
    pub obstacles: Vec<ObstacleRemark>,
    /// Its phases, if it is tiled.
    pub phases: Vec<PhaseRemark>,
    /// The variables that `reassociate` divides, each with the number of its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reassociated: Vec<(String, u32)>,
}

/// What stands in the way of a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObstacleRemark {
    /// The code, as `DVM032`.
    pub code: String,
    /// The reason.
    pub reason: String,
    /// What the user can do.
    pub remedy: String,
}

impl FileRemark {
    /// What became of the regions of a file.
    pub fn of(source: &Source, outcome: &Outcome) -> FileRemark {
        let file = std::fs::canonicalize(&source.path).unwrap_or_else(|_| source.path.clone()).display().to_string();
        let mut regions: Vec<RegionRemark> = Vec::new();
        for (found, replacement) in &outcome.regions {
            let (line, column) = source.position(found.pragma.0);
            let (name, phases) = (found.region.name.clone(), replacement.phases.clone());
            let divided = found.region.reductions.iter().filter(|reduction| reduction.parts > 1);
            let reassociated = divided.map(|reduction| (reduction.name.clone(), reduction.parts)).collect();
            regions.push(RegionRemark { name, line, column, tiled: true, obstacles: Vec::new(), phases, reassociated });
        }
        for refused in outcome.diagnostics.iter().filter(|d| d.severity != Severity::Note) {
            add_refused(source, refused, &mut regions);
        }
        regions.sort_by_key(|region| (region.line, region.column));
        FileRemark { file, regions }
    }

    /// How many regions the file has.
    pub fn count(&self) -> RegionCount {
        let tiled = self.regions.iter().filter(|region| region.tiled).count();
        RegionCount { regions: self.regions.len(), tiled }
    }

    /// As text for a terminal.
    pub fn text(&self, source: &Source) -> String {
        let mut text = String::new();
        for region in &self.regions {
            let place = format!("{}:{}:{}", source.path.display(), region.line, region.column);
            let name = if region.name.is_empty() { String::new() } else { format!(" '{}'", region.name) };
            if region.tiled {
                let _ =
                    writeln!(text, "{place}: remark: region{name} is tiled: {}", count(region.phases.len(), "phase"));
                for (at, phase) in region.phases.iter().enumerate() {
                    phase_text(at, phase, &mut text);
                }
                for (variable, values) in &region.reassociated {
                    let _ = writeln!(text, "  reassociate: {values} values of `{variable}` are updated in turn");
                }
                if !region.obstacles.is_empty() {
                    text.push_str("  it runs in its own process:\n");
                }
            } else {
                let _ = writeln!(text, "{place}: remark: region{name} is not tiled");
            }
            for one in &region.obstacles {
                let _ = writeln!(text, "  [{}] {}\n    {}", one.code, one.reason, one.remedy);
            }
        }
        text
    }

    /// Adds the file's line to a report; several commands may do so at a time.
    pub fn append(&self, path: &Path) -> Result<(), String> {
        use std::io::Write as _;
        let mut line = serde_json::to_vec(self).map_err(|e| e.to_string())?;
        line.push(b'\n');
        let file = std::fs::File::options().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(&line)).map_err(|e| format!("cannot write `{}`: {e}", path.display()))
    }
}

/// Adds an obstacle to its region, which is the last one if that has the same name.
fn add_refused(source: &Source, refused: &Diagnostic, regions: &mut Vec<RegionRemark>) {
    let mut between = [" stays sequential: ", IN_OWN_PROCESS].into_iter();
    let parts = between.find_map(|between| refused.message.split_once(between));
    let (who, reason) = parts.unwrap_or(("", &refused.message));
    let tiled = refused.message.contains(IN_OWN_PROCESS);
    let name = who.split('\'').nth(1).unwrap_or_default().to_owned();
    let (line, column) = source.position(refused.span.map_or(0, |(begin, _)| begin));
    let obstacle = ObstacleRemark {
        code: refused.code.map(Code::text).unwrap_or_default().to_owned(),
        reason: reason.to_owned(),
        remedy: refused.remedy.clone().unwrap_or_default(),
    };
    let known = regions.iter_mut().find(|region| !name.is_empty() && region.tiled == tiled && region.name == name);
    if let Some(region) = known {
        region.obstacles.push(obstacle);
    } else {
        let obstacles = vec![obstacle];
        regions.push(RegionRemark {
            name,
            line,
            column,
            tiled: false,
            obstacles,
            phases: vec![],
            reassociated: vec![],
        });
    }
}

fn phase_text(at: usize, phase: &PhaseRemark, text: &mut String) {
    let lines = match phase.lines {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first} to {last}"),
    };
    let around = match phase.loops_around {
        0 => String::new(),
        number => format!(", for each iteration of {}", count(number, "loop")),
    };
    if !phase.tiled {
        let _ = writeln!(text, "  phase {} ({lines}{around}): in the thread itself", at + 1);
        return;
    }
    let free: Vec<&str> = phase.tile_loops.iter().filter(|l| !l.carries).map(|l| l.value.as_str()).collect();
    let parallel = match free.as_slice() {
        [] => "tiles along a diagonal run in parallel".to_owned(),
        all if all.len() == phase.tile_loops.len() => "all tiles run in parallel".to_owned(),
        some => format!("tiles that differ in {} run in parallel", some.join(" and in ")),
    };
    let _ = writeln!(text, "  phase {} ({lines}{around}): {parallel}", at + 1);
    for one in &phase.tile_loops {
        let carries = if one.carries { "carries dependences: a tile waits for the one before it" } else { "free" };
        let _ = writeln!(text, "    tile loop {}: {carries}", one.value);
    }
    let sizes: Vec<String> = phase.tile_loops.iter().map(|l| l.size.to_string()).collect();
    let assumed = if phase.tile_loops.iter().all(|l| l.given) { "" } else { " (assumed; the caches decide)" };
    match phase.bytes_per_tile {
        Some(bytes) => {
            let _ = writeln!(text, "    about {bytes} bytes per tile of {}{assumed}", sizes.join(" x "));
        }
        None => text.push_str("    bytes per tile: known only at run time\n"),
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// How many regions these files have and those in a report, of which the last line counts.
pub fn count_with_report(own: &[FileRemark], report: &Path) -> RegionCount {
    let text = std::fs::read_to_string(report).unwrap_or_default();
    let written = text.lines().filter_map(|line| serde_json::from_str::<FileRemark>(line).ok());
    let all: BTreeMap<String, FileRemark> =
        written.chain(own.iter().cloned()).map(|remark| (remark.file.clone(), remark)).collect();
    total(all.values())
}

/// How many regions a linked file has by the records of its objects; where it has none, those of these files.
pub fn count_in_linked(own: &[FileRemark], linked: &Path) -> RegionCount {
    RegionCount::of_file(linked).unwrap_or_else(|| total(own.iter()))
}

fn total<'r>(remarks: impl Iterator<Item = &'r FileRemark>) -> RegionCount {
    remarks.map(FileRemark::count).fold(RegionCount::default(), |sum, one| RegionCount {
        regions: sum.regions + one.regions,
        tiled: sum.tiled + one.tiled,
    })
}

/// Prints how many regions are tiled, if there are any.
pub fn tell_total(all: RegionCount) {
    if all.regions > 0 {
        output_file::tell(&format!("dvmcc: {} of {} tiled\n", all.tiled, count(all.regions, "region")));
    }
}
