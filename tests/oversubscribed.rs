//! Many more workers than PUs: nothing hangs.
#![allow(unsafe_code, reason = "calls the C interface")]

mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use support::*;

static PROGRESS: AtomicU64 = AtomicU64::new(0);

/// Tokens that go round over all workers, a ring with a look at the neighbours, and bursts with pauses, in which all
/// workers go to sleep and are woken together.
#[test]
fn four_workers_on_each_pu_never_hang() {
    const TOKENS: u64 = 3;
    const HOPS: u64 = 20_000;
    let _turn = turn();
    watch(&PROGRESS, |ran| format!("no task runs any more, after {ran}"));
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
    PROGRESS.store(0, Ordering::Relaxed);
}

/// So many workers that sets say who has something to steal, and who sleeps: what a worker leaves that is busy itself is found,
/// whether the others sleep, are about to, or look around.
#[test]
fn among_many_workers_what_a_busy_one_has_is_stolen() {
    const WORKERS: usize = 150;
    const CHILDREN: u64 = 8;
    const ROUNDS: u64 = 300;
    let _turn = turn();
    watch(&PROGRESS, |ran| format!("nobody steals any more, after {ran} tasks"));
    workers(WORKERS);
    init().unwrap();
    let ranks: Vec<Rank> = (0..count()).map(rank_at).collect();
    let child = processing(&[], c"child", |_| {
        PROGRESS.fetch_add(1, Ordering::Relaxed);
        0
    });
    // Waits for its children, which therefore others run.
    let parent = processing(&[], c"parent", move |_| {
        let before = PROGRESS.load(Ordering::Relaxed);
        for _ in 0..CHILDREN {
            near(child, &[]).unwrap();
        }
        while PROGRESS.load(Ordering::Relaxed) < before + CHILDREN {
            std::thread::yield_now();
        }
        0
    });
    for round in 0..ROUNDS {
        onto(ranks[(round * 37) as usize % ranks.len()], parent, &[]).unwrap();
        wait().unwrap();
        // By then most workers sleep, or none.
        std::thread::sleep(Duration::from_micros(round % 5 * 700));
    }
    assert_eq!(PROGRESS.load(Ordering::Relaxed), ROUNDS * CHILDREN);
    finalize().unwrap();
    PROGRESS.store(0, Ordering::Relaxed);
}

/// Near tasks that only end once many of them run at the same time: whoever is left to look around for them must have seen each, and
/// all sleepers that are needed must have been woken.
#[test]
fn near_tasks_of_many_workers_all_find_somebody() {
    const WORKERS: usize = 130;
    const TOGETHER: u64 = 60;
    let _turn = turn();
    watch(&PROGRESS, |ran| format!("near tasks wait for others that nobody runs, after {ran}"));
    workers(WORKERS);
    init().unwrap();
    let inside: &'static AtomicU64 = Box::leak(Box::default());
    let wanted: &'static AtomicU64 = Box::leak(Box::default());
    let meets = processing(&[], c"meets", move |_| {
        inside.fetch_add(1, Ordering::SeqCst);
        while inside.load(Ordering::SeqCst) < wanted.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_micros(200)); // takes no CPU, and no blocking section
        }
        PROGRESS.fetch_add(1, Ordering::Relaxed);
        0
    });
    let short = processing(&[], c"short", |_| 0);
    // Where they come from: a thread of the program, or one task, which has them all in its own queue.
    let many = processing(&[], c"many", move |_| {
        (0..TOGETHER).for_each(|_| near(meets, &[]).unwrap());
        0
    });
    for round in 0..150_u64 {
        inside.store(0, Ordering::SeqCst);
        wanted.store(TOGETHER, Ordering::SeqCst);
        if round % 3 == 0 {
            near(many, &[]).unwrap();
        } else {
            (0..TOGETHER).for_each(|_| near(meets, &[]).unwrap());
        }
        wait().unwrap();
        // Some rounds begin while everybody sleeps, some while all look around.
        match round % 5 {
            0 => std::thread::sleep(Duration::from_millis(10)),
            1 => (0..round).for_each(|_| near(short, &[]).unwrap()),
            _ => {}
        }
    }
    finalize().unwrap();
    PROGRESS.store(0, Ordering::Relaxed);
}
