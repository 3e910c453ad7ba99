//! Where the value of a scalar flows: read before it is written? dead afterwards?

use super::ast::{Id, Node};
use super::inventory::write_target;

/// What a piece of code does to one variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flow {
    /// May read the value that it had before.
    pub exposed: bool,
    /// Certainly gives it a new value (or does not go on).
    pub defines: bool,
}

impl Flow {
    fn then(self, next: Flow) -> Flow {
        Flow { exposed: self.exposed || (!self.defines && next.exposed), defines: self.defines || next.defines }
    }
}

/// Whether a subtree names the variable.
pub fn mentions(node: &Node, id: Id) -> bool {
    node.walk().any(|n| n.reference.as_ref().is_some_and(|r| r.id == id))
}

/// The flow of a sequence.
pub fn sequence<'a>(nodes: impl IntoIterator<Item = &'a Node>, id: Id) -> Flow {
    nodes.into_iter().fold(Flow::default(), |flow, node| flow.then(of(node, id)))
}

/// The flow of a statement or expression.
pub fn of(node: &Node, id: Id) -> Flow {
    let at = |k: usize| node.child(k).map(|n| of(n, id)).unwrap_or_default();
    let exits = Flow { exposed: false, defines: true };
    match node.kind.as_str() {
        "DeclRefExpr" => Flow { exposed: node.reference.as_ref().is_some_and(|r| r.id == id), defines: false },
        "ReturnStmt" => at(0).then(exits),
        "BreakStmt" | "ContinueStmt" => exits,
        "VarDecl" => {
            let inner = sequence(&node.inner, id);
            Flow { exposed: inner.exposed, defines: inner.defines || (node.id == id && node.initialised) }
        }
        "IfStmt" => {
            let (then, other) = (at(1), at(2));
            let branches = Flow { exposed: then.exposed || other.exposed, defines: then.defines && other.defines };
            at(0).then(branches)
        }
        "ConditionalOperator" => {
            let (then, other) = (at(1), at(2));
            at(0).then(Flow { exposed: then.exposed || other.exposed, defines: then.defines && other.defines })
        }
        "ForStmt" => {
            let once = at(4).then(at(3));
            at(0).then(at(2)).then(Flow { defines: false, ..once })
        }
        "WhileStmt" => {
            let all = sequence(node.inner.iter().filter(|n| !n.kind.is_empty()), id);
            Flow { defines: false, ..all }
        }
        "DoStmt" => Flow { defines: false, ..at(0).then(at(1)) },
        "SwitchStmt" | "LabelStmt" | "GotoStmt" | "IndirectGotoStmt" | "StmtExpr" | "GCCAsmStmt" | "CaseStmt"
        | "DefaultStmt" => Flow { exposed: mentions(node, id), defines: false },
        "BinaryOperator" if node.opcode == "&&" || node.opcode == "||" => at(0).then(Flow { defines: false, ..at(1) }),
        "UnaryExprOrTypeTraitExpr" => Flow::default(),
        _ => match write_target(node) {
            Some(target) if target.variable().is_some_and(|r| r.id == id) => {
                let reads = node.is("CompoundAssignOperator") || node.is("UnaryOperator");
                let right = at(1);
                Flow { exposed: right.exposed || reads, defines: true }
            }
            _ => sequence(node.inner.iter().filter(|n| !n.kind.is_empty()), id),
        },
    }
}

/// Whether the variable's value after the region may be used: `function` is the function's body, and the region is
/// what lies between the two offsets.
pub fn live_after(function: &Node, begin: usize, end: usize, id: Id) -> bool {
    let Some(path) = path_to(function, begin) else { return true };
    for (k, holder) in path.iter().enumerate().rev() {
        let below = path.get(k + 1).copied();
        let flow = match holder.kind.as_str() {
            "CompoundStmt" => sequence(
                holder.inner.iter().filter(|n| n.begin.offset >= end && below.is_none_or(|b| !std::ptr::eq(*n, b))),
                id,
            ),
            "ForStmt" => {
                let at = |k: usize| holder.child(k).map(|n| of(n, id)).unwrap_or_default();
                let around = at(3).then(at(2)).then(at(4));
                // The loop may also end after this turn.
                let defined_first = at(3).then(at(2)).defines;
                Flow { exposed: around.exposed, defines: defined_first }
            }
            "WhileStmt" | "DoStmt" => Flow { exposed: mentions(holder, id) && of(holder, id).exposed, defines: false },
            "SwitchStmt" | "StmtExpr" | "LabelStmt" => Flow { exposed: mentions(holder, id), defines: false },
            _ => Flow::default(),
        };
        if flow.exposed {
            return true;
        }
        if flow.defines {
            return false;
        }
    }
    false
}

/// The nodes from the function's body down to the one that holds the offset's statement.
fn path_to(body: &Node, begin: usize) -> Option<Vec<&Node>> {
    let mut path = vec![body];
    loop {
        let last = path[path.len() - 1];
        let next = last
            .inner
            .iter()
            .find(|n| n.begin.known && n.begin.offset <= begin && begin <= n.end.offset && (n.kind.ends_with("Stmt")));
        match next {
            Some(n) if n.begin.offset == begin => return Some(path),
            Some(n) => path.push(n),
            None => return (!path.is_empty()).then_some(path),
        }
    }
}
