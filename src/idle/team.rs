//! Threads that help another one with a loop: `README.md` beside this file has the protocol and its proof.

use super::planted::planted;
#[cfg(not(loom))]
use crate::sync::atomic::yield_now;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::modelled::{Condvar, Mutex};

/// Others may join.
const OPEN: u64 = 1;
/// The leader sleeps until the last member has left.
const AWAITED: u64 = 2;
/// One thread that has joined and not left; the number of them stands in the bits from here on.
const MEMBER: u64 = 4;

/// Looks at the members that are left, before the leader offers its CPU to others between looks.
#[cfg(not(loom))]
const LOOKS: u32 = 256;
/// How long the leader looks before it sleeps. A leader that sleeps comes back late, and where the kernel wakes it beside the
/// member that has left last, the next loop needs another member, which sleeps: a step of a block-tridiagonal solver, whose
/// loops take 60 us in two threads, took 1.5 times as long.
#[cfg(not(loom))]
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(1);

/// A team: one leader at a time, and the threads that have joined it.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Team {
    state: AtomicU64,
    /// A thread leads the team.
    led: AtomicBool,
    lock: Mutex<()>,
    left: Condvar,
}

/// The right to open the team, for one thread at a time.
pub(crate) struct Leader<'a>(&'a Team);

/// While the value exists, what the leader lends is there.
pub(crate) struct Member<'a>(&'a Team);

/// The team is open. When the value is dropped, the team closes, and waits for its members.
pub(crate) struct Opened<'a>(&'a Team);

impl Team {
    /// Leads the team, unless another thread does.
    pub(crate) fn lead(&self) -> Option<Leader<'_>> {
        if self.led.swap(true, Ordering::Acquire) {
            if planted("lead_released") {
                self.led.store(false, Ordering::Release);
            }
            return None;
        }
        Some(Leader(self))
    }

    /// Whether a thread that joins now would find something. A hint.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Ordering::Relaxed) & OPEN != 0
    }

    /// Joins the team if it is open.
    #[inline]
    pub(crate) fn join(&self) -> Option<Member<'_>> {
        let mut seen = self.state.load(Ordering::Relaxed);
        while seen & OPEN != 0 {
            if planted("join_without_look") {
                self.state.fetch_add(MEMBER, Ordering::Acquire);
                return Some(Member(self));
            }
            match self.state.compare_exchange_weak(seen, seen + MEMBER, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some(Member(self)),
                Err(now) => seen = now,
            }
        }
        None
    }
}

impl Leader<'_> {
    /// Opens the team. What the leader lends is ready.
    pub(crate) fn open(&self) -> Opened<'_> {
        let order = if planted("open_relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.0.state.store(OPEN, order);
        Opened(self.0)
    }
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        self.0.led.store(false, Ordering::Release);
    }
}

impl Opened<'_> {
    /// Whether members are still there; what they have done before they left is visible then.
    fn any_left(&self) -> bool {
        self.0.state.load(Ordering::Acquire) >= MEMBER
    }

    /// Looks until the last member has left, but not for long.
    #[cfg(not(loom))]
    fn look(&self) -> bool {
        let looks = || {
            (0..LOOKS).any(|_| {
                std::hint::spin_loop();
                !self.any_left()
            })
        };
        if looks() {
            return true;
        }
        let begun = std::time::Instant::now();
        while begun.elapsed() < PATIENCE {
            yield_now();
            if looks() {
                return true;
            }
        }
        false
    }

    /// In the models the leader sleeps at once.
    #[cfg(loom)]
    fn look(&self) -> bool {
        false
    }

    /// Sleeps until the last member has left.
    #[cold]
    fn sleep(&self) {
        let team = self.0;
        let mut lock = team.lock.lock();
        if !planted("sleep_unannounced") {
            team.state.fetch_or(AWAITED, Ordering::Relaxed);
        }
        while self.any_left() {
            team.left.wait(&mut lock);
        }
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        if self.0.state.fetch_and(!OPEN, Ordering::Acquire) < MEMBER || planted("close_without_wait") {
            return;
        }
        if !self.look() {
            self.sleep();
        }
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        let order = if planted("leave_relaxed") { Ordering::Relaxed } else { Ordering::Release };
        let before = self.0.state.fetch_sub(MEMBER, order);
        if before == MEMBER | AWAITED {
            // The leader looks at the state under the lock and then sleeps: either it sees the change, or the notice
            // wakes it.
            if !planted("leave_without_lock") {
                drop(self.0.lock.lock());
            }
            self.0.left.notify_one();
        }
    }
}
