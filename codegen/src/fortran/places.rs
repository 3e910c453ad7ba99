//! What values of HLFIR refer to: variables, components, elements, and what descriptors hold. Each place has the text of
//! Fortran that names it.

use super::hlfir::HlfirOp;
use super::types::{Content, Element, Holder, SpelledType};
use super::variables::{FortranArray, FortranKind, FortranVariable};

/// What a place is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReachedKind {
    /// A number.
    Number(Element),
    /// An array of numbers.
    Numbers(FortranArray),
    /// An object of a derived type.
    Object,
    /// An array of objects, and its rank.
    Objects(usize),
}

/// What must be true before a text of Fortran is evaluated, or its elements follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// A condition of Fortran.
    True(String),
    /// The elements of this array, which a descriptor holds, follow each other: its text, the type of its elements and its rank.
    /// `is_contiguous` of gfortran is true for pointers to components of objects, which have gaps.
    Dense(String, Element, usize),
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Fortran's text for it.
    pub text: String,
    /// Its last name.
    pub name: String,
    /// What must be true for the text to mean something, and its elements to follow each other: each only if those before are.
    pub needs: Vec<Need>,
    /// What it is.
    pub kind: ReachedKind,
    /// It is a variable.
    pub is_variable: bool,
}

impl Place {
    /// The place of a variable, if that may be one.
    pub fn of(variable: &FortranVariable) -> Option<Place> {
        let (kind, holder) = match &variable.kind {
            FortranKind::Scalar { element, .. } => (ReachedKind::Number(*element), Holder::Itself),
            FortranKind::Array(array) => (ReachedKind::Numbers(array.clone()), array.holder),
            FortranKind::Object { holder, rank: 0 } => (ReachedKind::Object, *holder),
            FortranKind::Object { holder, rank } => (ReachedKind::Objects(*rank), *holder),
            _ => return None,
        };
        let name = variable.name.clone();
        let mut place = Place { text: name.clone(), name, needs: Vec::new(), kind, is_variable: true };
        place.hold(holder);
        Some(place)
    }

    /// A component; `bounds` are its lower bounds and extents, if it stands in the object itself.
    pub fn component(&self, name: &str, spelled: &SpelledType, bounds: Option<Vec<(i64, i64)>>) -> Option<Place> {
        let rank = spelled.extents.len();
        let kind = match (spelled.content, spelled.holder, bounds) {
            (Content::Number(element), Holder::Itself, None) if rank == 0 => ReachedKind::Number(element),
            (Content::Number(element), Holder::Itself, Some(bounds)) => {
                let (lower, extents) = bounds.into_iter().map(|(lower, extent)| (Some(lower), Some(extent))).unzip();
                ReachedKind::Numbers(FortranArray {
                    element,
                    extents,
                    lower,
                    holder: Holder::Itself,
                    target: true,
                    values: None,
                })
            }
            (Content::Number(element), holder @ (Holder::Allocatable | Holder::Pointer), None) if rank > 0 => {
                ReachedKind::Numbers(FortranArray {
                    element,
                    extents: vec![None; rank],
                    lower: vec![None; rank],
                    holder,
                    target: true,
                    values: None,
                })
            }
            (Content::Object, Holder::Itself, Some(bounds)) => ReachedKind::Objects(bounds.len()),
            (Content::Object, Holder::AssumedShape, _) => return None,
            (Content::Object, _, None) if rank == 0 => ReachedKind::Object,
            (Content::Object, Holder::Allocatable | Holder::Pointer, None) => ReachedKind::Objects(rank),
            _ => return None,
        };
        let (text, needs) = (format!("{}%{name}", self.text), self.needs.clone());
        let mut place = Place { text, name: name.to_owned(), needs, kind, is_variable: false };
        place.hold(spelled.holder);
        Some(place)
    }

    /// An element of an array of objects; `subscripts` are text of Fortran.
    pub fn element(&self, subscripts: &[String]) -> Place {
        let mut needs = self.needs.clone();
        for (at, subscript) in (1..).zip(subscripts) {
            let array = &self.text;
            let inside = format!("{subscript} >= lbound({array},{at},8) .and. {subscript} <= ubound({array},{at},8)");
            needs.push(Need::True(inside));
        }
        let text = format!("{}({})", self.text, subscripts.join(","));
        Place { text, name: self.name.clone(), needs, kind: ReachedKind::Object, is_variable: false }
    }

    fn hold(&mut self, holder: Holder) {
        let text = &self.text;
        match holder {
            Holder::Itself | Holder::AssumedShape => {}
            Holder::Allocatable => self.needs.push(Need::True(format!("allocated({text})"))),
            Holder::Pointer => self.needs.push(Need::True(format!("associated({text})"))),
        }
        if let ReachedKind::Numbers(array) = &self.kind
            && holder.may_have_gaps()
        {
            self.needs.push(Need::Dense(text.clone(), array.element, array.extents.len()));
        }
    }
}

