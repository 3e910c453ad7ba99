//! Entry point of the front end: reads a file and returns its regions as models, and diagnostics.

use super::clang::ast::Unit;
use super::clang::process::{self, ClangError};
use super::clang::target;
use super::compiler_view;
use super::region::region_reader::{self, Found};
use super::region_loops::{self, RegionLoop};
use super::text::pragma::{self, Site};
use super::text::preprocess::{self, Seen};
use super::text::torn_conditionals;
use crate::Refusal;
use crate::diagnostics::{Diagnostic, Severity};
use crate::limits;
use crate::refusal::Code;
use crate::source::{Directive, Source};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The remedy for a file that is too large.
pub const SMALLER: &str = "include fewer headers, or move the functions with regions to files of their own";

/// The largest number of regions to name singly in a file that is not read.
const MAX_NAMED_REGIONS: usize = 100;

/// The result of reading a file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Reading {
    /// Regions with a model.
    pub found: Vec<Found>,
    /// Diagnostics about the other regions.
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics about pragmas in included files, each with its file.
    pub foreign: Vec<(PathBuf, Diagnostic)>,
    /// The region pragmas that the compiler sees.
    pub marks: Vec<(usize, usize)>,
    /// Those with the clause `across`.
    pub across: Vec<(usize, usize)>,
    /// A region pragma is in an included file or comes from a macro.
    pub out_of_reach: bool,
    /// Files that included files include with quotes.
    pub quoted: Vec<(PathBuf, String)>,
    /// Branches that the compiler skips and directives around them, which are no part of the text that the regions are
    /// about.
    pub skipped: Vec<(usize, usize)>,
    /// Loops in which nothing but regions uses their arrays.
    pub loops: Vec<RegionLoop>,
}

impl Reading {
    /// The result for a file that was not read to the end: which pragmas the compiler sees is unknown.
    pub fn ended(source: &Source, code: Code, reason: &str, remedy: &str) -> Reading {
        let mut marks = pragma::marks(source);
        marks.retain(|mark| !pragma::ends_scop(mark));
        let (count, out_of_reach) = (marks.len(), !marks.is_empty());
        let one = |(k, mark): (usize, &Directive)| {
            let others = if k == MAX_NAMED_REGIONS {
                format!(" (and so do {} more after it)", count - k - 1)
            } else {
                String::new()
            };
            refusal(None, &Refusal::span(code, mark.begin, mark.end, format!("{reason}{others}"), remedy))
        };
        let diagnostics = marks.iter().take(MAX_NAMED_REGIONS + 1).enumerate().map(one).collect();
        Reading { diagnostics, out_of_reach, ..Reading::default() }
    }
}

/// Reads a file's regions in this process, without generating code. Refuses a file beyond the limits.
pub fn read(source: &Source, flags: &[String]) -> Result<Reading, ClangError> {
    match read_within(source, flags) {
        Err(ClangError::Beyond(reason)) => Ok(Reading::ended(source, Code::TooLarge, &reason, SMALLER)),
        read => read,
    }
}

/// The option of both programs by which regions without the clause `across` run on all processes where that pays.
pub const ACROSS: &str = "--across";

/// The beginning of the option that names a file with the compiler's own preprocessed text (`-E -dD -dI`).
pub const COMPILER_TEXT: &str = "--compiler-text=";

