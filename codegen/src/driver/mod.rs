//! From a file with pragmas to a file with tiles: what both commands do.

pub mod compile;
pub mod install;
pub mod invocation;

mod rewrite;
pub mod write;

use crate::diagnostics::{Diagnostic, Severity};
use crate::frontend::clang::{self, ClangError};
use crate::frontend::pragma::{self, Site};
use crate::frontend::refusal::Refused;
use crate::frontend::{self, Found};
use crate::model::Region;
use crate::source::Source;
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
        self.diagnostics.iter().map(|d| d.render(source)).collect()
    }
}

/// Reads the regions of a file without generating anything.
pub fn read(source: &Source, flags: &[String]) -> Result<(Vec<Found>, Vec<Diagnostic>), ClangError> {
    let mut diagnostics = Vec::new();
    let mut regions = Vec::new();
    let sites = pragma::sites(source);
    if sites.iter().all(Result::is_err) {
        diagnostics.extend(sites.iter().filter_map(|s| s.as_ref().err()).map(|e| refusal(None, e)));
        return Ok((regions, diagnostics));
    }
    let unit = clang::parse(&source.path, flags)?;
    let mut taken = BTreeSet::new();
    for site in sites {
        let found = site.map_err(|e| refusal(None, &e)).and_then(|site| {
            frontend::analyse(&unit, source, &site, &mut taken)
                .map_err(|e| refusal(Some(&region_name(&unit, &site, source)), &e))
        });
        match found {
            Ok(Some(found)) => regions.push(found),
            Ok(None) => {}
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    Ok((regions, diagnostics))
}

/// What a refused region is called: by its pragma, or by its place.
fn region_name(unit: &frontend::ast::Unit, site: &Site, source: &Source) -> String {
    let line = source.position(site.pragma.begin).0;
    let function = unit.function_at(site.begin).map_or("file", |f| f.name.as_str());
    site.options.name.clone().unwrap_or_else(|| format!("{function}:{line}"))
}

/// Transforms a file. A file without regions gives an outcome without regions and without messages.
pub fn transform(source: &Source, flags: &[String], generate: Generate) -> Result<Outcome, ClangError> {
    let (found, mut diagnostics) = read(source, flags)?;
    let mut refused = diagnostics.len();
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
    Ok(Outcome { regions, refused, diagnostics })
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

/// Turns refusals into errors, for the strict mode.
pub fn harden(diagnostics: &mut [Diagnostic]) {
    diagnostics.iter_mut().filter(|d| d.severity == Severity::Warning).for_each(|d| d.severity = Severity::Error);
}
