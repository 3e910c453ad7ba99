//! Types of HLFIR: what numbers, arrays and objects are spelled like.

/// A type of elements and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// `integer(4)`
    I32,
    /// `integer(8)`, and the indices of flang
    I64,
    /// `real(4)`
    F32,
    /// `real(8)`
    F64,
    /// `complex(4)`
    C32,
    /// `complex(8)`
    C64,
    /// Conditions.
    Condition,
    /// What is stored of a `logical(1)`: as gfortran stores it, 1 if it is true, else 0.
    Logical1,
    /// The same of a `logical(4)`.
    Logical4,
    /// The same of a `logical(8)`.
    Logical8,
}

impl Element {
    /// The numbers.
    pub const NUMBERS: [Element; 6] =
        [Element::I32, Element::I64, Element::F32, Element::F64, Element::C32, Element::C64];

    /// What arrays and components may hold.
    pub const STORED: [Element; 9] = [
        Element::I32,
        Element::I64,
        Element::F32,
        Element::F64,
        Element::C32,
        Element::C64,
        Element::Logical1,
        Element::Logical4,
        Element::Logical8,
    ];

    /// The type of values of this spelling in HLFIR, if it is one that is taken.
    pub fn of(spelling: &str) -> Option<Element> {
        match spelling {
            "i32" => Some(Element::I32),
            "i64" | "index" => Some(Element::I64),
            "f32" => Some(Element::F32),
            "f64" => Some(Element::F64),
            "!fir.complex<4>" | "complex<f32>" => Some(Element::C32),
            "!fir.complex<8>" | "complex<f64>" => Some(Element::C64),
            "i1" => Some(Element::Condition),
            _ if spelling.starts_with("!fir.logical<") => Some(Element::Condition),
            _ => None,
        }
    }

    /// What is stored of such a value.
    pub fn stored(spelling: &str) -> Option<Element> {
        match spelling {
            "!fir.logical<1>" => Some(Element::Logical1),
            "!fir.logical<4>" => Some(Element::Logical4),
            "!fir.logical<8>" => Some(Element::Logical8),
            _ => Element::of(spelling).filter(|element| *element != Element::Condition),
        }
    }

    /// The type of the values of what is stored.
    pub fn value(self) -> Element {
        if self.is_logical() { Element::Condition } else { self }
    }

    /// Whether a logical value is stored.
    pub fn is_logical(self) -> bool {
        matches!(self, Element::Logical1 | Element::Logical4 | Element::Logical8)
    }

    /// The element of this type of Fortran.
    pub fn of_fortran(spelling: &str) -> Option<Element> {
        Element::NUMBERS.into_iter().find(|e| e.fortran_type() == spelling)
    }

    /// The type in C.
    pub fn c_type(self) -> &'static str {
        match self {
            Element::I32 | Element::Condition | Element::Logical4 => "int",
            Element::I64 | Element::Logical8 => "long",
            Element::Logical1 => "signed char",
            Element::F32 => "float",
            Element::F64 => "double",
            Element::C32 => "float _Complex",
            Element::C64 => "double _Complex",
        }
    }

    /// The type in C as a part of names.
    pub fn word(self) -> &'static str {
        match self {
            Element::C32 => "complex4",
            Element::C64 => "complex8",
            Element::Logical1 => "logical1",
            Element::Logical4 => "logical4",
            Element::Logical8 => "logical8",
            other => other.c_type(),
        }
    }

    /// The type in Fortran. Logical values are integers there, which C has as well.
    pub fn fortran_type(self) -> &'static str {
        match self {
            Element::I32 | Element::Condition | Element::Logical4 => "integer(4)",
            Element::I64 | Element::Logical8 => "integer(8)",
            Element::Logical1 => "integer(1)",
            Element::F32 => "real(4)",
            Element::F64 => "real(8)",
            Element::C32 => "complex(4)",
            Element::C64 => "complex(8)",
        }
    }

    /// Its size.
    pub fn bytes(self) -> u32 {
        match self {
            Element::Logical1 => 1,
            Element::I32 | Element::F32 | Element::Condition | Element::Logical4 => 4,
            Element::I64 | Element::F64 | Element::C32 | Element::Logical8 => 8,
            Element::C64 => 16,
        }
    }

    /// Whether it is a complex number.
    pub fn is_complex(self) -> bool {
        matches!(self, Element::C32 | Element::C64)
    }

    /// The type of the parts of a complex number.
    pub fn part(self) -> Option<Element> {
        match self {
            Element::C32 => Some(Element::F32),
            Element::C64 => Some(Element::F64),
            _ => None,
        }
    }

    /// Whether it is a whole number.
    pub fn is_whole(self) -> bool {
        matches!(self, Element::I32 | Element::I64)
    }
}

