//! Runs the real compiler on transformed sources.

use super::compiler::Compiler;
use super::compiler_text::CompilerText;
use super::installation::Installation;
use super::invocation::{Goal, Invocation, Part};
use super::limited_process::Guarded;
use super::remark_record::RegionCount;
use super::remark_report::{self, FileRemark};
use super::{Outcome, compiler_query, composition, dependency_files, output_file, transform};
use crate::diagnostics::{Diagnostic, Severity};
use crate::frontend::{self, marks};
use crate::refusal::Code;
use crate::scratch_folder::ScratchFolder;
use crate::source::Source;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Runs a whole command line, and returns the exit code.
pub fn run(invocation: &Invocation, guarded: &Guarded) -> Result<i32, String> {
    let compiler = Compiler::find()?;
    let install = Installation::of_this_program();
    let piped = piped(invocation)?;
    let mut work = Work {
        invocation,
        compiler: &compiler,
        install: &install,
        guarded,
        scratch_folder: None,
        flags: None,
        stand_ins: vec![],
        untouched: false,
        remarks: vec![],
    };
    if !invocation.only_dependencies && !invocation.query && !compiler.is_inner() {
        if !work.unread(piped.as_deref()) {
            return Ok(1);
        }
        for source in invocation.sources() {
            if let Some(code) = work.source(source)? {
                return Ok(code);
            }
        }
    }
    if !work.stand_ins.is_empty() {
        let code = dependency_files::write(&compiler, invocation, &install)?;
        if code != 0 {
            return Ok(code);
        }
    }
    let code = work.compile(piped.as_deref())?;
    if let (0, Goal::Link, Some(to)) = (code, invocation.goal, &invocation.remarks)
        && !compiler.is_inner()
    {
        let linked = Path::new(invocation.output.as_deref().unwrap_or("a.out"));
        remark_report::tell_total(match to {
            Some(report) => remark_report::count_with_report(&work.remarks, report),
            None => remark_report::count_in_linked(&work.remarks, linked),
        });
    }
    Ok(code)
}

/// All of standard input, if the command compiles it.
pub(super) fn piped(invocation: &Invocation) -> Result<Option<Vec<u8>>, String> {
    if !invocation.parts.iter().any(|part| matches!(part, Part::Input(word) if word == "-")) {
        return Ok(None);
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).map_err(|e| format!("cannot read standard input: {e}"))?;
    Ok(Some(text))
}

/// A file's bytes, unless it is an object or an archive.
pub(super) fn text_of(path: &Path) -> Option<Vec<u8>> {
    let mut file = std::fs::File::open(path).ok().filter(|f| f.metadata().is_ok_and(|m| m.is_file()))?;
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(4096).read_to_end(&mut bytes).ok()?;
    if bytes.contains(&0) || bytes.starts_with(b"!<") {
        return None;
    }
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// A file that the compiler gets instead of a source.
struct StandIn {
    source: PathBuf,
    path: PathBuf,
    /// The folder to search for quoted includes; `None`: the text names it.
    quoted: Option<PathBuf>,
}

/// The state of one command line.
struct Work<'a> {
    invocation: &'a Invocation,
    compiler: &'a Compiler,
    install: &'a Installation,
    guarded: &'a Guarded,
    scratch_folder: Option<ScratchFolder>,
    flags: Option<Result<Vec<String>, String>>,
    stand_ins: Vec<StandIn>,
    /// Some region pragma reaches the compiler unchanged.
    untouched: bool,
    /// What became of the regions of the sources, if that is asked for.
    remarks: Vec<FileRemark>,
}

