//! A control-flow graph: the order in which a function, or part of one, reads and writes its variables.
//!
//! The graph covers an allow-list of statements and expressions. Any other node may read every variable, and defines
//! none.

use crate::frontend::clang::ast::Type;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::{callee, write_target};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::planted::planted;
use std::collections::HashMap;

/// A node of the graph: its reads come before its write.
#[derive(Debug, Default)]
struct Step<'a> {
    /// Variables that may be read.
    reads: Vec<Id>,
    /// The text of types with array lengths: the syntax tree shows those expressions only as text.
    words: Vec<&'a str>,
    /// A variable that certainly gets a new value.
    writes: Option<Id>,
    /// Not understood: may read every variable.
    opaque: bool,
    /// The names of functions that may be called, an empty one for a function that is not known; operands come before.
    calls: Vec<&'a str>,
    /// Possible successors.
    next: Vec<usize>,
}

/// The effect of a piece of code on one variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flow {
    /// It may read the value that the variable had before.
    pub exposed: bool,
    /// Every path to the end writes the variable.
    pub defines: bool,
}

/// The graph of a function's body or of a sequence of statements.
#[derive(Debug)]
pub struct ControlFlowGraph<'a> {
    steps: Vec<Step<'a>>,
    entry: usize,
    end: usize,
    after: Option<usize>,
    returns_twice: bool,
}

impl<'a> ControlFlowGraph<'a> {
    /// The graph of statements or expressions that run in sequence. Jumps out of them lead to an unknown place.
    pub fn of_part(nodes: &[&'a Node]) -> ControlFlowGraph<'a> {
        let mut maker = Maker::new(None);
        let outside = maker.opaque(0);
        maker.leave = outside;
        let entry = nodes.iter().rev().fold(0, |next, node| maker.statement(node, next));
        maker.finish(entry)
    }

    /// The graph of a function's body, with the node after the statement `marked`.
    pub fn of_function(body: &'a Node, marked: &'a Node) -> ControlFlowGraph<'a> {
        let mut maker = Maker::new(Some(marked));
        let entry = maker.statement(body, 0);
        maker.finish(entry)
    }

    /// The effect of the whole graph on a variable.
    pub fn flow(&self, id: Id, name: &str) -> Flow {
        let (exposed, ends) = self.search(self.entry, id, name);
        Flow { exposed, defines: !ends && !exposed }
    }

    /// Whether a variable's value after the marked statement may be used.
    pub fn alive(&self, id: Id, name: &str) -> bool {
        self.returns_twice || self.after.is_none_or(|after| self.search(after, id, name).0)
    }

    /// Whether the whole graph may read a value that the variable had before it, or that a function has left there which
    /// it calls, except those that are `harmless`.
    pub fn takes_value(&self, id: Id, name: &str, harmless: &dyn Fn(&str) -> bool) -> bool {
        let calls = |step: &&Step| !planted("a36-static") && step.calls.iter().any(|callee| !harmless(callee));
        let called = self.steps.iter().filter(calls);
        let starts = called.flat_map(|step| &step.next).chain([&self.entry]);
        self.returns_twice || starts.into_iter().any(|start| self.search(*start, id, name).0)
    }

    /// Whether some path writes the variable before it reads it.
    pub fn is_written_first(&self, id: Id, name: &str) -> bool {
        let mut seen = vec![false; self.steps.len()];
        let mut open = vec![self.entry];
        while let Some(at) = open.pop() {
            let step = &self.steps[at];
            if std::mem::replace(&mut seen[at], true) || step.reads.contains(&id) {
                continue;
            }
            if step.opaque || step.words.contains(&name) || step.writes == Some(id) {
                return true;
            }
            open.extend(&step.next);
        }
        false
    }

    /// From a node on, before any new value: is the variable read, and is the end reached?
    fn search(&self, from: usize, id: Id, name: &str) -> (bool, bool) {
        let mut seen = vec![false; self.steps.len()];
        let mut open = vec![from];
        let (mut read, mut ends) = (false, false);
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let step = &self.steps[at];
            read |= step.opaque || step.reads.contains(&id) || step.words.contains(&name);
            ends |= at == self.end;
            if step.writes != Some(id) {
                open.extend(&step.next);
            }
        }
        (read, ends)
    }
}

