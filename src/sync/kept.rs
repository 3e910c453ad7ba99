//! A word that its owner puts aside for a moment, and that others may take when it lies there for long.

use super::atomic::{AtomicU64, Ordering};

/// The place of one word that is not `u64::MAX`. `keep` belongs to one thread at a time, the owner.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Kept(AtomicU64);

/// Nothing lies there.
const NOTHING: u64 = u64::MAX;

impl Kept {
    /// An empty place.
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(NOTHING))
    }

    /// Puts a word aside. Owner only, and only when there is none.
    #[inline]
    pub(crate) fn keep(&self, word: u64) {
        self.0.store(word, Ordering::Release);
    }

    /// Takes the word back.
    #[inline]
    pub(crate) fn take(&self) -> Option<u64> {
        // Only the owner puts words here: who sees none needs no exchange.
        let seen = self.seen()?;
        self.take_same(seen).then_some(seen)
    }

    /// The word that lies there.
    #[inline]
    pub(crate) fn seen(&self) -> Option<u64> {
        let word = self.0.load(Ordering::Relaxed);
        (word != NOTHING).then_some(word)
    }

    /// Takes this word if it lies there. Any thread.
    #[inline]
    pub(crate) fn take_same(&self, word: u64) -> bool {
        self.0.compare_exchange(word, NOTHING, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}
