//! Reads and writes of a statement.

use super::attributes;
use super::liveness;
use crate::Refusal;
use crate::frontend::clang::ast::Reference;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::extent::token_end;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::jumps;
use crate::frontend::survey::loop_header;
use crate::frontend::survey::region_builder::{RawAccess, RegionBuilder};
use crate::frontend::values::affine::Cases;
use crate::frontend::values::surrounding_loops::Scope;
use crate::model::{AccessKind, Value};
use crate::refusal::Code;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The effects of a statement, and what its text needs.
#[derive(Debug, Default)]
pub struct Effects {
    /// Accesses to arrays, and to scalars that outlive the statement.
    pub accesses: Vec<RawAccess>,
    /// Variables declared in the region but outside the statement, whose declarations the statement repeats.
    pub repeated: Vec<Id>,
    /// Variables that get an uninitialised copy in the statement.
    pub copies: Vec<Id>,
    /// Variables whose value where the statement begins is computed from counters.
    pub starts: Vec<Id>,
    /// Variables declared in the statement itself.
    pub own: HashSet<Id>,
    /// Text replacements: offset -> (length, new text).
    pub edits: BTreeMap<usize, (usize, String)>,
    /// Names used.
    pub names: BTreeSet<String>,
    /// By node: the element that it reads or writes.
    pub elements: HashMap<Id, RawAccess>,
    /// By node, if they are constants: how the subscripts of its element change with each counter of the domain.
    pub strides: HashMap<Id, Vec<Vec<i64>>>,
}

impl Effects {
    /// The last access noted may write only a part of its object.
    fn weaken(&mut self) {
        if let Some(last) = self.accesses.last_mut().filter(|a| a.kind == AccessKind::Write) {
            last.kind = AccessKind::MayWrite;
        }
    }
}

