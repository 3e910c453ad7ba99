//! Inputs whose reading or analysis does not end: the command does, with little memory, and says what it left out.

#![allow(clippy::format_collect)]

mod prefix;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use testkit::Random;

/// Processor time of the children that have ended, in s: what inputs cost, however busy the machine is.
fn spent() -> u64 {
    const TICKS_PER_S: u64 = 100;
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc");
    let (_, after_name) = stat.rsplit_once(')').expect("a name");
    let ticks = |field: usize| after_name.split_whitespace().nth(field - 3).and_then(|x| x.parse::<u64>().ok());
    // Fields 16 and 17 of proc(5): user and system time of waited-for children.
    (ticks(16).expect("cutime") + ticks(17).expect("cstime")) / TICKS_PER_S
}

/// More than all tests of this file, which run side by side, take together; one analysis alone would go on for minutes.
const MOST_S: u64 = 200;

/// Four statements at depth four, of different conditions, that read each other at many distances: isl's scheduler goes on
/// for minutes, without counting operations.
fn endless() -> String {
    let arrays = ["a", "b", "c", "d"];
    let declared: Vec<String> = arrays.iter().map(|name| format!("double {name}[restrict n][n][n][n]")).collect();
    let mut text = format!("void f(int n, {}) {{\n#pragma dvm region\n", declared.join(", "));
    for it in ["i", "j", "k", "l"] {
        let _ = writeln!(text, "for (int {it} = 3; {it} < n - 3; {it}++)");
    }
    text.push_str("{\n");
    let mut random = Random::new(12345);
    for (least, name) in arrays.into_iter().enumerate() {
        let mut reads = Vec::new();
        for _ in 0..8 {
            let mut at = || *random.pick(&["- 2", "- 1", "+ 0", "+ 1", "+ 2"]);
            let subscripts = format!("[i {}][j {}][k {}][l {}]", at(), at(), at(), at());
            reads.push(format!("{}{subscripts}", random.pick(&arrays)));
        }
        let _ = writeln!(text, "if (l > {least}) {name}[i][j][k][l] = {};", reads.join(" + "));
    }
    text + "}\n#pragma dvm region name(easy)\nfor (int i = 0; i < n; i++)\n  a[0][0][0][i] = 0;\n}\n"
}

