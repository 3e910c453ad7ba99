//! Many of anything: the cost of n grows with n, not with its square.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dvm::ffi::c_functions::{dvm_blocking_begin, dvm_blocking_end};
use support::*;

/// A bound on processor time. Linear work takes milliseconds, and stays below it on a slow machine; quadratic work does not.
const PATIENCE: Duration = Duration::from_secs(3);

/// The processor time of this process, or of this thread: others do not lengthen it.
fn spent(clock: libc::clockid_t) -> Duration {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    let time = unsafe {
        assert_eq!(libc::clock_gettime(clock, time.as_mut_ptr()), 0);
        time.assume_init()
    };
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

fn timed(what: &str, body: impl FnOnce()) {
    let begin = spent(libc::CLOCK_PROCESS_CPUTIME_ID);
    body();
    let took = spent(libc::CLOCK_PROCESS_CPUTIME_ID).saturating_sub(begin);
    assert!(took < PATIENCE, "{what} took {took:?}");
}

/// 0 to n - 1 in a scattered order.
fn scattered(count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |place| place * 40_009 % count)
}

#[test]
fn a_task_gets_each_of_its_many_arguments() {
    const INPUTS: usize = 64_000;
    with_engine(|| {
        let ids: Arc<Vec<Id>> = Arc::new((0..INPUTS).map(|place| number(place as u64)).collect());
        // One datum twice, and outputs at both ends.
        let (first, last) = (promise(8).unwrap(), promise(8).unwrap());
        let mut arguments = vec![first];
        arguments.extend(ids.iter());
        acquire(ids[5]).unwrap();
        arguments.extend([ids[5], last]);
        let mut modes = vec![IN; arguments.len()];
        modes[0] = OUT;
        *modes.last_mut().unwrap() = OUT;
        let own = number(3);
        let theirs = ids.clone();
        let run = processing(&modes, c"gets all", move |given| {
            let begin = spent(libc::CLOCK_THREAD_CPUTIME_ID);
            let all = (0..INPUTS).chain((0..INPUTS).rev()).chain(scattered(INPUTS));
            for place in all {
                let (addr, size) = get(given[1 + place]).unwrap();
                assert_eq!((unsafe { *addr }, size), (place as u64, 8));
            }
            for _ in 0..3 {
                for place in scattered(INPUTS) {
                    put(theirs[place]).unwrap();
                }
            }
            assert_eq!(put(theirs[7]), Err(Code::DVM_ERR_STATE), "each get was put once");
            for id in [given[0], *given.last().unwrap()] {
                unsafe { *get(id).unwrap().0 = 11 };
            }
            publish(given[0]).unwrap();
            put(given[0]).unwrap();
            assert_eq!(value(own), Ok(3), "none of the arguments");
            c_int::from(spent(libc::CLOCK_THREAD_CPUTIME_ID).saturating_sub(begin) >= PATIENCE)
        });
        near(run, &arguments).unwrap();
        wait().unwrap_or_else(|code| panic!("{code:?}: {}", last_error()));
        assert_eq!((value(first), value(last)), (Ok(11), Ok(11)));
        for id in [first, last, own] {
            relax(id).unwrap();
        }
    });
}

#[test]
fn a_task_gets_many_data_that_are_none_of_its_arguments() {
    with_engine(|| {
        let ids: Vec<Id> = (0..40_000).map(number).collect();
        let theirs = ids.clone();
        let run = processing(&[], c"gets others", move |_| {
            let begin = spent(libc::CLOCK_THREAD_CPUTIME_ID);
            for round in 0..2 {
                for (place, &id) in theirs.iter().enumerate() {
                    assert_eq!(unsafe { *get(id).unwrap().0 }, place as u64, "{round}");
                }
            }
            // Every other one is left to the end of the task.
            theirs.iter().step_by(2).for_each(|&id| put(id).unwrap());
            theirs.iter().step_by(2).for_each(|&id| put(id).unwrap());
            c_int::from(
                put(theirs[0]) != Err(Code::DVM_ERR_STATE)
                    || spent(libc::CLOCK_THREAD_CPUTIME_ID).saturating_sub(begin) >= PATIENCE,
            )
        });
        near(run, &[]).unwrap();
        wait().unwrap_or_else(|code| panic!("{code:?}: {}", last_error()));
        for &id in &ids {
            assert_eq!(put(id), Err(Code::DVM_ERR_STATE));
            relax(id).unwrap();
            assert_eq!(acquire(id), Err(Code::DVM_ERR_ID));
        }
    });
}

