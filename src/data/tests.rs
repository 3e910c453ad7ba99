//! Tests of the store alone: one thread, no engine, invented owners.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::store::Store;
use super::{Carry, DataCache, DatumId, Initial, NOWHERE, Outcome, Reach, Readiness, Storage};
use crate::error::dvm_retcode_t;
use crate::sync::inbox::{Link, Node};

/// A store with its cache. Freed memory is given back at once and counted.
struct Scene {
    store: Store,
    cache: DataCache,
}

impl Scene {
    /// Makes a task the producer of a promise; nobody looks at the task.
    fn claim(&self, id: DatumId) {
        // SAFETY: nobody looks at the promise while it has this producer.
        unsafe { self.store.claim(id, std::ptr::null_mut()) }.unwrap();
    }

    /// Takes a reference without waiting.
    fn take(&self, id: DatumId) -> Readiness {
        self.store.take(id, || None).unwrap()
    }

    fn new() -> Scene {
        Scene { store: Store::new(), cache: DataCache::new() }
    }

    fn create(&mut self, storage: Storage, published: bool) -> DatumId {
        self.store.create(&mut self.cache, Initial { size: SIZE, storage, published, home: 0 }).unwrap()
    }

    fn number(&mut self) -> DatumId {
        let storage = self.cache.zeroed(SIZE).unwrap();
        self.create(storage, true)
    }

    fn promise(&mut self) -> DatumId {
        self.create(Storage::Absent, false)
    }

    /// Gives freed memory back; returns the number of pieces.
    fn give_back(&mut self) -> usize {
        std::iter::from_fn(|| self.cache.released()).map(super::storage::Released::give_back).count()
    }

    fn drop_taken(&mut self, id: DatumId) {
        self.store.drop_taken(&mut self.cache, id);
    }
}

/// The size in bytes of data that are too large for the pool.
const SIZE: usize = 70_000;

fn code<T: std::fmt::Debug>(result: Result<T, crate::error::Error>) -> dvm_retcode_t {
    result.unwrap_err().code()
}

#[test]
fn an_entry_is_used_again_under_another_id() {
    let mut scene = Scene::new();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..10_000 {
        let id = scene.number();
        assert!(seen.insert(id));
        scene.store.relax(&mut scene.cache, id).unwrap();
        assert_eq!(scene.give_back(), 1);
        assert_eq!(code(scene.store.acquire(id)), dvm_retcode_t::DVM_ERR_ID);
    }
    assert_eq!(scene.store.count(), 0);
    let entries: std::collections::HashSet<u32> = seen.iter().map(|id| id.number() as u32).collect();
    assert!(entries.len() <= 64, "{} entries for one datum at a time", entries.len());
}

#[test]
fn messages_tell_freed_from_never_given() {
    let mut scene = Scene::new();
    let id = scene.number();
    scene.store.relax(&mut scene.cache, id).unwrap();
    scene.give_back();
    assert!(scene.store.acquire(id).unwrap_err().message().contains("freed"));
    assert!(scene.store.acquire(DatumId::NONE).unwrap_err().message().contains("never given"));
    assert!(scene.store.acquire(DatumId::from_raw([1, id.number()])).unwrap_err().message().contains("never given"));
}

#[test]
fn an_output_outlives_its_references_until_its_task_ends() {
    let mut scene = Scene::new();
    let id = scene.promise();
    scene.claim(id);
    scene.store.relax(&mut scene.cache, id).unwrap();
    assert_eq!(code(scene.store.get(&mut scene.cache, id, Reach::Task)), dvm_retcode_t::DVM_ERR_ID);
    let got = scene.store.get(&mut scene.cache, id, Reach::Output).unwrap();
    assert!(!got.addr.is_null() && !got.counted);
    assert!(scene.store.finish(&mut scene.cache, id, Outcome::Published, 3).next().is_none());
    assert_eq!(scene.give_back(), 1);
    assert_eq!(scene.store.count(), 0);
}

