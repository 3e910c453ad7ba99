//! Looks at the words of a region's statements: only those listed here, and names of variables, may stand there. What
//! flang folds or inlines before it prints, such as constant functions and statement functions, shows only here.

use super::construct_names::loop_end;
use super::intrinsic_names;
use super::numeric_functions::is_evaluated_for_vectors;
use super::refused::FortranRefusal;
use super::statements::FortranStatement;
use std::collections::BTreeSet;

const KEYWORDS: [&str; 19] = [
    "do",
    "end",
    "enddo",
    "if",
    "then",
    "else",
    "elseif",
    "endif",
    "continue",
    "where",
    "elsewhere",
    "endwhere",
    // Flang makes a condition of it, or jumps.
    "cycle",
    "exit",
    "select",
    "selectcase",
    "case",
    "default",
    "endselect",
];
const TRUTHS: [&str; 2] = ["true", "false"];
const OPERATORS: [&str; 11] = ["eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "eqv", "neqv"];
const INTRINSICS: [&str; 64] = [
    "sqrt", "dsqrt", "abs", "dabs", "iabs", "idint", "ifix", "sngl", "floor", "ceiling", "nint", "idnint", "aint",
    "dint", "anint", "dnint", "dprod", "real", "dble", "float", "int", "mod", "min", "max", "min0", "max0", "amin1",
    "amax1", "dmin1", "dmax1", "sign", "dsign", "lbound", "ubound", "size", "cmplx", "dcmplx", "conjg", "dconjg",
    "aimag", "dimag", "merge", "dim", "idim", "ddim", "modulo", "iand", "ior", "ieor", "not", "ishft", "ibset",
    "ibclr", "btest", "ibits", "ishftc", "popcnt", "shiftl", "shiftr", "shifta", "amod", "dmod", "cabs", "cdabs",
];

/// Functions that the text around the call uses.
pub const OF_THE_CALL: [&str; 8] = ["lbound", "ubound", "size", "min", "int", "merge", "allocated", "associated"];

/// The function that asks how logical values are stored.
pub const OF_LOGICAL: &str = "transfer";

/// Words that begin what is refused: the word, what it is, and what to do.
const REFUSED: [(&str, &str, &str); 27] = [
    (
        "call",
        "a call of a subroutine whose text is not in this file",
        "have the subroutine in this file, write its statements into the loop, or end the region before it",
    ),
    ("goto", "a `goto`", "write the condition as `if (...) then`"),
    ("go", "a `goto`", "write the condition as `if (...) then`"),
    ("return", "a `return`", "leave the procedure after the region"),
    ("stop", "a `stop`", "test for the error after the region"),
    ("error", "an `error stop`", "test for the error after the region"),
    ("print", "input or output", "print after the region"),
    ("write", "input or output", "write after the region"),
    ("read", "input or output", "read before the region"),
    ("open", "input or output", "open the file before the region"),
    ("close", "input or output", "close the file after the region"),
    ("rewind", "input or output", "do it before or after the region"),
    ("backspace", "input or output", "do it before or after the region"),
    ("inquire", "input or output", "inquire before the region"),
    ("flush", "input or output", "flush after the region"),
    ("allocate", "an allocation", "allocate before the region"),
    ("deallocate", "an allocation", "deallocate after the region"),
    ("forall", "a `forall`", "write it as `do` loops"),
    ("while", "a `do while`: the number of iterations depends on data", "keep this loop out of the region"),
    ("concurrent", "a `do concurrent`", "write it as `do` loops"),
    ("block", "a `block`", "declare its variables in the procedure"),
    ("associate", "an `associate`", "put it around the region, or write what the names stand for"),
    ("nullify", "a pointer", "use an array that is not a pointer"),
    ("sum", "the function `sum` of arrays", "write it as a loop"),
    ("matmul", "the function `matmul` of arrays", "write it as loops"),
    ("dot_product", "the function `dot_product` of arrays", "write it as a loop"),
    ("include", "an included file", "write its statements here"),
];

/// Those of `REFUSED` whose lists have asterisks and characters of their own.
const WITH_LISTS: [&str; 13] = [
    "return",
    "stop",
    "error",
    "print",
    "write",
    "read",
    "open",
    "close",
    "rewind",
    "backspace",
    "inquire",
    "flush",
    "allocate",
];

/// The text outside of parentheses; what stands in them becomes `()`.
fn outside(text: &str) -> String {
    let mut depth = 0_i32;
    let mut bare = String::new();
    for c in text.chars() {
        depth -= i32::from(c == ')');
        if depth == 0 {
            bare.push(c);
        }
        depth += i32::from(c == '(');
    }
    bare
}

/// Whether a statement assigns to something: a name with parts and subscripts, and a single `=`.
pub fn is_assignment(text: &str) -> bool {
    let bare = outside(text);
    let Some((to, value)) = bare.split_once('=') else { return false };
    let to = to.replace(' ', "");
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = to.starts_with(|c: char| c.is_ascii_alphabetic()) && to.chars().all(|c| name(c) || "%()".contains(c));
    // A name behind a parenthesis: `if (...) a = b` and `where (...) a = b`.
    is_name && !to.split(')').skip(1).any(|rest| rest.starts_with(name)) && !value.starts_with(['=', '>'])
}

/// Whether a statement is an assignment or a call, or one of them behind a condition.
pub fn is_action(text: &str) -> bool {
    let bare = outside(text);
    let behind = bare.strip_prefix("if").and_then(|rest| rest.trim_start().strip_prefix("()"));
    let action = behind.map_or(text, str::trim_start);
    is_assignment(action) || action.starts_with("call ")
}

/// What a statement behind its condition is, if it is one of `WITH_LISTS`: what stands in its list is not looked at.
fn action_with_lists(
    text: &str,
    names: &BTreeSet<String>,
) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let bare = outside(text);
    let is_conditional = bare.strip_prefix("if").is_some_and(|rest| rest.trim_start().starts_with("()"));
    let action = if is_conditional { bare.split_once("()")?.1.trim_start() } else { &bare };
    let word = &action[..length_of_name(action)];
    let is_meant = WITH_LISTS.contains(&word) && !names.contains(word) && !is_assignment(action);
    REFUSED.iter().find(|(known, ..)| is_meant && *known == word)
}

