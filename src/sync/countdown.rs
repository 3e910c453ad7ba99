//! A table of counters that go down to zero: how many inputs are missing, by key.
//!
//! The first arrival at a key makes its counter, the last one removes it: the table holds only what is in flight. Counters lie
//! in buckets of one cache line, under a lock that is one word. A bucket is read before its lock is taken, and the lock is
//! taken only in the version that was read: one read-modify-write for each arrival, and the caller's function runs unlocked.
//! There is no unsafe code.

use std::collections::HashMap;

use crate::sync::lock::Mutex;
use once_cell::race::OnceBox;

use super::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, yield_now};

/// Counters in a bucket: what fits a cache line.
const ENTRIES: usize = if cfg!(loom) { 2 } else { 5 };

/// Neighbouring keys that share a bucket, as a power of two: they are often counted down by the same thread, one after the
/// other. Each has an entry of the bucket as its home.
const NEIGHBOURS: u32 = if cfg!(loom) { 1 } else { 2 };

/// Number of tables: each has `1 << GROWTH` times the buckets of the one before.
const CLASSES: usize = 20;
const GROWTH: u32 = 2;

/// Most bits of a counter in an entry; larger counts are kept apart.
const MAX_COUNT_BITS: u32 = 16;

/// The state of a bucket. Lowest bit: somebody changes it.
const LOCKED: u64 = 1;
/// Above it: the number of keys that are not at home. Once it is `MANY`, it stays.
const STRAY: u64 = 2;
const STRAYS: u64 = 0x7FFF * STRAY;
const MANY: u64 = 0x7FFE * STRAY;
/// The rest: a version, which each change makes greater.
const VERSION: u64 = 1 << 16;
/// The bucket has moved to the next table, for good.
const MOVED: u64 = u64::MAX;

/// Looks at a taken lock before the processor is given to others.
const PATIENCE: u32 = 64;

/// Entries are `key + 1 << count_bits | count`; 0 is a free one. Changed under the lock only.
#[repr(align(64))]
struct Bucket {
    state: AtomicU64,
    /// More entries of this bucket, under this bucket's lock. Kept once made.
    more: OnceBox<Bucket>,
    entries: [AtomicU64; ENTRIES],
}

