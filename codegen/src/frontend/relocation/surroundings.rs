//! The surroundings of a region that change how its text is compiled: pragmas, and attributes of the function.
//!
//! The tiles' functions precede the function that contains the region. A pragma in between, or an attribute, affects
//! only one of the two, so each must be known to make no difference.

use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::text::preprocess::Seen;
use crate::planted::planted;
use crate::refusal::Code;
use crate::source::Source;

/// Attributes of functions, without underscores, that do not change what a body computes.
const HARMLESS: &str = "\
    access alias aligned alloc_align alloc_size always_inline annotate artificial assume_aligned cdecl cold const \
    constructor deprecated destructor error externally_visible fastcall fd_arg fd_arg_read fd_arg_write flatten format \
    format_arg gnu_inline hot leaf malloc maybe_unused ms_abi no_icf no_instrument_function no_profile_instrument_function \
    no_reorder no_split_stack no_stack_protector noclone nodiscard noinline noipa nonnull nonstring noplt noreturn nothrow \
    null_terminated_string_arg patchable_function_entry pure regparm retain returns_nonnull returns_twice section \
    sentinel stack_protect stdcall symver sysv_abi tainted_args unavailable unused used vector_size visibility \
    warn_unused_result warning weak";

/// Beginnings of pragmas about diagnostics, names, layouts or a single loop.
const PRAGMAS: [&str; 39] = [
    "GCC diagnostic",
    "clang diagnostic",
    "GCC warning",
    "GCC poison",
    "GCC system_header",
    "clang system_header",
    "message",
    "once",
    "pack",
    "weak",
    "redefine_extname",
    "push_macro",
    "pop_macro",
    "mark",
    "region",
    "endregion",
    "warning",
    "ident",
    "omp",
    "acc",
    "GCC ivdep",
    "GCC unroll",
    "GCC novector",
    "clang loop",
    "unroll",
    "nounroll",
    "unroll_and_jam",
    "nounroll_and_jam",
    "ivdep",
    "vector",
    "novector",
    "simd",
    "loop",
    "loop_count",
    "distribute_point",
    "prefetch",
    "noprefetch",
    "concurrent",
    "_CRI",
];

/// Refuses a region whose function is compiled differently from the tiles. `between` is the offset of the tiles and the
/// end of the region.
pub fn check(
    unit: &Unit,
    source: &Source,
    seen: &Seen,
    function: &Node,
    between: (usize, usize),
) -> Result<(), Refusal> {
    if planted("a10-environment") {
        return Ok(());
    }
    check_pragmas(source, seen, between)?;
    check_declared(source, function)?;
    check_inline(unit, source, function)?;
    let strange = attributes(&seen.whole.text, &function.name).into_iter().find(|name| !is_harmless(name));
    strange.map_or(Ok(()), |name| {
        let at = source.skip_blank(function.begin.offset);
        Err(Refusal::span(
            Code::Attribute,
            at,
            source.skip_token(at),
            format!("the attribute `{name}` of `{}` may change what the region computes", function.name),
            "remove the attribute, give it to all functions by an option of the compiler, or move the region to a \
             function without it",
        ))
    })
}

/// Variables named by pragmas of the function, which the tree does not show: the pragmas may read or write them. If
/// OpenMP is enabled, clang reads its pragmas itself.
pub fn named(source: &Source, seen: &Seen, function: &Node) -> Vec<Id> {
    let lines = source.position(function.begin.offset).0..=source.position(function.end.offset).0;
    let pragmas = seen.whole.pragmas.iter().filter(|(line, words)| lines.contains(line) && !words.starts_with("omp"));
    let words: Vec<&str> = pragmas.flat_map(|(_, words)| ctype::words(words)).collect();
    let variables = function.walk().filter(|n| n.is(&SyntaxKind::VarDecl) || n.is(&SyntaxKind::ParmVarDecl));
    variables.filter(|n| words.contains(&n.name.as_str())).map(|n| n.id).collect()
}

