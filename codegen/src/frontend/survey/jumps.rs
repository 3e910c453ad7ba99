//! `goto` inside the body of one loop, forward to a label of a block around it: statements between which such jumps lead
//! stay together as one statement of the model. All other jumps are refused.

use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use std::collections::{HashMap, HashSet};

/// The labels of a function to which only such jumps lead.
#[derive(Debug, Clone, Default)]
pub struct ForwardJumps {
    labels: HashSet<Id>,
}

/// What a walk over a function finds.
#[derive(Default)]
struct Found<'a> {
    /// For each `goto`: its label, its offset, and the blocks around it inside the innermost loop.
    jumps: Vec<(Id, usize, Vec<*const Node>)>,
    /// Labels that stand directly in a block, with their offsets.
    labels: HashMap<Id, (&'a Node, *const Node)>,
    /// Something may jump that the tree does not show.
    strange: bool,
}

impl ForwardJumps {
    /// Looks through a function's body.
    pub fn of(body: &Node) -> ForwardJumps {
        let mut found = Found::default();
        found.visit(body, &mut vec![]);
        let forward = |id: &Id, label: &Node, block: *const Node| {
            let mut own = found.jumps.iter().filter(|(to, ..)| to == id).peekable();
            own.peek().is_some() && own.all(|(_, at, blocks)| *at < label.begin.offset && blocks.contains(&block))
        };
        let labels = found.labels.iter().filter(|(id, (label, block))| forward(id, label, *block));
        ForwardJumps { labels: labels.map(|(id, _)| *id).filter(|_| !found.strange).collect() }
    }

    /// Whether only such jumps lead to a label.
    pub fn allows(&self, label: Id) -> bool {
        self.labels.contains(&label)
    }
}

impl<'a> Found<'a> {
    fn visit(&mut self, node: &'a Node, blocks: &mut Vec<*const Node>) {
        match node.kind {
            SyntaxKind::GotoStmt => self.jumps.push((node.label, node.begin.offset, blocks.clone())),
            SyntaxKind::IndirectGotoStmt
            | SyntaxKind::GCCAsmStmt
            | SyntaxKind::MSAsmStmt
            | SyntaxKind::StmtExpr
            | SyntaxKind::SwitchStmt => self.strange = true,
            _ => {}
        }
        self.strange |= node.kind.to_string() == "AddrLabelExpr";
        let is_block = node.is(&SyntaxKind::CompoundStmt);
        let is_loop = matches!(node.kind, SyntaxKind::ForStmt | SyntaxKind::WhileStmt | SyntaxKind::DoStmt);
        let around = if is_loop { std::mem::take(blocks) } else { vec![] };
        if is_block {
            blocks.push(std::ptr::from_ref(node));
            let plain =
                node.inner.iter().filter(|n| n.is(&SyntaxKind::LabelStmt) && n.begin.known && !n.begin.expanded);
            self.labels.extend(plain.map(|label| (label.label, (label, std::ptr::from_ref(node)))));
        }
        for inner in &node.inner {
            self.visit(inner, blocks);
        }
        if is_block {
            blocks.pop();
        }
        if is_loop {
            *blocks = around;
        }
    }
}

/// Whether the tree has a `goto`.
pub fn has_jumps(node: &Node) -> bool {
    node.walk().any(|n| n.is(&SyntaxKind::GotoStmt))
}

/// Whether jumps lead from a statement to one beside it, or the other way around.
pub fn is_open(statement: &Node) -> bool {
    statement.is(&SyntaxKind::LabelStmt) || leaves(&[statement]).is_some()
}

/// A `goto` in a sequence of statements whose label is not in it.
pub fn leaves<'a>(statements: &[&'a Node]) -> Option<&'a Node> {
    let inside: HashSet<Id> = labels(statements).iter().map(|label| label.label).collect();
    let mut all = statements.iter().flat_map(|statement| statement.walk());
    all.find(|n| n.is(&SyntaxKind::GotoStmt) && !inside.contains(&n.label))
}

/// The labels in a sequence of statements.
pub fn labels<'a>(statements: &[&'a Node]) -> Vec<&'a Node> {
    statements.iter().flat_map(|statement| statement.walk()).filter(|n| n.is(&SyntaxKind::LabelStmt)).collect()
}
