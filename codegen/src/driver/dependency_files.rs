//! Makes dependency files from the original sources, so that they name the files that the user edits.

use super::compiler::Compiler;
use super::compiler_query;
use super::installation::Installation;
use super::invocation::{Invocation, Part};
use std::ffi::OsString;

/// Makes the dependency files that a command requests in addition to its output; returns the compiler's exit code.
///
/// With `-fsyntax-only`, the compiler names files and targets as in a compilation.
pub fn write(compiler: &Compiler, invocation: &Invocation, install: &Installation) -> Result<i32, String> {
    let given = invocation.dependencies();
    if !given.iter().any(|w| matches!(*w, "-MD" | "-MMD") || w.starts_with("-Wp,")) {
        return Ok(0);
    }
    // The compilation itself prints the warnings.
    let mut words: Vec<OsString> = vec!["-w".into(), "-fsyntax-only".into()];
    words.extend(invocation.reading_flags().iter().map(OsString::from));
    words.extend(compiler_query::query_flags(invocation).iter().filter(|w| !repeats_messages(w)).map(OsString::from));
    words.extend(install.include.iter().flat_map(|i| ["-I".into(), i.into()]));
    for part in &invocation.parts {
        match part {
            Part::Option(one) if names_outputs(&one[0]) => words.extend(one.iter().map(OsString::from)),
            Part::Dependency(one) => words.extend(one.iter().map(OsString::from)),
            _ => {}
        }
    }
    words.extend(["-x".into(), "c".into()]);
    words.extend(invocation.sources().map(OsString::from));
    compiler.execute_quietly(&words)
}

/// Options that determine the names of outputs.
fn names_outputs(option: &str) -> bool {
    matches!(option, "-c" | "-S" | "-E") || ["-o", "-dumpbase", "-dumpdir"].iter().any(|o| option.starts_with(o))
}

/// Whether an option would repeat the compilation's own messages.
fn repeats_messages(option: &str) -> bool {
    matches!(option, "-H" | "-Q" | "-time" | "-ftime-report" | "-fmem-report")
}
