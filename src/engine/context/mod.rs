//! The context of a thread that calls libdvm. Below it: what all workers share (`shared`; the counters of each worker
//! are in `worker_counts`), a call into the engine (`call`), waking workers for work (`waking`), the data that a task
//! has got (`task_gets`), polled work (`source`), the workers' threads (`worker_threads`), a program without its first
//! thread (`last_thread`), and a forked child without workers (`forked_child`).
//!
//! A context belongs to one thread at a time. It outlives its thread: the next new thread takes it over and continues
//! its counters. Other threads read only the presence and the counters.
//!
//! The presence protects the engine's memory. A thread outside tasks sets it, and then reads the engine's address. The
//! thread that ends the engine hides that address first, and then waits until no thread is inside (`idle::closing`).
//! Workers need no presence: they end before the engine does.

pub(crate) mod across;
pub(crate) mod call;
pub(crate) mod forked_child;
pub(crate) mod job;
mod last_thread;
pub(crate) mod rounds;
pub(crate) mod shared;
pub(crate) mod source;
pub(crate) mod task_gets;
mod waking;
pub(crate) mod worker_counts;
pub(crate) mod worker_threads;

use std::cell::{Cell, UnsafeCell};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::Deref;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sync::lock::{ForkLock, Mutex};

use shared::{KeptEngine, Left, Worker};
use task_gets::{Frame, Index};

use crate::data;
use crate::error::Error;
use crate::idle::closing::Presence;
use crate::idle::completion::{self, Counters, Which};
use crate::memory;
use crate::processing::{forced, unwind_boundary};
use crate::sched::{OwnQueue, Placed, Weights};
use crate::sync::fence;
use crate::system::ExitKey;
use crate::task::{self, Item, OwnedTask, UNPLACED};

/// Fields that only the context's own thread accesses.
pub(crate) struct Own {
    pub(crate) data: data::DataCache,
    pub(crate) tasks: task::TaskCache,
    pub(crate) frame: Frame,
    pub(crate) weights: Weights,
    /// An index of the inputs of a task that is being scheduled and also has many outputs.
    pub(crate) reads: Index,
    /// Placed tasks of the worker that this thread is.
    pub(crate) placed: Placed,
    /// True while the outputs of the task that has just run are being published.
    pub(crate) finishing: bool,
    /// A near task that the end of the previous task made ready. It runs next, while its data are in the cache.
    lifo_slot: Option<OwnedTask>,
    /// True while a call further up on this thread's stack gives memory back.
    giving_back: bool,
    /// True while the job is told of a datum.
    telling: bool,
}

impl Own {
    /// Keeps a near task to run right after the task that is ending. Returns the task if the slot is full, or if no
    /// task is ending: the kept task would be out of the thieves' reach for long.
    #[inline]
    pub(crate) fn take_on(&mut self, task: OwnedTask) -> Option<OwnedTask> {
        if self.finishing && self.lifo_slot.is_none() {
            self.lifo_slot = Some(task);
            return None;
        }
        Some(task)
    }

    /// True if this thread, as a worker, has tasks in this struct.
    pub(crate) fn has_task(&self) -> bool {
        self.lifo_slot.is_some() || !self.placed.is_empty()
    }

    /// True if the LIFO slot holds a task and a callback of the program is about to be called: no other worker would
    /// see the task during the callback.
    #[inline]
    pub(crate) fn hides_a_task(&self) -> bool {
        !self.data.owes_nothing() && self.lifo_slot.is_some() && self.data.owes_a_call()
    }

    /// Takes the task out of the LIFO slot; it runs next.
    #[inline]
    pub(crate) fn lifo_slot(&mut self) -> Option<OwnedTask> {
        self.lifo_slot.take()
    }

    /// For the thread that releases the slot: leaves the placed tasks with the slot, and the stealable one in the
    /// queue.
    pub(crate) fn leave_behind(&mut self, post: Post<'_>, holds: impl FnOnce()) {
        if let Some(lifo_slot) = self.lifo_slot() {
            post.queue().keep(lifo_slot);
            holds();
        }
        post.exchange(|left| &mut left.placed, std::mem::replace(&mut self.placed, Placed::new()));
    }

    /// For the thread that has acquired the slot: takes the placed tasks.
    pub(crate) fn receive(&mut self, post: Post<'_>) {
        self.placed = post.exchange(|left| &mut left.placed, Placed::new());
    }
}

