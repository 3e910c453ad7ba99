//! Parses a `cc` command line into inputs, options and the goal.

use super::long_options;
use crate::frontend::ACROSS;
use std::path::{Path, PathBuf};

/// The output of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// `-E`, or `-M` and `-MM`: text on stdout or into `-o`.
    Preprocess,
    /// `-S`, `-c` or `-fsyntax-only`.
    Compile,
    /// A program or library.
    Link,
}

/// A word, or an option with its argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// An option to pass on unchanged.
    Option(Vec<String>),
    /// A C source file.
    Source(PathBuf),
    /// Another input: object, library, other language, `-`.
    Input(String),
    /// An option about dependency files.
    Dependency(Vec<String>),
}

/// A parsed command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Invocation {
    /// Its parts in order.
    pub parts: Vec<Part>,
    /// The kind of output.
    pub goal: Goal,
    /// `-M` or `-MM`: the command only makes dependencies.
    pub only_dependencies: bool,
    /// Argument of `-o`.
    pub output: Option<String>,
    /// `--show`.
    pub show: bool,
    /// `--across`: regions without the clause run on all processes where that pays.
    pub across: bool,
    /// `--dvm-strict` or `-Werror=dvm`.
    pub strict: bool,
    /// `-w` or `-Wno-dvm`: no warnings.
    pub quiet: bool,
    /// `-w`: no warnings at all, so none can become an error.
    silent: bool,
    /// `-Werror=dvm`.
    hard: bool,
    /// Nothing is compiled: the compiler is asked something.
    pub query: bool,
    /// `--why`: nothing is compiled either; the loops of the sources are tried.
    pub why: bool,
    /// `--dvm-remarks`, or `--dvm-remarks=FILE`: what became of each region is told, or added to the file.
    pub remarks: Option<Option<PathBuf>>,
    /// `--help`.
    pub help: bool,
    /// `--version`.
    pub version: bool,
}

/// Options whose argument is the next word.
const SEPARATE: &str = "\
    -o -I -D -U -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore \
    -isysroot -l -L -T -u -z -e -x -A -B -G -Xlinker -Xassembler -Xpreprocessor -Xclang -arch -target \
    --param -aux-info -dumpbase -dumpdir -wrapper";

impl Invocation {
    /// Parses a command line without the command's name; expands response files.
    pub fn parse(arguments: &[String]) -> Result<Invocation, String> {
        let words = expand(arguments, 0)?;
        let mut it = Invocation {
            parts: vec![],
            goal: Goal::Link,
            only_dependencies: false,
            output: None,
            show: false,
            across: false,
            strict: false,
            quiet: false,
            silent: false,
            hard: false,
            query: false,
            why: false,
            remarks: None,
            help: false,
            version: false,
        };
        let mut language: Option<String> = None;
        let mut rest = words.into_iter();
        let mut short = Vec::new();
        while let Some(word) = short.pop().or_else(|| rest.next()) {
            if word == "--" {
                let named = |w: String| if w.starts_with('-') { format!("./{w}") } else { w };
                it.parts.extend(rest.by_ref().map(|w| input(named(w), language.as_deref())));
                break;
            }
            if it.own(&word) {
                continue;
            }
            if word.starts_with("--") {
                let mut words = long_options::short(word.clone(), &mut rest);
                if words != [word.as_str()] {
                    words.reverse();
                    short.extend(words);
                    continue;
                }
            }
            it.query |= is_query(&word);
            if !word.starts_with('-') || word == "-" {
                it.parts.push(input(word, language.as_deref()));
            } else if let Some(parts) = passed_dependency(&word) {
                it.parts.extend(parts);
            } else if let Some(parts) = dependency(&word, &mut rest)? {
                it.only_dependencies |= matches!(word.as_str(), "-M" | "-MM");
                it.parts.push(Part::Dependency(parts));
            } else if SEPARATE.split_whitespace().any(|o| o == word) {
                let argument = short.pop().or_else(|| rest.next());
                let argument = argument.ok_or_else(|| format!("option `{word}` needs an argument"))?;
                it.option(&word, &argument, &mut language);
                it.parts.push(Part::Option(vec![word, argument]));
            } else {
                it.joined(&word, &mut language);
                it.parts.push(Part::Option(vec![word]));
            }
        }
        it.strict |= it.hard && !it.silent;
        it.quiet |= it.silent;
        if it.only_dependencies {
            it.goal = Goal::Preprocess;
        }
        Ok(it)
    }

