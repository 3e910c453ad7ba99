//! The command line of gfortran, as far as `dvmfc` must know it.

use super::included_marks::any_included;
use super::statements::{FIXED as STANDARD, SourceForm};
use std::path::{Path, PathBuf};

/// What the command makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FortranGoal {
    /// A program or a shared library.
    Link,
    /// Objects (`-c`).
    Object,
    /// Something else, or nothing: assembly, preprocessed text, an answer.
    Other,
}

/// A command line.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct FortranCommand {
    /// What it makes.
    pub goal: FortranGoal,
    /// The argument of `-o`.
    pub output: Option<String>,
    /// Words that are neither sources nor `-o`, and sources: all in order.
    pub words: Vec<FortranWord>,
    /// `--show`
    pub show: bool,
    /// `--dvm-strict`
    pub strict: bool,
    /// `-Wno-dvm`
    pub quiet: bool,
    /// `--dvm-remarks`
    pub remarks: bool,
    /// `--why`
    pub why: bool,
}

/// A word of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FortranWord {
    /// An option with its argument.
    Option(Vec<String>),
    /// A source of Fortran.
    Source(PathBuf),
    /// Another input: an object, a library, a source of C.
    Input(String),
}

const WITH_ARGUMENT: &str = "-I -J -D -U -L -l -include -isystem -Xlinker -T -u -z -x -MF -MT -MQ -aux-info -A";
const FREE: [&str; 8] = ["f90", "f95", "f03", "f08", "F90", "F95", "F03", "F08"];
const FIXED: [&str; 8] = ["f", "for", "ftn", "fpp", "F", "FOR", "FTN", "FPP"];

/// Options under which regions are transformed: exact ones, and beginnings. Others may change what statements mean.
const TAKEN: &str = "-c -w -v -pipe -s -shared -pie -no-pie -rdynamic -pthread -static-libgfortran -static-libgcc -pedantic \
    -cpp -ffree-form -ffixed-form -fimplicit-none -fbacktrace -fno-backtrace -frecursive -fno-automatic -fstack-arrays \
    -fallow-argument-mismatch -fPIC -fpic -fPIE -fpie -fno-plt -fomit-frame-pointer -fno-omit-frame-pointer -fopt-info \
    -funroll-loops -fno-unroll-loops -fno-inline -fstack-protector-strong -fno-stack-protector -fno-strict-aliasing \
    -std=gnu -std=legacy -std=f2008 -std=f2018 -O -O0 -O1 -O2 -O3 -Os -Og -g -g0 -g1 -g2 -g3 -ggdb -m64 -mfma -mno-fma \
    -fdefault-real-8 -fdefault-double-8 -ffree-line-length-none -fno-underscoring -funderscoring -fmessage-length=0 -fno-fast-math";
const BEGINNINGS: &str = "-W -I -J -D -U -L -l -march= -mtune= -mcpu= -mavx -msse -mprefer-vector-width= -ffp-contract= \
    -ffree-line-length- -ffixed-line-length- -fmax-errors= -fdiagnostics- -ftree- -fno-tree- -fvect-cost-model= -finline- -fmax-stack-var-size= \
    -gdwarf -fdebug-prefix-map= -ffile-prefix-map= -Xlinker";
/// The option for the last column of the fixed form.
const COLUMNS: &str = "-ffixed-line-length-";
/// The options for the kinds of `real` and of `double precision`.
const REAL: &str = "-fdefault-real-8";
const DOUBLE: &str = "-fdefault-double-8";
/// Beginnings of options that may change what statements mean, but not declarations.
const OF_STATEMENTS: &str = "-ffast-math -Ofast -fcheck= -flto -fsanitize= -finit- -ffpe-trap= -fassociative-math -freciprocal-math \
    -fno-signed-zeros -fno-trapping-math -ffinite-math-only -funsafe-math-optimizations -fno-math-errno";
/// Beginnings of options that a compiler of C gets too.
const FOR_C: &str = "-O -g -m -ffp-contract= -fPIC -fpic -fPIE -fpie -fno-plt -fomit-frame-pointer -fno-omit-frame-pointer \
    -funroll-loops -fno-unroll-loops -fno-inline -finline- -ftree- -fno-tree- -fvect-cost-model= -fdebug-prefix-map= \
    -ffile-prefix-map= -fstack-protector-strong -fno-stack-protector";

