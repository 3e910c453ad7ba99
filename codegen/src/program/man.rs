//! Makes the man pages and completions from what `--help` prints, so that they cannot differ. Pages of compilers also have
//! the grammar of the pragma, from the tables of clauses that the parsers use, and what a text in `manual` tells.

use super::{dvmcc, dvmfc, generator};
use crate::clause_form::ClauseForm;
use crate::fortran::FORTRAN_CLAUSES;
use crate::frontend::CLAUSES;
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

/// The sections of a compiler's page behind its description, in their order.
const ORDER: [&str; 11] = [
    "OPTIONS",
    "PRAGMA",
    "WHAT A REGION MAY HOLD",
    "THE REST OF THE FILE",
    "BUILD SYSTEMS",
    "DEBUGGING",
    "PROFILING",
    "ENVIRONMENT",
    "FILES",
    "EXIT STATUS",
    "EXAMPLES",
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

/// A compiler command.
struct CompilerPage {
    program: &'static str,
    purpose: &'static str,
    /// The compiler that it stands for.
    behind: &'static str,
    help: String,
    /// The grammar around the clauses: what is before them, and what is behind them.
    grammar: (&'static str, &'static str),
    clauses: &'static [ClauseForm],
    /// Sections that the help has not.
    manual: &'static str,
    beside: &'static [&'static str],
}

impl CompilerPage {
    fn text(&self) -> String {
        let mut page = head(self.program, self.purpose);
        let _ = writeln!(page, ".B {}\n[\\fIoptions of {}\\fR] \\fIfile\\fR...", self.program, self.behind);
        let _ = writeln!(page, ".br\n.B {}\n\\-\\-why [\\fIoptions\\fR] \\fIfile\\fR...", self.program);
        let _ = writeln!(page, ".br\n.B {}\n\\-\\-explain [\\fIcode\\fR]\n.SH DESCRIPTION", self.program);
        let mut sections: Vec<(String, String)> = Vec::new();
        for part in self.help.split("\n\n").skip(2) {
            let first = part.lines().next().unwrap_or_default();
            match SECTIONS.iter().find(|(word, _)| first.starts_with(word)) {
                Some((_, title)) => sections.push(((*title).to_owned(), self.section(title, part))),
                None => {
                    let _ = writeln!(page, "{}\n.PP", roff(&part.replace('\n', " ")));
                }
            }
        }
        sections.extend(manual_sections(self.manual));
        for title in ORDER {
            let at = sections.iter().position(|(known, _)| known == title);
            let (_, text) = sections.swap_remove(at.unwrap_or_else(|| panic!("{} has no {title}", self.program)));
            page.push_str(&text);
        }
        let left: Vec<&String> = sections.iter().map(|(title, _)| title).collect();
        assert!(left.is_empty(), "{left:?} have no place in the page");
        see_also(&mut page, self.beside);
        page
    }

    fn section(&self, title: &str, part: &str) -> String {
        let mut text = String::new();
        section(&mut text, title, part);
        if title != "PRAGMA" {
            return text;
        }
        let (before, behind) = self.grammar;
        let clauses: Vec<&str> = self.clauses.iter().map(|clause| clause.grammar).collect();
        let grammar = format!("{before}clause    =  {}\n{behind}", clauses.join("\n          |  "));
        let lines: String = grammar.lines().map(|line| roff(line) + "\n").collect();
        // The grammar stands before the first entry.
        text.replacen(".TP\n", &format!(".PP\n.nf\n{lines}.fi\n.TP\n"), 1)
    }
}

/// The sections of a manual: `# HEADING`, `## entry`, lines of commands that two blanks begin, paragraphs.
fn manual_sections(manual: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    // What is before a paragraph: nothing behind a heading or an entry.
    let (mut paragraph, mut code) = (false, false);
    for line in manual.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            assert!(!code, "a paragraph or entry ends the commands before {title}");
            sections.push((title.to_owned(), format!(".SH {title}\n")));
            paragraph = false;
            continue;
        }
        let Some((_, text)) = sections.last_mut() else { panic!("a heading comes first: {line}") };
        let command = line.strip_prefix("  ");
        if command.is_some() != code && !line.is_empty() {
            text.push_str(if code { ".fi\n" } else { ".nf\n" });
            code = !code;
            paragraph &= !code;
        }
        if let Some(entry) = line.strip_prefix("## ") {
            let _ = writeln!(text, ".TP\n.B {}", roff(entry));
            paragraph = false;
        } else if line.is_empty() {
            paragraph = true;
        } else {
            if paragraph {
                text.push_str(".PP\n");
                paragraph = false;
            }
            let _ = writeln!(text, "{}", roff(command.unwrap_or(line)));
        }
    }
    sections
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
    let page = CompilerPage {
        program: "dvmcc",
        purpose: "a C compiler command that runs marked loops as tiles",
        behind: "cc",
        help: dvmcc::help(),
        grammar: (
            "region    =  \"#pragma dvm region\" { clause [\",\"] }  statement\n          \
             |  \"#pragma scop\" { statement } \"#pragma endscop\"\n",
            "size      =  integer expression | \"auto\"\nsteps     =  whole number\n\
             operator  =  \"+\" | \"*\" | \"min\" | \"max\" | \"&\" | \"^\" | \"|\" | \"&&\" | \"||\"\n",
        ),
        clauses: &CLAUSES,
        manual: include_str!("manual/dvmcc.txt"),
        beside: &["dvm-codegen", "dvm-info", "dvmfc", "dvmrun"],
    };
    page.text()
}

