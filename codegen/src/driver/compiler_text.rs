//! What the compiler itself sees after its preprocessor, for the front end to compare with what clang sees.

use super::compiler::Compiler;
use super::compiler_query;
use super::invocation::Invocation;
use crate::frontend::COMPILER_TEXT;
use crate::scratch_folder::ScratchFolder;
use crate::source::Source;
use std::ffi::OsString;

/// The preprocessed text of one source, in a file; nothing if the compiler does not show it.
pub struct CompilerText {
    folder: Option<ScratchFolder>,
}

impl CompilerText {
    /// Asks the compiler; `more` are flags after the user's.
    pub fn of(compiler: &Compiler, invocation: &Invocation, more: &[String], source: &Source) -> CompilerText {
        let mut words: Vec<OsString> = invocation.reading_flags().into_iter().map(OsString::from).collect();
        words.extend(compiler_query::query_flags(invocation).into_iter().map(OsString::from));
        words.extend(more.iter().map(OsString::from));
        words.extend(["-w", "-E", "-dD", "-dI"].map(OsString::from));
        // Places are found by physical lines, as in clang's text.
        let renumbered: Vec<(usize, usize)> = source.renumbered().collect();
        let text = (!renumbered.is_empty()).then(|| source.without(&renumbered).bytes);
        match &text {
            None => words.extend(["-x".into(), "c".into(), OsString::from(&source.path)]),
            Some(_) => {
                words.extend(["-iquote".into(), OsString::from(source.folder()), "-x".into(), "c".into(), "-".into()]);
            }
        }
        let seen = compiler.preprocess(&words, text.as_deref());
        let folder = seen.and_then(|seen| {
            let folder = ScratchFolder::open(u64::from(std::process::id())).ok()?;
            std::fs::write(folder.path.join(NAME), seen).ok()?;
            Some(folder)
        });
        CompilerText { folder }
    }

    /// The option for the front end, which refuses the file if there is no text.
    pub fn option(&self) -> String {
        let path = self.folder.as_ref().map(|folder| folder.path.join(NAME).display().to_string());
        format!("{COMPILER_TEXT}{}", path.unwrap_or_default())
    }
}

const NAME: &str = "text.i";
