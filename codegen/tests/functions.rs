//! Random functions around regions: the transformed text touches memory as the original does, whatever the sizes, the
//! tile sizes, the order of tiles and the number of workers.
//!
//! `DVM_TEST_BATCH` sets how many functions share a file (64), `DVM_TEST_THREADS` how many files are tried at a time (2),
//! `DVM_TEST_SHOWN` how many wrong functions are made smaller and shown (1), `DVM_TEST_SHRINK` with how many tries each
//! (600). `DVM_TEST_KEEP` goes on after a difference, `DVM_TEST_MESSAGES` shows why regions are refused, `DVM_TEST_ONLY`
//! leaves out functions that do not contain its text.
//! Each run prints a line for the ledger: first seed, last seed, regions, accepted, different.

#[path = "functions/mod.rs"]
mod generator;

use generator::batch::{self, Finding};
use generator::function::{self, Unit};
use generator::tally::Tally;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use testkit::setting;

/// The smallest function that still fails as this one does.
fn shrunk(finding: &Finding) -> String {
    let Unit { seed, kinds, leaves_rows, .. } = finding.unit.clone();
    // A function that gcc or clang does not accept is no answer to one that differs.
    let kind = |what: &str| what.split(' ').take(3).collect::<Vec<_>>().join(" ");
    let wanted = kind(&finding.what);
    let fails = |text: &generator::tree::Node| {
        let unit = Unit { seed, text: text.clone(), kinds: kinds.clone(), leaves_rows };
        let found = batch::run(&[unit], &finding.optimise, &mut Tally::default());
        found
            .iter()
            .any(|f| kind(&f.what) == wanted || (wanted.starts_with("differs") && f.what.starts_with("differs")))
    };
    let text = finding.unit.text.clone().shrink(setting("DVM_TEST_SHRINK").unwrap_or(600) as usize, &fails);
    Unit { seed, text, kinds, leaves_rows }.source()
}

/// Tries the functions of a range of seeds on several threads.
fn tried(first: u64, count: u64) -> (Tally, Vec<Finding>) {
    let size = setting("DVM_TEST_BATCH").unwrap_or(64);
    let (next, stop) = (AtomicU64::new(first), AtomicBool::new(false));
    let all = Mutex::new((Tally::default(), Vec::new()));
    let keep = setting("DVM_TEST_KEEP").is_some();
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let begin = next.fetch_add(size, Ordering::Relaxed);
            if begin >= first + count {
                return;
            }
            let mut units: Vec<Unit> = (begin..(begin + size).min(first + count)).map(function::unit).collect();
            if let Ok(part) = std::env::var("DVM_TEST_ONLY") {
                units.retain(|unit| unit.source().contains(&part));
            }
            if units.is_empty() {
                continue;
            }
            let mut tally = Tally::default();
            let findings = batch::run(&units, optimise(begin), &mut tally);
            tally.different += findings.len();
            stop.fetch_or(!findings.is_empty() && !keep, Ordering::Relaxed);
            let mut all = all.lock().expect("no thread failed");
            for finding in &findings {
                println!("DVM_TEST_SEED={}: {}", finding.unit.seed, finding.what);
            }
            all.0.add(tally);
            all.1.extend(findings);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..setting("DVM_TEST_THREADS").unwrap_or(2) {
            let thread = std::thread::Builder::new().stack_size(1 << 28);
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
    all.into_inner().expect("no thread failed")
}

/// A function whose undefined behaviour the sanitizer of undefined behaviour does not see, written by hand.
fn undefined(seed: u64, body: &str) -> Unit {
    let run = "static void run_@(unsigned char *m_, int z_) { (void)z_; f_@(m_, (double *)(m_ + 16384), (double *)(m_ + 16384) + 1); }\n";
    let text = format!("static void f_@(void *given, double *restrict a, double *restrict b)\n{{\n{body}}}\n{run}");
    Unit { seed, text: generator::tree::join![text], kinds: "dd".to_owned(), leaves_rows: false }
}

/// Each test has the folder for itself, and removes it.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn functions_that_are_not_defined_are_discarded() {
    let alone = ALONE.lock();
    let region = "#pragma dvm region\n";
    let before_an_array = format!(
        "  double own[160];\n  __builtin_memcpy(own, given, sizeof own);\n  double *p = own;\n{region}\
         for (int i = -24; i < 9; i++)\n    a[i + 24] = p[i];\n"
    );
    let overlapping = format!("{region}for (int i = 0; i < 9; i++)\n    b[i] = a[i] + 1;\n");
    let units = [undefined(1, &before_an_array), undefined(2, &overlapping)];
    let mut tally = Tally::default();
    let findings = batch::run(&units, "-O0", &mut tally);
    batch::clean();
    drop(alone);
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!((tally.undefined, tally.accepted), (2, 0));
}

/// The level for the transformed text.
fn optimise(seed: u64) -> &'static str {
    if seed / 64 % 8 == 7 { "-O1" } else { "-O0" }
}

#[test]
fn random_functions_touch_the_same_bytes() {
    let alone = ALONE.lock();
    let (first, count) = testkit::seeds_from(1, 32).range();
    if count == 1 {
        println!("{}", function::unit(first).source());
    }
    let (tally, findings) = tried(first, count);
    print!("{}", tally.text(12));
    println!("ledger functions {first} {} {} {} {}", first + count - 1, tally.regions, tally.accepted, tally.different);
    for finding in findings.iter().take(setting("DVM_TEST_SHOWN").unwrap_or(1) as usize) {
        println!("DVM_TEST_SEED={} as small as it fails:\n{}", finding.unit.seed, shrunk(finding));
    }
    batch::clean();
    drop(alone);
    assert!(findings.is_empty(), "{} functions differ", findings.len());
    assert!(
        count < 40 || tally.accepted * 5 > tally.regions * 2,
        "only {} of {} regions were accepted",
        tally.accepted,
        tally.regions
    );
}
