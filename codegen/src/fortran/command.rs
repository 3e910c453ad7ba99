//! The command `dvmfc`: gfortran with regions that become tiles.

use super::advice::{advise, nests, outside};
use super::command_line::{FortranCommand, FortranGoal, FortranWord};
use super::file::{FileGroup, FileParts, FortranFile};
use super::flang;
use super::hlfir::HlfirOp;
use super::included_marks::included_marks;
use super::kept_objects::mark_object;
use super::kept_texts::{KeptText, OpenedText, find as find_texts, may_have_procedures, place_of, stamp_of};
use super::lowering::{LoweredFile, Lowering, added_words, folders_of};
use super::messages::in_fortran;
use super::modules::{ModuleUses, in_order_of_use};
use super::reading::{procedures, read, region_at};
use super::refused::FortranRefusal;
use super::remedies::remedy;
use super::rewriting::{FortranRegion, rewrite};
use super::statements::{marks, statements};
use crate::diagnostics::Severity;
use crate::driver::compiler::Compiler;
use crate::driver::installation::Installation;
use crate::driver::limited_process::Guarded;
use crate::driver::nest_report::{FileAdvice, NestAdvice, report};
use crate::driver::remark_record::RegionCount;
use crate::driver::{Outcome, output_file, transform};
use crate::scratch_folder::ScratchFolder;
use crate::source::Source;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs a command line; the answer is the exit code.
pub fn run(words: &[String], guarded: &Guarded) -> Result<i32, String> {
    let command = FortranCommand::parse(words)?;
    let fortran = fortran()?;
    let added = added_words(&fortran);
    // Options of the compiler's own command count as those of the command line.
    let own = FortranCommand::parse(&fortran[1..])?;
    let directives = |word: &&String| ["-fopenmp", "-fopenacc"].iter().any(|begin| word.starts_with(begin));
    let unlisted =
        command.unlisted_option().or_else(|| own.unlisted_option()).or_else(|| added.iter().find(directives).cloned());
    let mut work = FortranWork {
        install: Installation::of_this_program(),
        added: folders_of(&added),
        fortran,
        command: &command,
        guarded,
        scratch: None,
        tiled: 0,
        regions: 0,
        stopped: false,
        unlisted,
        arithmetic: own.of_arithmetic().chain(command.of_arithmetic()).cloned().collect::<Vec<_>>().join(" "),
    };
    let sources = command.sources();
    if command.why {
        let folder = work.folder()?;
        let with_modules = command.with_modules_in(&folder);
        work.command = &with_modules;
        return work.advise(&sources);
    }
    let marked: Vec<PathBuf> = sources.iter().filter(|source| work.is_marked(source)).cloned().collect();
    // The compiler itself says that `-o` does not go with several objects.
    let clash = command.goal == FortranGoal::Object && command.output.is_some() && sources.len() > 1;
    if command.goal == FortranGoal::Other || clash {
        return work.pass(&[]);
    }
    let told = sources.iter().filter(|source| work.tell_included(source)).count();
    if told > 0 && command.strict {
        return Ok(1);
    }
    if marked.is_empty() {
        let code = work.pass_and_describe(&sources)?;
        work.tell_total(code);
        return Ok(code);
    }
    if let Some(option) = work.unlisted.clone() {
        for source in &marked {
            work.tell_all(source, &format!("the option `{option}` may change what its statements mean"));
        }
        if command.strict {
            return Ok(1);
        }
        let code = work.pass_and_describe(&sources)?;
        if code == 0 {
            work.count_as_they_were(&marked)?;
        }
        work.tell_total(code);
        return Ok(code);
    }
    let code = work.compile_all(&sources)?;
    work.tell_total(code);
    Ok(code)
}

/// The words of the compiler behind `dvmfc`.
pub fn fortran() -> Result<Vec<String>, String> {
    let named = std::env::var("DVM_FC").unwrap_or_default();
    let words: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
    let Some(first) = words.first() else { return Ok(vec!["gfortran".to_owned()]) };
    if Path::new(first).file_name().is_some_and(|name| name == "dvmfc") {
        return Err("DVM_FC names dvmfc itself; set it to the real compiler, e.g. DVM_FC=gfortran".to_owned());
    }
    Ok(words)
}

