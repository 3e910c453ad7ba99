//! Texts of procedures that `dvmfc` keeps beside objects and modules: a file that is compiled later puts them where it
//! calls them. A text has a number, which the object has as a name at the procedure's own address: only where the
//! procedure that is linked stands there does the program run what was made of the text.

use super::file::{FileParts, KeptParts};
use super::function_names::FunctionNames;
use super::hlfir::{self, HlfirOp};
use super::jumps;
use super::lowering::LoweredFile;
use super::modules::{FileModules, ModuleUses};
use super::statements::{FortranStatement, SourceForm, statements};
use super::variables::attribute;
use crate::driver::output_file;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

const HEAD: &str = "dvmtext 1";
/// The name of the file itself in places.
const OWN: &str = "own";
/// A procedure with more lines of flang's text is not kept, nor is a file with more bytes.
const LINES: usize = 40_000;
const BYTES: usize = 16 << 20;
/// Files that are opened for one compilation.
const FILES: usize = 200;

/// What is kept of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptText {
    /// The source, as a whole path, and a number of its bytes.
    pub source: String,
    /// A number of the bytes of the source.
    pub stamp: u64,
    /// Options that may change the bits of results.
    pub options: String,
    /// Procedures by flang's names: the name for the linker, empty for those that other files cannot call.
    pub labels: BTreeMap<String, String>,
    /// Procedures that are not kept: why.
    pub dropped: BTreeMap<String, String>,
    body: KeptBody,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct KeptBody {
    /// The last column of the fixed form; none: the free form.
    columns: Option<usize>,
    /// The text without what the preprocessor takes out.
    text: String,
    /// What flang says about it.
    hlfir: String,
    /// Modules that are known, names that `use` statements change, and flang's texts of modules.
    known: BTreeSet<String>,
    renamed: BTreeSet<String>,
    modules: Vec<String>,
}

/// A kept file that was read.
#[derive(Debug)]
pub struct OpenedText {
    source: String,
    number: u64,
    labels: BTreeMap<String, String>,
    statements: Vec<FortranStatement>,
    all: Vec<HlfirOp>,
    modules: FileModules,
}

/// What was found for calls of procedures of other files.
#[derive(Debug, Default)]
pub struct OpenedTexts {
    /// The files.
    pub files: Vec<OpenedText>,
    /// Procedures that are not found or not taken: a reason and a remedy.
    pub problems: BTreeMap<String, (String, String)>,
}

/// The number of bytes.
pub fn stamp_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

impl KeptText {
    /// A file of which nothing can be taken; `text` tells the names of its procedures.
    pub fn refused(source: &Path, stamp: u64, options: String, text: &[FortranStatement], why: &str) -> KeptText {
        let why = why.replace('\n', " ");
        let dropped = names_in(text).into_iter().map(|symbol| (symbol, why.clone())).collect();
        KeptText { dropped, ..KeptText::empty(source.display().to_string(), stamp, options) }
    }

    fn empty(source: String, stamp: u64, options: String) -> KeptText {
        KeptText {
            source,
            stamp,
            options,
            labels: BTreeMap::new(),
            dropped: BTreeMap::new(),
            body: KeptBody::default(),
        }
    }

    /// What is kept of a file that flang has lowered to `hlfir`; `text` is what is compiled of it.
    pub fn new(
        source: &Path,
        stamp: u64,
        options: String,
        form: SourceForm,
        text: &str,
        hlfir: &str,
        lowered: &LoweredFile,
    ) -> KeptText {
        let own = statements(text, form);
        if own.iter().any(|one| one.text.starts_with("equivalence")) {
            return KeptText::refused(source, stamp, options, &own, "its file has an EQUIVALENCE");
        }
        let (shown, labels, dropped) =
            prune(&hlfir.replace(&format!("\"{}\"", source.display()), &format!("\"{OWN}\"")));
        if shown.len() + text.len() > BYTES {
            return KeptText::refused(source, stamp, options, &own, "its file is too long");
        }
        let mut kept = KeptText::empty(source.display().to_string(), stamp, options);
        (kept.labels, kept.dropped) = (labels, dropped);
        let all = lowered.file_modules();
        kept.body = KeptBody {
            columns: if let SourceForm::Fixed(columns) = form { Some(columns) } else { None },
            text: text.to_owned(),
            hlfir: shown,
            known: all.known,
            renamed: all.renamed,
            modules: lowered.module_texts(),
        };
        kept
    }

