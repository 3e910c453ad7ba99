//! Whether two preprocessors see the same program: clang, whose tree is analysed, and the compiler, which compiles the
//! text. They define different macros (`__GNUC__`, `__VERSION__`), so that a conditional may choose another branch, or a
//! name stand for another value.
//!
//! What is compared is the program's own text. System headers are expected to mean the same to both.

use crate::c_tokens::identifiers;
use crate::source::{Directive, Source};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A preprocessed text, with its definitions (`-dD`) and includes (`-dI`).
#[derive(Debug, Default)]
pub struct PreprocessorView {
    files: BTreeMap<String, SeenFile>,
    /// Each macro with all of its definitions.
    macros: HashMap<String, BTreeSet<String>>,
    predefined: HashMap<String, String>,
}

#[derive(Debug, Default)]
struct SeenFile {
    /// Lines with something behind the preprocessor: tokens, a definition, an include, a pragma.
    lines: BTreeSet<u32>,
    /// Those of definitions and their ends, with the macro.
    defined: BTreeMap<u32, String>,
    is_system: bool,
}

/// Where and why the views differ.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// The file, by the preprocessor's name for it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What is there, as the rest of "... means another thing to the compiler than to clang".
    pub what: String,
}

impl PreprocessorView {
    /// Reads a preprocessed text; `key` gives a file the same name in all views.
    pub fn read(text: &str, key: &dyn Fn(&str) -> String) -> PreprocessorView {
        let mut view = PreprocessorView::default();
        let (mut file, mut line, mut before) = (String::new(), 1_u32, true);
        for row in text.lines() {
            if let Some((number, name, is_system)) = mark(row) {
                before = name.starts_with('<') && name != "<stdin>";
                (file, line) = (key(&name), number);
                if !before {
                    view.files.entry(file.clone()).or_default().is_system |= is_system;
                }
                continue;
            }
            let definition = definition(row);
            if let Some((name, body)) = definition {
                if let Some(body) = body {
                    view.macros.entry(name.to_owned()).or_default().insert(body.to_owned());
                }
                match body {
                    _ if !before => {}
                    Some(body) => drop(view.predefined.insert(name.to_owned(), body.to_owned())),
                    None => drop(view.predefined.remove(name)),
                }
            }
            if !before && !row.trim().is_empty() {
                let seen = view.files.entry(file.clone()).or_default();
                seen.lines.insert(line);
                seen.defined.extend(definition.map(|(name, _)| (line, name.to_owned())));
            }
            line += 1;
        }
        view
    }

    /// The value of a macro that the preprocessor defines itself.
    pub fn predefined(&self, name: &str) -> Option<&str> {
        self.predefined.get(name).map(String::as_str)
    }

    /// The lines of a branch with something behind the preprocessor, each with the macro that it defines, if it does.
    fn inside(&self, file: &str, (begin, end): (u32, u32)) -> Vec<Option<&String>> {
        let seen = self.files.get(file);
        let lines =
            seen.iter().flat_map(|seen| seen.lines.range(begin..end.max(begin)).map(|line| seen.defined.get(line)));
        lines.collect()
    }

    /// Whether all definitions of a macro only warn, or say how a function is called.
    fn only_remarks(&self, name: &str) -> bool {
        self.macros.get(name).into_iter().flatten().all(|body| is_remark(body))
    }
}

/// A macro's name and its body with its parameters; no body for `#undef`.
fn definition(row: &str) -> Option<(&str, Option<&str>)> {
    if let Some(name) = row.strip_prefix("#undef ") {
        return Some((name.trim(), None));
    }
    let rest = row.strip_prefix("#define ")?;
    let end = rest.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(rest.len());
    Some((&rest[..end], Some(rest[end..].trim())))
}

/// Attributes that change neither what a program computes nor the type or place of what it declares.
const REMARKS: [&str; 8] =
    ["deprecated", "unused", "warn_unused_result", "fallthrough", "format", "visibility", "cold", "hot"];