/// Targets of `break` and `continue`, and the entries of a `switch`.
#[derive(Default)]
struct Targets {
    leave: Vec<usize>,
    again: Vec<usize>,
    cases: Vec<(Vec<usize>, bool)>,
}

/// Builds a graph backwards: each piece takes its successor node and returns its first node.
struct Maker<'a> {
    steps: Vec<Step<'a>>,
    targets: Targets,
    labels: HashMap<Id, usize>,
    defined: Vec<Id>,
    marked: Option<&'a Node>,
    after: Option<usize>,
    /// Target of `return`.
    leave: usize,
    returns_twice: bool,
}

impl<'a> Maker<'a> {
    fn new(marked: Option<&'a Node>) -> Maker<'a> {
        Maker {
            steps: vec![Step::default()],
            targets: Targets::default(),
            labels: HashMap::new(),
            defined: vec![],
            marked,
            after: None,
            leave: 0,
            returns_twice: false,
        }
    }

    fn finish(mut self, entry: usize) -> ControlFlowGraph<'a> {
        for (label, step) in &self.labels {
            self.steps[*step].opaque |= !self.defined.contains(label);
        }
        let Maker { steps, after, returns_twice, .. } = self;
        ControlFlowGraph { steps, entry, end: 0, after, returns_twice }
    }

    fn add(&mut self, step: Step<'a>) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    fn join(&mut self, next: Vec<usize>) -> usize {
        self.add(Step { next, ..Step::default() })
    }

    fn opaque(&mut self, next: usize) -> usize {
        self.add(Step { opaque: true, calls: vec![""], next: vec![next], ..Step::default() })
    }

    fn read(&mut self, id: Id, next: usize) -> usize {
        self.add(Step { reads: vec![id], next: vec![next], ..Step::default() })
    }

    fn write(&mut self, id: Id, next: usize) -> usize {
        self.add(Step { writes: Some(id), next: vec![next], ..Step::default() })
    }

    /// Array lengths in a type name are evaluated.
    fn lengths(&mut self, ty: &'a Type, next: usize) -> usize {
        let words = length_words(&ty.written);
        let calls = length_calls(&ty.written).into_iter().collect();
        if words.is_empty() { next } else { self.add(Step { words, calls, next: vec![next], ..Step::default() }) }
    }

    /// The node may read every variable that it names, and call every function, and certainly defines no variable.
    fn mention(&mut self, node: &'a Node, next: usize) -> usize {
        if node.walk().any(|n| n.is(&SyntaxKind::StmtExpr) || !is_known(&n.kind)) {
            return self.opaque(next);
        }
        let reads = node.walk().filter_map(|n| n.reference.as_ref()).map(|r| r.id).collect();
        let types = |n: &'a Node| [Some(&n.ty), n.argument.as_ref()];
        let written = || node.walk().flat_map(types).flatten().map(|t| t.written.as_str());
        let words = written().flat_map(length_words).collect();
        let mut calls: Vec<&str> = written().filter_map(length_calls).collect();
        for call in node.walk().filter(|n| n.is(&SyntaxKind::CallExpr) && !is_builtin(n)) {
            self.returns_twice |= returns_twice(call);
            calls.push(callee(call).unwrap_or_default());
        }
        self.add(Step { reads, words, calls, next: vec![next], ..Step::default() })
    }

