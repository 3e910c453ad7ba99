//! What each thread that calls libdvm keeps to itself; and below it what all workers share (`shared`, with what each
//! worker tells of itself in `counts`), a call into the engine (`call`), telling workers that there is something to do
//! (`waking`), and what stands there: the data that a task has got (`frame`), polled work (`source`), the workers'
//! threads (`threads`), a child of fork without them (`orphan`).
//!
//! A context belongs to one thread at a time. It outlives its thread: the next new thread takes it over, and the
//! counters go on. Only the presence and the counters are read by others.
//!
//! The presence protects the engine's memory. A thread outside tasks enters, and then looks for the engine; who ends
//! the engine hides it first, and then waits until no thread is inside (`idle::closing`). Workers need no such mark:
//! the engine ends after they have.

pub(crate) mod call;
pub(crate) mod counts;
pub(crate) mod frame;
pub(crate) mod orphan;
pub(crate) mod shared;
pub(crate) mod source;
pub(crate) mod threads;
mod waking;

use std::cell::{Cell, UnsafeCell};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::Deref;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sync::lock::{ForkLock, Mutex};

use frame::{Frame, Index};
use shared::{KeptEngine, Left, Worker};

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

/// What only the thread of the context touches.
pub(crate) struct Own {
    pub(crate) data: data::DataCache,
    pub(crate) tasks: task::TaskCache,
    pub(crate) frame: Frame,
    pub(crate) weights: Weights,
    /// Of the inputs of a task that is being scheduled and has many outputs as well.
    pub(crate) reads: Index,
    /// Placed tasks of the worker that this thread is.
    pub(crate) placed: Placed,
    /// True while the outputs of the task that has just run are being published.
    pub(crate) finishing: bool,
    /// A near task that the end of the last one has made ready here: it runs next, while its data are in the cache.
    lifo_slot: Option<OwnedTask>,
    /// True while memory is being given back, further up on this thread's stack.
    giving_back: bool,
}

impl Own {
    /// Keeps a near task to be run right after the one that is ending; gives it back when one is kept already, or none is
    /// ending: then it would be out of the reach of thieves for longer than a moment.
    #[inline]
    pub(crate) fn take_on(&mut self, task: OwnedTask) -> Option<OwnedTask> {
        if self.finishing && self.lifo_slot.is_none() {
            self.lifo_slot = Some(task);
            return None;
        }
        Some(task)
    }

    /// True when the worker that this thread is has tasks here.
    pub(crate) fn has_task(&self) -> bool {
        self.lifo_slot.is_some() || !self.placed.is_empty()
    }

    /// True when a task is kept while a callback of the program is about to be called: nobody else would see it
    /// meanwhile.
    #[inline]
    pub(crate) fn hides_a_task(&self) -> bool {
        !self.data.owes_nothing() && self.lifo_slot.is_some() && self.data.owes_a_call()
    }

    /// The task that is to be run next, if one was kept.
    #[inline]
    pub(crate) fn lifo_slot(&mut self) -> Option<OwnedTask> {
        self.lifo_slot.take()
    }

    /// For the thread that releases the slot: leaves the worker's tasks here, those that others may run in its queue.
    pub(crate) fn leave_behind(&mut self, post: Post<'_>, holds: impl FnOnce()) {
        if let Some(lifo_slot) = self.lifo_slot() {
            post.queue().keep(lifo_slot);
            holds();
        }
        post.exchange(|left| &mut left.placed, std::mem::replace(&mut self.placed, Placed::new()));
    }

    /// For the thread that has acquired the slot: takes the worker's tasks.
    pub(crate) fn receive(&mut self, post: Post<'_>) {
        self.placed = post.exchange(|left| &mut left.placed, Placed::new());
    }
}