/// The worker that the current thread is.
#[derive(Clone, Copy)]
pub(crate) struct Post<'a> {
    pub(crate) me: usize,
    worker: &'a Worker,
}

impl Deref for Post<'_> {
    type Target = Worker;
    #[inline]
    fn deref(&self) -> &Worker {
        self.worker
    }
}

impl<'a> Post<'a> {
    #[inline]
    pub(crate) fn queue(self) -> OwnQueue<'a> {
        // SAFETY: this thread is the worker, by the contract of `ThreadContext::employ`.
        unsafe { self.worker.queue.own() }
    }

    /// Replaces a part of what stays with the slot; returns the old value.
    fn exchange<T>(self, part: fn(&mut Left) -> &mut T, mine: T) -> T {
        // SAFETY: as in `queue`. `part` is a function of this file that only selects a field.
        unsafe { self.worker.slot.0.with_left(|left| std::mem::replace(part(left), mine)) }
    }

    /// Exchanges the batch of ready tasks that a seed draws from.
    pub(crate) fn exchange_batch(self, batch: VecDeque<Item>) -> VecDeque<Item> {
        self.exchange(|left| &mut left.batch, batch)
    }
}

/// How many tasks this thread has given to each worker, minus those that it has taken away. Only the context's thread
/// writes.
struct Given {
    first: [AtomicU64; FIRST],
    /// For the other workers; each list is twice as long as the previous one.
    further: [OnceLock<Box<[AtomicU64]>>; LISTS],
}

/// The number of workers whose counters are in the context itself.
const FIRST: usize = 16;

/// The number of lists for the other workers: a worker is a `u16`.
const LISTS: usize = 12;

/// The list that holds a worker, and the list's length, which is also the number of workers before the list.
fn list_of(worker: usize) -> (usize, usize) {
    let list = (worker / FIRST).ilog2() as usize;
    (list, FIRST << list)
}

impl Given {
    const fn new() -> Given {
        Given { first: [const { AtomicU64::new(0) }; FIRST], further: [const { OnceLock::new() }; LISTS] }
    }

    /// Counts a task. Only for the context's thread.
    #[inline]
    fn add(&self, worker: usize, tasks: i64) {
        let add = |given: &AtomicU64| {
            given.store(given.load(Ordering::Relaxed).wrapping_add_signed(tasks), Ordering::Release);
        };
        match self.first.get(worker) {
            Some(given) => add(given),
            None => add(self.further(worker)),
        }
    }

    #[cold]
    #[inline(never)]
    fn further(&self, worker: usize) -> &AtomicU64 {
        let (list, length) = list_of(worker);
        let numbers = self.further[list].get_or_init(|| (0..length).map(|_| AtomicU64::new(0)).collect());
        &numbers[worker - length]
    }

    /// The count for a worker.
    fn to(&self, worker: usize) -> u64 {
        let given = self.first.get(worker).or_else(|| {
            let (list, length) = list_of(worker);
            self.further[list].get()?.get(worker - length)
        });
        given.map_or(0, |given| given.load(Ordering::Acquire))
    }

    /// Clears all counts.
    fn clear(&self) {
        let further = self.further.iter().filter_map(OnceLock::get).flatten();
        self.first.iter().chain(further).for_each(|given| given.store(0, Ordering::Release));
    }
}

/// What a thread keeps to itself.
#[repr(align(128))]
pub(crate) struct ThreadContext {
    /// Whether the thread is inside a call outside tasks.
    pub(crate) presence: Presence,
    pub(crate) counters: Counters,
    /// The engine that this thread has entered.
    pub(crate) engine: Cell<Option<KeptEngine>>,
    /// Callbacks of the program on this thread's stack, without the callback of the worker's own task.
    pub(crate) depth: Cell<u32>,
    worker: Cell<u16>,
    /// The shared part of that worker; NULL on other threads.
    post: Cell<*const Worker>,
    /// A counter that deals out homes and places in turn.
    turn: Cell<u32>,
    /// True while a callback of the program runs that may not leave the worker to another thread.
    pub(crate) sealed: Cell<bool>,
    /// True if no key's destructor will run at the thread's end: the context goes back at the end of each call.
    borrowed: Cell<bool>,
    given: Given,
    /// Tasks scheduled since they were last compared with the window.
    made: Cell<u64>,
    own: UnsafeCell<Own>,
    #[cfg(debug_assertions)]
    lent: Cell<bool>,
}

