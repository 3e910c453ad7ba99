//! Records go through a ring that is full after one of them: each comes out whole, in order, and once.

use loom::sync::Arc;
use loom::thread;

use super::{models, small_ring};
use crate::sync::atomic::{AtomicU64, yield_now};
use crate::sync::modelled::Mutex;
use crate::transport::ring::{RecordKind, RingConsumer, RingProducer, SharedRing};

models! {
    one_producer finds [head_before_words, head_relaxed, head_seen_relaxed, tail_before_copy, one_word_too_many];
    two_producers finds [head_before_words, head_seen_relaxed, tail_before_copy];
}

/// Appends a record whose bytes are words of the value.
fn push(words: &[AtomicU64], producer: &mut RingProducer, value: u64, length: usize) -> bool {
    let bytes = value.to_le_bytes().repeat(length);
    SharedRing::over(words).push(producer, RecordKind::Batch, value, &bytes, 0).expect("a sound consumer")
}

/// The next record's value, once it is there.
fn pop(words: &[AtomicU64], consumer: &mut RingConsumer, length: usize) -> u64 {
    let mut bytes = Vec::new();
    loop {
        if let Some((kind, note)) = SharedRing::over(words).pop(consumer, &mut bytes).expect("a sound producer") {
            let whole = bytes == note.to_le_bytes().repeat(length);
            assert!(kind == RecordKind::Batch && whole, "a torn record");
            return note;
        }
        yield_now();
    }
}

/// Of two, three and four words: the second one would fit if the ring were a word longer, the third one would cover the
/// second.
fn one_producer() {
    let words = Arc::new(small_ring());
    let other = Arc::clone(&words);
    let consuming = thread::spawn(move || {
        let mut consumer = RingConsumer::default();
        for length in 0..3 {
            assert_eq!(pop(&other, &mut consumer, length), length as u64 + 1, "in order");
        }
    });
    let mut producer = RingProducer::default();
    for length in 0..3 {
        while !push(&words, &mut producer, length as u64 + 1, length) {
            yield_now();
        }
    }
    consuming.join().unwrap();
}

/// Two threads of a process: the producer's side is under a lock.
fn two_producers() {
    let shared = Arc::new((small_ring(), Mutex::new(RingProducer::default())));
    let threads = [1, 2].map(|value| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            while !push(&shared.0, &mut shared.1.lock(), value, 2) {
                yield_now();
            }
        })
    });
    let mut consumer = RingConsumer::default();
    let sum = pop(&shared.0, &mut consumer, 2) + pop(&shared.0, &mut consumer, 2);
    assert_eq!(sum, 3, "both records, once");
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
