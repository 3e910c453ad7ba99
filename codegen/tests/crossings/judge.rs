//! The judge: gcc's sanitizers on the original, and all bytes of what each call leaves behind. With `DVM_CHECK=1` a right
//! region is not reported, and a wrong `independent` is.

use super::function::{CALLED, Case, Claim, Dialect};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What came of the functions of a program.
#[derive(Debug, Default)]
pub struct Judged {
    /// What is wrong, by function.
    pub wrong: BTreeMap<usize, String>,
    pub regions: usize,
    pub accepted: usize,
    /// Accepted regions of functions that ran as two tiles or more.
    pub ran: usize,
    pub tiles: u64,
    pub undefined: usize,
    /// Calls with false assertions that were told.
    pub told: usize,
    /// Calls with false assertions.
    pub false_claims: usize,
    pub refused: BTreeMap<String, usize>,
}

const SETTINGS: [[&str; 4]; 5] =
    [["1", "0", "1", "0"], ["3", "5", "1", "0"], ["7", "9", "5", "0"], ["16", "3", "2", "0"], ["3", "7", "2", "1"]];

/// What a call left: its bytes, reductions whose order is free, tiles.
type Left = BTreeMap<(usize, usize), (String, String, u64)>;

struct Judge {
    folder: testkit::Scratch,
    dialect: Dialect,
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The program of these functions.
pub fn program(cases: &[&str], dialect: Dialect) -> String {
    let mut program =
        format!("#define NUMBER {}\n#define REAL {}\n#include \"memory.h\"\n", dialect.number, dialect.real);
    let mut table = String::new();
    for (number, case) in cases.iter().enumerate() {
        let _ = write!(program, "\n/* case {number} */\n{}", case.replace('@', &number.to_string()));
        let _ = writeln!(table, "  {{ run_{number}, {number}, APART_{number} }},");
    }
    program
        + &format!(
            "\nunsigned long left_bytes(void) {{ return sum(); }}\nunsigned long left_reassociated(void) {{ return reassociated(); }}\n\
             const struct trial trials[] = {{\n{table}}};\nconst int trial_count = {};\n",
            cases.len()
        )
}

impl Judge {
    /// Writes the program, with its called functions in headers if the dialect has them there.
    fn write(&self, source: &str) {
        let mut parts = source.split(CALLED[0]);
        let mut written = parts.next().unwrap_or_default().to_owned();
        for (number, part) in parts.enumerate() {
            let (called, rest) = part.split_once(CALLED[1]).expect("the end of the called functions");
            if self.dialect.included {
                let header = format!("called_{number}.h");
                self.folder.write(&header, called);
                let _ = writeln!(written, "#include \"{header}\"");
            } else {
                written += called;
            }
            written += rest;
        }
        self.folder.write("plain.c", &written);
    }

    fn gcc(&self, options: &[&str], sources: &[&Path], program: &str) -> Result<(), String> {
        let mut objects = Vec::new();
        for source in sources {
            let object = format!("{program}-{}.o", source.file_stem().expect("a name").to_string_lossy());
            let own = source.is_relative();
            let standard = if own { self.dialect.standard } else { "-std=gnu99" };
            let mut gcc = Command::new("gcc");
            gcc.current_dir(&*self.folder).args(["-c", "-w", standard, "-ffp-contract=off", "-pthread"]);
            gcc.arg("-I").arg(here().join("standin")).arg("-I").arg(here().join("crossings"));
            if own && self.dialect.old() && program == "tiled" {
                gcc.arg("-pedantic-errors");
            }
            let output = gcc.args(options).arg(source).args(["-o", &object]).output().expect("gcc runs");
            if !output.status.success() {
                return Err(text(&output.stderr));
            }
            objects.push(object);
        }
        let mut gcc = Command::new("gcc");
        gcc.current_dir(&*self.folder).args(["-pthread"]).args(options.iter().filter(|o| o.starts_with("-fsanitize")));
        let output = gcc.args(objects).args(["-lm", "-o", program]).output().expect("gcc runs");
        if output.status.success() { Ok(()) } else { Err(text(&output.stderr)) }
    }

    fn run(&self, program: &str, skipped: &BTreeSet<(usize, usize)>, setting: Option<&[&str; 4]>) -> (Output, Left) {
        let mut command = Command::new("timeout");
        command.arg("120").arg(self.folder.join(program)).env_remove("LD_LIBRARY_PATH");
        command.args(skipped.iter().map(|(number, call)| format!("{number}.{call}")));
        command.env("ASAN_OPTIONS", "detect_leaks=0");
        if let Some([size, seed, workers, check]) = setting {
            command.env("STANDIN_SIZE", size).env("STANDIN_SEED", seed).env("STANDIN_WORKERS", workers);
            command.env("DVM_CHECK", check);
        }
        let output = command.output().expect("it runs");
        let mut left = Left::new();
        for line in text(&output.stdout).lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [number, call, bytes, loose, tiles] = words[..] {
                let Ok(number) = number.parse() else { continue };
                let place = (number, call.parse().expect("a call"));
                left.insert(place, (bytes.to_owned(), loose.to_owned(), tiles.parse().expect("a count")));
            }
        }
        (output, left)
    }

