//! Arguments of subroutines whose text stands for a call: numbers, elements, and arrays as the subroutine declares them. What
//! they are computed from does not change until the text ends.

use super::{Answer, FoundElement, Translator, refusal, refuse, unknown};
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::places::{Place, ReachedKind};
use crate::fortran::sections::{Section, SectionDimension};
use crate::fortran::sums::WholeSum;
use crate::fortran::types::Element;
use crate::fortran::values::{HlfirValue, ValueShape};
use crate::fortran::variables::{FortranArray, FortranKind};
use crate::fortran::views::{ArrayView, HeldArray, KEPT, ViewDimension, ViewRange, view_of};
use std::iter::zip;

const SHAPES: &str = "pass the array with the shape that the subroutine declares, or declare it there as `x(:,:)`";

impl<'a> Translator<'a> {
    /// A number or an element that is an argument.
    pub(super) fn bind(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let (operands, results) = (op.operands(), op.results.as_slice());
        let ([from], [result]) = (operands.as_slice(), results) else { return unknown(op) };
        if let Some(found) = self.elements.get(base(from)).cloned() {
            if found.statement != self.statement && found.statement != KEPT {
                return unknown(op);
            }
            self.elements.insert(result.as_str(), FoundElement { statement: KEPT, ..found });
            return Ok(());
        }
        let value = self.operand(op, from)?;
        self.values.insert(result.as_str(), HlfirValue { statement: KEPT, ..value });
        Ok(())
    }

    /// The value of an argument that is a number.
    pub(super) fn kept_value(&self, from: &str) -> Option<HlfirValue> {
        let value = self.values.get(base(from)).filter(|value| value.statement == KEPT)?;
        Some(value.clone())
    }

    /// An array that is an argument.
    pub(super) fn hold(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let (operands, results) = (op.operands(), op.results.as_slice());
        let ([from], [result]) = (operands.as_slice(), results) else { return unknown(op) };
        let here = |statement: usize| statement == self.statement || statement == KEPT;
        let held = if let Some(found) = self.elements.get(base(from)) {
            let Some((place, array, subscripts)) = found.of.clone().filter(|_| here(found.statement)) else {
                return unknown(op);
            };
            HeldArray::From(place, array, subscripts)
        } else if let Some(section) = self.sections.get(base(from)) {
            if !here(section.statement) {
                return unknown(op);
            }
            HeldArray::Section(section.clone())
        } else if let Some(view) = self.views.get(base(from)) {
            HeldArray::View(view.clone())
        } else {
            HeldArray::Whole(self.place(op, from)?)
        };
        self.held.insert(result.as_str(), held);
        Ok(())
    }

    /// A local array of a subroutine, whose text begins here. It is declared in the block of C where it is used, so each
    /// iteration has its own.
    pub(super) fn local_array(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let operands = op.operands();
        let [array] = operands.as_slice() else { return unknown(op) };
        let (_, variable) = self.variable(op, array)?;
        let FortranKind::Array(array) = &variable.kind else { return unknown(op) };
        self.line(op, &format!("{};", array.c_declaration(&variable.name)));
        Ok(())
    }

    /// How a subroutine sees an array.
    pub(super) fn view(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let operands = op.operands();
        let ([held, bounds @ ..], [result]) = (operands.as_slice(), op.results.as_slice()) else { return unknown(op) };
        let (lower, extents) = bounds.split_at(bounds.len() / 2);
        let held = self.held.get(base(held)).cloned().map_or_else(|| unknown(op), Ok)?;
        let as_shape = op.text.contains(" as_shape ");
        let mut ranges = Vec::new();
        for (lower, extent) in zip(lower, extents) {
            let lower = if *lower == "%none" { Some(WholeSum::constant(1)) } else { self.operand(op, lower)?.sum };
            let lower = lower.ok_or_else(|| refusal(op, "a lower bound of an argument is not known", SHAPES))?;
            let extent = if *extent == "%none" { None } else { Some(self.operand(op, extent)?) };
            ranges.push((lower, extent));
        }
        let view = match held {
            HeldArray::From(place, array, subscripts) => self.view_from(op, place, array, subscripts, &ranges)?,
            HeldArray::Whole(place) => {
                let ReachedKind::Numbers(array) = place.kind.clone() else { return unknown(op) };
                if array.extents.len() != ranges.len() {
                    return ranks(op, &place);
                }
                let lowers = (0..ranges.len()).map(|at| self.lower(&place, &array, at)).collect();
                let mut view = self.view_from(op, place.clone(), array.clone(), lowers, &ranges)?;
                if as_shape {
                    for (at, dimension) in view.dimensions.iter_mut().enumerate() {
                        let extent = self.extent(&place, &array, at);
                        if let ViewDimension::Range(range) = dimension {
                            range.extent = Some((extent.text, extent.sum));
                        }
                    }
                }
                view
            }
            HeldArray::Section(section) => seen(op, view_of(&section), &ranges, as_shape)?,
            HeldArray::View(view) => seen(op, view, &ranges, as_shape)?,
        };
        self.views.insert(result.as_str(), view);
        Ok(())
    }

