//! Four workers on each PU: nothing hangs, whatever the workers do to each other.
#![allow(unsafe_code, reason = "calls the C interface")]

mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use support::*;

/// A program that makes no progress for so long hangs.
const PATIENCE: Duration = Duration::from_mins(1);

static PROGRESS: AtomicU64 = AtomicU64::new(0);

/// Aborts when nothing goes on any more: there is no other way out of a wait that does not return.
fn watch() {
    std::thread::spawn(|| {
        let (mut last, mut since) = (u64::MAX, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = PROGRESS.load(Ordering::Relaxed);
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() > PATIENCE {
                eprintln!("no task has run for {PATIENCE:?}, after {now}");
                std::process::abort();
            }
        }
    });
}

/// Tokens that go round over all workers, a ring with a look at the neighbours, and bursts with pauses, in which all
/// workers go to sleep and are woken together.
#[test]
fn four_workers_on_each_pu_never_hang() {
    const TOKENS: u64 = 3;
    const HOPS: u64 = 20_000;
    let _turn = turn();
    watch();
    let pus = std::thread::available_parallelism().unwrap().get();
    workers(4 * pus);
    init().unwrap();
    let count = count();
    let ranks: Arc<Vec<Rank>> = Arc::new((0..count).map(rank_at).collect());
    let hop: Arc<OnceLock<Id>> = Arc::default();
    let (this, places) = (Arc::clone(&hop), Arc::clone(&ranks));
    let id = processing(&[IN], c"hop", move |ids| {
        PROGRESS.fetch_add(1, Ordering::Relaxed);
        let left = value(ids[0]).unwrap();
        if left > 0 {
            let next = (left * 7 + left / 3) % places.len() as u64;
            onto(places[next as usize], *this.get().unwrap(), &[number(left - 1)]).unwrap();
        }
        0
    });
    hop.set(id).unwrap();
    for token in 0..TOKENS {
        onto(ranks[token as usize % ranks.len()], id, &[number(HOPS)]).unwrap();
    }
    wait().unwrap();
    assert_eq!(PROGRESS.load(Ordering::Relaxed), TOKENS * (HOPS + 1));
    let leaf = processing(&[], c"leaf", |_| {
        PROGRESS.fetch_add(1, Ordering::Relaxed);
        0
    });
    for burst in 0..200_u64 {
        for turn in 0..burst {
            if turn % 2 == 0 {
                near(leaf, &[]).unwrap();
            } else {
                onto(ranks[turn as usize % ranks.len()], leaf, &[]).unwrap();
            }
        }
        wait().unwrap();
        if burst % 10 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    finalize().unwrap();
}
