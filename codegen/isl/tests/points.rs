//! Points of sets and of maps, as numbers.

use dvm_isl::{Ctx, Map, Set};

fn points(text: &str, most: usize) -> Option<Vec<Vec<i64>>> {
    let set = Set::parse(&Ctx::new(100_000), text).expect("a set");
    set.points(most).expect("points").map(|mut points| {
        points.sort();
        points
    })
}

#[test]
fn points_of_a_set() {
    assert_eq!(points("{ S[i, j] : 0 <= i <= j < 2 }", 10), Some(vec![vec![0, 0], vec![0, 1], vec![1, 1]]));
    assert_eq!(points("{ S[i] : 3 <= i < 3 }", 10), Some(vec![]));
    assert_eq!(points("{ S[-5] }", 1), Some(vec![vec![-5]]));
}

#[test]
fn too_many_points_or_no_end() {
    assert_eq!(points("{ S[i] : 0 <= i < 11 }", 10), None);
    assert_eq!(points("{ S[i] : 0 <= i < 10 }", 10).map(|points| points.len()), Some(10));
    assert_eq!(points("{ S[i] : i >= 0 }", 10), None);
}

#[test]
fn pairs_of_a_map() {
    let map = Map::parse(&Ctx::new(100_000), "{ S[i] -> T[i + 1, 2] : i = 4 }").expect("a map");
    assert_eq!(map.wrap().expect("a set").points(5).expect("points"), Some(vec![vec![4, 5, 2]]));
}

/// Of a number that does not fit isl answers 0, which would be taken for one.
#[test]
fn constants_are_told_when_they_fit() {
    let ctx = dvm_isl::Ctx::new(100_000);
    for (text, number) in [
        ("{ [5] }", Some(5)),
        ("{ [-9223372036854775808] }", Some(i64::MIN)),
        ("{ [9223372036854775808] }", None),
        ("{ [i] : 0 <= i < 2 }", None),
    ] {
        assert_eq!(dvm_isl::Set::parse(&ctx, text).expect("a set").fixed(0), number, "{text}");
    }
    let far = dvm_isl::Map::parse(&ctx, "{ S[i] -> [i, 18446744073709551616, -7] }").expect("a map");
    assert_eq!([far.fixed_output(0), far.fixed_output(1), far.fixed_output(2)], [None, None, Some(-7)]);
}
