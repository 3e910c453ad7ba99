//! Debuggers, profilers and sanitizers see the source: no file that is gone, no line that is not the user's.

mod place;
mod prefix;

use place::{run, said, told};
use prefix::{dvmcc, program};
use std::process::Command;

const APP: &str = "#include <stdio.h>
#include \"size.h\"
static double b[N][N];
static int c[N];
double f(int n, double weight)
{
  double s = 0;
#pragma dvm region tile(4, 4)
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++) {
      b[i][j] = b[i - 1][j] * weight
                + i * 2.0;
    }
#pragma dvm region
  for (int i = 0; i < n; i++)
    c[i] = c[i] + 0x7fffffff;
  for (int i = 0; i < N; i++) s += b[i][3] + c[i];
  return s;
}
int main(void)
{
  c[3] = SHIFT;
  printf(\"%g %d\\n\", f(N, 0.5), __LINE__);
  return 0;
}
";

fn app(shift: &str) -> testkit::Scratch {
    testkit::scratch(&[("src/app.c", &APP.replace("SHIFT", shift)), ("src/size.h", "#define N 20\n")])
}

/// A breakpoint on a statement of a region stops in a tile, where the user's variables have their names.
#[test]
fn a_debugger_stops_on_lines_of_regions() {
    if Command::new("gdb").arg("--version").output().is_err() {
        println!("not run: there is no gdb");
        return;
    }
    let folder = app("0");
    for compiler in ["gcc", "clang"] {
        let output = run(dvmcc().env("DVM_CC", compiler), &folder, "-g -O0 src/app.c -o app");
        assert!(output.status.success(), "{}", said(&output));
        let mut gdb = Command::new("gdb");
        gdb.env_remove("LD_LIBRARY_PATH").env("DEBUGINFOD_URLS", "").current_dir(&folder).args(["-q", "-nx", "-batch"]);
        for command in [
            "break src/app.c:11",
            "run",
            "print i * 1000 + j",
            "print weight",
            "print n",
            "print b[0][j]",
            "info line",
            "bt",
        ] {
            gdb.args(["-ex", command]);
        }
        let output = gdb.arg("app").output().expect("gdb runs");
        let text = told(&output);
        if text.contains("ptrace: ") || said(&output).contains("ptrace") {
            println!("not run: gdb may not start programs here");
            return;
        }
        for part in ["dvm__f_1_graph_tile", "src/app.c:11", "$1 = 1000", "$2 = 0.5", "$3 = 20", "$4 = 0"] {
            assert!(text.contains(part), "{compiler}: {part}: {text} {}", said(&output));
        }
        assert!(!text.contains("dvmcc-"), "{text}");
    }
}

/// Two identical builds give the same bytes, and no name in them is that of a temporary file.
#[test]
fn equal_builds_give_equal_objects() {
    let folder = app("0");
    for place in ["one", "two"] {
        std::fs::create_dir(folder.join(place)).expect("a folder");
    }
    for compiler in ["gcc", "clang"] {
        for options in ["", "-g", "-g3 -O2", "-g --coverage", "-g -fsanitize=undefined", "-g -fsanitize=address"] {
            let mut objects = Vec::new();
            for place in ["one", "two"] {
                let mut command = dvmcc();
                command.env("DVM_CC", compiler).env("TMPDIR", folder.join(place));
                let output = run(&mut command, &folder, &format!("{options} -c src/app.c -o app.o"));
                assert!(output.status.success(), "{}", said(&output));
                objects.push(std::fs::read(folder.join("app.o")).expect("the object"));
            }
            assert!(objects[0] == objects[1], "{compiler} {options}");
            // The address sanitizer names the file that it was given, in a place that does not depend on `TMPDIR`.
            let text = String::from_utf8_lossy(&objects[0]);
            assert!(options.contains("address") || !text.contains("dvmcc-"), "{compiler} {options}");
        }
    }
}

#[test]
fn coverage_counts_lines_of_the_source() {
    let folder = app("0");
    let output = run(&mut dvmcc(), &folder, "--coverage -O0 src/app.c -o app");
    assert!(output.status.success(), "{}", said(&output));
    assert!(folder.join("app-app.gcno").is_file() || folder.join("app.gcno").is_file(), "where gcc puts it");
    assert!(program(&folder.join("app")).current_dir(&folder).status().expect("the program runs").success());
    let data = if folder.join("app-app.gcda").is_file() { "app-app" } else { "app" };
    let output = run(&mut Command::new("gcov"), &folder, data);
    assert!(output.status.success() && !said(&output).contains("open"), "{} {}", told(&output), said(&output));
    let files: Vec<String> = told(&output).lines().filter(|l| l.starts_with("File")).map(str::to_owned).collect();
    assert_eq!(files, ["File 'src/app.c'"]);
    let text = std::fs::read_to_string(folder.join("app.c.gcov")).expect("gcov's text");
    let count = |line: &str| {
        let row = text.lines().find(|row| row.contains(line)).expect("the line");
        row.split(':').next().unwrap_or_default().trim().trim_end_matches('*').to_owned()
    };
    assert_eq!(
        (count("  11:      b[i][j] ="), count("  16:    c[i] =")),
        ("380".to_owned(), "20".to_owned()),
        "{text}"
    );
}

#[test]
fn sanitizers_and_remarks_name_the_source() {
    let folder = app("1");
    let output = run(&mut dvmcc(), &folder, "-g -O1 -fsanitize=undefined src/app.c -o app");
    assert!(output.status.success(), "{}", said(&output));
    let ran = program(&folder.join("app")).output().expect("the program runs");
    assert!(said(&ran).contains("src/app.c:16:"), "{}", said(&ran));
    let output = run(&mut dvmcc(), &folder, "-O3 -fopt-info-vec -c src/app.c -o app.o");
    let text = said(&output);
    assert!(text.contains("src/app.c:9:"), "{text}");
    assert!(text.lines().all(|l| l.starts_with("src/app.c:")), "{text}");
}

/// A kept file says its own lines, and those of the source for what the user wrote.
#[test]
fn the_kept_file_has_lines_of_its_own() {
    let folder = app("0");
    let output = run(&mut dvmcc(), &folder, "-c src/app.c -o app.o --show");
    assert!(output.status.success(), "{}", said(&output));
    let text = std::fs::read_to_string(folder.join("app.dvm.c")).expect("the kept file");
    let lines: Vec<&str> = text.lines().collect();
    let mut statements = 0;
    for (at, line) in lines.iter().enumerate() {
        if let Some(number) = line.strip_prefix("#line ").and_then(|rest| rest.strip_suffix(" \"app.dvm.c\"")) {
            assert_eq!(number.parse::<usize>().expect("a number"), at + 2);
        }
        if *line == "#line 11 \"src/app.c\"" {
            assert!(lines[at + 1].starts_with("      b[i][j] = "), "{}", lines[at + 1]);
            statements += 1;
        }
    }
    assert!(statements == 1 && !text.contains("/*dvm: "), "{text}");
}
