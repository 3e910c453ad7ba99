//! Refused regions are told once, and break no build that makes warnings errors.

mod clangs;
mod place;
mod prefix;

use place::{run, said};
use prefix::dvmcc;

/// Pointers to what is `const`: named in macros, in structs, in loops, and tested.
const CONSTANTS: &str = r"
#include <stddef.h>
struct grid { int nx, ny; const double *w, (*rows)[8]; };
#define A(i, j) a[(i) * g->ny + (j)]
void named(const struct grid *const g, double *a);
void named(const struct grid *const g, double *a)
{
#pragma dvm region
  for (int i = 0; i < g->nx; i++)
    for (int j = 0; j < g->ny; j++)
      A(i, j) = i * 0.5 + j * g->w[j] + (g->w != NULL ? 1.0 : 2.0) + g->rows[i][j % 8];
}
void inside(int n, const double *from, double *a, const double *bias);
void inside(int n, const double *from, double *a, const double *bias)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    const double *x = from + i * n;
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += x[j];
    const double *const y = from + (i + 1) * n;
    for (int j = 0; j < n; j++)
      a[i * n + j] = sum + y[j] + (bias ? bias[j] : 0);
  }
}
";

const MIXED: &str = "#include \"kernel.h\"
static double a[20], b[20][20];
#define MARK _Pragma(\"dvm region\")
double f(int n, double w);
double f(int n, double w)
{
  double s = 0;
#pragma dvm region
  for (int i = 1; i < 20; i++)
    for (int j = 0; j < 20; j++)
      b[i][j] = b[i - 1][j] * w + i * 2.0;
#pragma dvm region
  while (n > 3)
    n--;
  /* one */ #pra\\
gma dvm region /* two
  lines */ tile(4)
  while (n > 2)
    n--;
#pragma scop
  while (n > 1)
    n--;
#pragma endscop
#pragma dvm regoin
  MARK
  for (int i = 0; i < 20; i++)
    s += a[i] + b[i][3];
#if 0
#pragma dvm region
#endif
  return s + h(n) + __LINE__;
}
";
const HEADER: &str = "static double h(int n)
{
#pragma dvm region
  while (n > 0)
    n--;
  return n;
}
";
const STRICT: &str =
    "-Wall -Wextra -Werror -pedantic -Wshadow -Wconversion -Wunused -Wstrict-prototypes -Wmissing-prototypes -O1 -c";

/// Blocks of register tiling: packed and single operands, counters of several types, a serial counter that no text
/// names, macros, constants of other types.
const BLOCKS: &str = "#define AT(x, i, j) x[i][j]
#define TWICE 2.0f
void b1(int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n], float w);
void b1(int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n], float w)
{
#pragma dvm region
  for (unsigned i = 0; i < (unsigned)n; i++)
    for (short k = 0; k < 100; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += w * a[k][i] * b[j][k];
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        AT(c, i, j) = AT(c, i, j) - TWICE * AT(a, i, k) * AT(b, k, j);
#pragma dvm region
  for (int t = 0; t < 10; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i][j] = c[i][j] * 3 - a[i][j];
}
void b2(int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n], float w);
void b2(int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n], float w)
{
  int k;
#pragma dvm region
  for (unsigned i = 0; i < (unsigned)n; i++)
    for (short j = 0; j < 100; j++) {
      float s = 0, t;
      t = w;
      for (k = 0; k < n; k++) {
        s += AT(a, i, k) * b[j][k];
        t -= TWICE * a[k][j] * b[i][k];
      }
      c[i][j] = s - t;
    }
#pragma dvm region
  for (int j = 0; j < n; j++) {
    float s = a[0][j];
    for (int i = 0; i < n; i++) {
      s = s * w + (float)1;
      c[i][j] += s;
    }
  }
}
";

const EDGES: &str = "void e1(long n, double *restrict a);
void e1(long n, double *restrict a)
{
#pragma dvm region
  for (long i = 0; i < n; i++)
    if (i < 4611686018427387904L)
      a[i] = 1.0;
}
static char big[1L << 40];
static double cube[2000][3000][4000];
void e2(int n);
void e2(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    big[i * 1099511627L] = 1;
#pragma dvm region
  for (int i = 0; i < 2000; i++)
    for (int j = 0; j < 3000; j++)
      for (int k = 0; k < 4000; k++)
        cube[i][j][k] = 1.0;
}
static char more[1152921504606846975L];
void e3(unsigned n, char *restrict c);
void e3(unsigned n, char *restrict c)
{
#pragma dvm region
  for (unsigned i = 0; i < n; i++)
    more[2147483647L * i + 576460752303423487L] = 2;
#pragma dvm region
  for (long i = -9223372036854775807L; i < -9223372036854775800L; i++)
    c[i + 9223372036854775807L] = 1;
#pragma dvm region
  for (unsigned i = 4294967290u; i < 4294967295u; i++)
    c[i] = (char)n;
}
typedef char row[1000000007];
void e4(int n, row *restrict p, int m, double (*restrict q)[m]);
void e4(int n, row *restrict p, int m, double (*restrict q)[m])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 7; j++) {
      p[i * 1000 + 2147483647][1000000000 + j] = (char)(p[i * 1000][j * 3 + 5] + 1);
      q[i][j] = q[i + 1000000][j + 1];
    }
}
";

