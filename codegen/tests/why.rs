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

#[test]
fn a_file_with_pragmas_is_left_to_the_compiler() {
    let folder = testkit::scratch(&[]);
    let file = folder.join("marked.c");
    std::fs::write(&file, marked(PROGRAM, 7, 5, "#pragma dvm region reduction(+:sum)")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_dvmcc")).arg("--why").arg(&file).output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("has pragmas already"));
}
