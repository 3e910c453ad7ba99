//! Tests that play a part in a process of their own, whose environment, threads and end no other test shares.

use std::path::PathBuf;
use std::process::Command;

/// Set for the process that plays a part.
const PART: &str = "DVM_TEST_PART";

/// Whether this process plays a part, started by a command of `part` or `part_by`.
pub fn playing() -> bool {
    std::env::var_os(PART).is_some()
}

/// The command that runs this test program again, with the test of this name only.
pub fn part(test: &str) -> Command {
    play(Command::new(own_path()), test)
}

/// The same, as the last arguments of another command.
pub fn part_by(mut launcher: Command, test: &str) -> Command {
    launcher.arg(own_path());
    play(launcher, test)
}

fn own_path() -> PathBuf {
    std::env::current_exe().expect("the test's own path")
}

fn play(mut command: Command, test: &str) -> Command {
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(PART, test);
    command
}

/// Runs a part; what it printed, on standard output and then on standard error. Panics if it fails, or if no test has the name.
pub fn passes(part: &mut Command) -> String {
    let output = part.output().unwrap_or_else(|error| panic!("{part:?}: {error}"));
    let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && told.contains("1 passed"), "{part:?}: {}: {told}", output.status);
    told
}

#[test]
fn a_part_runs_the_test_of_its_name() {
    if playing() {
        return println!("played");
    }
    assert!(passes(&mut part("part::a_part_runs_the_test_of_its_name")).contains("played"));
    let nobody = std::panic::catch_unwind(|| passes(&mut part("part::no_such_test")));
    assert!(nobody.is_err(), "a name without a test passes");
}