/// How an array or object is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// It stands where it is declared.
    Itself,
    /// A descriptor of a dummy of assumed shape: elements may have gaps.
    AssumedShape,
    /// An allocatable.
    Allocatable,
    /// A pointer: elements may have gaps.
    Pointer,
}

impl Holder {
    /// Whether elements need not follow each other.
    pub fn may_have_gaps(self) -> bool {
        matches!(self, Holder::AssumedShape | Holder::Pointer)
    }
}

/// What elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Numbers.
    Number(Element),
    /// Objects of a derived type.
    Object,
}

/// A type, without what it is an address of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpelledType {
    /// How it is held.
    pub holder: Holder,
    /// The extents, first dimension first; `None`: known at run time. Empty for a scalar.
    pub extents: Vec<Option<i64>>,
    /// What its elements are.
    pub content: Content,
}

impl SpelledType {
    /// Reads the type at the begin of a text of HLFIR; `None` if that is not taken.
    pub fn read(text: &str) -> Option<SpelledType> {
        let text = text.strip_prefix("!fir.ref<").unwrap_or(text);
        let (is_box, text) = text.strip_prefix("!fir.box<").map_or((false, text), |rest| (true, rest));
        let held = [("!fir.heap<", Holder::Allocatable), ("!fir.ptr<", Holder::Pointer)];
        let held = held.iter().find_map(|(begin, holder)| Some((text.strip_prefix(begin)?, *holder)));
        let (mut text, holder) = match held {
            Some(_) if !is_box => return None,
            Some(held) => held,
            None => (text, if is_box { Holder::AssumedShape } else { Holder::Itself }),
        };
        let mut extents = Vec::new();
        if let Some(array) = text.strip_prefix("!fir.array<") {
            text = array;
            while let Some((extent, rest)) = text.split_once('x').filter(|(extent, _)| is_extent(extent)) {
                extents.push(if extent == "?" { None } else { Some(extent.parse().ok()?) });
                text = rest;
            }
            if extents.is_empty() {
                return None;
            }
        }
        let content = if text.starts_with("!fir.type<") {
            Content::Object
        } else {
            // The kind of a complex or logical one stands in brackets of its own.
            let kinds = ["!fir.complex<", "complex<", "!fir.logical<"];
            let begin = if kinds.iter().any(|kind| text.starts_with(kind)) { text.find('>')? + 1 } else { 0 };
            let end = text[begin..].find(['>', ',', ')']).map_or(text.len(), |end| begin + end);
            Content::Number(Element::stored(&text[..end])?)
        };
        Some(SpelledType { holder, extents, content })
    }
}

fn is_extent(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_or_refused() {
        let read = |text: &str| SpelledType::read(text).map(|t| (t.holder, t.extents, t.content));
        let number = |element| Content::Number(element);
        assert_eq!(read("!fir.ref<i32>"), Some((Holder::Itself, vec![], number(Element::I32))));
        let held = "!fir.ref<!fir.box<!fir.heap<!fir.array<?x4xf64>>>>, x";
        assert_eq!(read(held), Some((Holder::Allocatable, vec![None, Some(4)], number(Element::F64))));
        let object = "!fir.box<!fir.ptr<!fir.array<?x!fir.type<_QMmTt{n:i32}>>>>";
        assert_eq!(read(object), Some((Holder::Pointer, vec![None], Content::Object)));
        assert_eq!(read("!fir.box<!fir.array<?xf32>>").map(|t| t.0), Some(Holder::AssumedShape));
        let complex = "!fir.ref<!fir.array<4x!fir.complex<8>>>, x";
        assert_eq!(read(complex), Some((Holder::Itself, vec![Some(4)], number(Element::C64))));
        assert_eq!(read("!fir.ref<complex<f32>>, x").map(|t| t.2), Some(number(Element::C32)));
        let logical = "!fir.box<!fir.array<?x!fir.logical<1>>>";
        assert_eq!(read(logical), Some((Holder::AssumedShape, vec![None], number(Element::Logical1))));
        for text in [
            "!fir.class<!fir.type<_QMmTt>>",
            "!fir.ref<!fir.array<4x!fir.logical<2>>>",
            "!fir.ref<!fir.ptr<i32>>",
            "i8",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
