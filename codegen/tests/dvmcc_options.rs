//! Options that say how the source is to be read, under all their names, and those that ask the compiler something.

mod place;
mod prefix;

use place::{run, said, told};
use prefix::{dvmcc, program};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const APP: &str = "#include <stdio.h>
#include \"size.h\"
#ifndef EXTRA
#define EXTRA 0
#endif
static double a[400];
int main(void)
{
#pragma dvm region
  for (int i = 0; i < N + EXTRA; i++) {
    a[i] = i;
    // is it so??/
    a[i] += 100;
  }
  double sum = sizeof(1.0);
  for (int i = 0; i < 400; i++)
    sum += a[i];
  printf(\"%g\\n\", sum);
  return 0;
}
";
const OTHER: &str = "double other[9];\nint second(void)\n{\n#pragma dvm region\n  for (int i = 0; i < 9; i++)\n    \
                     other[i] = i;\n  return 0;\n}\n";

fn app() -> testkit::Scratch {
    testkit::scratch(&[
        ("src/app.c", APP),
        ("src/app.txt", APP),
        ("src/other.c", OTHER),
        ("inc/size.h", "#define N 200\n"),
    ])
}

/// Values that clang computes while it reads are those of the compiler, or the file is not read.
#[test]
fn other_machines_and_dialects_are_not_read() {
    let text = "int a[400], f = 3.3 == 3.3f;\nint main(void)\n{\n#pragma dvm region\n  for (int i = 0; i < BOUND; i++)\n    \
                a[i] = 1;\n  int sum = 0;\n  for (int i = 0; i < 400; i++)\n    sum += a[i];\n  return sum;\n}\n";
    let folder = testkit::scratch(&[]);
    for (option, bound, refused) in [
        ("-mlong-double-64", "(int)sizeof(long double)", true),
        ("-mlong-double-128", "(int)sizeof(long double)", false),
        ("-fsingle-precision-constant", "(int)sizeof(1.0)", true),
        ("-funsigned-bitfields", "7", true),
        ("-fexec-charset=IBM1047", "'A'", true),
        ("-fpack-struct", "(int)sizeof(struct { char c; long d; })", false),
        ("-fshort-enums", "(int)sizeof(enum { A })", false),
        ("-m32", "(int)sizeof(long)", true),
    ] {
        folder.write("app.c", text.replace("BOUND", bound));
        let compile = if option == "-m32" { "-c app.c -o app.o" } else { "app.c -o app" };
        let output = run(&mut dvmcc(), &folder, &format!("{option} {compile}"));
        if !cfg!(target_arch = "x86_64") {
            continue;
        }
        assert!(output.status.success(), "{option}: {}", said(&output));
        assert_eq!(said(&output).contains("stay sequential"), refused, "{option}: {}", said(&output));
        if option != "-m32" {
            let expected = run(&mut Command::new("gcc"), &folder, &format!("-w {option} app.c -o expected"));
            assert!(expected.status.success(), "{}", said(&expected));
            let ended = |name: &str| program(&folder.join(name)).status().expect("the program runs").code();
            assert_eq!(ended("app"), ended("expected"), "{option}");
        }
    }
    let mut command = dvmcc();
    command.env("DVM_CC", "clang --target=aarch64-linux-gnu");
    std::fs::write(folder.join("app.c"), text.replace("BOUND", "(char)200 + 100")).expect("a file");
    let output = run(&mut command, &folder, "-c app.c -o app.o");
    if cfg!(target_arch = "x86_64") {
        assert!(said(&output).contains("compiled for another machine"), "{}", said(&output));
    }
}

/// The text is read as the compiler reads it, by whichever name it is told how.
#[test]
fn options_have_long_names_and_other_ways_in() {
    let folder = app();
    for options in [
        "-I inc -trigraphs",
        "-I inc -DEXTRA=7",
        "--include-directory inc --define-macro EXTRA=7",
        "--include-directory=inc --define-macro=EXTRA=7 --undefine-macro=EXTRA",
        "-I inc --include src/extra.h",
        "-I inc --std c99 --trigraphs",
        "-I inc -Xpreprocessor -DEXTRA=9",
        "-I inc -Wp,-DEXTRA=9,-MD,app.d",
        "--include-directory-after inc --optimize=2 --debug",
    ] {
        std::fs::write(folder.join("src/extra.h"), "#define EXTRA 11\n").expect("a file");
        let line = |program: &str| format!("-Wno-trigraphs {options} src/app.c --output {program}");
        let output = run(&mut dvmcc(), &folder, &line("app"));
        assert!(output.status.success() && said(&output).is_empty(), "{options}: {}", said(&output));
        let expected = run(&mut Command::new("gcc"), &folder, &line("expected"));
        assert!(expected.status.success(), "{}", said(&expected));
        let ran = program(&folder.join("app")).env("STANDIN_TELL", "1").output().expect("the program runs");
        let right = program(&folder.join("expected")).output().expect("the program runs");
        assert_eq!(told(&ran), told(&right), "{options}");
        assert!(said(&ran).contains("graphs 1"), "{options}: {}", said(&ran));
    }
}

/// Every file below a folder, and the bytes of those that say dependencies.
fn files(folder: &Path, below: &Path, all: &mut BTreeSet<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(below).expect("the folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(folder, &path, all);
            continue;
        }
        let name = path.strip_prefix(folder).expect("a file below").display().to_string();
        let bytes =
            if path.extension().is_some_and(|e| e == "d") { std::fs::read(&path).expect("the file") } else { vec![] };
        all.insert((name, bytes));
    }
}

