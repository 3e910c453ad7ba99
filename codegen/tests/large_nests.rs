//! Nests of many statements are accepted, in little time.

use std::{fmt::Write, process::Command};

/// Processor time of waited-for children, in hundredths of a second.
fn spent() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc");
    let (_, after_name) = stat.rsplit_once(')').expect("a name");
    let field = |at: usize| after_name.split_whitespace().nth(at - 3).and_then(|x| x.parse::<u64>().ok());
    field(16).expect("cutime") + field(17).expect("cstime")
}

/// Five seconds.
const MOST: u64 = 500;

/// One nest of many statements, as computational fluid dynamics has them: arrays of rank 4 whose last subscript is a
/// constant, neighbours along each loop.
fn wide_nest(statements: usize) -> String {
    let mut text = String::from(
        "static double u[40][40][40][5], r[40][40][40][5], p[40][40][40], q[40][40][40], f[40][40][40][5][5];\nvoid wide(int n, double c, double d)\n{\n#pragma dvm region\n  for (int i = 1; i < n - 1; i++)\n    for (int j = 1; j < n - 1; j++)\n      for (int k = 1; k < n - 1; k++) {\n",
    );
    for s in 0..statements {
        let (m, next) = (s % 5, (s + 1) % 5);
        let (up, down) =
            [("[i+1][j][k]", "[i-1][j][k]"), ("[i][j+1][k]", "[i][j-1][k]"), ("[i][j][k+1]", "[i][j][k-1]")][s / 5 % 3];
        let _ = if s % 2 == 0 {
            writeln!(
                text,
                "r[i][j][k][{m}] = r[i][j][k][{m}] + c * (u{up}[{m}] - 2.0 * u[i][j][k][{m}] + u{down}[{m}]) - d * (u{up}[{next}] * p{up} - u{down}[{next}] * q{down});"
            )
        } else {
            writeln!(text, "f[i][j][k][{m}][{}] = -c * u[i][j][k][{next}] * p[i][j][k] + d * q[i][j][k];", s / 5 % 5)
        };
    }
    text + "      }\n}\n"
}

/// One nest that fills blocks of five by five elements, each by a statement of its own, as implicit solvers do: three
/// blocks have 75 statements with hundreds of accesses.
fn block_nest(blocks: usize) -> String {
    let mut text = String::from(
        "static double f[25][25][24][5][5], g[25][25][24][5][5], l[25][25][25][3][5][5], c, d, c1, d1;\nstatic int size[3];\nvoid wide(double dt)\n{\n#pragma dvm region private(c, d)\n  for (int i = 1; i < size[0] - 1; i++)\n    for (int j = 1; j < size[1] - 1; j++)\n      for (int k = 1; k < size[2] - 1; k++) {\nc = dt * c1; d = dt * d1;\n",
    );
    for (block, p, q) in (0..blocks).flat_map(|b| (0..25).map(move |e| (b, e / 5, e % 5))) {
        let side = ["[j-1]", "[j]", "[j+1]"][block];
        let _ = writeln!(
            text,
            "l[i][j][k][{block}][{p}][{q}] = -c * f[i]{side}[k][{p}][{q}] - d * g[i]{side}[k][{p}][{q}];"
        );
    }
    text + "      }\n}\n"
}

/// Checks that the nest is tiled, in little time.
fn analyse(what: &str, text: &str) {
    let folder = testkit::scratch(&[("wide.c", text)]);
    let before = spent();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    command.args(["tile", "--print=c"]).arg(folder.join("wide.c")).env_remove("DVM_CLANG");
    let output = command.output().expect("it runs");
    let (took, said) = (spent() - before, String::from_utf8_lossy(&output.stderr).into_owned());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("/* dvm: region wide"), "{what}: {said}");
    assert!(took < MOST, "{what} took {took} ticks");
}

#[test]
fn nests_of_many_statements_are_analysed() {
    for statements in [5, 15, 30, 60] {
        analyse(&format!("{statements} statements"), &wide_nest(statements));
    }
    for blocks in [1, 2, 3] {
        analyse(&format!("{blocks} blocks"), &block_nest(blocks));
    }
}
