//! The judge: gcc's sanitizers on the original program, and every byte of what the transformed one leaves behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};
use testkit::Scratch;

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    /// The original is not defined: the generator's fault.
    Discarded(String),
    /// The tool's fault: a kind, and details.
    Wrong(&'static str, String),
}

/// What came of a unit.
#[derive(Default)]
pub struct Judged {
    pub verdicts: Vec<Option<Verdict>>,
    pub regions: usize,
    /// Refusals by reason.
    pub refused: BTreeMap<String, usize>,
    /// Cases with a region that was refused.
    pub sequential: BTreeSet<usize>,
}

/// The tool may compute so long on a file, and take ten times as long on a busy machine.
const SECONDS: u64 = 15;

static FOLDER: Mutex<Option<Scratch>> = Mutex::new(None);

fn folder() -> PathBuf {
    FOLDER.lock().expect("no thread failed").get_or_insert_with(|| testkit::scratch(&[])).to_path_buf()
}

/// Removes what this test program wrote.
pub fn clean() {
    FOLDER.lock().expect("no thread failed").take();
}

/// The harness without and with the stand-in, compiled once.
fn objects() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = folder();
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let standin = tests.join("standin");
        let gcc = |options: &[&str], source: PathBuf, object: &str| {
            let mut command = Command::new("gcc");
            command.args(["-c", "-O2", "-D_POSIX_C_SOURCE=200809L", "-pthread"]).args(options).arg("-I").arg(&standin);
            let status = command.arg(source).arg("-o").arg(folder.join(object)).status().expect("gcc runs");
            assert!(status.success(), "the harness compiles");
        };
        gcc(&[], tests.join("standard/harness.c"), "plain.o");
        gcc(&["-DSTANDIN"], tests.join("standard/harness.c"), "tiled.o");
        gcc(&[], standin.join("standin.c"), "standin.o");
        folder
    })
}

/// Runs a command that may not come back; nothing when it had to be ended.
fn limited(command: &mut Command, limit: Duration) -> Option<Output> {
    let unique = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "-");
    let (out, err) = (folder().join(format!("out{unique}")), folder().join(format!("err{unique}")));
    let file = |path: &Path| Stdio::from(std::fs::File::create(path).expect("a file"));
    let mut child = command.stdin(Stdio::null()).stdout(file(&out)).stderr(file(&err)).spawn().expect("it runs");
    let begin = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match child.try_wait().expect("a child") {
            Some(status) => break status,
            None if begin.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            None => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let read = |path: &Path| std::fs::read(path).unwrap_or_default();
    Some(Output { status, stdout: read(&out), stderr: read(&err) })
}

/// The file of a unit of cases.
pub fn unit(cases: &[&str]) -> String {
    let mut text = "#include \"harness.h\"\n".to_owned();
    for (k, case) in cases.iter().enumerate() {
        let _ = write!(text, "\n/* case {k} */\n");
        text += &case.replace('@', &k.to_string());
    }
    let list: Vec<String> = (0..cases.len()).map(|k| format!("case_{k}")).collect();
    text + &format!(
        "\nvoid (*const cases[])(int, int) = {{ {} }};\nconst int case_count = {};\n",
        list.join(", "),
        cases.len()
    )
}

/// Judges a unit, with the transformed text compiled at a level of optimisation. Where it fails as a whole, the cases
/// that a message names are judged alone; else its halves are.
pub fn judge(cases: &[&str], level: &str) -> Judged {
    let (verdict, named) = match whole(cases, level) {
        Ok(judged) => return judged,
        Err(failure) => failure,
    };
    if cases.len() == 1 {
        return Judged { verdicts: vec![Some(verdict)], regions: regions(cases[0]), ..Judged::default() };
    }
    let all = 0..cases.len();
    let parts: Vec<Vec<usize>> = if named.is_empty() || named.len() == cases.len() {
        vec![all.clone().take(cases.len() / 2).collect(), all.skip(cases.len() / 2).collect()]
    } else {
        let rest = all.filter(|k| !named.contains(k)).collect();
        std::iter::once(rest).chain(named.iter().map(|k| vec![*k])).collect()
    };
    let mut together = Judged { verdicts: vec![None; cases.len()], ..Judged::default() };
    for part in parts {
        let judged = judge(&part.iter().map(|k| cases[*k]).collect::<Vec<_>>(), level);
        together.regions += judged.regions;
        for (reason, count) in judged.refused {
            *together.refused.entry(reason).or_default() += count;
        }
        together.sequential.extend(judged.sequential.iter().map(|k| part[*k]));
        for (k, verdict) in part.into_iter().zip(judged.verdicts) {
            together.verdicts[k] = verdict;
        }
    }
    together
}

