//! Marked regions in the text: `#pragma dvm region` and `#pragma scop` ... `#pragma endscop`.

use super::clause_table::CLAUSES;
use super::preprocess::is_ours;
use crate::Refusal;
use crate::c_tokens::is_keyword;
use crate::clause_form::{all_forms, clause_named};
use crate::model::{Operation, Options};
use crate::refusal::Code;
use crate::source::{Directive, Source};

/// A marked region, before the compiler's view of it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The directive.
    pub pragma: Directive,
    /// First token of the region.
    pub begin: usize,
    /// The `#pragma endscop` of a `#pragma scop`.
    pub end: Option<Directive>,
    /// The options of the pragma.
    pub options: PragmaOptions,
}

/// All options of one pragma.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PragmaOptions {
    /// Options for the later passes.
    pub model: Options,
    /// `name(x)`.
    pub name: Option<String>,
    /// `pure(f, g)`: functions that the user declares pure.
    pub pure: Vec<String>,
    /// `independent` or `independent(i, j)`: the counters of the loops whose iterations the user declares independent;
    /// no names: the outermost loops.
    pub independent: Option<Vec<String>>,
    /// `private(x, y)`: variables of which each iteration of the outermost loops has its own.
    pub private: Vec<String>,
    /// `reduction(op:x, y)`: variables that the loop only updates, each with its operator.
    pub reductions: Vec<(Operation, String)>,
    /// `reassociate`: reductions of floating point update several values in turn.
    pub reassociate: bool,
    /// `across(never)`: the region runs in its own process.
    pub never_across: bool,
}

/// The largest number of steps in `buffers` and `ahead`.
const MOST_STEPS: u32 = 1 << 30;

/// The largest number of tile coordinates: `DVM_GRAPH_MAX_DIMENSION`.
const MAX_TILE_COORDINATES: usize = 16;

/// The region pragmas in a file's text, including those that the preprocessor skips.
pub fn marks(source: &Source) -> Vec<Directive> {
    source.all_directives().iter().filter(|d| d.name() == "pragma" && is_ours(d.rest())).cloned().collect()
}

/// Pairs a file's pragmas to regions, in text order. The inner error is a malformed pragma.
pub fn sites(source: &Source, marks: Vec<Directive>) -> Vec<Result<Site, Refusal>> {
    let mut found = Vec::new();
    let mut open: Option<(Directive, PragmaOptions)> = None;
    for directive in marks {
        let words = directive.rest().to_owned();
        let (first, rest) = split_word(&words);
        let (second, options) = split_word(rest);
        match (first, second) {
            ("dvm", "region") => match parse_options(options, &directive) {
                Ok(options) => {
                    let begin = first_token(source, directive.end);
                    found.push(Ok(Site { begin, pragma: directive, end: None, options }));
                }
                Err(error) => found.push(Err(error)),
            },
            ("dvm", other) => found.push(Err(Refusal::span(
                Code::UnknownPragma,
                directive.begin,
                directive.end,
                format!("`{}` is not known", format!("#pragma dvm {other}").trim_end()),
                "the pragma is `#pragma dvm region [options]`",
            ))),
            ("scop", _) => {
                if let Some((earlier, _)) = open.take() {
                    found.push(Err(unclosed(&earlier)));
                }
                match parse_options(rest, &directive) {
                    Ok(options) => open = Some((directive, options)),
                    Err(error) => found.push(Err(error)),
                }
            }
            ("endscop", _) => match open.take() {
                Some((pragma, options)) => {
                    let begin = source.skip_blank(pragma.end);
                    found.push(Ok(Site { begin, pragma, end: Some(directive), options }));
                }
                None => found.push(Err(Refusal::span(
                    Code::UnpairedScop,
                    directive.begin,
                    directive.end,
                    "`#pragma endscop` has no `#pragma scop` before it",
                    "put `#pragma scop` before the first loop",
                ))),
            },
            _ => {}
        }
    }
    if let Some((pragma, _)) = open {
        found.push(Err(unclosed(&pragma)));
    }
    found
}

/// Whether a directive is `#pragma dvm ...`, which marks the statement after it.
pub fn marks_loop(directive: &Directive) -> bool {
    directive.name() == "pragma" && split_word(directive.rest()).0 == "dvm"
}

/// Whether a directive is `#pragma endscop`.
pub fn ends_scop(directive: &Directive) -> bool {
    directive.name() == "pragma" && split_word(directive.rest()).0 == "endscop"
}

