//! A table of counters that go down to zero: how many inputs are missing, by key.
//!
//! The first arrival at a key makes its counter, the last one removes it: the table holds only what is in flight. Counters lie
//! in buckets of one cache line, under a lock that is one word. A bucket is read before its lock is taken, and the lock is
//! taken only in the version that was read: one read-modify-write for each arrival, and the caller's function runs unlocked.
//! There is no unsafe code.

use std::collections::HashMap;
use std::sync::OnceLock;

use parking_lot::Mutex;

use super::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, yield_now};

/// Counters in a bucket: what fits a cache line.
const ENTRIES: usize = if cfg!(loom) { 1 } else { 5 };

/// Neighbouring keys that share a bucket, as a power of two: they are often counted down by the same thread, one after the other.
const NEIGHBOURS: u32 = if cfg!(loom) { 0 } else { 2 };

/// Number of tables: each has `GROWTH` times the buckets of the one before.
const CLASSES: usize = 20;
const GROWTH_BITS: u32 = 2;

/// Most bits of a counter in a bucket; larger counts are kept apart.
const MAX_COUNT_BITS: u32 = 16;

/// The lock word of a bucket while somebody changes it: the lowest bit. The rest is a version.
const LOCKED: u64 = 1;
/// The lock word of a bucket that has moved to the next table, for good.
const MOVED: u64 = u64::MAX;

/// Looks at a taken lock before the processor is given to others.
const PATIENCE: u32 = 64;

/// Entries are `key << count_bits | count`; 0 is a free one. Changed under the lock only.
#[repr(align(64))]
struct Bucket {
    version: AtomicU64,
    /// More entries of this bucket, under this bucket's lock. Kept once made.
    more: OnceLock<Box<Bucket>>,
    entries: [AtomicU64; ENTRIES],
}