fn dvmfc_page() -> String {
    let page = CompilerPage {
        program: "dvmfc",
        purpose: "a Fortran compiler command that runs marked loops as tiles",
        behind: "gfortran",
        help: dvmfc::help(),
        grammar: (
            "region    =  \"!$dvm region\" { clause [\",\"] }  statement\n          \
             |  \"!$dvm region\" { clause [\",\"] }  { statement } \"!$dvm end region\"\n",
            "size      =  whole number | \"auto\"\noperator  =  \"+\" | \"*\" | \"min\" | \"max\"\n",
        ),
        clauses: &FORTRAN_CLAUSES,
        manual: include_str!("manual/dvmfc.txt"),
        beside: &["dvmcc", "dvm-codegen", "dvm-info", "dvmrun"],
    };
    page.text()
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
    let aliases = argument.get_visible_aliases().unwrap_or_default();
    names.extend(argument.get_long().into_iter().chain(aliases).map(|long| format!("--{long}")));
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
    let c = ["--show", "--explain", "--dvm-remarks=FILE", "DVM_CLANG", "DVM_PREFIX", "OMPI_CC=dvmcc", "#pragma scop"];
    let fortran = ["--show", "--dvm-strict", "--dvm-remarks", "DVM_FLANG", "DVM_FC", "!$dvm end region"];
    let pages = [(dvmcc_page(), &c[..], &CLAUSES[..]), (dvmfc_page(), &fortran[..], &FORTRAN_CLAUSES[..])];
    for (page, words, clauses) in pages {
        for word in words {
            assert!(page.contains(&roff(word)), "{word}");
        }
        for title in ORDER {
            assert!(page.contains(&format!(".SH {title}\n")), "{title}");
        }
        for clause in clauses {
            assert!(page.contains(&format!(".B {}\n", roff(clause.forms[0]))), "{}", clause.word);
            assert!(page.contains(&roff(clause.grammar)), "{}", clause.word);
        }
    }
    let page = generator_page();
    for word in
        ["dvm-codegen redist draw", "--strict", "--set, --size NAME=VALUE", "`flow`", "DVM_CLANG", "-o, --output OUT.c"]
    {
        assert!(page.contains(&roff(word)), "{word}: {page}");
    }
}

/// The pages of the book have the grammar and each clause, too.
#[test]
fn the_pages_of_the_pragmas_have_every_clause() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let read = |name: &str| std::fs::read_to_string(format!("{docs}/{name}")).expect("a page");
    let (c, fortran) = (read("pragma.md"), read("fortran.md"));
    let headings: Vec<&str> = c.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    for clause in &CLAUSES {
        assert!(c.contains(clause.grammar), "docs/pragma.md lacks {}", clause.grammar);
        let titled = headings.iter().any(|title| title.split(", ").any(|word| word == clause.word));
        assert!(titled, "docs/pragma.md has no heading `### {}`", clause.word);
    }
    for form in FORTRAN_CLAUSES.iter().flat_map(|clause| clause.forms) {
        let form = form.replace('+', "op").replace("(x,y)", "(x)");
        assert!(fortran.contains(&format!("`{form}`")), "docs/fortran.md lacks `{form}`");
    }
}

#[test]
fn the_completions_are_up_to_date() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/completions");
    testkit::expect_completions(&testkit::command_of_help("dvmcc", dvmcc::help().leak()), "dvmcc", folder);
    testkit::expect_completions(&testkit::command_of_help("dvmfc", dvmfc::help().leak()), "dvmfc", folder);
    testkit::expect_completions(&generator::Arguments::command(), "dvm-codegen", folder);
}
