//! A worker's ready tasks.
//!
//! Tasks placed by rank run in the order in which they became ready. Other threads put them into `inbox`, until the
//! worker takes them all into its private list ([`Placed`]). The worker empties the inbox before it appends to the
//! list, so tasks in the inbox became ready after all tasks in the list.
//!
//! Tasks near their data may be stolen. Those that the worker makes ready are in `deque`: it runs the newest first,
//! since their data are in its cache, and thieves take the oldest. Those that other threads make ready are in
//! `stealable`; the first to come moves them to its own deque, and so runs them oldest first. Tasks that do not fit the
//! deque, if it cannot grow, wait in `rest` until the next such move: the stealable inbox may be long, and must not be
//! traversed again.

use crate::processing::Signature;
use crate::sync::deque::{Deque, Steal};
use crate::sync::inbox::{Chain, Inbox, Node, NodeLine};
use crate::task::{Item, Task};

/// The shared part of a worker's ready tasks.
#[repr(align(128))]
pub(crate) struct ReadyQueue {
    inbox: Inbox,
    stealable: Inbox,
    rest: Inbox,
    /// Its ends are on separate cache lines.
    deque: Deque,
}

impl ReadyQueue {
    pub(crate) fn new() -> ReadyQueue {
        ReadyQueue { inbox: Inbox::new(), stealable: Inbox::new(), rest: Inbox::new(), deque: Deque::new() }
    }

    /// Hands a task to its worker: only that worker may run it, and the caller may have to wake it.
    ///
    /// # Safety
    /// The caller owns the task and hands it over.
    #[inline]
    pub(crate) unsafe fn hand_over(&self, task: *mut Task) {
        // SAFETY: by this function's contract.
        self.inbox.push(unsafe { Task::node(task) });
    }

    /// Offers a task to the worker and to thieves.
    ///
    /// # Safety
    /// The caller owns the task and hands it over.
    #[inline]
    pub(crate) unsafe fn send(&self, task: *mut Task) {
        // SAFETY: by this function's contract.
        self.stealable.push(unsafe { Task::node(task) });
    }

    /// For the worker itself: keeps a task, which others may steal.
    #[inline]
    pub(crate) fn keep(&self, task: *mut Task) {
        if !self.deque.push(Item::task(task).word()) {
            // The deque cannot grow; the stealable inbox needs no memory.
            // SAFETY: the caller owns the task and hands it over.
            self.stealable.push(unsafe { Task::node(task) });
        }
    }

    /// The same for a task without arguments or descriptor; false if the deque cannot grow.
    #[inline]
    pub(crate) fn keep_argumentless(&self, signature: &'static Signature) -> bool {
        self.deque.push(Item::argumentless(signature).word())
    }

    /// For the worker itself: takes its newest kept task, else the oldest from the stealable inbox. During the move,
    /// nobody sees the tasks of that inbox: if it has more, `announce` is called once they are visible again.
    #[inline]
    pub(crate) fn take(&self, announce: impl FnOnce()) -> Option<Item> {
        match self.deque.pop() {
            Some(word) => Some(Item::from_word(word)),
            None if self.nothing_mailed() => None,
            None => self.take_mail(announce),
        }
    }

    /// For the worker itself: takes the oldest kept task, which would wait for ever if newer ones keep coming.
    pub(crate) fn take_oldest(&self) -> Option<Item> {
        self.steal_kept()
    }

    /// For the worker itself: takes the oldest task from the stealable inbox; the others go on top of the kept ones.
    pub(crate) fn take_sent(&self, announce: impl FnOnce()) -> Option<Item> {
        if self.nothing_mailed() { None } else { self.take_mail(announce) }
    }

    #[cold]
    #[inline(never)]
    fn take_mail(&self, announce: impl FnOnce()) -> Option<Item> {
        self.move_mail(self.all_mail());
        let task = self.deque.pop()?;
        if self.has_stealable() {
            announce();
        }
        Some(Item::from_word(task))
    }

    /// The tasks from the stealable inbox, with earlier leftovers first.
    fn all_mail(&self) -> Chain {
        let rest = self.rest.take_all();
        if rest.is_empty() { self.stealable.take_all() } else { rest }
    }

    /// Puts tasks, newest first, into the deque, as far as it has room or can grow.
    fn move_mail(&self, mut chain: Chain) {
        while let Some(node) = chain.next() {
            if !self.deque.push(Item::task(expected(&node)).word()) {
                chain.give_back(node);
                return self.rest.put(chain);
            }
        }
    }

    #[inline]
    fn nothing_mailed(&self) -> bool {
        self.stealable.is_empty() && self.rest.is_empty()
    }

    /// For the worker of queue `thief`: takes the oldest kept task, or moves all of the stealable inbox and takes its
    /// oldest; the caller announces the others.
    pub(crate) fn steal(&self, thief: &ReadyQueue) -> Option<Item> {
        if let Some(kept) = self.steal_kept() {
            return Some(kept);
        }
        if self.nothing_mailed() {
            return None;
        }
        thief.move_mail(self.all_mail());
        thief.take(|| {})
    }

    /// Takes the oldest kept task.
    fn steal_kept(&self) -> Option<Item> {
        loop {
            match self.deque.steal() {
                Steal::Item(word) => return Some(Item::from_word(word)),
                Steal::Retry => std::hint::spin_loop(),
                Steal::Empty => return None,
            }
        }
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

/// The task of a node, whose first data other threads have written last: asks for their lines.
#[inline]
fn expected(node: &Node) -> *mut Task {
    let task = Task::of(node.address());
    // SAFETY: the node is a task's, as all in these lists, and whoever has the node owns it.
    unsafe { Task::expect_data(task) };
    task
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
            expected(&node);
            self.0.push(node);
        }
    }

