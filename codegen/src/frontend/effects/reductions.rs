//! Reductions: scalars that a loop only updates with one operator, and that the author allows to be reassociated.

use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::ctype::{self, Integer};
use crate::frontend::clang::expression_parts::{callee, write_target};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::control_flow::ControlFlowGraph;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::model::{ExtremeForm, NO_NUMBER, Operation, Reduction};
use crate::planted::planted;
use crate::refusal::Code;
use crate::source::Directive;
use std::collections::HashMap;

impl<'a> RegionBuilder<'a> {
    /// Finds the variables that `reduction(op:x)` names, and checks that the loop only updates them.
    pub fn find_reductions(
        &mut self,
        clauses: &[(Operation, String)],
        roots: &[&'a Node],
        graph: &ControlFlowGraph,
        pragma: &Directive,
    ) -> Result<(), Refusal> {
        let at_pragma = |reason: String, remedy: &str| {
            Err(Refusal::span(Code::ReductionClause, pragma.begin, pragma.end, reason, remedy))
        };
        for (operation, name) in clauses {
            let [only] = roots else {
                let reason = format!("`reduction({operation}:{name})` stands before more than one loop");
                return at_pragma(reason, "put the pragma directly before the loop that updates the variable");
            };
            if !only.is(&SyntaxKind::ForStmt) {
                let reason = format!("`reduction({operation}:{name})` does not stand before a loop");
                return at_pragma(reason, "put the pragma directly before the loop that updates the variable");
            }
            let named = only.walk().find_map(|n| n.variable().filter(|v| &v.name == name));
            let variable = named.and_then(|v| self.unit.declaration(v.id));
            let Some(variable) = variable.filter(|v| !self.variables.declared.contains_key(&v.id)) else {
                let reason =
                    format!("`reduction({operation}:{name})`: the loop has no variable `{name}` from before it");
                return at_pragma(reason, "name a variable that is declared before the loop and updated in it");
            };
            if self.reductions.iter().any(|(id, _)| *id == variable.id) {
                return at_pragma(format!("`{name}` has two reductions"), "keep one of them");
            }
            if !self.is_hidden(variable) {
                let reason = format!("`{name}` is not local to the function, or its address is known elsewhere");
                return at_pragma(reason, "sum up in a local variable, and copy it after the loop");
            }
            let mut reduction = self.reduction(variable, *operation).ok_or_else(|| {
                let reason = format!("`reduction({operation}:{name})` does not fit the type `{}`", variable.ty.written);
                Refusal::span(
                    Code::ReductionType,
                    pragma.begin,
                    pragma.end,
                    reason,
                    "reduce integers, or real numbers by +, *, min or max",
                )
            })?;
            let update = Update { id: variable.id, name, operation: *operation, variable, unit: self.unit };
            let jumps = [SyntaxKind::GotoStmt, SyntaxKind::ContinueStmt];
            if let Some(jump) = only.walk().find(|n| jumps.contains(&n.kind)) {
                return Err(update.refuse(jump));
            }
            check_statement(only, &update)?;
            update.check_copies(only, &|variable| !self.alive_after(graph, variable))?;
            update.check_each_iteration(only)?;
            (reduction.form, reduction.or_equal) = update.form(only)?;
            if reduction.form == ExtremeForm::Function {
                NO_NUMBER.clone_into(&mut reduction.neutral);
            }
            self.reductions.push((variable.id, reduction));
        }
        Ok(())
    }

    /// The reduction in the model; `None` if the operator does not fit the variable's type.
    fn reduction(&self, variable: &Node, operation: Operation) -> Option<Reduction> {
        let plain = ctype::unqualified(variable.ty.plain());
        let real = matches!(plain.as_str(), "float" | "double" | "long double");
        let integer = self.unit.integer(&plain).filter(|_| plain != "_Bool" && plain != "bool");
        if !real && integer.is_none() {
            return None;
        }
        let (least, greatest) = match integer {
            Some(ty) if ty.signed => (format!("(-{}LL - 1)", ty.max()), format!("{}LL", ty.max())),
            Some(ty) => ("0".to_owned(), format!("{}ULL", ty.max())),
            None => ("-__builtin_inf()".to_owned(), "__builtin_inf()".to_owned()),
        };
        let neutral = match operation {
            // A sum of zeros keeps its sign.
            Operation::Sum if real => "-0.0".to_owned(),
            Operation::Sum => "0".to_owned(),
            Operation::Product => "1".to_owned(),
            Operation::Minimum => greatest,
            Operation::Maximum => least,
            _ if real => return None,
            Operation::Intersection => "-1".to_owned(),
            Operation::Union | Operation::Difference | Operation::Any => "0".to_owned(),
            Operation::All => "1".to_owned(),
        };
        // In another order a signed sum may overflow where the loop's does not.
        let wraps = matches!(operation, Operation::Sum | Operation::Product);
        let signed = integer.is_some_and(|ty| ty.signed && ty.width >= 32);
        let narrow = integer.is_some_and(|ty| ty.width < 32);
        let partial = match operation {
            // C computes products of narrow types in int.
            Operation::Product if narrow => "unsigned int".to_owned(),
            // An enumeration has no unsigned type of its name.
            _ if wraps && signed && plain.starts_with("enum ") => {
                if integer.is_some_and(|ty| ty.width > 32) { "unsigned long long" } else { "unsigned int" }.to_owned()
            }
            _ if wraps && signed => format!("unsigned {plain}"),
            _ => plain.clone(),
        };
        Some(Reduction {
            name: variable.name.clone(),
            ctype: plain,
            partial,
            operation,
            neutral,
            form: ExtremeForm::Keeps,
            or_equal: false,
            parts: 1,
        })
    }

    /// Whether a variable is reduced.
    pub fn is_reduced(&self, variable: Id) -> bool {
        self.reductions.iter().any(|(id, _)| *id == variable)
    }
}

/// What the updates of a reduced variable have to be.
#[derive(Clone, Copy)]
struct Update<'a> {
    /// The variable, or the copy of it that an update uses.
    id: Id,
    name: &'a str,
    operation: Operation,
    variable: &'a Node,
    unit: &'a Unit,
}