impl Work<'_> {
    /// Reports regions in inputs that are not transformed: other languages, preprocessed text, standard input. False if
    /// that is an error.
    fn unread(&mut self, piped: Option<&[u8]>) -> bool {
        let invocation = self.invocation;
        let mut fine = true;
        for part in &invocation.parts {
            let Part::Input(word) = part else { continue };
            let bytes = if word == "-" { piped.map(<[u8]>::to_vec) } else { text_of(Path::new(word)) };
            let Some(bytes) = bytes else { continue };
            let name = if word == "-" { "<stdin>" } else { word };
            let source = Source::new(Path::new(name), bytes);
            let Some(mark) = marks(&source).into_iter().next() else { continue };
            let severity = if invocation.strict { Severity::Error } else { Severity::Warning };
            let diagnostic = Diagnostic {
                severity,
                message: "its regions stay sequential: dvmcc transforms files of C only".to_owned(),
                code: Some(Code::NotC),
                span: Some((mark.begin, mark.end)),
                remedy: Some("put the function into a file NAME.c and give that to dvmcc".to_owned()),
            };
            if invocation.strict || !invocation.quiet {
                output_file::tell(&diagnostic.render(&source));
            }
            fine &= !invocation.strict;
            self.untouched = true;
        }
        fine
    }

    /// Flags for reading the sources, computed once.
    fn flags(&mut self) -> Result<Vec<String>, String> {
        let make = || {
            let mut flags = compiler_query::flags(self.compiler, self.invocation)?;
            flags.extend(self.install.include.iter().map(|i| format!("-I{}", i.display())));
            flags.extend(self.invocation.across.then(|| frontend::ACROSS.to_owned()));
            Ok(flags)
        };
        self.flags.get_or_insert_with(make).clone()
    }

    /// Transforms a source; returns an exit code if the work ends there.
    fn source(&mut self, path: &Path) -> Result<Option<i32>, String> {
        // The compiler itself reports a source that cannot be read.
        let Ok(source) = Source::read(path) else { return Ok(None) };
        let flags = if marks(&source).is_empty() { Ok(self.invocation.reading_flags()) } else { self.flags() };
        let flags = match flags {
            Ok(flags) => flags,
            Err(why) => return Ok(self.sequential(path, &why)),
        };
        let include = self.install.include.iter().map(|i| format!("-I{}", i.display())).collect::<Vec<_>>();
        let seen =
            (!marks(&source).is_empty()).then(|| CompilerText::of(self.compiler, self.invocation, &include, &source));
        let flags: Vec<String> = flags.into_iter().chain(seen.iter().map(CompilerText::option)).collect();
        let mut outcome = match transform(&source, &flags, self.guarded) {
            Ok(outcome) => outcome,
            Err(error) => return Ok(self.sequential(path, &error.to_string())),
        };
        self.remark(&source, &outcome)?;
        if !self.report(&source, &mut outcome) {
            return Ok(Some(1));
        }
        self.untouched |= outcome.out_of_reach;
        let record = self.record();
        if outcome.regions.is_empty() && outcome.blanked.is_empty() && record.is_empty() {
            return Ok(None);
        }
        let folder = source.folder();
        let leads_elsewhere = self.leads_elsewhere(&folder, &outcome);
        if leads_elsewhere && composition::computes_includes(&source) {
            let why = "it names included files by macros, and another file of such a name would be found; give its \
                       folder with -iquote, or compile it in a command of its own";
            return Ok(self.sequential(path, why));
        }
        let absolute = leads_elsewhere.then(|| std::fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone()));
        let instead = self.place(path)?;
        let text = [outcome.passing(&source, absolute.as_deref()), record.into_bytes()].concat();
        output_file::write(&instead, &text).map_err(|e| full(&e))?;
        keep_time(path, &instead);
        if self.invocation.show && !outcome.regions.is_empty() {
            let kept = self.kept_name(path);
            output_file::write(&kept, &outcome.text(&source, &kept.display().to_string()))?;
            output_file::tell(&format!("dvmcc: note: wrote {}\n", kept.display()));
        }
        let quoted = (!leads_elsewhere).then_some(folder);
        self.stand_ins.push(StandIn { source: path.to_owned(), path: instead, quoted });
        Ok(None)
    }

    /// Tells what became of a source's regions, or adds it to a file.
    fn remark(&mut self, source: &Source, outcome: &Outcome) -> Result<(), String> {
        let Some(to) = &self.invocation.remarks else { return Ok(()) };
        let remark = FileRemark::of(source, outcome);
        match to {
            Some(path) => remark.append(path)?,
            None => output_file::tell(&remark.text(source)),
        }
        self.remarks.push(remark);
        Ok(())
    }

    /// What a source's text gets at its end so that its object has the count of its regions. A report in a file has it.
    fn record(&self) -> String {
        let counts = self.invocation.remarks == Some(None) && self.invocation.goal != Goal::Preprocess;
        let counted = self.remarks.last().filter(|_| counts).map(FileRemark::count);
        counted.filter(|count| count.regions > 0).map(RegionCount::text).unwrap_or_default()
    }

    /// Compiles a file unchanged; returns an exit code if that is an error.
    fn sequential(&mut self, path: &Path, why: &str) -> Option<i32> {
        self.untouched = true;
        let strict = self.invocation.strict;
        // Who asks for remarks learns it without warnings as well.
        if strict || !self.invocation.quiet || self.invocation.remarks.is_some() {
            let severity = if strict { "error" } else { "warning" };
            output_file::tell(&format!(
                "{}: {severity}: its regions stay sequential: {why} [{}]\n",
                path.display(),
                Code::Unreadable
            ));
        }
        strict.then_some(1)
    }

    /// Prints the messages; false if a refusal is an error.
    fn report(&self, source: &Source, outcome: &mut Outcome) -> bool {
        let fatal = self.invocation.strict && outcome.refused + outcome.in_own_process > 0;
        if fatal {
            outcome.harden();
        }
        if fatal || !self.invocation.quiet {
            output_file::tell(&outcome.messages(source));
        }
        !fatal
    }

    /// Whether adding the source's folder to the search path of quoted includes, as a stand-in in another folder needs,
    /// would change what another file includes.
    fn leads_elsewhere(&self, folder: &Path, outcome: &Outcome) -> bool {
        let folders: BTreeSet<PathBuf> =
            self.invocation.sources().map(|s| s.parent().unwrap_or(Path::new("")).to_owned()).collect();
        let found = |(from, name): &(PathBuf, String)| !from.join(name).is_file() && folder.join(name).is_file();
        folders.len() > 1 || outcome.quoted.iter().any(found)
    }

    /// The path of a stand-in: the source's file name in a private folder.
    fn place(&mut self, source: &Path) -> Result<PathBuf, String> {
        if self.scratch_folder.is_none() {
            let mut purpose = DefaultHasher::new();
            std::env::current_dir().unwrap_or_default().hash(&mut purpose);
            format!("{:?}", self.invocation.parts).hash(&mut purpose);
            self.scratch_folder = Some(ScratchFolder::open(purpose.finish())?);
        }
        let scratch = self.scratch_folder.as_ref().map_or(Path::new(""), |w| w.path.as_path());
        let folder = scratch.join(self.stand_ins.len().to_string());
        std::fs::create_dir(&folder).map_err(|e| full(&format!("cannot make `{}`: {e}", folder.display())))?;
        Ok(folder.join(source.file_name().unwrap_or_default()))
    }

    /// The path for the generated C of `--show`: next to the object.
    fn kept_name(&self, source: &Path) -> PathBuf {
        let name = format!("{}.dvm.c", source.file_stem().unwrap_or_default().to_string_lossy());
        let folder = self.invocation.output.as_ref().and_then(|o| Path::new(o).parent()).unwrap_or(Path::new(""));
        folder.join(name)
    }

    /// Runs the compiler. Preprocessed text names the sources, so that equal commands give equal text, as ccache needs.
    fn compile(&self, piped: Option<&[u8]>) -> Result<i32, String> {
        let words = self.command_line();
        if self.invocation.goal != Goal::Preprocess || self.stand_ins.is_empty() {
            return self.compiler.execute(&words, piped);
        }
        let output = self.invocation.output.as_deref().filter(|output| *output != "-").map(Path::new);
        let Some(output) = output else {
            let (code, text) = self.compiler.execute_captured(&words, piped)?;
            return output_file::print(&self.naming_sources(text)).map(|()| code);
        };
        let code = self.compiler.execute(&words, piped)?;
        if code == 0 && output.is_file() {
            let text = std::fs::read(output).map_err(|e| format!("cannot read `{}`: {e}", output.display()))?;
            output_file::write(output, &self.naming_sources(text))?;
        }
        Ok(code)
    }

    /// Preprocessed text with the sources' names for those of their stand-ins.
    fn naming_sources(&self, text: Vec<u8>) -> Vec<u8> {
        self.stand_ins.iter().fold(text, |text, one| {
            let (from, to) = (one.path.as_os_str().as_bytes(), one.source.as_os_str().as_bytes());
            let mut renamed = Vec::with_capacity(text.len());
            let mut rest = text.as_slice();
            while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
                renamed.extend([&rest[..at], to].concat());
                rest = &rest[at + from.len()..];
            }
            renamed.extend(rest);
            renamed
        })
    }

    /// The command line for the compiler.
    fn command_line(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut folders: Vec<&PathBuf> = self.stand_ins.iter().filter_map(|s| s.quoted.as_ref()).collect();
        folders.dedup();
        for folder in folders {
            words.extend(["-iquote".into(), folder.into()]);
        }
        for part in &self.invocation.parts {
            match part {
                Part::Option(w) => words.extend(w.iter().map(OsString::from)),
                Part::Source(path) => {
                    let instead = self.stand_ins.iter().find(|s| s.source == *path);
                    words.push(instead.map_or(path, |s| &s.path).into());
                }
                Part::Input(word) => words.push(word.into()),
                // With stand-ins, these files were already made, from the sources themselves.
                Part::Dependency(w) if self.stand_ins.is_empty() => words.extend(w.iter().map(OsString::from)),
                Part::Dependency(_) => {}
            }
        }
        words.extend(self.stand_in_words());
        if !self.compiler.is_inner() {
            words.extend(additions(self.invocation, self.install));
        }
        words
    }

    /// Options that stand-ins need.
    fn stand_in_words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        if self.untouched {
            // dvmcc has already reported them.
            words.push("-Wno-unknown-pragmas".into());
        }
        if self.stand_ins.is_empty() {
            return words;
        }
        if self.compiler.ask(&["-ffile-prefix-map=a=b", "-E", "-x", "c", "/dev/null"]).is_some() {
            for one in &self.stand_ins {
                let mut word = OsString::from("-ffile-prefix-map=");
                word.push(&one.path);
                word.push("=");
                word.push(&one.source);
                words.push(word);
            }
        }
        if self.invocation.counts_lines() {
            // Tiles run concurrently, and plain counters would lose counts.
            if !self.invocation.has_option("-fprofile-update") {
                words.push("-fprofile-update=prefer-atomic".into());
            }
            // Gcc stamps such objects with the time, unless a seed is given.
            if let ([one], false) = (self.stand_ins.as_slice(), self.invocation.has_option("-frandom-seed")) {
                let mut seed = DefaultHasher::new();
                (&one.source, std::fs::read(&one.source).unwrap_or_default()).hash(&mut seed);
                words.push(format!("-frandom-seed={:#x}", seed.finish()).into());
            }
        }
        words
    }
}