impl<'a> RegionBuilder<'a> {
    /// Adds the effects of a statement or expression.
    pub fn effects(&mut self, node: &'a Node, scope: &Scope, out: &mut Effects) -> Result<(), Refusal> {
        let all = |b: &mut Self, out: &mut Effects| -> Result<(), Refusal> {
            node.inner.iter().filter(|n| !n.kind.is_absent()).try_for_each(|n| b.effects(n, scope, out))
        };
        // The text of a callee stays where it is.
        if self.callees.open.is_empty() {
            self.check_words(node)?;
        }
        match node.kind {
            // A statement has what its jumps leave, as its maker sees to.
            SyntaxKind::BreakStmt
            | SyntaxKind::ContinueStmt
            | SyntaxKind::NullStmt
            | SyntaxKind::IntegerLiteral
            | SyntaxKind::FloatingLiteral
            | SyntaxKind::CharacterLiteral
            | SyntaxKind::ImaginaryLiteral
            | SyntaxKind::ImplicitValueInitExpr => Ok(()),
            SyntaxKind::VarDecl => {
                check_local(self.unit, node)?;
                out.own.insert(node.id);
                let mut parts = node.inner.iter().filter(|n| !n.kind.is_absent() && !n.kind.is_attribute());
                if !self.callees.open.is_empty() {
                    self.callees.variables.insert(node.id);
                    if let Some(initial) = node.initial_value() {
                        self.callees.values.insert(node.id, initial);
                        self.note_stale(node, initial, scope);
                        if ctype::is_pointer(node.ty.plain()) {
                            return self.subscript_effects(initial, scope, out);
                        }
                    }
                } else if ctype::is_pointer(node.ty.plain()) && self.repeatable(node) {
                    // Its uses are traced to the array; the statement's text declares it.
                    let initial = node.initial_value();
                    return initial.map_or(Ok(()), |initial| self.subscript_effects(initial, scope, out));
                }
                parts.try_for_each(|n| self.effects(n, scope, out))
            }
            SyntaxKind::GotoStmt if self.jumps.allows(node.label) => Ok(()),
            SyntaxKind::LabelStmt if self.jumps.allows(node.label) => all(self, out),
            SyntaxKind::ReturnStmt if !self.callees.open.is_empty() => all(self, out),
            SyntaxKind::ForStmt => self.loop_effects(node, scope, out),
            SyntaxKind::WhileStmt | SyntaxKind::DoStmt => {
                let inside = scope.perhaps();
                node.inner.iter().filter(|n| !n.kind.is_absent()).try_for_each(|n| self.effects(n, &inside, out))
            }
            SyntaxKind::SwitchStmt => self.switch_effects(node, scope, out),
            SyntaxKind::IfStmt => self.if_effects(node, scope, out),
            SyntaxKind::UnaryExprOrTypeTraitExpr => self.size_effects(node, scope, out),
            SyntaxKind::ConditionalOperator => {
                self.effects(&node.inner[0], scope, out)?;
                for (n, negate) in node.inner[1..].iter().zip([false, true]) {
                    let mut uncertain = Scope { conditional: true, ..scope.clone() };
                    uncertain.restrict(self.necessary(&node.inner[0], scope, negate));
                    self.effects(n, &uncertain, out)?;
                }
                Ok(())
            }
            SyntaxKind::BinaryOperator if node.opcode == "=" => {
                self.effects(&node.inner[1], scope, out)?;
                self.touch(&node.inner[0], scope, false, true, out)
            }
            SyntaxKind::BinaryOperator if node.opcode == "&&" || node.opcode == "||" => {
                self.effects(&node.inner[0], scope, out)?;
                let mut uncertain = Scope { conditional: true, ..scope.clone() };
                uncertain.restrict(self.necessary(&node.inner[0], scope, node.opcode == "||"));
                self.effects(&node.inner[1], &uncertain, out)
            }
            SyntaxKind::BinaryOperator if ctype::is_pointer(node.ty.plain()) => Err(address(node)),
            SyntaxKind::BinaryOperator if !OPERATORS.contains(&node.opcode.as_str()) => Err(unknown(node)),
            SyntaxKind::InitListExpr => {
                self.check_list(node)?;
                all(self, out)
            }
            SyntaxKind::CompoundStmt
            | SyntaxKind::DeclStmt
            | SyntaxKind::CaseStmt
            | SyntaxKind::DefaultStmt
            | SyntaxKind::ParenExpr
            | SyntaxKind::ConstantExpr
            | SyntaxKind::BinaryOperator => all(self, out),
            SyntaxKind::CompoundAssignOperator => {
                self.effects(&node.inner[1], scope, out)?;
                self.touch(&node.inner[0], scope, true, true, out)
            }
            SyntaxKind::UnaryOperator => match node.opcode.as_str() {
                "++" | "--" => self.touch(&node.inner[0], scope, true, true, out),
                "+" | "-" | "!" | "~" | "__real" | "__imag" | "__extension__" => all(self, out),
                "&" => Err(Refusal::at(
                    Code::AddressUsed,
                    node,
                    "an address is taken",
                    "use subscripts instead of addresses in the region",
                )),
                _ => Err(unknown(node)),
            },
            SyntaxKind::CallExpr => self.call_effects(node, scope, out),
            SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr => match node.cast.as_str() {
                "LValueToRValue" => self.touch(&node.inner[0], scope, true, false, out),
                "ArrayToPointerDecay"
                | "NullToPointer"
                | "PointerToIntegral"
                | "IntegralToPointer"
                | "BitCast"
                | "PointerToBoolean" => Err(address(node)),
                "FunctionToPointerDecay" | "BuiltinFnToFnPtr" => Err(Refusal::at(
                    Code::FunctionPointer,
                    node,
                    "a function is used as a value",
                    "call functions by their names in the region",
                )),
                "AtomicToNonAtomic" | "NonAtomicToAtomic" => Err(ordered(node)),
                kind if CONVERSIONS.contains(&kind) => all(self, out),
                kind => Err(Refusal::at(
                    Code::Construct,
                    node,
                    format!("this conversion ({kind}) is not in the language of regions"),
                    "convert between numbers only",
                )),
            },
            SyntaxKind::DeclRefExpr
                if node.reference.as_ref().is_some_and(|r| r.kind == SyntaxKind::EnumConstantDecl) =>
            {
                Ok(())
            }
            SyntaxKind::DeclRefExpr | SyntaxKind::ArraySubscriptExpr | SyntaxKind::MemberExpr => {
                self.touch(node, scope, true, false, out)
            }
            _ => Err(unknown(node)),
        }
    }

