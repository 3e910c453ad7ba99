//! The clauses of a mark.

use super::refused::FortranRefusal;
use crate::clause_form::{ClauseForm, all_forms, clause_named};

/// All clauses; a mark with another one is refused.
pub const FORTRAN_CLAUSES: [ClauseForm; 6] = [
    ClauseForm {
        word: "tile",
        forms: &["tile(32,auto)"],
        grammar: r#""tile" "(" size { "," size } ")""#,
        meaning: "sizes of the tiles, outermost loop first; auto: chosen at run time",
    },
    ClauseForm {
        word: "name",
        forms: &["name(x)"],
        grammar: r#""name" "(" name ")""#,
        meaning: "the region's name in messages and reports",
    },
    ClauseForm {
        word: "pure",
        forms: &["pure(f,g)"],
        grammar: r#""pure" "(" function { "," function } ")""#,
        meaning: "you assert: these functions only compute a value",
    },
    ClauseForm {
        word: "independent",
        forms: &["independent", "independent(i,j)"],
        grammar: r#""independent" [ "(" counter { "," counter } ")" ]"#,
        meaning: "you assert: no iteration touches what another one writes; independent(i): of the loop with the \
                  counter i",
    },
    ClauseForm {
        word: "private",
        forms: &["private(x,y)"],
        grammar: r#""private" "(" variable { "," variable } ")""#,
        meaning: "you assert: nothing reads these after the region; each iteration has its own",
    },
    ClauseForm {
        word: "reduction",
        forms: &["reduction(+:x)"],
        grammar: r#""reduction" "(" operator ":" variable { "," variable } ")""#,
        meaning: "the updates of x may be joined in another order (+ * min max)",
    },
];

/// The clauses of a region, as the mark has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FortranClauses {
    /// `name(x)`.
    pub name: Option<String>,
    /// The sizes of tiles, as `tile(...)`, or nothing.
    pub tile: String,
    /// `independent`: counters of the loops whose iterations the user declares independent; none named: the outermost loops.
    pub independent: Option<Vec<String>>,
    /// `private(x)`: scalars of which each iteration has its own.
    pub private: Vec<String>,
    /// `pure(f)`: functions that only compute a value from their arguments and from what the region leaves as it is.
    pub pure: Vec<String>,
    /// `reduction(op:x)`: the operator and the variable.
    pub reductions: Vec<(String, String)>,
}

impl FortranClauses {
    /// Whether a variable has a `reduction`.
    pub fn reduces(&self, variable: &str) -> bool {
        self.reductions.iter().any(|(_, name)| name == variable)
    }

    /// Reads the text of a mark, lower case, at a line.
    pub fn read(text: &str, line: u32) -> Result<FortranClauses, FortranRefusal> {
        let mut rest = text.strip_prefix("region").unwrap_or_default().trim_start();
        let mut read = FortranClauses::default();
        while !rest.is_empty() {
            let bad = || {
                let forms = all_forms(&FORTRAN_CLAUSES);
                let remedy = format!("the clauses are {forms}; the operators are +, *, min and max");
                FortranRefusal::new(line, &format!("`{rest}` is not a clause of a region of Fortran"), &remedy)
            };
            let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            let (word, after) = rest.split_at(length);
            let (inside, after) = match after.trim_start().strip_prefix('(') {
                Some(after) => after.split_once(')').map(|(inside, after)| (Some(inside), after)).ok_or_else(bad)?,
                None => (None, after),
            };
            read.take(word, inside).ok_or_else(bad)?;
            rest = after.trim_start().trim_start_matches(',').trim_start();
        }
        read.consistent(line)?;
        Ok(read)
    }

    /// Takes one clause, if it is one.
    fn take(&mut self, word: &str, inside: Option<&str>) -> Option<()> {
        clause_named(&FORTRAN_CLAUSES, word)?;
        match (word, inside) {
            ("name", Some(inside)) if self.name.is_none() => self.name = Some(one_name(inside)?),
            ("tile", Some(inside)) if self.tile.is_empty() => {
                let is_size = |size: &str| size == "auto" || size.parse::<u32>().is_ok_and(|n| n > 0);
                if !inside.split(',').all(|size| is_size(size.trim())) {
                    return None;
                }
                self.tile = format!("tile({inside})");
            }
            ("independent", None) if self.independent.is_none() => self.independent = Some(Vec::new()),
            ("independent", Some(inside)) if self.independent.is_none() => self.independent = Some(names(inside)?),
            ("private", Some(inside)) => self.private.extend(names(inside)?),
            ("pure", Some(inside)) => self.pure.extend(names(inside)?),
            ("reduction", Some(inside)) => {
                let (operator, variables) = inside.split_once(':')?;
                let operator = Some(operator.trim()).filter(|o| ["+", "*", "min", "max"].contains(o))?;
                self.reductions.extend(names(variables)?.into_iter().map(|name| (operator.to_owned(), name)));
            }
            _ => return None,
        }
        Some(())
    }

    fn consistent(&self, line: u32) -> Result<(), FortranRefusal> {
        let mut all: Vec<&String> = self.private.iter().chain(self.reductions.iter().map(|(_, name)| name)).collect();
        all.sort();
        match all.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let reason = format!("`{}` stands in two clauses, or twice in one", pair[0]);
                Err(FortranRefusal::new(line, &reason, "name each variable once, in `private` or in `reduction`"))
            }
            None => Ok(()),
        }
    }
}

fn names(text: &str) -> Option<Vec<String>> {
    text.split(',').map(one_name).collect()
}

fn one_name(text: &str) -> Option<String> {
    let text = text.trim();
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        FortranClauses::read(text, 1).expect_err(text).reason
    }

    #[test]
    fn each_form_of_the_table_is_a_clause() {
        for form in FORTRAN_CLAUSES.iter().flat_map(|clause| clause.forms) {
            let read = FortranClauses::read(&format!("region {form}"), 1).expect(form);
            assert_ne!(read, FortranClauses::default(), "{form}");
        }
    }

    #[test]
    fn clauses_are_read_or_refused() {
        let read = FortranClauses::read(
            "region tile(4, auto), name(x) independent private(s, t) reduction(max : m, k) pure(f) reduction(+:r)",
            1,
        );
        let pair = |operator: &str, name: &str| (operator.to_owned(), name.to_owned());
        let expected = FortranClauses {
            name: Some("x".to_owned()),
            tile: "tile(4, auto)".to_owned(),
            independent: Some(Vec::new()),
            private: vec!["s".to_owned(), "t".to_owned()],
            pure: vec!["f".to_owned()],
            reductions: vec![pair("max", "m"), pair("max", "k"), pair("+", "r")],
        };
        assert_eq!(read, Ok(expected));
        let read = FortranClauses::read("region independent (i,j), tile(2)", 1).expect("clauses");
        assert_eq!(read.independent, Some(vec!["i".to_owned(), "j".to_owned()]));
        let not_clauses = [
            "region serial(n < 3)",
            "region tile(0)",
            "region tile",
            "region private",
            "region pure",
            "region pure(m%f)",
            "region private()",
            "region private(a(1))",
            "region reduction(s)",
            "region reduction(-:s)",
            "region reduction(+:)",
            "region independent()",
            "region independent independent",
            "region name(x) name(y)",
            "region (x)",
            "region name(x",
        ];
        for text in not_clauses {
            assert!(refused(text).contains("is not a clause"), "{text}: {}", refused(text));
        }
        assert!(refused("region private(s) reduction(+:s)").contains("`s` stands in two clauses"));
    }
}
