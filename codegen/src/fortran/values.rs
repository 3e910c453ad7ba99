//! Values of HLFIR as text of C: every operation that is taken stands here, and has the same meaning in both languages.

use super::hlfir::HlfirOp;
use super::sums::WholeSum;
use super::types::Element;

/// How a value depends on counters and parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueShape {
    /// A sum of counters and parameters with whole factors.
    Affine,
    /// The smaller or the larger of such sums, and sums with it.
    Extreme,
    /// None of these: what it is.
    Other(&'static str),
}

impl ValueShape {
    /// Whether it is a sum of counters and parameters.
    pub fn is_affine(&self) -> bool {
        *self == ValueShape::Affine
    }

    /// Whether it is neither such a sum nor an extreme of them.
    pub fn is_other(&self) -> bool {
        matches!(self, ValueShape::Other(_))
    }
}

/// A value.
#[derive(Debug, Clone)]
pub struct HlfirValue {
    /// As C; in parentheses unless it is one word.
    pub text: String,
    /// Its type in HLFIR.
    pub element: Element,
    /// The type of `text` in C, which may be narrower.
    pub written: Element,
    /// How it depends on counters.
    pub shape: ValueShape,
    /// Its summands, if it is such a sum.
    pub sum: Option<WholeSum>,
    /// Its value, if it is a whole constant.
    pub number: Option<i64>,
    /// Its text in Fortran, if that has one value in the whole region and is short.
    pub fortran: Option<String>,
    /// What is stored of a logical value, and how: a copy has the same bits.
    pub stored: Option<(String, Element)>,
    /// The text reads memory that others may write.
    pub reads: bool,
    /// Each iteration may have another one of data, so that compilers do not know it.
    pub varies: bool,
    /// The number of the statement that computes it; constants belong to all.
    pub statement: usize,
}

impl HlfirValue {
    /// The text with the value's own type.
    pub fn whole_text(&self) -> String {
        if self.element == self.written || self.number.is_some() && self.element == Element::I32 {
            self.text.clone()
        } else {
            format!("(({}){})", self.element.c_type(), self.text)
        }
    }

    /// The text of what is stored of the value; `None` if it has another type. What is true is 1 in C, as in gfortran.
    pub fn stored_text(&self, element: Element) -> Option<String> {
        match &self.stored {
            Some((text, of)) if *of == element => Some(text.clone()),
            _ => (self.element == element.value()).then(|| self.whole_text()),
        }
    }

    /// The text without the parentheses around the whole of it: where those of a statement stand around it.
    pub fn bare_text(&self) -> &str {
        let Some(inside) = self.text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
            return &self.text;
        };
        let mut open = 1_i32;
        let is_one = inside.chars().all(|c| {
            open += i32::from(c == '(') - i32::from(c == ')');
            open > 0
        });
        if is_one { inside } else { &self.text }
    }

    /// A value that is a sum.
    pub fn of_sum(sum: &WholeSum) -> HlfirValue {
        let value = HlfirValue::of(format!("({})", sum.text()), Element::I64, ValueShape::Affine);
        HlfirValue { sum: Some(sum.clone()), ..value }
    }

    /// A value of this text and type.
    pub fn of(text: String, element: Element, shape: ValueShape) -> HlfirValue {
        let sum = (element.is_whole() && shape.is_affine()).then(|| WholeSum::term(&text));
        let (number, fortran) = (None, None);
        let (reads, varies) = (false, false);
        let stored = None;
        HlfirValue { text, element, written: element, shape, sum, number, fortran, stored, reads, varies, statement: 0 }
    }
}