/// Whether a macro's body, after its parameters, is empty or one attribute that is only a remark.
fn is_remark(body: &str) -> bool {
    let text = match body.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, rest)) if !body.starts_with("((") => rest.trim(),
        _ => body,
    };
    let attribute = text.strip_prefix("__attribute__").map(str::trim).and_then(|rest| rest.strip_prefix("(("));
    let Some(inner) = attribute.and_then(|rest| rest.strip_suffix("))")) else { return text.is_empty() };
    let end = inner.find('(').unwrap_or(inner.len());
    let (name, arguments) = (inner[..end].trim().trim_matches('_'), inner[end..].trim());
    // One attribute, whose arguments end where the text ends.
    let mut depth = 0_i32;
    let closes = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    };
    REMARKS.contains(&name) && (arguments.is_empty() || arguments.find(closes) == Some(arguments.len() - 1))
}

/// `# 12 "file" 1 3`: the line, the file, and whether it is a system header.
fn mark(row: &str) -> Option<(u32, String, bool)> {
    let (number, rest) = row.strip_prefix("# ")?.split_once(' ')?;
    let (begin, end) = (rest.find('"')? + 1, rest.rfind('"')?);
    let (mut name, mut escaped) = (String::new(), false);
    for c in rest.get(begin..end)?.chars() {
        escaped = c == '\\' && !escaped;
        if !escaped {
            name.push(c);
        }
    }
    Some((number.parse().ok()?, name, rest[end + 1..].split_whitespace().any(|flag| flag == "3")))
}

/// The first place where the program means another thing in the compiler's view than in clang's. `open` reads a file.
pub fn difference(
    clang: &PreprocessorView,
    compiler: &PreprocessorView,
    open: &dyn Fn(&str) -> Option<Source>,
) -> Result<(), Difference> {
    let mut words = BTreeMap::new();
    let mut differing = differing_macros(clang, compiler);
    // A macro may name an included file.
    let only_clang = clang.files.iter().find(|(name, seen)| !seen.is_system && !compiler.files.contains_key(*name));
    let only_compiler = compiler.files.iter().find(|(name, seen)| !seen.is_system && !clang.files.contains_key(*name));
    if let Some((name, _)) = only_clang.or(only_compiler) {
        let what = "that the file is included".to_owned();
        return Err(Difference { file: name.clone(), line: 1, what });
    }
    for (name, seen) in compiler.files.iter().filter(|(_, seen)| !seen.is_system) {
        let unread = || Difference { file: name.clone(), line: 1, what: "a file that cannot be read again".to_owned() };
        let source = open(name).ok_or_else(unread)?;
        let mut skipped = Vec::new();
        if source.renumbered().next().is_some() {
            // Numbers are not those of physical lines: all lines are compared.
            let same = clang.files.get(name).is_some_and(|other| other.lines == seen.lines);
            let what = || "a file with `#line` and conditionals".to_owned();
            same.then_some(()).ok_or_else(|| Difference { file: name.clone(), line: 1, what: what() })?;
        } else {
            differing.extend(branches_agree(&source, name, [clang, compiler], &mut skipped)?);
        }
        code_words(&source, name, &outermost(skipped), &mut words);
    }
    let mut met = HashSet::new();
    for (word, (file, line)) in &words {
        if let Some(name) = reached(word, &differing, [clang, compiler], &mut met) {
            let what = if name == *word { format!("`{word}`") } else { format!("`{word}`, by `{name}`,") };
            return Err(Difference { file: file.clone(), line: *line, what });
        }
    }
    Ok(())
}