/// What a look into a bucket has found.
enum Place<'a> {
    /// The key's entry and its value.
    Entry(&'a AtomicU64, u64),
    /// The key is not there, but room for it.
    Room(&'a AtomicU64),
    /// The key is not there, and this last part of the bucket is full.
    Full(&'a Bucket),
}

impl Bucket {
    fn new() -> Self {
        Self {
            version: AtomicU64::new(0),
            more: OnceLock::new(),
            entries: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    #[inline]
    fn find(&self, key: u64, count_bits: u32) -> Place<'_> {
        let (mut bucket, mut room) = (self, None);
        loop {
            for entry in &bucket.entries {
                let value = entry.load(Ordering::Relaxed);
                if value == 0 {
                    room = room.or(Some(entry));
                } else if value >> count_bits == key {
                    return Place::Entry(entry, value);
                }
            }
            match bucket.more.get() {
                Some(more) => bucket = more,
                None => return room.map_or(Place::Full(bucket), Place::Room),
            }
        }
    }

    /// The entries in use. Under the lock, or when nobody changes them.
    fn used(&self) -> impl Iterator<Item = (&AtomicU64, u64)> {
        std::iter::successors(Some(self), |bucket| bucket.more.get().map(Box::as_ref))
            .flat_map(|bucket| &bucket.entries)
            .map(|entry| (entry, entry.load(Ordering::Relaxed)))
            .filter(|&(_, value)| value != 0)
    }
}

/// The table.
pub(crate) struct Countdown {
    /// Tables are only added; whoever still looks into an old one finds its buckets moved.
    tables: [OnceLock<Box<[Bucket]>>; CLASSES],
    /// Index of the table in use; while a table grows some buckets are in the next one already.
    class: AtomicUsize,
    first_bits: u32,
    count_bits: u32,
    /// Counts that do not fit an entry, which then holds the greatest count. Taken under the bucket's lock.
    large: Mutex<HashMap<u64, u64>>,
    /// Parts that were added to full buckets since the last growth.
    added: AtomicUsize,
    growing: AtomicBool,
    /// One thread at a time uses the table: no lock is taken.
    alone: bool,
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
        let key_bits = u64::BITS - keys.leading_zeros();
        let countdown = Self {
            tables: std::array::from_fn(|_| OnceLock::new()),
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

    fn bits(&self, class: usize) -> u32 {
        self.first_bits + GROWTH_BITS * class as u32
    }

    #[inline]
    fn table(&self, class: usize) -> &[Bucket] {
        self.tables[class].get_or_init(|| (0..1_usize << self.bits(class)).map(|_| Bucket::new()).collect())
    }

    /// Multiplication by the golden ratio (Knuth, TAOCP 6.4) spreads neighbouring groups of keys well.
    #[inline]
    fn bucket(&self, class: usize, key: u64) -> &Bucket {
        let spread = (key >> NEIGHBOURS).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let table = self.table(class);
        &table[(spread >> (u64::BITS - self.bits(class))) as usize]
    }

    /// The greatest count that an entry can hold: it says that the count is in `large`.
    #[inline]
    fn limit(&self) -> u64 {
        (1 << self.count_bits) - 1
    }

    /// Takes the lock of a bucket that is in this version; false when it is not any more.
    #[inline]
    fn lock(&self, bucket: &Bucket, version: u64) -> bool {
        self.alone
            || bucket
                .version
                .compare_exchange_weak(version, version | LOCKED, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
    }

    #[inline]
    fn unlock(&self, bucket: &Bucket, version: u64) {
        if !self.alone {
            bucket.version.store(version + 2, Ordering::Release);
        }
    }

    /// One more input of `key` is there, of `total()` in all: asked, without a lock, when there is no counter yet. True when it was
    /// the last one; what the threads did before their arrivals at this key has happened before then.
    #[inline]
    pub(crate) fn arrive(&self, key: u64, mut total: impl FnMut() -> u64) -> bool {
        let (mut class, mut missing) = (self.class.load(Ordering::Acquire), 0);
        let mut waiting = Waiting(0);
        loop {
            let bucket = self.bucket(class, key);
            let version = bucket.version.load(Ordering::Acquire);
            if version & LOCKED != 0 {
                if version == MOVED {
                    class += 1;
                } else {
                    waiting.pause();
                }
                continue;
            }
            // True in this version, which the lock is about to make sure of.
            let place = bucket.find(key, self.count_bits);
            if missing == 0 && !matches!(place, Place::Entry(..)) {
                missing = total().saturating_sub(1);
                if missing == 0 {
                    return true;
                }
            }
            if !self.lock(bucket, version) {
                continue;
            }
            let mut crowded = false;
            let last = match place {
                Place::Entry(entry, value) => self.count_down(key, entry, value),
                Place::Room(entry) => {
                    entry.store(self.entry(key, missing), Ordering::Relaxed);
                    false
                }
                Place::Full(part) => {
                    crowded = self.extend(part, self.entry(key, missing));
                    false
                }
            };
            self.unlock(bucket, version);
            if crowded {
                self.grow(class);
            }
            return last;
        }
    }

    /// Takes one off an entry; true when nothing is left. Under the lock.
    #[inline]
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

    /// The entry of a key with `missing` inputs, 1 at least. Under the lock.
    #[inline]
    fn entry(&self, key: u64, missing: u64) -> u64 {
        if missing >= self.limit() {
            self.large.lock().insert(key, missing);
        }
        key << self.count_bits | missing.min(self.limit())
    }

    /// Adds an entry in a new part after the last part of a full bucket. Under the lock. True when that has happened often.
    #[cold]
    fn extend(&self, last: &Bucket, value: u64) -> bool {
        last.more.get_or_init(|| Box::new(Bucket::new())).entries[0].store(value, Ordering::Relaxed);
        let class = self.class.load(Ordering::Relaxed);
        self.added.fetch_add(1, Ordering::Relaxed) >= 1 << self.bits(class) >> 2
    }

    /// Moves everything from table `class` to the next one. Nobody waits for more than one bucket.
    #[cold]
    fn grow(&self, class: usize) {
        if class + 1 == CLASSES || self.bits(class + 1) + NEIGHBOURS > usize::BITS - 8 {
            return;
        }
        if self.growing.swap(true, Ordering::Acquire) {
            return;
        }
        if self.class.load(Ordering::Relaxed) == class {
            self.table(class + 1);
            self.added.store(0, Ordering::Relaxed);
            for bucket in self.table(class) {
                self.lock_any(bucket);
                for (entry, value) in bucket.used() {
                    self.put(class + 1, value);
                    entry.store(0, Ordering::Relaxed);
                }
                bucket.version.store(MOVED, Ordering::Release);
            }
            self.class.store(class + 1, Ordering::Release);
        }
        self.growing.store(false, Ordering::Release);
    }

    /// Takes the lock of a bucket in whatever version it is; the version.
    fn lock_any(&self, bucket: &Bucket) -> u64 {
        let mut waiting = Waiting(0);
        loop {
            let version = bucket.version.load(Ordering::Relaxed);
            if version & LOCKED == 0 && self.lock(bucket, version) {
                return version;
            }
            waiting.pause();
        }
    }

    /// Puts an entry as it is into table `class`, which does not move meanwhile.
    fn put(&self, class: usize, value: u64) {
        let key = value >> self.count_bits;
        let bucket = self.bucket(class, key);
        let version = self.lock_any(bucket);
        match bucket.find(key, self.count_bits) {
            Place::Room(entry) | Place::Entry(entry, _) => entry.store(value, Ordering::Relaxed),
            Place::Full(part) => {
                self.extend(part, value);
            }
        }
        self.unlock(bucket, version);
    }

    /// Number of keys that still wait, and one of them. Only while nobody arrives.
    pub(crate) fn left(&self) -> (usize, Option<u64>) {
        let tables = self.tables.iter().filter_map(OnceLock::get).flatten();
        tables.flat_map(Bucket::used).fold((0, None), |(count, sample), (_, value)| {
            (count + 1, sample.or(Some(value >> self.count_bits)))
        })
    }
}

/// The logarithm of the number of buckets for this many counters.
fn first_bits(expected: u64) -> u32 {
    if cfg!(loom) { 1 } else { expected.saturating_mul(2).clamp(256, 1 << 14).next_power_of_two().trailing_zeros() }
}
