//! The ring and the doorbell under loom: two processes are two threads here, and each has private memory of its own.

mod doorbell;
mod ring;

use crate::idle::models::models;
use crate::sync::atomic::AtomicU64;
use crate::sync::modelled::{Condvar, Mutex};
use crate::transport::doorbell as protocol;
use crate::transport::ring::words_for;

/// The smallest ring that holds records of one word.
fn small_ring() -> Vec<AtomicU64> {
    (0..words_for(4)).map(|_| AtomicU64::new(0)).collect()
}

/// What a socket is to a sleeper: a bell that was rung ends the next wait as well.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

/// One process's sleep: its word, its bell, and what the one other process has noted about it.
#[derive(Default)]
struct Sleeper {
    word: AtomicU64,
    bell: Bell,
    noted: AtomicU64,
}

impl Sleeper {
    fn sleep(&self, anything: impl FnOnce() -> bool) {
        protocol::sleep(&self.word, anything, || {
            let mut rung = self.bell.rung.lock();
            while !*rung {
                self.bell.changed.wait(&mut rung);
            }
            *rung = false;
        });
    }

    fn rouse(&self) {
        let read = || self.word.load(std::sync::atomic::Ordering::Relaxed);
        protocol::rouse(read, &self.noted, || {
            *self.bell.rung.lock() = true;
            self.bell.changed.notify_one();
        });
    }
}
