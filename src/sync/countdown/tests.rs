//! The table of counters under threads.

use super::*;
use testkit::Random;

fn arrive(countdown: &Countdown, key: u64, total: u64) -> bool {
    countdown.arrive(countdown.table_in_use(), key, || total)
}

#[test]
fn a_key_is_done_with_its_last_input_only() {
    for alone in [false, true] {
        let countdown = Countdown::new(1000, 10, alone);
        assert!((0..1000).all(|key| arrive(&countdown, key, 1)), "one input: at once");
        for round in 1..=3 {
            assert!((0..1000).all(|key| arrive(&countdown, key, 3) == (round == 3)));
        }
        assert_eq!(countdown.left(), (0, None));
        assert!(!arrive(&countdown, 5, 2));
        assert_eq!(countdown.left(), (1, Some(5)));
    }
}

/// Against a map: few and many keys in flight, near ones and the greatest there are, counts that fit an entry and that
/// do not.
#[test]
fn the_table_counts_as_a_map_does() {
    for mut random in testkit::seeds(40).map(Random::new) {
        let keys: u64 = *random.pick(&[40, 5000, 1 << 40, i64::MAX as u64 - 1]);
        let countdown = Countdown::new(keys, random.number() % 100, random.one_in(2));
        let (mut model, mut in_flight) = (HashMap::new(), Vec::new());
        let most = 1 + random.below(3000);
        for _ in 0..20_000 {
            let again = in_flight.len() >= most || (!in_flight.is_empty() && random.one_in(2));
            let key: u64 =
                if again { *random.pick(&in_flight) } else { keys - 1 - random.number() % keys.min(1 << 31) };
            let total = (if random.one_in(50) { random.between(65_530, 65_539) } else { random.between(1, 6) }) as u64;
            let left = model.entry(key).or_insert_with(|| {
                in_flight.push(key);
                total
            });
            *left -= 1;
            let last = *left == 0;
            assert_eq!(arrive(&countdown, key, total), last, "key {key} of {keys}");
            if last {
                model.remove(&key);
                in_flight.retain(|&other| other != key);
            }
        }
        let (count, sample) = countdown.left();
        assert_eq!(count, model.len());
        assert!(sample.is_none_or(|key| model.contains_key(&key)));
    }
}

#[test]
fn what_waits_can_be_looked_at() {
    let countdown = Countdown::new(10_000, 10, false);
    for key in 0..3000 {
        arrive(&countdown, key, 2 + key % 3);
    }
    let (count, some) = countdown.some(4);
    assert_eq!((count, some), (3000, vec![(0, 1), (1, 2), (2, 3), (3, 1)]));
    assert_eq!((countdown.missing(2999), countdown.missing(3000)), (Some(3), None));
    arrive(&countdown, 0, 2);
    assert_eq!((countdown.missing(0), countdown.some(1)), (None, (2999, vec![(1, 2)])));
}

#[test]
fn a_greater_table_is_used_when_many_keys_are_in_flight() {
    let countdown = Countdown::new(1 << 30, 1, false);
    let before = countdown.table_in_use();
    let buckets = before.buckets.len();
    assert!((0..20_000).all(|key| !arrive(&countdown, key * 77, 2)));
    assert!(countdown.table_in_use().buckets.len() > buckets);
    assert_eq!(countdown.left().0, 20_000);
    assert!((0..20_000).all(|key| countdown.arrive(before, key * 77, || unreachable!("they are there"))));
    assert_eq!(countdown.left(), (0, None));
}

/// More strays than can be counted are never thought to be gone, nor taken for a moved bucket.
#[test]
fn too_many_strays_stay_too_many() {
    let many = (0..40_000).fold(VERSION, |state, _| one_stray_more(state));
    assert_eq!((many, one_stray_less(many)), (VERSION | MANY, VERSION | MANY));
    assert_ne!((u64::MAX - STRAYS) | MANY, MOVED);
    assert_eq!(one_stray_less(one_stray_more(VERSION)), VERSION);
}

/// Each of several threads brings two of a key's inputs, in an order of its own.
#[test]
fn one_thread_has_the_last_input_of_each_key() {
    const KEYS: u64 = 20_000;
    const THREADS: u64 = 4;
    let countdown = Countdown::new(KEYS, 1, false);
    let done: Vec<AtomicU64> = (0..KEYS).map(|_| AtomicU64::new(0)).collect();
    let brought: Vec<AtomicU64> = (0..KEYS).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (countdown, done, brought) = (&countdown, &done, &brought);
            scope.spawn(move || {
                for step in 0..2 * KEYS {
                    // Odd factors that 20,000 has not: each key comes twice.
                    let key = (step * [1, 3, 7, 9][thread as usize] + thread * 11) % KEYS;
                    brought[key as usize].fetch_add(1, Ordering::Relaxed);
                    if arrive(countdown, key, 2 * THREADS) {
                        assert_eq!(brought[key as usize].load(Ordering::Relaxed), 2 * THREADS);
                        done[key as usize].fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1));
    assert_eq!(countdown.left(), (0, None));
}
