//! The options for reports: each with its documentation and its value in the environment.

use std::env;
use std::ffi::{OsStr, OsString};

use super::{KNOBS, Knob, ValueKind, choice, flag, number, signal, sizes, text};
use crate::error::Error;

/// One option and its value in an environment.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The environment variable.
    pub variable: &'static str,
    /// The allowed values, in words.
    pub allowed: String,
    /// The unit; empty if it has none.
    pub unit: &'static str,
    /// The default, in words.
    pub default: &'static str,
    /// What the option does, with backquotes around code.
    pub documentation: &'static str,
    /// The value in the environment; `None`: unset or empty, so the default holds.
    pub value: Option<String>,
    /// Why that value is not allowed; `None`: it is.
    pub refusal: Option<String>,
}

/// All options in the environment of the process.
pub(crate) fn settings() -> Vec<Setting> {
    read(|variable| env::var_os(variable))
}

/// All options in an environment given as a function from variable to value.
fn read(environment: impl Fn(&str) -> Option<OsString>) -> Vec<Setting> {
    let setting = |knob: &&Knob| {
        let value = environment(knob.variable).filter(|value| !value.is_empty());
        Setting {
            variable: knob.variable,
            allowed: knob.kind.allowed(),
            unit: knob.unit,
            default: knob.default,
            documentation: knob.documentation,
            refusal: value.as_ref().and_then(|value| check(knob, value).err()).map(|error| error.message().to_owned()),
            value: value.map(|value| value.display().to_string()),
        }
    };
    KNOBS.iter().map(setting).collect()
}

/// Whether the table allows a value; the code that uses a text may still refuse it.
fn check(knob: &Knob, value: &OsStr) -> Result<(), Error> {
    match knob.kind {
        ValueKind::Number { .. } => number(knob, value).map(drop),
        ValueKind::Sizes => sizes(knob, value).map(drop),
        ValueKind::Flag => flag(knob, Some(value.to_owned())).map(drop),
        ValueKind::Text => text(knob, value).map(drop),
        ValueKind::Path => Ok(()),
        ValueKind::Signal => signal(knob, value).map(drop),
        ValueKind::Choice(_) => choice(knob, value).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::config::Config;

    /// The text of docs/environment.md, from the table.
    fn page() -> String {
        let mut page = String::from(
            "# The environment\n\n\
             libdvm reads the environment once, in `dvm_init` or in the first region that starts libdvm. An unset or empty variable means the default. \
             A value that is not allowed makes init fail with `DVM_ERR_ARGUMENT`; `dvm_last_error` names the variable, the value and what is \
             allowed. `dvm-info --options` shows the values in a shell.\n\n\
             This page is generated from the table in `src/config/knobs.rs`: change it there, then run the tests with `DVM_BLESS=1`.\n\n\
             | variable | value | unit | default |\n| --- | --- | --- | --- |\n",
        );
        for knob in KNOBS {
            let _ =
                writeln!(page, "| `{}` | {} | {} | {} |", knob.variable, knob.kind.allowed(), knob.unit, knob.default);
        }
        for knob in KNOBS {
            let _ = write!(page, "\n## {}\n\n{}\n", knob.variable, knob.documentation);
        }
        page.push_str("\n## What the programs read\n\n| variable | program | meaning |\n| --- | --- | --- |\n");
        for (variable, program, says) in PROGRAMS {
            let _ = writeln!(page, "| `{variable}` | {program} | {says} |");
        }
        page
    }

    /// Variables of the code generator's programs.
    const PROGRAMS: &[(&str, &str, &str)] = &[
        ("DVM_CC", "`dvmcc`, `dvmfc`", "the real compiler of C; without it `CC`, then `cc`"),
        ("DVM_CLANG", "`dvmcc`, `dvm-codegen`", "the clang that reads the sources; without it `clang`"),
        ("DVM_FC", "`dvmfc`", "the real compiler of Fortran; without it `gfortran`"),
        (
            "DVM_FLANG",
            "`dvmfc`",
            "the flang that reads the sources; without it `flang-new-19`, `flang-19`, `flang-new` or `flang`",
        ),
        ("DVM_PREFIX", "`dvmcc`, `dvmfc`", "where libdvm is installed; without it found from the program's own place"),
    ];

    /// The quoted `DVM_` names in the programs' sources.
    fn names_in_programs() -> Vec<String> {
        let folders = ["codegen/src", "dvmrun/src", "info/src", "redist/src", "bench/src"];
        let mut grep = std::process::Command::new("grep");
        grep.args(["-rhoE", r#""DVM_[A-Z_]+""#]).args(folders).current_dir(env!("CARGO_MANIFEST_DIR"));
        let found = String::from_utf8(grep.output().unwrap().stdout).unwrap();
        found.lines().map(|line| line.trim_matches('"').to_owned()).collect()
    }

    #[test]
    fn the_page_names_every_variable_that_a_program_reads() {
        let (page, names) = (page(), names_in_programs());
        // Of builds for tests only (the feature `planted`); names of generated code.
        let no_variable = |name: &str| name == "DVM_PLANTED" || name.starts_with("DVM__");
        let unknown = |name: &&String| !page.contains(&format!("`{name}`")) && !no_variable(name);
        let unknown: Vec<_> = names.iter().filter(unknown).collect();
        assert!(unknown.is_empty(), "docs/environment.md does not know {unknown:?}");
        for (variable, ..) in PROGRAMS {
            assert!(names.iter().any(|name| name == variable), "{variable} is read by no program");
        }
    }

    #[test]
    fn the_page_about_the_environment_is_up_to_date() {
        testkit::expect(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/environment.md"), &page());
    }

    /// The table has all variables that the sources name.
    #[test]
    fn every_variable_that_the_library_reads_is_in_the_table() {
        let found = std::process::Command::new("grep")
            .args(["-rnE", r"env::var(_os)?\(", concat!(env!("CARGO_MANIFEST_DIR"), "/src")])
            .output()
            .unwrap();
        let lines = String::from_utf8(found.stdout).unwrap();
        let reads: Vec<_> =
            lines.lines().filter(|line| line.contains("\"DVM_") && !line.contains("DVM_PLANTED")).collect();
        assert!(reads.is_empty(), "read through the table in src/config.rs instead: {reads:?}");
        assert!(lines.contains("src/config.rs"), "the search finds the one place that reads: {lines:?}");
    }

    #[test]
    fn settings_and_the_reader_agree_about_what_is_allowed() {
        let values = ["0", "1", "7", "x", "3,4", "SIGUSR1", "USR2", "-1", "core:2", ""];
        for knob in KNOBS {
            for value in values {
                let environment = |name: &str| (name == knob.variable).then(|| value.into());
                let setting = read(environment).into_iter().find(|setting| setting.variable == knob.variable).unwrap();
                let config = Config::read(environment);
                assert_eq!(setting.refusal.is_none(), config.is_ok(), "{}={value}: {config:?}", knob.variable);
                assert_eq!(setting.value.as_deref(), Some(value).filter(|value| !value.is_empty()));
            }
        }
    }
}
