//! Rows that wait for each other: a step sees what the steps before it have written, and every row ends.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

use super::models;
use crate::idle::rows::Rows;

models! {
    two_rows finds [rows_seen_relaxed, rows_told_relaxed];
    three_rows_of_two_threads finds [rows_told_relaxed];
}

const STEPS: u64 = 2;

struct Shared {
    rows: Rows,
    next: AtomicU64,
    /// What the last row's thread has written at each step, without an atomic.
    written: [loom::cell::Cell<u64>; STEPS as usize],
    count: u64,
}

// SAFETY: loom checks which threads read and write the cells.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

impl Shared {
    fn new(count: u64) -> Shared {
        Shared {
            rows: Rows::new(count as usize),
            next: AtomicU64::new(0),
            written: [loom::cell::Cell::new(0), loom::cell::Cell::new(0)],
            count,
        }
    }

    /// Takes rows in order and runs their steps: each needs what the row before has written there.
    fn work(&self) {
        loop {
            let row = self.next.fetch_add(1, Ordering::Relaxed);
            if row >= self.count {
                return;
            }
            for step in 0..STEPS {
                if row > 0 {
                    assert!(self.rows.wait(row as usize - 1, step + 1, || false));
                }
                let cell = &self.written[step as usize];
                assert_eq!(cell.get(), row, "what the row before wrote is not seen");
                cell.set(row + 1);
                self.rows.advance(row as usize, step + 1);
            }
        }
    }
}

fn run(count: u64) {
    let shared = Arc::new(Shared::new(count));
    let other = Arc::clone(&shared);
    let helper = thread::spawn(move || other.work());
    shared.work();
    helper.join().expect("the helper ended");
    assert_eq!(shared.rows.ended(count as usize - 1), STEPS);
}

/// Two threads, a row each or both rows by one.
fn two_rows() {
    run(2);
}

/// More rows than threads.
fn three_rows_of_two_threads() {
    run(3);
}
