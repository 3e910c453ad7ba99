//! The meaning of the calls, one rule per test.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use dvm::ffi::c_functions::{
    dvm_init, dvm_process, dvm_processing_register, dvm_processing_register_by_name, dvm_processing_unregister,
    dvm_serve,
};
use support::*;

fn adder() -> Id {
    processing(&[IN, IN, OUT], c"add", |ids| {
        let sum = value(ids[0]).unwrap() + value(ids[1]).unwrap();
        unsafe { *get(ids[2]).unwrap().0 = sum };
        0
    })
}

fn incrementer() -> Id {
    processing(&[IN, OUT], c"increment", |ids| {
        unsafe { *get(ids[1]).unwrap().0 += 1 };
        0
    })
}

#[test]
fn tasks_run_when_their_inputs_are_published() {
    with_engine(|| {
        let add = adder();
        let (a, b, c) = (promise(8).unwrap(), promise(8).unwrap(), promise(8).unwrap());
        near(add, &[b, b, c]).unwrap_err();
        acquire(b).unwrap();
        near(add, &[b, b, c]).unwrap();
        onto(rank_at(1), add, &[a, number(2), b]).unwrap();
        unsafe { *write(a).unwrap().0 = 40 };
        publish(a).unwrap();
        assert_eq!(value(c).unwrap(), 84);
        wait().unwrap();
        relax(c).unwrap();
        for stale in [a, b, c] {
            assert_eq!(acquire(stale), Err(Code::DVM_ERR_ID));
            assert_eq!(get(stale).unwrap_err(), Code::DVM_ERR_ID);
        }
    });
}

#[test]
fn a_call_that_fails_takes_no_reference_and_claims_no_output() {
    with_engine(|| {
        let add = adder();
        let (a, out) = (number(1), promise(8).unwrap());
        for _ in 0..3 {
            assert_eq!(near(add, &[a, [0, 99], out]), Err(Code::DVM_ERR_ID));
            assert_eq!(near(add, &[a, a, out]), Err(Code::DVM_ERR_NO_REFERENCE));
            assert_eq!(near(add, &[a, out, out]), Err(Code::DVM_ERR_STATE));
            assert_eq!(near(add, &[a, out]), Err(Code::DVM_ERR_ARGUMENT));
        }
        acquire(a).unwrap();
        near(add, &[a, a, out]).unwrap();
        assert_eq!(value(out).unwrap(), 2);
        relax(out).unwrap();
    });
}

#[test]
fn references_are_taken_at_scheduling_and_dropped_at_the_end() {
    with_engine(|| {
        let gate = promise(0).unwrap();
        let hold = processing(&[IN, IN], c"hold", |_| 0);
        let datum = number(5);
        onto(rank_at(0), hold, &[datum, gate]).unwrap();
        assert_eq!(relax(datum), Err(Code::DVM_ERR_NO_REFERENCE));
        assert_eq!(near(hold, &[datum, datum]), Err(Code::DVM_ERR_NO_REFERENCE));
        acquire(datum).unwrap();
        assert_eq!(load(rank_at(0)), 1);
        publish(gate).unwrap();
        wait().unwrap();
        assert_eq!(load(rank_at(0)), 0);
        assert_eq!(value(datum).unwrap(), 5);
        relax(datum).unwrap();
        assert_eq!(relax(datum), Err(Code::DVM_ERR_ID));
    });
}

