//! Structs and unions with volatile or atomic members: a copy of the whole object would access such a member.

use super::ctype;
use std::collections::HashSet;

/// Types of structs and unions that hold a volatile or atomic object, by their text without typedefs.
#[derive(Debug, Clone, Default)]
pub struct OrderedRecords(HashSet<String>);

/// The definition of a struct or union.
pub struct RecordDefinition<'a> {
    /// The texts that name the type.
    pub names: Vec<String>,
    /// The types of what is inside, without typedefs.
    pub members: Vec<&'a str>,
}

impl OrderedRecords {
    /// Finds them among definitions, also those that hold others.
    pub fn among(definitions: &[RecordDefinition]) -> OrderedRecords {
        let mut found = OrderedRecords::default();
        loop {
            let before = found.0.len();
            for one in definitions {
                if one.members.iter().any(|m| ctype::is_untouchable(own_words(m)) || found.contains(m)) {
                    found.0.extend(one.names.iter().cloned());
                }
            }
            if found.0.len() == before {
                return found;
            }
        }
    }

    /// Whether a type, or the elements of an array type, are such records.
    pub fn contains(&self, plain: &str) -> bool {
        let element = plain.split('[').next().unwrap_or_default();
        !self.0.is_empty() && !ctype::is_pointer(plain) && self.0.contains(&ctype::unqualified(element))
    }
}

/// The words of a type about the object itself: for a pointer, those behind its `*`.
fn own_words(plain: &str) -> &str {
    let star = plain.find("(*").map(|at| at + 2).or_else(|| plain.rfind('*').map(|at| at + 1));
    star.map_or(plain, |at| plain[at..].split(')').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_members_count_and_targets_of_pointers_do_not() {
        let one = |name: &str, members: &[&'static str]| RecordDefinition {
            names: vec![name.to_owned()],
            members: members.to_vec(),
        };
        let all = [
            one("struct outer", &["double", "inner[2]"]),
            one("inner", &["struct leaf"]),
            one("struct leaf", &["_Atomic(int)"]),
            one("struct away", &["volatile int *", "void (*)(volatile int *)", "struct leaf *"]),
            one("struct own", &["int *volatile"]),
        ];
        let found = OrderedRecords::among(&all);
        for (plain, ordered) in [
            ("struct outer", true),
            ("const struct outer", true),
            ("struct outer[3]", true),
            ("struct outer *", false),
            ("struct away", false),
            ("struct own", true),
            ("double", false),
        ] {
            assert_eq!(found.contains(plain), ordered, "{plain}");
        }
    }
}
