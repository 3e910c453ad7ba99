//! Arrays that are arguments of subroutines whose text stands for a call: as they are passed, and as they are declared.

use super::places::Place;
use super::sections::{Section, SectionDimension};
use super::sums::WholeSum;
use super::types::Element;
use super::values::HlfirValue;
use super::variables::FortranArray;

/// The number of a statement for values that stay the same until a subroutine ends.
pub const KEPT: usize = usize::MAX;

/// What an array is seen through.
#[derive(Debug, Clone)]
pub enum HeldArray {
    /// The elements from one on.
    From(Place, FortranArray, Vec<HlfirValue>),
    /// A whole array.
    Whole(Place),
    Section(Section),
    View(ArrayView),
}

/// An array as a subroutine declares it.
#[derive(Debug, Clone)]
pub struct ArrayView {
    pub place: Place,
    pub array: FortranArray,
    /// The subscripts of the array that is passed.
    pub dimensions: Vec<ViewDimension>,
}

#[derive(Debug, Clone)]
pub enum ViewDimension {
    One(HlfirValue),
    Range(ViewRange),
}

/// A dimension that the subroutine has as well.
#[derive(Debug, Clone)]
pub struct ViewRange {
    /// The first subscript of the array that is passed, and the step.
    pub first: WholeSum,
    pub step: i64,
    /// The lower bound in the subroutine.
    pub lower: WholeSum,
    /// The extent, if it is known: as C and, where it is one, as a sum.
    pub extent: Option<(String, Option<WholeSum>)>,
}

impl ArrayView {
    pub fn ranges(&self) -> impl Iterator<Item = &ViewRange> {
        self.dimensions.iter().filter_map(|dimension| match dimension {
            ViewDimension::Range(range) => Some(range),
            ViewDimension::One(_) => None,
        })
    }
}

impl ViewRange {
    /// The subscript of the array that is passed for one of the subroutine.
    pub fn subscript(&self, value: &HlfirValue) -> Option<HlfirValue> {
        let shift = self.first.plus(&self.lower, -self.step)?;
        if self.step == 1 && shift.number() == Some(0) {
            return Some(value.clone());
        }
        if let Some(sum) = &value.sum {
            return Some(HlfirValue { statement: value.statement, ..HlfirValue::of_sum(&shift.plus(sum, self.step)?) });
        }
        let text = format!("({}*{} + ({}))", self.step, value.text, shift.text());
        Some(HlfirValue {
            statement: value.statement,
            reads: value.reads,
            ..HlfirValue::of(text, Element::I64, value.shape.clone())
        })
    }

    /// The same of the end of a section, as C.
    pub fn end(&self, value: &HlfirValue) -> Option<String> {
        let shift = self.first.plus(&self.lower, -self.step)?;
        if let Some(sum) = &value.sum {
            return Some(format!("({})", shift.plus(sum, self.step)?.text()));
        }
        match (self.step, shift.number()) {
            (1, Some(0)) => Some(value.text.clone()),
            (1, _) => Some(format!("({} + ({}))", value.text, shift.text())),
            (step, _) => Some(format!("({step}*{} + ({}))", value.text, shift.text())),
        }
    }

    /// The last subscript for an extent.
    pub fn last_of(&self, extent: &HlfirValue) -> Option<String> {
        let before = self.first.plus(&WholeSum::constant(1), -self.step)?;
        match &extent.sum {
            Some(sum) => Some(format!("({})", before.plus(sum, self.step)?.text())),
            None if self.step == 1 => Some(format!("({} + ({}))", extent.text, before.text())),
            None => Some(format!("({}*({}) + ({}))", self.step, extent.text, before.text())),
        }
    }
}

/// A section with lower bounds 1.
pub fn view_of(section: &Section) -> ArrayView {
    let mut dimensions = Vec::new();
    for dimension in &section.dimensions {
        dimensions.push(match dimension {
            SectionDimension::One(value) => ViewDimension::One(HlfirValue { statement: KEPT, ..value.clone() }),
            SectionDimension::Range { first, last, step } => {
                let extent = match step {
                    1 => format!("({last} - ({}) + 1)", first.text()),
                    -1 => format!("(({}) - {last} + 1)", first.text()),
                    _ => format!("(({last} - ({}) + {step})/{step})", first.text()),
                };
                let extent = Some((extent, None));
                ViewDimension::Range(ViewRange {
                    first: first.clone(),
                    step: *step,
                    lower: WholeSum::constant(1),
                    extent,
                })
            }
        });
    }
    ArrayView { place: section.place.clone(), array: section.array.clone(), dimensions }
}