    /// The elements of an array from one on, in the order of its elements.
    fn view_from(
        &mut self,
        op: &'a HlfirOp,
        place: Place,
        array: FortranArray,
        subscripts: Vec<HlfirValue>,
        ranges: &[(WholeSum, Option<HlfirValue>)],
    ) -> Answer<ArrayView> {
        if ranges.len() > subscripts.len() {
            return ranks(op, &place);
        }
        let mut dimensions = Vec::new();
        for (at, subscript) in subscripts.into_iter().enumerate() {
            let Some((lower, extent)) = ranges.get(at) else {
                dimensions.push(ViewDimension::One(HlfirValue { statement: KEPT, ..subscript }));
                continue;
            };
            // What stands before the last dimension must be as wide as in the array; C finds subscripts beyond that.
            if let Some(extent) = extent.as_ref().filter(|_| at + 1 < ranges.len()) {
                self.same_extent(op, &place, &array, at, extent)?;
            }
            let Some(first) = subscript.sum.clone() else {
                let reason = format!("the first element of `{}` that is passed is looked up", place.text);
                return refuse(op, &reason, "pass a whole array, or one from an element with plain subscripts on");
            };
            let extent = extent.as_ref().map(|extent| (extent.text.clone(), extent.sum.clone()));
            dimensions.push(ViewDimension::Range(ViewRange { first, step: 1, lower: lower.clone(), extent }));
        }
        Ok(ArrayView { place, array, dimensions })
    }

    /// Sees to it that the array has an extent that the subroutine declares.
    fn same_extent(
        &mut self,
        op: &'a HlfirOp,
        place: &Place,
        array: &FortranArray,
        at: usize,
        extent: &HlfirValue,
    ) -> Answer<()> {
        match (array.extents[at], extent.number, &extent.fortran) {
            (Some(own), Some(declared), _) if own == declared => Ok(()),
            (Some(own), Some(declared), _) => {
                let reason = format!(
                    "`{}` has extent {own} in dimension {}, and the subroutine declares {declared}",
                    place.text,
                    at + 1
                );
                refuse(op, &reason, SHAPES)
            }
            (own, _, Some(text)) => {
                let size = own.map_or_else(|| format!("size({},{},8)", place.text, at + 1), |own| own.to_string());
                let condition = format!("{size} == {text}");
                if !self.made.conditions.contains(&condition) {
                    self.made.conditions.push(condition);
                }
                Ok(())
            }
            _ => {
                let reason = format!(
                    "an extent that the subroutine declares for `{}` is not known before the region",
                    place.text
                );
                refuse(op, &reason, "declare it by arguments and variables that the region leaves as they are")
            }
        }
    }

    /// A part of an array that is an argument; false if the operand is none.
    pub(super) fn part_of_view(&mut self, op: &'a HlfirOp, of: &str, subscripts: &[&str]) -> Answer<bool> {
        let Some(view) = self.views.get(base(of)).cloned() else { return Ok(false) };
        let [result] = op.results.as_slice() else { return unknown(op) };
        let rank = view.ranges().count();
        if subscripts.len() != rank {
            return unknown(op);
        }
        self.values.remove(result.as_str());
        if subscripts.iter().any(|subscript| subscript.contains(':')) {
            let mut given = subscripts.iter();
            let mut dimensions = Vec::new();
            for dimension in &view.dimensions {
                dimensions.push(match dimension {
                    ViewDimension::One(value) => SectionDimension::One(value.clone()),
                    ViewDimension::Range(range) => {
                        let Some(text) = given.next() else { return unknown(op) };
                        self.range_of(op, range, text)?
                    }
                });
            }
            let section = Section { place: view.place, array: view.array, dimensions, statement: self.statement };
            self.sections.insert(result.as_str(), section);
            return Ok(true);
        }
        let mut given = subscripts.iter();
        let mut all = Vec::new();
        for dimension in &view.dimensions {
            all.push(match dimension {
                ViewDimension::One(value) => value.clone(),
                ViewDimension::Range(range) => {
                    let Some(text) = given.next() else { return unknown(op) };
                    let value = self.operand(op, text)?;
                    range.subscript(&value).ok_or_else(|| refusal(op, "a subscript that is too large", SHAPES))?
                }
            });
        }
        let found = self.element(&view.place, &view.array, &all);
        self.elements.insert(result.as_str(), found);
        Ok(true)
    }