/// The cases that a compiler's messages are about: each stands behind a comment with its number.
fn named(messages: &[u8]) -> BTreeSet<usize> {
    let mut cases = BTreeSet::new();
    for line in text(messages).lines().filter(|l| l.contains("error:")) {
        let mut words = line.split(':');
        let (Some(file), Some(Ok(number))) = (words.next(), words.next().map(str::parse::<usize>)) else { continue };
        let source = std::fs::read_to_string(folder().join(file)).unwrap_or_default();
        let marks = source.lines().take(number).filter_map(|l| l.strip_prefix("/* case ")?.strip_suffix(" */"));
        cases.extend(marks.last().and_then(|k| k.parse::<usize>().ok()));
    }
    cases
}

fn regions(text: &str) -> usize {
    text.matches("dvm region").count() + text.matches("#pragma scop").count()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The first lines of a text.
fn start(bytes: &[u8]) -> String {
    text(bytes).lines().filter(|l| l.contains("error") || l.contains("panicked")).take(6).collect::<Vec<_>>().join("\n")
}

fn compile(source: &str, output: &str, options: &[&str], objects: &[&str]) -> Option<Output> {
    let mut command = Command::new("gcc");
    command.current_dir(folder()).args(["-w", "-std=gnu11", "-pthread", "-I"]);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/standard"));
    limited(command.args(options).arg(source).args(objects).args(["-o", output, "-lm"]), Duration::from_mins(5))
}

/// Judges a unit; an error is about the whole unit, or about the cases that are named.
fn whole(cases: &[&str], level: &str) -> Result<Judged, (Verdict, BTreeSet<usize>)> {
    let alone = |verdict| (verdict, BTreeSet::new());
    let folder = objects();
    let source = unit(cases);
    std::fs::write(folder.join("unit.c"), &source).expect("a file");
    let sanitizers =
        ["-O0", "-fsanitize=undefined,address,float-cast-overflow", "-fsanitize-recover=address,undefined"];
    let compiled = compile("unit.c", "original", &sanitizers, &["plain.o"]);
    let compiled = compiled.ok_or_else(|| alone(Verdict::Discarded("gcc takes too long".into())))?;
    if !compiled.status.success() {
        return Err((Verdict::Discarded(format!("gcc: {}", start(&compiled.stderr))), named(&compiled.stderr)));
    }
    let original = run("original", &[]).ok_or_else(|| alone(Verdict::Discarded("the original does not end".into())))?;
    let transformed = transform().map_err(alone)?;
    let mut judged = Judged { verdicts: vec![None; cases.len()], regions: regions(&source), ..Judged::default() };
    for line in text(&transformed.stderr).lines() {
        if let Some((region, reason)) = line.split_once("stays sequential: ") {
            let digits = region.split("'f_").last().unwrap_or_default();
            let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
            judged.sequential.extend(digits.parse::<usize>().ok());
            *judged.refused.entry(general(reason)).or_default() += 1;
        }
    }
    let compiled = compile("unit.dvm.c", "tiled", &[level], &["tiled.o", "standin.o"]);
    let compiled = compiled.ok_or_else(|| alone(Verdict::Wrong("gcc hangs", String::new())))?;
    if !compiled.status.success() {
        return Err((Verdict::Wrong("gcc refuses", start(&compiled.stderr)), named(&compiled.stderr)));
    }
    let mut list: Vec<Option<Verdict>> = undefined(&text(&original.stderr), cases.len());
    let expected = traces(&original);
    for (k, verdict) in list.iter_mut().enumerate() {
        if verdict.is_none() && (0..SIZES).any(|s| !expected.contains_key(&(0, k, s))) {
            *verdict = Some(Verdict::Discarded("the original ends early".into()));
        }
    }
    compare(&expected, &mut list);
    for optimise in ["-O3", level] {
        second_opinion(&expected, optimise, &mut list);
    }
    judged.verdicts = list;
    Ok(judged)
}

/// What differs is no defect where gcc's optimised original differs as well: the sanitizers know neither `restrict` nor
/// the order of side effects, and gcc has defects of its own.
fn second_opinion(expected: &BTreeMap<(usize, usize, usize), String>, optimise: &str, list: &mut [Option<Verdict>]) {
    if !list.iter().flatten().any(|v| matches!(v, Verdict::Wrong(..))) {
        return;
    }
    let optimised = [optimise, "-frounding-math", "-ffp-contract=off"];
    let compiled = compile("unit.c", "optimised", &optimised, &["plain.o"]);
    let Some(output) = compiled.filter(|c| c.status.success()).and_then(|_| run("optimised", &[])) else { return };
    let found = traces(&output);
    for (k, verdict) in list.iter_mut().enumerate().filter(|(_, v)| matches!(v, Some(Verdict::Wrong(..)))) {
        if (0..SIZES).any(|s| expected.get(&(0, k, s)) != found.get(&(0, k, s))) {
            *verdict = Some(Verdict::Discarded(format!("gcc {optimise} of the original differs")));
        }
    }
}

/// How many sizes and settings the harness has.
const SIZES: usize = 6;
const SETTINGS: usize = 6;

/// Runs the transformed program until every case has ended or is wrong.
fn compare(expected: &BTreeMap<(usize, usize, usize), String>, list: &mut [Option<Verdict>]) {
    for _ in 0..4 {
        let skipped: Vec<usize> = (0..list.len()).filter(|k| list[*k].is_some()).collect();
        if skipped.len() == list.len() {
            return;
        }
        let Some(tiled) = run("tiled", &skipped) else {
            let open = list.iter_mut().filter(|v| v.is_none());
            open.for_each(|v| *v = Some(Verdict::Wrong("does not end", String::new())));
            return;
        };
        let found = traces(&tiled);
        let mut crashed = false;
        for setting in 0..SETTINGS {
            for (k, verdict) in list.iter_mut().enumerate() {
                for size in 0..SIZES {
                    let (e, f) = (expected.get(&(0, k, size)), found.get(&(setting, k, size)));
                    let place = || format!("setting {setting}, size {size}");
                    match f {
                        _ if verdict.is_some() || crashed => {}
                        Some(f) if f.is_empty() => {
                            *verdict = Some(Verdict::Wrong("crashes", place()));
                            crashed = true;
                        }
                        Some(_) if e == f => {}
                        Some(_) => *verdict = Some(Verdict::Wrong("differs", place())),
                        None => crashed = true,
                    }
                }
            }
        }
        if !crashed {
            break;
        }
    }
    list.iter_mut().filter(|v| v.is_none()).for_each(|v| *v = Some(Verdict::Same));
}

fn run(program: &str, skipped: &[usize]) -> Option<Output> {
    let mut command = Command::new(folder().join(program));
    command.current_dir(folder()).args(skipped.iter().map(usize::to_string)).env_remove("LD_LIBRARY_PATH");
    command.env("ASAN_OPTIONS", "halt_on_error=0:detect_leaks=0").env("UBSAN_OPTIONS", "print_stacktrace=0");
    limited(&mut command, Duration::from_secs(150))
}

/// Hashes by setting, case and size; empty where it did not end.
fn traces(output: &Output) -> BTreeMap<(usize, usize, usize), String> {
    let mut all = BTreeMap::new();
    let mut place = (0, 0, 0);
    for line in text(&output.stdout).lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |k: usize| words.get(k).and_then(|w| w.parse().ok()).unwrap_or(0);
        match words.first() {
            Some(&"begin") => {
                place = (number(1), number(2), number(3));
                all.insert(place, String::new());
            }
            Some(&"end") => {
                all.insert(place, words[1].to_owned());
            }
            _ => {}
        }
    }
    all
}

