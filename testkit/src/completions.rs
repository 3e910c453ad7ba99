//! Completions of shells for a program's command line.

use std::path::Path;

use clap_complete::{Shell, generate};

/// Panics if a folder does not hold the completions of this command line for bash, zsh and fish, under the names by which
/// these shells look for them; `DVM_BLESS=1` writes them.
#[track_caller]
pub fn expect_completions(command: &clap::Command, program: &str, folder: impl AsRef<Path>) {
    let files = [
        (Shell::Bash, program.to_owned()),
        (Shell::Zsh, format!("_{program}")),
        (Shell::Fish, format!("{program}.fish")),
    ];
    for (shell, name) in files {
        let mut text = Vec::new();
        generate(shell, &mut command.clone(), program, &mut text);
        let mut text = String::from_utf8(text).expect("completions are text");
        if shell == Shell::Bash {
            // clap_complete 4.6 takes a dash of the program's name for one between commands, in half of the labels.
            text = text.replace(&program.replace('-', "__subcmd__"), &program.replace('-', "__"));
        }
        crate::expect(folder.as_ref().join(shell.to_string()).join(name), &text);
    }
}

/// The command line of a program whose options stand in the text of its `--help`, in a part that begins with `Options`:
/// two blanks, an option, two blanks or more, and what it does, which later lines continue. Files are its other words.
pub fn command_of_help(program: &'static str, help: &'static str) -> clap::Command {
    let part = help.split("\n\n").find(|part| part.starts_with("Options")).expect("a part with options");
    let mut options: Vec<(&'static str, String)> = Vec::new();
    for line in part.lines().skip(1) {
        if let Some(entry) = line.strip_prefix("  ").filter(|rest| rest.starts_with('-')) {
            let (word, text) = entry.split_once("  ").expect("an option and what it does");
            options.push((word, text.trim().to_owned()));
        } else {
            let (_, text) = options.last_mut().expect("a line that continues an option");
            text.push(' ');
            text.push_str(line.trim());
        }
    }
    let files = clap::Arg::new("files").num_args(0..).value_hint(clap::ValueHint::FilePath);
    let none = clap::Command::new(program).disable_help_flag(true).disable_version_flag(true).arg(files);
    options.iter().fold(none, |command, (word, text)| with_option(command, word, text))
}

/// `--long`, `--long=VALUE` or `--long VALUE`; an option with one dash is one of a compiler, which no shell's rule fits.
/// A name that is there already has one form with a value and one without.
fn with_option(command: clap::Command, word: &'static str, text: &str) -> clap::Command {
    let Some(long) = word.strip_prefix("--") else { return command };
    let name = long.split(['=', ' ']).next().unwrap_or(long);
    if command.get_arguments().any(|option| option.get_long() == Some(name)) {
        return command;
    }
    let takes = name.len() < long.len();
    let what = text.split([':', ';', ',', '(']).next().unwrap_or(text).trim().to_owned();
    let option = clap::Arg::new(name).long(name).help(what);
    command.arg(if takes { option.num_args(1) } else { option.action(clap::ArgAction::SetTrue) })
}

#[test]
fn options_are_read_from_the_help() {
    let help = "p: a program\n\nOptions of its own:\n  --show   keep it,\n           all\n  -Wno-x   none\n  --explain X1   what; more\n";
    let command = command_of_help("p", help);
    let options: Vec<(String, String, bool)> = command
        .get_arguments()
        .filter_map(|option| {
            let help = option.get_help().map(ToString::to_string).unwrap_or_default();
            Some((option.get_long()?.to_owned(), help, option.get_action().takes_values()))
        })
        .collect();
    let option = |name: &str, help: &str, takes| (name.to_owned(), help.to_owned(), takes);
    assert_eq!(options, [option("show", "keep it", false), option("explain", "what", true)]);
}