/// Where a key is, or could be.
enum Place<'a> {
    /// The key's entry, with this value.
    Home(&'a AtomicU64, u64),
    /// The same, not at the key's home.
    Stray(&'a AtomicU64, u64),
    /// The key is not there; its home is free.
    HomeFree(&'a AtomicU64),
    /// The key is not there; its home is not free, but another entry is.
    StrayFree(&'a AtomicU64),
    /// The key is not there, and this last part of the bucket is full.
    Full(&'a Bucket),
}

impl Bucket {
    fn new() -> Self {
        Self { state: AtomicU64::new(0), more: OnceBox::new(), entries: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// The entry that a key takes if it can.
    #[inline]
    fn home(&self, key: u64) -> &AtomicU64 {
        &self.entries[key as usize & ((1 << NEIGHBOURS) - 1)]
    }

    /// Looks for a key; `tag` is what its entry holds above the count.
    fn find(&self, state: u64, key: u64, tag: u64, count_bits: u32) -> Place<'_> {
        let home = self.home(key);
        let value = home.load(Ordering::Relaxed);
        if value >> count_bits == tag {
            Place::Home(home, value)
        } else if value == 0 && state & STRAYS == 0 {
            Place::HomeFree(home)
        } else {
            self.find_stray(home, tag, count_bits)
        }
    }

    fn find_stray<'a>(&'a self, home: &'a AtomicU64, tag: u64, count_bits: u32) -> Place<'a> {
        let (mut bucket, mut free) = (self, None);
        loop {
            for entry in &bucket.entries {
                let value = entry.load(Ordering::Relaxed);
                if value == 0 {
                    free = free.or(Some(entry));
                } else if value >> count_bits == tag {
                    return Place::Stray(entry, value);
                }
            }
            match bucket.more.get() {
                Some(more) => bucket = more,
                None if home.load(Ordering::Relaxed) == 0 => return Place::HomeFree(home),
                None => return free.map_or(Place::Full(bucket), Place::StrayFree),
            }
        }
    }

    /// Gives the lock back; `state` is what it was, with the strays that there are now.
    #[inline]
    fn unlock(&self, state: u64) {
        self.state.store(state.wrapping_add(VERSION), Ordering::Release);
    }

    /// The entries in use. Under the lock, or when nobody changes them.
    fn used(&self) -> impl Iterator<Item = (&AtomicU64, u64)> {
        std::iter::successors(Some(self), |bucket| bucket.more.get())
            .flat_map(|bucket| &bucket.entries)
            .map(|entry| (entry, entry.load(Ordering::Relaxed)))
            .filter(|&(_, value)| value != 0)
    }
}

/// The buckets of one class.
pub(crate) struct Table {
    buckets: Box<[Bucket]>,
    /// What a spread key is shifted by to give its bucket.
    shift: u32,
}

impl Table {
    fn new(bits: u32) -> Self {
        Self { buckets: (0..1_usize << bits).map(|_| Bucket::new()).collect(), shift: u64::BITS - bits }
    }

    /// Multiplication by the golden ratio (Knuth, TAOCP 6.4) spreads neighbouring groups of keys well.
    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let spread = (key >> NEIGHBOURS).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.buckets[(spread >> self.shift) as usize]
    }
}

/// The table.
pub(crate) struct Countdown {
    /// Tables are only added; whoever still looks into an old one finds its buckets moved.
    tables: [OnceBox<Table>; CLASSES],
    /// Index of the table in use; while a table grows some buckets are in the next one already.
    class: AtomicUsize,
    first_bits: u32,
    count_bits: u32,
    /// One thread at a time uses the table: no lock is taken.
    alone: bool,
    /// Counts that do not fit an entry, which then holds the greatest count. Taken under the bucket's lock.
    large: Mutex<HashMap<u64, u64>>,
    /// Parts that were added to full buckets since the last growth.
    added: AtomicUsize,
    growing: AtomicBool,
}

/// Waits for a lock: a short while by spinning, then by letting others run, among them who holds it.
struct Waiting(u32);

impl Waiting {
    #[cold]
    fn pause(&mut self) {
        if self.0 < PATIENCE && cfg!(not(loom)) {
            self.0 += 1;
            std::hint::spin_loop();
        } else {
            yield_now();
        }
    }
}

impl Countdown {
    /// A table for keys below `keys`, of which about `expected` are in flight at a time. `alone` promises that no two
    /// threads arrive at the same time.
    pub(crate) fn new(keys: u64, expected: u64, alone: bool) -> Self {
        // Entries hold a key and 1.
        let key_bits = u64::BITS - keys.leading_zeros();
        let countdown = Self {
            tables: std::array::from_fn(|_| OnceBox::new()),
            class: AtomicUsize::new(0),
            first_bits: first_bits(expected),
            count_bits: (u64::BITS - key_bits).clamp(1, MAX_COUNT_BITS),
            large: Mutex::default(),
            added: AtomicUsize::new(0),
            growing: AtomicBool::new(false),
            alone,
        };
        countdown.table(0);
        countdown
    }

    #[inline]
    fn table(&self, class: usize) -> &Table {
        self.tables[class].get_or_init(|| Box::new(Table::new(self.first_bits + GROWTH * class as u32)))
    }

    /// The greatest count that an entry can hold: it says that the count is in `large`.
    #[inline]
    fn limit(&self) -> u64 {
        (1 << self.count_bits) - 1
    }

    /// Takes the lock of a bucket in this state; false when it is not any more.
    #[inline]
    fn lock(&self, bucket: &Bucket, state: u64) -> bool {
        self.alone
            || bucket.state.compare_exchange_weak(state, state | LOCKED, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// The table in use, for `arrive`; one that was in use before does as well.
    #[inline]
    pub(crate) fn table_in_use(&self) -> &Table {
        self.table(self.class.load(Ordering::Acquire))
    }

    /// One more input of `key` is there, of `total()` in all: asked, without a lock, when there is no counter yet. True
    /// when it was the last one; what the threads did before their arrivals at this key has happened before then.
    #[inline]
    pub(crate) fn arrive(&self, table: &Table, key: u64, mut total: impl FnMut() -> u64) -> bool {
        let bucket = table.bucket(key);
        let state = bucket.state.load(Ordering::Acquire);
        let home = bucket.home(key);
        let value = home.load(Ordering::Relaxed);
        // What was read is true in `state`, and taking the lock makes sure of that. This is for keys at home that nobody else
        // changes at the moment; the rest is done below.
        if state & LOCKED == 0 && value >> self.count_bits == key + 1 {
            let count = value & self.limit();
            if count != self.limit() && self.lock(bucket, state) {
                home.store(if count == 1 { 0 } else { value - 1 }, Ordering::Relaxed);
                bucket.unlock(state);
                return count == 1;
            }
        } else if state & (LOCKED | STRAYS) == 0 && value == 0 {
            let missing = total().saturating_sub(1);
            if missing == 0 {
                return true;
            }
            if missing < self.limit() && self.lock(bucket, state) {
                home.store((key + 1) << self.count_bits | missing, Ordering::Relaxed);
                bucket.unlock(state);
                return false;
            }
        }
        self.arrive_slowly(key, &mut total)
    }

    /// `arrive` in all cases.
    #[inline(never)]
    fn arrive_slowly(&self, key: u64, total: &mut dyn FnMut() -> u64) -> bool {
        let (mut class, mut missing) = (self.class.load(Ordering::Acquire), 0);
        let tag = key + 1;
        let mut waiting = Waiting(0);
        loop {
            let bucket = self.table(class).bucket(key);
            let state = bucket.state.load(Ordering::Acquire);
            if state & LOCKED != 0 {
                if state == MOVED {
                    class += 1;
                } else {
                    waiting.pause();
                }
                continue;
            }
            let place = bucket.find(state, key, tag, self.count_bits);
            if let Place::Home(entry, value) | Place::Stray(entry, value) = place {
                if !self.lock(bucket, state) {
                    continue;
                }
                let last = self.count_down(key, entry, value);
                let stray = last && matches!(place, Place::Stray(..));
                bucket.unlock(if stray { one_stray_less(state) } else { state });
                return last;
            }
            if missing == 0 {
                missing = total().saturating_sub(1);
                if missing == 0 {
                    return true;
                }
            }
            if self.lock(bucket, state) {
                if self.insert(bucket, state, &place, key, missing) {
                    self.grow(class);
                }
                return false;
            }
        }
    }

    /// Writes a key that is not there yet and gives the lock back. True when there is not enough room in the table.
    fn insert(&self, bucket: &Bucket, state: u64, place: &Place, key: u64, missing: u64) -> bool {
        if missing >= self.limit() {
            self.large.lock().insert(key, missing);
        }
        let value = (key + 1) << self.count_bits | missing.min(self.limit());
        self.write(bucket, state, place, value)
    }

    /// Writes an entry to a place where it is not yet and gives the lock back. True when there is not enough room in the table.
    fn write(&self, bucket: &Bucket, state: u64, place: &Place, value: u64) -> bool {
        let (mut state, mut crowded) = (state, false);
        match place {
            Place::Home(entry, _) | Place::Stray(entry, _) | Place::HomeFree(entry) => {
                entry.store(value, Ordering::Relaxed);
            }
            Place::StrayFree(entry) => {
                entry.store(value, Ordering::Relaxed);
                state = one_stray_more(state);
            }
            Place::Full(last) => {
                crowded = self.extend(last, value);
                state = one_stray_more(state);
            }
        }
        bucket.unlock(state);
        crowded
    }

    /// Takes one off an entry; true when nothing is left. Under the lock.
    fn count_down(&self, key: u64, entry: &AtomicU64, value: u64) -> bool {
        let count = value & self.limit();
        if count == self.limit() {
            return self.count_down_large(key, entry);
        }
        entry.store(if count == 1 { 0 } else { value - 1 }, Ordering::Relaxed);
        count == 1
    }

    #[cold]
    fn count_down_large(&self, key: u64, entry: &AtomicU64) -> bool {
        let mut large = self.large.lock();
        let left = large.get(&key).map_or(0, |count| count - 1);
        if left > 0 {
            large.insert(key, left);
        } else {
            large.remove(&key);
            entry.store(0, Ordering::Relaxed);
        }
        left == 0
    }

    /// Adds an entry in a new part after the last part of a full bucket. Under the lock. True when that has happened often.
    #[cold]
    fn extend(&self, last: &Bucket, value: u64) -> bool {
        last.more.get_or_init(|| Box::new(Bucket::new())).entries[0].store(value, Ordering::Relaxed);
        let buckets = self.table(self.class.load(Ordering::Relaxed)).buckets.len();
        self.added.fetch_add(1, Ordering::Relaxed) >= buckets / 4
    }

    /// Moves everything from table `class` to the next one. Nobody waits for more than one bucket.
    #[cold]
    fn grow(&self, class: usize) {
        if class + 1 == CLASSES || self.growing.swap(true, Ordering::Acquire) {
            return;
        }
        if self.class.load(Ordering::Relaxed) == class {
            self.added.store(0, Ordering::Relaxed);
            let next = self.table(class + 1);
            for bucket in &self.table(class).buckets {
                self.lock_any(bucket);
                for (entry, value) in bucket.used() {
                    self.put(next, value);
                    entry.store(0, Ordering::Relaxed);
                }
                bucket.state.store(MOVED, Ordering::Release);
            }
            self.class.store(class + 1, Ordering::Release);
        }
        self.growing.store(false, Ordering::Release);
    }

    /// Takes the lock of a bucket in whatever state it is; the state.
    fn lock_any(&self, bucket: &Bucket) -> u64 {
        let mut waiting = Waiting(0);
        loop {
            let state = bucket.state.load(Ordering::Relaxed);
            if state & LOCKED == 0 && self.lock(bucket, state) {
                return state;
            }
            waiting.pause();
        }
    }

    /// Puts an entry as it is into a table that does not move meanwhile and does not have its key.
    fn put(&self, table: &Table, value: u64) {
        let tag = value >> self.count_bits;
        let bucket = table.bucket(tag - 1);
        let state = self.lock_any(bucket);
        self.write(bucket, state, &bucket.find(state, tag - 1, tag, self.count_bits), value);
    }

    /// The number of keys that wait, and up to `most` of them with what they miss, in the order of the keys. While others
    /// arrive this is a guess: a key that moves may be seen twice or not at all.
    pub(crate) fn some(&self, most: usize) -> (usize, Vec<(u64, u64)>) {
        let tables = self.tables.iter().filter_map(OnceBox::get).flat_map(|table| &table.buckets);
        let (mut count, mut found) = (0, Vec::new());
        for (_, value) in tables.flat_map(Bucket::used) {
            count += 1;
            found.push(self.decode(value));
            if found.len() >= 2 * most.max(1) {
                found.sort_unstable();
                found.truncate(most);
            }
        }
        found.sort_unstable();
        found.truncate(most);
        (count, found)
    }

    /// What a key misses, if it waits. A guess as in [`Countdown::some`].
    pub(crate) fn missing(&self, key: u64) -> Option<u64> {
        let tables = self.tables.iter().filter_map(OnceBox::get);
        let mut there = tables.flat_map(|table| table.bucket(key).used()).map(|(_, value)| self.decode(value));
        there.find(|&(other, _)| other == key).map(|(_, missing)| missing)
    }

    /// An entry's key and what it misses.
    fn decode(&self, value: u64) -> (u64, u64) {
        let (key, count) = ((value >> self.count_bits) - 1, value & self.limit());
        let large = || self.large.lock().get(&key).copied().unwrap_or(count);
        (key, if count == self.limit() { large() } else { count })
    }

    /// Number of keys that still wait, and one of them. Only while nobody arrives.
    pub(crate) fn left(&self) -> (usize, Option<u64>) {
        let tables = self.tables.iter().filter_map(OnceBox::get).flat_map(|table| &table.buckets);
        tables
            .flat_map(Bucket::used)
            .fold((0, None), |(count, sample), (_, value)| (count + 1, sample.or(Some((value >> self.count_bits) - 1))))
    }
}

/// A state with one more key that is not at home.
fn one_stray_more(state: u64) -> u64 {
    if state & STRAYS == MANY { state } else { state + STRAY }
}

/// A state with one key less that is not at home; not when they have been too many to count.
fn one_stray_less(state: u64) -> u64 {
    if state & STRAYS == MANY { state } else { state - STRAY }
}

/// The logarithm of the number of buckets for this many counters.
fn first_bits(expected: u64) -> u32 {
    if cfg!(loom) { 1 } else { expected.saturating_mul(2).clamp(256, 1 << 14).next_power_of_two().trailing_zeros() }
}

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;
