//! Named constants that a text names, and shapes of arrays that are constants. Flang puts their values, and what it computes of
//! them, into its text. Gfortran's may differ where real powers or functions of constants are rounded, also behind `int`: so they are
//! compared before tiles run, or their declarations are seen to have none of these.

use super::constant_powers::{self, OperandKind};
use super::file::FortranFile;
use super::hlfir::HlfirOp;
use super::numeric_functions::is_evaluated_for_vectors;
use super::refused::FortranRefusal;
use super::statements::FortranStatement;
use super::types::{Element, Holder};
use super::values::fortran_real;
use super::variables::{Declared, FortranArray, FortranKind, is_of_call, scope_of};
use super::words::tokens;
use std::collections::{BTreeMap, BTreeSet};

/// A named constant that a text names.
pub struct NamedConstant {
    /// Its name.
    pub name: String,
    /// Conditions of Fortran under which it has the value, or the elements, that flang has put in.
    pub conditions: Vec<String>,
    /// It is real or complex.
    pub is_real: bool,
    /// The procedure around declares it, by what all compilers compute alike.
    pub is_seen: bool,
}

/// Functions beside those of [`is_evaluated_for_vectors`] of which compilers may compute other values for constants.
const ROUNDED: [&str; 23] = [
    "acosh",
    "asinh",
    "atanh",
    "bessel_j0",
    "bessel_j1",
    "bessel_jn",
    "bessel_y0",
    "bessel_y1",
    "bessel_yn",
    "erfc",
    "erfc_scaled",
    "gamma",
    "log_gamma",
    "norm2",
    "sum",
    "product",
    "matmul",
    "dot_product",
    "transfer",
    "dgamma",
    "lgamma",
    "derf",
    "derfc",
];