static FREED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count_free(addr: *mut c_void, size: usize) {
    assert_eq!(size, 8);
    assert!(!addr.is_null());
    FREED.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn free_runs_once_after_the_last_reference_and_the_last_put() {
    with_engine(|| {
        FREED.store(0, Ordering::SeqCst);
        let mut memory = 7_u64;
        let id = register((&raw mut memory).cast(), 8, Some(count_free)).unwrap();
        let (addr, _) = get(id).unwrap();
        assert_eq!(addr, &raw mut memory);
        get(id).unwrap();
        relax(id).unwrap();
        put(id).unwrap();
        assert_eq!(FREED.load(Ordering::SeqCst), 0);
        assert_eq!(acquire(id), Err(Code::DVM_ERR_ID));
        put(id).unwrap();
        assert_eq!(FREED.load(Ordering::SeqCst), 1);
        assert_eq!(put(id), Err(Code::DVM_ERR_ID));
    });
    assert_eq!(FREED.load(Ordering::SeqCst), 1);
}

#[test]
fn finalize_frees_what_is_left() {
    let _turn = turn();
    init().unwrap();
    FREED.store(0, Ordering::SeqCst);
    let mut memory = 7_u64;
    let id = register((&raw mut memory).cast(), 8, Some(count_free)).unwrap();
    acquire(id).unwrap();
    get(id).unwrap();
    finalize().unwrap();
    assert_eq!(FREED.load(Ordering::SeqCst), 1);
    init().unwrap();
    assert_eq!(acquire(id), Err(Code::DVM_ERR_ID));
    assert_ne!(allocate(8).unwrap(), id);
    finalize().unwrap();
}

#[test]
fn next_updates_in_place_when_it_holds_the_last_reference() {
    with_engine(|| {
        FREED.store(0, Ordering::SeqCst);
        let increment = incrementer();
        let mut memory = 0_u64;
        let place = &raw mut memory;
        let mut current = register(place.cast(), 8, Some(count_free)).unwrap();
        for step in 0..100 {
            let following = next(current).unwrap();
            onto(rank_at(step % 2), increment, &[current, following]).unwrap();
            current = following;
        }
        assert_eq!(get(current).unwrap().0, place);
        put(current).unwrap();
        assert_eq!(value(current).unwrap(), 100);
        wait().unwrap();
        assert_eq!(FREED.load(Ordering::SeqCst), 0);
        relax(current).unwrap();
        assert_eq!(FREED.load(Ordering::SeqCst), 1);
        assert_eq!(memory, 100);
    });
}

#[test]
fn next_copies_when_somebody_else_still_needs_the_datum() {
    with_engine(|| {
        let increment = incrementer();
        let current = number(1);
        let (first, second) = (next(current).unwrap(), next(current).unwrap());
        acquire(current).unwrap();
        acquire(current).unwrap();
        near(increment, &[current, first]).unwrap();
        near(increment, &[current, second]).unwrap();
        wait().unwrap();
        assert_eq!((value(current), value(first), value(second)), (Ok(1), Ok(2), Ok(2)));
        let held = get(current).unwrap().0;
        let third = next(current).unwrap();
        near(increment, &[current, third]).unwrap();
        assert_eq!(value(third).unwrap(), 2);
        assert_eq!(unsafe { *held }, 1);
        wait().unwrap();
        put(current).unwrap();
        for id in [first, second, third] {
            relax(id).unwrap();
        }
    });
}

#[test]
fn two_successors_of_one_task_begin_alike() {
    with_engine(|| {
        let split = processing(&[OUT, IN, OUT], c"split", |ids| {
            let (low, high) = (get(ids[0]).unwrap().0, get(ids[2]).unwrap().0);
            assert_ne!(low, high);
            unsafe {
                *low += 1;
                *high += 2;
            }
            0
        });
        let datum = number(10);
        let (low, high) = (next(datum).unwrap(), next(datum).unwrap());
        near(split, &[low, datum, high]).unwrap();
        assert_eq!((value(low), value(high)), (Ok(11), Ok(12)));
        wait().unwrap();
        relax(low).unwrap();
        relax(high).unwrap();
    });
}

#[test]
fn next_is_only_the_output_of_a_task_that_reads() {
    with_engine(|| {
        let (increment, add) = (incrementer(), adder());
        let datum = number(1);
        let other = number(2);
        let following = next(datum).unwrap();
        assert_eq!(near(increment, &[other, following]), Err(Code::DVM_ERR_STATE));
        assert_eq!(write(following).unwrap_err(), Code::DVM_ERR_STATE);
        assert_eq!(publish(following), Err(Code::DVM_ERR_STATE));
        near(add, &[datum, other, following]).unwrap();
        assert_eq!(value(following).unwrap(), 3);
        relax(following).unwrap();
    });
}

#[test]
fn a_datum_that_is_carried_on_in_place_cannot_be_kept() {
    with_engine(|| {
        let keep = processing(&[IN, OUT], c"keep", |ids| {
            assert_eq!(acquire(ids[0]), Err(Code::DVM_ERR_STATE));
            0
        });
        let datum = number(1);
        let following = next(datum).unwrap();
        near(keep, &[datum, following]).unwrap();
        wait().unwrap();
        relax(following).unwrap();
    });
}

#[test]
fn promises_have_one_producer_and_are_published_once() {
    with_engine(|| {
        let produce = processing(&[OUT], c"produce", |_| 0);
        let by_hand = promise(8).unwrap();
        unsafe { *write(by_hand).unwrap().0 = 3 };
        assert_eq!(write(by_hand).unwrap_err(), Code::DVM_ERR_STATE);
        assert_eq!(near(produce, &[by_hand]), Err(Code::DVM_ERR_STATE));
        publish(by_hand).unwrap();
        assert_eq!(publish(by_hand), Err(Code::DVM_ERR_STATE));
        assert_eq!(write(by_hand).unwrap_err(), Code::DVM_ERR_STATE);
        assert_eq!(near(produce, &[by_hand]), Err(Code::DVM_ERR_STATE));
        assert_eq!(publish(number(1)), Err(Code::DVM_ERR_STATE));
        let zeros = promise(8).unwrap();
        publish(zeros).unwrap();
        assert_eq!(value(zeros).unwrap(), 0);
        let twice = promise(8).unwrap();
        let both = processing(&[OUT, OUT], c"both", |_| 0);
        assert_eq!(near(both, &[twice, twice]), Err(Code::DVM_ERR_STATE));
        near(produce, &[twice]).unwrap();
        assert_eq!(near(produce, &[twice]), Err(Code::DVM_ERR_STATE));
        wait().unwrap();
    });
}

#[test]
fn a_task_may_publish_early_and_outputs_outlive_their_references() {
    with_engine(|| {
        let (send, receive) = mpsc::channel::<u64>();
        let send = std::sync::Mutex::new(send);
        let read = processing(&[IN], c"read", move |ids| {
            send.lock().unwrap().send(value(ids[0]).unwrap()).unwrap();
            0
        });
        let early = processing(&[OUT], c"early", |ids| {
            unsafe { *get(ids[0]).unwrap().0 = 9 };
            publish(ids[0]).unwrap();
            assert_eq!(publish(ids[0]), Err(Code::DVM_ERR_STATE));
            std::thread::sleep(Duration::from_millis(20));
            assert_eq!(unsafe { *get(ids[0]).unwrap().0 }, 9);
            7
        });
        let out = promise(8).unwrap();
        onto(rank_at(0), read, &[out]).unwrap();
        onto(rank_at(1), early, &[out]).unwrap();
        assert_eq!(receive.recv_timeout(Duration::from_mins(1)).unwrap(), 9);
        assert_eq!(wait(), Err(Code::DVM_ERR_TASK));

        let out = promise(8).unwrap();
        let gate = promise(0).unwrap();
        let late = processing(&[IN, OUT], c"late", |ids| {
            unsafe { *get(ids[1]).unwrap().0 = 9 };
            0
        });
        near(late, &[gate, out]).unwrap();
        relax(out).unwrap();
        assert_eq!(acquire(out), Err(Code::DVM_ERR_ID));
        publish(gate).unwrap();
        wait().unwrap();
    });
}

/// A task that reads an early output in place must not meet the address that its producer keeps.
#[test]
fn an_early_output_whose_producer_keeps_its_address_is_copied() {
    with_engine(|| {
        let barrier = Arc::new(Barrier::new(2));
        let theirs = barrier.clone();
        let early = processing(&[OUT], c"early", move |ids| {
            let place = get(ids[0]).unwrap().0;
            unsafe { *place = 1 };
            publish(ids[0]).unwrap();
            theirs.wait();
            assert_eq!(unsafe { *place }, 1);
            0
        });
        let update = processing(&[IN, OUT], c"update", move |ids| {
            unsafe { *get(ids[1]).unwrap().0 = 2 };
            barrier.wait();
            0
        });
        let out = promise(8).unwrap();
        let following = next(out).unwrap();
        onto(rank_at(0), early, &[out]).unwrap();
        onto(rank_at(1), update, &[out, following]).unwrap();
        wait().unwrap();
        relax(following).unwrap();
    });
}

#[test]
fn failures_poison_cancel_and_are_reported_once() {
    with_engine(|| {
        let fail = processing(&[OUT], c"the one that fails", |_| 42);
        let ran = Arc::new(AtomicUsize::new(0));
        let counted = ran.clone();
        let read = processing(&[IN, OUT], c"read", move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            0
        });
        let (a, b, c) = (promise(8).unwrap(), promise(8).unwrap(), promise(8).unwrap());
        acquire(a).unwrap();
        near(read, &[b, c]).unwrap();
        near(read, &[a, b]).unwrap();
        near(fail, &[a]).unwrap();
        assert_eq!(get(c).unwrap_err(), Code::DVM_ERR_POISONED);
        assert_eq!(wait(), Err(Code::DVM_ERR_TASK));
        let told = last_error();
        assert!(told.contains("the one that fails") && told.contains("42"), "{told}");
        wait().unwrap();
        assert_eq!(get(a).unwrap_err(), Code::DVM_ERR_POISONED);
        let d = promise(8).unwrap();
        near(read, &[a, d]).unwrap();
        wait().unwrap();
        assert_eq!(get(d).unwrap_err(), Code::DVM_ERR_POISONED);
        assert_eq!(ran.load(Ordering::SeqCst), 0);
        relax(c).unwrap();
        relax(d).unwrap();
    });
}

