//! Which task runs when and where: placed tasks in the order of readiness, near tasks stolen, none starved.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use support::*;

#[test]
fn a_worker_takes_its_tasks_in_the_order_of_readiness() {
    with_engine(|| {
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let theirs = order.clone();
        let note = processing(&[IN, IN], c"note", move |ids| {
            theirs.lock().unwrap().push(value(ids[1]).unwrap());
            0
        });
        let (first, second) = (promise(0).unwrap(), promise(0).unwrap());
        acquire(first).unwrap();
        onto(rank_at(0), note, &[second, number(3)]).unwrap();
        onto(rank_at(0), note, &[first, number(1)]).unwrap();
        onto(rank_at(0), note, &[first, number(2)]).unwrap();
        publish(first).unwrap();
        publish(second).unwrap();
        wait().unwrap();
        assert_eq!(*order.lock().unwrap(), [1, 2, 3]);
    });
}

/// A task that schedules itself again until the flag is up, on one worker.
fn again_until(flag: Arc<std::sync::atomic::AtomicBool>, placed: bool) -> Id {
    let me = Arc::new(std::sync::OnceLock::new());
    let mine = me.clone();
    let again = processing(&[], c"again", move |_| {
        if !flag.load(Ordering::Acquire) {
            let me = *mine.get().unwrap();
            if placed { onto(here(), me, &[]) } else { near(me, &[]) }.unwrap();
        }
        0
    });
    me.set(again).unwrap();
    again
}

#[test]
fn neither_placed_nor_near_tasks_hold_the_others_back_for_ever() {
    let _turn = turn();
    for placed in [true, false] {
        workers(1);
        init().unwrap();
        let flag = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let again = again_until(flag.clone(), placed);
        let raise = processing(&[], c"raise", move |_| {
            flag.store(true, Ordering::Release);
            0
        });
        if placed { onto(rank_at(0), again, &[]) } else { near(again, &[]) }.unwrap();
        if placed { near(raise, &[]) } else { onto(rank_at(0), raise, &[]) }.unwrap();
        wait().unwrap();
        finalize().unwrap();
    }
}

#[test]
fn a_successor_that_runs_directly_holds_no_placed_task_back_for_ever() {
    let _turn = turn();
    workers(1);
    init().unwrap();
    let flag = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (up, seen) = (flag.clone(), flag);
    let me = Arc::new(std::sync::OnceLock::new());
    let mine = me.clone();
    // Each link of the chain schedules the next one on its own output, whose publication makes it ready.
    let link = processing(&[IN, OUT], c"link", move |ids| {
        if seen.load(Ordering::Acquire) {
            return relax(ids[1]).map_or(1, |()| 0);
        }
        let after = next(ids[1]).unwrap();
        near(*mine.get().unwrap(), &[ids[1], after]).unwrap();
        0
    });
    me.set(link).unwrap();
    let raise = processing(&[], c"raise", move |_| {
        up.store(true, Ordering::Release);
        0
    });
    let first = number(0);
    near(link, &[first, next(first).unwrap()]).unwrap();
    onto(rank_at(0), raise, &[]).unwrap();
    wait().unwrap();
    finalize().unwrap();
    workers(2);
}

#[test]
fn stealable_tasks_are_stolen_and_placed_ones_never() {
    with_engine(|| {
        let blocked = Arc::new(Barrier::new(2));
        let theirs = blocked.clone();
        let block = processing(&[], c"block", move |_| {
            theirs.wait();
            0
        });
        let ranks = Arc::new(std::sync::Mutex::new(Vec::new()));
        let noted = ranks.clone();
        let note = processing(&[IN], c"note", move |_| {
            noted.lock().unwrap().push(here());
            0
        });
        let home = processing(&[OUT], c"home", |_| 0);
        let datum = promise(8).unwrap();
        onto(rank_at(0), home, &[datum]).unwrap();
        wait().unwrap();
        onto(rank_at(0), block, &[]).unwrap();
        for _ in 0..10 {
            acquire(datum).unwrap();
            acquire(datum).unwrap();
            near(note, &[datum]).unwrap();
            onto(rank_at(0), note, &[datum]).unwrap();
        }
        let end = Instant::now() + Duration::from_mins(1);
        while ranks.lock().unwrap().len() < 10 && Instant::now() < end {
            std::thread::yield_now();
        }
        assert_eq!(*ranks.lock().unwrap(), [rank_at(1); 10]);
        // The last task has told its rank, and ends a moment later.
        until(|| load(rank_at(1)) == 0 || Instant::now() > end);
        assert_eq!((load(rank_at(0)), load(rank_at(1))), (11, 0));
        blocked.wait();
        wait().unwrap();
        assert_eq!(ranks.lock().unwrap()[10..], [rank_at(0); 10]);
        relax(datum).unwrap();
    });
}

#[test]
fn tasks_without_arguments_are_stolen_from_the_task_that_made_them_and_counted_where_they_run() {
    with_engine(|| {
        let ranks = Arc::new(std::sync::Mutex::new(Vec::new()));
        let (noted, seen) = (ranks.clone(), ranks.clone());
        let note = processing(&[], c"note", move |_| {
            noted.lock().unwrap().push(here());
            0
        });
        let spawn = processing(&[], c"spawn", move |_| {
            for _ in 0..10 {
                near(note, &[]).unwrap();
            }
            let end = Instant::now() + Duration::from_mins(1);
            while seen.lock().unwrap().len() < 10 && Instant::now() < end {
                std::thread::yield_now();
            }
            // This task still runs, and the last of the others may be about to end.
            c_int::from(load(rank_at(0)) != 1 || load(rank_at(1)) > 1)
        });
        onto(rank_at(0), spawn, &[]).unwrap();
        wait().unwrap();
        assert_eq!(*ranks.lock().unwrap(), [rank_at(1); 10]);
        assert_eq!((load(rank_at(0)), load(rank_at(1))), (0, 0));
    });
}

#[test]
fn tasks_without_arguments_that_a_task_has_made_fail_and_end_as_others_do() {
    with_engine(|| {
        let datum = number(7);
        let fails = processing(&[], c"fails at the end", move |_| {
            // A get without put: the task's end puts.
            c_int::from(value_kept(datum) == 7) * 5
        });
        let panics = processing(&[], c"panics", |_| panic!("on purpose"));
        let spawn = processing(&[], c"spawn", move |_| {
            for id in [fails, panics, fails] {
                near(id, &[]).unwrap();
            }
            0
        });
        near(spawn, &[]).unwrap();
        assert_eq!(wait(), Err(Code::DVM_ERR_TASK));
        let message = last_error();
        assert!(message.contains("3 tasks failed"), "{message}");
        let firsts = ["'fails at the end' returned 5 on rank", "'panics' panicked (on purpose) on rank"];
        assert!(firsts.iter().any(|first| message.contains(first)), "{message}");
        // Only its reference keeps the datum.
        assert_eq!(put(datum), Err(Code::DVM_ERR_STATE));
        relax(datum).unwrap();
        assert_eq!(acquire(datum), Err(Code::DVM_ERR_ID));
    });
}

/// Gets a datum and does not put it.
fn value_kept(datum: Id) -> u64 {
    unsafe { *get(datum).unwrap().0 }
}