// SAFETY: other threads access only the atomics. Everything else belongs to the thread that has the context, and a
// context changes threads under the lock of `CONTEXTS`.
unsafe impl Sync for ThreadContext {}
// SAFETY: as above.
unsafe impl Send for ThreadContext {}

struct Contexts {
    all: Vec<&'static ThreadContext>,
    /// Its capacity suffices for all contexts.
    free: Vec<&'static ThreadContext>,
    /// The key whose destructor runs at the end of threads.
    key: Option<ExitKey>,
}

static CONTEXTS: Mutex<Contexts> = Mutex::new(Contexts { all: Vec::new(), free: Vec::new(), key: None });

/// The C library calls this at the end of a thread that has a context. A Rust destructor may allocate when it is
/// registered; the key is created beforehand. The destructors of other keys may still call libdvm on the ending thread.
extern "C" fn thread_ends(_mark: *mut c_void) {
    ENDING.set(true);
    // In a forked child the lock may be held for ever, and no thread needs the context.
    if let Some(context) = CURRENT.take().filter(|_| !forked_child::is_orphan()) {
        CONTEXTS.lock().free.push(context);
        last_thread::thread_ends(|| (under_way() == 0).then(|| sum(|counters| &counters.ended)));
    }
}

thread_local! {
    static CURRENT: Cell<Option<&'static ThreadContext>> = const { Cell::new(None) };
    /// True once the thread's end has begun: the key is not set a second time.
    static ENDING: Cell<bool> = const { Cell::new(false) };
}

/// A context for a thread that has not started yet.
pub(crate) struct Prepared(Option<&'static ThreadContext>);

impl Prepared {
    /// Makes it the context of the calling thread.
    pub(crate) fn adopt(mut self) -> &'static ThreadContext {
        let context = self.0.take().expect("it is there until it is taken");
        CURRENT.set(Some(context));
        context
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if let Some(context) = self.0.take() {
            CONTEXTS.lock().free.push(context);
        }
    }
}

/// The lock of all contexts, which the first call of every thread takes.
pub(crate) fn fork_lock() -> &'static dyn ForkLock {
    &CONTEXTS
}

impl Contexts {
    /// Makes a new context, and room for it in both lists.
    fn add(&mut self) -> Result<&'static ThreadContext, Error> {
        let missing = self.all.len() + 1 - self.free.len();
        memory::room_for(&mut self.free, missing)?;
        memory::room_for(&mut self.all, 1)?;
        let context: &'static ThreadContext = Box::leak(memory::boxed(ThreadContext::new(self.all.len() as u32))?);
        self.all.push(context);
        Ok(context)
    }

    /// Registers [`thread_ends`] for the end of this thread; false if that is impossible.
    fn watch_thread(&mut self) -> bool {
        if ENDING.get() {
            return false;
        }
        // The function is never unloaded: this library is linked with -z nodelete.
        self.key = self.key.take().or_else(|| ExitKey::new(thread_ends));
        self.key.as_ref().is_some_and(ExitKey::mark_thread)
    }
}

