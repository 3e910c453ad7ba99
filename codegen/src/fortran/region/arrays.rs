//! Statements about whole arrays and sections. Each becomes loops over the elements that it writes, in an order in which
//! no element is written before the statement has read it: Fortran evaluates the whole right side first. Where no such
//! order is found, the statement is refused.

use super::{Answer, FoundElement, Translator, refusal, refuse, unknown};
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::places::{Place, ReachedKind};
use crate::fortran::sections::{NamedElement, Section, SectionDimension, may_overlap};
use crate::fortran::sums::WholeSum;
use crate::fortran::types::Element;
use crate::fortran::values::{HlfirValue, ValueShape};
use crate::fortran::variables::{FortranArray, FortranKind};
use std::iter::zip;

/// A loop over a dimension of what is written.
struct ElementLoop {
    counter: String,
    first: String,
    last: String,
    /// The dimension.
    at: usize,
    /// How the subscript grows with the counter.
    sign: i64,
    downwards: bool,
    /// The number of the element, from 1.
    position: HlfirValue,
}

/// Operations with regions that have no effect.
const EXPRESSIONS: [&str; 2] = ["hlfir.elemental", "hlfir.exactly_once"];
const LOOPS: &str = "write loops over its elements";
const COPY: &str =
    "assign the right side to another array first, or write loops over its elements in the order that is meant";

impl<'a> Translator<'a> {
    /// Notes that the statement reads or writes an element.
    pub(super) fn access(&mut self, name: &str, place: &Place, subscripts: Vec<Option<WholeSum>>) {
        let (statement, name, place) = (self.statement, name.to_owned(), place.clone());
        self.accesses.push(NamedElement { statement, name, place, subscripts });
    }

    /// A value from outside of the region: a constant, or a bound of an array.
    pub(super) fn outer(&mut self, operand: &str) -> Option<HlfirValue> {
        if let Some(found) = self.seen.get(base(operand)).filter(|op| op.name == "fir.box_dims") {
            return self.held_bound(found, operand);
        }
        let number = |number: i64| {
            let sum = Some(WholeSum::constant(number));
            let value = HlfirValue::of(number.to_string(), Element::I64, ValueShape::Affine);
            HlfirValue { sum, number: Some(number), fortran: None, ..value }
        };
        if let Some(constant) = self.declared.number(operand) {
            return Some(number(constant));
        }
        let declared = self.declared;
        for (key, variable) in &declared.variables {
            let FortranKind::Array(array) = &variable.kind else { continue };
            let Some(shape) =
                declared.definitions.get(key).and_then(|op| declared.definitions.get(base(op.operands().get(1)?)))
            else {
                continue;
            };
            let operands = shape.operands();
            let Some(at) = operands.iter().position(|one| *one == operand) else { continue };
            let (at, is_lower) = match shape.name.as_str() {
                "fir.shape" => (at, false),
                "fir.shape_shift" => (at / 2, at % 2 == 0),
                "fir.shift" => (at, true),
                _ => continue,
            };
            let place = Place::of(variable)?;
            return Some(if is_lower { self.lower(&place, array, at) } else { self.extent(&place, array, at) });
        }
        None
    }

    /// A bound that a descriptor holds.
    fn held_bound(&mut self, op: &'a HlfirOp, operand: &str) -> Option<HlfirValue> {
        let operands = op.operands();
        let [holder, dimension] = operands.as_slice() else { return None };
        let at = usize::try_from(self.values.get(base(dimension))?.number?).ok()?;
        if self.views.contains_key(base(holder)) {
            return self.bound_of_view(holder, at, operand.split_once('#')?.1);
        }
        let is_known = self.places.contains_key(base(holder));
        let place = self.place(op, holder).ok()?;
        let ReachedKind::Numbers(array) = place.kind.clone() else { return None };
        match operand.split_once('#')?.1 {
            _ if at >= array.extents.len() => None,
            // The descriptor of a dummy has its caller's lower bounds.
            "0" if is_known => Some(self.lower(&place, &array, at)),
            "1" => Some(self.extent(&place, &array, at)),
            _ => None,
        }
    }