/// Compares which branches of the conditionals are empty; gives the macros that only one view has in such a branch, and adds
/// the branches that are empty in both to `skipped`.
fn branches_agree(
    source: &Source,
    name: &str,
    [clang, compiler]: [&PreprocessorView; 2],
    skipped: &mut Vec<(usize, usize)>,
) -> Result<Vec<String>, Difference> {
    let mut differing = Vec::new();
    // The directives of each open conditional, outermost first; the last is that of the present branch.
    let mut open: Vec<&Directive> = Vec::new();
    for directive in source.all_directives() {
        let begins = matches!(directive.name(), "if" | "ifdef" | "ifndef");
        let ends = directive.name() == "endif";
        let other = matches!(directive.name(), "else" | "elif" | "elifdef" | "elifndef");
        if ends || other {
            // Preprocessors refuse an end without a beginning.
            let Some(branch) = open.pop() else { continue };
            let lines = (source.position(branch.end).0 + 1, source.position(directive.begin).0);
            let (by_clang, by_compiler) = (clang.inside(name, lines), compiler.inside(name, lines));
            if by_clang.is_empty() && by_compiler.is_empty() {
                skipped.push((branch.end, directive.begin));
            } else if by_clang.is_empty() || by_compiler.is_empty() {
                let names: Option<Vec<&String>> = by_clang.into_iter().chain(by_compiler).collect();
                let Some(names) = names else {
                    let words = branch.text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let (line, what) = (source.position(branch.begin).0, format!("the branch of `#{words}`"));
                    return Err(Difference { file: name.to_owned(), line, what });
                };
                let remark = |name: &str| clang.only_remarks(name) && compiler.only_remarks(name);
                differing.extend(names.into_iter().filter(|name| !remark(name)).cloned());
            }
        }
        if begins || other {
            open.push(directive);
        }
    }
    Ok(differing)
}

/// The ranges that lie in no other one, in their order.
fn outermost(mut ranges: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    ranges.sort_unstable_by_key(|(begin, end)| (*begin, std::cmp::Reverse(*end)));
    let mut last = 0;
    ranges.retain(|(begin, end)| {
        let is_outer = *begin >= last;
        last = last.max(*end);
        is_outer
    });
    ranges
}

/// The identifiers outside of directives and of skipped ranges, each with its first place; a text after a comma in a call
/// only hands on a value.
fn code_words(source: &Source, name: &str, skipped: &[(usize, usize)], words: &mut BTreeMap<String, (String, u32)>) {
    let mut at = source.skip_blank(0);
    let mut directives = source.all_directives().iter().peekable();
    let mut last = b' ';
    while at < source.bytes.len() {
        while directives.next_if(|directive| directive.end <= at).is_some() {}
        if let Some(directive) = directives.next_if(|directive| directive.begin <= at) {
            at = source.skip_blank(directive.end.max(at + 1));
            continue;
        }
        let end = source.skip_token(at);
        let word = source.text(at, end);
        let is_passed_text = last == b',' && word == "__VERSION__";
        let is_seen =
            skipped[..skipped.partition_point(|(begin, _)| *begin <= at)].last().is_none_or(|(_, end)| *end <= at);
        if is_seen && !is_passed_text && word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') {
            words.entry(word).or_insert_with(|| (name.to_owned(), source.position(at).0));
        }
        last = source.byte(at);
        at = source.skip_blank(end.max(at + 1));
    }
}

/// The predefined macros that only one view has, or that stand for different values.
fn differing_macros(clang: &PreprocessorView, compiler: &PreprocessorView) -> HashSet<String> {
    let all: HashSet<&String> = clang.predefined.keys().chain(compiler.predefined.keys()).collect();
    let differs = |name: &&String| match (clang.predefined.get(*name), compiler.predefined.get(*name)) {
        (Some(one), Some(other)) => !is_same(one, other),
        _ => true,
    };
    all.into_iter().filter(differs).cloned().collect()
}

/// Whether two bodies are the same text, type, or number.
fn is_same(one: &str, other: &str) -> bool {
    one == other
        || type_words(one).is_some_and(|words| type_words(other) == Some(words))
        || integer(one).is_some_and(|value| integer(other) == Some(value))
        || real(one).is_some_and(|value| real(other) == Some(value))
}

