//! Which of the three programs is meant.

use std::path::Path;

/// One of the programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `dvm-codegen`.
    Generator,
    /// `dvmcc`.
    C,
    /// `dvmfc`.
    Fortran,
}

/// A first argument `--dvm-program=dvmcc` chooses the program, whatever the file is called.
pub const CHOOSE: &str = "--dvm-program=";

/// The program that a first argument chooses.
pub fn chosen(word: &str) -> Option<Program> {
    named(word.strip_prefix(CHOOSE)?)
}

/// The program in a file's name, also in one as `dvmcc-0.1`, `x86_64-linux-gnu-dvmcc` or `.dvmcc-wrapped`.
fn named(name: &str) -> Option<Program> {
    let has = |program: &str| name.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| word == program);
    match () {
        () if has("dvmcc") => Some(Program::C),
        () if has("dvmfc") => Some(Program::Fortran),
        () if has("codegen") => Some(Program::Generator),
        () => None,
    }
}

impl Program {
    /// From the name that the caller gave, which a symbolic link may have changed; if it says nothing, as that of a link
    /// `cc`, from the name of the program's own file.
    pub fn of(called: Option<&Path>, file: Option<&Path>) -> Option<Program> {
        [called, file].into_iter().flatten().find_map(|path| named(path.file_name()?.to_str()?))
    }
}

/// What is said beside a wrong command line, if no name says which program this is.
pub fn hint(called: &Path) -> String {
    format!(
        "\nnote: under the name `{}` this program is dvm-codegen; as a C or Fortran compiler it is called dvmcc or dvmfc, or \
         has the first argument {CHOOSE}dvmcc or {CHOOSE}dvmfc\n",
        called.display()
    )
}

#[test]
fn the_callers_name_decides_and_then_the_files() {
    let of = |called: &str, file: &str| {
        let path = |text| Some(Path::new(text)).filter(|path| !path.as_os_str().is_empty());
        Program::of(path(called), path(file))
    };
    assert_eq!(of("dvmcc", "/usr/bin/dvm-codegen"), Some(Program::C), "a symbolic link");
    assert_eq!(of("cc", "/usr/bin/dvmcc"), Some(Program::C), "a link `cc` to a hard link");
    assert_eq!(of("dvm-codegen", "/usr/bin/dvmcc"), Some(Program::Generator));
    assert_eq!(of("./dvmfc", ""), Some(Program::Fortran), "without /proc");
    assert_eq!(of("", "/usr/bin/dvmfc (deleted)"), Some(Program::Fortran), "replaced while it runs");
    assert_eq!(of("/opt/x86_64-linux-gnu-dvmcc-0.1", ""), Some(Program::C));
    assert_eq!(of(".dvmfc-wrapped", ""), Some(Program::Fortran));
    assert_eq!(of("cc", "/opt/compiler"), None);
    assert_eq!(of("/opt/dvmcc/cc", "/opt/dvmcc/cc"), None, "folders name no program");
    assert_eq!((chosen("--dvm-program=dvmcc"), chosen("dvmcc")), (Some(Program::C), None));
}
