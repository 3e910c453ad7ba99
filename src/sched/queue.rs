//! A worker's ready tasks.
//!
//! Tasks placed by rank run in the order in which they became ready. Other threads put them into `inbox`, until the
//! worker takes them all into its private list ([`Placed`]). The worker empties the inbox before it appends to the
//! list, so tasks in the inbox became ready after all tasks in the list.
//!
//! Tasks near their data may be stolen. Those that the worker makes ready are in `deque`: it runs the newest first,
//! since their data are in its cache, and thieves take the oldest. Those that other threads make ready are in
//! `stealable`. The first worker that looks there moves them to its own deque, and so runs them oldest first. Tasks
//! that do not fit into a deque that cannot grow wait in `rest` until the next such move: the stealable inbox may be
//! long, and must not be traversed again.

use std::marker::PhantomData;
use std::ops::Deref;

use crate::processing::Signature;
use crate::sync::inbox::{Chain, Inbox, NodeLine};
use crate::task::{Item, ItemDeque, OwnedTask, WorkerEnd};

/// The shared part of a worker's ready tasks.
#[repr(align(128))]
pub(crate) struct ReadyQueue {
    inbox: Inbox,
    stealable: Inbox,
    rest: Inbox,
    /// The two ends are on separate cache lines.
    deque: ItemDeque,
}

impl ReadyQueue {
    pub(crate) fn new() -> ReadyQueue {
        ReadyQueue { inbox: Inbox::new(), stealable: Inbox::new(), rest: Inbox::new(), deque: ItemDeque::new() }
    }

    /// Hands a task to its worker. Only that worker may run the task, and the caller may have to wake it.
    #[inline]
    pub(crate) fn hand_over(&self, task: OwnedTask) {
        self.inbox.push(task.into());
    }

    /// Offers a task to the worker and to thieves.
    #[inline]
    pub(crate) fn send(&self, task: OwnedTask) {
        self.stealable.push(task.into());
    }

    /// The queue as its worker uses it.
    ///
    /// # Safety
    /// Whenever the value is used, the calling thread is the worker: it holds the worker's slot.
    #[inline]
    pub(crate) unsafe fn own(&self) -> OwnQueue<'_> {
        OwnQueue(self, PhantomData)
    }

    /// Takes the tasks of the stealable inbox, with earlier leftovers first.
    fn all_stealable(&self) -> Chain {
        let rest = self.rest.take_all();
        if rest.is_empty() { self.stealable.take_all() } else { rest }
    }

    #[inline]
    fn nothing_mailed(&self) -> bool {
        self.stealable.is_empty() && self.rest.is_empty()
    }

    /// For the worker of queue `thief`: takes the oldest kept task, or moves the whole stealable inbox and takes its
    /// oldest task. The caller announces the other tasks.
    pub(crate) fn steal(&self, thief: OwnQueue<'_>) -> Option<Item> {
        if let Some(kept) = self.deque.steal() {
            return Some(kept);
        }
        if self.nothing_mailed() {
            return None;
        }
        thief.move_to_deque(self.all_stealable());
        thief.take(|| {})
    }

    /// Whether no task was handed over.
    #[inline]
    pub(crate) fn nothing_handed_over(&self) -> bool {
        self.inbox.is_empty()
    }

    /// Whether there is a task that any worker may run.
    #[inline]
    pub(crate) fn has_stealable(&self) -> bool {
        !self.deque.is_empty() || !self.nothing_mailed()
    }
}

/// A worker's queue on the worker's own thread.
#[derive(Clone, Copy)]
pub(crate) struct OwnQueue<'a>(&'a ReadyQueue, PhantomData<*const ()>);

impl Deref for OwnQueue<'_> {
    type Target = ReadyQueue;
    #[inline]
    fn deref(&self) -> &ReadyQueue {
        self.0
    }
}

