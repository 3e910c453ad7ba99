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
