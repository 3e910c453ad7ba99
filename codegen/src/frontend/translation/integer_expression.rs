//! Translates C's integer expressions and conditions to quasi-affine values, exactly or not at all.

use crate::Refusal;
use crate::frontend::clang::ast::Node;
use crate::frontend::clang::ctype::Integer;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::reaching_definitions::Definition;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::values::affine::{Affine, Cases, Formula, compare};
use crate::frontend::values::surrounding_loops::{Proof, Scope};
use crate::planted::planted;
use crate::refusal::Code;

const USE_AFFINE: &str = "use only sums of counters and unchanging integers with constant factors here";
/// Limit for values of 64-bit types, half the range of a signed 64-bit integer: the generated code computes in 64 bits,
/// and proofs add to the bounds.
pub const COMPUTABLE: i64 = 1 << 62;

/// The largest number of definitions that a value may use, one for another.
const MAX_DEFINITIONS: u32 = 12;

const COPY_BEFORE: &str = "if the value does not change, copy it to an integer variable before the region";
const USE_SIGNED: &str =
    "use signed integers for counters and sizes, or start the loop where the value cannot be below 0";

impl<'a> RegionBuilder<'a> {
    /// The value of an integer expression.
    pub fn value(&mut self, node: &'a Node, scope: &Scope) -> Result<Cases, Refusal> {
        match self.attempt(|b| b.direct(node, scope)) {
            Ok(value) => Ok(value),
            Err(refused) => match self.attempt(|b| b.capture(node, scope))? {
                Some(value) => Ok(Cases::one(value)),
                None => Err(refused),
            },
        }
    }

    fn direct(&mut self, node: &'a Node, scope: &Scope) -> Result<Cases, Refusal> {
        if let Some(constant) = self.unit.constant(node) {
            return small(constant.value).map(Cases::one).ok_or_else(|| not_affine(node));
        }
        let child = |k: usize| node.child(k).ok_or_else(|| not_affine(node));
        match node.kind {
            SyntaxKind::ConstantExpr | SyntaxKind::ParenExpr => self.value(child(0)?, scope),
            SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr => match node.cast.as_str() {
                "LValueToRValue" | "NoOp" => self.value(child(0)?, scope),
                "IntegralCast" => {
                    let value = self.value(child(0)?, scope)?;
                    self.convert(value, child(0)?, node, scope)
                }
                _ => Err(not_affine(node)),
            },
            SyntaxKind::DeclRefExpr => self.named(node, scope),
            SyntaxKind::UnaryOperator if node.opcode == "+" => self.value(child(0)?, scope),
            SyntaxKind::UnaryOperator if node.opcode == "-" => {
                let value = self.value(child(0)?, scope)?;
                let negative = value.combine(&value, |a, _| a.times(-1));
                self.arithmetic(negative, node, scope)
            }
            SyntaxKind::UnaryOperator if matches!(node.opcode.as_str(), "++" | "--") => {
                let target = child(0)?;
                let closed = target.variable().is_some_and(|r| self.closed.contains(&r.id));
                match (closed, node.postfix) {
                    (true, true) => self.value(target, scope),
                    (true, false) => self.updated(node, scope),
                    (false, _) => Err(not_affine(node)),
                }
            }
            SyntaxKind::BinaryOperator => self.binary(node, scope),
            SyntaxKind::ConditionalOperator => self.conditional(node, scope),
            _ => Err(not_affine(node)),
        }
    }

