//! Variables of the environment that look like misspelt ones of libdvm.

use std::env;

use super::KNOBS;

/// Variables of the programs, and prefixes of those of the tests.
const OTHERS: [&str; 5] = ["DVM_CC", "DVM_CLANG", "DVM_FC", "DVM_FLANG", "DVM_PREFIX"];
const TESTS: [&str; 3] = ["DVM_TEST_", "DVM_BLESS", "DVM_SANITIZER"];

/// How many letters may be wrong, missing or too many.
const MOST_WRONG: usize = 2;

/// A variable that is set and that nothing reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misspelling {
    /// Its name.
    pub variable: String,
    /// The variable that is probably meant.
    pub meant: &'static str,
}

/// The misspelt variables of the process's environment.
pub(crate) fn misspellings() -> Vec<Misspelling> {
    let mut names: Vec<String> = env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    names.sort();
    names.into_iter().filter_map(misspelling).collect()
}

fn misspelling(variable: String) -> Option<Misspelling> {
    let known = OTHERS.contains(&variable.as_str()) || KNOBS.iter().any(|knob| knob.variable == variable);
    if known || !variable.starts_with("DVM") || TESTS.iter().any(|prefix| variable.starts_with(prefix)) {
        return None;
    }
    let nearest = KNOBS.iter().map(|knob| (distance(&variable, knob.variable), knob.variable)).min()?;
    (nearest.0 <= MOST_WRONG).then_some(Misspelling { variable, meant: nearest.1 })
}

/// The number of letters to change, insert or remove.
fn distance(one: &str, other: &str) -> usize {
    let other = other.as_bytes();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (at, wanted) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *wanted);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(variable: &str) -> Option<&'static str> {
        misspelling(variable.to_owned()).map(|found| found.meant)
    }

    #[test]
    fn near_names_are_found_and_others_are_left_alone() {
        assert_eq!(meant("DVM_WORKER"), Some("DVM_WORKERS"));
        assert_eq!(meant("DVM_TILES"), Some("DVM_TILE"));
        assert_eq!(meant("DVM_VERBSOE"), Some("DVM_VERBOSE"));
        assert_eq!(meant("DVMWORKERS"), Some("DVM_WORKERS"));
        for name in
            ["DVM_WORKERS", "DVM_CC", "DVM_CLANG", "DVM_TEST_SEED", "DVM_FRUIT_SALAD", "PATH", "OMP_NUM_THREADS"]
        {
            assert_eq!(meant(name), None, "{name}");
        }
    }

    #[test]
    fn distances_count_letters() {
        for (one, other, letters) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("ab", "ba", 2)] {
            assert_eq!((distance(one, other), distance(other, one)), (letters, letters));
        }
    }
}
