//! The slab under loom: the same source, with loom's atomics and a first level of one entry.
#![allow(unsafe_code, reason = "the slab itself")]

mod slab_parts {
    pub(super) use loom::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
    pub(super) const FIRST: u32 = 1;
}

#[allow(dead_code, reason = "the model uses its own part")]
#[path = "slab.rs"]
mod slab;

use loom::sync::{Arc, Mutex};
use loom::thread;

use slab::{LEVELS, Slab};
use slab_parts::{AtomicPtr, AtomicU32, Ordering};

fn empty() -> Slab<Entry> {
    Slab {
        levels: std::array::from_fn::<_, LEVELS, _>(|_| AtomicPtr::new(std::ptr::null_mut())),
        length: AtomicU32::new(0),
    }
}

/// An entry with a number that is written after it was made: who sees the entry without what came before sees none.
struct Entry(AtomicU32);

impl Entry {
    fn new(number: u32) -> Entry {
        let entry = Entry(AtomicU32::new(u32::MAX));
        entry.0.store(number, Ordering::Relaxed);
        entry
    }

    fn read(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

fn check(body: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(body);
}

/// Everything below the length is there, also in a level that was just added.
fn read_all(slab: &Slab<Entry>) -> u32 {
    let length = slab.len();
    for index in 0..length {
        let entry = slab.get(index).map(Entry::read);
        assert_eq!(entry.map(|number| number % 10), Some(index));
    }
    length
}

#[test]
fn a_reader_sees_whole_entries_across_levels() {
    check(|| {
        let slab = Arc::new(empty());
        let other = Arc::clone(&slab);
        let reader = thread::spawn(move || {
            let first = read_all(&other);
            assert!(read_all(&other) >= first);
        });
        for number in 0..4 {
            assert_eq!(slab.push(Entry::new(number)), Some(number));
        }
        reader.join().unwrap();
        assert_eq!(read_all(&slab), 4);
    });
}

#[test]
fn two_writers_with_a_lock_give_each_index_once() {
    check(|| {
        let shared = Arc::new((empty(), Mutex::new(())));
        let writers: Vec<_> = (1..=2)
            .map(|writer| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let (slab, lock) = &*shared;
                    let guard = lock.lock().unwrap();
                    let index = slab.len();
                    assert_eq!(slab.push(Entry::new(10 * writer + index)), Some(index));
                    drop(guard);
                    index
                })
            })
            .collect();
        read_all(&shared.0);
        let mut indices: Vec<u32> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        indices.sort_unstable();
        assert_eq!(indices, [0, 1]);
        assert_eq!(read_all(&shared.0), 2);
    });
}