#[test]
fn finalize_reports_failures_and_cancels_who_waits_for_nobody() {
    let _turn = turn();
    init().unwrap();
    let fail = processing(&[], c"fail", |_| 1);
    near(fail, &[]).unwrap();
    assert_eq!(finalize(), Err(Code::DVM_ERR_TASK));
    init().unwrap();
    FREED.store(0, Ordering::SeqCst);
    let mut memory = 1_u64;
    let datum = register((&raw mut memory).cast(), 8, Some(count_free)).unwrap();
    let read = processing(&[IN, IN, OUT], c"read", |_| panic!("must not run"));
    let (never, out) = (promise(8).unwrap(), promise(8).unwrap());
    let then = processing(&[IN], c"then", |_| panic!("must not run"));
    onto(rank_at(0), then, &[out]).unwrap();
    near(read, &[datum, never, out]).unwrap();
    let sleeper = std::thread::spawn(move || get(never).unwrap_err());
    until_sleepers(1);
    assert_eq!(finalize(), Err(Code::DVM_ERR_STATE));
    assert!(last_error().contains('2'), "{}", last_error());
    assert_eq!(FREED.load(Ordering::SeqCst), 1);
    let code = sleeper.join().unwrap();
    assert!(matches!(code, Code::DVM_ERR_POISONED | Code::DVM_ERR_ID), "{code:?}");
    assert_eq!(finalize(), Err(Code::DVM_ERR_NOT_INITIALIZED));
}