/// Refuses a pragma about the next declaration, since that would be the tiles.
fn check_declared(source: &Source, function: &Node) -> Result<(), Refusal> {
    let begin = source.skip_blank(function.begin.offset);
    let all = source.all_directives();
    let before = all[..all.partition_point(|d| d.begin < begin)].last();
    let last = before.filter(|d| source.skip_blank(d.end) == begin);
    let Some(last) = last.filter(|d| d.name() == "pragma") else { return Ok(()) };
    let words: Vec<&str> = last.rest().split_whitespace().take(2).collect();
    if !matches!(words.as_slice(), ["omp", "declare"] | ["acc", "routine"]) {
        return Ok(());
    }
    let reason = "a pragma about the function stands before it, where the tiles are put";
    Err(Refusal::span(
        Code::OtherPragma,
        last.begin,
        last.end,
        reason,
        "move the region to a function without the pragma",
    ))
}

/// Refuses a function of which the compiler need not make code that can be called (C11, 6.7.4p7): `inline` in all
/// declarations, or `extern inline`, which gcc warns of when it names something of the file.
fn check_inline(unit: &Unit, source: &Source, function: &Node) -> Result<(), Refusal> {
    let declarations = || unit.root.inner.iter().filter(|n| n.is(&SyntaxKind::FunctionDecl) && n.name == function.name);
    let has_code = declarations().any(|n| !n.inlined || n.storage == "static");
    if !function.inlined || has_code {
        return Ok(());
    }
    let at = source.skip_blank(function.begin.offset);
    Err(Refusal::span(
        Code::InlineFunction,
        at,
        source.skip_token(at),
        format!("`{}` is `inline` and not `static`: the compiler need not make code that can be called", function.name),
        "declare it `static inline`",
    ))
}

fn check_pragmas(source: &Source, seen: &Seen, (first, last): (usize, usize)) -> Result<(), Refusal> {
    let (first, last) = (source.position(first).0, source.position(last).0);
    let known = |words: &str| {
        PRAGMAS
            .iter()
            .any(|p| words.strip_prefix(p).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric())))
    };
    let around = seen.whole.pragmas.iter().filter(|(line, _)| first <= *line && *line <= last);
    let Some((line, words)) = around.into_iter().find(|(_, words)| !known(words)) else { return Ok(()) };
    let begin = source.skip_blank(source.line_start_of(*line));
    let end = source.line_start_of(*line) + source.line_text(*line).len();
    Err(Refusal::span(
        Code::OtherPragma,
        begin,
        end.max(begin + 1),
        format!("`#pragma {words}` would reach the function, or the region, but not its tiles"),
        "put it before the function, on a line of its own outside all declarations, or remove it",
    ))
}

fn is_harmless(name: &str) -> bool {
    let plain = name.trim_start_matches('_').trim_end_matches('_');
    HARMLESS.split_whitespace().any(|known| known == plain)
}

/// The attributes in all file-scope declarations of a function; clang's tree omits those that clang does not know.
fn attributes<'a>(text: &'a str, function: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut declaration: Vec<&str> = Vec::new();
    let (mut depth, mut braces) = (0_usize, 0_usize);
    for token in Tokens(text) {
        match token {
            "{" => braces += 1,
            "}" => braces = braces.saturating_sub(1),
            _ if braces > 0 => continue,
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = token == ";" || (token == "}" && has_body(&declaration));
        if depth == 0 && braces == 0 && ends {
            if declares(&declaration, function) {
                found.extend(listed(&declaration, function));
            }
            declaration.clear();
        } else if braces == 0 {
            declaration.push(token);
        }
    }
    found
}

/// Whether braces after these tokens are a function's body, not a type or initialiser.
fn has_body(tokens: &[&str]) -> bool {
    let mut at = 0;
    while at < tokens.len() {
        match (tokens[at], tokens.get(at + 1)) {
            ("=", _) => return false,
            ("__attribute__" | "__attribute" | "__declspec" | "typeof" | "__typeof__" | "_Alignas" | "alignas", _) => {
                at = closing(tokens, at + 1);
            }
            (_, Some(&"(")) => return true,
            _ => at += 1,
        }
    }
    tokens.is_empty()
}