#[test]
fn waiters_are_handed_out_in_the_order_in_which_they_came() {
    let mut scene = Scene::new();
    let id = scene.promise();
    let links: Vec<Link> = (0..5).map(|_| Link::new()).collect();
    let addresses: Vec<_> = links.iter().map(|link| std::ptr::from_ref(link).cast_mut()).collect();
    for &link in &addresses {
        scene.store.acquire(id).unwrap();
        assert_eq!(scene.take(id), Readiness::Promised);
        // SAFETY: the links live to the end of the test, and each is in one list.
        let node = unsafe { Node::of(link) }.unwrap();
        assert_eq!(scene.store.enlist(id, node), None);
    }
    let waiters = scene.store.publish(&mut scene.cache, id, false, 0, 2).unwrap();
    assert_eq!(waiters.map(Node::into_raw).collect::<Vec<_>>(), addresses);
    assert_eq!(scene.store.readiness(id), Readiness::Published { size: SIZE, home: 2 });
    (0..5).for_each(|_| scene.drop_taken(id));
    scene.store.relax(&mut scene.cache, id).unwrap();
    assert_eq!(scene.store.count(), 0);
}

#[test]
fn storage_moves_to_the_successor_only_with_the_last_reference() {
    let mut scene = Scene::new();
    let current = scene.number();
    let addr = scene.store.get(&mut scene.cache, current, Reach::Outside).unwrap().addr;
    scene.store.acquire(current).unwrap();
    scene.take(current);
    let next = scene.create(Storage::Successor { of: current.number() }, false);
    let carry = |scene: &Scene| scene.store.carry(current, next, 1, true);
    assert!(matches!(carry(&scene), Carry::Copy { .. }), "another reference");
    scene.store.relax(&mut scene.cache, current).unwrap();
    assert!(matches!(carry(&scene), Carry::Copy { .. }), "an address is kept");
    scene.store.put_outside(&mut scene.cache, current).unwrap();
    assert_eq!(scene.store.predecessor(next), Some(current));
    assert!(matches!(carry(&scene), Carry::Moved), "nobody else needs it");
    assert_eq!(scene.store.predecessor(next), None);
    assert_eq!(scene.store.argument(next, Reach::Output).map(|got| got.addr), Some(addr));
    assert_eq!(code(scene.store.acquire(current)), dvm_retcode_t::DVM_ERR_STATE);
    scene.drop_taken(current);
    assert_eq!(scene.give_back(), 0, "the successor answers for the memory");
    scene.store.publish(&mut scene.cache, next, false, 0, 0).unwrap();
    scene.store.relax(&mut scene.cache, next).unwrap();
    assert_eq!(scene.give_back(), 1);
}