/// A value of `arith.constant`.
pub fn constant(text: &str) -> Option<HlfirValue> {
    if text == "true" || text == "false" {
        let text = if text == "true" { "1" } else { "0" };
        return Some(HlfirValue::of(text.to_owned(), Element::Condition, ValueShape::Affine));
    }
    let (value, spelling) = text.split_once(" : ")?;
    let element = Element::of(spelling.trim())?;
    if element.is_whole() {
        let number: i64 = value.parse().ok()?;
        let mut made = HlfirValue::of(whole(number, element)?, element, ValueShape::Affine);
        // An index stands in subscripts: there the plain number is as good.
        if element == Element::I64 && i32::try_from(number).is_ok_and(|n| n != i32::MIN) {
            made.text = whole(number, Element::I32)?;
            made.written = Element::I32;
        }
        made.number = Some(number);
        made.sum = Some(WholeSum::constant(number));
        made.fortran = i32::try_from(number).is_ok_and(|n| n != i32::MIN).then(|| number.to_string());
        return Some(made);
    }
    Some(HlfirValue::of(real(value, element)?, element, ValueShape::Other("a real number")))
}

fn whole(number: i64, element: Element) -> Option<String> {
    let suffix = if element == Element::I64 { "L" } else { "" };
    match number {
        i64::MIN => None,
        number if element == Element::I32 && i32::try_from(number).ok().is_none_or(|n| n == i32::MIN) => None,
        number if number < 0 => Some(format!("({number}{suffix})")),
        number => Some(format!("{number}{suffix}")),
    }
}

/// A real number of MLIR, which writes the bits of some in hexadecimal.
fn double(value: &str) -> Option<f64> {
    let number = match value.strip_prefix("0x") {
        Some(bits) if bits.len() == 16 => f64::from_bits(u64::from_str_radix(bits, 16).ok()?),
        Some(_) => return None,
        None => value.parse().ok()?,
    };
    Some(number).filter(|number| number.is_finite())
}

fn single(value: &str) -> Option<f32> {
    let number = match value.strip_prefix("0x") {
        Some(bits) if bits.len() == 8 => f32::from_bits(u32::from_str_radix(bits, 16).ok()?),
        Some(_) => return None,
        None => value.parse().ok()?,
    };
    Some(number).filter(|number| number.is_finite())
}

/// A real number as C, exactly.
pub fn real(value: &str, element: Element) -> Option<String> {
    let text = match element {
        Element::F64 => double(value).map(|v| format!("{v:?}"))?,
        Element::F32 => single(value).map(|v| format!("{v:?}f"))?,
        _ => return None,
    };
    Some(if text.starts_with('-') { format!("({text})") } else { text })
}

/// The same as a literal of Fortran.
pub fn fortran_real(value: &str, element: Element) -> Option<String> {
    match element {
        Element::F64 => double(value).map(|v| format!("({v:e}_8)")),
        Element::F32 => single(value).map(|v| format!("({v:e}_4)")),
        _ => None,
    }
}

/// An operation with one operand.
pub fn unary(op: &HlfirOp, a: &HlfirValue) -> Option<HlfirValue> {
    let real = matches!(a.element, Element::F32 | Element::F64);
    let single = a.element == Element::F32;
    let text = a.whole_text();
    match op.name.as_str() {
        "arith.negf" if real => {
            Some(HlfirValue::of(format!("(-{text})"), a.element, ValueShape::Other("a real number")))
        }
        "hlfir.no_reassoc" => Some(a.clone()),
        "math.absf" | "math.sqrt" if real => {
            let name = if op.name == "math.sqrt" { "sqrt" } else { "fabs" };
            let name = if single { format!("{name}f") } else { name.to_owned() };
            Some(HlfirValue::of(format!("{name}({text})"), a.element, ValueShape::Other("a real number")))
        }
        "fir.convert" => convert(op, a),
        "fir.negc" if a.element.is_complex() => Some(complex(format!("(-{text})"), a.element)),
        "fir.extract_value" => {
            let shape = ValueShape::Other("a part of a complex number");
            Some(HlfirValue::of(part_of(a, is_imaginary(op)?), a.element.part()?, shape))
        }
        _ => None,
    }
}

