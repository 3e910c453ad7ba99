//! Makes dependency files from the original sources, so that they name the files that the user edits.

use super::compiler::Compiler;
use super::install::Install;
use super::invocation::{Goal, Invocation};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Makes the dependency files that a command requests in addition to its output; returns the compiler's exit code.
pub fn write(compiler: &Compiler, invocation: &Invocation, install: &Install) -> Result<i32, String> {
    let given = invocation.dependencies();
    let Some(kind) = given.iter().find(|w| matches!(**w, "-MD" | "-MMD")) else { return Ok(0) };
    let only = if *kind == "-MD" { "-M" } else { "-MM" };
    let after = |name: &str| given.iter().position(|w| *w == name).and_then(|k| given.get(k + 1)).copied();
    for source in invocation.sources() {
        let names = Names::of(invocation, source);
        // The compilation itself prints the warnings.
        let mut words: Vec<OsString> = vec!["-w".into()];
        words.extend(invocation.reading_flags().iter().map(OsString::from));
        words.extend(install.include.iter().flat_map(|i| ["-I".into(), i.into()]));
        words.extend([only.into(), "-MF".into(), after("-MF").map_or(names.file, str::to_owned).into()]);
        if after("-MT").or(after("-MQ")).is_none() {
            words.extend(["-MQ".into(), names.target.into()]);
        }
        for pair in given.windows(2).filter(|p| matches!(p[0], "-MT" | "-MQ")) {
            words.extend(pair.iter().map(OsString::from));
        }
        words.extend(given.iter().filter(|w| matches!(**w, "-MP" | "-MG")).map(OsString::from));
        words.extend(["-x".into(), "c".into(), source.into()]);
        let code = compiler.execute(&words, None)?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

/// The names that gcc gives to a dependency file and its target.
struct Names {
    file: String,
    target: String,
}

impl Names {
    fn of(invocation: &Invocation, source: &Path) -> Names {
        let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let output = invocation.output.as_ref().map(Path::new);
        let file = match (invocation.goal, output) {
            (Goal::Link, Some(o)) => {
                let program = o.file_name().unwrap_or_default().to_string_lossy();
                o.with_file_name(format!("{program}-{stem}.d"))
            }
            (Goal::Link, None) => PathBuf::from(format!("a-{stem}.d")),
            (_, Some(o)) => o.with_extension("d"),
            (_, None) => PathBuf::from(format!("{stem}.d")),
        };
        let target = output.map_or_else(|| format!("{stem}.o"), |o| o.display().to_string());
        Names { file: file.display().to_string(), target }
    }
}
