//! Transforms a file with pragmas into a file with tiles; both programs use this.

pub mod advice;
pub mod dvmcc;
pub mod installation;
pub mod invocation;
pub mod limited_process;
pub mod nest_report;
pub mod non_utf8_words;
pub mod output_file;

mod child_process;
pub mod compiler;
mod compiler_query;
pub mod compiler_text;
mod composition;
mod dependency_files;
mod long_options;
pub mod remark_record;
mod remark_report;
mod replacement;
mod trial;

use crate::Refusal;
use crate::diagnostics::{Diagnostic, Severity};
use crate::frontend::{self, ClangError, Found, Reading, RegionLoop, refusal};
use crate::limits;
use crate::model::{AccessKind, Region};
use crate::source::Source;
use composition::{Changes, Style};
use std::path::{Path, PathBuf};

pub use child_process::ARGUMENT;
pub use replacement::{Generate, Replacement, back_end};

/// Runs a command on a stack large enough for deeply nested expressions.
pub fn with_room<T: Send + 'static>(command: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    let thread = std::thread::Builder::new()
        .stack_size((limits::STACK as usize) << 10)
        .spawn(command)
        .map_err(|e| e.to_string())?;
    thread.join().unwrap_or_else(|_| Err("an internal error stopped the command; please report the source".to_owned()))
}

/// What a message says between the name of a region that cannot run on several processes and the reason.
const IN_OWN_PROCESS: &str = " runs in its own process: ";

/// The outcome for a file.
#[derive(Debug)]
pub struct Outcome {
    /// Transformed regions, with their replacements.
    pub regions: Vec<(Found, Replacement)>,
    /// Number of regions that stay sequential.
    pub refused: usize,
    /// Number of regions that run in their own process, though their pragmas ask for several.
    pub in_own_process: usize,
    /// Diagnostics about the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics about pragmas in included files.
    pub foreign: Vec<(Source, Diagnostic)>,
    /// The pragma of a refused region with the clause `across`, if no other region of the file has it: the processes are one
    /// program all the same.
    pub refused_across: Option<(usize, usize)>,
    /// Byte ranges of the file's region pragmas that do not belong to a transformed region.
    pub blanked: Vec<(usize, usize)>,
    /// A region pragma is in an included file or comes from a macro.
    pub out_of_reach: bool,
    /// Quoted includes inside included files: the folder of the including file, and the name.
    pub quoted: Vec<(PathBuf, String)>,
    /// Byte ranges that the compiler skips and that stand between parts of a region.
    pub skipped: Vec<(usize, usize)>,
    /// Loops in which nothing but regions that run on several processes uses their arrays.
    pub loops: Vec<RegionLoop>,
}

/// Whether what is computed before the tiles names a variable.
fn is_read_at_entry(region: &Region, name: &str) -> bool {
    let before = format!("{:?} {:?} {:?} {:?}", region.entry, region.kept, region.conditions, region.parameters);
    before.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}

impl Outcome {
    /// Whether iterations of a transformed region share a variable of the function: it stands in the model.
    pub fn shares(&self, name: &str) -> bool {
        let mut all = self.regions.iter().map(|(found, _)| &found.region);
        all.any(|region| {
            region.arrays.iter().any(|array| array.name == name)
                || region.values.iter().any(|value| value.name == name)
                || is_read_at_entry(region, name)
        })
    }

    /// Whether a transformed region may write an array.
    pub fn writes(&self, name: &str) -> bool {
        let statements = self.regions.iter().flat_map(|(found, _)| &found.region.statements);
        let mut accesses = statements.flat_map(|statement| &statement.accesses);
        accesses.any(|access| access.array == name && access.kind != AccessKind::Read)
    }