/// Outputs have the compiler's own names, and dependency files its text.
#[test]
fn outputs_are_named_as_the_compiler_names_them() {
    for compiler in ["gcc", "clang"] {
        for line in [
            "-MD -Iinc src/app.c src/other.c",
            "-MD -Iinc src/app.c src/other.c -o out/app",
            "-MD -Iinc -E src/app.c -o out/app.i",
            "-MMD -MP -Iinc -c src/app.c -o out/app.o",
            "-MD -MT one -MQ two -Iinc -c src/app.c",
            "-Wp,-MMD,out/x.d,-MT,abc -Iinc -c src/app.c",
            "-Wp,-MD,x.d -Iinc -c src/app.c -o out/app.o",
            "--write-user-dependencies -Iinc -c src/app.c",
            "--output lng --debug -Iinc src/app.c",
            "-Iinc -c -- src/app.c",
            "--language=c -Iinc -c src/app.txt",
            "-r -Iinc src/app.c src/other.c -o out/app.o",
            "--dependencies -Iinc src/app.c",
        ] {
            if compiler == "gcc" && line.contains(" -- ") {
                continue;
            }
            let made = [Command::new(compiler), dvmcc()].map(|mut command| {
                let folder = app();
                std::fs::create_dir(folder.join("out")).expect("a folder");
                let output = run(command.env("DVM_CC", compiler), &folder, &format!("-Wno-trigraphs {line}"));
                assert!(output.status.success(), "{compiler} {line}: {}", said(&output));
                let mut all = BTreeSet::new();
                files(&folder, &folder, &mut all);
                (all, if line.contains("dependencies") { told(&output) } else { String::new() }, said(&output))
            });
            let [(expected, says, _), (files, also, messages)] = &made;
            let names = |all: &BTreeSet<(String, Vec<u8>)>| all.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
            assert_eq!(names(files), names(expected), "{compiler} {line}: {messages}");
            assert!(files == expected && says == also, "{compiler} {line}");
            assert_eq!(messages, "", "{compiler} {line}");
        }
    }
}

/// What a compiler answers names the user's files, not those that stand in for them.
#[test]
fn questions_are_passed_on() {
    let script = "#!/bin/sh\nfor w in \"$@\"; do case $w in -showme*|-show) echo gcc \"$@\"; exit;; esac; done\nexec gcc \"$@\"\n";
    let folder = app();
    folder.write("mpicc", script);
    let wrapper = folder.join("mpicc");
    for line in ["-showme -c -Iinc src/app.c", "-show -c -Iinc src/app.c", "-### -Iinc -c src/app.c"] {
        let output = run(dvmcc().env("DVM_CC", &wrapper), &folder, line);
        let text = format!("{}{}", told(&output), said(&output));
        assert!(output.status.success() && text.contains("src/app.c"), "{line}: {text}");
        assert!(!text.contains("dvmcc-") && !text.contains("0/app.c"), "{line}: {text}");
    }
}

/// A name that is no text is compiled as it is, and the message says why its loops are no tiles.
#[test]
fn names_of_other_encodings_compile_sequentially() {
    use std::os::unix::ffi::OsStrExt;
    let folder = app();
    let named = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    let plain = "#include \"size.h\"\nint number(void) { return N; }\n";
    std::fs::write(folder.join(named(b"src/caf\xe9.c")), APP).expect("a file");
    std::fs::write(folder.join(named(b"src/plain\xe9.c")), plain).expect("a file");
    let compile = |file: &'static [u8], options: &str| {
        let mut command = dvmcc();
        run(command.arg(named(file)), &folder, options)
    };
    let output = compile(b"src/caf\xe9.c", "--show -Wall -Werror -Wno-trigraphs -Iinc -o app");
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("a word of the command is not UTF-8"), "{}", said(&output));
    let ran = program(&folder.join("app")).output().expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "39908\n");

    let output = compile(b"src/caf\xe9.c", "--dvm-strict -Iinc -o strict");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(!folder.join("strict").exists());

    // Nothing is lost without a region, and a folder's name counts as well.
    let output = compile(b"src/plain\xe9.c", "--dvm-strict -c -Iinc -o plain.o");
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    let output = compile(b"-Inot\xe9there", "-Iinc -c src/app.c -o folder.o");
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("src/app.c: warning: its regions stay sequential"), "{}", said(&output));
}
