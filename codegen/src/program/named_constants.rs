//! The constants that a file names: macros, `const` variables and enumerators. A drawing gives them other values.

use crate::source::Source;
use std::ops::Range;

/// A named constant of a file, or of a compiler's command line.
#[derive(Debug, PartialEq, Eq)]
pub struct SettableConstant {
    /// Its name.
    pub name: String,
    form: Form,
}

#[derive(Debug, PartialEq, Eq)]
enum Form {
    /// The bytes of a `#define`.
    Macro(Range<usize>),
    /// The bytes of an initialiser.
    Initialiser(Range<usize>),
    /// The number of a word `-DNAME=...`, or of the word behind `-D`.
    Flag(usize),
}

/// All constants that a file or its flags define, in their order.
pub fn named_constants(source: &Source, flags: &[String]) -> Vec<SettableConstant> {
    let mut all = macros(source);
    all.extend(declared(source));
    for (at, word) in flags.iter().enumerate() {
        let behind = at > 0 && flags[at - 1] == "-D";
        let definition = if behind { Some(word.as_str()) } else { word.strip_prefix("-D") };
        if let Some((name, _)) = definition.and_then(|text| text.split_once('=')).filter(|(name, _)| is_name(name)) {
            all.push(SettableConstant { name: name.to_owned(), form: Form::Flag(at) });
        }
    }
    all
}

/// The file and the flags with other values of constants; all lines keep their numbers. What is no constant is left out.
pub fn with_values(
    source: &Source,
    flags: &[String],
    constants: &[SettableConstant],
    values: &[(String, i64)],
) -> (Source, Vec<String>) {
    let mut flags = flags.to_vec();
    let mut edits: Vec<(&Range<usize>, String)> = Vec::new();
    for SettableConstant { name, form } in constants {
        let Some((_, value)) = values.iter().find(|(own, _)| own == name) else { continue };
        let value = if *value < 0 { format!("({value})") } else { value.to_string() };
        match form {
            Form::Flag(at) => {
                let dash = if flags[*at].starts_with("-D") { "-D" } else { "" };
                flags[*at] = format!("{dash}{name}={value}");
            }
            Form::Initialiser(bytes) => edits.push((bytes, value + &line_ends(source, bytes, "\n"))),
            Form::Macro(bytes) => {
                edits.push((bytes, format!("#define {name} {value}{}", line_ends(source, bytes, "\\\n"))));
            }
        }
    }
    edits.sort_by_key(|(bytes, _)| bytes.start);
    let mut text = source.bytes.clone();
    for (bytes, value) in edits.into_iter().rev() {
        text.splice(bytes.clone(), value.into_bytes());
    }
    (Source::new(&source.path, text), flags)
}

/// As many line ends as are in some bytes.
fn line_ends(source: &Source, bytes: &Range<usize>, one: &str) -> String {
    one.repeat(source.text(bytes.start, bytes.end).matches('\n').count())
}

/// The macros without arguments that stand for something.
fn macros(source: &Source) -> Vec<SettableConstant> {
    let definitions = source.all_directives().iter().filter(|directive| directive.name() == "define");
    let constant = |directive: &crate::source::Directive| {
        let rest = directive.rest();
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (name, body) = rest.split_at(end);
        let stands = is_name(name) && !body.starts_with('(') && !body.trim().is_empty();
        let form = Form::Macro(directive.begin..directive.end);
        stands.then(|| SettableConstant { name: name.to_owned(), form })
    };
    definitions.filter_map(constant).collect()
}

/// The `const` variables and the enumerators with a value.
fn declared(source: &Source) -> Vec<SettableConstant> {
    let mut found = Vec::new();
    let mut state = Declaration::default();
    let mut at = source.skip_blank(0);
    while at < source.bytes.len() {
        if let Some(directive) = source.all_directives().iter().find(|directive| directive.begin == at) {
            at = source.skip_blank(directive.end);
            continue;
        }
        let end = source.skip_token(at);
        let next = source.skip_blank(end);
        let word = source.text(at, end);
        at = next;
        if state.names_constant(&word) && source.byte(next) == b'=' && source.byte(next + 1) != b'=' {
            let begin = source.skip_blank(next + 1);
            at = value_end(source, begin);
            let form = Form::Initialiser(begin..trimmed(source, begin, at));
            found.push(SettableConstant { name: word.clone(), form });
        }
        state.passes(&word);
    }
    found
}

/// What of a declaration has been read.
#[derive(Default)]
struct Declaration {
    /// Its words so far say `const`, and it has no pointer.
    is_constant: bool,
    has_pointer: bool,
    enumeration: Enumeration,
}