    fn named(&mut self, node: &'a Node, scope: &Scope) -> Result<Cases, Refusal> {
        let reference = node.reference.as_ref().ok_or_else(|| not_affine(node))?;
        let declaration = self.unit.declaration(reference.id).ok_or_else(|| not_affine(node))?;
        if self.unit.integer(declaration.ty.plain()).is_none() {
            return Err(not_affine(node));
        }
        Self::check_storage(declaration, node)?;
        if let Some(symbol) = scope.symbol(reference.id) {
            // Where that text stands, the counter may have the value that a loop before has left.
            let elsewhere = self.definitions_open > 0 && !planted("a42-left");
            if elsewhere && self.variables.left.contains(&reference.id) {
                return Err(counter_left(&reference.name, node));
            }
            return Ok(Cases::one(Affine::symbol(symbol)));
        }
        if self.callees.variables.contains(&reference.id) {
            let value = self.callees.values.get(&reference.id).copied();
            let value = value.filter(|_| !self.callees.changed.contains(&reference.id));
            return self.value(value.ok_or_else(|| not_affine(node))?, scope);
        }
        if self.variables.is_counter(reference.id) {
            return Err(counter_left(&reference.name, node));
        }
        if let Some(definition) = self.definitions.of_use(node) {
            return self.defined(definition, declaration, node, scope);
        }
        if self.variables.written.contains_key(&reference.id) {
            return Err(Refusal::at(
                Code::ChangingValue,
                node,
                format!("`{}` changes in the region, so this is not affine", reference.name),
                "use only loop counters and integers that do not change in the region here",
            ));
        }
        let initial = declaration.initial_value();
        if self.variables.declared.contains_key(&reference.id) {
            let initial = initial.ok_or_else(|| not_affine(node))?;
            return self.elsewhere(|b| b.value(initial, scope));
        }
        if declaration.ty.plain().starts_with("const ")
            && let Some(value) = initial.and_then(|n| self.unit.constant(n)).and_then(|c| small(c.value))
        {
            return Ok(Cases::one(value));
        }
        Ok(Cases::one(Affine::symbol(&self.parameter(declaration))))
    }

    /// The value that a definition gives to a variable.
    pub fn defined(
        &mut self,
        definition: Definition<'a>,
        variable: &'a Node,
        node: &Node,
        scope: &Scope,
    ) -> Result<Cases, Refusal> {
        if self.definitions_open == MAX_DEFINITIONS {
            return Err(not_affine(node));
        }
        self.elsewhere(|b| match definition {
            Definition::Assigned(value) => b.value(value, scope),
            Definition::Updated(update) => b.updated(update, scope),
            Definition::Entry => Ok(Cases::one(Affine::symbol(&b.captured(&variable.name, variable)))),
            Definition::Carried(index) => b.carried_value(index, false, variable, node, scope),
            Definition::After(index) => b.carried_value(index, true, variable, node, scope),
        })
    }

