//! Smaller cases.

/// The smallest case that still fails, and what is wrong with it: `smaller` lists cases that are simpler by one step,
/// `wrong` runs one.
pub fn smallest<T, E>(
    case: T,
    why: E,
    smaller: impl Fn(&T) -> Vec<T>,
    mut wrong: impl FnMut(&T) -> Option<E>,
) -> (T, E) {
    let mut found = (case, why);
    while let Some(next) = smaller(&found.0).into_iter().find_map(|case| wrong(&case).map(|why| (case, why))) {
        found = next;
    }
    found
}

#[test]
fn only_what_fails_is_left() {
    let without_one =
        |list: &Vec<u32>| (0..list.len()).map(|at| [&list[..at], &list[at + 1..]].concat()).collect::<Vec<_>>();
    let wrong = |list: &Vec<u32>| (list.contains(&3) && list.contains(&5)).then(|| format!("{list:?}"));
    let found = smallest((0..9).collect(), String::from("all"), without_one, wrong);
    assert_eq!(found, (vec![3, 5], String::from("[3, 5]")));
}