/// The worker that a thread is, on that thread.
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
    /// The worker's own queue.
    #[inline]
    pub(crate) fn queue(self) -> OwnQueue<'a> {
        // SAFETY: this thread is the worker, by the promise made to `ThreadContext::employ`.
        unsafe { self.worker.queue.own() }
    }

    /// Puts a part of what stays with the slot there, and takes what was there.
    fn exchange<T>(self, part: fn(&mut Left) -> &mut T, mine: T) -> T {
        // SAFETY: as in `queue`; `part`, of this file, only names a field.
        unsafe { self.worker.slot.0.with_left(|left| std::mem::replace(part(left), mine)) }
    }

    /// Exchanges all ready tasks, which a seed draws from.
    pub(crate) fn exchange_batch(self, batch: VecDeque<Item>) -> VecDeque<Item> {
        self.exchange(|left| &mut left.batch, batch)
    }
}

/// How many tasks this thread has given to each worker, minus those that it has taken away from it. Only the context's
/// thread counts.
struct Given {
    first: [AtomicU64; FIRST],
    /// For further workers, each list twice as long as the one before.
    further: [OnceLock<Box<[AtomicU64]>>; LISTS],
}

/// The workers whose numbers lie in the context itself.
const FIRST: usize = 16;

/// So many lists hold the others: a worker is a `u16`.
const LISTS: usize = 12;

/// The list with a worker behind the first, and its length, which is also the number of workers before it.
fn list_of(worker: usize) -> (usize, usize) {
    let list = (worker / FIRST).ilog2() as usize;
    (list, FIRST << list)
}

impl Given {
    const fn new() -> Given {
        Given { first: [const { AtomicU64::new(0) }; FIRST], further: [const { OnceLock::new() }; LISTS] }
    }

    /// Counts a task; for the context's thread.
    #[inline]
    fn add(&self, worker: usize, tasks: i64) {
        let given = match self.first.get(worker) {
            Some(given) => given,
            None => self.further(worker),
        };
        given.store(given.load(Ordering::Relaxed).wrapping_add_signed(tasks), Ordering::Release);
    }

    #[inline(never)]
    fn further(&self, worker: usize) -> &AtomicU64 {
        let (list, length) = list_of(worker);
        let numbers = self.further[list].get_or_init(|| (0..length).map(|_| AtomicU64::new(0)).collect());
        &numbers[worker - length]
    }

    /// The number for a worker.
    fn to(&self, worker: usize) -> u64 {
        let given = self.first.get(worker).or_else(|| {
            let (list, length) = list_of(worker);
            self.further[list].get()?.get(worker - length)
        });
        given.map_or(0, |given| given.load(Ordering::Acquire))
    }

    /// Forgets all tasks.
    fn clear(&self) {
        let further = self.further.iter().filter_map(OnceLock::get).flatten();
        self.first.iter().chain(further).for_each(|given| given.store(0, Ordering::Release));
    }
}

/// What a thread keeps to itself.
#[repr(align(128))]
pub(crate) struct ThreadContext {
    /// Whether a call of this thread outside tasks is under way.
    pub(crate) presence: Presence,
    pub(crate) counters: Counters,
    /// The engine that this thread is inside of.
    pub(crate) engine: Cell<Option<KeptEngine>>,
    /// Callbacks of the program on this thread's stack, but for the one of the worker's task.
    pub(crate) depth: Cell<u32>,
    worker: Cell<u16>,
    /// What others see of that worker; NULL on other threads.
    post: Cell<*const Worker>,
    /// Deals out homes and places in turn.
    turn: Cell<u32>,
    /// True while the program is asked something and may not leave its worker to another thread.
    pub(crate) sealed: Cell<bool>,
    /// True when nobody will be told of the thread's end: the context goes back at the end of each call.
    borrowed: Cell<bool>,
    given: Given,
    /// Tasks scheduled since they were last held against the window.
    made: Cell<u64>,
    own: UnsafeCell<Own>,
    #[cfg(debug_assertions)]
    lent: Cell<bool>,
}

// SAFETY: other threads only touch the atomics; everything else belongs to the thread that has the context, and
// contexts change threads under the lock of `CONTEXTS`.
unsafe impl Sync for ThreadContext {}
// SAFETY: as above.
unsafe impl Send for ThreadContext {}