    /// Refuses words that mean something else before the enclosing function.
    fn check_words(&self, node: &Node) -> Result<(), Refusal> {
        self.check_made(node)?;
        self.check_type_text(node)?;
        if let Some(reference) = &node.reference {
            if reference.id == self.function.id && self.function.previous == 0 {
                let reason = format!("`{}` calls itself, and is not declared before its definition", reference.name);
                return Err(Refusal::at(Code::LocalName, node, reason, "declare the function before its definition"));
            }
            let declared = match reference.kind {
                SyntaxKind::EnumConstantDecl => self.unit.outside_functions(reference.id),
                SyntaxKind::FunctionDecl => {
                    self.unit.at_file_scope(reference.id) || self.unit.declaration(reference.id).is_none()
                }
                _ => true,
            };
            if !declared {
                let reason = format!("`{}` is declared inside the function", reference.name);
                return Err(Refusal::at(Code::LocalName, node, reason, "declare it at file scope"));
            }
        }
        Ok(())
    }

    fn loop_effects(&mut self, node: &'a Node, scope: &Scope, out: &mut Effects) -> Result<(), Refusal> {
        let header = loop_header::header(self.unit, node)?;
        let inside = match self.attempt(|b| b.enter(&header, scope)) {
            Ok(inside) => inside,
            // The counter of a loop around this one must not change.
            Err(refused) if scope.symbol(header.counter).is_some() => return Err(refused),
            // Nothing is known about the counter: it is a local of the statement.
            Err(refused) => {
                self.unknown_loops.insert(header.counter, refused);
                scope.perhaps()
            }
        };
        out.own.extend(header.declared_beside().map(|variable| variable.id));
        self.effects(header.first, scope, out)?;
        header.beside_first.iter().try_for_each(|part| self.effects(part, scope, out))?;
        header.beside_step.iter().try_for_each(|part| self.effects(part, &inside, out))?;
        if header.declared {
            out.own.insert(header.counter);
        } else if !out.own.contains(&header.counter) && !out.copies.contains(&header.counter) {
            out.copies.push(header.counter);
        }
        self.effects(header.condition, &inside, out)?;
        let body = header.body;
        let jumps = jumps::open_break(body).or_else(|| jumps::open_continue(body)).is_some();
        self.effects(body, &if jumps { inside.perhaps() } else { inside }, out)
    }

    fn if_effects(&mut self, node: &'a Node, scope: &Scope, out: &mut Effects) -> Result<(), Refusal> {
        let test = &node.inner[0];
        self.effects(test, scope, out)?;
        let both = self.attempt(|b| Ok((b.condition(test, scope, false)?, b.condition(test, scope, true)?)));
        for (k, branch) in node.inner.iter().enumerate().skip(1) {
            let mut inside = Scope { uncertain: true, ..scope.clone() };
            match &both {
                Ok((holds, _)) if k == 1 => inside.restrict(holds.clone()),
                Ok((_, fails)) => inside.restrict(fails.clone()),
                Err(_) => {
                    inside.conditional = true;
                    inside.restrict(self.necessary(test, scope, k != 1));
                }
            }
            self.effects(branch, &inside, out)?;
        }
        Ok(())
    }

    fn size_effects(&mut self, node: &'a Node, scope: &Scope, out: &mut Effects) -> Result<(), Refusal> {
        self.check_operand(node)?;
        for inner in node.walk() {
            let Some(reference) = inner.reference.as_ref().filter(|r| r.kind != SyntaxKind::EnumConstantDecl) else {
                continue;
            };
            let Some(variable) = self.unit.declaration(reference.id) else { continue };
            let whole = inner.id == node.inner[0].bare().id;
            if ctype::is_array(variable.ty.plain())
                && whole
                && !self.unit.at_file_scope(variable.id)
                && !out.own.contains(&variable.id)
            {
                return Err(Refusal::at(
                    Code::Size,
                    node,
                    "the size of a whole array is taken inside a statement",
                    "compute it before the region",
                ));
            }
            if ctype::is_array(variable.ty.plain()) || ctype::is_pointer(variable.ty.plain()) {
                self.mentioned.push((variable.id, inner));
            } else {
                self.scalar(variable, inner, scope, false, false, out)?;
            }
        }
        Ok(())
    }