impl<'a> OwnQueue<'a> {
    #[inline]
    fn deque(self) -> WorkerEnd<'a> {
        // SAFETY: the thread is the worker, by the contract of `own`; the worker owns its deque.
        unsafe { self.0.deque.worker_end() }
    }

    /// Keeps a task, which others may steal.
    #[inline]
    pub(crate) fn keep(self, task: OwnedTask) {
        self.push(task).unwrap_or_else(|task| self.send(task)); // the stealable inbox needs no memory
    }

    /// Pushes a task to the deque, or returns the task if the deque cannot grow.
    #[inline]
    fn push(self, task: OwnedTask) -> Result<(), OwnedTask> {
        self.deque().push(Item::task(task)).map_err(|item| item.into_task().expect("made of one"))
    }

    /// Keeps a task without arguments or descriptor; false if the deque cannot grow.
    #[inline]
    pub(crate) fn keep_argumentless(self, signature: &'static Signature) -> bool {
        self.deque().push(Item::argumentless(signature)).is_ok()
    }

    /// Takes the newest kept task, else the oldest of the stealable inbox. During the move no thread sees the tasks of
    /// that inbox. If it had more, `announce` is called once they are visible again.
    #[inline]
    pub(crate) fn take(self, announce: impl FnOnce()) -> Option<Item> {
        match self.deque().pop() {
            Some(item) => Some(item),
            None if self.nothing_mailed() => None,
            None => self.take_mail(announce),
        }
    }

    /// Takes the oldest kept task, which newer tasks could otherwise delay for ever.
    pub(crate) fn take_oldest(self) -> Option<Item> {
        self.0.deque.steal()
    }

    /// Takes the oldest task of the stealable inbox; the other tasks go on top of the kept ones.
    pub(crate) fn take_sent(self, announce: impl FnOnce()) -> Option<Item> {
        if self.nothing_mailed() { None } else { self.take_mail(announce) }
    }

    #[cold]
    #[inline(never)]
    fn take_mail(self, announce: impl FnOnce()) -> Option<Item> {
        self.move_to_deque(self.all_stealable());
        let item = self.deque().pop()?;
        if self.has_stealable() {
            announce();
        }
        Some(item)
    }

    /// Puts tasks, newest first, into the deque, as far as the deque has room or can grow.
    fn move_to_deque(self, mut chain: Chain) {
        while let Some(node) = chain.next() {
            let task = OwnedTask::from(node);
            task.expect_data(); // other threads have written them last
            if let Err(task) = self.push(task) {
                chain.give_back(task.into());
                return self.rest.put(chain);
            }
        }
    }
}

/// The placed tasks that a worker took out of its inbox or made ready itself. Only the worker uses it.
pub(crate) struct Placed(NodeLine);

impl Placed {
    pub(crate) const fn new() -> Placed {
        Placed(NodeLine::new())
    }

    /// Takes all tasks from the inbox.
    #[inline]
    pub(crate) fn collect(&mut self, queue: &ReadyQueue) {
        if !queue.nothing_handed_over() {
            self.append_all(queue.inbox.take_all());
        }
    }

    #[inline(never)]
    fn append_all(&mut self, chain: Chain) {
        for node in chain.reversed() {
            let task = OwnedTask::from(node);
            task.expect_data(); // other threads have written them last
            self.0.push(task.into());
        }
    }