    /// A number of what the text means: comments and lines do not count.
    pub fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.options.hash(&mut hasher);
        for statement in statements(&self.body.text, self.form()) {
            (statement.label, &statement.text).hash(&mut hasher);
        }
        for line in self.body.hlfir.lines().filter(|line| !line.starts_with('#')) {
            line.rsplit_once(" loc(").map_or(line, |(line, _)| line).hash(&mut hasher);
        }
        (&self.body.known, &self.body.renamed, &self.body.modules).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether it tells nothing.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.dropped.is_empty()
    }

    fn form(&self) -> SourceForm {
        self.body.columns.map_or(SourceForm::Free, SourceForm::Fixed)
    }

    /// As a file.
    pub fn print(&self) -> String {
        let mut out = format!("{HEAD} {:016x}\nsource {}\noptions {}\n", self.stamp, self.source, self.options);
        for (symbol, label) in &self.labels {
            let _ = writeln!(out, "has {symbol} {label}");
        }
        for (symbol, why) in &self.dropped {
            let _ = writeln!(out, "lacks {symbol} {why}");
        }
        out.push('\n');
        let body = &self.body;
        let _ =
            writeln!(out, "{}", body.columns.map_or_else(|| "free".to_owned(), |columns| format!("fixed {columns}")));
        let words = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        let parts = [words(&body.known), words(&body.renamed), body.text.clone(), body.hlfir.clone()];
        for part in parts.iter().chain(&body.modules) {
            let _ = write!(out, "{}\n{part}\n", part.len());
        }
        out
    }

    /// The head of a file, and its body if that is wanted; `None` if it is none.
    fn read(path: &Path, whole: bool) -> Option<KeptText> {
        let mut file = BufReader::new(std::fs::File::open(path).ok()?);
        let mut line = String::new();
        file.read_line(&mut line).ok()?;
        let stamp = u64::from_str_radix(line.trim_end().strip_prefix(HEAD)?.trim(), 16).ok()?;
        let mut kept = KeptText::empty(String::new(), stamp, String::new());
        loop {
            line.clear();
            file.read_line(&mut line).ok().filter(|length| *length > 0)?;
            let (key, rest) = line.trim_end_matches('\n').split_once(' ').unwrap_or((line.trim_end(), ""));
            let pair = || rest.split_once(' ').map(|(one, other)| (one.to_owned(), other.to_owned()));
            match key {
                "" => break,
                "source" => rest.clone_into(&mut kept.source),
                "options" => rest.clone_into(&mut kept.options),
                "has" => kept.labels.extend(pair()),
                "lacks" => kept.dropped.extend(pair()),
                _ => return None,
            }
        }
        if whole {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut file, &mut text).ok()?;
            kept.body = KeptBody::parse(&text)?;
        }
        Some(kept)
    }

    /// Writes it, if it is not there already.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = self.print();
        if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        output_file::write(path, text.as_bytes())
    }

    fn open(self) -> Option<OpenedText> {
        let mut modules = FileModules::default();
        self.body.modules.iter().for_each(|text| modules.take(text));
        let own = statements(&self.body.text, self.form());
        let number = self.number();
        let mut all = hlfir::parse(&self.body.hlfir, OWN).ok()?;
        jumps::structure(&mut all);
        (modules.known, modules.renamed) = (self.body.known, self.body.renamed);
        Some(OpenedText { source: self.source, number, labels: self.labels, statements: own, all, modules })
    }
}

impl KeptBody {
    fn parse(text: &str) -> Option<KeptBody> {
        let (form, mut rest) = text.split_once('\n')?;
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let (length, after) = rest.split_once('\n')?;
            let length = length.parse::<usize>().ok()?;
            parts.push(after.get(..length)?.to_owned());
            rest = after.get(length..)?.strip_prefix('\n')?;
        }
        let mut parts = parts.into_iter();
        let mut words = || Some(parts.next()?.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>());
        let (known, renamed) = (words()?, words()?);
        let (text, hlfir) = (parts.next()?, parts.next()?);
        let columns = match form {
            "free" => None,
            form => Some(form.strip_prefix("fixed ")?.parse().ok()?),
        };
        Some(KeptBody { columns, text, hlfir, known, renamed, modules: parts.collect() })
    }
}

