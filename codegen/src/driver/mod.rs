//! From a file with pragmas to a file with tiles: what both commands do.

pub mod compile;
pub mod install;
pub mod invocation;

mod rewrite;
pub mod write;

use crate::diagnostics::{Diagnostic, Severity};
use crate::frontend::clang::{self, ClangError};
use crate::frontend::pragma::{self, Site};
use crate::frontend::preprocess::Seen;
use crate::frontend::refusal::Refused;
use crate::frontend::{self, Found, preprocess};
use crate::model::Region;
use crate::source::{Directive, Source};
use std::collections::BTreeSet;

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
}

impl Outcome {
    /// The file's new text; `output` is the name that `#line` directives of generated parts give.
    pub fn text(&self, source: &Source, output: &str) -> Vec<u8> {
        if self.regions.is_empty() {
            return source.bytes.clone();
        }
        rewrite::rewrite(source, &self.regions, output)
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
}

/// Reads the regions of a file without generating anything.
pub fn read(source: &Source, flags: &[String]) -> Result<Reading, ClangError> {
    let mut reading = Reading::default();
    let mut marks = pragma::marks(source);
    let seen = match preprocess::run(&source.path, flags) {
        // Without clang nobody knows what included files mark; a file that marks nothing itself is left alone.
        Err(_) if marks.is_empty() => return Ok(reading),
        seen => seen?,
    };
    // A directive may go over several lines, and clang may name a later one than the first.
    let covers = |directive: &Directive, one: &Seen| {
        one.header.is_none()
            && (source.position(directive.begin).0..=source.position(directive.end).0).contains(&one.line)
    };
    if let Some(first) = marks.first()
        && let Some(moved) = line_directive(source)
    {
        let error = Refused::span(
            first.begin,
            first.end,
            format!("line {} of the file sets other line numbers", source.position(moved.begin).0),
            "remove the `#line` directives, or give dvmcc the file that they were made from",
        );
        reading.diagnostics.push(refusal(None, &error));
        return Ok(reading);
    }
    for one in seen.iter().filter(|s| !marks.iter().any(|m| covers(m, s))) {
        match &one.header {
            Some(header) => reading.foreign.extend(in_header(header, one.line)),
            None => reading.diagnostics.push(refusal(None, &in_macro(source, one.line))),
        }
    }
    // What the preprocessor leaves out is no region, right or wrong.
    marks.retain(|m| seen.iter().any(|s| covers(m, s)));
    let sites = pragma::sites(source, marks);
    if sites.iter().all(Result::is_err) {
        reading.diagnostics.extend(sites.iter().filter_map(|s| s.as_ref().err()).map(|e| refusal(None, e)));
        return Ok(reading);
    }
    let unit = clang::parse(&source.path, flags)?;
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

/// The first directive that gives lines other numbers.
fn line_directive(source: &Source) -> Option<Directive> {
    let all = source.directives(0, source.bytes.len());
    all.into_iter().find(|d| d.name() == "line" || d.name().starts_with(|c: char| c.is_ascii_digit()))
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
    let Reading { found, mut diagnostics, foreign } = read(source, flags)?;
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
    Ok(Outcome { regions, refused, diagnostics, foreign })
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
