//! Generates the man page from the command line, so that they cannot differ.

use std::fmt::Write as _;

use clap::CommandFactory as _;
use testkit::{exit_status, roff};

use crate::{AFTER_HELP, Arguments};

/// The man page.
fn page() -> String {
    let command = Arguments::command();
    let mut page = format!(
        ".\\\" Generated from dvmrun/src: run the tests with DVM_BLESS=1.\n\
         .TH DVMRUN 1 \"\" \"libdvm {}\" \"libdvm\"\n.SH NAME\n\
         dvmrun \\- starts a program as several processes on this host\n.SH SYNOPSIS\n\
         .B dvmrun \\-n\n.I N\n[\\fIoptions\\fR] \\fIprogram\\fR [\\fIarguments\\fR]\n.SH DESCRIPTION\n",
        env!("CARGO_PKG_VERSION")
    );
    let about = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(page, "{}\n.SH OPTIONS", roff(&about).replace("\n\n", "\n.PP\n"));
    for option in command.get_arguments() {
        let (Some(short), Some(long)) = (option.get_short(), option.get_long()) else { continue };
        let value = option.get_value_names().filter(|_| option.get_action().takes_values());
        let value = value.map(|names| format!(" \\fI{}\\fR", names[0])).unwrap_or_default();
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        let default: Vec<_> = option.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        let default =
            if value.is_empty() || default.is_empty() { String::new() } else { format!("; default: {}", default[0]) };
        let _ = writeln!(
            page,
            ".TP\n\\fB\\-{short}\\fR, \\fB\\-\\-{}\\fR{value}\n{}{}.",
            roff(long),
            roff(&help),
            roff(&default)
        );
    }
    let (status, examples) = AFTER_HELP.split_once("\n\nExamples:\n").expect("two parts");
    page.push_str(&exit_status(status));
    page.push_str(
        ".SH ENVIRONMENT\nEach process gets \\fBDVM_PROCESS\\fR, its index from 0, \\fBDVM_PROCESSES\\fR, their number, \
         and \\fBDVM_JOB\\fR, by which they reach each other.\nAll other variables are passed on.\n\
         \\fBDVM_RECOVER\\fR=1 lets the job do without processes other than 0 that signals end.\n.SH EXAMPLES\n",
    );
    for example in examples.lines() {
        let _ = writeln!(page, ".TP\n.B {}", roff(example.trim()));
    }
    page.push_str(".SH SEE ALSO\n.BR dvm\\-info (1)\n");
    page
}

#[test]
fn the_man_page_is_up_to_date() {
    testkit::expect(concat!(env!("CARGO_MANIFEST_DIR"), "/dvmrun.1"), &page());
}

#[test]
fn every_option_and_every_code_is_in_the_page() {
    let page = page();
    for part in [
        "\\-\\-processes",
        "\\-\\-label",
        "\\-\\-keep\\-going",
        "\\-\\-timeout",
        "\\-\\-grace",
        ".B 124",
        ".B 125",
        ".B 126",
        ".B 127",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("  "), "no line of the source is torn");
}

#[test]
fn the_completions_are_up_to_date() {
    testkit::expect_completions(&Arguments::command(), "dvmrun", concat!(env!("CARGO_MANIFEST_DIR"), "/completions"));
}
