//! isl's claims about the operands of its divisions. C's `/` and `%` round towards zero, and have isl's values only if
//! the claims hold. A claim that fails anywhere the division is computed makes the tree unfaithful.

use crate::{AstExpr, AstExprKind, AstNode, AstNodeKind, Error, Operator, Result, notation};

/// The cases in which a claim is false, each with the enclosing counters: conditions, of which the last contradicts it.
#[derive(Default)]
pub(crate) struct Claims {
    pub(crate) refuted: Vec<(Vec<String>, Vec<String>)>,
}

impl Claims {
    /// The claims of an expression that is computed under some conditions.
    pub(crate) fn of(&mut self, expr: &AstExpr, variables: &[String], given: &[String]) -> Result<()> {
        let AstExprKind::Op(operator, operands) = expr.kind()? else { return Ok(()) };
        let mut inner = given.to_vec();
        match (operator, &operands[..]) {
            (Operator::And | Operator::AndThen | Operator::Or | Operator::OrElse, _) => {
                // C computes a part only if the parts before it did not decide.
                let either = matches!(operator, Operator::Or | Operator::OrElse);
                for operand in &operands {
                    self.of(operand, variables, &inner)?;
                    let truth = notation::truth(operand)?;
                    inner.push(if either { format!("not {truth}") } else { truth });
                }
                return Ok(());
            }
            (Operator::Eq, [one, other]) => {
                for (side, zero) in [(one, other), (other, one)] {
                    match (side.kind()?, zero.kind()?) {
                        // Whether a remainder is 0 does not depend on how the division rounds.
                        (AstExprKind::Op(Operator::ZeroRem, parts), AstExprKind::Int(zero)) if zero == "0" => {
                            parts.iter().try_for_each(|part| self.of(part, variables, given))?;
                        }
                        _ => self.of(side, variables, given)?,
                    }
                }
                return Ok(());
            }
            (Operator::Cond | Operator::Select, [test, yes, no]) => {
                self.of(test, variables, given)?;
                let truth = notation::truth(test)?;
                for (part, condition) in [(yes, truth.clone()), (no, format!("not {truth}"))] {
                    inner.push(condition);
                    self.of(part, variables, &inner)?;
                    inner.pop();
                }
                return Ok(());
            }
            (Operator::ZeroRem, _) => return Err(Error::unfaithful()),
            (Operator::PositiveDiv | Operator::PositiveRem, [one, _]) => {
                inner.push(format!("{} < 0", notation::value(one)?));
                self.refuted.push((variables.to_vec(), inner.clone()));
            }
            (Operator::Div, [one, other]) => {
                inner.push(format!("({}) mod {} > 0", notation::value(one)?, notation::value(other)?));
                self.refuted.push((variables.to_vec(), inner.clone()));
            }
            _ => {}
        }
        operands.iter().try_for_each(|operand| self.of(operand, variables, given))
    }

    /// The claims of all expressions of a tree.
    pub(crate) fn of_tree(&mut self, node: &AstNode, variables: &[String], given: &[String]) -> Result<()> {
        match node.kind()? {
            AstNodeKind::Block(children) => children.iter().try_for_each(|child| self.of_tree(child, variables, given)),
            AstNodeKind::If { cond, then, otherwise } => {
                self.of(&cond, variables, given)?;
                let (mut inner, truth) = (given.to_vec(), notation::truth(&cond)?);
                inner.push(truth.clone());
                self.of_tree(&then, variables, &inner)?;
                let Some(otherwise) = otherwise else { return Ok(()) };
                inner.pop();
                inner.push(format!("not {truth}"));
                self.of_tree(&otherwise, variables, &inner)
            }
            AstNodeKind::For { iterator, init, cond, inc, body, degenerate, .. } => {
                self.of(&init, variables, given)?;
                self.of(&inc, variables, given)?;
                let (mut variables, mut inner) = (variables.to_vec(), given.to_vec());
                variables.push(iterator.clone());
                let first = notation::value(&init)?;
                if degenerate {
                    inner.push(format!("{iterator} = {first}"));
                } else {
                    let turn = format!("turn{}", variables.len());
                    let gone = notation::product(&notation::value(&inc)?, &turn)?;
                    inner.push(format!("{iterator} = {first} + {gone} and {turn} >= 0"));
                    variables.push(turn);
                    // The loop also computes its condition for the first value that makes it false.
                    self.of(&cond, &variables, &inner)?;
                    inner.push(notation::truth(&cond)?);
                }
                self.of_tree(&body, &variables, &inner)
            }
            AstNodeKind::User(call) => self.of(&call, variables, given),
        }
    }
}
