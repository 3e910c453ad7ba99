//! `dvmfc --why`: which loops outside of regions can be tiled, what stands in the way of the others, and the marks to
//! put before them. Each mark that is told has been tried.

use super::construct_names::{LoopEnd, loop_end};
use super::refused::FortranRefusal;
use super::statements::FortranStatement;
use super::words::is_loop;
use crate::driver::nest_report::NestAdvice;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// The deepest loops that are tried alone, counted from the outermost ones.
const LEVELS: usize = 3;
/// Iterations of a loop whose bounds are no numbers.
const USUAL: f64 = 100.0;

/// A loop with what is in it.
#[derive(Debug)]
pub struct FortranNest {
    /// Its first line.
    pub first: u32,
    /// The procedure that has it.
    procedure: String,
    depth: usize,
    /// Operations, roughly.
    work: f64,
    inner: Vec<FortranNest>,
    /// The scalars that it may reduce into, with the operators.
    reductions: BTreeSet<(&'static str, String)>,
}

/// Tries a mark with clauses before the loop at a line.
pub type TryMark<'t> = dyn FnMut(u32, &str) -> Result<Result<(), FortranRefusal>, String> + 't;

/// The nests of a file, as they stand.
pub fn nests(statements: &[FortranStatement]) -> Vec<FortranNest> {
    let mut found = Vec::new();
    let mut procedure = "main".to_owned();
    let mut at = 0;
    while let Some(statement) = statements.get(at) {
        if let Some(name) = procedure_name(&statement.text) {
            procedure = name;
        }
        if is_loop(&statement.text) {
            let (nest, next) = nest(statements, at, &procedure);
            found.push(nest);
            at = next;
        } else {
            at += 1;
        }
    }
    found
}

/// The nests outside of the regions that begin at these lines: of one with a region inside, the loops in it that have none.
pub fn outside(nests: Vec<FortranNest>, regions: &BTreeSet<u32>) -> Vec<FortranNest> {
    let (mut found, mut left) = (Vec::new(), nests);
    left.reverse();
    while let Some(nest) = left.pop() {
        if regions.contains(&nest.first) {
            continue;
        }
        if nest.holds(regions) {
            left.extend(nest.inner.into_iter().rev());
        } else {
            found.push(nest);
        }
    }
    found
}

impl FortranNest {
    /// Whether one of the loops inside begins at one of these lines.
    fn holds(&self, lines: &BTreeSet<u32>) -> bool {
        self.inner.iter().any(|inner| lines.contains(&inner.first) || inner.holds(lines))
    }
}

/// The nest that begins with a statement, and where it ends.
fn nest(statements: &[FortranStatement], begin: usize, procedure: &str) -> (FortranNest, usize) {
    let head = &statements[begin];
    let label = loop_end(&head.text).and_then(|end| if let LoopEnd::Label(label) = end { Some(label) } else { None });
    let mut nest = FortranNest {
        first: head.first,
        procedure: procedure.to_owned(),
        depth: 1,
        work: 1.0,
        inner: Vec::new(),
        reductions: BTreeSet::new(),
    };
    let mut at = begin + 1;
    while let Some(statement) = statements.get(at) {
        if is_loop(&statement.text) {
            let (inner, next) = self::nest(statements, at, procedure);
            nest.work += inner.work;
            nest.depth = nest.depth.max(inner.depth + 1);
            nest.reductions.extend(inner.reductions.iter().cloned());
            nest.inner.push(inner);
            at = next;
            // A label may end several loops.
            if label.is_some() && statements.get(next - 1).is_some_and(|last| last.label == label) {
                break;
            }
            continue;
        }
        at += 1;
        nest.work += 1.0 + statement.text.matches(['+', '-', '*', '/']).count() as f64;
        nest.reductions.extend(reduction(&statement.text));
        let ends = label.is_none() && ["end do", "enddo"].contains(&statement.text.as_str());
        if ends || label.is_some() && statement.label == label {
            break;
        }
    }
    nest.work *= trips(&head.text);
    (nest, at)
}

/// Iterations of a loop.
fn trips(head: &str) -> f64 {
    let bounds = head.split_once('=').map_or("", |(_, bounds)| bounds);
    let numbers: Vec<Option<f64>> = bounds.split(',').map(|bound| bound.trim().parse().ok()).collect();
    match numbers.as_slice() {
        [Some(first), Some(last)] => (last - first + 1.0).max(1.0),
        _ => USUAL,
    }
}

/// The operator and the variable of an update of a scalar.
fn reduction(text: &str) -> Option<(&'static str, String)> {
    let (to, value) = text.split_once('=')?;
    let (before, to) = to.rsplit_once(')').map_or(("", to), |(before, to)| (before, to));
    let (name, value) = (to.trim(), value.trim());
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name || !before.is_empty() && !before.starts_with("if") {
        return None;
    }
    match value.strip_prefix(name).and_then(|rest| rest.trim_start().chars().next()) {
        Some('+' | '-') => return Some(("+", name.to_owned())),
        Some('*') => return Some(("*", name.to_owned())),
        _ => {}
    }
    let extreme = ["min", "max"].into_iter().find(|function| {
        let first = value.strip_prefix(function).map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
        first.and_then(|first| first.split(',').next()).is_some_and(|first| first.trim() == name)
    });
    extreme.map(|function| (function, name.to_owned()))
}

/// The name of the procedure that a statement begins.
fn procedure_name(text: &str) -> Option<String> {
    if text.starts_with("end") || text.contains("::") {
        return None;
    }
    let words: Vec<&str> = text.split([' ', '(']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| ["subroutine", "function", "program"].contains(word))?;
    words.get(at + 1).map(|name| (*name).to_owned())
}

/// Says what can be done about the nests of a file.
pub fn advise(file: &Path, nests: &[FortranNest], attempt: &mut TryMark) -> Result<Vec<NestAdvice>, String> {
    let mut told = Vec::new();
    for nest in nests {
        let mut text = String::new();
        let tiled = tell(file, nest, 0, attempt, &mut text)?;
        told.push(NestAdvice { work: nest.work, tiled, text });
    }
    Ok(told)
}

/// Tries clauses, and a reduction into each scalar that a refusal names: the clauses that are accepted, or the first refusal.
fn with_reductions(
    nest: &FortranNest,
    begin: &str,
    attempt: &mut TryMark,
) -> Result<Result<String, FortranRefusal>, String> {
    let (mut clauses, mut left, mut first) = (begin.to_owned(), nest.reductions.clone(), None);
    loop {
        let Err(refused) = attempt(nest.first, &clauses)? else { return Ok(Ok(clauses)) };
        let named = left.iter().find(|(_, name)| refused.reason.contains(&format!("`{name}`"))).cloned();
        let first = first.get_or_insert(refused);
        let Some((operator, name)) = named else { return Ok(Err(first.clone())) };
        let _ = write!(clauses, " reduction({operator}:{name})");
        left.retain(|(_, other)| *other != name);
    }
}

fn tell(
    file: &Path,
    nest: &FortranNest,
    level: usize,
    attempt: &mut TryMark,
    text: &mut String,
) -> Result<bool, String> {
    let pad = "  ".repeat(level);
    let FortranNest { first, procedure, depth, work, .. } = nest;
    let loops = if *depth == 1 { "1 loop".to_owned() } else { format!("{depth} loops deep") };
    let shown = file.display();
    let _ = write!(text, "\n{pad}{shown}:{first}:1: `{procedure}`, {loops}, about {work:.0e} operations: ");
    let refused = match with_reductions(nest, "", attempt)? {
        Ok(clauses) => {
            let _ = writeln!(text, "can be tiled\n{pad}    !$dvm region{clauses}");
            if !clauses.is_empty() {
                let _ =
                    writeln!(text, "{pad}    (you allow that updates of real variables are rounded in another order)");
            }
            return Ok(true);
        }
        Err(refused) => refused,
    };
    let _ = writeln!(text, "stays sequential");
    for line in refused.render(file, "", "warning").lines() {
        let _ = writeln!(text, "{pad}  {}", line.replace("region '' stays sequential: ", ""));
    }
    // That data choose elements is what only the author can know about.
    let by_data = ["a subscript of `", "[DVM101]", "[DVM102]"].iter().any(|part| refused.reason.contains(part));
    if by_data && let Ok(clauses) = with_reductions(nest, " independent", attempt)? {
        let _ = writeln!(text, "{pad}  it would be accepted with\n{pad}    !$dvm region{clauses}");
        let _ = writeln!(text, "{pad}    (only you can know whether no iteration touches what another one writes)");
    }
    if level + 1 < LEVELS {
        let mut inner: Vec<&FortranNest> = nest.inner.iter().collect();
        inner.sort_by(|one, other| other.work.total_cmp(&one.work));
        for inner in inner {
            tell(file, inner, level + 1, attempt, text)?;
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fortran::statements::{SourceForm, statements};

    #[test]
    fn nests_of_a_text() {
        let text = "subroutine s(a)\ndo j = 1, 10\ndo i = 1, n\na(i) = a(i) + 1\ns = s + a(i)\nend do\nend do\nend subroutine\n\
            real function f(x)\ndo 10, i = 1, 5\ndo 10 j = 1, 5\nif (x > 1) m = max(m, i)\n10 continue\nk = 2\n";
        let found = nests(&statements(text, SourceForm::Free));
        let [one, two] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((one.first, one.depth, one.procedure.as_str()), (2, 2, "s"));
        assert_eq!((one.inner.len(), &one.reductions), (1, &[("+", "s".to_owned())].into()));
        assert_eq!((two.first, two.depth, two.procedure.as_str()), (10, 2, "f"));
        assert_eq!(two.reductions, [("max", "m".to_owned())].into());
        assert!(one.work > two.work);
    }

    #[test]
    fn only_scalars_that_refusals_name_are_reduced_into() {
        let text = "do i = 1, n\nd = 0\nd = d + a(i)\nm = max(m, d)\ns = s + d\nend do\n";
        let [nest] = &nests(&statements(text, SourceForm::Free))[..] else { panic!("one nest") };
        let mut tried = Vec::new();
        let mut attempt = |line, clauses: &str| {
            tried.push(clauses.to_owned());
            let names = ["s", "m"].into_iter().find(|name| !clauses.contains(&format!(":{name})")));
            Ok(names.map_or(Ok(()), |name| Err(FortranRefusal::new(line, &format!("`{name}` is read"), ""))))
        };
        let found = with_reductions(nest, " independent", &mut attempt).unwrap().unwrap();
        assert_eq!(found, " independent reduction(+:s) reduction(max:m)");
        assert_eq!(tried.len(), 3);
    }

    #[test]
    fn updates_of_scalars() {
        assert_eq!(reduction("s = s - a(i)"), Some(("+", "s".to_owned())));
        assert_eq!(reduction("m = min(m, a(i))"), Some(("min", "m".to_owned())));
        assert_eq!(reduction("a(i) = a(i) + 1"), None);
        assert_eq!(reduction("s = a(i) + s"), None);
        assert_eq!(reduction("do i = i + 1, n"), None);
    }
}