    fn call_effects(&mut self, node: &'a Node, scope: &Scope, out: &mut Effects) -> Result<(), Refusal> {
        let Some(callee) = expression_parts::callee(node) else {
            return Err(Refusal::at(
                Code::FunctionPointer,
                node,
                "a function is called through a pointer",
                "call functions by their names in the region",
            ));
        };
        if self.callees.open.is_empty() {
            node.inner[0].walk().try_for_each(|n| self.check_words(n))?;
        }
        let seen = self.certain_body(callee).is_some();
        let pure = self.check_pure(callee, node);
        self.check_known_arguments(callee, node, scope)?;
        if seen && (Self::passes_address(node) || pure.is_err()) {
            let followed = self.seen_call(callee, node, scope, out);
            return followed.map_err(|why| pure.err().filter(|_| !Self::passes_address(node)).unwrap_or(why));
        }
        pure?;
        node.inner[1..].iter().try_for_each(|n| self.effects(n, scope, out))
    }

    /// Adds a read or write of an lvalue, or both.
    fn touch(
        &mut self,
        node: &'a Node,
        scope: &Scope,
        read: bool,
        write: bool,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        if self.unit.is_ordered(node.ty.plain()) {
            return Err(ordered(node));
        }
        if let Some(reference) = node.variable().or_else(|| whole_object(node)) {
            let variable = self.unit.declaration(reference.id).ok_or_else(|| unknown(node))?;
            Self::check_storage(variable, node)?;
            if !ctype::is_array(variable.ty.plain()) && !ctype::is_pointer(variable.ty.plain()) {
                let partial = node.variable().is_none();
                let place = node.walk().find(|n| n.reference.is_some()).unwrap_or(node);
                return self.scalar(variable, place, scope, read, write, out).map(|()| {
                    if partial && write {
                        out.weaken();
                    }
                });
            }
            if !out.own.contains(&variable.id) && node.variable().is_some() {
                return Err(address(node));
            }
        }
        self.subscript_effects(node, scope, out)?;
        if self.is_passed_number(node, write)? {
            return Ok(());
        }
        let root = expression_parts::base_variable(node);
        if root.is_some_and(|id| out.own.contains(&id)) {
            let variable = root.and_then(|id| self.unit.declaration(id));
            if variable.is_some_and(|v| !ctype::is_pointer(v.ty.plain())) {
                return Ok(());
            }
        }
        if let Some(array) = self.root_of(node).filter(|id| self.private.contains(id)) {
            if !out.copies.contains(&array) {
                out.copies.push(array);
            }
            return Ok(());
        }
        let mut place = self.place(node, scope)?;
        let variable = place.variable;
        if out.own.contains(&variable.id) {
            return Ok(());
        }
        let plain = variable.ty.plain();
        if place.subscripts.is_empty() && !ctype::is_array(plain) && !ctype::is_pointer(plain) {
            // An element of an array inside a struct variable is a part of that variable.
            let named = |n: &&Node| n.reference.as_ref().is_some_and(|r| r.id == variable.id);
            let name = node.walk().find(named).unwrap_or(node);
            self.scalar(variable, name, scope, read, write, out)?;
            if write {
                out.weaken();
            }
            return Ok(());
        }
        if place.subscripts.is_empty() && !write {
            return Ok(());
        }
        if place.subscripts.iter().skip(1).any(Cases::is_unknown) {
            // Where one subscript may leave its row, nothing is known about those before it either.
            place.subscripts.fill(Cases::unknown());
        }
        let symbol = self.array(&mut place, node, scope)?;
        self.keep_rows(&symbol, &place, node, scope)?;
        let id = place.variable.id;
        if place.subscripts.iter().any(Cases::is_unknown) {
            self.scatter(id, node);
        }
        out.names.insert(place.variable.name.clone());
        out.elements.insert(node.id, Self::access(&symbol, AccessKind::Read, &place.subscripts, scope));
        if let Some(strides) = strides(&place.subscripts, scope) {
            out.strides.insert(node.id, strides);
        }
        if read {
            Self::record(&symbol, AccessKind::Read, &place.subscripts, scope, out);
        }
        if write {
            let scattered = place.subscripts.iter().any(Cases::is_unknown);
            let certain = !scope.conditional && !place.partial && !scattered;
            let kind = if certain { AccessKind::Write } else { AccessKind::MayWrite };
            Self::record(&symbol, kind, &place.subscripts, scope, out);
            self.mark_written(id, node)?;
        }
        Ok(())
    }