/// Only what the build says itself is an error, and there is nothing to say.
#[test]
fn refused_regions_build_with_all_warnings_as_errors() {
    let folder = testkit::scratch(&[("src/mixed.c", MIXED), ("src/kernel.h", HEADER)]);
    for compiler in ["gcc"].into_iter().chain(clangs::all("warnings")) {
        for standard in ["c99", "gnu11", "c17"] {
            let line = format!("-std={standard} {STRICT} src/mixed.c -o mixed.o");
            let output = run(dvmcc().env("DVM_CC", compiler), &folder, &line);
            let text = said(&output);
            assert!(output.status.success(), "{compiler} {standard}: {text}");
            let places =
                ["mixed.c:13:3", "mixed.c:18:3", "mixed.c:21:3", "mixed.c:24:1", "mixed.c:25:3", "kernel.h:3:1"];
            for place in places {
                let warning = format!("src/{place}: warning: region");
                let count = text.matches(&warning).count();
                assert_eq!(count, 1, "{compiler} {standard}: {place}: {text}");
            }
            assert_eq!(text.matches("warning:").count(), places.len(), "{text}");
            for silence in ["-Wno-dvm", "-w"] {
                let output = run(dvmcc().env("DVM_CC", compiler), &folder, &format!("{silence} {line}"));
                assert!(output.status.success() && said(&output).is_empty(), "{silence}: {}", said(&output));
            }
        }
    }
}

/// Accepted and refused regions of many types, and constants at the edges of their types. The warnings of compilers
/// about what is generated (of overflow, of loops that were not transformed as asked) would be errors.
#[test]
fn generated_text_has_no_warnings() {
    let folder = testkit::scratch(&[
        ("strict.c", include_str!("place/strict.c")),
        ("edges.c", EDGES),
        ("blocks.c", BLOCKS),
        ("constants.c", CONSTANTS),
    ]);
    let more = "-Wsign-conversion -Wcast-qual -Wundef -Wdouble-promotion -Wfloat-equal -Wold-style-definition -Wredundant-decls";
    for compiler in ["gcc"].into_iter().chain(clangs::all("generated text")) {
        for (file, standard, refused) in [
            ("strict.c", "c99 -O3", 3),
            ("strict.c", "gnu17 -O0", 3),
            ("edges.c", "c11 -O3", 2),
            ("blocks.c", "c99 -O3", 0),
            ("constants.c", "c99 -O2", 0),
        ] {
            let line = format!("-std={standard} {more} {} {file} -o x.o", STRICT.replace("-O1 ", ""));
            let output = run(dvmcc().env("DVM_CC", compiler), &folder, &line);
            let text = said(&output);
            assert!(output.status.success(), "{compiler} {file} {standard}: {text}");
            assert_eq!(text.matches("stays sequential").count(), refused, "{compiler} {file}: {text}");
        }
    }
}

/// Warnings that few builds ask for are about the program's text as well.
#[test]
fn rare_warnings_are_not_about_generated_text() {
    let text = "double a[200][200];\ndouble f(int n, const double *restrict x);\ndouble f(int n, const double *restrict x)\n{\n  \
                double s = 0;\n#pragma dvm region reduction(+:s)\n  for (int i = 0; i < n; i++)\n    s += x[i];\n\
                #pragma dvm region\n  for (int t = 1; t < 100; t++)\n    for (int i = 1; i < 199; i++)\n      for (int j = 1; j < 199; j++)\n        \
                a[i][j] = a[i - 1][j] + a[i][j + 1];\n  return s;\n}\n";
    let folder = testkit::scratch(&[("f.c", text)]);
    let rare = "unused-macros c++-compat inline padded traditional-conversion strict-prototypes \
                missing-declarations switch-default aggregate-return nested-externs bad-function-cast unsuffixed-float-constants";
    for warning in rare.split_whitespace() {
        let line = format!("-O2 -Wall -Werror -Wno-unknown-pragmas -W{warning} -c f.c -o x.o");
        let plain = std::process::Command::new("gcc").current_dir(&*folder).args(line.split(' ')).output();
        assert!(plain.expect("gcc runs").status.success(), "{warning}: gcc");
        let output = run(&mut dvmcc(), &folder, &line);
        assert!(output.status.success(), "{warning}: {}", said(&output));
    }
}

