//! `dvmcc --why`: which loops outside of regions can be tiled, what stands in the way of the others, and the pragmas to put
//! before them. Each pragma that is told has been tried: the region was accepted with it.

use super::compiler::Compiler;
use super::compiler_query;
use super::compiler_text::CompilerText;
use super::installation::Installation;
use super::invocation::Invocation;
use super::limited_process::Guarded;
use super::nest_report::{FileAdvice, NestAdvice, report};
use super::trial::{Reader, Try, Verdict, judge};
use super::{composition, output_file};
use crate::frontend::{Nest, NestsOfFile, Scalar, nests};
use crate::source::Source;
use std::fmt::Write;
use std::path::Path;

/// The deepest loops that are tried alone, counted from the outermost ones.
const LEVELS: usize = 3;

/// What is told of a nest.
struct Advice {
    nest: Nest,
    /// The accepted pragma's clauses.
    accepted: Option<Clauses>,
    /// Clauses with which it would be accepted, if the author knows that they are true.
    vouched: Option<Clauses>,
    /// The messages about the nest without clauses.
    obstacles: String,
    /// What is told of the loops inside, if this one is refused.
    inner: Vec<Advice>,
}

/// Clauses, and what they allow or state.
#[derive(Clone, Default)]
struct Clauses {
    text: String,
    means: Vec<String>,
}

/// Reads the sources of a command line, and prints what can be done about each.
pub fn run(invocation: &Invocation, guarded: &Guarded) -> Result<i32, String> {
    let compiler = Compiler::find()?;
    let install = Installation::of_this_program();
    let include = install.include.iter().map(|folder| format!("-I{}", folder.display())).collect::<Vec<_>>();
    let mut flags = compiler_query::flags(&compiler, invocation)?;
    flags.extend(include.iter().cloned());
    let seen =
        |source: &Source, more: &[String]| CompilerText::of(&compiler, invocation, &[more, &include].concat(), source);
    let reader = Reader { flags: &flags, guarded, seen: &seen };
    if invocation.sources().next().is_none() {
        return Err("--why needs a C file".to_owned());
    }
    let (mut code, mut told) = (0, Vec::new());
    for path in invocation.sources() {
        match file(path, &reader) {
            Ok(advice) => told.push(advice),
            Err(why) => {
                output_file::tell(&format!("{}: error: {why}\n", path.display()));
                code = 1;
            }
        }
    }
    output_file::print(report(told).as_bytes())?;
    Ok(code)
}

fn file(path: &Path, reader: &Reader) -> Result<FileAdvice, String> {
    let source = Source::read(path).map_err(|e| format!("cannot read the file: {e}"))?;
    if composition::computes_includes(&source) {
        return Err("it names included files by macros; give their folders with -iquote, and copy the file".to_owned());
    }
    let NestsOfFile { nests, regions } = nests(&source, reader.flags).map_err(|e| e.to_string())?;
    let mut advice: Vec<Advice> = nests.into_iter().map(Advice::about).collect();
    // The regions stay in the text of the tries: a function that has one may not be called from tiles.
    advise(&source, reader, &mut advice, LEVELS)?;
    let told = |one: &Advice| {
        let mut text = String::new();
        tell(&source, one, 0, &mut text);
        NestAdvice { work: one.nest.work, tiled: one.accepted.is_some(), text }
    };
    Ok(FileAdvice { path: path.to_owned(), nests: advice.iter().map(told).collect(), regions })
}

impl Advice {
    fn about(nest: Nest) -> Advice {
        Advice { nest, accepted: None, vouched: None, obstacles: String::new(), inner: Vec::new() }
    }

    fn is_open(&self) -> bool {
        self.nest.is_for && !self.nest.in_macro && !self.nest.holds_region && self.accepted.is_none()
    }
}

/// Tries the nests, then the loops inside of those that are refused.
fn advise(source: &Source, reader: &Reader, advice: &mut [Advice], levels: usize) -> Result<(), String> {
    let most = advice.iter().map(|one| candidates(&one.nest).len()).max().unwrap_or(0);
    for round in 0..most {
        try_round(source, reader, advice, &|one| candidates(&one.nest).get(round).cloned(), &|one, clauses| {
            one.accepted = Some(clauses);
        })?;
    }
    try_round(source, reader, advice, &|one| vouched(&one.obstacles), &|one, clauses| {
        one.vouched = Some(clauses);
    })?;
    if levels > 1 {
        let mut inner: Vec<(usize, Advice)> = Vec::new();
        for (at, one) in advice.iter().enumerate().filter(|(_, one)| one.accepted.is_none()) {
            inner.extend(one.nest.inner.iter().map(|nest| (at, Advice::about(nest.clone()))));
        }
        let (places, mut below): (Vec<usize>, Vec<Advice>) = inner.into_iter().unzip();
        if !below.is_empty() {
            advise(source, reader, &mut below, levels - 1)?;
        }
        places.into_iter().zip(below).for_each(|(at, one)| advice[at].inner.push(one));
        for one in advice {
            one.inner.sort_by(|a, b| b.nest.work.total_cmp(&a.nest.work));
        }
    }
    Ok(())
}