/// Cases that a sanitizer spoke of.
fn undefined(errors: &str, count: usize) -> Vec<Option<Verdict>> {
    let mut list = vec![None; count];
    let mut at = 0;
    for line in errors.lines() {
        if let Some(number) = line.strip_prefix("case ") {
            at = number.trim().parse().unwrap_or(0);
        } else if (line.contains("runtime error") || line.contains("AddressSanitizer")) && list[at].is_none() {
            list[at] = Some(Verdict::Discarded(line.to_owned()));
        }
    }
    list
}

fn transform() -> Result<Output, Verdict> {
    let mut command = Command::new("sh");
    command.current_dir(folder()).args(["-c", &format!("ulimit -t {SECONDS}; exec \"$0\" \"$@\"")]);
    command.arg(env!("CARGO_BIN_EXE_dvm-codegen"));
    command.args(["tile", "unit.c", "-o", "unit.dvm.c", "--", "-std=gnu11", "-I"]);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/standard"));
    let output = limited(&mut command, 10 * Duration::from_secs(SECONDS))
        .ok_or_else(|| Verdict::Wrong("the tool hangs", String::new()))?;
    match output.status.code() {
        Some(0) => Ok(output),
        None => Err(Verdict::Wrong("the tool hangs or is killed", format!("{}", output.status))),
        Some(3) => Err(Verdict::Discarded(format!("clang: {}", start(&output.stderr)))),
        code => Err(Verdict::Wrong("the tool fails", format!("{code:?} {}", start(&output.stderr)))),
    }
}

/// A reason without what it quotes.
fn general(reason: &str) -> String {
    let mut quoted = false;
    let reason = reason.split(" [").next().unwrap_or(reason);
    reason
        .chars()
        .filter(|c| {
            if *c == '`' {
                quoted = !quoted;
            }
            !quoted && *c != '`' && !c.is_ascii_digit()
        })
        .collect()
}