    /// Notes that an access may touch any element of an array.
    fn scatter(&mut self, id: Id, node: &Node) {
        let shown = self.shown(node);
        let span = (shown.begin.offset, token_end(self.source, shown));
        for known in self.arrays.iter_mut().filter(|a| a.variable == id) {
            let why = self.unknown_subscript.as_ref().map(|why| {
                let text = why.span.map(|(begin, end)| self.source.text(begin, end));
                let line = text.iter().flat_map(|text| text.lines()).next().map(|line| format!(" [{line}]"));
                (format!("{}{}", why.reason, line.unwrap_or_default()), why.remedy.clone())
            });
            if known.array.scattered.is_none() {
                known.array.scattered = Some(why.unwrap_or_default());
            }
            known.scattered.get_or_insert(span);
        }
    }

    /// Notes that an array is written. The earlier walk must have seen this write, or a write through a pointer, since
    /// it decides what calls may read.
    fn mark_written(&mut self, id: Id, node: &Node) -> Result<(), Refusal> {
        let root = self.root_of(node).filter(|root| self.variables.written.contains_key(root));
        let pointer = |root| self.unit.declaration(root).is_some_and(|v| ctype::is_pointer(v.ty.plain()));
        if !root.is_some_and(|root| root == id || pointer(root)) {
            let reason = "it is not clear at first sight what this writes";
            return Err(Refusal::at(
                Code::PointerUntraced,
                node,
                reason,
                "write it as a subscript of the array's name",
            ));
        }
        self.arrays.iter_mut().filter(|a| a.variable == id).for_each(|a| a.written = true);
        Ok(())
    }

    fn record(symbol: &str, kind: AccessKind, subscripts: &[Cases], scope: &Scope, out: &mut Effects) {
        let access = Self::access(symbol, kind, subscripts, scope);
        if !out.accesses.contains(&access) {
            out.accesses.push(access);
        }
    }

    /// Adds the reads in subscripts, and the region's pointers on the way to the element.
    pub fn subscript_effects(&mut self, node: &'a Node, scope: &Scope, out: &mut Effects) -> Result<(), Refusal> {
        match node.kind {
            SyntaxKind::ArraySubscriptExpr => {
                let swapped = self.unit.integer(node.inner[0].ty.plain()).is_some();
                let (base, index) = if swapped { (1, 0) } else { (0, 1) };
                self.effects(&node.inner[index], scope, out)?;
                self.subscript_effects(&node.inner[base], scope, out)
            }
            SyntaxKind::BinaryOperator if matches!(node.opcode.as_str(), "+" | "-") => {
                let pointer = usize::from(self.unit.integer(node.inner[0].ty.plain()).is_some());
                self.effects(&node.inner[1 - pointer], scope, out)?;
                self.subscript_effects(&node.inner[pointer], scope, out)
            }
            SyntaxKind::DeclRefExpr => {
                let id = node.reference.as_ref().map_or(0, |r| r.id);
                let pointer = self.variables.declared.get(&id).is_some_and(|v| ctype::is_pointer(v.ty.plain()));
                if pointer && !out.own.contains(&id) && !out.repeated.contains(&id) {
                    self.repeat(id, scope, out)?;
                }
                Ok(())
            }
            SyntaxKind::ParenExpr
            | SyntaxKind::ImplicitCastExpr
            | SyntaxKind::CStyleCastExpr
            | SyntaxKind::MemberExpr
            | SyntaxKind::UnaryOperator => node
                .inner
                .iter()
                .filter(|n| !n.kind.is_absent())
                .try_for_each(|n| self.subscript_effects(n, scope, out)),
            _ => Err(unknown(node)),
        }
    }

