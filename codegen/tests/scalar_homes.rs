//! Where an element can stand for a scalar, the model has a statement for each assignment; elsewhere the scalar keeps them
//! together.

use std::process::Command;

/// The statements of the region that is `body`, in a function of `n` and of arrays `a`, `b` and `y`.
fn statements(body: &str) -> Vec<String> {
    let text = format!(
        "#define ZERO 0.0\nstatic double a[50][50], b[50][50], y[50];\nstatic float f[50][50];\nvoid solve(int n);\nvoid solve(int n)\n{{\n  \
         double w;\n  int i, j, k;\n  (void)i, (void)j, (void)k;\n#pragma dvm region\n  for (i = 0; i < n; i++)\n    {body}\n}}\n"
    );
    let folder = testkit::scratch(&[("solve.c", &text)]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let output =
        command.arg("tile").arg(folder.join("solve.c")).arg("--print=model").output().expect("dvm-codegen runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("stays sequential"), "{body}: {said}");
    let model = String::from_utf8_lossy(&output.stdout).into_owned();
    model.lines().filter_map(|line| line.strip_prefix("  text ")).map(str::to_owned).collect()
}

#[test]
fn an_element_stands_for_a_scalar() {
    let factor = "for (j = 0; j < i; j++) { w = a[i][j]; for (k = 0; k < j; k++) w -= a[i][k] * a[k][j]; a[i][j] = w / a[j][j]; }";
    assert_eq!(statements(factor), ["\"a[i][j] -= a[i][k] * a[k][j];\"", "\"a[i][j] = a[i][j] / a[j][j];\""]);
    let sum = "for (j = 0; j < n; j++) { w = ZERO; for (k = 0; k < i; k++) w = a[i][k] + w; b[i][j] = (w); }";
    assert_eq!(statements(sum), ["\"b[i][j] = ZERO;\"", "\"b[i][j] = a[i][k] + b[i][j];\""]);
}

#[test]
fn a_scalar_keeps_statements_together_where_no_element_can_stand_for_it() {
    for (body, why) in [
        (
            "for (j = 0; j < n; j++) { w = 0; for (k = 0; k < n; k++) w += a[i][k] * a[k][j]; b[i][j] = w; }",
            "blocks run it",
        ),
        ("for (j = 0; j < n; j++) { w = 1; for (k = 0; k <= j; k++) w += a[i][k]; a[i][j] = w; }", "the loop reads it"),
        (
            "for (j = 0; j < i; j++) { w = b[i][j]; for (k = 0; k < j; k++) w += a[i][k]; b[i][j] = w * b[i][j]; }",
            "the end reads it",
        ),
        ("for (j = 0; j < i; j++) { w = 1; for (k = 0; k < j; k++) w += a[i][k]; f[i][j] = w; }", "it is narrower"),
        (
            "for (j = 0; j < i; j++) { w = 1; for (k = 0; k < j; k++) w += a[i][k]; if (w > 2) b[i][j] = w; }",
            "it may not be written",
        ),
    ] {
        assert_eq!(statements(body).len(), 1, "{why}");
    }
}