    /// Whether an option is dvmcc's, and none of the compiler's.
    pub fn is_own(word: &str) -> bool {
        Invocation::parse(&[]).is_ok_and(|mut none| none.own(word))
    }

    fn own(&mut self, word: &str) -> bool {
        match word {
            "--show" => self.show = true,
            ACROSS => self.across = true,
            "--dvm-strict" => self.strict = true,
            "-Werror=dvm" => (self.hard, self.quiet) = (true, false),
            "-Wno-error=dvm" => self.hard = false,
            "-Wdvm" => self.quiet = false,
            "-Wno-dvm" => (self.quiet, self.hard) = (true, false),
            "--why" => self.why = true,
            "--dvm-remarks" => self.remarks = Some(None),
            "--help" => self.help = true,
            "--version" => self.version = true,
            _ => match word.strip_prefix("--dvm-remarks=").filter(|file| !file.is_empty()) {
                Some(file) => self.remarks = Some(Some(PathBuf::from(file))),
                None => return false,
            },
        }
        true
    }

    fn option(&mut self, word: &str, argument: &str, language: &mut Option<String>) {
        match word {
            "-o" => self.output = Some(argument.to_owned()),
            "-x" => *language = Some(argument.to_owned()).filter(|l| l != "none"),
            _ => {}
        }
    }

    fn joined(&mut self, word: &str, language: &mut Option<String>) {
        match word {
            "-E" => self.goal = Goal::Preprocess,
            "-c" | "-S" | "-fsyntax-only" if self.goal == Goal::Link => self.goal = Goal::Compile,
            "-w" => self.silent = true,
            _ => {
                if let Some(name) = word.strip_prefix("-o") {
                    self.output = Some(name.to_owned());
                } else if let Some(name) = word.strip_prefix("-x") {
                    *language = Some(name.to_owned()).filter(|l| l != "none");
                }
            }
        }
    }

    /// C sources in order.
    pub fn sources(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().filter_map(|p| if let Part::Source(path) = p { Some(path.as_path()) } else { None })
    }

    /// Whether there is any input file.
    pub fn has_inputs(&self) -> bool {
        self.parts.iter().any(|p| matches!(p, Part::Source(_) | Part::Input(_)))
    }

    /// Words of the dependency options.
    pub fn dependencies(&self) -> Vec<&str> {
        let words = self.parts.iter().filter_map(|p| if let Part::Dependency(w) = p { Some(w) } else { None });
        words.flatten().map(String::as_str).collect()
    }

    /// Whether the program counts executions of its lines, with counters on which tiles would race.
    pub fn counts_lines(&self) -> bool {
        let counting = ["--coverage", "-coverage", "-fprofile-arcs", "-fprofile-generate", "-fprofile-instr-generate"];
        counting.iter().any(|option| self.has_option(option))
    }

    /// Whether some option begins with `prefix`.
    pub fn has_option(&self, prefix: &str) -> bool {
        let mut words = self.parts.iter().filter_map(|p| if let Part::Option(w) = p { w.first() } else { None });
        words.any(|w| w.starts_with(prefix))
    }

    /// The options that affect how a preprocessor or parser reads the source.
    pub fn reading_flags(&self) -> Vec<String> {
        let options = self.parts.iter().filter_map(|p| if let Part::Option(w) = p { Some(w) } else { None });
        reading_flags(options)
    }
}

/// The options that change the meaning of the source text.
pub fn reading_flags<'a>(options: impl Iterator<Item = &'a Vec<String>>) -> Vec<String> {
    const EXACT: &str = "\
        -ansi -nostdinc -undef -pthread -m32 -m64 -mx32 -funsigned-char -fsigned-char -fno-unsigned-char \
        -fno-signed-char -fshort-enums -fshort-wchar -fwrapv -fno-strict-overflow -ftrapv -fno-builtin \
        -ffreestanding -traditional-cpp -fstrict-aliasing -fno-strict-aliasing -trigraphs -fms-extensions \
        -fplan9-extensions -mms-bitfields -malign-double -m96bit-long-double -fsingle-precision-constant \
        -funsigned-bitfields -fno-signed-bitfields -fno-dollars-in-identifiers -fgnu89-inline";
    const PREFIX: &str = "\
        -I -D -U -std= --std= -include -imacros -isystem -iquote -idirafter -isysroot --sysroot= -iprefix \
        -iwithprefix -march= -target --target= -fpack-struct -mlong-double- -fexec-charset= -finput-charset= \
        -fwide-exec-charset=";
    options
        .filter(|words| {
            let first = words[0].as_str();
            EXACT.split_whitespace().any(|o| o == first)
                || PREFIX.split_whitespace().any(|p| first.starts_with(p))
                || first.starts_with("-O")
        })
        .flatten()
        .cloned()
        .collect()
}