/// A complex value of this text.
pub fn complex(text: String, element: Element) -> HlfirValue {
    HlfirValue::of(text, element, ValueShape::Other("a complex number"))
}

/// A part of a complex number. The operators `__real__` and `__imag__` would make a place of an element.
fn part_of(whole: &HlfirValue, imaginary: bool) -> String {
    let function = if imaginary { "cimag" } else { "creal" };
    let ending = if whole.element == Element::C32 { "f" } else { "" };
    // A call has its own parentheses.
    let text = whole.bare_text();
    format!("__builtin_{function}{ending}({text})")
}

/// The complex number of two parts; if these are those of one number, that one.
pub fn of_parts(real: &str, imaginary: &str) -> String {
    let of = |part: &str, name: &str| {
        let part = part.strip_prefix("__builtin_")?.strip_prefix(name)?;
        let inside = part.trim_start_matches('f').strip_prefix('(')?.strip_suffix(')')?;
        let mut open = 0_i32;
        let is_one = inside.chars().all(|c| {
            open += i32::from(c == '(') - i32::from(c == ')');
            open >= 0
        });
        is_one.then(|| inside.to_owned())
    };
    match of(real, "creal").zip(of(imaginary, "cimag")) {
        Some((one, other)) if one == other => format!("({one})"),
        _ => format!("__builtin_complex({real}, {imaginary})"),
    }
}