#[test]
fn tasks_may_not_wait() {
    with_engine(|| {
        let try_all = processing(&[IN], c"try", |_| {
            let unpublished = promise(8).unwrap();
            assert_eq!(get(unpublished).unwrap_err(), Code::DVM_ERR_NOT_READY);
            relax(unpublished).unwrap();
            assert_eq!(init(), Err(Code::DVM_ERR_IN_TASK));
            assert_eq!(wait(), Err(Code::DVM_ERR_IN_TASK));
            assert_eq!(finalize(), Err(Code::DVM_ERR_IN_TASK));
            assert_eq!(unsafe { dvm_serve() }, Code::DVM_ERR_IN_TASK);
            0
        });
        near(try_all, &[number(1)]).unwrap();
        wait().unwrap();
    });
}

unsafe extern "C" fn free_and_call(addr: *mut c_void, size: usize) {
    assert_eq!(size, 16);
    assert_eq!(wait(), Err(Code::DVM_ERR_IN_TASK));
    assert_eq!(finalize(), Err(Code::DVM_ERR_IN_TASK));
    assert_eq!(unsafe { dvm_init() }, Code::DVM_ERR_IN_TASK);
    // The memory holds the id of another datum, and owns a reference of it.
    relax(unsafe { *addr.cast::<Id>() }).unwrap();
    FREED.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn free_callbacks_may_free_a_long_chain() {
    const LENGTH: usize = 100_000;
    with_engine(|| {
        FREED.store(0, Ordering::SeqCst);
        let mut links = vec![[0_u64; 2]; LENGTH];
        let mut id = number(1);
        for link in &mut links {
            *link = id;
            id = register(std::ptr::from_mut(link).cast(), 16, Some(free_and_call)).unwrap();
        }
        relax(id).unwrap();
        assert_eq!(FREED.load(Ordering::SeqCst), LENGTH);
    });
}

#[test]
fn tasks_schedule_any_number_of_tasks() {
    with_engine(|| {
        let count = Arc::new(AtomicU64::new(0));
        let counted = count.clone();
        let leaf = processing(&[IN], c"leaf", move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            0
        });
        let many = processing(&[], c"many", move |_| {
            for turn in 0..20_000 {
                let datum = allocate(8).unwrap();
                if turn % 2 == 0 { near(leaf, &[datum]) } else { onto(here(), leaf, &[datum]) }.unwrap();
            }
            0
        });
        near(many, &[]).unwrap();
        near(many, &[]).unwrap();
        wait().unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 40_000);
    });
}

