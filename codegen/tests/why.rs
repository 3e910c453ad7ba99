//! `dvmcc --why`: each pragma that it tells is accepted where it says, and refused loops get their reason and remedy.

use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "\
#include <stdio.h>
double weight(int);
static double u[500][500], v[500][500];
double norm(int n, const double *restrict x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}
int count(int n, const int *restrict x)
{
    int all = 0;
    for (int i = 0; i < n; i++) all += x[i] > 0;
    return all;
}
void scatter(int n, double *restrict y, const int *restrict at)
{
    for (int i = 0; i < n; i++)
        y[at[i]] = i;
}
void weigh(int n, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = weight(i);
}
void recur(int n, double *restrict y)
{
    for (int i = 1; i < n; i++)
        y[i] = 0.5 * y[i - 1];
}
int main(void)
{
    int t = 0;
    while (t < 50) {
        for (int i = 1; i < 499; i++)
            for (int j = 1; j < 499; j++)
                v[i][j] = u[i - 1][j] + u[i + 1][j];
        for (int i = 1; i < 499; i++)
            for (int j = 1; j < 499; j++)
                u[i][j] = v[i][j];
        t++;
    }
    for (int i = 0; i < 3; i++)
        printf(\"%g\\n\", u[i][i]);
    return 0;
}
";

fn why(file: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_dvmcc")).arg("--why").arg("-O2").arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The entries: line, column, function, all of the entry's text.
fn entries(told: &str) -> Vec<(usize, usize, String, String)> {
    let mut found: Vec<(usize, usize, String, String)> = Vec::new();
    for line in told.lines().skip(1) {
        if line.contains(" operations: ") {
            let (place, rest) = line.split_once(": `").unwrap();
            let mut numbers = place.rsplit(':').map(|number| number.parse().unwrap());
            let (column, row) = (numbers.next().unwrap(), numbers.next().unwrap());
            found.push((row, column, rest.split('`').next().unwrap().to_owned(), String::new()));
        }
        if let Some((_, _, _, text)) = found.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    found
}

/// The text with a pragma before the loop at a line and column.
fn marked(text: &str, line: usize, column: usize, pragma: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = &mut lines[line - 1];
    *at = format!("{}\n{pragma}\n{}", &at[..column - 1], &at[column - 1..]);
    lines.join("\n") + "\n"
}

#[test]
fn each_pragma_that_is_told_is_accepted() {
    let folder = testkit::scratch(&[]);
    let file = folder.join("program.c");
    std::fs::write(&file, PROGRAM).unwrap();
    let told = why(&file);
    assert!(told.starts_with(&format!("{}: 7 loop nests, of which ", file.display())), "{told}");
    let mut accepted = 0;
    for (line, column, function, text) in entries(&told) {
        let Some(pragma) = text.lines().find_map(|line| line.trim().strip_prefix("#pragma dvm region")) else {
            continue;
        };
        let one = folder.join(format!("{function}_{line}.c"));
        std::fs::write(&one, marked(PROGRAM, line, column, &format!("#pragma dvm region{pragma}"))).unwrap();
        let tool =
            Command::new(env!("CARGO_BIN_EXE_dvm-codegen")).args(["tile", "--strict"]).arg(&one).output().unwrap();
        assert!(tool.status.success(), "{function} {pragma}: {}", String::from_utf8_lossy(&tool.stderr));
        accepted += 1;
    }
    assert!(accepted >= 6, "{accepted} accepted: {told}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), PROGRAM);
}

#[test]
fn what_is_told_depends_on_what_can_be_proved() {
    let folder = testkit::scratch(&[]);
    let file = folder.join("program.c");
    std::fs::write(&file, PROGRAM).unwrap();
    let told = why(&file);
    let entries = entries(&told);
    let of = |function: &str| &entries.iter().find(|(_, _, name, _)| name == function).unwrap().3;
    assert!(of("norm").contains("reduction(+:sum)") && of("norm").contains("rounded in another order"), "{told}");
    assert!(of("count").contains("reduction(+:all)") && !of("count").contains("rounded"), "{told}");
    assert!(of("scatter").contains("independent") && of("scatter").contains("[DVM102]"), "{told}");
    assert!(of("weigh").contains("pure(weight)") && of("weigh").contains("only you can know"), "{told}");
    assert!(of("recur").contains("line 30 needs what line 30 wrote") && !of("recur").contains("#pragma"), "{told}");
    // The loop with most work comes first; the loops in it can be tiled.
    assert_eq!(entries[0].2, "main", "{told}");
    assert!(of("main").contains("`while`"), "{told}");
    assert!(told.matches("can be tiled\n").count() >= 4, "{told}");
}

/// Minima and maxima, as programs find their time steps by: each form that a reduction may have.
const EXTREMES: &str = "\
#include <math.h>
double steps(int n, const double *p, const float *q)
{
  double most = 0, least = 9, S, other = 1;
  float low = 9;
  for (int i = 0; i < n; i++) {
    double v = fabs(p[i]) + 1;
    if (v > most) {
      most = v;
    }
    if (!(i & 1))
      S = p[i];
    else
      S = q[i];
    if (least > S) least = S;
    low = low < q[i] ? low : q[i];
  }
  for (int i = 0; i < n; i++)
    other = fmax(fabs(p[i]), other);
  for (int i = 0; i < n; i++)
    if (p[i] > least) most = p[i];
  return most + least + low + other;
}
int largest(int n, const int *p)
{
  int most = 0;
  for (int i = 0; i < n; i++)
    if (most < p[i]) most = p[i];
  return most;
}
";

#[test]
fn minima_and_maxima_are_told() {
    let folder = testkit::scratch(&[]);
    let file = folder.join("program.c");
    std::fs::write(&file, EXTREMES).unwrap();
    let told = why(&file);
    let entries = entries(&told);
    let at = |line: usize| &entries.iter().find(|(at, ..)| *at == line).unwrap().3;
    for part in ["reduction(max:most)", "reduction(min:least)", "reduction(min:low)"] {
        assert!(at(6).contains(part) && at(6).contains("the other sign where it is zero"), "{part}: {told}");
    }
    assert!(at(18).contains("reduction(max:other)"), "{told}");
    assert!(!at(20).contains("#pragma"), "{told}");
    assert!(at(27).contains("reduction(max:most)") && !at(27).contains("you allow"), "{told}");
}

/// Regions of all kinds, and loops beside, around and inside of them.
const PORTED: &str = "\
static double a[300], b[300], c[300], e[300][300], f[300][300];
void marked(void)
{
#pragma dvm region
    for (int i = 0; i < 300; i++)
        a[i] = i;
#pragma dvm region name(two)
    {
        for (int i = 0; i < 300; i++)
            b[i] = a[i];
        for (int i = 0; i < 300; i++)
            c[i] = b[i];
    }
#pragma scop
    for (int i = 0; i < 300; i++)
        a[i] = c[i];
    for (int i = 0; i < 300; i++)
        b[i] = a[i];
#pragma endscop
}
void around(int steps)
{
    for (int t = 0; t < steps; t++) {
#pragma dvm region
        for (int i = 0; i < 300; i++)
            a[i] = b[i] + t;
        for (int i = 0; i < 300; i++)
            c[i] = a[i];
        for (int i = 0; i < 300; i++)
            for (int j = 0; j < 300; j++)
                f[i][j] = e[j][i];
    }
}
void last(int n)
{
    if (n > 3) for (int i = 0; i < 300; i++)
        a[i] = 0;
}
";

#[test]
fn loops_outside_of_regions_are_judged_and_those_inside_are_left() {
    let folder = testkit::scratch(&[("ported.c", PORTED)]);
    let file = folder.join("ported.c");
    let told = why(&file);
    let first =
        format!("{}: 2 loop nests, of which 1 can be tiled; 4 regions already; the largest first", file.display());
    assert_eq!(told.lines().next(), Some(first.as_str()), "{told}");
    let lines: Vec<usize> = entries(&told).iter().map(|(line, ..)| *line).collect();
    assert_eq!(lines, [23, 29, 27, 36], "{told}");
    assert!(told.contains("a region stands inside; only the other loops inside are tried"), "{told}");
    assert!(told.contains("(begin a line with the loop: the pragma stands directly before it)"), "{told}");
    assert_eq!(told.matches("#pragma dvm region\n").count(), 3, "{told}");
    let mut places: Vec<(usize, usize)> = entries(&told).iter().map(|(line, column, ..)| (*line, *column)).collect();
    places.retain(|(line, _)| *line != 23);
    places.sort_unstable();
    let text = places
        .iter()
        .rev()
        .fold(PORTED.to_owned(), |text, (line, column)| marked(&text, *line, *column, "#pragma dvm region"));
    std::fs::write(&file, text).unwrap();
    let tool = Command::new(env!("CARGO_BIN_EXE_dvm-codegen")).args(["tile", "--strict"]).arg(&file).output().unwrap();
    assert!(tool.status.success(), "{}", String::from_utf8_lossy(&tool.stderr));
    assert!(why(&file).contains(": 1 loop nest, of which 0 can be tiled; 7 regions already;"));
}

#[test]
fn nests_of_all_files_are_in_one_order() {
    let small = "void small(double *x) { for (int i = 0; i < 10; i++) x[i] = 1; }\n";
    let large =
        "static double x[500];\nvoid large(void)\n{\n    for (int t = 1; t < 500; t++)\n        x[t] += x[t - 1];\n}\n";
    let folder = testkit::scratch(&[("small.c", small), ("program.c", PROGRAM), ("large.c", large)]);
    let output = Command::new(env!("CARGO_BIN_EXE_dvmcc"))
        .current_dir(&*folder)
        .args(["--why", "small.c", "program.c", "large.c"])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && told.starts_with("small.c: 1 loop nest, of which 1 can be tiled\n"), "{told}");
    let functions: Vec<String> = told
        .lines()
        .filter(|line| line.contains(" operations: ") && !line.starts_with(' '))
        .map(|line| line.split('`').nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(functions.first().map(String::as_str), Some("main"), "{told}");
    assert_eq!(functions.last().map(String::as_str), Some("small"), "{told}");
    let at = |name: &str| functions.iter().position(|function| function == name);
    assert!(at("recur") < at("large"), "the files are mixed: {told}");
    assert!(told.ends_with("\n3 files: 9 loop nests, of which 3 can be tiled\n"), "{told}");
    let none = Command::new(env!("CARGO_BIN_EXE_dvmcc")).args(["--why", "a.o"]).output().unwrap();
    assert!(!none.status.success() && String::from_utf8_lossy(&none.stderr).contains("--why needs a C file"));
}
