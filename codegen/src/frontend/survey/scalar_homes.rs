//! Rewrites a region's syntax tree as if its author had used an element of an array instead of a scalar.

use super::hoisted_loads::{HoistedLoads, without_parts};
use crate::frontend::clang::ast::{FilePlace, Id, Node, Unit};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use std::collections::{HashMap, HashSet};

/// First identity of copied nodes: clang's are addresses.
const COPIES: Id = 1 << 62;

/// An element in a scalar's place.
pub struct ScalarHome {
    /// The element's node.
    pub node: Node,
    /// Its text.
    pub text: String,
    /// The nodes that name the scalar, each with its bytes.
    pub names: HashMap<Id, (usize, usize)>,
    /// Statements that copy the element to the scalar or the scalar to the element.
    pub copies: HashSet<Id>,
}

/// The tree and the edits of a region with elements in the places of scalars.
pub fn rewritten(unit: &Unit, hoisted: &HoistedLoads, at: usize, homes: &[ScalarHome]) -> Option<(Unit, HoistedLoads)> {
    if homes.is_empty() {
        return None;
    }
    let function = unit.function_at(at)?;
    let place = unit.root.inner.iter().position(|node| std::ptr::eq(node, function))?;
    let mut writer = Writer { homes, made: 0 };
    let function = writer.node(function);
    let mut hoisted = hoisted.clone();
    for home in homes {
        for (begin, end) in home.names.values() {
            hoisted.edits.insert(*begin, (end - begin, home.text.clone()));
        }
    }
    Some((unit.with_function(place, function), hoisted))
}

/// Copies a tree with elements for scalars, and without copies between the two.
struct Writer<'h> {
    homes: &'h [ScalarHome],
    /// The number of copied nodes.
    made: Id,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node) -> Node {
        if self.homes.iter().any(|home| home.copies.contains(&node.id)) {
            return Node {
                id: node.id,
                kind: SyntaxKind::NullStmt,
                begin: node.begin,
                end: node.end,
                ..Node::default()
            };
        }
        if let Some(home) = self.homes.iter().find(|home| home.names.contains_key(&node.id)) {
            return self.element(&home.node, (node.begin, node.end));
        }
        let inner = node.inner.iter().map(|inner| self.node(inner)).collect();
        Node { inner, ..without_parts(node) }
    }

    /// A copy of an element that stands in another place of the text.
    fn element(&mut self, node: &Node, (begin, end): (FilePlace, FilePlace)) -> Node {
        self.made += 1;
        let id = COPIES + self.made;
        let inner = node.inner.iter().map(|inner| self.element(inner, (begin, end))).collect();
        Node { id, begin, end, inner, ..without_parts(node) }
    }
}