/// The first token after a pragma that the compiler sees. Other branches of a conditional whose own branch has the
/// pragma may come in between, and OpenMP pragmas.
fn first_token(source: &Source, end: usize) -> usize {
    let mut at = source.skip_blank(end);
    loop {
        let rest = source.directives(at, source.bytes.len().min(at + 1));
        let Some(next) = rest.first().filter(|d| d.begin == at) else { return at };
        let after = match next.name() {
            "else" | "elif" | "elifdef" | "elifndef" => source.conditional_end(next.end),
            "if" | "ifdef" | "ifndef" => {
                let end = source.conditional_end(next.end);
                if source.has_tokens(next.end, end) {
                    return at;
                }
                end
            }
            "endif" | "line" => next.end,
            number if number.starts_with(|c: char| c.is_ascii_digit()) => next.end,
            "pragma" if is_openmp(next) || is_hint(next) => next.end,
            _ => return at,
        };
        at = source.skip_blank(after);
    }
}

/// Hints about the loop after them that never change what it computes, and that clang ignores.
const HINTS: [&str; 7] = ["GCC ivdep", "ivdep", "vector", "novector", "simd", "loop_count", "prefetch"];

/// Whether a directive is a hint to the compiler about the next loop, and no more than that.
pub fn is_hint(directive: &Directive) -> bool {
    let words: Vec<&str> = directive.rest().split(|c: char| !c.is_ascii_alphanumeric() && c != '_').take(2).collect();
    let begins = |hint: &&str| hint.split(' ').eq(words.iter().copied().take(hint.split(' ').count()));
    directive.name() == "pragma" && HINTS.iter().any(begins)
}

/// Whether a directive is an OpenMP pragma.
pub fn is_openmp(directive: &Directive) -> bool {
    directive.name() == "pragma" && split_word(directive.rest()).0 == "omp"
}

fn unclosed(pragma: &Directive) -> Refusal {
    Refusal::span(
        Code::UnpairedScop,
        pragma.begin,
        pragma.end,
        "`#pragma scop` has no `#pragma endscop`",
        "put `#pragma endscop` after the last loop of the region",
    )
}

fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// Makes the refusal of a clause from its reason.
type Refuse<'r> = &'r dyn Fn(String) -> Refusal;

fn parse_options(text: &str, at: &Directive) -> Result<PragmaOptions, Refusal> {
    let allowed = || format!("allowed are {}", all_forms(&CLAUSES));
    let refuse = |reason: String| Refusal::span(Code::WrongClause, at.begin, at.end, reason, allowed());
    let (mut options, mut seen) = (PragmaOptions::default(), Vec::new());
    let mut rest = text.trim_start().trim_start_matches(',').trim_start();
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        if word.is_empty() {
            return Err(refuse(format!("unexpected `{rest}` in the pragma")));
        }
        // Only what the table has is a clause.
        if clause_named(&CLAUSES, word).is_none() {
            return Err(refuse(format!("unknown option `{word}` in the pragma")));
        }
        let opens = after.starts_with('(');
        if word == "reassociate" && opens {
            return Err(refuse("`reassociate` has no argument: it is about each `reduction`".to_owned()));
        }
        if ONCE.contains(&word) && seen.contains(&word) {
            return Err(refuse(format!("`{word}` stands twice in the pragma")));
        }
        seen.push(word);
        if !opens && take_bare(&mut options, word) {
            rest = after.trim_start_matches(',').trim_start();
            continue;
        }
        let close =
            closing(after).ok_or_else(|| refuse(format!("option `{word}` needs an argument in parentheses")))?;
        let argument = after[1..close].trim();
        if argument.is_empty() {
            return Err(refuse(format!("option `{word}` has an empty argument")));
        }
        take(&mut options, word, argument, &refuse)?;
        rest = after[close + 1..].trim_start().trim_start_matches(',').trim_start();
    }
    consistent(&options, at, &refuse)?;
    Ok(options)
}

/// Clauses of which a pragma has one: the last would win.
const ONCE: [&str; 6] = ["tile", "name", "serial", "buffers", "ahead", "independent"];

/// Takes a clause without an argument, if it may have none.
fn take_bare(options: &mut PragmaOptions, word: &str) -> bool {
    match word {
        "across" => options.model.across = true,
        "independent" => options.independent = Some(vec![]),
        "reassociate" => options.reassociate = true,
        _ => return false,
    }
    true
}