/// The words of an integer type without the `int` that C lets out.
fn type_words(text: &str) -> Option<BTreeSet<&str>> {
    let all: Vec<&str> = text.split_whitespace().collect();
    let known = |word: &&str| matches!(*word, "int" | "long" | "short" | "char" | "signed" | "unsigned");
    let twice = all.iter().filter(|word| **word == "long").count() > 1;
    (!all.is_empty() && all.iter().all(known) && !twice)
        .then(|| all.into_iter().filter(|word| *word != "int" || text == "int").collect())
}

/// An integer constant's value and suffix.
fn integer(text: &str) -> Option<(u128, String)> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = text[digits.len()..].to_ascii_lowercase();
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u128::from_str_radix(hex, 16).ok()?,
        None if digits.starts_with('0') && digits.len() > 1 => u128::from_str_radix(&digits[1..], 8).ok()?,
        None => digits.parse().ok()?,
    };
    Some((value, suffix))
}

/// A real constant of type `float` or `double`, as bits, and whether it is a `float`. gcc writes those of type `double` as
/// `((double)1.5e+3L)`.
fn real(text: &str) -> Option<(u64, bool)> {
    let cast = text.strip_prefix("((double)").and_then(|rest| rest.strip_suffix("L)"));
    let digits = cast.unwrap_or(text);
    let finite = |value: f64| (value.is_finite() && value != 0.0).then(|| value.to_bits());
    match digits.strip_suffix(['F', 'f']) {
        Some(single) => Some((finite(f64::from(single.parse::<f32>().ok()?))?, true)),
        None => Some((finite(digits.parse::<f64>().ok()?)?, false)),
    }
}