fn read_within(source: &Source, flags: &[String]) -> Result<Reading, ClangError> {
    let (own, flags): (Vec<String>, Vec<String>) = flags.iter().cloned().partition(|flag| flag == ACROSS);
    let (texts, flags): (Vec<String>, Vec<String>) =
        flags.into_iter().partition(|flag| flag.starts_with(COMPILER_TEXT));
    let mut reading = Reading::default();
    let mut marks = pragma::marks(source);
    if marks.len() > limits::REGIONS {
        let reason = format!("the file has {} pragmas, more than {}", marks.len(), limits::REGIONS);
        return Ok(Reading::ended(source, Code::TooLarge, &reason, "divide the file into several"));
    }
    let text = texts.first().and_then(|option| option.strip_prefix(COMPILER_TEXT)).map(Path::new);
    let view = match compiler_view::preprocess(source, &flags, text) {
        // Without clang, marks in included files are unknown; a file without marks of its own is left alone.
        Err(_) if marks.is_empty() => return Ok(reading),
        view => view?,
    };
    let (seen, flags) = (view.file.seen, view.headers.flags());
    reading.quoted = view.file.quoted;
    // A directive may extend over several lines, and clang may report a later line than its first.
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
    // A pragma that the preprocessor skips is not a region, right or wrong.
    marks.retain(|m| seen.iter().any(|s| covers(m, s)));
    reading.marks = spans(&marks);
    let asking = pragma::sites(source, marks.clone()).into_iter().flatten().filter(|site| site.options.model.across);
    reading.across = asking.map(|site| (site.pragma.begin, site.pragma.end)).collect();
    if let Some(first) = marks.first()
        && let Some((moved, _)) = source.unclear_line()
    {
        let error = Refusal::span(
            Code::LineNumbers,
            first.begin,
            first.end,
            format!("line {} of the file sets line numbers that only the preprocessor knows", source.position(moved).0),
            "write `#line` outside of `#if`, with a number and a name in quotes",
        );
        reading.diagnostics.push(refusal(None, &error));
        return Ok(reading);
    }
    if let (Some(first), Some(one)) = (marks.first(), seen.first())
        && let Some(why) = target::difference(&flags, &one.macros)
    {
        let error = Refusal::span(Code::ForeignTarget, first.begin, first.end, why, target::REMEDY);
        reading.diagnostics.push(refusal(None, &error));
        return Ok(reading);
    }
    if let (Some(first), Some(difference)) = (marks.first(), &view.difference) {
        let error = compiler_view::refusal(first, source, difference);
        reading.diagnostics.push(refusal(None, &error));
        return Ok(reading);
    }
    reading.skipped = skipped(source, &marks, &flags);
    let source = &source.without(&reading.skipped);
    let mut sites = pragma::sites(source, marks);
    for options in sites.iter_mut().flatten().map(|site| &mut site.options) {
        options.model.offered = !own.is_empty() && !options.model.across && !options.never_across;
    }
    if sites.iter().all(Result::is_err) {
        reading.diagnostics.extend(sites.iter().filter_map(|s| s.as_ref().err()).map(|e| refusal(None, e)));
        return Ok(reading);
    }
    let mut unit = process::parse(&source.path, &flags)?;
    unit.of_system = view.file.of_system;
    let mut taken = BTreeSet::new();
    let size =
        unit.nodes() + seen.first().map_or(0, |one| one.macros.len() + (one.whole.text.len() + source.bytes.len()) / 8);
    for (before, site) in sites.into_iter().enumerate() {
        if (before + 1) * size > limits::VISITS {
            let error = site.map_or_else(|e| e, |site| too_much(&site, before, size));
            reading.diagnostics.push(refusal(None, &error));
            continue;
        }
        let told_before = reading.diagnostics.len();
        let found = site.map_err(|e| refusal(None, &e)).and_then(|site| {
            let here = seen.iter().find(|s| covers(&site.pragma, s));
            let here = here.ok_or_else(|| refusal(None, &in_macro(source, source.position(site.pragma.begin).0)))?;
            region_reader::analyse(&unit, source, &site, here, &mut taken).map_err(|e| {
                let name = region_name(&unit, &site, source);
                reading.diagnostics.extend(e.others.iter().map(|other| refusal(Some(&name), other)));
                refusal(Some(&name), &e)
            })
        });
        match found {
            Ok(found) => reading.found.push(found),
            Err(diagnostic) => {
                // The first obstacle comes before the others.
                let others = reading.diagnostics.split_off(told_before);
                reading.diagnostics.push(diagnostic);
                reading.diagnostics.extend(others);
            }
        }
    }
    reading.loops = region_loops::region_loops(&unit, source, &reading.found);
    for found in &mut reading.found {
        found.region.options.in_loop = reading.loops.iter().any(|around| around.runs(found));
    }
    Ok(reading)
}

/// The ranges to leave out of conditionals that hold parts of marked loops.
fn skipped(source: &Source, marks: &[Directive], flags: &[String]) -> Vec<(usize, usize)> {
    let original = OnceCell::new();
    torn_conditionals::skipped(source, marks, &|text| {
        let original = original.get_or_init(|| preprocess::from_input(source, flags).ok());
        original.is_some() && *original == preprocess::from_input(text, flags).ok()
    })
}

/// The refusal of a region that comes after others in a file whose regions take too many visits.
fn too_much(site: &Site, before: usize, size: usize) -> Refusal {
    let reason = format!(
        "the file with its headers is too large for more than {before} regions ({size} nodes, macros and words)"
    );
    Refusal::span(Code::TooLarge, site.pragma.begin, site.pragma.end, reason, SMALLER)
}

/// The diagnostic for a pragma that the compiler sees in a line without a directive.
fn in_macro(source: &Source, line: u32) -> Refusal {
    let begin = source.line_start_of(line);
    let text = source.line_text(line);
    let begin = begin + (text.len() - text.trim_start().len());
    Refusal::span(
        Code::HiddenPragma,
        begin,
        begin + text.trim().len(),
        "the pragma comes from a macro or from the operator `_Pragma`",
        "write `#pragma dvm region` (or `#pragma scop` and `#pragma endscop`) on a line of its own",
    )
}

/// The diagnostic for a pragma in an included file; `None` if that file cannot be read.
fn in_header(header: &str, line: u32) -> Option<(PathBuf, Diagnostic)> {
    let source = Source::read(Path::new(header)).ok()?;
    let begin = source.line_start_of(line);
    let error = Refusal::span(
        Code::IncludedPragma,
        begin,
        begin + source.line_text(line).len(),
        "the pragma stands in an included file, and only the file that is compiled is transformed",
        "move the function to the C file that is compiled",
    );
    let diagnostic = refusal(None, &error);
    Some((source.path, diagnostic))
}

/// The name of a refused region: from its pragma, else its place.
fn region_name(unit: &Unit, site: &Site, source: &Source) -> String {
    let line = source.position(site.pragma.begin).0;
    let function = unit.function_at(site.begin).map_or("file", |f| f.name.as_str());
    site.options.name.clone().unwrap_or_else(|| format!("{function}:{line}"))
}

/// The diagnostic for a refused region.
pub fn refusal(name: Option<&str>, error: &Refusal) -> Diagnostic {
    let who = name.map_or_else(|| "region".to_owned(), |n| format!("region '{n}'"));
    Diagnostic {
        severity: Severity::Warning,
        message: format!("{who} stays sequential: {}", error.reason),
        code: Some(error.code),
        span: error.span,
        remedy: Some(error.remedy.clone()),
    }
}