/// A file with nothing but refused regions, and one whose pragma the compiler alone could complain about.
#[test]
fn files_that_are_not_transformed_build_too() {
    let refused = "int f(int n);\nint f(int n)\n{\n#pragma dvm region\n  while (n > 0)\n    n--;\n  return n;\n}\n";
    let unknown =
        "int g(void);\nint g(void)\n{\n#pragma other thing\n#pragma dvm region\n  while (0)\n    ;\n  return 0;\n}\n";
    let files = [("refused.c", refused), ("app.cpp", refused), ("app.i", refused), ("unknown.c", unknown)];
    let folder = testkit::scratch(&files);
    for (file, compiler) in [("refused.c", "gcc"), ("refused.c", "clang"), ("app.i", "gcc"), ("app.cpp", "g++")] {
        let output = run(dvmcc().env("DVM_CC", compiler), &folder, &format!("-Wall -Werror -c {file} -o x.o"));
        let text = said(&output);
        assert!(output.status.success(), "{file} {compiler}: {text}");
        assert_eq!(text.matches("warning:").count(), 1, "{file} {compiler}: {text}");
    }
    let mut command = dvmcc();
    let output = run(command.env("DVM_CLANG", "/nowhere/clang"), &folder, "-Wall -Werror -c refused.c -o x.o");
    assert!(output.status.success() && said(&output).matches("warning:").count() == 1, "{}", said(&output));
    let output = run(&mut dvmcc(), &folder, "-Wall -Werror -c unknown.c -o x.o");
    let text = said(&output);
    assert!(!output.status.success() && text.contains("unknown.c:4"), "another unknown pragma is told: {text}");
}

/// Where regions ask for all processes and are refused, the file says so to libdvm: once, silently, and at its line.
#[test]
fn refused_regions_with_across_leave_a_program_of_process_0() {
    let refused = |clauses: &str, more: &str| {
        format!(
            "int f(int n);{more}\nint f(int n)\n{{\n#pragma dvm region{clauses}\n  while (n > 0)\n    n--;\n  return n + __LINE__ - 7;\n}}\n"
        )
    };
    let accepted = "\nvoid g(double *a);\nvoid g(double *a)\n{\n  int i;\n#pragma dvm region across\n  for (i = 0; i < 9; i++)\n    a[i] = i;\n}\n";
    let main = "\nint main(void)\n{\n  return f(3);\n}\n";
    let files = [
        ("one.c", refused(" across", main)),
        ("two.c", refused(" across buffers(2)", accepted)),
        ("never.c", refused("", "")),
        ("wrong.c", refused(" across nonsense", "")),
        ("marked.c", format!("\u{feff}{}", refused(" across", ""))),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = testkit::scratch(&files);
    for compiler in ["gcc"].into_iter().chain(clangs::all("refused regions")) {
        for (file, calls) in [("one.c", 1), ("two.c", 1), ("never.c", 0), ("wrong.c", 0), ("marked.c", 1)] {
            let standard = if file == "two.c" { "-std=c99" } else { "-std=c89" };
            let line = format!(
                "{standard} -fvisibility=hidden -Wredundant-decls {} {file} -o x.s",
                STRICT.replace(" -c", " -S")
            );
            let output = run(dvmcc().env("DVM_CC", compiler), &folder, &line);
            assert!(output.status.success(), "{compiler} {file}: {}", said(&output));
            let text = std::fs::read_to_string(folder.join("x.s")).expect("assembly");
            let serves = text.lines().filter(|line| line.contains("dvm_across_serve") && !line.contains(".globl"));
            assert_eq!(serves.count(), calls, "{compiler} {file}: {text}");
            assert!(!text.contains(".hidden\tdvm_across"), "{compiler} {file}: {text}");
        }
    }
}

#[test]
fn options_about_warnings_are_those_of_compilers() {
    let refused = "int f(int n)\n{\n#pragma dvm region\n  while (n > 0)\n    n--;\n  return n;\n}\n";
    let folder = testkit::scratch(&[("refused.c", refused)]);
    for (options, succeeds, speaks) in [
        ("-Werror", true, true),
        ("-w", true, false),
        ("-w -Werror=dvm", true, false),
        ("-Werror=dvm -Wno-error=dvm", true, true),
        ("-Werror=dvm", false, true),
        ("-Wno-dvm -Wdvm", true, true),
        ("-Wno-dvm -Werror=dvm", false, true),
        ("-w --dvm-strict", false, true),
    ] {
        let output = run(&mut dvmcc(), &folder, &format!("{options} -c refused.c"));
        assert_eq!(output.status.success(), succeeds, "{options}: {}", said(&output));
        assert_eq!(!said(&output).is_empty(), speaks, "{options}: {}", said(&output));
    }
}
