//! What others leave for a worker: a stack that is emptied as a whole.
//!
//! Whoever empties it gets a chain of its own, in either order. Since nothing is ever taken out of the middle, a node
//! that comes back to the top between two looks does no harm (there is no ABA problem): what is pushed onto it points
//! to what is there.

use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::{self, NonNull};

use super::atomic::{AtomicPtr, Ordering};
use super::prefetch;

/// What links a node to the next. It lies at the beginning of the node, which is a task's descriptor (`task::Task`):
/// this room and `data` know no more of it.
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

/// A node that belongs to whoever has the value: nobody else touches its link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Node(NonNull<Link>);

impl Node {
    /// The node that begins with this link.
    ///
    /// # Safety
    /// It is a task's descriptor (a test of the lists may have another), valid, and belongs to the caller; it stays where
    /// it is until somebody has taken its address out of the node, or drops that.
    #[inline]
    pub(crate) unsafe fn of(link: *mut Link) -> Option<Node> {
        NonNull::new(link).map(Node)
    }

    /// Its address, for whoever looks at it while the node is owned.
    #[inline]
    pub(crate) fn address(&self) -> *mut Link {
        self.0.as_ptr()
    }

    /// Its address; whoever calls answers for the node.
    #[inline]
    pub(crate) fn into_raw(self) -> *mut Link {
        self.0.as_ptr()
    }
}

/// A node that somebody else owns, who keeps it for as long as `'a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeRef<'a>(NonNull<Link>, PhantomData<&'a Link>);

impl NodeRef<'_> {
    /// The node that begins with this link.
    ///
    /// # Safety
    /// It is a node, as for [`Node::of`], and its owner keeps it for as long as the lifetime says.
    #[inline]
    pub(crate) unsafe fn of(link: *mut Link) -> Option<Self> {
        NonNull::new(link).map(|link| NodeRef(link, PhantomData))
    }
}

impl Deref for NodeRef<'_> {
    type Target = Link;
    #[inline]
    fn deref(&self) -> &Link {
        // SAFETY: valid for so long.
        unsafe { self.0.as_ref() }
    }
}

impl From<NodeRef<'_>> for NonNull<Link> {
    #[inline]
    fn from(node: NodeRef<'_>) -> NonNull<Link> {
        node.0
    }
}

impl Deref for Node {
    type Target = Link;
    #[inline]
    fn deref(&self) -> &Link {
        // SAFETY: valid, and stays where it is.
        unsafe { self.0.as_ref() }
    }
}

impl From<Node> for NonNull<Link> {
    #[inline]
    fn from(node: Node) -> NonNull<Link> {
        node.0
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
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "the node belongs to the stack from here on")]
    pub(crate) fn push(&self, node: Node) -> bool {
        // Otherwise the load would ask for the line once, and the exchange once more.
        prefetch::to_write(&raw const self.top);
        let mut top = self.top.load(Ordering::Relaxed);
        loop {
            node.set_next(top);
            match self.top.compare_exchange_weak(top, node.address(), Ordering::Release, Ordering::Relaxed) {
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
            self.push(node);
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
            node.set_next(reversed);
            reversed = node.into_raw();
        }
        Chain { first: reversed }
    }

    /// Takes back the node that was handed out last.
    #[inline]
    pub(crate) fn give_back(&mut self, node: Node) {
        node.set_next(self.first);
        self.first = node.into_raw();
    }
}

impl Iterator for Chain {
    type Item = Node;

    /// Hands out the next node, which is no longer touched after that.
    #[inline]
    fn next(&mut self) -> Option<Node> {
        // SAFETY: the chain owns its nodes, and hands this one over.
        let node = unsafe { Node::of(self.first) }?;
        self.first = Link::next(&node);
        Some(node)
    }
}

/// Nodes in the order in which they came, for one thread.
#[derive(Debug)]
pub(crate) struct NodeLine {
    nodes: Chain,
    /// While there are nodes.
    last: *mut Link,
}

impl NodeLine {
    /// No nodes.
    pub(crate) const fn new() -> NodeLine {
        NodeLine { nodes: Chain::EMPTY, last: ptr::null_mut() }
    }

    /// True when there are none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Appends a node.
    #[inline]
    pub(crate) fn push(&mut self, node: Node) {
        node.set_next(ptr::null_mut());
        // SAFETY: the line owns its nodes.
        match unsafe { self.last.as_ref() } {
            None => self.nodes.first = node.address(),
            Some(last) => last.set_next(node.address()),
        }
        self.last = node.into_raw();
    }