#[test]
fn the_variadic_entry_reads_exactly_its_arguments() {
    with_engine(|| {
        let call = variadic();
        for arity in 0..=9_usize {
            let seen = Arc::new(AtomicU64::new(0));
            let theirs = seen.clone();
            let mut sum = processing(&vec![IN; arity], c"sum", move |ids| {
                let sum = ids.iter().enumerate().map(|(place, &id)| (place as u64 + 1) * value(id).unwrap()).sum();
                theirs.store(sum, Ordering::SeqCst);
                0
            });
            let mut d: Vec<Id> = (0..9).map(|place| number(place + 1)).collect();
            let p: Vec<*mut u64> = d.iter_mut().map(|id| id.as_mut_ptr()).collect();
            let (mut rank, f) = (rank_at(1), sum.as_mut_ptr());
            let code = unsafe { call(rank.as_mut_ptr(), f, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]) };
            assert_eq!(code, Code::DVM_SUCCESS);
            wait().unwrap();
            assert_eq!(seen.load(Ordering::SeqCst), (1..=arity as u64).map(|n| n * n).sum::<u64>());
            d[arity..].iter().for_each(|&id| relax(id).unwrap());
        }
    });
}

static PLAIN_SUM: AtomicU64 = AtomicU64::new(0);

#[unsafe(no_mangle)]
extern "C" fn plain_of_two(a: *mut u64, b: *mut u64) -> c_int {
    let ids = unsafe { [*a.cast::<Id>(), *b.cast::<Id>()] };
    // The run-time does not see a callback's changes of its arguments.
    unsafe { a.write(77) };
    PLAIN_SUM.fetch_add(value(ids[0]).unwrap() * value(ids[1]).unwrap(), Ordering::SeqCst);
    0
}

#[test]
fn plain_callbacks_are_registered_by_pointer_and_survive_unregistering() {
    with_engine(|| {
        PLAIN_SUM.store(0, Ordering::SeqCst);
        let mut id = [0; 2];
        let callback = unsafe {
            std::mem::transmute::<extern "C" fn(*mut u64, *mut u64) -> c_int, unsafe extern "C" fn() -> c_int>(
                plain_of_two,
            )
        };
        let code = unsafe { dvm_processing_register(Some(callback), 2, std::ptr::null_mut(), id.as_mut_ptr()) };
        assert_eq!(code, Code::DVM_SUCCESS);
        let gate = promise(8).unwrap();
        onto(rank_at(1), id, &[gate, number(6)]).unwrap();
        assert_eq!(unsafe { dvm_processing_unregister(&raw mut id) }, Code::DVM_SUCCESS);
        assert_eq!(onto(rank_at(1), id, &[number(1), number(1)]), Err(Code::DVM_ERR_PROCESSING));
        assert_eq!(unsafe { dvm_processing_unregister(&raw mut id) }, Code::DVM_ERR_PROCESSING);
        unsafe { *write(gate).unwrap().0 = 7 };
        publish(gate).unwrap();
        wait().unwrap();
        assert_eq!(PLAIN_SUM.load(Ordering::SeqCst), 42);
    });
}