/// An error of a temporary file, with its remedy.
fn full(error: &str) -> String {
    format!("{error}; set TMPDIR to a folder with room for temporary files")
}

/// Gives a stand-in the time of its source, which `__TIMESTAMP__` shows.
fn keep_time(source: &Path, instead: &Path) {
    let time = std::fs::metadata(source).and_then(|m| m.modified());
    let file = std::fs::File::options().write(true).open(instead);
    if let (Ok(time), Ok(file)) = (time, file) {
        let _ = file.set_modified(time);
    }
}

/// Options for the header and the library, where they take part.
pub(super) fn additions(invocation: &Invocation, install: &Installation) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    if !invocation.has_inputs() {
        return words;
    }
    if let Some(include) = &install.include {
        // As a system header: the program's flags, such as -Werror, must not apply to libdvm's header.
        words.extend(["-isystem".into(), include.into()]);
    }
    if let Some(library) = install.library.as_ref().filter(|_| links(invocation)) {
        let mut rpath = OsString::from("-Wl,-rpath,");
        rpath.push(library);
        words.extend(["-L".into(), library.into(), "-ldvm".into(), rpath]);
    }
    words
}

/// Whether libraries take part: not where objects only become one object.
fn links(invocation: &Invocation) -> bool {
    let partial = |part: &Part| matches!(part, Part::Option(words) if words[0] == "-r");
    invocation.goal == Goal::Link && !invocation.parts.iter().any(partial)
}

/// Lets the real compiler print its version.
pub fn show_version() -> Result<i32, String> {
    Compiler::find()?.execute(&["--version".into()], None)
}
