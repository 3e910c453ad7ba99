//! Makes the man pages and completions from what `--help` prints, so that they cannot differ.

use super::{dvmcc, dvmfc, generator};
use clap::{Arg, Command, CommandFactory as _};
use std::fmt::Write as _;
use testkit::{exit_status, roff};

/// A heading of the help, and the heading of the man page's section.
const SECTIONS: [(&str, &str); 5] = [
    ("Options", "OPTIONS"),
    ("Environment", "ENVIRONMENT"),
    ("Exit status", "EXIT STATUS"),
    ("Examples", "EXAMPLES"),
    ("Pragma", "PRAGMA"),
];

/// The beginning of a page, up to its synopsis.
fn head(program: &str, purpose: &str) -> String {
    format!(
        ".\\\" Generated from codegen/src/program: run the tests with DVM_BLESS=1.\n\
         .TH {} 1 \"\" \"libdvm {}\" \"libdvm\"\n.SH NAME\n{} \\- {purpose}\n.SH SYNOPSIS\n",
        roff(&program.to_uppercase()),
        env!("CARGO_PKG_VERSION"),
        roff(program)
    )
}

/// The end of a page: the programs beside this one.
fn see_also(page: &mut String, programs: &[&str]) {
    let rows: Vec<String> = programs.iter().map(|name| format!(".BR {} (1)", roff(name))).collect();
    let _ = writeln!(page, ".SH SEE ALSO\n{}", rows.join(",\n"));
}

/// The page of a compiler command.
fn compiler_page(program: &str, purpose: &str, behind: &str, help: &str, beside: &[&str]) -> String {
    let mut page = head(program, purpose);
    let _ = writeln!(page, ".B {program}\n[\\fIoptions of {behind}\\fR] \\fIfile\\fR...\n.SH DESCRIPTION");
    for part in help.split("\n\n").skip(2) {
        let first = part.lines().next().unwrap_or_default();
        match SECTIONS.iter().find(|(word, _)| first.starts_with(word)) {
            Some((_, title)) => section(&mut page, title, part),
            None => {
                let _ = writeln!(page, "{}\n.PP", roff(&part.replace('\n', " ")));
            }
        }
    }
    see_also(&mut page, beside);
    page
}

/// A heading, and entries: two blanks, a word, two blanks or more, a text that later lines continue.
fn section(page: &mut String, title: &str, part: &str) {
    let _ = writeln!(page, ".SH {title}");
    let mut lines = part.lines();
    if let Some(sentence) = lines.next().and_then(|first| first.split_once(": ")).filter(|(_, rest)| !rest.is_empty()) {
        let _ = writeln!(page, "{}", roff(sentence.1));
    }
    for line in lines {
        if line.starts_with("    ") {
            let _ = writeln!(page, "{}", roff(line.trim()));
        } else if title == "EXAMPLES" {
            example(page, line);
        } else {
            let entry = line.trim();
            let (word, text) = entry.split_once("  ").or_else(|| entry.split_once(") ")).unwrap_or((entry, ""));
            let closed = if word.contains('(') && !word.contains(')') { ")" } else { "" };
            let _ = writeln!(page, ".TP\n.B {}{closed}\n{}", roff(word), roff(text.trim()));
        }
    }
}

fn example(page: &mut String, line: &str) {
    let _ = writeln!(page, ".PP\n.nf\n{}\n.fi", roff(line.trim()));
}

fn dvmcc_page() -> String {
    let purpose = "a C compiler command that runs marked loops as tiles";
    compiler_page("dvmcc", purpose, "cc", dvmcc::HELP, &["dvm-codegen", "dvm-info", "dvmfc", "dvmrun"])
}

fn dvmfc_page() -> String {
    let purpose = "a Fortran compiler command that runs marked loops as tiles";
    compiler_page("dvmfc", purpose, "gfortran", dvmfc::HELP, &["dvmcc", "dvm-codegen", "dvm-info", "dvmrun"])
}