    /// Evaluates text that stands elsewhere than where its value is used.
    pub fn elsewhere<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        self.definitions_open += 1;
        let value = evaluate(self);
        self.definitions_open -= 1;
        value
    }

    /// The value after `k += 2`, `k++` and the like, where the sum is computed in the variable's own type.
    fn updated(&mut self, update: &'a Node, scope: &Scope) -> Result<Cases, Refusal> {
        let target = update.child(0).ok_or_else(|| not_affine(update))?;
        let before = self.value(target, scope)?;
        let one = Cases::one(Affine::constant(1));
        let (amount, sign) = match (update.opcode.as_str(), update.child(1)) {
            ("++", _) => (one, 1),
            ("--", _) => (one, -1),
            (operator @ ("+=" | "-="), Some(amount)) => {
                let (own, other) = (self.unit.integer(target.ty.plain()), self.unit.integer(amount.ty.plain()));
                let same = own.zip(other).is_some_and(|(a, b)| a.signed == b.signed && a.width >= b.width.max(32));
                if !same {
                    return Err(not_affine(update));
                }
                (self.value(amount, scope)?, if operator == "+=" { 1 } else { -1 })
            }
            _ => return Err(not_affine(update)),
        };
        if self.unit.integer(target.ty.plain()).is_none_or(|ty| ty.width < 32) {
            return Err(not_affine(update));
        }
        let after = before.combine(&amount, |a, b| a.plus(b, sign));
        self.arithmetic(after, target, scope)
    }

    fn binary(&mut self, node: &'a Node, scope: &Scope) -> Result<Cases, Refusal> {
        let [left, right] = node.inner.as_slice() else { return Err(not_affine(node)) };
        if matches!(node.opcode.as_str(), "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||") {
            let yes = self.condition(node, scope, false)?;
            let no = self.condition(node, scope, true)?;
            return Ok(Cases(vec![(yes, Affine::constant(1)), (no, Affine::constant(0))]));
        }
        if !matches!(node.opcode.as_str(), "+" | "-" | "*" | "/" | "%" | "<<")
            || self.unit.integer(node.ty.plain()).is_none()
        {
            return Err(not_affine(node));
        }
        let (a, b) = (self.value(left, scope)?, self.value(right, scope)?);
        let constant = |c: &Cases| c.single().and_then(Affine::as_constant);
        if node.opcode == "*" && self.allows_products && constant(&a).is_none() && constant(&b).is_none() {
            let product = self.multiplied((left, &a), (right, &b), scope)?;
            return self.arithmetic(product, node, scope);
        }
        let result = match (node.opcode.as_str(), constant(&a), constant(&b)) {
            ("+", ..) => a.combine(&b, |x, y| x.plus(y, 1)),
            ("-", ..) => a.combine(&b, |x, y| x.plus(y, -1)),
            ("*", _, Some(k)) => a.combine(&b, |x, _| x.times(k)),
            ("*", Some(k), _) => b.combine(&a, |x, _| x.times(k)),
            ("<<", _, Some(k)) if (0..31).contains(&k) => a.combine(&b, |x, _| x.times(1 << k)),
            ("/" | "%", _, Some(k)) if k > 0 => return self.quotient(&a, k, node.opcode == "/", scope, node),
            _ => None,
        };
        self.arithmetic(result, node, scope)
    }

    /// C's division rounds towards zero: it is floor for a dividend of at least 0, and mirrored otherwise.
    fn quotient(&mut self, a: &Cases, k: i64, division: bool, scope: &Scope, node: &Node) -> Result<Cases, Refusal> {
        let part = |v: &Affine| if division { v.floor_div(k) } else { v.modulo(k) };
        let mut all = Vec::new();
        if a.0.iter().any(|(_, value)| value.has_products()) {
            return Err(not_affine(node));
        }
        for (condition, value) in &a.0 {
            if let Some(c) = value.as_constant() {
                all.push((condition.clone(), Affine::constant(if division { c / k } else { c % k })));
                continue;
            }
            let counters = value.symbols().iter().any(|s| scope.loops.iter().any(|l| &l.symbol == s));
            let proof = self.ground.prove(value, scope, &condition.facts);
            if proof == Proof::Proved || (!counters && self.require(value, scope, &condition.facts)) {
                all.push((condition.clone(), part(value)));
                continue;
            }
            let zero = Affine::constant(0);
            let negative = value.times(-1).ok_or_else(|| not_affine(node))?;
            let mirrored = part(&negative).times(-1).ok_or_else(|| not_affine(node))?;
            let at_least = compare(">=", value, &zero).ok_or_else(|| not_affine(node))?;
            let below = compare("<", value, &zero).ok_or_else(|| not_affine(node))?;
            all.push((condition.clone().and(at_least), part(value)));
            all.push((condition.clone().and(below), mirrored));
        }
        Ok(Cases(all))
    }

    fn conditional(&mut self, node: &'a Node, scope: &Scope) -> Result<Cases, Refusal> {
        let [test, yes, no] = node.inner.as_slice() else { return Err(not_affine(node)) };
        let branch = Scope { uncertain: true, ..scope.clone() };
        let (a, b) = (self.value(yes, &branch)?, self.value(no, &branch)?);
        if a.0.iter().chain(&b.0).any(|(_, value)| value.has_products()) {
            return Err(not_affine(node));
        }
        if let (Some(a), Some(b)) = (a.single(), b.single())
            && let Some(greater) = self.picks_greater(test, a, b, scope)
        {
            return Ok(Cases::one(Affine::extreme(greater, a, b)));
        }
        let (holds, fails) = (self.condition(test, scope, false)?, self.condition(test, scope, true)?);
        let with = |c: &Formula, v: &Cases| -> Vec<(Formula, Affine)> {
            v.0.iter().map(|(f, x)| (c.clone().and(f.clone()), x.clone())).collect()
        };
        let mut all = with(&holds, &a);
        all.extend(with(&fails, &b));
        Ok(Cases(all))
    }

    /// `a > b ? a : b` is a maximum: `Some(true)`; `a < b ? a : b` a minimum: `Some(false)`.
    fn picks_greater(&mut self, test: &'a Node, a: &Affine, b: &Affine, scope: &Scope) -> Option<bool> {
        let mut test = test;
        while test.is(&SyntaxKind::ParenExpr) {
            test = test.child(0)?;
        }
        let greater = match test.opcode.as_str() {
            ">" | ">=" => true,
            "<" | "<=" => false,
            _ => return None,
        };
        let left = self.value(test.child(0)?, scope).ok()?;
        let right = self.value(test.child(1)?, scope).ok()?;
        let (left, right) = (left.single()?, right.single()?);
        if (left, right) == (a, b) {
            Some(greater)
        } else if (left, right) == (b, a) {
            Some(!greater)
        } else {
            None
        }
    }

    /// The result of an arithmetic operation in its C type; refused if it may wrap around.
    pub fn arithmetic(&mut self, value: Option<Cases>, node: &Node, scope: &Scope) -> Result<Cases, Refusal> {
        let value = value.ok_or_else(|| not_affine(node))?;
        match self.unit.integer(node.ty.plain()) {
            Some(ty) if !ty.signed || self.unit.integer_options.wraps => self.fit(value, ty, true, true, node, scope),
            Some(_) => Ok(value),
            None => Err(not_affine(node)),
        }
    }

    fn convert(&mut self, value: Cases, from: &Node, to: &Node, scope: &Scope) -> Result<Cases, Refusal> {
        let (Some(from), Some(target)) = (self.unit.integer(from.ty.plain()), self.unit.integer(to.ty.plain())) else {
            return Err(not_affine(to));
        };
        if target.width == 1 {
            return Err(not_affine(to));
        }
        self.fit(value, target, from.min() < target.min(), from.max() > target.max(), to, scope)
    }

    fn fit(
        &mut self,
        value: Cases,
        ty: Integer,
        low: bool,
        high: bool,
        node: &Node,
        scope: &Scope,
    ) -> Result<Cases, Refusal> {
        for (condition, v) in &value.0 {
            if v.has_products() {
                // Sums and products of values of at least 0 are at least 0.
                let low = low && !matches!(node.opcode.as_str(), "+" | "*");
                if (low || high) && (ty.signed || !self.fits_unsigned(v, ty, low, scope, &condition.facts)) {
                    return Err(not_affine(node));
                }
                continue;
            }
            let (min, max) = (ty.min().max(-i128::from(COMPUTABLE)), ty.max().min(i128::from(COMPUTABLE)));
            let above = v.plus(&Affine::constant(min as i64), -1);
            let below = Affine::constant(max as i64).plus(v, -1);
            let high = high && !(ty.width == 64 && crate::planted::planted("a7-wrap"));
            for (bound, _) in [(above, low), (below, high)].into_iter().filter(|(_, wanted)| *wanted) {
                if !bound.is_some_and(|bound| self.require(&bound, scope, &condition.facts)) {
                    return Err(Refusal::at(
                        Code::ValueWraps,
                        node,
                        format!("the value may leave the range of `{}` and wrap around", node.ty.written),
                        USE_SIGNED,
                    ));
                }
            }
        }
        Ok(value)
    }

    /// A condition, or its negation. Conditions have no products.
    pub fn condition(&mut self, node: &'a Node, scope: &Scope, negate: bool) -> Result<Formula, Refusal> {
        let before = std::mem::replace(&mut self.allows_products, false);
        let formula = self.affine_condition(node, scope, negate);
        self.allows_products = before;
        formula
    }

    fn affine_condition(&mut self, node: &'a Node, scope: &Scope, negate: bool) -> Result<Formula, Refusal> {
        let child = |k: usize| node.child(k).ok_or_else(|| not_affine(node));
        match (&node.kind, node.opcode.as_str()) {
            (SyntaxKind::ParenExpr | SyntaxKind::ConstantExpr, _) => self.condition(child(0)?, scope, negate),
            (SyntaxKind::ImplicitCastExpr, _) if matches!(node.cast.as_str(), "IntegralToBoolean" | "NoOp") => {
                self.condition(child(0)?, scope, negate)
            }
            (SyntaxKind::ImplicitCastExpr, _) if node.cast == "IntegralCast" && is_test(child(0)?) => {
                self.condition(child(0)?, scope, negate)
            }
            (SyntaxKind::UnaryOperator, "!") => self.condition(child(0)?, scope, !negate),
            (SyntaxKind::BinaryOperator, "&&" | "||") => {
                let a = self.condition(child(0)?, scope, negate)?;
                // C only evaluates the right side if the left side allows it.
                let mut after = scope.clone();
                let both = node.opcode == "&&";
                // Reuses the condition if it is the same: chains of `&&` would double the work at each link.
                after.restrict(if negate == both { self.condition(child(0)?, scope, !both)? } else { a.clone() });
                after.uncertain = true;
                let b = self.condition(child(1)?, &after, negate)?;
                Ok(if both == negate { a.or(b) } else { a.and(b) })
            }
            (SyntaxKind::BinaryOperator, "<" | "<=" | ">" | ">=" | "==" | "!=") => {
                let (a, b) = (self.value(child(0)?, scope)?, self.value(child(1)?, scope)?);
                let operator = if negate { opposite(&node.opcode) } else { &node.opcode };
                a.compare(operator, &b).ok_or_else(|| not_affine(node))
            }
            _ => {
                let value = self.value(node, scope)?;
                let operator = if negate { "==" } else { "!=" };
                value.compare(operator, &Cases::one(Affine::constant(0))).ok_or_else(|| not_affine(node))
            }
        }
    }
}

