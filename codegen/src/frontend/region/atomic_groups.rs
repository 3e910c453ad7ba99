//! Groups statements that must stay together because a scalar's value flows between them, and chooses scalars to copy.
//!
//! The result is the finest legal splitting: each scalar is followed into the innermost block that always writes it
//! before reading it; there, the statements from its first to its last use become one atomic statement.

use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::control_flow::ControlFlowGraph;
use crate::frontend::effects::liveness;
use crate::frontend::effects::statement_effects::{self, CONVERSIONS, OPERATORS};
use crate::frontend::survey::jumps::is_open;
use crate::frontend::survey::loop_header::{self, LoopHeader};
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::refusal::Code;

/// A block's statements; an unbraced statement is a block of one.
pub fn children(node: &Node) -> Vec<&Node> {
    if node.is(&SyntaxKind::CompoundStmt) { node.inner.iter().collect() } else { vec![node] }
}

/// Ranges of statements to keep together: (block, first, last).
type Ranges = Vec<(Id, usize, usize)>;

impl<'a> RegionBuilder<'a> {
    /// Groups statements for every scalar that the region declares or writes.
    pub fn group(&mut self, roots: &[&'a Node], graph: &ControlFlowGraph) -> Result<(), Refusal> {
        self.group_declared(0, roots)?;
        let left = self.variables.counters.iter().filter(|(id, _)| self.variables.left.contains(id));
        let mut outer: Vec<(Id, &Node)> = self.variables.written.iter().chain(left).map(|(id, n)| (*id, *n)).collect();
        outer.sort_by_key(|(_, n)| n.begin.offset);
        for (id, _) in outer {
            let Some(variable) = self.unit.declaration(id) else { continue };
            let plain = variable.ty.plain();
            let followed = self.forwarded.contains_key(&id) || self.closed.contains(&id);
            if followed || self.is_reduced(id) || self.private.contains(&id) {
                continue;
            }
            if self.variables.declared.contains_key(&id) || ctype::is_pointer(plain) || ctype::is_array(plain) {
                continue;
            }
            let passed = || self.is_only_passed(variable) && !graph.alive(id, &variable.name);
            if self.alive_after(graph, variable) && !passed() {
                continue;
            }
            let mut ranges = Ranges::new();
            if follow(0, roots, variable, 0, &mut ranges) {
                self.private.insert(id);
                self.keep(ranges);
            }
        }
        self.merge();
        Ok(())
    }

    /// Groups for scalars, pointers and small arrays declared in blocks of the region.
    fn group_declared(&mut self, block: Id, statements: &[&'a Node]) -> Result<(), Refusal> {
        for (k, statement) in statements.iter().enumerate() {
            match statement.kind {
                SyntaxKind::DeclStmt => {
                    for variable in &statement.inner {
                        if !variable.is(&SyntaxKind::VarDecl) {
                            return Err(statement_effects::unknown(variable));
                        }
                        statement_effects::check_local(self.unit, variable)?;
                        self.check_lengths(variable)?;
                        self.place_declaration(block, statements, k, variable);
                    }
                }
                SyntaxKind::CompoundStmt => self.group_declared(statement.id, &children(statement))?,
                _ => {
                    let is_loop = statement.is(&SyntaxKind::ForStmt);
                    let header = if is_loop { loop_header::header(self.unit, statement).ok() } else { None };
                    for variable in header.iter().flat_map(LoopHeader::declared_beside) {
                        statement_effects::check_local(self.unit, variable)?;
                        self.check_lengths(variable)?;
                        self.place_beside_counter(block, statements, k, variable);
                    }
                    for inner in statement.inner.iter().filter(|n| n.kind.is_statement()) {
                        self.group_declared(inner.id, &children(inner))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses a type whose array lengths may change in the region.
    fn check_lengths(&self, variable: &Node) -> Result<(), Refusal> {
        if !ctype::varies(&variable.ty.written) && !ctype::varies(variable.ty.plain()) {
            return Ok(());
        }
        let text = format!("{} {}", variable.ty.written, variable.ty.plain());
        let changing = self.variables.declared.keys().chain(self.variables.written.keys());
        let changing: Vec<&Node> = changing
            .chain(self.variables.counters.keys())
            .filter_map(|id| self.unit.declaration(*id))
            .filter(|d| ctype::words(&text).any(|word| word == d.name))
            .collect();
        changing.first().map_or(Ok(()), |other| {
            let reason = format!("the type of `{}` depends on `{}`, which the region sets", variable.name, other.name);
            Err(Refusal::at(Code::ChangingType, variable, reason, "compute lengths of types before the region"))
        })
    }

    fn place_declaration(&mut self, block: Id, statements: &[&'a Node], at: usize, variable: &'a Node) {
        let id = variable.id;
        let followed = self.forwarded.contains_key(&id) || self.closed.contains(&id);
        let counts = self.variables.is_counter(id) && !self.variables.left.contains(&id);
        if counts || self.repeatable(variable) || followed {
            return;
        }
        let uses: Vec<usize> = (at + 1..statements.len()).filter(|k| liveness::mentions(statements[*k], id)).collect();
        let Some(last) = uses.last() else { return };
        let mut ranges = Ranges::new();
        let scalar = !ctype::is_array(variable.ty.plain());
        if scalar && !variable.initialised && follow(block, &statements[at + 1..], variable, at + 1, &mut ranges) {
            self.private.insert(id);
            self.keep(ranges);
        } else {
            self.keep(vec![(block, at, *last)]);
        }
    }

    /// Groups for a variable that a loop's header declares beside its counter.
    fn place_beside_counter(&mut self, block: Id, statements: &[&'a Node], at: usize, variable: &'a Node) {
        if self.is_declared_only(variable) {
            return;
        }
        let mut ranges = Ranges::new();
        let initial = variable.initial_value();
        let idle = !ctype::is_array(variable.ty.plain()) && initial.is_none_or(|n| self.steady(n));
        if idle && inside(block, statements[at], variable, at, &mut ranges) {
            self.private.insert(variable.id);
            self.keep(ranges);
        } else if block != 0 {
            self.keep(vec![(block, at, at)]);
        }
    }

    /// Whether nothing has to run where a variable is declared: who uses it computes its value, or sets it first.
    pub fn is_declared_only(&self, variable: &Node) -> bool {
        let id = variable.id;
        let told = self.closed.contains(&id) || self.forwarded.contains_key(&id) || self.repeatable(variable);
        let unused = || !self.variables.roots.iter().any(|root| liveness::mentions(root, id));
        told || self.private.contains(&id) || unused()
    }

    /// Whether a declaration can be repeated wherever its variable is used: the variable never changes, and its
    /// initialiser reads no memory that the region may change.
    pub fn repeatable(&self, variable: &Node) -> bool {
        let initial = variable.initial_value();
        let plain = variable.ty.plain();
        let written = self.variables.written.contains_key(&variable.id) && !ctype::is_pointer(plain);
        if written || ctype::is_array(plain) || self.variables.left.contains(&variable.id) {
            return false;
        }
        let changed_pointer = self.variables.written.get(&variable.id).and_then(|n| expression_parts::write_target(n));
        if changed_pointer.is_some_and(|t| t.variable().is_some()) {
            return false;
        }
        initial.is_some_and(|n| !liveness::mentions(n, variable.id) && self.steady(n))
    }

    pub fn steady(&self, node: &Node) -> bool {
        let here = match node.kind {
            SyntaxKind::DeclRefExpr => {
                node.reference.as_ref().is_none_or(|r| match self.variables.declared.get(&r.id) {
                    _ if self.variables.left.contains(&r.id) => false,
                    Some(_) if self.variables.is_counter(r.id) => true,
                    Some(local) => self.repeatable(local) || self.forwarded.contains_key(&r.id),
                    None => {
                        let array = self
                            .unit
                            .declaration(r.id)
                            .is_some_and(|d| ctype::is_array(d.ty.plain()) || ctype::is_pointer(d.ty.plain()));
                        array || !self.variables.written.contains_key(&r.id) || self.forwarded.contains_key(&r.id)
                    }
                })
            }
            _ if STEADY.contains(&node.kind) => true,
            SyntaxKind::ImplicitCastExpr if node.cast == "LValueToRValue" => {
                // The value of a scalar or pointer variable, but not an element of an array: of these only the pointers
                // of a table keep their values, as the entry checks.
                node.bare().variable().is_some() || !loads_memory(node) || ctype::is_pointer(node.ty.plain())
            }
            SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr => {
                CONVERSIONS.contains(&node.cast.as_str())
                    || matches!(
                        node.cast.as_str(),
                        "ArrayToPointerDecay" | "FunctionToPointerDecay" | "BuiltinFnToFnPtr"
                    )
            }
            SyntaxKind::CallExpr => {
                expression_parts::callee(node).is_some_and(|name| self.check_pure(name, node).is_ok())
            }
            SyntaxKind::UnaryOperator => matches!(
                node.opcode.as_str(),
                "+" | "-" | "!" | "~" | "*" | "&" | "__real" | "__imag" | "__extension__"
            ),
            SyntaxKind::BinaryOperator => {
                OPERATORS.contains(&node.opcode.as_str()) || matches!(node.opcode.as_str(), "&&" | "||")
            }
            _ => false,
        };
        here && node.inner.iter().filter(|n| !n.kind.is_absent()).all(|n| self.steady(n))
    }

    fn keep(&mut self, ranges: Ranges) {
        for (block, first, last) in ranges {
            self.groups.entry(block).or_default().push((first, last));
        }
    }

    /// Merges overlapping ranges.
    fn merge(&mut self) {
        for ranges in self.groups.values_mut() {
            ranges.sort_unstable();
            let mut merged: Vec<(usize, usize)> = Vec::new();
            for (first, last) in ranges.drain(..) {
                match merged.last_mut() {
                    Some(before) if first <= before.1 => before.1 = before.1.max(last),
                    _ => merged.push((first, last)),
                }
            }
            *ranges = merged;
        }
    }
}

/// Expressions that keep their value as long as their operands do.
const STEADY: [SyntaxKind; 12] = [
    SyntaxKind::IntegerLiteral,
    SyntaxKind::FloatingLiteral,
    SyntaxKind::CharacterLiteral,
    SyntaxKind::ImaginaryLiteral,
    SyntaxKind::ImplicitValueInitExpr,
    SyntaxKind::ParenExpr,
    SyntaxKind::ConstantExpr,
    SyntaxKind::ConditionalOperator,
    SyntaxKind::ArraySubscriptExpr,
    SyntaxKind::MemberExpr,
    SyntaxKind::InitListExpr,
    SyntaxKind::UnaryExprOrTypeTraitExpr,
];

fn loads_memory(node: &Node) -> bool {
    node.walk().any(|n| {
        matches!(n.kind, SyntaxKind::ArraySubscriptExpr)
            || (n.is(&SyntaxKind::UnaryOperator) && n.opcode == "*")
            || (n.is(&SyntaxKind::MemberExpr) && n.arrow)
    })
}

/// Follows a scalar into the blocks of a list of statements; false if its value comes from outside.
fn follow(block: Id, statements: &[&Node], variable: &Node, base: usize, out: &mut Ranges) -> bool {
    let users: Vec<usize> = (0..statements.len()).filter(|k| liveness::mentions(statements[*k], variable.id)).collect();
    if statements.iter().any(|statement| is_open(statement)) {
        // They stay together, since jumps may pass over some of them.
        if users.is_empty() {
            return true;
        }
        if block == 0 || liveness::sequence(statements, variable).exposed {
            return false;
        }
        out.push((block, base, base + statements.len() - 1));
        return true;
    }
    let alone = users.iter().all(|k| !liveness::of(statements[*k], variable).exposed);
    if alone {
        return users.iter().all(|k| inside(block, statements[*k], variable, base + k, out));
    }
    let (Some(first), Some(last)) = (users.first(), users.last()) else { return true };
    if block == 0 || liveness::sequence(&statements[*first..=*last], variable).exposed {
        return false;
    }
    out.push((block, base + first, base + last));
    true
}

/// Follows a scalar into one statement that writes it before reading it.
fn inside(block: Id, statement: &Node, variable: &Node, index: usize, out: &mut Ranges) -> bool {
    let group = |out: &mut Ranges| {
        out.push((block, index, index));
        block != 0
    };
    match statement.kind {
        SyntaxKind::ForStmt => {
            if (0..4).any(|k| statement.child(k).is_some_and(|n| liveness::mentions(n, variable.id))) {
                return group(out);
            }
            let body = &statement.inner[4];
            let list = children(body);
            if liveness::sequence(&list, variable).exposed {
                return group(out);
            }
            follow(body.id, &list, variable, 0, out)
        }
        SyntaxKind::CompoundStmt => follow(statement.id, &children(statement), variable, 0, out),
        SyntaxKind::IfStmt => {
            if liveness::mentions(&statement.inner[0], variable.id) {
                return group(out);
            }
            statement.inner[1..].iter().all(|branch| follow(branch.id, &children(branch), variable, 0, out))
        }
        _ => true,
    }
}
