//! Names that mean something of their own where a statement stands: those of `associate`, `select type` and `select rank`,
//! and those that a `block` declares. Flang shows the variables of all such constructs of a procedure, and not where they end.

use super::name_meanings::NameMeaning;
use super::statements::FortranStatement;
use super::words::is_declaration;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The names of the constructs that are open before a line, as the innermost construct that has the name means them.
pub fn names_around(statements: &[FortranStatement], line: u32) -> BTreeMap<String, NameMeaning> {
    let mut open: Vec<Construct> = Vec::new();
    for statement in statements.iter().take_while(|statement| statement.first < line) {
        let text: String = statement.text.chars().filter(|c| !c.is_whitespace()).collect();
        let text = without_name(&text);
        if ["endassociate", "endselect", "endblock"].iter().any(|end| ends_with_name(text, end)) {
            open.pop();
        } else if let Some(list) = text.strip_prefix("associate(").filter(|list| list.contains("=>")) {
            open.push(Construct::naming(names_of_list(list)));
        } else if let Some(list) = ["selecttype(", "selectrank("].iter().find_map(|begin| text.strip_prefix(begin)) {
            open.push(Construct::naming(names_of_list(list)));
        } else if text.starts_with("selectcase(") {
            open.push(Construct::default());
        } else if text == "block" {
            open.push(Construct { is_block: true, ..Construct::default() });
        } else if let Some(block) = open.last_mut().filter(|construct| construct.is_block)
            && (is_declaration(&statement.text) || text.starts_with("import"))
        {
            for name in declared_by(&statement.text) {
                block.lines.entry(name).or_default().push(statement.first..=statement.last);
            }
        }
    }
    let mut all = BTreeMap::new();
    for construct in open {
        all.extend(construct.names.into_iter().map(|name| (name, NameMeaning::OfConstruct)));
        all.extend(construct.lines.into_iter().map(|(name, lines)| (name, NameMeaning::OfBlock(lines))));
    }
    all
}

/// The names that a declaration may declare: those behind its `::`, or all its words.
fn declared_by(text: &str) -> Vec<String> {
    let plain = |text: &str| words(text).collect();
    let Some((_, list)) = text.split_once("::").filter(|_| !text.contains(['\'', '"'])) else { return plain(text) };
    let mut depth = 0_i32;
    let parts = list.split(|c: char| {
        depth += i32::from("([".contains(c)) - i32::from(")]".contains(c));
        c == ',' && depth == 0
    });
    parts.filter_map(|part| words(part).next()).collect()
}

#[derive(Default)]
struct Construct {
    is_block: bool,
    /// Names that are no variables of a block.
    names: BTreeSet<String>,
    /// Those that a block may declare, and the lines of the declarations.
    lines: BTreeMap<String, Vec<RangeInclusive<u32>>>,
}

impl Construct {
    fn naming(names: BTreeSet<String>) -> Construct {
        Construct { names, ..Construct::default() }
    }
}

/// A statement without the name of its construct.
fn without_name(text: &str) -> &str {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match text.split_once(':') {
        Some((name, rest)) if is_name(name) && !name.is_empty() && !rest.starts_with(':') => rest,
        _ => text,
    }
}

/// Whether a text is this word, with a name behind it or none.
fn ends_with_name(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// The names before `=>` in a list that ends with its parenthesis.
fn names_of_list(list: &str) -> BTreeSet<String> {
    let (mut depth, mut names, mut part) = (0_u32, BTreeSet::new(), String::new());
    for c in list.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => part.clear(),
            _ => {}
        }
        if c != ',' || depth > 0 {
            part.push(c);
        }
        if let Some(name) = part.strip_suffix("=>").filter(|_| depth == 0) {
            names.insert(name.to_owned());
        }
    }
    names
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::statements::{SourceForm, statements};
    use super::*;

    fn around(text: &str, line: u32) -> Vec<(String, bool)> {
        let all = names_around(&statements(text, SourceForm::Free), line);
        all.into_iter().map(|(name, meaning)| (name, meaning == NameMeaning::OfConstruct)).collect()
    }

    #[test]
    fn open_constructs_are_known() {
        let text = "associate (a => b(1, 2), c=>d + e(3))\n\
            inner: associate (x => [1, 2], y => f(u=3))\nx = 1\nend associate inner\n\
            block\nreal(8) :: p(3), q\nblock\ninteger a\nq = 1\nend block\nend block\n\
            select type (s => t)\nclass is (k)\nselect case (i)\ncase (1)\nend select\nend select\nend associate\nz = 1\n";
        let told = |names: &[(&str, bool)]| names.iter().map(|(n, k)| ((*n).to_owned(), *k)).collect::<Vec<_>>();
        assert_eq!(around(text, 1), told(&[]));
        assert_eq!(around(text, 2), told(&[("a", true), ("c", true)]));
        assert_eq!(around(text, 3), told(&[("a", true), ("c", true), ("x", true), ("y", true)]));
        assert_eq!(around(text, 5), told(&[("a", true), ("c", true)]));
        let inner = around(text, 9);
        assert!(inner.contains(&("a".to_owned(), false)) && inner.contains(&("p".to_owned(), false)), "{inner:?}");
        let block = "block\nreal(kind=dp) :: t(n, m), u = k + 1, &\n v\nreal w, x(j)\ndo i = 1, n\nend do\nend block\n";
        let all = names_around(&statements(block, SourceForm::Free), 5);
        assert_eq!(all.keys().map(String::as_str).collect::<Vec<_>>(), ["j", "real", "t", "u", "v", "w", "x"]);
        assert_eq!(all["v"], NameMeaning::OfBlock(vec![2..=3]));
        assert_eq!(around(text, 13), told(&[("a", true), ("c", true), ("s", true)]));
        assert_eq!(around(text, 15), told(&[("a", true), ("c", true), ("s", true)]));
        assert_eq!(around(text, 19), told(&[]));
    }
}
