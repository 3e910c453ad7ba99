//! Rewrites a region's syntax tree as if its author had used `else` instead of `continue`: `if (c) continue; rest` is
//! `if (c) ; else { rest }`, so that what the condition says is known of the rest.
//!
//! The texts keep their `continue`. Where the rest would stand in two branches, or a label stands in the loop, the
//! `continue` stays in the tree, too.

use super::hoisted_loads::without_parts;
use super::jumps;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::syntax_kind::SyntaxKind;

/// First identity of the blocks made here: clang's are addresses, and copied elements have others.
const BLOCKS: Id = 1 << 61;

/// The tree in which the loops of the region `roots` of `function` have `else` for `continue`, if any of them has one.
pub fn rewritten(unit: &Unit, function: &Node, roots: &[&Node]) -> Option<Unit> {
    if !roots.iter().flat_map(|root| root.walk()).any(|n| n.is(&SyntaxKind::ContinueStmt)) {
        return None;
    }
    let place = unit.root.inner.iter().position(|node| std::ptr::eq(node, function))?;
    let function = Writer { roots, made: 0 }.node(function, false);
    Some(unit.with_function(place, function))
}

/// Copies a tree with the loops of the region rewritten.
struct Writer<'r> {
    roots: &'r [&'r Node],
    /// The number of blocks made.
    made: Id,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node, inside: bool) -> Node {
        let inside = inside || self.roots.iter().any(|root| std::ptr::eq(*root, node));
        let inner = node.inner.iter().map(|part| self.node(part, inside)).collect();
        let mut copy = Node { inner, ..without_parts(node) };
        let body = match node.kind {
            SyntaxKind::ForStmt if inside => copy.inner.get_mut(4),
            SyntaxKind::WhileStmt if inside => copy.inner.get_mut(1),
            SyntaxKind::DoStmt if inside => copy.inner.get_mut(0),
            _ => None,
        };
        if let Some(body) = body.filter(|body| !body.walk().any(|n| n.is(&SyntaxKind::LabelStmt))) {
            self.last(body);
        }
        copy
    }

    /// Rewrites a statement after which an iteration ends.
    fn last(&mut self, node: &mut Node) {
        match node.kind {
            SyntaxKind::ContinueStmt => {
                let (id, begin, end) = (node.id, node.begin, node.end);
                let opcode = jumps::CONTINUE.to_owned();
                *node = Node { id, kind: SyntaxKind::NullStmt, opcode, begin, end, ..Node::default() };
            }
            SyntaxKind::CompoundStmt => {
                let list = std::mem::take(&mut node.inner);
                node.inner = self.list(list);
            }
            SyntaxKind::IfStmt => node.inner.iter_mut().skip(1).for_each(|branch| self.last(branch)),
            _ => {}
        }
    }

    /// Rewrites a list of statements after which an iteration ends.
    fn list(&mut self, mut list: Vec<Node>) -> Vec<Node> {
        let Some(at) = list.iter().position(|n| jumps::open_continue(n).is_some()) else { return list };
        let mut rest = list.split_off(at + 1);
        let Some(chosen) = list.last_mut() else { return list };
        let then_ends = chosen.is(&SyntaxKind::IfStmt) && chosen.inner.get(1).is_some_and(always_continues);
        if rest.is_empty() {
            self.last(chosen);
        } else if then_ends {
            chosen.end = rest.last().map_or(chosen.end, |last| last.end);
            self.last(&mut chosen.inner[1]);
            rest.splice(..0, chosen.inner.drain(2..));
            self.made += 1;
            let (id, kind) = (BLOCKS + self.made, SyntaxKind::CompoundStmt);
            let inner = self.list(rest);
            // The block has the branch's place: the text of no other statement is there.
            let (begin, end) = (chosen.begin, chosen.end);
            chosen.inner.push(Node { id, kind, begin, end, inner, ..Node::default() });
        } else {
            list.append(&mut rest);
        }
        list
    }
}

/// Whether a statement ends with a `continue` that nothing passes by.
fn always_continues(node: &Node) -> bool {
    match node.kind {
        SyntaxKind::ContinueStmt => true,
        SyntaxKind::CompoundStmt => node.inner.last().is_some_and(always_continues),
        _ => false,
    }
}