fn length_of_name(text: &str) -> usize {
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
}

/// Whether a `where` with a mask only: it goes on until `end where`.
pub fn is_where_construct(text: &str) -> bool {
    text.starts_with("where") && outside(text).replace(' ', "") == "where()"
}

/// Whether a statement declares: a `::` outside of parentheses, or a word that begins a declaration, and no assignment.
pub fn is_declaration(text: &str) -> bool {
    const BEGINS: [&str; 17] = [
        "common",
        "save",
        "integer",
        "real",
        "double",
        "logical",
        "character",
        "complex",
        "implicit",
        "use",
        "import",
        "parameter",
        "intent",
        "dimension",
        "type",
        "external",
        "intrinsic",
    ];
    let bare = outside(text);
    let begins = BEGINS.iter().any(|word| {
        text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    });
    bare.contains("::") || begins && !bare.contains('=')
}

/// Refuses a statement with a word that is neither listed nor in `names`; gathers the names it has. `may_be_own` tells whether a name
/// of an intrinsic function may mean one of the program.
pub fn check(
    statement: &FortranStatement,
    names: &BTreeSet<String>,
    may_be_own: &dyn Fn(&str) -> bool,
    used: &mut BTreeSet<String>,
) -> Result<(), FortranRefusal> {
    let refuse = |reason: &str, remedy: &str| Err(FortranRefusal::new(statement.first, reason, remedy));
    let text = statement.text.as_str();
    if text.starts_with('#') {
        return refuse("a line of the preprocessor", "put it outside of the region");
    }
    if let Some((_, reason, remedy)) = action_with_lists(text, names) {
        return refuse(reason, remedy);
    }
    if text.contains(['\'', '"']) {
        return refuse("characters", "keep statements about characters out of the region");
    }
    if text.contains('[') || text.contains("(/") {
        return refuse("a constructor of an array", "write loops over single elements");
    }
    if outside(text).contains("=>") {
        return refuse("a pointer is associated", "associate it before the region");
    }
    if has_name(text) {
        return refuse("a construct with a name", "write it without the name");
    }
    let bare: String = text.chars().filter(|c| *c != ' ').collect();
    let is_call_statement = text.starts_with("call ") || text.starts_with("if") && text.contains(" call ");
    let leaves = is_call_statement && bare.match_indices('*').any(|(at, _)| bare[..at].ends_with(['(', ',']));
    if leaves {
        return refuse("an alternate return", "pass a variable for the error, and test it after the region");
    }
    let text = match jump(text) {
        Some((condition, target)) if is_number(target) => condition,
        Some(_) => return refuse("a computed `goto`", "write it as `select case`"),
        None => text,
    };
    if is_arithmetic(text) {
        let remedy = "write it as `if (...) then`";
        return refuse("an arithmetic `if`, of which compilers take different branches for a NaN", remedy);
    }
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (length, is_word) = length(rest);
        let (token, after) = rest.split_at(length);
        let before = &text[..text.len() - rest.len()];
        let is_bare = is_word && !names.contains(token);
        if is_word && (is_call(token, before, after, names) || is_keyword(before, after, is_call_statement)) {
            // Flang's text tells what is called, and which argument is meant.
        } else if is_bare && (names_argument(token, before, after) || is_concurrent(token, before)) {
            // Flang's text has the bound, or a loop for each counter.
        } else if is_bare && ["cycle", "exit"].contains(&token) && !after.trim().is_empty() {
            let article = if token == "exit" { "an" } else { "a" };
            let reason = format!("{article} `{token}` with a name that is not the one of a loop around");
            return refuse(&reason, "write the condition as `if (...) then`");
        } else if is_word && before.trim_end().ends_with('%') {
            // A component: flang's text tells which. It is no name of a variable, but may be that of a macro.
            used.insert(format!("%{token}"));
        } else if is_word && !names.contains(token) {
            let dotted = before.ends_with('.') && after.starts_with('.');
            let intrinsic = INTRINSICS.contains(&token) && after.trim_start().starts_with('(');
            if !(KEYWORDS.contains(&token)
                || intrinsic
                || dotted && (OPERATORS.contains(&token) || TRUTHS.contains(&token)))
            {
                if dotted {
                    let remedy = "write it by comparisons, `.and.`, `.or.` and `.not.`";
                    return refuse(&format!("`.{token}.` is not taken"), remedy);
                }
                return unknown(statement, token, after, may_be_own);
            }
        } else if is_word {
            used.insert(token.to_owned());
        } else if !c.is_ascii() {
            return refuse("a character beyond ASCII", "write it in ASCII");
        }
        rest = after;
    }
    Ok(())
}

