//! A word that its owner puts aside for a moment, and that others may take when it lies there for long.

use super::atomic::{AtomicU64, Ordering};

/// The place of one word that is not `u64::MAX`. `keep` belongs to one thread at a time, the owner.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct HandOffSlot(AtomicU64);

/// Nothing lies there.
const NOTHING: u64 = u64::MAX;

impl HandOffSlot {
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_taken_once() {
        let kept = HandOffSlot::new();
        assert_eq!((kept.seen(), kept.take()), (None, None));
        kept.keep(7);
        assert_eq!((kept.seen(), kept.take_same(8)), (Some(7), false));
        assert_eq!((kept.take(), kept.take()), (Some(7), None));
        kept.keep(0);
        assert!(kept.take_same(0) && !kept.take_same(0));
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;

    /// The owner and a thief want the word; who gets it sees what the owner did before.
    #[test]
    fn one_thread_takes_the_word() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let shared = Arc::new((HandOffSlot::new(), AtomicU64::new(0)));
            let other = Arc::clone(&shared);
            let thief = loom::thread::spawn(move || {
                let took = other.0.seen().filter(|&word| other.0.take_same(word));
                assert!(took.is_none_or(|word| other.1.load(Ordering::Relaxed) >= word));
                took
            });
            let mut mine = Vec::new();
            for word in 1..=2 {
                shared.1.store(word, Ordering::Relaxed);
                shared.0.keep(word);
                mine.extend(shared.0.take());
            }
            mine.extend(thief.join().unwrap());
            mine.sort_unstable();
            assert_eq!(mine, [1, 2]);
        });
    }
}