/// Takes a clause with its argument.
fn take(options: &mut PragmaOptions, word: &str, argument: &str, refuse: Refuse) -> Result<(), Refusal> {
    match word {
        "tile" => options.model.tile = if argument == "auto" { vec![] } else { tile(argument, refuse)? },
        "across" if argument == "never" => options.never_across = true,
        "across" => return Err(refuse(format!("`across({argument})`: the argument is `never`, or there is none"))),
        "buffers" => options.model.buffers = steps(word, argument, 1, refuse)?,
        "ahead" => options.model.ahead = Some(steps(word, argument, 0, refuse)?),
        "name" if is_identifier(argument) => options.name = Some(argument.to_owned()),
        "name" => return Err(refuse(format!("`name({argument})`: a name is a C identifier and no keyword"))),
        "serial" if changes(argument) => {
            return Err(refuse(format!("`serial({argument})`: a condition changes nothing")));
        }
        "serial" => options.model.serial = Some(argument.to_owned()),
        "independent" => {
            options.independent = Some(identifiers(word, argument, "a counter's name is a C identifier", refuse)?);
        }
        "keep" => {
            let names = identifiers(word, argument, "an array's name is a C identifier", refuse)?;
            options.model.keep.extend(names);
        }
        "private" => {
            options.private.extend(identifiers(word, argument, "a variable's name is a C identifier", refuse)?);
        }
        "reduction" => options.reductions.extend(reductions(argument, refuse)?),
        "pure" => {
            let rule = "a function's name is a C identifier and no keyword";
            options.pure.extend(identifiers(word, argument, rule, refuse)?);
        }
        _ => return Err(refuse(format!("unknown option `{word}` in the pragma"))),
    }
    Ok(())
}

/// Whether an expression has an assignment, `++` or `--`: without the pragma, nothing would run it.
fn changes(expression: &str) -> bool {
    let text = expression.as_bytes();
    let at = |k: usize| text.get(k).copied().unwrap_or(b' ');
    let before = |k: usize, by: usize| k.checked_sub(by).map_or(b' ', at);
    (0..text.len()).any(|k| match at(k) {
        sign @ (b'+' | b'-') => at(k + 1) == sign,
        b'=' if at(k + 1) == b'=' || before(k, 1) == b'=' => false,
        b'=' => match before(k, 1) {
            b'!' => false,
            sign @ (b'<' | b'>') => before(k, 2) == sign,
            _ => true,
        },
        _ => false,
    })
}

/// The argument of `tile`.
fn tile(argument: &str, refuse: Refuse) -> Result<Vec<String>, Refusal> {
    let wrong = || refuse(format!("`tile({argument})`: a tile size is a positive integer expression"));
    let sizes = tile_sizes(argument).filter(|_| !changes(argument)).ok_or_else(wrong)?;
    let count = sizes.len();
    if count > MAX_TILE_COORDINATES {
        return Err(refuse(format!("`tile` has {count} sizes, and a tile has at most {MAX_TILE_COORDINATES}")));
    }
    Ok(sizes)
}

/// The argument of `buffers` or `ahead`.
fn steps(word: &str, argument: &str, least: u32, refuse: Refuse) -> Result<u32, Refusal> {
    let steps = argument.parse().ok().filter(|steps| (least..=MOST_STEPS).contains(steps));
    steps.ok_or_else(|| refuse(format!("`{word}({argument})`: the number of steps is a whole number from {least}")))
}

/// Names between commas.
fn identifiers(word: &str, argument: &str, rule: &str, refuse: Refuse) -> Result<Vec<String>, Refusal> {
    let names = arguments(argument);
    match names.iter().find(|name| !is_identifier(name)) {
        Some(bad) => Err(refuse(format!("`{word}({bad})`: {rule}"))),
        None => Ok(names),
    }
}

/// The argument of `reduction`.
fn reductions(argument: &str, refuse: Refuse) -> Result<Vec<(Operation, String)>, Refusal> {
    let wrong = || refuse(format!("`reduction({argument})`: an operator (+ * min max & ^ | && ||), `:` and names"));
    let (operation, names) = argument.split_once(':').ok_or_else(wrong)?;
    let operation: Operation = operation.trim().parse().map_err(|_| wrong())?;
    let names = arguments(names);
    if !names.iter().all(|name| is_identifier(name)) {
        return Err(wrong());
    }
    Ok(names.into_iter().map(|name| (operation, name)).collect())
}

