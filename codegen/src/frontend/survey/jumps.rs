//! Jumps inside the body of one loop: `goto` forward to a label of a block around it, `continue`, and the `break` of a loop
//! or `switch` inside. Statements between which such jumps lead stay together as one statement of the model. All other
//! jumps are refused.

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

/// What an empty statement in the place of a `continue` has as its operator.
pub const CONTINUE: &str = "continue";

/// Whether a jump in the tree may pass over statements that are not in a branch.
pub fn has_jumps(node: &Node) -> bool {
    node.walk().any(|n| match n.kind {
        SyntaxKind::GotoStmt | SyntaxKind::ContinueStmt => true,
        SyntaxKind::ForStmt => n.inner.iter().any(|part| open_break(part).is_some()),
        _ => false,
    })
}

/// Whether a tree has no statements but blocks, loops that run all their iterations, branches and declarations.
pub fn is_structured(node: &Node) -> bool {
    let listed =
        [SyntaxKind::CompoundStmt, SyntaxKind::ForStmt, SyntaxKind::IfStmt, SyntaxKind::DeclStmt, SyntaxKind::NullStmt];
    node.walk().all(|n| !n.kind.is_statement() || listed.contains(&n.kind))
}

/// Whether data tell how often, or which, parts of a statement run.
pub fn is_told_by_data(node: &Node) -> bool {
    matches!(node.kind, SyntaxKind::WhileStmt | SyntaxKind::DoStmt | SyntaxKind::SwitchStmt)
}

/// Whether jumps lead from a statement to one beside it, or the other way around.
pub fn is_open(statement: &Node) -> bool {
    statement.is(&SyntaxKind::LabelStmt) || leaves(&[statement]).is_some() || open_continue(statement).is_some()
}

/// A jump out of a sequence of statements: a `goto` whose label is not in it, or a `break` of a loop or `switch` around it.
pub fn leaves<'a>(statements: &[&'a Node]) -> Option<&'a Node> {
    let inside: HashSet<Id> = labels(statements).iter().map(|label| label.label).collect();
    let mut all = statements.iter().flat_map(|statement| statement.walk());
    let out = all.find(|n| n.is(&SyntaxKind::GotoStmt) && !inside.contains(&n.label));
    out.or_else(|| statements.iter().find_map(|statement| open_break(statement)))
}

/// A `break` of a loop or `switch` around a statement.
pub fn open_break(statement: &Node) -> Option<&Node> {
    match statement.kind {
        SyntaxKind::BreakStmt => Some(statement),
        SyntaxKind::ForStmt | SyntaxKind::WhileStmt | SyntaxKind::DoStmt | SyntaxKind::SwitchStmt => None,
        _ => statement.inner.iter().find_map(open_break),
    }
}

/// A `continue` of a loop around a statement.
pub fn open_continue(statement: &Node) -> Option<&Node> {
    match statement.kind {
        SyntaxKind::ContinueStmt => Some(statement),
        SyntaxKind::ForStmt | SyntaxKind::WhileStmt | SyntaxKind::DoStmt => None,
        _ => statement.inner.iter().find_map(open_continue),
    }
}

/// Whether a statement's text has a `continue` of a loop around it.
pub fn has_open_text(statement: &Node) -> bool {
    match statement.kind {
        SyntaxKind::ContinueStmt => true,
        SyntaxKind::NullStmt => statement.opcode == CONTINUE,
        SyntaxKind::ForStmt | SyntaxKind::WhileStmt | SyntaxKind::DoStmt => false,
        _ => statement.inner.iter().any(has_open_text),
    }
}

/// The labels in a sequence of statements.
pub fn labels<'a>(statements: &[&'a Node]) -> Vec<&'a Node> {
    statements.iter().flat_map(|statement| statement.walk()).filter(|n| n.is(&SyntaxKind::LabelStmt)).collect()
}
