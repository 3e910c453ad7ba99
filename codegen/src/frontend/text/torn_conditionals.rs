//! Conditionals of the preprocessor whose branches hold parts of statements, such as one `for (...) {` each, or a `continue`,
//! which makes what follows it a part of its statement.
//!
//! Which branch the compiler sees is not computed here: each choice is tried, and one is taken if the file without the
//! other branches is the same file after the preprocessor.

use super::pragma;
use crate::source::{Directive, Source};

/// The largest number of choices to try in a file; each runs the preprocessor.
const MOST_TRIALS: usize = 24;

/// A conditional with its directives and branches, as offsets.
struct Conditional {
    directives: Vec<(usize, usize)>,
    branches: Vec<(usize, usize)>,
}

/// The ranges of a file that the compiler skips, with the directives around them, in the conditionals at the heads of
/// marked loops and in these loops that hold parts of statements. `is_same` says whether a text is the same file after the
/// preprocessor.
pub fn skipped(source: &Source, marks: &[Directive], is_same: &dyn Fn(&Source) -> bool) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut now = source.clone();
    let mut trials = 0;
    for mark in marks.iter().filter(|mark| pragma::marks_loop(mark)) {
        while let Some(conditional) = first_torn(&now, mark.end) {
            let mut choices = (0..=conditional.branches.len()).map(|kept| conditional.without(kept));
            let taken = choices.find(|ranges| {
                trials += 1;
                trials <= MOST_TRIALS && is_same(&now.without(ranges))
            });
            let Some(ranges) = taken else { break };
            now = now.without(&ranges);
            all.extend(ranges);
        }
    }
    all
}

impl Conditional {
    /// The conditional whose first directive is given; `None` if it does not end.
    fn of(source: &Source, first: &Directive) -> Option<Conditional> {
        // Most conditionals are short.
        let mut windows = (9..).map(|k| first.end.saturating_add(1 << k));
        let mut made = None;
        while made.is_none() {
            let window = windows.next()?;
            made = Conditional::within(source, first, window.min(source.bytes.len()));
            if window >= source.bytes.len() {
                break;
            }
        }
        made
    }

