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
        ".\\\" Generated from codegen/src/bin/dvmfc: run the tests with DVM_BLESS=1.\n\
         .TH DVMFC 1 \"\" \"libdvm {}\" \"libdvm\"\n.SH NAME\ndvmfc \\- a Fortran compiler command that runs marked loops as tiles\n\
         .SH SYNOPSIS\n.B dvmfc\n[\\fIoptions of gfortran\\fR] \\fIfile\\fR...\n.SH DESCRIPTION\n",
        env!("CARGO_PKG_VERSION")
    );
    for part in HELP.split("\n\n").skip(2) {
        let mut lines = part.lines();
        let first = lines.next().unwrap_or_default();
        let Some((_, title)) = SECTIONS.iter().find(|(word, _)| first.starts_with(word)) else {
            let _ = writeln!(page, "{}\n.PP", roff(&part.replace('\n', " ")));
            continue;
        };
        let _ = writeln!(page, ".SH {title}");
        if let Some((_, sentence)) = first.split_once(": ") {
            let _ = writeln!(page, "{}", roff(sentence));
        }
        for line in lines {
            let entry = line.trim();
            let _ = match entry.split_once("  ").filter(|_| !line.starts_with("    ")) {
                _ if *title == "EXAMPLES" => writeln!(page, ".PP\n.nf\n{}\n.fi", roff(entry)),
                Some((word, text)) => writeln!(page, ".TP\n.B {}\n{}", roff(word), roff(text.trim())),
                None => writeln!(page, "{}", roff(entry)),
            };
        }
    }
    page.push_str(".SH SEE ALSO\n.BR dvmcc (1),\n.BR dvm-info (1),\n.BR dvmrun (1)\n");
    page
}

#[test]
fn the_man_page_is_up_to_date() {
    testkit::expect(concat!(env!("CARGO_MANIFEST_DIR"), "/dvmfc.1"), &page());
}

#[test]
fn every_entry_of_the_help_is_in_the_page() {
    let page = page();
    for word in ["--show", "--dvm-strict", "--dvm-remarks", "DVM_FLANG", "DVM_FC", "tile(32,auto)"] {
        assert!(page.contains(&format!(".B {}\n", roff(word))) || page.contains(&roff(word)), "{word}");
    }
    for (_, title) in SECTIONS {
        assert!(page.contains(&format!(".SH {title}\n")), "{title}");
    }
}

#[test]
fn the_completions_are_up_to_date() {
    testkit::expect_completions(
        &testkit::command_of_help("dvmfc", HELP),
        "dvmfc",
        concat!(env!("CARGO_MANIFEST_DIR"), "/completions"),
    );
}