/// The condition of a `goto`, if it has one, with its parentheses, and where the `goto` leads.
fn jump(text: &str) -> Option<(&str, &str)> {
    let bare = outside(text);
    let behind = bare.strip_prefix("if").and_then(|rest| rest.trim_start().strip_prefix("()"));
    let action = behind.unwrap_or(&bare).trim_start();
    let is_target = |rest: &str| rest.starts_with([' ', '(']) || rest.starts_with(|c: char| c.is_ascii_digit());
    let word = ["goto", "go to"].into_iter().find(|word| action.strip_prefix(word).is_some_and(is_target))?;
    let at = if behind.is_some() { text.rfind(word)? } else { 0 };
    // A computed `goto` has other parentheses.
    Some((&text[..at], text[at + word.len()..].trim()))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a statement is an `if` with three labels.
fn is_arithmetic(text: &str) -> bool {
    let bare = outside(text).replace(' ', "");
    let labels = bare.strip_prefix("if()").map(|rest| rest.split(',').filter(|label| is_number(label)).count());
    labels == Some(3)
}

/// Whether a statement jumps to a label.
pub fn is_jump(text: &str) -> bool {
    jump(text).is_some()
}

/// Whether a word is the `call` of a procedure among `names`.
fn is_call(token: &str, before: &str, after: &str, names: &BTreeSet<String>) -> bool {
    let begins = before.is_empty() || before.starts_with("if") && before.trim_end().ends_with(')');
    let called = after.trim_start();
    token == "call"
        && begins
        && after.starts_with(' ')
        && !called.is_empty()
        && names.contains(&called[..length(called).0])
}

/// Whether a word in parentheses names an argument, as in `call f(x=1)`.
fn is_keyword(before: &str, after: &str, is_call_statement: bool) -> bool {
    let after = after.trim_start();
    is_call_statement && before.trim_end().ends_with(['(', ',']) && after.starts_with('=') && !after.starts_with("==")
}

/// Whether a word names an argument of `size`, `lbound`, `ubound` or `ishftc`.
fn names_argument(token: &str, before: &str, after: &str) -> bool {
    ["dim", "kind", "size"].contains(&token) && before.trim_end().ends_with(',') && is_keyword(before, after, true)
}

fn is_concurrent(token: &str, before: &str) -> bool {
    token == "concurrent" && before.trim_end() == "do"
}

/// Whether a colon stands outside of parentheses.
fn has_name(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ':' && depth == 0
    })
}

