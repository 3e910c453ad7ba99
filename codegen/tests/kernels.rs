//! Programs in the language of regions, compiled by gcc and by dvmcc, print the same: over sizes, tile sizes, orders.

mod clangs;
mod prefix;

use std::path::Path;
use std::process::Command;

const FLAGS: [&str; 3] = ["-std=gnu99", "-O2", "-ffp-contract=off"];

fn output(program: &Path, sizes: &[&str], environment: &[(&str, &str)]) -> (String, String) {
    let output =
        prefix::program(program).args(sizes).envs(environment.iter().copied()).output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.code().is_some(),
        "{} {sizes:?} {environment:?} ends by {:?}",
        program.display(),
        output.status
    );
    (text, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn check(name: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(format!("{name}.c"));
    let folder = testkit::scratch(&[]);
    let (plain, tiled) = (folder.join(format!("{name}-plain")), folder.join(format!("{name}-tiled")));
    let status = Command::new("gcc").args(FLAGS).arg("-w").arg(&source).arg("-lm").arg("-o").arg(&plain).status();
    assert!(status.expect("gcc runs").success(), "{name}: gcc");
    let made = prefix::dvmcc().args(FLAGS).arg("--show").arg(&source).arg("-lm").arg("-o").arg(&tiled).output();
    let made = made.expect("dvmcc runs");
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{name}: {said}");
    let text = std::fs::read_to_string(&source).expect("the source");
    let sequential = text.lines().next().and_then(|l| l.strip_prefix("/* stays sequential: ")).map_or(0, |l| {
        l.split(' ').next().and_then(|n| n.parse().ok()).expect("a number of regions that stay sequential")
    });
    assert!(!said.contains(": error:"), "{name}: {said}");
    let shown = std::fs::read_to_string(folder.join(format!("{name}.dvm.c"))).expect("the generated C");
    for clang in &clangs::all(name)[1..] {
        let other = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"))
            .args(["tile", "--print=model"])
            .arg(&source)
            .args(["--", FLAGS[0]])
            .env("DVM_CLANG", clang)
            .output();
        let usual = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"))
            .args(["tile", "--print=model"])
            .arg(&source)
            .args(["--", FLAGS[0]])
            .env_remove("DVM_CLANG")
            .output();
        assert_eq!(
            other.expect("dvm-codegen runs"),
            usual.expect("dvm-codegen runs"),
            "{name}: {clang} reads otherwise"
        );
    }
    let marks = text.matches("#pragma dvm region").count() + text.matches("#pragma scop").count();
    let replaced = shown.matches("/* dvm: region ").count();
    assert_eq!(replaced, marks - sequential, "{name}: {said}");
    let mut tiles = 0;
    for size in ["0", "1", "2", "3", "5", "8", "13", "24", "31"] {
        let (expected, _) = output(&plain, &[size, size], &[]);
        for (tile, seed, workers) in [("1", "0", "1"), ("3", "5", "1"), ("7", "9", "3"), ("100", "0", "2")] {
            let environment =
                [("STANDIN_SIZE", tile), ("STANDIN_SEED", seed), ("STANDIN_WORKERS", workers), ("STANDIN_TELL", "1")];
            let (got, told) = output(&tiled, &[size, size], &environment);
            assert_eq!(got, expected, "{name}: size {size}, tile {tile}, seed {seed}, workers {workers}");
            tiles += told.split_whitespace().last().and_then(|t| t.parse::<u64>().ok()).unwrap_or(0);
        }
        let (got, told) = output(&tiled, &[size, size], &[("DVM_CHECK", "1")]);
        assert_eq!(got, expected, "{name}: size {size}, checked");
        assert!(!told.contains("by the tiles"), "{name}: size {size}: {told}");
        for ways in ["88172645463325252", "2685821657736338717"] {
            let (got, _) = output(&tiled, &[size, size], &[("STANDIN_SIZE", "3"), ("STANDIN_WAYS", ways)]);
            assert_eq!(got, expected, "{name}: size {size}, ways {ways}");
        }
        let (got, _) = output(&tiled, &[size, size], &[("STANDIN_REFUSE", "1")]);
        assert_eq!(got, expected, "{name}: size {size}, fallback");
        for looks in ["1", "2", "5"] {
            let (got, _) = output(&tiled, &[size, size], &[("STANDIN_SIZE", "3"), ("STANDIN_ALONE", looks)]);
            assert_eq!(got, expected, "{name}: size {size}, without libdvm for {looks} looks at the clock");
        }
    }
    assert!(tiles > 50, "{name}: only {tiles} tiles ran");
}

/// A false `independent` changes nothing in a checked run, and is told with the place and both values.
#[test]
fn a_false_assertion_is_told() {
    let folder = testkit::scratch(&[]);
    let source = folder.join("false.c");
    let text = "#include <stdio.h>\nstatic double a[9][9]; static int key[9], count[9];\nint main(void)\n{\n  for (int i = 0; i < 9; i++)\n    key[i] = i / 2;\n\
        #pragma dvm region independent\n  for (int i = 1; i < 9; i++) {\n    a[i][2] = a[key[i]][2] + i;\n    count[key[i]] = i;\n  }\n\
        printf(\"%g %d\\n\", a[8][2], count[1]);\n}\n";
    std::fs::write(&source, text).expect("a written file");
    let program = folder.join("false");
    let made = prefix::dvmcc().args(FLAGS).arg(&source).arg("-o").arg(&program).output().expect("dvmcc runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (got, told) = output(&program, &[], &[("DVM_CHECK", "1")]);
    assert_eq!(got, "15 3\n");
    for part in [
        "region main_1 (",
        "false.c:7): a[2][2] is 3 by the loops and 2 by the tiles",
        "count[1] is 3 by the loops and 2 by",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.contains("more elements of `a` differ"), "{told}");
}

/// A check copies no byte behind an array's last element, also where the last row that is written is not the longest.
#[test]
fn a_check_stays_inside_of_arrays() {
    let folder = testkit::scratch(&[]);
    let source = folder.join("ends.c");
    let text = r#"
#include <stdio.h>
#include <stdlib.h>
static void triangle(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n - i; j++)
      a[i * n + j] += i + j;
}
static void other_triangle(int n, int m, double (*a)[m])
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    for (int j = n - i; j < m - 2 * i; j++)
      a[i][j] *= 2 + j;
}
int main(void)
{
  enum { N = 60, M = 200 };
  double *a = malloc(((N - 1) * N + 1) * sizeof *a), *b = malloc((N * M - 2 * (N - 1)) * sizeof *b);
  double sum = 0;
  for (int i = 0; i <= (N - 1) * N; i++)
    a[i] = i % 100;
  for (int i = 0; i < N * M - 2 * (N - 1); i++)
    b[i] = i % 50;
  triangle(N, a);
  other_triangle(N, M, (double (*)[M])b);
  for (int i = 0; i <= (N - 1) * N; i++)
    sum += a[i];
  for (int i = 0; i < N * M - 2 * (N - 1); i++)
    sum += b[i];
  printf("%g\n", sum);
  free(a);
  free(b);
  return 0;
}
"#;
    std::fs::write(&source, text).expect("a written file");
    let plain = folder.join("plain");
    let status = Command::new("gcc").args(FLAGS).arg("-w").arg(&source).arg("-o").arg(&plain).status();
    assert!(status.expect("gcc runs").success());
    let (expected, _) = output(&plain, &[], &[]);
    let program = folder.join("checked");
    let made = prefix::dvmcc().args(FLAGS).arg("-fsanitize=address").arg(&source).arg("-o").arg(&program).output();
    let made = made.expect("dvmcc runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (got, told) = output(&program, &[], &[("DVM_CHECK", "1"), ("STANDIN_SIZE", "7")]);
    assert_eq!((got.as_str(), told.as_str()), (expected.as_str(), ""));
}

/// The tree of a reduction is not the order of the loops, so nothing is compared, and that is told.
#[test]
fn a_region_that_writes_no_array_is_told_to_be_unchecked() {
    let folder = testkit::scratch(&[]);
    let source = folder.join("sum.c");
    let text = "#include <stdio.h>\nstatic double a[9];\nint main(void)\n{\n  double s = 0;\n  for (int i = 0; i < 9; i++)\n    a[i] = i;\n  for (int t = 0; t < 2; t++) {\n\
        #pragma dvm region reduction(+:s)\n  for (int i = 0; i < 9; i++)\n    s += a[i];\n  }\n  printf(\"%g\\n\", s);\n}\n";
    std::fs::write(&source, text).expect("a written file");
    let program = folder.join("sum");
    let made = prefix::dvmcc().args(FLAGS).arg(&source).arg("-o").arg(&program).output().expect("dvmcc runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (got, told) = output(&program, &[], &[("DVM_CHECK", "1")]);
    assert_eq!(got, "72\n");
    assert_eq!(told.matches("region main_1 (line 9) is not checked: it writes no array").count(), 1, "{told}");
}

testkit::file_tests! {
    check in "tests/kernels", "c":
    alike_names arithmetic array_functions assigned_scalars based_on beside_counters both_pragmas calls captured chain_blocks conditional_tables conditions continues copied_extremes
    constant_rows constants counters crowded data_loops decays entry_reads extremes floyd followed followed_before gathers globals grouped guarded_reads hidden_calls hidden_names hints
    ignored_openmp included_functions
    independent inductions jacobi_1d jam jumps joined_pieces kept_sizes known_arguments late_pointers linearised liveness locals lost_guard lu macros macros_in_values matmul member_arguments
    met_names mixed_sizes named_alias named_elsewhere named_sections names null_tests other_lines own_functions parts passed_numbers pasted places planes pointers private private_inner private_passed private_static reductions row_hulls
    register_blocks remainders rounds rows
    scalar_homes scalars set_again shadows shapes small_locals steps strided_boxes strides switches tables temporaries torn torn_heads types unsigned_counters volume wide_products written_back
}