#[test]
fn names_are_looked_up_in_the_whole_program() {
    with_engine(|| {
        let mut id = [0; 2];
        let by_name = |name: &std::ffi::CStr, id: &mut Id| unsafe {
            dvm_processing_register_by_name(name.as_ptr().cast_mut(), 0, id.as_mut_ptr())
        };
        assert_eq!(by_name(c"getpid", &mut id), Code::DVM_SUCCESS);
        assert_eq!(by_name(c"no_such_function", &mut id), Code::DVM_ERR_SYMBOL);
        let told = last_error();
        assert!(told.contains("no_such_function") && told.contains("-rdynamic"), "{told}");
        let before = id;
        assert_eq!(by_name(c"environ", &mut id), Code::DVM_ERR_SYMBOL);
        let told = last_error();
        assert!(told.contains("environ") && told.contains("is data"), "{told}");
        assert_eq!(id, before, "a failing call writes nothing");
    });
}

#[test]
fn load_counts_what_has_not_ended() {
    with_engine(|| {
        let gate = promise(0).unwrap();
        let hold = processing(&[IN], c"hold", |_| 0);
        for _ in 0..9 {
            acquire(gate).unwrap();
        }
        for turn in 0..10 {
            onto(rank_at(turn % 2), hold, &[gate]).unwrap();
        }
        assert_eq!((load(rank_at(0)), load(rank_at(1))), (5, 5));
        publish(gate).unwrap();
        wait().unwrap();
        assert_eq!((load(rank_at(0)), load(rank_at(1))), (0, 0));
    });
}

#[test]
fn others_may_schedule_and_publish_while_one_waits() {
    with_engine(|| {
        let gate = promise(8).unwrap();
        let add = adder();
        let out = promise(8).unwrap();
        near(add, &[gate, number(1), out]).unwrap();
        let other = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            assert_eq!(wait(), Err(Code::DVM_ERR_STATE));
            unsafe { *write(gate).unwrap().0 = 1 };
            publish(gate).unwrap();
        });
        wait().unwrap();
        assert_eq!(value(out).unwrap(), 2);
        other.join().unwrap();
        relax(out).unwrap();
    });
}

#[test]
fn empty_data_are_legal() {
    with_engine(|| {
        let copy = processing(&[IN, OUT], c"copy", |ids| c_int::from(get(ids[1]).unwrap().1 != 0));
        let datum = allocate(0).unwrap();
        let (addr, size) = get(datum).unwrap();
        assert!(!addr.is_null() && size == 0);
        put(datum).unwrap();
        let following = next(datum).unwrap();
        near(copy, &[datum, following]).unwrap();
        wait().unwrap();
        relax(following).unwrap();
    });
}

#[test]
fn one_process_says_so() {
    with_engine(|| {
        let (mut index, mut count) = (9, 9);
        assert_eq!(unsafe { dvm_process(&raw mut index, &raw mut count) }, Code::DVM_SUCCESS);
        assert_eq!((index, count), (0, 1));
        assert_eq!(unsafe { dvm_serve() }, Code::DVM_ERR_UNSUPPORTED);
        assert_eq!(init(), Err(Code::DVM_ERR_ALREADY_INITIALIZED));
    });
}

#[test]
fn an_idle_program_uses_no_cpu() {
    with_engine(|| {
        let used = || {
            let mut usage = unsafe { std::mem::zeroed::<libc::rusage>() };
            assert_eq!(unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) }, 0);
            let micros = |time: libc::timeval| time.tv_sec * 1_000_000 + time.tv_usec;
            micros(usage.ru_utime) + micros(usage.ru_stime)
        };
        // On a busy machine the workers still look for work when the driver ends the test.
        let half_a_second = |_| {
            let before = used();
            std::thread::sleep(Duration::from_millis(500));
            used() - before
        };
        let spent: Vec<_> = (0..10).map(half_a_second).take_while(|&spent| spent >= 20_000).collect();
        assert!(spent.len() < 10, "us of CPU in each half second of idling: {spent:?}");
    });
}

