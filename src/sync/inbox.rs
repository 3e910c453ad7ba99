//! What others leave for a worker: a stack that is emptied as a whole.
//!
//! Whoever empties it gets a chain of its own, in either order. Since nothing is ever taken out of the middle, a node
//! that comes back to the top between two looks does no harm (there is no ABA problem): what is pushed onto it points
//! to what is there.

use std::ptr;

use super::atomic::{AtomicPtr, Ordering};
use super::prefetch;

/// What links a node to the next. It lies at the beginning of the node.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Link {
    next: AtomicPtr<Link>,
}

impl Link {
    /// Linked to nothing.
    pub(crate) fn new() -> Link {
        Link { next: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The node behind this one.
    #[inline]
    pub(crate) fn next(&self) -> *mut Link {
        self.next.load(Ordering::Relaxed)
    }

    /// Puts another node behind this one.
    #[inline]
    pub(crate) fn set_next(&self, next: *mut Link) {
        self.next.store(next, Ordering::Relaxed);
    }
}

/// The stack.
#[derive(Debug)]
pub(crate) struct Inbox {
    top: AtomicPtr<Link>,
}

impl Inbox {
    /// Nothing there.
    pub(crate) fn new() -> Inbox {
        Inbox { top: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Leaves a node; true when there was none before.
    ///
    /// # Safety
    /// The caller owns the node, which stays where it is, and hands it over.
    #[inline]
    pub(crate) unsafe fn push(&self, node: *mut Link) -> bool {
        // Otherwise the load would ask for the line once, and the exchange once more.
        prefetch::to_write(&raw const self.top);
        let mut top = self.top.load(Ordering::Relaxed);
        loop {
            // SAFETY: owned by the caller until the exchange below has succeeded.
            unsafe { (*node).set_next(top) };
            match self.top.compare_exchange_weak(top, node, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return top.is_null(),
                Err(other) => top = other,
            }
        }
    }

    /// True when nothing is there.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.top.load(Ordering::Relaxed).is_null()
    }

    /// Leaves a chain where, as a rule, nothing lies.
    #[cold]
    #[inline(never)]
    #[expect(clippy::needless_pass_by_value, reason = "the nodes belong to the stack from here on")]
    pub(crate) fn put(&self, chain: Chain) {
        let before = self.top.swap(chain.first, Ordering::AcqRel);
        for node in (Chain { first: before }) {
            // SAFETY: the chain owned the node, and has just handed it out.
            unsafe { self.push(node) };
        }
    }

    /// Takes everything, the newest first.
    #[inline]
    pub(crate) fn take_all(&self) -> Chain {
        if self.is_empty() {
            return Chain { first: ptr::null_mut() };
        }
        Chain { first: self.top.swap(ptr::null_mut(), Ordering::Acquire) }
    }
}

/// Nodes that belong to whoever has the chain.
#[derive(Debug)]
pub(crate) struct Chain {
    first: *mut Link,
}

impl Chain {
    /// No nodes.
    pub(crate) const EMPTY: Chain = Chain { first: ptr::null_mut() };

    /// The nodes from `first` on.
    ///
    /// # Safety
    /// They are valid, belong to the caller, and are handed over.
    pub(crate) unsafe fn of(first: *mut Link) -> Chain {
        Chain { first }
    }

    /// True when there are none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_null()
    }

    /// Asks for the line of the first node.
    #[inline]
    pub(crate) fn expect(&self) {
        prefetch::to_write(self.first);
    }

    /// The same nodes the other way round.
    #[inline]
    pub(crate) fn reversed(self) -> Chain {
        let mut reversed = ptr::null_mut();
        for node in self {
            // SAFETY: the node belonged to the chain, and was just handed out.
            unsafe { (*node).set_next(reversed) };
            reversed = node;
        }
        Chain { first: reversed }
    }
}

impl Iterator for Chain {
    type Item = *mut Link;

    /// Hands out the next node, which is no longer touched after that.
    #[inline]
    fn next(&mut self) -> Option<*mut Link> {
        let node = self.first;
        if node.is_null() {
            return None;
        }
        // SAFETY: the chain owns its nodes.
        self.first = unsafe { (*node).next() };
        Some(node)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_chain_keeps_the_order_and_can_be_turned_round() {
        let nodes: Vec<Link> = (0..5).map(|_| Link::new()).collect();
        let address = |node: &Link| ptr::from_ref(node).cast_mut();
        let inbox = Inbox::new();
        assert!(inbox.is_empty() && inbox.take_all().next().is_none());
        for (place, node) in nodes.iter().enumerate() {
            // SAFETY: the nodes outlive the inbox and are in one list only.
            assert_eq!(unsafe { inbox.push(address(node)) }, place == 0);
        }
        let newest_first: Vec<_> = nodes.iter().rev().map(address).collect();
        let chain = inbox.take_all().reversed().reversed();
        assert_eq!(chain.collect::<Vec<_>>(), newest_first);
        for node in &nodes {
            // SAFETY: as above; the chain has handed them out.
            unsafe { inbox.push(address(node)) };
        }
        assert!(inbox.take_all().reversed().eq(nodes.iter().map(address)));
    }

    #[test]
    fn a_chain_that_is_put_back_is_whole_also_where_something_lies() {
        let nodes: Vec<Link> = (0..5).map(|_| Link::new()).collect();
        let address = |place: usize| ptr::from_ref(&nodes[place]).cast_mut();
        let inbox = Inbox::new();
        // SAFETY: the nodes outlive the inbox and are in one list only.
        (0..3).for_each(|place| assert_eq!(unsafe { inbox.push(address(place)) }, place == 0));
        let mut chain = inbox.take_all();
        assert_eq!(chain.next(), Some(address(2)));
        inbox.put(chain);
        let mut chain = inbox.take_all();
        assert_eq!(chain.next(), Some(address(1)));
        // SAFETY: as above.
        (3..5).for_each(|place| assert_eq!(unsafe { inbox.push(address(place)) }, place == 3));
        inbox.put(chain);
        let mut all: Vec<_> = inbox.take_all().collect();
        all.sort_unstable();
        assert_eq!(all, [0, 3, 4].map(address));
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;
    use std::alloc::{Layout, alloc};

    /// A node that lives to the end of the process, with a number.
    #[repr(C)]
    struct Node {
        link: Link,
        number: u64,
    }

    /// An address that may travel between the model's threads.
    #[derive(Clone, Copy)]
    struct Sent(*mut Node);
    unsafe impl Send for Sent {}

    fn node(number: u64) -> Sent {
        // SAFETY: the layout has a size; the memory is written at once.
        unsafe {
            let node = alloc(Layout::new::<Node>()).cast::<Node>();
            node.write(Node { link: Link::new(), number });
            Sent(node)
        }
    }

    fn numbers(chain: Chain) -> Vec<u64> {
        // SAFETY: the chain owns nodes made above.
        chain.map(|link| unsafe { (*link.cast::<Node>()).number }).collect()
    }

    #[test]
    fn every_node_is_taken_once_and_each_giver_s_in_order() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let inbox = Arc::new(Inbox::new());
            let givers: Vec<_> = [[1, 2], [11, 12]]
                .map(|of| {
                    let (inbox, nodes) = (Arc::clone(&inbox), of.map(node));
                    loom::thread::spawn(move || {
                        for sent in nodes {
                            let sent = sent;
                            // SAFETY: the node is owned here, lives on, and is handed over.
                            unsafe { inbox.push(sent.0.cast()) };
                        }
                    })
                })
                .into_iter()
                .collect();
            let mut taken = numbers(inbox.take_all().reversed());
            givers.into_iter().for_each(|giver| giver.join().unwrap());
            taken.extend(numbers(inbox.take_all().reversed()));
            let of = |least: u64| taken.iter().copied().filter(|n| *n / 10 == least).collect::<Vec<_>>();
            assert_eq!((of(0), of(1)), (vec![1, 2], vec![11, 12]));
        });
    }

    /// A chain that is put back while another thread pushes and a third takes: every node is taken once.
    #[test]
    fn a_chain_that_is_put_back_loses_no_node() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let inbox = Arc::new(Inbox::new());
            for number in [1, 2, 3] {
                // SAFETY: the node is owned here, lives on, and is handed over.
                unsafe { inbox.push(node(number).0.cast()) };
            }
            let giver = {
                let (inbox, sent) = (Arc::clone(&inbox), node(4));
                loom::thread::spawn(move || {
                    let sent = sent;
                    // SAFETY: as above.
                    unsafe { inbox.push(sent.0.cast()) };
                })
            };
            let thief = {
                let inbox = Arc::clone(&inbox);
                loom::thread::spawn(move || numbers(inbox.take_all()))
            };
            let mut chain = inbox.take_all();
            // SAFETY: the chain owns nodes made above.
            let mut taken: Vec<u64> =
                chain.next().map(|link| unsafe { (*link.cast::<Node>()).number }).into_iter().collect();
            inbox.put(chain);
            giver.join().unwrap();
            taken.extend(thief.join().unwrap());
            taken.extend(numbers(inbox.take_all()));
            taken.sort_unstable();
            assert_eq!(taken, [1, 2, 3, 4]);
        });
    }
}
