//! Many functions in one file: through the tool, through gcc, and before the judge.

use super::function::{PRELUDE, Unit};
use super::tally::Tally;
use dvm_codegen::driver::{
    self,
    limited_process::{Guarded, Product},
};
use dvm_codegen::model::Region;
use dvm_codegen::source::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use testkit::Scratch;

/// No file may take longer, in time of this thread's processor: other work on the machine does not count.
const LONGEST: Duration = Duration::from_secs(15);

/// How long this thread has run.
fn spent() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
}

/// What is wrong with a function.
#[derive(Clone, Debug)]
pub struct Finding {
    pub unit: Unit,
    pub what: String,
    /// How the transformed text was compiled.
    pub optimise: String,
}

static FOLDER: Mutex<Option<Scratch>> = Mutex::new(None);

/// Where files go.
fn folder() -> PathBuf {
    FOLDER.lock().expect("no thread failed").get_or_insert_with(|| testkit::scratch(&[])).to_path_buf()
}

/// Ends with the tests: what they left behind goes.
pub fn clean() {
    FOLDER.lock().expect("no thread failed").take();
}

fn standin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/standin")
}

/// Flags of the judge and of originals that stop at what C does not define.
const SANITISED: [&str; 5] = [
    "-O0",
    "-fsanitize=undefined,float-cast-overflow",
    // A signal shows the first two, and what is third needs optimisation.
    "-fno-sanitize=null,alignment,object-size",
    "-fsanitize-undefined-trap-on-error",
    "-DROWS_=__attribute__((no_sanitize(\"bounds\")))",
];
const ADDRESS: [&str; 1] = ["-fsanitize=address"];

/// The program that compares, built once; `flags` make it one for objects whose accesses are checked.
fn judge(flags: &[&str]) -> PathBuf {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock();
    let program = folder().join(format!("judge{}", flags.concat()));
    if !program.exists() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/functions/judge.c");
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=gnu11", "-O2", "-w", "-rdynamic", "-pthread"]).args(flags).arg("-I").arg(standin());
        gcc.arg(source).arg(standin().join("standin.c")).args(["-ldl", "-lm", "-o"]).arg(&program);
        assert!(gcc.status().expect("gcc runs").success(), "the judge compiles");
    }
    drop(one);
    program
}