    /// Functions without a region that was refused; counts the regions.
    fn transform(&self, source: &str, judged: &mut Judged) -> Result<BTreeSet<usize>, String> {
        let mut command = Command::new("timeout");
        command.arg("300").arg(env!("CARGO_BIN_EXE_dvm-codegen")).current_dir(&*self.folder);
        command.args(["tile", "plain.c", "-o", "plain.dvm.c", "--", self.dialect.standard, "-I"]);
        let output = command.arg(here().join("crossings")).output().expect("it runs");
        let said = text(&output.stderr);
        if output.status.code() != Some(0) {
            return Err(format!("the tool fails: {:?} {said}", output.status));
        }
        if let Some(line) = said.lines().find(|l| l.contains("defect") || l.contains("panicked")) {
            return Err(format!("the tool has a defect: {line}"));
        }
        judged.regions = source.matches("#pragma dvm region").count();
        let shown = std::fs::read_to_string(self.folder.join("plain.dvm.c")).unwrap_or_default();
        judged.accepted = shown.matches("/* dvm: region ").count();
        let mut sequential = BTreeSet::new();
        for line in said.lines() {
            let Some((region, reason)) = line.split_once("stays sequential: ") else { continue };
            let digits = region.split("'f_").last().unwrap_or_default();
            let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
            sequential.extend(digits.parse::<usize>().ok());
            *judged.refused.entry(general(reason)).or_default() += 1;
        }
        Ok(sequential)
    }
}