fn unknown(
    statement: &FortranStatement,
    token: &str,
    after: &str,
    may_be_own: &dyn Fn(&str) -> bool,
) -> Result<(), FortranRefusal> {
    if let Some((_, reason, remedy)) = REFUSED.iter().find(|(word, ..)| *word == token) {
        return Err(FortranRefusal::new(statement.first, reason, remedy));
    }
    if is_evaluated_for_vectors(token) && after.trim_start().starts_with('(') {
        let reason = format!("the function `{token}`: compilers evaluate it differently for vectors");
        let remedy =
            format!("write `pure({token})` in the mark, if its last bits may differ; or compute it before the region");
        return Err(FortranRefusal::new(statement.first, &reason, &remedy));
    }
    let (reason, remedy) = if !after.trim_start().starts_with('(') {
        (
            format!("`{token}` is not a variable or constant of this file"),
            "copy it to a local variable before the region",
        )
    } else if intrinsic_names::is_intrinsic(token) && !may_be_own(token) {
        intrinsic_names::not_taken(token)
    } else {
        (
            format!("`{token}(...)` is neither an array nor a function of this file, nor a function that is taken"),
            "compute it before the region; or write `pure(f)` in the mark for a function that only computes a value",
        )
    };
    Err(FortranRefusal::new(statement.first, &reason, remedy))
}

/// Whether a name is that of an intrinsic function that needs no clause.
pub fn is_taken(name: &str) -> bool {
    INTRINSICS.contains(&name)
}

/// Whether a name is that of a function that is taken.
pub fn is_function(name: &str) -> bool {
    INTRINSICS.contains(&name) || is_evaluated_for_vectors(name)
}

/// The tokens of a statement, without blanks.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        // `.5d0`
        let point = usize::from(rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_ascii_digit()));
        let (token, after) = rest.split_at(point + length(&rest[point..]).0);
        all.push(token);
        rest = after.trim_start();
    }
    all
}

