//! From a file with pragmas to a file with tiles: what both commands do.

pub mod child;
pub mod compile;
pub mod install;
pub mod invocation;
pub mod write;

mod asking;
mod compiler;
mod dependency;
mod replacement;
mod rewrite;
mod worker;

use crate::Refusal;
use crate::diagnostics::{Diagnostic, Severity};
use crate::frontend::{self, ClangError, Found, Reading, refusal};
use crate::limits;
use crate::source::Source;
use rewrite::Style;
use std::path::{Path, PathBuf};

pub use replacement::{Generate, Replacement, back_end};
pub use worker::ARGUMENT;

/// Runs a command on a stack that deeply nested expressions fit into.
pub fn with_room<T: Send + 'static>(command: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    let thread = std::thread::Builder::new()
        .stack_size((limits::STACK as usize) << 10)
        .spawn(command)
        .map_err(|e| e.to_string())?;
    thread.join().unwrap_or_else(|_| Err("an internal error stopped the command; please report the source".to_owned()))
}

/// What became of a file.
#[derive(Debug)]
pub struct Outcome {
    /// Regions that were transformed, with their replacement.
    pub regions: Vec<(Found, Replacement)>,
    /// Regions that stay sequential.
    pub refused: usize,
    /// What there is to say.
    pub diagnostics: Vec<Diagnostic>,
    /// What there is to say of pragmas in included files.
    pub foreign: Vec<(Source, Diagnostic)>,
    /// Pragmas of ours in the file that stand before no region that was transformed.
    pub blanked: Vec<(usize, usize)>,
    /// Some pragma of ours stands in an included file or comes from a macro.
    pub out_of_reach: bool,
    /// Files that included files include with quotes: the folder of the one that includes, and the name.
    pub quoted: Vec<(PathBuf, String)>,
}

impl Outcome {
    /// The file's new text; `output` is the name that `#line` directives of generated parts give.
    pub fn text(&self, source: &Source, output: &str) -> Vec<u8> {
        if self.regions.is_empty() {
            return source.bytes.clone();
        }
        rewrite::rewrite(source, &self.regions, Style::File(output))
    }

    /// The text that the compiler gets in the file's place: without pragmas of ours, each line one of the source.
    /// Files in quotes are named with `folder`, where that is given.
    pub fn passing(&self, source: &Source, folder: Option<&Path>) -> Vec<u8> {
        rewrite::rewrite(source, &self.regions, Style::Passing { blanked: &self.blanked, folder })
    }

    /// All messages as text.
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

/// Transforms a file. A file without regions gives an outcome without regions and without messages.
pub fn transform(source: &Source, flags: &[String], guarded: &child::Guarded) -> Result<Outcome, ClangError> {
    Ok(assemble(source, guarded.read(source, flags)?, &|region, original| guarded.generate(region, original)))
}

/// The same within this process, whatever it takes.
pub fn transform_unguarded(source: &Source, flags: &[String], generate: Generate) -> Result<Outcome, ClangError> {
    Ok(assemble(source, frontend::read(source, flags)?, generate))
}

fn assemble(source: &Source, reading: Reading, generate: Generate) -> Outcome {
    let Reading { found, mut diagnostics, foreign, marks, out_of_reach, quoted } = reading;
    let foreign: Vec<(Source, Diagnostic)> =
        foreign.into_iter().filter_map(|(path, d)| Some((Source::read(&path).ok()?, d))).collect();
    let mut refused = diagnostics.len() + foreign.len();
    let mut regions = Vec::new();
    for region in found {
        let original = source.text(region.begin, region.end);
        match generate(&region.region, &original) {
            Ok(replacement) => {
                diagnostics.extend(region.notes.iter().map(|(at, text)| Diagnostic {
                    severity: Severity::Note,
                    message: format!("region '{}': {text}", region.region.name),
                    span: Some((*at, *at)),
                    remedy: None,
                }));
                regions.push((region, replacement));
            }
            Err(error) => {
                refused += 1;
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
    let blanked = marks.into_iter().filter(|mark| !kept(mark)).collect();
    Outcome { regions, refused, diagnostics, foreign, blanked, out_of_reach, quoted }
}