#[test]
fn an_endless_analysis_is_ended_and_the_next_region_goes_on() {
    let folder = testkit::scratch(&[("endless.c", &endless())]);
    let file = folder.join("endless.c");
    let before = spent();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let output = command.args(["tile", "--print=c"]).arg(&file).env_remove("DVM_CLANG").output().expect("it runs");
    let (took, said) = (spent() - before, String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(said.contains("region 'f_1' stays sequential: "), "{said}");
    assert!(said.contains("mark each nest with a pragma of its own"), "{said}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("/* dvm: region easy"), "{said}");
    assert!(took < MOST_S, "{took} s of processor time");
}

/// Conditions and values whose cases multiply end with a refusal, or go through, in little time.
#[test]
fn conditions_do_not_multiply() {
    let chain: Vec<String> = (0..200).map(|k| format!("i + {k} < n + {}", k * k)).collect();
    let nested = (0..9).fold("i".to_owned(), |inner, k| format!("(i > {k} ? ({inner}) + 1 : ({inner}) / 2)"));
    let (and, or) = (chain.join(" && "), chain.join(" || "));
    let text = format!(
        "void f(int n, int *restrict a) {{\n#pragma dvm region\nfor (int i = 0; i < n; i++) if ({and}) a[i] = 1;\n\
         #pragma dvm region\nfor (int i = 0; i < n; i++) if (!({or})) a[i] = 1;\n\
         #pragma dvm region\nfor (int i = 0; i < n; i++) a[{nested}] = 1;\n}}\n"
    );
    let folder = testkit::scratch(&[("multiplying.c", &text)]);
    let file = folder.join("multiplying.c");
    let before = spent();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let output = command.arg("tile").arg(&file).env_remove("DVM_CLANG").output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let took = spent() - before;
    assert!(took < MOST_S, "{took} s of processor time");
}

/// Runs the command in less address space than this machine has: 2 GB and the stack that is reserved.
fn tile(file: &Path, clang: Option<&Path>) -> Output {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -v 3300000; exec \"$0\" tile \"$1\""]);
    command.arg(env!("CARGO_BIN_EXE_dvm-codegen")).arg(file).env_remove("DVM_CLANG");
    command.envs(clang.map(|clang| ("DVM_CLANG", clang)));
    command.output().expect("it runs")
}

/// A function with a region.
fn region(name: &str, body: &str) -> String {
    format!("void {name}(int n, double *a)\n{{\n#pragma dvm region\n  for (int i = 0; i < n; i++)\n    {body}\n}}\n")
}

/// Texts that would take minutes or gigabytes, and the limit that each meets.
fn large() -> Vec<(&'static str, String, &'static str)> {
    let many = |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<String>();
    let sum = |count: usize| region("f", &format!("a[0{}] = 1;", " + i".repeat(count)));
    let branches = region("f", &(many(2000, &|k| format!("if (n == {k}) a[i] = {k}; else\n")) + "a[i] = 0;"));
    let statements = region("f", &format!("{{{}}}", many(4000, &|k| format!("a[i] += {k};\n"))));
    let enumerators = format!("enum e {{ {} }};\n", many(700_000, &|k| format!("e{k},")));
    let bomb: String = (1..40).map(|k| format!("#define B{k} B{} B{}\n", k - 1, k - 1)).collect();
    let bomb = format!("#define B0 +1\n{bomb}") + &region("f", "a[i] = 1 B38;");
    let macros = many(100_000, &|k| format!("#define M{k} {k}\n"));
    let functions = many(900, &|k| region(&format!("f{k}"), "a[i] = i * i;"));
    vec![
        ("sum.c", sum(600), "stand in more than 500 others"),
        ("long_sum.c", sum(10_000), "clang's syntax tree of the file has more than 192 MB"),
        ("branches.c", branches, "more than"),
        ("statements.c", statements, "the region has more than 20000 statements, operators and operands"),
        ("enumerators.c", enumerators + &region("f", "a[i] = 1;"), "has more than 192 MB"),
        ("bomb.c", bomb, "more than"),
        ("pragmas.c", region("f", "a[i] = 1;").repeat(1001), "the file has 1001 pragmas, more than 1000"),
        ("macros.c", macros + &functions, "the file with its headers is too large for more than "),
    ]
}

#[test]
fn what_is_too_large_is_refused_and_stays_as_it_is() {
    for (name, text, reason) in large() {
        let folder = testkit::scratch(&[(name, &text)]);
        let file = folder.join(name);
        let before = spent();
        let output = tile(&file, None);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let said: String = said.chars().take(2000).collect();
        assert_eq!(output.status.code(), Some(0), "{name}: {said}");
        assert!(said.contains(reason) && said.contains("stays sequential: "), "{name}: {said}");
        assert!(said.starts_with(&format!("{}:", file.display())) && said.contains(": note: "), "{name}: {said}");
        // Where each region costs a look at the whole file, the first are looked at.
        let some = String::from_utf8_lossy(&output.stdout).matches("/* dvm: region ").count();
        assert!(output.stdout == text.as_bytes() || (name == "macros.c" && (1..900).contains(&some)), "{name}: {some}");
        let took = spent() - before;
        assert!(took < MOST_S, "{name}: {took} s of processor time");
    }
}

/// What is not read is compiled all the same, also where warnings are errors.
#[test]
fn what_is_too_large_is_compiled() {
    let text = region("f", "a[i] = 1;").replace("void f", "void f(int n, double *a);\nvoid f");
    let folder = testkit::scratch(&[("compiled.c", &text), ("clang", "#!/bin/sh\nyes 'int x;'\n")]);
    let mut dvmcc = prefix::dvmcc();
    dvmcc.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "-o", "/dev/null"]).arg(folder.join("compiled.c"));
    let output = dvmcc.env("DVM_CLANG", folder.join("clang")).output().expect("dvmcc runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("compiled.c:4:1: warning: region stays sequential: the file after the preprocessor has"),
        "{said}"
    );
}

#[test]
fn a_reading_that_dies_or_never_ends_is_a_refusal() {
    let text = region("f", "a[i] = 1;") + &region("g", "a[i] = 1;");
    let preprocess = "case \"$*\" in *-fsyntax-only*) ;; *) exec clang \"$@\" ;; esac\n";
    // The parent of clang is the process that reads.
    let cases = [
        ("dies", format!("{preprocess}kill -ABRT $PPID; sleep 1"), "needs more than 1 GB, or failed"),
        ("loops", format!("{preprocess}while :; do :; done"), "takes more than "),
        ("fails", format!("{preprocess}kill -ABRT $$"), "clang, which reads the file, needs more than 1 GB, or fails"),
        ("talks", "yes 'int x;'".to_owned(), "the file after the preprocessor has more than 64 MB"),
        // A tree that is small as text, and larger than the memory of the process when it is read.
        (
            "grows",
            format!("{preprocess}printf '{{\"inner\":[{{}}'; yes ',{{}}' | head -c 180000000; echo ']}}'"),
            "1 GB",
        ),
    ];
    for (name, script, reason) in cases {
        let script = format!("#!/bin/sh\n{script}\n");
        let folder = testkit::scratch(&[("read.c", &text), ("clang", &script)]);
        let output = tile(&folder.join("read.c"), Some(&folder.join("clang")));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{name}: {said}");
        assert_eq!(said.matches(reason).count(), 2, "{name}: {said}");
        assert!(said.contains("read.c:3:1: ") && said.contains("read.c:9:1: "), "{name}: {said}");
        assert!(output.stdout == text.as_bytes(), "{name}: the text changed");
    }
}

/// The processes that a process of ours started as workers.
fn workers(of: u32) -> Vec<u32> {
    let one = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent: u32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        (parent == of && command.contains("\0--dvm-analysis")).then_some(pid)
    };
    let all = std::fs::read_dir("/proc").expect("proc").flatten();
    all.filter_map(|entry| one(entry.file_name().to_str()?.parse().ok()?)).collect()
}

#[test]
fn an_analysis_that_dies_is_a_refusal_and_the_next_region_goes_on() {
    let folder = testkit::scratch(&[("dying.c", &endless())]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let command = command
        .arg("tile")
        .arg(folder.join("dying.c"))
        .env_remove("DVM_CLANG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("it runs");
    let (mut seen, begin) = (Vec::new(), Instant::now());
    // The first process reads, the second analyses the region that never ends.
    while seen.len() < 2 && begin.elapsed().as_secs() < 150 {
        seen.extend(workers(child.id()).into_iter().filter(|pid| !seen.contains(pid)).collect::<Vec<_>>());
        std::thread::sleep(Duration::from_millis(1));
    }
    let last = seen.last().expect("a worker").to_string();
    assert!(Command::new("/bin/sh").args(["-c", &format!("kill -ABRT {last}")]).status().expect("sh").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("region 'f_1' stays sequential: the analysis needs more than 2 GB, or failed"), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("/* dvm: region easy"), "{said}");
}
