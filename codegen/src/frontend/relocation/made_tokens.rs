//! Tokens made by the preprocessor: pasted and stringised tokens mean the same wherever the text is; those of
//! `__LINE__`, `__COUNTER__` and the like do not.

use crate::Refusal;
use crate::c_tokens::identifiers;
use crate::frontend::clang::ast::Node;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::text::preprocess::Macros;
use crate::refusal::Code;
use crate::source::Source;
use std::collections::BTreeSet;

/// Macros of the preprocessor whose value depends on the place or on the file's last modification, and the names of the
/// enclosing function.
const PLACED: [&str; 12] = [
    "__LINE__",
    "__COUNTER__",
    "__FILE__",
    "__FILE_NAME__",
    "__BASE_FILE__",
    "__INCLUDE_LEVEL__",
    "__DATE__",
    "__TIME__",
    "__TIMESTAMP__",
    "__func__",
    "__FUNCTION__",
    "__PRETTY_FUNCTION__",
];

const REASON: &str =
    "the value depends on the line, on the function, or on another thing that only the preprocessor knows";
const REMEDY: &str = "keep it in a variable before the region";

/// What `assert` calls when it fails, in the libraries of Linux.
const ASSERTS: [&str; 2] = ["__assert_fail", "__assert"];
const ASSERTION: &str =
    "an assertion that fails tells its line and function, and ends the program before anything that comes later";
const WITHOUT_ASSERTIONS: &str = "compile with -DNDEBUG, or assert in a loop of its own before the region";

/// Refuses a text that leads to a macro whose value depends on the place, even where no value shows it: in `sizeof`, or
/// in a type. The generated code has the text twice, so `__COUNTER__` would also advance further.
pub fn check_text(source: &Source, begin: usize, end: usize, macros: &Macros) -> Result<(), Refusal> {
    let mut at = begin;
    while at < end {
        let next = source.skip_token(at);
        let word = source.text(at, next);
        if (macros.contains_key(&word) || PLACED.contains(&word.as_str())) && leads_to(&PLACED, &word, macros) {
            let asserts = leads_to(&ASSERTS, &word, macros);
            let (reason, remedy) = if asserts { (ASSERTION, WITHOUT_ASSERTIONS) } else { (REASON, REMEDY) };
            return Err(Refusal::span(Code::PlaceMacro, at, next, reason, remedy));
        }
        at = source.skip_blank(next);
    }
    Ok(())
}

/// Whether a name is one of these, or a macro that leads to one.
fn leads_to(wanted: &[&str], name: &str, macros: &Macros) -> bool {
    let (mut reached, mut ahead) = (BTreeSet::new(), vec![name.to_owned()]);
    while let Some(name) = ahead.pop() {
        if wanted.contains(&name.as_str()) {
            return true;
        }
        let words = macros.get(&name).map(|body| pieces(body)).unwrap_or_default();
        ahead.extend(words.into_iter().filter(|word| reached.insert(word.clone())));
    }
    false
}

impl RegionBuilder<'_> {
    /// Refuses tokens made by the preprocessor, unless they can only come from `#` and `##` in the text at that place.
    pub fn check_made(&self, node: &Node) -> Result<(), Refusal> {
        let place = [&node.begin, &node.end].into_iter().find(|place| place.made);
        let Some(place) = place else { return Ok(()) };
        if !place.known {
            return Err(Refusal::at(Code::PlaceMacro, node, REASON, REMEDY));
        }
        let mut end = self.source.skip_token(place.offset);
        let open = self.source.skip_blank(end);
        if self.source.byte(open) == b'(' {
            end = self.source.skip_brackets(open);
        }
        if is_pasted(&self.source.text(place.offset, end), self.macros) {
            return Ok(());
        }
        Err(Refusal::at(Code::PlaceMacro, node, REASON, REMEDY))
    }
}

/// Whether a macro use pastes or stringises, and nothing that it may lead to depends on the place.
fn is_pasted(text: &str, macros: &Macros) -> bool {
    let mut reached = pieces(text);
    let mut pastes = false;
    let mut ahead: Vec<String> = reached.iter().cloned().collect();
    while !ahead.is_empty() {
        while let Some(name) = ahead.pop() {
            let Some(body) = macros.get(&name) else { continue };
            pastes |= body.contains('#') || body.contains("%:");
            ahead.extend(pieces(body).into_iter().filter(|word| reached.insert(word.clone())));
        }
        // The preprocessor rescans a pasted token, which may name a macro that no text names.
        if pastes {
            ahead.extend(macros.keys().filter(|m| !reached.contains(*m) && joined(m, &reached)).cloned());
            reached.extend(ahead.iter().cloned());
        }
    }
    pastes && !PLACED.iter().any(|name| reached.contains(*name) || joined(name, &reached))
}

/// The names and numbers in a text: the pieces that can be pasted to a name.
fn pieces(text: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let all = text.split(|c: char| !word(c)).filter(|w| !w.is_empty()).map(str::to_owned);
    all.chain(identifiers(text)).collect()
}

/// Whether a name is a sequence of two or more of the pieces.
fn joined(name: &str, pieces: &BTreeSet<String>) -> bool {
    let mut ends = vec![false; name.len() + 1];
    ends[0] = true;
    for at in 0..name.len() {
        if ends[at] {
            for piece in pieces.iter().filter(|p| p.len() < name.len() && name[at..].starts_with(p.as_str())) {
                ends[at + piece.len()] = true;
            }
        }
    }
    ends[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_tokens_are_told_from_those_of_the_place() {
        let macros = |all: &[(&str, &str)]| -> Macros {
            all.iter().map(|(name, body)| ((*name).to_owned(), (*body).to_owned())).collect()
        };
        let known = macros(&[
            ("VAL", "(x) x##f"),
            ("CAT_", "(a, b) a##b"),
            ("CAT", "(a, b) CAT_(a, b)"),
            ("HERE", " __LINE__"),
            ("WIDTH", " (HERE + 1)"),
            ("TEXT", "(x) #x"),
            ("ONE", " 1"),
            ("VIA", " CAT(WI, DTH)"),
        ]);
        for text in ["VAL(1.5)", "CAT(1., 5f)", "CAT(ON, E)", "TEXT(a b)", "VAL(ONE)"] {
            assert!(is_pasted(text, &known), "{text}");
        }
        for text in
            ["HERE", "CAT(1, HERE)", "CAT(x, __LINE__)", "CAT(__LI, NE__)", "VIA", "CAT_(HE, RE)", "ONE", "__COUNTER__"]
        {
            assert!(!is_pasted(text, &known), "{text}");
        }
    }
}