impl Update<'_> {
    /// The variable's type, if it is of integers.
    fn integer(&self) -> Option<Integer> {
        self.unit.integer(self.variable.ty.plain())
    }

    fn is(&self, node: &Node) -> bool {
        node.variable().is_some_and(|v| v.id == self.id)
    }

    fn mentioned(&self, node: &Node) -> bool {
        node.walk().any(|n| n.reference.as_ref().is_some_and(|r| r.id == self.id))
    }

    /// An operand: it does not have the variable, and for an integer variable it is an integer.
    fn operand(&self, node: &Node) -> bool {
        let number = ctype::integer(node.ty.plain()).is_some() || node.ty.plain().starts_with("enum ");
        !self.mentioned(node) && (self.integer().is_none() || number)
    }

    fn refuse(&self, node: &Node) -> Refusal {
        let (name, operation) = (self.name, self.operation);
        Refusal::at(
            Code::ReductionUpdate,
            node,
            format!("`{name}` has the clause reduction({operation}:{name}), and this is no update with that operator"),
            format!(
                "only update `{name}` in the loop, as in {}, where `e` has the type of `{name}`",
                operation.example(name)
            ),
        )
    }

    /// `x`, `e op x`, `x op e`, and so on in the place of `x`.
    fn chain(&self, node: &Node) -> bool {
        let node = without_casts(node);
        if self.is(node) {
            return true;
        }
        let [left, right] = node.inner.as_slice() else { return false };
        if !node.is(&SyntaxKind::BinaryOperator) {
            return false;
        }
        let subtracted = self.operation == Operation::Sum && node.opcode == "-";
        if node.opcode != self.operation.operator() && !subtracted {
            return false;
        }
        // `x && e` leaves out e, and `e && x` does not.
        let swapped = !subtracted && !matches!(self.operation, Operation::All | Operation::Any);
        (self.chain(left) && self.operand(right)) || (swapped && self.operand(left) && self.chain(right))
    }

    /// A comparison of the variable with a value, true where the value takes its place; the value.
    fn replaced_by<'n>(&self, test: &'n Node) -> Option<&'n Node> {
        let test = test.bare();
        let [left, right] = test.inner.as_slice() else { return None };
        let less = match test.opcode.as_str() {
            "<" | "<=" => true,
            ">" | ">=" => false,
            _ => return None,
        };
        let (value, below) = if self.is(without_casts(right)) {
            (left, less)
        } else if self.is(without_casts(left)) {
            (right, !less)
        } else {
            return None;
        };
        let wanted = if self.operation == Operation::Minimum { below } else { !below };
        let right = test.is(&SyntaxKind::BinaryOperator) && wanted && self.operand(value);
        (right && self.keeps_order(left, value)).then_some(value)
    }

    /// Whether a comparison orders integers as the variable's type does: neither the conversion of its operands, of which
    /// `operand` is one, nor the assignment of the value changes a number.
    fn keeps_order(&self, operand: &Node, value: &Node) -> bool {
        let Some(own) = self.integer().filter(|_| !planted("a15-order")) else { return true };
        let fits = |from: Integer, to: Integer| to.min() <= from.min() && from.max() <= to.max();
        let (compared, value) =
            (self.unit.integer(operand.ty.plain()), self.unit.integer(without_casts(value).ty.plain()));
        compared.is_some_and(|compared| fits(own, compared)) && value.is_some_and(|value| fits(value, own))
    }

    /// `x = x && e` makes 0 or 1 of any value, so a loop that never does it leaves another one.
    fn check_each_iteration(&self, only: &Node) -> Result<(), Refusal> {
        let body = &only.inner[4];
        let each = if body.is(&SyntaxKind::CompoundStmt) { body.inner.as_slice() } else { std::slice::from_ref(body) };
        let kept = matches!(self.operation, Operation::All | Operation::Any) && !planted("a16-updates");
        if !kept || each.iter().any(|node| self.updates(node)) {
            return Ok(());
        }
        let (name, operation) = (self.name, self.operation);
        let reason =
            format!("`{name}` has the clause reduction({operation}:{name}), and not each iteration updates it");
        Err(Refusal::at(
            Code::ReductionUpdate,
            only,
            reason,
            format!("update `{name}` outside of conditions and inner loops"),
        ))
    }

    /// The form of the updates of a minimum or maximum of real numbers, and whether they compare by `<=` or `>=`: one for all of
    /// them, since values that are no numbers, or zeros of both signs, would count in one and not in another.
    fn form(&self, only: &Node) -> Result<(ExtremeForm, bool), Refusal> {
        if self.integer().is_some() || !matches!(self.operation, Operation::Minimum | Operation::Maximum) {
            return Ok((ExtremeForm::Keeps, false));
        }
        let pairs = only.walk().flat_map(|n| n.inner.windows(2));
        let copy_of = |pair: &[Node]| Some((pair[1].id, self.copied(&pair[0], &pair[1])?.variable()?.id));
        let copies: HashMap<Id, Id> = pairs.filter_map(copy_of).collect();
        let assigned = only.walk().filter(|n| write_target(n).is_some_and(|target| self.is(target)));
        let form_of = |n: &&Node| Update { id: copies.get(&n.id).copied().unwrap_or(self.id), ..*self }.form_of(n);
        let mut first = None;
        for update in assigned {
            let form = form_of(&update);
            if *first.get_or_insert(form) != form && !planted("a45-missing") {
                let name = self.name;
                let reason = format!("the loop updates `{name}` in two ways, which treat a NaN differently");
                let remedy = format!("write all of its updates in one way, as {}", self.operation.example(name));
                return Err(Refusal::at(Code::ReductionUpdate, update, reason, remedy));
            }
        }
        let or_equal = self.compares_or_equal(only, &copies)?;
        Ok((first.filter(|_| !planted("a45-missing")).unwrap_or_default(), or_equal))
    }

    /// Whether the updates compare by `<=` or `>=`.
    fn compares_or_equal(&self, only: &Node, copies: &HashMap<Id, Id>) -> Result<bool, Refusal> {
        let ids: Vec<Id> = copies.values().copied().chain([self.id]).collect();
        let by = |id: Id| Update { id, ..*self };
        let compares = |n: &&Node| {
            let decides =
                |update: Update| update.replaced_by(n).is_some() || update.opposite().replaced_by(n).is_some();
            n.is(&SyntaxKind::BinaryOperator) && ids.iter().any(|id| decides(by(*id)))
        };
        let mut first = None;
        for test in only.walk().filter(compares) {
            let or_equal = test.opcode.ends_with('=');
            if *first.get_or_insert(or_equal) != or_equal {
                let name = self.name;
                let reason = format!(
                    "the loop updates `{name}` by `<` or `>` and by `<=` or `>=`, which treat zeros of both signs differently"
                );
                let remedy = format!("write all of its updates in one way, as {}", self.operation.example(name));
                return Err(Refusal::at(Code::ReductionUpdate, test, reason, remedy));
            }
        }
        Ok(first.unwrap_or_default())
    }

    /// The update by which the variable would stay where by this one it is replaced.
    fn opposite(&self) -> Update<'_> {
        let minimum = self.operation == Operation::Minimum;
        let operation = if minimum { Operation::Maximum } else { Operation::Minimum };
        Update { operation, ..*self }
    }

    /// The form of an assignment of a minimum or maximum; `if (e < x) x = e;` has a value without the variable.
    fn form_of(&self, assignment: &Node) -> ExtremeForm {
        let Some(value) = assignment.inner.get(1).map(without_casts).filter(|value| self.mentioned(value)) else {
            return ExtremeForm::Keeps;
        };
        match (&value.kind, value.inner.as_slice()) {
            (SyntaxKind::CallExpr, _) => ExtremeForm::Function,
            (SyntaxKind::ConditionalOperator, [_, then, _]) if self.is(without_casts(then)) => ExtremeForm::Takes,
            _ => ExtremeForm::Keeps,
        }
    }

    /// The new value of a minimum or maximum: `e < x ? e : x`, `x < e ? x : e`, `fmin(x, e)`.
    fn extreme(&self, node: &Node) -> bool {
        let node = without_casts(node);
        match node.kind {
            SyntaxKind::ConditionalOperator => {
                let [test, then, other] = node.inner.as_slice() else { return false };
                if self.is(without_casts(other)) {
                    return self.replaced_by(test).is_some_and(|value| same(value, then));
                }
                // The other way around the comparison holds where the variable stays.
                self.is(without_casts(then))
                    && self.opposite().replaced_by(test).is_some_and(|value| same(value, other))
            }
            SyntaxKind::CallExpr => {
                let wanted = if self.operation == Operation::Minimum { "fmin" } else { "fmax" };
                let name = callee(node).map(|name| name.trim_start_matches("__builtin_"));
                // A narrower function would round the variable, also the value that it has before the loop.
                let narrower: &[&str] = match ctype::unqualified(self.variable.ty.plain()).as_str() {
                    "float" => &[],
                    "double" => &["f"],
                    _ => &["f", ""],
                };
                let suffix = name.and_then(|name| name.strip_prefix(wanted));
                let known =
                    suffix.is_some_and(|suffix| ["f", "", "l"].contains(&suffix) && !narrower.contains(&suffix));
                let [_, left, right] = node.inner.as_slice() else { return false };
                let pair = |x: &Node, e: &Node| self.is(without_casts(x)) && self.operand(e);
                // An integer would become a real number, and a function of the file may compute anything.
                let own =
                    self.unit.root.inner.iter().any(|f| Some(f.name.as_str()) == callee(node) && f.body().is_some());
                known && !own && self.integer().is_none() && (pair(left, right) || pair(right, left))
            }
            _ => false,
        }
    }

    /// The copy by which two statements in sequence update the variable: `c = x, d = e;` and `x = c > d ? c : d;`.
    fn copied<'n>(&self, first: &'n Node, second: &Node) -> Option<&'n Node> {
        let [target, value] = second.inner.as_slice() else { return None };
        if !second.is(&SyntaxKind::BinaryOperator) || second.opcode != "=" || !self.is(target) || self.mentioned(value)
        {
            return None;
        }
        let makes = |part: &&&'n Node| part.inner.get(1).is_some_and(|value| self.is(without_casts(value)));
        let parts = listed(first);
        let copy = parts.iter().find(makes)?.inner.first()?;
        let id = copy.variable()?.id;
        let alone = parts.iter().filter(|part| self.mentioned(part)).count() == 1;
        let own = self.unit.declaration(id).filter(|_| alone && sets(first, id))?;
        let same_type = ctype::unqualified(own.ty.plain()) == ctype::unqualified(self.variable.ty.plain());
        let by_copy = Update { id, ..*self };
        let bounds = matches!(self.operation, Operation::Minimum | Operation::Maximum);
        let updates = if bounds { by_copy.extreme(value) } else { by_copy.chain(value) };
        (same_type && updates && !by_copy.is(without_casts(value))).then_some(copy)
    }

    /// Refuses copies whose values anything but the updates might see.
    fn check_copies(&self, only: &Node, dead: &dyn Fn(&Node) -> bool) -> Result<(), Refusal> {
        for list in only.walk().map(|n| n.inner.as_slice()) {
            for pair in list.windows(2) {
                let Some(copy) = self.copied(&pair[0], &pair[1]) else { continue };
                let variable = copy.variable().and_then(|v| self.unit.declaration(v.id));
                let hidden = variable.is_some_and(|v| dead(v) && set_at_once(only, v.id));
                if !hidden {
                    return Err(self.refuse(copy));
                }
            }
        }
        Ok(())
    }

    /// An expression statement that only updates the variable.
    fn updates(&self, node: &Node) -> bool {
        let bounds = matches!(self.operation, Operation::Minimum | Operation::Maximum);
        match (&node.kind, node.inner.as_slice()) {
            (SyntaxKind::ParenExpr, [inner]) => self.updates(inner),
            (SyntaxKind::UnaryOperator, [target]) => {
                matches!(node.opcode.as_str(), "++" | "--") && self.operation == Operation::Sum && self.is(target)
            }
            (SyntaxKind::CompoundAssignOperator, [target, value]) => {
                let subtracted = self.operation == Operation::Sum && node.opcode == "-=";
                let own = node.opcode == format!("{}=", self.operation.operator());
                !bounds && (own || subtracted) && self.is(target) && self.operand(value)
            }
            (SyntaxKind::BinaryOperator, [target, value]) if node.opcode == "=" && self.is(target) => {
                if bounds {
                    self.extreme(value)
                } else {
                    !self.is(without_casts(value)) && self.chain(value)
                }
            }
            _ => false,
        }
    }
}

