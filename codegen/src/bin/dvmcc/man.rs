//! Makes the man page from what `--help` prints, so that they cannot differ.

use super::HELP;
use std::fmt::Write as _;
use testkit::roff;

/// A heading of the help, and the heading of the man page's section.
const SECTIONS: [(&str, &str); 5] = [
    ("Options", "OPTIONS"),
    ("Environment", "ENVIRONMENT"),
    ("Exit status", "EXIT STATUS"),
    ("Examples", "EXAMPLES"),
    ("Pragma", "PRAGMA"),
];

fn page() -> String {
    let mut page = format!(
        ".\\\" Generated from codegen/src/bin/dvmcc: run the tests with DVM_BLESS=1.\n\
         .TH DVMCC 1 \"\" \"libdvm {}\" \"libdvm\"\n.SH NAME\ndvmcc \\- a C compiler command that runs marked loops as tiles\n\
         .SH SYNOPSIS\n.B dvmcc\n[\\fIoptions of cc\\fR] \\fIfile\\fR...\n.SH DESCRIPTION\n",
        env!("CARGO_PKG_VERSION")
    );
    for part in HELP.split("\n\n").skip(2) {
        let first = part.lines().next().unwrap_or_default();
        match SECTIONS.iter().find(|(word, _)| first.starts_with(word)) {
            Some((_, title)) => section(&mut page, title, part),
            None => {
                let _ = writeln!(page, "{}\n.PP", roff(&part.replace('\n', " ")));
            }
        }
    }
    page.push_str(".SH SEE ALSO\n.BR dvm-info (1),\n.BR dvmrun (1)\n");
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
            let _ = writeln!(page, ".PP\n.nf\n{}\n.fi", roff(line.trim()));
        } else {
            let entry = line.trim();
            let (word, text) = entry.split_once("  ").or_else(|| entry.split_once(") ")).unwrap_or((entry, ""));
            let closed = if word.contains('(') && !word.contains(')') { ")" } else { "" };
            let _ = writeln!(page, ".TP\n.B {}{closed}\n{}", roff(word), roff(text.trim()));
        }
    }
}

#[test]
fn the_man_page_is_up_to_date() {
    testkit::expect(concat!(env!("CARGO_MANIFEST_DIR"), "/dvmcc.1"), &page());
}

#[test]
fn every_entry_of_the_help_is_in_the_page() {
    let page = page();
    for word in [
        "--show",
        "--dvm-strict",
        "--explain",
        "--dvm-remarks=FILE",
        "DVM_CLANG",
        "DVM_PREFIX",
        "reduction(+:x)",
        "tile(32,auto)",
    ] {
        assert!(page.contains(&roff(word)), "{word}");
    }
    for (_, title) in SECTIONS {
        assert!(page.contains(&format!(".SH {title}\n")), "{title}");
    }
}

#[test]
fn the_completions_are_up_to_date() {
    testkit::expect_completions(
        &testkit::command_of_help("dvmcc", HELP),
        "dvmcc",
        concat!(env!("CARGO_MANIFEST_DIR"), "/completions"),
    );
}