#[test]
fn a_task_with_many_inputs_and_outputs_is_scheduled() {
    const EACH: usize = 60_000;
    with_engine(|| {
        let inputs: Vec<Id> = (0..EACH).map(|_| allocate(8).unwrap()).collect();
        let outputs: Vec<Id> = (0..EACH).map(|_| promise(8).unwrap()).collect();
        let modes = [vec![IN; EACH], vec![OUT; EACH]].concat();
        let run = processing(&modes, c"many", |_| 0);
        let mut arguments = [&inputs[..], &outputs[..]].concat();
        // A mistake is refused among many as among few, and takes no reference.
        for (place, wrong) in [(EACH - 1, outputs[EACH - 1]), (0, outputs[7])] {
            let right = std::mem::replace(&mut arguments[place], wrong);
            timed("refusing", || assert_eq!(near(run, &arguments), Err(Code::DVM_ERR_STATE)));
            arguments[place] = right;
        }
        timed("scheduling", || near(run, &arguments).unwrap());
        wait().unwrap();
        for &id in &outputs {
            relax(id).unwrap();
        }
        assert!(inputs.iter().all(|&id| acquire(id) == Err(Code::DVM_ERR_ID)));
    });
}

#[test]
fn many_tasks_leave_blocking_sections_at_once() {
    const TASKS: usize = 2000;
    let _turn = turn();
    workers(2);
    // So many threads need no large stacks.
    unsafe { std::env::set_var("DVM_STACK", "64") };
    init().unwrap();
    let (inside, open) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(())));
    let (entered, gate) = (inside.clone(), open.clone());
    let block = processing(&[], c"block", move |_| {
        assert_eq!(unsafe { dvm_blocking_begin() }, Code::DVM_SUCCESS);
        entered.fetch_add(1, Ordering::SeqCst);
        drop(gate.lock().unwrap());
        assert_eq!(unsafe { dvm_blocking_end() }, Code::DVM_SUCCESS);
        0
    });
    let held = open.lock().unwrap();
    for _ in 0..TASKS {
        near(block, &[]).unwrap();
    }
    while inside.load(Ordering::SeqCst) < TASKS {
        std::thread::sleep(Duration::from_millis(1));
    }
    timed("leaving", || {
        drop(held);
        wait().unwrap();
    });
    finalize().unwrap();
    unsafe { std::env::remove_var("DVM_STACK") };
}

/// How often threads of this process have slept.
fn sleeps() -> i64 {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()), 0);
        usage.assume_init().ru_nvcsw
    }
}

#[test]
fn a_publication_wakes_those_who_wait_for_it() {
    const SLEEPERS: usize = 500;
    const PUBLICATIONS: usize = 100;
    with_engine(|| {
        let data: Vec<Id> = (0..SLEEPERS).map(|_| promise(8).unwrap()).collect();
        let others: Vec<Id> = (0..PUBLICATIONS).map(|_| promise(8).unwrap()).collect();
        let begun = AtomicUsize::new(0);
        let served = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for &id in &data {
                let begun = &begun;
                std::thread::Builder::new()
                    .stack_size(64 << 10)
                    .spawn_scoped(scope, move || {
                        begun.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(value(id), Ok(0));
                    })
                    .unwrap();
            }
            let (server_others, served) = (&others, &served);
            scope.spawn(move || {
                for &id in server_others {
                    assert_eq!(value(id), Ok(0));
                }
                served.store(true, Ordering::SeqCst);
            });
            while begun.load(Ordering::SeqCst) < SLEEPERS {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(100));
            let before = sleeps();
            for &id in &others {
                publish(id).unwrap();
                std::thread::sleep(Duration::from_micros(200));
            }
            while !served.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            let woken = sleeps() - before;
            for &id in &data {
                publish(id).unwrap();
            }
            assert!(woken < (PUBLICATIONS * SLEEPERS / 10) as i64, "{woken} wake-ups for {PUBLICATIONS} publications");
        });
        data.iter().chain(&others).for_each(|&id| relax(id).unwrap());
    });
}