/// The assignments of `c = x, d = e`.
fn listed(node: &Node) -> Vec<&Node> {
    let comma = node.is(&SyntaxKind::BinaryOperator) && node.opcode == ",";
    if comma { node.inner.iter().flat_map(listed).collect() } else { vec![node] }
}

/// Whether a statement is a list of assignments that gives a variable a value without it, and does not name it elsewhere.
fn sets(node: &Node, id: Id) -> bool {
    let parts = listed(node);
    let assigned = |n: &&&Node| n.is(&SyntaxKind::BinaryOperator) && n.opcode == "=" && n.inner.len() == 2;
    let target = |n: &Node| write_target(n).and_then(Node::variable).is_some_and(|v| v.id == id);
    let mentions = node.walk().filter(|n| n.reference.as_ref().is_some_and(|r| r.id == id)).count();
    mentions == 1 && parts.iter().filter(assigned).any(|part| target(part))
}

/// Whether each statement that reads a variable directly follows one that sets it.
fn set_at_once(node: &Node, id: Id) -> bool {
    let mentioned = |n: &Node| n.walk().any(|n| n.reference.as_ref().is_some_and(|r| r.id == id));
    let list = |nodes: &[Node]| {
        nodes.iter().enumerate().all(|(k, n)| {
            let simple = !n.kind.is_statement();
            let follows = simple && k > 0 && sets(&nodes[k - 1], id);
            !mentioned(n) || (simple && sets(n, id)) || follows || (!simple && set_at_once(n, id))
        })
    };
    match (&node.kind, node.inner.as_slice()) {
        _ if !mentioned(node) => true,
        (SyntaxKind::CompoundStmt, all) => list(all),
        (SyntaxKind::ForStmt, [head @ .., body]) => !head.iter().any(mentioned) && list(std::slice::from_ref(body)),
        (SyntaxKind::IfStmt, [test, branches @ ..]) => {
            !mentioned(test) && branches.iter().all(|branch| list(std::slice::from_ref(branch)))
        }
        _ => false,
    }
}

