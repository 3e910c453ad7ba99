//! Calls at the edges: what races with a registration, with the first task of a processing, what cannot be counted or
//! never has a value. Each test is named after what must hold.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call has ended"
)]

mod support;

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dvm::ffi::c_functions::*;
use support::*;

#[test]
fn a_poisoned_output_is_told_as_poisoned() {
    with_engine(|| {
        let fails = processing(&[OUT], c"fails", |_| 1);
        let again = processing(&[OUT], c"again", |_| 0);
        let output = promise(8).unwrap();
        near(fails, &[output]).unwrap();
        assert_eq!(wait(), Err(Code::DVM_ERR_TASK));
        assert_eq!(near(again, &[output]), Err(Code::DVM_ERR_POISONED));
        assert_eq!(onto(rank_at(0), again, &[output]), Err(Code::DVM_ERR_POISONED));
        relax(output).unwrap();
    });
}

/// An id is a generation and an entry's number: a program can guess the next id of an entry.
#[test]
fn an_id_that_is_guessed_while_its_datum_is_registered_has_the_bytes_or_none() {
    with_engine(|| {
        static BYTES: [u64; 8] = [7; 8];
        let address = BYTES.as_ptr().cast_mut().cast::<c_void>();
        let next = Arc::new(AtomicU64::new(0));
        let over = Arc::new(AtomicBool::new(false));
        let guesser = {
            let (next, over) = (Arc::clone(&next), Arc::clone(&over));
            std::thread::spawn(move || {
                let mut zeros = 0;
                while !over.load(Ordering::Relaxed) {
                    let id = [0, next.load(Ordering::Relaxed)];
                    if let Ok((bytes, _)) = get(id) {
                        zeros += u64::from(unsafe { bytes.read() } != 7);
                        put(id).unwrap();
                    }
                }
                zeros
            })
        };
        for _ in 0..1_000_000 {
            let id = register(address, 64, None).unwrap();
            next.store(id[1] + (1 << 32), Ordering::Relaxed);
            relax(id).unwrap();
        }
        over.store(true, Ordering::Relaxed);
        assert_eq!(guesser.join().unwrap(), 0);
    });
}

unsafe extern "C" fn nothing(_: *mut c_void, _: *mut Id, _: c_int) -> c_int {
    0
}

/// Either the modes are set before the first task, which then has an output that is published already, or they are
/// not set.
#[test]
fn modes_and_the_first_task_come_one_after_the_other() {
    const OVER: u64 = u64::MAX;
    with_engine(|| {
        let published = number(1);
        let done = Arc::new(AtomicU64::new(0));
        let current = Arc::new(AtomicU64::new(0));
        // On a busy machine each hand-over costs a time slice.
        let (rounds, end) = (20_000, Instant::now() + Duration::from_secs(10));
        let setter = {
            let (done, current) = (Arc::clone(&done), Arc::clone(&current));
            std::thread::spawn(move || {
                let mut set = Vec::new();
                for turn in 0..rounds {
                    until(|| current.load(Ordering::SeqCst) != 0);
                    let (mut id, mut modes) = ([0, current.swap(0, Ordering::SeqCst)], [OUT]);
                    if id[1] == OVER {
                        break;
                    }
                    (0..turn % 97).for_each(|_| std::hint::spin_loop());
                    set.push(unsafe { dvm_processing_access(id.as_mut_ptr(), modes.as_mut_ptr()) });
                    done.store(turn + 1, Ordering::SeqCst);
                }
                set
            })
        };
        let mut scheduled = Vec::new();
        for turn in (0..rounds).take_while(|&turn| turn < 100 || Instant::now() < end) {
            let mut id = [0; 2];
            let context = std::ptr::null_mut();
            let description = c"first".as_ptr().cast_mut();
            let code = unsafe { dvm_processing_register_v(Some(nothing), context, 1, description, id.as_mut_ptr()) };
            assert_eq!(code, Code::DVM_SUCCESS);
            acquire(published).unwrap();
            current.store(id[1], Ordering::SeqCst);
            (0..(turn * 7) % 101).for_each(|_| std::hint::spin_loop());
            scheduled.push(near(id, &[published]));
            if scheduled.last() == Some(&Err(Code::DVM_ERR_STATE)) {
                relax(published).unwrap();
            }
            until(|| done.load(Ordering::SeqCst) > turn);
            assert_eq!(unsafe { dvm_processing_unregister(&raw mut id) }, Code::DVM_SUCCESS);
        }
        current.store(OVER, Ordering::SeqCst);
        for (set, scheduled) in setter.join().unwrap().into_iter().zip(scheduled) {
            let both = (set, scheduled);
            assert!(
                matches!(both, (Code::DVM_SUCCESS, Err(Code::DVM_ERR_STATE)) | (Code::DVM_ERR_STATE, Ok(()))),
                "{both:?}"
            );
        }
        wait().unwrap();
        relax(published).unwrap();
    });
}

#[test]
fn a_distribution_of_as_many_elements_as_there_may_be_is_made() {
    for [elements, block, processes] in [
        [(1 << 62) - 1, 1 << 31, 2],
        [(1 << 62) - 1, 2, 1 << 20],
        [(1 << 61) + 12_345, 1 << 31, 3],
        [(1 << 61) - 1, (1 << 31) + 1, 7],
        [(1 << 40) + 7, 1 << 20, 5],
    ] {
        let mut made = 0.into();
        let code = unsafe {
            dvm_distribution_block_cyclic(1, &raw const elements, &raw const block, &raw const processes, &raw mut made)
        };
        assert_eq!(code, Code::DVM_SUCCESS, "{}", last_error());
        let mut total = 0;
        for memory in (0..processes).take(3).chain([processes - 1]) {
            let mut size = 0;
            let code = unsafe { dvm_distribution_extents(made, memory, &raw mut size, 1) };
            assert_eq!(code, Code::DVM_SUCCESS, "{}", last_error());
            let (round, rest) = (block * processes, elements % (block * processes));
            let last = (rest - block * memory).clamp(0, block);
            assert_eq!(size, elements / round * block + last, "memory {memory} of {elements} {block} {processes}");
            total += size;
        }
        assert!(total > 0);
        assert_eq!(dvm_distribution_free(made), Code::DVM_SUCCESS);
    }
}