/// How far an enumeration has been read.
#[derive(Default, PartialEq, Eq)]
enum Enumeration {
    /// There is none.
    #[default]
    No,
    /// `enum` and perhaps a tag are the last words.
    Begins,
    /// The enumerators are being read.
    Open,
}

impl Declaration {
    /// Whether a name with an initialiser is one of a constant here.
    fn names_constant(&self, word: &str) -> bool {
        is_name(word) && (self.enumeration == Enumeration::Open || self.is_constant && !self.has_pointer)
    }

    /// Reads a word on.
    fn passes(&mut self, word: &str) {
        match word {
            ";" | "}" => *self = Declaration::default(),
            "{" => {
                let opens = self.enumeration == Enumeration::Begins;
                let enumeration = if opens { Enumeration::Open } else { Enumeration::No };
                *self = Declaration { enumeration, ..Declaration::default() };
            }
            "const" | "constexpr" => self.is_constant = true,
            "*" => self.has_pointer = true,
            "," => self.has_pointer = false,
            "enum" => self.enumeration = Enumeration::Begins,
            _ if self.enumeration == Enumeration::Begins && !is_name(word) => self.enumeration = Enumeration::No,
            _ => {}
        }
    }
}

/// The end of an initialiser that begins at `at`: a comma, semicolon or brace outside brackets.
fn value_end(source: &Source, mut at: usize) -> usize {
    while at < source.bytes.len() && !matches!(source.byte(at), b',' | b';' | b'}') {
        let bracket = matches!(source.byte(at), b'(' | b'[' | b'{');
        at = source.skip_blank(if bracket { source.skip_brackets(at) } else { source.skip_token(at) });
    }
    at.min(source.bytes.len())
}

/// The end of some bytes without the white space at their end.
fn trimmed(source: &Source, begin: usize, end: usize) -> usize {
    let blank = source.bytes[begin..end].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    end - blank
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| is_word(c) && !c.is_ascii_digit()) && word.chars().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn source(text: &str) -> Source {
        Source::new(Path::new("a.c"), text.as_bytes().to_vec())
    }

    fn names(text: &str) -> Vec<String> {
        named_constants(&source(text), &[]).into_iter().map(|constant| constant.name).collect()
    }

    /// The text with 7 for `N`.
    fn with_seven(text: &str) -> String {
        let source = source(text);
        let constants = named_constants(&source, &[]);
        let (changed, _) = with_values(&source, &[], &constants, &[("N".to_owned(), 7)]);
        changed.text(0, changed.bytes.len())
    }

    #[test]
    fn constants_of_each_form_are_found() {
        assert_eq!(names("#define N 1000\n#define F(x) x\n#define EMPTY\n# define M (N - 1)\n"), ["N", "M"]);
        assert_eq!(names("static const int a = 5, b = 6; int c = 7; const long d=f(1, 2);"), ["a", "b", "d"]);
        assert_eq!(names("enum sizes { A = 3, B, C = 1 << 4 }; enum { D = 2 } e = A;"), ["A", "C", "D"]);
        assert_eq!(
            names("const char *s = \"N = 3;\"; /* const int n = 1; */ void f(const int k) { int x = 1; }"),
            [""; 0]
        );
        assert_eq!(names("enum sizes s = A; int t = 2; if (n == 3) {}"), [""; 0]);
    }

    #[test]
    fn a_value_takes_the_place_and_lines_stay() {
        assert_eq!(with_seven("#define N 1000 // points\nN\n"), "#define N 7\nN\n");
        assert_eq!(with_seven("#define N \\\n 1000\nN\n"), "#define N 7\\\n\nN\n");
        assert_eq!(with_seven("const int N = f(1,\n 2) , M = 3;"), "const int N = 7\n , M = 3;");
        assert_eq!(with_seven("enum { M = 2, N = 1000 };"), "enum { M = 2, N = 7 };");
        assert_eq!(
            with_seven("#ifndef N\n#define N 5\n#endif\n#define NN 9\n"),
            "#ifndef N\n#define N 7\n#endif\n#define NN 9\n"
        );
    }

    #[test]
    fn definitions_of_the_command_line_are_constants_too() {
        let flags = ["-DN=5", "-D", "M=6", "-DEMPTY", "-Iinclude"].map(str::to_owned);
        let source = source("");
        let constants = named_constants(&source, &flags);
        let (_, changed) = with_values(&source, &flags, &constants, &[("N".into(), 9), ("M".into(), -2)]);
        assert_eq!(changed, ["-DN=9", "-D", "M=(-2)", "-DEMPTY", "-Iinclude"]);
    }
}