impl OpenedText {
    /// As a part of the program beside the file that is compiled.
    pub fn parts(&self) -> FileParts<'_> {
        FileParts {
            statements: &self.statements,
            all: &self.all,
            modules: &self.modules,
            functions: FunctionNames::read(&self.statements),
            kept: Some(KeptParts { source: Path::new(&self.source), number: self.number, labels: &self.labels }),
        }
    }

    fn has(&self, symbol: &str) -> bool {
        self.labels.contains_key(symbol)
    }
}

/// Names that flang would give to procedures of a text, as far as its heads tell.
fn names_in(text: &[FortranStatement]) -> BTreeSet<String> {
    let (mut all, mut module) = (BTreeSet::new(), None);
    for statement in text {
        let words: Vec<&str> = statement.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        match words.as_slice() {
            ["module", name] => module = Some((*name).to_owned()),
            ["end", "module", ..] | ["endmodule", ..] => module = None,
            ["end", ..] => {}
            words => {
                let head = words.windows(2).find(|pair| ["subroutine", "function"].contains(&pair[0]));
                let before = module.as_ref().map_or("_QP".to_owned(), |module| format!("_QM{module}P"));
                all.extend(head.map(|pair| format!("{before}{}", pair[1])));
            }
        }
    }
    all
}

/// Procedures, places and globals of flang's text that may stand for calls; names of procedures, and why others are not kept.
fn prune(text: &str) -> (String, BTreeMap<String, String>, BTreeMap<String, String>) {
    let (mut kept, mut labels, mut dropped) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let mut block: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("  ")) {
        block.push(line);
        // Labels of blocks stand where procedures do.
        let is_inner = line.starts_with("   ") || line.starts_with("  ^");
        let opens = !is_inner && line.ends_with('{');
        if is_inner || opens || (line.starts_with("  }") && line.ends_with('{')) {
            continue;
        }
        let block = std::mem::take(&mut block);
        let head = block[0].trim_start();
        let symbol = head.strip_prefix("func.func ").and_then(|rest| attribute(rest, "@", '('));
        let is_global = head.starts_with("fir.global") && block.len() <= 4;
        match symbol {
            Some(_) if block.len() == 1 => kept.extend(block),
            Some(symbol) if symbol.starts_with("_QQ") || !symbol.starts_with("_Q") => {}
            Some(symbol) => {
                if let Some(why) = obstacle(&block) {
                    dropped.insert(symbol.to_owned(), why.to_owned());
                } else {
                    labels.insert(symbol.to_owned(), String::new());
                    kept.extend(block);
                }
            }
            None if is_global => kept.extend(block),
            None => {}
        }
    }
    let mut places = BTreeSet::new();
    for line in &kept {
        places.extend(line.split("loc(#").skip(1).filter_map(|rest| rest.split(')').next()));
    }
    let is_used = |line: &&str| {
        line.strip_prefix('#').and_then(|rest| rest.split(' ').next()).is_some_and(|name| places.contains(name))
    };
    let places = text.lines().filter(is_used);
    let all: String = kept.iter().copied().chain(places).flat_map(|line| [line, "\n"]).collect();
    (all, labels, dropped)
}

fn obstacle(block: &[&str]) -> Option<&'static str> {
    if block.len() > LINES {
        return Some("it is too long");
    }
    let has = |word: &str| block.iter().any(|line| line.contains(word));
    has("@_FortranAio").then_some("it does input or output")
}

/// What procedures of a program part call that is in other files.
fn called(all: &[HlfirOp], only_in_loops: bool) -> BTreeSet<String> {
    let heads = || all.iter().filter(|op| op.name == "func.func");
    let own: BTreeSet<&str> =
        heads().filter(|op| !op.regions.is_empty()).filter_map(|op| attribute(&op.text, "@", '(')).collect();
    let mut names = BTreeSet::new();
    for op in heads().flat_map(HlfirOp::inner) {
        let loops = only_in_loops && op.name == "fir.do_loop";
        let inside = if only_in_loops && !loops { Vec::new() } else { op.inner() };
        let calls = inside.into_iter().chain([op].into_iter().filter(|_| !only_in_loops));
        let symbols = calls.filter(|op| op.name.starts_with("fir.call")).filter_map(|op| attribute(&op.text, "@", '('));
        names.extend(symbols.filter(|s| s.starts_with("_Q") && !own.contains(s)).map(str::to_owned));
    }
    names
}