/// Whether the clauses fit together.
fn consistent(options: &PragmaOptions, at: &Directive, refuse: Refuse) -> Result<(), Refusal> {
    if let (Some(name), false) = (options.model.keep.first(), options.model.across) {
        return Err(refuse(format!("`keep({name})` is about regions with `across`")));
    }
    if options.model.across && options.never_across {
        return Err(refuse("`across` and `across(never)` contradict each other".to_owned()));
    }
    match window_conflict(&options.model) {
        Some((reason, remedy)) => Err(Refusal::span(Code::WrongClause, at.begin, at.end, reason, remedy)),
        None => Ok(()),
    }
}

/// Why the clauses about steps ahead do not fit together, and what to do.
fn window_conflict(options: &Options) -> Option<(String, &'static str)> {
    let (buffers, ahead) = (options.buffers, options.ahead);
    if (buffers > 0 || ahead.is_some()) && !options.across {
        let reason = "`buffers` and `ahead` are about messages, and the region runs in one process".to_owned();
        return Some((reason, "add `across`, or remove them"));
    }
    let ahead = ahead?;
    if buffers == 0 {
        let reason = format!("`ahead({ahead})` has no `buffers`, of which it is a part");
        return Some((reason, "add `buffers(B)` with B above it"));
    }
    (ahead >= buffers).then(|| {
        let reason = format!("`ahead({ahead})` with `buffers({buffers})`: a message is in one buffer until it is read");
        (reason, "make `ahead` less than `buffers`")
    })
}

fn tile_sizes(argument: &str) -> Option<Vec<String>> {
    let sizes = arguments(argument);
    let good = |s: &String| !s.is_empty() && s.parse::<i64>().map_or(!s.starts_with('-'), |v| v > 0);
    // A size of 0 in the generated code makes the run-time choose.
    let written = |s: String| if s == "auto" { "0".to_owned() } else { s };
    sizes.iter().all(good).then(|| sizes.into_iter().map(written).collect())
}

/// Index of the `)` that closes the `(` at the beginning of `text`; those in strings and characters count for nothing.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0, None, false);
    for (k, c) in text.char_indices() {
        if let Some(end) = quote {
            if c == end && !escaped {
                quote = None;
            }
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' | '\'' if depth > 0 => quote = Some(c),
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(k);
        }
    }
    None
}