fn is_test(node: &Node) -> bool {
    match node.kind {
        SyntaxKind::ParenExpr => node.inner.first().is_some_and(is_test),
        SyntaxKind::UnaryOperator => node.opcode == "!",
        _ => matches!(node.opcode.as_str(), "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||"),
    }
}

fn opposite(operator: &str) -> &'static str {
    match operator {
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        ">=" => "<",
        "==" => "!=",
        _ => "==",
    }
}

/// The refusal of an expression that is not affine.
pub fn not_affine(node: &Node) -> Refusal {
    let memory =
        matches!(node.bare().kind, SyntaxKind::MemberExpr | SyntaxKind::ArraySubscriptExpr | SyntaxKind::UnaryOperator);
    Refusal::at(
        Code::NotAffine,
        node,
        "this is not an affine expression",
        if memory { COPY_BEFORE } else { USE_AFFINE },
    )
}

/// A constant small enough for sums in 64 bits.
fn small(value: i128) -> Option<Affine> {
    i64::try_from(value).ok().filter(|v| v.unsigned_abs() < 1 << 48).map(Affine::constant)
}

fn counter_left(name: &str, node: &Node) -> Refusal {
    let reason = format!("`{name}` is a loop counter that is used outside its loop");
    Refusal::at(Code::CounterLeft, node, reason, "keep the value in another variable")
}