fn begins(word: &str, list: &str) -> bool {
    list.split_whitespace().any(|begin| word.starts_with(begin))
}

impl FortranCommand {
    /// Reads the words after the program's name.
    pub fn parse(words: &[String]) -> Result<FortranCommand, String> {
        let mut command = FortranCommand {
            goal: FortranGoal::Link,
            output: None,
            words: Vec::new(),
            show: false,
            strict: false,
            quiet: false,
            remarks: false,
            why: false,
        };
        let mut rest = words.iter().cloned();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "--show" => command.show = true,
                "--dvm-strict" => command.strict = true,
                "-Wno-dvm" => command.quiet = true,
                "--dvm-remarks" => command.remarks = true,
                "--why" => command.why = true,
                "-c" => command.goal = FortranGoal::Object,
                "-o" => command.output = Some(rest.next().ok_or("option `-o` needs an argument")?),
                _ => command.word(word, &mut rest)?,
            }
        }
        Ok(command)
    }

    fn word(&mut self, word: String, rest: &mut impl Iterator<Item = String>) -> Result<(), String> {
        if let Some(file) = word.strip_prefix("-o").filter(|file| !file.is_empty()) {
            self.output = Some(file.to_owned());
        } else if word.starts_with('-') && word.len() > 1 {
            let other = ["-S", "-E", "-M", "-MM", "-fsyntax-only", "--version", "--help", "-v", "-###", "-x"];
            if other.contains(&word.as_str()) || begins(&word, "-print- -dump --help=") {
                self.goal = FortranGoal::Other;
            }
            let mut all = vec![word];
            if WITH_ARGUMENT.split_whitespace().any(|o| o == all[0]) {
                all.push(rest.next().ok_or_else(|| format!("option `{}` needs an argument", all[0]))?);
            }
            self.words.push(FortranWord::Option(all));
        } else if form_of_name(Path::new(&word)).is_some() {
            self.words.push(FortranWord::Source(word.into()));
        } else {
            self.words.push(FortranWord::Input(word));
        }
        Ok(())
    }

    /// The sources, in order.
    pub fn sources(&self) -> Vec<PathBuf> {
        let source = |word: &FortranWord| if let FortranWord::Source(path) = word { Some(path.clone()) } else { None };
        self.words.iter().filter_map(source).collect()
    }

    /// The same command, which writes modules to `folder`, and looks for others there last.
    pub fn with_modules_in(&self, folder: &Path) -> FortranCommand {
        let other = |word: &FortranWord| match word {
            FortranWord::Option(all) if all[0].starts_with("-J") => {
                let mut all = all.clone();
                all[0].replace_range(..2, "-I");
                FortranWord::Option(all)
            }
            word => word.clone(),
        };
        let mut words: Vec<FortranWord> = self.words.iter().map(other).collect();
        words.push(FortranWord::Option(vec!["-J".to_owned(), folder.display().to_string()]));
        FortranCommand { words, output: self.output.clone(), ..*self }
    }

    /// The options, in order.
    pub fn options(&self) -> impl Iterator<Item = &Vec<String>> {
        self.words.iter().filter_map(|word| if let FortranWord::Option(all) = word { Some(all) } else { None })
    }

    /// The first option under which no region is transformed.
    pub fn unlisted_option(&self) -> Option<String> {
        self.unlisted().next()
    }

    /// Options that are not known to keep the meaning of a text.
    fn unlisted(&self) -> impl Iterator<Item = String> {
        let listed = |word: &str| TAKEN.split_whitespace().any(|o| o == word) || begins(word, BEGINNINGS);
        let responses = self.words.iter().filter_map(|word| match word {
            FortranWord::Input(word) if word.starts_with('@') => Some(word.clone()),
            _ => None,
        });
        // Mpifort of MPICH has it. Where there is no such constant, it says nothing; flang takes some for other numbers.
        let idle = |word: &str| {
            word == "-fallow-invalid-boz" && !self.sources().iter().any(|source| self.may_have_boz(source))
        };
        responses.chain(self.options().map(|all| all[0].clone()).filter(move |word| !listed(word) && !idle(word)))
    }

    /// Whether a file, or one that it includes, may have a constant as `z'1f'` or `'1f'x`.
    fn may_have_boz(&self, source: &Path) -> bool {
        let suspect = |text: &str| text_may_have_boz(&text.to_ascii_lowercase());
        any_included(source, self.form(source), &self.folders_of_includes(), &suspect)
    }

    /// Where included files are looked for besides the folder of the file that includes them.
    fn folders_of_includes(&self) -> Vec<PathBuf> {
        let folder = |option: &Vec<String>| {
            let rest = option[0].strip_prefix("-I").or_else(|| option[0].strip_prefix("-J"))?;
            Some(PathBuf::from(option.get(1).map_or(rest, String::as_str)))
        };
        std::iter::once(PathBuf::from(".")).chain(self.options().filter_map(folder)).collect()
    }

    /// The first option that may change what declarations mean.
    pub fn option_of_declarations(&self) -> Option<String> {
        self.unlisted().find(|option| !begins(option, OF_STATEMENTS))
    }

    /// Whether gfortran runs its preprocessor on a source.
    pub fn is_preprocessed(&self, source: &Path) -> bool {
        let extension = source.extension().unwrap_or_default().to_string_lossy().into_owned();
        let capital = extension.starts_with('F') || extension == "fpp";
        capital || self.options().any(|option| option[0] == "-cpp")
    }

    /// How a source is laid out.
    pub fn form(&self, source: &Path) -> SourceForm {
        let chosen = self.options().rev_find(|word| match word {
            "-ffree-form" => Some(SourceForm::Free),
            "-ffixed-form" => Some(STANDARD),
            _ => None,
        });
        match chosen.or_else(|| form_of_name(source)).unwrap_or(SourceForm::Free) {
            SourceForm::Fixed(columns) => SourceForm::Fixed(self.columns().unwrap_or(columns)),
            SourceForm::Free => SourceForm::Free,
        }
    }

    /// The last column of the fixed form, if an option says it.
    fn columns(&self) -> Option<usize> {
        self.options().rev_find(|word| match word.strip_prefix(COLUMNS)? {
            "none" | "0" => Some(usize::MAX),
            number => number.parse().ok(),
        })
    }

    /// The options that flang needs to read a source.
    pub fn for_flang(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for option in self.options() {
            let word = option[0].as_str();
            if begins(word, "-D -U -cpp -ffree-form -ffixed-form -fimplicit-none") {
                all.extend(option.iter().cloned());
            }
            // Flang takes the second only with the first; without it, it says nothing to gfortran either.
            let is_default = word == REAL || word == DOUBLE && self.options().any(|option| option[0] == REAL);
            all.extend(is_default.then(|| word.to_owned()));
            all.extend(word.strip_prefix(COLUMNS).map(|columns| format!("-ffixed-line-length={columns}")));
        }
        all
    }

    /// The options that may change the bits of results, in order.
    pub fn of_arithmetic(&self) -> impl Iterator<Item = &String> {
        let is_one = |word: &&String| begins(word, "-m -ffp-contract=");
        self.options().filter_map(|option| option.first()).filter(is_one)
    }

    /// The options that the compiler of C gets.
    pub fn for_c(&self) -> Vec<String> {
        self.options().filter(|option| begins(&option[0], FOR_C)).flatten().cloned().collect()
    }
}

