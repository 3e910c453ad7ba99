//! What clang reads is what the real compiler compiles: wrappers, headers, macros, included files.

mod place;
mod prefix;

use place::{run, said, told};
use prefix::{dvmcc, program};
use std::path::Path;
use std::process::Command;

const MPI: &str = "#include <mpi.h>
#include <stdio.h>
#if FROM_WRAPPER == 3
#define N 40
#else
#define N 4
#endif
static double a[N];
int main(void)
{
  MPI_Comm world = MPI_COMM_WORLD;
#pragma dvm region
  for (int i = 0; i < N; i++)
    a[i] = i;
  printf(\"%g %d\\n\", a[N - 1], world);
  return 0;
}
";

/// Runs a program on the stand-in, and says its output and the number of its graphs.
fn ran(path: &Path) -> (String, String) {
    let output = program(path).env("STANDIN_TELL", "1").output().expect("the program runs");
    (told(&output).trim().to_owned(), said(&output).split(" tiles").next().unwrap_or_default().trim().to_owned())
}

fn wrappers() -> testkit::Scratch {
    let script = |question: &str, answer: &str, variable: &str| {
        format!(
            "#!/bin/sh\nhere=$(dirname \"$0\")\nif [ \"$1\" = {question} ]; then echo \"{answer}-I$here/inc -DFROM_WRAPPER=3\"; \
             exit 0; fi\nexec ${{{variable}:-gcc}} \"$@\" -I$here/inc -DFROM_WRAPPER=3\n"
        )
    };
    let header = "typedef int MPI_Comm;\n#define MPI_COMM_WORLD 7\n";
    let files = [
        ("app.c", MPI),
        ("Makefile", "app: app.c\n\t$(CC) -o app app.c\n"),
        ("mpi/inc/mpi.h", header),
        ("mpi/openmpi", &script("-showme:compile", "", "OMPI_CC")),
        ("mpi/mpich", &script("-compile_info", "gcc ", "MPICH_CC")),
        ("mpi/quiet", &script("--none", "", "QUIET_CC")),
    ];
    testkit::scratch(&files)
}

#[test]
fn wrappers_of_mpi_are_asked_for_their_folders() {
    let folder = wrappers();
    for wrapper in ["openmpi", "mpich", "quiet"] {
        let mut command = dvmcc();
        let output = run(command.env("DVM_CC", folder.join("mpi").join(wrapper)), &folder, "app.c -o app");
        assert!(output.status.success() && said(&output).is_empty(), "{wrapper}: {}", said(&output));
        assert_eq!(ran(&folder.join("app")), ("39 7".to_owned(), "graphs 1".to_owned()), "{wrapper}");
    }
}

/// `OMPI_CC=dvmcc make CC=mpicc` calls dvmcc from the compiler that dvmcc calls.
#[test]
fn a_wrapper_around_dvmcc_comes_to_an_end() {
    let folder = wrappers();
    let wrapper = folder.join("mpi/openmpi");
    for chosen in [None, Some(&wrapper)] {
        let mut make = dvmcc_environment("timeout");
        make.env_remove("DVM_CC").env("OMPI_CC", env!("CARGO_BIN_EXE_dvmcc")).env_remove("MAKEFLAGS");
        if let Some(chosen) = chosen {
            make.env("DVM_CC", chosen);
        }
        let line = format!("60 make -B CC={}", wrapper.display());
        let output = run(&mut make, &folder, &line);
        assert!(output.status.success() && said(&output).is_empty(), "{chosen:?}: {}", said(&output));
        assert_eq!(ran(&folder.join("app")), ("39 7".to_owned(), "graphs 1".to_owned()));
    }
    std::fs::create_dir(folder.join("bin")).expect("a folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_dvmcc"), folder.join("bin/cc")).expect("a link");
    let mut command = dvmcc_environment("timeout");
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let line = format!("60 {} -c app.c", env!("CARGO_BIN_EXE_dvmcc"));
    let output = run(command.env_remove("DVM_CC").env("PATH", path), &folder, &line);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("runs dvmcc again") && said(&output).contains("DVM_CC"), "{}", said(&output));
}

