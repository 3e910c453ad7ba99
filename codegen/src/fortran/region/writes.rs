//! Assignments.

use super::{Answer, Translator, refuse, unknown};
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::remedies::of_seen_scalar;
use crate::fortran::types::Element;
use crate::fortran::variables::{FortranKind, FortranVariable};
use crate::fortran::views::KEPT;

impl<'a> Translator<'a> {
    pub(super) fn assign(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let operands = op.operands();
        let [value, to] = operands.as_slice() else { return unknown(op) };
        if self.array_assign(op, value, to)? {
            return Ok(());
        }
        let value = self.operand(op, value)?;
        let (text, element) = if let Some(found) = self.elements.get(base(to)) {
            if ![self.statement, KEPT].contains(&found.statement) {
                return unknown(op);
            }
            if !found.writable {
                return refuse(op, "a number in an object is written", "use a local variable in the region");
            }
            (found.text.clone(), found.element)
        } else {
            let (key, variable) = self.variable(op, to)?;
            let element = if self.carried.contains(&key) {
                let element = self.carry(op, variable)?;
                if self.update_by_several(op, operands[0], key, variable)? {
                    return Ok(());
                }
                element
            } else {
                if self.active.contains(&key) {
                    let reason = format!("the counter `{}` is also written", variable.name);
                    return refuse(op, &reason, "use another variable");
                }
                let element = self.private(op, key, variable)?;
                self.defined.push(key);
                if value.varies {
                    self.shared.remove(key);
                } else {
                    self.shared.insert(key);
                }
                element
            };
            let name = self.written_name(key, variable);
            if self.counters.contains(key) {
                self.made.locals.insert(name.clone(), element);
            }
            (name, element)
        };
        let Some(value) = value.stored_text(element) else { return unknown(op) };
        self.line(op, &format!("{text} = {value};"));
        self.statement += 1;
        Ok(())
    }

    /// Takes a variable whose value goes on: C checks what the region does with it.
    pub(super) fn carry(&mut self, op: &'a HlfirOp, variable: &FortranVariable) -> Answer<Element> {
        let FortranKind::Scalar { element, target, .. } = &variable.kind else {
            return Self::not_scalar(op, variable);
        };
        if *target {
            let reason = format!("`{}` is a target with a `reduction`: a pointer may reach it", variable.name);
            return refuse(op, &reason, "reduce into a variable that is no target, and copy it after the region");
        }
        if *element == Element::Condition {
            let reason = format!("`{}` is a logical variable with a `reduction`", variable.name);
            return refuse(op, &reason, "count into an integer");
        }
        self.made.carried.insert(variable.name.clone(), *element);
        Ok(*element)
    }

    /// Takes a variable of which each iteration has its own.
    pub(super) fn private(&mut self, op: &'a HlfirOp, key: &'a str, variable: &FortranVariable) -> Answer<Element> {
        match &variable.kind {
            FortranKind::Scalar { element, private, target }
                if !self.active.contains(&key)
                    && (*private || !*target && self.clauses.private.contains(&variable.name)) =>
            {
                self.made.locals.insert(variable.name.clone(), *element);
                self.made.declarations.insert(key.to_owned());
                Ok(*element)
            }
            FortranKind::Scalar { .. } => {
                let (who, remedy) = of_seen_scalar(self.declared.associated.contains(key));
                refuse(op, &format!("`{}` is written, and {who}", variable.name), remedy)
            }
            _ => Self::not_scalar(op, variable),
        }
    }
}
