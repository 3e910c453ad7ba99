//! Initialiser lists. Clang's tree only has the final values of a list: it omits a value that a later one replaces, as
//! the first in `{ x, [0] = y }`, although the text has it.

use crate::Refusal;
use crate::c_tokens::identifiers;
use crate::frontend::clang::ast::Node;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::text::preprocess::Macros;
use crate::refusal::Code;
use crate::source::Source;
use std::collections::BTreeSet;
use std::path::Path;

impl RegionBuilder<'_> {
    /// Refuses a list with designators, since its values may replace each other.
    pub fn check_list(&self, list: &Node) -> Result<(), Refusal> {
        let (begin, source) = (list.begin.offset, self.source);
        let end = if source.byte(begin) == b'{' { source.skip_brackets(begin) } else { source.skip_token(begin) };
        let text = source.text(begin, end);
        if designates(&text) || leads_to_designator(&text, self.macros) {
            return Err(Refusal::at(
                Code::Designators,
                list,
                "values in braces with designators may replace each other",
                "write the values in their order, without `[...] =` and `.member =`",
            ));
        }
        Ok(())
    }
}

/// Whether a macro in a text may expand to a designator, or turn text beside it into one.
fn leads_to_designator(text: &str, macros: &Macros) -> bool {
    let mut reached = BTreeSet::new();
    let mut ahead: Vec<String> = identifiers(text).into_iter().collect();
    while let Some(name) = ahead.pop() {
        let Some(body) = macros.get(&name) else { continue };
        // A macro with parameters lists them before its text; what looks like a list may also be the text.
        let after = if body.starts_with('(') { body.split_once(')').map_or("", |(_, after)| after) } else { body };
        let ends_open = |text: &str| tokens(text).last().is_none_or(|last| last == "," || last == "{");
        if ends_open(after) && !body.ends_with(')')
            || [body, after].iter().any(|text| designates(&format!("{{ {text} }}")))
        {
            return true;
        }
        ahead.extend(identifiers(body).into_iter().filter(|word| reached.insert(word.clone())));
    }
    false
}

/// Whether a value begins with `[`, `.member` or `member:`, or something is assigned.
fn designates(text: &str) -> bool {
    let words = tokens(text);
    let compares = |k: usize| words.get(k).is_some_and(|word| ["=", "<", ">", "!"].contains(&word.as_str()));
    if (1..words.len()).any(|k| words[k] == "=" && !compares(k - 1) && !compares(k + 1)) {
        return true;
    }
    let name = |word: Option<&String>| {
        word.and_then(|word| word.chars().next())
            .is_some_and(|c| !c.is_ascii_digit() && (c == '_' || c.is_alphanumeric()))
    };
    (1..words.len()).any(|k| {
        (words[k - 1] == "{" || words[k - 1] == ",")
            && (words[k] == "["
                || words[k] == "." && name(words.get(k + 1))
                || name(words.get(k)) && words.get(k + 1).is_some_and(|next| next == ":"))
    })
}

fn tokens(text: &str) -> Vec<String> {
    let source = Source::new(Path::new(""), text.as_bytes().to_vec());
    let (mut at, mut found) = (source.skip_blank(0), Vec::new());
    while at < text.len() {
        let next = source.skip_token(at);
        found.push(source.text(at, next));
        at = source.skip_blank(next);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn designators_are_seen_and_numbers_are_not() {
        for text in [
            "{ x, [0] = y }",
            "{.a = 1}",
            "{ 1, /* , */ . a = 2 }",
            "{ a: 1 }",
            "{ {1}, { [1] = 2 } }",
            "{ 1, NONE() [0] = 2 }",
        ] {
            assert!(designates(text), "{text}");
        }
        for text in [
            "{ .5, a[0], b.c, (d, e) }",
            "{ c ? a : b, x[1] }",
            "{ a == b, a <= b, a != b }",
            "{}",
            "{ \", [0] =\", ',' }",
        ] {
            assert!(!designates(text), "{text}");
        }
    }

    #[test]
    fn macros_that_may_make_one_are_seen() {
        let bodies = [
            ("AT", "(i) a[i]"),
            ("OPEN", "["),
            ("DES", "(i) [i] ="),
            ("TWO", "1, [0] = 2"),
            ("NONE", ""),
            ("VIA", "DES(0)"),
        ];
        let macros: Macros = bodies.iter().map(|(name, body)| ((*name).to_owned(), (*body).to_owned())).collect();
        for text in ["{ x, OPEN 0] = 1 }", "{ x, TWO }", "{ x, NONE [0] = 1 }", "{ x, VIA 2 }"] {
            assert!(leads_to_designator(text, &macros), "{text}");
        }
        assert!(!leads_to_designator("{ AT(0), 1 }", &macros));
    }
}
