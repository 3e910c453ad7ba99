//! From a file with pragmas to a file with tiles: what both commands do.

pub mod child;
pub mod compile;
pub mod install;
pub mod invocation;
pub mod write;

mod asking;
mod compiler;
mod dependency;
mod headers;
mod rewrite;
mod workshop;

use crate::diagnostics::{Diagnostic, Severity};
use crate::frontend::clang::{self, ClangError};
use crate::frontend::pragma::{self, Site};
use crate::frontend::preprocess::{Preprocessed, Seen};
use crate::frontend::refusal::Refused;
use crate::frontend::{self, Found};
use crate::model::Region;
use crate::source::{Directive, Source};
use rewrite::Style;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// C text that the back end made of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Functions to stand before the enclosing function.
    pub file_scope: String,
    /// What stands in place of the region; holds the original as fallback.
    pub call: String,
}

/// The back end: a model and the region's own text in; out comes C text, or a reason and a remedy.
pub type Generate<'g> = &'g dyn Fn(&Region, &str) -> Result<Replacement, (String, String)>;

/// The real back end.
pub fn back_end(region: &Region, original: &str) -> Result<Replacement, (String, String)> {
    crate::generate(region, original)
        .map(|g| Replacement { file_scope: g.file_scope, call: g.call })
        .map_err(|e| (e.reason, e.remedy))
}

/// Runs a command on a stack that deeply nested expressions fit into.
pub fn with_room<T: Send + 'static>(command: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(command).map_err(|e| e.to_string())?;
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

/// What reading a file found.
#[derive(Debug, Default)]
pub struct Reading {
    /// Regions that were understood.
    pub found: Vec<Found>,
    /// What there is to say of the others.
    pub diagnostics: Vec<Diagnostic>,
    /// What there is to say of pragmas in included files.
    pub foreign: Vec<(Source, Diagnostic)>,
    /// The pragmas of ours that the compiler sees.
    pub marks: Vec<(usize, usize)>,
    /// Some pragma of ours stands in an included file or comes from a macro.
    pub out_of_reach: bool,
    /// Files that included files include with quotes.
    pub quoted: Vec<(PathBuf, String)>,
}

/// Reads the regions of a file without generating anything.
pub fn read(source: &Source, flags: &[String]) -> Result<Reading, ClangError> {
    let mut reading = Reading::default();
    let mut marks = pragma::marks(source);
    let (Preprocessed { seen, quoted, .. }, headers) = match headers::preprocess(source, flags) {
        // Without clang nobody knows what included files mark; a file that marks nothing itself is left alone.
        Err(_) if marks.is_empty() => return Ok(reading),
        read => read?,
    };
    let flags = headers.flags();
    reading.quoted = quoted;
    // A directive may go over several lines, and clang may name a later one than the first.
    let covers = |directive: &Directive, one: &Seen| {
        one.header.is_none()
            && (source.position(directive.begin).0..=source.position(directive.end).0).contains(&one.line)
    };
    let spans = |marks: &[Directive]| marks.iter().map(|m| (m.begin, m.end)).collect();
    let mut told = BTreeSet::new();
    for one in seen.iter().filter(|s| !marks.iter().any(|m| covers(m, s))) {
        reading.out_of_reach = true;
        if !told.insert((&one.header, one.line)) {
            continue;
        }
        match &one.header {
            Some(header) => reading.foreign.extend(in_header(header, one.line)),
            None => reading.diagnostics.push(refusal(None, &in_macro(source, one.line))),
        }
    }
    // What the preprocessor leaves out is no region, right or wrong.
    marks.retain(|m| seen.iter().any(|s| covers(m, s)));
    reading.marks = spans(&marks);
    if let Some(first) = marks.first()
        && let Some((moved, _)) = source.unclear_line()
    {
        let error = Refused::span(
            first.begin,
            first.end,
            format!("line {} of the file sets line numbers that only the preprocessor knows", source.position(moved).0),
            "write `#line` outside of `#if`, with a number and a name in quotes",
        );
        reading.diagnostics.push(refusal(None, &error));
        return Ok(reading);
    }
    let sites = pragma::sites(source, marks);
    if sites.iter().all(Result::is_err) {
        reading.diagnostics.extend(sites.iter().filter_map(|s| s.as_ref().err()).map(|e| refusal(None, e)));
        return Ok(reading);
    }
    let unit = clang::parse(&source.path, &flags)?;
    let mut taken = BTreeSet::new();
    for site in sites {
        let found = site.map_err(|e| refusal(None, &e)).and_then(|site| {
            let here = seen.iter().find(|s| covers(&site.pragma, s));
            let here = here.ok_or_else(|| refusal(None, &in_macro(source, source.position(site.pragma.begin).0)))?;
            frontend::analyse(&unit, source, &site, here, &mut taken)
                .map_err(|e| refusal(Some(&region_name(&unit, &site, source)), &e))
        });
        match found {
            Ok(found) => reading.found.push(found),
            Err(diagnostic) => reading.diagnostics.push(diagnostic),
        }
    }
    Ok(reading)
}

/// A pragma that the compiler sees in a line of the file that has no directive.
fn in_macro(source: &Source, line: u32) -> Refused {
    let begin = source.line_start_of(line);
    let text = source.line_text(line);
    let begin = begin + (text.len() - text.trim_start().len());
    Refused::span(
        begin,
        begin + text.trim().len(),
        "the pragma comes from a macro or from the operator `_Pragma`",
        "write `#pragma dvm region` (or `#pragma scop` and `#pragma endscop`) on a line of its own",
    )
}

/// A pragma in an included file; nothing when the file cannot be shown.
fn in_header(header: &str, line: u32) -> Option<(Source, Diagnostic)> {
    let source = Source::read(std::path::Path::new(header)).ok()?;
    let begin = source.line_start_of(line);
    let error = Refused::span(
        begin,
        begin + source.line_text(line).len(),
        "the pragma stands in an included file, and only the file that is compiled is transformed",
        "move the function to the C file that is compiled",
    );
    let diagnostic = refusal(None, &error);
    Some((source, diagnostic))
}

/// What a refused region is called: by its pragma, or by its place.
fn region_name(unit: &frontend::ast::Unit, site: &Site, source: &Source) -> String {
    let line = source.position(site.pragma.begin).0;
    let function = unit.function_at(site.begin).map_or("file", |f| f.name.as_str());
    site.options.name.clone().unwrap_or_else(|| format!("{function}:{line}"))
}

/// Transforms a file. A file without regions gives an outcome without regions and without messages.
pub fn transform(source: &Source, flags: &[String], generate: Generate) -> Result<Outcome, ClangError> {
    let Reading { found, mut diagnostics, foreign, marks, out_of_reach, quoted } = read(source, flags)?;
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
            Err((reason, remedy)) => {
                refused += 1;
                let error = Refused::span(region.begin, region.begin, reason, remedy);
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
    Ok(Outcome { regions, refused, diagnostics, foreign, blanked, out_of_reach, quoted })
}

fn refusal(name: Option<&str>, error: &Refused) -> Diagnostic {
    let who = name.map_or_else(|| "region".to_owned(), |n| format!("region '{n}'"));
    Diagnostic {
        severity: Severity::Warning,
        message: format!("{who} stays sequential: {}", error.reason),
        span: Some((error.begin, error.end)),
        remedy: Some(error.remedy.clone()),
    }
}
