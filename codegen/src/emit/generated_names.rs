//! Names and types of the generated text: names in the user's text, free names, ranges of integer types.

use crate::c_tokens::{KEYWORDS, identifiers, is_keyword};
use crate::model::{Entry, Region, Statement};
use std::collections::BTreeSet;

/// The identifiers in use: those of the region, and those made for the generated text.
pub struct FreshNames {
    taken: BTreeSet<String>,
}

impl FreshNames {
    /// Every identifier in the region's texts is in use.
    pub fn of(region: &Region, original: &str) -> FreshNames {
        let mut taken = identifiers(original);
        taken.extend(KEYWORDS.iter().map(|word| (*word).to_owned()));
        for statement in &region.statements {
            taken.extend(identifiers(&statement.text));
            taken.extend(identifiers(&statement.locals));
            taken.extend(statement.iterators.iter().map(|iterator| iterator.name.clone()));
        }
        for parameter in &region.parameters {
            taken.extend([parameter.name.clone(), parameter.symbol.clone()]);
            taken.extend(identifiers(&parameter.ctype));
        }
        for value in &region.values {
            taken.insert(value.name.clone());
            taken.extend(identifiers(&value.ctype));
        }
        for array in &region.arrays {
            taken.extend([array.name.clone(), array.symbol.clone()]);
            taken.extend(identifiers(&array.element));
        }
        for entry in &region.entry {
            if let Entry::Read { name, ctype, guard, expression, .. } = entry {
                taken.insert(name.clone());
                taken.extend([ctype, guard, expression].into_iter().flat_map(|text| identifiers(text)));
            }
        }
        FreshNames { taken }
    }

    /// An unused name: `wanted`, with underscores appended if that is in use.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// `count` unused names: `wanted` with a number.
    pub fn series(&mut self, wanted: &str, count: usize) -> Vec<String> {
        (0..count).map(|k| self.fresh(&format!("{wanted}{k}"))).collect()
    }
}

/// What a statement's text mentions, and whether a macro might mention more.
pub struct Mentions {
    words: BTreeSet<String>,
    hidden: bool,
}

impl Mentions {
    /// The words in the texts of some statements. A word that the model does not know might be a macro.
    pub fn of<'a>(region: &Region, statements: impl IntoIterator<Item = &'a Statement>) -> Mentions {
        let mut words = BTreeSet::new();
        let mut hidden = false;
        for statement in statements {
            let own = identifiers(&statement.text);
            let locals = identifiers(&statement.locals);
            let declared = declared(&statement.locals);
            hidden |= own.iter().chain(&locals).any(|word| {
                !(declared.contains(word.as_str())
                    || is_keyword(word)
                    || statement.iterators.iter().any(|iterator| iterator.name == *word)
                    || region.parameters.iter().any(|parameter| parameter.name == *word)
                    || region.values.iter().any(|value| value.name == *word)
                    || region.arrays.iter().any(|array| array.name == *word))
            });
            words.extend(own);
            words.extend(locals);
        }
        Mentions { words, hidden }
    }

    /// Whether the text contains the word.
    pub fn surely(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether the text, or a macro in it, may contain the word.
    pub fn perhaps(&self, word: &str) -> bool {
        self.hidden || self.surely(word)
    }
}

/// The names that declarations declare: the last words before `=`, `,`, `;` and `[` outside of parentheses and values.
fn declared(declarations: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let (mut depth, mut in_value, mut begin, mut quote) = (0, false, 0, None);
    for (at, letter) in declarations.char_indices() {
        if let Some(mark) = quote {
            let is_escaped = declarations[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
            quote = (letter != mark || is_escaped).then_some(mark);
            continue;
        }
        if depth == 0 && !in_value && matches!(letter, '=' | ',' | ';' | '[') {
            let word = declarations[begin..at].trim_end();
            let first = word.rfind(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
            names.extend(Some(&word[first.map_or(0, |at| at + 1)..]).filter(|word| !word.is_empty()));
        }
        match letter {
            '"' | '\'' => quote = Some(letter),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '=' if depth == 0 => in_value = true,
            ',' | ';' if depth == 0 => (in_value, begin) = (false, at + 1),
            _ => {}
        }
    }
    names
}

/// Width and sign of an integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterType {
    /// Signed, 64 bits: the type of generated arithmetic.
    Wide,
    /// Signed and 32 bits: a loop counter of it never wraps.
    Int,
    /// Unsigned, 32 bits.
    Unsigned,
    /// Unsigned, 64 bits.
    WideUnsigned,
    /// Any other type, and names that the model does not explain.
    Other,
}

impl CounterType {
    /// Classifies a C type.
    pub fn of(ctype: &str) -> CounterType {
        let mut words: Vec<&str> =
            ctype.split_whitespace().filter(|word| !matches!(*word, "const" | "register")).collect();
        words.sort_unstable();
        match words.as_slice() {
            ["dvm__int64" | "int64_t" | "ptrdiff_t" | "ssize_t" | "intptr_t" | "long"]
            | ["int" | "long", "long"]
            | ["int", "long", "long"] => CounterType::Wide,
            ["int" | "int32_t" | "signed"] | ["int", "signed"] => CounterType::Int,
            ["unsigned" | "uint32_t"] | ["int", "unsigned"] => CounterType::Unsigned,
            ["size_t" | "uint64_t" | "uintptr_t"] | ["long", "unsigned"] | ["int" | "long", "long", "unsigned"] => {
                CounterType::WideUnsigned
            }
            _ => CounterType::Other,
        }
    }
}

/// A declaration of `name` with a type as the source writes it: `double`, `double *`, `int (*)(int)`.
pub fn declare(ctype: &str, name: &str) -> String {
    let ctype = ctype.trim();
    if let Some(at) = ctype.find("(*)") {
        return format!("{}(*{name}){}", &ctype[..at], &ctype[at + 3..]);
    }
    if let Some(at) = ctype.find('[') {
        return format!("{} {name}{}", ctype[..at].trim_end(), &ctype[at..]);
    }
    if ctype.ends_with('*') { format!("{ctype}{name}") } else { format!("{ctype} {name}") }
}

/// A declaration of a constant `name`.
pub fn declare_const(ctype: &str, name: &str) -> String {
    let ctype = ctype.trim();
    if ctype.ends_with('*') {
        format!("{ctype}const {name}")
    } else if ctype.contains("(*)") || ctype.split_whitespace().any(|word| word == "const") {
        declare(ctype, name)
    } else {
        format!("const {}", declare(ctype, name))
    }
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn declared_names_are_told_from_those_in_values() {
        let found = |text| declared(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(found("int k = AT(i, N);"), "k");
        assert_eq!(found("unsigned long a, *b = p; real_t c[N][M], d = q"), "a b c d");
        assert_eq!(found("char e = '\\''; double f = (g, h), l = M;char*o=\"=,;\\\\\";"), "e f l o");
        assert_eq!(found("double s; double t;"), "s t");
        assert_eq!(found(""), "");
    }
}