/// The differing macro that a word is or leads to; the words in `met` lead to none.
fn reached(
    word: &str,
    differing: &HashSet<String>,
    views: [&PreprocessorView; 2],
    met: &mut HashSet<String>,
) -> Option<String> {
    let mut ahead = vec![word.to_owned()];
    while let Some(name) = ahead.pop() {
        if differing.contains(&name) {
            return Some(name);
        }
        if met.insert(name.clone()) {
            let bodies = views.iter().filter_map(|view| view.macros.get(&name)).flatten();
            ahead.extend(bodies.flat_map(|body| identifiers(body)).filter(|next| !met.contains(next)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const CLANG: &str = "# 1 \"<built-in>\" 1\n#define __GNUC__ 4\n#define __INT_MAX__ 2147483647\n#define __clang__ 1\n\
                         #undef __clang__\n#define __VERSION__ \"c\"\n#define __DBL_MAX__ 1.5e+3\n# 1 \"a.c\" 2\n";
    const GCC: &str = "# 0 \"<built-in>\"\n#define __GNUC__ 12\n#define __INT_MAX__ 0x7fffffff\n#define __VERSION__ \"g\"\n\
                       #define __DBL_MAX__ ((double)1.50e+3L)\n# 1 \"a.c\"\n";

    /// What is told of a file of which both see these lines.
    fn told(text: &str, by_clang: &str, by_compiler: &str) -> Result<(), String> {
        let key = |name: &str| name.to_owned();
        let views = [format!("{CLANG}{by_clang}"), format!("{GCC}{by_compiler}")];
        let [clang, compiler] = views.map(|text| PreprocessorView::read(&text, &key));
        let open = |_: &str| Some(Source::new(Path::new("a.c"), text.as_bytes().to_vec()));
        difference(&clang, &compiler, &open).map_err(|d| format!("{}: {}", d.line, d.what))
    }

    #[test]
    fn another_branch_is_told() {
        let text = "int a;\n#if __GNUC__ > 4\nint b;\n#else\n#endif\n#if X\n#endif\n";
        let seen = "int a;\n\nint b;\n";
        assert_eq!(told(text, "int a;\n\n", seen), Err("2: the branch of `#if __GNUC__ > 4`".into()));
        assert_eq!(told(text, seen, seen), Ok(()));
        let nested = "#if A\n#if B\nint b;\n#endif\nint c;\n#endif\n";
        assert_eq!(told(nested, "\n\n\n\nint c;\n", "\n\nint b;\n\nint c;\n"), Err("2: the branch of `#if B`".into()));
    }

    #[test]
    fn a_file_that_one_view_includes_is_told() {
        let included = |name: &str| format!("#include \"{name}\"\n# 1 \"{name}\" 1\nint x;\n# 2 \"a.c\" 2\nint a;\n");
        let text = "#include NAME\nint a;\n";
        assert!(told(text, &included("b.h"), &included("c.h")).is_err());
    }

    #[test]
    fn macros_of_one_branch_count_where_they_are_used() {
        let views = |used: &str| {
            let text = format!("#if __GNUC__ > 4\n#define N 1\n#endif\n{used}\n");
            told(&text, &format!("\n\n\n{used}\n"), &format!("\n#define N 1\n\n{used}\n"))
        };
        assert_eq!(views("int a;"), Ok(()));
        assert_eq!(views("#if X\n#else\n#endif\nint a;"), Ok(()));
        assert_eq!(views("int a = N;"), Err("4: `N`".into()));
        assert_eq!(outermost(vec![(5, 7), (1, 9), (2, 3), (9, 9), (10, 12)]), [(1, 9), (9, 9), (10, 12)]);
        // What both skip is no use.
        let text = "#if __GNUC__ > 4\n#define N 1\n#else\n#if X\nint N;\n#endif\n#endif\nint a;\n";
        let seen = |define: &str| format!("\n{define}\n\n\n\n\n\nint a;\n");
        assert_eq!(told(text, &seen(""), &seen("#define N 1")), Ok(()));
    }

    #[test]
    fn attributes_that_are_remarks_are_told_from_others() {
        for body in ["", "(m)", "(m) __attribute__((__deprecated__(m)))", "__attribute__ ((unused))"] {
            assert!(is_remark(body), "{body}");
        }
        for body in [
            "1",
            "(m) m",
            "((1))",
            "__attribute__((aligned(8)))",
            "__attribute__((unused, aligned(8)))",
            "__attribute__((format(a), packed))",
            "__attribute__((deprecated(a))) __attribute__((packed))",
        ] {
            assert!(!is_remark(body), "{body}");
        }
    }

    #[test]
    fn names_of_other_values_are_told() {
        let seen = |text: &str| told(text, text, text);
        assert_eq!(seen("int a = __GNUC__;\n"), Err("1: `__GNUC__`".into()));
        assert_eq!(seen("\n#define V (__GNUC__ + 1)\nint a = V;\n"), Err("3: `V`, by `__GNUC__`,".into()));
        assert_eq!(seen("#define V (__GNUC__ + 1)\nint a; /* V */\n"), Ok(()));
        assert_eq!(seen("int a = __INT_MAX__;\ndouble b = __DBL_MAX__; f(1, __VERSION__);\n"), Ok(()));
        assert_eq!(seen("int a = sizeof(__VERSION__);\n"), Err("1: `__VERSION__`".into()));
        // What the program does with the name changes nothing.
        assert_eq!(seen("int a = __GNUC__;\n#undef __GNUC__\n"), Err("1: `__GNUC__`".into()));
        // What clang's option undefines is no macro of clang's.
        assert_eq!(seen("int __clang__;\n"), Ok(()));
    }

    #[test]
    fn values_are_compared_and_not_spellings() {
        for (one, other) in [
            ("0x7fffffffffffffffL", "9223372036854775807l"),
            ("long unsigned int", "unsigned long"),
            ("3.40282346638528859811704183484516925e+38F", "3.40282347e+38F"),
            ("((double)1.79769313486231570814527423731704357e+308L)", "1.7976931348623157e+308"),
        ] {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("1", "1L"),
            ("long long", "long"),
            ("1.5", "1.5F"),
            ("3.3e-4932L", "3.4e-4932L"),
            ("\"a\"", "\"b\""),
            ("", "1"),
        ] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}