    fn statement(&mut self, node: &'a Node, next: usize) -> usize {
        if self.marked.is_some_and(|marked| std::ptr::eq(marked, node)) {
            self.after = Some(next);
        }
        let children = node.inner.as_slice();
        let whole = children.iter().all(|n| !n.kind.is_absent());
        match (&node.kind, children) {
            (SyntaxKind::NullStmt, []) => next,
            (SyntaxKind::CompoundStmt, list) if whole => {
                list.iter().rev().fold(next, |next, n| self.statement(n, next))
            }
            (SyntaxKind::DeclStmt, list) if whole => list.iter().rev().fold(next, |next, n| self.declaration(n, next)),
            (SyntaxKind::IfStmt, [test, branches @ ..]) if whole && (1..=2).contains(&branches.len()) => {
                let mut ways: Vec<usize> = branches.iter().map(|n| self.statement(n, next)).collect();
                if ways.len() == 1 {
                    ways.push(next);
                }
                let branch = self.join(ways);
                self.expression(test, branch)
            }
            (SyntaxKind::ForStmt, [first, variable, test, step, body]) if variable.kind.is_absent() => {
                self.for_loop([first, test, step, body], next)
            }
            (SyntaxKind::WhileStmt, [test, body]) if whole => {
                let head = self.join(vec![]);
                let inside = self.body(body, next, head);
                let entry = self.choice(Some(test), inside, next);
                self.steps[head].next.push(entry);
                head
            }
            (SyntaxKind::DoStmt, [body, test]) if whole => {
                let head = self.join(vec![]);
                let again = self.choice(Some(test), head, next);
                let inside = self.body(body, next, again);
                self.steps[head].next.push(inside);
                head
            }
            (SyntaxKind::SwitchStmt, [value, body]) if whole => self.switch(value, body, next),
            (SyntaxKind::CaseStmt | SyntaxKind::DefaultStmt, [.., body]) if whole => {
                let entry = self.statement(body, next);
                if let Some((cases, default)) = self.targets.cases.last_mut() {
                    cases.push(entry);
                    *default |= node.is(&SyntaxKind::DefaultStmt);
                }
                entry
            }
            (SyntaxKind::LabelStmt, [body]) if whole => {
                let entry = self.statement(body, next);
                let label = self.label(node.label);
                self.steps[label].next.push(entry);
                self.defined.push(node.label);
                label
            }
            (SyntaxKind::GotoStmt, []) => self.label(node.label),
            (SyntaxKind::BreakStmt, []) => self.jump(self.targets.leave.last().copied()),
            (SyntaxKind::ContinueStmt, []) => self.jump(self.targets.again.last().copied()),
            (SyntaxKind::ReturnStmt, []) => self.leave,
            (SyntaxKind::ReturnStmt, [value]) if whole => self.expression(value, self.leave),
            (SyntaxKind::AttributedStmt, [attributes @ .., body])
                if attributes.iter().all(|n| n.kind.is_attribute()) =>
            {
                self.statement(body, next)
            }
            _ => {
                let entry = self.expression(node, next);
                // A `switch` may jump into a node that is not understood.
                if self.steps[entry].opaque
                    && let Some((cases, _)) = self.targets.cases.last_mut()
                {
                    cases.push(entry);
                }
                entry
            }
        }
    }

    fn label(&mut self, id: Id) -> usize {
        if let Some(step) = self.labels.get(&id) {
            return *step;
        }
        let step = self.join(vec![]);
        self.labels.insert(id, step);
        step
    }

    fn jump(&mut self, target: Option<usize>) -> usize {
        if planted("a3-liveness") {
            return self.join(vec![]);
        }
        target.unwrap_or_else(|| self.opaque(0))
    }

    fn body(&mut self, body: &'a Node, leave: usize, again: usize) -> usize {
        self.targets.leave.push(leave);
        self.targets.again.push(again);
        let entry = self.statement(body, again);
        self.targets.leave.pop();
        self.targets.again.pop();
        entry
    }