    /// Takes the first node.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Node> {
        let node = self.nodes.next()?;
        if self.nodes.is_empty() {
            self.last = ptr::null_mut();
        }
        Some(node)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// A node that lives to the end of the process.
    fn node() -> Node {
        // SAFETY: nobody else has it.
        unsafe { Node::of(Box::leak(Box::new(Link::new()))) }.expect("a box has an address")
    }

    fn nodes(count: usize) -> (Vec<Node>, Vec<*mut Link>) {
        let nodes: Vec<Node> = (0..count).map(|_| node()).collect();
        let addresses = nodes.iter().map(Node::address).collect();
        (nodes, addresses)
    }

    #[test]
    fn a_chain_keeps_the_order_and_can_be_turned_round() {
        let (nodes, addresses) = nodes(5);
        let inbox = Inbox::new();
        assert!(inbox.is_empty() && inbox.take_all().next().is_none());
        for (place, node) in nodes.into_iter().enumerate() {
            assert_eq!(inbox.push(node), place == 0);
        }
        let chain: Vec<Node> = inbox.take_all().reversed().reversed().collect();
        assert!(chain.iter().map(Node::address).eq(addresses.iter().rev().copied()));
        chain.into_iter().rev().for_each(|node| {
            inbox.push(node);
        });
        assert!(inbox.take_all().reversed().map(Node::into_raw).eq(addresses));
    }

    #[test]
    fn a_chain_that_is_put_back_is_whole_also_where_something_lies() {
        let (nodes, addresses) = nodes(5);
        let mut nodes = nodes.into_iter();
        let inbox = Inbox::new();
        nodes.by_ref().take(3).enumerate().for_each(|(place, node)| assert_eq!(inbox.push(node), place == 0));
        let mut chain = inbox.take_all();
        assert_eq!(chain.next().map(Node::into_raw), Some(addresses[2]));
        inbox.put(chain);
        let mut chain = inbox.take_all();
        let node = chain.next().expect("two are left");
        assert_eq!(node.address(), addresses[1]);
        chain.give_back(node);
        assert_eq!(chain.next().map(Node::into_raw), Some(addresses[1]));
        nodes.enumerate().for_each(|(place, node)| assert_eq!(inbox.push(node), place == 0));
        inbox.put(chain);
        let mut all: Vec<_> = inbox.take_all().map(Node::into_raw).collect();
        all.sort_unstable();
        let mut expected = [0, 3, 4].map(|place| addresses[place]);
        expected.sort_unstable();
        assert_eq!(all, expected);
    }

    #[test]
    fn a_line_keeps_the_order() {
        let (nodes, addresses) = nodes(4);
        let (mut line, mut taken) = (NodeLine::new(), Vec::new());
        for (place, node) in nodes.into_iter().enumerate() {
            line.push(node);
            if place % 2 == 1 {
                taken.extend(line.pop());
            }
        }
        taken.extend(std::iter::from_fn(|| line.pop()));
        assert!(line.is_empty() && taken.into_iter().map(Node::into_raw).eq(addresses));
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;

    /// A node that lives to the end of the process, with a number.
    #[repr(C)]
    struct Numbered {
        link: Link,
        number: u64,
    }

    /// A node that may travel between the model's threads.
    struct Sent(Node);
    // SAFETY: it belongs to the value.
    unsafe impl Send for Sent {}

    fn node(number: u64) -> Sent {
        let node = Box::leak(Box::new(Numbered { link: Link::new(), number }));
        // SAFETY: nobody else has it, and it lives on.
        Sent(unsafe { Node::of(ptr::from_mut(node).cast()) }.expect("a box has an address"))
    }

    fn number(node: Node) -> u64 {
        // SAFETY: all nodes are made above.
        unsafe { (*node.into_raw().cast::<Numbered>()).number }
    }

    fn numbers(chain: Chain) -> Vec<u64> {
        chain.map(number).collect()
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
                            inbox.push(sent.0);
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
                inbox.push(node(number).0);
            }
            let giver = {
                let (inbox, sent) = (Arc::clone(&inbox), node(4));
                loom::thread::spawn(move || {
                    let sent = sent;
                    inbox.push(sent.0);
                })
            };
            let thief = {
                let inbox = Arc::clone(&inbox);
                loom::thread::spawn(move || numbers(inbox.take_all()))
            };
            let mut chain = inbox.take_all();
            let mut taken: Vec<u64> = chain.next().map(number).into_iter().collect();
            inbox.put(chain);
            giver.join().unwrap();
            taken.extend(thief.join().unwrap());
            taken.extend(numbers(inbox.take_all()));
            taken.sort_unstable();
            assert_eq!(taken, [1, 2, 3, 4]);
        });
    }
}
