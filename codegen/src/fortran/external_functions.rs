//! Functions of other files as C calls them.

use super::types::Element;

/// A function that gfortran or another compiler compiles.
#[derive(Debug, Clone)]
pub struct ExternalFunction {
    /// Flang's name.
    pub symbol: String,
    /// Its name in Fortran.
    pub fortran_name: String,
    /// Its name for the linker.
    pub label: String,
    /// A number of its own in the region.
    pub number: usize,
    /// The type of its result.
    pub result: NumberType,
    /// Its parameters, in order.
    pub parameters: Vec<PassedNumber>,
}

/// A type of numbers or truth values.
#[derive(Debug, Clone, Copy)]
pub struct NumberType {
    c: &'static str,
    /// The type of values.
    pub element: Element,
}

/// How a number is passed.
#[derive(Debug, Clone, Copy)]
pub struct PassedNumber {
    /// Its type.
    pub kind: NumberType,
    /// It has the attribute `value`.
    pub by_value: bool,
}

impl ExternalFunction {
    /// The name of the function of C that calls it: its arguments are values.
    pub fn wrapper(&self) -> String {
        format!("_w{}_{}", self.number, self.fortran_name)
    }

    /// Whether its name for the linker is that in Fortran with an underscore, unless an option says otherwise.
    pub fn is_underscored(&self) -> bool {
        self.symbol.starts_with("_QP")
    }

    /// The lines of C that declare it and the function that calls it.
    pub fn c_lines(&self) -> Vec<String> {
        let numbered = || (1..).zip(&self.parameters);
        let star = |passed: &PassedNumber| if passed.by_value { "" } else { " *" };
        let types: Vec<String> = numbered().map(|(_, one)| format!("{}{}", one.kind.c, star(one))).collect();
        let values: Vec<String> = numbered().map(|(at, one)| format!("{} _a{at}", one.kind.c)).collect();
        let passed = numbered().map(|(at, one)| if one.by_value { format!("_a{at}") } else { format!("&_a{at}") });
        let passed: Vec<String> = passed.collect();
        let list = |all: Vec<String>| if all.is_empty() { "void".to_owned() } else { all.join(", ") };
        // A name of its own in C: another declaration of the linker's name may stand in a header.
        let own = format!("_x{}_{}", self.number, self.fortran_name);
        vec![
            format!("extern {} {own}({}) __asm__(\"{}\");", self.result.c, list(types), self.label),
            format!("static {} {}({})", self.result.element.c_type(), self.wrapper(), list(values)),
            format!("{{ return {own}({}); }}", passed.join(", ")),
        ]
    }
}

/// The name that gfortran gives a function for the linker.
pub fn label(symbol: &str, is_bound: bool) -> Option<String> {
    let is_plain =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_bound {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        return (!symbol.starts_with("_Q") && symbol.chars().all(is_name)).then(|| symbol.to_owned());
    }
    if let Some(name) = symbol.strip_prefix("_QP") {
        return is_plain(name).then(|| format!("{name}_"));
    }
    let (module, name) = symbol.strip_prefix("_QM")?.split_once('P')?;
    (is_plain(module) && is_plain(name)).then(|| format!("__{module}_MOD_{name}"))
}

/// A type as C passes it.
pub fn number_type(spelling: &str) -> Option<NumberType> {
    let (c, element) = match spelling {
        "i32" => ("int", Element::I32),
        "i64" => ("long", Element::I64),
        "f32" => ("float", Element::F32),
        "f64" => ("double", Element::F64),
        "!fir.logical<4>" => ("int", Element::Condition),
        "!fir.logical<1>" => ("_Bool", Element::Condition),
        _ => return None,
    };
    Some(NumberType { c, element })
}

/// The name that an object has where the procedure `label` stands, if its text has the number.
pub fn mark_of(label: &str, number: u64) -> String {
    format!("dvm__text_{label}_{number:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_of_gfortran() {
        assert_eq!(label("_QPf", false).as_deref(), Some("f_"));
        assert_eq!(label("_QMa_bPf_1", false).as_deref(), Some("__a_b_MOD_f_1"));
        assert_eq!(label("Cq", true).as_deref(), Some("Cq"));
        for symbol in ["_QFsPf", "_QMmFsPf", "_QMmSnPf", "_QQmain", "f"] {
            assert_eq!(label(symbol, false), None, "{symbol}");
        }
    }

    #[test]
    fn arguments_are_passed_as_fortran_does() {
        let number = |spelling: &str| number_type(spelling).unwrap();
        let by = |spelling: &str, by_value: bool| PassedNumber { kind: number(spelling), by_value };
        let function = ExternalFunction {
            symbol: "_QPf".to_owned(),
            fortran_name: "f".to_owned(),
            label: "f_".to_owned(),
            number: 2,
            result: number("!fir.logical<1>"),
            parameters: vec![by("f64", false), by("i64", true)],
        };
        let expected = [
            "extern _Bool _x2_f(double *, long) __asm__(\"f_\");",
            "static int _w2_f(double _a1, long _a2)",
            "{ return _x2_f(&_a1, _a2); }",
        ];
        assert_eq!(function.c_lines(), expected);
        assert!(["i8", "i16", "f128", "!fir.logical<8>", "!fir.box<f64>"].iter().all(|one| number_type(one).is_none()));
    }
}
