//! Named constants that are arrays. Flang puts the values of single elements into its text, so all are compared with
//! gfortran's before tiles run; elements that a loop chooses are read from gfortran's own array.

use super::types::Element;
use super::values::fortran_real;

/// Elements up to which an array is compared, and taken.
pub const LARGEST: usize = 512;

/// An array that is a named constant.
#[derive(Debug, PartialEq, Eq)]
pub struct ConstantArray {
    /// The type of its elements.
    pub element: Element,
    /// Its lower bounds.
    pub lower: Vec<i64>,
    /// Its extents.
    pub extents: Vec<i64>,
    /// Its elements in their order in memory, as literals of Fortran.
    pub values: Vec<String>,
}

/// The array of `lower` bounds and `extents` whose elements flang prints as `dense`.
pub fn of_global(dense: &str, element: Element, lower: Vec<i64>, extents: Vec<i64>) -> Option<ConstantArray> {
    let count = count_of(&extents)?;
    let values = dense_values(dense, element, count)?;
    (lower.len() == extents.len()).then_some(ConstantArray { element, lower, extents, values })
}

/// The array that a module file of flang declares with bounds such as `1_8:2_8,0_8:3_8` and a value.
pub fn of_module(spelling: &str, bounds: &str, value: &str) -> Option<ConstantArray> {
    let element = Element::of_fortran(spelling)?;
    let (mut lower, mut extents) = (Vec::new(), Vec::new());
    for dimension in bounds.split(',') {
        let (first, last) = dimension.split_once(':')?;
        let [first, last] = [first, last].map(|bound| bound.trim().strip_suffix("_8")?.parse::<i64>().ok());
        lower.push(first?);
        extents.push(last?.checked_sub(first?)?.checked_add(1).filter(|extent| *extent >= 0)?);
    }
    let count = count_of(&extents)?;
    let values = listed_values(value, element, count)?;
    Some(ConstantArray { element, lower, extents, values })
}

fn count_of(extents: &[i64]) -> Option<usize> {
    let count = extents.iter().try_fold(1_i64, |all, extent| all.checked_mul(*extent))?;
    usize::try_from(count).ok().filter(|count| *count > 0)
}

/// The elements of `dense<...>`, in their order in memory: a list of lists, one number for all, or the bytes in hexadecimal.
fn dense_values(dense: &str, element: Element, count: usize) -> Option<Vec<String>> {
    if count > LARGEST {
        return None;
    }
    let numbers: Vec<String> = if let Some(bytes) = dense.strip_prefix("\"0x").and_then(|rest| rest.strip_suffix('"')) {
        let digits = 2 * element.bytes() as usize;
        let elements = bytes.as_bytes().chunks(digits);
        elements
            .map(|digits| Some(format!("0x{}", reversed(std::str::from_utf8(digits).ok()?)?)))
            .collect::<Option<_>>()?
    } else {
        dense.split(',').map(|number| number.trim_matches(['[', ']', ' ']).to_owned()).collect()
    };
    spread(&numbers, element, count)
}

/// The digits of bytes, the last byte first.
fn reversed(digits: &str) -> Option<String> {
    let bytes: Option<Vec<&str>> = (0..digits.len() / 2).rev().map(|at| digits.get(2 * at..2 * at + 2)).collect();
    bytes.filter(|_| digits.len().is_multiple_of(2)).map(|bytes| bytes.concat())
}

/// The elements of `[REAL(8)::1._8,2._8]` or `reshape([...],shape=[...])`.
fn listed_values(value: &str, element: Element, count: usize) -> Option<Vec<String>> {
    let value = match value.strip_prefix("reshape(") {
        Some(rest) => {
            let (list, shape) = rest.split_once(",shape=[")?;
            let is_shape = |shape: &str| shape.bytes().all(|b| b.is_ascii_digit() || b == b',');
            shape.strip_suffix("])").filter(|shape| is_shape(shape)).map(|_| list)?
        }
        None => value,
    };
    let list = value.strip_prefix('[')?.strip_suffix(']')?;
    let list = list.split_once("::").map_or(list, |(_, list)| list);
    let kind = format!("_{}", element.bytes());
    let numbers: Option<Vec<String>> =
        list.split(',').map(|number| Some(number.trim().strip_suffix(&kind)?.to_owned())).collect();
    let numbers = numbers?;
    (numbers.len() == count && count <= LARGEST).then(|| spread(&numbers, element, count))?
}

