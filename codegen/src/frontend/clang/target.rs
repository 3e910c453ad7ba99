//! The tool assumes the sizes and signs of types of the machine that it was built for. It refuses a file that is
//! compiled for another machine, or with options that change sizes or signs.

use std::collections::HashMap;
use std::mem::size_of;

/// Options that change the meaning of C text, but that clang accepts and ignores.
const IGNORED_OPTIONS: [&str; 3] = ["-fsingle-precision-constant", "-funsigned-bitfields", "-fno-signed-bitfields"];

/// The remedy for a file that breaks one of the assumptions.
pub const REMEDY: &str = "compile the functions with regions without that, for the machine that dvmcc was built for";

/// The predefined macros that state the assumptions, with their values.
fn assumed() -> [(&'static str, String); 13] {
    let word = size_of::<usize>().to_string();
    let order = if cfg!(target_endian = "little") { "__ORDER_LITTLE_ENDIAN__" } else { "__ORDER_BIG_ENDIAN__" };
    [
        ("__CHAR_BIT__", "8".to_owned()),
        ("__SIZEOF_SHORT__", size_of::<std::ffi::c_short>().to_string()),
        ("__SIZEOF_INT__", size_of::<std::ffi::c_int>().to_string()),
        ("__SIZEOF_LONG__", size_of::<std::ffi::c_long>().to_string()),
        ("__SIZEOF_LONG_LONG__", size_of::<std::ffi::c_longlong>().to_string()),
        ("__SIZEOF_POINTER__", word.clone()),
        ("__SIZEOF_SIZE_T__", word.clone()),
        ("__SIZEOF_PTRDIFF_T__", word),
        ("__SIZEOF_FLOAT__", "4".to_owned()),
        ("__SIZEOF_DOUBLE__", "8".to_owned()),
        ("__SIZEOF_LONG_DOUBLE__", size_of::<u128>().to_string()),
        ("__BYTE_ORDER__", order.to_owned()),
        ("__ORDER_LITTLE_ENDIAN__", "1234".to_owned()),
    ]
}

/// The first assumption that a compiler's options and predefined macros break. Options about the sign of `char` are
/// left to `integer_options`.
#[allow(clippy::implicit_hasher)]
pub fn difference(flags: &[String], macros: &HashMap<String, String>) -> Option<String> {
    if let Some(option) = flags.iter().find(|flag| IGNORED_OPTIONS.contains(&flag.as_str())) {
        return Some(format!(
            "`{option}` changes the meaning of the text, and clang, which reads it, does not know it"
        ));
    }
    for (name, value) in assumed() {
        if let Some(other) = macros.get(name).map(|other| other.trim()).filter(|other| *other != value) {
            return Some(format!("the file is compiled for another machine ({name} is {other} and not {value})"));
        }
    }
    let unsigned = macros.contains_key("__CHAR_UNSIGNED__");
    if unsigned != cfg!(not(any(target_arch = "x86_64", target_arch = "x86")))
        && !super::integer_options::IntegerOptions::of(flags).char_by_option
    {
        return Some("the file is compiled for another machine (`char` has a sign on one of the two)".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_and_dialects_are_told() {
        let same: HashMap<String, String> = assumed().into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        let host = cfg!(any(target_arch = "x86_64", target_arch = "x86"));
        if host {
            assert_eq!(difference(&[], &same), None);
        }
        for (name, _) in assumed() {
            let mut other = same.clone();
            other.insert(name.to_owned(), "3".to_owned());
            assert!(difference(&[], &other).is_some_and(|why| why.contains(name)));
        }
        let mut other = same.clone();
        other.insert("__CHAR_UNSIGNED__".to_owned(), "1".to_owned());
        assert_eq!(difference(&[], &other).is_some(), host);
        assert_eq!(difference(&["-funsigned-char".to_owned()], &other), None);
        assert!(difference(&[IGNORED_OPTIONS[0].to_owned()], &same).is_some());
    }
}
