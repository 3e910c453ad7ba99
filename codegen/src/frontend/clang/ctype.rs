//! The few facts needed about C types, from the text that clang prints for them.

/// Range of an integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer {
    /// Number of bits.
    pub width: u32,
    /// Whether it has negative values.
    pub signed: bool,
}

impl Integer {
    /// Least value.
    pub fn min(self) -> i128 {
        if self.signed { -(1_i128 << (self.width - 1)) } else { 0 }
    }

    /// Greatest value.
    pub fn max(self) -> i128 {
        if self.signed { (1_i128 << (self.width - 1)) - 1 } else { (1_i128 << self.width) - 1 }
    }
}

/// The integer type named by `plain` (without typedefs), if a counter or parameter may have it.
pub fn integer(plain: &str) -> Option<Integer> {
    let name = unqualified(plain);
    let long = if cfg!(target_pointer_width = "64") && !cfg!(windows) { 64 } else { 32 };
    let (width, signed) = match name.as_str() {
        "_Bool" | "bool" => (1, false),
        "char" => (8, cfg!(any(target_arch = "x86_64", target_arch = "x86"))),
        "signed char" => (8, true),
        "unsigned char" => (8, false),
        "short" => (16, true),
        "unsigned short" => (16, false),
        "int" => (32, true),
        "unsigned int" => (32, false),
        "long" => (long, true),
        "unsigned long" => (long, false),
        "long long" => (64, true),
        "unsigned long long" => (64, false),
        _ => return None,
    };
    Some(Integer { width, signed })
}

/// The type without `const` and `restrict` at the top level (and in front).
pub fn unqualified(text: &str) -> String {
    let mut text = text.trim();
    loop {
        let before = text;
        for word in ["const", "restrict", "register", "__restrict"] {
            if let Some(rest) = text.strip_prefix(word).filter(|r| r.starts_with(' ')) {
                text = rest.trim_start();
            }
            if let Some(rest) = text.strip_suffix(word).filter(|r| r.ends_with([' ', '*'])) {
                text = rest.trim_end();
            }
        }
        if text == before {
            return text.to_owned();
        }
    }
}

/// The type of a variable that keeps a value of this type: of a pointer, what it points to stays `const`.
pub fn of_copy(text: &str) -> String {
    let bare = unqualified(text);
    let constant = text.trim_start().starts_with("const ") && is_pointer(&bare);
    if constant { format!("const {bare}") } else { bare }
}

/// Whether it is a pointer (to anything).
pub fn is_pointer(plain: &str) -> bool {
    let plain = unqualified(plain);
    plain.ends_with('*') || plain.contains("(*")
}

/// Whether it is an array.
pub fn is_array(plain: &str) -> bool {
    plain.ends_with(']') && !plain.contains("(*")
}

/// Whether the pointer itself, not its target, is `restrict`.
pub fn is_restrict(plain: &str) -> bool {
    let star = plain.find("(*").map(|at| at + 1).or_else(|| plain.rfind('*'));
    let qualifiers = star.map_or("", |at| &plain[at + 1..]);
    let own = qualifiers.split(')').next().unwrap_or_default();
    is_pointer(plain) && words(own).any(|w| w == "restrict" || w == "__restrict")
}

/// Whether an access must happen exactly as written.
pub fn is_untouchable(plain: &str) -> bool {
    words(plain).any(|w| w == "volatile" || w == "_Atomic")
}

/// Whether assignment copies values of the type, and they contain no addresses: numbers, structs, enums.
pub fn is_element(plain: &str) -> bool {
    !is_pointer(plain) && !is_array(plain) && !plain.contains('(') && unqualified(plain) != "void"
}

/// The first length of an array type: `double[3][n]` gives `3`.
pub fn first_length(plain: &str) -> Option<&str> {
    let open = plain.find('[')?;
    let close = plain[open..].find(']')? + open;
    Some(plain[open + 1..close].trim())
}

/// Size in bytes of an arithmetic type in this machine's ABI; 0 if unknown.
pub fn size(plain: &str) -> u64 {
    if let Some(complex) = plain.trim().strip_prefix("_Complex ") {
        return 2 * size(complex);
    }
    match unqualified(plain).as_str() {
        "float" => 4,
        "double" => 8,
        "long double" => std::mem::size_of::<u128>() as u64,
        "_Bool" | "bool" => 1,
        other => integer(other).map_or(0, |i| u64::from(i.width / 8)),
    }
}

/// The words of a type's text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_' && c != '$').filter(|w| !w.is_empty())
}

/// Whether a type may have computed array lengths.
pub fn varies(ty: &str) -> bool {
    let literal = |part: &str| part.split(']').next().is_some_and(|l| l.bytes().all(|b| b.is_ascii_digit()));
    ty.contains("typeof") || ty.split('[').skip(1).any(|part| !literal(part))
}

/// Whether a type without qualifiers is an integer or a real number.
pub fn is_number(unqualified: &str) -> bool {
    integer(unqualified).is_some() || matches!(unqualified, "float" | "double" | "long double")
}

/// The lengths of an array type, the outermost first, if all of them are numbers.
pub fn constant_lengths(plain: &str) -> Option<Vec<usize>> {
    let parts = plain.split('[').skip(1).map(|part| part.trim_end().strip_suffix(']')?.parse().ok());
    parts.collect::<Option<Vec<usize>>>().filter(|lengths| !lengths.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualifiers_go() {
        assert_eq!(unqualified("const int"), "int");
        assert_eq!(unqualified("double *const restrict"), "double *");
        assert_eq!(unqualified("const"), "const");
        assert_eq!(of_copy("const double (*)[8]"), "const double (*)[8]");
        assert_eq!(of_copy("const double"), "double");
    }

    #[test]
    fn shapes() {
        assert!(is_array("double[3][n]") && !is_pointer("double[3][n]"));
        assert!(is_pointer("double (*restrict)[m]") && is_restrict("double (*restrict)[m]"));
        assert!(is_restrict("double *const restrict") && !is_restrict("double *restrict *"));
        assert!(!is_restrict("double *restrict (*)[m]"));
        assert!(!is_array("double (*)[m]"));
        assert_eq!(first_length("double[m + 1][2]"), Some("m + 1"));
        assert!(is_element("struct cell") && !is_element("double *") && !is_element("double (int)"));
        assert_eq!(size("_Complex double"), 16);
    }
}