    /// Adds an access to a scalar variable.
    pub fn scalar(
        &mut self,
        variable: &'a Node,
        at: &'a Node,
        scope: &Scope,
        read: bool,
        write: bool,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        let id = variable.id;
        if !ctype::is_element(variable.ty.plain()) {
            let reason = format!("`{}` of type `{}` is no number or struct", variable.name, variable.ty.written);
            return Err(Refusal::at(Code::ElementType, at, reason, "use numbers and structs in the region"));
        }
        out.names.insert(variable.name.clone());
        if scope.symbol(id).is_some() {
            if write {
                let reason = format!("the loop counter `{}` is assigned in its loop", variable.name);
                return Err(Refusal::at(
                    Code::CounterAssigned,
                    at,
                    reason,
                    "use another variable, so that only the loop's header changes it",
                ));
            }
            return Ok(());
        }
        if [&out.copies, &out.repeated, &out.starts].iter().any(|list| list.contains(&id)) || out.own.contains(&id) {
            return Ok(());
        }
        if self.is_reduced(id) {
            return Ok(());
        }
        let placed = self.variables.declared.contains_key(&id) || self.private.contains(&id);
        if self.variables.is_counter(id) && !placed {
            let reason = format!("`{}` is a loop counter that is used outside its loop", variable.name);
            return Err(Refusal::at(Code::CounterLeft, at, reason, "keep the value in another variable"));
        }
        if self.closed.contains(&id) {
            out.starts.push(id);
            return Ok(());
        }
        // A statement with the assignment itself sets its copy.
        if self.private.contains(&id) || (write && self.forwarded.contains_key(&id)) {
            out.copies.push(id);
            return Ok(());
        }
        if self.forwarded.contains_key(&id) {
            return self.repeat(id, scope, out);
        }
        if self.variables.declared.contains_key(&id) {
            return self.repeat(id, scope, out);
        }
        if self.variables.written.contains_key(&id) {
            return self.shared(variable, at, scope, read, write, out);
        }
        if write {
            let reason = format!("`{}` is written by a function, and not in the region's own text", variable.name);
            return Err(Refusal::at(
                Code::WrittenByFunction,
                at,
                reason,
                "write it in the region, or pass an element of an array",
            ));
        }
        if self.unit.integer(variable.ty.plain()).is_some_and(|i| i.width >= 8)
            && self.parameters.iter().any(|p| p.variable == id)
        {
            return Ok(());
        }
        if !self.values.iter().any(|(v, _)| *v == id) {
            let ctype = self.type_name(variable);
            if self.is_local_type(&ctype) {
                return Err(Refusal::at(
                    Code::LocalName,
                    at,
                    format!("the type `{ctype}` is declared inside the function"),
                    "declare the type at file scope",
                ));
            }
            let global = self.unit.at_file_scope(id);
            self.values.push((id, Value { name: variable.name.clone(), ctype, global }));
        }
        Ok(())
    }

    /// Repeats the declaration of a variable of the region in each statement that uses it.
    fn repeat(&mut self, id: Id, scope: &Scope, out: &mut Effects) -> Result<(), Refusal> {
        let Some(variable) = self.unit.declaration(id) else { return Ok(()) };
        if let Some(initial) = self.repeated_value(id) {
            if ctype::is_pointer(variable.ty.plain()) {
                self.subscript_effects(initial, scope, out)?;
            } else {
                self.effects(initial, scope, out)?;
            }
        }
        out.repeated.push(id);
        Ok(())
    }