const FIRST: &str = "have its source compiled by dvmfc before this file, into the same folder or one of `-I`; in make, let \
    this object depend on that one";

/// Finds the texts of what loops of a file call in other files, in `folders`; `options` are those of this file, `source`
/// is its whole path.
pub fn find(all: &[HlfirOp], folders: &[PathBuf], options: &str, source: &Path) -> OpenedTexts {
    let mut opened = OpenedTexts::default();
    let mut waiting: Vec<String> = called(all, true).into_iter().collect();
    let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
    if waiting.is_empty() {
        return opened;
    }
    let heads = heads(folders, source);
    while let Some(symbol) = waiting.pop() {
        if opened.files.iter().any(|file| file.has(&symbol)) {
            continue;
        }
        match choose(&symbol, &heads, options) {
            Ok(path) => {
                let file = KeptText::read(path, true).and_then(KeptText::open);
                if let Some(file) = file.filter(|file| file.has(&symbol) && opened.files.len() < FILES) {
                    waiting.extend(called(&file.all, false).into_iter().filter(|name| seen.insert(name.clone())));
                    opened.files.push(file);
                } else {
                    opened.problems.insert(symbol, ("its text cannot be read".to_owned(), FIRST.to_owned()));
                }
            }
            Err(why) => _ = opened.problems.insert(symbol, why),
        }
    }
    opened
}

/// The heads of all that is kept in folders, but for that of `source`.
fn heads(folders: &[PathBuf], source: &Path) -> Vec<(PathBuf, KeptText)> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    let own = source.display().to_string();
    for folder in folders {
        let Ok(folder) = std::fs::canonicalize(folder) else { continue };
        if !seen.insert(folder.clone()) {
            continue;
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_kept = path.extension().is_some_and(|extension| extension == "dvmtext");
            let head = is_kept.then(|| KeptText::read(&path, false)).flatten();
            all.extend(head.filter(|head| head.source != own).map(|head| (path, head)));
        }
    }
    all
}

/// The file whose text of a procedure is that of its source, or why there is none.
fn choose<'h>(symbol: &str, heads: &'h [(PathBuf, KeptText)], options: &str) -> Result<&'h PathBuf, (String, String)> {
    let name = symbol.rsplit_once('P').map_or(symbol, |(_, name)| name);
    let told = |reason: String, remedy: &str| Err((reason, remedy.to_owned()));
    let means = |head: &KeptText| head.labels.contains_key(symbol) || head.dropped.contains_key(symbol);
    let all: Vec<&(PathBuf, KeptText)> = heads.iter().filter(|(_, head)| means(head)).collect();
    let is_true = |head: &KeptText| std::fs::read(&head.source).is_ok_and(|bytes| stamp_of(&bytes) == head.stamp);
    let mut current: Vec<&(PathBuf, KeptText)> = all.iter().copied().filter(|(_, head)| is_true(head)).collect();
    // Of one source, the first folder counts.
    let mut sources = BTreeSet::new();
    current.retain(|(_, head)| sources.insert(&head.source));
    let (path, head) = match (current.as_slice(), all.as_slice()) {
        ([only], _) => only,
        ([one, other, ..], _) => {
            let reason = format!("`{}` and `{}` both have a procedure `{name}`", one.1.source, other.1.source);
            return told(reason, "compile the files of different programs into different folders");
        }
        ([], [(_, old), ..]) => {
            return told(format!("`{}` has changed since dvmfc compiled it, or is not there", old.source), FIRST);
        }
        ([], []) => {
            // A file that could not be read at all may have it.
            return told(
                "its text is not in this file, and none that dvmfc has kept of another file".to_owned(),
                FIRST,
            );
        }
    };
    if let Some(why) = head.dropped.get(symbol) {
        let of_option = why.starts_with("its file was compiled with");
        let remedy = if of_option { "compile its file without it" } else { "end the region before the call" };
        return told(why.clone(), remedy);
    }
    if head.options != options {
        let spoken = |options: &str| if options.is_empty() { "none".to_owned() } else { format!("`{options}`") };
        let reason = format!(
            "its file was compiled with other options of arithmetic: {}, and this file with {}",
            spoken(&head.options),
            spoken(options)
        );
        return told(reason, "compile both files with the same `-m...` and `-ffp-contract=...`");
    }
    Ok(path)
}

