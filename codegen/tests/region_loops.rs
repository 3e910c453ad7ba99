//! Loops around regions on several processes: in which of them arrays stay on the processes until the loop has ended.

mod prefix;

use prefix::dvmcc;

/// `@`: a region that is one statement. `$`: one that is refused.
const FILE: &str = "\
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static double a[300][300], b[300][300], own[10];
static jmp_buf there;
extern void unknown(void);
static void region(void)
{
@
}
static void region_of(int n, double (*x)[300])
{
    if (n < 2)
        return;
#pragma dvm region across
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            x[i][j] += 1;
}
static void touches(void) { a[0][0] = 1; }
__attribute__((weak)) void weak(void) { }
static int often(int depth) { return depth ? often(depth - 1) : 0; }
int f(int steps, double *p, double *q)
{
    double s = 0;
    (void)s, (void)p, (void)q, (void)there, (void)touches, (void)often, (void)region, (void)region_of;
~
    return 0;
}
int main(void) { return f(3, a[0], b[0]); }
";

const REGION: &str = "
#pragma dvm region across
        for (int i = 1; i < 299; i++)
            for (int j = 1; j < 299; j++)
                b[i][j] = a[i - 1][j] + a[i][j + 1];
";

const REFUSED: &str = "
#pragma dvm region across
        for (int i = 1; i < 299; i++)
            unknown();
";

