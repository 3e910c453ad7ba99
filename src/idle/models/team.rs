//! A team: what the leader lends is there while a member is inside, and the leader sees what each member has done.

use loom::sync::Arc;
use loom::thread;

use super::models;
use crate::idle::team::Team;

models! {
    one_member finds [open_relaxed, close_without_wait, leave_relaxed, join_without_look, leave_without_lock, sleep_unannounced];
    two_members finds [close_without_wait, leave_relaxed, leave_without_lock];
    two_leaders finds [close_without_wait];
    a_leader_in_vain finds [lead_released];
}

/// A team, and what its leader lends: `None` while nothing is lent.
struct Shared {
    team: Team,
    lent: loom::cell::Cell<Option<u32>>,
    done: loom::sync::atomic::AtomicU32,
    /// What each member writes without an atomic: the leader reads it after the members have left.
    written: [loom::cell::Cell<u32>; 2],
}

// SAFETY: loom checks which threads read and write the cells.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

impl Default for Shared {
    fn default() -> Shared {
        Shared {
            team: Team::default(),
            lent: loom::cell::Cell::new(None),
            done: loom::sync::atomic::AtomicU32::new(0),
            written: [loom::cell::Cell::new(0), loom::cell::Cell::new(0)],
        }
    }
}

impl Shared {
    /// Opens the team for a loop, and takes back what was lent.
    fn lead(&self, value: u32) -> bool {
        let Some(leader) = self.team.lead() else { return false };
        self.lent.set(Some(value));
        drop(leader.open());
        self.lent.set(None);
        true
    }

    /// Joins if the team is open; the member then uses what is lent.
    fn help(&self, me: usize) {
        let Some(member) = self.team.join() else { return };
        let value = self.lent.get().expect("a member found nothing lent");
        self.written[me].set(value);
        self.done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        drop(member);
    }

    /// What the members have written, as many as `done` says.
    fn check(&self, value: u32) {
        let done = self.done.load(std::sync::atomic::Ordering::Relaxed);
        let seen = self.written.iter().filter(|written| written.get() == value).count();
        assert_eq!(done as usize, seen, "the leader does not see what a member has done");
    }
}

/// Two loops one after the other, and a helper that looks twice.
fn one_member() {
    let shared = Arc::new(Shared::default());
    let other = Arc::clone(&shared);
    let helper = thread::spawn(move || {
        other.help(0);
        other.help(1);
    });
    let leader = shared.team.lead().expect("nobody else leads");
    shared.lent.set(Some(7));
    drop(leader.open());
    shared.lent.set(None);
    shared.check(7);
    drop(leader);
    helper.join().unwrap();
}

/// Two helpers at a time.
fn two_members() {
    let shared = Arc::new(Shared::default());
    let helpers = [0, 1].map(|me| {
        let other = Arc::clone(&shared);
        thread::spawn(move || other.help(me))
    });
    assert!(shared.lead(7), "nobody else leads");
    shared.check(7);
    helpers.into_iter().for_each(|helper| helper.join().unwrap());
}

/// A thread that could not lead tries again.
fn a_leader_in_vain() {
    let shared = Arc::new(Shared::default());
    let leading = Arc::clone(&shared);
    let other = thread::spawn(move || {
        leading.lead(2);
        leading.lead(3);
    });
    shared.lead(1);
    other.join().unwrap();
}

/// Two threads that want to lead; the second loop of the first thread may come after that of the other.
fn two_leaders() {
    let shared = Arc::new(Shared::default());
    let (leading, helping) = (Arc::clone(&shared), Arc::clone(&shared));
    let other = thread::spawn(move || {
        leading.lead(2);
    });
    let helper = thread::spawn(move || helping.help(0));
    shared.lead(1);
    other.join().unwrap();
    helper.join().unwrap();
}