trait LastOf<'a>: Iterator<Item = &'a Vec<String>> {
    /// The answer to the last option that has one.
    fn rev_find<T>(self, answer: impl Fn(&str) -> Option<T>) -> Option<T>;
}

impl<'a, I: Iterator<Item = &'a Vec<String>>> LastOf<'a> for I {
    fn rev_find<T>(self, answer: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.filter_map(|option| answer(&option[0])).last()
    }
}

fn text_may_have_boz(text: &str) -> bool {
    let ends = |letter: Option<&char>| letter.is_none_or(|letter| !letter.is_ascii_alphanumeric() && *letter != '_');
    let base = |letter: Option<&char>| letter.is_some_and(|letter| "bozx".contains(*letter));
    let found = |text: &[char]| {
        (0..text.len()).filter(|at| matches!(text[*at], '\'' | '"')).any(|at| {
            let before = |back: usize| at.checked_sub(back).and_then(|place| text.get(place));
            // The text of one letter is none.
            let alone = |other: Option<&char>| other == Some(&text[at]);
            (base(before(1)) && ends(before(2)) && !alone(before(2)))
                || (base(text.get(at + 1)) && ends(text.get(at + 2)) && !alone(text.get(at + 2)))
        })
    };
    // A constant may be continued on the next line; in fixed form blanks say nothing.
    let plain: Vec<char> = text.chars().collect();
    let joined: Vec<char> = text.chars().filter(|letter| !letter.is_whitespace() && *letter != '&').collect();
    found(&plain) || found(&joined)
}