impl ThreadContext {
    /// The context of the calling thread.
    #[inline]
    pub(crate) fn current() -> &'static ThreadContext {
        // Threads of libdvm have a context, and so have threads that have entered a call. Others get theirs from the
        // memory reserve.
        CURRENT.get().unwrap_or_else(|| ThreadContext::attach().expect("a context takes little memory"))
    }

    /// The same for a call that may be refused.
    #[inline]
    pub(crate) fn of_caller() -> Result<&'static ThreadContext, Error> {
        match CURRENT.get() {
            Some(context) => Ok(context),
            None => ThreadContext::attach(),
        }
    }

    /// In a forked child: makes the calling thread an ordinary thread outside all callbacks. True if it was a thread of
    /// libdvm.
    pub(crate) fn leave_orphaned() -> bool {
        let Some(context) = CURRENT.get() else { return false };
        let of_worker = context.worker.replace(UNPLACED) != UNPLACED;
        context.post.set(ptr::null());
        context.engine.set(None);
        context.depth.set(0);
        context.sealed.set(false);
        of_worker
    }

    /// A context for a thread that is about to start. Dropping the value returns the context.
    pub(crate) fn prepare() -> Result<Prepared, Error> {
        let mut contexts = CONTEXTS.lock();
        let context = match contexts.free.pop() {
            Some(context) => context,
            None => contexts.add()?,
        };
        context.borrowed.set(false);
        Ok(Prepared(Some(context)))
    }

    /// For a thread of libdvm that is about to end: returns its context.
    pub(crate) fn detach() {
        if let Some(context) = CURRENT.take() {
            CONTEXTS.lock().free.push(context);
        }
    }

    #[cold]
    fn attach() -> Result<&'static ThreadContext, Error> {
        if forked_child::is_orphan() {
            // The lock may be held for ever in a forked child.
            let context: &'static ThreadContext = Box::leak(memory::boxed(ThreadContext::new(0))?);
            CURRENT.set(Some(context));
            return Ok(context);
        }
        let mut contexts = CONTEXTS.lock();
        let context = match contexts.free.pop() {
            Some(context) => context,
            None => contexts.add()?,
        };
        context.borrowed.set(!contexts.watch_thread());
        drop(contexts);
        CURRENT.set(Some(context));
        Ok(context)
    }

    /// At the end of a call, outside callbacks: returns a context that would otherwise be lost.
    #[inline]
    pub(crate) fn end_borrowing(&self) {
        if self.borrowed.get() {
            ThreadContext::give_up();
        }
    }

    #[cold]
    fn give_up() {
        if let Some(context) = CURRENT.get().filter(|context| context.borrowed.get() && !context.inside()) {
            CURRENT.set(None);
            CONTEXTS.lock().free.push(context);
        }
    }

    fn new(turn: u32) -> ThreadContext {
        ThreadContext {
            presence: Presence::default(),
            counters: Counters::default(),
            engine: Cell::new(None),
            depth: Cell::new(0),
            worker: Cell::new(UNPLACED),
            post: Cell::new(ptr::null()),
            turn: Cell::new(turn),
            sealed: Cell::new(false),
            borrowed: Cell::new(false),
            given: Given::new(),
            made: Cell::new(0),
            own: UnsafeCell::new(Own {
                data: data::DataCache::new(),
                tasks: task::TaskCache::new(),
                frame: Frame::new(),
                reads: Index::new(),
                weights: Weights::new(),
                placed: Placed::new(),
                finishing: false,
                lifo_slot: None,
                giving_back: false,
                telling: false,
            }),
            #[cfg(debug_assertions)]
            lent: Cell::new(false),
        }
    }

    /// Lends the fields of the context's own thread. Inside `body`, neither a callback of the program nor another
    /// `with` may run.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each task")]
    pub(crate) fn with<R>(&self, body: impl FnOnce(&mut Own) -> R) -> R {
        #[cfg(debug_assertions)]
        let _lent = {
            struct Back<'a>(&'a Cell<bool>);
            impl Drop for Back<'_> {
                fn drop(&mut self) {
                    self.0.set(false);
                }
            }
            assert!(!self.lent.replace(true), "a context is lent once at a time");
            Back(&self.lent)
        };
        // SAFETY: only the context's thread calls this, and the calls do not nest.
        body(unsafe { &mut *self.own.get() })
    }

    /// Counts tasks that this thread gives to a worker, or takes away from it.
    #[inline]
    pub(crate) fn give(&self, worker: usize, tasks: i64) {
        self.given.add(worker, tasks);
    }

    /// The worker that this thread is.
    #[inline]
    pub(crate) fn worker(&self) -> Option<usize> {
        let worker = self.worker.get();
        (worker != UNPLACED).then_some(worker as usize)
    }

    /// Makes this thread a worker of the engine.
    ///
    /// Until the thread is dismissed, it holds the worker's slot, except while it only waits for the slot. Only a
    /// thread that is the worker uses a [`Post`], and no thread that was dismissed since.
    pub(crate) unsafe fn employ(&self, engine: KeptEngine, worker: usize) {
        self.engine.set(Some(engine));
        self.worker.set(worker as u16);
        self.post.set(ptr::from_ref(&engine.workers[worker]));
    }

    /// Ends the thread's being a worker: its task blocks, or (without an engine) it becomes an ordinary thread.
    pub(crate) fn dismiss(&self, engine: Option<KeptEngine>) {
        self.engine.set(engine);
        self.worker.set(UNPLACED);
        self.post.set(ptr::null());
    }

    /// The worker that this thread is.
    #[inline]
    pub(crate) fn post(&self) -> Option<Post<'_>> {
        // SAFETY: the engine, which has the workers, stays as long as this thread is a worker.
        let worker = unsafe { self.post.get().as_ref() }?;
        Some(Post { me: self.worker.get() as usize, worker })
    }

    /// True on a worker, and inside a callback of the program on any thread.
    #[inline]
    pub(crate) fn inside(&self) -> bool {
        self.worker.get() != UNPLACED || self.depth.get() > 0
    }

    /// True inside a free callback.
    pub(crate) fn is_giving_back(&self) -> bool {
        self.with(|own| own.giving_back)
    }

    /// True once per `count` calls.
    pub(crate) fn every(&self, count: u64) -> bool {
        let made = self.made.get() + 1;
        self.made.set(if made >= count { 0 } else { made });
        made >= count
    }

    /// The next of `count` numbers, in turn.
    pub(crate) fn deal(&self, count: usize) -> usize {
        let turn = self.turn.get();
        self.turn.set(turn.wrapping_add(1));
        turn as usize % count
    }

    /// The home of data that this thread writes: its worker, else the workers in turn.
    #[inline]
    pub(crate) fn home(&self, workers: usize) -> u32 {
        self.worker().unwrap_or_else(|| self.deal(workers)) as u32
    }

    /// Gives back the memory of freed data, with no lock held. A callback that frees more data leaves their memory to
    /// the call further up: a long chain of data that free each other needs no deep stack.
    #[inline]
    pub(crate) fn give_back(&'static self) {
        if self.with(|own| own.data.owes_nothing()) {
            return;
        }
        self.give_all_back();
    }

    /// A free callback threw. No task has failed, but the next wait, or finalize, has to report the error.
    #[cold]
    fn free_callback_failed(&self, message: &Error) {
        if let Some(engine) = self.engine.get() {
            engine.failures.failed(|| format!("a free callback {message}"));
        }
    }

    #[cold]
    fn give_all_back(&'static self) {
        if self.with(|own| own.giving_back || own.telling) {
            return;
        }
        while let Some(released) = self.with(|own| own.data.released()) {
            if released.is_memory() {
                released.give_back();
            } else if let Some(marked) = released.told() {
                self.tell(marked);
            } else if !self.call_out(released) {
                return; // what else is to be given back is the parent's
            }
        }
    }

    /// Tells the job of a change of a datum that other processes use as well.
    #[inline(never)]
    fn tell(&'static self, marked: data::DatumId) {
        let Some(engine) = self.engine.get() else { return };
        if let Some(job) = &engine.job {
            // What is to be given back meanwhile is left to the call further up.
            self.with(|own| own.telling = true);
            job.scheduler.told(marked);
            self.with(|own| own.telling = false);
        }
    }

    /// Calls the program's free callback; false in a forked child.
    #[inline(never)]
    fn call_out(&self, released: data::Released) -> bool {
        self.with(|own| own.giving_back = true);
        self.depth.set(self.depth.get() + 1);
        let thrown = forced::with_place(|| unwind_boundary::call(|| released.give_back())).err();
        if forked_child::is_orphan() {
            forked_child::end_without_worker(0);
            return false;
        }
        self.depth.set(self.depth.get() - 1);
        self.with(|own| own.giving_back = false);
        if let Some(message) = thrown {
            self.free_callback_failed(&message);
        }
        true
    }
}