    /// Adds a written scalar that outlives the statement, as an array of rank 0.
    fn shared(
        &mut self,
        variable: &'a Node,
        at: &'a Node,
        scope: &Scope,
        read: bool,
        write: bool,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        if at.reference.is_none() {
            return Err(unknown(at));
        }
        if write && scope.independent.is_some() {
            let name = &variable.name;
            return Err(Refusal::at(
                Code::SharedByIterations,
                at,
                format!("the iterations of an independent loop all write `{name}`, which is used elsewhere, too"),
                format!(
                    "declare `{name}` in the loop, or assign it before it is read in each iteration and not use it after the loop"
                ),
            ));
        }
        let mut place = self.place(at, scope)?;
        let symbol = self.array(&mut place, at, scope)?;
        out.elements.insert(at.id, Self::access(&symbol, AccessKind::Read, &[], scope));
        out.strides.insert(at.id, vec![Vec::new(); scope.dimensions().len()]);
        if read {
            Self::record(&symbol, AccessKind::Read, &[], scope, out);
        }
        if write {
            let kind = if scope.conditional { AccessKind::MayWrite } else { AccessKind::Write };
            Self::record(&symbol, kind, &[], scope, out);
            self.mark_written(variable.id, at)?;
        }
        if !self.unit.at_file_scope(variable.id) {
            let Some(offset) = at.begin.spelled.filter(|_| {
                self.source.text(at.begin.spelled.unwrap_or(0), at.begin.spelled.unwrap_or(0) + variable.name.len())
                    == variable.name
            }) else {
                let reason =
                    format!("the scalar `{}`, which is written in the region, is named inside a macro", variable.name);
                return Err(Refusal::at(
                    Code::MacroScalar,
                    at,
                    reason,
                    "write the macro out in the region, or pass the variable as the macro's argument",
                ));
            };
            out.edits.insert(offset, (variable.name.len(), format!("(*{})", variable.name)));
        }
        Ok(())
    }
}

/// The variable `s` of `s.x`, if `s` is a struct variable.
fn whole_object(node: &Node) -> Option<&Reference> {
    match node.kind {
        SyntaxKind::MemberExpr if !node.arrow => {
            let base = node.inner.first()?;
            base.variable().or_else(|| whole_object(base))
        }
        SyntaxKind::ParenExpr => whole_object(node.inner.first()?),
        _ => None,
    }
}

/// Refuses declarations whose objects cannot be private to a statement.
pub fn check_local(unit: &Unit, variable: &Node) -> Result<(), Refusal> {
    let plain = variable.ty.plain();
    let fixed = !ctype::is_array(plain)
        || plain.split('[').skip(1).all(|part| part.trim_end_matches(']').bytes().all(|b| b.is_ascii_digit()));
    if !matches!(variable.storage.as_str(), "" | "auto" | "register") {
        let reason = format!("`{}` is declared {} in the region", variable.name, variable.storage);
        return Err(Refusal::at(Code::LocalObject, variable, reason, "declare it before the region"));
    }
    if let Some(attribute) = attributes::of_variable(variable) {
        let reason = format!("`{}` is declared in the region with an attribute ({})", variable.name, attribute.kind);
        return Err(Refusal::at(
            Code::LocalObject,
            variable,
            reason,
            "remove the attribute, or declare the variable before the region",
        ));
    }
    if variable.initial_value().is_some_and(|initial| liveness::mentions(initial, variable.id)) {
        let reason = format!("the initial value of `{}` names the variable itself", variable.name);
        return Err(Refusal::at(Code::LocalObject, variable, reason, "name the variable's type there"));
    }
    if !fixed {
        let reason = format!("the variable-length array `{}` is declared in the region", variable.name);
        return Err(Refusal::at(
            Code::LocalObject,
            variable,
            reason,
            "declare it before the region, or with a constant length",
        ));
    }
    if unit.is_ordered(plain) {
        let held = if ctype::is_untouchable(plain) { "is" } else { "has a member that is" };
        return Err(Refusal::at(
            Code::VolatileOrAtomic,
            variable,
            format!("`{}` {held} volatile or atomic", variable.name),
            "use a plain object in the region",
        ));
    }
    Ok(())
}

/// Casts between values that are not addresses.
pub const CONVERSIONS: [&str; 19] = [
    "NoOp",
    "ToVoid",
    "IntegralCast",
    "IntegralToFloating",
    "IntegralToBoolean",
    "BooleanToSignedIntegral",
    "FloatingToIntegral",
    "FloatingToBoolean",
    "FloatingCast",
    "FloatingRealToComplex",
    "FloatingComplexToReal",
    "FloatingComplexToBoolean",
    "FloatingComplexCast",
    "FloatingComplexToIntegralComplex",
    "IntegralRealToComplex",
    "IntegralComplexToReal",
    "IntegralComplexToBoolean",
    "IntegralComplexCast",
    "IntegralComplexToFloatingComplex",
];

