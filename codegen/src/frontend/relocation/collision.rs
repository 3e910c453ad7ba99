//! Checks the program's macros and functions against the words that the generated text uses: C's keywords, the names
//! and types of the region's variables, and the few called functions. All other names in it begin with `dvm__`.

use crate::Refusal;
use crate::c_tokens::{identifiers, is_keyword};
use crate::frontend::clang::ast::{Node, Unit};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::text::preprocess::Seen;
use crate::model::{Entry, Region};
use crate::planted::planted;
use crate::refusal::Code;
use crate::source::{Directive, Source};
use std::collections::BTreeSet;

/// Keywords of C in the generated text, besides those in the model's types.
const WORDS: [&str; 15] = [
    "char", "const", "else", "enum", "extern", "for", "if", "int", "restrict", "return", "sizeof", "static", "struct",
    "typedef", "void",
];
/// Keywords that a macro may remove or respell: the text means the same without them.
const OPTIONAL: [&str; 3] = ["const", "inline", "restrict"];
/// Functions that the generated text calls: a function of the same name in the file would be called instead.
const CALLED: [&str; 17] = [
    "abort",
    "clock_gettime",
    "dvm_graph_start",
    "dvm_last_error",
    "dvm_region_enter",
    "dvm_region_leave",
    "dvm_region_run",
    "dvm_region_sizes",
    "dvm_region_waits",
    "environ",
    "fprintf",
    "free",
    "getenv",
    "malloc",
    "memcmp",
    "memcpy",
    "stderr",
];

/// Refuses a region whose generated text would mean something else in its file.
pub fn check(
    region: &Region,
    unit: &Unit,
    seen: &Seen,
    source: &Source,
    (function_begin, pragma): (usize, &Directive),
) -> Result<(), Refusal> {
    let refuse =
        |code: Code, reason: String, remedy: &str| Err(Refusal::span(code, pragma.begin, pragma.end, reason, remedy));
    if region.c90 && seen.macros.contains_key("__STRICT_ANSI__") && source.bytes.windows(3).any(|w| w == b"//*") {
        return refuse(
            Code::Spelling,
            "the file contains `//*`, which begins a comment in C99 and is a division in C90".into(),
            "put a blank between the slashes, or compile it with -std=gnu90 or later",
        );
    }
    if let Some((name, what)) = hidden_word(region, seen) {
        let reason = format!("the macro `{name}` has the name of {what} that the generated code must write");
        return refuse(
            Code::GeneratedName,
            reason,
            "rename the macro, or put `#undef` before the function and define it again after it",
        );
    }
    let first = source.position(function_begin).0;
    if let Some((_, name)) = seen.included.iter().find(|(line, _)| *line >= first) {
        let reason = format!("a file that is included inside the function defines the macro `{name}`");
        return refuse(Code::GeneratedName, reason, "include the file before the function");
    }
    let own = unit.root.inner.iter().find(|n| {
        let defined =
            n.body().is_some() || n.storage == "static" || (n.is(&SyntaxKind::VarDecl) && n.storage != "extern");
        defined && CALLED.contains(&n.name.as_str()) && !is_library_wrapper(n)
    });
    if let Some(own) = own {
        let reason =
            format!("the file defines `{}`, which the generated code would call instead of the library's", own.name);
        return refuse(Code::GeneratedName, reason, "rename the program's own");
    }
    Ok(())
}

/// Whether a system header gives a library function a body for inlining only, as with `-D_FORTIFY_SOURCE`: what such a call
/// does is what the library's function does.
fn is_library_wrapper(function: &Node) -> bool {
    let has = |kind: &SyntaxKind| function.inner.iter().any(|attribute| attribute.is(kind));
    function.system && function.inlined && function.storage == "extern" && has(&SyntaxKind::GNUInlineAttr)
}

/// A macro that changes a word of the generated text, and the kind of that word.
fn hidden_word<'a>(region: &'a Region, seen: &'a Seen) -> Option<(String, &'static str)> {
    let mut types: BTreeSet<String> = WORDS.iter().map(|w| (*w).to_owned()).collect();
    let mut names = BTreeSet::new();
    // These texts are of the syntax tree, where a member's name is what a macro of that name left.
    let with_members = |text: &str| {
        let apart = if planted("a18-members") { text.to_owned() } else { text.replace("->", " ").replace('.', " ") };
        identifiers(&apart)
    };
    for parameter in &region.parameters {
        types.extend(identifiers(&parameter.ctype));
        names.extend(with_members(parameter.expression.as_ref().unwrap_or(&parameter.name)));
    }
    for value in &region.values {
        types.extend(identifiers(&value.ctype));
        names.insert(value.name.clone());
    }
    for array in &region.arrays {
        types.extend(identifiers(&array.element));
        names.insert(array.name.clone());
        names.extend(array.dims.iter().flatten().flat_map(|length| identifiers(length)));
    }
    for entry in &region.entry {
        match entry {
            Entry::Condition(text) => names.extend(with_members(text)),
            Entry::Read { ctype, guard, expression, .. } => {
                types.extend(identifiers(ctype));
                names.extend(with_members(guard).into_iter().chain(with_members(expression)));
            }
        }
    }
    names.extend(region.kept.iter().flat_map(|kept| with_members(&kept.object)));
    for iterator in region.statements.iter().flat_map(|s| &s.iterators) {
        types.extend(identifiers(&iterator.ctype));
        names.insert(iterator.name.clone());
    }
    let object = |body: &str| !body.starts_with('(');
    let harmless = |name: &str, body: &str| {
        let body = body.trim();
        body == name
            || (name == "bool" && body == "_Bool")
            || (OPTIONAL.contains(&name) && (body.is_empty() || body.starts_with("__")))
    };
    let changed = |name: &str| seen.macros.get(name).filter(|body| !harmless(name, body));
    if let Some(name) = types.iter().find(|name| changed(name).is_some()) {
        return Some((name.clone(), if is_keyword(name) { "a word of C" } else { "a type" }));
    }
    // The text never has a variable's name before a parenthesis, and only there a macro with parameters acts.
    if let Some(name) = names.iter().find(|name| changed(name).is_some_and(|body| object(body))) {
        return Some((name.clone(), "a variable"));
    }
    let ours = |name: &&String| name.starts_with("dvm__") || name.starts_with("DVM__");
    seen.macros.keys().filter(ours).min().map(|name| (name.clone(), "a helper"))
}