    pub(super) fn lower(&mut self, place: &Place, array: &FortranArray, at: usize) -> HlfirValue {
        let name = self.array(place, array);
        self.bound(array.lower[at], &format!("_l{}_{name}", at + 1))
    }

    pub(super) fn extent(&mut self, place: &Place, array: &FortranArray, at: usize) -> HlfirValue {
        let name = self.array(place, array);
        if at + 1 == array.extents.len() && array.extents[at].is_none() {
            self.made.sized.insert(name.clone());
        }
        self.bound(array.extents[at], &format!("_e{}_{name}", at + 1))
    }

    fn bound(&self, number: Option<i64>, name: &str) -> HlfirValue {
        let sum = number.map_or_else(|| WholeSum::term(name), WholeSum::constant);
        HlfirValue { number, statement: self.statement, ..HlfirValue::of_sum(&sum) }
    }

    /// The text in Fortran of a bound of an array that the call passes.
    fn bound_text(&self, term: &str) -> Option<String> {
        let (function, rest) = match term.strip_prefix("_l") {
            Some(rest) => ("lbound", rest),
            None => ("size", term.strip_prefix("_e")?),
        };
        let (at, name) = rest.split_once('_')?;
        let (text, _) = self.made.arrays.get(name)?;
        at.parse::<usize>().ok()?;
        Some(format!("{function}({text},{at},8)"))
    }

    /// Whether an operand of a conversion to `integer(4)` is a sum of bounds of arrays.
    pub(super) fn is_of_bounds(&mut self, op: &'a HlfirOp, operand: &str) -> Answer<bool> {
        let of = self.operand(op, operand)?;
        let narrows = op.text.ends_with("-> i32") && of.element == Element::I64 && of.number.is_none();
        let sum = of.sum.as_ref().filter(|_| narrows && of.written == Element::I64);
        Ok(sum.is_some_and(|sum| sum.number().is_none() && sum.fortran(&|term| self.bound_text(term)).is_some()))
    }

    /// Such a sum as `integer(4)`, which is computed before the call.
    pub(super) fn capture(&mut self, op: &'a HlfirOp, operand: &str) -> Answer<Option<HlfirValue>> {
        let sum = self.operand(op, operand)?.sum;
        let Some(text) = sum.and_then(|sum| sum.fortran(&|term| self.bound_text(term))) else { return unknown(op) };
        let text = format!("int({text},4)");
        let captured = &mut self.made.captured;
        let known = captured.iter().find(|(_, (other, _))| *other == text).map(|(name, _)| name.clone());
        let name = known.unwrap_or_else(|| format!("_g{}", captured.len() + 1));
        captured.insert(name.clone(), (text.clone(), Element::I32));
        Ok(Some(HlfirValue { fortran: Some(text), ..HlfirValue::of(name, Element::I32, ValueShape::Affine) }))
    }

    /// What `lbound` and `ubound` take for the lower bound: 1 for an array without elements, which is `compare`d, else the
    /// declared one. That there are elements is a condition of the call.
    pub(super) fn lower_of_some(
        &mut self,
        compare: &'a HlfirOp,
        empty: &HlfirValue,
        lower: &HlfirValue,
    ) -> Option<HlfirValue> {
        let operands = compare.operands();
        let [extent, zero] = operands.as_slice() else { return None };
        let is_empty = compare.name == "arith.cmpi" && compare.text.starts_with("eq, ");
        if !is_empty || empty.number != Some(1) || self.operand(compare, zero).ok()?.number != Some(0) {
            return None;
        }
        let extent = self.operand(compare, extent).ok()?;
        if extent.number.is_some_and(|number| number > 0) {
            return Some(lower.clone());
        }
        let extent = extent.sum?.fortran(&|term| self.bound_text(term))?;
        self.made.conditions.push(format!("{extent} > 0"));
        Some(lower.clone())
    }