struct FortranWork<'a> {
    install: Installation,
    fortran: Vec<String>,
    added: Vec<PathBuf>,
    command: &'a FortranCommand,
    guarded: &'a Guarded,
    scratch: Option<ScratchFolder>,
    tiled: usize,
    regions: usize,
    /// A refusal is an error.
    stopped: bool,
    /// The first option under which no region is transformed.
    unlisted: Option<String>,
    /// The options that may change the bits of results.
    arithmetic: String,
}

impl FortranWork<'_> {
    fn is_marked(&self, source: &Path) -> bool {
        let text = std::fs::read(source).unwrap_or_default();
        !marks(&String::from_utf8_lossy(&text), self.command.form(source)).is_empty()
    }

    /// Tells the marks in files that a source includes; whether there are any.
    fn tell_included(&self, source: &Path) -> bool {
        let folders = self.lowering().folders().searched;
        let found = included_marks(source, self.command.form(source), &folders);
        for (path, why) in &found {
            self.tell(path, &format!("line_{}", why.line), why);
        }
        !found.is_empty()
    }

    /// Says that no region of a file is transformed.
    fn tell_all(&self, source: &Path, reason: &str) {
        let text = String::from_utf8_lossy(&std::fs::read(source).unwrap_or_default()).into_owned();
        for mark in marks(&text, self.command.form(source)).iter().filter(|mark| mark.text.starts_with("region")) {
            let remedy = "compile this file without it, or its regions stay as they are";
            self.tell(source, &format!("line_{}", mark.line), &FortranRefusal::new(mark.line, reason, remedy));
        }
    }

    /// Counts the regions of files of which none is transformed.
    fn count_as_they_were(&mut self, sources: &[PathBuf]) -> Result<(), String> {
        for source in sources {
            let text = String::from_utf8_lossy(&std::fs::read(source).unwrap_or_default()).into_owned();
            let marks = marks(&text, self.command.form(source));
            let regions = marks.iter().filter(|mark| mark.text.starts_with("region")).count();
            self.regions += regions;
            if let Some(object) = self.object_of(source) {
                let folder = self.folder()?;
                self.count_in(&object, RegionCount { regions, tiled: 0 }, &folder)?;
            }
        }
        Ok(())
    }

    fn tell(&self, source: &Path, region: &str, why: &FortranRefusal) {
        if self.command.strict || !self.command.quiet {
            let severity = if self.command.strict { "error" } else { "warning" };
            output_file::tell(&why.render(source, region, severity));
        }
    }

    /// Runs the Fortran compiler with the whole command line; `objects` stand for the sources.
    fn pass(&self, objects: &[PathBuf]) -> Result<i32, String> {
        let mut words: Vec<OsString> = Vec::new();
        let mut objects = objects.iter();
        let mut has_input = false;
        for word in &self.command.words {
            match word {
                FortranWord::Option(all) => words.extend(all.iter().map(OsString::from)),
                FortranWord::Source(path) => words.push(objects.next().unwrap_or(path).into()),
                FortranWord::Input(word) => words.push(word.into()),
            }
            has_input |= !matches!(word, FortranWord::Option(_));
        }
        if self.command.goal == FortranGoal::Object {
            words.push("-c".into());
        }
        if let Some(output) = &self.command.output {
            words.extend(["-o".into(), output.into()]);
        }
        if let (Some(library), FortranGoal::Link, true) = (&self.install.library, self.command.goal, has_input) {
            let mut rpath = OsString::from("-Wl,-rpath,");
            rpath.push(library);
            words.extend(["-L".into(), library.into(), "-ldvm".into(), rpath]);
        }
        self.fortran(&words, false).map(|(code, _)| code)
    }

    /// The exit code, and what the compiler wrote to standard error if that is `kept`.
    fn fortran(&self, words: &[OsString], kept: bool) -> Result<(i32, Vec<u8>), String> {
        let mut command = Command::new(&self.fortran[0]);
        command.args(&self.fortran[1..]).args(words);
        let cannot =
            |e| format!("cannot run the compiler `{}`: {e}; set DVM_FC to a Fortran compiler", self.fortran[0]);
        if kept {
            let output = command.stdin(Stdio::null()).output().map_err(cannot)?;
            return Ok((output.status.code().unwrap_or(1), output.stderr));
        }
        Ok((command.status().map_err(cannot)?.code().unwrap_or(1), Vec::new()))
    }

    /// Compiles all without looking at regions.
    fn pass_and_describe(&mut self, sources: &[PathBuf]) -> Result<i32, String> {
        let code = self.pass(&[])?;
        if code == 0 {
            for source in sources {
                let object = self.object_of(source);
                self.describe(source, None, object.as_deref())?;
            }
        }
        Ok(code)
    }

    /// With `--dvm-remarks`: says how many regions are tiled; linking, of all objects whose compilation has counted them.
    /// Nothing, if the compiler has failed: its `code` is not 0.
    fn tell_total(&self, code: i32) {
        let own = RegionCount { regions: self.regions, tiled: self.tiled };
        let linked = || RegionCount::of_file(Path::new(self.command.output.as_deref().unwrap_or("a.out")));
        // Where no region is transformed, the compiler makes the program of the sources at once: nothing in it counts theirs.
        let uncounted = if self.unlisted.is_some() { own } else { RegionCount::default() };
        let with_uncounted = |linked: RegionCount| RegionCount {
            regions: linked.regions + uncounted.regions,
            tiled: linked.tiled + uncounted.tiled,
        };
        let all = if self.command.goal == FortranGoal::Link { linked().map_or(own, with_uncounted) } else { own };
        if self.command.remarks && code == 0 && all.regions > 0 {
            output_file::tell(&format!("dvmfc: {} of {} regions tiled\n", all.tiled, all.regions));
        }
    }

    /// Puts into an object how many regions its source has.
    fn count_in(&self, object: &Path, count: RegionCount, folder: &Path) -> Result<(), String> {
        if !self.command.remarks || count.regions == 0 {
            return Ok(());
        }
        let record = folder.join("remarks");
        output_file::write(&record, count.record().as_bytes())?;
        let section = format!("{}={}", RegionCount::SECTION, record.display());
        let status = Command::new("objcopy").arg("--add-section").arg(section).arg(object).status();
        let why = match status {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => status.to_string(),
            Err(e) => format!("{e}; install binutils"),
        };
        Err(format!("`objcopy` could not count the regions in `{}`: {why}", object.display()))
    }

    /// Keeps what flang says about a file that gfortran has just compiled to `object`; `lowered` is that, if it is known.
    fn describe(&mut self, source: &Path, lowered: Option<LoweredFile>, object: Option<&Path>) -> Result<(), String> {
        let bytes = std::fs::read(source).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let uses = ModuleUses::read(&statements(&text, self.command.form(source)));
        let may_make_some = !uses.made.is_empty() || text.to_ascii_lowercase().contains("include");
        let object = object.filter(|_| may_have_procedures(&text));
        if lowered.is_none() && (!may_make_some && object.is_none() || flang::find().is_none()) {
            return Ok(());
        }
        let (command, fortran, added) = (self.command, self.fortran.clone(), self.added.clone());
        let lowering = Lowering { command, fortran: &fortran, added: &added };
        let folders = lowering.folders();
        if let Some(option) = &self.unlisted
            && let Some(object) = object
        {
            let why = format!("its file was compiled with `{option}`");
            self.keep_text(source, &uses, object, (&bytes, &text, None), &why)?;
        }
        if let Some(option) = self.command.option_of_declarations() {
            return folders.keep(&uses.made, Err(&format!("its file was compiled with `{option}`")));
        }
        let is_whole = |lowered: &LoweredFile| {
            lowered.uses.made.iter().all(|name| lowered.made.join(format!("{name}.mod")).is_file())
        };
        let to_hlfir = object.is_some() && self.unlisted.is_none();
        let mut lowered = match lowered {
            Some(lowered) => lowered,
            None => lowering.lower(source, &text, &self.folder()?, to_hlfir)?,
        };
        if to_hlfir && lowered.text.is_err() && !is_whole(&lowered) {
            lowered = lowering.lower(source, &text, &self.folder()?, false)?;
        }
        if let (true, Some(object)) = (to_hlfir, object) {
            let why = lowered.text.as_ref().err().map(|(why, _)| why.clone()).unwrap_or_default();
            let active = lowering.active(source, &text)?;
            self.keep_text(source, &lowered.uses.clone(), object, (&bytes, &active, Some(&lowered)), &why)?;
        }
        match &lowered.text {
            Err((why, _)) if !is_whole(&lowered) => folders.keep(&lowered.uses.made, Err(why)),
            _ => folders.keep(&lowered.uses.made, Ok(&lowered.made)),
        }
    }

    /// Keeps the text of a file for those that call its procedures, and marks the object; `why` says why there is none.
    fn keep_text(
        &mut self,
        source: &Path,
        uses: &ModuleUses,
        object: &Path,
        (bytes, active, lowered): (&[u8], &str, Option<&LoweredFile>),
        why: &str,
    ) -> Result<(), String> {
        let (form, stamp, arithmetic) = (self.command.form(source), stamp_of(bytes), self.arithmetic.clone());
        let whole = std::fs::canonicalize(source).unwrap_or_else(|_| source.to_owned());
        let hlfir = lowered.and_then(|lowered| Some((lowered, lowered.text.as_ref().ok()?)));
        let mut kept = match hlfir.filter(|(_, hlfir)| !hlfir.is_empty()) {
            Some((lowered, hlfir)) => KeptText::new(&whole, stamp, arithmetic, form, active, hlfir, lowered),
            None => KeptText::refused(&whole, stamp, arithmetic, &statements(active, form), why),
        };
        // An object may go nowhere, as `/dev/null`.
        if kept.is_empty() || !object.is_file() {
            return Ok(());
        }
        mark_object(&mut kept, object)?;
        let (folder, beside) = match self.command.goal {
            FortranGoal::Object => (self.lowering().folders().written, object.to_owned()),
            _ => (self.kept_here()?, self.kept_here()?.join(source.file_name().unwrap_or_default())),
        };
        kept.write(&place_of(uses, &folder, &beside))
    }

    fn lowering(&self) -> Lowering<'_> {
        Lowering { command: self.command, fortran: &self.fortran, added: &self.added }
    }

    /// The folder of texts that serve only the other sources of the command line.
    fn kept_here(&mut self) -> Result<PathBuf, String> {
        let folder = self.place()?.join("kept");
        std::fs::create_dir_all(&folder).map_err(|e| format!("cannot make `{}`: {e}", folder.display()))?;
        Ok(folder)
    }

    /// The object that the compiler makes of a source, if that stays.
    fn object_of(&self, source: &Path) -> Option<PathBuf> {
        let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (self.command.goal == FortranGoal::Object)
            .then(|| self.command.output.as_ref().map_or_else(|| PathBuf::from(format!("{stem}.o")), PathBuf::from))
    }

    /// Where texts of other files are looked for.
    fn text_folders(&mut self) -> Result<Vec<PathBuf>, String> {
        let mut all = Vec::new();
        if self.command.goal == FortranGoal::Link {
            all.push(self.kept_here()?);
        }
        let output = self.command.output.as_ref().filter(|_| self.command.goal == FortranGoal::Object);
        let beside = output.and_then(|output| Path::new(output).parent());
        all.extend(beside.filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned));
        all.extend(self.lowering().folders().searched);
        Ok(all)
    }

    /// A new folder for files in between.
    fn folder(&mut self) -> Result<PathBuf, String> {
        let scratch = self.place()?;
        let names = (0_u32..).map(|at| scratch.join(at.to_string()));
        for folder in names {
            match std::fs::create_dir(&folder) {
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                made => {
                    return made
                        .map(|()| folder.clone())
                        .map_err(|e| format!("cannot make `{}`: {e}", folder.display()));
                }
            }
        }
        Err("too many files".to_owned())
    }

    fn place(&mut self) -> Result<PathBuf, String> {
        if self.scratch.is_none() {
            let mut purpose = DefaultHasher::new();
            (std::env::current_dir().unwrap_or_default(), format!("{:?}", self.command.words)).hash(&mut purpose);
            self.scratch = Some(ScratchFolder::open(purpose.finish())?);
        }
        Ok(self.scratch.as_ref().map(|scratch| scratch.path.clone()).unwrap_or_default())
    }

    /// Compiles each source in order, as modules need it, and links if that is the goal.
    fn compile_all(&mut self, sources: &[PathBuf]) -> Result<i32, String> {
        let mut objects = Vec::new();
        for source in sources {
            let folder = self.folder()?;
            let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let object = match self.object_of(source) {
                Some(object) => object,
                // Apart from files in between, which have names of their own.
                None => self.folder()?.join(format!("{stem}.o")),
            };
            let code = self.source(source, &folder, &object)?;
            if code != 0 {
                return Ok(code);
            }
            objects.push(object);
        }
        if self.command.goal == FortranGoal::Link { self.pass(&objects) } else { Ok(0) }
    }

    fn source(&mut self, source: &Path, folder: &Path, object: &Path) -> Result<i32, String> {
        let (mut made, mut lowered) = (Vec::new(), None);
        let (tiled, regions) = (self.tiled, self.regions);
        if self.is_marked(source) {
            match std::fs::read_to_string(source) {
                Ok(text) => {
                    let lowering = Lowering { command: self.command, fortran: &self.fortran, added: &self.added };
                    let file = lowering.lower(source, &text, folder, true)?;
                    made = self.regions(source, &text, &file, folder)?;
                    lowered = Some(file);
                }
                Err(_) => self.tell_all(source, "the file is not UTF-8"),
            }
            if self.stopped {
                return Ok(1);
            }
        }
        let code = self.rewritten(source, &made, folder, object)?;
        if code == 0 {
            let count = RegionCount { tiled: self.tiled - tiled, regions: self.regions - regions };
            self.count_in(object, count, folder)?;
            self.describe(source, lowered, Some(object))?;
        }
        Ok(code)
    }

    /// Compiles a source with the regions that became tiles.
    fn rewritten(
        &mut self,
        source: &Path,
        regions: &[FortranRegion],
        folder: &Path,
        object: &Path,
    ) -> Result<i32, String> {
        if regions.is_empty() {
            return self.object(source, source, object, false).map(|(code, _)| code);
        }
        if let Some(others) = self.without_unlinked(source, regions, folder)? {
            return self.rewritten(source, &others, folder, object);
        }
        let text = std::fs::read_to_string(source).map_err(|e| format!("cannot read `{}`: {e}", source.display()))?;
        let file = source.display().to_string();
        let calling = folder.join(source.file_name().unwrap_or_default());
        let rewritten = rewrite(&text, &file, self.command.form(source), regions);
        output_file::write(&calling, rewritten.as_bytes())?;
        let own = folder.join("calls.o");
        let (code, messages) = self.object(&calling, source, &own, true)?;
        if code != 0 {
            // What the user's own text lacks shows here as in any compiler; if it lacks nothing, the call is to blame.
            let code = self.object(source, source, object, false)?.0;
            if code == 0 {
                let first = String::from_utf8_lossy(&messages)
                    .lines()
                    .find(|l| l.contains("Error"))
                    .unwrap_or_default()
                    .to_owned();
                let line = regions.first().map_or(1, |region| region.mark);
                self.tell(
                    source,
                    "of this file",
                    &FortranRefusal::new(line, &format!("a call cannot stand here: {first}"), ""),
                );
                return Ok(i32::from(self.command.strict));
            }
            return Ok(code);
        }
        output_file::tell(&String::from_utf8_lossy(&messages));
        self.tiled += regions.len();
        let parts = regions.iter().map(|region| folder.join(format!("{}.o", region.mark)));
        let joined = Command::new("ld").arg("-r").arg(&own).args(parts).arg("-o").arg(object).status();
        match joined {
            Ok(status) if status.success() => Ok(0),
            Ok(status) => Ok(status.code().unwrap_or(1)),
            Err(e) => Err(format!("cannot run `ld`, which joins objects: {e}; install binutils")),
        }
    }

    /// The regions without those that call a function by a name that gfortran's object does not have; `None` if there is none.
    fn without_unlinked(
        &self,
        source: &Path,
        regions: &[FortranRegion],
        folder: &Path,
    ) -> Result<Option<Vec<FortranRegion>>, String> {
        if regions.iter().all(|region| region.translated.externals.is_empty()) {
            return Ok(None);
        }
        // The names are in what gfortran makes of the source as it is: of loops that a call replaces, nothing may be left.
        let plain = folder.join("plain.o");
        if self.object(source, source, &plain, true)?.0 != 0 {
            return Ok(None);
        }
        let listed = Command::new("nm").arg("-P").arg(&plain).stdin(Stdio::null()).output();
        let listed = listed.map_err(|e| format!("cannot run `nm`, which lists names: {e}; install binutils"))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let mut words = self.fortran.iter().chain(self.command.options().flatten());
        let underscored = !words.any(|word| word == "-fno-underscoring");
        let mut others = Vec::new();
        for region in regions {
            match region.unlinked(&listed, underscored) {
                Some(why) => self.tell(source, &region.name, &why),
                None => others.push(region.clone()),
            }
        }
        let is_less = others.len() < regions.len();
        if is_less && self.command.strict {
            return Err(format!("`{}` has regions that stay sequential", source.display()));
        }
        Ok(is_less.then_some(others))
    }

    /// Compiles `text`, which stands for `source`, to an object.
    fn object(&self, text: &Path, source: &Path, object: &Path, kept: bool) -> Result<(i32, Vec<u8>), String> {
        let mut words: Vec<OsString> = Vec::new();
        for option in self.command.options().filter(|o| !["-shared", "-pie", "-no-pie", "-s"].contains(&o[0].as_str()))
        {
            words.extend(option.iter().map(OsString::from));
        }
        if text != source {
            // Included files are looked for beside the source.
            let beside = source.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            words.extend(["-I".into(), beside.into(), "-Wno-compare-reals".into(), "-Wno-c-binding-type".into()]);
        }
        words.extend(["-c".into(), text.into(), "-o".into(), object.into()]);
        self.fortran(&words, kept)
    }

    /// The regions of a file that became tiles, each compiled to an object in `folder`.
    fn regions(
        &mut self,
        source: &Path,
        text: &str,
        lowered: &LoweredFile,
        folder: &Path,
    ) -> Result<Vec<FortranRegion>, String> {
        let form = self.command.form(source);
        let first = marks(text, form).first().map_or(1, |mark| mark.line);
        let whole = std::fs::canonicalize(source).unwrap_or_else(|_| source.to_owned());
        let hlfir = lowered.text.clone().map_err(|(reason, remedy)| FortranRefusal::new(first, &reason, &remedy));
        let modules = lowered.file_modules();
        let lowering = Lowering { command: self.command, fortran: &self.fortran, added: &self.added };
        let active = lowering.active(source, text)?;
        let (folders, arithmetic) = (self.text_folders()?, self.arithmetic.clone());
        let find = |all: &[HlfirOp]| find_texts(all, &folders, &arithmetic, &whole);
        let reading = read(&active, &whole.display().to_string(), form, hlfir, &modules, &find);
        self.regions += reading.regions.len() + reading.refused.len();
        for (name, why) in &reading.refused {
            self.tell(source, name, why);
        }
        self.stopped |= self.command.strict && !reading.refused.is_empty();
        let mut all = Vec::new();
        for region in reading.regions {
            let name = region.name.clone();
            let made = match self.settled(source, region, folder)? {
                Ok(region) => self.region(source, &region, folder)?.map_or(Ok(region), Err),
                Err(why) => Err(why),
            };
            match made {
                Ok(region) => all.push(region),
                Err(why) => {
                    self.tell(source, &name, &why);
                    self.stopped |= self.command.strict;
                }
            }
        }
        Ok(all)
    }

    /// Makes tiles of a region and compiles them; or says why not.
    fn region(&self, file: &Path, region: &FortranRegion, folder: &Path) -> Result<Option<FortranRefusal>, String> {
        let (source, outcome) = match self.tiles(file, region, folder)? {
            Ok(made) => made,
            Err(why) => return Ok(Some(why)),
        };
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let generated = folder.join(format!("{stem}.{}.dvm.c", region.mark));
        output_file::write(&generated, &outcome.text(&source, &generated.display().to_string()))?;
        if self.command.show {
            let beside = self.command.output.as_deref().and_then(|o| Path::new(o).parent()).unwrap_or(Path::new(""));
            let kept = beside.join(generated.file_name().unwrap_or_default());
            output_file::write(&kept, &outcome.text(&source, &kept.display().to_string()))?;
            output_file::tell(&format!("dvmfc: note: wrote {}\n", kept.display()));
        }
        if self.command.remarks {
            let (file, mark) = (file.display(), region.mark);
            output_file::tell(&format!("{file}:{mark}:1: remark: region '{}' is tiled\n", region.name));
        }
        let mut words: Vec<OsString> = self.command.for_c().iter().map(OsString::from).collect();
        if let Some(include) = &self.install.include {
            words.extend(["-isystem".into(), include.into()]);
        }
        let object = folder.join(format!("{}.o", region.mark));
        // As gfortran does by itself: a square root that might set `errno` would be no vector.
        words.push("-fno-math-errno".into());
        // Fortran's products and quotients of complex numbers.
        words.push("-fcx-fortran-rules".into());
        words.extend(["-w".into(), "-c".into(), generated.into(), "-o".into(), object.into()]);
        match Compiler::find()?.execute(&words, None)? {
            0 => Ok(None),
            code => Err(format!("the C compiler fails with {code} on generated code; please report the source")),
        }
    }

    /// The region as it becomes tiles: an array that only it uses is its own where C finds that each iteration writes what
    /// it reads.
    fn settled(
        &self,
        source: &Path,
        region: FortranRegion,
        folder: &Path,
    ) -> Result<Result<FortranRegion, FortranRefusal>, String> {
        let (mut region, mut shared): (_, BTreeSet<String>) = (region, BTreeSet::new());
        loop {
            let scratch = region.scratch();
            if scratch.is_empty() && shared.is_empty() {
                return Ok(Ok(region));
            }
            let made = self.tiles(source, &region, folder)?;
            let outcome = made.as_ref().ok().map(|(_, outcome)| outcome);
            let is_shared = |name: &String| outcome.is_none_or(|outcome| outcome.shares(name));
            let now: BTreeSet<String> = scratch.into_iter().filter(is_shared).collect();
            if now.is_empty() {
                // That iterations do not meet cannot be said of an array that all of them write.
                let written = shared.iter().find(|name| outcome.is_some_and(|outcome| outcome.writes(name)));
                let written = written.filter(|_| region.clauses.independent.is_some());
                return Ok(written.map_or(Ok(region.clone()), |name| Err(region.shared_by_iterations(name))));
            }
            region = region.with_shared(&now);
            shared.extend(now);
        }
    }

    /// The generated C of a region; or why there is none.
    fn tiles(
        &self,
        file: &Path,
        region: &FortranRegion,
        folder: &Path,
    ) -> Result<Result<(Source, Outcome), FortranRefusal>, String> {
        let (text, lines) = region.c_text(&file.display().to_string());
        let source = Source::new(&folder.join(format!("{}.c", region.mark)), text.into_bytes());
        output_file::write(&source.path, &source.bytes)?;
        let line = |at: Option<(usize, usize)>| {
            let line = at.map_or(1, |(begin, _)| source.position(begin).0) as usize;
            lines.get(line.saturating_sub(1)).copied().unwrap_or(region.mark)
        };
        let outcome = match transform(&source, &[], self.guarded) {
            Ok(outcome) => outcome,
            Err(error) => return Ok(Err(FortranRefusal::new(region.mark, &error.to_string(), ""))),
        };
        if !outcome.regions.is_empty() {
            return Ok(Ok((source, outcome)));
        }
        let why = outcome.diagnostics.iter().find(|d| d.severity != Severity::Note);
        let Some(why) = why else { return Ok(Err(FortranRefusal::new(region.mark, "no reason is known", ""))) };
        let stays = format!("region '{}' stays sequential: ", region.name);
        let code = why.code.map(|code| format!(" [{code}]")).unwrap_or_default();
        let reason = in_fortran(why.message.strip_prefix(&stays).unwrap_or(&why.message), &lines, &region.names());
        let remedy = why.code.map_or("", remedy);
        Ok(Err(FortranRefusal::new(line(why.span), &format!("{reason}{code}"), remedy)))
    }

    /// `--why`: says which loops outside of regions can be tiled, and what stands in the way of the others. Sources
    /// that make modules come before those that use them.
    fn advise(&mut self, sources: &[PathBuf]) -> Result<i32, String> {
        let (mut code, mut told) = (0, Vec::new());
        let text = |source: &PathBuf| String::from_utf8_lossy(&std::fs::read(source).unwrap_or_default()).into_owned();
        let uses: Vec<ModuleUses> = sources
            .iter()
            .map(|source| ModuleUses::read(&statements(&text(source), self.command.form(source))))
            .collect();
        for at in in_order_of_use(&uses) {
            let source = &sources[at];
            self.make_modules(source, &uses[at])?;
            let advice = match &self.unlisted {
                Some(option) => Err(format!("the option `{option}` may change what its statements mean")),
                None => self.advice(source),
            };
            match advice {
                Ok((nests, regions)) => told.push(FileAdvice { path: source.clone(), nests, regions }),
                Err(why) => {
                    output_file::tell(&format!("{}: error: {why}\n", source.display()));
                    code = 1;
                }
            }
        }
        output_file::print(report(told).as_bytes())?;
        Ok(code)
    }

    /// Makes the modules of a source for the sources behind it. Where gfortran cannot, those say what they miss.
    fn make_modules(&mut self, source: &Path, uses: &ModuleUses) -> Result<(), String> {
        if uses.made.is_empty() {
            return Ok(());
        }
        let mut words: Vec<OsString> = self.command.options().flatten().map(OsString::from).collect();
        words.extend(["-fsyntax-only".into(), source.into()]);
        let (code, _) = self.fortran(&words, true)?;
        if code == 0 { self.describe(source, None, None) } else { Ok(()) }
    }

    /// What is told of the loops outside of a source's regions, and how many regions it has.
    fn advice(&mut self, source: &Path) -> Result<(Vec<NestAdvice>, usize), String> {
        let folder = self.folder()?;
        let text = std::fs::read_to_string(source).map_err(|e| format!("cannot read the file: {e}"))?;
        let lowering = Lowering { command: self.command, fortran: &self.fortran, added: &self.added };
        let lowered = lowering.lower(source, &text, &folder, true)?;
        let active = lowering.active(source, &text)?;
        let hlfir = lowered.text.as_ref().map_err(|(reason, remedy)| format!("{reason}; {remedy}"))?;
        let whole = std::fs::canonicalize(source).unwrap_or_else(|_| source.to_owned());
        let all = procedures(hlfir, &whole.display().to_string()).map_err(|why| why.reason)?;
        let form = self.command.form(source);
        let (statements, modules) = (statements(&active, form), lowered.file_modules());
        let opened = find_texts(&all, &self.text_folders()?, &self.arithmetic, &whole);
        let own = FileParts::own(&statements, &all, &modules);
        let files = std::iter::once(own).chain(opened.files.iter().map(OpenedText::parts)).collect();
        let group = FileGroup { files, problems: &opened.problems };
        let file = FortranFile::new(&group);
        let mut attempt = |first: u32, clauses: &str| match region_at(&file, &active, first, clauses) {
            Ok(region) => {
                let tiled = match self.settled(source, region, &folder)? {
                    Ok(region) => self.tiles(source, &region, &folder)?.map(|_| ()),
                    Err(why) => Err(why),
                };
                Ok(tiled.map_err(|why| FortranRefusal { line: why.line.max(first), ..why }))
            }
            Err(why) => Ok(Err(why)),
        };
        let marked = marks(&active, form).into_iter().filter(|mark| mark.text.starts_with("region"));
        let begin = |line: u32| statements.iter().map(|statement| statement.first).find(|first| *first > line);
        let regions: Vec<u32> = marked.filter_map(|mark| begin(mark.line)).collect();
        let others = outside(nests(&statements), &regions.iter().copied().collect());
        Ok((advise(source, &others, &mut attempt)?, regions.len()))
    }
}