/// Refuses a statement that does anything with the variable but update it.
fn check_statement(node: &Node, update: &Update) -> Result<(), Refusal> {
    if !update.mentioned(node) {
        return Ok(());
    }
    match node.kind {
        SyntaxKind::CompoundStmt => {
            let mut rest = node.inner.as_slice();
            while let [first, others @ ..] = rest {
                let pair = others.first().is_some_and(|second| update.copied(first, second).is_some());
                if !pair {
                    check_statement(first, update)?;
                }
                rest = &others[usize::from(pair)..];
            }
            Ok(())
        }
        SyntaxKind::ForStmt => {
            if let Some(head) = node.inner[..4].iter().find(|n| update.mentioned(n)) {
                return Err(update.refuse(head));
            }
            check_statement(&node.inner[4], update)
        }
        SyntaxKind::IfStmt if update.mentioned(&node.inner[0]) => {
            // `if (e < x) x = e;`
            let value = update.replaced_by(&node.inner[0]).ok_or_else(|| update.refuse(&node.inner[0]))?;
            let [_, branch] = node.inner.as_slice() else { return Err(update.refuse(&node.inner[0])) };
            let assigned = match branch.inner.as_slice() {
                [only] if branch.is(&SyntaxKind::CompoundStmt) => only,
                _ => branch,
            };
            let [target, new] = assigned.inner.as_slice() else { return Err(update.refuse(branch)) };
            let right = assigned.is(&SyntaxKind::BinaryOperator) && assigned.opcode == "=" && update.is(target);
            if right && same(value, new) { Ok(()) } else { Err(update.refuse(branch)) }
        }
        SyntaxKind::IfStmt => node.inner[1..].iter().try_for_each(|inner| check_statement(inner, update)),
        _ if update.updates(node) => Ok(()),
        _ => Err(update.refuse(node)),
    }
}