    /// The descriptor of a whole array, of which only the bounds are asked.
    pub(super) fn described(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let (operands, results) = (op.operands(), op.results.as_slice());
        let ([array, shape], [result]) = (operands.as_slice(), results) else { return unknown(op) };
        let definition = |name: &str| self.seen.get(name).or_else(|| self.declared.definitions.get(name)).copied();
        let declared = definition(base(array)).and_then(|declare| definition(base(declare.operands().get(1)?)));
        let is_same = declared
            .zip(definition(base(shape)))
            .is_some_and(|(declared, here)| declared.name == here.name && declared.operands() == here.operands());
        if !is_same || op.text.contains('[') {
            return unknown(op);
        }
        let place = self.place(op, array)?;
        self.values.remove(result.as_str());
        self.places.insert(result.as_str(), (place, self.statement));
        Ok(())
    }

    /// Notes what `hlfir.designate` with ranges names.
    pub(super) fn section(&mut self, op: &'a HlfirOp, place: Place, array: FortranArray, all: &[&str]) -> Answer<()> {
        let [result] = op.results.as_slice() else { return unknown(op) };
        let mut dimensions = Vec::new();
        for subscript in all {
            let parts: Vec<&str> = subscript.split(':').collect();
            let [first, last, step] = parts.as_slice() else {
                dimensions.push(SectionDimension::One(self.operand(op, subscript)?));
                continue;
            };
            let (first, last) = (self.operand(op, first)?, self.operand(op, last)?);
            let step = self.operand(op, step)?.number;
            let (Some(first), Some(step)) = (first.sum.clone(), step.filter(|step| *step != 0)) else {
                let reason = format!("the begin or the step of a section of `{}` is not known", place.text);
                return refuse(op, &reason, "begin at a sum of counters and variables that stay as they are");
            };
            if let ValueShape::Other(what) = last.shape {
                let reason = format!("the end of a section of `{}` has {what}", place.text);
                return refuse(
                    op,
                    &reason,
                    "bounds are sums of counters and variables that stay as they are, with whole factors",
                );
            }
            let last = last.sum.map_or(last.text, |sum| format!("({})", sum.text()));
            dimensions.push(SectionDimension::Range { first, last, step });
        }
        let statement = self.statement;
        self.sections.insert(result.as_str(), Section { place, array, dimensions, statement });
        Ok(())
    }

    /// The section that an operand names, if it is one.
    fn section_of(&mut self, op: &'a HlfirOp, operand: &str) -> Answer<Option<Section>> {
        if let Some(section) = self.section_of_view(op, operand)? {
            return Ok(Some(section));
        }
        if let Some(section) = self.sections.get(base(operand)) {
            return if section.statement == self.statement { Ok(Some(section.clone())) } else { unknown(op) };
        }
        if self.elements.contains_key(base(operand)) || self.values.contains_key(base(operand)) {
            return Ok(None);
        }
        let variable = self.declared.variables.get(base(operand));
        if variable.is_some_and(|variable| matches!(variable.kind, FortranKind::Scalar { .. })) {
            return Ok(None);
        }
        if variable.is_none() && !self.places.contains_key(base(operand)) {
            return Ok(None);
        }
        let place = self.place(op, operand)?;
        let ReachedKind::Numbers(array) = place.kind.clone() else { return Ok(None) };
        let mut dimensions = Vec::new();
        for at in 0..array.extents.len() {
            let (lower, extent) = (self.lower(&place, &array, at), self.extent(&place, &array, at));
            let (Some(first), Some(extent)) = (lower.sum, extent.sum) else { return unknown(op) };
            let last = first.plus(&extent, 1).and_then(|end| end.plus(&WholeSum::constant(1), -1));
            let last = last.ok_or_else(|| refusal(op, "a bound that is too large", LOOPS))?;
            dimensions.push(SectionDimension::Range { first, last: format!("({})", last.text()), step: 1 });
        }
        Ok(Some(Section { place, array, dimensions, statement: self.statement }))
    }

    /// The element of a section at positions that count from 1.
    fn element_of(&mut self, op: &'a HlfirOp, section: &Section, positions: &[HlfirValue]) -> Answer<FoundElement> {
        let mut positions = positions.iter();
        let mut subscripts = Vec::new();
        for dimension in &section.dimensions {
            subscripts.push(match dimension {
                SectionDimension::One(value) => value.clone(),
                SectionDimension::Range { first, step, .. } => {
                    let position = positions.next().and_then(|position| position.sum.as_ref());
                    let before = position.and_then(|position| position.plus(&WholeSum::constant(1), -1));
                    let sum = before.and_then(|before| first.plus(&before, *step));
                    let sum = sum.ok_or_else(|| refusal(op, "an element of a section that is looked up", LOOPS))?;
                    HlfirValue { statement: self.statement, ..HlfirValue::of_sum(&sum) }
                }
            });
        }
        if positions.next().is_some() {
            return unknown(op);
        }
        Ok(self.element(&section.place, &section.array, &subscripts))
    }