/// Another command with the environment that `dvmcc` has in tests.
fn dvmcc_environment(name: &str) -> std::process::Command {
    let mut command = std::process::Command::new(name);
    command.env("DVM_PREFIX", prefix::folder()).env_remove("CC").env_remove("DVM_CLANG");
    command
}

#[test]
fn options_that_define_macros_are_heard() {
    let text = "#include <stdio.h>
#ifdef _OPENMP
#include <omp.h>
#define N 40
static omp_lock_t lock;
#else
#define N 30
#endif
#ifdef WIDE
#define M 2
#else
#define M 1
#endif
static double a[N * M];
int main(void)
{
#ifdef _OPENMP
  omp_init_lock(&lock);
#endif
#pragma dvm region
  for (int i = 0; i < N * M; i++)
    a[i] = i;
  printf(\"%g\\n\", a[N * M - 1]);
  return 0;
}
";
    let folder = testkit::scratch(&[("app.c", text)]);
    for (compiler, options, expected) in [
        ("gcc", "", "29"),
        ("gcc", "-fopenmp", "39"),
        ("gcc -DWIDE", "", "59"),
        ("gcc", "-Wp,-DWIDE", "59"),
        ("gcc -DWIDE", "-fopenmp", "79"),
    ] {
        let output = run(dvmcc().env("DVM_CC", compiler), &folder, &format!("{options} app.c -o app"));
        assert!(output.status.success() && said(&output).is_empty(), "{compiler} {options}: {}", said(&output));
        assert_eq!(ran(&folder.join("app")), (expected.to_owned(), "graphs 1".to_owned()), "{compiler} {options}");
    }
}

const COUNTED: &str = "#include <gcov.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int done = ATOMIC_VAR_INIT(0);
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Atomic double most;
static double a[500];
int main(void)
{
  atomic_init(&done, 40);
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {}
#pragma dvm region
  for (int i = 0; i < 500; i++)
    a[i] = BODY;
  atomic_flag_clear(&busy);
  atomic_thread_fence(memory_order_seq_cst);
  int expected = 40;
  if (atomic_compare_exchange_strong(&done, &expected, 41))
    atomic_fetch_add(&done, (int)a[499] - 498);
  most = 2;
  printf(\"%d %g\\n\", atomic_load(&done), most);
  return 0;
}
";

/// Clang's stdatomic.h includes that of gcc, if there is one, whose operations clang refuses.
#[test]
fn files_that_use_atomics_are_read() {
    let touched = COUNTED.replace("BODY", "i + most");
    let folder = testkit::scratch(&[("plain.c", &COUNTED.replace("BODY", "i")), ("touched.c", &touched)]);
    let output = run(dvmcc().env("DVM_CC", "gcc"), &folder, "--dvm-strict plain.c -o plain");
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    assert_eq!(ran(&folder.join("plain")), ("42 2".to_owned(), "graphs 1".to_owned()));
    let output = run(dvmcc().env("DVM_CC", "gcc"), &folder, "--dvm-strict -c touched.c");
    let refused = "touched.c:14:16: error: region 'main:12' stays sequential: volatile and atomic objects keep their \
                   order of accesses [most] [DVM054]";
    assert!(!output.status.success() && said(&output).contains(refused), "{}", said(&output));
}

const INCLUDER: &str = "#include <stdio.h>\n#include \"own.h\"\n#include <lib.h>\nstatic double a[9];\nint NAME(void);\nint \
     NAME(void)\n{\n#pragma dvm region\n  for (int i = 0; i < 9; i++)\n    a[i] = i;\n  return LIB * 10 + OWN + \
     (int)a[8] - 8;\n}\n";

/// The folder of a source is searched for that source's names alone.
#[test]
fn names_in_quotes_are_looked_for_where_they_were() {
    let main = "#include <stdio.h>\nint one(void);\nint two(void);\nint main(void)\n{\n  printf(\"%d %d\\n\", one(), two());\n  return 0;\n}\n";
    let files = [
        ("main.c", main),
        ("a/one.c", &INCLUDER.replace("NAME", "one")),
        ("a/own.h", "#define OWN 1\n"),
        ("b/two.c", &INCLUDER.replace("NAME", "two")),
        ("b/own.h", "#define OWN 2\n"),
        // A header's own quotes: found on the path, never in the sources' folders.
        ("lib/lib.h", "#include \"config.h\"\n"),
        ("config/config.h", "#define LIB 5\n"),
        ("a/config.h", "#define LIB 6\n"),
        ("b/config.h", "#define LIB 7\n"),
    ];
    let folder = testkit::scratch(&files);
    let include = "-Ilib -Iconfig";
    let output = run(&mut dvmcc(), &folder, &format!("{include} main.c a/one.c b/two.c -o app"));
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    assert_eq!(ran(&folder.join("app")), ("51 52".to_owned(), "graphs 2".to_owned()));
    for (source, object) in [("main.c", "main.o"), ("a/one.c", "one.o"), ("b/two.c", "two.o")] {
        let output = run(&mut dvmcc(), &folder, &format!("{include} -c {source} -o {object}"));
        assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    }
    assert!(run(&mut dvmcc(), &folder, "main.o one.o two.o -o app").status.success());
    assert_eq!(ran(&folder.join("app")), ("51 52".to_owned(), "graphs 2".to_owned()));
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = testkit::scratch(&[
        ("app.c", &INCLUDER.replace("NAME", "main").replace("#include <lib.h>", "#define LIB 1")),
        ("own.h", "#define OWN 0\n"),
    ]);
    let full = || std::fs::File::options().write(true).open("/dev/full").expect("the full device");
    for option in ["--help", "--version"] {
        let output = dvmcc().arg(option).stdout(full()).output().expect("dvmcc runs");
        assert_eq!(output.status.code(), Some(1), "{option}");
        assert!(said(&output).starts_with("dvmcc: error: cannot write to standard output: "), "{}", said(&output));
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let output = command.arg("--help").stdout(full()).output().expect("dvm-codegen runs");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    // As gcc does: a folder for temporary files that is not there is not used.
    let output = run(dvmcc().env("TMPDIR", "/nowhere/at/all"), &folder, "-c app.c -o app.o");
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
}

/// A program whose region shifts an array by `OFF`, after some lines.
fn shifting(before: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <string.h>\n#include <limits.h>\n{before}static double a[5001];\nint main(void)\n{{\n  \
         memset(a, 0, sizeof a);\n  a[0] = 3;\n#pragma dvm region\n  for (int i = 0; i < 5000; i++)\n    \
         a[i + OFF] = a[i] * 0.5 + (VALUE);\n  double sum = 0;\n  for (int i = 0; i < 5001; i++)\n    sum += a[i] * i;\n  \
         printf(\"%g\\n\", sum);\n  return 0;\n}}\n"
    )
}

/// What dvmcc says of such a program; it prints what gcc's prints.
fn shifted(before: &str, options: &str) -> String {
    let folder = testkit::scratch(&[("app.c", &shifting(before)), ("old.h", OLD_HEADER)]);
    let plain = run(&mut Command::new("gcc"), &folder, &format!("-O2 -w {options} app.c -o plain"));
    assert!(plain.status.success(), "{before}{options}: {}", said(&plain));
    let made = run(&mut dvmcc(), &folder, &format!("-O2 {options} app.c -o app"));
    assert!(made.status.success(), "{before}{options}: {}", said(&made));
    let expected = told(&program(&folder.join("plain")).output().expect("the program runs"));
    for size in ["64", "1000"] {
        let output = program(&folder.join("app")).env("STANDIN_SIZE", size).env("STANDIN_SEED", "7").output();
        assert_eq!(told(&output.expect("the program runs")), expected, "{before}{options}");
    }
    said(&made)
}

/// As Open MPI's mpi.h: the attribute says more to newer compilers.
const OLD_HEADER: &str = "#if __GNUC__ >= 9\n#define OLD(m) __attribute__((__deprecated__(m)))\n#else\n#define OLD(m) \
                          __attribute__((__deprecated__))\n#endif\nint old(void) OLD(\"use new\");\n";

/// Clang calls itself an older gcc: a branch that the compiler takes and clang does not would be analysed wrongly.
#[test]
fn what_depends_on_the_compiler_is_not_read_as_clang_sees_it() {
    let none = "no parallelism was found";
    let chosen =
        |least: u32| format!("#if __GNUC__ >= {least}\n#define OFF 1\n#else\n#define OFF 0\n#endif\n#define VALUE 1\n");
    // Clang can be a gcc 6, but not a newer one.
    for (least, reason) in [(4, none), (5, none), (6, none), (9, "line 17: `OFF` is not the same for the compiler")] {
        let words = shifted(&chosen(least), "");
        assert!(words.contains(reason), "{least}: {words}");
    }
    let values = "#define OFF 0\n#define VALUE __GNUC__\n";
    assert!(shifted(values, "").contains("`VALUE`, by `__GNUC__`, is not the same"), "{}", shifted(values, ""));
    let branch = "#if __GNUC__ >= 9\nenum { OFF = 1 };\n#else\nenum { OFF = 0 };\n#endif\n#define VALUE 1\n";
    let words = shifted(branch, "");
    assert!(words.contains("line 4: the branch of `#if __GNUC__ >= 9` is not the same for"), "{words}");
    let numbered = format!("#line 100 \"gen.y\"\n{branch}");
    assert!(shifted(&numbered, "").contains("the branch of `#if __GNUC__ >= 9`"), "{}", shifted(&numbered, ""));
}

/// What differs and is not used, or is only a remark, is no obstacle; nor are values of options and of the machine.
#[test]
fn what_means_the_same_to_both_is_read() {
    let usual = "#define OFF 0\n#define VALUE 1\n";
    for (before, options) in [
        ("#include \"old.h\"\n#define OFF 0\n#define VALUE 1\n", ""),
        ("#if __GNUC__ >= 9\n#define NEW 1\n#endif\n#define OFF 0\n#define VALUE 1\n", ""),
        (usual, "-D_FORTIFY_SOURCE=2"),
        ("", "-DOFF=0 -DVALUE=-3"),
        ("#define OFF 0\n#define VALUE INT_MIN\n", ""),
        ("#define OFF 0\n#define VALUE __INT_MAX__\n", ""),
        ("#include <float.h>\n#define OFF 0\n#define VALUE DBL_EPSILON\n", ""),
        ("#line 7 \"gen.y\"\n#define OFF 0\n#define VALUE 1\n", ""),
    ] {
        assert_eq!(shifted(before, options), "", "{before}{options}");
    }
    assert!(shifted("", "-DOFF=0 -DVALUE=__LINE__").contains("depends on the line"));
}

/// A program that is compiled by clang is read as one.
#[test]
fn clang_reads_as_itself_what_it_compiles() {
    let before = "#ifdef __clang__\nenum { OFF = 0 };\n#else\nenum { OFF = 1 };\n#endif\n#define VALUE 1\n";
    let folder = testkit::scratch(&[("app.c", &shifting(before))]);
    let output = run(dvmcc().env("DVM_CC", "clang"), &folder, "-O2 app.c -o app");
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    let output = run(dvmcc().env("DVM_CC", "gcc"), &folder, "-O2 app.c -o app");
    assert!(output.status.success() && said(&output).contains("no parallelism was found"), "{}", said(&output));
}

/// Without the compiler's own view the regions stay sequential.
#[test]
fn a_compiler_that_does_not_show_what_it_sees_is_not_trusted() {
    let script = "#!/bin/sh\nfor word; do [ \"$word\" = -dI ] && exit 1; done\nexec gcc \"$@\"\n";
    let folder = testkit::scratch(&[("app.c", &shifting("#define OFF 0\n#define VALUE 1\n")), ("cc", script)]);
    let output = run(dvmcc().env("DVM_CC", folder.join("cc")), &folder, "app.c -o app");
    assert!(
        output.status.success() && said(&output).contains("which it does not show (-E -dD -dI)"),
        "{}",
        said(&output)
    );
}