fn generator_page() -> String {
    let mut leaves = Vec::new();
    let command = generator::Arguments::command();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    gather(&command, "dvm-codegen", &mut leaves);
    let mut page = head("dvm-codegen", "turns marked C loops into tiles, and plans redistributions");
    let usages: Vec<String> = leaves.iter().map(|(name, command)| usage(name, command)).collect();
    let _ = writeln!(page, "{}\n.SH DESCRIPTION\n{}.\n.SH COMMANDS", usages.join("\n.br\n"), roff(&about));
    for (name, command) in &leaves {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, ".SS {}\n{}.", roff(name), roff(about.trim_end_matches('.')));
        arguments(command).for_each(|argument| entry(&mut page, argument));
    }
    for part in generator::AFTER_HELP.split("\n\n") {
        if let Some(lines) = part.strip_prefix("Examples:\n") {
            page.push_str(".SH EXAMPLES\n");
            lines.lines().for_each(|line| example(&mut page, line));
        } else if let Some(text) = part.strip_prefix("Environment: ") {
            let _ = writeln!(page, ".SH ENVIRONMENT\n{}", roff(text));
        } else {
            page.push_str(&exit_status(&part.replace('\n', " ")));
        }
    }
    see_also(&mut page, &["dvmcc", "dvmfc", "dvm-info"]);
    page
}

/// The commands that have none below them, with all their words.
fn gather<'c>(command: &'c Command, name: &str, leaves: &mut Vec<(String, &'c Command)>) {
    let mut below = command.get_subcommands().peekable();
    if below.peek().is_none() {
        leaves.push((name.to_owned(), command));
    }
    below.for_each(|inner| gather(inner, &format!("{name} {}", inner.get_name()), leaves));
}

fn arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| !argument.is_hide_set())
}

/// An argument's value, as the help calls it.
fn value(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    names.first().map_or_else(|| argument.get_id().as_str().to_uppercase(), ToString::to_string)
}

fn usage(name: &str, command: &Command) -> String {
    let mut words = vec![format!("\\fB{}\\fR", roff(name))];
    if arguments(command).any(|argument| !argument.is_positional()) {
        words.push("[\\fIoptions\\fR]".to_owned());
    }
    for argument in arguments(command).filter(|argument| argument.is_positional()) {
        let (before, word) = (if argument.is_last_set() { "\\-\\- " } else { "" }, value(argument));
        let (open, close) = if argument.is_required_set() { ("", "") } else { ("[", "]") };
        words.push(format!("{open}{before}\\fI{}\\fR{close}", roff(&word)));
    }
    words.join(" ")
}

/// What an argument is, and what it does.
fn entry(page: &mut String, argument: &Arg) {
    let mut names: Vec<String> = argument.get_short().map(|short| format!("-{short}")).into_iter().collect();
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let mut word = names.join(", ");
    if argument.is_positional() {
        word = value(argument);
    } else if argument.get_action().takes_values() {
        word = format!("{word} {}", value(argument));
    }
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let allowed: Vec<String> =
        argument.get_possible_values().iter().map(|possible| format!("`{}`", possible.get_name())).collect();
    let _ = writeln!(page, ".TP\n.B {}\n{}.", roff(&word), roff(help.trim_end_matches('.')));
    if argument.get_action().takes_values() && !allowed.is_empty() {
        let _ = writeln!(page, "One of {}.", roff(&allowed.join(", ")));
    }
}

#[track_caller]
fn expect(name: &str, page: &str) {
    testkit::expect(format!("{}/{name}.1", env!("CARGO_MANIFEST_DIR")), page);
}

#[test]
fn the_man_pages_are_up_to_date() {
    expect("dvmcc", &dvmcc_page());
    expect("dvmfc", &dvmfc_page());
    expect("dvm-codegen", &generator_page());
}

#[test]
fn every_entry_of_the_help_is_in_the_page() {
    let c = ["--show", "--explain", "--dvm-remarks=FILE", "DVM_CLANG", "DVM_PREFIX", "reduction(+:x)", "tile(32,auto)"];
    let fortran = ["--show", "--dvm-strict", "--dvm-remarks", "DVM_FLANG", "DVM_FC", "tile(32,auto)"];
    for (page, words) in [(dvmcc_page(), &c[..]), (dvmfc_page(), &fortran[..])] {
        for word in words {
            assert!(page.contains(&roff(word)), "{word}");
        }
        for (_, title) in SECTIONS {
            assert!(page.contains(&format!(".SH {title}\n")), "{title}");
        }
    }
    let page = generator_page();
    for word in
        ["dvm-codegen redist draw", "--strict", "--size NAME=VALUE", "`flow`", "DVM_CLANG", "-o, --output OUT.c"]
    {
        assert!(page.contains(&roff(word)), "{word}: {page}");
    }
}

#[test]
fn the_completions_are_up_to_date() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/completions");
    testkit::expect_completions(&testkit::command_of_help("dvmcc", dvmcc::HELP), "dvmcc", folder);
    testkit::expect_completions(&testkit::command_of_help("dvmfc", dvmfc::HELP), "dvmfc", folder);
    testkit::expect_completions(&generator::Arguments::command(), "dvm-codegen", folder);
}