/// Sums a counter over all contexts.
fn sum(which: Which) -> u64 {
    completion::sum(CONTEXTS.lock().all.iter().map(|context| &context.counters), which)
}

/// Tasks that were scheduled and have not ended.
pub(crate) fn outstanding() -> u64 {
    completion::outstanding(sum)
}

/// Tasks that were given to a worker, minus those that were taken away from it.
pub(crate) fn given(worker: usize) -> u64 {
    CONTEXTS.lock().all.iter().fold(0, |sum, context| sum.wrapping_add(context.given.to(worker)))
}

/// Tasks that have ended.
pub(crate) fn ended() -> u64 {
    sum(|counters| &counters.ended)
}

/// A number that changes whenever a task is scheduled, becomes ready or ends.
pub(crate) fn movements() -> u64 {
    let counts = |counters: &Counters| {
        [&counters.scheduled, &counters.activated, &counters.ended].map(|count| count.load(Ordering::Relaxed))
    };
    let contexts = CONTEXTS.lock();
    contexts.all.iter().flat_map(|context| counts(&context.counters)).fold(0, u64::wrapping_add)
}

/// Tasks that became ready and have not ended.
pub(crate) fn under_way() -> u64 {
    completion::under_way(sum)
}

/// True when a thread other than this one is inside a call.
pub(crate) fn others_active(mine: &ThreadContext) -> bool {
    fence::heavy();
    let mut any = false;
    others(mine)(&mut |presence| any |= presence.is_seen_inside());
    any
}