    /// A subscript or range of an argument as one of the array that is passed.
    fn range_of(&mut self, op: &'a HlfirOp, range: &ViewRange, text: &str) -> Answer<SectionDimension> {
        let parts: Vec<&str> = text.split(':').collect();
        let large = || refusal(op, "a subscript that is too large", SHAPES);
        let [first, last, step] = parts.as_slice() else {
            let value = self.operand(op, text)?;
            return Ok(SectionDimension::One(range.subscript(&value).ok_or_else(large)?));
        };
        let (first, last) = (self.operand(op, first)?, self.operand(op, last)?);
        let step = self.operand(op, step)?.number.filter(|step| *step != 0);
        let (Some(_), Some(step)) = (&first.sum, step) else {
            let reason = "the begin or the step of a section of an argument is not known";
            return refuse(op, reason, "begin at a sum of counters and variables that stay as they are");
        };
        if let ValueShape::Other(what) = last.shape {
            let reason = format!("the end of a section of an argument has {what}");
            return refuse(
                op,
                &reason,
                "bounds are sums of counters and variables that stay as they are, with whole factors",
            );
        }
        let first = range.subscript(&first).and_then(|value| value.sum).ok_or_else(large)?;
        let last = range.end(&last).ok_or_else(large)?;
        let step = step.checked_mul(range.step).ok_or_else(large)?;
        Ok(SectionDimension::Range { first, last, step })
    }

    /// An array that is an argument, as a section.
    pub(super) fn section_of_view(&self, op: &'a HlfirOp, operand: &str) -> Answer<Option<Section>> {
        let Some(view) = self.views.get(base(operand)) else { return Ok(None) };
        let mut dimensions = Vec::new();
        for dimension in &view.dimensions {
            dimensions.push(match dimension {
                ViewDimension::One(value) => SectionDimension::One(value.clone()),
                ViewDimension::Range(range) => {
                    let Some((text, sum)) = &range.extent else { return unknown(op) };
                    let extent = HlfirValue {
                        sum: sum.clone(),
                        ..HlfirValue::of(text.clone(), Element::I64, ValueShape::Affine)
                    };
                    let Some(last) = range.last_of(&extent) else { return unknown(op) };
                    SectionDimension::Range { first: range.first.clone(), last, step: range.step }
                }
            });
        }
        let (place, array) = (view.place.clone(), view.array.clone());
        Ok(Some(Section { place, array, dimensions, statement: self.statement }))
    }

    /// A bound of an array that is an argument: `0` the lower one, `1` the extent.
    pub(super) fn bound_of_view(&self, operand: &str, at: usize, which: &str) -> Option<HlfirValue> {
        let range = self.views.get(base(operand))?.ranges().nth(at)?;
        let made = match which {
            "0" => HlfirValue::of_sum(&range.lower),
            "1" => match range.extent.as_ref()? {
                (_, Some(sum)) => HlfirValue::of_sum(sum),
                (text, None) => HlfirValue::of(format!("({text})"), Element::I64, ValueShape::Extreme),
            },
            _ => return None,
        };
        Some(HlfirValue { number: made.sum.as_ref().and_then(WholeSum::number), statement: self.statement, ..made })
    }
}

/// A view with the bounds of another subroutine.
fn seen(op: &HlfirOp, view: ArrayView, ranges: &[(WholeSum, Option<HlfirValue>)], as_shape: bool) -> Answer<ArrayView> {
    let place = view.place.clone();
    if view.ranges().count() != ranges.len() {
        return ranks(op, &place);
    }
    let (mut view, mut given) = (view, ranges.iter().enumerate());
    for dimension in &mut view.dimensions {
        let ViewDimension::Range(range) = dimension else { continue };
        let Some((at, (lower, extent))) = given.next() else { return unknown(op) };
        range.lower = lower.clone();
        if as_shape {
            continue;
        }
        if at + 1 < ranges.len() {
            let same = range
                .extent
                .as_ref()
                .zip(extent.as_ref())
                .is_some_and(|((text, sum), extent)| sum.is_some() && *sum == extent.sum || *text == extent.text);
            if !same {
                let reason = format!("the subroutine declares another extent for a part of `{}`", place.text);
                return refuse(op, &reason, SHAPES);
            }
        }
        range.extent = extent.as_ref().map(|extent| (extent.text.clone(), extent.sum.clone()));
    }
    Ok(view)
}

fn ranks<T>(op: &HlfirOp, place: &Place) -> Answer<T> {
    let reason =
        format!("the subroutine declares another number of dimensions than `{}` has where it is passed", place.text);
    refuse(op, &reason, SHAPES)
}