/// A reason without what it quotes.
fn general(reason: &str) -> String {
    let parts: Vec<&str> = reason.split(" [").next().unwrap_or(reason).split('`').step_by(2).collect();
    parts.join("_").chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Judges functions together; one that nothing can be said of alone is an error.
pub fn judge(cases: &[Case], dialect: Dialect) -> Judged {
    match together(cases, dialect) {
        Ok(judged) => judged,
        Err(why) if cases.len() == 1 => Judged { wrong: BTreeMap::from([(0, why)]), ..Judged::default() },
        Err(_) => {
            let half = cases.len() / 2;
            let (mut all, other) = (judge(&cases[..half], dialect), judge(&cases[half..], dialect));
            all.wrong.extend(other.wrong.into_iter().map(|(number, why)| (number + half, why)));
            all.add(Judged { wrong: BTreeMap::new(), ..other });
            all
        }
    }
}

impl Judged {
    /// Adds what came of other functions, all but what is wrong.
    pub fn add(&mut self, other: Judged) {
        self.regions += other.regions;
        self.accepted += other.accepted;
        self.ran += other.ran;
        self.tiles += other.tiles;
        self.undefined += other.undefined;
        self.told += other.told;
        self.false_claims += other.false_claims;
        for (reason, count) in other.refused {
            *self.refused.entry(reason).or_default() += count;
        }
    }
}

fn together(cases: &[Case], dialect: Dialect) -> Result<Judged, String> {
    let judge = Judge { folder: testkit::scratch(&[]), dialect };
    let mut apart = String::new();
    for (k, case) in cases.iter().enumerate() {
        let _ = writeln!(apart, "#define APART_{k} {}", u8::from(case.apart));
    }
    let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    let source = apart.clone() + &program(&texts, dialect);
    judge.write(&source);
    let (plain, harness) = (Path::new("plain.c"), here().join("crossings/harness.c"));
    let sanitizers =
        ["-O0", "-DJUDGE", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"];
    judge.gcc(&sanitizers, &[plain, &harness], "original").map_err(|e| format!("the generator's program: {e}"))?;
    let (output, expected) = judge.run("original", &BTreeSet::new(), None);
    let mut skipped = BTreeSet::new();
    for line in text(&output.stdout).lines().filter_map(|line| line.strip_prefix("undefined ")) {
        let (number, call) = line.split_once(' ').expect("two numbers");
        skipped.insert((number.parse().expect("a function"), call.parse().expect("a call")));
    }
    if !text(&output.stdout).ends_with("done\n") {
        return Err(format!("the original: {:?} {}", output.status, text(&output.stderr)));
    }
    let undefined = (0..cases.len()).filter(|k| !expected.keys().any(|(number, _)| number == k)).count();
    let mut judged = Judged { undefined, ..Judged::default() };
    let sequential = judge.transform(&source, &mut judged)?;
    let standin = [here().join("standin/standin.c"), here().join("standin/environment.c")];
    let tiled = [Path::new("plain.dvm.c"), &harness, &standin[0], &standin[1]];
    judge.gcc(&[dialect.level], &tiled, "tiled").map_err(|e| format!("gcc refuses the generated text: {e}"))?;
    let backwards = backwards(&judge, cases, &apart, &skipped)?;
    let mut first: Option<Left> = None;
    let mut ran = BTreeSet::new();
    for setting in &SETTINGS {
        let checked = setting[3] == "1";
        let (output, found) = judge.run("tiled", &skipped, Some(setting));
        if !text(&output.stdout).ends_with("done\n") {
            let last = text(&output.stderr).lines().rfind(|l| l.starts_with("call ")).unwrap_or("").to_owned();
            let number = last.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
            let why = format!("{setting:?}: {last} ends by {:?}", output.status);
            judged.wrong.insert(number, why);
            continue;
        }
        let (reported, unchecked) = reports(&text(&output.stderr));
        for (place, (bytes, loose, tiles)) in &found {
            let (number, call) = *place;
            let case = &cases[number];
            let Some((right, _, _)) = expected.get(place) else { continue };
            judged.tiles += tiles;
            if *tiles > 1 {
                ran.insert(number);
            }
            let asserted = case.claim == Claim::None || case.claim == Claim::True && is_apart(call);
            let compared = checked && case.seen && !unchecked.contains(place);
            if (compared || asserted) && bytes != right {
                judged.wrong.entry(number).or_insert(format!("{setting:?}, call {call}: other bytes"));
            }
            let same = first.as_ref().is_none_or(|first| first.get(place).is_none_or(|(_, other, _)| other == loose));
            if !checked && asserted && !same {
                judged.wrong.entry(number).or_insert(format!("{setting:?}, call {call}: another reduction"));
            }
            if !checked {
                continue;
            }
            let told = reported.get(place);
            if let Some(line) = told.filter(|_| asserted) {
                judged.wrong.entry(number).or_insert(format!("call {call}: a right region is reported: {line}"));
            }
            let differs = backwards.get(place).is_some_and(|(other, _, _)| other != right);
            judged.false_claims += usize::from(differs && *tiles > 0);
            if differs && told.is_some() {
                judged.told += 1;
            }
            let silent = told.is_none() && !unchecked.contains(place);
            if differs && silent && case.seen && is_apart(call) && *tiles > 0 && !sequential.contains(&number) {
                judged.wrong.entry(number).or_insert(format!("call {call}: a false assertion is not reported"));
            }
        }
        first.get_or_insert(found);
    }
    judged.ran = ran
        .iter()
        .filter(|number| !sequential.contains(number))
        .map(|k| cases[*k].text.matches("dvm region").count())
        .sum();
    if !judged.wrong.is_empty() {
        // What gcc's own optimised program leaves otherwise is not defined after all.
        judge.gcc(&["-O2"], &[plain, &harness], "optimised").map_err(|e| format!("the generator's program: {e}"))?;
        let (_, optimised) = judge.run("optimised", &skipped, None);
        let same = |number: usize| {
            expected
                .iter()
                .filter(|(place, _)| place.0 == number)
                .all(|(place, left)| optimised.get(place).is_some_and(|other| other.0 == left.0))
        };
        judged.wrong.retain(|number, _| same(*number));
    }
    Ok(judged)
}

/// Whether nothing shares storage in this call: the first ones of the harness.
fn is_apart(call: usize) -> bool {
    call < 7
}

/// What the false assertions may leave: each `independent` loop backwards.
fn backwards(judge: &Judge, cases: &[Case], apart: &str, skipped: &BTreeSet<(usize, usize)>) -> Result<Left, String> {
    if cases.iter().all(|case| case.claim != Claim::Unknown) {
        return Ok(Left::new());
    }
    let texts: Vec<&str> = cases
        .iter()
        .map(|c| if c.claim == Claim::Unknown { &c.backwards } else { &c.text })
        .map(String::as_str)
        .collect();
    judge.folder.write("backwards.c", apart.to_owned() + &program(&texts, judge.dialect));
    let harness = here().join("crossings/harness.c");
    let sanitizers = ["-O0", "-DJUDGE", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    judge
        .gcc(&sanitizers, &[Path::new("backwards.c"), &harness], "backwards")
        .map_err(|e| format!("the generator's program: {e}"))?;
    Ok(judge.run("backwards", skipped, None).1)
}

/// A function and a call of it.
type CallPlace = (usize, usize);

/// The first line that a check wrote in each call, and the calls in which a region was not checked since what it writes
/// depends on data.
fn reports(errors: &str) -> (BTreeMap<CallPlace, String>, BTreeSet<CallPlace>) {
    let (mut all, mut unchecked, mut place) = (BTreeMap::new(), BTreeSet::new(), (0, 0));
    for line in errors.lines() {
        if let Some((number, call)) = line.strip_prefix("call ").and_then(|rest| rest.split_once(' ')) {
            place = (number.parse().unwrap_or(0), call.parse().unwrap_or(0));
        } else if line.contains("by the tiles") {
            all.entry(place).or_insert_with(|| line.to_owned());
        } else if line.contains("is not checked") && line.contains("depends on data") {
            unchecked.insert(place);
        }
    }
    (all, unchecked)
}