/// Whether an operation is about the imaginary part of a complex number, or about the real one.
fn is_imaginary(op: &HlfirOp) -> Option<bool> {
    let (_, at) = op.text.split_once(", [")?;
    match at.split(' ').next()? {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// `fir.insert_value`: a complex number with another part. Flang makes one of two parts: the first stands in for the number until
/// the second is known.
pub fn with_part(op: &HlfirOp, whole: &HlfirValue, part: &HlfirValue) -> Option<HlfirValue> {
    let fits = whole.element.part()? == part.element;
    let (text, imaginary) = (part.whole_text(), is_imaginary(op)?);
    let made = match (whole.text.strip_prefix(UNDEFINED), imaginary) {
        (Some(""), false) => format!("{UNDEFINED}{text}"),
        (Some(first), true) if !first.is_empty() => of_parts(first, &text),
        (Some(_), _) => return None,
        (None, true) => of_parts(&part_of(whole, false), &text),
        (None, false) => of_parts(&text, &part_of(whole, true)),
    };
    fits.then(|| complex(made, whole.element))
}

/// `fir.undefined`: a complex number of which no part is known.
pub fn undefined(op: &HlfirOp) -> Option<HlfirValue> {
    let element = Element::of(op.text.trim()).filter(|element| element.is_complex())?;
    Some(complex(UNDEFINED.to_owned(), element))
}

/// The text of a number without parts, and how that of one with the real part only begins. No expression has it.
const UNDEFINED: &str = "@undefined ";

fn convert(op: &HlfirOp, a: &HlfirValue) -> Option<HlfirValue> {
    let to = Element::of(op.text.rsplit_once("-> ")?.1.trim())?;
    let from = a.element;
    // What is `int` in C fits.
    let fits = to == Element::I32 && from == Element::I64 && a.written == Element::I32;
    if to == from || from.is_whole() && to == Element::I64 || fits {
        return Some(HlfirValue { element: to, ..a.clone() });
    }
    if a.number.is_some_and(|n| i32::try_from(n).is_ok()) && to == Element::I32 {
        return Some(HlfirValue { element: to, written: to, ..a.clone() });
    }
    if from == Element::Condition || to == Element::Condition || from.is_complex() != to.is_complex() {
        return None;
    }
    let shape = if to.is_whole() { ValueShape::Other("a conversion") } else { ValueShape::Other("a real number") };
    let text = if a.number.is_some() { a.text.clone() } else { a.whole_text() };
    Some(HlfirValue::of(format!("(({}){text})", to.c_type()), to, shape))
}

/// An operation with two operands.
pub fn binary(op: &HlfirOp, a: &HlfirValue, b: &HlfirValue) -> Option<HlfirValue> {
    if a.element != b.element {
        return None;
    }
    let made = |sign: &str, shape: ValueShape| {
        let text = format!("({} {sign} {})", a.whole_text(), b.whole_text());
        let both = a.fortran.as_ref().zip(b.fortran.as_ref()).filter(|_| ["+", "-"].contains(&sign));
        let fortran = both.map(|(a, b)| format!("({a}{sign}({b}))")).filter(|text| text.len() < 60);
        let sums = a.sum.as_ref().zip(b.sum.as_ref()).filter(|_| shape.is_affine());
        let sum = sums.and_then(|(x, y)| match sign {
            "+" => x.plus(y, 1),
            "-" => x.plus(y, -1),
            "*" => x.number().map_or_else(|| x.times(y.number()?), |number| y.times(number)),
            _ => None,
        });
        Some(HlfirValue { sum, fortran, ..HlfirValue::of(text, a.element, shape) })
    };
    let real = || ValueShape::Other("a real number");
    match (op.name.as_str(), a.element) {
        ("arith.addf", Element::F32 | Element::F64) => made("+", real()),
        ("arith.subf", Element::F32 | Element::F64) => made("-", real()),
        ("arith.mulf", Element::F32 | Element::F64) => made("*", real()),
        ("arith.divf", Element::F32 | Element::F64) => made("/", real()),
        ("fir.addc", Element::C32 | Element::C64) => made("+", ValueShape::Other("a complex number")),
        ("fir.subc", Element::C32 | Element::C64) => made("-", ValueShape::Other("a complex number")),
        ("fir.mulc", Element::C32 | Element::C64) => made("*", ValueShape::Other("a complex number")),
        ("fir.cmpc", Element::C32 | Element::C64) => {
            let sign = sign(op).filter(|sign| ["==", "!="].contains(sign))?;
            compared(made(sign, ValueShape::Affine))
        }
        ("math.copysign", Element::F32 | Element::F64) => {
            let name = if a.element == Element::F32 { "copysignf" } else { "copysign" };
            let text = format!("{name}({}, {})", a.whole_text(), b.whole_text());
            Some(HlfirValue::of(text, a.element, real()))
        }
        ("arith.addi", Element::I32 | Element::I64) => made("+", sum(a, b)),
        ("arith.subi", Element::I32 | Element::I64) => made("-", sum(a, b)),
        ("arith.muli", Element::I32 | Element::I64) => made("*", product(a, b)),
        ("arith.divsi", Element::I32 | Element::I64) => made("/", ValueShape::Other("a division")),
        ("arith.remsi", Element::I32 | Element::I64) => made("%", ValueShape::Other("a remainder")),
        // Parts of `abs` and of functions of bits, which only the whole of these may use.
        ("arith.shrsi" | "arith.shli" | "arith.shrui", Element::I32 | Element::I64) => {
            Some(HlfirValue::of("_part_of_shift".to_owned(), a.element, ValueShape::Other("a part of a shift")))
        }
        ("arith.andi", Element::I32 | Element::I64) => made("&", ValueShape::Other("a function of bits")),
        ("arith.ori", Element::I32 | Element::I64) => made("|", ValueShape::Other("a function of bits")),
        ("arith.xori", Element::I32 | Element::I64) => made("^", ValueShape::Other("a function of bits")),
        ("arith.andi", Element::Condition) => made("&&", ValueShape::Affine),
        ("arith.ori", Element::Condition) => made("||", ValueShape::Affine),
        ("arith.xori", Element::Condition) if b.text == "1" => {
            Some(HlfirValue::of(format!("(!{})", a.text), Element::Condition, ValueShape::Affine))
        }
        ("arith.cmpi", Element::Condition) => {
            let sign = sign(op).filter(|sign| ["==", "!="].contains(sign))?;
            let text = format!("(!{} {sign} !{})", a.text, b.text);
            Some(HlfirValue::of(text, Element::Condition, ValueShape::Affine))
        }
        ("arith.cmpi", Element::I32 | Element::I64) | ("arith.cmpf", Element::F32 | Element::F64) => {
            compared(made(sign(op)?, ValueShape::Affine))
        }
        _ => None,
    }
}

/// Whether a type is that of real numbers.
pub fn is_real(element: Element) -> bool {
    matches!(element, Element::F32 | Element::F64)
}

fn compared(value: Option<HlfirValue>) -> Option<HlfirValue> {
    value.map(|v| HlfirValue {
        element: Element::Condition,
        written: Element::Condition,
        fortran: None,
        sum: None,
        ..v
    })
}

/// The sign of a comparison. What a comparison with a NaN gives is the same in C.
fn sign(op: &HlfirOp) -> Option<&'static str> {
    match op.text.split([' ', ',']).next()?.trim_matches('"') {
        "eq" | "oeq" => Some("=="),
        "ne" | "une" => Some("!="),
        "slt" | "olt" => Some("<"),
        "sle" | "ole" => Some("<="),
        "sgt" | "ogt" => Some(">"),
        "sge" | "oge" => Some(">="),
        _ => None,
    }
}

fn sum(a: &HlfirValue, b: &HlfirValue) -> ValueShape {
    match (&a.shape, &b.shape) {
        (ValueShape::Other(why), _) | (_, ValueShape::Other(why)) => ValueShape::Other(why),
        (ValueShape::Affine, ValueShape::Affine) => ValueShape::Affine,
        _ => ValueShape::Extreme,
    }
}

fn product(a: &HlfirValue, b: &HlfirValue) -> ValueShape {
    match (&a.shape, &b.shape) {
        (ValueShape::Other(why), _) | (_, ValueShape::Other(why)) => ValueShape::Other(why),
        (ValueShape::Affine, ValueShape::Affine) if a.number.is_some() || b.number.is_some() => ValueShape::Affine,
        _ => ValueShape::Other("a product of variables"),
    }
}

/// The smaller or the larger of two whole numbers; `compare` is the operation of the condition.
pub fn extreme(compare: &HlfirOp, select: &HlfirOp, a: &HlfirValue, b: &HlfirValue) -> Option<HlfirValue> {
    let same = compare.operands() == select.operands()[1..];
    let sign = sign(compare).filter(|sign| matches!(*sign, "<" | ">"))?;
    if compare.name != "arith.cmpi" || !same || !a.element.is_whole() || a.element != b.element {
        return None;
    }
    let shape = if sum(a, b) == ValueShape::Affine { ValueShape::Extreme } else { sum(a, b) };
    let is_narrow = |one: &HlfirValue| {
        one.written == Element::I32 || one.number.is_some_and(|n| i32::try_from(n).is_ok_and(|n| n != i32::MIN))
    };
    let narrow = is_narrow(a) && is_narrow(b);
    let (x, y) = if narrow { (a.text.clone(), b.text.clone()) } else { (a.whole_text(), b.whole_text()) };
    let written = if narrow { Element::I32 } else { a.element };
    Some(HlfirValue { written, ..HlfirValue::of(format!("({x} {sign} {y} ? {x} : {y})"), a.element, shape) })
}

/// The smaller or the larger of two real numbers. Of a NaN and a number, or of zeros of both signs, Fortran leaves the result to
/// the compiler, and gfortran's depends on its options: it lets the machine's minimum take them in any order.
pub fn real_extreme(compare: &HlfirOp, select: &HlfirOp, a: &HlfirValue, b: &HlfirValue) -> Option<HlfirValue> {
    let same = compare.operands() == select.operands()[1..];
    let sign = sign(compare).filter(|sign| matches!(*sign, "<" | ">"))?;
    if compare.name != "arith.cmpf" || !same || a.element != b.element {
        return None;
    }
    let (x, y) = (a.whole_text(), b.whole_text());
    Some(HlfirValue::of(format!("({y} {sign} {x} ? {y} : {x})"), a.element, ValueShape::Other("a real number")))
}

/// What `merge` takes: one of two values.
pub fn choice(condition: &HlfirValue, a: &HlfirValue, b: &HlfirValue) -> Option<HlfirValue> {
    let fits = condition.element == Element::Condition && a.element == b.element;
    let text = format!("({} ? {} : {})", condition.text, a.whole_text(), b.whole_text());
    fits.then(|| HlfirValue::of(text, a.element, ValueShape::Other("a `merge`")))
}

/// The square of a real number, which compilers compute as one product.
pub fn square(a: &HlfirValue) -> Option<HlfirValue> {
    let real = matches!(a.element, Element::F32 | Element::F64);
    real.then(|| HlfirValue::of(format!("({0} * {0})", a.text), a.element, ValueShape::Other("a real number")))
}

/// A small power of a whole number, which is a product.
pub fn whole_power(a: &HlfirValue, exponent: &HlfirValue) -> Option<HlfirValue> {
    let times = exponent.number.filter(|number| (2..=4).contains(number) && a.element.is_whole())?;
    let factors = vec![a.whole_text(); usize::try_from(times).ok()?];
    Some(HlfirValue::of(format!("({})", factors.join(" * ")), a.element, ValueShape::Other("a power")))
}

/// A sum of counters and parameters modulo a constant, by operators of C: as a subscript, C finds the elements of which it may be.
pub fn modulo(a: &HlfirValue, by: &HlfirValue) -> Option<HlfirValue> {
    // Twice the constant is a number of its type.
    let number = by.number.filter(|number| (1..=1 << 30).contains(number) && a.shape.is_affine())?;
    let text = format!("(({a} % {number} + {number}) % {number})", a = a.whole_text());
    Some(HlfirValue::of(text, a.element, ValueShape::Other("a remainder")))
}

/// A whole number without its sign.
pub fn magnitude(a: &HlfirValue) -> Option<HlfirValue> {
    let text = a.whole_text();
    let made = format!("({text} < 0 ? -{text} : {text})");
    a.element.is_whole().then(|| HlfirValue::of(made, a.element, ValueShape::Other("`abs` of an integer")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_keep_their_value_and_type() {
        let text = |t: &str| constant(t).map(|v| v.whole_text());
        assert_eq!(text("1.000000e-01 : f64").as_deref(), Some("0.1"));
        assert_eq!(text("0.33333333333333331 : f64").as_deref(), Some("0.3333333333333333"));
        assert_eq!(text("-1.500000e+00 : f32").as_deref(), Some("(-1.5f)"));
        assert_eq!(text("-1 : i32").as_deref(), Some("(-1)"));
        assert_eq!(text("5000000000 : i64").as_deref(), Some("5000000000L"));
        assert_eq!(text("7 : i64").as_deref(), Some("((long)7)"));
        assert_eq!(text("0x7FF0000000000000 : f64"), None);
        assert_eq!(text("0x41B1DE784A000000 : f64").as_deref(), Some("299792458.0"));
        assert_eq!(text("0xCB800001 : f32").as_deref(), Some("(-16777218.0f)"));
        assert_eq!(text("0x4B80 : f32"), None);
        assert_eq!(text("-2147483648 : i32"), None);
        assert_eq!(fortran_real("1.000000e-01", Element::F64).as_deref(), Some("(1e-1_8)"));
    }

    #[test]
    fn only_parentheses_around_the_whole_are_left_out() {
        let bare =
            |text: &str| HlfirValue::of(text.to_owned(), Element::Condition, ValueShape::Affine).bare_text().to_owned();
        assert_eq!(bare("(a < (b))"), "a < (b)");
        for whole in ["0", "_w1_f(a)", "(a) && (b)", "!(a)"] {
            assert_eq!(bare(whole), whole);
        }
    }

    #[test]
    fn complex_numbers_and_their_parts() {
        let op =
            |name: &str, text: &str| HlfirOp { name: name.to_owned(), text: text.to_owned(), ..HlfirOp::default() };
        let (one, two) = (constant("1.5 : f64").unwrap(), constant("2.5 : f64").unwrap());
        let none = undefined(&op("fir.undefined", "!fir.complex<8>")).unwrap();
        let put = |at: u32| op("fir.insert_value", &format!("%1, %2, [{at} : index] : (x) -> x"));
        let half = with_part(&put(0), &none, &one).unwrap();
        let whole = with_part(&put(1), &half, &two).unwrap();
        assert_eq!((whole.text.as_str(), whole.element), ("__builtin_complex(1.5, 2.5)", Element::C64));
        assert!(with_part(&put(1), &none, &two).is_none() && with_part(&put(0), &half, &one).is_none());
        assert!(with_part(&put(2), &whole, &two).is_none() && with_part(&put(1), &one, &two).is_none());
        assert!(undefined(&op("fir.undefined", "f64")).is_none());
        let z = complex("z[i]".to_owned(), Element::C32);
        let part = |at: u32| unary(&op("fir.extract_value", &format!("%1, [{at} : index] : (x) -> f32")), &z).unwrap();
        assert_eq!((part(1).text.as_str(), part(1).element), ("__builtin_cimagf(z[i])", Element::F32));
        assert_eq!(of_parts(&part(0).text, &part(1).text), "(z[i])");
        assert_eq!(
            of_parts("__builtin_creal(a) + (b)", "__builtin_cimag(a) + (b)"),
            "__builtin_complex(__builtin_creal(a) + (b), __builtin_cimag(a) + (b))"
        );
        assert!(unary(&op("arith.negf", ""), &z).is_none() && unary(&op("fir.negc", ""), &one).is_none());
        assert!(binary(&op("fir.cmpc", "\"olt\", %1, %2"), &z, &z).is_none());
        assert_eq!(binary(&op("fir.cmpc", "\"oeq\", %1, %2"), &z, &z).unwrap().text, "(z[i] == z[i])");
    }

    #[test]
    fn powers_and_magnitudes_of_whole_numbers() {
        let (x, n) = (constant("2.5 : f64").unwrap(), constant("3 : i32").unwrap());
        assert_eq!(whole_power(&n, &n).map(|v| v.text).as_deref(), Some("(3 * 3 * 3)"));
        assert_eq!(magnitude(&n).map(|v| v.text).as_deref(), Some("(3 < 0 ? -3 : 3)"));
        assert!(magnitude(&x).is_none());
        assert_eq!(modulo(&n, &n).map(|v| v.text).as_deref(), Some("((3 % 3 + 3) % 3)"));
        let other = |text: &str| modulo(&n, &constant(text).unwrap());
        assert!(other("-3 : i32").is_none() && other("1073741825 : i32").is_none() && modulo(&x, &n).is_none());
        assert!(whole_power(&n, &constant("5 : i32").unwrap()).is_none() && whole_power(&x, &n).is_none());
    }

    #[test]
    fn unlisted_operations_are_not_taken() {
        let a = constant("1 : i32").unwrap();
        let op = |name: &str| HlfirOp { name: name.to_owned(), ..HlfirOp::default() };
        assert_eq!(binary(&op("arith.addi"), &a, &a).map(|v| v.text).as_deref(), Some("(1 + 1)"));
        assert_eq!(binary(&op("arith.ori"), &a, &a).map(|v| v.text).as_deref(), Some("(1 | 1)"));
        assert!(binary(&op("arith.divui"), &a, &a).is_none());
        assert!(unary(&op("math.exp"), &a).is_none());
    }
}