    /// An element of what `operand` names, if that is a section.
    pub(super) fn element_in_section(
        &mut self,
        op: &'a HlfirOp,
        operand: &str,
        all: &[&str],
    ) -> Answer<Option<FoundElement>> {
        let Some(section) = self.sections.get(base(operand)).cloned() else { return Ok(None) };
        if section.statement != self.statement {
            return unknown(op);
        }
        let positions = all.iter().map(|one| self.operand(op, one)).collect::<Answer<Vec<HlfirValue>>>()?;
        Ok(Some(self.element_of(op, &section, &positions)?))
    }

    /// `hlfir.exactly_once`: a number in a `where` that does not depend on the element.
    pub(super) fn once(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let [body] = op.regions.as_slice() else { return unknown(op) };
        let value = self.straight(op, body, "hlfir.yield")?;
        self.keep(op, value.ok_or_else(|| refusal(op, "an expression of whole arrays", LOOPS))?)
    }

    /// `hlfir.apply`: an element of an expression.
    pub(super) fn applied(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let operands = op.operands();
        let Some((of, positions)) = operands.split_first() else { return unknown(op) };
        let positions = positions.iter().map(|one| self.operand(op, one)).collect::<Answer<Vec<HlfirValue>>>()?;
        let value = self.element_value(op, of, &positions)?;
        self.keep(op, value)
    }

    /// The value that an operand, which is a scalar, an array or an expression, has at positions that count from 1.
    fn element_value(&mut self, op: &'a HlfirOp, operand: &str, positions: &[HlfirValue]) -> Answer<HlfirValue> {
        if let Some((expression, statement)) = self.expressions.get(base(operand)).copied() {
            return if statement == self.statement { self.evaluate(op, expression, positions) } else { unknown(op) };
        }
        match self.section_of(op, operand)? {
            Some(section) => {
                let found = self.element_of(op, &section, positions)?;
                Ok(Self::value_of(&found))
            }
            None => self.operand(op, operand),
        }
    }

    /// Evaluates `hlfir.elemental` at positions.
    fn evaluate(&mut self, at: &'a HlfirOp, op: &'a HlfirOp, positions: &[HlfirValue]) -> Answer<HlfirValue> {
        let [body] = op.regions.as_slice() else { return unknown(op) };
        let Some((head, rest)) = body.split_first().filter(|(head, _)| head.name == "^") else { return unknown(op) };
        let names = head.text.split(['(', ',', ' ']).filter_map(|word| word.strip_suffix(':'));
        let names: Vec<&'a str> = names.filter(|word| word.starts_with('%')).collect();
        if names.len() != positions.len() {
            return unknown(at);
        }
        // Names in here are those of other expressions too.
        let (values, elements, places) = (self.values.clone(), self.elements.clone(), self.places.clone());
        let seen = self.seen.clone();
        for (name, position) in zip(names, positions) {
            self.values.insert(name, HlfirValue { statement: self.statement, ..position.clone() });
        }
        let value = self.straight(op, rest, "hlfir.yield_element");
        (self.values, self.elements, self.places, self.seen) = (values, elements, places, seen);
        value?.ok_or_else(|| refusal(op, "an expression of whole arrays", LOOPS))
    }