/// Bytes of the first token, and whether it is a name; a number is one token with its exponent and kind.
fn length(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    let run = |from: usize, keep: &dyn Fn(u8) -> bool| from + bytes[from..].iter().take_while(|b| keep(**b)).count();
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    let digit = |b: u8| b.is_ascii_digit();
    if bytes[0].is_ascii_alphabetic() || bytes[0] == b'_' {
        return (run(0, &word), true);
    }
    if !digit(bytes[0]) {
        return (text.chars().next().map_or(1, char::len_utf8), false);
    }
    let mut end = run(0, &digit);
    // `1.eq.n`: the point belongs to the operator.
    let operator = |at: usize| OPERATORS.iter().any(|o| text[at..].starts_with(&format!(".{o}.")));
    if bytes.get(end) == Some(&b'.') && !operator(end) {
        end = run(end + 1, &digit);
    }
    if matches!(bytes.get(end), Some(b'e' | b'd')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = run(end + 1 + sign, &digit);
        }
    }
    if bytes.get(end) == Some(&b'_') {
        end = run(end, &word);
    }
    (end, false)
}

/// How many loops a statement begins: a `do concurrent` one for each of its counters.
pub fn loops_begun(text: &str) -> usize {
    let Some(head) = text.strip_prefix("do ").and_then(|rest| rest.trim_start().strip_prefix("concurrent")) else {
        return usize::from(is_loop(text));
    };
    let (mut depth, mut counters, mut part) = (0_i32, 0, String::new());
    for c in head.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 || depth == 1 && c == ',' {
            counters += usize::from(has_range(&part));
            part.clear();
            if depth == 0 && c == ')' {
                break;
            }
        } else if depth > 1 || c != '(' {
            part.push(c);
        }
    }
    counters
}

/// Whether a statement is a `cycle` or an `exit`, or one behind `if (...)`.
pub fn leaves(text: &str, word: &str) -> bool {
    text == word || text.starts_with("if") && outside(text).replace(' ', "").strip_prefix("if()") == Some(word)
}

/// Whether a part of the head of a `do concurrent` is a counter with its range, and no mask.
fn has_range(part: &str) -> bool {
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    part.split_once('=').is_some_and(|(name, range)| is_name(name.trim()) && outside(range).contains(':'))
}