/// The parts of `hlfir.designate`.
#[derive(Debug, PartialEq, Eq)]
pub struct Designator<'t> {
    /// What it is a part of.
    pub base: &'t str,
    /// The name of the component.
    pub component: Option<&'t str>,
    /// The shape of the component.
    pub shape: Option<&'t str>,
    /// The subscripts; those of a section have three parts between colons.
    pub subscripts: Vec<&'t str>,
}

impl<'t> Designator<'t> {
    /// Reads an operation; `None` if it has other parts, such as a section's.
    pub fn read(op: &'t HlfirOp) -> Option<Designator<'t>> {
        let inside = op.text.split(" : ").next()?.trim();
        let inside = match inside.split_once("{fortran_attrs = ") {
            Some((before, attributes)) if attributes.ends_with('}') => before.trim_end(),
            Some(_) => return None,
            None => inside,
        };
        let end = inside.find([' ', '{', '<', '(']).unwrap_or(inside.len());
        let (base, mut rest) = inside.split_at(end);
        let mut parts = Designator { base, component: None, shape: None, subscripts: Vec::new() };
        while !rest.trim_start().is_empty() {
            rest = rest.trim_start();
            if let Some((name, after)) = rest.strip_prefix("{\"").and_then(|rest| rest.split_once("\"}")) {
                (parts.component, rest) = (Some(name), after);
            } else if let Some(shape) = rest.strip_prefix("shape ") {
                // The shape of the section, or, without subscripts, that of the component.
                let (shape, after) = shape.split_once(' ').unwrap_or((shape, ""));
                if parts.subscripts.is_empty() {
                    parts.shape = Some(shape);
                }
                rest = after;
            } else if let Some((shape, after)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
                (parts.shape, rest) = (Some(shape), after);
            } else if let Some((all, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
                parts.subscripts = all.split(',').map(str::trim).collect();
                rest = after;
            } else {
                return None;
            }
        }
        let is_value = |text: &str| text.starts_with('%') && !text.contains([':', ' ']);
        let is_subscript = |text: &&str| matches!(text.split(':').count(), 1 | 3) && text.split(':').all(is_value);
        (is_value(base) && parts.subscripts.iter().all(is_subscript)).then_some(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn designators_are_read_or_refused() {
        let read = |text: &str| {
            let op = HlfirOp { text: text.to_owned(), ..HlfirOp::default() };
            Designator::read(&op).map(|d| format!("{} {:?} {:?} {:?}", d.base, d.component, d.shape, d.subscripts))
        };
        assert_eq!(read("%8#0 (%c3)  : (a) -> b").as_deref(), Some("%8#0 None None [\"%c3\"]"));
        let part = "%3{\"lo\"} <%33> (%c2, %4)  {fortran_attrs = #fir.var_attrs<pointer>} : (a) -> b";
        assert_eq!(read(part).as_deref(), Some("%3 Some(\"lo\") Some(\"%33\") [\"%c2\", \"%4\"]"));
        let section = "%8#0 (%c1:%c5:%c1, %3)  shape %7 : (a) -> b";
        assert_eq!(read(section).as_deref(), Some("%8#0 None None [\"%c1:%c5:%c1\", \"%3\"]"));
        let whole = "%8{\"h\"}   shape %7 : (a) -> b";
        assert_eq!(read(whole).as_deref(), Some("%8 Some(\"h\") Some(\"%7\") []"));
        assert_eq!(read("%8#0 (%c1:%c5)  shape %7 : (a) -> b"), None);
        assert_eq!(read("%8#0  imag : (a) -> b"), None);
        assert_eq!(read("%8#0 substr %1, %2  : (a) -> b"), None);
    }

    #[test]
    fn places_say_what_they_need() {
        let kind = FortranKind::Object { holder: Holder::Itself, rank: 0 };
        let variable = FortranVariable { name: "c".to_owned(), kind, scope: String::new() };
        let held = |text: &str| SpelledType::read(text).unwrap();
        let objects = held("!fir.ref<!fir.box<!fir.heap<!fir.array<?x!fir.type<_QMmTt{n:i32}>>>>>");
        let tiles = Place::of(&variable).unwrap().component("tiles", &objects, None).unwrap();
        let link = held("!fir.ref<!fir.box<!fir.ptr<!fir.array<?x?xf64>>>>");
        let place = tiles.element(&["k".to_owned()]).component("u", &link, None).unwrap();
        assert_eq!(place.text, "c%tiles(k)%u");
        let truths = [
            "allocated(c%tiles)",
            "k >= lbound(c%tiles,1,8) .and. k <= ubound(c%tiles,1,8)",
            "associated(c%tiles(k)%u)",
        ];
        let mut needs = truths.map(|text| Need::True(text.to_owned())).to_vec();
        needs.push(Need::Dense(place.text.clone(), Element::F64, 2));
        assert_eq!(place.needs, needs);
    }
}