    /// Operations without jumps or effects; the value of the last one, which is a `last`.
    fn straight(&mut self, of: &'a HlfirOp, ops: &'a [HlfirOp], last: &str) -> Answer<Option<HlfirValue>> {
        let Some((end, ops)) = ops.split_last().filter(|(end, _)| end.name == last) else { return unknown(of) };
        let has_effect = |op: &&HlfirOp| {
            !op.regions.is_empty() && !EXPRESSIONS.contains(&op.name.as_str())
                || ["hlfir.assign", "fir.store"].contains(&op.name.as_str())
        };
        if let Some(op) = ops.iter().find(has_effect) {
            return unknown(op);
        }
        self.block(&ops.iter().collect::<Vec<_>>())?;
        let operands = end.operands();
        let [value] = operands.as_slice() else { return unknown(end) };
        if self.values.contains_key(base(value)) { Ok(Some(self.operand(end, value)?)) } else { Ok(None) }
    }

    /// An assignment to an array or a section; false if it is to something else.
    pub(super) fn array_assign(&mut self, op: &'a HlfirOp, value: &str, to: &str) -> Answer<bool> {
        let Some(target) = self.section_of(op, to)? else { return Ok(false) };
        let (_, rest) = op.text.split_once(" to ").unwrap_or_default();
        match rest.split(" : ").next().unwrap_or_default().trim().split_once(' ').map(|(_, word)| word.trim()) {
            None => {}
            // A number gives an array that is allocated no other shape.
            Some("realloc") if self.is_scalar(op, value)? => {}
            Some("realloc") => {
                let reason = format!("the assignment may allocate `{}` anew", target.place.text);
                let remedy =
                    format!("write `{}({}) = ...`", target.place.text, vec![":"; target.array.extents.len()].join(","));
                return refuse(op, &reason, &remedy);
            }
            Some(_) => return unknown(op),
        }
        let mut loops = self.loops(op, &target)?;
        let written = self.write(op, &target, &loops)?;
        let before = self.accesses.len();
        let text = self.value_text(op, value, &loops, target.array.element)?;
        let reads = self.accesses.clone();
        // What the statement reads stands in operations before it, and in its expressions.
        let own = |at: usize, access: &NamedElement| access.statement == self.statement && at + 1 != before;
        let reads: Vec<&NamedElement> =
            (0..).zip(&reads).filter(|(at, access)| own(*at, access)).map(|(_, read)| read).collect();
        order(op, &self.accesses[before - 1], &reads, &mut loops, true)?;
        self.open(op, &loops);
        self.line(op, &format!("{written} = {text};"));
        self.close(op, &loops);
        Ok(true)
    }

    fn is_scalar(&mut self, op: &'a HlfirOp, operand: &str) -> Answer<bool> {
        Ok(!self.expressions.contains_key(base(operand)) && self.section_of(op, operand)?.is_none())
    }

    /// The element that is written, as C; it is the last access.
    fn write(&mut self, op: &'a HlfirOp, target: &Section, loops: &[ElementLoop]) -> Answer<String> {
        let positions: Vec<HlfirValue> = loops.iter().map(|one| one.position.clone()).collect();
        Ok(self.element_of(op, target, &positions)?.text)
    }

    /// A value at the positions of loops, with the type of what is written.
    fn value_text(&mut self, op: &'a HlfirOp, value: &str, loops: &[ElementLoop], element: Element) -> Answer<String> {
        let positions: Vec<HlfirValue> = loops.iter().map(|one| one.position.clone()).collect();
        let value = self.element_value(op, value, &positions)?;
        let different = "an assignment between arrays of different types";
        let remedy = "convert it in the expression, as in `real(a(:), 8)`";
        value.stored_text(element).ok_or_else(|| refusal(op, different, remedy))
    }

    /// Loops over a section; the first dimension stands first.
    fn loops(&mut self, op: &'a HlfirOp, target: &Section) -> Answer<Vec<ElementLoop>> {
        let mut all = Vec::new();
        for (at, dimension) in target.dimensions.iter().enumerate() {
            let SectionDimension::Range { first, last, step } = dimension else { continue };
            let counter = format!("_s{}", all.len() + 1);
            let own = WholeSum::term(&counter);
            let one = WholeSum::constant(1);
            let made = match step {
                // The counter is the subscript.
                1 => own.plus(first, -1).and_then(|from| Some((from.plus(&one, 1)?, first.text(), last.clone()))),
                // The counter is the distance from the first.
                -1 => own.plus(&one, 1).map(|from| (from, "0".to_owned(), format!("{} - {last}", first.text()))),
                _ => {
                    let reason =
                        format!("a section of `{}` with a step that is not 1 or -1 is written", target.place.text);
                    return refuse(op, &reason, LOOPS);
                }
            };
            let (position, first, last) = made.ok_or_else(|| refusal(op, "a bound that is too large", LOOPS))?;
            self.made.locals.insert(counter.clone(), Element::I64);
            let position = HlfirValue::of_sum(&position);
            all.push(ElementLoop { counter, first, last, at, sign: *step, downwards: false, position });
        }
        Ok(all)
    }