/// Splits the text at commas outside parentheses.
fn arguments(text: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.into_iter().map(|p| p.trim().to_owned()).collect()
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !is_keyword(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Vec<Result<Site, Refusal>> {
        let source = Source::new(Path::new("t.c"), text.as_bytes().to_vec());
        sites(&source, marks(&source))
    }

    #[test]
    fn options_are_read() {
        let found = parse("#pragma dvm region tile(32, T*2) \\\n name(x), serial(n < 8 && (m)) pure(f, g)\nfor(;;);");
        let site = found[0].as_ref().unwrap();
        assert_eq!(site.options.model.tile, ["32", "T*2"]);
        assert_eq!(site.options.model.serial.as_deref(), Some("n < 8 && (m)"));
        assert_eq!(site.options.name.as_deref(), Some("x"));
        assert_eq!(site.options.pure, ["f", "g"]);
        let quoted = parse(r#"#pragma dvm region serial(f(s, ")\")") == '(') name(y)"#);
        let quoted = &quoted[0].as_ref().unwrap().options;
        assert_eq!(
            (quoted.model.serial.as_deref(), quoted.name.as_deref()),
            (Some(r#"f(s, ")\")") == '('"#), Some("y"))
        );
        let window = parse("#pragma dvm region ahead(0), across buffers(1)\nfor(;;);");
        let window = &window[0].as_ref().unwrap().options.model;
        assert_eq!((window.buffers, window.ahead), (1, Some(0)));
        let mixed = parse("#pragma dvm region tile(auto, 4)\nfor(;;);");
        assert_eq!(mixed[0].as_ref().unwrap().options.model.tile, ["0", "4"]);
        assert_eq!(
            site.begin,
            found_at("#pragma dvm region tile(32, T*2) \\\n name(x), serial(n < 8 && (m)) pure(f, g)\n")
        );
    }

    fn found_at(prefix: &str) -> usize {
        prefix.len()
    }

    #[test]
    fn each_form_of_the_table_is_a_clause() {
        for form in CLAUSES.iter().flat_map(|clause| clause.forms) {
            let before = match form.split('(').next() {
                Some("keep" | "buffers") => "across",
                Some("ahead") => "across buffers(2)",
                _ => "",
            };
            let found = parse(&format!("#pragma dvm region {before} {form}\nfor(;;);"));
            let options = &found[0].as_ref().unwrap_or_else(|why| panic!("{form}: {}", why.reason)).options;
            let without = parse(&format!("#pragma dvm region {before}\nfor(;;);"));
            let same = *options == without[0].as_ref().unwrap().options;
            assert_eq!(same, *form == "tile(auto)", "{form} says something, and `tile(auto)` what no clause says");
        }
    }

    #[test]
    fn wrong_pragmas_say_what_is_allowed() {
        for (text, part) in [
            ("#pragma dvm region tiles(3)\n", "unknown option `tiles`"),
            ("#pragma dvm region tile\n", "needs an argument"),
            ("#pragma dvm region across(2)\n", "the argument is `never`"),
            ("#pragma dvm region across, across(never)\n", "contradict"),
            ("#pragma dvm region tile(0)\n", "positive"),
            ("#pragma dvm region tile()\n", "empty"),
            ("#pragma dvm region name(3x)\n", "identifier"),
            ("#pragma dvm region name(for)\n", "identifier"),
            ("#pragma dvm region pure(f, 1x)\n", "identifier"),
            ("#pragma dvm region pure(sizeof)\n", "identifier"),
            ("#pragma dvm region private(x, 1)\n", "identifier"),
            ("#pragma dvm region reduction(x)\n", "an operator"),
            ("#pragma dvm region reduction(-:x)\n", "an operator"),
            ("#pragma dvm region reduction(+:x[1])\n", "an operator"),
            ("#pragma dvm region reassociate(x)\n", "no argument"),
            ("#pragma dvm region independent(i, 2)\n", "identifier"),
            ("#pragma dvm region across buffers(0)\n", "a whole number from 1"),
            ("#pragma dvm region across buffers(n)\n", "a whole number from 1"),
            ("#pragma dvm region across ahead(-1)\n", "a whole number from 0"),
            ("#pragma dvm region buffers(2)\n", "runs in one process"),
            ("#pragma dvm region across ahead(1)\n", "has no `buffers`"),
            ("#pragma dvm region across buffers(2) ahead(2)\n", "in one buffer"),
            ("#pragma dvm region serial(a) tile(3) serial(b)\n", "`serial` stands twice"),
            ("#pragma dvm region name(a) name(a)\n", "`name` stands twice"),
            ("#pragma dvm region independent, independent(i)\n", "`independent` stands twice"),
            ("#pragma dvm region across buffers(3) buffers(2)\n", "`buffers` stands twice"),
            ("#pragma dvm region serial((n = 3))\n", "changes nothing"),
            ("#pragma dvm region serial(a[0]++ > 1)\n", "changes nothing"),
            ("#pragma dvm region serial(n <<= 1)\n", "changes nothing"),
            ("#pragma dvm region tile(n--)\n", "positive"),
            ("#pragma dvm region tile(4, n += 2)\n", "positive"),
            ("#pragma dvm\n", "`#pragma dvm` is not known"),
            ("#pragma dvm regoin\n", "not known"),
            ("#pragma endscop\n", "no `#pragma scop`"),
            ("#pragma scop\n", "no `#pragma endscop`"),
        ] {
            let error = parse(text)[0].clone().unwrap_err();
            assert!(error.reason.contains(part), "{text}: {}", error.reason);
        }
    }

    #[test]
    fn conditions_compare() {
        for condition in ["n == 1", "n <= 1 || m >= 2", "n != 3", "n << 2 < m", "n - -1 > 0", "!(n >> 1)"] {
            let found = parse(&format!("#pragma dvm region serial({condition}) pure(f) pure(g)\nfor(;;);"));
            let options = &found[0].as_ref().expect(condition).options;
            assert_eq!(options.model.serial.as_deref(), Some(condition));
            assert_eq!(options.pure, ["f", "g"]);
        }
    }

    #[test]
    fn comments_and_other_pragmas_are_left_alone() {
        assert_eq!(parse("// #pragma dvm region\n/*\n#pragma scop\n*/\n#pragma omp parallel\n"), []);
    }
}