fn input(word: String, language: Option<&str>) -> Part {
    let c = match language {
        Some(language) => language == "c",
        None => Path::new(&word).extension().is_some_and(|e| e == "c"),
    };
    if c && word != "-" { Part::Source(PathBuf::from(word)) } else { Part::Input(word) }
}

fn dependency(word: &str, rest: &mut impl Iterator<Item = String>) -> Result<Option<Vec<String>>, String> {
    for kind in ["-MF", "-MT", "-MQ"] {
        if let Some(joined) = word.strip_prefix(kind) {
            let argument = if joined.is_empty() { rest.next() } else { Some(joined.to_owned()) };
            let argument = argument.ok_or_else(|| format!("option `{word}` needs an argument"))?;
            return Ok(Some(vec![kind.to_owned(), argument]));
        }
    }
    Ok(["-M", "-MM", "-MD", "-MMD", "-MP", "-MG"].contains(&word).then(|| vec![word.to_owned()]))
}

/// Splits `-Wp,...` into options about dependency files, which Linux's build files pass this way, and the others.
fn passed_dependency(word: &str) -> Option<Vec<Part>> {
    let words: Vec<&str> = word.strip_prefix("-Wp,")?.split(',').collect();
    let about = |word: &str| ["-MD", "-MMD", "-MF", "-MT", "-MQ", "-MP", "-MG"].contains(&word);
    if !words.iter().any(|w| about(w)) {
        return None;
    }
    let (mut others, mut after) = (vec!["-Wp"], false);
    for one in words {
        let here = about(one);
        if !here && (!after || one.starts_with('-')) {
            others.push(one);
        }
        after = here;
    }
    let others = (others.len() > 1).then(|| Part::Option(vec![others.join(",")]));
    Some(std::iter::once(Part::Dependency(vec![word.to_owned()])).chain(others).collect())
}

/// Whether an option asks what the compiler is or would do, and compiles nothing.
fn is_query(word: &str) -> bool {
    const EXACT: [&str; 7] =
        ["-###", "-show", "-compile_info", "-compile-info", "-link_info", "-link-info", "--target-help"];
    const PREFIX: [&str; 6] = ["-showme", "--showme", "-print-", "--print-", "-dump", "--help="];
    EXACT.contains(&word)
        || PREFIX.iter().any(|p| word.starts_with(p)) && !["-dumpbase", "-dumpdir"].iter().any(|o| word.starts_with(o))
}

fn expand(words: &[String], depth: u32) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for word in words {
        match word.strip_prefix('@').map(|file| (file, std::fs::read_to_string(file))) {
            Some((file, Ok(text))) => {
                if depth > 32 {
                    return Err(format!("response file `{file}` includes itself"));
                }
                all.extend(expand(&split(&text), depth + 1)?);
            }
            // As in compilers, a word stays as it is if it does not name a readable file.
            _ => all.push(word.clone()),
        }
    }
    Ok(all)
}

/// Splits a response file: blanks separate, quotes and backslashes protect.
pub fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Invocation {
        Invocation::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn inputs_and_goals() {
        let it = parse("-O2 -c a.c -o b.o -I inc -DX=1 -MMD -MFd.d --show");
        assert_eq!(it.goal, Goal::Compile);
        assert_eq!(it.sources().collect::<Vec<_>>(), [Path::new("a.c")]);
        assert_eq!(it.output.as_deref(), Some("b.o"));
        assert_eq!(it.dependencies(), ["-MMD", "-MF", "d.d"]);
        assert_eq!(it.reading_flags(), ["-O2", "-I", "inc", "-DX=1"]);
        assert!(it.show && !it.strict);
    }

    #[test]
    fn languages_hold_until_changed() {
        let it = parse("-x c a.txt -xnone b.o -x c++ c.c -xc - d.i");
        assert_eq!(it.sources().collect::<Vec<_>>(), [Path::new("a.txt"), Path::new("d.i")]);
        assert_eq!(it.goal, Goal::Link);
    }

    #[test]
    fn response_files_split_like_a_compilers() {
        assert_eq!(split("a \"b c\" 'd\"' e\\ f\n\"\""), ["a", "b c", "d\"", "e f", ""]);
    }
}