    /// The same, if it ends before an offset.
    fn within(source: &Source, first: &Directive, limit: usize) -> Option<Conditional> {
        let mut made = Conditional { directives: vec![(first.begin, first.end)], branches: vec![] };
        let mut depth = 0_u32;
        for directive in source.directives(first.end, limit) {
            match directive.name() {
                name if opens(name) => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "else" | "elif" | "elifdef" | "elifndef" | "endif" if depth == 0 => {
                    let begin = made.directives[made.directives.len() - 1].1;
                    made.branches.push((begin, directive.begin));
                    made.directives.push((directive.begin, directive.end));
                    if directive.name() == "endif" {
                        return Some(made);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// What vanishes if one branch stays, or none.
    fn without(&self, kept: usize) -> Vec<(usize, usize)> {
        let others = self.branches.iter().enumerate().filter(|(k, _)| *k != kept).map(|(_, range)| *range);
        self.directives.iter().copied().chain(others).collect()
    }

    /// Whether a branch does not hold whole statements.
    fn is_torn(&self, source: &Source) -> bool {
        self.branches.iter().any(|(begin, end)| is_part(source, *begin, *end))
    }
}

fn opens(name: &str) -> bool {
    matches!(name, "if" | "ifdef" | "ifndef")
}

/// The directive at an offset.
fn directive_at(source: &Source, at: usize) -> Option<Directive> {
    let found = source.directives(at, source.bytes.len().min(at + 1));
    found.into_iter().next().filter(|d| d.begin == at)
}

/// The first conditional after a pragma that stands before the marked loop's first token and holds tokens, or stands in the
/// loop and holds parts of statements.
fn first_torn(source: &Source, end: usize) -> Option<Conditional> {
    let mut at = source.skip_blank(end);
    while let Some(next) = directive_at(source, at) {
        let after = match next.name() {
            name if opens(name) => {
                let conditional = Conditional::of(source, &next)?;
                let (begin, end) = (next.end, conditional.directives.last()?.0);
                if source.has_tokens(begin, end) {
                    return Some(conditional);
                }
                end
            }
            "else" | "elif" | "elifdef" | "elifndef" => source.conditional_end(next.end),
            _ => next.end,
        };
        at = source.skip_blank(after);
    }
    let inside = source.directives(at, statement_end(source, at));
    let mut conditionals = inside.iter().filter(|d| opens(d.name())).filter_map(|d| Conditional::of(source, d));
    conditionals.find(|conditional| conditional.is_torn(source))
}

/// Where a loop or block ends if its brackets are whole; a torn conditional may stand before this offset only.
fn statement_end(source: &Source, begin: usize) -> usize {
    let mut at = begin;
    while at < source.bytes.len() {
        match source.byte(at) {
            b'{' => return source.skip_brackets(at),
            b'(' => at = source.skip_brackets(at),
            b';' => return at,
            _ => at = source.skip_token(at),
        }
        at = source.skip_blank(at);
    }
    at
}

/// Whether a text has a bracket without its other one, ends with a loop's or condition's head, or continues with the next
/// iteration.
fn is_part(source: &Source, begin: usize, end: usize) -> bool {
    let (mut depth, mut last) = (0_i32, b';');
    let mut at = source.skip_blank(begin);
    while at < end {
        if let Some(directive) = directive_at(source, at) {
            at = source.skip_blank(directive.end);
            continue;
        }
        last = source.byte(at);
        let next = source.skip_token(at);
        if source.text(at, next) == "continue" {
            return true;
        }
        depth += match last {
            b'(' | b'[' | b'{' => 1,
            b')' | b']' | b'}' => -1,
            _ => 0,
        };
        if depth < 0 {
            return true;
        }
        at = source.skip_blank(next);
    }
    depth != 0 || last == b')'
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The text without what `skipped` gives, if the compiler sees only lines that end with ` //`.
    fn seen(text: &str) -> String {
        let source = Source::new(Path::new("a.c"), text.as_bytes().to_vec());
        let wanted = |s: &Source| {
            let kept = String::from_utf8_lossy(&s.bytes).into_owned();
            let conditional = |line: &str| line.ends_with("//y") || line.ends_with("//n");
            let of = |t: &str, end: &str| t.lines().filter(|l| conditional(l) && l.ends_with(end)).count();
            of(&kept, "//y") == of(text, "//y") && (of(&kept, "//n") < of(text, "//n") || of(text, "//n") == 0)
        };
        let ranges = skipped(&source, &pragma::marks(&source), &wanted);
        let left = source.without(&ranges);
        let left = String::from_utf8_lossy(&left.bytes).into_owned();
        left.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn one_branch_of_a_loops_head_stays() {
        let text =
            "#pragma dvm region\n#if A\nfor (x) { //n\n#else\nfor (y) { //y\n#endif\n b;\n}\n#if B\n }\n#endif\n";
        assert_eq!(seen(text), "#pragma dvm region|for (y) { //y|b;|}|#if B|}|#endif");
    }

    #[test]
    fn whole_statements_stay_as_they_are() {
        let text = "#pragma dvm region\nfor (x) {\n#if A\n b; //n\n#else\n c[1] = (2); //y\n#endif\n}\n";
        assert_eq!(seen(text), text.trim_end().replace("\n ", "\n").replace('\n', "|"));
    }

    #[test]
    fn parts_inside_a_loop_are_found() {
        let text = "#pragma dvm region\nfor (x) {\n#ifdef A\n for (y) //n\n#elif B\n for (z) //y\n#endif\n b;\n}\n";
        assert_eq!(seen(text), "#pragma dvm region|for (x) {|for (z) //y|b;|}");
    }

    #[test]
    fn a_continue_ties_what_follows() {
        let text = "#pragma dvm region\nfor (x) {\n#ifdef A\n if (a) continue; //n\n#else\n if (b) continue; //y\n#endif\n c;\n}\n";
        assert_eq!(seen(text), "#pragma dvm region|for (x) {|if (b) continue; //y|c;|}");
        let named = "#pragma dvm region\nfor (x) {\n#ifdef A\n to_continue(a); //y\n#endif\n c;\n}\n";
        assert_eq!(seen(named), named.trim_end().replace("\n ", "\n").replace('\n', "|"));
    }

    #[test]
    fn a_choice_that_changes_the_file_is_not_taken() {
        let text = "#pragma dvm region\n#if A\nfor (x) { //y\n#else\nfor (y) { //y\n#endif\n b;\n}\n";
        assert_eq!(seen(text), text.trim_end().replace("\n ", "\n").replace('\n', "|"));
    }
}