struct Contexts {
    all: Vec<&'static ThreadContext>,
    /// Has room for all.
    free: Vec<&'static ThreadContext>,
    /// Tells of the ends of threads.
    key: Option<ExitKey>,
}

static CONTEXTS: Mutex<Contexts> = Mutex::new(Contexts { all: Vec::new(), free: Vec::new(), key: None });

/// Called by the C library when a thread ends that has a context. Unlike a destructor of Rust's, which may allocate
/// when it is registered, a key is registered before, and a thread that ends may still call: other keys' destructors
/// do.
extern "C" fn thread_ends(_mark: *mut c_void) {
    ENDING.set(true);
    // In a forked child the lock may be held for ever, and nobody needs the context.
    if let Some(context) = CURRENT.take().filter(|_| !orphan::is_orphan()) {
        CONTEXTS.lock().free.push(context);
    }
}

thread_local! {
    static CURRENT: Cell<Option<&'static ThreadContext>> = const { Cell::new(None) };
    /// True once the thread's end has begun: nobody is told a second time.
    static ENDING: Cell<bool> = const { Cell::new(false) };
}

/// A context that waits for its thread.
pub(crate) struct Prepared(Option<&'static ThreadContext>);

impl Prepared {
    /// The calling thread's from now on.
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

/// The lock of all contexts, which every first call of a thread takes.
pub(crate) fn fork_lock() -> &'static dyn ForkLock {
    &CONTEXTS
}

impl Contexts {
    /// A new context, and room in all lists for it.
    fn add(&mut self) -> Result<&'static ThreadContext, Error> {
        let missing = self.all.len() + 1 - self.free.len();
        memory::room_for(&mut self.free, missing)?;
        memory::room_for(&mut self.all, 1)?;
        let context: &'static ThreadContext = Box::leak(memory::boxed(ThreadContext::new(self.all.len() as u32))?);
        self.all.push(context);
        Ok(context)
    }

    /// Has [`thread_ends`] called at the end of this thread; true when it will be.
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
        // Threads of libdvm, and what calls have entered before, have one. Others get what there is in reserve.
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

    /// In a forked child: makes the calling thread an ordinary one, outside of all callbacks. True when it was a thread
    /// of libdvm.
    pub(crate) fn leave_orphaned() -> bool {
        let Some(context) = CURRENT.get() else { return false };
        let of_worker = context.worker.replace(UNPLACED) != UNPLACED;
        context.post.set(ptr::null());
        context.engine.set(None);
        context.depth.set(0);
        context.sealed.set(false);
        of_worker
    }

    /// A context for a thread that is about to be started; it is given back when that is not.
    pub(crate) fn prepare() -> Result<Prepared, Error> {
        let mut contexts = CONTEXTS.lock();
        let context = match contexts.free.pop() {
            Some(context) => context,
            None => contexts.add()?,
        };
        context.borrowed.set(false);
        Ok(Prepared(Some(context)))
    }

    /// For a thread of libdvm that is about to end: gives its context back.
    pub(crate) fn lay_down() {
        if let Some(context) = CURRENT.take() {
            CONTEXTS.lock().free.push(context);
        }
    }

    #[cold]
    fn attach() -> Result<&'static ThreadContext, Error> {
        if orphan::is_orphan() {
            // The lock may be held for ever.
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

    /// Gives back a context that would otherwise be lost. At the end of a call; not inside a callback.
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
            }),
            #[cfg(debug_assertions)]
            lent: Cell::new(false),
        }
    }

    /// Lends what only this thread touches. Neither callbacks of the program nor another `with` may run inside.
    #[inline]
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
        // SAFETY: only the context's thread comes here, and only once at a time.
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
    /// # Safety
    /// Until it is dismissed the thread holds the worker's slot, but for times when it only waits for that. A [`Post`] is
    /// used by a thread that is the worker, not by one that has been dismissed since.
    pub(crate) unsafe fn employ(&self, engine: KeptEngine, worker: usize) {
        self.engine.set(Some(engine));
        self.worker.set(worker as u16);
        self.post.set(ptr::from_ref(&engine.workers[worker]));
    }

    /// Makes this thread none of the workers: one of a task that blocks, or, without an engine, an ordinary one.
    pub(crate) fn dismiss(&self, engine: Option<KeptEngine>) {
        self.engine.set(engine);
        self.worker.set(UNPLACED);
        self.post.set(ptr::null());
    }

    /// The worker that this thread is.
    #[inline]
    pub(crate) fn post(&self) -> Option<Post<'_>> {
        // SAFETY: the engine, which has the workers, stays as long as this thread is one.
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

    /// The next of `count` in turn.
    pub(crate) fn deal(&self, count: usize) -> usize {
        let turn = self.turn.get();
        self.turn.set(turn.wrapping_add(1));
        turn as usize % count
    }

    /// The worker that data written by this thread are at home with.
    #[inline]
    pub(crate) fn home(&self, workers: usize) -> u32 {
        self.worker().unwrap_or_else(|| self.deal(workers)) as u32
    }

    /// Gives back what has become free, with no lock held. A callback that frees more leaves it to the call further up,
    /// so that a long chain of data that free each other needs no deep stack.
    #[inline]
    pub(crate) fn give_back(&self) {
        if self.with(|own| own.data.owes_nothing()) {
            return;
        }
        self.give_all_back();
    }

    /// No task has failed, but somebody has to be told: the next wait, or finalize.
    #[cold]
    fn free_callback_failed(&self, message: &Error) {
        if let Some(engine) = self.engine.get() {
            engine.failures.failed(|| format!("a free callback {message}"));
        }
    }

    #[cold]
    fn give_all_back(&self) {
        while let Some(released) = self.with(|own| if own.giving_back { None } else { own.data.released() }) {
            if !released.calls_out() {
                released.give_back();
            } else if !self.call_out(released) {
                return; // what else is to be given back is the parent's
            }
        }
    }

    /// Gives back what the program takes back itself; false in a forked child.
    #[inline(never)]
    fn call_out(&self, released: data::Released) -> bool {
        self.with(|own| own.giving_back = true);
        self.depth.set(self.depth.get() + 1);
        let thrown = forced::with_place(|| unwind_boundary::call(|| released.give_back())).err();
        if orphan::is_orphan() {
            orphan::end_without_worker(0);
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

/// Shows the presence of each thread other than this one, with the lock of all contexts held.
pub(crate) fn others(mine: &ThreadContext) -> impl Fn(&mut dyn FnMut(&Presence)) {
    move |visit| {
        let contexts = CONTEXTS.lock();
        contexts.all.iter().filter(|context| !ptr::eq(**context, mine)).for_each(|context| visit(&context.presence));
    }
}

/// Forgets the tasks that were counted, and the descriptors and blocks that contexts keep.
///
/// # Safety
/// No task and no datum exists, no worker runs, and no other thread is inside a call or can get inside.
pub(crate) unsafe fn reset() {
    let contexts = CONTEXTS.lock();
    for context in &contexts.all {
        for counter in [&context.counters.scheduled, &context.counters.activated, &context.counters.ended] {
            counter.store(0, Ordering::Release);
        }
        context.given.clear();
    }
    // SAFETY: nobody is inside a call, so nobody else touches what the contexts own; no datum exists any more.
    unsafe {
        task::POOL.clear(contexts.all.iter().map(|context| &mut (*context.own.get()).tasks));
        data::STORE.give_blocks_back(contexts.all.iter().map(|context| &mut (*context.own.get()).data));
    }
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use super::*;

    static KEY: OnceLock<ExitKey> = OnceLock::new();

    /// Calls, and asks to be called again: four times in all, the last of them after every other key's destructor.
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

    /// In a process of its own, where no other test has threads.
    #[test]
    fn a_thread_that_calls_while_it_ends_leaves_no_context_behind() {
        if testkit::playing() {
            crate::engine::init().unwrap();
            let key = KEY.get_or_init(|| ExitKey::new(call_at_the_end).expect("a key is left"));
            let contexts = || CONTEXTS.lock().all.len();
            // This thread's, and the workers', who may make theirs only now.
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