/// Whether a statement begins a loop.
pub fn is_loop(text: &str) -> bool {
    loop_end(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Option<String> {
        let statement = FortranStatement { first: 1, last: 1, label: None, text: text.to_owned() };
        let names = ["a", "i", "n"].map(str::to_owned).into();
        check(&statement, &names, &|name| name == "gamma", &mut BTreeSet::new()).err().map(|r| r.reason)
    }

    #[test]
    fn statements_are_told_apart() {
        for text in ["a = b", "a(i, j+1:) = (/1/)", "p%x(3)%y = 2", "s % x = 1"] {
            assert!(is_assignment(text), "{text}");
        }
        for text in ["if (a == b) c = d", "if(x) c = d", "p => q", "a == b", "call f(a=1)", "where (a) b = 1", "10 = a"]
        {
            assert!(!is_assignment(text), "{text}");
        }
        for text in ["a = b", "if (a == b) c = d", "if(x(1)) call f", "call f(a=1)"] {
            assert!(is_action(text), "{text}");
        }
        for text in ["goto 5", "if (x) goto 5", "if (x) 1, 2, 3", "read (*,*) a", "if (a) then", "stop", "callf(a)"] {
            assert!(!is_action(text), "{text}");
        }
        assert!(is_where_construct("where (a(:) > (b + 1))") && is_where_construct("where(a)"));
        assert!(!is_where_construct("where (a) b = 1") && !is_where_construct("wherever (a)"));
        assert!(is_declaration("real(8) :: x = 1") && is_declaration("real x") && is_declaration("implicit none"));
        assert!(is_declaration("common /c/ x") && is_declaration("save") && !is_declaration("save(3) = 2"));
        assert!(!is_declaration("real = 2") && !is_declaration("a(1::2) = 3") && !is_declaration("realm(2)"));
    }

    #[test]
    fn only_listed_words_and_names_pass() {
        assert_eq!(refused("a(i) = sqrt(a(i)) + 1.5e-3_dp*2.d0 + 1._8"), None);
        assert_eq!(refused("if (1.eq.n .and. .not. i<3) then"), None);
        assert!(refused("a(i) = f(i)").unwrap().contains("`f(...)`"));
        assert!(refused("a(i) = erfc(a(i))").unwrap().contains("the intrinsic function `erfc` is not taken"));
        assert!(refused("a(i) = gamma(a(i))").unwrap().contains("`gamma(...)` is neither"));
        assert!(refused("a(i) = sin(a(i))").unwrap().contains("the function `sin`"));
        assert!(refused("a(i) = sqrt").unwrap().contains("`sqrt` is not a variable"));
        assert!(refused("a(i) = b").unwrap().contains("`b` is not"));
        assert!(refused("a => n").unwrap().contains("a pointer is associated"));
        assert_eq!(refused("if (i < n .eqv. n < 3 .neqv. i>2) a = n"), None);
        assert!(refused("if (i < n .own. n < 3) a = n").unwrap().contains("`.own.`"));
        assert_eq!(refused("a(1:2) = a(n:)"), None);
        assert!(refused("a: do i = 1, n").unwrap().contains("name"));
        assert!(refused("a(1:2) = [1, 2]").unwrap().contains("constructor"));
        assert_eq!(refused("a % b(i) = a%c + i"), None);
        assert!(refused("a(i) = b%a").unwrap().contains("`b` is not"));
        assert!(refused("call n(a(i), *10)").unwrap().contains("alternate return"));
        for text in ["write (7,*) a(i)", "if (i > 2) print *, i", "print '(a,*)', 'x'", "read(n, *) a(i)", "flush (n)"]
        {
            assert_eq!(refused(text).as_deref(), Some("input or output"), "{text}");
        }
        assert_eq!(refused("if (i > 2) stop 'i, *'").as_deref(), Some("a `stop`"));
        assert_eq!(refused("if (i > n) error stop 'x'").as_deref(), Some("an `error stop`"));
        assert_eq!(refused("if (i > 2) call n(a(i), n=i, i=2)"), None);
        assert!(refused("call b(a(i))").unwrap().contains("a call of a subroutine"));
        assert!(refused("a(i) = call").unwrap().contains("a call of a subroutine"));
        for text in ["goto 10", "if (i > 2) go to 10", "if(a(i) == n)goto 7"] {
            assert_eq!(refused(text), None, "{text}");
        }
        for text in ["goto (10, 20), i", "if (i > 2) go to (10, 20) i", "goto a", "if (goto > 2) goto 10"] {
            assert!(refused(text).is_some(), "{text}");
        }
        assert!(refused("if (b) goto 10").unwrap().contains("`b` is not"));
        assert!(refused("if (a(i)) 10, 20, 30").unwrap().contains("arithmetic"));
        assert_eq!(refused("if (a(i) < 0) cycle"), None);
        assert_eq!(refused("a(i) = size(a, dim=1) + ubound(a, 1, kind=8)"), None);
        assert!(refused("a(i) = dim").unwrap().contains("`dim` is not"));
        assert!(
            refused("if (i > 2) cycle outer").unwrap().contains("a `cycle` with a name that is not the one of a loop")
        );
        assert!(refused("exit outer").unwrap().contains("an `exit` with a name that is not the one of a loop"));
        assert!(leaves("exit", "exit") && leaves("if(a(1) > 2) exit", "exit"));
        assert!(!leaves("if (a) exit", "cycle") && !leaves("exit = 2", "exit"));
        assert_eq!(refused("do concurrent (i = 1:n)"), None);
        assert!(refused("if (concurrent) a(i) = 1").unwrap().contains("do concurrent"));
    }

    #[test]
    fn loops_are_counted() {
        for (text, count) in [
            ("do i = 1, n", 1),
            ("do concurrent (i = 1:n)", 1),
            ("do concurrent (i = 1:n, j=min(1,n):a(1:2):3)", 2),
            ("do concurrent(i=1:n,j=1:n,i==j)", 2),
            ("do concurrent (i=1:n, a(i:j) == b)", 1),
            ("a = 1", 0),
        ] {
            assert_eq!(loops_begun(text), count, "{text}");
        }
    }
}
