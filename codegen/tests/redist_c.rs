//! The C of every case compiles without warnings, and delivers every element that can be delivered, once.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

#[path = "../../redist/tests/generator/mod.rs"]
mod generator;

#[path = "../../redist/tests/oracle/mod.rs"]
mod oracle;

use dvm_codegen::redist_c::c_command::{function_name, generate};
use dvm_redist::distribution::domain::Domain;
use dvm_redist::distribution::json::parse_cases;
use dvm_redist::plan::descriptor::Addressing;
use dvm_redist::{Case, Options, Plan};
use generator::{Random, case};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Who makes the copies.
#[derive(Clone, Copy, PartialEq)]
enum Engine {
    /// The engine of `dma_plain.h`, which counts.
    Plain,
    /// libdvm.
    Libdvm,
}

struct Program {
    folder: testkit::Scratch,
    functions: Vec<String>,
    engine: Engine,
}

/// The folder of the libdvm.so that cargo has built for these tests: it lies beside the test itself.
fn library() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    assert!(folder.join("libdvm.so").exists(), "cargo did not build libdvm.so into {}", folder.display());
    let named = folder.join("libdvm.so.0");
    let _ = std::os::unix::fs::symlink("libdvm.so", &named);
    folder
}

impl Program {
    /// One program of all functions of some cases; families share a function.
    fn build(cases: &[Case], engine: Engine) -> Self {
        let folder = testkit::scratch(&[]);
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut functions: Vec<String> = Vec::new();
        let mut dispatch = String::from("#include <dvm_dma.h>\n");
        let mut body = String::new();
        let mut command = Command::new("cc");
        command.current_dir(&folder).args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
        command.arg("-I").arg(root.join("../include")).arg("-I").arg(root.join("tests/redist"));
        command.args(["-o", "program", "dispatch.c"]).arg(root.join("tests/redist/main.c"));
        if engine == Engine::Plain {
            command.args(["-include", "dma_plain.h"]).arg(root.join("tests/redist/dma_plain.c"));
        }
        for case in cases {
            let function = function_name(case);
            if functions.contains(&function) {
                continue;
            }
            let file = format!("{function}.c");
            std::fs::write(folder.join(&file), generate(case).unwrap()).unwrap();
            command.arg(file);
            let n = case.parameters.len();
            let types = ", int64_t".repeat(n);
            let values = (0..n).map(|i| format!(", parameter[{i}]")).collect::<Vec<_>>().concat();
            writeln!(dispatch, "int {function}(DVM_DMA_ENGINE{types});").unwrap();
            writeln!(body, "  case {}: return {function}(dma{values});", functions.len()).unwrap();
            functions.push(function);
        }
        let head = "int dispatch(int number, DVM_DMA_ENGINE dma, const int64_t *parameter)";
        writeln!(
            dispatch,
            "{head};\n{head} {{\n  (void)parameter;\n  switch (number) {{\n{body}  }}\n  return -1;\n}}"
        )
        .unwrap();
        std::fs::write(folder.join("dispatch.c"), dispatch).unwrap();
        if engine == Engine::Libdvm {
            let library = library();
            command.arg("-L").arg(&library).arg("-ldvm").arg(format!("-Wl,-rpath,{}", library.display()));
        }
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        Self { folder, functions, engine }
    }

