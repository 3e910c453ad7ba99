//! Structs and unions with volatile or atomic members: a copy of the whole object would access such a member.

use super::ast::Node;
use super::ctype;
use super::syntax_kind::SyntaxKind;
use std::collections::HashSet;

/// Types of structs and unions that hold a volatile or atomic object, by their text without typedefs.
#[derive(Debug, Clone, Default)]
pub struct OrderedRecords(HashSet<String>);

/// A definition: the type's names, and the types of what is inside.
struct Definition<'a> {
    names: Vec<String>,
    members: Vec<&'a str>,
}

impl OrderedRecords {
    /// Finds them below a node.
    pub fn of(root: &Node) -> OrderedRecords {
        let mut definitions = Vec::new();
        for holder in root.walk() {
            for (at, record) in holder.inner.iter().enumerate().filter(|(_, n)| n.is(&SyntaxKind::RecordDecl)) {
                // Unnamed records inside count as their holder's own members.
                let fields = record.walk().filter(|n| n.is(&SyntaxKind::FieldDecl));
                let members: Vec<&str> = fields.map(|field| field.ty.plain()).collect();
                if !members.is_empty() {
                    definitions.push(Definition { names: names(holder, at), members });
                }
            }
        }
        let mut found = OrderedRecords::default();
        loop {
            let before = found.0.len();
            for one in &definitions {
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

/// The names of the record at `at` among a node's children: its tag, or the typedefs of a record without a tag.
fn names(holder: &Node, at: usize) -> Vec<String> {
    let record = &holder.inner[at];
    if !record.name.is_empty() {
        return vec![format!("{} {}", record.tag, record.name)];
    }
    let after = holder.inner[at + 1..].iter().take_while(|n| n.is(&SyntaxKind::TypedefDecl));
    after.map(|typedef| typedef.name.clone()).collect()
}