    /// Appends a task that this worker made ready, after all tasks that were ready before.
    ///
    /// # Safety
    /// The caller owns the task and hands it over.
    #[inline]
    pub(crate) unsafe fn push(&mut self, queue: &ReadyQueue, task: *mut Task) {
        self.collect(queue);
        // SAFETY: by this function's contract.
        self.0.push(unsafe { Task::node(task) });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<*mut Task> {
        if self.0.is_empty() { None } else { self.0.pop().map(Task::of) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processing::Signature;
    use crate::task::{POOL, TaskCache, UNPLACED};

    struct Scene {
        cache: TaskCache,
        tasks: Vec<*mut Task>,
    }

    impl Scene {
        fn new(count: usize) -> Scene {
            let mut cache = TaskCache::new();
            let tasks: Vec<_> = (0..count).map(|_| POOL.take(&mut cache, 0).unwrap()).collect();
            let signature = Signature::none();
            // SAFETY: just taken from the pool.
            tasks.iter().for_each(|&task| unsafe { Task::fill(task, signature, &[], UNPLACED) });
            Scene { cache, tasks }
        }

        /// Hands a task over; each goes into one list.
        fn hand_over(&self, queue: &ReadyQueue, place: usize) {
            // SAFETY: it is owned here.
            unsafe { queue.hand_over(self.tasks[place]) };
        }

        /// The same for one that anybody may run.
        fn send(&self, queue: &ReadyQueue, place: usize) {
            // SAFETY: as above.
            unsafe { queue.send(self.tasks[place]) };
        }

        /// The same for one that the worker has made ready itself.
        fn push(&self, placed: &mut Placed, queue: &ReadyQueue, place: usize) {
            // SAFETY: as above.
            unsafe { placed.push(queue, self.tasks[place]) };
        }
    }

    impl Drop for Scene {
        fn drop(&mut self) {
            for &task in &self.tasks {
                // SAFETY: the test has taken it out of all lists.
                unsafe { POOL.give(&mut self.cache, task, 0) };
            }
        }
    }

    #[test]
    fn placed_tasks_run_in_the_order_of_readiness() {
        let (scene, queue, mut placed) = (Scene::new(6), ReadyQueue::new(), Placed::new());
        let tasks = &scene.tasks;
        for place in 0..6 {
            if place % 3 < 2 { scene.hand_over(&queue, place) } else { scene.push(&mut placed, &queue, place) }
        }
        assert_eq!(std::iter::from_fn(|| placed.pop()).collect::<Vec<_>>(), *tasks);
        assert!(queue.nothing_handed_over() && !queue.has_stealable());
    }

    /// During the move of the stealable inbox, a worker that looks for the last time sees none of it.
    #[test]
    fn mail_that_was_moved_is_announced_when_others_may_have_missed_it() {
        let (scene, queue) = (Scene::new(4), ReadyQueue::new());
        let announced = std::cell::Cell::new(0);
        let take = || queue.take(|| announced.set(announced.get() + 1));
        (0..3).for_each(|place| scene.send(&queue, place));
        assert_eq!((take(), announced.get()), (Some(Item::task(scene.tasks[0])), 1));
        assert_eq!((take(), announced.get()), (Some(Item::task(scene.tasks[1])), 1), "they lie open now");
        assert_eq!((take(), announced.get()), (Some(Item::task(scene.tasks[2])), 1));
        scene.send(&queue, 3);
        assert_eq!((take(), announced.get()), (Some(Item::task(scene.tasks[3])), 1), "there was only one");
    }

    #[test]
    fn the_oldest_of_each_kind_can_be_asked_for() {
        let (scene, queue) = (Scene::new(5), ReadyQueue::new());
        let tasks = &scene.tasks;
        tasks[..3].iter().for_each(|&task| queue.keep(task));
        (3..5).for_each(|place| scene.send(&queue, place));
        assert_eq!(queue.take_oldest(), Some(Item::task(tasks[0])));
        assert_eq!(
            queue.take_sent(|| {}),
            Some(Item::task(tasks[3])),
            "the oldest of the inbox, though the deque has some"
        );
        assert_eq!(queue.take_sent(|| {}), None);
        assert_eq!(
            queue.take(|| {}),
            Some(Item::task(tasks[4])),
            "what came through the stealable inbox goes before what was kept"
        );
        assert_eq!(queue.take_oldest(), Some(Item::task(tasks[1])));
        assert_eq!(queue.take(|| {}), Some(Item::task(tasks[2])));
        assert_eq!(queue.take_oldest(), None);
    }

    #[test]
    fn thieves_take_the_oldest_near_task_and_never_a_placed_one() {
        let (scene, victim, thief) = (Scene::new(6), ReadyQueue::new(), ReadyQueue::new());
        let tasks = &scene.tasks;
        scene.hand_over(&victim, 0);
        (3..6).for_each(|place| scene.send(&victim, place));
        victim.keep(tasks[1]);
        victim.keep(tasks[2]);
        assert_eq!(victim.steal(&thief), Some(Item::task(tasks[1])));
        assert_eq!(victim.take(|| {}), Some(Item::task(tasks[2])), "the owner takes the newest of its own");
        assert_eq!(victim.steal(&thief), Some(Item::task(tasks[3])), "the stealable inbox moves over, oldest first");
        assert_eq!(thief.take(|| {}), Some(Item::task(tasks[4])));
        assert_eq!(victim.take(|| {}), None);
        assert_eq!(thief.steal(&victim), Some(Item::task(tasks[5])), "what was moved can be stolen back");
        assert_eq!(victim.steal(&thief), None);
        let mut placed = Placed::new();
        placed.collect(&victim);
        assert_eq!(placed.pop(), Some(tasks[0]));
    }
}
