//! Command lines with words that are not UTF-8, such as the name of a file from an older system.
//!
//! Generated code names its source in `#line`, and clang's answer names it in JSON: both need UTF-8. So the compiler
//! gets such a command unchanged, and regions stay sequential.

use super::compiler::Compiler;
use super::installation::Installation;
use super::invocation::Invocation;
use super::{dvmcc, output_file};
use crate::frontend::marks;
use crate::source::Source;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Whether some word is not UTF-8.
pub fn any(words: &[OsString]) -> bool {
    words.iter().any(|word| word.to_str().is_none())
}

/// Runs the compiler on `words`, of which `invocation` has the readable parts, and returns its exit code.
pub fn run(words: &[OsString], invocation: &Invocation) -> Result<i32, String> {
    let compiler = Compiler::find()?;
    let reads = !invocation.only_dependencies && !invocation.query && !compiler.is_inner();
    let piped = dvmcc::piped(invocation)?;
    let mut words: Vec<OsString> = words.iter().filter(|word| !is_own(word)).cloned().collect();
    let with_regions: Vec<&OsString> = words.iter().filter(|word| has_regions(word, piped.as_deref())).collect();
    if reads && !with_regions.is_empty() {
        report(&with_regions, invocation);
        if invocation.strict {
            return Ok(1);
        }
        words.push("-Wno-unknown-pragmas".into());
    }
    if !compiler.is_inner() {
        words.extend(dvmcc::additions(invocation, &Installation::of_this_program()));
    }
    compiler.execute(&words, piped.as_deref())
}

fn is_own(word: &OsStr) -> bool {
    word.to_str().is_some_and(Invocation::is_own)
}

fn has_regions(word: &OsStr, piped: Option<&[u8]>) -> bool {
    let bytes = if word == "-" { piped.map(<[u8]>::to_vec) } else { dvmcc::text_of(Path::new(word)) };
    bytes.is_some_and(|bytes| !marks(&Source::new(Path::new(word), bytes)).is_empty())
}

fn report(files: &[&OsString], invocation: &Invocation) {
    if invocation.quiet && !invocation.strict {
        return;
    }
    let severity = if invocation.strict { "error" } else { "warning" };
    for file in files {
        output_file::tell(&format!(
            "{}: {severity}: its regions stay sequential: a word of the command is not UTF-8; rename that file or folder\n",
            file.to_string_lossy()
        ));
    }
}