/// Operators that only compute, and evaluate both operands.
pub const OPERATORS: [&str; 17] =
    [",", "+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^"];

fn ordered(node: &Node) -> Refusal {
    let reason = "volatile and atomic objects keep their order of accesses";
    Refusal::at(Code::VolatileOrAtomic, node, reason, "use a plain object in the region")
}

fn address(node: &Node) -> Refusal {
    Refusal::at(
        Code::AddressUsed,
        node,
        "an address is used as a value",
        "pass elements, not arrays or pointers, in the region",
    )
}

/// The remedy for loops that are none of the model.
const FOR_LOOP: &str = "use a `for` loop whose bounds are affine";

/// The refusal of a construct that regions may not contain.
pub fn unknown(node: &Node) -> Refusal {
    let (code, what, remedy) = match node.kind {
        SyntaxKind::WhileStmt => (Code::WhileLoop, "a `while` loop that is not inside a `for` loop", FOR_LOOP),
        SyntaxKind::DoStmt => (Code::WhileLoop, "a `do` loop that is not inside a `for` loop", FOR_LOOP),
        SyntaxKind::GotoStmt | SyntaxKind::IndirectGotoStmt => (Code::Jump, "a `goto`", "use loops and `if`"),
        SyntaxKind::LabelStmt => (Code::Jump, "a label", "use loops and `if`"),
        SyntaxKind::BreakStmt => {
            let remedy = "mark a loop around that one, or put the loop's end into its condition";
            (Code::Jump, "a `break` of a loop that is not inside another", remedy)
        }
        SyntaxKind::ContinueStmt => {
            (Code::Jump, "a `continue` of a loop around the region", "put the rest of the body into an `if`")
        }
        SyntaxKind::ReturnStmt => (Code::Jump, "a `return`", "leave the function after the region"),
        SyntaxKind::SwitchStmt | SyntaxKind::CaseStmt | SyntaxKind::DefaultStmt => {
            (Code::Jump, "a `switch` that is not inside a `for` loop", "use `if`")
        }
        SyntaxKind::GCCAsmStmt | SyntaxKind::MSAsmStmt => {
            (Code::Construct, "inline assembly", "keep it outside the region")
        }
        SyntaxKind::StmtExpr => (Code::Construct, "a statement expression", "use ordinary statements"),
        SyntaxKind::AtomicExpr => {
            (Code::Construct, "an atomic operation", "use plain accesses: the tiles are ordered by their dependences")
        }
        SyntaxKind::RecordDecl | SyntaxKind::TypedefDecl | SyntaxKind::EnumDecl => {
            (Code::Construct, "a declaration of a type", "declare types before the region")
        }
        SyntaxKind::AttributedStmt => (Code::Construct, "a statement with attributes", "remove the attribute"),
        SyntaxKind::VAArgExpr => (Code::Construct, "a use of variable arguments", "keep it outside the region"),
        SyntaxKind::CompoundLiteralExpr => (Code::Construct, "a compound literal", "assign the members one by one"),
        SyntaxKind::StringLiteral | SyntaxKind::PredefinedExpr => {
            (Code::Construct, "a string", "keep strings outside the region")
        }
        _ if node.kind.is_openmp() => {
            (Code::Construct, "an OpenMP directive", "remove it: the region runs in parallel by itself")
        }
        ref other => {
            let construct = format!("{other} {}", node.opcode);
            let reason = format!("this construct ({}) is not in the language of regions", construct.trim_end());
            return Refusal::at(Code::Construct, node, reason, "use assignments, `for` and `if`");
        }
    };
    Refusal::at(code, node, format!("{what} is not in the language of regions"), remedy)
}

/// By counter of the domain: how subscripts change with it, if by constants.
fn strides(subscripts: &[Cases], scope: &Scope) -> Option<Vec<Vec<i64>>> {
    let by = |symbol: &str| subscripts.iter().map(|cases| cases.single()?.factor(symbol)).collect::<Option<Vec<i64>>>();
    scope.dimensions().iter().map(|dimension| by(&dimension.symbol)).collect()
}