    /// Appends a task that this worker made ready, after all tasks that were ready before.
    #[inline]
    pub(crate) fn push(&mut self, queue: &ReadyQueue, task: OwnedTask) {
        self.collect(queue);
        self.0.push(task.into());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<OwnedTask> {
        if self.0.is_empty() { None } else { self.0.pop().map(OwnedTask::from) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{POOL, Ready, TaskCache, UNPLACED};

    /// Makes new tasks; returns them and their addresses.
    fn tasks<const N: usize>(cache: &mut TaskCache) -> ([OwnedTask; N], [usize; N]) {
        let tasks = std::array::from_fn(|_| POOL.take(cache, Signature::none(), &[], UNPLACED).unwrap());
        let addresses = tasks.each_ref().map(OwnedTask::address);
        (tasks, addresses)
    }

    /// The queue as seen by its worker, which is the test.
    fn own(queue: &ReadyQueue) -> OwnQueue<'_> {
        // SAFETY: each queue belongs to one test, on one thread.
        unsafe { queue.own() }
    }

    /// The address of a task, which goes back to the pool.
    fn done(cache: &mut TaskCache, task: OwnedTask) -> usize {
        let address = task.address();
        POOL.give(cache, task);
        address
    }

    /// The same for an item; 0 for none.
    fn end(cache: &mut TaskCache, item: Option<Item>) -> usize {
        match item.map(Item::open) {
            Some(Ready::Task(task)) => done(cache, task),
            Some(Ready::Argumentless(_)) => panic!("a task with a descriptor"),
            None => 0,
        }
    }

    #[test]
    fn placed_tasks_run_in_the_order_of_readiness() {
        let (mut cache, queue, mut placed) = (TaskCache::new(), ReadyQueue::new(), Placed::new());
        let (tasks, addresses) = tasks::<6>(&mut cache);
        for (place, task) in tasks.into_iter().enumerate() {
            if place % 3 < 2 { queue.hand_over(task) } else { placed.push(&queue, task) }
        }
        let popped: Vec<_> = std::iter::from_fn(|| placed.pop()).map(|task| done(&mut cache, task)).collect();
        assert_eq!(popped, addresses);
        assert!(queue.nothing_handed_over() && !queue.has_stealable());
    }

    /// During the move of the stealable inbox, a worker that looks for the last time sees none of its tasks.
    #[test]
    fn mail_that_was_moved_is_announced_when_others_may_have_missed_it() {
        let (mut cache, queue) = (TaskCache::new(), ReadyQueue::new());
        let ([first, second, third, last], addresses) = tasks(&mut cache);
        let announced = std::cell::Cell::new(0);
        let mut take = || (end(&mut cache, own(&queue).take(|| announced.set(announced.get() + 1))), announced.get());
        for task in [first, second, third] {
            queue.send(task);
        }
        assert_eq!(take(), (addresses[0], 1));
        assert_eq!(take(), (addresses[1], 1), "they lie open now");
        assert_eq!(take(), (addresses[2], 1));
        queue.send(last);
        assert_eq!(take(), (addresses[3], 1), "there was only one");
    }

    #[test]
    fn the_oldest_of_each_kind_can_be_asked_for() {
        let (mut cache, queue) = (TaskCache::new(), ReadyQueue::new());
        let ([first, second, third, fourth, fifth], addresses) = tasks(&mut cache);
        let own = own(&queue);
        for task in [first, second, third] {
            own.keep(task);
        }
        for task in [fourth, fifth] {
            queue.send(task);
        }
        assert_eq!(end(&mut cache, own.take_oldest()), addresses[0]);
        assert_eq!(
            end(&mut cache, own.take_sent(|| {})),
            addresses[3],
            "the oldest of the inbox, though the deque has some"
        );
        assert!(own.take_sent(|| {}).is_none());
        assert_eq!(
            end(&mut cache, own.take(|| {})),
            addresses[4],
            "what came through the stealable inbox goes before what was kept"
        );
        assert_eq!(end(&mut cache, own.take_oldest()), addresses[1]);
        assert_eq!(end(&mut cache, own.take(|| {})), addresses[2]);
        assert!(own.take_oldest().is_none());
    }

    #[test]
    fn thieves_take_the_oldest_near_task_and_never_a_placed_one() {
        let (mut cache, victim, thief) = (TaskCache::new(), ReadyQueue::new(), ReadyQueue::new());
        let ([placed, kept, newest, fourth, fifth, last], addresses) = tasks(&mut cache);
        let (of_victim, of_thief) = (own(&victim), own(&thief));
        victim.hand_over(placed);
        for task in [fourth, fifth, last] {
            victim.send(task);
        }
        for task in [kept, newest] {
            of_victim.keep(task);
        }
        assert_eq!(end(&mut cache, victim.steal(of_thief)), addresses[1]);
        assert_eq!(end(&mut cache, of_victim.take(|| {})), addresses[2], "the owner takes the newest of its own");
        assert_eq!(
            end(&mut cache, victim.steal(of_thief)),
            addresses[3],
            "the stealable inbox moves over, oldest first"
        );
        assert_eq!(end(&mut cache, of_thief.take(|| {})), addresses[4]);
        assert!(of_victim.take(|| {}).is_none());
        assert_eq!(end(&mut cache, thief.steal(of_victim)), addresses[5], "what was moved can be stolen back");
        assert!(victim.steal(of_thief).is_none());
        let mut placed = Placed::new();
        placed.collect(&victim);
        assert_eq!(placed.pop().map(|task| done(&mut cache, task)), Some(addresses[0]));
    }
}