fn compiled(source: &Path, object: &Path, flags: &[&str]) -> Result<(), String> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-w", "-fPIC", "-shared", "-ffp-contract=off", "-Wl,-Bsymbolic"]).args(flags);
    gcc.arg("-I").arg(standin()).arg(source).args(["-lm", "-o"]).arg(object);
    let output = gcc.output().map_err(|e| e.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Why a function that differs is not defined, although the sanitizer of undefined behaviour is silent: it follows no
/// pointer into an object and knows neither `restrict` nor the order of side effects. So accesses are checked, and the
/// original must mean the same when gcc optimises it, also as it optimised the transformed text.
fn undefined_after_all(unit: &Unit, optimise: &str) -> Option<String> {
    let path = |end: &str| folder().join(format!("again-{}{end}", unit.seed));
    let (plain, checked, original, optimised) = (path(".c"), path(".a.so"), path(".so"), path(".2.so"));
    std::fs::write(&plain, file(std::slice::from_ref(unit))).ok()?;
    let answer = (|| {
        compiled(&plain, &checked, &["-O0", ADDRESS[0]]).ok()?;
        let mut run = Command::new("timeout");
        run.arg("60").arg(judge(&ADDRESS)).args([&checked, &checked]);
        let said = run.env("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0").output().ok()?;
        let words = String::from_utf8_lossy(&said.stderr).into_owned();
        if let Some(line) = words.lines().find(|line| line.contains("AddressSanitizer")) {
            return Some(line.to_owned());
        }
        compiled(&plain, &original, &SANITISED).ok()?;
        ["-O3", optimise].iter().find_map(|level| {
            compiled(&plain, &optimised, &[level, "-frounding-math"]).ok()?;
            let (answers, _) = judged(&original, &optimised, std::slice::from_ref(unit)).ok()?;
            let answer = answers.get(&unit.seed)?;
            answer.starts_with("differs").then(|| format!("gcc {level} gives other bytes: {answer}"))
        })
    })();
    for path in [plain, checked, original, optimised] {
        let _ = std::fs::remove_file(path);
    }
    answer
}

/// The file of several functions.
pub fn file(units: &[Unit]) -> String {
    let mut text = PRELUDE.to_owned();
    for unit in units {
        text += &unit.source();
    }
    text += "const struct unit_ units_[] = {\n";
    for unit in units {
        text += &format!("  {{ {0}, \"{1}\", run_{0} }},\n", unit.seed, unit.kinds);
    }
    text + "  { 0, 0, 0 },\n};\n"
}

/// Tries functions; the optimisation is that of the transformed text.
pub fn run(units: &[Unit], optimise: &str, tally: &mut Tally) -> Vec<Finding> {
    match attempt(units, optimise, tally) {
        Ok(findings) => findings,
        Err(what) if units.len() == 1 => vec![Finding { unit: units[0].clone(), what, optimise: optimise.to_owned() }],
        Err(_) => {
            let (one, other) = units.split_at(units.len() / 2);
            let mut findings = run(one, optimise, tally);
            findings.extend(run(other, optimise, tally));
            findings
        }
    }
}

fn attempt(units: &[Unit], optimise: &str, tally: &mut Tally) -> Result<Vec<Finding>, String> {
    let name = format!("{}-{}-{:?}", units[0].seed, units.len(), std::thread::current().id()).replace(['(', ')'], "");
    let path = |end: &str| folder().join(format!("{name}{end}"));
    let (plain, tiled, original, transformed) = (path(".c"), path(".dvm.c"), path(".so"), path(".dvm.so"));
    let answer = (|| {
        std::fs::write(&plain, file(units)).map_err(|e| e.to_string())?;
        compiled(&plain, &original, &SANITISED).map_err(|e| format!("the generator's program is wrong: {e}"))?;
        let source = Source::read(&plain).map_err(|e| e.to_string())?;
        let (begin, before) = (Instant::now(), spent());
        // isl may go on for minutes with a region: the tool's own process is ended then.
        let guarded = Guarded::by(Path::new(env!("CARGO_BIN_EXE_dvm-codegen")), Product::Text);
        let generate = |region: &Region, original: &str| guarded.generate(region, original);
        let outcome =
            driver::transform_unguarded(&source, &["-std=gnu11".to_owned()], &generate).map_err(|e| e.to_string())?;
        let took = spent().saturating_sub(before);
        tally.transforming += begin.elapsed();
        std::fs::write(&tiled, outcome.text(&source, &tiled.to_string_lossy())).map_err(|e| e.to_string())?;
        let begin = Instant::now();
        // Functions that set the rounding mode are compiled as such functions have to be.
        compiled(&tiled, &transformed, &[optimise, "-frounding-math"])
            .map_err(|e| format!("gcc refuses the transformed text: {e}"))?;
        tally.compiling += begin.elapsed();
        let begin = Instant::now();
        let (answers, tiles) = judged(&original, &transformed, units)?;
        tally.running += begin.elapsed();
        tally.tiles += tiles;
        if took > LONGEST && units.len() == 1 {
            return Err(format!("the tool takes {} s", took.as_secs()));
        }
        Ok(counted(units, &source, &outcome, &answers, optimise, tally))
    })();
    if std::env::var_os("DVM_TEST_FILES").is_none() {
        for path in [plain, tiled, original, transformed] {
            let _ = std::fs::remove_file(path);
        }
    }
    answer
}

/// The judge's answers by seed, and how many tiles ran.
fn judged(original: &Path, transformed: &Path, units: &[Unit]) -> Result<(BTreeMap<u64, String>, u64), String> {
    let (mut answers, mut tiles, mut first) = (BTreeMap::new(), 0, 0);
    while first < units.len() {
        let output = Command::new("timeout")
            .arg("120")
            .arg(judge(&[]))
            .args([original, transformed])
            .arg(first.to_string())
            .output();
        let output = output.map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut begun = None;
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let seed = rest.split(' ').next().and_then(|s| s.parse::<u64>().ok());
            match (word, seed) {
                ("begins", Some(seed)) => begun = Some(seed),
                ("end", _) => tiles += rest.split(' ').nth(1).and_then(|t| t.parse::<u64>().ok()).unwrap_or(0),
                (_, Some(seed)) => {
                    answers.insert(seed, line.to_owned());
                    begun = None;
                }
                _ => {}
            }
        }
        if output.status.success() {
            break;
        }
        let Some(at) = units.iter().position(|u| Some(u.seed) == begun) else {
            return Err(format!(
                "the judge ends with {}: {text}{}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            ));
        };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        answers.insert(units[at].seed, format!("differs {}: {} {said}", units[at].seed, output.status));
        first = at + 1;
    }
    Ok((answers, tiles))
}

fn counted(
    units: &[Unit],
    source: &Source,
    outcome: &driver::Outcome,
    answers: &BTreeMap<u64, String>,
    optimise: &str,
    tally: &mut Tally,
) -> Vec<Finding> {
    let mut accepted: BTreeMap<String, usize> = BTreeMap::new();
    outcome.regions.iter().for_each(|(found, _)| *accepted.entry(found.region.function.clone()).or_default() += 1);
    let mut findings = Vec::new();
    for unit in units {
        let text = unit.source();
        let regions = text.matches("#pragma dvm region").count() + text.matches("#pragma scop").count();
        let answer = answers.get(&unit.seed).map_or("differs: no answer", String::as_str);
        let tiled = accepted.get(&format!("f_{}", unit.seed)).copied().unwrap_or(0);
        tally.functions += 1;
        let different = answer.starts_with("differs");
        let why = if different { undefined_after_all(unit, optimise) } else { None };
        if let Some(why) = &why {
            println!("{} is not defined: {why}", unit.seed);
        }
        if why.is_some() || answer.starts_with("undefined") {
            tally.undefined += 1;
            continue;
        }
        tally.regions += regions;
        tally.accepted += tiled;
        if different {
            findings.push(Finding { unit: unit.clone(), what: answer.to_owned(), optimise: optimise.to_owned() });
        }
    }
    if std::env::var_os("DVM_TEST_MESSAGES").is_some() {
        println!("{}", outcome.messages(source));
    }
    for diagnostic in outcome.diagnostics.iter().filter(|d| d.severity != dvm_codegen::diagnostics::Severity::Note) {
        tally.refuse(&diagnostic.message);
        let internal = diagnostic.remedy.as_ref().is_some_and(|r| r.contains("defect"))
            || diagnostic.message.contains("analysis failed");
        if internal && units.len() == 1 {
            findings.push(Finding {
                unit: units[0].clone(),
                what: diagnostic.render(source),
                optimise: optimise.to_owned(),
            });
        }
    }
    findings
}
