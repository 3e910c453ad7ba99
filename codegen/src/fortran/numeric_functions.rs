//! Functions of numbers for which C has no operator: functions of C around the compiler's own ones, which give the bits of
//! gfortran. Some do so only where gfortran does not evaluate them for vectors: those need the user's word.

use super::hlfir::HlfirOp;
use super::types::Element;
use super::variables::attribute;

/// A function of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumericFunction {
    /// The function of the compiler, without its ending for `float`.
    builtin: &'static str,
    /// The type of its arguments.
    pub element: Element,
    /// The types of its other arguments.
    pub others: &'static [Other],
    /// The type of its result.
    pub result: Element,
    /// Fortran's names of it, one of which the mark must have in `pure`; none: it needs no word.
    pub names: &'static [&'static str],
    /// Its statements, if it is none of the compiler's.
    written_out: Option<WrittenOut>,
}

/// A function that flang writes out: its value is exact, and C has the operations that gfortran makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenOut {
    /// `dim(x, y)` of reals
    Difference,
    /// The same of whole numbers
    WholeDifference,
    /// `modulo(x, y)`
    Modulo,
    /// The same of reals
    RealModulo,
    /// `ishft(x, y)`
    Shift,
    /// `shiftl(x, y)`
    ShiftLeft,
    /// `shiftr(x, y)`
    ShiftRight,
    /// `shifta(x, y)`
    ShiftSigned,
    /// `ishftc(x, y, z)`, also without `z`
    Rotate,
    /// `ibits(x, y, z)`
    Bits,
    /// `ibset(x, y)`
    SetBit,
    /// `ibclr(x, y)`
    ClearBit,
    /// `btest(x, y)`
    TestBit,
}

impl WrittenOut {
    /// The name in Fortran, and the statements in C, with `@T` for the type, `@U` for the same without sign, `@B` for its bits, and `@F`
    /// for the ending of C's functions. Shifts by a count that Fortran does not allow have a value here as well: what C leaves open
    /// would let its compiler leave out other statements.
    fn text(self) -> (&'static str, &'static str) {
        match self {
            // Gfortran's result of a NaN is one, and flang's is zero.
            WrittenOut::Difference => ("dim", "@T d = x - y; return d <= 0 ? 0 : d;"),
            // Gfortran looks at the difference, which may wrap; C would compare the operands.
            WrittenOut::WholeDifference => ("dim", "@T d = (@T)((@U)x - (@U)y); return d > 0 ? d : 0;"),
            WrittenOut::Modulo => ("modulo", "@T r = x % y; return r != 0 && (x ^ y) < 0 ? r + y : r;"),
            // The remainder is exact, and zero has the sign of `y`.
            WrittenOut::RealModulo => (
                "modulo",
                "@T r = __builtin_fmod@F(x, y); \
                 return r == 0 ? __builtin_copysign@F(0, y) : (x < 0) != (y < 0) ? r + y : r;",
            ),
            WrittenOut::Shift => (
                "ishft",
                "@U n = y < 0 ? -(@U)y : (@U)y; return n >= @B ? 0 : y < 0 ? (@T)((@U)x >> n) : (@T)((@U)x << n);",
            ),
            WrittenOut::ShiftLeft => ("shiftl", "return (@U)y >= @B ? 0 : (@T)((@U)x << y);"),
            WrittenOut::ShiftRight => ("shiftr", "return (@U)y >= @B ? 0 : (@T)((@U)x >> y);"),
            WrittenOut::ShiftSigned => ("shifta", "return x >> ((@U)y >= @B ? @B - 1 : y);"),
            WrittenOut::Rotate => (
                "ishftc",
                "@T n = y < 0 ? y + z : y; if (n <= 0 || n >= z || z > @B) return x; \
                 @U all = ~(@U)0 >> (@B - z), part = (@U)x & all; \
                 return (@T)(((@U)x & ~all) | ((part << n | part >> (z - n)) & all));",
            ),
            // All bits are asked for where `z` is their number, for which gfortran shifts by as much.
            WrittenOut::Bits => (
                "ibits",
                "if (z <= 0 || (@U)y >= @B) return 0; return x >> y & (@T)(~(@U)0 >> (z >= @B ? 0 : @B - z));",
            ),
            WrittenOut::SetBit => ("ibset", "return x | (@T)((@U)1 << y);"),
            WrittenOut::ClearBit => ("ibclr", "return x & ~(@T)((@U)1 << y);"),
            WrittenOut::TestBit => ("btest", "return (@U)x >> y & 1;"),
        }
    }
}