/// Refuses variables that are not taken; gives the constants among the names, in order.
pub fn named_constants(
    declared: &Declared,
    used: &BTreeMap<String, u32>,
    line: u32,
) -> Result<Vec<NamedConstant>, FortranRefusal> {
    let mut all = Vec::new();
    let variables = declared.variables.values().map(|variable| (&variable.name, &variable.kind));
    for (name, kind) in variables.chain(&declared.constants) {
        let Some(used) = used.get(name) else { continue };
        let (element, conditions) = match kind {
            FortranKind::Constant { element, value } => {
                let Some(condition) = has_value(name, *element, value) else {
                    let reason = format!("the constant `{name}` has a value that is not taken");
                    return Err(FortranRefusal::new(line, &reason, "copy it to a variable before the region"));
                };
                (element, vec![condition])
            }
            FortranKind::Array(array) if array.values.is_some() => {
                let shape = shape_conditions(name, array);
                (&array.element, shape.into_iter().chain(elements(name, array)).collect())
            }
            FortranKind::Other(reason, remedy) => {
                return Err(FortranRefusal::new(*used, &format!("`{name}` {reason}"), remedy));
            }
            _ => continue,
        };
        let is_real = matches!(element, Element::F32 | Element::F64) || element.is_complex();
        all.push(NamedConstant { name: name.clone(), conditions, is_real, is_seen: false });
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}

/// The condition that a scalar has a value as flang prints it.
fn has_value(name: &str, element: Element, value: &str) -> Option<String> {
    match element {
        Element::F32 | Element::F64 => fortran_real(value, element).map(|value| format!("{name} == {value}")),
        Element::C32 | Element::C64 => {
            let (real, imaginary) = value.split_once(',')?;
            // In a literal of two, parts have no parentheses.
            let part = |value: &str| Some(fortran_real(value, element.part()?)?.replace(['(', ')'], ""));
            Some(format!("{name} == ({},{})", part(real)?, part(imaginary)?))
        }
        Element::Logical1 | Element::Logical4 | Element::Logical8 => None,
        Element::Condition => ["true", "false"].contains(&value).then(|| format!("({name} .eqv. .{value}.)")),
        Element::I32 | Element::I64 => {
            // Fortran has no literal of the least number.
            let value: i64 = value.parse().ok().filter(|value| *value != i64::MIN)?;
            Some(format!("{name} == ({value}_8)"))
        }
    }
}

/// The conditions that an array has the constant bounds that flang has put in; `text` is Fortran for the array.
pub fn shape_conditions(text: &str, array: &FortranArray) -> Vec<String> {
    let mut all = Vec::new();
    if array.holder != Holder::Itself || is_of_call(text) {
        return all;
    }
    for (at, (lower, extent)) in (1..).zip(array.lower.iter().zip(&array.extents)) {
        // Without elements, an array has other bounds than it declares.
        let (Some(lower), Some(extent @ 1..)) = (lower, extent) else { continue };
        all.push(format!("size({text},{at},8) == {extent}_8"));
        all.push(format!("lbound({text},{at},8) == ({lower}_8)"));
    }
    all
}

/// The conditions that gfortran's elements of a constant array are those of flang.
fn elements(name: &str, array: &FortranArray) -> Vec<String> {
    let Some(values) = &array.values else { return Vec::new() };
    let mut at: Vec<i64> = array.lower.iter().map(|lower| lower.unwrap_or_default()).collect();
    let mut all = Vec::new();
    for value in values {
        let subscripts: Vec<String> = at.iter().map(i64::to_string).collect();
        all.push(format!("{name}({}) == {value}", subscripts.join(",")));
        for (subscript, (lower, extent)) in at.iter_mut().zip(array.lower.iter().zip(&array.extents)) {
            *subscript += 1;
            if *subscript < lower.unwrap_or_default() + extent.unwrap_or_default() {
                break;
            }
            *subscript = lower.unwrap_or_default();
        }
    }
    all
}

/// The names to which a procedure's declarations give values. Refuses declarations in which compilers may compute other constants.
pub fn declared_by(
    file: &FortranFile,
    procedure: &HlfirOp,
    declared: &Declared,
) -> Result<BTreeSet<String>, FortranRefusal> {
    let mut names = BTreeSet::new();
    for statement in file.declarations(procedure) {
        constant_powers::check(statement, &|name| kind_in_declarations(declared, name))?;
        if let Some(function) = rounded_function(statement) {
            let reason =
                format!("the function `{function}` of constants in a declaration: compilers round it differently");
            return Err(FortranRefusal::new(statement.first, &reason, "assign its value to a variable"));
        }
        let all = tokens(&statement.text);
        let given = all.windows(2).filter(|pair| pair[1] == "=").map(|pair| pair[0].to_owned());
        names.extend(given);
    }
    Ok(names)
}

/// What a name in a declaration is: only constants have values there.
fn kind_in_declarations(declared: &Declared, name: &str) -> Option<OperandKind> {
    let own = declared.variables.values().filter(|variable| variable.name == name).map(|variable| &variable.kind);
    let is_whole = |kind: &FortranKind| matches!(kind, FortranKind::Constant { element, .. } if element.is_whole());
    let mut kinds = own.chain(declared.constants.get(name)).peekable();
    kinds.peek()?;
    Some(if kinds.all(is_whole) { OperandKind::WholeConstant } else { OperandKind::RealConstant })
}

/// A function in a constant expression of a declaration of which compilers compute different values.
fn rounded_function(statement: &FortranStatement) -> Option<String> {
    let all = tokens(&statement.text);
    let (mut depth, mut has_value) = (0_i32, false);
    for (at, token) in all.iter().enumerate() {
        match *token {
            "(" => depth += 1,
            ")" => depth -= 1,
            "=" if depth == 0 => has_value = true,
            "," if depth == 0 => has_value = false,
            _ => {}
        }
        let is_called = all.get(at + 1) == Some(&"(") && (depth > 0 || has_value);
        if is_called && (is_evaluated_for_vectors(token) || ROUNDED.contains(token)) {
            return Some((*token).to_owned());
        }
    }
    None
}

/// The conditions that a constant of a procedure has its value, where the region can name it; `region` is what that declares.
pub fn same_constant(
    region: &Declared,
    of: &Declared,
    constant: NamedConstant,
    procedure: &HlfirOp,
) -> Result<Vec<String>, FortranRefusal> {
    let name = &constant.name;
    let scopes = |declared: &Declared| -> BTreeSet<String> {
        let all = declared.variables.values().filter(|variable| variable.name == *name);
        all.map(|variable| variable.scope.clone()).collect()
    };
    let (own, outer) = (scopes(of), scopes(region));
    let is_module =
        |scope: &str| scope.strip_prefix("_QM").is_some_and(|name| !name.contains(|c: char| c.is_ascii_uppercase()));
    // Of a module's constants, flang declares only those that the module's own procedures have.
    let of_module = |declared: &Declared, scopes: &BTreeSet<String>| {
        declared.constants.contains_key(name) && scopes.is_empty()
            || scopes.len() == 1 && scopes.iter().all(|scope| is_module(scope))
    };
    let same = own == outer && of.constants.contains_key(name) == region.constants.contains_key(name)
        || of_module(of, &own) && of_module(region, &outer) && (own.is_empty() || outer.is_empty());
    if same {
        return Ok(constant.conditions);
    }
    if !constant.is_real {
        if constant.is_seen && own.iter().eq([&scope_of(&procedure.text)]) {
            return Ok(Vec::new());
        }
        // Another one of the region, which has the same name and value, is most likely from the same included file.
        let value = |declared: &Declared| -> Vec<FortranKind> {
            let all = declared.variables.values().filter(|variable| variable.name == *name).map(|v| v.kind.clone());
            all.chain(declared.constants.get(name).cloned()).collect()
        };
        if value(of) == value(region) {
            return Ok(constant.conditions);
        }
    }
    let kind = if constant.is_real { "real constant" } else { "constant" };
    let reason = format!("the {kind} `{name}` is not one of the region, where its value is compared");
    Err(FortranRefusal::new(procedure.place.0, &reason, "declare it in the module of both"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared() {
        assert_eq!(has_value("n", Element::I32, "27").unwrap(), "n == (27_8)");
        assert_eq!(has_value("n", Element::I64, "-5").unwrap(), "n == (-5_8)");
        assert_eq!(has_value("x", Element::F32, "2.5").unwrap(), "x == (2.5e0_4)");
        assert_eq!(has_value("z", Element::C64, "1.5,-2.0").unwrap(), "z == (1.5e0_8,-2e0_8)");
        assert_eq!(has_value("l", Element::Condition, "true").unwrap(), "(l .eqv. .true.)");
        for (element, value) in [
            (Element::I64, "-9223372036854775808"),
            (Element::I32, "x"),
            (Element::Condition, ""),
            (Element::C64, "1.5"),
            (Element::C32, "1.5,x"),
            (Element::F64, "0x7FF8000000000000"),
        ] {
            assert_eq!(has_value("n", element, value), None, "{value}");
        }
    }

    #[test]
    fn rounded_functions_of_declarations() {
        let found =
            |text: &str| rounded_function(&FortranStatement { first: 1, last: 1, label: None, text: text.to_owned() });
        for text in
            ["integer, parameter :: m = int(log(8.0)/log(2.0))", "parameter (m = nint(exp(1.)))", "real x(gamma(3.))"]
        {
            assert!(found(text).is_some(), "{text}");
        }
        for text in
            ["real(8) :: gamma(10), sum(n)", "integer :: a = 3, exp(4)", "real, dimension(n, m) :: log(3)", "real sin"]
        {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn shapes_are_compared() {
        let array = FortranArray {
            element: Element::F64,
            extents: vec![Some(3), Some(0), None],
            lower: vec![Some(-1), Some(1), Some(1)],
            holder: Holder::Itself,
            target: false,
            values: None,
        };
        assert_eq!(shape_conditions("a", &array), ["size(a,1,8) == 3_8", "lbound(a,1,8) == (-1_8)"]);
        let values = ["1", "2", "3", "4"].map(str::to_owned).to_vec();
        let (extents, lower) = (vec![Some(2), Some(2)], vec![Some(0), Some(1)]);
        let constant = FortranArray { extents, lower, values: Some(values), ..array.clone() };
        assert_eq!(elements("w", &constant), ["w(0,1) == 1", "w(1,1) == 2", "w(0,2) == 3", "w(1,2) == 4"]);
        let held = FortranArray { holder: Holder::AssumedShape, ..array };
        assert_eq!(shape_conditions("a", &held), Vec::<String>::new());
    }
}
