//! Placement on a synthetic machine of 32 processing units.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::sync::{Arc, Mutex};

use support::*;

fn on_synthetic(machine: &str, body: impl FnOnce()) {
    let _turn = turn();
    // SAFETY: tests take turns, and no other thread reads the environment.
    unsafe { std::env::set_var("DVM_SYNTHETIC", machine) };
    init().unwrap();
    body();
    finalize().unwrap_or_else(|code| panic!("{code:?}: {}", last_error()));
}

#[test]
fn every_task_runs_on_the_rank_that_it_was_given() {
    on_synthetic("pack:4 core:4 pu:2", || {
        assert_eq!(count(), 32);
        let wrong = Arc::new(Mutex::new(Vec::new()));
        let noted = wrong.clone();
        let check = processing(&[IN], c"check", move |ids| {
            let asked = rank_at(value(ids[0]).unwrap());
            if here() != asked {
                noted.lock().unwrap().push((asked, here()));
            }
            0
        });
        for turn in 0..3200 {
            onto(rank_at(turn * 7 % 32), check, &[number(turn * 7 % 32)]).unwrap();
        }
        wait().unwrap();
        assert_eq!(*wrong.lock().unwrap(), []);
    });
}

/// A datum of this size, written on this processing unit.
fn written_on(index: u64, size: usize) -> Id {
    let write = processing(&[OUT], c"write", |_| 0);
    let datum = promise(size).unwrap();
    onto(rank_at(index), write, &[datum]).unwrap();
    wait().unwrap();
    datum
}

/// The processing unit of a task near these data: all are busy, and the load of this one counts the task.
fn sent_to(data: &[Id]) -> u64 {
    let gate = promise(0).unwrap();
    let inside = Arc::new(std::sync::Barrier::new(33));
    let (theirs, leave) = (inside.clone(), Arc::new(std::sync::Barrier::new(33)));
    let left = leave.clone();
    let block = processing(&[], c"block", move |_| {
        theirs.wait();
        left.wait();
        0
    });
    let read = processing(&vec![IN; data.len()], c"read", |_| 0);
    for index in 0..32 {
        onto(rank_at(index), block, &[]).unwrap();
    }
    inside.wait();
    for &id in data {
        acquire(id).unwrap();
    }
    near(read, data).unwrap();
    let place = (0..32).find(|&index| load(rank_at(index)) == 2).expect("somewhere");
    leave.wait();
    wait().unwrap();
    relax(gate).unwrap();
    place
}

#[test]
fn tasks_go_to_most_of_their_bytes_or_to_the_barycentre() {
    on_synthetic("pack:4 core:4 pu:2", || {
        let large = written_on(21, 1000);
        let small = [written_on(2, 10), written_on(3, 10), written_on(30, 10)];
        assert_eq!(sent_to(&[small[0], large, small[1]]), 21);
        // Three packages, two data on one core: that core has the least sum of bytes times distance.
        let spread = [written_on(8, 100), written_on(9, 100), written_on(16, 110), written_on(24, 90)];
        let best = (0..32)
            .min_by_key(|&index| {
                let far = |home| distance(rank_at(index), rank_at(home));
                100 * far(8) + 100 * far(9) + 110 * far(16) + 90 * far(24)
            })
            .unwrap();
        assert!([8, 9].contains(&best));
        assert_eq!(sent_to(&spread), best);
    });
}