/// One pragma before each nest that has none yet, all in one text.
fn try_round(
    source: &Source,
    reader: &Reader,
    advice: &mut [Advice],
    choose: &dyn Fn(&Advice) -> Option<Clauses>,
    take: &dyn Fn(&mut Advice, Clauses),
) -> Result<(), String> {
    let open = advice.iter().enumerate().filter(|(_, one)| one.is_open());
    let chosen: Vec<(usize, Clauses)> = open.filter_map(|(at, one)| Some((at, choose(one)?))).collect();
    if chosen.is_empty() {
        return Ok(());
    }
    let tries: Vec<Try> =
        chosen.iter().map(|(at, c)| Try { begin: advice[*at].nest.begin, clauses: c.text.clone() }).collect();
    let verdicts = judge(source, reader, &tries)?;
    for ((at, clauses), verdict) in chosen.into_iter().zip(verdicts) {
        match verdict {
            Verdict::Accepted => take(&mut advice[at], clauses),
            // The first messages are those without clauses.
            Verdict::Refused(messages) if advice[at].obstacles.is_empty() => advice[at].obstacles = messages,
            Verdict::Refused(_) => {}
        }
    }
    Ok(())
}

/// The clauses to try, the least first. The tool itself proves that a `private` scalar is one; a reduction of integers
/// gives the same bits, and one of real numbers is the author's choice.
fn candidates(nest: &Nest) -> Vec<Clauses> {
    let reduced: Vec<&Scalar> = nest.scalars.iter().filter(|s| s.operation.is_some()).collect();
    let others: Vec<&Scalar> = nest.scalars.iter().filter(|s| s.operation.is_none()).collect();
    let mut all = vec![Clauses::default()];
    let none: &[&Scalar] = &[];
    for (private, reductions) in [(others.as_slice(), none), (none, &reduced), (&others, &reduced)] {
        let clauses = clauses(private, reductions);
        if !all.iter().any(|known| known.text == clauses.text) {
            all.push(clauses);
        }
    }
    all
}

fn clauses(private: &[&Scalar], reductions: &[&Scalar]) -> Clauses {
    let mut made = Clauses::default();
    if !private.is_empty() {
        let names: Vec<&str> = private.iter().map(|s| s.name.as_str()).collect();
        let _ = write!(made.text, " private({})", names.join(", "));
    }
    for scalar in reductions {
        let operation = scalar.operation.unwrap_or_default();
        let _ = write!(made.text, " reduction({operation}:{})", scalar.name);
        let name = &scalar.name;
        if scalar.real && matches!(operation, "min" | "max") {
            made.means.push(format!(
                "you allow that `{name}` gets the other sign where it is zero, and another value where there are NaNs"
            ));
        } else if scalar.real {
            made.means.push(format!("you allow that the updates of `{name}` are rounded in another order"));
        }
    }
    made
}

/// Clauses that state what only the author knows, if the messages say that nothing else is missing.
fn vouched(messages: &str) -> Option<Clauses> {
    let only = |codes: &[&str]| {
        let mut told = messages.lines().filter(|line| line.contains(": warning: ")).peekable();
        told.peek().is_some() && told.all(|line| codes.iter().any(|code| line.ends_with(code)))
    };
    if only(&["[DVM101]", "[DVM102]"]) {
        let means = "only you can know whether no iteration touches what another one writes; DVM_CHECK=1 tests it";
        return Some(Clauses { text: " independent".to_owned(), means: vec![means.to_owned()] });
    }
    if only(&["[DVM070]"]) {
        let mut names: Vec<&str> =
            messages.split("the function `").skip(1).filter_map(|rest| rest.split('`').next()).collect();
        names.sort_unstable();
        names.dedup();
        let means = "only you can know whether these functions only compute a value";
        return Some(Clauses { text: format!(" pure({})", names.join(", ")), means: vec![means.to_owned()] });
    }
    None
}

fn tell(source: &Source, one: &Advice, level: usize, text: &mut String) {
    let (line, column) = source.position(one.nest.begin);
    let pad = "  ".repeat(level);
    let Nest { function, depth, work, .. } = &one.nest;
    let loops = if *depth == 1 { "1 loop".to_owned() } else { format!("{depth} loops deep") };
    let _ = write!(
        text,
        "\n{pad}{}:{line}:{column}: `{function}`, {loops}, about {work:.0e} operations: ",
        source.path.display()
    );
    if let Some(clauses) = &one.accepted {
        text.push_str("can be tiled\n");
        pragma(source, one, clauses, &pad, text);
        return;
    }
    text.push_str("stays sequential\n");
    if one.nest.in_macro {
        let _ = writeln!(text, "{pad}  the loop comes from a macro; write it out");
    } else if !one.nest.is_for {
        let _ = writeln!(text, "{pad}  a `while` or `do` loop; only the loops inside can be tiled");
    } else if one.nest.holds_region {
        let _ = writeln!(text, "{pad}  a region stands inside; only the other loops inside are tried");
    }
    for line in one.obstacles.lines() {
        let _ = writeln!(text, "{pad}  {line}");
    }
    if let Some(clauses) = &one.vouched {
        let _ = writeln!(text, "{pad}  it would be accepted with");
        pragma(source, one, clauses, &pad, text);
    }
    for inner in &one.inner {
        tell(source, inner, level + 1, text);
    }
}

fn pragma(source: &Source, one: &Advice, clauses: &Clauses, pad: &str, text: &mut String) {
    let _ = writeln!(text, "{pad}    #pragma dvm region{}", clauses.text);
    let (line, column) = source.position(one.nest.begin);
    let before = &source.bytes[source.line_start_of(line)..one.nest.begin];
    if column > 1 && !before.iter().all(u8::is_ascii_whitespace) {
        let _ = writeln!(text, "{pad}    (begin a line with the loop: the pragma stands directly before it)");
    }
    for means in &clauses.means {
        let _ = writeln!(text, "{pad}    ({means})");
    }
}