/// Whether a text may have procedures that other files call.
pub fn may_have_procedures(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["subroutine", "function", "include"].iter().any(|word| lower.contains(word))
}

/// The name of the file that keeps a text: in the folder of modules if the source makes some, else beside the object.
pub fn place_of(uses: &ModuleUses, modules: &Path, object: &Path) -> PathBuf {
    if let Some(module) = uses.made.first() {
        return modules.join(format!("{module}.dvmtext"));
    }
    let name = object.file_name().unwrap_or_default().to_string_lossy().into_owned();
    object.with_file_name(format!("{name}.dvmtext"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: &str = "\
module attributes {x = 1} {
  func.func @_QPs(%arg0: !fir.ref<f64> loc(\"own\":1:1)) {
    fir.if %2 {
      %3 = arith.addi %2, %2 : i32 loc(#loc1)
    } else {
    } loc(#loc1)
    cf.br ^bb1 loc(#loc1)
  ^bb1:  // pred: ^bb0
    return loc(#loc1)
  } loc(#loc2)
  func.func @_QPsays() {
    %1 = fir.call @_FortranAioBegin() : () -> i32 loc(#loc3)
    return loc(#loc3)
  } loc(#loc3)
  func.func private @_QPt(!fir.ref<f64>) loc(#loc1)
  func.func @_QQmain() {
    return loc(#loc4)
  } loc(#loc4)
} loc(#loc)
#loc1 = loc(\"own\":4:7)
#loc2 = loc(\"own\":1:1)
#loc4 = loc(\"own\":9:1)
";

    fn kept(text: &str) -> KeptText {
        let (hlfir, labels, dropped) = prune(SHOWN);
        let known = ["m".to_owned()].into();
        let body =
            KeptBody { text: text.to_owned(), hlfir, known, modules: vec!["a\nb".to_owned()], ..KeptBody::default() };
        KeptText { labels, dropped, body, ..KeptText::empty("/x/s.f90".to_owned(), 7, "-mfma".to_owned()) }
    }

    #[test]
    fn only_procedures_that_can_stand_for_calls_are_kept() {
        let (text, labels, dropped) = prune(SHOWN);
        assert!(text.contains("addi") && text.contains("@_QPt(") && text.contains("#loc2 = "), "{text}");
        assert!(!text.contains("_QPsays") && !text.contains("_QQmain") && !text.contains("#loc4"), "{text}");
        assert!(labels.contains_key("_QPs") && labels.len() == 1);
        assert!(dropped.contains_key("_QPsays") && dropped.len() == 1);
        let all = hlfir::parse(&text, OWN).unwrap();
        assert_eq!((all.len(), all[0].regions[0].last().map(|op| op.name.as_str())), (2, Some("return")));
    }

    #[test]
    fn texts_are_read_as_they_were_written() {
        let folder = testkit::scratch(&[]);
        let (mut kept, path) = (kept("subroutine s(x)\nend\n"), folder.join("s.o.dvmtext"));
        kept.labels.insert("_QPs".to_owned(), "s_".to_owned());
        kept.write(&path).unwrap();
        assert_eq!(KeptText::read(&path, true).as_ref(), Some(&kept));
        let head = KeptText { body: KeptBody::default(), ..kept };
        assert_eq!(KeptText::read(&path, false), Some(head));
        folder.write("bad", "dvmtext 1 12\nsource a\nmore b\n\n");
        assert_eq!(KeptText::read(&folder.join("bad"), false), None);
    }

    #[test]
    fn comments_do_not_change_the_number_and_statements_do() {
        let number = |text: &str| kept(text).number();
        assert_eq!(number("x = 1\n"), number("! new\nX = 1 ! old\n"));
        assert!(number("x = 1\n") != number("x = 2\n"));
    }
}