/// Whether the tokens declare or define a function of this name.
fn declares(tokens: &[&str], function: &str) -> bool {
    tokens.windows(2).any(|pair| pair[0] == function && (pair[1] == "(" || pair[1] == ")"))
}

/// The names in the attribute lists of a declaration, except those of the function's parameters.
fn listed<'a>(tokens: &[&'a str], function: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    let named = tokens.iter().position(|t| *t == function).unwrap_or(tokens.len());
    let (mut at, mut depth) = (0, 0_usize);
    while at < tokens.len() {
        let word = matches!(tokens[at], "__attribute__" | "__attribute" | "__declspec");
        let brackets = tokens[at] == "[" && tokens.get(at + 1) == Some(&"[");
        if word || brackets {
            let end = closing(tokens, if word { at + 1 } else { at });
            if depth == 0 || at < named {
                let opening = if tokens[at] == "__declspec" { 1 } else { 2 };
                names.extend(entries(&tokens[at + usize::from(word)..end], opening));
            }
            at = end;
            continue;
        }
        match tokens[at] {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    names
}

/// The index after the bracket that closes the one at `at`.
fn closing(tokens: &[&str], at: usize) -> usize {
    let mut depth = 0_usize;
    for (k, token) in tokens.iter().enumerate().skip(at) {
        match *token {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return k + 1;
        }
    }
    tokens.len()
}

/// The entries of `((a, b(1), c))`: the last word of each before its arguments, as in `gnu::b(1)`.
fn entries<'a>(tokens: &[&'a str], opening: usize) -> Vec<&'a str> {
    let mut names = Vec::new();
    let (mut depth, mut last) = (0_usize, None);
    for token in tokens {
        match *token {
            "(" | "[" => depth += 1,
            ")" | "]" => {
                depth = depth.saturating_sub(1);
                if depth < opening {
                    names.extend(last.take());
                }
            }
            "," if depth == opening => names.extend(last.take()),
            word if depth == opening && word != ":" => last = Some(word),
            _ => {}
        }
    }
    names
}

/// The tokens of preprocessed text, without preprocessor lines.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;
    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.0 = self.0.trim_start();
            if !self.0.starts_with('#') {
                break;
            }
            self.0 = self.0.split_once('\n').map_or("", |(_, rest)| rest);
        }
        let first = self.0.chars().next()?;
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = match first {
            '"' | '\'' => {
                let mut escaped = false;
                let close = self.0.char_indices().skip(1).find(|(_, c)| {
                    let closes = *c == first && !escaped;
                    escaped = *c == '\\' && !escaped;
                    closes
                });
                close.map_or(self.0.len(), |(k, _)| k + 1)
            }
            c if word(c) => self.0.find(|c| !word(c)).unwrap_or(self.0.len()),
            c => c.len_utf8(),
        };
        let (token, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_all_declarations_are_found() {
        let text = "# 1 \"a.c\"\nint g(void) __attribute__((optimize(\"O0\")));\n\
                    __attribute__((noinline, __hot__)) static int f(int n __attribute__((mode(DI))));\n\
                    struct s { int f(; } x;\n[[gnu::target(\"avx\"), nodiscard]] int h(void) { return f(1, 2); }\n\
                    int __attribute__((optimize(\"a)\", \"b\"))) f(int n) { char c = '\\''; if (n) { } }\n";
        assert_eq!(attributes(text, "f"), ["noinline", "__hot__", "optimize"]);
        assert_eq!(attributes(text, "h"), ["target", "nodiscard"]);
        assert_eq!(attributes(text, "g"), ["optimize"]);
        assert!(is_harmless("__hot__") && !is_harmless("optimize") && !is_harmless("target_clones"));
    }
}