    /// A condition: a literal, or a missing condition, leads only one way.
    fn choice(&mut self, test: Option<&'a Node>, yes: usize, no: usize) -> usize {
        let Some(test) = test else { return yes };
        let ways = match truth(test) {
            Some(true) => vec![yes],
            Some(false) => vec![no],
            None => vec![yes, no],
        };
        let branch = self.join(ways);
        self.expression(test, branch)
    }

    fn for_loop(&mut self, [first, test, step, body]: [&'a Node; 4], next: usize) -> usize {
        let there = |n: &'a Node| Some(n).filter(|n| !n.kind.is_absent());
        let head = self.join(vec![]);
        let again = there(step).map_or(head, |n| self.expression(n, head));
        let inside = self.body(body, next, again);
        let entry = self.choice(there(test), inside, next);
        self.steps[head].next.push(entry);
        there(first).map_or(head, |n| self.statement(n, head))
    }

    fn switch(&mut self, value: &'a Node, body: &'a Node, next: usize) -> usize {
        self.targets.cases.push((vec![], false));
        self.targets.leave.push(next);
        self.statement(body, next);
        self.targets.leave.pop();
        let (mut ways, default) = self.targets.cases.pop().unwrap_or_default();
        if !default {
            ways.push(next);
        }
        let branch = self.join(ways);
        self.expression(value, branch)
    }

    fn declaration(&mut self, node: &'a Node, next: usize) -> usize {
        match node.kind {
            SyntaxKind::VarDecl => {
                let parts: Vec<&Node> = node.inner.iter().filter(|n| !n.kind.is_attribute()).collect();
                if matches!(node.storage.as_str(), "static" | "extern") {
                    return parts.iter().fold(next, |next, n| self.mention(n, next));
                }
                // Without an initialiser, an object in practice keeps its old value.
                let set = if node.initialised { self.write(node.id, next) } else { next };
                let entry = self.operands(&parts, set);
                self.lengths(&node.ty, entry)
            }
            SyntaxKind::TypedefDecl => self.lengths(&node.ty, next),
            SyntaxKind::RecordDecl
            | SyntaxKind::EnumDecl
            | SyntaxKind::EmptyDecl
            | SyntaxKind::StaticAssertDecl
            | SyntaxKind::FunctionDecl => next,
            _ => self.opaque(next),
        }
    }

    fn expression(&mut self, node: &'a Node, next: usize) -> usize {
        let children: Vec<&Node> = node.inner.iter().filter(|n| !n.kind.is_absent()).collect();
        match (&node.kind, children.as_slice()) {
            (kind, []) if CONSTANTS.contains(kind) => next,
            (SyntaxKind::StringLiteral | SyntaxKind::PredefinedExpr, _) => next,
            (SyntaxKind::DeclRefExpr, _) => match &node.reference {
                Some(r) if matches!(r.kind, SyntaxKind::FunctionDecl | SyntaxKind::EnumConstantDecl) => next,
                Some(r) => self.read(r.id, next),
                None => self.opaque(next),
            },
            (
                SyntaxKind::ParenExpr
                | SyntaxKind::ConstantExpr
                | SyntaxKind::ImplicitCastExpr
                | SyntaxKind::MemberExpr
                | SyntaxKind::ImaginaryLiteral,
                [inner],
            ) => self.expression(inner, next),
            (SyntaxKind::CStyleCastExpr | SyntaxKind::CompoundLiteralExpr, [inner]) => {
                let entry = self.expression(inner, next);
                self.lengths(&node.ty, entry)
            }
            (SyntaxKind::ArraySubscriptExpr | SyntaxKind::InitListExpr, list) => self.operands(list, next),
            (SyntaxKind::ConditionalOperator, [test, yes, no]) => {
                let ways = vec![self.expression(yes, next), self.expression(no, next)];
                let branch = self.join(ways);
                self.expression(test, branch)
            }
            (SyntaxKind::BinaryOperator, [left, right]) => self.binary(node, left, right, next),
            (SyntaxKind::CompoundAssignOperator, [left, right]) => {
                let set = self.assigned(left, next);
                self.operands(&[left, right], set)
            }
            (SyntaxKind::UnaryOperator, [inner]) => match node.opcode.as_str() {
                "++" | "--" => {
                    let set = self.assigned(inner, next);
                    self.expression(inner, set)
                }
                "+" | "-" | "!" | "~" | "*" | "&" | "__real" | "__imag" | "__extension__" => {
                    self.expression(inner, next)
                }
                _ => self.opaque(next),
            },
            (SyntaxKind::CallExpr, [_, ..]) => self.call(node, &children, next),
            (SyntaxKind::UnaryExprOrTypeTraitExpr, _) => {
                let types = node.walk().flat_map(|n| [Some(&n.ty), n.argument.as_ref()]).flatten();
                let varies = types.into_iter().any(|t| ctype::varies(&t.written) || ctype::varies(t.plain()));
                if varies { self.mention(node, next) } else { next }
            }
            (SyntaxKind::StmtExpr, [block]) => self.statement(block, next),
            (kind, _) if MENTIONED.contains(kind) => self.mention(node, next),
            _ => self.opaque(next),
        }
    }

    /// A write to a whole variable; a write to a part defines nothing.
    fn assigned(&mut self, target: &Node, next: usize) -> usize {
        match target.variable() {
            Some(r) => self.write(r.id, next),
            None => next,
        }
    }

    fn binary(&mut self, node: &Node, left: &'a Node, right: &'a Node, next: usize) -> usize {
        match node.opcode.as_str() {
            "=" if left.variable().is_some() => {
                let set = self.assigned(left, next);
                self.expression(right, set)
            }
            "&&" | "||" => {
                let ways = vec![self.expression(right, next), next];
                let branch = self.join(ways);
                self.expression(left, branch)
            }
            "," => {
                let entry = self.expression(right, next);
                self.expression(left, entry)
            }
            _ => self.operands(&[left, right], next),
        }
    }

    fn call(&mut self, call: &'a Node, all: &[&'a Node], next: usize) -> usize {
        self.returns_twice |= returns_twice(call);
        // Built-in functions do not always evaluate their arguments.
        if is_builtin(call) {
            return all[1..].iter().fold(next, |next, n| self.mention(n, next));
        }
        let calls = vec![callee(call).unwrap_or_default()];
        let called = self.add(Step { calls, next: vec![next], ..Step::default() });
        self.operands(all, called)
    }

