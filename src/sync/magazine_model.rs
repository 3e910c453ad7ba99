//! Magazines and their depot under loom: the same source, with loom's mutex.

mod magazine_parts {
    /// loom's mutex, which nobody panics under.
    pub(super) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(super) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(super) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            self.0.lock().expect("no thread panics under the lock")
        }
    }
}

#[allow(dead_code, reason = "the model uses its own part")]
#[path = "magazine.rs"]
mod magazine;

use loom::sync::Arc;
use magazine::{Depot, Magazine, Stock};

/// Two threads use up what the other one gives back: no item is with both, and none is lost.
#[test]
fn each_item_is_with_one_thread() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let depot = Arc::new(Depot(magazine_parts::Mutex::new(Stock::EMPTY)));
        let mut mine = Magazine::new();
        mine.make_room(1).unwrap();
        depot.enlarge(3, 0..3_u32, &mut mine, 1).unwrap();
        let other = Arc::clone(&depot);
        let thread = loom::thread::spawn(move || use_up(&other, Magazine::new()));
        let mut all = use_up(&depot, mine);
        all.extend(thread.join().unwrap());
        all.extend(depot.empty());
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2]);
    });
}

/// Takes an item and gives it back, twice; what is left in the magazine.
fn use_up(depot: &Depot<u32>, mut magazine: Magazine<u32>) -> Vec<u32> {
    for _ in 0..2 {
        let item = magazine.take().or_else(|| {
            magazine.make_room(1).unwrap();
            depot.supply(&mut magazine, 1);
            magazine.take()
        });
        item.into_iter().for_each(|item| magazine.give(item, 1, depot));
    }
    magazine.empty().collect()
}