/// Shows the presence of each other thread, with the lock of all contexts held.
pub(crate) fn others(mine: &ThreadContext) -> impl Fn(&mut dyn FnMut(&Presence)) {
    move |visit| {
        let contexts = CONTEXTS.lock();
        contexts.all.iter().filter(|context| !ptr::eq(**context, mine)).for_each(|context| visit(&context.presence));
    }
}

/// Clears the counters of tasks, and frees the descriptors and blocks that contexts keep.
///
/// # Safety
/// No task and no datum exists, no worker runs, and no other thread is inside a call or can enter one.
pub(crate) unsafe fn reset() {
    let contexts = CONTEXTS.lock();
    for context in &contexts.all {
        for counter in [&context.counters.scheduled, &context.counters.activated, &context.counters.ended] {
            counter.store(0, Ordering::Release);
        }
        context.given.clear();
    }
    // SAFETY: no thread is inside a call, so no other thread accesses the contexts; no datum exists any more.
    unsafe {
        task::POOL.clear(contexts.all.iter().map(|context| &mut (*context.own.get()).tasks));
        data::STORE.give_blocks_back(contexts.all.iter().map(|context| &mut (*context.own.get()).data));
    }
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use super::*;

    static KEY: OnceLock<ExitKey> = OnceLock::new();

    /// Makes a call, and asks to be called again: four times in all, the last time after the destructors of all other
    /// keys.
    extern "C" fn call_at_the_end(_mark: *mut c_void) {
        assert!(crate::engine::enter().is_ok());
        assert!(KEY.get().expect("made below").mark_thread());
    }

    #[test]
    fn tasks_given_to_any_worker_are_counted_for_it_alone() {
        let (given, workers) = (Given::new(), [0, 1, 15, 16, 31, 32, 1000, usize::from(UNPLACED) - 1]);
        for (worker, tasks) in workers.into_iter().zip(1..) {
            assert_eq!(given.to(worker), 0);
            given.add(worker, tasks + 1);
            given.add(worker, -1);
        }
        assert!(workers.into_iter().zip(1..).all(|(worker, tasks)| given.to(worker) == tasks));
        assert_eq!((given.to(2), given.to(17), given.to(999)), (0, 0, 0));
        given.clear();
        assert!(workers.into_iter().all(|worker| given.to(worker) == 0));
    }

    /// Runs in a process of its own, where no other test has threads.
    #[test]
    fn a_thread_that_calls_while_it_ends_leaves_no_context_behind() {
        if testkit::playing() {
            crate::engine::init_alone().unwrap();
            let key = KEY.get_or_init(|| ExitKey::new(call_at_the_end).expect("a key is left"));
            let contexts = || CONTEXTS.lock().all.len();
            // This thread's context, and those of the workers, which may not exist before.
            let expected = 1 + crate::engine::enter().unwrap().engine().workers();
            for turn in 0..300 {
                let thread = std::thread::spawn(move || {
                    if turn % 2 == 0 {
                        assert!(crate::engine::enter().is_ok());
                    }
                    assert!(key.mark_thread());
                });
                thread.join().unwrap();
            }
            assert!(contexts() <= expected + 2, "{} contexts, {expected} expected", contexts());
            return crate::engine::finalize().unwrap();
        }
        let test = "engine::context::tests::a_thread_that_calls_while_it_ends_leaves_no_context_behind";
        testkit::passes(&mut testkit::part(test));
    }
}
