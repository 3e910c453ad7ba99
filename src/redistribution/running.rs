//! Programs while they run: the calling worker takes units, and so does every worker that has nothing else to do.
#![allow(unsafe_code, reason = "addresses of data that the caller answers for")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::program::Program;
use crate::engine::{Account, Call, Engine, Source};
use crate::trace::Name;

/// A program and the addresses that it runs on.
pub(super) struct Work {
    pub(super) program: Arc<Program>,
    pub(super) source: Vec<*mut u8>,
    pub(super) target: Vec<*mut u8>,
}

/// Works under way: units are taken in order by whoever comes.
struct Running {
    works: Vec<Work>,
    units: usize,
    next: AtomicUsize,
    ended: AtomicUsize,
    engine: *const Engine,
    name: Name,
}

// SAFETY: the addresses belong to memories that `perform`'s caller answers for until it returns, and the engine stays as
// long: it is reached only while the source is attached.
unsafe impl Send for Running {}
// SAFETY: as above; units are disjoint, and each is taken once.
unsafe impl Sync for Running {}

/// Counts a unit as ended, also when it panics: somebody waits for it.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

impl Running {
    /// Runs a unit; false when all were taken.
    fn take(&self, worker: usize) -> bool {
        if self.next.load(Ordering::Relaxed) >= self.units {
            return false;
        }
        let unit = self.next.fetch_add(1, Ordering::Relaxed);
        if unit >= self.units {
            return false;
        }
        let _counted = Counted(&self.ended);
        // SAFETY: whoever is here is the thread inside `perform`, or a worker that polls the attached source: the engine stays.
        let trace = unsafe { (*self.engine).trace() };
        let start = trace.begin();
        let mut rest = unit;
        for work in &self.works {
            if rest < work.program.units() {
                // SAFETY: by the promise of `perform`'s caller; each unit is taken once.
                unsafe { work.program.run(rest, &work.source, &work.target) };
                break;
            }
            rest -= work.program.units();
        }
        trace.tile(Some(worker), start, self.name, &[unit as i64]);
        true
    }

    /// Lets no more units be taken, and waits for those that were.
    fn end(&self) {
        let taken = self.next.fetch_add(self.units, Ordering::Relaxed).min(self.units);
        while self.ended.load(Ordering::Acquire) < taken {
            std::thread::yield_now();
        }
    }
}

impl Source for Running {
    fn poll(&self, worker: usize) -> bool {
        self.take(worker)
    }

    fn ended(&self) -> u64 {
        self.ended.load(Ordering::Acquire) as u64
    }

    fn account(&self) -> Option<Account> {
        let ended = Source::ended(self);
        let taken = self.next.load(Ordering::Relaxed).min(self.units) as u64;
        Some(Account {
            name: "redistribution".to_owned(),
            volume: self.units as u64,
            general: false,
            bounded: false,
            ended,
            ready: self.units as u64 - taken,
            running: Vec::new(),
            waiting: 0,
            told: Vec::new(),
        })
    }
}

/// Runs programs with the help of all idle workers; returns when all copies are made. The caller is a worker.
///
/// # Safety
/// For each work: the contract of [`Program::run`], until this function returns.
pub(super) unsafe fn perform(call: &Call, works: Vec<Work>) {
    /// Detaches the source on every way out: the addresses are good until then.
    struct Attached<'a>(&'a Engine, Arc<dyn Source>, &'a Running);
    impl Drop for Attached<'_> {
        fn drop(&mut self) {
            self.2.end();
            self.0.detach(&self.1);
        }
    }
    let engine = call.engine();
    let units = works.iter().map(|w| w.program.units()).sum();
    let name = engine.trace().name("redistribution");
    let running =
        Arc::new(Running { works, units, next: AtomicUsize::new(0), ended: AtomicUsize::new(0), engine, name });
    let worker = call.worker().unwrap_or(0);
    if units < 2 || engine.workers() < 2 {
        while running.take(worker) {}
        return;
    }
    let source: Arc<dyn Source> = running.clone();
    engine.attach(Arc::clone(&source));
    let _attached = Attached(engine, source, &running);
    while running.take(worker) {}
}