    fn changes(&self) -> Changes<'_> {
        Changes { regions: &self.regions, refused_across: self.refused_across, loops: &self.loops }
    }

    /// The file's new text; `output` is the file name for `#line` directives of generated parts.
    pub fn text(&self, source: &Source, output: &str) -> Vec<u8> {
        if self.regions.is_empty() && self.refused_across.is_none() {
            return source.bytes.clone();
        }
        let source = &source.without(&self.skipped);
        composition::rewrite(source, &self.changes(), Style::File(output))
    }

    /// The text for the compiler: without region pragmas, and each line counts as a line of the source. Quoted includes
    /// are named with `folder`, if given.
    pub fn passing(&self, source: &Source, folder: Option<&Path>) -> Vec<u8> {
        let style = Style::Passing { blanked: &self.blanked, folder };
        composition::rewrite(&source.without(&self.skipped), &self.changes(), style)
    }

    /// All diagnostics as text.
    pub fn messages(&self, source: &Source) -> String {
        let own = self.diagnostics.iter().map(|d| d.render(source));
        own.chain(self.foreign.iter().map(|(header, d)| d.render(header))).collect()
    }

    /// Turns refusals into errors, for the strict mode.
    pub fn harden(&mut self) {
        let all = self.diagnostics.iter_mut().chain(self.foreign.iter_mut().map(|(_, d)| d));
        all.filter(|d| d.severity == Severity::Warning).for_each(|d| d.severity = Severity::Error);
    }
}

/// Transforms a file. Without regions, the outcome has no regions and no messages.
pub fn transform(source: &Source, flags: &[String], guarded: &limited_process::Guarded) -> Result<Outcome, ClangError> {
    Ok(assemble(source, guarded.read(source, flags)?, &|region, original| guarded.generate(region, original)))
}

/// The same, in this process and without limits.
pub fn transform_unguarded(source: &Source, flags: &[String], generate: Generate) -> Result<Outcome, ClangError> {
    Ok(assemble(source, frontend::read(source, flags)?, generate))
}

fn assemble(source: &Source, reading: Reading, generate: Generate) -> Outcome {
    let Reading { found, mut diagnostics, foreign, marks, across, out_of_reach, quoted, skipped, mut loops } = reading;
    let source = &source.without(&skipped);
    let foreign: Vec<(Source, Diagnostic)> =
        foreign.into_iter().filter_map(|(path, d)| Some((Source::read(&path).ok()?, d))).collect();
    let mut refused = diagnostics.len() + foreign.len();
    let mut regions = Vec::new();
    for region in found {
        let original = source.text(region.begin, region.end);
        match generate(&region.region, &original) {
            Ok(replacement) => {
                if replacement.in_own_process.is_some() {
                    loops.retain(|around| !around.runs(&region));
                }
                diagnostics.extend(region.notes.iter().map(|(at, text)| Diagnostic {
                    severity: Severity::Note,
                    message: format!("region '{}': {text}", region.region.name),
                    code: None,
                    span: Some((*at, *at)),
                    remedy: None,
                }));
                diagnostics.extend(replacement.in_own_process.as_ref().map(|refusal| Diagnostic {
                    severity: Severity::Warning,
                    message: format!("region '{}'{IN_OWN_PROCESS}{}", region.region.name, refusal.reason),
                    code: Some(refusal.code),
                    span: refusal.span.or(Some((region.begin, region.begin))),
                    remedy: Some(refusal.remedy.clone()),
                }));
                regions.push((region, replacement));
            }
            Err(error) => {
                refused += 1;
                loops.retain(|around| !around.runs(&region));
                let error = Refusal { span: error.span.or(Some((region.begin, region.begin))), ..error };
                diagnostics.push(refusal(Some(&region.region.name), &error));
            }
        }
    }
    diagnostics.sort_by_key(|d| d.span.map_or(0, |s| s.0));
    let kept = |mark: &(usize, usize)| {
        let mut all = regions.iter().map(|(found, _)| found);
        all.any(|found| found.pragma == *mark || found.endscop == Some(*mark))
    };
    let refused_across = across.first().filter(|_| !across.iter().any(kept)).copied();
    let blanked = marks.into_iter().filter(|mark| !kept(mark)).collect();
    let in_own_process = regions.iter().filter(|(_, replacement)| replacement.in_own_process.is_some()).count();
    Outcome {
        regions,
        refused,
        in_own_process,
        diagnostics,
        foreign,
        refused_across,
        blanked,
        out_of_reach,
        quoted,
        skipped,
        loops,
    }
}
