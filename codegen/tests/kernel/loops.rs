//! Runs isl's syntax trees and loops over convex sets as they stand, without a compiler.

use dvm_codegen::lowered::{ConvexScan, Quotient, ScanLoop, Sum};
use dvm_isl::{AstExpr, AstExprKind, AstNode, AstNodeKind, Operator};
use std::collections::HashMap;

/// A tree whose names are places in a list of values.
pub enum Step {
    Block(Vec<Step>),
    For { counter: usize, first: Term, again: Term, step: Term, body: Box<Step> },
    If { test: Term, then: Box<Step>, otherwise: Option<Box<Step>> },
    Call(Vec<Term>),
}

/// An expression.
pub enum Term {
    Number(i64),
    Value(usize),
    Of(Operator, Vec<Term>),
}

/// The names of a tree and their places.
#[derive(Default)]
pub struct Names(HashMap<String, usize>);

impl Names {
    /// The place of a name.
    pub fn place(&mut self, name: &str) -> usize {
        let next = self.0.len();
        *self.0.entry(name.to_owned()).or_insert(next)
    }

    /// Number of names.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Reads a tree.
    pub fn step(&mut self, node: &AstNode) -> Step {
        match node.kind().expect("a node") {
            AstNodeKind::Block(children) => Step::Block(children.iter().map(|child| self.step(child)).collect()),
            AstNodeKind::If { cond, then, otherwise } => Step::If {
                test: self.term(&cond),
                then: Box::new(self.step(&then)),
                otherwise: otherwise.map(|node| Box::new(self.step(&node))),
            },
            AstNodeKind::For { iterator, init, cond, inc, body, degenerate, .. } => {
                let counter = self.place(&iterator);
                let again = if degenerate { Term::Number(0) } else { self.term(&cond) };
                let (first, step) = (self.term(&init), self.term(&inc));
                let body = Box::new(self.step(&body));
                // A loop that runs once runs before its condition is asked.
                if degenerate {
                    let test = Term::Of(Operator::Eq, vec![Term::Value(counter), self.term(&init)]);
                    return Step::For { counter, first, again: test, step: Term::Number(1), body };
                }
                Step::For { counter, first, again, step, body }
            }
            AstNodeKind::User(call) => match call.kind().expect("a call") {
                AstExprKind::Op(Operator::Call, operands) => {
                    Step::Call(operands[1..].iter().map(|operand| self.term(operand)).collect())
                }
                _ => panic!("not a call: {call}"),
            },
        }
    }

    /// Reads loops over a convex set.
    pub fn scan(&mut self, scan: &ConvexScan) -> Step {
        let mut step = Step::Call(scan.results.iter().map(|sum| self.sum(sum, 1)).collect());
        if let Some(own) = &scan.exists {
            let (first, last) = self.ends(own);
            let test = Term::Of(Operator::Le, vec![first, last]);
            step = Step::If { test, then: Box::new(step), otherwise: None };
        }
        let loops = scan.loops.iter().rev().fold(step, |body, own| {
            let counter = self.place(&own.counter);
            let (first, last) = self.ends(own);
            let again = Term::Of(Operator::Le, vec![Term::Value(counter), last]);
            Step::For { counter, first, again, step: Term::Number(1), body: Box::new(body) }
        });
        scan.guards.iter().fold(loops, |then, guard| Step::If {
            test: Term::Of(Operator::Ge, vec![self.sum(guard, 1), Term::Number(0)]),
            then: Box::new(then),
            otherwise: None,
        })
    }

    /// The first and the last value of a loop.
    fn ends(&mut self, own: &ScanLoop) -> (Term, Term) {
        let least = own.least.iter().map(|one| self.quotient(one, true)).collect();
        let greatest = own.greatest.iter().map(|one| self.quotient(one, false)).collect();
        (Term::Of(Operator::Max, least), Term::Of(Operator::Min, greatest))
    }

    fn sum(&mut self, sum: &Sum, sign: i64) -> Term {
        let product = |(name, factor): &(String, i64)| {
            Term::Of(Operator::Mul, vec![Term::Number(sign * factor), Term::Value(self.place(name))])
        };
        let terms = sum.terms.iter().map(product).collect::<Vec<_>>();
        let add = |sum: Term, term: Term| Term::Of(Operator::Add, vec![sum, term]);
        terms.into_iter().fold(Term::Number(sign * sum.constant), add)
    }

    fn quotient(&mut self, quotient: &Quotient, up: bool) -> Term {
        let sign = if up { -1 } else { 1 };
        let divided = vec![self.sum(&quotient.sum, sign), Term::Number(quotient.divisor)];
        Term::Of(Operator::Mul, vec![Term::Number(sign), Term::Of(Operator::FloorDiv, divided)])
    }

    fn term(&mut self, expr: &AstExpr) -> Term {
        match expr.kind().expect("an expression") {
            AstExprKind::Int(digits) => Term::Number(digits.parse().expect("a number")),
            AstExprKind::Id(name) => Term::Value(self.place(&name)),
            AstExprKind::Op(operator, operands) => {
                Term::Of(operator, operands.iter().map(|operand| self.term(operand)).collect())
            }
        }
    }
}

impl Step {
    /// Runs the tree; `visit` gets the arguments of each call.
    pub fn run(&self, values: &mut [i64], visit: &mut dyn FnMut(&[i64])) {
        match self {
            Step::Block(children) => children.iter().for_each(|child| child.run(values, visit)),
            Step::For { counter, first, again, step, body } => {
                values[*counter] = first.value(values);
                while again.value(values) != 0 {
                    body.run(values, visit);
                    values[*counter] += step.value(values);
                }
            }
            Step::If { test, then, otherwise } => {
                if test.value(values) != 0 {
                    then.run(values, visit);
                } else if let Some(otherwise) = otherwise {
                    otherwise.run(values, visit);
                }
            }
            Step::Call(arguments) => {
                let arguments: Vec<i64> = arguments.iter().map(|argument| argument.value(values)).collect();
                visit(&arguments);
            }
        }
    }
}

impl Term {
    fn value(&self, values: &[i64]) -> i64 {
        let (operator, operands) = match self {
            Term::Number(number) => return *number,
            Term::Value(place) => return values[*place],
            Term::Of(operator, operands) => (operator, operands),
        };
        let at = |k: usize| operands[k].value(values);
        let mut all = operands.iter().map(|operand| operand.value(values));
        match operator {
            Operator::And | Operator::AndThen => i64::from(operands.iter().all(|operand| operand.value(values) != 0)),
            Operator::Or | Operator::OrElse => i64::from(operands.iter().any(|operand| operand.value(values) != 0)),
            Operator::Max => all.max().expect("an operand"),
            Operator::Min => all.min().expect("an operand"),
            Operator::Minus => -at(0),
            Operator::Add => at(0) + at(1),
            Operator::Sub => at(0) - at(1),
            Operator::Mul => at(0) * at(1),
            Operator::Div | Operator::PositiveDiv => at(0) / at(1),
            Operator::FloorDiv => at(0).div_euclid(at(1)),
            Operator::PositiveRem | Operator::ZeroRem => at(0) % at(1),
            Operator::Cond | Operator::Select => at(if at(0) != 0 { 1 } else { 2 }),
            Operator::Eq => i64::from(at(0) == at(1)),
            Operator::Le => i64::from(at(0) <= at(1)),
            Operator::Lt => i64::from(at(0) < at(1)),
            Operator::Ge => i64::from(at(0) >= at(1)),
            Operator::Gt => i64::from(at(0) > at(1)),
            Operator::Call => panic!("a call in an expression: {:?}", all.next()),
        }
    }
}