#[test]
fn repeated_lives_leave_nothing_behind() {
    let _turn = turn();
    for _ in 0..50 {
        init().unwrap();
        let increment = incrementer();
        let datum = number(1);
        let following = next(datum).unwrap();
        near(increment, &[datum, following]).unwrap();
        wait().unwrap();
        assert_eq!(value(following).unwrap(), 2);
        finalize().unwrap();
    }
}

#[test]
fn calls_during_finalize_are_safe() {
    let _turn = turn();
    for _ in 0..20 {
        init().unwrap();
        let add = adder();
        let stop = Arc::new(AtomicUsize::new(0));
        let callers: Vec<_> = (0..3)
            .map(|_| {
                let stop = stop.clone();
                std::thread::spawn(move || {
                    while stop.load(Ordering::Relaxed) == 0 {
                        let (Ok(a), Ok(b), Ok(out)) = (allocate(8), allocate(8), promise(8)) else { continue };
                        let _ = near(add, &[a, b, out]);
                        let _ = get(out).and_then(|_| put(out));
                        let _ = relax(out);
                    }
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(3));
        let _ = finalize();
        stop.store(1, Ordering::Relaxed);
        for caller in callers {
            caller.join().unwrap();
        }
    }
}

/// Once, a refused schedule counted as the first task of its processing.
#[test]
fn a_refused_schedule_does_not_settle_the_modes() {
    let _turn = turn();
    workers(1);
    init().unwrap();
    let mut late = processing(&[IN], c"late", |_| 0);
    assert!(onto(rank_at(0), late, &[[0, 9]]).is_err());
    assert!(onto(rank_at(0), late, &[]).is_err());
    let access = |late: &mut Id, mode| unsafe {
        dvm::ffi::c_functions::dvm_processing_access(late.as_mut_ptr(), [mode].as_mut_ptr())
    };
    assert_eq!(access(&mut late, OUT), Code::DVM_SUCCESS);
    let made = promise(8).unwrap();
    onto(rank_at(0), late, &[made]).unwrap();
    assert_eq!(access(&mut late, IN), Code::DVM_ERR_STATE);
    wait().unwrap();
    assert_eq!(value(made), Ok(0));
    finalize().unwrap();
}

#[test]
fn what_a_producer_still_reads_is_not_carried_on_under_it() {
    with_engine(|| {
        let (published, changed) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let (first, second) = (published.clone(), changed.clone());
        let publishes = processing(&[IN, OUT], c"publishes early", move |ids| {
            let before = get(ids[0]).unwrap().0;
            publish(ids[1]).unwrap();
            first.wait();
            second.wait();
            i32::from(unsafe { *before } != 5)
        });
        let changes = processing(&[IN, OUT], c"changes", move |ids| {
            unsafe { *get(ids[1]).unwrap().0 = 99 };
            changed.wait();
            0
        });
        let a = number(5);
        let b = next(a).unwrap();
        onto(rank_at(0), publishes, &[a, b]).unwrap();
        published.wait();
        let c = next(b).unwrap();
        onto(rank_at(1), changes, &[b, c]).unwrap();
        wait().unwrap();
        assert_eq!(value(c).unwrap(), 99);
        relax(c).unwrap();
    });
}

#[test]
fn a_wait_ends_though_calls_are_refused_meanwhile() {
    with_engine(|| {
        let read = processing(&[IN], c"read", |_| 0);
        let stale = number(1);
        relax(stale).unwrap();
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    assert_eq!(near(read, &[stale]), Err(Code::DVM_ERR_ID));
                }
            });
            for _ in 0..3000 {
                wait().unwrap();
            }
            over.store(true, Ordering::Relaxed);
        });
    });
}

#[test]
fn a_seed_changes_nothing_about_wrong_ids() {
    let _turn = turn();
    workers(1);
    unsafe { std::env::set_var("DVM_SEED", "7") };
    init().unwrap();
    unsafe { std::env::remove_var("DVM_SEED") };
    for id in [[0, u64::from(u32::MAX)], [0, 1 << 32 | 0xffff_fff0], [9, 1]] {
        assert_eq!(get(id).map(|_| ()), Err(Code::DVM_ERR_ID));
    }
    finalize().unwrap();
    workers(2);
}
