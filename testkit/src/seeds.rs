//! Which cases a random test runs: each case is a function of its seed.
//!
//! `DVM_TEST_SEED` runs one case, `DVM_TEST_FIRST` sets the first seed, `DVM_TEST_CASES` the number of cases. A case that
//! panics prints the seed that replays it.

use std::time::{SystemTime, UNIX_EPOCH};

/// A number from the environment.
pub fn setting(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

/// Whether the environment chooses the cases: what a test demands of all its cases together does not hold then.
pub fn selected() -> bool {
    setting("DVM_TEST_SEED").is_some() || setting("DVM_TEST_CASES").is_some()
}

/// The seeds of so many cases, from a fresh one on.
pub fn seeds(cases: u64) -> Seeds {
    costly_seeds(cases, 1)
}

/// The same where a case costs as much as `cost` usual ones: `DVM_TEST_CASES` means usual ones.
pub fn costly_seeds(cases: u64, cost: u64) -> Seeds {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_nanos() as u64);
    Seeds::new(now, setting("DVM_TEST_CASES").map_or(cases, |cases| cases.div_ceil(cost)))
}

/// The seeds of so many cases, from `first` on: the test always runs the same ones.
pub fn seeds_from(first: u64, cases: u64) -> Seeds {
    Seeds::new(first, setting("DVM_TEST_CASES").unwrap_or(cases))
}

/// The seeds of a test's cases.
pub struct Seeds {
    first: u64,
    /// The number of cases.
    pub cases: u64,
    begun: u64,
}

impl Seeds {
    fn new(first: u64, cases: u64) -> Seeds {
        let (first, cases) = match setting("DVM_TEST_SEED") {
            Some(seed) => (seed, 1),
            None => (setting("DVM_TEST_FIRST").unwrap_or(first), cases),
        };
        println!("seeds from {first}");
        Seeds { first, cases, begun: 0 }
    }

    /// The first seed and the number of cases, for a test that tries many at a time.
    pub fn range(&self) -> (u64, u64) {
        (self.first, self.cases)
    }

    fn seed(&self, case: u64) -> u64 {
        self.first.wrapping_add(case)
    }
}

impl Iterator for Seeds {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.begun == self.cases {
            return None;
        }
        self.begun += 1;
        Some(self.seed(self.begun - 1))
    }
}

impl Drop for Seeds {
    fn drop(&mut self) {
        if self.begun > 0 && std::thread::panicking() {
            println!("DVM_TEST_SEED={} replays the case", self.seed(self.begun - 1));
        }
    }
}

#[test]
fn the_case_that_fails_can_be_replayed() {
    let mut seeds = Seeds { first: u64::MAX, cases: 2, begun: 0 };
    assert_eq!((seeds.next(), seeds.next(), seeds.next()), (Some(u64::MAX), Some(0), None));
    assert_eq!(seeds.seed(seeds.begun - 1), 0);
}

#[test]
fn a_case_that_panics_prints_the_seed_that_replays_it() {
    if crate::playing() {
        return seeds_from(40, 10).for_each(|seed| assert_ne!(seed, 43));
    }
    let fails = |variable: &str, value: &str| {
        let mut part = crate::part("seeds::a_case_that_panics_prints_the_seed_that_replays_it");
        for variable in ["DVM_TEST_SEED", "DVM_TEST_FIRST", "DVM_TEST_CASES"] {
            part.env_remove(variable);
        }
        let output = part.env(variable, value).output().expect("the part runs");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.success(), !told.contains("DVM_TEST_SEED=43 replays the case"), "{told}");
        !output.status.success()
    };
    assert!(fails("DVM_TEST_CASES", "10") && fails("DVM_TEST_SEED", "43"));
    assert!(!fails("DVM_TEST_SEED", "44") && !fails("DVM_TEST_FIRST", "44") && !fails("DVM_TEST_CASES", "3"));
}
