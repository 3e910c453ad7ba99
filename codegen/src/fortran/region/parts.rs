//! `hlfir.designate`: elements, sections and components.

use super::{Answer, FoundElement, Translator, refusal, refuse, unknown};
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::places::{Designator, Place, ReachedKind};
use crate::fortran::types::{Element, Holder, SpelledType};
use crate::fortran::values::{HlfirValue, ValueShape};

impl<'a> Translator<'a> {
    /// What an element holds.
    pub(super) fn value_of(found: &FoundElement) -> HlfirValue {
        if found.element.is_logical() {
            let text = format!("({} != 0)", found.text);
            let value = HlfirValue::of(text, Element::Condition, ValueShape::Affine);
            let stored = Some((found.text.clone(), found.element));
            return HlfirValue { stored, reads: true, varies: !found.steady, ..value };
        }
        let shape = match found.element {
            // Whether the region writes it is looked for in C.
            element if element.is_whole() && found.steady => ValueShape::Affine,
            _ => ValueShape::Other("an element of an array"),
        };
        HlfirValue { reads: true, varies: !found.steady, ..HlfirValue::of(found.text.clone(), found.element, shape) }
    }

    pub(super) fn designate(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let Some(parts) = Designator::read(op) else {
            return refuse(op, "a part of a variable that is not taken", "write a loop over its elements");
        };
        let [result] = op.results.as_slice() else { return unknown(op) };
        if parts.component.is_none() && self.part_of_view(op, parts.base, &parts.subscripts)? {
            return Ok(());
        }
        if parts.component.is_none()
            && let Some(found) = self.element_in_section(op, parts.base, &parts.subscripts)?
        {
            self.values.remove(result.as_str());
            self.elements.insert(result.as_str(), found);
            return Ok(());
        }
        let mut place = self.place(op, parts.base)?;
        if let Some(component) = parts.component {
            place = self.component(op, &place, component, parts.shape)?;
        }
        self.values.remove(result.as_str());
        match (&place.kind, parts.subscripts.as_slice()) {
            (ReachedKind::Numbers(array), subscripts) if subscripts.len() == array.extents.len() => {
                if subscripts.iter().any(|subscript| subscript.contains(':')) {
                    let array = array.clone();
                    return self.section(op, place, array, &parts.subscripts);
                }
                let values = subscripts.iter().map(|one| self.operand(op, one)).collect::<Answer<Vec<_>>>()?;
                let found = self.element(&place, array, &values);
                self.elements.insert(result.as_str(), found);
            }
            (ReachedKind::Number(element), []) if !place.is_variable => {
                let text = format!("{}[0]", self.reference(&place, *element));
                let (element, statement) = (*element, self.statement);
                let found = FoundElement { text, element, statement, steady: true, writable: false, of: None };
                self.elements.insert(result.as_str(), found);
            }
            (ReachedKind::Objects(rank), subscripts) if subscripts.len() == *rank => {
                let place = self.object(op, &place, subscripts)?;
                self.places.insert(result.as_str(), (place, self.statement));
            }
            (_, []) => _ = self.places.insert(result.as_str(), (place, self.statement)),
            _ => return refuse(op, "a section of objects", "write a loop over its elements"),
        }
        Ok(())
    }

    fn component(&self, op: &'a HlfirOp, of: &Place, name: &str, shape: Option<&str>) -> Answer<Place> {
        let what = format!("the component `{name}` of `{}`", of.text);
        let remedy = "pass the component to a subroutine as an array or a number, and put the region there";
        if of.kind != ReachedKind::Object {
            return refuse(op, &format!("{what}: a section of components"), remedy);
        }
        let bounds = match shape {
            Some(shape) => {
                Some(self.bounds(shape).ok_or(refusal(op, &format!("{what} has bounds of the run"), remedy))?)
            }
            None => None,
        };
        // With subscripts, this is the type of the element.
        let mut spelled = op.text.rsplit_once("-> ").and_then(|(_, to)| SpelledType::read(to));
        if let Some(spelled) = spelled.as_mut().filter(|s| bounds.is_some() && s.holder == Holder::AssumedShape) {
            // A section, or the whole with its bounds: the component itself has no descriptor.
            spelled.holder = Holder::Itself;
        }
        let made = spelled.and_then(|spelled| of.component(name, &spelled, bounds));
        made.ok_or_else(|| refusal(op, &format!("{what} has a type that is not taken"), remedy))
    }

    /// Lower bounds and extents that are constants.
    fn bounds(&self, shape: &str) -> Option<Vec<(i64, i64)>> {
        let shape = self.seen.get(base(shape))?;
        let operands = shape.operands();
        let numbers = operands.iter().map(|operand| self.values.get(base(operand))?.number);
        let numbers = numbers.collect::<Option<Vec<i64>>>()?;
        match shape.name.as_str() {
            "fir.shape" => Some(numbers.into_iter().map(|extent| (1, extent)).collect()),
            "fir.shape_shift" => Some(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()),
            _ => None,
        }
    }

    /// An element of an array of objects.
    fn object(&mut self, op: &'a HlfirOp, of: &Place, subscripts: &[&str]) -> Answer<Place> {
        let mut texts = Vec::new();
        for subscript in subscripts {
            let value = self.operand(op, subscript)?;
            let Some(text) = value.fortran else {
                let reason = format!("a subscript of `{}`, an array of objects, changes in the region", of.text);
                return refuse(
                    op,
                    &reason,
                    "pass one object, or its components, to a subroutine, and put the region there",
                );
            };
            texts.push(text);
        }
        Ok(of.element(&texts))
    }
}
