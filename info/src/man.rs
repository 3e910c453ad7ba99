//! Generates the man page from the command line and the table of options, so that they cannot differ.

use std::fmt::Write as _;

use clap::CommandFactory as _;
use testkit::{exit_status, roff};

use crate::{Arguments, EXIT_STATUS};

/// The man page.
fn page() -> String {
    let command = Arguments::command();
    let mut page = format!(
        ".\\\" Generated from info/src and src/config/knobs.rs: run the tests with DVM_BLESS=1.\n\
         .TH DVM\\-INFO 1 \"\" \"libdvm {}\" \"libdvm\"\n.SH NAME\ndvm\\-info \\- prints what libdvm sees\n.SH SYNOPSIS\n.B dvm\\-info\n",
        env!("CARGO_PKG_VERSION")
    );
    let options = || command.get_arguments().filter(|option| option.get_long().is_some());
    for option in options() {
        let _ = writeln!(page, "[\\fB\\-\\-{}\\fR]", roff(option.get_long().unwrap_or_default()));
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(
        page,
        ".SH DESCRIPTION\n{}\n.PP\nThe program contains the library's own code: it prints what dvm_init would find in the \
         same environment.\n.SH OPTIONS",
        roff(&about)
    );
    for option in options() {
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, ".TP\n.B \\-\\-{}\n{}.", roff(option.get_long().unwrap_or_default()), roff(&help));
    }
    page.push_str(".TP\n.B \\-\\-help\nA summary of these options.\n.TP\n.B \\-\\-version\nThe version.\n");
    page.push_str(&exit_status(EXIT_STATUS));
    page.push_str(".SH ENVIRONMENT\nThese are the options of libdvm, read by every program that uses it.\n");
    for option in dvm::report::options() {
        let unit = if option.unit.is_empty() { String::new() } else { format!(" ({})", option.unit) };
        let _ = writeln!(
            page,
            ".TP\n.B {}\n{}{}; default: {}.\n.br\n{}",
            roff(option.variable),
            roff(&option.allowed),
            roff(&unit),
            roff(option.default),
            roff(option.documentation)
        );
    }
    page
}

#[test]
fn the_man_page_is_up_to_date() {
    testkit::expect(concat!(env!("CARGO_MANIFEST_DIR"), "/dvm-info.1"), &page());
}

#[test]
fn every_option_of_the_command_line_and_of_the_environment_is_in_the_page() {
    let page = page();
    for name in [
        "\\-\\-check",
        "\\-\\-options",
        "\\-\\-machine",
        "\\-\\-transports",
        "\\-\\-json",
        "\\-\\-help",
        "\\-\\-version",
    ] {
        assert!(page.contains(name), "{name}");
    }
    let options = dvm::report::options();
    assert!(options.len() > 8);
    for option in options {
        assert!(page.contains(&format!(".B {}\n", option.variable)), "{}", option.variable);
    }
}

#[test]
fn the_completions_are_up_to_date() {
    testkit::expect_completions(&Arguments::command(), "dvm-info", concat!(env!("CARGO_MANIFEST_DIR"), "/completions"));
}