/// The text that the compiler gets for a function with these statements.
fn text(statements: &str, options: &[&str]) -> String {
    let text = FILE.replace('~', statements).replace('@', REGION).replace('$', REFUSED);
    let folder = testkit::scratch(&[("f.c", &text)]);
    let mut command = dvmcc();
    command.current_dir(&*folder).args(["-O1", "-Werror=unused-label", "--show", "-c", "f.c"]).args(options);
    let output = command.output().expect("dvmcc runs");
    assert!(output.status.success(), "{statements}: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(folder.join("f.dvm.c")).expect("a file")
}

fn loops(statements: &str) -> usize {
    let text = text(statements, &[]);
    let (begins, ends) = (text.matches("{ dvm__loop(1);").count(), text.matches("dvm__loop(0); }").count());
    assert_eq!(begins, ends, "{statements}");
    begins
}

#[test]
fn loops_that_leave_the_arrays_to_regions_keep_them() {
    for statements in [
        "for (int t = 0; t < steps; t++) { @ @ }",
        "for (int t = 0; t < steps; t++)\n@",
        "int t = steps; while (t-- > 0) { @ if (t == 3) break; else continue; }",
        "int t = 0; do { @ t++; } while (t < steps); puts(\"done\");",
        "for (int t = 0; t < steps; t++) { @ double *x = p; p = q; q = x; s += fabs(s) * sqrt(2.0); own[t % 10] = s; }",
        "for (int t = 0; t < steps; t++) { if (t % 5 == 0) printf(\"%d %g\\n\", t, s); @ }",
        "for (int t = 0; t < steps; t++) for (int k = 0; k < 2; k++) { @ }",
        "if (steps > 2) { /* all */ for (int t = 0; t < steps; t++) { @ } // here\n } else puts(\"\");",
        "for (int t = 0; t < steps; t++) { region(); region_of(300, a); region_of(t, b); }",
        "switch (steps) { case 1: break; default: { for (int t = 0; t < steps; t++) { @ } } }",
    ] {
        assert_eq!(loops(statements), 1, "{statements}");
    }
    assert_eq!(loops("for (int t = 0; t < steps; t++) { @ } for (int t = 0; t < steps; t++) { @ }"), 2);
    // The inner one only.
    assert_eq!(loops("for (int r = 0; r < 2; r++) { for (int t = 0; t < steps; t++) { @ } a[0][0] = 1; }"), 1);
}

#[test]
fn other_loops_keep_nothing() {
    for statements in [
        // They use the arrays.
        "for (int t = 0; t < steps; t++) { @ a[0][t] = 1; }",
        "for (int t = 0; t < steps; t++) { @ s += b[t][t]; }",
        "for (int t = 0; t < steps; t++) { @ *p = s; }",
        "for (int t = 0; t < steps; t++) { @ s = p[t]; }",
        "for (int t = 0; t < steps; t++) { @ touches(); }",
        "for (int t = 0; t < steps; t++) { @ unknown(); }",
        "for (int t = 0; t < steps; t++) { @ weak(); }",
        "for (int t = 0; t < steps; t++) { @ memset(a, 0, sizeof a); }",
        "for (int t = 0; t < steps; t++) { @ fwrite(a, 1, 10, stdout); }",
        "for (int t = 0; t < steps; t++) { @ printf(\"%p\\n\", (void *)a); }",
        "for (int t = 0; t < steps; t++) { @ $ }",
        "for (int t = 0; t < steps; t++) { @ s = often(t); }",
        // They may be left elsewhere than at their ends.
        "for (int t = 0; t < steps; t++) { @ if (t == 3) return 1; }",
        "for (int t = 0; t < steps; t++) { @ if (t == 3) goto out; } out:;",
        "for (int t = 0; t < steps; t++) { @ if (t == 3) longjmp(there, 1); }",
        "for (int t = 0; t < steps; t++) { @ __asm__ volatile(\"\"); }",
        "switch (steps) { for (int t = 0; t < steps; t++) { case 3:; @ } }",
        "for (int t = 0; t < steps; t++) { again:; @ if (t == 3) goto again; }",
        // A pragma is about them, or a macro holds them.
        "\n#pragma GCC unroll 2\nfor (int t = 0; t < steps; t++) { @ }",
        "_Pragma(\"GCC ivdep\") for (int t = 0; t < steps; t++) { @ }",
        "\n#define EACH(t, n) for (int t = 0; t < n; t++)\nEACH(t, steps) { @ }",
        // There is no loop around a region.
        "@",
        "for (int t = 0; t < steps; t++) s += t;",
    ] {
        assert_eq!(loops(statements), 0, "{statements}");
    }
}

/// A region that stays in its process would have them brought back each time.
#[test]
fn a_region_of_one_process_keeps_nothing() {
    let never = "for (int t = 0; t < steps; t++) { @ @ }";
    let text = FILE.replace('~', never).replace('@', REGION).replacen("across", "", 1).replace('$', "");
    let folder = testkit::scratch(&[("f.c", &text)]);
    for (options, expected) in [(vec![], 1), (vec!["--across"], 1)] {
        let mut command = dvmcc();
        command.current_dir(&*folder).args(["-O1", "--show", "-c", "f.c"]).args(&options);
        assert!(command.output().expect("dvmcc runs").status.success());
        let text = std::fs::read_to_string(folder.join("f.dvm.c")).expect("a file");
        assert_eq!(text.matches("{ dvm__loop(1);").count(), expected, "{options:?}");
    }
    let text = text.replace("#pragma dvm region across\n", "#pragma dvm region across(never)\n");
    let folder = testkit::scratch(&[("f.c", &text)]);
    let mut command = dvmcc();
    command.current_dir(&*folder).args(["-O1", "--across", "--show", "-c", "f.c"]);
    assert!(command.output().expect("dvmcc runs").status.success());
    let text = std::fs::read_to_string(folder.join("f.dvm.c")).expect("a file");
    assert_eq!(text.matches("{ dvm__loop(1);").count(), 0);
}

/// Messages and debuggers see the lines and columns of the source.
#[test]
fn what_stands_around_the_loop_keeps_its_place() {
    let text = text(
        "int line = __LINE__; for (int t = 0; t < steps; t++) { @ } int after = __LINE__; (void)line, (void)after;",
        &[],
    );
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.contains("{ dvm__loop(1);")).expect("a loop");
    let place = lines[at + 1].strip_prefix("#line ").and_then(|rest| rest.split(' ').next()).expect("a line");
    let source = FILE.replace('@', REGION).lines().position(|line| line == "~").expect("statements") + 1;
    assert_eq!(place, source.to_string());
    assert!(lines[at + 2].starts_with(&" ".repeat("int line = __LINE__; ".len())), "{}", lines[at + 2]);
}
