//! Checks that subscripts stay within their rows, by proof, or by a check at run time that the analysis requests. The
//! dependences compare subscripts one by one, and would miss that `x[i][-1]` is in the previous row.

use super::lvalue::Lvalue;
use crate::Refusal;
use crate::frontend::clang::ast::Node;
use crate::frontend::clang::ctype;
use crate::frontend::clang::extent;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::{KnownParameter, RawRow, RegionBuilder};
use crate::frontend::values::affine::{Affine, Cases, Formula, compare};
use crate::frontend::values::surrounding_loops::{Proof, Scope};
use crate::model::{Parameter, Row};
use crate::planted::planted;
use crate::refusal::Code;

impl<'a> RegionBuilder<'a> {
    /// Keeps all subscripts of an access except the first in their rows.
    pub fn keep_rows(&mut self, array: &str, place: &Lvalue<'a>, at: &Node, scope: &Scope) -> Result<(), Refusal> {
        if let Some(rows) = &place.rows {
            for (subscript, (length, begin)) in place.subscripts[1..].iter().zip(rows) {
                let begin = Cases::one(Affine::constant(*begin));
                let index = subscript.combine(&begin, |s, b| s.plus(b, -1));
                self.keep_row(&index.ok_or_else(|| too_large(at))?, length, at, scope)?;
            }
            return Ok(());
        }
        // Each row is an object of its own: the entry compares what is touched of them.
        if place.tables > 0 {
            return Ok(());
        }
        for k in 1..place.subscripts.len() {
            let plain = place.types.get(k).and_then(|t| t.as_ref()).map_or("", |t| t.plain());
            let known = self
                .arrays
                .iter()
                .find(|a| a.array.symbol == array)
                .map(|a| (a.array.name.clone(), a.array.dims[k].clone()));
            let length = match (number(plain), self.unchanging_length(plain), known) {
                (Some(length), ..) => Affine::constant(length),
                (None, Some(symbol), _) => Affine::symbol(&symbol),
                (None, None, Some((name, Some(text)))) => {
                    Affine::symbol(&self.measured(&format!("dvm__{name}_row{k}"), &text))
                }
                _ => return Err(no_length(at)),
            };
            self.keep_row(&place.subscripts[k], &length, at, scope)?;
        }
        Ok(())
    }

    /// Keeps a subscript of an array inside a struct within that array.
    pub fn keep_member(&mut self, base: &Node, index: &Cases, at: &Node, scope: &Scope) -> Result<(), Refusal> {
        let length = number(base.ty.plain()).filter(|n| *n > 0).ok_or_else(|| no_length(at))?;
        self.keep_row(index, &Affine::constant(length), at, scope)
    }

    fn keep_row(&mut self, index: &Cases, length: &Affine, at: &Node, scope: &Scope) -> Result<(), Refusal> {
        let large = || too_large(at);
        if index.0.iter().any(|(_, value)| value.has_products()) {
            return Err(super::integer_expression::not_affine(at));
        }
        let mut leaves = Formula::constant(false);
        for (condition, value) in &index.0 {
            let last = length.plus(value, -1).and_then(|d| d.plus(&Affine::constant(1), -1)).ok_or_else(large)?;
            let proven = |bound: &Affine| self.ground.prove(bound, scope, &condition.facts) == Proof::Proved;
            let below = compare("<", value, &Affine::constant(0)).filter(|_| !proven(value));
            let above = compare(">=", value, length).filter(|_| !proven(&last));
            for side in [below, above].into_iter().flatten() {
                leaves = leaves.or(condition.clone().and(side));
            }
        }
        if leaves.is_false() || planted("a12-rows") {
            return Ok(());
        }
        let inner: Vec<&str> = scope.inner_loops().iter().map(|l| l.symbol.as_str()).collect();
        let conditions = scope.inner.clone().and(leaves).text();
        let shown = self.shown(at);
        let (begin, end) = (shown.begin.offset, extent::token_end(self.source, shown));
        let row = RawRow {
            statement: scope.split.map(|_| self.statements.len()),
            text: self.source.text(begin.min(end), end),
            condition: if inner.is_empty() {
                conditions
            } else {
                format!("exists ({} : {conditions})", inner.join(", "))
            },
        };
        if !self.rows.contains(&row) {
            self.rows.push(row);
        }
        Ok(())
    }