    /// Runs one case; what is wrong, or the number of calls and the digest of what arrived where.
    fn run(&self, case: &Case) -> Result<(i64, String), String> {
        let number = self.functions.iter().position(|f| *f == function_name(case)).unwrap();
        let source = Domain::new(&case.source, &case.parameters).unwrap();
        let target = Domain::new(&case.target, &case.parameters).unwrap();
        let from = Addressing::new(&case.source, &source).unwrap();
        let to = Addressing::new(&case.target, &target).unwrap();
        let mut command = Command::new(self.folder.join("program"));
        let sizes = [number as i64, from.memories, from.extent, to.memories, to.extent];
        command.args(sizes.iter().chain(case.parameters.values()).map(i64::to_string));
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Err(format!("the program ends with {}: {told}", output.status));
        }
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines = text.lines().map(|l| l.split(' ').map(|n| n.parse::<i64>().unwrap()).collect::<Vec<_>>());
        let head = lines.next().ok_or("no output")?;
        let (error, calls, elements) = (head[0], head[1], head[2]);
        if error != 0 {
            return Err(format!("the engine reports error {error}: {told}"));
        }
        let mut holds = BTreeMap::new();
        for at in locations(&source) {
            holds.insert(from.memory(&at) * from.extent + from.offset(&at) + 1, source.element(&at));
        }
        let mut wants = BTreeMap::new();
        for at in locations(&target) {
            let t = target.element(&at);
            wants.insert((to.memory(&at), to.offset(&at)), (at, t));
        }
        let held: std::collections::BTreeSet<_> = holds.values().cloned().collect();
        let mut arrived = BTreeMap::new();
        for l in lines {
            let (at, t) = wants.get(&(l[0], l[1])).ok_or(format!("memory {} place {} wants nothing", l[0], l[1]))?;
            let s = holds.get(&l[2]).ok_or(format!("value {} is at no source location", l[2]))?;
            if s != t {
                return Err(format!("memory {} place {} got {s:?}, wants {t:?}", l[0], l[1]));
            }
            arrived.insert(at, s);
        }
        let count = arrived.len() as i64;
        let expected = wants.values().filter(|(_, t)| held.contains(t)).count() as i64;
        // libdvm does not count; every place that was filled was compared.
        let elements = if self.engine == Engine::Plain { elements } else { count };
        if (count, elements) != (expected, expected) {
            return Err(format!("{count} places filled by {elements} copies, {expected} wanted"));
        }
        Ok((calls, oracle::digest(arrived.into_iter())))
    }
}

/// The cases with known figures, and the digest of what they deliver.
fn known_cases() -> (Vec<Case>, Vec<String>) {
    let text = include_str!("../../redist/tests/data/cases.json");
    let file: serde_json::Value = serde_json::from_str(text).unwrap();
    let digest = |case: &serde_json::Value| case["expected"]["digest_fnv1a64"].as_str().unwrap().to_owned();
    (parse_cases(text).unwrap(), file["cases"].as_array().unwrap().iter().map(digest).collect())
}

fn locations(domain: &Domain) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    domain.rows(|at, inner, lo, hi| {
        for v in lo..=hi {
            let mut next = at.to_vec();
            inner.into_iter().for_each(|i| next[i] = v);
            all.push(next);
        }
    });
    all
}

/// Runs the program of all cases; the calls it makes.
fn run_all(program: &Program, cases: &[Case], digests: &[String]) -> i64 {
    let (mut wrong, mut total) = (Vec::new(), 0);
    for (case, digest) in cases.iter().zip(digests) {
        match program.run(case) {
            Ok((calls, found)) if found == *digest => total += calls,
            Ok((_, found)) => wrong.push(format!("{}: what arrived has the digest {found}, not {digest}", case.id)),
            Err(e) => wrong.push(format!("{}: {e}", case.id)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    total
}

#[test]
fn the_c_of_every_case_delivers() {
    let (cases, digests) = known_cases();
    let program = Program::build(&cases, Engine::Plain);
    let calls = run_all(&program, &cases, &digests);
    let descriptors = |case| Plan::new(case, Options::default()).unwrap().figures.descriptors;
    let planned: i64 = cases.iter().map(descriptors).sum();
    let (functions, cases) = (program.functions.len(), cases.len());
    println!("{cases} cases, {functions} functions, {calls} calls; the plans have {planned} descriptors");
}

#[test]
fn the_c_of_every_case_delivers_on_libdvm() {
    let (cases, digests) = known_cases();
    run_all(&Program::build(&cases, Engine::Libdvm), &cases, &digests);
}

/// Random cases, each run with several values of its parameters.
#[test]
fn the_c_of_random_cases_delivers() {
    let (mut cases, mut refused) = (Vec::new(), 0);
    for seed in testkit::seeds(255) {
        let mut case = case(&mut Random::new(seed), 120);
        case.id = format!("random-{seed}");
        if generate(&case).is_ok() { cases.push(case) } else { refused += 1 }
    }
    println!("{refused} refused, {} with parameters", cases.iter().filter(|c| !c.parameters.is_empty()).count());
    assert!(refused < 25, "{refused} refused");
    let program = Program::build(&cases, Engine::Plain);
    let mut wrong = Vec::new();
    for case in cases {
        let values: &[i64] = if case.parameters.is_empty() { &[0] } else { &[-3, 0, 1, 4, 11, 26] };
        for &n in values {
            let mut next = case.clone();
            next.parameters.values_mut().for_each(|v| *v = n);
            if let Err(e) = program.run(&next) {
                wrong.push(format!("{e}\n{}", next.to_json()));
            }
        }
    }
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} of them wrong, the shortest:\n{}", wrong.len(), wrong[0]);
}