    fn open(&mut self, op: &'a HlfirOp, loops: &[ElementLoop]) {
        for one in loops.iter().rev() {
            let ElementLoop { counter, first, last, .. } = one;
            let head = if one.downwards {
                format!("for ({counter} = {last}; {counter} >= {first}; {counter}--) {{")
            } else {
                format!("for ({counter} = {first}; {counter} <= {last}; {counter}++) {{")
            };
            self.line(op, &head);
            self.depth += 1;
        }
        self.statement += 1;
    }

    fn close(&mut self, op: &'a HlfirOp, loops: &[ElementLoop]) {
        for _ in loops {
            self.depth -= 1;
            self.line(op, "}");
        }
        self.statement += 1;
    }

    /// `where`: each element goes through all masks and assignments before the next one, which is the same if nothing
    /// but that element is both written and read.
    pub(super) fn where_construct(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let (mut lines, mut writes) = (Vec::new(), Vec::new());
        self.statement += 1;
        let first = op.inner().into_iter().find(|inner| inner.name == "hlfir.region_assign");
        let Some([_, to]) = first.map(|first| first.regions.as_slice()) else {
            return refuse(op, "a `where` without an assignment", "remove it");
        };
        let (Some(first), target) = (first, self.yielded_section(op, to)?) else { return unknown(op) };
        let target = target.map_or_else(|| unknown(first), Ok)?;
        let mut loops = self.loops(op, &target)?;
        self.masked(op, &loops, &mut lines, &mut writes, 0)?;
        let all: Vec<&NamedElement> =
            self.accesses.iter().filter(|access| access.statement == self.statement).collect();
        for (write, at) in &writes {
            order(at, write, &all, &mut loops, false)?;
        }
        self.open(op, &loops);
        for (text, depth, at) in lines {
            self.depth += depth;
            self.line(at, &text);
            self.depth -= depth;
        }
        self.close(op, &loops);
        Ok(())
    }

    /// The section that a region yields.
    fn yielded_section(&mut self, op: &'a HlfirOp, ops: &'a [HlfirOp]) -> Answer<Option<Section>> {
        let Some((end, rest)) = ops.split_last().filter(|(end, _)| end.name == "hlfir.yield") else {
            return unknown(op);
        };
        if rest.iter().any(|inner| !inner.regions.is_empty()) {
            return unknown(op);
        }
        self.block(&rest.iter().collect::<Vec<_>>())?;
        let operands = end.operands();
        let [value] = operands.as_slice() else { return unknown(end) };
        self.section_of(end, value)
    }

    /// A value that a region yields, at the positions of loops.
    fn yielded(&mut self, op: &'a HlfirOp, ops: &'a [HlfirOp], loops: &[ElementLoop]) -> Answer<HlfirValue> {
        let Some((end, rest)) = ops.split_last().filter(|(end, _)| end.name == "hlfir.yield") else {
            return unknown(op);
        };
        if let Some(op) =
            rest.iter().find(|inner| !inner.regions.is_empty() && !EXPRESSIONS.contains(&inner.name.as_str()))
        {
            return unknown(op);
        }
        self.block(&rest.iter().collect::<Vec<_>>())?;
        let operands = end.operands();
        let Some(value) = operands.first() else { return unknown(end) };
        let positions: Vec<HlfirValue> = loops.iter().map(|one| one.position.clone()).collect();
        self.element_value(end, value, &positions)
    }