    /// The symbol of a row length that is a variable of the function and never changes.
    fn unchanging_length(&mut self, plain: &str) -> Option<String> {
        let name = ctype::first_length(plain)?;
        let word = ctype::words(name).next().filter(|w| *w == name)?;
        let unit = self.unit;
        if unit.declarations_of(word).any(|n| unit.at_file_scope(n.id)) {
            return None;
        }
        let mut all = unit.declarations_of(word).filter(|n| unit.is_inside(n.id, self.function.id));
        let variable = all.next().filter(|_| all.next().is_none())?;
        let kept = |id| !self.variables.changed.contains(&id) && !self.variables.addressed.contains(&id);
        let integer = self.unit.integer(variable.ty.plain()).is_some_and(|i| i.width >= 8);
        let outside = !self.variables.declared.contains_key(&variable.id) && variable.storage.is_empty();
        (integer
            && outside
            && kept(variable.id)
            && matches!(variable.kind, SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl))
        .then(|| self.parameter(variable))
    }

    /// The symbol of a length measured on entry.
    fn measured(&mut self, name: &str, text: &str) -> String {
        let same = |p: &&KnownParameter| p.parameter.expression.as_deref() == Some(text);
        if let Some(known) = self.parameters.iter().find(same) {
            return known.parameter.symbol.clone();
        }
        let symbol = self.fresh(name);
        self.ground.ranges.insert(symbol.clone(), (0, crate::model::WIDE_LIMIT));
        let parameter = Parameter {
            symbol: symbol.clone(),
            name: symbol.clone(),
            ctype: "dvm__int64".to_owned(),
            global: false,
            expression: Some(text.to_owned()),
        };
        self.parameters.push(KnownParameter { parameter, variable: 0 });
        symbol
    }

    /// The model's row checks, in the parameter space `space`.
    pub fn rows_of_model(&self, space: &str) -> Vec<Row> {
        let row = |raw: &RawRow| {
            let tuple = raw.statement.map_or(String::new(), |k| {
                let scope = &self.statements[k].scope;
                let symbols: Vec<&str> = scope.dimensions().iter().map(|d| d.symbol.as_str()).collect();
                format!("S{k}[{}]", symbols.join(", "))
            });
            Row { text: raw.text.clone(), outside: format!("{space}{{ {tuple} : {} }}", raw.condition) }
        };
        self.rows.iter().map(row).collect()
    }

    /// An affine condition that certainly holds if `node` holds (or, with `negate`, if not).
    pub fn necessary(&mut self, node: &'a Node, scope: &Scope, negate: bool) -> Formula {
        if let Ok(formula) = self.attempt(|b| b.condition(node, scope, negate)) {
            return formula;
        }
        let joined = if negate { "||" } else { "&&" };
        match (&node.kind, node.inner.as_slice()) {
            (SyntaxKind::ParenExpr | SyntaxKind::ImplicitCastExpr, [inner]) => self.necessary(inner, scope, negate),
            (SyntaxKind::UnaryOperator, [inner]) if node.opcode == "!" => self.necessary(inner, scope, !negate),
            (SyntaxKind::BinaryOperator, [left, right]) if node.opcode == joined => {
                let first = self.necessary(left, scope, negate);
                let mut after = Scope { uncertain: true, ..scope.clone() };
                after.restrict(first.clone());
                first.and(self.necessary(right, &after, negate))
            }
            _ => Formula::default(),
        }
    }
}

/// The first length of an array type, if it is a number.
fn number(plain: &str) -> Option<i64> {
    ctype::first_length(plain)?.parse().ok()
}

fn too_large(at: &Node) -> Refusal {
    Refusal::at(Code::WideNumbers, at, "the subscript's numbers are too large", "use smaller factors and constants")
}

fn no_length(at: &Node) -> Refusal {
    Refusal::at(
        Code::UnknownLength,
        at,
        "the length of the array that this subscript belongs to is not known",
        "use an array with a length in its type, or a pointer to it",
    )
}