/// The type of an argument behind the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    /// That of the first.
    Same,
    /// `integer(4)`
    Whole,
}

/// By flang's operation or function: the compiler's function, the other arguments, and Fortran's names.
type Row = (&'static str, &'static str, &'static [Other], &'static [&'static str]);

const OPERATIONS: [Row; 15] = [
    ("math.fpowi", POWER_OF_WHOLE, &[Other::Whole], &[]),
    ("math.powf", "pow", &[Other::Same], &["pow"]),
    ("math.floor", "floor", &[], &[]),
    ("math.ceil", "ceil", &[], &[]),
    ("llvm.intr.round", "round", &[], &[]),
    ("math.exp", "exp", &[], &["exp", "dexp"]),
    ("math.log", "log", &[], &["log", "alog", "dlog"]),
    ("math.log10", "log10", &[], &["log10", "alog10", "dlog10"]),
    ("math.sin", "sin", &[], &["sin", "dsin"]),
    ("math.cos", "cos", &[], &["cos", "dcos"]),
    ("math.tan", "tan", &[], &["tan", "dtan"]),
    ("math.atan", "atan", &[], &["atan", "datan"]),
    ("math.atan2", "atan2", &[Other::Same], &["atan2", "datan2"]),
    ("math.tanh", "tanh", &[], &["tanh", "dtanh"]),
    ("math.erf", "erf", &[], &["erf"]),
];

/// Functions of the library, by their names for `double`.
const CALLS: [Row; 5] = [
    ("asin", "asin", &[], &["asin", "dasin"]),
    ("acos", "acos", &[], &["acos", "dacos"]),
    ("sinh", "sinh", &[], &["sinh", "dsinh"]),
    ("cosh", "cosh", &[], &["cosh", "dcosh"]),
    ("hypot", "hypot", &[Other::Same], &["hypot"]),
];

/// The function of GCC for powers with whole exponents.
const POWER_OF_WHOLE: &str = "powi";

/// The function of C for `abs` of complex numbers.
const MAGNITUDE: &str = "cabs";

/// The function of C for `popcnt`.
const BITS_THAT_ARE_SET: &str = "popcount";

/// The names of Fortran that need the user's word.
pub fn is_evaluated_for_vectors(name: &str) -> bool {
    OPERATIONS.iter().chain(&CALLS).any(|(.., names)| names.contains(&name))
}

/// The function that an operation computes, if it is one of these.
pub fn numeric_function(op: &HlfirOp) -> Option<NumericFunction> {
    let of_type = |row: &Row, element: Element| NumericFunction {
        builtin: row.1,
        element,
        others: row.2,
        result: element,
        names: row.3,
        written_out: None,
    };
    if op.name == "math.ctpop" {
        let element = Element::of(op.types()).filter(|element| element.is_whole())?;
        return Some(of_type(&("", BITS_THAT_ARE_SET, &[], &[]), element));
    }
    if !op.name.starts_with("fir.call") {
        let row = OPERATIONS.iter().find(|row| row.0 == op.name)?;
        let of = op.types().trim_start_matches('(').split([',', ')']).next()?;
        return Some(of_type(row, real(of)?));
    }
    let symbol = attribute(&op.text, "@", '(')?;
    if let Some(rest) = symbol.strip_prefix("llvm.") {
        let plain = |builtin: &'static str, element: Element, result: Element| NumericFunction {
            builtin,
            element,
            others: &[],
            result,
            names: &[],
            written_out: None,
        };
        return match rest.split('.').collect::<Vec<_>>().as_slice() {
            ["trunc", of] => real(of).map(|element| plain("trunc", element, element)),
            ["lround", to @ ("i32" | "i64"), of] => Some(plain("lround", real(of)?, Element::of(to)?)),
            _ => None,
        };
    }
    // What follows the numbers tells where the call stands.
    let of_library = match symbol {
        "_FortranAModReal4" | "_FortranAModuloReal4" => Some(Element::F32),
        "_FortranAModReal8" | "_FortranAModuloReal8" => Some(Element::F64),
        _ => None,
    };
    if let Some(element) = of_library {
        let remainder = of_type(&("", "fmod", &[Other::Same], &[]), element);
        let is_modulo = symbol.contains("Modulo");
        return Some(if is_modulo { NumericFunction::written_out(WrittenOut::RealModulo, element) } else { remainder });
    }
    if let "cabs" | "cabsf" = symbol {
        let element = if symbol == MAGNITUDE { Element::C64 } else { Element::C32 };
        return Some(NumericFunction { result: element.part()?, ..of_type(&("", MAGNITUDE, &[], &[]), element) });
    }
    let find = |name: &str| CALLS.iter().find(|row| row.0 == name);
    match find(symbol) {
        Some(row) => Some(of_type(row, Element::F64)),
        None => Some(of_type(find(symbol.strip_suffix('f')?)?, Element::F32)),
    }
}

fn real(spelling: &str) -> Option<Element> {
    Element::of(spelling).filter(|element| matches!(element, Element::F32 | Element::F64))
}

impl NumericFunction {
    /// A function that flang writes out, of arguments of a type.
    pub fn written_out(function: WrittenOut, element: Element) -> NumericFunction {
        let result = if function == WrittenOut::TestBit { Element::Condition } else { element };
        let others = if matches!(function, WrittenOut::Rotate | WrittenOut::Bits) {
            &[Other::Same, Other::Same][..]
        } else {
            &[Other::Same]
        };
        let builtin = function.text().0;
        NumericFunction { builtin, element, others, result, names: &[], written_out: Some(function) }
    }

    /// Whether it is `abs` of a complex number.
    pub fn is_magnitude(&self) -> bool {
        self.builtin == MAGNITUDE
    }

    /// Whether C has to be told that it only computes a value: it calls what is no function of the mathematical library.
    pub fn is_vouched(&self) -> bool {
        self.builtin == POWER_OF_WHOLE || self.written_out.is_some()
    }

    /// Whether a clause means it by this name.
    pub fn is_named(&self, name: &str) -> bool {
        self.builtin == name || self.names.contains(&name)
    }

    /// Its name in C; no name of Fortran begins so.
    pub fn name(&self) -> String {
        let types = match self.element {
            Element::F32 | Element::C32 => "f",
            Element::I32 => "i",
            Element::I64 => "l",
            _ => "d",
        };
        let whole = if self.result == Element::I64 && !self.element.is_whole() { "l" } else { "" };
        format!("_n_{}_{types}{whole}", self.builtin)
    }

    /// Its text in C.
    pub fn text(&self) -> String {
        let is_single = matches!(self.element, Element::F32 | Element::C32);
        let (of, result, end) = (self.element.c_type(), self.result.c_type(), if is_single { "f" } else { "" });
        // C has the bits of a `long` counted by another function.
        let end = if self.builtin == BITS_THAT_ARE_SET && self.element == Element::I64 { "l" } else { end };
        let (more, passed) = match self.others {
            [] => (String::new(), ""),
            [Other::Same] => (format!(", {of} y"), ", y"),
            [Other::Whole] => (", int y".to_owned(), ", y"),
            _ => (format!(", {of} y, {of} z"), ", y, z"),
        };
        if let Some(function) = self.written_out {
            let (unsigned, bits) =
                if self.element == Element::I64 { ("unsigned long", "64") } else { ("unsigned", "32") };
            let body = function.text().1.replace("@T", of).replace("@U", unsigned).replace("@B", bits);
            let body = body.replace("@F", end);
            return format!("static {result} {}({of} x{more}) {{ {body} }}", self.name());
        }
        format!(
            "static {result} {}({of} x{more}) {{ return ({result})__builtin_{}{end}(x{passed}); }}",
            self.name(),
            self.builtin
        )
    }

    /// The types of its arguments.
    pub fn parameters(&self) -> Vec<Element> {
        let other = |other: &Other| if *other == Other::Whole { Element::I32 } else { self.element };
        std::iter::once(self.element).chain(self.others.iter().map(other)).collect()
    }
}

/// Whether an operation makes the name of the file that is passed to flang's library. It is no value: what else takes it is refused.
pub fn names_file(op: &HlfirOp) -> bool {
    op.name.starts_with("fir.address_of(@_QQcl")
        || op.name == "fir.convert" && op.text.contains("(!fir.ref<!fir.char<") && op.text.ends_with("-> !fir.ref<i8>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, text: &str) -> Option<NumericFunction> {
        numeric_function(&HlfirOp { name: name.to_owned(), text: text.to_owned(), ..HlfirOp::default() })
    }

    #[test]
    fn functions_are_those_of_the_compiler() {
        let text = |name: &str, text: &str| function(name, text).map(|function| function.text());
        let power = "static float _n_powi_f(float x, int y) { return (float)__builtin_powif(x, y); }";
        assert_eq!(text("math.fpowi", "%1, %2 fastmath<contract> : f32, i32").as_deref(), Some(power));
        let nearest = "static long _n_lround_dl(double x) { return (long)__builtin_lround(x); }";
        assert_eq!(text("fir.call", "@llvm.lround.i64.f64(%1) : (f64) -> i64").as_deref(), Some(nearest));
        let round = "static double _n_round_d(double x) { return (double)__builtin_round(x); }";
        assert_eq!(text("llvm.intr.round", "(%1)  : (f64) -> f64").as_deref(), Some(round));
        let arc = "static double _n_atan2_d(double x, double y) { return (double)__builtin_atan2(x, y); }";
        assert_eq!(text("math.atan2", "%1, %2 fastmath<contract> : f64").as_deref(), Some(arc));
        assert_eq!(function("fir.call", "@sinhf(%1) : (f32) -> f32").map(|f| f.element), Some(Element::F32));
        let magnitude = "static float _n_cabs_f(float _Complex x) { return (float)__builtin_cabsf(x); }";
        assert_eq!(text("fir.call", "@cabsf(%1) : (!fir.complex<4>) -> f32").as_deref(), Some(magnitude));
        let bits = "static long _n_popcount_l(long x) { return (long)__builtin_popcountl(x); }";
        assert_eq!(text("math.ctpop", "%1 : i64").as_deref(), Some(bits));
        let rest = "static float _n_fmod_f(float x, float y) { return (float)__builtin_fmodf(x, y); }";
        let passed = "(%1, %2, %3, %c9_i32) fastmath<contract> : (f32, f32, !fir.ref<i8>, i32) -> f32";
        assert_eq!(text("fir.call", &format!("@_FortranAModReal4{passed}")).as_deref(), Some(rest));
        let modulo = "static float _n_modulo_f(float x, float y) { float r = __builtin_fmodf(x, y); \
                      return r == 0 ? __builtin_copysignf(0, y) : (x < 0) != (y < 0) ? r + y : r; }";
        assert_eq!(text("fir.call", &format!("@_FortranAModuloReal4{passed}")).as_deref(), Some(modulo));
        for (name, text) in [
            ("math.ctpop", "%1 : i16"),
            ("fir.call", "@_FortranAModReal10(%1, %2, %3, %c9_i32) : (f80, f80, !fir.ref<i8>, i32) -> f80"),
            ("math.gamma", "%1 : f64"),
            ("math.exp", "%1 : f80"),
            ("fir.call", "@llvm.fabs.f64(%1) : (f64) -> f64"),
            ("fir.call", "@_QPsinh(%1) : (f64) -> f64"),
            ("fir.call", "@sinhl(%1) : (f80) -> f80"),
        ] {
            assert_eq!(function(name, text), None, "{name} {text}");
        }
    }

    #[test]
    fn functions_that_flang_writes_out() {
        let text = |function, element| NumericFunction::written_out(function, element).text();
        let dim = "static double _n_dim_d(double x, double y) { double d = x - y; return d <= 0 ? 0 : d; }";
        assert_eq!(text(WrittenOut::Difference, Element::F64), dim);
        let set = "static long _n_ibset_l(long x, long y) { return x | (long)((unsigned long)1 << y); }";
        assert_eq!(text(WrittenOut::SetBit, Element::I64), set);
        let test = "static int _n_btest_l(long x, long y) { return (unsigned long)x >> y & 1; }";
        assert_eq!(text(WrittenOut::TestBit, Element::I64), test);
        let shift = "static int _n_ishft_i(int x, int y) { unsigned n = y < 0 ? -(unsigned)y : (unsigned)y; \
                     return n >= 32 ? 0 : y < 0 ? (int)((unsigned)x >> n) : (int)((unsigned)x << n); }";
        assert_eq!(text(WrittenOut::Shift, Element::I32), shift);
        let bits = "static int _n_ibits_i(int x, int y, int z) { if (z <= 0 || (unsigned)y >= 32) return 0; \
                    return x >> y & (int)(~(unsigned)0 >> (z >= 32 ? 0 : 32 - z)); }";
        assert_eq!(text(WrittenOut::Bits, Element::I32), bits);
        let signed = "static long _n_shifta_l(long x, long y) { return x >> ((unsigned long)y >= 64 ? 64 - 1 : y); }";
        assert_eq!(text(WrittenOut::ShiftSigned, Element::I64), signed);
    }

    #[test]
    fn names_that_need_a_word() {
        assert!(["exp", "dsin", "hypot"].into_iter().all(is_evaluated_for_vectors));
        assert!(!["floor", "nint", "sqrt", "powi"].into_iter().any(is_evaluated_for_vectors));
    }
}