/// Numbers as literals of Fortran, one for each element.
fn spread(numbers: &[String], element: Element, count: usize) -> Option<Vec<String>> {
    let literals: Vec<String> = numbers.iter().map(|number| literal(number, element)).collect::<Option<_>>()?;
    match literals.as_slice() {
        [one] => Some(vec![one.clone(); count]),
        all => (all.len() == count).then_some(literals),
    }
}

fn literal(number: &str, element: Element) -> Option<String> {
    if !element.is_whole() {
        return fortran_real(number, element);
    }
    let value = match number.strip_prefix("0x") {
        Some(bits) if element == Element::I32 => i64::from(u32::from_str_radix(bits, 16).ok()?.cast_signed()),
        Some(bits) => u64::from_str_radix(bits, 16).ok()?.cast_signed(),
        None => number.parse().ok()?,
    };
    // Fortran has no literal of the least number.
    (value != i64::MIN).then(|| format!("({value}_8)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(array: Option<ConstantArray>) -> Vec<String> {
        array.map_or_else(|| vec!["none".to_owned()], |array| array.values)
    }

    #[test]
    fn elements_of_flangs_text() {
        let real = |dense: &str, lower: &[i64], extents: &[i64]| {
            shown(of_global(dense, Element::F64, lower.to_vec(), extents.to_vec()))
        };
        assert_eq!(real("[1.500000e+00, -2.0]", &[1], &[2]), ["(1.5e0_8)", "(-2e0_8)"]);
        assert_eq!(real("5.000000e-01", &[-1], &[2]), ["(5e-1_8)", "(5e-1_8)"]);
        let nested = real("[[1.0, 2.0], [3.0, 4.0]]", &[0, 1], &[2, 2]);
        assert_eq!(nested, ["(1e0_8)", "(2e0_8)", "(3e0_8)", "(4e0_8)"]);
        let bytes = real("\"0x9A9999999999B93F000000000000E03F\"", &[1], &[2]);
        assert_eq!(bytes, ["(1e-1_8)", "(5e-1_8)"]);
        for (dense, extents) in [
            ("[1.0, 2.0]", [3]),
            ("[1.0, x, 2.0]", [3]),
            ("[0x7FF8000000000000, 1.0]", [2]),
            ("\"0x9A99\"", [1]),
            ("1.0", [0]),
            ("1.0", [LARGEST as i64 + 1]),
        ] {
            assert_eq!(real(dense, &[1], &extents), ["none"], "{dense}");
        }
        let whole = |dense: &str, element| shown(of_global(dense, element, vec![1], vec![2]));
        assert_eq!(whole("[7, -3]", Element::I32), ["(7_8)", "(-3_8)"]);
        assert_eq!(whole("\"0xFFFFFFFF07000000\"", Element::I32), ["(-1_8)", "(7_8)"]);
        assert_eq!(whole("[7, -9223372036854775808]", Element::I64), ["none"]);
    }

    #[test]
    fn elements_of_module_files() {
        let of = |spelling: &str, bounds: &str, value: &str| shown(of_module(spelling, bounds, value));
        let w = of("real(4)", "1_8:2_8", "[REAL(4)::1.00000001490116119384765625e-1_4,-3._4]");
        assert_eq!(w, ["(1e-1_4)", "(-3e0_4)"]);
        let w = of("real(8)", "1_8:1_8,-1_8:0_8", "reshape([REAL(8)::1._8,2._8],shape=[1,2])");
        assert_eq!(w, ["(1e0_8)", "(2e0_8)"]);
        assert_eq!(of("integer(4)", "1_8:2_8", "[INTEGER(4)::1_4,-2_4]"), ["(1_8)", "(-2_8)"]);
        assert_eq!(of("integer(4)", "1_8:2_8", "f(x)"), ["none"]);
        for (spelling, bounds, value) in [
            ("logical(4)", "1_8:1_8", "[LOGICAL(4)::.true._4]"),
            ("real(8)", "1_8:2_8", "[REAL(8)::1._8]"),
            ("real(8)", "1_8:1_8", "1._8"),
            ("real(8)", "1_8:2_8", "[REAL(8)::(1._8,i=1,2)]"),
            ("real(8)", "1_8:2_8", "reshape([REAL(8)::1._8,2._8],shape=[2],order=[1])"),
            ("real(8)", "2_8:n", "[REAL(8)::1._8]"),
        ] {
            assert_eq!(of(spelling, bounds, value), ["none"], "{bounds} {value}");
        }
    }
}