static CALLED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn called(_addr: *mut c_void, _size: usize) {
    CALLED.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn the_end_frees_everything_once() {
    let mut scene = Scene::new();
    let mut memory = 0_u64;
    for _ in 0..1000 {
        let id = scene.create(Storage::Registered { addr: (&raw mut memory).cast(), free: Some(called) }, true);
        scene.store.acquire(id).unwrap();
        scene.promise();
    }
    let mut woken = 0;
    scene.store.poison_promises(|_| woken += 1);
    assert_eq!(woken, 1000);
    let (mut from, mut given_back) = (Some(0), 0);
    while let Some(index) = from {
        from = scene.store.free_some(&mut scene.cache, index);
        given_back += scene.give_back();
    }
    assert_eq!(given_back, 1000);
    assert_eq!(CALLED.load(Ordering::SeqCst), 1000);
    assert!(scene.store.free_some(&mut scene.cache, 0).is_none());
    assert_eq!(scene.store.count(), 0);
}

#[test]
fn a_datum_nobody_wrote_has_no_home_and_one_that_was_has() {
    let mut scene = Scene::new();
    let initial = Initial { size: SIZE, storage: Storage::Absent, published: false, home: NOWHERE };
    let id = scene.store.create(&mut scene.cache, initial).unwrap();
    scene.claim(id);
    scene.store.finish(&mut scene.cache, id, Outcome::Published, 5);
    assert_eq!(scene.store.readiness(id), Readiness::Published { size: SIZE, home: 5 });
    scene.store.relax(&mut scene.cache, id).unwrap();
}

#[test]
fn the_size_is_told_of_data_with_references_only() {
    let mut scene = Scene::new();
    let id = scene.number();
    assert_eq!(scene.store.size(id).unwrap(), SIZE);
    scene.take(id);
    assert_eq!(scene.store.size(id).unwrap(), SIZE, "a task has the only reference");
    scene.store.untake(id);
    scene.store.get(&mut scene.cache, id, Reach::Outside).unwrap();
    scene.store.relax(&mut scene.cache, id).unwrap();
    assert_eq!(code(scene.store.size(id)), dvm_retcode_t::DVM_ERR_ID, "an address alone keeps the bytes");
    scene.store.put_outside(&mut scene.cache, id).unwrap();
    let next = scene.create(Storage::Absent, false);
    assert_eq!(next.number() as u32, id.number() as u32, "the same entry");
    assert_eq!(code(scene.store.size(id)), dvm_retcode_t::DVM_ERR_ID, "of an earlier generation");
    assert_eq!(scene.store.size(next).unwrap(), SIZE);
    assert_eq!(
        code(scene.store.size(DatumId::from_raw([1, next.number()]))),
        dvm_retcode_t::DVM_ERR_ID,
        "of another process"
    );
    scene.store.relax(&mut scene.cache, next).unwrap();
}

/// If the gets were counted from 0 again, the next put would free bytes in use.
#[test]
fn gets_that_cannot_be_counted_are_refused() {
    let mut scene = Scene::new();
    let id = scene.number();
    scene.store.get(&mut scene.cache, id, Reach::Outside).unwrap();
    scene.store.lock(id).unwrap().set_gets(u32::MAX);
    for reach in [Reach::Outside, Reach::Callback, Reach::Task] {
        assert_eq!(code(scene.store.get(&mut scene.cache, id, reach)), dvm_retcode_t::DVM_ERR_STATE);
    }
    assert!(scene.store.get(&mut scene.cache, id, Reach::Input).is_ok(), "kept by the task's reference");
    scene.store.lock(id).unwrap().set_gets(1);
    scene.store.relax(&mut scene.cache, id).unwrap();
    assert_eq!(scene.give_back(), 0, "still got");
    scene.store.put_outside(&mut scene.cache, id).unwrap();
    assert_eq!(scene.give_back(), 1);
}

/// A task has as many gets of its output as can be counted, and a thread sleeps until the output is published.
#[test]
fn a_publication_whose_gets_cannot_be_counted_is_refused() {
    let mut scene = Scene::new();
    let id = scene.promise();
    scene.store.lock(id).unwrap().set_gets(1);
    let published = scene.store.publish(&mut scene.cache, id, false, u32::MAX, 0);
    assert_eq!(code(published.map(drop)), dvm_retcode_t::DVM_ERR_STATE);
    assert_eq!(scene.store.readiness(id), Readiness::Promised, "nothing has changed");
    assert!(scene.store.publish(&mut scene.cache, id, false, u32::MAX - 1, 0).is_ok());
    let body = scene.store.lock(id).unwrap();
    assert_eq!(body.gets(), u32::MAX);
    body.set_gets(0);
    drop(body);
    scene.store.relax(&mut scene.cache, id).unwrap();
}

/// A task that is not scheduled after all gives its references back: they must fit into the one count.
#[test]
fn references_that_cannot_be_counted_are_refused() {
    let mut scene = Scene::new();
    let id = scene.number();
    {
        let body = scene.store.lock(id).unwrap();
        body.set_available(u32::MAX - 7);
        body.set_taken(7);
    }
    assert_eq!(code(scene.store.acquire(id)), dvm_retcode_t::DVM_ERR_STATE);
    scene.store.lock(id).unwrap().set_taken(6);
    scene.store.acquire(id).unwrap();
}