fn form_of_name(path: &Path) -> Option<SourceForm> {
    let extension = path.extension()?.to_str()?;
    if FREE.contains(&extension) { Some(SourceForm::Free) } else { FIXED.contains(&extension).then_some(STANDARD) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_without_a_type_are_seen() {
        for text in ["i = z'1f'", "i = 'ff'x\n", "case z\"1f\"", "data i /b'1'/", "i = z&\n &'1f'"] {
            assert!(text_may_have_boz(text), "{text}");
        }
        for text in ["print *, 'foo', \"zero\", 'x'", "x = y(3) ! don't", "call mpi_init(ierr)"] {
            assert!(!text_may_have_boz(text), "{text}");
        }
        assert_eq!(parse("-fallow-invalid-boz nowhere.f90").unlisted_option().as_deref(), Some("-fallow-invalid-boz"));
        assert_eq!(parse("-fallow-invalid-boz -c").unlisted_option(), None);
    }

    fn parse(line: &str) -> FortranCommand {
        FortranCommand::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn sources_options_and_goals() {
        let it = parse("-O3 -c heat.f90 -o b.o -I inc -DX=1 --show -ffp-contract=off");
        assert_eq!((it.goal, it.output.as_deref(), it.show), (FortranGoal::Object, Some("b.o"), true));
        assert_eq!(it.sources(), [PathBuf::from("heat.f90")]);
        assert_eq!(it.for_flang(), ["-DX=1"]);
        assert_eq!(it.for_c(), ["-O3", "-ffp-contract=off"]);
        assert_eq!((it.unlisted_option(), parse("-Ofast a.f").unlisted_option().as_deref()), (None, Some("-Ofast")));
        assert_eq!(parse("-S a.f").goal, FortranGoal::Other);
        assert_eq!(
            (it.form(Path::new("a.F")), parse("-ffree-form").form(Path::new("a.f"))),
            (STANDARD, SourceForm::Free)
        );
        let wide = parse("-ffixed-line-length-80 -ffixed-line-length-132 a.f");
        assert_eq!((wide.unlisted_option(), wide.form(Path::new("a.f"))), (None, SourceForm::Fixed(132)));
        assert_eq!(wide.for_flang(), ["-ffixed-line-length=80", "-ffixed-line-length=132"]);
        let none = parse("-ffixed-line-length-none");
        assert_eq!(
            (none.form(Path::new("a.f")), none.form(Path::new("a.f90"))),
            (SourceForm::Fixed(usize::MAX), SourceForm::Free)
        );
    }

    #[test]
    fn options_that_change_the_meaning_are_not_listed() {
        for option in [
            "-ffast-math",
            "-fdefault-integer-8",
            "-freal-4-real-8",
            "-fcheck=all",
            "-fopenmp",
            "-finteger-4-integer-8",
            "-m32",
            "-flto",
            "@x",
        ] {
            assert_eq!(parse(option).unlisted_option().as_deref(), Some(option));
        }
        let both = parse("-fcheck=all -fdefault-integer-8");
        assert_eq!(both.option_of_declarations().as_deref(), Some("-fdefault-integer-8"));
        assert_eq!(parse("-O2 -fcheck=all").option_of_declarations(), None);
    }
}
