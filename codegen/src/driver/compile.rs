//! Runs the real compiler on transformed sources.

use super::install::Install;
use super::invocation::{Goal, Invocation, Part};
use super::{Generate, Outcome, transform, write};
use crate::diagnostics::{Diagnostic, Severity};
use crate::frontend::pragma;
use crate::source::Source;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder of our own in the system's temporary folder, removed at the end.
struct Workshop(PathBuf);

impl Workshop {
    fn open() -> Result<Workshop, String> {
        let base = std::env::temp_dir();
        for attempt in 0..1000_u32 {
            let path = base.join(format!("dvmcc-{}-{attempt}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Workshop(path)),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(format!("cannot make a folder in `{}`: {e}", base.display())),
            }
        }
        Err(format!("cannot make a folder in `{}`", base.display()))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The real compiler's command: `DVM_CC`, else `CC` unless that is this program, else `cc`.
pub fn compiler() -> Result<Vec<String>, String> {
    let words = |name: &str| -> Vec<String> {
        std::env::var(name).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    };
    let own = words("DVM_CC");
    if own.iter().any(|w| is_this_program(w)) {
        return Err("DVM_CC names dvmcc itself; set it to the real compiler, e.g. DVM_CC=gcc".to_owned());
    }
    if !own.is_empty() {
        return Ok(own);
    }
    let user = words("CC");
    Ok(if user.is_empty() || user.iter().any(|w| is_this_program(w)) { vec!["cc".to_owned()] } else { user })
}

fn is_this_program(word: &str) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default();
    let same = || {
        let this = std::env::current_exe().and_then(std::fs::canonicalize).ok()?;
        Some(std::fs::canonicalize(word).ok()? == this)
    };
    name == "dvmcc" || same().unwrap_or(false)
}

/// Runs a whole command line; gives the exit code.
pub fn run(invocation: &Invocation, generate: Generate) -> Result<i32, String> {
    let cc = compiler()?;
    let install = Install::of_this_program();
    let workshop = Workshop::open()?;
    let mut stand_ins: Vec<(PathBuf, PathBuf)> = Vec::new();
    let piped = piped(invocation)?;
    if !invocation.only_dependencies {
        if !unread(invocation, piped.as_deref()) {
            return Ok(1);
        }
        for source in invocation.sources() {
            match stand_in(source, stand_ins.len(), invocation, &install, &workshop, generate)? {
                Step::Fail(code) => return Ok(code),
                Step::AsItIs => {}
                Step::Instead(path) => stand_ins.push((source.to_owned(), path)),
            }
        }
    }
    if stand_ins.is_empty() {
        let mut words: Vec<OsString> = Vec::new();
        for part in &invocation.parts {
            match part {
                Part::Option(w) | Part::Dependency(w) => words.extend(w.iter().map(OsString::from)),
                Part::Source(path) => words.push(path.into()),
                Part::Input(word) => words.push(word.into()),
            }
        }
        words.extend(additions(invocation, &install));
        return execute(&cc, &words, piped.as_deref());
    }
    let code = dependency_files(&cc, invocation, &install)?;
    if code != 0 {
        return Ok(code);
    }
    let mut words: Vec<OsString> = Vec::new();
    for (source, _) in &stand_ins {
        let folder = source.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        words.extend(["-iquote".into(), folder.into()]);
    }
    for part in &invocation.parts {
        match part {
            Part::Option(w) => words.extend(w.iter().map(OsString::from)),
            Part::Source(path) => {
                let instead = stand_ins.iter().find(|(source, _)| source == path).map_or(path, |(_, p)| p);
                words.push(instead.into());
            }
            Part::Input(word) => words.push(word.into()),
            Part::Dependency(_) => {}
        }
    }
    words.extend(additions(invocation, &install));
    execute(&cc, &words, piped.as_deref())
}

/// All of standard input when that is what is compiled.
fn piped(invocation: &Invocation) -> Result<Option<Vec<u8>>, String> {
    if !invocation.parts.iter().any(|part| matches!(part, Part::Input(word) if word == "-")) {
        return Ok(None);
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).map_err(|e| format!("cannot read standard input: {e}"))?;
    Ok(Some(text))
}

/// Speaks of regions in inputs that are not transformed: other languages, preprocessed text, standard input. False
/// when that is an error.
fn unread(invocation: &Invocation, piped: Option<&[u8]>) -> bool {
    let mut fine = true;
    for part in &invocation.parts {
        let Part::Input(word) = part else { continue };
        let bytes = if word == "-" { piped.map(<[u8]>::to_vec) } else { text_of(Path::new(word)) };
        let Some(bytes) = bytes else { continue };
        let name = if word == "-" { "<stdin>" } else { word };
        let source = Source::new(Path::new(name), bytes);
        let Some(mark) = pragma::marks(&source).into_iter().next() else { continue };
        let severity = if invocation.strict { Severity::Error } else { Severity::Warning };
        let diagnostic = Diagnostic {
            severity,
            message: "its regions stay sequential: dvmcc transforms files of C only".to_owned(),
            span: Some((mark.begin, mark.end)),
            remedy: Some("put the function into a file NAME.c and give that to dvmcc".to_owned()),
        };
        if invocation.strict || !invocation.quiet {
            eprint!("{}", diagnostic.render(&source));
        }
        fine &= !invocation.strict;
    }
    fine
}

/// A file's bytes, unless it is an object or an archive.
fn text_of(path: &Path) -> Option<Vec<u8>> {
    let mut file = std::fs::File::open(path).ok().filter(|f| f.metadata().is_ok_and(|m| m.is_file()))?;
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(4096).read_to_end(&mut bytes).ok()?;
    if bytes.contains(&0) || bytes.starts_with(b"!<") {
        return None;
    }
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What is done with a source.
enum Step {
    AsItIs,
    Instead(PathBuf),
    Fail(i32),
}

fn stand_in(
    path: &Path,
    index: usize,
    invocation: &Invocation,
    install: &Install,
    workshop: &Workshop,
    generate: Generate,
) -> Result<Step, String> {
    // What cannot be read is left to the compiler's own message.
    let Ok(source) = Source::read(path) else { return Ok(Step::AsItIs) };
    let mut flags = invocation.reading_flags();
    flags.extend(install.include.iter().map(|i| format!("-I{}", i.display())));
    let mut outcome = match transform(&source, &flags, generate) {
        Ok(outcome) => outcome,
        Err(error) => {
            let severity = if invocation.strict { "error" } else { "warning" };
            if !invocation.quiet || invocation.strict {
                eprintln!("{}: {severity}: its regions stay sequential: {error}", path.display());
            }
            return Ok(if invocation.strict { Step::Fail(1) } else { Step::AsItIs });
        }
    };
    if !report(&source, &mut outcome, invocation) {
        return Ok(Step::Fail(1));
    }
    if outcome.regions.is_empty() {
        return Ok(Step::AsItIs);
    }
    let folder = workshop.0.join(index.to_string());
    std::fs::create_dir(&folder).map_err(|e| format!("cannot make `{}`: {e}", folder.display()))?;
    let base = path.file_stem().unwrap_or_default();
    let instead = folder.join(Path::new(base).with_extension("c"));
    let kept = kept_name(invocation, path);
    let shown = if invocation.show { kept.display().to_string() } else { instead.display().to_string() };
    let text = outcome.text(&source, &shown);
    write::write(&instead, &text)?;
    if invocation.show {
        write::write(&kept, &text)?;
        eprintln!("dvmcc: note: wrote {}", kept.display());
    }
    Ok(Step::Instead(instead))
}

/// Prints the messages; false when a refusal is an error.
fn report(source: &Source, outcome: &mut Outcome, invocation: &Invocation) -> bool {
    let fatal = invocation.strict && outcome.refused > 0;
    if fatal {
        outcome.harden();
    }
    if fatal || !invocation.quiet {
        eprint!("{}", outcome.messages(source));
    }
    !fatal
}

/// Where `--show` keeps the generated C: next to the object.
fn kept_name(invocation: &Invocation, source: &Path) -> PathBuf {
    let name = format!("{}.dvm.c", source.file_stem().unwrap_or_default().to_string_lossy());
    let folder = invocation.output.as_ref().and_then(|o| Path::new(o).parent()).unwrap_or(Path::new(""));
    folder.join(name)
}

fn additions(invocation: &Invocation, install: &Install) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    if !invocation.has_inputs() {
        return words;
    }
    if let Some(include) = &install.include {
        // As a system header: the flags of a program, -Werror among them, are not for libdvm's header.
        words.extend(["-isystem".into(), include.into()]);
    }
    if let Some(library) = install.library.as_ref().filter(|_| invocation.goal == Goal::Link) {
        let mut rpath = OsString::from("-Wl,-rpath,");
        rpath.push(library);
        words.extend(["-L".into(), library.into(), "-ldvm".into(), rpath]);
    }
    words
}

/// Dependency files are made from the original sources, so that they name what the user edits.
fn dependency_files(cc: &[String], invocation: &Invocation, install: &Install) -> Result<i32, String> {
    let given = invocation.dependencies();
    let Some(kind) = given.iter().find(|w| matches!(**w, "-MD" | "-MMD")) else { return Ok(0) };
    let only = if *kind == "-MD" { "-M" } else { "-MM" };
    let after = |name: &str| given.iter().position(|w| *w == name).and_then(|k| given.get(k + 1)).copied();
    for source in invocation.sources() {
        let names = DependencyNames::of(invocation, source);
        let mut words: Vec<OsString> = invocation.reading_flags().iter().map(OsString::from).collect();
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
        let code = execute(cc, &words, None)?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

/// The names that gcc gives a dependency file and its target.
struct DependencyNames {
    file: String,
    target: String,
}

impl DependencyNames {
    fn of(invocation: &Invocation, source: &Path) -> DependencyNames {
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
        DependencyNames { file: file.display().to_string(), target }
    }
}

/// Runs the compiler; `piped` is what it reads from standard input.
fn execute(cc: &[String], words: &[OsString], piped: Option<&[u8]>) -> Result<i32, String> {
    use std::os::unix::process::ExitStatusExt;
    let cannot =
        |e: std::io::Error| format!("cannot run the compiler `{}`: {e}; set CC or DVM_CC to a C compiler", cc[0]);
    let mut command = Command::new(&cc[0]);
    command.args(&cc[1..]).args(words);
    let status = match piped {
        None => command.status(),
        Some(text) => {
            let mut child = command.stdin(Stdio::piped()).spawn().map_err(cannot)?;
            // A compiler that does not read to the end has its own reasons, and says them.
            let _ = child.stdin.take().map(|mut input| input.write_all(text));
            child.wait()
        }
    };
    let status = status.map_err(cannot)?;
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(1)))
}

/// Lets the real compiler print its version.
pub fn show_version() -> Result<i32, String> {
    execute(&compiler()?, &["--version".into()], None)
}
