//! The three programs are one file: an installation has it under three names.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testkit::Scratch;

const FILE: &str = env!("CARGO_BIN_EXE_dvm-codegen");

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn run(program: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.env("DVM_CC", "gcc").env("DVM_FC", "true").env_remove("CC").args(arguments).output().expect("it runs")
}

/// A further name of the file, as installed; a copy where the folders are on two file systems.
fn hard_link(folder: &Scratch, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::hard_link(FILE, &path).or_else(|_| std::fs::copy(FILE, &path).map(|_| ())).expect("a file");
    path
}

fn link(folder: &Scratch, to: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::os::unix::fs::symlink(to, &path).expect("a link");
    path
}

#[test]
fn a_name_makes_the_program_a_compiler() {
    let folder = testkit::scratch(&[("x.c", "int main(void) { return 0; }\n")]);
    let dvmcc = hard_link(&folder, "dvmcc");
    let source = folder.join("x.c").display().to_string();
    let object = folder.join("x.o");
    let compile = ["-c", &source, "-o", &object.display().to_string()];
    for program in [link(&folder, Path::new(FILE), "x86_64-linux-gnu-dvmcc"), link(&folder, &dvmcc, "cc"), dvmcc] {
        assert!(said(&run(&program, &["--version"])).starts_with("dvmcc "), "{}", program.display());
        let output = run(&program, &compile);
        assert!(output.status.success() && object.exists(), "{}: {}", program.display(), said(&output));
        std::fs::remove_file(&object).expect("an object");
    }
    let dvmfc = hard_link(&folder, "dvmfc");
    assert!(said(&run(&dvmfc, &["--version"])).starts_with("dvmfc "));
    assert!(said(&run(Path::new(FILE), &["--version"])).starts_with("dvm-codegen "));
}

/// A tool that joins equal files may make a link of any of them.
#[test]
fn dvm_codegen_as_a_link_to_dvmcc_is_itself() {
    let folder = testkit::scratch(&[("cases.json", "{}")]);
    let dvmcc = hard_link(&folder, "dvmcc");
    let generator = link(&folder, &dvmcc, "dvm-codegen");
    // This one starts itself again, with limits.
    let output = run(&generator, &["redist", "plan", &folder.join("cases.json").display().to_string()]);
    assert!(said(&output).starts_with("dvm-codegen redist: "), "{}", said(&output));
}

#[test]
fn a_name_that_says_nothing_is_answered_with_a_way() {
    let folder = testkit::scratch(&[("x.c", "int x;\n")]);
    let tool = hard_link(&folder, "tool");
    let output = run(&tool, &["-c", "x.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("--dvm-program=dvmcc") && said(&output).contains("tool` this program is dvm-codegen")
    );
    assert!(said(&run(&tool, &["--dvm-program=dvmcc", "--version"])).starts_with("dvmcc "));
    assert!(said(&run(&tool, &["--dvm-program=dvmfc", "--version"])).starts_with("dvmfc "));
}