    /// The mask and the body of a `where` or an `elsewhere`.
    fn masked(
        &mut self,
        op: &'a HlfirOp,
        loops: &[ElementLoop],
        lines: &mut Vec<(String, usize, &'a HlfirOp)>,
        writes: &mut Vec<(NamedElement, &'a HlfirOp)>,
        depth: usize,
    ) -> Answer<()> {
        let (mask, body) = match op.regions.as_slice() {
            [mask, body] => (Some(mask), body),
            [body] => (None, body),
            _ => return unknown(op),
        };
        let inner = depth + usize::from(mask.is_some());
        if let Some(mask) = mask {
            let mask = self.yielded(op, mask, loops)?;
            if mask.element != Element::Condition {
                return unknown(op);
            }
            lines.push((format!("if ({}) {{", mask.bare_text()), depth, op));
        }
        let mut is_open = mask.is_some();
        for part in body {
            match (part.name.as_str(), part.regions.as_slice()) {
                ("hlfir.region_assign", [value, to]) => {
                    let Some(target) = self.yielded_section(part, to)? else { return unknown(part) };
                    let text = self.write(part, &target, loops)?;
                    let access = self.accesses.last().cloned().map_or_else(|| unknown(part), Ok)?;
                    let value = self.yielded(part, value, loops)?;
                    let Some(value) = value.stored_text(target.array.element) else {
                        return refuse(part, "an assignment between arrays of different types", LOOPS);
                    };
                    writes.push((access, part));
                    lines.push((format!("{text} = {value};"), inner, part));
                }
                ("hlfir.elsewhere", _) if is_open => {
                    lines.push(("} else {".to_owned(), depth, part));
                    self.masked(part, loops, lines, writes, inner)?;
                    lines.push(("}".to_owned(), depth, part));
                    is_open = false;
                }
                ("hlfir.where", _) => {
                    return refuse(part, "a `where` inside of another", "write one mask with `.and.`");
                }
                _ => return unknown(part),
            }
        }
        if is_open {
            lines.push(("}".to_owned(), depth, op));
        }
        Ok(())
    }
}

/// Looks for an order of `loops` in which no element of `write` is written before `reads` have it.
fn order(
    op: &HlfirOp,
    write: &NamedElement,
    reads: &[&NamedElement],
    loops: &mut [ElementLoop],
    may_turn: bool,
) -> Answer<()> {
    let name = &write.place.text;
    let counts = |sum: &WholeSum| loops_of(loops).any(|counter| sum.factor(counter) != 0);
    let mut turned = vec![None; loops.len()];
    for read in reads {
        if read.name != write.name {
            if may_overlap(&read.place, &write.place) {
                let reason = format!("`{name}` and `{}` may be the same memory, by a pointer", read.place.text);
                return refuse(
                    op,
                    &reason,
                    "write loops over their elements, or pass them to a subroutine as arrays that are no pointers",
                );
            }
            continue;
        }
        let mut distances = Vec::new();
        let mut is_apart = false;
        for (own, other) in zip(&write.subscripts, &read.subscripts) {
            let (Some(own), Some(other)) = (own, other) else {
                distances.push(None);
                continue;
            };
            let distance = other.plus(own, -1).and_then(|distance| distance.number());
            is_apart |= distance.is_some_and(|d| d != 0) && !counts(own) && !counts(other);
            distances.push(distance);
        }
        if is_apart || distances.iter().all(|distance| *distance == Some(0)) {
            continue;
        }
        let reason =
            format!("`{name}` is read at other elements than the statement writes, and Fortran reads them all first");
        let Some(first) = distances.iter().rposition(|distance| *distance != Some(0)) else { continue };
        let Some(at) = loops.iter().position(|one| one.at == first && one.sign == 1) else {
            return refuse(op, &reason, COPY);
        };
        let (Some(distance), true) = (distances[first], may_turn && distances.iter().all(Option::is_some)) else {
            return refuse(op, &reason, COPY);
        };
        let downwards = distance < 0;
        if turned[at].is_some_and(|other| other != downwards) {
            return refuse(op, &reason, COPY);
        }
        turned[at] = Some(downwards);
    }
    for (one, turned) in zip(loops, turned) {
        one.downwards = turned.unwrap_or(false);
    }
    Ok(())
}

fn loops_of(loops: &[ElementLoop]) -> impl Iterator<Item = &str> {
    loops.iter().map(|one| one.counter.as_str())
}