/// The expression without parentheses and implicit conversions.
fn without_casts(node: &Node) -> &Node {
    let bare = node.bare();
    match bare.inner.first() {
        Some(inner) if bare.is(&SyntaxKind::ImplicitCastExpr) => without_casts(inner),
        _ => bare,
    }
}

/// Whether two expressions are the same operations on the same variables, and change nothing.
fn same(one: &Node, other: &Node) -> bool {
    let (one, other) = (without_casts(one), without_casts(other));
    let listed = matches!(
        one.kind,
        SyntaxKind::DeclRefExpr
            | SyntaxKind::ArraySubscriptExpr
            | SyntaxKind::MemberExpr
            | SyntaxKind::BinaryOperator
            | SyntaxKind::UnaryOperator
            | SyntaxKind::IntegerLiteral
            | SyntaxKind::FloatingLiteral
            | SyntaxKind::CStyleCastExpr
            | SyntaxKind::CallExpr
    );
    let changes = one.walk().any(|n| crate::frontend::clang::expression_parts::write_target(n).is_some());
    let id = |n: &Node| n.reference.as_ref().map(|r| r.id);
    listed
        && !changes
        && one.kind == other.kind
        && one.opcode == other.opcode
        && one.ty.plain() == other.ty.plain()
        && one.value == other.value
        && one.name == other.name
        && one.member == other.member
        && id(one) == id(other)
        && one.inner.len() == other.inner.len()
        && one.inner.iter().zip(&other.inner).all(|(a, b)| same(a, b))
}
