//! Clauses of the pragma that may make a refused region parallel, for the remedies.

use crate::Refusal;
use crate::model::{AccessKind, Array, Region, Statement, Storage};
use crate::refusal::Code;

/// The largest number of variables that a remedy names.
const MOST_NAMES: usize = 8;

/// The clause that may remove the dependences by a variable of the function.
pub fn for_dependence(array: &Array) -> Option<String> {
    let name = &array.name;
    let own = array.storage == Storage::Object && !array.global;
    let otherwise = "; otherwise leave the region sequential";
    match array.dims.len() {
        0 => Some(format!(
            "if `{name}` is a sum, product, minimum or maximum over all iterations, add `reduction(+:{name})` (or `*`, \
             `min`, `max`) to the pragma{otherwise}"
        )),
        _ if own => Some(format!(
            "if each iteration of the outermost loop writes what it reads of `{name}`, and nothing reads it afterwards, \
             add `private({name})` to the pragma{otherwise}"
        )),
        _ => None,
    }
}

/// A refusal; if the region is too large for the analysis, its remedy also names variables that iterations may have of
/// their own, which are a large part of the dependences.
pub fn with_private(region: &Region, refusal: Refusal) -> Refusal {
    let names: Vec<&str> = per_iteration(region).collect();
    if refusal.code != Code::AnalysisLimit || names.is_empty() {
        return refusal;
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let remedy = format!(
        "{}; or, if each iteration of the outermost loop writes what it reads of {}, and nothing reads that afterwards, add \
         `private({})` to the pragma",
        refusal.remedy,
        quoted.join(", "),
        names.join(", ")
    );
    Refusal { remedy, ..refusal }
}

/// Variables that the first statement with them writes and does not read, of which no element follows from the outermost
/// counter.
fn per_iteration(region: &Region) -> impl Iterator<Item = &str> {
    let seems = |array: &&Array| {
        let by = |statement: &Statement| {
            let mut kinds = statement.accesses.iter().filter(|a| a.array == array.symbol).map(|a| a.kind);
            kinds.clone().next().is_some().then(|| kinds.all(|kind| kind == AccessKind::Write))
        };
        let mut accesses = region.statements.iter().flat_map(|s| &s.accesses).filter(|a| a.array == array.symbol);
        array.storage == Storage::Object
            && region.statements.iter().find_map(by) == Some(true)
            && !accesses.any(|access| follows_outermost(&access.relation))
    };
    region.arrays.iter().filter(seems).map(|array| array.name.as_str()).take(MOST_NAMES)
}

/// Whether the elements that a map gives depend on its first coordinate; true if there is none.
fn follows_outermost(relation: &str) -> bool {
    let Some((domain, elements)) = relation.split_once("->").filter(|(domain, _)| domain.contains('{')) else {
        // Parameters come before the map.
        return relation.split_once("->").is_none_or(|(_, map)| follows_outermost(map));
    };
    let first = domain.split_once('{').and_then(|(_, tuple)| tuple.split_once('['));
    let first = first.map_or("", |(_, counters)| counters.trim_start());
    let end = first.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(first.len());
    // isl writes `2i`.
    let mut words = elements.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    end == 0 || words.any(|word| word.trim_start_matches(|c: char| c.is_ascii_digit()) == &first[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `t = a[i]; w[0] = t; a[i] = w[0] + s; s = t;`
    const MODEL: &str = r#"region f
source "f.c" 3
function "f"
context [n] -> { : }
parameter n "n" "int"
array a "a" "double" 8 pointer -
array t "t" "double" 8 object
array w "w" "double" 8 object "2"
array s "s" "double" 8 object
statement S0 4 5
  iterator "i" "int"
  domain [n] -> { S0[i] : 0 <= i and i < n }
  schedule [n] -> { S0[i] -> [0, i, 0] }
  read a [n] -> { S0[i] -> a[i] }
  write t [n] -> { S0[i] -> t[] }
  text "(*t) = a[i];"
statement S1 5 5
  iterator "i" "int"
  domain [n] -> { S1[i] : 0 <= i and i < n }
  schedule [n] -> { S1[i] -> [0, i, 1] }
  read t [n] -> { S1[i] -> t[] }
  write w [n] -> { S1[i] -> w[0] }
  text "w[0] = (*t);"
statement S2 6 5
  iterator "i" "int"
  domain [n] -> { S2[i] : 0 <= i and i < n }
  schedule [n] -> { S2[i] -> [0, i, 2] }
  read w [n] -> { S2[i] -> w[0] }
  read s [n] -> { S2[i] -> s[] }
  write a [n] -> { S2[i] -> a[i] }
  text "a[i] = w[0] + (*s);"
statement S3 7 5
  iterator "i" "int"
  domain [n] -> { S3[i] : 0 <= i and i < n }
  schedule [n] -> { S3[i] -> [0, i, 3] }
  read t [n] -> { S3[i] -> t[] }
  write s [n] -> { S3[i] -> s[] }
  text "(*s) = (*t);"
"#;

    #[test]
    fn maps_that_follow_the_outermost_counter_are_known() {
        assert!(follows_outermost("{ S0[i, j] -> A[i, j + 1] }"));
        assert!(!follows_outermost("{ S0[i, j] -> A[j + 1] }"));
        assert!(!follows_outermost("[n] -> { S0[i, j] -> t[] }"));
        assert!(follows_outermost("[n] -> { S0[i, j] -> t[o] : o = 2i }"));
        assert!(follows_outermost("[n] -> { S0[] -> t[] }"));
    }

    #[test]
    fn only_a_region_that_is_too_large_is_told_about_its_scratch() {
        let region: Region = MODEL.parse().expect("a model");
        let limit = Refusal::new(Code::AnalysisLimit, "too large", "divide it");
        let told = with_private(&region, limit.clone()).remedy;
        assert!(
            told.starts_with("divide it; or, if each ") && told.ends_with("add `private(t, w)` to the pragma"),
            "{told}"
        );
        let other = Refusal::new(Code::NoParallelism, "too large", "divide it");
        assert_eq!(with_private(&region, other).remedy, "divide it");
    }
}
