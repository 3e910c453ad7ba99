//! Inputs whose analysis does not end: the command does, and the regions after them are transformed.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Processor time of the children that have ended, in s: what an input costs, however busy the machine is.
fn spent() -> u64 {
    const TICKS_PER_S: u64 = 100;
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc");
    let (_, after_name) = stat.rsplit_once(')').expect("a name");
    let ticks = |field: usize| after_name.split_whitespace().nth(field - 3).and_then(|x| x.parse::<u64>().ok());
    // Fields 16 and 17 of proc(5): user and system time of waited-for children.
    (ticks(16).expect("cutime") + ticks(17).expect("cstime")) / TICKS_PER_S
}

/// More than both tests of this file may take together; either's analysis alone would go on for minutes.
const MOST_S: u64 = 40;

/// Five statements at depth four that read each other at many distances: isl's scheduler goes on for minutes, without
/// counting operations.
fn endless() -> String {
    let arrays = ["a", "b", "c", "d", "e"];
    let declared: Vec<String> = arrays.iter().map(|name| format!("double {name}[restrict n][n][n][n]")).collect();
    let mut text = format!("void f(int n, {}) {{\n#pragma dvm region\n", declared.join(", "));
    for it in ["i", "j", "k", "l"] {
        let _ = writeln!(text, "for (int {it} = 3; {it} < n - 3; {it}++)");
    }
    text.push_str("{\n");
    let mut state = 12345_u32;
    let mut next = |count: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % count
    };
    for name in arrays {
        let mut reads = Vec::new();
        for _ in 0..4 {
            let mut at = || ["- 2", "- 1", "+ 0", "+ 1", "+ 2"][next(5) as usize];
            let subscripts = format!("[i {}][j {}][k {}][l {}]", at(), at(), at(), at());
            reads.push(format!("{}{subscripts}", arrays[next(5) as usize]));
        }
        let _ = writeln!(text, "{name}[i][j][k][l] = {};", reads.join(" + "));
    }
    text + "}\n#pragma dvm region name(easy)\nfor (int i = 0; i < n; i++)\n  a[0][0][0][i] = 0;\n}\n"
}

#[test]
fn an_endless_analysis_is_ended_and_the_next_region_goes_on() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless.c");
    std::fs::write(&file, endless()).expect("a writable folder");
    let before = spent();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let output = command.args(["tile", "--print=c"]).arg(&file).env_remove("DVM_CLANG").output().expect("it runs");
    let (took, said) = (spent() - before, String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(said.contains("region 'f_1' stays sequential: "), "{said}");
    assert!(said.contains("split the region"), "{said}");
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
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("multiplying.c");
    std::fs::write(&file, text).expect("a writable folder");
    let before = spent();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let output = command.arg("tile").arg(&file).env_remove("DVM_CLANG").output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let took = spent() - before;
    assert!(took < MOST_S, "{took} s of processor time");
}