    /// Operands in any order: a variable that one operand writes and another names may be read first.
    fn operands(&mut self, nodes: &[&'a Node], next: usize) -> usize {
        let mut entry = nodes.iter().rev().fold(next, |next, n| self.expression(n, next));
        if nodes.len() > 1 {
            for (k, node) in nodes.iter().enumerate() {
                let written = node.walk().filter_map(write_target).filter_map(Node::variable);
                for id in written.map(|r| r.id) {
                    let others = nodes.iter().enumerate().filter(|(other, _)| *other != k);
                    if others.into_iter().any(|(_, n)| mentions(n, id)) {
                        entry = self.read(id, entry);
                    }
                }
            }
        }
        entry
    }
}

/// Expressions without operands and without a variable.
const CONSTANTS: [SyntaxKind; 7] = [
    SyntaxKind::IntegerLiteral,
    SyntaxKind::FloatingLiteral,
    SyntaxKind::CharacterLiteral,
    SyntaxKind::FixedPointLiteral,
    SyntaxKind::ImplicitValueInitExpr,
    SyntaxKind::NoInitExpr,
    SyntaxKind::SourceLocExpr,
];

/// Expressions that do not always evaluate their operands, or in an order that the tree does not show.
const MENTIONED: [SyntaxKind; 10] = [
    SyntaxKind::GenericSelectionExpr,
    SyntaxKind::VAArgExpr,
    SyntaxKind::AtomicExpr,
    SyntaxKind::OffsetOfExpr,
    SyntaxKind::ChooseExpr,
    SyntaxKind::BinaryConditionalOperator,
    SyntaxKind::DesignatedInitExpr,
    SyntaxKind::ShuffleVectorExpr,
    SyntaxKind::ConvertVectorExpr,
    SyntaxKind::TypeTraitExpr,
];

/// Whether the tree shows everything that such an expression names.
fn is_known(kind: &SyntaxKind) -> bool {
    const KNOWN: [SyntaxKind; 22] = [
        SyntaxKind::StringLiteral,
        SyntaxKind::PredefinedExpr,
        SyntaxKind::DeclRefExpr,
        SyntaxKind::ParenExpr,
        SyntaxKind::ConstantExpr,
        SyntaxKind::ImplicitCastExpr,
        SyntaxKind::MemberExpr,
        SyntaxKind::ImaginaryLiteral,
        SyntaxKind::CStyleCastExpr,
        SyntaxKind::CompoundLiteralExpr,
        SyntaxKind::ArraySubscriptExpr,
        SyntaxKind::InitListExpr,
        SyntaxKind::ConditionalOperator,
        SyntaxKind::BinaryOperator,
        SyntaxKind::CompoundAssignOperator,
        SyntaxKind::UnaryOperator,
        SyntaxKind::CallExpr,
        SyntaxKind::UnaryExprOrTypeTraitExpr,
        SyntaxKind::OpaqueValueExpr,
        SyntaxKind::VariableArrayType,
        SyntaxKind::Association,
        SyntaxKind::RecordDecl,
    ];
    KNOWN.contains(kind)
        || CONSTANTS.contains(kind)
        || MENTIONED.contains(kind)
        || matches!(
            kind,
            SyntaxKind::BuiltinType
                | SyntaxKind::PointerType
                | SyntaxKind::TypedefType
                | SyntaxKind::RecordType
                | SyntaxKind::EnumType
                | SyntaxKind::ElaboratedType
        )
        || matches!(kind, SyntaxKind::QualType | SyntaxKind::ConstantArrayType | SyntaxKind::FieldDecl)
}

/// Whether a subtree names the variable.
pub fn mentions(node: &Node, id: Id) -> bool {
    node.walk().any(|n| n.reference.as_ref().is_some_and(|r| r.id == id))
}

/// Whether a call may return a second time.
fn returns_twice(call: &Node) -> bool {
    let named = call.inner.iter().take(1).flat_map(Node::walk).filter_map(|n| n.reference.as_ref());
    named.into_iter().any(|r| {
        let bare = r.name.trim_start_matches('_').trim_start_matches("builtin_");
        matches!(bare, "setjmp" | "sigsetjmp" | "savectx" | "vfork" | "getcontext")
    })
}

/// Whether a call is of a function that only the compiler knows.
fn is_builtin(call: &Node) -> bool {
    call.inner.iter().take(1).flat_map(Node::walk).any(|n| n.cast == "BuiltinFnToFnPtr")
}

/// An unknown function, if the array lengths of a type may have a call: clang writes none with a space.
fn length_calls(ty: &str) -> Option<&'static str> {
    let ends = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'_' | b')' | b']');
    (ctype::varies(ty) && ty.as_bytes().windows(2).any(|pair| pair[1] == b'(' && ends(pair[0]))).then_some("")
}

fn length_words(ty: &str) -> Vec<&str> {
    if ctype::varies(ty) { ctype::words(ty).collect() } else { vec![] }
}

/// The value of a condition that is a literal.
fn truth(node: &Node) -> Option<bool> {
    match (&node.kind, node.inner.first()) {
        (SyntaxKind::ParenExpr | SyntaxKind::ConstantExpr | SyntaxKind::ImplicitCastExpr, Some(inner)) => truth(inner),
        (SyntaxKind::IntegerLiteral, _) => node.value.as_ref().map(|value| value != "0"),
        _ => None,
    }
}
